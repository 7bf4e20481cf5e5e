//===- passes/verify_contracts.cpp - what must hold between the stages ----------------------------===//
#include "wavewright/passes/tile_passes.h"

#include "wavewright/ir/hk.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace wavewright::passes {
namespace {

bool lacksLayout(Type type) {
  if (auto shared = dyn_cast<hk::SharedTileType>(type))
    return !shared.getLayout();
  return isa<hk::RegisterTileType, hk::RegisterVectorType>(type) && !hk::layoutOf(type);
}

struct VerifyTileLayouts : PassWrapper<VerifyTileLayouts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyTileLayouts)
  StringRef getArgument() const final { return "hk-verify-tile-layouts"; }
  StringRef getDescription() const final { return "Check that every tile has a layout and every hk.mma an atom"; }

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) {
      for (Type type : op->getResultTypes())
        if (lacksLayout(type))
          return op->emitOpError() << "has no layout for " << type, WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (lacksLayout(argument.getType()))
              return op->emitOpError() << "carries " << argument.getType() << " without a layout",
                     WalkResult::interrupt();
      if (auto mma = dyn_cast<hk::MmaOp>(op); mma && !mma.getAtom())
        return op->emitOpError("names no matrix instruction"), WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

struct VerifyLanes : PassWrapper<VerifyLanes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyLanes)
  StringRef getArgument() const final { return "hk-verify-lanes"; }
  StringRef getDescription() const final { return "Check that no hk operation and no hk type is left"; }

  // Every value is a result or a block argument, so operands need no look.
  void runOnOperation() override {
    const Dialect *hk = getContext().getLoadedDialect<hk::HkDialect>();
    auto isHk = [hk](Type type) { return &type.getDialect() == hk; };
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (op->getDialect() == hk)
        return op->emitOpError("is left after the tiles were lowered"), WalkResult::interrupt();
      if (llvm::any_of(op->getResultTypes(), isHk))
        return op->emitOpError("still makes a tile after they were lowered"), WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (llvm::any_of(block.getArgumentTypes(), isHk))
            return op->emitOpError("still takes tiles or tensors after they were lowered"), WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createVerifyTileLayouts() { return std::make_unique<VerifyTileLayouts>(); }
std::unique_ptr<Pass> createVerifyLanes() { return std::make_unique<VerifyLanes>(); }

} // namespace wavewright::passes
