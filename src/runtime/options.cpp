#include "runtime/options.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace lanescope::runtime {
namespace {

template <class T>
void read_number(const char* (*lookup)(const char*), const char* name, T& value, std::vector<std::string>& warnings) {
  const char* text = lookup(name);
  if (text == nullptr || *text == '\0') return;
  const std::string_view view(text);
  T parsed{};
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), parsed);
  if (error == std::errc{} && end == view.data() + view.size()) {
    value = parsed;
  } else {
    warnings.push_back(fmt::format("{}={} is not a whole number, so {} is used", name, view, value));
  }
}

void read_switch(const char* (*lookup)(const char*), const char* name, bool& value) {
  const char* text = lookup(name);
  if (text != nullptr && *text != '\0') value = std::string_view(text) != "0";
}

}  // namespace

Options read_options(const char* (*lookup)(const char*)) {
  Options options;
  read_number(lookup, "LANESCOPE_SM", options.sm, options.warnings);
  read_number(lookup, "LANESCOPE_THREADS", options.threads, options.warnings);
  read_number(lookup, "LANESCOPE_LAUNCH_SKIP", options.launch_skip, options.warnings);
  read_number(lookup, "LANESCOPE_LAUNCH_COUNT", options.launch_count, options.warnings);
  read_number(lookup, "LANESCOPE_MAX_INSTRUCTIONS", options.max_instructions, options.warnings);
  read_number(lookup, "LANESCOPE_MEMORY", options.memory, options.warnings);
  read_switch(lookup, "LANESCOPE_DETERMINISTIC", options.deterministic);
  read_switch(lookup, "LANESCOPE_COUNT", options.count);
  if (const char* spool = lookup("LANESCOPE_SPOOL")) options.spool = spool;
  if (const char* kernel = lookup("LANESCOPE_KERNEL"); kernel != nullptr && *kernel != '\0') {
    options.kernel = kernel;
    try {
      options.kernel_filter.emplace(kernel, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
      options.warnings.push_back(
          fmt::format("LANESCOPE_KERNEL={} is not a regular expression, so every kernel is counted", kernel));
    }
  }
  return options;
}

}  // namespace lanescope::runtime
