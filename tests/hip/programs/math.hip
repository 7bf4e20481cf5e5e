// Device mathematics against the host's long double functions: the largest error in units of the last place, for each
// function in each precision, with special values beside random ones. docs/hip.md repeats the bounds.
#include "check.h"
#include <math.h>

// name, host function, lowest and highest argument (of the random ones, by magnitude as powers of two where log2 says
// so), bounds in ulp for float and double
#define ONE_ARGUMENT(F)                                                                                                \
  F(sin, sinl, -1e3, 1e3, 0, 1, 1)                                                                                     \
  F(cos, cosl, -1e3, 1e3, 0, 1, 1)                                                                                     \
  F(tan, tanl, -1e3, 1e3, 0, 1, 1)                                                                                     \
  F(exp, expl, -90, 90, 0, 2, 1)                                                                                       \
  F(exp2, exp2l, -126, 127, 0, 2, 1)                                                                                   \
  F(exp10, exp10l, -37, 38, 0, 2, 1)                                                                                   \
  F(expm1, expm1l, -20, 80, 0, 1, 2)                                                                                   \
  F(log, logl, -125, 126, 1, 2, 1)                                                                                     \
  F(log2, log2l, -125, 126, 1, 2, 1)                                                                                   \
  F(log10, log10l, -125, 126, 1, 2, 1)                                                                                 \
  F(log1p, log1pl, -0.999, 30, 0, 1, 1)                                                                                \
  F(sqrt, sqrtl, -125, 126, 1, 0.5, 0.5)                                                                               \
  F(rsqrt, rsqrtOf, -125, 126, 1, 1, 1)                                                                                \
  F(cbrt, cbrtl, -125, 126, 1, 1, 1)                                                                                   \
  F(asin, asinl, -1, 1, 0, 1, 1)                                                                                       \
  F(acos, acosl, -1, 1, 0, 1, 1)                                                                                       \
  F(atan, atanl, -20, 20, 0, 1, 1)                                                                                     \
  F(sinh, sinhl, -80, 80, 0, 1, 2)                                                                                     \
  F(cosh, coshl, -80, 80, 0, 1, 2)                                                                                     \
  F(tanh, tanhl, -10, 10, 0, 1, 3)                                                                                     \
  F(asinh, asinhl, -1e3, 1e3, 0, 1, 2)                                                                                 \
  F(acosh, acoshl, 1, 1e3, 0, 1, 2)                                                                                    \
  F(atanh, atanhl, -1, 1, 0, 1, 2)                                                                                     \
  F(erf, erfl, -5, 5, 0, 1, 2)                                                                                         \
  F(erfc, erfcl, -5, 9, 0, 1, 4)                                                                                       \
  F(tgamma, tgammal, -5.5, 33, 0, 1, 4)                                                                                \
  F(lgamma, lgammal, 0.01, 100, 0, 1, 4)                                                                               \
  F(sinpi, sinpiOf, -50, 50, 0, 1, 1)                                                                                  \
  F(cospi, cospiOf, -50, 50, 0, 1, 1)                                                                                  \
  F(erfinv, erfinvOf, -0.99, 0.99, 0, 1, 4)                                                                            \
  F(floor, floorl, -1e3, 1e3, 0, 0, 0)                                                                                 \
  F(rint, rintl, -1e3, 1e3, 0, 0, 0)                                                                                   \
  F(trunc, truncl, -1e3, 1e3, 0, 0, 0)
#define TWO_ARGUMENTS(F)                                                                                               \
  F(pow, powl, 0, 20, 0, 1, 1)                                                                                         \
  F(atan2, atan2l, -5, 5, 0, 1, 1)                                                                                     \
  F(hypot, hypotl, -1e3, 1e3, 0, 1, 1)                                                                                 \
  F(fmod, fmodl, -1e3, 1e3, 0, 0, 0)                                                                                   \
  F(remainder, remainderl, -1e3, 1e3, 0, 0, 0)                                                                         \
  F(fmax, fmaxl, -1e3, 1e3, 0, 0, 0)                                                                                   \
  F(nextafter, nextafterOf, -1e3, 1e3, 0, 0, 0)

