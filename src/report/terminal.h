// The report for a terminal: plain text, aligned, the answer first.
#pragma once

#include <string>

#include "report/json.h"
#include "report/rollup.h"

namespace lanescope::report {

struct TerminalOptions {
  int width = 80;            // columns; figures that need more get more
  bool color = false;        // ANSI escapes
  bool sass = false;         // the table of instructions too
  int lines = 8;             // source lines a launch
  std::size_t kernels = 30;  // launches shown in full
  Rules rules = Rules::kHardware;
};

// The whole report: each kernel in the order of first launches, then a summary with the worst first.
std::string to_terminal(const Document& document, const TerminalOptions& options);

}  // namespace lanescope::report
