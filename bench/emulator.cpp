//===- bench/emulator.cpp - how fast the built-in device is ---------------------------------------===//
//
// Wave-instructions, lane-operations and matrix FLOP a second on one core, and on all, for kernels that keep one unit
// busy: the vector unit, memory, the matrix unit (exact and fast). The kernels are HIP text in kernels/, compiled here.
//
//===----------------------------------------------------------------------------------------------===//
#include "machine_line.h"

#include "wavewright/runtime/arguments.h"
#include "wavewright/runtime/files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <CLI/CLI.hpp>

#include <chrono>
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
  const char *name, *file, *kernel;
  runtime::MatrixMode matrix;
  std::function<std::vector<Argument>(runtime::Device &, uint32_t work)> arguments;
  unsigned bytesPerLane = 0; ///< that one round of the kernel's loop moves
  bool isMatrix() const { return llvm::StringRef(kernel) == "matrix"; }
  bool isStream() const { return llvm::StringRef(kernel) == "memory"; }
};

constexpr uint32_t groups = 32, blockSize = 256, elements = 1 << 20;

Argument zeros(runtime::Device &device, uint64_t bytes) {
  return Argument::pointer(must(device.allocate(bytes, "bench")));
}

std::vector<Argument> loopArguments(runtime::Device &device, uint32_t work) {
  return {zeros(device, uint64_t(groups) * blockSize * 4), Argument::value(int32_t(work))};
}

std::vector<Argument> loadArguments(runtime::Device &device, uint32_t work) {
  return {zeros(device, uint64_t(groups) * blockSize * 4), zeros(device, 8192), Argument::value(int32_t(work))};
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

struct Measured {
  runtime::LaunchStatistics statistics;
  uint32_t work = 16;
  /// What the loop moved in a second, of all work-items.
  double gigabytes(const Row &row) const {
    return double(work) * groups * blockSize * row.bytesPerLane / statistics.seconds * 1e-9;
  }
};

/// Grows the work until a launch takes long enough to be measured, then keeps the fastest of five.
Measured measure(runtime::Device &device, runtime::Function &function, const Row &row, runtime::CheckMode checks,
                 unsigned threads, double seconds) {
  Measured best;
  best.statistics = launch(device, function, row, best.work, checks, threads); // decodes
  while (best.statistics.seconds < seconds && best.work < (1u << 24)) {
    best.work *= 2;
    best.statistics = launch(device, function, row, best.work, checks, threads);
    if (row.isStream() && uint64_t(best.work) * blockSize >= elements)
      break;
  }
  for (int i = 0; i < 4; ++i)
    if (auto again = launch(device, function, row, best.work, checks, threads); again.seconds < best.statistics.seconds)
      best.statistics = again;
  return best;
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The fastest of `times` runs, in seconds.
template <typename F> double fastest(int times, F run) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    auto start = std::chrono::steady_clock::now();
    run();
    best = std::min(best, since(start));
  }
  return best;
}

/// What does not grow with the work: the launch of one wave, and loading and decoding a long kernel.
void measureOverheads(runtime::Device &device, const std::string &chip) {
  auto module = must(device.load(compileHip("loads", chip)));
  auto nothing = must(module->function("nothing"));
  auto one = [&] { must(device.launch(*nothing, {{1, 1, 1}, {32, 1, 1}}, std::span<const Argument>(), {})); };
  one();
  double launched = fastest(200, one);
  auto object = compileHip("long", chip);
  size_t instructions = object->program(object->kernels().front()).instructions.size();
  std::vector<Argument> argument = {zeros(device, 64)};
  double loaded = fastest(5, [&] {
    auto fresh = must(codeobject::CodeObject::read(object->bytes(), "long"));
    auto again = must(device.load(fresh));
    auto straight = must(again->function("straight"));
    must(device.launch(*straight, {{1, 1, 1}, {1, 1, 1}}, argument, {}));
  });
  fmt::print("{:<10} launch of one wave {:.1f} us; {} instructions read, decoded and run once {:.1f} ms\n", chip,
             launched * 1e6, instructions, loaded * 1e3);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Speed of the built-in device");
  std::vector<std::string> chips, only;
  double seconds = 0.2;
  unsigned threads = 1;
  bool off = false;
  app.add_option("chip", chips, "Chips; default: all that are emulated");
  app.add_option("--kernel", only, "Rows by name; default: all");
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

  const auto exact = runtime::MatrixMode::Exact, fast = runtime::MatrixMode::Fast;
  const Row rows[] = {
      {"vector", "valu", "valu", exact, loopArguments},
      {"memory", "memory", "memory", exact, streamArguments},
      {"lds", "loads", "lds", exact, loopArguments, 8 * 16},
      {"contiguous", "loads", "contiguous", exact, loadArguments, 8 * 16},
      {"gather", "loads", "gather", exact, loadArguments, 8 * 4},
      {"matrix-exact", "matrix", "matrix", exact, loopArguments},
      {"matrix-fast", "matrix", "matrix", fast, loopArguments},
  };
  fmt::print("{}", bench::machineLine(argc, argv));
  fmt::print("a second and core, {} thread{}, checks {}\n\n", threads, threads == 1 ? "" : "s", off ? "off" : "on");
  fmt::print("{:<10} {:<14} {:>14} {:>12} {:>10} {:>14} {:>10}\n", "chip", "kernel", "M wave-instr", "G lane-ops",
             "GB/s", "matrix GFLOP", "ms");
  for (const std::string &chip : chips) {
    auto device = must(runtime::openDevice("emu:" + chip));
    std::string built;
    std::shared_ptr<runtime::Module> module;
    for (const Row &row : rows) {
      if (!only.empty() && llvm::find(only, row.name) == only.end())
        continue;
      if (built != row.file)
        module = must(device->load(compileHip(row.file, chip)));
      built = row.file;
      auto function = must(module->function(row.kernel));
      auto best =
          measure(*device, *function, row, off ? runtime::CheckMode::Off : runtime::CheckMode::On, threads, seconds);
      const runtime::LaunchStatistics &s = best.statistics;
      double unit = s.seconds * threads;
      fmt::print("{:<10} {:<14} {:>14.1f} {:>12.3f} {:>10} {:>14} {:>10.1f}\n", chip, row.name,
                 s.waveInstructions / unit * 1e-6, s.laneOperations / unit * 1e-9,
                 row.bytesPerLane ? fmt::format("{:.2f}", best.gigabytes(row) / threads) : "-",
                 row.isMatrix() ? fmt::format("{:.2f}", s.matrixFlops / unit * 1e-9) : "-", s.seconds * 1e3);
      std::fflush(stdout);
    }
    if (only.empty())
      measureOverheads(*device, chip);
  }
  return 0;
}
