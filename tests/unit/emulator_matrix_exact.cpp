// The integer rules against what silicon answered (tests/vectors/matrix_arithmetic.json), and their corners.
#include "wavewright/emulator/semantics/scalar/matrix_exact.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <fstream>
#include <string>

using namespace wavewright::emulator::matrix;

namespace {

nlohmann::json vectors() {
  std::ifstream file(WAVEWRIGHT_SOURCE_DIR "/tests/vectors/matrix_arithmetic.json");
  return nlohmann::json::parse(file);
}
uint32_t bits(const nlohmann::json &value) { return uint32_t(std::stoul(value.get<std::string>(), nullptr, 16)); }
uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

uint32_t dot2(bool gfx11, Format format, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t as[2] = {a & 0xffff, a >> 16}, bs[2] = {b & 0xffff, b >> 16};
  return gfx11 ? rdna3Step(format, Format::F32, as, bs, c) : rdna4Step(format, format, Format::F32, as, bs, 2, c);
}

void checkDot2(const char *chip, bool gfx11, const char *instruction, Format format) {
  nlohmann::json rows = vectors()[chip][instruction];
  ASSERT_GE(rows.size(), 13u);
  for (const auto &row : rows)
    EXPECT_EQ(dot2(gfx11, format, bits(row[0]), bits(row[1]), bits(row[2])), bits(row[3]))
        << chip << " " << instruction << " " << row.dump();
}

TEST(MatrixSilicon, Gfx1100Dot2F16) { checkDot2("gfx1100", true, "v_dot2_f32_f16", Format::F16); }
TEST(MatrixSilicon, Gfx1100Dot2Bf16) { checkDot2("gfx1100", true, "v_dot2_f32_bf16", Format::Bf16); }
TEST(MatrixSilicon, Gfx1201Dot2F16) { checkDot2("gfx1201", false, "v_dot2_f32_f16", Format::F16); }
TEST(MatrixSilicon, Gfx1201Dot2Bf16) { checkDot2("gfx1201", false, "v_dot2_f32_bf16", Format::Bf16); }

/// The fixture numbers k as lanes hold it in runs of eight; the hardware's names swap bits 2 and 3 in wave32.
void checkWmma(const char *instruction, Format format) {
  nlohmann::json rows = vectors()["gfx1201"][instruction]["rows"];
  ASSERT_GE(rows.size(), 2u);
  for (const auto &row : rows) {
    uint32_t as[2][16], bs[2][16];
    for (unsigned k = 0; k < 16; ++k) {
      unsigned swapped = (k & 3) | (k & 4) << 1 | (k & 8) >> 1;
      as[0][swapped] = as[1][k] = bits(row[0][k]);
      bs[0][swapped] = bs[1][k] = bits(row[1][k]);
    }
    for (unsigned wide = 0; wide < 2; ++wide)
      EXPECT_EQ(dot(Rule::Rdna4, format, format, Format::F32, as[wide], bs[wide], 16, bits(row[2])),
                bits(row[3 + wide]))
          << instruction << " wave" << 32 * (wide + 1) << " " << row.dump();
  }
}
TEST(MatrixSilicon, Gfx1201WmmaF16) { checkWmma("v_wmma_f32_16x16x16_f16", Format::F16); }
TEST(MatrixSilicon, Gfx1201WmmaBf16) { checkWmma("v_wmma_f32_16x16x16_bf16", Format::Bf16); }

TEST(MatrixExact, DecodesTheByteFormats) {
  auto value = [](Format f, uint32_t x) {
    Factor d = decode(f, x);
    return (d.negative ? -1.0 : 1.0) * std::ldexp(double(d.significand), d.exponent - d.fractionBits);
  };
  EXPECT_EQ(value(Format::Fp8, 0x7e), 448.0);
  EXPECT_EQ(value(Format::Fp8Fnuz, 0x7f), 240.0);
  EXPECT_EQ(value(Format::Bf8, 0x7b), 57344.0);
  EXPECT_EQ(value(Format::Bf8Fnuz, 0x7f), 57344.0);
  EXPECT_EQ(value(Format::Fp8, 0x01), std::ldexp(1.0, -9));
  EXPECT_EQ(value(Format::Fp8Fnuz, 0x01), std::ldexp(1.0, -10));
  EXPECT_EQ(value(Format::Bf8, 0x81), -std::ldexp(1.0, -16));
  EXPECT_EQ(value(Format::Bf8Fnuz, 0x01), std::ldexp(1.0, -17));
  EXPECT_TRUE(decode(Format::Fp8, 0xff).nan);
  EXPECT_FALSE(decode(Format::Fp8, 0x78).nan);
  EXPECT_TRUE(decode(Format::Fp8Fnuz, 0x80).nan);
  EXPECT_TRUE(decode(Format::Bf8, 0x7c).infinite);
  EXPECT_FALSE(decode(Format::Bf8Fnuz, 0x7c).infinite);
}

TEST(MatrixExact, RoundsOnce) {
  EXPECT_EQ(roundToF32(0, 12), 0u);
  EXPECT_EQ(roundToF32(1, 0), bits(1.0f));
  EXPECT_EQ(roundToF32(-3, -1), bits(-1.5f));
  EXPECT_EQ(roundToF32((1 << 24) + 1, 0), bits(16777216.0f)); // tie to even
  EXPECT_EQ(roundToF32((1 << 24) + 3, 0), bits(16777220.0f));
  EXPECT_EQ(roundToF32((1 << 25) - 1, 103), 0x7f800000u); // carries out of the largest number
  EXPECT_EQ(roundToF32(1, -149), 1u);
  EXPECT_EQ(roundToF32(1, -150), 0u); // half of the smallest subnormal
  EXPECT_EQ(roundToF32(3, -150), 2u);
  EXPECT_EQ(roundToF32((1 << 24) - 1, -150), 0x00800000u); // a subnormal rounds up to the smallest normal
  EXPECT_EQ(roundToF32(-1, -200), 0x80000000u);
  EXPECT_EQ(roundToF16(65520, 0), 0x7c00u);
  EXPECT_EQ(roundToF16(65519, 0), 0x7bffu);
  EXPECT_EQ(roundToF16(1, -24), 1u);
  EXPECT_EQ(roundToF16(-1, -25), 0x8000u);
  EXPECT_EQ(roundToF16(3, -25), 2u);
}

uint32_t cdna(Format f, std::initializer_list<uint32_t> as, std::initializer_list<uint32_t> bs, float c) {
  uint32_t a[16] = {}, b[16] = {};
  std::copy(as.begin(), as.end(), a);
  std::copy(bs.begin(), bs.end(), b);
  return cdnaStep(f, f, a, b, cdnaGroup(f), bits(c));
}

// bf16: 0x3f80 is 1, 0x4000 is 2, 0x3380 is 2^-24.
TEST(MatrixExact, CdnaCutsProductsAndFloorsC) {
  EXPECT_EQ(cdna(Format::Bf16, {0x3f80}, {0x4000}, 3.0f), bits(5.0f));
  // A product 2^-25 below the largest loses its last bit toward zero, of either sign; 2^-24 stays.
  EXPECT_EQ(cdna(Format::Bf16, {0x3f80, 0x3300, 0xbf80}, {0x3f80, 0x3f80, 0x3f80}, 0.0f), 0u);
  EXPECT_EQ(cdna(Format::Bf16, {0x3f80, 0xb300, 0xbf80}, {0x3f80, 0x3f80, 0x3f80}, 0.0f), 0u);
  EXPECT_EQ(cdna(Format::Bf16, {0x3f80, 0x3380, 0xbf80}, {0x3f80, 0x3f80, 0x3f80}, 0.0f), 0x33800000u);
  // C far below the products is floored: nothing of a positive one, a unit of 2^-24 of a negative one.
  EXPECT_EQ(cdna(Format::Bf16, {0x3f80}, {0x3f80}, 0x1p-30f), bits(1.0f));
  EXPECT_EQ(cdna(Format::Bf16, {0x3f80}, {0x3f80}, -0x1p-30f), bits(1.0f - 0x1p-24f));
  // Bytes drop such a C altogether. fp8: 0x38 is 1.
  EXPECT_EQ(cdna(Format::Fp8, {0x38}, {0x38}, -0x1p-30f), bits(1.0f));
  // The sum of products keeps 31 bits below C's exponent, floored.
  EXPECT_EQ(cdna(Format::Bf16, {0xb000}, {0x3f80}, 1.0f), bits(1.0f)); // -2^-31: a tie's half is not reached
  EXPECT_EQ(cdna(Format::Bf16, {0xb300}, {0x3f80}, 1.0f), bits(1.0f)); // -2^-25: tie to even
  EXPECT_EQ(cdna(Format::Bf16, {0xb301}, {0x3f80}, 1.0f), bits(1.0f - 0x1p-24f));
}

TEST(MatrixExact, CdnaSpecialValues) {
  uint32_t inf = 0x7f800000, minusInf = 0xff800000;
  EXPECT_EQ(cdna(Format::Bf16, {0x7f80}, {0x3f80}, 1.0f), inf);
  EXPECT_EQ(cdna(Format::Bf16, {0x7f80}, {0x0000}, 1.0f), nan::Cdna);
  EXPECT_EQ(cdna(Format::Bf16, {0x7f80}, {0x3f80}, -INFINITY), nan::Cdna);
  EXPECT_EQ(cdna(Format::Bf16, {0x7fc0}, {0x0000}, 1.0f), nan::Cdna);
  // 2^127 * 4 overflows by itself though the sum would cancel; both signs give NaN.
  EXPECT_EQ(cdna(Format::Bf16, {0x7f00}, {0x4080}, -0x1p127f), inf);
  EXPECT_EQ(cdna(Format::Bf16, {0xff00}, {0x4080}, 0.0f), minusInf);
  EXPECT_EQ(cdna(Format::Bf16, {0x7f00, 0xff00}, {0x4080, 0x4080}, 0.0f), nan::Cdna);
  EXPECT_EQ(cdna(Format::Bf16, {0x7f00}, {0x3fc0}, 0x1.8p127f), inf); // in range, the sum is not
}

TEST(MatrixExact, CdnaKeepsSubnormals) {
  EXPECT_EQ(cdna(Format::F16, {0x0001}, {0x3c00}, 0.0f), bits(0x1p-24f));
  EXPECT_EQ(cdna(Format::Bf16, {0x0001}, {0x3f80}, 0.0f), 0x00010000u);
  // Un-normalised alignment: the exponent of a subnormal f16 is -14, so 2^-24 * 2^-24 keeps only 2^-52 and up.
  EXPECT_EQ(cdna(Format::F16, {0x0001}, {0x0001}, 0.0f), bits(0x1p-48f));
  EXPECT_EQ(cdna(Format::F16, {0x0001, 0x3c00, 0xbc00}, {0x0001, 0x3c00, 0x3c00}, 0.0f), 0u);
}

TEST(MatrixExact, Rdna3PackedResults) {
  uint32_t one[2] = {0x3c00, 0}, two[2] = {0x4000, 0};
  // C = +0 with an opposing zero product of the second pair would cost a unit of 2^-23 of 2, below f16's last place.
  EXPECT_EQ(rdna3Step(Format::F16, Format::F16, one, two, 0x3c00), 0x4200u);
  uint32_t oneBf[2] = {0x3f80, 0}, almostBf[2] = {0x3fff, 0x3f80};
  EXPECT_EQ(rdna3Step(Format::Bf16, Format::Bf16, oneBf, almostBf, 0x3b80), 0x3fffu); // truncated, not rounded to 2
  uint32_t nanBf[2] = {0x7fc0, 0};
  EXPECT_EQ(rdna3Step(Format::Bf16, Format::Bf16, nanBf, oneBf, 0), 0xfffdu);
  uint32_t nanHalf[2] = {0x7e00, 0};
  EXPECT_EQ(rdna3Step(Format::F16, Format::F16, nanHalf, one, 0), 0xfe3du);
}

TEST(MatrixExact, Integers) {
  uint32_t a[4] = {0xff, 0x80, 0x7f, 1}, b[4] = {0xff, 0x80, 0x7f, 0xff};
  EXPECT_EQ(integerDot(Format::I8, Format::I8, a, b, 4, 10, false), uint32_t(1 + 16384 + 16129 - 1 + 10));
  EXPECT_EQ(integerDot(Format::U8, Format::U8, a, b, 4, 0, false), 65025u + 16384 + 16129 + 255);
  EXPECT_EQ(integerDot(Format::I8, Format::U8, a, b, 4, 0, false), uint32_t(-255 - 16384 + 16129 + 255));
  EXPECT_EQ(integerDot(Format::I8, Format::I8, a, b, 4, 0x7fffffff, false), 0x7fffffffu + 32513);
  EXPECT_EQ(integerDot(Format::I8, Format::I8, a, b, 4, 0x7fffffff, true), 0x7fffffffu);
  uint32_t n[2] = {0xf, 0x8}, o[2] = {0x7, 0x8};
  EXPECT_EQ(integerDot(Format::I4, Format::I4, n, o, 2, 0, false), uint32_t(-7 + 64));
  EXPECT_EQ(integerDot(Format::U4, Format::I4, n, o, 2, 0, false), uint32_t(105 - 64));
}

TEST(MatrixExact, FmaChainsRoundEachStep) {
  // Each half unit ties back to 1; their sum would not.
  uint32_t as[2] = {bits(1.0f), bits(1.0f)}, bs[2] = {bits(0x1p-24f), bits(0x1p-24f)};
  EXPECT_EQ(dot(Rule::FmaChain, Format::F32, Format::F32, Format::F32, as, bs, 2, bits(1.0f)), bits(1.0f));
  uint32_t inf[1] = {0x7f800000}, zero[1] = {0};
  EXPECT_EQ(dot(Rule::FmaChain, Format::F32, Format::F32, Format::F32, inf, zero, 1, 0), nan::Cdna);
}

} // namespace
