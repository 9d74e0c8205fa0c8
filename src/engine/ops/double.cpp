// Double-precision arithmetic and comparisons.
//
// Unlike single precision, a NaN keeps its sign and payload and becomes quiet: b's if b is one, else c's, else a's.
// What arithmetic makes of other operands is negative with an empty payload (docs/results.md).
#include "engine/ops/compare.h"
#include "engine/ops/families.h"
#include "engine/ops/rounding.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

constexpr u64 kSign = u64{1} << 63, kQuiet = u64{1} << 51, kGenerated = 0xfff8000000000000;

// Sign and absolute value of source i, from flags in MicroOp::immediate as in float.cpp.
struct Modified {
  Pair pair;
  u64 keep, flip;
  LS_INLINE u64 operator[](int lane) const { return (pair[lane] & keep) ^ flip; }
};
LS_INLINE Modified modified(const Context& ctx, const MicroOp& op, int i) {
  const u32 flags = static_cast<u32>(op.immediate) >> 2 * i;
  return {source64(ctx, op, i), (flags & 2) != 0 ? ~kSign : ~u64{0}, (flags & 1) != 0 ? kSign : 0};
}
i32 sign_flags(const Instruction& in, int count) {
  i32 flags = 0;
  for (int i = 0; i < count; ++i)
    flags |= ((in.sources[i].negated ? 1 : 0) | (in.sources[i].absolute ? 2 : 0)) << 2 * i;
  return flags;
}

enum class Operation { kAdd, kMultiply, kFma };

template <Operation kOperation>
LS_INLINE double compute(double a, double b, double c) {
  if constexpr (kOperation == Operation::kAdd)
    return a + b;
  else if constexpr (kOperation == Operation::kMultiply)
    return a * b;
  else
    return __builtin_fma(a, b, c);
}

LS_INLINE bool is_nan(u64 v) { return as_double(v) != as_double(v); }
LS_INLINE u64 nan_of(u64 a, u64 b, u64 c) {
  return is_nan(b) ? b | kQuiet : is_nan(c) ? c | kQuiet : is_nan(a) ? a | kQuiet : kGenerated;
}

// Puts NaNs right, which are rare, and stores.
template <bool kMasked>
LS_INLINE void finish(const Context& ctx, const MicroOp& op, u32 mask, u64* value, bool has_c, u64 nans) {
  if (__builtin_expect(nans != 0, 0)) {
    const Pair x = source64(ctx, op, 0), y = source64(ctx, op, 1), z = source64(ctx, op, 2);
    for (int l = 0; l < kLanes; ++l) value[l] = is_nan(value[l]) ? nan_of(x[l], y[l], has_c ? z[l] : 0) : value[l];
  }
  u32* d = destination(ctx, op);
  set_row<kMasked>(d, mask, [&](int l) { return static_cast<u32>(value[l]); });
  set_row<kMasked>(d + kLanes, mask, [&](int l) { return static_cast<u32>(value[l] >> 32); });
}

// To nearest. `value` comes from `a`, `b`, `c`, which give a lane's operands as bits.
template <bool kMasked, Operation kOperation, class A, class B, class C>
LS_INLINE void compute_nearest(const Context& ctx, const MicroOp& op, u32 mask, A a, B b, C c) {
  constexpr bool kHasC = kOperation == Operation::kFma;
  alignas(64) u64 value[kLanes];
  u64 nans = 0;
  for (int l = 0; l < kLanes; ++l) {
    const double v = compute<kOperation>(as_double(a[l]), as_double(b[l]), kHasC ? as_double(c[l]) : 0.0);
    value[l] = as_bits(v);
    nans |= v != v ? ~u64{0} : 0;
  }
  finish<kMasked>(ctx, op, mask, value, kHasC, nans);
}

template <Operation kOperation, bool kSigns>
struct Nearest {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    if constexpr (kSigns)
      compute_nearest<kMasked, kOperation>(ctx, op, mask, modified(ctx, op, 0), modified(ctx, op, 1),
                                           modified(ctx, op, 2));
    else
      compute_nearest<kMasked, kOperation>(ctx, op, mask, source64(ctx, op, 0), source64(ctx, op, 1),
                                           source64(ctx, op, 2));
  }
};

