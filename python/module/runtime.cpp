//===- python/module/runtime.cpp - devices, compiling, facts of the chips -------------------------===//
#include "bindings.h"

#include "wavewright/codegen/compile.h"
#include "wavewright/emulator/fidelity.h"
#include "wavewright/emulator/instruction_report.h"
#include "wavewright/runtime/arguments.h"
#include "wavewright/runtime/inspect.h"
#include "wavewright/target/describe.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"

#include <fmt/format.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace nb = nanobind;
using namespace nb::literals;

namespace wavewright::python {

using codeobject::CodeObject;
using codeobject::Kernel;
using runtime::Argument;
using runtime::Buffer;
using runtime::Device;
using runtime::LaunchConfig;
using runtime::LaunchOptions;
using runtime::LaunchStatistics;

namespace {

/// Host memory as arrays.py describes it; Python keeps the array alive.
struct HostArray {
  uintptr_t pointer;
  uint64_t bytes;
  std::string label;
  bool readOnly;
};

/// A loaded code object and the device that it is on.
struct LoadedModule {
  std::shared_ptr<Device> device;
  std::shared_ptr<const CodeObject> object;
  std::shared_ptr<runtime::Module> module;
  std::map<std::string, std::shared_ptr<runtime::Function>> functions; ///< looked up once; guarded by the GIL
};

struct LaunchResult : LaunchStatistics {
  std::vector<size_t> written; ///< positions of the arguments that the kernel stored into
};

llvm::ArrayRef<std::byte> view(const nb::bytes &bytes) {
  return {static_cast<const std::byte *>(bytes.data()), bytes.size()};
}

nb::bytes toBytes(llvm::ArrayRef<std::byte> bytes) { return nb::bytes(bytes.data(), bytes.size()); }

std::shared_ptr<const CodeObject> readObject(const nb::bytes &bytes, const std::string &name) {
  return unwrap(
      [&] {
        nb::gil_scoped_release release;
        return CodeObject::read(view(bytes), name);
      }(),
      ErrorKind::Usage);
}

//===----------------------------------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------------------------------===//

/// The size of argument `index` in the kernel, or 0 when the metadata does not have it.
uint64_t argumentSize(const std::vector<const codeobject::KernelArgument *> &expected, size_t index) {
  return index < expected.size() ? expected[index]->size : 0;
}

class ArgumentList {
public:
  ArgumentList(Device &device, const Kernel &kernel) : device(device), kernel(kernel) {}

  void add(nb::handle value) {
    size_t index = arguments.size();
    uint64_t size = argumentSize(expected, index);
    if (HostArray *array; nb::try_cast(value, array) && array)
      return addArray(*array, index);
    if (nb::isinstance<Buffer>(value)) {
      auto buffer = nb::cast<std::shared_ptr<Buffer>>(value);
      buffers[index] = buffer;
      arguments.push_back(Argument::pointer(std::move(buffer)));
      return;
    }
    std::string label = runtime::argumentLabel(kernel, index);
    if (PyLong_Check(value.ptr()))
      arguments.push_back(unwrap(integer(value, size ? size : 4, label), ErrorKind::Launch));
    else if (PyFloat_Check(value.ptr()))
      arguments.push_back(unwrap(runtime::floatArgument(nb::cast<double>(value), size ? size : 4, label)));
    else if (PyBytes_Check(value.ptr())) {
      auto bytes = view(nb::borrow<nb::bytes>(value));
      Argument raw;
      raw.bytes.assign(bytes.begin(), bytes.end());
      arguments.push_back(std::move(raw));
    } else {
      raise(Failure(ErrorKind::Launch,
                    fmt::format("{} of kernel '{}' is a {}; an argument is a HostArray, a Buffer, an int, a float or "
                                "bytes",
                                label, kernel.name, nb::type_name(value.type()).c_str())));
    }
  }

