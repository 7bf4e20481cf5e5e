//===- emulator/semantics/vmem_atomic.cpp - atomics on global, flat and buffer memory -------------===//
//
// Lanes go in order. Groups may run at the same time only when the program has no atomic whose result depends on the
// order (Code::serial), so an exchange in a loop is enough to keep each atomic whole.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/atomic.h"
#include "wavewright/emulator/semantics/vmem.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

template <class A> typename A::value exchange(std::byte *host, typename A::value x, typename A::value y) {
  using T = typename A::value;
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  auto *word = reinterpret_cast<Bits *>(host);
  Bits before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &before,
                                      __builtin_bit_cast(Bits, A::apply(__builtin_bit_cast(T, before), x, y)), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return __builtin_bit_cast(T, before);
}

template <class A>
void onLanes(Context &c, Wave &w, const MicroOp &m, const Addresses &a, uint64_t mask, Space space,
             uint32_t (*old)[MaxLanes]) {
  using T = typename A::value;
  constexpr unsigned dwords = sizeof(T) / 4;
  const uint32_t *data[dwords], *second[dwords];
  for (unsigned d = 0; d < dwords; ++d) {
    data[d] = w.vgpr[m.src[1].index + d].lane;
    second[d] = A::operands == 2 ? w.vgpr[m.src[1].index + dwords + d].lane : data[d];
  }
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    T x = fromRows<T>(data, l), y = fromRows<T>(second, l), before;
    if (space == Space::Private) {
      std::byte staged[8];
      if (!privateCopy(c, w, m, l, uint32_t(a.lane[l]), staged, sizeof(T), false))
        return;
      __builtin_memcpy(&before, staged, sizeof(T));
      T after = A::apply(before, x, y);
      __builtin_memcpy(staged, &after, sizeof(T));
      privateCopy(c, w, m, l, uint32_t(a.lane[l]), staged, sizeof(T), true);
    } else {
      uint64_t address = space == Space::Lds ? uint32_t(a.lane[l]) : a.lane[l];
      std::byte *host = space == Space::Lds ? c.shared(address, sizeof(T), AccessKind::Atomic)
                                            : c.global(address, sizeof(T), AccessKind::Atomic);
      if (!host)
        return c.outside(w, m, space, AccessKind::Atomic, l, address, sizeof(T));
      if (address % sizeof(T) || reinterpret_cast<uintptr_t>(host) % sizeof(T))
        return c.fail(w, m, "an atomic at an address that is not a multiple of its size", int(l));
      before = exchange<A>(host, x, y);
    }
    toRows(old, l, before);
  }
}

template <class A> void finish(Wave &w, const MicroOp &m, uint64_t mask, uint32_t (*old)[MaxLanes]) {
  if (m.returns && w.state == WaveState::Running)
    for (unsigned d = 0; d < sizeof(typename A::value) / 4; ++d)
      writeRow(w, uint16_t(m.dst + d), old[d], mask);
}

template <class A> void global(Context &c, Wave &w, const MicroOp &m) {
  Addresses a;
  uint32_t old[2][MaxLanes];
  globalAddresses(c, w, m, a);
  onLanes<A>(c, w, m, a, w.exec(), Space::Global, old);
  finish<A>(w, m, w.exec(), old);
}
template <class A> void flat(Context &c, Wave &w, const MicroOp &m) {
  Addresses a;
  uint32_t old[2][MaxLanes];
  uint64_t mask = w.exec(), shared, priv;
  globalAddresses(c, w, m, a);
  splitFlat(a, mask, shared, priv);
  onLanes<A>(c, w, m, a, mask & ~(shared | priv), Space::Global, old);
  if (shared && w.state == WaveState::Running)
    onLanes<A>(c, w, m, a, shared, Space::Lds, old);
  if (priv && w.state == WaveState::Running)
    onLanes<A>(c, w, m, a, priv, Space::Private, old);
  finish<A>(w, m, mask, old);
}
template <class A> void buffer(Context &c, Wave &w, const MicroOp &m) {
  BufferLanes b;
  uint32_t old[2][MaxLanes] = {};
  uint64_t mask = w.exec();
  if (!mask || !bufferLanes(c, w, m, sizeof(typename A::value), mask, true, b))
    return;
  onLanes<A>(c, w, m, b.a, b.inside, Space::Global, old);
  finish<A>(w, m, mask, old);
}

