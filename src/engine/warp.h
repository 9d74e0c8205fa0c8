// Warps: groups of lanes that run together, and how they split and meet again.
//
// A group splits at a branch that some of its active lanes take and others don't. Groups at the same instruction do not
// merge by themselves: only a completed BSYNC or WARPSYNC makes one group of its lanes (measured:
// tests/truth/divergence). The group that split off last runs until it blocks.
#pragma once

#include <cstdint>

#include "engine/microop.h"

namespace lanescope::engine {

enum class Wait : std::uint8_t { kNone, kConvergence, kWarpsync, kCollective, kBarrier };

enum class Reduction : std::uint8_t { kCount, kAll, kAny };  // of the predicates at BAR.RED

struct Group {
  std::uint32_t mask = 0;
  std::uint32_t pc = 0;  // the next instruction to run, also while waiting
  Wait wait = Wait::kNone;
  std::uint8_t barrier = 0;     // B0-B15 or the number of the block barrier
  std::uint32_t sync_mask = 0;  // kWarpsync, kCollective
  std::uint32_t resume = 0;     // kCollective: where the group goes on afterwards
  std::uint32_t votes = 0;      // BAR.RED: the lanes' predicates
  Reduction reduction = Reduction::kCount;
};

struct Warp {
  Group groups[kLanes];
  std::uint32_t count = 0;    // groups in use; the last one that does not wait runs
  std::uint32_t running = 0;  // index of the running group
  std::uint32_t live = 0;     // lanes that exist and have not exited
  std::uint32_t convergence[16] = {};
  // The groups that run collectives together with others, and where each goes on after it.
  struct Part {
    std::uint32_t mask, resume;
  };
  Part parts[kLanes];
  std::uint32_t part_count = 0;
  std::uint32_t barrier_result = 0;  // of the last BAR.RED: the count, or 1 for true
  std::uint32_t index = 0;           // in its block
  std::byte* frame = nullptr;
  std::uint8_t* local = nullptr;

  Group& group() { return groups[running]; }
};

void start(Warp& warp, std::uint32_t lanes, std::uint32_t pc);

// The index of the group to run: the latest that does not wait, or -1.
int next_group(const Warp& warp);

// Splits `part` off the running group as a new group that starts at `pc`; the rest stays.
void split(Warp& warp, std::uint32_t part, std::uint32_t pc);

// Lets the oldest runnable group run before the others (YIELD, spinning).
void give_way(Warp& warp);

// Ends `lanes` of the running group; other groups that waited for them may go on.
void exit_lanes(Warp& warp, std::uint32_t lanes);

// The running group has arrived at the convergence barrier at its pc - 1.
void arrive_convergence(Warp& warp, std::uint8_t barrier);
// WARPSYNC: each lane of the running group waits for the lanes of its own mask. With `collective`, when the lanes of a
// mask have all reached one, whichever, what follows the last group's runs once for all of them, up to ENDCOLLECTIVE;
// then each group goes on at its own `resume`.
void arrive_warpsync(Warp& warp, const std::uint32_t* masks, bool collective, std::uint32_t resume);
void end_collective(Warp& warp);
// After convergence[] changed (BREAK, BMOV).
void recheck(Warp& warp);

}  // namespace lanescope::engine
