#include "runtime/streams.h"

#include <chrono>

#include "runtime/call.h"

namespace lanescope::runtime {
namespace {

// As on the chips that are modelled: 0 is the least urgent, -5 the most.
constexpr int kLeastPriority = 0, kGreatestPriority = -5;

bool is_default(cudaStream_t stream) { return reinterpret_cast<std::uintptr_t>(stream) <= kStreamPerThread; }

template <class Body>
cudaError_t call_on(cudaStream_t stream, Body&& body) {
  return call([&](Runtime& rt) { return valid_stream(rt, stream) ? body(rt) : cudaErrorInvalidResourceHandle; });
}

cudaError_t make_stream(Runtime& rt, cudaStream_t* handle, unsigned flags, int priority) {
  if (handle == nullptr || (flags & ~kStreamNonBlocking) != 0) return cudaErrorInvalidValue;
  const std::lock_guard lock(rt.mutex);
  const int clamped = std::max(kGreatestPriority, std::min(kLeastPriority, priority));
  auto stream = std::make_unique<Stream>(Stream{flags, clamped, rt.next_stream_id++});
  *handle = stream.get();
  rt.streams.emplace(stream.get(), std::move(stream));
  return cudaSuccess;
}

Stream settings_of(cudaStream_t stream) {
  if (!is_default(stream)) return *stream;
  return {0, 0, reinterpret_cast<std::uintptr_t>(stream) == kStreamPerThread ? 2ULL : 1ULL};
}

}  // namespace

bool valid_stream(Runtime& rt, cudaStream_t stream) {
  if (is_default(stream)) return true;
  const std::lock_guard lock(rt.mutex);
  return rt.streams.contains(stream);
}

LANESCOPE_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return call([&](Runtime& rt) { return make_stream(rt, stream, 0, 0); });
}

LANESCOPE_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call([&](Runtime& rt) { return make_stream(rt, stream, flags, 0); });
}

LANESCOPE_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&](Runtime& rt) { return make_stream(rt, stream, flags, priority); });
}

LANESCOPE_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    return rt.streams.erase(stream) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

LANESCOPE_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call_on(stream, [](Runtime&) { return cudaSuccess; });
}
LANESCOPE_ALSO(cudaStreamSynchronize, cudaStreamSynchronize_ptsz)

LANESCOPE_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call_on(stream, [](Runtime&) { return cudaSuccess; });
}
LANESCOPE_ALSO(cudaStreamQuery, cudaStreamQuery_ptsz)

LANESCOPE_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call_on(stream, [&](Runtime&) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = settings_of(stream).priority;
    return cudaSuccess;
  });
}
LANESCOPE_ALSO(cudaStreamGetPriority, cudaStreamGetPriority_ptsz)

LANESCOPE_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return call_on(stream, [&](Runtime&) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = settings_of(stream).flags;
    return cudaSuccess;
  });
}
LANESCOPE_ALSO(cudaStreamGetFlags, cudaStreamGetFlags_ptsz)

LANESCOPE_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call_on(stream, [&](Runtime&) {
    if (id == nullptr) return cudaErrorInvalidValue;
    *id = settings_of(stream).id;
    return cudaSuccess;
  });
}
LANESCOPE_ALSO(cudaStreamGetId, cudaStreamGetId_ptsz)

LANESCOPE_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return call_on(stream, [&](Runtime&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}
LANESCOPE_ALSO(cudaStreamGetDevice, cudaStreamGetDevice_ptsz)

LANESCOPE_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](Runtime&) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call_on(stream, [&](Runtime&) {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}
LANESCOPE_ALSO(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz)

LANESCOPE_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return query([&](Runtime&) {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    if (mode == nullptr || *mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    std::swap(*mode, current);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call_on(stream, [&](Runtime&) {
    if (function == nullptr) return cudaErrorInvalidValue;
    function(data);
    return cudaSuccess;
  });
}
LANESCOPE_ALSO(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz)

LANESCOPE_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                                unsigned flags) {
  return call_on(stream, [&](Runtime&) {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
  });
}
LANESCOPE_ALSO(cudaStreamAddCallback, cudaStreamAddCallback_ptsz)

LANESCOPE_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID,
                                                 const cudaLaunchAttributeValue*) {
  return call_on(stream, [](Runtime&) { return cudaSuccess; });  // hints for a scheduler and caches that are not here
}
LANESCOPE_ALSO(cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz)

LANESCOPE_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return call_on(to,
                 [&](Runtime& rt) { return valid_stream(rt, from) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
LANESCOPE_ALSO(cudaStreamCopyAttributes, cudaStreamCopyAttributes_ptsz)

}  // namespace lanescope::runtime
