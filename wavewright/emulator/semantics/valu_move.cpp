//===- emulator/semantics/valu_move.cpp - moves, selects, bit fields and shifts -------------------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

static void nothing(Context &, Wave &, const MicroOp &) {}

/// D = selector bit ? S1 : S0, of any element type.
template <class T> static void select(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  if (!mask)
    return;
  uint64_t selector = maskOperand(c, w, m, 2);
  Rows<T> a = rows<T>(c, w, m, 0), b = rows<T>(c, w, m, 1);
  bool direct = m.direct & (mask == w.laneMask) & !w.flushes;
  uint32_t *out = direct ? w.vgpr[m.dst].lane : c.results[0].lane;
  for (unsigned base = 0; base < w.lanes; base += 32) {
    uint32_t bits = uint32_t(selector >> base);
    const uint32_t *x = a.r[0] + base, *y = b.r[0] + base;
    uint32_t *to = out + base;
    WAVEWRIGHT_LANES
    for (unsigned l = 0; l < 32; ++l) {
      uint32_t chosen = -(bits >> l & 1u);
      to[l] = (y[l] & chosen) | (x[l] & ~chosen);
    }
  }
  if (!direct)
    commit(c, w, m, mask);
}

/// Exchanges two registers in the active lanes.
template <bool Half> static void swap(Context &c, Wave &w, const MicroOp &m) {
  uint64_t exec = w.exec();
  uint32_t *a = w.vgpr[m.dst].lane, *b = w.vgpr[m.src[0].index].lane;
  unsigned shiftA = Half && m.dstHigh ? 16 : 0;
  unsigned shiftB = Half && m.src[0].part == codeobject::Part::High16 ? 16 : 0;
  uint32_t field = Half ? 0xffffu : ~0u;
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(exec >> l & 1))
      continue;
    uint32_t x = a[l] >> shiftA & field, y = b[l] >> shiftB & field;
    a[l] = (a[l] & ~(field << shiftA)) | y << shiftA;
    b[l] = (b[l] & ~(field << shiftB)) | x << shiftB;
  }
}

static const char *secondRegister(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  if (i.dst.size() != 2)
    return "its second register is missing";
  m.src[0].index = i.dst[1].index; // both registers are written
  m.src[0].part = i.dst[1].part;
  return nullptr;
}

static WAVEWRIGHT_INLINE uint32_t reverseBits(uint32_t x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
static WAVEWRIGHT_INLINE int32_t firstBitHigh(uint32_t x) { return x ? __builtin_clz(x) : -1; }
static WAVEWRIGHT_INLINE int32_t firstBitLow(uint32_t x) { return x ? __builtin_ctz(x) : -1; }
static WAVEWRIGHT_INLINE int32_t firstBitHighSigned(int32_t x) {
  uint32_t y = uint32_t(x < 0 ? ~x : x);
  return y ? __builtin_clz(y) : -1;
}
static WAVEWRIGHT_INLINE uint32_t fieldMask(uint32_t width) { return (1u << (width & 31)) - 1; }
static WAVEWRIGHT_INLINE int32_t extractSigned(int32_t x, uint32_t offset, uint32_t width) {
  offset &= 31, width &= 31;
  if (!width)
    return 0;
  return offset + width < 32 ? x << (32 - offset - width) >> (32 - width) : x >> offset;
}

/// One byte of v_perm_b32: `data` is S0:S1, selectors 8..11 replicate a sign, 12 is 0, above it is 0xff.
static WAVEWRIGHT_INLINE uint32_t permuteByte(uint64_t data, uint32_t selector) {
  if (selector >= 13)
    return 0xff;
  if (selector == 12)
    return 0;
  if (selector >= 8)
    return data >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
  return uint32_t(data >> (8 * selector)) & 0xff;
}
static WAVEWRIGHT_INLINE uint32_t permute(uint32_t a, uint32_t b, uint32_t s) {
  uint64_t data = uint64_t(a) << 32 | b;
  return permuteByte(data, s & 0xff) | permuteByte(data, s >> 8 & 0xff) << 8 | permuteByte(data, s >> 16 & 0xff) << 16 |
         permuteByte(data, s >> 24) << 24;
}

/// With one selector for all lanes, as packing and byte swaps have: a shift a byte.
static void permuteBytes(Context &c, Wave &w, const MicroOp &m) {
  const Source &s = m.src[2];
  uint64_t mask = activeLanes(w, m);
  if (!mask)
    return;
  const uint32_t *a = fetch(c, w, m, 0), *b = fetch(c, w, m, 1), *selector = fetch(c, w, m, 2);
  bool direct = m.direct & (mask == w.laneMask);
  uint32_t *out = direct ? w.vgpr[m.dst].lane : c.results[0].lane;
  uint32_t each = selector[0];
  if ((s.kind == Source::Kind::Constant || s.kind == Source::Kind::Scalar) && !(each & 0xf8f8f8f8u)) {
    const uint32_t *from[4];
    uint32_t shift[4];
    for (unsigned i = 0; i < 4; ++i) {
      from[i] = each >> (8 * i) & 4 ? a : b;
      shift[i] = 8 * (each >> (8 * i) & 3);
    }
    for (unsigned base = 0; base < w.lanes; base += 32) {
      WAVEWRIGHT_LANES
      for (unsigned l = base; l < base + 32; ++l)
        out[l] = (from[0][l] >> shift[0] & 0xffu) | (from[1][l] >> shift[1] & 0xffu) << 8 |
                 (from[2][l] >> shift[2] & 0xffu) << 16 | from[3][l] >> shift[3] << 24;
    }
  } else {
    for (unsigned l = 0; l < w.lanes; ++l)
      out[l] = permute(a[l], b[l], selector[l]);
  }
  if (!direct)
    commit(c, w, m, mask);
}

/// The truth table sits in the instruction (gfx950 v_bitop3): bit 4*a + 2*b + c.
template <class T> static void bitop3(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m);
  if (!mask)
    return;
  const uint32_t *x = fetch(c, w, m, 0), *y = fetch(c, w, m, 1), *z = fetch(c, w, m, 2);
  uint32_t term[8];
  for (unsigned i = 0; i < 8; ++i)
    term[i] = m.imm >> i & 1 ? ~0u : 0u;
  uint32_t *out = c.results[0].lane;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t p = x[l], q = y[l], r = z[l];
    out[l] = (~p & ~q & ~r & term[0]) | (~p & ~q & r & term[1]) | (~p & q & ~r & term[2]) | (~p & q & r & term[3]) |
             (p & ~q & ~r & term[4]) | (p & ~q & r & term[5]) | (p & q & ~r & term[6]) | (p & q & r & term[7]);
  }
  commit(c, w, m, mask);
}

