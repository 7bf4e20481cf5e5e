//===- emulator/semantics/lds.cpp - ds_* ----------------------------------------------------------===//
#include "wavewright/emulator/semantics/atomic.h"
#include "wavewright/emulator/semantics/memory.h"

#include <type_traits>

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

/// Base plus offset wraps at 32 bits: LLVM folds positive offsets into negative bases since gfx7.
Addresses ldsAddresses(Context &c, Wave &w, const MicroOp &m, int64_t offset) {
  Addresses a;
  const uint32_t *base = fetch(c, w, m, 0);
  for (unsigned l = 0; l < w.lanes; ++l)
    a.lane[l] = uint32_t(base[l] + uint32_t(offset));
  return a;
}

template <unsigned Dwords> void load(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a = ldsAddresses(c, w, m, m.offset);
  Place p;
  if (locate(c, w, m, Space::Lds, AccessKind::Read, a, mask, 4 * Dwords, p))
    loadDwords(c, w, p, a, mask, m.dst, Dwords);
}
template <unsigned Dwords> void loadTwo(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses first = ldsAddresses(c, w, m, m.offset), second = ldsAddresses(c, w, m, m.offset1);
  Place p, q;
  if (locate(c, w, m, Space::Lds, AccessKind::Read, first, mask, 4 * Dwords, p) &&
      locate(c, w, m, Space::Lds, AccessKind::Read, second, mask, 4 * Dwords, q)) {
    loadDwords(c, w, p, first, mask, m.dst, Dwords);
    loadDwords(c, w, q, second, mask, m.dst + Dwords, Dwords);
  }
}
template <unsigned Dwords> void storeTo(Context &c, Wave &w, const MicroOp &m, unsigned slot, int64_t offset) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a = ldsAddresses(c, w, m, offset);
  Place p;
  const uint32_t *rows[Dwords];
  for (unsigned d = 0; d < Dwords; ++d)
    rows[d] = fetch(c, w, m, slot, d);
  if (locate(c, w, m, Space::Lds, AccessKind::Write, a, mask, 4 * Dwords, p))
    storeDwords(c, w, p, a, mask, rows, Dwords);
}
template <unsigned Dwords> void store(Context &c, Wave &w, const MicroOp &m) { storeTo<Dwords>(c, w, m, 1, m.offset); }
template <unsigned Dwords> void storeTwo(Context &c, Wave &w, const MicroOp &m) {
  storeTo<Dwords>(c, w, m, 1, m.offset);
  if (w.state == WaveState::Running)
    storeTo<Dwords>(c, w, m, 2, m.offset1);
}
template <Narrow N> void loadNarrow(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a = ldsAddresses(c, w, m, m.offset);
  Place p;
  if (!locate(c, w, m, Space::Lds, AccessKind::Read, a, mask, narrowBytes(N), p))
    return;
  loadNarrowLanes<N>(c, w, p, a, mask, w.vgpr[m.dst].lane);
}
template <unsigned Bytes, bool High> void storeNarrow(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a = ldsAddresses(c, w, m, m.offset);
  const uint32_t *data = fetch(c, w, m, 1);
  Place p;
  if (!locate(c, w, m, Space::Lds, AccessKind::Write, a, mask, Bytes, p))
    return;
  storeNarrowLanes<Bytes, High>(c, w, p, a, mask, data);
}

/// The wave's MODE may ask LDS to flush denormals in floating additions; nothing else in memory does.
template <class T> WAVEWRIGHT_INLINE T flushAs(const Wave &w, uint32_t keep, T x) {
  return w.mode & keep ? x : flush(x);
}
template <class A>
WAVEWRIGHT_INLINE typename A::value applyInLds(const Wave &w, typename A::value m, typename A::value x,
                                               typename A::value y) {
  using T = typename A::value;
  if constexpr (std::is_same_v<A, AtomicAdd<float>> || std::is_same_v<A, AtomicAdd<double>>) {
    if (w.flushes) {
      constexpr bool single = sizeof(T) == 4;
      uint32_t in = single ? mode::KeepInF32 : mode::KeepInF16F64;
      uint32_t out = single ? mode::KeepOutF32 : mode::KeepOutF16F64;
      return flushAs(w, out, A::apply(flushAs(w, in, m), flushAs(w, in, x), y));
    }
  }
  return A::apply(m, x, y);
}

