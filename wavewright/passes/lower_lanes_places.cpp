//===- passes/lower_lanes_places.cpp - who am I: group, item, wave, lane --------------------------===//

#include "wavewright/passes/lower_lanes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace wavewright::passes {

static LLVM::ConstantRangeAttr below(OpBuilder &b, int64_t end) {
  return LLVM::ConstantRangeAttr::get(b.getContext(), llvm::APInt(32, 0), llvm::APInt(32, end));
}

/// Work-items of a work-group, or 0 in a function that says nothing of it.
static int64_t blockSize(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto size = function ? function->getAttrOfType<IntegerAttr>(rocke::BlockSizeAttr) : IntegerAttr();
  return size ? size.getInt() : 0;
}

static Value threadX(Operation *op, OpBuilder &b) {
  auto id = ROCDL::ThreadIdXOp::create(b, op->getLoc(), b.getI32Type());
  if (int64_t size = blockSize(op))
    id.setRangeAttr(below(b, size));
  return id;
}

Value laneId(OpBuilder &b, Location loc, const Target &target) {
  Type type = b.getI32Type();
  Value all = i32(b, loc, -1);
  Value lane = intrinsic(b, loc, type, "llvm.amdgcn.mbcnt.lo", {all, i32(b, loc, 0)});
  if (target.waveSize == 64)
    lane = intrinsic(b, loc, type, "llvm.amdgcn.mbcnt.hi", {all, lane});
  auto range = b.getDictionaryAttr(b.getNamedAttr(LLVM::LLVMDialect::getRangeAttrName(), below(b, target.waveSize)));
  lane.getDefiningOp<LLVM::CallIntrinsicOp>().setResAttrsAttr(b.getArrayAttr(range));
  return lane;
}

void addPlaceRules(Lanes &lanes) {
  const Target &target = lanes.target;

  addRule<rocke::BlockIdOp>(lanes, [](rocke::BlockIdOp op, auto, OpBuilder &b) -> FailureOr<Value> {
    static constexpr llvm::StringLiteral names[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                                    "llvm.amdgcn.workgroup.id.z"};
    return intrinsic(b, op.getLoc(), b.getI32Type(), names[unsigned(op.getDim())], {});
  });
  addRule<rocke::ThreadIdOp>(lanes, [](rocke::ThreadIdOp op, auto, OpBuilder &b) -> FailureOr<Value> {
    if (op.getDim() != rocke::Dim::X) // a work-group is one-dimensional
      return i32(b, op.getLoc(), 0);
    return threadX(op, b);
  });
  addRule<rocke::LaneIdOp>(lanes, [&target](rocke::LaneIdOp op, auto, OpBuilder &b) -> FailureOr<Value> {
    return laneId(b, op.getLoc(), target);
  });
  addRule<rocke::WaveIdOp>(lanes, [&target](rocke::WaveIdOp op, auto, OpBuilder &b) -> FailureOr<Value> {
    Location loc = op.getLoc();
    Value shift = i32(b, loc, llvm::Log2_32(target.waveSize));
    Value wave = LLVM::LShrOp::create(b, loc, threadX(op, b), shift);
    return intrinsic(b, loc, b.getI32Type(), "llvm.amdgcn.readfirstlane", wave);
  });
  addRule<rocke::ReadFirstLaneOp>(lanes, [](rocke::ReadFirstLaneOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    return intrinsic(b, op.getLoc(), in.getValue().getType(), "llvm.amdgcn.readfirstlane", in.getValue());
  });
}

} // namespace wavewright::passes
