// Bitwise logic, shifts, permutations of bytes, bit counts, and logic of predicates.
#include "engine/ops/families.h"
#include "engine/ops/lanes.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

// ---- LOP3: any function of three bits, by its truth table (bit 4a + 2b + c).

LS_INLINE u32 lop3(u32 a, u32 b, u32 c, u32 lut) {
  u32 value = 0;
  for (int i = 0; i < 8; ++i)
    value |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c) & (0u - (lut >> i & 1u));
  return value;
}

template <u32 kLut>
struct Lop3Fixed {
  static u32 of(u32 a, u32 b, u32 c) { return lop3(a, b, c, kLut); }
};

struct Lop3General {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    const u32 lut = op.extra[0];
    alignas(64) u32 value[kLanes];
    for (int l = 0; l < kLanes; ++l) value[l] = lop3(a[l], b[l], c[l], lut);
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return value[l]; });
    const u32 some = lanes_where([&](int l) { return value[l] != 0; });
    const u32 p = predicate(ctx, op, 0);
    set_predicate(ctx, op, 0, mask, op.extra[1] != 0 ? some & p : some | p);
  }
};

// LOP3.LUT P, RZ, a, b, RZ, 0xc0: are bits of b set in a?
struct TestBits {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const u32 some = lanes_where([&](int l) { return (a[l] & b[l]) != 0; });
    set_predicate(ctx, op, 0, mask, some | predicate(ctx, op, 0));
  }
};

template <u32... kLuts>
bool bind_frequent_lop3(MicroOp& op, u32 lut) {
  return ((lut == kLuts ? (bind<Ternary<Lop3Fixed<kLuts>>>(op), true) : false) || ...);
}

bool lower_lop3(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 3; ++i) b.source(op, i, in.sources[i]);
  for (int i = 0; i < 3; ++i)
    if (in.sources[i].negated || in.sources[i].inverted) return false;
  b.destination(op, in.destination);
  b.predicates(op, in);
  const u32 lut = op.extra[0] = in.modifier(Modifier::kLut);
  op.extra[1] = in.modifier(Modifier::kPredicateAnd);
  const bool wants_predicate = in.predicate_destination[0].index != 7;
  if (wants_predicate && lut == 0xc0 && in.destination.zero && op.extra[1] == 0)
    bind<TestBits>(op);
  else if (wants_predicate ||
           !bind_frequent_lop3<0xc0, 0xfc, 0x3c, 0x96, 0xf8, 0xf2, 0x30, 0x33, 0x0f, 0x78, 0x6a, 0x1e, 0xfe, 0x80, 0xca,
                               0xb8, 0xe8, 0xf3, 0xcf, 0xc3, 0xaa, 0xcc, 0xf0>(op, lut))
    bind<Lop3General>(op);
  return true;
}

// ---- SHF: the pair c:a shifted by b. kShiftType: 0 S64, 1 U64, 2 S32, 3 U32. The high form returns the high word.

enum ShfFlags : u32 { kShfRight = 1, kShfHigh = 2, kShfWrap = 4 };

template <u32 kFlags, int kType>
LS_INLINE u32 shift_funnel(u32 low, u32 amount, u32 high) {
  constexpr bool right = (kFlags & kShfRight) != 0, want_high = (kFlags & kShfHigh) != 0;
  constexpr u32 bits = kType < 2 ? 64 : 32;
  u32 s = amount;
  if constexpr ((kFlags & kShfWrap) != 0)
    s &= bits - 1;
  else
    s = s < bits ? s : bits;
  const u64 pair = static_cast<u64>(high) << 32 | low;
  if constexpr (!right) {
    const u64 shifted = s >= 64 ? 0 : pair << s;
    if constexpr (want_high) return static_cast<u32>(shifted >> 32);
    return static_cast<u32>(shifted);
  } else if constexpr (want_high && kType == 2) {
    return static_cast<u32>(static_cast<i32>(high) >> (s < 31 ? s : 31));
  } else if constexpr (want_high && kType == 3) {
    return s >= 32 ? 0 : high >> s;
  } else if constexpr (kType == 0) {
    const u64 shifted = static_cast<u64>(static_cast<i64>(pair) >> (s < 63 ? s : 63));
    return static_cast<u32>(want_high ? shifted >> 32 : shifted);
  } else {
    const u64 shifted = s >= 64 ? 0 : pair >> s;
    return static_cast<u32>(want_high ? shifted >> 32 : shifted);
  }
}

