// Functions that are approximations: the device's against the host's f64, within the units that each allows.
// exp, log and pow are LLVM's expansions for the chip, the others single instructions with the manual's precision
// (1 unit in the last place; sine and cosine 2^-20 absolute after reduction, in turns).
#include "twin.h"
#ifndef __AMDGCN__
#define ON(DEVICE_FORM, HOST_FORM) HOST_FORM
#else
#define ON(DEVICE_FORM, HOST_FORM) DEVICE_FORM
#endif

PROGRAM(exp2_f32, "f32.n -> f32~2", const f32 *a, f32 *o) {
  o[ITEM] = ON(__builtin_exp2f(a[ITEM]), f32(std::exp2(f64(a[ITEM]))));
}
PROGRAM(exp_f32, "f32.n -> f32~2", const f32 *a, f32 *o) {
  o[ITEM] = ON(__builtin_expf(a[ITEM]), f32(std::exp(f64(a[ITEM]))));
}
PROGRAM(exp_everywhere, "f32 -> f32~2", const f32 *a, f32 *o) {
  o[ITEM] = ON(__builtin_expf(a[ITEM]), f32(std::exp(f64(a[ITEM]))));
}
PROGRAM(log2_f32, "f32.p -> f32~2:2e-7", const f32 *a, f32 *o) {
  o[ITEM] = ON(__builtin_log2f(a[ITEM]), f32(std::log2(f64(a[ITEM]))));
}
PROGRAM(log_f32, "f32.p -> f32~3:2e-7", const f32 *a, f32 *o) {
  o[ITEM] = ON(__builtin_logf(a[ITEM]), f32(std::log(f64(a[ITEM]))));
}
PROGRAM(log10_f32, "f32.p -> f32~3:2e-7", const f32 *a, f32 *o) {
  o[ITEM] = ON(__builtin_log10f(a[ITEM]), f32(std::log10(f64(a[ITEM]))));
}
PROGRAM(log_everywhere, "f32 -> f32~3:2e-7", const f32 *a, f32 *o) {
  o[ITEM] = ON(__builtin_logf(a[ITEM]), f32(std::log(f64(a[ITEM]))));
}
PROGRAM(reciprocals, "f32.n -> f32*2~1", const f32 *a, f32 *o) {
  f32 x = a[ITEM] + (a[ITEM] < 0 ? -0.01f : 0.01f);
  o[ITEM * 2] = ON(__builtin_amdgcn_rcpf(x), f32(1 / f64(x)));
  o[ITEM * 2 + 1] = ON(__builtin_amdgcn_rsqf(x * x), f32(1 / std::sqrt(f64(x * x))));
}
PROGRAM(reciprocals_of_specials, "f32 -> f32*3~1", const f32 *a, f32 *o) {
  // Beyond 2^126 the reciprocal is a denormal, which the instruction may flush.
  f32 x = __builtin_fabsf(a[ITEM]) < 0x1p126f && __builtin_fabsf(a[ITEM]) > 0x1p-126f ? a[ITEM] : 2.0f;
  o[ITEM * 3] = ON(__builtin_amdgcn_rcpf(x), f32(1 / f64(x)));
  o[ITEM * 3 + 1] = ON(__builtin_amdgcn_rsqf(x), f32(1 / std::sqrt(f64(x))));
  o[ITEM * 3 + 2] = ON(__builtin_amdgcn_sqrtf(x), f32(std::sqrt(f64(x))));
}
PROGRAM(turns, "f32.n -> f32*2~2:1e-6", const f32 *a, f32 *o) {
  f64 x = 6.283185307179586 * f64(a[ITEM]);
  o[ITEM * 2] = ON(__builtin_amdgcn_sinf(a[ITEM]), f32(std::sin(x)));
  o[ITEM * 2 + 1] = ON(__builtin_amdgcn_cosf(a[ITEM]), f32(std::cos(x)));
}
PROGRAM(halves, "f16.p -> f16*6~2:0.001", const f16 *a, f16 *o) {
  f16 x = a[ITEM];
  f64 w = f64(x);
  o += ITEM * 6;
  o[0] = ON(__builtin_amdgcn_rcph(x), f16(f32(1 / w))), o[1] = ON(__builtin_amdgcn_rsqh(x), f16(f32(1 / std::sqrt(w))));
  o[2] = ON(__builtin_amdgcn_sinh(f16(x * f16(0.015625))),
            f16(f32(std::sin(6.283185307179586 * f64(f16(x * f16(0.015625)))))));
  o[3] = ON(__builtin_amdgcn_cosh(f16(x * f16(0.015625))),
            f16(f32(std::cos(6.283185307179586 * f64(f16(x * f16(0.015625)))))));
  o[4] = ON(__builtin_exp2f16(f16(-x * f16(0.1))), f16(f32(std::exp2(f64(f16(-x * f16(0.1)))))));
  o[5] = ON(__builtin_log2f16(x), f16(f32(std::log2(w))));
}
PROGRAM(double_approximations, "f64.n -> f64*2~4", const f64 *a, f64 *o) {
  // v_rcp_f64 and v_rsq_f64 give the start of an iteration; two steps of it leave but the last bits.
  f64 x = __builtin_fabs(a[ITEM]) + 0.25;
  f64 y = ON(__builtin_amdgcn_rcp(x), 1 / x), z = ON(__builtin_amdgcn_rsq(x), 1 / std::sqrt(x));
  for (u32 i = 0; i < 2; ++i)
    y = fused(y, fused(-x, y, 1.0), y), z = fused(0.5 * z, fused(-x * z, z, 1.0), z);
  o[ITEM * 2] = y, o[ITEM * 2 + 1] = z;
}
PROGRAM(fractions, "f32 f64.n -> f32 f64", const f32 *a, const f64 *b, f32 *o, f64 *d) {
  f32 x = __builtin_isfinite(a[ITEM]) ? a[ITEM] : 1.25f;
  f32 f = x - __builtin_floorf(x);
  o[ITEM] = ON(__builtin_amdgcn_fractf(x), f < 1.0f ? f : 0x1.fffffep-1f);
  f64 g = b[ITEM] - __builtin_floor(b[ITEM]);
  d[ITEM] = ON(__builtin_amdgcn_fract(b[ITEM]), g < 1.0 ? g : 0x1.fffffffffffffp-1);
}
PROGRAM(polynomial, "f32.u -> f32~4:1e-6", const f32 *a, f32 *o) {
  // Ordinary code for tanh, as libraries have it.
  f32 x = a[ITEM];
  f32 e = ON(__builtin_expf(2 * x), f32(std::exp(f64(2 * x))));
  o[ITEM] = (e - 1) / (e + 1);
}
