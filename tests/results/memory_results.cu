// Loads, stores, copies and matrix operations, one form a kernel: every width, space, extension and layout.
#include "harness.h"

using namespace results;

// clang-format off
__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// Narrow loads with their extension, and narrow stores, in global, shared and local memory and through a generic address.
#define LOAD(NAME, KIND_, C, T, BYTES)                                                                                \
  __global__ void ld_##NAME(unsigned* o, const unsigned* a, const unsigned* b, const unsigned*) {                     \
    __shared__ unsigned s[kOpBlock]; unsigned local[4]; int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; \
    s[t] = b[i]; for (int k = 0; k < 4; k++) local[k] = a[i] * (k + 1); __syncthreads();                              \
    int at = (b[i] % (4 / BYTES)) * BYTES; T x, y, z, w; const char* l = (const char*)(local + (b[i] >> 5 & 3)) + at; \
    const char* g = i & 64 ? (const char*)(s + (t ^ 2)) + at : (const char*)(a + (i ^ 3)) + at;                       \
    asm volatile("ld.global." KIND_ " %0, [%1];" : "=" C(x) : "l"((const char*)(a + i) + at));                        \
    asm volatile("ld.shared." KIND_ " %0, [%1];" : "=" C(y) : "r"(shared_address((const char*)(s + (t ^ 1)) + at)));  \
    asm volatile("ld.local." KIND_ " %0, [%1];" : "=" C(z) : "l"(__cvta_generic_to_local(l)) : "memory");             \
    asm volatile("ld." KIND_ " %0, [%1];" : "=" C(w) : "l"(g));                                                       \
    o[4 * i] = (unsigned)x; o[4 * i + 1] = (unsigned)y; o[4 * i + 2] = (unsigned)z; o[4 * i + 3] = (unsigned)w;       \
  }                                                                                                                   \
  static Register register_ld_##NAME({"ld_" #NAME, (const void*)ld_##NAME, Kind::s32, 4, 4, 4, Match::exact});
LOAD(u8, "u8", "r", unsigned, 1) LOAD(s8, "s8", "r", unsigned, 1) LOAD(u16, "u16", "h", u16, 2) LOAD(s16, "s16", "h", short, 2) LOAD(b32, "b32", "r", unsigned, 4)
LOAD(nc_u8, "u8", "r", unsigned, 1)
#define STORE(NAME, KIND_, C, T, BYTES)                                                                               \
  __global__ void st_##NAME(unsigned* o, const unsigned* a, const unsigned* b, const unsigned*) {                     \
    __shared__ unsigned s[kOpBlock]; unsigned local[4]; int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; \
    s[t] = 0x11111111; o[4 * i] = 0x22222222; for (int k = 0; k < 4; k++) local[k] = a[i] * (k + 1);                  \
    int at = (b[i] % (4 / BYTES)) * BYTES; T v = (T)b[i];                                                             \
    asm volatile("st.global." KIND_ " [%0], %1;" ::"l"((char*)(o + 4 * i) + at), C(v) : "memory");                    \
    asm volatile("st.shared." KIND_ " [%0], %1;" ::"r"(shared_address((char*)(s + t) + at)), C(v) : "memory");        \
    asm volatile("st.local." KIND_ " [%0], %1;" ::"l"(__cvta_generic_to_local((char*)(local + (i & 3)) + at)), C(v) : "memory"); \
    o[4 * i + 1] = s[t]; o[4 * i + 2] = local[0] ^ local[1] * 3 ^ local[2] * 5 ^ local[3] * 7; o[4 * i + 3] = 0x33333333; \
    asm volatile("st." KIND_ " [%0], %1;" ::"l"((char*)(i & 64 ? s + t : o + 4 * i + 3) + at), C(v) : "memory");      \
    if (i & 64) o[4 * i + 3] = s[t];                                                                                  \
  }                                                                                                                   \
  static Register register_st_##NAME({"st_" #NAME, (const void*)st_##NAME, Kind::s32, 4, 4, 4, Match::exact});
