//===- passes/lower_group.cpp - copies between tensors and LDS by several waves -------------------===//
//
// A wave copies one block of the shared tile at a time, 16 bytes a lane; block number turn * waves + wave falls to a
// wave in its turn. Data passes through registers.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/passes/tile_lowering.h"

#include "wavewright/passes/memory_layouts.h"

#include "wavewright/ir/rocke.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace wavewright::passes {

namespace {

/// Where the blocks of one turn lie: what the wave adds and what is the same for all waves.
struct Turn {
  Value waveRow, waveCol;
  Place constant;
};

/// The blocks of a shared tile, dealt out to waves.
class Dealing {
public:
  Dealing(LaneBuilder &lanes, hk::SharedTileType tile, int64_t waves)
      : block(copyLayout(tile, lanes.target.waveSize), tile.getElementType(), 0, 0), lanes(lanes), waves(waves) {
    block.rows = block.blockRows;
    block.cols = block.blockCols;
    across = tile.getCols() / block.cols;
    blocks = tile.getRows() / block.rows * across;
  }

  int64_t fullTurns() const { return blocks / waves; }
  bool hasPartialTurn() const { return blocks % waves != 0; }
  Value takesPartInLastTurn() { return lanes.below(lanes.waveId(), lanes.i32(blocks % waves)); }

  /// Block turn * waves + wave, split so that as much as possible is constant.
  Turn turn(int64_t number) {
    int64_t first = number * waves;
    Value wave = lanes.waveId();
    auto rows = [&](Value count) { return lanes.mul(count, lanes.i32(block.rows)); };
    auto cols = [&](Value count) { return lanes.mul(count, lanes.i32(block.cols)); };
    if (waves % across == 0)
      return {rows(lanes.divide(wave, across)), cols(lanes.remainder(wave, across)), {first / across * block.rows, 0}};
    if (across % waves == 0)
      return {lanes.i32(0), cols(wave), {first / across * block.rows, first % across * block.cols}};
    Value index = lanes.add(wave, lanes.i32(first));
    return {rows(lanes.divide(index, across)), cols(lanes.remainder(index, across)), {0, 0}};
  }

  HeldTile block;

private:
  LaneBuilder &lanes;
  int64_t waves, across, blocks;
};

/// One object for the turns that differ by a constant only.
template <typename Object> class PerWavePart {
public:
  template <typename Make> Object &of(const Turn &turn, Make make) {
    auto &object = objects[{turn.waveRow.getAsOpaquePointer(), turn.waveCol.getAsOpaquePointer()}];
    if (!object)
      object = std::make_unique<Object>(make());
    return *object;
  }

private:
  std::map<std::pair<const void *, const void *>, std::unique_ptr<Object>> objects;
};

/// The LDS side of the turns.
class SharedSide {
public:
  SharedSide(LaneBuilder &lanes, const SharedPlace &place, const HeldTile &block)
      : lanes(lanes), place(place), block(block) {
    for (int64_t image : block.laneCols)
      laneColBits |= image;
  }
  std::pair<Value, int64_t> at(const Turn &turn) {
    SharedAddress &address = addresses.of(turn, [&] {
      SharedPlace here = place;
      here.col = lanes.add(place.col, turn.waveCol);
      return SharedAddress(lanes, here, lanes.add(lanes.mapLane(block.laneRows), turn.waveRow),
                           lanes.mapLane(block.laneCols), laneColBits);
    });
    return address.at(turn.constant);
  }

private:
  LaneBuilder &lanes;
  const SharedPlace &place;
  const HeldTile &block;
  int64_t laneColBits = 0;
  PerWavePart<SharedAddress> addresses;
};

} // namespace

/// A lane's elements of a block in a tensor, turn by turn: calls `access` with each access's place.
static void eachAccess(LaneBuilder &l, const TileWindow &window, const HeldTile &block, ArrayRef<Turn> turns,
                       int64_t width, bool checkCols, Value alsoIf,
                       llvm::function_ref<void(Value offset, Value uniform)> access) {
  PerWavePart<LaneOffsets> offsets;
  for (const Turn &turn : turns) {
    LaneOffsets &here = offsets.of(turn, [&] {
      return LaneOffsets(l, window, l.add(l.mapLane(block.laneRows), turn.waveRow),
                         l.add(l.mapLane(block.laneCols), turn.waveCol), checkCols, alsoIf);
    });
    for (int64_t n = 0; n < block.slots; n += width) {
      Place place = block.at(n);
      auto [offset, uniform] = here.at({turn.constant[0] + place[0], turn.constant[1] + place[1]});
      access(offset, uniform);
    }
  }
}

