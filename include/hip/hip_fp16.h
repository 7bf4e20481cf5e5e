//===- hip/hip_fp16.h - half precision ------------------------------------------------------------===//
#pragma once

#include "hip_runtime.h"

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_FP16 __attribute__((host, device, always_inline)) inline

/// IEEE binary16; arithmetic is the hardware's, one rounding an operation.
struct __half {
  _Float16 data;
  __half() = default;
  HIP_FP16 __half(_Float16 x) : data(x) {}
  HIP_FP16 __half(float x) : data(_Float16(x)) {}
  HIP_FP16 __half(double x) : data(_Float16(x)) {}
  HIP_FP16 __half(int x) : data(_Float16(x)) {}
  HIP_FP16 __half(unsigned x) : data(_Float16(x)) {}
  HIP_FP16 operator _Float16() const { return data; }
  HIP_FP16 explicit operator bool() const { return data != _Float16(0); }
  HIP_FP16 __half operator-() const { return __half(_Float16(-data)); }
  HIP_FP16 __half &operator++() { return data += _Float16(1), *this; }
  HIP_FP16 __half &operator--() { return data -= _Float16(1), *this; }
};
typedef __half half;

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  HIP_FP16 __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half2 half2;

#define HIP_FP16_OPERATOR(op)                                                                                          \
  HIP_FP16 __half operator op(__half a, __half b) { return _Float16(a.data op b.data); }                               \
  HIP_FP16 __half &operator op## = (__half & a, __half b) { return a = a op b; }                                       \
  HIP_FP16 __half2 operator op(__half2 a, __half2 b) { return {a.x op b.x, a.y op b.y}; }                              \
  HIP_FP16 __half2 &operator op## = (__half2 & a, __half2 b) { return a = a op b; }
HIP_FP16_OPERATOR(+)
HIP_FP16_OPERATOR(-)
HIP_FP16_OPERATOR(*)
HIP_FP16_OPERATOR(/)
#undef HIP_FP16_OPERATOR
#define HIP_FP16_COMPARE(op, name)                                                                                     \
  HIP_FP16 bool operator op(__half a, __half b) { return a.data op b.data; }                                           \
  HIP_FP16 bool __h##name(__half a, __half b) { return a.data op b.data; }                                             \
  HIP_FP16 __half2 __h##name##2(__half2 a, __half2 b) {                                                                \
    return {__half(a.x.data op b.x.data ? 1.f : 0.f), __half(a.y.data op b.y.data ? 1.f : 0.f)};                       \
  }
HIP_FP16_COMPARE(==, eq)
HIP_FP16_COMPARE(!=, ne)
HIP_FP16_COMPARE(<, lt)
HIP_FP16_COMPARE(<=, le)
HIP_FP16_COMPARE(>, gt)
HIP_FP16_COMPARE(>=, ge)
#undef HIP_FP16_COMPARE

// Conversions.
HIP_FP16 __half __float2half(float x) { return _Float16(x); }
HIP_FP16 __half __float2half_rn(float x) { return _Float16(x); }
HIP_FP16 __half __double2half(double x) { return _Float16(x); }
HIP_FP16 float __half2float(__half x) { return float(x.data); }
HIP_FP16 __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
HIP_FP16 __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
HIP_FP16 __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
HIP_FP16 float2 __half22float2(__half2 x) { return float2(float(x.x.data), float(x.y.data)); }
HIP_FP16 float __low2float(__half2 x) { return float(x.x.data); }
HIP_FP16 float __high2float(__half2 x) { return float(x.y.data); }
HIP_FP16 __half __low2half(__half2 x) { return x.x; }
HIP_FP16 __half __high2half(__half2 x) { return x.y; }
HIP_FP16 __half2 __half2half2(__half x) { return {x, x}; }
HIP_FP16 __half2 __halves2half2(__half x, __half y) { return {x, y}; }
HIP_FP16 __half2 make_half2(__half x, __half y) { return {x, y}; }
HIP_FP16 __half2 __low2half2(__half2 x) { return {x.x, x.x}; }
HIP_FP16 __half2 __high2half2(__half2 x) { return {x.y, x.y}; }
HIP_FP16 __half2 __lowhigh2highlow(__half2 x) { return {x.y, x.x}; }
HIP_FP16 __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
HIP_FP16 __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
HIP_FP16 unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x.data); }
HIP_FP16 short __half_as_short(__half x) { return __builtin_bit_cast(short, x.data); }
HIP_FP16 __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(_Float16, x); }
HIP_FP16 __half __short_as_half(short x) { return __builtin_bit_cast(_Float16, x); }
HIP_FP16 int __half2int_rz(__half x) { return int(x.data); }
HIP_FP16 unsigned __half2uint_rz(__half x) { return unsigned(x.data); }
HIP_FP16 int __half2int_rn(__half x) { return int(__builtin_rintf(float(x.data))); }
HIP_FP16 __half __int2half_rn(int x) { return _Float16(x); }
HIP_FP16 __half __uint2half_rn(unsigned x) { return _Float16(x); }
HIP_FP16 __half __short2half_rn(short x) { return _Float16(x); }

