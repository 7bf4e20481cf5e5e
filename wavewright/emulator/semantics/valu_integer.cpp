//===- emulator/semantics/valu_integer.cpp - integer arithmetic -----------------------------------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

// Saturation, for the clamp bit of integer forms.
WAVEWRIGHT_INLINE uint32_t satU32(int64_t x) { return x < 0 ? 0u : x > 0xffffffffll ? ~0u : uint32_t(x); }
WAVEWRIGHT_INLINE int32_t satI32(int64_t x) {
  return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : int32_t(x);
}
WAVEWRIGHT_INLINE uint16_t satU16(int64_t x) { return uint16_t(x < 0 ? 0 : x > 0xffff ? 0xffff : x); }
WAVEWRIGHT_INLINE int16_t satI16(int64_t x) { return int16_t(x < -32768 ? -32768 : x > 32767 ? 32767 : x); }
WAVEWRIGHT_INLINE uint32_t addSat(uint32_t a, uint32_t b) { return a + b < a ? ~0u : a + b; }

WAVEWRIGHT_INLINE int32_t low24(uint32_t x) { return int32_t(x << 8) >> 8; }
template <class T> WAVEWRIGHT_INLINE T least(T a, T b) { return a < b ? a : b; }
template <class T> WAVEWRIGHT_INLINE T most(T a, T b) { return a > b ? a : b; }
template <class T> WAVEWRIGHT_INLINE T middle(T a, T b, T c) { return most(least(a, b), least(most(a, b), c)); }

WAVEWRIGHT_INLINE uint32_t sadByte(uint32_t a, uint32_t b, unsigned i) {
  int32_t x = a >> (8 * i) & 0xff, y = b >> (8 * i) & 0xff;
  return uint32_t(x > y ? x - y : y - x);
}
WAVEWRIGHT_INLINE uint32_t sadBytes(uint32_t a, uint32_t b) {
  return sadByte(a, b, 0) + sadByte(a, b, 1) + sadByte(a, b, 2) + sadByte(a, b, 3);
}

/// v_msad: bytes where the reference S1 is 0 do not count.
WAVEWRIGHT_INLINE uint32_t maskedSad(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 4; ++i)
    sum += b >> (8 * i) & 0xffu ? sadByte(a, b, i) : 0;
  return sum;
}
/// Four sums, the first operand's window moving on by a byte each; accumulated in four halves or four dwords.
template <bool Masked, bool Wide, bool Clamp> void slidingSad(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  Rows<U64> window = rows<U64>(c, w, m, 0);
  const uint32_t *reference = fetch(c, w, m, 1);
  const uint32_t *addend[4];
  for (unsigned i = 0; i < (Wide ? 4u : 2u); ++i)
    addend[i] = Wide && m.src[2].kind == Source::Kind::Vgpr ? w.vgpr[m.src[2].index + i].lane
                : Wide                                      ? m.src[2].rows[i != 0].lane
                                                            : fetch(c, w, m, 2, i);
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint64_t bytes = U64::get(window.r, l), packed = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t a = uint32_t(bytes >> (8 * i)), b = reference[l], sum = Masked ? maskedSad(a, b) : sadBytes(a, b);
      if (Wide) {
        c.results[i].lane[l] = Clamp ? addSat(sum, addend[i][l]) : sum + addend[i][l];
      } else {
        uint32_t total = sum + (addend[i / 2][l] >> (16 * (i & 1)) & 0xffffu);
        packed |= uint64_t(Clamp ? satU16(total) : uint16_t(total)) << (16 * i);
      }
    }
    if (!Wide) {
      c.results[0].lane[l] = uint32_t(packed);
      c.results[1].lane[l] = uint32_t(packed >> 32);
    }
  }
  for (unsigned i = 0; i < (Wide ? 4u : 2u); ++i)
    writeRow(w, uint16_t(m.dst + i), c.results[i].lane, mask);
}
const char *wideAddend(const codeobject::Instruction &i, const Target &, MicroOp &) {
  bool inPlace = i.src.size() > 2 && (i.src[2].kind == codeobject::Operand::Kind::Vgpr ||
                                      i.src[2].kind == codeobject::Operand::Kind::Constant);
  return inPlace ? nullptr : "its four addends are not in vector registers";
}