STORE(b8, "b8", "r", unsigned, 1) STORE(b16, "b16", "h", u16, 2) STORE(b32, "b32", "r", unsigned, 4)

// Vectors of 64 and 128 bits.
template <class V> __device__ void vectors(unsigned* o, const unsigned* a, const unsigned* b) {
  constexpr int n = sizeof(V) / 4; __shared__ V s[kOpBlock]; V local[4]; int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, size = gridDim.x * blockDim.x;
  s[t ^ 5] = ((const V*)b)[i / n]; for (int k = 0; k < 4; k++) local[k] = ((const V*)a)[(i + k) % (size / n)]; __syncthreads();
  V x = s[t], y = local[b[i] & 3], z = ((const V*)a)[(i * 7) % (size / n)]; const V* g = i & 32 ? s + (t ^ 9) : (const V*)a + (size / n - 1 - i / n); V w = *g;
  V* out = (V*)o + i * 4; out[0] = x; out[1] = y; out[2] = z; out[3] = w;
}
__global__ void vector_64(unsigned* o, const unsigned* a, const unsigned* b, const unsigned*) { vectors<uint2>(o, a, b); }
__global__ void vector_128(unsigned* o, const unsigned* a, const unsigned* b, const unsigned*) { vectors<uint4>(o, a, b); }
static Register register_vector_64({"vector_64", (const void*)vector_64, Kind::s32, 4, 4, 8, Match::exact});
static Register register_vector_128({"vector_128", (const void*)vector_128, Kind::s32, 4, 4, 16, Match::exact});

// Constants: by uniform and by lane-dependent index, of every width; parameters of odd sizes.
__constant__ unsigned char bytes[64] = {1, 2, 3, 250, 251, 128, 127, 99, 5, 66, 7}; __constant__ short shorts[64] = {-1, 5, -300, 32767, -32768, 17}; __constant__ double doubles[16] = {1.5, -2.25, 1e300, -0.0}; __constant__ uint4 quads[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
__global__ void constants(unsigned* o, const unsigned* a, const unsigned* b, const unsigned*) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned x = a[i], k = blockIdx.x; uint4 q = quads[x & 3];
  o[4 * i] = bytes[x & 63] + shorts[(x >> 3) & 63] * 256; o[4 * i + 1] = (unsigned)__double_as_longlong(doubles[x & 15]) ^ (unsigned)(__double_as_longlong(doubles[k & 15]) >> 32);
  o[4 * i + 2] = q.x + q.y * 3 + q.z * 5 + q.w * 7; o[4 * i + 3] = bytes[k] + shorts[k] + (signed char)bytes[b[i] & 63];
}
static Register register_constants({"constants", (const void*)constants, Kind::s32, 4, 4, 4, Match::exact});
struct Odd { char a; short b; double c; char d[5]; int e[7]; };
__global__ void parameters(unsigned* o, Odd p, unsigned char q, long long r, short s, int n) {
  int i = threadIdx.x; o[i] = p.a + p.b * 3 + (unsigned)p.c + p.d[i % 5] * 7 + p.e[i % 7] + q + (unsigned)(r >> (i & 63)) + s * n;
}

// cp.async of every size, with zero fill and an ignored source.
#define COPY(NAME, PTX, BYTES)                                                                                        \
  __global__ void NAME(unsigned* o, const unsigned* a, const unsigned* b, const unsigned*) {                          \
    constexpr int n = BYTES / 4; __shared__ __align__(16) unsigned s[kOpBlock * n]; int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; unsigned fill = b[i] % (BYTES + 1); (void)fill; \
    for (int k = 0; k < n; k++) s[t * n + k] = 0x77777777; __syncthreads();                                           \
    asm volatile("{.reg .pred p; setp.lt.s32 p, %3, 0;" PTX " cp.async.commit_group; cp.async.wait_group 0;}" ::"r"(shared_address(s + (t ^ 3) * n)), "l"(a + i / n * n), "r"(fill), "r"(b[i]) : "memory"); \
    __syncthreads(); for (int k = 0; k < n; k++) o[i * n + k] = s[t * n + k];                                         \
  }                                                                                                                   \
  static Register register_##NAME({#NAME, (const void*)NAME, Kind::s32, 4, 4, BYTES / 4, Match::exact});
