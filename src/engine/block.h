// Thread blocks: their warps, shared memory and barriers; and the worker thread that runs them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/launch.h"
#include "engine/microop.h"
#include "engine/warp.h"

namespace lanescope::engine {

// A block barrier (BAR): complete when the expected number of threads has arrived. Threads arrive by warps: one whose
// live lanes all wait counts as 32.
struct BlockBarrier {
  std::uint32_t expected = 0;       // threads; 0: all of the block
  std::uint32_t arrived = 0;        // threads that came by BAR.ARV, which does not wait
  std::uint32_t waiting_warps = 0;  // warps of which every live lane waits here
};

inline constexpr int kBlockBarriers = 16;

struct Block {
  std::uint32_t linear = 0;  // index in the grid
  Dim3 index;
  std::uint32_t threads = 0;
  std::vector<Warp> warps;
  std::uint32_t live_warps = 0;          // that have not exited
  std::unique_ptr<std::byte[]> storage;  // frames, then local memory, then shared memory
  std::uint8_t* shared = nullptr;
  BlockBarrier barriers[kBlockBarriers];
  std::uint64_t instructions = 0;  // warp instructions so far
  bool finished = false;
};

// Sums over the blocks of one worker; the launch adds the workers' up. Entries are by instruction of Module::code, one
// more than there are: a run of instructions first..last under one mask adds at first and subtracts at last + 1.
struct Tally {
  std::vector<std::int64_t> runs;         // executions
  std::vector<std::int64_t> run_threads;  // active lanes
  std::vector<std::uint64_t> off;         // active lanes whose guard was false
  std::vector<std::uint64_t> divergent;
};

// What all blocks of a launch share.
struct LaunchState;

struct Worker {
  LaunchState* launch = nullptr;
  Context context;
  Tally tally;
  std::vector<RangeCache> ranges;
  std::uint64_t instructions = 0;  // warp instructions
  std::uint64_t clock = 0;         // what SR_CLOCK reads: warp instructions of this worker
  bool order_dependent = false;
};

// Bar: arrival of the running group's lanes at barrier `id`. `expected` 0: all threads of the block. The group waits
// (or, for `arrive_only`, goes on); completed barriers release their groups.
void arrive_barrier(Block& block, Warp& warp, std::uint32_t id, std::uint32_t expected, bool arrive_only);
// After lanes of `warp` exited: barriers that waited for them may be complete.
void note_exit(Block& block, const Warp& warp);

enum class BlockState : std::uint8_t { kFinished, kPaused };

// Runs the block's warps in turn for about `budget` warp instructions or until it is finished. Throws DeviceStop.
BlockState run_block(Worker& worker, Block& block, std::uint64_t budget);

// All warps wait for each other.
[[noreturn]] void throw_deadlock(const Worker& worker, const Block& block);

// Thrown by handlers through the interpreter, caught by the worker. Faults are rare and can come from any depth.
struct DeviceStop {
  StopReason reason;
  std::uint32_t instruction;
  std::uint32_t lane;
  std::uint64_t address;
  std::string detail;
};

}  // namespace lanescope::engine
