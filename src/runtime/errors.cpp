// Errors: the last one of each thread, the sticky one of the context, names and texts, and calls that are not there.
#include <fmt/format.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <string>

#include "runtime/call.h"

namespace lanescope::runtime {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

// A fault that no call of this thread has returned yet is the thread's error too.
cudaError_t pending_error() {
  return last_error != cudaSuccess ? last_error : static_cast<cudaError_t>(runtime().fault.load());
}

}  // namespace

cudaError_t record(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

cudaError_t context_state(Runtime& rt) {
  const int maker = rt.context_process;
  if (maker != 0 && maker != getpid()) return cudaErrorInitializationError;
  return static_cast<cudaError_t>(rt.fault.load());
}

cudaError_t unsupported(const char* name) {
  static std::mutex mutex;
  static std::set<std::string>* const named = new std::set<std::string>;
  bool first = false;
  {
    const std::lock_guard lock(mutex);
    first = named->insert(name).second;
  }
  if (first) {
    const std::string message = fmt::format("{} is not supported: it returns cudaErrorNotSupported", name);
    say(message);
    runtime().spool.note(message);
  }
  return record(cudaErrorNotSupported);
}

LANESCOPE_API cudaError_t cudaGetLastError() {
  const cudaError_t error = pending_error();
  last_error = cudaSuccess;
  return error;
}

LANESCOPE_API cudaError_t cudaPeekAtLastError() { return pending_error(); }

LANESCOPE_API const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define LANESCOPE_CUDA_ERROR(name, value, text) \
  case name:                                    \
    return #name;
#include "runtime/errors.inc"
  }
  return "unrecognized error code";
}

LANESCOPE_API const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define LANESCOPE_CUDA_ERROR(name, value, text) \
  case name:                                    \
    return text;
#include "runtime/errors.inc"
  }
  return "unrecognized error code";
}

}  // namespace lanescope::runtime
