// The vectorised road against the integer rules: every instruction, on random registers of every kind.
#include "wavewright/emulator/code.h"
#include "wavewright/emulator/semantics/scalar/matrix_plan.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

using namespace wavewright;
using namespace wavewright::emulator;
using matrix::Family;
using matrix::Format;
using matrix::Geometry;
using matrix::Plan;
using matrix::Position;
using matrix::Rule;
using matrix::Side;

namespace {

struct Random {
  uint64_t state;
  uint64_t next() { // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return unsigned(next() % n); }
};

/// How the bits of elements are drawn.
enum class Kind {
  AnyBits,
  Ordinary,
  Cancelling,
  FewBits,
  WideExponents,
  ManyZeros,
  Tiny,
  LargeCancelling,
  ZerosAmongTiny,
  Subnormal
};
constexpr Kind kinds[] = {Kind::AnyBits,        Kind::Ordinary,  Kind::Cancelling, Kind::FewBits,
                          Kind::WideExponents,  Kind::ManyZeros, Kind::Tiny,       Kind::LargeCancelling,
                          Kind::ZerosAmongTiny, Kind::Subnormal};

/// An IEEE-like element of the given widths with an exponent field near `centre`.
uint32_t element(Random &random, int exponentBits, int fractionBits, Kind kind) {
  int top = (1 << exponentBits) - 1, bias = top / 2;
  uint32_t sign = random.below(2), fraction = uint32_t(random.next()) & ((1u << fractionBits) - 1);
  int field = 0;
  switch (kind) {
  case Kind::AnyBits:
    field = int(random.below(unsigned(top + 1)));
    break;
  case Kind::Ordinary:
    field = bias - 3 + int(random.below(6));
    break;
  case Kind::Cancelling:
    field = bias + int(random.below(2));
    fraction &= 1u << (fractionBits - 1) | 1u;
    break;
  case Kind::FewBits:
    field = bias - 6 + int(random.below(12));
    fraction = 0;
    break;
  case Kind::WideExponents:
    field = int(random.below(unsigned(bias + bias * 3 / 8)));
    break;
  case Kind::ManyZeros:
    field = random.below(3) ? 0 : bias + int(random.below(4));
    fraction *= field != 0;
    break;
  case Kind::Tiny:
    field = int(random.below(unsigned(bias / 2 + 2)));
    break;
  case Kind::LargeCancelling: // sums that vanish on a grid above 1
    field = bias + std::min(bias - 1, 45) + int(random.below(2));
    fraction &= 1u << (fractionBits - 1);
    break;
  case Kind::ZerosAmongTiny: // products around the smallest normal f32
    field = random.below(4) ? bias / 2 - 12 + int(random.below(24)) : 0;
    fraction *= field != 0;
    break;
  case Kind::Subnormal:
    fraction >>= random.below(unsigned(fractionBits));
    break;
  }
  field = std::clamp(field, 0, top);
  return sign << (exponentBits + fractionBits) | uint32_t(field) << fractionBits | fraction;
}

uint32_t element(Random &random, Format format, Kind kind) {
  switch (format) {
  case Format::F16:
    return element(random, 5, 10, kind);
  case Format::Bf16:
    return element(random, 8, 7, kind);
  case Format::F32:
  case Format::Xf32:
    return element(random, 8, 23, kind);
  case Format::Fp8:
  case Format::Fp8Fnuz:
    return element(random, 4, 3, kind);
  case Format::Bf8:
  case Format::Bf8Fnuz:
    return element(random, 5, 2, kind);
  default:
    return uint32_t(random.next());
  }
}

struct Case {
  const char *chip, *name;
  unsigned dwordsA, dwordsB, dwordsD;
};
const Case cases[] = {
    {"gfx942", "v_mfma_f32_32x32x1_2b_f32", 1, 1, 32},   {"gfx942", "v_mfma_f32_16x16x1_4b_f32", 1, 1, 16},
    {"gfx942", "v_mfma_f32_4x4x1_16b_f32", 1, 1, 4},     {"gfx942", "v_mfma_f32_32x32x2_f32", 1, 1, 16},
    {"gfx942", "v_mfma_f32_16x16x4_f32", 1, 1, 4},       {"gfx942", "v_mfma_f32_32x32x4_2b_f16", 2, 2, 32},
    {"gfx942", "v_mfma_f32_16x16x4_4b_f16", 2, 2, 16},   {"gfx942", "v_mfma_f32_4x4x4_16b_f16", 2, 2, 4},
    {"gfx942", "v_mfma_f32_32x32x8_f16", 2, 2, 16},      {"gfx942", "v_mfma_f32_16x16x16_f16", 2, 2, 4},
    {"gfx942", "v_mfma_f32_16x16x4_4b_bf16", 2, 2, 16},  {"gfx942", "v_mfma_f32_4x4x4_16b_bf16", 2, 2, 4},
    {"gfx942", "v_mfma_f32_32x32x8_bf16", 2, 2, 16},     {"gfx942", "v_mfma_f32_16x16x16_bf16", 2, 2, 4},
    {"gfx950", "v_mfma_f32_16x16x32_f16", 4, 4, 4},      {"gfx950", "v_mfma_f32_32x32x16_bf16", 4, 4, 16},
    {"gfx942", "v_mfma_f32_16x16x8_xf32", 2, 2, 4},      {"gfx942", "v_mfma_f32_32x32x4_xf32", 2, 2, 16},
    {"gfx942", "v_mfma_f32_16x16x32_fp8_fp8", 2, 2, 4},  {"gfx942", "v_mfma_f32_16x16x32_bf8_fp8", 2, 2, 4},
    {"gfx950", "v_mfma_f32_16x16x32_fp8_bf8", 2, 2, 4},  {"gfx950", "v_mfma_f32_32x32x16_bf8_bf8", 2, 2, 16},
    {"gfx942", "v_mfma_i32_16x16x32_i8", 2, 2, 4},       {"gfx942", "v_mfma_i32_4x4x4_16b_i8", 1, 1, 4},
    {"gfx950", "v_mfma_i32_16x16x64_i8", 4, 4, 4},       {"gfx950", "v_mfma_i32_32x32x32_i8", 4, 4, 16},
    {"gfx1100", "v_wmma_f32_16x16x16_f16", 8, 8, 8},     {"gfx1100", "v_wmma_f32_16x16x16_bf16", 8, 8, 8},
    {"gfx1100", "v_wmma_f32_16x16x16_f16", 8, 8, 4},     {"gfx1151", "v_wmma_f32_16x16x16_bf16", 8, 8, 4},
    {"gfx1100", "v_wmma_f16_16x16x16_f16", 8, 8, 8},     {"gfx1100", "v_wmma_bf16_16x16x16_bf16", 8, 8, 4},
    {"gfx1100", "v_wmma_i32_16x16x16_iu8", 4, 4, 8},     {"gfx1100", "v_wmma_i32_16x16x16_iu4", 2, 2, 4},
    {"gfx1201", "v_wmma_f32_16x16x16_f16", 4, 4, 8},     {"gfx1201", "v_wmma_f32_16x16x16_bf16", 4, 4, 8},
    {"gfx1201", "v_wmma_f32_16x16x16_f16", 2, 2, 4},     {"gfx1201", "v_wmma_f32_16x16x16_bf16", 2, 2, 4},
    {"gfx1201", "v_wmma_f16_16x16x16_f16", 4, 4, 4},     {"gfx1201", "v_wmma_bf16_16x16x16_bf16", 2, 2, 2},
    {"gfx1201", "v_wmma_f32_16x16x16_fp8_bf8", 2, 2, 8}, {"gfx1201", "v_wmma_f32_16x16x16_bf8_bf8", 1, 1, 4},
    {"gfx1201", "v_wmma_i32_16x16x16_iu8", 2, 2, 8},     {"gfx1201", "v_wmma_i32_16x16x16_iu4", 1, 1, 8},
    {"gfx1201", "v_wmma_i32_16x16x16_iu4", 1, 1, 4},     {"gfx1201", "v_wmma_i32_16x16x32_iu4", 1, 1, 4},
};

codeobject::Instruction instructionOf(const Case &test) {
  codeobject::Instruction instruction;
  instruction.name = test.name;
  codeobject::Operand operand;
  operand.kind = codeobject::Operand::Kind::Vgpr;
  operand.dwords = uint8_t(test.dwordsD);
  instruction.dst.push_back(operand);
  for (unsigned dwords : {test.dwordsA, test.dwordsB, test.dwordsD}) {
    operand.dwords = uint8_t(dwords);
    instruction.src.push_back(operand);
  }
  return instruction;
}

/// A wave with A in v0.., B in v8.., C in v16.., D in v64.. and the micro-op for it.
struct Rig {
  std::vector<Row> file = std::vector<Row>(96);
  Wave wave;
  Context context;
  LaunchOptions options;
  MicroOp op;
  const Target *target;
  codeobject::Instruction instruction;
  const Plan *plan = nullptr;
  Geometry g;

