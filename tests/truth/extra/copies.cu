// Copies into shared memory and matrix tiles: cp.async in a pipeline and in many destination patterns, bulk copies,
// ldmatrix, mma and stmatrix with and without a swizzle, loads of 64 and 128 bits that merge or not. Prints PASS if all
// is right.
#include <cuda_fp16.h>

#include "extra.h"

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

template <int BYTES>
__device__ void copy(void* to, const void* from) {
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(BYTES)
                 : "memory");
}

// Two tiles in flight; WIDTH bytes a copy; PITCH floats a row.
template <int WIDTH, int PITCH>
__global__ void matmul_pipeline(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float sa[2][32][PITCH], sb[2][32][PITCH];
  constexpr int step = WIDTH / 4, rows = 256 * step / 32;
  int t = threadIdx.x, tx = t % 32, ty = t / 32;
  const float *pa = a + blockIdx.y * 32 * n, *pb = b + blockIdx.x * 32;
  auto load = [&](int stage, int k) {
    for (int r = 0; r < 32; r += rows) {
      int y = r + t * step / 32, x = t * step % 32;
      copy<WIDTH>(&sa[stage][y][x], pa + y * n + k + x);
      copy<WIDTH>(&sb[stage][y][x], pb + (k + y) * n + x);
    }
    asm volatile("cp.async.commit_group;");
  };
  float sum[4] = {};
  load(0, 0);
  for (int k = 0, stage = 0; k < n; k += 32, stage ^= 1) {
    if (k + 32 < n) {
      load(stage ^ 1, k + 32);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    for (int j = 0; j < 32; j++)
      for (int i = 0; i < 4; i++) sum[i] += sa[stage][ty + 8 * i][j] * sb[stage][j][tx];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) c[(blockIdx.y * 32 + ty + 8 * i) * n + blockIdx.x * 32 + tx] = sum[i];
}

// One warp, the same copy 32 times; lane l writes at place(l) within a window of 4 KB, by pattern.
constexpr int kPatterns = 12;
__host__ __device__ int place(int pattern, int lane) {  // in units of 16 bytes, below 256
  switch (pattern) {
    case 0:
      return lane;  // contiguous
    case 1:
      return lane * 2;
    case 2:
      return lane * 4;
    case 3:
      return lane * 8;  // every lane in the same banks
    case 4:
      return lane * 3;
    case 5:
      return lane * 7;
    case 6:
      return lane ^ 5;
    case 7:
      return (lane % 8) * 8 + lane / 8;  // a transposed tile
    case 8:
      return (lane % 8) * 9 + lane / 8;  // the same, padded
    case 9:
      return (lane % 8) * 8 + ((lane / 8) ^ (lane % 8));  // the same, swizzled
    case 10:
      return lane / 8 * 64 + lane % 8;  // 8 lanes a row
    default:
      return (lane * 37 + 11) & 255;  // spread
  }
}
template <int KIND>  // 0: .ca 16, 1: .cg 16, 2: .ca 4
__global__ void copy_pattern(const char* a, unsigned* out, int pattern) {
  __shared__ __align__(128) char s[4096 + 4096];
  int lane = threadIdx.x;
  for (int i = lane; i < 2048; i += 32) reinterpret_cast<int*>(s)[i] = 0;
  __syncwarp();
  char* to = s + place(pattern, lane) * 16;
  const char* from = a + lane * 16;
#pragma unroll
  for (int k = 0; k < 32; k++) {
    if constexpr (KIND == 0)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
    if constexpr (KIND == 1)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
    if constexpr (KIND == 2)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from) : "memory");
  }
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncwarp();
  out[lane] = *reinterpret_cast<unsigned*>(to);
}

