// Control flow and memory spaces: local arrays, spills, generic pointers, layouts, offset bases, odd blocks, early
// exits, recursion, switches, spins, barriers inside divergent code, tiled groups. One launch each; prints PASS if all
// is right. Counts that depend on timing: spin_flag, spin_lock, spin_lanes, ticket_last_block, look_back.
#include <cooperative_groups.h>

#include "extra.h"

namespace cg = cooperative_groups;

__global__ void local_index(const int* a, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, table[24];
  for (int k = 0; k < 24; k++) table[k] = a[i + k];
  for (int k = 0; k < n; k++) {
    int j = (table[k % 24] & 0x7fffffff) % 24;
    table[j] = table[(j * 5 + k) % 24] + k;
  }
  int r = 0;
  for (int k = 0; k < 24; k++) r = r * 31 + table[(k * 7) % 24];
  out[i] = r;
}

__global__ void local_bytes(const int* a, int* out) {  // narrow and wide local accesses, lanes at different places
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char bytes[32];
  double wide[6];
  for (int k = 0; k < 32; k++) bytes[k] = static_cast<unsigned char>(a[i] >> (k & 15)) + k;
  for (int k = 0; k < 6; k++) wide[k] = a[i + k];
  int at = a[i] & 31;
  bytes[at] ^= bytes[(at * 11 + 3) & 31];
  wide[at % 6] += wide[(at + threadIdx.x) % 6];
  out[i] = bytes[(at + 1) & 31] + bytes[at] * 256 + static_cast<int>(wide[at % 6]) * 3;
}

__global__ void __launch_bounds__(512, 4)
    spills(const float* a, float* out) {  // 32 registers a thread: the rest spills
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[40];
#pragma unroll
  for (int k = 0; k < 40; k++) v[k] = a[i + k * 37];
#pragma unroll 1
  for (int r = 0; r < 3; r++) {
#pragma unroll
    for (int k = 0; k < 40; k++) v[k] = v[(k + 13) % 40] + v[k] * 0.5f;
  }
  float s = 0;
#pragma unroll
  for (int k = 0; k < 40; k++) s += v[k];
  out[i] = s;
}

__global__ void generic_pointers(const int* a, int* out, int n) {
  __shared__ int s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, local[4] = {t, t + 1, t + 2, t + 3};
  s[t] = a[i] * 2;
  __syncthreads();
  const int* p = t % 3 == 0 ? s + (t ^ 1) : t % 3 == 1 ? a + (i ^ 2) : local + (t & 3);  // three spaces in a warp
  const int* q = t / 32 & 1 ? s + (t * 5 & 127) : a + i * n;                             // one space a warp
  int* r = i & 4 ? s + t : out + i;
  int v = *p + *q;
  __syncthreads();
  *r = v;
  __syncthreads();
  if (i & 4) out[i] = s[t];
}

struct Particle {
  float x, y, z, mass;
  int kind;
};
__global__ void array_of_structs(Particle* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float e = p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z;
  if (p[i].kind & 1) p[i].mass = e;
}
__global__ void struct_of_arrays(const float* x, const float* y, const float* z, float* mass, const int* kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float e = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
  if (kind[i] & 1) mass[i] = e;
}
__global__ void shared_structs(const float* a, float* out) {  // 12- and 20-byte strides in shared memory
  __shared__ float3 s[96];
  __shared__ Particle q[96];
  int t = threadIdx.x;
  s[t] = make_float3(a[t], a[t + 1], a[t + 2]);
  q[t] = {a[t], a[t + 3], a[t + 5], 1.f, t};
  __syncthreads();
  float3 v = s[(t + 7) % 96];
  Particle w = q[95 - t];
  out[t] = v.x + v.y * 2 + v.z * 4 + w.x + w.y * w.mass + w.z + w.kind;
}

__global__ void offset_base(const float* a, const short* b, const char* c, float* out,
                            int n) {  // bases that are not aligned to a sector
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i] + c[i];
}
__global__ void row_offset(const float2* a, float* out, int pitch, int w) {  // rows whose start moves against the lines
  int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
  if (x < w) {
    float2 v = a[y * pitch + x];
    out[y * w + x] = v.x - v.y;
  }
}

