// Theoretical occupancy: how many blocks of a kernel one SM holds at a time, and what keeps it from holding more.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "isa/arch.h"

namespace lanescope::tune {

struct KernelResources {
  std::uint32_t threads = 0;         // a block
  std::uint32_t registers = 0;       // a thread, as the compiler reports them
  std::uint32_t static_shared = 0;   // bytes a block
  std::uint32_t dynamic_shared = 0;  // bytes a block
  std::uint32_t barriers = 1;        // a block
};

// The field names are those of report::Occupancy.
struct Occupancy {
  static constexpr int kNoLimit = std::numeric_limits<int>::max();

  int theoretical_blocks = 0;  // an SM; 0: the kernel cannot be launched
  int theoretical_warps = 0;
  int max_warps = 0;
  int limit_registers = 0, limit_shared = 0, limit_warps = 0, limit_blocks = 0;  // blocks an SM, or kNoLimit
  int limit_barriers = 0;
  // "warps", "registers", "shared memory", "blocks" or "barriers": the lowest limit, the first in this order of equal
  // ones. "warps" with theoretical_warps = max_warps is full occupancy.
  std::string_view limiter;

  double fraction() const { return max_warps == 0 ? 0.0 : static_cast<double>(theoretical_warps) / max_warps; }
};

// With as much shared memory as the SM can give. The driver may give less and leave the rest to the L1 cache: Nsight
// Compute's limit by shared memory is then lower, its theoretical occupancy the same wherever the driver's choice does
// not lower it.
Occupancy occupancy(const isa::Arch& arch, const KernelResources& kernel);

}  // namespace lanescope::tune
