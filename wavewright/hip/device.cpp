//===- hip/device.cpp - what the device is --------------------------------------------------------===//
#include "wavewright/hip/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace wavewright;
using namespace wavewright::hip;

namespace {

constexpr int DeviceIndex = 0;

Result checkDevice(int device) {
  if (device == DeviceIndex)
    return {};
  return {hipErrorInvalidDevice,
          fmt::format("there is no device {}; the built-in device is 0, and the only one", device)};
}

/// hipDeviceProp_t as far as numbers go, once for properties and attributes.
hipDeviceProp_t describe(const Runtime &runtime) {
  const Target &target = runtime.device->target();
  const Product &product = *runtime.product;
  hipDeviceProp_t p{};
  auto text = [](char *to, size_t size, std::string_view from) {
    std::memcpy(to, from.data(), std::min(size - 1, from.size()));
  };
  text(p.name, sizeof(p.name), product.name);
  text(p.gcnArchName, sizeof(p.gcnArchName), runtime.targetId);
  text(p.uuid.bytes, sizeof(p.uuid.bytes), target.name);
  p.totalGlobalMem = runtime.totalMemory;
  p.sharedMemPerBlock = p.sharedMemPerBlockOptin = size_t(target.lds.bytesPerGroup);
  p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor = size_t(target.lds.bytesPerUnit);
  // One 32-bit register of one lane.
  p.regsPerMultiprocessor = p.regsPerBlock =
      target.registers.vgprsPerSimd * target.waveSize * target.registers.simdsPerUnit;
  p.warpSize = target.waveSize;
  p.memPitch = size_t(INT32_MAX);
  p.maxThreadsPerBlock = target.maxWorkGroupSize;
  std::fill(std::begin(p.maxThreadsDim), std::end(p.maxThreadsDim), target.maxWorkGroupSize);
  p.maxGridSize[0] = INT32_MAX;
  p.maxGridSize[1] = p.maxGridSize[2] = UINT16_MAX + 1;
  p.clockRate = product.clockMhz * 1000;
  p.totalConstMem = size_t(INT32_MAX);
  // gfx<major, decimal><minor><stepping>
  llvm::StringRef digits = llvm::StringRef(target.name).drop_front(3);
  digits.drop_back(2).getAsInteger(10, p.major);
  digits.take_back(2).drop_back(1).getAsInteger(16, p.minor);
  p.textureAlignment = p.texturePitchAlignment = 256;
  p.multiProcessorCount = product.units;
  p.integrated = product.integrated;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
  p.pciBusID = 1;
  p.asyncEngineCount = 1;
  p.memoryClockRate = product.memoryClockMhz * 1000;
  p.memoryBusWidth = product.memoryBusBits;
  p.l2CacheSize = int(product.l2Bytes);
  p.maxThreadsPerMultiProcessor = target.registers.maxWavesPerSimd * target.registers.simdsPerUnit * target.waveSize;
  p.maxBlocksPerMultiProcessor = target.registers.maxWavesPerSimd * target.registers.simdsPerUnit;
  p.streamPrioritiesSupported = p.cooperativeLaunch = p.hostRegisterSupported = 1;
  p.canUseHostPointerForRegisteredMem = p.concurrentManagedAccess = p.hostNativeAtomicSupported = 1;
  p.ECCEnabled = product.sramEcc;
  p.clockInstructionRate = 100000;
  hipDeviceArch_t all;
  std::memset(&all, 0xff, sizeof(all));
  p.arch = all;
  p.arch.hasFunnelShift = p.arch.hasSurfaceFuncs = p.arch.hasDynamicParallelism = 0;
  return p;
}

struct AttributeRow {
  hipDeviceAttribute_t attribute;
  int64_t (*value)(const hipDeviceProp_t &);
};
#define FROM(name, field) {hipDeviceAttribute##name, [](const hipDeviceProp_t &p) { return int64_t(p.field); }}
#define FIXED(name, number) {hipDeviceAttribute##name, [](const hipDeviceProp_t &) { return int64_t(number); }}
constexpr AttributeRow attributes[] = {
    FROM(EccEnabled, ECCEnabled),
    FIXED(AccessPolicyMaxWindowSize, 0),
    FROM(AsyncEngineCount, asyncEngineCount),
    FROM(CanMapHostMemory, canMapHostMemory),
    FROM(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    FROM(ClockRate, clockRate),
    FROM(ComputeMode, computeMode),
    FIXED(ComputePreemptionSupported, 0),
    FROM(ConcurrentKernels, concurrentKernels),
    FROM(ConcurrentManagedAccess, concurrentManagedAccess),
    FROM(CooperativeLaunch, cooperativeLaunch),
    FROM(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    FROM(DeviceOverlap, deviceOverlap),
    FROM(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    FROM(GlobalL1CacheSupported, globalL1CacheSupported),
    FROM(HostNativeAtomicSupported, hostNativeAtomicSupported),
    FROM(Integrated, integrated),
    FROM(IsMultiGpuBoard, isMultiGpuBoard),
    FROM(KernelExecTimeout, kernelExecTimeoutEnabled),
    FROM(L2CacheSize, l2CacheSize),
    FROM(LocalL1CacheSupported, localL1CacheSupported),
    FIXED(Luid, 0),
    FROM(LuidDeviceNodeMask, luidDeviceNodeMask),
    FROM(ComputeCapabilityMajor, major),
    FROM(ManagedMemory, managedMemory),
    FROM(MaxBlocksPerMultiProcessor, maxBlocksPerMultiProcessor),
    FROM(MaxBlockDimX, maxThreadsDim[0]),
    FROM(MaxBlockDimY, maxThreadsDim[1]),
    FROM(MaxBlockDimZ, maxThreadsDim[2]),
    FROM(MaxGridDimX, maxGridSize[0]),
    FROM(MaxGridDimY, maxGridSize[1]),
    FROM(MaxGridDimZ, maxGridSize[2]),
    FROM(MaxThreadsPerBlock, maxThreadsPerBlock),
    FROM(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    FROM(MaxPitch, memPitch),
    FROM(MemoryBusWidth, memoryBusWidth),
    FROM(MemoryClockRate, memoryClockRate),
    FROM(ComputeCapabilityMinor, minor),
    FROM(MultiGpuBoardGroupID, multiGpuBoardGroupID),
    FROM(MultiprocessorCount, multiProcessorCount),
    FROM(PageableMemoryAccess, pageableMemoryAccess),
    FROM(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    FROM(PciBusId, pciBusID),
    FROM(PciDeviceId, pciDeviceID),
    FROM(PciDomainId, pciDomainID),
    FROM(PersistingL2CacheMaxSize, persistingL2CacheMaxSize),
    FROM(MaxRegistersPerBlock, regsPerBlock),
    FROM(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    FROM(ReservedSharedMemPerBlock, reservedSharedMemPerBlock),
    FROM(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    FROM(SharedMemPerBlockOptin, sharedMemPerBlockOptin),
    FROM(SharedMemPerMultiprocessor, sharedMemPerMultiprocessor),
    FROM(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    FROM(StreamPrioritiesSupported, streamPrioritiesSupported),
    FIXED(SurfaceAlignment, 0),
    FROM(TccDriver, tccDriver),
    FROM(TextureAlignment, textureAlignment),
    FROM(TexturePitchAlignment, texturePitchAlignment),
    FROM(TotalConstantMemory, totalConstMem),
    FROM(TotalGlobalMem, totalGlobalMem),
    FROM(UnifiedAddressing, unifiedAddressing),
    FROM(WarpSize, warpSize),
    FROM(MemoryPoolsSupported, memoryPoolsSupported),
    FIXED(VirtualMemoryManagementSupported, 0),
    FROM(HostRegisterSupported, hostRegisterSupported),
    FROM(ClockInstructionRate, clockInstructionRate),
    FROM(MaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor),
    FROM(IsLargeBar, isLargeBar),
    FROM(AsicRevision, asicRevision),
    FIXED(CanUseStreamWaitValue, 0),
    FIXED(ImageSupport, 0),
    FROM(PhysicalMultiProcessorCount, multiProcessorCount),
    FIXED(FineGrainSupport, 1),
    FROM(WallClockRate, clockInstructionRate),
};
#undef FROM
#undef FIXED

constexpr int RuntimeVersion = HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH;

template <class T> Result put(T *to, T value) {
  if (!to)
    return {hipErrorInvalidValue, "the pointer for the result is null"};
  *to = value;
  return {};
}

} // namespace

hipError_t hipInit(unsigned flags) {
  return api(__func__,
             [&](Runtime &) -> Result { return flags ? Result(hipErrorInvalidValue, "flags must be 0") : Result(); });
}
hipError_t hipDriverGetVersion(int *version) { return conclude(__func__, put(version, RuntimeVersion)); }
hipError_t hipRuntimeGetVersion(int *version) { return conclude(__func__, put(version, RuntimeVersion)); }

hipError_t hipGetDeviceCount(int *count) {
  if (!count)
    return conclude(__func__, put<int>(nullptr, 0));
  Runtime &runtime = Runtime::get();
  *count = runtime.device ? 1 : 0;
  return runtime.device ? hipSuccess : conclude(__func__, {hipErrorNoDevice, runtime.unusable});
}

hipError_t hipSetDevice(int device) {
  return api(__func__, [&](Runtime &) { return checkDevice(device); });
}
hipError_t hipGetDevice(int *device) {
  return api(__func__, [&](Runtime &) { return put(device, DeviceIndex); });
}
hipError_t hipSetValidDevices(int *devices, int count) {
  return api(__func__, [&](Runtime &) -> Result {
    for (int i = 0; i < count; ++i)
      if (Result result = checkDevice(devices[i]); result.code != hipSuccess)
        return result;
    return {};
  });
}
hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *) { return hipGetDevice(device); }

hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (Result result = checkDevice(device); result.code != hipSuccess)
      return result;
    return put(properties, describe(runtime));
  });
}
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t *properties, int device) {
  return hipGetDeviceProperties(properties, device);
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (Result result = checkDevice(device); result.code != hipSuccess)
      return result;
    for (const AttributeRow &row : attributes)
      if (row.attribute == attribute)
        return put(value, int(std::min<int64_t>(row.value(describe(runtime)), INT32_MAX)));
    return {hipErrorInvalidValue, fmt::format("attribute {} is not known", int(attribute))};
  });
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  return api(__func__, [&](Runtime &) -> Result {
    Result result = checkDevice(ordinal);
    return result.code == hipSuccess ? put(device, ordinal) : result;
  });
}

hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (Result result = checkDevice(device); result.code != hipSuccess)
      return result;
    if (!name || length <= 0)
      return {hipErrorInvalidValue, "there is no room for the name"};
    std::snprintf(name, size_t(length), "%s", runtime.product->name.data());
    return {};
  });
}

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    Result result = checkDevice(device);
    return result.code == hipSuccess ? put(uuid, describe(runtime).uuid) : result;
  });
}
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    Result result = checkDevice(device);
    if (result.code == hipSuccess)
      result = put(major, describe(runtime).major);
    return result.code == hipSuccess ? put(minor, describe(runtime).minor) : result;
  });
}
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    Result result = checkDevice(device);
    return result.code == hipSuccess ? put(bytes, size_t(runtime.totalMemory)) : result;
  });
}
hipError_t hipDeviceGetPCIBusId(char *id, int length, int device) {
  return api(__func__, [&](Runtime &) -> Result {
    if (Result result = checkDevice(device); result.code != hipSuccess)
      return result;
    if (!id || length < 13)
      return {hipErrorInvalidValue, fmt::format("a PCI bus id needs 13 characters, there is room for {}", length)};
    std::snprintf(id, size_t(length), "0000:01:00.0");
    return {};
  });
}
hipError_t hipDeviceGetByPCIBusId(int *device, const char *id) {
  return api(__func__, [&](Runtime &) -> Result {
    if (!id || std::string_view(id) != "0000:01:00.0")
      return {hipErrorInvalidDevice, fmt::format("no device has the PCI bus id {}", id ? id : "(null)")};
    return put(device, DeviceIndex);
  });
}

