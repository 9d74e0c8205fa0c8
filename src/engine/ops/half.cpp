// Arithmetic and comparisons of packed pairs of half or bfloat16 values.
//
// A sum or product of two such values, computed in single precision and then rounded to 16 bits, comes out as if
// rounded once: what single precision loses of a sum is far below half a unit of the larger operand, and a product of
// two halves is exact. A fused multiply-add needs more care. Its product is exact (half: in single, bfloat16: in double
// precision), and the sum is rounded to odd, which leaves a trace of every lost bit, so that the rounding to 16 bits
// that follows sees which side of a midpoint the exact result lies on.
#include "engine/ops/half.h"

#include "engine/ops/compare.h"
#include "engine/ops/families.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

// MicroOp::immediate: four bits a source.
enum SourceFlags : u32 { kNegated = 1, kAbsolute = 2, kSwizzleShift = 2 };
// Which halves of a source the pair's low and high value are; the vendor prints H1_H0 (not at all), H0_H0, H1_H1.
enum Swizzle : u32 { kBoth = 0, kLowTwice = 2, kHighTwice = 3 };
// MicroOp::extra[0].
enum ModeFlags : u32 { kModeFtz = 1, kModeSaturate = 2, kModeRelu = 4, kModeNan = 8, kModeXorSign = 16 };

u32 source_flags(const Instruction& in, int i) {
  const sass::Operand& operand = in.sources[i];
  return (operand.negated ? kNegated : 0u) | (operand.absolute ? kAbsolute : 0u) | operand.halves << kSwizzleShift;
}
// False where an operand or mode is of a kind that this file does not know.
bool lower_sources(const Instruction& in, int count, MicroOp& op, Builder& b) {
  u32 flags = 0;
  if (in.modifier(Modifier::kFtz) > 1 || in.modifier(Modifier::kFma32) != 0) return false;  // .FMZ
  for (int i = 0; i < count; ++i) {
    if (in.sources[i].halves == 1) return false;
    b.source(op, i, in.sources[i]);
    flags |= source_flags(in, i) << 4 * i;
  }
  op.immediate = static_cast<i32>(flags);
  return true;
}
u32 mode_flags(const Instruction& in) {
  return (in.modifier(Modifier::kFtz) != 0 ? kModeFtz : 0u) |
         (in.modifier(Modifier::kSaturate) != 0 ? kModeSaturate : 0u) |
         (in.modifier(Modifier::kRelu) != 0 ? kModeRelu : 0u) | (in.modifier(Modifier::kNan) != 0 ? kModeNan : 0u) |
         (in.modifier(Modifier::kXorSign) != 0 ? kModeXorSign : 0u);
}

template <HalfFormat kFormat>
inline constexpr u16 kInfinity = kFormat == HalfFormat::kHalf ? 0x7c00 : 0x7f80;
template <HalfFormat kFormat>
inline constexpr u16 kOne = kFormat == HalfFormat::kHalf ? 0x3c00 : 0x3f80;

// The pair that a swizzle makes of a word: the half at bit `low` below the half at bit `high`.
struct Halves {
  u32 low, high;
  LS_INLINE u32 of(u32 word) const { return (word >> low & 0xffff) | word >> high << 16; }
};
LS_INLINE Halves halves_of(u32 swizzle) { return {swizzle == kHighTwice ? 16u : 0u, swizzle == kLowTwice ? 0u : 16u}; }

// A row of source values with signs, halves and denormals as the instruction wants them. The row itself where it needs
// no change, else `changed`.
template <HalfFormat kFormat>
LS_INLINE const u16* prepared(const Context& ctx, const MicroOp& op, int i, u32* changed) {
  const u32* row = source(ctx, op, i);
  const u32 flags = static_cast<u32>(op.immediate) >> 4 * i & 15;
  const bool ftz = (op.extra[0] & kModeFtz) != 0;
  if (flags == 0 && !ftz) return reinterpret_cast<const u16*>(row);
  const u32 keep = (flags & kAbsolute) != 0 ? 0x7fff7fff : kAllLanes, flip = (flags & kNegated) != 0 ? 0x80008000 : 0;
  const Halves swizzle = halves_of(flags >> kSwizzleShift & 3);
  for (int l = 0; l < kLanes; ++l) changed[l] = (swizzle.of(row[l]) & keep) ^ flip;
  u16* const halves = reinterpret_cast<u16*>(changed);
  if (ftz)
    for (int h = 0; h < kHalves; ++h)
      halves[h] = (halves[h] & kInfinity<kFormat>) == 0 ? halves[h] & 0x8000 : halves[h];
  return halves;
}

