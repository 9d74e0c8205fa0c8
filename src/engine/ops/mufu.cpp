// MUFU: the approximate functions, equal to the hardware's in every bit.
//
// The unit interpolates quadratically: the operand's top bits choose a segment of three integers, the 17 bits below are
// x, and the result's bits are those of c0 * 2^step + c1 * x + c2 * square(x) * scale after a shift. tools/fit_mufu.py
// made the tables from results that were recorded on an H200 and says more. Denormals are taken for zero and results
// below the least normal number become zero, but for TANH, which is the identity of small values.
#include "engine/ops/families.h"
#include "engine/ops/half.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

struct Segment {
  i32 c0, c1, c2;
};
#include "engine/ops/mufu_tables.inc"

// The square of a 17-bit number over 2^19, with each partial product cut off by itself, as the hardware adds them.
LS_INLINE u32 square(u32 x) {
  u32 sum = 0;
#pragma GCC unroll 17
  for (u32 i = 0; i < 17; ++i) sum += (x >> i & 1) != 0 ? x >> (18 - i) : 0;
  return sum >> 1;
}

constexpr u32 kInfinity = 0x7f800000, kHidden = 0x800000, kFraction = 0x7fffff, kSignBit = 0x80000000;

LS_INLINE i32 exponent_of(u32 v) { return static_cast<i32>(v >> 23 & 0xff); }
LS_INLINE u32 significand_of(u32 v) { return (v & kFraction) | kHidden; }
LS_INLINE bool is_nan(u32 v) { return (v & ~kSignBit) > kInfinity; }

// A result from its biased exponent and its significand, 2^23 to 2^24: to zero and infinity outside of the normal
// range.
LS_INLINE u32 assemble(i32 exponent, i64 significand) {
  const i32 bits =
      static_cast<i32>(static_cast<u32>(exponent) << 23) + static_cast<i32>(significand) - static_cast<i32>(kHidden);
  return exponent < -1 || bits < static_cast<i32>(kHidden)       ? 0
         : exponent > 254 || bits >= static_cast<i32>(kInfinity) ? kInfinity
                                                                 : static_cast<u32>(bits);
}

// fixed * 2^-point cut to a float; 0 <= fixed < 2^53.
LS_INLINE u32 cut_to_float(i64 fixed, i32 point) {
  const u64 bits = as_bits(static_cast<double>(fixed));
  const u32 exponent = static_cast<u32>(static_cast<i32>(bits >> 52) - 1023 + 127 - point);
  return fixed == 0 ? 0 : exponent << 23 | static_cast<u32>(bits >> 29 & kFraction);
}

struct Place {
  u32 segment, x;
};

// A function: its table, step and scale, where an operand lies in the table, and the result of the operand and the sum.

struct Reciprocal {
  static constexpr const Segment* kTable = kReciprocal;
  static constexpr int kStep = 14, kScale = 1;
  static LS_INLINE Place place(u32 v) { return {v >> 16 & 0x7f, (v & 0xffff) << 1}; }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const i32 e = exponent_of(v);
    const u32 normal = assemble(253 - e, (sum + 2 * 0x47e7) >> 16);
    return is_nan(v) ? kFloatNan : (v & kSignBit) | (e == 0 ? kInfinity : e == 255 ? 0 : normal);
  }
};

LS_INLINE u32 with_parity(u32 v) { return (v & kFraction) | (~v >> 23 & 1) << 23; }  // of v's exponent

struct ReciprocalRoot {
  static constexpr const Segment* kTable = kReciprocalRoot;
  static constexpr int kStep = 14, kScale = 2;
  static LS_INLINE Place place(u32 v) { return {with_parity(v) >> 17, v & 0x1ffff}; }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const i32 e = exponent_of(v), half = (e - 127) >> 1;
    const bool power_of_4 = with_parity(v) == 0;
    const u32 normal = power_of_4 ? assemble(127 - half, kHidden) : assemble(126 - half, (sum + 0x7fff) >> 16);
    const bool negative = (v & kSignBit) != 0;
    return is_nan(v) ? kFloatNan : e == 0 ? kInfinity | (v & kSignBit) : negative ? kFloatNan : e == 255 ? 0 : normal;
  }
};

