#include "observe/pattern.h"

#include <algorithm>

#include "lanescope/memory_model.hpp"

namespace lanescope::observe {
namespace {

memory_model::Access model_access(engine::Access access) {
  using From = engine::Access;
  using To = memory_model::Access;
  switch (access) {
    case From::kLoad:
    case From::kAsyncRead:
      return To::kLoad;
    case From::kStore:
      return To::kStore;
    case From::kAtomic:
    case From::kReduction:
      return To::kAtomic;
    case From::kCompareSwap:
      return To::kCompareSwap;
    case From::kCompareSwapSpin:
      return To::kCompareSwapSpin;
    case From::kIncrement:
      return To::kIncrement;
    case From::kMatrixLoad:
      return To::kMatrixLoad;
    case From::kMatrixStore:
      return To::kMatrixStore;
    case From::kAsyncWrite:
      return To::kAsyncCopy;
    case From::kAsyncWriteBypass:
      return To::kAsyncCopyBypass;
  }
  return To::kLoad;
}

memory_model::WarpAccess warp_of(const engine::MemoryEvent& event) {
  memory_model::WarpAccess warp;
  std::copy_n(event.addresses, kLanes, warp.address.begin());
  warp.active = event.active;
  warp.access = model_access(event.access);
  warp.bytes = event.bytes;
  warp.matrices = event.matrices;
  return warp;
}

}  // namespace

void fill_step(Pattern& pattern, const engine::MemoryEvent& event) {
  const memory_model::WarpAccess warp = warp_of(event);
  pattern.step[0] = 1;
  if (event.space == engine::Space::kLocal) {
    pattern.step[kLocalSectors] = memory_model::local_sectors(warp);
    return;
  }
  const memory_model::SharedCounts hardware = memory_model::shared(warp);
  const bool same_rule = event.access != engine::Access::kLoad || event.bytes <= memory_model::kWordBytes;
  const memory_model::SharedCounts profiler =
      same_rule ? hardware : memory_model::shared(warp, memory_model::Rule::kProfiler);
  pattern.step[kWavefronts] = hardware.wavefronts;
  pattern.step[kWavefrontsNcu] = profiler.wavefronts;
  pattern.step[kIdeal] = hardware.ideal;
  pattern.step[kIdealNcu] = profiler.ideal;
  pattern.step[kConflicts] = hardware.conflicts;
  pattern.estimate = hardware.estimate;
}

Pattern::Phase phase_of(const engine::MemoryEvent& event) {
  const memory_model::GlobalCounts counts = memory_model::global(warp_of(event));
  return {static_cast<std::uint8_t>(counts.sectors), static_cast<std::uint8_t>(counts.ideal),
          static_cast<std::uint8_t>(counts.tags)};
}

CounterState::CounterState(std::uint32_t instructions)
    : slot_of(std::size_t{instructions} * kSpaces), slots(1), patterns(std::make_unique<Pattern[]>(kPatterns + 1)) {
  slots[0].pattern = &patterns[kPatterns];
}

Slot& CounterState::slot_for(const engine::MemoryEvent& event, std::uint32_t kind) {
  std::uint32_t& number = slot_of[slot_index(event)];
  if (number == 0) {
    number = static_cast<std::uint32_t>(slots.size());
    slots.push_back({.kind = kind});
  }
  return slots[number];
}

void CounterState::reset() {
  std::fill(slot_of.begin(), slot_of.end(), 0);
  slots.resize(1);
}

}  // namespace lanescope::observe
