//===- codegen/llvm_ir.cpp - from the LLVM dialect to an LLVM module ------------------------------===//

#include "wavewright/codegen/stages.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

namespace wavewright::codegen {

/// A path under the root loses the root; another stays as it is.
static std::string relativeTo(llvm::StringRef path, llvm::StringRef root) {
  llvm::SmallString<256> folder(root);
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  llvm::StringRef rest = path;
  if (!folder.empty() && rest.consume_front(folder) && (rest.consume_front("/") || folder.ends_with("/")))
    return rest.str();
  return path.str();
}

llvm::Error addDebugScopes(mlir::ModuleOp module, llvm::StringRef sourceRoot, MlirErrors &errors) {
  mlir::MLIRContext *context = module.getContext();
  if (!sourceRoot.empty()) {
    mlir::AttrTypeReplacer replacer;
    replacer.addReplacement([&](mlir::FileLineColLoc at) -> std::optional<mlir::Attribute> {
      auto name = mlir::StringAttr::get(context, relativeTo(at.getFilename().getValue(), sourceRoot));
      return mlir::Attribute(mlir::FileLineColLoc::get(name, at.getLine(), at.getColumn()));
    });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false, /*replaceLocs=*/true);
  }
  // The compile unit is named after the module's place, which says where the text came from, not the kernels.
  mlir::LLVM::LLVMFuncOp first = nullptr;
  for (mlir::LLVM::LLVMFuncOp function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (!function.isExternal() && !first)
      first = function;
  if (!first)
    return llvm::Error::success();
  SourcePlace place = placeOf(first.getLoc());
  module->setLoc(mlir::FileLineColLoc::get(context, place ? place.file : "unknown", place.line, place.column));

  mlir::PassManager pm(context, mlir::ModuleOp::getOperationName());
  pm.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass());
  if (failed(pm.run(module)))
    return errors.take(ErrorKind::Compile, "the line table's scopes could not be made");

  // One name with its folders, and no directory to resolve it against: readers of line tables differ in whether they
  // do.
  mlir::AttrTypeReplacer whole;
  whole.addReplacement([&](mlir::LLVM::DIFileAttr file) -> std::optional<mlir::Attribute> {
    if (file.getDirectory().getValue().empty())
      return std::nullopt;
    llvm::SmallString<256> path(file.getDirectory().getValue());
    llvm::sys::path::append(path, file.getName().getValue());
    return mlir::Attribute(mlir::LLVM::DIFileAttr::get(context, path, ""));
  });
  whole.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/true);
  return llvm::Error::success();
}

/// A name that begins with "llvm." and is no intrinsic of this LLVM passes every check of LLVM's until the linker.
static llvm::Error refuseUnknownIntrinsics(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.getName().starts_with("llvm.") && function.getIntrinsicID() == llvm::Intrinsic::not_intrinsic)
      return fail(ErrorKind::Compile, fmt::format("LLVM {} has no intrinsic {}", LLVM_VERSION_STRING,
                                                  std::string_view(function.getName())));
  return llvm::Error::success();
}

namespace {
struct ArgumentName {
  std::string function;
  unsigned index;
  std::string name;
};
} // namespace

/// MLIR's translation knows no argument names: they are set afterwards.
static std::vector<ArgumentName> takeArgumentNames(mlir::ModuleOp module) {
  std::vector<ArgumentName> names;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (auto name = mlir::dyn_cast_or_null<mlir::StringAttr>(function.removeArgAttr(i, "rocke.name")))
        names.push_back({function.getSymName().str(), i, name.str()});
  return names;
}

llvm::Expected<std::unique_ptr<llvm::Module>> toLlvmIr(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                       llvm::TargetMachine &machine, MlirErrors &errors) {
  std::string layout = machine.createDataLayout().getStringRepresentation();
  module->setAttr(mlir::LLVM::LLVMDialect::getDataLayoutAttrName(), mlir::StringAttr::get(module.getContext(), layout));

  std::vector<ArgumentName> names = takeArgumentNames(module);
  std::unique_ptr<llvm::Module> ir = mlir::translateModuleToLLVMIR(module, context, "wavewright");
  if (!ir)
    return errors.take(ErrorKind::Compile, "the module could not be translated to LLVM IR");
  ir->setTargetTriple(machine.getTargetTriple());
  ir->setDataLayout(machine.createDataLayout());
  ir->setSourceFileName("wavewright"); // becomes a symbol of the object

  for (const ArgumentName &argument : names)
    ir->getFunction(argument.function)->getArg(argument.index)->setName(argument.name);

  if (llvm::Error error = refuseUnknownIntrinsics(*ir))
    return error;
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(*ir, &stream))
    return fail(ErrorKind::Compile, "LLVM's verifier: " + problems);
  return ir;
}

} // namespace wavewright::codegen
