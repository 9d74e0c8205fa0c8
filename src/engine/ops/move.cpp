// Moves, selection, special registers, and transfers between register files.
#include <time.h>

#include "engine/block.h"
#include "engine/launch_state.h"
#include "engine/ops/families.h"
#include "engine/ops/lanes.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

struct Move {
  static u32 of(u32 v) { return v; }
};

bool lower_mov(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 1, in.sources[0]);
  b.destination(op, in.destination);
  bind<Unary<Move>>(op);
  return true;
}

// SEL: a where predicate source 0 holds, else b.
struct Sel {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const u32 p = predicate(ctx, op, 0), ma = op.extra[0], mb = op.extra[1];
    set_row<kMasked>(destination(ctx, op), mask,
                     [&](int l) { return (p >> l & 1) != 0 ? (a[l] ^ ma) - ma : (b[l] ^ mb) - mb; });
  }
};

bool lower_sel(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  b.predicates(op, in);
  for (int i = 0; i < 2; ++i) op.extra[i] = in.sources[i].negated ? kAllLanes : 0;
  bind<Sel>(op);
  return true;
}

// ---- Special registers, by their SR_ number.

enum Special : u32 {
  kLaneId = 0x00,
  kClock = 0x01,
  kVirtualId = 0x03,
  kTid = 0x20,
  kTidX = 0x21,
  kTidY = 0x22,
  kTidZ = 0x23,
  kCtaidX = 0x25,
  kCtaidY = 0x26,
  kCtaidZ = 0x27,
  kNtid = 0x28,
  kLocalWindowHigh = 0x2e,
  kSharedWindowHigh = 0x2f,
  kSharedWindowLow = 0x30,
  kSharedSize = 0x32,
  kLocalWindowLow = 0x34,
  kEqMask = 0x38,
  kLtMask = 0x39,
  kLeMask = 0x3a,
  kGtMask = 0x3b,
  kGeMask = 0x3c,
  kVirtualSm = 0x43,
  kClockLow = 0x50,
  kClockHigh = 0x51,
  kTimerLow = 0x52,
  kTimerHigh = 0x53,
  kCgaCtaId = 0x88,
  kCgaSize = 0x8a,
  kZero = 0xff,
};

// The value of a register that is the same in all lanes. Clocks count warp instructions; whoever reads them depends on
// timing.
u64 uniform_special(Context& ctx, u32 number) {
  const Block& block = *ctx.block;
  const LaunchRequest& request = *ctx.worker->launch->request;
  switch (number) {
    case kCtaidX:
      return block.index.x;
    case kCtaidY:
      return block.index.y;
    case kCtaidZ:
      return block.index.z;
    case kNtid:
      return request.block.count();
    case kLocalWindowHigh:
      return kLocalWindow >> 32;
    case kSharedWindowHigh:
      return kSharedWindow >> 32;
    case kSharedSize:
      return ctx.shared_bytes;
    case kVirtualId:
      return ctx.warp->index << 8;
    case kCgaCtaId:
      return ctx.shared_rank;
    case kCgaSize:
      return request.cluster.count();
    case kClock:
    case kClockLow:
    case kClockHigh: {
      ctx.worker->order_dependent = true;
      const u64 now = ctx.worker->instructions + ++ctx.worker->clock;
      return number == kClockHigh ? now >> 32 : now;
    }
    case kTimerLow:
    case kTimerHigh: {
      ctx.worker->order_dependent = true;
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      const u64 nanoseconds = static_cast<u64>(now.tv_sec) * 1000000000u + static_cast<u64>(now.tv_nsec);
      return number == kTimerHigh ? nanoseconds >> 32 : nanoseconds;
    }
    default:
      return 0;
  }
}

bool is_known_special(u32 number) {
  switch (number) {
    case kLaneId:
    case kClock:
    case kVirtualId:
    case kTid:
    case kTidX:
    case kTidY:
    case kTidZ:
    case kCtaidX:
    case kCtaidY:
    case kCtaidZ:
    case kNtid:
    case kLocalWindowHigh:
    case kSharedWindowHigh:
    case kSharedWindowLow:
    case kSharedSize:
    case kLocalWindowLow:
    case kEqMask:
    case kLtMask:
    case kLeMask:
    case kGtMask:
    case kGeMask:
    case kVirtualSm:
    case kClockLow:
    case kClockHigh:
    case kTimerLow:
    case kTimerHigh:
    case kCgaCtaId:
    case kCgaSize:
    case kZero:
      return true;
    default:
      return false;
  }
}

