// HIP kernels at -O0 and -O3 for every emulated chip and wave size, compared with host C++.
#include "hip_kernels.h"

#include <cmath>
#include <limits>
#include <random>

using namespace hiptest;

namespace {

class Hip : public ::testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(All, Hip, ::testing::ValuesIn(variants()), [](const auto &info) { return info.param.name(); });

std::vector<float> randomFloats(size_t n, unsigned seed, float low = -4, float high = 4) {
  std::mt19937 g(seed);
  std::uniform_real_distribution<float> d(low, high);
  std::vector<float> v(n);
  for (float &x : v)
    x = d(g);
  return v;
}
std::vector<uint32_t> randomWords(size_t n, unsigned seed) {
  std::mt19937 g(seed);
  std::vector<uint32_t> v(n);
  for (uint32_t &x : v)
    x = g();
  return v;
}
/// Same bits, or both NaN.
::testing::AssertionResult same(float a, float b) {
  if (std::memcmp(&a, &b, 4) == 0 || (std::isnan(a) && std::isnan(b)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a << " is not " << b;
}
::testing::AssertionResult same(double a, double b) {
  if (std::memcmp(&a, &b, 8) == 0 || (std::isnan(a) && std::isnan(b)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a << " is not " << b;
}

TEST_P(Hip, VectorAdd) {
  auto object = compile(R"(
KERNEL add(const float *a, const float *b, float *o, int n) {
  int i = BID * 64 + TID;
  if (i < n) o[i] = a[i] + b[i];
})",
                        GetParam());
  ASSERT_TRUE(object);
  Device d(object);
  int n = 1000;
  auto a = randomFloats(n, 1), b = randomFloats(n, 2);
  std::vector<float> o(n, -1);
  uint64_t pa = d.wrap(a, "a"), pb = d.wrap(b, "b"), po = d.wrap(o, "o");
  auto s = d.run("add", {{16, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(pb).add(po).add(n));
  for (int i = 0; i < n; ++i)
    ASSERT_TRUE(same(o[i], a[i] + b[i])) << i;
  EXPECT_EQ(s.workGroups, 16u);
  EXPECT_GT(s.laneOperations, uint64_t(n));
  EXPECT_TRUE(d.memory.written(po));
  EXPECT_FALSE(d.memory.written(pa));
}

TEST_P(Hip, ReductionThroughLds) {
  auto object = compile(R"(
KERNEL reduce(const float *a, float *o) {
  __shared__ float part[256];
  part[TID] = a[BID * 256 + TID];
  sync();
  for (int s = 128; s > 0; s >>= 1) {
    if (TID < s) part[TID] += part[TID + s];
    sync();
  }
  if (TID == 0) o[BID] = part[0];
})",
                        GetParam());
  ASSERT_TRUE(object);
  Device d(object);
  auto a = randomFloats(256 * 5, 3);
  std::vector<float> o(5), expected;
  uint64_t pa = d.wrap(a), po = d.wrap(o);
  d.run("reduce", {{5, 1, 1}, {256, 1, 1}}, Arguments().add(pa).add(po));
  for (int g = 0; g < 5; ++g) {
    std::vector<float> part(a.begin() + g * 256, a.begin() + (g + 1) * 256);
    for (int s = 128; s > 0; s >>= 1)
      for (int t = 0; t < s; ++t)
        part[t] += part[t + s];
    EXPECT_TRUE(same(o[g], part[0])) << g;
  }
}

/// Operands that reach every branch of the division expansion.
template <class T> std::vector<T> hardNumbers() {
  using L = std::numeric_limits<T>;
  std::vector<T> v = {0,
                      -T(0),
                      1,
                      -1,
                      3,
                      T(0.1),
                      L::min(),
                      L::max(),
                      -L::max(),
                      L::denorm_min(),
                      L::infinity(),
                      -L::infinity(),
                      L::quiet_NaN(),
                      L::min() * 3,
                      L::max() / 3,
                      L::denorm_min() * 7,
                      T(1e-5),
                      T(1e5)};
  std::mt19937_64 g(7);
  for (int i = 0; i < 46; ++i)
    v.push_back(std::ldexp(T(1) + T(g() % 100000) / 100000,
                           int(g() % (sizeof(T) == 4 ? 250 : 2000)) - (sizeof(T) == 4 ? 125 : 1000)));
  return v;
}

template <class T> void divide(const Variant &variant, const char *type) {
  auto object = compile(std::string("typedef ") + type + R"( T;
KERNEL divide(const T *a, const T *b, T *q, T *r) {
  int i = BID * 64 + TID;
  q[i] = a[i] / b[i];
  r[i] = __builtin_elementwise_sqrt(a[i]);
})",
                        variant);
  ASSERT_TRUE(object);
  Device d(object);
  auto v = hardNumbers<T>();
  std::vector<T> a, b;
  for (T x : v)
    for (T y : v)
      a.push_back(x), b.push_back(y);
  std::vector<T> q(a.size()), r(a.size());
  uint64_t pa = d.wrap(a), pb = d.wrap(b), pq = d.wrap(q), pr = d.wrap(r);
  d.run("divide", {{uint32_t(a.size() / 64), 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(pb).add(pq).add(pr));
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(same(q[i], a[i] / b[i])) << a[i] << " / " << b[i];
    ASSERT_TRUE(same(r[i], std::sqrt(a[i]))) << "sqrt " << a[i];
  }
}
TEST_P(Hip, DivisionF32) { divide<float>(GetParam(), "float"); }
TEST_P(Hip, DivisionF64) { divide<double>(GetParam(), "double"); }

TEST_P(Hip, HalfMath) {
  auto object = compile(R"(
KERNEL half(const f16 *a, const f16 *b, f16 *o) {
  int i = BID * 64 + TID;
  f16 x = a[i], y = b[i];
  o[i * 8 + 0] = x + y;
  o[i * 8 + 1] = x - y;
  o[i * 8 + 2] = x * y;
  o[i * 8 + 3] = x / y;
  o[i * 8 + 4] = __builtin_elementwise_fma(x, y, (f16)1.5f);
  o[i * 8 + 5] = x < y ? x : (f16)-y;
  o[i * 8 + 6] = (f16)(int)(x * (f16)3);
  o[i * 8 + 7] = __builtin_elementwise_sqrt(x);
}
typedef f16 h2 __attribute__((ext_vector_type(2)));
KERNEL packed(const h2 *a, const h2 *b, h2 *o) {
  int i = BID * 64 + TID;
  h2 x = a[i], y = b[i];
  o[i * 3] = x * y + __builtin_shufflevector(x, x, 1, 0);
  o[i * 3 + 1] = x - y;
  o[i * 3 + 2] = __builtin_elementwise_max(x, y);
})",
                        GetParam(), "-ffp-contract=off");
  ASSERT_TRUE(object);
  Device d(object);
  std::mt19937 g(5);
  size_t n = 64 * 16;
  std::vector<_Float16> a(n), b(n), o(n * 8), p(n * 3);
  for (size_t i = 0; i < n; ++i) {
    uint16_t x = uint16_t(g()), y = uint16_t(g());
    if ((x & 0x7c00) == 0x7c00)
      x &= 0xbfff;
    if ((y & 0x7c00) == 0x7c00)
      y &= 0xbfff;
    std::memcpy(&a[i], &x, 2), std::memcpy(&b[i], &y, 2);
  }
  uint64_t pa = d.wrap(a), pb = d.wrap(b), po = d.wrap(o), pp = d.wrap(p);
  d.run("half", {{16, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(pb).add(po));
  d.run("packed", {{8, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(pb).add(pp));
  auto f = [](_Float16 x) { return float(x); };
  for (size_t i = 0; i < n; ++i) {
    float x = f(a[i]), y = f(b[i]);
    ASSERT_TRUE(same(f(o[i * 8]), f(_Float16(x + y)))) << x << " " << y;
    ASSERT_TRUE(same(f(o[i * 8 + 1]), f(_Float16(x - y))));
    ASSERT_TRUE(same(f(o[i * 8 + 2]), f(_Float16(x * y))));
    ASSERT_TRUE(same(f(o[i * 8 + 3]), f(_Float16(x / y)))) << x << " / " << y;
    ASSERT_TRUE(same(f(o[i * 8 + 4]), f(_Float16(double(x) * double(y) + 1.5)))) << x << " " << y;
    ASSERT_TRUE(same(f(o[i * 8 + 5]), x < y ? x : -y));
    float tripled = f(_Float16(x * 3));
    if (std::fabs(tripled) < 65504)
      ASSERT_TRUE(same(f(o[i * 8 + 6]), f(_Float16(float(int(tripled)))))) << x;
    ASSERT_TRUE(same(f(o[i * 8 + 7]), f(_Float16(std::sqrt(x))))) << x;
  }
  for (size_t i = 0; i < n / 2; ++i)
    for (int h = 0; h < 2; ++h) {
      float x = f(a[i * 2 + h]), y = f(b[i * 2 + h]), other = f(a[i * 2 + 1 - h]);
      ASSERT_TRUE(same(f(p[i * 6 + h]), f(_Float16(f(_Float16(x * y)) + other))));
      ASSERT_TRUE(same(f(p[i * 6 + 2 + h]), f(_Float16(x - y))));
      ASSERT_TRUE(same(f(p[i * 6 + 4 + h]), x > y ? x : y));
    }
}

TEST_P(Hip, PrivateArrays) {
  auto object = compile(R"(
KERNEL sortEach(const u32 *a, u32 *o, int n) {
  u32 v[24]; unsigned short s[16]; unsigned char c[16];
  int base = (BID * 64 + TID) * n;
  for (int i = 0; i < n; ++i) v[i] = a[base + i];
  for (int i = 0; i < 16; ++i) { s[i] = v[i]; c[i] = v[i] >> 16; }
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && v[j - 1] > v[j]; --j) { u32 t = v[j]; v[j] = v[j - 1]; v[j - 1] = t; }
  for (int i = 0; i < n; ++i) o[base + i] = v[i] ^ s[v[i] & 15] ^ ((u32)c[(v[i] >> 4) & 15] << 16);
})",
                        GetParam());
  ASSERT_TRUE(object);
  Device d(object);
  int n = 20;
  auto a = randomWords(n * 128, 9);
  std::vector<uint32_t> o(a.size());
  uint64_t pa = d.wrap(a), po = d.wrap(o);
  d.run("sortEach", {{2, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(po).add(n));
  for (int t = 0; t < 128; ++t) {
    std::vector<uint32_t> v(a.begin() + t * n, a.begin() + (t + 1) * n), raw = v;
    std::sort(v.begin(), v.end());
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(o[t * n + i], v[i] ^ uint16_t(raw[v[i] & 15]) ^ (uint32_t(uint8_t(raw[(v[i] >> 4) & 15] >> 16)) << 16))
          << t << " " << i;
  }
}

TEST_P(Hip, DivergentControlFlow) {
  auto object = compile(R"(
__device__ __attribute__((noinline)) u32 collatz(u32 n) { u32 s = 0; while (n != 1 && s < 200) { n = n & 1 ? 3 * n + 1 : n / 2; ++s; } return s; }
KERNEL flow(const u32 *a, u32 *o) {
  int i = BID * 64 + TID;
  u32 x = a[i], r = 0;
  switch (x % 7) {
  case 0: r = x * 3; break;
  case 1: for (u32 k = 0; k < x % 13; ++k) { if (k == 9) break; r += k * x; } break;
  case 2: r = x / 5;
  case 3: r ^= x % 11; break;
  case 4: r = collatz(x % 1000 + 1); break;
  case 5: { u32 k = x % 37; do { r = r * 31 + k; if (r % 5 == 0) continue; r ^= 17; } while (k-- > 3); break; }
  default: r = ~x;
  }
  o[i] = r;
})",
                        GetParam());
  ASSERT_TRUE(object);
  Device d(object);
  auto a = randomWords(64 * 20, 11);
  std::vector<uint32_t> o(a.size());
  uint64_t pa = d.wrap(a), po = d.wrap(o);
  d.run("flow", {{20, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(po));
  for (size_t i = 0; i < a.size(); ++i) {
    uint32_t x = a[i], r = 0;
    switch (x % 7) {
    case 0:
      r = x * 3;
      break;
    case 1:
      for (uint32_t k = 0; k < x % 13; ++k) {
        if (k == 9)
          break;
        r += k * x;
      }
      break;
    case 2:
      r = x / 5;
      [[fallthrough]];
    case 3:
      r ^= x % 11;
      break;
    case 4: {
      uint32_t n = x % 1000 + 1;
      while (n != 1 && r < 200) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        ++r;
      }
      break;
    }
    case 5: {
      uint32_t k = x % 37;
      do {
        r = r * 31 + k;
        if (r % 5 == 0)
          continue;
        r ^= 17;
      } while (k-- > 3);
      break;
    }
    default:
      r = ~x;
    }
    ASSERT_EQ(o[i], r) << i << " case " << x % 7;
  }
}

TEST_P(Hip, Integers64) {
  auto object = compile(R"(
KERNEL wide(const u64 *a, const u64 *b, u64 *o) {
  int i = BID * 64 + TID;
  u64 x = a[i], y = b[i] | 1; i64 sx = x, sy = y;
  o[i * 12 + 0] = x * y; o[i * 12 + 1] = x / y; o[i * 12 + 2] = x % y; o[i * 12 + 3] = sx / sy;
  o[i * 12 + 4] = x << (y & 63); o[i * 12 + 5] = x >> (y & 63); o[i * 12 + 6] = sx >> (y & 63);
  o[i * 12 + 7] = __builtin_popcountll(x) + 100 * __builtin_ctzll(y << 3) + 10000 * __builtin_clzll(y);
  o[i * 12 + 8] = sx < sy ? x - y : x + y;
  o[i * 12 + 9] = (u64)(((unsigned __int128)x * y) >> 64);
  o[i * 12 + 10] = __builtin_bitreverse64(x) ^ y;
  o[i * 12 + 11] = (u64)(double)sx + (u64)(u32)(int)(float)(int)x;
})",
                        GetParam());
  ASSERT_TRUE(object);
  Device d(object);
  std::mt19937_64 g(13);
  size_t n = 64 * 8;
  std::vector<uint64_t> a(n), b(n), o(n * 12);
  for (size_t i = 0; i < n; ++i)
    a[i] = g() >> (g() % 60), b[i] = g() >> (g() % 60);
  uint64_t pa = d.wrap(a), pb = d.wrap(b), po = d.wrap(o);
  d.run("wide", {{8, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(pb).add(po));
  for (size_t i = 0; i < n; ++i) {
    uint64_t x = a[i], y = b[i] | 1, *r = &o[i * 12];
    int64_t sx = x, sy = y;
    ASSERT_EQ(r[0], x * y);
    ASSERT_EQ(r[1], x / y);
    ASSERT_EQ(r[2], x % y);
    ASSERT_EQ(int64_t(r[3]), sx / sy);
    ASSERT_EQ(r[4], x << (y & 63));
    ASSERT_EQ(r[5], x >> (y & 63));
    ASSERT_EQ(int64_t(r[6]), sx >> (y & 63));
    ASSERT_EQ(r[7], uint64_t(__builtin_popcountll(x) + 100 * __builtin_ctzll(y << 3) + 10000 * __builtin_clzll(y)));
    ASSERT_EQ(r[8], sx < sy ? x - y : x + y);
    ASSERT_EQ(r[9], uint64_t((unsigned __int128)x * y >> 64));
    uint64_t reversed = 0;
    for (int k = 0; k < 64; ++k)
      reversed |= (x >> k & 1) << (63 - k);
    ASSERT_EQ(r[10], reversed ^ y);
    if (sx > 0 && double(sx) < 9e18 && int(x) > 0 && float(int(x)) < 2147483648.0f)
      ASSERT_EQ(r[11], uint64_t(double(sx)) + uint64_t(uint32_t(int(float(int(x))))));
  }
}

TEST_P(Hip, Atomics) {
  auto object = compile(R"(
KERNEL histogram(const u32 *a, u32 *counts, u32 *top, u64 *sum, float *fsum, u32 *tickets) {
  __shared__ u32 local[16];
  u32 x = a[BID * 128 + TID];
  if (TID < 16) local[TID] = 0;
  sync();
  __hip_atomic_fetch_add(&local[x & 15], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  sync();
  if (TID < 16) __hip_atomic_fetch_add(&counts[TID], local[TID], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_max(top, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(sum, (u64)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  if (fsum) {
    __hip_atomic_fetch_add(fsum, 1.0f / (float)(x % 1000 + 1), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    tickets[BID * 128 + TID] = __hip_atomic_fetch_add(&counts[16], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
})",
                        GetParam(), "-munsafe-fp-atomics");
  ASSERT_TRUE(object);
  auto a = randomWords(128 * 24, 17);
  std::vector<float> sums;
  for (unsigned threads : {1u, 4u}) {
    Device d(object);
    std::vector<uint32_t> counts(17), top(1), tickets(a.size());
    std::vector<uint64_t> sum(1);
    std::vector<float> fsum(1);
    uint64_t pa = d.wrap(a), pc = d.wrap(counts), pt = d.wrap(top), ps = d.wrap(sum), pf = d.wrap(fsum),
             pk = d.wrap(tickets);
    LaunchOptions options;
    options.threads = threads;
    d.run("histogram", {{24, 1, 1}, {128, 1, 1}}, Arguments().add(pa).add(pc).add(pt).add(ps).add(pf).add(pk), options);
    std::vector<uint32_t> expected(16);
    uint32_t biggest = 0;
    uint64_t total = 0;
    double inverse = 0;
    for (uint32_t x : a)
      ++expected[x & 15], biggest = std::max(biggest, x), total += x, inverse += 1.0 / (x % 1000 + 1);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(counts[i], expected[i]);
    EXPECT_EQ(counts[16], a.size());
    EXPECT_EQ(top[0], biggest);
    EXPECT_EQ(sum[0], total);
    EXPECT_NEAR(fsum[0], inverse, 1e-4 * inverse);
    sums.push_back(fsum[0]);
    std::sort(tickets.begin(), tickets.end());
    for (uint32_t i = 0; i < tickets.size(); ++i)
      ASSERT_EQ(tickets[i], i);
  }
  EXPECT_TRUE(same(sums[0], sums[1])) << "the float sum depends on the threads";
}

TEST_P(Hip, ThreeDimensionsAndGlobals) {
  auto object = compile(R"(
__device__ u32 table[4] = {10, 20, 30, 40};
__constant__ u32 fixed[3] = {7, 8, 9};
__device__ u32 *pointer = &table[2];
KERNEL where(u32 *o, unsigned char k, short s, double f) {
  u32 x = BID * 4 + TID, y = BIDY * 3 + TIDY, z = BIDZ * 5 + TIDZ;
  o[(z * 6 + y) * 8 + x] = x | y << 8 | z << 16 | (table[x & 3] + fixed[y % 3] + k + s + (int)f + *pointer) << 24;
})",
                        GetParam());
  ASSERT_TRUE(object);
  Device d(object);
  std::vector<uint32_t> o(8 * 6 * 10);
  uint64_t po = d.wrap(o);
  d.run("where", {{2, 2, 2}, {4, 3, 5}}, Arguments().add(po).add(uint8_t(3)).add(int16_t(-5)).add(2.5));
  const uint32_t table[] = {10, 20, 30, 40}, fixed[] = {7, 8, 9};
  for (uint32_t z = 0; z < 10; ++z)
    for (uint32_t y = 0; y < 6; ++y)
      for (uint32_t x = 0; x < 8; ++x)
        ASSERT_EQ(o[(z * 6 + y) * 8 + x], x | y << 8 | z << 16 | (table[x & 3] + fixed[y % 3] + 3 - 5 + 2 + 30) << 24);
  uint64_t bytes = 0;
  auto address = d.module->global("table", &bytes);
  ASSERT_TRUE(bool(address));
  EXPECT_EQ(bytes, 16u);
  auto missing = d.module->global("tables");
  ASSERT_FALSE(bool(missing));
  EXPECT_NE(llvm::toString(missing.takeError()).find("table"), std::string::npos);
}

TEST_P(Hip, CrossLane) {
  auto object = compile(R"(
KERNEL lanes(const u32 *a, u32 *o) {
  int i = TID; u32 x = a[i];
  u32 quad = __builtin_amdgcn_mov_dpp(x, 0x1b, 0xf, 0xf, true);        // quad_perm [3,2,1,0]
  u32 shr = __builtin_amdgcn_update_dpp(7, x, 0x111, 0xf, 0xf, false); // row_shr:1, old 7
  u32 mirror = __builtin_amdgcn_mov_dpp(x, 0x140, 0xf, 0xf, true);
  u32 sw = __builtin_amdgcn_ds_swizzle(x, 0x041f);                     // xor 1
  u32 bp = __builtin_amdgcn_ds_bpermute(((i * 5) & 31) * 4, x);
  u32 first = __builtin_amdgcn_readfirstlane(x), third = __builtin_amdgcn_readlane(x, 3);
  u32 below = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  u64 odd = __builtin_amdgcn_ballot_w64(x & 1);
  o[i * 9] = quad; o[i * 9 + 1] = shr; o[i * 9 + 2] = mirror; o[i * 9 + 3] = sw; o[i * 9 + 4] = bp;
  o[i * 9 + 5] = first; o[i * 9 + 6] = third; o[i * 9 + 7] = below; o[i * 9 + 8] = odd;
})",
                        GetParam());
  ASSERT_TRUE(object);
  Device d(object);
  auto a = randomWords(32, 19);
  std::vector<uint32_t> o(32 * 9);
  uint64_t pa = d.wrap(a), po = d.wrap(o);
  d.run("lanes", {{1, 1, 1}, {32, 1, 1}}, Arguments().add(pa).add(po));
  uint32_t odd = 0;
  for (int l = 0; l < 32; ++l)
    odd |= (a[l] & 1) << l;
  for (int l = 0; l < 32; ++l) {
    uint32_t *r = &o[l * 9];
    EXPECT_EQ(r[0], a[l ^ 3]);
    EXPECT_EQ(r[1], l & 15 ? a[l - 1] : 7);
    EXPECT_EQ(r[2], a[l ^ 15]);
    EXPECT_EQ(r[3], a[l ^ 1]);
    EXPECT_EQ(r[4], a[(l * 5) & 31]);
    EXPECT_EQ(r[5], a[0]);
    EXPECT_EQ(r[6], a[3]);
    EXPECT_EQ(r[7], uint32_t(l));
    EXPECT_EQ(r[8], odd);
  }
}

TEST_P(Hip, Transcendentals) {
  auto object = compile(R"(
KERNEL math(const float *a, float *o) {
  int i = BID * 64 + TID; float x = a[i];
  o[i * 6] = __builtin_amdgcn_exp2f(x); o[i * 6 + 1] = __builtin_amdgcn_logf(x); o[i * 6 + 2] = __builtin_amdgcn_rcpf(x);
  o[i * 6 + 3] = __builtin_amdgcn_rsqf(x); o[i * 6 + 4] = __builtin_amdgcn_sinf(x); o[i * 6 + 5] = __builtin_amdgcn_cosf(x);
})",
                        GetParam());
  ASSERT_TRUE(object);
  Device d(object);
  auto a = randomFloats(64 * 64, 21, -120, 120);
  float special[] = {0.0f,    -0.0f,  1.0f,    INFINITY, -INFINITY, NAN,   1e-42f,
                     -1e-42f, 130.0f, -126.5f, 0.25f,    0.5f,      0.75f, 300.0f};
  std::copy(std::begin(special), std::end(special), a.begin());
  std::vector<float> o(a.size() * 6);
  uint64_t pa = d.wrap(a), po = d.wrap(o);
  d.run("math", {{64, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(po));
  auto flush = [](float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; };
  for (size_t i = 0; i < a.size(); ++i) {
    float x = a[i], z = flush(x), *r = &o[i * 6];
    ASSERT_TRUE(same(r[0], flush(float(std::exp2(double(x)))))) << "exp2 " << x;
    ASSERT_TRUE(same(r[1], float(std::log2(double(z))))) << "log2 " << x;
    ASSERT_TRUE(same(r[2], flush(float(1.0 / double(z))))) << "rcp " << x;
    ASSERT_TRUE(same(r[3], float(1.0 / std::sqrt(double(z))))) << "rsq " << x;
    if (std::fabs(x) <= 256) {
      ASSERT_NEAR(r[4], std::sin(2 * M_PI * std::remainder(double(z), 1.0)), 1e-7) << "sin " << x;
      ASSERT_NEAR(r[5], std::cos(2 * M_PI * std::remainder(double(z), 1.0)), 1e-7) << "cos " << x;
    } else if (std::isinf(x)) {
      ASSERT_TRUE(std::isnan(r[4]) && std::isnan(r[5]));
    }
  }
}

} // namespace
