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
/// gfx12: barrier -1 is the group's, 0 none, 1 and above are named. A register names it in its low bits, and may give
/// the number of members in bits 22:16 (LLVM's s_barrier_signal_var).
struct BarrierOperand {
  int id;
  unsigned members;
};
BarrierOperand barrierOperand(Context &c, Wave &w, const MicroOp &m) {
  if (m.src[0].kind == Source::Kind::None)
    return {int16_t(m.imm), 0};
  uint32_t value = read32(c, w, m, 0);
  if (m.src[0].kind == Source::Kind::Constant || int32_t(value) < 0)
    return {int32_t(value), 0};
  return {int(value & 0x3f), value >> 16 & 0x7f};
}
/// Null, after the wave has failed, when there is no such barrier.
NamedBarrier *namedBarrier(Context &c, Wave &w, const MicroOp &m, int id) {
  if (id >= 1 && id <= int(NamedBarriers))
    return &c.group[0].named[id];
  c.fail(w, m,
         fmt::format("there is no barrier {}; the work-group's is -1, named ones are 1 to {}", id, NamedBarriers));
  return nullptr;
}
/// True for the first signal since the barrier completed.
bool signalNamed(NamedBarrier &b, unsigned members) {
  if (members)
    b.members = uint16_t(members);
  bool first = b.signals == 0;
  if (++b.signals >= b.members) {
    b.signals = 0;
    ++b.completed;
  }
  return first;
}
template <bool AskFirst> void signal(Context &c, Wave &w, const MicroOp &m) {
  BarrierOperand o = barrierOperand(c, w, m);
  bool first = true;
  if (o.id == -1) {
    ++w.barrierSignals;
    for (const Wave &other : c.group)
      first &= &other == &w || other.barrierSignals < w.barrierSignals;
  } else if (o.id != 0) {
    NamedBarrier *b = namedBarrier(c, w, m, o.id);
    if (!b)
      return;
    first = signalNamed(*b, o.members);
  }
  if (AskFirst)
    w.scc = first;
}
void wait(Context &c, Wave &w, const MicroOp &m) {
  int id = barrierOperand(c, w, m).id;
  if (id == -1) {
    ++w.barrierWaits;
    w.state = WaveState::AtBarrier;
  } else if (id > 0 && w.joined) { // whatever its number: the one that was joined
    ++w.namedWaits;
    w.waitsNamed = c.group[0].named[w.joined].completed < w.namedWaits;
    if (w.waitsNamed)
      w.state = WaveState::AtBarrier;
  } else if (id != 0) {
    c.fail(w, m,
           id > 0 ? std::string("the wave waits at a named barrier and has joined none")
                  : fmt::format("barrier {} is not a kernel's; the work-group's is -1", id));
  }
}
void initBarrier(Context &c, Wave &w, const MicroOp &m) {
  BarrierOperand o = barrierOperand(c, w, m);
  if (NamedBarrier *b = namedBarrier(c, w, m, o.id)) {
    // An immediate names the barrier alone; the members are in M0 then.
    b->members = uint16_t(m.src[0].kind == Source::Kind::Scalar ? o.members : w.m0() >> 16 & 0x7f);
    b->signals = 0;
  }
}
void joinBarrier(Context &c, Wave &w, const MicroOp &m) {
  int id = barrierOperand(c, w, m).id;
  if (id == 0) {
    w.joined = 0;
  } else if (NamedBarrier *b = namedBarrier(c, w, m, id)) {
    w.joined = uint8_t(id);
    w.namedWaits = b->completed;
  }
}
/// The wave is no member any more; SCC tells whether it was one.
void leaveBarrier(Context &c, Wave &w, const MicroOp &) {
  w.scc = w.joined != 0;
  if (w.joined) {
    NamedBarrier &b = c.group[0].named[w.joined];
    if (b.members && --b.members && b.signals >= b.members) {
      b.signals = 0;
      ++b.completed;
    }
  }
  w.joined = 0;
}
/// Members in bits 22:16, signals in 10:4, bit 0 says that it is there.
void barrierState(Context &c, Wave &w, const MicroOp &m) {
  int id = barrierOperand(c, w, m).id;
  uint32_t members = 0, signals = 0;
  if (id == -1) {
    members = uint32_t(c.group.size());
    for (const Wave &other : c.group)
      signals += other.barrierSignals > w.barrierWaits;
  } else if (NamedBarrier *b = namedBarrier(c, w, m, id)) {
    members = b->members, signals = b->signals;
  } else {
    return;
  }
  w.sgpr[m.dst] = members << 16 | signals << 4 | 1;
}

