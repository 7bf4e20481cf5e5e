//===- emulator/semantics/scalar/matrix_exact.cpp --------------------------------------------------===//
#include "wavewright/emulator/semantics/scalar/matrix_exact.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wavewright::emulator::matrix {
namespace {

/// The exponent that stands for "no such term" in a maximum.
constexpr int NoTerm = -4096;

/// A term of a sum: (-1)^negative * significand * 2^exponent.
struct Term {
  uint64_t significand = 0;
  int exponent = 0;
  bool negative = false;

  int leading() const { return significand ? exponent + int(std::bit_width(significand)) - 1 : NoTerm; }
};

uint64_t shifted(uint64_t value, int left) {
  if (left >= 0)
    return value << left;
  return left <= -64 ? 0 : value >> -left;
}
int64_t shiftedFloor(int64_t value, int left) {
  if (left >= 0)
    return int64_t(uint64_t(value) << left);
  return value >> std::min(-left, 63);
}
bool losesBits(uint64_t value, int left) {
  return left < 0 && (left <= -64 ? value != 0 : (value & ((uint64_t(1) << -left) - 1)) != 0);
}

Term product(const Factor &a, const Factor &b) {
  return {uint64_t(a.significand) * b.significand, a.exponent + b.exponent - a.fractionBits - b.fractionBits,
          a.negative != b.negative};
}
/// The term in units of 2^grid, cut toward zero.
int64_t truncated(const Term &t, int grid) {
  int64_t magnitude = int64_t(shifted(t.significand, t.exponent - grid));
  return t.negative ? -magnitude : magnitude;
}
/// The same, cut toward minus infinity.
int64_t floored(const Term &t, int grid) {
  int64_t magnitude = int64_t(shifted(t.significand, t.exponent - grid));
  if (!t.negative)
    return magnitude;
  return -magnitude - (losesBits(t.significand, t.exponent - grid) ? 1 : 0);
}

bool isNan32(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }
bool isInfinite32(uint32_t bits) { return (bits & 0x7fffffff) == 0x7f800000; }
constexpr uint32_t infinity(bool negative) { return negative ? 0xff800000 : 0x7f800000; }

Factor decodeIeee(uint32_t bits, int exponentBits, int fractionBits, int bias) {
  Factor f;
  uint32_t field = bits >> fractionBits & ((1u << exponentBits) - 1);
  uint32_t fraction = bits & ((1u << fractionBits) - 1);
  f.fractionBits = fractionBits;
  f.negative = bits >> (exponentBits + fractionBits) & 1;
  f.significand = field ? fraction | 1u << fractionBits : fraction;
  f.exponent = int(std::max(field, 1u)) - bias;
  if (field == (1u << exponentBits) - 1) {
    f.nan = fraction != 0;
    f.infinite = fraction == 0;
  }
  return f;
}

/// Rounds to the nearest value with `fractionBits` after the leading bit, not below the grid of subnormals.
uint32_t roundTo(int64_t units, int grid, int fractionBits, int minExponent, int maxExponent) {
  if (!units)
    return 0;
  bool negative = units < 0;
  uint64_t magnitude = negative ? uint64_t(-units) : uint64_t(units);
  int exponent = std::max(grid + int(std::bit_width(magnitude)) - 1, minExponent);
  // The unit in the last place of the result, and the rounding onto it.
  int drop = exponent - fractionBits - grid;
  uint64_t kept = shifted(magnitude, -drop);
  if (drop > 0) {
    uint64_t half = drop <= 64 ? uint64_t(1) << (drop - 1) : 0;
    uint64_t tail = drop >= 64 ? magnitude : magnitude & ((uint64_t(1) << drop) - 1);
    if (half && (tail > half || (tail == half && (kept & 1))))
      ++kept;
  }
  // A subnormal has exponent field 0; a carry out of the significand moves to the next field by itself.
  uint64_t field = kept >> fractionBits ? uint64_t(exponent - minExponent) << fractionBits : 0;
  uint64_t bits = field + kept;
  uint64_t limit = uint64_t(maxExponent - minExponent + 2) << fractionBits;
  bits = std::min(bits, limit);
  unsigned signBit = unsigned(std::bit_width(limit));
  return uint32_t(bits) | uint32_t(negative) << signBit;
}

} // namespace

