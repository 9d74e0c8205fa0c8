// Bounds-checked reads of little-endian data from untrusted bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

namespace lanescope {

using Bytes = std::span<const std::uint8_t>;

// The T at `offset`, or nothing when it does not lie whole inside `bytes`.
template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// `count` bytes from `offset`, or nothing when they do not lie whole inside `bytes`.
inline std::optional<Bytes> slice(Bytes bytes, std::uint64_t offset, std::uint64_t count) {
  if (offset > bytes.size() || bytes.size() - offset < count) return std::nullopt;
  return bytes.subspan(offset, count);
}

}  // namespace lanescope
