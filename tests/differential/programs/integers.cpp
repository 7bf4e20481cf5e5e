// Integer arithmetic of every width and signedness.
#include "twin.h"

template <class T> DEVICE inline void arithmetic(const T *in, const T *other, T *o) {
  T a = in[ITEM], b = other[ITEM];
  o += ITEM * 10;
  o[0] = T(a + b), o[1] = T(a - b), o[2] = T(a * b), o[3] = T(-a), o[4] = T(~a);
  o[5] = T(a & b), o[6] = T(a | b), o[7] = T(a ^ b), o[8] = T(a & ~b), o[9] = T(~(a ^ b));
}
PROGRAM(arithmetic_u8, "u8 u8 -> u8*10", const u8 *a, const u8 *b, u8 *o) { arithmetic(a, b, o); }
PROGRAM(arithmetic_i16, "i16 i16 -> i16*10", const i16 *a, const i16 *b, i16 *o) { arithmetic(a, b, o); }
PROGRAM(arithmetic_u32, "u32 u32 -> u32*10", const u32 *a, const u32 *b, u32 *o) { arithmetic(a, b, o); }
PROGRAM(arithmetic_u64, "u64 u64 -> u64*10", const u64 *a, const u64 *b, u64 *o) { arithmetic(a, b, o); }

template <class T> DEVICE inline void order(const T *in, const T *other, T *o, u32 *flags) {
  T a = in[ITEM], b = other[ITEM];
  o += ITEM * 4;
  o[0] = a < b ? a : b, o[1] = a > b ? a : b;
  o[2] = __builtin_elementwise_add_sat(a, b), o[3] = __builtin_elementwise_sub_sat(a, b);
  T s, d, p;
  u32 f = u32(a < b) | u32(a <= b) << 1 | u32(a == b) << 2 | u32(a != b) << 3 | u32(a >= b) << 4;
  f |= u32(__builtin_add_overflow(a, b, &s)) << 5 | u32(__builtin_sub_overflow(a, b, &d)) << 6;
  f |= u32(__builtin_mul_overflow(a, b, &p)) << 7;
  flags[ITEM] = f | u32(s ^ d ^ p) << 8;
}
PROGRAM(order_i8, "i8 i8 -> i8*4 u32", const i8 *a, const i8 *b, i8 *o, u32 *f) { order(a, b, o, f); }
PROGRAM(order_u16, "u16 u16 -> u16*4 u32", const u16 *a, const u16 *b, u16 *o, u32 *f) { order(a, b, o, f); }
PROGRAM(order_i32, "i32 i32 -> i32*4 u32", const i32 *a, const i32 *b, i32 *o, u32 *f) { order(a, b, o, f); }
PROGRAM(order_u32, "u32 u32 -> u32*4 u32", const u32 *a, const u32 *b, u32 *o, u32 *f) { order(a, b, o, f); }
PROGRAM(order_i64, "i64 i64 -> i64*4 u32", const i64 *a, const i64 *b, i64 *o, u32 *f) { order(a, b, o, f); }
PROGRAM(order_u64, "u64 u64 -> u64*4 u32", const u64 *a, const u64 *b, u64 *o, u32 *f) { order(a, b, o, f); }

template <class T> DEVICE inline void divide(const T *in, const T *other, T *o) {
  T a = in[ITEM], b = other[ITEM];
  o += ITEM * 4;
  o[0] = quotient(a, b), o[1] = remainder(a, b);
  T small = T(b & T(15));
  o[2] = quotient(a, small), o[3] = remainder(b, a);
}
PROGRAM(divide_i8, "i8 i8 -> i8*4", const i8 *a, const i8 *b, i8 *o) { divide(a, b, o); }
PROGRAM(divide_u16, "u16 u16 -> u16*4", const u16 *a, const u16 *b, u16 *o) { divide(a, b, o); }
PROGRAM(divide_i32, "i32 i32 -> i32*4", const i32 *a, const i32 *b, i32 *o) { divide(a, b, o); }
PROGRAM(divide_u32, "u32 u32 -> u32*4", const u32 *a, const u32 *b, u32 *o) { divide(a, b, o); }
PROGRAM(divide_i64, "i64 i64 -> i64*4", const i64 *a, const i64 *b, i64 *o) { divide(a, b, o); }
PROGRAM(divide_u64, "u64 u64 -> u64*4", const u64 *a, const u64 *b, u64 *o) { divide(a, b, o); }

PROGRAM(divide_by_constants, "i32 u32 u64 -> i64*12", const i32 *a, const u32 *b, const u64 *c, i64 *o) {
  i32 x = a[ITEM];
  u32 y = b[ITEM];
  u64 z = c[ITEM];
  o += ITEM * 12;
  o[0] = x / 3, o[1] = x % 7, o[2] = x / -10, o[3] = x / 16, o[4] = y / 3, o[5] = y % 10;
  o[6] = y / 641, o[7] = y % 1000, o[8] = i64(z / 10), o[9] = i64(z % 60), o[10] = i64(z / 7), o[11] = i64(z) / 1024;
}