uint32_t roundToF32(int64_t units, int grid) { return roundTo(units, grid, 23, -126, 127); }
uint32_t roundToF16(int64_t units, int grid) { return roundTo(units, grid, 10, -14, 15); }

uint32_t widen(Format format, uint32_t bits) {
  if (format == Format::Bf16)
    return bits << 16;
  Factor f = decode(Format::F16, bits);
  uint32_t sign = (bits & 0x8000) << 16;
  if (f.nan || f.infinite)
    return sign | 0x7f800000 | (bits & 0x3ff) << 13;
  return sign | roundToF32(f.significand, f.exponent - f.fractionBits);
}

Factor decode(Format format, uint32_t bits) {
  switch (format) {
  case Format::F16:
    return decodeIeee(bits, 5, 10, 15);
  case Format::Bf16:
    return decodeIeee(bits, 8, 7, 127);
  case Format::Xf32:
    return decodeIeee(bits >> 13, 8, 10, 127);
  case Format::Bf8:
    return decodeIeee(bits, 5, 2, 15);
  case Format::Fp8: {
    Factor f = decodeIeee(bits, 4, 3, 7);
    f.infinite = false;
    f.nan = (bits & 0x7f) == 0x7f;
    return f;
  }
  case Format::Fp8Fnuz:
  case Format::Bf8Fnuz: {
    Factor f = format == Format::Fp8Fnuz ? decodeIeee(bits, 4, 3, 8) : decodeIeee(bits, 5, 2, 16);
    f.infinite = false;
    f.nan = (bits & 0xff) == 0x80;
    return f;
  }
  case Format::Fp6:
  case Format::Bf6:
  case Format::Fp4: {
    Factor f = format == Format::Fp6   ? decodeIeee(bits, 2, 3, 1)
               : format == Format::Bf6 ? decodeIeee(bits, 3, 2, 3)
                                       : decodeIeee(bits, 2, 1, 1);
    f.infinite = f.nan = false;
    return f;
  }
  case Format::F64:
  case Format::F32:
  case Format::I32:
  case Format::I8:
  case Format::U8:
  case Format::I4:
  case Format::U4:
    break;
  }
  return {};
}

unsigned cdnaGroup(Format format) { return isSmallFloat(format) ? 16 : format == Format::Xf32 ? 4 : 8; }

namespace {

/// Products summed on the grid of the largest exponent, 24 bits below it. A zero product counts as 2^-126.
struct GroupSum {
  int64_t units = 0;
  int exponent = NoTerm;
};
GroupSum sumTruncated(const Factor *as, const Factor *bs, unsigned count, unsigned stride) {
  GroupSum sum;
  for (unsigned i = 0; i < count; i += stride) {
    bool zero = !as[i].significand || !bs[i].significand;
    sum.exponent = std::max(sum.exponent, zero ? -126 : as[i].exponent + bs[i].exponent);
  }
  for (unsigned i = 0; i < count; i += stride)
    sum.units += truncated(product(as[i], bs[i]), sum.exponent - 24);
  return sum;
}

/// One group: all products on one grid (of small floats, even and odd ones on two), then C, then one rounding.
uint32_t cdnaGroupStep(const Factor *as, const Factor *bs, unsigned count, bool bytes, uint32_t c) {
  bool nan = isNan32(c), positive = c == infinity(false), negative = c == infinity(true);
  bool huge[2] = {false, false};
  for (unsigned i = 0; i < count; ++i) {
    bool minus = as[i].negative != bs[i].negative;
    nan |= as[i].nan || bs[i].nan;
    bool infinite = as[i].infinite || bs[i].infinite;
    nan |= (as[i].infinite && !bs[i].significand) || (bs[i].infinite && !as[i].significand);
    positive |= infinite && !minus;
    negative |= infinite && minus;
    if (!infinite)
      huge[minus] |= product(as[i], bs[i]).leading() >= 128;
  }
  if (nan || (positive && negative))
    return nan::Cdna;
  if (positive || negative)
    return infinity(negative);
  // A finite product beyond f32 saturates on its own, even if the sum would come back into range.
  if (huge[0] || huge[1])
    return huge[0] && huge[1] ? nan::Cdna : infinity(huge[1]);

  GroupSum sum;
  if (bytes && count > 1) {
    GroupSum even = sumTruncated(as, bs, count, 2), odd = sumTruncated(as + 1, bs + 1, count - 1, 2);
    sum.exponent = std::max(even.exponent, odd.exponent);
    sum.units =
        shiftedFloor(even.units, even.exponent - sum.exponent) + shiftedFloor(odd.units, odd.exponent - sum.exponent);
  } else {
    sum = sumTruncated(as, bs, count, 1);
  }

  int field = int(c >> 23 & 0xff), cExponent = std::max(field, 1) - 127;
  Term term{(c & 0x7fffff) | (field ? 0x800000u : 0u), cExponent - 23, bool(c >> 31)};
  int top = std::max(sum.exponent, cExponent);
  int64_t units = shiftedFloor(sum.units, 7 - (top - sum.exponent));
  if (!bytes || cExponent >= top - 25)
    units += floored(term, top - 24) * 128;
  return roundToF32(units, top - 31);
}

} // namespace

