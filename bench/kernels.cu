// The kernels that the benchmarks run; bench/peers.cl has the same in OpenCL. Each takes its buffers, then one int.
// kernels.sm_90.cubin holds their machine code, so that a benchmark needs no nvcc; after a change:
//   nvcc -arch=sm_90 -cubin kernels.cu -o kernels.sm_90.cubin
#include <cuda_fp16.h>

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <class T, int kTile>
__device__ void matmul_tiled(const T* a, const T* b, T* c, int n) {
  __shared__ T tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  T sum = 0;
  for (int first = 0; first < n; first += kTile) {
    tile_a[y][x] = a[row * n + first + x];
    tile_b[y][x] = b[(first + y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; k++) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void matmul_tiled16(const float* a, const float* b, float* c, int n) {
  matmul_tiled<float, 16>(a, b, c, n);
}
extern "C" __global__ void matmul_tiled32(const float* a, const float* b, float* c, int n) {
  matmul_tiled<float, 32>(a, b, c, n);
}
extern "C" __global__ void matmul_double(const double* a, const double* b, double* c, int n) {
  matmul_tiled<double, 16>(a, b, c, n);
}

// Sums of 256 elements, one a block.
extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
  __shared__ float part[256];
  const int x = threadIdx.x, i = blockIdx.x * 256 + x;
  part[x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (x < stride) part[x] += part[x + stride];
    __syncthreads();
  }
  if (x == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_shuffle(const float* in, float* out, int n) {
  __shared__ float part[8];
  const int x = threadIdx.x, i = blockIdx.x * 256 + x;
  float sum = i < n ? in[i] : 0;
  for (int stride = 16; stride > 0; stride /= 2) sum += __shfl_down_sync(~0u, sum, stride);
  if (x % 32 == 0) part[x / 32] = sum;
  __syncthreads();
  if (x < 32) {
    sum = x < 8 ? part[x] : 0;
    for (int stride = 4; stride > 0; stride /= 2) sum += __shfl_down_sync(~0u, sum, stride);
    if (x == 0) out[blockIdx.x] = sum;
  }
}

template <int kPad>
__device__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + kPad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_tile(const float* in, float* out, int n) { transpose<0>(in, out, n); }
extern "C" __global__ void transpose_padded(const float* in, float* out, int n) { transpose<1>(in, out, n); }

extern "C" __global__ void histogram(const unsigned char* in, int* out, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&bins[in[i]], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// One step of a five-point average; the rim keeps its values.
extern "C" __global__ void stencil(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = y * n + x;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
    out[i] = in[i];
  } else {
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  }
}

// 64 rounds of a multiply, xor and shift hash of each element.
extern "C" __global__ void hash(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = in[i];
  for (int round = 0; round < 64; round++) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h += 0xc2b2ae35u;
  }
  out[i] = h;
}

// Steps of the Collatz sequence down to 1: each lane leaves the loop at another time.
extern "C" __global__ void divergent(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned steps = 0;
  for (unsigned value = in[i]; value != 1; steps++) {
    if (value % 2) {
      value = 3 * value + 1;
    } else {
      value /= 2;
    }
  }
  out[i] = steps;
}

// 64 steps of x = x / 2 + y in pairs of half precision.
extern "C" __global__ void half2_fma(const __half2* in, __half2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half2 half_of = __float2half2_rn(0.5f), step = in[i];
  __half2 x = step;
  for (int round = 0; round < 64; round++) x = __hfma2(x, half_of, step);
  out[i] = x;
}
