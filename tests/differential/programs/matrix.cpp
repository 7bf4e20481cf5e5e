// Matrix instructions. Lane indices are written by hand from AMD's instruction set manuals (CDNA3 and CDNA4, section
// "matrix fused-multiply-add", layouts of A, B and D; RDNA3 and RDNA4, section "wave matrix multiply accumulate").
// A group is one wave and one product: A is M x K, B is K x N, by rows, for each of the instruction's blocks.
//
// The host adds up in f64. Integers are exact; for floats the fourth output holds the error allowed: each of the K + 1
// terms may lose two units of the last place of the greatest sum that the magnitudes can give.
#include "twin.h"

#ifdef __AMDGCN__
/// A vector that becomes whatever vector of its size an instruction's builtin asks for.
template <class T> struct Any {
  T v;
  template <class U> DEVICE operator U() const { return __builtin_bit_cast(U, v); }
};
template <class T> DEVICE Any<T> any(T v) { return {v}; }
#define MULTIPLY(...) [](auto a, auto b, auto c) __attribute__((device)) { return __VA_ARGS__; }
#else
#define MULTIPLY(...) 0
#endif
/// A builtin that only some chips have.
#if defined(__gfx942__) || defined(__gfx950__)
#define ON_GFX9(...) MULTIPLY(__VA_ARGS__)
#else
#define ON_GFX9(...) 0
#endif
#ifdef __gfx942__
#define ON_GFX942(...) MULTIPLY(__VA_ARGS__)
#else
#define ON_GFX942(...) 0
#endif
#ifdef __gfx950__
#define ON_GFX950(...) MULTIPLY(__VA_ARGS__)
#else
#define ON_GFX950(...) 0
#endif

DEVICE inline f64 number(f16 v) { return f64(v); }
DEVICE inline f64 number(bf16 v) { return f64(f32(v)); }
DEVICE inline f64 number(f32 v) { return f64(v); }
DEVICE inline f64 number(f64 v) { return v; }
DEVICE inline f64 number(i8 v) { return f64(v); }
DEVICE inline f64 number(u8 v) { return f64(v); }
/// An 8-bit float: E exponent bits; FNUZ has one bias more, one NaN and no infinity.
template <int E, bool Fnuz> struct Small {
  u8 bits;
  DEVICE f64 value() const {
    constexpr int m = 7 - E, bias = (1 << (E - 1)) - 1 + Fnuz;
    int e = bits >> m & ((1 << E) - 1), f = bits & ((1 << m) - 1);
    f64 v = e ? f64((1 << m) + f) : f64(f);
    for (int i = e ? e : 1; i < bias + m; ++i)
      v *= 0.5;
    for (int i = bias + m; i < e; ++i)
      v *= 2;
    return bits >> 7 ? -v : v;
  }
};
template <int E, bool F> DEVICE inline f64 number(Small<E, F> v) { return v.value(); }

#ifndef __AMDGCN__
/// One element by the definition.
template <int K, class T, class U, class Acc>
void element(const T *row, const U *column, u32 stride, Acc c, Acc &d, f32 *bound, u32 at) {
  f64 sum = f64(c), size = std::fabs(f64(c));
  for (u32 k = 0; k < K; ++k) {
    f64 p = number(row[k]) * number(column[k * stride]);
    sum += p, size += std::fabs(p);
  }
  d = Acc(sum);
  if (bound)
    bound[at] = f32(size * (K + 1) * 2 * (sizeof(Acc) == 8 ? 0x1p-52 : 0x1p-24));
}
#endif

