// Allocation: device, pitched, page-locked, managed and registered memory, and what programs can ask about pointers.
#include <cstring>

#include "runtime/call.h"
#include "runtime/reach.h"

namespace lanescope::runtime {
namespace {

using engine::AllocationKind;

// What cudaMallocPitch rounds rows to.
constexpr std::size_t kPitch = 512;

std::uint64_t to_address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

cudaError_t allocate(Runtime& rt, void** pointer, std::size_t bytes, AllocationKind kind) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::lock_guard lock(rt.mutex);
  engine::DeviceMemory* memory = rt.device_memory();
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  const auto address = memory->allocate(bytes, kind);
  if (!address) return cudaErrorMemoryAllocation;
  *pointer = reinterpret_cast<void*>(*address);
  return cudaSuccess;
}

cudaError_t release(Runtime& rt, void* pointer, bool host) {
  if (pointer == nullptr) return cudaSuccess;
  const std::lock_guard lock(rt.mutex);
  if (rt.memory == nullptr) return cudaErrorInvalidValue;
  const auto allocation = rt.memory->find(to_address(pointer));
  if (!allocation || (allocation->kind == AllocationKind::kHost) != host) return cudaErrorInvalidValue;
  if (rt.registered_flags.contains(to_address(pointer))) return cudaErrorInvalidValue;  // never allocated here
  rt.host_flags.erase(to_address(pointer));
  return rt.memory->release(to_address(pointer)) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t allocate_host(Runtime& rt, void** pointer, std::size_t bytes, unsigned flags) {
  if ((flags & ~(kHostAllocPortable | kHostAllocMapped | kHostAllocWriteCombined)) != 0) return cudaErrorInvalidValue;
  const cudaError_t error = allocate(rt, pointer, bytes, AllocationKind::kHost);
  if (error == cudaSuccess && *pointer != nullptr) {
    const std::lock_guard lock(rt.mutex);
    rt.host_flags[to_address(*pointer)] = flags | kHostAllocMapped;  // every allocation is mapped
  }
  return error;
}

cudaError_t allocate_pitched(Runtime& rt, cudaPitchedPtr& result, const cudaExtent& extent) {
  const std::size_t pitch = (extent.width + kPitch - 1) / kPitch * kPitch;
  result = {nullptr, pitch, extent.width, extent.height};
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(pitch, extent.height, &bytes) || __builtin_mul_overflow(bytes, extent.depth, &bytes))
    return cudaErrorMemoryAllocation;
  return allocate(rt, &result.ptr, bytes, AllocationKind::kDevice);
}

struct PointerFacts {
  cudaMemoryType type = cudaMemoryTypeUnregistered;
  int device = -2;  // what CUDA reports for memory that it does not know
  void* device_pointer = nullptr;
  void* host_pointer = nullptr;
};

PointerFacts describe(Runtime& rt, void* pointer) {
  const auto address = to_address(pointer);
  const std::lock_guard lock(rt.mutex);
  const auto allocation = rt.memory == nullptr ? std::nullopt : rt.memory->find(address);
  if (allocation && allocation->kind == AllocationKind::kDevice) return {cudaMemoryTypeDevice, 0, pointer, nullptr};
  if (allocation && allocation->kind == AllocationKind::kManaged) return {cudaMemoryTypeManaged, 0, pointer, pointer};
  if (allocation) return {cudaMemoryTypeHost, 0, pointer, pointer};
  return {cudaMemoryTypeUnregistered, -2, nullptr, pointer};
}

}  // namespace

LANESCOPE_API cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return call([&](Runtime& rt) { return allocate(rt, pointer, bytes, AllocationKind::kDevice); });
}

LANESCOPE_API cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return call([&](Runtime& rt) {
    if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
    cudaPitchedPtr result;
    const cudaError_t error = allocate_pitched(rt, result, {width, height, 1});
    *pointer = result.ptr;
    *pitch = result.pitch;
    return error;
  });
}

LANESCOPE_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return call(
      [&](Runtime& rt) { return pointer == nullptr ? cudaErrorInvalidValue : allocate_pitched(rt, *pointer, extent); });
}

