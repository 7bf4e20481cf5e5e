//===- emulator/semantics/cross_lane.cpp - lanes that read each other -----------------------------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

void readLane(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *a = fetch(c, w, m, 0);
  w.sgpr[m.dst] = a[scalarOperand(c, w, m, 1) & (w.lanes - 1)];
}
/// With EXEC = 0 lane 0 is read.
void readFirstLane(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *a = fetch(c, w, m, 0);
  w.sgpr[m.dst] = a[w.exec() ? __builtin_ctzll(w.exec()) : 0];
}
void writeLane(Context &c, Wave &w, const MicroOp &m) {
  w.vgpr[m.dst].lane[scalarOperand(c, w, m, 1) & (w.lanes - 1)] = scalarOperand(c, w, m, 0);
}

// Counting the mask bits below the lane.
template <bool High> void maskedBitCount(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  const uint32_t *bits = fetch(c, w, m, 0), *start = fetch(c, w, m, 1);
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint64_t below = (1ull << l) - 1;
    uint32_t part = High ? uint32_t(below >> 32) : uint32_t(below);
    c.results[0].lane[l] = start[l] + uint32_t(__builtin_popcount(bits[l] & part));
  }
  commit(c, w, m, mask);
}

/// Any lane map: `from(l)` gives the source lane; what lies in an inactive lane reads as 0 unless `fetchInactive`, and
/// keeps the old value when `keepOld`.
template <class F>
void shuffle(Context &c, Wave &w, const MicroOp &m, const uint32_t *in, bool fetchInactive, bool keepOld, F from) {
  uint64_t exec = w.exec(), write = exec;
  uint32_t out[MaxLanes];
  for (unsigned l = 0; l < w.lanes; ++l) {
    unsigned source = from(l) & (w.lanes - 1);
    bool readable = fetchInactive || (exec >> source & 1);
    out[l] = readable ? in[source] : 0;
    if (!readable && keepOld)
      write &= ~(1ull << l);
  }
  writeRow(w, m.dst, out, write);
}

/// v_permlane16, v_permlanex16: a nibble of s2:s1 for each lane of a row; x reads the other row of the pair.
template <bool Other, bool PerLane> void permuteRow(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *in = fetch(c, w, m, 0);
  const uint32_t *perLane = PerLane ? fetch(c, w, m, 1) : nullptr;
  uint64_t nibbles = PerLane ? 0 : uint64_t(scalarOperand(c, w, m, 2)) << 32 | scalarOperand(c, w, m, 1);
  bool fetchInactive = m.payload & 1, boundCtrl = m.payload & 2;
  shuffle(c, w, m, in, fetchInactive, !boundCtrl, [&](unsigned l) {
    unsigned nibble = PerLane ? perLane[l] & 15 : nibbles >> (4 * (l & 15)) & 15;
    return ((l & ~15u) ^ (Other ? 16u : 0u)) | nibble;
  });
}
/// op_sel of the first source is FI, of the second BOUND_CTRL.
const char *permuteRowFlags(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  auto high = [&](unsigned slot) { return i.src.size() > slot && i.src[slot].part == codeobject::Part::High16; };
  m.payload = (i.dpp.fetchInactive || high(0) ? 1 : 0) | (i.dpp.boundCtrl || high(1) ? 2 : 0);
  for (Source &s : m.src) {
    s.part = codeobject::Part::Whole;
    s.modifiers = 0;
    s.slow = s.kind == Source::Kind::Scalar || s.kind == Source::Kind::Special;
  }
  return nullptr;
}

/// The halves of a wave64 change places; nothing in wave32.
void permute64(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *in = fetch(c, w, m, 0);
  shuffle(c, w, m, in, true, false, [&](unsigned l) { return w.lanes == 64 ? l ^ 32 : l; });
}

/// gfx950: groups of `Width` lanes; the odd groups of D and the even groups of S change places.
template <unsigned Width> void swapGroups(Context &c, Wave &w, const MicroOp &m) {
  uint64_t exec = w.exec();
  uint32_t *d = w.vgpr[m.dst].lane, *s = w.vgpr[m.src[0].index].lane;
  bool fetchInactive = m.payload & 1;
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (l & Width)
      continue;
    unsigned upper = l | Width;
    uint32_t low = s[l], high = d[upper];
    if (fetchInactive || (exec >> l & 1))
      d[upper] = exec >> upper & 1 ? low : d[upper];
    if (fetchInactive || (exec >> upper & 1))
      s[l] = exec >> l & 1 ? high : s[l];
  }
}

