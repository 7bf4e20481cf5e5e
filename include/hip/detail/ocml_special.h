//===- hip/detail/ocml_special.h - error and gamma functions in double precision ------------------===//
#pragma once

#pragma float_control(push)
#pragma clang fp contract(off)

// Error and gamma functions --------------------------------------------------------------------------

/// e^(x^2) erfc(x) for x >= 0: fitted in t = (x - 4) / (x + 4), relative error 2^-54.
OCML_HELP double __ocml_erfcx_positive(double x) {
  double t = x > 0x1p60 ? 1 : (x - 4) / (x + 4);
  double p = __ocml_horner(t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd6bap-7, 0x1.16ecefcfa5383p-4,
                           -0x1.9ddb23c3e89f3p-4, 0x1.7fee004e1295bp-4, -0x1.0fb06dfe52605p-4, 0x1.3079edf67777bp-5,
                           -0x1.096238838fb04p-6, 0x1.49c6728a1a0f0p-8, -0x1.8d4a9b0690e08p-11, -0x1.a1df289a58f28p-13,
                           0x1.3be04c486a75ep-13, -0x1.9958e21c32f5cp-16, -0x1.78862b6b1e3abp-17, 0x1.7f2545048fbf3p-18,
                           0x1.398374178fe8cp-22, -0x1.baf5e74545cc2p-21, 0x1.4cb0ece36623dp-24, 0x1.d98825ca9deb5p-24,
                           -0x1.611fc8f45b510p-26, -0x1.fcc3a5268653fp-27, 0x1.b34e17ed4ff9fp-29, 0x1.f5d7df6dfda90p-30,
                           -0x1.24000f0a15ee9p-32, -0x1.3ab58f87cfb03p-33);
  return p / (1 + 2 * x);
}
/// erf(x) / x for |x| <= 1: fitted, relative error 2^-54.8.
OCML_HELP double __ocml_erf_ratio(double z) {
  return __ocml_horner(z, 0x1.20dd750429b6dp+0, -0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4, -0x1.b82ce31288b51p-6,
                       0x1.565bcd0e6a530p-8, -0x1.c02db400406a3p-11, 0x1.f9a326f9a7769p-14, -0x1.f4d25c3b729a6p-17,
                       0x1.b9e6c9944bd7ep-20, -0x1.5f74291398641p-23, 0x1.fcc4c8ec29638p-27, -0x1.51cfe00be885fp-30,
                       0x1.9df7fd0b39a12p-34, -0x1.d332e777f7344p-38, 0x1.cf915d8f3c685p-42, -0x1.3aa422cc5d833p-46);
}
OCML_HELP double __ocml_erfc_positive(double x) {
  __ocml_pair square = __ocml_product(x, x);
  return __ocml_exp_pair(-square.hi, -square.lo) * __ocml_erfcx_positive(x);
}
OCML double __ocml_erf_f64(double x) {
  double size = __builtin_fabs(x);
  if (__ocml_isnan(x))
    return x;
  if (size <= 1)
    return x * __ocml_erf_ratio(x * x);
  return __ocml_copysign(size > 6 ? 1 : 1 - __ocml_erfc_positive(size), x);
}
OCML double __ocml_erfc_f64(double x) {
  if (__ocml_isnan(x))
    return x;
  if (x < 0.5)
    return x > -1 ? 1 - x * __ocml_erf_ratio(x * x) : x < -6 ? 2 : 2 - __ocml_erfc_positive(-x);
  return x > 28 ? 0 : __ocml_erfc_positive(x);
}
OCML double __ocml_erfcx_f64(double x) {
  if (x >= 0 || __ocml_isnan(x))
    return x >= 0 ? __ocml_erfcx_positive(x) : x;
  if (x < -27)
    return OCML_INF;
  __ocml_pair square = __ocml_product(x, x);
  return 2 * __ocml_exp_pair(square.hi, square.lo) - __ocml_erfcx_positive(-x);
}
/// x with erfc(x) = p for 0 < p <= 1, by Halley's method from the asymptotic value.
OCML_HELP double __ocml_erfcinv_positive(double p) {
  double t = __builtin_sqrt(-2 * __ocml_log_f64(0.5 * p));
  double x = 0.70710678118654752 * (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                                            (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))); // Hastings
  if (x < 0)
    x = 0;
  for (int i = 0; i < 3; ++i) {
    // erfc(x) / p is kept as a ratio, so that small p keep their digits.
    double value = x < 0.5 ? 1 - x * __ocml_erf_ratio(x * x) : __ocml_erfc_positive(x);
    __ocml_pair square = __ocml_product(x, x);
    double slope = 0x1.20dd750429b6dp+0 * __ocml_exp_pair(-square.hi, -square.lo);
    double step = (value - p) / slope;
    x += step / (1 - x * step);
  }
  return x;
}
OCML double __ocml_erfcinv_f64(double p) {
  if (!(p >= 0 && p <= 2))
    return OCML_NAN;
  if (p == 0 || p == 2)
    return p == 0 ? OCML_INF : -OCML_INF;
  return p <= 1 ? __ocml_erfcinv_positive(p) : -__ocml_erfcinv_positive(2 - p);
}
OCML double __ocml_erfinv_f64(double y) {
  double size = __builtin_fabs(y);
  if (!(size <= 1))
    return OCML_NAN;
  if (size == 1)
    return __ocml_copysign(OCML_INF, y);
  double x;
  if (size > 0.5) {
    x = __ocml_erfcinv_positive(1 - size);
  } else {
    x = size * 0x1.c5bf891b4ef6bp-1;
    for (int i = 0; i < 4; ++i) {
      double step = (x * __ocml_erf_ratio(x * x) - size) / (0x1.20dd750429b6dp+0 * __ocml_exp_f64(-x * x));
      x -= step / (1 + x * step);
    }
  }
  return __ocml_copysign(x, y);
}
OCML double __ocml_ncdf_f64(double x) {
  __ocml_pair t = __ocml_product(x, -0x1.6a09e667f3bcdp-1);
  return 0.5 * __ocml_erfc_f64(t.hi + (t.lo - x * -0x1.bdd3413b26456p-55));
}
OCML double __ocml_ncdfinv_f64(double p) { return -0x1.6a09e667f3bcdp+0 * __ocml_erfcinv_f64(2 * p); }

