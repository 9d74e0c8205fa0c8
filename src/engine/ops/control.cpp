// Branches, calls, exits, convergence and block barriers.
#include "engine/block.h"
#include "engine/externals.h"
#include "engine/launch_state.h"
#include "engine/ops/families.h"
#include "engine/ops/lanes.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

void control(MicroOp& op, Handler handler, bool always = false) {
  op.flow = Flow::kControl;
  op.full = op.masked = handler;
  op.always = always;
}

u32 index_of_target(const Instruction& in, const Builder& b) {
  return b.function_first + static_cast<u32>(in.target / 16);
}

// ---- BRA.

// Values of Modifier::kBranchKind. A uniform branch (1) is an ordinary one by a uniform predicate.
enum BranchKind : u32 { kByPredicate = 0, kUniform = 1, kIfDivergent = 2, kIfConvergent = 3, kIfAny = 4 };

// DIV, CONV: do the lanes that execute it lack some (have all) of the live lanes that a mask names? Then they branch.
// ANY: all active lanes branch when the predicate holds in one. None of them counts as divergent (measured).
void run_bra_together(Context& ctx, const MicroOp& op, u32 mask) {
  u32 taken = mask & predicate(ctx, op, 0);
  if (op.extra[0] == kIfAny) {
    taken = taken != 0 ? ctx.active : 0;
  } else {
    const u32 named = (source(ctx, op, 0)[0] ^ op.extra[1]) & ctx.warp->live;
    const bool together = (named & ~mask) == 0;
    if (together != (op.extra[0] == kIfConvergent)) taken = 0;
  }
  if (taken == 0) return;
  if (taken == ctx.active)
    ctx.warp->group().pc = op.target;
  else
    split(*ctx.warp, taken, op.target);
  ctx.outcome = Outcome::kReschedule;
}

bool lower_bra(const Instruction& in, MicroOp& op, Builder& b) {
  b.predicates(op, in);
  op.target = index_of_target(in, b);
  const u32 kind = in.modifier(Modifier::kBranchKind);
  if (kind == kByPredicate || kind == kUniform) {
    op.flow = Flow::kBranch;
    return true;
  }
  const sass::Operand& named = in.sources[0];
  b.source(op, 0, named);
  op.extra[0] = kind;
  op.extra[1] = named.kind == sass::OperandKind::kNone || named.inverted ? kAllLanes : 0;
  control(op, run_bra_together);
  return kind <= kIfAny;
}

// ---- Indirect branches: each lane has a target. One group a target; the lanes of the first go on running.

void branch_each(Context& ctx, const MicroOp& op, u32 mask, const u64* target) {
  Warp& warp = *ctx.warp;
  const u64 instructions = ctx.worker->launch->program->module->code.size();
  u32 stay = ctx.active & ~mask;  // lanes whose guard is false fall through
  u32 parts = stay != 0 ? 1 : 0;
  for (u32 rest = mask; rest != 0;) {
    const u64 to = target[first_lane(rest)];
    const u32 same = lanes_where([&](int l) { return target[l] == to; }) & rest;
    if (to % 16 != 0 || to / 16 >= instructions) stop_bad_code_address(ctx, op, static_cast<u32>(first_lane(same)), to);
    rest &= ~same;
    ++parts;
    if (stay == 0) {
      stay = same;
      warp.group().pc = static_cast<u32>(to / 16);
    } else {
      split(warp, same, static_cast<u32>(to / 16));
    }
  }
  if (parts > 1) ++ctx.worker->tally.divergent.data()[ctx.pc];
  ctx.outcome = Outcome::kReschedule;
}

// Target: immediate (a code address) + source 0, a 64-bit pair or one register.
void run_indirect(Context& ctx, const MicroOp& op, u32 mask) {
  const u32 taken = mask & predicate(ctx, op, 0);
  if (taken == 0) return;
  alignas(64) u64 target[kLanes];
  const u64 base = op.extra[0] | static_cast<u64>(op.extra[1]) << 32;
  const Pair offset = source64(ctx, op, 0);
  const u64 end = 16 * static_cast<u64>(ctx.worker->launch->program->module->code.size());
  for (int l = 0; l < kLanes; ++l) target[l] = base + offset[l];
  if ((lanes_where([&](int l) { return target[l] >= end; }) & taken) != 0) call_externals(ctx, op, taken, target);
  branch_each(ctx, op, taken, target);
}

// `relative`: the register's value counts from the start of the function. Otherwise the immediate, which decodes as a
// place behind the next instruction, is a code address by itself.
bool lower_indirect(const Instruction& in, MicroOp& op, Builder& b, bool relative) {
  b.source(op, 0, in.sources[0]);
  b.predicates(op, in);
  const bool has_immediate = in.target != 0;
  const i64 next = static_cast<i64>(in.offset) + 16;
  const i64 base = relative        ? 16 * static_cast<i64>(b.function_first) + in.target
                   : has_immediate ? in.target - next
                                   : 0;
  op.extra[0] = static_cast<u32>(base);
  op.extra[1] = static_cast<u32>(static_cast<u64>(base) >> 32);
  control(op, run_indirect);
  return true;
}

