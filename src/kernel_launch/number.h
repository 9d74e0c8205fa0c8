// Numbers as users write them in arguments, sizes and grids: whole numbers and decimals, names, + - * / % and brackets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lanescope::kernel_launch {

// Wide enough for every value of u64 and i64.
using Whole = __int128;

struct Number {
  bool whole = true;
  Whole integer = 0;
  double real = 0;  // when not whole

  static Number of(Whole value) { return {true, value, 0}; }
  static Number of_real(double value) { return {false, 0, value}; }
  double to_real() const { return whole ? static_cast<double>(integer) : real; }
};

using Names = std::map<std::string, Number, std::less<>>;

// "1024", "0xff", "64K" (1024 times), "1e6", "-inf", "nan", "1.5f", "(n + 255) / 256". Whole numbers divide as in C.
Result<Number> evaluate(std::string_view text, const Names& names);

// The value as a count of something: whole, at least `least`, at most `most`. `what` is for the message: "the grid".
Result<std::uint64_t> evaluate_count(std::string_view text, const Names& names, std::string_view what,
                                     std::uint64_t least, std::uint64_t most);

// A whole number, also of 1e6; an Error for 1.5.
Result<Whole> to_whole(const Number& number);

std::string to_text(const Number& number);

// A name: a letter or _, then letters, digits and _.
bool is_name(std::string_view text);

std::string_view trimmed(std::string_view text);

}  // namespace lanescope::kernel_launch
