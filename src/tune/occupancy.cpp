#include "tune/occupancy.h"

#include <algorithm>
#include <utility>

namespace lanescope::tune {
namespace {

constexpr std::uint32_t divide_up(std::uint32_t value, std::uint32_t by) { return (value + by - 1) / by; }
constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return divide_up(value, unit) * unit; }

int limit_by_warps(const isa::Arch& arch, const KernelResources& kernel, std::uint32_t warps) {
  if (kernel.threads == 0 || kernel.threads > arch.max_threads_per_block) return 0;
  return static_cast<int>(arch.max_warps / warps);
}

// A warp has its registers in one partition of the SM. Whether a block is too large is checked as if it filled all
// partitions evenly.
int limit_by_registers(const isa::Arch& arch, const KernelResources& kernel, std::uint32_t warps) {
  if (kernel.registers == 0) return Occupancy::kNoLimit;
  const std::uint32_t of_warp = round_up(kernel.registers * 32, arch.register_unit);
  if (warps == 0 || of_warp * round_up(warps, arch.partitions) > arch.max_registers_per_block) return 0;
  const std::uint32_t warps_that_fit = arch.registers / arch.partitions / of_warp * arch.partitions;
  return static_cast<int>(warps_that_fit / warps);
}

int limit_by_shared(const isa::Arch& arch, const KernelResources& kernel) {
  const std::uint64_t wanted = std::uint64_t{kernel.static_shared} + kernel.dynamic_shared;
  if (wanted > arch.max_shared_per_block_optin) return 0;
  const std::uint32_t of_block = round_up(static_cast<std::uint32_t>(wanted) + arch.shared_reserved, arch.shared_unit);
  return of_block == 0 ? Occupancy::kNoLimit : static_cast<int>(arch.shared_bytes / of_block);
}

int limit_by_barriers(const isa::Arch& arch, const KernelResources& kernel) {
  if (arch.max_barriers == 0 || kernel.barriers == 0) return Occupancy::kNoLimit;
  return static_cast<int>(arch.max_barriers / kernel.barriers);
}

}  // namespace

Occupancy occupancy(const isa::Arch& arch, const KernelResources& kernel) {
  const std::uint32_t warps = divide_up(kernel.threads, 32);
  Occupancy result;
  result.max_warps = static_cast<int>(arch.max_warps);
  result.limit_warps = limit_by_warps(arch, kernel, warps);
  result.limit_registers = limit_by_registers(arch, kernel, warps);
  result.limit_shared = limit_by_shared(arch, kernel);
  result.limit_blocks = static_cast<int>(arch.max_blocks);
  result.limit_barriers = limit_by_barriers(arch, kernel);

  const std::pair<int, std::string_view> limits[] = {{result.limit_warps, "warps"},
                                                     {result.limit_registers, "registers"},
                                                     {result.limit_shared, "shared memory"},
                                                     {result.limit_blocks, "blocks"},
                                                     {result.limit_barriers, "barriers"}};
  const auto lowest = std::min_element(std::begin(limits), std::end(limits),
                                       [](const auto& a, const auto& b) { return a.first < b.first; });
  result.theoretical_blocks = lowest->first;
  result.theoretical_warps = lowest->first * static_cast<int>(warps);
  result.limiter = lowest->second;
  return result;
}

}  // namespace lanescope::tune
