//===- passes/mma_plan.h - which matrix instruction, and how its operands are held ----------------===//
#pragma once

#include "wavewright/ir/hk.h"
#include "wavewright/layout/linear_layout.h"
#include "wavewright/target/target.h"

namespace wavewright::passes {

/// A matrix instruction and the dealing out of K that both operands follow.
struct MmaPlan {
  const MatrixAtom *atom = nullptr;
  int kBlock = 0; ///< K extent of an operand's block, a power of two multiple of the atom's K
  int kWidth = 0; ///< consecutive k that a lane holds

  int stepsPerBlock() const { return kBlock / atom->k; }
};

/// The instruction that does most work for the operation's extents and types; an error diagnostic names what the chip
/// has where it has none that fits.
mlir::FailureOr<MmaPlan> chooseMmaPlan(hk::MmaOp op, const Target &target);
/// What the pass that assigns layouts wrote on the operation.
mlir::FailureOr<MmaPlan> mmaPlanOf(hk::MmaOp op, const Target &target);

/// The layout of an operand as it stands in the tile: rows and columns are swapped where K runs along the rows.
hk::LayoutAttr operandAttr(mlir::MLIRContext *context, const MmaPlan &plan, layout::MatrixOperand operand,
                           bool kAlongRows);
/// Whether K runs along the rows of the operation's A or B.
bool kAlongRows(hk::MmaOp op, layout::MatrixOperand operand);

} // namespace wavewright::passes
