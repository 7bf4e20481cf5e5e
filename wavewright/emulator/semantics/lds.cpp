//===- emulator/semantics/lds.cpp - ds_* ----------------------------------------------------------===//
#include "wavewright/emulator/semantics/atomic.h"
#include "wavewright/emulator/semantics/memory.h"

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
    T after = A::apply(before, x, y);
    __builtin_memcpy(p.at(a.lane[l]), &after, sizeof(T));
    toRows(old, l, before);
  }
  if (m.returns)
    for (unsigned d = 0; d < dwords; ++d)
      writeRow(w, uint16_t(m.dst + d), old[d], mask);
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
    {"ds_nop", chips::Any, nothing, None, OpClass::Lds},
};

} // namespace
WAVEWRIGHT_FAMILY(ldsFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
