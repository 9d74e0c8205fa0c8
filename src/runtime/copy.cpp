// Copies and fills of linear memory in one, two and three dimensions. All of them are done when the call returns; so
// the asynchronous forms are the others with a stream to check.
#include <cstring>

#include "runtime/arrays.h"
#include "runtime/call.h"
#include "runtime/reach.h"
#include "runtime/streams.h"

namespace lanescope::runtime {
namespace {

cudaError_t copy(Runtime& rt, void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  Side to{}, from{};
  if (!sides_of(kind, to, from)) return cudaErrorInvalidMemcpyDirection;
  if (bytes == 0) return cudaSuccess;
  std::uint8_t* const out = reach(rt, destination, bytes, to);
  const std::uint8_t* const in = reach(rt, source, bytes, from);
  if (out == nullptr || in == nullptr) return cudaErrorInvalidValue;
  std::memmove(out, in, bytes);
  return cudaSuccess;
}

struct Box {  // `slices` slices, `slice_pitch` bytes apart, of `rows` rows, `pitch` bytes apart
  std::uint8_t* start = nullptr;
  std::size_t pitch = 0, slice_pitch = 0;
};

struct Extent {
  std::size_t width, rows, slices;  // width in bytes
  bool empty() const { return width == 0 || rows == 0 || slices == 0; }
};

std::size_t span_bytes(const Extent& extent, std::size_t pitch, std::size_t slice_pitch) {
  return (extent.slices - 1) * slice_pitch + (extent.rows - 1) * pitch + extent.width;
}

void copy_box(const Box& to, const Box& from, const Extent& extent) {
  for (std::size_t slice = 0; slice < extent.slices; ++slice) {
    for (std::size_t row = 0; row < extent.rows; ++row) {
      std::memmove(to.start + slice * to.slice_pitch + row * to.pitch,
                   from.start + slice * from.slice_pitch + row * from.pitch, extent.width);
    }
  }
}

cudaError_t copy_2d(Runtime& rt, void* destination, std::size_t to_pitch, const void* source, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  Side to{}, from{};
  if (!sides_of(kind, to, from)) return cudaErrorInvalidMemcpyDirection;
  const Extent extent{width, height, 1};
  if (extent.empty()) return cudaSuccess;
  if (height > 1 && (to_pitch < width || from_pitch < width)) return cudaErrorInvalidPitchValue;
  const Box out{reach(rt, destination, span_bytes(extent, to_pitch, 0), to), to_pitch};
  const Box in{reach(rt, source, span_bytes(extent, from_pitch, 0), from), from_pitch};
  if (out.start == nullptr || in.start == nullptr) return cudaErrorInvalidValue;
  copy_box(out, in, extent);
  return cudaSuccess;
}

// One end of a 3D copy: an array, or pitched memory with a position in bytes.
Box find_box(Runtime& rt, cudaArray_t array, const cudaPos& at, const cudaPitchedPtr& pointer, const Extent& extent,
             Side side) {
  if (array != nullptr) {
    const std::size_t pitch = array->pitch(), slice_pitch = pitch * array->rows();
    const std::size_t x = at.x * array->element_bytes;
    if (x + extent.width > pitch || at.y + extent.rows > array->rows() || at.z + extent.slices > array->slices())
      return {};
    const std::uint64_t start = array->address + at.z * slice_pitch + at.y * pitch + x;
    return {reach(rt, reinterpret_cast<void*>(start), span_bytes(extent, pitch, slice_pitch), Side::kDevice), pitch,
            slice_pitch};
  }
  const std::size_t slice_pitch = pointer.pitch * pointer.ysize;
  if (pointer.ptr == nullptr || pointer.pitch < extent.width) return {};
  const auto* start = static_cast<const std::uint8_t*>(pointer.ptr) + at.z * slice_pitch + at.y * pointer.pitch + at.x;
  return {reach(rt, start, span_bytes(extent, pointer.pitch, slice_pitch), side), pointer.pitch, slice_pitch};
}

bool valid_array(Runtime& rt, cudaArray_t array) { return array == nullptr || find_array(rt, array) != nullptr; }

cudaError_t copy_3d(Runtime& rt, const cudaMemcpy3DParms* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  Side to{}, from{};
  if (!sides_of(p->kind, to, from)) return cudaErrorInvalidMemcpyDirection;
  if (!valid_array(rt, p->srcArray) || !valid_array(rt, p->dstArray)) return cudaErrorInvalidValue;
  const cudaArray_t array = p->srcArray != nullptr ? p->srcArray : p->dstArray;
  const std::size_t unit = array == nullptr ? 1 : array->element_bytes;
  const Extent extent{p->extent.width * unit, p->extent.height, p->extent.depth};
  if (extent.empty()) return cudaSuccess;
  const Box out = find_box(rt, p->dstArray, p->dstPos, p->dstPtr, extent, to);
  const Box in = find_box(rt, p->srcArray, p->srcPos, p->srcPtr, extent, from);
  if (out.start == nullptr || in.start == nullptr) return cudaErrorInvalidValue;
  copy_box(out, in, extent);
  return cudaSuccess;
}

cudaError_t copy_3d_peer(Runtime& rt, const cudaMemcpy3DPeerParms* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  if (p->srcDevice != 0 || p->dstDevice != 0) return cudaErrorInvalidDevice;
  const cudaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                               p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
  return copy_3d(rt, &same);
}

cudaError_t fill(Runtime& rt, const cudaPitchedPtr& at, int value, const Extent& extent) {
  if (extent.empty()) return cudaSuccess;
  if (extent.rows * extent.slices > 1 && at.pitch < extent.width) return cudaErrorInvalidValue;
  const std::size_t slice_pitch = at.pitch * at.ysize;
  std::uint8_t* const start = reach(rt, at.ptr, span_bytes(extent, at.pitch, slice_pitch), Side::kDevice);
  if (start == nullptr) return cudaErrorInvalidValue;
  for (std::size_t slice = 0; slice < extent.slices; ++slice) {
    for (std::size_t row = 0; row < extent.rows; ++row)
      std::memset(start + slice * slice_pitch + row * at.pitch, value, extent.width);
  }
  return cudaSuccess;
}

cudaError_t copy_peer(Runtime& rt, void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
  return copy(rt, to, from, bytes, cudaMemcpyDeviceToDevice);
}

template <class Body>
cudaError_t call_on(cudaStream_t stream, Body&& body) {
  return call([&](Runtime& rt) { return valid_stream(rt, stream) ? body(rt) : cudaErrorInvalidResourceHandle; });
}

}  // namespace

LANESCOPE_API cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return call([&](Runtime& rt) { return copy(rt, to, from, bytes, kind); });
}
LANESCOPE_ALSO(cudaMemcpy, cudaMemcpy_ptds)