  std::vector<Argument> arguments;
  std::map<size_t, std::shared_ptr<Buffer>> buffers; ///< by position

private:
  static llvm::Expected<Argument> integer(nb::handle value, uint64_t size, const std::string &label) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow == 0)
      return runtime::integerArgument(number, size, label);
    unsigned long long wide = overflow > 0 ? PyLong_AsUnsignedLongLong(value.ptr()) : 0;
    if (overflow < 0 || PyErr_Occurred() || size != 8) {
      PyErr_Clear();
      return fail(ErrorKind::Launch,
                  fmt::format("{} does not fit the {} bytes of {}", nb::str(value).c_str(), size, label));
    }
    return Argument::value(uint64_t(wide));
  }

  /// An array that is given twice is one buffer, so that both arguments see the same memory.
  void addArray(const HostArray &array, size_t index) {
    auto key = std::make_tuple(array.pointer, array.bytes, array.readOnly);
    auto found = wrapped.find(key);
    if (found == wrapped.end()) {
      std::string label = array.label.empty() ? runtime::argumentLabel(kernel, index) : array.label;
      auto buffer = unwrap(
          [&] {
            nb::gil_scoped_release release;
            return device.wrap(reinterpret_cast<void *>(array.pointer), array.bytes, label, array.readOnly);
          }(),
          ErrorKind::Launch);
      found = wrapped.emplace(key, std::move(buffer)).first;
    }
    buffers[index] = found->second;
    arguments.push_back(Argument::pointer(found->second));
  }

  Device &device;
  const Kernel &kernel;
  std::vector<const codeobject::KernelArgument *> expected = runtime::explicitArguments(kernel);
  std::map<std::tuple<uintptr_t, uint64_t, bool>, std::shared_ptr<Buffer>> wrapped;
};

runtime::Dim3 extents(const nb::sequence &sequence, const char *what) {
  size_t count = nb::len(sequence);
  if (count > 3)
    raise(Failure(ErrorKind::Launch, fmt::format("the {} has {} extents, at most 3 exist", what, count)));
  uint32_t values[3] = {1, 1, 1};
  for (size_t i = 0; i < count; ++i) {
    int64_t value = 0;
    if (!nb::try_cast(sequence[i], value) || value < 1 || value > int64_t(UINT32_MAX))
      raise(Failure(ErrorKind::Launch, fmt::format("extent {} of the {} is {}; it must be an integer from 1 to {}", i,
                                                   what, nb::repr(sequence[i]).c_str(), UINT32_MAX)));
    values[i] = uint32_t(value);
  }
  return {values[0], values[1], values[2]};
}

LaunchResult launch(const std::shared_ptr<Device> &device, LoadedModule &module, const std::string &name,
                    const nb::sequence &grid, const nb::sequence &block, const nb::sequence &values,
                    const std::string &checks, const std::string &matrix, uint64_t seed, std::optional<uint64_t> budget,
                    unsigned threads, uint32_t dynamicLds) {
  if (module.device != device)
    raise(Failure(ErrorKind::Launch, fmt::format("the module was loaded on another device ({}) than {}",
                                                 module.device->name(), device->name())));
  auto &function = module.functions[name];
  if (!function) {
    auto found = module.module->function(name);
    if (!found) {
      module.functions.erase(name);
      raise(found.takeError(), ErrorKind::Launch);
    }
    function = std::move(*found);
  }
  const Kernel &kernel = function->kernel();

  LaunchConfig config{extents(grid, "grid"), extents(block, "block"), dynamicLds};
  std::atomic<bool> interrupt = false;
  LaunchOptions options;
  options.checks =
      choose<runtime::CheckMode>(checks, "checks", {{"on", runtime::CheckMode::On}, {"off", runtime::CheckMode::Off}});
  options.matrix = choose<runtime::MatrixMode>(
      matrix, "matrix", {{"exact", runtime::MatrixMode::Exact}, {"fast", runtime::MatrixMode::Fast}});
  options.seed = seed;
  options.threads = threads;
  options.interrupt = &interrupt;
  DebuggedLaunch debugged;
  options.observer = debugged.observer();
  if (budget)
    options.instructionBudget = *budget;

  ArgumentList list(*device, kernel);
  for (size_t i = 0, count = nb::len(values); i < count; ++i)
    list.add(values[i]);

  std::shared_ptr<runtime::Function> held = function;
  std::optional<llvm::Expected<LaunchStatistics>> outcome;
  auto settle = [&] {
    if (outcome && !*outcome)
      llvm::consumeError(outcome->takeError());
  };
  try {
    runInterruptibly(interrupt, [&] { outcome.emplace(device->launch(*held, config, list.arguments, options)); });
  } catch (...) {
    settle();
    throw;
  }
  try {
    debugged.rethrow();
  } catch (...) {
    settle();
    throw;
  }
  LaunchResult result;
  static_cast<LaunchStatistics &>(result) = unwrap(std::move(*outcome), ErrorKind::Launch);
  for (const auto &[index, buffer] : list.buffers)
    if (buffer->written())
      result.written.push_back(index);
  return result;
}

