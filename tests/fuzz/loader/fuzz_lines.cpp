// Any bytes as a line table. The first byte says how many addresses of sequences follow it, two bytes each; the second,
// how much of the rest is the table of strings.
#include <cstdlib>

#include "loader/line_table.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (size < 2) return 0;
  const std::size_t addresses = bytes[0] % 8, strings = bytes[1];
  bytes = bytes.subspan(2);
  if (bytes.size() < 2 * addresses + strings) return 0;
  loader::Module module;
  module.code.resize(512);
  module.functions = {{.first = 0, .count = 200}, {.first = 200, .count = 312}};
  loader::LineSections sections;
  for (std::size_t i = 0; i < addresses; ++i)
    sections.addresses.push_back({.place = *read_at<std::uint16_t>(bytes, 2 * i), .instruction = 200 * (i % 2)});
  sections.str = sections.line_str = bytes.subspan(2 * addresses, strings);
  sections.line = bytes.subspan(2 * addresses + strings);
  (void)loader::read_lines(sections, module);
  for (const loader::Function& function : module.functions) {
    if (!function.positions.empty() && function.positions.size() != function.count) std::abort();
    for (std::int32_t at : function.positions)
      while (at >= 0) at = module.positions.at(static_cast<std::size_t>(at)).inlined_at;
  }
  return 0;
}
