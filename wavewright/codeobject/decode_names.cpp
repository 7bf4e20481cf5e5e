#include "wavewright/codeobject/machine_facts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace wavewright::codeobject {
namespace {

using llvm::StringRef;

/// Mnemonics whose immediate is a signed 16-bit number; all others are raw fields.
constexpr std::string_view signedImmediates[] = {"s_movk_i32",    "s_cmovk_i32",   "s_addk_i32",    "s_addk_co_i32",
                                                 "s_mulk_i32",    "s_cmpk_eq_i32", "s_cmpk_lg_i32", "s_cmpk_gt_i32",
                                                 "s_cmpk_ge_i32", "s_cmpk_lt_i32", "s_cmpk_le_i32", "s_barrier_wait"};

/// Operations whose tied operand is an addend, not what is left in the destination.
constexpr std::string_view accumulating[] = {"v_fmac_",           "v_mac_",   "v_pk_fmac_", "v_dot2c_",
                                             "v_dot4c_",          "v_dot8c_", "v_dot2acc_", "v_smfmac_",
                                             "v_swmmac_",         "s_fmac_",  "v_swap",     "v_permlane16_swap",
                                             "v_permlane32_swap", "s_addk_",  "s_mulk_"};

/// Scalar operations that may keep their destination, or keep part of it, without LLVM tying it.
constexpr std::string_view mergingScalars[] = {"s_bitset", "s_cmov", "s_cmovk"};

/// Conversions that pick one byte of a register, with VOP3's op_sel or, on gfx12, with byte_sel.
struct ByteRule {
  std::string_view prefix;
  ByteSelection selection;
};
constexpr ByteRule byteRules[] = {{"v_cvt_sr_fp8_f32", ByteSelection::Destination},
                                  {"v_cvt_sr_bf8_f32", ByteSelection::Destination},
                                  {"v_cvt_scalef32_sr_fp8_", ByteSelection::Destination},
                                  {"v_cvt_scalef32_sr_bf8_", ByteSelection::Destination},
                                  {"v_cvt_scalef32_pk_fp4_", ByteSelection::Destination},
                                  {"v_cvt_scalef32_sr_pk_fp4_", ByteSelection::Destination},
                                  {"v_cvt_f32_fp8", ByteSelection::Source},
                                  {"v_cvt_f32_bf8", ByteSelection::Source},
                                  {"v_cvt_scalef32_f32_fp8", ByteSelection::Source},
                                  {"v_cvt_scalef32_f32_bf8", ByteSelection::Source},
                                  {"v_cvt_scalef32_f16_fp8", ByteSelection::Source},
                                  {"v_cvt_scalef32_f16_bf8", ByteSelection::Source},
                                  {"v_cvt_scalef32_pk_f32_fp4", ByteSelection::Source},
                                  {"v_cvt_scalef32_pk_f16_fp4", ByteSelection::Source},
                                  {"v_cvt_scalef32_pk_bf16_fp4", ByteSelection::Source}};

ByteSelection byteSelection(std::string_view name) {
  for (const ByteRule &rule : byteRules)
    if (name.starts_with(rule.prefix))
      return rule.selection;
  return ByteSelection::None;
}

bool hasPrefix(std::string_view name, llvm::ArrayRef<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return name.starts_with(p); });
}

StringRef withoutSuffix(StringRef mnemonic) {
  mnemonic = mnemonic.split(' ').first.trim();
  for (StringRef suffix : {"_e64_dpp8", "_e64_dpp", "_dpp8", "_dpp", "_sdwa", "_e64", "_e32"})
    if (mnemonic.consume_back(suffix))
      break;
  return mnemonic;
}

std::string print(Decoder::Machine &machine, const llvm::MCInst &inst) {
  std::string text;
  llvm::raw_string_ostream os(text);
  machine.printer->printInst(&inst, 0, "", *machine.subtarget, os);
  return text;
}

