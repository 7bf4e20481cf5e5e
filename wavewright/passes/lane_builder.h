//===- passes/lane_builder.h - what the tile lowering writes with ---------------------------------===//
//
// A builder that folds address arithmetic as it goes, keeps constants and a lane's fixed coordinates at the head of
// the kernel, and moves elements between vectors of different widths.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/ir/hk.h"
#include "wavewright/target/target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <map>
#include <optional>

namespace wavewright::passes {

using Values = mlir::SmallVector<mlir::Value>;

class LaneBuilder {
public:
  /// Writes into `kernel`'s entry block, which must be empty. `waves` is the work-group's number of waves.
  LaneBuilder(mlir::func::FuncOp kernel, const Target &target, int64_t waves);

  mlir::OpBuilder b;
  mlir::Location loc; ///< of the operation being lowered
  const Target &target;
  const int64_t waves;

  //===--- constants and 32-bit arithmetic ---===//
  mlir::Value i32(int64_t value) { return integer(b.getI32Type(), value); }
  mlir::Value i64(int64_t value) { return integer(b.getI64Type(), value); }
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value scalar(mlir::TypedAttr value);
  static std::optional<int64_t> constantOf(mlir::Value value);
  /// The largest power of two (at most 2^30) that is known to divide `value`.
  static int64_t knownDivisor(mlir::Value value);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value exclusiveOr(mlir::Value a, mlir::Value b);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value shiftRight(mlir::Value a, int64_t by);
  mlir::Value divide(mlir::Value a, int64_t by);    ///< unsigned
  mlir::Value remainder(mlir::Value a, int64_t by); ///< unsigned
  mlir::Value below(mlir::Value a, mlir::Value b);  ///< unsigned a < b
  mlir::Value both(mlir::Value a, mlir::Value b);   ///< of two i1; a null value is true
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value widen(mlir::Value value, bool isSigned); ///< i32 -> i64

  //===--- places ---===//
  mlir::Value laneId();
  mlir::Value waveId(); ///< the constant 0 where there is but one
  /// The XOR of images[i] over the set bits i of `value`.
  mlir::Value mapBits(mlir::Value value, mlir::ArrayRef<int64_t> images);
  /// The same of the lane's number, computed once at the head of the kernel.
  mlir::Value mapLane(mlir::ArrayRef<int64_t> images);
  /// True in one lane of each set of lanes that differ only in bits of `duplicates`; null where there are none.
  mlir::Value firstOfDuplicates(int64_t duplicates);

  //===--- vectors ---===//
  mlir::Value element(mlir::Value pack, int64_t position);
  mlir::Value packOf(mlir::ArrayRef<mlir::Value> elements);
  /// Values of `from` elements each (scalars when `from` is 1 and they are scalars) become values of `to` elements;
  /// with `toScalars`, scalars.
  Values repack(mlir::ArrayRef<mlir::Value> parts, int64_t to, bool toScalars);
  /// A value of vector or scalar type with another element type: floats round to nearest even, floats to integers
  /// saturate toward zero, NaN becomes 0.
  mlir::Value convert(mlir::Value value, mlir::Type element);
  Values convert(mlir::ArrayRef<mlir::Value> values, mlir::Type element);

  /// One more allocation of LDS, at the head of the kernel.
  mlir::Value allocateLds(int64_t bytes);
  int64_t ldsBytes() const; ///< of all allocations

private:
  /// Runs `make` at the head of the kernel, after what is there.
  mlir::Value atHead(llvm::function_ref<mlir::Value()> make);

  mlir::func::FuncOp kernel;
  mlir::Operation *lastAtHead = nullptr;
  mlir::Value lane, wave;
  std::map<std::pair<const void *, int64_t>, mlir::Value> integers;
  std::map<std::vector<int64_t>, mlir::Value> laneImages;
  mlir::SmallVector<mlir::Value> allocations;
};

} // namespace wavewright::passes
