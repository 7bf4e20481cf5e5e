//===- emulator/semantics/vector.h - from operands to rows and back -------------------------------===//
//
// A VALU line is written as
//
//   VOP("v_add_f32", Any, F32, (F32, F32), a + b)
//
// name, chips, result type, source types, and an expression over a, b, c, d (and w, the wave). `fetch` hands rows that
// are ready for arithmetic, `commit` finishes what the loop wrote. When nothing special is asked of the result and all
// lanes are active the loop writes the destination row itself.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/context.h"
#include "wavewright/emulator/semantics/families.h"
#include "wavewright/emulator/semantics/numbers.h"

#include <utility>

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

#define WAVEWRIGHT_LANES _Pragma("clang loop vectorize(assume_safety) interleave(enable)")

/// `body(lane)` for every lane of the wave, 32 at a time: a trip count that the compiler knows. `Interleave`: vectors
/// under way at once; with 4 the loop over 32-bit lanes becomes straight code where vectors hold 8.
template <unsigned Interleave = 4, class Body> WAVEWRIGHT_INLINE void eachLane(const Wave &w, Body body) {
#pragma clang loop unroll(disable)
  for (size_t base = 0, lanes = w.lanes; base < lanes; base += 32) {
#pragma clang loop vectorize(assume_safety) interleave_count(Interleave) unroll(disable)
    for (size_t l = 0; l < 32; ++l)
      body(base + l);
  }
}

/// A row of a source with everything done that its modifiers ask for.
const uint32_t *fetchSlow(Context &c, Wave &w, const MicroOp &m, unsigned slot, unsigned dword);
/// Finishes the result rows: omod, clamp, denormals, halves, SDWA, then writes the lanes of `mask`.
void commit(Context &c, Wave &w, const MicroOp &m, uint64_t mask);
/// omod and clamp of one value of type `t` (v_s_*).
uint32_t adjustScalar(Context &c, const Wave &w, const MicroOp &m, Type t, uint32_t value);
/// Writes the masked lanes of one row.
void writeRow(Wave &w, uint16_t row, const uint32_t *values, uint64_t mask);
/// Fills one of the rows behind the registers.
void spreadScalar(Wave &w, unsigned row, uint32_t value);
/// The lanes that a DPP instruction may write.
uint64_t dppMask(const Wave &w, const DppTable &dpp);

WAVEWRIGHT_INLINE const uint32_t *placedRow(const Wave &w, const Source &s, unsigned dword) {
  return reinterpret_cast<const uint32_t *>((reinterpret_cast<uintptr_t>(w.vgpr) & s.rowMask) +
                                            s.rowAddress[dword & 1]) +
         (dword & ~1u) * MaxLanes;
}

/// Spreads the scalars that the instruction reads, where they are not those of last time.
WAVEWRIGHT_INLINE void spreadScalars(Wave &w, const MicroOp &m) {
  for (unsigned rest = m.splats; rest; rest &= rest - 1) {
    unsigned slot = unsigned(__builtin_ctz(rest));
    const Source &s = m.src[slot];
    for (unsigned i = 0; i < s.dwords; ++i) {
      uint32_t value = w.sgpr[s.index + s.registerOf(i)];
      if (w.splat[2 * slot + i] != value)
        spreadScalar(w, 2 * slot + i, value);
    }
  }
}

WAVEWRIGHT_INLINE const uint32_t *fetch(Context &c, Wave &w, const MicroOp &m, unsigned slot, unsigned dword = 0) {
  const Source &s = m.src[slot];
  if (__builtin_expect(!s.slow & !w.flushes, 1))
    return placedRow(w, s, dword);
  return fetchSlow(c, w, m, slot, dword);
}

WAVEWRIGHT_INLINE uint64_t activeLanes(const Wave &w, const MicroOp &m) {
  return __builtin_expect(m.dpp != nullptr, 0) ? dppMask(w, *m.dpp) : w.exec();
}

