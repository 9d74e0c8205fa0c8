// float and double arithmetic, one operation a kernel: every rounding, flush-to-zero, saturation, comparison and slow path.
#include "harness.h"

using namespace results;

// clang-format off
#define F1(NAME, PTX) OP(NAME, f32, float, "f", float, "f", exact, PTX " %0, %1;")
#define F2(NAME, PTX) OP(NAME, f32, float, "f", float, "f", exact, PTX " %0, %1, %2;")
#define F3(NAME, PTX) OP(NAME, f32, float, "f", float, "f", exact, PTX " %0, %1, %2, %3;")
#define D1(NAME, PTX) OP(NAME, f64, double, "d", double, "d", exact, PTX " %0, %1;")
#define D2(NAME, PTX) OP(NAME, f64, double, "d", double, "d", exact, PTX " %0, %1, %2;")
#define D3(NAME, PTX) OP(NAME, f64, double, "d", double, "d", exact, PTX " %0, %1, %2, %3;")

// Arithmetic.
#define ROUNDED(R)                                                                                                    \
  F2(fadd_##R, "add." #R ".f32") F2(fadd_##R##_ftz, "add." #R ".ftz.f32") F2(fadd_##R##_sat, "add." #R ".sat.f32")    \
  F2(fadd_##R##_ftz_sat, "add." #R ".ftz.sat.f32") F2(fsub_##R, "sub." #R ".f32")                                     \
  F2(fmul_##R, "mul." #R ".f32") F2(fmul_##R##_ftz, "mul." #R ".ftz.f32") F2(fmul_##R##_sat, "mul." #R ".sat.f32")    \
  F2(fmul_##R##_ftz_sat, "mul." #R ".ftz.sat.f32")                                                                    \
  F3(ffma_##R, "fma." #R ".f32") F3(ffma_##R##_ftz, "fma." #R ".ftz.f32") F3(ffma_##R##_sat, "fma." #R ".sat.f32")    \
  F3(ffma_##R##_ftz_sat, "fma." #R ".ftz.sat.f32")                                                                    \
  F2(fdiv_##R, "div." #R ".f32") F2(fdiv_##R##_ftz, "div." #R ".ftz.f32")                                             \
  F1(frcp_##R, "rcp." #R ".f32") F1(frcp_##R##_ftz, "rcp." #R ".ftz.f32")                                             \
  F1(fsqrt_##R, "sqrt." #R ".f32") F1(fsqrt_##R##_ftz, "sqrt." #R ".ftz.f32")                                         \
  D2(dadd_##R, "add." #R ".f64") D2(dsub_##R, "sub." #R ".f64") D2(dmul_##R, "mul." #R ".f64") D3(dfma_##R, "fma." #R ".f64") \
  D2(ddiv_##R, "div." #R ".f64") D1(drcp_##R, "rcp." #R ".f64") D1(dsqrt_##R, "sqrt." #R ".f64")
ROUNDED(rn) ROUNDED(rz) ROUNDED(rm) ROUNDED(rp)

// Source modifiers: negation and absolute value of each operand, on NaN and zeros too.
EXPRESSION(fadd_neg_abs, f32, float, float, exact, -fabsf(x) + y)
EXPRESSION(fmul_neg, f32, float, float, exact, -x * y)
EXPRESSION(ffma_neg_a, f32, float, float, exact, __fmaf_rn(-x, y, z))
EXPRESSION(ffma_neg_c, f32, float, float, exact, __fmaf_rn(x, y, -z))
EXPRESSION(fadd_self, f32, float, float, exact, x + x)
EXPRESSION(fmul_half, f32, float, float, exact, x * 0.5f)
EXPRESSION(ffma_imm, f32, float, float, exact, __fmaf_rn(x, 3.25f, y))
EXPRESSION(ffma_imm_c, f32, float, float, exact, __fmaf_rn(x, y, -1.5f))
EXPRESSION(dfma_neg_a, f64, double, double, exact, __fma_rn(-x, y, z))
EXPRESSION(dfma_neg_c, f64, double, double, exact, __fma_rn(x, y, -z))
EXPRESSION(dadd_neg_abs, f64, double, double, exact, -fabs(x) + y)
EXPRESSION(dmul_imm, f64, double, double, exact, x * 3.25)
// Just below the smallest normal number: flushed by what is exact, not by what is rounded.
OP(ffma_tiny_ftz, f32, float, "f", float, "f", exact, "fma.rn.ftz.f32 %0, %1, %2, 0f00000000;")
OP(ffma_tiny_ftz_rp, f32, float, "f", float, "f", exact, "fma.rp.ftz.f32 %0, %1, %2, 0f00000000;")
F1(fneg, "neg.f32") F1(fneg_ftz, "neg.ftz.f32") F1(fabs_, "abs.f32") F1(fabs_ftz, "abs.ftz.f32") F2(fcopysign_, "copysign.f32")
D1(dneg, "neg.f64") D1(dabs, "abs.f64") D2(dcopysign, "copysign.f64")

// Minimum and maximum.
#define MINMAX(M)                                                                                                     \
  F2(fmnmx_##M, #M ".f32") F2(fmnmx_##M##_ftz, #M ".ftz.f32") F2(fmnmx_##M##_nan, #M ".NaN.f32") F2(fmnmx_##M##_ftz_nan, #M ".ftz.NaN.f32") \
  F2(fmnmx_##M##_xorsign, #M ".xorsign.abs.f32") F2(fmnmx_##M##_nan_xorsign, #M ".NaN.xorsign.abs.f32") D2(dmnmx_##M, #M ".f64")
MINMAX(min) MINMAX(max)

// Comparisons; bits of the result: 0 plain, 1 flushing, 2 and 3 the pair of a combination with z < 0.
#define COMPARE(C)                                                                                                    \
  OP(fsetp_##C, f32, float, "f", unsigned, "r", exact,                                                                \
     ".reg .pred p, q, s; .reg .b32 t; setp." #C ".f32 p, %1, %2; selp.b32 %0, 1, 0, p; setp." #C ".ftz.f32 p, %1, %2; selp.b32 t, 2, 0, p; or.b32 %0, %0, t;" \
     "setp.lt.f32 s, %3, 0f00000000; setp." #C ".and.f32 p|q, %1, %2, s; selp.b32 t, 4, 0, p; or.b32 %0, %0, t; selp.b32 t, 8, 0, q; or.b32 %0, %0, t;") \
  OP(dsetp_##C, f64, double, "d", unsigned, "r", exact,                                                               \
     ".reg .pred p, q, s; .reg .b32 t; setp." #C ".f64 p, %1, %2; selp.b32 %0, 1, 0, p;"                              \
     "setp.lt.f64 s, %3, 0d0000000000000000; setp." #C ".xor.f64 p|q, %1, %2, s; selp.b32 t, 4, 0, p; or.b32 %0, %0, t; selp.b32 t, 8, 0, q; or.b32 %0, %0, t;") \
  OP(fset_##C, f32, float, "f", float, "f", exact, ".reg .pred s; setp.lt.f32 s, %3, 0f00000000; set." #C ".or.f32.f32 %0, %1, %2, s;")
COMPARE(eq) COMPARE(ne) COMPARE(lt) COMPARE(le) COMPARE(gt) COMPARE(ge) COMPARE(equ) COMPARE(neu) COMPARE(ltu) COMPARE(leu) COMPARE(gtu) COMPARE(geu) COMPARE(num) COMPARE(nan)

// Selection and classes.
F3(fslct, "slct.f32.f32") F3(fslct_ftz, "slct.ftz.f32.f32")
EXPRESSION(fsel, f32, float, float, exact, x < 1.f ? y : z)
EXPRESSION(dsel, f64, double, double, exact, x < 1. ? y : z)
#define CLASS(C)                                                                                                      \
  OP(ftestp_##C, f32, float, "f", unsigned, "r", exact, ".reg .pred p; testp." #C ".f32 p, %1; selp.b32 %0, 1, 0, p;") \
  OP(dtestp_##C, f64, double, "d", unsigned, "r", exact, ".reg .pred p; testp." #C ".f64 p, %1; selp.b32 %0, 1, 0, p;")
CLASS(finite) CLASS(infinite) CLASS(number) CLASS(notanumber) CLASS(normal) CLASS(subnormal)

// Compositions that use the slow paths.
EXPRESSION(f_remainder, f32, float, float, exact, remainderf(x, y))
EXPRESSION(f_nextafter, f32, float, float, exact, nextafterf(x, y))
EXPRESSION(f_logb, f32, float, float, exact, logbf(x))
EXPRESSION(f_ilogb, f32, float, int, exact, ilogbf(x))
EXPRESSION(f_cbrt, f32, float, float, ulp2, cbrtf(x))
EXPRESSION(f_hypot, f32, float, float, ulp2, hypotf(x, y))
EXPRESSION(f_log1p, f32, float, float, exact, log1pf(x))
EXPRESSION(f_atan2, f32, float, float, ulp2, atan2f(x, y))
EXPRESSION(d_fmod, f64, double, double, exact, fmod(x, y))
EXPRESSION(d_log, f64, double, double, exact, log(x))
EXPRESSION(d_cos, f64, double, double, exact, cos(x))
EXPRESSION(d_hypot, f64, double, double, ulp2, hypot(x, y))
EXPRESSION(d_floor, f64, double, double, exact, floor(x))
EXPRESSION(d_round_away, f64, double, double, exact, round(x))

int main(int argc, char** argv) {
  Session s(argc, argv);
  run_ops(s);
  return s.finish();
}
