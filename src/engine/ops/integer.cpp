// 32- and 64-bit integer arithmetic and comparisons.
#include "engine/ops/families.h"
#include "engine/ops/lanes.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

// Integer sources can be negated (or inverted, in the extended forms): flag i of MicroOp::immediate is source i's.
LS_INLINE u32 flag_mask(const MicroOp& op, int i) { return 0u - (static_cast<u32>(op.immediate) >> i & 1u); }

i32 negation_flags(const Instruction& in) {
  i32 flags = 0;
  for (int i = 0; i < 3; ++i) flags |= (in.sources[i].negated || in.sources[i].inverted ? 1 : 0) << i;
  return flags;
}

void bind_sources(const Instruction& in, MicroOp& op, Builder& b, int count = 3) {
  for (int i = 0; i < count; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  b.predicates(op, in);
}

// ---- IADD3: d = a + b + c; carries out of 32 bits: predicate 0 when at least one, predicate 1 when two.

struct Iadd3Plain {
  static u32 of(u32 a, u32 b, u32 c) { return a + b + c; }
};

struct Iadd3Negated {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    const u32 ma = flag_mask(op, 0), mb = flag_mask(op, 1), mc = flag_mask(op, 2);
    const u32 ones = 0u - (ma + mb + mc);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return (a[l] ^ ma) + (b[l] ^ mb) + (c[l] ^ mc) + ones; });
  }
};

// With carries. kExtended adds the carries in predicate sources 0 and 1 in place of the ones that complete a negation.
template <bool kExtended>
struct Iadd3Carry {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    const u32 ma = flag_mask(op, 0), mb = flag_mask(op, 1), mc = flag_mask(op, 2);
    const u32 ones = kExtended ? 0 : 0u - (ma + mb + mc);
    const u32 p = kExtended ? predicate(ctx, op, 0) : 0, q = kExtended ? predicate(ctx, op, 1) : 0;
    alignas(64) u64 sum[kLanes];
    for (int l = 0; l < kLanes; ++l)
      sum[l] = static_cast<u64>(a[l] ^ ma) + (b[l] ^ mb) + (c[l] ^ mc) + ones + (p >> l & 1) + (q >> l & 1);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return static_cast<u32>(sum[l]); });
    set_predicate(ctx, op, 0, mask, lanes_where([&](int l) { return sum[l] >> 32 != 0; }));
    set_predicate(ctx, op, 1, mask, lanes_where([&](int l) { return sum[l] >> 33 != 0; }));
  }
};

bool lower_iadd3(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b);
  op.immediate = negation_flags(in);
  const bool carries = in.predicate_destination[0].index != 7 || in.predicate_destination[1].index != 7;
  if (in.modifier(Modifier::kExtended) != 0)
    bind<Iadd3Carry<true>>(op);
  else if (carries)
    bind<Iadd3Carry<false>>(op);
  else if (op.immediate != 0)
    bind<Iadd3Negated>(op);
  else
    bind<Ternary<Iadd3Plain>>(op);
  return true;
}

// VIADD, VIMNMX with two 16-bit halves side by side.
template <class F>
LS_INLINE u32 each_half(u32 a, u32 b, F f) {
  return (f(static_cast<u16>(a), static_cast<u16>(b)) & 0xffffu) |
         f(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16)) << 16;
}

struct AddHalves {
  static u32 of(u32 a, u32 b) {
    return each_half(a, b, [](u16 x, u16 y) { return static_cast<u32>(x) + y; });
  }
};

template <class T>
struct MinMaxHalves {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const u32 minimum = predicate(ctx, op, 0);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const bool least = (minimum >> l & 1) != 0;
      return each_half(a[l], b[l], [&](u16 x, u16 y) {
        const bool less = static_cast<T>(x) < static_cast<T>(y);
        return static_cast<u32>(less == least ? x : y);
      });
    });
  }
};

// VIADD: d = a + b.
struct AddPlain {
  static u32 of(u32 a, u32 b) { return a + b; }
};

bool lower_viadd(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b, 2);
  op.immediate = negation_flags(in);
  if (in.modifier(Modifier::kLanes16) != 0) {
    bind<Binary<AddHalves>>(op);
    return op.immediate == 0;
  }
  if (op.immediate != 0)
    bind<Iadd3Negated>(op);
  else
    bind<Binary<AddPlain>>(op);
  return true;
}

