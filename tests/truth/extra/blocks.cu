// Block algorithms that the textbook programs do not have: shuffles, scans, sorts, stencils, matrix-vector and sparse
// products, wide and narrow tiles, histograms in several layouts. One launch each; prints PASS if all results are
// right. Counts that depend on timing: histogram_u64 and histogram_float (shared atomics that retry).
#include "extra.h"

__global__ void shuffle_reduce(const float* a, float* out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.f;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

__global__ void scan_blelloch(const int* a, int* out) {
  extern __shared__ int s[];
  int t = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n, offset = 1;
  s[2 * t] = a[base + 2 * t];
  s[2 * t + 1] = a[base + 2 * t + 1];
  for (int d = n / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1, x = s[i];
      s[i] = s[j];
      s[j] += x;
    }
  }
  __syncthreads();
  out[base + 2 * t] = s[2 * t];
  out[base + 2 * t + 1] = s[2 * t + 1];
}

__global__ void scan_double_buffer(const double* a, double* out) {
  __shared__ double s[2][256];
  int t = threadIdx.x, in = 0;
  s[0][t] = a[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    s[in ^ 1][t] = t >= d ? s[in][t] + s[in][t - d] : s[in][t];
    in ^= 1;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = s[in][t];
}

__global__ void bitonic_sort(unsigned* a) {
  __shared__ unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = a[blockIdx.x * 1024 + i];
  for (int k = 2; k <= 1024; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        int p = i ^ j;
        if (p > i && (s[i] > s[p]) == ((i & k) == 0)) {
          unsigned x = s[i];
          s[i] = s[p];
          s[p] = x;
        }
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) a[blockIdx.x * 1024 + i] = s[i];
}

__constant__ float kernel_weights[25];
__global__ void stencil_5x5(const float* a, float* out, int w, int h) {
  __shared__ float s[12][36];
  int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 8 - 2;
  for (int y = threadIdx.y; y < 12; y += 8)
    for (int x = threadIdx.x; x < 36; x += 32) {
      int gx = x0 + x, gy = y0 + y;
      s[y][x] = gx >= 0 && gx < w && gy >= 0 && gy < h ? a[gy * w + gx] : 0.f;
    }
  __syncthreads();
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 5; j++)
#pragma unroll
    for (int i = 0; i < 5; i++) sum += kernel_weights[j * 5 + i] * s[threadIdx.y + j][threadIdx.x + i];
  out[y * w + x] = sum;
}

__global__ void matvec_warp(const float* m, const float* x, float* y, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < cols; c += 32) sum += m[row * cols + c] * x[c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}

__global__ void matvec_thread(const float* m, const float* x, float* y, int rows, int cols) {
  __shared__ float s[128];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < cols; c += 128) {
    __syncthreads();
    if (c + threadIdx.x < cols) s[threadIdx.x] = x[c + threadIdx.x];
    __syncthreads();
    int n = min(128, cols - c);
    if (row < rows)
      for (int k = 0; k < n; k++) sum += m[row * cols + c + k] * s[k];
  }
  if (row < rows) y[row] = sum;
}

__global__ void spmv_scalar(const int* start, const int* column, const float* value, const float* x, float* y,
                            int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
  y[row] = sum;
}

__global__ void spmv_vector(const int* start, const int* column, const float* value, const float* x, float* y,
                            int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  float sum = 0;
  if (row < rows)
    for (int k = start[row] + lane; k < start[row + 1]; k += 8) sum += value[k] * x[column[k]];
  for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 8);
  if (row < rows && lane == 0) y[row] = sum;
}

// Tiles of wide and narrow elements, read by column. PITCH in elements.
template <class T, int PITCH>
__global__ void tile_transpose(const T* a, T* out, int n) {
  __shared__ T s[32][PITCH];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) s[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = s[threadIdx.x][threadIdx.y + j];
}

