//===- passes/lower_tiles.cpp - functions and control flow ----------------------------------------===//
#include "wavewright/passes/tile_lowering.h"
#include "wavewright/passes/tile_passes.h"

#include "wavewright/ir/rocke.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace wavewright::passes {

LogicalResult TileLowering::run() {
  if (!old.getBody().hasOneBlock())
    return old.emitOpError("a kernel is one block of structured control flow");
  if (failed(makeFunction()))
    return failure();
  for (Operation &op : old.getBody().front())
    if (failed(lower(op)))
      return failure();
  old.erase();
  return success();
}

//===----------------------------------------------------------------------------------------------===//
// The function: a tensor becomes its base, extents and strides
//===----------------------------------------------------------------------------------------------===//

static constexpr StringLiteral tensorParts[] = {"",      ".batch",        ".depth",        ".rows",
                                                ".cols", ".batch_stride", ".depth_stride", ".row_stride"};

LogicalResult TileLowering::makeFunction() {
  MLIRContext *context = old.getContext();
  Builder builder(context);
  auto warps = old->getAttrOfType<IntegerAttr>(hk::WarpsAttr);
  int64_t waves = warps ? warps.getInt() : 1;
  if (waves < 1 || waves * target.waveSize > target.maxWorkGroupSize)
    return old.emitOpError() << waves << " waves of " << target.waveSize << " work-items: a work-group of "
                             << target.name << " has at most " << target.maxWorkGroupSize;

  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  SmallVector<Type> partTypes = {LLVM::LLVMPointerType::get(context, 1), i32, i32, i32, i32, i64, i64, i64};
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (auto [number, argument] : llvm::enumerate(old.getArguments())) {
    auto name = old.getArgAttrOfType<StringAttr>(number, "hk.name");
    std::string stem = name ? name.getValue().str() : "arg" + std::to_string(number);
    auto append = [&](Type type, StringRef part) {
      types.push_back(type);
      attributes.push_back(
          builder.getDictionaryAttr(builder.getNamedAttr("rocke.name", builder.getStringAttr(stem + part))));
    };
    if (isa<hk::TensorType>(argument.getType())) {
      for (auto [type, part] : llvm::zip_equal(partTypes, tensorParts))
        append(type, part);
    } else if (argument.getType().isIntOrFloat()) {
      append(argument.getType(), "");
    } else {
      return old.emitOpError() << "argument " << stem << " is neither a tensor nor a number: " << argument.getType();
    }
  }

  OpBuilder module(old);
  auto kernel = func::FuncOp::create(module, old.getLoc(), old.getName(), builder.getFunctionType(types, {}));
  kernel->setAttr(rocke::KernelAttr, builder.getUnitAttr());
  kernel->setAttr(rocke::BlockSizeAttr, builder.getI32IntegerAttr(waves * target.waveSize));
  if (Attribute most = old->getAttr(hk::MaxVgprsAttr))
    kernel->setAttr("rocke.max_vgprs", most);
  if (Attribute least = old->getAttr(hk::MinOccupancyAttr))
    kernel->setAttr("rocke.min_occupancy", least);
  kernel.setAllArgAttrs(attributes);

  Block *entry = kernel.addEntryBlock();
  unsigned next = 0;
  auto take = [&] { return Value(entry->getArgument(next++)); };
  for (BlockArgument argument : old.getArguments()) {
    entry->getArgument(next).setLoc(argument.getLoc());
    if (auto tensor = dyn_cast<hk::TensorType>(argument.getType())) {
      TensorParts &parts = tensors[argument];
      parts.type = tensor;
      for (Value *part : {&parts.base, &parts.batch, &parts.depth, &parts.rows, &parts.cols, &parts.batchStride,
                          &parts.depthStride, &parts.rowStride})
        *part = take();
    } else {
      bind(argument, {take()});
    }
  }
  lanes = std::make_unique<LaneBuilder>(kernel, target, waves);
  return success();
}

//===----------------------------------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------------------------------===//