//===----------------------------------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------------------------------===//

codegen::Compiled compile(const Module &module, int opt, bool gate, std::optional<int> maxVgprs,
                          std::optional<int> minOccupancy, bool debugInfo, const std::string &sourceRoot, bool keepIr) {
  if (opt < 0 || opt > 3)
    raise(Failure(ErrorKind::Usage, fmt::format("opt={}: choose 0, 1, 2 or 3", opt)));
  codegen::CompileOptions options{opt, gate, maxVgprs, minOccupancy, debugInfo, sourceRoot, keepIr};
  Module copy = module.clone(); // the passes consume it; Python values name the operations of the original
  return unwrap([&] {
    nb::gil_scoped_release release;
    return codegen::compile(copy.op(), options);
  }());
}

/// The text of a copy after the tile passes.
std::string tilePassesText(const Module &module) {
  Module copy = module.clone();
  check(
      [&] {
        nb::gil_scoped_release release;
        return codegen::runTilePasses(copy.op());
      }(),
      ErrorKind::Verify);
  return print(copy.op());
}

std::string jsonText(const llvm::json::Value &value) { return llvm::formatv("{0}", value).str(); }

std::string targetsJson() {
  llvm::json::Array chips;
  for (const Target *target : allTargets())
    chips.push_back(targetToJson(*target));
  return jsonText(std::move(chips));
}

} // namespace

void runInterruptibly(std::atomic<bool> &interrupt, const std::function<void()> &work) {
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  std::thread worker([&] {
    work();
    std::lock_guard guard(mutex);
    done = true;
    finished.notify_one();
  });
  std::optional<nb::python_error> signal;
  for (bool over = false; !over;) {
    {
      nb::gil_scoped_release release;
      std::unique_lock lock(mutex);
      over = finished.wait_for(lock, std::chrono::milliseconds(10), [&] { return done; });
    }
    if (!signal && PyErr_CheckSignals() != 0) {
      signal.emplace();
      interrupt = true;
    }
  }
  worker.join();
  if (signal)
    throw *signal;
}

