//===- emulator/semantics/valu_packed.cpp - packed 16-bit pairs and packed f32 --------------------===//
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

/// The same expression on the low and on the high half.
template <class F> WAVEWRIGHT_INLINE uint32_t eachFloat(uint32_t a, uint32_t b, F f) {
  return floatToHalf(f(halfToFloat(a & 0xffffu), halfToFloat(b & 0xffffu))) |
         floatToHalf(f(halfToFloat(a >> 16), halfToFloat(b >> 16))) << 16;
}
WAVEWRIGHT_INLINE uint32_t eachFma(uint32_t a, uint32_t b, uint32_t c) {
  return floatToHalf(halfFma(halfToFloat(a & 0xffffu), halfToFloat(b & 0xffffu), halfToFloat(c & 0xffffu))) |
         floatToHalf(halfFma(halfToFloat(a >> 16), halfToFloat(b >> 16), halfToFloat(c >> 16))) << 16;
}
// As MODE rounds, for the host rounds that way too.
WAVEWRIGHT_INLINE uint32_t pairMode(const Wave &w, float low, float high) {
  uint32_t round = w.mode >> 2 & 3;
  bool saturate = w.mode & mode::Fp16Overflow;
  return floatToHalfMode(low, round, saturate) | floatToHalfMode(high, round, saturate) << 16;
}
template <class F> WAVEWRIGHT_INLINE uint32_t eachMode(const Wave &w, uint32_t a, uint32_t b, F f) {
  return pairMode(w, f(halfToFloat(a & 0xffffu), halfToFloat(b & 0xffffu)),
                  f(halfToFloat(a >> 16), halfToFloat(b >> 16)));
}
WAVEWRIGHT_INLINE uint32_t eachFmaMode(const Wave &w, uint32_t a, uint32_t b, uint32_t c) {
  auto one = [&](uint32_t x, uint32_t y, uint32_t z) {
    float p = halfToFloat(x), q = halfToFloat(y), r = halfToFloat(z);
    return w.mode & 0xc ? p * q + r : halfFma(p, q, r);
  };
  return pairMode(w, one(a & 0xffffu, b & 0xffffu, c & 0xffffu), one(a >> 16, b >> 16, c >> 16));
}
template <class F> WAVEWRIGHT_INLINE uint64_t eachF32(uint64_t a, uint64_t b, F f) {
  return bitsOf(f(floatOf(uint32_t(a)), floatOf(uint32_t(b)))) |
         uint64_t(bitsOf(f(floatOf(uint32_t(a >> 32)), floatOf(uint32_t(b >> 32))))) << 32;
}
WAVEWRIGHT_INLINE float fma32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WAVEWRIGHT_INLINE uint16_t satU(int32_t x) { return uint16_t(x < 0 ? 0 : x > 0xffff ? 0xffff : x); }
WAVEWRIGHT_INLINE uint16_t satI(int32_t x) { return uint16_t(x < -32768 ? -32768 : x > 32767 ? 32767 : x); }

#define U(EXPRESSION) eachHalf(a, b, [](uint32_t x, uint32_t y) { return EXPRESSION; })
#define I(EXPRESSION)                                                                                                  \
  eachHalf(a, b, [](uint32_t p, uint32_t q) {                                                                          \
    int32_t x = int16_t(p), y = int16_t(q);                                                                            \
    return EXPRESSION;                                                                                                 \
  })
#define H(EXPRESSION) eachFloat(a, b, [&](float x, float y) { return EXPRESSION; })
#define S(EXPRESSION) eachF32(a, b, [&](float x, float y) { return EXPRESSION; })
#define PK(NAME, CHIPS, T, ...) VOP2(NAME, CHIPS, T, (T, T), __VA_ARGS__)

