// The environment that `lanescope run` sets for the program. Without any of it the library just runs kernels.
//
//   LANESCOPE_SM                 the modelled chip: 80, 86, 89, 90, ... (90)
//   LANESCOPE_THREADS            worker threads (0: one a core)
//   LANESCOPE_KERNEL             count only kernels whose demangled name matches this ECMAScript regular expression
//   LANESCOPE_LAUNCH_SKIP        count from the matching launch after this many (0)
//   LANESCOPE_LAUNCH_COUNT       count this many matching launches (all)
//   LANESCOPE_DETERMINISTIC      1: blocks in order on one thread
//   LANESCOPE_MAX_INSTRUCTIONS   stop a launch after this many warp instructions (0: never)
//   LANESCOPE_COUNT              0: count nothing
//   LANESCOPE_MEMORY             bytes of device memory (the chip's)
//   LANESCOPE_SPOOL              folder for this process's report, <pid>.jsonl (none: no report)
//
// A launch that is not counted still runs.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace lanescope::runtime {

struct Options {
  std::uint32_t sm = 90;
  unsigned threads = 0;
  std::string kernel;  // as given; empty: all
  std::optional<std::regex> kernel_filter;
  std::uint64_t launch_skip = 0;
  std::uint64_t launch_count = UINT64_MAX;
  bool deterministic = false;
  std::uint64_t max_instructions = 0;
  bool count = true;
  std::uint64_t memory = 0;  // 0: the chip's
  std::string spool;
  std::vector<std::string> warnings;  // a sentence for each value that could not be used
};

// `lookup` is getenv, or a test's own.
Options read_options(const char* (*lookup)(const char* name));

}  // namespace lanescope::runtime
