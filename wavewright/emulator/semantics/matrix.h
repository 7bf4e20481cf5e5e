//===- emulator/semantics/matrix.h ------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/families.h"
#include "wavewright/emulator/semantics/scalar/matrix_plan.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

/// The handlers of dense and of sparse matrix instructions; MicroOp::payload is a matrix::Plan.
void matrixInstruction(Context &c, Wave &w, const MicroOp &m);
void sparseMatrixInstruction(Context &c, Wave &w, const MicroOp &m);
/// The fast mode of common dense forms. False, and nothing done, where the form is another.
bool fastOnRegisters(Wave &w, const MicroOp &m, const matrix::Plan &p);

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