// LDS hardware without LDS -----------------------------------------------------------------------------
void swizzle(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *in = fetch(c, w, m, 0);
  uint32_t offset = uint32_t(m.offset);
  if ((offset & 0xe000) == 0xe000) { // FFT: the lane's five bits reversed, those of the mask kept in place
    unsigned mask = offset & 31, kept = unsigned(__builtin_popcount(mask));
    shuffle(c, w, m, in, false, false, [&](unsigned l) {
      unsigned reversed = (l & 1) << 4 | (l & 2) << 2 | (l & 4) | (l & 8) >> 2 | (l & 16) >> 4;
      return (l & 32) | (l & mask) | reversed >> kept;
    });
  } else if ((offset & 0xe000) == 0xc000) { // rotate: bit 10 the direction, bits 9:5 the distance, 4:0 the fixed bits
    unsigned distance = offset >> 5 & 31, fixed = offset & 31;
    bool right = offset >> 10 & 1;
    shuffle(c, w, m, in, false, false, [&](unsigned l) {
      unsigned moved = right ? l - distance : l + distance;
      return (l & 32) | (l & fixed) | (moved & 31 & ~fixed);
    });
  } else if (offset & 0x8000) {
    shuffle(c, w, m, in, false, false, [&](unsigned l) { return (l & ~3u) | (offset >> (2 * (l & 3)) & 3); });
  } else {
    unsigned andMask = offset & 31, orMask = offset >> 5 & 31, xorMask = offset >> 10 & 31;
    shuffle(c, w, m, in, false, false,
            [&](unsigned l) { return (l & 32) | ((((l & 31) & andMask) | orMask) ^ xorMask); });
  }
}
const char *swizzlePattern(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  // The pattern stands in the offset field.
  if (!m.offset)
    m.offset = i.imm;
  m.offset &= 0xffff;
  return nullptr;
}

/// dst = data of lane (address + offset) / 4; an inactive source gives 0.
template <bool FetchInactive> void backwardPermute(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *address = fetch(c, w, m, 0), *in = fetch(c, w, m, 1);
  shuffle(c, w, m, in, FetchInactive, false,
          [&](unsigned l) { return unsigned((address[l] + uint32_t(m.offset)) >> 2); });
}
/// Lane (address + offset) / 4 gets the data; the highest sending lane wins, lanes that nobody sends to get 0.
void forwardPermute(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *address = fetch(c, w, m, 0), *in = fetch(c, w, m, 1);
  uint64_t exec = w.exec();
  uint32_t out[MaxLanes] = {};
  for (unsigned l = 0; l < w.lanes; ++l)
    if (exec >> l & 1)
      out[(address[l] + uint32_t(m.offset)) >> 2 & (w.lanes - 1)] = in[l];
  writeRow(w, m.dst, out, exec);
}

/// gfx11: one element of LDS to all lanes. M0[15:0] is its address, M0[18:16] what it is.
void loadDirect(Context &c, Wave &w, const MicroOp &m) {
  uint32_t address = w.m0() & 0xffff, kind = w.m0() >> 16 & 7, value = 0;
  static constexpr unsigned sizes[] = {1, 2, 4, 0, 1, 2, 0, 0};
  unsigned bytes = sizes[kind];
  if (!bytes)
    return c.fail(w, m, "M0[18:16] names no data type");
  const std::byte *from = c.shared(address, bytes, AccessKind::Read);
  if (!from)
    return c.outside(w, m, Space::Lds, AccessKind::Read, ~0u, address, bytes);
  std::memcpy(&value, from, bytes);
  if (kind == 4)
    value = uint32_t(int8_t(value));
  else if (kind == 5)
    value = uint32_t(int16_t(value));
  for (unsigned l = 0; l < w.lanes; ++l)
    c.results[0].lane[l] = value;
  writeRow(w, m.dst, c.results[0].lane, w.exec());
}

// Relative addressing by M0 ----------------------------------------------------------------------------
/// How far M0 moves a register: all of it, or a field each for source and destination in the forms with two offsets.
enum class By : uint8_t { Nothing, M0, Low, High };
WAVEWRIGHT_INLINE unsigned offsetOf(const Wave &w, By by) {
  return by == By::M0 ? w.m0() : by == By::Low ? w.m0() & 0x3ff : by == By::High ? w.m0() >> 16 & 0x3ff : 0;
}

template <By SourceBy, By DstBy> void moveRelative(Context &c, Wave &w, const MicroOp &m) {
  unsigned source = m.src[0].index + offsetOf(w, SourceBy), dst = m.dst + offsetOf(w, DstBy);
  if (m.src[0].kind == Source::Kind::Vgpr && source >= w.vgprCount)
    return c.fail(w, m, "M0 leads outside of the registers of the wave");
  MicroOp moved = m;
  moved.src[0].index = uint16_t(source);
  moved.src[0].place(w.vgprCount);
  const uint32_t *in = fetch(c, w, moved, 0);
  if (dst >= w.vgprCount)
    return c.fail(w, m, "M0 leads outside of the registers of the wave");
  writeRow(w, uint16_t(dst), in, activeLanes(w, m));
}
void swapRelative(Context &c, Wave &w, const MicroOp &m) {
  unsigned source = m.src[0].index + offsetOf(w, By::Low), dst = m.dst + offsetOf(w, By::High);
  if (source >= w.vgprCount || dst >= w.vgprCount)
    return c.fail(w, m, "M0 leads outside of the registers of the wave");
  Row old = w.vgpr[dst];
  writeRow(w, uint16_t(dst), w.vgpr[source].lane, w.exec());
  writeRow(w, uint16_t(source), old.lane, w.exec());
}