__global__ void odd_blocks(const int* a, int* out, int n) {  // any block shape: the last warp is partial
  __shared__ int s[512];
  int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,
      size = blockDim.x * blockDim.y * blockDim.z;
  int i = blockIdx.x * size + t;
  s[t] = i < n ? a[i] : 0;
  __syncthreads();
  int r = s[size - 1 - t] + s[(t * 3) % size];
  if (threadIdx.x & 1) r += __popc(__activemask());
  if (i < n) out[i] = r;
}

__global__ void early_exits(const int* a, int* out) {  // lanes leave before barriers that the rest meets
  __shared__ int s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = a[i];
  out[i] = -1;
  __syncthreads();
  if (t >= 96) return;
  if (t / 32 == 1 && (t & 1)) return;
  s[t] += s[t + 32];
  __syncthreads();
  if (s[t] % 5 == 0) return;
  out[i] = s[t] + s[(t * 7) % 96];
}

__global__ void nested_loops(const int* a, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i] & 0xffff, r = 0;
  for (int j = 0; j < 6; j++) {
    if ((x >> j & 3) == 3) continue;
    for (int k = 0; k < (x & 7); k++) {
      if (((x >> k) & 5) == 5) break;
      do {
        r += x % (k + 2);
        x = x * 5 + 1 & 0xffff;
        if ((r & 31) == 7) goto next;
      } while ((x & 3) != 0);
      if (r & 1) continue;
      r ^= k << j;
    }
    if (r > 400) break;
  next:
    r++;
  }
  out[i] = r;
}

__device__ __noinline__ int fibonacci(int n, int x) {
  return n < 2 ? n + (x & 1) : fibonacci(n - 1, x ^ n) + fibonacci(n - 2, x);
}
__global__ void recursion(const int* a, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fibonacci(a[i] % 7, a[i]);
}

__global__ void switch_table(const int* a, int* out, const int* table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], r = 0;
  for (int k = 0; k < 3; k++, x >>= 4) switch (x & 15) {
      case 0:
        r += 3;
        break;
      case 1:
        r *= 5;
        [[fallthrough]];
      case 2:
        r ^= x;
        break;
      case 3:
        r += table[x & 63];
        break;
      case 5:
        r = r / 3;
        break;
      case 6:
        r -= 9;
        [[fallthrough]];
      case 7:
        r = -r;
        break;
      case 8:
        r = r << 3 | k;
        break;
      case 11:
        r += table[r & 63];
        break;
      case 12:
        r = __popc(r);
        break;
      case 13:
        r = __clz(r);
        break;
      default:
        r += 1000;
    }
  out[i] = r;
}

__device__ int twice(int x) { return 2 * x; }
__device__ int negate(int x) { return -x; }
__device__ int square(int x) { return x * x; }
__device__ int (*const functions[4])(int) = {twice, negate, square, twice};
__global__ void indirect_calls(const int* a, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = functions[a[i] & 3](a[i] & 1023) + functions[threadIdx.x / 32 & 3](7);
}

__global__ void uniform_branches(const int* a, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, r = a[i];
  if (blockIdx.x & 1) {
    for (int k = 0; k < n; k++) r = r * 3 + k;
  } else if (n > 4) {
    r ^= a[blockIdx.x];
  }
  for (int k = 0; k < blockIdx.x; k++) r += a[k];
  if (threadIdx.x / 32 == 1) r = ~r;
  out[i] = r;
}

