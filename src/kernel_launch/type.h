// The types of scalars and of buffers' elements: i8 .. u64, f16, bf16, f32, f64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kernel_launch/number.h"

namespace lanescope::kernel_launch {

enum class Type : std::uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF16, kBf16, kF32, kF64 };

// "f32", and what people also write: "float", "s32", "half", "unsigned".
std::optional<Type> parse_type(std::string_view text);
// "i8, u8, ..., f64", for messages.
std::string type_names();

std::string_view name_of(Type type);
std::uint32_t size_of(Type type);  // bytes
bool is_float(Type type);

// Writes the number's bytes; an Error when a whole type cannot hold it. Decimals are rounded to nearest, ties to even.
Result<void> encode(Type type, const Number& number, std::uint8_t* to);
// The value without loss, but for whole numbers beyond 2^53.
double decode(Type type, const std::uint8_t* from);
// As short as reads back as the same value.
std::string to_text(Type type, const std::uint8_t* from);

// The value rounded to a format of 16 bits with that many bits of exponent.
std::uint16_t round_to_16_bits(double value, int exponent_bits);
double from_16_bits(std::uint16_t bits, int exponent_bits);

}  // namespace lanescope::kernel_launch
