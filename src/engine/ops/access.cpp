// What is rare in memory access: the first touch of an allocation, lanes that reach several, and faults.
#include "engine/ops/access.h"

#include <bit>

namespace lanescope::engine {
namespace {

std::string describe_neighbour(const DeviceMemory& memory, std::uint64_t address) {
  const auto near = memory.nearest(address);
  if (!near) return "no device memory is allocated";
  const Allocation& a = near->allocation;
  const std::uint64_t end = a.address + a.bytes;
  const char* kind = near->freed ? "freed allocation" : "allocation";
  if (address >= a.address && address < end)
    return near->freed ? fmt::format("it lies {} bytes into a freed allocation of {} bytes at {:#x}",
                                     address - a.address, a.bytes, a.address)
                       : fmt::format("it begins inside the allocation of {} bytes at {:#x} and runs past its end",
                                     a.bytes, a.address);
  if (address >= end)
    return fmt::format("it is {} bytes past the end of the nearest {}, {} bytes at {:#x}", address - end, kind, a.bytes,
                       a.address);
  return fmt::format("it is {} bytes before the nearest {}, {} bytes at {:#x}", a.address - address, kind, a.bytes,
                     a.address);
}

[[noreturn]] void stop_global(const Context& ctx, const MicroOp& op, std::uint32_t lane, std::uint64_t address,
                              std::uint32_t bytes) {
  const DeviceMemory& memory = *ctx.worker->launch->request->memory;
  if (address % bytes != 0 && memory.view(address, bytes) != nullptr)
    stop_device(ctx, op, StopReason::kMisaligned, lane, address,
                fmt::format("address {:#x} is not a multiple of the access's {} bytes", address, bytes));
  stop_device(
      ctx, op, StopReason::kIllegalAddress, lane, address,
      fmt::format("{} bytes at {:#x} are not device memory: {}", bytes, address, describe_neighbour(memory, address)));
}

}  // namespace

void reach_global_slowly(Context& ctx, const MicroOp& op, std::uint32_t mask, const std::uint64_t* address,
                         std::uint32_t bytes, std::uint64_t* host) {
  const DeviceMemory& memory = *ctx.worker->launch->request->memory;
  std::optional<Allocation> allocation;
  bool several = false;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = address[lane];
    const auto holds = [&](const Allocation& a) {
      return at >= a.address && at - a.address < a.bytes && bytes <= a.bytes - (at - a.address);
    };
    if (!allocation || !holds(*allocation)) {
      const auto found = memory.find(at);
      if (!found || !holds(*found)) stop_global(ctx, op, static_cast<std::uint32_t>(lane), at, bytes);
      several |= allocation.has_value();
      allocation = found;
    }
    if (at % bytes != 0) stop_global(ctx, op, static_cast<std::uint32_t>(lane), at, bytes);
    host[lane] = reinterpret_cast<std::uint64_t>(allocation->view) + (at - allocation->address);
  }
  if (!several) ctx.ranges[op.slot] = RangeCache{allocation->address, allocation->bytes - bytes + 1, allocation->view};
}

void stop_bad_window_access(const Context& ctx, const MicroOp& op, std::uint32_t lane, std::uint32_t offset,
                            std::uint32_t bytes, bool shared) {
  const char* space = shared ? "shared" : "local";
  const std::uint32_t size = shared ? ctx.shared_bytes : ctx.local_bytes;
  if (offset < size && bytes <= size - offset)
    stop_device(ctx, op, StopReason::kMisaligned, lane, offset,
                fmt::format("{} address {:#x} is not a multiple of the access's {} bytes", space, offset, bytes));
  const char* owner = shared ? "the block" : "a thread";
  stop_device(ctx, op, StopReason::kIllegalAddress, lane, offset,
              fmt::format("{} bytes at {} address {:#x} are outside the {} bytes that {} has", bytes, space, offset,
                          size, owner));
}

}  // namespace lanescope::engine
