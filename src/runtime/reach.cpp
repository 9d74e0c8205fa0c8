#include "runtime/reach.h"

#include <fmt/format.h>

namespace lanescope::runtime {
namespace {

bool is_registered(Runtime& rt, std::uint64_t address, std::size_t bytes) {
  const std::lock_guard lock(rt.mutex);
  auto after = rt.registered.upper_bound(address);
  if (after == rt.registered.begin()) return false;
  const auto& [start, range] = *std::prev(after);
  return address - start < range.bytes && bytes <= range.bytes - (address - start);
}

// A refused range is worth a word: the program sees one error code for all of its causes.
std::uint8_t* refuse(Runtime& rt, std::uint64_t address, std::size_t bytes) {
  const auto near = rt.memory->nearest(address);
  if (near) {
    rt.spool.note(fmt::format(
        "a copy or fill of {} bytes at {:#x} was refused: the nearest allocation is {} bytes at {:#x}{}", bytes,
        address, near->allocation.bytes, near->allocation.address, near->freed ? ", which was freed" : ""));
  }
  return nullptr;
}

}  // namespace

std::uint8_t* reach(Runtime& rt, const void* pointer, std::size_t bytes, Side side) {
  if (pointer == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  engine::DeviceMemory* memory = nullptr;
  {
    const std::lock_guard lock(rt.mutex);
    memory = rt.device_memory();
  }
  if (memory == nullptr) return nullptr;
  if (const auto allocation = memory->find(address)) {
    if (side == Side::kHost && allocation->kind == engine::AllocationKind::kDevice) return refuse(rt, address, bytes);
    std::uint8_t* const view = memory->view(address, bytes);
    return view != nullptr ? view : refuse(rt, address, bytes);
  }
  if (rt.in_arena(address)) return refuse(rt, address, bytes);
  if (side == Side::kDevice && !is_registered(rt, address, bytes)) return refuse(rt, address, bytes);
  return static_cast<std::uint8_t*>(const_cast<void*>(pointer));
}

bool sides_of(cudaMemcpyKind kind, Side& destination, Side& source) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      destination = Side::kHost, source = Side::kHost;
      return true;
    case cudaMemcpyHostToDevice:
      destination = Side::kDevice, source = Side::kHost;
      return true;
    case cudaMemcpyDeviceToHost:
      destination = Side::kHost, source = Side::kDevice;
      return true;
    case cudaMemcpyDeviceToDevice:
      destination = Side::kDevice, source = Side::kDevice;
      return true;
    case cudaMemcpyDefault:
      destination = Side::kEither, source = Side::kEither;
      return true;
  }
  return false;
}

}  // namespace lanescope::runtime
