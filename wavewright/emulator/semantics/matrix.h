//===- emulator/semantics/matrix.h ------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/families.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

/// The handlers of dense and of sparse matrix instructions; MicroOp::payload is a matrix::Plan.
void matrixInstruction(Context &c, Wave &w, const MicroOp &m);
void sparseMatrixInstruction(Context &c, Wave &w, const MicroOp &m);

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
