// What the engine tells its observers: one event a warp memory instruction. The engine knows no analysis.
#pragma once

#include <cstdint>

namespace lanescope::engine {

enum class Space : std::uint8_t { kGlobal, kShared, kLocal };

enum class Access : std::uint8_t {
  kLoad,
  kStore,
  kAtomic,     // returns the old value
  kReduction,  // returns nothing
  kCompareSwap,
  kCompareSwapSpin,   // ATOMS.CAST.SPIN: a retry loop, its count depends on timing
  kIncrement,         // ATOMS.POPC.INC
  kMatrixLoad,        // LDSM: `matrices` groups of 8 lanes, 16 bytes a row
  kMatrixStore,       // STSM
  kAsyncRead,         // LDGSTS, its global source
  kAsyncWrite,        // LDGSTS, its shared destination
  kAsyncWriteBypass,  // LDGSTS.BYPASS (cp.async.cg), its shared destination
};

// Lifetime: the call only. A generic access makes one event for each space that its lanes reach.
struct MemoryEvent {
  std::uint32_t instruction = 0;  // index into Module::code
  std::uint32_t active = 0;       // lanes that access; never 0
  std::uint32_t block = 0;        // linear block index
  std::uint32_t warp = 0;         // in the block
  Space space = Space::kGlobal;
  Access access = Access::kLoad;
  std::uint8_t bytes = 4;                    // a lane
  std::uint8_t matrices = 0;                 // 1, 2 or 4 for LDSM and STSM
  const std::uint64_t* addresses = nullptr;  // [32]; inactive lanes hold anything. Global: device address; shared: byte
                                             // offset in the block's window; local: byte offset in the thread's stack.
};

// A plain callback, so that the hot path has no virtual call. One observer a worker thread.
struct Observer {
  void (*memory)(void* self, const MemoryEvent& event) = nullptr;  // null: nobody listens
  void* self = nullptr;
};

}  // namespace lanescope::engine
