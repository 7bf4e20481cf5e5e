//===- passes/tile_lowering.h - the walk from tiles to lanes --------------------------------------===//
//
// One kernel at a time is written anew, operation by operation; every file lower_*.cpp holds one family of
// operations. A value of the old kernel is the list of values that stand for it.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/passes/held_tile.h"
#include "wavewright/passes/lane_builder.h"
#include "wavewright/passes/mma_plan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>

namespace wavewright::passes {

/// A tensor argument, taken apart: extents are i32, strides i64 and in elements.
struct TensorParts {
  hk::TensorType type;
  mlir::Value base, batch, depth, rows, cols, batchStride, depthStride, rowStride;
};

/// A tile's place in a tensor: a buffer resource that begins at the tile's first element and ends with its slice.
struct TileWindow {
  const TensorParts *tensor;
  mlir::Value resource;
  mlir::Value row, col; ///< of the first element, i32
  mlir::Value pitch;    ///< bytes from row to row, i32
  mlir::Type element;   ///< in memory
  int64_t bytes;        ///< of one element
};

/// A shared tile or a window of one: it begins at (row, col) of a tile at `base` + `offset`.
struct SharedPlace {
  mlir::Value base, offset, row, col; ///< the last three are i32
  hk::SharedTileType type;
};

/// Addresses of a wave's elements in a shared tile, as a lane's offset and a constant that the instruction adds.
class SharedAddress {
public:
  /// `row` and `col` are what the lane adds to every element's place; the bits of `col` lie in `colBits`.
  SharedAddress(LaneBuilder &lanes, const SharedPlace &place, mlir::Value row, mlir::Value col, int64_t colBits);
  std::pair<mlir::Value, int64_t> at(Place element);

private:
  LaneBuilder &lanes;
  mlir::Value row, col, colOrigin, plainOrigin;
  int64_t elementBytes, panel, rowBytes, panelBytes;
  int64_t movingBits; ///< of the byte inside a row, which the lane, the swizzle or the window's origin may set
  mlir::SmallVector<int64_t> swizzle;
  std::map<std::pair<int64_t, int64_t>, mlir::Value> known;
};

/// Whether every operation between `from` and `to`, of one block, leaves memory as it is.
bool nothingWritesBetween(mlir::Operation *from, mlir::Operation *to);

/// What one access moves: a scalar, or a vector of `width`.
mlir::Type accessType(mlir::Type element, int64_t width);

/// Addresses for a tile that lies in one wave.
SharedAddress addressesOf(LaneBuilder &lanes, const SharedPlace &place, const HeldTile &held);
/// Elements of one LDS access of a lane, 16 bytes at most.
int64_t sharedAccessWidth(const HeldTile &held, int64_t elementBytes);
/// One access: a scalar where `width` is 1.
mlir::Value loadFromLds(LaneBuilder &lanes, mlir::Value base, mlir::Value offset, int64_t constant, mlir::Type element,
                        int64_t width);
void storeToLds(LaneBuilder &lanes, mlir::Value base, mlir::Value offset, int64_t constant, mlir::Value value,
                int64_t bytes);

/// Offsets of a wave's elements from a window's first element. `row` and `col` are what the lane adds to every
/// element's place; lanes for which `alsoIf` (if not null) is false count as outside.
class LaneOffsets {
public:
  LaneOffsets(LaneBuilder &lanes, const TileWindow &window, mlir::Value row, mlir::Value col, bool checkCols,
              mlir::Value alsoIf = {});
  /// What varies by lane and what does not; the lane's part is past the end where the element is outside.
  std::pair<mlir::Value, mlir::Value> at(Place place);

private:
  mlir::Value inside(mlir::Value lane, mlir::Value origin, int64_t at, mlir::Value extent);

  LaneBuilder &lanes;
  const TileWindow &window;
  bool checkCols;
  mlir::Value alsoIf, laneRow, laneCol, base;
  std::map<int64_t, mlir::Value> rowOffsets, colsInside, uniforms;
  std::map<Place, mlir::Value> offsets; ///< where both are inside
};

/// A load that waits for the matrix instructions that use it, fragment by fragment.
struct DeferredLoad {
  TileWindow window;
  int64_t width; ///< elements of an access
};

class TileLowering {
public:
  TileLowering(mlir::func::FuncOp kernel, const Target &target) : old(kernel), target(target) {}
  /// Replaces the kernel.
  mlir::LogicalResult run();

private:
  //===--- lower_tiles.cpp: functions and control flow ---===//
  mlir::LogicalResult makeFunction();
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation &op);
  mlir::LogicalResult lowerLoop(mlir::scf::ForOp op);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult cloneScalar(mlir::Operation &op);
  Values expanded(mlir::ValueRange values);
  void bindArguments(mlir::Block &from, mlir::Block &to);
  void bindResults(mlir::Operation *from, mlir::Operation *to);

