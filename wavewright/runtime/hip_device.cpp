//===- runtime/hip_device.cpp - a GPU through the HIP library -------------------------------------===//
//
// The library is opened at run time and its functions are found by name, so nothing of ROCm is needed to build or to
// ship. Only functions and structures whose interface has not changed since HIP 4 are used; of the device's properties
// (a structure that did change) only the chip's name is read, by its looks.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/runtime/arguments.h"
#include "wavewright/runtime/devices.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <mutex>

namespace wavewright::runtime {

namespace {

using HipResult = int; ///< hipError_t; 0 is hipSuccess
using HipModule = void *;
using HipFunction = void *;
enum CopyKind { HostToDevice = 1, DeviceToHost = 2 }; // hipMemcpyKind

/// hipModuleLaunchKernel's `extra` list: a kernarg segment of our own making (hip_runtime_api.h, HIP_LAUNCH_PARAM_*).
void *const launchBufferPointer = reinterpret_cast<void *>(1);
void *const launchBufferSize = reinterpret_cast<void *>(2);
void *const launchEnd = reinterpret_cast<void *>(3);

struct HipLibrary {
  std::string path, missing; ///< `missing` says why the library cannot be used
  HipResult (*init)(unsigned) = nullptr;
  HipResult (*getDeviceCount)(int *) = nullptr;
  HipResult (*setDevice)(int) = nullptr;
  HipResult (*getDeviceProperties)(void *, int) = nullptr;
  const char *(*getErrorString)(HipResult) = nullptr;
  HipResult (*moduleLoadData)(HipModule *, const void *) = nullptr;
  HipResult (*moduleUnload)(HipModule) = nullptr;
  HipResult (*moduleGetFunction)(HipFunction *, HipModule, const char *) = nullptr;
  HipResult (*moduleGetGlobal)(void **, size_t *, HipModule, const char *) = nullptr;
  HipResult (*moduleLaunchKernel)(HipFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  void *, void **, void **) = nullptr;
  HipResult (*malloc)(void **, size_t) = nullptr;
  HipResult (*free)(void *) = nullptr;
  HipResult (*memset)(void *, int, size_t) = nullptr;
  HipResult (*memcpy)(void *, const void *, size_t, int) = nullptr;
  HipResult (*deviceSynchronize)() = nullptr;
};

HipLibrary openLibrary() {
  HipLibrary hip;
  void *handle = nullptr;
  const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                               "/opt/rocm/lib/libamdhip64.so"};
  if (const char *chosen = std::getenv("WAVEWRIGHT_HIP_LIBRARY")) {
    if (!(handle = dlopen(chosen, RTLD_NOW | RTLD_LOCAL))) {
      hip.missing = fmt::format("WAVEWRIGHT_HIP_LIBRARY: {}", dlerror());
      return hip;
    }
  }
  for (const char *name : names)
    if (handle || (handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)))
      break;
  if (!handle) {
    hip.missing = "the HIP library libamdhip64.so was not found (install ROCm's hip-runtime-amd, or put its folder on "
                  "LD_LIBRARY_PATH, or name the file in WAVEWRIGHT_HIP_LIBRARY)";
    return hip;
  }
  link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map)
    hip.path = map->l_name;

  auto find = [&](auto &function, std::initializer_list<const char *> spellings) {
    for (const char *name : spellings)
      if ((function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name))))
        return;
    if (hip.missing.empty())
      hip.missing = fmt::format("{} has no function {}", hip.path, *spellings.begin());
  };
  find(hip.init, {"hipInit"});
  find(hip.getDeviceCount, {"hipGetDeviceCount"});
  find(hip.setDevice, {"hipSetDevice"});
  find(hip.getDeviceProperties, {"hipGetDevicePropertiesR0600", "hipGetDeviceProperties"});
  find(hip.getErrorString, {"hipGetErrorString"});
  find(hip.moduleLoadData, {"hipModuleLoadData"});
  find(hip.moduleUnload, {"hipModuleUnload"});
  find(hip.moduleGetFunction, {"hipModuleGetFunction"});
  find(hip.moduleGetGlobal, {"hipModuleGetGlobal"});
  find(hip.moduleLaunchKernel, {"hipModuleLaunchKernel"});
  find(hip.malloc, {"hipMalloc"});
  find(hip.free, {"hipFree"});
  find(hip.memset, {"hipMemset"});
  find(hip.memcpy, {"hipMemcpy"});
  find(hip.deviceSynchronize, {"hipDeviceSynchronize"});
  if (hip.missing.empty())
    if (HipResult result = hip.init(0))
      hip.missing = fmt::format("hipInit failed: {}", hip.getErrorString(result));
  return hip;
}

