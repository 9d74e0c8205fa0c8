// Conversions between number formats.
//
// Every conversion is a pipeline of short loops: values of any source type become doubles, exactly (64-bit integers,
// which don't fit, are rounded to odd: the rounding that follows then sees what was lost); these are rounded once to
// the destination's type. So there is one function a source and one a destination instead of one a pair.
//
// NaN: between formats of which one is double the sign and the top of the payload stay, otherwise the canonical NaN
// results. To an integer: the largest negative one's bits, or zero with .NTZ (docs/results.md).
#include "engine/ops/families.h"
#include "engine/ops/half.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

enum Type : u32 { kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64, kF16, kBf16, kF32, kF64, kTf32, kE4m3, kE5m2 };

constexpr bool is_float(u32 type) { return type >= kF16; }
constexpr bool is_signed(u32 type) { return (type & 1) != 0; }  // of integer types
constexpr u32 width_of(u32 type) { return 8u << type / 2; }     // of integer types
constexpr bool is_wide(u32 type) { return type == kU64 || type == kS64 || type == kF64; }

// MicroOp::extra[0] is a Plan.
struct Plan {
  u32 bits;
  constexpr u32 from() const { return bits & 15; }
  constexpr u32 to() const { return bits >> 4 & 15; }
  constexpr u32 rounding() const { return bits >> 8 & 3; }
  constexpr bool ftz() const { return (bits >> 10 & 1) != 0; }
  constexpr bool saturate() const { return (bits >> 11 & 1) != 0; }
  constexpr bool relu() const { return (bits >> 12 & 1) != 0; }
  constexpr bool nan_to_zero() const { return (bits >> 13 & 1) != 0; }
  constexpr bool negated() const { return (bits >> 14 & 1) != 0; }
  constexpr bool absolute() const { return (bits >> 15 & 1) != 0; }
  constexpr u32 part() const { return bits >> 16 & 3; }            // which byte or half of the source
  constexpr bool finite() const { return (bits >> 18 & 1) != 0; }  // out of range: the largest value
  constexpr Plan with_part(u32 part) const { return {(bits & ~(3u << 16)) | part << 16}; }
};
u32 plan_bits(const Instruction& in, u32 from, u32 to, int source) {
  const sass::Operand& operand = in.sources[source];
  return from | to << 4 | in.modifier(Modifier::kRounding) << 8 | in.modifier(Modifier::kFtz) << 10 |
         in.modifier(Modifier::kSaturate) << 11 | in.modifier(Modifier::kRelu) << 12 |
         in.modifier(Modifier::kNtz) << 13 | (operand.negated ? 1u << 14 : 0) | (operand.absolute ? 1u << 15 : 0) |
         in.modifier(Modifier::kPart) << 16 | in.modifier(Modifier::kFinite) << 18;
}

// ---- Formats below single precision, and rounding to them.

struct Format {
  u32 fraction;  // stored bits
  i32 least;     // exponent of the least normal value
  u32 largest;   // bits of the largest finite value
  u32 infinity;  // bits of infinity; 0: none
  u32 nan;       // canonical
};
LS_INLINE constexpr Format format_of(u32 type) {
  switch (type) {
    case kF16:
      return {10, -14, 0x7bff, 0x7c00, 0x7fff};
    case kBf16:
      return {7, -126, 0x7f7f, 0x7f80, 0x7fff};
    case kTf32:
      return {10, -126, 0x3fbff, 0x3fc00, 0x3ffff};
    case kE4m3:
      return {3, -6, 0x7e, 0, 0x7f};
    default:
      return {2, -14, 0x7b, 0x7c, 0x7f};
  }
}

