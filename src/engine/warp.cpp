#include "engine/warp.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace lanescope::engine {
namespace {

void remove_empty(Warp& warp) {
  Group* end = std::remove_if(warp.groups, warp.groups + warp.count, [](const Group& g) { return g.mask == 0; });
  warp.count = static_cast<std::uint32_t>(end - warp.groups);
}

void append(Warp& warp, const Group& group) { warp.groups[warp.count++] = group; }

// Takes the lanes of `release` out of the groups that `waits` selects and makes one new group of those at the same pc.
template <class Waits>
void merge(Warp& warp, std::uint32_t release, Waits waits) {
  Group merged[kLanes];
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < warp.count; ++i) {
    Group& group = warp.groups[i];
    const std::uint32_t lanes = waits(group) ? group.mask & release : 0;
    if (lanes == 0) continue;
    group.mask &= ~lanes;
    Group* same = std::find_if(merged, merged + count, [&](const Group& m) { return m.pc == group.pc; });
    if (same == merged + count)
      merged[count++] = Group{.mask = lanes, .pc = group.pc};
    else
      same->mask |= lanes;
  }
  remove_empty(warp);
  for (std::uint32_t i = 0; i < count; ++i) append(warp, merged[i]);
}

// A convergence barrier completes when every live member has arrived; only members go on. A member list can be swapped
// out (BMOV) while others wait: those wait until it is theirs again.
bool complete_convergence(Warp& warp, std::uint8_t barrier) {
  const auto waits = [&](const Group& g) { return g.wait == Wait::kConvergence && g.barrier == barrier; };
  std::uint32_t arrived = 0;
  for (std::uint32_t i = 0; i < warp.count; ++i)
    if (waits(warp.groups[i])) arrived |= warp.groups[i].mask;
  const std::uint32_t members = warp.convergence[barrier] & warp.live;
  if (arrived == 0 || (members & ~arrived) != 0) return false;
  const std::uint32_t release = members != 0 ? members : arrived;
  warp.convergence[barrier] &= ~release;
  merge(warp, release, waits);
  return true;
}

bool complete_warpsync(Warp& warp, std::uint32_t mask) {
  const auto waits = [&](const Group& g) { return g.wait == Wait::kWarpsync && g.sync_mask == mask; };
  std::uint32_t arrived = 0;
  for (std::uint32_t i = 0; i < warp.count; ++i)
    if (waits(warp.groups[i])) arrived |= warp.groups[i].mask;
  if (arrived == 0 || (mask & warp.live & ~arrived) != 0) return false;
  merge(warp, arrived, waits);
  return true;
}

bool complete_collective(Warp& warp, std::uint32_t mask, std::uint32_t pc) {
  const auto waits = [&](const Group& g) { return g.wait == Wait::kCollective && g.sync_mask == mask; };
  std::uint32_t arrived = 0;
  for (std::uint32_t i = 0; i < warp.count; ++i)
    if (waits(warp.groups[i])) arrived |= warp.groups[i].mask;
  if (arrived == 0 || (mask & warp.live & ~arrived) != 0) return false;
  for (std::uint32_t i = 0; i < warp.count; ++i) {
    Group& group = warp.groups[i];
    if (!waits(group)) continue;
    warp.parts[warp.part_count++] = {group.mask, group.resume};
    group.mask = 0;
  }
  remove_empty(warp);
  append(warp, Group{.mask = arrived, .pc = pc});
  return true;
}

}  // namespace

void start(Warp& warp, std::uint32_t lanes, std::uint32_t pc) {
  warp.count = 1;
  warp.running = 0;
  warp.live = lanes;
  warp.barrier_result = 0;
  warp.part_count = 0;
  std::fill(std::begin(warp.convergence), std::end(warp.convergence), 0u);
  warp.groups[0] = Group{.mask = lanes, .pc = pc};
}

int next_group(const Warp& warp) {
  for (int i = static_cast<int>(warp.count) - 1; i >= 0; --i)
    if (warp.groups[i].wait == Wait::kNone) return i;
  return -1;
}

void split(Warp& warp, std::uint32_t part, std::uint32_t pc) {
  warp.group().mask &= ~part;
  append(warp, Group{.mask = part, .pc = pc});
}

void give_way(Warp& warp) { std::rotate(warp.groups, warp.groups + warp.running, warp.groups + warp.running + 1); }

void exit_lanes(Warp& warp, std::uint32_t lanes) {
  warp.live &= ~lanes;
  for (std::uint32_t i = 0; i < warp.count; ++i) warp.groups[i].mask &= warp.live;
  remove_empty(warp);
  recheck(warp);
}

void arrive_convergence(Warp& warp, std::uint8_t barrier) {
  Group& group = warp.group();
  group.wait = Wait::kConvergence;
  group.barrier = barrier;
  complete_convergence(warp, barrier);
}

void arrive_warpsync(Warp& warp, const std::uint32_t* masks, bool collective, std::uint32_t resume) {
  const std::uint32_t pc = warp.group().pc;
  std::uint32_t rest = warp.group().mask;
  std::uint32_t distinct[kLanes], count = 0;
  warp.group().mask = 0;  // its lanes come back as groups of one mask each
  while (rest != 0) {
    const std::uint32_t mask = distinct[count++] = masks[std::countr_zero(rest)];
    std::uint32_t lanes = 0;
    for (std::uint32_t left = rest; left != 0; left &= left - 1)
      if (const int lane = std::countr_zero(left); masks[lane] == mask) lanes |= 1u << lane;
    rest &= ~lanes;
    append(warp, Group{.mask = lanes,
                       .pc = pc,
                       .wait = collective ? Wait::kCollective : Wait::kWarpsync,
                       .sync_mask = mask,
                       .resume = resume});
    if (rest != 0) remove_empty(warp);  // makes room; the order stays
  }
  remove_empty(warp);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (collective)
      complete_collective(warp, distinct[i], pc);
    else
      complete_warpsync(warp, distinct[i]);
  }
}

void end_collective(Warp& warp) {
  const std::uint32_t together = warp.group().mask;
  warp.group().mask = 0;
  remove_empty(warp);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < warp.part_count; ++i) {
    const Warp::Part part = warp.parts[i];
    if (const std::uint32_t lanes = part.mask & together; lanes != 0)
      append(warp, Group{.mask = lanes, .pc = part.resume});
    else
      warp.parts[kept++] = part;  // of another collective
  }
  warp.part_count = kept;
}

void recheck(Warp& warp) {
  for (std::uint32_t i = 0; i < warp.count; ++i) {
    const Group group = warp.groups[i];
    const bool completed = group.wait == Wait::kConvergence  ? complete_convergence(warp, group.barrier)
                           : group.wait == Wait::kWarpsync   ? complete_warpsync(warp, group.sync_mask)
                           : group.wait == Wait::kCollective ? complete_collective(warp, group.sync_mask, group.pc)
                                                             : false;
    if (completed) i = static_cast<std::uint32_t>(-1);  // the groups have moved: look again from the start
  }
}

}  // namespace lanescope::engine
