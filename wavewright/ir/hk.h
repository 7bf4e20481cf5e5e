//===- ir/hk.h - the hk dialect -------------------------------------------------------------------===//
#pragma once

#include "wavewright/layout/linear_layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "wavewright/ir/HkDialect.h.inc"
#include "wavewright/ir/HkEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "wavewright/ir/HkAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "wavewright/ir/HkTypes.h.inc"

#define GET_OP_CLASSES
#include "wavewright/ir/HkOps.h.inc"

namespace wavewright::hk {

/// Names of the attributes that hang on a kernel (`func.func`) and on the module.
inline constexpr llvm::StringLiteral KernelAttr = "hk.kernel";
inline constexpr llvm::StringLiteral WarpsAttr = "hk.warps";
inline constexpr llvm::StringLiteral MaxVgprsAttr = "hk.max_vgprs";
inline constexpr llvm::StringLiteral MinOccupancyAttr = "hk.min_occupancy";
inline constexpr llvm::StringLiteral ArchAttr = "wavewright.arch";

/// Layout of a register tile or vector, null where none is assigned.
LayoutAttr layoutOf(mlir::Type type);
mlir::Type withLayout(mlir::Type type, LayoutAttr layout);
mlir::Type elementTypeOf(mlir::Type type);

/// To and from the algebra: spaces "slot" and "lane", outputs "row","col" (a tile) or "index" (a vector).
LayoutAttr toAttr(mlir::MLIRContext *context, const layout::LinearLayout &layout, int64_t pack);
layout::LinearLayout toLinear(LayoutAttr layout);
/// (row, col) -> byte inside one panel.
SharedLayoutAttr toSharedAttr(mlir::MLIRContext *context, const layout::LinearLayout &layout);
layout::LinearLayout toLinear(SharedLayoutAttr layout);

/// The layout of the vector that has one value a row (`Col`) or one a column (`Row`) of a tile laid out so.
LayoutAttr vectorLayout(LayoutAttr tile, Axis axis);

} // namespace wavewright::hk
