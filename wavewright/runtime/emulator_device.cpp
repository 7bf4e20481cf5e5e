#include "wavewright/runtime/arguments.h"
#include "wavewright/runtime/devices.h"
#include "wavewright/runtime/printf.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <mutex>

namespace wavewright::runtime {

namespace {

/// The device's memory and the rule that it changes only between launches. What is freed while a launch runs waits for
/// its end, so that no owner of a buffer ever blocks.
class Memory {
public:
  emulator::AddressSpace space;
  std::timed_mutex launching;

  /// The lock for a change of memory or a launch; none when `interrupt` is set first.
  std::unique_lock<std::timed_mutex> acquire(const std::atomic<bool> *interrupt = nullptr) {
    std::unique_lock lock(launching, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(10)))
      if (interrupt && interrupt->load(std::memory_order_relaxed))
        return {};
    sweep();
    return lock;
  }

  void retire(uint64_t address, std::shared_ptr<void> object = nullptr) {
    {
      std::lock_guard guard(retiredMutex);
      retired.push_back({address, std::move(object)});
    }
    std::unique_lock lock(launching, std::try_to_lock);
    if (lock)
      sweep();
  }

private:
  struct Retired {
    uint64_t address; ///< 0 when `object` frees by itself
    std::shared_ptr<void> object;
  };

  void sweep() {
    std::vector<Retired> done;
    {
      std::lock_guard guard(retiredMutex);
      done.swap(retired);
    }
    for (Retired &entry : done)
      if (entry.address)
        llvm::consumeError(space.release(entry.address));
  }

  std::mutex retiredMutex;
  std::vector<Retired> retired;
};

class EmulatorBuffer : public Buffer {
public:
  EmulatorBuffer(std::shared_ptr<Memory> memory, uint64_t address, uint64_t bytes,
                 std::shared_ptr<void> owner = nullptr)
      : memory(std::move(memory)), owner(std::move(owner)), start(address), size(bytes) {}
  ~EmulatorBuffer() override {
    if (!owner)
      memory->retire(start);
  }

  uint64_t address() const override { return start; }
  uint64_t bytes() const override { return size; }
  bool written() const override { return memory->space.written(start); }
  std::byte *hostPointer() const override { return size ? memory->space.translate(start, size) : nullptr; }

  llvm::Error read(void *host, uint64_t offset, uint64_t bytes) const override {
    auto source = locate(offset, bytes, "read");
    if (!source)
      return source.takeError();
    if (bytes && *source != host)
      std::memcpy(host, *source, bytes);
    return llvm::Error::success();
  }

  llvm::Error write(const void *host, uint64_t offset, uint64_t bytes) override {
    auto destination = locate(offset, bytes, "write");
    if (!destination)
      return destination.takeError();
    if (bytes && *destination != host)
      std::memcpy(*destination, host, bytes);
    return llvm::Error::success();
  }

private:
  llvm::Expected<std::byte *> locate(uint64_t offset, uint64_t bytes, const char *what) const {
    if (offset > size || bytes > size - offset)
      return fail(ErrorKind::Launch,
                  fmt::format("cannot {} {} bytes at offset {} of a buffer of {} bytes", what, bytes, offset, size));
    return bytes ? memory->space.translate(start + offset, bytes) : nullptr;
  }

  std::shared_ptr<Memory> memory;
  std::shared_ptr<void> owner; ///< the module of a global, whose memory it is
  uint64_t start, size;
};

class EmulatorFunction : public Function {
public:
  EmulatorFunction(std::shared_ptr<emulator::LoadedModule> module, const codeobject::Kernel &kernel)
      : module(std::move(module)), entry(kernel) {}
  const codeobject::Kernel &kernel() const override { return entry; }

  std::shared_ptr<emulator::LoadedModule> module;

private:
  const codeobject::Kernel &entry; ///< inside the module's code object
};

class EmulatorModule : public Module {
public:
  EmulatorModule(std::shared_ptr<Memory> memory, std::shared_ptr<emulator::LoadedModule> module)
      : memory(std::move(memory)), module(std::move(module)) {}

  llvm::Expected<std::shared_ptr<Function>> function(std::string_view name) override {
    auto kernel = module->object().kernel(name);
    if (!kernel)
      return kernel.takeError();
    return std::make_shared<EmulatorFunction>(module, **kernel);
  }

