//===- emulator/semantics/valu_float.cpp - f32, f16 and f64 arithmetic ----------------------------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

WAVEWRIGHT_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WAVEWRIGHT_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
/// DX9 rule: 0 * anything is +0.
WAVEWRIGHT_INLINE float mulLegacy(float a, float b) { return a == 0.0f || b == 0.0f ? 0.0f : a * b; }
WAVEWRIGHT_INLINE float fmaLegacy(float a, float b, float c) {
  return a == 0.0f || b == 0.0f ? 0.0f + c : fused(a, b, c);
}

/// A product of halves as the half that MODE makes of it.
WAVEWRIGHT_INLINE float roundedToHalf(const Wave &w, float product) {
  return halfToFloat(floatToHalfMode(product, w.mode >> 2 & 3, w.mode & mode::Fp16Overflow));
}

/// x - floor(x), below 1 (v_fract clamps to the largest value under 1).
WAVEWRIGHT_INLINE float fraction(float x) {
  float r = x - __builtin_floorf(x);
  float top = floatOf(0x3f7fffffu);
  return r > top ? top : r;
}
WAVEWRIGHT_INLINE float fractionHalf(float x) {
  float r = x - __builtin_floorf(x), top = 0x1p0f - 0x1p-11f;
  return r > top ? top : r;
}
WAVEWRIGHT_INLINE double fraction(double x) {
  double r = x - __builtin_floor(x), top = doubleOf(0x3fefffffffffffffull);
  return r > top ? top : r;
}

WAVEWRIGHT_INLINE int32_t frexpExponent(float x) {
  uint32_t magnitude = bitsOf(x) & 0x7fffffffu, exponent = magnitude >> 23;
  if (exponent == 255 || magnitude == 0)
    return 0;
  return exponent ? int32_t(exponent) - 126 : -125 - (__builtin_clz(magnitude) - 8);
}
WAVEWRIGHT_INLINE float frexpMantissa(float x) {
  uint32_t bits = bitsOf(x), magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x7f800000u)
    return isNan(x) ? quiet(x) : x;
  if (magnitude == 0)
    return x;
  if (magnitude < 0x00800000u)
    magnitude <<= __builtin_clz(magnitude) - 8;
  return floatOf((bits & 0x80000000u) | 0x3f000000u | (magnitude & 0x007fffffu));
}
WAVEWRIGHT_INLINE int32_t frexpExponent(double x) {
  uint64_t magnitude = bitsOf(x) & ~(1ull << 63);
  int32_t exponent = int32_t(magnitude >> 52);
  if (exponent == 2047 || magnitude == 0)
    return 0;
  return exponent ? exponent - 1022 : -1021 - (__builtin_clzll(magnitude) - 11);
}
WAVEWRIGHT_INLINE double frexpMantissa(double x) {
  uint64_t bits = bitsOf(x), magnitude = bits & ~(1ull << 63);
  if (magnitude >= 0x7ff0000000000000ull)
    return isNan(x) ? quiet(x) : x;
  if (magnitude == 0)
    return x;
  if (magnitude < 0x0010000000000000ull)
    magnitude <<= __builtin_clzll(magnitude) - 11;
  return doubleOf((bits & (1ull << 63)) | 0x3fe0000000000000ull | (magnitude & 0x000fffffffffffffull));
}

WAVEWRIGHT_INLINE int32_t exponentOf(float x) { return int32_t(bitsOf(x) >> 23 & 0xff); }
WAVEWRIGHT_INLINE int32_t exponentOf(double x) { return int32_t(bitsOf(x) >> 52 & 0x7ff); }

// Division (ISA guides: V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP). Scaling keeps the Newton steps of a / b away from
// denormals: by 2^64 in f32 and 2^128 in f64. The bit that div_scale gives says that div_fmas must undo it. div_scale
// looks at the exponent fields only (as captured on gfx1201).
template <class T> struct DivisionLimits;
template <> struct DivisionLimits<float> {
  static constexpr int scale = 64, farApart = 96, tiny = 24, halfway = 127, underflow = -150, top = 255;
};
template <> struct DivisionLimits<double> {
  static constexpr int scale = 128, farApart = 768, tiny = 53, halfway = 1023, underflow = -1075, top = 2047;
};
WAVEWRIGHT_INLINE float scaled(float x, int n) { return scaleFloat(x, n); }
WAVEWRIGHT_INLINE double scaled(double x, int n) { return scaleDouble(x, n); }