static long double rsqrtOf(long double x) { return 1 / sqrtl(x); }
static long double sinpiOf(long double x) {
  if (!(fabsl(x) < INFINITY))
    return NAN;
  long double r = x - 2 * rintl(x / 2), k = rintl(2 * r);
  long double f = (r - k / 2) * M_PIl;
  long double values[] = {sinl(f), cosl(f), -sinl(f), -cosl(f)};
  return x == truncl(x) ? copysignl(0, x) : values[int(k) & 3];
}
static long double cospiOf(long double x) {
  if (!(fabsl(x) < INFINITY))
    return NAN;
  long double r = x - 2 * rintl(x / 2), k = rintl(2 * r);
  long double f = (r - k / 2) * M_PIl;
  long double values[] = {cosl(f), -sinl(f), -cosl(f), sinl(f)};
  return fabsl(x - truncl(x)) == 0.5L ? 0 : values[int(k) & 3];
}
static long double erfinvOf(long double y) {
  if (!(fabsl(y) < 1))
    return fabsl(y) == 1 ? copysignl(INFINITY, y) : NAN;
  long double x = y;
  for (int i = 0; i < 60; ++i)
    x += (y - erfl(x)) / (2 / sqrtl(M_PIl) * expl(-x * x));
  return x;
}
static bool isFloat;
static long double nextafterOf(long double x, long double y) {
  return isFloat ? (long double)nextafterf(float(x), float(y)) : (long double)nextafter(double(x), double(y));
}

#define FLOAT_CASE(name, ...)                                                                                          \
  case __COUNTER__ - firstFloat:                                                                                       \
    out[i] = name##f(x);                                                                                               \
    break;
#define FLOAT_CASE_2(name, ...)                                                                                        \
  case __COUNTER__ - firstFloat:                                                                                       \
    out[i] = name##f(x, y);                                                                                            \
    break;
#define DOUBLE_CASE(name, ...)                                                                                         \
  case __COUNTER__ - firstDouble:                                                                                      \
    out[i] = name(x);                                                                                                  \
    break;
#define DOUBLE_CASE_2(name, ...)                                                                                       \
  case __COUNTER__ - firstDouble:                                                                                      \
    out[i] = name(x, y);                                                                                               \
    break;
constexpr int firstFloat = __COUNTER__ + 1;
__global__ void evaluateFloat(int function, const float *xs, const float *ys, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = xs[i], y = ys[i];
  switch (function) { ONE_ARGUMENT(FLOAT_CASE) TWO_ARGUMENTS(FLOAT_CASE_2) }
}
constexpr int firstDouble = __COUNTER__ + 1;
__global__ void evaluateDouble(int function, const double *xs, const double *ys, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double x = xs[i], y = ys[i];
  switch (function) { ONE_ARGUMENT(DOUBLE_CASE) TWO_ARGUMENTS(DOUBLE_CASE_2) }
}

struct Function {
  const char *name;
  long double (*one)(long double), (*two)(long double, long double);
  double low, high;
  bool powers;
  double floatBound, doubleBound;
};
#define ROW_1(name, host, low, high, powers, f, d) {#name, host, nullptr, low, high, powers, f, d},
#define ROW_2(name, host, low, high, powers, f, d) {#name, nullptr, host, low, high, powers, f, d},
static const Function functions[] = {ONE_ARGUMENT(ROW_1) TWO_ARGUMENTS(ROW_2)};

template <class T> struct Limits;
template <> struct Limits<float> {
  static constexpr int digits = 24, least = -149;
  static constexpr float largest = 0x1.fffffep127f;
};
template <> struct Limits<double> {
  static constexpr int digits = 53, least = -1074;
  static constexpr double largest = 0x1.fffffffffffffp1023;
};

