// Prints docs/isa.md, the reference page of the instruction table.
#include <fmt/format.h>

#include <string>

#include "isa/table.h"

namespace {

using namespace lanescope;

// "1, 4, 5"
std::string forms_of(const isa::Row& row) {
  std::string text;
  for (unsigned form = 0; form < 8; ++form)
    if ((row.forms >> form & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", form);
  return text;
}

std::string architectures_of(const isa::Row& row) {
  if (row.last_sm == 0) return fmt::format("{} on", row.first_sm);
  return row.first_sm == row.last_sm ? fmt::format("{}", row.first_sm)
                                     : fmt::format("{} to {}", row.first_sm, row.last_sm);
}

const char* space_of(isa::MemoryClass memory) {
  switch (memory) {
    case isa::MemoryClass::kNone:
      return "";
    case isa::MemoryClass::kGlobal:
      return "global";
    case isa::MemoryClass::kShared:
      return "shared";
    case isa::MemoryClass::kLocal:
      return "local";
    case isa::MemoryClass::kConstant:
      return "constant";
    case isa::MemoryClass::kGeneric:
      return "generic";
    case isa::MemoryClass::kAsyncCopy:
      return "global to shared";
  }
  return "";
}

}  // namespace

int main() {
  fmt::print(
      "# Instructions\n\nMade from `src/isa/table.inc`; do not edit. A row that does not run is printed by `lanescope "
      "disasm` and refused when it\nis first executed.\n\n"
      "| instruction | operation | forms | sm_ | memory | runs | what it does |\n|---|---|---|---|---|---|---|\n");
  for (const isa::Row& row : isa::table())
    fmt::print("| {} | {:#05x} | {} | {} | {} | {} | {} |\n", row.name, row.operation, forms_of(row),
               architectures_of(row), space_of(row.memory), row.executor == isa::Executor::kUnsupported ? "no" : "yes",
               row.summary);
  fmt::print("\n## Modifiers\n\n| name | values |\n|---|---|\n");
  for (unsigned i = 0; i < static_cast<unsigned>(isa::Modifier::kCount); ++i) {
    const isa::ModifierName modifier = isa::describe(static_cast<isa::Modifier>(i));
    fmt::print("| {} | {} |\n", modifier.name, modifier.meaning);
  }
}
