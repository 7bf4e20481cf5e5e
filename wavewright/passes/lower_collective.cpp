//===- passes/lower_collective.cpp - reductions across slots, lanes and waves ---------------------===//
//
// Every reduction has one order: a lane's elements by place, then lanes by rising bit, then waves by number.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/passes/tile_lowering.h"

#include "wavewright/ir/rocke.h"
#include "wavewright/passes/memory_layouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace wavewright::passes {

/// The type that a reduction of `element` is computed in: 16-bit floats and narrow integers round or wrap once, at
/// the end.
static Type accumulatorType(Type element) {
  Builder builder(element.getContext());
  if (isa<FloatType>(element))
    return element.getIntOrFloatBitWidth() < 32 ? Type(builder.getF32Type()) : element;
  return element.getIntOrFloatBitWidth() < 32 ? Type(builder.getI32Type()) : element;
}

Value TileLowering::combine(hk::Reduction reduction, Value x, Value y) {
  OpBuilder &b = lanes->b;
  Location loc = lanes->loc;
  if (isa<FloatType>(getElementTypeOrSelf(x.getType())))
    switch (reduction) {
    case hk::Reduction::Add:
      return arith::AddFOp::create(b, loc, x, y);
    case hk::Reduction::Mul:
      return arith::MulFOp::create(b, loc, x, y);
    case hk::Reduction::Max:
      return arith::MaximumFOp::create(b, loc, x, y);
    case hk::Reduction::Min:
      return arith::MinimumFOp::create(b, loc, x, y);
    }
  switch (reduction) {
  case hk::Reduction::Add:
    return arith::AddIOp::create(b, loc, x, y);
  case hk::Reduction::Mul:
    return arith::MulIOp::create(b, loc, x, y);
  case hk::Reduction::Max:
    return arith::MaxSIOp::create(b, loc, x, y);
  case hk::Reduction::Min:
    return arith::MinSIOp::create(b, loc, x, y);
  }
  llvm_unreachable("every reduction is named");
}

/// Wider values go through 32 bits at a time.
Value TileLowering::shuffleXor(Value value, int64_t mask) {
  OpBuilder &b = lanes->b;
  Location loc = lanes->loc;
  Type type = value.getType();
  if (type.getIntOrFloatBitWidth() == 32)
    return rocke::ShuffleXorOp::create(b, loc, type, value, mask);
  auto one = VectorType::get({1}, type), halves = VectorType::get({2}, b.getI32Type());
  Value split = vector::BitCastOp::create(b, loc, halves, lanes->packOf({value}));
  Value moved = lanes->packOf({shuffleXor(lanes->element(split, 0), mask), shuffleXor(lanes->element(split, 1), mask)});
  return lanes->element(vector::BitCastOp::create(b, loc, one, moved), 0);
}

