// Exchange between the lanes of a warp: shuffles, votes, matches and reductions.
#include "engine/ops/families.h"
#include "engine/ops/lanes.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

// ---- SHFL. kShuffleMode: 0 IDX, 1 UP, 2 DOWN, 3 BFLY. b is the lane or distance, c holds the clamp (bits 0-4) and the
// segment mask (bits 8-12), as in PTX. Predicate 0: the source lane was in range. An inactive source lane gives 0
// (measured: docs/results.md).
struct Shfl {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    const u32 mode = op.extra[0];
    alignas(64) u32 value[kLanes];
    const u32* a = source(ctx, op, 0);
    for (int l = 0; l < kLanes; ++l) value[l] = (mask >> l & 1) != 0 ? a[l] : 0;
    alignas(64) u32 from[kLanes];
    u32 in_range = 0;
    for (int l = 0; l < kLanes; ++l) {
      const u32 lane = static_cast<u32>(l), distance = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
      const u32 top = (lane & segment) | (clamp & ~segment), bottom = lane & segment;
      u32 j = 0;
      bool ok = false;
      switch (mode) {
        case 0:
          j = bottom | (distance & ~segment), ok = j <= top;
          break;
        case 1:
          j = lane - distance, ok = static_cast<i32>(j) >= static_cast<i32>(top);
          break;
        case 2:
          j = lane + distance, ok = j <= top;
          break;
        default:
          j = lane ^ distance, ok = j <= top;
          break;
      }
      from[l] = ok ? j & 31 : lane;
      in_range |= static_cast<u32>(ok) << l;
    }
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return value[from[l]]; });
    set_predicate(ctx, op, 0, mask, in_range);
  }
};

bool lower_shfl(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 3; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  b.predicates(op, in);
  op.extra[0] = in.modifier(Modifier::kShuffleMode);
  bind<Shfl>(op);
  return true;
}

// ---- VOTE: the ballot of predicate source 0, and its verdict. kVoteMode: 0 ALL, 1 ANY, 2 EQ.
struct Vote {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 ballot = predicate(ctx, op, 0) & mask;
    const bool all = ballot == mask, any = ballot != 0;
    const bool verdict = op.extra[0] == 0 ? all : op.extra[0] == 1 ? any : all || !any;
    u32* d = destination(ctx, op);
    if (op.extra[1] != 0)
      set_uniform(d, ballot);
    else
      set_row<kMasked>(d, mask, [&](int) { return ballot; });
    set_predicate(ctx, op, 0, op.extra[1] != 0 ? kAllLanes : mask, verdict ? kAllLanes : 0);
  }
};

bool lower_vote(const Instruction& in, MicroOp& op, Builder& b) {
  b.destination(op, in.destination);
  b.predicates(op, in);
  op.extra[0] = in.modifier(Modifier::kVoteMode);
  op.extra[1] = in.destination.kind == sass::OperandKind::kUniformRegister ? 1 : 0;
  if (op.extra[0] > 2) return false;
  bind<Vote>(op);
  return true;
}

// ---- MATCH.ANY: the lanes with this lane's value. MATCH.ALL: the active lanes when all have the same, else none.
struct Match {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const bool wide = (op.extra[0] & 1) != 0, all = (op.extra[0] & 2) != 0;
    const u32* a = source(ctx, op, 0);
    alignas(64) u64 value[kLanes];
    for (int l = 0; l < kLanes; ++l) value[l] = a[l] | (wide ? static_cast<u64>(a[l + kLanes]) << 32 : 0);
    u32* d = destination(ctx, op);
    if (all) {
      const u64 first = value[first_lane(mask)];
      const bool same = (lanes_where([&](int l) { return value[l] != first; }) & mask) == 0;
      set_row<true>(d, mask, [&](int) { return same ? mask : 0; });
      set_predicate(ctx, op, 0, mask, same ? kAllLanes : 0);
    } else {
      for (u32 rest = mask; rest != 0;) {
        const u64 one = value[first_lane(rest)];
        const u32 equal = lanes_where([&](int l) { return value[l] == one; }) & rest;
        for_lanes(equal, [&](int l) { d[l] = equal; });
        rest &= ~equal;
      }
    }
  }
};

bool lower_match(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 0, in.sources[0]);
  b.destination(op, in.destination);
  b.predicates(op, in);
  op.extra[0] = in.modifier(Modifier::kWide) | in.modifier(Modifier::kMatchAll) << 1;
  bind<Match>(op);
  return true;
}

// ---- REDUX: a reduction over the active lanes into a uniform register. kReduction: 0 AND, 1 OR, 2 XOR, 3 SUM, 4 MIN,
// 5 MAX.
struct Redux {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32* a = source(ctx, op, 0);
    const u32 how = op.extra[0];
    const bool is_signed = op.extra[1] != 0;
    u32 total = a[first_lane(mask)];
    for_lanes(mask & (mask - 1), [&](int l) {
      const u32 v = a[l];
      const bool less = is_signed ? static_cast<i32>(v) < static_cast<i32>(total) : v < total;
      switch (how) {
        case 0:
          total &= v;
          break;
        case 1:
          total |= v;
          break;
        case 2:
          total ^= v;
          break;
        case 3:
          total += v;
          break;
        case 4:
          total = less ? v : total;
          break;
        default:
          total = less ? total : v;
          break;
      }
    });
    set_uniform(destination(ctx, op), total);
  }
};

bool lower_redux(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 0, in.sources[0]);
  b.destination(op, in.destination);
  op.extra[0] = in.modifier(Modifier::kReduction);
  op.extra[1] = in.modifier(Modifier::kSigned);
  if (op.extra[0] > 5) return false;
  bind<Redux>(op);
  return true;
}

// ELECT: predicate 0 in the first active lane only; the destination gets its number.
struct Elect {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 eligible = mask & predicate(ctx, op, 0);
    const u32 leader = eligible & (0u - eligible);
    set_uniform(destination(ctx, op), eligible == 0 ? 0 : static_cast<u32>(first_lane(eligible)));
    set_predicate(ctx, op, 0, mask, leader);
  }
};

bool lower_elect(const Instruction& in, MicroOp& op, Builder& b) {
  b.destination(op, in.destination);
  b.predicates(op, in);
  bind<Elect>(op);
  return true;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kShfl, lower_shfl},   {isa::Executor::kVote, lower_vote},   {isa::Executor::kMatch, lower_match},
    {isa::Executor::kRedux, lower_redux}, {isa::Executor::kElect, lower_elect},
};

}  // namespace

std::span<const LowerEntry> warp_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
