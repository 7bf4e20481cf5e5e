//===- tools/wavewright.cpp - the command line ----------------------------------------------------===//
//
// doctor, targets, instructions, inspect, run, compile, hipcc; asm is in asm.cpp. Exit status: 0 done, 1 the run
// failed, 2 wrong usage or input, 3 a check of the emulator found something. Errors go to stderr as "error: ..."; with
// --json they are on stdout as an object too.
//
//===----------------------------------------------------------------------------------------------===//
#include "cli.h"
#include "hipcc.h"

#include "wavewright/codegen/compile.h"
#include "wavewright/emulator/fidelity.h"
#include "wavewright/emulator/instruction_report.h"
#include "wavewright/runtime/arguments.h"
#include "wavewright/runtime/devices.h"
#include "wavewright/runtime/files.h"
#include "wavewright/runtime/inspect.h"
#include "wavewright/runtime/npy.h"
#include "wavewright/target/describe.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <map>

using namespace wavewright;
using namespace wavewright::cli;
using llvm::json::Array, llvm::json::Object, llvm::json::Value;

std::atomic<bool> wavewright::cli::interrupted = false;

namespace {

std::string versionText() { return fmt::format("wavewright {}\nLLVM {}", WAVEWRIGHT_VERSION, LLVM_VERSION_STRING); }

llvm::Expected<std::shared_ptr<const codeobject::CodeObject>> readObject(const std::string &path) {
  auto content = runtime::readFile(path);
  if (!content)
    return content.takeError();
  return codeobject::CodeObject::read({reinterpret_cast<const std::byte *>(content->data()), content->size()}, path);
}

//===----------------------------------------------------------------------------------------------===//
// doctor
//===----------------------------------------------------------------------------------------------===//

struct Finding {
  std::string name;
  bool found;
  bool required;
  std::string detail;
};

/// The folder that the tool was called in or found in on PATH; empty when unknown.
std::string toolFolder;

/// Asks Python for the versions of packages; importing them (torch) would take seconds.
std::vector<Finding> findPythonPackages() {
  static const std::pair<const char *, const char *> packages[] = {
      {"numpy", "arrays of the Python front ends"},
      {"ml_dtypes", "bf16 and fp8 arrays of numpy"},
      {"torch", "tensors of torch, where they are handed over"},
  };
  // The interpreter beside the tool, in .venv/bin, is the one that runs the front ends.
  llvm::SmallString<128> beside(toolFolder);
  llvm::sys::path::append(beside, "python3");
  llvm::ErrorOr<std::string> python = std::string(beside);
  if (toolFolder.empty() || !llvm::sys::fs::can_execute(beside))
    python = llvm::sys::findProgramByName("python3");
  if (!python)
    return {{"python3", false, false, "not on PATH; the Python front ends need 3.11 or later"}};

  std::string script = "import importlib.metadata as m, platform\nprint(platform.python_version())\n"
                       "for p in (";
  for (auto [name, use] : packages)
    script += fmt::format("'{}',", name);
  script += "):\n try: print(m.version(p))\n except m.PackageNotFoundError: print()\n";
  llvm::SmallString<128> output;
  if (llvm::sys::fs::createTemporaryFile("wavewright-doctor", "txt", output))
    return {{"python3", true, false, *python}};
  auto remove = llvm::scope_exit([&] { llvm::sys::fs::remove(output); });
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), output.str(), llvm::StringRef()};
  int status =
      llvm::sys::ExecuteAndWait(*python, {*python, "-c", script}, std::nullopt, redirects, /*SecondsToWait=*/20);
  auto content = runtime::readFile(std::string(output));
  if (!content) {
    llvm::consumeError(content.takeError());
    return {{"python3", true, false, *python}};
  }
  llvm::SmallVector<llvm::StringRef, 8> lines;
  llvm::StringRef(content->data(), content->size()).split(lines, '\n');
  if (status != 0 || lines.size() <= std::size(packages))
    return {{"python3", false, false, fmt::format("{} does not run", *python)}};

  std::vector<Finding> findings{{"python3", true, false, fmt::format("{} at {}", lines[0].str(), *python)}};
  for (size_t i = 0; i < std::size(packages); ++i) {
    std::string version = lines[i + 1].trim().str();
    findings.push_back({fmt::format("python package {}", packages[i].first), !version.empty(), false,
                        version.empty() ? fmt::format("not installed; it brings {}", packages[i].second) : version});
  }
  return findings;
}