LANESCOPE_API cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return call([&](Runtime& rt) {
    if (bytes == 0 || (flags != kMemAttachGlobal && flags != kMemAttachHost)) return cudaErrorInvalidValue;
    return allocate(rt, pointer, bytes, AllocationKind::kManaged);
  });
}

LANESCOPE_API cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return call([&](Runtime& rt) { return allocate_host(rt, pointer, bytes, 0); });
}

LANESCOPE_API cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return call([&](Runtime& rt) { return allocate_host(rt, pointer, bytes, flags); });
}

LANESCOPE_API cudaError_t cudaFree(void* pointer) {
  return call([&](Runtime& rt) { return release(rt, pointer, false); });
}

LANESCOPE_API cudaError_t cudaFreeHost(void* pointer) {
  return call([&](Runtime& rt) { return release(rt, pointer, true); });
}

LANESCOPE_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return call([&](Runtime& rt) {
    if (device == nullptr || flags != 0) return cudaErrorInvalidValue;
    const PointerFacts facts = describe(rt, host);
    if (facts.type != cudaMemoryTypeHost) return cudaErrorInvalidValue;
    *device = facts.device_pointer;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return call([&](Runtime& rt) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    if (const auto found = rt.host_flags.find(to_address(host)); found != rt.host_flags.end()) {
      *flags = found->second;
      return cudaSuccess;
    }
    const auto found = rt.registered_flags.find(to_address(host));
    if (found == rt.registered_flags.end()) return cudaErrorInvalidValue;
    *flags = found->second;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaHostRegister(void* host, std::size_t bytes, unsigned flags) {
  return call([&](Runtime& rt) {
    constexpr unsigned known =
        kHostRegisterPortable | kHostRegisterMapped | kHostRegisterIoMemory | kHostRegisterReadOnly;
    if (host == nullptr || bytes == 0 || (flags & ~known) != 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    engine::DeviceMemory* memory = rt.device_memory();
    if (memory == nullptr) return cudaErrorMemoryAllocation;
    if (!memory->adopt(to_address(host), bytes)) return cudaErrorHostMemoryAlreadyRegistered;
    rt.registered_flags[to_address(host)] = flags | kHostRegisterMapped;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaHostUnregister(void* host) {
  return call([&](Runtime& rt) {
    if (host == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    if (rt.registered_flags.erase(to_address(host)) == 0) return cudaErrorHostMemoryNotRegistered;
    rt.memory->release(to_address(host));
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call([&](Runtime& rt) {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(rt.mutex);
    *total = rt.properties.totalGlobalMem;
    *free = *total - (rt.memory == nullptr ? 0 : std::min<std::size_t>(*total, rt.memory->used()));
    return cudaSuccess;
  });
}

// The two versions' structures begin alike.
LANESCOPE_API cudaError_t cudaPointerGetAttributes(PointerAttributes12* attributes, const void* pointer) {
  return call([&](Runtime& rt) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const PointerFacts facts = describe(rt, const_cast<void*>(pointer));
    *attributes = {facts.type, facts.device, facts.device_pointer, facts.host_pointer};
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) {
  return call([&](Runtime& rt) { return allocate(rt, pointer, bytes, AllocationKind::kDevice); });
}
LANESCOPE_ALSO(cudaMallocAsync, cudaMallocAsync_ptsz)

LANESCOPE_API cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return call([&](Runtime& rt) { return allocate(rt, pointer, bytes, AllocationKind::kDevice); });
}
LANESCOPE_ALSO(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz)

LANESCOPE_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
  return call([&](Runtime& rt) { return release(rt, pointer, false); });
}
LANESCOPE_ALSO(cudaFreeAsync, cudaFreeAsync_ptsz)

LANESCOPE_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) {
  return call([](Runtime&) { return cudaSuccess; });
}
LANESCOPE_ALSO(cudaStreamAttachMemAsync, cudaStreamAttachMemAsync_ptsz)

}  // namespace lanescope::runtime
