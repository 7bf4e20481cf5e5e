//===- emulator/instruction_set.h - what a chip has, and what the device executes of it -----------===//
//
// The denominator is what LLVM's disassembler names in a sweep of the chip's encodings (codeobject/sweep.h); whether
// the device executes a form is asked of the predecoder. Nothing here is a list kept by hand, but for the words that
// tell graphics from compute.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/sweep.h"

#include <optional>
#include <string>
#include <vector>

namespace wavewright::emulator {

enum class InstructionClass : uint8_t {
  Salu,
  Control, ///< SOPP, and what only touches waits, caches and messages
  Smem,
  Valu,
  Matrix,
  Lds,
  Vmem,    ///< buffer, flat, global, scratch
  Graphics ///< image, ray tracing, export, global wave sync and data share, interpolation: not emulated by design
};
std::string_view className(InstructionClass c);

struct InstructionFacts {
  std::string_view name;
  InstructionClass instructionClass;
  std::vector<codeobject::SweptForm> forms;
  std::vector<std::string> refusals; ///< one a form: why it is not executed; empty when it is
  bool executes() const;             ///< every form does
};

/// All instructions of a chip, sorted by name.
llvm::Expected<std::vector<InstructionFacts>> instructionSet(const Target &target);

} // namespace wavewright::emulator
