//===- emulator/semantics/valu_scale.cpp - gfx950 conversions with a block scale ------------------===//
//
// v_cvt_scalef32_*: the scale is a power of two, the exponent field of an f32. Narrowing divides by it before the one
// rounding, widening multiplies by it. The forms with 32 elements (fp6, bf6) and stochastic rounding are not here.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/small_float.h"
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

enum class Format { F32, F16, BF16, Fp8, Bf8, Fp4 };

int exponentOfScale(uint32_t scale) { return int(scale >> 23 & 0xff) - 127; }

float widen(Format f, uint32_t x) {
  switch (f) {
  case Format::F32:
    return floatOf(x);
  case Format::F16:
    return halfToFloat(x & 0xffffu);
  case Format::BF16:
    return bf16ToFloat(x & 0xffffu);
  case Format::Fp8:
    return smallToFloat<Small::E4M3, false>(x & 0xffu);
  case Format::Bf8:
    return smallToFloat<Small::E5M2, false>(x & 0xffu);
  case Format::Fp4:
    return fp4ToFloat(x & 0xfu);
  }
  return 0;
}
uint32_t narrow(Format f, float x, bool saturate) {
  switch (f) {
  case Format::F32:
    return bitsOf(x);
  case Format::F16:
    return floatToHalf(x);
  case Format::BF16:
    return floatToBf16(x);
  case Format::Fp8:
    return floatToSmall<Small::E4M3, false>(x, false, 0, saturate);
  case Format::Bf8:
    return floatToSmall<Small::E5M2, false>(x, false, 0, saturate);
  case Format::Fp4:
    return floatToFp4(x);
  }
  return 0;
}
constexpr unsigned bitsOfFormat(Format f) {
  return f == Format::F32 ? 32 : f == Format::F16 || f == Format::BF16 ? 16 : f == Format::Fp4 ? 4 : 8;
}

/// Two wide values to two narrow ones, put into the byte or half of the result that payload names.
template <Format From, Format To> void pack(Context &c, Wave &w, const MicroOp &m) {
  constexpr bool two = From == Format::F32; // two registers, else the halves of one
  constexpr unsigned bits = bitsOfFormat(To);
  constexpr uint32_t field = (1u << (2 * bits)) - 1;
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *b = two ? fetch(c, w, m, 1) : a, *scale = fetch(c, w, m, two ? 2 : 1);
  const uint32_t *old = w.vgpr[m.dst].lane;
  unsigned shift = 2 * bits * unsigned(m.payload);
  bool saturate = w.mode >> 23 & 1;
  for (unsigned l = 0; l < w.lanes; ++l) {
    int by = -exponentOfScale(scale[l]);
    float x = scaleFloat(widen(From, a[l]), by), y = scaleFloat(widen(From, two ? b[l] : a[l] >> 16), by);
    uint32_t pair = narrow(To, x, saturate) | narrow(To, y, saturate) << bits;
    c.results[0].lane[l] = (old[l] & ~(field << shift)) | pair << shift;
  }
  writeRow(w, m.dst, c.results[0].lane, mask);
}

/// Two narrow values, from the byte or half that payload names, to two wide ones.
template <Format From, Format To> void unpack(Context &c, Wave &w, const MicroOp &m) {
  constexpr unsigned bits = bitsOfFormat(From);
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *scale = fetch(c, w, m, 1);
  unsigned shift = 2 * bits * unsigned(m.payload);
  for (unsigned l = 0; l < w.lanes; ++l) {
    int by = exponentOfScale(scale[l]);
    uint32_t x = narrow(To, scaleFloat(widen(From, a[l] >> shift), by), false);
    uint32_t y = narrow(To, scaleFloat(widen(From, a[l] >> shift >> bits), by), false);
    c.results[0].lane[l] = To == Format::F32 ? x : x | y << 16;
    c.results[1].lane[l] = y;
  }
  writeRow(w, m.dst, c.results[0].lane, mask);
  if (To == Format::F32)
    writeRow(w, uint16_t(m.dst + 1), c.results[1].lane, mask);
}

