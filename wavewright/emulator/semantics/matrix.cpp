//===- emulator/semantics/matrix.cpp - MFMA, WMMA, sparse forms; the table of these and of v_dot* ------------===//
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

/// The same for elements of six bits, of which some lie in two registers.
void gatherSix(const Row *rows, const Line *lines, unsigned k, unsigned extent, uint32_t *plane) {
  for (unsigned i = 0; i < k; ++i, plane += extent) {
    const Line line = lines[i];
    const uint32_t *low = rows[line.reg].lane + line.lane;
    const uint32_t *high = line.shift > 26 ? rows[line.reg + 1].lane + line.lane : low;
    for (unsigned lane = 0; lane < extent; ++lane)
      plane[lane] = uint32_t((uint64_t(high[lane]) << 32 | low[lane]) >> line.shift) & 0x3fu;
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
      if (bits == 32 && p.n >= 8) {
        for (unsigned column = 0; column < p.n; column += 8)
          store(plane + i * p.n + column, load<VU>(in + column));
        continue;
      }
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
      if (p.n < 8)
        __builtin_memcpy(out, plane + i * p.n, 16);
      for (unsigned j = 0; j + 8 <= p.n; j += 8)
        store(out + j, load<VU>(plane + i * p.n + j));
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
  case Format::Fp6:
    return decodePlane<Format::Fp6>(raw, count, false, significands, exponents);
  case Format::Bf6:
    return decodePlane<Format::Bf6>(raw, count, false, significands, exponents);
  case Format::Fp4:
    return decodePlane<Format::Fp4>(raw, count, false, significands, exponents);
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
  if (matrix::isSmallFloat(p.a))
    cdnaKernel<16, true, Narrow>(p, t);
  else if (p.a == Format::Xf32 || p.k < 8)
    cdnaKernel<4, false, Narrow>(p, t);
  else
    cdnaKernel<8, false, Narrow>(p, t);
}

bool isNarrow(const Range &a, const Range &b) {
  return a.maxExponent <= NarrowExponent && b.maxExponent <= NarrowExponent && a.minExponent >= -NarrowExponent &&
         b.minExponent >= -NarrowExponent;
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

/// The scales of a scaled instruction, one byte for each 32 elements of a row of A (a column of B).
struct Scales {
  static constexpr unsigned Blocks = 4, Extent = 32; ///< K of 128 with 16 rows, K of 64 with 32
  uint8_t a[Blocks * Extent], b[Blocks * Extent];
};

/// The byte that a scale operand gives each lane. Of the constants only powers of two have an exponent to give.
void scaleBytes(const Wave &w, const Source &source, unsigned byte, unsigned count, uint8_t *out) {
  for (unsigned lane = 0; lane < count; ++lane)
    switch (source.kind) {
    case Source::Kind::Vgpr:
      out[lane] = uint8_t(w.vgpr[source.index].lane[lane] >> (8 * byte));
      break;
    case Source::Kind::Scalar:
      out[lane] = uint8_t(w.sgpr[source.index] >> (8 * byte));
      break;
    default: {
      uint32_t bits = uint32_t(source.constant);
      out[lane] = bits >= 0x3e000000u && bits <= 0x40800000u ? uint8_t(bits >> 23) : 0;
      break;
    }
    }
}

/// Adds the scales to decoded exponents.
Range scaleExponents(Range range, int32_t *exponents, unsigned k, unsigned extent, const uint8_t *scales) {
  Range scaled;
  scaled.special = range.special;
  for (unsigned i = 0; i < k; ++i)
    for (unsigned j = 0; j < extent; ++j) {
      int32_t &exponent = exponents[i * extent + j];
      uint8_t scale = scales[i / 32 * extent + j];
      scaled.special |= scale == 0xff;
      if (exponent == ZeroExponent)
        continue;
      exponent += int32_t(scale) - 127;
      scaled.maxExponent = exponent > scaled.maxExponent ? exponent : scaled.maxExponent;
      scaled.minExponent = exponent < scaled.minExponent ? exponent : scaled.minExponent;
    }
  return scaled;
}

/// `elementwise` with scales.
void elementwiseScaled(const Plan &p, Tile &t, const Scales &s) {
  uint32_t as[128], bs[128];
  uint8_t scalesA[Scales::Blocks], scalesB[Scales::Blocks];
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned column = 0; column < p.n; ++column) {
      for (unsigned k = 0; k < p.k; ++k) {
        as[k] = t.rawA[k * p.m + row];
        bs[k] = t.rawB[k * p.n + column];
      }
      for (unsigned block = 0; block < p.k / 32; ++block) {
        scalesA[block] = s.a[block * p.m + row];
        scalesB[block] = s.b[block * p.n + column];
      }
      uint32_t &c = t.c[row * p.n + column];
      c = matrix::cdnaScaledDot(p.a, p.b, as, bs, p.k, c, scalesA, scalesB);
    }
}

void exactTile(const Plan &p, Tile &t, const Scales *scales) {
  unsigned countA = p.m * p.k * p.blocks, countB = p.n * p.k * p.blocks;
  bool flush = p.rule == Rule::Rdna3;
  Range a = decodeOperand(p.a, t.rawA, countA, flush, t.a, t.exponentA);
  Range b = decodeOperand(p.b, t.rawB, countB, flush, t.b, t.exponentB);
  if (scales) {
    a = scaleExponents(a, t.exponentA, p.k, p.m, scales->a);
    b = scaleExponents(b, t.exponentB, p.k, p.n, scales->b);
  }
  bool vector = p.result == Format::F32 && !a.special && !b.special && a.maxExponent + b.maxExponent <= SafeExponent;
  if (!vector || !safeC(p, t))
    return scales ? elementwiseScaled(p, t, *scales) : elementwise(p, t);
  if (p.rule == Rule::Rdna3)
    return rdna3Kernel(p, t);
  if (p.rule == Rule::Rdna4)
    return matrix::isSmallFloat(p.a) ? rdna4Kernel<true>(p, t) : rdna4Kernel<false>(p, t);
  if (!isNarrow(a, b))
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

void widenC(const Plan &p, Tile &t) {
  if (p.result != Format::F32)
    for (unsigned i = 0; i < p.m * p.n * p.blocks; ++i)
      t.c[i] = p.result == Format::F16 ? bitsOf(halfToFloat(t.c[i])) : t.c[i] << 16;
}
void narrowD(const Plan &p, Tile &t) {
  if (p.result != Format::F32)
    for (unsigned i = 0; i < p.m * p.n * p.blocks; ++i)
      t.c[i] = p.result == Format::F16 ? floatToHalf(floatOf(t.c[i])) : floatToBf16(floatOf(t.c[i]));
}

void scaleValues(float *values, unsigned k, unsigned extent, const uint8_t *scales) {
  for (unsigned i = 0; i < k; ++i)
    for (unsigned j = 0; j < extent; ++j) {
      uint8_t scale = scales[i / 32 * extent + j];
      float &x = values[i * extent + j];
      x = scale == 0xff ? floatOf(0x7fc00000u) : scaleFloat(x, int32_t(scale) - 127);
    }
}

void fastTile(const Plan &p, Tile &t, const Scales *scales = nullptr) {
  valuePlane(p.a, t.rawA, p.m * p.k * p.blocks, t.a);
  valuePlane(p.b, t.rawB, p.n * p.k * p.blocks, t.b);
  if (scales) {
    scaleValues(t.a, p.k, p.m, scales->a);
    scaleValues(t.b, p.k, p.n, scales->b);
  }
  widenC(p, t);
  fmaKernel(p, t);
  narrowD(p, t);
}

void signExtend(Format f, uint32_t *plane, unsigned count) {
  if (f != Format::I8 && f != Format::I4)
    return;
  unsigned shift = f == Format::I8 ? 24 : 28;
  for (unsigned i = 0; i < count; i += 8)
    store(plane + i, as<VI>(load<VU>(plane + i) << shift) >> VI(int(shift)));
}

// Sparse -----------------------------------------------------------------------------------------------
/// The rows of B that each row of A meets: [k][row].
void chooseRows(const Plan &p, const uint32_t *index, uint8_t *chosen) {
  unsigned bits = matrix::formatBits(p.a);
  for (unsigned k = 0; k < p.k; ++k) {
    const Line line = p.linesA[k];
    unsigned at = p.indexShift + 2 * ((line.reg * 32 + line.shift) / bits);
    for (unsigned row = 0; row < p.m; ++row)
      chosen[k * p.m + row] = uint8_t(4 * (k / 2) + (index[line.lane + row] >> at & 3));
  }
}

/// Runs `kernel(plan of one row, tile)` for each row of A against the rows of B that it meets. `Decoded` takes a, b and
/// their exponents along, else the raw elements go.
template <bool Decoded, class Kernel> void rowByRow(const Plan &p, Tile &t, const uint8_t *chosen, Kernel kernel) {
  Plan one = p;
  one.m = 1;
  Tile r;
  for (unsigned row = 0; row < p.m; ++row) {
    for (unsigned k = 0; k < p.k; ++k) {
      unsigned from = chosen[k * p.m + row] * p.n, a = k * p.m + row;
      if (Decoded) {
        r.a[k] = t.a[a];
        r.exponentA[k] = t.exponentA[a];
        __builtin_memcpy(r.b + k * p.n, t.b + from, p.n * 4);
        __builtin_memcpy(r.exponentB + k * p.n, t.exponentB + from, p.n * 4);
      } else {
        r.rawA[k] = t.rawA[a];
        __builtin_memcpy(r.rawB + k * p.n, t.rawB + from, p.n * 4);
      }
    }
    __builtin_memcpy(r.c, t.c + row * p.n, p.n * 4);
    kernel(one, r);
    __builtin_memcpy(t.c + row * p.n, r.c, p.n * 4);
  }
}

/// Products are summed in the order of A's compressed elements, by the rule of the dense instruction with as many.
void sparseExact(const Plan &p, Tile &t, const uint8_t *chosen) {
  Range a = decodeOperand(p.a, t.rawA, p.m * p.k, false, t.a, t.exponentA);
  Range b = decodeOperand(p.b, t.rawB, p.n * p.denseK, false, t.b, t.exponentB);
  bool vector = p.result == Format::F32 && !a.special && !b.special && a.maxExponent + b.maxExponent <= SafeExponent;
  if (!vector || !safeC(p, t))
    return rowByRow<false>(p, t, chosen, elementwise);
  if (p.rule == Rule::Rdna4)
    return rowByRow<true>(p, t, chosen, matrix::isSmallFloat(p.a) ? rdna4Kernel<true> : rdna4Kernel<false>);
  if (!isNarrow(a, b))
    return rowByRow<true>(p, t, chosen, cdna<false>);
  scalePlane(t.a, t.exponentA, p.m * p.k);
  scalePlane(t.b, t.exponentB, p.n * p.denseK);
  rowByRow<true>(p, t, chosen, cdna<true>);
}

void sparseFast(const Plan &p, Tile &t, const uint8_t *chosen) {
  valuePlane(p.a, t.rawA, p.m * p.k, t.a);
  valuePlane(p.b, t.rawB, p.n * p.denseK, t.b);
  widenC(p, t);
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned k = 0; k < p.k; ++k) {
      const float *b = t.b + chosen[k * p.m + row] * p.n;
      auto *d = reinterpret_cast<float *>(t.c) + row * p.n;
      VF a(t.a[k * p.m + row]);
      for (unsigned column = 0; column < p.n; column += 8)
        store(d + column, __builtin_elementwise_fma(a, load<VF>(b + column), load<VF>(d + column)));
    }
  narrowD(p, t);
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
  if (c.options->matrix == MatrixMode::Fast && fastOnRegisters(w, m, p))
    return;

  Tile t;
  unsigned countA = p.m * p.k * p.blocks, countB = p.n * p.k * p.blocks;
  unsigned bitsA = matrix::formatBits(p.a), bitsB = matrix::formatBits(p.b);
  if (bitsA == 6)
    gatherSix(w.vgpr + m.src[0].index, p.linesA, p.k, p.m, t.rawA);
  else
    gather(w.vgpr + m.src[0].index, p.linesA, p.k, p.blocks, p.m, bitsA, p.flipA, t.rawA);
  const Row *rowsB = w.vgpr + m.src[1].index;
  Row pattern[4];
  if (p.patternB) {
    for (unsigned r = 0; r < p.registersB; ++r)
      for (unsigned lane = 0; lane < MaxLanes; ++lane)
        pattern[r].lane[lane] = rowsB[r].lane[p.lanesB[lane]];
    rowsB = pattern;
  }
  if (bitsB == 6)
    gatherSix(rowsB, p.linesB, p.k, p.n, t.rawB);
  else
    gather(rowsB, p.linesB, p.k, p.blocks, p.n, bitsB, p.flipB, t.rawB);
  gatherC(w, m.src[2], p, t.c);
  Scales scales;
  if (p.scaled) {
    scaleBytes(w, m.src[3], p.scaleByteA, p.m * p.k / 32, scales.a);
    scaleBytes(w, m.saddr, p.scaleByteB, p.n * p.k / 32, scales.b);
  }

  if (p.rule == Rule::Integer) {
    signExtend(p.a, t.rawA, countA);
    signExtend(p.b, t.rawB, countB);
    integerKernel(p, t);
  } else if (p.rule == Rule::FmaChain) {
    fastTile(p, t);
    for (unsigned i = 0; i < p.m * p.n * p.blocks; ++i)
      t.c[i] = isNan(floatOf(t.c[i])) ? matrix::nan::Cdna : t.c[i];
  } else if (c.options->matrix == MatrixMode::Fast) {
    fastTile(p, t, p.scaled ? &scales : nullptr);
  } else {
    exactTile(p, t, p.scaled ? &scales : nullptr);
  }
  scatterD(w, m.dst, p, t.c);
}

void sparseMatrixInstruction(Context &c, Wave &w, const MicroOp &m) {
  const Plan &p = *reinterpret_cast<const Plan *>(uintptr_t(m.payload));
  c.matrixFlops += p.flops;
  Tile t;
  gather(w.vgpr + m.src[0].index, p.linesA, p.k, 1, p.m, matrix::formatBits(p.a), p.flipA, t.rawA);
  gather(w.vgpr + m.src[1].index, p.linesB, p.denseK, 1, p.n, matrix::formatBits(p.b), p.flipB, t.rawB);
  gatherC(w, m.src[2], p, t.c);
  uint8_t chosen[matrix::MaxElements];
  chooseRows(p, w.vgpr[m.src[3].index].lane, chosen);
  if (p.rule == Rule::Integer) {
    signExtend(p.a, t.rawA, p.m * p.k);
    signExtend(p.b, t.rawB, p.n * p.denseK);
    rowByRow<false>(p, t, chosen, integerKernel);
  } else if (c.options->matrix == MatrixMode::Fast) {
    sparseFast(p, t, chosen);
  } else {
    sparseExact(p, t, chosen);
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
#define SPARSE(NAME, CHIPS)                                                                                            \
  {NAME,                                                                                                               \
   chips::CHIPS,                                                                                                       \
   sparseMatrixInstruction,                                                                                            \
   {Type::Raw, Type::None, {Type::Raw, Type::Raw, Type::Raw, Type::Raw}},                                              \
   OpClass::Matrix,                                                                                                    \
   nullptr,                                                                                                            \
   matrix::prepareMatrix}
#define SPARSE_BYTES(NAME, CHIPS)                                                                                      \
  SPARSE(NAME "_fp8_fp8", CHIPS), SPARSE(NAME "_fp8_bf8", CHIPS), SPARSE(NAME "_bf8_fp8", CHIPS),                      \
      SPARSE(NAME "_bf8_bf8", CHIPS)
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
    MATRIX("v_mfma_f32_16x16x128_f8f6f4", Gfx950),
    MATRIX("v_mfma_f32_32x32x64_f8f6f4", Gfx950),
    MATRIX("v_mfma_scale_f32_16x16x128_f8f6f4", Gfx950),
    MATRIX("v_mfma_scale_f32_32x32x64_f8f6f4", Gfx950),
    SPARSE("v_smfmac_f32_16x16x32_f16", Gfx9),
    SPARSE("v_smfmac_f32_32x32x16_f16", Gfx9),
    SPARSE("v_smfmac_f32_16x16x32_bf16", Gfx9),
    SPARSE("v_smfmac_f32_32x32x16_bf16", Gfx9),
    SPARSE("v_smfmac_i32_16x16x64_i8", Gfx9),
    SPARSE("v_smfmac_i32_32x32x32_i8", Gfx9),
    SPARSE_BYTES("v_smfmac_f32_16x16x64", Gfx9),
    SPARSE_BYTES("v_smfmac_f32_32x32x32", Gfx9),
    SPARSE("v_smfmac_f32_16x16x64_f16", Gfx950),
    SPARSE("v_smfmac_f32_32x32x32_f16", Gfx950),
    SPARSE("v_smfmac_f32_16x16x64_bf16", Gfx950),
    SPARSE("v_smfmac_f32_32x32x32_bf16", Gfx950),
    SPARSE("v_smfmac_i32_16x16x128_i8", Gfx950),
    SPARSE("v_smfmac_i32_32x32x64_i8", Gfx950),
    SPARSE_BYTES("v_smfmac_f32_16x16x128", Gfx950),
    SPARSE_BYTES("v_smfmac_f32_32x32x64", Gfx950),
    SPARSE("v_swmmac_f32_16x16x32_f16", Gfx12),
    SPARSE("v_swmmac_f32_16x16x32_bf16", Gfx12),
    SPARSE("v_swmmac_f16_16x16x32_f16", Gfx12),
    SPARSE("v_swmmac_bf16_16x16x32_bf16", Gfx12),
    SPARSE("v_swmmac_i32_16x16x32_iu8", Gfx12),
    SPARSE("v_swmmac_i32_16x16x32_iu4", Gfx12),
    SPARSE("v_swmmac_i32_16x16x64_iu4", Gfx12),
    SPARSE_BYTES("v_swmmac_f32_16x16x32", Gfx12),
    WAVEWRIGHT_DOT_ROWS,
};

WAVEWRIGHT_FAMILY(matrixFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
