//===- emulator/semantics/scalar/matrix_exact.h - matrix arithmetic, bit for bit -------------------===//
//
// One output element at a time, with integers; slow and plain. This is the law that the vectorised kernels
// (matrix_kernels.h) are tested against. The rules were characterised on silicon:
//   CDNA3 MFMA      MMA-Sim (Microsoft), on MI300; CDNA4 is assumed to do the same.
//   RDNA3, RDNA4    rocjitsu's dot models (ROCm/rocm-systems #12056, #12120), on gfx1100, gfx1151 and gfx1201.
// A format's decoding is independent of the rule that consumes it.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace wavewright::emulator::matrix {

/// Element formats of operands. Xf32 is an f32 of which the matrix unit reads the upper 19 bits.
/// The Fnuz formats (gfx942) have one NaN, minus zero's encoding, and no infinity; Fp8 and Bf8 are OCP's.
/// Fp6 (E2M3), Bf6 (E3M2) and Fp4 (E2M1) have neither infinity nor NaN.
enum class Format : uint8_t {
  F64,
  F32,
  Xf32,
  F16,
  Bf16,
  Fp8Fnuz,
  Bf8Fnuz,
  Fp8,
  Bf8,
  Fp6,
  Bf6,
  Fp4,
  I32,
  I8,
  U8,
  I4,
  U4
};

constexpr unsigned formatBits(Format f) {
  switch (f) {
  case Format::F64:
    return 64;
  case Format::F32:
  case Format::Xf32:
  case Format::I32:
    return 32;
  case Format::F16:
  case Format::Bf16:
    return 16;
  case Format::Fp8Fnuz:
  case Format::Bf8Fnuz:
  case Format::Fp8:
  case Format::Bf8:
  case Format::I8:
  case Format::U8:
    return 8;
  case Format::Fp6:
  case Format::Bf6:
    return 6;
  case Format::Fp4:
  case Format::I4:
  case Format::U4:
    return 4;
  }
  return 0;
}
/// Floats of at most eight bits, which matrix units sum in another way than wider ones.
constexpr bool isSmallFloat(Format f) { return f >= Format::Fp8Fnuz && f <= Format::Fp4; }

/// How a chip sums products.
enum class Rule : uint8_t {
  FmaChain,  ///< f32 and f64 MFMA: one fused multiply-add for each k, in increasing k
  CdnaFused, ///< MFMA of narrower formats: groups of products summed on one grid, then added to C
  Rdna3,     ///< chained steps of two products
  Rdna4,     ///< chained steps of four products
  Integer,   ///< exact, then wrapped or saturated
};

namespace nan {
inline constexpr uint32_t Factor = 0xffc00a3d;         ///< RDNA: one of the factors was a NaN
inline constexpr uint32_t InvalidProduct = 0xffc00000; ///< RDNA: inf * 0, or infinities of both signs
/// CDNA: nobody has published the bits; the quiet NaN without payload is assumed.
inline constexpr uint32_t Cdna = 0x7fc00000;
inline constexpr uint64_t CdnaF64 = 0x7ff8000000000000;
} // namespace nan

/// An operand element taken apart. Its magnitude is significand * 2^(exponent - fractionBits). A subnormal keeps the
/// format's smallest exponent: it is not normalised.
struct Factor {
  uint32_t significand = 0;
  int exponent = 0;
  int fractionBits = 0;
  bool negative = false, nan = false, infinite = false;
};
Factor decode(Format format, uint32_t bits);

/// Products of one fused CDNA group: 16 of the small formats, 4 of xf32, else 8.
unsigned cdnaGroup(Format format);

/// D = C + sum of `count` products, the MFMA way (one group, one rounding to f32).
uint32_t cdnaStep(Format a, Format b, const uint32_t *as, const uint32_t *bs, unsigned count, uint32_t c);
/// D = C + sum of `k` scaled products: element i of A counts 2^(scalesA[i / 32] - 127) times, of B likewise. A scale of
/// 255 is NaN. The scales join the products' exponents before a group is summed; this is assumed, not characterised.
uint32_t cdnaScaledDot(Format a, Format b, const uint32_t *as, const uint32_t *bs, unsigned k, uint32_t c,
                       const uint8_t *scalesA, const uint8_t *scalesB);
/// D = C + a0*b0 + a1*b1 on gfx11. `format` is F16 or Bf16; `result` F32, or F16/Bf16 for the packed forms, whose C
/// and D are of that format in the low half.
uint32_t rdna3Step(Format format, Format result, const uint32_t *as, const uint32_t *bs, uint32_t c);
/// D = C + the sum of `count` (2 or 4) products on gfx12. The small formats align all products on one grid and answer
/// nan::Factor to an invalid product too; they are characterised as v_dot4_f32_*, and WMMA is assumed to chain them.
uint32_t rdna4Step(Format a, Format b, Format result, const uint32_t *as, const uint32_t *bs, unsigned count,
                   uint32_t c);
/// C + sum of products; signed saturation with `clamp`, else modulo 2^32. `unsignedResult` saturates to [0, 2^32).
uint32_t integerDot(Format a, Format b, const uint32_t *as, const uint32_t *bs, unsigned count, uint32_t c, bool clamp,
                    bool unsignedResult = false);

/// One output element of a matrix instruction: the chain of steps over all of K.
uint32_t dot(Rule rule, Format a, Format b, Format result, const uint32_t *as, const uint32_t *bs, unsigned k,
             uint32_t c, bool clamp = false);
uint64_t dotF64(const uint64_t *as, const uint64_t *bs, unsigned k, uint64_t c);

/// Rounds units * 2^grid to the nearest f32 or f16, ties to even, subnormals kept; a sum of zero is +0.
uint32_t roundToF32(int64_t units, int grid);
uint32_t roundToF16(int64_t units, int grid);
/// f16 or bf16 to f32 without quieting NaNs.
uint32_t widen(Format format, uint32_t bits);

} // namespace wavewright::emulator::matrix
