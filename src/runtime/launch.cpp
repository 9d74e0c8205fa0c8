// The entry points that launch kernels.
#include "runtime/launch.h"

#include <vector>

#include "runtime/call.h"
#include "runtime/streams.h"

namespace lanescope::runtime {
namespace {

struct PushedConfiguration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<PushedConfiguration> pushed;

cudaError_t launch(const void* function, const LaunchShape& shape, void* const* arguments, cudaStream_t stream) {
  return call([&](Runtime& rt) {
    Kernel* kernel = nullptr;
    if (!valid_stream(rt, stream)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = find_kernel(rt, function, kernel); error != cudaSuccess) return error;
    LaunchShape complete = shape;
    const auto& fixed = kernel->function->cluster;
    if (fixed[0] != 0) complete.cluster = {fixed[0], fixed[1], fixed[2]};
    return run_kernel(rt, *kernel, complete, arguments);
  });
}

cudaError_t read_attributes(const cudaLaunchConfig_t& config, LaunchShape& shape) {
  if (config.numAttrs != 0 && config.attrs == nullptr) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttributeValue& value = config.attrs[i].val;
    switch (config.attrs[i].id) {
      case cudaLaunchAttributeClusterDimension:
        shape.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
        break;
      case cudaLaunchAttributeCooperative:
        shape.cooperative = value.cooperative != 0;
        break;
      // Nothing overlaps here, so order, priority and cache hints change nothing.
      default:
        break;
    }
  }
  return cudaSuccess;
}

// Events that a launch is asked to record are recorded when it is done.
cudaError_t record_events(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    cudaEvent_t event = nullptr;
    if (attribute.id == cudaLaunchAttributeProgrammaticEvent) event = attribute.val.programmaticEvent.event;
    if (attribute.id == cudaLaunchAttributeLaunchCompletionEvent) event = attribute.val.launchCompletionEvent.event;
    if (event == nullptr) continue;
    if (const cudaError_t error = record_event(event, config.stream); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

LANESCOPE_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  pushed.push_back({grid, block, shared, stream});
  return 0;
}

LANESCOPE_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (pushed.empty()) return record(cudaErrorMissingConfiguration);
  const PushedConfiguration top = pushed.back();
  pushed.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

LANESCOPE_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                           std::size_t shared, cudaStream_t stream) {
  return launch(function, {grid, block, {}, shared, false}, arguments, stream);
}
LANESCOPE_ALSO(cudaLaunchKernel, cudaLaunchKernel_ptsz)

LANESCOPE_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                             std::size_t shared, cudaStream_t stream) {
  return launch(kernel, {grid, block, {}, shared, false}, arguments, stream);
}
LANESCOPE_ALSO(__cudaLaunchKernel, __cudaLaunchKernel_ptsz)

LANESCOPE_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                      std::size_t shared, cudaStream_t stream) {
  return launch(function, {grid, block, {}, shared, true}, arguments, stream);
}
LANESCOPE_ALSO(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz)

LANESCOPE_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                              void** arguments) {
  if (config == nullptr) return record(cudaErrorInvalidValue);
  LaunchShape shape{config->gridDim, config->blockDim, {}, config->dynamicSmemBytes, false};
  if (const cudaError_t error = read_attributes(*config, shape); error != cudaSuccess) return record(error);
  const cudaError_t error = launch(function, shape, arguments, config->stream);
  return error != cudaSuccess ? error : record_events(*config);
}
LANESCOPE_ALSO(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz)

}  // namespace lanescope::runtime
