// What a kernel of the program can occupy of a multiprocessor of the modelled chip.
#pragma once

#include "runtime/state.h"

namespace lanescope::runtime {

// Threads that a block can have before it needs more registers than there are.
int max_threads_by_registers(const Runtime& rt, const loader::Function& function);

// Resident blocks; 0 when the kernel cannot be launched so.
int blocks_per_multiprocessor(const Runtime& rt, const loader::Function& function, int threads,
                              std::size_t dynamic_shared);

}  // namespace lanescope::runtime
