// Vectors of small elements: packed instructions, dot products, clamps, conversions of pairs.
#include "twin.h"

PROGRAM(packed_i16, "i16*2 i16*2 -> i16*20", const i16x2 *p, const i16x2 *q, i16x2 *o) {
  i16x2 a = p[ITEM], b = q[ITEM];
  o += ITEM * 10;
  o[0] = a + b, o[1] = a - b, o[2] = a * b, o[3] = a * b + a, o[4] = __builtin_elementwise_min(a, b);
  o[5] = __builtin_elementwise_max(a, b), o[6] = a << (b & i16x2(15)), o[7] = a >> (b & i16x2(15));
  o[8] = a.yx + b.xx, o[9] = __builtin_elementwise_add_sat(a, b);
}
PROGRAM(packed_u16, "u16*2 u16*2 -> u16*16", const u16x2 *p, const u16x2 *q, u16x2 *o) {
  u16x2 a = p[ITEM], b = q[ITEM];
  o += ITEM * 8;
  o[0] = __builtin_elementwise_min(a, b), o[1] = __builtin_elementwise_max(a, b), o[2] = a >> (b & u16x2(15));
  o[3] = a * b + u16x2(7), o[4] = u16x2{b.y, a.x}, o[5] = __builtin_elementwise_sub_sat(a, b), o[6] = a & ~b, o[7] = -a;
}
PROGRAM(packed_f16, "f16*2 f16*2 f16*2 -> f16*14", const f16x2 *p, const f16x2 *q, const f16x2 *r, f16x2 *o) {
  f16x2 a = p[ITEM], b = q[ITEM], c = r[ITEM];
  o += ITEM * 7;
  o[0] = a + b, o[1] = a - b, o[2] = a * b, o[3] = f16x2{fused(a.x, b.x, c.x), fused(a.y, b.y, c.y)};
  o[4] = -a * b.yx, o[5] = a + f16x2(f16(0.5)), o[6] = a.yx * b.xx + c.yy;
}
PROGRAM(packed_f32, "f32*2 f32*2 f32*2 -> f32*12", const f32x2 *p, const f32x2 *q, const f32x2 *r, f32x2 *o) {
  f32x2 a = p[ITEM], b = q[ITEM], c = r[ITEM];
  o += ITEM * 6;
  o[0] = a + b, o[1] = a * b, o[2] = f32x2{fused(a.x, b.x, c.x), fused(a.y, b.y, c.y)}, o[3] = -a + b.yx;
  o[4] = a * f32x2(2.0f), o[5] = a.xx * b + c.yx;
}
PROGRAM(packed_bf16, "f32*2 f32*2 -> u32*2", const f32x2 *p, const f32x2 *q, u32 *o) {
  f32x2 a = p[ITEM], b = q[ITEM];
  o[ITEM * 2] = u32(bits(bf16(a.x))) | u32(bits(bf16(a.y))) << 16;
  o[ITEM * 2 + 1] = u32(bits(bf16(bf16(a.x) * bf16(b.y)))) | u32(bits(bf16(bf16(b.x) + bf16(a.y)))) << 16;
}
PROGRAM(vectors_of_64, "u64*2 u64*2 f64*2 -> u64*4 f64*4", const u64x2 *p, const u64x2 *q, const f64x2 *r, u64x2 *o,
        f64x2 *d) {
  o[ITEM * 2] = p[ITEM] + q[ITEM].yx, o[ITEM * 2 + 1] = p[ITEM] * q[ITEM];
  d[ITEM * 2] = r[ITEM] + r[ITEM].yx, d[ITEM * 2 + 1] = r[ITEM] * f64x2{3.0, 0.1};
}
PROGRAM(vectors_of_bytes, "u32*4 u32*4 -> u32*4", const u32x4 *p, const u32x4 *q, u32x4 *o) {
  typedef vec<u8, 16> bytes;
  bytes a = as<bytes>(p[ITEM]), b = as<bytes>(q[ITEM]);
  bytes m = __builtin_elementwise_max(a, b), c = (a + b) ^ (m >> bytes(2));
  o[ITEM] = as<u32x4>(c);
}
PROGRAM(dynamic_elements, "u32*4 u32 -> u32*4 u16*4", const u32x4 *p, const u32 *q, u32x4 *o, u16x4 *h) {
  u32x4 v = p[ITEM];
  u32 n = q[ITEM];
  v[n & 3] = v[n >> 2 & 3] + 1;
  v[n >> 4 & 3] ^= 77;
  o[ITEM] = v;
  u16x4 w = {u16(v.x), u16(v.y), u16(v.z), u16(v.w)};
  w[n >> 6 & 3] += w[n >> 8 & 3];
  h[ITEM] = w;
}

