// Floats of 8, 6 and 4 bits: conversions, and the products that take scales.
#include "twin.h"

/// The value of a float with E exponent and M mantissa bits. FNUZ has one bias more and one NaN, 0x80; OCP's e4m3 has a
/// NaN at all ones and no infinity, its e5m2 is IEEE's.
template <int E, int M, bool Fnuz> DEVICE inline f32 decoded(u32 code) {
  constexpr int bias = (1 << (E - 1)) - 1 + Fnuz;
  bool negative = code >> (E + M) & 1;
  int e = int(code >> M & ((1 << E) - 1)), f = int(code & ((1 << M) - 1));
  if (E + M == 7 && Fnuz && code == 0x80)
    return __builtin_nanf("");
  if (E == 5 && !Fnuz && e == 31)
    return f ? __builtin_nanf("") : negative ? -__builtin_inff() : __builtin_inff();
  if (E == 4 && !Fnuz && e == 15 && f == 7)
    return __builtin_nanf("");
  f32 v = __builtin_ldexpf(f32(e ? f + (1 << M) : f), (e ? e : 1) - bias - M);
  return negative ? -v : v;
}
#ifndef __AMDGCN__
/// Nearest even, by looking at all codes.
template <int E, int M, bool Fnuz> u32 encoded(f32 v) {
  u32 best = 0;
  f32 distance = INFINITY;
  for (u32 code = 0; code < 128; ++code) {
    f32 d = std::fabs(decoded<E, M, Fnuz>(code) - std::fabs(v));
    if (d < distance || (d == distance && !(code & 1)))
      distance = d, best = code;
  }
  return best | (std::signbit(v) && (best || !Fnuz) ? 128 : 0);
}
#endif

template <bool Fnuz> DEVICE inline void codes(const u32 *a, f32 *o) {
  u32 v = a[ITEM];
  o += ITEM * 8;
#if !defined(__AMDGCN__)
  for (u32 i = 0; i < 4; ++i)
    o[i] = decoded<4, 3, Fnuz>(v >> (8 * i) & 255), o[4 + i] = decoded<5, 2, Fnuz>(v >> (8 * i) & 255);
#elif defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1201__)
  f32x2 p = __builtin_amdgcn_cvt_pk_f32_fp8(v, false), q = __builtin_amdgcn_cvt_pk_f32_bf8(v, true);
  o[0] = p.x, o[1] = p.y, o[6] = q.x, o[7] = q.y;
  o[2] = __builtin_amdgcn_cvt_f32_fp8(v, 2), o[3] = __builtin_amdgcn_cvt_f32_fp8(v, 3);
  o[4] = __builtin_amdgcn_cvt_f32_bf8(v, 0), o[5] = __builtin_amdgcn_cvt_f32_bf8(v, 1);
#endif
}
PROGRAM(codes_fnuz, "u32 -> f32*8 ; only=gfx942", const u32 *a, f32 *o) { codes<true>(a, o); }
PROGRAM(codes_ocp, "u32 -> f32*8 ; only=gfx950,gfx1201", const u32 *a, f32 *o) { codes<false>(a, o); }

template <bool Fnuz> DEVICE inline void roundings(const f32 *a, const u32 *old, u32 *o) {
  // Small enough for every format; 2^-12 makes denormals of all of them.
  f32 x = a[ITEM * 2], y = a[ITEM * 2 + 1] * 0x1p-12f;
#if !defined(__AMDGCN__)
  u32 keep = old[ITEM];
  o[ITEM * 3] = (keep & 0xffff0000) | encoded<4, 3, Fnuz>(x) | encoded<4, 3, Fnuz>(y) << 8;
  o[ITEM * 3 + 1] = (keep & 0xffff) | (encoded<5, 2, Fnuz>(x) | encoded<5, 2, Fnuz>(y) << 8) << 16;
  o[ITEM * 3 + 2] = (keep & 0xffff0000) | encoded<4, 3, Fnuz>(y) | encoded<4, 3, Fnuz>(-x) << 8;
#elif defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1201__)
  o[ITEM * 3] = __builtin_amdgcn_cvt_pk_fp8_f32(x, y, old[ITEM], false);
  o[ITEM * 3 + 1] = __builtin_amdgcn_cvt_pk_bf8_f32(x, y, old[ITEM], true);
  o[ITEM * 3 + 2] = __builtin_amdgcn_cvt_pk_fp8_f32(y, -x, old[ITEM], false);
#endif
}
PROGRAM(roundings_fnuz, "f32.n*2 u32 -> u32*3 ; only=gfx942", const f32 *a, const u32 *b, u32 *o) {
  roundings<true>(a, b, o);
}
PROGRAM(roundings_ocp, "f32.n*2 u32 -> u32*3 ; only=gfx950,gfx1201", const f32 *a, const u32 *b, u32 *o) {
  roundings<false>(a, b, o);
}

/// v_mfma_scale_f32_16x16x128_f8f6f4 with fp4 (CDNA4 manual): lane l holds row l % 16 and k = 32 * (l / 16) + e, and
/// the E8M0 scale of just these 32.
PROGRAM(scaled_products_of_fp4,
        "u32#512 u32#512 u8#128 u8#128 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx950", const u32 *a,
        const u32 *b, const u8 *scaleA, const u8 *scaleB, const f32 *c, f32 *d, f32 *bound) {
  u32 l = TID;
  a += GROUP * 256, b += GROUP * 256, scaleA += GROUP * 64, scaleB += GROUP * 64, c += GROUP * 256, d += GROUP * 256;
#if defined(__gfx950__)
  typedef vec<i32, 8> words;
  words x = {}, y = {};
  f32x4 z;
  for (u32 i = 0; i < 4; ++i) {
    x[i] = i32(a[l % 16 * 16 + l / 16 * 4 + i]), y[i] = i32(b[l % 16 * 16 + l / 16 * 4 + i]);
    z[i] = c[(4 * (l / 16) + i) * 16 + l % 16];
  }
  int s = 124 + scaleA[l % 16 * 4 + l / 16] % 7, t = 124 + scaleB[l % 16 * 4 + l / 16] % 7;
  z = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(x, y, z, 4, 4, 0, s, 0, t);
  for (u32 i = 0; i < 4; ++i)
    d[(4 * (l / 16) + i) * 16 + l % 16] = z[i];
#elif !defined(__AMDGCN__)
  for (u32 i = 0; i < 4; ++i) {
    u32 m = 4 * (l / 16) + i, n = l % 16;
    f64 sum = c[m * 16 + n], size = std::fabs(sum);
    for (u32 k = 0; k < 128; ++k) {
      f64 p = decoded<2, 1, false>(a[m * 16 + k / 8] >> (4 * (k % 8)) & 15);
      p *= decoded<2, 1, false>(b[n * 16 + k / 8] >> (4 * (k % 8)) & 15);
      p = std::ldexp(p, 124 + scaleA[m * 4 + k / 32] % 7 + 124 + scaleB[n * 4 + k / 32] % 7 - 254);
      sum += p, size += std::fabs(p);
    }
    d[m * 16 + n] = f32(sum), bound[GROUP * 256 + m * 16 + n] = f32(size * 129 * 0x1p-23);
  }
#endif
}
