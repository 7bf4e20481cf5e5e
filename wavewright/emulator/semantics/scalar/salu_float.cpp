//===- emulator/semantics/scalar/salu_float.cpp - floating SALU of gfx1151 and gfx12 --------------===//
#define WAVEWRIGHT_SIMD scalar_semantics
#include "wavewright/emulator/semantics/numbers.h"
#include "wavewright/emulator/semantics/scalar/scalar.h"

#include <cmath>

namespace wavewright::emulator::scalar_semantics {

namespace {

float half(uint32_t x) { return halfToFloat(x & 0xffffu); }
bool ieee(const Wave &w) { return w.mode & mode::Ieee; }

/// MODE's flushing of f32 denormals, on the way in and out.
float in(const Wave &w, float x) { return w.mode & mode::KeepInF32 ? x : flush(x); }
float out(const Wave &w, float x) { return w.mode & mode::KeepOutF32 ? x : flush(x); }
float inHalf(const Wave &w, uint32_t x) { return half(w.mode & mode::KeepInF16F64 ? x : flushBits16(x & 0xffffu)); }
uint32_t outHalf(const Wave &w, float x) {
  uint32_t bits = w.rounding ? floatToHalfMode(x, w.mode >> 2 & 3, w.mode & mode::Fp16Overflow) : floatToHalf(x);
  return w.mode & mode::KeepOutF16F64 ? bits : flushBits16(bits);
}

/// Results that MODE's rounding reaches: the handler runs again while the host rounds that way.
template <Handler H, Type Result> void rounded(Context &c, Wave &w, const MicroOp &m) {
  if (__builtin_expect(w.rounding != 0 && w.rounding != RoundingEntered, 0))
    return c.withRounding(w, m, Result);
  H(c, w, m);
}
#define ROUNDED_SOP(NAME, CHIPS, RESULT, D, A, B, EXPRESSION)                                                          \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   rounded<Salu<D, A, B, SALU_LAMBDA(D, A, B, EXPRESSION), nullptr, false>::handler, Type::RESULT>,                    \
   {D::type, Type::None, {A::type, B::type}},                                                                          \
   OpClass::Scalar}
#define F32_ROUND(NAME, CHIPS, EXPRESSION)                                                                             \
  ROUNDED_SOP(NAME, CHIPS, F32, F32, F32, F32,                                                                         \
              ([&](float x, float y) { return out(w, EXPRESSION); })(in(w, a), in(w, b)))
#define F16_ROUND(NAME, CHIPS, EXPRESSION)                                                                             \
  ROUNDED_SOP(NAME, CHIPS, F16, U32, U32, U32,                                                                         \
              ([&](float x, float y) { return outHalf(w, EXPRESSION); })(inHalf(w, a), inHalf(w, b)))
#define F32_OP(NAME, CHIPS, EXPRESSION)                                                                                \
  SOP(NAME, CHIPS, F32, F32, F32, ([&](float x, float y) { return out(w, EXPRESSION); })(in(w, a), in(w, b)))
#define F32_ONE(NAME, CHIPS, EXPRESSION)                                                                               \
  SOP(NAME, CHIPS, F32, F32, Nothing, ([&](float x) { return out(w, EXPRESSION); })(in(w, a)))
#define F16_OP(NAME, CHIPS, EXPRESSION)                                                                                \
  SOP(NAME, CHIPS, U32, U32, U32,                                                                                      \
      ([&](float x, float y) { return outHalf(w, EXPRESSION); })(inHalf(w, a), inHalf(w, b)))
#define F16_ONE(NAME, CHIPS, EXPRESSION)                                                                               \
  SOP(NAME, CHIPS, U32, U32, Nothing, ([&](float x) { return outHalf(w, EXPRESSION); })(inHalf(w, a)))
#define COMPARE(NAME, EXPRESSION)                                                                                      \
  SOPC("s_cmp_" NAME "_f32", Gfx11Up, F32, F32, ([](float x, float y) { return EXPRESSION; })(in(w, a), in(w, b))),    \
      SOPC("s_cmp_" NAME "_f16", Gfx11Up, U32, U32,                                                                    \
           ([](float x, float y) { return EXPRESSION; })(inHalf(w, a), inHalf(w, b)))

/// a * b + third source.
void fusedF32(Context &c, Wave &w, const MicroOp &m) {
  float r = std::fma(in(w, F32::get(c, w, m, 0)), in(w, F32::get(c, w, m, 1)), in(w, F32::get(c, w, m, 2)));
  w.sgpr[m.dst] = bitsOf(out(w, r));
}
void fusedF16(Context &c, Wave &w, const MicroOp &m) {
  float x = inHalf(w, read32(c, w, m, 0)), y = inHalf(w, read32(c, w, m, 1)), z = inHalf(w, read32(c, w, m, 2));
  w.sgpr[m.dst] = outHalf(w, w.rounding && w.mode & 0xc ? x * y + z : halfFma(x, y, z));
}
constexpr Shape Fused{Type::S32, Type::None, {Type::S32, Type::S32, Type::S32}};

constexpr Semantics table[] = {
    F32_ROUND("s_add_f32", Gfx11Up, x + y),
    F32_ROUND("s_sub_f32", Gfx11Up, x - y),
    F32_ROUND("s_mul_f32", Gfx11Up, x *y),
    F32_OP("s_min_f32", Gfx11, minNum(ieee(w), x, y)),
    F32_OP("s_max_f32", Gfx11, maxNum(ieee(w), x, y)),
    F32_OP("s_min_num_f32", Gfx12, minNum(false, x, y)),
    F32_OP("s_max_num_f32", Gfx12, maxNum(false, x, y)),
    F32_OP("s_minimum_f32", Gfx12, minimum(x, y)),
    F32_OP("s_maximum_f32", Gfx12, maximum(x, y)),
    {"s_fmac_f32", chips::Gfx11Up, rounded<fusedF32, Type::F32>, Fused, OpClass::Scalar},
    {"s_fmaak_f32", chips::Gfx11Up, rounded<fusedF32, Type::F32>, Fused, OpClass::Scalar},
    {"s_fmamk_f32", chips::Gfx11Up, rounded<fusedF32, Type::F32>, Fused, OpClass::Scalar},
    {"s_fmac_f16", chips::Gfx11Up, rounded<fusedF16, Type::F16>, Fused, OpClass::Scalar},
    F32_ONE("s_ceil_f32", Gfx11Up, std::ceil(x)),
    F32_ONE("s_floor_f32", Gfx11Up, std::floor(x)),
    F32_ONE("s_trunc_f32", Gfx11Up, std::trunc(x)),
    F32_ONE("s_rndne_f32", Gfx11Up, std::nearbyint(x)),
    F16_ROUND("s_add_f16", Gfx11Up, x + y),
    F16_ROUND("s_sub_f16", Gfx11Up, x - y),
    F16_ROUND("s_mul_f16", Gfx11Up, x *y),
    F16_OP("s_min_f16", Gfx11, minNum(ieee(w), x, y)),
    F16_OP("s_max_f16", Gfx11, maxNum(ieee(w), x, y)),
    F16_OP("s_min_num_f16", Gfx12, minNum(false, x, y)),
    F16_OP("s_max_num_f16", Gfx12, maxNum(false, x, y)),
    F16_OP("s_minimum_f16", Gfx12, minimum(x, y)),
    F16_OP("s_maximum_f16", Gfx12, maximum(x, y)),
    F16_ONE("s_ceil_f16", Gfx11Up, std::ceil(x)),
    F16_ONE("s_floor_f16", Gfx11Up, std::floor(x)),
    F16_ONE("s_trunc_f16", Gfx11Up, std::trunc(x)),
    F16_ONE("s_rndne_f16", Gfx11Up, std::nearbyint(x)),
    ROUNDED_SOP("s_cvt_f32_i32", Gfx11Up, F32, F32, I32, Nothing, float(a)),
    ROUNDED_SOP("s_cvt_f32_u32", Gfx11Up, F32, F32, U32, Nothing, float(a)),
    SOP("s_cvt_i32_f32", Gfx11Up, I32, F32, Nothing, toI32(a)),
    SOP("s_cvt_u32_f32", Gfx11Up, U32, F32, Nothing, toU32(a)),
    ROUNDED_SOP("s_cvt_f16_f32", Gfx11Up, F16, U32, F32, Nothing, outHalf(w, in(w, a))),
    SOP("s_cvt_f32_f16", Gfx11Up, F32, U32, Nothing, isNan(inHalf(w, a)) ? quiet(inHalf(w, a)) : inHalf(w, a)),
    SOP("s_cvt_hi_f32_f16", Gfx11Up, F32, U32, Nothing,
        isNan(inHalf(w, a >> 16)) ? quiet(inHalf(w, a >> 16)) : inHalf(w, a >> 16)),
    SOP("s_cvt_pk_rtz_f16_f32", Gfx11Up, U32, F32, F32, floatToHalfTowardZero(a) | floatToHalfTowardZero(b) << 16),
    COMPARE("lt", x < y),
    COMPARE("eq", x == y),
    COMPARE("le", x <= y),
    COMPARE("gt", x > y),
    COMPARE("lg", (x < y) | (x > y)),
    COMPARE("ge", x >= y),
    COMPARE("o", !(isNan(x) | isNan(y))),
    COMPARE("u", isNan(x) | isNan(y)),
    COMPARE("nge", !(x >= y)),
    COMPARE("nlg", !((x < y) | (x > y))),
    COMPARE("ngt", !(x > y)),
    COMPARE("nle", !(x <= y)),
    COMPARE("neq", !(x == y)),
    COMPARE("nlt", !(x < y)),
};

} // namespace

llvm::ArrayRef<Semantics> scalarFloatFamily() { return table; }

} // namespace wavewright::emulator::scalar_semantics
