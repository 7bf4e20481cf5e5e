//===- emulator/semantics/matrix_kernels.h - one matrix instruction over planes ---------------------===//
//
// Operands arrive as planes: A as [k][block, row], B as [k][block, column], C and D as [row][block, column], so that a
// kernel walks along columns with vectors and takes A's elements one by one.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/matrix_vector.h"
#include "wavewright/emulator/semantics/scalar/matrix_plan.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

/// Room for the operands of one instruction. The last vector of a plane may be read past its end.
struct Tile {
  static constexpr unsigned Room = matrix::MaxElements + 8;
  alignas(64) uint32_t rawA[Room], rawB[Room]; ///< elements as they stand in registers, moved to bit 0
  alignas(64) float a[Room], b[Room];          ///< significands, or values
  alignas(64) int32_t exponentA[Room], exponentB[Room];
  alignas(64) uint32_t c[Room]; ///< C, then D
};

/// What is known of an operand's elements.
struct Range {
  int32_t maxExponent = ZeroExponent, minExponent = -ZeroExponent; ///< of elements that are not zero
  bool special = false;                                            ///< NaN or infinity among them
};

/// The vector kernels hold where nothing is NaN or infinite and nothing can become so.
inline constexpr int SafeExponent = 110;
inline constexpr uint32_t SafeC = uint32_t(127 + 120) << 23;
/// Within this range a product's value is a normal f32 and its exponent above that of a zero product (-126).
inline constexpr int NarrowExponent = 30;

WAVEWRIGHT_INLINE int32_t horizontalMax(VI v) { return __builtin_reduce_max(v); }
WAVEWRIGHT_INLINE int32_t horizontalMin(VI v) { return __builtin_reduce_min(v); }

template <matrix::Format F>
Range decodePlane(const uint32_t *raw, unsigned count, bool flushSubnormals, float *significands, int32_t *exponents) {
  VI highest(ZeroExponent), lowest(-ZeroExponent), special(0);
  for (unsigned i = 0; i < count; i += 8) {
    VFactor f = decode<F>(load<VU>(raw + i), flushSubnormals);
    store(significands + i, f.significand);
    store(exponents + i, f.exponent);
    highest = vmax(highest, f.exponent);
    lowest = vmin(lowest, f.exponent == ZeroExponent ? VI(-ZeroExponent) : f.exponent);
    special |= f.special;
  }
  return {horizontalMax(highest), horizontalMin(lowest), horizontalMin(special) != 0};
}

/// Significands become values; the exponents lie within NarrowExponent (zeros aside).
static inline void scalePlane(float *significands, const int32_t *exponents, unsigned count) {
  for (unsigned i = 0; i < count; i += 8)
    store(significands + i, load<VF>(significands + i) * power2(vmax(load<VI>(exponents + i), VI(-126))));
}

/// Calls step(first element of A, first element of B, C) for each vector of D.
template <class Step> WAVEWRIGHT_INLINE void overOutputs(const matrix::Plan &p, Tile &t, Step step) {
  unsigned width = p.n * p.blocks;
  for (unsigned row = 0; row < p.m; ++row) {
    for (unsigned block = 0; block < p.blocks; ++block) {
      for (unsigned column = 0; column < p.n; column += 8) {
        unsigned at = block * p.n + column;
        uint32_t *d = t.c + row * width + at;
        VF sum = step(block * p.m + row, at, load<VF>(d));
        if (p.n < 8)
          __builtin_memcpy(d, &sum, 16);
        else
          store(d, sum);
      }
    }
  }
}

// CDNA ------------------------------------------------------------------------------------------------
struct Operands {
  const float *a, *b;
  const int32_t *exponentA, *exponentB;
  unsigned strideA, strideB;
};

