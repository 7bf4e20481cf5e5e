// Global memory, private arrays, tables, arguments of every kind.
#include "twin.h"

PROGRAM(widths, "u8*3 u16*3 u64*2 -> u64*4 u8*2 i16*2", const u8 *a, const u16 *b, const u64 *c, u64 *o, u8 *p,
        i16 *q) {
  o += ITEM * 4;
  o[0] = a[ITEM * 3 + 1], o[1] = u64(i64(i8(a[ITEM * 3 + 2]))), o[2] = b[ITEM * 3] + c[ITEM * 2],
  o[3] = u64(i64(i16(b[ITEM * 3 + 2])));
  p[ITEM * 2 + 1] = a[ITEM * 3], q[ITEM * 2] = i16(b[ITEM * 3 + 1]);
}
PROGRAM(vectors_in_memory, "u32*4 f32*2 u16*4 -> u32*4 f32*2 u16*4", const u32x4 *a, const f32x2 *b, const u16x4 *c,
        u32x4 *o, f32x2 *p, u16x4 *q) {
  o[ITEM] = a[ITEM ^ 1].wzyx, p[ITEM] = b[ITEM].yx, q[ITEM] = c[ITEM] + u16x4(3);
}
PROGRAM(three_words, "u32*3 -> u32*3", const u32 *a, u32 *o) {
  u32 x = a[ITEM * 3], y = a[ITEM * 3 + 1], z = a[ITEM * 3 + 2];
  o[ITEM * 3] = y, o[ITEM * 3 + 1] = z, o[ITEM * 3 + 2] = x;
}
PROGRAM(gather_and_scatter, "u32 u32 -> u32", const u32 *a, const u32 *b, u32 *o) {
  o[ITEM ^ 5] = a[b[ITEM] & (ITEMS * GROUPS - 1)];
}
PROGRAM(halves_of_registers, "u16*2 u8*4 -> u32*3", const u16 *a, const u8 *b, u32 *o) {
  o[ITEM * 3] = u32(a[ITEM * 2]) << 16 | a[ITEM * 2 + 1];
  u16x2 v = {a[ITEM * 2 + 1], b[ITEM * 4]};
  o[ITEM * 3 + 1] = as<u32>(v), o[ITEM * 3 + 2] = as<u32>(u16x2{u16(i8(b[ITEM * 4 + 1])), a[ITEM * 2]});
}
PROGRAM(unaligned, "u8*16 -> u64*2", const u8 *a, u64 *o) {
  struct __attribute__((packed)) Loose {
    u8 first;
    u32 second;
    u64 third;
  };
  const Loose *l = (const Loose *)(a + ITEM * 16);
  o[ITEM * 2] = l->second, o[ITEM * 2 + 1] = l->third + l->first;
}

PROGRAM(private_array, "u32 -> u32*4", const u32 *a, u32 *o) {
  u32 t[16];
  for (u32 i = 0; i < 16; ++i)
    t[i] = a[ITEM] * (i + 1);
  for (u32 i = 0; i < 16; ++i)
    t[(t[i] >> 7) & 15] ^= t[(i + a[ITEM]) & 15];
  u32 s = 0;
  for (u32 i = 0; i < 16; ++i)
    s = s * 5 + t[i];
  o[ITEM * 4] = s, o[ITEM * 4 + 1] = t[a[ITEM] & 15], o[ITEM * 4 + 2] = t[a[ITEM] >> 28], o[ITEM * 4 + 3] = t[3];
}
PROGRAM(private_bytes, "u64 -> u64*3", const u64 *a, u64 *o) {
  u8 t[32];
  u16 h[16];
  u64 w[4];
  for (u32 i = 0; i < 32; ++i)
    t[i] = u8(a[ITEM] >> (i & 56)) + u8(i);
  for (u32 i = 0; i < 16; ++i)
    h[i] = u16(t[(i * 7) & 31] * 257 + i);
  for (u32 i = 0; i < 4; ++i)
    w[i] = a[ITEM] * h[i] + t[i];
  u32 at = u32(a[ITEM]);
  h[at & 15] += t[at >> 5 & 31];
  w[at >> 9 & 3] ^= h[at >> 11 & 15];
  o[ITEM * 3] = t[at >> 20 & 31] + h[at >> 25 & 15], o[ITEM * 3 + 1] = w[at >> 30],
           o[ITEM * 3 + 2] = w[0] ^ w[1] ^ w[2] ^ w[3];
}
PROGRAM(private_matrix, "f32.i*4 -> f32*4", const f32 *a, f32 *o) {
  f32 m[4][4], n[4][4];
  for (u32 i = 0; i < 4; ++i)
    for (u32 j = 0; j < 4; ++j)
      m[i][j] = a[ITEM * 4 + ((i + j) & 3)] + f32(i * j), n[j][i] = m[i][j];
  for (u32 i = 0; i < 4; ++i) {
    f32 s = 0;
    for (u32 k = 0; k < 4; ++k)
      s += m[i][k] * n[k][(i + TID) & 3];
    o[ITEM * 4 + i] = s;
  }
}
PROGRAM(much_scratch, "u32 -> u32*2 ; grid=2", const u32 *a, u32 *o) {
  u32 t[300];
  u32 v = a[ITEM];
  for (u32 i = 0; i < 300; ++i)
    t[i] = v = v * 1664525 + 1013904223;
  u32 at = a[ITEM] % 300;
  for (u32 i = 0; i < 40; ++i)
    at = (t[at] ^ i) % 300, t[at] += i;
  o[ITEM * 2] = t[at], o[ITEM * 2 + 1] = t[299] ^ t[a[ITEM] % 300];
}
PROGRAM(many_live_values, "u32*4 -> u32 ; grid=2", const u32 *a, u32 *o) {
  // More than the registers of a wave: spills, or AGPRs where there are any.
  u32 t[200];
#pragma unroll
  for (u32 i = 0; i < 200; ++i)
    t[i] = a[(ITEM * 4 + i * 13) & (GROUPS * ITEMS * 4 - 1)] * (i + 3);
  u32 s = 0;
#pragma unroll
  for (u32 i = 0; i < 200; ++i)
    s = s * 31 + (t[i] ^ t[199 - i]);
  o[ITEM] = s;
}

