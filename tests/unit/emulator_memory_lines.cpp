// Memory instructions beyond plain loads and stores, one line each, against values worked out here.
#include "assemble.h"

#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

using namespace asmtest;

namespace {

const std::vector<std::string> allChips = {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};
const std::vector<std::string> gfx9 = {"gfx942", "gfx950"}, gfx11up = {"gfx1100", "gfx1151", "gfx1201"},
                               gfx11 = {"gfx1100", "gfx1151"}, gfx12 = {"gfx1201"};

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
uint16_t half(float x) { return std::bit_cast<uint16_t>(_Float16(x)); }
bool isOld(const std::string &chip) { return chip.substr(0, 4) == "gfx9"; }

std::string noOffset(const std::string &chip) { return chip == "gfx1201" ? "null" : "0"; }

// LDS -----------------------------------------------------------------------------------------------------
/// One active lane; LDS dwords 3 and 4 hold `memory`; v[2:3] and v[4:5] hold the data, v[0:1] get the old value.
struct LdsCase {
  std::vector<std::string> chips;
  const char *text;
  uint64_t memory, data, second, after;
  bool returns = true;
};

TEST(MemoryLines, LdsAtomics) {
  auto two = [](uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; };
  auto real = [](double x) { return std::bit_cast<uint64_t>(x); };
  const LdsCase cases[] = {
      {gfx9, "ds_cmpst_rtn_f32 v0, v1, v2, v4 offset:8", bits(0.0f), bits(-0.0f), 7, 7},
      {gfx9, "ds_cmpst_rtn_f32 v0, v1, v2, v4 offset:8", 0x7fc00000, 0x7fc00000, 7, 0x7fc00000}, // NaN equals nothing
      {gfx9, "ds_cmpst_rtn_f64 v[0:1], v8, v[2:3], v[4:5] offset:8", real(1.5), real(1.5), 7, 7},
      {gfx11, "ds_cmpstore_rtn_f32 v0, v1, v4, v2 offset:8", bits(2.0f), bits(2.0f), 7, 7},
      {gfx11, "ds_cmpstore_rtn_f64 v[0:1], v8, v[4:5], v[2:3] offset:8", real(1.5), real(2.5), 7, real(1.5)},
      {allChips, "ds_mskor_rtn_b32 v0, v1, v2, v4 offset:8", 0xff00ff00, 0x0ff00000, 0x00a00005, 0xf0a0ff05},
      {allChips, "ds_mskor_b32 v1, v2, v4 offset:8", 0xff00ff00, 0x0ff00000, 0x00a00005, 0xf0a0ff05, false},
      {allChips, "ds_mskor_rtn_b64 v[0:1], v8, v[2:3], v[4:5] offset:8", two(0xff, 0xff), two(0xf, 0xf0), two(1, 2),
       two(0xf1, 0x0f)},
      {{"gfx942", "gfx950", "gfx1100", "gfx1151"}, "ds_wrap_rtn_b32 v0, v1, v2, v4 offset:8", 9, 7, 100, 2},
      {{"gfx942", "gfx950", "gfx1100", "gfx1151"}, "ds_wrap_rtn_b32 v0, v1, v2, v4 offset:8", 5, 7, 100, 105},
      {allChips, "ds_condxchg32_rtn_b64 v[0:1], v8, v[2:3] offset:8", two(1, 2), two(0x80000005, 6), 0, two(5, 2)},
      {allChips, "ds_condxchg32_rtn_b64 v[0:1], v8, v[2:3] offset:8", two(1, 2), two(5, 0x80000006), 0, two(1, 6)},
      {gfx12, "ds_sub_clamp_rtn_u32 v0, v1, v2 offset:8", 5, 7, 0, 0},
      {gfx12, "ds_sub_clamp_rtn_u32 v0, v1, v2 offset:8", 9, 7, 0, 2},
      {gfx12, "ds_cond_sub_rtn_u32 v0, v1, v2 offset:8", 5, 7, 0, 5},
      {gfx12, "ds_cond_sub_rtn_u32 v0, v1, v2 offset:8", 9, 7, 0, 2},
      {allChips, "ds_rsub_rtn_u32 v0, v1, v2 offset:8", 5, 7, 0, 2},
      {allChips, "ds_inc_rtn_u32 v0, v1, v2 offset:8", 7, 7, 0, 0},
      {allChips, "ds_dec_rtn_u64 v[0:1], v8, v[2:3] offset:8", 0, two(3, 1), 0, two(3, 1)},
      {gfx9, "ds_add_rtn_f64 v[0:1], v8, v[2:3] offset:8", real(1.5), real(2.25), 0, real(3.75)},
      {{"gfx942", "gfx950", "gfx1201"}, "ds_pk_add_rtn_f16 v0, v1, v2 offset:8", 0x3c004000, 0x40003c00, 0, 0x42004200},
      {{"gfx942", "gfx950", "gfx1201"},
       "ds_pk_add_rtn_bf16 v0, v1, v2 offset:8",
       0x3f804000,
       0x40003f80,
       0,
       0x40404040},
      {gfx11up, "ds_sub_rtn_u64 v[0:1], v8, v[2:3] offset:8", 0, 1, 0, ~0ull},
  };
  for (const LdsCase &k : cases)
    for (const std::string &chip : k.chips) {
      Lines l(chip);
      bool wide =
          std::string(k.text).find("64") != std::string::npos && std::string(k.text).find("v8") != std::string::npos;
      // 64-bit cells lie at a multiple of 8.
      unsigned at = wide ? 4 : 5;
      l.setExec(4);
      l.lds[at] = uint32_t(k.memory), l.lds[at + 1] = wide ? uint32_t(k.memory >> 32) : 99;
      l.fill(1, 4 * at - 8), l.fill(8, 4 * at - 8);
      l.fill(0, 0x11111111), l.fill(2, uint32_t(k.data)), l.fill(3, uint32_t(k.data >> 32));
      l.fill(4, uint32_t(k.second)), l.fill(5, uint32_t(k.second >> 32));
      ASSERT_TRUE(l.run(k.text)) << chip << ": " << k.text << ": " << l.context.fault.message;
      EXPECT_EQ(l.lds[at], uint32_t(k.after)) << chip << ": " << k.text;
      EXPECT_EQ(l.lds[at + 1], wide ? uint32_t(k.after >> 32) : 99u) << chip << ": " << k.text;
      EXPECT_EQ(l.v(0)[2], k.returns ? uint32_t(k.memory) : 0x11111111u) << chip << ": " << k.text;
      EXPECT_EQ(l.v(0)[3], 0x11111111u) << chip << ": " << k.text;
      if (wide)
        EXPECT_EQ(l.v(1)[2], uint32_t(k.memory >> 32)) << chip << ": " << k.text;
    }
}

TEST(MemoryLines, LdsAdditionFlushesAsModeSays) {
  for (const std::string &chip : allChips)
    for (bool keep : {true, false}) {
      Lines l(chip);
      l.setExec(1);
      l.wave.setMode(keep ? mode::KeepAll : 0);
      l.lds[3] = 5; // a denormal
      l.fill(1, 12), l.fill(2, 3);
      ASSERT_TRUE(l.run("ds_add_f32 v1, v2"));
      EXPECT_EQ(l.lds[3], keep ? 8u : 0u) << chip;
    }
}

TEST(MemoryLines, ExchangeTwo) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    for (unsigned i = 0; i < l.lds.size(); ++i)
      l.lds[i] = i;
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(1)[lane] = 8 * lane, l.v(2)[lane] = 1000 + lane, l.v(3)[lane] = 2000 + lane, l.v(4)[lane] = 3000 + lane,
      l.v(5)[lane] = 4000 + lane;
    std::string a = isOld(chip) ? "ds_wrxchg2_rtn_b32" : "ds_storexchg_2addr_rtn_b32";
    std::string b = isOld(chip) ? "ds_wrxchg2st64_rtn_b64" : "ds_storexchg_2addr_stride64_rtn_b64";
    ASSERT_TRUE(l.run(a + " v[8:9], v1, v2, v3 offset0:1 offset1:128\n" + b +
                      " v[12:15], v1, v[2:3], v[4:5] offset0:2 offset1:4"))
        << l.context.fault.message;
    for (unsigned lane = 0; lane < l.size; ++lane) {
      EXPECT_EQ(l.v(8)[lane], 2 * lane + 1);
      EXPECT_EQ(l.v(9)[lane], 2 * lane + 128);
      EXPECT_EQ(l.lds[2 * lane + 1], 1000 + lane);
      EXPECT_EQ(l.lds[2 * lane + 128], 2000 + lane);
      for (unsigned d = 0; d < 2; ++d) {
        EXPECT_EQ(l.v(12 + d)[lane], 256 + 2 * lane + d);
        EXPECT_EQ(l.v(14 + d)[lane], 512 + 2 * lane + d);
        EXPECT_EQ(l.lds[256 + 2 * lane + d], (d ? 2000 : 1000) + lane);
        EXPECT_EQ(l.lds[512 + 2 * lane + d], (d ? 4000 : 3000) + lane);
      }
    }
  }
}

