//===- emulator/semantics/scalar/control.cpp - branches, barriers, modes, waits -------------------===//
#include "wavewright/emulator/code.h"
#include "wavewright/emulator/semantics/scalar/scalar.h"

#include <fmt/format.h>

namespace wavewright::emulator::scalar_semantics {

namespace {

void nothing(Context &, Wave &, const MicroOp &) {}
void end(Context &, Wave &w, const MicroOp &) { w.state = WaveState::Ended; }

// Branches ---------------------------------------------------------------------------------------------
void branch(Context &, Wave &w, const MicroOp &m) { w.pc = m.target; }
template <auto Taken> void branchIf(Context &, Wave &w, const MicroOp &m) {
  if (Taken(w))
    w.pc = m.target;
}
#define BRANCH(NAME, EXPRESSION)                                                                                       \
  {NAME, chips::Any, branchIf<[](const Wave &w) -> bool { return EXPRESSION; }>, {}, OpClass::Control}

uint64_t nextAddress(const Context &c, const MicroOp &m) { return c.loadBias + m.address + m.instruction->size; }

void jump(Context &c, Wave &w, const MicroOp &m, uint64_t address) {
  int64_t index = c.code->indexAt(address - c.loadBias);
  if (index < 0)
    return c.fail(w, m, fmt::format("a jump to 0x{:x}, which is no instruction of the kernel's code object", address));
  w.pc = uint32_t(index);
}
void getPc(Context &c, Wave &w, const MicroOp &m) { w.setPair(m.dst, nextAddress(c, m)); }
void setPc(Context &c, Wave &w, const MicroOp &m) { jump(c, w, m, read64(c, w, m, 0)); }
void swapPc(Context &c, Wave &w, const MicroOp &m) {
  uint64_t target = read64(c, w, m, 0);
  w.setPair(m.dst, nextAddress(c, m));
  jump(c, w, m, target);
}
void call(Context &c, Wave &w, const MicroOp &m) {
  w.setPair(m.dst, nextAddress(c, m));
  w.pc = m.target;
}

// Barriers -----------------------------------------------------------------------------------------------
// A wave counts its arrivals and its waits; the scheduler lets it go on when every wave that has not ended has arrived
// at as many barriers as this one waits for.
void barrier(Context &, Wave &w, const MicroOp &) {
  ++w.barrierSignals;
  ++w.barrierWaits;
  w.state = WaveState::AtBarrier;
}
/// gfx12: barrier -1 is the group's. M0 forms name it in M0[4:0], where 0 is also the group's.
bool isGroupBarrier(Context &c, Wave &w, const MicroOp &m) {
  if (m.src[0].kind == Source::Kind::None || m.src[0].kind == Source::Kind::Constant) {
    int64_t id = m.src[0].kind == Source::Kind::Constant ? int32_t(m.src[0].constant) : m.imm;
    if (int16_t(id) == -1)
      return true;
    c.fail(w, m, fmt::format("barrier {} is not emulated; the work-group's is -1", int16_t(id)));
    return false;
  }
  if (int32_t(read32(c, w, m, 0)) == -1)
    return true;
  c.fail(w, m, "a named barrier is not emulated; the work-group's is -1");
  return false;
}
void signal(Context &c, Wave &w, const MicroOp &m) {
  if (isGroupBarrier(c, w, m))
    ++w.barrierSignals;
}
void signalIsFirst(Context &c, Wave &w, const MicroOp &m) {
  if (!isGroupBarrier(c, w, m))
    return;
  ++w.barrierSignals;
  w.scc = 1;
  for (const Wave &other : c.group)
    if (&other != &w && other.barrierSignals >= w.barrierSignals)
      w.scc = 0;
}
void wait(Context &c, Wave &w, const MicroOp &m) {
  if (!isGroupBarrier(c, w, m))
    return;
  ++w.barrierWaits;
  w.state = WaveState::AtBarrier;
}

// Modes and hardware registers ---------------------------------------------------------------------------
enum HardwareRegister : unsigned { Mode = 1, LdsAllocation = 6, MemoryBases = 15, XccId = 20, ShaderCycles = 29 };
struct Field {
  unsigned id, offset, size;
  uint32_t mask() const { return (size == 32 ? ~0u : (1u << size) - 1) << offset; }
};
Field fieldOf(int64_t imm) { return {unsigned(imm & 0x3f), unsigned(imm >> 6 & 0x1f), unsigned(imm >> 11 & 0x1f) + 1}; }

void getRegister(Context &c, Wave &w, const MicroOp &m) {
  Field f = fieldOf(m.imm);
  uint32_t value;
  switch (f.id) {
  case Mode:
    value = w.mode;
    break;
  case LdsAllocation:
    value = (c.ldsBytes + 511) / 512 << 12;
    break;
  case MemoryBases:
    value = Context::PrivateAperture >> 16 | (Context::SharedAperture & 0xffff0000u);
    break;
  case XccId:
    value = 0;
    break;
  case ShaderCycles:
    value = uint32_t(w.ticks += 100) & 0xfffff;
    break;
  default:
    return c.fail(w, m, fmt::format("hardware register {} is not emulated", f.id));
  }
  w.sgpr[m.dst] = (value & f.mask()) >> f.offset;
}
void enterMode(Context &c, Wave &w, const MicroOp &m, uint32_t value) {
  if (value & mode::RoundMask)
    return c.fail(w, m,
                  fmt::format("MODE asks for rounding {}: only rounding to nearest even (0) is emulated",
                              value & mode::RoundMask));
  w.setMode(value);
}
void setRegister(Context &c, Wave &w, const MicroOp &m) {
  Field f = fieldOf(m.imm);
  if (f.id != Mode)
    return c.fail(w, m, fmt::format("writing hardware register {} is not emulated", f.id));
  enterMode(c, w, m, (w.mode & ~f.mask()) | (read32(c, w, m, 0) << f.offset & f.mask()));
}
void roundMode(Context &c, Wave &w, const MicroOp &m) {
  enterMode(c, w, m, (w.mode & ~mode::RoundMask) | (uint32_t(m.imm) & 15));
}
void denormMode(Context &c, Wave &w, const MicroOp &m) {
  enterMode(c, w, m, (w.mode & ~mode::KeepAll) | (uint32_t(m.imm) & 15) << 4);
}

// gfx9 register indexing: M0[7:0] the index, M0[15:12] what it applies to. predecode.cpp wraps the indexed moves.
void indexOn(Context &c, Wave &w, const MicroOp &m) {
  uint32_t &m0 = w.sgpr[codeobject::scalar::M0];
  m0 = (m0 & ~0xf0ffu) | (read32(c, w, m, 0) & 0xffu) | (uint32_t(m.imm) & 15) << 12;
}
void indexIs(Context &c, Wave &w, const MicroOp &m) {
  uint32_t &m0 = w.sgpr[codeobject::scalar::M0];
  m0 = (m0 & ~0xffu) | (read32(c, w, m, 0) & 0xffu);
}

void trap(Context &c, Wave &w, const MicroOp &m) {
  if (m.imm == 3) // the debugger's
    return;
  c.fail(w, m,
         m.imm == 2 ? std::string("the kernel stopped itself (s_trap 2: abort, assert or __builtin_trap)")
                    : fmt::format("s_trap {} is not emulated", m.imm));
}
/// Messages to the host that only give resources back have no effect here.
void sendMessage(Context &c, Wave &w, const MicroOp &m) {
  unsigned id = unsigned(m.imm & 0xf);
  bool deallocates = c.target->isRdna() && id == 3;
  if (!deallocates && id != 0)
    c.fail(w, m, fmt::format("s_sendmsg {} is not emulated", id));
}
template <bool Wide> void askMessage(Context &c, Wave &w, const MicroOp &m) {
  if ((m.imm & 0xff) != 0x83) // MSG_RTN_GET_REALTIME
    return c.fail(w, m, fmt::format("s_sendmsg_rtn 0x{:x} is not emulated", m.imm & 0xff));
  w.ticks += 100;
  if (Wide)
    w.setPair(m.dst, w.ticks);
  else
    w.sgpr[m.dst] = uint32_t(w.ticks);
}

#define NO_EFFECT(NAME) {NAME, chips::Any, nothing, {}, OpClass::Control}

constexpr Semantics table[] = {
    {"s_endpgm", chips::Any, end, {}, OpClass::Control},
    {"s_endpgm_saved", chips::Any, end, {}, OpClass::Control},
    {"s_branch", chips::Any, branch, {}, OpClass::Control},
    BRANCH("s_cbranch_scc0", !w.scc),
    BRANCH("s_cbranch_scc1", w.scc),
    BRANCH("s_cbranch_vccz", !w.vcc()),
    BRANCH("s_cbranch_vccnz", w.vcc()),
    BRANCH("s_cbranch_execz", !w.exec()),
    BRANCH("s_cbranch_execnz", w.exec()),
    BRANCH("s_cbranch_cdbgsys", false),
    BRANCH("s_cbranch_cdbguser", false),
    BRANCH("s_cbranch_cdbgsys_or_user", false),
    BRANCH("s_cbranch_cdbgsys_and_user", false),
    {"s_getpc_b64", chips::Any, getPc, {Type::S64}, OpClass::Control},
    {"s_setpc_b64", chips::Any, setPc, {Type::None, Type::None, {Type::S64}}, OpClass::Control},
    {"s_swappc_b64", chips::Any, swapPc, {Type::S64, Type::None, {Type::S64}}, OpClass::Control},
    {"s_call_b64", chips::Any, call, {Type::S64}, OpClass::Control},

    {"s_barrier", chips::Before12, barrier, {}, OpClass::Control},
    {"s_barrier_signal", chips::Gfx12, signal, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_barrier_signal_isfirst", chips::Gfx12, signalIsFirst, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_barrier_wait", chips::Gfx12, wait, {}, OpClass::Control},

    {"s_getreg_b32", chips::Any, getRegister, {Type::S32}, OpClass::Control},
    {"s_setreg_b32", chips::Any, setRegister, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_setreg_imm32_b32", chips::Any, setRegister, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_round_mode", chips::Gfx11Up, roundMode, {}, OpClass::Control},
    {"s_denorm_mode", chips::Gfx11Up, denormMode, {}, OpClass::Control},

    {"s_set_gpr_idx_on", chips::Gfx9, indexOn, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_set_gpr_idx_idx", chips::Gfx9, indexIs, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_set_gpr_idx_off", chips::Gfx9, nothing, {}, OpClass::Control},
    {"s_set_gpr_idx_mode", chips::Gfx9, nothing, {}, OpClass::Control},
    {"s_trap", chips::Any, trap, {}, OpClass::Control},
    {"s_sendmsg", chips::Any, sendMessage, {}, OpClass::Control},
    {"s_sendmsg_rtn_b32", chips::Gfx11Up, askMessage<false>, {Type::S32}, OpClass::Control},
    {"s_sendmsg_rtn_b64", chips::Gfx11Up, askMessage<true>, {Type::S64}, OpClass::Control},

    // Everything completes at once, so waits and hints have nothing to do.
    NO_EFFECT("s_nop"),
    NO_EFFECT("s_waitcnt"),
    NO_EFFECT("s_waitcnt_vscnt"),
    NO_EFFECT("s_waitcnt_vmcnt"),
    NO_EFFECT("s_waitcnt_expcnt"),
    NO_EFFECT("s_waitcnt_lgkmcnt"),
    NO_EFFECT("s_waitcnt_depctr"),
    NO_EFFECT("s_wait_alu"),
    NO_EFFECT("s_wait_loadcnt"),
    NO_EFFECT("s_wait_storecnt"),
    NO_EFFECT("s_wait_samplecnt"),
    NO_EFFECT("s_wait_bvhcnt"),
    NO_EFFECT("s_wait_expcnt"),
    NO_EFFECT("s_wait_dscnt"),
    NO_EFFECT("s_wait_kmcnt"),
    NO_EFFECT("s_wait_loadcnt_dscnt"),
    NO_EFFECT("s_wait_storecnt_dscnt"),
    NO_EFFECT("s_wait_idle"),
    NO_EFFECT("s_wait_event"),
    NO_EFFECT("s_sleep"),
    NO_EFFECT("s_sleep_var"),
    NO_EFFECT("s_setprio"),
    NO_EFFECT("s_clause"),
    NO_EFFECT("s_delay_alu"),
    NO_EFFECT("s_inst_prefetch"),
    NO_EFFECT("s_icache_inv"),
    NO_EFFECT("s_set_inst_prefetch_distance"),
    NO_EFFECT("s_code_end"),
    NO_EFFECT("s_wakeup"),
    NO_EFFECT("s_ttracedata"),
    NO_EFFECT("s_ttracedata_imm"),
    NO_EFFECT("s_incperflevel"),
    NO_EFFECT("s_decperflevel"),
    NO_EFFECT("s_sethalt"),
    NO_EFFECT("s_setkill"),
    NO_EFFECT("s_version"),
};

} // namespace

llvm::ArrayRef<Semantics> controlFamily() { return table; }

} // namespace wavewright::emulator::scalar_semantics
