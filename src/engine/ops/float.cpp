// Single-precision arithmetic, comparisons and selection.
#include "engine/ops/families.h"
#include "engine/ops/rounding.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

// Sign and absolute value of source i: value = (v & and_mask) ^ xor_mask, from flags in MicroOp::immediate.
struct Modified {
  const u32* row;
  u32 keep, flip;
  LS_INLINE u32 operator[](int lane) const { return (row[lane] & keep) ^ flip; }
};
LS_INLINE Modified modified(const Context& ctx, const MicroOp& op, int i) {
  const u32 flags = static_cast<u32>(op.immediate) >> 2 * i;
  return {source(ctx, op, i), (flags & 2) != 0 ? 0x7fffffffu : kAllLanes, (flags & 1) != 0 ? 0x80000000u : 0u};
}
i32 sign_flags(const Instruction& in, int count) {
  i32 flags = 0;
  for (int i = 0; i < count; ++i)
    flags |= ((in.sources[i].negated ? 1 : 0) | (in.sources[i].absolute ? 2 : 0)) << 2 * i;
  return flags;
}

enum class Operation { kAdd, kMultiply, kFma };

template <Operation kOperation>
LS_INLINE float compute(float a, float b, float c) {
  if constexpr (kOperation == Operation::kAdd)
    return a + b;
  else if constexpr (kOperation == Operation::kMultiply)
    return a * b;
  else
    return __builtin_fmaf(a, b, c);
}

// The frequent form: nearest, no modes; signs where kSigns.
template <Operation kOperation, bool kSigns>
struct Plain {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    u32* d = destination(ctx, op);
    if constexpr (kSigns) {
      const Modified a = modified(ctx, op, 0), b = modified(ctx, op, 1), c = modified(ctx, op, 2);
      set_row<kMasked>(d, mask, [&](int l) {
        return canonical_nan(compute<kOperation>(as_float(a[l]), as_float(b[l]), as_float(c[l])));
      });
    } else {
      const float *a = source<float>(ctx, op, 0), *b = source<float>(ctx, op, 1), *c = source<float>(ctx, op, 2);
      set_row<kMasked>(d, mask, [&](int l) { return canonical_nan(compute<kOperation>(a[l], b[l], c[l])); });
    }
  }
};

// .FTZ flushes what is less than the least normal before it is rounded (measured: docs/results.md). So a result that
// was rounded up to the least normal is a zero. The product of two floats is exact in double precision; the addition's
// error says on which side of the sum the exact value lies.
template <Operation kOperation>
LS_INLINE bool rounded_up_to_normal(u32 result, float a, float b, float c) {
  if ((result & 0x7fffffff) != 0x00800000) return false;
  const double product = static_cast<double>(a) * (kOperation == Operation::kAdd ? 1.0 : b);
  const double addend = kOperation == Operation::kMultiply ? 0.0 : kOperation == Operation::kAdd ? b : c;
  const double sum = product + addend, rest = sum - product;
  const double error = (product - (sum - rest)) + (addend - rest);
  const double size = sum < 0 ? -sum : sum, outward = sum < 0 ? -error : error;
  return size < 0x1p-126 || (size == 0x1p-126 && outward < 0);
}

template <Operation kOperation, u32 kRounding, bool kFtz>
struct Moded {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Modified a = modified(ctx, op, 0), b = modified(ctx, op, 1), c = modified(ctx, op, 2);
    const bool saturated = op.extra[0] != 0;
    alignas(64) u32 value[kLanes];
    alignas(64) u32 inputs[3][kLanes];  // the destination may be one of the sources
    for (int l = 0; l < kLanes; ++l) {
      inputs[0][l] = kFtz ? flush(a[l]) : a[l];
      inputs[1][l] = kFtz ? flush(b[l]) : b[l];
      inputs[2][l] = kFtz ? flush(c[l]) : c[l];
    }
    {
      const RoundingScope<kRounding> scope;
      for (int l = 0; l < kLanes; ++l) {
        const u32 x = inputs[0][l], y = inputs[1][l], z = inputs[2][l];
        value[l] = as_bits(compute<kOperation>(as_float(x), as_float(y), as_float(z)));
      }
    }
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      u32 v = canonical_nan(as_float(value[l]));
      if constexpr (kFtz) v = flush(v);
      return saturated ? saturate(v) : v;
    });
    if constexpr (kFtz && kOperation != Operation::kAdd) {
      const u32 edge = lanes_where([&](int l) { return (value[l] & 0x7fffffff) == 0x00800000; }) & mask;
      for_lanes(edge, [&](int l) {
        if (rounded_up_to_normal<kOperation>(value[l], as_float(inputs[0][l]), as_float(inputs[1][l]),
                                             as_float(inputs[2][l])))
          destination(ctx, op)[l] = saturated ? 0 : value[l] & 0x80000000;
      });
    }
  }
};

