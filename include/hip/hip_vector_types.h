//===- hip/hip_vector_types.h - char1 .. double4 --------------------------------------------------===//
#pragma once

#include "hip_common.h"

#if defined(__cplusplus) && defined(__HIP__)

#define HIP_BOTH __attribute__((host, device, always_inline)) inline

template <class T, unsigned N> struct HIP_vector_base;
template <class T> struct HIP_vector_base<T, 1> {
  T x;
};
template <class T> struct alignas(2 * sizeof(T)) HIP_vector_base<T, 2> {
  T x, y;
};
template <class T> struct HIP_vector_base<T, 3> {
  T x, y, z;
};
template <class T> struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) HIP_vector_base<T, 4> {
  T x, y, z, w;
};

template <class T, unsigned N> struct HIP_vector_type : HIP_vector_base<T, N> {
  using value_type = T;
  HIP_vector_type() = default;
  /// One value for all elements.
  __attribute__((host, device)) explicit constexpr HIP_vector_type(T all) : HIP_vector_base<T, N>() {
    for (unsigned i = 0; i < N; ++i)
      (*this)[i] = all;
  }
  template <class... U, class = decltype(HIP_vector_base<T, N>{T(U())...}), class = int[sizeof...(U) == N && N > 1]>
  __attribute__((host, device)) constexpr HIP_vector_type(U... values) : HIP_vector_base<T, N>{T(values)...} {}

  __attribute__((host, device)) constexpr T &operator[](unsigned i) {
    if constexpr (N > 1)
      if (i == 1)
        return this->y;
    if constexpr (N > 2)
      if (i == 2)
        return this->z;
    if constexpr (N > 3)
      if (i == 3)
        return this->w;
    return this->x;
  }
  __attribute__((host, device)) constexpr const T &operator[](unsigned i) const {
    return const_cast<HIP_vector_type &>(*this)[i];
  }
  HIP_BOTH HIP_vector_type operator-() const {
    HIP_vector_type r;
    for (unsigned i = 0; i < N; ++i)
      r[i] = T(-(*this)[i]);
    return r;
  }
  HIP_BOTH HIP_vector_type operator~() const {
    HIP_vector_type r;
    for (unsigned i = 0; i < N; ++i)
      r[i] = T(~(*this)[i]);
    return r;
  }
};

#define HIP_VECTOR_OPERATOR(op)                                                                                        \
  template <class T, unsigned N>                                                                                       \
  HIP_BOTH HIP_vector_type<T, N> &operator op## = (HIP_vector_type<T, N> & a, const HIP_vector_type<T, N> &b) {        \
    for (unsigned i = 0; i < N; ++i)                                                                                   \
      a[i] = T(a[i] op b[i]);                                                                                          \
    return a;                                                                                                          \
  }                                                                                                                    \
  template <class T, unsigned N>                                                                                       \
  HIP_BOTH HIP_vector_type<T, N> &operator op## =                                                                      \
      (HIP_vector_type<T, N> & a, typename HIP_vector_type<T, N>::value_type b) {                                      \
    return a op## = HIP_vector_type<T, N>(b);                                                                          \
  }                                                                                                                    \
  template <class T, unsigned N>                                                                                       \
  HIP_BOTH HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a, const HIP_vector_type<T, N> &b) {                \
    return a op## = b;                                                                                                 \
  }                                                                                                                    \
  template <class T, unsigned N>                                                                                       \
  HIP_BOTH HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a, typename HIP_vector_type<T, N>::value_type b) {  \
    return a op## = HIP_vector_type<T, N>(b);                                                                          \
  }                                                                                                                    \
  template <class T, unsigned N>                                                                                       \
  HIP_BOTH HIP_vector_type<T, N> operator op(typename HIP_vector_type<T, N>::value_type a,                             \
                                             const HIP_vector_type<T, N> &b) {                                         \
    return HIP_vector_type<T, N>(a) op b;                                                                              \
  }
HIP_VECTOR_OPERATOR(+)
HIP_VECTOR_OPERATOR(-)
HIP_VECTOR_OPERATOR(*)
HIP_VECTOR_OPERATOR(/)
HIP_VECTOR_OPERATOR(%)
HIP_VECTOR_OPERATOR(&)
HIP_VECTOR_OPERATOR(|)
HIP_VECTOR_OPERATOR(^)
HIP_VECTOR_OPERATOR(<<)
HIP_VECTOR_OPERATOR(>>)
#undef HIP_VECTOR_OPERATOR

template <class T, unsigned N>
HIP_BOTH bool operator==(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b) {
  for (unsigned i = 0; i < N; ++i)
    if (!(a[i] == b[i]))
      return false;
  return true;
}
template <class T, unsigned N>
HIP_BOTH bool operator!=(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b) {
  return !(a == b);
}

#define HIP_VECTOR_TYPES(T, name)                                                                                      \
  typedef HIP_vector_type<T, 1> name##1;                                                                               \
  typedef HIP_vector_type<T, 2> name##2;                                                                               \
  typedef HIP_vector_type<T, 3> name##3;                                                                               \
  typedef HIP_vector_type<T, 4> name##4;                                                                               \
  HIP_BOTH name##1 make_##name##1(T x) { return name##1(x); }                                                          \
  HIP_BOTH name##2 make_##name##2(T x, T y) { return name##2(x, y); }                                                  \
  HIP_BOTH name##3 make_##name##3(T x, T y, T z) { return name##3(x, y, z); }                                          \
  HIP_BOTH name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }
HIP_VECTOR_TYPES(signed char, char)
HIP_VECTOR_TYPES(unsigned char, uchar)
HIP_VECTOR_TYPES(short, short)
HIP_VECTOR_TYPES(unsigned short, ushort)
HIP_VECTOR_TYPES(int, int)
HIP_VECTOR_TYPES(unsigned, uint)
HIP_VECTOR_TYPES(long, long)
HIP_VECTOR_TYPES(unsigned long, ulong)
HIP_VECTOR_TYPES(long long, longlong)
HIP_VECTOR_TYPES(unsigned long long, ulonglong)
HIP_VECTOR_TYPES(float, float)
HIP_VECTOR_TYPES(double, double)
#undef HIP_VECTOR_TYPES

#endif
