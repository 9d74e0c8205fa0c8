// What programs ask and set about kernels: attributes, names, parameters, occupancy.
#include <algorithm>

#include "runtime/call.h"
#include "runtime/launch.h"
#include "runtime/occupancy.h"

namespace lanescope::runtime {
namespace {

template <class Body>
cudaError_t call_with(const void* function, Body&& body) {
  return call([&](Runtime& rt) {
    Kernel* kernel = nullptr;
    const cudaError_t error = find_kernel(rt, function, kernel);
    return error != cudaSuccess ? error : body(rt, *kernel);
  });
}

int max_threads(const Runtime& rt, const loader::Function& function) {
  const int hardware = std::min(rt.properties.maxThreadsPerBlock, max_threads_by_registers(rt, function));
  return function.max_threads == 0 ? hardware : std::min(hardware, static_cast<int>(function.max_threads));
}

cudaFuncAttributes attributes_of(const Runtime& rt, const Kernel& kernel) {
  const loader::Function& function = *kernel.function;
  cudaFuncAttributes result{};
  result.sharedSizeBytes = function.static_shared;
  result.constSizeBytes = kernel.image->module->bank3.size();
  result.localSizeBytes = function.local_bytes;
  result.maxThreadsPerBlock = max_threads(rt, function);
  result.numRegs = static_cast<int>(function.registers);
  result.ptxVersion = static_cast<int>(kernel.image->module->sm);
  result.binaryVersion = static_cast<int>(kernel.image->module->sm);
  result.maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(rt, kernel));
  result.preferredShmemCarveout = kernel.carveout;
  result.clusterDimMustBeSet = function.cluster[0] != 0 ? 1 : 0;
  const bool fixed = function.cluster[0] != 0;
  result.requiredClusterWidth = fixed ? static_cast<int>(function.cluster[0]) : kernel.required_cluster[0];
  result.requiredClusterHeight = fixed ? static_cast<int>(function.cluster[1]) : kernel.required_cluster[1];
  result.requiredClusterDepth = fixed ? static_cast<int>(function.cluster[2]) : kernel.required_cluster[2];
  result.nonPortableClusterSizeAllowed = kernel.non_portable_cluster ? 1 : 0;
  return result;
}

cudaError_t set_attribute(const Runtime& rt, Kernel& kernel, cudaFuncAttribute attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      const auto limit =
          static_cast<std::int64_t>(rt.chip->arch->max_shared_per_block_optin) - kernel.function->static_shared;
      if (value < 0 || value > limit) return cudaErrorInvalidValue;
      kernel.max_dynamic_shared = value;
      return cudaSuccess;
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      kernel.carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
      kernel.required_cluster[0] = value;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterHeight:
      kernel.required_cluster[1] = value;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterDepth:
      kernel.required_cluster[2] = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      kernel.non_portable_cluster = value != 0;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t count_blocks(int* blocks, const void* function, int threads, std::size_t dynamic_shared) {
  return call_with(function, [&](Runtime& rt, Kernel& kernel) {
    if (blocks == nullptr || threads <= 0) return cudaErrorInvalidValue;
    const bool fits = threads <= max_threads(rt, *kernel.function);
    *blocks = fits ? blocks_per_multiprocessor(rt, *kernel.function, threads, dynamic_shared) : 0;
    return cudaSuccess;
  });
}

}  // namespace

LANESCOPE_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call_with(function, [&](Runtime& rt, Kernel& kernel) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = attributes_of(rt, kernel);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call_with(function, [&](Runtime& rt, Kernel& kernel) { return set_attribute(rt, kernel, attribute, value); });
}

LANESCOPE_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                                          int device) {
  if (device != 0) return record(cudaErrorInvalidDevice);
  return cudaFuncSetAttribute(kernel, attribute, value);
}

LANESCOPE_API cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return call_with(function, [](Runtime&, Kernel&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return call_with(function, [](Runtime&, Kernel&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call_with(function, [&](Runtime&, Kernel& kernel) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = kernel.name.c_str();
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                               std::size_t* size) {
  return call_with(function, [&](Runtime&, Kernel& kernel) {
    const auto& parameters = kernel.function->parameters;
    if (offset == nullptr || index >= parameters.size()) return cudaErrorInvalidValue;
    *offset = parameters[index].offset;
    if (size != nullptr) *size = parameters[index].size;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* symbol) {
  return call_with(symbol, [&](Runtime&, Kernel& kernel) {
    if (handle == nullptr) return cudaErrorInvalidValue;
    *handle = &kernel;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* symbol) {
  return cudaGetFuncBySymbol(handle, symbol);
}

LANESCOPE_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                        std::size_t dynamic_shared) {
  return count_blocks(blocks, function, threads, dynamic_shared);
}

LANESCOPE_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                                 int threads,
                                                                                 std::size_t dynamic_shared, unsigned) {
  return count_blocks(blocks, function, threads, dynamic_shared);
}

// The most dynamic shared memory with which `blocks` blocks still fit, found by halving: fewer blocks fit with more.
LANESCOPE_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                                    int blocks, int threads) {
  return call_with(function, [&](Runtime& rt, Kernel& kernel) {
    if (bytes == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    const auto fits = [&](std::size_t dynamic) {
      return blocks_per_multiprocessor(rt, *kernel.function, threads, dynamic) >= blocks;
    };
    if (!fits(0)) return cudaErrorInvalidValue;
    std::size_t low = 0, high = rt.chip->arch->max_shared_per_block_optin - kernel.function->static_shared;
    if (fits(high)) low = high;
    while (low + 1 < high) {
      const std::size_t middle = (low + high) / 2;
      (fits(middle) ? low : high) = middle;
    }
    *bytes = low;
    return cudaSuccess;
  });
}

}  // namespace lanescope::runtime
