// Loads and stores of all spaces and widths, constants, and matrix loads.
#include "engine/ops/access.h"
#include "engine/ops/families.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

// Values of Modifier::kWidth.
enum Width : u32 { kU8 = 0, kS8 = 1, kU16 = 2, kS16 = 3, k32 = 4, k64 = 5, k128 = 6 };
constexpr u32 width_bytes(u32 width) {
  return width < 2 ? 1 : width < 4 ? 2 : width == k32 ? 4 : width == k64 ? 8 : 16;
}

template <u32 kWidth>
LS_INLINE u32 load_small(const u8* at) {
  if constexpr (kWidth == kU8)
    return *at;
  else if constexpr (kWidth == kS8)
    return static_cast<u32>(static_cast<i32>(static_cast<i8>(*at)));
  else {
    u16 v;
    std::memcpy(&v, at, 2);
    return kWidth == kU16 ? v : static_cast<u32>(static_cast<i32>(static_cast<i16>(v)));
  }
}

// Four lanes' 16 bytes into four rows.
LS_INLINE void load_four_quads(u32* d, const u8* a, const u8* b, const u8* c, const u8* e) {
  const __m128i v0 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a)),
                v1 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
  const __m128i v2 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(c)),
                v3 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(e));
  const __m128i t0 = _mm_unpacklo_epi32(v0, v1), t1 = _mm_unpacklo_epi32(v2, v3);
  const __m128i t2 = _mm_unpackhi_epi32(v0, v1), t3 = _mm_unpackhi_epi32(v2, v3);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(d), _mm_unpacklo_epi64(t0, t1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(d + kLanes), _mm_unpackhi_epi64(t0, t1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(d + 2 * kLanes), _mm_unpacklo_epi64(t2, t3));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(d + 3 * kLanes), _mm_unpackhi_epi64(t2, t3));
}

LS_INLINE void store_four_quads(const u32* s, u8* a, u8* b, u8* c, u8* e) {
  const auto row = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i * kLanes)); };
  const __m128i v0 = row(0), v1 = row(1), v2 = row(2), v3 = row(3);
  const __m128i t0 = _mm_unpacklo_epi32(v0, v1), t1 = _mm_unpacklo_epi32(v2, v3);
  const __m128i t2 = _mm_unpackhi_epi32(v0, v1), t3 = _mm_unpackhi_epi32(v2, v3);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(a), _mm_unpacklo_epi64(t0, t1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(b), _mm_unpackhi_epi64(t0, t1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(c), _mm_unpacklo_epi64(t2, t3));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(e), _mm_unpackhi_epi64(t2, t3));
}

// `at(lane)` is where the lane's bytes are; they go to rows from d on.
template <u32 kWidth, bool kMasked, class At>
LS_INLINE void load_rows(u32* d, u32 mask, At at) {
  if constexpr (kWidth < k32) {
    for_lanes(mask, [&](int l) { d[l] = load_small<kWidth>(at(l)); });
  } else if constexpr (kWidth == k128 && !kMasked) {
    for (int l = 0; l < kLanes; l += 4) load_four_quads(d + l, at(l), at(l + 1), at(l + 2), at(l + 3));
  } else {
    constexpr int kWords = width_bytes(kWidth) / 4;
    const auto one = [&](int l) {
      u32 word[kWords];
      std::memcpy(word, at(l), sizeof word);
      for (int w = 0; w < kWords; ++w) d[w * kLanes + l] = word[w];
    };
    if constexpr (kMasked)
      for_lanes(mask, one);
    else
      for (int l = 0; l < kLanes; ++l) one(l);
  }
}