LogicalResult TileLowering::lower(Operation &op) {
  lanes->loc = op.getLoc();
  for (Type type : op.getResultTypes())
    if (isa<hk::RegisterTileType, hk::RegisterVectorType>(type)) {
      if (!hk::layoutOf(type))
        return op.emitOpError() << "has no layout for " << type << "; run the pass that assigns layouts first";
      if (!HeldTile(type).isSeparable())
        return op.emitOpError() << "a lane's and a slot's part of a place share bits in " << type;
    }

  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<hk::BlockIdOp>([&](hk::BlockIdOp id) {
        auto dim = static_cast<rocke::Dim>(id.getDim());
        bind(id, {rocke::BlockIdOp::create(lanes->b, lanes->loc, lanes->b.getI32Type(), dim)});
        return success();
      })
      .Case<hk::WarpIdOp>([&](hk::WarpIdOp id) { return bind(id, {lanes->waveId()}), success(); })
      .Case<hk::LaneIdOp>([&](hk::LaneIdOp id) { return bind(id, {lanes->laneId()}), success(); })
      .Case<hk::ExtentOp>([&](hk::ExtentOp extent) {
        const TensorParts &parts = tensors.find(extent.getTensor())->second;
        Value extents[] = {parts.batch, parts.depth, parts.rows, parts.cols};
        bind(extent, {extents[static_cast<unsigned>(extent.getExtent())]});
        return success();
      })
      .Case<hk::BarrierOp>([&](hk::BarrierOp) {
        rocke::BarrierOp::create(lanes->b, lanes->loc);
        return success();
      })
      .Case<hk::LoadOp, hk::StoreOp, hk::LdsAllocOp, hk::LdsSubOp, hk::LdsLoadOp, hk::LdsStoreOp, hk::GroupLoadOp,
            hk::GroupStoreOp, hk::SplatOp, hk::IotaOp, hk::CastOp, hk::SelectOp, hk::BroadcastOp, hk::ReduceOp,
            hk::CollectiveOp, hk::MmaOp, hk::ConvertLayoutOp>([&](auto typed) { return lower(typed); })
      .Case<scf::ForOp>([&](scf::ForOp loop) { return lowerLoop(loop); })
      .Case<scf::WhileOp>([&](scf::WhileOp loop) { return lowerWhile(loop); })
      .Case<scf::IfOp>([&](scf::IfOp branch) { return lowerIf(branch); })
      .Case<scf::YieldOp>([&](scf::YieldOp yield) {
        scf::YieldOp::create(lanes->b, lanes->loc, expanded(yield.getOperands()));
        return success();
      })
      .Case<scf::ConditionOp>([&](scf::ConditionOp condition) {
        scf::ConditionOp::create(lanes->b, lanes->loc, single(condition.getCondition()), expanded(condition.getArgs()));
        return success();
      })
      .Case<func::ReturnOp>([&](func::ReturnOp) {
        func::ReturnOp::create(lanes->b, lanes->loc);
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (other->getNumRegions())
          return other->emitOpError("is control flow that tiles cannot pass through; use scf.for, scf.while or scf.if");
        auto isTile = [](Type type) { return isa<hk::RegisterTileType, hk::RegisterVectorType>(type); };
        if (llvm::any_of(other->getOperandTypes(), isTile) || llvm::any_of(other->getResultTypes(), isTile))
          return lowerElementwise(*other);
        return cloneScalar(*other);
      });
}

LogicalResult TileLowering::cloneScalar(Operation &op) {
  if (isa_and_nonnull<hk::HkDialect>(op.getDialect()))
    return op.emitOpError("has no lowering to lanes");
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()); number && constant.getType().isInteger(32)) {
      bind(constant, {lanes->i32(number.getInt())});
      return success();
    }
  IRMapping mapping;
  for (Value operand : op.getOperands())
    mapping.map(operand, single(operand));
  Operation *clone = lanes->b.clone(op, mapping);
  bindResults(&op, clone);
  return success();
}

Values TileLowering::expanded(ValueRange from) {
  Values result;
  for (Value value : from)
    llvm::append_range(result, held(value));
  return result;
}

