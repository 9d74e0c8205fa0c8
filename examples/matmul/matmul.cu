// A matrix product, straight from global memory and through tiles of 16 and 32 columns, with and without padding.
// Padding is the usual cure for bank conflicts; here there are none to cure, and it does harm.
#include "../example.h"

constexpr int kSize = 128;  // rows and columns

__global__ void matmul_direct(const float* a, const float* b, float* c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < kSize; k++) sum += a[row * kSize + k] * b[k * kSize + column];
  c[row * kSize + column] = sum;
}

template <int kTile, int kPad>
__global__ void matmul_tiled(const float* a, const float* b, float* c) {
  __shared__ float tile_a[kTile][kTile + kPad], tile_b[kTile][kTile + kPad];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int first = 0; first < kSize; first += kTile) {
    tile_a[y][x] = a[row * kSize + first + x];
    tile_b[y][x] = b[(first + y) * kSize + column];
    __syncthreads();
    for (int k = 0; k < kTile; k++) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * kSize + column] = sum;
}

int main() {
  // Small whole numbers, so that every sum is exact.
  const std::vector<float> left = ramp(kSize * kSize, 17), right = ramp(kSize * kSize, 23);
  std::vector<float> product(left.size());
  for (int y = 0; y < kSize; y++) {
    for (int x = 0; x < kSize; x++) {
      for (int k = 0; k < kSize; k++) product[y * kSize + x] += left[y * kSize + k] * right[k * kSize + x];
    }
  }

  const Buffer a(left), b(right);
  Verdict verdict;
  const auto run = [&](const char* name, void (*kernel)(const float*, const float*, float*), int tile) {
    const Buffer c(product.size());
    kernel<<<dim3(kSize / tile, kSize / tile), dim3(tile, tile)>>>(a, b, c);
    verdict.check(name, c.read(), product);
  };
  run("matmul_direct", matmul_direct, 16);
  run("matmul_tiled<16, 0>", matmul_tiled<16, 0>, 16);
  run("matmul_tiled<16, 1>", matmul_tiled<16, 1>, 16);
  run("matmul_tiled<32, 0>", matmul_tiled<32, 0>, 32);
  run("matmul_tiled<32, 1>", matmul_tiled<32, 1>, 32);
  return verdict.exit_code();
}
