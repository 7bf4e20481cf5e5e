// Reads what clang makes for every chip, and what is left of it after damage.
#include "codeobject_support.h"

#include <cstring>
#include <thread>

using namespace wavewright;
using namespace wavewright::codeobject;
using namespace wavewright::codeobject::test;

namespace {

std::shared_ptr<const CodeObject> readGood(llvm::ArrayRef<std::byte> bytes) {
  auto object = CodeObject::read(bytes, "sample.co");
  EXPECT_TRUE(bool(object)) << llvm::toString(object.takeError());
  return object ? *object : nullptr;
}

class EveryChip : public testing::TestWithParam<std::tuple<const char *, const char *>> {};
INSTANTIATE_TEST_SUITE_P(Compiled, EveryChip, testing::Combine(testing::ValuesIn(chips), testing::Values("-O0", "-O3")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + (std::get<1>(info.param) + 1);
                         });

TEST_P(EveryChip, ReadsAndDecodes) {
  auto [chip, level] = GetParam();
  std::vector<std::byte> bytes = compileHip(sampleSource, chip, {level, "-gline-tables-only"});
  auto object = readGood(bytes);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->target().name, chip);
  EXPECT_EQ(object->abiVersion(), 6u);
  ASSERT_EQ(object->kernels().size(), 2u);
  bool cdna = object->target().isCdna();
  for (const Kernel &kernel : object->kernels()) {
    EXPECT_EQ(kernel.waveSize, cdna ? 64u : 32u);
    EXPECT_EQ(kernel.ldsBytes, kernel.name == "reverse" ? 1024u : 0u);
    EXPECT_EQ(kernel.descriptor.groupSegmentBytes, kernel.ldsBytes);
    EXPECT_EQ(kernel.entryAddress % 256, 0u);
    EXPECT_GE(kernel.allocatedVgprs, kernel.vgprs);
    EXPECT_EQ(kernel.allocatedVgprs % unsigned(object->target().registers.vgprGranule), 0u);
    EXPECT_TRUE(llvm::StringRef(kernel.place.file).ends_with("kernel.hip")) << kernel.place.file;
    EXPECT_EQ(kernel.place.line,
              kernel.name == "saxpy" ? (std::string(level) == "-O0" ? 8u : kernel.place.line) : kernel.place.line);
    const Program &program = object->program(kernel);
    ASSERT_GE(program.indexAt(kernel.entryAddress), 0);
    uint64_t end = 0;
    for (const Instruction &inst : program.instructions) {
      EXPECT_NE(inst.encoding, Encoding::Unknown) << std::hex << inst.address;
      EXPECT_GE(inst.address, end) << "addresses ascend";
      end = inst.address + inst.size;
      EXPECT_FALSE(object->disassemble(inst.address).empty());
    }
    EXPECT_EQ(&program, &object->program(kernel)) << "decoded once";
  }
  const Kernel *saxpy = llvm::cantFail(object->kernel("saxpy"));
  ASSERT_GE(saxpy->arguments.size(), 4u);
  EXPECT_EQ(saxpy->arguments[0].valueKind, "global_buffer");
  EXPECT_EQ(saxpy->arguments[0].offset, 0u);
  EXPECT_EQ(saxpy->arguments[1].offset, 8u);
  EXPECT_EQ(saxpy->arguments[2].valueKind, "by_value");
  EXPECT_EQ(saxpy->arguments[2].offset, 16u);
  EXPECT_EQ(saxpy->arguments[3].offset, 20u);
  EXPECT_EQ(saxpy->arguments[3].size, 4u);
  EXPECT_FALSE(saxpy->arguments[3].hidden());
  bool table = false;
  for (const Symbol &symbol : object->symbols())
    table |= symbol.object && symbol.name == "table" && symbol.size == 64;
  EXPECT_TRUE(table);
  std::string error = llvm::toString(object->kernel("saxpi").takeError());
  EXPECT_EQ(error, "sample.co has no kernel \"saxpi\"; it has saxpy, reverse");
}

TEST(Read, DescriptorOfGfx1100) {
  // Numbers as llvm-readelf-22 and the assembler's .amdhsa_ directives show them for this kernel.
  std::vector<std::byte> bytes = compileHip("extern \"C\" __global__ void k(int *p) { *p = 1; }", "gfx1100", {"-O3"});
  auto object = readGood(bytes);
  ASSERT_TRUE(object);
  const Kernel &kernel = object->kernels()[0];
  EXPECT_EQ(kernel.descriptor.kernargBytes, 8u);
  EXPECT_EQ(kernel.descriptor.privateSegmentBytes, 0u);
  EXPECT_TRUE(kernel.descriptor.wave32());
  EXPECT_EQ(kernel.descriptor.properties & 0x8, 0x8) << "kernarg pointer in user SGPRs";
  EXPECT_EQ(kernel.vgprs, 2u);
  EXPECT_EQ(kernel.allocatedVgprs, 24u);
  EXPECT_EQ(kernel.firstAgpr, 0u);
  EXPECT_EQ(kernel.entryAddress, kernel.descriptorAddress + uint64_t(kernel.descriptor.entryOffset));
  EXPECT_FALSE(kernel.place) << "no line table was made";
}

