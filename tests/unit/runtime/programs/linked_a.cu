// Relocatable device code: a kernel that calls into another file (linked_b.cu) and reads its variables.
#include <cuda_runtime.h>

#include <cstdio>

extern __device__ int twice(int x);
extern __constant__ int offset;
__device__ int bias = 4;

__global__ void combine(int* out) { out[threadIdx.x] = twice(threadIdx.x) + offset + bias; }

int main() {
  int *out, host[32], value = 0;
  cudaMalloc(&out, sizeof host);
  combine<<<1, 32>>>(out);
  if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int i = 0; i < 32; ++i) {
    if (host[i] != 2 * i + 9 + 4) return 2;
  }
  if (cudaMemcpyFromSymbol(&value, offset, sizeof value) != cudaSuccess || value != 9) return 3;
  std::puts("PASS");
}
