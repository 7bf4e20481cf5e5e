//===- passes/lower_shared.cpp - tiles in LDS -----------------------------------------------------===//
#include "wavewright/passes/tile_lowering.h"

#include "wavewright/ir/rocke.h"
#include "wavewright/passes/memory_layouts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace wavewright::passes {

/// Only these rows swizzle (#hk.shared), so larger steps are plain constants.
static constexpr int64_t swizzledRows = 16;
/// The widest LDS access.
static constexpr int64_t widestBytes = 16;

//===----------------------------------------------------------------------------------------------===//
// Addresses: row * rowBytes + ((col * elementBytes) ^ swizzle(row)), panel after panel
//===----------------------------------------------------------------------------------------------===//

SharedAddress::SharedAddress(LaneBuilder &lanes, const SharedPlace &place, Value row, Value col, int64_t colBits)
    : lanes(lanes), row(row), col(col) {
  hk::SharedTileType tile = place.type;
  hk::SharedLayoutAttr layout = tile.getLayout();
  elementBytes = passes::elementBytes(tile.getElementType());
  panel = layout.getPanel();
  rowBytes = panel * elementBytes;
  panelBytes = tile.getParentRows() * rowBytes;

  movingBits = colBits * elementBytes;
  for (auto [bit, image] : llvm::enumerate(layout.getRows())) {
    int64_t moved = image ^ (rowBytes << bit);
    assert(moved < rowBytes && (moved == 0 || (int64_t(1) << bit) < swizzledRows) &&
           "a row is swizzled inside itself, by its number modulo 16");
    swizzle.push_back(moved);
    movingBits |= moved;
  }
  while (!swizzle.empty() && swizzle.back() == 0)
    swizzle.pop_back();

  // The window's origin: whole rows and whole panels add, columns inside a panel are XORed.
  plainOrigin = lanes.add(place.offset, lanes.mul(place.row, lanes.i32(rowBytes)));
  plainOrigin = lanes.add(plainOrigin, lanes.mul(lanes.divide(place.col, panel), lanes.i32(panelBytes)));
  colOrigin = lanes.mul(lanes.remainder(place.col, panel), lanes.i32(elementBytes));
  if (LaneBuilder::constantOf(colOrigin) != 0)
    movingBits |= rowBytes - std::min(LaneBuilder::knownDivisor(colOrigin), rowBytes);
}

std::pair<Value, int64_t> SharedAddress::at(Place element) {
  int64_t low = element[0] % swizzledRows, high = element[0] - low;
  int64_t byte = element[1] % panel * elementBytes;
  int64_t moved = byte & movingBits;
  Value &offset = known[{low, moved}];
  if (!offset) {
    Value at = lanes.add(row, lanes.i32(low));
    Value inRow = lanes.exclusiveOr(lanes.mul(col, lanes.i32(elementBytes)), lanes.mapBits(at, swizzle));
    inRow = lanes.exclusiveOr(lanes.exclusiveOr(inRow, colOrigin), lanes.i32(moved));
    offset = lanes.add(plainOrigin, lanes.add(lanes.mul(at, lanes.i32(rowBytes)), inRow));
  }
  return {offset, high * rowBytes + element[1] / panel * panelBytes + byte - moved};
}

SharedAddress addressesOf(LaneBuilder &lanes, const SharedPlace &place, const HeldTile &held) {
  int64_t colBits = 0;
  for (int64_t image : held.laneCols)
    colBits |= image;
  return SharedAddress(lanes, place, lanes.mapLane(held.laneRows), lanes.mapLane(held.laneCols), colBits);
}

//===----------------------------------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------------------------------===//

int64_t sharedAccessWidth(const HeldTile &held, int64_t elementBytes) {
  return std::max<int64_t>(std::min(held.run, widestBytes / elementBytes), 1);
}