struct Root {
  static constexpr const Segment* kTable = kRoot;
  static constexpr int kStep = 15, kScale = 1;
  static LS_INLINE Place place(u32 v) { return {with_parity(v) >> 17, v & 0x1ffff}; }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const i32 e = exponent_of(v), half = (e - 127) >> 1;
    const u32 normal = assemble(127 + half, (sum + 0x7fff) >> 17);
    const bool negative = (v & kSignBit) != 0;
    return is_nan(v) ? kFloatNan : e == 0 ? v & kSignBit : negative ? kFloatNan : e == 255 ? kInfinity : normal;
  }
};

struct Logarithm {
  static constexpr const Segment* kTable = kLogarithm;
  static constexpr int kStep = 12, kScale = 1;
  static LS_INLINE Place place(u32 v) { return {v >> 17 & 0x3f, v & 0x1ffff}; }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const i32 e = exponent_of(v);
    const i64 part = v == 0x3f800000 ? 0 : (sum + 0x3345) >> 2;
    const i64 fixed = part + static_cast<i64>(e - 127) * (i64{1} << 36);
    const u32 normal = cut_to_float(fixed < 0 ? ~fixed : fixed, 36) | (fixed < 0 ? kSignBit : 0);
    const bool negative = (v & kSignBit) != 0;
    return is_nan(v) ? kFloatNan : e == 0 ? kInfinity | kSignBit : negative ? kFloatNan : e == 255 ? kInfinity : normal;
  }
};

struct Exponential {
  static constexpr const Segment* kTable = kExponential;
  static constexpr int kStep = 13, kScale = 0;
  // |v| with 23 bits after the point, cut; 2^7 and more are out of range.
  static LS_INLINE u32 fixed(u32 v) {
    const i32 e = exponent_of(v), left = e - 127 > 6 ? 6 : e - 127, right = -left > 31 ? 31 : -left;
    return e == 0 ? 0 : left >= 0 ? significand_of(v) << left : significand_of(v) >> right;
  }
  // 2^v = 2^whole * 2^part, 0 <= part < 1.
  static LS_INLINE u32 part(u32 v) {
    const u32 f = fixed(v) & kFraction;
    return (v & kSignBit) != 0 && f != 0 ? f ^ kFraction : f;
  }
  static LS_INLINE i32 whole(u32 v) {
    const u32 f = fixed(v);
    const i32 w = static_cast<i32>(f >> 23);
    return (v & kSignBit) == 0 ? w : (f & kFraction) != 0 ? -w - 1 : -w;
  }
  static LS_INLINE Place place(u32 v) { return {part(v) >> 17, part(v) & 0x1ffff}; }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const u32 normal = assemble(127 + whole(v), (sum + 0x77e2) >> 15);
    return is_nan(v) ? kFloatNan : exponent_of(v) >= 134 ? ((v & kSignBit) != 0 ? 0 : kInfinity) : normal;
  }
};

// The operand is in turns. An angle has 25 bits after the point: the sign of the result, whether the quarter wave is
// mirrored, and 23 bits of it.
template <bool kCosine>
struct QuarterWave {
  static constexpr const Segment* kTable = kQuarterWave;
  static constexpr int kStep = 11, kScale = 0;
  static LS_INLINE u32 angle(u32 v) {
    const i32 e = exponent_of(v), left = e - 125 > 31 ? 31 : e - 125, right = -left > 31 ? 31 : -left;
    const u32 turns = e == 0 || e - 125 > 31 ? 0 : left >= 0 ? significand_of(v) << left : significand_of(v) >> right;
    return turns + (kCosine ? 1u << 23 : 0);
  }
  static LS_INLINE u32 part(u32 v) {
    const u32 a = angle(v);
    return (a >> 23 & 1) != 0 ? ~a & kFraction : a & kFraction;
  }
  static LS_INLINE Place place(u32 v) { return {part(v) >> 17, part(v) & 0x1ffff}; }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const u32 sign = (angle(v) << 7 ^ (kCosine ? 0 : v)) & kSignBit;
    return exponent_of(v) == 255 ? kFloatNan : sign | cut_to_float(sum, 37);
  }
};

