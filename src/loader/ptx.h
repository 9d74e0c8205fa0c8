// What is read of PTX: the declarations of shared memory, since machine code has sizes but no names.
#pragma once

#include <string_view>
#include <vector>

#include "loader/module.h"

namespace lanescope::loader {

struct PtxVariable {
  std::string_view name;   // mangled
  std::uint64_t size = 0;  // bytes; 0 for `[]`
  std::uint32_t alignment = 1;
  bool is_extern = false;
};

struct PtxFunction {
  std::string_view name;  // mangled
  bool is_entry = false;
  std::vector<PtxVariable> shared;            // declared inside, in order
  std::vector<std::string_view> identifiers;  // of the body, that name functions or shared variables of the file
};

// All views point into the text.
struct PtxFile {
  std::vector<PtxVariable> shared;  // declared outside functions, in order
  std::vector<PtxFunction> functions;
};

// Never fails: what is not understood is passed over.
PtxFile read_ptx(std::string_view text);

// The shared arrays of one kernel with their offsets, or nothing when they don't add up to the kernel's static_shared
// or their order is not known.
std::vector<SharedArray> lay_out_shared(const PtxFile& ptx, const Function& kernel);

}  // namespace lanescope::loader
