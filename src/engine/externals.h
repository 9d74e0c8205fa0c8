// The functions that device code calls and no cubin holds: vprintf, __assertfail, malloc, free.
//
// Calling convention (read off code that nvcc 13.0 makes): arguments in R4 and up, 64-bit ones in even pairs; the
// result in R4; the return address, a code address, in R20 and R21.
#pragma once

#include <cstdint>

#include "engine/microop.h"

namespace lanescope::engine {

// For each lane of `mask` whose target lies past the code: performs the call and makes the target its return address.
// Stops the launch when there is no such function, or none that can be run.
void call_externals(Context& ctx, const MicroOp& op, std::uint32_t mask, std::uint64_t* target);

}  // namespace lanescope::engine
