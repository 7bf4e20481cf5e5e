//===- hip/module.cpp - modules, and what clang's registration code hands over --------------------===//
//
// Every translation unit registers its fat binary, kernels and variables before main. Its code is loaded at the first
// use of any of them, so that a program which never uses the device needs none.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/hip/state.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

using namespace wavewright;
using namespace wavewright::hip;

namespace {

/// What clang emits as __hip_fatbin_wrapper.
struct FatBinaryWrapper {
  uint32_t magic, version;
  const void *image, *unused;
};
constexpr uint32_t FatBinaryMagic = 0x48495046; // "HIPF"

struct ManagedVariable {
  std::string name;
  void *host;
  uint64_t bytes;
};

struct FatBinary {
  const void *image = nullptr;
  std::string damaged; ///< why the wrapper cannot be used
  std::vector<ManagedVariable> managed;
  bool tried = false;
  Result result;
  std::shared_ptr<runtime::Module> module;
};

struct Registered {
  FatBinary *binary;
  std::string name;
  size_t bytes = 0; ///< of a variable
  std::shared_ptr<runtime::Function> function = nullptr;
  void *managed = nullptr;
};

/// What is registered; made at the first registration, which is before main.
struct Registry {
  std::mutex mutex;
  std::map<void **, std::unique_ptr<FatBinary>> binaries;
  std::map<const void *, Registered> functions, variables;
  static Registry &get() {
    static Registry *registry = new Registry();
    return *registry;
  }
};

/// Makes a global of the module known to copies.
Result exposeGlobal(Runtime &runtime, runtime::Module &module, const std::string &name, hipError_t code, void **pointer,
                    size_t *bytes) {
  auto buffer = module.global(name);
  if (!buffer)
    return failed(code, buffer.takeError());
  std::lock_guard guard(runtime.mutex);
  Allocation allocation;
  allocation.buffer = *buffer;
  allocation.address = (*buffer)->address();
  allocation.bytes = (*buffer)->bytes();
  allocation.host = (*buffer)->hostPointer();
  allocation.kind = MemoryKind::Global;
  if (pointer)
    *pointer = reinterpret_cast<void *>(allocation.address);
  if (bytes)
    *bytes = allocation.bytes;
  runtime.allocations[allocation.address] = std::move(allocation);
  return {};
}

std::string programName() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? llvm::StringRef(path, size_t(length)).rsplit('/').second.str() : "this program";
}

Result loadBinary(Runtime &runtime, FatBinary &binary) {
  if (!binary.damaged.empty())
    return {hipErrorInvalidImage, binary.damaged};
  auto code = selectCode(binary.image, runtime.targetId, programName());
  if (!code)
    return failed(hipErrorNoBinaryForGpu, code.takeError());
  auto module = runtime.device->load(*code);
  if (!module)
    return failed(hipErrorNoBinaryForGpu, module.takeError());
  // The device's side of a managed variable is a pointer to memory that both sides share.
  for (ManagedVariable &variable : binary.managed) {
    auto shared = runtime.device->wrapInPlace(variable.host, variable.bytes, "managed variable " + variable.name);
    if (!shared)
      return failed(hipErrorOutOfMemory, shared.takeError());
    auto pointer = (*module)->global(variable.name);
    if (!pointer)
      continue; // the device code never uses it
    uint64_t address = reinterpret_cast<uint64_t>(variable.host);
    if (llvm::Error error = (*pointer)->write(&address, 0, sizeof(address)))
      return failed(hipErrorInvalidSymbol, std::move(error));
    Allocation allocation;
    allocation.buffer = *shared;
    allocation.address = address;
    allocation.bytes = variable.bytes;
    allocation.host = static_cast<std::byte *>(variable.host);
    allocation.kind = MemoryKind::Managed;
    std::lock_guard guard(runtime.mutex);
    runtime.allocations[address] = std::move(allocation);
  }
  binary.module = *module;
  return {};
}

/// The registry's mutex is held.
Result load(Runtime &runtime, FatBinary &binary) {
  if (!binary.tried) {
    binary.tried = true;
    binary.result = loadBinary(runtime, binary);
  }
  return binary.result;
}

Result findVariable(const void *symbol, Registered *&found) {
  Registry &registry = Registry::get();
  auto entry = registry.variables.find(symbol);
  if (entry == registry.variables.end())
    return {hipErrorInvalidSymbol,
            fmt::format("0x{:x} is no __device__, __constant__ or __managed__ variable of this program",
                        reinterpret_cast<uintptr_t>(symbol))};
  found = &entry->second;
  return {};
}

} // namespace

