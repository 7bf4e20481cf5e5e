//===- hip/launch.cpp - launches, and what a kernel costs -----------------------------------------===//
#include "wavewright/hip/state.h"

#include "wavewright/runtime/arguments.h"

#include <fmt/format.h>

using namespace wavewright;
using namespace wavewright::hip;

namespace wavewright::hip {

namespace {

using Kernel = codeobject::Kernel;

/// One value an argument, through the array of pointers that clang's stubs and programs hand over.
Result packParameters(const Kernel &kernel, void **parameters, std::vector<runtime::Argument> &arguments) {
  for (const codeobject::KernelArgument *argument : runtime::explicitArguments(kernel)) {
    size_t index = arguments.size();
    if (!parameters || !parameters[index])
      return {hipErrorInvalidValue,
              fmt::format("kernel {}: {} is null", kernel.name,
                          parameters ? runtime::argumentLabel(kernel, index) : std::string("the array of arguments"))};
    auto *bytes = static_cast<const std::byte *>(parameters[index]);
    arguments.push_back({std::vector<std::byte>(bytes, bytes + argument->size), nullptr});
  }
  return {};
}

/// A kernarg segment of the program's own making.
Result packExtra(const Kernel &kernel, void **extra, std::vector<runtime::Argument> &arguments) {
  const std::byte *buffer = nullptr;
  size_t size = 0;
  for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<const std::byte *>(extra[1]);
    else if (*extra == HIP_LAUNCH_PARAM_BUFFER_SIZE)
      size = *static_cast<const size_t *>(extra[1]);
    else
      return {hipErrorInvalidValue, fmt::format("kernel {}: 0x{:x} is no HIP_LAUNCH_PARAM", kernel.name,
                                                reinterpret_cast<uintptr_t>(*extra))};
  }
  for (const codeobject::KernelArgument *argument : runtime::explicitArguments(kernel)) {
    if (!buffer || argument->offset + size_t(argument->size) > size)
      return {hipErrorInvalidValue,
              fmt::format("kernel {}: {} are bytes {} to {} of the arguments, and {} bytes were given", kernel.name,
                          runtime::argumentLabel(kernel, arguments.size()), argument->offset,
                          argument->offset + argument->size, buffer ? size : 0)};
    const std::byte *bytes = buffer + argument->offset;
    arguments.push_back({std::vector<std::byte>(bytes, bytes + argument->size), nullptr});
  }
  return {};
}

} // namespace

Result makeKernelWork(Runtime &runtime, std::shared_ptr<runtime::Function> function, dim3 grid, dim3 block,
                      size_t sharedBytes, void **parameters, void **extra, KernelWork &work) {
  const Kernel &kernel = function->kernel();
  if (sharedBytes > UINT32_MAX)
    return {hipErrorInvalidConfiguration, fmt::format("kernel {}: {} bytes of dynamic LDS", kernel.name, sharedBytes)};
  work.config = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, uint32_t(sharedBytes)};
  work.function = std::move(function);
  work.arguments.clear();
  if (llvm::Error error = runtime::checkLaunch(runtime.device->target(), kernel, work.config))
    return failed(hipErrorInvalidConfiguration, std::move(error));
  return extra ? packExtra(kernel, extra, work.arguments) : packParameters(kernel, parameters, work.arguments);
}

int residentGroups(const Runtime &runtime, const Kernel &kernel, int blockSize, size_t sharedBytes) {
  const Target &target = runtime.device->target();
  int most = std::min<int>(int(kernel.maxWorkGroupSize ? kernel.maxWorkGroupSize : 1024), target.maxWorkGroupSize);
  size_t lds = kernel.descriptor.groupSegmentBytes + sharedBytes;
  if (blockSize <= 0 || blockSize > most || lds > size_t(target.lds.bytesPerGroup))
    return 0;
  Occupancy occupancy =
      target.occupancy(int(kernel.allocatedVgprs), int(kernel.sgprs), int(lds), blockSize, int(kernel.waveSize));
  int waves = (blockSize + int(kernel.waveSize) - 1) / int(kernel.waveSize);
  int groups = occupancy.wavesPerSimd * target.registers.simdsPerUnit / waves;
  // Waves of a SIMD are rounded up where the groups do not fill all SIMDs alike; the LDS of a unit is not.
  size_t granule = size_t(std::max(1, target.lds.granule)), rounded = (lds + granule - 1) / granule * granule;
  return rounded ? std::min(groups, int(size_t(target.lds.bytesPerUnit) / rounded)) : groups;
}

