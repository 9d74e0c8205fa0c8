#include "runtime/occupancy.h"

#include "tune/occupancy.h"

namespace lanescope::runtime {
namespace {

tune::Occupancy occupancy(const Runtime& rt, const loader::Function& function, int threads,
                          std::size_t dynamic_shared) {
  return tune::occupancy(*rt.chip->arch, {.threads = static_cast<std::uint32_t>(threads),
                                          .registers = function.registers,
                                          .static_shared = function.static_shared,
                                          .dynamic_shared = static_cast<std::uint32_t>(dynamic_shared),
                                          .barriers = function.barriers});
}

}  // namespace

int max_threads_by_registers(const Runtime& rt, const loader::Function& function) {
  const int most = rt.properties.maxThreadsPerBlock;
  int threads = most;
  while (threads > 32 && occupancy(rt, function, threads, 0).limit_registers < 1) threads -= 32;
  return threads;
}

int blocks_per_multiprocessor(const Runtime& rt, const loader::Function& function, int threads,
                              std::size_t dynamic_shared) {
  return occupancy(rt, function, threads, dynamic_shared).theoretical_blocks;
}

}  // namespace lanescope::runtime