const HipLibrary &library() {
  static const HipLibrary hip = openLibrary();
  return hip;
}

llvm::Error check(HipResult result, std::string what) {
  if (result == 0)
    return llvm::Error::success();
  return fail(ErrorKind::Launch,
              fmt::format("{} failed: {} (hipError {})", what, library().getErrorString(result), result));
}

/// Every call of HIP works on the thread's current device.
llvm::Error select(int device) { return check(library().setDevice(device), fmt::format("hipSetDevice({})", device)); }

class HipBuffer : public Buffer {
public:
  HipBuffer(int device, void *pointer, uint64_t bytes, std::shared_ptr<void> owner)
      : device(device), pointer(pointer), size(bytes), owner(std::move(owner)) {}
  ~HipBuffer() override {
    if (owner)
      return; // a global's memory is its module's
    llvm::consumeError(select(device));
    library().free(pointer);
  }

  uint64_t address() const override { return reinterpret_cast<uint64_t>(pointer); }
  uint64_t bytes() const override { return size; }
  bool written() const override { return !readOnly; }

  llvm::Error read(void *host, uint64_t offset, uint64_t bytes) const override {
    if (llvm::Error error = inside(offset, bytes, "read"))
      return error;
    return check(library().memcpy(host, static_cast<const char *>(pointer) + offset, bytes, DeviceToHost),
                 fmt::format("copying {} bytes from the device", bytes));
  }
  llvm::Error write(const void *host, uint64_t offset, uint64_t bytes) override {
    if (llvm::Error error = inside(offset, bytes, "write"))
      return error;
    return check(library().memcpy(static_cast<char *>(pointer) + offset, host, bytes, HostToDevice),
                 fmt::format("copying {} bytes to the device", bytes));
  }

  /// A wrapped host array goes to the device before each launch and comes back after it.
  llvm::Error upload() { return host ? write(host, 0, size) : llvm::Error::success(); }
  llvm::Error download() { return host && !readOnly ? read(host, 0, size) : llvm::Error::success(); }
  void *host = nullptr;
  bool readOnly = false;

private:
  llvm::Error inside(uint64_t offset, uint64_t bytes, const char *what) const {
    if (offset > size || bytes > size - offset)
      return fail(ErrorKind::Launch,
                  fmt::format("cannot {} {} bytes at offset {} of a buffer of {} bytes", what, bytes, offset, size));
    return select(device);
  }

  int device;
  void *pointer;
  uint64_t size;
  std::shared_ptr<void> owner;
};

class HipFunctionHandle : public Function {
public:
  HipFunctionHandle(std::shared_ptr<const codeobject::CodeObject> object, const codeobject::Kernel &kernel,
                    std::shared_ptr<void> module, HipFunction handle)
      : handle(handle), object(std::move(object)), entry(kernel), module(std::move(module)) {}
  const codeobject::Kernel &kernel() const override { return entry; }
  HipFunction handle;

private:
  std::shared_ptr<const codeobject::CodeObject> object;
  const codeobject::Kernel &entry;
  std::shared_ptr<void> module;
};

class HipModuleHandle : public Module {
public:
  HipModuleHandle(int device, std::shared_ptr<const codeobject::CodeObject> object, HipModule handle)
      : device(device), object(std::move(object)), module(handle, [device](HipModule module) {
          llvm::consumeError(select(device));
          library().moduleUnload(module);
        }) {}

