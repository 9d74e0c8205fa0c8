// Limits that a run must keep, for continuous integration; docs/run.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/json.h"
#include "report/rollup.h"

namespace lanescope::report {

// "[PATTERN:]conflicts=10%", "[PATTERN:]sectors=2x", "[PATTERN:]uncoalesced", "[PATTERN:]unsupported".
struct Gate {
  enum class Kind { kConflicts, kSectors, kUncoalesced, kUnsupported } kind = Kind::kConflicts;
  double limit = 0;     // conflicts: share of wavefronts; sectors: multiple of the needed
  std::string pattern;  // shell pattern for kernels' names; empty: all
};

Result<Gate> parse_gate(std::string_view text);
Result<double> parse_percent(std::string_view text);  // "10%" -> 0.1

// One line a breach, without the end of line.
std::vector<std::string> check(const Document& document, const std::vector<Gate>& gates, Rules rules);

// Kernels that cost more than in `baseline` by over `tolerance` (0.01: one hundredth). A kernel is compared with one of
// the same name and shape; one that `baseline` does not have is no breach.
std::vector<std::string> compare(const Document& document, const Document& baseline, double tolerance, Rules rules);

}  // namespace lanescope::report