/// The scalar value of an operand of a VALU instruction (lane selects).
WAVEWRIGHT_INLINE uint32_t scalarOperand(Context &c, Wave &w, const MicroOp &m, unsigned slot) {
  const Source &s = m.src[slot];
  switch (s.kind) {
  case Source::Kind::Scalar:
    return w.sgpr[s.index];
  case Source::Kind::Vgpr:
    return w.vgpr[s.index].lane[0];
  case Source::Kind::Special:
    return uint32_t(c.special(w, m, codeobject::SpecialSource(s.index)));
  default:
    return uint32_t(s.constant);
  }
}
/// A lane mask operand (carry in, v_cndmask's selector).
WAVEWRIGHT_INLINE uint64_t maskOperand(Context &c, Wave &w, const MicroOp &m, unsigned slot) {
  const Source &s = m.src[slot];
  if (s.kind == Source::Kind::Scalar)
    return w.mask(s.index);
  return s.kind == Source::Kind::Special ? c.special(w, m, codeobject::SpecialSource(s.index)) : s.constant;
}

// Element types: how a lane of the row(s) becomes a C++ value, and back ------------------------------
template <Type T, class V> struct Word {
  using value = V;
  static constexpr Type type = T;
  static constexpr unsigned dwords = 1;
  static WAVEWRIGHT_INLINE V get(const uint32_t *const *r, size_t l) { return __builtin_bit_cast(V, r[0][l]); }
  static WAVEWRIGHT_INLINE void put(uint32_t *const *r, size_t l, V x) { r[0][l] = __builtin_bit_cast(uint32_t, x); }
};
template <Type T, class V> struct DoubleWord {
  using value = V;
  static constexpr Type type = T;
  static constexpr unsigned dwords = 2;
  static WAVEWRIGHT_INLINE V get(const uint32_t *const *r, size_t l) {
    return __builtin_bit_cast(V, uint64_t(r[1][l]) << 32 | r[0][l]);
  }
  static WAVEWRIGHT_INLINE void put(uint32_t *const *r, size_t l, V x) {
    uint64_t bits = __builtin_bit_cast(uint64_t, x);
    r[0][l] = uint32_t(bits);
    r[1][l] = uint32_t(bits >> 32);
  }
};
template <class V> struct HalfWord {
  using value = V;
  static constexpr Type type = Type::B16;
  static constexpr unsigned dwords = 1;
  static WAVEWRIGHT_INLINE V get(const uint32_t *const *r, size_t l) { return V(uint16_t(r[0][l])); }
  static WAVEWRIGHT_INLINE void put(uint32_t *const *r, size_t l, V x) { r[0][l] = uint16_t(x); }
};
using F32 = Word<Type::F32, float>;
using X32 = Word<Type::B32, float>; ///< f32 that no denormal mode touches
using U32 = Word<Type::B32, uint32_t>;
using I32 = Word<Type::B32, int32_t>;
using F64 = DoubleWord<Type::F64, double>;
using X64 = DoubleWord<Type::B64, double>;
using U64 = DoubleWord<Type::B64, uint64_t>;
using I64 = DoubleWord<Type::B64, int64_t>;
using U16 = HalfWord<uint16_t>;
using I16 = HalfWord<int16_t>;
/// A half as bits, with f16's sign modifiers and denormal mode.
struct F16Bits : HalfWord<uint16_t> {
  static constexpr Type type = Type::F16;
};
/// Arithmetic happens in f32, which is wide enough for one rounding of +, -, *, / and sqrt.
struct F16 {
  using value = float;
  static constexpr Type type = Type::F16;
  static constexpr unsigned dwords = 1;
  static WAVEWRIGHT_INLINE float get(const uint32_t *const *r, size_t l) { return halfToFloat(r[0][l] & 0xffffu); }
  static WAVEWRIGHT_INLINE void put(uint32_t *const *r, size_t l, float x) { r[0][l] = floatToHalf(x); }
};
struct BF16 {
  using value = float;
  static constexpr Type type = Type::BF16;
  static constexpr unsigned dwords = 1;
  static WAVEWRIGHT_INLINE float get(const uint32_t *const *r, size_t l) { return bf16ToFloat(r[0][l] & 0xffffu); }
  static WAVEWRIGHT_INLINE void put(uint32_t *const *r, size_t l, float x) { r[0][l] = floatToBf16(x); }
};
using Mix = Word<Type::Mix, float>;
using MixB = Word<Type::MixBF16, float>;
/// Packed pairs: the expression sees the whole register.
using PkU16 = Word<Type::PkB16, uint32_t>;
using PkF16 = Word<Type::PkF16, uint32_t>;
using PkBF16 = Word<Type::PkBF16, uint32_t>;
using PkF32 = DoubleWord<Type::PkF32, uint64_t>;
using PkU32 = DoubleWord<Type::PkB32, uint64_t>;

