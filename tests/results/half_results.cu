// Half and bfloat16 arithmetic, pairs and single values, one operation a kernel.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness.h"

using namespace results;

// clang-format off
#define H1(NAME, PTX) OP(NAME, f16x2, unsigned, "r", unsigned, "r", exact, PTX " %0, %1;")
#define H2(NAME, PTX) OP(NAME, f16x2, unsigned, "r", unsigned, "r", exact, PTX " %0, %1, %2;")
#define H3(NAME, PTX) OP(NAME, f16x2, unsigned, "r", unsigned, "r", exact, PTX " %0, %1, %2, %3;")
#define B1(NAME, PTX) OP(NAME, bf16x2, unsigned, "r", unsigned, "r", exact, PTX " %0, %1;")
#define B2(NAME, PTX) OP(NAME, bf16x2, unsigned, "r", unsigned, "r", exact, PTX " %0, %1, %2;")
#define B3(NAME, PTX) OP(NAME, bf16x2, unsigned, "r", unsigned, "r", exact, PTX " %0, %1, %2, %3;")
// A single value: the low halves.
#define S_(NAME, KIND, PTX) OP(NAME, KIND, unsigned, "r", u16, "h", exact, ".reg .b16 x, y, z, t; mov.b32 {x, t}, %1; mov.b32 {y, t}, %2; mov.b32 {z, t}, %3;" PTX)

