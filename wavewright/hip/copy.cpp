//===- hip/copy.cpp - copies and fills ------------------------------------------------------------===//
#include "wavewright/hip/state.h"

#include <fmt/format.h>

using namespace wavewright;
using namespace wavewright::hip;

namespace wavewright::hip {

namespace {

/// One side of a copy: where its bytes lie in this process.
struct Side {
  std::byte *host = nullptr;
  bool device = false;   ///< has an address of the device
  bool pageable = false; ///< host memory that the device does not know
};

/// The caller holds the mutex. `bytes` reach from the first row's start to the last row's end.
Result locate(Runtime &runtime, const void *pointer, size_t bytes, const char *role, Side &side) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (!pointer)
    return {hipErrorInvalidValue, fmt::format("the {} is null", role)};
  Allocation *found = runtime.find(address);
  if (!found) {
    side = {reinterpret_cast<std::byte *>(address), false, true};
    return {};
  }
  uint64_t within = address - found->address;
  if (bytes > found->bytes - within)
    return {hipErrorInvalidValue, fmt::format("the {} 0x{:x} is byte {} of an allocation of {} bytes, and {} bytes are "
                                              "to be accessed",
                                              role, address, within, found->bytes, bytes)};
  side = {found->host + within, !found->onHost(), false};
  return {};
}

size_t span(size_t width, size_t height, size_t pitch) { return height > 1 ? (height - 1) * pitch + width : width; }

} // namespace

Result makeCopy(Runtime &runtime, const CopyRequest &r, bool staging, CopyWork &work, bool &toPageable) {
  toPageable = false;
  work = {nullptr, nullptr, r.width, r.height, r.toPitch, r.fromPitch};
  if (r.kind != hipMemcpyDefault && unsigned(r.kind) > hipMemcpyDeviceToDevice && r.kind != hipMemcpyDeviceToDeviceNoCU)
    return {hipErrorInvalidMemcpyDirection, fmt::format("{} is no direction of a copy", int(r.kind))};
  if (!r.width || !r.height) {
    work.width = 0;
    return {};
  }
  if (r.height > 1 && (r.toPitch < r.width || r.fromPitch < r.width))
    return {hipErrorInvalidPitchValue, fmt::format("rows of {} bytes do not fit into pitches of {} and {} bytes",
                                                   r.width, r.toPitch, r.fromPitch)};
  std::lock_guard guard(runtime.mutex);
  Side to, from;
  if (Result result = locate(runtime, r.to, span(r.width, r.height, r.toPitch), "destination", to);
      result.code != hipSuccess)
    return result;
  if (Result result = locate(runtime, r.from, span(r.width, r.height, r.fromPitch), "source", from);
      result.code != hipSuccess)
    return result;
  bool toDevice = r.kind == hipMemcpyHostToDevice || r.kind >= hipMemcpyDeviceToDevice;
  bool fromDevice = r.kind == hipMemcpyDeviceToHost || r.kind >= hipMemcpyDeviceToDevice;
  if (r.kind != hipMemcpyDefault) {
    if (toDevice && to.pageable)
      return {hipErrorInvalidValue,
              fmt::format("the destination 0x{:x} is no memory of the device", reinterpret_cast<uintptr_t>(r.to))};
    if (fromDevice && from.pageable)
      return {hipErrorInvalidValue,
              fmt::format("the source 0x{:x} is no memory of the device", reinterpret_cast<uintptr_t>(r.from))};
  }
  work.to = to.host;
  work.from = from.host;
  work.acrossHost = !to.device || !from.device;
  toPageable = to.pageable;
  if (staging && from.pageable) {
    size_t bytes = span(r.width, r.height, r.fromPitch);
    work.staged = std::make_shared<std::vector<std::byte>>(from.host, from.host + bytes);
    work.from = work.staged->data();
  }
  return {};
}