template <u32 kWidth, bool kMasked, class At>
LS_INLINE void store_rows(const u32* s, u32 mask, At at) {
  if constexpr (kWidth < k32) {
    for_lanes(mask, [&](int l) { std::memcpy(at(l), &s[l], width_bytes(kWidth)); });
  } else if constexpr (kWidth == k128 && !kMasked) {
    for (int l = 0; l < kLanes; l += 4) store_four_quads(s + l, at(l), at(l + 1), at(l + 2), at(l + 3));
  } else {
    constexpr int kWords = width_bytes(kWidth) / 4;
    const auto one = [&](int l) {
      u32 word[kWords];
      for (int w = 0; w < kWords; ++w) word[w] = s[w * kLanes + l];
      std::memcpy(at(l), word, sizeof word);
    };
    if constexpr (kMasked)
      for_lanes(mask, one);
    else
      for (int l = 0; l < kLanes; ++l) one(l);
  }
}

// Do the 32 lanes hold consecutive words?
LS_INLINE bool is_consecutive(const u64* at, u32 bytes) {
  const u64 first = at[0];
  u64 unlike = 0;
  for (int l = 0; l < kLanes; ++l) unlike |= at[l] ^ (first + static_cast<u64>(l) * bytes);
  return unlike == 0;
}

// ---- Global.

template <u32 kWidth, bool kMasked>
LS_INLINE void load_host(u32* d, u32 mask, const Addresses& host) {
  const auto at = [&](int l) { return reinterpret_cast<const u8*>(host.lane[l]); };
  if constexpr (kWidth == k32 && !kMasked) {
    if (is_consecutive(host.lane, 4)) {
      std::memcpy(d, at(0), kRowBytes);
      return;
    }
#if defined(__AVX512F__)
    for (int i = 0; i < kLanes; i += 8) {
      const __m512i from = _mm512_loadu_si512(host.lane + i);
      const __m256i words = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), 0xff, from, nullptr, 1);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(d + i), words);
    }
    return;
#endif
  }
  load_rows<kWidth, kMasked>(d, mask, at);
}

template <u32 kWidth, bool kMasked>
LS_INLINE void store_host(const u32* s, u32 mask, const Addresses& host) {
  const auto at = [&](int l) { return reinterpret_cast<u8*>(host.lane[l]); };
  if constexpr (kWidth == k32 && !kMasked) {
    if (is_consecutive(host.lane, 4)) {
      std::memcpy(at(0), s, kRowBytes);
      return;
    }
  }
  store_rows<kWidth, kMasked>(s, mask, at);
}

template <u32 kWidth>
struct Ldg {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    Addresses address, host;
    form_addresses(ctx, op, address);
    reach_global(ctx, op, mask, address, width_bytes(kWidth), host);
    notify(ctx, op, mask, Space::kGlobal, Access::kLoad, width_bytes(kWidth), address.lane);
    load_host<kWidth, kMasked>(destination(ctx, op), mask, host);
  }
};

template <u32 kWidth>
struct Stg {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    Addresses address, host;
    form_addresses(ctx, op, address);
    reach_global(ctx, op, mask, address, width_bytes(kWidth), host);
    notify(ctx, op, mask, Space::kGlobal, Access::kStore, width_bytes(kWidth), address.lane);
    store_host<kWidth, kMasked>(source(ctx, op, 2), mask, host);
  }
};

// ---- Shared.

LS_INLINE void notify_offsets(Context& ctx, const MicroOp& op, u32 mask, Space space, Access access, u32 bytes,
                              const u32* offset, u32 matrices = 0) {
  if (ctx.observer.memory == nullptr) return;
  Addresses address;
  widen(offset, address);
  notify(ctx, op, mask, space, access, bytes, address.lane, matrices);
}

LS_INLINE void form_shared_offsets(const Context& ctx, const MicroOp& op, u32* out) {
  const u32* base = source(ctx, op, 0);
  const u32 uniform = static_cast<u32>(op.immediate) + source(ctx, op, 1)[0], scale = op.extra[0];
  for (int l = 0; l < kLanes; ++l) out[l] = (base[l] << scale) + uniform;
}

