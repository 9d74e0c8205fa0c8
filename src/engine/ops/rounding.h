// IEEE arithmetic in the roundings and modes that instructions name.
#pragma once

#include "engine/ops/lanes.h"

namespace lanescope::engine::LANESCOPE_TARGET {

// Values of Modifier::kRounding.
enum Rounding : u32 { kNearest = 0, kDown = 1, kUp = 2, kTowardZero = 3 };

// Sets the processor's rounding for a scope. The asm statements keep the arithmetic between them.
template <u32 kRounding>
class RoundingScope {
 public:
  LS_INLINE RoundingScope() {
    if constexpr (kRounding != kNearest) {
      saved_ = _mm_getcsr();
      _mm_setcsr((saved_ & ~0x6000u) | kRounding << 13);
      __asm__ volatile("" ::: "memory");
    }
  }
  LS_INLINE ~RoundingScope() {
    if constexpr (kRounding != kNearest) {
      __asm__ volatile("" ::: "memory");
      _mm_setcsr(saved_);
    }
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  u32 saved_ = 0;
};

// Arithmetic in a scope works on arrays that went through here before it, and its results go through here at its end:
// the compiler then can neither compute before the scope nor after it.
template <class T>
LS_INLINE void settle(T* values) {
  __asm__ volatile("" : : "r"(values) : "memory");
}

inline constexpr u32 kFloatNan = 0x7fffffff;  // what arithmetic makes of any NaN

// A denormal becomes a zero of its sign (.FTZ).
LS_INLINE u32 flush(u32 bits) { return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits; }
LS_INLINE u32 saturate(u32 bits) {
  const float v = as_float(bits);
  return v >= 1.0f ? 0x3f800000 : v > 0.0f ? bits : 0;  // NaN and negative zero too
}
LS_INLINE u32 canonical_nan(float v) { return v != v ? kFloatNan : as_bits(v); }

}  // namespace lanescope::engine::LANESCOPE_TARGET