/// ds_add and its kind: lanes in order, the old value to dst when asked for.
template <class A> void atomic(Context &c, Wave &w, const MicroOp &m) {
  using T = typename A::value;
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a = ldsAddresses(c, w, m, m.offset);
  Place p;
  if (!locate(c, w, m, Space::Lds, AccessKind::Atomic, a, mask, sizeof(T), p))
    return;
  constexpr unsigned dwords = sizeof(T) / 4;
  const uint32_t *data[dwords], *second[dwords];
  for (unsigned d = 0; d < dwords; ++d) {
    data[d] = fetch(c, w, m, 1, d);
    second[d] = A::operands == 2 ? fetch(c, w, m, 2, d) : data[d];
  }
  uint32_t old[2][MaxLanes];
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    T before, x = fromRows<T>(data, l), y = fromRows<T>(second, l);
    __builtin_memcpy(&before, p.at(a.lane[l]), sizeof(T));
    T after = applyInLds<A>(w, before, x, y);
    __builtin_memcpy(p.at(a.lane[l]), &after, sizeof(T));
    toRows(old, l, before);
  }
  if (m.returns)
    for (unsigned d = 0; d < dwords; ++d)
      writeRow(w, uint16_t(m.dst + d), old[d], mask);
}

/// ds_wrxchg2: two exchanges at two addresses.
template <unsigned Dwords> void exchangeTwo(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses at[2] = {ldsAddresses(c, w, m, m.offset), ldsAddresses(c, w, m, m.offset1)};
  Place p[2];
  const uint32_t *data[2][Dwords];
  for (unsigned i = 0; i < 2; ++i) {
    if (!locate(c, w, m, Space::Lds, AccessKind::Atomic, at[i], mask, 4 * Dwords, p[i]))
      return;
    for (unsigned d = 0; d < Dwords; ++d)
      data[i][d] = fetch(c, w, m, 1 + i, d);
  }
  uint32_t old[2][Dwords][MaxLanes];
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    for (unsigned i = 0; i < 2; ++i)
      for (unsigned d = 0; d < Dwords; ++d) {
        std::byte *word = p[i].at(at[i].lane[l]) + 4 * d;
        __builtin_memcpy(&old[i][d][l], word, 4);
        __builtin_memcpy(word, &data[i][d][l], 4);
      }
  }
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned d = 0; d < Dwords; ++d)
      writeRow(w, uint16_t(m.dst + i * Dwords + d), old[i][d], mask);
}

/// ds_append, ds_consume: the number of active lanes joins one dword at M0 plus the offset; all lanes see the old one.
template <bool Adds> void countLanes(Context &c, Wave &w, const MicroOp &m) {
  uint32_t reach = c.target->isCdna() ? 0x3ffffu : 0xffffu; // gfx950 has 160 KiB
  uint64_t mask = w.exec(), address = (w.m0() & reach) + uint64_t(m.offset);
  std::byte *host = c.shared(address, 4, AccessKind::Atomic);
  if (!host)
    return c.outside(w, m, Space::Lds, AccessKind::Atomic, ~0u, address, 4);
  uint32_t before, count = uint32_t(__builtin_popcountll(mask));
  __builtin_memcpy(&before, host, 4);
  uint32_t after = Adds ? before + count : before - count;
  __builtin_memcpy(host, &after, 4);
  uint32_t old[MaxLanes];
  for (uint32_t &x : old)
    x = before;
  writeRow(w, m.dst, old, mask);
}

