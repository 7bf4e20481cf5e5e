// Instructions that few compilers emit: byte sums, relative moves, modes and hardware registers, divergence of gfx9.
#include "assemble.h"

#include <cmath>
#include <random>

using namespace asmtest;

namespace {

const std::vector<std::string> allChips = {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};
const std::vector<std::string> gfx9 = {"gfx942", "gfx950"}, gfx11 = {"gfx1100", "gfx1151"},
                               gfx11up = {"gfx1100", "gfx1151", "gfx1201"};

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float num(uint32_t x) { return std::bit_cast<float>(x); }
uint16_t half(float x) { return std::bit_cast<uint16_t>(_Float16(x)); }

struct Case {
  std::vector<std::string> chips;
  const char *text;
  uint32_t a, b, c, expected;
};

TEST(EmulatorMore, OneResult) {
  const Case cases[] = {
      // Masked sums: bytes where the reference is 0 do not count.
      {allChips, "v_msad_u8 v0, v1, v2, v3", 0x01ff0010, 0x0200ff20, 5, 5 + 1 + 255 + 16},
      {allChips, "v_msad_u8 v0, v1, v2, v3 clamp", 0xff000000, 0x01000000, 0xfffffff0, 0xffffffff},
      {allChips, "v_lerp_u8 v0, v1, v2, v3", 0x01ff0a03, 0x02ff0b04, 0x00000100, 0x01ff0b03},
      {gfx9, "v_cvt_pkaccum_u8_f32 v0, v1, v2", bits(99.6f), 2, 0, 0xde64beef},
      {{"gfx950"}, "v_ashr_pk_i8_i32 v0, v1, v2, v3", uint32_t(-5000), 40, 4, 0xdead0280},
      {{"gfx950"}, "v_ashr_pk_u8_i32 v0, v1, v2, v3 op_sel:[0,0,0,1]", uint32_t(-5000), 5000, 4, 0xff00beef},
      {gfx9, "v_mul_i32_i24_e64 v0, v1, v2 clamp", 0x007fffff, 0x007fffff, 0, 0x7fffffff},
      {gfx9, "v_mul_u32_u24_e64 v0, v1, v2 clamp", 0x00ffffff, 0x00ffffff, 0, 0xffffffff},
      {allChips, "v_cvt_i32_f32_e64 v0, v1 clamp", bits(-2.9f), 0, 0, uint32_t(-2)},
      {allChips, "v_pk_mul_lo_u16 v0, v1, v2 clamp", 0x0002ffff, 0x00030002, 0, 0x0006ffff},
      {gfx9, "v_pk_fmac_f16 v0, v1, v2", uint32_t(half(2.0f)) << 16 | half(1.0f),
       uint32_t(half(3.0f)) << 16 | half(0.5f), 0, 0},
      // The face of a cube map: 2 * z, y, x by the largest.
      {allChips, "v_cubeid_f32 v0, v1, v2, v3", bits(1.0f), bits(2.0f), bits(-3.0f), bits(5.0f)},
      {allChips, "v_cubeid_f32 v0, v1, v2, v3", bits(-4.0f), bits(2.0f), bits(-3.0f), bits(1.0f)},
      {allChips, "v_cubesc_f32 v0, v1, v2, v3", bits(1.0f), bits(2.0f), bits(-3.0f), bits(-1.0f)},
      {allChips, "v_cubesc_f32 v0, v1, v2, v3", bits(4.0f), bits(2.0f), bits(-3.0f), bits(3.0f)},
      {allChips, "v_cubetc_f32 v0, v1, v2, v3", bits(1.0f), bits(4.0f), bits(-3.0f), bits(-3.0f)},
      {allChips, "v_cubetc_f32 v0, v1, v2, v3", bits(1.0f), bits(-4.0f), bits(-3.0f), bits(3.0f)},
      {allChips, "v_cubema_f32 v0, v1, v2, v3", bits(1.0f), bits(-4.0f), bits(-3.0f), bits(-8.0f)},
      {gfx11up, "v_mullit_f32 v0, v1, v2, v3", bits(3.0f), bits(2.0f), bits(1.0f), bits(6.0f)},
      {gfx11up, "v_mullit_f32 v0, v1, v2, v3", bits(3.0f), bits(2.0f), bits(0.0f), 0xff7fffff},
      {gfx11up, "v_mullit_f32 v0, v1, v2, v3", bits(0.0f), 0x7f800000, bits(1.0f), 0},
      {{"gfx942"}, "v_mad_f16 v0, v1, v2, v3", half(2.0f), half(3.0f), half(1.0f), 0xdead0000 | half(7.0f)},
      {gfx9, "v_madak_f16 v0, v1, v2, 0x3c00", half(2.0f), half(3.0f), 0, half(7.0f)},
      {gfx9, "v_madmk_f16 v0, v1, 0x4000, v3", half(2.0f), 0, half(1.0f), half(5.0f)},
      {{"gfx1201"},
       "v_mov_b32 v0, 0x7fc00000\nv_readfirstlane_b32 s8, v1\ns_nop 4\nv_s_rcp_f32 s9, s8 clamp\nv_mov_b32 v0, s9",
       bits(0.25f),
       0,
       0,
       bits(1.0f)},
      {{"gfx1201"},
       "v_readfirstlane_b32 s8, v1\ns_nop 4\nv_s_sqrt_f32 s9, s8 mul:2\nv_mov_b32 v0, s9",
       bits(9.0f),
       0,
       0,
       bits(6.0f)},
      {allChips, "v_nop", 0, 0, 0, 0xdeadbeef},
  };
  for (const Case &k : cases)
    for (const std::string &chip : k.chips) {
      Lines l(chip);
      l.fill(0, k.text == std::string("v_pk_fmac_f16 v0, v1, v2") ? 0xc600b800 : 0xdeadbeef);
      l.fill(1, k.a), l.fill(2, k.b), l.fill(3, k.c);
      ASSERT_TRUE(l.run(k.text)) << chip << ": " << k.text << ": " << l.context.fault.message;
      EXPECT_EQ(l.v(0)[0], k.expected) << chip << ": " << k.text << std::hex << " gives 0x" << l.v(0)[0];
    }
}

TEST(EmulatorMore, SlidingSums) {
  std::mt19937_64 g(1);
  for (const std::string &chip : allChips) {
    Lines l(chip);
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 1; r < 16; ++r)
        l.v(r)[lane] = uint32_t(g()) & (r == 3 && lane < 20 ? 0xff00ff00u : ~0u);
    ASSERT_TRUE(
        l.run("v_qsad_pk_u16_u8 v[20:21], v[4:5], v3, v[6:7]\nv_mqsad_pk_u16_u8 v[22:23], v[4:5], v3, v[6:7] clamp\n"
              "v_mqsad_u32_u8 v[24:27], v[4:5], v3, v[8:11]"))
        << l.context.fault.message;
    for (unsigned lane = 0; lane < l.size; ++lane) {
      uint8_t window[8];
      std::memcpy(window, &l.v(4)[lane], 4), std::memcpy(window + 4, &l.v(5)[lane], 4);
      for (unsigned i = 0; i < 4; ++i) {
        unsigned plain = 0, masked = 0;
        for (unsigned b = 0; b < 4; ++b) {
          int reference = l.v(3)[lane] >> (8 * b) & 255, difference = std::abs(int(window[i + b]) - reference);
          plain += unsigned(difference), masked += reference ? unsigned(difference) : 0;
        }
        unsigned addend = l.v(6 + i / 2)[lane] >> (16 * (i % 2)) & 0xffff;
        EXPECT_EQ(l.v(20 + i / 2)[lane] >> (16 * (i % 2)) & 0xffff, (plain + addend) & 0xffff) << chip;
        EXPECT_EQ(l.v(22 + i / 2)[lane] >> (16 * (i % 2)) & 0xffff, std::min(masked + addend, 0xffffu)) << chip;
        EXPECT_EQ(l.v(24 + i)[lane], masked + l.v(8 + i)[lane]) << chip;
      }
    }
  }
}

