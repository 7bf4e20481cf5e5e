//===- emulator/predecode.cpp - instructions to micro-ops -----------------------------------------===//
//
// Everything that can be known before the launch is worked out here: the handler, rows and constants of operands, what
// is special about an operand or a result, branch targets, lane maps of DPP.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/code.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavewright::emulator {

using codeobject::Encoding;
using codeobject::Instruction;
using codeobject::Operand;
using codeobject::Part;
namespace scalar = codeobject::scalar;

namespace {

bool isHalf(Type t) { return t == Type::B16 || t == Type::F16 || t == Type::BF16; }
bool isPackedHalf(Type t) { return t == Type::PkB16 || t == Type::PkF16 || t == Type::PkBF16; }
bool isPackedWide(Type t) { return t == Type::PkB32 || t == Type::PkF32; }
bool isTwoDwords(Type t) { return t == Type::B64 || t == Type::F64 || isPackedWide(t); }
bool isFloatResult(Type t) {
  return t == Type::F32 || t == Type::F16 || t == Type::F64 || t == Type::PkF16 || t == Type::PkF32;
}
bool isMemory(Encoding e) {
  return e == Encoding::Ds || e == Encoding::Mubuf || e == Encoding::Mtbuf || e == Encoding::Flat ||
         e == Encoding::Global || e == Encoding::Scratch || e == Encoding::Smem;
}

/// Operands that a handler takes without asking whether they are there.
bool needsOperand(Type t) { return t != Type::None && t != Type::Raw && t != Type::S32 && t != Type::S64; }

/// A wave that reaches this stops; `payload` is the text.
void refuse(Context &c, Wave &w, const MicroOp &m) { c.fail(w, m, *reinterpret_cast<const std::string *>(m.payload)); }

/// gfx9 instructions whose 16-bit result leaves the other half alone (measured by what llc-22 masks afterwards): those
/// with op_sel. All others of that generation clear it; later generations always leave it.
bool keepsOtherHalf(std::string_view name) {
  static constexpr std::string_view prefixes[] = {
      "v_fma_f16",   "v_mad_f16",   "v_mad_u16",  "v_mad_i16", "v_div_fixup_f16",    "v_min3_",
      "v_max3_",     "v_med3_",     "v_add_i16",  "v_sub_i16", "v_fma_mix",          "v_bitop3_b16",
      "v_minimum3_", "v_maximum3_", "v_ashr_pk_", "v_cvt_sr_", "v_cvt_scalef32_f16_"};
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view p) { return name.starts_with(p); });
}

/// Source lanes of a DPP control (chips.md section 8; ISA guides, "DPP").
DppTable dppTable(const codeobject::DppControl &dpp, unsigned lanes) {
  using Kind = codeobject::DppControl::Kind;
  DppTable t;
  t.boundCtrl = dpp.boundCtrl || dpp.kind == Kind::Dpp8;
  t.fetchInactive = dpp.fetchInactive;
  for (unsigned l = 0; l < lanes; ++l) {
    int n = int(dpp.select), lane = int(l), row = lane & ~15, from = lane;
    bool exists = true;
    switch (dpp.kind) {
    case Kind::None:
      break;
    case Kind::QuadPerm:
      from = (lane & ~3) + (n >> (2 * (lane & 3)) & 3);
      break;
    case Kind::RowShl:
      from = lane + n, exists = (lane & 15) + n < 16;
      break;
    case Kind::RowShr:
      from = lane - n, exists = (lane & 15) - n >= 0;
      break;
    case Kind::RowRor:
      from = row + ((lane - n) & 15);
      break;
    case Kind::WaveShl1:
      from = lane + 1, exists = from < int(lanes);
      break;
    case Kind::WaveRol1:
      from = (lane + 1) % int(lanes);
      break;
    case Kind::WaveShr1:
      from = lane - 1, exists = from >= 0;
      break;
    case Kind::WaveRor1:
      from = (lane + int(lanes) - 1) % int(lanes);
      break;
    case Kind::RowMirror:
      from = lane ^ 15;
      break;
    case Kind::RowHalfMirror:
      from = lane ^ 7;
      break;
    case Kind::RowBcast15:
      from = row - 1, exists = lane >= 16;
      break;
    case Kind::RowBcast31:
      from = 31, exists = lane >= 32;
      break;
    case Kind::RowShare:
      from = row + n;
      break;
    case Kind::RowXmask:
      from = lane ^ n;
      break;
    case Kind::Dpp8:
      from = (lane & ~7) + (n >> (3 * (lane & 7)) & 7);
      break;
    }
    t.from[l] = exists ? uint8_t(from) : 0;
    t.inRange |= uint64_t(exists) << l;
    bool enabled = (dpp.rowMask >> (lane / 16 % 4) & 1) && (dpp.bankMask >> (lane % 16 / 4) & 1);
    t.enabled |= uint64_t(enabled || dpp.kind == Kind::Dpp8) << l;
  }
  return t;
}

