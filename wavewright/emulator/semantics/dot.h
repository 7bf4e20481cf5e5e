//===- emulator/semantics/dot.h - v_dot2, v_dot4, v_dot8 --------------------------------------------===//
//
// On gfx11 and gfx12 the floating ones are one step of the matrix arithmetic (scalar/matrix_exact.h). On gfx9 nobody
// has published theirs: two fused multiply-adds are assumed, the low halves first.
// MODE's denormal bits do not reach them; sign modifiers do.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/matrix_kernels.h"
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

// Integers --------------------------------------------------------------------------------------------
/// MicroOp::payload: whether the elements of the two sources are signed.
inline constexpr uint64_t SignedA = 1, SignedB = 2;

/// `elements` values of 32 / elements bits each.
template <int Elements, bool Clamp, bool UnsignedResult> static void integerDot(Context &c, Wave &w, const MicroOp &m) {
  constexpr int bits = 32 / Elements;
  constexpr int32_t mask = (1 << bits) - 1, top = 1 << (bits - 1);
  // (x ^ top) - top extends the sign; top 0 leaves x unsigned.
  int32_t signA = m.payload & SignedA ? top : 0, signB = m.payload & SignedB ? top : 0;
  const uint32_t *a = fetchSlow(c, w, m, 0, 0), *b = fetchSlow(c, w, m, 1, 0), *addend = fetchSlow(c, w, m, 2, 0);
  uint32_t *out = c.results[0].lane;
  for (unsigned l = 0; l < w.lanes; ++l) {
    int64_t sum = UnsignedResult ? int64_t(addend[l]) : int64_t(int32_t(addend[l]));
    for (int i = 0; i < Elements; ++i) {
      int32_t x = int32_t(a[l] >> (i * bits)) & mask, y = int32_t(b[l] >> (i * bits)) & mask;
      sum += int64_t((x ^ signA) - signA) * ((y ^ signB) - signB);
    }
    if (Clamp) {
      int64_t low = UnsignedResult ? 0 : INT32_MIN, high = UnsignedResult ? 0xffffffffll : INT32_MAX;
      sum = sum < low ? low : sum > high ? high : sum;
    }
    out[l] = uint32_t(sum);
  }
  commit(c, w, m, activeLanes(w, m));
}

// Floats ----------------------------------------------------------------------------------------------
/// gfx9.
template <matrix::Format F> static void fmaDot2(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1), *addend = fetch(c, w, m, 2);
  uint32_t *out = c.results[0].lane;
  auto value = [](uint32_t half) __attribute__((always_inline)) {
    return F == matrix::Format::F16 ? halfToFloat(half) : bf16ToFloat(half);
  };
  for (unsigned l = 0; l < w.lanes; ++l) {
    float low = __builtin_fmaf(value(a[l] & 0xffffu), value(b[l] & 0xffffu), floatOf(addend[l]));
    out[l] = bitsOf(__builtin_fmaf(value(a[l] >> 16), value(b[l] >> 16), low));
  }
  commit(c, w, m, activeLanes(w, m));
}

