// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011), held against its published vectors, and normal numbers from it.
#include "check.h"
#include <math.h>

__host__ __device__ inline unsigned high(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }

__host__ __device__ inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    unsigned h0 = high(0xD2511F53, counter.x), l0 = 0xD2511F53 * counter.x;
    unsigned h1 = high(0xCD9E8D57, counter.z), l1 = 0xCD9E8D57 * counter.z;
    counter = make_uint4(h1 ^ counter.y ^ key.x, l1, h0 ^ counter.w ^ key.y, l0);
    key += make_uint2(0x9E3779B9, 0xBB67AE85);
  }
  return counter;
}

__constant__ uint2 key;

__global__ void generate(uint4 *out, float2 *normals, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint4 bits = philox(make_uint4(i, 0, 0, 0), key);
  out[i] = bits;
  // Box and Muller
  float radius = sqrtf(-2 * logf((bits.x + 1.f) * 0x1p-32f)), s, c;
  sincospif(bits.y * 0x1p-31f, &s, &c);
  normals[i] = make_float2(radius * c, radius * s);
}

__global__ void known(uint4 *out) {
  out[0] = philox(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  out[1] = philox(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
  out[2] = philox(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), make_uint2(0xa4093822, 0x299f31d0));
}

int main() {
  Device<uint4> vectors(3);
  known<<<1, 1>>>(vectors);
  std::vector<uint4> v = vectors.read();
  expect("published vectors", v[0] == make_uint4(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8) &&
                                  v[1] == make_uint4(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd) &&
                                  v[2] == make_uint4(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
  constexpr int n = 4096;
  uint2 seed = make_uint2(12345, 678);
  HIP(hipMemcpyToSymbol(key, &seed, sizeof(seed)));
  Device<uint4> out(n);
  Device<float2> normals(n);
  generate<<<(n + 127) / 128, 128>>>(out, normals, n);
  std::vector<uint4> bits = out.read();
  std::vector<float2> pairs = normals.read();
  int wrong = 0;
  double worst = 0, sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    uint4 expected = philox(make_uint4(i, 0, 0, 0), seed);
    wrong += bits[i] != expected;
    double radius = sqrt(-2 * log((double(float(expected.x)) + 1) * 0x1p-32)), angle = M_PI * (expected.y * 0x1p-31);
    worst = fmax(worst, fabs(pairs[i].x - radius * cos(angle)) / fmax(radius, 1));
    worst = fmax(worst, fabs(pairs[i].y - radius * sin(angle)) / fmax(radius, 1));
    sum += pairs[i].x + pairs[i].y;
    squares += double(pairs[i].x) * pairs[i].x + double(pairs[i].y) * pairs[i].y;
  }
  expect("bits", wrong, 0);
  // sincospif's argument is rounded to a float, which is worth up to pi 2^-24.
  expect("normal numbers", worst, 12 * 0x1p-24);
  expect("mean", fabs(sum / (2 * n)), 4 / sqrt(2. * n));
  expect("variance", fabs(squares / (2 * n) - 1), 4 * sqrt(2 / (2. * n)));
  return finish("philox");
}
