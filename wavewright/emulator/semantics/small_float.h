//===- emulator/semantics/small_float.h - eight-bit floats -----------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/numbers.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

/// gfx942 has the FNUZ formats (bias 8 and 16, one NaN 0x80), gfx950 and gfx12 the OCP ones.
enum class Small { E4M3, E5M2 };
template <Small K, bool Fnuz> WAVEWRIGHT_INLINE float smallToFloat(uint32_t x) {
  constexpr unsigned mantissa = K == Small::E4M3 ? 3 : 2;
  constexpr int bias = (K == Small::E4M3 ? 7 : 15) + (Fnuz ? 1 : 0);
  uint32_t sign = (x & 0x80u) << 24, magnitude = x & 0x7fu;
  uint32_t exponent = magnitude >> mantissa, fraction = magnitude & ((1u << mantissa) - 1);
  float value = exponent ? floatOf((exponent + 127u - bias) << 23 | fraction << (23 - mantissa))
                         : float(int32_t(fraction)) * floatOf(uint32_t(127 + 1 - bias - int(mantissa)) << 23);
  uint32_t bits = sign | bitsOf(value);
  if (Fnuz)
    return floatOf((x & 0xffu) == 0x80u ? 0x7fc00000u : bits);
  if (K == Small::E4M3)
    return floatOf(magnitude == 0x7fu ? sign | 0x7fc00000u : bits);
  return floatOf(magnitude > 0x7cu ? sign | 0x7fc00000u : magnitude == 0x7cu ? sign | 0x7f800000u : bits);
}

/// Stochastic rounding adds the upper bits of `dither` below the bits that stay, after a number under the least
/// exponent was shifted down. Too large saturates when MODE.FP16_OVFL says so, else becomes NaN or infinity; OCP
/// formats keep infinity, and have one NaN (captured on gfx1201).
template <Small K, bool Fnuz>
WAVEWRIGHT_INLINE uint32_t floatToSmall(float x, bool stochastic, uint32_t dither, bool saturate) {
  constexpr unsigned mantissa = K == Small::E4M3 ? 3 : 2;
  constexpr int bias = (K == Small::E4M3 ? 7 : 15) + (Fnuz ? 1 : 0);
  constexpr uint32_t largest = K == Small::E4M3 ? (Fnuz ? 0x7fu : 0x7eu) : (Fnuz ? 0x7fu : 0x7bu);
  constexpr uint32_t notANumber = Fnuz ? 0x80u : K == Small::E4M3 ? 0xffu : 0xfeu;
  constexpr uint32_t infinite = Fnuz ? 0x80u : K == Small::E4M3 ? 0x7fu : 0x7cu;
  uint32_t bits = bitsOf(x), sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return notANumber;
  uint32_t tooLarge = saturate ? sign | largest : Fnuz ? infinite : sign | infinite;
  if (magnitude == 0x7f800000u)
    return Fnuz ? tooLarge : sign | infinite;
  if (magnitude == 0)
    return Fnuz ? 0 : sign;
  int exponent = int(magnitude >> 23) - 127;
  uint64_t significand = magnitude >> 23 ? (magnitude & 0x7fffffu) | 0x800000u : magnitude & 0x7fffffu;
  if (!(magnitude >> 23))
    exponent = -126;
  int lowest = 1 - bias;
  int below = exponent < lowest ? lowest - exponent : 0, drop = 23 - int(mantissa) + below;
  uint64_t kept;
  if (stochastic)
    kept = ((below < 32 ? significand >> below : 0) + (dither >> (9 + mantissa))) >> (23 - mantissa);
  else if (drop >= 40)
    kept = 0;
  else
    kept = (significand + ((1ull << (drop - 1)) - 1) + (significand >> drop & 1)) >> drop;
  // Exponent field and mantissa together: a carry out of the mantissa moves into the exponent.
  uint32_t field =
      exponent < lowest ? uint32_t(kept) : uint32_t(kept - (1u << mantissa)) + (uint32_t(exponent + bias) << mantissa);
  if (field > largest)
    return tooLarge;
  return Fnuz && field == 0 ? 0 : sign | field;
}

template <Small K> WAVEWRIGHT_INLINE float decodeSmall(bool fnuz, uint32_t x) {
  return fnuz ? smallToFloat<K, true>(x) : smallToFloat<K, false>(x);
}
template <Small K>
WAVEWRIGHT_INLINE uint32_t encodeSmall(bool fnuz, float x, bool stochastic, uint32_t dither, bool saturate) {
  return fnuz ? floatToSmall<K, true>(x, stochastic, dither, saturate)
              : floatToSmall<K, false>(x, stochastic, dither, saturate);
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