// ---- IMAD: d = a * b + c.

struct ImadPlain {
  static u32 of(u32 a, u32 b, u32 c) { return a * b + c; }
};

struct ImadGeneral {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    const u32 mp = flag_mask(op, 0) ^ flag_mask(op, 1), mc = flag_mask(op, 2);
    const bool extended = op.extra[0] != 0;
    const u32 carry = extended ? predicate(ctx, op, 0) : 0;
    const u32 ones = (mp & 1) + (extended ? 0 : mc & 1);
    set_row<kMasked>(destination(ctx, op), mask,
                     [&](int l) { return ((a[l] * b[l]) ^ mp) + (c[l] ^ mc) + ones + (carry >> l & 1); });
  }
};

bool lower_imad(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b);
  op.immediate = negation_flags(in);
  op.extra[0] = in.modifier(Modifier::kExtended);
  // What the compiler uses IMAD for besides multiplying: moves, additions and shifts.
  if (op.immediate != 0 || op.extra[0] != 0)
    bind<ImadGeneral>(op);
  else
    bind<Ternary<ImadPlain>>(op);
  return true;
}

// IMAD.WIDE: d (64 bits) = a * b + c (64 bits). Predicate 0 is the carry; the extended form adds predicate source 0.
// IMAD.HI: the high word of the same sum.
template <bool kSigned>
LS_INLINE u64 wide_product(u32 a, u32 b) {
  return kSigned ? static_cast<u64>(static_cast<i64>(static_cast<i32>(a)) * static_cast<i32>(b))
                 : static_cast<u64>(a) * b;
}

template <bool kSigned>
struct ImadWidePlain {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const Pair c = source64(ctx, op, 2);
    set_pair<kMasked>(destination(ctx, op), mask, [&](int l) { return wide_product<kSigned>(a[l], b[l]) + c[l]; });
  }
};

template <bool kSigned, bool kHigh>
struct ImadWideGeneral {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const Pair c = source64(ctx, op, 2);
    const u64 mp = 0u - static_cast<u64>((flag_mask(op, 0) ^ flag_mask(op, 1)) & 1);
    const u64 mc = 0u - static_cast<u64>(flag_mask(op, 2) & 1);
    const bool extended = op.extra[0] != 0;
    const u32 carry_in = extended ? predicate(ctx, op, 0) : 0;
    alignas(64) u64 sum[kLanes];
    u32 carry_out = 0;
    for (int l = 0; l < kLanes; ++l) {
      const u64 product = (wide_product<kSigned>(a[l], b[l]) ^ mp) + (mp & 1);
      const u64 addend = c[l] ^ mc;
      const unsigned __int128 total =
          static_cast<unsigned __int128>(product) + addend + (extended ? carry_in >> l & 1 : mc & 1);
      sum[l] = static_cast<u64>(total);
      carry_out |= static_cast<u32>(total >> 64 != 0) << l;
    }
    if constexpr (kHigh)
      set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return static_cast<u32>(sum[l] >> 32); });
    else
      set_pair<kMasked>(destination(ctx, op), mask, [&](int l) { return sum[l]; });
    set_predicate(ctx, op, 0, mask, carry_out);
  }
};

template <bool kHigh>
bool lower_imad_wide(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b, 2);
  const bool is_signed = in.modifier(Modifier::kSigned) != 0;
  b.source64(op, 2, in.sources[2],
             is_signed ? Builder::Immediate64::kSignExtended : Builder::Immediate64::kZeroExtended);
  op.immediate = negation_flags(in);
  op.extra[0] = in.modifier(Modifier::kExtended);
  const bool plain = op.immediate == 0 && op.extra[0] == 0 && in.predicate_destination[0].index == 7;
  if (plain && !kHigh)
    is_signed ? bind<ImadWidePlain<true>>(op) : bind<ImadWidePlain<false>>(op);
  else
    is_signed ? bind<ImadWideGeneral<true, kHigh>>(op) : bind<ImadWideGeneral<false, kHigh>>(op);
  return true;
}

