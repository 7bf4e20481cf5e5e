//===- passes/assign_layouts.cpp ------------------------------------------------------------------===//
#include "wavewright/passes/tile_passes.h"

#include "wavewright/ir/hk.h"
#include "wavewright/ir/rocke.h"
#include "wavewright/passes/memory_layouts.h"
#include "wavewright/passes/mma_plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;

namespace wavewright::passes {
namespace {

using layout::MatrixOperand;

bool isRegister(Type type) { return isa<hk::RegisterTileType, hk::RegisterVectorType>(type); }

/// How strong a claim to a component's layout is; the strongest and first one wins.
enum class Claim : uint8_t { None, Memory, Fragment, Accumulator };

/// The values that must be held alike. `width` is the widest access to memory among them.
struct Component {
  Claim claim = Claim::None;
  hk::LayoutAttr layout;
  int64_t width = 0;
};

class LayoutAssigner {
public:
  LayoutAssigner(func::FuncOp kernel, const Target &target)
      : kernel(kernel), target(target), context(kernel.getContext()) {}

  LogicalResult run() {
    rematerialise();
    number();
    joinWhatMeets();
    if (failed(planMatrixOps()))
      return failure();
    layOutTiles();
    layOutVectors();
    writeTypes();
    convertWhereTheyDiffer();
    return layOutSharedTiles();
  }

private:
  //===--------------------------------------------------------------------------------------------===//
  // Components
  //===--------------------------------------------------------------------------------------------===//

  /// What moves no data is made anew for each use, so that it ties no two components together.
  void rematerialise() {
    SmallVector<Operation *> cheap;
    kernel.walk([&](Operation *op) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && isRegister(constant.getType())) {
        OpBuilder builder(op);
        auto splat = cast<DenseElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>();
        Value scalar = arith::ConstantOp::create(builder, op->getLoc(), splat);
        auto tile = hk::SplatOp::create(builder, op->getLoc(), constant.getType(), scalar);
        constant.replaceAllUsesWith(tile.getResult());
        constant.erase();
        cheap.push_back(tile);
      } else if (isa<hk::SplatOp, hk::IotaOp, hk::BroadcastOp>(op)) {
        cheap.push_back(op);
      }
    });
    for (Operation *op : cheap) {
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
        use.set(builder.clone(*op)->getResult(0));
    }
  }

