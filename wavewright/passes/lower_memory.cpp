//===- passes/lower_memory.cpp - tiles of tensors -------------------------------------------------===//
//
// A tile is reached through a buffer resource that begins at its first element, so batch, depth, row and column
// advance in 64 bits and what a lane adds is 32 bits wide. The resource ends with the slice; a row's end is checked
// by comparing. A lane whose element lies outside takes `outside` as its offset: it is past the end of every resource,
// and adding an instruction's constants to it does not wrap. That asks two things of the launcher: a tile spans less
// than 2 GiB (rows times the pitch), and strides are not negative.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/passes/tile_lowering.h"

#include "wavewright/ir/rocke.h"
#include "wavewright/passes/memory_layouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace wavewright::passes {

static constexpr int64_t outside = int64_t(1) << 31;
static constexpr int64_t mostBytes = outside - 1;

/// min(max(bytes, 0), mostBytes) in 32 bits, by its halves: scalar units compare 32 bits at a time.
static Value clampToResource(LaneBuilder &lanes, Value bytes) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), bytes);
  Value high = arith::TruncIOp::create(b, loc, b.getI32Type(), arith::ShRSIOp::create(b, loc, bytes, lanes.i64(32)));
  Value few = arith::MinUIOp::create(b, loc, low, lanes.i32(mostBytes));
  Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, high, lanes.i32(0));
  Value many = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, high, lanes.i32(0));
  return lanes.select(negative, lanes.i32(0), lanes.select(many, lanes.i32(mostBytes), few));
}

TileWindow TileLowering::openWindow(Value tensor, ValueRange coordinates, hk::CoordUnit unit, int64_t rows,
                                    int64_t cols) {
  LaneBuilder &l = *lanes;
  const TensorParts &parts = tensors.find(tensor)->second;
  TileWindow window;
  window.tensor = &parts;
  window.element = parts.type.getElementType();
  window.bytes = elementBytes(window.element);

  Value batch = coordinates[0], depth = coordinates[1];
  window.row = coordinates[2];
  window.col = coordinates[3];
  if (unit == hk::CoordUnit::Tiles) {
    window.row = l.mul(window.row, l.i32(rows));
    window.col = l.mul(window.col, l.i32(cols));
  }

  Value size = l.i64(window.bytes);
  auto wide = [&](Value value) { return l.widen(value, /*isSigned=*/true); };
  Value start = l.add(l.mul(wide(window.row), parts.rowStride), wide(window.col));
  Value end = l.add(l.mul(wide(l.sub(parts.rows, l.i32(1))), parts.rowStride), wide(parts.cols));
  Value slice = l.add(l.mul(wide(batch), parts.batchStride), l.mul(wide(depth), parts.depthStride));

  auto pointer = LLVM::LLVMPointerType::get(l.b.getContext(), 1);
  Value first = LLVM::GEPOp::create(l.b, l.loc, pointer, l.b.getI8Type(), parts.base,
                                    ArrayRef<LLVM::GEPArg>{l.mul(l.add(slice, start), size)});
  Value exists = l.both(l.below(batch, parts.batch), l.below(depth, parts.depth));
  Value bytes = l.select(exists, clampToResource(l, l.mul(l.sub(end, start), size)), l.i32(0));
  window.resource =
      rocke::BufferResourceOp::create(l.b, l.loc, LLVM::LLVMPointerType::get(l.b.getContext(), 8), first, bytes);
  window.pitch = l.mul(arith::TruncIOp::create(l.b, l.loc, l.b.getI32Type(), parts.rowStride), l.i32(window.bytes));
  return window;
}

std::pair<int64_t, int64_t> TileLowering::safeAndWideWidth(const TileWindow &window, int64_t run) {
  hk::TensorType type = window.tensor->type;
  int64_t wide = std::min(widestAccess(type), run);
  return {std::min({wide, type.getColsMultiple(), LaneBuilder::knownDivisor(window.col)}), wide};
}

Values TileLowering::accessByWidth(const TileWindow &window, int64_t cols, int64_t run, TypeRange types,
                                   llvm::function_ref<Values(int64_t, bool)> access) {
  LaneBuilder &l = *lanes;
  auto [safe, wide] = safeAndWideWidth(window, run);
  if (wide == safe)
    return access(wide, true);

  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) -> Value {
    return arith::CmpIOp::create(l.b, l.loc, predicate, a, b);
  };
  Value inside = l.both(compare(arith::CmpIPredicate::sge, window.col, l.i32(0)),
                        compare(arith::CmpIPredicate::sle, l.add(window.col, l.i32(cols)), window.tensor->cols));
  if (LaneBuilder::knownDivisor(window.col) < wide)
    inside = l.both(inside, compare(arith::CmpIPredicate::eq, l.bitAnd(window.col, l.i32(wide - 1)), l.i32(0)));
  OpBuilder::InsertionGuard guard(l.b);
  auto branch = scf::IfOp::create(l.b, l.loc, types, inside, /*withElseRegion=*/true);
  auto fill = [&](Block *block, int64_t width, bool checkCols) {
    block->clear();
    l.b.setInsertionPointToEnd(block);
    scf::YieldOp::create(l.b, l.loc, access(width, checkCols));
  };
  fill(branch.thenBlock(), wide, false);
  fill(branch.elseBlock(), safe, true);
  return llvm::to_vector_of<Value>(branch.getResults());
}