template <class T> WAVEWRIGHT_INLINE T divScale(T value, T denominator, T numerator, bool &post) {
  using L = DivisionLimits<T>;
  int below = exponentOf(denominator), above = exponentOf(numerator), apart = above - below;
  bool isDenominator = bitsOf(value) == bitsOf(denominator);
  int by = 0;
  post = false;
  if (apart >= L::farApart) { // the quotient is near the largest value
    by = isDenominator ? L::scale : 0;
    post = true;
  } else if (below == 0) { // the denominator is denormal
    by = L::scale;
  } else if (below >= L::top - 2) { // its reciprocal is
    post = apart <= -L::farApart;
    by = post && !isDenominator ? 0 : -L::scale;
  } else if (apart <= -L::farApart) { // the quotient is
    by = isDenominator ? 0 : L::scale;
    post = true;
  } else if (above <= L::tiny) {
    by = L::scale;
  }
  if (numerator == 0 || denominator == 0)
    return -quiet(T(__builtin_nan("")));
  return isNan(value) ? quiet(value) : scaled(value, by);
}

template <class E> void divScaleHandler(Context &c, Wave &w, const MicroOp &m) {
  if (w.rounding && w.rounding != RoundingEntered)
    return c.withRounding(w, m, E::type);
  uint64_t mask = w.exec(), post = 0;
  Rows<E> value = rows<E>(c, w, m, 0), denominator = rows<E>(c, w, m, 1), numerator = rows<E>(c, w, m, 2);
  uint32_t *out[2] = {c.results[0].lane, c.results[1].lane};
  for (unsigned l = 0; l < w.lanes; ++l) {
    bool bit;
    E::put(out, l, divScale(E::get(value.r, l), E::get(denominator.r, l), E::get(numerator.r, l), bit));
    post |= uint64_t(bit) << l;
  }
  commit(c, w, m, mask);
  w.setMask(m.dst1, post & mask);
}

/// a * b + c rounded to odd in f64: scaling it and rounding then is one rounding.
WAVEWRIGHT_INLINE double fusedToOdd(double a, double b, double c) {
  double r = fused(a, b, c), product = a * b, productError = fused(a, b, -product);
  double sum = product + c, other = sum - product;
  double sumError = (product - (sum - other)) + (c - other);
  double error = (sum - r) + (sumError + productError);
  uint64_t bits = bitsOf(r);
  if (isNan(error) || error == 0.0 || (bits & 1) || __builtin_fabs(r) == __builtin_inf())
    return r;
  return doubleOf((error < 0.0) == (r < 0.0) ? bits + 1 : bits - 1);
}

template <class E> void divFmas(Context &c, Wave &w, const MicroOp &m) {
  using T = typename E::value;
  using L = DivisionLimits<T>;
  if (w.rounding && w.rounding != RoundingEntered)
    return c.withRounding(w, m, E::type);
  bool directed = w.rounding && w.mode & (E::type == Type::F32 ? 3 : 0xc);
  uint64_t mask = w.exec(), post = maskOperand(c, w, m, 3);
  Rows<E> a = rows<E>(c, w, m, 0), b = rows<E>(c, w, m, 1), addend = rows<E>(c, w, m, 2);
  uint32_t *out[2] = {c.results[0].lane, c.results[1].lane};
  for (unsigned l = 0; l < w.lanes; ++l) {
    T x = E::get(a.r, l), y = E::get(b.r, l), z = E::get(addend.r, l);
    int by = exponentOf(z) > L::halfway ? L::scale : -L::scale;
    T once = fused(x, y, z), scaledOnce = scaled(once, by);
    // Scaling rounds a second time, which matters to nearest even.
    bool again = !directed && (isDenormal(scaledOnce) || scaledOnce == 0);
    T result = again ? T(scaleDouble(fusedToOdd(x, y, z), by)) : scaledOnce;
    E::put(out, l, post >> l & 1 ? result : once);
  }
  commit(c, w, m, mask);
}

