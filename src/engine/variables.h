// A module's __device__ and __constant__ variables in device memory.
#pragma once

#include <cstdint>

#include "engine/memory.h"
#include "loader/module.h"

namespace lanescope::engine {

struct PlacedVariables {
  std::uint64_t globals = 0;    // of the __device__ variables' image; 0: there are none
  std::uint64_t constants = 0;  // of a copy of constant bank 3, for code that takes a __constant__ variable's address
};

// Allocates both, tells the module's code and banks where they are, and writes their initial values. An Error when
// memory is out; nothing stays allocated then.
Result<PlacedVariables> place_variables(loader::Module& module, DeviceMemory& memory,
                                        AllocationKind globals = AllocationKind::kDevice);

}  // namespace lanescope::engine
