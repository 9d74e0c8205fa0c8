// Device management: there is one device, the modelled chip.
#include <cstdio>
#include <cstring>

#include "runtime/call.h"

namespace lanescope::runtime {
namespace {

// Defaults as CUDA documents or reports them.
std::size_t default_limit(unsigned limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return 1024;
    case cudaLimitPrintfFifoSize:
      return 7u << 20;
    case cudaLimitMallocHeapSize:
      return 8u << 20;
    case cudaLimitDevRuntimeSyncDepth:
      return 2;
    case cudaLimitDevRuntimePendingLaunchCount:
      return 2048;
    case cudaLimitMaxL2FetchGranularity:
      return 128;
    default:
      return 0;
  }
}

constexpr char kPciBusId[] = "0000:01:00.0";

bool is_device(int device) { return device == 0; }

// Device memory and all that lives there goes; registered code stays, to be loaded afresh.
void reset(Runtime& rt) {
  const std::scoped_lock lock(rt.execution, rt.mutex);
  for (auto& [key, image] : rt.images) unload(rt, *image);
  for (auto& [key, library] : rt.libraries) unload(rt, *library->image);
  rt.streams.clear();
  rt.events.clear();
  rt.arrays.clear();
  rt.pools.clear();
  rt.current_pool = &rt.default_pool;
  rt.host_flags.clear();
  rt.registered_flags.clear();
  rt.device = {};
  rt.memory.reset();
  rt.context_process = 0;
  rt.fault = 0;
}

}  // namespace

std::size_t DeviceSettings::limit(cudaLimit which) const {
  const auto set = limits.find(which);
  return set != limits.end() ? set->second : default_limit(which);
}

LANESCOPE_API cudaError_t cudaGetDeviceCount(int* count) {
  return query([&](Runtime&) {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaSetDevice(int device) {
  return query([&](Runtime& rt) { return is_device(device) ? context_state(rt) : cudaErrorInvalidDevice; });
}

LANESCOPE_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return call([&](Runtime&) { return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

LANESCOPE_API cudaError_t cudaGetDevice(int* device) {
  return query([&](Runtime&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaSetValidDevices(int* devices, int count) {
  return query([&](Runtime&) {
    if (count < 0 || (count > 0 && devices == nullptr)) return cudaErrorInvalidValue;
    for (int i = 0; i < count; ++i) {
      if (!is_device(devices[i])) return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaChooseDevice(int* device, const void* properties) {
  return query([&](Runtime&) {
    if (device == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return query([&](Runtime& rt) {
    if ((flags & ~kDeviceFlagsMask) != 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    rt.device.flags = flags;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return query([&](Runtime& rt) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    *flags = rt.device.flags | kDeviceMapHost;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return query([&](Runtime& rt) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    return device_attribute(rt.properties, attribute, *value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

LANESCOPE_API cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return query([&](Runtime&) {
    if (text == nullptr || length < static_cast<int>(sizeof kPciBusId)) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    std::memcpy(text, kPciBusId, sizeof kPciBusId);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return query([&](Runtime&) {
    if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
    // The domain may be left out.
    if (std::strcmp(text, kPciBusId) != 0 && std::strcmp(text, kPciBusId + 5) != 0) return cudaErrorInvalidDevice;
    *device = 0;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaDeviceSynchronize() {
  return call([](Runtime&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaDeviceReset() {
  return query([](Runtime& rt) {
    if (context_state(rt) == cudaErrorInitializationError) return cudaErrorInitializationError;
    reset(rt);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return call([&](Runtime& rt) {
    if (limit > cudaLimitPersistingL2CacheSize) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    rt.device.limits[limit] = value;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return call([&](Runtime& rt) {
    if (value == nullptr || limit > cudaLimitPersistingL2CacheSize) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    *value = rt.device.limit(limit);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return call([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    rt.device.cache_config = config;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return call([&](Runtime& rt) {
    if (config == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    *config = static_cast<cudaFuncCache>(rt.device.cache_config);
    return cudaSuccess;
  });
}

// Banks have had four bytes since Maxwell, whatever programs ask for.
LANESCOPE_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return call([](Runtime&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return call([&](Runtime&) {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaCtxResetPersistingL2Cache() {
  return call([](Runtime&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(unsigned, unsigned) {
  return call([](Runtime&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return query([&](Runtime&) {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
    *can = 0;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return call([](Runtime&) { return cudaErrorInvalidDevice; });  // a device is not its own peer
}

LANESCOPE_API cudaError_t cudaDeviceDisablePeerAccess(int) {
  return call([](Runtime&) { return cudaErrorInvalidDevice; });
}

LANESCOPE_API cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  return query([&](Runtime&) { return value == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice; });
}

LANESCOPE_API cudaError_t cudaProfilerStart() {
  return query([](Runtime&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaProfilerStop() {
  return query([](Runtime&) { return cudaSuccess; });
}

}  // namespace lanescope::runtime
