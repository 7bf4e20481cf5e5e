// Operations that IEEE 754 defines to the bit, in every format.
#include "twin.h"

template <class T> DEVICE inline void arithmetic(const T *in, const T *p, const T *q, T *o) {
  T a = in[ITEM], b = p[ITEM], c = q[ITEM];
  o += ITEM * 10;
  o[0] = a + b, o[1] = a - b, o[2] = a * b, o[3] = fused(a, b, c), o[4] = fused(-a, b, c), o[5] = fused(a, b, T(-c));
  o[6] = a * b + c, o[7] = -(a * b) - c, o[8] = (a + b) * c, o[9] = a + a + b;
}
PROGRAM(arithmetic_f16, "f16 f16 f16 -> f16*10", const f16 *a, const f16 *b, const f16 *c, f16 *o) {
  arithmetic(a, b, c, o);
}
PROGRAM(arithmetic_f32, "f32 f32 f32 -> f32*10", const f32 *a, const f32 *b, const f32 *c, f32 *o) {
  arithmetic(a, b, c, o);
}
PROGRAM(arithmetic_f64, "f64 f64 f64 -> f64*10", const f64 *a, const f64 *b, const f64 *c, f64 *o) {
  arithmetic(a, b, c, o);
}
PROGRAM(arithmetic_bf16, "bf16 bf16 bf16 -> bf16*5", const bf16 *in, const bf16 *p, const bf16 *q, bf16 *o) {
  bf16 a = in[ITEM], b = p[ITEM], c = q[ITEM];
  o += ITEM * 5;
  o[0] = a + b, o[1] = a - b, o[2] = a * b, o[3] = a * b + c, o[4] = -a;
}
// f16(a * b) of f32 becomes v_fma_mixlo_f16 with +0 as addend in LLVM 22, which loses the sign of a zero: see
// mixed_precision below, which compares such products without their zeros' signs.
template <class T> DEVICE inline void roots(const T *in, const T *p, T *o) {
  T a = in[ITEM], b = p[ITEM];
  o += ITEM * 4;
  o[0] = a / b, o[1] = root(a), o[2] = T(1) / b, o[3] = root(b * b);
}
PROGRAM(division_and_root_f16, "f16 f16 -> f16*4", const f16 *a, const f16 *b, f16 *o) { roots(a, b, o); }
PROGRAM(division_and_root_f32, "f32 f32 -> f32*4", const f32 *a, const f32 *b, f32 *o) { roots(a, b, o); }
PROGRAM(division_and_root_f64, "f64 f64 -> f64*4", const f64 *a, const f64 *b, f64 *o) { roots(a, b, o); }

template <class T> DEVICE inline void comparisons(const T *in, const T *p, u32 *o) {
  T a = in[ITEM], b = p[ITEM];
  u32 f = u32(a < b) | u32(a <= b) << 1 | u32(a == b) << 2 | u32(a != b) << 3 | u32(a >= b) << 4 | u32(a > b) << 5;
  f |= u32(!(a < b)) << 6 | u32(!(a >= b)) << 7 | u32(__builtin_isunordered(a, b)) << 8;
  f |= u32(__builtin_isnan(a)) << 9 | u32(__builtin_isinf(a)) << 10 | u32(__builtin_isfinite(b)) << 11;
  f |= u32(__builtin_islessgreater(a, b)) << 12 | u32(__builtin_isnormal(a)) << 13;
  o[ITEM] = f;
}
PROGRAM(comparisons_f16, "f16 f16 -> u32", const f16 *a, const f16 *b, u32 *o) { comparisons(a, b, o); }
PROGRAM(comparisons_f32, "f32 f32 -> u32", const f32 *a, const f32 *b, u32 *o) { comparisons(a, b, o); }
PROGRAM(comparisons_f64, "f64 f64 -> u32", const f64 *a, const f64 *b, u32 *o) { comparisons(a, b, o); }

