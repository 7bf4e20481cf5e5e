//===- passes/held_tile.h - what a lane holds of a tile, value by value ---------------------------===//
#pragma once

#include "wavewright/ir/hk.h"

#include "mlir/IR/BuiltinTypes.h"

#include <array>

namespace wavewright::passes {

/// (row, column); a vector lies in row 0 of itself.
using Place = std::array<int64_t, 2>;

/// A register tile or vector after lowering: values in row-major order of blocks, then by groups of `pack` slots. A
/// tile's values are builtin vectors, a vector's are scalars. An element's place is the sum of its slot's and its
/// lane's part: the layout keeps them in different bits, which `isSeparable` says.
struct HeldTile {
  explicit HeldTile(mlir::Type type);
  /// A tile of any extents that are multiples of the layout's block.
  HeldTile(hk::LayoutAttr layout, mlir::Type element, int64_t rows, int64_t cols);

  hk::LayoutAttr layout;
  bool isVector;
  mlir::Type element;
  int64_t rows, cols;           ///< of the tile
  int64_t blockRows, blockCols; ///< of one block
  int64_t pack, slots;
  int64_t run; ///< elements that a lane holds consecutively along the last dimension, aligned
  mlir::SmallVector<int64_t> laneRows, laneCols; ///< what each lane bit adds
  int64_t duplicates = 0;                        ///< lane bits that add nothing: those lanes hold the same

  int64_t blocksAcross() const { return cols / blockCols; }
  int64_t blocks() const { return rows / blockRows * blocksAcross(); }
  int64_t elements() const { return blocks() * slots; } ///< of one lane
  int64_t values() const { return elements() / pack; }
  /// Place of the lane's n-th element, without the lane's own part.
  Place at(int64_t n) const;
  mlir::Type valueType(mlir::Type of) const;
  mlir::Type valueType() const { return valueType(element); }
  bool isSeparable() const;

private:
  void readLayout();
  mlir::SmallVector<Place> slotPlaces;
};

/// The types that a value of this type becomes: itself unless it is a tile or a vector.
void expandType(mlir::Type type, mlir::SmallVectorImpl<mlir::Type> &types);

} // namespace wavewright::passes
