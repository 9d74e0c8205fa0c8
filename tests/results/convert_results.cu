// Conversions, one a kernel: every width, rounding, saturation and packing.
#include "harness.h"

using namespace results;

// clang-format off
// Float to float.
#define ROUND(R)                                                                                                      \
  OP(frnd_##R, f32, float, "f", float, "f", exact, "cvt." #R ".f32.f32 %0, %1;")                                      \
  OP(frnd_##R##_ftz, f32, float, "f", float, "f", exact, "cvt." #R ".ftz.f32.f32 %0, %1;")                            \
  OP(frnd_##R##_sat, f32, float, "f", float, "f", exact, "cvt." #R ".sat.f32.f32 %0, %1;")                            \
  OP(frnd64_##R, f64, double, "d", double, "d", exact, "cvt." #R ".f64.f64 %0, %1;")                                  \
  OP(frnd16_##R, f16x2, unsigned, "r", unsigned, "r", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt." #R ".f16.f16 l, l; cvt." #R ".f16.f16 h, h; mov.b32 %0, {l, h};")
ROUND(rni) ROUND(rzi) ROUND(rmi) ROUND(rpi)
#define NARROW(R)                                                                                                     \
  OP(f2f_32_64_##R, f64, double, "d", float, "f", exact, "cvt." #R ".f32.f64 %0, %1;")                                \
  OP(f2f_32_64_##R##_ftz, f64, double, "d", float, "f", exact, "cvt." #R ".ftz.f32.f64 %0, %1;")                      \
  OP(f2f_32_64_##R##_sat, f64, double, "d", float, "f", exact, "cvt." #R ".sat.f32.f64 %0, %1;")                      \
  OP(f2f_16_64_##R, f64, double, "d", u16, "h", exact, "cvt." #R ".f16.f64 %0, %1;")                                  \
  OP(f2f_16_32_##R, f32, float, "f", u16, "h", exact, "cvt." #R ".f16.f32 %0, %1;")                                   \
  OP(f2f_16_32_##R##_ftz, f32, float, "f", u16, "h", exact, "cvt." #R ".ftz.f16.f32 %0, %1;")                         \
  OP(f2f_16_32_##R##_sat, f32, float, "f", u16, "h", exact, "cvt." #R ".sat.f16.f32 %0, %1;")
NARROW(rn) NARROW(rz) NARROW(rm) NARROW(rp)
OP(f2f_64_32, f32, float, "f", double, "d", exact, "cvt.f64.f32 %0, %1;")
OP(f2f_64_32_ftz, f32, float, "f", double, "d", exact, "cvt.ftz.f64.f32 %0, %1;")
OP(f2f_sat, f32, float, "f", float, "f", exact, "cvt.sat.f32.f32 %0, %1;")
OP(f2f_ftz, f32, float, "f", float, "f", exact, "cvt.ftz.f32.f32 %0, %1;")
OP(f2f_64_sat, f64, double, "d", double, "d", exact, "cvt.sat.f64.f64 %0, %1;")
OP(f2f_32_16, f16x2, unsigned, "r", float, "f", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l;")
OP(f2f_32_16_high, f16x2, unsigned, "r", float, "f", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h;")
OP(f2f_64_16, f16x2, unsigned, "r", double, "d", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f64.f16 %0, l;")
OP(f2f_32_bf16, bf16x2, unsigned, "r", float, "f", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.bf16 %0, l;")
OP(f2f_bf16_32_rn, f32, float, "f", u16, "h", exact, "cvt.rn.bf16.f32 %0, %1;")
OP(f2f_bf16_32_rz, f32, float, "f", u16, "h", exact, "cvt.rz.bf16.f32 %0, %1;")
OP(f2f_bf16_32_rn_relu, f32, float, "f", u16, "h", exact, "cvt.rn.relu.bf16.f32 %0, %1;")
OP(f2f_bf16_64_rn, f64, double, "d", u16, "h", exact, "cvt.rn.bf16.f64 %0, %1;")
OP(f2f_bf16_f16, f16x2, unsigned, "r", u16, "h", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.rn.bf16.f16 %0, l;")
OP(f2f_f16_bf16, bf16x2, unsigned, "r", u16, "h", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.rn.f16.bf16 %0, l;")
OP(f2f_tf32_rna, f32, float, "f", unsigned, "r", exact, "cvt.rna.tf32.f32 %0, %1;")
OP(f2f_tf32_rn, f32, float, "f", unsigned, "r", exact, "cvt.rn.tf32.f32 %0, %1;")
OP(f2f_tf32_rz, f32, float, "f", unsigned, "r", exact, "cvt.rz.tf32.f32 %0, %1;")
OP(f2f_tf32_rn_relu, f32, float, "f", unsigned, "r", exact, "cvt.rn.relu.tf32.f32 %0, %1;")
// Two floats to a pair.
#define PACK(NAME, PTX) OP(NAME, f32, float, "f", unsigned, "r", exact, PTX " %0, %1, %2;")
PACK(f2fp_f16_rn, "cvt.rn.f16x2.f32") PACK(f2fp_f16_rz, "cvt.rz.f16x2.f32") PACK(f2fp_f16_rn_relu, "cvt.rn.relu.f16x2.f32")
PACK(f2fp_bf16_rn, "cvt.rn.bf16x2.f32") PACK(f2fp_bf16_rz, "cvt.rz.bf16x2.f32") PACK(f2fp_bf16_rn_relu, "cvt.rn.relu.bf16x2.f32")
OP(f2fp_e4m3, f32, float, "f", u16, "h", exact, "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;")
OP(f2fp_e5m2, f32, float, "f", u16, "h", exact, "cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;")
OP(f2fp_e4m3_relu, f32, float, "f", u16, "h", exact, "cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;")
OP(f2fp_e4m3_f16, f16x2, unsigned, "r", u16, "h", exact, "cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;")
OP(f2fp_e5m2_f16, f16x2, unsigned, "r", u16, "h", exact, "cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;")
OP(f2fp_f16_e4m3, s32, unsigned, "r", unsigned, "r", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.rn.f16x2.e4m3x2 %0, l;")
OP(f2fp_f16_e5m2, s32, unsigned, "r", unsigned, "r", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.rn.f16x2.e5m2x2 %0, l;")

// Float to integer: the result is sign- or zero-extended to 64 bits.
#define TO_WIDTH(W, X, R)                                                                                             \
  OP(f2i_##W##_32_##R, f32, float, "f", u64, "l", exact, ".reg ." #W " t; cvt." #R "." #W ".f32 t, %1; cvt." #X "." #W " %0, t;")  \
  OP(f2i_##W##_64_##R, f64, double, "d", u64, "l", exact, ".reg ." #W " t; cvt." #R "." #W ".f64 t, %1; cvt." #X "." #W " %0, t;") \
  OP(f2i_##W##_16_##R, f16x2, unsigned, "r", u64, "l", exact, ".reg ." #W " t; .reg .b16 l, h; mov.b32 {l, h}, %1; cvt." #R "." #W ".f16 t, l; cvt." #X "." #W " %0, t;")
#define TO(R) TO_WIDTH(u16, u64, R) TO_WIDTH(s16, s64, R) TO_WIDTH(u32, u64, R) TO_WIDTH(s32, s64, R) TO_WIDTH(u64, u64, R) TO_WIDTH(s64, s64, R)
TO(rni) TO(rzi) TO(rmi) TO(rpi)
#define TO_BYTE(W, X)                                                                                                 \
  OP(f2i_##W##_32, f32, float, "f", unsigned, "r", exact, ".reg .b32 t; cvt.rzi." #W ".f32 t, %1; cvt." #X "." #W " %0, t;")   \
  OP(f2i_##W##_64, f64, double, "d", unsigned, "r", exact, ".reg .b32 t; cvt.rzi." #W ".f64 t, %1; cvt." #X "." #W " %0, t;")
TO_BYTE(u8, u32) TO_BYTE(s8, s32)
OP(f2i_s32_ftz, f32, float, "f", int, "r", exact, "cvt.rpi.ftz.s32.f32 %0, %1;")
OP(f2i_u32_ftz, f32, float, "f", unsigned, "r", exact, "cvt.rpi.ftz.u32.f32 %0, %1;")
OP(f2i_s64_ftz, f32, float, "f", u64, "l", exact, "cvt.rmi.ftz.s64.f32 %0, %1;")
OP(f2i_s32_bf16, bf16x2, unsigned, "r", int, "r", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt.rni.s32.bf16 %0, l;")

// Integer to float.
#define FROM_NARROW(W, R)                                                                                             \
  OP(i2f_32_##W##_##R, s32, unsigned, "r", float, "f", exact, "cvt." #R ".f32." #W " %0, %1;")                        \
  OP(i2f_16_##W##_##R, s32, unsigned, "r", u16, "h", exact, "cvt." #R ".f16." #W " %0, %1;")                          \
  OP(i2f_64_##W##_##R, s32, unsigned, "r", double, "d", exact, "cvt." #R ".f64." #W " %0, %1;")
#define FROM_WIDE(W, R)                                                                                               \
  OP(i2f_32_##W##_##R, s64, u64, "l", float, "f", exact, "cvt." #R ".f32." #W " %0, %1;")                             \
  OP(i2f_16_##W##_##R, s64, u64, "l", u16, "h", exact, "cvt." #R ".f16." #W " %0, %1;")                               \
  OP(i2f_64_##W##_##R, s64, u64, "l", double, "d", exact, "cvt." #R ".f64." #W " %0, %1;")
#define FROM_HALFWORD(W, R)                                                                                           \
  OP(i2f_32_##W##_##R, s32, unsigned, "r", float, "f", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt." #R ".f32." #W " %0, l;") \
  OP(i2f_16_##W##_##R, s32, unsigned, "r", u16, "h", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt." #R ".f16." #W " %0, h;")   \
  OP(i2f_64_##W##_##R, s32, unsigned, "r", double, "d", exact, ".reg .b16 l, h; mov.b32 {l, h}, %1; cvt." #R ".f64." #W " %0, h;")
#define FROM(R) FROM_NARROW(u32, R) FROM_NARROW(s32, R) FROM_WIDE(u64, R) FROM_WIDE(s64, R) FROM_HALFWORD(u16, R) FROM_HALFWORD(s16, R)
FROM(rn) FROM(rz) FROM(rm) FROM(rp)
FROM_NARROW(u8, rn) FROM_NARROW(s8, rn)
OP(i2f_bf16_s32, s32, unsigned, "r", u16, "h", exact, "cvt.rn.bf16.s32 %0, %1;")
OP(i2f_bf16_u32, s32, unsigned, "r", u16, "h", exact, "cvt.rn.bf16.u32 %0, %1;")
EXPRESSION(i2f_byte1, s32, unsigned, float, exact, (float)(x >> 8 & 255))
EXPRESSION(i2f_byte2, s32, unsigned, float, exact, (float)(x >> 16 & 255))
EXPRESSION(i2f_byte3, s32, unsigned, float, exact, (float)(x >> 24))
EXPRESSION(i2f_signed_byte2, s32, unsigned, float, exact, (float)(signed char)(x >> 16))

// Integer to integer.
#define I2I(D, S) OP(i2i_sat_##D##_##S, s32, unsigned, "r", unsigned, "r", exact, ".reg .b32 t; cvt.sat." #D "." #S " t, %1; cvt.u32." #D " %0, t;")
I2I(u8, s32) I2I(s8, s32) I2I(u8, u32) I2I(s8, u32)
OP(i2i_sat_s16_s32, s32, unsigned, "r", u16, "h", exact, "cvt.sat.s16.s32 %0, %1;")
OP(i2i_sat_u16_s32, s32, unsigned, "r", u16, "h", exact, "cvt.sat.u16.s32 %0, %1;")
OP(i2i_sat_u32_s32, s32, unsigned, "r", unsigned, "r", exact, "cvt.sat.u32.s32 %0, %1;")
OP(i2i_sat_s32_u32, s32, unsigned, "r", unsigned, "r", exact, "cvt.sat.s32.u32 %0, %1;")
OP(i2i_sat_s32_s64, s64, u64, "l", unsigned, "r", exact, "cvt.sat.s32.s64 %0, %1;")
OP(i2i_sat_u32_s64, s64, u64, "l", unsigned, "r", exact, "cvt.sat.u32.s64 %0, %1;")
OP(i2ip_u8, s32, unsigned, "r", unsigned, "r", exact, "cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;")
OP(i2ip_s8, s32, unsigned, "r", unsigned, "r", exact, "cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;")
OP(i2ip_u16, s32, unsigned, "r", unsigned, "r", exact, "cvt.pack.sat.u16.s32 %0, %1, %2;")
OP(i2ip_s16, s32, unsigned, "r", unsigned, "r", exact, "cvt.pack.sat.s16.s32 %0, %1, %2;")

int main(int argc, char** argv) {
  Session s(argc, argv);
  run_ops(s);
  return s.finish();
}
