//===- tests/fuzz/programs/fuzz.h - what generated programs call ----------------------------------===//
#pragma once
#include "twin.h"
struct Mixed {
  u8 a;
  u16 b;
  u32 c;
  u64 d;
  i16 e[3];
  u8 f;
};
typedef u32 (*Chosen)(u32, u32);
template <class T> DEVICE inline T smaller(T a, T b) { return a < b ? a : b; }
template <class T> DEVICE inline T larger(T a, T b) { return a < b ? b : a; }
DEVICE inline f32 least(f32 a, f32 b) { return __builtin_fminf(a + 0.0f, b + 0.0f) + 0.0f; }
DEVICE inline f32 most(f32 a, f32 b) { return __builtin_fmaxf(a + 0.0f, b + 0.0f) + 0.0f; }
DEVICE inline f64 least(f64 a, f64 b) { return __builtin_fmin(a + 0.0, b + 0.0) + 0.0; }
DEVICE inline f64 most(f64 a, f64 b) { return __builtin_fmax(a + 0.0, b + 0.0) + 0.0; }
// LLVM 22 makes v_fma_mixlo_f16 with +0 as addend of f16(a * b), which loses the sign of a product that is zero.
DEVICE inline f16 narrow(f32 a) { return f16(a + 0.0f); }
DEVICE inline u32 rotated(u32 a, u32 n) { return a << (n & 31) | a >> (-n & 31); }
DEVICE inline u64 rotated(u64 a, u64 n) { return a << (n & 63) | a >> (-n & 63); }
// LLVM 22 at -O0 on gfx11 moves only the low half of each word into the v_perm_b32 of __builtin_bswap64.
DEVICE inline u64 swapped(u64 a) { return u64(__builtin_bswap32(u32(a))) << 32 | __builtin_bswap32(u32(a >> 32)); }
DEVICE inline u32 field(u32 a, u32 at, u32 n) { return a >> (at & 31) & ((1u << (n & 31)) - 1); }
DEVICE inline i32 field(i32 a, u32 at, u32 n) { return a << (at & 31) >> (n & 31); }
DEVICE inline u32 insert(u32 m, u32 a, u32 b) { return (m & a) | (~m & b); }
DEVICE inline u32 middle(u32 a, u32 b, u32 c) { return larger(smaller(a, b), smaller(larger(a, b), c)); }
DEVICE inline i32 middle(i32 a, i32 b, i32 c) { return larger(smaller(a, b), smaller(larger(a, b), c)); }
DEVICE inline u32 high(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
DEVICE inline i32 high(i32 a, i32 b) { return i32(i64(a) * b >> 32); }
DEVICE inline u64 high(u64 a, u64 b) { return u64(u128(a) * b >> 64); }
DEVICE inline i64 high(i64 a, i64 b) { return i64(i128(a) * b >> 64); }
DEVICE inline u64 funnel(u64 a, u64 b, u32 n) { return u64((u128(a) << 64 | b) >> (n & 127)); }
DEVICE inline u32 sum4(u32 a, u32 b) {
  u32 s = 0;
  for (u32 i = 0; i < 32; i += 8)
    s += (a >> i & 255) * (b >> i & 255);
  return s;
}
