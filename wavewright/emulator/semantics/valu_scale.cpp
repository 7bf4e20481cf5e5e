//===- emulator/semantics/valu_scale.cpp - gfx950 conversions with a block scale, and stochastic ones ---===//
//
// v_cvt_scalef32_*: the scale is a power of two, the exponent field of an f32 (255 is not a number). Narrowing divides
// by it before the one rounding, widening multiplies by it. Stochastic rounding adds the upper bits of the seed below
// the bits that stay; what falls off when a number is shifted down to the format's least exponent does not take part
// (captured on gfx1201 for v_cvt_sr_fp8; assumed here). All is integer arithmetic on significands.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

enum class Format : uint8_t { F32, F16, BF16, Fp8, Bf8, Fp6, Bf6, Fp4 };

/// Codes without their sign. A format without infinity has 0 there and stops at `largest`; one without NaN too.
struct Layout {
  unsigned bits, mantissa;
  int bias;
  uint32_t largest, infinity, nan;
};
constexpr Layout layouts[] = {{32, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fc00000},
                              {16, 10, 15, 0x7bff, 0x7c00, 0x7e00},
                              {16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0},
                              {8, 3, 7, 0x7e, 0x7f, 0x7f},
                              {8, 2, 15, 0x7b, 0x7c, 0x7e},
                              {6, 3, 1, 0x1f, 0, 0},
                              {6, 2, 3, 0x1f, 0, 0},
                              {4, 1, 1, 0x7, 0, 0}};
constexpr const Layout &layoutOf(Format f) { return layouts[unsigned(f)]; }

/// (-1)^negative * significand * 2^(exponent - 23), the significand's leading bit being bit 23.
struct Number {
  enum Kind : uint8_t { Zero, Finite, Infinite, NotANumber } kind;
  bool negative;
  int exponent;
  uint32_t significand;
};

WAVEWRIGHT_INLINE Number decode(const Layout &f, uint32_t code) {
  uint32_t magnitude = code & ((1u << (f.bits - 1)) - 1);
  Number n{Number::Finite, bool(code >> (f.bits - 1) & 1), 0, 0};
  if (f.nan && magnitude > f.largest)
    n.kind = magnitude == f.infinity && f.infinity != f.nan ? Number::Infinite : Number::NotANumber;
  else if (!magnitude)
    n.kind = Number::Zero;
  uint32_t field = magnitude >> f.mantissa, fraction = magnitude & ((1u << f.mantissa) - 1);
  if (!field && fraction) { // subnormal: bring the leading bit up
    unsigned up = unsigned(__builtin_clz(fraction)) - 8;
    n.significand = fraction << up;
    n.exponent = 1 - f.bias + 23 - int(f.mantissa) - int(up);
  } else {
    n.significand = (fraction | 1u << f.mantissa) << (23 - f.mantissa);
    n.exponent = int(field) - f.bias;
  }
  return n;
}

WAVEWRIGHT_INLINE uint32_t encode(const Layout &f, Number n, bool stochastic, uint32_t seed, bool saturate) {
  uint32_t sign = uint32_t(n.negative) << (f.bits - 1);
  if (n.kind == Number::NotANumber) // eight bits have one NaN, with the sign set (captured on gfx1201)
    return f.bits == 8 ? 0x80u | f.nan | (f.mantissa == 3) : sign | (f.nan ? f.nan : f.largest);
  if (n.kind == Number::Infinite)
    return sign | (f.infinity ? f.infinity : f.largest);
  if (n.kind == Number::Zero)
    return sign;
  uint32_t tooLarge = sign | (saturate || !f.infinity ? f.largest : f.infinity);
  int least = 1 - f.bias, below = n.exponent < least ? least - n.exponent : 0;
  uint64_t kept = 0;
  unsigned dropped = 23 - f.mantissa;
  if (stochastic)
    kept = ((below < 32 ? n.significand >> below : 0) + (seed >> (9 + f.mantissa))) >> dropped;
  else if (dropped + unsigned(below) == 0)
    kept = n.significand;
  else if (below < 32)
    kept = (n.significand + ((1ull << (dropped + below - 1)) - 1) + (n.significand >> (dropped + below) & 1)) >>
           (dropped + below);
  // Exponent field and mantissa together: a carry out of the mantissa moves into the exponent.
  int64_t field =
      below ? int64_t(kept) : int64_t(kept) - (1ll << f.mantissa) + (int64_t(n.exponent + f.bias) << f.mantissa);
  return field > int64_t(f.largest) ? tooLarge : sign | uint32_t(field);
}

