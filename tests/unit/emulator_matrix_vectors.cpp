// Results of the integer rules for random operands, for tests/python/test_reference_matrix.py to check. Operands are
// drawn by splitmix64 in the same way on both sides and do not travel.
//
//   WAVEWRIGHT_MATRIX_VECTORS=out.csv WAVEWRIGHT_MATRIX_SAMPLES=500 WAVEWRIGHT_MATRIX_SEED=1
//   unit_emulator --gtest_filter=MatrixVectors.Print
#include "wavewright/emulator/semantics/scalar/matrix_exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

using namespace wavewright::emulator::matrix;

namespace {

struct SplitMix {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
};

/// Widths of an element; exponentBits 0 for integers.
struct Shape {
  unsigned exponentBits, fractionBits;
};
constexpr Shape F32{8, 23}, F16{5, 10}, Bf16{8, 7}, Fp8{4, 3}, Bf8{5, 2}, I32{0, 32}, I8{0, 8}, I4{0, 4};

uint32_t draw(SplitMix &random, Shape s, unsigned mode) {
  uint64_t r = random.next();
  if (!s.exponentBits)
    return uint32_t(r & ((1ull << s.fractionBits) - 1));
  uint64_t top = (1ull << s.exponentBits) - 1, bias = top / 2, pick = r >> 32, field = 0;
  switch (mode) {
  case 0:
    field = pick % (top + 1);
    break;
  case 1:
    field = bias - 4 + pick % 8;
    break;
  case 2:
    field = pick % 4 ? (pick >> 2) % (top + 1) : 0;
    break;
  case 3:
    field = pick % (bias / 2 + 1);
    break;
  case 4:
    field = top - 1 - pick % 3;
    break;
  }
  uint64_t fraction = r & ((1ull << s.fractionBits) - 1), sign = r >> 63;
  return uint32_t(sign << (s.exponentBits + s.fractionBits) | field << s.fractionBits | fraction);
}

struct Case {
  const char *name;
  Rule rule;
  Format a, b, result;
  Shape shapeA, shapeB, shapeC;
  unsigned k;
  bool clamp = false;
};
const Case cases[] = {
    {"cdna_f16", Rule::CdnaFused, Format::F16, Format::F16, Format::F32, F16, F16, F32, 16},
    {"cdna_f16_k4", Rule::CdnaFused, Format::F16, Format::F16, Format::F32, F16, F16, F32, 4},
    {"cdna_bf16", Rule::CdnaFused, Format::Bf16, Format::Bf16, Format::F32, Bf16, Bf16, F32, 16},
    {"cdna_xf32", Rule::CdnaFused, Format::Xf32, Format::Xf32, Format::F32, F32, F32, F32, 8},
    {"cdna_fp8_fnuz", Rule::CdnaFused, Format::Fp8Fnuz, Format::Fp8Fnuz, Format::F32, Fp8, Fp8, F32, 32},
    {"cdna_bf8_fp8_fnuz", Rule::CdnaFused, Format::Bf8Fnuz, Format::Fp8Fnuz, Format::F32, Bf8, Fp8, F32, 32},
    {"cdna_fp8_bf8", Rule::CdnaFused, Format::Fp8, Format::Bf8, Format::F32, Fp8, Bf8, F32, 32},
    {"cdna_f32", Rule::FmaChain, Format::F32, Format::F32, Format::F32, F32, F32, F32, 4},
    {"rdna3_f32_f16", Rule::Rdna3, Format::F16, Format::F16, Format::F32, F16, F16, F32, 16},
    {"rdna3_f32_bf16", Rule::Rdna3, Format::Bf16, Format::Bf16, Format::F32, Bf16, Bf16, F32, 16},
    {"rdna3_f16_f16", Rule::Rdna3, Format::F16, Format::F16, Format::F16, F16, F16, F16, 16},
    {"rdna3_bf16_bf16", Rule::Rdna3, Format::Bf16, Format::Bf16, Format::Bf16, Bf16, Bf16, Bf16, 16},
    {"rdna4_f32_f16", Rule::Rdna4, Format::F16, Format::F16, Format::F32, F16, F16, F32, 16},
    {"rdna4_f32_bf16", Rule::Rdna4, Format::Bf16, Format::Bf16, Format::F32, Bf16, Bf16, F32, 16},
    {"rdna4_f16_f16", Rule::Rdna4, Format::F16, Format::F16, Format::F16, F16, F16, F16, 16},
    {"rdna4_bf16_bf16", Rule::Rdna4, Format::Bf16, Format::Bf16, Format::Bf16, Bf16, Bf16, Bf16, 16},
    {"rdna4_f32_fp8_bf8", Rule::Rdna4, Format::Fp8, Format::Bf8, Format::F32, Fp8, Bf8, F32, 16},
    {"i8_clamp", Rule::Integer, Format::I8, Format::I8, Format::I32, I8, I8, I32, 16, true},
    {"u8_i8", Rule::Integer, Format::U8, Format::I8, Format::I32, I8, I8, I32, 16},
    {"i4_u4", Rule::Integer, Format::I4, Format::U4, Format::I32, I4, I4, I32, 32},
};

void print(std::ostream &out, unsigned samples, uint64_t seed) {
  for (const Case &c : cases) {
    SplitMix random{seed};
    for (unsigned sample = 0; sample < samples; ++sample) {
      unsigned mode = unsigned(random.next() % 5), modeC = unsigned(random.next() % 5);
      uint32_t as[32], bs[32];
      for (unsigned i = 0; i < c.k; ++i)
        as[i] = draw(random, c.shapeA, mode);
      for (unsigned i = 0; i < c.k; ++i)
        bs[i] = draw(random, c.shapeB, mode);
      uint32_t addend = draw(random, c.shapeC, modeC);
      if (sample % 3 == 2 && c.shapeB.exponentBits)
        for (unsigned i = 1; i < c.k; i += 2) {
          as[i] = as[i - 1];
          bs[i] = bs[i - 1] ^ 1u << (c.shapeB.exponentBits + c.shapeB.fractionBits);
        }
      out << c.name << ',' << std::hex << dot(c.rule, c.a, c.b, c.result, as, bs, c.k, addend, c.clamp) << std::dec
          << '\n';
    }
  }
}

unsigned long setting(const char *name, unsigned long otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

TEST(MatrixVectors, Print) {
  unsigned samples = unsigned(setting("WAVEWRIGHT_MATRIX_SAMPLES", 50));
  uint64_t seed = setting("WAVEWRIGHT_MATRIX_SEED", 1);
  std::ostringstream first, second;
  print(first, samples, seed);
  print(second, samples, seed + 1);
  std::string text = first.str();
  EXPECT_EQ(size_t(std::count(text.begin(), text.end(), '\n')), samples * std::size(cases));
  EXPECT_NE(text, second.str()) << "the seed does nothing";
  if (const char *path = std::getenv("WAVEWRIGHT_MATRIX_VECTORS")) {
    std::ofstream out(path);
    out << text;
    ASSERT_TRUE(out.good()) << path;
  }
}

} // namespace