// ---- LEA: d = (a << s) + b; the high form shifts the pair c:a and takes its high word.

struct LeaPlain {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const u32 shift = op.extra[0];
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return (a[l] << shift) + b[l]; });
  }
};

enum LeaFlags : u32 { kLeaHigh = 1, kLeaSignExtend = 2, kLeaExtended = 4 };

struct LeaGeneral {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    const u32 shift = op.extra[0], flags = op.extra[1];
    const u32 ma = flag_mask(op, 0), mb = flag_mask(op, 1);
    const bool extended = (flags & kLeaExtended) != 0;
    const u32 carry_in = extended ? predicate(ctx, op, 0) : 0;
    const u32 ones = extended ? 0 : (ma & 1) + (mb & 1);
    alignas(64) u64 sum[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      const u32 high = (flags & kLeaSignExtend) != 0 ? static_cast<u32>(static_cast<i32>(a[l]) >> 31) : c[l];
      const u64 shifted = (static_cast<u64>(high) << 32 | a[l]) << shift;
      const u32 part = (flags & kLeaHigh) != 0 ? static_cast<u32>(shifted >> 32) : a[l] << shift;
      sum[l] = static_cast<u64>(part ^ ma) + (b[l] ^ mb) + ones + (carry_in >> l & 1);
    }
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return static_cast<u32>(sum[l]); });
    set_predicate(ctx, op, 0, mask, lanes_where([&](int l) { return sum[l] >> 32 != 0; }));
  }
};

bool lower_lea(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b);
  op.immediate = negation_flags(in);
  op.extra[0] = in.modifier(Modifier::kShift);
  op.extra[1] = (in.modifier(Modifier::kHigh) != 0 ? kLeaHigh : 0u) |
                (in.modifier(Modifier::kSignExtend) != 0 ? kLeaSignExtend : 0u) |
                (in.modifier(Modifier::kExtended) != 0 ? kLeaExtended : 0u);
  const bool plain = op.immediate == 0 && op.extra[1] == 0 && in.predicate_destination[0].index == 7;
  plain ? bind<LeaPlain>(op) : bind<LeaGeneral>(op);
  return true;
}

// ---- Comparisons. Values of kCompare: 0 F, 1 LT, 2 EQ, 3 LE, 4 GT, 5 NE, 6 GE, 7 T.

template <class T>
LS_INLINE u32 compare_lanes(u32 comparison, const T* a, const T* b) {
  switch (comparison) {
    case 1:
      return lanes_where([&](int l) { return a[l] < b[l]; });
    case 2:
      return lanes_where([&](int l) { return a[l] == b[l]; });
    case 3:
      return lanes_where([&](int l) { return a[l] <= b[l]; });
    case 4:
      return lanes_where([&](int l) { return a[l] > b[l]; });
    case 5:
      return lanes_where([&](int l) { return a[l] != b[l]; });
    case 6:
      return lanes_where([&](int l) { return a[l] >= b[l]; });
    case 7:
      return kAllLanes;
    default:
      return 0;
  }
}

// Values of kCombine: 0 AND, 1 OR, 2 XOR.
LS_INLINE u32 combine(u32 how, u32 x, u32 y) { return how == 0 ? x & y : how == 1 ? x | y : x ^ y; }

// Destination 0: comparison op predicate; destination 1: (not comparison) op predicate.
LS_INLINE void set_compared(Context& ctx, const MicroOp& op, u32 mask, u32 result) {
  const u32 p = predicate(ctx, op, 0);
  set_predicate(ctx, op, 0, mask, combine(op.extra[0], result, p));
  set_predicate(ctx, op, 1, mask, combine(op.extra[0], ~result, p));
}

template <class T, int kComparison>
struct Isetp {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    set_compared(ctx, op, mask, compare_lanes(kComparison, source<T>(ctx, op, 0), source<T>(ctx, op, 1)));
  }
};

