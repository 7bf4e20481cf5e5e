// Buffer instructions through descriptors: every width, offsets, what lies outside.
#include "twin.h"

#ifdef __AMDGCN__
typedef __amdgpu_buffer_rsrc_t Buffer;
#if defined(__gfx942__) || defined(__gfx950__)
#define WORD3 0x00027000 // raw: DATA_FORMAT 32, as clang users of gfx9 write it
#elif defined(__gfx1201__)
#define WORD3 0x31027000 // raw: out-of-bounds check by bytes, format 32
#else
#define WORD3 0x31027000
#endif
DEVICE inline Buffer buffer(const void *p, u32 bytes) {
  return __builtin_amdgcn_make_buffer_rsrc((void *)p, 0, bytes, WORD3);
}
template <class T> DEVICE inline T load(Buffer b, u32 at, u32 scalar = 0) {
  if constexpr (sizeof(T) == 1)
    return as<T>(__builtin_amdgcn_raw_buffer_load_b8(b, at, scalar, 0));
  else if constexpr (sizeof(T) == 2)
    return as<T>(__builtin_amdgcn_raw_buffer_load_b16(b, at, scalar, 0));
  else if constexpr (sizeof(T) == 4)
    return as<T>(__builtin_amdgcn_raw_buffer_load_b32(b, at, scalar, 0));
  else if constexpr (sizeof(T) == 8)
    return as<T>(__builtin_amdgcn_raw_buffer_load_b64(b, at, scalar, 0));
  else
    return as<T>(__builtin_amdgcn_raw_buffer_load_b128(b, at, scalar, 0));
}
DEVICE inline void store(Buffer b, u8 v, u32 at) { __builtin_amdgcn_raw_buffer_store_b8(v, b, at, 0, 0); }
DEVICE inline void store(Buffer b, u16 v, u32 at) { __builtin_amdgcn_raw_buffer_store_b16(v, b, at, 0, 0); }
DEVICE inline void store(Buffer b, u32 v, u32 at) { __builtin_amdgcn_raw_buffer_store_b32(v, b, at, 0, 0); }
DEVICE inline void store(Buffer b, u32x2 v, u32 at) { __builtin_amdgcn_raw_buffer_store_b64(v, b, at, 0, 0); }
DEVICE inline void store(Buffer b, u32x3 v, u32 at) { __builtin_amdgcn_raw_buffer_store_b96(v, b, at, 0, 0); }
DEVICE inline void store(Buffer b, u32x4 v, u32 at) { __builtin_amdgcn_raw_buffer_store_b128(v, b, at, 0, 0); }
#else
struct Buffer {
  char *p;
  u32 bytes;
};
inline Buffer buffer(const void *p, u32 bytes) { return {(char *)p, bytes}; }
/// Whether a raw buffer checks every dword of an access by itself (gfx9) or the access as one (gfx11, gfx12).
inline bool byDwords = true;
template <class T> T load(Buffer b, u32 at, u32 scalar = 0) {
  T v = {};
  u32 piece = sizeof(T) < 4 || !byDwords ? sizeof(T) : 4;
  for (u32 i = 0; i < sizeof(T); i += piece)
    if (u64(at) + i + piece <= b.bytes)
      std::memcpy((char *)&v + i, b.p + at + scalar + i, piece);
  return v;
}
template <class T> void store(Buffer b, T v, u32 at) {
  u32 piece = sizeof(T) < 4 || !byDwords ? sizeof(T) : 4;
  for (u32 i = 0; i < sizeof(T); i += piece)
    if (u64(at) + i + piece <= b.bytes)
      std::memcpy(b.p + at + i, (char *)&v + i, piece);
}
inline void store(Buffer b, u32x3 v, u32 at) {
  for (u32 i = 0; i < 3; ++i)
    store(b, u32(v[i]), at + 4 * i);
}
#endif

PROGRAM(buffer_loads, "u32*4 -> u32*14", const u32 *a, u32 *o) {
  Buffer b = buffer(a, GROUPS * ITEMS * 16);
  u32 at = ITEM * 16;
  o += ITEM * 14;
  o[0] = load<u8>(b, at + 1), o[1] = u32(i32(load<i8>(b, at + 3))), o[2] = load<u16>(b, at + 6),
  o[3] = u32(i32(load<i16>(b, at + 8)));
  o[4] = load<u32>(b, at + 4);
  u32x2 p = load<u32x2>(b, at + 8);
  u32x4 q = load<u32x4>(b, at);
  o[5] = p.x, o[6] = p.y, o[7] = q.x, o[8] = q.y, o[9] = q.z, o[10] = q.w, o[11] = load<u32>(b, TID * 4, 64);
  o[12] = load<u32>(b, 32), o[13] = load<u32>(b, at + 12);
}
PROGRAM(buffer_stores, "u32*4 -> u32*16", const u32x4 *a, u32 *o) {
  Buffer b = buffer(o, GROUPS * ITEMS * 64);
  u32x4 v = a[ITEM];
  u32 at = ITEM * 64;
  store(b, u8(v.x), at + 1), store(b, u16(v.y), at + 2), store(b, v.z, at + 4), store(b, v.xy, at + 8);
  store(b, u32x3(v.xyz), at + 16), store(b, v.wzyx, at + 32), store(b, u8(v.w), at + 48), store(b, u16(v.x), at + 54);
}
DEVICE inline void across(bool dwords, const u32 *a, u32 *o, u32 *w) {
  // The end cuts through what the lanes read and write: loads give zero, stores do nothing.
#ifndef __AMDGCN__
  byDwords = dwords;
#endif
  u32 items = GROUPS * ITEMS, bytes = items * 8 + 4;
  Buffer b = buffer(a, bytes), c = buffer(w, bytes);
  u32 at = ITEM * 16;
  u32x2 p = load<u32x2>(b, at);
  u32x4 q = load<u32x4>(b, at);
  o += ITEM * 6;
  o[0] = load<u32>(b, at), o[1] = p.x, o[2] = p.y, o[3] = q.x, o[4] = q.w, o[5] = load<u32>(b, ~0u - ITEM * 4 - 3);
  store(c, q + u32x4(1), at);
  store(c, 5u, at | 0x80000000u);
}
PROGRAM(outside_by_dwords, "u32*4 -> u32*6 u32*4 ; only=gfx9", const u32 *a, u32 *o, u32 *w) { across(true, a, o, w); }
PROGRAM(outside_as_a_whole, "u32*4 -> u32*6 u32*4 ; only=gfx11,gfx12", const u32 *a, u32 *o, u32 *w) {
  across(false, a, o, w);
}
PROGRAM(bytes_outside_of_buffers, "u8*4 -> u32*2 u8*4", const u8 *a, u32 *o, u8 *w) {
  u32 bytes = GROUPS * ITEMS * 2 + 1;
  Buffer b = buffer(a, bytes), c = buffer(w, bytes);
  o[ITEM * 2] = load<u8>(b, ITEM * 4 + 1), o[ITEM * 2 + 1] = load<u16>(b, ITEM * 4);
  store(c, u8(ITEM + 1), ITEM * 4 + 1);
}
PROGRAM(buffer_in_a_loop, "u32*8 u32.s -> u32", const u32 *a, const u32 *n, u32 *o) {
  Buffer b = buffer(a, GROUPS * ITEMS * 32);
  u32 s = 0;
  for (u32 i = 0; i < (n[ITEM] & 7); ++i)
    s = s * 3 + load<u32>(b, ITEM * 32 + i * 4);
  o[ITEM] = s;
}
