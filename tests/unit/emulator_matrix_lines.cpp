// Matrix and dot instructions from their text: assembled, decoded, predecoded and run.
#include "assemble.h"

#include "wavewright/emulator/semantics/scalar/matrix_plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <fstream>
#include <random>

using namespace asmtest;
using matrix::Format;
using matrix::Plan;

namespace {

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
uint32_t bits(const nlohmann::json &value) { return uint32_t(std::stoul(value.get<std::string>(), nullptr, 16)); }

// Dots ------------------------------------------------------------------------------------------------
void silicon(const char *fixture, const std::string &chip, const char *row, const std::string &text, bool accumulates) {
  std::ifstream file(WAVEWRIGHT_SOURCE_DIR "/tests/vectors/matrix_arithmetic.json");
  nlohmann::json rows = nlohmann::json::parse(file)[fixture][row];
  ASSERT_GE(rows.size(), 13u);
  // One lane a row; the rest repeats the first, so that special values and ordinary ones meet in one vector.
  Lines l(chip);
  for (unsigned lane = 0; lane < l.size; ++lane) {
    const auto &r = rows[lane < rows.size() ? lane : 0];
    l.v(1)[lane] = bits(r[0]);
    l.v(2)[lane] = bits(r[1]);
    l.v(accumulates ? 0 : 3)[lane] = bits(r[2]);
  }
  ASSERT_TRUE(l.run(text)) << chip << ": " << text << ": " << l.context.fault.message;
  for (unsigned lane = 0; lane < l.size; ++lane)
    EXPECT_EQ(l.v(0)[lane], bits(rows[lane < rows.size() ? lane : 0][3])) << chip << ": " << text << " lane " << lane;
}

TEST(DotLines, SiliconsAnswers) {
  for (const char *type : {"f16", "bf16"}) {
    std::string row = std::string("v_dot2_f32_") + type, text = row + " v0, v1, v2, v3";
    std::string acc = std::string("v_dot2acc_f32_") + type;
    for (const char *chip : {"gfx1100", "gfx1151"}) {
      silicon("gfx1100", chip, row.c_str(), text, false);
      silicon("gfx1100", chip, row.c_str(), "v_dual_" + acc.substr(2) + " v0, v1, v2 :: v_dual_mov_b32 v5, v4", true);
    }
    silicon("gfx1201", "gfx1201", row.c_str(), text, false);
    silicon("gfx1201", "gfx1201", row.c_str(), "v_dual_" + acc.substr(2) + " v0, v1, v2 :: v_dual_mov_b32 v5, v4",
            true);
  }
  silicon("gfx1100", "gfx1100", "v_dot2_f32_f16", "v_dot2acc_f32_f16 v0, v1, v2", true);
}

struct DotCase {
  std::vector<std::string> chips;
  const char *text;
  uint32_t a, b, c, expected;
};
TEST(DotLines, Integers) {
  const std::vector<std::string> gfx9 = {"gfx942", "gfx950"}, rdna = {"gfx1100", "gfx1151", "gfx1201"},
                                 all = {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};
  const DotCase cases[] = {
      {gfx9, "v_dot2_i32_i16 v0, v1, v2, v3", 0xfffe0003, 0x00050007, 100, 100 + 21 - 10},
      {gfx9, "v_dot2_u32_u16 v0, v1, v2, v3", 0xfffe0003, 0x00050007, 100, 100 + 21 + 0xfffe * 5},
      {gfx9, "v_dot2_i32_i16 v0, v1, v2, v3 clamp", 0x80008000, 0x80008000, 0, 0x7fffffff},
      {gfx9, "v_dot2_i32_i16 v0, v1, v2, v3", 0x80008000, 0x80008000, 0, 0x80000000},
      {gfx9, "v_dot4_i32_i8 v0, v1, v2, v3", 0xff02fe03, 0x01020304, 10, uint32_t(10 - 1 + 4 - 6 + 12)},
      {all, "v_dot4_u32_u8 v0, v1, v2, v3", 0xff02fe03, 0x01020304, 10, 10 + 255 + 4 + 762 + 12},
      {all, "v_dot4_u32_u8 v0, v1, v2, v3 clamp", 0xff, 0xff, 0xffffff00, 0xffffffff},
      {gfx9, "v_dot4_i32_i8 v0, v1, v2, v3 clamp", 0x80, 0x80, 0x7fffffff, 0x7fffffff},
      {rdna, "v_dot4_i32_iu8 v0, v1, v2, v3", 0xff, 0xff, 0, 255 * 255},
      {rdna, "v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,0,0]", 0xff, 0xff, 0, uint32_t(-255)},
      {rdna, "v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[0,1,0]", 0xff, 0x80, 0, uint32_t(-128 * 255)},
      {rdna, "v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,1,0]", 0xff, 0xff, 7, 8},
      {rdna, "v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,1,0] clamp", 0x80, 0x7f, 0x80000000, 0x80000000},
      {gfx9, "v_dot8_i32_i4 v0, v1, v2, v3", 0xf000000f, 0x7000000f, 5, uint32_t(5 - 7 + 1)},
      {all, "v_dot8_u32_u4 v0, v1, v2, v3", 0xf000000f, 0x7000000f, 5, 5 + 105 + 225},
      {rdna, "v_dot8_i32_iu4 v0, v1, v2, v3 neg_lo:[1,0,0]", 0xf000000f, 0x7000000f, 5, uint32_t(5 - 7 - 15)},
  };
  for (const DotCase &k : cases)
    for (const std::string &chip : k.chips) {
      Lines l(chip);
      l.fill(0, 0xdeadbeef), l.fill(1, k.a), l.fill(2, k.b), l.fill(3, k.c);
      l.setExec(l.wave.laneMask & ~2ull);
      ASSERT_TRUE(l.run(k.text)) << chip << ": " << k.text << ": " << l.context.fault.message;
      EXPECT_EQ(l.v(0)[0], k.expected) << chip << ": " << k.text;
      EXPECT_EQ(l.v(0)[1], 0xdeadbeefu) << chip << ": " << k.text << ": an inactive lane was written";
      EXPECT_EQ(l.v(0)[l.size - 1], k.expected) << chip << ": " << k.text;
    }
  for (const auto &[text, expected] : std::vector<std::pair<const char *, uint32_t>>{
           {"v_dot4c_i32_i8 v0, v1, v2", uint32_t(10 - 1 + 4 - 6 + 12)},
           {"v_dot8c_i32_i4 v0, v1, v2", uint32_t(10 + 0 - 1 * 1 + 0 + 2 * 2 + -1 * 0 + -2 * 3 + 0 + 3 * 4)},
           {"v_dot2c_i32_i16 v0, v1, v2", uint32_t(10 + int16_t(0xff02) * 0x0102 + int16_t(0xfe03) * 0x0304)}}) {
    Lines l("gfx942");
    l.fill(0, 10), l.fill(1, 0xff02fe03), l.fill(2, 0x01020304);
    ASSERT_TRUE(l.run(text)) << text << ": " << l.context.fault.message;
    EXPECT_EQ(l.v(0)[5], expected) << text;
  }
}

TEST(DotLines, Floats) {
  // gfx9: two fused multiply-adds, the low halves first.
  for (const char *chip : {"gfx942", "gfx950"}) {
    Lines l(chip);
    l.fill(1, 0x40003c00), l.fill(2, 0x42004400), l.fill(3, bits(0.5f)); // 1*4 + 2*3 + 0.5
    ASSERT_TRUE(l.run("v_dot2_f32_f16 v0, v1, v2, v3\nv_dot2_f32_f16 v5, v1, v2, v3 neg_lo:[0,0,1]\n"
                      "v_mov_b32 v6, v3\nv_dot2c_f32_f16 v6, v1, v2"))
        << l.context.fault.message;
    EXPECT_EQ(l.v(0)[0], bits(10.5f));
    EXPECT_EQ(l.v(5)[0], bits(9.5f));
    EXPECT_EQ(l.v(6)[63], bits(10.5f));
  }
  for (const char *chip : {"gfx1100", "gfx1151", "gfx1201"}) {
    Lines l(chip);
    l.fill(0, 0xaaaa5555), l.fill(4, 0xaaaa5555), l.fill(1, 0x40003c00), l.fill(2, 0x42004400), l.fill(3, 0x00003800);
    ASSERT_TRUE(l.run("v_dot2_f16_f16 v0, v1, v2, v3\nv_dot2_f16_f16 v4, v1, v2, v3 op_sel:[0,0,1,1]"))
        << l.context.fault.message;
    EXPECT_EQ(l.v(0)[0], 0xaaaa4940u) << chip; // 10.5
    EXPECT_EQ(l.v(4)[0], 0x49005555u) << chip; // 10, C from the high half, D to the high half
    EXPECT_FALSE(l.run("v_dot2_f16_f16 v0, -v1, v2, v3")) << chip;
    EXPECT_NE(l.context.fault.message.find("sign modifiers"), std::string::npos) << l.context.fault.message;
  }
  Lines l("gfx1201");
  l.fill(1, 0x38383838), l.fill(2, 0x3c3c3c3c), l.fill(3, bits(1.0f)); // fp8 1.0 and bf8 1.0
  ASSERT_TRUE(l.run("v_dot4_f32_fp8_bf8 v0, v1, v2, v3")) << l.context.fault.message;
  EXPECT_EQ(l.v(0)[0], bits(5.0f));
}

// Matrices --------------------------------------------------------------------------------------------
/// D as the integer rules have it, from the registers that the decoded operands name.
std::vector<uint32_t> expected(Lines &l, const codeobject::Instruction &i) {
  const char *why = nullptr;
  const Plan *p = matrix::planFor(i, *l.target, why);
  if (!p) {
    ADD_FAILURE() << i.name << ": " << (why ? why : "");
    return {};
  }
  auto first = [](const codeobject::Operand &o) {
    return o.index + (o.kind == codeobject::Operand::Kind::Agpr ? 256u : 0u);
  };
  auto read = [&](unsigned base, const matrix::Line &line, unsigned along, unsigned width, const uint32_t *flip) {
    uint32_t word = l.v(base + line.reg)[line.lane + along] >> line.shift;
    return (width == 32 ? word : word & ((1u << width) - 1)) ^ flip[line.shift == 16];
  };
  std::vector<uint32_t> d;
  const uint32_t none[2] = {0, 0};
  uint32_t as[64], bs[64];
  unsigned width = matrix::formatBits(p->result);
  for (unsigned row = 0; row < p->m; ++row)
    for (unsigned block = 0; block < p->blocks; ++block)
      for (unsigned column = 0; column < p->n; ++column) {
        for (unsigned k = 0; k < p->k; ++k) {
          as[k] = read(first(i.src[0]), p->linesA[k * p->blocks + block], row, matrix::formatBits(p->a), p->flipA);
          bs[k] = read(first(i.src[1]), p->linesB[k * p->blocks + block], column, matrix::formatBits(p->b), p->flipB);
        }
        uint32_t c = i.src[2].isRegister()
                         ? read(first(i.src[2]), p->linesD[row * p->blocks + block], column, width, none)
                         : uint32_t(i.src[2].constant) & (width == 16 ? 0xffffu : ~0u);
        uint32_t sign = width == 16 ? 0x8000u : 0x80000000u;
        c = p->absC ? c & ~sign : c;
        c = p->negC ? c ^ sign : c;
        d.push_back(matrix::dot(p->rule, p->a, p->b, p->result, as, bs, p->k, c, p->clamp));
      }
  return d;
}

std::vector<uint32_t> result(Lines &l, const codeobject::Instruction &i) {
  const char *why = nullptr;
  const Plan *p = matrix::planFor(i, *l.target, why);
  std::vector<uint32_t> d;
  unsigned base = i.dst[0].index + (i.dst[0].kind == codeobject::Operand::Kind::Agpr ? 256u : 0u);
  uint32_t mask = matrix::formatBits(p->result) == 16 ? 0xffffu : ~0u;
  for (unsigned row = 0; row < p->m * p->blocks; ++row)
    for (unsigned column = 0; column < p->n; ++column)
      d.push_back(l.v(base + p->linesD[row].reg)[p->linesD[row].lane + column] >> p->linesD[row].shift & mask);
  return d;
}

void fillOrdinary(Lines &l, std::string_view name) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> real(-2, 2);
  for (unsigned r = 0; r < 512; ++r)
    for (unsigned lane = 0; lane < MaxLanes; ++lane) {
      uint32_t &word = l.v(r)[lane];
      auto half = [&] { return uint32_t(std::bit_cast<uint16_t>(_Float16(real(random)))); };
      if (name.find("bf16") != name.npos)
        word = bits(real(random)) >> 16 | (bits(real(random)) & 0xffff0000u);
      else if (name.find("f16") != name.npos)
        word = half() | half() << 16;
      else if (name.find("fp8") != name.npos || name.find("bf8") != name.npos || name.find("_i") != name.npos)
        word = uint32_t(random()) & 0xbfbfbfbf;
      else
        word = bits(real(random));
    }
  // gfx11 wants equal halves of A and B.
  for (unsigned r = 0; r < 64 && l.target->isRdna() && l.target->generation != Generation::Rdna4; ++r)
    for (unsigned lane = 16; lane < MaxLanes; ++lane)
      l.v(r)[lane] = l.v(r)[lane % 16];
}

