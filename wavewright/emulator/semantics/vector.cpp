//===- emulator/semantics/vector.cpp - what operands and results of the VALU may ask for ----------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

using codeobject::Part;

namespace {

void broadcast(uint32_t *out, uint32_t value) {
  for (unsigned l = 0; l < MaxLanes; ++l)
    out[l] = value;
}

/// One dword of the operand as it stands in its register, no modifier applied.
const uint32_t *rawRow(Context &c, Wave &w, const MicroOp &m, const Source &s, unsigned dword, uint32_t *buffer) {
  switch (s.kind) {
  case Source::Kind::Vgpr:
    return w.vgpr[s.index + dword].lane;
  case Source::Kind::Constant:
    return s.rows[dword].lane;
  case Source::Kind::Scalar:
    broadcast(buffer, w.sgpr[s.index + dword]);
    return buffer;
  case Source::Kind::Special:
    broadcast(buffer, uint32_t(c.special(w, m, codeobject::SpecialSource(s.index)) >> (32 * dword)));
    return buffer;
  case Source::Kind::None:
    break;
  }
  broadcast(buffer, 0);
  return buffer;
}

bool isHalfType(Type t) { return t == Type::B16 || t == Type::F16 || t == Type::BF16; }
bool isPackedHalf(Type t) { return t == Type::PkB16 || t == Type::PkF16 || t == Type::PkBF16; }
bool isWide(Type t) { return t == Type::B64 || t == Type::F64; }

/// Where a part of a register stands.
struct PartBits {
  unsigned shift, bits;
};
PartBits bitsOfPart(Part part) {
  switch (part) {
  case Part::Whole:
    return {0, 32};
  case Part::Low16:
    return {0, 16};
  case Part::High16:
    return {16, 16};
  default:
    return {8 * (unsigned(part) - unsigned(Part::Byte0)), 8};
  }
}

void selectPart(uint32_t *out, const uint32_t *in, Part part, bool sext) {
  auto [shift, bits] = bitsOfPart(part);
  unsigned up = 32 - bits;
  if (sext)
    for (unsigned l = 0; l < MaxLanes; ++l)
      out[l] = uint32_t(int32_t(in[l] >> shift << up) >> up);
  else
    for (unsigned l = 0; l < MaxLanes; ++l)
      out[l] = in[l] >> shift << up >> up;
}

/// Lanes whose source lane exists and may be read.
uint64_t readableLanes(const Wave &w, const DppTable &dpp) {
  uint64_t exec = w.exec();
  if (dpp.fetchInactive || exec == w.laneMask)
    return dpp.inRange & w.laneMask;
  uint64_t readable = 0;
  for (unsigned l = 0; l < w.lanes; ++l)
    readable |= (exec >> dpp.from[l] & 1) << l;
  return readable & dpp.inRange;
}

void applyDpp(Wave &w, const DppTable &dpp, uint32_t *out, const uint32_t *in) {
  uint64_t readable = readableLanes(w, dpp);
  uint32_t moved[MaxLanes];
  for (unsigned l = 0; l < w.lanes; ++l)
    moved[l] = in[dpp.from[l]];
  if (readable == w.laneMask) {
    std::memcpy(out, moved, w.lanes * 4);
    return;
  }
  for (unsigned l = 0; l < w.lanes; ++l)
    out[l] = moved[l] & -uint32_t(readable >> l & 1);
}

bool flushesIn(const Wave &w, Type t) {
  switch (t) {
  case Type::F32:
  case Type::PkF32:
  case Type::Mix:
  case Type::MixBF16:
    return !(w.mode & mode::KeepInF32);
  case Type::F16:
  case Type::F64:
  case Type::PkF16:
    return !(w.mode & mode::KeepInF16F64);
  default:
    return false;
  }
}
bool flushesOut(const Wave &w, Type t) {
  switch (t) {
  case Type::F32:
  case Type::PkF32:
    return !(w.mode & mode::KeepOutF32);
  case Type::F16:
  case Type::F64:
  case Type::PkF16:
    return !(w.mode & mode::KeepOutF16F64);
  default:
    return false;
  }
}

/// Flushes denormals of `rows` as values of type `t`; both dwords of an f64 are needed.
void flushRows(Type t, uint32_t *low, uint32_t *high) {
  for (unsigned l = 0; l < MaxLanes; ++l)
    switch (t) {
    case Type::F16:
      low[l] = flushBits16(low[l] & 0xffffu);
      break;
    case Type::PkF16:
      low[l] = flushBits16(low[l] & 0xffffu) | flushBits16(low[l] >> 16) << 16;
      break;
    case Type::F64: {
      bool denormal = !(high[l] & 0x7ff00000u);
      low[l] = denormal ? 0 : low[l];
      high[l] = denormal ? high[l] & 0x80000000u : high[l];
      break;
    }
    default:
      low[l] = flushBits32(low[l]);
      break;
    }
}

/// The half of a v_fma_mix operand as f32, or the f32 itself.
void mixRow(uint32_t *out, const uint32_t *in, const Source &s) {
  unsigned shift = s.modifiers & ModOpSel ? 16 : 0;
  if (!(s.modifiers & ModOpSelHi))
    std::memmove(out, in, sizeof(Row));
  else if (s.type == Type::Mix)
    for (unsigned l = 0; l < MaxLanes; ++l)
      out[l] = bitsOf(halfToFloat(in[l] >> shift & 0xffffu));
  else
    for (unsigned l = 0; l < MaxLanes; ++l)
      out[l] = in[l] >> shift << 16;
}

} // namespace

