//===- codegen/compile.h - a module becomes a code object -----------------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"
#include "wavewright/codeobject/gate.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wavewright::codegen {

/// Everything that changes the result. Printed in the report and hashed in the cache key.
struct CompileOptions {
  int opt = 3; ///< 0 to 3; 0 skips the gate and the report says so
  bool gate = true;
  std::optional<int> maxVgprs = {};     ///< VGPR plus AGPR of one wave as allocated
  std::optional<int> minOccupancy = {}; ///< waves per SIMD
  bool debugInfo = true;                ///< line tables; changes only debug metadata and .debug_* sections
  std::string sourceRoot = {};          ///< paths in the line table are relative to it
  bool keepIr = false;                  ///< keep the text of each stage in Compiled::dumps
};

struct StageText {
  std::string stage, text;
};

struct Compiled {
  std::vector<std::byte> bytes;                         ///< the HSACO
  std::shared_ptr<const codeobject::CodeObject> object; ///< the same, read back
  codeobject::ResourceReport resources;
  std::vector<codeobject::StageTime> stages; ///< milliseconds a stage, in order
  /// With keepIr: "hk" (as given), "tiles", "rocke", "llvm-dialect", "llvm" (optimised), "isa".
  std::vector<StageText> dumps;
  std::string report; ///< as `.report()` prints it
};

/// The chip is the module's `wavewright.arch`. `module` is consumed (lowered in place). Errors: VerifyError at the
/// user's place for what a pass refuses, CompileError for what LLVM refuses, ResourceError from the gate.
llvm::Expected<Compiled> compile(mlir::ModuleOp module, const CompileOptions &options = {});

/// Runs the tile passes only (what `trace()` shows).
llvm::Error runTilePasses(mlir::ModuleOp module);

/// Loads every dialect and translation that a compilation needs.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace wavewright::codegen
