//===- emulator/semantics/valu_convert.cpp - conversions between formats --------------------------===//
#include "wavewright/emulator/semantics/small_float.h"
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

WAVEWRIGHT_INLINE uint32_t byteOf(uint32_t x, unsigned i) { return x >> (8 * i) & 0xffu; }
/// floor(x + 1/2), and floor.
WAVEWRIGHT_INLINE int32_t nearestUp(float x) { return toI32(__builtin_floor(double(x) + 0.5)); }
WAVEWRIGHT_INLINE int32_t floored(float x) { return toI32(__builtin_floor(double(x))); }
/// A normalised integer of `x` in [-1, 1] or [0, 1].
WAVEWRIGHT_INLINE uint32_t snorm16(float x) {
  float bounded = isNan(x) ? 0.0f : x > 1.0f ? 1.0f : x < -1.0f ? -1.0f : x;
  return uint32_t(int32_t(__builtin_rintf(bounded * 32767.0f))) & 0xffffu;
}
WAVEWRIGHT_INLINE uint32_t unorm16(float x) {
  float bounded = isNan(x) ? 0.0f : x > 1.0f ? 1.0f : x < 0.0f ? 0.0f : x;
  return uint32_t(int32_t(__builtin_rintf(bounded * 65535.0f))) & 0xffffu;
}
WAVEWRIGHT_INLINE uint32_t insertByte(float x, uint32_t position, uint32_t old) {
  uint32_t value = uint32_t(toI32(x < 0.0f || isNan(x) ? 0.0 : x > 255.0f ? 255.0 : double(__builtin_rintf(x))));
  unsigned shift = 8 * (position & 3);
  return (old & ~(0xffu << shift)) | value << shift;
}
WAVEWRIGHT_INLINE uint32_t halfByMode(const Wave &w, float x) {
  return floatToHalfMode(x, w.mode >> 2 & 3, w.mode & mode::Fp16Overflow);
}
WAVEWRIGHT_INLINE float quieted(float x) { return isNan(x) ? quiet(x) : x; }

// Eight-bit floats: small_float.h ------------------------------------------------------------------
bool isFnuz(const Context &c) { return c.target->generation == Generation::Cdna3; }
bool saturates(const Wave &w) { return w.mode >> 23 & 1; }

/// v_cvt_f32_fp8/bf8: the byte is picked by SDWA (gfx942) or by op_sel (gfx950, gfx12).
template <Small K> void smallToF32(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0);
  unsigned byte = unsigned(m.payload);
  for (unsigned l = 0; l < w.lanes; ++l)
    c.results[0].lane[l] = bitsOf(decodeSmall<K>(isFnuz(c), byteOf(a[l], byte)));
  commit(c, w, m, mask);
}
/// v_cvt_pk_f32_fp8/bf8: two bytes of a half to two registers.
template <Small K> void smallToF32Pair(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0);
  unsigned first = m.payload ? 2 : 0;
  for (unsigned l = 0; l < w.lanes; ++l) {
    c.results[0].lane[l] = bitsOf(decodeSmall<K>(isFnuz(c), byteOf(a[l], first)));
    c.results[1].lane[l] = bitsOf(decodeSmall<K>(isFnuz(c), byteOf(a[l], first + 1)));
  }
  commit(c, w, m, mask);
}
/// v_cvt_pk_fp8/bf8_f32: two bytes of a half; the other half is kept.
template <Small K> void pairToSmall(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1);
  const uint32_t *old = w.vgpr[m.dst].lane;
  unsigned shift = m.dstHigh ? 16 : 0;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t pair = encodeSmall<K>(isFnuz(c), floatOf(a[l]), false, 0, saturates(w)) |
                    encodeSmall<K>(isFnuz(c), floatOf(b[l]), false, 0, saturates(w)) << 8;
    c.results[0].lane[l] = (old[l] & ~(0xffffu << shift)) | pair << shift;
  }
  writeRow(w, m.dst, c.results[0].lane, mask);
}
/// v_cvt_sr_fp8/bf8_f32: stochastic rounding by S1; op_sel picks the byte.
template <Small K> void stochasticToSmall(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1);
  const uint32_t *old = w.vgpr[m.dst].lane;
  unsigned shift = 8 * unsigned(m.payload);
  for (unsigned l = 0; l < w.lanes; ++l)
    c.results[0].lane[l] =
        (old[l] & ~(0xffu << shift)) | encodeSmall<K>(isFnuz(c), floatOf(a[l]), true, b[l], saturates(w)) << shift;
  writeRow(w, m.dst, c.results[0].lane, mask);
}

