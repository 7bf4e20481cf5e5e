//===- emulator/semantics/matrix.cpp - MFMA and WMMA; the table of these and of v_dot* ------------===//
//
// Gather operands into planes, run the kernel that the plan's rule, the launch's matrix mode and the operands' range
// allow, scatter D. D may overlap any operand: nothing is written before everything is read. EXEC does not matter.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/matrix.h"

#include "wavewright/emulator/semantics/dot.h"
#include "wavewright/emulator/semantics/matrix_kernels.h"
#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

using matrix::Format;
using matrix::Line;
using matrix::Plan;
using matrix::Rule;

namespace {

/// Elements of A or B into a plane, each at bit 0, zero-extended.
void gather(const Row *rows, const Line *lines, unsigned k, unsigned blocks, unsigned extent, unsigned bits,
            const uint32_t *flip, uint32_t *plane) {
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  for (unsigned i = 0; i < k * blocks; ++i, plane += extent) {
    const Line line = lines[i];
    const uint32_t *in = rows[line.reg].lane + line.lane;
    uint32_t turned = flip[line.shift == 16];
    if (extent < 8) {
      for (unsigned lane = 0; lane < extent; ++lane)
        plane[lane] = (in[lane] >> line.shift & mask) ^ turned;
      continue;
    }
    for (unsigned lane = 0; lane < extent; lane += 8)
      store(plane + lane, (load<VU>(in + lane) >> line.shift & mask) ^ turned);
  }
}

void gatherC(const Wave &w, const Source &source, const Plan &p, uint32_t *plane) {
  unsigned bits = matrix::formatBits(p.result), count = p.m * p.n * p.blocks;
  uint32_t mask = bits == 16 ? 0xffffu : ~0u, sign = bits == 16 ? 0x8000u : 0x80000000u;
  if (source.kind != Source::Kind::Vgpr) {
    for (unsigned i = 0; i < count; ++i)
      plane[i] = uint32_t(source.constant) & mask;
  } else {
    const Row *rows = w.vgpr + source.index;
    for (unsigned i = 0; i < p.m * p.blocks; ++i) {
      const Line line = p.linesD[i];
      const uint32_t *in = rows[line.reg].lane + line.lane;
      for (unsigned column = 0; column < p.n; column += 4)
        for (unsigned j = column; j < column + 4; ++j)
          plane[i * p.n + j] = in[j] >> line.shift & mask;
    }
  }
  if (p.absC | p.negC) {
    uint32_t keep = p.absC ? ~sign : ~0u, turn = p.negC ? sign : 0;
    for (unsigned i = 0; i < count; ++i)
      plane[i] = (plane[i] & keep) ^ turn;
  }
}

void scatterD(Wave &w, uint16_t first, const Plan &p, const uint32_t *plane) {
  Row *rows = w.vgpr + first;
  bool half = matrix::formatBits(p.result) == 16;
  for (unsigned i = 0; i < p.m * p.blocks; ++i) {
    const Line line = p.linesD[i];
    uint32_t *out = rows[line.reg].lane + line.lane;
    if (!half) {
      __builtin_memcpy(out, plane + i * p.n, p.n * 4);
      continue;
    }
    uint32_t mask = 0xffffu << line.shift;
    for (unsigned j = 0; j < p.n; ++j)
      out[j] = (out[j] & ~mask) | plane[i * p.n + j] << line.shift;
  }
}

Range decodeOperand(Format f, const uint32_t *raw, unsigned count, bool flushBf16, float *significands,
                    int32_t *exponents) {
  switch (f) {
  case Format::F16:
    return decodePlane<Format::F16>(raw, count, false, significands, exponents);
  case Format::Bf16:
    return decodePlane<Format::Bf16>(raw, count, flushBf16, significands, exponents);
  case Format::Xf32:
    return decodePlane<Format::Xf32>(raw, count, false, significands, exponents);
  case Format::Fp8:
    return decodePlane<Format::Fp8>(raw, count, false, significands, exponents);
  case Format::Bf8:
    return decodePlane<Format::Bf8>(raw, count, false, significands, exponents);
  case Format::Fp8Fnuz:
    return decodePlane<Format::Fp8Fnuz>(raw, count, false, significands, exponents);
  case Format::Bf8Fnuz:
    return decodePlane<Format::Bf8Fnuz>(raw, count, false, significands, exponents);
  default:
    return {};
  }
}

bool safeC(const Plan &p, const Tile &t) {
  unsigned count = p.m * p.n * p.blocks;
  VU unsafe(0u);
  for (unsigned i = 0; i < count; i += 8)
    unsafe |= as<VU>((load<VU>(t.c + i) & 0x7fffffffu) >= SafeC);
  return horizontalMin(as<VI>(unsafe)) == 0;
}

template <bool Narrow> void cdna(const Plan &p, Tile &t) {
  if (matrix::isByteFloat(p.a))
    cdnaKernel<16, true, Narrow>(p, t);
  else if (p.a == Format::Xf32 || p.k < 8)
    cdnaKernel<4, false, Narrow>(p, t);
  else
    cdnaKernel<8, false, Narrow>(p, t);
}

/// Every element by the integer rules: special values, extreme exponents, packed results.
void elementwise(const Plan &p, Tile &t) {
  unsigned strideA = p.m * p.blocks, strideB = p.n * p.blocks;
  uint32_t as[256], bs[256];
  for (unsigned block = 0; block < p.blocks; ++block) {
    for (unsigned row = 0; row < p.m; ++row) {
      for (unsigned k = 0; k < p.k; ++k)
        as[k] = t.rawA[k * strideA + block * p.m + row];
      for (unsigned column = 0; column < p.n; ++column) {
        for (unsigned k = 0; k < p.k; ++k)
          bs[k] = t.rawB[k * strideB + block * p.n + column];
        uint32_t &c = t.c[row * strideB + block * p.n + column];
        c = matrix::dot(p.rule, p.a, p.b, p.result, as, bs, p.k, c);
      }
    }
  }
}

void exactTile(const Plan &p, Tile &t) {
  unsigned countA = p.m * p.k * p.blocks, countB = p.n * p.k * p.blocks;
  bool flush = p.rule == Rule::Rdna3;
  Range a = decodeOperand(p.a, t.rawA, countA, flush, t.a, t.exponentA);
  Range b = decodeOperand(p.b, t.rawB, countB, flush, t.b, t.exponentB);
  bool vector = p.result == Format::F32 && !a.special && !b.special && a.maxExponent + b.maxExponent <= SafeExponent;
  if (!vector || !safeC(p, t))
    return elementwise(p, t);
  if (p.rule == Rule::Rdna3)
    return rdna3Kernel(p, t);
  if (p.rule == Rule::Rdna4)
    return matrix::isByteFloat(p.a) ? rdna4Kernel<true>(p, t) : rdna4Kernel<false>(p, t);
  bool narrow = a.maxExponent <= NarrowExponent && b.maxExponent <= NarrowExponent &&
                a.minExponent >= -NarrowExponent && b.minExponent >= -NarrowExponent;
  if (!narrow)
    return cdna<false>(p, t);
  scalePlane(t.a, t.exponentA, countA);
  scalePlane(t.b, t.exponentB, countB);
  cdna<true>(p, t);
}

/// Values for the fast mode, special values included.
void valuePlane(Format f, const uint32_t *raw, unsigned count, float *values) {
  if (f == Format::F32 || f == Format::Xf32) {
    uint32_t mask = f == Format::Xf32 ? 0xffffe000u : ~0u;
    for (unsigned i = 0; i < count; i += 8)
      store(values + i, load<VU>(raw + i) & mask);
  } else if (f == Format::Bf16) {
    for (unsigned i = 0; i < count; i += 8)
      store(values + i, load<VU>(raw + i) << 16);
  } else if (f == Format::F16) {
    for (unsigned i = 0; i < count; ++i)
      values[i] = halfToFloat(raw[i]);
  } else {
    alignas(64) int32_t exponents[matrix::MaxElements + 8];
    Range range = decodeOperand(f, raw, count, false, values, exponents);
    scalePlane(values, exponents, count);
    for (unsigned i = 0; range.special && i < count; ++i) {
      matrix::Factor factor = matrix::decode(f, raw[i]);
      if (factor.nan || factor.infinite)
        values[i] = floatOf(factor.nan ? 0x7fc00000u : factor.negative ? 0xff800000u : 0x7f800000u);
    }
  }
}

void fastTile(const Plan &p, Tile &t) {
  unsigned count = p.m * p.n * p.blocks;
  valuePlane(p.a, t.rawA, p.m * p.k * p.blocks, t.a);
  valuePlane(p.b, t.rawB, p.n * p.k * p.blocks, t.b);
  if (p.result != Format::F32)
    for (unsigned i = 0; i < count; ++i)
      t.c[i] = p.result == Format::F16 ? bitsOf(halfToFloat(t.c[i])) : t.c[i] << 16;
  fmaKernel(p, t);
  if (p.result != Format::F32)
    for (unsigned i = 0; i < count; ++i)
      t.c[i] = p.result == Format::F16 ? floatToHalf(floatOf(t.c[i])) : floatToBf16(floatOf(t.c[i]));
}

void signExtend(Format f, uint32_t *plane, unsigned count) {
  if (f != Format::I8 && f != Format::I4)
    return;
  unsigned shift = f == Format::I8 ? 24 : 28;
  for (unsigned i = 0; i < count; i += 8)
    store(plane + i, as<VI>(load<VU>(plane + i) << shift) >> VI(int(shift)));
}

void doubleInstruction(Wave &w, const MicroOp &m, const Plan &p) {
  constexpr unsigned Room = 256;
  double a[Room], b[Room], d[Room];
  auto value = [&](const Row *rows, const Line &line, unsigned i, bool negative) __attribute__((always_inline)) {
    uint64_t bits = uint64_t(rows[line.reg + 1].lane[line.lane + i]) << 32 | rows[line.reg].lane[line.lane + i];
    return doubleOf(bits ^ uint64_t(negative) << 63);
  };
  const Row *rowsA = w.vgpr + m.src[0].index, *rowsB = w.vgpr + m.src[1].index, *rowsC = w.vgpr + m.src[2].index;
  for (unsigned i = 0; i < p.k * p.blocks; ++i) {
    for (unsigned j = 0; j < p.m; ++j)
      a[i * p.m + j] = value(rowsA, p.linesA[i], j, p.negA);
    for (unsigned j = 0; j < p.n; ++j)
      b[i * p.n + j] = value(rowsB, p.linesB[i], j, p.negB);
  }
  bool constant = m.src[2].kind != Source::Kind::Vgpr;
  for (unsigned i = 0; i < p.m * p.blocks; ++i) {
    unsigned row = i / p.blocks, block = i % p.blocks;
    double *out = d + i * p.n;
    for (unsigned j = 0; j < p.n; ++j)
      out[j] = constant ? doubleOf(m.src[2].constant ^ uint64_t(p.negC) << 63) : value(rowsC, p.linesD[i], j, p.negC);
    for (unsigned k = 0; k < p.k; ++k) {
      unsigned at = k * p.blocks + block;
      for (unsigned j = 0; j < p.n; ++j)
        out[j] = __builtin_fma(a[at * p.m + row], b[at * p.n + j], out[j]);
    }
  }
  for (unsigned i = 0; i < p.m * p.blocks; ++i) {
    const Line line = p.linesD[i];
    Row *rows = w.vgpr + m.dst + line.reg;
    for (unsigned j = 0; j < p.n; ++j) {
      uint64_t bits = isNan(d[i * p.n + j]) ? matrix::nan::CdnaF64 : bitsOf(d[i * p.n + j]);
      rows[0].lane[line.lane + j] = uint32_t(bits);
      rows[1].lane[line.lane + j] = uint32_t(bits >> 32);
    }
  }
}

} // namespace