Value loadFromLds(LaneBuilder &l, Value base, Value offset, int64_t constant, Type element, int64_t width) {
  return rocke::LdsLoadOp::create(l.b, l.loc, accessType(element, width), base, offset, constant,
                                  width * elementBytes(element));
}

void storeToLds(LaneBuilder &l, Value base, Value offset, int64_t constant, Value value, int64_t bytes) {
  rocke::LdsStoreOp::create(l.b, l.loc, value, base, offset, constant, bytes);
}

Values TileLowering::loadShared(const SharedPlace &place, const HeldTile &held) {
  Type element = place.type.getElementType();
  int64_t width = sharedAccessWidth(held, elementBytes(element));
  SharedAddress address = addressesOf(*lanes, place, held);
  Values parts;
  for (int64_t n = 0; n < held.elements(); n += width) {
    auto [offset, constant] = address.at(held.at(n));
    parts.push_back(loadFromLds(*lanes, place.base, offset, constant, element, width));
  }
  return lanes->repack(parts, held.pack, false);
}

void TileLowering::storeShared(const SharedPlace &place, const HeldTile &held, ArrayRef<Value> stored) {
  int64_t bytes = elementBytes(place.type.getElementType());
  int64_t width = sharedAccessWidth(held, bytes);
  SharedAddress address = addressesOf(*lanes, place, held);
  for (auto [i, part] : llvm::enumerate(lanes->repack(stored, width, width == 1))) {
    auto [offset, constant] = address.at(held.at(i * width));
    storeToLds(*lanes, place.base, offset, constant, part, width * bytes);
  }
}

static Value vectorOffset(LaneBuilder &l, Value offset, const HeldTile &held, int64_t bytes) {
  return l.add(offset, l.mul(l.mapLane(held.laneCols), l.i32(bytes)));
}

Values TileLowering::loadSharedVector(Value base, Value offset, const HeldTile &held, Type memory) {
  int64_t bytes = elementBytes(memory), width = sharedAccessWidth(held, bytes);
  Value lane = vectorOffset(*lanes, offset, held, bytes);
  Values parts;
  for (int64_t n = 0; n < held.elements(); n += width)
    parts.push_back(loadFromLds(*lanes, base, lane, held.at(n)[1] * bytes, memory, width));
  return lanes->repack(parts, 1, true);
}

void TileLowering::storeSharedVector(Value base, Value offset, const HeldTile &held, ArrayRef<Value> stored) {
  int64_t bytes = elementBytes(stored.front().getType()), width = sharedAccessWidth(held, bytes);
  Value lane = vectorOffset(*lanes, offset, held, bytes);
  for (auto [i, part] : llvm::enumerate(lanes->repack(stored, width, width == 1)))
    storeToLds(*lanes, base, lane, held.at(i * width)[1] * bytes, part, width * bytes);
}

Value TileLowering::scratch(StringRef kind, int64_t bytes) {
  Value &known = scratches[kind];
  if (!known) {
    known = lanes->allocateLds(bytes);
  } else {
    auto alloc = known.getDefiningOp<rocke::LdsAllocOp>();
    alloc.setBytes(std::max<int64_t>(alloc.getBytes(), bytes));
  }
  return known;
}

LogicalResult TileLowering::checkLds(Operation *op, int64_t bytes) {
  int64_t before = lanes->ldsBytes();
  if (before + bytes <= target.lds.bytesPerGroup)
    return success();
  InFlightDiagnostic error = op->emitOpError() << "needs " << bytes << " bytes of LDS";
  if (before)
    error << " beside the kernel's other " << before;
  return error << ": a work-group of " << target.name << " has " << target.lds.bytesPerGroup
               << "; take smaller or fewer shared tiles";
}

//===----------------------------------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------------------------------===//

