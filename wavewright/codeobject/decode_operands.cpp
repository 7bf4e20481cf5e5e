#include "wavewright/codeobject/machine_facts.h"

#include "llvm/MC/MCExpr.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <optional>

namespace wavewright::codeobject {
namespace {

/// Source modifier bits, as LLVM's decoder hands them over.
enum : uint64_t { ModNeg = 1, ModAbs = 2, ModOpSel = 4, ModOpSelHi = 8, ModSext = 16 };

/// Ranges of the 9-bit DPP16 control (RDNA3 ISA, table of DPP_CTRL; the wave and broadcast ones are CDNA's).
DppControl dppControl(uint64_t select) {
  using Kind = DppControl::Kind;
  DppControl control;
  struct Range {
    uint16_t first, last;
    Kind kind;
  };
  static constexpr Range ranges[] = {
      {0x000, 0x0ff, Kind::QuadPerm},      {0x101, 0x10f, Kind::RowShl},     {0x111, 0x11f, Kind::RowShr},
      {0x121, 0x12f, Kind::RowRor},        {0x130, 0x130, Kind::WaveShl1},   {0x134, 0x134, Kind::WaveRol1},
      {0x138, 0x138, Kind::WaveShr1},      {0x13c, 0x13c, Kind::WaveRor1},   {0x140, 0x140, Kind::RowMirror},
      {0x141, 0x141, Kind::RowHalfMirror}, {0x142, 0x142, Kind::RowBcast15}, {0x143, 0x143, Kind::RowBcast31},
      {0x150, 0x15f, Kind::RowShare},      {0x160, 0x16f, Kind::RowXmask}};
  for (const Range &range : ranges)
    if (select >= range.first && select <= range.last) {
      control.kind = range.kind;
      control.select = static_cast<uint32_t>(range.kind == Kind::QuadPerm ? select : select & 0xf);
    }
  return control;
}

Part sdwaPart(uint64_t select) {
  static constexpr Part parts[] = {Part::Byte0, Part::Byte1, Part::Byte2, Part::Byte3, Part::Low16, Part::High16};
  return select < 6 ? parts[select] : Part::Whole;
}

class Placer {
public:
  Placer(Decoder::Machine &machine, const Opcode &opcode, const llvm::MCInst &inst, llvm::ArrayRef<uint8_t> bytes,
         Instruction &result)
      : machine(machine), opcode(opcode), inst(inst), bytes(bytes), result(result) {
    if (bytes.size() > opcode.desc->getSize() || opcode.name == "s_setreg_imm32_b32")
      literal = llvm::support::endian::read32le(bytes.data() + bytes.size() - 4);
  }

  void place() {
    result.vop3 = opcode.vop3;
    result.lds = opcode.lds;
    result.returns = opcode.returns;
    result.offen = opcode.offen;
    result.idxen = opcode.idxen;
    result.mergesDst = opcode.merges;
    if (result.encoding == Encoding::Unknown && opcode.valu)
      result.encoding = vectorEncoding();
    unsigned count = std::min<unsigned>(inst.getNumOperands(), opcode.roles.size());
    for (unsigned i = 0; i < count; ++i)
      placeOperand(i);
    if (opcode.encoding == Encoding::Vopd)
      return splitHalves();
    placeImplicit();
    finish();
  }

private:
  /// VOP1, VOP2 and VOPC by their leading bits: LLVM's DPP and SDWA opcodes do not say.
  Encoding vectorEncoding() const {
    uint32_t word = llvm::support::endian::read32le(bytes.data());
    if (opcode.vop3)
      return Encoding::Vop3;
    return word >> 25 == 0x3f ? Encoding::Vop1 : word >> 25 == 0x3e ? Encoding::Vopc : Encoding::Vop2;
  }

  Operand vcc() const {
    Operand operand;
    operand.kind = Operand::Kind::Scalar;
    operand.index = scalar::VccLo;
    operand.dwords = static_cast<uint8_t>(machine.waveSize / 32);
    return operand;
  }

