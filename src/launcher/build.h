// Runs a build so that its programs can run under our runtime.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lanescope::launcher {

// The command's exit code.
Result<int> build(std::vector<std::string> command);

// With what a configuring cmake needs; other commands stay as they are.
std::vector<std::string> with_shared_runtime(std::vector<std::string> command);

}  // namespace lanescope::launcher