/// How the assembler spells the immediate operand `index`: "clamp", "mul", "cbsz", ... It is learned from the
/// word that appears when the operand goes from 0 to 1; empty when nothing does.
/// All other immediates are 0 meanwhile: LLVM's printer does not survive reserved values of some.
std::string spelling(Decoder::Machine &machine, const llvm::MCInst &inst, llvm::ArrayRef<unsigned> immediates,
                     unsigned index) {
  llvm::MCInst probe = inst;
  for (unsigned i : immediates)
    if (i < probe.getNumOperands() && probe.getOperand(i).isImm())
      probe.getOperand(i).setImm(0);
  std::string before = print(machine, probe);
  probe.getOperand(index).setImm(1);
  std::string after = print(machine, probe);
  llvm::SmallVector<StringRef, 16> words, old;
  StringRef(before).split(old, ' ', -1, false);
  StringRef(after).split(words, ' ', -1, false);
  for (StringRef word : words)
    if (!llvm::is_contained(old, word))
      return word.split(':').first.str();
  return "";
}

Role roleOfSpelling(StringRef word, bool scale, bool &scaleHiNext) {
  if (word == "clamp")
    return Role::Clamp;
  if (word == "mul")
    return Role::Omod;
  if (word == "cbsz")
    return Role::Cbsz;
  if (word == "abid")
    return Role::Abid;
  if (word == "blgp" || (word == "neg" && !scale))
    return Role::Blgp;
  if (word == "bound_ctrl")
    return Role::BoundCtrl;
  if (word == "fi")
    return Role::FetchInactive;
  if (word == "byte_sel")
    return Role::ByteSel;
  if (word == "bitop3" || word == "index_key" || word == "wait_exp")
    return Role::Imm;
  if (scale && !scaleHiNext) {
    scaleHiNext = true;
    return Role::ScaleModifiers0;
  }
  return scale ? Role::ScaleModifiers1 : Role::Ignored;
}

/// Works out the roles of one opcode's operands.
class Reader {
public:
  Reader(Decoder::Machine &machine, const llvm::MCInst &inst)
      : machine(machine), inst(inst), desc(machine.facts.instructions->get(inst.getOpcode())),
        llvmName(machine.facts.instructions->getName(inst.getOpcode())), flags(desc.TSFlags) {}

  Opcode read() {
    opcode.desc = &desc;
    opcode.name = internName(withoutSuffix(machine.printer->getMnemonic(inst).first));
    opcode.salu = flags & format::Salu;
    opcode.valu = flags & format::Valu;
    opcode.true16 = llvmName.contains("_t16");
    opcode.roles.assign(std::max<size_t>(desc.operands().size(), inst.getNumOperands()), Role::Ignored);
    for (unsigned i = 0; i < desc.getNumDefs() && i < opcode.roles.size(); ++i)
      opcode.roles[i] = Role::Dst;
    readImplicit();
    readFamily();
    StringRef name = opcode.name;
    if (desc.mayLoad() && desc.getNumDefs() && name.contains("d16") && !name.contains("format"))
      opcode.merges = true;
    return std::move(opcode);
  }

private:
  enum class Shape : uint8_t { Register, Tied, Modifiers, Kimm, Immediate };

  Shape shape(unsigned i) const {
    llvm::ArrayRef<llvm::MCOperandInfo> operands = desc.operands();
    if (i >= operands.size())
      return Shape::Immediate;
    const llvm::MCOperandInfo &info = operands[i];
    if (desc.getOperandConstraint(i, llvm::MCOI::TIED_TO) >= 0)
      return Shape::Tied;
    if (info.OperandType == machine.facts.modifiersType)
      return Shape::Modifiers;
    if (info.OperandType == machine.facts.kimmTypes[0] || info.OperandType == machine.facts.kimmTypes[1])
      return Shape::Kimm;
    return info.RegClass >= 0 ? Shape::Register : Shape::Immediate;
  }

  /// Operands after the definitions that have the given shape.
  llvm::SmallVector<unsigned, 8> shaped(Shape wanted) const {
    llvm::SmallVector<unsigned, 8> result;
    for (unsigned i = desc.getNumDefs(); i < opcode.roles.size(); ++i)
      if (shape(i) == wanted)
        result.push_back(i);
    return result;
  }

