// Number types and integer functions: device against host, bit for bit.
#include "check.h"
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>
#include <math.h>
#include <string.h>

struct Row {
  unsigned short half[6], bf16[5];
  unsigned char fp8[4];
  float wide[6];
  unsigned integers[16];
  unsigned long long longs[4];
  float4 vector;
  int2 pair;
};

__host__ __device__ inline void numbers(float x, float y, Row &r) {
  __half a = __float2half(x), b = __float2half(y);
  r.half[0] = __half_as_ushort(a + b);
  r.half[1] = __half_as_ushort(a * b);
  r.half[2] = __half_as_ushort(a - b);
  r.half[3] = __half_as_ushort(__hfma(a, b, a));
  r.half[4] = __half_as_ushort(__hmax(a, b));
  __half2 h2 = __hadd2(__floats2half2_rn(x, y), __half2half2(b));
  r.half[5] = __half_as_ushort(h2.x) ^ __half_as_ushort(h2.y);
  __hip_bfloat16 c(x), d(y);
  r.bf16[0] = __bfloat16_as_ushort(c + d);
  r.bf16[1] = __bfloat16_as_ushort(c * d);
  r.bf16[2] = __bfloat16_as_ushort(__hmin(c, d));
  r.bf16[3] = __bfloat16_as_ushort(__hip_bfloat16(double(x) * (1 + 0x1p-40)));
  r.bf16[4] = __bfloat16_as_ushort(-c);
  r.fp8[0] = __hip_fp8_e4m3(x).__x;
  r.fp8[1] = __hip_fp8_e5m2(x).__x;
  r.fp8[2] = __hip_fp8_e4m3_fnuz(x).__x;
  r.fp8[3] = __hip_fp8_e5m2_fnuz(x).__x;
  r.wide[0] = float(__hip_fp8_e4m3(x));
  r.wide[1] = float(__hip_fp8_e5m2(x));
  r.wide[2] = float(__hip_fp8_e4m3_fnuz(x));
  r.wide[3] = float(__hip_fp8_e5m2_fnuz(x));
  r.wide[4] = __half2float(a);
  r.wide[5] = __bfloat162float(c);
  float4 v = make_float4(x, y, x * 2, 1);
  v = v * 4.f + make_float4(1, 2, 3, 4); // an exact product: fused or not, the sum is one
  v *= make_float4(2, 2, 4, 0.5f);
  r.vector = -v;
  r.pair = (make_int2(x < 1000 ? int(x * 8) : 77, 100) << 2) ^ make_int2(5, 7);
}

__global__ void run(const float *x, const float *y, const unsigned *bits, Row *rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Row r{};
  numbers(x[i], y[i], r);
  unsigned a = bits[i], b = bits[i + 1];
  unsigned long long w = (unsigned long long)a << 32 | b;
  unsigned integers[] = {unsigned(__popc(a)),
                         unsigned(__clz(int(a))),
                         unsigned(__ffs(int(a))),
                         __brev(a),
                         __umulhi(a, b),
                         unsigned(__mulhi(int(a), int(b))),
                         __byte_perm(a, b, 0x5140),
                         __funnelshift_l(a, b, 13),
                         __funnelshift_r(a, b, 13),
                         __uhadd(a, b),
                         unsigned(__rhadd(int(a), int(b))),
                         __usad(a, b, 5),
                         __bitextract_u32(a, 5, 9),
                         __bitinsert_u32(a, b, 4, 7),
                         unsigned(__float2int_rn(x[i] * 3)),
                         __umul24(a, b)};
  memcpy(r.integers, integers, sizeof(integers));
  r.longs[0] = __popcll(w) | __clzll((long long)w) << 8 | (unsigned long long)__ffsll((long long)w) << 16;
  r.longs[1] = __brevll(w);
  r.longs[2] = __umul64hi(w, w ^ 0x123456789abcdefull);
  r.longs[3] = (unsigned long long)__double2ll_rd(double(x[i]) * 1e9) ^ __float2ull_rz(fabsf(y[i]) * 1e6f);
  rows[i] = r;
}

static unsigned reverse(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i)
    r = r << 1 | (x >> i & 1);
  return r;
}