__global__ void matmul_float4(const float4* a, const float* b, float4* c, int n) {  // c = b a, rows of a as float4
  __shared__ float4 sa[16][17];
  __shared__ float sb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < n; k += 16) {
    sa[ty][tx] = a[(k + ty) * (n / 4) + column];
    sb[ty][tx] = b[row * n + k + tx];
    __syncthreads();
    for (int j = 0; j < 16; j++) {
      float4 v = sa[j][tx];
      float w = sb[ty][j];
      sum.x += v.x * w, sum.y += v.y * w, sum.z += v.z * w, sum.w += v.w * w;
    }
    __syncthreads();
  }
  c[row * (n / 4) + column] = sum;
}

__global__ void double2_pairs(const double2* a, double2* out) {
  __shared__ double2 s[256];
  int t = threadIdx.x;
  s[(t * 5) & 255] = a[blockIdx.x * 256 + t];
  __syncthreads();
  double2 x = s[t ^ 1], y = s[t / 2], z = s[(t * 9) & 255], w = s[t & 7];
  out[blockIdx.x * 256 + t] = make_double2(x.x + y.y + z.x, x.y - y.x + w.y);
}

__global__ void histogram_shared(const unsigned char* a, unsigned* out, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[a[i]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

__global__ void histogram_weighted(const unsigned char* a, unsigned* out,
                                   int n) {  // adds a register, keeps the old value
  __shared__ unsigned s[256], last[256];
  s[threadIdx.x] = 0, last[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned old = atomicAdd(&s[a[i]], i & 3u);
    atomicMax(&last[a[i]], old);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

__global__ void histogram_private(const unsigned char* a, unsigned* out, int n) {  // a copy a warp, narrow counters
  __shared__ unsigned short s[8][256];
  int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = lane; i < 256; i += 32) s[w][i] = 0;
  __syncwarp();
  for (int i = (blockIdx.x * 8 + w) * 32; i < n; i += gridDim.x * 256) {
    unsigned v = a[i + lane], peers = __match_any_sync(~0u, v);
    if (lane == __ffs(peers) - 1) s[w][v] += __popc(peers);
    __syncwarp();
  }
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < 8; k++) sum += s[k][threadIdx.x];
  atomicAdd(&out[threadIdx.x], sum);
}

__global__ void histogram_global(const unsigned char* a, unsigned long long* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&out[a[i]], 1ull + (i & 1));
}

__global__ void histogram_u64(const unsigned char* a, unsigned long long* out, int n) {
  __shared__ unsigned long long s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[a[i]], 3ull);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

__global__ void histogram_float(const unsigned char* a, float* out, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[a[i]], 2.f);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

__global__ void maximum_u64(const unsigned* a, unsigned long long* out, int n) {  // value and place of the largest
  __shared__ unsigned long long best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&best, static_cast<unsigned long long>(a[i]) << 32 | i);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(out, best);
}

template <class T, int PITCH>
void transpose(const char* name) {
  constexpr int n = 96;
  std::vector<T> h = numbers<T>(n * n, 120);
  Array<T> a(h), o(n * n);
  tile_transpose<T, PITCH><<<dim3(3, 3), dim3(32, 8)>>>(a.data, o.data, n);
  std::vector<T> r = o.host();
  bool ok = true;
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) ok &= r[y * n + x] == h[x * n + y];
  check(name, ok);
}

