// From lane addresses to host memory: bounds, alignment, spaces, and the event that observers get.
#pragma once

#include "engine/block.h"
#include "engine/launch_state.h"
#include "engine/ops/lanes.h"

namespace lanescope::engine {

// Out of line (ops/access.cpp), for what is rare. Both stop the launch when a lane's access is not allowed.
// Fills host[] for the lanes of `mask`, and the range cache when one allocation holds them all.
void reach_global_slowly(Context& ctx, const MicroOp& op, std::uint32_t mask, const std::uint64_t* address,
                         std::uint32_t bytes, std::uint64_t* host);
[[noreturn]] void stop_bad_window_access(const Context& ctx, const MicroOp& op, std::uint32_t lane,
                                         std::uint32_t offset, std::uint32_t bytes, bool shared);

}  // namespace lanescope::engine

namespace lanescope::engine::LANESCOPE_TARGET {

struct alignas(64) Addresses {
  u64 lane[kLanes];
};

LS_INLINE void notify(Context& ctx, const MicroOp& op, u32 mask, Space space, Access access, u32 bytes,
                      const u64* addresses, u32 matrices = 0) {
  if (ctx.observer.memory == nullptr) return;
  MemoryEvent event;
  event.instruction = static_cast<u32>(&op - ctx.worker->launch->program->code.data());
  event.active = mask;
  event.block = ctx.block->linear;
  event.warp = ctx.warp->index;
  event.space = space;
  event.access = access;
  event.bytes = static_cast<u8>(bytes);
  event.matrices = static_cast<u8>(matrices);
  event.addresses = addresses;
  ctx.observer.memory(ctx.observer.self, event);
}

// How an address is formed: MicroOp::extra[1] of memory operations.
enum AddressFlags : u32 {
  kBaseWide = 1,     // source 0 is a 64-bit pair
  kUniformWide = 2,  // source 1 (a uniform register) is one too
  kHasUniform = 4,
};

// base + uniform + offset, 64 bits.
LS_INLINE void form_addresses(const Context& ctx, const MicroOp& op, Addresses& out) {
  const u32 flags = op.extra[1];
  const u64 offset = static_cast<u64>(static_cast<i64>(op.immediate));
  u64 uniform = offset;
  if ((flags & kHasUniform) != 0)
    uniform += (flags & kUniformWide) != 0 ? source64(ctx, op, 1)[0] : source(ctx, op, 1)[0];
  if ((flags & kBaseWide) != 0) {
    const Pair base = source64(ctx, op, 0);
    for (int l = 0; l < kLanes; ++l) out.lane[l] = base[l] + uniform;
  } else {
    const u32* base = source(ctx, op, 0);
    for (int l = 0; l < kLanes; ++l) out.lane[l] = base[l] + uniform;
  }
}

// The 32-bit form, of shared and local addresses.
LS_INLINE void form_offsets(const Context& ctx, const MicroOp& op, u32* out) {
  const u32* base = source(ctx, op, 0);
  const u32 uniform = static_cast<u32>(op.immediate) + source(ctx, op, 1)[0];
  for (int l = 0; l < kLanes; ++l) out[l] = base[l] + uniform;
}

// Global: host addresses of `mask`'s lanes.
LS_INLINE void reach_global(Context& ctx, const MicroOp& op, u32 mask, const Addresses& address, u32 bytes,
                            Addresses& host) {
  const RangeCache& range = ctx.ranges[op.slot];
  const u64 low = range.low, starts = range.starts, align = bytes - 1;
  const u64 delta = reinterpret_cast<u64>(range.view) - low;
  alignas(64) i32 bad[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const u64 a = address.lane[l];
    bad[l] = (a - low >= starts) | ((a & align) != 0) ? -1 : 0;
    host.lane[l] = a + delta;
  }
  if ((pack(bad) & mask) != 0) [[unlikely]]
    reach_global_slowly(ctx, op, mask, address.lane, bytes, host.lane);
}

// Shared: the window's offsets (the block's rank in its cluster taken off), checked. Returns false when all is well.
LS_INLINE void reach_shared(Context& ctx, const MicroOp& op, u32 mask, u32* offset, u32 bytes) {
  const u32 rank = ctx.shared_rank << 24, end = ctx.shared_bytes, align = bytes - 1;
  alignas(64) i32 bad[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    offset[l] -= rank;
    bad[l] = (offset[l] + bytes > end) | (offset[l] >= end) | ((offset[l] & align) != 0) ? -1 : 0;
  }
  if (const u32 lanes = pack(bad) & mask; lanes != 0) [[unlikely]] {
    const u32 lane = static_cast<u32>(first_lane(lanes));
    stop_bad_window_access(ctx, op, lane, offset[lane], bytes, true);
  }
}

LS_INLINE void reach_local(Context& ctx, const MicroOp& op, u32 mask, u32* offset, u32 bytes) {
  const u32 end = ctx.local_bytes, align = bytes - 1;
  alignas(64) i32 bad[kLanes];
  for (int l = 0; l < kLanes; ++l)
    bad[l] = (offset[l] + bytes > end) | (offset[l] >= end) | ((offset[l] & align) != 0) ? -1 : 0;
  if (const u32 lanes = pack(bad) & mask; lanes != 0) [[unlikely]] {
    const u32 lane = static_cast<u32>(first_lane(lanes));
    stop_bad_window_access(ctx, op, lane, offset[lane], bytes, false);
  }
}

LS_INLINE void widen(const u32* offset, Addresses& out) {
  for (int l = 0; l < kLanes; ++l) out.lane[l] = offset[l];
}

// Local memory is interleaved: word w of lane l lies at (32 w + l) * 4.
LS_INLINE u64 local_place(u32 offset, int lane) {
  return (static_cast<u64>(offset >> 2) * kLanes + static_cast<u64>(lane)) * 4 + (offset & 3);
}

}  // namespace lanescope::engine::LANESCOPE_TARGET
