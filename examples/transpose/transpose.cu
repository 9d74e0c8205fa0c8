// A matrix is transposed in four ways: straight through global memory, and through a tile in shared memory that is
// first in the way of its banks, then padded, then swizzled.
#include "../example.h"

constexpr int kSize = 256;  // rows and columns
constexpr int kTile = 32;
constexpr int kRows = 8;  // of a block; each thread moves kTile / kRows elements

// Reads along rows, writes along columns: each lane of a store reaches another sector.
__global__ void transpose_direct(const float* in, float* out) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) out[x * kSize + y + j] = in[(y + j) * kSize + x];
}

// Both sides go along rows, but a column of the tile lies in one bank.
__global__ void transpose_tile(const float* in, float* out) {
  __shared__ float tile[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * kSize + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) out[(y + j) * kSize + x] = tile[threadIdx.x][threadIdx.y + j];
}

// One more column moves each row to the next bank.
__global__ void transpose_padded(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * kSize + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) out[(y + j) * kSize + x] = tile[threadIdx.x][threadIdx.y + j];
}

// The column is stored at column ^ row: no conflicts, and no memory for them.
__global__ void transpose_swizzled(const float* in, float* out) {
  __shared__ float tile[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    const int row = threadIdx.y + j;
    tile[row][threadIdx.x ^ row] = in[(y + j) * kSize + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    const int column = threadIdx.y + j;
    out[(y + j) * kSize + x] = tile[threadIdx.x][column ^ threadIdx.x];
  }
}

int main() {
  const std::vector<float> matrix = ramp(kSize * kSize, kSize * kSize);
  std::vector<float> transposed(matrix.size());
  for (int y = 0; y < kSize; y++) {
    for (int x = 0; x < kSize; x++) transposed[x * kSize + y] = matrix[y * kSize + x];
  }

  const Buffer in(matrix);
  const dim3 grid(kSize / kTile, kSize / kTile), block(kTile, kRows);
  Verdict verdict;
  const auto run = [&](const char* name, void (*kernel)(const float*, float*)) {
    const Buffer out(matrix.size());
    kernel<<<grid, block>>>(in, out);
    verdict.check(name, out.read(), transposed);
  };
  run("transpose_direct", transpose_direct);
  run("transpose_tile", transpose_tile);
  run("transpose_padded", transpose_padded);
  run("transpose_swizzled", transpose_swizzled);
  return verdict.exit_code();
}
