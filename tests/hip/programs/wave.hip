// What lanes of a wave and work-items of a group do together: votes, shuffles, matches, counted barriers, tiles, atomics.
#include "check.h"
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

#define CHECK_LANE(what)                                                                                               \
  if (!(what))                                                                                                         \
  atomicOr(&wrong[0], 1u << (__COUNTER__ % 32)), wrong[1] = __LINE__

__global__ void lanes(unsigned *wrong) {
  int i = threadIdx.x, lane = i % warpSize;
  unsigned long long all = warpSize == 64 ? ~0ull : 0xffffffffull;
  CHECK_LANE(int(__lane_id()) == lane);
  CHECK_LANE(__ballot(lane & 1) == (0xaaaaaaaaaaaaaaaaull & all));
  CHECK_LANE(__activemask() == all && __any(lane == 5) && !__any(lane > 100) && __all(1) && !__all(lane < 3));
  CHECK_LANE(__shfl(lane * 3, 7) == 21 && __shfl(lane, 2, 8) == (lane & ~7) + 2);
  CHECK_LANE(__shfl_up(lane, 3) == (lane < 3 ? lane : lane - 3));
  CHECK_LANE(__shfl_down(lane, 4, 16) == ((lane & 15) + 4 < 16 ? lane + 4 : lane));
  CHECK_LANE(__shfl_xor(double(lane) + 0.25, 9) == (lane ^ 9) + 0.25);
  CHECK_LANE(__shfl_sync(all, lane, 31) == 31);
  CHECK_LANE(__match_any_sync(all, lane % 4) == ((0x1111111111111111ull << lane % 4) & all));
  if (lane % 3 == 0) {
    cg::coalesced_group some = cg::coalesced_threads();
    CHECK_LANE(some.size() == unsigned(warpSize + 2) / 3 && some.thread_rank() == unsigned(lane / 3));
    CHECK_LANE(some.shfl(lane, 2) == 6 && some.any(lane == 9) && !some.all(lane == 9));
  }
  CHECK_LANE(__syncthreads_count(i < 10) == 10 && __syncthreads_or(i == 77) && !__syncthreads_and(i != 77));
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  CHECK_LANE(block.thread_rank() == unsigned(i) && block.size() == blockDim.x);
  CHECK_LANE(tile.thread_rank() == unsigned(i % 16) && tile.meta_group_rank() == unsigned(i / 16));
  CHECK_LANE(cg::reduce(tile, i % 16, cg::plus<int>()) == 120 && cg::reduce(tile, i % 16, cg::greater<int>()) == 15);
  CHECK_LANE(cg::inclusive_scan(tile, 1, cg::plus<int>()) == i % 16 + 1);
  CHECK_LANE(tile.ballot(i % 16 < 4) == 15 && tile.shfl_down(i % 16, 1) == (i % 16 == 15 ? 15 : i % 16 + 1));
}

__global__ void atomics(unsigned *u, int *s, unsigned long long *l, float *f, double *d) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  atomicAdd(&u[0], 2u);
  atomicSub(&u[1], 1u);
  atomicMin(&s[0], i - 50);
  atomicMax(&s[1], i);
  atomicAnd(&u[2], ~(1u << (i % 7)));
  atomicOr(&u[3], 1u << (i % 20));
  atomicXor(&u[4], i);
  atomicInc(&u[5], 9);
  atomicDec(&u[6], 9);
  atomicExch(&u[7], 1234u);
  atomicAdd(&l[0], 1ull << 33);
  atomicMax(&l[1], (unsigned long long)i << 40);
  atomicAdd(&f[0], 0.5f);
  unsafeAtomicAdd(&f[1], 0.25f);
  atomicMax(&f[2], float(i));
  atomicMin(&f[3], -float(i));
  atomicAdd(&d[0], 0.125);
  unsafeAtomicAdd(&d[1], 2.0);
  atomicAdd_block(&u[8], 1u);
  atomicAdd_system(&u[9], 1u);
  // A product by compare and swap.
  unsigned old = u[10], assumed;
  do
    assumed = old, old = atomicCAS(&u[10], assumed, assumed * 3);
  while (old != assumed);
}

__global__ void clocks(long long *out) {
  long long before = clock64(), wall = wall_clock64();
  for (int i = 0; i < 8; ++i)
    __builtin_amdgcn_s_sleep(1);
  out[0] = clock64() - before;
  out[1] = wall_clock64() - wall;
}

int main() {
  Device<unsigned> wrong(2);
  lanes<<<1, 128>>>(wrong);
  std::vector<unsigned> found = wrong.read();
  if (found[1])
    printf("line %u\n", found[1]);
  expect("lanes", found[0], 0);

  constexpr unsigned n = 256;
  Device<unsigned> u(std::vector<unsigned>{0, n, ~0u, 0, 0, 0, 0, 0, 0, 0, 1});
  Device<int> s(std::vector<int>{0, 0});
  Device<unsigned long long> l(2);
  Device<float> f(std::vector<float>{0, 0, -1, 1});
  Device<double> d(2);
  atomics<<<2, n / 2>>>(u, s, l, f, d);
  unsigned product = 1, bits = 0;
  for (unsigned i = 0; i < n; ++i)
    product *= 3, bits ^= i;
  std::vector<unsigned> ru = u.read();
  std::vector<unsigned> eu{2 * n, 0, ~127u, (1u << 20) - 1, bits, n % 10, 4, 1234, n, n, product};
  for (unsigned i = 0; i < eu.size(); ++i)
    if (ru[i] != eu[i])
      printf("u[%u] is %u, not %u\n", i, ru[i], eu[i]);
  expect("integer atomics", ru == eu);
  expect("signed and long", s.read() == std::vector<int>{-50, n - 1} &&
                                l.read() == std::vector<unsigned long long>{(unsigned long long)n << 33,
                                                                            (unsigned long long)(n - 1) << 40});
  expect("float", f.read() == std::vector<float>{n / 2, n / 4, n - 1, -float(n - 1)});
  expect("double", d.read() == std::vector<double>{n / 8, 2 * n});
  Device<long long> time(2);
  clocks<<<1, 1>>>(time);
  expect("clocks go forward", time.read()[0] > 0 && time.read()[1] >= 0);
  return finish("wave");
}