  void number() {
    auto add = [&](Value value) {
      if (isRegister(value.getType()))
        index.insert({value, unsigned(index.size())});
    };
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      llvm::for_each(op->getResults(), add);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), add);
    });
    parent.resize(index.size());
    std::iota(parent.begin(), parent.end(), 0u);
    components.resize(index.size());
  }

  unsigned find(unsigned element) {
    while (parent[element] != element)
      element = parent[element] = parent[parent[element]];
    return element;
  }
  Component &componentOf(Value value) { return components[find(index.lookup(value))]; }

  /// The lower number becomes the root, which keeps the outcome independent of the order of joins.
  void join(Value a, Value b) {
    if (!isRegister(a.getType()) || !isRegister(b.getType()))
      return;
    unsigned x = find(index.lookup(a)), y = find(index.lookup(b));
    parent[std::max(x, y)] = std::min(x, y);
  }
  void joinAll(ValueRange a, ValueRange b) {
    for (auto [x, y] : llvm::zip_equal(a, b))
      join(x, y);
  }

  void joinWhatMeets() {
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        joinAll(loop.getInitArgs(), loop.getResults());
        joinAll(loop.getRegionIterArgs(), loop.getResults());
        joinAll(loop.getBody()->getTerminator()->getOperands(), loop.getResults());
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
          if (!region->empty() && branch.getNumResults())
            joinAll(region->front().getTerminator()->getOperands(), branch.getResults());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        joinAll(loop.getInits(), loop.getBeforeArguments());
        joinAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
        joinAll(loop.getConditionOp().getArgs(), loop.getResults());
        joinAll(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
      } else if (auto mma = dyn_cast<hk::MmaOp>(op)) {
        join(mma.getAcc(), mma.getResult());
      } else if (!isa<hk::ReduceOp, hk::BroadcastOp, hk::ConvertLayoutOp>(op) && op->getNumResults() == 1 &&
                 op->getNumRegions() == 0) {
        for (Value operand : op->getOperands())
          join(operand, op->getResult(0));
      }
    });
  }

  //===--------------------------------------------------------------------------------------------===//
  // Layouts of components
  //===--------------------------------------------------------------------------------------------===//

  void claim(Value value, Claim strength, hk::LayoutAttr layout) {
    Component &component = componentOf(value);
    if (strength > component.claim) {
      component.claim = strength;
      component.layout = layout;
    }
  }

  LogicalResult planMatrixOps() {
    WalkResult result = kernel.walk([&](hk::MmaOp op) {
      FailureOr<MmaPlan> plan = chooseMmaPlan(op, target);
      if (failed(plan))
        return WalkResult::interrupt();
      Builder builder(context);
      op.setAtom(StringRef(plan->atom->name));
      op.setKBlock(plan->kBlock);
      op.setKWidth(plan->kWidth);
      claim(op.getAcc(), Claim::Accumulator, operandAttr(context, *plan, MatrixOperand::C, false));
      for (auto [operand, value] : fragments(op))
        if (isRegister(value->get().getType()))
          claim(value->get(), Claim::Fragment, fragmentLayout(op, operand));
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static SmallVector<std::pair<MatrixOperand, OpOperand *>, 2> fragments(hk::MmaOp op) {
    return {{MatrixOperand::A, &op.getAMutable()}, {MatrixOperand::B, &op.getBMutable()}};
  }
  hk::LayoutAttr fragmentLayout(hk::MmaOp op, MatrixOperand operand) {
    return operandAttr(context, *mmaPlanOf(op, target), operand, kAlongRows(op, operand));
  }

  void noteAccessWidths() {
    auto note = [&](Value value, hk::TensorType tensor) {
      Component &component = componentOf(value);
      component.width = std::max(component.width, widestAccess(tensor));
    };
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<hk::LoadOp>(op))
        note(load.getResult(), load.getTensor().getType());
      else if (auto store = dyn_cast<hk::StoreOp>(op))
        note(store.getValue(), store.getTensor().getType());
    });
  }

  void layOutTiles() {
    noteAccessWidths();
    for (auto &[value, number] : index) {
      Component &component = componentOf(value);
      auto tile = dyn_cast<hk::RegisterTileType>(value.getType());
      if (!tile || component.layout)
        continue;
      int64_t width = component.width ? component.width : 4;
      component.claim = Claim::Memory;
      component.layout = memoryTileLayout(context, tile.getRows(), tile.getCols(), width, target.waveSize);
    }
  }

  /// A vector follows the tiles that it is reduced from and spread over; the strongest of them is asked.
  void layOutVectors() {
    auto follow = [&](Value tile, TypedValue<hk::RegisterVectorType> vector) {
      Component &of = componentOf(tile);
      claim(vector, of.claim, hk::vectorLayout(of.layout, vector.getType().getAxis()));
    };
    kernel.walk([&](Operation *op) {
      if (auto reduce = dyn_cast<hk::ReduceOp>(op))
        follow(reduce.getTile(), reduce.getResult());
      else if (auto broadcast = dyn_cast<hk::BroadcastOp>(op))
        follow(broadcast.getResult(), broadcast.getVector());
    });
    for (auto &[value, number] : index) {
      Component &component = componentOf(value);
      auto vector = dyn_cast<hk::RegisterVectorType>(value.getType());
      if (!vector || component.layout)
        continue;
      int64_t width = component.width ? component.width : 1;
      component.layout = memoryVectorLayout(context, vector.getLength(), width, target.waveSize);
    }
  }

  void writeTypes() {
    for (auto &[value, number] : index)
      Value(value).setType(hk::withLayout(value.getType(), componentOf(value).layout));
  }

  //===--------------------------------------------------------------------------------------------===//
  // Where layouts meet
  //===--------------------------------------------------------------------------------------------===//

  Value converted(OpBuilder &builder, Location loc, Value value, hk::LayoutAttr layout) {
    if (hk::layoutOf(value.getType()) == layout)
      return value;
    return hk::ConvertLayoutOp::create(builder, loc, hk::withLayout(value.getType(), layout), value);
  }
  void convertOperand(OpOperand &operand, hk::LayoutAttr layout) {
    OpBuilder builder(operand.getOwner());
    operand.set(converted(builder, operand.getOwner()->getLoc(), operand.get(), layout));
  }
  /// The operation makes `layout`; its users want what they wanted.
  void convertResult(OpResult result, hk::LayoutAttr layout) {
    hk::LayoutAttr wanted = hk::layoutOf(result.getType());
    if (wanted == layout)
      return;
    result.setType(hk::withLayout(result.getType(), layout));
    OpBuilder builder(result.getOwner());
    builder.setInsertionPointAfter(result.getOwner());
    Value after = converted(builder, result.getOwner()->getLoc(), result, wanted);
    result.replaceAllUsesExcept(after, after.getDefiningOp());
  }

  void convertWhereTheyDiffer() {
    kernel.walk([&](Operation *op) {
      if (auto mma = dyn_cast<hk::MmaOp>(op)) {
        for (auto [operand, use] : fragments(mma))
          if (isRegister(use->get().getType()))
            convertOperand(*use, fragmentLayout(mma, operand));
        hk::LayoutAttr acc = operandAttr(context, *mmaPlanOf(mma, target), MatrixOperand::C, false);
        convertOperand(mma.getAccMutable(), acc);
        convertResult(cast<OpResult>(mma.getResult()), acc);
      } else if (auto reduce = dyn_cast<hk::ReduceOp>(op)) {
        hk::Axis axis = reduce.getResult().getType().getAxis();
        convertResult(cast<OpResult>(reduce.getResult()),
                      hk::vectorLayout(reduce.getTile().getType().getLayout(), axis));
      } else if (auto broadcast = dyn_cast<hk::BroadcastOp>(op)) {
        hk::Axis axis = broadcast.getVector().getType().getAxis();
        convertOperand(broadcast.getVectorMutable(),
                       hk::vectorLayout(broadcast.getResult().getType().getLayout(), axis));
      }
    });
  }

  //===--------------------------------------------------------------------------------------------===//
  // Shared tiles
  //===--------------------------------------------------------------------------------------------===//

  struct SharedUses {
    SmallVector<Value> windows; ///< the tile and every window of it
    hk::LayoutAttr store, load;
    bool loadIsFragment = false;
  };

  void collect(Value tile, SharedUses &uses) {
    uses.windows.push_back(tile);
    for (OpOperand &use : tile.getUses()) {
      Operation *op = use.getOwner();
      if (auto window = dyn_cast<hk::LdsSubOp>(op)) {
        collect(window.getResult(), uses);
      } else if (auto load = dyn_cast<hk::GroupLoadOp>(op)) {
        uses.store = copyLayout(load.getTarget().getType(), target.waveSize);
      } else if (auto store = dyn_cast<hk::LdsStoreOp>(op)) {
        if (!uses.store)
          uses.store = store.getValue().getType().getLayout();
      } else if (auto mma = dyn_cast<hk::MmaOp>(op)) {
        MatrixOperand operand = &use == &mma.getAMutable() ? MatrixOperand::A : MatrixOperand::B;
        if (!uses.loadIsFragment)
          uses.load = fragmentLayout(mma, operand);
        uses.loadIsFragment = true;
      } else if (auto load = dyn_cast<hk::LdsLoadOp>(op)) {
        if (!uses.load)
          uses.load = load.getResult().getType().getLayout();
      } else if (auto store = dyn_cast<hk::GroupStoreOp>(op)) {
        if (!uses.load)
          uses.load = copyLayout(store.getSource().getType(), target.waveSize);
      }
    }
  }

  /// A layout that reaches beyond one panel says nothing of bank conflicts inside it.
  hk::LayoutAttr insidePanel(hk::LayoutAttr layout, hk::SharedTileType tile) {
    bool fits = layout && layout.getBlock()[1] <= panelColumns(tile) &&
                layout.getBlock()[0] <= int64_t(llvm::PowerOf2Ceil(tile.getParentRows()));
    return fits ? layout : copyLayout(tile, target.waveSize);
  }

  LogicalResult layOutSharedTiles() {
    WalkResult result = kernel.walk([&](hk::LdsAllocOp alloc) {
      hk::SharedTileType tile = alloc.getResult().getType();
      if (elementBytes(tile.getElementType()) == 0)
        return alloc.emitOpError() << "LDS holds no " << tile.getElementType() << "; take i8 for a mask",
               WalkResult::interrupt();
      SharedUses uses;
      collect(alloc.getResult(), uses);
      hk::SharedLayoutAttr layout =
          sharedLayoutFor(tile, insidePanel(uses.store, tile), insidePanel(uses.load, tile), target);
      for (Value window : uses.windows)
        window.setType(cast<hk::SharedTileType>(window.getType()).withLayout(layout));
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  func::FuncOp kernel;
  const Target &target;
  MLIRContext *context;
  llvm::MapVector<Value, unsigned> index;
  SmallVector<unsigned> parent;
  SmallVector<Component> components;
};

struct AssignLayouts : PassWrapper<AssignLayouts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignLayouts)
  StringRef getArgument() const final { return "hk-assign-layouts"; }
  StringRef getDescription() const final { return "Decide who holds which element of every tile"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, hk::HkDialect>();
  }

  void runOnOperation() override {
    FailureOr<const Target *> target = rocke::targetOf(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(hk::KernelAttr) && failed(LayoutAssigner(kernel, **target).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createAssignLayouts() { return std::make_unique<AssignLayouts>(); }

} // namespace wavewright::passes
