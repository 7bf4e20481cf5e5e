// printf in kernels: every conversion, strings that the compiler knows and does not know, order, and assert.
#include "check.h"
#include <assert.h>
#include <string.h>

__global__ void speak(const char *name) {
  if (threadIdx.x == 0) {
    printf("group %d of %u\n", blockIdx.x, gridDim.x);
    if (blockIdx.x == 0) {
      printf("%s is %5.2f and %-6d| %+d %x %X %o %c %%\n", name, 3.14159, -42, 7, 255u, 255u, 8u, 'z');
      printf("%lld %llu %hhd %hd %e %g %a\n", -5000000000ll, 18446744073709551615ull, 300, 70000, 12345.678, 1e-10, 1.0);
      printf("%*d|%.*f|%s|\n", 6, 42, 2, 2.71828, "fixed");
      printf("no arguments\n");
    }
  }
}
__global__ void eachLane() {
  if (threadIdx.x % 16 == 3)
    printf("lane %d\n", threadIdx.x);
}
__global__ void count(int *written) {
  int result = printf("0123456789\n");
  if (result < 0)
    atomicAdd(written, 1);
}
__global__ void claim(int x) { assert(x < 3 && "x is small"); }

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "assert")) {
    claim<<<1, 4>>>(2);
    HIP(hipDeviceSynchronize());
    claim<<<1, 4>>>(5);
    hipError_t error = hipDeviceSynchronize();
    printf("%s, then %s\n", hipGetErrorName(error), hipGetErrorName(hipFree(nullptr)));
    return error == hipErrorAssert ? 0 : 1;
  }
  if (argc > 1 && !strcmp(argv[1], "full")) {
    HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, 64));
    Device<int> lost(1);
    count<<<1, 32>>>(lost);
    HIP(hipDeviceSynchronize());
    printf("%d lost\n", lost.read()[0]);
    return 0;
  }
  printf("before\n");
  Device<char> name(std::vector<char>{'p', 'i', 0});
  speak<<<2, 64>>>(name);
  eachLane<<<1, 64>>>();
  HIP(hipDeviceSynchronize());
  printf("after\n");
  return 0;
}