const uint32_t *fetchSlow(Context &c, Wave &w, const MicroOp &m, unsigned slot, unsigned dword) {
  const Source &s = m.src[slot];
  uint32_t *out = c.sources[slot][dword].lane;
  if (s.splat & !w.flushes) {
    broadcast(out, w.sgpr[s.index + s.registerOf(dword)]);
    return out;
  }

  const uint32_t *in = rawRow(c, w, m, s, s.registerOf(dword), out);
  auto own = [&] {
    if (in != out)
      std::memcpy(out, in, sizeof(Row));
    in = out;
  };

  if (s.modifiers & ModDpp) {
    applyDpp(w, *m.dpp, out, in);
    in = out;
  }
  if (isPackedHalf(s.type)) {
    unsigned lowShift = s.modifiers & ModOpSel ? 16 : 0, highShift = s.modifiers & ModOpSelHi ? 16 : 0;
    uint32_t flip = (s.modifiers & ModNeg ? 0x8000u : 0) | (s.modifiers & ModNegHi ? 0x80000000u : 0);
    for (unsigned l = 0; l < MaxLanes; ++l)
      out[l] = ((in[l] >> lowShift & 0xffffu) | in[l] >> highShift << 16) ^ flip;
    in = out;
  } else if (s.type == Type::Mix || s.type == Type::MixBF16) {
    mixRow(out, in, s);
    in = out;
  } else if (s.part != Part::Whole && !(s.part == Part::Low16 && isHalfType(s.type) && !(s.modifiers & ModSext))) {
    selectPart(out, in, s.part, s.modifiers & ModSext);
    in = out;
  }

  if (!isPackedHalf(s.type) && s.modifiers & (ModNeg | ModAbs | ModNegHi)) {
    uint32_t sign = isHalfType(s.type) ? 0x8000u : 0x80000000u;
    bool here = !isWide(s.type) || dword == 1;
    bool negate = s.type == Type::PkF32 && dword ? s.modifiers & ModNegHi : s.modifiers & ModNeg;
    uint32_t clear = s.modifiers & ModAbs && here ? sign : 0, flip = negate && here ? sign : 0;
    for (unsigned l = 0; l < MaxLanes; ++l)
      out[l] = (in[l] & ~clear) ^ flip;
    in = out;
  }

  if (w.flushes && flushesIn(w, s.type)) {
    if (s.type == Type::F64) {
      // A denormal is seen in the high dword; the low one is cleared by it.
      uint32_t buffer[MaxLanes];
      const uint32_t *high = rawRow(c, w, m, s, 1, buffer);
      own();
      for (unsigned l = 0; l < MaxLanes; ++l)
        out[l] = high[l] & 0x7ff00000u ? out[l] : dword ? out[l] & 0x80000000u : 0;
    } else {
      own();
      flushRows(s.type, out, nullptr);
    }
  }
  return in;
}