hipError_t hipDeviceSynchronize() {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::unique_lock lock(runtime.mutex);
    for (hipStream_t stream : runtime.streams)
      if (stream->capture) {
        stream->captureBroken = true;
        return {hipErrorStreamCaptureUnsupported, "a stream is capturing a graph; synchronise after the capture"};
      }
    lock.unlock();
    return runtime.waitForAll();
  });
}
hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }

hipError_t hipDeviceReset() {
  Runtime &runtime = Runtime::get();
  if (!runtime.device)
    return conclude(__func__, {hipErrorNoDevice, runtime.unusable});
  runtime.waitForAll();
  runtime.clearFault();
  std::map<uint64_t, Allocation> freed;
  std::lock_guard guard(runtime.mutex);
  for (auto entry = runtime.allocations.begin(); entry != runtime.allocations.end();) {
    bool global = entry->second.kind == MemoryKind::Global, device = entry->second.kind == MemoryKind::Device;
    if (device) {
      runtime.usedMemory -= entry->second.bytes;
      freed.insert(std::move(*entry));
    }
    entry = device || global ? runtime.allocations.erase(entry) : std::next(entry);
  }
  hipGetLastError();
  return hipSuccess;
}

// What a GPU can be told and the built-in device has no use for is kept or taken note of.
static unsigned deviceFlags = 0;
hipError_t hipSetDeviceFlags(unsigned flags) {
  return api(__func__, [&](Runtime &) -> Result {
    deviceFlags = flags;
    return {};
  });
}
hipError_t hipGetDeviceFlags(unsigned *flags) {
  return api(__func__, [&](Runtime &) { return put(flags, deviceFlags); });
}
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) {
  return api(__func__, [](Runtime &) { return Result(); });
}
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config) {
  return api(__func__, [&](Runtime &) { return put(config, hipFuncCachePreferNone); });
}
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) {
  return api(__func__, [](Runtime &) { return Result(); });
}
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config) {
  return api(__func__, [&](Runtime &) { return put(config, hipSharedMemBankSizeFourByte); });
}

