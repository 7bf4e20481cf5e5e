//===- hip/hip_fp8.h - the 8-bit floats -----------------------------------------------------------===//
//
// e4m3 and e5m2 in both dialects: OCP (__hip_fp8_e4m3, __hip_fp8_e5m2) and FNUZ (with _fnuz), which has one zero, one
// NaN (0x80), no infinity and a bias that is one larger. Conversions are integer arithmetic and the same on host and
// device.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "hip_runtime.h"

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_FP8 __attribute__((host, device)) inline

typedef unsigned char __hip_fp8_storage_t;
typedef enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 } __hip_saturation_t;
typedef enum __hip_fp8_interpretation_t {
  __HIP_E4M3 = 0,
  __HIP_E5M2 = 1,
  __HIP_E4M3_FNUZ = 2,
  __HIP_E5M2_FNUZ = 3
} __hip_fp8_interpretation_t;

struct __hip_fp8_format {
  int mantissaBits, bias;
  bool fnuz;
  unsigned largest; ///< bits of the largest finite number
  unsigned nan, overflow;
};
HIP_FP8 __hip_fp8_format __hip_fp8_describe(__hip_fp8_interpretation_t which) {
  switch (which) {
  case __HIP_E4M3:
    return {3, 7, false, 0x7e, 0x7f, 0x7f};
  case __HIP_E5M2:
    return {2, 15, false, 0x7b, 0x7e, 0x7c};
  case __HIP_E4M3_FNUZ:
    return {3, 8, true, 0x7f, 0x80, 0x80};
  default:
    return {2, 16, true, 0x7f, 0x80, 0x80};
  }
}

/// Rounds to nearest even. What is too large becomes the largest finite number, or (__HIP_NOSAT) infinity or NaN.
HIP_FP8 __hip_fp8_storage_t __hip_cvt_float_to_fp8(float x, __hip_saturation_t saturation,
                                                   __hip_fp8_interpretation_t which) {
  __hip_fp8_format f = __hip_fp8_describe(which);
  unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 31 << 7, size = bits & 0x7fffffff;
  if (size > 0x7f800000)
    return f.fnuz ? f.nan : sign | f.nan;
  if (size == 0x7f800000 && (saturation == __HIP_NOSAT || (!f.fnuz && f.mantissaBits == 2)))
    return f.fnuz ? f.overflow : sign | (saturation == __HIP_SATFINITE ? f.largest : f.overflow);
  // The result is an integer number of units of its last place: shift the 24-bit significand there.
  int exponent = int(size >> 23) - 127, least = 1 - f.bias;
  unsigned significand = size >> 23 ? (size & 0x7fffff) | 0x800000 : 0;
  int place = exponent < least ? least : exponent, shift = 23 - f.mantissaBits + (place - exponent);
  unsigned kept = shift > 25 ? 0 : significand >> shift;
  unsigned rest = shift > 25 ? 0 : significand & ((1u << shift) - 1), half = shift > 25 ? 1 : 1u << (shift - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // A carry out of the significand moves into the exponent by itself.
  int field = place - least;
  unsigned result = (unsigned(field) << f.mantissaBits) + kept;
  if (field > 64 || result > f.largest)
    result = saturation == __HIP_SATFINITE ? f.largest : f.overflow;
  if (f.fnuz && (result == 0 || result == 0x80))
    return result;
  return sign | result;
}
HIP_FP8 float __hip_cvt_fp8_to_float(__hip_fp8_storage_t x, __hip_fp8_interpretation_t which) {
  __hip_fp8_format f = __hip_fp8_describe(which);
  unsigned size = x & 0x7f, sign = x & 0x80;
  bool nan = f.fnuz ? x == 0x80 : size > (f.mantissaBits == 3 ? 0x7eu : 0x7cu);
  if (nan)
    return __builtin_nanf("");
  if (!f.fnuz && f.mantissaBits == 2 && size == 0x7c)
    return sign ? -__builtin_inff() : __builtin_inff();
  int field = int(size >> f.mantissaBits);
  unsigned mantissa = size & ((1u << f.mantissaBits) - 1);
  if (field)
    mantissa |= 1u << f.mantissaBits;
  int exponent = (field ? field : 1) - f.bias - f.mantissaBits; // of the last place; at least -17
  float value = float(mantissa) * __builtin_bit_cast(float, unsigned(exponent + 127) << 23);
  return sign ? -value : value;
}

#define HIP_FP8_TYPE(name, which)                                                                                      \
  struct name {                                                                                                        \
    __hip_fp8_storage_t __x;                                                                                           \
    static constexpr __hip_fp8_interpretation_t __interpretation = which;                                              \
    name() = default;                                                                                                  \
    __attribute__((host, device)) explicit name(float x) : __x(__hip_cvt_float_to_fp8(x, __HIP_SATFINITE, which)) {}   \
    __attribute__((host, device)) explicit name(double x) : name(float(x)) {}                                          \
    __attribute__((host, device)) operator float() const { return __hip_cvt_fp8_to_float(__x, which); }                \
  };
HIP_FP8_TYPE(__hip_fp8_e4m3, __HIP_E4M3)
HIP_FP8_TYPE(__hip_fp8_e5m2, __HIP_E5M2)
HIP_FP8_TYPE(__hip_fp8_e4m3_fnuz, __HIP_E4M3_FNUZ)
HIP_FP8_TYPE(__hip_fp8_e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef HIP_FP8_TYPE

#undef HIP_FP8
#endif
