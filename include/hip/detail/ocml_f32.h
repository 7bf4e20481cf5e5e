//===- hip/detail/ocml_f32.h - single precision mathematics ---------------------------------------===//
//
// What has no hardware instruction is computed in double precision and rounded once: every result is within 0.51 ulp of
// the true value. expf, logf and their like are LLVM's own expansions (about 1 ulp), sqrtf and division are exact.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#pragma float_control(push)
#pragma clang fp contract(off)

#define OCML_F32_1(name)                                                                                               \
  OCML float __ocml_##name##_f32(float x) { return float(__ocml_##name##_f64(double(x))); }
OCML_F32_1(acos)
OCML_F32_1(acosh)
OCML_F32_1(asin)
OCML_F32_1(asinh)
OCML_F32_1(atan)
OCML_F32_1(atanh)
OCML_F32_1(cbrt)
OCML_F32_1(cosh)
OCML_F32_1(cospi)
OCML_F32_1(erf)
OCML_F32_1(erfc)
OCML_F32_1(erfcinv)
OCML_F32_1(erfcx)
OCML_F32_1(erfinv)
OCML_F32_1(expm1)
OCML_F32_1(lgamma)
OCML_F32_1(log1p)
OCML_F32_1(ncdf)
OCML_F32_1(ncdfinv)
OCML_F32_1(rcbrt)
OCML_F32_1(sinh)
OCML_F32_1(sinpi)
OCML_F32_1(tanh)
OCML_F32_1(tgamma)
#undef OCML_F32_1

OCML float __ocml_rsqrt_f32(float x) { return float(1 / __builtin_sqrt(double(x))); }
OCML float __ocml_atan2_f32(float y, float x) { return float(__ocml_atan2_f64(y, x)); }
OCML float __ocml_hypot_f32(float a, float b) {
  if (__builtin_fabsf(a) == __builtin_inff() || __builtin_fabsf(b) == __builtin_inff())
    return __builtin_inff();
  return float(__builtin_sqrt(double(a) * a + double(b) * b));
}
OCML float __ocml_len3_f32(float a, float b, float c) { return float(__ocml_len3_f64(a, b, c)); }
OCML float __ocml_len4_f32(float a, float b, float c, float d) { return float(__ocml_len4_f64(a, b, c, d)); }
OCML float __ocml_rhypot_f32(float a, float b) { return float(__ocml_rhypot_f64(a, b)); }
OCML float __ocml_rlen3_f32(float a, float b, float c) { return float(__ocml_rlen3_f64(a, b, c)); }
OCML float __ocml_rlen4_f32(float a, float b, float c, float d) { return float(__ocml_rlen4_f64(a, b, c, d)); }

/// |x|^y as e^(y log |x|) in double precision: y log |x| is at most 104, so its error is far below half an ulp.
OCML float __ocml_pow_f32(float x, float y) {
  float size = __builtin_fabsf(x);
  if (x == 1 || y == 0 || !(size > 0 && size < __builtin_inff()) || !(__builtin_fabsf(y) < __builtin_inff()))
    return float(__ocml_pow_f64(x, y));
  bool integer = __builtin_truncf(y) == y;
  if (x < 0 && !integer)
    return __builtin_nanf("");
  float result = float(__ocml_exp_f64(double(y) * __ocml_log_f64(double(size))));
  bool odd = integer && __builtin_fabsf(y) < 0x1p24f && __builtin_truncf(y * 0.5f) != y * 0.5f;
  return odd ? __builtin_copysignf(result, x) : result;
}
/// n itself need not be a float.
OCML float __ocml_pown_f32(float x, int n) { return float(__ocml_pow_f64(x, double(n))); }

