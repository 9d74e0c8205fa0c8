// Runs a job: buffers, then each launch, then what is done with the results.
#pragma once

#include <string>
#include <vector>

#include "kernel_launch/job.h"
#include "loader/module.h"
#include "report/report.h"

namespace lanescope::kernel_launch {

struct RunOptions {
  unsigned threads = 0;                // that run blocks; 0: one a core
  bool deterministic = false;          // blocks in order on one thread
  std::uint64_t max_instructions = 0;  // warp instructions a launch; 0: no limit
};

struct Outcome {
  report::Report report;                // launches, notes and problems
  std::string printed;                  // what --print asked for
  std::vector<std::string> mismatches;  // of --compare, a sentence each
  std::string stopped;                  // why a launch ended early, which leaves out what follows; empty: all completed
};

// An Error is a job that does not fit the kernels or that no hardware would take; nothing has run then.
Result<Outcome> run(const Job& job, loader::Module module, const RunOptions& options);

}  // namespace lanescope::kernel_launch