uint32_t cdnaStep(Format a, Format b, const uint32_t *aBits, const uint32_t *bBits, unsigned count, uint32_t c) {
  Factor as[16], bs[16];
  for (unsigned i = 0; i < count; ++i) {
    as[i] = decode(a, aBits[i]);
    bs[i] = decode(b, bBits[i]);
  }
  return cdnaGroupStep(as, bs, count, isSmallFloat(a), c);
}

uint32_t cdnaScaledDot(Format a, Format b, const uint32_t *aBits, const uint32_t *bBits, unsigned k, uint32_t c,
                       const uint8_t *scalesA, const uint8_t *scalesB) {
  auto scaled = [](Format format, uint32_t bits, uint8_t scale) {
    Factor f = decode(format, bits);
    f.exponent += int(scale) - 127;
    f.nan |= scale == 0xff;
    return f;
  };
  constexpr unsigned group = 16;
  for (unsigned first = 0; first < k; first += group) {
    Factor as[group], bs[group];
    for (unsigned i = 0; i < group; ++i) {
      as[i] = scaled(a, aBits[first + i], scalesA[first / 32]);
      bs[i] = scaled(b, bBits[first + i], scalesB[first / 32]);
    }
    c = cdnaGroupStep(as, bs, group, true, c);
  }
  return c;
}

