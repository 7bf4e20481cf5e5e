// Bare instruction streams: every kind of state in, every kind of state out.
#include "wavewright/emulator/raw.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

using namespace wavewright;
using namespace wavewright::emulator;
namespace scalar = wavewright::codeobject::scalar;
using Bank = RawValue::Bank;

namespace {

const Target &chip(const char *name) { return **findTarget(name); }

std::shared_ptr<const RawProgram> program(const char *name, const std::string &text, unsigned waveSize = 0) {
  auto made = RawProgram::assemble(chip(name), waveSize, text);
  if (!made) {
    ADD_FAILURE() << llvm::toString(made.takeError());
    return nullptr;
  }
  return *made;
}

RawResult runIt(const RawProgram &p, const RawLaunch &launch) {
  auto result = run(p, launch);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

Failure failureOf(const RawProgram &p, const RawLaunch &launch) {
  auto result = run(p, launch);
  if (result) {
    ADD_FAILURE() << "no error";
    return Failure(ErrorKind::Usage, "");
  }
  return takeFailure(result.takeError());
}

TEST(EmulatorRaw, OneInstruction) {
  for (const char *name : {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"}) {
    auto p = program(name, "v_add_f32 v0, v1, v2");
    ASSERT_TRUE(p);
    EXPECT_EQ(p->program().instructions.size(), 2u) << name;
    float a = 1.5f;
    std::vector<float> b(64);
    for (unsigned i = 0; i < 64; ++i)
      b[i] = float(i);
    RawLaunch launch;
    launch.values = {{Bank::Vgpr, 1, reinterpret_cast<const uint32_t *>(&a)},
                     {Bank::Vgpr, 2, reinterpret_cast<const uint32_t *>(b.data()), 0, 0, 1}};
    RawResult r = runIt(*p, launch);
    ASSERT_FALSE(r.fault.has_value());
    for (unsigned l = 0; l < r.lanes; ++l)
      EXPECT_EQ(std::bit_cast<float>(r.vgpr(0).lane[l]), 1.5f + float(l)) << name;
    EXPECT_EQ(r.ends[0].state, WaveState::Ended);
    EXPECT_EQ(r.ends[0].pc, p->program().instructions[1].address);
    EXPECT_EQ(r.statistics.waveInstructions, 2u);
    EXPECT_EQ(r.statistics.laneOperations, r.lanes);
  }
}

TEST(EmulatorRaw, EveryBank) {
  auto p = program("gfx942", R"(
      v_accvgpr_read_b32 v3, a2
      s_add_u32 s5, s6, m0
      s_addc_u32 s7, vcc_lo, 0
      s_getreg_b32 s8, hwreg(HW_REG_MODE)
      v_mov_b32 v4, exec_lo
      scratch_store_dword off, v3, off offset:4
      ds_write_b32 v5, v3
      s_nop 0)");
  ASSERT_TRUE(p);
  uint32_t a2 = 0xabcd, s6 = 0xffffffff, m0 = 2, vcc = 10, scc = 1, mode = 0xf0, exec = 0xf, offset = 8, scratch = 7;
  std::vector<std::byte> lds(16, std::byte(0x11));
  RawLaunch launch;
  launch.values = {{Bank::Agpr, 2, &a2},
                   {Bank::Scalar, 6, &s6},
                   {Bank::Scalar, scalar::M0, &m0},
                   {Bank::Scalar, scalar::VccLo, &vcc},
                   {Bank::Scalar, scalar::ExecLo, &exec},
                   {Bank::Scalar, scalar::ExecHi, &offset},
                   {Bank::Scc, 0, &scc},
                   {Bank::Mode, 0, &mode},
                   {Bank::Vgpr, 5, &offset},
                   {Bank::Scratch, 0, &scratch}};
  launch.lds = lds;
  launch.ldsBytes = 64;
  launch.scratchBytes = 8;
  RawResult r = runIt(*p, launch);
  ASSERT_FALSE(r.fault.has_value()) << r.fault->message;
  EXPECT_EQ(r.vgpr(3).lane[0], 0xabcdu);
  EXPECT_EQ(r.vgpr(3).lane[5], 0u) << "an inactive lane";
  EXPECT_EQ(r.agpr(2).lane[63], 0xabcdu) << "inactive lanes get start values too";
  EXPECT_EQ(r.scalar(5), 1u);
  EXPECT_EQ(r.scalar(7), 11u);
  EXPECT_EQ(r.scalar(8), 0xf0u);
  EXPECT_EQ(r.vgpr(4).lane[0], 0xfu);
  EXPECT_EQ(r.scratch[0].lane[0], 7u);
  EXPECT_EQ(r.scratch[1].lane[0], 0xabcdu);
  EXPECT_EQ(r.scratch[1].lane[9], 0u);
  uint32_t stored;
  std::memcpy(&stored, r.lds.data() + 8, 4);
  EXPECT_EQ(stored, 0xabcdu);
  EXPECT_EQ(r.lds[0], std::byte(0x11));
  EXPECT_EQ(r.lds.size(), 64u);
  EXPECT_EQ(r.ends[0].scc, 0u);
}

TEST(EmulatorRaw, WavesMeetAtBarriers) {
  // Wave w writes its number to LDS and reads its right neighbour's after the barrier.
  auto p = program("gfx1100", R"(
      v_mov_b32 v1, s0
      v_lshlrev_b32 v2, 2, v1
      ds_store_b32 v2, v1
      s_waitcnt lgkmcnt(0)
      s_barrier
      v_mov_b32 v3, s1
      ds_load_b32 v4, v3
      s_waitcnt lgkmcnt(0))");
  ASSERT_TRUE(p);
  constexpr unsigned groups = 2, waves = 5;
  std::vector<uint32_t> own, next;
  for (unsigned g = 0; g < groups; ++g)
    for (unsigned w = 0; w < waves; ++w)
      own.push_back(w), next.push_back(4 * ((w + 1) % waves));
  RawLaunch launch;
  launch.groups = groups, launch.waves = waves;
  launch.ldsBytes = 64;
  launch.values = {{Bank::Scalar, 0, own.data(), waves, 1}, {Bank::Scalar, 1, next.data(), waves, 1}};
  for (unsigned threads : {1u, 2u}) {
    launch.options.threads = threads;
    RawResult r = runIt(*p, launch);
    ASSERT_FALSE(r.fault.has_value());
    for (unsigned g = 0; g < groups; ++g)
      for (unsigned w = 0; w < waves; ++w)
        EXPECT_EQ(r.vgpr(4, w, g).lane[7], (w + 1) % waves);
  }
}

TEST(EmulatorRaw, MemoryAtAddressesAndCodeAsData) {
  auto p = program("gfx1201", R"(
      global_load_b32 v2, v[0:1], off offset:4
      s_wait_loadcnt 0x0
      global_store_b32 v[0:1], v2, off offset:8
      s_getpc_b64 s[0:1]
      s_load_b32 s2, s[0:1], 0x0
      s_wait_kmcnt 0x0)");
  ASSERT_TRUE(p);
  std::vector<uint32_t> memory = {1, 2, 3};
  uint32_t low = 0x1000, exec = 1;
  RawLaunch launch;
  launch.memory = {{0x1000, memory.data(), 12, false, "three words"}};
  launch.values = {{Bank::Vgpr, 0, &low}, {Bank::Scalar, scalar::ExecLo, &exec}};
  RawResult r = runIt(*p, launch);
  ASSERT_FALSE(r.fault.has_value()) << r.fault->message;
  EXPECT_EQ(memory[2], 2u);
  uint64_t next = p->program().instructions[4].address;
  EXPECT_EQ(r.scalar(0), uint32_t(next));
  EXPECT_EQ(r.scalar(1), uint32_t(next >> 32));
  uint32_t word;
  std::memcpy(&word, p->code().data() + (next - p->address()), 4);
  EXPECT_EQ(r.scalar(2), word);

  // Outside: the fault has the line of the text, and the state is there.
  low = 0x1004;
  r = runIt(*p, launch);
  ASSERT_TRUE(r.fault.has_value());
  EXPECT_EQ(r.fault->kind, ErrorKind::Check);
  EXPECT_EQ(r.fault->place.file, "<asm>");
  EXPECT_EQ(r.fault->place.line, 4u);
  EXPECT_NE(r.fault->message.find("three words"), std::string::npos) << r.fault->message;
  EXPECT_NE(r.fault->message.find("global_store_b32"), std::string::npos) << r.fault->message;
  EXPECT_EQ(r.ends[0].state, WaveState::Failed);
  EXPECT_EQ(r.ends[0].pc, p->program().instructions[2].address);
  EXPECT_EQ(r.vgpr(2).lane[0], 2u);
  EXPECT_EQ(r.statistics.waveInstructions, 3u);
}

TEST(EmulatorRaw, BytesAtAnAddress) {
  auto text = program("gfx942", "s_getpc_b64 s[0:1]\ns_mov_b32 s2, 7");
  ASSERT_TRUE(text);
  auto made = RawProgram::fromBytes(chip("gfx942"), 64, text->code(), 0x20000);
  ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
  RawLaunch launch;
  RawResult r = runIt(**made, launch);
  EXPECT_EQ(r.scalar(0), 0x20004u);
  EXPECT_EQ(r.scalar(2), 7u);
  launch.pc = 0x20004;
  r = runIt(**made, launch);
  EXPECT_EQ(r.scalar(0), 0u);
  EXPECT_EQ(r.scalar(2), 7u);
  launch.pc = 0x20006;
  EXPECT_NE(failureOf(**made, launch).message.find("0x20006"), std::string::npos);
}

TEST(EmulatorRaw, BlocksOfWorkItems) {
  auto p = program("gfx1100", "v_mov_b32 v1, v0", 32);
  ASSERT_TRUE(p);
  RawLaunch launch;
  launch.block = Dim3{5, 3, 3};
  RawResult r = runIt(*p, launch);
  ASSERT_EQ(r.waves, 2u);
  EXPECT_EQ(r.vgpr(1, 1).lane[0], (32u % 5) | (32u / 5 % 3) << 10 | (32u / 15) << 20);
  EXPECT_EQ(r.scalar(scalar::ExecLo, 1), (1u << (45 - 32)) - 1);
  EXPECT_EQ(r.vgpr(1, 1).lane[13], 0u);
}

TEST(EmulatorRaw, RelativeRegistersReachTheWholeFile) {
  auto p = program("gfx1100", "v_movreld_b32 v0, v1");
  ASSERT_TRUE(p);
  uint32_t index = 200, value = 77;
  RawLaunch launch;
  launch.values = {{Bank::Scalar, scalar::M0, &index}, {Bank::Vgpr, 1, &value}};
  RawResult r = runIt(*p, launch);
  ASSERT_FALSE(r.fault.has_value()) << r.fault->message;
  EXPECT_EQ(r.vgprs, 256u);
  EXPECT_EQ(r.vgpr(200).lane[3], 77u);
}

TEST(EmulatorRaw, BudgetStopsALoop) {
  auto p = program("gfx1100", "s_nop 0\nloop:\ns_branch loop");
  ASSERT_TRUE(p);
  RawLaunch launch;
  launch.options.instructionBudget = 1000;
  RawResult r = runIt(*p, launch);
  ASSERT_TRUE(r.fault.has_value());
  EXPECT_NE(r.fault->message.find("budget of 1000"), std::string::npos) << r.fault->message;
  EXPECT_EQ(r.ends[0].state, WaveState::Running);
  EXPECT_EQ(r.statistics.waveInstructions, 1000u);
}

TEST(EmulatorRaw, RefusesWithNumbers) {
  auto p = program("gfx1100", "s_nop 0");
  ASSERT_TRUE(p);
  uint32_t word = 0;
  std::vector<std::byte> bytes(128);
  auto refused = [&](auto change, const char *part) {
    RawLaunch launch;
    change(launch);
    Failure f = failureOf(*p, launch);
    EXPECT_EQ(f.kind, ErrorKind::Launch);
    EXPECT_NE(f.message.find(part), std::string::npos) << f.message;
  };
  refused([&](RawLaunch &l) { l.values = {{Bank::Vgpr, 256, &word}}; }, "v256 was given a value; gfx1100 has v0 to");
  refused([&](RawLaunch &l) { l.values = {{Bank::Agpr, 0, &word}}; }, "a0 was given a value; there are none");
  refused([&](RawLaunch &l) { l.values = {{Bank::Scalar, 128, &word}}; }, "scalar register 128");
  refused([&](RawLaunch &l) { l.values = {{Bank::Scratch, 0, &word}}; }, "scratch dword 0");
  refused([&](RawLaunch &l) { l.groups = 0; }, "0 work-groups");
  refused([&](RawLaunch &l) { l.waves = 0; }, "0 waves");
  refused([&](RawLaunch &l) { l.waves = 1025; }, "1025 waves");
  refused([&](RawLaunch &l) { l.block = Dim3{1025, 1, 1}; }, "1025 work-items");
  refused([&](RawLaunch &l) { l.ldsBytes = 65537; }, "65537 bytes of LDS");
  refused([&](RawLaunch &l) { l.lds = bytes, l.ldsBytes = 64; }, "128 bytes of LDS content");
  refused([&](RawLaunch &l) { l.scratchBytes = 6; }, "6 bytes of scratch");
  refused([&](RawLaunch &l) { l.memory = {{RawProgram::DefaultAddress, bytes.data(), 8}}; }, "share addresses");
  refused([&](RawLaunch &l) { l.memory = {{~0ull - 3, bytes.data(), 8}}; }, "past the end of the address space");
  refused([&](RawLaunch &l) { l.memory = {{0x1000000000000, bytes.data(), 8}}; }, "flat addresses");
  refused([&](RawLaunch &l) { l.pc = 0x10; }, "no instruction of the code starts at 0x10");
}

TEST(EmulatorRaw, AssemblerErrorsHavePlaces) {
  struct Case {
    const char *text;
    unsigned line, column;
    const char *part;
  } cases[] = {
      {"s_nop 0\n  v_add_f32 v0, v1", 2, 3, "too few operands"},
      {"v_add_f33 v0, v1, v2", 1, 1, "invalid instruction"},
      {"v_mov_b32 v0, v256", 1, 15, "register index is out of range"},
      {"s_branch nowhere", 1, 10, "nowhere"},
      {"s_add_u32 s0, s0, far@rel32@lo+4", 0, 0, "the address of far is known only to a linker"},
      {".data\n.long 4\n", 0, 0, ".data"},
  };
  for (const Case &c : cases) {
    auto made = RawProgram::assemble(chip("gfx1100"), 0, c.text);
    ASSERT_FALSE(bool(made)) << c.text;
    Failure f = takeFailure(made.takeError());
    EXPECT_EQ(f.kind, ErrorKind::Compile) << c.text;
    EXPECT_NE(f.message.find(c.part), std::string::npos) << f.message;
    EXPECT_EQ(f.place.file, "<asm>");
    EXPECT_EQ(f.place.line, c.line) << f.message;
    EXPECT_EQ(f.place.column, c.column) << f.message;
  }
  auto wave = RawProgram::assemble(chip("gfx942"), 32, "s_nop 0");
  ASSERT_FALSE(bool(wave));
  EXPECT_NE(takeFailure(wave.takeError()).message.find("no waves of 32"), std::string::npos);
  auto chip1250 = RawProgram::assemble(chip("gfx1250"), 32, "s_nop 0");
  ASSERT_FALSE(bool(chip1250));
  EXPECT_NE(takeFailure(chip1250.takeError()).message.find("not emulated"), std::string::npos);
  auto odd = RawProgram::fromBytes(chip("gfx942"), 64, std::vector<std::byte>(6));
  ASSERT_FALSE(bool(odd));
  EXPECT_NE(takeFailure(odd.takeError()).message.find("6 bytes of code"), std::string::npos);
  auto misaligned = RawProgram::fromBytes(chip("gfx942"), 64, {}, 0x1002);
  ASSERT_FALSE(bool(misaligned));
  EXPECT_NE(takeFailure(misaligned.takeError()).message.find("0x1002"), std::string::npos);
}

} // namespace
