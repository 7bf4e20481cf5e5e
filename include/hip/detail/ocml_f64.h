//===- hip/detail/ocml_f64.h - double precision mathematics ---------------------------------------===//
//
// Defines the functions that clang's HIP headers call (__clang_hip_libdevice_declares.h), from textbook means:
// reduction of the argument in two doubles, a polynomial (Taylor, or fitted at Chebyshev nodes with 60 digits),
// reconstruction. tests/hip/test_math.py holds the bounds. A result is rounded to nearest even, denormals included.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#pragma float_control(push)
#pragma clang fp contract(off)

#define OCML extern "C" __attribute__((device)) inline
#define OCML_HELP __attribute__((device, always_inline)) static inline

OCML_HELP double __ocml_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
OCML_HELP double __ocml_horner(double, double c) { return c; }
template <class... C> OCML_HELP double __ocml_horner(double x, double c, C... rest) {
  return __ocml_fma(__ocml_horner(x, rest...), x, c);
}
OCML_HELP bool __ocml_isnan(double x) { return x != x; }
OCML_HELP double __ocml_copysign(double x, double sign) { return __builtin_copysign(x, sign); }
#define OCML_INF __builtin_inf()
#define OCML_NAN __builtin_nan("")

/// The sum of two doubles, |lo| at most half an ulp of hi.
struct __ocml_pair {
  double hi, lo;
};
OCML_HELP __ocml_pair __ocml_two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
OCML_HELP __ocml_pair __ocml_fast_sum(double a, double b) {
  double s = a + b;
  return {s, b - (s - a)};
}
OCML_HELP __ocml_pair __ocml_product(double a, double b) {
  double p = a * b;
  return {p, __ocml_fma(a, b, -p)};
}

// Exponentials ---------------------------------------------------------------------------------------

#define OCML_LN2_HI 0x1.62e42fefa3800p-1 // 42 bits: a product with an exponent is exact
#define OCML_LN2_LO 0x1.ef35793c76730p-45
#define OCML_LOG2E 0x1.71547652b82fep+0

/// (e^r - 1 - r) / r^2 for |r| <= ln2 / 2: Taylor to r^13.
OCML_HELP double __ocml_exp_tail(double r) {
  return __ocml_horner(r, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                       1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800);
}
/// e^(hi + lo) for a result in range or beyond: over- and underflow follow from the exponent.
OCML_HELP double __ocml_exp_pair(double hi, double lo) {
  hi = hi > 800 ? 800 : hi < -800 ? -800 : hi;
  double k = __builtin_rint(hi * OCML_LOG2E);
  double r = __ocml_fma(-k, OCML_LN2_HI, hi);
  // r is exact; the rest of the reduction is below it.
  double low = __ocml_fma(-k, OCML_LN2_LO, lo);
  __ocml_pair reduced = __ocml_fast_sum(r, low);
  double tail = __ocml_fma(reduced.hi * reduced.hi, __ocml_exp_tail(reduced.hi), reduced.lo);
  double e = 1 + (reduced.hi + tail);
  return __builtin_ldexp(e, int(k));
}
OCML double __ocml_exp_f64(double x) { return __ocml_isnan(x) ? x : __ocml_exp_pair(x, 0); }
OCML double __ocml_exp2_f64(double x) {
  if (__ocml_isnan(x))
    return x;
  x = x > 1100 ? 1100 : x < -1100 ? -1100 : x;
  double k = __builtin_rint(x), f = x - k;
  __ocml_pair r = __ocml_product(f, 0x1.62e42fefa39efp-1);
  r.lo = __ocml_fma(f, 0x1.abc9e3b39803fp-56, r.lo);
  double tail = __ocml_fma(r.hi * r.hi, __ocml_exp_tail(r.hi), r.lo);
  return __builtin_ldexp(1 + (r.hi + tail), int(k));
}
OCML double __ocml_exp10_f64(double x) {
  if (__ocml_isnan(x))
    return x;
  x = x > 400 ? 400 : x < -400 ? -400 : x;
  double k = __builtin_rint(x * 0x1.a934f0979a371p+1);
  double f = __ocml_fma(-k, 0x1.34413509f7800p-2, x);
  __ocml_pair rest = __ocml_fast_sum(f, -k * 0x1.fef311f12b358p-46);
  __ocml_pair r = __ocml_product(rest.hi, 0x1.26bb1bbb55516p+1);
  r.lo += __ocml_fma(rest.hi, -0x1.f48ad494ea3e9p-53, rest.lo * 0x1.26bb1bbb55516p+1);
  double tail = __ocml_fma(r.hi * r.hi, __ocml_exp_tail(r.hi), r.lo);
  return __builtin_ldexp(1 + (r.hi + tail), int(k));
}
OCML double __ocml_expm1_f64(double x) {
  if (__ocml_isnan(x))
    return x;
  if (x > 710)
    return OCML_INF;
  if (x < -40)
    return -1;
  double k = __builtin_rint(x * OCML_LOG2E);
  double r = __ocml_fma(-k, OCML_LN2_HI, x);
  __ocml_pair reduced = __ocml_fast_sum(r, -k * OCML_LN2_LO);
  __ocml_pair less = __ocml_fast_sum(
      reduced.hi, __ocml_fma(reduced.hi * reduced.hi, __ocml_exp_tail(reduced.hi), reduced.lo)); // e^r - 1
  if (k == 0)
    return less.hi == 0 ? x : less.hi;
  // 2^k (e^r - 1) + (2^k - 1)
  if (k == 1024)
    return __builtin_ldexp(less.hi + 1, 1023) * 2;
  double scale = __builtin_ldexp(1.0, int(k));
  __ocml_pair sum = __ocml_two_sum(scale - 1, less.hi * scale);
  double lost = k > 53 ? -1.0 : 0.0; // scale - 1 was rounded
  if (k > 53)
    sum = __ocml_two_sum(scale, less.hi * scale);
  return sum.hi + (sum.lo + (less.lo * scale + lost));
}