void matrixInstruction(Context &c, Wave &w, const MicroOp &m) {
  const Plan &p = *reinterpret_cast<const Plan *>(uintptr_t(m.payload));
  c.matrixFlops += p.flops;
  if (p.a == Format::F64)
    return doubleInstruction(w, m, p);

  Tile t;
  unsigned countA = p.m * p.k * p.blocks, countB = p.n * p.k * p.blocks;
  gather(w.vgpr + m.src[0].index, p.linesA, p.k, p.blocks, p.m, matrix::formatBits(p.a), p.flipA, t.rawA);
  const Row *rowsB = w.vgpr + m.src[1].index;
  Row pattern[4];
  if (p.patternB) {
    for (unsigned r = 0; r < p.registersB; ++r)
      for (unsigned lane = 0; lane < MaxLanes; ++lane)
        pattern[r].lane[lane] = rowsB[r].lane[p.lanesB[lane]];
    rowsB = pattern;
  }
  gather(rowsB, p.linesB, p.k, p.blocks, p.n, matrix::formatBits(p.b), p.flipB, t.rawB);
  gatherC(w, m.src[2], p, t.c);

  if (p.rule == Rule::Integer) {
    signExtend(p.a, t.rawA, countA);
    signExtend(p.b, t.rawB, countB);
    integerKernel(p, t);
  } else if (p.rule == Rule::FmaChain) {
    fastTile(p, t);
    for (unsigned i = 0; i < p.m * p.n * p.blocks; ++i)
      t.c[i] = isNan(floatOf(t.c[i])) ? matrix::nan::Cdna : t.c[i];
  } else if (c.options->matrix == MatrixMode::Fast) {
    fastTile(p, t);
  } else {
    exactTile(p, t);
  }
  scatterD(w, m.dst, p, t.c);
}

