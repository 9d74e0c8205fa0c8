// Running a kernel for the program.
#pragma once

#include "engine/launch.h"
#include "runtime/state.h"

namespace lanescope::runtime {

struct LaunchShape {
  dim3 grid, block;
  dim3 cluster;  // {1, 1, 1}: none
  std::size_t dynamic_shared = 0;
  bool cooperative = false;
};

// What hardware would refuse before it starts, or cudaSuccess.
cudaError_t check_shape(const Runtime& rt, const Kernel& kernel, const LaunchShape& shape);

// The parameter bytes of a launch: each argument where the kernel expects it.
std::vector<std::uint8_t> parameter_bytes(const loader::Function& function, void* const* arguments);

// Runs the kernel and reports it. A fault in the kernel becomes the context's error, which later calls return.
cudaError_t run_kernel(Runtime& rt, Kernel& kernel, const LaunchShape& shape, void* const* arguments);

// The dynamic shared memory that a launch of `kernel` may ask for.
std::size_t dynamic_shared_limit(const Runtime& rt, const Kernel& kernel);

}  // namespace lanescope::runtime