TEST(MemoryLines, AppendAndConsume) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    l.setExec(0x1f1);
    l.lds[5] = 100;
    l.fill(0, 7), l.fill(1, 7);
    ASSERT_TRUE(l.run("s_mov_b32 m0, 12\nds_append v0 offset:8\nds_append v0 offset:8\nds_consume v1 offset:8"))
        << l.context.fault.message;
    EXPECT_EQ(l.lds[5], 106u);
    EXPECT_EQ(l.v(0)[0], 106u);
    EXPECT_EQ(l.v(1)[8], 112u);
    EXPECT_EQ(l.v(1)[1], 7u);
    EXPECT_FALSE(l.run("s_mov_b32 m0, 0xfffc\nds_append v0 offset:8"));
    EXPECT_EQ(l.context.fault.kind, ErrorKind::Check);
  }
}

TEST(MemoryLines, TransposingReadOfSixBits) {
  Lines l("gfx950");
  std::mt19937 g(5);
  for (uint32_t &x : l.lds)
    x = uint32_t(g());
  for (unsigned lane = 0; lane < 64; ++lane)
    l.v(1)[lane] = lane * 12;
  ASSERT_TRUE(l.run("ds_read_b96_tr_b6 v[4:6], v1 offset:24"));
  auto bit = [&](unsigned lane, unsigned element, unsigned i) {
    unsigned at = (lane * 12 + 24) * 8 + element * 6 + i;
    return l.lds[at / 32] >> at % 32 & 1;
  };
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned e = 0; e < 16; ++e)
      for (unsigned i = 0; i < 6; ++i)
        ASSERT_EQ(l.v(4 + (6 * e + i) / 32)[lane] >> (6 * e + i) % 32 & 1, bit((lane & ~15u) + e, lane & 15, i));
}