/// One byte to f32.
template <Format From> void unpackOne(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *scale = fetch(c, w, m, 1);
  for (unsigned l = 0; l < w.lanes; ++l)
    c.results[0].lane[l] = bitsOf(scaleFloat(widen(From, a[l] >> (8 * m.payload)), exponentOfScale(scale[l])));
  writeRow(w, m.dst, c.results[0].lane, mask);
}

unsigned partNumber(codeobject::Part part) {
  return part >= codeobject::Part::Byte0 ? unsigned(part) - unsigned(codeobject::Part::Byte0)
                                         : part == codeobject::Part::High16;
}
const char *resultPart(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  m.payload = i.dst[0].part == codeobject::Part::Whole ? i.dstHigh16 : partNumber(i.dst[0].part);
  return nullptr;
}
const char *sourcePart(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  m.payload = partNumber(i.src[0].part);
  m.src[0].part = codeobject::Part::Whole;
  m.src[0].slow = m.src[0].kind == Source::Kind::Scalar || m.src[0].kind == Source::Kind::Special;
  return nullptr;
}

constexpr Shape Three{Type::B32, Type::None, {Type::B32, Type::B32, Type::B32}};
constexpr Shape Two{Type::B32, Type::None, {Type::B32, Type::B32}},
    TwoWide{Type::B64, Type::None, {Type::B32, Type::B32}};

#define PACK(NARROW, TO)                                                                                               \
  {"v_cvt_scalef32_pk_" NARROW "_f32",                                                                                 \
   chips::Gfx950,                                                                                                      \
   pack<Format::F32, Format::TO>,                                                                                      \
   Three,                                                                                                              \
   OpClass::Valu,                                                                                                      \
   nullptr,                                                                                                            \
   resultPart},                                                                                                        \
      {"v_cvt_scalef32_pk_" NARROW "_f16",                                                                             \
       chips::Gfx950,                                                                                                  \
       pack<Format::F16, Format::TO>,                                                                                  \
       Two,                                                                                                            \
       OpClass::Valu,                                                                                                  \
       nullptr,                                                                                                        \
       resultPart},                                                                                                    \
  {                                                                                                                    \
    "v_cvt_scalef32_pk_" NARROW "_bf16", chips::Gfx950, pack<Format::BF16, Format::TO>, Two, OpClass::Valu, nullptr,   \
        resultPart                                                                                                     \
  }
#define UNPACK(NARROW, FROM)                                                                                           \
  {"v_cvt_scalef32_pk_f32_" NARROW,                                                                                    \
   chips::Gfx950,                                                                                                      \
   unpack<Format::FROM, Format::F32>,                                                                                  \
   TwoWide,                                                                                                            \
   OpClass::Valu,                                                                                                      \
   nullptr,                                                                                                            \
   sourcePart},                                                                                                        \
      {"v_cvt_scalef32_pk_f16_" NARROW,                                                                                \
       chips::Gfx950,                                                                                                  \
       unpack<Format::FROM, Format::F16>,                                                                              \
       Two,                                                                                                            \
       OpClass::Valu,                                                                                                  \
       nullptr,                                                                                                        \
       sourcePart},                                                                                                    \
  {                                                                                                                    \
    "v_cvt_scalef32_pk_bf16_" NARROW, chips::Gfx950, unpack<Format::FROM, Format::BF16>, Two, OpClass::Valu, nullptr,  \
        sourcePart                                                                                                     \
  }

constexpr Semantics table[] = {
    PACK("fp8", Fp8),
    PACK("bf8", Bf8),
    PACK("fp4", Fp4),
    UNPACK("fp8", Fp8),
    UNPACK("bf8", Bf8),
    UNPACK("fp4", Fp4),
    {"v_cvt_scalef32_f32_fp8", chips::Gfx950, unpackOne<Format::Fp8>, Two, OpClass::Valu, nullptr, sourcePart},
    {"v_cvt_scalef32_f32_bf8", chips::Gfx950, unpackOne<Format::Bf8>, Two, OpClass::Valu, nullptr, sourcePart},
};

} // namespace
WAVEWRIGHT_FAMILY(scaleFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
