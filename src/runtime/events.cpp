// Events: time stamps of the host's clock. Elapsed time is what this machine took, which says nothing of a GPU; the
// report notes it.
#include <chrono>

#include "runtime/call.h"
#include "runtime/streams.h"

namespace lanescope::runtime {
namespace {

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Body>
cudaError_t call_with(cudaEvent_t event, Body&& body) {
  return call([&](Runtime& rt) {
    const std::lock_guard lock(rt.mutex);
    return rt.events.contains(event) ? body(rt) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t make_event(Runtime& rt, cudaEvent_t* handle, unsigned flags) {
  constexpr unsigned known = kEventBlockingSync | kEventDisableTiming | kEventInterprocess;
  const bool untimed_for_others = (flags & kEventInterprocess) == 0 || (flags & kEventDisableTiming) != 0;
  if (handle == nullptr || (flags & ~known) != 0 || !untimed_for_others) return cudaErrorInvalidValue;
  const std::lock_guard lock(rt.mutex);
  auto event = std::make_unique<Event>(Event{flags});
  *handle = event.get();
  rt.events.emplace(event.get(), std::move(event));
  return cudaSuccess;
}

}  // namespace

cudaError_t record_event(cudaEvent_t event, cudaStream_t stream) {
  return call([&](Runtime& rt) {
    if (!valid_stream(rt, stream)) return cudaErrorInvalidResourceHandle;
    const std::lock_guard lock(rt.mutex);
    if (!rt.events.contains(event)) return cudaErrorInvalidResourceHandle;
    event->recorded = true;
    event->seconds = host_seconds();
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call([&](Runtime& rt) { return make_event(rt, event, 0); });
}

LANESCOPE_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&](Runtime& rt) { return make_event(rt, event, flags); });
}

LANESCOPE_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call_with(event, [&](Runtime& rt) {
    rt.events.erase(event);
    return cudaSuccess;
  });
}

LANESCOPE_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record_event(event, stream);
}
LANESCOPE_ALSO(cudaEventRecord, cudaEventRecord_ptsz)

LANESCOPE_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return record_event(event, stream);
}
LANESCOPE_ALSO(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz)

LANESCOPE_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call_with(event, [](Runtime&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call_with(event, [](Runtime&) { return cudaSuccess; });
}

LANESCOPE_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call_with(event, [&](Runtime& rt) {
    const bool known = reinterpret_cast<std::uintptr_t>(stream) <= kStreamPerThread || rt.streams.contains(stream);
    return known ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
LANESCOPE_ALSO(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz)

LANESCOPE_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call_with(start, [&](Runtime& rt) {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!rt.events.contains(end)) return cudaErrorInvalidResourceHandle;
    for (const Event* event : {start, end}) {
      if (!event->recorded || (event->flags & kEventDisableTiming) != 0) return cudaErrorInvalidResourceHandle;
    }
    *milliseconds = static_cast<float>((end->seconds - start->seconds) * 1e3);
    rt.spool.note_once("cudaEventElapsedTime gave the program this machine's time, which says nothing of a GPU");
    return cudaSuccess;
  });
}

}  // namespace lanescope::runtime