// The dot instructions, called by name; the host adds up.
#ifdef __AMDGCN__
#define DOT(NAME, ...) __builtin_amdgcn_##NAME(__VA_ARGS__)
#else
template <class T, int N> i64 dot(u32 a, u32 b) {
  i64 s = 0;
  constexpr u32 width = 32 / N;
  for (u32 i = 0; i < N; ++i) {
    u32 x = a >> (width * i) & ((1ul << width) - 1), y = b >> (width * i) & ((1ul << width) - 1);
    if (Limits<T>::isSigned)
      s += i64(i32(x << (32 - width)) >> (32 - width)) * (i32(y << (32 - width)) >> (32 - width));
    else
      s += i64(u64(x) * y);
  }
  return s;
}
inline i32 bounded(i64 v) { return v > 0x7fffffff ? 0x7fffffff : v < -0x80000000l ? -0x7fffffff - 1 : i32(v); }
inline u32 boundedUnsigned(i64 v) { return v > 0xffffffffl ? ~0u : u32(v); }
#endif
PROGRAM(dots_unsigned, "u32 u32 u32 -> u32*4", const u32 *a, const u32 *b, const u32 *c, u32 *o) {
  u32 x = a[ITEM], y = b[ITEM], z = c[ITEM];
  o += ITEM * 4;
#ifdef __AMDGCN__
  o[0] = DOT(udot4, x, y, z, false), o[1] = DOT(udot4, x, y, z, true), o[2] = DOT(udot8, x, y, z, false);
  o[3] = DOT(udot8, x, y, z, true);
#else
  i64 four = dot<u32, 4>(x, y) + z, eight = dot<u32, 8>(x, y) + z;
  o[0] = u32(four), o[1] = boundedUnsigned(four), o[2] = u32(eight), o[3] = boundedUnsigned(eight);
#endif
}
PROGRAM(dots_signed, "u32 u32 i32 -> i32*4 ; only=gfx9", const u32 *a, const u32 *b, const i32 *c, i32 *o) {
  u32 x = a[ITEM], y = b[ITEM];
  i32 z = c[ITEM];
  o += ITEM * 4;
#if !defined(__AMDGCN__)
  i64 four = dot<i32, 4>(x, y) + z, eight = dot<i32, 8>(x, y) + z;
  o[0] = i32(four), o[1] = bounded(four), o[2] = i32(eight), o[3] = bounded(eight);
#elif defined(__GFX9__)
  o[0] = DOT(sdot4, x, y, z, false), o[1] = DOT(sdot4, x, y, z, true), o[2] = DOT(sdot8, x, y, z, false);
  o[3] = DOT(sdot8, x, y, z, true);
#endif
}
PROGRAM(dots_mixed_signs, "u32 u32 i32 -> i32*4 ; only=gfx11,gfx12", const u32 *a, const u32 *b, const i32 *c, i32 *o) {
  u32 x = a[ITEM], y = b[ITEM];
  i32 z = c[ITEM];
  o += ITEM * 4;
#if !defined(__AMDGCN__)
  i64 mixed = z;
  for (u32 i = 0; i < 32; i += 8)
    mixed += i64(i8(x >> i)) * u8(y >> i);
  i64 four = dot<i32, 4>(x, y) + z, eight = dot<i32, 8>(x, y) + z;
  o[0] = i32(four), o[1] = bounded(four), o[2] = i32(eight), o[3] = i32(mixed);
#elif !defined(__GFX9__)
  o[0] = DOT(sudot4, true, x, true, y, z, false), o[1] = DOT(sudot4, true, x, true, y, z, true);
  o[2] = DOT(sudot8, true, x, true, y, z, false), o[3] = DOT(sudot4, true, x, false, y, z, false);
#endif
}
PROGRAM(dots_of_halves, "f16.u*2 f16.u*2 f32.u -> f32~given f32", const f16x2 *a, const f16x2 *b, const f32 *c, f32 *o,
        f32 *bound) {
#ifdef __AMDGCN__
  typedef __fp16 half2 __attribute__((ext_vector_type(2)));
  o[ITEM] = __builtin_amdgcn_fdot2(as<half2>(a[ITEM]), as<half2>(b[ITEM]), c[ITEM], false);
#else
  f64 x = f64(a[ITEM].x) * f64(b[ITEM].x), y = f64(a[ITEM].y) * f64(b[ITEM].y);
  o[ITEM] = f32(x + y + f64(c[ITEM]));
  // Three terms cut to 24 bits at the greatest, and one rounding.
  bound[ITEM] = f32((std::fabs(x) + std::fabs(y) + std::fabs(f64(c[ITEM]))) * 4 * 0x1p-24);
#endif
}
PROGRAM(sums_of_differences, "u32 u32 u32 -> u32*4", const u32 *a, const u32 *b, const u32 *c, u32 *o) {
  u32 x = a[ITEM], y = b[ITEM], z = c[ITEM];
  o += ITEM * 4;
#ifdef __AMDGCN__
  o[0] = __builtin_amdgcn_sad_u8(x, y, z), o[1] = __builtin_amdgcn_sad_u16(x, y, z),
  o[2] = __builtin_amdgcn_lerp(x, y, z);
  o[3] = __builtin_amdgcn_perm(x, y, z & 0x07070707);
#else
  u32 s = z, t = z, m = 0, p = 0;
  for (u32 i = 0; i < 32; i += 8) {
    i32 d = i32(x >> i & 255) - i32(y >> i & 255);
    s += u32(d < 0 ? -d : d);
    m |= ((x >> i & 255) + (y >> i & 255) + (z >> i & 1)) >> 1 << i;
    p |= u32((u64(x) << 32 | y) >> (8 * (z >> i & 7)) & 255) << i;
  }
  for (u32 i = 0; i < 32; i += 16) {
    i32 d = i32(x >> i & 0xffff) - i32(y >> i & 0xffff);
    t += u32(d < 0 ? -d : d);
  }
  o[0] = s, o[1] = t, o[2] = m, o[3] = p;
#endif
}
PROGRAM(alignments_and_fields, "u32 u32 u32 -> u32*6 ; wave", const u32 *a, const u32 *b, const u32 *c, u32 *o) {
  u32 x = a[ITEM], y = b[ITEM], z = c[ITEM];
  o += ITEM * 6;
#ifdef __AMDGCN__
  o[0] = __builtin_amdgcn_alignbit(x, y, z), o[1] = __builtin_amdgcn_alignbyte(x, y, z);
  o[2] = __builtin_amdgcn_ubfe(x, y, z), o[3] = u32(__builtin_amdgcn_sbfe(i32(x), y, z));
  o[4] = __builtin_amdgcn_mbcnt_lo(x, z), o[5] = (x & 0xffffff) * (y & 0xffffff);
#else
  u64 both = u64(x) << 32 | y;
  o[0] = u32(both >> (z & 31)), o[1] = u32(both >> (8 * (z & 3)));
  u32 at = y & 31, n = z & 31, low = lane() < 32 ? (1u << lane()) - 1 : ~0u;
  o[2] = n ? x >> at & ((1u << n) - 1) : 0;
  o[3] = !n ? 0 : at + n < 32 ? u32(i32(x << (32 - at - n)) >> (32 - n)) : u32(i32(x) >> at);
  o[4] = u32(__builtin_popcount(x & low)) + z, o[5] = (x & 0xffffff) * (y & 0xffffff);
#endif
}
PROGRAM(pairs_by_instructions, "f32.n*2 u32*2 -> u32*3", const f32x2 *a, const u32 *b, u32 *o) {
  f32 x = a[ITEM].x, y = a[ITEM].y;
  u32 u = b[ITEM * 2], v = b[ITEM * 2 + 1];
#ifdef __AMDGCN__
  o[ITEM * 3] = as<u32>(__builtin_amdgcn_cvt_pkrtz(x, y));
  o[ITEM * 3 + 1] = as<u32>(__builtin_amdgcn_cvt_pk_u16(u, v)),
               o[ITEM * 3 + 2] = as<u32>(__builtin_amdgcn_cvt_pk_i16(i32(u), i32(v)));
#else
  auto toZero = [](f32 f) {
    f16 h = f16(f);
    if (__builtin_fabsf(f32(h)) > __builtin_fabsf(f))
      h = as<f16>(u16(as<u16>(h) - 1));
    return u32(as<u16>(h));
  };
  auto low = [](u32 w) { return w > 65535 ? 65535u : w; };
  auto between = [](i32 w) { return u32(w > 32767 ? 32767 : w < -32768 ? -32768 : w) & 0xffff; };
  o[ITEM * 3] = toZero(x) | toZero(y) << 16, o[ITEM * 3 + 1] = low(u) | low(v) << 16;
  o[ITEM * 3 + 2] = between(i32(u)) | between(i32(v)) << 16;
#endif
}
PROGRAM(medians, "f32.n*3 f16.n*3 -> f32 f16", const f32 *a, const f16 *b, f32 *o, f16 *h) {
#ifdef __AMDGCN__
  o[ITEM] = __builtin_amdgcn_fmed3f(a[ITEM * 3], a[ITEM * 3 + 1], a[ITEM * 3 + 2]);
  h[ITEM] = __builtin_amdgcn_fmed3h(b[ITEM * 3], b[ITEM * 3 + 1], b[ITEM * 3 + 2]);
#else
  auto middle = [](auto x, auto y, auto z) {
    return x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y);
  };
  o[ITEM] = middle(a[ITEM * 3], a[ITEM * 3 + 1], a[ITEM * 3 + 2]);
  h[ITEM] = f16(middle(f32(b[ITEM * 3]), f32(b[ITEM * 3 + 1]), f32(b[ITEM * 3 + 2])));
#endif
}
