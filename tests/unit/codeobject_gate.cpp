// The gate: numbers of real kernels, and refusals that say what to reduce.
#include "codeobject_support.h"

#include "wavewright/codeobject/gate.h"

using namespace wavewright;
using namespace wavewright::codeobject;
using namespace wavewright::codeobject::test;

namespace {

std::shared_ptr<const CodeObject> sample(const char *chip, const char *source, std::vector<std::string> options) {
  return llvm::cantFail(CodeObject::read(compileHip(source, chip, std::move(options)), "sample.co"));
}

Failure failureOf(llvm::Error error) {
  EXPECT_TRUE(bool(error));
  return takeFailure(std::move(error));
}

TEST(Gate, ReportsAKernelOfEveryChip) {
  for (const char *chip : chips) {
    auto object = sample(chip, sampleSource, {"-O3", "-gline-tables-only"});
    ResourceReport report = resources(*object, *llvm::cantFail(object->kernel("reverse")), 256);
    EXPECT_EQ(report.chip->name, chip);
    EXPECT_EQ(report.ldsBytes, 1024u);
    EXPECT_EQ(report.scratchBytes, 0u);
    EXPECT_EQ(report.agprs, 0u);
    EXPECT_TRUE(report.undecodable.empty());
    EXPECT_EQ(report.occupancy, object->target().registers.maxWavesPerSimd);
    EXPECT_EQ(report.occupancyLimit, "waves");
    EXPECT_GE(report.mix.lds, 2u);
    EXPECT_GE(report.mix.vmemLoads, 2u);
    EXPECT_EQ(report.mix.vmemStores, 1u);
    EXPECT_GE(report.mix.barriers, 1u);
    EXPECT_GE(report.mix.waits, 1u);
    EXPECT_EQ(report.mix.unknown, 0u);
    unsigned sum = report.mix.valu + report.mix.salu + report.mix.smem + report.mix.vmemLoads + report.mix.vmemStores +
                   report.mix.vmemAtomics + report.mix.ldsDma + report.mix.lds + report.mix.matrix +
                   report.mix.branches + report.mix.calls + report.mix.waits + report.mix.barriers + report.mix.hints +
                   report.mix.other + report.mix.unknown;
    EXPECT_EQ(sum, report.mix.total);
    llvm::Error error = checkResources(report);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
}

TEST(Gate, RefusesScratchWithTheNumbers) {
  auto object = sample("gfx942", sampleSource, {"-O0", "-gline-tables-only"});
  ResourceReport report = resources(*object, *llvm::cantFail(object->kernel("saxpy")), 256);
  ASSERT_GT(report.scratchBytes, 0u);
  Failure failure = failureOf(checkResources(report));
  EXPECT_EQ(failure.kind, ErrorKind::Resource);
  EXPECT_NE(failure.message.find("saxpy"), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find(fmt::format("{} bytes of scratch memory", report.scratchBytes)), std::string::npos)
      << failure.message;
  EXPECT_TRUE(bool(failure.place));
  Budgets budgets;
  budgets.allowScratch = true;
  EXPECT_FALSE(bool(checkResources(report, budgets)));
}

TEST(Gate, BudgetsOfRegistersAndOccupancy) {
  auto object = sample("gfx1100", sampleSource, {"-O3"});
  ResourceReport report = resources(*object, object->kernels()[0], 256);
  Budgets tight;
  tight.maxVgprs = 16;
  tight.minOccupancy = 17;
  Failure failure = failureOf(checkResources(report, tight));
  EXPECT_NE(failure.message.find("max_vgprs is 16"), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find("at least 17 are wanted"), std::string::npos) << failure.message;
}

TEST(Gate, SpilledVgprsAreCounted) {
  // 150 values that are all live at once, in at most 64 registers.
  const char *source = R"(
extern "C" __global__ __attribute__((amdgpu_num_vgpr(64))) void k(float *p, int n) {
  float a[150];
#pragma unroll
  for (int i = 0; i < 150; i++) a[i] = p[i * 64 + n];
#pragma unroll
  for (int i = 0; i < 150; i++) asm volatile("" : "+v"(a[i]));
#pragma unroll
  for (int i = 0; i < 150; i++) asm volatile("" : "+v"(a[i]));
  float s = 0;
#pragma unroll
  for (int i = 0; i < 150; i++) s = s * a[149 - i] + a[i];
  p[n] = s;
}
)";
  auto object = sample("gfx1100", source, {"-O3"});
  ResourceReport report = resources(*object, object->kernels()[0], 64);
  ASSERT_GT(report.vgprSpills, 0u);
  Failure failure = failureOf(checkResources(report));
  EXPECT_NE(failure.message.find(fmt::format("{} VGPRs were spilled", report.vgprSpills)), std::string::npos)
      << failure.message;
}

TEST(Gate, InstructionsOfAnotherChipDoNotPass) {
  // The text of a gfx1100 kernel under gfx942's machine number: its words are no gfx942 instructions.
  std::vector<std::byte> bytes = compileHip(sampleSource, "gfx942", {"-O3"});
  auto object = llvm::cantFail(CodeObject::read(bytes));
  const Kernel &kernel = object->kernels()[0];
  const Segment *text = nullptr;
  for (const Segment &segment : object->segments())
    if (segment.executable)
      text = &segment;
  ASSERT_TRUE(text);
  size_t at = size_t(text->bytes.data() - object->bytes().data()) + size_t(kernel.entryAddress - text->address);
  for (size_t i = 0; i < 4; ++i)
    bytes[at + i] = std::byte(0xff);
  auto broken = llvm::cantFail(CodeObject::read(bytes));
  ResourceReport report = resources(*broken, broken->kernels()[0], 256);
  ASSERT_FALSE(report.undecodable.empty());
  EXPECT_EQ(report.undecodable[0].word, 0xffffffffu);
  EXPECT_EQ(report.undecodable[0].address, kernel.entryAddress);
  EXPECT_NE(failureOf(checkResources(report)).message.find("0xffffffff"), std::string::npos);
}

TEST(Gate, ReportsAsTextAndJson) {
  auto object = sample("gfx950", sampleSource, {"-O3"});
  ResourceReport report = resources(*object, *llvm::cantFail(object->kernel("saxpy")));
  std::string text = formatReport(report, {{"optimise", 12.5}, {"link", 2.0}});
  for (const char *part : {"saxpy on gfx950", "CDNA4", "VGPR", "AGPR", "SGPR", "LDS", "spills", "occupancy",
                           "limited by", "bytes", "14.5 ms", "optimise"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(formatReport(report).find("compile time"), std::string::npos);
  llvm::json::Value json = reportJson(report, {{"link", 2.0}});
  const llvm::json::Object *fields = json.getAsObject();
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->getString("chip"), "gfx950");
  EXPECT_EQ(fields->getInteger("code_bytes"), int64_t(report.codeBytes));
  EXPECT_EQ(fields->getInteger("group_size"), 1024);
  EXPECT_EQ(fields->getObject("instructions")->getInteger("total"), int64_t(report.mix.total));
  EXPECT_EQ(fields->getArray("compile_times")->size(), 1u);
}

} // namespace
