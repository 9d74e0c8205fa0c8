#include "kernel_launch/fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "launcher/files.h"

namespace lanescope::kernel_launch {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

std::uint64_t splitmix(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * kGoldenGamma;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// Bits of a mantissa with the leading one: numbers of so many bits below 1 are exact in the type.
int precision_of(Type type) {
  switch (type) {
    case Type::kF16:
      return 11;
    case Type::kBf16:
      return 8;
    case Type::kF32:
      return 24;
    default:
      return 53;
  }
}

// The operand at `index`, or what it is without one.
Result<Number> operand(const Fill& fill, std::size_t index, const Number& otherwise, const Names& names) {
  return index < fill.numbers.size() ? evaluate(fill.numbers[index], names) : otherwise;
}

Result<void> put(Type type, const Number& value, std::span<std::uint8_t> to, std::uint64_t index) {
  return encode(type, value, to.data() + index * size_of(type));
}

// Repeats the first element all over.
void repeat(Type type, std::span<std::uint8_t> to) {
  const std::size_t size = size_of(type);
  for (std::size_t done = size; done < to.size();) {
    const std::size_t more = std::min(done, to.size() - done);
    std::memcpy(to.data() + done, to.data(), more);
    done += more;
  }
}

Result<void> fill_constant(const Buffer& buffer, const Names& names, std::span<std::uint8_t> to) {
  const auto value = operand(buffer.fill, 0, Number{}, names);
  if (!value) return tl::unexpected(value.error());
  if (to.empty()) return {};
  if (auto ok = put(buffer.type, *value, to, 0); !ok) return ok;
  repeat(buffer.type, to);
  return {};
}

// Whole types go round where they end, as a counter of that type does.
Result<void> fill_count(const Buffer& buffer, const Names& names, std::uint64_t count, std::span<std::uint8_t> to) {
  const auto start = operand(buffer.fill, 0, Number::of(0), names),
             step = operand(buffer.fill, 1, Number::of(1), names);
  if (!start || !step) return tl::unexpected((start ? step : start).error());
  const Type type = buffer.type;
  if (is_float(type)) {
    for (std::uint64_t i = 0; i < count; ++i)
      if (auto ok = put(type, Number::of_real(start->to_real() + static_cast<double>(i) * step->to_real()), to, i); !ok)
        return ok;
    return {};
  }
  std::uint8_t checked[8];
  if (auto ok = encode(type, *start, checked); !ok) return ok;
  if (auto ok = encode(Type::kI64, *step, checked); !ok) return ok;
  auto value = static_cast<std::uint64_t>(*to_whole(*start));
  const auto by = static_cast<std::uint64_t>(*to_whole(*step));
  for (std::uint64_t i = 0; i < count; ++i, value += by)
    std::memcpy(to.data() + i * size_of(type), &value, size_of(type));
  return {};
}

Result<void> fill_random_whole(Type type, std::uint64_t seed, const Number& low, const Number& high,
                               std::uint64_t count, std::span<std::uint8_t> to) {
  std::uint8_t checked[8];
  if (auto ok = encode(type, low, checked); !ok) return ok;
  const Whole first = *to_whole(low);
  const auto end = to_whole(high);
  if (!end) return tl::unexpected(end.error());
  if (*end <= first) return usage_error("the range of random, {} up to but not {}, is empty", first, *end);
  if (auto ok = encode(type, Number::of(*end - 1), checked); !ok) return ok;
  const auto width = static_cast<unsigned __int128>(*end - first);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Whole value = first + static_cast<Whole>(width * splitmix(seed, i) >> 64);
    if (auto ok = put(type, Number::of(value), to, i); !ok) return ok;
  }
  return {};
}

Result<void> fill_random_real(Type type, std::uint64_t seed, double low, double high, std::uint64_t count,
                              std::span<std::uint8_t> to) {
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high))
    return usage_error("the range of random, {} up to {}, is empty or has no end", low, high);
  const int precision = precision_of(type);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double unit = std::scalbn(static_cast<double>(splitmix(seed, i) >> (64 - precision)), -precision);
    if (auto ok = put(type, Number::of_real(low + unit * (high - low)), to, i); !ok) return ok;
  }
  return {};
}

Result<void> fill_random(const Buffer& buffer, const Names& names, std::uint64_t count, std::span<std::uint8_t> to) {
  const auto seed = operand(buffer.fill, 0, Number{}, names);
  const auto low = operand(buffer.fill, 1, Number::of(0), names), high = operand(buffer.fill, 2, Number::of(1), names);
  for (const auto* number : {&seed, &low, &high})
    if (!*number) return tl::unexpected(number->error());
  const auto whole = to_whole(*seed);
  if (!whole) return usage_error("the seed of random: {}", whole.error().message);
  const auto bits = static_cast<std::uint64_t>(*whole);
  if (is_float(buffer.type)) return fill_random_real(buffer.type, bits, low->to_real(), high->to_real(), count, to);
  if (buffer.fill.numbers.size() > 1) return fill_random_whole(buffer.type, bits, *low, *high, count, to);
  const std::size_t size = size_of(buffer.type);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value = splitmix(bits, i);
    std::memcpy(to.data() + i * size, &value, size);
  }
  return {};
}

Result<void> fill_values(const Buffer& buffer, const Names& names, std::span<std::uint8_t> to) {
  for (std::size_t i = 0; i < buffer.fill.numbers.size(); ++i) {
    const auto value = evaluate(buffer.fill.numbers[i], names);
    if (!value) return tl::unexpected(value.error());
    if (auto ok = put(buffer.type, *value, to, i); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<std::vector<std::uint8_t>> read_bytes(const std::string& path) { return launcher::read_file(path); }

Result<Contents> contents_of(const Buffer& buffer, const Names& names) {
  Contents contents;
  const std::uint32_t size = size_of(buffer.type);
  const bool has_file = buffer.fill.kind == Fill::Kind::kFile, has_values = buffer.fill.kind == Fill::Kind::kValues;
  if (has_file) {
    auto bytes = read_bytes(buffer.fill.path);
    if (!bytes) return tl::unexpected(bytes.error());
    contents.file = std::move(*bytes);
  }
  if (!buffer.count.empty()) {
    const auto count = evaluate_count(buffer.count, names, "its size", 0, kMostElements);
    if (!count) return tl::unexpected(count.error());
    contents.count = *count;
  } else {
    contents.count = has_file ? contents.file.size() / size : buffer.fill.numbers.size();
  }
  if (has_file && contents.file.size() != contents.count * size)
    return usage_error("{} has {} bytes, and {} elements of {} are {}", buffer.fill.path, contents.file.size(),
                       contents.count, name_of(buffer.type), contents.count * size);
  if (has_values && buffer.fill.numbers.size() != contents.count)
    return usage_error("its list has {} values, and its size is {}", buffer.fill.numbers.size(), contents.count);
  return contents;
}

Result<void> fill(const Buffer& buffer, const Contents& contents, const Names& names, std::span<std::uint8_t> to) {
  switch (buffer.fill.kind) {
    case Fill::Kind::kZeros:
      return {};
    case Fill::Kind::kCount:
      return fill_count(buffer, names, contents.count, to);
    case Fill::Kind::kConstant:
      return fill_constant(buffer, names, to);
    case Fill::Kind::kRandom:
      return fill_random(buffer, names, contents.count, to);
    case Fill::Kind::kValues:
      return fill_values(buffer, names, to);
    case Fill::Kind::kFile:
      if (!to.empty()) std::memcpy(to.data(), contents.file.data(), to.size());
      return {};
  }
  return {};
}

}  // namespace lanescope::kernel_launch