template <Operation kOperation, bool kFtz>
void bind_rounding(MicroOp& op, u32 rounding) {
  if (rounding == kNearest)
    bind<Moded<kOperation, kNearest, kFtz>>(op);
  else if (rounding == kDown)
    bind<Moded<kOperation, kDown, kFtz>>(op);
  else if (rounding == kUp)
    bind<Moded<kOperation, kUp, kFtz>>(op);
  else
    bind<Moded<kOperation, kTowardZero, kFtz>>(op);
}

template <Operation kOperation>
bool lower_arithmetic(const Instruction& in, MicroOp& op, Builder& b) {
  constexpr int kSources = kOperation == Operation::kFma ? 3 : 2;
  for (int i = 0; i < kSources; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  op.immediate = sign_flags(in, kSources);
  op.extra[0] = in.modifier(Modifier::kSaturate);
  const u32 rounding = in.modifier(Modifier::kRounding);
  const bool ftz = in.modifier(Modifier::kFtz) != 0;
  if (in.modifier(Modifier::kFtz) == 2 || in.modifier(Modifier::kScale) != 0) return false;  // FMZ, D2 ... M2: graphics
  if (rounding == kNearest && !ftz && op.extra[0] == 0)
    op.immediate == 0 ? bind<Plain<kOperation, false>>(op) : bind<Plain<kOperation, true>>(op);
  else
    ftz ? bind_rounding<kOperation, true>(op, rounding) : bind_rounding<kOperation, false>(op, rounding);
  return true;
}

// ---- Comparisons. Values of kCompare: 0 F, 1 LT, 2 EQ, 3 LE, 4 GT, 5 NE, 6 GE, 7 NUM, 8 NAN, 9 LTU ... 14 GEU, 15 T.

template <class A, class B>
LS_INLINE u32 compare_floats(u32 comparison, A a, B b) {
  const auto ordered = [&](u32 c) -> u32 {
    switch (c) {
      case 1:
        return lanes_where([&](int l) { return as_float(a(l)) < as_float(b(l)); });
      case 2:
        return lanes_where([&](int l) { return as_float(a(l)) == as_float(b(l)); });
      case 3:
        return lanes_where([&](int l) { return as_float(a(l)) <= as_float(b(l)); });
      case 4:
        return lanes_where([&](int l) { return as_float(a(l)) > as_float(b(l)); });
      case 6:
        return lanes_where([&](int l) { return as_float(a(l)) >= as_float(b(l)); });
      default:
        return 0;
    }
  };
  const auto unordered = [&] {
    return lanes_where([&](int l) { return as_float(a(l)) != as_float(a(l)) || as_float(b(l)) != as_float(b(l)); });
  };
  switch (comparison) {
    case 0:
      return 0;
    case 5:
      return ~(ordered(2) | unordered());
    case 7:
      return ~unordered();
    case 8:
      return unordered();
    case 9:
      return ~ordered(6);
    case 10:
      return ordered(2) | unordered();
    case 11:
      return ~ordered(4);
    case 12:
      return ~ordered(3);
    case 13:
      return ~ordered(2);
    case 14:
      return ~ordered(1);
    case 15:
      return kAllLanes;
    default:
      return ordered(comparison);
  }
}

LS_INLINE u32 combine(u32 how, u32 x, u32 y) { return how == 0 ? x & y : how == 1 ? x | y : x ^ y; }

template <bool kSelect>
struct Fset {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Modified a = modified(ctx, op, 0), b = modified(ctx, op, 1);
    const u32 comparison = op.extra[0] & 15, how = op.extra[0] >> 4 & 3;
    const bool ftz = (op.extra[0] & 64) != 0;
    const u32 result = ftz ? compare_floats(
                                 comparison, [&](int l) { return flush(a[l]); }, [&](int l) { return flush(b[l]); })
                           : compare_floats(
                                 comparison, [&](int l) { return a[l]; }, [&](int l) { return b[l]; });
    const u32 p = predicate(ctx, op, 0);
    if constexpr (kSelect) {
      const u32 bits = combine(how, result, p), yes = op.extra[1];
      set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return (bits >> l & 1) != 0 ? yes : 0; });
    } else {
      set_predicate(ctx, op, 0, mask, combine(how, result, p));
      set_predicate(ctx, op, 1, mask, combine(how, ~result, p));
    }
  }
};

