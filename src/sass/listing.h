// The disassembly of a module, for people: each function with its offsets and, where the file tells them, source lines.
#pragma once

#include <functional>
#include <string>

#include "loader/module.h"

namespace lanescope::sass {

struct ListingOptions {
  bool source = true;  // a line "// file:line" where the position changes, callers of inlined code behind it
  bool words = false;  // the instruction's 128 bits beside it
  std::function<bool(const loader::Function&)> wanted;  // empty: all functions
};

// What cannot be decoded is shown as such and does not end the listing.
std::string list(const loader::Module& module, const ListingOptions& options);

}  // namespace lanescope::sass
