// Prefix sums in one pass with decoupled look-back: each work-group publishes its aggregate, then its inclusive prefix,
// and looks back over those of its predecessors. Groups take tickets, so predecessors have always started.
#include "check.h"

constexpr int GroupSize = 128, PerThread = 4, Tile = GroupSize * PerThread;
enum : unsigned long long { Empty = 0, Aggregate = 1, Prefix = 2 };

template <class T> __device__ unsigned long long pack(unsigned long long status, T value) {
  return status << 32 | __builtin_bit_cast(unsigned, value);
}
template <class T> __device__ T unpack(unsigned long long word) { return __builtin_bit_cast(T, unsigned(word)); }

template <class T> __global__ void scan(const T *in, T *out, unsigned long long *states, unsigned *ticket, int n) {
  __shared__ unsigned tile;
  __shared__ T sums[GroupSize], before;
  if (threadIdx.x == 0)
    tile = atomicAdd(ticket, 1);
  __syncthreads();
  int base = tile * Tile + threadIdx.x * PerThread;
  T values[PerThread], total = 0;
  for (int i = 0; i < PerThread; ++i) {
    total += base + i < n ? in[base + i] : T(0);
    values[i] = total;
  }
  sums[threadIdx.x] = total;
  __syncthreads();
  for (int delta = 1; delta < GroupSize; delta *= 2) {
    T below = threadIdx.x >= delta ? sums[threadIdx.x - delta] : T(0);
    __syncthreads();
    sums[threadIdx.x] = below + sums[threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    T aggregate = sums[GroupSize - 1], prefix = 0;
    if (tile > 0) {
      __hip_atomic_store(&states[tile], pack(Aggregate, aggregate), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
      for (int back = int(tile) - 1; back >= 0; --back) {
        unsigned long long state;
        do
          state = __hip_atomic_load(&states[back], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
        while (state >> 32 == Empty);
        prefix = unpack<T>(state) + prefix;
        if (state >> 32 == Prefix)
          break;
      }
    }
    __hip_atomic_store(&states[tile], pack(Prefix, prefix + aggregate), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    before = prefix;
  }
  __syncthreads();
  T start = before + (threadIdx.x ? sums[threadIdx.x - 1] : T(0));
  for (int i = 0; i < PerThread; ++i)
    if (base + i < n)
      out[base + i] = start + values[i];
}

template <class T> std::vector<T> run(const std::vector<T> &host) {
  int n = int(host.size()), tiles = (n + Tile - 1) / Tile;
  Device<T> in(host), out(host.size());
  Device<unsigned long long> states(tiles);
  Device<unsigned> ticket(1);
  scan<T><<<tiles, GroupSize>>>(in, out, states, ticket, n);
  return out.read();
}

int main() {
  constexpr int n = 12345;
  std::vector<unsigned> ints(n);
  std::vector<float> floats(n);
  for (int i = 0; i < n; ++i) {
    ints[i] = randomBits() % 1000;
    floats[i] = randomFloat();
  }
  std::vector<unsigned> scanned = run(ints);
  unsigned sum = 0, wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += scanned[i] != (sum += ints[i]);
  expect("prefix sums of ints", wrong, 0);
  std::vector<float> scannedFloats = run(floats);
  double exact = 0, size = 0, worst = 0;
  for (int i = 0; i < n; ++i) {
    exact += floats[i];
    size += __builtin_fabs(floats[i]);
    worst = __builtin_fmax(worst, __builtin_fabs(scannedFloats[i] - exact) / size);
  }
  expect("prefix sums of floats", worst, 40 * 0x1p-24);
  digest(scannedFloats);
  return finish("scan");
}