/// Bits of MicroOp::payload: the part of the register, and the sign modifiers of the elements of src[0].
constexpr uint64_t PartMask = 0xff, NegateElements = 0x100, AbsoluteElements = 0x200;

template <Format From, Format To>
WAVEWRIGHT_INLINE uint32_t convert(uint64_t payload, uint32_t code, uint32_t scale, int direction, bool stochastic,
                                   uint32_t seed, bool saturate) {
  Number n = decode(layoutOf(From), code);
  n.negative = (n.negative && !(payload & AbsoluteElements)) != bool(payload & NegateElements);
  int field = int(scale >> 23 & 0xff);
  n.exponent += direction * (field - 127);
  if (field == 255)
    n.kind = Number::NotANumber;
  return encode(layoutOf(To), n, stochastic, seed, saturate);
}

bool saturates(const Wave &w) { return w.mode & mode::Fp16Overflow; }

/// Two wide values to two narrow ones, put into the byte or half of the result that payload names. f32 stand in two
/// operands, or with a seed in a pair of registers.
template <Format From, Format To, bool Seeded> void pack(Context &c, Wave &w, const MicroOp &m) {
  constexpr bool wide = From == Format::F32;
  constexpr unsigned bits = layoutOf(To).bits;
  constexpr uint32_t field = (1u << (2 * bits)) - 1;
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *b = !wide ? a : Seeded ? fetch(c, w, m, 0, 1) : fetch(c, w, m, 1);
  const uint32_t *seed = Seeded ? fetch(c, w, m, 1) : a, *scale = fetch(c, w, m, wide || Seeded ? 2 : 1);
  const uint32_t *old = w.vgpr[m.dst].lane;
  unsigned shift = 2 * bits * unsigned(m.payload & PartMask);
  bool saturate = saturates(w);
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t low = wide ? a[l] : a[l] & 0xffffu, high = wide ? b[l] : a[l] >> 16;
    uint32_t pair = convert<From, To>(m.payload, low, scale[l], -1, Seeded, seed[l], saturate) |
                    convert<From, To>(m.payload, high, scale[l], -1, Seeded, seed[l], saturate) << bits;
    c.results[0].lane[l] = (old[l] & ~(field << shift)) | pair << shift;
  }
  writeRow(w, m.dst, c.results[0].lane, mask);
}

/// One wide value to the byte of the result that payload names, by a seed.
template <Format From, Format To> void packOne(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *seed = fetch(c, w, m, 1), *scale = fetch(c, w, m, 2);
  const uint32_t *old = w.vgpr[m.dst].lane;
  unsigned shift = 8 * unsigned(m.payload & PartMask);
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t code = From == Format::F32 ? a[l] : a[l] & 0xffffu;
    uint32_t byte = convert<From, To>(m.payload, code, scale[l], -1, true, seed[l], saturates(w));
    c.results[0].lane[l] = (old[l] & ~(0xffu << shift)) | byte << shift;
  }
  writeRow(w, m.dst, c.results[0].lane, mask);
}

/// Two narrow values, from the byte or half that payload names, to two wide ones.
template <Format From, Format To> void unpack(Context &c, Wave &w, const MicroOp &m) {
  constexpr unsigned bits = layoutOf(From).bits;
  constexpr uint32_t field = (1u << bits) - 1;
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *scale = fetch(c, w, m, 1);
  unsigned shift = 2 * bits * unsigned(m.payload & PartMask);
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t x = convert<From, To>(0, a[l] >> shift & field, scale[l], 1, false, 0, false);
    uint32_t y = convert<From, To>(0, a[l] >> shift >> bits & field, scale[l], 1, false, 0, false);
    c.results[0].lane[l] = To == Format::F32 ? x : x | y << 16;
    c.results[1].lane[l] = y;
  }
  writeRow(w, m.dst, c.results[0].lane, mask);
  if (To == Format::F32)
    writeRow(w, uint16_t(m.dst + 1), c.results[1].lane, mask);
}

/// One byte to f32, or to a half of the result.
template <Format From, Format To> void unpackOne(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *scale = fetch(c, w, m, 1);
  for (unsigned l = 0; l < w.lanes; ++l)
    c.results[0].lane[l] =
        convert<From, To>(0, a[l] >> (8 * (m.payload & PartMask)) & 0xffu, scale[l], 1, false, 0, false);
  commit(c, w, m, mask);
}

