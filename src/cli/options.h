// The options that `run` and `launch` share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::cli {

struct ProgramOptions {
  std::string arch, nvcc_flags;
  unsigned threads = 0;
  bool deterministic = false;
  std::optional<std::uint64_t> max_instructions;
};

void add_program_options(CLI::App& app, ProgramOptions& options);

// "-O2 -DTILE=16" as a shell splits it.
std::vector<std::string> split_flags(const std::string& text);

}  // namespace lanescope::cli
