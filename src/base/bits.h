// Bit fields of machine words.
#pragma once

#include <cstdint>

namespace lanescope {

// A 128-bit instruction: bit 0 is bit 0 of `low`, bit 64 is bit 0 of `high`.
struct Word128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Word128&, const Word128&) = default;

  // Bits first .. first + count - 1, count at most 64; a field may straddle bit 64.
  constexpr std::uint64_t bits(unsigned first, unsigned count) const {
    std::uint64_t value = first >= 64 ? high >> (first - 64) : first == 0 ? low : low >> first | high << (64 - first);
    return count >= 64 ? value : value & ((std::uint64_t{1} << count) - 1);
  }
  constexpr bool bit(unsigned index) const { return bits(index, 1) != 0; }
};

// `value` of `width` bits, sign-extended.
constexpr std::int64_t sign_extend(std::uint64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

}  // namespace lanescope
