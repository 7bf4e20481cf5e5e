// Sums: within a wave by shuffles, within a work-group through LDS, over the grid by atomics.
#include "check.h"
#include <math.h>

template <class T> __device__ T groupSum(T value) {
  __shared__ T parts[32];
  for (int delta = warpSize / 2; delta; delta /= 2)
    value += __shfl_down(value, delta);
  int wave = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  if (lane == 0)
    parts[wave] = value;
  __syncthreads();
  T sum = 0;
  if (threadIdx.x == 0)
    for (unsigned i = 0; i < blockDim.x / warpSize; ++i)
      sum += parts[i];
  __syncthreads();
  return sum;
}

template <class T> __global__ void sum(const T *in, T *out, int n) {
  T mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += in[i];
  T total = groupSum(mine);
  if (threadIdx.x == 0)
    atomicAdd(out, total);
}

__global__ void largest(const int *in, int *out, int n) {
  int mine = -2147483647 - 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine = max(mine, in[i]);
  for (int mask = warpSize / 2; mask; mask /= 2)
    mine = max(mine, __shfl_xor(mine, mask));
  if (threadIdx.x % warpSize == 0)
    atomicMax(out, mine);
}

template <class T> double reduce(const std::vector<T> &host, std::vector<T> &result) {
  Device<T> in(host), out(1);
  sum<T><<<9, 256>>>(in, out, int(host.size()));
  HIP(hipGetLastError());
  result = out.read();
  long double exact = 0, size = 0;
  for (T x : host)
    exact += x, size += fabsl((long double)x);
  return double(fabsl(result[0] - exact) / size);
}

int main() {
  constexpr int n = 20011;
  std::vector<float> floats(n);
  std::vector<double> doubles(n);
  std::vector<int> ints(n);
  for (int i = 0; i < n; ++i) {
    floats[i] = randomFloat();
    doubles[i] = randomFloat() * 1e-3 + randomFloat();
    ints[i] = int(randomBits() & 0xffff) - 30000;
  }
  std::vector<float> sumFloat;
  std::vector<double> sumDouble;
  std::vector<int> sumInt;
  // Each value takes part in at most n / threads + log2(256) + groups additions.
  double additions = n / (9 * 256.) + 9 + 9;
  expect("sum of floats", reduce(floats, sumFloat), additions * 0x1p-24);
  expect("sum of doubles", reduce(doubles, sumDouble), additions * 0x1p-53);
  expect("sum of ints", reduce(ints, sumInt), 0);
  Device<int> in(ints), out(std::vector<int>{-2147483647 - 1});
  largest<<<3, 128>>>(in, out, n);
  int most = ints[0];
  for (int x : ints)
    most = x > most ? x : most;
  expect("largest", out.read()[0] == most);
  digest(sumFloat);
  digest(sumDouble);
  return finish("reduction");
}
