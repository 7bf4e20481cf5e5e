//===- emulator/semantics/matrix.h ------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/families.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

/// The handler of every dense matrix instruction; MicroOp::payload is a matrix::Plan.
void matrixInstruction(Context &c, Wave &w, const MicroOp &m);

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