template <class T> WAVEWRIGHT_INLINE T divFixup(T quotient, T denominator, T numerator) {
  using L = DivisionLimits<T>;
  bool negative = __builtin_signbit(denominator) != __builtin_signbit(numerator);
  T infinity = T(__builtin_inf()), magnitude = T(__builtin_fabs(quotient));
  bool zeroBelow = denominator == 0, zeroAbove = numerator == 0;
  bool infiniteBelow = __builtin_fabs(denominator) == infinity, infiniteAbove = __builtin_fabs(numerator) == infinity;
  if (isNan(numerator))
    return quiet(numerator);
  if (isNan(denominator))
    return quiet(denominator);
  if ((zeroBelow && zeroAbove) || (infiniteBelow && infiniteAbove))
    return -quiet(T(__builtin_nan("")));
  if (zeroBelow || infiniteAbove)
    magnitude = infinity;
  else if (infiniteBelow || zeroAbove || exponentOf(numerator) - exponentOf(denominator) < L::underflow)
    magnitude = 0;
  else if (isNan(quotient))
    magnitude = infinity;
  return negative ? -magnitude : magnitude;
}
WAVEWRIGHT_INLINE float divFixupHalf(const Wave &w, float quotient, float denominator, float numerator) {
  // Halves widened to f32: the exponent rule of f32 never applies.
  float r = divFixup(quotient, denominator, numerator);
  bool overflow =
      __builtin_fabsf(r) == __builtin_inff() && denominator != 0 && __builtin_fabsf(numerator) < __builtin_inff();
  return overflow && w.mode & mode::Fp16Overflow ? __builtin_copysignf(65504.0f, r) : r;
}

constexpr Shape DivScale32{Type::F32, Type::Mask, {Type::F32, Type::F32, Type::F32}};
constexpr Shape DivScale64{Type::F64, Type::Mask, {Type::F64, Type::F64, Type::F64}};
constexpr Shape DivFmas32{Type::F32, Type::None, {Type::F32, Type::F32, Type::F32, Type::Mask}};
constexpr Shape DivFmas64{Type::F64, Type::None, {Type::F64, Type::F64, Type::F64, Type::Mask}};

// Cube maps: the face of the largest component, z before y before x (ISA guides, V_CUBEID).
struct Cube {
  float id, s, t, major;
};
WAVEWRIGHT_INLINE Cube cubeFace(float x, float y, float z) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  if (az >= ax && az >= ay)
    return {z < 0.0f ? 5.0f : 4.0f, z < 0.0f ? -x : x, -y, 2.0f * z};
  if (ay >= ax)
    return {y < 0.0f ? 3.0f : 2.0f, x, y < 0.0f ? -z : z, 2.0f * y};
  return {x < 0.0f ? 1.0f : 0.0f, x < 0.0f ? z : -z, -y, 2.0f * x};
}
/// The specular term of old lighting: 0 wins where the exponent or the cosine is not positive.
WAVEWRIGHT_INLINE float mulLit(float a, float b, float c) {
  float most = __FLT_MAX__;
  return b == -most || b == -__builtin_inff() || isNan(b) || c <= 0.0f || isNan(c) ? -most : mulLegacy(a, b);
}

/// The first 1201 bits of 2 / pi behind the point, for arguments of any size (Payne and Hanek).
constexpr uint64_t TwoOverPi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                                  0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                                  0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                                  0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                                  0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000};
/// Segment `select` of 53 of those bits, moved on by the exponent of x, as a value.
WAVEWRIGHT_INLINE double trigPreop(double x, uint32_t select) {
  constexpr unsigned words = sizeof(TwoOverPi) / sizeof(TwoOverPi[0]);
  int exponent = exponentOf(x), over = exponent > 1077 ? exponent - 1077 : 0;
  unsigned shift = (select & 31) * 53 + unsigned(over), word = shift / 64, bit = shift % 64;
  uint64_t high = word < words ? TwoOverPi[word] : 0, low = word + 1 < words ? TwoOverPi[word + 1] : 0;
  uint64_t segment = (bit ? high << bit | low >> (64 - bit) : high) >> 11;
  return scaleDouble(double(int64_t(segment)), -53 - int(shift) + (exponent >= 1968 ? 128 : 0));
}