LogicalResult TileLowering::lower(hk::ReduceOp op) {
  HeldTile tile(op.getTile().getType()), result(op.getResult().getType());
  LaneBuilder &l = *lanes;
  bool rowsKept = op.getResult().getType().getAxis() == hk::Axis::Col;
  unsigned kept = rowsKept ? 0 : 1;
  Type type = accumulatorType(tile.element);

  // Whole vectors first: blocks that follow each other along the reduced axis hold the same places of the kept one.
  SmallVector<std::pair<int64_t, Value>> groups; // first element's number of the first block, combined values
  int64_t perBlock = tile.slots / tile.pack, down = tile.rows / tile.blockRows, across = tile.blocksAcross();
  ArrayRef<Value> values = held(op.getTile());
  for (int64_t outer = 0; outer < (rowsKept ? down : across); ++outer)
    for (int64_t v = 0; v < perBlock; ++v) {
      Value sum;
      for (int64_t inner = 0; inner < (rowsKept ? across : down); ++inner) {
        int64_t block = rowsKept ? outer * across + inner : inner * across + outer;
        Value next = l.convert(values[block * perBlock + v], type);
        sum = sum ? combine(op.getReduction(), sum, next) : next;
      }
      int64_t block = rowsKept ? outer * across : outer;
      groups.push_back({(block * perBlock + v) * tile.pack, sum});
    }

  // Then the slots of a lane, by place on the reduced axis within each place of the kept one.
  std::map<int64_t, std::map<int64_t, Value>> byPlace;
  for (auto [first, pack] : groups)
    for (int64_t e = 0; e < tile.pack; ++e) {
      Place place = tile.at(first + e);
      byPlace[place[kept]][place[1 - kept]] = l.element(pack, e);
    }

  ArrayRef<int64_t> keptLanes = rowsKept ? tile.laneRows : tile.laneCols;
  ArrayRef<int64_t> reducedLanes = rowsKept ? tile.laneCols : tile.laneRows;
  std::map<int64_t, Value> reduced;
  for (auto &[place, elements] : byPlace) {
    Value sum;
    for (auto &[other, element] : elements)
      sum = sum ? combine(op.getReduction(), sum, element) : element;
    for (auto [bit, image] : llvm::enumerate(reducedLanes)) {
      if (!image)
        continue;
      if (keptLanes[bit])
        return op.emitOpError() << "lane bit " << bit << " moves along both axes in " << tile.layout;
      sum = combine(op.getReduction(), sum, shuffleXor(sum, int64_t(1) << bit));
    }
    reduced[place] = l.convert(sum, tile.element);
  }

  Values made;
  for (int64_t n = 0; n < result.elements(); ++n) {
    auto found = reduced.find(result.at(n)[1]);
    if (found == reduced.end())
      return op.emitOpError() << op.getResult().getType() << " is not held as the reduction of " << tile.layout;
    made.push_back(found->second);
  }
  bind(op, std::move(made));
  return success();
}

LogicalResult TileLowering::lower(hk::CollectiveOp op) {
  LaneBuilder &l = *lanes;
  int64_t waves = op.getWaves();
  if (waves < 1 || waves > l.waves)
    return op.emitOpError() << "a collective of " << waves << " waves in a kernel of " << l.waves;
  HeldTile tile(op.getValue().getType());
  Type type = accumulatorType(tile.element);
  Values own = l.convert(held(op.getValue()), type);
  if (waves == 1 && l.waves == 1) {
    bind(op, l.convert(own, tile.element));
    return success();
  }

  int64_t bytes = llvm::alignTo(tile.rows * tile.cols * elementBytes(type), 16);
  Value base = scratch("collective", waves * bytes), zero = l.i32(0);
  if (failed(checkLds(op, 0)))
    return failure();
  std::optional<hk::SharedTileType> shape;
  if (!tile.isVector) {
    auto plain = hk::SharedTileType::get(op.getContext(), tile.rows, tile.cols, type, tile.rows, tile.cols, {});
    shape = plain.withLayout(sharedLayoutFor(plain, tile.layout, tile.layout, target));
  }
  auto store = [&](Value offset) {
    if (shape)
      storeShared({base, offset, zero, zero, *shape}, tile, own);
    else
      storeSharedVector(base, offset, tile, own);
  };
  auto load = [&](Value offset) {
    return shape ? loadShared({base, offset, zero, zero, *shape}, tile) : loadSharedVector(base, offset, tile, type);
  };

  {
    OpBuilder::InsertionGuard guard(l.b);
    if (waves < l.waves) {
      auto branch = scf::IfOp::create(l.b, l.loc, l.below(l.waveId(), l.i32(waves)), /*withElseRegion=*/false);
      l.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    store(l.mul(l.waveId(), l.i32(bytes)));
  }
  rocke::BarrierOp::create(l.b, l.loc);
  Values sum = load(zero);
  for (int64_t wave = 1; wave < waves; ++wave)
    for (auto [total, next] : llvm::zip_equal(sum, load(l.i32(wave * bytes))))
      total = combine(op.getReduction(), total, next);
  // The next one may write the same place.
  rocke::BarrierOp::create(l.b, l.loc);
  bind(op, l.convert(sum, tile.element));
  return success();
}

} // namespace wavewright::passes
