//===- hip/detail/atomics.h - atomics: device, block and system scope -----------------------------===//
#pragma once

#if defined(__HIP__) && defined(__cplusplus)

// Each function three times: atomicAdd, atomicAdd_block, atomicAdd_system.
#define HIP_SCOPES(define)                                                                                             \
  define(, __HIP_MEMORY_SCOPE_AGENT) define(_block, __HIP_MEMORY_SCOPE_WORKGROUP)                                      \
      define(_system, __HIP_MEMORY_SCOPE_SYSTEM)

/// The right-hand side has the type of the memory, so that atomicAdd(&unsigned, 1) and atomicAdd(&double, 1.f) work.
template <class T> struct __hip_identity {
  using type = T;
};
template <class T> using __hip_value = typename __hip_identity<T>::type;

#define HIP_FETCH(suffix, scope)                                                                                       \
  template <class T> HIP_DEVICE T atomicAdd##suffix(T *to, __hip_value<T> value) {                                     \
    return __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, scope);                                                 \
  }                                                                                                                    \
  template <class T> HIP_DEVICE T atomicSub##suffix(T *to, __hip_value<T> value) {                                     \
    return __hip_atomic_fetch_add(to, T(-value), __ATOMIC_RELAXED, scope);                                             \
  }                                                                                                                    \
  template <class T> HIP_DEVICE T atomicMin##suffix(T *to, __hip_value<T> value) {                                     \
    return __hip_atomic_fetch_min(to, value, __ATOMIC_RELAXED, scope);                                                 \
  }                                                                                                                    \
  template <class T> HIP_DEVICE T atomicMax##suffix(T *to, __hip_value<T> value) {                                     \
    return __hip_atomic_fetch_max(to, value, __ATOMIC_RELAXED, scope);                                                 \
  }                                                                                                                    \
  template <class T> HIP_DEVICE T atomicAnd##suffix(T *to, __hip_value<T> value) {                                     \
    return __hip_atomic_fetch_and(to, value, __ATOMIC_RELAXED, scope);                                                 \
  }                                                                                                                    \
  template <class T> HIP_DEVICE T atomicOr##suffix(T *to, __hip_value<T> value) {                                      \
    return __hip_atomic_fetch_or(to, value, __ATOMIC_RELAXED, scope);                                                  \
  }                                                                                                                    \
  template <class T> HIP_DEVICE T atomicXor##suffix(T *to, __hip_value<T> value) {                                     \
    return __hip_atomic_fetch_xor(to, value, __ATOMIC_RELAXED, scope);                                                 \
  }                                                                                                                    \
  template <class T> HIP_DEVICE T atomicExch##suffix(T *to, __hip_value<T> value) {                                    \
    return __hip_atomic_exchange(to, value, __ATOMIC_RELAXED, scope);                                                  \
  }                                                                                                                    \
  template <class T> HIP_DEVICE T atomicCAS##suffix(T *to, __hip_value<T> expected, __hip_value<T> value) {            \
    __hip_atomic_compare_exchange_strong(to, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);             \
    return expected;                                                                                                   \
  }
HIP_SCOPES(HIP_FETCH)
#undef HIP_FETCH

/// old >= limit ? 0 : old + 1, and old == 0 || old > limit ? limit : old - 1.
HIP_DEVICE unsigned atomicInc(unsigned *to, unsigned limit) {
  return __builtin_amdgcn_atomic_inc32(to, limit, __ATOMIC_RELAXED, "agent");
}
HIP_DEVICE unsigned atomicDec(unsigned *to, unsigned limit) {
  return __builtin_amdgcn_atomic_dec32(to, limit, __ATOMIC_RELAXED, "agent");
}

/// May use the memory's own float addition, which fine-grained memory of the host does not have.
HIP_DEVICE float unsafeAtomicAdd(float *to, float value) {
  [[clang::atomic(no_fine_grained_memory, no_remote_memory, ignore_denormal_mode)]] {
    return __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
}
HIP_DEVICE double unsafeAtomicAdd(double *to, double value) {
  [[clang::atomic(no_fine_grained_memory, no_remote_memory)]] {
    return __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
}
HIP_DEVICE float safeAtomicAdd(float *to, float value) { return atomicAdd(to, value); }
HIP_DEVICE double safeAtomicAdd(double *to, double value) { return atomicAdd(to, value); }
#undef HIP_SCOPES

#endif
