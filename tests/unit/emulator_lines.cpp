// Single instructions, assembled in process, against references written here.
#include "assemble.h"

#include <cmath>
#include <functional>
#include <random>

using namespace asmtest;

namespace {

const std::vector<std::string> allChips = {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};
const std::vector<std::string> gfx9 = {"gfx942", "gfx950"}, gfx11up = {"gfx1100", "gfx1151", "gfx1201"},
                               gfx11 = {"gfx1100", "gfx1151"};

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float num(uint32_t x) { return std::bit_cast<float>(x); }
uint16_t half(float x) { return std::bit_cast<uint16_t>(_Float16(x)); }
float unhalf(uint32_t x) { return float(std::bit_cast<_Float16>(uint16_t(x))); }

/// v1, v2, v3 hold the given words in all lanes; the word of v0's lane 0 is the result.
struct Case {
  std::vector<std::string> chips;
  const char *text;
  uint32_t a, b, c, expected;
  uint32_t old = 0xdeadbeef;
};

void check(const Case &k) {
  for (const std::string &chip : k.chips) {
    Lines l(chip);
    l.fill(0, k.old), l.fill(1, k.a), l.fill(2, k.b), l.fill(3, k.c);
    l.s(4) = k.a, l.s(5) = k.b, l.s(6) = k.c;
    ASSERT_TRUE(l.run(k.text)) << chip << ": " << k.text << ": " << l.context.fault.message;
    EXPECT_EQ(l.v(0)[0], k.expected) << chip << ": " << k.text << std::hex << " gives 0x" << l.v(0)[0] << ", not 0x"
                                     << k.expected;
    EXPECT_EQ(l.v(0)[l.size - 1], k.expected) << chip << ": " << k.text;
  }
}

constexpr uint32_t QuietNan = 0x7fc00000, SignallingNan = 0x7f800001;

TEST(EmulatorLines, Vector) {
  const Case cases[] = {
      {allChips, "v_perm_b32 v0, v1, v2, v3", 0x44332211, 0x88776655, 0x07000d0c, 0x4455ff00},
      {allChips, "v_alignbit_b32 v0, v1, v2, v3", 0x12345678, 0x9abcdef0, 8, 0x789abcde},
      {allChips, "v_alignbyte_b32 v0, v1, v2, v3", 0x12345678, 0x9abcdef0, 2, 0x56789abc},
      {allChips, "v_bfe_u32 v0, v1, v2, v3", 0xabcd1234, 8, 12, 0xd12},
      {allChips, "v_bfe_i32 v0, v1, v2, v3", 0xabcd1234, 8, 12, 0xfffffd12},
      {allChips, "v_bfe_i32 v0, v1, v2, v3", 0xabcd1234, 24, 0, 0},
      {allChips, "v_bfi_b32 v0, v1, v2, v3", 0xff00ff00, 0x11223344, 0x55667788, 0x11663388},
      {allChips, "v_med3_i32 v0, v1, v2, v3", 5, uint32_t(-7), 2, 2},
      {allChips, "v_min3_u32 v0, v1, v2, v3", 5, 7, 2, 2},
      {allChips, "v_sad_u8 v0, v1, v2, v3", 0x01ff0010, 0x0200ff20, 5, 5 + 1 + 255 + 255 + 16},
      {allChips, "v_mad_u32_u24 v0, v1, v2, v3", 0xff000003, 0x01000005, 7, 22},
      {allChips, "v_mul_i32_i24 v0, v1, v2", 0x00ffffff, 5, 0, uint32_t(-5)},
      {allChips, "v_mul_hi_i32 v0, v1, v2", uint32_t(-4), 0x40000000, 0, uint32_t(-1)},
      {allChips, "v_lshl_add_u32 v0, v1, v2, v3", 3, 4, 5, 53},
      {allChips, "v_xad_u32 v0, v1, v2, v3", 0xf0, 0xff, 1, 16},
      {allChips, "v_bcnt_u32_b32 v0, v1, v2", 0xff00ff, 10, 0, 26},
      {allChips, "v_bfrev_b32 v0, v1", 0x00000013, 0, 0, 0xc8000000},
      {gfx9, "v_ffbh_u32 v0, v1", 0x00010000, 0, 0, 15},
      {gfx9, "v_ffbl_b32 v0, v1", 0, 0, 0, 0xffffffff},
      {gfx11up, "v_cls_i32 v0, v1", 0xffff0000, 0, 0, 16},
      {gfx9, "v_add_u32 v0, v1, v2 clamp", 0xfffffff0, 0x20, 0, 0xffffffff},
      {gfx11up, "v_add_nc_u32 v0, v1, v2 clamp", 0xfffffff0, 0x20, 0, 0xffffffff},
      {gfx9, "v_sub_i32 v0, v1, v2 clamp", 0x80000000, 1, 0, 0x80000000},
      {gfx11up, "v_sub_nc_i32 v0, v1, v2 clamp", 0x80000000, 1, 0, 0x80000000},
      {allChips, "v_pk_add_u16 v0, v1, v2 clamp", 0xfff00001, 0x00200002, 0, 0xffff0003},
      {allChips, "v_pk_add_u16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,0]", 0x00050007, 0x00100020, 0, 0x00270025},
      {allChips, "v_pk_mad_i16 v0, v1, v2, v3", 0x0003fffe, 0x00040005, 0x00010001, 0x000dfff7},
      {allChips, "v_pk_lshlrev_b16 v0, v1, v2", 0x00040001, 0x00030003, 0, 0x00300006},

      // Modifiers, omod, clamp.
      {allChips, "v_add_f32 v0, -v1, |v2|", bits(1.5f), bits(-4.0f), 0, bits(2.5f)},
      {{"gfx1201"}, "v_mul_f32 v0, v1, v2 mul:4", bits(1.5f), bits(2.0f), 0, bits(12.0f)},
      {allChips, "v_add_f32 v0, v1, v2 clamp", bits(1.5f), bits(2.0f), 0, bits(1.0f)},
      {allChips, "v_add_f32 v0, v1, v2 clamp", QuietNan, bits(2.0f), 0, 0},
      {allChips, "v_add_f32 v0, 0.5, v1", bits(1.5f), 0, 0, bits(2.0f)},
      {allChips, "v_add_f32 v0, 0x40490fdb, v1", bits(0.0f), 0, 0, 0x40490fdb},
      {gfx9, "v_add_u32 v0, -1, v1", 5, 0, 0, 4},

      // Minimum and maximum.
      {{"gfx942", "gfx1100"}, "v_max_f32 v0, v1, v2", QuietNan, bits(2.0f), 0, bits(2.0f)},
      {{"gfx942", "gfx1100"}, "v_max_f32 v0, v1, v2", SignallingNan, bits(2.0f), 0, SignallingNan | 0x400000},
      {{"gfx942", "gfx1100"}, "v_min_f32 v0, v1, v2", bits(0.0f), bits(-0.0f), 0, bits(-0.0f)},
      {{"gfx1201"}, "v_max_num_f32 v0, v1, v2", SignallingNan, bits(2.0f), 0, bits(2.0f)},
      {{"gfx1201"}, "v_maximum_f32 v0, v1, v2", QuietNan, bits(2.0f), 0, QuietNan},
      {{"gfx1201"}, "v_minimum_f32 v0, v1, v2", bits(0.0f), bits(-0.0f), 0, bits(-0.0f)},
      {{"gfx942", "gfx1100"}, "v_med3_f32 v0, v1, v2, v3", bits(3.0f), bits(-1.0f), bits(2.0f), bits(2.0f)},
      {{"gfx942", "gfx1100"}, "v_med3_f32 v0, v1, v2, v3", bits(3.0f), QuietNan, bits(2.0f), bits(2.0f)},
      {{"gfx950"}, "v_minimum3_f32 v0, v1, v2, v3", bits(3.0f), QuietNan, bits(2.0f), QuietNan},

      // Conversions.
      {allChips, "v_cvt_u32_f32 v0, v1", bits(-3.5f), 0, 0, 0},
      {allChips, "v_cvt_u32_f32 v0, v1", bits(5e9f), 0, 0, 0xffffffff},
      {allChips, "v_cvt_i32_f32 v0, v1", bits(-3.9f), 0, 0, uint32_t(-3)},
      {allChips, "v_cvt_i32_f32 v0, v1", QuietNan, 0, 0, 0},
      {allChips, "v_cvt_i32_f32 v0, v1", bits(-5e9f), 0, 0, 0x80000000},
      {allChips, "v_cvt_f32_ubyte2 v0, v1", 0x12cd3456, 0, 0, bits(205.0f)},
      {gfx9, "v_cvt_pkrtz_f16_f32 v0, v1, v2", bits(1.0009f), bits(-70000.0f), 0, 0xfbff3c00},
      {gfx11up, "v_cvt_pk_rtz_f16_f32 v0, v1, v2", bits(1.9999f), bits(1e-8f), 0, 0x00003fff},
      {{"gfx950"}, "v_cvt_pk_bf16_f32 v0, v1, v2", 0x3f808000, 0x3f818000, 0, 0x3f823f80},
      {allChips, "v_cvt_pk_u8_f32 v0, v1, v2, v3", bits(200.4f), 1, 0x11223344, 0x1122c844},
      {{"gfx942"}, "v_cvt_pk_fp8_f32 v0, v1, v2", bits(1.0f), bits(-240.0f), 0, 0xdeadff40},
      {{"gfx950", "gfx1201"}, "v_cvt_pk_fp8_f32 v0, v1, v2", bits(1.0f), bits(-448.0f), 0, 0xdeadfe38},
      {{"gfx950", "gfx1201"}, "v_cvt_pk_bf8_f32 v0, v1, v2 op_sel:[0,0,1]", bits(1.0f), bits(-2.0f), 0, 0xc03cbeef},
      {{"gfx950", "gfx1201"}, "v_cvt_f32_fp8 v0, v1", 0x11223338, 0, 0, bits(1.0f)},
      {{"gfx942"}, "v_cvt_f32_fp8 v0, v1", 0x11223340, 0, 0, bits(1.0f)},
      {{"gfx942"}, "v_cvt_f32_bf8_sdwa v0, v1 src0_sel:BYTE_2", 0x11403340, 0, 0, bits(1.0f)},
      {{"gfx1201"}, "v_cvt_f32_bf8 v0, v1 byte_sel:2", 0x113c3340, 0, 0, bits(1.0f)},
      {allChips, "v_ldexp_f32 v0, v1, v2", bits(1.5f), uint32_t(-149), 0, 2},
      {allChips, "v_frexp_exp_i32_f32 v0, v1", bits(12.0f), 0, 0, 4},
      {allChips, "v_frexp_mant_f32 v0, v1", bits(-12.0f), 0, 0, bits(-0.75f)},
      {allChips, "v_fract_f32 v0, v1", bits(-1.25f), 0, 0, bits(0.75f)},
      {allChips, "v_rndne_f32 v0, v1", bits(2.5f), 0, 0, bits(2.0f)},

      // 16-bit results: what happens to the other half.
      {gfx9, "v_add_f16 v0, v1, v2", half(1.0f), half(0.5f), 0, half(1.5f)},
      {gfx9, "v_fma_f16 v0, v1, v2, v3", half(2.0f), half(3.0f), half(1.0f), 0xdead0000 | half(7.0f)},
      {gfx9, "v_mad_u16 v0, v1, v2, v3 op_sel:[1,0,0,1]", 0x00050009, 3, 1, 0x0010beef},
      {gfx9, "v_add_u16 v0, v1, v2", 0xffff0005, 7, 0, 12},
      {gfx11, "v_add_f16 v0.l, v1.l, v2.l", half(1.0f), half(0.5f), 0, 0xdead0000 | half(1.5f)},
      {gfx11, "v_add_f16 v0.h, v1.h, v2.l", uint32_t(half(1.0f)) << 16, half(0.5f), 0,
       uint32_t(half(1.5f)) << 16 | 0xbeef},
      {gfx11, "v_mad_u16 v0.h, v1.h, v2.l, v3.l", 0x00050009, 3, 1, 0x0010beef},
      {{"gfx1201"}, "v_add_f16 v0, v1, v2", half(1.0f), half(0.5f), 0, 0xdead0000 | half(1.5f)},
      {{"gfx1201"}, "v_mad_u16 v0, v1, v2, v3 op_sel:[1,0,0,1]", 0x00050009, 3, 1, 0x0010beef},
      {gfx9, "v_cvt_f16_f32 v0, v1", bits(65520.0f), 0, 0, 0x7c00},
      {gfx9, "v_cvt_f16_f32 v0, v1", bits(65519.0f), 0, 0, 0x7bff},
      {gfx9, "v_cvt_f16_f32 v0, v1", bits(std::ldexp(1.5f, -24)), 0, 0, 2},
      {gfx9, "v_cvt_f16_f32 v0, v1", bits(std::ldexp(1.0f, -25)), 0, 0, 0},

      // Mixed precision.
      {allChips, "v_fma_mix_f32 v0, v1, v2, v3 op_sel_hi:[1,0,0]", half(2.0f), bits(3.0f), bits(1.0f), bits(7.0f)},
      {allChips, "v_fma_mix_f32 v0, v1, -v2, |v3| op_sel:[1,0,0] op_sel_hi:[1,0,0]", uint32_t(half(2.0f)) << 16,
       bits(3.0f), bits(-1.0f), bits(-5.0f)},
      {allChips, "v_fma_mixlo_f16 v0, v1, v2, v3", bits(2.0f), bits(3.0f), bits(1.0f), 0xdead0000 | half(7.0f)},
      {allChips, "v_fma_mixhi_f16 v0, v1, v2, v3", bits(2.0f), bits(3.0f), bits(1.0f),
       uint32_t(half(7.0f)) << 16 | 0xbeef},
      {allChips, "v_pk_fma_f16 v0, v1, v2, v3 neg_lo:[1,0,0]", 0x40003c00, 0x40004200, 0x3c003c00, 0x4500c000},

      // SDWA.
      {gfx9, "v_add_u32_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:WORD_1",
       0x05000000, 0x00070000, 0, 0xdead0cef},
      {gfx9, "v_add_u32_sdwa v0, sext(v1), v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD",
       0x000000ff, 10, 0, 9},
      {gfx9, "v_mov_b32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0", 0x12345678, 0, 0,
       0x56780000},

      // Scalars as sources.
      {allChips, "v_add_f32 v0, s4, v2", bits(1.0f), bits(2.0f), 0, bits(3.0f)},
      {gfx11up, "v_bfe_u32 v0, s4, s5, 12", 0xabcd1234, 8, 0, 0xd12},
      {gfx9, "v_accvgpr_write_b32 a3, v1\nv_accvgpr_read_b32 v0, a3", 77, 0, 0, 77},
  };
  for (const Case &k : cases)
    check(k);
}

TEST(EmulatorLines, Bitop3IsItsTruthTable) {
  for (unsigned table : {0x00u, 0x96u, 0xcau, 0xe8u, 0x1bu}) {
    Lines l("gfx950");
    l.fill(1, 0xf0f0f0f0), l.fill(2, 0xcccccccc), l.fill(3, 0xaaaaaaaa);
    ASSERT_TRUE(l.run("v_bitop3_b32 v0, v1, v2, v3 bitop3:" + std::to_string(table)));
    EXPECT_EQ(l.v(0)[0], table * 0x01010101u) << table;
  }
}

TEST(EmulatorLines, MaskedLanesKeepTheirValue) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    l.fill(0, 9), l.fill(1, 1), l.fill(2, 2);
    l.setExec(0x5);
    ASSERT_TRUE(l.run("v_add_f16 v4, v1, v2\nv_xor_b32 v0, v1, v2\nv_lshlrev_b64 v[6:7], 1, v[2:3]"));
    for (unsigned lane = 0; lane < l.size; ++lane) {
      EXPECT_EQ(l.v(0)[lane], lane == 0 || lane == 2 ? 3u : 9u);
      EXPECT_EQ(l.v(6)[lane], lane == 0 || lane == 2 ? 4u : 0u);
    }
  }
}