// 16 words of shared memory at offset[0..15]: mostly neighbours.
LS_INLINE void load_half_row(u32* d, const u8* shared, const u32* offset) {
  u32 unlike = 0;
  for (u32 l = 0; l < kLanes / 2; ++l) unlike |= offset[l] ^ (offset[0] + 4 * l);
  if (unlike == 0) {
    std::memcpy(d, shared + offset[0], kRowBytes / 2);
    return;
  }
#if defined(__AVX512F__)
  const __m512i from = _mm512_loadu_si512(offset);
  _mm512_storeu_si512(d, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, from, shared, 1));
#else
  for (int l = 0; l < kLanes / 2; ++l) std::memcpy(&d[l], shared + offset[l], 4);
#endif
}

template <u32 kWidth>
struct Lds {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 offset[kLanes];
    form_shared_offsets(ctx, op, offset);
    reach_shared(ctx, op, mask, offset, width_bytes(kWidth));
    notify_offsets(ctx, op, mask, Space::kShared, Access::kLoad, width_bytes(kWidth), offset);
    u32* d = destination(ctx, op);
    const u8* shared = ctx.shared;
    if constexpr (kWidth == k32 && !kMasked) {
      load_half_row(d, shared, offset);
      load_half_row(d + kLanes / 2, shared, offset + kLanes / 2);
    } else {
      load_rows<kWidth, kMasked>(d, mask, [&](int l) { return shared + offset[l]; });
    }
  }
};

template <u32 kWidth>
struct Sts {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 offset[kLanes];
    form_shared_offsets(ctx, op, offset);
    reach_shared(ctx, op, mask, offset, width_bytes(kWidth));
    notify_offsets(ctx, op, mask, Space::kShared, Access::kStore, width_bytes(kWidth), offset);
    u8* shared = ctx.shared;
    store_rows<kWidth, kMasked>(source(ctx, op, 2), mask, [&](int l) { return shared + offset[l]; });
  }
};

// ---- Local.

template <u32 kWidth, class Each>
LS_INLINE void for_local_words(u32 mask, const u32* offset, Each each) {
  constexpr u32 kWords = (width_bytes(kWidth) + 3) / 4;
  for (u32 w = 0; w < kWords; ++w) for_lanes(mask, [&](int l) { each(w, l, local_place(offset[l] + 4 * w, l)); });
}

template <u32 kWidth>
LS_INLINE void load_local(Context& ctx, u32* d, u32 mask, const u32* offset) {
  for_local_words<kWidth>(mask, offset, [&](u32 w, int l, u64 place) {
    if constexpr (kWidth < k32)
      d[l] = load_small<kWidth>(ctx.local + place);
    else
      std::memcpy(&d[w * kLanes + static_cast<u32>(l)], ctx.local + place, 4);
  });
}

template <u32 kWidth>
LS_INLINE void store_local(Context& ctx, const u32* s, u32 mask, const u32* offset) {
  for_local_words<kWidth>(mask, offset, [&](u32 w, int l, u64 place) {
    std::memcpy(ctx.local + place, &s[w * kLanes + static_cast<u32>(l)], kWidth < k32 ? width_bytes(kWidth) : 4);
  });
}

template <u32 kWidth>
struct Ldl {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 offset[kLanes];
    form_offsets(ctx, op, offset);
    reach_local(ctx, op, mask, offset, width_bytes(kWidth));
    notify_offsets(ctx, op, mask, Space::kLocal, Access::kLoad, width_bytes(kWidth), offset);
    load_local<kWidth>(ctx, destination(ctx, op), mask, offset);
  }
};

template <u32 kWidth>
struct Stl {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    alignas(64) u32 offset[kLanes];
    form_offsets(ctx, op, offset);
    reach_local(ctx, op, mask, offset, width_bytes(kWidth));
    notify_offsets(ctx, op, mask, Space::kLocal, Access::kStore, width_bytes(kWidth), offset);
    store_local<kWidth>(ctx, source(ctx, op, 2), mask, offset);
  }
};

// ---- Generic: each lane's address says which space it reaches.