struct MatrixCase {
  std::vector<std::string> chips;
  unsigned wave;
  const char *text;
};

TEST(MatrixLines, DecodeAndRun) {
  const std::vector<std::string> cdna = {"gfx942", "gfx950"}, gfx942 = {"gfx942"}, gfx950 = {"gfx950"},
                                 rdna3 = {"gfx1100", "gfx1151"}, rdna4 = {"gfx1201"};
  const MatrixCase cases[] = {
      {cdna, 64, "v_mfma_f32_32x32x1_2b_f32 v[64:95], v1, v2, v[128:159]"},
      {cdna, 64, "v_mfma_f32_16x16x1_4b_f32 v[64:79], v1, v2, v[128:143]"},
      {cdna, 64, "v_mfma_f32_4x4x1_16b_f32 v[64:67], v1, v2, v[128:131]"},
      {cdna, 64, "v_mfma_f32_32x32x2_f32 v[64:79], v1, v2, v[128:143]"},
      {cdna, 64, "v_mfma_f32_16x16x4_f32 a[64:67], v1, a2, a[128:131]"},
      {cdna, 64, "v_mfma_f32_32x32x4_2b_f16 a[64:95], v[2:3], v[4:5], a[128:159]"},
      {cdna, 64, "v_mfma_f32_16x16x4_4b_f16 v[64:79], v[2:3], v[4:5], 0"},
      {cdna, 64, "v_mfma_f32_4x4x4_16b_f16 v[64:67], v[2:3], v[4:5], 1.0 cbsz:2 abid:3 blgp:0"},
      {cdna, 64, "v_mfma_f32_32x32x8_f16 v[64:79], v[2:3], v[4:5], v[64:79]"},
      {cdna, 64, "v_mfma_f32_16x16x16_f16 v[64:67], a[2:3], v[4:5], v[128:131]"},
      {cdna, 64, "v_mfma_f32_32x32x4_2b_bf16 v[64:95], v[2:3], v[4:5], v[128:159] cbsz:1 abid:1"},
      {cdna, 64, "v_mfma_f32_16x16x4_4b_bf16 v[64:79], v[2:3], v[4:5], v[128:143]"},
      {cdna, 64, "v_mfma_f32_4x4x4_16b_bf16 v[64:67], v[2:3], v[4:5], v[128:131]"},
      {cdna, 64, "v_mfma_f32_32x32x8_bf16 v[64:79], v[2:3], v[4:5], v[128:143]"},
      {cdna, 64, "v_mfma_f32_16x16x16_bf16 v[64:67], v[2:3], v[4:5], v[128:131]"},
      {gfx950, 64, "v_mfma_f32_16x16x32_f16 v[64:67], v[0:3], v[4:7], v[128:131]"},
      {gfx950, 64, "v_mfma_f32_32x32x16_f16 v[64:79], v[0:3], v[4:7], v[128:143]"},
      {gfx950, 64, "v_mfma_f32_16x16x32_bf16 v[64:67], v[0:3], v[4:7], v[128:131]"},
      {gfx950, 64, "v_mfma_f32_32x32x16_bf16 v[64:79], v[0:3], v[4:7], v[128:143]"},
      {gfx942, 64, "v_mfma_f32_16x16x8_xf32 v[64:67], v[2:3], v[4:5], v[128:131]"},
      {gfx942, 64, "v_mfma_f32_32x32x4_xf32 v[64:79], v[2:3], v[4:5], v[128:143]"},
      {cdna, 64, "v_mfma_f32_16x16x32_fp8_fp8 v[64:67], v[2:3], v[4:5], v[128:131]"},
      {cdna, 64, "v_mfma_f32_16x16x32_bf8_fp8 v[64:67], v[2:3], v[4:5], 0"},
      {cdna, 64, "v_mfma_f32_32x32x16_fp8_bf8 v[64:79], v[2:3], v[4:5], 0"},
      {cdna, 64, "v_mfma_f32_32x32x16_bf8_bf8 v[64:79], v[2:3], v[4:5], 0"},
      {cdna, 64, "v_mfma_i32_32x32x4_2b_i8 v[64:95], v2, v4, v[128:159]"},
      {cdna, 64, "v_mfma_i32_16x16x4_4b_i8 v[64:79], v2, v4, v[128:143]"},
      {cdna, 64, "v_mfma_i32_4x4x4_16b_i8 v[64:67], v2, v4, 5"},
      {cdna, 64, "v_mfma_i32_32x32x16_i8 v[64:79], v[2:3], v[4:5], v[128:143]"},
      {cdna, 64, "v_mfma_i32_16x16x32_i8 v[64:67], v[2:3], v[4:5], -3"},
      {gfx950, 64, "v_mfma_i32_16x16x64_i8 v[64:67], v[0:3], v[4:7], v[128:131]"},
      {gfx950, 64, "v_mfma_i32_32x32x32_i8 v[64:79], v[0:3], v[4:7], v[128:143]"},
      {rdna3, 32, "v_wmma_f32_16x16x16_f16 v[64:71], v[0:7], v[8:15], v[128:135]"},
      {rdna3, 64, "v_wmma_f32_16x16x16_f16 v[64:67], v[0:7], v[8:15], v[128:131]"},
      {rdna3, 32, "v_wmma_f32_16x16x16_bf16 v[64:71], v[0:7], v[8:15], 1.0"},
      {rdna3, 64, "v_wmma_f32_16x16x16_bf16 v[64:67], v[0:7], v[8:15], v[64:67]"},
      {rdna3, 32, "v_wmma_f32_16x16x16_f16 v[64:71], v[0:7], v[8:15], v[128:135] neg_lo:[1,0,1] neg_hi:[0,1,1]"},
      {rdna3, 32, "v_wmma_f16_16x16x16_f16 v[64:71], v[0:7], v[8:15], v[128:135]"},
      {rdna3, 64, "v_wmma_f16_16x16x16_f16 v[64:67], v[0:7], v[8:15], v[128:131] op_sel:[0,0,1]"},
      {rdna3, 32, "v_wmma_f16_16x16x16_f16 v[64:71], v[0:7], v[8:15], 1.0"},
      {rdna3, 32, "v_wmma_bf16_16x16x16_bf16 v[64:71], v[0:7], v[8:15], v[128:135]"},
      {rdna3, 32, "v_wmma_bf16_16x16x16_bf16 v[64:71], v[0:7], v[8:15], 1.0"},
      {rdna3, 32, "v_wmma_i32_16x16x16_iu8 v[64:71], v[0:3], v[8:11], v[128:135] neg_lo:[1,1,0]"},
      {rdna3, 64, "v_wmma_i32_16x16x16_iu8 v[64:67], v[0:3], v[8:11], v[128:131] neg_lo:[1,0,0] clamp"},
      {rdna3, 32, "v_wmma_i32_16x16x16_iu4 v[64:71], v[0:1], v[8:9], 7 neg_lo:[0,1,0]"},
      {rdna4, 32, "v_wmma_f32_16x16x16_f16 v[64:71], v[0:3], v[8:11], v[128:135]"},
      {rdna4, 64, "v_wmma_f32_16x16x16_f16 v[64:67], v[0:1], v[8:9], v[128:131]"},
      {rdna4, 32, "v_wmma_f32_16x16x16_bf16 v[64:71], v[0:3], v[8:11], v[128:135]"},
      {rdna4, 64, "v_wmma_f32_16x16x16_bf16 v[64:67], v[0:1], v[8:9], 1.0"},
      {rdna4, 32, "v_wmma_f16_16x16x16_f16 v[64:67], v[0:3], v[8:11], v[128:131]"},
      {rdna4, 64, "v_wmma_f16_16x16x16_f16 v[64:65], v[0:1], v[8:9], v[128:129]"},
      {rdna4, 32, "v_wmma_bf16_16x16x16_bf16 v[64:67], v[0:3], v[8:11], v[128:131]"},
      {rdna4, 32, "v_wmma_i32_16x16x16_iu8 v[64:71], v[0:1], v[8:9], v[128:135] neg_lo:[1,1,0]"},
      {rdna4, 64, "v_wmma_i32_16x16x16_iu8 v[64:67], v0, v8, v[128:131] neg_lo:[0,1,0]"},
      {rdna4, 32, "v_wmma_i32_16x16x16_iu4 v[64:71], v0, v8, v[128:135] neg_lo:[1,1,0]"},
      {rdna4, 32, "v_wmma_i32_16x16x32_iu4 v[64:71], v[0:1], v[8:9], v[128:135]"},
      {rdna4, 64, "v_wmma_i32_16x16x32_iu4 v[64:67], v0, v8, v[128:131]"},
      {rdna4, 32, "v_wmma_f32_16x16x16_fp8_fp8 v[64:71], v[0:1], v[8:9], v[128:135]"},
      {rdna4, 32, "v_wmma_f32_16x16x16_fp8_bf8 v[64:71], v[0:1], v[8:9], v[128:135] neg_lo:[0,0,1]"},
      {rdna4, 64, "v_wmma_f32_16x16x16_bf8_fp8 v[64:67], v0, v8, v[128:131]"},
      {rdna4, 64, "v_wmma_f32_16x16x16_bf8_bf8 v[64:67], v0, v8, 0"},
  };
  for (const MatrixCase &k : cases)
    for (const std::string &chip : k.chips) {
      SCOPED_TRACE(chip + " wave" + std::to_string(k.wave) + ": " + k.text);
      // A first run names the operands, a second one starts from fresh registers.
      Lines names(chip, k.wave);
      fillOrdinary(names, k.text);
      ASSERT_TRUE(names.run(k.text)) << names.context.fault.message;
      const codeobject::Instruction &i = names.program->instructions[0];
      Lines l(chip, k.wave);
      fillOrdinary(l, k.text);
      std::vector<uint32_t> want = expected(l, i);
      l.setExec(0x5); // EXEC has no say
      ASSERT_TRUE(l.run(k.text)) << l.context.fault.message;
      EXPECT_EQ(result(l, i), want);
      const char *why = nullptr;
      EXPECT_EQ(l.context.matrixFlops, matrix::planFor(i, *l.target, why)->flops);
    }
}