/// The values of `list` from `next` on that stand for something of `type`.
static Values takeFor(Type type, ValueRange list, unsigned &next) {
  SmallVector<Type> types;
  expandType(type, types);
  Values taken = llvm::to_vector(list.slice(next, types.size()));
  next += types.size();
  return taken;
}

void TileLowering::bindResults(Operation *from, Operation *to) {
  unsigned next = 0;
  for (Value result : from->getResults())
    bind(result, takeFor(result.getType(), to->getResults(), next));
}

void TileLowering::bindArguments(Block &from, Block &to) {
  unsigned next = 0;
  for (Value argument : from.getArguments())
    bind(argument, takeFor(argument.getType(), to.getArguments(), next));
}

static SmallVector<Type> expandedTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    expandType(type, result);
  return result;
}

LogicalResult TileLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (failed(lower(op)))
      return failure();
  return success();
}

static LogicalResult refuseHandles(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (isa<hk::SharedTileType, hk::TensorType>(type))
      return op->emitOpError() << "carries " << type << "; shared tiles and tensors are chosen outside of control flow";
  return success();
}

LogicalResult TileLowering::lowerLoop(scf::ForOp op) {
  if (failed(refuseHandles(op)))
    return failure();
  OpBuilder::InsertionGuard guard(lanes->b);
  auto loop = scf::ForOp::create(lanes->b, lanes->loc, single(op.getLowerBound()), single(op.getUpperBound()),
                                 single(op.getStep()), expanded(op.getInitArgs()));
  Block *body = loop.getBody();
  body->clear();
  bindArguments(*op.getBody(), *body);
  lanes->b.setInsertionPointToEnd(body);
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  bindResults(op, loop);
  return success();
}

LogicalResult TileLowering::lowerWhile(scf::WhileOp op) {
  if (failed(refuseHandles(op)))
    return failure();
  OpBuilder::InsertionGuard guard(lanes->b);
  auto loop = scf::WhileOp::create(lanes->b, lanes->loc, expandedTypes(op.getResultTypes()), expanded(op.getInits()));
  auto fill = [&](Block &from, Region &region) -> LogicalResult {
    SmallVector<Type> types = expandedTypes(from.getArgumentTypes());
    Block *to = lanes->b.createBlock(&region, {}, types, SmallVector<Location>(types.size(), op.getLoc()));
    bindArguments(from, *to);
    lanes->b.setInsertionPointToEnd(to);
    return lowerBlock(from);
  };
  if (failed(fill(*op.getBeforeBody(), loop.getBefore())) || failed(fill(*op.getAfterBody(), loop.getAfter())))
    return failure();
  bindResults(op, loop);
  return success();
}

LogicalResult TileLowering::lowerIf(scf::IfOp op) {
  OpBuilder::InsertionGuard guard(lanes->b);
  bool hasElse = !op.getElseRegion().empty();
  auto branch =
      scf::IfOp::create(lanes->b, lanes->loc, expandedTypes(op.getResultTypes()), single(op.getCondition()), hasElse);
  auto fill = [&](Block &from, Block &to) -> LogicalResult {
    to.clear();
    lanes->b.setInsertionPointToEnd(&to);
    return lowerBlock(from);
  };
  if (failed(fill(*op.thenBlock(), *branch.thenBlock())) ||
      (hasElse && failed(fill(*op.elseBlock(), *branch.elseBlock()))))
    return failure();
  bindResults(op, branch);
  return success();
}

//===----------------------------------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------------------------------===//
namespace {

struct LowerTiles : PassWrapper<LowerTiles, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTiles)
  StringRef getArgument() const final { return "hk-lower-tiles-only"; }
  StringRef getDescription() const final { return "Turn tiles into what a lane holds of them"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect,
                    rocke::RockeDialect>();
  }

  void runOnOperation() override {
    FailureOr<const Target *> target = rocke::targetOf(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (kernel->hasAttr(hk::KernelAttr) && failed(TileLowering(kernel, **target).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createLowerTiles() { return std::make_unique<LowerTiles>(); }

} // namespace wavewright::passes
