// A matrix is doubled. Which index the lanes of a warp run along decides how many sectors a request takes.
#include "../example.h"

constexpr int kSize = 256;  // rows and columns

// Lanes run down a column: each reaches another row, and so a sector of its own.
__global__ void double_columns(const float* in, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * kSize + column] = 2 * in[row * kSize + column];
}

// Lanes run along a row: eight of them share a sector.
__global__ void double_rows(const float* in, float* out) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  out[row * kSize + column] = 2 * in[row * kSize + column];
}

int main() {
  const std::vector<float> matrix = ramp(kSize * kSize, 1000);
  std::vector<float> doubled = matrix;
  for (float& value : doubled) value *= 2;

  const Buffer in(matrix);
  const dim3 block(32, 8);
  Verdict verdict;
  const auto run = [&](const char* name, void (*kernel)(const float*, float*)) {
    const Buffer out(matrix.size());
    kernel<<<dim3(kSize / block.x, kSize / block.y), block>>>(in, out);
    verdict.check(name, out.read(), doubled);
  };
  run("double_columns", double_columns);
  run("double_rows", double_rows);
  return verdict.exit_code();
}