  Operand execMask() const {
    Operand operand = vcc();
    operand.index = scalar::ExecLo;
    return operand;
  }

  std::optional<int64_t> integer(unsigned i) const {
    const llvm::MCOperand &operand = inst.getOperand(i);
    if (operand.isImm())
      return operand.getImm();
    int64_t value = 0;
    if (operand.isExpr() && operand.getExpr()->evaluateAsAbsolute(value))
      return value;
    return std::nullopt;
  }

  /// Width in bits of operand `i` as its register class says; 32 where there is none.
  unsigned width(unsigned i) const {
    llvm::ArrayRef<llvm::MCOperandInfo> operands = opcode.desc->operands();
    if (i >= operands.size() || operands[i].RegClass < 0)
      return 32;
    int16_t id = machine.facts.instructions->getOpRegClassID(operands[i], machine.registerMode);
    if (id < 0 || static_cast<unsigned>(id) >= machine.facts.registers->getNumRegClasses())
      return 32;
    return machine.facts.registers->getRegClass(id).getSizeInBits();
  }

  bool isFp64(unsigned i) const {
    llvm::ArrayRef<llvm::MCOperandInfo> operands = opcode.desc->operands();
    return i < operands.size() && llvm::is_contained(machine.facts.fp64Types, operands[i].OperandType);
  }

  Operand constantOperand(unsigned i) const {
    Operand operand;
    std::optional<int64_t> value = integer(i);
    if (!value)
      return operand;
    operand.kind = Operand::Kind::Constant;
    unsigned bits = width(i);
    operand.dwords = static_cast<uint8_t>(std::max(1u, bits / 32));
    operand.constant = bits > 64 ? matrixConstant(*value) : static_cast<uint64_t>(*value);
    llvm::ArrayRef<llvm::MCOperandInfo> operands = opcode.desc->operands();
    bool kimm = i < operands.size() && llvm::is_contained(machine.facts.kimmTypes, operands[i].OperandType);
    bool high = literal && operand.constant == uint64_t(*literal) << 32;
    operand.literal = kimm || inst.getOperand(i).isExpr() ||
                      (literal && (static_cast<uint32_t>(operand.constant) == *literal || high));
    if (operand.literal && literal && isFp64(i) && !high)
      operand.constant = uint64_t(*literal) << 32;
    if (bits <= 32)
      operand.constant &= 0xffffffffu;
    return operand;
  }

