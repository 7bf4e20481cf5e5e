// Shifts, rotations, fields, counts.
#include "twin.h"

template <class T> DEVICE inline void shifts(const T *in, const u32 *by, T *o) {
  constexpr u32 width = Limits<T>::bits;
  typedef decltype(u64(0)) U;
  T a = in[ITEM];
  u32 n = by[ITEM];
  o += ITEM * 6;
  o[0] = shiftLeft(a, n), o[1] = shiftRight(a, n), o[2] = T(a << 3), o[3] = T(a >> (width - 1));
  U u = U(a) & (~U(0) >> (64 - width));
  n &= width - 1;
  o[4] = T(u << n | u >> ((width - n) & (width - 1))), o[5] = T(u >> n | u << ((width - n) & (width - 1)));
}
PROGRAM(shifts_i8, "i8 u32 -> i8*6", const i8 *a, const u32 *b, i8 *o) { shifts(a, b, o); }
PROGRAM(shifts_u16, "u16 u32 -> u16*6", const u16 *a, const u32 *b, u16 *o) { shifts(a, b, o); }
PROGRAM(shifts_i16, "i16 u32 -> i16*6", const i16 *a, const u32 *b, i16 *o) { shifts(a, b, o); }
PROGRAM(shifts_u32, "u32 u32 -> u32*6", const u32 *a, const u32 *b, u32 *o) { shifts(a, b, o); }
PROGRAM(shifts_i32, "i32 u32 -> i32*6", const i32 *a, const u32 *b, i32 *o) { shifts(a, b, o); }
PROGRAM(shifts_u64, "u64 u32 -> u64*6", const u64 *a, const u32 *b, u64 *o) { shifts(a, b, o); }
PROGRAM(shifts_i64, "i64 u32 -> i64*6", const i64 *a, const u32 *b, i64 *o) { shifts(a, b, o); }

PROGRAM(rotations, "u32 u64 u32 -> u64*4", const u32 *a, const u64 *b, const u32 *c, u64 *o) {
  u32 x = a[ITEM], n = c[ITEM];
  u64 y = b[ITEM];
  o += ITEM * 4;
  o[0] = __builtin_rotateleft32(x, n & 31), o[1] = __builtin_rotateright32(x, 7);
  o[2] = __builtin_rotateleft64(y, n & 63), o[3] = __builtin_rotateright64(y, 40);
}
PROGRAM(funnels, "u32 u32 u32 -> u32*5", const u32 *a, const u32 *b, const u32 *c, u32 *o) {
  u64 both = u64(a[ITEM]) << 32 | b[ITEM];
  u32 n = c[ITEM];
  o += ITEM * 5;
  o[0] = u32(both >> (n & 31)), o[1] = u32(both << (n & 31) >> 32), o[2] = u32(both >> 8), o[3] = u32(both >> 16);
  o[4] = u32(both >> 27);
}
PROGRAM(fields, "u32 u32 u32 -> u32*10", const u32 *in, const u32 *p, const u32 *q, u32 *o) {
  u32 a = in[ITEM], at = p[ITEM] & 31, n = q[ITEM] & 31;
  o += ITEM * 10;
  o[0] = a >> at & ((1u << n) - 1), o[1] = u32(i32(a) << at >> n), o[2] = a >> 5 & 0x3ff, o[3] = u32(i32(a << 9) >> 20);
  u32 mask = ((1u << n) - 1) << at;
  o[4] = mask, o[5] = (a & mask) | (p[ITEM] & ~mask), o[6] = a | 1u << at, o[7] = a & ~(1u << at), o[8] = a ^ 1u << n;
  o[9] = a >> 24 | (a >> 8 & 0xff00) | (a << 8 & 0xff0000) | a << 24;
}
PROGRAM(fields_of_64, "u64 u32 u32 -> u64*6", const u64 *in, const u32 *p, const u32 *q, u64 *o) {
  u64 a = in[ITEM];
  u32 at = p[ITEM] & 63, n = q[ITEM] & 63;
  o += ITEM * 6;
  o[0] = a >> at & ((1ul << n) - 1), o[1] = u64(i64(a) << at >> n), o[2] = a >> 30 & 0xfffff;
  o[3] = u64(i64(a << 10) >> 50), o[4] = a | 1ul << at, o[5] = __builtin_bswap64(a);
}
PROGRAM(counts, "u32 u64 -> u32*12", const u32 *a, const u64 *b, u32 *o) {
  u32 x = a[ITEM];
  u64 y = b[ITEM];
  o += ITEM * 12;
  o[0] = u32(__builtin_popcount(x)), o[1] = x ? u32(__builtin_clz(x)) : 99, o[2] = x ? u32(__builtin_ctz(x)) : 98;
  o[3] = u32(__builtin_ffs(i32(x))), o[4] = u32(__builtin_popcountl(y)), o[5] = y ? u32(__builtin_clzl(y)) : 97;
  o[6] = y ? u32(__builtin_ctzl(y)) : 96, o[7] = u32(__builtin_parity(x)), o[8] = u32(__builtin_clrsb(i32(x)));
  o[9] = u32(__builtin_clrsbl(i64(y))), o[10] = u32(__builtin_ffsl(i64(y))), o[11] = u32(__builtin_popcount(u8(x)));
}
PROGRAM(reversals, "u32 u64 -> u64*5", const u32 *a, const u64 *b, u64 *o) {
  o += ITEM * 5;
  o[0] = __builtin_bitreverse32(a[ITEM]), o[1] = __builtin_bitreverse64(b[ITEM]), o[2] = __builtin_bswap32(a[ITEM]);
  o[3] = __builtin_bitreverse8(u8(a[ITEM])), o[4] = __builtin_bswap16(u16(a[ITEM]));
}
PROGRAM(bytes_of_words, "u32 u32 -> u32*8", const u32 *p, const u32 *q, u32 *o) {
  u8x4 a = as<u8x4>(p[ITEM]), b = as<u8x4>(q[ITEM]);
  o += ITEM * 8;
  o[0] = as<u32>(u8x4{a.w, b.x, a.y, b.z}), o[1] = as<u32>(u8x4(a.x)), o[2] = as<u32>(a.zwxy), o[3] = as<u32>(a + b);
  o[4] = as<u32>(u8x4(a * b)), o[5] = u32(a.x) + a.y + a.z + a.w, o[6] = as<u32>(u8x4(a >> u8x4(3)));
  u32 sum = 0;
  for (u32 i = 0; i < 4; ++i)
    sum += u32(a[i]) * b[i];
  o[7] = sum;
}