Finding findTool(const char *name, const char *use) {
  auto path = llvm::sys::findProgramByName(name);
  return {name, bool(path), false, path ? *path : fmt::format("not on PATH; {}", use)};
}

Outcome doctor(bool json) {
  std::vector<Finding> findings;
  findings.push_back({"wavewright", true, true, WAVEWRIGHT_VERSION});
  findings.push_back({"LLVM", true, true, LLVM_VERSION_STRING});

  LLVMInitializeAMDGPUTargetInfo();
  std::string reason;
  bool backend = llvm::TargetRegistry::lookupTarget(llvm::Triple("amdgcn-amd-amdhsa"), reason) != nullptr;
  findings.push_back({"LLVM's AMDGPU backend", backend, true, backend ? "in libLLVM" : reason});
  findings.push_back({"LLD", true, true, "in this program, as a library"});

  std::string chips, unemulated;
  for (const Target *target : allTargets()) {
    std::string &list = target->emulated ? chips : unemulated;
    list += (list.empty() ? "" : " ") + std::string(target->name);
  }
  findings.push_back({"emulated chips", !chips.empty(), true, chips});
  if (!unemulated.empty())
    findings.push_back({"chips that only compile", true, false, unemulated});

  auto gpus = runtime::countHipDevices();
  std::string hip = gpus ? fmt::format("{}, {} GPU{}", runtime::hipLibraryPath(), *gpus, *gpus == 1 ? "" : "s") : "";
  bool hasHip = bool(gpus);
  if (!gpus)
    hip = takeFailure(gpus.takeError()).message;
  findings.push_back({"HIP library", hasHip, false, hip});

  if (const char *device = std::getenv("WAVEWRIGHT_DEVICE")) {
    auto opened = runtime::openDevice(device);
    bool works = bool(opened);
    std::string detail = works ? device : takeFailure(opened.takeError()).message;
    findings.push_back({"WAVEWRIGHT_DEVICE", works, true, detail});
  } else {
    findings.push_back({"WAVEWRIGHT_DEVICE", true, false, "not set: each front end takes its default"});
  }

  for (Finding &finding : findPythonPackages())
    findings.push_back(std::move(finding));
  findings.push_back(findTool("clang++-22", "the tests compile HIP kernels with it"));
  findings.push_back(findTool("hipcc", "only hand-made HIP programs need it"));

  bool healthy = true;
  Array list;
  std::string text;
  for (const Finding &finding : findings) {
    healthy &= finding.found || !finding.required;
    list.push_back(Object{{"name", finding.name},
                          {"found", finding.found},
                          {"required", finding.required},
                          {"detail", jsonString(finding.detail)}});
    const char *mark = finding.found ? "ok" : (finding.required ? "MISSING" : "-");
    text += fmt::format("{:<8} {:<26} {}\n", mark, finding.name, finding.detail);
  }
  if (json)
    print(Object{{"healthy", healthy}, {"findings", std::move(list)}});
  else
    print(text + (healthy ? "everything that is needed is here\n" : "something that is needed is missing\n"));
  return done(healthy ? 0 : 1);
}

//===----------------------------------------------------------------------------------------------===//
// targets
//===----------------------------------------------------------------------------------------------===//

Outcome targets(const std::vector<std::string> &names, bool json) {
  std::vector<const Target *> chips;
  for (const std::string &name : names) {
    auto target = findTarget(name);
    if (!target)
      return failure(target.takeError());
    chips.push_back(*target);
  }
  if (chips.empty())
    chips.assign(allTargets().begin(), allTargets().end());

  if (json) {
    Array list;
    for (const Target *target : chips)
      list.push_back(targetToJson(*target));
    print(llvm::json::Value(std::move(list)));
    return done();
  }
  for (const Target *target : chips)
    print((target == chips.front() ? "" : "\n") + describeTarget(*target));
  return done();
}