/// gfx11 and gfx12: eight lanes at a time where no lane holds a special value or an extreme exponent.
template <matrix::Format F, bool Gfx11> static void stepDot2(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1), *addend = fetch(c, w, m, 2);
  uint32_t *out = c.results[0].lane;
  for (unsigned l = 0; l < w.lanes; l += 8) {
    VU x = load<VU>(a + l), y = load<VU>(b + l), z = load<VU>(addend + l);
    constexpr bool flush = Gfx11 && F == matrix::Format::Bf16;
    VFactor x0 = decode<F>(x & 0xffffu, flush), x1 = decode<F>(x >> 16, flush);
    VFactor y0 = decode<F>(y & 0xffffu, flush), y1 = decode<F>(y >> 16, flush);
    VProduct p{x0.significand * y0.significand, x0.exponent + y0.exponent};
    VProduct q{x1.significand * y1.significand, x1.exponent + y1.exponent};
    VI unsafe = x0.special | x1.special | y0.special | y1.special | (vmax(p.exponent, q.exponent) > SafeExponent) |
                as<VI>((z & 0x7fffffffu) >= SafeC);
    if (__builtin_expect(horizontalMin(unsafe) != 0, 0)) {
      for (unsigned i = l; i < l + 8; ++i) {
        uint32_t as[2] = {a[i] & 0xffffu, a[i] >> 16}, bs[2] = {b[i] & 0xffffu, b[i] >> 16};
        out[i] = Gfx11 ? matrix::rdna3Step(F, matrix::Format::F32, as, bs, addend[i])
                       : matrix::rdna4Step(F, F, matrix::Format::F32, as, bs, 2, addend[i]);
      }
      continue;
    }
    if constexpr (Gfx11) {
      store(out + l, rdna3Accumulate(p, q, as<VF>(z)));
    } else {
      VI grid = vmax(p.exponent, q.exponent) - 24, sum = floorOn(p, grid) + floorOn(q, grid);
      store(out + l, rdna4Accumulate<1>(&sum, &grid, as<VF>(z)));
    }
  }
  commit(c, w, m, activeLanes(w, m));
}

/// v_dot2_f16_f16, v_dot2_bf16_bf16: C and the result are halves.
template <matrix::Format F, bool Gfx11> static void packedDot2(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1), *addend = fetch(c, w, m, 2);
  uint32_t *out = c.results[0].lane;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t as[2] = {a[l] & 0xffffu, a[l] >> 16}, bs[2] = {b[l] & 0xffffu, b[l] >> 16}, z = addend[l] & 0xffffu;
    out[l] = Gfx11 ? matrix::rdna3Step(F, F, as, bs, z) : matrix::rdna4Step(F, F, F, as, bs, 2, z);
  }
  commit(c, w, m, activeLanes(w, m));
}

/// v_dot4_f32_{fp8,bf8}_{fp8,bf8}.
template <matrix::Format A, matrix::Format B> static void byteDot4(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1), *addend = fetch(c, w, m, 2);
  uint32_t *out = c.results[0].lane;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t as[4], bs[4];
    for (unsigned i = 0; i < 4; ++i) {
      as[i] = a[l] >> (8 * i) & 0xffu;
      bs[i] = b[l] >> (8 * i) & 0xffu;
    }
    out[l] = matrix::rdna4Step(A, B, matrix::Format::F32, as, bs, 4, addend[l]);
  }
  commit(c, w, m, activeLanes(w, m));
}

// Rows ------------------------------------------------------------------------------------------------
#define DOT_INTEGER(NAME, CHIPS, ELEMENTS, UNSIGNED, PREPARE)                                                          \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   integerDot<ELEMENTS, false, UNSIGNED>,                                                                              \
   {Type::B32, Type::None, {Type::Raw, Type::Raw, Type::Raw}},                                                         \
   OpClass::Valu,                                                                                                      \
   integerDot<ELEMENTS, true, UNSIGNED>,                                                                               \
   matrix::PREPARE}
#define DOT_FLOAT(NAME, CHIPS, ...)                                                                                    \
  {                                                                                                                    \
    NAME, chips::CHIPS, __VA_ARGS__, {                                                                                 \
      Type::F32, Type::None, { Type::PkB16, Type::PkB16, Type::B32 }                                                   \
    }                                                                                                                  \
  }
/// VOP2 has no op_sel: the whole registers are read as they are.
#define DOT_PLAIN(NAME, CHIPS, ...)                                                                                    \
  {                                                                                                                    \
    NAME, chips::CHIPS, __VA_ARGS__, {                                                                                 \
      Type::F32, Type::None, { Type::B32, Type::B32, Type::B32 }                                                       \
    }                                                                                                                  \
  }
#define DOT_PACKED(NAME, CHIPS, ...)                                                                                   \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   __VA_ARGS__,                                                                                                        \
   {Type::B16, Type::None, {Type::B32, Type::B32, Type::B16}},                                                         \
   OpClass::Valu,                                                                                                      \
   nullptr,                                                                                                            \
   matrix::preparePackedDot}
