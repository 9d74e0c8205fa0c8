// What the three programs share: device buffers, a fixed random sequence, and one line a check.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline int failures = 0;

#define CK(x)                                                                 \
  do {                                                                        \
    cudaError_t e = (x);                                                      \
    if (e != cudaSuccess) {                                                   \
      std::printf("%s: %s (line %d)\n", #x, cudaGetErrorString(e), __LINE__); \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

inline unsigned draw(unsigned long long& state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<unsigned>(state >> 32);
}

// Small whole numbers, so that sums of floats are exact in any order.
template <class T>
std::vector<T> numbers(size_t n, unsigned limit, unsigned seed = 1) {
  unsigned long long state = seed;
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(draw(state) % limit);
  return v;
}

template <class T>
struct Array {
  T* data = nullptr;
  size_t count;
  explicit Array(size_t n, int byte = 0) : count(n) {
    CK(cudaMalloc(&data, n * sizeof(T)));
    CK(cudaMemset(data, byte, n * sizeof(T)));
  }
  explicit Array(const std::vector<T>& v) : Array(v.size()) {
    CK(cudaMemcpy(data, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { cudaFree(data); }
  Array(const Array&) = delete;
  std::vector<T> host() const {
    std::vector<T> v(count);
    CK(cudaGetLastError());
    CK(cudaMemcpy(v.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
};

inline void check(const char* name, bool ok) {
  std::printf("%s %s\n", ok ? "ok  " : "WRONG", name);
  std::fflush(stdout);
  if (!ok) failures++;
}

inline int verdict() {
  std::printf("%s\n", failures ? "FAIL" : "PASS");
  return failures ? 1 : 0;
}