  llvm::Expected<std::shared_ptr<Function>> function(std::string_view name) override {
    auto kernel = object->kernel(name);
    if (!kernel)
      return kernel.takeError();
    if (llvm::Error error = select(device))
      return std::move(error);
    HipFunction handle = nullptr;
    if (llvm::Error error = check(library().moduleGetFunction(&handle, module.get(), (*kernel)->name.c_str()),
                                  fmt::format("hipModuleGetFunction({})", name)))
      return std::move(error);
    return std::make_shared<HipFunctionHandle>(object, **kernel, module, handle);
  }

  llvm::Expected<std::shared_ptr<Buffer>> global(std::string_view name) override {
    if (llvm::Error error = select(device))
      return std::move(error);
    void *pointer = nullptr;
    size_t bytes = 0;
    if (llvm::Error error = check(library().moduleGetGlobal(&pointer, &bytes, module.get(), std::string(name).c_str()),
                                  fmt::format("hipModuleGetGlobal({})", name)))
      return std::move(error);
    return std::make_shared<HipBuffer>(device, pointer, bytes, module);
  }

private:
  int device;
  std::shared_ptr<const codeobject::CodeObject> object;
  std::shared_ptr<void> module;
};

class HipDevice : public Device {
public:
  HipDevice(int index, const Target &chip) : index(index), chip(chip) {}

  std::string name() const override { return fmt::format("hip:{}", index); }
  const Target &target() const override { return chip; }

  llvm::Expected<std::shared_ptr<Buffer>> allocate(uint64_t bytes, std::string label) override {
    if (llvm::Error error = select(index))
      return std::move(error);
    void *pointer = nullptr;
    if (llvm::Error error = check(library().malloc(&pointer, std::max<uint64_t>(bytes, 1)),
                                  fmt::format("hipMalloc of {} bytes{}{}", bytes, label.empty() ? "" : " for ", label)))
      return std::move(error);
    auto buffer = std::make_shared<HipBuffer>(index, pointer, bytes, nullptr);
    if (llvm::Error error = check(library().memset(pointer, 0, bytes), "hipMemset"))
      return std::move(error);
    return buffer;
  }

  llvm::Expected<std::shared_ptr<Buffer>> wrap(void *host, uint64_t bytes, std::string label, bool readOnly) override {
    auto buffer = allocate(bytes, std::move(label));
    if (!buffer)
      return buffer.takeError();
    auto *own = static_cast<HipBuffer *>(buffer->get());
    own->host = host;
    own->readOnly = readOnly;
    return buffer;
  }

  llvm::Expected<std::shared_ptr<Module>> load(std::shared_ptr<const codeobject::CodeObject> object) override {
    if (llvm::Error error = checkChip(*object, chip, name()))
      return std::move(error);
    if (llvm::Error error = select(index))
      return std::move(error);
    HipModule handle = nullptr;
    if (llvm::Error error = check(library().moduleLoadData(&handle, object->bytes().data()), "hipModuleLoadData"))
      return std::move(error);
    return std::make_shared<HipModuleHandle>(index, std::move(object), handle);
  }