/// v_cvt_pkaccum_u8: the byte goes into the old value of the result.
void accumulateByte(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *position = fetch(c, w, m, 1), *old = w.vgpr[m.dst].lane;
  for (unsigned l = 0; l < w.lanes; ++l)
    c.results[0].lane[l] = insertByte(floatOf(a[l]), position[l], old[l]);
  writeRow(w, m.dst, c.results[0].lane, mask);
}

/// The byte of the source: SDWA, op_sel and byte_sel all arrive as a part.
const char *pickByte(const codeobject::Instruction &i, const Target &target, MicroOp &m) {
  codeobject::Part part = i.src[0].part;
  m.payload = part >= codeobject::Part::Byte0    ? unsigned(part) - unsigned(codeobject::Part::Byte0)
              : part == codeobject::Part::High16 ? 2
                                                 : 0;
  m.src[0].part = codeobject::Part::Whole;
  m.src[0].modifiers &= ModDpp;
  m.src[0].slow =
      m.src[0].modifiers != 0 || m.src[0].kind == Source::Kind::Scalar || m.src[0].kind == Source::Kind::Special;
  return nullptr;
}
const char *pickHalf(const codeobject::Instruction &i, const Target &target, MicroOp &m) {
  pickByte(i, target, m);
  m.payload = m.payload >= 2;
  return nullptr;
}

/// The byte of the result, as the decoder found it in op_sel or byte_sel.
const char *pickResultByte(const codeobject::Instruction &i, const Target &target, MicroOp &m) {
  codeobject::Part part = i.dst[0].part;
  m.payload = part >= codeobject::Part::Byte0 ? unsigned(part) - unsigned(codeobject::Part::Byte0) : 0;
  return nullptr;
}

constexpr Shape From32{Type::F32, Type::None, {Type::B32}};
constexpr Shape To64{Type::PkF32, Type::None, {Type::B32}};
constexpr Shape Pair{Type::B32, Type::None, {Type::F32, Type::F32}};
constexpr Shape Stochastic{Type::B32, Type::None, {Type::F32, Type::B32}};