// Modes and hardware registers ---------------------------------------------------------------------------
struct Field {
  unsigned id, offset, size;
  uint32_t mask() const { return (size == 32 ? ~0u : (1u << size) - 1) << offset; }
};
Field fieldOf(int64_t imm) { return {unsigned(imm & 0x3f), unsigned(imm >> 6 & 0x1f), unsigned(imm >> 11 & 0x1f) + 1}; }

/// STATUS, as far as a wave of this device has any: SCC (until gfx11), EXECZ, VCCZ, IN_WG, VALID.
uint32_t status(const Context &c, const Wave &w) {
  bool scc = w.scc && c.target->generation != Generation::Rdna4;
  return uint32_t(scc) | uint32_t(!w.exec()) << 9 | uint32_t(!w.vcc()) << 10 | uint32_t(c.group.size() > 1) << 11 |
         1u << 16;
}
/// What the hardware registers show (names and numbers: LLVM's AMDGPU manual, "hwreg"). A kernel may write MODE; it
/// has no privilege for the others, and what it writes there is lost.
struct HardwareRegister {
  unsigned id;
  ChipSet chips;
  uint32_t (*read)(Context &, Wave &);
};
uint32_t zero(Context &, Wave &) { return 0; }
uint32_t waveId(Context &, Wave &w) { return w.indexInGroup & 0xf; }
constexpr HardwareRegister hardwareRegisters[] = {
    {1, chips::Any, [](Context &, Wave &w) { return w.mode; }},
    {2, chips::Any, [](Context &c, Wave &w) { return status(c, w); }},
    {3, chips::Before12, zero},                                                      // TRAPSTS
    {4, chips::Gfx9, waveId},                                                        // HW_ID
    {4, chips::Gfx12, [](Context &, Wave &w) { return uint32_t(w.scc != 0) << 9; }}, // STATE_PRIV
    {5, chips::Any, zero},                                                           // GPR_ALLOC: the base is 0
    {6, chips::Any, [](Context &c, Wave &) { return (c.ldsBytes + 511) / 512 << 12; }},
    {7, chips::Any, zero}, // IB_STS: nothing is outstanding
    {10, chips::Gfx12, zero},
    {11, chips::Gfx12, zero},
    {12, chips::Gfx12, zero}, // PERF_SNAPSHOT
    {15, chips::Before12,
     [](Context &, Wave &) { return Context::PrivateAperture >> 16 | (Context::SharedAperture & 0xffff0000u); }},
    {15, chips::Gfx12, zero},
    {16, chips::Gfx9 | chips::Gfx12, zero}, // TBA and TMA: there is no trap handler; gfx12: PERF_SNAPSHOT
    {17, chips::Gfx9 | chips::Gfx12, zero}, // EXCP_FLAG_PRIV
    {18, chips::Any, zero},                 // EXCP_FLAG_USER
    {19, chips::Gfx9 | chips::Gfx12, zero}, // TRAP_CTRL
    {20, chips::Any, zero},                 // XCC_ID; FLAT_SCR
    {21, chips::Any, zero},
    {22, chips::Gfx9, zero},
    {23, chips::Any, waveId}, // HW_ID1; gfx9: PERF_SNAPSHOT
    {24, chips::Any, zero},
    {25, chips::Gfx11, zero},
    {26, chips::Gfx12, zero}, // SCHED_MODE
    {27, chips::Gfx11, zero},
    {28, chips::Gfx12, zero}, // IB_STS2
    {29, chips::Gfx11Up,
     [](Context &c, Wave &w) {
       w.ticks += 100;
       return uint32_t(w.ticks) & (c.target->generation == Generation::Rdna4 ? ~0u : 0xfffffu);
     }},
    {30, chips::Gfx12, [](Context &, Wave &w) { return uint32_t(w.ticks >> 32); }},
    {31, chips::Gfx12, zero}, // DVGPR_ALLOC
    {32, chips::Gfx12, zero},
};
const HardwareRegister *hardwareRegister(const Context &c, unsigned id) {
  for (const HardwareRegister &r : hardwareRegisters)
    if (r.id == id && r.chips & chips::of(c.target->generation))
      return &r;
  return nullptr;
}