/// Adds the products first, first + Step, ... on the grid of the largest exponent. `Narrow`: a and b hold values and
/// no product lies below a zero product; else they hold significands.
template <int Count, int Step, bool Narrow>
WAVEWRIGHT_INLINE VI sumOnGrid(const Operands &o, unsigned first, VI &exponent) {
  VI highest(ZeroExponent), lowest(0);
#pragma clang loop unroll(full)
  for (int i = 0; i < Count; ++i) {
    unsigned k = first + i * Step;
    VI e = load<VI>(o.exponentB + k * o.strideB) + o.exponentA[k * o.strideA];
    highest = vmax(highest, e);
    if constexpr (!Narrow)
      lowest = vmin(lowest, e);
  }
  if constexpr (Narrow)
    exponent = vmax(highest, VI(-126));
  else
    exponent = lowest < ZeroProduct ? vmax(highest, VI(-126)) : highest;
  VI units(0);
  if constexpr (Narrow) {
    VF scale = power2(24 - vmax(exponent, VI(-100)));
#pragma clang loop unroll(full)
    for (int i = 0; i < Count; ++i) {
      unsigned k = first + i * Step;
      units += truncate(load<VF>(o.b + k * o.strideB) * o.a[k * o.strideA] * scale);
    }
  } else {
#pragma clang loop unroll(full)
    for (int i = 0; i < Count; ++i) {
      unsigned k = first + i * Step;
      VI e = load<VI>(o.exponentB + k * o.strideB) + o.exponentA[k * o.strideA];
      VF scale = power2(vmax(e - exponent, VI(-100)) + 24);
      units += truncate(load<VF>(o.b + k * o.strideB) * o.a[k * o.strideA] * scale);
    }
  }
  return units;
}

template <int Group, bool Bytes, bool Narrow> void cdnaKernel(const matrix::Plan &p, Tile &t) {
  unsigned strideA = p.m * p.blocks, strideB = p.n * p.blocks, k = p.k;
  overOutputs(p, t, [&](unsigned a, unsigned b, VF c) __attribute__((always_inline)) {
    Operands o{t.a + a, t.b + b, t.exponentA + a, t.exponentB + b, strideA, strideB};
    for (unsigned first = 0; first < k; first += Group) {
      VI exponent, units;
      if constexpr (Bytes) {
        VI odd, oddUnits;
        units = sumOnGrid<Group / 2, 2, Narrow>(o, first, exponent);
        oddUnits = sumOnGrid<Group / 2, 2, Narrow>(o, first + 1, odd);
        VI top = vmax(exponent, odd);
        units = (units >> vmin(top - exponent, VI(31))) + (oddUnits >> vmin(top - odd, VI(31)));
        exponent = top;
      } else {
        units = sumOnGrid<Group, 1, Narrow>(o, first, exponent);
      }
      c = cdnaAccumulate<Bytes>(units, exponent, c);
    }
    return c;
  });
}

// RDNA ------------------------------------------------------------------------------------------------
WAVEWRIGHT_INLINE VProduct productAt(const Operands &o, unsigned k) {
  return {load<VF>(o.b + k * o.strideB) * o.a[k * o.strideA],
          load<VI>(o.exponentB + k * o.strideB) + o.exponentA[k * o.strideA]};
}

/// Every RDNA form has 16 columns. One step waits for the one before, so both halves of a row go side by side.
/// `step(operands, k, C)` adds the products from k on.
template <unsigned Products, class Step> WAVEWRIGHT_INLINE void overRows(const matrix::Plan &p, Tile &t, Step step) {
  constexpr unsigned Columns = 16;
  for (unsigned row = 0; row < p.m; ++row) {
    uint32_t *d = t.c + row * Columns;
    Operands left{t.a + row, t.b, t.exponentA + row, t.exponentB, p.m, Columns}, right = left;
    right.b += 8, right.exponentB += 8;
    VF c = load<VF>(d), e = load<VF>(d + 8);
    for (unsigned k = 0; k < p.k; k += Products) {
      c = step(left, k, c);
      e = step(right, k, e);
    }
    store(d, c);
    store(d + 8, e);
  }
}