LANESCOPE_API cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) { return copy(rt, to, from, bytes, kind); });
}
LANESCOPE_ALSO(cudaMemcpyAsync, cudaMemcpyAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                         std::size_t bytes) {
  return call([&](Runtime& rt) { return copy_peer(rt, to, to_device, from, from_device, bytes); });
}

LANESCOPE_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                              std::size_t bytes, cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) { return copy_peer(rt, to, to_device, from, from_device, bytes); });
}

LANESCOPE_API cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                       std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return call([&](Runtime& rt) { return copy_2d(rt, to, to_pitch, from, from_pitch, width, height, kind); });
}
LANESCOPE_ALSO(cudaMemcpy2D, cudaMemcpy2D_ptds)

LANESCOPE_API cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                            std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                            cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) { return copy_2d(rt, to, to_pitch, from, from_pitch, width, height, kind); });
}
LANESCOPE_ALSO(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return call([&](Runtime& rt) { return copy_3d(rt, parameters); });
}
LANESCOPE_ALSO(cudaMemcpy3D, cudaMemcpy3D_ptds)

LANESCOPE_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) { return copy_3d(rt, parameters); });
}
LANESCOPE_ALSO(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  return call([&](Runtime& rt) { return copy_3d_peer(rt, parameters); });
}
LANESCOPE_ALSO(cudaMemcpy3DPeer, cudaMemcpy3DPeer_ptds)

LANESCOPE_API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) { return copy_3d_peer(rt, parameters); });
}
LANESCOPE_ALSO(cudaMemcpy3DPeerAsync, cudaMemcpy3DPeerAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  return call([&](Runtime& rt) { return fill(rt, {pointer, bytes, bytes, 1}, value, {bytes, 1, 1}); });
}
LANESCOPE_ALSO(cudaMemset, cudaMemset_ptds)