TEST(EmulatorLines, Carries) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    bool old = chip.substr(0, 4) == "gfx9";
    std::string vcc = l.size == 64 ? "vcc" : "vcc_lo";
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(1)[lane] = 0xffffffff - (lane & 1), l.v(2)[lane] = 1, l.v(3)[lane] = 5, l.v(4)[lane] = 0xffffffff;
    ASSERT_TRUE(l.run("v_add_co_u32 v5, " + vcc + ", v1, v2\n" + (old ? "v_addc_co_u32 v6, " : "v_add_co_ci_u32 v6, ") +
                      vcc + ", v3, v4, " + vcc));
    for (unsigned lane = 0; lane < l.size; ++lane) {
      uint64_t sum = (uint64_t(5) << 32 | l.v(1)[lane]) + (0xffffffffull << 32 | 1);
      EXPECT_EQ(l.v(5)[lane], uint32_t(sum));
      EXPECT_EQ(l.v(6)[lane], uint32_t(sum >> 32));
    }
    EXPECT_EQ(l.wave.vcc(), l.wave.laneMask);
    bool gfx12 = chip == "gfx1201";
    std::string pair = l.size == 64 ? "s[8:9]" : "s8";
    l.fill(12, 5), l.fill(13, 0xffffffff);
    ASSERT_TRUE(
        l.run(std::string(gfx12 ? "v_mad_co_u64_u32" : "v_mad_u64_u32") + " v[10:11], " + pair + ", v1, v4, v[12:13]"));
    unsigned __int128 wide = (unsigned __int128)0xffffffffull * 0xffffffffull + (0xffffffffull << 32 | 5);
    EXPECT_EQ(uint64_t(l.v(11)[0]) << 32 | l.v(10)[0], uint64_t(wide));
    EXPECT_EQ(l.s(8) & 1, uint32_t(wide >> 64));
  }
}