static void bindDevices(nb::module_ &m) {
  nb::class_<HostArray>(m, "HostArray",
                        "Memory of the host that a launch uses in place; its owner must outlive the launch")
      .def(
          "__init__",
          [](HostArray *self, uintptr_t pointer, uint64_t bytes, std::string label, bool readOnly) {
            new (self) HostArray{pointer, bytes, std::move(label), readOnly};
          },
          "pointer"_a, "nbytes"_a, "label"_a = "", "read_only"_a = false)
      .def_ro("pointer", &HostArray::pointer)
      .def_ro("nbytes", &HostArray::bytes)
      .def_ro("label", &HostArray::label)
      .def_ro("read_only", &HostArray::readOnly);

  nb::class_<Buffer>(m, "Buffer", "Memory of a device, freed with its last owner")
      .def_prop_ro("address", &Buffer::address)
      .def_prop_ro("nbytes", &Buffer::bytes)
      .def_prop_ro("written", &Buffer::written, "Whether the last launch stored into it")
      .def(
          "read",
          [](const Buffer &self) {
            std::vector<char> content(self.bytes());
            check(
                [&] {
                  nb::gil_scoped_release release;
                  return self.read(content.data(), 0, content.size());
                }(),
                ErrorKind::Launch);
            return nb::bytes(content.data(), content.size());
          },
          "A copy of the content")
      .def(
          "write",
          [](Buffer &self, const nb::bytes &content, uint64_t offset) {
            check(
                [&] {
                  nb::gil_scoped_release release;
                  return self.write(content.data(), offset, content.size());
                }(),
                ErrorKind::Launch);
          },
          "content"_a, "offset"_a = 0);

  nb::class_<LoadedModule>(m, "LoadedModule", "A code object on a device")
      .def_prop_ro("kernels",
                   [](const LoadedModule &self) {
                     std::vector<std::string> names;
                     for (const Kernel &kernel : self.object->kernels())
                       names.push_back(kernel.name);
                     return names;
                   })
      .def(
          "buffer",
          [](LoadedModule &self, const std::string &name) {
            return unwrap(self.module->global(name), ErrorKind::Launch);
          },
          "name"_a, "The memory of a global variable");

  nb::class_<LaunchResult>(m, "LaunchResult", nb::dynamic_attr(), "What a launch did; front ends hang more on it")
      .def_ro("wave_instructions", &LaunchResult::waveInstructions)
      .def_ro("lane_operations", &LaunchResult::laneOperations, "one active lane of one VALU instruction each")
      .def_ro("matrix_flops", &LaunchResult::matrixFlops, "2*M*N*K each")
      .def_ro("work_groups", &LaunchResult::workGroups)
      .def_ro("waves", &LaunchResult::waves)
      .def_ro("seconds", &LaunchResult::seconds)
      .def_ro("written", &LaunchResult::written, "positions of the arguments that the kernel stored into")
      .def("__repr__", [](const LaunchResult &self) {
        return fmt::format("LaunchResult(wave_instructions={}, lane_operations={}, matrix_flops={}, seconds={:.6f})",
                           self.waveInstructions, self.laneOperations, self.matrixFlops, self.seconds);
      });

  nb::class_<Device>(m, "Device", "Where kernels run: the emulator of a chip, or a GPU")
      .def_prop_ro("name", &Device::name)
      .def_prop_ro(
          "arch", [](const Device &self) { return std::string(self.target().name); }, "The chip, as \"gfx950\"")
      .def_prop_ro("wave_size", [](const Device &self) { return self.target().waveSize; })
      .def(
          "allocate",
          [](Device &self, uint64_t bytes, const std::string &label) {
            return unwrap(
                [&] {
                  nb::gil_scoped_release release;
                  return self.allocate(bytes, label);
                }(),
                ErrorKind::Launch);
          },
          "nbytes"_a, "label"_a = "", "Zero-filled memory")
      .def(
          "load",
          [](std::shared_ptr<Device> self, const nb::bytes &bytes, const std::string &name) {
            auto object = readObject(bytes, name);
            auto module = unwrap(
                [&] {
                  nb::gil_scoped_release release;
                  return self->load(object);
                }(),
                ErrorKind::Launch);
            return std::make_shared<LoadedModule>(
                LoadedModule{std::move(self), std::move(object), std::move(module), {}});
          },
          "code_object"_a, "name"_a = "<memory>", "LaunchError when the object is for another chip")
      .def("launch", &launch, "module"_a, "kernel"_a, "grid"_a, "block"_a, "arguments"_a, nb::kw_only(),
           "checks"_a = "on", "matrix"_a = "exact", "seed"_a = 0, "budget"_a.none() = nb::none(), "threads"_a = 0,
           "dynamic_lds"_a = 0,
           "Runs one kernel to its end: grid in work-groups, block in work-items. Ctrl-C ends it within 0.2 s")
      .def("__repr__", [](const Device &self) { return fmt::format("<device {}>", self.name()); });

  m.def(
      "open_device", [](const std::string &name) { return unwrap(runtime::openDevice(name), ErrorKind::Usage); },
      "name"_a, "\"emu:<chip>\" or \"hip:<number>\"; UsageError lists what works here");
  m.def("available_devices", &runtime::availableDevices);
}

