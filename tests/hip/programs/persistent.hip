// A kernel that stays: groups take tasks from a queue until it is empty; a barrier over the grid; work that the host
// hands over through pinned memory while the kernel runs.
#include "check.h"
#include <hip/hip_cooperative_groups.h>
#include <math.h>

__global__ void worker(unsigned *next, const float *in, float *sum, unsigned *taken, unsigned tasks, int size) {
  __shared__ unsigned task;
  while (true) {
    if (threadIdx.x == 0)
      task = atomicAdd(next, 1);
    __syncthreads();
    unsigned mine = task;
    __syncthreads();
    if (mine >= tasks)
      return;
    float value = 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x)
      value += in[mine * size + i];
    for (int mask = warpSize / 2; mask; mask /= 2)
      value += __shfl_xor(value, mask);
    if (threadIdx.x % warpSize == 0)
      atomicAdd(sum, value);
    if (threadIdx.x == 0)
      atomicAdd(&taken[mine], 1);
    // Two neighbouring conditions on one lane must not stand across the loop's end: LLVM 22 threads the first into the
    // second and lets the other lanes pass the barrier alone, on hardware too.
    __syncthreads();
  }
}

// Each round reads what all groups wrote in the round before.
__global__ void rounds(unsigned *values, int count) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = int(grid.thread_rank()), n = int(grid.size());
  for (int round = 0; round < count; ++round) {
    unsigned left = values[(i + n - 1) % n], right = values[(i + 1) % n];
    grid.sync();
    values[i] = left + right;
    grid.sync();
  }
}

__global__ void listen(volatile int *mailbox, volatile int *answer) {
  for (int message = 1; message <= 3; ++message) {
    while (mailbox[0] != message)
      __builtin_amdgcn_s_sleep(1);
    answer[message] = mailbox[message] * 10;
    __threadfence_system();
    answer[0] = message;
  }
}

int main() {
  constexpr unsigned tasks = 40;
  constexpr int size = 100;
  std::vector<float> host(tasks * size);
  double exact = 0, total = 0;
  for (float &x : host) {
    x = randomFloat();
    exact += x, total += fabs(x);
  }
  Device<float> in(host), sum(1);
  Device<unsigned> next(1), taken(tasks);
  worker<<<6, 64>>>(next, in, sum, taken, tasks, size);
  unsigned wrong = 0;
  for (unsigned times : taken.read())
    wrong += times != 1;
  expect("tasks taken once", wrong, 0);
  std::vector<float> result = sum.read();
  expect("sum", fabs(result[0] - exact) / total, 100 * 0x1p-24);
  digest(result);

  int groups = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, rounds, 64, 0));
  expect("several groups fit", groups > 1);
  constexpr int n = 4 * 64, count = 5;
  std::vector<unsigned> values(n);
  for (unsigned &x : values)
    x = randomBits() & 0xff;
  Device<unsigned> ring(values);
  unsigned *pointer = ring;
  int repeats = count;
  void *arguments[] = {&pointer, &repeats};
  HIP(hipLaunchCooperativeKernel(rounds, dim3(4), dim3(64), arguments, 0, nullptr));
  HIP(hipDeviceSynchronize());
  for (int round = 0; round < count; ++round) {
    std::vector<unsigned> before = values;
    for (int i = 0; i < n; ++i)
      values[i] = before[(i + n - 1) % n] + before[(i + 1) % n];
  }
  expect("barriers over the grid", ring.read() == values);

  int *mailbox, *answer;
  HIP(hipHostMalloc(&mailbox, 4 * sizeof(int)));
  HIP(hipHostMalloc(&answer, 4 * sizeof(int)));
  listen<<<1, 1>>>(mailbox, answer);
  for (int message = 1; message <= 3; ++message) {
    mailbox[message] = message + 4;
    __atomic_store_n(&mailbox[0], message, __ATOMIC_RELEASE);
    while (__atomic_load_n(&answer[0], __ATOMIC_ACQUIRE) != message) {
    }
    wrong += answer[message] != (message + 4) * 10;
  }
  HIP(hipDeviceSynchronize());
  expect("messages answered", wrong, 0);
  HIP(hipHostFree(mailbox));
  HIP(hipHostFree(answer));
  return finish("persistent");
}
