//===- hip/memory.cpp - device memory, and host memory that the device shares ---------------------===//
//
// Pinned, registered and managed memory is host memory that the device reaches under the host's own address; the rest
// has addresses of the device's own, which mean nothing to the host.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/hip/state.h"

#include <fmt/format.h>

#include <sys/mman.h>

using namespace wavewright;
using namespace wavewright::hip;

namespace {

constexpr uint64_t Page = 4096;

/// Room of the device's memory; the caller holds the mutex.
Result reserve(Runtime &runtime, size_t bytes) {
  if (bytes <= runtime.totalMemory && runtime.usedMemory <= runtime.totalMemory - bytes)
    return {};
  return {hipErrorOutOfMemory, fmt::format("{} bytes were asked for; {} of the device's {} bytes are free", bytes,
                                           runtime.totalMemory - runtime.usedMemory, runtime.totalMemory)};
}

Result allocateOnDevice(Runtime &runtime, void **pointer, size_t bytes) {
  if (!pointer)
    return {hipErrorInvalidValue, "the pointer for the address is null"};
  *pointer = nullptr;
  if (!bytes)
    return {};
  std::lock_guard guard(runtime.mutex);
  if (Result result = reserve(runtime, bytes); result.code != hipSuccess)
    return result;
  auto buffer = runtime.device->allocate(bytes, "memory of hipMalloc");
  if (!buffer)
    return failed(hipErrorOutOfMemory, buffer.takeError());
  Allocation allocation;
  allocation.buffer = *buffer;
  allocation.address = (*buffer)->address();
  allocation.bytes = bytes;
  allocation.host = (*buffer)->hostPointer();
  runtime.usedMemory += bytes;
  *pointer = reinterpret_cast<void *>(allocation.address);
  runtime.allocations[allocation.address] = std::move(allocation);
  return {};
}

/// Enters host memory that the device has at the same address. Under the lock.
Allocation &keep(Runtime &runtime, std::shared_ptr<runtime::Buffer> buffer, void *host, size_t bytes, MemoryKind kind,
                 unsigned flags) {
  uint64_t address = reinterpret_cast<uint64_t>(host);
  return runtime.allocations[address] = {.buffer = std::move(buffer),
                                         .address = address,
                                         .bytes = bytes,
                                         .host = static_cast<std::byte *>(host),
                                         .kind = kind,
                                         .flags = flags};
}

/// Host pages of our own, shared with the device.
Result allocateOnHost(Runtime &runtime, void **pointer, size_t bytes, MemoryKind kind, unsigned flags,
                      const char *label) {
  if (!pointer)
    return {hipErrorInvalidValue, "the pointer for the address is null"};
  *pointer = nullptr;
  if (!bytes)
    return {};
  uint64_t mapped = (bytes + Page - 1) / Page * Page;
  void *host = bytes > runtime.totalMemory
                   ? MAP_FAILED
                   : mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED)
    return {hipErrorOutOfMemory, fmt::format("the host has no {} bytes", bytes)};
  std::lock_guard guard(runtime.mutex);
  auto buffer = runtime.device->wrapInPlace(host, bytes, label);
  if (!buffer) {
    munmap(host, mapped);
    return failed(hipErrorOutOfMemory, buffer.takeError());
  }
  keep(runtime, *buffer, host, bytes, kind, flags).mappedBytes = mapped;
  *pointer = host;
  return {};
}

Result release(Runtime &runtime, void *pointer, std::initializer_list<MemoryKind> kinds, const char *made) {
  if (!pointer)
    return {};
  Allocation freed;
  {
    std::lock_guard guard(runtime.mutex);
    auto found = runtime.allocations.find(reinterpret_cast<uint64_t>(pointer));
    if (found == runtime.allocations.end() || std::find(kinds.begin(), kinds.end(), found->second.kind) == kinds.end())
      return {hipErrorInvalidValue,
              fmt::format("0x{:x} is not what {} gave", reinterpret_cast<uintptr_t>(pointer), made)};
    freed = std::move(found->second);
    runtime.allocations.erase(found);
    if (freed.kind == MemoryKind::Device)
      runtime.usedMemory -= freed.bytes;
  }
  freed.buffer.reset();
  if (freed.mappedBytes)
    munmap(freed.host, freed.mappedBytes);
  return {};
}

