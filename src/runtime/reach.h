// From pointers that a program passes to bytes that this process can touch.
#pragma once

#include <cstdint>

#include "runtime/state.h"

namespace lanescope::runtime {

enum class Side { kHost, kDevice, kEither };

// Where the `bytes` bytes at `pointer` can be read and written, or null when a device of the same kind would refuse
// them: they are not on that side, or not inside one allocation. Page-locked and managed memory is on both sides.
std::uint8_t* reach(Runtime& rt, const void* pointer, std::size_t bytes, Side side);

// The sides that a direction names; false when it is not one.
bool sides_of(cudaMemcpyKind kind, Side& destination, Side& source);

}  // namespace lanescope::runtime
