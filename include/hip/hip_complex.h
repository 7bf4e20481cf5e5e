//===- hip/hip_complex.h - complex numbers as pairs -----------------------------------------------===//
#pragma once

#include "hip_runtime.h"

#if defined(__HIP__) && defined(__cplusplus)

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

#define HIP_COMPLEX(Complex, Real, suffix, make, root)                                                                 \
  HIP_BOTH Complex make(Real re, Real im) { return Complex(re, im); }                                                  \
  HIP_BOTH Real hipCreal##suffix(Complex z) { return z.x; }                                                            \
  HIP_BOTH Real hipCimag##suffix(Complex z) { return z.y; }                                                            \
  HIP_BOTH Complex hipConj##suffix(Complex z) { return Complex(z.x, -z.y); }                                           \
  HIP_BOTH Complex hipCadd##suffix(Complex a, Complex b) { return Complex(a.x + b.x, a.y + b.y); }                     \
  HIP_BOTH Complex hipCsub##suffix(Complex a, Complex b) { return Complex(a.x - b.x, a.y - b.y); }                     \
  HIP_BOTH Complex hipCmul##suffix(Complex a, Complex b) {                                                             \
    return Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                      \
  }                                                                                                                    \
  HIP_BOTH Complex hipCfma##suffix(Complex a, Complex b, Complex c) {                                                  \
    return hipCadd##suffix(hipCmul##suffix(a, b), c);                                                                  \
  }                                                                                                                    \
  HIP_BOTH Complex hipCdiv##suffix(Complex a, Complex b) {                                                             \
    Real size = b.x * b.x + b.y * b.y;                                                                                 \
    return Complex((a.x * b.x + a.y * b.y) / size, (a.y * b.x - a.x * b.y) / size);                                    \
  }                                                                                                                    \
  HIP_BOTH Real hipCabs##suffix(Complex z) { return root(z.x * z.x + z.y * z.y); }
HIP_COMPLEX(hipFloatComplex, float, f, make_hipFloatComplex, __builtin_sqrtf)
HIP_COMPLEX(hipDoubleComplex, double, , make_hipDoubleComplex, __builtin_sqrt)
#undef HIP_COMPLEX
HIP_BOTH hipComplex make_hipComplex(float re, float im) { return hipComplex(re, im); }

#endif