// The high half of a 64-bit comparison: predicate source 1 is the low half's.
template <class T>
struct IsetpExtended {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const T *a = source<T>(ctx, op, 0), *b = source<T>(ctx, op, 1);
    const u32 low = predicate(ctx, op, 1);
    const u32 comparison = op.extra[1];
    const u32 equal = compare_lanes(2, a, b);
    u32 result = 0;
    if (comparison == 7)
      result = kAllLanes;
    else if (comparison == 2)
      result = equal & low;
    else if (comparison == 5)
      result = ~equal | low;
    else if (comparison == 1 || comparison == 3)
      result = compare_lanes(1, a, b) | (equal & low);
    else if (comparison == 4 || comparison == 6)
      result = compare_lanes(4, a, b) | (equal & low);
    set_compared(ctx, op, mask, result);
  }
};

template <class T>
void bind_isetp(MicroOp& op, u32 comparison) {
  switch (comparison) {
    case 0:
      return bind<Isetp<T, 0>>(op);
    case 1:
      return bind<Isetp<T, 1>>(op);
    case 2:
      return bind<Isetp<T, 2>>(op);
    case 3:
      return bind<Isetp<T, 3>>(op);
    case 4:
      return bind<Isetp<T, 4>>(op);
    case 5:
      return bind<Isetp<T, 5>>(op);
    case 6:
      return bind<Isetp<T, 6>>(op);
    default:
      return bind<Isetp<T, 7>>(op);
  }
}

bool lower_isetp(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b, 2);
  op.extra[0] = in.modifier(Modifier::kCombine);
  op.extra[1] = in.modifier(Modifier::kCompare);
  const bool is_signed = in.modifier(Modifier::kSigned) != 0;
  if (op.extra[0] > 2) return false;
  if (in.modifier(Modifier::kExtended) != 0)
    is_signed ? bind<IsetpExtended<i32>>(op) : bind<IsetpExtended<u32>>(op);
  else
    is_signed ? bind_isetp<i32>(op, op.extra[1]) : bind_isetp<u32>(op, op.extra[1]);
  return true;
}

// ---- Minimum and maximum: the minimum where predicate source 0 holds.

template <class T>
struct MinMax {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const T *a = source<T>(ctx, op, 0), *b = source<T>(ctx, op, 1);
    const u32 minimum = predicate(ctx, op, 0);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const T low = a[l] < b[l] ? a[l] : b[l], high = a[l] < b[l] ? b[l] : a[l];
      return static_cast<u32>((minimum >> l & 1) != 0 ? low : high);
    });
  }
};

bool lower_minmax(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b, 2);
  const bool is_signed = in.modifier(Modifier::kSigned) != 0;
  if (in.modifier(Modifier::kKind) >= 2)  // .U16x2, .S16x2
    is_signed ? bind<MinMaxHalves<i16>>(op) : bind<MinMaxHalves<u16>>(op);
  else
    is_signed ? bind<MinMax<i32>>(op) : bind<MinMax<u32>>(op);
  return negation_flags(in) == 0 && in.modifier(Modifier::kRelu) == 0;
}

// VIADDMNMX: minimum or maximum of a + b and c.
template <class T>
struct AddMinMax {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const T* c = source<T>(ctx, op, 2);
    const u32 ma = flag_mask(op, 0), mb = flag_mask(op, 1), ones = 0u - (ma + mb);
    const u32 minimum = predicate(ctx, op, 0);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const T sum = static_cast<T>((a[l] ^ ma) + (b[l] ^ mb) + ones);
      const T low = sum < c[l] ? sum : c[l], high = sum < c[l] ? c[l] : sum;
      return static_cast<u32>((minimum >> l & 1) != 0 ? low : high);
    });
  }
};

bool lower_add_minmax(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b);
  op.immediate = negation_flags(in);
  if ((op.immediate & 4) != 0 || in.modifier(Modifier::kKind) >= 2 || in.modifier(Modifier::kRelu) != 0) return false;
  in.modifier(Modifier::kSigned) != 0 ? bind<AddMinMax<i32>>(op) : bind<AddMinMax<u32>>(op);
  return true;
}

// ---- One source.

struct Absolute {
  static u32 of(u32 a) { return static_cast<i32>(a) < 0 ? 0u - a : a; }
};

bool lower_iabs(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 1, in.sources[0]);
  b.destination(op, in.destination);
  bind<Unary<Absolute>>(op);
  return true;
}

// ---- Video and dot-product instructions.