TEST(EmulatorLines, CompareAndClass) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    const float values[] = {
        0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, num(QuietNan), num(1), num(0x80000001u), num(SignallingNan)};
    const int classes[] = {6, 5, 8, 3, 9, 2, 1, 7, 4, 0};
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(1)[lane] = bits(values[lane % 10]);
    std::string s = l.size == 64 ? "s[10:11]" : "s10";
    for (int k = 0; k < 10; ++k) {
      ASSERT_TRUE(l.run("v_cmp_class_f32 " + s + ", v1, " + std::to_string(1 << k > 64 ? 0 : 1 << k) +
                        (1 << k > 64 ? "\nv_mov_b32 v2, 0x" +
                                           [&] {
                                             char t[16];
                                             snprintf(t, 16, "%x", 1 << k);
                                             return std::string(t);
                                           }() +
                                           "\nv_cmp_class_f32 " + s + ", v1, v2"
                                     : "")));
      for (unsigned lane = 0; lane < l.size; ++lane)
        EXPECT_EQ(l.wave.mask(10) >> lane & 1, classes[lane % 10] == k ? 1u : 0u) << chip << " class " << k;
    }
    l.fill(2, bits(0.0f));
    const std::pair<const char *, std::function<bool(float, float)>> tests[] = {
        {"lt", [](float a, float b) { return a < b; }},
        {"eq", [](float a, float b) { return a == b; }},
        {"lg", [](float a, float b) { return a < b || a > b; }},
        {"u", [](float a, float b) { return std::isnan(a) || std::isnan(b); }},
        {"nge", [](float a, float b) { return !(a >= b); }},
        {"neq", [](float a, float b) { return !(a == b); }},
        {"nlt", [](float a, float b) { return !(a < b); }},
        {"o", [](float a, float b) { return !(std::isnan(a) || std::isnan(b)); }}};
    for (auto &[name, f] : tests) {
      l.setExec(l.wave.laneMask & ~2ull);
      ASSERT_TRUE(l.run(std::string("v_cmp_") + name + "_f32 " + s + ", v1, v2"));
      for (unsigned lane = 0; lane < l.size; ++lane)
        EXPECT_EQ(l.wave.mask(10) >> lane & 1, lane != 1 && f(values[lane % 10], 0) ? 1u : 0u)
            << chip << " " << name << " " << lane;
    }
    l.setExec(l.wave.laneMask);
    ASSERT_TRUE(l.run(std::string("v_cmpx_gt_f32 ") + (chip.substr(0, 4) == "gfx9" ? s + ", " : "") + "v1, v2"));
    for (unsigned lane = 0; lane < l.size; ++lane)
      EXPECT_EQ(l.wave.exec() >> lane & 1, values[lane % 10] > 0 ? 1u : 0u);
    if (chip.substr(0, 4) == "gfx9") {
      EXPECT_EQ(l.wave.mask(10), l.wave.exec());
    }
  }
}