  /// An inline constant as matrix C: LLVM expands it to the width of the first register pair, the hardware to one
  /// element, so it is read again from the encoding's source code.
  uint64_t matrixConstant(int64_t decoded) const {
    if (bytes.size() < 8)
      return static_cast<uint64_t>(decoded);
    uint64_t word = llvm::support::endian::read64le(bytes.data() + (bytes.size() == 16 ? 8 : 0));
    unsigned code = word >> 50 & 0x1ff;
    llvm::StringRef name = opcode.name; // "v_wmma_<type of D>_..."
    llvm::StringRef type = name.split('_').second.split('_').second;
    if (code < 240 || code > 248)
      return static_cast<uint64_t>(decoded) & (type.starts_with("f64") ? ~0ull : 0xffffffffull);
    static constexpr uint64_t half[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
    static constexpr uint64_t brain[] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22};
    static constexpr uint64_t single[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                          0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    static constexpr uint64_t full[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                        0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                        0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
    const uint64_t *table = type.starts_with("f16")    ? half
                            : type.starts_with("bf16") ? brain
                            : type.starts_with("f64")  ? full
                                                       : single;
    return table[code - 240];
  }

  Operand plainOperand(unsigned i) const {
    const llvm::MCOperand &operand = inst.getOperand(i);
    return operand.isReg() ? registerOperand(machine.facts, operand.getReg()) : constantOperand(i);
  }

  void modify(Operand &source) const {
    uint64_t bits = modifiers;
    source.neg = bits & ModNeg;
    switch (opcode.modifiers) {
    case ModifierStyle::Vop3:
      source.abs = bits & ModAbs;
      break;
    case ModifierStyle::OpSel:
      source.abs = bits & ModAbs;
      if ((bits & ModOpSel) && source.part == Part::Whole && !opcode.true16)
        source.part = Part::High16;
      break;
    case ModifierStyle::Packed:
      source.negHi = bits & ModAbs;
      source.opSel = bits & ModOpSel;
      source.opSelHi = bits & ModOpSelHi;
      break;
    case ModifierStyle::Mix:
      source.abs = bits & ModAbs;
      source.opSel = bits & ModOpSel;
      source.opSelHi = bits & ModOpSelHi;
      break;
    case ModifierStyle::Sdwa:
      source.abs = bits & ModAbs;
      source.sext = bits & ModSext;
      break;
    }
  }

  void addSource(Operand source) {
    if (!source)
      return;
    modify(source);
    modifiers = 0;
    result.src.push_back(source);
  }

  void placeOperand(unsigned i) {
    Role role = opcode.roles[i];
    switch (role) {
    case Role::Ignored:
      return;
    case Role::Dst:
      result.dst.push_back(plainOperand(i));
      return;
    case Role::Old:
      result.mergesDst = true;
      modifiers = 0;
      return;
    case Role::Src:
      return addSource(plainOperand(i));
    case Role::Accumulator: {
      int tied = opcode.desc->getOperandConstraint(i, llvm::MCOI::TIED_TO);
      if (tied >= 0 && static_cast<unsigned>(tied) < result.dst.size())
        addSource(result.dst[tied]);
      return;
    }
    case Role::Vaddr:
      result.vaddr = plainOperand(i);
      return;
    case Role::Saddr:
      result.saddr = plainOperand(i);
      return;
    case Role::Soffset:
      result.soffset = plainOperand(i);
      return;
    case Role::Vdata:
      result.vdata = plainOperand(i);
      return;
    case Role::Vdata1:
      result.vdata1 = plainOperand(i);
      return;
    default:
      if (std::optional<int64_t> value = integer(i))
        placeImmediate(role, *value);
      else if (role == Role::Imm)
        addSource(plainOperand(i)); // a barrier named by a register
    }
  }

  void placeImmediate(Role role, int64_t signedValue) {
    uint64_t value = static_cast<uint64_t>(signedValue);
    switch (role) {
    case Role::Modifiers:
      modifiers = value;
      if (opcode.modifiers == ModifierStyle::OpSel) {
        result.opSel |= (value & ModOpSel) ? 1u << modifierCount : 0;
        if (modifierCount == 0 && (value & ModOpSelHi)) {
          result.opSel |= 8;
          result.dstHigh16 = true;
        }
      }
      ++modifierCount;
      return;
    case Role::ByteSel:
      byteSel = value & 3;
      return;
    case Role::Clamp:
      result.clamp = value;
      return;
    case Role::Omod:
      result.omod = value & 3;
      return;
    case Role::Imm:
      result.imm = opcode.signedImm ? llvm::SignExtend64<16>(value) : signedValue;
      return;
    case Role::Target:
      result.imm = llvm::SignExtend64<16>(value);
      result.target = result.address + 4 + static_cast<uint64_t>(result.imm) * 4;
      return;
    case Role::Offset:
      result.offset = memoryOffset(signedValue);
      return;
    case Role::Offset1:
      result.offset1 = signedValue;
      return;
    case Role::CachePolicy:
      result.cachePolicy = static_cast<uint32_t>(value);
      return;
    case Role::Gds:
      result.gds = value;
      return;
    case Role::DppSelect: {
      DppControl control = dppControl(value);
      control.fetchInactive = result.dpp.fetchInactive;
      result.dpp = control;
      return;
    }
    case Role::RowMask:
      result.dpp.rowMask = value & 0xf;
      return;
    case Role::BankMask:
      result.dpp.bankMask = value & 0xf;
      return;
    case Role::BoundCtrl:
      result.dpp.boundCtrl = value;
      return;
    case Role::FetchInactive:
      // DPP8 has no such bit of its own: its encoding is one of the two src0 codes 233 and 234.
      result.dpp.fetchInactive = result.dpp.kind == DppControl::Kind::Dpp8 ? value == 0xea || value == 1 : value != 0;
      return;
    case Role::Dpp8Select:
      result.dpp.kind = DppControl::Kind::Dpp8;
      result.dpp.select = static_cast<uint32_t>(value & 0xffffff);
      return;
    case Role::SdwaDst:
      result.sdwaDst = sdwaPart(value);
      return;
    case Role::SdwaUnusedBits:
      result.sdwaUnused = value == 0 ? SdwaUnused::Pad : value == 1 ? SdwaUnused::SignExtend : SdwaUnused::Preserve;
      return;
    case Role::SdwaSrc0:
      if (!result.src.empty())
        result.src[0].part = sdwaPart(value);
      return;
    case Role::SdwaSrc1:
      if (result.src.size() > 1)
        result.src[1].part = sdwaPart(value);
      return;
    case Role::Cbsz:
      result.cbsz = static_cast<uint8_t>(value);
      return;
    case Role::Abid:
      result.abid = static_cast<uint8_t>(value);
      return;
    case Role::Blgp:
      result.blgp = static_cast<uint8_t>(value);
      return;
    case Role::ScaleModifiers0:
    case Role::ScaleModifiers1: {
      // Modifiers of the scale registers, which are src[3] and src[4], although they follow both.
      size_t scale = role == Role::ScaleModifiers0 ? 3 : 4;
      if (result.src.size() > scale) {
        result.src[scale].opSel = value & ModOpSel;
        result.src[scale].opSelHi = value & ModOpSelHi;
      }
      return;
    }
    default:
      return;
    }
  }

  /// LLVM hands over the raw field of flat, global and scratch offsets.
  int64_t memoryOffset(int64_t field) const {
    bool gfx12 = machine.target.generation == Generation::Rdna4 || machine.target.generation == Generation::Cdna5;
    switch (result.encoding) {
    case Encoding::Global:
    case Encoding::Scratch:
      return gfx12 ? llvm::SignExtend64<24>(field) : llvm::SignExtend64<13>(field);
    case Encoding::Flat:
      return gfx12 ? llvm::SignExtend64<24>(field) : field & 0xfff;
    default:
      return field;
    }
  }

  void placeImplicit() {
    if (opcode.implicitM0)
      result.src.push_back(m0());
    if (opcode.readsVcc)
      result.src.push_back(vcc());
    bool comparesIntoMask = std::string_view(opcode.name).starts_with("v_cmp") && !result.dst.empty();
    if (opcode.writesVcc && !comparesIntoMask) // LLVM repeats VCC on SDWA compares that name their mask
      result.dst.push_back(vcc());
    if (opcode.valu && opcode.writesExec)
      result.dst.insert(result.dst.begin(), execMask());
    result.readsScc = opcode.readsScc;
    result.writesScc = opcode.writesScc;
    result.readsExec = opcode.readsExec;
    result.writesExec = opcode.writesExec;
    auto isExec = [](const Operand &operand) {
      return operand.kind == Operand::Kind::Scalar && operand.index <= scalar::ExecHi &&
             operand.index + operand.dwords > scalar::ExecLo;
    };
    result.readsExec |= llvm::any_of(result.src, isExec);
    result.writesExec |= llvm::any_of(result.dst, isExec);
  }

  static Operand m0() {
    Operand operand;
    operand.kind = Operand::Kind::Scalar;
    operand.index = scalar::M0;
    return operand;
  }

  void finish() {
    if (!result.dst.empty() && result.dst[0].part == Part::High16)
      result.dstHigh16 = true;
    if (!result.dst.empty() && opcode.valu) {
      std::string_view name = opcode.name;
      if (name == "v_fma_mixhi_f16" || name == "v_mad_mixhi_f16" || name == "v_fma_mixhi_bf16") {
        result.dst[0].part = Part::High16;
        result.dstHigh16 = true;
      } else if (name == "v_fma_mixlo_f16" || name == "v_mad_mixlo_f16" || name == "v_fma_mixlo_bf16") {
        result.dst[0].part = Part::Low16;
      } else if (result.dstHigh16) {
        result.dst[0].part = Part::High16;
      }
      if (opcode.bytes != ByteSelection::None && result.vop3)
        selectByte();
      if (name.starts_with("v_permlane16_b32") || name.starts_with("v_permlanex16_b32"))
        permlaneBits();
    }
    if (opcode.name == "v_pk_fmac_f16" && opcode.modifiers != ModifierStyle::Packed) { // VOP2: whole registers
      if (result.src.size() == 2 && !result.dst.empty())
        result.src.push_back(result.dst[0]);
      for (Operand &operand : result.src)
        operand.opSelHi = true;
    }
    bool addendFirst = result.dpp.kind != DppControl::Kind::None && opcode.name == "v_pk_fmac_f16";
    if (addendFirst) // LLVM ties DPP's "old", which is the addend here
      std::rotate(result.src.begin(), result.src.begin() + 1, result.src.end());
    if (opcode.sparse && result.src.size() == 4)
      std::swap(result.src[2], result.src[3]);
    if (result.sdwaDst != Part::Whole && result.sdwaUnused == SdwaUnused::Preserve)
      result.mergesDst = true;
    if (result.encoding == Encoding::Ds && std::string_view(opcode.name).starts_with("ds_swizzle"))
      result.imm = result.offset;
  }

  /// gfx9: op_sel[1:0] is the byte of the source, op_sel[3:2] the byte of the result. gfx12: byte_sel is either.
  void selectByte() {
    bool source = opcode.bytes == ByteSelection::Source;
    unsigned byte = byteSel ? *byteSel : source ? result.opSel & 3 : result.opSel >> 2;
    Part part = sdwaPart(byte);
    for (Operand &operand : result.src)
      operand.part = Part::Whole;
    if (source && !result.src.empty()) {
      result.src[0].part = part;
    } else if (!source) {
      result.dst[0].part = part;
      result.dstHigh16 = false;
    }
  }

  /// op_sel of v_permlane16: bit 0 fetches from inactive lanes, bit 1 is bound_ctrl.
  void permlaneBits() {
    result.dpp.fetchInactive = !result.src.empty() && result.src[0].part == Part::High16;
    result.dpp.boundCtrl = result.src.size() > 1 && result.src[1].part == Part::High16;
    for (Operand &source : result.src)
      source.part = Part::Whole;
  }

  void splitHalves() {
    if (result.dst.size() != 2 || result.src.size() < opcode.halfSources)
      return;
    result.halves = std::make_unique<Instruction[]>(2);
    for (unsigned half = 0; half < 2; ++half) {
      Instruction &part = result.halves[half];
      part.address = result.address;
      part.size = result.size;
      part.encoding = Encoding::Vop2;
      part.name = opcode.halfNames[half];
      part.dst.push_back(result.dst[half]);
      auto middle = result.src.begin() + opcode.halfSources;
      if (half == 0)
        part.src.append(result.src.begin(), middle);
      else
        part.src.append(middle, result.src.end());
      if (opcode.halfReadsVcc[half])
        part.src.push_back(vcc());
    }
    result.dst.clear();
    result.src.clear();
  }

  Decoder::Machine &machine;
  const Opcode &opcode;
  const llvm::MCInst &inst;
  llvm::ArrayRef<uint8_t> bytes;
  Instruction &result;
  uint64_t modifiers = 0;     ///< of the next source
  unsigned modifierCount = 0; ///< how many sources had some
  std::optional<unsigned> byteSel;
  std::optional<uint32_t> literal;
};

} // namespace

bool knownDppSelect(uint64_t select) { return dppControl(select).kind != DppControl::Kind::None; }

void placeOperands(Decoder::Machine &machine, const Opcode &opcode, const llvm::MCInst &inst,
                   llvm::ArrayRef<uint8_t> bytes, Instruction &result) {
  Placer(machine, opcode, inst, bytes, result).place();
}

} // namespace wavewright::codeobject