/// log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2 for x >= 12 (Stirling's series).
OCML_HELP double __ocml_stirling(double x) {
  double z = 1 / (x * x);
  return __ocml_horner(z, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
                       0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8, -0x1.e4286cb0f5398p-6) /
         x;
}
/// gamma(hi + lo) for hi >= 12.
OCML_HELP double __ocml_gamma_large(__ocml_pair x) {
  __ocml_pair l = __ocml_log_pair(x.hi), p = __ocml_product(x.hi - 0.5, l.hi);
  __ocml_pair e = __ocml_two_sum(p.hi, -x.hi), f = __ocml_two_sum(e.hi, 0x1.d67f1c864beb5p-1);
  double low = e.lo + f.lo + p.lo + (x.hi - 0.5) * l.lo - 0x1.65b5a1b7ff5dfp-55 + __ocml_stirling(x.hi);
  low += x.lo * (l.hi - 0.5 / x.hi); // the derivative of log(gamma)
  __ocml_pair sum = __ocml_fast_sum(f.hi, low);
  return __ocml_exp_pair(sum.hi, sum.lo);
}
/// gamma(x) for x < 172 by gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1)), the product in two doubles.
OCML_HELP double __ocml_gamma_shifted(__ocml_pair x) {
  __ocml_pair product = {1, 0};
  double n = 0;
  while (x.hi + n < 12) {
    __ocml_pair term = __ocml_two_sum(x.hi, n);
    term.lo += x.lo;
    __ocml_pair next = __ocml_product(product.hi, term.hi);
    product = __ocml_fast_sum(next.hi, next.lo + (product.hi * term.lo + product.lo * term.hi));
    n += 1;
  }
  __ocml_pair shifted = __ocml_two_sum(x.hi, n);
  shifted.lo += x.lo;
  double g = __ocml_gamma_large(shifted);
  return n == 0 ? g : g / product.hi * (1 - product.lo / product.hi);
}
OCML double __ocml_tgamma_f64(double x) {
  if (x == 0)
    return __ocml_copysign(OCML_INF, x);
  if (__ocml_isnan(x) || x == OCML_INF || __builtin_fabs(x) < 0x1p-60)
    return x == OCML_INF ? x : __ocml_isnan(x) ? x : 1 / x;
  if (x > 172)
    return OCML_INF;
  if (x > 0)
    return __ocml_gamma_shifted({x, 0});
  if (__builtin_trunc(x) == x)
    return OCML_NAN;
  if (x > -40)
    return __ocml_gamma_shifted({x, 0});
  if (x < -185)
    return __builtin_trunc(__builtin_floor(x) * 0.5) * 2 == __builtin_floor(x) ? 0.0 : -0.0;
  // gamma(x) gamma(1 - x) = pi / sin(pi x), in steps so that the product does not overflow
  __ocml_pair y = __ocml_two_sum(1, -x);
  double g = 1;
  while (y.hi > 170) {
    y.hi -= 1;
    g *= y.hi;
  }
  return 0x1.921fb54442d18p+1 / (__ocml_sinpi_f64(x) * __ocml_gamma_shifted(y)) / g;
}
/// For 0.7 <= x <= 2.5: fitted around the zeros at 1 and 2.
OCML_HELP double __ocml_lgamma_near(double x) {
  if (x <= 1.35) {
    double t = x - 1;
    return t * __ocml_horner(t, -0x1.2788cfc6fb619p-1, 0x1.a51a6625307dcp-1, -0x1.9a4d55beab2fap-2,
                             0x1.151322ac7ad0ap-2, -0x1.a8b9c17a9c6bdp-3, 0x1.5b40cb13f2fe2p-3, -0x1.2703a1e4306cep-3,
                             0x1.010b3568f90c1p-3, -0x1.c8066b4435c71p-4, 0x1.9a02567a6a06bp-4, -0x1.748d323e55fe1p-4,
                             0x1.555f16b68830fp-4, -0x1.3b00c9453e33dp-4, 0x1.254c43c068ee9p-4, -0x1.1304cec784a4ap-4,
                             0x1.f3b5d0eafa3fdp-5, -0x1.bab872dfc8791p-5, 0x1.f7e55b7e57f69p-5, -0x1.3f1d929eacc0fp-4,
                             0x1.9b5edba97ccaep-5);
  }
  double t = x - 2;
  return t * __ocml_horner(t, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4, 0x1.51322ac7d8483p-6,
                           -0x1.e404fc218f5edp-8, 0x1.7add6eadb6c1bp-9, -0x1.38ac5c2bf927fp-10, 0x1.0b36af863a41cp-11,
                           -0x1.d3fd4c7683ddbp-13, 0x1.a127b0f0f7f9cp-14, -0x1.78de5bf1d70fdp-15, 0x1.580dcef940e69p-16,
                           -0x1.3cbc90c1acd0bp-17, 0x1.2597a3f251552p-18, -0x1.11b3aee4beb9cp-19, 0x1.006441a536b37p-20,
                           -0x1.e23b9f8203284p-22, 0x1.c79ac4b3763afp-23, -0x1.b197cbedf804ep-24, 0x1.95a91f24ba79ep-25,
                           -0x1.700e07a5a1d1bp-26, 0x1.a81d366aa7b8ep-27, -0x1.dd114461a1958p-28,
                           -0x1.4b77aabaf7407p-33, -0x1.62fd97fdd021dp-32, 0x1.65f32000335bap-29);
}
OCML_HELP double __ocml_lgamma_positive(double x) {
  if (x < 0x1p-60)
    return -__ocml_log_f64(x);
  if (x < 0.7)
    return __ocml_lgamma_near(x + 1) - __ocml_log_f64(x);
  if (x <= 2.5)
    return __ocml_lgamma_near(x);
  if (x < 12) {
    double product = 1;
    while (x > 2.5) {
      x -= 1;
      product *= x;
    }
    return __ocml_lgamma_near(x) + __ocml_log_f64(product);
  }
  if (x > 0x1p60)
    return x * (__ocml_log_f64(x) - 1);
  return __ocml_fma(x - 0.5, __ocml_log_f64(x), -x) + 0x1.d67f1c864beb5p-1 + __ocml_stirling(x);
}
OCML double __ocml_lgamma_f64(double x) {
  if (__ocml_isnan(x))
    return x;
  if (!(__builtin_fabs(x) < OCML_INF))
    return OCML_INF;
  if (x > 0)
    return __ocml_lgamma_positive(x);
  if (__builtin_trunc(x) == x)
    return OCML_INF;
  return __ocml_log_f64(0x1.921fb54442d18p+1 / __builtin_fabs(x * __ocml_sinpi_f64(x))) - __ocml_lgamma_positive(-x);
}

#pragma float_control(pop)