  void setRoles(llvm::ArrayRef<unsigned> operands, std::initializer_list<Role> roles) {
    auto role = roles.begin();
    for (unsigned operand : operands)
      if (role != roles.end())
        opcode.roles[operand] = *role++;
  }

  void readImplicit() {
    auto mark = [&](llvm::ArrayRef<llvm::MCPhysReg> list, bool &vcc, bool &scc, bool &exec) {
      for (llvm::MCPhysReg reg : list) {
        StringRef name = machine.facts.registers->getName(reg);
        vcc |= name == "VCC" || name == "VCC_LO";
        scc |= name == "SCC";
        exec |= name == "EXEC" || name == "EXEC_LO";
      }
    };
    mark(desc.implicit_uses(), opcode.readsVcc, opcode.readsScc, opcode.readsExec);
    mark(desc.implicit_defs(), opcode.writesVcc, opcode.writesScc, opcode.writesExec);
    if (!opcode.salu)
      opcode.readsExec = false;
  }

  void readFamily() {
    if (flags & format::Smem)
      return readSmem();
    if (flags & format::Salu)
      return readSalu();
    if (flags & format::Ds)
      return readDs();
    if (flags & format::Flat)
      return readFlat();
    if (flags & (format::Mubuf | format::Mtbuf))
      return readBuffer();
    if (flags & format::Mimg || flags & format::Export)
      return readOpaque(flags & format::Export ? Encoding::Export : Encoding::Mimg);
    if (llvmName.starts_with("LDS_") || llvmName.starts_with("DS_"))
      return readOpaque(Encoding::LdsDirect);
    if (llvmName.starts_with("V_DUAL_"))
      return readVopd();
    if (flags & format::Valu)
      return readVector();
    readOpaque(Encoding::Unknown);
  }

  void readOpaque(Encoding encoding) {
    opcode.encoding = encoding;
    for (unsigned i : shaped(Shape::Register))
      opcode.roles[i] = Role::Src;
    auto immediates = shaped(Shape::Immediate);
    setRoles(immediates, {Role::Imm});
  }

  void readTied(unsigned i) { opcode.roles[i] = hasPrefix(opcode.name, accumulating) ? Role::Accumulator : Role::Old; }

  void readSalu() {
    static const std::pair<uint64_t, Encoding> families[] = {{format::Sop1, Encoding::Sop1},
                                                             {format::Sop2, Encoding::Sop2},
                                                             {format::Sopc, Encoding::Sopc},
                                                             {format::Sopk, Encoding::Sopk},
                                                             {format::Sopp, Encoding::Sopp}};
    for (auto [flag, encoding] : families)
      if (flags & flag)
        opcode.encoding = encoding;
    bool branch = StringRef(opcode.name).starts_with("s_cbranch_") || opcode.name == "s_branch" ||
                  opcode.name == "s_call_b64" || StringRef(opcode.name).starts_with("s_subvector_loop");
    if (opcode.name == "s_cbranch_g_fork" || opcode.name == "s_cbranch_join")
      branch = false;
    opcode.signedImm = llvm::is_contained(signedImmediates, opcode.name);
    opcode.merges = hasPrefix(opcode.name, mergingScalars);
    opcode.implicitM0 = llvmName.contains("_M0_");
    bool literalFirst = opcode.name == "s_setreg_imm32_b32";
    for (unsigned i = desc.getNumDefs(); i < opcode.roles.size(); ++i) {
      switch (shape(i)) {
      case Shape::Register:
      case Shape::Kimm:
        opcode.roles[i] = Role::Src;
        break;
      case Shape::Tied:
        readTied(i);
        break;
      default:
        opcode.roles[i] = literalFirst ? Role::Src : branch ? Role::Target : Role::Imm;
        literalFirst = false;
      }
    }
  }

