//===- codeobject/machine_facts.h - LLVM's AMDGPU tables, read through its public MC interface ----===//
//
// Private to the decoder. Register numbers, operand types and format flags of the AMDGPU target are private to
// a build of LLVM, so they are learned from names and from instructions whose shape is known; a build whose
// numbering does not fit is refused when the first decoder is made.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/decoder.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"

namespace wavewright::codeobject {

/// Bits of MCInstrDesc::TSFlags: the encoding family (SIInstrFlags of LLVM's AMDGPU target).
namespace format {
inline constexpr uint64_t Salu = 1ull << 0, Valu = 1ull << 1, Sop1 = 1ull << 2, Sop2 = 1ull << 3, Sopc = 1ull << 4,
                          Sopk = 1ull << 5, Sopp = 1ull << 6, Vop1 = 1ull << 7, Vop2 = 1ull << 8, Vopc = 1ull << 9,
                          Vop3 = 1ull << 10, Vop3p = 1ull << 12, Vintrp = 1ull << 13, Sdwa = 1ull << 14,
                          Dpp = 1ull << 15, Mubuf = 1ull << 17, Mtbuf = 1ull << 18, Smem = 1ull << 19,
                          Mimg = 1ull << 20 | 1ull << 21 | 1ull << 22, Export = 1ull << 23, Flat = 1ull << 24,
                          Ds = 1ull << 25, OpSel = 1ull << 42;
} // namespace format

/// What is the same for every chip; made once for the process.
struct MachineFacts {
  const llvm::Target *target = nullptr;
  std::unique_ptr<const llvm::MCRegisterInfo> registers;
  std::unique_ptr<const llvm::MCInstrInfo> instructions;
  std::unique_ptr<const llvm::MCAsmInfo> assembly;
  std::vector<Operand> registerOperands; ///< by register number
  uint8_t modifiersType = 0;             ///< OperandType of source modifiers
  uint8_t kimmTypes[2] = {};             ///< OperandTypes of the inline K of fmaak/fmamk, f32 and f16
  uint8_t fp64Types[2] = {};             ///< OperandTypes of f64 sources: with and without literals
  std::string problem;                   ///< not empty: this LLVM's numbering is not the expected one
};
const MachineFacts &machineFacts();

struct Decoder::Machine {
  const MachineFacts &facts;
  const Target &target;
  unsigned waveSize = 0;
  unsigned registerMode = 0; ///< LLVM's HwMode for register classes
  llvm::MCTargetOptions options;
  std::unique_ptr<const llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<const llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;

  Machine(const MachineFacts &facts, const Target &target) : facts(facts), target(target) {}
};

/// The operand that a register number means; Kind::None for registers that are no operands.
Operand registerOperand(const MachineFacts &facts, llvm::MCRegister reg);

} // namespace wavewright::codeobject
