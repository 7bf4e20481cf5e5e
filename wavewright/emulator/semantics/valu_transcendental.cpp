//===- emulator/semantics/valu_transcendental.cpp - reciprocals, roots, exponentials, sines -------===//
//
// The hardware is within 1 ulp; here every result is the correctly rounded one, computed in f64. The f32 forms flush
// denormal inputs and results whatever MODE says (ISA guides; LLVM scales around them for that reason), the f16 and
// f64 forms keep them.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

WAVEWRIGHT_INLINE float quieted(float x) { return isNan(x) ? quiet(x) : x; }
constexpr float Infinity = __builtin_inff();

WAVEWRIGHT_INLINE float exp2Any(float x) {
  float bounded = x > 200.0f ? 200.0f : x < -200.0f ? -200.0f : x;
  bounded = isNan(x) ? 0.0f : bounded;
  float r = float(exp2Core(double(bounded)));
  return isNan(x) ? quiet(x) : r;
}
WAVEWRIGHT_INLINE float log2Any(float x) {
  bool positive = x > 0.0f && x < Infinity;
  float r = float(log2Core(positive ? double(x) : 1.0));
  r = x == Infinity ? Infinity : x == 0.0f ? -Infinity : r;
  r = x < 0.0f ? floatOf(0xffc00000u) : r;
  return isNan(x) ? quiet(x) : r;
}
/// sin and cos take turns. f32 and f16 inputs beyond 256 are out of range: 0 and 1.
WAVEWRIGHT_INLINE float sinTurns(float x) {
  double d = double(x), r = d - __builtin_rint(d);
  float s = float(sinTurnsCore(r));
  s = __builtin_fabsf(x) > 256.0f ? 0.0f : s;
  return isNan(x) || __builtin_fabsf(x) == Infinity ? floatOf(0xffc00000u) : s;
}
WAVEWRIGHT_INLINE float cosTurns(float x) {
  double d = double(x), r = d - __builtin_rint(d);
  double quarter = r + 0.25; // cos(t) = sin(t + 1/4 turn)
  float s = float(sinTurnsCore(quarter > 0.5 ? quarter - 1.0 : quarter));
  s = __builtin_fabsf(x) > 256.0f ? 1.0f : s;
  return isNan(x) || __builtin_fabsf(x) == Infinity ? floatOf(0xffc00000u) : s;
}
WAVEWRIGHT_INLINE float root(float x) { return x < 0.0f ? floatOf(0xffc00000u) : quieted(__builtin_sqrtf(x)); }
WAVEWRIGHT_INLINE double root(double x) { return x < 0.0 ? doubleOf(0xfff8000000000000ull) : __builtin_sqrt(x); }
/// 1/sqrt of f32 or f16 values: two roundings in f64 do not disturb the third.
WAVEWRIGHT_INLINE float reciprocalRoot(float x) {
  float r = float(1.0 / __builtin_sqrt(double(x)));
  return x < 0.0f ? floatOf(0xffc00000u) : quieted(r);
}
WAVEWRIGHT_INLINE double reciprocalRoot(double x) {
  return x < 0.0 ? doubleOf(0xfff8000000000000ull) : 1.0 / __builtin_sqrt(x);
}
/// v_s_* of gfx12: one scalar in, one scalar out, whatever EXEC says.
template <class E, auto F> void onScalar(Context &c, Wave &w, const MicroOp &m) {
  const uint32_t *in[1] = {fetch(c, w, m, 0)};
  uint32_t value = 0, *out[1] = {&value};
  E::put(out, 0, F(E::get(in, 0)));
  w.sgpr[m.dst] = m.clamp || m.omod ? adjustScalar(c, w, m, E::type, value) : value;
}
#define ON_SCALAR(NAME, E, EXPRESSION)                                                                                 \
  {                                                                                                                    \
    NAME, chips::Gfx12, onScalar<E, [](float a) { return EXPRESSION; }>, {                                             \
      Type::S32, Type::None, { E::type }                                                                               \
    }                                                                                                                  \
  }

constexpr Semantics table[] = {
    VOP1("v_rcp_f32", Any, F32, (F32), flush(quieted(1.0f / flush(a)))),
    VOP1("v_rcp_iflag_f32", Any, F32, (F32), flush(quieted(1.0f / flush(a)))),
    VOP1("v_rsq_f32", Any, F32, (F32), reciprocalRoot(flush(a))),
    VOP1("v_sqrt_f32", Any, F32, (F32), root(flush(a))),
    VOP1("v_exp_f32", Any, F32, (F32), flush(exp2Any(a))),
    VOP1("v_log_f32", Any, F32, (F32), log2Any(flush(a))),
    VOP1("v_exp_legacy_f32", Gfx9, F32, (F32), flush(exp2Any(a))),
    VOP1("v_log_legacy_f32", Gfx9, F32, (F32), log2Any(flush(a))),
    VOP1("v_sin_f32", Any, F32, (F32), sinTurns(flush(a))),
    VOP1("v_cos_f32", Any, F32, (F32), cosTurns(flush(a))),

    VOP1("v_rcp_f16", Any, F16, (F16), 1.0f / a),
    VOP1("v_rsq_f16", Any, F16, (F16), reciprocalRoot(a)),
    VOP1("v_sqrt_f16", Any, F16, (F16), root(a)),
    VOP1("v_exp_f16", Any, F16, (F16), exp2Any(a)),
    VOP1("v_log_f16", Any, F16, (F16), log2Any(a)),
    VOP1("v_sin_f16", Any, F16, (F16), sinTurns(a)),
    VOP1("v_cos_f16", Any, F16, (F16), cosTurns(a)),
    VOP1("v_prng_b32", Gfx950, U32, (U32), (a << 1) ^ (a >> 31 ? 197u : 0u)),

    VOP1("v_rcp_f64", Any, F64, (F64), 1.0 / a),
    VOP1("v_rsq_f64", Any, F64, (F64), reciprocalRoot(a)),
    VOP1("v_sqrt_f64", Any, F64, (F64), root(a)),

    ON_SCALAR("v_s_rcp_f32", F32, flush(quieted(1.0f / flush(a)))),
    ON_SCALAR("v_s_rsq_f32", F32, reciprocalRoot(flush(a))),
    ON_SCALAR("v_s_sqrt_f32", F32, root(flush(a))),
    ON_SCALAR("v_s_exp_f32", F32, flush(exp2Any(a))),
    ON_SCALAR("v_s_log_f32", F32, log2Any(flush(a))),
    ON_SCALAR("v_s_rcp_f16", F16, 1.0f / a),
    ON_SCALAR("v_s_rsq_f16", F16, reciprocalRoot(a)),
    ON_SCALAR("v_s_sqrt_f16", F16, root(a)),
    ON_SCALAR("v_s_exp_f16", F16, exp2Any(a)),
    ON_SCALAR("v_s_log_f16", F16, log2Any(a)),
};

} // namespace
WAVEWRIGHT_FAMILY(transcendentalFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