struct Spaces {
  u32 global, shared, local;
  alignas(64) u32 offset[kLanes];  // in the shared or local window
};

LS_INLINE void sort_spaces(u32 mask, const Addresses& address, Spaces& out) {
  const u32 shared = lanes_where([&](int l) { return address.lane[l] >> 32 == kSharedWindow >> 32; });
  const u32 local = lanes_where([&](int l) { return address.lane[l] >> 32 == kLocalWindow >> 32; });
  out.shared = shared & mask;
  out.local = local & mask;
  out.global = mask & ~shared & ~local;
  for (int l = 0; l < kLanes; ++l) out.offset[l] = static_cast<u32>(address.lane[l]);
}

template <u32 kWidth>
struct Ld {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    constexpr u32 kBytes = width_bytes(kWidth);
    Addresses address, host;
    form_addresses(ctx, op, address);
    Spaces spaces;
    sort_spaces(mask, address, spaces);
    u32* d = destination(ctx, op);
    if (spaces.global != 0) reach_global(ctx, op, spaces.global, address, kBytes, host);
    if (spaces.shared != 0) reach_shared(ctx, op, spaces.shared, spaces.offset, kBytes);
    if (spaces.local != 0) reach_local(ctx, op, spaces.local, spaces.offset, kBytes);
    if (spaces.global != 0) {
      notify(ctx, op, spaces.global, Space::kGlobal, Access::kLoad, kBytes, address.lane);
      load_host<kWidth, true>(d, spaces.global, host);
    }
    if (spaces.shared != 0) {
      notify_offsets(ctx, op, spaces.shared, Space::kShared, Access::kLoad, kBytes, spaces.offset);
      load_rows<kWidth, true>(d, spaces.shared, [&](int l) { return ctx.shared + spaces.offset[l]; });
    }
    if (spaces.local != 0) {
      notify_offsets(ctx, op, spaces.local, Space::kLocal, Access::kLoad, kBytes, spaces.offset);
      load_local<kWidth>(ctx, d, spaces.local, spaces.offset);
    }
  }
};

template <u32 kWidth>
struct St {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    constexpr u32 kBytes = width_bytes(kWidth);
    Addresses address, host;
    form_addresses(ctx, op, address);
    Spaces spaces;
    sort_spaces(mask, address, spaces);
    const u32* s = source(ctx, op, 2);
    if (spaces.global != 0) reach_global(ctx, op, spaces.global, address, kBytes, host);
    if (spaces.shared != 0) reach_shared(ctx, op, spaces.shared, spaces.offset, kBytes);
    if (spaces.local != 0) reach_local(ctx, op, spaces.local, spaces.offset, kBytes);
    if (spaces.global != 0) {
      notify(ctx, op, spaces.global, Space::kGlobal, Access::kStore, kBytes, address.lane);
      store_host<kWidth, true>(s, spaces.global, host);
    }
    if (spaces.shared != 0) {
      notify_offsets(ctx, op, spaces.shared, Space::kShared, Access::kStore, kBytes, spaces.offset);
      store_rows<kWidth, true>(s, spaces.shared, [&](int l) { return ctx.shared + spaces.offset[l]; });
    }
    if (spaces.local != 0) {
      notify_offsets(ctx, op, spaces.local, Space::kLocal, Access::kStore, kBytes, spaces.offset);
      store_local<kWidth>(ctx, s, spaces.local, spaces.offset);
    }
  }
};

// QSPC: does a generic address lie in global (0), local (1), the block's shared (2) or any shared memory (3)?
struct Qspc {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    Addresses address;
    form_addresses(ctx, op, address);
    Spaces spaces;
    sort_spaces(kAllLanes, address, spaces);
    const u32 own = lanes_where([&](int l) { return spaces.offset[l] >> 24 == ctx.shared_rank; });
    const u32 answers[4] = {spaces.global, spaces.local, spaces.shared & own, spaces.shared};
    set_predicate(ctx, op, 0, mask, answers[op.extra[0] & 3]);
  }
};

