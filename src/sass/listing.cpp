#include "sass/listing.h"

#include <iterator>

#include "sass/instruction.h"

namespace lanescope::sass {
namespace {

using Out = std::back_insert_iterator<std::string>;

void list_position(const loader::Module& module, std::int32_t index, Out out) {
  fmt::format_to(out, "  //");
  for (const char* before = " "; index >= 0; before = ", inlined at ") {
    const loader::SourcePosition& at = module.positions[static_cast<std::size_t>(index)];
    fmt::format_to(out, "{}{}:{}", before, module.files[at.file], at.line);
    index = at.inlined_at;
  }
  fmt::format_to(out, "\n");
}

void list_function(const loader::Module& module, const loader::Function& function, const ListingOptions& options,
                   Out out) {
  fmt::format_to(out, "{} ({}, sm_{}):\n", function.demangled, function.is_kernel ? "kernel" : "function", module.sm);
  std::int32_t position = -1;
  for (std::uint32_t i = 0; i < function.count; ++i) {
    const std::int32_t here = i < function.positions.size() ? function.positions[i] : -1;
    if (options.source && here >= 0 && here != position) list_position(module, here, out);
    position = here;
    const Word128 word = module.code[function.first + i];
    const auto decoded = decode(word, 16 * i, module.sm);
    const std::string text = decoded ? to_text(*decoded) : fmt::format("(unknown: {})", decoded.error().message);
    if (options.words)
      fmt::format_to(out, "  {:04x}  {:016x}{:016x}  {}\n", 16 * i, word.high, word.low, text);
    else
      fmt::format_to(out, "  {:04x}  {}\n", 16 * i, text);
  }
}

}  // namespace

std::string list(const loader::Module& module, const ListingOptions& options) {
  std::string text;
  for (const loader::Function& function : module.functions) {
    if (options.wanted && !options.wanted(function)) continue;
    if (!text.empty()) text += '\n';
    list_function(module, function, options, std::back_inserter(text));
  }
  return text;
}

}  // namespace lanescope::sass