int main() {
  std::vector<float> x, y;
  const float special[] = {0, -0.f, 1, 65504, 65520, 1e-8f, 448, 464, 480, 57344, 61440, 0x1p-9f, 0x1.8p-10f, -240, 1e30f};
  for (float v : special)
    x.push_back(v), y.push_back(v * 0.75f);
  for (int i = 0; i < 500; ++i)
    x.push_back(ldexpf(randomFloat(), int(randomBits() % 40) - 20)), y.push_back(ldexpf(randomFloat(), 3));
  int n = int(x.size());
  std::vector<unsigned> bits(n + 1);
  for (unsigned &b : bits)
    b = randomBits() >> (randomBits() % 32);
  Device<float> dx(x), dy(y);
  Device<unsigned> db(bits);
  Device<Row> out(n);
  run<<<(n + 63) / 64, 64>>>(dx, dy, db, out, n);
  std::vector<Row> rows = out.read();
  int wrong[7] = {};
  for (int i = 0; i < n; ++i) {
    Row e{};
    numbers(x[i], y[i], e);
    unsigned a = bits[i], b = bits[i + 1];
    unsigned long long w = (unsigned long long)a << 32 | b, both = (unsigned long long)b << 32 | a;
    unsigned char bytes[8];
    memcpy(bytes, &both, 8);
    long long sum = (long long)int(a) + int(b);
    unsigned integers[] = {unsigned(__builtin_popcount(a)),
                           unsigned(a ? __builtin_clz(a) : 32),
                           unsigned(__builtin_ffs(int(a))),
                           reverse(a),
                           unsigned((unsigned long long)a * b >> 32),
                           unsigned((long long)int(a) * int(b) >> 32),
                           unsigned(bytes[0] | bytes[4] << 8 | bytes[1] << 16 | unsigned(bytes[5]) << 24),
                           b << 13 | a >> 19,
                           a >> 13 | b << 19,
                           unsigned(((unsigned long long)a + b) >> 1),
                           unsigned((sum + 1) >> 1),
                           5 + (a > b ? a - b : b - a),
                           a >> 5 & 511,
                           (a & ~(127u << 4)) | (b & 127) << 4,
                           unsigned(int(rint(fmin(fmax(double(x[i] * 3), -2147483648.), 2147483647.)))),
                           (a & 0xffffff) * (b & 0xffffff)};
    memcpy(e.integers, integers, sizeof(integers));
    e.longs[0] = __builtin_popcountll(w) | (w ? __builtin_clzll(w) : 64) << 8 |
                 (unsigned long long)__builtin_ffsll((long long)w) << 16;
    e.longs[1] = (unsigned long long)reverse(b) << 32 | reverse(a);
    e.longs[2] = (unsigned long long)((unsigned __int128)w * (w ^ 0x123456789abcdefull) >> 64);
    double scaled = floor(double(x[i]) * 1e9);
    e.longs[3] = (scaled >= 0x1p63 ? 0x7fffffffffffffffull : (unsigned long long)(long long)scaled) ^
                 (fabsf(y[i]) * 1e6f >= 0x1p64f ? ~0ull : (unsigned long long)(fabsf(y[i]) * 1e6f));
    const Row &r = rows[i];
    wrong[0] += memcmp(r.half, e.half, sizeof(r.half)) != 0;
    wrong[1] += memcmp(r.bf16, e.bf16, sizeof(r.bf16)) != 0;
    wrong[2] += memcmp(r.fp8, e.fp8, sizeof(r.fp8)) != 0;
    wrong[3] += memcmp(r.wide, e.wide, sizeof(r.wide)) != 0;
    wrong[4] += memcmp(r.integers, e.integers, sizeof(r.integers)) != 0;
    wrong[5] += memcmp(r.longs, e.longs, sizeof(r.longs)) != 0;
    wrong[6] += memcmp(&r.vector, &e.vector, sizeof(r.vector)) != 0 || r.pair != e.pair;
    for (int k = 0; k < 16; ++k)
      if (r.integers[k] != e.integers[k] && wrong[4] < 3)
        printf("integer %d of row %d: %08x, not %08x\n", k, i, r.integers[k], e.integers[k]);
  }
  const char *names[] = {"half", "bfloat16", "fp8", "back to float", "integers", "long integers", "vectors"};
  for (int k = 0; k < 7; ++k)
    expect(names[k], wrong[k], 0);
  // Known values of the dialects (OCP OFP8 1.0; FNUZ: bias one more, -0 is NaN).
  expect("e4m3", __hip_fp8_e4m3(448.f).__x == 0x7e && __hip_fp8_e4m3(1.f).__x == 0x38 && __hip_fp8_e4m3(1e9f).__x == 0x7e);
  expect("e5m2", __hip_fp8_e5m2(57344.f).__x == 0x7b && __hip_fp8_e5m2(-1.f).__x == 0xbc);
  expect("fnuz", __hip_fp8_e4m3_fnuz(240.f).__x == 0x7f && __hip_fp8_e4m3_fnuz(-0.f).__x == 0 &&
                     __hip_fp8_e4m3_fnuz(1.f).__x == 0x40 && __hip_fp8_e5m2_fnuz(1.f).__x == 0x40);
  return finish("types");
}