bool lower_ret(const Instruction& in, MicroOp& op, Builder& b) {
  return lower_indirect(in, op, b, in.modifier(Modifier::kAbsolute) == 0);
}
bool lower_brx(const Instruction& in, MicroOp& op, Builder& b) { return lower_indirect(in, op, b, true); }
bool lower_jmx(const Instruction& in, MicroOp& op, Builder& b) { return lower_indirect(in, op, b, false); }

// CALL: to a place in the function, or by register. The return address is in registers already.
bool lower_call(const Instruction& in, MicroOp& op, Builder& b) {
  if (in.sources[0].kind == sass::OperandKind::kRegister)
    return lower_indirect(in, op, b, in.modifier(Modifier::kAbsolute) == 0);
  if (in.modifier(Modifier::kAbsolute) != 0) return lower_indirect(in, op, b, false);  // it may be an external function
  b.predicates(op, in);
  op.flow = Flow::kBranch;
  op.target = index_of_target(in, b);
  return true;
}

// LEPC: the code address of a place.
struct Lepc {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    u32* d = destination(ctx, op);
    const u64 address = op.extra[0];
    set_row<kMasked>(d, mask, [&](int) { return static_cast<u32>(address); });
    set_row<kMasked>(d + kLanes, mask, [&](int) { return u32{0}; });
  }
};

bool lower_lepc(const Instruction& in, MicroOp& op, Builder& b) {
  b.destination(op, in.destination);
  op.extra[0] = 16 * b.function_first + static_cast<u32>(in.target);
  bind<Lepc>(op);
  return true;
}

// ---- EXIT.

void run_exit(Context& ctx, const MicroOp& op, u32 mask) {
  const u32 leaving = mask & predicate(ctx, op, 0);
  if (leaving == 0) return;
  exit_lanes(*ctx.warp, leaving);
  note_exit(*ctx.block, *ctx.warp);
  ctx.outcome = Outcome::kReschedule;
}

bool lower_exit(const Instruction& in, MicroOp& op, Builder& b) {
  b.predicates(op, in);
  control(op, run_exit);
  return true;
}

// ---- Convergence barriers.

struct Bssy {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    ctx.warp->convergence[op.extra[0]] |= mask;
  }
};

bool lower_bssy(const Instruction& in, MicroOp& op, Builder&) {
  op.extra[0] = in.barrier & 15;
  bind<Bssy>(op);
  return true;
}

// Lanes whose guard is false go on; the others wait.
template <class Arrive>
void wait_lanes(Context& ctx, u32 mask, Arrive arrive) {
  Warp& warp = *ctx.warp;
  if (mask != ctx.active) {
    const u32 next = warp.group().pc;
    split(warp, ctx.active & ~mask, next);
  }
  arrive(warp);
  ctx.outcome = Outcome::kReschedule;
}

void run_bsync(Context& ctx, const MicroOp& op, u32 mask) {
  wait_lanes(ctx, mask, [&](Warp& warp) { arrive_convergence(warp, static_cast<u8>(op.extra[0])); });
}

bool lower_bsync(const Instruction& in, MicroOp& op, Builder&) {
  op.extra[0] = in.barrier & 15;
  control(op, run_bsync);
  return true;
}

void run_break(Context& ctx, const MicroOp& op, u32 mask) {
  ctx.warp->convergence[op.extra[0]] &= ~(mask & predicate(ctx, op, 0));
  recheck(*ctx.warp);
  ctx.outcome = Outcome::kReschedule;
}

bool lower_break(const Instruction& in, MicroOp& op, Builder& b) {
  b.predicates(op, in);
  op.extra[0] = in.barrier & 15;
  control(op, run_break);
  return true;
}

// BMOV: a barrier's member list to a register (.CLEAR: and empty it), or back.
struct BmovToRegister {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 members = ctx.warp->convergence[op.extra[0]];
    set_row<kMasked>(destination(ctx, op), mask, [&](int) { return members; });
    if (op.extra[1] != 0) ctx.warp->convergence[op.extra[0]] = 0;
  }
};

void run_bmov_to_barrier(Context& ctx, const MicroOp& op, u32 mask) {
  ctx.warp->convergence[op.extra[0]] = source(ctx, op, 0)[first_lane(mask)];
  recheck(*ctx.warp);
  ctx.outcome = Outcome::kReschedule;
}

bool lower_bmov(const Instruction& in, MicroOp& op, Builder& b) {
  op.extra[0] = in.barrier & 15;
  op.extra[1] = in.modifier(Modifier::kClear);
  if (in.destination.kind == sass::OperandKind::kRegister) {
    b.destination(op, in.destination);
    bind<BmovToRegister>(op);
  } else {
    b.source(op, 0, in.sources[0]);
    control(op, run_bmov_to_barrier);
  }
  return true;
}