TEST(EmulatorMore, BitsOfTwoOverPi) {
  // The first two segments are the double nearest below 2 / pi and what is left of it; beyond 2^54 the exponent moves
  // on.
  struct Segment {
    double x;
    unsigned select;
    uint64_t expected;
  };
  const Segment segments[] = {{1.0, 0, 0x3fe45f306dc9c882},
                              {1.0, 1, 0x3c94a7f09d5f47d4},
                              {-3.5, 2, 0x394a6ee06db14acc},
                              {0x1p100, 1, 0x39b534ddc0db6295}};
  for (const std::string &chip : allChips)
    for (const Segment &k : segments) {
      Lines l(chip);
      uint64_t x = std::bit_cast<uint64_t>(k.x);
      l.fill(2, uint32_t(x)), l.fill(3, uint32_t(x >> 32)), l.fill(4, k.select);
      ASSERT_TRUE(l.run("v_trig_preop_f64 v[0:1], v[2:3], v4"));
      EXPECT_EQ(uint64_t(l.v(1)[0]) << 32 | l.v(0)[0], k.expected) << chip << " " << k.x << " " << k.select;
    }
}

TEST(EmulatorMore, WideMultiplyAddClamps) {
  for (const std::string &chip : allChips) {
    bool gfx12 = chip == "gfx1201";
    Lines l(chip);
    std::string carry = l.size == 64 ? "s[8:9]" : "s8", name = gfx12 ? "v_mad_co_" : "v_mad_";
    l.fill(1, 0x7fffffff), l.fill(2, 0x80000000), l.fill(4, 0), l.fill(5, 0x80000000);
    ASSERT_TRUE(l.run(name + "i64_i32 v[10:11], " + carry + ", v1, v2, v[4:5] clamp"));
    EXPECT_EQ(l.v(10)[0], 0u) << chip; // below the least
    EXPECT_EQ(l.v(11)[0], 0x80000000u) << chip;
    l.fill(1, 0xffffffff), l.fill(4, 0xffffffff), l.fill(5, 0xffffffff);
    ASSERT_TRUE(l.run(name + "u64_u32 v[10:11], " + carry + ", v1, v1, v[4:5] clamp"));
    EXPECT_EQ(l.v(10)[0], 0xffffffffu) << chip;
    EXPECT_EQ(l.v(11)[0], 0xffffffffu) << chip;
  }
}