template <u32 kFlags, int kType>
struct Shf {
  static u32 of(u32 a, u32 b, u32 c) { return shift_funnel<kFlags, kType>(a, b, c); }
};

template <u32 kFlags>
void bind_shf_type(MicroOp& op, u32 type) {
  if (type == 0)
    bind<Ternary<Shf<kFlags, 0>>>(op);
  else if (type == 1)
    bind<Ternary<Shf<kFlags, 1>>>(op);
  else if (type == 2)
    bind<Ternary<Shf<kFlags, 2>>>(op);
  else
    bind<Ternary<Shf<kFlags, 3>>>(op);
}

bool lower_shf(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 3; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  const u32 flags = (in.modifier(Modifier::kShiftRight) != 0 ? kShfRight : 0u) |
                    (in.modifier(Modifier::kHigh) != 0 ? kShfHigh : 0u) |
                    (in.modifier(Modifier::kWrap) != 0 ? kShfWrap : 0u);
  const u32 type = in.modifier(Modifier::kShiftType);
  switch (flags) {
    case 0:
      bind_shf_type<0>(op, type);
      break;
    case 1:
      bind_shf_type<1>(op, type);
      break;
    case 2:
      bind_shf_type<2>(op, type);
      break;
    case 3:
      bind_shf_type<3>(op, type);
      break;
    case 4:
      bind_shf_type<4>(op, type);
      break;
    case 5:
      bind_shf_type<5>(op, type);
      break;
    case 6:
      bind_shf_type<6>(op, type);
      break;
    default:
      bind_shf_type<7>(op, type);
      break;
  }
  return true;
}

// ---- PRMT: bytes of the pair c:a chosen by the nibbles of b (bit 3 of a nibble: its sign, in all bits), or by a mode
// of the PTX instruction prmt: 0 index, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.

LS_INLINE u32 prmt_selector(u32 mode, u32 b) {
  const u32 s = b & 3;
  switch (mode) {
    case 1:
      return (s | (s + 1) << 4 | (s + 2) << 8 | (s + 3) << 12);
    case 2:
      return (s | ((s + 7) & 7) << 4 | ((s + 6) & 7) << 8 | ((s + 5) & 7) << 12);
    case 3:
      return s * 0x1111;
    case 4: {
      u32 selector = 0;
      for (u32 i = 0; i < 4; ++i) selector |= (i > s ? i : s) << 4 * i;
      return selector;
    }
    case 5: {
      u32 selector = 0;
      for (u32 i = 0; i < 4; ++i) selector |= (i < s ? i : s) << 4 * i;
      return selector;
    }
    case 6:
      return (s & 1) != 0 ? 0x3232 : 0x1010;
    default:
      return b;
  }
}

LS_INLINE u32 permute_bytes(u32 a, u32 selector, u32 c) {
  const u64 pair = static_cast<u64>(c) << 32 | a;
  u32 value = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 nibble = selector >> 4 * i & 15;
    u32 byte = static_cast<u32>(pair >> 8 * (nibble & 7)) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    value |= byte << 8 * i;
  }
  return value;
}

struct Prmt {
  static u32 of(u32 a, u32 b, u32 c) { return permute_bytes(a, b, c); }
};

struct PrmtMode {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    const u32 mode = op.extra[0];
    set_row<kMasked>(destination(ctx, op), mask,
                     [&](int l) { return permute_bytes(a[l], prmt_selector(mode, b[l]), c[l]); });
  }
};

bool lower_prmt(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 3; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  op.extra[0] = in.modifier(Modifier::kPermuteMode);
  op.extra[0] == 0 ? bind<Ternary<Prmt>>(op) : bind<PrmtMode>(op);
  return true;
}

// ---- Bit counts and masks.

struct Popc {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32* a = source(ctx, op, 0);
    const u32 flip = op.extra[0];
    set_row<kMasked>(destination(ctx, op), mask,
                     [&](int l) { return static_cast<u32>(__builtin_popcount(a[l] ^ flip)); });
  }
};

struct Brev {
  static u32 of(u32 v) {
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
  }
};