template <bool kSelect>
bool lower_fset(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  b.predicates(op, in);
  op.immediate = sign_flags(in, 2);
  if (in.modifier(Modifier::kCombine) > 2) return false;
  op.extra[0] =
      in.modifier(Modifier::kCompare) | in.modifier(Modifier::kCombine) << 4 | in.modifier(Modifier::kFtz) << 6;
  if (kSelect) op.extra[1] = in.modifier(Modifier::kBooleanFloat) != 0 ? 0x3f800000 : kAllLanes;
  bind<Fset<kSelect>>(op);
  return true;
}

// FMNMX: the minimum where predicate source 0 holds. One NaN: the other operand; .NAN: a NaN. -0 is less than +0.
// .XORSIGN: the sign is the exclusive or of the registers' signs, whatever absolute values were taken.
struct Fmnmx {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Modified a = modified(ctx, op, 0), b = modified(ctx, op, 1);
    const bool ftz = (op.extra[0] & 1) != 0, propagate = (op.extra[0] & 2) != 0, xor_sign = (op.extra[0] & 4) != 0;
    const u32 minimum = predicate(ctx, op, 0);
    const u32 *raw_a = source(ctx, op, 0), *raw_b = source(ctx, op, 1);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const u32 x = ftz ? flush(a[l]) : a[l], y = ftz ? flush(b[l]) : b[l];
      const float fx = as_float(x), fy = as_float(y);
      const bool x_less = fx < fy || (fx == fy && static_cast<i32>(x) < static_cast<i32>(y));
      const u32 chosen = ((minimum >> l & 1) != 0) == x_less ? x : y;
      const u32 without_nan = fx != fx ? (fy != fy ? kFloatNan : y) : fy != fy ? x : chosen;
      const u32 value = propagate && (fx != fx || fy != fy) ? kFloatNan : without_nan;
      return xor_sign && value != kFloatNan ? (value & 0x7fffffff) | ((raw_a[l] ^ raw_b[l]) & 0x80000000) : value;
    });
  }
};

bool lower_fmnmx(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  b.predicates(op, in);
  op.immediate = sign_flags(in, 2);
  op.extra[0] = in.modifier(Modifier::kFtz) | in.modifier(Modifier::kNan) << 1 | in.modifier(Modifier::kXorSign) << 2;
  bind<Fmnmx>(op);
  return true;
}

// FSEL: a where predicate source 0 holds, else b.
struct Fsel {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Modified a = modified(ctx, op, 0), b = modified(ctx, op, 1);
    const bool ftz = op.extra[0] != 0;
    const u32 p = predicate(ctx, op, 0);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const u32 v = (p >> l & 1) != 0 ? a[l] : b[l];
      return ftz ? flush(v) : v;
    });
  }
};

bool lower_fsel(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  b.predicates(op, in);
  op.immediate = sign_flags(in, 2);
  op.extra[0] = in.modifier(Modifier::kFtz);
  bind<Fsel>(op);
  return true;
}

// FCHK.DIVIDE: does a / b need the slow path? When an operand is zero, infinite or NaN, or the exponents come near the
// ends of the range, so that the fast sequence could lose bits.
struct Fchk {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Modified a = modified(ctx, op, 0), b = modified(ctx, op, 1);
    set_predicate(ctx, op, 0, mask, lanes_where([&](int l) {
                    const i32 ea = static_cast<i32>(a[l] >> 23 & 0xff), eb = static_cast<i32>(b[l] >> 23 & 0xff);
                    const i32 difference = ea - eb;
                    return ea == 0xff || eb == 0xff || eb == 0 || eb >= 0xfd || difference >= 0x7e ||
                           difference <= -0x7d || ea <= 23;
                  }));
  }
};

bool lower_fchk(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  b.predicates(op, in);
  op.immediate = sign_flags(in, 2);
  bind<Fchk>(op);
  return true;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kFadd, lower_arithmetic<Operation::kAdd>},
    {isa::Executor::kFmul, lower_arithmetic<Operation::kMultiply>},
    {isa::Executor::kFfma, lower_arithmetic<Operation::kFma>},
    {isa::Executor::kFsetp, lower_fset<false>},
    {isa::Executor::kFset, lower_fset<true>},
    {isa::Executor::kFmnmx, lower_fmnmx},
    {isa::Executor::kFsel, lower_fsel},
    {isa::Executor::kFchk, lower_fchk},
};

}  // namespace

std::span<const LowerEntry> float_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