// Logarithms -----------------------------------------------------------------------------------------

/// x = m * 2^k with m in [sqrt(1/2), sqrt(2)); x is finite and above 0.
OCML_HELP double __ocml_split(double x, int &k) {
  k = __builtin_amdgcn_frexp_exp(x);
  double m = __builtin_amdgcn_frexp_mant(x);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --k;
  }
  return m;
}
/// (atanh(s) - s) / s^3 as a function of z = s^2, for |s| <= 3 - 2 sqrt(2).
OCML_HELP double __ocml_atanh_tail(double z) {
  return __ocml_horner(z, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19,
                       1.0 / 21, 1.0 / 23);
}
/// log(m) for m = 1 + f, in two doubles, to about 2^-66 of its size.
OCML_HELP __ocml_pair __ocml_log_mantissa(double m) {
  double f = m - 1, t = m + 1, lost = m - (t - 1);
  double s = f / t;
  double slo = (__ocml_fma(-s, t, f) - s * lost) / t;
  double z = s * s, zlo = __ocml_fma(s, s, -z) + 2 * s * slo;
  double w = z * __ocml_horner(z, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21,
                               1.0 / 23);
  double p = 0x1.5555555555555p-2 + w, plo = (0x1.5555555555555p-2 - p) + w + 0x1.5555555555555p-56;
  double c = z * p, clo = __ocml_fma(z, p, -c) + (z * plo + zlo * p);
  double d = s * c, dlo = __ocml_fma(s, c, -d) + (s * clo + slo * c);
  __ocml_pair sum = __ocml_fast_sum(s, d);
  return {2 * sum.hi, 2 * (sum.lo + (dlo + slo))};
}
/// log(x) in two doubles; x is finite and above 0.
OCML_HELP __ocml_pair __ocml_log_pair(double x) {
  int k;
  double m = __ocml_split(x, k);
  __ocml_pair l = __ocml_log_mantissa(m);
  __ocml_pair sum = __ocml_two_sum(k * OCML_LN2_HI, l.hi);
  return __ocml_fast_sum(sum.hi, sum.lo + __ocml_fma(double(k), OCML_LN2_LO, l.lo));
}
OCML_HELP bool __ocml_log_special(double x, double &result) {
  if (x > 0 && x < OCML_INF)
    return false;
  result = x == 0 ? -OCML_INF : x > 0 ? x : OCML_NAN;
  return true;
}
OCML double __ocml_log_f64(double x) {
  double special;
  if (__ocml_log_special(x, special))
    return special;
  int k;
  double f = __ocml_split(x, k) - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  double r = 2 * z * __ocml_atanh_tail(z);
  return __ocml_fma(double(k), OCML_LN2_HI, f - (half - (s * (half + r) + k * OCML_LN2_LO)));
}
/// log(x) times a constant in two doubles.
OCML_HELP double __ocml_log_scaled(double x, double hi, double lo) {
  __ocml_pair l = __ocml_log_pair(x), p = __ocml_product(l.hi, hi);
  return p.hi + (p.lo + __ocml_fma(l.hi, lo, l.lo * hi));
}
OCML double __ocml_log2_f64(double x) {
  double special;
  if (__ocml_log_special(x, special))
    return special;
  int k;
  double m = __ocml_split(x, k);
  __ocml_pair l = __ocml_log_mantissa(m), p = __ocml_product(l.hi, OCML_LOG2E);
  p.lo += __ocml_fma(l.hi, 0x1.777d0ffda0d24p-56, l.lo * OCML_LOG2E);
  __ocml_pair sum = __ocml_two_sum(double(k), p.hi);
  return sum.hi + (sum.lo + p.lo);
}
OCML double __ocml_log10_f64(double x) {
  double special;
  return __ocml_log_special(x, special) ? special : __ocml_log_scaled(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}
OCML double __ocml_log1p_f64(double x) {
  if (!(x > -1))
    return x == -1 ? -OCML_INF : OCML_NAN;
  if (x == OCML_INF || __builtin_fabs(x) < 0x1p-54)
    return x;
  __ocml_pair u = __ocml_two_sum(1, x);
  int k;
  double m = __ocml_split(u.hi, k);
  double f = m - 1, lost = __builtin_ldexp(u.lo, -k); // log(m + lost)
  if (k == 0) {
    f = x;
    lost = 0;
  }
  double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  double r = 2 * z * __ocml_atanh_tail(z);
  double low = k * OCML_LN2_LO + lost / m;
  return __ocml_fma(double(k), OCML_LN2_HI, f - (half - (s * (half + r) + low)));
}

// Powers ---------------------------------------------------------------------------------------------

/// |x|^y for finite |x| > 0 and finite y.
OCML_HELP double __ocml_pow_positive(double x, double y) {
  __ocml_pair l = __ocml_log_pair(x);
  double hi = y * l.hi;
  if (__builtin_fabs(hi) > 800)
    return hi > 0 ? OCML_INF : 0;
  double lo = __ocml_fma(y, l.hi, -hi) + y * l.lo;
  return __ocml_exp_pair(hi, lo);
}
OCML double __ocml_pow_f64(double x, double y) {
  if (x == 1 || y == 0)
    return 1;
  if (__ocml_isnan(x) || __ocml_isnan(y))
    return OCML_NAN;
  double size = __builtin_fabs(x);
  bool integer = __builtin_trunc(y) == y;
  bool odd = integer && __builtin_fabs(y) < 0x1p53 && __builtin_trunc(y * 0.5) != y * 0.5;
  if (__builtin_fabs(y) == OCML_INF)
    return size == 1 ? 1 : (size > 1) == (y > 0) ? OCML_INF : 0;
  double sign = odd ? __ocml_copysign(1, x) : 1;
  if (size == 0)
    return y > 0 ? sign * 0.0 : sign * OCML_INF;
  if (size == OCML_INF)
    return y > 0 ? sign * OCML_INF : sign * 0.0;
  if (x < 0 && !integer)
    return OCML_NAN;
  return sign * __ocml_pow_positive(size, y);
}
OCML double __ocml_pown_f64(double x, int n) { return __ocml_pow_f64(x, double(n)); }
OCML double __ocml_cbrt_f64(double x) {
  if (x == 0 || !(__builtin_fabs(x) < OCML_INF))
    return x;
  int k = __builtin_amdgcn_frexp_exp(x);
  double m = __builtin_fabs(__builtin_amdgcn_frexp_mant(x));
  int third = k >= 0 ? (k + 2) / 3 : -((-k) / 3);
  m = __builtin_ldexp(m, k - 3 * third); // in [1/8, 1)
  double y = double(__builtin_amdgcn_exp2f(__builtin_amdgcn_logf(float(m)) * 0x1.555556p-2f));
  for (int i = 0; i < 2; ++i)
    y -= (y * y * y - m) / (3 * y * y);
  // One step with the residual in two doubles.
  __ocml_pair square = __ocml_product(y, y), cube = __ocml_product(square.hi, y);
  double residual = (cube.hi - m) + (cube.lo + square.lo * y);
  y -= residual / (3 * square.hi);
  return __ocml_copysign(__builtin_ldexp(y, third), x);
}
OCML double __ocml_rsqrt_f64(double x) {
  if (x == 0)
    return __ocml_copysign(OCML_INF, x);
  if (!(x > 0) || x == OCML_INF)
    return x == OCML_INF ? 0 : OCML_NAN;
  double root = __builtin_sqrt(x), y = 1 / root;
  // y (1 + (1 - x y^2) / 2), the residual in two doubles
  double residual = __ocml_fma(-y, root, 1) - y * (__ocml_fma(-root, root, x) / (2 * root));
  return __ocml_fma(y, residual, y);
}
OCML double __ocml_rcbrt_f64(double x) { return 1 / __ocml_cbrt_f64(x); }
/// sqrt(a^2 + b^2 + ...) without over- or underflow on the way.
OCML_HELP double __ocml_length(double a, double b, double c, double d) {
  a = __builtin_fabs(a), b = __builtin_fabs(b), c = __builtin_fabs(c), d = __builtin_fabs(d);
  double most = __builtin_fmax(__builtin_fmax(a, b), __builtin_fmax(c, d));
  if (a == OCML_INF || b == OCML_INF || c == OCML_INF || d == OCML_INF)
    return OCML_INF;
  if (__ocml_isnan(a + b + c + d))
    return OCML_NAN;
  if (most == 0)
    return 0;
  int k = __builtin_amdgcn_frexp_exp(most);
  double sum = 0, low = 0;
  for (double v : {a, b, c, d}) {
    v = __builtin_ldexp(v, -k);
    __ocml_pair square = __ocml_product(v, v), added = __ocml_two_sum(sum, square.hi);
    sum = added.hi;
    low += added.lo + square.lo;
  }
  double root = __builtin_sqrt(sum);
  root += (__ocml_fma(-root, root, sum) + low) / (2 * root);
  return __builtin_ldexp(root, k);
}
OCML double __ocml_hypot_f64(double a, double b) { return __ocml_length(a, b, 0, 0); }
OCML double __ocml_len3_f64(double a, double b, double c) { return __ocml_length(a, b, c, 0); }
OCML double __ocml_len4_f64(double a, double b, double c, double d) { return __ocml_length(a, b, c, d); }
OCML double __ocml_rhypot_f64(double a, double b) { return 1 / __ocml_length(a, b, 0, 0); }
OCML double __ocml_rlen3_f64(double a, double b, double c) { return 1 / __ocml_length(a, b, c, 0); }
OCML double __ocml_rlen4_f64(double a, double b, double c, double d) { return 1 / __ocml_length(a, b, c, d); }

// Sine, cosine, tangent ------------------------------------------------------------------------------

#define OCML_PI_2_HI 0x1.921fb54442d18p+0
#define OCML_PI_2_MID 0x1.1a62633145c07p-54
#define OCML_PI_2_LO -0x1.f1976b7ed8fbcp-110

/// x minus the nearest multiple of pi / 2, for |x| < 2^28; `quadrant` is that multiple modulo 4.
OCML_HELP __ocml_pair __ocml_reduce_small(double x, int &quadrant) {
  double k = __builtin_rint(x * 0x1.45f306dc9c883p-1);
  quadrant = int(k) & 3;
  __ocml_pair p = __ocml_product(k, OCML_PI_2_HI), q = __ocml_product(k, OCML_PI_2_MID);
  __ocml_pair first = __ocml_two_sum(x - p.hi, -p.lo), second = __ocml_two_sum(first.hi, -q.hi);
  return __ocml_fast_sum(second.hi, second.lo + (first.lo - q.lo) - k * OCML_PI_2_LO);
}

/// Words of 2 / pi behind a word of zeros.
__attribute__((device)) static inline unsigned long long __ocml_two_over_pi(int word) {
  static const __attribute__((device)) unsigned long long words[] = {
      0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
      0xf0cfbc209af4361d};
  return words[word];
}

/// The same for any finite x (after Payne and Hanek): x * 2 / pi modulo 4 from the 256 bits of 2 / pi that matter.
__attribute__((device, noinline)) static __ocml_pair __ocml_reduce_large(double x, int &quadrant) {
  typedef unsigned long long u64;
  u64 bits = __builtin_bit_cast(u64, x), mantissa = (bits & 0xfffffffffffffull) | 1ull << 52;
  int exponent = int(bits >> 52 & 0x7ff) - 1075;
  int word = (exponent + 62) >> 6;
  // p = mantissa * words modulo 2^256, most significant word first.
  u64 p[4], carry = 0;
  for (int i = 3; i >= 0; --i) {
    u64 w = __ocml_two_over_pi(word + i);
    u64 low = mantissa * w, high = __umul64hi(mantissa, w);
    p[i] = low + carry;
    carry = high + (p[i] < low);
  }
  // The point stands `fraction` bits from the right; the two bits above it are the quadrant.
  int fraction = 64 * (word + 3) - exponent, shift = 256 - (fraction + 2);
  u64 a = p[0], b = p[1], c = p[2];
  if (shift) {
    a = a << shift | b >> (64 - shift);
    b = b << shift | c >> (64 - shift);
    c = c << shift | p[3] >> (64 - shift);
  }
  int q = int(a >> 62);
  a = a << 2 | b >> 62;
  b = b << 2 | c >> 62;
  c = c << 2;
  bool up = a >> 63;
  if (up) { // the nearest multiple is the next one
    ++q;
    a = ~a, b = ~b, c = ~c;
  }
  int zeros = a ? __builtin_clzll(a) : 64 + (b ? __builtin_clzll(b) : 63);
  if (zeros >= 64) {
    a = b, b = c, c = 0;
    zeros -= 64;
    if (zeros) {
      a = a << zeros | b >> (64 - zeros);
      b = b << zeros;
    }
    zeros += 64;
  } else if (zeros) {
    a = a << zeros | b >> (64 - zeros);
    b = b << zeros | c >> (64 - zeros);
  }
  double hi = double(a >> 11) * 0x1p-53, lo = double((a & 0x7ff) << 42 | b >> 22) * 0x1p-106;
  __ocml_pair f = __ocml_fast_sum(hi, lo);
  __ocml_pair r = __ocml_product(f.hi, OCML_PI_2_HI);
  r.lo += __ocml_fma(f.hi, OCML_PI_2_MID, f.lo * OCML_PI_2_HI);
  r = __ocml_fast_sum(r.hi, r.lo);
  double sign = (x < 0) != up ? -1 : 1;
  quadrant = (x < 0 ? -q : q) & 3;
  return {__builtin_ldexp(r.hi, -zeros) * sign, __builtin_ldexp(r.lo, -zeros) * sign};
}
OCML_HELP __ocml_pair __ocml_reduce(double x, int &quadrant) {
  return __builtin_fabs(x) < 0x1p28 ? __ocml_reduce_small(x, quadrant) : __ocml_reduce_large(x, quadrant);
}

/// sin(r) - r.hi and cos(r) - 1 + r.hi^2 / 2, for |r| <= pi / 4: Taylor.
OCML_HELP double __ocml_sin_rest(__ocml_pair r) {
  double z = r.hi * r.hi;
  double p = __ocml_horner(z, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
                           -1.0 / 1307674368000, 1.0 / 355687428096000);
  return __ocml_fma(r.hi * z, p, __ocml_fma(-0.5 * z, r.lo, r.lo));
}
OCML_HELP double __ocml_sin_kernel(__ocml_pair r) { return r.hi + __ocml_sin_rest(r); }
OCML_HELP __ocml_pair __ocml_cos_pair(__ocml_pair r) {
  double z = r.hi * r.hi, half = 0.5 * z, w = 1 - half;
  double p = __ocml_horner(z, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200,
                           1.0 / 20922789888000);
  double halfLost = 0.5 * __ocml_fma(r.hi, r.hi, -z);
  return __ocml_fast_sum(w, ((1 - w) - half) + (__ocml_fma(z * z, p, -r.hi * r.lo) - halfLost));
}
OCML_HELP double __ocml_cos_kernel(__ocml_pair r) { return __ocml_cos_pair(r).hi; }

OCML_HELP double __ocml_sin_quadrant(__ocml_pair r, int quadrant) {
  double value = quadrant & 1 ? __ocml_cos_kernel(r) : __ocml_sin_kernel(r);
  return quadrant & 2 ? -value : value;
}
OCML double __ocml_sin_f64(double x) {
  if (!(__builtin_fabs(x) < OCML_INF))
    return OCML_NAN;
  if (__builtin_fabs(x) < 0x1p-27)
    return x;
  int quadrant;
  __ocml_pair r = __ocml_reduce(x, quadrant);
  return __ocml_sin_quadrant(r, quadrant);
}
OCML double __ocml_cos_f64(double x) {
  if (!(__builtin_fabs(x) < OCML_INF))
    return OCML_NAN;
  int quadrant;
  __ocml_pair r = __ocml_reduce(x, quadrant);
  return __ocml_sin_quadrant(r, quadrant + 1);
}
OCML double __ocml_sincos_f64(double x, __attribute__((opencl_private)) double *cosine) {
  if (!(__builtin_fabs(x) < OCML_INF)) {
    *cosine = OCML_NAN;
    return OCML_NAN;
  }
  int quadrant;
  __ocml_pair r = __ocml_reduce(x, quadrant);
  double s = __ocml_sin_kernel(r), c = __ocml_cos_kernel(r);
  double sine = quadrant & 1 ? c : s, other = quadrant & 1 ? s : c;
  *cosine = (quadrant + 1) & 2 ? -other : other;
  return __builtin_fabs(x) < 0x1p-27 ? x : quadrant & 2 ? -sine : sine;
}
OCML double __ocml_tan_f64(double x) {
  if (!(__builtin_fabs(x) < OCML_INF))
    return OCML_NAN;
  if (__builtin_fabs(x) < 0x1p-27)
    return x;
  int quadrant;
  __ocml_pair r = __ocml_reduce(x, quadrant);
  __ocml_pair s = __ocml_fast_sum(r.hi, __ocml_sin_rest(r)), c = __ocml_cos_pair(r);
  if (quadrant & 1) {
    __ocml_pair swapped = s;
    s = c, c = {-swapped.hi, -swapped.lo};
  }
  double q = s.hi / c.hi;
  return q + ((__ocml_fma(-q, c.hi, s.hi) + s.lo) - q * c.lo) / c.hi;
}

/// pi * x with the multiple of 1/2 nearest to x taken off.
OCML_HELP __ocml_pair __ocml_reduce_pi(double x, int &quadrant) {
  double twice = __builtin_fabs(x) < 0x1p52 ? 2 * (x - 2 * __builtin_rint(0.5 * x)) : 2 * __builtin_fmod(x, 2.0);
  double k = __builtin_rint(twice), f = 0.5 * (twice - k);
  quadrant = int(k) & 3;
  __ocml_pair r = __ocml_product(f, 0x1.921fb54442d18p+1);
  r.lo = __ocml_fma(f, 0x1.1a62633145c07p-53, r.lo);
  return r;
}
OCML double __ocml_sinpi_f64(double x) {
  if (!(__builtin_fabs(x) < OCML_INF))
    return OCML_NAN;
  if (__builtin_trunc(x) == x)
    return __ocml_copysign(0, x);
  int quadrant;
  __ocml_pair r = __ocml_reduce_pi(x, quadrant);
  return __ocml_sin_quadrant(r, quadrant);
}
OCML double __ocml_cospi_f64(double x) {
  if (!(__builtin_fabs(x) < OCML_INF))
    return OCML_NAN;
  if (__builtin_fabs(x) >= 0x1p53)
    return 1;
  if (__builtin_fabs(x - __builtin_trunc(x)) == 0.5)
    return 0;
  int quadrant;
  __ocml_pair r = __ocml_reduce_pi(x, quadrant);
  return __ocml_sin_quadrant(r, quadrant + 1);
}
OCML double __ocml_sincospi_f64(double x, __attribute__((opencl_private)) double *cosine) {
  *cosine = __ocml_cospi_f64(x);
  return __ocml_sinpi_f64(x);
}

// Inverse functions ----------------------------------------------------------------------------------

/// atan(t) for |t| <= 7/16: fitted, relative error of the rest 2^-53.8.
OCML_HELP double __ocml_atan_rest(double t) {
  double z = t * t;
  return t * z *
         __ocml_horner(z, -0x1.5555555555555p-2, 0x1.99999999998c5p-3, -0x1.2492492485503p-3, 0x1.c71c71bd2b8bcp-4,
                       -0x1.745d154c84f7ap-4, 0x1.3b1375ce5bdc6p-4, -0x1.110c9ce7b0572p-4, 0x1.e170800a46210p-5,
                       -0x1.ab59b417b2d3fp-5, 0x1.7001816fd063fp-5, -0x1.0f62bba6a2558p-5, 0x1.e4167464d3de8p-7);
}
/// atan(y / x) for y, x >= 0, not both 0 or infinite, in two doubles.
OCML_HELP __ocml_pair __ocml_atan_quotient(double y, double x) {
  // atan(y / x) = atan(c) + atan((y - c x) / (x + c y)) for c = 0, 1/2, 1, 3/2, infinity
  double n, d, base, low;
  if (y <= 0.4375 * x) {
    n = y, d = x, base = 0, low = 0;
  } else if (y <= 0.6875 * x) {
    n = __ocml_fma(-0.5, x, y), d = __ocml_fma(0.5, y, x), base = 0x1.dac670561bb4fp-2, low = 0x1.a2b7f222f65e2p-56;
  } else if (y <= 1.1875 * x) {
    n = y - x, d = x + y, base = 0x1.921fb54442d18p-1, low = 0x1.1a62633145c07p-55;
  } else if (y <= 2.4375 * x) {
    n = __ocml_fma(-1.5, x, y), d = __ocml_fma(1.5, y, x), base = 0x1.f730bd281f69bp-1, low = 0x1.007887af0cbbdp-56;
  } else {
    n = -x, d = y, base = OCML_PI_2_HI, low = OCML_PI_2_MID;
  }
  double t = n / d, lost = __ocml_fma(-t, d, n) / d;
  __ocml_pair sum = __ocml_fast_sum(base, t);
  if (base == 0)
    sum = {t, 0};
  return __ocml_fast_sum(sum.hi, sum.lo + (__ocml_atan_rest(t) + (lost + low)));
}
OCML double __ocml_atan_f64(double x) {
  double size = __builtin_fabs(x);
  if (__ocml_isnan(x) || size < 0x1p-27)
    return x;
  return __ocml_copysign(size == OCML_INF ? OCML_PI_2_HI : __ocml_atan_quotient(size, 1).hi, x);
}
OCML double __ocml_atan2_f64(double y, double x) {
  if (__ocml_isnan(x) || __ocml_isnan(y))
    return OCML_NAN;
  double a = __builtin_fabs(y), b = __builtin_fabs(x);
  bool left = __builtin_signbit(x);
  double angle;
  if (a == 0)
    angle = left ? 0x1.921fb54442d18p+1 : 0;
  else if (a == OCML_INF && b == OCML_INF)
    angle = left ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1;
  else if (a == OCML_INF || b == 0)
    angle = OCML_PI_2_HI;
  else if (b == OCML_INF)
    angle = left ? 0x1.921fb54442d18p+1 : 0;
  else {
    // Scaled so that neither the quotient's terms nor their sums leave the range.
    int k = -__builtin_amdgcn_frexp_exp(a > b ? a : b);
    double n = __builtin_ldexp(a, k), d = __builtin_ldexp(b, k);
    if (!left && a < b && n * 0x1p-900 == 0 && a != 0)
      angle = a / b;
    else {
      __ocml_pair t = __ocml_atan_quotient(n, d);
      if (left) {
        __ocml_pair sum = __ocml_fast_sum(0x1.921fb54442d18p+1, -t.hi);
        angle = sum.hi + (sum.lo + (0x1.1a62633145c07p-53 - t.lo));
      } else {
        angle = t.hi;
        if (angle < 0x1p-900)
          angle = a / b;
      }
    }
  }
  return __ocml_copysign(angle, y);
}
/// (asin(s) - s) / s^3 as a function of z = s^2 <= 1/4: fitted, relative error 2^-54.
OCML_HELP double __ocml_asin_tail(double z) {
  return __ocml_horner(z, 0x1.5555555555555p-3, 0x1.3333333333388p-4, 0x1.6db6db6dac1e0p-5, 0x1.f1c71c7a52ba3p-6,
                       0x1.6e8ba123e494cp-6, 0x1.1c4efce23019fp-6, 0x1.c990ad3d8fdcap-7, 0x1.7b027ee1dd585p-7,
                       0x1.3b49de7121487p-7, 0x1.31622469ce5adp-7, 0x1.8f193743418ffp-9, 0x1.406192d124629p-6,
                       -0x1.3b416bb7d9257p-6, 0x1.e529c6fce9bb4p-6);
}
/// asin(sqrt(z)) for z = (1 - |x|) / 2, in two doubles.
OCML_HELP __ocml_pair __ocml_asin_root(double z) {
  double s = __builtin_sqrt(z), lost = s > 0 ? __ocml_fma(-s, s, z) / (2 * s) : 0;
  return __ocml_fast_sum(s, __ocml_fma(s * z, __ocml_asin_tail(z), lost));
}
OCML double __ocml_asin_f64(double x) {
  double size = __builtin_fabs(x);
  if (!(size <= 1))
    return OCML_NAN;
  if (size < 0x1p-27)
    return x;
  if (size <= 0.5)
    return __ocml_fma(x * (x * x), __ocml_asin_tail(x * x), x);
  __ocml_pair half = __ocml_asin_root(0.5 * (1 - size));
  __ocml_pair sum = __ocml_fast_sum(OCML_PI_2_HI, -2 * half.hi);
  return __ocml_copysign(sum.hi + (sum.lo + (OCML_PI_2_MID - 2 * half.lo)), x);
}
OCML double __ocml_acos_f64(double x) {
  double size = __builtin_fabs(x);
  if (!(size <= 1))
    return OCML_NAN;
  if (size <= 0.5) {
    __ocml_pair sum = __ocml_fast_sum(OCML_PI_2_HI, -x);
    return sum.hi + (sum.lo + __ocml_fma(-x * (x * x), __ocml_asin_tail(x * x), OCML_PI_2_MID));
  }
  __ocml_pair half = __ocml_asin_root(0.5 * (1 - size));
  if (x > 0)
    return 2 * (half.hi + half.lo);
  __ocml_pair sum = __ocml_fast_sum(2 * OCML_PI_2_HI, -2 * half.hi);
  return sum.hi + (sum.lo + (2 * OCML_PI_2_MID - 2 * half.lo));
}

// Hyperbolic functions -------------------------------------------------------------------------------

/// e^x / 2 without overflow on the way.
OCML_HELP double __ocml_half_exp(double x) {
  __ocml_pair less = __ocml_two_sum(x, -0x1.62e42fefa39efp-1);
  return __ocml_exp_pair(less.hi, less.lo - 0x1.abc9e3b39803fp-56);
}
OCML double __ocml_sinh_f64(double x) {
  double size = __builtin_fabs(x), result;
  if (!(size < 711))
    return __ocml_isnan(x) ? x : __ocml_copysign(OCML_INF, x);
  if (size > 40) {
    result = __ocml_half_exp(size);
  } else {
    double t = __ocml_expm1_f64(size);
    result = size < 1 ? 0.5 * (2 * t - t * t / (t + 1)) : 0.5 * (t + t / (t + 1));
  }
  return __ocml_copysign(result, x);
}
OCML double __ocml_cosh_f64(double x) {
  double size = __builtin_fabs(x);
  if (!(size < 711))
    return size > 711 ? OCML_INF : x * x;
  if (size > 40)
    return __ocml_half_exp(size);
  if (size < 0.35) {
    double t = __ocml_expm1_f64(size);
    return 1 + t * t / (2 * (1 + t));
  }
  double e = __ocml_exp_f64(size);
  return 0.5 * e + 0.5 / e;
}
OCML double __ocml_tanh_f64(double x) {
  double size = __builtin_fabs(x);
  if (__ocml_isnan(x))
    return x;
  if (size > 22)
    return __ocml_copysign(1, x);
  if (size < 0x1p-27)
    return x;
  double t = __ocml_expm1_f64(size < 1 ? -2 * size : 2 * size);
  return __ocml_copysign(size < 1 ? -t / (t + 2) : 1 - 2 / (t + 2), x);
}
OCML double __ocml_asinh_f64(double x) {
  double size = __builtin_fabs(x), result;
  if (!(size < OCML_INF) || size < 0x1p-27)
    return x;
  if (size > 0x1p27) {
    __ocml_pair l = __ocml_log_pair(size);
    result = l.hi + (l.lo + 0x1.62e42fefa39efp-1);
  } else {
    double square = size * size;
    result = __ocml_log1p_f64(size + square / (1 + __builtin_sqrt(1 + square)));
  }
  return __ocml_copysign(result, x);
}
OCML double __ocml_acosh_f64(double x) {
  if (!(x >= 1))
    return OCML_NAN;
  if (x > 0x1p27) {
    if (x == OCML_INF)
      return x;
    __ocml_pair l = __ocml_log_pair(x);
    return l.hi + (l.lo + 0x1.62e42fefa39efp-1);
  }
  double t = x - 1;
  return __ocml_log1p_f64(t + __builtin_sqrt(2 * t + t * t));
}
OCML double __ocml_atanh_f64(double x) {
  double size = __builtin_fabs(x);
  if (!(size <= 1))
    return OCML_NAN;
  if (size < 0x1p-27)
    return x;
  double result = size < 0.5 ? 0.5 * __ocml_log1p_f64(2 * size + 2 * size * size / (1 - size))
                             : 0.5 * __ocml_log1p_f64(2 * size / (1 - size));
  return __ocml_copysign(result, x);
}

// Parts and remainders -------------------------------------------------------------------------------

OCML double __ocml_fdim_f64(double a, double b) { return a != a || b != b ? OCML_NAN : a > b ? a - b : 0; }
OCML int __ocml_ilogb_f64(double x) {
  if (x == 0 || !(__builtin_fabs(x) < OCML_INF))
    return x == 0 ? -2147483647 - 1 : x != x ? -2147483647 - 1 : 2147483647;
  return __builtin_amdgcn_frexp_exp(x) - 1;
}
OCML double __ocml_modf_f64(double x, __attribute__((opencl_private)) double *whole) {
  double w = __builtin_trunc(x);
  *whole = w;
  return __ocml_copysign(__builtin_fabs(x) == OCML_INF ? 0 : x - w, x);
}
OCML double __ocml_nextafter_f64(double x, double to) {
  typedef unsigned long long u64;
  if (x != x || to != to)
    return OCML_NAN;
  if (x == to)
    return to;
  if (x == 0)
    return __ocml_copysign(0x1p-1074, to);
  u64 bits = __builtin_bit_cast(u64, x);
  return __builtin_bit_cast(double, (x < to) == (x > 0) ? bits + 1 : bits - 1);
}
/// |x| modulo |y| for finite numbers, y not 0, with the low bits of the quotient: long division, 11 bits a step.
OCML_HELP double __ocml_divide(double x, double y, unsigned &quotient) {
  typedef unsigned long long u64;
  x = __builtin_fabs(x), y = __builtin_fabs(y);
  quotient = 0;
  if (x < y)
    return x;
  int ex = __builtin_amdgcn_frexp_exp(x), ey = __builtin_amdgcn_frexp_exp(y);
  u64 a = u64(__builtin_ldexp(__builtin_amdgcn_frexp_mant(x), 53));
  u64 b = u64(__builtin_ldexp(__builtin_amdgcn_frexp_mant(y), 53));
  int left = ex - ey;
  quotient = unsigned(a / b);
  a %= b;
  while (left > 0) {
    int step = left < 11 ? left : 11;
    a <<= step;
    quotient = quotient << step | unsigned(a / b);
    a %= b;
    left -= step;
  }
  return __builtin_ldexp(double(a), ey - 53);
}
OCML double __ocml_fmod_f64(double x, double y) {
  if (!(__builtin_fabs(x) < OCML_INF) || y != y || y == 0)
    return OCML_NAN;
  if (__builtin_fabs(y) == OCML_INF)
    return x;
  unsigned quotient;
  return __ocml_copysign(__ocml_divide(x, y, quotient), x);
}
OCML double __ocml_remquo_f64(double x, double y, __attribute__((opencl_private)) int *quotient) {
  *quotient = 0;
  if (!(__builtin_fabs(x) < OCML_INF) || y != y || y == 0)
    return OCML_NAN;
  if (__builtin_fabs(y) == OCML_INF)
    return x;
  unsigned q;
  double r = __ocml_divide(x, y, q), size = __builtin_fabs(y);
  double half = size - r; // exact where it decides
  if (r > half || (r == half && (q & 1))) {
    r -= size;
    ++q;
  }
  int low = int(q & 0x7fffffff);
  *quotient = (x < 0) != (y < 0) ? -low : low;
  return r == 0 ? __ocml_copysign(0, x) : __builtin_signbit(x) ? -r : r;
}
OCML double __ocml_remainder_f64(double x, double y) {
  int quotient;
  return __ocml_remquo_f64(x, y, (__attribute__((opencl_private)) int *)&quotient);
}

#pragma float_control(pop)