namespace wavewright::hip {

Result findKernel(const void *handle, std::shared_ptr<runtime::Function> &function) {
  Runtime &runtime = Runtime::get();
  Registry &registry = Registry::get();
  std::lock_guard guard(registry.mutex);
  auto entry = registry.functions.find(handle);
  if (entry == registry.functions.end()) {
    // A hipFunction_t serves where a kernel of the program does.
    std::lock_guard lock(runtime.mutex);
    if (runtime.functions.count(handle)) {
      function = static_cast<const ihipModuleSymbol_t *>(handle)->function;
      return {};
    }
    return {hipErrorInvalidDeviceFunction,
            fmt::format("0x{:x} is no kernel of this program", reinterpret_cast<uintptr_t>(handle))};
  }
  Registered &kernel = entry->second;
  if (!kernel.function) {
    if (Result result = load(runtime, *kernel.binary); result.code != hipSuccess)
      return result;
    auto found = kernel.binary->module->function(kernel.name);
    if (!found)
      return failed(hipErrorInvalidDeviceFunction, found.takeError());
    kernel.function = *found;
  }
  function = kernel.function;
  return {};
}

} // namespace wavewright::hip

// Registration ---------------------------------------------------------------------------------------

void **__hipRegisterFatBinary(const void *data) {
  auto *wrapper = static_cast<const FatBinaryWrapper *>(data);
  auto binary = std::make_unique<FatBinary>();
  if (wrapper->magic != FatBinaryMagic || wrapper->version != 1)
    binary->damaged =
        fmt::format("the fat binary's wrapper has magic {:#x} and version {}, where {:#x} and 1 are known",
                    wrapper->magic, wrapper->version, FatBinaryMagic);
  binary->image = wrapper->image;
  void **handle = reinterpret_cast<void **>(binary.get());
  Registry &registry = Registry::get();
  std::lock_guard guard(registry.mutex);
  registry.binaries[handle] = std::move(binary);
  return handle;
}

void __hipRegisterFunction(void **modules, const void *handle, char *, const char *deviceName, unsigned, void *, void *,
                           dim3 *, dim3 *, int *) {
  Registry &registry = Registry::get();
  std::lock_guard guard(registry.mutex);
  registry.functions[handle] = {reinterpret_cast<FatBinary *>(modules), deviceName};
}

void __hipRegisterVar(void **modules, void *handle, char *, char *deviceVariable, int, size_t size, int, int) {
  Registry &registry = Registry::get();
  std::lock_guard guard(registry.mutex);
  registry.variables[handle] = {reinterpret_cast<FatBinary *>(modules), deviceVariable, size};
}

void __hipRegisterManagedVar(void **modules, void **pointer, void *initialValue, const char *name, size_t size,
                             unsigned) {
  // The host uses the variable from now on; the device learns of it when its code is loaded.
  void *host = mmap(nullptr, std::max<size_t>(size, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (host == MAP_FAILED) {
    std::fprintf(stderr, "wavewright: there is no memory for the managed variable %s of %zu bytes\n", name, size);
    return;
  }
  std::memcpy(host, initialValue, size);
  *pointer = host;
  auto *binary = reinterpret_cast<FatBinary *>(modules);
  Registry &registry = Registry::get();
  std::lock_guard guard(registry.mutex);
  binary->managed.push_back({name, host, size});
  Registered entry{binary, name, size};
  entry.managed = host;
  registry.variables[pointer] = std::move(entry);
}

void __hipUnregisterFatBinary(void **modules) {
  Registry &registry = Registry::get();
  std::unique_lock lock(registry.mutex);
  auto found = registry.binaries.find(modules);
  if (found == registry.binaries.end())
    return;
  bool used = found->second->tried;
  lock.unlock();
  if (used && !Runtime::get().onWorker())
    Runtime::get().waitForAll();
  lock.lock();
  FatBinary *binary = found->second.get();
  auto forget = [&](auto &table) {
    for (auto entry = table.begin(); entry != table.end();)
      entry = entry->second.binary == binary ? table.erase(entry) : std::next(entry);
  };
  forget(registry.functions);
  forget(registry.variables);
  registry.binaries.erase(modules);
}

static thread_local struct CallConfiguration {
  dim3 grid, block;
  size_t sharedBytes;
  hipStream_t stream;
} pushed;

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, hipStream_t stream) {
  pushed = {grid, block, sharedBytes, stream};
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, hipStream_t *stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *sharedBytes = pushed.sharedBytes;
  *stream = pushed.stream;
  return hipSuccess;
}

hipError_t hipGetSymbolAddress(void **pointer, const void *symbol) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    Registry &registry = Registry::get();
    std::lock_guard guard(registry.mutex);
    Registered *found = nullptr;
    if (Result result = findVariable(symbol, found); result.code != hipSuccess)
      return result;
    if (Result result = load(runtime, *found->binary); result.code != hipSuccess)
      return result;
    if (!pointer)
      return {hipErrorInvalidValue, "the pointer for the address is null"};
    if (found->managed) {
      *pointer = found->managed;
      return {};
    }
    return exposeGlobal(runtime, *found->binary->module, found->name, hipErrorInvalidSymbol, pointer, nullptr);
  });
}

hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol) {
  return api(__func__, [&](Runtime &) -> Result {
    Registry &registry = Registry::get();
    std::lock_guard guard(registry.mutex);
    Registered *found = nullptr;
    if (Result result = findVariable(symbol, found); result.code != hipSuccess)
      return result;
    if (!bytes)
      return {hipErrorInvalidValue, "the pointer for the size is null"};
    *bytes = found->bytes;
    return {};
  });
}

// Modules --------------------------------------------------------------------------------------------

static Result loadModule(Runtime &runtime, hipModule_t *module, const void *image, const std::string &name,
                         size_t size = 0) {
  if (!module || !image)
    return {hipErrorInvalidValue, "the pointer for the module, or the image, is null"};
  auto code = selectCode(image, runtime.targetId, name, size);
  if (!code) {
    Failure failure = takeFailure(code.takeError());
    return {failure.kind == ErrorKind::Launch ? hipErrorNoBinaryForGpu : hipErrorInvalidImage, failure.message};
  }
  auto loaded = runtime.device->load(*code);
  if (!loaded)
    return failed(hipErrorNoBinaryForGpu, loaded.takeError());
  *module = new ihipModule_t{*loaded, {}};
  std::lock_guard guard(runtime.mutex);
  runtime.modules.insert(*module);
  return {};
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  return api(__func__, [&](Runtime &runtime) { return loadModule(runtime, module, image, "the module's image"); });
}
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned, hipJitOption *, void **) {
  return hipModuleLoadData(module, image);
}

hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!path)
      return {hipErrorInvalidValue, "the path is null"};
    auto file = llvm::MemoryBuffer::getFile(path, false, false);
    if (!file)
      return {hipErrorFileNotFound, fmt::format("{}: {}", path, file.getError().message())};
    constexpr size_t smallest = 64;
    if ((*file)->getBufferSize() < smallest)
      return {hipErrorInvalidImage,
              fmt::format("{} has {} bytes; that is no code object", path, (*file)->getBufferSize())};
    return loadModule(runtime, module, (*file)->getBufferStart(), path, (*file)->getBufferSize());
  });
}

hipError_t hipModuleUnload(hipModule_t module) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    hipError_t status = runtime.waitForAll();
    std::lock_guard guard(runtime.mutex);
    if (!runtime.modules.erase(module))
      return {hipErrorInvalidHandle, fmt::format("0x{:x} is no loaded module", reinterpret_cast<uintptr_t>(module))};
    for (const auto &[name, symbol] : module->functions)
      runtime.functions.erase(symbol.get());
    delete module;
    return status;
  });
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!function || !name)
      return {hipErrorInvalidValue, "the pointer for the function, or the name, is null"};
    std::lock_guard guard(runtime.mutex);
    if (!runtime.modules.count(module))
      return {hipErrorInvalidHandle, fmt::format("0x{:x} is no loaded module", reinterpret_cast<uintptr_t>(module))};
    std::unique_ptr<ihipModuleSymbol_t> &symbol = module->functions[name];
    if (!symbol) {
      auto found = module->module->function(name);
      if (!found) {
        module->functions.erase(name);
        return failed(hipErrorNotFound, found.takeError());
      }
      symbol = std::make_unique<ihipModuleSymbol_t>(ihipModuleSymbol_t{*found});
      runtime.functions.insert(symbol.get());
    }
    *function = symbol.get();
    return {};
  });
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    if (!name)
      return {hipErrorInvalidValue, "the name is null"};
    {
      std::lock_guard guard(runtime.mutex);
      if (!runtime.modules.count(module))
        return {hipErrorInvalidHandle, fmt::format("0x{:x} is no loaded module", reinterpret_cast<uintptr_t>(module))};
    }
    return exposeGlobal(runtime, *module->module, name, hipErrorNotFound, pointer, bytes);
  });
}

hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol) {
  return api(__func__, [&](Runtime &runtime) -> Result {
    std::shared_ptr<runtime::Function> kernel;
    if (Result result = findKernel(symbol, kernel); result.code != hipSuccess)
      return result;
    if (!function)
      return {hipErrorInvalidValue, "the pointer for the function is null"};
    // One handle for each kernel, for as long as the program runs.
    static std::map<const void *, std::unique_ptr<ihipModuleSymbol_t>> handles;
    Registry &registry = Registry::get();
    std::lock_guard guard(registry.mutex);
    auto &handle = handles[symbol];
    if (!handle) {
      handle = std::make_unique<ihipModuleSymbol_t>(ihipModuleSymbol_t{kernel});
      std::lock_guard lock(runtime.mutex);
      runtime.functions.insert(handle.get());
    }
    *function = handle.get();
    return {};
  });
}

const char *hipKernelNameRef(hipFunction_t function) {
  return function ? function->function->kernel().name.c_str() : nullptr;
}
const char *hipKernelNameRefByPtr(const void *function, hipStream_t) {
  std::shared_ptr<runtime::Function> kernel;
  return usable().code == hipSuccess && findKernel(function, kernel).code == hipSuccess ? kernel->kernel().name.c_str()
                                                                                        : nullptr;
}
