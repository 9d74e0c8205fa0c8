// The state of one process's CUDA runtime. It is the one process-wide object of the project: the API has no context
// argument. It is made on first use and never destroyed, since programs call in from static constructors and from exit
// handlers.
//
// Everything is executed at once, in the calling thread, so streams and events keep only what programs can ask about.
// Locks: `mutex` guards the tables and is held for moments only; `execution` is held while a kernel runs. Never take
// `mutex` and then `execution`, and hold neither while calling the program back.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/memory.h"
#include "runtime/chips.h"
#include "runtime/cuda_types.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/spool.h"

namespace lanescope::runtime {

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  double seconds = 0;  // host clock
};

struct MemoryPool {
  std::uint64_t release_threshold = 0;
  int reuse[3] = {1, 1, 1};
};

// cudaArray: plain device memory, row after row, slice after slice.
struct Array {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  // elements; 0 for absent dimensions, as cudaArrayGetInfo gives it
  unsigned flags = 0;
  std::size_t element_bytes = 0;
  std::uint64_t address = 0;

  std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
  std::size_t pitch() const { return extent.width * element_bytes; }
};

struct DeviceSettings {
  unsigned flags = 0;
  unsigned cache_config = 0;
  unsigned shared_config = 0;
  std::map<unsigned, std::size_t> limits;  // that the program set

  std::size_t limit(cudaLimit which) const;
};

template <class T>
using Owned = std::map<T*, std::unique_ptr<T>>;

struct Runtime {
  Runtime();

  Options options;
  const Chip* chip = nullptr;
  DeviceProperties properties;
  Spool spool;

  std::mutex mutex;
  std::mutex execution;
  std::atomic<int> fault{0};            // sticky: the error of the launch that destroyed the context
  std::atomic<int> context_process{0};  // the process that made device memory; 0: nobody yet

  std::unique_ptr<engine::DeviceMemory> memory;  // null until needed
  DeviceSettings device;

  Owned<Image> images;
  Owned<Library> libraries;
  std::unordered_map<const void*, Kernel*> kernels_by_stub;  // the host function that stands for a kernel
  std::unordered_map<const void*, Variable*>
      variables_by_shadow;        // the host variable that stands for a device variable
  std::set<const void*> kernels;  // every live handle

  Owned<Stream> streams;
  unsigned long long next_stream_id = 3;  // 1 and 2 are the default streams
  Owned<Event> events;
  Owned<Array> arrays;
  Owned<MemoryPool> pools;
  MemoryPool default_pool;
  MemoryPool* current_pool = &default_pool;
  std::map<std::uint64_t, unsigned> host_flags;        // of cudaHostAlloc
  std::map<std::uint64_t, unsigned> registered_flags;  // of cudaHostRegister

  std::uint64_t launches = 0;           // in the process
  std::uint64_t matching_launches = 0;  // that the kernel filter takes

  // Device memory, made on first use. Null when it cannot be reserved, or in a child of the process that made it.
  // Needs `mutex`.
  engine::DeviceMemory* device_memory();
};

Runtime& runtime();

// One line on the program's standard error, "lanescope: " before it.
void say(const std::string& message);

}  // namespace lanescope::runtime