constexpr Semantics table[] = {
    VOP1_ROUND("v_cvt_f32_i32", Any, F32, (I32), float(a)),
    VOP1_ROUND("v_cvt_f32_u32", Any, F32, (U32), float(a)),
    VOP1("v_cvt_i32_f32", Any, I32, (F32), toI32(a)),
    VOP1("v_cvt_u32_f32", Any, U32, (F32), toU32(a)),
    VOP1("v_cvt_rpi_i32_f32", Gfx9, I32, (F32), nearestUp(a)),
    VOP1("v_cvt_flr_i32_f32", Gfx9, I32, (F32), floored(a)),
    VOP1("v_cvt_nearest_i32_f32", Gfx11Up, I32, (F32), nearestUp(a)),
    VOP1("v_cvt_floor_i32_f32", Gfx11Up, I32, (F32), floored(a)),
    VOP1("v_cvt_f32_ubyte0", Any, F32, (U32), float(int32_t(byteOf(a, 0)))),
    VOP1("v_cvt_f32_ubyte1", Any, F32, (U32), float(int32_t(byteOf(a, 1)))),
    VOP1("v_cvt_f32_ubyte2", Any, F32, (U32), float(int32_t(byteOf(a, 2)))),
    VOP1("v_cvt_f32_ubyte3", Any, F32, (U32), float(int32_t(byteOf(a, 3)))),
    VOP1("v_cvt_off_f32_i4", Any, F32, (U32), float(int32_t(a << 28) >> 28) * 0.0625f),
    VOP3("v_cvt_pk_u8_f32", Any, U32, (F32, U32, U32), insertByte(a, b, c)),

    {"v_cvt_pkaccum_u8_f32", chips::Gfx9, accumulateByte, {Type::B32, Type::None, {Type::F32, Type::B32}}},

    VOP1("v_cvt_f32_f16", Any, F32, (F16), quieted(a)),
    VOP1_ROUND("v_cvt_f16_f32", Any, F16, (F32), a),
    VOP1_ROUND("v_cvt_f16_i16", Any, F16, (I16), float(a)),
    VOP1_ROUND("v_cvt_f16_u16", Any, F16, (U16), float(a)),
    VOP1("v_cvt_i16_f16", Any, I16, (F16), toI16(a)),
    VOP1("v_cvt_u16_f16", Any, U16, (F16), toU16(a)),
    VOP1("v_cvt_i32_i16", Gfx11Up, I32, (I16), a),
    VOP1("v_cvt_u32_u16", Gfx11Up, U32, (U16), a),
    VOP2("v_cvt_pkrtz_f16_f32", Gfx9, U32, (F32, F32), floatToHalfTowardZero(a) | floatToHalfTowardZero(b) << 16),
    VOP2("v_cvt_pk_rtz_f16_f32", Gfx11Up, U32, (F32, F32), floatToHalfTowardZero(a) | floatToHalfTowardZero(b) << 16),
    VOP2_ROUND2("v_cvt_pk_f16_f32", Gfx950, PkF16, (F32, F32), floatToHalf(a) | floatToHalf(b) << 16,
                halfByMode(w, a) | halfByMode(w, b) << 16),
    VOP2("v_cvt_pk_bf16_f32", Gfx950, U32, (F32, F32), floatToBf16(a) | floatToBf16(b) << 16),
    VOP1("v_cvt_f32_bf16", Gfx950, F32, (BF16), quieted(a)),
    VOP2("v_cvt_pknorm_i16_f32", Gfx9, U32, (F32, F32), snorm16(a) | snorm16(b) << 16),
    VOP2("v_cvt_pknorm_u16_f32", Gfx9, U32, (F32, F32), unorm16(a) | unorm16(b) << 16),
    VOP2("v_cvt_pk_norm_i16_f32", Gfx11Up, U32, (F32, F32), snorm16(a) | snorm16(b) << 16),
    VOP2("v_cvt_pk_norm_u16_f32", Gfx11Up, U32, (F32, F32), unorm16(a) | unorm16(b) << 16),
    VOP2("v_cvt_pknorm_i16_f16", Gfx9, U32, (F16, F16), snorm16(a) | snorm16(b) << 16),
    VOP2("v_cvt_pknorm_u16_f16", Gfx9, U32, (F16, F16), unorm16(a) | unorm16(b) << 16),
    VOP2("v_cvt_pk_norm_i16_f16", Gfx11Up, U32, (F16, F16), snorm16(a) | snorm16(b) << 16),
    VOP2("v_cvt_pk_norm_u16_f16", Gfx11Up, U32, (F16, F16), unorm16(a) | unorm16(b) << 16),
    VOP1("v_cvt_norm_i16_f16", Any, U16, (F16), snorm16(a)),
    VOP1("v_cvt_norm_u16_f16", Any, U16, (F16), unorm16(a)),
    VOP2("v_cvt_pk_u16_u32", Any, U32, (U32, U32), (a > 0xffffu ? 0xffffu : a) | (b > 0xffffu ? 0xffffu : b) << 16),
    VOP2("v_cvt_pk_i16_i32", Any, U32, (I32, I32),
         (uint32_t(a < -32768  ? -32768
                   : a > 32767 ? 32767
                               : a) &
          0xffffu) |
             uint32_t(b < -32768  ? -32768
                      : b > 32767 ? 32767
                                  : b)
                 << 16),
    VOP2("v_cvt_pk_i16_f32", Gfx11Up, U32, (F32, F32),
         uint32_t(uint16_t(toI16(a))) | uint32_t(uint16_t(toI16(b))) << 16),
    VOP2("v_cvt_pk_u16_f32", Gfx11Up, U32, (F32, F32), uint32_t(toU16(a)) | uint32_t(toU16(b)) << 16),

    VOP1("v_cvt_f64_i32", Any, F64, (I32), double(a)),
    VOP1("v_cvt_f64_u32", Any, F64, (U32), double(a)),
    VOP1("v_cvt_f64_f32", Any, F64, (F32), double(a)),
    VOP1_ROUND("v_cvt_f32_f64", Any, F32, (F64), float(a)),
    VOP1("v_cvt_i32_f64", Any, I32, (F64), toI32(a)),
    VOP1("v_cvt_u32_f64", Any, U32, (F64), toU32(a)),

    {"v_cvt_f32_fp8", chips::Any, smallToF32<Small::E4M3>, From32, OpClass::Valu, nullptr, pickByte},
    {"v_cvt_f32_bf8", chips::Any, smallToF32<Small::E5M2>, From32, OpClass::Valu, nullptr, pickByte},
    {"v_cvt_pk_f32_fp8", chips::Any, smallToF32Pair<Small::E4M3>, To64, OpClass::Valu, nullptr, pickHalf},
    {"v_cvt_pk_f32_bf8", chips::Any, smallToF32Pair<Small::E5M2>, To64, OpClass::Valu, nullptr, pickHalf},
    {"v_cvt_pk_fp8_f32", chips::Any, pairToSmall<Small::E4M3>, Pair},
    {"v_cvt_pk_bf8_f32", chips::Any, pairToSmall<Small::E5M2>, Pair},
    {"v_cvt_sr_fp8_f32", chips::Any, stochasticToSmall<Small::E4M3>, Stochastic, OpClass::Valu, nullptr,
     pickResultByte},
    {"v_cvt_sr_bf8_f32", chips::Any, stochasticToSmall<Small::E5M2>, Stochastic, OpClass::Valu, nullptr,
     pickResultByte},
};

} // namespace
WAVEWRIGHT_FAMILY(convertFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