TEST(EmulatorMore, RelativeMoves) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    for (unsigned i = 0; i < 40; ++i)
      l.s(i) = 1000 + i;
    l.wave.sgpr[codeobject::scalar::M0] = 3;
    ASSERT_TRUE(l.run("s_movrels_b32 s0, s10\ns_movreld_b32 s1, s11\ns_movrels_b64 s[20:21], s[30:31]\n"
                      "s_movreld_b64 s[22:23], s[6:7]"))
        << l.context.fault.message;
    EXPECT_EQ(l.s(0), 1013u);
    EXPECT_EQ(l.s(4), 1011u);
    EXPECT_EQ(l.wave.pair(20), 1034ull << 32 | 1033);
    EXPECT_EQ(l.wave.pair(25), 1007ull << 32 | 1006);
    l.wave.sgpr[codeobject::scalar::M0] = 200;
    EXPECT_FALSE(l.run("s_movrels_b32 s0, s10"));
    EXPECT_NE(l.context.fault.message.find("M0"), std::string::npos);
  }
  for (const std::string &chip : gfx11up) {
    Lines l(chip);
    for (unsigned i = 0; i < 40; ++i)
      l.fill(i, 1000 + i), l.s(i) = 2000 + i;
    l.wave.sgpr[codeobject::scalar::M0] = 5u << 16 | 3;
    ASSERT_TRUE(l.run("v_movrelsd_2_b32 v0, v10\ns_movrelsd_2_b32 s0, s10\nv_swaprel_b32 v20, v30"))
        << l.context.fault.message;
    EXPECT_EQ(l.v(5)[1], 1013u);
    EXPECT_EQ(l.s(5), 2013u);
    EXPECT_EQ(l.v(25)[1], 1033u);
    EXPECT_EQ(l.v(33)[1], 1025u);
    l.wave.sgpr[codeobject::scalar::M0] = 2;
    ASSERT_TRUE(l.run("v_movreld_b32 v0, v10\nv_movrels_b32 v1, v11\nv_movrelsd_b32 v6, v12"));
    EXPECT_EQ(l.v(2)[0], 1010u);
    EXPECT_EQ(l.v(1)[0], 1013u);
    EXPECT_EQ(l.v(8)[0], 1014u);
    l.wave.sgpr[codeobject::scalar::M0] = 5000;
    EXPECT_FALSE(l.run("v_movrels_b32 v1, v11"));
  }
}

