// The kernels of bench/kernels.cu for the OpenCL peers. OpenCL 1.2 has no shuffles, so reduce_shuffle keeps its shape in
// local memory: a tree a group of 32, then one over the groups. Half precision is left out where the device has none.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void matmul_naive(global const float* a, global const float* b, global float* c, int n) {
  const int row = get_global_id(1), column = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

#define MATMUL_TILED(name, T, TILE)                                                   \
  kernel void name(global const T* a, global const T* b, global T* c, int n) {        \
    local T tile_a[TILE][TILE], tile_b[TILE][TILE];                                   \
    const int x = get_local_id(0), y = get_local_id(1);                               \
    const int row = get_group_id(1) * TILE + y, column = get_group_id(0) * TILE + x;  \
    T sum = 0;                                                                        \
    for (int first = 0; first < n; first += TILE) {                                   \
      tile_a[y][x] = a[row * n + first + x];                                          \
      tile_b[y][x] = b[(first + y) * n + column];                                     \
      barrier(CLK_LOCAL_MEM_FENCE);                                                   \
      for (int k = 0; k < TILE; k++) sum += tile_a[y][k] * tile_b[k][x];              \
      barrier(CLK_LOCAL_MEM_FENCE);                                                   \
    }                                                                                 \
    c[row * n + column] = sum;                                                        \
  }
MATMUL_TILED(matmul_tiled16, float, 16)
MATMUL_TILED(matmul_tiled32, float, 32)
MATMUL_TILED(matmul_double, double, 16)

kernel void reduce_tree(global const float* in, global float* out, int n) {
  local float part[256];
  const int x = get_local_id(0), i = get_global_id(0);
  part[x] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int stride = 128; stride > 0; stride /= 2) {
    if (x < stride) part[x] += part[x + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x == 0) out[get_group_id(0)] = part[0];
}

kernel void reduce_shuffle(global const float* in, global float* out, int n) {
  local float part[256];
  const int x = get_local_id(0), i = get_global_id(0);
  part[x] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int stride = 16; stride > 0; stride /= 2) {
    if (x % 32 < stride) part[x] += part[x + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int stride = 4; stride > 0; stride /= 2) {
    if (x < stride) part[x * 32] += part[(x + stride) * 32];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x == 0) out[get_group_id(0)] = part[0];
}

#define TRANSPOSE(name, PAD)                                                              \
  kernel void name(global const float* in, global float* out, int n) {                    \
    local float tile[32][32 + PAD];                                                       \
    const int tx = get_local_id(0), ty = get_local_id(1);                                 \
    int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;                     \
    for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(y + j) * n + x];               \
    barrier(CLK_LOCAL_MEM_FENCE);                                                         \
    x = get_group_id(1) * 32 + tx, y = get_group_id(0) * 32 + ty;                         \
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[tx][ty + j];              \
  }
TRANSPOSE(transpose_tile, 0)
TRANSPOSE(transpose_padded, 1)

kernel void histogram(global const uchar* in, global int* out, int n) {
  local int bins[256];
  const int x = get_local_id(0);
  bins[x] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&bins[in[i]], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&out[x], bins[x]);
}

kernel void stencil(global const float* in, global float* out, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int i = y * n + x;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
    out[i] = in[i];
  } else {
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  }
}

kernel void hash(global const uint* in, global uint* out, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  uint h = in[i];
  for (int round = 0; round < 64; round++) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h += 0xc2b2ae35u;
  }
  out[i] = h;
}

kernel void divergent(global const uint* in, global uint* out, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  uint steps = 0;
  for (uint value = in[i]; value != 1; steps++) {
    if (value % 2) {
      value = 3 * value + 1;
    } else {
      value /= 2;
    }
  }
  out[i] = steps;
}

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half2_fma(global const half2* in, global half2* out, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  const half2 step = in[i];
  half2 x = step;
  for (int round = 0; round < 64; round++) x = fma(x, (half2)(0.5h), step);
  out[i] = x;
}
#endif
