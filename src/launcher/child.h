// Runs a program as a child that has this process's terminal and streams to itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace lanescope::launcher {

struct Child {
  std::string path;                                // the file
  std::vector<std::string> arguments;              // argv, the name first
  std::map<std::string, std::string> environment;  // set on top of this process's
};

struct ChildEnd {
  int code = 0;    // as a shell has it: 128 + the signal that killed it
  int signal = 0;  // that signal, or 0
};

// Waits for the child's end. Signals that are sent to this process alone go on to the child; those of the terminal
// reach it anyway.
Result<ChildEnd> run_child(const Child& child);

// What the value of `name` is after putting `text` before the present one, `separator` between.
std::string prepended(const char* name, const std::string& text, char separator);
std::string appended(const char* name, const std::string& text, char separator);

}  // namespace lanescope::launcher
