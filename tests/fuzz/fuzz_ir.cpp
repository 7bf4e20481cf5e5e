// Arbitrary text as a module of the hk and rocke dialects, through the verifier and every pass down to the LLVM
// dialect: errors are fine, crashes are not. Nothing is guarded here, so that a crash is seen.
#include "wavewright/codegen/compile.h"
#include "wavewright/passes/passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <string>

using namespace wavewright;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t longest = 1 << 14;
  if (size > longest)
    return 0;
  static mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry made;
    codegen::registerDialects(made);
    return made;
  }();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  std::string text(reinterpret_cast<const char *>(data), size); // the lexer looks at the byte behind
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), "fuzz");
  if (!module)
    return 0;
  for (auto build : {passes::buildTilePipeline, passes::buildTileLowering, passes::buildLaneLowering}) {
    mlir::PassManager pm(&context, mlir::ModuleOp::getOperationName());
    build(pm);
    if (mlir::failed(pm.run(*module)))
      return 0;
  }
  return 0;
}