// Thirty-two elements --------------------------------------------------------------------------------
constexpr unsigned Elements = 32;
WAVEWRIGHT_INLINE uint32_t element(const Row *rows, unsigned bits, unsigned i, unsigned lane) {
  unsigned at = i * bits, word = at / 32, offset = at % 32;
  uint64_t pair = rows[word].lane[lane];
  if (offset + bits > 32)
    pair |= uint64_t(rows[word + 1].lane[lane]) << 32;
  return uint32_t(pair >> offset) & uint32_t((1ull << bits) - 1);
}
/// `Interleaved`: src[0] holds the even elements, src[1] the odd ones.
template <Format From, Format To, bool Seeded, bool Interleaved>
void convertBlock(Context &c, Wave &w, const MicroOp &m) {
  constexpr unsigned from = layoutOf(From).bits, to = layoutOf(To).bits;
  constexpr int direction = to < from ? -1 : 1;
  uint64_t mask = activeLanes(w, m);
  const Row *a = &w.vgpr[m.src[0].index], *b = Interleaved ? &w.vgpr[m.src[1].index] : nullptr;
  const uint32_t *seed = Seeded ? fetch(c, w, m, 1) : nullptr, *scale = fetch(c, w, m, Seeded || Interleaved ? 2 : 1);
  Row out[to];
  bool saturate = direction < 0 && saturates(w);
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint64_t gathered = 0;
    unsigned filled = 0, word = 0;
    for (unsigned i = 0; i < Elements; ++i) {
      uint32_t code = Interleaved ? element(i % 2 ? b : a, from, i / 2, l) : element(a, from, i, l);
      gathered |=
          uint64_t(convert<From, To>(m.payload, code, scale[l], direction, Seeded, Seeded ? seed[l] : 0, saturate))
          << filled;
      for (filled += to; filled >= 32; filled -= 32, gathered >>= 32)
        out[word++].lane[l] = uint32_t(gathered);
    }
  }
  for (unsigned i = 0; i < to; ++i)
    writeRow(w, uint16_t(m.dst + i), out[i].lane, mask);
}

// v_cvt_sr_f16_f32, v_cvt_sr_bf16_f32: no scale.
template <Format To> void stochasticHalf(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *a = fetch(c, w, m, 0), *seed = fetch(c, w, m, 1);
  for (unsigned l = 0; l < w.lanes; ++l)
    c.results[0].lane[l] = encode(layoutOf(To), decode(layoutOf(Format::F32), a[l]), true, seed[l], saturates(w));
  commit(c, w, m, mask);
}

unsigned partNumber(codeobject::Part part) {
  return part >= codeobject::Part::Byte0 ? unsigned(part) - unsigned(codeobject::Part::Byte0)
                                         : part == codeobject::Part::High16;
}
/// Modifiers of src[0] act on its elements, so the row is fetched as it is.
void takeElements(const codeobject::Instruction &i, MicroOp &m) {
  Source &s = m.src[0];
  m.payload |= (i.src[0].neg ? NegateElements : 0) | (i.src[0].abs ? AbsoluteElements : 0);
  if (s.kind == Source::Kind::Constant)
    m.payload &= PartMask; // predecode has applied them
  s.modifiers &= ModDpp;
  s.part = codeobject::Part::Whole;
  s.slow = s.modifiers || s.kind == Source::Kind::Scalar || s.kind == Source::Kind::Special;
}
const char *resultPart(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  m.payload = i.dst[0].part == codeobject::Part::Whole ? i.dstHigh16 : partNumber(i.dst[0].part);
  takeElements(i, m);
  return nullptr;
}
const char *sourcePart(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  m.payload = partNumber(i.src[0].part);
  takeElements(i, m);
  m.payload &= PartMask;
  return nullptr;
}
const char *block(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  for (unsigned slot = 0; slot < i.src.size(); ++slot)
    if (i.src[slot].dwords > 1 && i.src[slot].kind != codeobject::Operand::Kind::Vgpr &&
        i.src[slot].kind != codeobject::Operand::Kind::Agpr)
      return "its block of elements is not in vector registers";
  m.payload = 0;
  takeElements(i, m);
  return nullptr;
}

constexpr Shape Three{Type::B32, Type::None, {Type::B32, Type::B32, Type::B32}};
constexpr Shape PairSeed{Type::B32, Type::None, {Type::B64, Type::B32, Type::B32}};
constexpr Shape Two{Type::B32, Type::None, {Type::B32, Type::B32}};
constexpr Shape TwoHalf{Type::B16, Type::None, {Type::B32, Type::B32}};
constexpr Shape TwoWide{Type::B64, Type::None, {Type::B32, Type::B32}};
constexpr Shape Block{Type::Raw, Type::None, {Type::Raw, Type::B32}};
constexpr Shape BlockThree{Type::Raw, Type::None, {Type::Raw, Type::B32, Type::B32}};
constexpr Shape TwoBlocks{Type::Raw, Type::None, {Type::Raw, Type::Raw, Type::B32}};