TEST(EmulatorLines, DualIssueReadsBeforeItWrites) {
  for (const std::string &chip : gfx11up) {
    Lines l(chip, 32);
    l.fill(2, 22), l.fill(3, 33), l.fill(5, 55), l.fill(4, 44);
    // An exchange: each half reads what the other writes.
    ASSERT_TRUE(l.run("v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2")) << chip;
    EXPECT_EQ(l.v(2)[5], 33u);
    EXPECT_EQ(l.v(3)[5], 22u);
    l.fill(2, bits(2.0f)), l.fill(3, bits(3.0f)), l.fill(5, bits(5.0f));
    ASSERT_TRUE(l.run("v_dual_fmac_f32 v2, v3, v5 :: v_dual_mul_f32 v7, v2, v4")) << chip;
    EXPECT_EQ(num(l.v(2)[0]), 17.0f);
  }
}

TEST(EmulatorLines, DenormalModes) {
  // s_denorm_mode / s_setreg: bits 1:0 f32, 3:2 f16 and f64. 0 flushes in and out.
  for (const std::string &chip : allChips) {
    bool old = chip.substr(0, 4) == "gfx9";
    Lines l(chip);
    l.fill(1, 0x00000010), l.fill(2, 0x00800000), l.fill(3, 0x3f000000);
    std::string flushAll = old ? "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\n" : "s_denorm_mode 0\n";
    ASSERT_TRUE(l.run(flushAll + "v_add_f32 v4, v1, v2\nv_mul_f32 v5, v2, v3\nv_mov_b32 v6, v1"))
        << l.context.fault.message;
    EXPECT_EQ(l.v(4)[0], 0x00800000u);
    EXPECT_EQ(l.v(5)[0], 0u);
    EXPECT_EQ(l.v(6)[0], 0x10u);
    std::string keep = old ? "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15\n" : "s_denorm_mode 15\n";
    ASSERT_TRUE(l.run(keep + "v_add_f32 v4, v1, v2\nv_mul_f32 v5, v2, v3"));
    EXPECT_EQ(l.v(4)[0], 0x00800010u);
    EXPECT_EQ(l.v(5)[0], 0x00400000u);
  }
}

TEST(EmulatorLines, Dpp) {
  struct Control {
    std::vector<std::string> chips;
    const char *text;
    std::function<int(int)> from; ///< -1: out of range
  };
  const Control controls[] = {
      {allChips, "quad_perm:[3,0,1,2]", [](int l) { return (l & ~3) + (l + 3) % 4; }},
      {allChips, "row_shl:3", [](int l) { return l % 16 + 3 < 16 ? l + 3 : -1; }},
      {allChips, "row_shr:5", [](int l) { return l % 16 - 5 >= 0 ? l - 5 : -1; }},
      {allChips, "row_ror:7", [](int l) { return (l & ~15) + (l % 16 + 9) % 16; }},
      {allChips, "row_mirror", [](int l) { return (l & ~15) + 15 - l % 16; }},
      {allChips, "row_half_mirror", [](int l) { return (l & ~7) + 7 - l % 8; }},
      {gfx9, "row_bcast:15", [](int l) { return l >= 16 ? (l & ~15) - 1 : -1; }},
      {gfx9, "row_bcast:31", [](int l) { return l >= 32 ? 31 : -1; }},
      {gfx9, "wave_ror:1", [](int l) { return (l + 63) % 64; }},
      {gfx9, "wave_shl:1", [](int l) { return l < 63 ? l + 1 : -1; }},
      {gfx9, "row_newbcast:5", [](int l) { return (l & ~15) + 5; }},
      {gfx11up, "row_share:9", [](int l) { return (l & ~15) + 9; }},
      {gfx11up, "row_xmask:6", [](int l) { return l ^ 6; }},
  };
  for (const Control &k : controls)
    for (const std::string &chip : k.chips)
      for (bool zero : {false, true}) {
        Lines l(chip);
        l.setExec(l.wave.laneMask & ~(1ull << 6));
        for (unsigned lane = 0; lane < l.size; ++lane)
          l.v(1)[lane] = 100 + lane, l.v(0)[lane] = 7;
        ASSERT_TRUE(l.run(std::string("v_mov_b32_dpp v0, v1 ") + k.text + " row_mask:0xf bank_mask:0xf" +
                          (zero ? " bound_ctrl:1" : "")));
        for (unsigned lane = 0; lane < l.size; ++lane) {
          int from = k.from(int(lane));
          uint32_t expected = lane == 6 ? 7 : from >= 0 && from != 6 ? 100 + uint32_t(from) : zero ? 0 : 7;
          EXPECT_EQ(l.v(0)[lane], expected) << chip << " " << k.text << " lane " << lane;
        }
      }
  for (const std::string &chip : gfx11up) {
    Lines l(chip);
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(1)[lane] = lane;
    ASSERT_TRUE(l.run("v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]\n"
                      "v_add_f32_dpp v2, v1, v1 quad_perm:[0,0,0,0] row_mask:0x1 bank_mask:0x2"));
    for (unsigned lane = 0; lane < l.size; ++lane) {
      EXPECT_EQ(l.v(0)[lane], lane ^ 7);
      if (lane / 16 != 0 || lane % 16 / 4 != 1) {
        EXPECT_EQ(l.v(2)[lane], 0u) << lane;
      }
    }
  }
}

