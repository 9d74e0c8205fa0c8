// The small languages of options, which launch files use too.
#include "kernel_launch/job.h"

#include <algorithm>
#include <cmath>

namespace lanescope::kernel_launch {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// "NAME=FILE".
Result<std::pair<std::string, std::string>> parse_pair(std::string_view text, std::string_view example) {
  const std::size_t equals = text.find('=');
  const std::string_view name = trimmed(text.substr(0, equals));
  const std::string_view value = equals == kNowhere ? std::string_view() : trimmed(text.substr(equals + 1));
  if (!is_name(name) || value.empty()) return usage_error("'{}' is not of the form {}", text, example);
  return std::pair(std::string(name), std::string(value));
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == kNowhere) return parts;
    text.remove_prefix(at + 1);
  }
}

bool only_digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == kNowhere; }

}  // namespace

bool is_launch_file(std::string_view path) { return path.ends_with(".toml") || path.ends_with(".json"); }

Result<std::vector<std::string>> parse_dimensions(std::string_view text) {
  std::vector<std::string_view> parts = split_at(text, ',');
  // "16x16x1" too, as messages and Nsight Compute write it.
  if (const auto by_x = split_at(text, 'x'); parts.size() == 1 && std::all_of(by_x.begin(), by_x.end(), only_digits))
    parts = by_x;
  const bool complete = std::none_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (parts.size() > 3 || !complete) return usage_error("'{}' is not of the form X, X,Y or X,Y,Z", text);
  return std::vector<std::string>{parts.begin(), parts.end()};
}

Result<std::pair<std::string, std::string>> parse_set(std::string_view text) { return parse_pair(text, "n=1024"); }

Result<Print> parse_print(std::string_view text) {
  const auto parts = split_at(text, ':');
  Print print{.buffer = std::string(parts[0])};
  if (!is_name(print.buffer) || parts.size() > 3)
    return usage_error("'{}' is not of the form NAME, NAME:TYPE or NAME:TYPE:COUNT", text);
  if (parts.size() > 1 && !parts[1].empty()) {
    print.hex = parts[1] == "hex";
    print.type = parse_type(parts[1]);
    if (!print.hex && !print.type)
      return usage_error("'{}' is not a type; types are {} and hex", parts[1], type_names());
  }
  if (parts.size() > 2) print.count = parts[2];
  return print;
}

Result<Save> parse_save(std::string_view text) {
  auto pair = parse_pair(text, "NAME=FILE");
  if (!pair) return tl::unexpected(pair.error());
  return Save{std::move(pair->first), std::move(pair->second)};
}

Result<Compare> parse_compare(std::string_view text) {
  std::vector<std::string_view> parts = split_at(text, ',');
  Compare compare;
  for (; parts.size() > 1; parts.pop_back()) {  // from the back: a file's name may have commas
    const auto option = parse_pair(parts.back(), "rel=1e-5");
    if (!option || (option->first != "rel" && option->first != "abs")) break;
    const auto number = evaluate(option->second, {});
    if (!number) return tl::unexpected(number.error());
    const double tolerance = number->to_real();
    if (!(tolerance >= 0)) return usage_error("the tolerance {} is not a number from 0 on", option->second);
    (option->first == "rel" ? compare.relative : compare.absolute) = tolerance;
    text = text.substr(0, text.rfind(','));
  }
  auto pair = parse_pair(text, "NAME=FILE or NAME=FILE,rel=1e-5,abs=1e-6");
  if (!pair) return tl::unexpected(pair.error());
  compare.buffer = std::move(pair->first);
  compare.path = std::move(pair->second);
  return compare;
}

}  // namespace lanescope::kernel_launch