LANESCOPE_API cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) { return fill(rt, {pointer, bytes, bytes, 1}, value, {bytes, 1, 1}); });
}
LANESCOPE_ALSO(cudaMemsetAsync, cudaMemsetAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                                       std::size_t height) {
  return call([&](Runtime& rt) { return fill(rt, {pointer, pitch, width, height}, value, {width, height, 1}); });
}
LANESCOPE_ALSO(cudaMemset2D, cudaMemset2D_ptds)

LANESCOPE_API cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                                            std::size_t height, cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) {
    return fill(rt, {pointer, pitch, width, height}, value, {width, height, 1});
  });
}
LANESCOPE_ALSO(cudaMemset2DAsync, cudaMemset2DAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return call([&](Runtime& rt) { return fill(rt, pointer, value, {extent.width, extent.height, extent.depth}); });
}
LANESCOPE_ALSO(cudaMemset3D, cudaMemset3D_ptds)

LANESCOPE_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) {
    return fill(rt, pointer, value, {extent.width, extent.height, extent.depth});
  });
}
LANESCOPE_ALSO(cudaMemset3DAsync, cudaMemset3DAsync_ptsz)

// Parts of arrays, as boxes of bytes.
namespace {

cudaError_t copy_to_array(Runtime& rt, cudaArray_t array, std::size_t x, std::size_t y, const void* from,
                          std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  Side to_side{}, from_side{};
  if (!sides_of(kind, to_side, from_side)) return cudaErrorInvalidMemcpyDirection;
  const Array* found = find_array(rt, array);
  if (found == nullptr || x + width > found->pitch() || y + height > found->rows()) return cudaErrorInvalidValue;
  auto* const start = reinterpret_cast<void*>(found->address + y * found->pitch() + x);
  return copy_2d(rt, start, found->pitch(), from, pitch, width, height, kind);
}

cudaError_t copy_from_array(Runtime& rt, void* to, std::size_t pitch, cudaArray_t array, std::size_t x, std::size_t y,
                            std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  const Array* found = find_array(rt, array);
  if (found == nullptr || x + width > found->pitch() || y + height > found->rows()) return cudaErrorInvalidValue;
  const auto* const start = reinterpret_cast<const void*>(found->address + y * found->pitch() + x);
  return copy_2d(rt, to, pitch, start, found->pitch(), width, height, kind);
}

cudaError_t copy_array_to_array(Runtime& rt, cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_t from,
                                std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height) {
  const Array* source = find_array(rt, from);
  if (source == nullptr || from_x + width > source->pitch() || from_y + height > source->rows())
    return cudaErrorInvalidValue;
  const auto* const start = reinterpret_cast<const void*>(source->address + from_y * source->pitch() + from_x);
  return copy_to_array(rt, to, to_x, to_y, start, source->pitch(), width, height, cudaMemcpyDeviceToDevice);
}

}  // namespace

LANESCOPE_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                              std::size_t pitch, std::size_t width, std::size_t height,
                                              cudaMemcpyKind kind) {
  return call([&](Runtime& rt) { return copy_to_array(rt, to, x, y, from, pitch, width, height, kind); });
}
LANESCOPE_ALSO(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds)

LANESCOPE_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                                   std::size_t pitch, std::size_t width, std::size_t height,
                                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) { return copy_to_array(rt, to, x, y, from, pitch, width, height, kind); });
}
LANESCOPE_ALSO(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_t from, std::size_t x,
                                                std::size_t y, std::size_t width, std::size_t height,
                                                cudaMemcpyKind kind) {
  return call([&](Runtime& rt) { return copy_from_array(rt, to, pitch, from, x, y, width, height, kind); });
}
LANESCOPE_ALSO(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds)

LANESCOPE_API cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_t from, std::size_t x,
                                                     std::size_t y, std::size_t width, std::size_t height,
                                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return call_on(stream, [&](Runtime& rt) { return copy_from_array(rt, to, pitch, from, x, y, width, height, kind); });
}
LANESCOPE_ALSO(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz)

LANESCOPE_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_t from,
                                                   std::size_t from_x, std::size_t from_y, std::size_t width,
                                                   std::size_t height, cudaMemcpyKind) {
  return call(
      [&](Runtime& rt) { return copy_array_to_array(rt, to, to_x, to_y, from, from_x, from_y, width, height); });
}
LANESCOPE_ALSO(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds)

}  // namespace lanescope::runtime
