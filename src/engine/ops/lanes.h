// How semantic functions meet rows of lanes. Everything here and in the ops' sources is compiled once a target
// (LANESCOPE_TARGET: baseline x86-64, x86-64-v3, x86-64-v4) and the processor's best is chosen at start-up, so the
// loops below are plain: the compiler turns each into a few vector instructions. Nothing in these sources may leave a
// weak symbol behind (a standard-library template, an inline function that is not inlined), or the linker could pick
// the copy of a target that the processor lacks; tests/unit/engine checks the objects.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "engine/microop.h"

#define LS_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define LS_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LS_LANES _Pragma("GCC ivdep")
#endif

namespace lanescope::engine::LANESCOPE_TARGET {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

template <class T = u32>
LS_INLINE const T* source(const Context& ctx, const MicroOp& op, int slot) {
  return reinterpret_cast<const T*>(ctx.base[op.base[slot]] + op.offset[slot]);
}
template <class T = u32>
LS_INLINE T* destination(const Context& ctx, const MicroOp& op) {
  return reinterpret_cast<T*>(ctx.base[0] + op.destination);
}

// Two rows as 64-bit values.
struct Pair {
  const u32* low;
  LS_INLINE u64 operator[](int lane) const { return low[lane] | static_cast<u64>(low[lane + kLanes]) << 32; }
};
LS_INLINE Pair source64(const Context& ctx, const MicroOp& op, int slot) { return {source(ctx, op, slot)}; }

LS_INLINE float as_float(u32 v) { return __builtin_bit_cast(float, v); }
LS_INLINE u32 as_bits(float v) { return __builtin_bit_cast(u32, v); }
LS_INLINE double as_double(u64 v) { return __builtin_bit_cast(double, v); }
LS_INLINE u64 as_bits(double v) { return __builtin_bit_cast(u64, v); }

// A mask of 32 lanes from -1 (yes) and 0 (no).
LS_INLINE u32 pack(const i32* yes) {
#if defined(__AVX512DQ__)
  const u32 low = _mm512_movepi32_mask(_mm512_loadu_si512(yes));
  const u32 high = _mm512_movepi32_mask(_mm512_loadu_si512(yes + 16));
  return low | high << 16;
#elif defined(__AVX2__)
  u32 bits = 0;
  for (int i = 0; i < 4; ++i)
    bits |= static_cast<u32>(_mm256_movemask_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(yes + 8 * i)))) << 8 * i;
  return bits;
#else
  u32 bits = 0;
  for (int i = 0; i < kLanes; ++i) bits |= static_cast<u32>(yes[i] & 1) << i;
  return bits;
#endif
}

// The mask of lanes for which `test(lane)` holds; all 32 are asked.
template <class F>
LS_INLINE u32 lanes_where(F test) {
  alignas(64) i32 yes[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) yes[lane] = test(lane) ? -1 : 0;
  return pack(yes);
}

// The opposite of pack(): -1 in the lanes of `mask`.
LS_INLINE void spread(u32 mask, i32* yes) {
  LS_LANES
  for (int lane = 0; lane < kLanes; ++lane) yes[lane] = -static_cast<i32>(mask >> lane & 1);
}

// d[lane] = f(lane) for the lanes of `mask`.
template <bool kMasked, class F>
LS_INLINE void set_row(u32* d, u32 mask, F f) {
  if constexpr (kMasked) {
    LS_LANES
    for (int lane = 0; lane < kLanes; ++lane) {
      const u32 value = f(lane);
      d[lane] = (mask >> lane & 1) != 0 ? value : d[lane];
    }
  } else {
    LS_LANES
    for (int lane = 0; lane < kLanes; ++lane) d[lane] = f(lane);
  }
}

// The same for 64-bit results in two rows. The values are formed before any is stored: the rows of a source pair may
// overlap those of the destination.
template <bool kMasked, class F>
LS_INLINE void set_pair(u32* d, u32 mask, F f) {
  alignas(64) u64 value[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) value[lane] = f(lane);
  set_row<kMasked>(d, mask, [&](int lane) { return static_cast<u32>(value[lane]); });
  set_row<kMasked>(d + kLanes, mask, [&](int lane) { return static_cast<u32>(value[lane] >> 32); });
}

LS_INLINE u32 predicate(const Context& ctx, const MicroOp& op, int i) {
  const u32 flip = 0u - (op.predicate_flips >> i & 1u);
  return reinterpret_cast<const FrameHeader*>(ctx.base[0])->predicate[op.predicate_source[i]] ^ flip;
}
LS_INLINE void set_predicate(const Context& ctx, const MicroOp& op, int i, u32 mask, u32 bits) {
  u32& p = reinterpret_cast<FrameHeader*>(ctx.base[0])->predicate[op.predicate_destination[i]];
  p = (p & ~mask) | (bits & mask);
}

LS_INLINE int first_lane(u32 mask) { return __builtin_ctz(mask); }
template <class F>
LS_INLINE void for_lanes(u32 mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(__builtin_ctz(mask));
}

// A uniform register: one value in all lanes.
LS_INLINE void set_uniform(u32* d, u32 value) {
  for (int lane = 0; lane < kLanes; ++lane) d[lane] = value;
}

// Makes a pair of handlers of a functor type with `template <bool kMasked> static void run(Context&, const MicroOp&,
// u32)`.
template <class Op>
LS_INLINE void bind(MicroOp& op) {
  op.full = Op::template run<false>;
  op.masked = Op::template run<true>;
}
// The common shapes: a struct with a static function of the sources' values.
template <class Op>
struct Unary {  // u32 Op::of(b)
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32* b = source(ctx, op, 1);
    set_row<kMasked>(destination(ctx, op), mask, [&](int lane) { return Op::of(b[lane]); });
  }
};
template <class Op>
struct Binary {  // u32 Op::of(a, b)
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1);
    set_row<kMasked>(destination(ctx, op), mask, [&](int lane) { return Op::of(a[lane], b[lane]); });
  }
};
template <class Op>
struct Ternary {  // u32 Op::of(a, b, c)
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 *a = source(ctx, op, 0), *b = source(ctx, op, 1), *c = source(ctx, op, 2);
    set_row<kMasked>(destination(ctx, op), mask, [&](int lane) { return Op::of(a[lane], b[lane], c[lane]); });
  }
};

}  // namespace lanescope::engine::LANESCOPE_TARGET
