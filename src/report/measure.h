// Counts one launch: the observers of its workers, and their sum.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/launch.h"
#include "loader/module.h"
#include "observe/counters.h"
#include "report/build.h"

namespace lanescope::report {

class Measurement {
 public:
  // It must outlive the launch.
  Measurement(const loader::Module& module, const loader::Function& kernel);
  ~Measurement();

  // For engine::LaunchOptions::observe. Thread-safe.
  engine::Observer add_worker();
  // After the launch.
  Measured total();

 private:
  struct Worker;
  std::size_t instructions_;
  bool tell_arrays_;  // the kernel has several arrays of shared memory
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace lanescope::report