PROGRAM(high_products, "u32 u32 u64 u64 -> u64*8", const u32 *a, const u32 *b, const u64 *c, const u64 *d, u64 *o) {
  u32 x = a[ITEM], y = b[ITEM];
  u64 z = c[ITEM], w = d[ITEM];
  o += ITEM * 8;
  o[0] = u64(x) * y >> 32, o[1] = u64(i64(i32(x)) * i32(y) >> 32), o[2] = u64(x) * y + z;
  o[3] = u64(i64(i32(x)) * i32(y) + i64(z)), o[4] = u64(u128(z) * w >> 64), o[5] = u64(i128(i64(z)) * i64(w) >> 64);
  o[6] = (x & 0xffffff) * (y & 0xffffff) + 5u, o[7] = u64(i64(i32(x << 8) >> 8) * (i32(y << 8) >> 8) >> 32);
}

PROGRAM(fused_integers, "u32 u32 u32 -> u32*14", const u32 *in, const u32 *p, const u32 *q, u32 *o) {
  u32 a = in[ITEM], b = p[ITEM], c = q[ITEM];
  o += ITEM * 14;
  o[0] = a + b + c, o[1] = (a << 5) + b, o[2] = (a << 7) | b, o[3] = (a & b) | c, o[4] = a | b | c;
  o[5] = (a ^ b) + c, o[6] = (a + b) << 3, o[7] = a ^ b ^ c, o[8] = (c & a) | (~c & b), o[9] = a * b + c;
  o[10] = (a > b ? a - b : b - a) + c;
  o[11] = (a & 0xff) | (b & 0xff00) | (c & 0xff0000) | (a << 24);
  o[12] = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
  o[13] = u32(u8(a) > u8(b) ? u8(a) - u8(b) : u8(b) - u8(a)) + c;
}

PROGRAM(wide_addition, "u64 u64 u64 u64 -> u64*8", const u64 *a, const u64 *b, const u64 *c, const u64 *d, u64 *o) {
  u128 x = u128(a[ITEM]) << 64 | b[ITEM], y = u128(c[ITEM]) << 64 | d[ITEM];
  u128 s = x + y, t = x - y;
  o += ITEM * 8;
  o[0] = u64(s), o[1] = u64(s >> 64), o[2] = u64(t), o[3] = u64(t >> 64);
  o[4] = (x < y) | (i128(x) < i128(y)) << 1 | (x == y) << 2;
  u128 n = -x, k = ~x ^ y;
  o[5] = u64(n >> 64), o[6] = u64(k), o[7] = u64(k >> 64);
}
PROGRAM(wide_products, "u64 u64 u64 u64 -> u64*4", const u64 *a, const u64 *b, const u64 *c, const u64 *d, u64 *o) {
  u128 x = u128(a[ITEM]) << 64 | b[ITEM], y = u128(c[ITEM]) << 64 | d[ITEM], p = x * y;
  o[ITEM * 4] = u64(p), o[ITEM * 4 + 1] = u64(p >> 64);
  u128 v = (x << (u32(d[ITEM]) & 127)) ^ u128(i128(y) >> (u32(b[ITEM]) & 127)) ^ (y >> (u32(a[ITEM]) & 127));
  o[ITEM * 4 + 2] = u64(v), o[ITEM * 4 + 3] = u64(v >> 64);
}
PROGRAM(wide_division, "u64 u64 u64 -> u64*4 ; grid=1", const u64 *a, const u64 *b, const u64 *c, u64 *o) {
  u128 x = u128(a[ITEM]) << 64 | b[ITEM], y = u128(c[ITEM]) << (u32(b[ITEM]) & 63) | 1;
  u128 q = x / y, r = x % y;
  o[ITEM * 4] = u64(q), o[ITEM * 4 + 1] = u64(q >> 64), o[ITEM * 4 + 2] = u64(r), o[ITEM * 4 + 3] = u64(r >> 64);
}
PROGRAM(carry_chain, "u32*8 u32*8 -> u32*9", const u32 *a, const u32 *b, u32 *o) {
  u32 carry = 0;
  for (u32 i = 0; i < 8; ++i) {
    u32 out;
    u32 s = __builtin_addc(a[ITEM * 8 + i], b[ITEM * 8 + i], carry, &out);
    o[ITEM * 9 + i] = s;
    carry = out;
  }
  o[ITEM * 9 + 8] = carry;
}
PROGRAM(conversions_between_widths, "u64 -> i64*12", const u64 *a, i64 *o) {
  u64 x = a[ITEM];
  o += ITEM * 12;
  o[0] = u8(x), o[1] = i8(x), o[2] = u16(x), o[3] = i16(x), o[4] = u32(x), o[5] = i32(x);
  o[6] = i8(x >> 8), o[7] = i16(x >> 16), o[8] = u8(x >> 24), o[9] = i32(x >> 32), o[10] = i64(x << 12) >> 40;
  o[11] = i64(x << 20 >> 40);
}