/// Atomics whose effect on memory is the same in every order, when nobody sees the old value.
bool orderFree(std::string_view name) {
  static constexpr std::string_view parts[] = {"_atomic_add",  "_atomic_sub",  "_atomic_and",  "_atomic_or",
                                               "_atomic_xor",  "_atomic_smin", "_atomic_smax", "_atomic_umin",
                                               "_atomic_umax", "_atomic_min",  "_atomic_max"};
  if (name.find("_f") != std::string_view::npos &&
      (name.ends_with("f32") || name.ends_with("f64") || name.ends_with("f16")))
    return false;
  if (name.find("_pk_") != std::string_view::npos || name.find("sub_clamp") != std::string_view::npos)
    return false;
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view p) { return name.find(p) != std::string_view::npos; });
}

/// Why groups must go in one order, or null.
const char *ordersGroups(const Instruction &i, const Target &target) {
  bool vector = i.encoding == Encoding::Global || i.encoding == Encoding::Flat || i.encoding == Encoding::Mubuf;
  if (!vector && i.encoding != Encoding::Smem)
    return nullptr;
  std::string_view name = i.name;
  if (name.find("atomic") != std::string_view::npos) {
    if (i.returns)
      return "an atomic that returns the old value";
    return orderFree(name) ? nullptr : "an atomic whose result depends on the order";
  }
  if (!vector)
    return nullptr;
  // Synchronisation wider than a group, by the cache operations and scopes that it needs (chips.md 5.3).
  bool load = name.find("load") != std::string_view::npos;
  uint32_t policy = i.cachePolicy;
  bool wide = false;
  if (target.isCdna())
    wide = ((name == "buffer_inv" || name == "buffer_wbl2" || load) && (policy & 16));
  else if (target.generation == Generation::Rdna4)
    wide = (load || name == "global_inv" || name == "global_wb" || name == "global_wbinv") && (policy >> 3 & 3) >= 2;
  else
    wide = name == "buffer_gl1_inv" || (load && (policy & 1) && (policy & 4));
  return wide ? "synchronisation between work-groups" : nullptr;
}

class Predecoder {
public:
  Predecoder(Code &code, const Target &target, unsigned waveSize, unsigned firstAgpr, unsigned vgprs)
      : code(code), target(target), waveSize(waveSize), firstAgpr(firstAgpr), vgprs(vgprs), level(semanticsLevel()) {}

  void run() {
    const auto &instructions = code.program->instructions;
    code.ops.reserve(instructions.size() + 1);
    for (const Instruction &i : instructions) {
      code.ops.push_back(translate(i));
      followIndexMode(i);
      recordUses(i);
      checkRegisters(i);
      if (const char *reason = ordersGroups(i, target)) {
        code.serial = true;
        code.serialBecause = reason;
      }
    }
    code.useStart.push_back(uint32_t(code.uses.size()));
    MicroOp past;
    past.handler = refuse;
    past.instruction = instructions.empty() ? nullptr : &instructions.back();
    past.address = past.instruction ? past.instruction->address : 0;
    past.payload = text("the wave ran past the last instruction of the code object");
    code.ops.push_back(past);
  }

private:
  uint64_t text(std::string message) {
    code.texts.push_back(std::move(message));
    return reinterpret_cast<uint64_t>(&code.texts.back());
  }
  MicroOp refusal(const Instruction &i, std::string message) {
    MicroOp m;
    m.handler = refuse;
    m.opClass = OpClass::Control;
    m.instruction = &i;
    m.address = i.address;
    m.payload = text(std::move(message));
    return m;
  }

  const Row *constantRows(uint32_t low, uint32_t high) {
    code.constantPairs.push_back(std::make_unique<std::array<Row, 2>>());
    auto &pair = *code.constantPairs.back();
    std::fill(std::begin(pair[0].lane), std::end(pair[0].lane), low);
    std::fill(std::begin(pair[1].lane), std::end(pair[1].lane), high);
    return pair.data();
  }

