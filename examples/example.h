// What the examples share: error checks, a device buffer, and the verdict that each prints.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Numbers on the device, initialised from the host.
class Buffer {
 public:
  explicit Buffer(const std::vector<float>& values) : count_(values.size()) {
    must(cudaMalloc(&data_, count_ * sizeof(float)));
    must(cudaMemcpy(data_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  explicit Buffer(std::size_t count) : Buffer(std::vector<float>(count)) {}  // zeros
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  operator float*() const { return data_; }

  std::vector<float> read() const {
    std::vector<float> values(count_);
    must(cudaMemcpy(values.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  float* data_ = nullptr;
  std::size_t count_;
};

// The values 0, 1, 2, ... below `limit`, again and again: sums of a few hundred are exact in float.
inline std::vector<float> ramp(std::size_t count, int limit) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; i++) values[i] = static_cast<float>(i % limit);
  return values;
}

class Verdict {
 public:
  void check(const char* kernel, const std::vector<float>& got, const std::vector<float>& expected) {
    must(cudaGetLastError());
    const bool equal = got == expected;
    std::printf("%-24s %s\n", kernel, equal ? "ok" : "WRONG");
    failed_ |= !equal;
  }
  int exit_code() const {
    std::printf("%s\n", failed_ ? "FAIL" : "PASS");
    return failed_ ? 1 : 0;
  }

 private:
  bool failed_ = false;
};
