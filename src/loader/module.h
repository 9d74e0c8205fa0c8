// What a cubin holds, as plain data. One module is one cubin; its code is one address space.
//
// Code layout: every `.text.*` section is placed in `Module::code` in file order, one after the other. An instruction's
// index is its position there; its code address is 16 * index. Relative branches never leave a section; absolute calls
// and function pointers use code addresses. Relocations that name code or constants are applied on load; those that
// name device variables wait for `place_globals`, since only the runtime knows where they live.
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

// A named array of shared memory. `offset` is from the block's shared window, so the first one is at 0x400 from sm_90
// on (the first KB is the system's). Present only when the PTX's declarations add up to the section's size.
struct SharedArray {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;  // bytes; 0 for a dynamic one, whose size the launch decides
  std::uint32_t alignment = 1;
  bool dynamic = false;  // `extern __shared__`: all of a kernel's begin at one place, after the static ones
};

// One source position. What was inlined has the position of the call as its `inlined_at`, and so on outwards.
struct SourcePosition {
  std::uint32_t file = 0;        // index into Module::files
  std::uint32_t line = 0;        // 1-based
  std::int32_t inlined_at = -1;  // index into Module::positions, or -1
  std::int32_t function = -1;    // of what was inlined: index into Module::inlined_functions, or -1
};

// One `.text.*` section: a kernel, or a device function that has a section of its own.
struct Function {
  std::string name;       // mangled
  std::string demangled;  // as Nsight Compute prints it, "void scale<(int)4>(const float *, float *)"
  bool is_kernel = false;
  std::uint32_t first = 0;  // index of its first instruction in Module::code
  std::uint32_t count = 0;  // instructions, trailing padding included

  // Of kernels (registers and frame of device functions too):
  std::uint32_t registers = 0;       // a thread
  std::uint32_t barriers = 0;        // a block
  std::uint32_t static_shared = 0;   // bytes a block that .nv.shared declares, the system's 1 KB not included
  std::uint32_t shared_base = 0;     // offset in the shared window where they begin (0x400 from sm_90 on, 0 before)
  std::uint32_t local_bytes = 0;     // stack a thread (frame and least stack of all it calls)
  bool unbounded_stack = false;      // it recurses or calls through pointers: local_bytes is only a lower bound
  std::uint32_t parameter_base = 0;  // offset in constant bank 0
  std::uint32_t parameter_bytes = 0;
  std::uint32_t max_threads = 0;                // __launch_bounds__, 0 when absent
  std::uint32_t required_block[3] = {0, 0, 0};  // reqntid, 0 when absent
  std::uint32_t cluster[3] = {0, 0, 0};         // __cluster_dims__, 0 when absent
  std::vector<Parameter> parameters;            // by ordinal
  std::vector<std::uint8_t> bank0;              // image of .nv.constant0 (zeros where the launch writes)
  std::vector<std::uint8_t> bank2;              // jump tables
  std::vector<SharedArray> shared_arrays;
  std::vector<std::int32_t> positions;  // for each instruction an index into Module::positions, or -1; empty: no lines
};

// A function that the cubin calls and does not hold: vprintf, malloc, __assertfail. Its code address lies past the end
// of the code, one instruction's width each, so that a call to it can be recognised and named.
struct External {
  std::string name;
  std::uint64_t address = 0;  // code address: 16 * (code.size() + its index in Module::externals)
};

// A __device__ or __constant__ variable.
struct Variable {
  std::string name;
  bool constant = false;     // in bank 3, else in the globals' image
  std::uint64_t offset = 0;  // bytes into the bank or the image
  std::uint64_t size = 0;
};

// A place that holds the address of a device variable: of the globals' image plus an addend, or, where the address of a
// __constant__ variable is taken, of constant bank 3 as it lies in device memory.
struct GlobalRelocation {
  enum class Target : std::uint8_t { kGlobals, kBank3 } target = Target::kGlobals;
  enum class Where : std::uint8_t { kCode, kBank2, kBank3, kBank4, kGlobals } where = Where::kBank4;
  // In code the part is the immediate in bits 32-63. kByte: one byte of the address, from bit `shift` on.
  enum class Part : std::uint8_t { kLow32, kHigh32, kFull64, kByte } part = Part::kFull64;
  std::uint8_t shift = 0;
  std::uint64_t offset = 0;    // kCode: byte address of the instruction; else bytes into the bank or image
  std::uint32_t function = 0;  // for kBank2: index into Module::functions
  std::uint64_t addend = 0;    // bytes from the start of the target
};

struct Module {
  std::string origin;    // what the user calls it: a path, or "program, image 2"
  std::uint32_t sm = 0;  // 80, 86, 89, 90, ...
  std::vector<Word128> code;
  std::vector<Function> functions;
  std::vector<External> externals;
  std::vector<std::uint8_t> bank3;    // __constant__ variables
  std::vector<std::uint8_t> bank4;    // addresses
  std::vector<std::uint8_t> globals;  // initial image of __device__ variables, zeros included
  std::uint32_t globals_alignment = 256;
  std::vector<Variable> variables;
  std::uint64_t bank3_address = 0;  // of bank 3's copy in device memory, from place_globals
  std::vector<GlobalRelocation> relocations;
  std::vector<std::string> files;
  std::vector<std::string> inlined_functions;  // demangled
  std::vector<SourcePosition> positions;
  std::vector<std::string> warnings;  // what could not be read and is not needed to run: one sentence each
  std::string ptx;                    // of the same fatbin, decompressed; empty when absent

  const Function* find(std::string_view mangled) const;
  const Function* function_at(std::uint32_t instruction) const;  // the one whose section holds that index
  const External* external_at(std::uint64_t code_address) const;
};

struct Limits {
  std::uint64_t globals = 1ull << 31;  // bytes of __device__ variables, zeros included, that a cubin may ask for
};

// Reads one cubin. Never crashes on any bytes: what is wrong is an Error that names `origin`, section and offset.
Result<Module> load_cubin(Bytes cubin, std::string origin, const Limits& limits = {});

// Gives a module the PTX of its fatbin (kept only when the cubin brought none) and finds the names of shared arrays in
// it.
void attach_ptx(Module& module, std::string ptx);

// Writes the addresses of the globals' image and of bank 3's copy in device memory into code, banks and globals. It may
// be called again with others.
void place_globals(Module& module, std::uint64_t globals, std::uint64_t bank3 = 0);

// A symbol's name as Nsight Compute prints it; what is not a mangled C++ name comes back as it is.
std::string demangle(const std::string& mangled);

}  // namespace lanescope::loader