  llvm::Expected<LaunchStatistics> launch(Function &function, const LaunchConfig &config,
                                          std::span<const Argument> arguments, const LaunchOptions &options) override {
    auto *own = dynamic_cast<HipFunctionHandle *>(&function);
    const codeobject::Kernel &kernel = function.kernel();
    if (!own)
      return fail(ErrorKind::Launch,
                  fmt::format("kernel '{}' was loaded on another kind of device than {}", kernel.name, name()));
    if (llvm::Error error = refuseEmulatorOptions(options))
      return std::move(error);
    if (llvm::Error error = checkLaunch(chip, kernel, config))
      return std::move(error);
    auto kernarg = packArguments(kernel, arguments);
    if (!kernarg)
      return kernarg.takeError();
    if (llvm::Error error = select(index))
      return std::move(error);

    for (const Argument &argument : arguments)
      if (auto *buffer = dynamic_cast<HipBuffer *>(argument.keepAlive.get()))
        if (llvm::Error error = buffer->upload())
          return std::move(error);

    size_t size = kernarg->size();
    void *extra[] = {launchBufferPointer, kernarg->data(), launchBufferSize, &size, launchEnd};
    auto begin = std::chrono::steady_clock::now();
    if (llvm::Error error =
            check(library().moduleLaunchKernel(own->handle, config.grid.x, config.grid.y, config.grid.z, config.block.x,
                                               config.block.y, config.block.z, config.dynamicLdsBytes, nullptr, nullptr,
                                               size ? extra : nullptr),
                  fmt::format("the launch of '{}'", kernel.name)))
      return std::move(error);
    if (llvm::Error error = check(library().deviceSynchronize(), fmt::format("kernel '{}'", kernel.name)))
      return std::move(error);

    LaunchStatistics statistics;
    statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    statistics.workGroups = config.grid.count();
    statistics.waves = statistics.workGroups * ((config.block.count() + kernel.waveSize - 1) / kernel.waveSize);

    for (const Argument &argument : arguments)
      if (auto *buffer = dynamic_cast<HipBuffer *>(argument.keepAlive.get()))
        if (llvm::Error error = buffer->download())
          return std::move(error);
    return statistics;
  }

private:
  /// A GPU cannot do what these ask for; to take them silently would be to claim that it did.
  llvm::Error refuseEmulatorOptions(const LaunchOptions &options) const {
    const LaunchOptions defaults;
    const std::pair<bool, const char *> asked[] = {
        {options.checks != defaults.checks, "checks"},
        {options.matrix != defaults.matrix, "matrix"},
        {options.seed != defaults.seed, "seed"},
        {options.instructionBudget != defaults.instructionBudget, "budget"},
        {options.threads != defaults.threads, "threads"},
        {options.observer != nullptr, "debugging"},
    };
    for (auto [set, option] : asked)
      if (set)
        return fail(ErrorKind::Usage, fmt::format("\"{}\" is an option of the emulator; {} is a GPU and takes the "
                                                  "launch without it, or open emu:{}",
                                                  option, name(), chip.name));
    return llvm::Error::success();
  }

  int index;
  const Target &chip;
};

/// hipDeviceProp_t begins with 256 bytes of the product's name; gcnArchName ("gfx942:sramecc+:xnack-") stands at an
/// offset that differs between HIP 5 and 6, so it is known by its looks: "gfx", at the start of a string.
std::string chipName(llvm::ArrayRef<char> properties) {
  llvm::StringRef text(properties.data(), properties.size());
  for (size_t at = text.find("gfx", 256); at != llvm::StringRef::npos; at = text.find("gfx", at + 1)) {
    llvm::StringRef name = text.substr(at).take_while([](char c) { return llvm::isAlnum(c); });
    if (text[at - 1] == '\0' && name.size() >= 6 && llvm::all_of(name.drop_front(3), llvm::isHexDigit))
      return name.str();
  }
  return "";
}

} // namespace

llvm::Expected<unsigned> countHipDevices() {
  const HipLibrary &hip = library();
  if (!hip.missing.empty())
    return fail(ErrorKind::Usage, hip.missing);
  int count = 0;
  if (HipResult result = hip.getDeviceCount(&count))
    return fail(ErrorKind::Usage, fmt::format("hipGetDeviceCount failed: {}", hip.getErrorString(result)));
  return unsigned(std::max(count, 0));
}

std::string hipLibraryPath() { return library().path; }

llvm::Expected<std::shared_ptr<Device>> openHip(unsigned index) {
  auto count = countHipDevices();
  if (!count)
    return count.takeError();
  if (index >= *count)
    return fail(ErrorKind::Usage, fmt::format("HIP offers {} GPU{}", *count, *count == 1 ? "" : "s"));

  std::vector<char> properties(16384); // the structure has about 1,500 bytes today
  if (HipResult result = library().getDeviceProperties(properties.data(), int(index)))
    return fail(ErrorKind::Usage, fmt::format("hipGetDeviceProperties failed: {}", library().getErrorString(result)));
  std::string chip = chipName(properties);
  if (chip.empty())
    return fail(ErrorKind::Usage, "HIP does not say which chip this GPU has");
  auto target = findTarget(chip);
  if (!target)
    return target.takeError();
  return std::make_shared<HipDevice>(int(index), **target);
}

} // namespace wavewright::runtime