LogicalResult TileLowering::lower(hk::LdsAllocOp op) {
  hk::SharedTileType tile = op.getResult().getType();
  if (!tile.getLayout())
    return op.emitOpError("has no layout; run the pass that assigns layouts first");
  int64_t bytes = tile.getParentRows() * tile.getParentCols() * elementBytes(tile.getElementType());
  if (failed(checkLds(op, bytes)))
    return failure();
  Value zero = lanes->i32(0);
  shared[op.getResult()] = {lanes->allocateLds(bytes), zero, zero, zero, tile};
  return success();
}

LogicalResult TileLowering::lower(hk::LdsSubOp op) {
  SharedPlace place = shared.lookup(op.getSource());
  hk::SharedTileType tile = op.getResult().getType();
  place.row = lanes->mul(single(op.getRow()), lanes->i32(tile.getRows()));
  place.col = lanes->mul(single(op.getCol()), lanes->i32(tile.getCols()));
  place.type = tile;
  shared[op.getResult()] = place;
  return success();
}

LogicalResult TileLowering::lower(hk::LdsLoadOp op) {
  HeldTile tile(op.getResult().getType());
  Values loaded = loadShared(shared.lookup(op.getSource()), tile);
  bind(op, lanes->convert(loaded, tile.element));
  return success();
}

LogicalResult TileLowering::lower(hk::LdsStoreOp op) {
  SharedPlace place = shared.lookup(op.getTarget());
  storeShared(place, HeldTile(op.getValue().getType()),
              lanes->convert(held(op.getValue()), place.type.getElementType()));
  return success();
}

/// For each value of `to` the value and element of `from` that a lane already holds; nothing if a lane lacks one.
static std::optional<SmallVector<int64_t>> renaming(const HeldTile &from, const HeldTile &to) {
  if (from.laneRows != to.laneRows || from.laneCols != to.laneCols)
    return std::nullopt;
  std::map<Place, int64_t> at;
  for (int64_t n = 0; n < from.elements(); ++n)
    at[from.at(n)] = n;
  SmallVector<int64_t> order;
  for (int64_t n = 0; n < to.elements(); ++n) {
    auto found = at.find(to.at(n));
    if (found == at.end())
      return std::nullopt;
    order.push_back(found->second);
  }
  return order;
}

// Data changes lanes through a region of LDS that is the wave's own. LDS serves a wave's accesses in order, so no
// barrier is needed.
LogicalResult TileLowering::lower(hk::ConvertLayoutOp op) {
  HeldTile from(op.getValue().getType()), to(op.getResult().getType());
  LaneBuilder &l = *lanes;
  if (auto order = renaming(from, to)) {
    Values elements = l.repack(held(op.getValue()), 1, true);
    Values ordered = llvm::map_to_vector(*order, [&](int64_t n) { return elements[n]; });
    bind(op, l.repack(ordered, to.pack, to.isVector));
    return success();
  }

  Type memory = from.element.isInteger(1) ? Type(l.b.getI8Type()) : from.element;
  int64_t bytes = llvm::alignTo(from.rows * from.cols * elementBytes(memory), widestBytes);
  // Waves are not in step, so a region must not mean another wave's in another conversion.
  Value base = scratch("convert " + std::to_string(bytes), l.waves * bytes);
  if (failed(checkLds(op, 0)))
    return failure();
  Value offset = l.mul(l.waveId(), l.i32(bytes));
  Values stored = l.convert(held(op.getValue()), memory), loaded;
  if (from.isVector) {
    storeSharedVector(base, offset, from, stored);
    loaded = loadSharedVector(base, offset, to, memory);
  } else {
    Value zero = l.i32(0);
    auto tile = hk::SharedTileType::get(op.getContext(), from.rows, from.cols, memory, from.rows, from.cols, {});
    SharedPlace place = {base, offset, zero, zero,
                         tile.withLayout(sharedLayoutFor(tile, from.layout, to.layout, target))};
    storeShared(place, from, stored);
    loaded = loadShared(place, to);
  }
  bind(op, l.convert(loaded, to.element));
  return success();
}

} // namespace wavewright::passes