namespace {

/// What RDNA decides before it adds: NaNs of factors, then invalid products, then C's NaN, then infinities.
struct SpecialCase {
  bool decided = false;
  uint32_t bits = 0;
};
SpecialCase rdnaSpecial(const Factor *as, const Factor *bs, unsigned count, uint32_t c, uint32_t invalidNan) {
  bool invalid = false, infinite[2] = {false, false};
  for (unsigned i = 0; i < count; ++i) {
    if (as[i].nan || bs[i].nan)
      return {true, nan::Factor};
    invalid |= (as[i].infinite && !bs[i].significand) || (bs[i].infinite && !as[i].significand);
    if (as[i].infinite || bs[i].infinite)
      infinite[as[i].negative != bs[i].negative] = true;
  }
  if (invalid || (infinite[0] && infinite[1]))
    return {true, invalidNan};
  if (isNan32(c))
    return {true, c | 0x00400000};
  if (isInfinite32(c))
    infinite[c >> 31] = true;
  if (infinite[0] && infinite[1])
    return {true, invalidNan};
  if (infinite[0] || infinite[1])
    return {true, infinity(infinite[1])};
  return {};
}

/// A special result in the packed forms: the factor NaN has its own payload, other NaNs keep their upper bits.
uint32_t narrowSpecial(Format result, uint32_t bits) {
  if (result == Format::Bf16)
    return bits == nan::Factor ? 0xfffd : bits >> 16;
  if (result == Format::F16)
    return bits == nan::Factor ? 0xfe3d : (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
  return bits;
}

/// RDNA's sums that round to nothing are +0.
uint32_t unsignedZero(uint32_t bits, uint32_t sign) { return bits == sign ? 0 : bits; }

/// gfx11 rounds the significand first and flushes what is then below the smallest normal number.
uint32_t roundAndFlush(int64_t units, int grid) {
  if (!units)
    return 0;
  uint32_t significand = std::bit_cast<uint32_t>(float(units)); // one rounding, to 24 bits
  int exponent = int(significand >> 23 & 0xff) - 127 + grid;
  if (exponent < -126)
    return 0;
  uint32_t sign = significand & 0x80000000;
  if (exponent > 127)
    return sign | 0x7f800000;
  return sign | uint32_t(exponent + 127) << 23 | (significand & 0x7fffff);
}

} // namespace

uint32_t rdna3Step(Format format, Format result, const uint32_t *aBits, const uint32_t *bBits, uint32_t c) {
  bool packed = result != Format::F32;
  if (packed)
    c = widen(result, c);
  Factor as[2], bs[2];
  for (unsigned i = 0; i < 2; ++i) {
    as[i] = decode(format, aBits[i]);
    bs[i] = decode(format, bBits[i]);
    if (format == Format::Bf16) // bf16 subnormals are read as zeros of their sign
      for (Factor *f : {&as[i], &bs[i]})
        if (f->significand < 0x80)
          f->significand = 0;
  }
  if (SpecialCase special = rdnaSpecial(as, bs, 2, c, nan::InvalidProduct); special.decided)
    return narrowSpecial(result, special.bits);

  int field = int(c >> 23 & 0xff);
  bool frame = c >> 31; // terms of the other sign than C's are complemented, not negated
  Term terms[3] = {
      {field ? (c & 0x7fffff) | 0x800000u : 0u, field - 150, frame}, product(as[0], bs[0]), product(as[1], bs[1])};
  int grid = NoTerm, leading = terms[0].leading();
  if (!(terms[0].significand | terms[1].significand | terms[2].significand))
    return 0;
  if (result == Format::F16)
    leading = std::max(leading, -14);
  for (unsigned i = 0; i < 2; ++i) {
    if (!terms[i + 1].significand)
      continue;
    grid = std::max(grid, as[i].exponent + bs[i].exponent - 24);
    leading = std::max(leading, terms[i + 1].leading());
  }
  grid = std::max(grid, leading - 26);
  int64_t units = 0;
  for (const Term &t : terms) {
    int64_t magnitude = int64_t(shifted(t.significand, t.exponent - grid));
    units += t.negative == frame ? magnitude : ~magnitude;
  }
  if (frame)
    units = -units;
  if (result == Format::F16)
    return unsignedZero(roundToF16(units, grid), 0x8000);
  uint32_t bits = roundAndFlush(units, grid);
  return result == Format::Bf16 ? bits >> 16 : bits;
}

uint32_t rdna4Step(Format a, Format b, Format result, const uint32_t *aBits, const uint32_t *bBits, unsigned count,
                   uint32_t c) {
  bool packed = result != Format::F32, bytes = isSmallFloat(a);
  if (packed)
    c = widen(result, c);
  Factor as[4], bs[4];
  for (unsigned i = 0; i < count; ++i) {
    as[i] = decode(a, aBits[i]);
    bs[i] = decode(b, bBits[i]);
  }
  uint32_t invalid = bytes ? nan::Factor : nan::InvalidProduct;
  if (SpecialCase special = rdnaSpecial(as, bs, count, c, invalid); special.decided)
    return narrowSpecial(result, special.bits);

  // Products are added in pairs (bytes: all four) on the grid of the pair's largest exponent.
  unsigned group = bytes ? count : 2;
  int64_t sums[2] = {0, 0};
  int grids[2] = {NoTerm, NoTerm};
  for (unsigned i = 0; i < count; ++i)
    if (as[i].significand && bs[i].significand)
      grids[i / group] = std::max(grids[i / group], as[i].exponent + bs[i].exponent - 24);
  for (unsigned i = 0; i < count; ++i)
    if (as[i].significand && bs[i].significand)
      sums[i / group] += floored(product(as[i], bs[i]), grids[i / group]);

  int field = int(c >> 23 & 0xff);
  Term term{(c & 0x7fffff) | (field ? 0x800000u : 0u), std::max(field, 1) - 150, bool(c >> 31)};
  int lowest = result == Format::F16 ? -14 : -126;
  int grid = std::max({grids[0], grids[1], std::max(lowest, term.leading()) - 26});
  int64_t units = floored(term, grid);
  // On a coarser grid a negative C of which nothing is left counts as nothing, not as one unit.
  if (grid > lowest && truncated(term, grid) == 0)
    units = 0;
  for (unsigned i = 0; i < 2; ++i)
    units += shiftedFloor(sums[i], std::max(grids[i] - grid, -63));
  if (result == Format::F16)
    return unsignedZero(roundToF16(units, grid), 0x8000);
  uint32_t bits = unsignedZero(roundToF32(units, grid), 0x80000000);
  return result == Format::Bf16 ? bits >> 16 : bits;
}

namespace {

int64_t integerElement(Format format, uint32_t bits) {
  switch (format) {
  case Format::I8:
    return int8_t(bits);
  case Format::U8:
    return uint8_t(bits);
  case Format::I4:
    return int32_t(bits << 28) >> 28;
  case Format::U4:
    return bits & 15;
  default:
    return int32_t(bits);
  }
}

uint32_t fmaF32(uint32_t a, uint32_t b, uint32_t c) {
  float result = std::fma(std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c));
  return std::isnan(result) ? nan::Cdna : std::bit_cast<uint32_t>(result);
}

} // namespace

