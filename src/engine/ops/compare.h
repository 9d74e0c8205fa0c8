// Comparisons of floating-point values by the numbers of Modifier::kCompare, and the combination with a predicate.
#pragma once

#include "engine/ops/lanes.h"

namespace lanescope::engine::LANESCOPE_TARGET {

enum Comparison : u32 {
  kCompareNever = 0,
  kCompareLess = 1,
  kCompareEqual = 2,
  kCompareLessEqual = 3,
  kCompareGreater = 4,
  kCompareNotEqual = 5,
  kCompareGreaterEqual = 6,
  kCompareOrdered = 7,
  kCompareUnordered = 8,
  kCompareAlways = 15,  // 9 to 14: as 1 to 6, or unordered
};

// The lanes l of which x(l) and y(l), floats or doubles, compare so.
template <class X, class Y>
LS_INLINE u32 compare_lanes(u32 comparison, X x, Y y) {
  // The four relations that are true of two values: exactly one holds.
  const u32 less = lanes_where([&](int l) { return x(l) < y(l); });
  const u32 equal = lanes_where([&](int l) { return x(l) == y(l); });
  const u32 greater = lanes_where([&](int l) { return x(l) > y(l); });
  const u32 unordered = ~(less | equal | greater);
  const auto if_bit = [&](u32 bit, u32 lanes) { return (comparison >> bit & 1) != 0 ? lanes : 0; };
  return if_bit(0, less) | if_bit(1, equal) | if_bit(2, greater) | if_bit(3, unordered);
}

// Values of Modifier::kCombine: AND, OR, XOR.
LS_INLINE u32 combine_masks(u32 how, u32 x, u32 y) { return how == 0 ? x & y : how == 1 ? x | y : x ^ y; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
