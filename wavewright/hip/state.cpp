#include "wavewright/hip/state.h"

#include "llvm/Support/FormatVariadic.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace wavewright::hip {

namespace {

/// What each kind of work costs beside its size (nanoseconds), and the bus to the host (bytes a nanosecond: PCI Express
/// 5, 16 lanes). Choices of ours: emulated time measures work, it does not foretell a GPU.
constexpr double LaunchCost = 4000, CopyCost = 2000, BusBytesPerNs = 50;

} // namespace

Result failed(hipError_t code, llvm::Error error) {
  Failure failure = takeFailure(std::move(error), ErrorKind::Launch);
  std::string place = failure.place.str();
  return {code, place.empty() ? failure.message : place + ": " + failure.message};
}

Runtime &Runtime::get() {
  // Never destroyed: programs call HIP from destructors of their own statics.
  static Runtime *runtime = [] {
    auto *made = new Runtime();
    made->open();
    std::atexit([] {
      Runtime &runtime = Runtime::get();
      if (!runtime.onWorker())
        runtime.waitForAll();
    });
    return made;
  }();
  return *runtime;
}

Runtime::Runtime() = default;

void Runtime::open() {
  const char *named = std::getenv("WAVEWRIGHT_DEVICE");
  std::string name = named && *named ? named : "emu:gfx942";
  if (!llvm::StringRef(name).starts_with("emu:")) {
    unusable = fmt::format("WAVEWRIGHT_DEVICE is \"{}\", and this program is linked with the built-in device's HIP "
                           "library; name an emu:<chip>, or link with libamdhip64 for a GPU",
                           name);
    return;
  }
  auto opened = runtime::openDevice(name);
  if (!opened) {
    unusable = takeFailure(opened.takeError()).message;
    return;
  }
  static std::shared_ptr<runtime::Device> keep;
  keep = *opened;
  device = keep.get();
  std::string_view chip = device->target().name;
  product = findProduct(chip);
  targetId = chip;
  if (product->sramEcc) {
    const char *xnack = std::getenv("HSA_XNACK");
    targetId += fmt::format(":sramecc+:xnack{}", xnack && std::string_view(xnack) == "1" ? "+" : "-");
  }
  uint64_t host = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  totalMemory = std::min(product->memoryBytes, host);
  if (const char *count = std::getenv("WAVEWRIGHT_THREADS"))
    llvm::StringRef(count).getAsInteger(10, threads);
}

Allocation *Runtime::find(uint64_t address) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  Allocation &candidate = std::prev(after)->second;
  return address - candidate.address < candidate.bytes ? &candidate : nullptr;
}

// The queue ------------------------------------------------------------------------------------------

Result Runtime::submit(hipStream_t handle, Work work, hipGraphNodeType type) {
  std::lock_guard guard(mutex);
  ihipStream_t *stream = streamOf(*this, handle);
  if (!stream)
    return {hipErrorInvalidHandle, fmt::format("0x{:x} is no live stream", reinterpret_cast<uintptr_t>(handle))};
  if (stream->capture) {
    auto node = std::make_unique<hipGraphNode>();
    node->type = type;
    node->work = std::move(work);
    node->dependencies = std::move(stream->tail);
    node->graph = stream->capture;
    stream->tail = {node.get()};
    stream->capture->nodes.push_back(std::move(node));
    return {};
  }
  std::lock_guard queueGuard(queueMutex);
  if (!worker.joinable()) {
    worker = std::thread([this] { this->work(); });
  }
  stream->last = ++issued;
  if (auto *record = std::get_if<RecordWork>(&work))
    record->mark->done = false;
  queue.push_back({stream, issued, std::move(work)});
  arrived.notify_one();
  return {};
}

void Runtime::work() {
  std::unique_lock lock(queueMutex);
  while (true) {
    arrived.wait(lock, [&] { return !queue.empty(); });
    Task task = std::move(queue.front());
    queue.pop_front();
    bool broken = faulted != hipSuccess;
    lock.unlock();
    hipError_t result = hipSuccess;
    // After a fault nothing runs any more, but events still end and host functions still learn of it.
    if (!broken || !(std::holds_alternative<KernelWork>(task.work) || std::holds_alternative<CopyWork>(task.work) ||
                     std::holds_alternative<FillWork>(task.work)))
      result = perform(*task.stream, task.work, task.ticket);
    task.work = EmptyWork{};
    lock.lock();
    if (result != hipSuccess && faulted == hipSuccess)
      faulted = result;
    done = task.ticket;
    completed.notify_all();
  }
}

namespace {

void copy(const CopyWork &w) {
  if (w.height <= 1) {
    if (w.width)
      std::memmove(w.to, w.from, w.width);
    return;
  }
  for (size_t row = 0; row < w.height; ++row)
    std::memmove(w.to + row * w.toPitch, w.from + row * w.fromPitch, w.width);
}

void fill(const FillWork &w) {
  for (size_t row = 0; row < w.height; ++row) {
    std::byte *to = w.to + row * w.pitch;
    if (w.elementBytes == 1)
      std::memset(to, int(w.value), w.width);
    else
      for (size_t i = 0; i < w.width; ++i)
        std::memcpy(to + i * w.elementBytes, &w.value, w.elementBytes);
  }
}

} // namespace

