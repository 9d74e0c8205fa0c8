// What launches add up to: by source line, by kernel, by array of shared memory; and what to think of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/json.h"
#include "report/report.h"

namespace lanescope::report {

// Whose wavefronts: the hardware's, or those of Nsight Compute's source page (docs/memory-model.md).
enum class Rules { kHardware, kNcu };

// Sums over instructions. A wavefront is one pass of shared memory, a sector 32 bytes of global or local memory.
struct Figures {
  std::uint64_t executed = 0;         // warp instructions
  std::uint64_t idle_lanes = 0;       // lanes off in them, branches and exits left aside
  std::uint64_t lanes = 0;            // 32 a warp instruction, branches and exits left aside
  std::uint64_t shared_accesses = 0;  // warp instructions that reached shared memory
  std::uint64_t wavefronts = 0;
  std::uint64_t lost_wavefronts = 0;  // hardware's rules: bank conflicts; Nsight Compute's: those above the ideal
  std::uint64_t global_accesses = 0;
  std::uint64_t sectors = 0;
  std::uint64_t excess_sectors = 0;  // those above the ideal
  std::uint64_t local_sectors = 0;
  bool estimate = false;          // some shared figure is an estimate
  bool timing_dependent = false;  // some count belongs to a retry loop

  Figures& operator+=(const Figures& other);
  // What mending could save, for ranking: clocks of an SM's memory path. A wavefront takes one clock; the second-level
  // cache delivers about 64 bytes a clock and SM, so a sector takes half of one. It is not a time.
  double cost() const;
};

Figures figures_of(const InstructionRow& row, Rules rules);
Figures total_of(const std::vector<InstructionRow>& rows, Rules rules);

struct LineFigures {
  Position at;
  Figures figures;
  std::vector<std::string> arrays;  // of shared memory that it reaches
};

// Where an instruction belongs for its reader: the innermost position outside the compiler's own headers.
Position line_of(const InstructionRow& row);

// Lines that access memory, the costliest first; equal ones in order of traffic, then of position.
std::vector<LineFigures> by_line(const std::vector<InstructionRow>& rows, Rules rules);

struct ArrayFigures {
  std::string name;
  Figures figures;
};
std::vector<ArrayFigures> by_array(const std::vector<InstructionRow>& rows, Rules rules);

// Launches of one kernel in one configuration.
struct Group {
  const Report* process = nullptr;
  std::vector<const Launch*> launches;  // at least one
  bool alike = true;                    // all have the same counts; `rows` and `total` are then those of one launch
  std::vector<InstructionRow> rows;     // else sums over the launches
  Figures total;

  const Launch& first() const { return *launches.front(); }
};

// In the order of first launches. The document must outlive the groups.
std::vector<Group> by_kernel(const Document& document, Rules rules);

enum class Level { kGood, kWatch, kBad };

inline constexpr double kHealthyShare = 0.05;  // of wavefronts or sectors lost
inline constexpr double kBadShare = 0.10;
inline constexpr double kFewLanes = 0.75;  // of lanes active
inline constexpr double kVeryFewLanes = 0.50;

// What to think of one aspect of a launch, with the line that most of the loss is on.
struct Verdict {
  enum class Subject { kShared, kGlobal, kLocal, kLanes } subject;
  Level level = Level::kGood;
  std::uint64_t lost = 0, all = 0;    // wavefronts, sectors, sectors, lanes
  std::vector<LineFigures> culprits;  // lines with a loss, the largest first

  double share() const { return all == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(all); }
};

// Only aspects that the launch has: no verdict on shared memory where there was no access to it.
std::vector<Verdict> verdicts_of(const std::vector<InstructionRow>& rows, Rules rules);

// What a line lost of a verdict's subject.
std::uint64_t loss_of(const Figures& figures, Verdict::Subject subject);

// Whether anything could not be run to its end as on a GPU.
bool has_problems(const Document& document);

// The name without return type, parameters and the types of template arguments' values: "transpose_tile<0>".
std::string short_name(const std::string& demangled);

}  // namespace lanescope::report
