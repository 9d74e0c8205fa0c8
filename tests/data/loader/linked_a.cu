// With linked_b.cu: relocatable device code, linked; functions in sections of their own, calls by absolute address.
#include <cassert>

extern __device__ int counter;
extern __constant__ float scales[8];
__device__ float far_away(float x, int i);
__device__ float (*pointer)(float, int) = far_away;
__device__ char buffer[100];

__global__ void caller(float* p, int i) {
  p[i] = far_away(p[i], i) + pointer(p[1], 2) + scales[i];
  atomicAdd(&counter, 1);
  assert(i < 100);
  char* memory = static_cast<char*>(malloc(i));
  memory[0] = 1;
  free(memory);
  buffer[i] = 3;
}
