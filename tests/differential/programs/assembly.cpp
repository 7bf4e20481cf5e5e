// Inline assembly: instructions that no compiler chooses, called by name.
#include "twin.h"

/// A value that stands in a scalar register also in code that is not optimised.
#define S(X) u32(__builtin_amdgcn_readfirstlane(X))

PROGRAM(vector_assembly, "u32 u32 -> u32*4", const u32 *a, const u32 *b, u32 *o) {
  u32 x = a[ITEM], y = b[ITEM];
  o += ITEM * 4;
#ifdef __AMDGCN__
  asm volatile("v_bfi_b32 %0, %1, %2, 12" : "=v"(o[0]) : "v"(x), "v"(y));
  asm volatile("v_xad_u32 %0, %1, %2, 5" : "=v"(o[1]) : "v"(x), "v"(y));
  asm volatile("v_mul_hi_i32 %0, %1, %2" : "=v"(o[2]) : "v"(x), "v"(y));
  asm volatile("v_min3_i32 %0, %1, %2, -7" : "=v"(o[3]) : "v"(x), "v"(y));
#else
  o[0] = (x & y) | (~x & 12), o[1] = (x ^ y) + 5, o[2] = u32(i64(i32(x)) * i32(y) >> 32);
  i32 least = i32(x) < i32(y) ? i32(x) : i32(y);
  o[3] = u32(least < -7 ? least : -7);
#endif
}
PROGRAM(scalar_assembly, "=u32 =u32 =u64 -> u32*7 u64*2", u32 x, u32 y, u64 z, u32 *o, u64 *w) {
  o += ITEM * 7, w += ITEM * 2;
#ifdef __AMDGCN__
  u32 r, c;
  u64 q;
  asm volatile("s_absdiff_i32 %0, %2, %3\n s_cselect_b32 %1, 1, 0"
               : "=&s"(r), "=s"(c)
               : "s"(S(x & 0xffff)), "s"(S(y & 0xffff))
               : "scc");
  o[0] = r;
  asm volatile("s_bfm_b32 %0, %1, %2" : "=s"(r) : "s"(S(x & 15)), "s"(S(y & 15)));
  o[1] = r;
  asm volatile("s_pack_lh_b32_b16 %0, %1, %2" : "=s"(r) : "s"(S(x)), "s"(S(y)));
  o[2] = r;
  asm volatile("s_mov_b32 %0, %2\n s_bitset1_b32 %0, %1" : "=&s"(r) : "s"(S(x & 31)), "s"(S(r)));
  o[3] = r;
  asm volatile("s_bcnt0_i32_b32 %0, %1" : "=s"(r) : "s"(S(y)) : "scc");
  o[4] = r;
  asm volatile("s_add_u32 %0, %2, %3\n s_addc_u32 %1, 0, 0" : "=&s"(r), "=s"(c) : "s"(S(x)), "s"(S(y)) : "scc");
  o[5] = r, o[6] = c;
  asm volatile("s_lshl_b64 %0, %1, %2" : "=s"(q) : "s"(u64(S(u32(z >> 32))) << 32 | S(u32(z))), "s"(S(x & 63)) : "scc");
  w[0] = q;
  asm volatile("s_brev_b64 %0, %1" : "=s"(q) : "s"(u64(S(u32(z >> 32))) << 32 | S(u32(z))));
  w[1] = q;
#else
  i32 d = i32(x & 0xffff) - i32(y & 0xffff);
  o[0] = u32(d < 0 ? -d : d), o[1] = ((1u << (x & 15)) - 1) << (y & 15), o[2] = (x & 0xffff) | (y & 0xffff0000);
  o[3] = o[2] | 1u << (x & 31), o[4] = 32 - u32(__builtin_popcount(y)), o[5] = x + y, o[6] = u64(x) + y >> 32;
  w[0] = z << (x & 63), w[1] = __builtin_bitreverse64(z);
#endif
}
PROGRAM(exec_by_hand, "u32 -> u32 ; wave w32", const u32 *a, u32 *o) {
  u32 v = a[ITEM];
#if defined(__AMDGCN__) && !defined(__GFX9__)
  u32 saved;
  asm volatile("s_mov_b32 %1, exec_lo\n s_mov_b32 exec_lo, 0x00ff0f0f\n v_add_nc_u32 %0, %0, 9\n s_mov_b32 exec_lo, %1"
               : "+v"(v), "=&s"(saved));
#elif !defined(__AMDGCN__)
  if (0x00ff0f0f >> lane() & 1)
    v += 9;
#endif
  o[ITEM] = v;
}
PROGRAM(exec_by_hand_of_64, "u32 -> u32 ; wave w64 only=gfx9", const u32 *a, u32 *o) {
  u32 v = a[ITEM];
#if defined(__AMDGCN__) && defined(__GFX9__)
  u64 saved;
  asm volatile("s_mov_b64 %1, exec\n s_mov_b32 exec_lo, 0x00ff0f0f\n v_add_u32 %0, %0, 9\n s_mov_b64 exec, %1"
               : "+v"(v), "=&s"(saved));
#elif !defined(__AMDGCN__)
  if (lane() >= 32 || 0x00ff0f0f >> lane() & 1)
    v += 9;
#endif
  o[ITEM] = v;
}
PROGRAM(rounding_modes, "f32.n f32.n -> f32*4", const f32 *a, const f32 *b, f32 *o) {
  f32 x = a[ITEM], y = b[ITEM];
  o += ITEM * 4;
#ifdef __AMDGCN__
  f32 up, down, zero;
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n s_nop 1\n v_mul_f32 %0, %3, %4\n"
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2\n s_nop 1\n v_mul_f32 %1, %3, %4\n"
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\n s_nop 1\n v_mul_f32 %2, %3, %4\n"
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n s_nop 1"
               : "=&v"(up), "=&v"(down), "=&v"(zero)
               : "v"(x), "v"(y));
  o[0] = up, o[1] = down, o[2] = zero, o[3] = x * y;
#else
  f64 p = f64(x) * y;
  f32 n = f32(p), above = f64(n) < p ? std::nextafterf(n, INFINITY) : n,
      below = f64(n) > p ? std::nextafterf(n, -INFINITY) : n;
  o[0] = above, o[1] = below, o[2] = p > 0 ? below : above, o[3] = n;
#endif
}
PROGRAM(flushed_denormals, "f32 -> u32*2", const f32 *a, u32 *o) {
  f32 x = a[ITEM];
#ifdef __AMDGCN__
  f32 flushed, kept;
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n s_nop 1\n v_add_f32 %0, %2, %2\n"
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n s_nop 1\n v_add_f32 %1, %2, %2"
               : "=&v"(flushed), "=&v"(kept)
               : "v"(x));
  o[ITEM * 2] = bits(flushed), o[ITEM * 2 + 1] = bits(kept);
#else
  bool tiny = __builtin_fabsf(x) < 0x1p-126f;
  o[ITEM * 2] = bits(tiny ? __builtin_copysignf(0.0f, x) : x + x), o[ITEM * 2 + 1] = bits(x + x);
#endif
}
