#include "report/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope::report {
namespace {

constexpr std::uint64_t kInstructionBytes = 16;

struct Column {
  std::string_view name;
  std::string (*value)(const InstructionRow& row, Rules rules);
};

const observe::MemoryCounts& memory_of(const InstructionRow& row) {
  static const observe::MemoryCounts kNone;
  return row.memory ? *row.memory : kNone;
}

std::uint64_t wavefronts(const InstructionRow& row, Rules rules) {
  return rules == Rules::kNcu ? memory_of(row).wavefronts_ncu : memory_of(row).wavefronts;
}

std::uint64_t wavefronts_ideal(const InstructionRow& row, Rules rules) {
  return rules == Rules::kNcu ? memory_of(row).wavefronts_ideal_ncu : memory_of(row).wavefronts_ideal;
}

std::string excess(std::uint64_t value, std::uint64_t ideal) { return std::to_string(value - std::min(value, ideal)); }

// "32", "3.53".
std::string ways(std::uint64_t wavefronts, std::uint64_t executed) {
  if (executed == 0 || wavefronts % executed == 0) return std::to_string(executed == 0 ? 0 : wavefronts / executed);
  return fmt::format("{:.2f}", static_cast<double>(wavefronts) / static_cast<double>(executed));
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

constexpr std::array kColumns = {
    Column{"Source", [](const InstructionRow& row, Rules) { return row.text; }},
    Column{"Instructions Executed", [](const InstructionRow& row, Rules) { return std::to_string(row.executed); }},
    Column{"Thread Instructions Executed",
           [](const InstructionRow& row, Rules) { return std::to_string(row.threads); }},
    Column{"Predicated-On Thread Instructions Executed",
           [](const InstructionRow& row, Rules) { return std::to_string(row.threads_on); }},
    Column{"Divergent Branches", [](const InstructionRow& row, Rules) { return std::to_string(row.divergent); }},
    Column{"Address Space", [](const InstructionRow& row, Rules) { return or_dash(access_of(row.text).space); }},
    Column{"Access Operation", [](const InstructionRow& row, Rules) { return or_dash(access_of(row.text).operation); }},
    Column{"Access Size",
           [](const InstructionRow& row, Rules) {
             const int bits = access_of(row.text).bits;
             return bits == 0 ? std::string("-") : std::to_string(bits);
           }},
    Column{"L1 Tag Requests Global",
           [](const InstructionRow& row, Rules) { return std::to_string(memory_of(row).tags); }},
    Column{"L1 Conflicts Shared N-Way",
           [](const InstructionRow& row, Rules rules) { return ways(wavefronts(row, rules), row.executed); }},
    Column{"L1 Wavefronts Shared Excessive",
           [](const InstructionRow& row, Rules rules) {
             return excess(wavefronts(row, rules), wavefronts_ideal(row, rules));
           }},
    Column{"L1 Wavefronts Shared",
           [](const InstructionRow& row, Rules rules) { return std::to_string(wavefronts(row, rules)); }},
    Column{"L1 Wavefronts Shared Ideal",
           [](const InstructionRow& row, Rules rules) { return std::to_string(wavefronts_ideal(row, rules)); }},
    Column{
        "L2 Theoretical Sectors Global Excessive",
        [](const InstructionRow& row, Rules) { return excess(memory_of(row).sectors, memory_of(row).sectors_ideal); }},
    Column{"L2 Theoretical Sectors Global",
           [](const InstructionRow& row, Rules) { return std::to_string(memory_of(row).sectors); }},
    Column{"L2 Theoretical Sectors Global Ideal",
           [](const InstructionRow& row, Rules) { return std::to_string(memory_of(row).sectors_ideal); }},
    Column{"L2 Theoretical Sectors Local",
           [](const InstructionRow& row, Rules) { return std::to_string(memory_of(row).local_sectors); }},
};

void put(std::string& text, std::string_view field, bool first = false) {
  text += first ? "\"" : ",\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void put_launch(std::string& text, const Launch& launch, const std::vector<InstructionRow>& rows, Rules rules) {
  put(text, "Kernel Name", true);
  put(text, launch.kernel);
  text += '\n';
  put(text, "Address", true);
  for (const Column& column : kColumns) put(text, column.name);
  text += '\n';
  // Functions that the kernel calls follow it as if they were laid out behind it.
  std::uint64_t address = 0;
  for (const InstructionRow& row : rows) {
    put(text, fmt::format("{:#x}", address), true);
    for (const Column& column : kColumns) put(text, column.value(row, rules));
    text += '\n';
    address += kInstructionBytes;
  }
}

// The words of "LDG.E.64" between its dots.
std::vector<std::string_view> words_of(std::string_view operation) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= operation.size();) {
    const std::size_t dot = std::min(operation.find('.', at), operation.size());
    words.push_back(operation.substr(at, dot - at));
    at = dot + 1;
  }
  return words;
}

struct Operation {
  std::string_view name, space, operation;
};
constexpr Operation kOperations[] = {
    {"LDS", "Shared", "Load"},
    {"STS", "Shared", "Store"},
    {"LDSM", "Shared", "Load"},
    {"STSM", "Shared", "Store"},
    {"ATOMS", "Shared", "Atomic"},
    {"LDG", "Global", "Load"},
    {"STG", "Global", "Store"},
    {"ATOMG", "Global", "Atomic"},
    {"RED", "Global", "Reduction"},
    {"REDG", "Global", "Reduction"},
    {"LDL", "Local", "Load"},
    {"STL", "Local", "Store"},
    {"LD", "Global,Shared", "Load"},
    {"ST", "Global,Shared", "Store"},
    {"ATOM", "Global,Shared", "Atomic"},
    {"LDGSTS", "Global,Shared", "Load,Store"},
};

int bits_of(const std::vector<std::string_view>& words) {
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (words[0] == "LDSM" || words[0] == "STSM") return has("4") ? 128 : has("2") ? 64 : 32;
  if (has("128")) return 128;
  if (has("64") || has("F64")) return 64;
  if (has("U16") || has("S16")) return 16;
  return has("U8") || has("S8") ? 8 : 32;
}

}  // namespace

AccessText access_of(std::string_view instruction) {
  if (instruction.starts_with('@')) instruction.remove_prefix(std::min(instruction.find(' ') + 1, instruction.size()));
  const auto words = words_of(instruction.substr(0, instruction.find(' ')));
  const auto known = std::find_if(std::begin(kOperations), std::end(kOperations),
                                  [&](const Operation& operation) { return operation.name == words[0]; });
  if (known == std::end(kOperations)) return {};
  return {std::string(known->space), std::string(known->operation), bits_of(words)};
}

std::string to_csv(const Document& document, Rules rules) {
  std::string text;
  for (const Report& process : document.processes) {
    for (const Launch& launch : process.launches) put_launch(text, launch, rows_of(process, launch), rules);
  }
  return text;
}

}  // namespace lanescope::report