TEST(EmulatorLines, LanesReadEachOther) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(1)[lane] = 100 + lane, l.v(2)[lane] = 4 * ((lane * 7) % l.size);
    l.s(7) = 5;
    ASSERT_TRUE(l.run("v_readlane_b32 s8, v1, s7\nv_readfirstlane_b32 s9, v1\nv_writelane_b32 v3, s7, 9\n"
                      "ds_bpermute_b32 v4, v2, v1 offset:4\nds_permute_b32 v5, v2, v1\n"
                      "ds_swizzle_b32 v6, v1 offset:swizzle(QUAD_PERM,1,0,3,2)\n"
                      "ds_swizzle_b32 v7, v1 offset:swizzle(BITMASK_PERM,\"01p0i\")\n"
                      "ds_swizzle_b32 v8, v1 offset:swizzle(ROTATE,0,3)"))
        << l.context.fault.message;
    EXPECT_EQ(l.s(8), 105u);
    EXPECT_EQ(l.s(9), 100u);
    EXPECT_EQ(l.v(3)[9], 5u);
    EXPECT_EQ(l.v(3)[8], 0u);
    for (unsigned lane = 0; lane < l.size; ++lane) {
      EXPECT_EQ(l.v(4)[lane], 100 + (lane * 7 + 1) % l.size);
      EXPECT_EQ(l.v(5)[(lane * 7) % l.size], 100 + lane);
      EXPECT_EQ(l.v(6)[lane], 100 + (lane ^ 1));
      EXPECT_EQ(l.v(7)[lane], 100 + ((lane & 32) | 8 | (lane & 4) | (~lane & 1)));
    }
  }
  for (const std::string &chip : gfx11up)
    for (unsigned size : {32u, 64u}) {
      Lines l(chip, size);
      for (unsigned lane = 0; lane < size; ++lane)
        l.v(1)[lane] = 100 + lane;
      l.s(4) = 0x76543210, l.s(5) = 0x01234567;
      ASSERT_TRUE(l.run("v_permlane16_b32 v0, v1, s4, s5\nv_permlanex16_b32 v2, v1, s4, s5\nv_permlane64_b32 v3, v1"));
      for (unsigned lane = 0; lane < size; ++lane) {
        unsigned nibble = (0x0123456776543210ull >> (4 * (lane % 16))) & 15;
        EXPECT_EQ(l.v(0)[lane], 100 + (lane & ~15u) + nibble);
        EXPECT_EQ(l.v(2)[lane], 100 + ((lane & ~15u) ^ 16) + nibble);
        EXPECT_EQ(l.v(3)[lane], 100 + (size == 64 ? lane ^ 32 : lane));
      }
    }
  Lines l("gfx950");
  for (unsigned lane = 0; lane < 64; ++lane)
    l.v(0)[lane] = lane, l.v(1)[lane] = 100 + lane, l.v(2)[lane] = lane, l.v(3)[lane] = 100 + lane;
  ASSERT_TRUE(l.run("v_permlane32_swap_b32 v0, v1\nv_permlane16_swap_b32 v2, v3"));
  for (unsigned lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(l.v(0)[lane], lane < 32 ? lane : 100 + lane - 32);
    EXPECT_EQ(l.v(1)[lane], lane < 32 ? lane + 32 : 100 + lane);
    EXPECT_EQ(l.v(2)[lane], lane & 16 ? 100 + lane - 16 : lane);
    EXPECT_EQ(l.v(3)[lane], lane & 16 ? 100 + lane : lane + 16);
  }
}

TEST(EmulatorLines, Lds) {
  for (const std::string &chip : allChips) {
    bool old = chip.substr(0, 4) == "gfx9";
    auto name = [&](const char *a, const char *b) { return std::string(old ? a : b); };
    Lines l(chip);
    for (unsigned lane = 0; lane < l.size; ++lane) {
      l.v(1)[lane] = 16 * ((lane * 5) % l.size);
      for (unsigned d = 0; d < 4; ++d)
        l.v(4 + d)[lane] = lane * 1000 + d * 0x01010101;
    }
    for (auto &word : l.lds)
      word = 0;
    ASSERT_TRUE(l.run(name("ds_write_b128", "ds_store_b128") + " v1, v[4:7] offset:32\n" +
                      name("ds_read_b128", "ds_load_b128") + " v[8:11], v1 offset:32\n" +
                      name("ds_read2_b32", "ds_load_2addr_b32") + " v[12:13], v1 offset0:9 offset1:11\n" +
                      name("ds_read_u16", "ds_load_u16") + " v14, v1 offset:34\n" + name("ds_read_i8", "ds_load_i8") +
                      " v15, v1 offset:36\n" + name("ds_read_u16_d16_hi", "ds_load_u16_d16_hi") +
                      " v16, v1 offset:32\n" + name("ds_read2st64_b64", "ds_load_2addr_stride64_b64") +
                      " v[18:21], v1 offset0:0 offset1:1\n" + name("ds_write_b8", "ds_store_b8") +
                      " v1, v5 offset:47\n" + name("ds_read_b32", "ds_load_b32") + " v22, v1 offset:44"))
        << chip << l.context.fault.message;
    std::vector<uint32_t> before = l.lds;
    ASSERT_TRUE(
        l.run("ds_add_rtn_u32 v23, v1, v4 offset:32\n" + name("ds_read_b32", "ds_load_b32") + " v24, v1 offset:32"));
    for (unsigned lane = 0; lane < l.size; ++lane) {
      for (unsigned d = 0; d < 4; ++d)
        EXPECT_EQ(l.v(8 + d)[lane], l.v(4 + d)[lane]);
      EXPECT_EQ(l.v(12)[lane], l.v(5)[lane]);
      EXPECT_EQ(l.v(13)[lane], l.v(7)[lane]);
      EXPECT_EQ(l.v(14)[lane], l.v(4)[lane] >> 16);
      EXPECT_EQ(l.v(15)[lane], uint32_t(int32_t(int8_t(l.v(5)[lane]))));
      EXPECT_EQ(l.v(16)[lane], l.v(4)[lane] << 16);
      EXPECT_EQ(l.v(20)[lane], before[l.v(1)[lane] / 4 + 128]);
      EXPECT_EQ(l.v(22)[lane], (l.v(7)[lane] & 0xffffff) | l.v(5)[lane] << 24);
      EXPECT_EQ(l.v(23)[lane], l.v(4)[lane]);
      EXPECT_EQ(l.v(24)[lane], 2 * l.v(4)[lane]);
    }
    l.fill(1, 65536 - 2);
    EXPECT_FALSE(l.run(name("ds_read_b32", "ds_load_b32") + " v2, v1"));
    EXPECT_EQ(l.context.fault.kind, ErrorKind::Check);
  }
}

