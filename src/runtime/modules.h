// Device code that the program brought: what was registered or loaded, the image chosen for the modelled chip, and the
// kernels and variables in it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/launch.h"
#include "loader/fatbin.h"
#include "loader/module.h"
#include "runtime/cuda_types.h"

namespace lanescope::runtime {

struct Runtime;
struct Image;

struct Kernel {
  Image* image = nullptr;
  std::string name;                            // mangled
  const loader::Function* function = nullptr;  // set when the image is loaded
  // cudaFuncSetAttribute:
  int max_dynamic_shared = -1;  // -1: not set, what 48 KB leave
  int carveout = -1;
  int required_cluster[3] = {0, 0, 0};
  bool non_portable_cluster = false;
  bool warned = false;  // unsupported instructions were named
};

struct Variable {
  Image* image = nullptr;
  std::string name;
  bool managed = false;
  void** managed_pointer = nullptr;  // the host's pointer to it, filled on load
};

// One fatbin or cubin. It is read when something in it is first needed.
struct Image {
  std::string origin;                // for messages
  std::vector<const void*> fatbins;  // in the program's memory
  std::vector<std::uint8_t> file;    // or a file's bytes
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::unique_ptr<Variable>> variables;

  bool loaded = false;
  cudaError_t failure = cudaSuccess;  // why it cannot be loaded; said once
  std::unique_ptr<loader::Module> module;
  std::unique_ptr<engine::Program> program;
  std::uint64_t globals = 0;    // device address of the __device__ variables, 0 without any
  std::uint64_t constants = 0;  // device copy of the __constant__ variables, the one that programs write
};

struct Library {
  std::unique_ptr<Image> image;
};

// The bytes of the fatbin or cubin at `start`, by its own header; empty when it is neither.
Bytes image_bytes(const void* start);

// Reads the image and places its variables. Needs Runtime::mutex.
cudaError_t load(Runtime& rt, Image& image);

// Gives the device memory back and forgets the code, so that the next use starts afresh. Needs Runtime::mutex.
void unload(Runtime& rt, Image& image);

// The loaded kernel that a program names by its host function or by a handle, or an error. Takes Runtime::mutex.
cudaError_t find_kernel(Runtime& rt, const void* function, Kernel*& kernel);

struct DeviceRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};
// Where a variable of a loaded image lives. False when the image has none of that name.
bool find_variable(const Image& image, std::string_view name, DeviceRange& range);

// The kernel of that name, made known if need be; null when the loaded image has none. Needs Runtime::mutex.
Kernel* add_kernel(Runtime& rt, Image& image, const std::string& name);

// Takes over what the program wrote to its __constant__ variables since the last launch.
void refresh_constants(Runtime& rt, Image& image);

}  // namespace lanescope::runtime