static inline void rdna3Kernel(const matrix::Plan &p, Tile &t) {
  overRows<2>(p, t, [](const Operands &o, unsigned k, VF c) __attribute__((always_inline)) {
    return rdna3Accumulate(productAt(o, k), productAt(o, k + 1), c);
  });
}

template <bool Bytes> void rdna4Kernel(const matrix::Plan &p, Tile &t) {
  overRows<4>(p, t, [](const Operands &o, unsigned k, VF c) __attribute__((always_inline)) {
    VProduct p0 = productAt(o, k), p1 = productAt(o, k + 1), p2 = productAt(o, k + 2), p3 = productAt(o, k + 3);
    return Bytes ? rdna4Bytes(p0, p1, p2, p3, c) : rdna4Pairs(p0, p1, p2, p3, c);
  });
}

// Plain ------------------------------------------------------------------------------------------------
/// Four rows of sixteen columns: one fused multiply-add for each k. `a` holds four elements every strideA, `b` sixteen
/// every strideB; `start(row)` gives where C of the row stands, `end(row)` where D goes.
template <class Start, class End>
WAVEWRIGHT_INLINE void fmaBlock(const float *a, unsigned strideA, const float *b, unsigned strideB, unsigned ks,
                                Start start, End end) {
  VF sums[4][2];
#pragma clang loop unroll(full)
  for (unsigned r = 0; r < 4; ++r) {
    sums[r][0] = load<VF>(start(r));
    sums[r][1] = load<VF>(start(r) + 8);
  }
  for (unsigned k = 0; k < ks; ++k, a += strideA, b += strideB) {
    VF left = load<VF>(b), right = load<VF>(b + 8);
#pragma clang loop unroll(full)
    for (unsigned r = 0; r < 4; ++r) {
      sums[r][0] = __builtin_elementwise_fma(VF(a[r]), left, sums[r][0]);
      sums[r][1] = __builtin_elementwise_fma(VF(a[r]), right, sums[r][1]);
    }
  }
#pragma clang loop unroll(full)
  for (unsigned r = 0; r < 4; ++r) {
    store(end(r), sums[r][0]);
    store(end(r) + 8, sums[r][1]);
  }
}

/// One fused multiply-add for each k: MFMA's rule for f32, and the fast mode's for everything.
static inline void fmaKernel(const matrix::Plan &p, Tile &t) {
  unsigned strideA = p.m * p.blocks, strideB = p.n * p.blocks;
  if (p.n < 16) {
    overOutputs(p, t, [&](unsigned a, unsigned b, VF c) __attribute__((always_inline)) {
      for (unsigned k = 0; k < p.k; ++k)
        c = __builtin_elementwise_fma(VF(t.a[k * strideA + a]), load<VF>(t.b + k * strideB + b), c);
      return c;
    });
    return;
  }
  float *d = reinterpret_cast<float *>(t.c);
  for (unsigned block = 0; block < p.blocks; ++block) {
    for (unsigned row = 0; row < p.m; row += 4) {
      for (unsigned column = 0; column < p.n; column += 16) {
        float *out = d + row * strideB + block * p.n + column;
        auto rowOf = [&](unsigned r) __attribute__((always_inline)) { return out + r * strideB; };
        fmaBlock(t.a + block * p.m + row, strideA, t.b + block * p.n + column, strideB, p.k, rowOf, rowOf);
      }
    }
  }
}

/// rawA and rawB hold sign- or zero-extended integers.
static inline void integerKernel(const matrix::Plan &p, Tile &t) {
  unsigned strideA = p.m * p.blocks, strideB = p.n * p.blocks;
  overOutputs(p, t, [&](unsigned a, unsigned b, VF c) __attribute__((always_inline)) {
    VU sum(0u);
    for (unsigned k = 0; k < p.k; ++k)
      sum += t.rawA[k * strideA + a] * load<VU>(t.rawB + k * strideB + b);
    if (p.clamp)
      return as<VF>(__builtin_elementwise_add_sat(as<VI>(c), as<VI>(sum)));
    return as<VF>(as<VU>(c) + sum);
  });
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