template <class T> static double ulps(T got, long double exact) {
  if (exact != exact || got != got)
    return exact != exact && got != got ? 0 : 1e9;
  if (fabsl(exact) >= (long double)Limits<T>::largest * (1 + 0x1p-25L * (Limits<T>::digits == 24)) || isinf(got)) {
    // At the edge of the range rounding decides.
    bool bothLarge = fabsl(exact) >= (long double)Limits<T>::largest && fabs(double(got)) >= double(Limits<T>::largest);
    return bothLarge && signbit(got) == signbit(exact) ? 0 : 1e9;
  }
  if (exact == 0)
    return got == 0 ? 0 : fabs(double(got)) / ldexp(1., Limits<T>::least);
  int exponent = ilogbl(exact) - Limits<T>::digits + 1;
  return double(fabsl(got - exact) / ldexpl(1, exponent < Limits<T>::least ? Limits<T>::least : exponent));
}

template <class T, class Launch> static void measure(const char *type, int perFunction, Launch launch) {
  const T special[] = {0,       T(-0.), 1,          -1,       T(0.5), T(-2.5),  T(INFINITY), T(-INFINITY),
                       T(NAN),  3,      T(1e10),    T(-1e10), T(1e-30), T(0x1p100), T(0x1.8p29), Limits<T>::largest,
                       T(7.5),  -3,     T(0x1p-126)};
  for (int f = 0; f < int(sizeof(functions) / sizeof(*functions)); ++f) {
    const Function &function = functions[f];
    std::vector<T> x, y;
    for (T v : special)
      for (T w : {T(2), T(-3), T(0.5), T(0), T(INFINITY), T(NAN)}) {
        x.push_back(v), y.push_back(w);
        if (!function.two)
          break;
      }
    for (int i = 0; i < perFunction; ++i) {
      auto draw = [&] {
        double u = (double(randomBits()) + double(randomBits()) * 0x1p-32) * 0x1p-32;
        double value = function.low + u * (function.high - function.low);
        return function.powers ? exp2(value) : value;
      };
      x.push_back(T(draw())), y.push_back(T(draw()));
      if (i % 8 == 0)
        x.back() = T(draw() * exp2(-double(randomBits() % 30)));
      if (i % 16 == 1 && !function.powers && function.high == 1e3 && !function.two)
        x.back() = T(ldexp(1 + randomFloat() * 0.5, 9 + int(randomBits() % (Limits<T>::digits == 24 ? 118 : 1000))));
    }
    int n = int(x.size());
    Device<T> dx(x), dy(y), out(n);
    launch(f, dx, dy, out, n);
    std::vector<T> result = out.read();
    double worst = 0;
    int at = 0;
    isFloat = Limits<T>::digits == 24;
    for (int i = 0; i < n; ++i) {
      long double exact = function.one ? function.one((long double)x[i]) : function.two((long double)x[i], (long double)y[i]);
      double error = ulps(result[i], exact);
      // Between its poles lgamma has zeros that no formula of doubles resolves: there the error is absolute.
      if (function.one == lgammal && x[i] < 0 && exact < INFINITY)
        error = double(fabsl(result[i] - exact) / fmaxl(1, fabsl(exact)) * ldexpl(1, Limits<T>::digits - 1));
      if (error > worst)
        worst = error, at = i;
    }
    char what[160];
    snprintf(what, sizeof(what), "%s %s at %.17g, %.17g gives %.17g", type, function.name, double(x[at]), double(y[at]),
             double(result[at]));
    expect(what, worst, isFloat ? function.floatBound : function.doubleBound);
  }
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 300;
  measure<float>("float", count, [](int f, const float *x, const float *y, float *out, int n) {
    evaluateFloat<<<(n + 63) / 64, 64>>>(f, x, y, out, n);
  });
  measure<double>("double", count, [](int f, const double *x, const double *y, double *out, int n) {
    evaluateDouble<<<(n + 63) / 64, 64>>>(f, x, y, out, n);
  });
  return finish("math");
}