// The finite magnitude |v|, rounded; `up` says how a lost remainder rounds.
LS_INLINE u32 round_magnitude(const Format& f, u64 v, bool nearest, bool up, bool finite) {
  const i32 field = static_cast<i32>(v >> 52 & 0x7ff), exponent = (field == 0 ? 1 : field) - 1023;
  const u64 significand = (v & 0xfffffffffffff) | (field == 0 ? 0 : u64{1} << 52);
  const i32 below = f.least - exponent;  // above 0: the result is denormal
  const i32 wanted = 52 - static_cast<i32>(f.fraction) + (below > 0 ? below : 0), shift = wanted > 63 ? 63 : wanted;
  const u64 lost = significand & ((u64{1} << shift) - 1), half = u64{1} << (shift - 1);
  u32 result = static_cast<u32>(significand >> shift);
  result += nearest ? (lost > half || (lost == half && (result & 1) != 0)) : up && lost != 0;
  result += below > 0 ? 0 : static_cast<u32>(-below) << f.fraction;
  // Out of range: infinity or the largest value, as the rounding says.
  const bool over = result > f.largest || below < -1000;
  const bool to_infinity = (nearest || up) && !finite;
  return over ? (to_infinity ? f.infinity : f.largest) : result;
}

// The bits of v in a format of up to 16 bits plus TF32's 19; `sign_bit` is the place of the sign.
LS_INLINE u32 round_to(const Format& f, u32 sign_bit, double v, u32 rounding, bool finite, bool keep_nan) {
  const u64 bits = as_bits(v), magnitude = bits & ~(u64{1} << 63);
  const bool negative = bits >> 63 != 0;
  const u32 sign = negative ? 1u << sign_bit : 0;
  if (magnitude > 0x7ff0000000000000) {
    const u32 quiet =
        f.infinity | 1u << (f.fraction - 1) | static_cast<u32>((magnitude & 0xfffffffffffff) >> (52 - f.fraction));
    return keep_nan ? sign | quiet : f.nan;
  }
  if (magnitude == 0x7ff0000000000000) return sign | (finite ? f.largest : f.infinity);
  const bool up = rounding == kUp ? !negative : rounding == kDown && negative;
  return sign | round_magnitude(f, magnitude, rounding == kNearest, up, finite);
}

// ---- Sources

// The integers of a row (pair), sign- or zero-extended.
LS_INLINE void load_integers(const Context& ctx, const MicroOp& op, int slot, Plan plan, i64* values) {
  const u32* low = source(ctx, op, slot);
  const u32 from = plan.from(), shift = plan.part() * (width_of(from) == 8 ? 8 : 16);
  const auto each = [&](auto f) {
    LS_LANES
    for (int l = 0; l < kLanes; ++l) values[l] = static_cast<i64>(f(l));
  };
  switch (from) {
    case kU8:
      return each([&](int l) { return static_cast<u8>(low[l] >> shift); });
    case kS8:
      return each([&](int l) { return static_cast<i8>(low[l] >> shift); });
    case kU16:
      return each([&](int l) { return static_cast<u16>(low[l] >> shift); });
    case kS16:
      return each([&](int l) { return static_cast<i16>(low[l] >> shift); });
    case kU32:
      return each([&](int l) { return low[l]; });
    case kS32:
      return each([&](int l) { return static_cast<i32>(low[l]); });
    default: {
      const Pair pair = source64(ctx, op, slot);
      return each([&](int l) { return pair[l]; });
    }
  }
}

// An integer as a double, to odd where it does not fit.
LS_INLINE double to_double_odd(bool is_signed_type, i64 v) {
  const bool negative = is_signed_type && v < 0;
  const u64 magnitude = negative ? 0 - static_cast<u64>(v) : static_cast<u64>(v);
  const u64 top = magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1 : 0);
  const double value = magnitude >> 53 != 0 ? static_cast<double>(static_cast<i64>(top)) * 2048.0
                                            : static_cast<double>(static_cast<i64>(magnitude));
  return negative ? -value : value;
}