COPY(copy_ca_4, "cp.async.ca.shared.global [%0], [%1], 4;", 4) COPY(copy_ca_8, "cp.async.ca.shared.global [%0], [%1], 8;", 8) COPY(copy_ca_16, "cp.async.ca.shared.global [%0], [%1], 16;", 16) COPY(copy_cg_16, "cp.async.cg.shared.global [%0], [%1], 16;", 16)
COPY(copy_fill_4, "cp.async.ca.shared.global [%0], [%1], 4, %2;", 4) COPY(copy_fill_8, "cp.async.ca.shared.global [%0], [%1], 8, %2;", 8) COPY(copy_fill_16, "cp.async.cg.shared.global [%0], [%1], 16, %2;", 16)
COPY(copy_ignore_16, "cp.async.cg.shared.global [%0], [%1], 16, p;", 16)

// ldmatrix, stmatrix, movmatrix: a warp each, rows at permuted addresses.
#define MATRIX_LOAD(NAME, PTX)                                                                                        \
  __global__ void NAME(unsigned* o, const unsigned* a, const unsigned* b, const unsigned*) {                          \
    __shared__ __align__(16) unsigned s[8][128]; int i = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32, l = threadIdx.x % 32; \
    for (int k = 0; k < 4; k++) s[w][l + 32 * k] = a[(i & ~31) + (l * 5 + k * 3 & 31)] + k; __syncwarp();             \
    unsigned r0 = 0, r1 = 0, r2 = 0, r3 = 0, at = shared_address(&s[w][(b[i] & 31) * 4]);                             \
    asm volatile(PTX : "=r"(r0), "+r"(r1), "+r"(r2), "+r"(r3) : "r"(at) : "memory");                                  \
    o[4 * i] = r0; o[4 * i + 1] = r1; o[4 * i + 2] = r2; o[4 * i + 3] = r3;                                           \
  }                                                                                                                   \
  static Register register_##NAME({#NAME, (const void*)NAME, Kind::s32, 4, 4, 4, Match::exact});
MATRIX_LOAD(ldmatrix_x1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%4];") MATRIX_LOAD(ldmatrix_x2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%4];") MATRIX_LOAD(ldmatrix_x4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];")
MATRIX_LOAD(ldmatrix_x1_trans, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%4];") MATRIX_LOAD(ldmatrix_x2_trans, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%4];") MATRIX_LOAD(ldmatrix_x4_trans, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];")
MATRIX_LOAD(movmatrix, "{.reg .b32 t; ld.shared.b32 t, [%4]; movmatrix.sync.aligned.m8n8.trans.b16 %0, t;}")
#define MATRIX_STORE(NAME, PTX)                                                                                       \
  __global__ void NAME(unsigned* o, const unsigned* a, const unsigned* b, const unsigned* c) {                        \
    __shared__ __align__(16) unsigned s[8][128]; int i = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32, l = threadIdx.x % 32; \
    for (int k = 0; k < 4; k++) s[w][l + 32 * k] = 0x44444444; __syncwarp();                                          \
    asm volatile(PTX ::"r"(a[i]), "r"(b[i]), "r"(c[i]), "r"(a[i] ^ b[i]), "r"(shared_address(&s[w][(l * 5 & 31) * 4])) : "memory"); \
    __syncwarp(); for (int k = 0; k < 4; k++) o[4 * i + k] = s[w][l * 4 + k];                                         \
  }                                                                                                                   \
  static Register register_##NAME({#NAME, (const void*)NAME, Kind::s32, 4, 4, 4, Match::exact});