// VABSDIFF: |a - b| + c; VABSDIFF4: the sum of the four bytes' differences, + c where it accumulates.
template <class T>
struct AbsoluteDifference {
  static u32 of(u32 a, u32 b, u32 c) {
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    return (x < y ? static_cast<u32>(y) - static_cast<u32>(x) : static_cast<u32>(x) - static_cast<u32>(y)) + c;
  }
};

template <class T>
struct AbsoluteDifference4 {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    const bool accumulate = op.extra[0] != 0;
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      u32 sum = accumulate ? c[l] : 0, bytes = c[l];
      for (int i = 0; i < 4; ++i) {
        const i32 x = static_cast<T>(a[l] >> 8 * i), y = static_cast<T>(b[l] >> 8 * i);
        const u32 difference = static_cast<u32>(x < y ? y - x : x - y);
        sum += difference;
        bytes = (bytes & ~(0xffu << 8 * i)) | (difference & 0xff) << 8 * i;
      }
      return accumulate ? sum : bytes;
    });
  }
};

// IDP: a dot product of bytes (.4A), or of two 16-bit elements and two bytes (.2A), plus c.
template <class A, class B>
struct Dot4 {
  static u32 of(u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; ++i)
      c +=
          static_cast<u32>(static_cast<i32>(static_cast<A>(a >> 8 * i)) * static_cast<i32>(static_cast<B>(b >> 8 * i)));
    return c;
  }
};
template <class A, class B, int kFirstByte>
struct Dot2 {
  static u32 of(u32 a, u32 b, u32 c) {
    for (int i = 0; i < 2; ++i)
      c += static_cast<u32>(static_cast<i32>(static_cast<A>(a >> 16 * i)) *
                            static_cast<i32>(static_cast<B>(b >> 8 * (kFirstByte + i))));
    return c;
  }
};

template <class A4, class A2, class B>
void bind_dot(MicroOp& op, bool two, bool high) {
  if (!two)
    bind<Ternary<Dot4<A4, B>>>(op);
  else if (high)
    bind<Ternary<Dot2<A2, B, 2>>>(op);
  else
    bind<Ternary<Dot2<A2, B, 0>>>(op);
}

bool lower_idp(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b);
  const bool a_signed = in.modifier(Modifier::kSigned) != 0, b_signed = in.modifier(Modifier::kSignedB) != 0;
  const bool two = in.row->name == "IDP.2A", high = in.modifier(Modifier::kHigh) != 0;
  if (a_signed)
    b_signed ? bind_dot<i8, i16, i8>(op, two, high) : bind_dot<i8, i16, u8>(op, two, high);
  else
    b_signed ? bind_dot<u8, u16, i8>(op, two, high) : bind_dot<u8, u16, u8>(op, two, high);
  return negation_flags(in) == 0;
}

bool lower_vabsdiff(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b);
  in.modifier(Modifier::kSigned) != 0 ? bind<Ternary<AbsoluteDifference<i32>>>(op)
                                      : bind<Ternary<AbsoluteDifference<u32>>>(op);
  return negation_flags(in) == 0;
}

bool lower_vabsdiff4(const Instruction& in, MicroOp& op, Builder& b) {
  bind_sources(in, op, b);
  op.extra[0] = in.modifier(Modifier::kAccumulate);
  in.modifier(Modifier::kSigned) != 0 ? bind<AbsoluteDifference4<i8>>(op) : bind<AbsoluteDifference4<u8>>(op);
  return negation_flags(in) == 0;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kIadd3, lower_iadd3},
    {isa::Executor::kViadd, lower_viadd},
    {isa::Executor::kImad, lower_imad},
    {isa::Executor::kImadWide, lower_imad_wide<false>},
    {isa::Executor::kImadHi, lower_imad_wide<true>},
    {isa::Executor::kLea, lower_lea},
    {isa::Executor::kIsetp, lower_isetp},
    {isa::Executor::kImnmx, lower_minmax},
    {isa::Executor::kViaddmnmx, lower_add_minmax},
    {isa::Executor::kIabs, lower_iabs},
    {isa::Executor::kIdp, lower_idp},
    {isa::Executor::kVabsdiff, lower_vabsdiff},
    {isa::Executor::kVabsdiff4, lower_vabsdiff4},
};

}  // namespace

std::span<const LowerEntry> integer_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
