//===- hip/state.h - what the HIP functions share -------------------------------------------------===//
//
// One process has one device, which WAVEWRIGHT_DEVICE names. All that streams do (kernels, copies, host functions) is
// a Work in one queue, and one thread takes it from there in the order in which the program asked for it: so the result
// of a program does not depend on this machine, and yet the program runs on while a kernel works.
//
// Time is emulated: a Work takes as long as its size says, each stream has a clock of its own, and an event takes the
// time of its stream.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/runtime/device.h"
#include "wavewright/target/products.h"

#include "hip/hip_runtime_api.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace wavewright::hip {

/// What a HIP function gives back, and what is said about it on stderr.
struct Result {
  hipError_t code = hipSuccess;
  std::string message;
  Result() = default;
  Result(hipError_t code, std::string message = "") : code(code), message(std::move(message)) {}
};
/// An error of the library as a result with this code.
Result failed(hipError_t code, llvm::Error error);

// Work -----------------------------------------------------------------------------------------------

/// One recording of an event. The worker fills it in.
struct EventMark {
  bool done = false;
  double time = 0; ///< nanoseconds
};

struct KernelWork {
  std::shared_ptr<runtime::Function> function;
  runtime::LaunchConfig config;
  std::vector<runtime::Argument> arguments;
};
struct CopyWork {
  std::byte *to;
  const std::byte *from;
  size_t width, height = 1, toPitch = 0, fromPitch = 0;
  bool acrossHost = true;                              ///< over the bus to the host, not within the device
  std::shared_ptr<std::vector<std::byte>> staged = {}; ///< what `from` points into, when it was copied at the call
};
struct FillWork {
  std::byte *to;
  uint32_t value;
  unsigned elementBytes;
  size_t width, height = 1, pitch = 0; ///< width in elements
};
struct HostWork {
  std::function<void(hipError_t)> function;
};
struct RecordWork {
  std::shared_ptr<EventMark> mark;
};
struct WaitWork {
  std::shared_ptr<EventMark> mark;
};
struct EmptyWork {};
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork>;

} // namespace wavewright::hip

// The handles that programs hold.

struct ihipStream_t {
  unsigned flags = 0;
  int priority = 0;
  uint64_t last = 0; ///< ticket of the newest work
  double time = 0;   ///< the worker's: nanoseconds when its newest finished work ended
  // While a graph is captured: the graph, the nodes that the next one depends on, and where capture began.
  hipGraph_t capture = nullptr;
  std::vector<hipGraphNode_t> tail;
  ihipStream_t *origin = nullptr;
  bool captureBroken = false;
  bool blocking() const { return !(flags & hipStreamNonBlocking); }
};

struct ihipEvent_t {
  unsigned flags = 0;
  std::shared_ptr<wavewright::hip::EventMark> mark; ///< of the newest recording; none before the first
  uint64_t ticket = 0;
  // Recorded in a capture: the nodes before it.
  ihipStream_t *capturedIn = nullptr;
  std::vector<hipGraphNode_t> nodes;
};

struct ihipModule_t {
  std::shared_ptr<wavewright::runtime::Module> module;
  std::map<std::string, std::unique_ptr<ihipModuleSymbol_t>> functions;
};

struct ihipModuleSymbol_t {
  std::shared_ptr<wavewright::runtime::Function> function;
};

struct hipGraphNode {
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  wavewright::hip::Work work;
  std::vector<hipGraphNode_t> dependencies;
  ihipGraph *graph = nullptr;
  std::unique_ptr<ihipGraph> child;
};

struct ihipGraph {
  std::vector<std::unique_ptr<hipGraphNode>> nodes;
};

struct hipGraphExec {
  std::vector<std::pair<hipGraphNode_t, wavewright::hip::Work>> steps; ///< in the order in which they run
};

namespace wavewright::hip {

// Memory ---------------------------------------------------------------------------------------------

enum class MemoryKind : uint8_t { Device, Pinned, Registered, Managed, Global };

struct Allocation {
  std::shared_ptr<runtime::Buffer> buffer;
  uint64_t address = 0, bytes = 0;
  std::byte *host = nullptr;
  MemoryKind kind = MemoryKind::Device;
  unsigned flags = 0;
  uint64_t mappedBytes = 0; ///< of host pages that go with it
  bool onHost() const { return kind == MemoryKind::Pinned || kind == MemoryKind::Registered; }
};

// The process ----------------------------------------------------------------------------------------

class Runtime {
public:
  /// Opened at the first use.
  static Runtime &get();

  runtime::Device *device = nullptr; ///< null when WAVEWRIGHT_DEVICE cannot be opened
  std::string unusable;              ///< why
  const Product *product = nullptr;
  std::string targetId; ///< "gfx942:sramecc+:xnack-"
  uint64_t totalMemory = 0;
  unsigned threads = 0;

