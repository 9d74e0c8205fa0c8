// Warp operations, atomics, barriers, special registers, addresses: one operation a kernel. Each lane has its own location, or
// the operation commutes exactly, so that nothing depends on order.
#include <cooperative_groups.h>

#include "harness.h"

using namespace results;

// clang-format off
#define IX(NAME, PTX) OP(NAME, s32, unsigned, "r", unsigned, "r", exact, PTX)
#define UX(NAME, PTX) OP(NAME, s32, unsigned, "r", u64, "l", exact, PTX)

// Shuffles with any lane and any c operand (clamp and segment mask); the predicate in the upper word. Then with odd lanes only.
#define SHUFFLE(M, C)                                                                                                 \
  UX(shfl_##M, ".reg .pred p; .reg .b32 r, q; shfl.sync." #M ".b32 r|p, %1, %2, %3, -1; selp.b32 q, 1, 0, p; mov.b64 %0, {r, q};") \
  UX(shfl_##M##_plain, ".reg .pred p; .reg .b32 r, q, l; and.b32 l, %2, 31; shfl.sync." #M ".b32 r|p, %1, l, " #C ", -1; selp.b32 q, 1, 0, p; mov.b64 %0, {r, q};") \
  UX(shfl_##M##_width8, ".reg .pred p; .reg .b32 r, q, l; and.b32 l, %2, 15; shfl.sync." #M ".b32 r|p, %1, l, 0x1800 | " #C ", -1; selp.b32 q, 1, 0, p; mov.b64 %0, {r, q};") \
  UX(shfl_##M##_5, ".reg .pred p; .reg .b32 r, q; shfl.sync." #M ".b32 r|p, %1, 5, " #C ", -1; selp.b32 q, 1, 0, p; mov.b64 %0, {r, q};") \
  UX(shfl_##M##_odd, ".reg .pred p, a; .reg .b32 r, q, l; mov.b32 r, 0xdead; mov.b32 q, 2; mov.u32 l, %%laneid; and.b32 l, l, 1; setp.ne.u32 a, l, 0; @!a bra DONE;" \
     "and.b32 l, %2, 31; shfl.sync." #M ".b32 r|p, %1, l, " #C ", 0xaaaaaaaa; selp.b32 q, 1, 0, p; DONE: mov.b64 %0, {r, q};")
SHUFFLE(idx, 31) SHUFFLE(up, 0) SHUFFLE(down, 31) SHUFFLE(bfly, 31)

#define VOTE(M) IX(vote_##M, ".reg .pred p, q; setp.lt.s32 q, %1, %2; vote.sync." #M ".pred p, q, -1; selp.b32 %0, 1, 0, p;") \
  IX(vote_not_##M, ".reg .pred p, q; setp.lt.s32 q, %1, 5; vote.sync." #M ".pred p, !q, -1; selp.b32 %0, 1, 0, p;")
VOTE(all) VOTE(any) VOTE(uni)
IX(vote_ballot, ".reg .pred q; setp.lt.s32 q, %1, %2; vote.sync.ballot.b32 %0, q, -1;")
IX(vote_constant, ".reg .pred p; vote.sync.ballot.b32 %0, 1, -1;")
IX(match_any_b32, ".reg .b32 k; and.b32 k, %1, 3; match.any.sync.b32 %0, k, -1;")
IX(match_any_raw, "match.any.sync.b32 %0, %1, -1;")
IX(match_any_b64, ".reg .b64 k; .reg .b32 l; and.b32 l, %2, 1; mov.b64 k, {l, %3}; match.any.sync.b64 %0, k, -1;")
IX(match_all_b32, ".reg .pred p; .reg .b32 k, m; shr.u32 k, %2, 3; match.all.sync.b32 m|p, k, -1; selp.b32 k, 0x0f0f0f0f, 0, p; xor.b32 %0, m, k;")
IX(match_all_b64, ".reg .pred p; .reg .b64 k; .reg .b32 m, l; shr.u32 l, %2, 3; mov.b64 k, {l, l}; match.all.sync.b64 m|p, k, -1; selp.b32 l, 0x0f0f0f0f, 0, p; xor.b32 %0, m, l;")
IX(redux_add_s32, "redux.sync.add.s32 %0, %1, -1;") IX(redux_add_u32, "redux.sync.add.u32 %0, %1, -1;") IX(redux_min_s32, "redux.sync.min.s32 %0, %1, -1;") IX(redux_max_s32, "redux.sync.max.s32 %0, %1, -1;")
IX(redux_min_u32, "redux.sync.min.u32 %0, %1, -1;") IX(redux_max_u32, "redux.sync.max.u32 %0, %1, -1;") IX(redux_and, "redux.sync.and.b32 %0, %1, -1;") IX(redux_or, "redux.sync.or.b32 %0, %1, -1;") IX(redux_xor, "redux.sync.xor.b32 %0, %1, -1;")
// Partial warps: the lanes where x < y, by their own ballot.
#define PARTIAL(NAME, ...) EXPRESSION(partial_##NAME, s32, unsigned, unsigned, exact, ({ unsigned r = 0xdead, m = __ballot_sync(~0u, (int)x < (int)y); if ((int)x < (int)y) { __VA_ARGS__ } r; }))
PARTIAL(ballot, r = __ballot_sync(m, z & 1);) PARTIAL(any, r = __any_sync(m, z & 8);) PARTIAL(all, r = __all_sync(m, z > 3);) PARTIAL(match, r = __match_any_sync(m, z & 7);)
PARTIAL(redux, r = __reduce_add_sync(m, z);) PARTIAL(redux_max, r = __reduce_max_sync(m, (int)z);) PARTIAL(active, r = __activemask();) PARTIAL(shfl, r = __shfl_sync(m, z, __ffs(m) - 1);)
PARTIAL(elect, asm volatile("{.reg .pred p; .reg .b32 l; elect.sync l|p, %1; selp.b32 %0, 0x100, 0, p; or.b32 %0, %0, l;}" : "=r"(r) : "r"(m));)
IX(elect, ".reg .pred p; .reg .b32 l; elect.sync l|p, -1; selp.b32 %0, 0x100, 0, p; or.b32 %0, %0, l;")
IX(elect_mask, ".reg .pred p; .reg .b32 l; elect.sync l|p, 0xffffff00; selp.b32 %0, 0x100, 0, p; or.b32 %0, %0, l;")

// Atomics. The location starts as x, the operands are y and z; o[i] gets the old value and o[n + i] what the location holds.
#define ATOMIC_(NAME, KIND, T, C, SPACE, WHERE, ADDRESS, PTX)                                                         \
  __global__ void NAME(T* o, const T* a, const T* b, const T* c) {                                                    \
    __shared__ T shared[kOpBlock]; (void)shared;                                                                      \
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;                                        \
    T* at = WHERE; *at = a[i]; T y = b[i], z = c[i], r = (T)0x5eed; __syncthreads();                                  \
    asm volatile("{" PTX "}" : "+" C(r) : ADDRESS(at), C(y), C(z) : "memory");                                        \
    __syncthreads(); o[i] = r; o[n + i] = *at;                                                                        \
  }                                                                                                                   \
  static Register register_##NAME({#NAME, (const void*)NAME, Kind::KIND, sizeof(T) < 4 ? 4 : sizeof(T), sizeof(T), 2, Match::exact});
#define SHARED_AT(p) "r"((unsigned)__cvta_generic_to_shared(p))
#define GLOBAL_AT(p) "l"(p)
#define BOTH(NAME, KIND, T, C, OP_, TYPE)                                                                             \
  ATOMIC_(atom_global_##NAME, KIND, T, C, global, o + n + i, GLOBAL_AT, "atom.global." OP_ "." TYPE " %0, [%1], %2;") \
  ATOMIC_(atom_shared_##NAME, KIND, T, C, shared, shared + threadIdx.x, SHARED_AT, "atom.shared." OP_ "." TYPE " %0, [%1], %2;") \
  ATOMIC_(atom_generic_##NAME, KIND, T, C, generic, (i & 32 ? shared + threadIdx.x : o + n + i), GLOBAL_AT, "atom." OP_ "." TYPE " %0, [%1], %2;")
#define RED(NAME, KIND, T, C, OP_, TYPE)                                                                              \
  ATOMIC_(red_global_##NAME, KIND, T, C, global, o + n + i, GLOBAL_AT, "red.global." OP_ "." TYPE " [%1], %2;")       \
  ATOMIC_(red_shared_##NAME, KIND, T, C, shared, shared + threadIdx.x, SHARED_AT, "red.shared." OP_ "." TYPE " [%1], %2;")
#define ALL(NAME, KIND, T, C, OP_, TYPE) BOTH(NAME, KIND, T, C, OP_, TYPE) RED(NAME, KIND, T, C, OP_, TYPE)
ALL(add_u32, s32, unsigned, "r", "add", "u32") ALL(min_s32, s32, unsigned, "r", "min", "s32") ALL(max_s32, s32, unsigned, "r", "max", "s32") ALL(min_u32, s32, unsigned, "r", "min", "u32") ALL(max_u32, s32, unsigned, "r", "max", "u32")
ALL(and_b32, s32, unsigned, "r", "and", "b32") ALL(or_b32, s32, unsigned, "r", "or", "b32") ALL(xor_b32, s32, unsigned, "r", "xor", "b32") BOTH(exch_b32, s32, unsigned, "r", "exch", "b32") ALL(inc_u32, s32, unsigned, "r", "inc", "u32") ALL(dec_u32, s32, unsigned, "r", "dec", "u32")
ALL(add_u64, s64, u64, "l", "add", "u64") ALL(min_s64, s64, u64, "l", "min", "s64") ALL(max_s64, s64, u64, "l", "max", "s64") ALL(min_u64, s64, u64, "l", "min", "u64") ALL(max_u64, s64, u64, "l", "max", "u64")
ALL(and_b64, s64, u64, "l", "and", "b64") ALL(or_b64, s64, u64, "l", "or", "b64") ALL(xor_b64, s64, u64, "l", "xor", "b64") BOTH(exch_b64, s64, u64, "l", "exch", "b64")
ALL(add_f32, f32, float, "f", "add", "f32") ALL(add_f64, f64, double, "d", "add", "f64") ALL(add_f16x2, f16x2, unsigned, "r", "add.noftz", "f16x2") ALL(add_bf16x2, bf16x2, unsigned, "r", "add.noftz", "bf16x2")
#define CAS(NAME, KIND, T, C, TYPE)                                                                                   \
  ATOMIC_(atom_global_##NAME, KIND, T, C, global, o + n + i, GLOBAL_AT, "atom.global.cas." TYPE " %0, [%1], %2, %3;") \
  ATOMIC_(atom_shared_##NAME, KIND, T, C, shared, shared + threadIdx.x, SHARED_AT, "atom.shared.cas." TYPE " %0, [%1], %2, %3;")
CAS(cas_b32, s32, unsigned, "r", "b32") CAS(cas_b64, s64, u64, "l", "b64")
// Compare-and-swap that succeeds on every other lane; 16 and 128 bits.
__global__ void atom_cas_half(unsigned* o, const unsigned* a, const unsigned* b, const unsigned*) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  o[n + i] = a[i]; u16 compare = i & 1 ? (u16)a[i] : (u16)b[i], r;
  asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"((char*)(o + n + i) + (i & 2)), "h"(compare), "h"((u16)i) : "memory");
  o[i] = r;
}
static Register register_cas_half({"atom_cas_half", (const void*)atom_cas_half, Kind::s32, 4, 4, 2, Match::exact});
__global__ void atom_cas_128(u64* o, const u64* a, const u64* b, const u64* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  u64* at = o + 2 * n + 2 * i; at[0] = a[i]; at[1] = b[i]; u64 low = i & 1 ? a[i] : c[i], r, s;
  asm volatile("{.reg .b128 x, y, z; mov.b128 x, {%3, %4}; mov.b128 y, {%5, %6}; atom.global.cas.b128 z, [%2], x, y; mov.b128 {%0, %1}, z;}" : "=l"(r), "=l"(s) : "l"(at), "l"(low), "l"(b[i]), "l"(c[i]), "l"(~low) : "memory");
  o[2 * i] = r; o[2 * i + 1] = s;
}
static Register register_cas_128({"atom_cas_128", (const void*)atom_cas_128, Kind::s64, 8, 8, 4, Match::exact});
__global__ void atom_exch_128(u64* o, const u64* a, const u64* b, const u64* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  u64* at = o + 2 * n + 2 * i; at[0] = a[i]; at[1] = b[i]; u64 r, s;
  asm volatile("{.reg .b128 y, z; mov.b128 y, {%3, %4}; atom.global.exch.b128 z, [%2], y; mov.b128 {%0, %1}, z;}" : "=l"(r), "=l"(s) : "l"(at), "l"(c[i]), "l"(b[i]) : "memory");
  o[2 * i] = r; o[2 * i + 1] = s;
}
static Register register_exch_128({"atom_exch_128", (const void*)atom_exch_128, Kind::s64, 8, 8, 4, Match::exact});
__global__ void red_vector_f32(float* o, const float* a, const float* b, const float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float4* at = (float4*)o + i; *at = make_float4(a[i], b[i], c[i], 1.f);
  asm volatile("red.global.v4.f32.add [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(b[i]), "f"(c[i]), "f"(a[i]), "f"(c[i]) : "memory");
}
static Register register_red_vector({"red_vector_f32", (const void*)red_vector_f32, Kind::f32, 4, 4, 4, Match::exact});
__global__ void atom_vector_f16(unsigned* o, const unsigned* a, const unsigned* b, const unsigned* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x; uint2* at = (uint2*)(o + 2 * n) + i; *at = make_uint2(a[i], b[i]); unsigned r, s;
  asm volatile("atom.global.v2.f16x2.add.noftz {%0, %1}, [%2], {%3, %4};" : "=r"(r), "=r"(s) : "l"(at), "r"(b[i]), "r"(c[i]) : "memory");
  o[2 * i] = r; o[2 * i + 1] = s;
}
static Register register_atom_vector({"atom_vector_f16", (const void*)atom_vector_f16, Kind::f16x2, 4, 4, 4, Match::exact});
// Many lanes at one location, where the sum does not depend on the order: integers, and the order of old values is not kept.
__global__ void atom_same(unsigned* o, const unsigned* a, const unsigned* b, const unsigned* c) {
  __shared__ unsigned s[8]; int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; if (t < 8) s[t] = 0; o[i] = t < 8 ? (t == 4 ? ~0u : 0) : a[i]; __syncthreads();
  unsigned* g = o + blockIdx.x * blockDim.x; unsigned x = a[i], y = b[i];
  atomicAdd(s + 0, x); atomicXor(s + 1, y); atomicMax(s + 2, c[i]); atomicAdd(s + 3, 1); atomicOr(s + 4, x & y); atomicMax((int*)s + 5, (int)y); atomicInc(s + 6, 1000);
  atomicAdd(g + 0, x); atomicXor(g + 1, y); atomicMax(g + 2, c[i]); atomicAdd(g + 3, 1); atomicAnd(g + 4, x | y); atomicMax((int*)g + 5, (int)y); atomicInc(g + 6, 1000); atomicMin(g + 7, y);
  __syncthreads(); if (t >= 8 && t < 16) o[i] = s[t - 8];
}
static Register register_atom_same({"atom_same", (const void*)atom_same, Kind::s32, 4, 4, 1, Match::exact});

// Barriers that reduce.
IX(bar_popc, ".reg .pred p; setp.lt.s32 p, %1, %2; bar.red.popc.u32 %0, 0, p;") IX(bar_and, ".reg .pred p, q; setp.ne.u32 p, %1, 0x12345; bar.red.and.pred q, 1, p; selp.b32 %0, 1, 0, q;")
IX(bar_or, ".reg .pred p, q; setp.eq.u32 p, %1, 0x80000001; bar.red.or.pred q, 2, p; selp.b32 %0, 1, 0, q;") IX(bar_popc_half, ".reg .pred p, q; .reg .b32 t; mov.b32 %0, 0xdead; mov.u32 t, %%tid.x; setp.lt.s32 p, %1, %2; setp.lt.u32 q, t, 128; @!q bra DONE; bar.red.popc.u32 %0, 3, 128, !p; DONE:")

// Address spaces and windows: predicates of generic addresses, and the way there and back.
__device__ unsigned in_global; __constant__ unsigned in_constant[4] = {7, 8, 9, 10};
__global__ void spaces(unsigned* o, const unsigned* a, const unsigned* b, const unsigned* c) {
  __shared__ unsigned s[kOpBlock]; int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; unsigned local[8];
  for (int k = 0; k < 8; k++) local[k] = a[i] + k * t;
  s[t] = b[i]; __syncthreads();
  const void* p = (i >> 2) % 5 == 0 ? (const void*)(a + i) : (i >> 2) % 5 == 1 ? (const void*)(s + (t ^ 3)) : (i >> 2) % 5 == 2 ? (const void*)(local + (c[i] & 7)) : (i >> 2) % 5 == 3 ? (const void*)&in_global : (const void*)(in_constant + (t & 3));
  unsigned r = 0; asm volatile("{.reg .pred g, s, l, k; .reg .b32 t; isspacep.global g, %1; isspacep.shared s, %1; isspacep.local l, %1; isspacep.const k, %1; selp.b32 %0, 1, 0, g; selp.b32 t, 2, 0, s; or.b32 %0, %0, t; selp.b32 t, 4, 0, l; or.b32 %0, %0, t; selp.b32 t, 8, 0, k; or.b32 %0, %0, t;}" : "=r"(r) : "l"(p));
  unsigned v = (i >> 2) % 5 == 3 ? 0 : *(const unsigned*)p, w = (unsigned)__cvta_generic_to_shared(s + t) - (unsigned)__cvta_generic_to_shared(s);
  if ((i >> 2) % 5 == 2) { *(unsigned*)p = 5; v ^= local[(c[i] + 1) & 7] + local[c[i] & 7]; }
  o[i] = r + v * 16 + (w << 20);
}
static Register register_spaces({"spaces", (const void*)spaces, Kind::s32, 4, 4, 1, Match::exact});

// Special registers that are the same on every run.
__global__ void registers(unsigned* o) {
  extern __shared__ unsigned dynamic[]; __shared__ unsigned fixed[10];
  unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y * blockDim.z, b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (t < 10) fixed[t] = t; unsigned* p = o + (b * n + t) * 32; int k = 0; unsigned v;
#define READ(R) asm volatile("mov.u32 %0, %%" R ";" : "=r"(v)); p[k++] = v;
  READ("tid.x") READ("tid.y") READ("tid.z") READ("ntid.x") READ("ntid.y") READ("ntid.z") READ("ctaid.x") READ("ctaid.y") READ("ctaid.z") READ("nctaid.x") READ("nctaid.y") READ("nctaid.z")
  READ("laneid") READ("lanemask_eq") READ("lanemask_le") READ("lanemask_lt") READ("lanemask_ge") READ("lanemask_gt") READ("dynamic_smem_size") READ("total_smem_size") READ("aggr_smem_size")
  READ("cluster_ctaid.x") READ("cluster_nctaid.x") READ("cluster_ctarank") READ("cluster_nctarank") READ("clusterid.x") READ("nclusterid.x")
  p[k++] = (unsigned)__cvta_generic_to_shared(dynamic) - (unsigned)__cvta_generic_to_shared(fixed); p[k++] = __activemask(); p[k++] = (unsigned)__cvta_generic_to_shared(fixed); p[k++] = warpSize;
  p[k++] = fixed[t % 10] * 0;
}
// clang-format on

int main(int argc, char** argv) {
  Session s(argc, argv);
  run_ops(s);
  if (s.wants("registers")) {
    constexpr dim3 grid(3, 2, 2), block(7, 5, 3);
    constexpr size_t words = 12 * 105 * 32;
    Buffer<u32> o(words);
    registers<<<grid, block, 1000>>>(o.data);
    s.output("registers", o.data, words * 4, 4);
  }
  return s.finish();
}