Outcome instructions(const std::string &chip, bool all, bool json) {
  auto target = findTarget(chip);
  if (!target)
    return failure(target.takeError());
  if (!(*target)->emulated)
    return failure(fail(ErrorKind::Usage, fmt::format("the built-in device has no {}", chip)));
  if (json) {
    auto object = emulator::instructionsToJson(**target);
    if (!object)
      return failure(object.takeError());
    print(llvm::json::Value(std::move(*object)));
    return done();
  }
  auto text = emulator::describeInstructions(**target, all);
  if (!text)
    return failure(text.takeError());
  print(*text);
  return done();
}

//===----------------------------------------------------------------------------------------------===//
// inspect
//===----------------------------------------------------------------------------------------------===//

Outcome inspect(const std::string &path, const runtime::InspectOptions &options, bool json) {
  auto object = readObject(path);
  if (!object)
    return failure(object.takeError(), 2);
  if (json) {
    auto value = runtime::inspectJson(**object, options);
    if (!value)
      return failure(value.takeError(), 2);
    print(*value);
    return done();
  }
  auto text = runtime::inspectText(**object, options);
  if (!text)
    return failure(text.takeError(), 2);
  print(*text);
  return done();
}

//===----------------------------------------------------------------------------------------------===//
// run
//===----------------------------------------------------------------------------------------------===//

struct RunRequest {
  std::string path, kernel, grid = "1", block = "1", device;
  std::vector<std::string> arguments;
  std::string checks = "on", matrix = "exact";
  uint64_t seed = 0;
  std::optional<uint64_t> budget;
  unsigned threads = 0;
  uint32_t dynamicLds = 0;
  DebugRequest debug;
  std::string dump;
  bool fidelity = false;
};

/// The arrays of a run: one file is one buffer, however often it is named.
struct Arrays {
  struct Entry {
    std::string path;
    std::unique_ptr<runtime::NpyFile> file;
    std::shared_ptr<runtime::Buffer> buffer;
  };
  std::vector<Entry> entries;

  llvm::Expected<runtime::Argument> argument(runtime::Device &device, const std::string &path,
                                             const std::string &label) {
    llvm::SmallString<256> real;
    llvm::sys::fs::real_path(path, real);
    for (Entry &entry : entries)
      if (!real.empty() && entry.path == real)
        return runtime::Argument::pointer(entry.buffer);
    auto file = runtime::NpyFile::read(path);
    if (!file)
      return file.takeError();
    auto buffer = device.wrap((*file)->data(), (*file)->bytes(), fmt::format("{}: {}", label, path));
    if (!buffer)
      return buffer.takeError();
    entries.push_back({std::string(real), std::move(*file), *buffer});
    return runtime::Argument::pointer(*buffer);
  }
};

/// Without a name the kernel is the only one.
llvm::Expected<const codeobject::Kernel *> chooseKernel(const codeobject::CodeObject &object, const std::string &name) {
  if (!name.empty())
    return object.kernel(name);
  if (object.kernels().size() == 1)
    return &object.kernels().front();
  std::string list;
  for (const codeobject::Kernel &kernel : object.kernels())
    list += (list.empty() ? "" : ", ") + kernel.name;
  return fail(ErrorKind::Usage, object.kernels().empty()
                                    ? fmt::format("{} has no kernels", object.name())
                                    : fmt::format("{} has {} kernels; choose one with --kernel: {}", object.name(),
                                                  object.kernels().size(), list));
}

