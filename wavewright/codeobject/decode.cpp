#include "wavewright/codeobject/assemble.h"
#include "wavewright/codeobject/decoder.h"
#include "wavewright/codeobject/machine_facts.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavewright::codeobject {
namespace {

constexpr size_t longestInstruction = 20;

/// LLVM 22's decoder for gfx9 ends the process when a 64-bit encoding names a literal (code 255) as scalar source,
/// which those encodings cannot have: VOP3, VOP3P and MFMA sources, a VOP3 compare's or lane read's scalar
/// destination, and the soffset of buffer instructions. On gfx12 it faults on barrier operations whose barrier id is a
/// literal; the id is m0 or an inline constant.
bool namesImpossibleLiteral(const Target &target, llvm::ArrayRef<uint8_t> bytes) {
  if (target.generation == Generation::Rdna4) {
    uint32_t word = llvm::support::endian::read32le(bytes.data());
    constexpr unsigned sop1 = 0x17d, signal = 0x4e, join = 0x52;
    unsigned opcode = word >> 8 & 0xff;
    return word >> 23 == sop1 && opcode >= signal && opcode <= join && (word & 0xff) == 255;
  }
  if (!target.isCdna() || bytes.size() < 8)
    return false;
  uint64_t word = llvm::support::endian::read64le(bytes.data());
  unsigned family = word >> 26 & 0x3f;
  constexpr unsigned vop3 = 0x34, mubuf = 0x38, mtbuf = 0x3a, literal = 255;
  if (family == mubuf || family == mtbuf)
    return word >> 56 == literal;
  if (family != vop3)
    return false;
  unsigned opcode = word >> 16 & 0x3ff;
  constexpr unsigned firstNoCompare = 0x100, readlane = 0x289;
  bool scalarResult = opcode < firstNoCompare || opcode == readlane;
  return (word >> 32 & 0x1ff) == literal || (word >> 41 & 0x1ff) == literal || (word >> 50 & 0x1ff) == literal ||
         (scalarResult && (word & 0xff) == literal);
}

/// LLVM 22's decoder for gfx950 narrows A and B of the f8f6f4 matrix instructions to their formats, and leaves no
/// operand where these are no vector registers, which the printer does not survive. No such word is legal.
bool hasScalarMatrix(const Target &target, llvm::ArrayRef<uint8_t> bytes) {
  if (target.generation != Generation::Cdna4 || bytes.size() < 8)
    return false;
  constexpr unsigned scale = 0xd3ac, small = 0xd3ad, large = 0xd3ae, firstVector = 256;
  uint64_t word = llvm::support::endian::read64le(bytes.data());
  if ((word >> 16 & 0xffff) == scale && bytes.size() >= 16)
    word = llvm::support::endian::read64le(bytes.data() + 8);
  unsigned opcode = word >> 16 & 0xffff;
  return (opcode == small || opcode == large) &&
         ((word >> 32 & 0x1ff) < firstVector || (word >> 41 & 0x1ff) < firstVector);
}

} // namespace

Decoder::Decoder(std::unique_ptr<Machine> state) : state(std::move(state)) {}
Decoder::~Decoder() = default;

llvm::Expected<std::unique_ptr<Decoder>> Decoder::create(const Target &target, unsigned waveSize) {
  const MachineFacts &facts = machineFacts();
  if (!facts.problem.empty())
    return fail(ErrorKind::Usage,
                fmt::format("cannot decode code of {}: {}; Wavewright needs LLVM 22.1", target.name, facts.problem));
  auto features = subtargetFeatures(target, waveSize);
  if (!features)
    return features.takeError();
  auto machine = std::make_unique<Machine>(facts, target);
  machine->waveSize = waveSize;
  llvm::Triple triple("amdgcn-amd-amdhsa");
  machine->subtarget.reset(
      facts.target->createMCSubtargetInfo(triple, llvm::StringRef(target.name.data(), target.name.size()), *features));
  if (!machine->subtarget)
    return fail(ErrorKind::Usage, fmt::format("LLVM does not know the chip {}", target.name));
  machine->registerMode = machine->subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo);
  machine->context =
      std::make_unique<llvm::MCContext>(triple, facts.assembly.get(), facts.registers.get(), machine->subtarget.get());
  machine->disassembler.reset(facts.target->createMCDisassembler(*machine->subtarget, *machine->context));
  machine->printer.reset(
      facts.target->createMCInstPrinter(triple, 0, *facts.assembly, *facts.instructions, *facts.registers));
  if (!machine->disassembler || !machine->printer)
    return fail(ErrorKind::Usage, fmt::format("LLVM has no disassembler for {}", target.name));
  return std::unique_ptr<Decoder>(new Decoder(std::move(machine)));
}

/// A 16-bit multiply-add with its own literal of 0xff: LLVM 22 takes the 255 for the code of "a literal follows", looks
/// for a second one and faults. Compilers emit it.
static bool hasFaultingLiteral(const Target &target, llvm::ArrayRef<uint8_t> bytes) {
  if (bytes.size() < 8 || llvm::support::endian::read32le(bytes.data() + 4) != 0xff)
    return false;
  unsigned top = bytes[3] >> 1; // VOP2: bit 31 is 0, the opcode is bits 30:25
  return target.isCdna() ? top == 0x24 || top == 0x25 : top == 0x37 || top == 0x38;
}

