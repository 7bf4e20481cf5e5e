//===- emulator/semantics/vmem.cpp - vector memory loads and stores -------------------------------===//
#include "wavewright/emulator/semantics/vmem.h"

#include <type_traits>

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

// Actions ----------------------------------------------------------------------------------------------
template <unsigned Dwords> struct Load {
  static constexpr unsigned bytes = 4 * Dwords;
  static constexpr bool stores = false;
  static WAVEWRIGHT_INLINE void run(Context &c, Wave &w, const MicroOp &m, const Place &p, const Addresses &a,
                                    uint64_t mask) {
    loadDwords(c, w, p, a, mask, m.dst, Dwords);
  }
  /// What a load from outside of a buffer gives.
  static void zero(Wave &w, const MicroOp &m, unsigned lane, unsigned fromDword) {
    for (unsigned d = fromDword; d < Dwords; ++d)
      w.vgpr[m.dst + d].lane[lane] = 0;
  }
};
template <Narrow N> struct LoadNarrow {
  static constexpr unsigned bytes = narrowBytes(N);
  static constexpr bool stores = false;
  static void run(Context &c, Wave &w, const MicroOp &m, const Place &p, const Addresses &a, uint64_t mask) {
    loadNarrowLanes<N>(c, w, p, a, mask, w.vgpr[m.dst].lane);
  }
  static void zero(Wave &w, const MicroOp &m, unsigned lane, unsigned) {
    uint32_t *out = w.vgpr[m.dst].lane;
    out[lane] = enterNarrow(N, 0, out[lane]);
  }
};
template <unsigned Dwords> struct Store {
  static constexpr unsigned bytes = 4 * Dwords;
  static constexpr bool stores = true;
  static void run(Context &c, Wave &w, const MicroOp &m, const Place &p, const Addresses &a, uint64_t mask) {
    const uint32_t *rows[Dwords];
    for (unsigned d = 0; d < Dwords; ++d)
      rows[d] = w.vgpr[m.src[1].index + d].lane;
    storeDwords(c, w, p, a, mask, rows, Dwords);
  }
  static void zero(Wave &, const MicroOp &, unsigned, unsigned) {}
};
template <unsigned Bytes, bool High> struct StoreNarrow {
  static constexpr unsigned bytes = Bytes;
  static constexpr bool stores = true;
  static void run(Context &c, Wave &w, const MicroOp &m, const Place &p, const Addresses &a, uint64_t mask) {
    storeNarrowLanes<Bytes, High>(c, w, p, a, mask, w.vgpr[m.src[1].index].lane);
  }
  static void zero(Wave &, const MicroOp &, unsigned, unsigned) {}
};

constexpr AccessKind kindOf(bool stores) { return stores ? AccessKind::Write : AccessKind::Read; }

/// Runs an action on lanes of private memory through staged copies.
template <class A>
void throughStaging(Context &c, Wave &w, const MicroOp &m, const Addresses &offsets, uint64_t mask, Space space) {
  Staging staging;
  Addresses a;
  Place p = stagedPlace(staging, a);
  auto copy = [&](bool out) {
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
      unsigned l = unsigned(__builtin_ctzll(rest));
      if (!privateCopy(c, w, m, l, uint32_t(offsets.lane[l]), staging.bytes + 16 * l, A::bytes, out))
        return false;
    }
    return true;
  };
  if (A::stores) {
    A::run(c, w, m, p, a, mask);
    copy(true);
  } else if (copy(false)) {
    A::run(c, w, m, p, a, mask);
  }
}

// Ways to name memory ----------------------------------------------------------------------------------
template <class A> void global(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a;
  globalAddresses(c, w, m, a);
  Place p;
  if (locate(c, w, m, Space::Global, kindOf(A::stores), a, mask, A::bytes, p))
    A::run(c, w, m, p, a, mask);
}

template <class A> void flat(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec(), shared, priv;
  if (!mask)
    return;
  Addresses a;
  globalAddresses(c, w, m, a);
  splitFlat(a, mask, shared, priv);
  uint64_t rest = mask & ~(shared | priv);
  Place p;
  // A load may overwrite its own address registers: every part works on the copied addresses.
  if (rest) {
    if (!locate(c, w, m, Space::Global, kindOf(A::stores), a, rest, A::bytes, p))
      return;
    A::run(c, w, m, p, a, rest);
  }
  if (priv)
    throughStaging<A>(c, w, m, a, priv, Space::Private);
  if (shared && w.state == WaveState::Running) {
    for (uint64_t each = shared; each; each &= each - 1) {
      unsigned l = unsigned(__builtin_ctzll(each));
      a.lane[l] = uint32_t(a.lane[l]);
    }
    if (locate(c, w, m, Space::Lds, kindOf(A::stores), a, shared, A::bytes, p))
      A::run(c, w, m, p, a, shared);
  }
}