uint32_t integerDot(Format a, Format b, const uint32_t *as, const uint32_t *bs, unsigned count, uint32_t c, bool clamp,
                    bool unsignedResult) {
  int64_t sum = unsignedResult ? int64_t(c) : int64_t(int32_t(c));
  for (unsigned i = 0; i < count; ++i)
    sum += integerElement(a, as[i]) * integerElement(b, bs[i]);
  if (clamp)
    sum = unsignedResult ? std::clamp<int64_t>(sum, 0, 0xffffffff) : std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return uint32_t(sum);
}

uint32_t dot(Rule rule, Format a, Format b, Format result, const uint32_t *as, const uint32_t *bs, unsigned k,
             uint32_t c, bool clamp) {
  switch (rule) {
  case Rule::FmaChain:
    for (unsigned i = 0; i < k; ++i)
      c = fmaF32(as[i], bs[i], c);
    return c;
  case Rule::CdnaFused: {
    unsigned group = std::min(cdnaGroup(a), k);
    for (unsigned i = 0; i < k; i += group)
      c = cdnaStep(a, b, as + i, bs + i, group, c);
    return c;
  }
  case Rule::Rdna3:
    for (unsigned i = 0; i < k; i += 2)
      c = rdna3Step(a, result, as + i, bs + i, c);
    return c;
  case Rule::Rdna4:
    for (unsigned i = 0; i < k; i += 4)
      c = rdna4Step(a, b, result, as + i, bs + i, 4, c);
    return c;
  case Rule::Integer:
    return integerDot(a, b, as, bs, k, c, clamp);
  }
  return c;
}

uint64_t dotF64(const uint64_t *as, const uint64_t *bs, unsigned k, uint64_t c) {
  double sum = std::bit_cast<double>(c);
  for (unsigned i = 0; i < k; ++i)
    sum = std::fma(std::bit_cast<double>(as[i]), std::bit_cast<double>(bs[i]), sum);
  return std::isnan(sum) ? nan::CdnaF64 : std::bit_cast<uint64_t>(sum);
}

} // namespace wavewright::emulator::matrix