// The source's values as doubles, with its modifiers. What single precision flushes is flushed.
LS_INLINE void load_doubles(const Context& ctx, const MicroOp& op, int slot, Plan plan, double* values) {
  const u32 from = plan.from();
  if (!is_float(from)) {
    alignas(64) i64 integers[kLanes];
    load_integers(ctx, op, slot, plan, integers);
    if (!is_wide(from)) {
      for (int l = 0; l < kLanes; ++l) values[l] = static_cast<double>(integers[l]);
    } else {
      for (int l = 0; l < kLanes; ++l) values[l] = to_double_odd(is_signed(from), integers[l]);
    }
    return;
  }
  const u32* row = source(ctx, op, slot);
  const u32 shift = 16 * (plan.part() & 1);
  if (from == kF64) {
    const Pair pair = source64(ctx, op, slot);
    for (int l = 0; l < kLanes; ++l) values[l] = as_double(pair[l]);
  } else if (from == kF32) {
    if (plan.ftz())
      for (int l = 0; l < kLanes; ++l) values[l] = as_float(flush(row[l]));
    else
      for (int l = 0; l < kLanes; ++l) values[l] = as_float(row[l]);
  } else if (from == kF16) {
    for (int l = 0; l < kLanes; ++l) values[l] = half_to_float(row[l] >> shift & 0xffff);
  } else {
    for (int l = 0; l < kLanes; ++l) values[l] = bfloat_to_float(row[l] >> shift & 0xffff);
  }
  if (plan.absolute())
    for (int l = 0; l < kLanes; ++l) values[l] = __builtin_fabs(values[l]);
  if (plan.negated())
    for (int l = 0; l < kLanes; ++l) values[l] = -values[l];
}

// ---- Destinations

template <u32 kRounding>
LS_INLINE void to_singles(double* values, u32* results) {
  const RoundingScope<kRounding> scope;
  if constexpr (kRounding != kNearest) settle(values);
  for (int l = 0; l < kLanes; ++l) results[l] = as_bits(static_cast<float>(values[l]));
  if constexpr (kRounding != kNearest) settle(results);
}

// Values to the bits of a type of at most 32 bits.
LS_INLINE void to_float_bits(double* values, Plan plan, u32* results) {
  const u32 to = plan.to();
  const bool keep_nan = plan.from() == kF64;
  if (to == kF32) {
    switch (plan.rounding()) {
      case kNearest:
        to_singles<kNearest>(values, results);
        break;
      case kDown:
        to_singles<kDown>(values, results);
        break;
      case kUp:
        to_singles<kUp>(values, results);
        break;
      default:
        to_singles<kTowardZero>(values, results);
    }
    if (!keep_nan)
      for (int l = 0; l < kLanes; ++l) results[l] = canonical_nan(as_float(results[l]));
    if (plan.ftz())
      for (int l = 0; l < kLanes; ++l) results[l] = flush(results[l]);
    if (plan.saturate())
      for (int l = 0; l < kLanes; ++l) results[l] = saturate(results[l]);
  } else {
    const Format format = format_of(to);
    const u32 sign_bit = to == kTf32 ? 18 : to == kE4m3 || to == kE5m2 ? 7 : 15;
    const bool finite = to == kE4m3 || to == kE5m2 || plan.finite();
    for (int l = 0; l < kLanes; ++l)
      results[l] = round_to(format, sign_bit, values[l], plan.rounding(), finite, keep_nan);
    if (plan.relu())
      for (int l = 0; l < kLanes; ++l) results[l] = (results[l] >> sign_bit & 1) != 0 ? 0 : results[l];
    if (to == kTf32)
      for (int l = 0; l < kLanes; ++l) results[l] <<= 13;
  }
}

template <bool kMasked>
LS_INLINE void store_row(const Context& ctx, const MicroOp& op, u32 mask, const u32* results) {
  set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return results[l]; });
}
template <bool kMasked>
LS_INLINE void store_pair(const Context& ctx, const MicroOp& op, u32 mask, const u64* results) {
  u32* d = destination(ctx, op);
  set_row<kMasked>(d, mask, [&](int l) { return static_cast<u32>(results[l]); });
  set_row<kMasked>(d + kLanes, mask, [&](int l) { return static_cast<u32>(results[l] >> 32); });
}