CONSTANT const u32 squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
CONSTANT const u8 letters[] = "the quick brown fox jumps over the lazy dog";
CONSTANT const f64 reals[4] = {0.1, -2.5, 1e300, 3.0};
GLOBAL u32 counters[4] = {1, 20, 300, 4000};
GLOBAL u16 shorts[8] = {9, 8, 7, 6, 5, 4, 3, 2};
PROGRAM(tables, "u32 -> u32*4 f64", const u32 *a, u32 *o, f64 *d) {
  u32 v = a[ITEM];
  o[ITEM * 4] = squares[v & 15], o[ITEM * 4 + 1] = letters[v % 43], o[ITEM * 4 + 2] = counters[v & 3];
  o[ITEM * 4 + 3] = shorts[v >> 3 & 7] + squares[3], d[ITEM] = reals[v & 3];
}
struct Link {
  const u32 *table;
  const Link *next;
  u32 n;
};
GLOBAL const u32 odd[3] = {1, 3, 5}, even[4] = {2, 4, 6, 8};
extern DEVICE const Link links[2];
DEVICE const Link links[2] = {{odd, &links[1], 3}, {even, &links[0], 4}};
PROGRAM(pointers_in_globals, "u32 -> u32*2", const u32 *a, u32 *o) {
  const Link *l = &links[a[ITEM] & 1];
  u32 s = 0;
  for (u32 i = 0; i < (a[ITEM] >> 1 & 3); ++i)
    s = s * 10 + l->table[i % l->n], l = l->next;
  o[ITEM * 2] = s, o[ITEM * 2 + 1] = l->n;
}
PROGRAM(local_tables, "u32 -> u32*2", const u32 *a, u32 *o) {
  const u32 t[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  const char *word = a[ITEM] & 1 ? "odd numbers" : "even numbers";
  o[ITEM * 2] = t[a[ITEM] >> 4 & 7], o[ITEM * 2 + 1] = u32(word[a[ITEM] >> 8 & 7]);
}

PROGRAM(scalar_arguments, "=u8 =i8 =u16 =i16 =u32 =i32 =u64 =i64 =f16.n =f32.n =f64.n -> i64*8 f64*3", u8 a, i8 b,
        u16 c, i16 d, u32 e, i32 f, u64 g, i64 h, f16 i, f32 j, f64 k, i64 *o, f64 *p) {
  o += ITEM * 8, p += ITEM * 3;
  o[0] = a + TID, o[1] = b - i32(TID), o[2] = c, o[3] = d, o[4] = e, o[5] = f, o[6] = i64(g), o[7] = h;
  p[0] = f64(i) + TID, p[1] = f64(j), p[2] = k;
}
struct Point {
  i16 x, y;
  u32 colour;
};
struct Shape {
  Point corner[2];
  u64 id;
  u8 name[5];
  u32 sides;
};
PROGRAM(structures_as_arguments, "=8 =40 =u16 -> u64*6", Point p, Shape s, u16 last, u64 *o) {
  o += ITEM * 6;
  o[0] = u64(i64(p.x) * p.y), o[1] = p.colour + TID, o[2] = s.id + s.name[TID % 5], o[3] = s.sides, o[4] = last;
  o[5] = s.corner[TID & 1].colour + u64(i64(s.corner[TID >> 1 & 1].x));
}
PROGRAM(many_arguments,
        "=u32 =u32 =u32 =u32 =u32 =u32 =u32 =u32 =u32 =u32 =u32 =u32 =u64 =u64 =u64 =u64 =u8 =u8 =u8 -> u64*2", u32 a,
        u32 b, u32 c, u32 d, u32 e, u32 f, u32 g, u32 h, u32 i, u32 j, u32 k, u32 l, u64 m, u64 n, u64 p, u64 q, u8 r,
        u8 s, u8 t, u64 *o) {
  o[ITEM * 2] = (a ^ b) + (c ^ d) + (e ^ f) + (g ^ h) + (i ^ j) + (k ^ l) + r;
  o[ITEM * 2 + 1] = (m ^ n) + (p ^ q) + s * t + TID;
}
PROGRAM(vectors_as_arguments, "=16 =8 =u32 -> u32*4 f32*2", u32x4 a, f32x2 b, u32 c, u32x4 *o, f32x2 *p) {
  o[ITEM] = a + u32x4(c), p[ITEM] = f32x2{f32(as<u64>(b) & 0xffff), f32(TID)};
}
PROGRAM(three_dimensions, "u32 -> u32*8 ; grid=2x3x2 block=8x4x2", const u32 *a, u32 *o) {
  u32 group = (GROUP_Z * 3 + GROUP_Y) * 2 + GROUP, item = (TID_Z * 4 + TID_Y) * 8 + TID, at = group * 64 + item;
  o += at * 8;
  o[0] = TID, o[1] = TID_Y, o[2] = TID_Z, o[3] = GROUP, o[4] = GROUP_Y, o[5] = GROUP_Z, o[6] = a[at], o[7] = ITEMS;
}
PROGRAM(odd_groups, "u32 -> u32 ; grid=5 block=37", const u32 *a, u32 *o) {
  if (ITEM < 5 * 37 - 3)
    o[ITEM] = a[ITEM] + TID;
}
