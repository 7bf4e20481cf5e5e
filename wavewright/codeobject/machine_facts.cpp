#include "wavewright/codeobject/machine_facts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/Triple.h"

#include <optional>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace wavewright::codeobject {
namespace {

Operand special(SpecialSource source, uint8_t dwords = 1) {
  Operand operand;
  operand.kind = Operand::Kind::Special;
  operand.index = static_cast<uint16_t>(source);
  operand.dwords = dwords;
  return operand;
}

Operand scalarRegister(unsigned index, uint8_t dwords = 1) {
  Operand operand;
  operand.kind = Operand::Kind::Scalar;
  operand.index = static_cast<uint16_t>(index);
  operand.dwords = dwords;
  return operand;
}

/// Registers that are no numbered file, by LLVM's name without generation and half suffixes.
std::optional<Operand> namedRegister(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Operand>>(name)
      .Case("VCC", scalarRegister(scalar::VccLo, 2))
      .Case("VCC_LO", scalarRegister(scalar::VccLo))
      .Case("VCC_HI", scalarRegister(scalar::VccHi))
      .Case("EXEC", scalarRegister(scalar::ExecLo, 2))
      .Case("EXEC_LO", scalarRegister(scalar::ExecLo))
      .Case("EXEC_HI", scalarRegister(scalar::ExecHi))
      .Case("FLAT_SCR", scalarRegister(scalar::FlatScratchLo, 2))
      .Case("FLAT_SCR_LO", scalarRegister(scalar::FlatScratchLo))
      .Case("FLAT_SCR_HI", scalarRegister(scalar::FlatScratchHi))
      .Case("XNACK_MASK", scalarRegister(104, 2))
      .Case("XNACK_MASK_LO", scalarRegister(104))
      .Case("XNACK_MASK_HI", scalarRegister(105))
      .Case("M0", scalarRegister(scalar::M0))
      .Cases({"SGPR_NULL", "SGPR_NULL_HI"}, scalarRegister(scalar::Null))
      .Case("SGPR_NULL64", scalarRegister(scalar::Null, 2))
      .Case("SGPR_NULL128", scalarRegister(scalar::Null, 4))
      .Case("SGPR_NULL256", scalarRegister(scalar::Null, 8))
      .Case("SRC_SCC", special(SpecialSource::Scc))
      .Case("SRC_VCCZ", special(SpecialSource::Vccz))
      .Case("SRC_EXECZ", special(SpecialSource::Execz))
      .Case("SRC_SHARED_BASE", special(SpecialSource::SharedBase, 2))
      .Case("SRC_SHARED_BASE_LO", special(SpecialSource::SharedBase))
      .Case("SRC_SHARED_LIMIT", special(SpecialSource::SharedLimit, 2))
      .Case("SRC_SHARED_LIMIT_LO", special(SpecialSource::SharedLimit))
      .Case("SRC_PRIVATE_BASE", special(SpecialSource::PrivateBase, 2))
      .Case("SRC_PRIVATE_BASE_LO", special(SpecialSource::PrivateBase))
      .Case("SRC_PRIVATE_LIMIT", special(SpecialSource::PrivateLimit, 2))
      .Case("SRC_PRIVATE_LIMIT_LO", special(SpecialSource::PrivateLimit))
      .Case("SRC_POPS_EXITING_WAVE_ID", special(SpecialSource::PopsExitingWaveId))
      .Case("LDS_DIRECT", special(SpecialSource::LdsDirect))
      .Case("SRC_FLAT_SCRATCH_BASE", special(SpecialSource::FlatScratchBaseLo, 2))
      .Case("SRC_FLAT_SCRATCH_BASE_LO", special(SpecialSource::FlatScratchBaseLo))
      .Case("SRC_FLAT_SCRATCH_BASE_HI", special(SpecialSource::FlatScratchBaseHi))
      .Default(std::nullopt);
}

/// Reads a register name: "VGPR3_VGPR4", "TTMP9_gfx9plus", "VGPR3_HI16", "M0_gfx11plus".
Operand readRegisterName(llvm::StringRef name) {
  Operand operand;
  Part part = Part::Whole;
  if (name.consume_back("_HI16"))
    part = Part::High16;
  else if (name.consume_back("_LO16"))
    part = Part::Low16;
  for (llvm::StringRef generation : {"_gfx9plus", "_gfx11plus", "_gfxpre11", "_vi", "_ci"})
    if (name.consume_back(generation))
      break;
  if (auto named = namedRegister(name)) {
    named->part = part;
    return *named;
  }
  llvm::SmallVector<llvm::StringRef, 32> parts;
  name.split(parts, '_');
  llvm::StringRef first = parts.front();
  unsigned number = 0;
  auto numbered = [&](llvm::StringRef file, Operand::Kind kind, unsigned base) {
    llvm::StringRef digits = first;
    if (!digits.consume_front(file) || digits.empty() || digits.getAsInteger(10, number))
      return false;
    operand.kind = kind;
    operand.index = static_cast<uint16_t>(base + number);
    operand.dwords = static_cast<uint8_t>(parts.size());
    operand.part = part;
    return true;
  };
  if (!numbered("VGPR", Operand::Kind::Vgpr, 0) && !numbered("AGPR", Operand::Kind::Agpr, 0) &&
      !numbered("SGPR", Operand::Kind::Scalar, 0))
    numbered("TTMP", Operand::Kind::Scalar, scalar::Ttmp0);
  return operand;
}

/// Instructions whose shape is known, from which the private numbers are read or checked.
struct Anchor {
  llvm::StringRef opcode;
  uint64_t flags;
};
const Anchor anchors[] = {{"V_ADD_F32_e32_gfx11", format::Valu | format::Vop2},
                          {"V_ADD_F32_e64_gfx11", format::Valu | format::Vop3},
                          {"V_MOV_B32_e32_gfx12", format::Valu | format::Vop1},
                          {"V_ADD_F32_dpp_vi", format::Valu | format::Dpp},
                          {"V_ADD_F32_sdwa_gfx9", format::Valu | format::Sdwa},
                          {"S_MOV_B32_gfx11", format::Salu | format::Sop1},
                          {"S_AND_B32_vi", format::Salu | format::Sop2},
                          {"S_MOVK_I32_vi", format::Salu | format::Sopk},
                          {"S_WAITCNT_vi", format::Salu | format::Sopp},
                          {"S_LOAD_B32_IMM_gfx11", format::Smem},
                          {"DS_READ_B32_vi", format::Ds},
                          {"GLOBAL_LOAD_DWORD_gfx11", format::Flat},
                          {"BUFFER_LOAD_DWORD_OFFEN_gfx11", format::Mubuf},
                          {"TBUFFER_LOAD_FORMAT_X_OFFEN_gfx11", format::Mtbuf},
                          {"V_PERMLANE16_B32_e64_gfx11", format::Valu | format::Vop3 | format::OpSel},
                          {"V_PK_FMA_F16_vi", format::Valu | format::Vop3 | format::Vop3p},
                          {"S_CMP_EQ_U32_vi", format::Salu | format::Sopc},
                          {"V_CMP_EQ_U32_e32_vi", format::Valu | format::Vopc}};

void learn(MachineFacts &facts) {
  const llvm::MCInstrInfo &instructions = *facts.instructions;
  llvm::StringMap<unsigned> wanted;
  for (const Anchor &anchor : anchors)
    wanted[anchor.opcode] = 0;
  for (llvm::StringRef name : {"V_FMAAK_F32_gfx11", "V_MADAK_F16_vi", "V_ADD_F64_e64_gfx11", "V_ADD_F64_e32_gfx12"})
    wanted[name] = 0;
  for (unsigned i = 0, e = instructions.getNumOpcodes(); i != e; ++i)
    if (auto found = wanted.find(instructions.getName(i)); found != wanted.end())
      found->second = i;
  for (auto &entry : wanted)
    if (!entry.second) {
      facts.problem = "LLVM has no opcode " + entry.first().str();
      return;
    }
  auto desc = [&](llvm::StringRef name) -> const llvm::MCInstrDesc & { return instructions.get(wanted[name]); };
  auto type = [&](llvm::StringRef name, unsigned operand) -> uint8_t {
    llvm::ArrayRef<llvm::MCOperandInfo> operands = desc(name).operands();
    return operand < operands.size() ? operands[operand].OperandType : 0;
  };
  constexpr uint64_t families = (format::Ds << 1) - 1;
  for (const Anchor &anchor : anchors)
    if ((desc(anchor.opcode).TSFlags & families & anchor.flags) != (anchor.flags & families) ||
        (desc(anchor.opcode).TSFlags & anchor.flags) != anchor.flags) {
      facts.problem = "LLVM numbers the format flags of " + anchor.opcode.str() + " in another way";
      return;
    }
  facts.modifiersType = type("V_ADD_F32_e64_gfx11", 1);
  facts.kimmTypes[0] = type("V_FMAAK_F32_gfx11", 3);
  facts.kimmTypes[1] = type("V_MADAK_F16_vi", 3);
  facts.fp64Types[0] = type("V_ADD_F64_e64_gfx11", 2);
  facts.fp64Types[1] = type("V_ADD_F64_e32_gfx12", 1);
}

std::unique_ptr<MachineFacts> makeFacts() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  auto facts = std::make_unique<MachineFacts>();
  std::string error;
  llvm::Triple triple("amdgcn-amd-amdhsa");
  facts->target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!facts->target) {
    facts->problem = error;
    return facts;
  }
  facts->registers.reset(facts->target->createMCRegInfo(triple));
  facts->instructions.reset(facts->target->createMCInstrInfo());
  if (facts->registers)
    facts->assembly.reset(facts->target->createMCAsmInfo(*facts->registers, triple, llvm::MCTargetOptions()));
  if (!facts->registers || !facts->instructions || !facts->assembly) {
    facts->problem = "LLVM was built without the AMDGPU target";
    return facts;
  }
  facts->registerOperands.resize(facts->registers->getNumRegs());
  for (unsigned i = 1; i < facts->registerOperands.size(); ++i)
    facts->registerOperands[i] = readRegisterName(facts->registers->getName(i));
  learn(*facts);
  return facts;
}

} // namespace

const MachineFacts &machineFacts() {
  static const std::unique_ptr<MachineFacts> facts = makeFacts();
  return *facts;
}

Operand registerOperand(const MachineFacts &facts, llvm::MCRegister reg) {
  return reg.id() < facts.registerOperands.size() ? facts.registerOperands[reg.id()] : Operand();
}

} // namespace wavewright::codeobject
