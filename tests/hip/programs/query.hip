// What the device says of itself, a line a fact.
#include "check.h"
#include <string>

__global__ void features(int *out) {
#if defined(__amdgcn_feature_xnack__)
  out[0] = __amdgcn_feature_xnack__;
#else
  out[0] = -1;
#endif
  out[1] = warpSize;
}

int main() {
  int count, driver, runtime, value;
  HIP(hipGetDeviceCount(&count));
  HIP(hipDriverGetVersion(&driver));
  HIP(hipRuntimeGetVersion(&runtime));
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  printf("devices %d\n", count);
  printf("name %s\n", p.name);
  printf("arch %s\n", p.gcnArchName);
  printf("wave %d\n", p.warpSize);
  printf("units %d\n", p.multiProcessorCount);
  printf("lds %zu\n", p.sharedMemPerBlock);
  printf("lds_unit %zu\n", p.sharedMemPerMultiprocessor);
  printf("group %d\n", p.maxThreadsPerBlock);
  printf("capability %d.%d\n", p.major, p.minor);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  expect("attribute", value == p.warpSize);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  expect("attribute", value == p.multiProcessorCount);
  expect("version", driver == HIP_VERSION && runtime == HIP_VERSION);
  int peer;
  HIP(hipDeviceCanAccessPeer(&peer, 0, 0));
  expect("no peers", peer == 0);
  expect("names", hipGetErrorName(hipErrorOutOfMemory) == std::string("hipErrorOutOfMemory") &&
                      hipGetErrorString((hipError_t)12345) == std::string("unknown error"));
  Device<int> out(2);
  features<<<1, 1>>>(out);
  printf("xnack %d\n", out.read()[0]);
  expect("wave size of the code", out.read()[1] == p.warpSize);
  return finish("query");
}
