#include "isa/table.h"

namespace lanescope::isa {
namespace {

// The operand forms named by digits: forms("146").
constexpr std::uint8_t forms(std::string_view digits) {
  unsigned mask = 0;
  for (const char digit : digits) mask |= 1u << (digit - '0');
  return static_cast<std::uint8_t>(mask);
}

constexpr Row kRows[] = {
#define ROW(name, operation, form_digits, first_sm, last_sm, memory, executor, syntax, summary) \
  {name, operation, forms(form_digits), first_sm, last_sm, syntax, MemoryClass::memory, Executor::executor, summary},
#include "isa/table.inc"
#undef ROW
};

constexpr ModifierName kModifiers[] = {
#define LANESCOPE_MODIFIER(name, meaning) {#name, meaning},
#include "isa/modifiers.inc"
#undef LANESCOPE_MODIFIER
};

constexpr std::string_view kExecutors[] = {
#define LANESCOPE_EXECUTOR(name) #name,
#include "isa/executors.inc"
#undef LANESCOPE_EXECUTOR
};

}  // namespace

std::span<const Row> table() { return kRows; }

ModifierName describe(Modifier modifier) { return kModifiers[static_cast<std::size_t>(modifier)]; }

std::string_view name_of(Executor executor) { return kExecutors[static_cast<std::size_t>(executor)]; }

}  // namespace lanescope::isa