TEST(EmulatorLines, LdsAtomics) {
  for (const std::string &chip : allChips) {
    bool old = chip.substr(0, 4) == "gfx9", gfx12 = chip == "gfx1201";
    struct Atomic {
      std::string text;
      uint32_t memory, data, second, expected;
    };
    const Atomic atomics[] = {
        {"ds_add_u32 v1, v2", 5, 7, 0, 12},
        {"ds_sub_u32 v1, v2", 5, 7, 0, uint32_t(-2)},
        {"ds_min_i32 v1, v2", 5, uint32_t(-7), 0, uint32_t(-7)},
        {"ds_max_u32 v1, v2", 5, uint32_t(-7), 0, uint32_t(-7)},
        {"ds_and_b32 v1, v2", 12, 10, 0, 8},
        {"ds_or_b32 v1, v2", 12, 10, 0, 14},
        {"ds_xor_b32 v1, v2", 12, 10, 0, 6},
        {"ds_inc_u32 v1, v2", 5, 5, 0, 0},
        {"ds_dec_u32 v1, v2", 0, 9, 0, 9},
        {old ? "ds_cmpst_b32 v1, v2, v3" : "ds_cmpstore_b32 v1, v3, v2", 5, 5, 8, 8},
        {old ? "ds_cmpst_b32 v1, v2, v3" : "ds_cmpstore_b32 v1, v3, v2", 5, 6, 8, 5},
        {"ds_add_f32 v1, v2", bits(1.5f), bits(2.0f), 0, bits(3.5f)},
        {gfx12 ? "ds_max_num_f32 v1, v2" : "ds_max_f32 v1, v2", bits(1.5f), bits(-2.0f), 0, bits(1.5f)},
    };
    for (const Atomic &k : atomics) {
      Lines l(chip);
      l.setExec(1);
      l.lds[3] = k.memory;
      l.fill(1, 12), l.fill(2, k.data), l.fill(3, k.second);
      ASSERT_TRUE(l.run(k.text)) << k.text;
      EXPECT_EQ(l.lds[3], k.expected) << chip << " " << k.text;
    }
  }
}

TEST(EmulatorLines, TransposingReads) {
  Lines l("gfx950");
  for (unsigned i = 0; i < 64 * 8; ++i)
    reinterpret_cast<uint8_t *>(l.lds.data())[i] = uint8_t(i * 7 + i / 256);
  for (unsigned lane = 0; lane < 64; ++lane)
    l.v(1)[lane] = lane * 8;
  ASSERT_TRUE(l.run("ds_read_b64_tr_b16 v[2:3], v1\nds_read_b64_tr_b8 v[4:5], v1"));
  const uint16_t *halves = reinterpret_cast<const uint16_t *>(l.lds.data());
  const uint8_t *bytes = reinterpret_cast<const uint8_t *>(l.lds.data());
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned n = 0; n < 4; ++n)
      EXPECT_EQ(l.v(2 + n / 2)[lane] >> (16 * (n % 2)) & 0xffff,
                halves[((lane & ~15u) + (lane >> 2 & 3) + 4 * n) * 4 + (lane & 3)]);
    for (unsigned n = 0; n < 8; ++n)
      EXPECT_EQ(l.v(4 + n / 4)[lane] >> (8 * (n % 4)) & 0xff,
                bytes[((lane & ~15u) + (lane >> 3 & 1) + 2 * n) * 8 + (lane & 7)]);
  }
}

TEST(EmulatorLines, BuffersKnowTheirEnd) {
  for (const std::string &chip : allChips) {
    bool old = chip.substr(0, 4) == "gfx9";
    auto name = [&](const char *a, const char *b) { return std::string(old ? a : b); };
    std::string none = chip == "gfx1201" ? "null" : "0";
    Lines l(chip);
    std::vector<uint32_t> data(256);
    for (unsigned i = 0; i < data.size(); ++i)
      data[i] = 1000 + i;
    uint64_t address = *l.memory.wrap(data.data(), data.size() * 4);
    l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32), l.s(10) = 400,
    l.s(11) = old ? 0x00027000 : 0x31004000;
    l.s(12) = 16;
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(1)[lane] = lane * 8, l.v(6)[lane] = 5;
    l.fill(2, 77), l.fill(3, 77), l.fill(4, 77), l.fill(5, 77);
    ASSERT_TRUE(l.run(name("buffer_load_dwordx4", "buffer_load_b128") + " v[2:5], v1, s[8:11], s12 offen offset:32\n" +
                      name("buffer_load_ushort", "buffer_load_u16") + " v7, v1, s[8:11], " + none +
                      " offen offset:2\n" + name("buffer_store_dword", "buffer_store_b32") + " v6, v1, s[8:11], " +
                      none + " offen offset:200"))
        << l.context.fault.message;
    for (unsigned lane = 0; lane < l.size; ++lane) {
      unsigned at = lane * 8 + 48;
      for (unsigned d = 0; d < 4; ++d) {
        bool inside = old ? at + 4 * d + 4 <= 400 : at + 16 <= 400;
        EXPECT_EQ(l.v(2 + d)[lane], inside ? 1000 + at / 4 + d : 0) << chip << " lane " << lane << " dword " << d;
      }
      EXPECT_EQ(l.v(7)[lane], 0u);
    }
    for (unsigned i = 0; i < 256; ++i)
      EXPECT_EQ(data[i], i >= 50 && i < 100 && i % 2 == 0 && (i - 50) / 2 < l.size ? 5 : 1000 + i) << chip << " " << i;
    // Within the descriptor but outside of live memory: an error, not a zero.
    l.s(10) = 0x10000;
    l.fill(1, 2000);
    EXPECT_FALSE(l.run(name("buffer_load_dword", "buffer_load_b32") + " v2, v1, s[8:11], " + none + " offen"));
    EXPECT_EQ(l.context.fault.kind, ErrorKind::Check);
  }
}

TEST(EmulatorLines, LoadsToLds) {
  for (const std::string &chip : gfx9) {
    Lines l(chip);
    std::vector<uint32_t> data(512);
    for (unsigned i = 0; i < data.size(); ++i)
      data[i] = 1000 + i;
    uint64_t address = *l.memory.wrap(data.data(), data.size() * 4);
    l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32), l.s(10) = 200, l.s(11) = 0x00027000;
    l.s(4) = uint32_t(address), l.s(5) = uint32_t(address >> 32);
    for (unsigned lane = 0; lane < 64; ++lane)
      l.v(1)[lane] = lane * 4;
    for (auto &w : l.lds)
      w = 9;
    bool wide = chip == "gfx950";
    ASSERT_TRUE(l.run("s_mov_b32 m0, 0x100\nbuffer_load_dword v1, s[8:11], 0 offen offset:8 lds\n"
                      "s_mov_b32 m0, 0x400\nglobal_load_lds_dword v1, s[4:5] offset:16\n" +
                      std::string(wide ? "s_mov_b32 m0, 0x800\nglobal_load_lds_dwordx4 v1, s[4:5]" : "")))
        << l.context.fault.message;
    for (unsigned lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(l.lds[(0x100 + 8) / 4 + lane], lane * 4 + 12 <= 200 ? 1000 + lane + 2 : 0) << lane;
      EXPECT_EQ(l.lds[(0x400 + 16) / 4 + lane], 1000 + lane + 4);
      for (unsigned d = 0; wide && d < 4; ++d)
        EXPECT_EQ(l.lds[0x800 / 4 + lane * 4 + d], 1000 + lane + d);
    }
    EXPECT_EQ(l.lds[0x100 / 4 + 1], 9u);
  }
}