template <class A> void scratch(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  uint64_t first = uint32_t(uint32_t(m.offset) + (m.saddr.kind == Source::Kind::Scalar ? w.sgpr[m.saddr.index] : 0));
  bool uniform = m.src[0].kind != Source::Kind::Vgpr;
  if (!uniform) {
    Addresses a;
    scratchOffsets(c, w, m, a);
    first = a.lane[__builtin_ctzll(mask)];
    uint64_t apart = 0;
    for (unsigned l = 0; l < w.lanes; ++l)
      apart |= mask >> l & 1 ? a.lane[l] ^ first : 0;
    uniform = !apart;
  }
  if (!uniform || first & 3 || A::bytes < 4 || first + A::bytes > w.scratchBytes) {
    Addresses a;
    scratchOffsets(c, w, m, a);
    return throughStaging<A>(c, w, m, a, mask, Space::Private);
  }
  // All lanes at one offset: whole rows.
  for (unsigned d = 0; d < A::bytes / 4; ++d) {
    uint32_t *row = w.scratch + (first / 4 + d) * MaxLanes;
    if (A::stores) {
      const uint32_t *data = w.vgpr[m.src[1].index + d].lane;
      if (mask == w.laneMask)
        std::memcpy(row, data, 4 * w.lanes);
      else
        for (unsigned l = 0; l < w.lanes; ++l)
          row[l] = mask >> l & 1 ? data[l] : row[l];
    } else {
      writeRow(w, uint16_t(m.dst + d), row, mask);
    }
  }
}

template <class A> void buffer(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  BufferLanes b;
  if (!bufferLanes(c, w, m, A::bytes, mask, false, b))
    return;
  Place p;
  if (b.inside && !locate(c, w, m, Space::Global, kindOf(A::stores), b.a, b.inside, A::bytes, p))
    return;
  if (b.inside)
    A::run(c, w, m, p, b.a, b.inside);
  for (uint64_t rest = mask & ~b.inside; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    unsigned dwords = b.partly >> l & 1 ? b.dwordsInside[l] : 0;
    if (dwords) {
      std::byte *host = c.global(b.a.lane[l], 4 * dwords, kindOf(A::stores));
      if (!host)
        return c.outside(w, m, Space::Global, kindOf(A::stores), l, b.a.lane[l], 4 * dwords);
      for (unsigned d = 0; d < dwords; ++d) {
        uint32_t *lane = &w.vgpr[(A::stores ? m.src[1].index : m.dst) + d].lane[l];
        if (A::stores)
          __builtin_memcpy(host + 4 * d, lane, 4);
        else
          __builtin_memcpy(lane, host + 4 * d, 4);
      }
    }
    A::zero(w, m, l, dwords);
  }
}

enum class LdsFrom : uint8_t { Buffer, Global, Scratch };

// Loads that go to LDS (gfx9): lane l writes at M0 + offset + l * size. ----------------------------------
template <unsigned Bytes, bool Signed> void depositLane(std::byte *to, const std::byte *from) {
  if (Bytes >= 4) {
    __builtin_memcpy(to, from, Bytes);
    return;
  }
  uint32_t value = readNarrow(from, Bytes);
  if (Signed)
    value = Bytes == 1 ? uint32_t(int32_t(int8_t(value))) : uint32_t(int32_t(int16_t(value)));
  __builtin_memcpy(to, &value, 4);
}
template <unsigned Bytes, bool Signed, LdsFrom From> void loadToLds(Context &c, Wave &w, const MicroOp &m) {
  constexpr unsigned stride = Bytes < 4 ? 4 : Bytes;
  uint64_t mask = w.exec();
  BufferLanes b;
  b.inside = mask;
  if (From == LdsFrom::Global)
    globalAddresses(c, w, m, b.a);
  else if (From == LdsFrom::Scratch)
    scratchOffsets(c, w, m, b.a);
  else if (!bufferLanes(c, w, m, Bytes, mask, true, b))
    return;
  uint64_t base = (w.m0() & 0x3ffffu) + uint64_t(m.offset);
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    std::byte zeros[16] = {}, *from = zeros;
    if (From == LdsFrom::Scratch) {
      if (!privateCopy(c, w, m, l, uint32_t(b.a.lane[l]), zeros, Bytes, false))
        return;
    } else if (b.inside >> l & 1) {
      from = c.global(b.a.lane[l], Bytes, AccessKind::Read);
      if (!from)
        return c.outside(w, m, Space::Global, AccessKind::Read, l, b.a.lane[l], Bytes);
    }
    std::byte *to = c.shared(base + l * stride, stride, AccessKind::Write);
    if (!to)
      return c.outside(w, m, Space::Lds, AccessKind::Write, l, base + l * stride, stride);
    depositLane<Bytes, Signed>(to, from);
  }
}
template <unsigned Bytes, bool Signed>
const char *toLdsWhenAsked(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  if (i.lds)
    m.handler = loadToLds<Bytes, Signed, LdsFrom::Buffer>;
  return nullptr;
}

