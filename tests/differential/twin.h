//===- tests/differential/twin.h - one source for a device and for the host -----------------------===//
//
// A program of these tests is compiled twice: by clang as HIP for a chip, and as plain C++ for the host, where
// twin_host.h runs its work-items one after the other. What both compile is ordinary C++ over the names below.
//
//   PROGRAM(add, "u32 u32 -> u32", const u32 *a, const u32 *b, u32 *o) { o[ITEM] = a[ITEM] + b[ITEM]; }
//
// The string says what the arguments are; tests/twin.py reads it.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned u32;
typedef int i32;
typedef unsigned long u64;
typedef long i64;
typedef unsigned __int128 u128;
typedef __int128 i128;
typedef _Float16 f16;
typedef float f32;
typedef double f64;
typedef __bf16 bf16;

template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));
typedef vec<u8, 4> u8x4;
typedef vec<i8, 4> i8x4;
typedef vec<u16, 2> u16x2;
typedef vec<i16, 2> i16x2;
typedef vec<u16, 4> u16x4;
typedef vec<u32, 2> u32x2;
typedef vec<u32, 3> u32x3;
typedef vec<u32, 4> u32x4;
typedef vec<i32, 4> i32x4;
typedef vec<u64, 2> u64x2;
typedef vec<f16, 2> f16x2;
typedef vec<f16, 4> f16x4;
typedef vec<f32, 2> f32x2;
typedef vec<f32, 4> f32x4;
typedef vec<f64, 2> f64x2;

#define NOINLINE __attribute__((noinline))
#define ITEM (GROUP * ITEMS + TID)

#ifdef __AMDGCN__

#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
#define GLOBAL __attribute__((device))
#define DYNAMIC_SHARED(TYPE, NAME) extern __attribute__((shared)) TYPE NAME[]
#define PROGRAM(NAME, SPEC, ...) extern "C" __attribute__((global)) void NAME(__VA_ARGS__)
#define TID ((u32)__builtin_amdgcn_workitem_id_x())
#define TID_Y ((u32)__builtin_amdgcn_workitem_id_y())
#define TID_Z ((u32)__builtin_amdgcn_workitem_id_z())
#define GROUP ((u32)__builtin_amdgcn_workgroup_id_x())
#define GROUP_Y ((u32)__builtin_amdgcn_workgroup_id_y())
#define GROUP_Z ((u32)__builtin_amdgcn_workgroup_id_z())
#define ITEMS ((u32)__builtin_amdgcn_workgroup_size_x())
#define GROUPS ((u32)(__builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x()))
#define WAVE ((u32)__builtin_amdgcn_wavefrontsize())

DEVICE inline u32 lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
DEVICE inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Every lane of the wave must be there.
DEVICE inline u32 readLane(u32 v, u32 from) { return __builtin_amdgcn_readlane(v, from); }
DEVICE inline u32 readFirst(u32 v) { return __builtin_amdgcn_readfirstlane(v); }
/// The value of lane `from`, which may differ from lane to lane.
DEVICE inline u32 shuffle(u32 v, u32 from) { return __builtin_amdgcn_ds_bpermute(from * 4, v); }
DEVICE inline u32 push(u32 v, u32 to) { return __builtin_amdgcn_ds_permute(to * 4, v); }
DEVICE inline u64 ballot(bool b) { return __builtin_amdgcn_ballot_w64(b); }

#define ATOMIC(OP, P, V) __hip_atomic_fetch_##OP(P, V, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define ATOMIC_LDS(OP, P, V) __hip_atomic_fetch_##OP(P, V, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)
#define ATOMIC_SWAP(P, V) __hip_atomic_exchange(P, V, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
template <class T> DEVICE inline bool atomicReplace(T *p, T &expected, T desired) {
  return __hip_atomic_compare_exchange_strong(p, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                              __HIP_MEMORY_SCOPE_AGENT);
}

DEVICE inline f16 fused(f16 a, f16 b, f16 c) { return __builtin_fmaf16(a, b, c); }
DEVICE inline f32 fused(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
DEVICE inline f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
DEVICE inline f16 root(f16 a) { return __builtin_sqrtf16(a); }
DEVICE inline f32 root(f32 a) { return __builtin_sqrtf(a); }
DEVICE inline f64 root(f64 a) { return __builtin_sqrt(a); }

#else
#include "twin_host.h"
#endif

template <class To, class From> DEVICE inline To as(From v) { return __builtin_bit_cast(To, v); }

/// The bits of a number, with one pattern for every NaN: which NaN an operation gives is the processor's affair.
DEVICE inline u16 bits(f16 v) { return v != v ? u16(0x7e00) : as<u16>(v); }
DEVICE inline u16 bits(bf16 v) { return v != v ? u16(0x7fc0) : as<u16>(v); }
DEVICE inline u32 bits(f32 v) { return v != v ? 0x7fc00000u : as<u32>(v); }
DEVICE inline u64 bits(f64 v) { return v != v ? 0x7ff8000000000000ul : as<u64>(v); }

template <class T> struct Limits {
  static constexpr unsigned bits = sizeof(T) * 8;
  static constexpr bool isSigned = T(-1) < T(0);
};

/// Division that is defined for every operand.
template <class T> DEVICE inline T quotient(T a, T b) {
  if (b == 0)
    return a;
  if (Limits<T>::isSigned && b == T(-1))
    return T(-a);
  return T(a / b);
}
template <class T> DEVICE inline T remainder(T a, T b) {
  if (b == 0 || (Limits<T>::isSigned && b == T(-1)))
    return T(0);
  return T(a % b);
}
template <class T> DEVICE inline T shiftLeft(T a, u32 n) { return T(a << (n & (Limits<T>::bits - 1))); }
template <class T> DEVICE inline T shiftRight(T a, u32 n) { return T(a >> (n & (Limits<T>::bits - 1))); }
/// Float to integer, where the integer holds the value; 7 elsewhere. The bounds are powers of two, exact in any format.
template <class To, class From> DEVICE inline To toInteger(From v) {
  constexpr int exponent = int(Limits<To>::bits) - int(Limits<To>::isSigned);
  f64 wide = f64(v), bound = exponent == 64 ? 18446744073709551616.0 : f64(u64(1) << (exponent & 63));
  return wide < bound && (Limits<To>::isSigned ? wide >= -bound : wide > -1.0) ? To(v) : To(7);
}
/// Steps of a checksum.
DEVICE inline u32 mix(u32 h, u32 v) { return (h ^ v) * 0x9e3779b1u + (h >> 15); }
DEVICE inline u32 mix64(u32 h, u64 v) { return mix(mix(h, u32(v)), u32(v >> 32)); }
