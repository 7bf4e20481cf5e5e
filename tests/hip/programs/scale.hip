// A code object for hipModuleLoad.
#include <hip/hip_runtime.h>

__device__ float factor = 2;
__device__ int launches;
extern "C" __global__ void scale(float *x, int n, double offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * factor + float(offset);
  if (i == 0)
    ++launches;
}
