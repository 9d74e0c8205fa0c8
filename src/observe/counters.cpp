// The hot path of a counted run: one call a warp memory instruction. It compares the event with the pattern that its
// instruction had last (a few vector operations) and adds that pattern's counts. Else it looks the pattern up among all
// of this worker's, and asks the memory model only when it is not there.
//
// This file is compiled once for each vector instruction set (Highway); observer() picks the machine's.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "observe/counters.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
//
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "observe/counters.h"
#include "observe/pattern.h"

HWY_BEFORE_NAMESPACE();
namespace lanescope::observe::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint64_t, kLanes>;
using Vector = hn::Vec<Tag>;

alignas(64) constexpr auto kLaneBit = [] {
  std::array<std::uint64_t, kLanes> bits{};
  for (unsigned lane = 0; lane < kLanes; ++lane) bits[lane] = std::uint64_t{1} << lane;
  return bits;
}();

constexpr auto kFactor = [] {
  std::array<std::uint64_t, kLanes> factor{};
  std::uint64_t value = 0x8da6b343u;
  for (std::uint64_t& f : factor) f = (value = value * 0x5851f42d4c957f2du + 1) >> 33 | 1;
  return factor;
}();

// The offsets of the lanes from `lane`: of all, or of the active ones and 0 for the others.
template <bool kFull>
HWY_INLINE Vector offsets(const std::uint64_t* addresses, unsigned lane, Vector base, Vector active) {
  const Tag d;
  const Vector distance = hn::Sub(hn::LoadU(d, addresses + lane), base);
  if constexpr (kFull) return distance;
  return hn::IfThenElseZero(hn::TestBit(active, hn::Load(d, kLaneBit.data() + lane)), distance);
}

template <bool kFull>
HWY_INLINE bool equal_offsets(const engine::MemoryEvent& event, std::uint64_t base, const Pattern& pattern) {
  const Tag d;
  const Vector base_vector = hn::Set(d, base), active = hn::Set(d, event.active);
  const auto difference = [&](unsigned lane) HWY_ATTR {
    return hn::Xor(offsets<kFull>(event.addresses, lane, base_vector, active), hn::Load(d, pattern.offset + lane));
  };
  constexpr unsigned kStep = hn::MaxLanes(Tag());
  static_assert(kLanes % (4 * kStep) == 0);
  Vector any = hn::Zero(d);
  for (unsigned lane = 0; lane < kLanes; lane += 4 * kStep) {
    const Vector low = hn::Or(difference(lane), difference(lane + kStep));
    const Vector high = hn::Or(difference(lane + 2 * kStep), difference(lane + 3 * kStep));
    any = hn::Or(any, hn::Or(low, high));
  }
  return hn::AllTrue(d, hn::Eq(any, hn::Zero(d)));
}

HWY_INLINE bool matches(const engine::MemoryEvent& event, std::uint32_t kind, std::uint64_t base,
                        const Pattern& pattern) {
  if (pattern.active != event.active || pattern.kind != kind) return false;
  return event.active == 0xffffffffu ? equal_offsets<true>(event, base, pattern)
                                     : equal_offsets<false>(event, base, pattern);
}

HWY_INLINE void add_step(const std::uint64_t* step, std::uint64_t* sums) {
  const hn::CappedTag<std::uint64_t, 2> d;
  const auto add_from = [&](unsigned i) HWY_ATTR {
    hn::Store(hn::Add(hn::Load(d, sums + i), hn::Load(d, step + i)), d, sums + i);
    if (hn::Lanes(d) == 1) sums[i + 1] += step[i + 1];
  };
  static_assert(kSums == 6);
  add_from(0), add_from(2), add_from(4);
}

HWY_INLINE void add_phase(Pattern::Phase phase, Slot& slot) {
  slot.sums[0] += 1;
  slot.sums[kSectors] += phase.sectors;
  slot.sums[kSectorsIdeal] += phase.ideal;
  slot.sums[kTags] += phase.tags;
}

HWY_NOINLINE void add_new_phase(const engine::MemoryEvent& event, Pattern::Phase& phase, Slot& slot) {
  phase = phase_of(event);
  add_phase(phase, slot);
}

HWY_INLINE void add_counts(const engine::MemoryEvent& event, std::uint64_t base, Pattern& pattern, Slot& slot) {
  if (event.space != engine::Space::kGlobal) {
    return add_step(pattern.step, slot.sums);
  }
  Pattern::Phase& phase = pattern.phase[base / 4 % kPhases];
  if (HWY_UNLIKELY(phase.sectors == 0)) return add_new_phase(event, phase, slot);
  add_phase(phase, slot);
}

// Where the pattern with these offsets belongs in the table: multilinear hashing of their low halves. The table
// compares whole patterns.
HWY_INLINE std::uint32_t table_index(const std::uint64_t* offset, std::uint32_t kind, std::uint32_t active) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
  std::uint64_t sum = (std::uint64_t{active} << 32 | kind) * kOdd;
  for (unsigned lane = 0; lane < kLanes; ++lane) sum += (offset[lane] & 0xffffffffu) * kFactor[lane];
  return static_cast<std::uint32_t>(sum * kOdd >> 32) % CounterState::kPatterns;
}

