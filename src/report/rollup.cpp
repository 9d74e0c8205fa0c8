#include "report/rollup.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace lanescope::report {
namespace {

constexpr std::uint8_t kGlobalBit = 1, kSharedBit = 2;
constexpr double kClocksPerSector = 0.5;

// "@!P0 BRA 0x50" -> "BRA".
std::string_view operation_of(std::string_view text) {
  if (text.starts_with('@')) {
    const std::size_t space = text.find(' ');
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return text.substr(0, text.find_first_of(" ."));
}

// Their guard says who leaves, not who works.
bool moves_control(std::string_view text) {
  constexpr std::string_view kOperations[] = {"BRA",  "BRX",   "BRXU", "JMP",   "EXIT",    "RET",
                                              "CALL", "BREAK", "BSSY", "BSYNC", "WARPSYNC"};
  const std::string_view operation = operation_of(text);
  return std::find(std::begin(kOperations), std::end(kOperations), operation) != std::end(kOperations);
}

bool is_compilers(std::string_view file) {
  return file.starts_with("/usr/") || file.starts_with("/opt/") || file.find("/targets/") != std::string_view::npos;
}

bool is_asynchronous(engine::Access access) {
  return access == engine::Access::kAsyncRead || access == engine::Access::kAsyncWrite ||
         access == engine::Access::kAsyncWriteBypass;
}

void add_memory(const observe::MemoryCounts& memory, Rules rules, Figures& figures) {
  const bool both = (memory.spaces & kGlobalBit) != 0 && (memory.spaces & kSharedBit) != 0;
  // A cp.async is one event on each side.
  const std::uint64_t accesses = both && is_asynchronous(memory.access) ? memory.accesses / 2 : memory.accesses;
  if ((memory.spaces & kSharedBit) != 0) {
    const bool ncu = rules == Rules::kNcu;
    figures.shared_accesses = accesses;
    figures.wavefronts = ncu ? memory.wavefronts_ncu : memory.wavefronts;
    figures.lost_wavefronts =
        ncu ? memory.wavefronts_ncu - std::min(memory.wavefronts_ideal_ncu, memory.wavefronts_ncu) : memory.conflicts;
    figures.estimate = memory.estimate;
  }
  if ((memory.spaces & kGlobalBit) != 0) {
    figures.global_accesses = accesses;
    figures.sectors = memory.sectors;
    figures.excess_sectors = memory.sectors - std::min(memory.sectors_ideal, memory.sectors);
  }
  figures.local_sectors = memory.local_sectors;
}

// `times` copies of `more` on top of `sum`; both are rows of the same code.
void add_rows(std::vector<InstructionRow>& sum, const std::vector<InstructionRow>& more, std::uint64_t times) {
  constexpr std::uint64_t observe::MemoryCounts::*kCounts[] = {&observe::MemoryCounts::accesses,
                                                               &observe::MemoryCounts::wavefronts,
                                                               &observe::MemoryCounts::wavefronts_ideal,
                                                               &observe::MemoryCounts::wavefronts_ncu,
                                                               &observe::MemoryCounts::conflicts,
                                                               &observe::MemoryCounts::wavefronts_ideal_ncu,
                                                               &observe::MemoryCounts::sectors,
                                                               &observe::MemoryCounts::sectors_ideal,
                                                               &observe::MemoryCounts::tags,
                                                               &observe::MemoryCounts::local_sectors};
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i].executed += more[i].executed * times;
    sum[i].threads += more[i].threads * times;
    sum[i].threads_on += more[i].threads_on * times;
    sum[i].divergent += more[i].divergent * times;
    if (!more[i].memory) continue;
    if (!sum[i].memory) sum[i].memory.emplace();
    if (sum[i].memory->accesses == 0) sum[i].shared_array = more[i].shared_array;
    for (auto count : kCounts) (*sum[i].memory).*count += (*more[i].memory).*count * times;
    sum[i].memory->spaces |= more[i].memory->spaces;
    sum[i].memory->bytes = std::max(sum[i].memory->bytes, more[i].memory->bytes);
    if (more[i].memory->accesses != 0) sum[i].memory->access = more[i].memory->access;
    sum[i].memory->estimate |= more[i].memory->estimate;
  }
}

bool same_code(const std::vector<InstructionRow>& a, const std::vector<InstructionRow>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const InstructionRow& x, const InstructionRow& y) {
    return x.offset == y.offset && x.text == y.text && x.function == y.function;
  });
}

void clear_counts(std::vector<InstructionRow>& rows) {
  for (InstructionRow& row : rows) {
    row.executed = row.threads = row.threads_on = row.divergent = 0;
    if (row.memory) row.memory.emplace();
  }
}

