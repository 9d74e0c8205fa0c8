// What the benchmarks run, for the engine and for its peers alike: kernels, inputs, and a reference for the results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lanescope::bench {

using Bytes = std::vector<std::uint8_t>;

struct Workload {
  std::string name;  // the kernel's, too
  std::array<std::uint32_t, 3> grid, block;
  std::vector<Bytes> buffers;  // initial contents, in the order of the kernel's arguments; the last is the output
  std::int32_t size = 0;       // the argument that follows them
  std::function<std::string(const Bytes& output)> problem;  // compares with a reference; empty when the output is right
};

// All of them, the reference in double precision where the kernel computes in floating point.
std::vector<Workload> workloads();

std::string machine_name();  // the processor's, "unknown processor" where the system does not tell

}  // namespace lanescope::bench