  //===--- lower_values.cpp: what stays inside a lane ---===//
  mlir::LogicalResult lowerElementwise(mlir::Operation &op);
  mlir::LogicalResult lower(hk::SplatOp op);
  mlir::LogicalResult lower(hk::IotaOp op);
  mlir::LogicalResult lower(hk::CastOp op);
  mlir::LogicalResult lower(hk::SelectOp op);
  mlir::LogicalResult lower(hk::BroadcastOp op);

  //===--- lower_memory.cpp: tensors ---===//
  TileWindow openWindow(mlir::Value tensor, mlir::ValueRange coordinates, hk::CoordUnit unit, int64_t rows,
                        int64_t cols);
  /// Runs `access` with the widest width at which no vector straddles the end of a row, behind a branch where that
  /// depends on the tile. Its second argument says whether columns must be checked.
  /// The width that needs no branch, and the widest of all.
  std::pair<int64_t, int64_t> safeAndWideWidth(const TileWindow &window, int64_t run);
  Values accessByWidth(const TileWindow &window, int64_t cols, int64_t run, mlir::TypeRange types,
                       llvm::function_ref<Values(int64_t width, bool checkCols)> access);
  mlir::LogicalResult lower(hk::LoadOp op);
  mlir::LogicalResult lower(hk::StoreOp op);

  //===--- lower_shared.cpp: LDS ---===//
  mlir::LogicalResult lower(hk::LdsAllocOp op);
  mlir::LogicalResult lower(hk::LdsSubOp op);
  mlir::LogicalResult lower(hk::LdsLoadOp op);
  mlir::LogicalResult lower(hk::LdsStoreOp op);
  mlir::LogicalResult lower(hk::ConvertLayoutOp op);
  Values loadShared(const SharedPlace &place, const HeldTile &held);
  void storeShared(const SharedPlace &place, const HeldTile &held, mlir::ArrayRef<mlir::Value> values);
  /// Elements of type `memory` of a vector that stands at `offset` of `base`.
  Values loadSharedVector(mlir::Value base, mlir::Value offset, const HeldTile &held, mlir::Type memory);
  void storeSharedVector(mlir::Value base, mlir::Value offset, const HeldTile &held,
                         mlir::ArrayRef<mlir::Value> values);
  /// LDS that several operations of one kind use one after another; grows to the largest.
  mlir::Value scratch(mlir::StringRef kind, int64_t bytes);
  /// Whether what the kernel allocates so far, and `bytes` more, fits a work-group.
  mlir::LogicalResult checkLds(mlir::Operation *op, int64_t bytes);

  //===--- lower_group.cpp: copies by several waves ---===//
  mlir::LogicalResult lower(hk::GroupLoadOp op);
  mlir::LogicalResult lower(hk::GroupStoreOp op);
  mlir::SmallVector<mlir::Value, 4> coordinates(mlir::ValueRange given);

  //===--- lower_mma.cpp ---===//
  mlir::LogicalResult lower(hk::MmaOp op);

  //===--- lower_collective.cpp: across lanes and waves ---===//
  mlir::LogicalResult lower(hk::ReduceOp op);
  mlir::LogicalResult lower(hk::CollectiveOp op);
  mlir::Value combine(hk::Reduction reduction, mlir::Value a, mlir::Value b);
  mlir::Value shuffleXor(mlir::Value value, int64_t mask);

  mlir::Value single(mlir::Value value) { return values.lookup(value).front(); }
  mlir::ArrayRef<mlir::Value> held(mlir::Value value) { return values.find(value)->second; }
  void bind(mlir::Value value, Values to) { values[value] = std::move(to); }

  mlir::func::FuncOp old;
  const Target &target;
  std::unique_ptr<LaneBuilder> lanes;
  llvm::DenseMap<mlir::Value, Values> values;
  llvm::DenseMap<mlir::Value, TensorParts> tensors;
  llvm::DenseMap<mlir::Value, SharedPlace> shared;
  llvm::DenseMap<mlir::Value, DeferredLoad> deferred;
  llvm::StringMap<mlir::Value> scratches;
};

} // namespace wavewright::passes