// D = A B, halves, 64 x 64 x 64 a block of four warps; rows of 64 halves, plain or with 16-byte chunks moved by the
// row.
template <bool SWIZZLE>
__global__ void gemm_mma(const half* a, const half* b, half* c) {
  __shared__ __align__(128) half sa[64 * 64], sb[64 * 64];
  auto at = [](int row, int chunk) { return row * 64 + (SWIZZLE ? chunk ^ (row & 7) : chunk) * 8; };
  int t = threadIdx.x, w = t / 32, lane = t % 32;
  for (int i = t; i < 512; i += 128) {
    copy<16>(sa + at(i / 8, i % 8), a + i * 8);
    copy<16>(sb + at(i / 8, i % 8), b + i * 8);
  }
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  float d[8][4] = {};
  for (int k = 0; k < 64; k += 16) {
    unsigned f[4], g[2];
    int row = w * 16 + lane % 16;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                 : "r"(shared_address(sa + at(row, k / 8 + lane / 16))));
    for (int n = 0; n < 8; n++) {
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                   : "=r"(g[0]), "=r"(g[1])
                   : "r"(shared_address(sb + at(k + lane % 16, n))));
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
          "%2, %3};"
          : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
          : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]));
    }
  }
  __syncthreads();
  for (int n = 0; n < 8; n += 2) {
    half2 h[4] = {__floats2half2_rn(d[n][0], d[n][1]), __floats2half2_rn(d[n][2], d[n][3]),
                  __floats2half2_rn(d[n + 1][0], d[n + 1][1]), __floats2half2_rn(d[n + 1][2], d[n + 1][3])};
    unsigned* u = reinterpret_cast<unsigned*>(h);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(sa + at(w * 16 + lane % 16, n + lane / 16))),
                 "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3])
                 : "memory");
  }
  __syncthreads();
  for (int i = t; i < 512; i += 128)
    *reinterpret_cast<uint4*>(c + i * 8) = *reinterpret_cast<uint4*>(sa + at(i / 8, i % 8));
}

__global__ void bulk_rows(const float* a, float* out) {  // a bulk copy a row into rows of another pitch
  __shared__ __align__(128) float s[16][36];
  __shared__ unsigned long long bar;
  unsigned b = shared_address(&bar), done = 0;
  int t = threadIdx.x;
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2048;" ::"r"(b) : "memory");
    for (int k = 0; k < 16; k++)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                       shared_address(s[k])),
                   "l"(a + k * 32), "r"(b)
                   : "memory");
  }
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(b)
                 : "memory");
  out[t] = s[t % 16][t / 16] + s[t / 32][t % 32] + s[t / 32 + 8][t % 32];
}

// Wide loads: lanes at equal or different addresses, by pattern; each lane adds up what it read.
__host__ __device__ int element(int pattern, int lane) {
  switch (pattern) {
    case 0:
      return lane;  // all different
    case 1:
      return lane / 2;  // pairs equal
    case 2:
      return (lane & 1) | (lane / 4 * 2);  // lanes i and i^2 equal
    case 3:
      return lane / 4;
    case 4:
      return lane / 8 * 3;
    case 5:
      return lane % 8;
    case 6:
      return lane % 16;
    case 7:
      return lane * 5 & 31;
    case 8:
      return lane * 8 & 63;
    case 9:
      return lane / 2 * 9 & 63;
    case 10:
      return 11;
    default:
      return lane < 16 ? lane / 2 : lane;
  }
}
template <int WORDS>
__device__ int wide_load(const int* p) {
  int x = 0, y = 0, z = 0, w = 0;
  if constexpr (WORDS == 2)
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(shared_address(p)));
  else
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "r"(shared_address(p)));
  return x + 3 * y + 5 * z + 7 * w;
}
template <int WORDS>
__global__ void wide_loads(const int* a, int* out, unsigned mask) {
  __shared__ __align__(16) int s[64 * WORDS];
  int lane = threadIdx.x, sum = 0;
  for (int i = lane; i < 64 * WORDS; i += 32) s[i] = a[i];
  __syncwarp();
  if (mask >> lane & 1) {
#pragma unroll
    for (int p = 0; p < 12; p++) sum = sum * 2 + wide_load<WORDS>(s + element(p, lane) * WORDS);
  }
  out[lane] = sum;
}

__global__ void __cluster_dims__(2, 1, 1)
    cluster_sum(const int* a, int* out) {  // reads the other block's shared memory
  __shared__ int s[64];
  int t = threadIdx.x, r;
  unsigned rank, peer;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  s[t] = a[blockIdx.x * 64 + t];
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(peer)
               : "r"(shared_address(s + (t * 2 & 63))), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(r) : "r"(peer) : "memory");
  out[blockIdx.x * 64 + t] = r + s[t ^ 1];
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <int WORDS>
void wide(const char* name) {
  std::vector<int> h = numbers<int>(64 * WORDS, 1000);
  Array<int> a(h), o(32);
  for (unsigned mask : {~0u, 0x0ffff0f3u, 0x55555555u}) {
    wide_loads<WORDS><<<1, 32>>>(a.data, o.data, mask);
    std::vector<int> r = o.host();
    bool ok = true;
    for (int l = 0; l < 32; l++) {
      unsigned sum = 0;
      for (int p = 0; p < 12 && mask >> l & 1; p++) {
        const int* v = &h[element(p, l) * WORDS];
        sum = sum * 2 + v[0] + 3 * v[1] + (WORDS == 4 ? 5 * v[2] + 7 * v[3] : 0);
      }
      ok &= r[l] == static_cast<int>(sum);
    }
    check(name, ok);
  }
}

