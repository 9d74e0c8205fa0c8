// Source of the seeds: nvcc -arch=sm_75 (and sm_90) -lineinfo -cubin; fat binaries with --compress-mode=speed and size.
#include <cstdio>
__device__ int counter; __device__ int* pointer = &counter; __constant__ int scales[3] = {1, 2, 3}; __device__ const int* constant_pointer = scales;
__device__ __forceinline__ int twice(int x) { return 2 * x; }
__global__ void seed(int* p) {
  __shared__ int s[32];
  s[threadIdx.x] = twice(p[threadIdx.x]) + scales[p[1]];
  __syncthreads();
  if (p[2] == 3) printf("%d", s[1]);
  p[0] = s[31 - threadIdx.x] + *pointer + *constant_pointer;
}