/// Freeing waits for what runs, as HIP does.
Result releaseWhenIdle(Runtime &runtime, void *pointer, std::initializer_list<MemoryKind> kinds, const char *made) {
  hipError_t status = runtime.onWorker() ? hipSuccess : runtime.waitForAll();
  Result result = release(runtime, pointer, kinds, made);
  return result.code == hipSuccess ? Result(status) : result;
}

constexpr std::initializer_list<MemoryKind> Freeable = {MemoryKind::Device, MemoryKind::Managed};

} // namespace

hipError_t hipMalloc(void **pointer, size_t bytes) {
  return api(__func__, [&](Runtime &runtime) { return allocateOnDevice(runtime, pointer, bytes); });
}
hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned) { return hipMalloc(pointer, bytes); }

hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!pitch)
      return {hipErrorInvalidValue, "the pointer for the pitch is null"};
    constexpr size_t alignment = 256;
    *pitch = (width + alignment - 1) / alignment * alignment;
    if (height && *pitch > SIZE_MAX / height)
      return {hipErrorOutOfMemory, fmt::format("{} rows of {} bytes are more than there can be", height, *pitch)};
    return allocateOnDevice(runtime, pointer, *pitch * height);
  });
}

hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (flags != hipMemAttachGlobal && flags != hipMemAttachHost)
      return {hipErrorInvalidValue, fmt::format("flags {} are neither hipMemAttachGlobal nor hipMemAttachHost", flags)};
    return allocateOnHost(runtime, pointer, bytes, MemoryKind::Managed, flags, "managed memory");
  });
}
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags) {
  return api(__func__, [&](Runtime &runtime) {
    return allocateOnHost(runtime, pointer, bytes, MemoryKind::Pinned, flags, "memory of hipHostMalloc");
  });
}
hipError_t hipHostAlloc(void **pointer, size_t bytes, unsigned flags) { return hipHostMalloc(pointer, bytes, flags); }
hipError_t hipMallocHost(void **pointer, size_t bytes) { return hipHostMalloc(pointer, bytes, hipHostMallocDefault); }

hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    Allocation *found = runtime.find(host);
    if (!device || !found || found->kind == MemoryKind::Device)
      return {hipErrorInvalidValue,
              fmt::format("0x{:x} is no memory that host and device share; get it from hipHostMalloc, or register it",
                          reinterpret_cast<uintptr_t>(host))};
    *device = host;
    return {};
  });
}
hipError_t hipHostGetFlags(unsigned *flags, void *host) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    Allocation *found = runtime.find(host);
    if (!flags || !found || !found->onHost())
      return {hipErrorInvalidValue, fmt::format("0x{:x} is no pinned memory", reinterpret_cast<uintptr_t>(host))};
    *flags = found->flags;
    return {};
  });
}

hipError_t hipHostRegister(void *host, size_t bytes, unsigned flags) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!host || !bytes)
      return {hipErrorInvalidValue,
              fmt::format("{} bytes at 0x{:x} cannot be registered", bytes, reinterpret_cast<uintptr_t>(host))};
    std::lock_guard guard(runtime.mutex);
    auto buffer = runtime.device->wrapInPlace(host, bytes, "registered host memory", flags & hipHostRegisterReadOnly);
    if (!buffer)
      return failed(hipErrorHostMemoryAlreadyRegistered, buffer.takeError());
    keep(runtime, *buffer, host, bytes, MemoryKind::Registered, flags);
    return {};
  });
}
hipError_t hipHostUnregister(void *host) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    Result result = releaseWhenIdle(runtime, host, {MemoryKind::Registered}, "hipHostRegister");
    return result.code == hipErrorInvalidValue ? Result(hipErrorHostMemoryNotRegistered, result.message) : result;
  });
}