/// gfx12 global_load_tr_b64: inside 16 lanes the bytes change places as gfx950's ds_read_b64_tr_b8 does it.
void loadTransposedBytes(Context &c, Wave &w, const MicroOp &m) {
  if (!w.exec())
    return;
  Addresses a;
  globalAddresses(c, w, m, a);
  Place p;
  if (!locate(c, w, m, Space::Global, AccessKind::Read, a, w.laneMask, 8, p))
    return;
  uint8_t in[MaxLanes][8];
  for (unsigned l = 0; l < w.lanes; ++l)
    __builtin_memcpy(in[l], laneHost(c, p, a.lane[l], 8, AccessKind::Read), 8);
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint64_t out = 0;
    for (unsigned n = 0; n < 8; ++n)
      out |= uint64_t(in[(l & ~15u) + (l >> 3 & 1) + 2 * n][l & 7]) << (8 * n);
    w.vgpr[m.dst].lane[l] = uint32_t(out);
    w.vgpr[m.dst + 1].lane[l] = uint32_t(out >> 32);
  }
}
const char *onlyWave32(const codeobject::Instruction &i, const Target &, MicroOp &) {
  unsigned dwords = i.name.ends_with("b128") ? 4 : 2;
  return !i.dst.empty() && i.dst[0].dwords == dwords ? nullptr
                                                     : "what its form for waves of 64 lanes loads is not known";
}

/// global_load_addtid: scalar base, offset and lane number make the address.
void laneAddresses(const Wave &w, const MicroOp &m, Addresses &a) {
  uint64_t base = (m.saddr.kind == Source::Kind::Scalar ? w.pair(m.saddr.index) : 0) + uint64_t(m.offset);
  for (unsigned l = 0; l < w.lanes; ++l)
    a.lane[l] = base + 4 * l;
}
template <class A> void globalByLane(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  Addresses a;
  laneAddresses(w, m, a);
  Place p;
  if (locate(c, w, m, Space::Global, kindOf(A::stores), a, mask, A::bytes, p))
    A::run(c, w, m, p, a, mask);
}

/// gfx12 block accesses: of 32 registers those whose bit is set in M0, each at its own place in memory.
template <bool Stores, bool Scratch> void block(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  uint32_t registers = w.m0();
  if (!mask || !registers)
    return;
  Addresses first;
  if (Scratch)
    scratchOffsets(c, w, m, first);
  else
    globalAddresses(c, w, m, first);
  MicroOp one = m;
  for (unsigned r = 0; r < 32; ++r) {
    if (!(registers >> r & 1))
      continue;
    Addresses a;
    for (unsigned l = 0; l < w.lanes; ++l)
      a.lane[l] = first.lane[l] + 4 * r;
    one.dst = uint16_t(m.dst + r);
    one.src[1].index = uint16_t(m.src[1].index + r);
    using Action = std::conditional_t<Stores, Store<1>, Load<1>>;
    Place p;
    if (Scratch)
      throughStaging<Action>(c, w, one, a, mask, Space::Private);
    else if (locate(c, w, m, Space::Global, kindOf(Stores), a, mask, 4, p))
      Action::run(c, w, one, p, a, mask);
    if (w.state != WaveState::Running)
      return;
  }
}

/// gfx12 global_load_tr_b128: inside 8 lanes a square of 8x8 halves is transposed; every lane takes part.
void loadTransposed(Context &c, Wave &w, const MicroOp &m) {
  if (!w.exec())
    return;
  Addresses a;
  globalAddresses(c, w, m, a);
  Place p;
  if (!locate(c, w, m, Space::Global, AccessKind::Read, a, w.laneMask, 16, p))
    return;
  uint16_t in[MaxLanes][8], out[MaxLanes][8];
  for (unsigned l = 0; l < w.lanes; ++l)
    __builtin_memcpy(in[l], laneHost(c, p, a.lane[l], 16, AccessKind::Read), 16);
  for (unsigned l = 0; l < w.lanes; ++l)
    for (unsigned j = 0; j < 8; ++j)
      out[l][j] = in[(l & ~7u) + j][l & 7];
  for (unsigned l = 0; l < w.lanes; ++l)
    for (unsigned d = 0; d < 4; ++d)
      w.vgpr[m.dst + d].lane[l] = out[l][2 * d] | uint32_t(out[l][2 * d + 1]) << 16;
}