template <HalfFormat kFormat>
LS_INLINE void apply_modes(u32 modes, u16* halves) {
  if ((modes & kModeSaturate) != 0)  // NaN is 0x7fff here and becomes 0
    for (int h = 0; h < kHalves; ++h) {
      const u16 v = halves[h];
      halves[h] = v > kInfinity<kFormat> ? 0 : v > kOne<kFormat> ? kOne<kFormat> : v;
    }
  if ((modes & kModeRelu) != 0)
    for (int h = 0; h < kHalves; ++h) halves[h] = (halves[h] & 0x8000) != 0 ? 0 : halves[h];
}

template <bool kMasked>
LS_INLINE void store(const Context& ctx, const MicroOp& op, u32 mask, const u16* halves) {
  const u32* words = reinterpret_cast<const u32*>(halves);
  set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return words[l]; });
}

// x + y rounded to odd: of the two neighbours of an inexact sum, the one whose last bit is set.
LS_INLINE float add_to_odd(float x, float y) {
  const float sum = x + y, t = sum - x, error = (x - (sum - t)) + (y - t);
  const u32 bits = as_bits(sum), away = (error > 0.0f) == (sum > 0.0f) ? 1u : ~0u;
  const bool inexact = error < 0.0f || error > 0.0f;
  return as_float(inexact ? bits + (((bits & 1) - 1) & away) : bits);
}
LS_INLINE double add_to_odd(double x, double y) {
  const double sum = x + y, t = sum - x, error = (x - (sum - t)) + (y - t);
  const u64 bits = as_bits(sum), away = (error > 0.0) == (sum > 0.0) ? u64{1} : ~u64{0};
  const bool inexact = error < 0.0 || error > 0.0;
  return as_double(inexact ? bits + (((bits & 1) - 1) & away) : bits);
}
LS_INLINE float to_single_odd(double v) {
  const float near = static_cast<float>(v);
  const double back = near, error = v - back;
  const u32 bits = as_bits(near), away = (error > 0.0) == (v > 0.0) ? 1u : ~0u;
  const bool inexact = error < 0.0 || error > 0.0;
  return as_float(inexact ? bits + (((bits & 1) - 1) & away) : bits);
}

enum class Operation { kAdd, kMultiply, kFma };

// Values in single precision that round to 16 bits as the exact results do; into a.
template <Operation kOperation, HalfFormat kFormat>
LS_INLINE void compute(float* a, const float* b, const float* c) {
  if constexpr (kOperation == Operation::kAdd) {
    for (int h = 0; h < kHalves; ++h) a[h] = a[h] + b[h];
  } else if constexpr (kFormat == HalfFormat::kHalf) {
    for (int h = 0; h < kHalves; ++h)
      a[h] = kOperation == Operation::kMultiply ? a[h] * b[h] : add_to_odd(a[h] * b[h], c[h]);
  } else {
    alignas(64) double exact[kHalves], addend[kHalves];
    for (int h = 0; h < kHalves; ++h) exact[h] = static_cast<double>(a[h]) * static_cast<double>(b[h]);
    if constexpr (kOperation == Operation::kFma) {
      for (int h = 0; h < kHalves; ++h) addend[h] = c[h];
      for (int h = 0; h < kHalves; ++h) exact[h] = add_to_odd(exact[h], addend[h]);
    }
    for (int h = 0; h < kHalves; ++h) a[h] = to_single_odd(exact[h]);
  }
}

// .FTZ goes by the result before rounding: what rounding would raise to the least normal value is zero too.
template <HalfFormat kFormat>
LS_INLINE void flush_tiny(float* values) {
  constexpr float kLeast = kFormat == HalfFormat::kHalf ? 0x1p-14f : 0x1p-126f;
  for (int h = 0; h < kHalves; ++h)
    values[h] = __builtin_fabsf(values[h]) < kLeast ? as_float(as_bits(values[h]) & 0x80000000) : values[h];
}

template <Operation kOperation, HalfFormat kFormat>
struct Arithmetic {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 changed[3][kLanes];
    alignas(64) float a[kHalves], b[kHalves], c[kHalves];
    alignas(64) u16 result[kHalves];
    widen<kFormat>(prepared<kFormat>(ctx, op, 0, changed[0]), a);
    widen<kFormat>(prepared<kFormat>(ctx, op, 1, changed[1]), b);
    if constexpr (kOperation == Operation::kFma) widen<kFormat>(prepared<kFormat>(ctx, op, 2, changed[2]), c);
    compute<kOperation, kFormat>(a, b, c);
    if ((op.extra[0] & kModeFtz) != 0) flush_tiny<kFormat>(a);
    narrow<kFormat>(a, result);
    apply_modes<kFormat>(op.extra[0], result);
    store<kMasked>(ctx, op, mask, result);
  }
};