LaneOffsets::LaneOffsets(LaneBuilder &lanes, const TileWindow &window, Value row, Value col, bool checkCols,
                         Value alsoIf)
    : lanes(lanes), window(window), checkCols(checkCols), alsoIf(alsoIf), laneRow(row), laneCol(col) {
  base = lanes.add(lanes.mul(laneRow, window.pitch), lanes.mul(laneCol, lanes.i32(window.bytes)));
}

std::pair<Value, Value> LaneOffsets::at(Place place) {
  auto [row, col] = place;
  Value sentinel = lanes.i32(static_cast<int32_t>(outside));
  Value &ofRow = rowOffsets[row];
  if (!ofRow) {
    Value valid = inside(laneRow, window.row, row, window.tensor->rows);
    ofRow = lanes.select(lanes.both(valid, alsoIf), base, sentinel);
  }
  Value offset = ofRow;
  if (checkCols) {
    Value &ofPlace = offsets[place];
    if (!ofPlace) {
      Value &valid = colsInside[col];
      if (!valid)
        valid = inside(laneCol, window.col, col, window.tensor->cols);
      ofPlace = lanes.select(valid, ofRow, sentinel);
    }
    offset = ofPlace;
  }
  Value &uniform = uniforms[row];
  if (!uniform)
    uniform = lanes.mul(window.pitch, lanes.i32(row));
  return {lanes.add(offset, lanes.i32(col * window.bytes)), uniform};
}

Value LaneOffsets::inside(Value lane, Value origin, int64_t at, Value extent) {
  return lanes.below(lanes.add(lanes.add(origin, lanes.i32(at)), lane), extent);
}

Type accessType(Type element, int64_t width) { return width == 1 ? element : Type(VectorType::get({width}, element)); }

static LogicalResult checkMemoryType(Operation *op, hk::TensorType tensor) {
  if (elementBytes(tensor.getElementType()))
    return success();
  return op->emitOpError() << "memory holds no " << tensor.getElementType() << "; take i8 for a mask";
}

SmallVector<Value, 4> TileLowering::coordinates(ValueRange given) {
  return llvm::map_to_vector<4>(given, [&](Value value) { return single(value); });
}

bool nothingWritesBetween(Operation *from, Operation *to) {
  if (from->getBlock() != to->getBlock())
    return false;
  for (Operation *op = from->getNextNode(); op != to; op = op->getNextNode()) {
    auto effects = getEffectsRecursively(op);
    if (!effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
          return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
        }))
      return false;
  }
  return true;
}

/// Whether all that the load is for is to be an operand of one matrix product near by.
static bool isFragmentOnly(hk::LoadOp op) {
  if (!op.getResult().hasOneUse())
    return false;
  OpOperand &use = *op.getResult().getUses().begin();
  auto mma = dyn_cast<hk::MmaOp>(use.getOwner());
  return mma && use.get() != mma.getAcc() && nothingWritesBetween(op, mma);
}

LogicalResult TileLowering::lower(hk::LoadOp op) {
  if (failed(checkMemoryType(op, op.getTensor().getType())))
    return failure();
  HeldTile tile(op.getResult().getType());
  TileWindow window =
      openWindow(op.getTensor(), coordinates(op->getOperands().drop_front()), op.getUnit(), tile.rows, tile.cols);
  if (auto [safe, wide] = safeAndWideWidth(window, tile.run); safe == wide && isFragmentOnly(op)) {
    deferred[op.getResult()] = {window, wide};
    return success();
  }
  SmallVector<Type> types(tile.values(), tile.valueType(window.element));
  Values loaded = accessByWidth(window, tile.cols, tile.run, types, [&](int64_t width, bool checkCols) {
    LaneOffsets offsets(*lanes, window, lanes->mapLane(tile.laneRows), lanes->mapLane(tile.laneCols), checkCols);
    Values parts;
    for (int64_t n = 0; n < tile.elements(); n += width) {
      auto [offset, uniform] = offsets.at(tile.at(n));
      parts.push_back(rocke::BufferLoadOp::create(lanes->b, lanes->loc, accessType(window.element, width),
                                                  window.resource, offset, uniform));
    }
    return lanes->repack(parts, tile.pack, tile.isVector);
  });
  bind(op, lanes->convert(loaded, tile.element));
  return success();
}

LogicalResult TileLowering::lower(hk::StoreOp op) {
  if (failed(checkMemoryType(op, op.getTensor().getType())))
    return failure();
  HeldTile tile(op.getValue().getType());
  TileWindow window =
      openWindow(op.getTensor(), coordinates(op->getOperands().drop_front(2)), op.getUnit(), tile.rows, tile.cols);
  Values stored = lanes->convert(held(op.getValue()), window.element);
  accessByWidth(window, tile.cols, tile.run, {}, [&](int64_t width, bool checkCols) {
    LaneOffsets offsets(*lanes, window, lanes->mapLane(tile.laneRows), lanes->mapLane(tile.laneCols), checkCols,
                        lanes->firstOfDuplicates(tile.duplicates));
    Values parts = lanes->repack(stored, width, width == 1);
    for (auto [i, part] : llvm::enumerate(parts)) {
      auto [offset, uniform] = offsets.at(tile.at(i * width));
      rocke::BufferStoreOp::create(lanes->b, lanes->loc, part, window.resource, offset, uniform);
    }
    return Values();
  });
  return success();
}

} // namespace wavewright::passes
