// Managed, pinned and registered memory under one address on both sides; symbols; sets; pitched copies; attributes.
#include "check.h"
#include <string.h>

__managed__ int shared = 41;
__managed__ float table[8] = {0, 1, 2, 3, 4, 5, 6, 7};
__device__ int variable[4] = {1, 2, 3, 4};
__constant__ float constants[2];

__global__ void touch(int *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    x[i] = x[i] * 2 + int(constants[0]);
  if (i == 0) {
    shared += 1;
    table[7] = table[6] + constants[1];
    variable[3] += variable[0];
  }
}

int main() {
  constexpr int n = 50;
  float values[2] = {3, 0.5f};
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(constants), values, sizeof(values)));
  int *managed, *pinned, *device;
  HIP(hipMallocManaged(&managed, n * sizeof(int)));
  HIP(hipHostMalloc(&pinned, n * sizeof(int), hipHostMallocMapped));
  std::vector<int> registered(n);
  HIP(hipHostRegister(registered.data(), n * sizeof(int), hipHostRegisterMapped));
  HIP(hipHostGetDevicePointer(&device, registered.data(), 0));
  expect("a registered pointer is the device's", device == registered.data());
  HIP(hipHostGetDevicePointer(&device, pinned, 0));
  expect("a pinned pointer is the device's", device == pinned);
  for (int i = 0; i < n; ++i)
    managed[i] = pinned[i] = registered[i] = i;
  HIP(hipMemPrefetchAsync(managed, n * sizeof(int), 0, nullptr));
  touch<<<1, 64>>>(managed, n);
  touch<<<1, 64>>>(pinned, n);
  touch<<<1, 64>>>(registered.data(), n);
  HIP(hipDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += (managed[i] != 2 * i + 3) + (pinned[i] != 2 * i + 3) + (registered[i] != 2 * i + 3);
  expect("written in place", wrong, 0);
  expect("managed variables", shared == 44 && table[7] == 6.5f);
  shared = 100;
  int read[4] = {};
  HIP(hipMemcpyFromSymbol(read, HIP_SYMBOL(variable), sizeof(read)));
  expect("a variable of the device", read[0] == 1 && read[3] == 4 + 3);
  touch<<<1, 1>>>(managed, 0);
  HIP(hipMemcpyFromSymbol(read, HIP_SYMBOL(variable), sizeof(int), 3 * sizeof(int)));
  expect("the host's write is seen", shared == 101 && read[0] == 8);
  void *address;
  size_t bytes;
  HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(variable)));
  HIP(hipGetSymbolSize(&bytes, HIP_SYMBOL(variable)));
  HIP(hipMemcpy(read, address, sizeof(read), hipMemcpyDefault));
  expect("symbol address and size", bytes == sizeof(variable) && read[3] == 8);

  int *plain;
  HIP(hipMalloc(&plain, n * sizeof(int)));
  HIP(hipMemsetD32(plain, 0x01020304, n));
  HIP(hipMemset(plain + 1, 0xff, sizeof(int)));
  HIP(hipMemsetD16((char *)plain + 8, 0x0506, 2));
  std::vector<int> back(n);
  HIP(hipMemcpy(back.data(), plain, n * sizeof(int), hipMemcpyDeviceToHost));
  expect("sets", back[0] == 0x01020304 && back[1] == -1 && back[2] == 0x05060506 && back[n - 1] == 0x01020304);
  HIP(hipMemcpyDtoD(plain, managed, n * sizeof(int)));
  HIP(hipMemcpyDtoH(back.data(), plain, n * sizeof(int)));
  expect("from managed to device memory", back[n - 1] == managed[n - 1]);
  hipPointerAttribute_t attributes;
  HIP(hipPointerGetAttributes(&attributes, plain + 3));
  bool good = attributes.type == hipMemoryTypeDevice && !attributes.hostPointer;
  HIP(hipPointerGetAttributes(&attributes, pinned));
  good &= attributes.type == hipMemoryTypeHost;
  HIP(hipPointerGetAttributes(&attributes, managed));
  good &= attributes.type == hipMemoryTypeManaged && attributes.isManaged;
  HIP(hipPointerGetAttributes(&attributes, back.data()));
  good &= attributes.type == hipMemoryTypeUnregistered;
  expect("pointer attributes", good);
  size_t free, total, less;
  HIP(hipMemGetInfo(&free, &total));
  void *more, *base;
  HIP(hipMallocAsync(&more, 1 << 20, nullptr));
  HIP(hipMemGetInfo(&less, &total));
  HIP(hipMemGetAddressRange(&base, &bytes, (char *)more + 100));
  expect("memory info", free - less == 1 << 20 && base == more && bytes == 1 << 20);
  HIP(hipFreeAsync(more, nullptr));
  HIP(hipDeviceSynchronize());
  HIP(hipMemGetInfo(&less, &total));
  expect("freed in the stream", free == less);
  HIP(hipHostUnregister(registered.data()));
  HIP(hipFree(managed));
  HIP(hipFree(plain));
  HIP(hipHostFree(pinned));
  return finish("memory");
}