bool lower_qspc(const Instruction& in, MicroOp& op, Builder& b) {
  sass::Address address = in.address;
  address.wide |= in.modifier(Modifier::kAddress64) != 0;
  lower_address(address, op, b);
  b.predicates(op, in);
  op.extra[0] = in.modifier(Modifier::kKind);
  bind<Qspc>(op);
  return in.destination.zero;
}

// ---- Lowering of loads and stores.

template <template <u32> class Op>
bool bind_width(MicroOp& op, u32 width) {
  switch (width) {
    case kU8:
      bind<Op<kU8>>(op);
      return true;
    case kS8:
      bind<Op<kS8>>(op);
      return true;
    case kU16:
      bind<Op<kU16>>(op);
      return true;
    case kS16:
      bind<Op<kS16>>(op);
      return true;
    case k32:
      bind<Op<k32>>(op);
      return true;
    case k64:
      bind<Op<k64>>(op);
      return true;
    case k128:
      bind<Op<k128>>(op);
      return true;
    default:
      return false;
  }
}

template <template <u32> class Op>
bool lower_load(const Instruction& in, MicroOp& op, Builder& b) {
  lower_address(in.address, op, b);
  b.destination(op, in.destination);
  return bind_width<Op>(op, in.modifier(Modifier::kWidth));
}

template <template <u32> class Op>
bool lower_store(const Instruction& in, MicroOp& op, Builder& b) {
  lower_address(in.address, op, b);
  b.source(op, 2, in.sources[0]);
  return bind_width<Op>(op, in.modifier(Modifier::kWidth));
}

// ---- Constants.

// An indexed load: bank in extra[0], width in extra[1].
struct Ldc {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const Bytes bank = ctx.worker->launch->banks[op.extra[0]];
    const u32* index = source(ctx, op, 0);
    u32* d = destination(ctx, op);
    const u32 bytes = width_bytes(op.extra[1]);
    for_lanes(mask, [&](int l) {
      const u32 at = index[l] + static_cast<u32>(op.immediate);
      if (at > bank.size() || bank.size() - at < bytes) stop_bad_constant(ctx, op, static_cast<u32>(l), at);
      const u8* from = bank.data() + at;
      switch (op.extra[1]) {
        case kU8:
          d[l] = load_small<kU8>(from);
          break;
        case kS8:
          d[l] = load_small<kS8>(from);
          break;
        case kU16:
          d[l] = load_small<kU16>(from);
          break;
        case kS16:
          d[l] = load_small<kS16>(from);
          break;
        default:
          for (u32 w = 0; w < bytes / 4; ++w) std::memcpy(&d[w * kLanes + static_cast<u32>(l)], from + 4 * w, 4);
      }
    });
  }
};

struct Move {
  static u32 of(u32 v) { return v; }
};
struct MovePair {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32* b = source(ctx, op, 1);
    u32* d = destination(ctx, op);
    set_row<kMasked>(d, mask, [&](int l) { return b[l]; });
    set_row<kMasked>(d + kLanes, mask, [&](int l) { return b[l + kLanes]; });
  }
};

bool lower_ldc(const Instruction& in, MicroOp& op, Builder& b) {
  const sass::Operand& constant = in.sources[0];
  const u32 width = in.modifier(Modifier::kWidth);
  if (constant.kind != sass::OperandKind::kConstant || constant.bank >= kBanks || width > k128) return false;
  b.destination(op, in.destination);
  const bool indexed = in.address.base != 255 || in.address.uniform >= 0;
  if (!indexed && width == k32) {
    b.source(op, 1, constant);
    bind<Unary<Move>>(op);
  } else if (!indexed && width == k64) {
    b.source64(op, 1, constant, Builder::Immediate64::kZeroExtended);
    bind<MovePair>(op);
  } else {
    // The index is in the register file of the destination.
    if (in.destination.kind == sass::OperandKind::kUniformRegister)
      b.uniform(op, 0, in.address.uniform >= 0 ? in.address.uniform : in.address.base);
    else
      b.reg(op, 0, in.address.base);
    op.immediate = static_cast<i32>(sign_extend(constant.value & 0xffff, 16));
    op.extra[0] = constant.bank;
    op.extra[1] = width;
    bind<Ldc>(op);
  }
  return true;
}