const Opcode *Decoder::disassembleWord(llvm::ArrayRef<uint8_t> bytes, uint64_t address, llvm::MCInst &inst,
                                       uint64_t &size) {
  if (bytes.size() < 4 || namesImpossibleLiteral(state->target, bytes) || hasScalarMatrix(state->target, bytes))
    return nullptr;
  // A literal that is cut off by the end of the code ends the process too, so there are always bytes to read.
  uint8_t padded[longestInstruction] = {};
  llvm::ArrayRef<uint8_t> readable = bytes;
  constexpr int64_t standIn = 0x1ff;
  bool faulting = hasFaultingLiteral(state->target, bytes);
  if (faulting || bytes.size() < longestInstruction) {
    std::copy_n(bytes.begin(), std::min(bytes.size(), longestInstruction), padded);
    if (faulting)
      llvm::support::endian::write32le(padded + 4, standIn);
    readable = padded;
  }
  if (state->disassembler->getInstruction(inst, size, readable, address, llvm::nulls()) == llvm::MCDisassembler::Fail)
    return nullptr;
  if (size < 4 || size > bytes.size())
    return nullptr;
  if (faulting)
    for (llvm::MCOperand &operand : inst)
      if (operand.isImm() && operand.getImm() == standIn)
        operand.setImm(0xff);
  const Opcode &opcode = opcodeOf(*state, inst);
  return reservedFields(opcode, inst) ? nullptr : &opcode;
}

Instruction Decoder::decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
  Instruction result;
  result.address = address;
  llvm::MCInst inst;
  uint64_t size = 0;
  if (const Opcode *opcode = disassembleWord(bytes, address, inst, size)) {
    result.size = static_cast<uint8_t>(size);
    result.encoding = opcode->encoding;
    result.name = opcode->name;
    placeOperands(*state, *opcode, inst, bytes.take_front(size), result);
    return result;
  }
  result.size = static_cast<uint8_t>(std::min<size_t>(4, bytes.size()));
  return result;
}

void Decoder::decodeAll(llvm::ArrayRef<uint8_t> bytes, uint64_t address, std::vector<Instruction> &out) {
  while (!bytes.empty()) {
    out.push_back(decode(bytes, address));
    address += out.back().size;
    bytes = bytes.drop_front(out.back().size);
  }
}

std::string Decoder::disassemble(llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
  llvm::MCInst inst;
  uint64_t size = 0;
  if (!disassembleWord(bytes, address, inst, size)) {
    std::string words = ".long";
    for (size_t i = 0; i < std::min<size_t>(4, bytes.size()); ++i)
      words += fmt::format("{} 0x{:02x}", i ? "," : "", bytes[i]);
    return words;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  state->printer->printInst(&inst, address, "", *state->subtarget, os);
  return llvm::StringRef(text).trim().str();
}

bool Instruction::isBranch() const {
  std::string_view name = this->name;
  bool toRegister = name == "s_cbranch_g_fork" || name == "s_cbranch_join";
  return name == "s_branch" || (name.starts_with("s_cbranch_") && !toRegister) || name.starts_with("s_subvector_loop_");
}

bool Instruction::endsBlock() const {
  static constexpr std::string_view enders[] = {
      "s_endpgm",  "s_endpgm_saved", "s_setpc_b64",       "s_swappc_b64",     "s_call_b64",    "s_trap",
      "s_rfe_b64", "s_add_pc_i64",   "s_rfe_restore_b64", "s_cbranch_g_fork", "s_cbranch_join"};
  return isBranch() || std::find(std::begin(enders), std::end(enders), name) != std::end(enders);
}

int64_t Program::indexAt(uint64_t address) const {
  auto found = std::lower_bound(instructions.begin(), instructions.end(), address,
                                [](const Instruction &inst, uint64_t wanted) { return inst.address < wanted; });
  return found != instructions.end() && found->address == address ? found - instructions.begin() : -1;
}

void findBlocks(Program &program) {
  std::vector<uint32_t> &blocks = program.blocks;
  uint64_t expected = 0;
  bool leader = true;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction &inst = program.instructions[i];
    if (leader || inst.address != expected)
      blocks.push_back(i);
    expected = inst.address + inst.size;
    leader = inst.endsBlock();
    if (inst.isBranch() || inst.name == "s_call_b64")
      if (int64_t target = program.indexAt(inst.target); target >= 0)
        blocks.push_back(static_cast<uint32_t>(target));
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
}

llvm::Expected<std::shared_ptr<const Program>> decode(const Target &target, unsigned waveSize,
                                                      llvm::ArrayRef<std::byte> code, uint64_t base) {
  auto decoder = Decoder::create(target, waveSize);
  if (!decoder)
    return decoder.takeError();
  auto program = std::make_shared<Program>();
  (*decoder)->decodeAll({reinterpret_cast<const uint8_t *>(code.data()), code.size()}, base, program->instructions);
  findBlocks(*program);
  return program;
}

std::string disassemble(const Target &target, unsigned waveSize, llvm::ArrayRef<std::byte> code, uint64_t base,
                        uint64_t address) {
  uint64_t offset = address - base;
  if (offset >= code.size())
    return "";
  auto decoder = Decoder::create(target, waveSize);
  if (!decoder) {
    llvm::consumeError(decoder.takeError());
    return "";
  }
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(code.data()), code.size());
  return (*decoder)->disassemble(bytes.drop_front(offset), address);
}

} // namespace wavewright::codeobject
