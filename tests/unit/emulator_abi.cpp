// What a kernel finds when it starts, in code objects of versions 5 and 6: registers, hidden arguments, LDS, globals.
// [AMDGPUUsage, "Initial Kernel Execution State" and "Kernel Argument Metadata"]
#include "hip_kernels.h"

#include "wavewright/emulator/context.h"

#include <map>

using namespace hiptest;

namespace {

std::vector<Variant> abiVariants() {
  std::vector<Variant> all;
  for (const char *version : {"5", "6"})
    for (const char *arch : {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"}) {
      std::string flag = std::string("-mcode-object-version=") + version;
      all.push_back({arch, std::string(version) == "5" ? "-O3" : "-O1", flag});
      if (std::string(arch).substr(0, 4) != "gfx9")
        all.push_back({arch, "-O2", flag + " -mwavefrontsize64"});
    }
  return all;
}

class Abi : public ::testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(All, Abi, ::testing::ValuesIn(abiVariants()), [](const auto &info) {
  std::string extra = info.param.extra;
  return info.param.name() + "_v" + extra.substr(extra.find("version=") + 8, 1);
});

uint64_t load64(const std::vector<uint32_t> &o, unsigned i) { return uint64_t(o[i + 1]) << 32 | o[i]; }

const char *source = R"(
extern __shared__ u32 dynamic[];
__shared__ u32 fixed[20];
KERNEL hidden(u32 *o, char odd) {
  const __attribute__((address_space(4))) u32 *block = (const __attribute__((address_space(4))) u32 *)__builtin_amdgcn_implicitarg_ptr();
  if (TID || TIDY || BID || BIDY || BIDZ) return;
  fixed[odd] = 1; dynamic[odd] = 2;
  for (int i = 0; i < 64; ++i) o[i] = block[i];
  o[64] = fixed[odd] + dynamic[odd];
}
KERNEL state(u64 *o, u32 *ids) {
  const __attribute__((address_space(4))) char *packet = (const __attribute__((address_space(4))) char *)__builtin_amdgcn_dispatch_ptr();
  u32 flat = (BIDZ * 2 + BIDY) * 3 + BID, item = (TIDZ * 4 + TIDY) * 5 + TID;
  ids[flat * 40 + item] = BID | BIDY << 4 | BIDZ << 8 | TID << 12 | TIDY << 16 | TIDZ << 20;
  if (flat || item) return;
  o[0] = *(const __attribute__((address_space(4))) unsigned short *)(packet + 4);
  o[1] = *(const __attribute__((address_space(4))) unsigned short *)(packet + 6);
  o[2] = *(const __attribute__((address_space(4))) unsigned short *)(packet + 8);
  o[3] = *(const __attribute__((address_space(4))) u32 *)(packet + 12);
  o[4] = *(const __attribute__((address_space(4))) u32 *)(packet + 16);
  o[5] = *(const __attribute__((address_space(4))) u32 *)(packet + 20);
  o[6] = *(const __attribute__((address_space(4))) u64 *)(packet + 40) == (u64)__builtin_amdgcn_kernarg_segment_ptr();
  o[7] = *(const __attribute__((address_space(4))) u32 *)((const __attribute__((address_space(4))) char *)__builtin_amdgcn_queue_ptr() + 0x40);
  o[8] = *(const __attribute__((address_space(4))) u64 *)__builtin_amdgcn_kernarg_segment_ptr();
}
__device__ int counters[4] = {1, 20, 300, 4000};
__device__ int *second = &counters[1];
__constant__ short small[3] = {-1, 2, -3};
__device__ int untouched[8];
__device__ __attribute__((noinline)) int twice(int x) { return 2 * x; }
__device__ __attribute__((noinline)) int square(int x) { return x * x; }
__device__ __attribute__((noinline)) int deep(int n, int *seen) { return n ? deep(n - 1, seen) + seen[n & 3] : 5; }
typedef int (*Function)(int);
__device__ Function table[2] = {twice, square};
KERNEL first(int *o, int which) {
  if (TID) return;
  o[0] = second[1]; o[1] = small[2]; o[2] = untouched[3]; o[3] = table[which](7); o[4] = table[1 - which](7);
  int local[4] = {1, 2, 3, 4}; o[5] = deep(6, local); *second = 99;
}
KERNEL other(int *o) { o[TID] = counters[1] + twice(TID); }
)";

/// One compilation a variant serves all tests.
std::shared_ptr<const codeobject::CodeObject> compiled(const Variant &v) {
  static std::map<std::string, std::shared_ptr<const codeobject::CodeObject>> objects;
  auto [slot, fresh] = objects.try_emplace(v.arch + v.opt + v.extra);
  if (fresh)
    slot->second = compile(source, v);
  return slot->second;
}

TEST_P(Abi, HiddenArguments) {
  auto object = compiled(GetParam());
  ASSERT_NE(object, nullptr);
  Device device(object);
  std::vector<uint32_t> o(65, 0xdeadbeef);
  LaunchConfig config{{3, 5, 7}, {8, 4, 1}, 4096};
  device.run("hidden", config, Arguments().add(device.wrap(o)).add(char(3)));
  EXPECT_EQ(o[0], 3u);
  EXPECT_EQ(o[1], 5u);
  EXPECT_EQ(o[2], 7u);
  EXPECT_EQ(o[3], 8u | 4u << 16);
  EXPECT_EQ(o[4], 1u); // and no remainder in x
  EXPECT_EQ(o[5], 0u); // nor in y, z
  for (unsigned i : {10u, 12u, 14u})
    EXPECT_EQ(load64(o, i), 0u); // global offsets
  EXPECT_EQ(o[16] & 0xffff, 3u);
  EXPECT_EQ(o[30], 4096u);
  EXPECT_EQ(o[64], 3u);
  // The apertures are sources of their own on all these chips: the metadata does not list their words.
  EXPECT_EQ(o[48], 0u);
  EXPECT_EQ(o[49], 0u);
  EXPECT_NE(load64(o, 50), 0u);
}

TEST_P(Abi, PacketQueueAndIds) {
  auto object = compiled(GetParam());
  ASSERT_NE(object, nullptr);
  Device device(object);
  std::vector<uint64_t> o(9, 77);
  std::vector<uint32_t> ids(12 * 40);
  uint64_t address = device.wrap(o);
  device.run("state", {{3, 2, 2}, {5, 4, 2}}, Arguments().add(address).add(device.wrap(ids)));
  EXPECT_EQ(o, (std::vector<uint64_t>{5, 4, 2, 15, 8, 4, 1, emulator::Context::SharedAperture, address}));
  for (uint32_t flat = 0; flat < 12; ++flat)
    for (uint32_t item = 0; item < 40; ++item)
      ASSERT_EQ(ids[flat * 40 + item],
                flat % 3 | flat / 3 % 2 << 4 | flat / 6 << 8 | item % 5 << 12 | item / 5 % 4 << 16 | item / 20 << 20);
}

TEST_P(Abi, GlobalsFunctionsAndRelocations) {
  auto object = compiled(GetParam());
  ASSERT_NE(object, nullptr);
  Device device(object);
  std::vector<int32_t> o(64);
  uint64_t address = device.wrap(o);
  device.run("first", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(address).add(int(1)));
  // deep: seen[2], [1], [0], [3], [2], [1], then the 5.
  EXPECT_EQ(std::vector<int32_t>(o.begin(), o.begin() + 6),
            (std::vector<int32_t>{300, -3, 0, 49, 14, 5 + 3 + 2 + 1 + 4 + 3 + 2}));
  device.run("other", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(address));
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(o[size_t(i)], 99 + 2 * i);
  uint64_t bytes = 0;
  auto global = device.module->global("counters", &bytes);
  ASSERT_TRUE(bool(global));
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(*reinterpret_cast<int32_t *>(device.memory.translate(*global, 16) + 4), 99);
}

TEST(AbiGfx9, PreloadedArgumentsAndAccumulators) {
  for (const char *arch : {"gfx942", "gfx950"})
    for (const char *opt : {"-O1", "-O3"}) {
      Variant v{arch, opt, ""};
      auto object = compile(R"(
KERNEL preloaded(u32 *o, int a, short b, char c, u64 d, float e) {
  o[TID] = a + b * 2 + c * 3 + (u32)d + (u32)(d >> 32) + (u32)e + BID;
}
KERNEL accumulators(const float *x, float *o) {
  float values[96];
  for (int i = 0; i < 96; ++i) values[i] = x[i * 64 + TID];
  float kept;
  asm volatile("v_accvgpr_write_b32 %0, %1" : "=a"(kept) : "v"(values[5]));
  float sum = 0;
  for (int i = 0; i < 96; ++i) sum = sum * 0.5f + values[i];
  float back;
  asm volatile("v_accvgpr_read_b32 %0, %1" : "=v"(back) : "a"(kept));
  o[TID] = sum + back;
})",
                            v, "-mllvm -amdgpu-kernarg-preload-count=8");
      ASSERT_NE(object, nullptr);
      auto kernel = object->kernel("preloaded");
      ASSERT_TRUE(bool(kernel));
      EXPECT_NE((*kernel)->descriptor.kernargPreload & 0x7f, 0) << "the compiler preloads nothing: not what is tested";
      Device device(object);
      std::vector<uint32_t> o(64);
      device.run("preloaded", {{3, 1, 1}, {64, 1, 1}},
                 Arguments()
                     .add(device.wrap(o))
                     .add(int(-1000))
                     .add(short(-7))
                     .add(char(5))
                     .add(uint64_t(7) << 32 | 9)
                     .add(2.5f));
      // Groups go in order or not, the last writer is any of the three.
      EXPECT_EQ((o[9] - uint32_t(-1000 - 14 + 15 + 9 + 7 + 2)) / 3, 0u);
      std::vector<float> x(96 * 64), sums(64);
      for (unsigned i = 0; i < x.size(); ++i)
        x[i] = float(i % 101) - 50;
      device.run("accumulators", {{1, 1, 1}, {64, 1, 1}}, Arguments().add(device.wrap(x)).add(device.wrap(sums)));
      for (unsigned lane = 0; lane < 64; ++lane) {
        float sum = 0;
        for (unsigned i = 0; i < 96; ++i)
          sum = sum * 0.5f + x[i * 64 + lane];
        EXPECT_EQ(sums[lane], sum + x[5 * 64 + lane]);
      }
    }
}