uint64_t dppMask(const Wave &w, const DppTable &dpp) {
  uint64_t mask = w.exec() & dpp.enabled;
  return dpp.boundCtrl ? mask : mask & readableLanes(w, dpp);
}

void spreadScalar(Wave &w, unsigned row, uint32_t value) {
  broadcast(w.vgpr[w.vgprCount + row].lane, value);
  w.splat[row] = value;
}

static const uint32_t *spread(Wave &w, uint64_t mask) {
  if (!w.spreadValid || w.spreadOf != mask) {
    for (unsigned l = 0; l < 32; ++l) {
      w.spread.lane[l] = -(uint32_t(mask) >> l & 1u);
      w.spread.lane[l + 32] = -(uint32_t(mask >> 32) >> l & 1u);
    }
    w.spreadOf = mask;
    w.spreadValid = true;
  }
  return w.spread.lane;
}

void writeRow(Wave &w, uint16_t row, const uint32_t *values, uint64_t mask) {
  uint32_t *out = w.vgpr[row].lane;
  if (mask == w.laneMask) {
    std::memmove(out, values, w.lanes * 4);
    return;
  }
  const uint32_t *select = spread(w, mask);
  eachLane(w,
           [&](size_t l) __attribute__((always_inline)) { out[l] = (values[l] & select[l]) | (out[l] & ~select[l]); });
}

namespace {

float clampUnit(float x, bool nanToZero) {
  if (isNan(x))
    return nanToZero ? 0.0f : x;
  return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f;
}

uint32_t clampHalf(uint32_t bits, bool nanToZero) {
  return floatToHalf(clampUnit(halfToFloat(bits & 0xffffu), nanToZero));
}

/// omod works on the exponent and knows no denormals: 0 and denormals become +0, what gets too small becomes a zero
/// of its sign (captured on gfx1201).
template <class T, unsigned Bits, unsigned Mantissa> T scaleByOmod(T x, unsigned omod, T overflow) {
  constexpr int top = (1 << (Bits - 1 - Mantissa)) - 1;
  constexpr T sign = T(1) << (Bits - 1), infinity = T(top) << Mantissa;
  int exponent = int(x >> Mantissa & T(top));
  if (!exponent)
    return 0;
  if (exponent == top)
    return x;
  exponent += omod == 3 ? -1 : int(omod);
  return exponent <= 0 ? x & sign : exponent >= top ? (x & sign) | overflow : (x & ~infinity) | T(exponent) << Mantissa;
}

/// Before gfx12 the hardware leaves omod out with MODE.IEEE, and where denormal results are kept (ISA guides).
bool omodActs(const Context &c, const Wave &w, Type t) {
  bool single = t == Type::F32;
  return c.target->generation == Generation::Rdna4 ||
         !(w.mode & (mode::Ieee | (single ? mode::KeepOutF32 : mode::KeepOutF16F64)));
}

/// omod and clamp of floating results.
void adjust(Context &c, const Wave &w, const MicroOp &m) {
  unsigned omod = m.omod && omodActs(c, w, m.dstType) ? m.omod : 0;
  bool nanToZero = w.mode & mode::Dx10Clamp || c.target->generation == Generation::Rdna4, clamp = m.clamp;
  uint32_t *low = c.results[0].lane, *high = c.results[1].lane;
  uint32_t halfOverflow = w.mode & mode::Fp16Overflow ? 0x7bffu : 0x7c00u;
  for (unsigned l = 0; l < w.lanes; ++l)
    switch (m.dstType) {
    case Type::F32:
      if (omod)
        low[l] = scaleByOmod<uint32_t, 32, 23>(low[l], omod, 0x7f800000u);
      if (clamp)
        low[l] = bitsOf(clampUnit(floatOf(low[l]), nanToZero));
      break;
    case Type::F16:
      if (omod)
        low[l] = scaleByOmod<uint32_t, 16, 10>(low[l] & 0xffffu, omod, halfOverflow);
      if (clamp)
        low[l] = clampHalf(low[l], nanToZero);
      break;
    case Type::PkF16:
      if (clamp)
        low[l] = clampHalf(low[l], nanToZero) | clampHalf(low[l] >> 16, nanToZero) << 16;
      break;
    case Type::PkF32:
      if (clamp) {
        low[l] = bitsOf(clampUnit(floatOf(low[l]), nanToZero));
        high[l] = bitsOf(clampUnit(floatOf(high[l]), nanToZero));
      }
      break;
    case Type::F64: {
      uint64_t bits = uint64_t(high[l]) << 32 | low[l];
      if (omod)
        bits = scaleByOmod<uint64_t, 64, 52>(bits, omod, 0x7ff0000000000000ull);
      double x = doubleOf(bits);
      if (clamp)
        x = isNan(x) ? (nanToZero ? 0.0 : x) : x > 1.0 ? 1.0 : x > 0.0 ? x : 0.0;
      low[l] = uint32_t(bitsOf(x));
      high[l] = uint32_t(bitsOf(x) >> 32);
      break;
    }
    default:
      break;
    }
}

/// SDWA: the result goes to a part of the register; the rest is cleared, sign-filled or kept.
void placeSdwa(const Wave &w, const MicroOp &m, uint32_t *values) {
  if (m.sdwaDst == Part::Whole)
    return;
  auto [shift, bits] = bitsOfPart(m.sdwaDst);
  uint32_t field = ((1u << bits) - 1) << shift;
  const uint32_t *old = w.vgpr[m.dst].lane;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t placed = values[l] << shift & field;
    switch (m.sdwaUnused) {
    case codeobject::SdwaUnused::Pad:
      break;
    case codeobject::SdwaUnused::SignExtend: {
      uint32_t above = bits + shift == 32 ? 0 : ~0u << (bits + shift);
      placed |= values[l] >> (bits - 1) & 1 ? above : 0;
      break;
    }
    case codeobject::SdwaUnused::Preserve:
      placed |= old[l] & ~field;
      break;
    }
    values[l] = placed;
  }
}

