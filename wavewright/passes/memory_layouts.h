//===- passes/memory_layouts.h - layouts for global and shared memory -----------------------------===//
#pragma once

#include "wavewright/ir/hk.h"
#include "wavewright/target/target.h"

namespace wavewright::passes {

/// The largest power of two that divides `extent`.
int64_t powerOfTwoPart(int64_t extent);

/// Bytes of one element in memory; 0 for what memory does not hold (i1).
int64_t elementBytes(mlir::Type element);

/// Elements of the widest access that the tensor's base and pitch allow, whatever the width of its rows.
int64_t widestAccess(hk::TensorType tensor);

/// The layout of a tile (or, with `rows` 1 and `vector` set, of a vector) that is loaded and stored `width` elements a
/// lane: lanes along the columns, then the rows, eight or more elements a lane where the tile has them.
hk::LayoutAttr memoryTileLayout(mlir::MLIRContext *context, int64_t rows, int64_t cols, int64_t width, int waveSize);
hk::LayoutAttr memoryVectorLayout(mlir::MLIRContext *context, int64_t length, int64_t width, int waveSize);

/// The layout by which one wave copies its part of a shared tile: one 16-byte access a lane.
hk::LayoutAttr copyLayout(hk::SharedTileType tile, int waveSize);

/// Columns of a shared tile's panel: the largest power of two that divides its columns.
int64_t panelColumns(hk::SharedTileType tile);

/// The swizzle that serves both layouts best; both are inside a panel.
hk::SharedLayoutAttr sharedLayoutFor(hk::SharedTileType tile, hk::LayoutAttr store, hk::LayoutAttr load,
                                     const Target &target);

} // namespace wavewright::passes
