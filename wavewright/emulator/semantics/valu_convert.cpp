//===- emulator/semantics/valu_convert.cpp - conversions between formats --------------------------===//
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
WAVEWRIGHT_INLINE float quieted(float x) { return isNan(x) ? quiet(x) : x; }

// Eight-bit floats ---------------------------------------------------------------------------------
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

/// `dither` is added below the kept bits: 0 asks for nearest even. Too large saturates when MODE.FP16_OVFL says so
/// (bit 23), else becomes NaN or infinity.
template <Small K, bool Fnuz> WAVEWRIGHT_INLINE uint32_t floatToSmall(float x, bool stochastic, uint32_t dither,
                                                                      bool saturate) {
  constexpr unsigned mantissa = K == Small::E4M3 ? 3 : 2;
  constexpr int bias = (K == Small::E4M3 ? 7 : 15) + (Fnuz ? 1 : 0);
  constexpr uint32_t largest = K == Small::E4M3 ? (Fnuz ? 0x7fu : 0x7eu) : (Fnuz ? 0x7fu : 0x7bu);
  constexpr uint32_t notANumber = Fnuz ? 0x80u : 0x7fu;
  constexpr uint32_t infinite = Fnuz ? 0x80u : K == Small::E4M3 ? 0x7fu : 0x7cu;
  uint32_t bits = bitsOf(x), sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return Fnuz ? notANumber : sign | notANumber;
  uint32_t tooLarge = saturate ? sign | largest : Fnuz ? infinite : sign | infinite;
  if (magnitude == 0x7f800000u)
    return tooLarge;
  if (magnitude == 0)
    return Fnuz ? 0 : sign;
  int exponent = int(magnitude >> 23) - 127;
  uint64_t significand = magnitude >> 23 ? (magnitude & 0x7fffffu) | 0x800000u : magnitude & 0x7fffffu;
  if (!(magnitude >> 23))
    exponent = -126;
  int lowest = 1 - bias;
  int drop = 23 - int(mantissa) + (exponent < lowest ? lowest - exponent : 0);
  uint64_t kept;
  if (drop >= 40)
    kept = 0;
  else if (stochastic)
    kept = (significand + (uint64_t(dither) >> 12 << (drop > 20 ? drop - 20 : 0))) >> drop;
  else
    kept = (significand + ((1ull << (drop - 1)) - 1) + (significand >> drop & 1)) >> drop;
  // Exponent field and mantissa together: a carry out of the mantissa moves into the exponent.
  uint32_t field = exponent < lowest ? uint32_t(kept)
                                     : uint32_t(kept - (1u << mantissa)) + (uint32_t(exponent + bias) << mantissa);
  if (field > largest)
    return tooLarge;
  return Fnuz && field == 0 ? 0 : sign | field;
}

template <Small K> WAVEWRIGHT_INLINE float decodeSmall(bool fnuz, uint32_t x) {
  return fnuz ? smallToFloat<K, true>(x) : smallToFloat<K, false>(x);
}
template <Small K> WAVEWRIGHT_INLINE uint32_t encodeSmall(bool fnuz, float x, bool stochastic, uint32_t dither,
                                                          bool saturate) {
  return fnuz ? floatToSmall<K, true>(x, stochastic, dither, saturate)
              : floatToSmall<K, false>(x, stochastic, dither, saturate);
}

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
    c.results[0].lane[l] = (old[l] & ~(0xffu << shift)) |
                           encodeSmall<K>(isFnuz(c), floatOf(a[l]), true, b[l], saturates(w)) << shift;
  writeRow(w, m.dst, c.results[0].lane, mask);
}

/// The byte that a part or op_sel names. Operands of these forms carry op_sel bits: bit 0 the half, bit 1 the byte.
const char *pickByte(const codeobject::Instruction &i, const Target &target, MicroOp &m) {
  const codeobject::Operand &s = i.src[0];
  switch (s.part) {
  case codeobject::Part::Byte0: case codeobject::Part::Byte1: case codeobject::Part::Byte2:
  case codeobject::Part::Byte3: m.payload = unsigned(s.part) - unsigned(codeobject::Part::Byte0); break;
  case codeobject::Part::High16: m.payload = 2; break;
  default: m.payload = 0; break;
  }
  if (s.opSel)
    m.payload = 2;
  if (i.src.size() > 1 && i.src[1].opSel)
    m.payload |= 1;
  m.src[0].part = codeobject::Part::Whole;
  m.src[0].modifiers &= ModDpp;
  m.src[0].slow = m.src[0].modifiers != 0 || m.src[0].kind == Source::Kind::Scalar ||
                  m.src[0].kind == Source::Kind::Special;
  return nullptr;
}
const char *pickHalf(const codeobject::Instruction &i, const Target &target, MicroOp &m) {
  pickByte(i, target, m);
  m.payload = m.payload >= 2;
  return nullptr;
}

