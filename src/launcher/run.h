// Runs a program under our runtime and collects what its processes reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/json.h"

namespace lanescope::launcher {

struct RunRequest {
  std::vector<std::string> command;     // the program and its arguments; a .cu file is compiled first
  std::vector<std::string> nvcc_flags;  // for that
  std::optional<std::uint32_t> sm;      // the modelled architecture; none: what the program has code for
  std::string kernel;                   // regular expression; empty: all
  std::uint64_t launch_skip = 0;
  std::optional<std::uint64_t> launch_count;
  unsigned threads = 0;
  bool deterministic = false;
  std::optional<std::uint64_t> max_instructions;
};

// An Error is a program that could not be started. The document's exit code is the program's.
Result<report::Document> run(const RunRequest& request);

// The folder with our libcudart.so.*: next to the tool, where it was built or installed.
Result<std::string> runtime_folder();

}  // namespace lanescope::launcher