/// v_ashr_pk: two shifted values, saturated to bytes, in a half.
WAVEWRIGHT_INLINE uint32_t clampTo(int32_t x, int32_t low, int32_t high) {
  return uint32_t(x < low ? low : x > high ? high : x) & 0xffu;
}
WAVEWRIGHT_INLINE uint32_t averageBytes(uint32_t a, uint32_t b, uint32_t round) {
  uint32_t r = 0;
  for (unsigned i = 0; i < 32; i += 8)
    r |= ((a >> i & 0xffu) + (b >> i & 0xffu) + (round >> i & 1u)) >> 1 << i;
  return r;
}

/// D and a carry bit a lane: A + B, A - B or B - A, with the carry of src[2] when there is one.
enum class Carry { Add, Sub, SubRev };
template <Carry Kind, bool CarryIn> void carrying(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  uint64_t in = CarryIn ? maskOperand(c, w, m, 2) : 0, out = 0;
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1);
  if (Kind == Carry::SubRev) {
    const uint32_t *swap = a;
    a = b, b = swap;
  }
  bool direct = m.direct && w.allActive();
  uint32_t *d = direct ? w.vgpr[m.dst].lane : c.results[0].lane;
  for (size_t base = 0; base < w.lanes; base += 32) {
    uint32_t carry = uint32_t(in >> base), carried = 0;
    WAVEWRIGHT_LANES
    for (unsigned l = 0; l < 32; ++l) {
      uint32_t x = a[base + l], y = b[base + l], k = carry >> l & 1u;
      uint32_t r = Kind == Carry::Add ? x + y + k : x - y - k;
      uint32_t over = Kind == Carry::Add ? (k ? r <= x : r < x) : (k ? x <= y : x < y);
      d[base + l] = (m.clamp & (over != 0)) ? (Kind == Carry::Add ? ~0u : 0u) : r;
      carried |= over << l;
    }
    out |= uint64_t(carried) << base;
  }
  if (!direct)
    commit(c, w, m, mask);
  w.setMask(m.dst1, out & mask);
}

/// With the clamp bit an overflow gives the largest or smallest number.
template <class Wide, class Narrow> void mad64(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m), overflow = 0;
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1);
  Rows<U64> addend = rows<U64>(c, w, m, 2);
  uint32_t *low = c.results[0].lane, *high = c.results[1].lane;
  for (unsigned l = 0; l < w.lanes; ++l) {
    Wide product = Wide(Narrow(a[l])) * Wide(Narrow(b[l])), sum;
    Wide term = Wide(U64::get(addend.r, l));
    bool over = __builtin_add_overflow(product, term, &sum);
    // The second result is bit 64 of the sum in 65 bits: the carry, or the sign.
    bool bit64 = Wide(-1) > 0 ? over : over ? product < 0 : sum < 0;
    if (over && m.clamp)
      sum = Wide(-1) > 0 ? Wide(-1) : product < 0 ? Wide(1ull << 63) : Wide(~0ull >> 1);
    low[l] = uint32_t(uint64_t(sum));
    high[l] = uint32_t(uint64_t(sum) >> 32);
    overflow |= uint64_t(bit64) << l;
  }
  commit(c, w, m, mask);
  w.setMask(m.dst1, overflow & mask);
}

constexpr Shape CarryOut{Type::B32, Type::Mask, {Type::B32, Type::B32}};
constexpr Shape CarryBoth{Type::B32, Type::Mask, {Type::B32, Type::B32, Type::Mask}};
constexpr Shape Mad64{Type::B64, Type::Mask, {Type::B32, Type::B32, Type::B64}};

#define CARRY(NAME, CHIPS, KIND, IN)                                                                                   \
  {NAME, chips::CHIPS, carrying<Carry::KIND, IN>, IN ? CarryBoth : CarryOut, OpClass::Valu, carrying<Carry::KIND, IN>}

#define SLIDING(NAME, MASKED, WIDE, ADDEND, PREPARE)                                                                   \
  {NAME,                                                                                                               \
   chips::Any,                                                                                                         \
   slidingSad<MASKED, WIDE, false>,                                                                                    \
   {Type::B64, Type::None, {Type::B64, Type::B32, Type::ADDEND}},                                                      \
   OpClass::Valu,                                                                                                      \
   slidingSad<MASKED, WIDE, true>,                                                                                     \
   PREPARE}

#define ADD_SUB(NAME, CHIPS, T, SAT)                                                                                   \
  VOP2_SAT("v_add_" NAME, CHIPS, T, (T, T), a + b, SAT(int64_t(a) + int64_t(b))),                                      \
      VOP2_SAT("v_sub_" NAME, CHIPS, T, (T, T), a - b, SAT(int64_t(a) - int64_t(b)))

