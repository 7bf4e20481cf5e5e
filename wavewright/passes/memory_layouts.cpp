//===- passes/memory_layouts.cpp ------------------------------------------------------------------===//
#include "wavewright/passes/memory_layouts.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace wavewright::passes {

/// Elements of one SSA value of a tile: enough that a tile is few values, few enough for packed arithmetic.
static constexpr int64_t preferredPack = 8;

int64_t powerOfTwoPart(int64_t extent) { return extent & -extent; }

int64_t elementBytes(Type element) { return element.getIntOrFloatBitWidth() / 8; }

int64_t widestAccess(hk::TensorType tensor) {
  int64_t bytes = std::max<int64_t>(elementBytes(tensor.getElementType()), 1);
  return std::max<int64_t>(std::min<int64_t>(16, tensor.getAlign()) / bytes, 1);
}

/// `width` elements a lane, and then as many more as make `preferredPack`, of at most rows x cols.
static layout::LinearLayout blockFor(int64_t rows, int64_t cols, int64_t width, int waveSize, int64_t &pack) {
  rows = powerOfTwoPart(rows);
  cols = powerOfTwoPart(cols);
  width = std::min(width, cols);
  while (width > 1 && rows * cols < width * waveSize)
    width /= 2;
  int64_t slots = std::clamp<int64_t>(rows * cols / waveSize, 1, std::max(width, preferredPack));
  int64_t blockCols = std::min(cols, waveSize * slots);
  int64_t blockRows = std::min(rows, std::max<int64_t>(waveSize * slots / blockCols, 1));
  layout::LinearLayout block = layout::blockedLayout(blockRows, blockCols, width, waveSize);
  pack = block.input("slot")->size();
  return block;
}

hk::LayoutAttr memoryTileLayout(MLIRContext *context, int64_t rows, int64_t cols, int64_t width, int waveSize) {
  int64_t pack;
  layout::LinearLayout block = blockFor(rows, cols, width, waveSize, pack);
  return hk::toAttr(context, block, pack);
}

hk::LayoutAttr memoryVectorLayout(MLIRContext *context, int64_t length, int64_t width, int waveSize) {
  int64_t pack;
  layout::LinearLayout block = blockFor(1, length, width, waveSize, pack);
  return hk::toAttr(context, block.project({"col"}), 1);
}

int64_t panelColumns(hk::SharedTileType tile) { return powerOfTwoPart(tile.getParentCols()); }

hk::LayoutAttr copyLayout(hk::SharedTileType tile, int waveSize) {
  int64_t vector = std::max<int64_t>(16 / elementBytes(tile.getElementType()), 1);
  int64_t cols = std::min(powerOfTwoPart(tile.getCols()), vector * waveSize);
  vector = std::min(vector, cols);
  int64_t rows = std::min(powerOfTwoPart(tile.getRows()), std::max<int64_t>(vector * waveSize / cols, 1));
  layout::LinearLayout block = layout::blockedLayout(rows, cols, vector, waveSize);
  return hk::toAttr(tile.getContext(), block, block.input("slot")->size());
}

hk::SharedLayoutAttr sharedLayoutFor(hk::SharedTileType tile, hk::LayoutAttr store, hk::LayoutAttr load,
                                     const Target &target) {
  int64_t panel = panelColumns(tile), rows = llvm::PowerOf2Ceil(tile.getParentRows());
  layout::LinearLayout shared = layout::chooseSwizzle(hk::toLinear(store), hk::toLinear(load), target, rows, panel,
                                                      elementBytes(tile.getElementType()), 16);
  return hk::toSharedAttr(tile.getContext(), shared);
}

} // namespace wavewright::passes