/// LLVM names a destination that M0 moves as a source.
const char *destinationFirst(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  if (i.dst.empty() && i.src.size() >= 2) {
    m.dst = m.src[0].index;
    m.src[0] = m.src[1];
    m.src[0].modifiers |= m.dpp ? ModDpp : 0;
  }
  m.src[0].slow |= m.dpp != nullptr;
  return m.src[0].kind == Source::Kind::None ? "its source is missing" : nullptr;
}
/// Both registers are written; LLVM may name the second as a destination only.
const char *swapOperands(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  const codeobject::Operand *second = i.dst.size() > 1 ? &i.dst[1] : i.src.empty() ? nullptr : &i.src.back();
  if (!second || second->kind != codeobject::Operand::Kind::Vgpr || i.dst.empty())
    return "its second register is missing";
  m.src[0].kind = Source::Kind::Vgpr;
  m.src[0].index = second->index;
  return nullptr;
}

constexpr Shape ReadLane{Type::S32, Type::None, {Type::B32, Type::S32}};
constexpr Shape ReadFirst{Type::S32, Type::None, {Type::B32}};
constexpr Shape WriteLane{Type::B32, Type::None, {Type::S32, Type::S32}};
constexpr Shape Two{Type::B32, Type::None, {Type::B32, Type::B32}};
constexpr Shape One{Type::B32, Type::None, {Type::B32}};
constexpr Shape Moved{Type::B32, Type::None, {Type::Raw, Type::Raw}};
constexpr Shape PermuteRow{Type::B32, Type::None, {Type::B32, Type::S32, Type::S32}};
const char *swapFlags(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  m.payload = i.dpp.fetchInactive ? 1 : 0;
  if (i.dst.size() != 2)
    return "its second register is missing";
  m.src[0].index = i.dst[1].index; // both registers are written
  return nullptr;
}

constexpr Semantics table[] = {
    {"v_readlane_b32", chips::Any, readLane, ReadLane},
    {"v_readfirstlane_b32", chips::Any, readFirstLane, ReadFirst},
    {"v_writelane_b32", chips::Any, writeLane, WriteLane},
    {"v_mbcnt_lo_u32_b32", chips::Any, maskedBitCount<false>, Two},
    {"v_mbcnt_hi_u32_b32", chips::Any, maskedBitCount<true>, Two},
    {"v_permlane16_b32", chips::Gfx11Up, permuteRow<false, false>, PermuteRow, OpClass::Valu, nullptr, permuteRowFlags},
    {"v_permlanex16_b32", chips::Gfx11Up, permuteRow<true, false>, PermuteRow, OpClass::Valu, nullptr, permuteRowFlags},
    {"v_permlane16_var_b32", chips::Gfx12, permuteRow<false, true>, Two, OpClass::Valu, nullptr, permuteRowFlags},
    {"v_permlanex16_var_b32", chips::Gfx12, permuteRow<true, true>, Two, OpClass::Valu, nullptr, permuteRowFlags},
    {"v_permlane64_b32", chips::Gfx11Up, permute64, One},
    {"v_permlane16_swap_b32", chips::Gfx950, swapGroups<16>, One, OpClass::Valu, nullptr, swapFlags},
    {"v_permlane32_swap_b32", chips::Gfx950, swapGroups<32>, One, OpClass::Valu, nullptr, swapFlags},
    {"lds_direct_load", chips::Gfx11, loadDirect, {Type::B32}, OpClass::Lds},
    {"v_movrels_b32", chips::Gfx11Up, moveRelative<By::M0, By::Nothing>, One},
    {"v_movreld_b32", chips::Gfx11Up, moveRelative<By::Nothing, By::M0>, Moved, OpClass::Valu, nullptr,
     destinationFirst},
    {"v_movrelsd_b32", chips::Gfx11Up, moveRelative<By::M0, By::M0>, Moved, OpClass::Valu, nullptr, destinationFirst},
    {"v_movrelsd_2_b32", chips::Gfx11Up, moveRelative<By::Low, By::High>, Moved, OpClass::Valu, nullptr,
     destinationFirst},
    {"v_swaprel_b32",
     chips::Gfx11Up,
     swapRelative,
     {Type::B32, Type::None, {Type::Raw, Type::Raw}},
     OpClass::Valu,
     nullptr,
     swapOperands},
    {"ds_swizzle_b32", chips::Any, swizzle, One, OpClass::Lds, nullptr, swizzlePattern},
    {"ds_bpermute_b32", chips::Any, backwardPermute<false>, Two, OpClass::Lds},
    {"ds_bpermute_fi_b32", chips::Gfx12, backwardPermute<true>, Two, OpClass::Lds},
    {"ds_permute_b32", chips::Any, forwardPermute, Two, OpClass::Lds},
};

} // namespace
WAVEWRIGHT_FAMILY(crossLaneFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