// The nearer to 1, the more segments a binade has.
struct HyperbolicTangent {
  static constexpr const Segment* kTable = kHyperbolicTangent;
  static constexpr int kStep = 15, kScale = 0;
  static LS_INLINE Place place(u32 v) {
    constexpr u8 kFirst[11] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43}, kBits[11] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    const i32 binade = exponent_of(v) - 119, inside = binade < 0 ? 0 : binade > 10 ? 10 : binade;
    const u32 bits = kBits[inside], m = v & kFraction;
    return {kFirst[inside] + (m >> (23 - bits)), (m & ((1u << (23 - bits)) - 1)) >> (6 - bits)};
  }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const i32 e = exponent_of(v);
    const u32 magnitude = e < 119 ? v & ~kSignBit : e > 129 ? 0x3f800000 : cut_to_float(sum, 39);
    return is_nan(v) ? kFloatNan : (v & kSignBit) | magnitude;
  }
};

// The reciprocals of a double's upper word, to the upper word of a double: 20 bits of significand instead of 23.
LS_INLINE u32 assemble_high(i32 exponent, i64 significand) {
  const i64 bits = static_cast<i64>(exponent) * (1 << 20) + (significand >> 3) - (1 << 20);
  return bits < 1 << 20 ? 0 : static_cast<u32>(bits);
}
constexpr u32 kHighInfinity = 0x7ff00000;

struct Reciprocal64 {
  static constexpr const Segment* kTable = kReciprocal;
  static constexpr int kStep = Reciprocal::kStep, kScale = Reciprocal::kScale;
  static LS_INLINE Place place(u32 v) { return Reciprocal::place(v << 3); }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const i32 e = static_cast<i32>(v >> 20 & 0x7ff);
    const u32 normal = assemble_high(2045 - e, (sum + 2 * 0x47e7) >> 16);
    const bool nan = (v & ~kSignBit) > kHighInfinity;
    return nan ? kFloatNan : (v & kSignBit) | (e == 0 ? kHighInfinity : e == 0x7ff ? 0 : normal);
  }
};

struct ReciprocalRoot64 {
  static constexpr const Segment* kTable = kReciprocalRoot;
  static constexpr int kStep = ReciprocalRoot::kStep, kScale = ReciprocalRoot::kScale;
  static LS_INLINE u32 fraction(u32 v) { return (v & 0xfffff) << 3 | (~v >> 20 & 1) << 23; }
  static LS_INLINE Place place(u32 v) { return {fraction(v) >> 17, fraction(v) & 0x1ffff}; }
  static LS_INLINE u32 result(u32 v, i64 sum) {
    const i32 e = static_cast<i32>(v >> 20 & 0x7ff), half = (e - 1023) >> 1;
    const u32 normal =
        fraction(v) == 0 ? assemble_high(1023 - half, kHidden) : assemble_high(1022 - half, (sum + 0x7fff) >> 16);
    const bool nan = (v & ~kSignBit) > kHighInfinity, negative = (v & kSignBit) != 0;
    return nan ? kFloatNan : e == 0 ? kHighInfinity | (v & kSignBit) : negative ? kFloatNan : e == 0x7ff ? 0 : normal;
  }
};

template <class F>
LS_INLINE void evaluate(const u32* values, u32* results) {
  alignas(64) u32 segment[kLanes], x[kLanes], squares[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const Place place = F::place(values[l]);
    segment[l] = place.segment, x[l] = place.x;
  }
  for (int l = 0; l < kLanes; ++l) squares[l] = square(x[l]) << F::kScale;
  for (int l = 0; l < kLanes; ++l) {
    const Segment& s = F::kTable[segment[l]];
    const i64 sum = static_cast<i64>(s.c0) * (i64{1} << F::kStep) + static_cast<i64>(s.c1) * static_cast<i32>(x[l]) +
                    static_cast<i64>(s.c2) * static_cast<i32>(squares[l]);
    results[l] = F::result(values[l], sum);
  }
}