__global__ void barrier_groups(const int* a,
                               int* out) {  // the two halves of each warp meet at one barrier by different instructions
  __shared__ int s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, r = 0;
  s[t] = a[i];
  if (t & 1) {
    r = a[i] * 3;
    asm volatile("barrier.sync 0;" ::: "memory");
    r += s[t ^ 1];
  } else {
    for (int k = 0; k < (t & 7); k++) r += a[k];
    asm volatile("barrier.sync 0;" ::: "memory");
    r += s[t ^ 3] * 5;
  }
  asm volatile("barrier.sync 0;" ::: "memory");
  out[i] = r;
}
__global__ void barrier_loops(
    const int* a,
    int* out) {  // each warp takes another way to the barriers; at the first of them the last warp arrives only
  __shared__ int s[96];
  int t = threadIdx.x, w = t / 32, i = blockIdx.x * 96 + t % 96;
  if (w == 3) {
    for (int k = 0; k < 3; k++) {
      asm volatile("bar.arrive 1, 128;" ::: "memory");
      asm volatile("bar.sync 2, 128;" ::: "memory");
    }
    return;
  }
  int r = 0;
  for (int k = 0; k < 3; k++) {
    s[t] = a[i] + k;
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (w == k)
      r += s[(t + 32) % 96];
    else
      r -= s[(t + 1) % 96] & 15;
    asm volatile("bar.sync 2, 128;" ::: "memory");
  }
  out[i] = r;
}
__global__ void partial_syncwarp(const int* a, int* out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * blockDim.x + t;
  s[t] = a[i];
  __syncwarp();
  int r = 0;
  if (lane < 12) {
    r = s[(t & 32) + (lane + 1) % 12];
    __syncwarp(0xfff);
    s[t] = r * 2;
    __syncwarp(0xfff);
    r += s[(t & 32) + (lane + 5) % 12];
  } else if (lane & 1) {
    r = __shfl_xor_sync(0xaaaaa000u, r + lane, 2) + __reduce_add_sync(0xaaaaa000u, lane);
  }
  __syncwarp();
  out[i] = r + s[t ^ 1];
}

__global__ void spin_flag(const int* a, int* out) {  // warps wait for a value that another warp of the block writes
  __shared__ volatile int stage;
  __shared__ volatile int s[128];
  int t = threadIdx.x, w = t / 32;
  if (t == 0) stage = 0;
  s[t] = a[t];
  __syncthreads();
  while (stage != w) {
  }
  __syncwarp();
  if (w > 0) s[t] = s[t] + s[t - 32];
  __threadfence_block();
  __syncwarp();
  if (t % 32 == 0) stage = w + 1;
  out[t] = s[t];
}
__global__ void spin_lock(int* lock, int* sum) {  // each lane takes a lock in turn
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *reinterpret_cast<volatile int*>(sum) += threadIdx.x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
__global__ void spin_lanes(int* out) {  // lanes of one warp wait for each other, last lane first
  __shared__ volatile int turn;
  int lane = threadIdx.x;
  if (lane == 0) turn = 31;
  __syncwarp();
  for (bool done = false; !done;)
    if (turn == lane) {
      out[lane] = lane * 2;
      turn = lane - 1;
      done = true;
    }
}
__global__ void ticket_last_block(const int* a, int* partial, unsigned* ticket, int* out) {
  __shared__ int s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 64 + t];
  for (int d = 32; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int k = t; k < gridDim.x; k += 64) sum += reinterpret_cast<volatile int*>(partial)[k];
    atomicAdd(out, sum);
  }
}
__global__ void look_back(const int* a, int* out, volatile int* prefix) {  // each block waits for the one before it
  __shared__ int before;
  int t = threadIdx.x, n = __syncthreads_count(a[blockIdx.x * 64 + t] & 1);
  if (t == 0) {
    int p = 0;
    if (blockIdx.x > 0)
      while ((p = prefix[blockIdx.x - 1]) < 0) {
      }
    prefix[blockIdx.x] = p + n;
    before = p;
  }
  __syncthreads();
  out[blockIdx.x * 64 + t] = before;
}

__global__ void tiled_groups(const int* a, int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  auto warp = cg::tiled_partition<32>(block);
  int i = blockIdx.x * blockDim.x + block.thread_rank(), x = a[i] & 255;
  for (int d = tile.size() / 2; d > 0; d /= 2) x += tile.shfl_xor(x, d);
  unsigned ballot = tile.ballot(a[i] & 1), any = warp.any(a[i] == 77);
  if (a[i] & 2) {
    auto odd = cg::coalesced_threads();
    x += odd.size() * 1000 + odd.thread_rank();
  }
  auto parts = cg::tiled_partition(block, 16);
  parts.sync();
  block.sync();
  out[i] = x + ballot + any + tile.meta_group_rank();
}

template <class F>
bool every(const std::vector<int>& got, F want) {
  for (size_t i = 0; i < got.size(); i++)
    if (got[i] != want(static_cast<int>(i))) return false;
  return true;
}

int host_fibonacci(int n, int x) {
  return n < 2 ? n + (x & 1) : host_fibonacci(n - 1, x ^ n) + host_fibonacci(n - 2, x);
}