Outcome run(const RunRequest &request, bool json) {
  // Everything up to the launch is the input's fault: exit status 2, whatever kind of error it is.
  auto refuse = [](llvm::Error error) { return failure(std::move(error), 2); };

  auto grid = runtime::parseExtents(request.grid, "--grid");
  if (!grid)
    return refuse(grid.takeError());
  auto block = runtime::parseExtents(request.block, "--block");
  if (!block)
    return refuse(block.takeError());
  auto object = readObject(request.path);
  if (!object)
    return refuse(object.takeError());
  auto kernel = chooseKernel(**object, request.kernel);
  if (!kernel)
    return refuse(kernel.takeError());
  auto device =
      runtime::openDevice(request.device.empty() ? "emu:" + std::string((*object)->target().name) : request.device);
  if (!device)
    return refuse(device.takeError());
  auto module = (*device)->load(*object);
  if (!module)
    return refuse(module.takeError());
  auto function = (*module)->function((*kernel)->name);
  if (!function)
    return refuse(function.takeError());

  Arrays arrays;
  std::vector<runtime::Argument> arguments;
  auto expected = runtime::explicitArguments(**kernel);
  for (size_t i = 0; i < request.arguments.size(); ++i) {
    const std::string &text = request.arguments[i];
    std::string label = runtime::argumentLabel(**kernel, i);
    auto argument = llvm::StringRef(text).ends_with(".npy")
                        ? arrays.argument(**device, text, label)
                        : runtime::parseArgument(text, i < expected.size() ? expected[i]->size : 0, label);
    if (!argument)
      return refuse(argument.takeError());
    arguments.push_back(std::move(*argument));
  }
  runtime::LaunchConfig config{*grid, *block, request.dynamicLds};
  if (auto packed = runtime::packArguments(**kernel, arguments); !packed)
    return refuse(packed.takeError());
  if (llvm::Error error = runtime::checkLaunch((*device)->target(), **kernel, config))
    return refuse(std::move(error));

  runtime::LaunchOptions options;
  options.checks = request.checks == "off" ? runtime::CheckMode::Off : runtime::CheckMode::On;
  options.matrix = request.matrix == "fast" ? runtime::MatrixMode::Fast : runtime::MatrixMode::Exact;
  options.seed = request.seed;
  options.threads = request.threads;
  if (request.budget)
    options.instructionBudget = *request.budget;
  options.interrupt = &interrupted;
  DebugSession debugging;
  if (llvm::Error error = debugging.start(request.debug, request.dump, json))
    return refuse(std::move(error));
  options.observer = debugging.debugger.get();
  std::signal(SIGINT, [](int) { interrupted = true; });
  auto statistics = (*device)->launch(**function, config, arguments, options);
  std::signal(SIGINT, SIG_DFL);
  debugging.finish(json);
  if (!statistics)
    return failure(statistics.takeError());

  Array written;
  std::string writtenText;
  for (Arrays::Entry &entry : arrays.entries) {
    if (!entry.buffer->written())
      continue;
    if (llvm::Error error = entry.file->writeBack())
      return failure(std::move(error), 1);
    written.push_back(jsonString(entry.path));
    writtenText += fmt::format("wrote {}\n", entry.path);
  }

  double seconds = statistics->seconds;
  if (json) {
    Object document{{"kernel", jsonString((*kernel)->name)},
                    {"device", (*device)->name()},
                    {"grid", Array{grid->x, grid->y, grid->z}},
                    {"block", Array{block->x, block->y, block->z}},
                    {"work_groups", statistics->workGroups},
                    {"waves", statistics->waves},
                    {"wave_instructions", statistics->waveInstructions},
                    {"lane_operations", statistics->laneOperations},
                    {"matrix_flops", statistics->matrixFlops},
                    {"seconds", seconds},
                    {"written", std::move(written)}};
    if (debugging.debugger) {
      document["events"] = std::move(debugging.events);
      document["events_left_out"] = debugging.debugger->leftOut();
    }
    if (request.fidelity)
      document["fidelity"] = emulator::fidelityToJson(**object, **kernel);
    print(Value(std::move(document)));
    return done();
  }
  auto rate = [&](uint64_t count) { return seconds > 0 ? double(count) / seconds / 1e6 : 0.0; };
  print(writtenText);
  print(fmt::format("{} on {}: {} work-group{}, {} wave{}\n", (*kernel)->name, (*device)->name(),
                    statistics->workGroups, statistics->workGroups == 1 ? "" : "s", statistics->waves,
                    statistics->waves == 1 ? "" : "s"));
  print(fmt::format("  instructions      {:>14}   {:10.1f} M/s\n", statistics->waveInstructions,
                    rate(statistics->waveInstructions)));
  print(fmt::format("  lane operations   {:>14}   {:10.1f} M/s\n", statistics->laneOperations,
                    rate(statistics->laneOperations)));
  if (statistics->matrixFlops)
    print(fmt::format("  matrix operations {:>14}   {:10.1f} M/s\n", statistics->matrixFlops,
                      rate(statistics->matrixFlops)));
  print(fmt::format("  time              {:>14.3f} ms\n", seconds * 1e3));
  if (request.fidelity)
    print(emulator::describeFidelity(**object, **kernel));
  return done();
}

