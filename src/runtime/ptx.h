// PTX to machine code, by CUDA's own assembler where it is installed: what a driver does when it loads a program that
// has no machine code for its chip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lanescope::runtime {

// The cubin that ptxas makes of `ptx` for `sm`. An Error when there is no ptxas (PATH, CUDA_HOME/bin or
// /usr/local/cuda/bin) or it refuses.
Result<std::vector<std::uint8_t>> assemble(const std::string& ptx, std::uint32_t sm);

}  // namespace lanescope::runtime