LS_INLINE void make_quiet(double* values) {
  for (int l = 0; l < kLanes; ++l)
    values[l] = values[l] != values[l] ? as_double(as_bits(values[l]) | u64{1} << 51) : values[l];
}

// ---- F2F, I2F and their kin: to a float.

struct ToFloat {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    alignas(64) double values[kLanes];
    alignas(64) u32 results[kLanes];
    load_doubles(ctx, op, 1, plan, values);
    to_float_bits(values, plan, results);
    store_row<kMasked>(ctx, op, mask, results);
  }
};

// To a double: exact but for 64-bit integers.
template <u32 kRounding>
struct ToDouble {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    alignas(64) double values[kLanes];
    if (plan.from() == kU64 || plan.from() == kS64) {
      alignas(64) i64 integers[kLanes];
      load_integers(ctx, op, 1, plan, integers);
      const RoundingScope<kRounding> scope;
      if constexpr (kRounding != kNearest) settle(integers);
      if (plan.from() == kS64)
        for (int l = 0; l < kLanes; ++l) values[l] = static_cast<double>(integers[l]);
      else
        for (int l = 0; l < kLanes; ++l) values[l] = static_cast<double>(static_cast<u64>(integers[l]));
      if constexpr (kRounding != kNearest) settle(values);
    } else {
      load_doubles(ctx, op, 1, plan, values);
      if (plan.from() == kF64) make_quiet(values);
    }
    store_pair<kMasked>(ctx, op, mask, reinterpret_cast<const u64*>(values));
  }
};

void bind_to_float(MicroOp& op) {
  const Plan plan{op.extra[0]};
  if (plan.to() != kF64) return bind<ToFloat>(op);
  switch (plan.rounding()) {
    case kNearest:
      return bind<ToDouble<kNearest>>(op);
    case kDown:
      return bind<ToDouble<kDown>>(op);
    case kUp:
      return bind<ToDouble<kUp>>(op);
    default:
      return bind<ToDouble<kTowardZero>>(op);
  }
}

// ---- FRND and F2I: to an integer.

LS_INLINE void round_to_integers(u32 rounding, double* values) {
  switch (rounding) {
    case kNearest:
      for (int l = 0; l < kLanes; ++l) values[l] = __builtin_rint(values[l]);
      return;
    case kDown:
      for (int l = 0; l < kLanes; ++l) values[l] = __builtin_floor(values[l]);
      return;
    case kUp:
      for (int l = 0; l < kLanes; ++l) values[l] = __builtin_ceil(values[l]);
      return;
    default:
      for (int l = 0; l < kLanes; ++l) values[l] = __builtin_trunc(values[l]);
  }
}

struct Frnd {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    alignas(64) double values[kLanes];
    alignas(64) u32 results[kLanes];
    load_doubles(ctx, op, 1, plan, values);
    round_to_integers(plan.rounding(), values);
    if (plan.to() == kF64) {
      make_quiet(values);
      return store_pair<kMasked>(ctx, op, mask, reinterpret_cast<const u64*>(values));
    }
    to_float_bits(values, plan, results);
    store_row<kMasked>(ctx, op, mask, results);
  }
};