hipError_t hipDeviceGetLimit(size_t *value, hipLimit_t limit) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (unsigned(limit) >= hipLimitRange)
      return {hipErrorUnsupportedLimit, fmt::format("limit {} is not known", int(limit))};
    std::lock_guard guard(runtime.mutex);
    return put(value, size_t(runtime.limits[limit]));
  });
}
hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (limit != hipLimitPrintfFifoSize)
      return {hipErrorUnsupportedLimit, fmt::format("limit {} cannot be set; hipLimitPrintfFifoSize can", int(limit))};
    std::lock_guard guard(runtime.mutex);
    runtime.limits[limit] = value;
    return {};
  });
}
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return api(__func__, [&](Runtime &) -> Result {
    if (least)
      *least = 1;
    if (greatest)
      *greatest = -1;
    return {};
  });
}

hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
  return api(__func__, [&](Runtime &) -> Result {
    for (int index : {device, peer})
      if (Result result = checkDevice(index); result.code != hipSuccess)
        return result;
    return put(can, 0);
  });
}
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned) {
  return api(__func__, [&](Runtime &) -> Result {
    return {hipErrorInvalidDevice, fmt::format("device {} is no peer of device 0", peer)};
  });
}
hipError_t hipDeviceDisablePeerAccess(int peer) {
  return api(__func__, [&](Runtime &) -> Result {
    return {hipErrorPeerAccessNotEnabled, fmt::format("device {} is no peer of device 0", peer)};
  });
}

// The one context of the one device.
static hipCtx_t primaryContext() { return reinterpret_cast<hipCtx_t>(&Runtime::get()); }
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t device) {
  return api(__func__, [&](Runtime &) -> Result {
    Result result = checkDevice(device);
    return result.code == hipSuccess ? put(context, primaryContext()) : result;
  });
}
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
  return api(__func__, [&](Runtime &) { return checkDevice(device); });
}
hipError_t hipCtxGetCurrent(hipCtx_t *context) {
  return api(__func__, [&](Runtime &) { return put(context, primaryContext()); });
}
hipError_t hipCtxSetCurrent(hipCtx_t context) {
  return api(__func__, [&](Runtime &) -> Result {
    if (context && context != primaryContext())
      return {hipErrorInvalidContext, "the device has its primary context only"};
    return {};
  });
}
hipError_t hipCtxGetDevice(hipDevice_t *device) { return hipGetDevice(device); }
hipError_t hipProfilerStart() {
  return api(__func__, [](Runtime &) { return Result(); });
}
hipError_t hipProfilerStop() { return hipProfilerStart(); }
