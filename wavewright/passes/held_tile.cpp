//===- passes/held_tile.cpp -----------------------------------------------------------------------===//
#include "wavewright/passes/held_tile.h"

using namespace mlir;

namespace wavewright::passes {

HeldTile::HeldTile(Type type)
    : layout(hk::layoutOf(type)), isVector(isa<hk::RegisterVectorType>(type)), element(hk::elementTypeOf(type)) {
  if (auto tile = dyn_cast<hk::RegisterTileType>(type)) {
    rows = tile.getRows();
    cols = tile.getCols();
  } else {
    rows = 1;
    cols = cast<hk::RegisterVectorType>(type).getLength();
  }
  readLayout();
}

HeldTile::HeldTile(hk::LayoutAttr layout, Type element, int64_t rows, int64_t cols)
    : layout(layout), isVector(false), element(element), rows(rows), cols(cols) {
  readLayout();
}

void HeldTile::readLayout() {
  blockRows = isVector ? 1 : layout.getBlock()[0];
  blockCols = layout.getBlock().back();
  pack = layout.getPack();
  slots = layout.slotCount();

  auto placeOf = [&](ArrayRef<int64_t> image) { return isVector ? Place{0, image[0]} : Place{image[0], image[1]}; };
  slotPlaces.assign(1, Place{0, 0});
  for (ArrayRef<int64_t> image : layout.slots()) {
    Place place = placeOf(image);
    for (int64_t slot = 0, count = slotPlaces.size(); slot < count; ++slot)
      slotPlaces.push_back({slotPlaces[slot][0] ^ place[0], slotPlaces[slot][1] ^ place[1]});
  }
  for (auto [bit, image] : llvm::enumerate(layout.lanes())) {
    Place place = placeOf(image);
    laneRows.push_back(place[0]);
    laneCols.push_back(place[1]);
    if (!place[0] && !place[1])
      duplicates |= int64_t(1) << bit;
  }
  run = layout::consecutiveElements(hk::toLinear(layout), isVector ? "index" : "col");
}

Place HeldTile::at(int64_t n) const {
  int64_t block = n / slots;
  Place place = slotPlaces[n % slots];
  return {block / blocksAcross() * blockRows + place[0], block % blocksAcross() * blockCols + place[1]};
}

Type HeldTile::valueType(Type of) const { return isVector ? of : Type(VectorType::get({pack}, of)); }

bool HeldTile::isSeparable() const {
  Place slotBits = {0, 0}, laneBits = {0, 0};
  for (Place place : slotPlaces)
    slotBits = {slotBits[0] | place[0], slotBits[1] | place[1]};
  for (auto [row, col] : llvm::zip(laneRows, laneCols))
    laneBits = {laneBits[0] | row, laneBits[1] | col};
  return !(slotBits[0] & laneBits[0]) && !(slotBits[1] & laneBits[1]);
}

void expandType(Type type, SmallVectorImpl<Type> &types) {
  if (!isa<hk::RegisterTileType, hk::RegisterVectorType>(type)) {
    types.push_back(type);
    return;
  }
  HeldTile held(type);
  types.append(held.values(), held.valueType());
}

} // namespace wavewright::passes