constexpr Shape Address{Type::Raw, Type::None, {Type::Raw, Type::Raw, Type::Raw, Type::S32}};

#define ATOMIC(NAME, CHIPS, ...)                                                                                       \
  {"global_atomic_" NAME, chips::CHIPS, global<__VA_ARGS__>, Address, OpClass::Memory},                                \
      {"flat_atomic_" NAME, chips::CHIPS, flat<__VA_ARGS__>, Address, OpClass::Memory}, {                              \
    "buffer_atomic_" NAME, chips::CHIPS, buffer<__VA_ARGS__>, Address, OpClass::Memory                                 \
  }
/// gfx9 names 64 bits "_x2"; later chips name the type.
#define INTEGER(OP, TYPE, TEMPLATE, SIGN)                                                                              \
  ATOMIC(OP, Gfx9, TEMPLATE<SIGN##32_t>), ATOMIC(OP "_x2", Gfx9, TEMPLATE<SIGN##64_t>),                                \
      ATOMIC(OP "_" TYPE "32", Gfx11Up, TEMPLATE<SIGN##32_t>), ATOMIC(OP "_" TYPE "64", Gfx11Up, TEMPLATE<SIGN##64_t>)
#define MIN_MAX(OP, TEMPLATE)                                                                                          \
  ATOMIC("s" OP, Gfx9, TEMPLATE<int32_t>), ATOMIC("s" OP "_x2", Gfx9, TEMPLATE<int64_t>),                              \
      ATOMIC("u" OP, Gfx9, TEMPLATE<uint32_t>), ATOMIC("u" OP "_x2", Gfx9, TEMPLATE<uint64_t>),                        \
      ATOMIC(OP "_i32", Gfx11Up, TEMPLATE<int32_t>), ATOMIC(OP "_i64", Gfx11Up, TEMPLATE<int64_t>),                    \
      ATOMIC(OP "_u32", Gfx11Up, TEMPLATE<uint32_t>), ATOMIC(OP "_u64", Gfx11Up, TEMPLATE<uint64_t>)

constexpr Semantics table[] = {
    INTEGER("swap", "b", AtomicExchange, uint),
    INTEGER("cmpswap", "b", AtomicCompareSecond, uint),
    INTEGER("add", "u", AtomicAdd, uint),
    INTEGER("sub", "u", AtomicSub, uint),
    INTEGER("and", "b", AtomicAnd, uint),
    INTEGER("or", "b", AtomicOr, uint),
    INTEGER("xor", "b", AtomicXor, uint),
    INTEGER("inc", "u", AtomicIncrement, uint),
    INTEGER("dec", "u", AtomicDecrement, uint),
    MIN_MAX("min", AtomicMin),
    MIN_MAX("max", AtomicMax),
    ATOMIC("cmpswap_f32", Gfx11, AtomicCompareSecond<float>),
    ATOMIC("csub_u32", Gfx11, AtomicClampedSub<uint32_t>),
    ATOMIC("sub_clamp_u32", Gfx12, AtomicClampedSub<uint32_t>),
    ATOMIC("cond_sub_u32", Gfx12, AtomicConditionalSub<uint32_t>),
    ATOMIC("add_f32", Any, AtomicAdd<float>),
    ATOMIC("add_f64", Gfx9, AtomicAdd<double>),
    ATOMIC("min_f64", Gfx9, AtomicFloatMin<double>),
    ATOMIC("max_f64", Gfx9, AtomicFloatMax<double>),
    ATOMIC("min_f32", Gfx11, AtomicFloatMin<float>),
    ATOMIC("max_f32", Gfx11, AtomicFloatMax<float>),
    ATOMIC("min_num_f32", Gfx12, AtomicFloatMin<float>),
    ATOMIC("max_num_f32", Gfx12, AtomicFloatMax<float>),
    ATOMIC("pk_add_f16", Any, AtomicPairAdd<false>),
    ATOMIC("pk_add_bf16", Any, AtomicPairAdd<true>),
};

} // namespace
WAVEWRIGHT_FAMILY(atomicFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