template <class T> struct Rows {
  const uint32_t *r[T::dwords];
};
template <class T> WAVEWRIGHT_INLINE Rows<T> placedRows(const Wave &w, const Source &s) {
  Rows<T> in;
  for (unsigned i = 0; i < T::dwords; ++i)
    in.r[i] = placedRow(w, s, i);
  return in;
}
template <class T> WAVEWRIGHT_INLINE Rows<T> rows(Context &c, Wave &w, const MicroOp &m, unsigned slot) {
  Rows<T> in;
  for (unsigned i = 0; i < T::dwords; ++i)
    in.r[i] = fetch(c, w, m, slot, i);
  return in;
}

template <class D, auto F, class... S, class... R>
WAVEWRIGHT_INLINE void overLanes(Context &c, Wave &w, const MicroOp &m, R... in) {
  uint64_t mask = activeLanes(w, m);
  if (!mask)
    return;
  bool direct = m.direct & (mask == w.laneMask) & !w.flushes;
  uint32_t *out[D::dwords];
  for (unsigned i = 0; i < D::dwords; ++i)
    out[i] = direct ? w.vgpr[m.dst + i].lane : c.results[i].lane;
  eachLane<1>(w, [&](size_t l) __attribute__((always_inline)) { D::put(out, l, F(w, S::get(in.r, l)...)); });
  if (!direct)
    commit(c, w, m, mask);
}

template <class D, auto F, class... S> struct Valu {
  /// Whatever sources, result and EXEC ask for.
  template <size_t... I>
  static __attribute__((noinline)) void general(Context &c, Wave &w, const MicroOp &m, std::index_sequence<I...>) {
    overLanes<D, F, S...>(c, w, m, rows<S>(c, w, m, I)...);
  }
  /// Rows as they stand into a row, every lane: nothing is called on this road.
  template <size_t... I> static WAVEWRIGHT_INLINE void plain(Wave &w, const MicroOp &m, std::index_sequence<I...>) {
    uint32_t *out[D::dwords];
    for (unsigned i = 0; i < D::dwords; ++i)
      out[i] = w.vgpr[m.dst + i].lane;
    auto loop = [&](auto... in) __attribute__((always_inline)) {
      eachLane<4>(w, [&](size_t l) __attribute__((always_inline)) { D::put(out, l, F(w, S::get(in.r, l)...)); });
    };
    loop(placedRows<S>(w, m.src[I])...);
  }
  template <size_t... I>
  static WAVEWRIGHT_INLINE void run(Context &c, Wave &w, const MicroOp &m, std::index_sequence<I...> indices) {
    if (__builtin_expect(!m.plain || w.flushes || !w.allActive(), 0))
      return general(c, w, m, indices);
    if (m.splats)
      spreadScalars(w, m);
    plain(w, m, indices);
  }
  static void handler(Context &c, Wave &w, const MicroOp &m) { run(c, w, m, std::make_index_sequence<sizeof...(S)>()); }
  static constexpr Shape shape() { return Shape{D::type, Type::None, {S::type...}}; }
};

