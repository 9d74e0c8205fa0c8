// From a job to what the engine needs: buffers with their sizes, kernels, shapes, and the bytes of parameters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_launch/fill.h"
#include "kernel_launch/job.h"
#include "loader/module.h"

namespace lanescope::kernel_launch {

struct PlannedBuffer {
  std::string name;   // given, or "arg0" after its argument, "launch1_arg0" in a later launch, "arg0_2" in a structure
  std::string where;  // for messages: "argument 0 'ptr:f32[n]'"
  Buffer buffer;
  Names names;  // for its numbers
  Contents contents;
  std::uint64_t address = 0;  // set when it is allocated

  std::uint64_t bytes() const { return contents.count * size_of(buffer.type); }
};

struct PlannedShape {
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  std::uint32_t shared = 0;
};

struct PlannedLaunch {
  const loader::Function* kernel = nullptr;
  PlannedShape shape;
  Names names;
};

struct Plan {
  std::vector<PlannedBuffer> buffers;
  std::vector<PlannedLaunch> launches;  // as many as the job's

  const PlannedBuffer* find(std::string_view name) const;
};

// Finds every kernel, evaluates every size and shape, reads the buffers' files and checks all arguments, so that
// nothing runs when something is wrong. `module` must outlive the plan.
Result<Plan> make_plan(const Job& job, const loader::Module& module);

// The kernel of that name: mangled, demangled or bare; an empty one is the module's only kernel.
Result<const loader::Function*> find_kernel(const loader::Module& module, std::string_view name);

// The bytes from the parameter base on. Buffers must have addresses.
Result<std::vector<std::uint8_t>> parameter_bytes(const Plan& plan, const PlannedLaunch& planned, const Launch& launch,
                                                  const loader::Module& module);

// "A" -> its bytes' type and count for --print and such; an Error that lists the buffers there are.
Result<const PlannedBuffer*> find_buffer(const Plan& plan, std::string_view name);

}  // namespace lanescope::kernel_launch