  Source source(const Operand &o, Type type, bool hasDpp) {
    Source s;
    s.type = type;
    s.part = o.part;
    s.dwords = o.dwords;
    s.index = o.index;
    switch (o.kind) {
    case Operand::Kind::None:
      return s;
    case Operand::Kind::Vgpr:
      s.kind = Source::Kind::Vgpr;
      break;
    case Operand::Kind::Agpr:
      s.kind = Source::Kind::Vgpr;
      s.index = uint16_t(o.index + firstAgpr);
      break;
    case Operand::Kind::Scalar:
      s.kind = o.index == scalar::Null ? Source::Kind::Constant : Source::Kind::Scalar;
      break;
    case Operand::Kind::Special:
      s.kind = Source::Kind::Special;
      break;
    case Operand::Kind::Constant:
      s.kind = Source::Kind::Constant;
      s.constant = o.constant;
      break;
    }
    s.modifiers =
        uint16_t((o.neg ? ModNeg : 0) | (o.abs ? ModAbs : 0) | (o.negHi ? ModNegHi : 0) | (o.opSel ? ModOpSel : 0) |
                 (o.opSelHi ? ModOpSelHi : 0) | (o.sext ? ModSext : 0) | (hasDpp ? ModDpp : 0));
    if (type == Type::Mix || type == Type::MixBF16)
      s.modifiers &= uint16_t(~ModNegHi); // negHi is |x| there and comes as abs
    if (s.kind == Source::Kind::Constant)
      finishConstant(s);
    s.slow = isSlow(s);
    uint16_t choices = isPackedWide(type) ? ModOpSel | ModOpSelHi : 0;
    s.splat = s.kind == Source::Kind::Scalar && !(s.modifiers & ~choices) && s.part == Part::Whole &&
              type != Type::Mix && type != Type::MixBF16 && !isPackedHalf(type);
    return s;
  }

  /// Constants are alike in all lanes: their modifiers are applied once.
  void finishConstant(Source &s) {
    uint32_t low = uint32_t(s.constant), high = uint32_t(s.constant >> 32);
    uint16_t m = s.modifiers & uint16_t(~ModDpp);
    if (isPackedHalf(s.type)) {
      uint32_t l = (m & ModOpSel ? low >> 16 : low) & 0xffffu, h = (m & ModOpSelHi ? low >> 16 : low) & 0xffffu;
      low = (l | h << 16) ^ ((m & ModNeg ? 0x8000u : 0) | (m & ModNegHi ? 0x80000000u : 0));
    } else if (isPackedWide(s.type)) {
      // One 32-bit constant serves both results.
      high = low ^ (m & ModNegHi ? 0x80000000u : 0);
      low = low ^ (m & ModNeg ? 0x80000000u : 0);
    } else if (s.type == Type::Mix || s.type == Type::MixBF16 || s.type == Type::Raw) {
      s.rows = constantRows(low, high);
      return;
    } else {
      if (s.part == Part::High16)
        low >>= 16;
      uint32_t sign = isHalf(s.type) ? 0x8000u : 0x80000000u;
      uint32_t &top = isTwoDwords(s.type) ? high : low;
      top = (m & ModAbs ? top & ~sign : top) ^ (m & ModNeg ? sign : 0);
    }
    s.modifiers &= ModDpp;
    if (isPackedWide(s.type))
      s.modifiers |= ModOpSelHi;
    if (isPackedHalf(s.type))
      s.modifiers |= ModOpSelHi;
    s.part = Part::Whole;
    s.constant = uint64_t(high) << 32 | low;
    s.rows = constantRows(low, high);
  }

  bool isSlow(const Source &s) const {
    if (s.kind == Source::Kind::Scalar || s.kind == Source::Kind::Special)
      return true;
    uint16_t m = s.modifiers;
    if (isPackedHalf(s.type))
      return m != ModOpSelHi;
    if (isPackedWide(s.type))
      return m & ~(ModOpSel | ModOpSelHi);
    if (s.type == Type::Mix || s.type == Type::MixBF16)
      return m & (ModNeg | ModAbs | ModOpSelHi | ModDpp);
    if (s.type == Type::Raw)
      return false;
    if (m & (ModNeg | ModAbs | ModDpp | ModSext))
      return true;
    return s.part != Part::Whole && !(s.part == Part::Low16 && isHalf(s.type));
  }