/// Instructions whose result is rounded. `F` rounds to nearest even in f16, whatever type it computes in; `Directed`
/// may round twice, for in one direction that is the same as once. Packed halves round by MODE in `Directed`.
template <class D, auto F, auto Directed, class... S> struct RoundedValu {
  template <class... R> static void half(Context &c, Wave &w, const MicroOp &m, R... in) {
    uint64_t mask = activeLanes(w, m);
    uint32_t round = w.mode >> 2 & 3;
    bool saturate = w.mode & mode::Fp16Overflow;
    for (unsigned l = 0; l < w.lanes; ++l)
      if constexpr (D::type == Type::F16) {
        float x = round ? Directed(w, S::get(in.r, l)...) : F(w, S::get(in.r, l)...);
        c.results[0].lane[l] = floatToHalfMode(x, round, saturate);
      } else {
        c.results[0].lane[l] = Directed(w, S::get(in.r, l)...);
      }
    commit(c, w, m, mask);
  }
  template <size_t... I> static void fetchHalf(Context &c, Wave &w, const MicroOp &m, std::index_sequence<I...>) {
    half(c, w, m, rows<S>(c, w, m, I)...);
  }
  static void handler(Context &c, Wave &w, const MicroOp &m) {
    using Indices = std::make_index_sequence<sizeof...(S)>;
    if (__builtin_expect(w.rounding, 0)) {
      if (w.rounding != RoundingEntered)
        return c.withRounding(w, m, D::type);
      if constexpr (D::type == Type::F16 || D::type == Type::PkF16)
        return fetchHalf(c, w, m, Indices());
    }
    Valu<D, F, S...>::run(c, w, m, Indices());
  }
};

