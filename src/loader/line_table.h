// .debug_line: which source position each instruction comes from.
#pragma once

#include <vector>

#include "loader/elf_view.h"
#include "loader/module.h"

namespace lanescope::loader {

// A place in .debug_line that holds the address of code: where a sequence of rows begins.
struct LineAddress {
  std::uint64_t place = 0;        // offset in .debug_line
  std::uint64_t instruction = 0;  // index in Module::code
};

struct LineSections {
  Bytes line;      // .debug_line
  Bytes str;       // .debug_str: names of inlined functions
  Bytes line_str;  // .debug_line_str: file names from DWARF 5 on
  std::vector<LineAddress> addresses;
};

// Fills files, positions and every function's `positions`. The module's functions must be laid out.
Result<void> read_lines(const LineSections& sections, Module& module);

}  // namespace lanescope::loader
