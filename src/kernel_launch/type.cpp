#include "kernel_launch/type.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace lanescope::kernel_launch {
namespace {

struct TypeInfo {
  std::string_view name;
  std::uint32_t bytes;
  enum class Kind : std::uint8_t { kSigned, kUnsigned, kFloat } kind;
};

using Kind = TypeInfo::Kind;

constexpr auto kTypes = std::to_array<TypeInfo>({{"i8", 1, Kind::kSigned},
                                                 {"u8", 1, Kind::kUnsigned},
                                                 {"i16", 2, Kind::kSigned},
                                                 {"u16", 2, Kind::kUnsigned},
                                                 {"i32", 4, Kind::kSigned},
                                                 {"u32", 4, Kind::kUnsigned},
                                                 {"i64", 8, Kind::kSigned},
                                                 {"u64", 8, Kind::kUnsigned},
                                                 {"f16", 2, Kind::kFloat},
                                                 {"bf16", 2, Kind::kFloat},
                                                 {"f32", 4, Kind::kFloat},
                                                 {"f64", 8, Kind::kFloat}});

struct Alias {
  std::string_view name;
  Type type;
};

// PTX's names, C's, and NumPy's.
constexpr auto kAliases = std::to_array<Alias>({
    {"s8", Type::kI8},         {"s16", Type::kI16},      {"s32", Type::kI32},    {"s64", Type::kI64},
    {"char", Type::kI8},       {"short", Type::kI16},    {"int", Type::kI32},    {"long", Type::kI64},
    {"uchar", Type::kU8},      {"ushort", Type::kU16},   {"uint", Type::kU32},   {"ulong", Type::kU64},
    {"bool", Type::kU8},       {"unsigned", Type::kU32}, {"size_t", Type::kU64}, {"half", Type::kF16},
    {"bfloat16", Type::kBf16}, {"float", Type::kF32},    {"double", Type::kF64}, {"int8", Type::kI8},
    {"int16", Type::kI16},     {"int32", Type::kI32},    {"int64", Type::kI64},  {"uint8", Type::kU8},
    {"uint16", Type::kU16},    {"uint32", Type::kU32},   {"uint64", Type::kU64}, {"float16", Type::kF16},
    {"float32", Type::kF32},   {"float64", Type::kF64},
});

const TypeInfo& info(Type type) { return kTypes[static_cast<std::size_t>(type)]; }

constexpr int kF16Exponent = 5, kBf16Exponent = 8;

template <class T>
void put(T value, std::uint8_t* to) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
T get(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

Result<void> encode_whole(Type type, const Number& number, std::uint8_t* to) {
  const TypeInfo& t = info(type);
  const auto value = to_whole(number);
  if (!value) return usage_error("{}, and {} holds whole numbers only", value.error().message, t.name);
  const unsigned bits = 8 * t.bytes;
  const bool is_signed = t.kind == Kind::kSigned;
  const Whole low = is_signed ? -(Whole{1} << (bits - 1)) : 0;
  const Whole high = is_signed ? (Whole{1} << (bits - 1)) - 1 : (Whole{1} << bits) - 1;
  if (*value < low || *value > high) return usage_error("{} does not fit in {} ({} to {})", *value, t.name, low, high);
  const auto word = static_cast<std::uint64_t>(*value);
  std::memcpy(to, &word, t.bytes);  // little endian, as the host is
  return {};
}

double decode_whole(const TypeInfo& t, const std::uint8_t* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, t.bytes);
  if (t.kind == Kind::kUnsigned) return static_cast<double>(word);
  const unsigned shift = 64 - 8 * t.bytes;
  return static_cast<double>(static_cast<std::int64_t>(word << shift) >> shift);
}

}  // namespace

std::optional<Type> parse_type(std::string_view text) {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i].name == text) return static_cast<Type>(i);
  for (const Alias& alias : kAliases)
    if (alias.name == text) return alias.type;
  return std::nullopt;
}

std::string type_names() {
  std::string list;
  for (const TypeInfo& type : kTypes) list += (list.empty() ? "" : ", ") + std::string(type.name);
  return list;
}

std::string_view name_of(Type type) { return info(type).name; }
std::uint32_t size_of(Type type) { return info(type).bytes; }
bool is_float(Type type) { return info(type).kind == Kind::kFloat; }

std::uint16_t round_to_16_bits(double value, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits);
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::fabs(value);
  if (std::isnan(value)) return sign | infinity | static_cast<std::uint16_t>(1 << (mantissa_bits - 1));
  if (std::isinf(value)) return sign | infinity;
  if (size == 0) return sign;
  // In units of the last place there: 1 for denormals, else a mantissa with its leading bit. Rounding up may carry into
  // the exponent, which the addition below gets right, up to infinity.
  const int exponent = std::max(std::ilogb(size), 1 - bias);
  const double units = std::nearbyint(std::scalbn(size, mantissa_bits - exponent));
  const std::int64_t bits =
      (std::int64_t{exponent} + bias - 1) * (std::int64_t{1} << mantissa_bits) + static_cast<std::int64_t>(units);
  return static_cast<std::uint16_t>(sign | std::min<std::int64_t>(bits, infinity));
}

double from_16_bits(std::uint16_t bits, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  double value = 0;
  if (exponent == (1 << exponent_bits) - 1)
    value = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = std::scalbn(mantissa, 1 - bias - mantissa_bits);
  else
    value = std::scalbn(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return (bits & 0x8000) != 0 ? -value : value;
}

Result<void> encode(Type type, const Number& number, std::uint8_t* to) {
  switch (type) {
    case Type::kF16:
      put(round_to_16_bits(number.to_real(), kF16Exponent), to);
      return {};
    case Type::kBf16:
      put(round_to_16_bits(number.to_real(), kBf16Exponent), to);
      return {};
    case Type::kF32:
      put(static_cast<float>(number.to_real()), to);
      return {};
    case Type::kF64:
      put(number.to_real(), to);
      return {};
    default:
      return encode_whole(type, number, to);
  }
}

double decode(Type type, const std::uint8_t* from) {
  switch (type) {
    case Type::kF16:
      return from_16_bits(get<std::uint16_t>(from), kF16Exponent);
    case Type::kBf16:
      return from_16_bits(get<std::uint16_t>(from), kBf16Exponent);
    case Type::kF32:
      return get<float>(from);
    case Type::kF64:
      return get<double>(from);
    default:
      return decode_whole(info(type), from);
  }
}

std::string to_text(Type type, const std::uint8_t* from) {
  switch (type) {
    case Type::kI64:
      return fmt::format("{}", get<std::int64_t>(from));
    case Type::kU64:
      return fmt::format("{}", get<std::uint64_t>(from));
    case Type::kF64:
      return fmt::format("{}", get<double>(from));
    case Type::kF16:
    case Type::kBf16:
    case Type::kF32:
      return fmt::format("{}", static_cast<float>(decode(type, from)));
    default:
      return fmt::format("{}", static_cast<std::int64_t>(decode(type, from)));
  }
}

}  // namespace lanescope::kernel_launch
