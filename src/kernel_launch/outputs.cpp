#include "kernel_launch/outputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lanescope::kernel_launch {
namespace {

constexpr std::uint64_t kScreenful = 64;  // elements
constexpr std::size_t kWidth = 80, kMostColumns = 16;
constexpr std::uint64_t kDumpWidth = 16, kDumpScreenful = 256;  // bytes

Result<std::uint64_t> count_of(const Print& wish, std::uint64_t all, std::uint64_t screenful, const Names& names) {
  if (wish.count == "all") return all;
  if (wish.count.empty()) return std::min(all, screenful);
  const auto count = evaluate_count(wish.count, names, "the count of --print " + wish.buffer, 0, UINT64_MAX);
  if (!count) return count;
  return std::min(all, *count);
}

std::string heading(const PlannedBuffer& buffer, std::uint64_t shown, std::uint64_t all, std::string_view unit) {
  return fmt::format("{}: {} {}{}\n", buffer.name, all, unit, shown == all ? "" : fmt::format(", the first {}", shown));
}

std::string dump(Bytes bytes) {
  std::string text;
  for (std::uint64_t at = 0; at < bytes.size(); at += kDumpWidth) {
    text += fmt::format("{:8x} ", at);
    for (std::uint64_t i = at; i < std::min<std::uint64_t>(at + kDumpWidth, bytes.size()); ++i)
      text += fmt::format("{}{:02x}", i % 4 == 0 ? " " : "", bytes[i]);
    text += '\n';
  }
  return text;
}

// Right-aligned columns, as many (a power of two) as fit.
std::string columns(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  const std::size_t index_width = std::max<std::size_t>(std::to_string(texts.size()).size(), 5);
  std::size_t count = kMostColumns;
  while (count > 1 && index_width + 1 + count * (width + 1) > kWidth) count /= 2;
  std::string result;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i % count == 0) result += fmt::format("{}{:>{}} ", i == 0 ? "" : "\n", i, index_width);
    result += fmt::format(" {:>{}}", texts[i], width);
  }
  return texts.empty() ? result : result + "\n";
}

bool agree(const Compare& wish, double value, double expected) {
  if (std::isnan(value) || std::isnan(expected)) return std::isnan(value) == std::isnan(expected);
  if (value == expected) return true;  // infinities too
  return std::fabs(value - expected) <= wish.absolute + wish.relative * std::fabs(expected);
}

}  // namespace

Result<std::string> print(const Print& wish, const PlannedBuffer& buffer, Bytes bytes) {
  if (wish.hex) {
    const auto shown = count_of(wish, bytes.size(), kDumpScreenful, buffer.names);
    if (!shown) return tl::unexpected(shown.error());
    return heading(buffer, *shown, bytes.size(), "bytes") + dump(bytes.first(*shown));
  }
  const Type type = wish.type.value_or(buffer.buffer.type);
  const std::uint64_t all = bytes.size() / size_of(type);
  const auto shown = count_of(wish, all, kScreenful, buffer.names);
  if (!shown) return tl::unexpected(shown.error());
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < *shown; ++i) texts.push_back(to_text(type, bytes.data() + i * size_of(type)));
  return heading(buffer, *shown, all, name_of(type)) + columns(texts);
}

Result<std::optional<std::string>> compare(const Compare& wish, const PlannedBuffer& buffer, Bytes bytes,
                                           Bytes expected) {
  if (bytes.size() != expected.size())
    return input_error("{} has {} bytes, and {} has {}", wish.path, expected.size(), buffer.name, bytes.size());
  const Type type = buffer.buffer.type;
  const std::uint32_t size = size_of(type);
  const bool exact = wish.relative == 0 && wish.absolute == 0;
  std::uint64_t different = 0, first = 0, worst = 0;
  double worst_by = -1;
  for (std::uint64_t i = 0; i < bytes.size() / size; ++i) {
    const std::uint8_t* const a = bytes.data() + i * size;
    const std::uint8_t* const b = expected.data() + i * size;
    if (exact ? std::memcmp(a, b, size) == 0 : agree(wish, decode(type, a), decode(type, b))) continue;
    if (different++ == 0) first = i;
    const double by = std::fabs(decode(type, a) - decode(type, b));
    if (by > worst_by) worst_by = by, worst = i;
  }
  if (different == 0) return std::nullopt;
  const auto element = [&](std::uint64_t i) {
    return fmt::format("[{}] is {}, expected {}", i, to_text(type, bytes.data() + i * size),
                       to_text(type, expected.data() + i * size));
  };
  std::string text = fmt::format("{} differs from {} in {} of {} elements: {}", buffer.name, wish.path, different,
                                 bytes.size() / size, element(first));
  if (worst_by >= 0 && worst != first)
    text += fmt::format("; the largest difference, {}: {}", worst_by, element(worst));
  return text;
}

}  // namespace lanescope::kernel_launch
