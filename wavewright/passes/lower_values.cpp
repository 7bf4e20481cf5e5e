//===- passes/lower_values.cpp - what stays inside a lane -----------------------------------------===//
#include "wavewright/passes/tile_lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace wavewright::passes {

/// 16-bit floats: these have no instruction of their own width that rounds once, so they are computed in f32 and
/// rounded at the end.
static bool computesInF32(Operation &op) {
  Type element = hk::elementTypeOf(op.getResult(0).getType());
  if (!element.isF16() && !element.isBF16())
    return false;
  return isa<math::MathDialect>(op.getDialect()) || isa<arith::DivFOp, arith::RemFOp>(op);
}

LogicalResult TileLowering::lowerElementwise(Operation &op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) || op.getNumResults() != 1)
    return op.emitOpError("does not work on tiles element by element");
  HeldTile result(op.getResult(0).getType());
  bool inF32 = computesInF32(op);
  Type f32 = lanes->b.getF32Type();

  Values made;
  for (int64_t i = 0; i < result.values(); ++i) {
    IRMapping mapping;
    for (Value operand : op.getOperands()) {
      ArrayRef<Value> parts = held(operand);
      if (int64_t(parts.size()) != result.values())
        return op.emitOpError() << "operands are held differently: " << operand.getType() << " and "
                                << op.getResult(0).getType();
      Value part = parts[i];
      bool isFloat = isa<FloatType>(hk::elementTypeOf(operand.getType()));
      mapping.map(operand, inF32 && isFloat ? lanes->convert(part, f32) : part);
    }
    Operation *clone = lanes->b.clone(op, mapping);
    clone->getResult(0).setType(result.valueType(inF32 ? f32 : result.element));
    made.push_back(inF32 ? lanes->convert(clone->getResult(0), result.element) : clone->getResult(0));
  }
  bind(op.getResult(0), std::move(made));
  return success();
}

LogicalResult TileLowering::lower(hk::SplatOp op) {
  HeldTile tile(op.getResult().getType());
  Value scalar = single(op.getValue()), one = scalar;
  if (!tile.isVector) {
    auto type = cast<VectorType>(tile.valueType());
    Attribute number;
    if (matchPattern(scalar, m_Constant(&number)))
      one = lanes->scalar(DenseElementsAttr::get(type, number));
    else
      one = vector::BroadcastOp::create(lanes->b, lanes->loc, type, scalar);
  }
  bind(op, Values(tile.values(), one));
  return success();
}

LogicalResult TileLowering::lower(hk::IotaOp op) {
  HeldTile tile(op.getResult().getType());
  // A vector's one coordinate lies along its columns, whichever axis it has.
  unsigned coordinate = tile.isVector || op.getAxis() == hk::Axis::Row ? 1 : 0;
  Value lane = lanes->mapLane(coordinate ? tile.laneCols : tile.laneRows);

  Values made;
  for (int64_t i = 0; i < tile.values(); ++i) {
    SmallVector<int32_t> numbers;
    for (int64_t e = 0; e < tile.pack; ++e)
      numbers.push_back(tile.at(i * tile.pack + e)[coordinate]);
    if (tile.isVector) {
      made.push_back(lanes->add(lane, lanes->i32(numbers.front())));
      continue;
    }
    auto type = cast<VectorType>(tile.valueType());
    Value base = vector::BroadcastOp::create(lanes->b, lanes->loc, type, lane);
    if (llvm::all_of(numbers, [](int32_t number) { return number == 0; }))
      made.push_back(base);
    else
      made.push_back(arith::AddIOp::create(lanes->b, lanes->loc, base,
                                           lanes->scalar(DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)))));
  }
  bind(op, std::move(made));
  return success();
}

LogicalResult TileLowering::lower(hk::CastOp op) {
  bind(op, lanes->convert(held(op.getValue()), hk::elementTypeOf(op.getResult().getType())));
  return success();
}

LogicalResult TileLowering::lower(hk::SelectOp op) {
  Values made;
  for (auto [mask, onTrue, onFalse] : llvm::zip_equal(held(op.getMask()), held(op.getOnTrue()), held(op.getOnFalse())))
    made.push_back(arith::SelectOp::create(lanes->b, lanes->loc, mask, onTrue, onFalse));
  bind(op, std::move(made));
  return success();
}

LogicalResult TileLowering::lower(hk::BroadcastOp op) {
  HeldTile tile(op.getResult().getType()), vector(op.getVector().getType());
  unsigned coordinate = op.getVector().getType().getAxis() == hk::Axis::Col ? 0 : 1;
  llvm::DenseMap<int64_t, Value> at;
  for (auto [n, value] : llvm::enumerate(held(op.getVector())))
    at[vector.at(n)[1]] = value;

  // Blocks that differ along the other axis only are the same vectors.
  std::map<std::vector<int64_t>, Value> known;
  Values made;
  for (int64_t i = 0; i < tile.values(); ++i) {
    std::vector<int64_t> places;
    for (int64_t e = 0; e < tile.pack; ++e)
      places.push_back(tile.at(i * tile.pack + e)[coordinate]);
    Value &pack = known[places];
    if (!pack) {
      Values elements;
      for (int64_t place : places) {
        Value element = at.lookup(place);
        if (!element)
          return op.emitOpError() << op.getVector().getType() << " is not held as " << tile.layout << " needs it";
        elements.push_back(element);
      }
      pack = lanes->packOf(elements);
    }
    made.push_back(pack);
  }
  bind(op, std::move(made));
  return success();
}

} // namespace wavewright::passes