H2(hadd2_rn, "add.rn.f16x2") H2(hadd2_ftz, "add.ftz.f16x2") H2(hadd2_sat, "add.sat.f16x2") H2(hadd2_ftz_sat, "add.ftz.sat.f16x2") H2(hsub2, "sub.f16x2")
H2(hmul2_rn, "mul.rn.f16x2") H2(hmul2_ftz, "mul.ftz.f16x2") H2(hmul2_sat, "mul.sat.f16x2") H2(hmul2_ftz_sat, "mul.ftz.sat.f16x2")
H3(hfma2_rn, "fma.rn.f16x2") H3(hfma2_ftz, "fma.rn.ftz.f16x2") H3(hfma2_sat, "fma.rn.sat.f16x2") H3(hfma2_ftz_sat, "fma.rn.ftz.sat.f16x2")
H3(hfma2_relu, "fma.rn.relu.f16x2") H3(hfma2_ftz_relu, "fma.rn.ftz.relu.f16x2")
B2(badd2, "add.rn.bf16x2") B2(bsub2, "sub.rn.bf16x2") B2(bmul2, "mul.rn.bf16x2") B3(bfma2, "fma.rn.bf16x2") B3(bfma2_relu, "fma.rn.relu.bf16x2")
H1(hneg2, "neg.f16x2") H1(hneg2_ftz, "neg.ftz.f16x2") H1(habs2, "abs.f16x2") H1(habs2_ftz, "abs.ftz.f16x2") B1(bneg2, "neg.bf16x2") B1(babs2, "abs.bf16x2")
#define MINMAX(M)                                                                                                     \
  H2(h##M##2, #M ".f16x2") H2(h##M##2_ftz, #M ".ftz.f16x2") H2(h##M##2_nan, #M ".NaN.f16x2") H2(h##M##2_xorsign, #M ".xorsign.abs.f16x2") \
  H2(h##M##2_nan_xorsign, #M ".NaN.xorsign.abs.f16x2") B2(b##M##2, #M ".bf16x2") B2(b##M##2_nan, #M ".NaN.bf16x2")    \
  B2(b##M##2_xorsign, #M ".xorsign.abs.bf16x2")                                                                       \
  S_(h##M, f16x2, #M ".f16 %0, x, y;") S_(h##M##_nan, f16x2, #M ".NaN.f16 %0, x, y;") S_(b##M, bf16x2, #M ".bf16 %0, x, y;")
MINMAX(min) MINMAX(max)
S_(hadd, f16x2, "add.f16 %0, x, y;") S_(hadd_sat, f16x2, "add.sat.f16 %0, x, y;") S_(hmul, f16x2, "mul.f16 %0, x, y;") S_(hfma, f16x2, "fma.rn.f16 %0, x, y, z;")
S_(badd, bf16x2, "add.rn.bf16 %0, x, y;") S_(bmul, bf16x2, "mul.rn.bf16 %0, x, y;") S_(bfma, bf16x2, "fma.rn.bf16 %0, x, y, z;")

// Comparisons: bits 0, 1 the pair of predicates; 2, 3 flushing; 4, 5 combined with z < 0; then HSET2 in both result forms.
#define COMPARE(C)                                                                                                    \
  OP(hsetp2_##C, f16x2, unsigned, "r", unsigned, "r", exact,                                                          \
     ".reg .pred p, q, s; .reg .b32 t; setp." #C ".f16x2 p|q, %1, %2; selp.b32 %0, 1, 0, p; selp.b32 t, 2, 0, q; or.b32 %0, %0, t;" \
     "setp." #C ".ftz.f16x2 p|q, %1, %2; selp.b32 t, 4, 0, p; or.b32 %0, %0, t; selp.b32 t, 8, 0, q; or.b32 %0, %0, t;" \
     "setp.lt.s32 s, %3, 0; setp." #C ".and.f16x2 p|q, %1, %2, s; selp.b32 t, 16, 0, p; or.b32 %0, %0, t; selp.b32 t, 32, 0, q; or.b32 %0, %0, t;") \
  OP(hset2_##C, f16x2, unsigned, "r", unsigned, "r", exact, "set." #C ".f16x2.f16x2 %0, %1, %2;")                     \
  OP(hset2_bf_##C, bf16x2, unsigned, "r", unsigned, "r", exact, "set." #C ".u32.bf16x2 %0, %1, %2;")                  \
  OP(bsetp2_##C, bf16x2, unsigned, "r", unsigned, "r", exact, ".reg .pred p, q; .reg .b32 t; setp." #C ".bf16x2 p|q, %1, %2; selp.b32 %0, 1, 0, p; selp.b32 t, 2, 0, q; or.b32 %0, %0, t;")
COMPARE(eq) COMPARE(ne) COMPARE(lt) COMPARE(le) COMPARE(gt) COMPARE(ge) COMPARE(equ) COMPARE(neu) COMPARE(ltu) COMPARE(leu) COMPARE(gtu) COMPARE(geu) COMPARE(num) COMPARE(nan)

// Operand forms of HADD2, HMUL2 and HFMA2: one half for both lanes, negated, immediate, widened to a float.
__device__ __half2 pair(unsigned x) { __half2 h; memcpy(&h, &x, 4); return h; }
__device__ unsigned word(__half2 h) { unsigned x; memcpy(&x, &h, 4); return x; }
__device__ __nv_bfloat162 bpair(unsigned x) { __nv_bfloat162 h; memcpy(&h, &x, 4); return h; }
__device__ unsigned bword(__nv_bfloat162 h) { unsigned x; memcpy(&x, &h, 4); return x; }
EXPRESSION(hadd2_low, f16x2, unsigned, unsigned, exact, word(__hadd2(pair(x), __low2half2(pair(y)))))
EXPRESSION(hadd2_high, f16x2, unsigned, unsigned, exact, word(__hadd2(pair(x), __high2half2(pair(y)))))
EXPRESSION(hfma2_low_high, f16x2, unsigned, unsigned, exact, word(__hfma2(__low2half2(pair(x)), __high2half2(pair(y)), pair(z))))
EXPRESSION(hfma2_neg, f16x2, unsigned, unsigned, exact, word(__hfma2(__hneg2(pair(x)), pair(y), __hneg2(pair(z)))))
EXPRESSION(hfma2_imm, f16x2, unsigned, unsigned, exact, word(__hfma2(pair(x), __floats2half2_rn(1.5f, -0.25f), pair(z))))
EXPRESSION(hmul2_imm, f16x2, unsigned, unsigned, exact, word(__hmul2(pair(x), __floats2half2_rn(3.f, 0.1f))))
EXPRESSION(hadd2_swap, f16x2, unsigned, unsigned, exact, word(__hadd2(pair(x), __lowhigh2highlow(pair(y)))))
EXPRESSION(hadd_to_float, f16x2, unsigned, float, exact, __half2float(__low2half(pair(x))) + __half2float(__high2half(pair(y))))
EXPRESSION(hcmp_select, f16x2, unsigned, unsigned, exact, word(__hbltu2(pair(x), pair(y)) ? pair(z) : __hmax2_nan(pair(x), pair(z))))
EXPRESSION(hdiv2, f16x2, unsigned, unsigned, exact, word(__h2div(pair(x), pair(y))))
EXPRESSION(hsqrt2, f16x2, unsigned, unsigned, exact, word(h2sqrt(pair(x))))
EXPRESSION(hrcp2, f16x2, unsigned, unsigned, exact, word(h2rcp(pair(x))))
EXPRESSION(hfloor_ceil, f16x2, unsigned, unsigned, exact, word(__hadd2(h2floor(pair(x)), h2ceil(pair(y)))))
EXPRESSION(hrint_trunc, f16x2, unsigned, unsigned, exact, word(__hadd2(h2rint(pair(x)), h2trunc(pair(y)))))
EXPRESSION(bfma2_low, bf16x2, unsigned, unsigned, exact, bword(__hfma2(__low2bfloat162(bpair(x)), bpair(y), bpair(z))))
EXPRESSION(bfma2_imm, bf16x2, unsigned, unsigned, exact, bword(__hfma2(bpair(x), __floats2bfloat162_rn(1.5f, -0.25f), bpair(z))))
EXPRESSION(bmul2_neg, bf16x2, unsigned, unsigned, exact, bword(__hmul2(__hneg2(bpair(x)), bpair(y))))
EXPRESSION(bdiv, bf16x2, unsigned, unsigned, exact, bword(__h2div(bpair(x), bpair(y))))
EXPRESSION(b_to_float, bf16x2, unsigned, float, exact, __low2float(bpair(x)) * __high2float(bpair(y)))
EXPRESSION(half_to_int, f16x2, unsigned, int, exact, __half2int_rd(__low2half(pair(x))) + __half2uint_rz(__high2half(pair(x))))

int main(int argc, char** argv) {
  Session s(argc, argv);
  run_ops(s);
  return s.finish();
}