/// x minus the nearest multiple of pi / 2.
OCML_HELP double __ocml_reduce_f32(float x, int &quadrant) {
  double wide = x;
  if (__builtin_fabsf(x) >= 0x1p28f)
    return __ocml_reduce_large(wide, quadrant).hi;
  double k = __builtin_rint(wide * 0x1.45f306dc9c883p-1);
  quadrant = int(k) & 3;
  return __ocml_fma(-k, OCML_PI_2_MID, __ocml_fma(-k, OCML_PI_2_HI, wide));
}
/// Taylor's polynomials; 2^-35 is left out.
OCML_HELP double __ocml_sin_short(double r) {
  double z = r * r;
  return __ocml_fma(r * z, __ocml_horner(z, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800), r);
}
OCML_HELP double __ocml_cos_short(double r) {
  double z = r * r;
  return __ocml_horner(z, 1.0, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800);
}
OCML_HELP float __ocml_sin_quadrant_f32(double r, int quadrant) {
  double value = quadrant & 1 ? __ocml_cos_short(r) : __ocml_sin_short(r);
  return float(quadrant & 2 ? -value : value);
}
OCML float __ocml_sin_f32(float x) {
  if (!(__builtin_fabsf(x) < __builtin_inff()))
    return __builtin_nanf("");
  int quadrant;
  double r = __ocml_reduce_f32(x, quadrant);
  return x == 0 ? x : __ocml_sin_quadrant_f32(r, quadrant);
}
OCML float __ocml_cos_f32(float x) {
  if (!(__builtin_fabsf(x) < __builtin_inff()))
    return __builtin_nanf("");
  int quadrant;
  double r = __ocml_reduce_f32(x, quadrant);
  return __ocml_sin_quadrant_f32(r, quadrant + 1);
}
OCML float __ocml_sincos_f32(float x, __attribute__((opencl_private)) float *cosine) {
  if (!(__builtin_fabsf(x) < __builtin_inff())) {
    *cosine = __builtin_nanf("");
    return __builtin_nanf("");
  }
  int quadrant;
  double r = __ocml_reduce_f32(x, quadrant);
  *cosine = __ocml_sin_quadrant_f32(r, quadrant + 1);
  return x == 0 ? x : __ocml_sin_quadrant_f32(r, quadrant);
}
OCML float __ocml_tan_f32(float x) {
  if (!(__builtin_fabsf(x) < __builtin_inff()))
    return __builtin_nanf("");
  int quadrant;
  double r = __ocml_reduce_f32(x, quadrant), s = __ocml_sin_short(r), c = __ocml_cos_short(r);
  return x == 0 ? x : float(quadrant & 1 ? -c / s : s / c);
}
OCML float __ocml_sincospi_f32(float x, __attribute__((opencl_private)) float *cosine) {
  *cosine = __ocml_cospi_f32(x);
  return __ocml_sinpi_f32(x);
}

// __sinf and __cosf: the hardware's own, whose argument is in turns.
OCML float __ocml_native_sin_f32(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0x1.45f306p-3f)); }
OCML float __ocml_native_cos_f32(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0x1.45f306p-3f)); }
OCML float __ocml_native_sqrt_f32(float x) { return __builtin_amdgcn_sqrtf(x); }

OCML float __ocml_fdim_f32(float a, float b) { return a != a || b != b ? __builtin_nanf("") : a > b ? a - b : 0; }
OCML int __ocml_ilogb_f32(float x) { return __ocml_ilogb_f64(x); }
OCML float __ocml_modf_f32(float x, __attribute__((opencl_private)) float *whole) {
  float w = __builtin_truncf(x);
  *whole = w;
  return __builtin_copysignf(__builtin_fabsf(x) == __builtin_inff() ? 0 : x - w, x);
}
OCML float __ocml_nextafter_f32(float x, float to) {
  if (x != x || to != to)
    return __builtin_nanf("");
  if (x == to)
    return to;
  if (x == 0)
    return __builtin_copysignf(0x1p-149f, to);
  unsigned bits = __builtin_bit_cast(unsigned, x);
  return __builtin_bit_cast(float, (x < to) == (x > 0) ? bits + 1 : bits - 1);
}
OCML float __ocml_fmod_f32(float x, float y) { return float(__ocml_fmod_f64(x, y)); }
OCML float __ocml_remainder_f32(float x, float y) { return float(__ocml_remainder_f64(x, y)); }
OCML float __ocml_remquo_f32(float x, float y, __attribute__((opencl_private)) int *quotient) {
  return float(__ocml_remquo_f64(x, y, quotient));
}

#pragma float_control(pop)

#undef OCML
#undef OCML_HELP
#undef OCML_INF
#undef OCML_NAN
#undef OCML_LN2_HI
#undef OCML_LN2_LO
#undef OCML_LOG2E
#undef OCML_PI_2_HI
#undef OCML_PI_2_MID
#undef OCML_PI_2_LO
