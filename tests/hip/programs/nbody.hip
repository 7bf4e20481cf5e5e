// Accelerations of all pairs of bodies, tile by tile through LDS, with rsqrtf.
#include "check.h"
#include <math.h>

constexpr int GroupSize = 128;
constexpr float Softening = 0.01f;

__global__ void accelerate(const float4 *bodies, float3 *out, int n) {
  __shared__ float4 tile[GroupSize];
  int i = blockIdx.x * GroupSize + threadIdx.x;
  float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int base = 0; base < n; base += GroupSize) {
    int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < GroupSize; ++k) {
      float3 d = make_float3(tile[k].x - own.x, tile[k].y - own.y, tile[k].z - own.z);
      float inverse = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + Softening);
      sum += d * (tile[k].w * inverse * inverse * inverse);
    }
    __syncthreads();
  }
  if (i < n)
    out[i] = sum;
}

int main() {
  constexpr int n = 300;
  std::vector<float4> bodies(n);
  for (float4 &b : bodies)
    b = make_float4(randomFloat(), randomFloat(), randomFloat(), 0.5f + 0.5f * fabsf(randomFloat()));
  Device<float4> in(bodies);
  Device<float3> out(n);
  accelerate<<<(n + GroupSize - 1) / GroupSize, GroupSize>>>(in, out, n);
  std::vector<float3> result = out.read();
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double sum[3] = {}, size[3] = {};
    for (const float4 &b : bodies) {
      double d[3] = {double(b.x) - bodies[i].x, double(b.y) - bodies[i].y, double(b.z) - bodies[i].z};
      double r = 1 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + Softening);
      for (int axis = 0; axis < 3; ++axis) {
        sum[axis] += d[axis] * b.w * r * r * r;
        size[axis] += fabs(d[axis] * b.w * r * r * r);
      }
    }
    for (unsigned axis = 0; axis < 3; ++axis)
      worst = fmax(worst, fabs(result[i][axis] - sum[axis]) / size[axis]);
  }
  // Sums of 300 terms; each term with about ten roundings, three of them in the cube.
  expect("acceleration", worst, (300 + 12) * 0x1p-24);
  return finish("nbody");
}
