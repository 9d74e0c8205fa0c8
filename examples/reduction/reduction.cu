// Each block sums 256 numbers in shared memory, with three ways to number the threads that add.
#include "../example.h"

constexpr int kThreads = 256;
constexpr int kBlocks = 256;

// Every second, fourth, eighth... thread adds: few lanes of many warps are at work.
__global__ void reduce_interleaved(const float* in, float* out) {
  __shared__ float part[kThreads];
  const int x = threadIdx.x;
  part[x] = in[blockIdx.x * kThreads + x];
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    if (x % (2 * stride) == 0) part[x] += part[x + stride];
    __syncthreads();
  }
  if (x == 0) out[blockIdx.x] = part[0];
}

// The first threads add, so that warps are full or idle; but their words lie 2, 4, 8... apart, in few banks.
__global__ void reduce_strided(const float* in, float* out) {
  __shared__ float part[kThreads];
  const int x = threadIdx.x;
  part[x] = in[blockIdx.x * kThreads + x];
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    const int i = 2 * stride * x;
    if (i < kThreads) part[i] += part[i + stride];
    __syncthreads();
  }
  if (x == 0) out[blockIdx.x] = part[0];
}

// The first threads add neighbouring words.
__global__ void reduce_sequential(const float* in, float* out) {
  __shared__ float part[kThreads];
  const int x = threadIdx.x;
  part[x] = in[blockIdx.x * kThreads + x];
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (x < stride) part[x] += part[x + stride];
    __syncthreads();
  }
  if (x == 0) out[blockIdx.x] = part[0];
}

int main() {
  const std::vector<float> numbers = ramp(kBlocks * kThreads, 1000);
  std::vector<float> sums(kBlocks);
  for (int i = 0; i < kBlocks * kThreads; i++) sums[i / kThreads] += numbers[i];

  const Buffer in(numbers);
  Verdict verdict;
  const auto run = [&](const char* name, void (*kernel)(const float*, float*)) {
    const Buffer out(kBlocks);
    kernel<<<kBlocks, kThreads>>>(in, out);
    verdict.check(name, out.read(), sums);
  };
  run("reduce_interleaved", reduce_interleaved);
  run("reduce_strided", reduce_strided);
  run("reduce_sequential", reduce_sequential);
  return verdict.exit_code();
}