TEST(MatrixLines, Doubles) {
  for (const char *chip : {"gfx942", "gfx950"}) {
    Lines l(chip);
    auto put = [&](unsigned r, unsigned lane, double x) {
      uint64_t word = std::bit_cast<uint64_t>(x);
      l.v(r)[lane] = uint32_t(word);
      l.v(r + 1)[lane] = uint32_t(word >> 32);
    };
    // A[i][k] = i + 16 k in lane i + 16 k; B[k][j] = 1 in column 3 only, doubled with k.
    for (unsigned lane = 0; lane < 64; ++lane) {
      put(2, lane, double(lane));
      put(4, lane, lane % 16 == 3 ? double(1 << lane / 16) : 0.0);
    }
    ASSERT_TRUE(l.run("v_mfma_f64_16x16x4_f64 a[8:15], v[2:3], v[4:5], 1.0\n"
                      "v_mfma_f64_16x16x4_f64 v[16:23], v[2:3], v[4:5], 0 neg:[1,0,0]"))
        << l.context.fault.message;
    for (unsigned row = 0; row < 16; ++row) {
      // D[row][column]: lane column + 16 (row % 4), registers 2 (row / 4).
      double sum = 0;
      for (unsigned k = 0; k < 4; ++k)
        sum += double(row + 16 * k) * double(1 << k);
      auto at = [&](unsigned base, unsigned column) {
        unsigned lane = column + 16 * (row % 4), r = base + 2 * (row / 4);
        return std::bit_cast<double>(uint64_t(l.v(r + 1)[lane]) << 32 | l.v(r)[lane]);
      };
      EXPECT_EQ(at(256 + 8, 3), sum + 1.0) << row;
      EXPECT_EQ(at(256 + 8, 4), 1.0) << row;
      EXPECT_EQ(at(16, 3), -sum) << row;
    }
  }
}

} // namespace

