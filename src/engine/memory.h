// Device memory: an arena of address space in this process.
//
// A device pointer is an address in a range that the host may not touch (PROT_NONE), so that a host access faults as it
// does with a GPU. The engine and the runtime reach the same pages through an alias mapping at a fixed distance.
// Managed and page-locked host memory is readable by both, at one address.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"

namespace lanescope::engine {

enum class AllocationKind : std::uint8_t { kDevice, kManaged, kHost };

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // exactly as asked for
  AllocationKind kind = AllocationKind::kDevice;
  std::uint8_t* view = nullptr;  // where this process reads and writes it
};

class DeviceMemory {
 public:
  // Reserves address space for `capacity` bytes of device memory; physical pages come on first touch.
  static Result<std::unique_ptr<DeviceMemory>> create(std::uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Addresses are multiples of 512, as CUDA's are. An Error (kInput) when the capacity is exhausted. Thread-safe.
  Result<std::uint64_t> allocate(std::uint64_t bytes, AllocationKind kind = AllocationKind::kDevice);
  // Lets the device reach [address, address + bytes) of this process's own memory, as cudaHostRegister does. False when
  // that overlaps a live allocation.
  bool adopt(std::uint64_t address, std::uint64_t bytes);
  // False when `address` is not the start of a live allocation.
  bool release(std::uint64_t address);

  // An address that the host cannot touch, allocated or not.
  bool is_device_address(std::uint64_t address) const { return address - base_[0] < capacity_; }

  // The live allocation that holds `address`.
  std::optional<Allocation> find(std::uint64_t address) const;
  // Where [address, address + bytes) can be read and written, or null when it is not inside one live allocation.
  std::uint8_t* view(std::uint64_t address, std::uint64_t bytes) const;
  // For messages: the live or lately freed allocation nearest to `address`, and whether it was freed.
  struct Neighbour {
    Allocation allocation;
    bool freed = false;
  };
  std::optional<Neighbour> nearest(std::uint64_t address) const;

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return used_; }
  // Grows with every allocate and release: what was cached from find() is stale when it changed.
  std::uint64_t generation() const { return generation_; }

 private:
  DeviceMemory() = default;
  struct Range;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Allocation> live_;
  std::vector<Allocation> freed_;
  std::map<std::uint64_t, std::uint64_t> free_ranges_[2];  // start -> size: [0] device, [1] host-visible
  std::uint64_t base_[2] = {0, 0};
  std::uint8_t* view_[2] = {nullptr, nullptr};
  std::uint64_t capacity_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace lanescope::engine