// Whole values to an integer type, to its nearest value where they are outside.
LS_INLINE void saturate_to_integers(double* values, Plan plan, u64* results) {
  const u32 to = plan.to();
  const u32 width = width_of(to);
  const u64 of_nan = plan.nan_to_zero() ? 0 : ~u64{0} << (width - 1);
  if (width < 64) {
    const double least = is_signed(to) ? -static_cast<double>(u64{1} << (width - 1)) : 0.0;
    const double most = static_cast<double>((u64{1} << (is_signed(to) ? width - 1 : width)) - 1);
    for (int l = 0; l < kLanes; ++l) {
      const double v = values[l], low = v > least ? v : least, in_range = low < most ? low : most;
      results[l] = v != v ? of_nan : static_cast<u64>(static_cast<i64>(in_range));
    }
  } else if (is_signed(to)) {
    for (int l = 0; l < kLanes; ++l) {
      const double v = values[l];
      const bool over = v >= 0x1p63, under = !(v > -0x1p63);
      const u64 converted = static_cast<u64>(static_cast<i64>(over || under ? 0.0 : v));
      results[l] = v != v ? of_nan : over ? ~u64{0} >> 1 : under ? u64{1} << 63 : converted;
    }
  } else {
    for (int l = 0; l < kLanes; ++l) {
      const double v = values[l];
      const bool over = v >= 0x1p64, under = !(v > 0.0), high = v >= 0x1p63;
      const u64 converted = static_cast<u64>(static_cast<i64>(over || under ? 0.0 : high ? v - 0x1p63 : v));
      results[l] = v != v ? of_nan : over ? ~u64{0} : under ? 0 : converted ^ (high ? u64{1} << 63 : 0);
    }
  }
  if (width < 32 && !is_signed(to))
    for (int l = 0; l < kLanes; ++l) results[l] &= (u64{1} << width) - 1;
}

struct F2i {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    alignas(64) double values[kLanes];
    alignas(64) u64 results[kLanes];
    load_doubles(ctx, op, 1, plan, values);
    round_to_integers(plan.rounding(), values);
    saturate_to_integers(values, plan, results);
    if (is_wide(plan.to())) return store_pair<kMasked>(ctx, op, mask, results);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return static_cast<u32>(results[l]); });
  }
};

// ---- Integer to integer, with saturation.

LS_INLINE void clamp_integers(u32 from, u32 to, i64* values) {
  const u32 width = width_of(to);
  const i64 least = is_signed(to) ? -(i64{1} << (width - 1)) : 0,
            most = (i64{1} << (is_signed(to) ? width - 1 : width)) - 1;
  const bool huge = from == kU64;  // above the signed range
  for (int l = 0; l < kLanes; ++l) {
    const i64 v = values[l];
    values[l] = huge && v < 0 ? most : v < least ? least : v > most ? most : v;
  }
}

struct I2i {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    alignas(64) i64 values[kLanes];
    load_integers(ctx, op, 1, plan, values);
    if (plan.saturate()) clamp_integers(plan.from(), plan.to(), values);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return static_cast<u32>(values[l]); });
  }
};

// ---- Packing: two results side by side, a's above b's; those of 8 bits below the low half of c.

template <bool kMasked>
LS_INLINE void store_packed(const Context& ctx, const MicroOp& op, u32 mask, u32 width, const u32* high,
                            const u32* low) {
  u32* d = destination(ctx, op);
  const u32* c = source(ctx, op, 2);
  if (width == 16)
    set_row<kMasked>(d, mask, [&](int l) { return (low[l] & 0xffff) | high[l] << 16; });
  else
    set_row<kMasked>(d, mask, [&](int l) { return (low[l] & 0xff) | (high[l] & 0xff) << 8 | c[l] << 16; });
}

// F2FP.F16.F32.PACK_AB to nearest, without modes: the frequent one.
template <HalfFormat kFormat>
struct PackNearest {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u16 high[kLanes], low[kLanes];
    narrow<kFormat, kLanes>(source<float>(ctx, op, 0), high);
    narrow<kFormat, kLanes>(source<float>(ctx, op, 1), low);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return low[l] | static_cast<u32>(high[l]) << 16; });
  }
};

// From floats a and b, or from the two halves of b.
struct Pack {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    alignas(64) double a[kLanes], b[kLanes];
    alignas(64) u32 high[kLanes], low[kLanes];
    const bool halves = plan.from() != kF32;
    load_doubles(ctx, op, halves ? 1 : 0, halves ? plan.with_part(1) : plan, a);
    load_doubles(ctx, op, 1, plan, b);
    to_float_bits(a, plan, high);
    to_float_bits(b, plan, low);
    store_packed<kMasked>(ctx, op, mask, plan.to() == kF16 || plan.to() == kBf16 ? 16 : 8, high, low);
  }
};

