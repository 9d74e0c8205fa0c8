// Errors that the user caused or can act on travel as values; assertions are for our own bugs.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace lanescope {

// Whose fault it is decides the exit code: kUsage 2, kInput 3, kInternal 4.
enum class Fault { kUsage = 2, kInput = 3, kInternal = 4 };

// `message` is one sentence for the user: what, where, and what to do about it.
struct Error {
  Fault fault = Fault::kInput;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

template <class... Args>
tl::unexpected<Error> input_error(fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected(Error{Fault::kInput, fmt::format(text, std::forward<Args>(args)...)});
}

template <class... Args>
tl::unexpected<Error> usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected(Error{Fault::kUsage, fmt::format(text, std::forward<Args>(args)...)});
}

template <class... Args>
tl::unexpected<Error> internal_error(fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected(Error{Fault::kInternal, fmt::format(text, std::forward<Args>(args)...)});
}

}  // namespace lanescope
