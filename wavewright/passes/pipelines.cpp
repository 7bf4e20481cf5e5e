//===- passes/pipelines.cpp - the stages of a compilation -----------------------------------------===//
#include "wavewright/passes/passes.h"

#include "wavewright/passes/lower_lanes.h"
#include "wavewright/passes/tile_passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace wavewright::passes {

void buildTilePipeline(mlir::OpPassManager &pm) {
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
  pm.addPass(createFuseFragmentLoads());
  pm.addPass(createAssignLayouts());
  pm.addPass(createVerifyTileLayouts());
}

void buildTileLowering(mlir::OpPassManager &pm) {
  pm.addPass(createLowerTiles());
  pm.addPass(createOrderValues());
  pm.addPass(createVerifyLanes());
}

void registerPasses() {
  using mlir::OpPassManager;
  static mlir::PassPipelineRegistration<> tile("hk-tile-pipeline", "hk to hk: canonical form, every tile laid out",
                                               [](OpPassManager &pm) { buildTilePipeline(pm); });
  static mlir::PassPipelineRegistration<> lower("hk-lower-tiles", "hk to rocke: what a lane holds of each tile",
                                                [](OpPassManager &pm) { buildTileLowering(pm); });
  static mlir::PassPipelineRegistration<> lanes("rocke-lower-lanes", "rocke to the LLVM dialect",
                                                [](OpPassManager &pm) { buildLaneLowering(pm); });
  mlir::registerPass(createFuseFragmentLoads);
  mlir::registerPass(createAssignLayouts);
  mlir::registerPass(createVerifyTileLayouts);
  mlir::registerPass(createOrderValues);
  mlir::registerPass(createVerifyLanes);
  registerLaneLowering();
}

} // namespace wavewright::passes
