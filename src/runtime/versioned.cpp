// The entry points whose name, signature or structures differ between CUDA 12 and 13, and so between the two libraries.
// LANESCOPE_CUDART is 12 or 13.
#include <cstring>

#include "runtime/call.h"
#include "runtime/streams.h"

namespace lanescope::runtime {
namespace {

// Versions as CUDA writes them: 1000 * major + 10 * minor. 12's is the last of its line, for the longest list of names.
constexpr int kVersion = LANESCOPE_CUDART == 12 ? 12090 : 13000;

template <class Properties, class Convert>
cudaError_t give_properties(Properties* properties, int device, Convert&& convert) {
  return query([&](Runtime& rt) {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *properties = convert(rt.properties);
    return cudaSuccess;
  });
}

cudaError_t give_version(int* version) {
  return query([&](Runtime&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = kVersion;
    return cudaSuccess;
  });
}

// Where memory lies, and what is said of its use, makes no difference here; but it must be memory of ours.
cudaError_t hint(const void* pointer, std::size_t bytes, cudaStream_t stream) {
  return call([&](Runtime& rt) {
    if (!valid_stream(rt, stream)) return cudaErrorInvalidResourceHandle;
    const std::lock_guard lock(rt.mutex);
    const bool ours =
        rt.memory != nullptr && rt.memory->view(reinterpret_cast<std::uint64_t>(pointer), bytes) != nullptr;
    return bytes != 0 && ours ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t no_capture(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return call([&](Runtime& rt) {
    if (!valid_stream(rt, stream)) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    if (id != nullptr) *id = 0;
    return cudaSuccess;
  });
}

}  // namespace

LANESCOPE_API cudaError_t cudaDriverGetVersion(int* version) { return give_version(version); }
LANESCOPE_API cudaError_t cudaRuntimeGetVersion(int* version) { return give_version(version); }

#if LANESCOPE_CUDART == 12

LANESCOPE_API cudaError_t cudaGetDeviceProperties_v2(DeviceProp12* properties, int device) {
  return give_properties(properties, device, to_prop12);
}

// The structure of CUDA 11: a beginning of 12's.
LANESCOPE_API cudaError_t cudaGetDeviceProperties(void* properties, int device) {
  constexpr std::size_t kBytes11 = offsetof(DeviceProp12, hostRegisterSupported);
  DeviceProp12 full{};
  const cudaError_t error = give_properties(properties == nullptr ? nullptr : &full, device, to_prop12);
  if (error == cudaSuccess) std::memcpy(properties, &full, kBytes11);
  return error;
}

LANESCOPE_API cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, int) {
  return hint(pointer, bytes, nullptr);
}
LANESCOPE_API cudaError_t cudaMemAdvise_v2(const void* pointer, std::size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
  return hint(pointer, bytes, nullptr);
}
LANESCOPE_API cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int, cudaStream_t stream) {
  return hint(pointer, bytes, stream);
}
LANESCOPE_ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz)
LANESCOPE_API cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, std::size_t bytes, cudaMemLocation, unsigned,
                                                  cudaStream_t stream) {
  return hint(pointer, bytes, stream);
}
LANESCOPE_ALSO(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync_v2_ptsz)

LANESCOPE_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                   unsigned long long* id) {
  return no_capture(stream, status, id);
}
LANESCOPE_ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz)
LANESCOPE_ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2)
LANESCOPE_ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2_ptsz)
LANESCOPE_ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v3)
LANESCOPE_ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v3_ptsz)

// Earlier names of other entry points.
extern "C" {
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
}
LANESCOPE_API cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
LANESCOPE_API cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
LANESCOPE_API cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
LANESCOPE_API cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
LANESCOPE_API cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
LANESCOPE_API cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }
LANESCOPE_API cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}

#else

LANESCOPE_API cudaError_t cudaGetDeviceProperties(DeviceProp13* properties, int device) {
  return give_properties(properties, device, to_prop13);
}
LANESCOPE_API cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
  return hint(pointer, bytes, nullptr);
}
LANESCOPE_API cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation, unsigned,
                                               cudaStream_t stream) {
  return hint(pointer, bytes, stream);
}
LANESCOPE_ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz)

LANESCOPE_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                   unsigned long long* id) {
  return no_capture(stream, status, id);
}
LANESCOPE_ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz)

#endif

}  // namespace lanescope::runtime
