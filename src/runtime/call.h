// How an entry point is written: LANESCOPE_API cudaError_t cudaName(...) { return call([&](Runtime& rt) {...}); }
#pragma once

#include <exception>
#include <new>

#include "runtime/state.h"

#define LANESCOPE_API extern "C" __attribute__((visibility("default")))

// `name` also under the name that programs compiled for a default stream a thread use. Put it below the definition.
#define LANESCOPE_ALSO(name, alternative) LANESCOPE_API __attribute__((alias(#name))) decltype(name) alternative;

namespace lanescope::runtime {

// Makes a failure the calling thread's last error, and hands it on.
cudaError_t record(cudaError_t error);

// What every call would return at present: the error of the launch that destroyed the context, or that this process is
// a fork of the one that made it.
cudaError_t context_state(Runtime& rt);

// One line on standard error the first time, and a note in the report. Records and returns cudaErrorNotSupported.
cudaError_t unsupported(const char* name);

template <class Body>
cudaError_t query(Body&& body) {  // works whatever state the context is in
  try {
    return record(body(runtime()));
  } catch (const std::bad_alloc&) {
    return record(cudaErrorMemoryAllocation);
  } catch (const std::exception& failure) {
    say(std::string("internal error: ") + failure.what());
    return record(cudaErrorUnknown);
  }
}

template <class Body>
cudaError_t call(Body&& body) {  // needs the context
  return query([&](Runtime& rt) {
    const cudaError_t state = context_state(rt);
    return state != cudaSuccess ? state : body(rt);
  });
}

}  // namespace lanescope::runtime
