// What an atomic operation makes of the old value and its operand.
#pragma once

#include "engine/ops/half.h"

namespace lanescope::engine::LANESCOPE_TARGET {

// Values of Modifier::kAtomicOperation and kAtomicType.
enum AtomicOperation : u32 {
  kAtomicAdd = 0,
  kAtomicMin,
  kAtomicMax,
  kAtomicInc,
  kAtomicDec,
  kAtomicAnd,
  kAtomicOr,
  kAtomicXor,
  kAtomicExchange
};
enum AtomicType : u32 {
  kAtomicU32 = 0,
  kAtomicS32,
  kAtomicU64,
  kAtomicF32,
  kAtomicF16x2,
  kAtomicS64,
  kAtomicF64,
  kAtomicBf16x2,
  kAtomicU16
};

// Bytes a lane, 0 for a type that is not supported.
LS_INLINE u32 atomic_bytes(u32 type) {
  switch (type) {
    case kAtomicU64:
    case kAtomicS64:
    case kAtomicF64:
      return 8;
    case kAtomicU32:
    case kAtomicS32:
    case kAtomicF32:
    case kAtomicF16x2:
    case kAtomicBf16x2:
      return 4;
    case kAtomicU16:
      return 2;
    default:
      return 0;
  }
}

template <class Signed>
LS_INLINE u64 integer_result(u32 operation, u64 old, u64 value, bool is_signed) {
  const Signed a = static_cast<Signed>(old), b = static_cast<Signed>(value);
  const bool less = is_signed ? a < b : old < value;
  switch (operation) {
    case kAtomicAdd:
      return old + value;
    case kAtomicMin:
      return less ? old : value;
    case kAtomicMax:
      return less ? value : old;
    case kAtomicInc:
      return old >= value ? 0 : old + 1;
    case kAtomicDec:
      return old == 0 || old > value ? value : old - 1;
    case kAtomicAnd:
      return old & value;
    case kAtomicOr:
      return old | value;
    case kAtomicXor:
      return old ^ value;
    default:
      return value;
  }
}

// The packed 16-bit forms act on each half.
template <class ToFloat, class FromFloat>
LS_INLINE u32 packed_result(u32 operation, u32 old, u32 value, ToFloat to_float, FromFloat from_float) {
  u32 packed = 0;
  for (int half = 0; half < 2; ++half) {
    const float a = to_float(old >> 16 * half & 0xffff), b = to_float(value >> 16 * half & 0xffff);
    const float result = operation == kAtomicAdd ? a + b : operation == kAtomicMin ? (b < a ? b : a) : (a < b ? b : a);
    packed |= (from_float(result) & 0xffff) << 16 * half;
  }
  return packed;
}

LS_INLINE u64 atomic_result(u32 operation, u32 type, u64 old, u64 value) {
  if (operation == kAtomicExchange) return value;
  switch (type) {
    case kAtomicF32: {
      const float sum = as_float(flush(static_cast<u32>(old))) + as_float(flush(static_cast<u32>(value)));
      return flush(canonical_nan(sum));
    }
    case kAtomicF64: {  // a NaN stays as it is, the added one before the old one
      const double a = as_double(old), b = as_double(value), sum = a + b;
      return b != b ? value : a != a ? old : sum != sum ? 0xfff8000000000000u : as_bits(sum);
    }
    case kAtomicF16x2:
      return packed_result(
          operation, static_cast<u32>(old), static_cast<u32>(value), [](u32 h) { return half_to_float(h); },
          [](float f) { return float_to_half(f); });
    case kAtomicBf16x2:
      return packed_result(
          operation, static_cast<u32>(old), static_cast<u32>(value), [](u32 h) { return bfloat_to_float(h); },
          [](float f) { return float_to_bfloat(f); });
    case kAtomicU64:
    case kAtomicS64:
      return integer_result<i64>(operation, old, value, type == kAtomicS64);
    default:
      return integer_result<i64>(
          operation,
          type == kAtomicS32 ? static_cast<u64>(static_cast<i64>(static_cast<i32>(old))) : static_cast<u32>(old),
          type == kAtomicS32 ? static_cast<u64>(static_cast<i64>(static_cast<i32>(value))) : static_cast<u32>(value),
          type == kAtomicS32);
  }
}

}  // namespace lanescope::engine::LANESCOPE_TARGET