bool isFloatResult(Type t) {
  return t == Type::F32 || t == Type::F16 || t == Type::F64 || t == Type::PkF16 || t == Type::PkF32;
}

} // namespace

uint32_t adjustScalar(Context &c, const Wave &w, const MicroOp &m, Type t, uint32_t value) {
  MicroOp typed = m;
  typed.dstType = t;
  broadcast(c.results[0].lane, value);
  adjust(c, w, typed);
  return c.results[0].lane[0];
}

void commit(Context &c, Wave &w, const MicroOp &m, uint64_t mask) {
  uint32_t *low = c.results[0].lane;
  if (w.flushes && flushesOut(w, m.dstType)) {
    flushRows(m.dstType, low, c.results[1].lane);
    if (m.dstType == Type::PkF32)
      flushRows(Type::F32, c.results[1].lane, nullptr);
  }
  if ((m.clamp || m.omod) && isFloatResult(m.dstType))
    adjust(c, w, m);
  if (m.sdwa) {
    if (isHalfType(m.dstType) && m.sdwaDst == Part::Whole)
      for (unsigned l = 0; l < w.lanes; ++l)
        low[l] &= 0xffffu;
    placeSdwa(w, m, low);
  } else if (isHalfType(m.dstType)) {
    const uint32_t *old = w.vgpr[m.dst].lane;
    uint32_t keep = m.zeroOtherHalf ? 0 : m.dstHigh ? 0xffffu : 0xffff0000u;
    unsigned shift = m.dstHigh ? 16 : 0;
    for (unsigned l = 0; l < MaxLanes; ++l)
      low[l] = (old[l] & keep) | (low[l] & 0xffffu) << shift;
  }
  for (unsigned i = 0; i < m.dstDwords; ++i)
    writeRow(w, uint16_t(m.dst + i), c.results[i].lane, mask);
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