int main() {
  std::vector<int> h = numbers<int>(4096, 1u << 30);
  Array<int> a(h);
  {
    Array<int> o(256);
    local_index<<<2, 128>>>(a.data, o.data, 30);
    check("local_index", every(o.host(), [&](int i) {
            int t[24], r = 0;
            for (int k = 0; k < 24; k++) t[k] = h[i + k];
            for (int k = 0; k < 30; k++) {
              int j = (t[k % 24] & 0x7fffffff) % 24;
              t[j] = static_cast<int>(static_cast<unsigned>(t[(j * 5 + k) % 24]) + k);
            }
            for (int k = 0; k < 24; k++) r = static_cast<int>(static_cast<unsigned>(r) * 31 + t[(k * 7) % 24]);
            return r;
          }));
  }
  {
    Array<int> o(192);
    local_bytes<<<2, 96>>>(a.data, o.data);
    check("local_bytes", every(o.host(), [&](int i) {
            unsigned char b[32];
            double w[6];
            for (int k = 0; k < 32; k++)
              b[k] = static_cast<unsigned char>(static_cast<unsigned char>(h[i] >> (k & 15)) + k);
            for (int k = 0; k < 6; k++) w[k] = h[i + k];
            int at = h[i] & 31;
            b[at] ^= b[(at * 11 + 3) & 31];
            w[at % 6] += w[(at + i % 96) % 6];
            double d = w[at % 6];
            int whole = d > 2147483647. ? 2147483647 : static_cast<int>(d);  // the device saturates
            return static_cast<int>(b[(at + 1) & 31] + b[at] * 256 + static_cast<unsigned>(whole) * 3);
          }));
  }
  {
    std::vector<float> f = numbers<float>(4096, 64);
    Array<float> in(f), o(1024);
    spills<<<2, 512>>>(in.data, o.data);
    std::vector<float> r = o.host();
    bool ok = true;
    for (int i = 0; i < 1024; i++) {
      float v[40], s = 0;
      for (int k = 0; k < 40; k++) v[k] = f[i + k * 37];
      for (int n = 0; n < 3; n++)
        for (int k = 0; k < 40; k++) v[k] = v[(k + 13) % 40] + v[k] * 0.5f;
      for (float x : v) s += x;
      ok &= std::fabs(r[i] - s) <= 1e-5f * s;
    }
    check("spills", ok);
  }
  {
    Array<int> o(256);
    generic_pointers<<<2, 128>>>(a.data, o.data, 3);
    check("generic_pointers", every(o.host(), [&](int i) {
            int t = i % 128, base = i - t;
            unsigned p = t % 3 == 0   ? h[base + (t ^ 1)] * 2u
                         : t % 3 == 1 ? h[i ^ 2]
                                      : t + (t & 3),
                     q = t / 32 & 1 ? h[base + (t * 5 & 127)] * 2u : h[i * 3];
            return static_cast<int>(p + q);
          }));
  }
  {
    constexpr int n = 500;
    std::vector<float> f = numbers<float>(5 * n, 30);
    std::vector<Particle> p(n);
    for (int i = 0; i < n; i++) p[i] = {f[i], f[n + i], f[2 * n + i], -1.f, h[i]};
    Array<Particle> d(p);
    array_of_structs<<<4, 128>>>(d.data, n);
    std::vector<Particle> r = d.host();
    Array<float> in(f), mass(n);
    CK(cudaMemcpy(mass.data, std::vector<float>(n, -1.f).data(), n * 4, cudaMemcpyHostToDevice));
    struct_of_arrays<<<4, 128>>>(in.data, in.data + n, in.data + 2 * n, mass.data, a.data, n);
    std::vector<float> m = mass.host();
    bool ok = true, same = true;
    for (int i = 0; i < n; i++) {
      float e = h[i] & 1 ? p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z : -1.f;
      ok &= r[i].mass == e, same &= m[i] == e;
    }
    check("array_of_structs", ok);
    check("struct_of_arrays", same);
    Array<float> o(96);
    shared_structs<<<1, 96>>>(in.data, o.data);
    std::vector<float> got = o.host();
    ok = true;
    for (int t = 0; t < 96; t++) {
      int v = (t + 7) % 96, w = 95 - t;
      ok &= got[t] == f[v] + f[v + 1] * 2 + f[v + 2] * 4 + f[w] + f[w + 3] + f[w + 5] + w;
    }
    check("shared_structs", ok);
  }
  {
    std::vector<float> f = numbers<float>(2048, 50);
    Array<float> in(f), o(1024);
    std::vector<short> s = numbers<short>(1024, 100);
    std::vector<char> c = numbers<char>(1024, 100);
    Array<short> b(s);
    Array<char> d(c);
    offset_base<<<4, 192>>>(in.data + 3, b.data + 7, d.data + 13, o.data + 5, 700);
    std::vector<float> r = o.host();
    bool ok = true;
    for (int i = 0; i < 700; i++) ok &= r[i + 5] == f[i + 3] + s[i + 7] + c[i + 13];
    check("offset_base", ok);
    Array<float> q(8 * 45);
    row_offset<<<2, dim3(48, 4)>>>(reinterpret_cast<float2*>(in.data), q.data, 51, 45);
    r = q.host();
    ok = true;
    for (int y = 0; y < 8; y++)
      for (int x = 0; x < 45; x++) ok &= r[y * 45 + x] == f[2 * (y * 51 + x)] - f[2 * (y * 51 + x) + 1];
    check("row_offset", ok);
  }
  for (dim3 block : {dim3(96, 3), dim3(7, 5, 3), dim3(33), dim3(1), dim3(16, 16), dim3(5, 31)}) {
    int size = block.x * block.y * block.z, n = 3 * size - size / 2;
    Array<int> o(n);
    odd_blocks<<<3, block>>>(a.data, o.data, n);
    check("odd_blocks", every(o.host(), [&](int i) {
            int t = i % size, base = i - t, warp = t / 32 * 32, odd = 0;
            auto at = [&](int k) { return base + k < n ? static_cast<unsigned>(h[base + k]) : 0u; };
            for (int k = warp; k < std::min(warp + 32, size); k++) odd += k % block.x & 1;
            return static_cast<int>(at(size - 1 - t) + at(t * 3 % size) + (t % block.x & 1 ? odd : 0));
          }));
  }
  {
    Array<int> o(384);
    early_exits<<<3, 128>>>(a.data, o.data);
    std::vector<int> r = o.host();
    int left = 0;
    for (int i = 0; i < 384; i++) left += r[i] == -1;
    check("early_exits", left > 3 * 48 && left < 384);
    Array<int> p(512);
    nested_loops<<<4, 128>>>(a.data, p.data);
    check("nested_loops", every(p.host(), [&](int i) {
            int x = h[i] & 0xffff, v = 0;
            for (int j = 0; j < 6; j++) {
              if ((x >> j & 3) == 3) continue;
              for (int k = 0; k < (x & 7); k++) {
                if (((x >> k) & 5) == 5) break;
                do {
                  v += x % (k + 2);
                  x = (x * 5 + 1) & 0xffff;
                  if ((v & 31) == 7) goto next;
                } while ((x & 3) != 0);
                if (v & 1) continue;
                v ^= k << j;
              }
              if (v > 400) break;
            next:
              v++;
            }
            return v;
          }));
  }
  {
    Array<int> o(256), p(256), q(256), u(384);
    recursion<<<2, 128>>>(a.data, o.data);
    check("recursion", every(o.host(), [&](int i) { return host_fibonacci(h[i] % 7, h[i]); }));
    switch_table<<<2, 128>>>(a.data, p.data, a.data + 64);
    check("switch_table", every(p.host(), [&](int i) {
            int x = h[i];
            unsigned r = 0;
            for (int k = 0; k < 3; k++, x >>= 4) switch (x & 15) {
                case 0:
                  r += 3;
                  break;
                case 1:
                  r *= 5;
                  [[fallthrough]];
                case 2:
                  r ^= x;
                  break;
                case 3:
                  r += h[64 + (x & 63)];
                  break;
                case 5:
                  r = static_cast<int>(r) / 3;
                  break;
                case 6:
                  r -= 9;
                  [[fallthrough]];
                case 7:
                  r = -r;
                  break;
                case 8:
                  r = r << 3 | k;
                  break;
                case 11:
                  r += h[64 + (r & 63)];
                  break;
                case 12:
                  r = __builtin_popcount(r);
                  break;
                case 13:
                  r = r ? __builtin_clz(r) : 32;
                  break;
                default:
                  r += 1000;
              }
            return static_cast<int>(r);
          }));
    indirect_calls<<<2, 128>>>(a.data, q.data);
    check("indirect_calls", every(q.host(), [&](int i) {
            auto f = [](int k, int x) { return k == 1 ? -x : k == 2 ? x * x : 2 * x; };
            return f(h[i] & 3, h[i] & 1023) + f(i % 128 / 32, 7);
          }));
    uniform_branches<<<4, 96>>>(a.data, u.data, 5);
    check("uniform_branches", every(u.host(), [&](int i) {
            int b = i / 96;
            unsigned r = h[i];
            if (b & 1)
              for (int k = 0; k < 5; k++) r = r * 3 + k;
            else
              r ^= h[b];
            for (int k = 0; k < b; k++) r += h[k];
            return static_cast<int>(i % 96 / 32 == 1 ? ~r : r);
          }));
  }
  {
    Array<int> o(256), p(192), q(128);
    barrier_groups<<<2, 128>>>(a.data, o.data);
    check("barrier_groups", every(o.host(), [&](int i) {
            unsigned t = i % 128, base = i - t, r = 0;
            if (t & 1) return static_cast<int>(h[i] * 3u + h[base + (t ^ 1)]);
            for (unsigned k = 0; k < (t & 7); k++) r += h[k];
            return static_cast<int>(r + h[base + (t ^ 3)] * 5u);
          }));
    barrier_loops<<<2, 128>>>(a.data, p.data);
    check("barrier_loops", every(p.host(), [&](int i) {
            int t = i % 96, base = i - t;
            unsigned r = 0;
            for (int k = 0; k < 3; k++) {
              if (t / 32 == k)
                r += h[base + (t + 32) % 96] + k;
              else
                r -= (h[base + (t + 1) % 96] + k) & 15;
            }
            return static_cast<int>(r);
          }));
    partial_syncwarp<<<2, 64>>>(a.data, q.data);
    std::vector<int> r = q.host();
    bool ok = true;
    for (int i = 0; i < 128; i++)
      if ((i & 31) >= 12 && !(i & 1)) ok &= r[i] == h[i ^ 1];
    check("partial_syncwarp", ok);
  }
  {
    Array<int> o(192);
    tiled_groups<<<2, 96>>>(a.data, o.data);
    check("tiled_groups", every(o.host(), [&](int i) {
            int t = i % 96, tile = i - t % 8, warp = i - t % 32, x = 0, ballot = 0, any = 0, size = 0, rank = 0;
            for (int k = 0; k < 8; k++) x += h[tile + k] & 255, ballot |= (h[tile + k] & 1) << k;
            for (int k = warp; k < warp + 32; k++)
              any |= h[k] == 77, size += h[k] >> 1 & 1, rank += k < i ? h[k] >> 1 & 1 : 0;
            return x + (h[i] & 2 ? size * 1000 + rank : 0) + ballot + any + t / 8;
          }));
  }
  {
    Array<int> o(128), lock(2), turns(32), partial(16), total(1), prefix(16, 0xff), before(1024);
    Array<unsigned> ticket(1);
    spin_flag<<<1, 128>>>(a.data, o.data);
    check("spin_flag", every(o.host(), [&](int i) {
            unsigned r = 0;
            for (int k = i % 32; k <= i; k += 32) r += h[k];
            return static_cast<int>(r);
          }));
    spin_lock<<<2, 64>>>(lock.data, lock.data + 1);
    check("spin_lock", lock.host()[1] == 2 * 64 * 63 / 2);
    ticket_last_block<<<16, 64>>>(a.data, partial.data, ticket.data, total.data);
    unsigned sum = 0;
    for (int i = 0; i < 1024; i++) sum += h[i];
    check("ticket_last_block", total.host()[0] == static_cast<int>(sum));
    look_back<<<16, 64>>>(a.data, before.data, prefix.data);
    check("look_back", every(before.host(), [&](int i) {
            int n = 0;
            for (int k = 0; k < i / 64 * 64; k++) n += h[k] & 1;
            return n;
          }));
    spin_lanes<<<1, 32>>>(turns.data);
    check("spin_lanes", every(turns.host(), [](int i) { return 2 * i; }));
  }
  return verdict();
}
