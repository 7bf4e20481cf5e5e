//===- codegen/diagnostics.h - what MLIR and LLVM say, as failures with a place -------------------===//
//
// Internal to the room.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/support/error.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace wavewright::codegen {

/// The innermost place of a location: the callee of a call site, the first part of a fused location that has one.
SourcePlace placeOf(mlir::Location location);

/// Collects the errors of MLIR while it lives. Thread-safe, as passes may run on several threads. Make it outside of
/// guarded(): a crash unwinds nothing, and the context would keep a listener that is gone.
class MlirErrors {
public:
  explicit MlirErrors(mlir::MLIRContext *context);
  ~MlirErrors();

  /// What was said first, with its notes; `otherwise` when a stage failed without a word.
  llvm::Error take(ErrorKind kind, std::string otherwise);

private:
  mlir::MLIRContext *context;
  bool printedOperations;
  std::mutex lock;
  std::vector<Failure> failures;
  mlir::ScopedDiagnosticHandler handler;
};

/// Where each kernel stands in the user's source.
using KernelPlaces = std::map<std::string, SourcePlace, std::less<>>;

/// Collects the errors of LLVM's code generator while it lives.
class LlvmErrors {
public:
  LlvmErrors(llvm::LLVMContext &context, const KernelPlaces &places);
  ~LlvmErrors();
  /// Success when nothing was said.
  llvm::Error take();

private:
  void add(const llvm::DiagnosticInfo &info);

  llvm::LLVMContext &context;
  const KernelPlaces &places;
  std::vector<Failure> failures;
};

/// Runs `work`, and turns an abort, a fatal error or a crash of LLVM in it into a CompileError that names `stage` and
/// quotes LLVM. What the work was building must then be left alone, not destroyed.
llvm::Error guarded(llvm::StringRef stage, llvm::function_ref<llvm::Error()> work);

} // namespace wavewright::codegen