int main() {
  {
    constexpr int n = 10007;
    std::vector<float> h = numbers<float>(n, 100);
    Array<float> a(h), o(5);
    shuffle_reduce<<<5, 224>>>(a.data, o.data, n);
    double want = 0, got = 0;
    for (float x : h) want += x;
    for (float x : o.host()) got += x;
    check("shuffle_reduce", got == want);
  }
  {
    std::vector<int> h = numbers<int>(2048, 1000);
    Array<int> a(h), o(2048);
    scan_blelloch<<<2, 512, 1024 * 4>>>(a.data, o.data);
    std::vector<int> r = o.host();
    bool ok = true;
    for (int b = 0, sum = 0; b < 2; b++, sum = 0)
      for (int i = 0; i < 1024; i++) ok &= r[b * 1024 + i] == sum, sum += h[b * 1024 + i];
    check("scan_blelloch", ok);
  }
  {
    std::vector<double> h = numbers<double>(768, 1000);
    Array<double> a(h), o(768);
    scan_double_buffer<<<3, 256>>>(a.data, o.data);
    std::vector<double> r = o.host();
    bool ok = true;
    for (int b = 0; b < 3; b++) {
      double sum = 0;
      for (int i = 0; i < 256; i++) sum += h[b * 256 + i], ok &= r[b * 256 + i] == sum;
    }
    check("scan_double_buffer", ok);
  }
  {
    std::vector<unsigned> h = numbers<unsigned>(2048, 1u << 31);
    Array<unsigned> a(h);
    bitonic_sort<<<2, 512>>>(a.data);
    std::vector<unsigned> r = a.host();
    bool ok = true;
    for (int i = 1; i < 2048; i++) ok &= i == 1024 || r[i - 1] <= r[i];
    check("bitonic_sort", ok);
  }
  {
    constexpr int w = 173, h = 61;
    std::vector<float> in = numbers<float>(w * h, 16), k = numbers<float>(25, 5);
    CK(cudaMemcpyToSymbol(kernel_weights, k.data(), 100));
    Array<float> a(in), o(w * h);
    stencil_5x5<<<dim3(6, 8), dim3(32, 8)>>>(a.data, o.data, w, h);
    std::vector<float> r = o.host();
    bool ok = true;
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        float sum = 0;
        for (int j = 0; j < 5; j++)
          for (int i = 0; i < 5; i++) {
            int gx = x + i - 2, gy = y + j - 2;
            if (gx >= 0 && gx < w && gy >= 0 && gy < h) sum += k[j * 5 + i] * in[gy * w + gx];
          }
        ok &= r[y * w + x] == sum;
      }
    check("stencil_5x5", ok);
  }
  {
    constexpr int rows = 203, cols = 301;
    std::vector<float> m = numbers<float>(rows * cols, 8), x = numbers<float>(cols, 8);
    std::vector<float> want(rows);
    for (int i = 0; i < rows; i++)
      for (int c = 0; c < cols; c++) want[i] += m[i * cols + c] * x[c];
    Array<float> a(m), b(x), y(rows), z(rows);
    matvec_warp<<<51, 128>>>(a.data, b.data, y.data, rows, cols);
    check("matvec_warp", y.host() == want);
    matvec_thread<<<2, 128>>>(a.data, b.data, z.data, rows, cols);
    check("matvec_thread", z.host() == want);
  }
  {
    constexpr int rows = 700;
    unsigned long long state = 7;
    std::vector<int> start(rows + 1), column;
    std::vector<float> value, x = numbers<float>(rows, 50), want(rows);
    for (int i = 0; i < rows; i++) {
      for (unsigned k = draw(state) % 23; k > 0; k--) {
        column.push_back(draw(state) % rows), value.push_back(draw(state) % 9);
        want[i] += value.back() * x[column.back()];
      }
      start[i + 1] = static_cast<int>(column.size());
    }
    Array<int> s(start), c(column);
    Array<float> v(value), b(x), y(rows), z(rows);
    spmv_scalar<<<6, 128>>>(s.data, c.data, v.data, b.data, y.data, rows);
    check("spmv_scalar", y.host() == want);
    spmv_vector<<<44, 128>>>(s.data, c.data, v.data, b.data, z.data, rows);
    check("spmv_vector", z.host() == want);
  }
  transpose<double, 32>("transpose of doubles");
  transpose<double, 33>("transpose of doubles, padded");
  transpose<short, 32>("transpose of shorts");
  transpose<short, 34>("transpose of shorts, padded");
  transpose<char, 32>("transpose of bytes");
  transpose<char, 36>("transpose of bytes, padded");
  {
    constexpr int n = 64;
    std::vector<float> a = numbers<float>(n * n, 8), b = numbers<float>(n * n, 8, 2), want(n * n);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) want[i * n + j] += b[i * n + k] * a[k * n + j];
    Array<float> da(a), db(b), dc(n * n);
    matmul_float4<<<dim3(1, 4), dim3(16, 16)>>>(reinterpret_cast<float4*>(da.data), db.data,
                                                reinterpret_cast<float4*>(dc.data), n);
    check("matmul_float4", dc.host() == want);
  }
  {
    std::vector<double> h = numbers<double>(1024, 1000);
    Array<double> a(h), o(1024);
    double2_pairs<<<2, 256>>>(reinterpret_cast<double2*>(a.data), reinterpret_cast<double2*>(o.data));
    std::vector<double> r = o.host(), s(512);
    bool ok = true;
    for (int b = 0; b < 2; b++) {
      for (int t = 0; t < 256; t++)
        s[2 * (t * 5 & 255)] = h[b * 512 + 2 * t], s[2 * (t * 5 & 255) + 1] = h[b * 512 + 2 * t + 1];
      for (int t = 0; t < 256; t++) {
        const double *x = &s[2 * (t ^ 1)], *y = &s[2 * (t / 2)], *z = &s[2 * (t * 9 & 255)], *w = &s[2 * (t & 7)];
        ok &= r[b * 512 + 2 * t] == x[0] + y[1] + z[0] && r[b * 512 + 2 * t + 1] == x[1] - y[0] + w[1];
      }
    }
    check("double2_pairs", ok);
  }
  {
    constexpr int n = 16384;
    std::vector<unsigned char> h(n);
    unsigned long long state = 3;
    for (auto& x : h) x = static_cast<unsigned char>((draw(state) & draw(state)) >> 24);  // skewed: few bits set
    std::vector<unsigned> want(256), weighted(256);
    for (int i = 0; i < n; i++) want[h[i]]++, weighted[h[i]] += i & 3;
    Array<unsigned char> a(h);
    Array<unsigned> o(256), p(256), q(256);
    Array<unsigned long long> u(256), g(256);
    Array<float> f(256);
    auto same = [&](auto v, double scale) {
      bool ok = true;
      for (int i = 0; i < 256; i++) ok &= static_cast<double>(v[i]) == want[i] * scale;
      return ok;
    };
    histogram_shared<<<4, 256>>>(a.data, o.data, n);
    check("histogram_shared", o.host() == want);
    histogram_weighted<<<4, 256>>>(a.data, p.data, n);
    check("histogram_weighted", p.host() == weighted);
    histogram_private<<<4, 256>>>(a.data, q.data, n);
    check("histogram_private", q.host() == want);
    histogram_global<<<4, 256>>>(a.data, g.data, n);
    std::vector<unsigned long long> odd(256);
    for (int i = 0; i < n; i++) odd[h[i]] += 1 + (i & 1);
    check("histogram_global", g.host() == odd);
    histogram_u64<<<4, 256>>>(a.data, u.data, n);
    check("histogram_u64", same(u.host(), 3));
    histogram_float<<<4, 256>>>(a.data, f.data, n);
    check("histogram_float", same(f.host(), 2));
  }
  {
    std::vector<unsigned> h = numbers<unsigned>(1000, 1u << 30);
    Array<unsigned> a(h);
    Array<unsigned long long> o(1);
    maximum_u64<<<8, 128>>>(a.data, o.data, 1000);
    unsigned long long want = 0;
    for (unsigned i = 0; i < 1000; i++) want = std::max(want, static_cast<unsigned long long>(h[i]) << 32 | i);
    check("maximum_u64", o.host()[0] == want);
  }
  return verdict();
}
