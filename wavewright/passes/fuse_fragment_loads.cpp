//===- passes/fuse_fragment_loads.cpp -------------------------------------------------------------===//
#include "wavewright/passes/tile_passes.h"

#include "wavewright/ir/hk.h"
#include "wavewright/passes/tile_lowering.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace wavewright::passes {
namespace {

struct FuseFragmentLoads : PassWrapper<FuseFragmentLoads, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseFragmentLoads)
  StringRef getArgument() const final { return "hk-fuse-fragment-loads"; }
  StringRef getDescription() const final { return "Load fragments from LDS beside the matrix instruction"; }

  void runOnOperation() override {
    getOperation().walk([](hk::MmaOp mma) {
      for (OpOperand *operand : {&mma.getAMutable(), &mma.getBMutable()}) {
        auto load = operand->get().getDefiningOp<hk::LdsLoadOp>();
        if (!load || load.getSource().getType().getElementType() != load.getResult().getType().getElementType() ||
            !nothingWritesBetween(load, mma))
          continue;
        operand->set(load.getSource());
        if (load->use_empty())
          load->erase();
      }
    });
  }
};

} // namespace

std::unique_ptr<Pass> createFuseFragmentLoads() { return std::make_unique<FuseFragmentLoads>(); }

} // namespace wavewright::passes