TEST(EmulatorLines, ScratchAndFlat) {
  for (const std::string &chip : allChips) {
    bool old = chip.substr(0, 4) == "gfx9";
    auto name = [&](const char *a, const char *b) { return std::string(old ? a : b); };
    Lines l(chip);
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(2)[lane] = lane + 10, l.v(3)[lane] = lane + 20, l.v(1)[lane] = 8 + 4 * (lane % 3), l.v(20)[lane] = 16,
      l.v(21)[lane] = Context::PrivateAperture, l.v(22)[lane] = lane * 8, l.v(23)[lane] = Context::SharedAperture;
    l.s(4) = 12;
    ASSERT_TRUE(l.run(name("scratch_store_dwordx2", "scratch_store_b64") + " off, v[2:3], s4 offset:4\n" +
                      name("scratch_load_dword", "scratch_load_b32") + " v5, v1, off offset:8\n" +
                      name("flat_load_dwordx2", "flat_load_b64") + " v[6:7], v[20:21]\n" +
                      name("flat_store_dwordx2", "flat_store_b64") + " v[22:23], v[2:3]\n" +
                      name("scratch_load_ushort", "scratch_load_u16") + " v8, off, s4 offset:6\n" +
                      name("scratch_load_dword", "scratch_load_b32") + " v9, off, s4 offset:6"))
        << chip << l.context.fault.message;
    for (unsigned lane = 0; lane < l.size; ++lane) {
      unsigned at = 16 + 4 * (lane % 3);
      EXPECT_EQ(l.v(5)[lane], at == 16 ? lane + 10 : at == 20 ? lane + 20 : 0);
      EXPECT_EQ(l.v(6)[lane], lane + 10);
      EXPECT_EQ(l.v(7)[lane], lane + 20);
      EXPECT_EQ(l.lds[lane * 2 + 1], lane + 20);
      EXPECT_EQ(l.v(8)[lane], 0u);
      EXPECT_EQ(l.v(9)[lane], (lane + 20) << 16);
    }
    EXPECT_FALSE(l.run(name("scratch_load_dword", "scratch_load_b32") + " v9, off, s4 offset:1000"));
    EXPECT_EQ(l.context.fault.kind, ErrorKind::Check);
  }
}

TEST(EmulatorLines, Scalar) {
  struct Case {
    std::vector<std::string> chips;
    const char *text;
    uint64_t a, b, expected;
    int scc;
    bool wide;
  };
  const Case cases[] = {
      {{"gfx942", "gfx1100"}, "s_add_u32 s0, s4, s6", 0xffffffff, 2, 1, 1, false},
      {{"gfx1201"}, "s_add_co_u32 s0, s4, s6", 0xffffffff, 2, 1, 1, false},
      {{"gfx942", "gfx1100"}, "s_add_i32 s0, s4, s6", 0x7fffffff, 1, 0x80000000, 1, false},
      {{"gfx942", "gfx1100"}, "s_sub_u32 s0, s4, s6", 1, 2, 0xffffffff, 1, false},
      {{"gfx942"},
       "s_andn2_b64 s[0:1], s[4:5], s[6:7]",
       0xff00ff00ff00ff00,
       0xffff0000ffff0000,
       0x0000ff000000ff00,
       1,
       true},
      {gfx11up, "s_and_not1_b64 s[0:1], s[4:5], s[6:7]", 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0x0000ff000000ff00, 1,
       true},
      {allChips, "s_lshr_b64 s[0:1], s[4:5], s6", 0x8000000000000000, 63, 1, 1, true},
      {allChips, "s_ashr_i64 s[0:1], s[4:5], s6", 0x8000000000000000, 62, 0xfffffffffffffffe, 1, true},
      {allChips, "s_bfe_u32 s0, s4, s6", 0xabcd1234, 0x000c0008, 0xd12, 1, false},
      {allChips, "s_bfe_i64 s[0:1], s[4:5], s6", 0xabcd123400000000, 0x000c0028, 0xfffffffffffffd12, 1, true},
      {allChips, "s_bfm_b32 s0, s4, s6", 5, 3, 0xf8, 2, false},
      {allChips, "s_mul_hi_u32 s0, s4, s6", 0xffffffff, 0xffffffff, 0xfffffffe, 2, false},
      {allChips, "s_absdiff_i32 s0, s4, s6", 3, uint32_t(-4), 7, 1, false},
      {allChips, "s_min_i32 s0, s4, s6", 3, uint32_t(-4), uint32_t(-4), 0, false},
      {allChips, "s_max_u32 s0, s4, s6", 3, uint32_t(-4), uint32_t(-4), 0, false},
      {allChips, "s_bcnt1_i32_b64 s0, s[4:5]", 0xff000000000000ff, 0, 16, 1, false},
      {{"gfx942"}, "s_ff1_i32_b64 s0, s[4:5]", 0x100000000, 0, 32, 2, false},
      {{"gfx942"}, "s_flbit_i32_b32 s0, s4", 0, 0, 0xffffffff, 2, false},
      {gfx11up, "s_ctz_i32_b32 s0, s4", 0x80, 0, 7, 2, false},
      {gfx11up, "s_clz_i32_u32 s0, s4", 0x80, 0, 24, 2, false},
      {allChips, "s_pack_lh_b32_b16 s0, s4, s6", 0x11112222, 0x33334444, 0x33332222, 2, false},
      {allChips, "s_lshl2_add_u32 s0, s4, s6", 0x40000001, 3, 7, 1, false},
      {allChips, "s_sext_i32_i8 s0, s4", 0x80, 0, 0xffffff80, 2, false},
      {allChips, "s_movk_i32 s0, 0x8000", 0, 0, 0xffff8000, 2, false},
      {allChips, "s_mulk_i32 s0, 0xfffe", 0, 0, uint32_t(-2 * 77), 2, false},
      {{"gfx942", "gfx1100"}, "s_addk_i32 s0, 0xffff", 0, 0, 76, 0, false},
      {{"gfx1201"}, "s_addk_co_i32 s0, 0xffff", 0, 0, 76, 0, false},
      {allChips, "s_cmp_lt_i32 s4, s6\ns_cselect_b32 s0, s6, 5", uint32_t(-1), 1, 1, 1, false},
      {{"gfx942", "gfx1100"}, "s_cmpk_gt_u32 s4, 0xfffe\ns_cselect_b32 s0, 1, 2", 0xffff, 0, 1, 1, false},
      {allChips, "s_mov_b64 s[0:1], 0x80000000", 0, 0, 0x80000000, 2, true},
      {allChips, "s_mov_b64 s[0:1], -1", 0, 0, ~0ull, 2, true},
      {allChips, "s_bitset1_b32 s0, s4", 8, 0, 77 | 256, 2, false},
      {allChips, "s_brev_b32 s0, s4", 1, 0, 0x80000000, 2, false},
      {{"gfx1151", "gfx1201"}, "s_mul_f32 s0, s4, s6", 0x40000000, 0x40400000, 0x40c00000, 2, false},
      {{"gfx1151", "gfx1201"}, "s_cvt_i32_f32 s0, s4", 0xc0700000, 0, uint32_t(-3), 2, false},
      {{"gfx1201"},
       "s_mul_u64 s[0:1], s[4:5], s[6:7]",
       0x123456789,
       0x100000001,
       0x123456789ull * 0x100000001ull,
       2,
       true},
      {{"gfx1201"}, "s_add_nc_u64 s[0:1], s[4:5], s[6:7]", 0xffffffff, 1, 0x100000000, 2, true},
  };
  for (const Case &k : cases)
    for (const std::string &chip : k.chips) {
      Lines l(chip);
      l.s(0) = 77;
      l.wave.setPair(4, k.a), l.wave.setPair(6, k.b);
      ASSERT_TRUE(l.run(k.text)) << chip << ": " << k.text << l.context.fault.message;
      EXPECT_EQ(k.wide ? l.wave.pair(0) : l.s(0), k.expected) << chip << ": " << k.text;
      if (k.scc != 2) {
        EXPECT_EQ(l.wave.scc, uint32_t(k.scc)) << chip << ": " << k.text;
      }
    }
}