int main() {
  {
    constexpr int n = 96;
    std::vector<float> a = numbers<float>(n * n, 8), b = numbers<float>(n * n, 8, 2), want(n * n);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) want[i * n + j] += a[i * n + k] * b[k * n + j];
    Array<float> da(a), db(b), c4(n * n), c16(n * n), p4(n * n), p16(n * n);
    matmul_pipeline<4, 32><<<dim3(3, 3), 256>>>(da.data, db.data, c4.data, n);
    check("matmul_pipeline, 4 bytes", c4.host() == want);
    matmul_pipeline<4, 33><<<dim3(3, 3), 256>>>(da.data, db.data, p4.data, n);
    check("matmul_pipeline, 4 bytes, padded", p4.host() == want);
    matmul_pipeline<16, 32><<<dim3(3, 3), 256>>>(da.data, db.data, c16.data, n);
    check("matmul_pipeline, 16 bytes", c16.host() == want);
    matmul_pipeline<16, 36><<<dim3(3, 3), 256>>>(da.data, db.data, p16.data, n);
    check("matmul_pipeline, 16 bytes, padded", p16.host() == want);
  }
  {
    std::vector<int> h = numbers<int>(128, 1u << 30);
    Array<int> a(h);
    Array<unsigned> o(32);
    const char* in = reinterpret_cast<const char*>(a.data);
    for (int pattern = 0; pattern < kPatterns; pattern++) {
      bool ok = true;
      auto right = [&] {
        std::vector<unsigned> r = o.host();
        for (int l = 0; l < 32; l++) ok &= r[l] == static_cast<unsigned>(h[l * 4]);
      };
      copy_pattern<0><<<1, 32>>>(in, o.data, pattern), right();
      copy_pattern<1><<<1, 32>>>(in, o.data, pattern), right();
      copy_pattern<2><<<1, 32>>>(in, o.data, pattern), right();
      check("copy_pattern", ok);
    }
  }
  {
    std::vector<int> x = numbers<int>(4096, 5), y = numbers<int>(4096, 5, 2);
    std::vector<half> ha(4096), hb(4096);
    for (int i = 0; i < 4096; i++) ha[i] = __float2half(x[i]), hb[i] = __float2half(y[i]);
    Array<half> a(ha), b(hb), c(4096), d(4096);
    auto right = [&](const std::vector<half>& r) {
      for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
          int s = 0;
          for (int k = 0; k < 64; k++) s += x[i * 64 + k] * y[k * 64 + j];
          if (__half2float(r[i * 64 + j]) != s) return false;
        }
      return true;
    };
    gemm_mma<false><<<1, 128>>>(a.data, b.data, c.data);
    check("gemm_mma", right(c.host()));
    gemm_mma<true><<<1, 128>>>(a.data, b.data, d.data);
    check("gemm_mma, swizzled", right(d.host()));
  }
  {
    std::vector<float> h = numbers<float>(512, 100);
    Array<float> a(h), o(256);
    bulk_rows<<<1, 256>>>(a.data, o.data);
    std::vector<float> r = o.host();
    bool ok = true;
    for (int t = 0; t < 256; t++) ok &= r[t] == h[t % 16 * 32 + t / 16] + h[t] + h[256 + t];
    check("bulk_rows", ok);
  }
  wide<2>("wide_loads of 64 bits");
  wide<4>("wide_loads of 128 bits");
  {
    std::vector<int> h = numbers<int>(256, 1000);
    Array<int> a(h), o(256);
    cluster_sum<<<4, 64>>>(a.data, o.data);
    std::vector<int> r = o.host();
    bool ok = true;
    for (int i = 0; i < 256; i++) ok &= r[i] == h[((i / 64) ^ 1) * 64 + (i * 2 & 63)] + h[i ^ 1];
    check("cluster_sum", ok);
  }
  return verdict();
}