void nothing(Context &, Wave &, const MicroOp &) {}

constexpr Shape Address{Type::Raw, Type::None, {Type::Raw, Type::Raw, Type::Raw, Type::S32}};
constexpr auto Mem = OpClass::Memory;

/// One action by its four names in one generation of names.
#define ALL_WAYS(CHIPS, SUFFIX, ...)                                                                                   \
  {"global_" SUFFIX, chips::CHIPS, global<__VA_ARGS__>, Address, Mem},                                                 \
      {"flat_" SUFFIX, chips::CHIPS, flat<__VA_ARGS__>, Address, Mem}, {                                               \
    "scratch_" SUFFIX, chips::CHIPS, scratch<__VA_ARGS__>, Address, Mem                                                \
  }
#define PLAIN_BUFFER(CHIPS, SUFFIX, ...) {"buffer_" SUFFIX, chips::CHIPS, buffer<__VA_ARGS__>, Address, Mem}
#define LDS_BUFFER(SUFFIX, BYTES, SIGNED, ...)                                                                         \
  {"buffer_" SUFFIX, chips::Gfx9, buffer<__VA_ARGS__>, Address, Mem, nullptr, toLdsWhenAsked<BYTES, SIGNED>}
#define LOADS_STORES(OLD, NEW, ...)                                                                                    \
  ALL_WAYS(Gfx9, OLD, __VA_ARGS__), ALL_WAYS(Gfx11Up, NEW, __VA_ARGS__), PLAIN_BUFFER(Gfx11Up, NEW, __VA_ARGS__)
#define TO_LDS(SUFFIX, CHIPS, BYTES, SIGNED)                                                                           \
  {"global_load_lds_" SUFFIX, chips::CHIPS, loadToLds<BYTES, SIGNED, LdsFrom::Global>, Address, Mem}
#define SCRATCH_TO_LDS(SUFFIX, BYTES, SIGNED)                                                                          \
  {"scratch_load_lds_" SUFFIX, chips::Gfx9, loadToLds<BYTES, SIGNED, LdsFrom::Scratch>, Address, Mem}
#define NO_EFFECT(NAME, CHIPS) {NAME, chips::CHIPS, nothing, {}, Mem}