// Arithmetic.
#define HIP_FP16_NAMED(name, op)                                                                                       \
  HIP_FP16 __half __h##name(__half a, __half b) { return a op b; }                                                     \
  HIP_FP16 __half2 __h##name##2(__half2 a, __half2 b) { return a op b; }
HIP_FP16_NAMED(add, +)
HIP_FP16_NAMED(sub, -)
HIP_FP16_NAMED(mul, *)
HIP_FP16_NAMED(div, /)
#undef HIP_FP16_NAMED
HIP_FP16 __half2 __h2div(__half2 a, __half2 b) { return a / b; }
HIP_FP16 __half __hneg(__half x) { return -x; }
HIP_FP16 __half2 __hneg2(__half2 x) { return {-x.x, -x.y}; }
HIP_FP16 __half __habs(__half x) { return __ushort_as_half(__half_as_ushort(x) & 0x7fff); }
HIP_FP16 __half2 __habs2(__half2 x) { return {__habs(x.x), __habs(x.y)}; }
HIP_FP16 __half __hfma(__half a, __half b, __half c) { return __builtin_elementwise_fma(a.data, b.data, c.data); }
HIP_FP16 __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
HIP_FP16 bool __hisnan(__half x) { return x.data != x.data; }
HIP_FP16 int __hisinf(__half x) {
  return (__half_as_ushort(x) & 0x7fff) == 0x7c00 ? (__half_as_ushort(x) >> 15 ? -1 : 1) : 0;
}
HIP_FP16 __half __hmax(__half a, __half b) {
  return a.data != a.data ? b : b.data != b.data ? a : a.data > b.data ? a : b;
}
HIP_FP16 __half __hmin(__half a, __half b) {
  return a.data != a.data ? b : b.data != b.data ? a : a.data < b.data ? a : b;
}
HIP_FP16 __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
HIP_FP16 __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

// Functions: in single precision, rounded once more.
#define HIP_FP16_FUNCTION(name, call)                                                                                  \
  HIP_DEVICE __half h##name(__half x) { return _Float16(call(float(x.data))); }                                        \
  HIP_DEVICE __half2 h2##name(__half2 x) { return {h##name(x.x), h##name(x.y)}; }
HIP_FP16_FUNCTION(sqrt, sqrtf)
HIP_FP16_FUNCTION(rsqrt, rsqrtf)
HIP_FP16_FUNCTION(exp, expf)
HIP_FP16_FUNCTION(exp2, exp2f)
HIP_FP16_FUNCTION(exp10, exp10f)
HIP_FP16_FUNCTION(log, logf)
HIP_FP16_FUNCTION(log2, log2f)
HIP_FP16_FUNCTION(log10, log10f)
HIP_FP16_FUNCTION(sin, sinf)
HIP_FP16_FUNCTION(cos, cosf)
HIP_FP16_FUNCTION(floor, floorf)
HIP_FP16_FUNCTION(ceil, ceilf)
HIP_FP16_FUNCTION(trunc, truncf)
HIP_FP16_FUNCTION(rint, rintf)
HIP_FP16_FUNCTION(rcp, 1.0f /)
#undef HIP_FP16_FUNCTION

#undef HIP_FP16
#endif