#define MIN_MAX(SUFFIX, T)                                                                                             \
  VOP2("v_min_" SUFFIX, Before12, T, (T, T), minNum(ieee(w), a, b)),                                                   \
      VOP2("v_max_" SUFFIX, Before12, T, (T, T), maxNum(ieee(w), a, b)),                                               \
      VOP2("v_min_num_" SUFFIX, Gfx12, T, (T, T), minNum(false, a, b)),                                                \
      VOP2("v_max_num_" SUFFIX, Gfx12, T, (T, T), maxNum(false, a, b)),                                                \
      VOP2("v_minimum_" SUFFIX, Gfx12, T, (T, T), minimum(a, b)),                                                      \
      VOP2("v_maximum_" SUFFIX, Gfx12, T, (T, T), maximum(a, b))
#define MIN_MAX3(SUFFIX, T)                                                                                            \
  VOP3("v_min3_" SUFFIX, Before12, T, (T, T, T), minNum(ieee(w), minNum(ieee(w), a, b), c)),                           \
      VOP3("v_max3_" SUFFIX, Before12, T, (T, T, T), maxNum(ieee(w), maxNum(ieee(w), a, b), c)),                       \
      VOP3("v_med3_" SUFFIX, Before12, T, (T, T, T), median(ieee(w), a, b, c)),                                        \
      VOP3("v_minmax_" SUFFIX, Gfx11, T, (T, T, T), maxNum(ieee(w), minNum(ieee(w), a, b), c)),                        \
      VOP3("v_maxmin_" SUFFIX, Gfx11, T, (T, T, T), minNum(ieee(w), maxNum(ieee(w), a, b), c)),                        \
      VOP3("v_min3_num_" SUFFIX, Gfx12, T, (T, T, T), minNum(false, minNum(false, a, b), c)),                          \
      VOP3("v_max3_num_" SUFFIX, Gfx12, T, (T, T, T), maxNum(false, maxNum(false, a, b), c)),                          \
      VOP3("v_med3_num_" SUFFIX, Gfx12, T, (T, T, T), median(false, a, b, c)),                                         \
      VOP3("v_minmax_num_" SUFFIX, Gfx12, T, (T, T, T), maxNum(false, minNum(false, a, b), c)),                        \
      VOP3("v_maxmin_num_" SUFFIX, Gfx12, T, (T, T, T), minNum(false, maxNum(false, a, b), c)),                        \
      VOP3("v_minimum3_" SUFFIX, Gfx12, T, (T, T, T), minimum(minimum(a, b), c)),                                      \
      VOP3("v_maximum3_" SUFFIX, Gfx12, T, (T, T, T), maximum(maximum(a, b), c)),                                      \
      VOP3("v_minimummaximum_" SUFFIX, Gfx12, T, (T, T, T), maximum(minimum(a, b), c)),                                \
      VOP3("v_maximumminimum_" SUFFIX, Gfx12, T, (T, T, T), minimum(maximum(a, b), c))
