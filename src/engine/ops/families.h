// What each family of operations can lower; one list a source file of ops/.
#pragma once

#include <span>

#include "engine/ops/lower.h"

namespace lanescope::engine::LANESCOPE_TARGET {

std::span<const LowerEntry> integer_operations();
std::span<const LowerEntry> logic_operations();
std::span<const LowerEntry> float_operations();
std::span<const LowerEntry> double_operations();
std::span<const LowerEntry> half_operations();
std::span<const LowerEntry> conversion_operations();
std::span<const LowerEntry> mufu_operations();
std::span<const LowerEntry> move_operations();
std::span<const LowerEntry> uniform_operations();
std::span<const LowerEntry> memory_operations();
std::span<const LowerEntry> atomic_operations();
std::span<const LowerEntry> async_operations();
std::span<const LowerEntry> warp_operations();
std::span<const LowerEntry> control_operations();

// The address of a memory operation: sources 0 and 1, immediate, slot and extra (access.h).
void lower_address(const sass::Address& address, MicroOp& op, Builder& builder);

std::uint64_t run_group(Context& ctx, std::uint64_t budget);

}  // namespace lanescope::engine::LANESCOPE_TARGET