namespace {

enum class Cooperative { No, Yes };

Result launch(Runtime &runtime, std::shared_ptr<runtime::Function> function, dim3 grid, dim3 block, size_t sharedBytes,
              void **parameters, void **extra, hipStream_t stream, Cooperative cooperative = Cooperative::No) {
  KernelWork work;
  if (Result result = makeKernelWork(runtime, std::move(function), grid, block, sharedBytes, parameters, extra, work);
      result.code != hipSuccess)
    return result;
  if (cooperative == Cooperative::Yes) {
    const Kernel &kernel = work.function->kernel();
    uint64_t groups = work.config.grid.count();
    uint64_t most = uint64_t(residentGroups(runtime, kernel, int(work.config.block.count()), sharedBytes)) *
                    uint64_t(runtime.product->units);
    if (groups > most)
      return {hipErrorCooperativeLaunchTooLarge,
              fmt::format("kernel {}: {} work-groups cannot run at once; the device holds {} of this size", kernel.name,
                          groups, most)};
  }
  return runtime.submit(stream, std::move(work), hipGraphNodeTypeKernel);
}

Result launchHandle(Runtime &runtime, const void *handle, dim3 grid, dim3 block, size_t sharedBytes, void **parameters,
                    void **extra, hipStream_t stream, Cooperative cooperative = Cooperative::No) {
  std::shared_ptr<runtime::Function> function;
  if (Result result = findKernel(handle, function); result.code != hipSuccess)
    return result;
  return launch(runtime, std::move(function), grid, block, sharedBytes, parameters, extra, stream, cooperative);
}

Result record(hipEvent_t event, hipStream_t stream) { return event ? Result(hipEventRecord(event, stream)) : Result(); }

hipError_t occupancyOf(const char *name, int *groups, const void *function, int blockSize, size_t sharedBytes) {
  return api(name, [&](Runtime &runtime) -> Result {
    std::shared_ptr<runtime::Function> kernel;
    if (Result result = findKernel(function, kernel); result.code != hipSuccess)
      return result;
    if (!groups || blockSize <= 0)
      return {hipErrorInvalidValue, groups ? fmt::format("a block of {} work-items", blockSize)
                                           : std::string("the pointer for the result is null")};
    *groups = residentGroups(runtime, kernel->kernel(), blockSize, sharedBytes);
    return {};
  });
}

/// The block size that keeps most work-items at once; the larger of two that are equal.
hipError_t bestBlock(const char *name, int *gridSize, int *blockSize, const void *function, size_t sharedBytes,
                     int limit) {
  return api(name, [&](Runtime &runtime) -> Result {
    std::shared_ptr<runtime::Function> handle;
    if (Result result = findKernel(function, handle); result.code != hipSuccess)
      return result;
    if (!gridSize || !blockSize)
      return {hipErrorInvalidValue, "a pointer for the result is null"};
    const Kernel &kernel = handle->kernel();
    int most = std::min<int>(int(kernel.maxWorkGroupSize ? kernel.maxWorkGroupSize : 1024),
                             runtime.device->target().maxWorkGroupSize);
    if (limit > 0)
      most = std::min(most, limit);
    int best = 0;
    *blockSize = *gridSize = 0;
    for (int size = most / int(kernel.waveSize) * int(kernel.waveSize); size > 0; size -= int(kernel.waveSize)) {
      int groups = residentGroups(runtime, kernel, size, sharedBytes);
      if (groups * size <= best)
        continue;
      best = groups * size;
      *blockSize = size;
      *gridSize = groups * runtime.product->units;
    }
    return {};
  });
}

} // namespace

} // namespace wavewright::hip

hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                           hipStream_t stream) {
  return api(__func__, [&](Runtime &runtime) {
    return launchHandle(runtime, function, grid, block, sharedBytes, arguments, nullptr, stream);
  });
}
hipError_t hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                      unsigned sharedBytes, hipStream_t stream) {
  return api(__func__, [&](Runtime &runtime) {
    return launchHandle(runtime, function, grid, block, sharedBytes, arguments, nullptr, stream, Cooperative::Yes);
  });
}
hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                              hipStream_t stream, hipEvent_t start, hipEvent_t stop, int) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (Result result = record(start, stream); result.code != hipSuccess)
      return result;
    if (Result result = launchHandle(runtime, function, grid, block, sharedBytes, arguments, nullptr, stream);
        result.code != hipSuccess)
      return result;
    return record(stop, stream);
  });
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                 hipStream_t stream, void **parameters, void **extra) {
  return api(__func__, [&](Runtime &runtime) {
    return launchHandle(runtime, function, dim3(gridX, gridY, gridZ), dim3(blockX, blockY, blockZ), sharedBytes,
                        parameters, extra, stream);
  });
}
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                            unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                            hipStream_t stream, void **parameters) {
  return api(__func__, [&](Runtime &runtime) {
    return launchHandle(runtime, function, dim3(gridX, gridY, gridZ), dim3(blockX, blockY, blockZ), sharedBytes,
                        parameters, nullptr, stream, Cooperative::Yes);
  });
}
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t itemsX, uint32_t itemsY, uint32_t itemsZ,
                                    uint32_t blockX, uint32_t blockY, uint32_t blockZ, size_t sharedBytes,
                                    hipStream_t stream, void **parameters, void **extra, hipEvent_t start,
                                    hipEvent_t stop, uint32_t) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    const uint32_t items[] = {itemsX, itemsY, itemsZ}, block[] = {blockX, blockY, blockZ};
    for (int axis = 0; axis < 3; ++axis)
      if (!block[axis] || items[axis] % block[axis])
        return {
            hipErrorInvalidConfiguration,
            fmt::format("{} work-items are no multiple of a block of {}; the built-in device runs whole work-groups",
                        items[axis], block[axis])};
    if (Result result = record(start, stream); result.code != hipSuccess)
      return result;
    if (Result result = launchHandle(runtime, function, dim3(itemsX / blockX, itemsY / blockY, itemsZ / blockZ),
                                     dim3(blockX, blockY, blockZ), sharedBytes, parameters, extra, stream);
        result.code != hipSuccess)
      return result;
    return record(stop, stream);
  });
}

hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *function) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::shared_ptr<runtime::Function> handle;
    if (Result result = findKernel(function, handle); result.code != hipSuccess)
      return result;
    if (!attributes)
      return {hipErrorInvalidValue, "the pointer for the attributes is null"};
    const Kernel &kernel = handle->kernel();
    *attributes = {};
    attributes->localSizeBytes = kernel.scratchBytes;
    attributes->sharedSizeBytes = kernel.descriptor.groupSegmentBytes;
    attributes->maxDynamicSharedSizeBytes =
        runtime.device->target().lds.bytesPerGroup - int(kernel.descriptor.groupSegmentBytes);
    attributes->maxThreadsPerBlock = int(kernel.maxWorkGroupSize);
    attributes->numRegs = int(kernel.vgprs);
    // major * 10 + minor, as CUDA counts.
    hipDeviceComputeCapability(&attributes->binaryVersion, &attributes->ptxVersion, 0);
    attributes->binaryVersion = attributes->ptxVersion = attributes->binaryVersion * 10 + attributes->ptxVersion;
    return {};
  });
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function) {
  hipFuncAttributes all;
  if (hipError_t error = hipFuncGetAttributes(&all, function); error != hipSuccess)
    return error;
  const int values[HIP_FUNC_ATTRIBUTE_MAX] = {all.maxThreadsPerBlock,
                                              int(all.sharedSizeBytes),
                                              int(all.constSizeBytes),
                                              int(all.localSizeBytes),
                                              all.numRegs,
                                              all.ptxVersion,
                                              all.binaryVersion,
                                              all.cacheModeCA,
                                              all.maxDynamicSharedSizeBytes,
                                              all.preferredShmemCarveout};
  if (!value || unsigned(attribute) >= HIP_FUNC_ATTRIBUTE_MAX)
    return conclude(__func__, {hipErrorInvalidValue, fmt::format("attribute {} is not known", int(attribute))});
  *value = values[attribute];
  return hipSuccess;
}

hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute attribute, int value) {
  hipFuncAttributes all;
  if (hipError_t error = hipFuncGetAttributes(&all, function); error != hipSuccess)
    return error;
  if (attribute == hipFuncAttributeMaxDynamicSharedMemorySize && value > all.maxDynamicSharedSizeBytes)
    return conclude(__func__,
                    {hipErrorInvalidValue, fmt::format("{} bytes of dynamic LDS; {} bytes are left beside the "
                                                       "kernel's own",
                                                       value, all.maxDynamicSharedSizeBytes)});
  return hipSuccess;
}
hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t) {
  hipFuncAttributes ignored;
  return hipFuncGetAttributes(&ignored, function);
}
hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig) {
  return hipFuncSetCacheConfig(function, hipFuncCachePreferNone);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *groups, hipFunction_t function, int blockSize,
                                                              size_t sharedBytes) {
  return occupancyOf(__func__, groups, function, blockSize, sharedBytes);
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *groups, hipFunction_t function,
                                                                       int blockSize, size_t sharedBytes, unsigned) {
  return occupancyOf(__func__, groups, function, blockSize, sharedBytes);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *groups, const void *function, int blockSize,
                                                        size_t sharedBytes) {
  return occupancyOf(__func__, groups, function, blockSize, sharedBytes);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *groups, const void *function, int blockSize,
                                                                 size_t sharedBytes, unsigned) {
  return occupancyOf(__func__, groups, function, blockSize, sharedBytes);
}
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t function,
                                                   size_t sharedBytes, int blockSizeLimit) {
  return bestBlock(__func__, gridSize, blockSize, function, sharedBytes, blockSizeLimit);
}
hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *function, size_t sharedBytes,
                                             int blockSizeLimit) {
  return bestBlock(__func__, gridSize, blockSize, function, sharedBytes, blockSizeLimit);
}
