// Atomics and reductions on global, shared and generic addresses. Lanes act one after the other, in lane order.
#include "engine/ops/access.h"
#include "engine/ops/atomic_values.h"
#include "engine/ops/families.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

// Packed into MicroOp::extra[0], above the address scale's bits.
struct AtomicForm {
  u32 operation, type;
  bool returns, carries_predicate;
};
LS_INLINE AtomicForm form_of(const MicroOp& op) {
  const u32 bits = op.extra[0];
  return {bits >> 8 & 15, bits >> 12 & 15, (bits >> 16 & 1) != 0, (bits >> 17 & 1) != 0};
}
void pack_form(MicroOp& op, const AtomicForm& form) {
  op.extra[0] |=
      form.operation << 8 | form.type << 12 | (form.returns ? 1u : 0u) << 16 | (form.carries_predicate ? 1u : 0u) << 17;
}

LS_INLINE u64 operand(const u32* row, int lane, u32 bytes) {
  return bytes == 8 ? row[lane] | static_cast<u64>(row[lane + kLanes]) << 32 : row[lane];
}
LS_INLINE void put(u32* row, int lane, u32 bytes, u64 value) {
  row[lane] = static_cast<u32>(value);
  if (bytes == 8) row[lane + kLanes] = static_cast<u32>(value >> 32);
}