#define ROW(NAME, SHAPE, PREPARE, ...)                                                                                 \
  {"v_cvt_scalef32_" NAME, chips::Gfx950, __VA_ARGS__, SHAPE, OpClass::Valu, nullptr, PREPARE}
#define PACK(NARROW, TO)                                                                                               \
  ROW("pk_" NARROW "_f32", Three, resultPart, pack<Format::F32, Format::TO, false>),                                   \
      ROW("pk_" NARROW "_f16", Two, resultPart, pack<Format::F16, Format::TO, false>),                                 \
      ROW("pk_" NARROW "_bf16", Two, resultPart, pack<Format::BF16, Format::TO, false>)
#define PACK_ONE(NARROW, TO)                                                                                           \
  ROW("sr_" NARROW "_f32", Three, resultPart, packOne<Format::F32, Format::TO>),                                       \
      ROW("sr_" NARROW "_f16", Three, resultPart, packOne<Format::F16, Format::TO>),                                   \
      ROW("sr_" NARROW "_bf16", Three, resultPart, packOne<Format::BF16, Format::TO>)
#define UNPACK(NARROW, FROM)                                                                                           \
  ROW("pk_f32_" NARROW, TwoWide, sourcePart, unpack<Format::FROM, Format::F32>),                                       \
      ROW("pk_f16_" NARROW, Two, sourcePart, unpack<Format::FROM, Format::F16>),                                       \
      ROW("pk_bf16_" NARROW, Two, sourcePart, unpack<Format::FROM, Format::BF16>)
#define UNPACK_ONE(NARROW, FROM)                                                                                       \
  ROW("f32_" NARROW, Two, sourcePart, unpackOne<Format::FROM, Format::F32>),                                           \
      ROW("f16_" NARROW, TwoHalf, sourcePart, unpackOne<Format::FROM, Format::F16>)
#define BLOCK(SIX, FORMAT)                                                                                             \
  ROW("2xpk16_" SIX "_f32", TwoBlocks, block, convertBlock<Format::F32, Format::FORMAT, false, true>),                 \
      ROW("pk32_" SIX "_f16", Block, block, convertBlock<Format::F16, Format::FORMAT, false, false>),                  \
      ROW("pk32_" SIX "_bf16", Block, block, convertBlock<Format::BF16, Format::FORMAT, false, false>),                \
      ROW("sr_pk32_" SIX "_f32", BlockThree, block, convertBlock<Format::F32, Format::FORMAT, true, false>),           \
      ROW("sr_pk32_" SIX "_f16", BlockThree, block, convertBlock<Format::F16, Format::FORMAT, true, false>),           \
      ROW("sr_pk32_" SIX "_bf16", BlockThree, block, convertBlock<Format::BF16, Format::FORMAT, true, false>),         \
      ROW("pk32_f32_" SIX, Block, block, convertBlock<Format::FORMAT, Format::F32, false, false>),                     \
      ROW("pk32_f16_" SIX, Block, block, convertBlock<Format::FORMAT, Format::F16, false, false>),                     \
      ROW("pk32_bf16_" SIX, Block, block, convertBlock<Format::FORMAT, Format::BF16, false, false>)

constexpr Semantics table[] = {
    PACK("fp8", Fp8),
    PACK("bf8", Bf8),
    PACK("fp4", Fp4),
    ROW("sr_pk_fp4_f32", PairSeed, resultPart, pack<Format::F32, Format::Fp4, true>),
    ROW("sr_pk_fp4_f16", Three, resultPart, pack<Format::F16, Format::Fp4, true>),
    ROW("sr_pk_fp4_bf16", Three, resultPart, pack<Format::BF16, Format::Fp4, true>),
    PACK_ONE("fp8", Fp8),
    PACK_ONE("bf8", Bf8),
    UNPACK("fp8", Fp8),
    UNPACK("bf8", Bf8),
    UNPACK("fp4", Fp4),
    UNPACK_ONE("fp8", Fp8),
    UNPACK_ONE("bf8", Bf8),
    BLOCK("fp6", Fp6),
    BLOCK("bf6", Bf6),
    {"v_cvt_sr_f16_f32", chips::Gfx950, stochasticHalf<Format::F16>, {Type::B16, Type::None, {Type::F32, Type::B32}}},
    {"v_cvt_sr_bf16_f32", chips::Gfx950, stochasticHalf<Format::BF16>, {Type::B16, Type::None, {Type::F32, Type::B32}}},
};

} // namespace
WAVEWRIGHT_FAMILY(scaleFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
