// Counts in LDS by atomics, then added to the bins in memory.
#include "check.h"

constexpr int Bins = 256;

__global__ void histogram(const unsigned char *data, unsigned *bins, int n) {
  __shared__ unsigned local[Bins];
  for (int i = threadIdx.x; i < Bins; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < Bins; i += blockDim.x)
    if (local[i])
      atomicAdd(&bins[i], local[i]);
}

int main() {
  constexpr int n = 40000;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(Bins);
  for (unsigned char &x : data) {
    x = (unsigned char)(randomBits() % 251 * (randomBits() & 1));
    ++expected[x];
  }
  Device<unsigned char> in(data);
  Device<unsigned> bins(Bins);
  histogram<<<8, 192>>>(in, bins, n);
  unsigned wrong = 0;
  std::vector<unsigned> counted = bins.read();
  for (int i = 0; i < Bins; ++i)
    wrong += counted[i] != expected[i];
  expect("bins", wrong, 0);
  return finish("histogram");
}