/// Every user SGPR that a chip with architected flat scratch can ask for, then the system's, written to memory.
std::string stateKernel(const std::string &arch, unsigned preload) {
  bool gfx9 = arch.substr(0, 4) == "gfx9", gfx12 = arch == "gfx1201";
  std::string text = ".amdgcn_target \"amdgcn-amd-amdhsa--" + arch +
                     "\"\n.amdhsa_code_object_version 6\n.text\n"
                     ".globl k\n.p2align 8\n.type k,@function\nk:\n";
  text += gfx9 ? "s_load_dwordx2 s[30:31], s[4:5], 0x0\n" : "s_load_b64 s[30:31], s[4:5], 0x0\n";
  text += gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  std::vector<std::string> sources;
  for (unsigned i = 0; i < 16; ++i)
    sources.push_back("s" + std::to_string(i));
  if (gfx12)
    for (const char *t : {"ttmp7", "ttmp8", "ttmp9"})
      sources.push_back(t);
  text += "v_lshlrev_b32 v2, 2, v0\n";
  for (unsigned i = 0; i < sources.size(); ++i)
    text += "v_mov_b32 v1, " + sources[i] + "\nv_mov_b32 v3, " + std::to_string(4 * i) + "\n" +
            (gfx9 ? "global_store_dword" : "global_store_b32") + " v3, v1, s[30:31]\n";
  text += std::string("v_and_b32 v4, 0x3ff, v0\nv_lshlrev_b32 v4, 2, v4\n") +
          (gfx9 ? "global_store_dword" : "global_store_b32") + " v4, v0, s[30:31] offset:256\ns_endpgm\n";
  text += ".rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 40\n"
          ".amdhsa_kernarg_size 24\n.amdhsa_private_segment_fixed_size 48\n.amdhsa_enable_private_segment 1\n"
          ".amdhsa_user_sgpr_dispatch_ptr 1\n.amdhsa_user_sgpr_queue_ptr 1\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
          ".amdhsa_user_sgpr_dispatch_id 1\n.amdhsa_user_sgpr_private_segment_size 1\n"
          ".amdhsa_system_sgpr_workgroup_id_x 1\n.amdhsa_system_sgpr_workgroup_id_y 1\n"
          ".amdhsa_system_sgpr_workgroup_id_z 1\n.amdhsa_system_vgpr_workitem_id 2\n";
  if (gfx9)
    text += ".amdhsa_accum_offset 8\n";
  if (preload)
    text += ".amdhsa_user_sgpr_kernarg_preload_offset 2\n.amdhsa_user_sgpr_kernarg_preload_length " +
            std::to_string(preload) + "\n";
  text +=
      ".end_amdhsa_kernel\n.amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--" + arch +
      "\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 24\n"
      "    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 48\n"
      "    .wavefront_size: " +
      (gfx9 ? "64" : "32") +
      "\n    .sgpr_count: 40\n    .vgpr_count: 8\n    .max_flat_workgroup_size: 64\n    .args:\n"
      "      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}\n"
      "      - {.offset: 8, .size: 8, .value_kind: by_value}\n      - {.offset: 16, .size: 8, .value_kind: by_value}\n"
      ".end_amdgpu_metadata\n";
  return text;
}

