// How a launch ends early: what is said of it.
#include <bit>

#include "engine/launch_state.h"
#include "sass/instruction.h"

namespace lanescope::engine {
namespace {

std::string place_of(const loader::Module& module, std::uint32_t instruction) {
  const loader::Function* function = module.function_at(instruction);
  if (function == nullptr) return fmt::format("code address {:#x}", 16 * instruction);
  const std::uint32_t i = instruction - function->first;
  std::string place = fmt::format("{}, offset {:#x}", function->demangled, 16 * i);
  const std::int32_t position = i < function->positions.size() ? function->positions[i] : -1;
  if (position >= 0) {
    const loader::SourcePosition& at = module.positions[static_cast<std::size_t>(position)];
    place += fmt::format(" ({}:{})", module.files[at.file], at.line);
  }
  if (const auto decoded = sass::decode(module.code[instruction], 16 * i, module.sm))
    place += ", " + sass::to_text(*decoded);
  return place;
}

}  // namespace

std::string describe_stop(const loader::Module& module, Dim3 grid, const Stop& stop) {
  const std::uint32_t x = stop.block % grid.x, y = stop.block / grid.x % grid.y, z = stop.block / grid.x / grid.y;
  return fmt::format("{}: block ({},{},{}), warp {}, lane {}: {}", place_of(module, stop.instruction), x, y, z,
                     stop.warp, stop.lane, stop.message);
}

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
