// Streams and events: order within and between streams, host functions, emulated time, queries.
#include "check.h"

__global__ void spin(float *x, int rounds) {
  float v = x[threadIdx.x];
  for (int i = 0; i < rounds; ++i)
    v = v * 1.0001f + 0.5f;
  x[threadIdx.x] = v;
}
__global__ void append(int *log, int *length, int value) { log[(*length)++] = value; }

static float timeOf(hipStream_t stream, float *x, int rounds) {
  hipEvent_t start, stop;
  HIP(hipEventCreate(&start));
  HIP(hipEventCreate(&stop));
  HIP(hipEventRecord(start, stream));
  spin<<<1, 64, 0, stream>>>(x, rounds);
  HIP(hipEventRecord(stop, stream));
  HIP(hipEventSynchronize(stop));
  HIP(hipEventQuery(stop));
  float milliseconds = -1;
  HIP(hipEventElapsedTime(&milliseconds, start, stop));
  HIP(hipEventDestroy(start));
  HIP(hipEventDestroy(stop));
  return milliseconds;
}

int main() {
  Device<float> x(64);
  int least, greatest;
  HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
  hipStream_t a, b;
  HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
  HIP(hipStreamCreateWithPriority(&b, hipStreamDefault, greatest));
  unsigned flags;
  int priority;
  HIP(hipStreamGetFlags(a, &flags));
  HIP(hipStreamGetPriority(b, &priority));
  expect("flags and priority", flags == hipStreamNonBlocking && priority == greatest);

  float once = timeOf(a, x, 1000), again = timeOf(a, x, 1000), longer = timeOf(b, x, 4000);
  expect("the same work takes the same time", once == again && once > 0);
  expect("four times the work takes longer", longer > 2 * once && longer < 4.1 * once);
  printf("spin takes %.9g ms\n", once);

  Device<int> log(8), length(1);
  append<<<1, 1, 0, a>>>(log, length, 1);
  hipEvent_t event;
  HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  HIP(hipEventRecord(event, a));
  HIP(hipStreamWaitEvent(b, event, 0));
  append<<<1, 1, 0, b>>>(log, length, 2);
  static int seen[3];
  HIP(hipLaunchHostFunc(b, [](void *data) { seen[0] = *(int *)data; }, &least));
  HIP(hipStreamAddCallback(
      b, [](hipStream_t, hipError_t status, void *) { seen[1] = status == hipSuccess ? 7 : -1; }, nullptr, 0));
  append<<<1, 1, 0, b>>>(log, length, 3);
  HIP(hipStreamSynchronize(b));
  HIP(hipStreamQuery(b));
  std::vector<int> order = log.read();
  expect("order", order[0] == 1 && order[1] == 2 && order[2] == 3);
  expect("host functions", seen[0] == least && seen[1] == 7);
  float none;
  expect("no time without timing", hipEventElapsedTime(&none, event, event) == hipErrorInvalidHandle);

  // Pageable memory may be reused at once; pinned memory is filled when the stream says so.
  std::vector<int> pageable(64, 5), result(64);
  Device<int> copied(64);
  HIP(hipMemcpyAsync(copied, pageable.data(), 64 * sizeof(int), hipMemcpyHostToDevice, a));
  pageable.assign(64, 6);
  HIP(hipMemcpyAsync(result.data(), copied, 64 * sizeof(int), hipMemcpyDeviceToHost, a));
  expect("staged copy", result[0] == 5 && result[63] == 5);
  HIP(hipEventDestroy(event));
  HIP(hipStreamDestroy(a));
  HIP(hipStreamDestroy(b));
  HIP(hipStreamSynchronize(hipStreamPerThread));
  return finish("streams");
}
