// A program for spool_test: what it does with its kernels is said by its arguments.
//   launch <n>    launches axpy and variables by turns, n launches in all
//   fork          launches once, in the child too (which has made no context before)
//   exec          launches once, then replaces itself by "launch 2"
//   kill          launches twice, then dies by SIGKILL
//   fault         launches a kernel that stores nowhere, and exits with the error that it sees
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "api.h"

namespace {

char axpy, variables, store_at;

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void register_kernels() {
  static const std::vector<char> fatbin = read_file(std::string(LANESCOPE_TEST_DATA) + "/unit/runtime/kernels.fatbin");
  static FatbinWrapper wrapper{kFatbinWrapperMagic, 1, fatbin.data(), nullptr};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  const std::pair<char*, const char*> kernels[] = {{&axpy, "axpy"}, {&variables, "variables"}, {&store_at, "store_at"}};
  for (const auto& [stub, name] : kernels)
    __cudaRegisterFunction(handle, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
}

void launch(int count) {
  void* memory = nullptr;
  cudaMalloc(&memory, 4096);
  float a = 2;
  int n = 64;
  for (int i = 0; i < count; ++i) {
    void* of_axpy[] = {&memory, &memory, &a, &n};
    void* of_variables[] = {&memory};
    if (i % 2 == 0) {
      cudaLaunchKernel(&axpy, {2}, {32}, of_axpy, 0, nullptr);
    } else {
      cudaLaunchKernel(&variables, {1}, {32}, of_variables, 0, nullptr);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  register_kernels();
  if (mode == "launch") {
    launch(std::atoi(argv[2]));
  } else if (mode == "fork") {
    if (fork() == 0) {
      launch(1);
      _exit(0);
    }
    wait(nullptr);
    launch(1);
  } else if (mode == "exec") {
    launch(1);
    execl("/proc/self/exe", argv[0], "launch", "2", nullptr);
  } else if (mode == "kill") {
    launch(2);
    std::raise(SIGKILL);
  } else if (mode == "fault") {
    void* nowhere = nullptr;
    void* arguments[] = {&nowhere};
    cudaLaunchKernel(&store_at, {1}, {1}, arguments, 0, nullptr);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 17 : 1;
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
