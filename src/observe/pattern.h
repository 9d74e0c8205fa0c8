// Patterns of access, and the counts that they have: what lets the counters ask the memory model once and then add.
//
// A count does not change when all lanes' addresses move together by a multiple of 4 bytes in shared or local memory,
// or of 128 bytes in global memory. So a pattern is the lanes' distances from the first active lane's word; for global
// memory its counts stand once for each of the 32 positions that this word can have in its 128-byte line.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/events.h"

namespace lanescope::observe {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kSpaces = 3;
inline constexpr unsigned kSums = 6;
inline constexpr unsigned kPhases = 32;  // of a word in a 128-byte line

// Indices of Pattern::step and Slot::sums; [0] counts accesses in every space.
enum SharedSum : unsigned { kWavefronts = 1, kWavefrontsNcu, kIdeal, kIdealNcu, kConflicts };
enum GlobalSum : unsigned { kSectors = 1, kSectorsIdeal, kTags };
enum LocalSum : unsigned { kLocalSectors = 1 };

// Everything about an event but its addresses and lanes.
inline std::uint32_t kind_of(const engine::MemoryEvent& event) {
  return static_cast<std::uint32_t>(event.space) | static_cast<std::uint32_t>(event.access) << 8 |
         std::uint32_t{event.bytes} << 16 | std::uint32_t{event.matrices} << 24;
}

inline engine::Access access_of(std::uint32_t kind) { return static_cast<engine::Access>(kind >> 8 & 0xff); }
inline std::uint8_t bytes_of(std::uint32_t kind) { return static_cast<std::uint8_t>(kind >> 16); }

struct alignas(64) Pattern {
  std::uint32_t active = 0;  // 0: no pattern yet; no event is equal to it
  std::uint32_t kind = 0;
  alignas(16) std::uint64_t step[kSums] = {};  // shared and local: what one access adds
  bool estimate = false;
  alignas(64) std::uint64_t offset[kLanes] = {};  // bytes from the first active lane's word; inactive lanes: 0
  struct Phase {
    std::uint8_t sectors = 0;  // 0: not asked for yet
    std::uint8_t ideal = 0;
    std::uint8_t tags = 0;
  };
  Phase phase[kPhases];  // global
};

// Asks the memory model. `event` is the pattern's own.
void fill_step(Pattern& pattern, const engine::MemoryEvent& event);
Pattern::Phase phase_of(const engine::MemoryEvent& event);

// The sums of one instruction in one space.
struct alignas(64) Slot {
  std::uint64_t sums[kSums] = {};
  Pattern* pattern = nullptr;  // of the last access
  std::uint32_t kind = 0;
  bool estimate = false;  // one of its patterns' counts is one
};

inline std::size_t slot_index(const engine::MemoryEvent& event) {
  return std::size_t{event.instruction} * kSpaces + static_cast<unsigned>(event.space);
}

// Of one worker.
struct CounterState {
  static constexpr unsigned kPatterns = 512;  // a power of two: a direct-mapped table of 224 KB, for a core's own cache

  explicit CounterState(std::uint32_t instructions);

  // The event's slot, made where there is none.
  Slot& slot_for(const engine::MemoryEvent& event, std::uint32_t kind);
  void reset();

  std::vector<std::uint32_t> slot_of;   // [slot_index()]; 0: none yet
  std::vector<Slot> slots;              // slots[0] belongs to nobody
  std::unique_ptr<Pattern[]> patterns;  // [kPatterns] is an empty one, which slots[0] has
};

}  // namespace lanescope::observe
