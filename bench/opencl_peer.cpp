// Runs the workloads on the first OpenCL device and prints, for each, its name, the shortest time of a launch in
// seconds and what is wrong with the results ("ok" when nothing is). bench/compare starts it once for each peer.
//   usage: opencl_peer [--once] [KERNEL...]     --once: one launch a kernel, for a slow peer
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "workloads.h"

namespace {

using lanescope::bench::Bytes;
using lanescope::bench::Workload;

// A benchmark can only give up when OpenCL fails.
void must(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  fmt::print(stderr, "opencl_peer: {} failed with error {}\n", what, error);
  std::exit(1);
}

struct Device {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
};

Device open_device() {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  cl_int error = 0;
  must(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr), "clGetDeviceIDs");
  char name[256] = "";
  must(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, nullptr), "clGetPlatformInfo");
  fmt::print("# {}\n", name);

  std::ifstream file(LANESCOPE_BENCH_FOLDER "/peers.cl");
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  const char* text = source.c_str();
  Device device;
  device.context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &error);
  must(error, "clCreateContext");
  device.queue = clCreateCommandQueue(device.context, id, 0, &error);
  must(error, "clCreateCommandQueue");
  device.program = clCreateProgramWithSource(device.context, 1, &text, nullptr, &error);
  must(error, "clCreateProgramWithSource");
  must(clBuildProgram(device.program, 1, &id, "", nullptr, nullptr), "clBuildProgram");
  return device;
}

struct Outcome {
  double seconds = 0;  // of the fastest launch
  std::string problem;
};

Outcome run(const Device& device, const Workload& work, bool once) {
  cl_int error = 0;
  const cl_kernel kernel = clCreateKernel(device.program, work.name.c_str(), &error);
  if (error == CL_INVALID_KERNEL_NAME) return {0, "not supported"};
  must(error, "clCreateKernel");

  std::vector<cl_mem> buffers;
  for (const Bytes& bytes : work.buffers) {
    buffers.push_back(clCreateBuffer(device.context, CL_MEM_READ_WRITE, bytes.size(), nullptr, &error));
    must(error, "clCreateBuffer");
    const auto index = static_cast<cl_uint>(buffers.size() - 1);
    must(clSetKernelArg(kernel, index, sizeof(cl_mem), &buffers.back()), "clSetKernelArg");
    must(
        clEnqueueWriteBuffer(device.queue, buffers.back(), CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  }
  must(clSetKernelArg(kernel, static_cast<cl_uint>(buffers.size()), sizeof(work.size), &work.size), "clSetKernelArg");

  std::size_t global[3], local[3];
  for (int i = 0; i < 3; i++) {
    local[i] = work.block[i];
    global[i] = std::size_t{work.grid[i]} * work.block[i];
  }
  const auto launch = [&] {
    const auto start = std::chrono::steady_clock::now();
    must(clEnqueueNDRangeKernel(device.queue, kernel, 3, nullptr, global, local, 0, nullptr, nullptr),
         "clEnqueueNDRangeKernel");
    must(clFinish(device.queue), "clFinish");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };

  double fastest = launch();  // compiles the kernel for this block size
  Bytes output(work.buffers.back().size());
  must(clEnqueueReadBuffer(device.queue, buffers.back(), CL_TRUE, 0, output.size(), output.data(), 0, nullptr, nullptr),
       "clEnqueueReadBuffer");
  double total = 0;
  for (int repetition = 0; !once && (repetition < 5 || total < 1); repetition++) {
    const double seconds = launch();
    fastest = std::min(fastest, seconds);
    total += seconds;
  }
  for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  return {fastest, work.problem(output)};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  const bool once = std::erase(names, "--once") != 0;
  const Device device = open_device();
  for (const Workload& work : lanescope::bench::workloads()) {
    if (!names.empty() && std::find(names.begin(), names.end(), work.name) == names.end()) continue;
    const Outcome outcome = run(device, work, once);
    fmt::print("{}\t{:.6g}\t{}\n", work.name, outcome.seconds, outcome.problem.empty() ? "ok" : outcome.problem);
    std::fflush(stdout);
  }
}
