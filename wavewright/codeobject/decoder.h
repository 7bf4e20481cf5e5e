//===- codeobject/decoder.h - from machine words to Instruction -----------------------------------===//
//
// Private to the room. LLVM's disassembler gives an opcode and a flat operand list; this turns the two into
// an Instruction. Every opcode gets a list of roles, one an operand, worked out once from its description and
// its name (decode_names.cpp), and an instruction is placed by walking that list (decode_operands.cpp).
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"

#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrDesc.h"

#include <memory>

namespace wavewright::codeobject {

/// What one operand of an MCInst means.
enum class Role : uint8_t {
  Ignored, ///< repeats what another operand says, or only matters to the assembler
  Dst,
  Old, ///< tied to dst[0] without being a source of the operation
  Src,
  Accumulator, ///< a source tied to dst[0]
  Modifiers,   ///< of the source that follows
  Clamp,
  Omod,
  Imm,
  Target,
  Vaddr,
  Saddr,
  Soffset,
  Vdata,
  Vdata1,
  Offset,
  Offset1,
  CachePolicy,
  Gds,
  DppSelect,
  RowMask,
  BankMask,
  BoundCtrl,
  FetchInactive,
  Dpp8Select,
  SdwaDst,
  SdwaUnusedBits,
  SdwaSrc0,
  SdwaSrc1,
  Cbsz,
  Abid,
  Blgp,
  ScaleModifiers0,
  ScaleModifiers1,
  ByteSel
};

/// How source modifier bits read (SISrcMods of LLVM's AMDGPU target).
enum class ModifierStyle : uint8_t { Vop3, OpSel, Packed, Mix, Sdwa };

/// Whether op_sel (or byte_sel) picks a byte, and of what.
enum class ByteSelection : uint8_t { None, Source, Destination };

/// Everything that depends on the opcode alone.
struct Opcode {
  std::string_view name; ///< mnemonic without encoding suffixes
  const llvm::MCInstrDesc *desc = nullptr;
  Encoding encoding = Encoding::Unknown;
  ModifierStyle modifiers = ModifierStyle::Vop3;
  llvm::SmallVector<Role, 12> roles;
  bool salu = false, valu = false, vop3 = false, true16 = false;
  bool lds = false, returns = false, offen = false, idxen = false;
  bool merges = false;     ///< mergesDst whatever the operands are
  bool signedImm = false;  ///< the 16-bit immediate is a signed number
  bool implicitM0 = false; ///< m0 is an operand of the assembler's spelling
  bool readsVcc = false, writesVcc = false, readsScc = false, writesScc = false;
  bool readsExec = false, writesExec = false;
  ByteSelection bytes = ByteSelection::None;
  bool sparse = false;           ///< SMFMAC: the index comes before the tied accumulator in LLVM's order
  unsigned halfSources = 0;      ///< VOPD: how many sources belong to X
  std::string_view halfNames[2]; ///< VOPD: names of X and Y
  bool halfReadsVcc[2] = {};
};

/// One MC context for a chip and wave size. Not thread-safe; cheap enough to be made for each program.
class Decoder {
public:
  static llvm::Expected<std::unique_ptr<Decoder>> create(const Target &target, unsigned waveSize);
  ~Decoder();

  /// Decodes the instruction at the start of `bytes`, which is not empty.
  Instruction decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address);
  /// Appends the decoded form of all bytes.
  void decodeAll(llvm::ArrayRef<uint8_t> bytes, uint64_t address, std::vector<Instruction> &out);
  std::string disassemble(llvm::ArrayRef<uint8_t> bytes, uint64_t address);

  struct Machine; ///< LLVM's objects

private:
  /// Size of the instruction and its opcode; nullptr when the chip has none like it.
  const Opcode *disassembleWord(llvm::ArrayRef<uint8_t> bytes, uint64_t address, llvm::MCInst &inst, uint64_t &size);

  explicit Decoder(std::unique_ptr<Machine> state);
  std::unique_ptr<Machine> state;
};

/// The facts of one opcode; worked out at first sight, kept for the process.
const Opcode &opcodeOf(Decoder::Machine &machine, const llvm::MCInst &inst);

/// Whether a field holds a value that the manual reserves. Such words count as undecodable, and must not be printed.
bool reservedFields(const Opcode &opcode, const llvm::MCInst &inst);

/// Whether a DPP16 control is none that the manuals reserve.
bool knownDppSelect(uint64_t select);

/// Fills the operands of `result` (name, size, address and encoding are set).
void placeOperands(Decoder::Machine &machine, const Opcode &opcode, const llvm::MCInst &inst,
                   llvm::ArrayRef<uint8_t> bytes, Instruction &result);

/// Keeps one copy of a name for the life of the process.
std::string_view internName(llvm::StringRef name);

/// Sorts block leaders into `program`: the first instruction, branch targets, and what follows a block's end.
void findBlocks(Program &program);

} // namespace wavewright::codeobject