/// ds_read_b96_tr_b6: 96 bits a lane; inside each 16 lanes a square of 16x16 elements is transposed.
void loadTransposedSix(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a = ldsAddresses(c, w, m, m.offset);
  Place p;
  if (!locate(c, w, m, Space::Lds, AccessKind::Read, a, mask, 12, p))
    return;
  uint8_t in[MaxLanes][16] = {};
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    unsigned __int128 bits = 0;
    __builtin_memcpy(&bits, p.at(a.lane[l]), 12);
    for (unsigned e = 0; e < 16; ++e)
      in[l][e] = uint8_t(bits >> (6 * e)) & 0x3f;
  }
  uint32_t rows[3][MaxLanes];
  for (unsigned l = 0; l < w.lanes; ++l) {
    unsigned __int128 bits = 0;
    for (unsigned e = 0; e < 16; ++e)
      bits |= (unsigned __int128)(in[(l & ~15u) + e][l & 15]) << (6 * e);
    for (unsigned d = 0; d < 3; ++d)
      rows[d][l] = uint32_t(bits >> (32 * d));
  }
  for (unsigned d = 0; d < 3; ++d)
    writeRow(w, uint16_t(m.dst + d), rows[d], mask);
}

/// lds_direct_load: one value for all lanes; M0 holds its address and, in bits 18:16, its type. [RDNA3 ISA, 12.3]
void loadDirect(Context &c, Wave &w, const MicroOp &m) {
  uint32_t address = w.m0() & 0xffffu, type = w.m0() >> 16 & 7;
  unsigned bytes = type == 2 ? 4 : type & 1 ? 2 : 1;
  if (type == 3 || type > 5)
    return c.fail(w, m, "M0 names a data type that lds_direct_load does not have");
  std::byte *host = c.shared(address, bytes, AccessKind::Read);
  if (!host)
    return c.outside(w, m, Space::Lds, AccessKind::Read, ~0u, address, bytes);
  uint32_t value = 0;
  __builtin_memcpy(&value, host, bytes);
  value = type == 4 ? uint32_t(int32_t(int8_t(value))) : type == 5 ? uint32_t(int32_t(int16_t(value))) : value;
  uint32_t row[MaxLanes];
  for (uint32_t &x : row)
    x = value;
  writeRow(w, m.dst, row, w.exec());
}

/// gfx950 transposing reads. The wave reads 64 bits a lane; inside each 16 lanes the elements change places.
template <unsigned Bits> void loadTransposed(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a = ldsAddresses(c, w, m, m.offset);
  Place p;
  if (!locate(c, w, m, Space::Lds, AccessKind::Read, a, mask, 8, p))
    return;
  uint64_t in[MaxLanes] = {}, out[MaxLanes] = {};
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    __builtin_memcpy(&in[l], p.at(a.lane[l]), 8);
  }
  // With n elements in 64 bits, the low bits of the destination lane pick the element, its other bits and then the
  // destination's element number pick the source lane.
  constexpr unsigned elements = 64 / Bits, apart = 16 / elements;
  constexpr uint64_t field = (1ull << Bits) - 1;
  for (unsigned l = 0; l < w.lanes; ++l)
    for (unsigned e = 0; e < elements; ++e) {
      unsigned source = (l & ~15u) | ((l & 15) / elements + e * apart);
      out[l] |= (in[source] >> (Bits * (l % elements)) & field) << (Bits * e);
    }
  uint32_t rows[2][MaxLanes];
  for (unsigned l = 0; l < w.lanes; ++l) {
    rows[0][l] = uint32_t(out[l]);
    rows[1][l] = uint32_t(out[l] >> 32);
  }
  writeRow(w, m.dst, rows[0], mask);
  writeRow(w, uint16_t(m.dst + 1), rows[1], mask);
}