// The rows that stand for a group, from one launch or summed over all.
void fill_rows(Group& group) {
  std::map<const std::vector<InstructionRow>*, std::uint64_t> times;
  for (const Launch* launch : group.launches) ++times[&rows_of(*group.process, *launch)];
  group.rows = rows_of(*group.process, group.first());
  group.alike = times.size() == 1;
  if (group.alike) return;
  clear_counts(group.rows);
  for (const auto& [rows, count] : times) add_rows(group.rows, *rows, count);
}

using Configuration = std::tuple<std::string, std::vector<std::uint32_t>>;

Configuration configuration_of(const Launch& l) {
  const std::string& name = l.mangled.empty() ? l.kernel : l.mangled;
  return {name,
          {l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2], l.cluster[0], l.cluster[1],
           l.cluster[2], l.registers, l.static_shared, l.dynamic_shared, l.stopped.empty() ? 0u : 1u}};
}

Level level_of(double share) {
  return share > kBadShare ? Level::kBad : share >= kHealthyShare ? Level::kWatch : Level::kGood;
}

bool by_position(const Position& a, const Position& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); }

std::vector<LineFigures> all_lines(const std::vector<InstructionRow>& rows, Rules rules) {
  std::map<std::pair<std::string, std::uint32_t>, LineFigures> lines;
  for (const InstructionRow& row : rows) {
    const Position at = line_of(row);
    LineFigures& line = lines[{at.file, at.line}];
    line.at = at;
    line.figures += figures_of(row, rules);
    if (!row.shared_array.empty() &&
        std::find(line.arrays.begin(), line.arrays.end(), row.shared_array) == line.arrays.end())
      line.arrays.push_back(row.shared_array);
  }
  std::vector<LineFigures> result;
  for (auto& [key, line] : lines) result.push_back(std::move(line));
  return result;
}

Verdict make_verdict(Verdict::Subject subject, const std::vector<LineFigures>& lines, std::uint64_t all) {
  Verdict verdict{subject};
  verdict.all = all;
  for (const LineFigures& line : lines) {
    const std::uint64_t loss = loss_of(line.figures, subject);
    verdict.lost += loss;
    if (loss != 0) verdict.culprits.push_back(line);
  }
  std::stable_sort(verdict.culprits.begin(), verdict.culprits.end(), [&](const auto& a, const auto& b) {
    return loss_of(a.figures, subject) > loss_of(b.figures, subject);
  });
  return verdict;
}

// Nsight Compute prints a template argument's value with its type: "k<(int)16, (bool)1>" -> "k<16, 1>".
std::string without_casts(std::string name) {
  for (std::size_t open = name.find('('); open != std::string::npos; open = name.find('(', open + 1)) {
    const std::size_t close = name.find(')', open);
    if (close == std::string::npos || close + 1 >= name.size()) break;
    const bool first = open > 0 && (name[open - 1] == '<' || name[open - 1] == ' ');
    const char next = name[close + 1];
    if (first && (next == '-' || (next >= '0' && next <= '9'))) name.erase(open, close + 1 - open);
  }
  return name;
}

}  // namespace

Figures& Figures::operator+=(const Figures& other) {
  executed += other.executed;
  idle_lanes += other.idle_lanes;
  lanes += other.lanes;
  shared_accesses += other.shared_accesses;
  wavefronts += other.wavefronts;
  lost_wavefronts += other.lost_wavefronts;
  global_accesses += other.global_accesses;
  sectors += other.sectors;
  excess_sectors += other.excess_sectors;
  local_sectors += other.local_sectors;
  estimate |= other.estimate;
  timing_dependent |= other.timing_dependent;
  return *this;
}

double Figures::cost() const {
  return static_cast<double>(lost_wavefronts) + kClocksPerSector * static_cast<double>(excess_sectors + local_sectors);
}

Figures figures_of(const InstructionRow& row, Rules rules) {
  Figures figures;
  figures.executed = row.executed;
  if (!moves_control(row.text)) {
    figures.lanes = 32 * row.executed;
    figures.idle_lanes = figures.lanes - std::min(row.threads_on, figures.lanes);
  }
  if (row.memory) add_memory(*row.memory, rules, figures);
  figures.timing_dependent = row.timing_dependent;
  return figures;
}

Figures total_of(const std::vector<InstructionRow>& rows, Rules rules) {
  Figures total;
  for (const InstructionRow& row : rows) total += figures_of(row, rules);
  return total;
}

Position line_of(const InstructionRow& row) {
  const auto own = std::find_if(row.at.begin(), row.at.end(), [](const Position& p) { return !is_compilers(p.file); });
  if (own != row.at.end()) return *own;
  return row.at.empty() ? Position{} : row.at.front();
}

