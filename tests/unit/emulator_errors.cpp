// What a launch says when it cannot go on.
#include "hip_kernels.h"

#include <chrono>
#include <thread>

using namespace hiptest;

namespace {

const Variant gfx1100{"gfx1100", "-O3", ""}, gfx942{"gfx942", "-O3", ""};

TEST(EmulatorErrors, AccessOutsideNamesEverything) {
  auto object = compile("KERNEL past(int *a, int n) {\n  a[BID * 64 + TID + n] = 1;\n}\n", gfx942);
  ASSERT_TRUE(object);
  Device d(object);
  std::vector<int> a(64);
  uint64_t pa = d.wrap(a, "argument 0 (a)");
  Failure f = d.failure("past", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(int(3)));
  EXPECT_EQ(f.kind, ErrorKind::Check);
  for (const char *part :
       {"kernel past", "writes 4 bytes", "lane 61", "0 bytes past the end of argument 0 (a)", "global_store_dword"})
    EXPECT_NE(f.message.find(part), std::string::npos) << part << " in: " << f.message;
  EXPECT_NE(f.place.line, 0u) << f.message;
  LaunchOptions off;
  off.checks = emulator::CheckMode::Off;
  EXPECT_EQ(d.failure("past", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(pa).add(int(3)), off).kind, ErrorKind::Launch);
}

TEST(EmulatorErrors, ReadOnlyAndFreedMemory) {
  auto object = compile("KERNEL set(int *a) { a[TID] = 1; }", gfx1100);
  ASSERT_TRUE(object);
  Device d(object);
  std::vector<int> a(32);
  auto constant = d.memory.wrap(a.data(), 128, "weights", true);
  ASSERT_TRUE(bool(constant));
  Failure f = d.failure("set", {{1, 1, 1}, {32, 1, 1}}, Arguments().add(*constant));
  EXPECT_NE(f.message.find("weights"), std::string::npos) << f.message;
  EXPECT_NE(f.message.find("read-only"), std::string::npos) << f.message;
  auto memory = d.memory.allocate(128);
  ASSERT_TRUE(bool(memory));
  ASSERT_FALSE(bool(d.memory.release(*memory)));
  EXPECT_EQ(d.failure("set", {{1, 1, 1}, {32, 1, 1}}, Arguments().add(*memory)).kind, ErrorKind::Check);
  llvm::Error again = d.memory.release(*memory);
  ASSERT_TRUE(bool(again));
  EXPECT_NE(llvm::toString(std::move(again)).find("no allocation starts"), std::string::npos);
}

TEST(EmulatorErrors, LimitsWithTheirNumbers) {
  auto object =
      compile("KERNEL k(int *a) { extern __shared__ int s[]; s[TID] = TID; sync(); a[TID] = s[0]; }", gfx1100);
  ASSERT_TRUE(object);
  Device d(object);
  std::vector<int> a(2048);
  uint64_t pa = d.wrap(a);
  auto expect = [&](const Failure &f, std::initializer_list<const char *> parts) {
    EXPECT_EQ(f.kind, ErrorKind::Launch);
    for (const char *part : parts)
      EXPECT_NE(f.message.find(part), std::string::npos) << part << " in: " << f.message;
  };
  expect(d.failure("k", {{1, 1, 1}, {2048, 1, 1}}, Arguments().add(pa)), {"2048", "1024"});
  expect(d.failure("k", {{0, 1, 1}, {64, 1, 1}}, Arguments().add(pa)), {"0x1x1"});
  LaunchConfig large{{1, 1, 1}, {64, 1, 1}, 70000};
  expect(d.failure("k", large, Arguments().add(pa)), {"70000", "65536"});
  expect(d.failure("k", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(int(1))), {"4 bytes of arguments", "takes 8"});
  // Without dynamic LDS the kernel's array has no bytes.
  Failure f = d.failure("k", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(pa));
  EXPECT_EQ(f.kind, ErrorKind::Check);
  EXPECT_NE(f.message.find("LDS"), std::string::npos) << f.message;
  LaunchConfig right{{1, 1, 1}, {64, 1, 1}, 256};
  d.run("k", right, Arguments().add(pa));
}

TEST(EmulatorErrors, Trap) {
  auto object = compile("KERNEL stop(int *a) { if (a[TID] == 5) __builtin_trap(); a[TID] = 1; }", gfx942);
  ASSERT_TRUE(object);
  Device d(object);
  std::vector<int> a(64);
  uint64_t pa = d.wrap(a);
  d.run("stop", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(pa));
  a[7] = 5;
  Failure f = d.failure("stop", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(pa));
  EXPECT_NE(f.message.find("s_trap 2"), std::string::npos) << f.message;
}

TEST(EmulatorErrors, BudgetAndInterrupt) {
  auto object = compile("KERNEL spin(volatile int *a) { while (a[0] == 0) {} a[1] = 2; }", gfx942);
  ASSERT_TRUE(object);
  Device d(object);
  std::vector<int> a(2);
  uint64_t pa = d.wrap(a);
  LaunchOptions options;
  options.instructionBudget = 100000;
  Failure f = d.failure("spin", {{4, 1, 1}, {64, 1, 1}}, Arguments().add(pa), options);
  EXPECT_EQ(f.kind, ErrorKind::Launch);
  EXPECT_NE(f.message.find("100000"), std::string::npos) << f.message;

  std::atomic<bool> interrupt{false};
  LaunchOptions patient;
  patient.interrupt = &interrupt;
  std::chrono::steady_clock::time_point asked;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    asked = std::chrono::steady_clock::now();
    interrupt = true;
  });
  Failure stopped = d.failure("spin", {{4, 1, 1}, {64, 1, 1}}, Arguments().add(pa), patient);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
  user.join();
  EXPECT_NE(stopped.message.find("interrupted"), std::string::npos) << stopped.message;
  EXPECT_LT(seconds, 0.2);
}

TEST(EmulatorErrors, GroupsThatWaitForEachOther) {
  // Every group waits until all have arrived: only works when groups give way.
  auto object = compile(R"(
KERNEL gather(u32 *count, u32 n, u32 *o) {
  __hip_atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
  while (__hip_atomic_load(count, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < n) __builtin_amdgcn_s_sleep(1);
  o[BID * 64 + TID] = n;
})",
                        gfx1100);
  ASSERT_TRUE(object);
  Device d(object);
  std::vector<uint32_t> count(1), o(64 * 8);
  uint64_t pc = d.wrap(count), po = d.wrap(o);
  d.run("gather", {{8, 1, 1}, {64, 1, 1}}, Arguments().add(pc).add(uint32_t(8 * 64)).add(po));
  for (uint32_t x : o)
    ASSERT_EQ(x, 8u * 64);
}

} // namespace
