//===- emulator/semantics/families.h - every table of semantics -----------------------------------===//
//
// Included once for each SIMD level, with WAVEWRIGHT_SIMD naming the namespace.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/micro_op.h"

#ifndef WAVEWRIGHT_SIMD
#error "semantics are compiled with WAVEWRIGHT_SIMD naming the SIMD level"
#endif

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

// valu_*.cpp, compare.cpp
llvm::ArrayRef<Semantics> moveFamily();
llvm::ArrayRef<Semantics> integerFamily();
llvm::ArrayRef<Semantics> floatFamily();
llvm::ArrayRef<Semantics> doubleFamily();
llvm::ArrayRef<Semantics> halfFamily();
llvm::ArrayRef<Semantics> packedFamily();
llvm::ArrayRef<Semantics> convertFamily();
llvm::ArrayRef<Semantics> scaleFamily();
llvm::ArrayRef<Semantics> transcendentalFamily();
llvm::ArrayRef<Semantics> compareIntegerFamily();
llvm::ArrayRef<Semantics> compareFloatFamily();
llvm::ArrayRef<Semantics> crossLaneFamily();
// memory
llvm::ArrayRef<Semantics> ldsFamily();
llvm::ArrayRef<Semantics> vectorMemoryFamily();
llvm::ArrayRef<Semantics> atomicFamily();
llvm::ArrayRef<Semantics> formatFamily();
// matrix*.cpp
llvm::ArrayRef<Semantics> matrixFamily();

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