// HADD2.F32: the sum of the low values in single precision. The usual form, -RZ + x, widens a half.
struct WidenAdd {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 changed[2][kLanes];
    alignas(64) float a[kHalves], b[kHalves];
    widen<HalfFormat::kHalf>(prepared<HalfFormat::kHalf>(ctx, op, 0, changed[0]), a);
    widen<HalfFormat::kHalf>(prepared<HalfFormat::kHalf>(ctx, op, 1, changed[1]), b);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return canonical_nan(a[2 * l] + b[2 * l]); });
  }
};

// HFMA2 with two zeros for a and b is how the compiler loads many constants.
struct Move {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32* value = source(ctx, op, 2);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return value[l]; });
  }
};
bool is_constant_load(const Instruction& in) {
  const sass::Operand &a = in.sources[0], &b = in.sources[1], &c = in.sources[2];
  // The product is -0, which changes no number; the canonical NaN 0x7fff is above any other positive one.
  const u32 low = c.value & 0x7fff, high = c.value >> 16 & 0x7fff;
  return a.zero && b.zero && a.negated != b.negated && c.kind == sass::OperandKind::kImmediate && !c.negated &&
         !c.absolute && low <= 0x7c00 && high <= 0x7c00;
}

template <Operation kOperation>
bool lower_arithmetic(const Instruction& in, MicroOp& op, Builder& b) {
  if (!lower_sources(in, kOperation == Operation::kFma ? 3 : 2, op, b)) return false;
  if (in.modifier(Modifier::kRelu) != 0 && in.predicate_source[0].index != 7) return false;
  b.destination(op, in.destination);
  op.extra[0] = mode_flags(in);
  const bool bfloat = in.modifier(Modifier::kBf16) != 0;
  if (kOperation == Operation::kAdd && in.modifier(Modifier::kWidened) != 0)
    return !bfloat && op.extra[0] == 0 ? bind<WidenAdd>(op), true : false;
  if (kOperation == Operation::kFma && op.extra[0] == 0 && is_constant_load(in)) return bind<Move>(op), true;
  bfloat ? bind<Arithmetic<kOperation, HalfFormat::kBfloat>>(op) : bind<Arithmetic<kOperation, HalfFormat::kHalf>>(op);
  return true;
}

// HMNMX2: the minimum where predicate source 0 holds. One NaN: the other operand; .NAN: a NaN. -0 is less than +0.
template <HalfFormat kFormat>
struct Hmnmx2 {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 changed[2][kLanes];
    alignas(64) u16 result[kHalves];
    const u16* a = prepared<kFormat>(ctx, op, 0, changed[0]);
    const u16* b = prepared<kFormat>(ctx, op, 1, changed[1]);
    // All ones where NaNs propagate, and in the lanes that take the minimum.
    const u16 propagate = (op.extra[0] & kModeNan) != 0 ? 0xffff : 0;
    const u32 lanes = predicate(ctx, op, 0);
    alignas(64) u32 minimum[kLanes];
    for (int l = 0; l < kLanes; ++l) minimum[l] = 0 - (lanes >> l & 1);
    const u16* take_less = reinterpret_cast<const u16*>(minimum);
    const auto yes = [](bool condition) { return static_cast<u16>(condition ? 0xffff : 0); };
    const auto choose = [](u16 which, u16 x, u16 y) { return static_cast<u16>((x & which) | (y & ~which)); };
    // As integers that order as the values do, -0 below +0.
    const auto rank = [](u16 v) { return static_cast<i16>(v ^ (static_cast<i16>(v) >> 15 & 0x7fff)); };
    for (int h = 0; h < kHalves; ++h) {
      const u16 a_nan = yes((a[h] & 0x7fff) > kInfinity<kFormat>), b_nan = yes((b[h] & 0x7fff) > kInfinity<kFormat>);
      const u16 a_less = yes(rank(a[h]) < rank(b[h]));
      const u16 take_a = static_cast<u16>((~(a_less ^ take_less[h]) | b_nan) & ~a_nan);
      const u16 take_nan = static_cast<u16>((a_nan & b_nan) | ((a_nan | b_nan) & propagate));
      result[h] = choose(take_nan, kHalfNan, choose(take_a, a[h], b[h]));
    }
    if ((op.extra[0] & kModeXorSign) != 0) {
      // The operands' own signs, whatever |a| and |b| made of them.
      const u32 *x = source(ctx, op, 0), *y = source(ctx, op, 1);
      const u32 flags = static_cast<u32>(op.immediate);
      const Halves of_x = halves_of(flags >> kSwizzleShift & 3), of_y = halves_of(flags >> (4 + kSwizzleShift) & 3);
      alignas(64) u32 signs[kLanes];
      for (int l = 0; l < kLanes; ++l) signs[l] = (of_x.of(x[l]) ^ of_y.of(y[l])) & 0x80008000;
      const u16* sign = reinterpret_cast<const u16*>(signs);
      for (int h = 0; h < kHalves; ++h)
        result[h] = choose(yes(result[h] == kHalfNan), kHalfNan, (result[h] & 0x7fff) | sign[h]);
    }
    store<kMasked>(ctx, op, mask, result);
  }
};