// FLO: the position of the highest one (of the highest bit unlike the sign, for signed), all ones when there is none;
// .SH: counted from the top. Predicate 0: found.
struct Flo {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32* a = source(ctx, op, 0);
    const u32 flip = op.extra[0];
    const bool is_signed = (op.extra[1] & 1) != 0, from_top = (op.extra[1] & 2) != 0;
    alignas(64) u32 value[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      u32 v = a[l] ^ flip;
      if (is_signed && static_cast<i32>(v) < 0) v = ~v;
      const u32 top = v == 0 ? 0 : static_cast<u32>(__builtin_clz(v));
      value[l] = v == 0 ? kAllLanes : from_top ? top : 31 - top;
    }
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) { return value[l]; });
    set_predicate(ctx, op, 0, mask, lanes_where([&](int l) { return value[l] != kAllLanes; }));
  }
};

bool lower_popc(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 0, in.sources[0]);
  b.destination(op, in.destination);
  op.extra[0] = in.sources[0].inverted ? kAllLanes : 0;
  bind<Popc>(op);
  return true;
}

bool lower_flo(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 0, in.sources[0]);
  b.destination(op, in.destination);
  b.predicates(op, in);
  op.extra[0] = in.sources[0].inverted ? kAllLanes : 0;
  op.extra[1] = in.modifier(Modifier::kSigned) | in.modifier(Modifier::kShiftAmount) << 1;
  bind<Flo>(op);
  return true;
}

bool lower_brev(const Instruction& in, MicroOp& op, Builder& b) {
  b.source(op, 1, in.sources[0]);
  b.destination(op, in.destination);
  bind<Unary<Brev>>(op);
  return true;
}

// SGXT: the low b bits of a, sign- or zero-extended. The amount is clamped to 32, or taken modulo 32 (.W).
struct Sgxt {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const bool is_signed = (op.extra[0] & 1) != 0, wrap = (op.extra[0] & 2) != 0;
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const u32 bits = wrap ? b[l] & 31 : (b[l] < 32 ? b[l] : 32);
      if (bits == 0) return u32{0};
      const u32 shift = 32 - bits;
      return is_signed ? static_cast<u32>(static_cast<i32>(a[l] << shift) >> shift) : a[l] << shift >> shift;
    });
  }
};

// BMSK: b ones from bit a on.
struct Bmsk {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    const bool wrap = op.extra[0] != 0;
    set_row<kMasked>(destination(ctx, op), mask, [&](int l) {
      const u32 first = wrap ? a[l] & 31 : a[l], count = wrap ? b[l] & 31 : b[l];
      const u64 ones = count >= 32 ? 0xffffffffull : (1ull << count) - 1;
      return first >= 32 ? u32{0} : static_cast<u32>(ones << first);
    });
  }
};

bool lower_sgxt(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  op.extra[0] = in.modifier(Modifier::kSigned) | in.modifier(Modifier::kWrap) << 1;
  bind<Sgxt>(op);
  return true;
}

bool lower_bmsk(const Instruction& in, MicroOp& op, Builder& b) {
  for (int i = 0; i < 2; ++i) b.source(op, i, in.sources[i]);
  b.destination(op, in.destination);
  op.extra[0] = in.modifier(Modifier::kWrap);
  bind<Bmsk>(op);
  return true;
}

// ---- PLOP3: two functions of three predicates, by their truth tables.

struct Plop3 {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 a = predicate(ctx, op, 0), b = predicate(ctx, op, 1), c = predicate(ctx, op, 2);
    set_predicate(ctx, op, 0, mask, lop3(a, b, c, op.extra[0]));
    set_predicate(ctx, op, 1, mask, lop3(a, b, c, op.extra[1]));
  }
};

bool lower_plop3(const Instruction& in, MicroOp& op, Builder& b) {
  b.predicates(op, in);
  op.extra[0] = in.modifier(Modifier::kLut);
  op.extra[1] = in.modifier(Modifier::kLut2);
  bind<Plop3>(op);
  return true;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kLop3, lower_lop3}, {isa::Executor::kShf, lower_shf},   {isa::Executor::kPrmt, lower_prmt},
    {isa::Executor::kPopc, lower_popc}, {isa::Executor::kFlo, lower_flo},   {isa::Executor::kBrev, lower_brev},
    {isa::Executor::kSgxt, lower_sgxt}, {isa::Executor::kBmsk, lower_bmsk}, {isa::Executor::kPlop3, lower_plop3},
};

}  // namespace

std::span<const LowerEntry> logic_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
