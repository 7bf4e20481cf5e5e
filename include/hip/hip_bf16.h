//===- hip/hip_bf16.h - bfloat16 ------------------------------------------------------------------===//
#pragma once

#include "hip_runtime.h"

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_BF16 __attribute__((host, device, always_inline)) inline

/// The upper half of a float. Conversions from float round to nearest even; arithmetic is done in single precision and
/// rounded.
struct __hip_bfloat16 {
  unsigned short data;
  __hip_bfloat16() = default;
  HIP_BF16 __hip_bfloat16(float x) {
    unsigned bits = __builtin_bit_cast(unsigned, x);
    data = x != x ? (unsigned short)(bits >> 16 | 0x40) : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  HIP_BF16 __hip_bfloat16(double x) : __hip_bfloat16(round(x)) {}
  HIP_BF16 __hip_bfloat16(int x) : __hip_bfloat16(double(x)) {}
  HIP_BF16 __hip_bfloat16(unsigned x) : __hip_bfloat16(double(x)) {}
  HIP_BF16 operator float() const { return __builtin_bit_cast(float, unsigned(data) << 16); }
  HIP_BF16 __hip_bfloat16 operator-() const { return bits((unsigned short)(data ^ 0x8000)); }
  HIP_BF16 static __hip_bfloat16 bits(unsigned short x) {
    __hip_bfloat16 result;
    result.data = x;
    return result;
  }

private:
  /// Rounds to odd, so that the second rounding sees what the first dropped.
  HIP_BF16 static float round(double x) {
    float near = float(x);
    unsigned bits = __builtin_bit_cast(unsigned, near);
    if (double(near) == x || x != x || (bits & 1))
      return near;
    bool away = (double(near) > x) == (x > 0);
    return __builtin_bit_cast(float, away ? bits - 1 : bits + 1);
  }
};
typedef __hip_bfloat16 hip_bfloat16;
struct __hip_bfloat162 {
  __hip_bfloat16 x, y;
  __hip_bfloat162() = default;
  HIP_BF16 __hip_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) : x(x), y(y) {}
};
typedef __hip_bfloat16 __nv_bfloat16;
typedef __hip_bfloat162 __nv_bfloat162;

#define HIP_BF16_OPERATOR(op, name)                                                                                    \
  HIP_BF16 __hip_bfloat16 operator op(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) op float(b); }             \
  HIP_BF16 __hip_bfloat16 &operator op## = (__hip_bfloat16 & a, __hip_bfloat16 b) { return a = a op b; }               \
  HIP_BF16 __hip_bfloat162 operator op(__hip_bfloat162 a, __hip_bfloat162 b) { return {a.x op b.x, a.y op b.y}; }      \
  HIP_BF16 __hip_bfloat162 &operator op## = (__hip_bfloat162 & a, __hip_bfloat162 b) { return a = a op b; }            \
  HIP_BF16 __hip_bfloat16 __h##name(__hip_bfloat16 a, __hip_bfloat16 b) { return a op b; }                             \
  HIP_BF16 __hip_bfloat162 __h##name##2(__hip_bfloat162 a, __hip_bfloat162 b) { return a op b; }
HIP_BF16_OPERATOR(+, add)
HIP_BF16_OPERATOR(-, sub)
HIP_BF16_OPERATOR(*, mul)
HIP_BF16_OPERATOR(/, div)
#undef HIP_BF16_OPERATOR
#define HIP_BF16_COMPARE(op, name)                                                                                     \
  HIP_BF16 bool operator op(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) op float(b); }                       \
  HIP_BF16 bool __h##name(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) op float(b); }
HIP_BF16_COMPARE(==, eq)
HIP_BF16_COMPARE(!=, ne)
HIP_BF16_COMPARE(<, lt)
HIP_BF16_COMPARE(<=, le)
HIP_BF16_COMPARE(>, gt)
HIP_BF16_COMPARE(>=, ge)
#undef HIP_BF16_COMPARE

HIP_BF16 __hip_bfloat16 __float2bfloat16(float x) { return x; }
HIP_BF16 __hip_bfloat16 __float2bfloat16_rn(float x) { return x; }
HIP_BF16 __hip_bfloat16 __double2bfloat16(double x) { return x; }
HIP_BF16 float __bfloat162float(__hip_bfloat16 x) { return x; }
HIP_BF16 __hip_bfloat162 __float2bfloat162_rn(float x) { return {x, x}; }
HIP_BF16 __hip_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
HIP_BF16 __hip_bfloat162 __float22bfloat162_rn(float2 x) { return {x.x, x.y}; }
HIP_BF16 float2 __bfloat1622float2(__hip_bfloat162 x) { return float2(float(x.x), float(x.y)); }
HIP_BF16 __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return {x, x}; }
HIP_BF16 __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return {x, y}; }
HIP_BF16 float __low2float(__hip_bfloat162 x) { return x.x; }
HIP_BF16 float __high2float(__hip_bfloat162 x) { return x.y; }
HIP_BF16 unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.data; }
HIP_BF16 __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __hip_bfloat16::bits(x); }
HIP_BF16 __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
  return double(float(a)) * float(b) + double(float(c));
}
HIP_BF16 __hip_bfloat16 __hneg(__hip_bfloat16 x) { return -x; }
HIP_BF16 __hip_bfloat16 __habs(__hip_bfloat16 x) { return __hip_bfloat16::bits(x.data & 0x7fff); }
HIP_BF16 bool __hisnan(__hip_bfloat16 x) { return (x.data & 0x7fff) > 0x7f80; }
HIP_BF16 __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hisnan(a) || float(b) > float(a) ? b : a;
}
HIP_BF16 __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) {
  return __hisnan(a) || float(b) < float(a) ? b : a;
}

#undef HIP_BF16
#endif