// One lane's update of memory that other threads may reach too. Returns the old value.
template <class Word>
LS_INLINE u64 update_global(u8* at, const AtomicForm& form, u64 value) {
  Word* word = reinterpret_cast<Word*>(at);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old,
                                      static_cast<Word>(atomic_result(form.operation, form.type, old, value)), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <class Word>
LS_INLINE u64 swap_global(u8* at, u64 expected, u64 value) {
  Word old = static_cast<Word>(expected);
  __atomic_compare_exchange_n(reinterpret_cast<Word*>(at), &old, static_cast<Word>(value), false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return old;
}

LS_INLINE u64 update_host(u8* at, u32 bytes, const AtomicForm& form, u64 value) {
  if (bytes == 8) return update_global<u64>(at, form, value);
  if (bytes == 4) return update_global<u32>(at, form, value);
  return update_global<u16>(at, form, value);
}
LS_INLINE u64 swap_host(u8* at, u32 bytes, u64 expected, u64 value) {
  if (bytes == 8) return swap_global<u64>(at, expected, value);
  if (bytes == 4) return swap_global<u32>(at, expected, value);
  return swap_global<u16>(at, expected, value);
}

// `at(lane)` is the lane's place. Values: source 2.
template <class At>
LS_INLINE void update_lanes(Context& ctx, const MicroOp& op, u32 mask, At at) {
  const AtomicForm form = form_of(op);
  const u32 bytes = atomic_bytes(form.type);
  const u32* values = source(ctx, op, 2);
  u32* d = destination(ctx, op);
  u64 value[kLanes];
  for_lanes(mask, [&](int l) { value[l] = operand(values, l, bytes); });
  for_lanes(mask, [&](int l) {
    const u64 old = update_host(at(l), bytes, form, value[l]);
    if (form.returns) put(d, l, bytes, old);
  });
  if (form.returns) ctx.worker->order_dependent = true;
}

// Compare and swap with the rows of the values to compare with and of the new ones.
template <class At>
LS_INLINE void swap_lanes(Context& ctx, const MicroOp& op, u32 mask, const u32* compare, const u32* swap, At at) {
  const AtomicForm form = form_of(op);
  const u32 bytes = atomic_bytes(form.type);
  u32* d = destination(ctx, op);
  u64 expected[kLanes], value[kLanes];
  for_lanes(mask, [&](int l) { expected[l] = operand(compare, l, bytes), value[l] = operand(swap, l, bytes); });
  for_lanes(mask, [&](int l) {
    const u64 old = swap_host(at(l), bytes, expected[l], value[l]);
    if (form.returns) put(d, l, bytes, old);
  });
  ctx.worker->order_dependent = true;
}

// ---- ATOMG, RED, ATOM: global or generic. A generic address may lie in shared memory.

template <bool kSwap>
struct GlobalAtomic {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const AtomicForm form = form_of(op);
    const u32 bytes = atomic_bytes(form.type);
    Addresses address, host;
    form_addresses(ctx, op, address);
    const u32 in_window = lanes_where([&](int l) { return address.lane[l] >> 32 == kSharedWindow >> 32; }) & mask;
    const u32 global = mask & ~in_window;
    // Operations that shared memory has no unit for leave its lanes to the program: the predicate says which were done.
    const u32 shared = form.carries_predicate ? 0 : in_window;
    if (form.carries_predicate) set_predicate(ctx, op, 0, mask, global);
    if ((global | shared) == 0) return;
    alignas(64) u32 offset[kLanes];
    if (global != 0) reach_global(ctx, op, global, address, bytes, host);
    if (shared != 0) {
      for (int l = 0; l < kLanes; ++l) offset[l] = static_cast<u32>(address.lane[l]);
      reach_shared(ctx, op, shared, offset, bytes);
      for_lanes(shared, [&](int l) { host.lane[l] = reinterpret_cast<u64>(ctx.shared + offset[l]); });
    }
    const Access access = kSwap ? Access::kCompareSwap : form.returns ? Access::kAtomic : Access::kReduction;
    if (global != 0) notify(ctx, op, global, Space::kGlobal, access, bytes, address.lane);
    if (shared != 0) {
      Addresses wide;
      widen(offset, wide);
      notify(ctx, op, shared, Space::kShared, access, bytes, wide.lane);
    }
    const auto at = [&](int l) { return reinterpret_cast<u8*>(host.lane[l]); };
    if constexpr (kSwap) {
      const u32* compare = source(ctx, op, 2);
      const u32* swap = reinterpret_cast<const u32*>(ctx.base[0] + op.target);
      swap_lanes(ctx, op, global | shared, compare, swap, at);
    } else {
      update_lanes(ctx, op, global | shared, at);
    }
  }
};

// ---- ATOMS.

LS_INLINE u32 shared_offsets(Context& ctx, const MicroOp& op, u32 mask, u32 bytes, u32* offset, Access access,
                             Addresses& wide) {
  const u32* base = source(ctx, op, 0);
  const u32 uniform = static_cast<u32>(op.immediate) + source(ctx, op, 1)[0], scale = op.extra[0] & 7;
  for (int l = 0; l < kLanes; ++l) offset[l] = (base[l] << scale) + uniform;
  reach_shared(ctx, op, mask, offset, bytes);
  widen(offset, wide);
  notify(ctx, op, mask, Space::kShared, access, bytes, wide.lane);
  return bytes;
}

struct SharedAtomic {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 offset[kLanes];
    Addresses wide;
    const AtomicForm form = form_of(op);
    shared_offsets(ctx, op, mask, atomic_bytes(form.type), offset, Access::kAtomic, wide);
    update_lanes(ctx, op, mask, [&](int l) { return ctx.shared + offset[l]; });
  }
};

// ATOMS.POPC.INC: adds 1 for each lane; returns nothing that depends on order but the old value.
struct SharedIncrement {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 offset[kLanes];
    Addresses wide;
    shared_offsets(ctx, op, mask, 4, offset, Access::kIncrement, wide);
    u32* d = destination(ctx, op);
    for_lanes(mask, [&](int l) {
      u32 old;
      std::memcpy(&old, ctx.shared + offset[l], 4);
      const u32 next = old + 1;
      std::memcpy(ctx.shared + offset[l], &next, 4);
      d[l] = old;
    });
  }
};