TEST(EmulatorMore, HardwareRegisters) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    bool old = chip.starts_with("gfx9");
    uint32_t before = l.wave.mode;
    l.s(4) = 2;
    // Fields of MODE; registers that a kernel may not write keep what they are.
    ASSERT_TRUE(l.run("s_getreg_b32 s0, hwreg(HW_REG_MODE)\ns_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s4\n"
                      "s_getreg_b32 s1, hwreg(HW_REG_MODE, 0, 8)\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n"
                      "s_getreg_b32 s2, hwreg(HW_REG_STATUS)\ns_cmp_eq_u32 s4, s4\n"
                      "s_getreg_b32 s3, hwreg(HW_REG_LDS_ALLOC, 12, 9)"))
        << l.context.fault.message;
    EXPECT_EQ(l.s(0), before);
    EXPECT_EQ(l.s(1), (before & 0xf3) | 8);
    EXPECT_EQ(l.s(2) >> 9 & 1, 0u);  // EXECZ
    EXPECT_EQ(l.s(2) >> 10 & 1, 1u); // VCCZ
    EXPECT_EQ(l.s(3), 65536u / 512);
    std::string cycles = chip == "gfx1201" ? "hwreg(HW_REG_SHADER_CYCLES_LO)" : "hwreg(HW_REG_SHADER_CYCLES)";
    ASSERT_TRUE(l.run(old ? "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 7\ns_getreg_b32 s2, hwreg(HW_REG_TRAPSTS)"
                          : "s_getreg_b32 s2, " + cycles + "\ns_getreg_b32 s3, " + cycles));
    if (old)
      EXPECT_EQ(l.s(2), 0u);
    else
      EXPECT_GT(l.s(3), l.s(2));
    EXPECT_FALSE(l.run("s_getreg_b32 s0, hwreg(60)"));
    EXPECT_NE(l.context.fault.message.find("hardware register 60"), std::string::npos);
    EXPECT_FALSE(l.run("s_setreg_b32 hwreg(60), s0"));
    EXPECT_NE(l.context.fault.message.find("hardware register 60"), std::string::npos);
    EXPECT_FALSE(l.run("s_sethalt 1"));
    EXPECT_NE(l.context.fault.message.find("halts itself"), std::string::npos);
    EXPECT_FALSE(l.run("s_sendmsghalt 1"));
    ASSERT_TRUE(l.run("s_sethalt 0\ns_sendmsg 1"));
  }
  for (const std::string &chip : gfx11up) {
    Lines l(chip);
    l.s(0) = 7;
    ASSERT_TRUE(l.run(
        "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_TBA)\ns_sendmsg_rtn_b64 s[2:3], sendmsg(MSG_RTN_GET_REALTIME)"));
    EXPECT_EQ(l.s(0), 0u);
    EXPECT_GT(l.wave.pair(2), 0u);
    EXPECT_FALSE(l.run("s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_SAVE_WAVE)"));
  }
}