/// Runs `copy` for the full turns, and for the last one where not every wave has a block left; only in waves
/// 0 to `waves` - 1.
static LogicalResult dealOut(LaneBuilder &l, Operation *op, hk::SharedTileType tile, int64_t waves,
                             llvm::function_ref<void(Dealing &, ArrayRef<Turn>)> copy) {
  if (waves < 1 || waves > l.waves)
    return op->emitOpError() << "a group of " << waves << " waves in a kernel of " << l.waves;
  OpBuilder::InsertionGuard guard(l.b);
  auto onlyIf = [&](Value condition) {
    auto branch = scf::IfOp::create(l.b, l.loc, condition, /*withElseRegion=*/false);
    l.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  };
  if (waves < l.waves)
    onlyIf(l.below(l.waveId(), l.i32(waves)));
  Dealing dealing(l, tile, waves);
  SmallVector<Turn> turns;
  for (int64_t turn = 0; turn < dealing.fullTurns(); ++turn)
    turns.push_back(dealing.turn(turn));
  if (!turns.empty())
    copy(dealing, turns);
  if (dealing.hasPartialTurn()) {
    onlyIf(dealing.takesPartInLastTurn());
    copy(dealing, dealing.turn(dealing.fullTurns()));
  }
  return success();
}

LogicalResult TileLowering::lower(hk::GroupLoadOp op) {
  SharedPlace place = shared.lookup(op.getTarget());
  hk::SharedTileType tile = place.type;
  TileWindow window = openWindow(op.getTensor(), coordinates(op->getOperands().drop_front(2)), op.getUnit(),
                                 tile.getRows(), tile.getCols());
  if (!window.bytes)
    return op.emitOpError() << "memory holds no " << window.element;
  LaneBuilder &l = *lanes;
  return dealOut(l, op, tile, op.getWaves(), [&](Dealing &dealing, ArrayRef<Turn> turns) {
    const HeldTile &block = dealing.block;
    SmallVector<Type> types(turns.size(), block.valueType(window.element));
    Values loaded = accessByWidth(window, tile.getCols(), block.run, types, [&](int64_t width, bool checkCols) {
      Values parts;
      Type type = accessType(window.element, width);
      eachAccess(l, window, block, turns, width, checkCols, {}, [&](Value offset, Value uniform) {
        parts.push_back(rocke::BufferLoadOp::create(l.b, l.loc, type, window.resource, offset, uniform));
      });
      return l.repack(parts, block.pack, false);
    });
    SharedSide side(l, place, block);
    for (auto [turn, value] : llvm::zip_equal(turns, l.convert(loaded, tile.getElementType()))) {
      auto [offset, constant] = side.at(turn);
      storeToLds(l, place.base, offset, constant, value, block.pack * elementBytes(tile.getElementType()));
    }
  });
}

LogicalResult TileLowering::lower(hk::GroupStoreOp op) {
  SharedPlace place = shared.lookup(op.getSource());
  hk::SharedTileType tile = place.type;
  TileWindow window = openWindow(op.getTensor(), coordinates(op->getOperands().drop_front(2)), op.getUnit(),
                                 tile.getRows(), tile.getCols());
  if (!window.bytes)
    return op.emitOpError() << "memory holds no " << window.element;
  LaneBuilder &l = *lanes;
  return dealOut(l, op, tile, op.getWaves(), [&](Dealing &dealing, ArrayRef<Turn> turns) {
    const HeldTile &block = dealing.block;
    SharedSide side(l, place, block);
    Values loaded;
    for (const Turn &turn : turns) {
      auto [offset, constant] = side.at(turn);
      loaded.push_back(loadFromLds(l, place.base, offset, constant, tile.getElementType(), block.pack));
    }
    Values stored = l.convert(l.repack(loaded, block.pack, false), window.element);
    accessByWidth(window, tile.getCols(), block.run, {}, [&](int64_t width, bool checkCols) {
      Values parts = l.repack(stored, width, width == 1);
      auto part = parts.begin();
      eachAccess(l, window, block, turns, width, checkCols, l.firstOfDuplicates(block.duplicates),
                 [&](Value offset, Value uniform) {
                   rocke::BufferStoreOp::create(l.b, l.loc, *part++, window.resource, offset, uniform);
                 });
      return Values();
    });
  });
}

} // namespace wavewright::passes
