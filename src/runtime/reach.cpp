#include "runtime/reach.h"

#include <fmt/format.h>

namespace lanescope::runtime {
namespace {

// A refusal is worth a note: the program sees one error code for all of its causes.
std::uint8_t* refuse(Runtime& rt, std::uint64_t address, std::size_t bytes, const std::string& why) {
  rt.spool.note(fmt::format("a copy or fill of {} bytes at {:#x} was refused: {}", bytes, address, why));
  return nullptr;
}

std::string outside(Runtime& rt, std::uint64_t address) {
  const auto near = rt.memory->nearest(address);
  if (!near) return "nothing is allocated there";
  const auto& allocation = near->allocation;
  return fmt::format("it does not lie inside {} of {} bytes at {:#x}",
                     near->freed ? "a freed allocation" : "the allocation", allocation.bytes, allocation.address);
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
  const auto allocation = memory->find(address);
  if (!allocation && memory->is_device_address(address)) return refuse(rt, address, bytes, outside(rt, address));
  if (!allocation) {
    if (side == Side::kDevice)
      return refuse(rt, address, bytes, "it is host memory where the direction of the copy says device memory");
    return static_cast<std::uint8_t*>(const_cast<void*>(pointer));
  }
  if (side == Side::kHost && allocation->kind == engine::AllocationKind::kDevice)
    return refuse(rt, address, bytes, "it is device memory where the direction of the copy says host memory");
  std::uint8_t* const view = memory->view(address, bytes);
  return view != nullptr ? view : refuse(rt, address, bytes, outside(rt, address));
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
