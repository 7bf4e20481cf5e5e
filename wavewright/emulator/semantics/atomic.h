//===- emulator/semantics/atomic.h - what atomics do to a word ------------------------------------===//
//
// Shared by LDS, global, flat and buffer atomics. `apply(memory, data, second)` gives the new word.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

#define WAVEWRIGHT_ATOMIC(NAME, OPERANDS, EXPRESSION)                                                                  \
  template <class T> struct NAME {                                                                                     \
    using value = T;                                                                                                   \
    static constexpr unsigned operands = OPERANDS;                                                                     \
    static WAVEWRIGHT_INLINE T apply(T m, T a, T b) { return EXPRESSION; }                                             \
  };
WAVEWRIGHT_ATOMIC(AtomicAdd, 1, m + a)
WAVEWRIGHT_ATOMIC(AtomicSub, 1, m - a)
WAVEWRIGHT_ATOMIC(AtomicReverseSub, 1, a - m)
WAVEWRIGHT_ATOMIC(AtomicMin, 1, a < m ? a : m)
WAVEWRIGHT_ATOMIC(AtomicMax, 1, a > m ? a : m)
WAVEWRIGHT_ATOMIC(AtomicAnd, 1, m &a)
WAVEWRIGHT_ATOMIC(AtomicOr, 1, m | a)
WAVEWRIGHT_ATOMIC(AtomicXor, 1, m ^ a)
WAVEWRIGHT_ATOMIC(AtomicExchange, 1, a)
WAVEWRIGHT_ATOMIC(AtomicIncrement, 1, m >= a ? T(0) : T(m + 1))
WAVEWRIGHT_ATOMIC(AtomicDecrement, 1, m == 0 || m > a ? a : T(m - 1))
WAVEWRIGHT_ATOMIC(AtomicClampedSub, 1, m < a ? T(0) : T(m - a))
WAVEWRIGHT_ATOMIC(AtomicConditionalSub, 1, m < a ? m : T(m - a))
// gfx9 ds_cmpst has the comparand first; gfx11 ds_cmpstore and all vector memory have the new value first.
WAVEWRIGHT_ATOMIC(AtomicCompareFirst, 2, m == a ? b : m)
WAVEWRIGHT_ATOMIC(AtomicCompareSecond, 2, m == b ? a : m)
WAVEWRIGHT_ATOMIC(AtomicMaskOr, 2, (m & ~a) | b)
WAVEWRIGHT_ATOMIC(AtomicWrap, 2, m >= a ? T(m - a) : T(m + b))
WAVEWRIGHT_ATOMIC(AtomicFloatMin, 1, minNum(false, m, a))
WAVEWRIGHT_ATOMIC(AtomicFloatMax, 1, maxNum(false, m, a))

template <bool Brain> struct AtomicPairAdd {
  using value = uint32_t;
  static constexpr unsigned operands = 1;
  static WAVEWRIGHT_INLINE uint32_t apply(uint32_t m, uint32_t a, uint32_t) {
    if (Brain)
      return floatToBf16(bf16ToFloat(m & 0xffffu) + bf16ToFloat(a & 0xffffu)) |
             floatToBf16(bf16ToFloat(m >> 16) + bf16ToFloat(a >> 16)) << 16;
    return floatToHalf(halfToFloat(m & 0xffffu) + halfToFloat(a & 0xffffu)) |
           floatToHalf(halfToFloat(m >> 16) + halfToFloat(a >> 16)) << 16;
  }
};

/// Two dwords, of which each is replaced when bit 31 of its datum says so; the bit itself is not stored.
struct AtomicConditionalExchange {
  using value = uint64_t;
  static constexpr unsigned operands = 1;
  static WAVEWRIGHT_INLINE uint64_t apply(uint64_t m, uint64_t a, uint64_t) {
    uint64_t low = a >> 31 & 1 ? a & 0x7fffffffull : m & 0xffffffffull;
    uint64_t high = a >> 63 ? a >> 32 & 0x7fffffffull : m >> 32;
    return high << 32 | low;
  }
};

template <class T> WAVEWRIGHT_INLINE T fromRows(const uint32_t *const *rows, unsigned l) {
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, rows[0][l]);
  else
    return __builtin_bit_cast(T, uint64_t(rows[1][l]) << 32 | rows[0][l]);
}
template <class T> WAVEWRIGHT_INLINE void toRows(uint32_t (*rows)[MaxLanes], unsigned l, T value) {
  if constexpr (sizeof(T) == 4) {
    rows[0][l] = __builtin_bit_cast(uint32_t, value);
  } else {
    uint64_t bits = __builtin_bit_cast(uint64_t, value);
    rows[0][l] = uint32_t(bits);
    rows[1][l] = uint32_t(bits >> 32);
  }
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