Result makeFill(Runtime &runtime, void *to, uint32_t value, unsigned elementBytes, size_t width, size_t height,
                size_t pitch, FillWork &work) {
  work = {nullptr, value, elementBytes, width, height, pitch};
  if (!width || !height) {
    work.width = 0;
    return {};
  }
  size_t row = width * elementBytes;
  if (height > 1 && pitch < row)
    return {hipErrorInvalidPitchValue, fmt::format("rows of {} bytes do not fit into a pitch of {} bytes", row, pitch)};
  std::lock_guard guard(runtime.mutex);
  Side side;
  if (Result result = locate(runtime, to, span(row, height, pitch), "destination", side); result.code != hipSuccess)
    return result;
  if (side.pageable)
    return {hipErrorInvalidValue,
            fmt::format("the destination 0x{:x} is no memory of the device", reinterpret_cast<uintptr_t>(to))};
  work.to = side.host;
  return {};
}

namespace {

enum class Wait { Yes, No };

/// A copy on a stream. Nobody may touch pageable memory afterwards without waiting, so such copies wait here.
Result copyOn(Runtime &runtime, const CopyRequest &request, hipStream_t stream, Wait wait) {
  std::unique_lock lock(runtime.mutex);
  ihipStream_t *live = streamOf(runtime, stream);
  if (!live)
    return {hipErrorInvalidHandle, fmt::format("0x{:x} is no live stream", reinterpret_cast<uintptr_t>(stream))};
  bool capturing = live->capture;
  lock.unlock();
  CopyWork work;
  bool toPageable = false;
  if (Result result = makeCopy(runtime, request, wait == Wait::No && !capturing, work, toPageable);
      result.code != hipSuccess)
    return result;
  if (Result result = runtime.submit(stream, std::move(work), hipGraphNodeTypeMemcpy); result.code != hipSuccess)
    return result;
  if (capturing || (wait == Wait::No && !toPageable))
    return {};
  lock.lock();
  uint64_t ticket = live->last;
  lock.unlock();
  return runtime.waitFor(ticket);
}

hipError_t copy(const char *function, const CopyRequest &request, hipStream_t stream, Wait wait) {
  return api(function, [&](Runtime &runtime) { return copyOn(runtime, request, stream, wait); });
}

hipError_t fill(const char *function, void *to, uint32_t value, unsigned elementBytes, size_t width, size_t height,
                size_t pitch, hipStream_t stream, Wait wait) {
  return api(function, [&](Runtime &runtime) -> Result {
    FillWork work;
    if (Result result = makeFill(runtime, to, value, elementBytes, width, height, pitch, work);
        result.code != hipSuccess)
      return result;
    if (Result result = runtime.submit(stream, work, hipGraphNodeTypeMemset); result.code != hipSuccess)
      return result;
    return wait == Wait::Yes ? Result(runtime.waitForAll()) : Result();
  });
}

/// [address + offset, + bytes) of a __device__ or __constant__ variable.
Result locateSymbol(const void *symbol, size_t bytes, size_t offset, void *&pointer) {
  size_t size = 0;
  if (hipError_t error = hipGetSymbolSize(&size, symbol); error != hipSuccess)
    return error;
  if (hipError_t error = hipGetSymbolAddress(&pointer, symbol); error != hipSuccess)
    return error;
  if (offset > size || bytes > size - offset)
    return {hipErrorInvalidValue,
            fmt::format("{} bytes at offset {} reach past the variable's {} bytes", bytes, offset, size)};
  pointer = static_cast<std::byte *>(pointer) + offset;
  return {};
}

hipError_t copySymbol(const char *function, const void *symbol, void *host, const void *source, size_t bytes,
                      size_t offset, hipMemcpyKind kind, hipStream_t stream, Wait wait) {
  return api(function, [&](Runtime &runtime) -> Result {
    void *pointer = nullptr;
    if (Result result = locateSymbol(symbol, bytes, offset, pointer); result.code != hipSuccess)
      return result;
    CopyRequest request{host ? host : pointer, host ? pointer : source, bytes};
    request.kind = kind;
    return copyOn(runtime, request, stream, wait);
  });
}

} // namespace

} // namespace wavewright::hip

