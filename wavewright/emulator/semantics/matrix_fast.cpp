//===- emulator/semantics/matrix_fast.cpp - the fast mode on registers -----------------------------===//
//
// One fused multiply-add for each k, as matrix_kernels.h's fmaKernel does, for the forms that kernels are made of: f16
// and bf16 operands, D in f32, at least 16 columns. A and B become planes of values in one pass; C is read
// from its registers and D written to them with no plane between.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/matrix.h"

#include "wavewright/emulator/semantics/matrix_kernels.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

using matrix::Format;
using matrix::Line;
using matrix::Plan;

namespace {

constexpr unsigned MaxColumns = 32;

struct Planes {
  alignas(64) float a[matrix::MaxElements + 8], b[matrix::MaxElements + 8];
};

/// Elements of A or B as f32, [k][block, row].
template <Format F> void gatherValues(const Row *rows, const Line *lines, unsigned count, unsigned extent, float *out) {
  for (unsigned i = 0; i < count; ++i, out += extent) {
    const Line line = lines[i];
    const uint32_t *in = rows[line.reg].lane + line.lane;
    for (unsigned lane = 0; lane < extent; lane += 8) {
      VU x = load<VU>(in + lane);
      if constexpr (F == Format::Bf16)
        x = line.shift ? x & 0xffff0000u : x << 16;
      if constexpr (F == Format::F16) {
        x = x >> line.shift & 0xffffu;
        VF value;
#pragma clang loop unroll(full)
        for (unsigned j = 0; j < 8; ++j)
          value[j] = halfToFloat(x[j]);
        x = as<VU>(value);
      }
      store(out + lane, x);
    }
  }
}

void gatherOperand(Format f, const Row *rows, const Line *lines, unsigned count, unsigned extent, float *out) {
  if (f == Format::Bf16)
    gatherValues<Format::Bf16>(rows, lines, count, extent, out);
  else
    gatherValues<Format::F16>(rows, lines, count, extent, out);
}

bool applies(const Plan &p, const MicroOp &m) {
  auto simple = [](Format f) { return f == Format::Bf16 || f == Format::F16; };
  // C is read while D is written: they are the same registers or have none in common.
  unsigned apart = m.src[2].index > m.dst ? m.src[2].index - m.dst : m.dst - m.src[2].index;
  if (m.src[2].kind == Source::Kind::Vgpr && apart && apart < p.registersC)
    return false;
  return simple(p.a) && simple(p.b) && p.result == Format::F32 && p.n >= 16 && p.n <= MaxColumns && p.m % 4 == 0 &&
         p.m >= 8 && !p.patternB && !p.scaled && !p.absC && !p.negC &&
         !(p.flipA[0] | p.flipA[1] | p.flipB[0] | p.flipB[1]) &&
         (m.src[2].kind == Source::Kind::Vgpr || m.src[2].kind == Source::Kind::Constant);
}

} // namespace

bool fastOnRegisters(Wave &w, const MicroOp &m, const Plan &p) {
  if (!applies(p, m))
    return false;
  Planes t;
  unsigned strideA = p.m * p.blocks, strideB = p.n * p.blocks;
  gatherOperand(p.a, w.vgpr + m.src[0].index, p.linesA, p.k * p.blocks, p.m, t.a);
  gatherOperand(p.b, w.vgpr + m.src[1].index, p.linesB, p.k * p.blocks, p.n, t.b);
  bool constant = m.src[2].kind == Source::Kind::Constant; // then each row of C starts from the same columns
  alignas(64) float same[MaxColumns];
  for (unsigned column = 0; column < MaxColumns; ++column)
    same[column] = floatOf(uint32_t(m.src[2].constant));
  const Row *rowsC = w.vgpr + (constant ? 0 : m.src[2].index);
  Row *rowsD = w.vgpr + m.dst;
  for (unsigned block = 0; block < p.blocks; ++block)
    for (unsigned row = 0; row < p.m; row += 4) {
      const float *in[4];
      float *out[4];
#pragma clang loop unroll(full)
      for (unsigned r = 0; r < 4; ++r) {
        const Line line = p.linesD[(row + r) * p.blocks + block];
        in[r] = constant ? same : reinterpret_cast<const float *>(rowsC[line.reg].lane + line.lane);
        out[r] = reinterpret_cast<float *>(rowsD[line.reg].lane + line.lane);
      }
      for (unsigned column = 0; column < p.n; column += 16)
        fmaBlock(
            t.a + block * p.m + row, strideA, t.b + block * p.n + column, strideB, p.k,
            [&](unsigned r) __attribute__((always_inline)) { return in[r] + column; },
            [&](unsigned r) __attribute__((always_inline)) { return out[r] + column; });
    }
  return true;
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