TEST(Read, InlinedFramesAreTheInnermost) {
  const char *source = "__device__ float square(float x) {\n  return x * x;\n}\n"
                       "extern \"C\" __global__ void k(float *p) {\n  *p = square(*p);\n}\n";
  std::vector<std::byte> bytes = compileHip(source, "gfx1100", {"-O3", "-g"});
  auto object = readGood(bytes);
  ASSERT_TRUE(object);
  bool found = false;
  for (const Instruction &inst : object->program(object->kernels()[0]).instructions)
    if (inst.name == "v_mul_f32") {
      found = true;
      EXPECT_EQ(object->place(inst.address).line, 2u);
    }
  EXPECT_TRUE(found);
  EXPECT_FALSE(object->place(0xdeadbeef));
}

TEST(Read, ProgramsCanBeAskedForFromManyThreads) {
  std::vector<std::byte> bytes = compileHip(sampleSource, "gfx942", {"-O3", "-g"});
  auto object = readGood(bytes);
  ASSERT_TRUE(object);
  std::vector<const Program *> seen(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < seen.size(); ++i)
    threads.emplace_back([&, i] {
      seen[i] = &object->program(object->kernels()[0]);
      object->place(object->kernels()[0].entryAddress);
      object->disassemble(object->kernels()[0].entryAddress);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Program *program : seen)
    EXPECT_EQ(program, seen[0]);
}

std::string errorOf(llvm::ArrayRef<std::byte> bytes) {
  auto object = CodeObject::read(bytes, "bad.co");
  if (object)
    return "";
  Failure failure = takeFailure(object.takeError());
  EXPECT_EQ(failure.kind, ErrorKind::Usage);
  return failure.message;
}

TEST(Read, SaysWhatIsWrong) {
  std::vector<std::byte> good = compileHip("extern \"C\" __global__ void k() {}", "gfx942", {"-O3"});
  ASSERT_FALSE(good.empty());
  auto patched = [&](size_t offset, std::initializer_list<uint8_t> values) {
    std::vector<std::byte> bytes = good;
    for (uint8_t value : values)
      bytes[offset++] = std::byte(value);
    return bytes;
  };
  EXPECT_EQ(errorOf({}), "bad.co: at offset 0x0: expected an ELF file (7f 45 4c 46)");
  EXPECT_EQ(errorOf(llvm::ArrayRef(good).take_front(10)),
            "bad.co: at offset 0x0: expected 64 bytes of ELF header, the file ends at 0xa");
  EXPECT_EQ(errorOf(patched(4, {1})), "bad.co: at offset 0x4: expected a 64-bit ELF file (2), found class 1");
  EXPECT_EQ(errorOf(patched(18, {62, 0})), "bad.co: at offset 0x12: expected machine 224 (AMDGPU), found 62");
  EXPECT_EQ(errorOf(patched(8, {9})), "bad.co: at offset 0x8: expected code object version 4, 5 or 6 (ABI version 2, "
                                      "3 or 4), found ABI version 9");
  std::string unknownChip = errorOf(patched(48, {0x2c}));
  EXPECT_NE(unknownChip.find("at offset 0x30"), std::string::npos) << unknownChip;
  EXPECT_NE(unknownChip.find("chip number 0x2c"), std::string::npos) << unknownChip;
  EXPECT_NE(unknownChip.find("gfx942, gfx950, gfx1100, gfx1151, gfx1201"), std::string::npos) << unknownChip;
}

TEST(Read, RelocatableObjectsAreToBeLinked) {
  std::vector<std::byte> bytes = compileHip("extern \"C\" __global__ void k() {}", "gfx942", {"-O3", "-c"});
  ASSERT_FALSE(bytes.empty());
  uint16_t relocatable = 1;
  std::memcpy(bytes.data() + 16, &relocatable, 2);
  EXPECT_NE(errorOf(bytes).find("link it with ld.lld"), std::string::npos);
}

/// Reads damaged bytes to the end: kernels, programs, places and text. Either an error or a walk, never a crash.
void walk(llvm::ArrayRef<std::byte> bytes) {
  auto object = CodeObject::read(bytes, "damaged.co");
  if (!object) {
    std::string message = llvm::toString(object.takeError());
    ASSERT_NE(message.find("damaged.co"), std::string::npos) << message;
    return;
  }
  for (const Kernel &kernel : (*object)->kernels()) {
    const Program &program = (*object)->program(kernel);
    for (uint32_t block : program.blocks)
      (*object)->disassemble(program.instructions[block].address);
    (*object)->place(kernel.entryAddress);
  }
}

TEST(Damage, EveryTruncationIsAnErrorOrAWalk) {
  std::vector<std::byte> good = compileHip("extern \"C\" __global__ void k(int *p) { *p = 1; }", "gfx1100", {"-O3"});
  ASSERT_FALSE(good.empty());
  for (size_t size = 0; size < good.size(); ++size)
    walk(llvm::ArrayRef(good).take_front(size));
}

TEST(Damage, EveryFlippedByteIsAnErrorOrAWalk) {
  std::vector<std::byte> good =
      compileHip("extern \"C\" __global__ void k(int *p) { *p = 1; }", "gfx942", {"-O3", "-g"});
  ASSERT_FALSE(good.empty());
  walk(good);
  for (size_t i = 0; i < good.size(); ++i)
    for (std::byte flip : {std::byte(0xff), std::byte(0x01), std::byte(0x80)}) {
      std::vector<std::byte> bytes = good;
      bytes[i] ^= flip;
      walk(bytes);
    }
}

} // namespace
