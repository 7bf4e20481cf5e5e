//===- emulator/semantics/matrix_vector.h - eight output columns at a time --------------------------===//
//
// The vector types of the matrix kernels and the arithmetic of one step for eight columns. Everything here gives the
// bits of scalar/matrix_exact.h under the conditions that `Range` (matrix_kernels.h) states;
// tests/unit/emulator_matrix_kernels.cpp compares the two.
//
// Why this is exact: a product of two significands of at most 11 bits has at most 22 and is exact in f32; scaling by a
// power of two is exact while nothing leaves the range of normal numbers; cutting to an integer is then the rule's own
// cut. Sums of at most 16 terms below 2^26 fit in 32-bit integers. The last addition needs 37 bits and is done in f64,
// whose conversion to f32 is the rule's one rounding.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/numbers.h"
#include "wavewright/emulator/semantics/scalar/matrix_exact.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

using VF = float __attribute__((ext_vector_type(8)));
using VI = int32_t __attribute__((ext_vector_type(8)));
using VU = uint32_t __attribute__((ext_vector_type(8)));
using VD = double __attribute__((ext_vector_type(8)));
using VL = int64_t __attribute__((ext_vector_type(8)));

template <class To, class From> WAVEWRIGHT_INLINE To as(From x) { return __builtin_bit_cast(To, x); }
template <class V, class T> WAVEWRIGHT_INLINE V load(const T *p) {
  V v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
template <class V, class T> WAVEWRIGHT_INLINE void store(T *p, V v) { __builtin_memcpy(p, &v, sizeof(v)); }
WAVEWRIGHT_INLINE VI vmax(VI a, VI b) { return __builtin_elementwise_max(a, b); }
WAVEWRIGHT_INLINE VI vmin(VI a, VI b) { return __builtin_elementwise_min(a, b); }
WAVEWRIGHT_INLINE VI truncate(VF x) { return __builtin_convertvector(x, VI); }
WAVEWRIGHT_INLINE VI floorToInt(VF x) { return __builtin_convertvector(__builtin_elementwise_floor(x), VI); }
WAVEWRIGHT_INLINE VF magnitude(VF x) { return as<VF>(as<VU>(x) & 0x7fffffffu); }
/// 2^x for -126 <= x <= 127.
WAVEWRIGHT_INLINE VF power2(VI x) { return as<VF>(as<VU>(x + 127) << 23); }
/// 2^x for -1022 <= x <= 1023.
WAVEWRIGHT_INLINE VD power2Wide(VI x) { return as<VD>(__builtin_convertvector(x + 1023, VL) << 52); }
WAVEWRIGHT_INLINE VD widen(VF x) { return __builtin_convertvector(x, VD); }
WAVEWRIGHT_INLINE VD widen(VI x) { return __builtin_convertvector(x, VD); }
WAVEWRIGHT_INLINE VL widenMask(VI x) { return __builtin_convertvector(x, VL); }

/// Exponent of a zero element: any product with it lies below every other product.
inline constexpr int ZeroExponent = -1000;
/// Below this a product's exponent says that one of its factors is zero.
inline constexpr int ZeroProduct = -500;

/// Elements taken apart, as planes of eight: value = significand * 2^exponent, with |significand| < 2.
struct VFactor {
  VF significand; ///< signed, of zero too
  VI exponent;
  VI special; ///< nonzero where the element is NaN or infinite
};

template <matrix::Format F> struct FormatTraits;
template <int E, int M, int Bias, bool Fnuz, bool NanOnly, bool Finite = false> struct FloatTraits {
  static constexpr int exponentBits = E, fractionBits = M, bias = Bias;
  static constexpr bool fnuz = Fnuz, nanOnly = NanOnly, finite = Finite;
};
template <> struct FormatTraits<matrix::Format::F16> : FloatTraits<5, 10, 15, false, false> {};
template <> struct FormatTraits<matrix::Format::Bf16> : FloatTraits<8, 7, 127, false, false> {};
template <> struct FormatTraits<matrix::Format::Xf32> : FloatTraits<8, 10, 127, false, false> {};
template <> struct FormatTraits<matrix::Format::Fp8> : FloatTraits<4, 3, 7, false, true> {};
template <> struct FormatTraits<matrix::Format::Bf8> : FloatTraits<5, 2, 15, false, false> {};
template <> struct FormatTraits<matrix::Format::Fp8Fnuz> : FloatTraits<4, 3, 8, true, false> {};
template <> struct FormatTraits<matrix::Format::Bf8Fnuz> : FloatTraits<5, 2, 16, true, false> {};
template <> struct FormatTraits<matrix::Format::Fp6> : FloatTraits<2, 3, 1, false, false, true> {};
template <> struct FormatTraits<matrix::Format::Bf6> : FloatTraits<3, 2, 3, false, false, true> {};
template <> struct FormatTraits<matrix::Format::Fp4> : FloatTraits<2, 1, 1, false, false, true> {};

template <matrix::Format F> WAVEWRIGHT_INLINE VFactor decode(VU x, bool flushSubnormals) {
  using T = FormatTraits<F>;
  if constexpr (F == matrix::Format::Xf32)
    x >>= 13;
  constexpr uint32_t fieldMask = (1u << T::exponentBits) - 1, fractionMask = (1u << T::fractionBits) - 1;
  constexpr int width = T::exponentBits + T::fractionBits;
  VU field = x >> T::fractionBits & fieldMask, fraction = x & fractionMask;
  VI subnormal = field == 0u;
  VU units = fraction | (~as<VU>(subnormal) & (fractionMask + 1));
  if (flushSubnormals)
    units &= ~as<VU>(subnormal);
  VU sign = x << (31 - width) & 0x80000000u;
  VF significand = __builtin_convertvector(as<VI>(units), VF) * (1.0f / float(fractionMask + 1));
  VI exponent = vmax(as<VI>(field), VI(1)) - T::bias;
  exponent = as<VI>(units) == 0 ? VI(ZeroExponent) : exponent;
  VI special;
  if constexpr (T::finite)
    special = VI(0);
  else if constexpr (T::fnuz)
    special = (x & 0xffu) == 0x80u;
  else if constexpr (T::nanOnly)
    special = (x & 0x7fu) == 0x7fu;
  else
    special = field == fieldMask;
  return {as<VF>(as<VU>(significand) | sign), exponent, special};
}

/// C of a CDNA step joins the products' sum `units` * 2^(exponent - 24).
template <bool Bytes> WAVEWRIGHT_INLINE VF cdnaAccumulate(VI units, VI exponent, VF c) {
  VI cExponent = vmax(as<VI>(as<VU>(c) >> 23 & 0xffu), VI(1)) - 127;
  VI top = vmax(exponent, cExponent);
  VD sum = __builtin_elementwise_floor(widen(units) * power2Wide(7 - (top - exponent)));
  VD term = __builtin_elementwise_floor(widen(c) * power2Wide(24 - top)) * 128.0;
  if constexpr (Bytes)
    term = widenMask(cExponent < top - 25) ? VD(0.0) : term;
  return __builtin_convertvector((sum + term) * power2Wide(top - 31), VF);
}

/// A product p * 2^exponent and the exponent itself.
struct VProduct {
  VF p;
  VI exponent;
};

WAVEWRIGHT_INLINE VF rdna3Accumulate(VProduct x, VProduct y, VF accumulator) {
  VU c = as<VU>(accumulator);
  VI field = as<VI>(c >> 23 & 0xffu);
  VI zero = field == 0;
  VF significand = as<VF>((c & 0x7fffffu) | 0x3f800000u);
  significand = zero ? VF(0.0f) : significand;
  VI cExponent = zero ? VI(ZeroExponent) : field - 127;
  VI xTop = x.exponent + as<VI>(as<VU>(x.p) >> 23 & 0xffu) - 127;
  VI yTop = y.exponent + as<VI>(as<VU>(y.p) >> 23 & 0xffu) - 127;
  VI grid = vmax(vmax(x.exponent, y.exponent) - 24, vmax(cExponent, vmax(xTop, yTop)) - 26);
  VI lowest(-100);
  VI units = truncate(significand * power2(vmax(cExponent - grid, lowest)));
  VI xUnits = truncate(magnitude(x.p) * power2(vmax(x.exponent - grid, lowest)));
  VI yUnits = truncate(magnitude(y.p) * power2(vmax(y.exponent - grid, lowest)));
  // Opposing magnitudes are complemented: xor with a mask of ones.
  units += xUnits ^ (as<VI>(as<VU>(x.p) ^ c) >> 31);
  units += yUnits ^ (as<VI>(as<VU>(y.p) ^ c) >> 31);
  VU rounded = as<VU>(__builtin_convertvector(units, VF));
  VI exponent = as<VI>(rounded >> 23 & 0xffu) + grid;
  VU result = (rounded + (as<VU>(grid) << 23)) ^ (c & 0x80000000u);
  VI flushed = (exponent <= 0) | (units == 0);
  return as<VF>(flushed ? VU(0u) : result);
}

/// Floors onto `grid`; what `scaled` would lose below 2^-100 only decides the sign of the floor, which is kept.
WAVEWRIGHT_INLINE VI floorOn(VProduct x, VI grid) {
  return floorToInt(x.p * power2(vmax(x.exponent - grid, VI(-100))));
}

/// `sums[i]` in units of 2^grids[i].
template <int Groups> WAVEWRIGHT_INLINE VF rdna4Accumulate(const VI *sums, const VI *grids, VF accumulator) {
  VU c = as<VU>(accumulator);
  VI field = as<VI>(c >> 23 & 0xffu), normal = field != 0;
  VI cExponent = vmax(field, VI(1)) - 127;
  VI units24 = as<VI>((c & 0x7fffffu) | (as<VU>(normal) & 0x800000u));
  VF significand = as<VF>(as<VU>(__builtin_convertvector(units24, VF)) | (c & 0x80000000u));
  VI grid = cExponent - 26;
  for (int i = 0; i < Groups; ++i)
    grid = vmax(grid, grids[i]);
  VF scaled = significand * power2(vmax(cExponent - 23 - grid, VI(-100)));
  VI total = floorToInt(scaled);
  VI nothingLeft = (scaled > -1.0f) & (grid > -126);
  total = nothingLeft ? vmax(total, VI(0)) : total;
  for (int i = 0; i < Groups; ++i)
    total += sums[i] >> vmin(grid - grids[i], VI(31));
  VF result = __builtin_convertvector(widen(total) * power2Wide(grid), VF);
  return result + 0.0f; // what rounds to zero is +0
}

WAVEWRIGHT_INLINE VF rdna4Pairs(VProduct p0, VProduct p1, VProduct p2, VProduct p3, VF c) {
  VI grids[2] = {vmax(p0.exponent, p1.exponent) - 24, vmax(p2.exponent, p3.exponent) - 24};
  VI sums[2] = {floorOn(p0, grids[0]) + floorOn(p1, grids[0]), floorOn(p2, grids[1]) + floorOn(p3, grids[1])};
  return rdna4Accumulate<2>(sums, grids, c);
}
WAVEWRIGHT_INLINE VF rdna4Bytes(VProduct p0, VProduct p1, VProduct p2, VProduct p3, VF c) {
  VI grid = vmax(vmax(p0.exponent, p1.exponent), vmax(p2.exponent, p3.exponent)) - 24;
  VI sum = floorOn(p0, grid) + floorOn(p1, grid) + floorOn(p2, grid) + floorOn(p3, grid);
  return rdna4Accumulate<1>(&sum, &grid, c);
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
