// One target's table: who lowers what, and the interpreter's loop.
#include "engine/ops/families.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

void add(Target& target, std::span<const LowerEntry> entries) {
  for (const LowerEntry& entry : entries) target.lower[static_cast<std::size_t>(entry.executor)] = entry.lower;
}

Target make_target() {
  Target target{};
  target.name = LANESCOPE_TARGET_NAME;
  target.run_group = run_group;
  for (const auto family : {integer_operations, logic_operations, float_operations, double_operations, half_operations,
                            conversion_operations, mufu_operations, move_operations, memory_operations,
                            atomic_operations, async_operations, warp_operations, control_operations})
    add(target, family());
  return target;
}

}  // namespace

const Target& target() {
  static const Target kTarget = make_target();
  return kTarget;
}

}  // namespace lanescope::engine::LANESCOPE_TARGET
