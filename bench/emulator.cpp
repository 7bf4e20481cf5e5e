//===- bench/emulator.cpp - how fast the built-in device is ---------------------------------------===//
//
// Wave-instructions, lane-operations and matrix FLOP a second on one core, and on all, for kernels that keep one unit
// busy: the vector unit, memory, the matrix unit (exact and fast). The kernels are HIP text in kernels/, compiled here.
//
//===----------------------------------------------------------------------------------------------===//
#include "machine_line.h"

#include "wavewright/runtime/arguments.h"
#include "wavewright/runtime/files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <vector>

using namespace wavewright;
using runtime::Argument;

namespace {

[[noreturn]] void stop(llvm::Error error) {
  std::fflush(stdout);
  fmt::print(stderr, "error: {}\n", takeFailure(std::move(error)).message);
  std::exit(1);
}

template <typename T> T must(llvm::Expected<T> value) {
  if (!value)
    stop(value.takeError());
  return std::move(*value);
}

std::shared_ptr<const codeobject::CodeObject> compileHip(const std::string &kernel, const std::string &chip) {
  auto compiler = llvm::sys::findProgramByName("clang++-22");
  if (!compiler)
    stop(fail(ErrorKind::Usage, "clang++-22 is not on PATH; the kernels are compiled with it"));
  llvm::SmallString<128> output;
  if (llvm::sys::fs::createTemporaryFile("wavewright-bench", "hsaco", output))
    stop(fail(ErrorKind::Usage, "no temporary file can be made"));
  std::string source = fmt::format("{}/{}.hip", WAVEWRIGHT_KERNELS, kernel);
  int status = llvm::sys::ExecuteAndWait(*compiler, {*compiler, "-x", "hip", "--offload-device-only",
                                                     "--no-gpu-bundle-output", "--offload-arch=" + chip, "-nogpuinc",
                                                     "-nogpulib", "-O3", "-o", output, source});
  if (status != 0)
    stop(fail(ErrorKind::Compile, fmt::format("clang++-22 refuses {} for {}", source, chip)));
  auto content = must(runtime::readFile(std::string(output)));
  llvm::sys::fs::remove(output);
  return must(
      codeobject::CodeObject::read({reinterpret_cast<const std::byte *>(content.data()), content.size()}, kernel));
}

/// One row: a kernel whose amount of work is proportional to `work`.
struct Row {
  const char *name, *kernel;
  runtime::MatrixMode matrix;
  std::function<std::vector<Argument>(runtime::Device &, uint32_t work)> arguments;
  bool hasMatrix() const { return llvm::StringRef(kernel) == "matrix"; }
};

constexpr uint32_t groups = 32, blockSize = 256, elements = 1 << 20;

Argument zeros(runtime::Device &device, uint64_t bytes) {
  return Argument::pointer(must(device.allocate(bytes, "bench")));
}

std::vector<Argument> loopArguments(runtime::Device &device, uint32_t work) {
  return {zeros(device, uint64_t(groups) * blockSize * 4), Argument::value(int32_t(work))};
}

std::vector<Argument> streamArguments(runtime::Device &device, uint32_t work) {
  int32_t count = int32_t(std::min<uint64_t>(uint64_t(work) * blockSize, elements));
  return {zeros(device, elements * 16), zeros(device, elements * 16), zeros(device, elements * 16),
          Argument::value(0.5f),        Argument::value(count),       Argument::value(int32_t(groups * blockSize))};
}

runtime::LaunchStatistics launch(runtime::Device &device, runtime::Function &function, const Row &row, uint32_t work,
                                 runtime::CheckMode checks, unsigned threads) {
  runtime::LaunchOptions options;
  options.matrix = row.matrix;
  options.checks = checks;
  options.threads = threads;
  return must(device.launch(function, {{groups, 1, 1}, {blockSize, 1, 1}}, row.arguments(device, work), options));
}

/// Grows the work until a launch takes long enough to be measured, then keeps the fastest of three.
runtime::LaunchStatistics measure(runtime::Device &device, runtime::Function &function, const Row &row,
                                  runtime::CheckMode checks, unsigned threads, double seconds) {
  uint32_t work = 16;
  runtime::LaunchStatistics best = launch(device, function, row, work, checks, threads); // decodes
  while (best.seconds < seconds && work < (1u << 24)) {
    work *= 2;
    best = launch(device, function, row, work, checks, threads);
    if (llvm::StringRef(row.kernel) == "memory" && uint64_t(work) * blockSize >= elements)
      break;
  }
  for (int i = 0; i < 2; ++i)
    if (auto again = launch(device, function, row, work, checks, threads); again.seconds < best.seconds)
      best = again;
  return best;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Speed of the built-in device");
  std::vector<std::string> chips;
  double seconds = 0.2;
  unsigned threads = 1;
  bool off = false;
  app.add_option("chip", chips, "Chips; default: all that are emulated");
  app.add_option("--seconds", seconds, "Least time of a measured launch");
  app.add_option("--threads", threads, "Threads; numbers are divided by them");
  app.add_flag("--checks-off", off, "Measure with checks off");
  CLI11_PARSE(app, argc, argv);
  if (threads == 0) {
    fmt::print(stderr, "error: --threads must be at least 1\n");
    return 2;
  }
  if (chips.empty())
    for (const Target *target : allTargets())
      if (target->emulated)
        chips.emplace_back(target->name);

  const Row rows[] = {
      {"vector", "valu", runtime::MatrixMode::Exact, loopArguments},
      {"memory", "memory", runtime::MatrixMode::Exact, streamArguments},
      {"matrix exact", "matrix", runtime::MatrixMode::Exact, loopArguments},
      {"matrix fast", "matrix", runtime::MatrixMode::Fast, loopArguments},
  };
  fmt::print("{}", bench::machineLine(argc, argv));
  fmt::print("a second and core, {} thread{}, checks {}\n\n", threads, threads == 1 ? "" : "s", off ? "off" : "on");
  fmt::print("{:<10} {:<14} {:>18} {:>18} {:>16} {:>10}\n", "chip", "kernel", "M wave-instr", "G lane-ops",
             "matrix GFLOP", "ms");
  for (const std::string &chip : chips) {
    auto device = must(runtime::openDevice("emu:" + chip));
    std::string built;
    std::shared_ptr<runtime::Module> module;
    for (const Row &row : rows) {
      if (built != row.kernel)
        module = must(device->load(compileHip(row.kernel, chip)));
      built = row.kernel;
      auto function = must(module->function(row.kernel));
      auto best =
          measure(*device, *function, row, off ? runtime::CheckMode::Off : runtime::CheckMode::On, threads, seconds);
      double unit = best.seconds * threads;
      fmt::print("{:<10} {:<14} {:>18.1f} {:>18.3f} {:>16} {:>10.1f}\n", chip, row.name,
                 best.waveInstructions / unit * 1e-6, best.laneOperations / unit * 1e-9,
                 row.hasMatrix() ? fmt::format("{:.2f}", best.matrixFlops / unit * 1e-9) : "-", best.seconds * 1e3);
      std::fflush(stdout);
    }
  }
  return 0;
}
