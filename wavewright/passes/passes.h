//===- passes/passes.h - IR to IR -----------------------------------------------------------------===//
//
// One pass, one file; the pipelines below are the stages of a compilation, and each ends in a verifier that states
// its contract. Diagnostics go to the context's handler, at the user's place.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace wavewright::passes {

/// hk -> hk: canonical form, every tile and shared tile with a layout, fragments loaded where they are used. What
/// `trace()` shows. Afterwards "every tile has a layout" holds.
void buildTilePipeline(mlir::OpPassManager &pm);
/// hk -> rocke, arith, math, vector, scf. Afterwards "no hk op and no hk type is left" holds.
void buildTileLowering(mlir::OpPassManager &pm);
/// rocke and the upstream dialects -> the LLVM dialect. Locations stay; the code generator makes scopes of them.
void buildLaneLowering(mlir::OpPassManager &pm);

/// For the tools: passes and pipelines by name (hk-tile-pipeline, hk-lower-tiles, rocke-lower-lanes, ...).
void registerPasses();

} // namespace wavewright::passes
