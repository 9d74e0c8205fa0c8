// The file with the kernels: what is in it, and the module to run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "loader/fatbin.h"
#include "loader/module.h"

namespace lanescope::kernel_launch {

struct CodeRequest {
  std::string file;                     // cubin, fatbin, program or library; .ptx (ptxas), .cu (nvcc)
  std::string arch;                     // "sm_90"; empty: the newest that can be run
  std::vector<std::string> nvcc_flags;  // for .cu
};

struct Code {
  std::vector<loader::FatbinEntry> entries;
  std::vector<std::string> notes;  // what the user should know of how they came about
};

// The file's images, compiled or assembled first where it is source.
Result<Code> read_code(const CodeRequest& request);

// The image to run, loaded: of the wanted architecture, else the newest that can be run. PTX alone goes through ptxas.
Result<loader::Module> load_module(Code& code, const CodeRequest& request);

// What `--list` prints: of each image every kernel with its resources and parameters.
Result<std::string> list_kernels(const Code& code, const CodeRequest& request);

}  // namespace lanescope::kernel_launch