namespace {

/// D beside C, over a part of C, and over an operand: every placement gives the bits of D far away from all of them.
TEST(MatrixLines, DMayOverlapAnyOperand) {
  for (MatrixMode mode : {MatrixMode::Fast, MatrixMode::Exact}) {
    auto answer = [&](int d, int c) {
      Lines l("gfx942");
      l.options.matrix = mode;
      std::mt19937 random(7);
      for (unsigned r = 0; r < 12; ++r)
        for (unsigned lane = 0; lane < 64; ++lane)
          l.v(r)[lane] = r < 4 ? (random() & 0x007f007fu) | 0x3f003f00u : bits(float(random() % 1000));
      for (int r = 0; r < 4; ++r) // C is the same wherever it stands
        for (unsigned lane = 0; lane < 64; ++lane)
          l.v(unsigned(c + r))[lane] = bits(float(lane + 64 * unsigned(r)));
      EXPECT_TRUE(l.run(fmt::format("v_mfma_f32_16x16x16_bf16 v[{}:{}], v[0:1], v[2:3], v[{}:{}]", d, d + 3, c, c + 3)))
          << l.context.fault.message;
      std::vector<uint32_t> out;
      for (int r = 0; r < 4; ++r)
        out.insert(out.end(), l.v(unsigned(d + r)), l.v(unsigned(d + r)) + 64);
      return out;
    };
    std::vector<uint32_t> apart = answer(20, 30);
    for (auto [d, c] : {std::pair(30, 30), {28, 30}, {32, 30}, {26, 30}, {34, 30}, {0, 30}})
      EXPECT_EQ(answer(d, c), apart) << "D at v" << d << ", C at v" << c;
  }
}

} // namespace
