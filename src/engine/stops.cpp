// How a launch ends early: what is said of it.
#include <bit>

#include "engine/launch_state.h"

namespace lanescope::engine {

void stop_device(const Context& ctx, const MicroOp& op, StopReason reason, std::uint32_t lane, std::uint64_t address,
                 std::string detail) {
  const auto index = static_cast<std::uint32_t>(&op - ctx.worker->launch->program->code.data());
  throw DeviceStop{reason, index, lane, address, std::move(detail)};
}

void throw_deadlock(const Worker& worker, const Block& block) {
  for (const Warp& warp : block.warps)
    if (warp.count != 0)
      throw DeviceStop{StopReason::kDeadlock, warp.groups[0].pc - 1,
                       static_cast<std::uint32_t>(std::countr_zero(warp.groups[0].mask)), 0,
                       fmt::format("block {}: every warp waits at a barrier that cannot complete (here warp {})",
                                   block.linear, warp.index)};
  throw DeviceStop{StopReason::kDeadlock, worker.launch->kernel->first, 0, 0, "nothing can run"};
}

void stop_bad_code_address(const Context& ctx, const MicroOp& op, std::uint32_t lane, std::uint64_t address) {
  stop_device(ctx, op, StopReason::kIllegalInstruction, lane, address,
              fmt::format("the branch goes to code address {:#x}, where there is no instruction", address));
}

void stop_bad_constant(const Context& ctx, const MicroOp& op, std::uint32_t lane, std::uint32_t offset) {
  const std::uint32_t bank = op.extra[0];
  stop_device(ctx, op, StopReason::kIllegalAddress, lane, offset,
              fmt::format("offset {:#x} is outside constant bank {} of {} bytes", offset, bank,
                          ctx.worker->launch->banks[bank].size()));
}

void stop_trap(const Context& ctx, const MicroOp& op, std::uint32_t lane) {
  stop_device(ctx, op, StopReason::kTrap, lane, 0, "the kernel stopped itself (a trap or a failed assertion)");
}

}  // namespace lanescope::engine
