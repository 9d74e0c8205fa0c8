// Calls inlined into calls, from two files: lines.expected says where each instruction comes from.
#include "lines.cuh"
__device__ __forceinline__ float square(float x) {
  return x * x +
    1.f;
}
__device__ __forceinline__ float nested(float x) {
  float y = square(x);
  y += magnitude(y);
  return y + square(y);
}
__device__ __noinline__ float apart(float x) {
  return nested(x) / 3;
}
__global__ void loop(float* p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = nested(p[i]);
  p[0] = apart(p[1]);
}
template <int N> __global__ void tiles(float* p) {
  __shared__ float s[N];
  s[threadIdx.x] = square(p[threadIdx.x]);
  __syncthreads();
  p[threadIdx.x] = s[N - 1 - threadIdx.x] + [&](float z) { return nested(z) +
    magnitude(z); }(p[3]);
}
template __global__ void tiles<32>(float*);
template __global__ void tiles<64>(float*);