constexpr Semantics table[] = {
    LOADS_STORES("load_dword", "load_b32", Load<1>),
    LOADS_STORES("load_dwordx2", "load_b64", Load<2>),
    LOADS_STORES("load_dwordx3", "load_b96", Load<3>),
    LOADS_STORES("load_dwordx4", "load_b128", Load<4>),
    LOADS_STORES("load_ubyte", "load_u8", LoadNarrow<Narrow::U8>),
    LOADS_STORES("load_sbyte", "load_i8", LoadNarrow<Narrow::I8>),
    LOADS_STORES("load_ushort", "load_u16", LoadNarrow<Narrow::U16>),
    LOADS_STORES("load_sshort", "load_i16", LoadNarrow<Narrow::I16>),
    LOADS_STORES("load_ubyte_d16", "load_d16_u8", LoadNarrow<Narrow::LowU8>),
    LOADS_STORES("load_sbyte_d16", "load_d16_i8", LoadNarrow<Narrow::LowI8>),
    LOADS_STORES("load_short_d16", "load_d16_b16", LoadNarrow<Narrow::Low16>),
    LOADS_STORES("load_ubyte_d16_hi", "load_d16_hi_u8", LoadNarrow<Narrow::HighU8>),
    LOADS_STORES("load_sbyte_d16_hi", "load_d16_hi_i8", LoadNarrow<Narrow::HighI8>),
    LOADS_STORES("load_short_d16_hi", "load_d16_hi_b16", LoadNarrow<Narrow::High16>),
    LOADS_STORES("store_dword", "store_b32", Store<1>),
    LOADS_STORES("store_dwordx2", "store_b64", Store<2>),
    LOADS_STORES("store_dwordx3", "store_b96", Store<3>),
    LOADS_STORES("store_dwordx4", "store_b128", Store<4>),
    LOADS_STORES("store_byte", "store_b8", StoreNarrow<1, false>),
    LOADS_STORES("store_short", "store_b16", StoreNarrow<2, false>),
    LOADS_STORES("store_byte_d16_hi", "store_d16_hi_b8", StoreNarrow<1, true>),
    LOADS_STORES("store_short_d16_hi", "store_d16_hi_b16", StoreNarrow<2, true>),

    LDS_BUFFER("load_dword", 4, false, Load<1>),
    LDS_BUFFER("load_dwordx3", 12, false, Load<3>),
    LDS_BUFFER("load_dwordx4", 16, false, Load<4>),
    LDS_BUFFER("load_ubyte", 1, false, LoadNarrow<Narrow::U8>),
    LDS_BUFFER("load_sbyte", 1, true, LoadNarrow<Narrow::I8>),
    LDS_BUFFER("load_ushort", 2, false, LoadNarrow<Narrow::U16>),
    PLAIN_BUFFER(Gfx9, "load_dwordx2", Load<2>),
    LDS_BUFFER("load_sshort", 2, true, LoadNarrow<Narrow::I16>),
    PLAIN_BUFFER(Gfx9, "load_ubyte_d16", LoadNarrow<Narrow::LowU8>),
    PLAIN_BUFFER(Gfx9, "load_sbyte_d16", LoadNarrow<Narrow::LowI8>),
    PLAIN_BUFFER(Gfx9, "load_short_d16", LoadNarrow<Narrow::Low16>),
    PLAIN_BUFFER(Gfx9, "load_ubyte_d16_hi", LoadNarrow<Narrow::HighU8>),
    PLAIN_BUFFER(Gfx9, "load_sbyte_d16_hi", LoadNarrow<Narrow::HighI8>),
    PLAIN_BUFFER(Gfx9, "load_short_d16_hi", LoadNarrow<Narrow::High16>),
    PLAIN_BUFFER(Gfx9, "store_dword", Store<1>),
    PLAIN_BUFFER(Gfx9, "store_dwordx2", Store<2>),
    PLAIN_BUFFER(Gfx9, "store_dwordx3", Store<3>),
    PLAIN_BUFFER(Gfx9, "store_dwordx4", Store<4>),
    PLAIN_BUFFER(Gfx9, "store_byte", StoreNarrow<1, false>),
    PLAIN_BUFFER(Gfx9, "store_short", StoreNarrow<2, false>),
    PLAIN_BUFFER(Gfx9, "store_byte_d16_hi", StoreNarrow<1, true>),
    PLAIN_BUFFER(Gfx9, "store_short_d16_hi", StoreNarrow<2, true>),

    TO_LDS("dword", Gfx9, 4, false),
    TO_LDS("ubyte", Gfx9, 1, false),
    TO_LDS("sbyte", Gfx9, 1, true),
    TO_LDS("ushort", Gfx9, 2, false),
    TO_LDS("dwordx3", Gfx950, 12, false),
    TO_LDS("dwordx4", Gfx950, 16, false),
    TO_LDS("sshort", Gfx9, 2, true),
    SCRATCH_TO_LDS("dword", 4, false),
    SCRATCH_TO_LDS("ubyte", 1, false),
    SCRATCH_TO_LDS("sbyte", 1, true),
    SCRATCH_TO_LDS("ushort", 2, false),
    SCRATCH_TO_LDS("sshort", 2, true),
    {"global_load_tr_b128", chips::Gfx12, loadTransposed, Address, Mem, nullptr, onlyWave32},
    {"global_load_tr_b64", chips::Gfx12, loadTransposedBytes, Address, Mem, nullptr, onlyWave32},
    {"global_load_addtid_b32", chips::Gfx11Up, globalByLane<Load<1>>, Address, Mem},
    {"global_store_addtid_b32", chips::Gfx11Up, globalByLane<Store<1>>, Address, Mem},
    {"global_load_block", chips::Gfx12, block<false, false>, Address, Mem},
    {"global_store_block", chips::Gfx12, block<true, false>, Address, Mem},
    {"scratch_load_block", chips::Gfx12, block<false, true>, Address, Mem},
    {"scratch_store_block", chips::Gfx12, block<true, true>, Address, Mem},

    // Caches hold nothing here that memory does not.
    NO_EFFECT("buffer_inv", Gfx9),
    NO_EFFECT("buffer_wbl2", Gfx9),
    NO_EFFECT("buffer_gl0_inv", Gfx11),
    NO_EFFECT("buffer_gl1_inv", Gfx11),
    NO_EFFECT("global_inv", Gfx12),
    NO_EFFECT("global_wb", Gfx12),
    NO_EFFECT("global_wbinv", Gfx12),
};

} // namespace
WAVEWRIGHT_FAMILY(vectorMemoryFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
