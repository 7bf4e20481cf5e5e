// Least significant digit first, 4 bits a pass: counts by tile, an exclusive scan over (digit, tile), a stable scatter
// whose ranks come from ballots.
#include "check.h"

constexpr int Digits = 16, GroupSize = 256;

__global__ void count(const unsigned *keys, unsigned *counts, int n, int shift) {
  __shared__ unsigned local[Digits];
  if (threadIdx.x < Digits)
    local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * GroupSize + threadIdx.x;
  if (i < n)
    atomicAdd(&local[keys[i] >> shift & (Digits - 1)], 1);
  __syncthreads();
  if (threadIdx.x < Digits)
    counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

__global__ void exclusiveScan(unsigned *values, int n) {
  __shared__ unsigned sums[GroupSize];
  unsigned carry = 0;
  for (int base = 0; base < n; base += GroupSize) {
    int i = base + threadIdx.x;
    unsigned own = i < n ? values[i] : 0;
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int delta = 1; delta < GroupSize; delta *= 2) {
      unsigned below = threadIdx.x >= delta ? sums[threadIdx.x - delta] : 0;
      __syncthreads();
      sums[threadIdx.x] += below;
      __syncthreads();
    }
    if (i < n)
      values[i] = carry + sums[threadIdx.x] - own;
    carry += sums[GroupSize - 1];
    __syncthreads();
  }
}

__global__ void scatter(const unsigned *keys, const unsigned *values, unsigned *outKeys, unsigned *outValues,
                        const unsigned *offsets, int n, int shift) {
  __shared__ unsigned waveCounts[GroupSize / 32][Digits];
  int i = blockIdx.x * GroupSize + threadIdx.x, wave = threadIdx.x / warpSize;
  if (threadIdx.x < GroupSize / 32 * Digits)
    waveCounts[threadIdx.x / Digits][threadIdx.x % Digits] = 0;
  __syncthreads();
  unsigned key = i < n ? keys[i] : 0, digit = i < n ? key >> shift & (Digits - 1) : 0;
  unsigned long long same = __ballot(i < n);
  for (int bit = 0; bit < 4; ++bit) {
    unsigned long long set = __ballot(digit >> bit & 1);
    same &= digit >> bit & 1 ? set : ~set;
  }
  unsigned rank = __popcll(same & __lanemask_lt());
  if (i < n && rank == 0)
    waveCounts[wave][digit] = __popcll(same);
  __syncthreads();
  if (i < n) {
    for (int w = 0; w < wave; ++w)
      rank += waveCounts[w][digit];
    unsigned to = offsets[digit * gridDim.x + blockIdx.x] + rank;
    outKeys[to] = key;
    outValues[to] = values[i];
  }
}

int main() {
  constexpr int n = 3001;
  std::vector<unsigned> keys(n), values(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = randomBits() & 0xffffff;
    values[i] = i;
  }
  int groups = (n + GroupSize - 1) / GroupSize;
  Device<unsigned> a(keys), av(values), b(n), bv(n), counts(groups * Digits);
  unsigned *from = a, *fromValues = av, *to = b, *toValues = bv;
  for (int shift = 0; shift < 24; shift += 4) {
    count<<<groups, GroupSize>>>(from, counts, n, shift);
    exclusiveScan<<<1, GroupSize>>>(counts, groups * Digits);
    scatter<<<groups, GroupSize>>>(from, fromValues, to, toValues, counts, n, shift);
    unsigned *keysDone = to, *valuesDone = toValues;
    to = from, toValues = fromValues;
    from = keysDone, fromValues = valuesDone;
  }
  std::vector<unsigned> sorted = a.read(), order = av.read(), seen(n);
  unsigned wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += order[i] >= n || seen[order[i]]++ || sorted[i] != keys[order[i]];
    if (i > 0)
      wrong += sorted[i - 1] > sorted[i] || (sorted[i - 1] == sorted[i] && order[i - 1] > order[i]);
  }
  expect("pairs in order", wrong, 0);
  return finish("radix_sort");
}
