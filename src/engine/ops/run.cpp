// The interpreter's loop.
#include "engine/block.h"
#include "engine/launch_state.h"
#include "engine/ops/families.h"
#include "engine/ops/lanes.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

// Adds the run of instructions [first, end) of one mask to the tally.
LS_INLINE void add_run(Tally& tally, u64 first, u64 end, u32 active) {
  const i64 threads = __builtin_popcount(active);
  ++tally.runs.data()[first];
  --tally.runs.data()[end];
  tally.run_threads.data()[first] += threads;
  tally.run_threads.data()[end] -= threads;
}

}  // namespace

u64 run_group(Context& ctx, u64 budget) {
  Worker& worker = *ctx.worker;
  Tally& tally = worker.tally;
  const MicroOp* const code = worker.launch->program->code.data();
  u64* const off = tally.off.data();
  const u32* const predicate = ctx.header().predicate;
  Group& group = ctx.warp->group();
  const u32 active = group.mask;
  ctx.active = active;
  ctx.first = group.pc;
  const MicroOp* op = code + group.pc;
  const MicroOp* first = op;
  u64 spent = 0;
  const auto end_run = [&](const MicroOp* end) {
    add_run(tally, static_cast<u64>(first - code), static_cast<u64>(end - code), active);
    spent += static_cast<u64>(end - first);
  };
  for (;;) {
    const u32 mask = active & (predicate[op->guard] ^ op->guard_flip);
    if (mask != active) off[op - code] += static_cast<u64>(__builtin_popcount(active ^ mask));
    if (op->flow == Flow::kNext) [[likely]] {
      if (mask == kAllLanes)
        op->full(ctx, *op, mask);
      else if (mask != 0)
        op->masked(ctx, *op, mask);
      ++op;
    } else if (op->flow == Flow::kBranch) {
      const u32 flip = 0u - (op->predicate_flips & 1u);
      const u32 taken = mask & (predicate[op->predicate_source[0]] ^ flip);
      if (taken == 0) {
        ++op;
        continue;
      }
      end_run(op + 1);
      if (taken != active) {
        ++tally.divergent.data()[op - code];
        group.pc = static_cast<u32>(op + 1 - code);
        split(*ctx.warp, taken, op->target);
        return spent;
      }
      ctx.first = op->target;
      op = first = code + op->target;
      if (spent >= budget) {
        group.pc = static_cast<u32>(op - code);
        return spent;
      }
    } else {
      if (mask != 0 || op->always) {
        ctx.pc = static_cast<u32>(op - code);
        group.pc = ctx.pc + 1;
        ctx.outcome = Outcome::kNext;
        op->masked(ctx, *op, mask);
        if (ctx.outcome == Outcome::kReschedule) {
          end_run(op + 1);
          return spent;
        }
      }
      ++op;
    }
  }
}

}  // namespace lanescope::engine::LANESCOPE_TARGET