#define MATRIX(NAME, CHIPS)                                                                                            \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   matrixInstruction,                                                                                                  \
   {Type::Raw, Type::None, {Type::Raw, Type::Raw, Type::Raw}},                                                         \
   OpClass::Matrix,                                                                                                    \
   nullptr,                                                                                                            \
   matrix::prepareMatrix}
#define MATRIX_BYTES(NAME, CHIPS)                                                                                      \
  MATRIX(NAME "_fp8_fp8", CHIPS), MATRIX(NAME "_fp8_bf8", CHIPS), MATRIX(NAME "_bf8_fp8", CHIPS),                      \
      MATRIX(NAME "_bf8_bf8", CHIPS)

static const Semantics table[] = {
    MATRIX("v_mfma_f32_32x32x1_2b_f32", Gfx9),
    MATRIX("v_mfma_f32_16x16x1_4b_f32", Gfx9),
    MATRIX("v_mfma_f32_4x4x1_16b_f32", Gfx9),
    MATRIX("v_mfma_f32_32x32x2_f32", Gfx9),
    MATRIX("v_mfma_f32_16x16x4_f32", Gfx9),
    MATRIX("v_mfma_f32_32x32x4_2b_f16", Gfx9),
    MATRIX("v_mfma_f32_16x16x4_4b_f16", Gfx9),
    MATRIX("v_mfma_f32_4x4x4_16b_f16", Gfx9),
    MATRIX("v_mfma_f32_32x32x8_f16", Gfx9),
    MATRIX("v_mfma_f32_16x16x16_f16", Gfx9),
    MATRIX("v_mfma_f32_32x32x4_2b_bf16", Gfx9),
    MATRIX("v_mfma_f32_16x16x4_4b_bf16", Gfx9),
    MATRIX("v_mfma_f32_4x4x4_16b_bf16", Gfx9),
    MATRIX("v_mfma_f32_32x32x8_bf16", Gfx9),
    MATRIX("v_mfma_f32_16x16x16_bf16", Gfx9),
    MATRIX("v_mfma_f32_32x32x16_f16", Gfx950),
    MATRIX("v_mfma_f32_16x16x32_f16", Gfx950),
    MATRIX("v_mfma_f32_32x32x16_bf16", Gfx950),
    MATRIX("v_mfma_f32_16x16x32_bf16", Gfx950),
    MATRIX("v_mfma_f32_32x32x4_xf32", Gfx942),
    MATRIX("v_mfma_f32_16x16x8_xf32", Gfx942),
    MATRIX_BYTES("v_mfma_f32_16x16x32", Gfx9),
    MATRIX_BYTES("v_mfma_f32_32x32x16", Gfx9),
    MATRIX("v_mfma_f64_16x16x4_f64", Gfx9),
    MATRIX("v_mfma_f64_4x4x4_4b_f64", Gfx9),
    MATRIX("v_mfma_i32_32x32x4_2b_i8", Gfx9),
    MATRIX("v_mfma_i32_16x16x4_4b_i8", Gfx9),
    MATRIX("v_mfma_i32_4x4x4_16b_i8", Gfx9),
    MATRIX("v_mfma_i32_32x32x16_i8", Gfx9),
    MATRIX("v_mfma_i32_16x16x32_i8", Gfx9),
    MATRIX("v_mfma_i32_32x32x32_i8", Gfx950),
    MATRIX("v_mfma_i32_16x16x64_i8", Gfx950),
    MATRIX("v_wmma_f32_16x16x16_f16", Gfx11Up),
    MATRIX("v_wmma_f32_16x16x16_bf16", Gfx11Up),
    MATRIX("v_wmma_f16_16x16x16_f16", Gfx11Up),
    MATRIX("v_wmma_bf16_16x16x16_bf16", Gfx11Up),
    MATRIX("v_wmma_i32_16x16x16_iu8", Gfx11Up),
    MATRIX("v_wmma_i32_16x16x16_iu4", Gfx11Up),
    MATRIX("v_wmma_i32_16x16x32_iu4", Gfx12),
    MATRIX_BYTES("v_wmma_f32_16x16x16", Gfx12),
    WAVEWRIGHT_DOT_ROWS,
};

WAVEWRIGHT_FAMILY(matrixFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
