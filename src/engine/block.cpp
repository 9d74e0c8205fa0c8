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

bool is_complete(const Block& block, const BlockBarrier& barrier) {
  if (barrier.waiting_warps == 0) return false;
  return barrier.expected == 0 ? barrier.waiting_warps == block.live_warps
                               : barrier.arrived + kLanes * barrier.waiting_warps >= barrier.expected;
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
    ++barrier.waiting_warps;
  }
  if (is_complete(block, barrier)) release(block, id);
}

void note_exit(Block& block, const Warp& warp) {
  if (warp.live == 0) --block.live_warps;
  for (std::uint32_t id = 0; id < kBlockBarriers; ++id) {
    // Lanes that waited for their own warp's others have become all of it.
    if (warp.live != 0 && waiting_lanes(warp, id) == warp.live) ++block.barriers[id].waiting_warps;
    if (is_complete(block, block.barriers[id])) release(block, id);
  }
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