bool lower_hmnmx2(const Instruction& in, MicroOp& op, Builder& b) {
  if (!lower_sources(in, 2, op, b)) return false;
  b.destination(op, in.destination);
  b.predicates(op, in);
  op.extra[0] = mode_flags(in);
  in.modifier(Modifier::kBf16) != 0 ? bind<Hmnmx2<HalfFormat::kBfloat>>(op) : bind<Hmnmx2<HalfFormat::kHalf>>(op);
  return true;
}

// The lanes whose low and whose high values compare so.
struct PairOfMasks {
  u32 low, high;
};
template <HalfFormat kFormat>
LS_INLINE PairOfMasks compare_pairs(const Context& ctx, const MicroOp& op, u32 comparison) {
  alignas(64) u32 changed[2][kLanes];
  alignas(64) float a[kHalves], b[kHalves];
  widen<kFormat>(prepared<kFormat>(ctx, op, 0, changed[0]), a);
  widen<kFormat>(prepared<kFormat>(ctx, op, 1, changed[1]), b);
  return {compare_lanes(
              comparison, [&](int l) { return a[2 * l]; }, [&](int l) { return b[2 * l]; }),
          compare_lanes(
              comparison, [&](int l) { return a[2 * l + 1]; }, [&](int l) { return b[2 * l + 1]; })};
}

// MicroOp::extra[1] of comparisons: comparison 0-3, combination 4-5, HSETP2.H_AND 6; HSET2: the value for "true"
// from 16.
template <HalfFormat kFormat>
struct Hsetp2 {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 how = op.extra[1] >> 4 & 3, p = predicate(ctx, op, 0);
    PairOfMasks result = compare_pairs<kFormat>(ctx, op, op.extra[1] & 15);
    if ((op.extra[1] & 64) != 0) result.low &= result.high, result.high = ~result.low;
    set_predicate(ctx, op, 0, mask, combine_masks(how, result.low, p));
    set_predicate(ctx, op, 1, mask, combine_masks(how, result.high, p));
  }
};
template <HalfFormat kFormat>
struct Hset2 {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 how = op.extra[1] >> 4 & 3, p = predicate(ctx, op, 0), yes = op.extra[1] >> 16;
    const PairOfMasks result = compare_pairs<kFormat>(ctx, op, op.extra[1] & 15);
    const u32 low = combine_masks(how, result.low, p), high = combine_masks(how, result.high, p);
    set_row<kMasked>(destination(ctx, op), mask,
                     [&](int l) { return ((low >> l & 1) != 0 ? yes : 0) | ((high >> l & 1) != 0 ? yes << 16 : 0); });
  }
};

template <bool kSelect>
bool lower_comparison(const Instruction& in, MicroOp& op, Builder& b) {
  if (!lower_sources(in, 2, op, b)) return false;
  b.destination(op, in.destination);
  b.predicates(op, in);
  if (in.modifier(Modifier::kCombine) > 2) return false;
  op.extra[0] = mode_flags(in);
  op.extra[1] = in.modifier(Modifier::kCompare) | in.modifier(Modifier::kCombine) << 4;
  const bool bfloat = in.modifier(Modifier::kBf16) != 0;
  if constexpr (kSelect) {
    const u32 one = bfloat ? kOne<HalfFormat::kBfloat> : kOne<HalfFormat::kHalf>;
    op.extra[1] |= (in.modifier(Modifier::kBooleanFloat) != 0 ? one : 0xffffu) << 16;
    bfloat ? bind<Hset2<HalfFormat::kBfloat>>(op) : bind<Hset2<HalfFormat::kHalf>>(op);
  } else {
    op.extra[1] |= in.modifier(Modifier::kHalvesAnd) << 6;
    bfloat ? bind<Hsetp2<HalfFormat::kBfloat>>(op) : bind<Hsetp2<HalfFormat::kHalf>>(op);
  }
  return true;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kHadd2, lower_arithmetic<Operation::kAdd>},
    {isa::Executor::kHmul2, lower_arithmetic<Operation::kMultiply>},
    {isa::Executor::kHfma2, lower_arithmetic<Operation::kFma>},
    {isa::Executor::kHmnmx2, lower_hmnmx2},
    {isa::Executor::kHsetp2, lower_comparison<false>},
    {isa::Executor::kHset2, lower_comparison<true>},
};

}  // namespace

std::span<const LowerEntry> half_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
