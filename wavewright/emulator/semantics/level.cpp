//===- emulator/semantics/level.cpp - what one SIMD level offers ----------------------------------===//
#include "wavewright/emulator/code.h"
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

/// Both halves of a VOPD read before either writes. When Y reads what X writes, X's result waits beside the register.
static void dual(Context &c, Wave &w, const MicroOp &m) {
  const MicroOp &x = m.halves[0], &y = m.halves[1];
  if (!m.payload) {
    x.handler(c, w, x);
    y.handler(c, w, y);
    return;
  }
  Row old = w.vgpr[x.dst];
  x.handler(c, w, x);
  Row fresh = w.vgpr[x.dst];
  w.vgpr[x.dst] = old;
  y.handler(c, w, y);
  w.vgpr[x.dst] = fresh;
}

/// gfx9 s_set_gpr_idx: M0[7:0] is added to the registers that payload names (1, 2, 4 sources, 8 destination).
static void indexed(Context &c, Wave &w, const MicroOp &m) {
  MicroOp moved = m.halves[0];
  uint32_t by = w.m0() & 0xff;
  bool inside = true;
  for (unsigned i = 0; i < 3; ++i)
    if (m.payload >> i & 1 && moved.src[i].kind == Source::Kind::Vgpr) {
      moved.src[i].index = uint16_t(moved.src[i].index + by);
      moved.src[i].place(w.vgprCount + 2 * i);
      inside &= moved.src[i].index < w.vgprCount;
    }
  if (m.payload & 8 && !moved.dstScalar) {
    moved.dst = uint16_t(moved.dst + by);
    inside &= moved.dst < w.vgprCount;
  }
  if (!inside)
    return c.fail(w, m, "the register index in M0 leads outside of the registers of the wave");
  moved.handler(c, w, moved);
}

static uint64_t run(Context &c, Wave &w, uint64_t count) {
  const MicroOp *ops = c.code->ops.data();
  uint64_t done = 0, lanes = 0;
  uint32_t pc = w.pc; // kept here across vector instructions, which do not branch
  while (done < count) {
    const MicroOp &m = ops[pc];
    w.pc = ++pc;
    ++done;
    if (m.opClass == OpClass::Valu) {
      lanes += uint64_t(__builtin_popcountll(w.pair(codeobject::scalar::ExecLo) & w.laneMask));
      m.handler(c, w, m);
    } else {
      m.handler(c, w, m);
      pc = w.pc;
    }
    if (w.state != WaveState::Running)
      break;
  }
  c.laneOperations += lanes;
  c.waveInstructions += done;
  return done;
}

static constexpr llvm::ArrayRef<Semantics> (*const families[])() = {
    moveFamily,    integerFamily,      floatFamily,          doubleFamily,    halfFamily,           packedFamily,
    convertFamily, scaleFamily,        transcendentalFamily, crossLaneFamily, compareIntegerFamily, compareFloatFamily,
    ldsFamily,     vectorMemoryFamily, atomicFamily,         formatFamily,    matrixFamily,
};
extern const SemanticsLevel level;
const SemanticsLevel level = {
    WAVEWRIGHT_SIMD_NAME, families, sizeof(families) / sizeof(families[0]), dual, indexed, run};

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
