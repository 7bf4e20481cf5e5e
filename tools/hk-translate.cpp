//===- tools/hk-translate.cpp - hk and rocke modules to LLVM IR, machine code or assembly ---------===//
//
//   hk-translate --hk-to-isa kernel.mlir
//   hk-translate --hk-to-hsaco kernel.mlir -o kernel.hsaco
//   hk-translate --hk-to-llvmir --arch gfx950 --opt 2 kernel.mlir
//
//===----------------------------------------------------------------------------------------------===//

#include "wavewright/codegen/compile.h"
#include "wavewright/ir/hk.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

#include "llvm/Support/CommandLine.h"

using namespace wavewright;

static llvm::cl::opt<std::string> arch("arch", llvm::cl::desc("chip, in place of the module's wavewright.arch"));
static llvm::cl::opt<int> opt("opt", llvm::cl::desc("optimisation level, 0 to 3 (default 3)"), llvm::cl::init(3));
static llvm::cl::opt<bool> debugInfo("debug-info", llvm::cl::desc("line tables (default off)"), llvm::cl::init(false));
static llvm::cl::opt<bool> gate("gate", llvm::cl::desc("check resources (default on)"), llvm::cl::init(true));
static llvm::cl::opt<std::string> sourceRoot("source-root", llvm::cl::desc("paths in line tables are relative to it"));

/// Compiles; an error becomes a diagnostic at its place.
static mlir::FailureOr<codegen::Compiled> compile(mlir::Operation *op, bool keepIr) {
  auto module = mlir::dyn_cast<mlir::ModuleOp>(op);
  if (!module)
    return op->emitError("is no builtin.module");
  if (!arch.empty())
    module->setAttr(hk::ArchAttr, mlir::StringAttr::get(op->getContext(), arch));
  codegen::CompileOptions options;
  options.opt = opt;
  options.gate = gate;
  options.debugInfo = debugInfo;
  options.sourceRoot = sourceRoot;
  options.keepIr = keepIr;
  llvm::Expected<codegen::Compiled> compiled = codegen::compile(module, options);
  if (compiled)
    return std::move(*compiled);
  Failure failure = takeFailure(compiled.takeError());
  mlir::Location location = mlir::UnknownLoc::get(op->getContext());
  if (failure.place)
    location =
        mlir::FileLineColLoc::get(op->getContext(), failure.place.file, failure.place.line, failure.place.column);
  return mlir::emitError(location) << errorKindName(failure.kind) << ": " << failure.message;
}

static void registerText(llvm::StringRef name, llvm::StringRef description, llvm::StringRef stage) {
  mlir::TranslateFromMLIRRegistration registration(
      name, description,
      [stage](mlir::Operation *op, llvm::raw_ostream &os) -> mlir::LogicalResult {
        mlir::FailureOr<codegen::Compiled> compiled = compile(op, /*keepIr=*/true);
        if (mlir::failed(compiled))
          return mlir::failure();
        for (const codegen::StageText &dump : compiled->dumps)
          if (dump.stage == stage)
            os << dump.text;
        return mlir::success();
      },
      codegen::registerDialects);
}

int main(int argc, char **argv) {
  registerText("hk-to-llvmir", "optimised LLVM IR", "llvm");
  registerText("hk-to-isa", "assembly of the chip", "isa");
  mlir::TranslateFromMLIRRegistration hsaco(
      "hk-to-hsaco", "a code object",
      [](mlir::Operation *op, llvm::raw_ostream &os) -> mlir::LogicalResult {
        mlir::FailureOr<codegen::Compiled> compiled = compile(op, /*keepIr=*/false);
        if (mlir::failed(compiled))
          return mlir::failure();
        os.write(reinterpret_cast<const char *>(compiled->bytes.data()), compiled->bytes.size());
        return mlir::success();
      },
      codegen::registerDialects);
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "hk-translate: hk and rocke to machine code\n"));
}