constexpr Semantics table[] = {
    VOP2_SAT("v_pk_add_u16", Any, PkU16, (PkU16, PkU16), U(x + y), U(satU(int32_t(x + y)))),
    VOP2_SAT("v_pk_sub_u16", Any, PkU16, (PkU16, PkU16), U(x - y), U(satU(int32_t(x) - int32_t(y)))),
    VOP2_SAT("v_pk_add_i16", Any, PkU16, (PkU16, PkU16), I(x + y), I(satI(x + y))),
    VOP2_SAT("v_pk_sub_i16", Any, PkU16, (PkU16, PkU16), I(x - y), I(satI(x - y))),
    VOP2_SAT("v_pk_mul_lo_u16", Any, PkU16, (PkU16, PkU16), U(x *y), U(x *y > 0xffffu ? 0xffffu : x * y)),
    PK("v_pk_min_u16", Any, PkU16, U(x < y ? x : y)),
    PK("v_pk_max_u16", Any, PkU16, U(x > y ? x : y)),
    PK("v_pk_min_i16", Any, PkU16, I(x < y ? x : y)),
    PK("v_pk_max_i16", Any, PkU16, I(x > y ? x : y)),
    PK("v_pk_lshlrev_b16", Any, PkU16, U(y << (x & 15))),
    PK("v_pk_lshrrev_b16", Any, PkU16, U(y >> (x & 15))),
    PK("v_pk_ashrrev_i16", Any, PkU16, I(y >> (x & 15))),
    VOP3_SAT("v_pk_mad_u16", Any, PkU16, (PkU16, PkU16, PkU16),
             eachHalf(U(x *y), c, [](uint32_t x, uint32_t y) { return x + y; }),
             (uint32_t(satU(int32_t((a & 0xffffu) * (b & 0xffffu) > 0xffffu ? 0xffffu : (a & 0xffffu) * (b & 0xffffu)) +
                            int32_t(c & 0xffffu)))) |
                 uint32_t(satU(int32_t((a >> 16) * (b >> 16) > 0xffffu ? 0xffffu : (a >> 16) * (b >> 16)) +
                               int32_t(c >> 16)))
                     << 16),
    VOP3_SAT("v_pk_mad_i16", Any, PkU16, (PkU16, PkU16, PkU16),
             eachHalf(U(x *y), c, [](uint32_t x, uint32_t y) { return x + y; }),
             uint32_t(satI(int16_t(a) * int16_t(b) + int16_t(c))) |
                 uint32_t(satI(int32_t(int64_t(int16_t(a >> 16)) * int16_t(b >> 16) + int16_t(c >> 16)))) << 16),

    VOP2_ROUND2("v_pk_add_f16", Any, PkF16, (PkF16, PkF16), H(x + y),
                eachMode(w, a, b, [](float x, float y) { return x + y; })),
    VOP2_ROUND2("v_pk_mul_f16", Any, PkF16, (PkF16, PkF16), H(x *y),
                eachMode(w, a, b, [](float x, float y) { return x * y; })),
    PK("v_pk_min_f16", Before12, PkF16, H(minNum(ieee(w), x, y))),
    PK("v_pk_max_f16", Before12, PkF16, H(maxNum(ieee(w), x, y))),
    PK("v_pk_min_num_f16", Gfx12, PkF16, H(minNum(false, x, y))),
    PK("v_pk_max_num_f16", Gfx12, PkF16, H(maxNum(false, x, y))),
    PK("v_pk_minimum_f16", Gfx12, PkF16, H(minimum(x, y))),
    PK("v_pk_maximum_f16", Gfx12, PkF16, H(maximum(x, y))),
    VOP3("v_pk_minimum3_f16", Gfx950, PkF16, (PkF16, PkF16, PkF16),
         eachFloat(H(minimum(x, y)), c, [](float x, float y) { return minimum(x, y); })),
    VOP3("v_pk_maximum3_f16", Gfx950, PkF16, (PkF16, PkF16, PkF16),
         eachFloat(H(maximum(x, y)), c, [](float x, float y) { return maximum(x, y); })),
    VOP3_ROUND2("v_pk_fma_f16", Any, PkF16, (PkF16, PkF16, PkF16), eachFma(a, b, c), eachFmaMode(w, a, b, c)),
    VOP3_ROUND2("v_pk_fmac_f16", Any, PkF16, (PkF16, PkF16, PkF16), eachFma(a, b, c), eachFmaMode(w, a, b, c)),

    VOP2_ROUND("v_pk_add_f32", Gfx9, PkF32, (PkF32, PkF32), S(x + y)),
    VOP2_ROUND("v_pk_mul_f32", Gfx9, PkF32, (PkF32, PkF32), S(x *y)),
    VOP3_ROUND(
        "v_pk_fma_f32", Gfx9, PkF32, (PkF32, PkF32, PkF32),
        bitsOf(fma32(floatOf(uint32_t(a)), floatOf(uint32_t(b)), floatOf(uint32_t(c)))) |
            uint64_t(bitsOf(fma32(floatOf(uint32_t(a >> 32)), floatOf(uint32_t(b >> 32)), floatOf(uint32_t(c >> 32)))))
                << 32),
    VOP2("v_pk_mov_b32", Gfx9, PkU32, (PkU32, PkU32), (a & 0xffffffffull) | b << 32),
};

} // namespace
WAVEWRIGHT_FAMILY(packedFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