static void bindCompiler(nb::module_ &m) {
  using codegen::Compiled;
  nb::class_<Compiled>(m, "Compiled", "A code object and what its compilation told")
      .def_prop_ro("code_object", [](const Compiled &self) { return toBytes(self.bytes); })
      .def_ro("report", &Compiled::report)
      .def_prop_ro(
          "stages",
          [](const Compiled &self) {
            std::vector<std::pair<std::string, double>> stages;
            for (const auto &stage : self.stages)
              stages.emplace_back(stage.name, stage.milliseconds);
            return stages;
          },
          "(stage, milliseconds) in order")
      .def_prop_ro(
          "dumps",
          [](const Compiled &self) {
            nb::dict result;
            for (const auto &dump : self.dumps)
              result[nb::str(dump.stage.c_str())] = nb::str(dump.text.data(), dump.text.size());
            return result;
          },
          "text of each stage, with keep_ir")
      .def_prop_ro("resources_json",
                   [](const Compiled &self) { return jsonText(reportJson(self.resources, self.stages)); });

  m.def("compile", &compile, "module"_a, nb::kw_only(), "opt"_a = 3, "gate"_a = true, "max_vgprs"_a.none() = nb::none(),
        "min_occupancy"_a.none() = nb::none(), "debug_info"_a = true, "source_root"_a = "", "keep_ir"_a = false,
        "Compiles a copy of the module; the chip is its wavewright.arch");
  m.def("run_tile_passes", &tilePassesText, "module"_a, "The text of a copy of the module after the tile passes");
}

void bindRuntime(nb::module_ &m) {
  bindDevices(m);
  bindCompiler(m);
  m.def(
      "inspect_json",
      [](const nb::bytes &bytes, const std::string &name) {
        auto object = readObject(bytes, name);
        return jsonText(unwrap(
            [&] {
              nb::gil_scoped_release release;
              return runtime::inspectJson(*object);
            }(),
            ErrorKind::Usage));
      },
      "code_object"_a, "name"_a = "<memory>", "Kernels, resources and instruction mix as JSON");
  m.def(
      "fidelity_json",
      [](const nb::bytes &bytes, const std::string &kernel, const std::string &name) {
        auto object = readObject(bytes, name);
        const codeobject::Kernel *found = unwrap(object->kernel(kernel), ErrorKind::Usage);
        return jsonText(emulator::fidelityToJson(*object, *found));
      },
      "code_object"_a, "kernel"_a, "name"_a = "<memory>", "The lowest grade that a kernel reaches, as JSON");
  m.def(
      "instructions_json",
      [](const std::string &arch) {
        const Target *target = unwrap(findTarget(arch), ErrorKind::Usage);
        return jsonText(unwrap(emulator::instructionsToJson(*target), ErrorKind::Usage));
      },
      "arch"_a, "Every instruction that the chip's decoder knows, as JSON");
  m.def("targets_json", &targetsJson, "Facts of each chip as JSON");
  m.def(
      "find_chip",
      [](const std::string &name) { return std::string(unwrap(findTarget(name), ErrorKind::Usage)->name); }, "name"_a,
      "The chip's own name; UsageError names the nearest chips");
  m.attr("llvm_version") = LLVM_VERSION_STRING;
}

} // namespace wavewright::python