  Rig(const Case &test, codeobject::Instruction made)
      : target(llvm::cantFail(findTarget(test.chip))), instruction(std::move(made)) {
    const Semantics *row = findSemantics(test.name, target->generation);
    EXPECT_NE(row, nullptr) << test.chip << " " << test.name;
    if (!row)
      return;
    const char *why = row->prepare(instruction, *target, op);
    EXPECT_EQ(why, nullptr) << test.name << ": " << why;
    plan = reinterpret_cast<const Plan *>(uintptr_t(op.payload));
    op.handler = row->handler;
    for (unsigned i = 0; i < 3; ++i)
      op.src[i].kind = Source::Kind::Vgpr;
    op.src[0].index = 0;
    op.src[1].index = 8;
    op.src[2].index = 16;
    op.dst = 64;
    wave.vgpr = file.data();
    wave.vgprCount = unsigned(file.size());
    context.target = target;
    context.options = &options;
    bool cdna = target->isCdna();
    g = {cdna                                      ? Family::Mfma
         : target->generation == Generation::Rdna4 ? Family::WmmaGfx12
                                                   : Family::WmmaGfx11,
         64,
         plan->m,
         plan->n,
         plan->k,
         plan->blocks,
         matrix::formatBits(plan->a),
         matrix::formatBits(plan->result)};
    unsigned perRegister = g.family == Family::WmmaGfx12 ? 32 / g.outputBits : 1;
    g.wave = cdna ? 64 : plan->m * plan->n / (test.dwordsD * perRegister);
    wave.lanes = g.wave;
  }