// One result below the low half of c, which is source 2.
struct Merge {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    alignas(64) double values[kLanes];
    alignas(64) u32 low[kLanes];
    load_doubles(ctx, op, 1, plan, values);
    to_float_bits(values, plan, low);
    const u32* c = source(ctx, op, 2);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return low[l] | c[l] << 16; });
  }
};

// Two 8-bit floats of b to halves.
LS_INLINE u32 from_e4m3(u32 v) {
  const u32 sign = v << 8 & 0x8000, rest = v & 0x7f;
  return rest == 0x7f ? kHalfNan : sign | float_to_half(as_float(rest << 20) * 0x1p120f);
}
LS_INLINE u32 from_e5m2(u32 v) { return (v & 0x7f) > 0x7c ? kHalfNan : v << 8; }

struct Unpack {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    const u32* b = source(ctx, op, 1);
    const u32 shift = 16 * (plan.part() & 1);
    const bool e4m3 = plan.from() == kE4m3, relu = plan.relu();
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const u32 low = b[l] >> shift & 0xff, high = b[l] >> (shift + 8) & 0xff;
      const u32 pair = e4m3 ? from_e4m3(low) | from_e4m3(high) << 16 : from_e5m2(low) | from_e5m2(high) << 16;
      return relu ? pair & ~((pair >> 15 & 0x10001) * 0xffff) : pair;
    });
  }
};

// I2IP and F2IP: integers of 8 or 16 bits from a and b.
struct PackIntegers {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Plan plan{op.extra[0]};
    alignas(64) u32 packed[2][kLanes];
    for (int slot = 0; slot < 2; ++slot) {
      alignas(64) u64 results[kLanes];
      if (is_float(plan.from())) {
        alignas(64) double values[kLanes];
        load_doubles(ctx, op, slot, plan, values);
        round_to_integers(plan.rounding(), values);
        saturate_to_integers(values, plan, results);
      } else {
        i64* const values = reinterpret_cast<i64*>(results);
        load_integers(ctx, op, slot, plan, values);
        if (plan.saturate()) clamp_integers(plan.from(), plan.to(), values);
      }
      for (int l = 0; l < kLanes; ++l) packed[slot][l] = static_cast<u32>(results[l]);
    }
    store_packed<kMasked>(ctx, op, mask, width_of(plan.to()), packed[0], packed[1]);
  }
};
// ---- Lowering

u32 source_type(const Instruction& in) { return in.modifier(Modifier::kSourceType); }
u32 destination_type(const Instruction& in) { return in.modifier(Modifier::kDestinationType); }

// Makes `operand`, of this type, the micro-operation's source `slot`.
void lower_source(MicroOp& op, int slot, const sass::Operand& operand, u32 type, Builder& b) {
  using Immediate64 = Builder::Immediate64;
  if (!is_wide(type))
    b.source(op, slot, operand);
  else
    b.source64(op, slot, operand,
               type == kF64   ? Immediate64::kHighWord
               : type == kS64 ? Immediate64::kSignExtended
                              : Immediate64::kZeroExtended);
}

bool lower_to_float(const Instruction& in, MicroOp& op, Builder& b) {  // F2F, I2F, I2FP
  const u32 from = source_type(in), to = destination_type(in);
  if (from > kF64 || !is_float(to) || to > kF64) return false;
  op.extra[0] = plan_bits(in, from, to, 0);
  if (Plan{op.extra[0]}.saturate() && to != kF32) return false;
  lower_source(op, 1, in.sources[0], from, b);
  b.destination(op, in.destination);
  bind_to_float(op);
  return true;
}

bool lower_frnd(const Instruction& in, MicroOp& op, Builder& b) {
  const u32 type = source_type(in);
  if (!is_float(type) || type > kF64) return false;
  op.extra[0] = plan_bits(in, type, type, 0);
  lower_source(op, 1, in.sources[0], type, b);
  b.destination(op, in.destination);
  bind<Frnd>(op);
  return true;
}

