//===- emulator/semantics/numbers.h - number formats and the rules that C++ does not have ---------===//
//
// Everything here is branch-free where it runs over lanes, and gives the same bits at every SIMD level.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/wave.h"

#include <bit>
#include <cstdint>

#define WAVEWRIGHT_INLINE inline __attribute__((always_inline))

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

WAVEWRIGHT_INLINE uint32_t bitsOf(float x) { return __builtin_bit_cast(uint32_t, x); }
WAVEWRIGHT_INLINE float floatOf(uint32_t x) { return __builtin_bit_cast(float, x); }
WAVEWRIGHT_INLINE uint64_t bitsOf(double x) { return __builtin_bit_cast(uint64_t, x); }
WAVEWRIGHT_INLINE double doubleOf(uint64_t x) { return __builtin_bit_cast(double, x); }

WAVEWRIGHT_INLINE bool isNan(float x) { return (bitsOf(x) & 0x7fffffffu) > 0x7f800000u; }
WAVEWRIGHT_INLINE bool isNan(double x) { return (bitsOf(x) & ~(1ull << 63)) > 0x7ff0000000000000ull; }
WAVEWRIGHT_INLINE bool isSignalling(float x) { return isNan(x) && !(bitsOf(x) & 0x00400000u); }
WAVEWRIGHT_INLINE bool isSignalling(double x) { return isNan(x) && !(bitsOf(x) & 0x0008000000000000ull); }
WAVEWRIGHT_INLINE float quiet(float x) { return floatOf(bitsOf(x) | 0x00400000u); }
WAVEWRIGHT_INLINE double quiet(double x) { return doubleOf(bitsOf(x) | 0x0008000000000000ull); }
WAVEWRIGHT_INLINE bool isDenormal(float x) {
  uint32_t magnitude = bitsOf(x) & 0x7fffffffu;
  return magnitude != 0 && magnitude < 0x00800000u;
}
WAVEWRIGHT_INLINE bool isDenormal(double x) {
  uint64_t magnitude = bitsOf(x) & ~(1ull << 63);
  return magnitude != 0 && magnitude < 0x0010000000000000ull;
}
WAVEWRIGHT_INLINE uint32_t flushBits32(uint32_t x) { return (x & 0x7f800000u) ? x : x & 0x80000000u; }
WAVEWRIGHT_INLINE uint32_t flushBits16(uint32_t x) { return (x & 0x7c00u) ? x : x & 0x8000u; }
WAVEWRIGHT_INLINE float flush(float x) { return floatOf(flushBits32(bitsOf(x))); }
WAVEWRIGHT_INLINE double flush(double x) {
  uint64_t bits = bitsOf(x);
  return doubleOf((bits & 0x7ff0000000000000ull) ? bits : bits & (1ull << 63));
}

// binary16 -------------------------------------------------------------------------------------------
WAVEWRIGHT_INLINE float halfToFloat(uint32_t half) {
  uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
  // Scaling by 2^112 rebiases normals and normalises subnormals exactly; infinities and NaNs go their own way.
  uint32_t finite = bitsOf(floatOf(magnitude << 13) * floatOf(0x77800000u));
  uint32_t special = 0x7f800000u | (magnitude & 0x3ffu) << 13; // a signalling NaN stays one
  return floatOf(sign | (magnitude >= 0x7c00u ? special : finite));
}

/// Round to nearest even.
WAVEWRIGHT_INLINE uint32_t floatToHalf(float x) {
  uint32_t bits = bitsOf(x), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  // Adding 0.5 leaves the subnormal's rounded integer in the low bits of the sum.
  uint32_t subnormal = bitsOf(floatOf(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? nan : result;
  return sign | result;
}

/// Round toward zero; too large becomes the largest finite number, as v_cvt_pkrtz does.
WAVEWRIGHT_INLINE uint32_t floatToHalfTowardZero(float x) {
  uint32_t bits = bitsOf(x), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude - 0x38000000u) >> 13;
  // 2^24 makes the smallest subnormal 1; conversion to integer truncates.
  uint32_t subnormal = uint32_t(int32_t(floatOf(magnitude < 0x38800000u ? magnitude : 0u) * 16777216.0f));
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x47800000u ? 0x7bffu : result;
  result = magnitude == 0x7f800000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? (0x7e00u | (magnitude >> 13 & 0x3ffu)) : result;
  return sign | result;
}

/// As MODE's rounding field asks; `saturate` turns the overflow of a finite number into the largest finite one.
WAVEWRIGHT_INLINE uint32_t floatToHalfMode(float x, uint32_t round, bool saturate) {
  uint32_t sign = bitsOf(x) >> 16 & 0x8000u;
  bool finite = (bitsOf(x) & 0x7f800000u) != 0x7f800000u;
  uint32_t result = floatToHalf(x);
  if (finite && round != mode::NearestEven) {
    result = floatToHalfTowardZero(x);
    bool outward = round == (sign ? mode::TowardMinus : mode::TowardPlus);
    result += outward && halfToFloat(result) != x ? 1 : 0;
  }
  return finite && saturate && (result & 0x7fffu) == 0x7c00u ? sign | 0x7bffu : result;
}

// bfloat16 -------------------------------------------------------------------------------------------
WAVEWRIGHT_INLINE float bf16ToFloat(uint32_t x) { return floatOf(x << 16); }
WAVEWRIGHT_INLINE uint32_t floatToBf16(float x) {
  uint32_t bits = bitsOf(x);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16 | 0x40u) : rounded;
}

