//===- ir/rocke.h - the rocke dialect -------------------------------------------------------------===//
#pragma once

#include "wavewright/target/target.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "wavewright/ir/RockeDialect.h.inc"
#include "wavewright/ir/RockeEnums.h.inc"

#define GET_OP_CLASSES
#include "wavewright/ir/RockeOps.h.inc"

namespace wavewright::rocke {

inline constexpr llvm::StringLiteral KernelAttr = "rocke.kernel";
inline constexpr llvm::StringLiteral BlockSizeAttr = "rocke.block_size"; ///< i32, work-items of a work-group

/// The chip that the module around `op` names in `wavewright.arch`; an error diagnostic otherwise.
mlir::FailureOr<const Target *> targetOf(mlir::Operation *op);

} // namespace wavewright::rocke