TEST(EmulatorLines, ExecMasks) {
  for (const std::string &chip : gfx9) {
    Lines l(chip);
    l.wave.setPair(4, 0xff00), l.setExec(0x0ff0);
    ASSERT_TRUE(
        l.run("s_and_saveexec_b64 s[0:1], s[4:5]\ns_mov_b64 s[2:3], exec\ns_andn2_saveexec_b64 s[6:7], s[4:5]"));
    EXPECT_EQ(l.wave.pair(0), 0x0ff0u);
    EXPECT_EQ(l.wave.pair(2), 0x0f00u);
    EXPECT_EQ(l.wave.exec(), 0xf000u);
  }
  for (const std::string &chip : gfx11up) {
    Lines l(chip, 32);
    l.s(4) = 0xff00, l.setExec(0x0ff0);
    ASSERT_TRUE(l.run("s_and_not0_saveexec_b32 s0, s4\ns_mov_b32 s1, exec_lo\ns_or_saveexec_b32 s2, s4\ns_xor_b32 s3, "
                      "exec_lo, exec_hi"));
    EXPECT_EQ(l.s(0), 0x0ff0u);
    EXPECT_EQ(l.s(1), 0x00f0u);
    EXPECT_EQ(l.s(3), 0xfff0u);
  }
}

TEST(EmulatorLines, PackedF32) {
  for (const std::string &chip : gfx9) {
    Lines l(chip);
    l.fill(2, bits(2.0f)), l.fill(3, bits(3.0f)), l.fill(4, bits(4.0f)), l.fill(5, bits(5.0f)), l.fill(6, bits(6.0f)),
        l.fill(7, bits(7.0f));
    l.s(4) = bits(10.0f), l.s(5) = bits(20.0f);
    ASSERT_TRUE(l.run(
        "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]\nv_pk_mul_f32 v[10:11], v[2:3], s[4:5] op_sel:[1,0] "
        "op_sel_hi:[0,1] neg_lo:[1,0]\n"
        "v_pk_add_f32 v[12:13], v[2:3], 1.0 op_sel_hi:[1,0]\nv_pk_mov_b32 v[14:15], v[2:3], v[4:5] op_sel:[1,0]"));
    EXPECT_EQ(num(l.v(0)[3]), 14.0f);
    EXPECT_EQ(num(l.v(1)[3]), 22.0f);
    EXPECT_EQ(num(l.v(10)[3]), -30.0f);
    EXPECT_EQ(num(l.v(11)[3]), 40.0f);
    EXPECT_EQ(num(l.v(12)[3]), 3.0f);
    EXPECT_EQ(num(l.v(13)[3]), 4.0f);
    EXPECT_EQ(num(l.v(14)[3]), 3.0f);
    EXPECT_EQ(num(l.v(15)[3]), 4.0f);
  }
}

TEST(EmulatorLines, HalfFusedMultiplyAddRoundsOnce) {
  Lines l("gfx942");
  std::mt19937 g(3);
  for (int round = 0; round < 200; ++round) {
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 1; r <= 3; ++r)
        l.v(r)[lane] = g() & 0xbfff;
    ASSERT_TRUE(round || l.run("v_fma_f16 v0, v1, v2, v3"));
    l.wave.pc = 0, l.wave.state = WaveState::Running;
    semanticsLevel().run(l.context, l.wave, 10);
    for (unsigned lane = 0; lane < 64; ++lane) {
      // 113 bits hold every product and sum of halves exactly.
      __float128 exact = __float128(unhalf(l.v(1)[lane])) * unhalf(l.v(2)[lane]) + unhalf(l.v(3)[lane]);
      ASSERT_EQ(
          l.v(0)[lane] & 0xffff, half(0) | [&] {
            double d = double(exact); // exact to 53 bits; halves need 11: nudge to odd when inexact
            if (__float128(d) != exact) {
              uint64_t b = std::bit_cast<uint64_t>(d);
              if (!(b & 1))
                d = std::bit_cast<double>((exact > __float128(d)) == (d > 0) ? b + 1 : b - 1);
            }
            return uint32_t(std::bit_cast<uint16_t>(_Float16(d)));
          }());
    }
  }
}

TEST(EmulatorLines, UnknownInstructionIsNamed) {
  Lines l("gfx1100");
  EXPECT_FALSE(l.run("v_add_nc_u32 v0, 1, v0\nimage_load v[0:3], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"));
  EXPECT_NE(l.context.fault.message.find("not emulated"), std::string::npos);
  ASSERT_NE(l.context.fault.op, nullptr);
  EXPECT_EQ(l.context.fault.op->instruction->name, "image_load");
}

TEST(EmulatorLines, RegisterUsesAreKept) {
  Lines l("gfx942");
  ASSERT_TRUE(l.run("v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]\ns_add_u32 s0, s4, s6"));
  auto uses = [&](unsigned i) {
    return std::vector<RegisterUse>(l.code->uses.begin() + l.code->useStart[i],
                                    l.code->uses.begin() + l.code->useStart[i + 1]);
  };
  auto fma = uses(0);
  ASSERT_EQ(fma.size(), 4u);
  EXPECT_EQ(fma[1].first, 4u);
  EXPECT_EQ(fma[1].count, 2u);
  EXPECT_TRUE(fma[3].write);
  auto add = uses(1);
  EXPECT_EQ(add.back().bank, RegisterUse::Bank::Scc);
  EXPECT_TRUE(add.back().write);
}

} // namespace
