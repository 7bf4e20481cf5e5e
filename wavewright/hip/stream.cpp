//===- hip/stream.cpp - streams and events --------------------------------------------------------===//
#include "wavewright/hip/state.h"

#include <fmt/format.h>

using namespace wavewright;
using namespace wavewright::hip;

namespace wavewright::hip {

ihipStream_t *streamOf(Runtime &runtime, hipStream_t handle) {
  if (!handle || handle == hipStreamLegacy)
    return &runtime.null;
  if (handle == hipStreamPerThread) {
    thread_local ihipStream_t *own = nullptr;
    if (!own)
      runtime.streams.insert(own = new ihipStream_t());
    return own;
  }
  return runtime.streams.count(handle) ? handle : nullptr;
}

namespace {

Result noStream(hipStream_t handle) {
  return {hipErrorInvalidHandle, fmt::format("0x{:x} is no live stream", reinterpret_cast<uintptr_t>(handle))};
}
Result noEvent(hipEvent_t handle) {
  return {hipErrorInvalidHandle, fmt::format("0x{:x} is no live event", reinterpret_cast<uintptr_t>(handle))};
}

/// Runs the body with the live stream; the mutex is held.
template <class Body> hipError_t withStream(const char *function, hipStream_t handle, Body body) {
  return api(function, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    ihipStream_t *stream = streamOf(runtime, handle);
    return stream ? body(runtime, *stream) : noStream(handle);
  });
}

Result whileCapturing(ihipStream_t &stream) {
  stream.captureBroken = true;
  return {hipErrorStreamCaptureUnsupported, "the stream is capturing a graph; its work has not run"};
}

} // namespace

} // namespace wavewright::hip

// Streams --------------------------------------------------------------------------------------------

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!stream || (flags & ~hipStreamNonBlocking))
      return {hipErrorInvalidValue, stream ? fmt::format("flags {} are not known", flags)
                                           : std::string("the pointer for the stream is null")};
    *stream = new ihipStream_t();
    (*stream)->flags = flags;
    (*stream)->priority = std::clamp(priority, -1, 1);
    std::lock_guard guard(runtime.mutex);
    runtime.streams.insert(*stream);
    return {};
  });
}
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
hipError_t hipStreamCreate(hipStream_t *stream) { return hipStreamCreateWithPriority(stream, hipStreamDefault, 0); }

hipError_t hipStreamDestroy(hipStream_t stream) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::unique_lock lock(runtime.mutex);
    if (!runtime.streams.count(stream))
      return noStream(stream);
    uint64_t last = stream->last;
    lock.unlock();
    runtime.waitFor(last);
    lock.lock();
    if (runtime.streams.erase(stream))
      delete stream;
    return {};
  });
}

hipError_t hipStreamQuery(hipStream_t handle) {
  return withStream(__func__, handle, [&](Runtime &runtime, ihipStream_t &stream) -> Result {
    if (stream.capture)
      return whileCapturing(stream);
    return runtime.finished(stream.last) ? hipSuccess : hipErrorNotReady;
  });
}

hipError_t hipStreamSynchronize(hipStream_t handle) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::unique_lock lock(runtime.mutex);
    ihipStream_t *stream = streamOf(runtime, handle);
    if (!stream)
      return noStream(handle);
    if (stream->capture)
      return whileCapturing(*stream);
    uint64_t last = stream->last;
    lock.unlock();
    // The default stream's work comes after that of all blocking streams.
    return stream == &runtime.null ? runtime.waitForAll() : runtime.waitFor(last);
  });
}

hipError_t hipStreamGetFlags(hipStream_t handle, unsigned *flags) {
  return withStream(__func__, handle, [&](Runtime &, ihipStream_t &stream) -> Result {
    if (!flags)
      return {hipErrorInvalidValue, "the pointer for the flags is null"};
    *flags = stream.flags;
    return {};
  });
}
hipError_t hipStreamGetPriority(hipStream_t handle, int *priority) {
  return withStream(__func__, handle, [&](Runtime &, ihipStream_t &stream) -> Result {
    if (!priority)
      return {hipErrorInvalidValue, "the pointer for the priority is null"};
    *priority = stream.priority;
    return {};
  });
}
hipError_t hipStreamGetDevice(hipStream_t handle, hipDevice_t *device) {
  return withStream(__func__, handle, [&](Runtime &, ihipStream_t &) -> Result {
    if (!device)
      return {hipErrorInvalidValue, "the pointer for the device is null"};
    *device = 0;
    return {};
  });
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned flags) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!callback || flags)
      return {hipErrorInvalidValue, callback ? "flags must be 0" : "the callback is null"};
    HostWork work{[=](hipError_t status) { callback(stream, status, data); }};
    return runtime.submit(stream, std::move(work), hipGraphNodeTypeHost);
  });
}
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!function)
      return {hipErrorInvalidValue, "the function is null"};
    return runtime.submit(stream, HostWork{[=](hipError_t) { function(data); }}, hipGraphNodeTypeHost);
  });
}

