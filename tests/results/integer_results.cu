// Integer arithmetic, logic, shifts, bit fields and predicates, one operation a kernel.
#include "harness.h"

using namespace results;

// clang-format off
#define I1(NAME, PTX) OP(NAME, s32, unsigned, "r", unsigned, "r", exact, PTX " %0, %1;")
#define I2(NAME, PTX) OP(NAME, s32, unsigned, "r", unsigned, "r", exact, PTX " %0, %1, %2;")
#define I3(NAME, PTX) OP(NAME, s32, unsigned, "r", unsigned, "r", exact, PTX " %0, %1, %2, %3;")
#define IX(NAME, PTX) OP(NAME, s32, unsigned, "r", unsigned, "r", exact, PTX)
#define L1(NAME, PTX) OP(NAME, s64, u64, "l", u64, "l", exact, PTX " %0, %1;")
#define L2(NAME, PTX) OP(NAME, s64, u64, "l", u64, "l", exact, PTX " %0, %1, %2;")
#define L3(NAME, PTX) OP(NAME, s64, u64, "l", u64, "l", exact, PTX " %0, %1, %2, %3;")
#define LX(NAME, PTX) OP(NAME, s64, u64, "l", u64, "l", exact, PTX)

// Sums and products.
I2(add_s32, "add.s32") I2(add_sat_s32, "add.sat.s32") I2(sub_s32, "sub.s32") I2(sub_sat_s32, "sub.sat.s32") L2(add_s64, "add.s64") L2(sub_s64, "sub.s64")
IX(add_carry, ".reg .b32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, t;") IX(sub_borrow, ".reg .b32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, t;")
LX(add_carry_64, ".reg .b64 t; add.cc.u64 t, %1, %2; addc.u64 %0, %3, t;") LX(sub_borrow_64, ".reg .b64 t; sub.cc.u64 t, %1, %2; subc.u64 %0, %3, t;")
IX(mad_carry, ".reg .b32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, t;")
IX(madc_hi_carry, ".reg .b32 t, s; mad.hi.cc.u32 t, %1, %2, %3; addc.u32 s, %1, 0; add.u32 %0, s, t;")
#define PRODUCTS(W)                                                                                                   \
  I2(mul_lo_##W, "mul.lo." #W) I2(mul_hi_##W, "mul.hi." #W) I3(mad_lo_##W, "mad.lo." #W) I3(mad_hi_##W, "mad.hi." #W) \
  OP(mul_wide_##W, s32, unsigned, "r", u64, "l", exact, "mul.wide." #W " %0, %1, %2;")                                \
  OP(mad_wide_##W, s32, unsigned, "r", u64, "l", exact, ".reg .b64 t; cvt.u64.u32 t, %3; mad.wide." #W " %0, %1, %2, t;") \
  I2(mul24_lo_##W, "mul24.lo." #W) I2(mul24_hi_##W, "mul24.hi." #W) I3(mad24_lo_##W, "mad24.lo." #W) I3(sad_##W, "sad." #W) \
  I2(div_##W, "div." #W) I2(rem_##W, "rem." #W) I2(min_##W, "min." #W) I2(max_##W, "max." #W)
PRODUCTS(s32) PRODUCTS(u32)
I3(mad_hi_sat_s32, "mad.hi.sat.s32")
#define PRODUCTS16(W)                                                                                                 \
  OP(mul_wide_##W, s32, unsigned, "r", unsigned, "r", exact, ".reg .b16 a, b, t; mov.b32 {a, t}, %1; mov.b32 {t, b}, %2; mul.wide." #W " %0, a, b;") \
  OP(mad_wide_##W, s32, unsigned, "r", unsigned, "r", exact, ".reg .b16 a, b, t; mov.b32 {a, t}, %1; mov.b32 {t, b}, %2; mad.wide." #W " %0, a, b, %3;") \
  OP(mul_hi_##W, s32, unsigned, "r", u16, "h", exact, ".reg .b16 a, b, t; mov.b32 {a, t}, %1; mov.b32 {t, b}, %2; mul.hi." #W " %0, a, b;") \
  OP(div_##W, s32, unsigned, "r", u16, "h", exact, ".reg .b16 a, b, t; mov.b32 {a, t}, %1; mov.b32 {t, b}, %2; div." #W " %0, a, b;") \
  OP(rem_##W, s32, unsigned, "r", u16, "h", exact, ".reg .b16 a, b, t; mov.b32 {a, t}, %1; mov.b32 {t, b}, %2; rem." #W " %0, a, b;") \
  OP(min_##W, s32, unsigned, "r", u16, "h", exact, ".reg .b16 a, b, t; mov.b32 {a, t}, %1; mov.b32 {t, b}, %2; min." #W " %0, a, b;") \
  I2(min_##W##x2, "min." #W "x2") I2(max_##W##x2, "max." #W "x2")
PRODUCTS16(s16) PRODUCTS16(u16)
I2(add_u16x2, "add.u16x2") I2(add_s16x2, "add.s16x2") I2(min_relu_s32, "min.relu.s32") I2(max_relu_s32, "max.relu.s32") I2(min_relu_s16x2, "min.relu.s16x2") I2(max_relu_s16x2, "max.relu.s16x2")
#define PRODUCTS64(W)                                                                                                 \
  L2(mul_lo_##W, "mul.lo." #W) L2(mul_hi_##W, "mul.hi." #W) L3(mad_lo_##W, "mad.lo." #W) L3(mad_hi_##W, "mad.hi." #W) \
  L2(div_##W, "div." #W) L2(rem_##W, "rem." #W) L2(min_##W, "min." #W) L2(max_##W, "max." #W) L3(sad_##W, "sad." #W)
PRODUCTS64(s64) PRODUCTS64(u64)
I1(abs_s32, "abs.s32") I1(neg_s32, "neg.s32") L1(abs_s64, "abs.s64") L1(neg_s64, "neg.s64")
#define DOT(A, B) I3(dp4a_##A##_##B, "dp4a." #A "." #B) I3(dp2a_lo_##A##_##B, "dp2a.lo." #A "." #B) I3(dp2a_hi_##A##_##B, "dp2a.hi." #A "." #B)
DOT(s32, s32) DOT(s32, u32) DOT(u32, s32) DOT(u32, u32)

// Bits.
I2(and_b32, "and.b32") I2(or_b32, "or.b32") I2(xor_b32, "xor.b32") I1(not_b32, "not.b32") I1(cnot_b32, "cnot.b32") L2(and_b64, "and.b64") L2(xor_b64, "xor.b64")
I1(popc_b32, "popc.b32") I1(clz_b32, "clz.b32") I1(brev_b32, "brev.b32") OP(popc_b64, s64, u64, "l", unsigned, "r", exact, "popc.b64 %0, %1;") OP(clz_b64, s64, u64, "l", unsigned, "r", exact, "clz.b64 %0, %1;") L1(brev_b64, "brev.b64")
I1(bfind_s32, "bfind.s32") I1(bfind_u32, "bfind.u32") I1(bfind_shiftamt_s32, "bfind.shiftamt.s32") I1(bfind_shiftamt_u32, "bfind.shiftamt.u32")
OP(bfind_s64, s64, u64, "l", unsigned, "r", exact, "bfind.s64 %0, %1;") OP(bfind_u64, s64, u64, "l", unsigned, "r", exact, "bfind.u64 %0, %1;")
IX(fns_b32, ".reg .b32 t, s; and.b32 t, %2, 31; shr.s32 s, %3, 27; fns.b32 %0, %1, t, s;")
IX(bfe_s32, "bfe.s32 %0, %1, %2, %3;") IX(bfe_u32, "bfe.u32 %0, %1, %2, %3;")
LX(bfe_s64, ".reg .b32 p, l; cvt.u32.u64 p, %2; cvt.u32.u64 l, %3; bfe.s64 %0, %1, p, l;") LX(bfe_u64, ".reg .b32 p, l; cvt.u32.u64 p, %2; cvt.u32.u64 l, %3; bfe.u64 %0, %1, p, l;")
IX(bfi_b32, ".reg .b32 p; shr.u32 p, %3, 5; bfi.b32 %0, %1, %2, p, %3;") LX(bfi_b64, ".reg .b32 p, l; cvt.u32.u64 p, %3; shr.u32 l, p, 6; bfi.b64 %0, %1, %2, p, l;")
I2(szext_clamp_s32, "szext.clamp.s32") I2(szext_wrap_s32, "szext.wrap.s32") I2(szext_clamp_u32, "szext.clamp.u32") I2(szext_wrap_u32, "szext.wrap.u32")
I2(bmsk_clamp, "bmsk.clamp.b32") I2(bmsk_wrap, "bmsk.wrap.b32")
#define LUT(N) IX(lop3_##N, "lop3.b32 %0, %1, %2, %3, 0x" #N ";")
LUT(01) LUT(1e) LUT(2d) LUT(40) LUT(57) LUT(69) LUT(7f) LUT(80) LUT(96) LUT(ac) LUT(b8) LUT(ca) LUT(d8) LUT(e8) LUT(f1) LUT(fe)
IX(lop3_predicate, ".reg .pred p, q; .reg .b32 t, u; setp.lt.s32 q, %3, 0; lop3.or.b32 t|p, %1, %2, %3, 0x28, q; selp.b32 u, 0x55555555, 0, p; xor.b32 %0, t, u;")
// Shifts: by counts up to 255 and by raw words; clamped and wrapped.
I2(shl_b32, "shl.b32") I2(shr_s32, "shr.s32") I2(shr_u32, "shr.u32")
LX(shl_b64, ".reg .b32 n; cvt.u32.u64 n, %2; shl.b64 %0, %1, n;") LX(shr_s64, ".reg .b32 n; cvt.u32.u64 n, %2; shr.s64 %0, %1, n;") LX(shr_u64, ".reg .b32 n; cvt.u32.u64 n, %2; shr.u64 %0, %1, n;")
I3(shf_l_clamp, "shf.l.clamp.b32") I3(shf_l_wrap, "shf.l.wrap.b32") I3(shf_r_clamp, "shf.r.clamp.b32") I3(shf_r_wrap, "shf.r.wrap.b32")
IX(shl_b32_byte, ".reg .b32 n; and.b32 n, %3, 255; shl.b32 %0, %1, n;") IX(shr_s32_byte, ".reg .b32 n; and.b32 n, %3, 255; shr.s32 %0, %1, n;")
IX(shf_l_clamp_byte, ".reg .b32 n; and.b32 n, %3, 255; shf.l.clamp.b32 %0, %1, %2, n;") IX(shf_r_clamp_byte, ".reg .b32 n; and.b32 n, %3, 255; shf.r.clamp.b32 %0, %1, %2, n;")
OP(shl_b16, s32, unsigned, "r", u16, "h", exact, ".reg .b16 a, t; mov.b32 {t, a}, %1; shl.b16 %0, a, %2;") OP(shr_s16, s32, unsigned, "r", u16, "h", exact, ".reg .b16 a, t; mov.b32 {t, a}, %1; shr.s16 %0, a, %2;")
EXPRESSION(shl_imm, s32, unsigned, unsigned, exact, (x << 7) ^ (y >> 13) ^ (unsigned)((int)z >> 21))
EXPRESSION(shl_wide_imm, s64, u64, u64, exact, (x << 37) ^ (y >> 13) ^ (u64)((long long)z >> 51))
// Bytes.
I3(prmt, "prmt.b32") I3(prmt_f4e, "prmt.b32.f4e") I3(prmt_b4e, "prmt.b32.b4e") I3(prmt_rc8, "prmt.b32.rc8") I3(prmt_ecl, "prmt.b32.ecl") I3(prmt_ecr, "prmt.b32.ecr") I3(prmt_rc16, "prmt.b32.rc16")
IX(prmt_low, ".reg .b32 s; and.b32 s, %3, 0xffff; prmt.b32 %0, %1, %2, s;") IX(prmt_imm, "prmt.b32 %0, %1, %2, 0x8a5f;")
// Address sums: LEA, LEA.HI, with and without carry.
EXPRESSION(lea_3, s32, unsigned, unsigned, exact, (x << 3) + y)
EXPRESSION(lea_29, s32, unsigned, unsigned, exact, (x << 29) + y)
EXPRESSION(lea_neg, s32, unsigned, unsigned, exact, y - (x << 5))
EXPRESSION(lea_hi_30, s32, unsigned, unsigned, exact, (x >> 27) + y)
EXPRESSION(lea_hi_sx32, s32, int, int, exact, (int)(((long long)x * 0x66666667ll) >> 34) + (x >> 31))
EXPRESSION(div_const, s32, int, int, exact, x / 10 + y % 7 - z / -3)
EXPRESSION(div_const_u, s32, unsigned, unsigned, exact, x / 10u + y % 7u + z / 641u)
EXPRESSION(div_power, s32, int, int, exact, x / 8 + y % 16 + z / -32768)
EXPRESSION(lea_64, s64, u64, u64, exact, (x << 4) + y)
EXPRESSION(lea_64_signed, s32, int, u64, exact, (u64)y + ((long long)x << 2))
EXPRESSION(sum_3, s32, unsigned, unsigned, exact, x + y + z)
EXPRESSION(sum_3_neg, s32, unsigned, unsigned, exact, x - y - z)
EXPRESSION(sum_64_3, s64, u64, u64, exact, x + y - z)
EXPRESSION(mad_64, s64, u64, u64, exact, (u64)(unsigned)x * (unsigned)y + z)
EXPRESSION(mad_64_signed, s64, u64, u64, exact, (u64)((long long)(int)x * (int)y) + z)
// Minima with sums and of three, with predicates.
EXPRESSION(viaddmax_s32, s32, int, int, exact, __viaddmax_s32(x, y, z)) EXPRESSION(viaddmin_s32, s32, int, int, exact, __viaddmin_s32(x, y, z))
EXPRESSION(viaddmax_u32, s32, unsigned, unsigned, exact, __viaddmax_u32(x, y, z)) EXPRESSION(viaddmax_s32_relu, s32, int, int, exact, __viaddmax_s32_relu(x, y, z))
EXPRESSION(viaddmin_s32_relu, s32, int, int, exact, __viaddmin_s32_relu(x, y, z)) EXPRESSION(viaddmin_u32, s32, unsigned, unsigned, exact, __viaddmin_u32(x, y, z))
EXPRESSION(viaddmax_s16x2, s32, unsigned, unsigned, exact, __viaddmax_s16x2(x, y, z)) EXPRESSION(viaddmin_u16x2, s32, unsigned, unsigned, exact, __viaddmin_u16x2(x, y, z))
EXPRESSION(viaddmax_s16x2_relu, s32, unsigned, unsigned, exact, __viaddmax_s16x2_relu(x, y, z)) EXPRESSION(viaddmin_s16x2, s32, unsigned, unsigned, exact, __viaddmin_s16x2(x, y, z))
EXPRESSION(vimax3_s32, s32, int, int, exact, __vimax3_s32(x, y, z)) EXPRESSION(vimin3_u32, s32, unsigned, unsigned, exact, __vimin3_u32(x, y, z))
EXPRESSION(vimax3_s32_relu, s32, int, int, exact, __vimax3_s32_relu(x, y, z)) EXPRESSION(vimin3_s16x2, s32, unsigned, unsigned, exact, __vimin3_s16x2(x, y, z))
EXPRESSION(vimax_s32_relu, s32, int, int, exact, __vimax_s32_relu(x, y)) EXPRESSION(vimin_s16x2_relu, s32, unsigned, unsigned, exact, __vimin_s16x2_relu(x, y))
EXPRESSION(vibmax_s32, s32, int, int, exact, ({ bool p; int m = __vibmax_s32(x, y, &p); m ^ (p ? z : 0); })) EXPRESSION(vibmin_u32, s32, unsigned, unsigned, exact, ({ bool p; unsigned m = __vibmin_u32(x, y, &p); m ^ (p ? z : 0); }))
EXPRESSION(vibmax_s16x2, s32, unsigned, unsigned, exact, ({ bool p, q; unsigned m = __vibmax_s16x2(x, y, &p, &q); m ^ (p ? z : 0) ^ (q ? 0x11111111u : 0); }))
// Video and SIMD forms.
I3(vabsdiff_u32, "vabsdiff.u32.u32.u32.add") I3(vabsdiff_s32, "vabsdiff.s32.s32.s32.add") I3(vabsdiff4_u32, "vabsdiff4.u32.u32.u32.add") I3(vabsdiff4_s32, "vabsdiff4.s32.s32.s32.add") I3(vadd4_sat, "vadd4.u32.u32.u32.sat") I3(vmin2, "vmin2.s32.s32.s32")
I3(vset4_lt, "vset4.u32.u32.lt") I3(vavrg4, "vavrg4.u32.u32.u32") I3(vsub2_sat, "vsub2.s32.s32.s32.sat")
IX(vshl_clamp, "vshl.u32.u32.u32.clamp.add %0, %1.b1, %2, %3;") IX(vmad_shr, "vmad.s32.s32.u32.shr7 %0, %1.h1, %2.b2, %3;")
#define SIMD2(F) EXPRESSION(simd_##F, s32, unsigned, unsigned, exact, F(x, y))
SIMD2(__vadd2) SIMD2(__vadd4) SIMD2(__vaddss2) SIMD2(__vaddus4) SIMD2(__vsub4) SIMD2(__vsubss4) SIMD2(__vabsdiffs2) SIMD2(__vsads4) SIMD2(__vsadu2) SIMD2(__vavgs4) SIMD2(__vhaddu4) SIMD2(__vmaxs4) SIMD2(__vminu2) SIMD2(__vcmpgts4) SIMD2(__vsetleu2)

// Comparisons; bits of the result: 0 plain, 1 and 2 the pair of a combination with z < 0.
#define SETP(C, W)                                                                                                    \
  IX(setp_##C##_##W, ".reg .pred p, q, s; .reg .b32 t; setp." #C "." #W " p, %1, %2; selp.b32 %0, 1, 0, p; setp.lt.s32 s, %3, 0; setp." #C ".and." #W " p|q, %1, %2, s; selp.b32 t, 2, 0, p; or.b32 %0, %0, t; selp.b32 t, 4, 0, q; or.b32 %0, %0, t;")
#define SETP64(C, W)                                                                                                  \
  LX(setp_##C##_##W, ".reg .pred p, q, s; .reg .b64 t; setp." #C "." #W " p, %1, %2; selp.b64 %0, 1, 0, p; setp.lt.s64 s, %3, 0; setp." #C ".or." #W " p|q, %1, %2, !s; selp.b64 t, 2, 0, p; or.b64 %0, %0, t; selp.b64 t, 4, 0, q; or.b64 %0, %0, t;")
SETP(eq, s32) SETP(ne, s32) SETP(lt, s32) SETP(le, s32) SETP(gt, s32) SETP(ge, s32) SETP(lo, u32) SETP(ls, u32) SETP(hi, u32) SETP(hs, u32)
SETP64(eq, s64) SETP64(ne, s64) SETP64(lt, s64) SETP64(le, s64) SETP64(gt, s64) SETP64(ge, s64) SETP64(lo, u64) SETP64(ls, u64) SETP64(hi, u64) SETP64(hs, u64)
IX(set_s32, "set.lt.s32.s32 %0, %1, %2;") OP(set_f32, s32, unsigned, "r", float, "f", exact, ".reg .pred s; setp.lt.s32 s, %3, 0; set.ge.xor.f32.u32 %0, %1, %2, s;")
I3(slct_s32, "slct.s32.s32") EXPRESSION(sel_32, s32, int, int, exact, x < y ? z : x) EXPRESSION(sel_64, s64, long long, long long, exact, x < y ? z : x)
// Predicate logic: eight comparisons packed into a word and taken out again.
EXPRESSION(predicates, s32, int, unsigned, exact, ({
  bool p = x < y, q = y < z, r = x == z, t = (x & 4) != 0, u = (y & 8) != 0, v = z > 100, w = (x ^ y) < 0;
  unsigned m = p | q << 1 | r << 2 | t << 3 | u << 4 | v << 5 | w << 6;
  if ((p && q) != (r || t)) m |= 256;
  if ((u ^ v) && !(w && p)) m |= 512;
  if ((p != q) != (t != u)) m |= 1024;
  m; }))
// R2P and P2R: bits of a word guard many sums.
EXPRESSION(bits_guard, s32, unsigned, unsigned, exact, ({
  unsigned m = x, r = y;
  if (m & 1) r += z;
  if (m & 2) r ^= 0x1234567;
  if (m & 4) r *= 3;
  if (m & 8) r -= z;
  if (m & 16) r ^= z << 1;
  if (m & 32) r += 77;
  if (m & 64) r = ~r;
  r; }))
// A warp-uniform computation.
EXPRESSION(uniform, s32, unsigned, unsigned, exact, ({
  unsigned b = blockIdx.x * 0x9e3779b9u, s = (b >> 7) & 31, t = b / 3, n = __popc(b) + __clz(b), m = (b << s) | (t >> (n & 31));
  x + (m ^ (b > 5u * t ? t : s)) + (m & ~t) * gridDim.x; }))

int main(int argc, char** argv) {
  Session s(argc, argv);
  run_ops(s);
  return s.finish();
}