std::vector<LineFigures> by_line(const std::vector<InstructionRow>& rows, Rules rules) {
  std::vector<LineFigures> lines = all_lines(rows, rules);
  const auto traffic = [](const Figures& f) { return f.wavefronts + f.sectors + f.local_sectors; };
  std::erase_if(lines, [&](const LineFigures& line) { return traffic(line.figures) == 0; });
  std::sort(lines.begin(), lines.end(), [&](const LineFigures& a, const LineFigures& b) {
    if (a.figures.cost() != b.figures.cost()) return a.figures.cost() > b.figures.cost();
    if (traffic(a.figures) != traffic(b.figures)) return traffic(a.figures) > traffic(b.figures);
    return by_position(a.at, b.at);
  });
  return lines;
}

std::vector<ArrayFigures> by_array(const std::vector<InstructionRow>& rows, Rules rules) {
  std::map<std::string, Figures> arrays;
  for (const InstructionRow& row : rows) {
    if (!row.shared_array.empty()) arrays[row.shared_array] += figures_of(row, rules);
  }
  std::vector<ArrayFigures> result;
  for (const auto& [name, figures] : arrays) result.push_back({name, figures});
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.figures.lost_wavefronts > b.figures.lost_wavefronts; });
  return result;
}

std::vector<Group> by_kernel(const Document& document, Rules rules) {
  std::vector<Group> groups;
  for (const Report& process : document.processes) {
    std::map<Configuration, std::vector<std::size_t>> known;
    for (const Launch& launch : process.launches) {
      std::vector<std::size_t>& candidates = known[configuration_of(launch)];
      // Two modules may have a kernel of the same name.
      const auto same = std::find_if(candidates.begin(), candidates.end(), [&](std::size_t group) {
        return same_code(rows_of(process, groups[group].first()), rows_of(process, launch));
      });
      if (same == candidates.end()) {
        candidates.push_back(groups.size());
        groups.emplace_back().process = &process;
        groups.back().launches.push_back(&launch);
      } else {
        groups[*same].launches.push_back(&launch);
      }
    }
  }
  for (Group& group : groups) {
    fill_rows(group);
    group.total = total_of(group.rows, rules);
  }
  return groups;
}

std::uint64_t loss_of(const Figures& figures, Verdict::Subject subject) {
  switch (subject) {
    case Verdict::Subject::kShared:
      return figures.lost_wavefronts;
    case Verdict::Subject::kGlobal:
      return figures.excess_sectors;
    case Verdict::Subject::kLocal:
      return figures.local_sectors;
    case Verdict::Subject::kLanes:
      return figures.idle_lanes;
  }
  return 0;
}

std::vector<Verdict> verdicts_of(const std::vector<InstructionRow>& rows, Rules rules) {
  using Subject = Verdict::Subject;
  const std::vector<LineFigures> lines = all_lines(rows, rules);
  const Figures total = total_of(rows, rules);
  std::vector<Verdict> verdicts;
  if (total.wavefronts != 0) {
    verdicts.push_back(make_verdict(Subject::kShared, lines, total.wavefronts));
    verdicts.back().level = level_of(verdicts.back().share());
  }
  if (total.sectors != 0) {
    verdicts.push_back(make_verdict(Subject::kGlobal, lines, total.sectors));
    verdicts.back().level = level_of(verdicts.back().share());
  }
  if (total.local_sectors != 0) {
    verdicts.push_back(make_verdict(Subject::kLocal, lines, total.local_sectors + total.sectors));
    verdicts.back().level = std::max(Level::kWatch, level_of(verdicts.back().share()));
  }
  if (total.lanes != 0) {
    verdicts.push_back(make_verdict(Subject::kLanes, lines, total.lanes));
    const double active = 1 - verdicts.back().share();
    verdicts.back().level = active < kVeryFewLanes ? Level::kBad : active < kFewLanes ? Level::kWatch : Level::kGood;
  }
  return verdicts;
}

bool has_problems(const Document& document) {
  return std::any_of(document.processes.begin(), document.processes.end(), [](const Report& process) {
    return !process.problems.empty() || std::any_of(process.launches.begin(), process.launches.end(),
                                                    [](const Launch& launch) { return !launch.stopped.empty(); });
  });
}

std::string short_name(const std::string& demangled) {
  // Ends where the parameters begin: the last top-level '(' (which skips "(anonymous namespace)::" and template
  // arguments); begins after the last top-level space before that.
  int angle = 0, round = 0;
  std::size_t begin = 0, end = demangled.size();
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '(') {
      if (angle == 0 && round == 0 && demangled.compare(i, 21, "(anonymous namespace)") != 0) {
        end = i;
        break;
      }
      ++round;
    } else if (c == ')') {
      --round;
    } else if (c == '<') {
      ++angle;
    } else if (c == '>') {
      --angle;
    } else if (c == ' ' && angle == 0 && round == 0) {
      begin = i + 1;
    }
  }
  return without_casts(demangled.substr(begin, end - begin));
}

}  // namespace lanescope::report
