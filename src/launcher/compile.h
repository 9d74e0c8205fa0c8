// Compiles a CUDA source file to a program that can be run under our runtime.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lanescope::launcher {

// The flags that our runtime and our reports need.
inline constexpr const char* kCompilerFlags = "-cudart shared -lineinfo";

struct CompileRequest {
  std::string source;
  std::string arch = "sm_90";
  std::vector<std::string> flags;  // more flags for nvcc
  std::string folder;              // where the program goes
};

// The path of the program. nvcc's own messages go to standard error.
Result<std::string> compile(const CompileRequest& request);

// The path of a program of the CUDA toolkit, such as nvcc: in PATH, below $CUDA_HOME or $CUDA_PATH, or in
// /usr/local/cuda.
Result<std::string> find_tool(const std::string& name);

}  // namespace lanescope::launcher
