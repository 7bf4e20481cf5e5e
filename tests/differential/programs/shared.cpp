// LDS: patterns, widths, strides, atomics.
#include "twin.h"

PROGRAM(reverse, "u32 -> u32 ; block=256 grid=4 meets", const u32 *a, u32 *o) {
  SHARED u32 t[256];
  t[TID] = a[ITEM];
  barrier();
  o[ITEM] = t[255 - TID];
}
PROGRAM(two_at_once, "u32 u32 -> u32*4 ; block=128 meets", const u32 *a, const u32 *b, u32 *o) {
  SHARED u32 t[512];
  t[TID * 2] = a[ITEM], t[TID * 2 + 1] = b[ITEM];
  t[256 + TID] = a[ITEM] + 1, t[384 + TID] = b[ITEM] + 2;
  barrier();
  u32 at = (TID * 5 + 3) & 127;
  o[ITEM * 4] = t[at] - t[at + 1], o[ITEM * 4 + 1] = t[at + 64] ^ t[at + 128];
  o[ITEM * 4 + 2] = t[256 + at] + t[384 + at], o[ITEM * 4 + 3] = t[2 * at & 255] * t[(2 * at + 17) & 255];
}
PROGRAM(two_wide_at_once, "u64 u64 -> u64*2 ; block=64 meets", const u64 *a, const u64 *b, u64 *o) {
  SHARED u64 t[256];
  t[TID] = a[ITEM], t[TID + 64] = b[ITEM], t[TID + 192] = a[ITEM] ^ 5, t[TID + 128] = b[ITEM] + 9;
  barrier();
  u32 at = (TID * 11 + 1) & 63;
  o[ITEM * 2] = t[at] + t[at + 64], o[ITEM * 2 + 1] = t[at + 128] ^ t[at + 192];
}
template <class T> DEVICE inline void rotate(const T *a, T *o) {
  SHARED T t[64];
  t[(TID * 7) & 63] = a[ITEM];
  barrier();
  o[ITEM] = t[(TID + 13) & 63];
}
PROGRAM(rotate_u8, "u8 -> u8 ; meets", const u8 *a, u8 *o) { rotate(a, o); }
PROGRAM(rotate_i16, "i16 -> i16 ; meets", const i16 *a, i16 *o) { rotate(a, o); }
PROGRAM(rotate_f16, "f16 -> f16 ; meets", const f16 *a, f16 *o) { rotate(a, o); }
PROGRAM(rotate_u64, "u64 -> u64 ; meets", const u64 *a, u64 *o) { rotate(a, o); }
PROGRAM(rotate_x3, "u32*3 -> u32*3 ; meets", const u32 *a, u32 *o) {
  SHARED u32x3 t[64];
  t[TID ^ 21] = u32x3{a[ITEM * 3], a[ITEM * 3 + 1], a[ITEM * 3 + 2]};
  barrier();
  u32x3 v = t[TID];
  o[ITEM * 3] = v.x, o[ITEM * 3 + 1] = v.y, o[ITEM * 3 + 2] = v.z;
}
PROGRAM(rotate_x4, "u32*4 -> u32*4 ; meets", const u32x4 *a, u32x4 *o) {
  SHARED u32x4 t[64];
  t[TID ^ 42] = a[ITEM];
  barrier();
  o[ITEM] = t[TID];
}
PROGRAM(signed_bytes_and_halves, "i8*4 i16*4 -> i32*8 ; meets", const i8 *a, const i16 *b, i32 *o) {
  SHARED i8 t[256];
  SHARED i16 h[256];
  for (u32 i = 0; i < 4; ++i)
    t[TID * 4 + i] = a[ITEM * 4 + i], h[TID + 64 * i] = b[ITEM * 4 + i];
  barrier();
  for (u32 i = 0; i < 4; ++i)
    o[ITEM * 8 + i] = t[(TID * 4 + i * 37 + 5) & 255], o[ITEM * 8 + 4 + i] = h[(TID * 3 + i * 50) & 255];
}
struct Record {
  u8 a;
  u16 b;
  u32 c;
  u64 d;
};
PROGRAM(structures, "u64 -> u64*4 ; meets", const u64 *in, u64 *o) {
  SHARED Record t[64];
  u64 v = in[ITEM];
  t[TID] = Record{u8(v), u16(v >> 8), u32(v >> 20), v * 3};
  barrier();
  Record r = t[63 - TID];
  o[ITEM * 4] = r.a, o[ITEM * 4 + 1] = r.b, o[ITEM * 4 + 2] = r.c, o[ITEM * 4 + 3] = r.d;
}
PROGRAM(transpose, "f32*16 -> f32*16 ; block=256 grid=2 meets", const f32 *a, f32 *o) {
  SHARED f32 t[16][257];
  for (u32 r = 0; r < 16; ++r)
    t[r][TID] = a[GROUP * 4096 + r * 256 + TID];
  barrier();
  for (u32 r = 0; r < 16; ++r)
    o[GROUP * 4096 + TID * 16 + r] = t[r][TID];
}
PROGRAM(sum_by_halves, "u32 -> u32#8 u64#8 ; block=256 grid=8 meets", const u32 *a, u32 *o, u64 *w) {
  SHARED u32 t[256];
  SHARED u64 u[256];
  t[TID] = a[ITEM], u[TID] = a[ITEM];
  for (u32 step = 128; step; step >>= 1) {
    barrier();
    if (TID < step)
      t[TID] += t[TID + step], u[TID] += u[TID + step];
  }
  if (!TID)
    o[GROUP] = t[0], w[GROUP] = u[0];
}
PROGRAM(scan, "u32 -> u32 ; block=128 meets", const u32 *a, u32 *o) {
  SHARED u32 t[2][128];
  u32 side = 0;
  t[0][TID] = a[ITEM];
  barrier();
  for (u32 step = 1; step < 128; step *= 2) {
    u32 v = t[side][TID] + (TID >= step ? t[side][TID - step] : 0);
    t[side ^ 1][TID] = v;
    side ^= 1;
    barrier();
  }
  o[ITEM] = t[side][TID];
}
PROGRAM(bitonic_sort, "u32 -> u32 ; block=64 grid=4 meets", const u32 *a, u32 *o) {
  SHARED u32 t[64];
  t[TID] = a[ITEM];
  for (u32 k = 2; k <= 64; k *= 2)
    for (u32 j = k / 2; j; j /= 2) {
      barrier();
      u32 mate = TID ^ j, mine = t[TID], other = t[mate];
      barrier();
      bool up = !(TID & k), low = TID < mate;
      t[TID] = (mine > other) == (up == low) ? other : mine;
    }
  o[ITEM] = t[TID];
}
PROGRAM(histogram, "u8*8 -> u32#512 ; block=64 grid=2 meets", const u8 *a, u32 *o) {
  SHARED u32 t[256];
  for (u32 i = TID; i < 256; i += 64)
    t[i] = 0;
  barrier();
  for (u32 i = 0; i < 8; ++i)
    ATOMIC_LDS(add, &t[a[ITEM * 8 + i]], 1u);
  barrier();
  for (u32 i = TID; i < 256; i += 64)
    o[GROUP * 256 + i] = t[i];
}
PROGRAM(atomics_of_32, "u32 i32 -> u32*4 i32*2 ; meets", const u32 *a, const i32 *b, u32 *o, i32 *s) {
  SHARED u32 add[8], both[8], either[8], one[8];
  SHARED i32 least[8], most[8];
  if (TID < 8)
    add[TID] = 7, both[TID] = ~0u, either[TID] = 0, one[TID] = 3, least[TID] = 1 << 20, most[TID] = -5;
  barrier();
  u32 v = a[ITEM], at = v & 7;
  ATOMIC_LDS(add, &add[at], v);
  ATOMIC_LDS(and, &both[at], v | 0xff);
  ATOMIC_LDS(or, &either[at], v & 0xffff);
  ATOMIC_LDS(xor, &one[at], v);
  ATOMIC_LDS(min, &least[at], b[ITEM]);
  ATOMIC_LDS(max, &most[at], b[ITEM]);
  barrier();
  at = TID & 7;
  o[ITEM * 4] = add[at], o[ITEM * 4 + 1] = both[at], o[ITEM * 4 + 2] = either[at], o[ITEM * 4 + 3] = one[at];
  s[ITEM * 2] = least[at], s[ITEM * 2 + 1] = most[at];
}
PROGRAM(atomics_of_64, "u64 i64 -> u64*4 ; meets", const u64 *a, const i64 *b, u64 *o) {
  SHARED u64 add[8], one[8], most[8];
  SHARED i64 least[8];
  if (TID < 8)
    add[TID] = 7, one[TID] = 3, least[TID] = 1l << 40, most[TID] = 5;
  barrier();
  u64 v = a[ITEM];
  u32 at = u32(v) & 7;
  ATOMIC_LDS(add, &add[at], v);
  ATOMIC_LDS(xor, &one[at], v);
  ATOMIC_LDS(max, &most[at], v);
  ATOMIC_LDS(min, &least[at], b[ITEM]);
  barrier();
  at = TID & 7;
  o[ITEM * 4] = add[at], o[ITEM * 4 + 1] = one[at], o[ITEM * 4 + 2] = u64(least[at]), o[ITEM * 4 + 3] = most[at];
}
PROGRAM(atomics_that_return, "u32 u64 -> u32*3 u64*3 ; meets", const u32 *a, const u64 *b, u32 *o, u64 *w) {
  // Each item has a word of its own, so what it gets back is known.
  SHARED u32 t[64];
  SHARED u64 u[64];
  t[TID] = a[ITEM], u[TID] = b[ITEM];
  barrier();
  u32 at = TID ^ 9;
  o[ITEM * 3] = ATOMIC_LDS(add, &t[at], a[ITEM]), o[ITEM * 3 + 1] = ATOMIC_LDS(max, &t[at], 77u);
  w[ITEM * 3] = ATOMIC_LDS(xor, &u[at], b[ITEM]), w[ITEM * 3 + 1] = ATOMIC_LDS(and, &u[at], ~15ul);
  u32 expected = t[at];
  atomicReplace(&t[at], expected, a[ITEM] & 1 ? 5u : 6u);
  expected = 123;
  atomicReplace(&t[at], expected, 9u);
  o[ITEM * 3 + 2] = expected + ATOMIC_SWAP(&t[at], 4u);
  w[ITEM * 3 + 2] = ATOMIC_SWAP(&u[at], 8ul) + u[at];
}
PROGRAM(float_sums_that_are_exact, "u32 -> f32#8 f32#64 f64#64 ; meets grid=1", const u32 *a, f32 *o, f32 *r, f64 *d) {
  SHARED f32 t[8];
  SHARED f64 u[8];
  if (TID < 8)
    t[TID] = 0, u[TID] = 0;
  barrier();
  ATOMIC_LDS(add, &t[a[ITEM] & 7], f32(a[ITEM] & 1023));
  ATOMIC_LDS(add, &u[a[ITEM] & 7], f64(a[ITEM] & 0xffffff));
  barrier();
  if (TID < 8)
    o[TID] = t[TID];
  r[TID] = t[TID & 7] * 0.5f, d[TID] = u[TID & 7];
}
PROGRAM(dynamic, "u32 -> u32 ; block=128 lds=1024 meets", const u32 *a, u32 *o) {
  DYNAMIC_SHARED(u32, t);
  t[TID] = a[ITEM], t[TID + 128] = a[ITEM] * 3;
  barrier();
  o[ITEM] = t[(TID * 3) & 255];
}
NOINLINE DEVICE u32 summed(const u32 *t, u32 n) {
  u32 s = 0;
  for (u32 i = 0; i < n; ++i)
    s = s * 3 + t[i];
  return s;
}
PROGRAM(generic_pointers, "u32 -> u32*3 ; meets", const u32 *a, u32 *o) {
  // One function reads LDS, private and global memory.
  SHARED u32 t[64];
  u32 mine[8];
  t[TID] = a[ITEM];
  for (u32 i = 0; i < 8; ++i)
    mine[i] = a[ITEM] >> i;
  barrier();
  const u32 *any = TID & 1 ? t + (TID & 32) : TID & 2 ? mine : a + (ITEM & ~7u);
  o[ITEM * 3] = summed(any, 8), o[ITEM * 3 + 1] = summed(t, 5), o[ITEM * 3 + 2] = summed(mine, 8);
}
PROGRAM(volatile_memory, "u32 -> u32*2 ; meets", const u32 *a, u32 *o) {
  SHARED volatile u32 t[64];
  volatile u32 *out = o;
  t[TID] = a[ITEM];
  t[TID] = t[TID] + 1;
  barrier();
  out[ITEM * 2] = t[TID ^ 1] + t[TID ^ 1];
  out[ITEM * 2 + 1] = out[ITEM * 2] ^ t[TID];
}
PROGRAM(split_barriers, "u32 -> u32 ; block=128 meets only=gfx12", const u32 *a, u32 *o) {
  SHARED u32 t[128];
  t[TID] = a[ITEM];
#if !defined(__AMDGCN__)
  barrier();
#elif defined(__gfx1201__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier_signal(-1);
  u32 own = a[ITEM] * 3;
  __builtin_amdgcn_s_barrier_wait(-1);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  o[ITEM] = own + t[127 - TID];
  return;
#endif
  o[ITEM] = a[ITEM] * 3 + t[127 - TID];
}