template <Operation kOperation, u32 kRounding>
struct Directed {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    constexpr bool kHasC = kOperation == Operation::kFma;
    const Modified source_a = modified(ctx, op, 0), source_b = modified(ctx, op, 1), source_c = modified(ctx, op, 2);
    alignas(64) u64 a[kLanes], b[kLanes], c[kLanes], value[kLanes];
    for (int l = 0; l < kLanes; ++l) a[l] = source_a[l], b[l] = source_b[l], c[l] = kHasC ? source_c[l] : 0;
    u64 nans = 0;
    {
      const RoundingScope<kRounding> scope;
      settle(a), settle(b), settle(c);
      for (int l = 0; l < kLanes; ++l) {
        const double v = compute<kOperation>(as_double(a[l]), as_double(b[l]), as_double(c[l]));
        value[l] = as_bits(v);
        nans |= v != v ? ~u64{0} : 0;
      }
      settle(value);
    }
    finish<kMasked>(ctx, op, mask, value, kHasC, nans);
  }
};

template <Operation kOperation>
bool lower_arithmetic(const Instruction& in, MicroOp& op, Builder& b) {
  constexpr int kSources = kOperation == Operation::kFma ? 3 : 2;
  for (int i = 0; i < kSources; ++i) b.source64(op, i, in.sources[i], Builder::Immediate64::kHighWord);
  b.destination(op, in.destination);
  op.immediate = sign_flags(in, kSources);
  switch (in.modifier(Modifier::kRounding)) {
    case kNearest:
      return op.immediate == 0 ? bind<Nearest<kOperation, false>>(op) : bind<Nearest<kOperation, true>>(op), true;
    case kDown:
      return bind<Directed<kOperation, kDown>>(op), true;
    case kUp:
      return bind<Directed<kOperation, kUp>>(op), true;
    default:
      return bind<Directed<kOperation, kTowardZero>>(op), true;
  }
}

// DSETP. Where single precision has the comparisons "never" and "always" (0, 15), this has MIN and MAX: the first
// predicate says that the result is a, the second that it is b made quiet, because both are NaN.
struct Dsetp {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Modified a = modified(ctx, op, 0), b = modified(ctx, op, 1);
    const u32 comparison = op.extra[0] & 15, how = op.extra[0] >> 4 & 3, p = predicate(ctx, op, 0);
    const auto x = [&](int l) { return as_double(a[l]); };
    const auto y = [&](int l) { return as_double(b[l]); };
    if (comparison == kCompareNever || comparison == kCompareAlways) {
      const bool minimum = comparison == kCompareNever;
      const u32 chosen = lanes_where([&](int l) {
        // -0 is less than +0: of two equal values compare the bits.
        const bool less = x(l) < y(l) || (x(l) == y(l) && (a[l] & kSign) != 0);
        const bool greater = x(l) > y(l) || (x(l) == y(l) && (b[l] & kSign) != 0);
        return (minimum ? less : greater) || (y(l) != y(l) && x(l) == x(l));
      });
      const u32 both = lanes_where([&](int l) { return x(l) != x(l) && y(l) != y(l); });
      set_predicate(ctx, op, 0, mask, combine_masks(how, chosen, p));
      set_predicate(ctx, op, 1, mask, combine_masks(how, both, p));
    } else {
      const u32 result = compare_lanes(comparison, x, y);
      set_predicate(ctx, op, 0, mask, combine_masks(how, result, p));
      set_predicate(ctx, op, 1, mask, combine_masks(how, ~result, p));
    }
  }
};

bool lower_dsetp(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source64(op, i, in.sources[i], Builder::Immediate64::kHighWord);
  b.predicates(op, in);
  op.immediate = sign_flags(in, 2);
  if (in.modifier(Modifier::kCombine) > 2) return false;
  op.extra[0] = in.modifier(Modifier::kCompare) | in.modifier(Modifier::kCombine) << 4;
  bind<Dsetp>(op);
  return true;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kDadd, lower_arithmetic<Operation::kAdd>},
    {isa::Executor::kDmul, lower_arithmetic<Operation::kMultiply>},
    {isa::Executor::kDfma, lower_arithmetic<Operation::kFma>},
    {isa::Executor::kDsetp, lower_dsetp},
};

}  // namespace

std::span<const LowerEntry> double_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