  void readSmem() {
    opcode.encoding = Encoding::Smem;
    StringRef name = opcode.name;
    llvm::SmallVector<unsigned, 8> registers = shaped(Shape::Register), immediates = shaped(Shape::Immediate);
    bool stores = name.contains("store") || name.contains("atomic");
    for (unsigned i : shaped(Shape::Tied)) {
      opcode.roles[i] = Role::Vdata;
      stores = false;
    }
    opcode.returns = name.contains("atomic") && desc.getNumDefs();
    if (name.contains("prefetch")) {
      if (name.contains("pc_rel"))
        setRoles(registers, {Role::Soffset});
      else
        setRoles(registers, {Role::Saddr, Role::Soffset});
      setRoles(immediates, {Role::Offset, Role::Imm});
      return;
    }
    if (stores)
      setRoles(registers, {Role::Vdata, Role::Saddr, Role::Soffset});
    else
      setRoles(registers, {Role::Saddr, Role::Soffset});
    if (name.contains("atc_probe"))
      setRoles(immediates, {Role::Imm, Role::Offset});
    else if (llvmName.contains("_IMM"))
      setRoles(immediates, {Role::Offset, Role::CachePolicy});
    else
      setRoles(immediates, {Role::CachePolicy});
  }

  void readDs() {
    opcode.encoding = Encoding::Ds;
    StringRef name = opcode.name;
    bool addressless = name.starts_with("ds_gws") || name.contains("append") || name.contains("consume") ||
                       name.contains("addtid") || name.contains("ordered_count") || name.contains("gs_reg");
    bool two = name.starts_with("ds_read2") || name.starts_with("ds_write2") || name.starts_with("ds_wrxchg2") ||
               name.contains("2addr");
    if (addressless)
      setRoles(shaped(Shape::Register), {Role::Vdata});
    else
      setRoles(shaped(Shape::Register), {Role::Vaddr, Role::Vdata, Role::Vdata1});
    if (two)
      setRoles(shaped(Shape::Immediate), {Role::Offset, Role::Offset1, Role::Gds});
    else
      setRoles(shaped(Shape::Immediate), {Role::Offset, Role::Gds});
    for (unsigned i : shaped(Shape::Tied))
      opcode.roles[i] = Role::Old;
    opcode.returns = name.contains("_rtn") || name.contains("append") || name.contains("consume");
  }

  /// The register file that operand `i` lies in, as the instruction at hand shows.
  Operand::Kind file(unsigned i) const {
    if (i >= inst.getNumOperands() || !inst.getOperand(i).isReg())
      return Operand::Kind::None;
    return registerOperand(machine.facts, inst.getOperand(i).getReg()).kind;
  }

  void readFlat() {
    StringRef name = opcode.name;
    opcode.encoding = name.starts_with("scratch_")  ? Encoding::Scratch
                      : name.starts_with("global_") ? Encoding::Global
                                                    : Encoding::Flat;
    opcode.lds = name.contains("_lds_");
    bool atomic = name.contains("atomic"), store = name.contains("store");
    opcode.returns = atomic && desc.getNumDefs();
    bool dataFirst = store && (opcode.encoding == Encoding::Scratch || name.contains("addtid"));
    for (unsigned i : shaped(Shape::Register)) {
      if (file(i) == Operand::Kind::Scalar) {
        opcode.roles[i] = Role::Saddr;
        continue;
      }
      Role first = dataFirst ? Role::Vdata : Role::Vaddr, second = dataFirst ? Role::Vaddr : Role::Vdata;
      opcode.roles[i] = llvm::is_contained(opcode.roles, first) ? second : first;
    }
    auto immediates = shaped(Shape::Immediate);
    if (immediates.size() == 1)
      setRoles(immediates, {Role::CachePolicy});
    else
      setRoles(immediates, {Role::Offset, Role::CachePolicy});
    for (unsigned i : shaped(Shape::Tied))
      opcode.roles[i] = Role::Old;
  }