hipError_t Runtime::perform(ihipStream_t &stream, Work &work, uint64_t ticket) {
  // The default stream waits for every blocking stream, and they for it.
  double start = stream.time;
  if (&stream == &null) {
    std::lock_guard guard(mutex);
    for (hipStream_t other : streams)
      if (other->blocking())
        start = std::max(start, other->time);
  } else if (stream.blocking()) {
    start = std::max(start, null.time);
  }
  hipError_t result = hipSuccess;
  double takes = 0;
  if (auto *kernel = std::get_if<KernelWork>(&work)) {
    result = launch(*kernel, ticket, takes);
  } else if (auto *c = std::get_if<CopyWork>(&work)) {
    copy(*c);
    double rate = c->acrossHost ? BusBytesPerNs : product->memoryGbPerSecond / 2.0;
    takes = CopyCost + double(c->width) * double(c->height) / rate;
  } else if (auto *f = std::get_if<FillWork>(&work)) {
    fill(*f);
    takes = CopyCost + double(f->width) * f->elementBytes * double(f->height) / product->memoryGbPerSecond;
  } else if (auto *host = std::get_if<HostWork>(&work)) {
    host->function(fault());
  } else if (auto *wait = std::get_if<WaitWork>(&work)) {
    start = std::max(start, wait->mark->time);
  } else if (auto *record = std::get_if<RecordWork>(&work)) {
    std::lock_guard guard(mutex);
    record->mark->time = start;
    record->mark->done = true;
  }
  stream.time = start + takes;
  return result;
}

/// A SIMD issues one instruction of a wave every 4 clocks on CDNA, every clock on RDNA (AMD's ISA manuals); as many
/// SIMDs work as there are waves for.
double Runtime::kernelTime(const KernelWork &work, const runtime::LaunchStatistics &statistics) const {
  const Target &target = device->target();
  double simds = double(product->units) * target.registers.simdsPerUnit;
  double busy = std::max(1.0, std::min(simds, double(statistics.waves)));
  double clocks = double(statistics.waveInstructions) / busy * (target.isCdna() ? 4 : 1);
  return LaunchCost + clocks * 1000 / product->clockMhz;
}

hipError_t Runtime::launch(KernelWork &work, uint64_t ticket, double &nanoseconds) {
  emulator::PrintedText text;
  runtime::LaunchOptions options;
  options.threads = threads;
  options.printed = &text;
  {
    std::lock_guard guard(mutex);
    options.printfBytes = limits[hipLimitPrintfFifoSize];
  }
  auto statistics = device->launch(*work.function, work.config, work.arguments, options);
  if (!text.out.empty()) {
    std::lock_guard guard(queueMutex);
    printed.emplace_back(ticket, std::move(text.out));
  }
  if (statistics) {
    nanoseconds = kernelTime(work, *statistics);
    return hipSuccess;
  }
  Failure failure = takeFailure(statistics.takeError(), ErrorKind::Launch);
  hipError_t code = !text.assertion.empty()            ? hipErrorAssert
                    : failure.kind == ErrorKind::Check ? hipErrorIllegalAddress
                                                       : hipErrorLaunchFailure;
  std::string place = failure.place.str();
  std::fprintf(stderr, "%swavewright: %s%s%s\n", text.assertion.c_str(), place.c_str(), place.empty() ? "" : ": ",
               failure.message.c_str());
  return code;
}

bool Runtime::finished(uint64_t ticket) {
  std::lock_guard guard(queueMutex);
  return done >= ticket;
}

hipError_t Runtime::waitFor(uint64_t ticket) {
  if (onWorker())
    return conclude("host function", {hipErrorNotSupported, "a host function of a stream cannot wait for the device, "
                                                            "which waits for it"});
  std::unique_lock lock(queueMutex);
  completed.wait(lock, [&] { return done >= ticket; });
  hipError_t result = faulted;
  lock.unlock();
  flush(ticket);
  return result;
}

hipError_t Runtime::waitForAll() {
  uint64_t last;
  {
    std::lock_guard guard(queueMutex);
    last = issued;
  }
  return waitFor(last);
}

/// Text appears when the program waits for its kernel, from the thread that waits: so its place among the lines that
/// the program itself prints does not depend on how fast the worker is.
void Runtime::flush(uint64_t ticket) {
  std::string text;
  {
    std::lock_guard guard(queueMutex);
    while (!printed.empty() && printed.front().first <= ticket) {
      text += printed.front().second;
      printed.pop_front();
    }
  }
  if (text.empty())
    return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

hipError_t Runtime::fault() {
  std::lock_guard guard(queueMutex);
  return faulted;
}

void Runtime::clearFault() {
  std::lock_guard guard(queueMutex);
  faulted = hipSuccess;
}

} // namespace wavewright::hip
