// Conversions between formats: every one rounds once, to nearest even.
#include "twin.h"

PROGRAM(from_f32, "f32 -> f16 f64 bf16 i64*8", const f32 *a, f16 *h, f64 *d, bf16 *b, i64 *o) {
  f32 x = a[ITEM];
  h[ITEM] = f16(x), d[ITEM] = f64(x), b[ITEM] = bf16(x);
  o += ITEM * 8;
  o[0] = toInteger<u8>(x), o[1] = toInteger<i8>(x), o[2] = toInteger<u16>(x), o[3] = toInteger<i16>(x);
  o[4] = toInteger<u32>(x), o[5] = toInteger<i32>(x), o[6] = i64(toInteger<u64>(x)), o[7] = toInteger<i64>(x);
}
PROGRAM(from_f64, "f64 -> f16 f32 i64*4", const f64 *a, f16 *h, f32 *d, i64 *o) {
  f64 x = a[ITEM];
  h[ITEM] = f16(x), d[ITEM] = f32(x);
  o += ITEM * 4;
  o[0] = toInteger<u32>(x), o[1] = toInteger<i32>(x), o[2] = i64(toInteger<u64>(x)), o[3] = toInteger<i64>(x);
}
PROGRAM(from_f16, "f16 -> f32 f64 i64*6", const f16 *a, f32 *d, f64 *e, i64 *o) {
  f16 x = a[ITEM];
  d[ITEM] = f32(x), e[ITEM] = f64(x);
  o += ITEM * 6;
  o[0] = toInteger<u8>(x), o[1] = toInteger<i16>(x), o[2] = toInteger<u16>(x), o[3] = toInteger<u32>(x);
  o[4] = toInteger<i32>(x), o[5] = toInteger<i64>(x);
}
PROGRAM(from_bf16, "bf16 -> f32 f64 i64*2", const bf16 *a, f32 *d, f64 *e, i64 *o) {
  bf16 x = a[ITEM];
  d[ITEM] = f32(x), e[ITEM] = f64(x);
  o[ITEM * 2] = toInteger<i32>(f32(x)), o[ITEM * 2 + 1] = toInteger<i64>(f32(x));
}
PROGRAM(from_integers, "u32 u64 -> f32*8 f64*8 f16*6", const u32 *a, const u64 *b, f32 *o, f64 *d, f16 *h) {
  u32 x = a[ITEM];
  u64 y = b[ITEM];
  o += ITEM * 8, d += ITEM * 8, h += ITEM * 6;
  o[0] = f32(u8(x)), o[1] = f32(i8(x)), o[2] = f32(u16(x)), o[3] = f32(i16(x)), o[4] = f32(x), o[5] = f32(i32(x));
  o[6] = f32(y), o[7] = f32(i64(y));
  d[0] = f64(u8(x)), d[1] = f64(i8(x)), d[2] = f64(u16(x)), d[3] = f64(i16(x)), d[4] = f64(x), d[5] = f64(i32(x));
  d[6] = f64(y), d[7] = f64(i64(y));
  h[0] = f16(u8(x)), h[1] = f16(i8(x)), h[2] = f16(u16(x)), h[3] = f16(i16(x)), h[4] = f16(x & 0xfffff),
  h[5] = f16(i32(x));
}
PROGRAM(bytes_to_floats, "u32 -> f32*8", const u32 *a, f32 *o) {
  u32 x = a[ITEM];
  for (u32 i = 0; i < 4; ++i)
    o[ITEM * 8 + i] = f32(x >> (8 * i) & 255), o[ITEM * 8 + 4 + i] = f32(i8(x >> (8 * i)));
}
PROGRAM(pairs_of_halves, "f32*2 -> u32*2", const f32 *a, u32 *o) {
  f16x2 h = {f16(a[ITEM * 2]), f16(a[ITEM * 2 + 1])};
  o[ITEM * 2] = u32(bits(h.x)) | u32(bits(h.y)) << 16;
  o[ITEM * 2 + 1] = u32(bits(bf16(a[ITEM * 2]))) | u32(bits(bf16(a[ITEM * 2 + 1]))) << 16;
}
PROGRAM(wide_integers_to_floats, "u64 u64 -> f32*2 f64*2 ; grid=1", const u64 *a, const u64 *b, f32 *o, f64 *d) {
  u128 x = (u128(a[ITEM]) << 64 | b[ITEM]) >> 3;
  o[ITEM * 2] = f32(u64(x >> 60)), o[ITEM * 2 + 1] = f32(i64(x)), d[ITEM * 2] = f64(u64(x >> 61)),
           d[ITEM * 2 + 1] = f64(u64(x));
}