TEST(EmulatorMore, ForksRunTheSmallerSideFirst) {
  for (const std::string &chip : gfx9) {
    Lines l(chip);
    l.fill(0, 0), l.fill(1, 0);
    l.wave.setPair(20, 0xff); // eight lanes take the branch
    // v0: the order in which a lane's side ran; both sides meet at the join.
    std::string text = "s_mov_b32 s30, 1\ns_cbranch_i_fork s[20:21], taken\nv_mov_b32 v0, s30\nv_mov_b32 v1, 10\n"
                       "s_branch meet\ntaken:\nv_mov_b32 v0, s30\nv_mov_b32 v1, 20\nmeet:\ns_add_u32 s30, s30, 1\n"
                       "s_cbranch_join s31\nv_mov_b32 v2, 5";
    l.s(31) = 0;
    ASSERT_TRUE(l.run(text)) << l.context.fault.message;
    for (unsigned lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(l.v(0)[lane], lane < 8 ? 1u : 2u);
      EXPECT_EQ(l.v(1)[lane], lane < 8 ? 20u : 10u);
      EXPECT_EQ(l.v(2)[lane], lane < 8 ? 0u : 5u); // EXEC is that of the side that came last
    }
    // All lanes on one side: a plain branch.
    l.wave.setPair(20, ~0ull), l.setExec(~0ull);
    l.wave.setPair(24, 0);
    ASSERT_TRUE(l.run("s_getpc_b64 s[24:25]\ns_add_u32 s24, s24, 16\ns_cbranch_g_fork s[20:21], s[24:25]\n"
                      "v_mov_b32 v4, 1\nv_mov_b32 v4, 2\nv_mov_b32 v5, 3"))
        << l.context.fault.message;
    EXPECT_EQ(l.v(4)[0], 0u);
    EXPECT_EQ(l.v(5)[0], 3u);
    EXPECT_EQ(l.wave.mode >> 29, 0u);
    l.s(4) = 1, l.s(5) = 0;
    EXPECT_FALSE(l.run("s_setvskip s4, s5"));
    EXPECT_NE(l.context.fault.message.find("VSKIP"), std::string::npos);
    ASSERT_TRUE(l.run("s_setvskip s5, s5"));
  }
}

TEST(EmulatorMore, HalvesOfAWaveInTurn) {
  for (const std::string &chip : gfx11) {
    Lines l(chip, 64);
    l.fill(0, 0);
    l.s(4) = 0;
    ASSERT_TRUE(l.run("s_subvector_loop_begin s0, after\nstart:\ns_add_u32 s4, s4, 1\nv_mov_b32 v0, s4\n"
                      "s_subvector_loop_end s0, start\nafter:\nv_mov_b32 v1, 9"))
        << l.context.fault.message;
    for (unsigned lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(l.v(0)[lane], lane < 32 ? 1u : 2u) << lane;
      EXPECT_EQ(l.v(1)[lane], 9u) << "both halves are back";
    }
  }
}

TEST(EmulatorMore, JumpsAndAllocations) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    ASSERT_TRUE(l.run("s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 12\ns_rfe_b64 s[4:5]\ns_mov_b32 s0, 1\ns_mov_b32 s1, 2"))
        << l.context.fault.message;
    EXPECT_EQ(l.s(0), 0u);
    EXPECT_EQ(l.s(1), 2u);
  }
  Lines l("gfx1201");
  ASSERT_TRUE(l.run("s_alloc_vgpr 128\ns_cselect_b32 s0, 1, 0"));
  EXPECT_EQ(l.s(0), 1u);
  ASSERT_TRUE(l.run("s_movk_i32 s4, 2000\ns_alloc_vgpr s4\ns_cselect_b32 s0, 1, 0"));
  EXPECT_EQ(l.s(0), 0u);
}