/// v_mfma of gfx9: lane l holds row l % M of block (l / M) % B, and G consecutive k from G * (l / (M * B)).
template <int M, int N, int K, int B, class T, class Acc, class F>
DEVICE inline void mfma(const T *a, const T *b, const Acc *c, Acc *d, f32 *bound, F multiply) {
  constexpr u32 G = K * M * B / 64, E = M * N * B / 64;
  u32 l = TID;
  a += GROUP * M * K * B, b += GROUP * N * K * B, c += GROUP * M * N * B, d += GROUP * M * N * B;
  u32 place[E];
  for (u32 e = 0; e < E; ++e) {
    u32 m, n = l % N, block;
    if (sizeof(Acc) == 8 && M == 16)
      m = l / 16 + 4 * e, block = 0;
    else if (sizeof(Acc) == 8)
      m = l / 16, block = l / 4 % 4;
    else if (M == 32)
      m = e % 4 + 4 * (l / 32) + 8 * (e % 16 / 4), block = e / 16;
    else if (M == 16)
      m = 4 * (l / 16) + e % 4, block = e / 4;
    else
      m = e, block = l / 4;
    place[e] = (block * M + m) * N + n;
  }
#ifdef __AMDGCN__
  if constexpr (__is_same(F, int))
    return;
  else {
    struct alignas(G * sizeof(T)) Operand {
      T v[G];
    } x, y;
    u32 block = l / M % B, first = G * (l / (M * B));
    for (u32 e = 0; e < G; ++e) {
      x.v[e] = a[(block * M + l % M) * K + first + e];
      y.v[e] = b[(block * K + first + e) * N + l % N];
    }
    struct Accumulator {
      Acc v[E];
    } z;
    for (u32 e = 0; e < E; ++e)
      z.v[e] = c[place[e]];
    auto r = multiply(any(x), any(y), any(z));
    z = as<Accumulator>(r);
    for (u32 e = 0; e < E; ++e)
      d[place[e]] = z.v[e];
  }
#else
  if (bound)
    bound += GROUP * M * N * B;
  for (u32 e = 0; e < E; ++e) {
    u32 block = place[e] / (M * N), m = place[e] / N % M, n = place[e] % N;
    element<K>(a + (block * M + m) * K, b + block * K * N + n, N, c[place[e]], d[place[e]], bound, place[e]);
  }
#endif
}
typedef Small<4, true> Fp8Fnuz;
typedef Small<5, true> Bf8Fnuz;
typedef Small<4, false> Fp8;
typedef Small<5, false> Bf8;
PROGRAM(mfma_f16_16x16x16, "f16.u#512 f16.u#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx9",
        const f16 *a, const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 16, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_bf16_32x32x8, "bf16.u#512 bf16.u#512 f32.u#2048 -> f32#2048~given f32#2048 ; grid=2 w64 only=gfx9",
        const bf16 *a, const bf16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 8, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f16_16x16x16_of_integers, "f16.i#512 f16.i#512 f32.i#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx9",
        const f16 *a, const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 16, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_bf16_32x32x8_of_integers,
        "bf16.i#512 bf16.i#512 f32.i#2048 -> f32#2048~given f32#2048 ; grid=2 w64 only=gfx9", const bf16 *a,
        const bf16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 8, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f16_32x32x8, "f16.u#512 f16.u#512 f32.u#2048 -> f32#2048~given f32#2048 ; grid=2 w64 only=gfx9",
        const f16 *a, const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 8, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_bf16_16x16x16, "bf16.u#512 bf16.u#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx9",
        const bf16 *a, const bf16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 16, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f16_4x4x4_16_blocks, "f16.u#512 f16.u#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx9",
        const f16 *a, const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<4, 4, 4, 16>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_4x4x4f16(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f16_16x16x4_4_blocks, "f16.u#512 f16.u#512 f32.u#2048 -> f32#2048~given f32#2048 ; grid=2 w64 only=gfx9",
        const f16 *a, const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 4, 4>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_16x16x4f16(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_bf16_32x32x4_2_blocks,
        "bf16.u#512 bf16.u#512 f32.u#4096 -> f32#4096~given f32#4096 ; grid=2 w64 only=gfx9", const bf16 *a,
        const bf16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 4, 2>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_32x32x4bf16_1k(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f32_16x16x4, "f32.u#128 f32.u#128 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx9", const f32 *a,
        const f32 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 4, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f32_32x32x2, "f32.u#128 f32.u#128 f32.u#2048 -> f32#2048~given f32#2048 ; grid=2 w64 only=gfx9",
        const f32 *a, const f32 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 2, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_32x32x2f32(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f32_4x4x1_16_blocks, "f32.u#128 f32.u#128 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx9",
        const f32 *a, const f32 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<4, 4, 1, 16>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_4x4x1f32(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f32_32x32x1_2_blocks, "f32.u#128 f32.u#128 f32.u#4096 -> f32#4096~given f32#4096 ; grid=2 w64 only=gfx9",
        const f32 *a, const f32 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 1, 2>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f32_32x32x1f32(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f64_16x16x4, "f64.u#128 f64.u#128 f64.u#512 -> f64#512~given f32#512 ; grid=2 w64 only=gfx9", const f64 *a,
        const f64 *b, const f64 *c, f64 *d, f32 *bound) {
  mfma<16, 16, 4, 1>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f64_4x4x4_4_blocks, "f64.u#128 f64.u#128 f64.u#128 -> f64#128~given f32#128 ; grid=2 w64 only=gfx9",
        const f64 *a, const f64 *b, const f64 *c, f64 *d, f32 *bound) {
  mfma<4, 4, 4, 4>(a, b, c, d, bound, ON_GFX9(__builtin_amdgcn_mfma_f64_4x4x4f64(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_i8_16x16x32, "i8#1024 i8#1024 i32.s#512 -> i32#512 f32#512 ; grid=2 w64 only=gfx9", const i8 *a,
        const i8 *b, const i32 *c, i32 *d, f32 *bound) {
  mfma<16, 16, 32, 1>(a, b, c, d, nullptr, ON_GFX9(__builtin_amdgcn_mfma_i32_16x16x32_i8(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_i8_32x32x16, "i8#1024 i8#1024 i32.s#2048 -> i32#2048 f32#2048 ; grid=2 w64 only=gfx9", const i8 *a,
        const i8 *b, const i32 *c, i32 *d, f32 *bound) {
  mfma<32, 32, 16, 1>(a, b, c, d, nullptr, ON_GFX9(__builtin_amdgcn_mfma_i32_32x32x16_i8(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_i8_4x4x4_16_blocks, "i8#512 i8#512 i32.s#512 -> i32#512 f32#512 ; grid=2 w64 only=gfx9", const i8 *a,
        const i8 *b, const i32 *c, i32 *d, f32 *bound) {
  mfma<4, 4, 4, 16>(a, b, c, d, nullptr, ON_GFX9(__builtin_amdgcn_mfma_i32_4x4x4i8(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_xf32_16x16x8_of_integers,
        "f32.i#256 f32.i#256 f32.i#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx942", const f32 *a, const f32 *b,
        const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 8, 1>(a, b, c, d, bound, ON_GFX942(__builtin_amdgcn_mfma_f32_16x16x8_xf32(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_f16_16x16x32, "f16.u#1024 f16.u#1024 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx950",
        const f16 *a, const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 32, 1>(a, b, c, d, bound, ON_GFX950(__builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_bf16_32x32x16, "bf16.u#1024 bf16.u#1024 f32.u#2048 -> f32#2048~given f32#2048 ; grid=2 w64 only=gfx950",
        const bf16 *a, const bf16 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 16, 1>(a, b, c, d, bound, ON_GFX950(__builtin_amdgcn_mfma_f32_32x32x16_bf16(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_i8_16x16x64, "i8#2048 i8#2048 i32.s#512 -> i32#512 f32#512 ; grid=2 w64 only=gfx950", const i8 *a,
        const i8 *b, const i32 *c, i32 *d, f32 *bound) {
  mfma<16, 16, 64, 1>(a, b, c, d, nullptr, ON_GFX950(__builtin_amdgcn_mfma_i32_16x16x64_i8(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_fp8_16x16x32_gfx942, "u8.s#1024 u8.s#1024 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx942",
        const Fp8Fnuz *a, const Fp8Fnuz *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 32, 1>(a, b, c, d, bound, ON_GFX942(__builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_bf8_32x32x16_gfx942, "u8.s#1024 u8.s#1024 f32.u#2048 -> f32#2048~given f32#2048 ; grid=2 w64 only=gfx942",
        const Bf8Fnuz *a, const Bf8Fnuz *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 16, 1>(a, b, c, d, bound, ON_GFX942(__builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_fp8_16x16x32_gfx950, "u8.s#1024 u8.s#1024 f32.u#512 -> f32#512~given f32#512 ; grid=2 w64 only=gfx950",
        const Fp8 *a, const Fp8 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<16, 16, 32, 1>(a, b, c, d, bound, ON_GFX950(__builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a, b, c, 0, 0, 0)));
}
PROGRAM(mfma_bf8_32x32x16_gfx950, "u8.s#1024 u8.s#1024 f32.u#2048 -> f32#2048~given f32#2048 ; grid=2 w64 only=gfx950",
        const Bf8 *a, const Bf8 *b, const f32 *c, f32 *d, f32 *bound) {
  mfma<32, 32, 16, 1>(a, b, c, d, bound, ON_GFX950(__builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8(a, b, c, 0, 0, 0)));
}

/// v_smfmac: of every four k of A two are there, and an index register says which.
PROGRAM(smfmac_f16_16x16x32, "f16.u#512 f16.u#1024 f32.u#512 u32#128 -> f32#512~given f32#512 ; grid=2 w64 only=gfx9",
        const f16 *a, const f16 *b, const f32 *c, const u32 *choice, f32 *d, f32 *bound) {
  // Pairs of positions, first below second.
  const u8 pairs[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  u32 l = TID;
  a += GROUP * 256, b += GROUP * 512, c += GROUP * 256, d += GROUP * 256, choice += GROUP * 64;
#if defined(__gfx942__) || defined(__gfx950__)
  f16x4 x;
  vec<f16, 8> y;
  f32x4 z;
  for (u32 e = 0; e < 4; ++e)
    x[e] = a[l % 16 * 16 + 4 * (l / 16) + e], z[e] = c[(4 * (l / 16) + e) * 16 + l % 16];
  for (u32 e = 0; e < 8; ++e)
    y[e] = b[(8 * (l / 16) + e) * 16 + l % 16];
  u32 index = pairs[choice[l] % 6] | u32(pairs[choice[l] / 6 % 6]) << 4;
  z = as<f32x4>(__builtin_amdgcn_smfmac_f32_16x16x32_f16(any(x), any(y), any(z), index, 0, 0));
  for (u32 e = 0; e < 4; ++e)
    d[(4 * (l / 16) + e) * 16 + l % 16] = z[e];
#elif !defined(__AMDGCN__)
  for (u32 e = 0; e < 4; ++e) {
    u32 m = 4 * (l / 16) + e, n = l % 16;
    f64 sum = c[m * 16 + n], size = std::fabs(sum);
    for (u32 k = 0; k < 16; ++k) {
      u32 holder = m + 16 * (k / 4), pair = pairs[choice[holder] / (k % 4 / 2 ? 6 : 1) % 6];
      u32 at = k / 2 * 4 + (pair >> (2 * (k % 2)) & 3);
      f64 p = number(a[m * 16 + k]) * number(b[at * 16 + n]);
      sum += p, size += std::fabs(p);
    }
    d[m * 16 + n] = f32(sum), bound[GROUP * 256 + m * 16 + n] = f32(size * 17 * 0x1p-23);
  }
#endif
}

/// v_wmma, 16 x 16 x K. gfx11: lane l holds all of row l % 16, twice or four times over, and D's rows alternate between
/// the lane halves. gfx12: 16-bit elements come in fours by lane half, smaller ones in one run, and D's rows in eights.
template <int K, bool Gfx12, class T, class Acc, class F>
DEVICE inline void wmma(const T *a, const T *b, const Acc *c, Acc *d, f32 *bound, F multiply) {
  u32 l = TID, waves = WAVE / 16, E = 16 / waves;
  a += GROUP * 16 * K, b += GROUP * 16 * K, c += GROUP * 256, d += GROUP * 256;
  auto place = [&](u32 e) {
    u32 m;
    if (!Gfx12)
      m = waves * e + l / 16;
    else
      m = waves == 2 ? e + 8 * (l / 16) : e + 4 * (l / 32) + 8 * (l / 16 & 1);
    return m * 16 + l % 16;
  };
#ifdef __AMDGCN__
#if defined(__gfx942__) || defined(__gfx950__)
  constexpr u32 wave = 64;
#elif defined(WIDE)
  constexpr u32 wave = 64;
#else
  constexpr u32 wave = 32;
#endif
  constexpr u32 G = Gfx12 ? K * 16 / wave : K;
  if constexpr (__is_same(F, int))
    return;
  else {
    struct alignas(G * sizeof(T) < 4 ? 4 : G * sizeof(T)) Operand {
      T v[G];
    } x, y;
    for (u32 e = 0; e < G; ++e) {
      u32 k = e;
      if (Gfx12 && sizeof(T) == 2)
        k = e % 4 + 4 * (l / 16 & 1) + (wave == 32 ? 8 * (e / 4) : 8 * (l / 32));
      else if (Gfx12)
        k = wave == 32 ? e + G * (l / 16) : e + G * (l / 32) + 2 * G * (l / 16 & 1);
      x.v[e] = a[l % 16 * K + k], y.v[e] = b[k * 16 + l % 16];
    }
    struct Accumulator {
      Acc v[256 / wave];
    } z;
    for (u32 e = 0; e < 256 / wave; ++e)
      z.v[e] = c[place(e)];
    z = as<Accumulator>(multiply(any(x), any(y), any(z)));
    for (u32 e = 0; e < 256 / wave; ++e)
      d[place(e)] = z.v[e];
  }
#else
  if (bound)
    bound += GROUP * 256;
  for (u32 e = 0; e < E; ++e) {
    u32 at = place(e);
    element<K>(a + at / 16 * K, b + at % 16, 16, c[at], d[at], bound, at);
  }
#endif
}

#if defined(__gfx1100__) || defined(__gfx1151__)
#define ON_GFX11(...) MULTIPLY(__VA_ARGS__)
#else
#define ON_GFX11(...) 0
#endif
#if defined(__gfx1201__)
#define ON_GFX12(...) MULTIPLY(__VA_ARGS__)
#define BUILTIN_OF(NAME, WIDTH) __builtin_amdgcn_wmma_##NAME##_w##WIDTH##_gfx12
#else
#define ON_GFX12(...) 0
#define BUILTIN_OF(NAME, WIDTH) __builtin_amdgcn_wmma_##NAME##_w##WIDTH
#endif
#ifdef WIDE
#define BUILTIN(NAME) BUILTIN_OF(NAME, 64)
#else
#define BUILTIN(NAME) BUILTIN_OF(NAME, 32)
#endif
PROGRAM(wmma_f16_gfx11, "f16.u#512 f16.u#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 block=wave wave only=gfx11",
        const f16 *a, const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  wmma<16, false>(a, b, c, d, bound, ON_GFX11(BUILTIN(f32_16x16x16_f16)(a, b, c)));
}
PROGRAM(wmma_f16_of_integers_gfx11,
        "f16.i#512 f16.i#512 f32.i#512 -> f32#512~given f32#512 ; grid=2 block=wave wave only=gfx11", const f16 *a,
        const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  wmma<16, false>(a, b, c, d, bound, ON_GFX11(BUILTIN(f32_16x16x16_f16)(a, b, c)));
}
PROGRAM(wmma_bf16_gfx11, "bf16.u#512 bf16.u#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 block=wave wave only=gfx11",
        const bf16 *a, const bf16 *b, const f32 *c, f32 *d, f32 *bound) {
  wmma<16, false>(a, b, c, d, bound, ON_GFX11(BUILTIN(f32_16x16x16_bf16)(a, b, c)));
}
PROGRAM(wmma_i8_gfx11, "i8#512 i8#512 i32.s#512 -> i32#512 f32#512 ; grid=2 block=wave wave only=gfx11", const i8 *a,
        const i8 *b, const i32 *c, i32 *d, f32 *bound) {
  wmma<16, false>(a, b, c, d, nullptr, ON_GFX11(BUILTIN(i32_16x16x16_iu8)(true, a, true, b, c, false)));
}
PROGRAM(wmma_u8_gfx11, "u8#512 u8#512 i32.s#512 -> i32#512 f32#512 ; grid=2 block=wave wave only=gfx11", const u8 *a,
        const u8 *b, const i32 *c, i32 *d, f32 *bound) {
  wmma<16, false>(a, b, c, d, nullptr, ON_GFX11(BUILTIN(i32_16x16x16_iu8)(false, a, false, b, c, false)));
}
PROGRAM(wmma_f16_gfx12, "f16.u#512 f16.u#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 block=wave wave only=gfx12",
        const f16 *a, const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  wmma<16, true>(a, b, c, d, bound, ON_GFX12(BUILTIN(f32_16x16x16_f16)(a, b, c)));
}
PROGRAM(wmma_f16_of_integers_gfx12,
        "f16.i#512 f16.i#512 f32.i#512 -> f32#512~given f32#512 ; grid=2 block=wave wave only=gfx12", const f16 *a,
        const f16 *b, const f32 *c, f32 *d, f32 *bound) {
  wmma<16, true>(a, b, c, d, bound, ON_GFX12(BUILTIN(f32_16x16x16_f16)(a, b, c)));
}
PROGRAM(wmma_bf16_gfx12, "bf16.u#512 bf16.u#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 block=wave wave only=gfx12",
        const bf16 *a, const bf16 *b, const f32 *c, f32 *d, f32 *bound) {
  wmma<16, true>(a, b, c, d, bound, ON_GFX12(BUILTIN(f32_16x16x16_bf16)(a, b, c)));
}
PROGRAM(wmma_i8_gfx12, "i8#512 i8#512 i32.s#512 -> i32#512 f32#512 ; grid=2 block=wave wave only=gfx12", const i8 *a,
        const i8 *b, const i32 *c, i32 *d, f32 *bound) {
  wmma<16, true>(a, b, c, d, nullptr, ON_GFX12(BUILTIN(i32_16x16x16_iu8)(true, a, true, b, c, false)));
}
PROGRAM(wmma_u8_gfx12, "u8#512 u8#512 i32.s#512 -> i32#512 f32#512 ; grid=2 block=wave wave only=gfx12", const u8 *a,
        const u8 *b, const i32 *c, i32 *d, f32 *bound) {
  wmma<16, true>(a, b, c, d, nullptr, ON_GFX12(BUILTIN(i32_16x16x16_iu8)(false, a, false, b, c, false)));
}
PROGRAM(wmma_fp8_gfx12, "u8.s#512 u8.s#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 block=wave wave only=gfx12",
        const Fp8 *a, const Fp8 *b, const f32 *c, f32 *d, f32 *bound) {
  wmma<16, true>(a, b, c, d, bound, ON_GFX12(BUILTIN(f32_16x16x16_fp8_fp8)(a, b, c)));
}
PROGRAM(wmma_bf8_gfx12, "u8.s#512 u8.s#512 f32.u#512 -> f32#512~given f32#512 ; grid=2 block=wave wave only=gfx12",
        const Bf8 *a, const Bf8 *b, const f32 *c, f32 *d, f32 *bound) {
  wmma<16, true>(a, b, c, d, bound, ON_GFX12(BUILTIN(f32_16x16x16_bf8_bf8)(a, b, c)));
}