/// One rounding to an integer value: trunc, ceil, floor, to nearest even.
#define ROUNDING(SUFFIX, T, F, FRACTION)                                                                               \
  VOP1("v_trunc_" SUFFIX, Any, T, (T), __builtin_trunc##F(a)),                                                         \
      VOP1("v_ceil_" SUFFIX, Any, T, (T), __builtin_ceil##F(a)),                                                       \
      VOP1("v_floor_" SUFFIX, Any, T, (T), __builtin_floor##F(a)),                                                     \
      VOP1("v_rndne_" SUFFIX, Any, T, (T), __builtin_rint##F(a)),                                                      \
      VOP1_ROUND("v_fract_" SUFFIX, Any, T, (T), FRACTION(a))

constexpr Semantics floats[] = {
    VOP2_ROUND("v_add_f32", Any, F32, (F32, F32), a + b),
    VOP2_ROUND("v_sub_f32", Any, F32, (F32, F32), a - b),
    VOP2_ROUND("v_subrev_f32", Any, F32, (F32, F32), b - a),
    VOP2_ROUND("v_mul_f32", Any, F32, (F32, F32), a *b),
    VOP2_ROUND("v_mul_legacy_f32", Gfx9, F32, (F32, F32), mulLegacy(a, b)),
    VOP2_ROUND("v_mul_dx9_zero_f32", Gfx11Up, F32, (F32, F32), mulLegacy(a, b)),
    VOP3_ROUND("v_fma_dx9_zero_f32", Gfx11Up, F32, (F32, F32, F32), fmaLegacy(a, b, c)),
    VOP3_ROUND("v_fmac_dx9_zero_f32", Gfx11Up, F32, (F32, F32, F32), fmaLegacy(a, b, c)),
    VOP3_ROUND("v_fma_f32", Any, F32, (F32, F32, F32), fused(a, b, c)),
    VOP3_ROUND("v_fmac_f32", Any, F32, (F32, F32, F32), fused(a, b, c)),
    VOP3_ROUND("v_fmamk_f32", Any, F32, (F32, F32, F32), fused(a, b, c)),
    VOP3_ROUND("v_fmaak_f32", Any, F32, (F32, F32, F32), fused(a, b, c)),
    VOP3_ROUND("v_mad_f32", Gfx9, F32, (F32, F32, F32), a *b + c),
    MIN_MAX("f32", F32),
    MIN_MAX3("f32", F32),
    VOP3("v_cubeid_f32", Any, F32, (F32, F32, F32), cubeFace(a, b, c).id),
    VOP3("v_cubesc_f32", Any, F32, (F32, F32, F32), cubeFace(a, b, c).s),
    VOP3("v_cubetc_f32", Any, F32, (F32, F32, F32), cubeFace(a, b, c).t),
    VOP3("v_cubema_f32", Any, F32, (F32, F32, F32), cubeFace(a, b, c).major),
    VOP3("v_mullit_f32", Gfx11Up, F32, (F32, F32, F32), mulLit(a, b, c)),
    VOP3("v_minimum3_f32", Gfx950, F32, (F32, F32, F32), minimum(minimum(a, b), c)),
    VOP3("v_maximum3_f32", Gfx950, F32, (F32, F32, F32), maximum(maximum(a, b), c)),
    ROUNDING("f32", F32, f, fraction),
    VOP2_ROUND("v_ldexp_f32", Any, F32, (F32, I32), scaleFloat(a, b)),
    VOP1("v_frexp_exp_i32_f32", Any, I32, (F32), frexpExponent(a)),
    VOP1("v_frexp_mant_f32", Any, F32, (F32), frexpMantissa(a)),
    {"v_div_scale_f32", chips::Any, divScaleHandler<F32>, DivScale32},
    {"v_div_fmas_f32", chips::Any, divFmas<F32>, DivFmas32},
    VOP3("v_div_fixup_f32", Any, F32, (F32, F32, F32), divFixup(a, b, c)),
    VOP3_ROUND("v_fma_mix_f32", Any, F32, (Mix, Mix, Mix), fused(a, b, c)),
    // Rounded to f32, then to f16 (ISA: f32_to_f16(fma(...))).
    VOP3_ROUND("v_fma_mixlo_f16", Any, F16, (Mix, Mix, Mix), fused(a, b, c)),
    VOP3_ROUND("v_fma_mixhi_f16", Any, F16, (Mix, Mix, Mix), fused(a, b, c)),
};

constexpr Semantics halves[] = {
    VOP2_ROUND("v_add_f16", Any, F16, (F16, F16), a + b),
    VOP2_ROUND("v_sub_f16", Any, F16, (F16, F16), a - b),
    VOP2_ROUND("v_subrev_f16", Any, F16, (F16, F16), b - a),
    VOP2_ROUND("v_mul_f16", Any, F16, (F16, F16), a *b),
    VOP3_ROUND2("v_fma_f16", Any, F16, (F16, F16, F16), halfFma(a, b, c), a *b + c),
    VOP3_ROUND2("v_fma_legacy_f16", Gfx9, F16, (F16, F16, F16), halfFma(a, b, c), a *b + c),
    VOP3_ROUND2("v_fmac_f16", Any, F16, (F16, F16, F16), halfFma(a, b, c), a *b + c),
    VOP3_ROUND2("v_fmamk_f16", Any, F16, (F16, F16, F16), halfFma(a, b, c), a *b + c),
    VOP3_ROUND2("v_fmaak_f16", Any, F16, (F16, F16, F16), halfFma(a, b, c), a *b + c),
    // The unfused forms round the product too.
    VOP3_ROUND("v_mad_f16", Gfx9, F16, (F16, F16, F16), roundedToHalf(w, a *b) + c),
    VOP3_ROUND("v_mac_f16", Gfx9, F16, (F16, F16, F16), roundedToHalf(w, a *b) + c),
    VOP3_ROUND("v_mad_legacy_f16", Gfx9, F16, (F16, F16, F16), roundedToHalf(w, a *b) + c),
    VOP3_ROUND("v_madmk_f16", Gfx9, F16, (F16, F16, F16), roundedToHalf(w, a *b) + c),
    VOP3_ROUND("v_madak_f16", Gfx9, F16, (F16, F16, F16), roundedToHalf(w, a *b) + c),
    MIN_MAX("f16", F16),
    MIN_MAX3("f16", F16),
    ROUNDING("f16", F16, f, fractionHalf),
    VOP2_ROUND("v_ldexp_f16", Any, F16, (F16, I16), scaleFloat(a, b)),
    VOP1("v_frexp_exp_i16_f16", Any, I16, (F16), int16_t(frexpExponent(a))),
    VOP1("v_frexp_mant_f16", Any, F16, (F16), frexpMantissa(a)),
    VOP3("v_div_fixup_f16", Any, F16, (F16, F16, F16), divFixupHalf(w, a, b, c)),
    VOP3("v_div_fixup_legacy_f16", Gfx9, F16, (F16, F16, F16), divFixupHalf(w, a, b, c)),
};

constexpr Semantics doubles[] = {
    VOP2_ROUND("v_add_f64", Any, F64, (F64, F64), a + b),
    VOP2_ROUND("v_mul_f64", Any, F64, (F64, F64), a *b),
    VOP3_ROUND("v_fma_f64", Any, F64, (F64, F64, F64), fused(a, b, c)),
    VOP3_ROUND("v_fmac_f64", Gfx9, F64, (F64, F64, F64), fused(a, b, c)),
    VOP2("v_min_f64", Before12, F64, (F64, F64), minNum(ieee(w), a, b)),
    VOP2("v_max_f64", Before12, F64, (F64, F64), maxNum(ieee(w), a, b)),
    VOP2("v_min_num_f64", Gfx12, F64, (F64, F64), minNum(false, a, b)),
    VOP2("v_max_num_f64", Gfx12, F64, (F64, F64), maxNum(false, a, b)),
    VOP2("v_minimum_f64", Gfx12, F64, (F64, F64), minimum(a, b)),
    VOP2("v_maximum_f64", Gfx12, F64, (F64, F64), maximum(a, b)),
    ROUNDING("f64", F64, , fraction),
    VOP2("v_trig_preop_f64", Any, F64, (F64, U32), trigPreop(a, b)),
    VOP2_ROUND("v_ldexp_f64", Any, F64, (F64, I32), scaleDouble(a, b)),
    VOP1("v_frexp_exp_i32_f64", Any, I32, (F64), frexpExponent(a)),
    VOP1("v_frexp_mant_f64", Any, F64, (F64), frexpMantissa(a)),
    {"v_div_scale_f64", chips::Any, divScaleHandler<F64>, DivScale64},
    {"v_div_fmas_f64", chips::Any, divFmas<F64>, DivFmas64},
    VOP3("v_div_fixup_f64", Any, F64, (F64, F64, F64), divFixup(a, b, c)),
};

} // namespace

llvm::ArrayRef<Semantics> floatFamily() { return floats; }
llvm::ArrayRef<Semantics> halfFamily() { return halves; }
llvm::ArrayRef<Semantics> doubleFamily() { return doubles; }

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