TEST(EmulatorMore, NamedBarriers) {
  Lines l("gfx1201");
  // Two members, both signals from this wave: the second completes it, and the wait has nothing to wait for.
  ASSERT_TRUE(l.run("s_mov_b32 m0, 0x20003\ns_barrier_init m0\ns_barrier_join 3\ns_barrier_signal_isfirst 3\n"
                    "s_cselect_b32 s0, 1, 0\ns_get_barrier_state s1, 3\ns_barrier_signal_isfirst 3\n"
                    "s_cselect_b32 s2, 1, 0\ns_barrier_wait 1\ns_get_barrier_state s3, 3\ns_barrier_leave\n"
                    "s_cselect_b32 s4, 1, 0\ns_barrier_signal 0\ns_get_barrier_state s5, -1"))
      << l.context.fault.message;
  EXPECT_EQ(l.s(0), 1u);
  EXPECT_EQ(l.s(1), 2u << 16 | 1 << 4 | 1);
  EXPECT_EQ(l.s(2), 0u);
  EXPECT_EQ(l.s(3), 2u << 16 | 1);
  EXPECT_EQ(l.s(4), 1u);
  EXPECT_EQ(l.s(5), 1u << 16 | 1);
  // One signal is missing: the wave waits.
  EXPECT_FALSE(
      l.run("s_mov_b32 m0, 0x20004\ns_barrier_init m0\ns_barrier_join 4\ns_barrier_signal 4\ns_barrier_wait 1"));
  EXPECT_EQ(l.wave.state, WaveState::AtBarrier);
  EXPECT_TRUE(l.wave.waitsNamed);
  l.wave.waitsNamed = false, l.wave.joined = 0;
  EXPECT_FALSE(l.run("s_barrier_wait 1"));
  EXPECT_NE(l.context.fault.message.find("joined none"), std::string::npos);
  EXPECT_FALSE(l.run("s_barrier_signal 60"));
  EXPECT_NE(l.context.fault.message.find("no barrier 60"), std::string::npos);
}

TEST(EmulatorMore, FractionsAndMedians) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    bool gfx12 = chip == "gfx1201", true16 = chip.starts_with("gfx11");
    l.fill(0, 0), l.fill(1, 0x8001), l.fill(2, bits(-0x1p-30f)), l.fill(5, bits(-2.0f)), l.fill(6, 0x80000000),
        l.fill(7, 0);
    l.fill(9, 0xbfffffff), l.fill(8, 0xffffffff);
    ASSERT_TRUE(l.run(std::string(true16 ? "v_fract_f16 v0.l, v1.l" : "v_fract_f16 v0, v1") +
                      "\nv_fract_f32 v3, v2\nv_med3_" + (gfx12 ? "num_" : "") + "f32 v4, v5, v6, v7"));
    EXPECT_EQ(l.v(0)[0] & 0xffff, 0x3bffu) << chip; // never 1
    EXPECT_EQ(l.v(3)[0], 0x3f7fffffu) << chip;
    EXPECT_EQ(l.v(4)[0], 0u) << chip; // -0 equals the largest: what is left is the larger of -2 and +0
    // The scalar result of the wide multiply-add is bit 64 of the sum in 65 bits.
    std::string s = l.size == 64 ? "s[8:9]" : "s8";
    l.fill(10, 0x80000000), l.fill(11, 0x7fff), l.fill(12, 0xbedd1063), l.fill(13, 8);
    ASSERT_TRUE(
        l.run(std::string(gfx12 ? "v_mad_co_i64_i32" : "v_mad_i64_i32") + " v[14:15], " + s + ", v10, v11, v[12:13]"));
    EXPECT_EQ(l.s(8) & 1, 1u) << chip;
  }
}

TEST(EmulatorMore, DirectLoadFromLds) {
  for (const std::string &chip : gfx11) {
    Lines l(chip);
    l.lds[5] = 0x8091a2b3;
    l.setExec(0xf);
    ASSERT_TRUE(l.run("s_mov_b32 m0, 0x20014\nlds_direct_load v0\ns_mov_b32 m0, 0x40017\nlds_direct_load v1"))
        << l.context.fault.message;
    EXPECT_EQ(l.v(0)[3], 0x8091a2b3u);
    EXPECT_EQ(l.v(1)[3], 0xffffff80u);
    EXPECT_EQ(l.v(0)[4], 0u);
    EXPECT_FALSE(l.run("s_mov_b32 m0, 0x30000\nlds_direct_load v0"));
    EXPECT_NE(l.context.fault.message.find("data type"), std::string::npos);
  }
}

} // namespace
