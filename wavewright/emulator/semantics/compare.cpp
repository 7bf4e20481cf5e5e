//===- emulator/semantics/compare.cpp - v_cmp_* and v_cmpx_* --------------------------------------===//
//
// A comparison writes one bit a lane; bits of inactive lanes become 0. v_cmpx writes EXEC; on gfx9 it writes the
// named mask too.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

template <class E, class S, auto F, bool ToExec> void compare(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = activeLanes(w, m), out = 0;
  Rows<E> a = rows<E>(c, w, m, 0);
  Rows<S> b = rows<S>(c, w, m, 1);
  for (unsigned base = 0; base < w.lanes; base += 32) {
    uint32_t bits = 0;
    WAVEWRIGHT_LANES
    for (unsigned l = 0; l < 32; ++l)
      bits |= uint32_t(F(E::get(a.r, base + l), S::get(b.r, base + l)) ? 1u : 0u) << l;
    out |= uint64_t(bits) << base;
  }
  w.setMask(m.dst, out & mask);
  if (ToExec) {
    w.setMask(codeobject::scalar::ExecLo, out & mask);
    w.setMask(m.dst1, out & mask);
  }
}

// v_cmp_class: bit i of the mask asks for class i.
WAVEWRIGHT_INLINE uint32_t classOf(bool negative, bool nan, bool signalling, bool infinite, bool zero, bool denormal) {
  if (nan)
    return signalling ? 0 : 1;
  if (infinite)
    return negative ? 2 : 9;
  if (zero)
    return negative ? 5 : 6;
  if (denormal)
    return negative ? 4 : 7;
  return negative ? 3 : 8;
}
WAVEWRIGHT_INLINE bool inClass(float x, uint32_t mask) {
  return mask >> classOf(bitsOf(x) >> 31, isNan(x), isSignalling(x), (bitsOf(x) & 0x7fffffffu) == 0x7f800000u,
                         x == 0.0f, isDenormal(x)) &
         1;
}
WAVEWRIGHT_INLINE bool inClass(double x, uint32_t mask) {
  return mask >> classOf(bitsOf(x) >> 63, isNan(x), isSignalling(x),
                         (bitsOf(x) & ~(1ull << 63)) == 0x7ff0000000000000ull, x == 0.0, isDenormal(x)) &
         1;
}
WAVEWRIGHT_INLINE bool halfInClass(uint16_t x, uint16_t mask) {
  uint32_t magnitude = x & 0x7fffu;
  return mask >> classOf(x >> 15, magnitude > 0x7c00u, magnitude > 0x7c00u && !(x & 0x200u), magnitude == 0x7c00u,
                         magnitude == 0, magnitude && magnitude < 0x400u) &
         1;
}

template <class T> WAVEWRIGHT_INLINE bool unordered(T a, T b) { return isNan(a) | isNan(b); }

#define COMPARE(OP, SUFFIX, CHIPS, E, S, EXPRESSION)                                                                   \
  {"v_cmp_" OP "_" SUFFIX,                                                                                             \
   chips::CHIPS,                                                                                                       \
   compare<E, S, [](E::value a, S::value b) __attribute__((always_inline)) -> bool { return EXPRESSION; }, false>,     \
   {Type::Mask, Type::None, {E::type, S::type}}},                                                                      \
  {                                                                                                                    \
    "v_cmpx_" OP "_" SUFFIX, chips::CHIPS,                                                                             \
        compare<E, S, [](E::value a, S::value b) __attribute__((always_inline)) -> bool { return EXPRESSION; }, true>, \
    {                                                                                                                  \
      Type::Mask, Type::None, { E::type, S::type }                                                                     \
    }                                                                                                                  \
  }

#define INTEGER(SUFFIX, E)                                                                                             \
  COMPARE("f", SUFFIX, Any, E, E, false), COMPARE("lt", SUFFIX, Any, E, E, a < b),                                     \
      COMPARE("eq", SUFFIX, Any, E, E, a == b), COMPARE("le", SUFFIX, Any, E, E, a <= b),                              \
      COMPARE("gt", SUFFIX, Any, E, E, a > b), COMPARE("ne", SUFFIX, Any, E, E, a != b),                               \
      COMPARE("ge", SUFFIX, Any, E, E, a >= b), COMPARE("t", SUFFIX, Any, E, E, true)

#define FLOATING(SUFFIX, E)                                                                                            \
  COMPARE("f", SUFFIX, Any, E, E, false), COMPARE("lt", SUFFIX, Any, E, E, a < b),                                     \
      COMPARE("eq", SUFFIX, Any, E, E, a == b), COMPARE("le", SUFFIX, Any, E, E, a <= b),                              \
      COMPARE("gt", SUFFIX, Any, E, E, a > b), COMPARE("lg", SUFFIX, Any, E, E, (a < b) | (a > b)),                    \
      COMPARE("ge", SUFFIX, Any, E, E, a >= b), COMPARE("o", SUFFIX, Any, E, E, !unordered(a, b)),                     \
      COMPARE("u", SUFFIX, Any, E, E, unordered(a, b)), COMPARE("nge", SUFFIX, Any, E, E, !(a >= b)),                  \
      COMPARE("nlg", SUFFIX, Any, E, E, !((a < b) | (a > b))), COMPARE("ngt", SUFFIX, Any, E, E, !(a > b)),            \
      COMPARE("nle", SUFFIX, Any, E, E, !(a <= b)), COMPARE("neq", SUFFIX, Any, E, E, !(a == b)),                      \
      COMPARE("nlt", SUFFIX, Any, E, E, !(a < b)), COMPARE("tru", SUFFIX, Any, E, E, true),                            \
      COMPARE("t", SUFFIX, Any, E, E, true)

constexpr Semantics integers[] = {
    INTEGER("i16", I16), INTEGER("u16", U16), INTEGER("i32", I32),
    INTEGER("u32", U32), INTEGER("i64", I64), INTEGER("u64", U64),
};
constexpr Semantics floats[] = {
    FLOATING("f16", F16),
    FLOATING("f32", F32),
    FLOATING("f64", F64),
    // The value is looked at as it is: no denormal is flushed.
    COMPARE("class", "f16", Any, U16, U16, halfInClass(a, b)),
    COMPARE("class", "f32", Any, X32, U32, inClass(a, b)),
    COMPARE("class", "f64", Any, X64, U32, inClass(a, b)),
};

} // namespace

llvm::ArrayRef<Semantics> compareIntegerFamily() { return integers; }
llvm::ArrayRef<Semantics> compareFloatFamily() { return floats; }

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