#define DOT_BYTES(NAME, A, B)                                                                                          \
  {                                                                                                                    \
    NAME, chips::Gfx12, byteDot4<matrix::Format::A, matrix::Format::B>, {                                              \
      Type::F32, Type::None, { Type::B32, Type::B32, Type::B32 }                                                       \
    }                                                                                                                  \
  }
#define DOT_HALVES(KIND, NAME, FORMAT)                                                                                 \
  KIND(NAME, Gfx11, stepDot2<matrix::Format::FORMAT, true>), KIND(NAME, Gfx12, stepDot2<matrix::Format::FORMAT, false>)

#define WAVEWRIGHT_DOT_ROWS                                                                                            \
  DOT_INTEGER("v_dot2_i32_i16", Gfx9, 2, false, prepareSignedDot),                                                     \
      DOT_INTEGER("v_dot2_u32_u16", Gfx9, 2, true, prepareUnsignedDot),                                                \
      DOT_INTEGER("v_dot2c_i32_i16", Gfx9, 2, false, prepareSignedDot),                                                \
      DOT_INTEGER("v_dot4_i32_i8", Gfx9, 4, false, prepareSignedDot),                                                  \
      DOT_INTEGER("v_dot4c_i32_i8", Gfx9, 4, false, prepareSignedDot),                                                 \
      DOT_INTEGER("v_dot4_u32_u8", Any, 4, true, prepareUnsignedDot),                                                  \
      DOT_INTEGER("v_dot4_i32_iu8", Gfx11Up, 4, false, prepareFlaggedDot),                                             \
      DOT_INTEGER("v_dot8_i32_i4", Gfx9, 8, false, prepareSignedDot),                                                  \
      DOT_INTEGER("v_dot8c_i32_i4", Gfx9, 8, false, prepareSignedDot),                                                 \
      DOT_INTEGER("v_dot8_u32_u4", Any, 8, true, prepareUnsignedDot),                                                  \
      DOT_INTEGER("v_dot8_i32_iu4", Gfx11Up, 8, false, prepareFlaggedDot),                                             \
      DOT_FLOAT("v_dot2_f32_f16", Gfx9, fmaDot2<matrix::Format::F16>),                                                 \
      DOT_PLAIN("v_dot2c_f32_f16", Gfx9, fmaDot2<matrix::Format::F16>),                                                \
      DOT_FLOAT("v_dot2_f32_bf16", Gfx950, fmaDot2<matrix::Format::Bf16>),                                             \
      DOT_PLAIN("v_dot2c_f32_bf16", Gfx950, fmaDot2<matrix::Format::Bf16>),                                            \
      DOT_HALVES(DOT_FLOAT, "v_dot2_f32_f16", F16), DOT_HALVES(DOT_FLOAT, "v_dot2_f32_bf16", Bf16),                    \
      DOT_HALVES(DOT_PLAIN, "v_dot2acc_f32_f16", F16), DOT_HALVES(DOT_PLAIN, "v_dot2acc_f32_bf16", Bf16),              \
      DOT_PACKED("v_dot2_f16_f16", Gfx11, packedDot2<matrix::Format::F16, true>),                                      \
      DOT_PACKED("v_dot2_f16_f16", Gfx12, packedDot2<matrix::Format::F16, false>),                                     \
      DOT_PACKED("v_dot2_bf16_bf16", Gfx11, packedDot2<matrix::Format::Bf16, true>),                                   \
      DOT_PACKED("v_dot2_bf16_bf16", Gfx12, packedDot2<matrix::Format::Bf16, false>),                                  \
      DOT_BYTES("v_dot4_f32_fp8_fp8", Fp8, Fp8), DOT_BYTES("v_dot4_f32_fp8_bf8", Fp8, Bf8),                            \
      DOT_BYTES("v_dot4_f32_bf8_fp8", Bf8, Fp8), DOT_BYTES("v_dot4_f32_bf8_bf8", Bf8, Bf8)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