  uint32_t read(unsigned first, unsigned pitch, unsigned lane, unsigned slot, unsigned bits) const {
    unsigned bit = slot * pitch;
    uint32_t word = file[first + bit / 32].lane[lane] >> bit % 32;
    return bits == 32 ? word : word & ((1u << bits) - 1);
  }
  void fill(unsigned first, unsigned registers, Random &random, Format format, Kind kind) {
    unsigned bits = matrix::formatBits(format);
    for (unsigned r = 0; r < registers; ++r)
      for (unsigned lane = 0; lane < 64; ++lane) {
        uint32_t word = 0;
        for (unsigned at = 0; at < 32; at += bits)
          word |= (element(random, format, kind) & (bits == 32 ? ~0u : (1u << bits) - 1)) << at;
        file[first + r].lane[lane] = word;
      }
  }
  /// Planes by the position formulas, not by the plan's lines.
  std::vector<uint32_t> plane(Side side, unsigned first) const {
    unsigned extent = side == Side::A ? g.m : g.n, outer = side == Side::D ? g.m : g.k;
    unsigned bits = side == Side::D ? g.outputBits : g.inputBits;
    unsigned pitch = side == Side::D && g.family == Family::WmmaGfx11 ? 32 : bits;
    std::vector<uint32_t> result(size_t(extent) * outer * g.blocks);
    for (unsigned lane = 0; lane < matrix::lanes(g, side); ++lane)
      for (unsigned slot = 0; slot < matrix::slots(g, side); ++slot) {
        Position p = matrix::position(g, side, lane, slot);
        unsigned row = side == Side::D ? p.first : p.second, along = side == Side::D ? p.second : p.first;
        // gfx11's copies must be equal; the first one is what the emulator reads.
        if (side != Side::D && g.family == Family::WmmaGfx11 && lane >= 16)
          continue;
        result[(size_t(row) * g.blocks + p.block) * extent + along] = read(first, pitch, lane, slot, bits);
      }
    return result;
  }
  std::vector<uint32_t> expected() const {
    std::vector<uint32_t> a = plane(Side::A, 0), b = plane(Side::B, 8), d = plane(Side::D, 16);
    uint32_t as[64], bs[64];
    for (unsigned row = 0; row < g.m; ++row)
      for (unsigned block = 0; block < g.blocks; ++block)
        for (unsigned column = 0; column < g.n; ++column) {
          for (unsigned k = 0; k < g.k; ++k) {
            as[k] = a[(size_t(k) * g.blocks + block) * g.m + row];
            bs[k] = b[(size_t(k) * g.blocks + block) * g.n + column];
          }
          uint32_t &c = d[(size_t(row) * g.blocks + block) * g.n + column];
          c = matrix::dot(plan->rule, plan->a, plan->b, plan->result, as, bs, g.k, c, plan->clamp);
        }
    return d;
  }
};

TEST(MatrixKernels, GiveTheBitsOfTheIntegerRules) {
  Random random{20260101};
  uint64_t compared = 0;
  for (const Case &test : cases) {
    Rig rig(test, instructionOf(test));
    ASSERT_NE(rig.plan, nullptr);
    unsigned perRun = rig.g.m * rig.g.n * rig.g.blocks;
    for (Kind kind : kinds) {
      // The same kind for A and B, another for C, so that C is now above, now below the products.
      for (unsigned run = 0; run < 6000 / perRun + 2; ++run) {
        rig.fill(0, test.dwordsA, random, rig.plan->a, kind);
        rig.fill(8, test.dwordsB, random, rig.plan->b, random.below(2) ? kind : Kind::Ordinary);
        Format c = rig.plan->result;
        rig.fill(16, test.dwordsD, random, c, kinds[random.below(std::size(kinds))]);
        std::vector<uint32_t> expected = rig.expected();
        rig.op.handler(rig.context, rig.wave, rig.op);
        std::vector<uint32_t> got = rig.plane(Side::D, 64);
        compared += got.size();
        for (size_t i = 0; i < got.size(); ++i)
          ASSERT_EQ(got[i], expected[i]) << test.chip << " " << test.name << " kind " << int(kind) << " element " << i
                                         << std::hex << " got " << got[i] << " expected " << expected[i];
      }
    }
  }
  EXPECT_GT(compared, 1'000'000u);
}

/// D on top of C, A or B: everything is read before anything is written.
TEST(MatrixKernels, DestinationMayOverlapSources) {
  Random random{7};
  for (const Case &test : cases)
    for (unsigned over : {0u, 8u, 16u}) {
      Rig rig(test, instructionOf(test));
      rig.fill(0, 48, random, rig.plan->a, Kind::Ordinary);
      std::vector<uint32_t> expected = rig.expected();
      rig.op.dst = uint16_t(over);
      rig.op.handler(rig.context, rig.wave, rig.op);
      EXPECT_EQ(rig.plane(Side::D, over), expected) << test.chip << " " << test.name << " over v" << over;
    }
}

TEST(MatrixKernels, FastModeIsAChainOfFusedMultiplyAdds) {
  Random random{11};
  for (const Case &test : cases) {
    Rig rig(test, instructionOf(test));
    if (rig.plan->rule == Rule::Integer || rig.plan->result != Format::F32)
      continue;
    rig.options.matrix = MatrixMode::Fast;
    rig.fill(0, test.dwordsA, random, rig.plan->a, Kind::Ordinary);
    rig.fill(8, test.dwordsB, random, rig.plan->b, Kind::Ordinary);
    rig.fill(16, test.dwordsD, random, Format::F32, Kind::Ordinary);
    auto value = [&](Format f, uint32_t bits) {
      if (f == Format::F32)
        return std::bit_cast<float>(bits);
      matrix::Factor d = matrix::decode(f, bits);
      return float(
          std::ldexp(d.negative ? -double(d.significand) : double(d.significand), d.exponent - d.fractionBits));
    };
    std::vector<uint32_t> a = rig.plane(Side::A, 0), b = rig.plane(Side::B, 8), d = rig.plane(Side::D, 16);
    const Geometry &g = rig.g;
    for (unsigned i = 0; i < g.m * g.blocks; ++i)
      for (unsigned column = 0; column < g.n; ++column) {
        float sum = std::bit_cast<float>(d[i * g.n + column]);
        for (unsigned k = 0; k < g.k; ++k)
          sum = std::fma(value(rig.plan->a, a[(k * g.blocks + i % g.blocks) * g.m + i / g.blocks]),
                         value(rig.plan->b, b[(k * g.blocks + i % g.blocks) * g.n + column]), sum);
        d[i * g.n + column] = std::bit_cast<uint32_t>(sum);
      }
    rig.op.handler(rig.context, rig.wave, rig.op);
    EXPECT_EQ(rig.plane(Side::D, 64), d) << test.chip << " " << test.name;
  }
}

TEST(MatrixKernels, FastModeKeepsSpecialValues) {
  for (const char *name : {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x32_bf8_bf8"}) {
    Case test{"gfx950", name, 2, 2, 4};
    Rig rig(test, instructionOf(test));
    rig.options.matrix = MatrixMode::Fast;
    bool half = rig.plan->a == Format::F16;
    for (unsigned r = 0; r < 2; ++r)
      for (unsigned lane = 0; lane < 64; ++lane)
        rig.file[r].lane[lane] = rig.file[8 + r].lane[lane] = half ? 0x3c003c00 : 0x3c3c3c3c;
    rig.file[0].lane[3] = half ? 0x7c003c00 : 0x3c3c7c3c; // row 3
    rig.file[0].lane[5] = half ? 0x3c007e00 : 0x3c3c3c7f; // row 5
    rig.op.handler(rig.context, rig.wave, rig.op);
    std::vector<uint32_t> d = rig.plane(Side::D, 64);
    EXPECT_EQ(d[3 * 16], 0x7f800000u) << name;
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(d[5 * 16]))) << name;
    EXPECT_EQ(std::bit_cast<float>(d[4 * 16]), float(rig.g.k)) << name;
  }
}

TEST(MatrixKernels, CountsFlops) {
  Case test{"gfx942", "v_mfma_f32_16x16x4_4b_f16", 2, 2, 16};
  Rig rig(test, instructionOf(test));
  rig.op.handler(rig.context, rig.wave, rig.op);
  EXPECT_EQ(rig.context.matrixFlops, 2u * 16 * 16 * 4 * 4);
}

// Modifiers ------------------------------------------------------------------------------------------
std::vector<uint32_t> run(const Case &test, codeobject::Instruction instruction, uint64_t seed,
                          void (*change)(Rig &) = nullptr) {
  Rig rig(test, std::move(instruction));
  Random random{seed};
  rig.fill(0, test.dwordsA, random, rig.plan->a, Kind::Ordinary);
  rig.fill(8, test.dwordsB, random, rig.plan->b, Kind::Ordinary);
  rig.fill(16, test.dwordsD, random, rig.plan->result, Kind::Ordinary);
  if (change)
    change(rig);
  rig.op.handler(rig.context, rig.wave, rig.op);
  return rig.plane(Side::D, 64);
}

TEST(MatrixModifiers, BroadcastsBlocksOfA) {
  Case test{"gfx942", "v_mfma_f32_4x4x4_16b_f16", 2, 2, 4};
  codeobject::Instruction all = instructionOf(test), pairs = instructionOf(test);
  all.cbsz = 4;
  all.abid = 13; // block 13 stands for all
  EXPECT_EQ(run(test, std::move(all), 3), run(test, instructionOf(test), 3, [](Rig &rig) {
              for (unsigned r = 0; r < 2; ++r)
                for (unsigned lane = 0; lane < 64; ++lane)
                  rig.file[r].lane[lane] = rig.file[r].lane[13 * 4 + lane % 4];
            }));
  pairs.cbsz = 1;
  pairs.abid = 1; // block 1 stands for 0 and 1, block 3 for 2 and 3, ...
  EXPECT_EQ(run(test, std::move(pairs), 3), run(test, instructionOf(test), 3, [](Rig &rig) {
              for (unsigned r = 0; r < 2; ++r)
                for (unsigned lane = 0; lane < 64; ++lane)
                  rig.file[r].lane[lane] = rig.file[r].lane[(lane / 8) * 8 + 4 + lane % 4];
            }));
}

TEST(MatrixModifiers, PermutesLanesOfB) {
  for (const Case &test :
       {Case{"gfx942", "v_mfma_f32_32x32x1_2b_f32", 1, 1, 32}, Case{"gfx942", "v_mfma_f32_16x16x16_f16", 2, 2, 4}})
    for (uint8_t blgp = 1; blgp < 8; ++blgp) {
      codeobject::Instruction instruction = instructionOf(test);
      instruction.blgp = blgp;
      Rig rig(test, instructionOf(test));
      Random random{5};
      rig.fill(0, test.dwordsA, random, rig.plan->a, Kind::Ordinary);
      rig.fill(8, test.dwordsB, random, rig.plan->b, Kind::Ordinary);
      rig.fill(16, test.dwordsD, random, rig.plan->result, Kind::Ordinary);
      for (unsigned r = 8; r < 8 + test.dwordsB; ++r) {
        Row before = rig.file[r];
        for (unsigned lane = 0; lane < 64; ++lane) {
          unsigned from = blgp == 1   ? lane & 31
                          : blgp == 2 ? (lane & 31) + 32
                          : blgp == 3 ? (lane + 16) & 63
                                      : (lane & 15) + 16 * (blgp & 3);
          rig.file[r].lane[lane] = before.lane[from];
        }
      }
      rig.op.handler(rig.context, rig.wave, rig.op);
      EXPECT_EQ(run(test, std::move(instruction), 5), rig.plane(Side::D, 64)) << test.name << " blgp " << int(blgp);
    }
}

TEST(MatrixModifiers, NegatesHalvesOfWmmaOperands) {
  Case test{"gfx1100", "v_wmma_f32_16x16x16_f16", 8, 8, 8};
  codeobject::Instruction instruction = instructionOf(test);
  instruction.src[0].neg = true;
  instruction.src[1].negHi = true;
  instruction.src[2].neg = instruction.src[2].negHi = true; // -|C|
  EXPECT_EQ(run(test, std::move(instruction), 9), run(test, instructionOf(test), 9, [](Rig &rig) {
              for (unsigned r = 0; r < 8; ++r)
                for (unsigned lane = 0; lane < 64; ++lane) {
                  rig.file[r].lane[lane] ^= 0x8000u;
                  rig.file[8 + r].lane[lane] ^= 0x80000000u;
                  rig.file[16 + r].lane[lane] |= 0x80000000u;
                }
            }));
}

TEST(MatrixModifiers, SignFlagsAndClampOfIntegerWmma) {
  Case test{"gfx1201", "v_wmma_i32_16x16x16_iu8", 2, 2, 8};
  for (unsigned flags = 0; flags < 8; ++flags) {
    codeobject::Instruction instruction = instructionOf(test);
    instruction.src[0].neg = flags & 1;
    instruction.src[1].neg = flags & 2;
    instruction.clamp = flags & 4;
    Rig rig(test, std::move(instruction));
    EXPECT_EQ(rig.plan->a, flags & 1 ? Format::I8 : Format::U8);
    Random random{flags};
    for (unsigned r = 0; r < 24; ++r)
      for (unsigned lane = 0; lane < 32; ++lane)
        rig.file[r].lane[lane] = uint32_t(random.next());
    for (unsigned lane = 0; lane < 32; ++lane)
      rig.file[16].lane[lane] = lane & 1 ? 0x7fffff00 : 0x80000100;
    std::vector<uint32_t> expected = rig.expected();
    rig.op.handler(rig.context, rig.wave, rig.op);
    EXPECT_EQ(rig.plane(Side::D, 64), expected) << flags;
  }
}

TEST(MatrixModifiers, OpSelPicksTheHalfOfPackedResults) {
  Case test{"gfx1100", "v_wmma_f16_16x16x16_f16", 8, 8, 8};
  codeobject::Instruction instruction = instructionOf(test);
  instruction.src[2].opSel = true;
  Rig low(test, instructionOf(test)), high(test, std::move(instruction));
  Random random{21};
  low.fill(0, 24, random, Format::F16, Kind::Ordinary);
  for (unsigned r = 0; r < 16; ++r)
    high.file[r] = low.file[r];
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned lane = 0; lane < 32; ++lane) {
      low.file[64 + r].lane[lane] = high.file[64 + r].lane[lane] = 0xabcd1234;
      high.file[16 + r].lane[lane] = low.file[16 + r].lane[lane] << 16;
    }
  low.op.handler(low.context, low.wave, low.op);
  high.op.handler(high.context, high.wave, high.op);
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t l = low.file[64 + r].lane[lane], h = high.file[64 + r].lane[lane];
      EXPECT_EQ(l & 0xffff, h >> 16);
      EXPECT_EQ(l >> 16, 0xabcdu); // the other half stays
      EXPECT_EQ(h & 0xffff, 0x1234u);
    }
}