/// a + b rounded to odd: a second rounding to a narrower format is then as if from the exact sum.
WAVEWRIGHT_INLINE float addToOdd(float a, float b) {
  float sum = a + b;
  float bRounded = sum - a;
  float error = (a - (sum - bRounded)) + (b - bRounded);
  uint32_t bits = bitsOf(sum);
  bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  bool inexact = finite && error != 0.0f && !(bits & 1u);
  bool outward = (bitsOf(error) >> 31) == (bits >> 31);
  return floatOf(inexact ? (outward ? bits + 1u : bits - 1u) : bits);
}
/// a * b + c of values that came from halves: the product is exact in f32.
WAVEWRIGHT_INLINE float halfFma(float a, float b, float c) { return addToOdd(a * b, c); }

/// f64 to f32 rounded to odd.
WAVEWRIGHT_INLINE float doubleToFloatOdd(double x) {
  float f = float(x);
  uint32_t bits = bitsOf(f);
  bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  double back = double(f);
  bool inexact = finite && back != x && !(bits & 1u);
  bool outward = __builtin_fabs(x) > __builtin_fabs(back);
  uint32_t odd = inexact ? (outward ? bits + 1u : bits - 1u) : bits;
  bool overflow = !finite && __builtin_fabs(x) < __builtin_inf();
  return floatOf(overflow ? ((bits & 0x80000000u) | 0x7f7fffffu) : odd);
}

// Minimum and maximum --------------------------------------------------------------------------------
/// gfx9 and gfx11 v_min/v_max (ISA guides): a NaN loses against a number; with MODE.IEEE a signalling one wins,
/// quieted.
template <class T> WAVEWRIGHT_INLINE T maxNum(bool ieee, T a, T b) {
  bool aWins = a > b || (a == b && !__builtin_signbit(a));
  T result = isNan(a) ? b : isNan(b) ? a : aWins ? a : b;
  result = ieee && isSignalling(b) ? b : result;
  result = ieee && isSignalling(a) ? a : result;
  return isNan(result) ? quiet(result) : result;
}
template <class T> WAVEWRIGHT_INLINE T minNum(bool ieee, T a, T b) {
  bool aWins = a < b || (a == b && __builtin_signbit(a));
  T result = isNan(a) ? b : isNan(b) ? a : aWins ? a : b;
  result = ieee && isSignalling(b) ? b : result;
  result = ieee && isSignalling(a) ? a : result;
  return isNan(result) ? quiet(result) : result;
}
/// gfx12 v_minimum/v_maximum, gfx950 v_minimum3/v_maximum3: IEEE 754-2019, a NaN always wins.
template <class T> WAVEWRIGHT_INLINE T maximum(T a, T b) {
  bool aWins = a > b || (a == b && !__builtin_signbit(a));
  T result = aWins ? a : b;
  result = isNan(b) ? quiet(b) : result;
  return isNan(a) ? quiet(a) : result;
}
template <class T> WAVEWRIGHT_INLINE T minimum(T a, T b) {
  bool aWins = a < b || (a == b && __builtin_signbit(a));
  T result = aWins ? a : b;
  result = isNan(b) ? quiet(b) : result;
  return isNan(a) ? quiet(a) : result;
}
/// v_med3: the larger of the two that are not the largest, the first that equals the largest being left out, which
/// matters to zeros; the minimum of the three when one is NaN.
template <class T> WAVEWRIGHT_INLINE T median(bool ieee, T a, T b, T c) {
  T low = minNum(ieee, a, b), most = maxNum(ieee, maxNum(ieee, a, b), c);
  T middle = most == a ? maxNum(ieee, b, c) : most == b ? maxNum(ieee, a, c) : maxNum(ieee, a, b);
  return isNan(a) || isNan(b) || isNan(c) ? minNum(ieee, low, c) : middle;
}