// Events ---------------------------------------------------------------------------------------------

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!event)
      return {hipErrorInvalidValue, "the pointer for the event is null"};
    *event = new ihipEvent_t();
    (*event)->flags = flags;
    std::lock_guard guard(runtime.mutex);
    runtime.events.insert(*event);
    return {};
  });
}
hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, hipEventDefault); }

hipError_t hipEventDestroy(hipEvent_t event) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    if (!runtime.events.erase(event))
      return noEvent(event);
    delete event;
    return {};
  });
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t handle) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::unique_lock lock(runtime.mutex);
    if (!runtime.events.count(event))
      return noEvent(event);
    ihipStream_t *stream = streamOf(runtime, handle);
    if (!stream)
      return noStream(handle);
    event->capturedIn = nullptr;
    if (stream->capture) {
      event->capturedIn = stream->origin;
      event->nodes = stream->tail;
      return {};
    }
    event->mark = std::make_shared<EventMark>();
    RecordWork work{event->mark};
    lock.unlock();
    if (Result result = runtime.submit(handle, std::move(work), hipGraphNodeTypeEventRecord); result.code != hipSuccess)
      return result;
    lock.lock();
    event->ticket = stream->last;
    return {};
  });
}
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned) {
  return hipEventRecord(event, stream);
}

hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::unique_lock lock(runtime.mutex);
    if (!runtime.events.count(event))
      return noEvent(event);
    ihipStream_t *stream = streamOf(runtime, handle);
    if (!stream)
      return noStream(handle);
    if (event->capturedIn) {
      // The wait takes the stream into the capture, or joins it again.
      ihipStream_t *origin = event->capturedIn;
      if (!runtime.streams.count(origin) || !origin->capture)
        return {hipErrorCapturedEvent, "the event was recorded in a capture that has ended"};
      if (stream->capture && stream->origin != origin)
        return {hipErrorStreamCaptureMerge, "the event belongs to another capture than the stream"};
      stream->capture = origin->capture;
      stream->origin = origin;
      for (hipGraphNode_t node : event->nodes)
        if (std::find(stream->tail.begin(), stream->tail.end(), node) == stream->tail.end())
          stream->tail.push_back(node);
      return {};
    }
    if (stream->capture)
      return {hipErrorStreamCaptureIsolation, "the event was recorded outside of the capture"};
    if (!event->mark)
      return {};
    WaitWork work{event->mark};
    lock.unlock();
    return runtime.submit(handle, std::move(work), hipGraphNodeTypeWaitEvent);
  });
}

hipError_t hipEventQuery(hipEvent_t event) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::lock_guard guard(runtime.mutex);
    if (!runtime.events.count(event))
      return noEvent(event);
    if (event->capturedIn)
      return {hipErrorCapturedEvent, "the event was recorded in a capture"};
    return !event->mark || event->mark->done ? hipSuccess : hipErrorNotReady;
  });
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::unique_lock lock(runtime.mutex);
    if (!runtime.events.count(event))
      return noEvent(event);
    if (event->capturedIn)
      return {hipErrorCapturedEvent, "the event was recorded in a capture"};
    uint64_t ticket = event->ticket;
    lock.unlock();
    return runtime.waitFor(ticket);
  });
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!milliseconds)
      return {hipErrorInvalidValue, "the pointer for the time is null"};
    std::lock_guard guard(runtime.mutex);
    for (hipEvent_t event : {start, stop}) {
      if (!runtime.events.count(event))
        return noEvent(event);
      if (!event->mark || (event->flags & hipEventDisableTiming))
        return {hipErrorInvalidHandle,
                event->mark ? "the event was made with hipEventDisableTiming" : "the event was never recorded"};
    }
    if (!start->mark->done || !stop->mark->done)
      return hipErrorNotReady;
    *milliseconds = float((stop->mark->time - start->mark->time) / 1e6);
    return {};
  });
}