  void destination(const Instruction &i, const Semantics &s, MicroOp &m) {
    m.dstType = s.shape.dst;
    m.dstDwords = isTwoDwords(s.shape.dst) ? 2 : 1;
    if (i.dst.empty())
      return;
    const Operand &d = i.dst[0];
    m.dstScalar = d.kind == Operand::Kind::Scalar;
    m.dst = d.kind == Operand::Kind::Agpr            ? uint16_t(d.index + firstAgpr)
            : m.dstScalar && d.index == scalar::Null ? DiscardedScalar
                                                     : d.index;
    if (i.dst.size() > 1 && i.dst[1].kind == Operand::Kind::Scalar)
      m.dst1 = i.dst[1].index == scalar::Null ? DiscardedScalar : i.dst[1].index;
    m.clamp = i.clamp;
    m.omod = i.omod;
    m.dstHigh = i.dstHigh16 || d.part == Part::High16;
    m.sdwa = i.sdwaDst != Part::Whole;
    m.sdwaDst = i.sdwaDst;
    m.sdwaUnused = i.sdwaUnused;
    bool half = isHalf(s.shape.dst);
    m.zeroOtherHalf = half && target.isCdna() && !keepsOtherHalf(i.name) && !m.dstHigh;
    bool adjusts = (m.clamp && (isFloatResult(s.shape.dst))) || m.omod;
    m.direct = !m.dstScalar && !adjusts && !m.sdwa && (!half || m.zeroOtherHalf);
  }

  void memoryOperands(const Instruction &i, const Semantics &s, MicroOp &m) {
    const Operand *operands[4] = {&i.vaddr, &i.vdata, &i.vdata1, &i.soffset};
    for (unsigned slot = 0; slot < 4; ++slot)
      m.src[slot] = source(*operands[slot], s.shape.src[slot] == Type::None ? Type::Raw : s.shape.src[slot], false);
    m.saddr = source(i.saddr, Type::Raw, false);
    m.offset = i.offset;
    m.offset1 = i.offset1;
    m.offen = i.offen;
    m.idxen = i.idxen;
    m.lds = i.lds;
    m.returns = i.returns;
  }

  MicroOp translate(const Instruction &i) {
    if (i.encoding == Encoding::Vopd)
      return translateDual(i);
    const Semantics *s =
        i.encoding == Encoding::Unknown && i.name.empty() ? nullptr : findSemantics(i.name, target.generation);
    if (!s)
      return refusal(i, i.name.empty() ? std::string("these bytes are no instruction of the chip")
                                       : std::string("this instruction is not emulated"));
    MicroOp m;
    m.handler = s->handler;
    m.opClass = s->opClass;
    m.instruction = &i;
    m.address = i.address;
    m.imm = i.imm;
    code.hasMatrix |= s->opClass == OpClass::Matrix;
    destination(i, *s, m);
    if (isMemory(i.encoding)) {
      if (i.gds)
        return refusal(i, "global data share is not emulated");
      memoryOperands(i, *s, m);
    } else {
      bool dpp = i.dpp.kind != codeobject::DppControl::Kind::None;
      if (dpp) {
        code.dppTables.push_back(dppTable(i.dpp, waveSize));
        m.dpp = &code.dppTables.back();
        m.direct = false;
      }
      for (unsigned slot = 0; slot < 4 && slot < i.src.size(); ++slot) {
        if (i.src[slot].kind == Operand::Kind::Special &&
            (i.src[slot].index == unsigned(codeobject::SpecialSource::LdsDirect) ||
             i.src[slot].index == unsigned(codeobject::SpecialSource::PopsExitingWaveId)))
          return refusal(i, "the source lds_direct or src_pops_exiting_wave_id is not emulated");
        m.src[slot] = source(i.src[slot], s->shape.src[slot], dpp && slot == 0);
      }
      for (unsigned slot = 0; slot < 4; ++slot)
        if (needsOperand(s->shape.src[slot]) && m.src[slot].kind == Source::Kind::None)
          return refusal(i, "this form of the instruction is not emulated");
      if (s->shape.dst != Type::None && i.dst.empty() && !s->prepare)
        return refusal(i, "this form of the instruction is not emulated");
    }
    if (i.clamp && m.opClass == OpClass::Valu && !isFloatResult(s->shape.dst)) {
      // Conversions to integers saturate as they are; a comparison's bit asks for exceptions; all others cannot
      // overflow.
      if (s->saturating)
        m.handler = s->saturating;
    }
    if (i.isBranch() || i.name == "s_call_b64") {
      int64_t index = code.program->indexAt(i.target);
      if (index < 0)
        return refusal(i, fmt::format("its target 0x{:x} is no instruction of the code object", i.target));
      m.target = uint32_t(index);
    }
    if (s->prepare)
      if (const char *reason = s->prepare(i, target, m))
        return refusal(i, reason);
    m.plain = m.direct;
    for (unsigned slot = 0; slot < 4; ++slot) {
      m.src[slot].place(vgprs + 2 * slot);
      m.plain &= m.src[slot].isRow();
      m.splats |= uint8_t(m.src[slot].splat << slot);
    }
    return indexMode && m.opClass == OpClass::Valu ? wrapIndexed(m) : m;
  }