TEST(MemoryLines, SwizzleForFft) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(1)[lane] = lane;
    ASSERT_TRUE(l.run("ds_swizzle_b32 v2, v1 offset:0xe000\nds_swizzle_b32 v3, v1 offset:0xe010\n"
                      "ds_swizzle_b32 v4, v1 offset:0xe01f\nds_swizzle_b32 v5, v1 offset:swizzle(ROTATE,1,3)"));
    auto reverse = [](unsigned x, unsigned width) {
      unsigned r = 0;
      for (unsigned i = 0; i < width; ++i)
        r |= (x >> i & 1) << (width - 1 - i);
      return r;
    };
    for (unsigned lane = 0; lane < l.size; ++lane) {
      EXPECT_EQ(l.v(2)[lane], (lane & 32) | reverse(lane & 31, 5));
      EXPECT_EQ(l.v(3)[lane], (lane & 48) | reverse(lane & 15, 4));
      EXPECT_EQ(l.v(4)[lane], lane);
      EXPECT_EQ(l.v(5)[lane], (lane & 32) | ((lane - 3) & 31));
    }
  }
}

TEST(MemoryLines, DirectLoads) {
  for (const std::string &chip : gfx11up) {
    std::string text =
        chip == "gfx1201" ? "ds_direct_load v2 wait_va_vdst:0 wait_vm_vsrc:0" : "lds_direct_load v2 wait_vdst:0";
    const std::pair<uint32_t, uint32_t> types[] = {
        {0, 0x81}, {1, 0xff81}, {2, 0xdeadff81}, {4, 0xffffff81}, {5, 0xffffff81}};
    for (auto [type, expected] : types) {
      Lines l(chip);
      l.lds[5] = 0xdeadff81;
      l.fill(2, 1);
      l.setExec(6);
      l.wave.sgpr[codeobject::scalar::M0] = 20 | type << 16;
      ASSERT_TRUE(l.run(text)) << l.context.fault.message;
      EXPECT_EQ(l.v(2)[0], 1u);
      EXPECT_EQ(l.v(2)[1], expected) << chip << " type " << type;
      EXPECT_EQ(l.v(2)[2], expected);
    }
  }
}

// Global --------------------------------------------------------------------------------------------------
TEST(MemoryLines, TransposingGlobalLoads) {
  Lines l("gfx1201", 32);
  std::vector<uint32_t> data(128);
  std::mt19937 g(9);
  for (uint32_t &x : data)
    x = uint32_t(g());
  uint64_t address = *l.memory.wrap(data.data(), data.size() * 4);
  l.wave.setPair(4, address);
  for (unsigned lane = 0; lane < 32; ++lane)
    l.v(1)[lane] = 16 * lane, l.v(2)[lane] = 8 * lane;
  l.setExec(1); // one active lane is enough for all
  ASSERT_TRUE(l.run("global_load_tr_b128 v[4:7], v1, s[4:5]\nglobal_load_tr_b64 v[8:9], v2, s[4:5]"));
  const auto *halves = reinterpret_cast<const uint16_t *>(data.data());
  const auto *bytes = reinterpret_cast<const uint8_t *>(data.data());
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned j = 0; j < 8; ++j) {
      EXPECT_EQ(l.v(4 + j / 2)[lane] >> (16 * (j % 2)) & 0xffff, halves[((lane & ~7u) + j) * 8 + (lane & 7)]);
      EXPECT_EQ(l.v(8 + j / 4)[lane] >> (8 * (j % 4)) & 0xff,
                bytes[((lane & ~15u) + (lane >> 3 & 1) + 2 * j) * 8 + (lane & 7)]);
    }
  Lines wide("gfx1201", 64);
  EXPECT_FALSE(wide.run("global_load_tr_b128 v[4:5], v1, s[4:5]"));
  EXPECT_NE(wide.context.fault.message.find("waves of 64"), std::string::npos) << wide.context.fault.message;
}

TEST(MemoryLines, AddressesByLane) {
  for (const std::string &chip : gfx11up) {
    Lines l(chip);
    std::vector<uint32_t> data(256);
    std::iota(data.begin(), data.end(), 100);
    l.wave.setPair(4, *l.memory.wrap(data.data(), data.size() * 4));
    l.fill(2, 7), l.fill(3, 9);
    l.setExec(0xff);
    ASSERT_TRUE(l.run("global_load_addtid_b32 v2, s[4:5] offset:16\nglobal_store_addtid_b32 v3, s[4:5] offset:512"));
    for (unsigned lane = 0; lane < l.size; ++lane) {
      EXPECT_EQ(l.v(2)[lane], lane < 8 ? 104 + lane : 7);
      EXPECT_EQ(data[128 + lane], lane < 8 ? 9 : 228 + lane);
    }
  }
}

TEST(MemoryLines, Blocks) {
  Lines l("gfx1201");
  std::vector<uint32_t> data(32 * 40);
  std::iota(data.begin(), data.end(), 0);
  l.wave.setPair(4, *l.memory.wrap(data.data(), data.size() * 4));
  for (unsigned lane = 0; lane < 32; ++lane)
    l.v(1)[lane] = 160 * lane;
  for (unsigned r = 8; r < 40; ++r)
    l.fill(r, 5);
  ASSERT_TRUE(l.run("s_mov_b32 m0, 0x80000005\nglobal_load_block v[8:39], v1, s[4:5] offset:8\n"
                    "scratch_store_block off, v[8:39], off\nv_mov_b32 v8, 0\nv_mov_b32 v9, 0\nv_mov_b32 v10, 0\n"
                    "scratch_load_block v[8:39], off, off"))
      << l.context.fault.message;
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(l.v(8)[lane], 40 * lane + 2);
    EXPECT_EQ(l.v(9)[lane], 0u);
    EXPECT_EQ(l.v(10)[lane], 40 * lane + 4);
    EXPECT_EQ(l.v(39)[lane], 40 * lane + 33);
    EXPECT_EQ(l.v(38)[lane], 5u);
  }
}

