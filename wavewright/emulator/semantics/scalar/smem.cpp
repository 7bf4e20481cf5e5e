//===- emulator/semantics/scalar/smem.cpp - scalar memory -----------------------------------------===//
#include "wavewright/emulator/semantics/scalar/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace wavewright::emulator::scalar_semantics {

namespace {

uint64_t scalarOffset(Context &c, Wave &w, const MicroOp &m) {
  uint64_t offset = uint64_t(m.offset);
  if (m.src[3].kind != Source::Kind::None)
    offset += read32(c, w, m, 3);
  return offset;
}

void enter(Wave &w, const MicroOp &m, const uint32_t *values, unsigned dwords) {
  for (unsigned d = 0; d < dwords; ++d)
    w.sgpr[m.dst == DiscardedScalar ? DiscardedScalar + (d & 7) : m.dst + d] = values[d];
}

template <unsigned Dwords> void load(Context &c, Wave &w, const MicroOp &m) {
  uint64_t address = (w.pair(m.saddr.index) + scalarOffset(c, w, m)) & ~3ull;
  std::byte *host = c.global(address, 4 * Dwords, AccessKind::Read);
  if (!host)
    return c.outside(w, m, Space::Global, AccessKind::Read, ~0u, address, 4 * Dwords);
  uint32_t values[Dwords];
  std::memcpy(values, host, 4 * Dwords);
  enter(w, m, values, Dwords);
}

template <unsigned Bytes, bool Signed> uint32_t narrow(const std::byte *host) {
  uint32_t value = 0;
  std::memcpy(&value, host, Bytes);
  if (Signed)
    value = Bytes == 1 ? uint32_t(int32_t(int8_t(value))) : uint32_t(int32_t(int16_t(value)));
  return value;
}
template <unsigned Bytes, bool Signed> void loadNarrow(Context &c, Wave &w, const MicroOp &m) {
  uint64_t address = w.pair(m.saddr.index) + scalarOffset(c, w, m);
  std::byte *host = c.global(address, Bytes, AccessKind::Read);
  if (!host)
    return c.outside(w, m, Space::Global, AccessKind::Read, ~0u, address, Bytes);
  w.sgpr[m.dst] = narrow<Bytes, Signed>(host);
}

/// Through a descriptor: bytes past its end read 0.
struct ScalarBuffer {
  uint64_t address, size, offset;
};
ScalarBuffer scalarBuffer(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *s = w.sgpr + m.saddr.index;
  uint64_t stride = s[1] >> 16 & 0x3fffu;
  return {s[0] | uint64_t(s[1] & 0xffffu) << 32, stride ? stride * s[2] : s[2], scalarOffset(c, w, m)};
}
template <unsigned Dwords> void bufferLoad(Context &c, Wave &w, const MicroOp &m) {
  ScalarBuffer b = scalarBuffer(c, w, m);
  b.offset &= ~3ull;
  uint32_t values[Dwords] = {};
  for (unsigned d = 0; d < Dwords; ++d) {
    uint64_t at = b.offset + 4 * d;
    if (at + 4 > b.size)
      continue;
    std::byte *host = c.global(b.address + at, 4, AccessKind::Read);
    if (!host)
      return c.outside(w, m, Space::Global, AccessKind::Read, ~0u, b.address + at, 4);
    std::memcpy(&values[d], host, 4);
  }
  enter(w, m, values, Dwords);
}
template <unsigned Bytes, bool Signed> void bufferLoadNarrow(Context &c, Wave &w, const MicroOp &m) {
  ScalarBuffer b = scalarBuffer(c, w, m);
  w.sgpr[m.dst] = 0;
  if (b.offset + Bytes > b.size)
    return;
  std::byte *host = c.global(b.address + b.offset, Bytes, AccessKind::Read);
  if (!host)
    return c.outside(w, m, Space::Global, AccessKind::Read, ~0u, b.address + b.offset, Bytes);
  w.sgpr[m.dst] = narrow<Bytes, Signed>(host);
}

// gfx9 stores and atomics -------------------------------------------------------------------------------
std::byte *scalarPlace(Context &c, Wave &w, const MicroOp &m, bool buffer, unsigned bytes, AccessKind kind) {
  uint64_t address;
  if (buffer) {
    ScalarBuffer b = scalarBuffer(c, w, m);
    b.offset &= ~3ull;
    if (b.offset + bytes > b.size)
      return nullptr;
    address = b.address + b.offset;
  } else {
    address = (w.pair(m.saddr.index) + scalarOffset(c, w, m)) & ~3ull;
  }
  std::byte *host = c.global(address, bytes, kind);
  if (!host)
    c.outside(w, m, Space::Global, kind, ~0u, address, bytes);
  return host;
}

template <unsigned Dwords, bool Buffer> void store(Context &c, Wave &w, const MicroOp &m) {
  if (std::byte *host = scalarPlace(c, w, m, Buffer, 4 * Dwords, AccessKind::Write))
    std::memcpy(host, &w.sgpr[m.src[1].index], 4 * Dwords);
}

/// What an atomic leaves in memory; `y` is the second operand of a compare and swap.
enum class ScalarAtomic : uint8_t { Swap, CompareSwap, Add, Sub, Smin, Umin, Smax, Umax, And, Or, Xor, Inc, Dec };
template <ScalarAtomic Op, class T> T changed(T m, T x, T y) {
  using S = std::make_signed_t<T>;
  switch (Op) {
  case ScalarAtomic::Swap:
    return x;
  case ScalarAtomic::CompareSwap:
    return m == y ? x : m;
  case ScalarAtomic::Add:
    return m + x;
  case ScalarAtomic::Sub:
    return m - x;
  case ScalarAtomic::Smin:
    return T(std::min(S(m), S(x)));
  case ScalarAtomic::Umin:
    return std::min(m, x);
  case ScalarAtomic::Smax:
    return T(std::max(S(m), S(x)));
  case ScalarAtomic::Umax:
    return std::max(m, x);
  case ScalarAtomic::And:
    return m & x;
  case ScalarAtomic::Or:
    return m | x;
  case ScalarAtomic::Xor:
    return m ^ x;
  case ScalarAtomic::Inc:
    return m >= x ? T(0) : T(m + 1);
  case ScalarAtomic::Dec:
    return m == 0 || m > x ? x : T(m - 1);
  }
}
template <ScalarAtomic Op, class T, bool Buffer> void atomic(Context &c, Wave &w, const MicroOp &m) {
  std::byte *host = scalarPlace(c, w, m, Buffer, sizeof(T), AccessKind::Atomic);
  if (!host) {
    if (m.returns && w.state == WaveState::Running) // outside of the buffer
      std::memset(&w.sgpr[m.dst], 0, sizeof(T));
    return;
  }
  if (reinterpret_cast<uintptr_t>(host) % sizeof(T))
    return c.fail(w, m, "an atomic at an address that is not a multiple of its size");
  T x, y = 0;
  std::memcpy(&x, &w.sgpr[m.src[1].index], sizeof(T));
  if (Op == ScalarAtomic::CompareSwap)
    std::memcpy(&y, &w.sgpr[m.src[1].index + sizeof(T) / 4], sizeof(T));
  auto *word = reinterpret_cast<T *>(host);
  T before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &before, changed<Op, T>(before, x, y), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  if (m.returns)
    std::memcpy(&w.sgpr[m.dst], &before, sizeof(T));
}

const char *scratchRefused(const codeobject::Instruction &, const Target &, MicroOp &) {
  return "scalar access to scratch is not emulated: private memory has no address there";
}

void clock(Context &, Wave &w, const MicroOp &m) { w.setPair(m.dst, w.ticks += 100); }
void nothing(Context &, Wave &, const MicroOp &) {}

constexpr Shape Load{Type::S32, Type::None, {Type::None, Type::None, Type::None, Type::S32}};
constexpr Shape Store{Type::None, Type::None, {Type::None, Type::Raw, Type::None, Type::S32}};
#define LOADS(OLD, NEW, DWORDS)                                                                                        \
  {"s_load_" OLD, chips::Gfx9, load<DWORDS>, Load, OpClass::Scalar},                                                   \
      {"s_load_" NEW, chips::Gfx11Up, load<DWORDS>, Load, OpClass::Scalar},                                            \
      {"s_buffer_load_" OLD, chips::Gfx9, bufferLoad<DWORDS>, Load, OpClass::Scalar}, {                                \
    "s_buffer_load_" NEW, chips::Gfx11Up, bufferLoad<DWORDS>, Load, OpClass::Scalar                                    \
  }
#define NARROW(NAME, BYTES, SIGNED)                                                                                    \
  {"s_load_" NAME, chips::Gfx12, loadNarrow<BYTES, SIGNED>, Load, OpClass::Scalar}, {                                  \
    "s_buffer_load_" NAME, chips::Gfx12, bufferLoadNarrow<BYTES, SIGNED>, Load, OpClass::Scalar                        \
  }
#define STORES(SUFFIX, DWORDS)                                                                                         \
  {"s_store_" SUFFIX, chips::Gfx9, store<DWORDS, false>, Store, OpClass::Scalar},                                      \
      {"s_buffer_store_" SUFFIX, chips::Gfx9, store<DWORDS, true>, Store, OpClass::Scalar},                            \
      {"s_scratch_load_" SUFFIX, chips::Gfx9, nullptr, Load, OpClass::Scalar, nullptr, scratchRefused}, {              \
    "s_scratch_store_" SUFFIX, chips::Gfx9, nullptr, Store, OpClass::Scalar, nullptr, scratchRefused                   \
  }
#define ATOMIC(NAME, OP)                                                                                               \
  {"s_atomic_" NAME, chips::Gfx9, atomic<ScalarAtomic::OP, uint32_t, false>, Store, OpClass::Scalar},                  \
      {"s_atomic_" NAME "_x2", chips::Gfx9, atomic<ScalarAtomic::OP, uint64_t, false>, Store, OpClass::Scalar},        \
      {"s_buffer_atomic_" NAME, chips::Gfx9, atomic<ScalarAtomic::OP, uint32_t, true>, Store, OpClass::Scalar}, {      \
    "s_buffer_atomic_" NAME "_x2", chips::Gfx9, atomic<ScalarAtomic::OP, uint64_t, true>, Store, OpClass::Scalar       \
  }
#define NO_EFFECT(NAME, CHIPS) {NAME, chips::CHIPS, nothing, {}, OpClass::Scalar}

constexpr Semantics table[] = {
    LOADS("dword", "b32", 1),
    LOADS("dwordx2", "b64", 2),
    LOADS("dwordx4", "b128", 4),
    LOADS("dwordx8", "b256", 8),
    LOADS("dwordx16", "b512", 16),
    {"s_load_b96", chips::Gfx12, load<3>, Load, OpClass::Scalar},
    {"s_buffer_load_b96", chips::Gfx12, bufferLoad<3>, Load, OpClass::Scalar},
    NARROW("u8", 1, false),
    NARROW("i8", 1, true),
    NARROW("u16", 2, false),
    NARROW("i16", 2, true),
    STORES("dword", 1),
    STORES("dwordx2", 2),
    STORES("dwordx4", 4),
    ATOMIC("swap", Swap),
    ATOMIC("cmpswap", CompareSwap),
    ATOMIC("add", Add),
    ATOMIC("sub", Sub),
    ATOMIC("smin", Smin),
    ATOMIC("umin", Umin),
    ATOMIC("smax", Smax),
    ATOMIC("umax", Umax),
    ATOMIC("and", And),
    ATOMIC("or", Or),
    ATOMIC("xor", Xor),
    ATOMIC("inc", Inc),
    ATOMIC("dec", Dec),
    NO_EFFECT("s_dcache_discard", Gfx9),
    NO_EFFECT("s_dcache_discard_x2", Gfx9),
    NO_EFFECT("s_atc_probe", Any),
    NO_EFFECT("s_atc_probe_buffer", Any),
    {"s_memtime", chips::Gfx9, clock, {Type::S64}, OpClass::Scalar},
    {"s_memrealtime", chips::Gfx9, clock, {Type::S64}, OpClass::Scalar},
    NO_EFFECT("s_dcache_inv", Any),
    NO_EFFECT("s_dcache_wb", Gfx9),
    NO_EFFECT("s_dcache_inv_vol", Gfx9),
    NO_EFFECT("s_dcache_wb_vol", Gfx9),
    NO_EFFECT("s_gl1_inv", Gfx11),
    NO_EFFECT("s_prefetch_inst", Gfx12),
    NO_EFFECT("s_prefetch_inst_pc_rel", Gfx12),
    NO_EFFECT("s_prefetch_data", Gfx12),
    NO_EFFECT("s_buffer_prefetch_data", Gfx12),
    NO_EFFECT("s_prefetch_data_pc_rel", Gfx12),
};

} // namespace

std::string crossesElement(unsigned bytes, uint32_t offset, uint32_t element) {
  return fmt::format("{} bytes at offset {} of a swizzled buffer do not lie in one of its elements of {} bytes", bytes,
                     offset, element);
}

llvm::ArrayRef<Semantics> scalarMemoryFamily() { return table; }

} // namespace wavewright::emulator::scalar_semantics