// ATOMS.CAS: returns the old value. CAST.SPIN: 1 where the swap took place, else 0; the program retries.
template <bool kSpin>
struct SharedSwap {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 offset[kLanes];
    Addresses wide;
    const AtomicForm form = form_of(op);
    const u32 bytes = atomic_bytes(form.type);
    shared_offsets(ctx, op, mask, bytes, offset, kSpin ? Access::kCompareSwapSpin : Access::kCompareSwap, wide);
    const u32* compare = source(ctx, op, 2);
    const u32* swap = reinterpret_cast<const u32*>(ctx.base[0] + op.target);
    const auto at = [&](int l) { return ctx.shared + offset[l]; };
    if constexpr (!kSpin) {
      swap_lanes(ctx, op, mask, compare, swap, at);
    } else {
      ctx.worker->order_dependent = true;
      u64 expected[kLanes], value[kLanes];
      for_lanes(mask, [&](int l) { expected[l] = operand(compare, l, bytes), value[l] = operand(swap, l, bytes); });
      u32 done = 0;
      for_lanes(mask, [&](int l) {
        done |= static_cast<u32>(swap_host(at(l), bytes, expected[l], value[l]) == expected[l]) << l;
      });
      if (form.carries_predicate)
        set_predicate(ctx, op, 0, mask, done);
      else
        for_lanes(mask, [&](int l) { put(destination(ctx, op), l, bytes, done >> l & 1); });
    }
  }
};

// ---- Lowering.

bool lower_form(const Instruction& in, MicroOp& op, Builder& b, bool returns) {
  sass::Address address = in.address;
  address.wide |= in.modifier(Modifier::kAddress64) != 0;  // CAS says it by its .E alone
  lower_address(address, op, b);
  b.destination(op, in.destination);
  b.predicates(op, in);
  const u32 type = in.modifier(Modifier::kAtomicType);
  const bool predicated = in.predicate_destination[0].index != 7;
  pack_form(op, {in.modifier(Modifier::kAtomicOperation), type, returns, predicated});
  return atomic_bytes(type) != 0;
}

bool lower_atomg(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 2, in.sources[0]);
  bind<GlobalAtomic<false>>(op);
  return lower_form(in, op, b, !in.destination.zero && in.destination.kind != sass::OperandKind::kNone);
}

// Compare and swap: source 2 is what to compare with; MicroOp::target names the row of the new value in the frame.
bool lower_swap(const Instruction& in, MicroOp& op, Builder& b, bool returns) {
  const bool ok = lower_form(in, op, b, returns);
  b.source(op, 2, in.sources[1]);
  op.target = op.offset[2];
  b.source(op, 2, in.sources[0]);
  return ok && in.sources[0].kind == sass::OperandKind::kRegister && in.sources[1].kind == sass::OperandKind::kRegister;
}

bool lower_atomg_cas(const Instruction& in, MicroOp& op, Builder& b) {
  bind<GlobalAtomic<true>>(op);
  return lower_swap(in, op, b, true);
}

bool lower_atoms(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 2, in.sources[0]);
  bind<SharedAtomic>(op);
  return lower_form(in, op, b, !in.destination.zero);
}

bool lower_atoms_increment(const Instruction& in, MicroOp& op, Builder& b) {
  bind<SharedIncrement>(op);
  return lower_form(in, op, b, false);
}

template <bool kSpin>
bool lower_atoms_cas(const Instruction& in, MicroOp& op, Builder& b) {
  bind<SharedSwap<kSpin>>(op);
  return lower_swap(in, op, b, !in.destination.zero);
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kAtomg, lower_atomg},
    {isa::Executor::kRed, lower_atomg},
    {isa::Executor::kAtomgCas, lower_atomg_cas},
    {isa::Executor::kAtoms, lower_atoms},
    {isa::Executor::kAtomsPopcInc, lower_atoms_increment},
    {isa::Executor::kAtomsCas, lower_atoms_cas<false>},
    {isa::Executor::kAtomsCast, lower_atoms_cas<true>},
};

}  // namespace

std::span<const LowerEntry> atomic_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