/// Whole-address forms: M0 and the lane number make the address.
void loadByLane(Context &c, Wave &w, const MicroOp &m) {
  Addresses a;
  for (unsigned l = 0; l < w.lanes; ++l)
    a.lane[l] = (w.m0() & 0xffffu) + uint64_t(m.offset) + 4 * l;
  Place p;
  if (w.exec() && locate(c, w, m, Space::Lds, AccessKind::Read, a, w.exec(), 4, p))
    loadDwords(c, w, p, a, w.exec(), m.dst, 1);
}
void storeByLane(Context &c, Wave &w, const MicroOp &m) {
  Addresses a;
  for (unsigned l = 0; l < w.lanes; ++l)
    a.lane[l] = (w.m0() & 0xffffu) + uint64_t(m.offset) + 4 * l;
  Place p;
  const uint32_t *row = fetch(c, w, m, 1);
  if (w.exec() && locate(c, w, m, Space::Lds, AccessKind::Write, a, w.exec(), 4, p))
    storeDwords(c, w, p, a, w.exec(), &row, 1);
}

void nothing(Context &, Wave &, const MicroOp &) {}

constexpr Shape None{}, Address{Type::Raw, Type::None, {Type::B32, Type::Raw, Type::Raw}};

/// Element bytes of the two-address forms scale their offsets; st64 means 64 elements.
const char *scaleOffsets(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  unsigned element = i.name.find("b64") != std::string_view::npos ? 8 : 4;
  unsigned scale = i.name.find("st64") != std::string_view::npos || i.name.find("stride64") != std::string_view::npos
                       ? 64 * element
                       : element;
  m.offset = i.offset * scale;
  m.offset1 = i.offset1 * scale;
  return nullptr;
}

#define DS(NAME9, NAME11, ...)                                                                                         \
  {NAME9, chips::Gfx9, __VA_ARGS__, Address, OpClass::Lds}, {                                                          \
    NAME11, chips::Gfx11Up, __VA_ARGS__, Address, OpClass::Lds                                                         \
  }
#define DS2(NAME9, NAME11, ...)                                                                                        \
  {NAME9, chips::Gfx9, __VA_ARGS__, Address, OpClass::Lds, nullptr, scaleOffsets}, {                                   \
    NAME11, chips::Gfx11Up, __VA_ARGS__, Address, OpClass::Lds, nullptr, scaleOffsets                                  \
  }
/// Names of the plain and of the returning form; `...` the atomic.
#define DS_ATOMIC(OP, SUFFIX, CHIPS, ...)                                                                              \
  {"ds_" OP "_" SUFFIX, chips::CHIPS, atomic<__VA_ARGS__>, Address, OpClass::Lds}, {                                   \
    "ds_" OP "_rtn_" SUFFIX, chips::CHIPS, atomic<__VA_ARGS__>, Address, OpClass::Lds                                  \
  }