TEST(MemoryLines, NarrowLoadsToLds) {
  for (const std::string &chip : gfx9) {
    Lines l(chip);
    std::vector<uint16_t> data(256);
    for (unsigned i = 0; i < 256; ++i)
      data[i] = uint16_t(0x8000 + 257 * i);
    uint64_t address = *l.memory.wrap(data.data(), 512);
    l.wave.setPair(4, address);
    l.wave.setPair(8, address), l.s(10) = 512, l.s(11) = 0x00027000;
    for (unsigned lane = 0; lane < 64; ++lane)
      l.v(1)[lane] = 2 * lane, l.v(2)[lane] = 8;
    for (unsigned lane = 0; lane < 64; ++lane)
      l.scratch[2].lane[lane] = 0xf00d0000 + lane;
    ASSERT_TRUE(
        l.run("s_mov_b32 m0, 0\nglobal_load_lds_sshort v1, s[4:5]\ns_mov_b32 m0, 0x400\n"
              "buffer_load_sshort v1, s[8:11], 0 offen lds\ns_mov_b32 m0, 0x800\n"
              "scratch_load_lds_dword v2, off\ns_mov_b32 m0, 0xc00\nscratch_load_lds_sshort off, off offset:10"))
        << l.context.fault.message;
    for (unsigned lane = 0; lane < 64; ++lane) {
      uint32_t value = uint32_t(int32_t(int16_t(data[lane])));
      EXPECT_EQ(l.lds[lane], value);
      EXPECT_EQ(l.lds[0x100 + lane], value);
      EXPECT_EQ(l.lds[0x200 + lane], 0xf00d0000 + lane);
      EXPECT_EQ(l.lds[(0xc00 + 10 + 4 * lane) / 4 + 0] >> 16 | l.lds[(0xc00 + 10 + 4 * lane) / 4 + 1] << 16,
                0xfffff00du);
    }
  }
}

TEST(MemoryLines, FloatCompareAndSwap) {
  for (const std::string &chip : gfx11) {
    Lines l(chip);
    std::vector<float> data = {1.0f, -0.0f, NAN, 4.0f};
    l.wave.setPair(4, *l.memory.wrap(data.data(), 16));
    l.wave.setPair(8, l.wave.pair(4)), l.s(10) = 16, l.s(11) = 0x31004000;
    l.setExec(0xf);
    for (unsigned lane = 0; lane < 4; ++lane)
      l.v(1)[lane] = 4 * lane, l.v(2)[lane] = bits(9.0f), l.v(3)[lane] = bits(lane == 1 ? 0.0f : data[lane]);
    ASSERT_TRUE(l.run("global_atomic_cmpswap_f32 v4, v1, v[2:3], s[4:5] glc"));
    EXPECT_EQ(data[0], 9.0f);
    EXPECT_EQ(data[1], 9.0f);
    EXPECT_TRUE(std::isnan(data[2]));
    EXPECT_EQ(l.v(4)[1], 0x80000000u);
    ASSERT_TRUE(l.run("buffer_atomic_cmpswap_f32 v[2:3], v1, s[8:11], 0 offen"));
    EXPECT_EQ(data[3], 9.0f);
  }
}

TEST(MemoryLines, FloatAtomicsOutsideOfLdsKeepDenormals) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::vector<uint32_t> data = {5, 0x80000003};
    l.wave.setPair(4, *l.memory.wrap(data.data(), 8));
    l.wave.setMode(0);
    l.setExec(3);
    for (unsigned lane = 0; lane < 2; ++lane)
      l.v(1)[lane] = 4 * lane;
    l.fill(2, 3);
    ASSERT_TRUE(l.run("global_atomic_add_f32 v1, v2, s[4:5]")) << l.context.fault.message;
    EXPECT_EQ(data, (std::vector<uint32_t>{8, 0})) << chip;
  }
}

TEST(MemoryLines, FlatAtomicsGoWhereTheApertureLeads) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::vector<uint32_t> data = {10, 11, 12, 13};
    uint64_t address = *l.memory.wrap(data.data(), 16);
    uint64_t places[] = {uint64_t(Context::SharedAperture) << 32 | 8, uint64_t(Context::PrivateAperture) << 32 | 12,
                         address + 4};
    l.setExec(7);
    for (unsigned lane = 0; lane < 3; ++lane)
      l.v(2)[lane] = uint32_t(places[lane]), l.v(3)[lane] = uint32_t(places[lane] >> 32), l.v(4)[lane] = 100 + lane;
    l.lds[2] = 7, l.scratch[3].lane[1] = 8;
    std::string name = isOld(chip) ? "flat_atomic_add" : "flat_atomic_add_u32";
    ASSERT_TRUE(l.run(name + " v5, v[2:3], v4 " +
                      (chip == "gfx1201" ? "th:TH_ATOMIC_RETURN"
                       : isOld(chip)     ? "sc0"
                                         : "glc")))
        << l.context.fault.message;
    EXPECT_EQ(l.lds[2], 107u);
    EXPECT_EQ(l.scratch[3].lane[1], 109u);
    EXPECT_EQ(data[1], 113u);
    EXPECT_EQ(l.v(5)[0], 7u);
    EXPECT_EQ(l.v(5)[1], 8u);
    EXPECT_EQ(l.v(5)[2], 11u);
  }
}