void getRegister(Context &c, Wave &w, const MicroOp &m) {
  Field f = fieldOf(m.imm);
  const HardwareRegister *r = hardwareRegister(c, f.id);
  if (!r)
    return c.fail(w, m, fmt::format("the chip has no hardware register {} that a kernel can read", f.id));
  w.sgpr[m.dst] = (r->read(c, w) & f.mask()) >> f.offset;
}
void setRegister(Context &c, Wave &w, const MicroOp &m) {
  Field f = fieldOf(m.imm);
  if (f.id == 1)
    w.setMode((w.mode & ~f.mask()) | (read32(c, w, m, 0) << f.offset & f.mask()));
  else if (!hardwareRegister(c, f.id))
    c.fail(w, m, fmt::format("the chip has no hardware register {} that a kernel can write", f.id));
}
void roundMode(Context &, Wave &w, const MicroOp &m) {
  w.setMode((w.mode & ~mode::RoundMask) | (uint32_t(m.imm) & 15));
}
void denormMode(Context &, Wave &w, const MicroOp &m) {
  w.setMode((w.mode & ~mode::KeepAll) | (uint32_t(m.imm) & 15) << 4);
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

void indexMode(Context &, Wave &w, const MicroOp &m) {
  uint32_t &m0 = w.sgpr[codeobject::scalar::M0];
  m0 = (m0 & ~0xf000u) | (uint32_t(m.imm) & 15) << 12;
}

/// VSKIP makes a wave skip its vector instructions.
void setSkip(Context &c, Wave &w, const MicroOp &m) {
  if (read32(c, w, m, 0) >> (read32(c, w, m, 1) & 31) & 1)
    c.fail(w, m, "skipping vector instructions (VSKIP) is not emulated");
}
/// With the operand's lowest bit the wave stops until a debugger lets it go on.
void halt(Context &c, Wave &w, const MicroOp &m) {
  if (m.imm & 1)
    c.fail(w, m, "the wave halts itself, and no debugger is there to resume it");
}

// Divergence on gfx9: the side with fewer lanes runs first, the other waits in four scalars. MODE[31:29] counts those
// that wait (ISA guides, S_CBRANCH_G_FORK).
void fork(Context &c, Wave &w, const MicroOp &m, uint64_t taken, uint64_t next) {
  uint64_t exec = w.exec(), mask = read64(c, w, m, 0), pass = mask & exec, fail = ~mask & exec;
  if (pass == exec)
    return jump(c, w, m, taken);
  if (fail == exec)
    return;
  unsigned depth = w.mode >> 29;
  bool failFirst = std::popcount(fail) < std::popcount(pass);
  w.setPair(depth * 4, failFirst ? pass : fail);
  w.setPair(depth * 4 + 2, failFirst ? taken : next);
  w.setPair(codeobject::scalar::ExecLo, failFirst ? fail : pass);
  w.mode += 1u << 29;
  if (!failFirst)
    jump(c, w, m, taken);
}
void forkToRegister(Context &c, Wave &w, const MicroOp &m) { fork(c, w, m, read64(c, w, m, 1), nextAddress(c, m)); }
void forkToLabel(Context &c, Wave &w, const MicroOp &m) {
  fork(c, w, m, c.loadBias + m.instruction->target, nextAddress(c, m));
}
void join(Context &c, Wave &w, const MicroOp &m) {
  unsigned depth = w.mode >> 29;
  if (depth == (read32(c, w, m, 0) & 7))
    return;
  w.mode -= 1u << 29;
  depth = (depth - 1) & 7;
  w.setPair(codeobject::scalar::ExecLo, w.pair(depth * 4));
  jump(c, w, m, w.pair(depth * 4 + 2));
}

// gfx11 loops that run the halves of a wave64 one after the other (RDNA ISA guides, S_SUBVECTOR_LOOP_BEGIN).
void halfLoopBegin(Context &, Wave &w, const MicroOp &m) {
  uint32_t &low = w.sgpr[codeobject::scalar::ExecLo], &high = w.sgpr[codeobject::scalar::ExecHi];
  if (!low && !high) {
    w.pc = m.target;
  } else if (!low) {
    w.sgpr[m.dst] = low;
  } else {
    w.sgpr[m.dst] = high;
    high = 0;
  }
}
void halfLoopEnd(Context &, Wave &w, const MicroOp &m) {
  uint32_t &low = w.sgpr[codeobject::scalar::ExecLo], &high = w.sgpr[codeobject::scalar::ExecHi];
  if (high) {
    low = w.sgpr[m.dst];
  } else if (w.sgpr[m.dst]) {
    high = w.sgpr[m.dst];
    w.sgpr[m.dst] = low;
    low = 0;
    w.pc = m.target;
  }
}
const char *loopRegister(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  const codeobject::Operand *o = !i.dst.empty() ? &i.dst[0] : !i.src.empty() ? &i.src[0] : nullptr;
  if (!o || o->kind != codeobject::Operand::Kind::Scalar)
    return "its register is missing";
  m.dst = o->index;
  return nullptr;
}

/// gfx12: a wave keeps what it got at launch; more than that cannot be had.
void allocateVgprs(Context &c, Wave &w, const MicroOp &m) {
  w.scc = (m.src[0].kind == Source::Kind::None ? uint32_t(m.imm) : read32(c, w, m, 0)) <= w.vgprCount;
}

void trap(Context &c, Wave &w, const MicroOp &m) {
  if (m.imm == 3) // the debugger's
    return;
  c.fail(w, m,
         m.imm == 2 ? std::string("the kernel stopped itself (s_trap 2: abort, assert or __builtin_trap)")
                    : fmt::format("s_trap {} is not emulated", m.imm));
}
/// Messages that only give resources back, or interrupt a host that does not listen (1), have no effect here.
void sendMessage(Context &c, Wave &w, const MicroOp &m) {
  unsigned id = unsigned(m.imm & 0xf);
  bool deallocates = c.target->isRdna() && id == 3;
  if (!deallocates && id > 1)
    c.fail(w, m, fmt::format("s_sendmsg {} is not emulated", id));
}
template <bool Wide> void askMessage(Context &c, Wave &w, const MicroOp &m) {
  uint64_t answer = 0; // no doorbell, no trap handler, draw 0, shader engine 0
  switch (m.imm & 0xff) {
  case 0x80: // GET_DOORBELL
  case 0x81: // GET_DDID
  case 0x82: // GET_TMA
  case 0x85: // GET_TBA
  case 0x87: // GET_SE_AID_ID
    break;
  case 0x83: // GET_REALTIME
    answer = w.ticks += 100;
    break;
  default:
    return c.fail(w, m, fmt::format("s_sendmsg_rtn 0x{:x} is not emulated", m.imm & 0xff));
  }
  if (Wide)
    w.setPair(m.dst, answer);
  else
    w.sgpr[m.dst] = uint32_t(answer);
}
void sendMessageAndHalt(Context &c, Wave &w, const MicroOp &m) {
  c.fail(w, m, "the wave halts itself, and no debugger is there to resume it");
}

#define NO_EFFECT(NAME) {NAME, chips::Any, nothing, {}, OpClass::Control}

constexpr Semantics table[] = {
    {"s_endpgm", chips::Any, end, {}, OpClass::Control},
    {"s_endpgm_saved", chips::Any, end, {}, OpClass::Control},
    {"s_endpgm_ordered_ps_done", chips::Before12, end, {}, OpClass::Control},
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
    {"s_barrier_signal", chips::Gfx12, signal<false>, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_barrier_signal_isfirst", chips::Gfx12, signal<true>, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_barrier_init", chips::Gfx12, initBarrier, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_barrier_join", chips::Gfx12, joinBarrier, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_barrier_leave", chips::Gfx12, leaveBarrier, {}, OpClass::Control},
    {"s_get_barrier_state", chips::Gfx12, barrierState, {Type::S32, Type::None, {Type::S32}}, OpClass::Control},
    {"s_barrier_wait", chips::Gfx12, wait, {}, OpClass::Control},

    {"s_getreg_b32", chips::Any, getRegister, {Type::S32}, OpClass::Control},
    {"s_setreg_b32", chips::Any, setRegister, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_setreg_imm32_b32", chips::Any, setRegister, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_round_mode", chips::Gfx11Up, roundMode, {}, OpClass::Control},
    {"s_denorm_mode", chips::Gfx11Up, denormMode, {}, OpClass::Control},

    {"s_set_gpr_idx_on", chips::Gfx9, indexOn, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_set_gpr_idx_idx", chips::Gfx9, indexIs, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_set_gpr_idx_off", chips::Gfx9, nothing, {}, OpClass::Control},
    {"s_set_gpr_idx_mode", chips::Gfx9, indexMode, {}, OpClass::Control},
    {"s_setvskip", chips::Gfx9, setSkip, {Type::None, Type::None, {Type::S32, Type::S32}}, OpClass::Control},
    {"s_cbranch_g_fork",
     chips::Gfx9,
     forkToRegister,
     {Type::None, Type::None, {Type::S64, Type::S64}},
     OpClass::Control},
    {"s_cbranch_i_fork", chips::Gfx9, forkToLabel, {Type::None, Type::None, {Type::S64}}, OpClass::Control},
    {"s_cbranch_join", chips::Gfx9, join, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_subvector_loop_begin", chips::Gfx11, halfLoopBegin, {Type::S32}, OpClass::Control, nullptr, loopRegister},
    {"s_subvector_loop_end", chips::Gfx11, halfLoopEnd, {Type::S32}, OpClass::Control, nullptr, loopRegister},
    {"s_alloc_vgpr", chips::Gfx12, allocateVgprs, {Type::None, Type::None, {Type::S32}}, OpClass::Control},
    {"s_rfe_b64", chips::Any, setPc, {Type::None, Type::None, {Type::S64}}, OpClass::Control},
    {"s_rfe_restore_b64", chips::Gfx9, setPc, {Type::None, Type::None, {Type::S64, Type::S32}}, OpClass::Control},
    {"s_sendmsghalt", chips::Any, sendMessageAndHalt, {}, OpClass::Control},
    {"s_sethalt", chips::Any, halt, {}, OpClass::Control},
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
    NO_EFFECT("s_setkill"),
    NO_EFFECT("s_version"),
};

} // namespace

llvm::ArrayRef<Semantics> controlFamily() { return table; }

} // namespace wavewright::emulator::scalar_semantics
