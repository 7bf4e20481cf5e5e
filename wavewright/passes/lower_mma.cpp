//===- passes/lower_mma.cpp - matrix products -----------------------------------------------------===//
#include "wavewright/passes/tile_lowering.h"

#include "wavewright/ir/rocke.h"
#include "wavewright/passes/memory_layouts.h"

#include <functional>

using namespace mlir;

namespace wavewright::passes {

using layout::MatrixOperand;

namespace {

/// Fragments of an operand, one an (outer block, k-step): from registers, or loaded when first asked for. One access
/// to memory may hold those of several k-steps.
class Fragments {
public:
  Fragments(LaneBuilder &lanes, const MmaPlan &plan, HeldTile tile, bool kAlongRows)
      : lanes(lanes), plan(plan), tile(std::move(tile)), kAlongRows(kAlongRows) {}

  void useRegisters(ArrayRef<Value> values) {
    for (auto [number, value] : llvm::enumerate(values))
      known[number] = value;
  }
  void useShared(const SharedPlace &place) {
    Type element = place.type.getElementType();
    width = sharedAccessWidth(tile, elementBytes(element));
    access = [this, base = place.base, element, address = addressesOf(lanes, place, tile)](int64_t n) mutable {
      auto [offset, constant] = address.at(tile.at(n));
      return loadFromLds(lanes, base, offset, constant, element, width);
    };
  }
  void useTensor(const DeferredLoad &load) {
    width = load.width;
    const TileWindow &window = load.window;
    Value row = lanes.mapLane(tile.laneRows), col = lanes.mapLane(tile.laneCols);
    access = [this, &window, offsets = LaneOffsets(lanes, window, row, col, /*checkCols=*/true)](int64_t n) mutable {
      auto [offset, uniform] = offsets.at(tile.at(n));
      return rocke::BufferLoadOp::create(lanes.b, lanes.loc, accessType(window.element, width), window.resource, offset,
                                         uniform);
    };
  }

  Value at(int64_t outer, int64_t step) {
    int64_t kBlock = step / plan.stepsPerBlock();
    int64_t block = kAlongRows ? kBlock * tile.blocksAcross() + outer : outer * tile.blocksAcross() + kBlock;
    int64_t number = block * (tile.slots / tile.pack) + step % plan.stepsPerBlock();
    if (!known.contains(number))
      load(number);
    return known.at(number);
  }

private:
  void load(int64_t number) {
    int64_t count = std::max(width, tile.pack), first = number * tile.pack / count * count;
    Values parts;
    for (int64_t n = first; n < first + count; n += width)
      parts.push_back(access(n));
    Values packs = lanes.convert(lanes.repack(parts, tile.pack, false), tile.element);
    for (auto [i, value] : llvm::enumerate(packs))
      known[first / tile.pack + i] = value;
  }

  LaneBuilder &lanes;
  MmaPlan plan;
  HeldTile tile;
  bool kAlongRows;
  int64_t width = 1;                    ///< elements of an access
  std::function<Value(int64_t)> access; ///< loads `width` elements from the lane's n-th on
  std::map<int64_t, Value> known;
};

std::pair<int64_t, int64_t> extentsOf(Type type) {
  if (auto tile = dyn_cast<hk::RegisterTileType>(type))
    return {tile.getRows(), tile.getCols()};
  auto tile = cast<hk::SharedTileType>(type);
  return {tile.getRows(), tile.getCols()};
}

} // namespace

// k-step by k-step: the fragments of the side that has fewer are loaded, those of the other one by one, and each meets
// all of the first. So not much more than one side's step need be in registers beside the accumulators.
LogicalResult TileLowering::lower(hk::MmaOp op) {
  FailureOr<MmaPlan> plan = mmaPlanOf(op, target);
  if (failed(plan))
    return failure();
  LaneBuilder &l = *lanes;
  auto fragmentsOf = [&](MatrixOperand operand, Value value) {
    bool swapped = kAlongRows(op, operand);
    auto [rows, cols] = extentsOf(value.getType());
    auto fragments = std::make_unique<Fragments>(
        l, *plan,
        HeldTile(operandAttr(op.getContext(), *plan, operand, swapped), hk::elementTypeOf(value.getType()), rows, cols),
        swapped);
    if (isa<hk::SharedTileType>(value.getType()))
      fragments->useShared(shared.find(value)->second);
    else if (auto load = deferred.find(value); load != deferred.end())
      fragments->useTensor(load->second);
    else
      fragments->useRegisters(held(value));
    return fragments;
  };
  auto a = fragmentsOf(MatrixOperand::A, op.getA()), b = fragmentsOf(MatrixOperand::B, op.getB());
  const MatrixAtom &atom = *plan->atom;
  int64_t down = op.m() / atom.m, across = op.n() / atom.n, steps = op.k() / atom.k;
  bool keepB = across <= down;
  Values acc = llvm::to_vector(held(op.getAcc()));

  for (int64_t step = 0; step < steps; ++step) {
    Values kept;
    for (int64_t i = 0; i < std::min(down, across); ++i)
      kept.push_back((keepB ? b : a)->at(i, step));
    for (int64_t i = 0; i < std::max(down, across); ++i) {
      Value streamed = (keepB ? a : b)->at(i, step);
      for (auto [j, other] : llvm::enumerate(kept)) {
        Value &sum = acc[keepB ? i * across + j : j * across + i];
        sum = rocke::MmaOp::create(l.b, l.loc, sum.getType(), StringRef(atom.name), keepB ? streamed : other,
                                   keepB ? other : streamed, sum);
      }
    }
  }
  bind(op, std::move(acc));
  return success();
}

} // namespace wavewright::passes
