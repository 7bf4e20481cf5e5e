//===- bench/compile.cpp - how long a compilation takes -------------------------------------------===//
//
// Milliseconds by stage, in this process, of the kernels in kernels/*.mlir (what the hk front end traces from
// examples/add.py and examples/gemm.py): the first compilation, which also starts LLVM, and the fastest of the later.
//
//===----------------------------------------------------------------------------------------------===//
#include "machine_line.h"

#include "wavewright/codegen/compile.h"
#include "wavewright/runtime/files.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <map>

using namespace wavewright;

namespace {

struct Timing {
  double total = 0;
  std::vector<codeobject::StageTime> stages;
};

llvm::Expected<Timing> compileOnce(mlir::MLIRContext &context, const std::vector<char> &text, const std::string &chip) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(text.data(), text.size()), mlir::ParserConfig(&context));
  if (!module)
    return fail(ErrorKind::Usage, "the kernel does not parse");
  (*module)->setAttr("wavewright.arch", mlir::StringAttr::get(&context, chip));
  auto begin = std::chrono::steady_clock::now();
  auto compiled = codegen::compile(*module);
  if (!compiled)
    return compiled.takeError();
  Timing timing;
  timing.total = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  timing.stages = std::move(compiled->stages);
  return timing;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Time of a compilation, by stage");
  std::vector<std::string> chips, kernels = {"add", "gemm"};
  int repeats = 5;
  app.add_option("chip", chips, "Chips; default: all that are emulated");
  app.add_option("--kernel", kernels, "Names of files in bench/kernels");
  app.add_option("--repeats", repeats, "Compilations after the first; the fastest counts")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  if (chips.empty())
    for (const Target *target : allTargets())
      if (target->emulated)
        chips.emplace_back(target->name);

  fmt::print("{}milliseconds in one process; \"first\" holds what LLVM does once\n", bench::machineLine(argc, argv));
  for (const std::string &kernel : kernels) {
    auto text = runtime::readFile(fmt::format("{}/{}.mlir", WAVEWRIGHT_KERNELS, kernel));
    if (!text) {
      fmt::print(stderr, "error: {}\n", takeFailure(text.takeError()).message);
      return 2;
    }
    std::vector<std::string> stageNames;
    std::vector<std::vector<std::string>> lines;
    for (const std::string &chip : chips) {
      mlir::DialectRegistry registry;
      codegen::registerDialects(registry);
      mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
      context.loadAllAvailableDialects();
      Timing first, best;
      for (int i = 0; i <= repeats; ++i) {
        auto timing = compileOnce(context, *text, chip);
        if (!timing) {
          fmt::print(stderr, "error: {} for {}: {}\n", kernel, chip, takeFailure(timing.takeError()).message);
          return 1;
        }
        if (i == 0)
          first = std::move(*timing);
        else if (i == 1 || timing->total < best.total)
          best = std::move(*timing);
      }
      if (stageNames.empty())
        for (const codeobject::StageTime &stage : best.stages)
          stageNames.push_back(stage.name);
      std::vector<std::string> cells{chip, fmt::format("{:.1f}", first.total), fmt::format("{:.1f}", best.total)};
      for (const codeobject::StageTime &stage : best.stages)
        cells.push_back(fmt::format("{:.1f}", stage.milliseconds));
      lines.push_back(std::move(cells));
    }
    fmt::print("\n{}\n{:<10}{:>9}{:>9} |", kernel, "chip", "first", "later");
    for (const std::string &name : stageNames)
      fmt::print(" {}", name);
    fmt::print("\n");
    for (const auto &cells : lines) {
      fmt::print("{:<10}{:>9}{:>9} |", cells[0], cells[1], cells[2]);
      for (size_t i = 3; i < cells.size(); ++i)
        fmt::print(" {:>{}}", cells[i], i - 3 < stageNames.size() ? stageNames[i - 3].size() : 0);
      fmt::print("\n");
    }
  }
  return 0;
}
