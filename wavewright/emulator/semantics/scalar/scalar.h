//===- emulator/semantics/scalar/scalar.h - scalar operands and one-line instructions -------------===//
#pragma once

#include "wavewright/emulator/context.h"

#include "llvm/ADT/ArrayRef.h"

#include <bit>

namespace wavewright::emulator::scalar_semantics {

llvm::ArrayRef<Semantics> saluFamily();
llvm::ArrayRef<Semantics> scalarFloatFamily();
llvm::ArrayRef<Semantics> scalarMemoryFamily();
llvm::ArrayRef<Semantics> controlFamily();

inline uint32_t read32(Context &c, Wave &w, const MicroOp &m, unsigned slot) {
  const Source &s = m.src[slot];
  switch (s.kind) {
  case Source::Kind::Scalar:
    return w.sgpr[s.index];
  case Source::Kind::Special:
    return uint32_t(c.special(w, m, codeobject::SpecialSource(s.index)));
  default:
    return uint32_t(s.constant);
  }
}
inline uint64_t read64(Context &c, Wave &w, const MicroOp &m, unsigned slot) {
  const Source &s = m.src[slot];
  switch (s.kind) {
  case Source::Kind::Scalar:
    return w.pair(s.index);
  case Source::Kind::Special:
    return c.special(w, m, codeobject::SpecialSource(s.index));
  default:
    return s.constant;
  }
}

template <class V> struct Scalar {
  using value = V;
  static constexpr Type type = sizeof(V) == 8 ? Type::S64 : Type::S32;
  static V get(Context &c, Wave &w, const MicroOp &m, unsigned slot) {
    if constexpr (sizeof(V) == 8)
      return std::bit_cast<V>(read64(c, w, m, slot));
    else
      return std::bit_cast<V>(read32(c, w, m, slot));
  }
  static void put(Wave &w, const MicroOp &m, V x) {
    if constexpr (sizeof(V) == 8)
      w.setPair(m.dst, std::bit_cast<uint64_t>(x));
    else
      w.sgpr[m.dst] = std::bit_cast<uint32_t>(x);
  }
};
using U32 = Scalar<uint32_t>;
using I32 = Scalar<int32_t>;
using U64 = Scalar<uint64_t>;
using I64 = Scalar<int64_t>;
using F32 = Scalar<float>;

/// d = F(a, b, imm); SCC = G(a, b, imm, d) unless G is null.
template <class D, class A, class B, auto F, auto G, bool Scc> struct Salu {
  static void handler(Context &c, Wave &w, const MicroOp &m) {
    auto a = A::get(c, w, m, 0);
    auto b = B::get(c, w, m, 1);
    typename D::value d = F(w, m, a, b);
    D::put(w, m, d);
    if constexpr (Scc)
      w.scc = G(w, m, a, b, d) ? 1 : 0;
  }
};
/// An instruction with fewer sources reads the rest as 0.
struct Nothing {
  using value = uint32_t;
  static constexpr Type type = Type::None;
  static uint32_t get(Context &, Wave &, const MicroOp &, unsigned) { return 0; }
};

template <class A, class B, auto F> void compareScalars(Context &c, Wave &w, const MicroOp &m) {
  w.scc = F(w, m, A::get(c, w, m, 0), B::get(c, w, m, 1)) ? 1 : 0;
}

#define SALU_LAMBDA(D, A, B, EXPRESSION)                                                                               \
  [](const Wave &w, const MicroOp &m, A::value a, B::value b) -> D::value { return D::value(EXPRESSION); }
#define SALU_SCC(D, A, B, EXPRESSION)                                                                                  \
  [](const Wave &w, const MicroOp &m, A::value a, B::value b, D::value d) -> bool { return EXPRESSION; }
/// No SCC.
#define SOP(NAME, CHIPS, D, A, B, EXPRESSION)                                                                          \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   Salu<D, A, B, SALU_LAMBDA(D, A, B, EXPRESSION), nullptr, false>::handler,                                           \
   {D::type, Type::None, {A::type, B::type}},                                                                          \
   OpClass::Scalar}
/// With SCC from a, b and the result d.
#define SOP_SCC(NAME, CHIPS, D, A, B, EXPRESSION, SCC)                                                                 \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   Salu<D, A, B, SALU_LAMBDA(D, A, B, EXPRESSION), SALU_SCC(D, A, B, SCC), true>::handler,                             \
   {D::type, Type::None, {A::type, B::type}},                                                                          \
   OpClass::Scalar}
#define SOPC(NAME, CHIPS, A, B, EXPRESSION)                                                                            \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   compareScalars<A, B, [](const Wave &w, const MicroOp &m, A::value a, B::value b) -> bool { return EXPRESSION; }>,   \
   {Type::None, Type::None, {A::type, B::type}},                                                                       \
   OpClass::Scalar}

} // namespace wavewright::emulator::scalar_semantics