TEST(MemoryLines, BufferAtomicsOutsideDoNothing) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::vector<uint32_t> data = {10, 11, 12, 13};
    uint64_t address = *l.memory.wrap(data.data(), 16);
    l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32), l.s(10) = 12;
    l.s(11) = isOld(chip) ? 0x00027000 : 0x31004000;
    l.setExec(0xf);
    for (unsigned lane = 0; lane < 4; ++lane)
      l.v(1)[lane] = 4 * lane, l.v(2)[lane] = 100;
    std::string name = isOld(chip) ? "buffer_atomic_add v2" : "buffer_atomic_add_u32 v2";
    ASSERT_TRUE(l.run(name + ", v1, s[8:11], " + noOffset(chip) + " offen " +
                      (chip == "gfx1201" ? "th:TH_ATOMIC_RETURN"
                       : isOld(chip)     ? "sc0"
                                         : "glc")))
        << l.context.fault.message;
    EXPECT_EQ(data, (std::vector<uint32_t>{110, 111, 112, 13}));
    for (unsigned lane = 0; lane < 4; ++lane)
      EXPECT_EQ(l.v(2)[lane], lane < 3 ? 10 + lane : 0);
  }
}

TEST(MemoryLines, WhatIsRefusedIsNamed) {
  const std::tuple<const char *, const char *, const char *> cases[] = {
      {"gfx1100", "ds_add_u32 v1, v2 gds", "global data share is not emulated"},
      {"gfx1201", "global_atomic_ordered_add_b64 v1, v[2:3], s[4:5]", "not emulated"},
      {"gfx1100", "lds_direct_load v2 wait_vdst:0", "M0 names a data type"}};
  for (auto [chip, text, words] : cases) {
    Lines l(chip);
    l.wave.sgpr[codeobject::scalar::M0] = 3 << 16;
    EXPECT_FALSE(l.run(text)) << text;
    EXPECT_NE(l.context.fault.message.find(words), std::string::npos) << text << ": " << l.context.fault.message;
  }
}

// Scalars -------------------------------------------------------------------------------------------------
TEST(MemoryLines, ScalarStoresAndAtomics) {
  for (const std::string &chip : gfx9) {
    Lines l(chip);
    std::vector<uint32_t> data = {10, 20, 30, 40, 50, 60, 70, 80};
    uint64_t address = *l.memory.wrap(data.data(), 32);
    l.wave.setPair(4, address);
    l.wave.setPair(8, address), l.s(10) = 24, l.s(11) = 0x00027000;
    l.s(0) = 5, l.s(1) = 6, l.s(2) = 7, l.s(3) = 20, l.s(12) = 4;
    ASSERT_TRUE(l.run("s_store_dword s0, s[4:5], 0x0\ns_atomic_add s1, s[4:5], s12 glc\ns_buffer_store_dwordx2 s[2:3], "
                      "s[8:11], 0x18\ns_buffer_store_dword s3, s[8:11], 0x14\ns_atomic_umax_x2 s[2:3], s[4:5], 0x8"))
        << l.context.fault.message;
    EXPECT_EQ(data[0], 5u);
    EXPECT_EQ(l.s(1), 20u);
    EXPECT_EQ(data[1], 26u);
    EXPECT_EQ(data[6], 70u); // beyond the descriptor's 24 bytes
    EXPECT_EQ(data[5], 20u);
    EXPECT_EQ(data[2], 30u); // 40:30 is larger than 20:7
    l.s(2) = 77, l.s(3) = 26;
    ASSERT_TRUE(l.run("s_atomic_cmpswap s[2:3], s[4:5], 0x4 glc\ns_buffer_atomic_sub s0, s[8:11], 0x14"));
    EXPECT_EQ(data[1], 77u);
    EXPECT_EQ(l.s(2), 26u);
    EXPECT_EQ(data[5], 15u);
    EXPECT_FALSE(l.run("s_scratch_load_dword s0, s[4:5], 0x0"));
    EXPECT_NE(l.context.fault.message.find("scratch"), std::string::npos);
  }
}

TEST(MemoryLines, ScalarBuffersKnowTheirEnd) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::vector<uint32_t> data(16);
    std::iota(data.begin(), data.end(), 1);
    l.wave.setPair(8, *l.memory.wrap(data.data(), 64)), l.s(10) = 40, l.s(11) = isOld(chip) ? 0x00027000 : 0x31004000;
    std::string name = isOld(chip) ? "s_buffer_load_dwordx8" : "s_buffer_load_b256";
    ASSERT_TRUE(l.run(name + " s[16:23], s[8:11], 0x10")) << l.context.fault.message;
    for (unsigned d = 0; d < 8; ++d)
      EXPECT_EQ(l.s(16 + d), d < 6 ? 5 + d : 0) << chip;
  }
  Lines l("gfx1201");
  std::vector<uint32_t> data = {0x80ff7f01, 2, 3};
  l.wave.setPair(4, *l.memory.wrap(data.data(), 12));
  l.wave.setPair(8, l.wave.pair(4)), l.s(10) = 10, l.s(11) = 0x31004000;
  ASSERT_TRUE(
      l.run("s_load_b96 s[16:18], s[4:5], 0x0\ns_load_i8 s20, s[4:5], 0x3\ns_load_u8 s21, s[4:5], 0x2\n"
            "s_load_i16 s22, s[4:5], 0x2\ns_load_u16 s23, s[4:5], 0x0\ns_buffer_load_b96 s[24:26], s[8:11], 0x0\n"
            "s_buffer_load_i16 s27, s[8:11], 0x2\ns_buffer_load_u16 s28, s[8:11], 0x9\n"
            "s_prefetch_data s[4:5], 0x0, null, 0\ns_prefetch_inst s[4:5], 0x0, null, 0"))
      << l.context.fault.message;
  EXPECT_EQ(l.s(18), 3u);
  EXPECT_EQ(l.s(20), 0xffffff80u);
  EXPECT_EQ(l.s(21), 0xffu);
  EXPECT_EQ(l.s(22), 0xffff80ffu);
  EXPECT_EQ(l.s(23), 0x7f01u);
  EXPECT_EQ(l.s(25), 2u);
  EXPECT_EQ(l.s(26), 0u); // bytes 8 to 11 are not all inside
  EXPECT_EQ(l.s(27), 0xffff80ffu);
  EXPECT_EQ(l.s(28), 0u);
}

