//===- passes/order_values.cpp - element after element, not operation after operation -------------===//
//
// Lowering a tile expression gives all of its first operation, then all of its second:
//
//     %a0 = arith.mulf ...  %a1 = arith.mulf ...        %a0 = arith.mulf ...  %b0 = arith.addf %a0, ...
//     %b0 = arith.addf %a0  %b1 = arith.addf %a1   ->   %a1 = arith.mulf ...  %b1 = arith.addf %a1, ...
//
// and every intermediate tile is live at once. LLVM's scheduler does not undo that in a block of thousands of
// instructions, and spills. Here each run of arithmetic between two other operations is put in the depth-first order
// of its results; nothing moves past a load, a store or a matrix instruction.
//
//===----------------------------------------------------------------------------------------------===//

#include "wavewright/passes/tile_passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace wavewright::passes {

namespace {

bool isArithmetic(Operation &op) {
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         isa<arith::ArithDialect, math::MathDialect, vector::VectorDialect>(op.getDialect());
}

/// Puts the operations of one run, all in one block, before `end`.
void orderRun(ArrayRef<Operation *> run, Operation *end) {
  llvm::SmallDenseSet<Operation *, 32> waiting(run.begin(), run.end());
  auto leaves = [&](Operation *op) {
    return op->use_empty() || llvm::any_of(op->getUsers(), [&](Operation *user) { return !waiting.contains(user); });
  };
  SmallVector<Operation *> results = llvm::filter_to_vector(run, leaves);
  SmallVector<Operation *> stack;
  for (Operation *result : results) {
    stack.push_back(result);
    while (!stack.empty()) {
      Operation *op = stack.back();
      size_t before = stack.size();
      if (waiting.contains(op))
        for (Value operand : llvm::reverse(op->getOperands()))
          if (Operation *source = operand.getDefiningOp(); source && waiting.contains(source))
            stack.push_back(source);
      if (stack.size() > before)
        continue;
      stack.pop_back();
      if (waiting.erase(op))
        op->moveBefore(end);
    }
  }
}

class OrderValues : public PassWrapper<OrderValues, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderValues)
  StringRef getArgument() const override { return "order-values"; }
  StringRef getDescription() const override { return "arithmetic in depth-first order, element after element"; }

  void runOnOperation() override {
    getOperation().walk([](Block *block) {
      SmallVector<Operation *> run;
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        if (isArithmetic(op)) {
          run.push_back(&op);
          continue;
        }
        if (run.size() > 1)
          orderRun(run, &op);
        run.clear();
      }
    });
  }
};

} // namespace

std::unique_ptr<Pass> createOrderValues() { return std::make_unique<OrderValues>(); }

} // namespace wavewright::passes