#define MIN_MAX(SUFFIX, T)                                                                                             \
  VOP2("v_min_" SUFFIX, Any, T, (T, T), least(a, b)), VOP2("v_max_" SUFFIX, Any, T, (T, T), most(a, b)),               \
      VOP3("v_min3_" SUFFIX, Any, T, (T, T, T), least(least(a, b), c)),                                                \
      VOP3("v_max3_" SUFFIX, Any, T, (T, T, T), most(most(a, b), c)),                                                  \
      VOP3("v_med3_" SUFFIX, Any, T, (T, T, T), middle(a, b, c)),                                                      \
      VOP3("v_minmax_" SUFFIX, Gfx11Up, T, (T, T, T), most(least(a, b), c)),                                           \
      VOP3("v_maxmin_" SUFFIX, Gfx11Up, T, (T, T, T), least(most(a, b), c))

constexpr Semantics table[] = {
    // 32 bits.
    ADD_SUB("u32", Gfx9, U32, satU32),
    ADD_SUB("nc_u32", Gfx11Up, U32, satU32),
    ADD_SUB("i32", Gfx9, I32, satI32),
    ADD_SUB("nc_i32", Gfx11Up, I32, satI32),
    VOP2_SAT("v_subrev_u32", Gfx9, U32, (U32, U32), b - a, satU32(int64_t(b) - int64_t(a))),
    VOP2_SAT("v_subrev_nc_u32", Gfx11Up, U32, (U32, U32), b - a, satU32(int64_t(b) - int64_t(a))),
    CARRY("v_add_co_u32", Any, Add, false),
    CARRY("v_sub_co_u32", Any, Sub, false),
    CARRY("v_subrev_co_u32", Any, SubRev, false),
    CARRY("v_addc_co_u32", Gfx9, Add, true),
    CARRY("v_subb_co_u32", Gfx9, Sub, true),
    CARRY("v_subbrev_co_u32", Gfx9, SubRev, true),
    CARRY("v_add_co_ci_u32", Gfx11Up, Add, true),
    CARRY("v_sub_co_ci_u32", Gfx11Up, Sub, true),
    CARRY("v_subrev_co_ci_u32", Gfx11Up, SubRev, true),
    VOP3("v_add3_u32", Any, U32, (U32, U32, U32), a + b + c),
    VOP2("v_mul_lo_u32", Any, U32, (U32, U32), a *b),
    VOP2("v_mul_hi_u32", Any, U32, (U32, U32), uint32_t(uint64_t(a) * b >> 32)),
    VOP2("v_mul_hi_i32", Any, I32, (I32, I32), int32_t(int64_t(a) * b >> 32)),
    VOP2_SAT("v_mul_u32_u24", Any, U32, (U32, U32), (a & 0xffffffu) * (b & 0xffffffu),
             satU32(int64_t(uint64_t(a & 0xffffffu) * (b & 0xffffffu)))),
    VOP2_SAT("v_mul_i32_i24", Any, U32, (U32, U32), uint32_t(low24(a)) * uint32_t(low24(b)),
             uint32_t(satI32(int64_t(low24(a)) * low24(b)))),
    VOP2("v_mul_hi_u32_u24", Any, U32, (U32, U32), uint32_t(uint64_t(a & 0xffffffu) * (b & 0xffffffu) >> 32)),
    VOP2("v_mul_hi_i32_i24", Any, U32, (U32, U32), uint32_t(int64_t(low24(a)) * low24(b) >> 32)),
    VOP3_SAT("v_mad_u32_u24", Any, U32, (U32, U32, U32), (a & 0xffffffu) * (b & 0xffffffu) + c,
             addSat(uint64_t(a & 0xffffffu) * (b & 0xffffffu) >> 32 ? ~0u : (a & 0xffffffu) * (b & 0xffffffu), c)),
    VOP3_SAT("v_mad_i32_i24", Any, U32, (U32, U32, U32), uint32_t(low24(a)) * uint32_t(low24(b)) + c,
             uint32_t(satI32(int64_t(low24(a)) * low24(b) + int32_t(c)))),
    VOP3_SAT("v_mad_u32_u16", Any, U32, (U16, U16, U32), uint32_t(a) * b + c, addSat(uint32_t(a) * b, c)),
    VOP3_SAT("v_mad_i32_i16", Any, I32, (I16, I16, I32), int32_t(uint32_t(int32_t(a) * b) + uint32_t(c)),
             satI32(int64_t(a) * b + c)),
    {"v_mad_u64_u32", chips::Before12, mad64<uint64_t, uint32_t>, Mad64, OpClass::Valu, mad64<uint64_t, uint32_t>},
    {"v_mad_i64_i32", chips::Before12, mad64<int64_t, int32_t>, Mad64, OpClass::Valu, mad64<int64_t, int32_t>},
    {"v_mad_co_u64_u32", chips::Gfx12, mad64<uint64_t, uint32_t>, Mad64, OpClass::Valu, mad64<uint64_t, uint32_t>},
    {"v_mad_co_i64_i32", chips::Gfx12, mad64<int64_t, int32_t>, Mad64, OpClass::Valu, mad64<int64_t, int32_t>},
    VOP3_SAT("v_sad_u8", Any, U32, (U32, U32, U32), sadBytes(a, b) + c, addSat(sadBytes(a, b), c)),
    VOP3_SAT("v_sad_hi_u8", Any, U32, (U32, U32, U32), (sadBytes(a, b) << 16) + c, addSat(sadBytes(a, b) << 16, c)),
    VOP3_SAT("v_msad_u8", Any, U32, (U32, U32, U32), maskedSad(a, b) + c, addSat(maskedSad(a, b), c)),
    SLIDING("v_qsad_pk_u16_u8", false, false, B64, nullptr),
    SLIDING("v_mqsad_pk_u16_u8", true, false, B64, nullptr),
    SLIDING("v_mqsad_u32_u8", true, true, Raw, wideAddend),
    VOP3("v_lerp_u8", Any, U32, (U32, U32, U32), averageBytes(a, b, c)),
    VOP3("v_ashr_pk_i8_i32", Gfx950, U16, (I32, I32, U32),
         clampTo(a >> (c & 31), -128, 127) | clampTo(b >> (c & 31), -128, 127) << 8),
    VOP3("v_ashr_pk_u8_i32", Gfx950, U16, (I32, I32, U32),
         clampTo(a >> (c & 31), 0, 255) | clampTo(b >> (c & 31), 0, 255) << 8),
    VOP3_SAT("v_sad_u16", Any, U32, (U32, U32, U32),
             (most(a & 0xffffu, b & 0xffffu) - least(a & 0xffffu, b & 0xffffu)) +
                 (most(a >> 16, b >> 16) - least(a >> 16, b >> 16)) + c,
             addSat((most(a & 0xffffu, b & 0xffffu) - least(a & 0xffffu, b & 0xffffu)) +
                        (most(a >> 16, b >> 16) - least(a >> 16, b >> 16)),
                    c)),
    VOP3_SAT("v_sad_u32", Any, U32, (U32, U32, U32), (most(a, b) - least(a, b)) + c,
             addSat(most(a, b) - least(a, b), c)),
    MIN_MAX("u32", U32),
    MIN_MAX("i32", I32),

    // 16 bits.
    ADD_SUB("u16", Gfx9, U16, satU16),
    ADD_SUB("nc_u16", Gfx11Up, U16, satU16),
    ADD_SUB("i16", Gfx9, I16, satI16),
    ADD_SUB("nc_i16", Gfx11Up, I16, satI16),
    VOP2_SAT("v_subrev_u16", Gfx9, U16, (U16, U16), b - a, satU16(int64_t(b) - int64_t(a))),
    VOP2_SAT("v_mul_lo_u16", Any, U16, (U16, U16), uint32_t(a) * b, satU16(int64_t(a) * b)),
    VOP3_SAT("v_mad_u16", Any, U16, (U16, U16, U16), uint32_t(a) * b + c, satU16(int64_t(a) * b + c)),
    VOP3_SAT("v_mad_i16", Any, I16, (I16, I16, I16), int32_t(a) * b + c, satI16(int64_t(a) * b + c)),
    VOP3_SAT("v_mad_legacy_u16", Gfx9, U16, (U16, U16, U16), uint32_t(a) * b + c, satU16(int64_t(a) * b + c)),
    VOP3_SAT("v_mad_legacy_i16", Gfx9, I16, (I16, I16, I16), int32_t(a) * b + c, satI16(int64_t(a) * b + c)),
    MIN_MAX("u16", U16),
    MIN_MAX("i16", I16),
};

} // namespace
WAVEWRIGHT_FAMILY(integerFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
