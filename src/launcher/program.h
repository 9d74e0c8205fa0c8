// What kind of program a file is, told before it starts: whether our runtime can stand in for the one that it was
// linked with, and whether its kernels are compiled for an architecture that can be run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace lanescope::launcher {

struct Program {
  bool elf = false;  // else a script, or something the system has a loader for
  int cudart = 0;    // major version of the shared CUDA runtime that it needs, 0: none
  bool static_cudart = false;
  bool device_code = false;            // has fatbins
  std::vector<std::uint32_t> sm;       // of its machine code, rising, each once
  std::vector<std::uint32_t> compute;  // of its PTX
};

// Architectures whose machine code the engine runs.
std::span<const std::uint32_t> runnable_architectures();

Result<Program> inspect_program(Bytes file, const std::string& name);

// The architecture to model for this program: the wanted one if its code runs there, else, when none is wanted, the
// newest that can be run. 0 when the program has no device code of its own. PTX counts where there is a ptxas to make
// machine code of it. The Error says how to mend the program.
Result<std::uint32_t> choose_architecture(const Program& program, const std::string& name,
                                          std::optional<std::uint32_t> wanted, bool have_ptxas);

// "sm_90", "90", "sm_90a" -> 90.
Result<std::uint32_t> parse_architecture(const std::string& text);

}  // namespace lanescope::launcher
