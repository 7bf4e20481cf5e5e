//===- codeobject/sweep.h - every instruction that a chip's decoder knows -------------------------===//
//
// The set of instructions is asked of LLVM's disassembler, not listed: each major encoding of the chip's manual is
// swept over its opcode field, in every form that the encoding has (literal, DPP, SDWA, address forms, both halves of a
// dual instruction), and what comes back is named.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"

namespace wavewright::codeobject {

/// One name in one form, with the machine words that gave it.
struct SweptForm {
  std::string_view name; ///< as Instruction::name; a half of a dual instruction under its own name
  std::string_view form; ///< "e32", "e64", "dpp16", "sdwa", "vopd x", "saddr", "offen idxen lds", ...; may be empty
  Encoding encoding = Encoding::Unknown;
  unsigned waveSize = 0; ///< the native size when both decode alike
  llvm::SmallVector<uint8_t, 20> bytes;
  std::string text; ///< as LLVM prints the words
};

/// Sorted by name, then form; the same for every call.
llvm::Expected<std::vector<SweptForm>> sweepEncodings(const Target &target);

} // namespace wavewright::codeobject