//===----------------------------------------------------------------------------------------------===//
// compile
//===----------------------------------------------------------------------------------------------===//

struct CompileRequest {
  std::string path, arch, output, dump;
  codegen::CompileOptions options;
  bool noGate = false, noDebug = false, report = false;
};

Outcome compile(CompileRequest &request, bool json) {
  auto source = runtime::readFile(request.path);
  if (!source)
    return failure(source.takeError());

  mlir::DialectRegistry registry;
  codegen::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    SourcePlace place;
    std::string messages;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (auto location = llvm::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()); location && messages.empty())
        place = {location.getFilename().str(), location.getLine(), location.getColumn()};
      messages += (messages.empty() ? "" : "\n") + diagnostic.str();
      return mlir::success();
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(source->data(), source->size()),
                                                     mlir::ParserConfig(&context), request.path);
    if (!module)
      return failure(fail(ErrorKind::Usage, messages.empty() ? request.path + ": is no MLIR module" : messages, place));
  }
  if (!request.arch.empty()) {
    auto target = findTarget(request.arch);
    if (!target)
      return failure(target.takeError());
    (*module)->setAttr("wavewright.arch", mlir::StringAttr::get(&context, llvm::StringRef((*target)->name)));
  } else if (!(*module)->hasAttr("wavewright.arch")) {
    return failure(fail(ErrorKind::Usage, request.path + ": the module has no wavewright.arch; give --arch <chip>"));
  }

  request.options.gate = !request.noGate;
  request.options.debugInfo = !request.noDebug;
  request.options.keepIr = !request.dump.empty();
  auto compiled = codegen::compile(*module, request.options);
  if (!compiled)
    return failure(compiled.takeError());

  if (compiled->object->kernels().empty())
    return failure(fail(ErrorKind::Usage, request.path + ": the module has no kernel (a func.func with hk.kernel or "
                                                         "rocke.kernel)"));

  if (!request.dump.empty()) {
    std::string known;
    for (const codegen::StageText &dump : compiled->dumps) {
      if (dump.stage == request.dump) {
        print(dump.text);
        return done();
      }
      known += (known.empty() ? "" : ", ") + dump.stage;
    }
    return failure(fail(ErrorKind::Usage, fmt::format("no stage \"{}\" to dump; there are {}", request.dump, known)));
  }

  if (request.output.empty()) {
    llvm::SmallString<128> name(llvm::sys::path::filename(request.path));
    llvm::sys::path::replace_extension(name, "hsaco");
    request.output = std::string(name);
  }
  llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(compiled->bytes.data()), compiled->bytes.size());
  if (llvm::Error error = runtime::writeFile(request.output, {bytes}))
    return failure(std::move(error));

  if (json) {
    print(Object{{"output", jsonString(request.output)},
                 {"bytes", compiled->bytes.size()},
                 {"resources", reportJson(compiled->resources, compiled->stages)}});
  } else if (request.report) {
    print(compiled->report);
  } else {
    print(fmt::format("wrote {} ({} bytes)\n", request.output, compiled->bytes.size()));
  }
  return done();
}

//===----------------------------------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------------------------------===//