// Buffers -------------------------------------------------------------------------------------------------

TEST(MemoryLines, SwizzledBuffers) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::vector<uint32_t> data(4096);
    std::iota(data.begin(), data.end(), 0);
    uint64_t address = *l.memory.wrap(data.data(), data.size() * 4);
    constexpr unsigned stride = 24, indexStride = 16, element = 4;
    l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32) | stride << 16 | (isOld(chip) ? 1u << 31 : 1u << 30);
    l.s(10) = 100, l.s(11) = (isOld(chip) ? 0x00027000u : 0x01004000u) | 1u << 21;
    l.s(12) = 64;
    for (unsigned lane = 0; lane < l.size; ++lane)
      l.v(2)[lane] = 3 * lane, l.v(3)[lane] = 4 * (lane % 6);
    std::string load = isOld(chip) ? "buffer_load_dword" : "buffer_load_b32";
    ASSERT_TRUE(l.run(load + " v5, v[2:3], s[8:11], s12 idxen offen")) << l.context.fault.message;
    for (unsigned lane = 0; lane < l.size; ++lane) {
      unsigned index = 3 * lane, offset = 4 * (lane % 6);
      unsigned at = 64 + (index / indexStride * stride + offset / element * element) * indexStride +
                    index % indexStride * element + offset % element;
      EXPECT_EQ(l.v(5)[lane], index < 100 ? at / 4 : 0) << chip << " lane " << lane;
    }
    EXPECT_FALSE(l.run((isOld(chip) ? "buffer_load_dwordx2" : "buffer_load_b64") +
                       std::string(" v[6:7], v[2:3], s[8:11], s12 idxen offen")));
    EXPECT_NE(l.context.fault.message.find("8 bytes at offset"), std::string::npos) << l.context.fault.message;
  }
}

TEST(MemoryLines, BuffersThatAddTheLane) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::vector<uint32_t> data(1024);
    std::iota(data.begin(), data.end(), 0);
    uint64_t address = *l.memory.wrap(data.data(), data.size() * 4);
    l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32) | 8u << 16;
    l.s(10) = 20, l.s(11) = (isOld(chip) ? 0u : 0x01004000u) | 1u << 23; // gfx9: bits 18:15 belong to the stride
    l.fill(1, 2);
    std::string load = isOld(chip) ? "buffer_load_dword" : "buffer_load_b32";
    ASSERT_TRUE(l.run(load + " v5, v1, s[8:11], " + noOffset(chip) + " idxen offset:4\n" + load +
                      " v6, off, s[8:11], " + noOffset(chip)))
        << l.context.fault.message;
    for (unsigned lane = 0; lane < l.size; ++lane) {
      EXPECT_EQ(l.v(5)[lane], lane + 2 < 20 ? 2 * (lane + 2) + 1 : 0) << chip << " lane " << lane;
      EXPECT_EQ(l.v(6)[lane], isOld(chip) || lane < 20 ? 2 * lane : 0) << chip << " lane " << lane;
    }
  }
}

TEST(MemoryLines, OutOfBoundsRulesOfRdna) {
  for (const std::string &chip : gfx11up)
    for (unsigned select = 0; select < 4; ++select) {
      Lines l(chip);
      std::vector<uint32_t> data(1024);
      std::iota(data.begin(), data.end(), 1);
      uint64_t address = *l.memory.wrap(data.data(), data.size() * 4);
      l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32) | 12u << 16;
      l.s(10) = 20, l.s(11) = 0x01004000u | select << 28;
      for (unsigned lane = 0; lane < l.size; ++lane)
        l.v(1)[lane] = lane, l.v(2)[lane] = 4 * (lane % 4);
      ASSERT_TRUE(l.run("buffer_load_b64 v[6:7], v[1:2], s[8:11], " + noOffset(chip) + " idxen offen"));
      for (unsigned lane = 0; lane < l.size; ++lane) {
        unsigned offset = 4 * (lane % 4);
        bool inside = select == 0   ? lane < 20 && offset + 8 <= 12
                      : select == 1 ? lane < 20
                      : select == 2 ? true
                                    : offset + 8 <= 20;
        EXPECT_EQ(l.v(7)[lane], inside ? (12 * lane + offset) / 4 + 2 : 0)
            << chip << " select " << select << " " << lane;
      }
    }
}

// Formats -------------------------------------------------------------------------------------------------
struct FormatCase {
  unsigned data, number; ///< gfx9's numbers
  unsigned gfx11;        ///< the one number of later chips; 0: they have none
  std::vector<uint32_t> memory;
  std::vector<uint32_t> words; ///< x, y, z, w
  bool exact = true;           ///< storing the words gives the memory again
};