LS_INLINE void thread_index(const Context& ctx, u32 number, u32* out) {
  const Dim3 dim = ctx.worker->launch->request->block;
  const u32 first = ctx.warp->index * kLanes;
  u32 x = first % dim.x, y = first / dim.x % dim.y, z = first / dim.x / dim.y;
  for (int l = 0; l < kLanes; ++l) {
    out[l] = number == kTidX ? x : number == kTidY ? y : number == kTidZ ? z : x | y << 16 | z << 26;
    if (++x == dim.x) {
      x = 0;
      if (++y == dim.y) y = 0, ++z;
    }
  }
}

LS_INLINE u32 lane_special(u32 number, int lane) {
  const u32 bit = 1u << lane;
  switch (number) {
    case kEqMask:
      return bit;
    case kLtMask:
      return bit - 1;
    case kLeMask:
      return bit | (bit - 1);
    case kGtMask:
      return ~(bit | (bit - 1));
    case kGeMask:
      return ~(bit - 1);
    default:
      return static_cast<u32>(lane);
  }
}

template <bool kWide>
struct S2r {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 number = op.extra[0];
    u32* d = destination(ctx, op);
    if (number >= kTid && number <= kTidZ) {
      alignas(64) u32 value[kLanes];
      thread_index(ctx, number, value);
      set_row<kMasked>(d, mask, [&](int l) { return value[l]; });
    } else if (number == kLaneId || (number >= kEqMask && number <= kGeMask)) {
      set_row<kMasked>(d, mask, [&](int l) { return lane_special(number, l); });
    } else {
      const u64 value = uniform_special(ctx, number);
      set_row<kMasked>(d, mask, [&](int) { return static_cast<u32>(value); });
      if constexpr (kWide) set_row<kMasked>(d + kLanes, mask, [&](int) { return static_cast<u32>(value >> 32); });
    }
  }
};

template <bool kWide>
bool lower_special(const Instruction& in, MicroOp& op, Builder& b) {
  if (!is_known_special(in.special)) return false;
  b.destination(op, in.destination);
  op.extra[0] = in.special;
  const bool wide = kWide && in.modifier(Modifier::kWide) != 0;
  wide ? bind<S2r<true>>(op) : bind<S2r<false>>(op);
  return true;
}

// ---- R2P, P2R: predicates as bits. extra[0]: bits to shift (the byte), predicate sources do not matter.

struct R2p {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *which = source(ctx, op, 1);
    const u32 shift = op.extra[0];
    for (u32 i = 0; i < 7; ++i) {
      const u32 chosen = lanes_where([&](int l) { return (which[l] >> i & 1) != 0; }) & mask;
      const u32 bits = lanes_where([&](int l) { return (a[l] >> (i + shift) & 1) != 0; });
      u32& p = ctx.header().predicate[i];
      p = (p & ~chosen) | (bits & chosen);
    }
  }
};

bool lower_r2p(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  op.extra[0] = 8 * in.modifier(Modifier::kByte);
  bind<R2p>(op);
  return true;
}

// P2R: d = a with its byte's bits that b names replaced by the predicates.
struct P2r {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *which = source(ctx, op, 1);
    const u32 shift = op.extra[0];
    const FrameHeader header = ctx.header();
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      u32 bits = 0;
      for (u32 i = 0; i < 8; ++i) bits |= (header.predicate[i] >> l & 1) << i;
      const u32 chosen = (which[l] & 0xff) << shift;
      return (a[l] & ~chosen) | (bits << shift & chosen);
    });
  }
};

bool lower_p2r(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  op.extra[0] = 8 * in.modifier(Modifier::kByte);
  bind<P2r>(op);
  return true;
}

// R2UR: the value of the first active lane; predicate 0: this lane has the same.
struct R2ur {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32* a = source(ctx, op, 0);
    const u32 value = a[first_lane(mask)];
    set_predicate(ctx, op, 0, mask, lanes_where([&](int l) { return a[l] == value; }));
    set_uniform(destination(ctx, op), value);
  }
};

bool lower_r2ur(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 0, in.sources[0]);
  b.destination(op, in.destination);
  b.predicates(op, in);
  bind<R2ur>(op);
  return true;
}

void nothing(Context&, const MicroOp&, u32) {}

bool lower_nop(const Instruction&, MicroOp& op, Builder&) {
  op.full = op.masked = nothing;
  return true;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kMov, lower_mov},
    {isa::Executor::kSel, lower_sel},
    {isa::Executor::kS2r, lower_special<false>},
    {isa::Executor::kCs2r, lower_special<true>},
    {isa::Executor::kR2p, lower_r2p},
    {isa::Executor::kP2r, lower_p2r},
    {isa::Executor::kR2ur, lower_r2ur},
    {isa::Executor::kNop, lower_nop},
};

}  // namespace

std::span<const LowerEntry> move_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