/// The byte of the result: op_sel[3] its half, op_sel[2] the byte in it.
const char *pickResultByte(const codeobject::Instruction &i, const Target &target, MicroOp &m) {
  m.payload = (i.dstHigh16 ? 2 : 0) | (i.src.size() > 2 && i.src[2].opSel ? 1 : 0);
  return nullptr;
}

constexpr Shape From32{Type::B32, Type::None, {Type::B32}};
constexpr Shape To64{Type::B64, Type::None, {Type::B32}};
constexpr Shape Pair{Type::B32, Type::None, {Type::F32, Type::F32}};
constexpr Shape Stochastic{Type::B32, Type::None, {Type::F32, Type::B32}};

constexpr Semantics table[] = {
    VOP1("v_cvt_f32_i32", Any, F32, (I32), float(a)),
    VOP1("v_cvt_f32_u32", Any, F32, (U32), float(a)),
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

    VOP1("v_cvt_f32_f16", Any, F32, (F16), quieted(a)),
    VOP1("v_cvt_f16_f32", Any, F16, (F32), a),
    VOP1("v_cvt_f16_i16", Any, F16, (I16), float(a)),
    VOP1("v_cvt_f16_u16", Any, F16, (U16), float(a)),
    VOP1("v_cvt_i16_f16", Any, I16, (F16), toI16(a)),
    VOP1("v_cvt_u16_f16", Any, U16, (F16), toU16(a)),
    VOP1("v_cvt_i32_i16", Gfx11Up, I32, (I16), a),
    VOP1("v_cvt_u32_u16", Gfx11Up, U32, (U16), a),
    VOP2("v_cvt_pkrtz_f16_f32", Gfx9, U32, (F32, F32), floatToHalfTowardZero(a) | floatToHalfTowardZero(b) << 16),
    VOP2("v_cvt_pk_rtz_f16_f32", Gfx11Up, U32, (F32, F32), floatToHalfTowardZero(a) | floatToHalfTowardZero(b) << 16),
    VOP2("v_cvt_pk_f16_f32", Gfx950, U32, (F32, F32), floatToHalf(a) | floatToHalf(b) << 16),
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
    VOP2("v_cvt_pk_u16_u32", Any, U32, (U32, U32),
         (a > 0xffffu ? 0xffffu : a) | (b > 0xffffu ? 0xffffu : b) << 16),
    VOP2("v_cvt_pk_i16_i32", Any, U32, (I32, I32),
         (uint32_t(a < -32768 ? -32768 : a > 32767 ? 32767 : a) & 0xffffu) |
             uint32_t(b < -32768 ? -32768 : b > 32767 ? 32767 : b) << 16),
    VOP2("v_cvt_pk_i16_f32", Gfx11Up, U32, (F32, F32), uint32_t(uint16_t(toI16(a))) | uint32_t(uint16_t(toI16(b))) << 16),
    VOP2("v_cvt_pk_u16_f32", Gfx11Up, U32, (F32, F32), uint32_t(toU16(a)) | uint32_t(toU16(b)) << 16),

    VOP1("v_cvt_f64_i32", Any, F64, (I32), double(a)),
    VOP1("v_cvt_f64_u32", Any, F64, (U32), double(a)),
    VOP1("v_cvt_f64_f32", Any, F64, (F32), double(a)),
    VOP1("v_cvt_f32_f64", Any, F32, (F64), float(a)),
    VOP1("v_cvt_i32_f64", Any, I32, (F64), toI32(a)),
    VOP1("v_cvt_u32_f64", Any, U32, (F64), toU32(a)),

    {"v_cvt_f32_fp8", chips::Any, smallToF32<Small::E4M3>, From32, OpClass::Valu, nullptr, pickByte},
    {"v_cvt_f32_bf8", chips::Any, smallToF32<Small::E5M2>, From32, OpClass::Valu, nullptr, pickByte},
    {"v_cvt_pk_f32_fp8", chips::Any, smallToF32Pair<Small::E4M3>, To64, OpClass::Valu, nullptr, pickHalf},
    {"v_cvt_pk_f32_bf8", chips::Any, smallToF32Pair<Small::E5M2>, To64, OpClass::Valu, nullptr, pickHalf},
    {"v_cvt_pk_fp8_f32", chips::Any, pairToSmall<Small::E4M3>, Pair},
    {"v_cvt_pk_bf8_f32", chips::Any, pairToSmall<Small::E5M2>, Pair},
    {"v_cvt_sr_fp8_f32", chips::Any, stochasticToSmall<Small::E4M3>, Stochastic, OpClass::Valu, nullptr, pickResultByte},
    {"v_cvt_sr_bf8_f32", chips::Any, stochasticToSmall<Small::E5M2>, Stochastic, OpClass::Valu, nullptr, pickResultByte},
};

} // namespace
WAVEWRIGHT_FAMILY(convertFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