TEST(MemoryLines, FormattedLoadsAndStores) {
  const uint32_t one = bits(1.0f);
  const FormatCase cases[] = {
      {1, 0, 1, {0x000000ff}, {one, 0, 0, one}},
      {1, 1, 2, {0x00000081}, {bits(-1.0f), 0, 0, one}},
      {1, 2, 3, {0x000000c8}, {bits(200.0f), 0, 0, one}},
      {1, 3, 4, {0x000000c8}, {bits(-56.0f), 0, 0, one}},
      {1, 4, 5, {0x000000c8}, {200, 0, 0, 1}},
      {1, 5, 6, {0x000000c8}, {uint32_t(-56), 0, 0, 1}},
      {2, 0, 7, {0x0000ffff}, {one, 0, 0, one}},
      {2, 7, 13, {0x0000c100}, {bits(-2.5f), 0, 0, one}},
      {3, 4, 18, {0x0000c864}, {100, 200, 0, 1}},
      {4, 4, 20, {0xdeadbeef}, {0xdeadbeef, 0, 0, 1}},
      {4, 7, 22, {0x7f800001}, {0x7f800001, 0, 0, one}},
      {5, 7, 29, {0x3c00c000}, {bits(-2.0f), one, 0, one}},
      {5, 5, 28, {0x8000ffff}, {uint32_t(-1), uint32_t(-32768), 0, 1}},
      {6, 7, 30, {0x700 >> 1 | 0x3c0u << 11 | 0x220u << 22}, {bits(0.5f), one, bits(4.0f), one}},
      {7, 7, 31, {0x1e0 | 0x3c0u << 10 | 0x400u << 21}, {one, one, bits(2.0f), one}},
      {9, 4, 40, {5u | 600u << 10 | 1023u << 20 | 2u << 30}, {5, 600, 1023, 2}},
      {9, 0, 36, {1023u | 1023u << 20 | 3u << 30}, {one, 0, one, one}},
      {9, 5, 41, {1023u | 511u << 10 | 512u << 20 | 3u << 30}, {~0u, 511, uint32_t(-512), ~0u}},
      {8, 4, 34, {2u | 600u << 2 | 1023u << 12 | 5u << 22}, {2, 600, 1023, 5}},
      {10, 0, 42, {0xff00ff00}, {0, one, 0, one}},
      {10, 4, 46, {0x04030201}, {1, 2, 3, 4}},
      {11, 7, 50, {bits(1.5f), bits(-2.0f)}, {bits(1.5f), bits(-2.0f), 0, one}},
      {12, 7, 57, {0x40003c00, 0x44004200}, {one, bits(2.0f), bits(3.0f), bits(4.0f)}},
      {12, 5, 56, {0xfffe0001, 0x00030002}, {1, uint32_t(-2), 2, 3}},
      {13, 4, 58, {7, 8, 9}, {7, 8, 9, 1}},
      {14, 7, 63, {one, 2, 3, 4}, {one, 2, 3, 4}},
      {0, 0, 0, {0xffffffff}, {0, 0, 0, 0}, false},
  };
  for (const FormatCase &k : cases)
    for (const std::string &chip : allChips) {
      if (!isOld(chip) && !k.gfx11 && k.data)
        continue;
      Lines l(chip);
      SCOPED_TRACE(chip + " data format " + std::to_string(k.data) + " number format " + std::to_string(k.number));
      std::vector<uint32_t> data(256, 0x11111111);
      for (unsigned lane = 0; lane < 4; ++lane)
        for (unsigned i = 0; i < k.memory.size(); ++i)
          data[4 * lane + i] = k.memory[i];
      uint64_t address = *l.memory.wrap(data.data(), data.size() * 4);
      constexpr uint32_t straight = 4 | 5 << 3 | 6 << 6 | 7 << 9, turned = 7 | 4 << 3 | 1 << 6 | 0 << 9;
      uint32_t format = isOld(chip) ? k.number << 12 | k.data << 15 : k.gfx11 << 12 | 0x30000000u;
      l.s(8) = l.s(16) = uint32_t(address), l.s(9) = l.s(17) = uint32_t(address >> 32), l.s(10) = l.s(18) = 64;
      l.s(11) = format | straight, l.s(19) = format | turned;
      l.setExec(0x1f); // lane 4 is outside
      for (unsigned lane = 0; lane < 5; ++lane)
        l.v(1)[lane] = 16 * lane;
      for (unsigned r = 4; r < 30; ++r)
        l.fill(r, 0xabcdef01);
      std::string typed = " v[16:18], v1, s[8:11], " + noOffset(chip) +
                          " format:" + std::to_string(isOld(chip) ? k.data | k.number << 4 : k.gfx11) + " offen";
      ASSERT_TRUE(l.run("buffer_load_format_xyzw v[4:7], v1, s[8:11], " + noOffset(chip) +
                        " offen\nbuffer_load_format_xyzw v[8:11], v1, s[16:19], " + noOffset(chip) +
                        " offen\nbuffer_load_format_x v12, v1, s[8:11], " + noOffset(chip) +
                        " offen\ntbuffer_load_format_xyz" + typed))
          << l.context.fault.message;
      bool integer = k.number == 4 || k.number == 5;
      for (unsigned lane = 0; lane < 5; ++lane) {
        auto want = [&](unsigned i) { return lane < 4 ? k.words[i] : 0; };
        for (unsigned i = 0; i < 4; ++i)
          EXPECT_EQ(l.v(4 + i)[lane], want(i)) << "lane " << lane << " component " << i;
        EXPECT_EQ(l.v(8)[lane], want(3));
        EXPECT_EQ(l.v(9)[lane], want(0));
        EXPECT_EQ(l.v(10)[lane], integer ? 1 : one); // a constant, outside too
        EXPECT_EQ(l.v(11)[lane], 0u);
        EXPECT_EQ(l.v(12)[lane], want(0));
        for (unsigned i = 0; i < 3; ++i)
          EXPECT_EQ(l.v(16 + i)[lane], want(i));
      }
      EXPECT_EQ(l.v(13)[0], 0xabcdef01u);
      if (!k.exact)
        continue;
      std::vector<uint32_t> before = data;
      std::fill(data.begin(), data.begin() + 16, 0x11111111);
      for (unsigned i = 0; i < 4; ++i)
        l.fill(4 + i, k.words[i]);
      ASSERT_TRUE(l.run("buffer_store_format_xyzw v[4:7], v1, s[8:11], " + noOffset(chip) + " offen"))
          << l.context.fault.message;
      static const unsigned sizes[] = {0, 1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 8, 8, 12, 16};
      for (unsigned byte = 0; byte < 64; ++byte) {
        auto at = [&](const std::vector<uint32_t> &v) { return v[byte / 4] >> (8 * (byte % 4)) & 0xff; };
        EXPECT_EQ(at(data), byte % 16 < sizes[k.data] ? at(before) : 0x11) << "byte " << byte;
      }
      EXPECT_EQ(data[16], 0x11111111u);
    }
}