bool lower_f2i(const Instruction& in, MicroOp& op, Builder& b) {
  const u32 from = source_type(in), to = destination_type(in);
  if (!is_float(from) || from > kF64 || is_float(to)) return false;
  op.extra[0] = plan_bits(in, from, to, 0);
  lower_source(op, 1, in.sources[0], from, b);
  b.destination(op, in.destination);
  bind<F2i>(op);
  return true;
}

bool lower_i2i(const Instruction& in, MicroOp& op, Builder& b) {
  const u32 from = source_type(in), to = destination_type(in);
  if (is_float(from) || is_float(to) || is_wide(to)) return false;
  op.extra[0] = plan_bits(in, from, to, 0);
  lower_source(op, 1, in.sources[0], from, b);
  b.destination(op, in.destination);
  bind<I2i>(op);
  return true;
}

bool lower_pack_integers(const Instruction& in, MicroOp& op, Builder& b) {  // I2IP, F2IP
  const u32 from = source_type(in), to = destination_type(in);
  if ((is_float(from) && from != kF32) || is_wide(from) || width_of(to) > 16) return false;
  op.extra[0] = plan_bits(in, from, to, 0);
  for (int i = 0; i < 3; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  bind<PackIntegers>(op);
  return true;
}

// Values of Modifier::kPacking.
enum Packing : u32 { kPackAb, kPackAbMergeC, kPackB, kMergeC, kUnpackB, kUnpackBMergeC };

bool lower_f2fp(const Instruction& in, MicroOp& op, Builder& b) {
  const u32 from = source_type(in), to = destination_type(in), packing = in.modifier(Modifier::kPacking);
  if (from > kE5m2 || to > kE5m2 || !is_float(from) || !is_float(to)) return false;
  const bool has_a = packing == kPackAb || packing == kPackAbMergeC;
  const int b_at = has_a || in.sources[2].kind != sass::OperandKind::kNone ? 1 : 0;  // a is not an operand of all forms
  op.extra[0] = plan_bits(in, from, to, has_a ? 0 : b_at);
  if (has_a) b.source(op, 0, in.sources[0]);
  b.source(op, 1, in.sources[b_at]);
  b.source(op, 2, in.sources[b_at + 1]);
  b.destination(op, in.destination);

  const bool halves = to == kF16 || to == kBf16, bytes = to == kE4m3 || to == kE5m2;
  if (has_a && in.sources[0].negated == in.sources[1].negated && in.sources[0].absolute == in.sources[1].absolute) {
    if (from != kF32 || (packing == kPackAb) != halves || !(halves || bytes)) return false;
    const bool plain = op.extra[0] == (kF32 | to << 4);  // no modes
    plain&& to == kF16    ? bind<PackNearest<HalfFormat::kHalf>>(op)
    : plain&& to == kBf16 ? bind<PackNearest<HalfFormat::kBfloat>>(op)
                          : bind<Pack>(op);
    return true;
  }
  if (packing == kPackB && from == kF32 && to == kTf32) return bind<ToFloat>(op), true;
  if (packing == kMergeC && from == kF32 && halves) return bind<Merge>(op), true;
  if (packing == kUnpackB && (from == kE4m3 || from == kE5m2) && to == kF16) return bind<Unpack>(op), true;
  if (packing == kUnpackBMergeC && from == kF16 && bytes) return bind<Pack>(op), true;
  return false;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kF2f, lower_to_float},
    {isa::Executor::kI2f, lower_to_float},
    {isa::Executor::kFrnd, lower_frnd},
    {isa::Executor::kF2i, lower_f2i},
    {isa::Executor::kI2i, lower_i2i},
    {isa::Executor::kI2ip, lower_pack_integers},
    {isa::Executor::kF2ip, lower_pack_integers},
    {isa::Executor::kF2fp, lower_f2fp},
};

}  // namespace

std::span<const LowerEntry> conversion_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