int report(Outcome outcome, bool json) {
  if (!outcome.error) {
    llvm::consumeError(std::move(outcome.error));
    return outcome.status.value_or(0);
  }
  Failure failure = takeFailure(std::move(outcome.error), ErrorKind::Usage);
  int status = outcome.status.value_or(exitStatus(failure.kind));
  std::string where = failure.place ? failure.place.str() + ": " : "";
  if (json)
    print(Object{{"error", Object{{"kind", std::string(errorKindName(failure.kind))},
                                  {"message", jsonString(failure.message)},
                                  {"file", jsonString(failure.place.file)},
                                  {"line", failure.place.line},
                                  {"status", status}}}});
  std::fflush(stdout);
  fmt::print(stderr, "error: {}{}\n", where, failure.message);
  return status;
}

} // namespace

int main(int argc, char **argv) {
  toolFolder = llvm::sys::path::parent_path(argv[0]).str();
  if (toolFolder.empty())
    if (auto found = llvm::sys::findProgramByName(argv[0]))
      toolFolder = llvm::sys::path::parent_path(*found).str();
  // hipcc's options are clang's: nothing of them is parsed here.
  if (argc > 1 && llvm::StringRef(argv[1]) == "hipcc") {
    std::vector<std::string> arguments(argv + 2, argv + argc);
    if (arguments.empty() || llvm::is_contained(arguments, "--help")) {
      print(std::string(tools::hipccHelp));
      return arguments.empty() ? 2 : 0;
    }
    auto status = tools::hipcc(arguments);
    return status ? *status : report(failure(status.takeError()), false);
  }
  CLI::App app("GPU kernels for AMD cards, compiled and proved without one", "wavewright");
  app.set_version_flag("--version", versionText());
  app.require_subcommand(1);
  app.fallthrough();
  bool json = false;
  app.add_flag("--json", json, "Print one JSON document instead of text");

  std::function<Outcome()> command;

  CLI::App *doctorCommand = app.add_subcommand("doctor", "What is found here and what is missing");
  doctorCommand->callback([&] { command = [&] { return doctor(json); }; });

  std::vector<std::string> chips;
  CLI::App *targetsCommand = app.add_subcommand("targets", "Facts of each chip");
  targetsCommand->add_option("chip", chips, "Only these chips, for example gfx950");
  targetsCommand->callback([&] { command = [&] { return targets(chips, json); }; });

  std::string instructionsChip;
  bool allInstructions = false;
  CLI::App *instructionsCommand =
      app.add_subcommand("instructions", "What a chip's decoder knows, and what the built-in device executes of it");
  instructionsCommand->add_option("chip", instructionsChip, "For example gfx950")->required();
  instructionsCommand->add_flag("--all", allInstructions, "List every instruction, not only what is not executed");
  instructionsCommand->callback(
      [&] { command = [&] { return instructions(instructionsChip, allInstructions, json); }; });

  std::string inspectPath;
  runtime::InspectOptions inspectOptions;
  CLI::App *inspectCommand = app.add_subcommand("inspect", "Resources, arguments and instructions of a code object");
  inspectCommand->add_option("object", inspectPath, "A code object (HSACO)")->required();
  inspectCommand->add_flag("-d,--disassemble", inspectOptions.disassemble, "Every instruction, with its source line");
  inspectCommand->add_option("--kernel", inspectOptions.kernel, "Only this kernel");
  inspectCommand->callback([&] { command = [&] { return inspect(inspectPath, inspectOptions, json); }; });

  RunRequest request;
  CLI::App *runCommand = app.add_subcommand("run", "Run a kernel of any code object");
  runCommand->add_option("object", request.path, "A code object (HSACO)")->required();
  runCommand->add_option("--kernel", request.kernel, "Its name; not needed where there is only one");
  runCommand->add_option("--grid", request.grid, "Work-groups x,y,z; missing extents are 1");
  runCommand->add_option("--block", request.block, "Work-items of a group x,y,z; missing extents are 1");
  runCommand
      ->add_option(
          "--arg", request.arguments,
          "One argument, in order: a .npy file is a buffer and is written back when the kernel stored into it; "
          "a number has the size that the kernel's metadata gives and is a float with a point or an exponent; "
          "i32:5, u64:5, bf16:0.5, ... override; bytes:00ff gives raw bytes")
      ->allow_extra_args(false);
  runCommand->add_option("--device", request.device, "emu:<chip> or hip:<number>; default: the object's own chip");
  runCommand->add_option("--checks", request.checks, "on: an access outside live memory is a check's finding")
      ->check(CLI::IsMember({"on", "off"}));
  runCommand->add_option("--matrix", request.matrix, "exact: the arithmetic of the chip, bit for bit; fast: f32 FMA")
      ->check(CLI::IsMember({"exact", "fast"}));
  runCommand->add_option("--budget", request.budget, "Wave-instructions after which the run is stopped");
  runCommand->add_option("--threads", request.threads, "Threads of the emulator; 0: as many as the host has");
  runCommand->add_option("--seed", request.seed, "Seed of the order of work-groups where it can matter");
  runCommand->add_flag("--fidelity", request.fidelity,
                       "Also print the lowest grade of an instruction that the kernel reaches, and which those are");
  runCommand->add_option("--dynamic-lds", request.dynamicLds, "Bytes of dynamic LDS");
  addDebugOptions(*runCommand, request.debug);
  runCommand->add_option("--dump", request.dump,
                         "What breakpoints show: v0-v15,s0-s7,vcc,exec,lds[0:256],scratch[0:16]");
  runCommand->callback([&] { command = [&] { return run(request, json); }; });

  CompileRequest compileRequest;
  CLI::App *compileCommand = app.add_subcommand("compile", "Compile an MLIR module to a code object");
  compileCommand->add_option("module", compileRequest.path, "MLIR text or bytecode")->required();
  compileCommand->add_option("--arch", compileRequest.arch, "The chip; default: the module's wavewright.arch");
  compileCommand->add_option("-o,--output", compileRequest.output, "Default: <module>.hsaco here");
  compileCommand->add_option("--opt", compileRequest.options.opt, "0 to 3; 0 skips the gate")->check(CLI::Range(0, 3));
  compileCommand->add_flag("--no-gate", compileRequest.noGate, "Do not refuse scratch, spills and budgets");
  compileCommand->add_flag("--no-debug", compileRequest.noDebug, "No line table");
  compileCommand->add_option("--max-vgprs", compileRequest.options.maxVgprs, "VGPR plus AGPR of one wave as allocated");
  compileCommand->add_option("--min-occupancy", compileRequest.options.minOccupancy, "Waves per SIMD");
  compileCommand->add_option("--source-root", compileRequest.options.sourceRoot, "Paths of the line table start here");
  compileCommand->add_option("--dump", compileRequest.dump, "Print a stage instead: hk, tiles, rocke, llvm, isa, ...");
  compileCommand->add_flag("--report", compileRequest.report, "Print the resource report");
  compileCommand->callback([&] { command = [&] { return compile(compileRequest, json); }; });

  app.add_subcommand("hipcc", "Compile HIP programs for the built-in device (see hipcc --help)");
  addAsmCommand(app, command, json);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion &success) {
    if (!json && !llvm::is_contained(llvm::ArrayRef(argv, argc), llvm::StringRef("--json")))
      return app.exit(success);
    print(llvm::json::Object{{"wavewright", WAVEWRIGHT_VERSION}, {"llvm", LLVM_VERSION_STRING}});
    return 0;
  } catch (const CLI::Success &success) {
    return app.exit(success); // --help
  } catch (const CLI::ParseError &error) {
    std::string message = error.what(), commands, help = "wavewright ";
    if (!app.get_subcommands().empty()) {
      help += app.get_subcommands().front()->get_name() + " ";
    } else if (argc > 1 && argv[1][0] != '-') {
      for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
        commands += (commands.empty() ? "" : ", ") + command->get_name();
      message = fmt::format("there is no command \"{}\"; the commands are {}", argv[1], commands);
    }
    return report(failure(fail(ErrorKind::Usage, fmt::format("{} (see {}--help)", message, help))), json);
  }
  return report(command(), json);
}
