#include "report/gates.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "report/text.h"

namespace lanescope::report {
namespace {

constexpr std::string_view kUnsupported = "unsupported: ";  // how such problems begin

std::optional<double> parse_number(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) return std::nullopt;
  return value;
}

bool matches(const Gate& gate, const std::string& kernel) {
  if (gate.pattern.empty()) return true;
  return fnmatch(gate.pattern.c_str(), kernel.c_str(), 0) == 0 ||
         fnmatch(gate.pattern.c_str(), short_name(kernel).c_str(), 0) == 0;
}

std::string name_of(const Group& group) {
  const Launch& l = group.first();
  return fmt::format("{} (launch {})", short_name(l.kernel), l.id);
}

double times(const Figures& f) {
  return static_cast<double>(f.sectors) / static_cast<double>(std::max<std::uint64_t>(f.sectors - f.excess_sectors, 1));
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// The breach of one gate by one kernel, if it is one.
std::optional<std::string> breach(const Gate& gate, const Group& group) {
  const Figures& f = group.total;
  switch (gate.kind) {
    case Gate::Kind::kConflicts:
      if (share(f.lost_wavefronts, f.wavefronts) <= gate.limit) return std::nullopt;
      return fmt::format("{}: conflicts are {} of {} wavefronts, more than {}", name_of(group),
                         percent(share(f.lost_wavefronts, f.wavefronts)), with_separators(f.wavefronts),
                         percent(gate.limit));
    case Gate::Kind::kSectors:
      if (f.sectors == 0 || times(f) <= gate.limit) return std::nullopt;
      return fmt::format("{}: {} sectors are {:.2f}x those needed, more than {:g}x", name_of(group),
                         with_separators(f.sectors), times(f), gate.limit);
    case Gate::Kind::kUncoalesced:
      if (share(f.excess_sectors, f.sectors) <= kBadShare) return std::nullopt;
      return fmt::format("{}: uncoalesced access, {} of {} sectors are not needed", name_of(group),
                         percent(share(f.excess_sectors, f.sectors)), with_separators(f.sectors));
    case Gate::Kind::kUnsupported:
      return std::nullopt;  // by problems, not by counts
  }
  return std::nullopt;
}

// Refusals are problems of a process, and name their kernel in their text.
std::vector<std::string> unsupported(const Document& document, const Gate& gate) {
  std::vector<std::string> lines;
  for (const Report& process : document.processes) {
    for (const std::string& problem : process.problems) {
      if (!problem.starts_with(kUnsupported)) continue;
      const std::string pattern = "*" + gate.pattern + "*";
      if (!gate.pattern.empty() && fnmatch(pattern.c_str(), problem.c_str(), 0) != 0) continue;
      if (std::find(lines.begin(), lines.end(), problem) == lines.end()) lines.push_back(problem);
    }
  }
  return lines;
}

struct Measure {
  const char* name;
  std::uint64_t Figures::*value;
};
constexpr Measure kMeasures[] = {
    {"wavefronts", &Figures::wavefronts}, {"sectors", &Figures::sectors}, {"local sectors", &Figures::local_sectors}};

std::string shape_key(const Group& group) {
  const Launch& l = group.first();
  return fmt::format("{} {} {}", l.kernel, fmt::join(l.grid, "x"), fmt::join(l.block, "x"));
}

// Groups of one name and shape (processes, other code) as one: the figures of all launches, and their number.
struct Sum {
  Figures figures;
  double launches = 0;
  std::string name;
};

std::vector<std::pair<std::string, Sum>> sums_of(const Document& document, Rules rules) {
  std::vector<std::pair<std::string, Sum>> sums;
  for (const Group& group : by_kernel(document, rules)) {
    const std::string key = shape_key(group);
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const auto& entry) { return entry.first == key; });
    if (sum == sums.end()) sum = sums.insert(sums.end(), {key, Sum{{}, 0, name_of(group)}});
    const std::size_t times = group.alike ? group.launches.size() : 1;
    for (std::size_t i = 0; i < times; ++i) sum->second.figures += group.total;
    sum->second.launches += static_cast<double>(group.launches.size());
  }
  return sums;
}

}  // namespace

Result<double> parse_percent(std::string_view text) {
  const auto value = parse_number(text, "%");
  if (!value) return usage_error("'{}' is not a percentage such as 10%", text);
  return *value / 100;
}

Result<Gate> parse_gate(std::string_view text) {
  Gate gate;
  std::string_view rest = text;
  // A pattern may hold "::", so the last colon ends it.
  if (const std::size_t colon = rest.rfind(':'); colon != std::string_view::npos) {
    gate.pattern = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  const std::size_t equals = rest.find('=');
  const std::string_view what = rest.substr(0, equals);
  const std::string_view limit = equals == std::string_view::npos ? std::string_view() : rest.substr(equals + 1);
  std::optional<double> number;
  if (what == "conflicts" && (number = parse_number(limit, "%"))) {
    gate.kind = Gate::Kind::kConflicts;
    gate.limit = *number / 100;
  } else if (what == "sectors" && (number = parse_number(limit, "x"))) {
    gate.kind = Gate::Kind::kSectors;
    gate.limit = *number;
  } else if (rest == "uncoalesced") {
    gate.kind = Gate::Kind::kUncoalesced;
  } else if (rest == "unsupported") {
    gate.kind = Gate::Kind::kUnsupported;
  } else {
    return usage_error(
        "'{}' is not a gate: use conflicts=10%, sectors=2x, uncoalesced or unsupported, or one of them for some "
        "kernels, as in 'transpose*:conflicts=5%'",
        text);
  }
  return gate;
}

std::vector<std::string> check(const Document& document, const std::vector<Gate>& gates, Rules rules) {
  std::vector<std::string> lines;
  const std::vector<Group> groups = by_kernel(document, rules);
  for (const Gate& gate : gates) {
    if (gate.kind == Gate::Kind::kUnsupported) {
      for (std::string& line : unsupported(document, gate)) lines.push_back(std::move(line));
      continue;
    }
    for (const Group& group : groups) {
      if (!matches(gate, group.first().kernel)) continue;
      if (auto line = breach(gate, group)) lines.push_back(std::move(*line));
    }
  }
  return lines;
}

std::vector<std::string> compare(const Document& document, const Document& baseline, double tolerance, Rules rules) {
  std::vector<std::string> lines;
  std::map<std::string, Sum> before;
  for (auto& [key, sum] : sums_of(baseline, rules)) before.emplace(key, std::move(sum));
  for (const auto& [key, now] : sums_of(document, rules)) {
    const auto old = before.find(key);
    if (old == before.end()) continue;
    for (const Measure& measure : kMeasures) {
      const double value = static_cast<double>(now.figures.*measure.value) / now.launches;
      const double was = static_cast<double>(old->second.figures.*measure.value) / old->second.launches;
      if (value <= was * (1 + tolerance)) continue;
      const std::string change = was == 0 ? std::string("none") : fmt::format("{:.0f}", was);
      lines.push_back(fmt::format("{}: {:.0f} {} a launch, {} before: more than {} worse", now.name, value,
                                  measure.name, change, percent(tolerance)));
    }
  }
  return lines;
}

}  // namespace lanescope::report
