// From what the engine and the counters measured to a launch of the report. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch.h"
#include "isa/arch.h"
#include "loader/module.h"
#include "observe/counters.h"
#include "report/report.h"

namespace lanescope::report {

inline constexpr std::uint32_t kNoAddress = 0xffffffff;

// What was observed of each instruction of the module.
struct Measured {
  std::vector<observe::MemoryCounts> counts;
  // Some address in shared memory that it reached, or kNoAddress; tells arrays apart where a kernel has several. May be
  // empty.
  std::vector<std::uint32_t> shared_addresses;
};

// Rows: every instruction of the kernel's own section, then of each other section that was executed, in address order.
// The launch's id and occupancy are the caller's.
Launch build_launch(const loader::Module& module, const engine::LaunchRequest& request,
                    const engine::LaunchResult& result, const Measured& measured);

// What one SM holds of such blocks.
Occupancy occupancy_of(const isa::Arch& arch, const loader::Function& kernel, std::uint32_t threads,
                       std::uint32_t dynamic_shared);

// Says that the kernel has instructions that would be refused, if it has: it may well never execute them.
std::optional<std::string> note_unsupported(const engine::Program& program, const loader::Function& kernel);

// Where instruction `index` of `function` (0 .. count) comes from, innermost first; empty without line information.
std::vector<Position> positions_of(const loader::Module& module, const loader::Function& function, std::uint32_t index);

}  // namespace lanescope::report
