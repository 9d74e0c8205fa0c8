// Conversions between 16-bit floats and single precision, exact in both directions but for the rounding that is named.
#pragma once

#include "engine/ops/rounding.h"

namespace lanescope::engine::LANESCOPE_TARGET {

// IEEE half to float, exactly; NaNs keep their payload's top bits.
LS_INLINE float half_to_float(u32 h) {
  const u32 sign = (h & 0x8000) << 16, rest = h & 0x7fff;
  // A power-of-two multiplication rebiases the exponent and normalises denormals without a branch.
  const float scaled = as_float(rest << 13) * 0x1p112f;
  const u32 special = rest >= 0x7c00 ? 0x7f800000u | (rest & 0x3ff) << 13 : as_bits(scaled);
  return as_float(special | sign);
}

// Float to IEEE half, to nearest even; overflow gives infinity, NaN the canonical 0x7fff.
LS_INLINE u32 float_to_half(float value) {
  const u32 bits = as_bits(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return 0x7fff;
  if (rest >= 0x47800000) return sign | 0x7c00;
  if (rest < 0x38800000) {  // a denormal half: let the addition round
    const u32 rounded = as_bits(as_float(rest) + 0.5f) - 0x3f000000;
    return sign | rounded;
  }
  const u32 rounded = rest + 0xfff + (rest >> 13 & 1) - 0x38000000;
  return sign | rounded >> 13;
}

// The same toward zero, but that overflow gives infinity.
LS_INLINE u32 truncate_to_half(float value) {
  const u32 bits = as_bits(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  const u32 normal = (rest - 0x38000000) >> 13,
            denormal = static_cast<u32>(static_cast<i32>(as_float(rest < 0x38800000 ? rest : 0) * 0x1p24f));
  return rest > 0x7f800000 ? 0x7fff : sign | (rest >= 0x47800000 ? 0x7c00 : rest < 0x38800000 ? denormal : normal);
}

LS_INLINE float bfloat_to_float(u32 b) { return as_float(b << 16); }
LS_INLINE u32 float_to_bfloat(float value) {
  const u32 bits = as_bits(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

inline constexpr u32 kHalfNan = 0x7fff;  // what arithmetic makes of any NaN, in both 16-bit formats

enum class HalfFormat { kHalf, kBfloat };

// A row of packed pairs is 64 values of 16 bits.
inline constexpr int kHalves = 2 * kLanes;

// Convert kCount values, a multiple of 16: exactly one way, to nearest even with canonical NaNs the other.
template <HalfFormat kFormat, int kCount = kHalves>
LS_INLINE void widen(const u16* halves, float* values) {
  if constexpr (kFormat == HalfFormat::kBfloat) {
    for (int i = 0; i < kCount; ++i) values[i] = bfloat_to_float(halves[i]);
  } else {
#if defined(__AVX512F__)
    for (int i = 0; i < kCount; i += 16)  // the masks only avoid a false warning of g++ 12
      _mm512_storeu_ps(values + i,
                       _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves + i))));
#elif defined(__F16C__)
    for (int i = 0; i < kCount; i += 8)
      _mm256_storeu_ps(values + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves + i))));
#else
    for (int i = 0; i < kCount; ++i) values[i] = half_to_float(halves[i]);
#endif
  }
}

template <HalfFormat kFormat, int kCount = kHalves>
LS_INLINE void narrow(const float* values, u16* halves) {
  if constexpr (kFormat == HalfFormat::kBfloat) {
    for (int i = 0; i < kCount; ++i) halves[i] = static_cast<u16>(float_to_bfloat(values[i]));
  } else {
#if defined(__F16C__)
    alignas(64) float numbers[kCount];
    for (int i = 0; i < kCount; ++i) numbers[i] = as_float(canonical_nan(values[i]));
#if defined(__AVX512F__)
    for (int i = 0; i < kCount; i += 16)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(halves + i),
                          _mm512_maskz_cvtps_ph(0xffff, _mm512_load_ps(numbers + i), _MM_FROUND_TO_NEAREST_INT));
#else
    for (int i = 0; i < kCount; i += 8)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(halves + i),
                       _mm256_cvtps_ph(_mm256_load_ps(numbers + i), _MM_FROUND_TO_NEAREST_INT));
#endif
#else
    for (int i = 0; i < kCount; ++i) halves[i] = static_cast<u16>(float_to_half(values[i]));
#endif
  }
}

}  // namespace lanescope::engine::LANESCOPE_TARGET