  void readBuffer() {
    bool typed = flags & format::Mtbuf;
    opcode.encoding = typed ? Encoding::Mtbuf : Encoding::Mubuf;
    StringRef name = opcode.name;
    opcode.lds = llvmName.contains("_LDS_");
    opcode.offen = llvmName.contains("_OFFEN") || llvmName.contains("_BOTHEN");
    opcode.idxen = llvmName.contains("_IDXEN") || llvmName.contains("_BOTHEN");
    opcode.returns = name.contains("atomic") && desc.getNumDefs();
    llvm::SmallVector<unsigned, 8> registers = shaped(Shape::Register), immediates = shaped(Shape::Immediate);
    static constexpr Role backwards[] = {Role::Soffset, Role::Saddr, Role::Vaddr, Role::Vdata};
    bool address = opcode.offen || opcode.idxen;
    unsigned next = 0;
    for (unsigned i : llvm::reverse(registers)) {
      if (next == 2 && !address)
        ++next;
      if (next < 4)
        opcode.roles[i] = backwards[next++];
    }
    for (unsigned i : shaped(Shape::Tied))
      opcode.roles[i] = opcode.returns ? Role::Vdata : Role::Old;
    if (immediates.size() == 1)
      setRoles(immediates, {Role::CachePolicy});
    else if (typed)
      setRoles(immediates, {Role::Offset, Role::Imm, Role::CachePolicy, Role::Ignored});
    else
      setRoles(immediates, {Role::Offset, Role::CachePolicy, Role::Ignored});
  }

  void readVopd() {
    opcode.encoding = Encoding::Vopd;
    std::string text = print(machine, inst);
    auto [x, y] = StringRef(text).split("::");
    StringRef halves[2] = {x.trim(), y.trim()};
    auto [llvmX, llvmY] = llvmName.drop_front(StringRef("V_DUAL_").size()).split("_X_");
    for (unsigned half = 0; half < 2; ++half) {
      StringRef name = withoutSuffix(halves[half]);
      name.consume_front("v_dual_");
      opcode.halfNames[half] = internName(("v_" + name).str());
      opcode.halfReadsVcc[half] = name.starts_with("cndmask");
    }
    opcode.name = internName("v_dual");
    opcode.halfSources = llvmX.starts_with("MOV_") ? 1 : llvmX.starts_with("FMA") || llvmX.starts_with("DOT2") ? 3 : 2;
    for (unsigned i = desc.getNumDefs(); i < opcode.roles.size(); ++i)
      // The disassembler loses the parity bit of Y's tied register, so the accumulator is taken from the destination.
      opcode.roles[i] = shape(i) == Shape::Immediate ? Role::Ignored
                        : shape(i) == Shape::Tied    ? Role::Accumulator
                                                     : Role::Src;
  }

  void readVector() {
    bool sdwa = flags & format::Sdwa, dpp = flags & format::Dpp;
    StringRef name = opcode.name;
    if (flags & format::Vop3p)
      opcode.encoding = Encoding::Vop3p;
    else if (flags & format::Vop3)
      opcode.encoding = Encoding::Vop3;
    else if (flags & format::Vintrp)
      opcode.encoding = Encoding::Vinterp;
    if (name.starts_with("v_mfma") || name.starts_with("v_smfmac"))
      opcode.encoding = Encoding::Vop3p;
    if (name.starts_with("v_interp"))
      opcode.encoding = Encoding::Vinterp;
    bool literalK = !shaped(Shape::Kimm).empty();
    opcode.vop3 = flags & (format::Vop3 | format::Vop3p) || (!sdwa && !dpp && !literalK && desc.getSize() == 8);
    bool mix = name.starts_with("v_fma_mix") || name.starts_with("v_mad_mix");
    opcode.modifiers = sdwa                    ? ModifierStyle::Sdwa
                       : mix                   ? ModifierStyle::Mix
                       : flags & format::Vop3p ? ModifierStyle::Packed
                       : flags & format::OpSel ? ModifierStyle::OpSel
                                               : ModifierStyle::Vop3;
    opcode.sparse = name.starts_with("v_smfmac");
    opcode.bytes = byteSelection(name);
    for (unsigned i = desc.getNumDefs(); i < opcode.roles.size(); ++i) {
      switch (shape(i)) {
      case Shape::Register:
      case Shape::Kimm:
        opcode.roles[i] = Role::Src;
        break;
      case Shape::Tied:
        readTied(i);
        break;
      case Shape::Modifiers:
        opcode.roles[i] = Role::Modifiers;
        break;
      case Shape::Immediate:
        break;
      }
    }
    readVectorImmediates(sdwa, dpp);
  }