  /// Guards all that follows but the worker's own. Never held while work runs.
  std::mutex mutex;
  std::map<uint64_t, Allocation> allocations;
  uint64_t usedMemory = 0;
  std::set<hipStream_t> streams;
  std::set<hipEvent_t> events;
  std::set<hipModule_t> modules;
  std::set<const void *> functions; ///< live hipFunction_t
  std::set<hipGraph_t> graphs;
  std::set<hipGraphExec_t> graphExecs;
  uint64_t limits[hipLimitRange] = {1 << 14, 1 << 20, 8 << 20};
  ihipStream_t null; ///< the default stream

  /// The allocation that holds the address, or null. `mutex` is held.
  Allocation *find(uint64_t address);
  Allocation *find(const void *pointer) { return find(reinterpret_cast<uint64_t>(pointer)); }

  /// Puts work at the end of the stream, or into the graph that the stream captures.
  Result submit(hipStream_t stream, Work work, hipGraphNodeType type);
  /// Waits for all work up to the ticket and prints what its kernels printed; the result is that of the device.
  hipError_t waitFor(uint64_t ticket);
  hipError_t waitForAll();
  bool finished(uint64_t ticket);
  /// The error that a kernel has ended with; every function gives it back until hipDeviceReset.
  hipError_t fault();
  void clearFault();
  bool onWorker() const { return std::this_thread::get_id() == worker.get_id(); }

private:
  Runtime();
  void open();
  void work();
  hipError_t perform(ihipStream_t &stream, Work &work, uint64_t ticket);
  hipError_t launch(KernelWork &work, uint64_t ticket, double &nanoseconds);
  double kernelTime(const KernelWork &work, const runtime::LaunchStatistics &statistics) const;
  void flush(uint64_t ticket);

  struct Task {
    ihipStream_t *stream;
    uint64_t ticket;
    Work work;
  };
  std::mutex queueMutex;
  std::condition_variable arrived, completed;
  std::deque<Task> queue;
  uint64_t issued = 0, done = 0;
  hipError_t faulted = hipSuccess;
  std::deque<std::pair<uint64_t, std::string>> printed;
  std::thread worker;
};

// The frame of each HIP function (errors.cpp) --------------------------------------------------------

/// Remembers an error for hipGetLastError and says it on stderr.
hipError_t conclude(const char *function, Result result);
/// For functions that need the device: the reason why there is none, or the fault that it has.
Result usable();

/// Runs the body of a function that uses the device. `__func__` names the function in messages.
template <class Body> hipError_t api(const char *function, Body body) {
  if (Result result = usable(); result.code != hipSuccess)
    return conclude(function, std::move(result));
  return conclude(function, body(Runtime::get()));
}

/// The stream behind a handle (null and the two special handles included), or null. The runtime's mutex is held.
ihipStream_t *streamOf(Runtime &runtime, hipStream_t handle);

// Modules (module.cpp) -------------------------------------------------------------------------------

/// The code for this device in an image: a code object, or a fat binary (compressed or not). The error lists the
/// targets that the image has. Without a size the image is taken at its word.
llvm::Expected<std::shared_ptr<const codeobject::CodeObject>> selectCode(const void *image, llvm::StringRef targetId,
                                                                         const std::string &name, size_t size = 0);
/// The kernel behind a handle of clang's registration functions.
Result findKernel(const void *handle, std::shared_ptr<runtime::Function> &function);

// Launches (launch.cpp) ------------------------------------------------------------------------------

/// Checks sizes and arguments. `parameters` points to one value an argument; `extra` is HIP_LAUNCH_PARAM_...
Result makeKernelWork(Runtime &runtime, std::shared_ptr<runtime::Function> function, dim3 grid, dim3 block,
                      size_t sharedBytes, void **parameters, void **extra, KernelWork &work);
/// Work-groups that one multiprocessor holds at once.
int residentGroups(const Runtime &runtime, const codeobject::Kernel &kernel, int blockSize, size_t sharedBytes);

// Copies (copy.cpp) ----------------------------------------------------------------------------------

struct CopyRequest {
  void *to;
  const void *from;
  size_t width, height = 1, toPitch = 0, fromPitch = 0;
  hipMemcpyKind kind = hipMemcpyDefault;
};
/// `staging` says whether pageable memory of the host is copied now; `hostPageable` whether the destination is such.
Result makeCopy(Runtime &runtime, const CopyRequest &request, bool staging, CopyWork &work, bool &toPageable);
Result makeFill(Runtime &runtime, void *to, uint32_t value, unsigned elementBytes, size_t width, size_t height,
                size_t pitch, FillWork &work);

} // namespace wavewright::hip
