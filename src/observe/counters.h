// Counts of memory access, per instruction, from the engine's events by the rules of the memory model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/events.h"

namespace lanescope::observe {

// Of one instruction, summed over a launch. Wavefronts stand under both rules (docs/memory-model.md).
struct MemoryCounts {
  std::uint64_t accesses = 0;  // events
  std::uint8_t spaces = 0;     // bit 0 global, 1 shared, 2 local: those that were reached
  std::uint8_t bytes = 0;      // a lane
  engine::Access access = engine::Access::kLoad;
  bool estimate = false;               // the shared figures are an estimate (docs/memory-model.md)
  std::uint64_t wavefronts = 0;        // shared, hardware's rule
  std::uint64_t wavefronts_ncu = 0;    // shared, Nsight Compute's source page
  std::uint64_t wavefronts_ideal = 0;  // with the hardware's wavefronts
  std::uint64_t wavefronts_ideal_ncu = 0;
  std::uint64_t conflicts = 0;  // shared, hardware's rule
  std::uint64_t sectors = 0;    // global
  std::uint64_t sectors_ideal = 0;
  std::uint64_t tags = 0;  // global
  std::uint64_t local_sectors = 0;
};

// The counters of one worker thread; add the workers' results at the end, so that totals do not depend on their number.
class Counters {
 public:
  // `instructions`: the size of Module::code.
  explicit Counters(std::uint32_t instructions);
  ~Counters();
  Counters(Counters&&) noexcept;

  engine::Observer observer();
  std::vector<MemoryCounts> take();  // one an instruction

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

void add(std::vector<MemoryCounts>& sum, const std::vector<MemoryCounts>& part);

}  // namespace lanescope::observe