TEST(MemoryLines, FormattedLoadsToLds) {
  for (const std::string &chip : gfx9) {
    Lines l(chip);
    std::vector<uint32_t> data = {0xff804020};
    uint64_t address = *l.memory.wrap(data.data(), 4);
    l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32), l.s(10) = 4, l.s(11) = 1u << 15 | 4u << 12 | 4;
    l.setExec(0x1f);
    for (unsigned lane = 0; lane < 64; ++lane)
      l.v(1)[lane] = lane;
    for (unsigned i = 0; i < 8; ++i)
      l.lds[i + 64] = 9;
    ASSERT_TRUE(l.run("s_mov_b32 m0, 0x100\nbuffer_load_format_x v1, s[8:11], 0 offen lds")) << l.context.fault.message;
    EXPECT_EQ(std::vector<uint32_t>(l.lds.begin() + 64, l.lds.begin() + 70),
              (std::vector<uint32_t>{0x20, 0x40, 0x80, 0xff, 0, 9}));
  }
}

TEST(MemoryLines, FormattedHalves) {
  for (const std::string &chip : allChips) {
    auto name = [&](const char *kind, const char *width) {
      return std::string(kind) + (isOld(chip) ? "_format_d16_" : "_d16_format_") + width;
    };
    Lines l(chip);
    std::vector<uint32_t> data = {0xff804020, 0x11111111};
    uint64_t address = *l.memory.wrap(data.data(), 8);
    l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32), l.s(10) = 8;
    l.s(11) = (isOld(chip) ? 10u << 15 : 42u << 12 | 0x30000000u) | 4 | 5 << 3 | 6 << 6 | 7 << 9;
    l.setExec(1);
    for (unsigned r = 4; r < 12; ++r)
      l.fill(r, 0xabcdef01);
    std::string high = isOld(chip) ? "buffer_load_format_d16_hi_x" : "buffer_load_d16_hi_format_x";
    std::string tail = ", off, s[8:11], " + noOffset(chip);
    ASSERT_TRUE(l.run(name("buffer_load", "xyzw") + " v[4:5]" + tail + "\n" + high + " v6" + tail + "\n" +
                      name("buffer_load", "x") + " v7" + tail + "\n" + name("buffer_store", "xy") + " v4" + tail +
                      " offset:4"))
        << l.context.fault.message;
    auto h = [](unsigned byte) { return uint32_t(half(float(byte) / 255.0f)); };
    EXPECT_EQ(l.v(4)[0], h(0x20) | h(0x40) << 16) << chip;
    EXPECT_EQ(l.v(5)[0], h(0x80) | h(0xff) << 16) << chip;
    EXPECT_EQ(l.v(6)[0], 0xef01u | h(0x20) << 16) << chip;
    EXPECT_EQ(l.v(7)[0], 0xabcd0000u | h(0x20)) << chip;
    EXPECT_EQ(data[1], 0x00004020u) << chip;
  }
}

TEST(MemoryLines, FormattedStoresRoundAndSaturate) {
  for (const std::string &chip : allChips) {
    Lines l(chip);
    std::vector<uint32_t> data(64);
    uint64_t address = *l.memory.wrap(data.data(), 256);
    struct Store {
      unsigned data, number, gfx11;
      uint32_t word, expected;
    };
    const Store stores[] = {{1, 0, 1, bits(0.5f), 128},
                            {1, 0, 1, bits(7.0f), 255},
                            {1, 0, 1, 0x7fc00000, 0},
                            {1, 1, 2, bits(-7.0f), 0x81},
                            {1, 4, 5, 300, 255},
                            {1, 5, 6, uint32_t(-300), 0x80},
                            {2, 7, 13, bits(65520.0f), 0x7c00},
                            {2, 7, 13, bits(1.0f + 0x1p-11f), 0x3c00},
                            {6, 7, 30, bits(1.0f + 0x1p-6f), 0x3c1},
                            {6, 7, 30, bits(1.0f + 0x1p-7f), 0x3c0},
                            {6, 7, 30, bits(-3.0f), 0},
                            {6, 7, 30, bits(0x1p-20f), 1},
                            {6, 7, 30, bits(1e9f), 0x7c0}};
    for (const Store &k : stores) {
      l.s(8) = uint32_t(address), l.s(9) = uint32_t(address >> 32), l.s(10) = 256;
      l.s(11) = isOld(chip) ? k.number << 12 | k.data << 15 : k.gfx11 << 12 | 0x30000000u;
      data[0] = 0;
      l.setExec(1);
      l.fill(4, k.word);
      ASSERT_TRUE(l.run("buffer_store_format_x v4, off, s[8:11], " + noOffset(chip)));
      EXPECT_EQ(data[0], k.expected) << chip << " " << k.data << " " << k.number << " " << std::hex << k.word;
    }
  }
}

} // namespace