HWY_NOINLINE void on_new_pattern(CounterState& state, const engine::MemoryEvent& event, std::uint32_t kind,
                                 std::uint64_t base) {
  Slot& slot = state.slot_for(event, kind);
  const Tag d;
  const Vector base_vector = hn::Set(d, base), active = hn::Set(d, event.active);
  alignas(64) std::uint64_t offset[kLanes];
  for (unsigned lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    hn::Store(offsets<false>(event.addresses, lane, base_vector, active), d, offset + lane);
  }
  Pattern& pattern = state.patterns[table_index(offset, kind, event.active)];
  slot.pattern = &pattern;
  if (!matches(event, kind, base, pattern)) {
    pattern.active = event.active;
    pattern.kind = kind;
    pattern.estimate = false;
    std::copy_n(offset, kLanes, pattern.offset);
    if (event.space == engine::Space::kGlobal) {
      std::fill_n(pattern.phase, kPhases, Pattern::Phase{});
    } else {
      fill_step(pattern, event);
    }
  }
  slot.estimate |= pattern.estimate;
  add_counts(event, base, pattern, slot);
}

void on_memory(void* self, const engine::MemoryEvent& event) {
  CounterState& state = *static_cast<CounterState*>(self);
  Slot& slot = state.slots[state.slot_of[slot_index(event)]];
  Pattern& pattern = *slot.pattern;
  const std::uint64_t base = event.addresses[std::countr_zero(event.active)] & ~std::uint64_t{3};
  const std::uint32_t kind = kind_of(event);
  if (HWY_UNLIKELY(!matches(event, kind, base, pattern))) return on_new_pattern(state, event, kind, base);
  add_counts(event, base, pattern, slot);
}

engine::Observer observer_of(CounterState& state) { return {on_memory, &state}; }

}  // namespace lanescope::observe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lanescope::observe {
HWY_EXPORT(observer_of);

struct Counters::Impl {
  CounterState state;
};

Counters::Counters(std::uint32_t instructions) : impl_(new Impl{CounterState(instructions)}) {}
Counters::~Counters() = default;
Counters::Counters(Counters&&) noexcept = default;

engine::Observer Counters::observer() { return HWY_DYNAMIC_DISPATCH(observer_of)(impl_->state); }

namespace {

void add_slot(MemoryCounts& counts, const Slot& slot, engine::Space space) {
  const std::uint64_t* sums = slot.sums;
  counts.accesses += sums[0];
  counts.spaces |= static_cast<std::uint8_t>(1u << static_cast<unsigned>(space));
  counts.bytes = bytes_of(slot.kind);
  counts.access = access_of(slot.kind);
  switch (space) {
    case engine::Space::kGlobal:
      counts.sectors += sums[kSectors];
      counts.sectors_ideal += sums[kSectorsIdeal];
      counts.tags += sums[kTags];
      break;
    case engine::Space::kShared:
      counts.wavefronts += sums[kWavefronts];
      counts.wavefronts_ncu += sums[kWavefrontsNcu];
      counts.wavefronts_ideal += sums[kIdeal];
      counts.wavefronts_ideal_ncu += sums[kIdealNcu];
      counts.conflicts += sums[kConflicts];
      counts.estimate |= slot.estimate;
      break;
    case engine::Space::kLocal:
      counts.local_sectors += sums[kLocalSectors];
      break;
  }
}

}  // namespace

// A copy from global to shared memory has a slot in both spaces; the later, shared, gives its `access`.
std::vector<MemoryCounts> Counters::take() {
  CounterState& state = impl_->state;
  std::vector<MemoryCounts> rows(state.slot_of.size() / kSpaces);
  for (std::size_t i = 0; i < state.slot_of.size(); ++i) {
    if (state.slot_of[i] == 0) continue;
    add_slot(rows[i / kSpaces], state.slots[state.slot_of[i]], static_cast<engine::Space>(i % kSpaces));
  }
  state.reset();
  return rows;
}

void add(std::vector<MemoryCounts>& sum, const std::vector<MemoryCounts>& part) {
  if (sum.size() < part.size()) sum.resize(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    const MemoryCounts& from = part[i];
    if (from.accesses == 0) continue;
    MemoryCounts& to = sum[i];
    to.accesses += from.accesses;
    to.spaces |= from.spaces;
    to.bytes = from.bytes;
    to.access = from.access;
    to.estimate |= from.estimate;
    to.wavefronts += from.wavefronts;
    to.wavefronts_ncu += from.wavefronts_ncu;
    to.wavefronts_ideal += from.wavefronts_ideal;
    to.wavefronts_ideal_ncu += from.wavefronts_ideal_ncu;
    to.conflicts += from.conflicts;
    to.sectors += from.sectors;
    to.sectors_ideal += from.sectors_ideal;
    to.tags += from.tags;
    to.local_sectors += from.local_sectors;
  }
}

}  // namespace lanescope::observe
#endif