MATRIX_STORE(stmatrix_x1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%4], {%0};") MATRIX_STORE(stmatrix_x2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%4], {%0, %1};") MATRIX_STORE(stmatrix_x4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};")
MATRIX_STORE(stmatrix_x1_trans, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%4], {%0};") MATRIX_STORE(stmatrix_x4_trans, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, %2, %3};")

// Tensor cores: fragments straight from the operands; one warp a matrix, with specials, moderate and raw values.
#define MMA_F32(NAME, KIND_, PTX, ...)                                                                                \
  __global__ void NAME(float* o, const unsigned* a, const unsigned* b, const unsigned* c) {                           \
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x - 1;                                    \
    float d[4]; for (int k = 0; k < 4; k++) d[k] = i & 32 ? 0.f : __uint_as_float((c[(i + k * 97) & n] & 0x83ffffff) | 0x3c000000); \
    asm volatile(PTX : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[i]), "r"(a[(i + 512) & n]), "r"(a[(i + 1024) & n]), "r"(a[(i + 1536) & n]), "r"(b[i]), "r"(b[(i + 777) & n])); \
    for (int k = 0; k < 4; k++) o[4 * i + k] = d[k];                                                                  \
  }                                                                                                                   \
  static Register register_##NAME({#NAME, (const void*)NAME, Kind::KIND_, 4, 4, 4, Match::exact});
MMA_F32(mma_m16n8k8_f16, f16x2, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%8},{%0,%1,%2,%3};")
MMA_F32(mma_m16n8k16_f16, f16x2, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};")
MMA_F32(mma_m16n8k8_bf16, bf16x2, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%8},{%0,%1,%2,%3};")
MMA_F32(mma_m16n8k16_bf16, bf16x2, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};")
MMA_F32(mma_m16n8k4_tf32, f32, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%8},{%0,%1,%2,%3};")
MMA_F32(mma_m16n8k8_tf32, f32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};")
MMA_F32(mma_m16n8k32_e4m3, s32, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};")
MMA_F32(mma_m16n8k32_e5m2, s32, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};")
#define MMA_INT(NAME, KIND_, PTX)                                                                                     \
  __global__ void NAME(unsigned* o, const unsigned* a, const unsigned* b, const unsigned* c) {                        \
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x - 1;                                    \
    unsigned d[4]; for (int k = 0; k < 4; k++) d[k] = c[(i + k * 97) & n];                                            \
    asm volatile(PTX : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[i]), "r"(a[(i + 512) & n]), "r"(a[(i + 1024) & n]), "r"(a[(i + 1536) & n]), "r"(b[i]), "r"(b[(i + 777) & n])); \
    for (int k = 0; k < 4; k++) o[4 * i + k] = d[k];                                                                  \
  }                                                                                                                   \
  static Register register_##NAME({#NAME, (const void*)NAME, Kind::KIND_, 4, 4, 4, Match::exact});
MMA_INT(mma_m16n8k16_f16_f16, f16x2, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%4,%5,%6,%7},{%8,%9},{%2,%3};")
MMA_INT(mma_m16n8k16_s8, s32, "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {%0,%1,%2,%3},{%4,%5},{%8},{%0,%1,%2,%3};")
MMA_INT(mma_m16n8k32_s8_sat, s32, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};")
MMA_INT(mma_m16n8k32_u8, s32, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};")
MMA_INT(mma_m16n8k256_b1_and, s32, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};")
__global__ void mma_m16n8k8_f64(double* o, const double* a, const double* b, const double* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x - 1; double d[4]; for (int k = 0; k < 4; k++) d[k] = c[(i + 97 * k) & n];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[i]), "d"(a[(i + 512) & n]), "d"(a[(i + 1024) & n]), "d"(a[(i + 1536) & n]), "d"(b[i]), "d"(b[(i + 777) & n]));
  for (int k = 0; k < 4; k++) o[4 * i + k] = d[k];
}
static Register register_mma_f64({"mma_m16n8k8_f64", (const void*)mma_m16n8k8_f64, Kind::f64, 8, 8, 4, Match::exact});

