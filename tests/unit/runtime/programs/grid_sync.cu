// A cooperative launch: every block waits for all others between two steps.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void ring(int* values) {
  const auto grid = cooperative_groups::this_grid();
  values[blockIdx.x] = blockIdx.x;
  grid.sync();
  const int neighbour = values[(blockIdx.x + 1) % gridDim.x];
  grid.sync();
  values[blockIdx.x] = neighbour;
}

int main() {
  constexpr int blocks = 16;
  int *values, host[blocks];
  cudaMalloc(&values, sizeof host);
  void* arguments[] = {&values};
  if (cudaLaunchCooperativeKernel((const void*)ring, dim3(blocks), dim3(1), arguments, 0, 0) != cudaSuccess) return 1;
  if (cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int i = 0; i < blocks; ++i) {
    if (host[i] != (i + 1) % blocks) return 3;
  }
  std::puts("PASS");
}