  MicroOp translateDual(const Instruction &i) {
    if (!i.halves)
      return refusal(i, "the two halves of this instruction could not be told apart");
    std::array<MicroOp, 2> halves = {translate(i.halves[0]), translate(i.halves[1])};
    for (MicroOp &half : halves) {
      if (half.handler == refuse)
        return refusal(i, fmt::format("its half {} is not emulated", half.instruction->name));
      half.instruction = &i;
    }
    MicroOp m;
    m.handler = level.dual;
    m.opClass = OpClass::Valu;
    m.instruction = &i;
    m.address = i.address;
    for (const Source &s : halves[1].src)
      m.payload |= s.kind == Source::Kind::Vgpr && s.index == halves[0].dst;
    code.halves.push_back(halves);
    m.halves = code.halves.back().data();
    return m;
  }

  // gfx9 register indexing: the compiler brackets the indexed moves with s_set_gpr_idx_on and _off.
  void followIndexMode(const Instruction &i) {
    if (i.name == "s_set_gpr_idx_on" || i.name == "s_set_gpr_idx_mode")
      indexMode = unsigned(i.imm) & 15;
    else if (i.name == "s_set_gpr_idx_off" || i.endsBlock())
      indexMode = 0;
  }
  MicroOp wrapIndexed(const MicroOp &inner) {
    code.halves.push_back({inner, inner});
    MicroOp m;
    m.handler = level.indexed;
    m.opClass = inner.opClass;
    m.instruction = inner.instruction;
    m.address = inner.address;
    m.payload = indexMode;
    m.halves = code.halves.back().data();
    return m;
  }

  void use(const Operand &o, bool write) {
    if (!o.isRegister())
      return;
    RegisterUse u;
    u.bank = o.kind == Operand::Kind::Scalar ? RegisterUse::Bank::Scalar : RegisterUse::Bank::Vector;
    u.write = write;
    u.count = o.dwords;
    u.first = uint16_t(o.index + (o.kind == Operand::Kind::Agpr ? firstAgpr : 0));
    code.uses.push_back(u);
  }
  void recordUses(const Instruction &i) {
    code.useStart.push_back(uint32_t(code.uses.size()));
    unsigned parts = i.halves ? 2 : 1;
    for (unsigned part = 0; part < parts; ++part) {
      const Instruction &each = i.halves ? i.halves[part] : i;
      for (const Operand &o : each.src)
        use(o, false);
      for (const Operand *o : {&each.vaddr, &each.saddr, &each.soffset, &each.vdata, &each.vdata1})
        use(*o, false);
      if (each.mergesDst && !each.dst.empty())
        use(each.dst[0], false);
      for (const Operand &o : each.dst)
        use(o, true);
    }
    if (i.readsScc)
      code.uses.push_back({RegisterUse::Bank::Scc, false, 1, 0});
    if (i.writesScc)
      code.uses.push_back({RegisterUse::Bank::Scc, true, 1, 0});
  }

  /// A damaged code object may name registers that its descriptor does not allocate.
  void checkRegisters(const Instruction &i) {
    for (size_t u = code.useStart.back(); u < code.uses.size(); ++u) {
      const RegisterUse &use = code.uses[u];
      if (use.bank == RegisterUse::Bank::Vector && use.first + use.count > vgprs) {
        code.ops.back() = refusal(i, fmt::format("it uses vector register {}, where the kernel descriptor allocates {}",
                                                 use.first + use.count - 1, vgprs));
        return;
      }
    }
  }

  Code &code;
  const Target &target;
  unsigned waveSize, firstAgpr, vgprs;
  const SemanticsLevel &level;
  unsigned indexMode = 0;
};

} // namespace

const std::string *refusalOf(const MicroOp &op) {
  return op.handler == refuse ? reinterpret_cast<const std::string *>(op.payload) : nullptr;
}

std::unique_ptr<Code> predecode(const codeobject::Program &program, const Target &target, unsigned waveSize,
                                const codeobject::Kernel &kernel, unsigned vgprs) {
  auto code = std::make_unique<Code>();
  code->program = &program;
  Predecoder(*code, target, waveSize, kernel.firstAgpr, vgprs).run();
  int64_t entry = program.indexAt(kernel.entryAddress);
  code->entry = uint32_t(entry < 0 ? int64_t(code->ops.size()) - 1 : entry);
  return code;
}

} // namespace wavewright::emulator