// ---- LDSM, STSM: 8x8 matrices of 16-bit elements; lane 8m + r names row r of matrix m. Lane l holds elements 2(l % 4)
// and the next of row l / 4 or, transposed, of column l / 4.

template <bool kStore, bool kTransposed>
struct MatrixAccess {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 matrices = op.extra[1];
    const u32 named = matrices >= 4 ? kAllLanes : (1u << 8 * matrices) - 1;
    alignas(64) u32 offset[kLanes];
    form_shared_offsets(ctx, op, offset);
    reach_shared(ctx, op, mask & named, offset, 16);
    notify_offsets(ctx, op, mask & named, Space::kShared, kStore ? Access::kMatrixStore : Access::kMatrixLoad, 16,
                   offset, matrices);
    u32* rows = kStore ? const_cast<u32*>(source(ctx, op, 2)) : destination(ctx, op);
    for (u32 m = 0; m < matrices; ++m)
      for_lanes(mask, [&](int l) {
        u32& word = rows[m * kLanes + static_cast<u32>(l)];
        for (u32 half = 0; half < 2; ++half) {
          const u32 along = 2 * (static_cast<u32>(l) & 3) + half, across = static_cast<u32>(l) >> 2;
          const u32 row = kTransposed ? along : across, column = kTransposed ? across : along;
          u8* at = ctx.shared + offset[8 * m + row] + 2 * column;
          u8* part = reinterpret_cast<u8*>(&word) + 2 * half;
          kStore ? std::memcpy(at, part, 2) : std::memcpy(part, at, 2);
        }
      });
  }
};

template <bool kStore>
bool lower_matrix(const Instruction& in, MicroOp& op, Builder& b) {
  lower_address(in.address, op, b);
  if constexpr (kStore)
    b.source(op, 2, in.sources[0]);
  else
    b.destination(op, in.destination);
  const u32 count = in.modifier(Modifier::kMatrixCount);
  if (count > 2) return false;
  op.extra[1] = 1u << count;
  in.modifier(Modifier::kTranspose) != 0 ? bind<MatrixAccess<kStore, true>>(op) : bind<MatrixAccess<kStore, false>>(op);
  return true;
}

constexpr LowerEntry kEntries[] = {
    {isa::Executor::kLdg, lower_load<Ldg>},      {isa::Executor::kStg, lower_store<Stg>},
    {isa::Executor::kLds, lower_load<Lds>},      {isa::Executor::kSts, lower_store<Sts>},
    {isa::Executor::kLdl, lower_load<Ldl>},      {isa::Executor::kStl, lower_store<Stl>},
    {isa::Executor::kLd, lower_load<Ld>},        {isa::Executor::kQspc, lower_qspc},
    {isa::Executor::kSt, lower_store<St>},       {isa::Executor::kLdc, lower_ldc},
    {isa::Executor::kLdsm, lower_matrix<false>}, {isa::Executor::kStsm, lower_matrix<true>},
};

}  // namespace

void lower_address(const sass::Address& address, MicroOp& op, Builder& b) {
  b.reg(op, 0, address.base);
  b.uniform(op, 1, address.uniform);
  op.immediate = address.offset;
  op.slot = b.memory_slots++;
  op.extra[0] = address.scale == 16 ? 4 : address.scale == 8 ? 3 : address.scale == 4 ? 2 : 0;
  op.extra[1] = (address.wide ? kBaseWide : 0u) | (address.uniform >= 0 ? kHasUniform : 0u) |
                (address.uniform_wide ? kUniformWide : 0u);
}

std::span<const LowerEntry> memory_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