hipError_t hipFree(void *pointer) {
  return api(__func__, [&](Runtime &runtime) {
    return releaseWhenIdle(runtime, pointer, Freeable, "hipMalloc or hipMallocManaged");
  });
}
hipError_t hipHostFree(void *pointer) {
  return api(__func__, [&](Runtime &runtime) {
    return releaseWhenIdle(runtime, pointer, {MemoryKind::Pinned}, "hipHostMalloc");
  });
}
hipError_t hipFreeHost(void *pointer) { return hipHostFree(pointer); }

hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::unique_lock lock(runtime.mutex);
    if (!streamOf(runtime, stream))
      return {hipErrorInvalidHandle, "the stream is not live"};
    lock.unlock();
    return allocateOnDevice(runtime, pointer, bytes);
  });
}
hipError_t hipFreeAsync(void *pointer, hipStream_t stream) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::unique_lock lock(runtime.mutex);
    Allocation *found = pointer ? runtime.find(pointer) : nullptr;
    if (pointer && (!found || found->address != reinterpret_cast<uint64_t>(pointer)))
      return {hipErrorInvalidValue,
              fmt::format("0x{:x} is not what hipMallocAsync gave", reinterpret_cast<uintptr_t>(pointer))};
    lock.unlock();
    HostWork work{[&runtime, pointer](hipError_t) { release(runtime, pointer, Freeable, "hipMallocAsync"); }};
    return runtime.submit(stream, std::move(work), hipGraphNodeTypeHost);
  });
}

hipError_t hipMemGetInfo(size_t *free, size_t *total) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    if (free)
      *free = runtime.totalMemory - runtime.usedMemory;
    if (total)
      *total = runtime.totalMemory;
    return {};
  });
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t pointer) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    Allocation *found = runtime.find(pointer);
    if (!found)
      return {hipErrorNotFound, fmt::format("0x{:x} is in no allocation", reinterpret_cast<uintptr_t>(pointer))};
    if (base)
      *base = reinterpret_cast<void *>(found->address);
    if (bytes)
      *bytes = found->bytes;
    return {};
  });
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!attributes)
      return {hipErrorInvalidValue, "the pointer for the attributes is null"};
    std::lock_guard guard(runtime.mutex);
    *attributes = {};
    Allocation *found = runtime.find(pointer);
    if (!found) {
      attributes->hostPointer = const_cast<void *>(pointer);
      attributes->device = hipInvalidDeviceId;
      return {};
    }
    attributes->type = found->kind == MemoryKind::Managed ? hipMemoryTypeManaged
                       : found->onHost()                  ? hipMemoryTypeHost
                                                          : hipMemoryTypeDevice;
    attributes->devicePointer = const_cast<void *>(pointer);
    bool shared = found->onHost() || found->kind == MemoryKind::Managed;
    attributes->hostPointer = shared ? const_cast<void *>(pointer) : nullptr;
    attributes->isManaged = found->kind == MemoryKind::Managed;
    attributes->allocationFlags = found->flags;
    return {};
  });
}

static Result checkManaged(Runtime &runtime, const void *pointer, size_t bytes) {
  std::lock_guard guard(runtime.mutex);
  Allocation *found = runtime.find(pointer);
  if (!found || found->kind != MemoryKind::Managed ||
      bytes > found->bytes - (reinterpret_cast<uint64_t>(pointer) - found->address))
    return {hipErrorInvalidValue,
            fmt::format("{} bytes at 0x{:x} are not managed memory", bytes, reinterpret_cast<uintptr_t>(pointer))};
  return {};
}
hipError_t hipMemPrefetchAsync(const void *pointer, size_t bytes, int, hipStream_t stream) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    Result result = checkManaged(runtime, pointer, bytes);
    return result.code == hipSuccess ? runtime.submit(stream, EmptyWork{}, hipGraphNodeTypeEmpty) : result;
  });
}
hipError_t hipMemAdvise(const void *pointer, size_t bytes, hipMemoryAdvise, int) {
  return api(__func__, [&](Runtime &runtime) { return checkManaged(runtime, pointer, bytes); });
}