// Barrier objects, bulk copies, clusters: the state that is the same on every run.
__global__ void mbarrier_phases(u64* o) {
  __shared__ u64 bar; unsigned at = shared_address(&bar); int t = threadIdx.x; u64 state; unsigned done;
  if (t == 0) { asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory"); o[0] = bar; } __syncthreads();
  for (int phase = 0; phase < 3; phase++) {
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    do asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}" : "=r"(done) : "r"(at), "l"(state) : "memory"); while (!done);
    __syncthreads(); if (t == 0) o[1 + phase] = bar; __syncthreads();
  }
  if (t == 0) { asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 5;" : "=l"(state) : "r"(at) : "memory"); o[4] = bar; asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(done) : "l"(state)); o[5] = done;
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 96;" ::"r"(at) : "memory"); o[6] = bar; asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 96;" ::"r"(at) : "memory"); o[7] = bar;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory"); o[8] = bar; }
}
__global__ void bulk_copy(unsigned* o, const unsigned* a) {
  __shared__ __align__(128) unsigned s[512]; __shared__ u64 bar; unsigned b = shared_address(&bar), d = shared_address(s); int t = threadIdx.x;
  if (t == 0) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b)); asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); } for (int k = t; k < 512; k += 128) s[k] = 0x66666666; __syncthreads();
  if (t == 0) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1040;" ::"r"(b) : "memory"); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1040, [%2];" ::"r"(d + 16), "l"(a + 4), "r"(b) : "memory"); }
  unsigned done = 0; while (!done) asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b) : "memory");
  for (int k = t; k < 512; k += 128) s[k] = s[k] * 3 + 1; __syncthreads();
  if (t == 0) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(o), "r"(d) : "memory"); asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 512;" ::"l"(o + 256), "r"(d + 256) : "memory"); asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); }
}
__global__ void __cluster_dims__(4, 1, 1) cluster_exchange(unsigned* o, const unsigned* a) {
  __shared__ unsigned s[64], n; unsigned rank, at = shared_address(s + threadIdx.x), r, count = shared_address(&n); asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  int t = threadIdx.x; s[t] = a[blockIdx.x * 64 + t]; if (t == 0) n = 0; asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  for (int k = 1; k < 4; k++) { unsigned peer; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"(at), "r"((rank + k) & 3)); asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(r) : "r"(peer) : "memory"); o[blockIdx.x * 256 + k * 64 + t] = r; }
  unsigned first; asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(count)); asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(first), "r"(t + rank) : "memory");
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); if (rank == 0) o[blockIdx.x * 256 + t] = n + t; else o[blockIdx.x * 256 + t] = rank;
}
// clang-format on

int main(int argc, char** argv) {
  Session s(argc, argv);
  run_ops(s);
  Buffer<u32> o(4096), a(operand<u32>(Kind::s32, 0, 4096));
  if (s.wants("parameters")) {
    Odd odd{-3, -1234, 98765.5, {1, 2, -3, 4, 5}, {10, -20, 30, -40, 50, -60, 70}};
    parameters<<<1, 128>>>(o.data, odd, 200, 0x123456789abcdefll, -77, 13);
    s.output("parameters", o.data, 128 * 4, 4);
  }
  if (s.wants("mbarrier_phases")) {
    o.poison();
    mbarrier_phases<<<1, 64>>>(reinterpret_cast<u64*>(o.data));
    s.output("mbarrier_phases", o.data, {{5 * 8, 8}}, 8);  // a barrier object read as memory holds no state: left out
  }
  if (s.wants("bulk_copy")) {
    o.set(operand<u32>(Kind::s32, 1, 4096));
    bulk_copy<<<1, 128>>>(o.data, a.data);
    s.output("bulk_copy", o.data, 512 * 4, 4);
  }
  if (s.wants("cluster_exchange")) {
    o.poison();
    cluster_exchange<<<8, 64>>>(o.data, a.data);
    s.output("cluster_exchange", o.data, 8 * 256 * 4, 4);
  }
  return s.finish();
}
