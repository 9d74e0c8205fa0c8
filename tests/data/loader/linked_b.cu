__device__ int counter = 5;
__constant__ float scales[8] = {1, 2, 3};

__device__ float farther(float x);

__device__ __noinline__ float far_away(float x, int i) {
  __shared__ float tile[33];
  switch (i) {
    case 0: return x;
    case 1: return x * x;
    case 2: return farther(x) + 1;
    case 3: return sqrtf(x);
    case 4: return x / 3;
    case 5: return scales[1];
  }
  tile[threadIdx.x] = x;
  __syncthreads();
  return tile[i];
}

__device__ __noinline__ float farther(float x) { return x < 0 ? far_away(x + 1, 2) : x * 2; }