std::shared_ptr<const codeobject::CodeObject> assembleKernel(const std::string &arch, const std::string &text) {
  std::string dir = ::testing::TempDir() + "wavewright-abi-XXXXXX";
  if (!mkdtemp(dir.data()))
    return nullptr;
  std::ofstream(dir + "/k.s") << text;
  std::string command = "clang++-22 --target=amdgcn-amd-amdhsa -mcpu=" + arch + " -x assembler -nogpulib " + dir +
                        "/k.s -o " + dir + "/k.hsaco > " + dir + "/log 2>&1";
  int status = std::system(command.c_str());
  std::vector<std::byte> bytes = status == 0 ? readFile(dir + "/k.hsaco") : std::vector<std::byte>{};
  std::ifstream log(dir + "/log");
  std::string said(std::istreambuf_iterator<char>(log), {});
  std::filesystem::remove_all(dir);
  if (status != 0) {
    ADD_FAILURE() << said;
    return nullptr;
  }
  auto object = codeobject::CodeObject::read(bytes, "k.hsaco");
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return nullptr;
  }
  return *object;
}

TEST(AbiAssembly, EveryRegisterAtEntry) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"}) {
    bool gfx9 = std::string(arch).substr(0, 4) == "gfx9", gfx12 = std::string(arch) == "gfx1201";
    for (unsigned preload : {0u, 3u}) {
      if (preload && !gfx9)
        continue;
      SCOPED_TRACE(std::string(arch) + " preload " + std::to_string(preload));
      auto object = assembleKernel(arch, stateKernel(arch, preload));
      ASSERT_NE(object, nullptr);
      Device device(object);
      std::vector<uint32_t> o(96, 0xdeadbeef);
      uint64_t address = device.wrap(o);
      // One group; its numbers are 0, so run a grid of one in two axes and look at the last group of the third.
      device.run("k", {{1, 1, 4}, {4, 3, 2}},
                 Arguments().add(address).add(uint64_t(0x2222222211111111)).add(uint64_t(0x4444444433333333)),
                 LaunchOptions{.threads = 1});
      EXPECT_NE(load64(o, 0), 0u); // dispatch packet
      EXPECT_NE(load64(o, 2), 0u); // queue
      EXPECT_NE(load64(o, 4), 0u); // arguments
      EXPECT_EQ(load64(o, 6), 0u); // dispatch id
      EXPECT_EQ(o[8], 48u);        // scratch bytes of a lane
      unsigned next = 9;
      const uint32_t arguments[] = {0x11111111, 0x22222222, 0x33333333};
      for (unsigned i = 0; i < preload; ++i)
        EXPECT_EQ(o[next++], arguments[i]);
      if (gfx12) {
        EXPECT_EQ(o[16], 3u << 16); // ttmp7: y and z
        EXPECT_EQ(o[18], 0u);       // ttmp9: x
      } else {
        EXPECT_EQ(o[next], 0u);
        EXPECT_EQ(o[next + 1], 0u);
        EXPECT_EQ(o[next + 2], 3u);
      }
      // Work-item ids are packed; the last lane with an x wins.
      for (uint32_t x = 0; x < 4; ++x)
        EXPECT_EQ(o[64 + x], x | 2u << 10 | 1u << 20);
    }
  }
}

} // namespace
