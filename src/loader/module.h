// What a cubin holds, as plain data. One module is one cubin; its code is one address space.
//
// Code layout: every `.text.*` section is placed in `Module::code` in file order, one after the other. An instruction's
// index is its position there; its code address is 16 * index. Relative branches never leave a section; absolute calls
// and function pointers use code addresses. Relocations that name code or constants are applied on load; those that name
// device variables wait for `place_globals`, since only the runtime knows where they live.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "base/bytes.h"
#include "base/result.h"

namespace lanescope::loader {

struct Parameter {
  std::uint32_t ordinal = 0;
  std::uint32_t offset = 0;  // bytes from the parameter base
  std::uint32_t size = 0;    // bytes
};

// A named array of static shared memory. `offset` is from the block's shared window, so the first one is at 0x400 from
// sm_80 on (the first KB is the system's). Present only when the PTX's declarations add up to the section's size.
struct SharedArray {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
};

// One source position; `inlined_at` indexes Module::positions, or -1.
struct SourcePosition {
  std::uint32_t file = 0;  // index into Module::files
  std::uint32_t line = 0;  // 1-based
  std::int32_t inlined_at = -1;
};

// One `.text.*` section: a kernel, or a device function that has a section of its own.
struct Function {
  std::string name;       // mangled
  std::string demangled;  // as c++filt prints it, "reduce(float*, float*, int)"
  bool is_kernel = false;
  std::uint32_t first = 0;  // index of its first instruction in Module::code
  std::uint32_t count = 0;  // instructions, trailing padding included

  // Of kernels (registers and frame of device functions too):
  std::uint32_t registers = 0;         // a thread
  std::uint32_t barriers = 0;          // a block
  std::uint32_t static_shared = 0;     // bytes a block that .nv.shared declares, the system's 1 KB not included
  std::uint32_t shared_base = 0;       // offset in the shared window where they begin (0x400 from sm_80 on, 0 before)
  std::uint32_t local_bytes = 0;       // stack a thread (frame and least stack of all it calls)
  std::uint32_t parameter_base = 0;    // offset in constant bank 0
  std::uint32_t parameter_bytes = 0;
  std::uint32_t max_threads = 0;       // __launch_bounds__, 0 when absent
  std::uint32_t required_block[3] = {0, 0, 0};  // reqntid, 0 when absent
  std::uint32_t cluster[3] = {0, 0, 0};         // __cluster_dims__, 0 when absent
  std::vector<Parameter> parameters;   // by ordinal
  std::vector<std::uint8_t> bank0;     // image of .nv.constant0 (zeros where the launch writes)
  std::vector<std::uint8_t> bank2;     // jump tables
  std::vector<SharedArray> shared_arrays;
  std::vector<std::int32_t> positions;  // for each of `count` instructions an index into Module::positions, or -1
};

// A __device__ or __constant__ variable.
struct Variable {
  std::string name;
  bool constant = false;     // in bank 3, else in the globals' image
  std::uint64_t offset = 0;  // bytes into the bank or the image
  std::uint64_t size = 0;
};

// A place that holds the address of a device variable (or of the globals' image plus an addend).
struct GlobalRelocation {
  enum class Where : std::uint8_t { kCode, kBank2, kBank3, kBank4, kGlobals } where = Where::kBank4;
  enum class Part : std::uint8_t { kLow32, kHigh32, kFull64 } part = Part::kFull64;
  std::uint64_t offset = 0;   // kCode: byte address of the instruction; else bytes into the bank or image
  std::uint32_t function = 0; // for kBank2: index into Module::functions
  std::uint64_t addend = 0;   // bytes from the start of the globals' image
};

struct Module {
  std::string origin;  // what the user calls it: a path, or "program, image 2"
  std::uint32_t sm = 0;  // 80, 86, 89, 90, ...
  std::vector<Word128> code;
  std::vector<Function> functions;
  std::vector<std::uint8_t> bank3;    // __constant__ variables
  std::vector<std::uint8_t> bank4;    // addresses
  std::vector<std::uint8_t> globals;  // initial image of __device__ variables, zeros included
  std::uint32_t globals_alignment = 256;
  std::vector<Variable> variables;
  std::vector<GlobalRelocation> relocations;
  std::vector<std::string> files;
  std::vector<SourcePosition> positions;
  std::string ptx;  // of the same fatbin, decompressed; empty when absent

  const Function* find(std::string_view mangled) const;
  const Function* function_at(std::uint32_t instruction) const;  // the one whose section holds that index
};

// Reads one cubin. Never crashes on any bytes: what is wrong is an Error that names `origin`, section and offset.
Result<Module> load_cubin(Bytes cubin, std::string origin);

// Writes the address `base` of the globals' image into code and banks.
void place_globals(Module& module, std::uint64_t base);

}  // namespace lanescope::loader