// MicroOp::immediate: 1 negated, 2 absolute.
LS_INLINE void load(const Context& ctx, const MicroOp& op, u32* values) {
  const u32* row = source(ctx, op, 1);
  const u32 flags = static_cast<u32>(op.immediate);
  const u32 keep = (flags & 2) != 0 ? ~kSignBit : kAllLanes, flip = (flags & 1) != 0 ? kSignBit : 0;
  for (int l = 0; l < kLanes; ++l) values[l] = (row[l] & keep) ^ flip;
}

template <class F>
struct Single {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 values[kLanes], results[kLanes];
    load(ctx, op, values);
    evaluate<F>(values, results);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return results[l]; });
  }
};

// Half and bfloat16 operands go through single precision; its results are cut.
template <class F, HalfFormat kFormat>
struct Half {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 values[kLanes], results[kLanes];
    alignas(64) u16 halves[kLanes];
    const u32* row = source(ctx, op, 1);
    const u32 flags = static_cast<u32>(op.immediate), shift = (flags & 4) != 0 ? 16 : 0;
    const u32 keep = (flags & 2) != 0 ? 0x7fff : 0xffff, flip = (flags & 1) != 0 ? 0x8000 : 0;
    for (int l = 0; l < kLanes; ++l) halves[l] = static_cast<u16>((row[l] >> shift & keep) ^ flip);
    widen<kFormat, kLanes>(halves, reinterpret_cast<float*>(values));
    evaluate<F>(values, results);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const u32 r = results[l];
      return kFormat == HalfFormat::kHalf ? truncate_to_half(as_float(r)) : is_nan(r) ? kHalfNan : r >> 16;
    });
  }
};

// Values of Modifier::kFunction.
enum Function : u32 { kCos, kSin, kEx2, kLg2, kRcp, kRsq, kRcp64h, kRsq64h, kSqrt, kTanh };

template <class F>
bool bind_function(MicroOp& op, u32 type) {
  switch (type) {
    case 0:
      return bind<Single<F>>(op), true;
    case 1:
      return bind<Half<F, HalfFormat::kHalf>>(op), true;
    case 2:
      return bind<Half<F, HalfFormat::kBfloat>>(op), true;
    default:
      return false;
  }
}

bool lower_mufu(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 1, in.sources[0]);
  b.destination(op, in.destination);
  op.immediate =
      (in.sources[0].negated ? 1 : 0) | (in.sources[0].absolute ? 2 : 0) | (in.modifier(Modifier::kPart) != 0 ? 4 : 0);
  const u32 type = in.modifier(Modifier::kFormat16);  // 0 single, 1 half, 2 bfloat16
  switch (in.modifier(Modifier::kFunction)) {
    case kCos:
      return bind_function<QuarterWave<true>>(op, type);
    case kSin:
      return bind_function<QuarterWave<false>>(op, type);
    case kEx2:
      return bind_function<Exponential>(op, type);
    case kLg2:
      return bind_function<Logarithm>(op, type);
    case kRcp:
      return bind_function<Reciprocal>(op, type);
    case kRsq:
      return bind_function<ReciprocalRoot>(op, type);
    case kRcp64h:
      return bind<Single<Reciprocal64>>(op), true;
    case kRsq64h:
      return bind<Single<ReciprocalRoot64>>(op), true;
    case kSqrt:
      return bind_function<Root>(op, type);
    case kTanh:
      return bind_function<HyperbolicTangent>(op, type);
    default:
      return false;
  }
}

constexpr LowerEntry kEntries[] = {{isa::Executor::kMufu, lower_mufu}};

}  // namespace

std::span<const LowerEntry> mufu_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
