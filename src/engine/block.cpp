#include "engine/block.h"

#include <algorithm>
#include <bit>

#include "engine/launch_state.h"

namespace lanescope::engine {
namespace {

// Long enough to amortise switching, short enough that a spinning warp soon gives way to the one it waits for.
constexpr std::uint64_t kWarpSlice = 1 << 16;
constexpr std::uint64_t kGroupSlice = 1 << 13;

bool waits_at(const Group& group, std::uint32_t id) { return group.wait == Wait::kBarrier && group.barrier == id; }

std::uint32_t waiting_lanes(const Warp& warp, std::uint32_t id) {
  std::uint32_t lanes = 0;
  for (std::uint32_t i = 0; i < warp.count; ++i)
    if (waits_at(warp.groups[i], id)) lanes |= warp.groups[i].mask;
  return lanes;
}

// Threads arrive by warps: a warp whose live lanes all wait counts as 32.
bool is_complete(const Block& block, std::uint32_t id) {
  const BlockBarrier& barrier = block.barriers[id];
  std::uint32_t arrived = barrier.arrived;
  bool all = true;
  bool any = false;
  for (const Warp& warp : block.warps) {
    const std::uint32_t waiting = waiting_lanes(warp, id);
    any |= waiting != 0;
    if (warp.live != 0 && waiting == warp.live)
      arrived += kLanes;
    else
      all &= warp.live == 0;
  }
  return any && (barrier.expected == 0 ? all : arrived >= barrier.expected);
}

void release(Block& block, std::uint32_t id) {
  std::uint32_t yes = 0, no = 0;
  const auto for_waiting = [&](auto visit) {
    for (Warp& warp : block.warps)
      for (std::uint32_t i = 0; i < warp.count; ++i)
        if (waits_at(warp.groups[i], id)) visit(warp, warp.groups[i]);
  };
  for_waiting([&](const Warp&, const Group& group) {
    yes += static_cast<std::uint32_t>(std::popcount(group.mask & group.votes));
    no += static_cast<std::uint32_t>(std::popcount(group.mask & ~group.votes));
  });
  for_waiting([&](Warp& warp, Group& group) {
    group.wait = Wait::kNone;
    warp.barrier_result = group.reduction == Reduction::kCount ? yes
                          : group.reduction == Reduction::kAll ? no == 0
                                                               : yes != 0;
  });
  block.barriers[id] = BlockBarrier{};
}

std::uint64_t run_warp(Worker& worker, Block& block, Warp& warp) {
  Context& ctx = worker.context;
  ctx.warp = &warp;
  ctx.base[0] = warp.frame;
  ctx.local = warp.local;
  std::uint64_t spent = 0;
  while (spent < kWarpSlice) {
    const int group = next_group(warp);
    if (group < 0) break;
    warp.running = static_cast<std::uint32_t>(group);
    const std::uint64_t instructions = worker.launch->program->target->run_group(ctx, kGroupSlice);
    spent += instructions;
    if (instructions >= kGroupSlice && warp.count > 1 && warp.running < warp.count) give_way(warp);
  }
  block.instructions += spent;
  worker.instructions += spent;
  return spent;
}

}  // namespace

void arrive_barrier(Block& block, Warp& warp, std::uint32_t id, std::uint32_t expected, bool arrive_only) {
  BlockBarrier& barrier = block.barriers[id];
  if (expected != 0) barrier.expected = expected;
  if (arrive_only) {
    barrier.arrived += kLanes;
  } else {
    warp.group().wait = Wait::kBarrier;
    warp.group().barrier = static_cast<std::uint8_t>(id);
    if (waiting_lanes(warp, id) != warp.live) return;
  }
  if (is_complete(block, id)) release(block, id);
}

void recheck_barriers(Block& block) {
  for (std::uint32_t id = 0; id < kBlockBarriers; ++id)
    if (is_complete(block, id)) release(block, id);
}

BlockState run_block(Worker& worker, Block& block, std::uint64_t budget) {
  Context& ctx = worker.context;
  ctx.block = &block;
  ctx.shared = block.shared;
  std::uint64_t spent = 0;
  while (spent < budget) {
    std::uint64_t round = 0;
    bool live = false;
    for (Warp& warp : block.warps) {
      if (warp.live != 0) round += run_warp(worker, block, warp);
      live |= warp.live != 0;
    }
    spent += round;
    if (!live) {
      block.finished = true;
      return BlockState::kFinished;
    }
    if (round == 0) throw_deadlock(worker, block);
  }
  return BlockState::kPaused;
}

}  // namespace lanescope::engine
