// Rounding modes, output modifiers, division and conversions with few bits, each against a reference written here.
#include "assemble.h"

#include <cfenv>
#include <cmath>
#include <random>

using namespace asmtest;

namespace {

const std::vector<std::string> allChips = {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};
bool isGfx9(const std::string &chip) { return chip.starts_with("gfx9"); }

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float num(uint32_t x) { return std::bit_cast<float>(x); }
uint16_t half(float x) { return std::bit_cast<uint16_t>(_Float16(x)); }
float unhalf(uint32_t x) { return float(std::bit_cast<_Float16>(uint16_t(x))); }

using Wide = __float128; // 113 bits: holds every sum and product below exactly

/// The code of a sign-magnitude format whose value is the neighbour of `exact` that `mode` asks for.
template <class Value> uint32_t directed(Wide exact, unsigned mode, uint32_t guess, uint32_t signBit, Value value) {
  auto up = [&](uint32_t c) { return c == signBit ? 1 : c & signBit ? c - 1 : c + 1; };
  auto down = [&](uint32_t c) { return c == 0 ? signBit | 1 : c & signBit ? c + 1 : c - 1; };
  uint32_t low = guess;
  while (Wide(value(low)) > exact)
    low = down(low);
  while (Wide(value(up(low))) <= exact)
    low = up(low);
  if (Wide(value(low)) == exact)
    return low;
  bool towardPlus = mode == 1 || (mode == 3 && exact < 0);
  return towardPlus ? up(low) : low;
}
uint32_t roundF32(Wide exact, unsigned mode) {
  return mode == 0 ? bits(float(exact)) : directed(exact, mode, bits(float(exact)), 0x80000000u, num);
}
uint32_t roundF16(Wide exact, unsigned mode) {
  if (mode)
    return directed(exact, mode, half(float(exact)), 0x8000u, unhalf);
  double d = double(exact); // halves need 11 bits: a nudge to odd keeps the second rounding right
  if (Wide(d) != exact) {
    uint64_t b = std::bit_cast<uint64_t>(d);
    if (!(b & 1))
      d = std::bit_cast<double>((exact > Wide(d)) == (d > 0) ? b + 1 : b - 1);
  }
  return std::bit_cast<uint16_t>(_Float16(d));
}

std::string setMode(const std::string &chip, unsigned offset, unsigned width, unsigned value) {
  return "s_setreg_imm32_b32 hwreg(HW_REG_MODE, " + std::to_string(offset) + ", " + std::to_string(width) + "), " +
         std::to_string(value) + "\n";
}

TEST(EmulatorRounding, SinglePrecisionFollowsMode) {
  std::mt19937 g(1);
  for (const std::string &chip : allChips)
    for (unsigned mode = 0; mode < 4; ++mode) {
      Lines l(chip);
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned r = 1; r <= 3; ++r)
          l.v(r)[lane] = (g() & 0x80ffffffu) | (118 + g() % 16) << 23;
      std::string text = (isGfx9(chip) ? setMode(chip, 0, 4, mode) : "s_round_mode " + std::to_string(mode) + "\n") +
                         "v_add_f32 v10, v1, v2\nv_sub_f32 v11, v1, v2\nv_mul_f32 v12, v1, v2\n"
                         "v_fma_f32 v13, v1, v2, v3\nv_cvt_f32_i32 v14, v1\nv_cvt_f32_u32 v15, v1\n"
                         "v_mov_b32 v16, v3\nv_fmac_f32 v16, v1, v2\nv_fma_mix_f32 v17, v1, v2, v3\n"
                         "v_rndne_f32 v20, v1\n";
      if (isGfx9(chip))
        text += "v_pk_mul_f32 v[18:19], v[2:3], v[2:3]\n";
      ASSERT_TRUE(l.run(text)) << l.context.fault.message;
      for (unsigned lane = 0; lane < l.size; ++lane) {
        Wide a = num(l.v(1)[lane]), b = num(l.v(2)[lane]), c = num(l.v(3)[lane]);
        EXPECT_EQ(l.v(10)[lane], roundF32(a + b, mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(11)[lane], roundF32(a - b, mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(12)[lane], roundF32(a * b, mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(13)[lane], roundF32(a * b + c, mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(14)[lane], roundF32(Wide(int32_t(l.v(1)[lane])), mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(15)[lane], roundF32(Wide(l.v(1)[lane]), mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(16)[lane], l.v(13)[lane]);
        EXPECT_EQ(l.v(17)[lane], l.v(13)[lane]);
        EXPECT_EQ(l.v(20)[lane], bits(std::nearbyint(num(l.v(1)[lane])))) << "never by MODE";
        if (isGfx9(chip)) {
          EXPECT_EQ(l.v(18)[lane], roundF32(b * b, mode));
          EXPECT_EQ(l.v(19)[lane], roundF32(c * c, mode));
        }
      }
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    }
}

TEST(EmulatorRounding, HalfAndDoubleFollowTheOtherField) {
  std::mt19937_64 g(2);
  for (const std::string &chip : allChips)
    for (unsigned mode = 0; mode < 4; ++mode) {
      Lines l(chip);
      for (unsigned lane = 0; lane < 64; ++lane) {
        for (unsigned r = 1; r <= 3; ++r)
          l.v(r)[lane] = uint32_t(g()) & 0xbfffbfffu;
        l.v(4)[lane] = (uint32_t(g()) & 0x80ffffffu) | uint32_t(100 + g() % 36) << 23; // f32 around the halves
        for (unsigned r : {20u, 22u, 24u}) {
          l.v(r)[lane] = uint32_t(g());
          l.v(r + 1)[lane] = (uint32_t(g()) & 0x800fffffu) | uint32_t(1015 + g() % 16) << 20;
        }
      }
      bool true16 = chip.starts_with("gfx11");
      auto h = [&](unsigned r) { return "v" + std::to_string(r) + (true16 ? ".l" : ""); };
      std::string three = h(1) + ", " + h(2), text = setMode(chip, 2, 2, mode);
      text += "v_add_f16 " + h(10) + ", " + three + "\nv_mul_f16 " + h(11) + ", " + three + "\nv_fma_f16 " + h(12) +
              ", " + three + ", " + h(3) + "\nv_cvt_f16_f32 " + h(13) + ", v4\n";
      text += "v_pk_add_f16 v14, v1, v2\nv_pk_mul_f16 v15, v1, v2\nv_pk_fma_f16 v16, v1, v2, v3\n"
              "v_add_f32 v17, v4, v4\n"
              "v_add_f64 v[30:31], v[20:21], v[22:23]\nv_mul_f64 v[32:33], v[20:21], v[22:23]\n"
              "v_fma_f64 v[34:35], v[20:21], v[22:23], v[24:25]\n";
      ASSERT_TRUE(l.run(text)) << l.context.fault.message;
      static const int hostModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
      for (unsigned lane = 0; lane < l.size; ++lane) {
        Wide a = unhalf(l.v(1)[lane]), b = unhalf(l.v(2)[lane]), c = unhalf(l.v(3)[lane]);
        Wide a1 = unhalf(l.v(1)[lane] >> 16), b1 = unhalf(l.v(2)[lane] >> 16), c1 = unhalf(l.v(3)[lane] >> 16);
        EXPECT_EQ(l.v(10)[lane] & 0xffff, roundF16(a + b, mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(11)[lane] & 0xffff, roundF16(a * b, mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(12)[lane] & 0xffff, roundF16(a * b + c, mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(13)[lane] & 0xffff, roundF16(Wide(num(l.v(4)[lane])), mode)) << chip << " " << mode;
        EXPECT_EQ(l.v(14)[lane], roundF16(a + b, mode) | roundF16(a1 + b1, mode) << 16);
        EXPECT_EQ(l.v(15)[lane], roundF16(a * b, mode) | roundF16(a1 * b1, mode) << 16);
        EXPECT_EQ(l.v(16)[lane], roundF16(a * b + c, mode) | roundF16(a1 * b1 + c1, mode) << 16);
        auto wide = [&](unsigned r) { return std::bit_cast<double>(uint64_t(l.v(r + 1)[lane]) << 32 | l.v(r)[lane]); };
        std::fesetround(hostModes[mode]);
        volatile double x = wide(20), y = wide(22), z = wide(24), sum = x + y, product = x * y,
                        fused = std::fma(x, y, z);
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(wide(30), double(sum)) << chip << " " << mode;
        EXPECT_EQ(wide(32), double(product)) << chip << " " << mode;
        EXPECT_EQ(wide(34), double(fused)) << chip << " " << mode;
      }
    }
}

TEST(EmulatorRounding, HalfOverflow) {
  // MODE.FP16_OVFL: a finite result that is too large becomes the largest half; infinity stays.
  for (const std::string &chip : {"gfx942", "gfx1201"}) {
    Lines l(chip);
    l.fill(1, 0x7bff), l.fill(2, 0x7c00), l.fill(3, bits(1e6f)), l.fill(4, 0xfbfffbff);
    ASSERT_TRUE(l.run(setMode(chip, 23, 1, 1) + "v_add_f16 v10, v1, v1\nv_add_f16 v11, v1, v2\nv_cvt_f16_f32 v12, v3\n"
                                                "v_pk_add_f16 v13, v4, v4"));
    EXPECT_EQ(l.v(10)[0] & 0xffff, 0x7bffu);
    EXPECT_EQ(l.v(11)[0] & 0xffff, 0x7c00u);
    EXPECT_EQ(l.v(12)[0] & 0xffff, 0x7bffu);
    EXPECT_EQ(l.v(13)[0], 0xfbfffbffu);
    ASSERT_TRUE(l.run(setMode(chip, 23, 1, 0) + "v_add_f16 v10, v1, v1"));
    EXPECT_EQ(l.v(10)[0] & 0xffff, 0x7c00u);
    // Rounding toward zero never reaches infinity.
    ASSERT_TRUE(l.run(setMode(chip, 2, 2, 3) + "v_add_f16 v10, v1, v1"));
    EXPECT_EQ(l.v(10)[0] & 0xffff, 0x7bffu);
  }
}

TEST(EmulatorRounding, ScalarFloats) {
  for (const std::string &chip : {"gfx1151", "gfx1201"})
    for (unsigned mode = 0; mode < 4; ++mode) {
      Lines l(chip);
      l.s(4) = bits(1.0f), l.s(5) = bits(-0x1p-40f), l.s(6) = 0x3555, l.s(7) = 0x3c01, l.s(8) = 0x7fffffff;
      ASSERT_TRUE(l.run("s_round_mode " + std::to_string(mode * 5) +
                        "\ns_add_f32 s0, s4, s5\ns_mul_f16 s1, s6, s7\ns_cvt_f32_i32 s2, s8\ns_fmac_f32 s4, s5, s5"));
      EXPECT_EQ(l.s(0), roundF32(Wide(1.0f) - Wide(0x1p-40f), mode)) << chip << " " << mode;
      EXPECT_EQ(l.s(1), roundF16(Wide(unhalf(0x3555)) * unhalf(0x3c01), mode)) << chip << " " << mode;
      EXPECT_EQ(l.s(2), roundF32(Wide(0x7fffffff), mode)) << chip << " " << mode;
      EXPECT_EQ(l.s(4), roundF32(Wide(1.0f) + Wide(0x1p-80f), mode)) << chip << " " << mode;
    }
}

TEST(EmulatorOutputModifiers, OmodActsWhereTheHardwareLetsIt) {
  for (const std::string &chip : allChips) {
    bool gfx12 = chip == "gfx1201";
    Lines l(chip);
    l.fill(1, bits(1.5f)), l.fill(2, bits(2.0f)), l.fill(3, 0x80000000), l.fill(4, 0x00800000), l.fill(5, 0x00000010);
    std::string text = "v_mul_f32 v10, v1, v2 mul:4\nv_add_f32 v11, v3, v3 mul:2\nv_add_f32 v12, v4, 0 div:2\n"
                       "v_add_f32 v13, v5, 0 mul:2\n";
    // With denormals kept, or MODE.IEEE, hardware before gfx12 ignores it.
    ASSERT_TRUE(l.run(text));
    EXPECT_EQ(num(l.v(10)[0]), gfx12 ? 12.0f : 3.0f) << chip;
    EXPECT_EQ(l.v(11)[0], gfx12 ? 0u : 0x80000000u) << chip;
    EXPECT_EQ(l.v(12)[0], gfx12 ? 0u : 0x00800000u) << chip;
    EXPECT_EQ(l.v(13)[0], gfx12 ? 0u : 0x10u) << chip;
    l.wave.setMode((l.wave.mode & ~(mode::Ieee | mode::KeepOutF32)));
    ASSERT_TRUE(l.run(text));
    EXPECT_EQ(num(l.v(10)[0]), 12.0f) << chip;
    EXPECT_EQ(l.v(11)[0], 0u) << chip;
    EXPECT_EQ(l.v(12)[0], 0u) << chip;
    // NaN and the clamp: DX10_CLAMP makes it 0.
    l.fill(1, 0x7fc00000), l.fill(2, bits(-3.0f)), l.fill(3, bits(7.0f));
    ASSERT_TRUE(l.run("v_add_f32 v10, v1, v2 clamp\nv_add_f32 v11, v2, v2 clamp\nv_add_f32 v12, v3, v3 clamp"));
    EXPECT_EQ(l.v(10)[0], 0u);
    EXPECT_EQ(l.v(11)[0], 0u);
    EXPECT_EQ(num(l.v(12)[0]), 1.0f);
    if (!gfx12) {
      l.wave.setMode(l.wave.mode & ~mode::Dx10Clamp);
      ASSERT_TRUE(l.run("v_add_f32 v10, v1, v2 clamp"));
      EXPECT_EQ(l.v(10)[0], 0x7fc00000u);
    }
  }
}

TEST(EmulatorDivision, TheWholeSequenceIsTheQuotient) {
  std::mt19937_64 g(4);
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::string vcc = l.size == 64 ? "vcc" : "vcc_lo";
    for (int round = 0; round < 40; ++round) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        l.v(1)[lane] = uint32_t(g()), l.v(2)[lane] = uint32_t(g());
        if (lane < 16) // specials and denormals
          l.v(1)[lane] = uint32_t(g()) & 0x807fffffu;
        if (lane >= 8 && lane < 24)
          l.v(2)[lane] = uint32_t(g()) & 0x807fffffu;
        if (lane >= 60)
          l.v(1)[lane] = lane & 1 ? 0x7f800000u : 0, l.v(2)[lane] = lane & 2 ? 0xff800000u : 0x80000000u;
      }
      ASSERT_TRUE(round ? (l.wave.pc = 0, l.wave.state = WaveState::Running,
                           semanticsLevel().run(l.context, l.wave, 1000), true)
                        : l.run("v_div_scale_f32 v3, " + vcc +
                                ", v2, v2, v1\nv_rcp_f32 v4, v3\n"
                                "v_fma_f32 v5, -v3, v4, 1.0\nv_fma_f32 v4, v5, v4, v4\n"
                                "v_div_scale_f32 v6, " +
                                vcc +
                                ", v1, v2, v1\nv_mul_f32 v7, v6, v4\n"
                                "v_fma_f32 v8, -v3, v7, v6\nv_fma_f32 v7, v8, v4, v7\nv_fma_f32 v8, -v3, v7, v6\n"
                                "v_div_fmas_f32 v8, v8, v4, v7\nv_div_fixup_f32 v9, v8, v2, v1"))
          << l.context.fault.message;
      for (unsigned lane = 0; lane < l.size; ++lane) {
        float a = num(l.v(1)[lane]), b = num(l.v(2)[lane]), q = a / b;
        if (std::isnan(q)) {
          EXPECT_TRUE(std::isnan(num(l.v(9)[lane])));
        } else {
          EXPECT_EQ(l.v(9)[lane], bits(q)) << chip << " " << a << " / " << b;
        }
      }
    }
  }
}

TEST(EmulatorDivision, DoubleSequence) {
  std::mt19937_64 g(5);
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::string vcc = l.size == 64 ? "vcc" : "vcc_lo";
    for (int round = 0; round < 20; ++round) {
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned r = 2; r < 6; ++r)
          l.v(r)[lane] = uint32_t(g()) & (lane < 16 && r == 3                ? 0x800fffffu
                                          : lane >= 8 && lane < 24 && r == 5 ? 0x800fffffu
                                                                             : ~0u);
      ASSERT_TRUE(
          round
              ? (l.wave.pc = 0, l.wave.state = WaveState::Running, semanticsLevel().run(l.context, l.wave, 1000), true)
              : l.run("v_div_scale_f64 v[6:7], " + vcc +
                      ", v[4:5], v[4:5], v[2:3]\nv_rcp_f64 v[8:9], v[6:7]\n"
                      "v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0\nv_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]\n"
                      "v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0\nv_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]\n"
                      "v_div_scale_f64 v[12:13], " +
                      vcc +
                      ", v[2:3], v[4:5], v[2:3]\n"
                      "v_mul_f64 v[14:15], v[12:13], v[8:9]\nv_fma_f64 v[16:17], -v[6:7], v[14:15], v[12:13]\n"
                      "v_div_fmas_f64 v[16:17], v[16:17], v[8:9], v[14:15]\n"
                      "v_div_fixup_f64 v[18:19], v[16:17], v[4:5], v[2:3]"))
          << l.context.fault.message;
      for (unsigned lane = 0; lane < l.size; ++lane) {
        auto wide = [&](unsigned r) { return std::bit_cast<double>(uint64_t(l.v(r + 1)[lane]) << 32 | l.v(r)[lane]); };
        double q = wide(2) / wide(4);
        if (std::isnan(q)) {
          EXPECT_TRUE(std::isnan(wide(18)));
        } else {
          EXPECT_EQ(std::bit_cast<uint64_t>(wide(18)), std::bit_cast<uint64_t>(q))
              << chip << " " << wide(2) << " / " << wide(4);
        }
      }
    }
  }
}

// Formats with few bits -----------------------------------------------------------------------------------
struct Few {
  unsigned exponentBits, mantissaBits;
  int bias;
  unsigned largest;
};
constexpr Few Fp8{4, 3, 7, 0x7e}, Bf8{5, 2, 15, 0x7b}, Fp6{2, 3, 1, 0x1f}, Bf6{3, 2, 3, 0x1f}, Fp4{2, 1, 1, 7};
double valueOf(const Few &f, unsigned code) {
  unsigned mantissa = code & ((1u << f.mantissaBits) - 1),
           exponent = code >> f.mantissaBits & ((1u << f.exponentBits) - 1);
  double m = exponent ? 1.0 + double(mantissa) / (1u << f.mantissaBits) : double(mantissa) / (1u << f.mantissaBits);
  double v = std::ldexp(m, int(exponent ? exponent : 1) - f.bias);
  return code >> (f.exponentBits + f.mantissaBits) & 1 ? -v : v;
}
/// Nearest code, ties to the even one, by looking at all; too large stops at the largest.
unsigned nearest(const Few &f, double x) {
  unsigned best = 0;
  for (unsigned c = 1; c <= f.largest; ++c) {
    double now = std::fabs(valueOf(f, c) - std::fabs(x)), before = std::fabs(valueOf(f, best) - std::fabs(x));
    if (now < before || (now == before && !(c & 1)))
      best = c;
  }
  return best | (std::signbit(x) ? 1u << (f.exponentBits + f.mantissaBits) : 0);
}
unsigned widthOf(const Few &f) { return 1 + f.exponentBits + f.mantissaBits; }
uint32_t bf16(float x) { return bits(x) >> 16; }

struct Narrow {
  const char *name;
  Few format;
};

TEST(EmulatorScale, PairsNarrowAndWiden) {
  std::mt19937 g(6);
  for (const Narrow &n : {Narrow{"fp8", Fp8}, {"bf8", Bf8}, {"fp4", Fp4}})
    for (int round = 0; round < 30; ++round) {
      Lines l("gfx950");
      l.wave.setMode(l.wave.mode | mode::Fp16Overflow); // too large saturates
      int by = int(g() % 9) - 4;
      l.fill(3, uint32_t(127 + by) << 23 | (g() & 0x807fffff)); // only the exponent counts
      for (unsigned lane = 0; lane < 64; ++lane) {
        // Eight significant bits, so that f16 and bf16 hold them too; around the format's range.
        auto value = [&] { return std::ldexp(float(int(g() % 511) - 255), int(g() % 12) - 10); };
        float x = value(), y = value();
        l.v(1)[lane] = bits(x), l.v(2)[lane] = bits(y);
        l.v(4)[lane] = uint32_t(half(x)) | uint32_t(half(y)) << 16, l.v(5)[lane] = bf16(x) | bf16(y) << 16;
        for (unsigned r = 10; r < 14; ++r)
          l.v(r)[lane] = 0xaaaaaaaa;
        l.v(6)[lane] = g() & 0x77777777; // no NaN in any format
      }
      std::string name = n.name, high = name == "fp4" ? " op_sel:[0,0,1,0]" : " op_sel:[0,0,0,1]";
      std::string high2 = name == "fp4" ? " op_sel:[0,0,1,0]" : " op_sel:[0,0,1]";
      std::string from = name == "fp4" ? " op_sel:[1,0,0]" : " op_sel:[1,0,0]";
      ASSERT_TRUE(l.run("v_cvt_scalef32_pk_" + name + "_f32 v10, v1, v2, v3\nv_cvt_scalef32_pk_" + name +
                        "_f16 v11, v4, v3\nv_cvt_scalef32_pk_" + name + "_bf16 v12, v5, v3\nv_cvt_scalef32_pk_" + name +
                        "_f32 v13, v1, v2, v3" + high + "\nv_cvt_scalef32_pk_f32_" + name + " v[20:21], v6, v3" + from +
                        "\nv_cvt_scalef32_pk_f16_" + name + " v22, v6, v3\nv_cvt_scalef32_pk_bf16_" + name +
                        " v23, v6, v3"))
          << l.context.fault.message;
      unsigned width = widthOf(n.format), mask = (1u << (2 * width)) - 1, one = (1u << width) - 1;
      for (unsigned lane = 0; lane < 64; ++lane) {
        double scale = std::ldexp(1.0, by), x = num(l.v(1)[lane]) / scale, y = num(l.v(2)[lane]) / scale;
        uint32_t pair = nearest(n.format, x) | nearest(n.format, y) << width;
        EXPECT_EQ(l.v(10)[lane], (0xaaaaaaaau & ~mask) | pair) << name << " " << x << " " << y;
        EXPECT_EQ(l.v(11)[lane], l.v(10)[lane]) << name;
        EXPECT_EQ(l.v(12)[lane], l.v(10)[lane]) << name;
        EXPECT_EQ(l.v(13)[lane], (0xaaaaaaaau & ~(mask << (2 * width))) | pair << (2 * width)) << name;
        uint32_t upper = l.v(6)[lane] >> (2 * width);
        EXPECT_EQ(num(l.v(20)[lane]), float(valueOf(n.format, upper & one) * scale)) << name;
        EXPECT_EQ(num(l.v(21)[lane]), float(valueOf(n.format, upper >> width & one) * scale)) << name;
        float low = float(valueOf(n.format, l.v(6)[lane] & one) * scale);
        float next = float(valueOf(n.format, l.v(6)[lane] >> width & one) * scale);
        EXPECT_EQ(l.v(22)[lane], uint32_t(half(low)) | uint32_t(half(next)) << 16) << name;
        EXPECT_EQ(l.v(23)[lane], bf16(low) | bf16(next) << 16) << name;
      }
    }
}

TEST(EmulatorScale, SingleBytes) {
  Lines l("gfx950");
  l.fill(1, 0x38b4c07e), l.fill(2, bits(2.0f)), l.fill(10, 0xdeadbeef), l.fill(11, 0xdeadbeef);
  ASSERT_TRUE(l.run("v_cvt_scalef32_f32_fp8 v3, v1, v2\nv_cvt_scalef32_f32_bf8 v4, v1, v2 op_sel:[1,0,0]\n"
                    "v_cvt_scalef32_f16_fp8 v10, v1, v2 op_sel:[1,1,0]\n"
                    "v_cvt_scalef32_f16_bf8 v11, v1, v2 op_sel:[0,1,1]"));
  EXPECT_EQ(num(l.v(3)[0]), 896.0f);                           // 448 * 2
  EXPECT_EQ(num(l.v(4)[0]), -4.0f);                            // 0xc0 = -2
  EXPECT_EQ(l.v(10)[0], 0xdead0000u | half(2.0f));             // byte 3, 0x38 = 1
  EXPECT_EQ(l.v(11)[0], uint32_t(half(-0.5f)) << 16 | 0xbeef); // byte 2, 0xb4 = -0.25
  // A scale that is not a number makes everything so; NaN and infinity have codes of their own.
  l.fill(2, 0x7f800000), l.fill(5, bits(1.0f)), l.fill(6, 0x7fc00000), l.fill(7, 0x7f800000), l.fill(8, 0);
  ASSERT_TRUE(l.run("v_cvt_scalef32_f32_fp8 v3, v1, v2\nv_cvt_scalef32_pk_fp8_f32 v8, v6, v7, v5\n"
                    "v_cvt_scalef32_pk_bf8_f32 v9, v6, v7, v5\nv_cvt_scalef32_pk_fp4_f32 v12, v7, v7, v5"));
  EXPECT_TRUE(std::isnan(num(l.v(3)[0])));
  EXPECT_EQ(l.v(8)[0], 0x7fffu);
  EXPECT_EQ(l.v(9)[0], 0x7cfeu);
  EXPECT_EQ(l.v(12)[0], 0x77u);
}

/// Bits [6 * i + 5 : 6 * i] of the six registers from `first`.
unsigned six(Lines &l, unsigned first, unsigned i, unsigned lane) {
  unsigned code = 0;
  for (unsigned b = 0; b < 6; ++b) {
    unsigned at = 6 * i + b;
    code |= (l.v(first + at / 32)[lane] >> (at % 32) & 1) << b;
  }
  return code;
}

TEST(EmulatorScale, BlocksOfThirtyTwo) {
  std::mt19937 g(7);
  for (const Narrow &n : {Narrow{"fp6", Fp6}, {"bf6", Bf6}})
    for (int by : {-3, 0, 5}) {
      Lines l("gfx950");
      std::string name = n.name;
      l.fill(3, uint32_t(127 + by) << 23);
      l.fill(4, 0); // the seed adds nothing: toward zero
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned i = 0; i < 32; ++i) {
          float x = std::ldexp(float(int(g() % 511) - 255), int(g() % 10) - 8);
          l.v(32 + i)[lane] = bits(x);
          if (i % 2 == 0)
            l.v(64 + i / 2)[lane] = half(x), l.v(80 + i / 2)[lane] = bf16(x);
          else
            l.v(64 + i / 2)[lane] |= uint32_t(half(x)) << 16, l.v(80 + i / 2)[lane] |= bf16(x) << 16;
        }
      ASSERT_TRUE(l.run("v_cvt_scalef32_2xpk16_" + name + "_f32 v[100:105], v[32:47], v[48:63], v3\n" +
                        "v_cvt_scalef32_pk32_" + name + "_f16 v[106:111], v[64:79], v3\n" + "v_cvt_scalef32_pk32_" +
                        name + "_bf16 v[112:117], v[80:95], v3\n" + "v_cvt_scalef32_sr_pk32_" + name +
                        "_f32 v[118:123], v[32:63], v4, v3\n" + "v_cvt_scalef32_sr_pk32_" + name +
                        "_f16 v[124:129], v[64:79], v4, v3\n" + "v_cvt_scalef32_sr_pk32_" + name +
                        "_bf16 v[130:135], v[80:95], v4, v3\n" + "v_cvt_scalef32_pk32_f32_" + name +
                        " v[140:171], v[106:111], v3\n" + "v_cvt_scalef32_pk32_f16_" + name +
                        " v[172:187], v[106:111], v3\n" + "v_cvt_scalef32_pk32_bf16_" + name +
                        " v[188:203], v[106:111], v3"))
          << l.context.fault.message;
      for (unsigned lane = 0; lane < 64; lane += 7)
        for (unsigned i = 0; i < 32; ++i) {
          double x = num(l.v(32 + i)[lane]) / std::ldexp(1.0, by);
          unsigned code = nearest(n.format, x);
          EXPECT_EQ(six(l, 106, i, lane), code) << name << " " << x;
          EXPECT_EQ(six(l, 112, i, lane), code) << name << " " << x;
          // Element i of the first source is number 2 * i, of the second 2 * i + 1.
          EXPECT_EQ(six(l, 100, i < 16 ? 2 * i : 2 * (i - 16) + 1, lane), code) << name << " " << x;
          unsigned truncated = code;
          if (std::fabs(valueOf(n.format, code)) > std::fabs(x))
            --truncated;
          EXPECT_EQ(six(l, 118, i, lane), truncated) << name << " " << x;
          EXPECT_EQ(six(l, 124, i, lane), truncated) << name << " " << x;
          EXPECT_EQ(six(l, 130, i, lane), truncated) << name << " " << x;
          float back = float(valueOf(n.format, code) * std::ldexp(1.0, by));
          EXPECT_EQ(num(l.v(140 + i)[lane]), back) << name;
          EXPECT_EQ(l.v(172 + i / 2)[lane] >> (16 * (i % 2)) & 0xffff, half(back)) << name;
          EXPECT_EQ(l.v(188 + i / 2)[lane] >> (16 * (i % 2)) & 0xffff, bf16(back)) << name;
        }
    }
}

TEST(EmulatorScale, StochasticRounding) {
  // 1 + 1/16 lies half way between two fp8 values: the seed's upper half decides. 1 + 1/64 goes up for a quarter ... of
  // the seeds: carry of (1/64 * 2^23) and the seed's upper 20 bits.
  struct Case {
    const char *chip, *text;
    uint32_t a, seed, expected;
  };
  const Case cases[] = {
      {"gfx950", "v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", bits(1.0625f * 4), 0x7fffffff, 0x38},
      {"gfx950", "v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3", bits(1.0625f * 4), 0x80000000, 0x39},
      {"gfx950", "v_cvt_scalef32_sr_fp8_f32 v0, v1, v2, v3 op_sel:[0,0,1,1]", bits(1.0625f * 4), 0x80000000,
       0x39000000},
      {"gfx950", "v_cvt_scalef32_sr_bf8_f32 v0, v1, v2, v3", bits(-1.0625f * 4), 0xbfffffff, 0xbc},
      {"gfx950", "v_cvt_scalef32_sr_bf8_f32 v0, v1, v2, v3", bits(-1.0625f * 4), 0xc0000000, 0xbd},
      {"gfx950", "v_cvt_scalef32_sr_fp8_f16 v0, v1, v2, v3", half(1.0625f * 4), 0x80000000, 0x39},
      {"gfx950", "v_cvt_scalef32_sr_bf8_bf16 v0, v1, v2, v3", bf16(-1.0625f * 4), 0xc0000000, 0xbd},
      {"gfx950", "v_cvt_scalef32_sr_fp8_bf16 v0, v1, v2, v3", bf16(1.0625f * 4), 0x7fffffff, 0x38},
      {"gfx950", "v_cvt_scalef32_sr_bf8_f16 v0, v1, v2, v3", half(-1.0625f * 4), 0xbfffffff, 0xbc},
      {"gfx950", "v_cvt_scalef32_sr_pk_fp4_f16 v0, v1, v2, v3", half(5.0f) | uint32_t(half(-7.0f)) << 16, 0xc0000000,
       0xc3},
      {"gfx950", "v_cvt_sr_f16_f32 v0, v1, v2", bits(1.0f + 0x1p-12f), 0xbfffffff, 0x3c00},
      {"gfx950", "v_cvt_sr_f16_f32 v0, v1, v2", bits(1.0f + 0x1p-12f), 0xc0000000, 0x3c01},
      {"gfx950", "v_cvt_sr_bf16_f32 v0, v1, v2", 0x3f804000, 0xbfffffff, 0x3f80},
      {"gfx950", "v_cvt_sr_bf16_f32 v0, v1, v2 op_sel:[0,0,1]", 0x3f804000, 0xc0000000, 0x3f810000},
      {"gfx1201", "v_cvt_sr_fp8_f32 v0, v1, v2", bits(1.0625f), 0x7fffffff, 0x38},
      {"gfx1201", "v_cvt_sr_fp8_f32 v0, v1, v2 byte_sel:2", bits(1.0625f), 0x80000000, 0x390000},
      {"gfx1201", "v_cvt_sr_bf8_f32 v0, v1, v2", bits(1.0625f), 0xbfffffff, 0x3c},
      {"gfx1201", "v_cvt_sr_bf8_f32 v0, v1, v2", bits(1.0625f), 0xc0000000, 0x3d},
      {"gfx1201", "v_cvt_sr_fp8_f32 v0, v1, v2", 0x7fc00000, 0, 0xff},
      {"gfx1201", "v_cvt_pk_bf8_f32 v0, v1, v1", 0x7fc00000, 0, 0xfefe},
      {"gfx942", "v_cvt_sr_fp8_f32 v0, v1, v2", bits(1.0625f), 0x80000000, 0x41},
      {"gfx942", "v_cvt_sr_bf8_f32 v0, v1, v2", bits(1.0625f), 0xbfffffff, 0x40},
  };
  for (const Case &k : cases) {
    Lines l(k.chip);
    l.fill(0, 0), l.fill(1, k.a), l.fill(2, k.seed), l.fill(3, bits(4.0f));
    ASSERT_TRUE(l.run(k.text)) << l.context.fault.message;
    EXPECT_EQ(l.v(0)[0], k.expected) << k.chip << " " << k.text << std::hex << " 0x" << l.v(0)[0];
  }
}

} // namespace