TEST(MatrixModifiers, CMayBeAConstant) {
  Case test{"gfx942", "v_mfma_f32_16x16x16_f16", 2, 2, 4};
  EXPECT_EQ(run(test, instructionOf(test), 2,
                [](Rig &rig) {
                  rig.op.src[2].kind = Source::Kind::Constant;
                  rig.op.src[2].constant = 0x3f800000;
                }),
            run(test, instructionOf(test), 2, [](Rig &rig) {
              for (unsigned r = 16; r < 20; ++r)
                for (unsigned lane = 0; lane < 64; ++lane)
                  rig.file[r].lane[lane] = 0x3f800000;
            }));
}

// f64 -------------------------------------------------------------------------------------------------
TEST(MatrixKernels, DoublesAreFmaChainsWithSigns) {
  for (unsigned small = 0; small < 2; ++small)
    for (uint8_t signs = 0; signs < 8; ++signs) {
      Case test{"gfx942", small ? "v_mfma_f64_4x4x4_4b_f64" : "v_mfma_f64_16x16x4_f64", 2, 2, small ? 2u : 8u};
      codeobject::Instruction instruction = instructionOf(test);
      instruction.blgp = signs;
      Rig rig(test, std::move(instruction));
      Random random{signs};
      for (unsigned r = 0; r < 32; ++r)
        for (unsigned lane = 0; lane < 64; ++lane)
          rig.file[r].lane[lane] =
              r & 1 ? 0x3ff00000u | (uint32_t(random.next()) & 0x803fffffu) : uint32_t(random.next());
      auto value = [&](unsigned first, unsigned lane, unsigned slot, bool negative) {
        double x = std::bit_cast<double>(uint64_t(rig.file[first + 2 * slot + 1].lane[lane]) << 32 |
                                         rig.file[first + 2 * slot].lane[lane]);
        return negative ? -x : x;
      };
      // Element (i, k, block) of A is in lane i + M*(block + blocks*k); D's row is spread over lanes.
      const Geometry &g = rig.g;
      std::vector<double> expected(size_t(g.m) * g.n * g.blocks);
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned slot = 0; slot < matrix::slots(g, Side::D); ++slot) {
          Position p = matrix::position(g, Side::D, lane, slot);
          double sum = value(16, lane, slot, signs & 4);
          for (unsigned k = 0; k < 4; ++k)
            sum = std::fma(value(0, p.first + g.m * (p.block + g.blocks * k), 0, signs & 1),
                           value(8, p.second + g.n * (p.block + g.blocks * k), 0, signs & 2), sum);
          expected[(p.block * g.m + p.first) * g.n + p.second] = sum;
        }
      rig.op.handler(rig.context, rig.wave, rig.op);
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned slot = 0; slot < matrix::slots(g, Side::D); ++slot) {
          Position p = matrix::position(g, Side::D, lane, slot);
          EXPECT_EQ(value(64, lane, slot, false), expected[(p.block * g.m + p.first) * g.n + p.second]);
        }
    }
}

TEST(MatrixPlans, NamesOfInstructions) {
  matrix::Name name;
  ASSERT_TRUE(matrix::parseName("v_mfma_f32_16x16x32_fp8_bf8", name));
  EXPECT_EQ(std::string(name.a) + "," + std::string(name.b), "fp8,bf8");
  ASSERT_TRUE(matrix::parseName("v_mfma_i32_32x32x4_2b_i8", name));
  EXPECT_EQ(name.blocks, 2u);
  EXPECT_EQ(name.k, 4u);
  ASSERT_TRUE(matrix::parseName("v_smfmac_f32_16x16x32_f16", name));
  EXPECT_TRUE(name.sparse);
  ASSERT_TRUE(matrix::parseName("v_mfma_scale_f32_32x32x64_f8f6f4", name));
  EXPECT_TRUE(name.scaled && name.result == "f32" && name.k == 64);
  EXPECT_FALSE(matrix::parseName("v_mfma_f32_16x16", name));
  EXPECT_FALSE(matrix::parseName("v_add_f32", name));
}

} // namespace
