//===- passes/lower_mma.cpp - matrix products -----------------------------------------------------===//
#include "wavewright/passes/tile_lowering.h"

#include "wavewright/ir/rocke.h"
#include "wavewright/passes/memory_layouts.h"

using namespace mlir;

namespace wavewright::passes {

using layout::MatrixOperand;

namespace {

/// Fragments of an operand, one an (outer block, k-step): from registers, or loaded from LDS when first asked for. One
/// LDS access may hold those of several k-steps.
class Fragments {
public:
  Fragments(LaneBuilder &lanes, const MmaPlan &plan, HeldTile tile, bool kAlongRows)
      : lanes(lanes), plan(plan), tile(std::move(tile)), kAlongRows(kAlongRows) {}

  void useRegisters(ArrayRef<Value> values) {
    for (auto [number, value] : llvm::enumerate(values))
      known[number] = value;
  }
  void useShared(const SharedPlace &from) {
    place = &from;
    address.emplace(addressesOf(lanes, from, tile));
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
    Type element = place->type.getElementType();
    int64_t width = sharedAccessWidth(tile, elementBytes(element));
    int64_t count = std::max(width, tile.pack), first = number * tile.pack / count * count;
    Values parts;
    for (int64_t n = first; n < first + count; n += width) {
      auto [offset, constant] = address->at(tile.at(n));
      parts.push_back(loadFromLds(lanes, place->base, offset, constant, element, width));
    }
    for (auto [i, value] : llvm::enumerate(lanes.repack(parts, tile.pack, false)))
      known[first / tile.pack + i] = value;
  }

  LaneBuilder &lanes;
  MmaPlan plan;
  HeldTile tile;
  bool kAlongRows;
  const SharedPlace *place = nullptr;
  std::optional<SharedAddress> address;
  std::map<int64_t, Value> known;
};

std::pair<int64_t, int64_t> extentsOf(Type type) {
  if (auto tile = dyn_cast<hk::RegisterTileType>(type))
    return {tile.getRows(), tile.getCols()};
  auto tile = cast<hk::SharedTileType>(type);
  return {tile.getRows(), tile.getCols()};
}

} // namespace

// k-step by k-step: the fragments of one step are loaded, then every accumulator takes its product. So no more than
// one step's fragments need be in registers beside the accumulators.
LogicalResult TileLowering::lower(hk::MmaOp op) {
  FailureOr<MmaPlan> plan = mmaPlanOf(op, target);
  if (failed(plan))
    return failure();
  LaneBuilder &l = *lanes;
  auto fragmentsOf = [&](MatrixOperand operand, Value value) {
    bool swapped = kAlongRows(op, operand);
    auto [rows, cols] = extentsOf(value.getType());
    HeldTile tile(operandAttr(op.getContext(), *plan, operand, swapped), hk::elementTypeOf(value.getType()), rows,
                  cols);
    Fragments fragments(l, *plan, std::move(tile), swapped);
    if (isa<hk::SharedTileType>(value.getType()))
      fragments.useShared(shared.find(value)->second);
    else
      fragments.useRegisters(held(value));
    return fragments;
  };
  Fragments a = fragmentsOf(MatrixOperand::A, op.getA()), b = fragmentsOf(MatrixOperand::B, op.getB());
  const MatrixAtom &atom = *plan->atom;
  int64_t down = op.m() / atom.m, across = op.n() / atom.n, steps = op.k() / atom.k;
  Values acc = llvm::to_vector(held(op.getAcc()));

  for (int64_t step = 0; step < steps; ++step) {
    Values as, bs;
    for (int64_t n = 0; n < across; ++n)
      bs.push_back(b.at(n, step));
    for (int64_t m = 0; m < down; ++m) {
      Value left = a.at(m, step);
      for (int64_t n = 0; n < across; ++n) {
        Value &sum = acc[m * across + n];
        sum = rocke::MmaOp::create(l.b, l.loc, sum.getType(), StringRef(atom.name), left, bs[n], sum);
      }
    }
  }
  bind(op, std::move(acc));
  return success();
}

} // namespace wavewright::passes