  llvm::Expected<std::shared_ptr<Buffer>> global(std::string_view name) override {
    uint64_t bytes = 0;
    auto address = module->global(name, &bytes);
    if (!address)
      return address.takeError();
    return std::make_shared<EmulatorBuffer>(memory, *address, bytes, module);
  }

private:
  std::shared_ptr<Memory> memory;
  std::shared_ptr<emulator::LoadedModule> module;
};

class EmulatorDevice : public Device {
public:
  explicit EmulatorDevice(const Target &chip) : chip(chip), memory(std::make_shared<Memory>()) {}

  std::string name() const override { return "emu:" + std::string(chip.name); }
  const Target &target() const override { return chip; }

  llvm::Expected<std::shared_ptr<Buffer>> allocate(uint64_t bytes, std::string label) override {
    auto lock = memory->acquire();
    return buffer(memory->space.allocate(bytes, 256, std::move(label)), bytes);
  }

  llvm::Expected<std::shared_ptr<Buffer>> wrap(void *host, uint64_t bytes, std::string label, bool readOnly) override {
    auto lock = memory->acquire();
    return buffer(memory->space.wrap(host, bytes, std::move(label), readOnly), bytes);
  }

  llvm::Expected<std::shared_ptr<Buffer>> wrapInPlace(void *host, uint64_t bytes, std::string label,
                                                      bool readOnly) override {
    auto lock = memory->acquire();
    if (llvm::Error error = memory->space.wrapInPlace(host, bytes, std::move(label), readOnly))
      return std::move(error);
    return buffer(reinterpret_cast<uintptr_t>(host), bytes);
  }

  llvm::Expected<std::shared_ptr<Module>> load(std::shared_ptr<const codeobject::CodeObject> object) override {
    if (llvm::Error error = checkChip(*object, chip, name()))
      return std::move(error);
    auto lock = memory->acquire();
    auto loaded = emulator::LoadedModule::load(memory->space, std::move(object));
    if (!loaded)
      return loaded.takeError();
    // The last owner hands the module to the memory, which frees it when no launch runs.
    std::shared_ptr<emulator::LoadedModule> guarded(
        loaded->get(),
        [memory = memory, held = *loaded](emulator::LoadedModule *) mutable { memory->retire(0, std::move(held)); });
    return std::make_shared<EmulatorModule>(memory, std::move(guarded));
  }

  llvm::Expected<LaunchStatistics> launch(Function &function, const LaunchConfig &config,
                                          std::span<const Argument> arguments, const LaunchOptions &options) override {
    auto *own = dynamic_cast<EmulatorFunction *>(&function);
    if (!own)
      return fail(ErrorKind::Launch, fmt::format("kernel '{}' was loaded on another kind of device than {}",
                                                 function.kernel().name, name()));
    const codeobject::Kernel &kernel = own->kernel();
    if (llvm::Error error = checkLaunch(chip, kernel, config))
      return std::move(error);
    auto kernarg = packArguments(kernel, arguments);
    if (!kernarg)
      return kernarg.takeError();

    auto lock = memory->acquire(options.interrupt);
    if (!lock)
      return fail(ErrorKind::Launch, fmt::format("the launch of '{}' was interrupted", kernel.name), kernel.place);
    memory->space.clearWritten();
    LaunchOptions given = options;
    auto printing = PrintfBuffer::create(memory->space, kernel, given);
    if (!printing)
      return printing.takeError();
    auto begin = std::chrono::steady_clock::now();
    auto statistics = emulator::launch(*own->module, memory->space, kernel, config, *kernarg, given);
    printing->show(own->module->object().printfFormats(), options.printed);
    if (statistics)
      statistics->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return statistics;
  }

private:
  llvm::Expected<std::shared_ptr<Buffer>> buffer(llvm::Expected<uint64_t> address, uint64_t bytes) {
    if (!address)
      return address.takeError();
    return std::make_shared<EmulatorBuffer>(memory, *address, bytes);
  }

  const Target &chip;
  std::shared_ptr<Memory> memory;
};

} // namespace

llvm::Expected<std::shared_ptr<Device>> openEmulator(llvm::StringRef chip) {
  auto target = findTarget(chip);
  if (!target)
    return target.takeError();
  if (!(*target)->emulated)
    return fail(ErrorKind::Usage, fmt::format("{} compiles, but is not emulated", (*target)->name));
  return std::make_shared<EmulatorDevice>(**target);
}

} // namespace wavewright::runtime
