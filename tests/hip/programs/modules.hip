// Modules: from a file and from memory, globals, both ways to pass arguments, attributes, occupancy.
#include "check.h"

struct Arguments {
  float *x;
  int n;
  double offset;
};

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : nullptr;
  if (!file)
    return 2;
  std::vector<char> image(1 << 20);
  image.resize(fread(image.data(), 1, image.size(), file));
  fclose(file);
  hipModule_t fromFile, fromData;
  HIP(hipModuleLoad(&fromFile, argv[1]));
  HIP(hipModuleLoadData(&fromData, image.data()));
  constexpr int n = 100;
  float *x;
  HIP(hipMalloc(&x, n * sizeof(float)));
  std::vector<float> host(n, 1);
  HIP(hipMemcpy(x, host.data(), n * sizeof(float), hipMemcpyHostToDevice));
  hipFunction_t scale, other;
  HIP(hipModuleGetFunction(&scale, fromFile, "scale"));
  HIP(hipModuleGetFunction(&other, fromData, "scale"));
  hipDeviceptr_t factor;
  size_t bytes;
  HIP(hipModuleGetGlobal(&factor, &bytes, fromData, "factor"));
  float three = 3;
  expect("a global's size", bytes == sizeof(float));
  HIP(hipMemcpyHtoD(factor, &three, sizeof(three)));

  Arguments packed = {x, n, 0.5};
  void *each[] = {&packed.x, &packed.n, &packed.offset};
  HIP(hipModuleLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, nullptr, each, nullptr)); // 1 * 2 + 0.5
  size_t size = sizeof(packed);
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(other, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra)); // 2.5 * 3 + 0.5
  HIP(hipExtModuleLaunchKernel(scale, 128, 1, 1, 64, 1, 1, 0, nullptr, each, nullptr, nullptr, nullptr, 0));
  HIP(hipMemcpy(host.data(), x, n * sizeof(float), hipMemcpyDeviceToHost));
  expect("results", host[0] == 16.5f && host[n - 1] == 16.5f);
  hipDeviceptr_t counter;
  int launches = 0;
  HIP(hipModuleGetGlobal(&counter, &bytes, fromFile, "launches"));
  HIP(hipMemcpyDtoH(&launches, counter, sizeof(launches)));
  expect("each module has its own globals", launches == 2);

  int most, registers, groups, grid, block;
  HIP(hipFuncGetAttribute(&most, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
  HIP(hipFuncGetAttribute(&registers, HIP_FUNC_ATTRIBUTE_NUM_REGS, scale));
  HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&groups, scale, 64, 0));
  HIP(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
  hipDeviceProp_t device;
  HIP(hipGetDeviceProperties(&device, 0));
  expect("attributes", most == 1024 && registers > 0 && registers < 64);
  printf("registers %d, groups of 64: %d, best block %d, grid %d\n", registers, groups, block, grid);
  expect("occupancy", groups > 0 && block > 0 && block <= 1024 && grid % device.multiProcessorCount == 0);
  int fewer;
  HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, scale, 64, 40000));
  expect("LDS limits occupancy", fewer == int(device.sharedMemPerMultiprocessor / 40000));
  HIP(hipModuleUnload(fromFile));
  HIP(hipModuleUnload(fromData));
  HIP(hipFree(x));
  return finish("modules");
}