void run_warpsync(Context& ctx, const MicroOp& op, u32 mask) {
  const u32* named = source(ctx, op, 0);
  u32 masks[kLanes];
  for (int l = 0; l < kLanes; ++l) masks[l] = op.extra[0] != 0 ? kAllLanes : named[l];
  wait_lanes(ctx, mask, [&](Warp& warp) { arrive_warpsync(warp, masks, op.extra[1] != 0, op.target); });
}

bool lower_warpsync(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 0, in.sources[0]);
  op.extra[0] = in.modifier(Modifier::kSyncAll);
  op.target = index_of_target(in, b);
  op.extra[1] = in.modifier(Modifier::kCollective);
  control(op, run_warpsync);
  return true;
}

void run_endcollective(Context& ctx, const MicroOp&, u32) {
  end_collective(*ctx.warp);
  ctx.outcome = Outcome::kReschedule;
}

bool lower_endcollective(const Instruction&, MicroOp& op, Builder&) {
  control(op, run_endcollective);
  return true;
}

// Lets other groups and, as its slice is over, other warps run.
void run_yield(Context& ctx, const MicroOp&, u32) {
  give_way(*ctx.warp);
  ctx.outcome = Outcome::kReschedule;
}

bool lower_yield(const Instruction&, MicroOp& op, Builder&) {
  control(op, run_yield);
  return true;
}

// ---- Block barriers. kBarrierMode: 0 SYNC, 1 ARV, 2 RED; kBarrierReduction: 0 POPC, 1 AND, 2 OR. Source 0: number;
// source 1: threads (0: all).

void run_bar(Context& ctx, const MicroOp& op, u32 mask) {
  const int lane = first_lane(mask);
  const u32 id = source(ctx, op, 0)[lane] & 15, expected = source(ctx, op, 1)[lane] >> op.immediate & 0xfff;
  if (op.extra[0] == 1) {
    arrive_barrier(*ctx.block, *ctx.warp, id, expected, true);
    return;
  }
  const u32 votes = predicate(ctx, op, 0);
  wait_lanes(ctx, mask, [&](Warp& warp) {
    warp.group().votes = votes;
    warp.group().reduction = static_cast<Reduction>(op.extra[1]);
    arrive_barrier(*ctx.block, warp, id, expected, false);
  });
}

bool lower_bar(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 0, in.sources[0]);
  b.source(op, 1, in.sources[1]);
  b.predicates(op, in);
  // A register names both: the number in its low half, the threads in its high half.
  op.immediate = in.sources[1].kind == sass::OperandKind::kRegister ? 16 : 0;
  op.extra[0] = in.modifier(Modifier::kBarrierMode);
  op.extra[1] = in.modifier(Modifier::kBarrierReduction);
  if (op.extra[0] > 2 || op.extra[1] > 2) return false;
  control(op, run_bar);
  return true;
}

// B2R.RESULT: what BAR.RED found; the predicate is AND's or OR's, the register POPC's.
struct B2r {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 result = ctx.warp->barrier_result;
    set_row<kMasked>(destination(ctx, op), mask, [&](int) { return result; });
    set_predicate(ctx, op, 0, mask, result != 0 ? kAllLanes : 0);
  }
};

bool lower_b2r(const Instruction& in, MicroOp& op, Builder& b) {
  b.destination(op, in.destination);
  b.predicates(op, in);
  bind<B2r>(op);
  return true;
}

void run_trap(Context& ctx, const MicroOp& op, u32 mask) { stop_trap(ctx, op, static_cast<u32>(first_lane(mask))); }

// NANOSLEEP: time passes for others.
void run_nanosleep(Context& ctx, const MicroOp&, u32) {
  ctx.worker->order_dependent = true;
  give_way(*ctx.warp);
  ctx.outcome = Outcome::kReschedule;
}

bool lower_nanosleep(const Instruction&, MicroOp& op, Builder&) {
  control(op, run_nanosleep);
  return true;
}

bool lower_trap(const Instruction&, MicroOp& op, Builder&) {
  op.full = op.masked = run_trap;
  return true;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kBra, lower_bra},
    {isa::Executor::kBrx, lower_brx},
    {isa::Executor::kJmx, lower_jmx},
    {isa::Executor::kCall, lower_call},
    {isa::Executor::kRet, lower_ret},
    {isa::Executor::kLepc, lower_lepc},
    {isa::Executor::kExit, lower_exit},
    {isa::Executor::kBssy, lower_bssy},
    {isa::Executor::kBsync, lower_bsync},
    {isa::Executor::kBreak, lower_break},
    {isa::Executor::kBmov, lower_bmov},
    {isa::Executor::kWarpsync, lower_warpsync},
    {isa::Executor::kYield, lower_yield},
    {isa::Executor::kBar, lower_bar},
    {isa::Executor::kB2r, lower_b2r},
    {isa::Executor::kTrap, lower_trap},
    {isa::Executor::kNanosleep, lower_nanosleep},
    {isa::Executor::kEndcollective, lower_endcollective},
};

}  // namespace

std::span<const LowerEntry> control_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
