// Everything that the loader must write an address for: device variables, constants, pointers between them (also at odd
// places), tables of functions, a jump table, a function outside.
#include <cstdio>

typedef float (*Function)(float);

__device__ int counter;
__device__ float weights[4] = {1, 2, 3, 4};
__constant__ float scales[8] = {1, 2};
__constant__ float offsets[4];
__device__ int* counter_pointer = &counter;
__device__ const float* scales_pointer = &scales[1];
__device__ float* weight_pointers[3] = {weights, weights + 1, nullptr};
__constant__ float* constant_pointers[2] = {weights + 2, nullptr};

struct __attribute__((packed)) Packed {
  char tag;
  float* pointer;
};
__device__ Packed packed = {7, &weights[1]};

struct alignas(64) Line {
  int words[16];
};
__device__ Line line;

__device__ __noinline__ float twice(float x) { return x * 2 + scales[1]; }
__device__ __noinline__ float thrice(float x) { return x * 3 + offsets[0]; }
__device__ Function device_table[2] = {twice, thrice};
__constant__ Function constant_table[2] = {thrice, twice};

__global__ void pointers(float* p, int i) {
  p[i] = device_table[i & 1](p[i]) + constant_table[i & 1](1.0f) + *packed.pointer + *scales_pointer;
  p[2] = *weight_pointers[i] + *constant_pointers[0] + line.words[i];
  atomicAdd(&counter, 1);
  if (i == 77) printf("%d\n", *counter_pointer);
}

__global__ void branches(float* p, int i) {
  switch (i) {
    case 0: p[0] = weights[p[1] > 0]; break;
    case 1: p[1] = twice(p[2]); break;
    case 2: p[5] = sinf(p[2]); break;
    case 3: p[6] = p[7] / p[9]; break;
    case 4: p[1] = 3; break;
    case 5: p[2] = thrice(p[1]); break;
    case 6: p[3] = 4; break;
    case 7: p[9] = expf(p[2]); break;
  }
}
