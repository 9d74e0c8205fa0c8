#include "runtime/arrays.h"

#include "runtime/call.h"

namespace lanescope::runtime {
namespace {

cudaError_t make_array(Runtime& rt, cudaArray_t* handle, const cudaChannelFormatDesc* format, const cudaExtent& extent,
                       unsigned flags) {
  if (handle == nullptr || format == nullptr || extent.width == 0) return cudaErrorInvalidValue;
  const int bits = format->x + format->y + format->z + format->w;
  if (bits <= 0 || bits % 8 != 0 || bits > 128) return cudaErrorInvalidChannelDescriptor;
  auto array = std::make_unique<Array>();
  array->format = *format;
  array->extent = extent;
  array->flags = flags;
  array->element_bytes = static_cast<std::size_t>(bits) / 8;
  const std::lock_guard lock(rt.mutex);
  engine::DeviceMemory* memory = rt.device_memory();
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  const auto address = memory->allocate(array->pitch() * array->rows() * array->slices());
  if (!address) return cudaErrorMemoryAllocation;
  array->address = *address;
  *handle = array.get();
  rt.arrays.emplace(array.get(), std::move(array));
  return cudaSuccess;
}

}  // namespace

const Array* find_array(Runtime& rt, cudaArray_t array) {
  const std::lock_guard lock(rt.mutex);
  const auto found = rt.arrays.find(array);
  return found == rt.arrays.end() ? nullptr : found->second.get();
}

LANESCOPE_API cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                                          std::size_t height, unsigned flags) {
  return call([&](Runtime& rt) { return make_array(rt, array, format, {width, height, 0}, flags); });
}

LANESCOPE_API cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                                            unsigned flags) {
  return call([&](Runtime& rt) { return make_array(rt, array, format, extent, flags); });
}

LANESCOPE_API cudaError_t cudaFreeArray(cudaArray_t array) {
  return call([&](Runtime& rt) {
    if (array == nullptr) return cudaSuccess;
    const std::lock_guard lock(rt.mutex);
    const auto found = rt.arrays.find(array);
    if (found == rt.arrays.end()) return cudaErrorInvalidResourceHandle;
    rt.memory->release(found->second->address);
    rt.arrays.erase(found);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                                           cudaArray_t array) {
  return call([&](Runtime& rt) {
    const Array* found = find_array(rt, array);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (format != nullptr) *format = found->format;
    if (extent != nullptr) *extent = found->extent;
    if (flags != nullptr) *flags = found->flags;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_t array) {
  return call([&](Runtime& rt) {
    const Array* found = find_array(rt, array);
    if (found == nullptr || format == nullptr) return cudaErrorInvalidResourceHandle;
    *format = found->format;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

}  // namespace lanescope::runtime