static CopyRequest linear(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  return {to, from, bytes, 1, 0, 0, kind};
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  return copy(__func__, linear(to, from, bytes, kind), nullptr, Wait::Yes);
}
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
  return copy(__func__, linear(to, from, bytes, kind), stream, Wait::No);
}
hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
  return copy(__func__, linear(to, from, bytes, kind), stream, Wait::Yes);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes) {
  return copy(__func__, linear(to, from, bytes, hipMemcpyHostToDevice), nullptr, Wait::Yes);
}
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
  return copy(__func__, linear(to, from, bytes, hipMemcpyDeviceToHost), nullptr, Wait::Yes);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return copy(__func__, linear(to, from, bytes, hipMemcpyDeviceToDevice), nullptr, Wait::Yes);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream) {
  return copy(__func__, linear(to, from, bytes, hipMemcpyHostToDevice), stream, Wait::No);
}
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return copy(__func__, linear(to, from, bytes, hipMemcpyDeviceToHost), stream, Wait::No);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return copy(__func__, linear(to, from, bytes, hipMemcpyDeviceToDevice), stream, Wait::No);
}

static hipError_t copyPeer(const char *function, void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                           hipStream_t stream, Wait wait) {
  if (toDevice || fromDevice)
    return conclude(function, {hipErrorInvalidDevice, "the built-in device is 0, and the only one"});
  return copy(function, linear(to, from, bytes, hipMemcpyDeviceToDevice), stream, wait);
}
hipError_t hipMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes) {
  return copyPeer(__func__, to, toDevice, from, fromDevice, bytes, nullptr, Wait::Yes);
}
hipError_t hipMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                              hipStream_t stream) {
  return copyPeer(__func__, to, toDevice, from, fromDevice, bytes, stream, Wait::No);
}

hipError_t hipMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                       hipMemcpyKind kind) {
  return copy(__func__, {to, from, width, height, toPitch, fromPitch, kind}, nullptr, Wait::Yes);
}
hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream) {
  return copy(__func__, {to, from, width, height, toPitch, fromPitch, kind}, stream, Wait::No);
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, hipMemcpyKind kind) {
  return copySymbol(__func__, symbol, nullptr, from, bytes, offset, kind, nullptr, Wait::Yes);
}
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, hipMemcpyKind kind,
                                  hipStream_t stream) {
  return copySymbol(__func__, symbol, nullptr, from, bytes, offset, kind, stream, Wait::No);
}
hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind) {
  return copySymbol(__func__, symbol, to, nullptr, bytes, offset, kind, nullptr, Wait::Yes);
}
hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream) {
  return copySymbol(__func__, symbol, to, nullptr, bytes, offset, kind, stream, Wait::No);
}

hipError_t hipMemset(void *to, int value, size_t bytes) {
  return fill(__func__, to, uint8_t(value), 1, bytes, 1, 0, nullptr, Wait::Yes);
}
hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  return fill(__func__, to, uint8_t(value), 1, bytes, 1, 0, stream, Wait::No);
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return fill(__func__, to, value, 1, count, 1, 0, nullptr, Wait::Yes);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream) {
  return fill(__func__, to, value, 1, count, 1, 0, stream, Wait::No);
}
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  return fill(__func__, to, value, 2, count, 1, 0, nullptr, Wait::Yes);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream) {
  return fill(__func__, to, value, 2, count, 1, 0, stream, Wait::No);
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return fill(__func__, to, uint32_t(value), 4, count, 1, 0, nullptr, Wait::Yes);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  return fill(__func__, to, uint32_t(value), 4, count, 1, 0, stream, Wait::No);
}
hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return fill(__func__, to, uint8_t(value), 1, width, height, pitch, nullptr, Wait::Yes);
}
hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
  return fill(__func__, to, uint8_t(value), 1, width, height, pitch, stream, Wait::No);
}