  void readVectorImmediates(bool sdwa, bool dpp) {
    llvm::SmallVector<unsigned, 8> immediates = shaped(Shape::Immediate);
    const llvm::SmallVector<unsigned, 8> all = immediates;
    auto takeBack = [&](std::initializer_list<Role> roles) {
      if (immediates.size() < roles.size())
        return;
      setRoles(llvm::ArrayRef(immediates).take_back(roles.size()), roles);
      immediates.truncate(immediates.size() - roles.size());
    };
    if (sdwa) {
      if (shaped(Shape::Modifiers).size() == 2)
        takeBack({Role::SdwaSrc0, Role::SdwaSrc1});
      else
        takeBack({Role::SdwaSrc0});
      StringRef name = opcode.name;
      bool fromBytes = name.ends_with("_fp8") || name.ends_with("_bf8"); // write whole registers: no selection
      if (!name.starts_with("v_cmp") && !fromBytes)
        takeBack({Role::SdwaDst, Role::SdwaUnusedBits});
    } else if (dpp && llvmName.contains("_dpp8")) {
      takeBack({Role::Dpp8Select, Role::FetchInactive});
    } else if (dpp && llvm::StringRef(llvmName).contains("_gfx1")) {
      takeBack({Role::DppSelect, Role::RowMask, Role::BankMask, Role::BoundCtrl, Role::FetchInactive});
    } else if (dpp) {
      takeBack({Role::DppSelect, Role::RowMask, Role::BankMask, Role::BoundCtrl});
    }
    bool scale = StringRef(opcode.name).starts_with("v_mfma_scale"), scaleHi = false;
    for (unsigned i : immediates)
      if (i < inst.getNumOperands() && inst.getOperand(i).isImm())
        opcode.roles[i] = roleOfSpelling(spelling(machine, inst, all, i), scale, scaleHi);
  }

  Decoder::Machine &machine;
  const llvm::MCInst &inst;
  const llvm::MCInstrDesc &desc;
  StringRef llvmName;
  uint64_t flags;
  Opcode opcode;
};

} // namespace

bool reservedFields(const Opcode &opcode, const llvm::MCInst &inst) {
  unsigned count = std::min<unsigned>(inst.getNumOperands(), opcode.roles.size());
  for (unsigned i = 0; i < count; ++i) {
    if (!inst.getOperand(i).isImm())
      continue;
    int64_t value = inst.getOperand(i).getImm();
    switch (opcode.roles[i]) {
    case Role::SdwaDst:
    case Role::SdwaSrc0:
    case Role::SdwaSrc1:
      if (value > 6)
        return true;
      break;
    case Role::DppSelect:
      if (!knownDppSelect(static_cast<uint64_t>(value)))
        return true;
      break;
    case Role::SdwaUnusedBits:
      if (value > 2)
        return true;
      break;
    default:
      break;
    }
  }
  return false;
}

std::string_view internName(StringRef name) {
  static std::mutex mutex;
  static llvm::StringSet<> names;
  std::lock_guard<std::mutex> lock(mutex);
  StringRef kept = names.insert(name).first->getKey();
  return {kept.data(), kept.size()};
}

const Opcode &opcodeOf(Decoder::Machine &machine, const llvm::MCInst &inst) {
  static std::vector<std::atomic<const Opcode *>> table(machine.facts.instructions->getNumOpcodes());
  static std::vector<std::unique_ptr<const Opcode>> owned;
  static std::mutex mutex;
  std::atomic<const Opcode *> &slot = table[inst.getOpcode()];
  if (const Opcode *known = slot.load(std::memory_order_acquire))
    return *known;
  auto made = std::make_unique<const Opcode>(Reader(machine, inst).read());
  std::lock_guard<std::mutex> lock(mutex);
  if (const Opcode *known = slot.load(std::memory_order_acquire))
    return *known;
  owned.push_back(std::move(made));
  slot.store(owned.back().get(), std::memory_order_release);
  return *owned.back();
}

} // namespace wavewright::codeobject