static constexpr Shape Select32{Type::B32, Type::None, {Type::B32, Type::B32, Type::Mask}};
static constexpr Shape Select16{Type::B16, Type::None, {Type::B16, Type::B16, Type::Mask}};

static constexpr Semantics table[] = {
    {"v_nop", chips::Any, nothing, {}},
    {"v_clrexcp", chips::Any, nothing, {}},
    {"v_pipeflush", chips::Any, nothing, {}},
    VOP1("v_mov_b32", Any, U32, (U32), a),
    VOP1("v_mov_b16", Gfx11Up, U16, (U16), a),
    VOP1("v_mov_b64", Gfx9, U64, (U64), a),
    VOP1("v_accvgpr_read_b32", Gfx9, U32, (U32), a),
    VOP1("v_accvgpr_write_b32", Gfx9, U32, (U32), a),
    VOP1("v_accvgpr_mov_b32", Gfx9, U32, (U32), a),
    {"v_cndmask_b32", chips::Any, select<U32>, Select32},
    {"v_cndmask_b16", chips::Gfx11Up, select<U16>, Select16},
    {"v_swap_b32",
     chips::Any,
     swap<false>,
     {Type::B32, Type::None, {Type::B32}},
     OpClass::Valu,
     nullptr,
     secondRegister},
    {"v_swap_b16",
     chips::Gfx11Up,
     swap<true>,
     {Type::B16, Type::None, {Type::B16}},
     OpClass::Valu,
     nullptr,
     secondRegister},

    VOP1("v_not_b32", Any, U32, (U32), ~a),
    VOP1("v_not_b16", Gfx11Up, U16, (U16), ~a),
    VOP2("v_and_b32", Any, U32, (U32, U32), a &b),
    VOP2("v_or_b32", Any, U32, (U32, U32), a | b),
    VOP2("v_xor_b32", Any, U32, (U32, U32), a ^ b),
    VOP2("v_xnor_b32", Any, U32, (U32, U32), ~(a ^ b)),
    VOP2("v_and_b16", Gfx11Up, U16, (U16, U16), a &b),
    VOP2("v_or_b16", Gfx11Up, U16, (U16, U16), a | b),
    VOP2("v_xor_b16", Gfx11Up, U16, (U16, U16), a ^ b),
    VOP3("v_and_or_b32", Any, U32, (U32, U32, U32), (a & b) | c),
    VOP3("v_or3_b32", Any, U32, (U32, U32, U32), a | b | c),
    VOP3("v_xor3_b32", Gfx11Up, U32, (U32, U32, U32), a ^ b ^ c),
    {"v_bitop3_b32", chips::Gfx950, bitop3<U32>, {Type::B32, Type::None, {Type::B32, Type::B32, Type::B32}}},
    {"v_bitop3_b16", chips::Gfx950, bitop3<U16>, {Type::B16, Type::None, {Type::B16, Type::B16, Type::B16}}},

    VOP2("v_lshlrev_b32", Any, U32, (U32, U32), b << (a & 31)),
    VOP2("v_lshrrev_b32", Any, U32, (U32, U32), b >> (a & 31)),
    VOP2("v_ashrrev_i32", Any, I32, (U32, I32), b >> (a & 31)),
    VOP2("v_lshlrev_b16", Any, U16, (U16, U16), b << (a & 15)),
    VOP2("v_lshrrev_b16", Any, U16, (U16, U16), b >> (a & 15)),
    VOP2("v_ashrrev_i16", Any, I16, (U16, I16), b >> (a & 15)),
    VOP2("v_lshlrev_b64", Any, U64, (U32, U64), b << (a & 63)),
    VOP2("v_lshrrev_b64", Any, U64, (U32, U64), b >> (a & 63)),
    VOP2("v_ashrrev_i64", Any, I64, (U32, I64), b >> (a & 63)),
    VOP3("v_lshl_add_u32", Any, U32, (U32, U32, U32), (a << (b & 31)) + c),
    VOP3("v_add_lshl_u32", Any, U32, (U32, U32, U32), (a + b) << (c & 31)),
    VOP3("v_lshl_or_b32", Any, U32, (U32, U32, U32), (a << (b & 31)) | c),
    VOP3("v_lshl_add_u64", Gfx9, U64, (U64, U32, U64), (a << (b & 7)) + c),
    VOP3("v_xad_u32", Any, U32, (U32, U32, U32), (a ^ b) + c),
    VOP3("v_alignbit_b32", Any, U32, (U32, U32, U32), uint32_t((uint64_t(a) << 32 | b) >> (c & 31))),
    VOP3("v_alignbyte_b32", Any, U32, (U32, U32, U32), uint32_t((uint64_t(a) << 32 | b) >> (8 * (c & 3)))),

    VOP3("v_bfe_u32", Any, U32, (U32, U32, U32), a >> (b & 31) & fieldMask(c)),
    VOP3("v_bfe_i32", Any, I32, (I32, U32, U32), extractSigned(a, b, c)),
    VOP3("v_bfi_b32", Any, U32, (U32, U32, U32), (a & b) | (~a & c)),
    VOP2("v_bfm_b32", Any, U32, (U32, U32), fieldMask(a) << (b & 31)),
    VOP1("v_bfrev_b32", Any, U32, (U32), reverseBits(a)),
    VOP2("v_bcnt_u32_b32", Any, U32, (U32, U32), uint32_t(__builtin_popcount(a)) + b),
    VOP1("v_ffbh_u32", Gfx9, I32, (U32), firstBitHigh(a)),
    VOP1("v_ffbh_i32", Gfx9, I32, (I32), firstBitHighSigned(a)),
    VOP1("v_ffbl_b32", Gfx9, I32, (U32), firstBitLow(a)),
    VOP1("v_clz_i32_u32", Gfx11Up, I32, (U32), firstBitHigh(a)),
    VOP1("v_cls_i32", Gfx11Up, I32, (I32), firstBitHighSigned(a)),
    VOP1("v_ctz_i32_b32", Gfx11Up, I32, (U32), firstBitLow(a)),
    {"v_perm_b32", chips::Any, permuteBytes, {Type::B32, Type::None, {Type::B32, Type::B32, Type::B32}}},
    VOP1("v_sat_pk_u8_i16", Any, U16, (U32),
         uint16_t((int16_t(a) < 0     ? 0
                   : int16_t(a) > 255 ? 255
                                      : int16_t(a)) |
                  (int32_t(a) >> 16 < 0     ? 0
                   : int32_t(a) >> 16 > 255 ? 255
                                            : int32_t(a) >> 16)
                      << 8)),
    VOP2("v_pack_b32_f16", Any, U32, (F16Bits, F16Bits), uint32_t(a) | uint32_t(b) << 16),
};
WAVEWRIGHT_FAMILY(moveFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