#define DS_INTEGER(BITS)                                                                                               \
  DS_ATOMIC("add", "u" #BITS, Any, AtomicAdd<uint##BITS##_t>),                                                         \
      DS_ATOMIC("sub", "u" #BITS, Any, AtomicSub<uint##BITS##_t>),                                                     \
      DS_ATOMIC("rsub", "u" #BITS, Any, AtomicReverseSub<uint##BITS##_t>),                                             \
      DS_ATOMIC("inc", "u" #BITS, Any, AtomicIncrement<uint##BITS##_t>),                                               \
      DS_ATOMIC("dec", "u" #BITS, Any, AtomicDecrement<uint##BITS##_t>),                                               \
      DS_ATOMIC("min", "i" #BITS, Any, AtomicMin<int##BITS##_t>),                                                      \
      DS_ATOMIC("max", "i" #BITS, Any, AtomicMax<int##BITS##_t>),                                                      \
      DS_ATOMIC("min", "u" #BITS, Any, AtomicMin<uint##BITS##_t>),                                                     \
      DS_ATOMIC("max", "u" #BITS, Any, AtomicMax<uint##BITS##_t>),                                                     \
      DS_ATOMIC("and", "b" #BITS, Any, AtomicAnd<uint##BITS##_t>),                                                     \
      DS_ATOMIC("or", "b" #BITS, Any, AtomicOr<uint##BITS##_t>),                                                       \
      DS_ATOMIC("xor", "b" #BITS, Any, AtomicXor<uint##BITS##_t>),                                                     \
      DS_ATOMIC("cmpst", "b" #BITS, Gfx9, AtomicCompareFirst<uint##BITS##_t>),                                         \
      DS_ATOMIC("cmpstore", "b" #BITS, Gfx11Up, AtomicCompareSecond<uint##BITS##_t>),                                  \
      {"ds_wrxchg_rtn_b" #BITS, chips::Gfx9, atomic<AtomicExchange<uint##BITS##_t>>, Address, OpClass::Lds}, {         \
    "ds_storexchg_rtn_b" #BITS, chips::Gfx11Up, atomic<AtomicExchange<uint##BITS##_t>>, Address, OpClass::Lds          \
  }

constexpr Semantics table[] = {
    DS("ds_read_b32", "ds_load_b32", load<1>),
    DS("ds_read_b64", "ds_load_b64", load<2>),
    DS("ds_read_b96", "ds_load_b96", load<3>),
    DS("ds_read_b128", "ds_load_b128", load<4>),
    DS2("ds_read2_b32", "ds_load_2addr_b32", loadTwo<1>),
    DS2("ds_read2_b64", "ds_load_2addr_b64", loadTwo<2>),
    DS2("ds_read2st64_b32", "ds_load_2addr_stride64_b32", loadTwo<1>),
    DS2("ds_read2st64_b64", "ds_load_2addr_stride64_b64", loadTwo<2>),
    DS("ds_write_b32", "ds_store_b32", store<1>),
    DS("ds_write_b64", "ds_store_b64", store<2>),
    DS("ds_write_b96", "ds_store_b96", store<3>),
    DS("ds_write_b128", "ds_store_b128", store<4>),
    DS2("ds_write2_b32", "ds_store_2addr_b32", storeTwo<1>),
    DS2("ds_write2_b64", "ds_store_2addr_b64", storeTwo<2>),
    DS2("ds_write2st64_b32", "ds_store_2addr_stride64_b32", storeTwo<1>),
    DS2("ds_write2st64_b64", "ds_store_2addr_stride64_b64", storeTwo<2>),
    DS("ds_read_u8", "ds_load_u8", loadNarrow<Narrow::U8>),
    DS("ds_read_i8", "ds_load_i8", loadNarrow<Narrow::I8>),
    DS("ds_read_u16", "ds_load_u16", loadNarrow<Narrow::U16>),
    DS("ds_read_i16", "ds_load_i16", loadNarrow<Narrow::I16>),
    DS("ds_read_u8_d16", "ds_load_u8_d16", loadNarrow<Narrow::LowU8>),
    DS("ds_read_u8_d16_hi", "ds_load_u8_d16_hi", loadNarrow<Narrow::HighU8>),
    DS("ds_read_i8_d16", "ds_load_i8_d16", loadNarrow<Narrow::LowI8>),
    DS("ds_read_i8_d16_hi", "ds_load_i8_d16_hi", loadNarrow<Narrow::HighI8>),
    DS("ds_read_u16_d16", "ds_load_u16_d16", loadNarrow<Narrow::Low16>),
    DS("ds_read_u16_d16_hi", "ds_load_u16_d16_hi", loadNarrow<Narrow::High16>),
    DS("ds_write_b8", "ds_store_b8", storeNarrow<1, false>),
    DS("ds_write_b16", "ds_store_b16", storeNarrow<2, false>),
    DS("ds_write_b8_d16_hi", "ds_store_b8_d16_hi", storeNarrow<1, true>),
    DS("ds_write_b16_d16_hi", "ds_store_b16_d16_hi", storeNarrow<2, true>),
    DS("ds_read_addtid_b32", "ds_load_addtid_b32", loadByLane),
    DS("ds_write_addtid_b32", "ds_store_addtid_b32", storeByLane),
    {"ds_read_b64_tr_b16", chips::Gfx950, loadTransposed<16>, Address, OpClass::Lds},
    {"ds_read_b64_tr_b8", chips::Gfx950, loadTransposed<8>, Address, OpClass::Lds},
    {"ds_read_b64_tr_b4", chips::Gfx950, loadTransposed<4>, Address, OpClass::Lds},
    DS_INTEGER(32),
    DS_INTEGER(64),
    DS_ATOMIC("add", "f32", Any, AtomicAdd<float>),
    DS_ATOMIC("add", "f64", Gfx9, AtomicAdd<double>),
    DS_ATOMIC("min", "f32", Before12, AtomicFloatMin<float>),
    DS_ATOMIC("max", "f32", Before12, AtomicFloatMax<float>),
    DS_ATOMIC("min_num", "f32", Gfx12, AtomicFloatMin<float>),
    DS_ATOMIC("max_num", "f32", Gfx12, AtomicFloatMax<float>),
    DS_ATOMIC("min", "f64", Before12, AtomicFloatMin<double>),
    DS_ATOMIC("max", "f64", Before12, AtomicFloatMax<double>),
    DS_ATOMIC("min_num", "f64", Gfx12, AtomicFloatMin<double>),
    DS_ATOMIC("max_num", "f64", Gfx12, AtomicFloatMax<double>),
    DS_ATOMIC("pk_add", "f16", Any, AtomicPairAdd<false>),
    DS_ATOMIC("pk_add", "bf16", Any, AtomicPairAdd<true>),
    DS_ATOMIC("cmpst", "f32", Gfx9, AtomicCompareFirst<float>),
    DS_ATOMIC("cmpst", "f64", Gfx9, AtomicCompareFirst<double>),
    DS_ATOMIC("cmpstore", "f32", Gfx11, AtomicCompareSecond<float>),
    DS_ATOMIC("cmpstore", "f64", Gfx11, AtomicCompareSecond<double>),
    DS_ATOMIC("mskor", "b32", Any, AtomicMaskOr<uint32_t>),
    DS_ATOMIC("mskor", "b64", Any, AtomicMaskOr<uint64_t>),
    DS_ATOMIC("sub_clamp", "u32", Gfx12, AtomicClampedSub<uint32_t>),
    DS_ATOMIC("cond_sub", "u32", Gfx12, AtomicConditionalSub<uint32_t>),
    {"ds_wrap_rtn_b32", chips::Before12, atomic<AtomicWrap<uint32_t>>, Address, OpClass::Lds},
    {"ds_condxchg32_rtn_b64", chips::Any, atomic<AtomicConditionalExchange>, Address, OpClass::Lds},
    DS2("ds_wrxchg2_rtn_b32", "ds_storexchg_2addr_rtn_b32", exchangeTwo<1>),
    DS2("ds_wrxchg2_rtn_b64", "ds_storexchg_2addr_rtn_b64", exchangeTwo<2>),
    DS2("ds_wrxchg2st64_rtn_b32", "ds_storexchg_2addr_stride64_rtn_b32", exchangeTwo<1>),
    DS2("ds_wrxchg2st64_rtn_b64", "ds_storexchg_2addr_stride64_rtn_b64", exchangeTwo<2>),
    {"ds_append", chips::Any, countLanes<true>, None, OpClass::Lds},
    {"ds_consume", chips::Any, countLanes<false>, None, OpClass::Lds},
    {"ds_read_b96_tr_b6", chips::Gfx950, loadTransposedSix, Address, OpClass::Lds},
    {"lds_direct_load", chips::Gfx11, loadDirect, None, OpClass::Lds},
    {"ds_direct_load", chips::Gfx12, loadDirect, None, OpClass::Lds},
    {"ds_nop", chips::Any, nothing, None, OpClass::Lds},
};

} // namespace
WAVEWRIGHT_FAMILY(ldsFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