// One line an instruction ----------------------------------------------------------------------------
#define WAVEWRIGHT_ARGUMENTS_1(A) const Wave &w, A::value a
#define WAVEWRIGHT_ARGUMENTS_2(A, B) const Wave &w, A::value a, B::value b
#define WAVEWRIGHT_ARGUMENTS_3(A, B, C) const Wave &w, A::value a, B::value b, C::value c
#define WAVEWRIGHT_TYPES(...) __VA_ARGS__
#define WAVEWRIGHT_VALU(N, D, S, ...)                                                                                  \
  Valu<D, [](WAVEWRIGHT_ARGUMENTS_##N S) __attribute__((always_inline)) -> D::value { return D::value(__VA_ARGS__); }, \
       WAVEWRIGHT_TYPES S>
#define WAVEWRIGHT_ROW(N, NAME, CHIPS, D, S, ...)                                                                      \
  {NAME, chips::CHIPS, WAVEWRIGHT_VALU(N, D, S, __VA_ARGS__)::handler, WAVEWRIGHT_VALU(N, D, S, __VA_ARGS__)::shape()}
#define VOP1(NAME, CHIPS, D, S, ...) WAVEWRIGHT_ROW(1, NAME, CHIPS, D, S, __VA_ARGS__)
#define VOP2(NAME, CHIPS, D, S, ...) WAVEWRIGHT_ROW(2, NAME, CHIPS, D, S, __VA_ARGS__)
#define VOP3(NAME, CHIPS, D, S, ...) WAVEWRIGHT_ROW(3, NAME, CHIPS, D, S, __VA_ARGS__)
/// The same for results that MODE's rounding reaches.
#define WAVEWRIGHT_LAMBDA(N, D, S, ...)                                                                                \
  [](WAVEWRIGHT_ARGUMENTS_##N S) __attribute__((always_inline)) -> D::value { return D::value(__VA_ARGS__); }
#define WAVEWRIGHT_ROUNDED(N, NAME, CHIPS, D, S, F, DIRECTED)                                                          \
  {                                                                                                                    \
    NAME, chips::CHIPS, RoundedValu<D, F, DIRECTED, WAVEWRIGHT_TYPES S>::handler, Shape {                              \
      D::type, Type::None, { WAVEWRIGHT_TYPES_OF_##N S }                                                               \
    }                                                                                                                  \
  }
#define WAVEWRIGHT_TYPES_OF_1(A) A::type
#define WAVEWRIGHT_TYPES_OF_2(A, B) A::type, B::type
#define WAVEWRIGHT_TYPES_OF_3(A, B, C) A::type, B::type, C::type
#define VOP1_ROUND(NAME, CHIPS, D, S, ...)                                                                             \
  WAVEWRIGHT_ROUNDED(1, NAME, CHIPS, D, S, (WAVEWRIGHT_LAMBDA(1, D, S, __VA_ARGS__)),                                  \
                     (WAVEWRIGHT_LAMBDA(1, D, S, __VA_ARGS__)))
#define VOP2_ROUND(NAME, CHIPS, D, S, ...)                                                                             \
  WAVEWRIGHT_ROUNDED(2, NAME, CHIPS, D, S, (WAVEWRIGHT_LAMBDA(2, D, S, __VA_ARGS__)),                                  \
                     (WAVEWRIGHT_LAMBDA(2, D, S, __VA_ARGS__)))
#define VOP3_ROUND(NAME, CHIPS, D, S, ...)                                                                             \
  WAVEWRIGHT_ROUNDED(3, NAME, CHIPS, D, S, (WAVEWRIGHT_LAMBDA(3, D, S, __VA_ARGS__)),                                  \
                     (WAVEWRIGHT_LAMBDA(3, D, S, __VA_ARGS__)))
/// With a second expression for directed rounding.
#define VOP2_ROUND2(NAME, CHIPS, D, S, EXPRESSION, DIRECTED)                                                           \
  WAVEWRIGHT_ROUNDED(2, NAME, CHIPS, D, S, (WAVEWRIGHT_LAMBDA(2, D, S, EXPRESSION)),                                   \
                     (WAVEWRIGHT_LAMBDA(2, D, S, DIRECTED)))
#define VOP3_ROUND2(NAME, CHIPS, D, S, EXPRESSION, DIRECTED)                                                           \
  WAVEWRIGHT_ROUNDED(3, NAME, CHIPS, D, S, (WAVEWRIGHT_LAMBDA(3, D, S, EXPRESSION)),                                   \
                     (WAVEWRIGHT_LAMBDA(3, D, S, DIRECTED)))
/// With a second expression for the integer clamp.
#define VOP2_SAT(NAME, CHIPS, D, S, EXPRESSION, SATURATED)                                                             \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   WAVEWRIGHT_VALU(2, D, S, EXPRESSION)::handler,                                                                      \
   WAVEWRIGHT_VALU(2, D, S, EXPRESSION)::shape(),                                                                      \
   OpClass::Valu,                                                                                                      \
   WAVEWRIGHT_VALU(2, D, S, SATURATED)::handler}
#define VOP3_SAT(NAME, CHIPS, D, S, EXPRESSION, SATURATED)                                                             \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   WAVEWRIGHT_VALU(3, D, S, EXPRESSION)::handler,                                                                      \
   WAVEWRIGHT_VALU(3, D, S, EXPRESSION)::shape(),                                                                      \
   OpClass::Valu,                                                                                                      \
   WAVEWRIGHT_VALU(3, D, S, SATURATED)::handler}

/// The table function of a family.
#define WAVEWRIGHT_FAMILY(NAME)                                                                                        \
  llvm::ArrayRef<Semantics> NAME() { return table; }

WAVEWRIGHT_INLINE bool ieee(const Wave &w) { return w.mode & mode::Ieee; }

template <class F> WAVEWRIGHT_INLINE uint32_t eachHalf(uint32_t a, uint32_t b, F f) {
  return uint32_t(uint16_t(f(a & 0xffffu, b & 0xffffu))) | uint32_t(uint16_t(f(a >> 16, b >> 16))) << 16;
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