// fmin and fmax give the number of a number and a NaN. Of two zeros either may come, so zeros lose their sign.
PROGRAM(extremes_f32, "f32 f32 f32 -> f32*8", const f32 *in, const f32 *p, const f32 *q, f32 *o) {
  f32 a = in[ITEM], b = p[ITEM], c = q[ITEM];
  o += ITEM * 8;
  o[0] = __builtin_fminf(a, b) + 0.0f, o[1] = __builtin_fmaxf(a, b) + 0.0f, o[2] = a < b ? a : b, o[3] = a > b ? a : b;
  o[4] = __builtin_fmaxf(__builtin_fminf(a, b), c) + 0.0f, o[5] = __builtin_fminf(__builtin_fminf(a, b), c) + 0.0f;
  o[6] = __builtin_fminf(__builtin_fmaxf(a, -2.0f), 2.0f) + 0.0f, o[7] = a <= b ? b : a;
}
PROGRAM(extremes_f64, "f64 f64 -> f64*4", const f64 *in, const f64 *p, f64 *o) {
  f64 a = in[ITEM], b = p[ITEM];
  o += ITEM * 4;
  o[0] = __builtin_fmin(a, b) + 0.0, o[1] = __builtin_fmax(a, b) + 0.0, o[2] = a < b ? a : b, o[3] = a > b ? a : b;
}
PROGRAM(clamped, "f32 f32 -> f32*3", const f32 *in, const f32 *p, f32 *o) {
  f32 a = in[ITEM] * p[ITEM];
  // NaN becomes the lower bound, as the clamp bit of VALU instructions does.
  a = __builtin_fminf(__builtin_fmaxf(a, 0.0f), 1.0f) + 0.0f;
  o[ITEM * 3] = a, o[ITEM * 3 + 1] = (in[ITEM] + p[ITEM]) * 2.0f, o[ITEM * 3 + 2] = (in[ITEM] * p[ITEM]) * 0.5f;
}
PROGRAM(signs, "f16 f32 f64 -> u64*9", const f16 *a, const f32 *b, const f64 *c, u64 *o) {
  f16 x = a[ITEM];
  f32 y = b[ITEM];
  f64 z = c[ITEM];
  o += ITEM * 9;
  o[0] = bits(f16(-x)), o[1] = bits(-y), o[2] = bits(-z), o[3] = bits(f32(__builtin_fabsf(y))),
  o[4] = bits(__builtin_fabs(z));
  o[5] = bits(f32(-__builtin_fabsf(y) * 3.0f)), o[6] = bits(y == y ? __builtin_copysignf(2.5f, y) : 0.0f);
  o[7] = bits(z == z ? __builtin_copysign(z, f64(-1.0)) : 0.0), o[8] = bits(f16(-x * x));
}
PROGRAM(rounding_f32, "f32 -> f32*5", const f32 *a, f32 *o) {
  f32 x = a[ITEM];
  o += ITEM * 5;
  o[0] = __builtin_floorf(x), o[1] = __builtin_ceilf(x), o[2] = __builtin_truncf(x), o[3] = __builtin_rintf(x);
  o[4] = __builtin_roundf(x);
}
PROGRAM(rounding_f64, "f64 -> f64*5", const f64 *a, f64 *o) {
  f64 x = a[ITEM];
  o += ITEM * 5;
  o[0] = __builtin_floor(x), o[1] = __builtin_ceil(x), o[2] = __builtin_trunc(x), o[3] = __builtin_rint(x);
  o[4] = __builtin_round(x);
}
PROGRAM(scaling, "f32 f64 u32 -> f32*2 f64*2", const f32 *a, const f64 *b, const u32 *c, f32 *o, f64 *w) {
  int n = int(c[ITEM] % 600) - 300;
  o[ITEM * 2] = __builtin_ldexpf(a[ITEM], n), o[ITEM * 2 + 1] = __builtin_ldexpf(a[ITEM], -3);
  w[ITEM * 2] = __builtin_ldexp(b[ITEM], n * 4), w[ITEM * 2 + 1] = __builtin_ldexp(b[ITEM], 5);
}
PROGRAM(exponents, "f32 f64 -> f32 f64 i32*2", const f32 *a, const f64 *b, f32 *o, f64 *w, i32 *e) {
  int x = 0, y = 0;
  o[ITEM] = __builtin_isfinite(a[ITEM]) ? __builtin_frexpf(a[ITEM], &x) : 0;
  w[ITEM] = __builtin_isfinite(b[ITEM]) ? __builtin_frexp(b[ITEM], &y) : 0;
  e[ITEM * 2] = __builtin_isfinite(a[ITEM]) ? x : 0, e[ITEM * 2 + 1] = __builtin_isfinite(b[ITEM]) ? y : 0;
}
PROGRAM(mixed_precision, "f16 f16 f32 f32 -> f32*4 f16*3", const f16 *a, const f16 *b, const f32 *c, const f32 *d,
        f32 *o, f16 *h) {
  f32 x = f32(a[ITEM]), y = f32(b[ITEM]), z = c[ITEM], w = d[ITEM];
  o[ITEM * 4] = fused(x, y, z), o[ITEM * 4 + 1] = fused(x, w, f32(b[ITEM])), o[ITEM * 4 + 2] = x * y + z;
  o[ITEM * 4 + 3] = fused(-x, y, -z);
  h[ITEM * 3] = f16(fused(x, y, z)), h[ITEM * 3 + 1] = f16(x * w) + f16(0), h[ITEM * 3 + 2] = f16(x + z);
}
PROGRAM(sums_of_many, "f32*16 f64*16 f16*16 -> f32*2 f64 f16", const f32 *a, const f64 *b, const f16 *c, f32 *o, f64 *d,
        f16 *h) {
  f32 s = 0, t = 0;
  f64 u = 0;
  f16 v = 0;
  for (u32 i = 0; i < 16; ++i) {
    s += a[ITEM * 16 + i];
    t = fused(a[ITEM * 16 + i], a[ITEM * 16 + (i ^ 1)], t);
    u = fused(b[ITEM * 16 + i], 0.75, u);
    v += c[ITEM * 16 + i] * f16(0.5);
  }
  o[ITEM * 2] = s, o[ITEM * 2 + 1] = t, d[ITEM] = u, h[ITEM] = v;
}