// Conversions to integers: truncate, saturate, NaN is 0 ----------------------------------------------
WAVEWRIGHT_INLINE int32_t toI32(double x) {
  double bounded = x >= 2147483647.0 ? 2147483647.0 : x <= -2147483648.0 ? -2147483648.0 : x;
  return isNan(x) ? 0 : int32_t(isNan(x) ? 0.0 : bounded);
}
WAVEWRIGHT_INLINE uint32_t toU32(double x) {
  double bounded = x >= 4294967295.0 ? 4294967295.0 : x > 0.0 ? x : 0.0;
  return uint32_t(int64_t(bounded));
}
WAVEWRIGHT_INLINE int16_t toI16(float x) {
  float bounded = x >= 32767.0f ? 32767.0f : x <= -32768.0f ? -32768.0f : x;
  return int16_t(int32_t(isNan(x) ? 0.0f : bounded));
}
WAVEWRIGHT_INLINE uint16_t toU16(float x) {
  float bounded = x >= 65535.0f ? 65535.0f : x > 0.0f ? x : 0.0f;
  return uint16_t(int32_t(bounded));
}

/// x * 2^n with one rounding; n any integer.
WAVEWRIGHT_INLINE double scaleDouble(double x, int32_t n) {
  int32_t bounded = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
  return __builtin_ldexp(x, bounded);
}
WAVEWRIGHT_INLINE float scaleFloat(float x, int32_t n) {
  // Exact in f64 (24 bits and the exponent fit), then the one rounding.
  int32_t bounded = n > 400 ? 400 : n < -400 ? -400 : n;
  return float(double(x) * doubleOf(uint64_t(1023 + bounded) << 52));
}

// Transcendentals in f64, so that rounding to f32 or f16 is right ------------------------------------
/// 2^x for |x| < 1000; relative error below 2^-46.
WAVEWRIGHT_INLINE double exp2Core(double x) {
  double n = __builtin_rint(x), t = (x - n) * 0.693147180559945309417;
  double p = 1.0 / 479001600.0;
  p = p * t + 1.0 / 39916800.0;
  p = p * t + 1.0 / 3628800.0;
  p = p * t + 1.0 / 362880.0;
  p = p * t + 1.0 / 40320.0;
  p = p * t + 1.0 / 5040.0;
  p = p * t + 1.0 / 720.0;
  p = p * t + 1.0 / 120.0;
  p = p * t + 1.0 / 24.0;
  p = p * t + 1.0 / 6.0;
  p = p * t + 0.5;
  p = p * t + 1.0;
  p = p * t + 1.0;
  return p * doubleOf(uint64_t(1023 + int64_t(int32_t(n))) << 52);
}
/// log2 of a positive, normal f64; absolute error below 2^-45.
WAVEWRIGHT_INLINE double log2Core(double x) {
  uint64_t bits = bitsOf(x);
  // Mantissa in [sqrt(1/2), sqrt(2)).
  uint64_t shifted = bits - 0x3fe6a09e667f3bcdull;
  int32_t exponent = int32_t(int64_t(shifted) >> 52);
  double m = doubleOf((shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull);
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 1.0 / 21.0;
  p = p * z + 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  p = p * z + 1.0;
  return double(exponent) + s * p * 2.885390081777926814720;
}
/// sin(2*pi*x) for x in [-1/2, 1/2].
WAVEWRIGHT_INLINE double sinTurnsCore(double x) {
  // Fold to [-1/4, 1/4], where the series converges fast.
  double folded = x > 0.25 ? 0.5 - x : x < -0.25 ? -0.5 - x : x;
  double t = folded * 6.283185307179586476925, z = t * t;
  double p = 1.0 / 51090942171709440000.0; // 1/21!
  p = 1.0 / 121645100408832000.0 - p * z;  // 1/19!
  p = 1.0 / 355687428096000.0 - p * z;
  p = 1.0 / 1307674368000.0 - p * z;
  p = 1.0 / 6227020800.0 - p * z;
  p = 1.0 / 39916800.0 - p * z;
  p = 1.0 / 362880.0 - p * z;
  p = 1.0 / 5040.0 - p * z;
  p = 1.0 / 120.0 - p * z;
  p = 1.0 / 6.0 - p * z;
  p = 1.0 - p * z;
  return t * p;
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
