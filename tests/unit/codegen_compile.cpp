// What compile() promises: a code object that reads back, the same bytes each time, errors with places, and a process
// that outlives LLVM's worst.

#include "codegen_support.h"

#include "llvm/Support/FileSystem.h"

#include <set>
#include <thread>

using namespace wavewright;
using namespace wavewright::codegen;

TEST(CodegenCompile, EveryChipAtEveryLevel) {
  Source source;
  for (const Target *target : allTargets())
    for (int opt = 0; opt <= 3; ++opt) {
      auto compiled = source.compile(kernel(std::string(target->name), addOne), {.opt = opt});
      ASSERT_TRUE(bool(compiled)) << target->name << " O" << opt << ": " << llvm::toString(compiled.takeError());
      ASSERT_EQ(compiled->object->kernels().size(), 1u);
      const codeobject::Kernel &k = compiled->object->kernels().front();
      EXPECT_EQ(&compiled->object->target(), target);
      EXPECT_EQ(k.name, "k");
      EXPECT_EQ(k.maxWorkGroupSize, 64u);
      EXPECT_EQ(k.waveSize, unsigned(target->waveSize));
      ASSERT_EQ(k.arguments.size(), 1u) << "hidden arguments at O" << opt;
      EXPECT_EQ(k.arguments.front().name, "p");
      EXPECT_EQ(k.arguments.front().valueKind, "global_buffer");
    }
}

TEST(CodegenCompile, StagesAreTimedInOrder) {
  Source source;
  auto compiled = source.compile(kernel("gfx1100", addOne));
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  std::vector<std::string> names;
  for (const codeobject::StageTime &stage : compiled->stages) {
    names.push_back(stage.name);
    EXPECT_GE(stage.milliseconds, 0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"tiles", "rocke", "llvm-dialect", "translate", "optimise", "emit", "link",
                                             "read", "gate"}));
  EXPECT_NE(compiled->report.find("k"), std::string::npos);
}

TEST(CodegenCompile, DumpsEveryStageWhenAsked) {
  Source source;
  auto compiled = source.compile(kernel("gfx950", addOne), {.keepIr = true});
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  std::vector<std::string> names;
  for (const StageText &dump : compiled->dumps) {
    names.push_back(dump.stage);
    EXPECT_FALSE(dump.text.empty()) << dump.stage;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"hk", "tiles", "rocke", "llvm-dialect", "llvm", "isa"}));
  auto plain = source.compile(kernel("gfx950", addOne));
  ASSERT_TRUE(bool(plain)) << llvm::toString(plain.takeError());
  EXPECT_TRUE(plain->dumps.empty());
  EXPECT_EQ(plain->bytes, compiled->bytes) << "keeping the texts changed the code";
}

//===----------------------------------------------------------------------------------------------===//
// Determinism
//===----------------------------------------------------------------------------------------------===//

/// Each loaded segment with its bytes, without the ELF header, which counts sections and says where their table is.
static std::vector<std::pair<uint64_t, std::vector<std::byte>>> segments(const Compiled &compiled) {
  std::vector<std::pair<uint64_t, std::vector<std::byte>>> result;
  for (const codeobject::Segment &segment : compiled.object->segments())
    result.emplace_back(segment.address, segment.bytes.drop_front(segment.address == 0 ? 64 : 0).vec());
  return result;
}

TEST(CodegenDeterminism, SameBytesAfterOtherWorkAndOnOtherThreads) {
  std::string text = kernel("gfx1100", addOne);
  auto build = [&] {
    Source source;
    auto compiled = source.compile(text, {.debugInfo = false});
    EXPECT_TRUE(bool(compiled));
    return compiled ? compiled->bytes : std::vector<std::byte>();
  };
  std::vector<std::byte> first = build();
  Source other;
  for (const char *arch : {"gfx950", "gfx1201"})
    ASSERT_TRUE(bool(other.compile(kernel(arch, addOne))));
  EXPECT_EQ(first, build());
  std::vector<std::byte> threads[4];
  std::vector<std::thread> running;
  for (auto &bytes : threads)
    running.emplace_back([&] { bytes = build(); });
  for (std::thread &thread : running)
    thread.join();
  for (auto &bytes : threads)
    EXPECT_EQ(first, bytes);
}

TEST(CodegenDeterminism, PlacesDoNotReachCode) {
  Source source;
  std::string text = kernel("gfx950", addOne);
  std::vector<std::vector<std::byte>> plain;
  std::vector<Compiled> withLines;
  for (std::string file : {"/here/kernel.mlir", "/somewhere/else/and/deeper/k.mlir"}) {
    auto off = source.compile(text, {.debugInfo = false}, file);
    auto on = source.compile(text, {.debugInfo = true}, file);
    ASSERT_TRUE(bool(off) && bool(on));
    plain.push_back(off->bytes);
    EXPECT_TRUE(segments(*off) == segments(*on)) << "debug information changed what is loaded";
    withLines.push_back(std::move(*on));
  }
  EXPECT_EQ(plain[0], plain[1]);
  EXPECT_TRUE(segments(withLines[0]) == segments(withLines[1]));
  EXPECT_NE(withLines[0].bytes, withLines[1].bytes) << "the line tables should name different files";
}

TEST(CodegenDeterminism, PathsAreRelativeToTheSourceRoot) {
  Source source;
  std::string text = kernel("gfx1100", addOne);
  auto here = source.compile(text, {.sourceRoot = "/here/project"}, "/here/project/kernels/add.mlir");
  auto there = source.compile(text, {.sourceRoot = "/there"}, "/there/kernels/add.mlir");
  ASSERT_TRUE(bool(here) && bool(there));
  EXPECT_EQ(here->bytes, there->bytes);
  const codeobject::Kernel &k = here->object->kernels().front();
  SourcePlace place = here->object->place(k.entryAddress);
  EXPECT_EQ(place.file, "kernels/add.mlir");
  std::set<unsigned> lines;
  for (const codeobject::Instruction &inst : here->object->program(k).instructions)
    lines.insert(here->object->place(inst.address).line);
  EXPECT_TRUE(lines.count(9)) << "the load stands on line 9";
  EXPECT_TRUE(lines.count(12)) << "the store stands on line 12";
}

//===----------------------------------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------------------------------===//

TEST(CodegenErrors, NamesThePlaceAndTheOp) {
  Source source;
  Failure failure = source.refuse(kernel("gfx1100", R"(    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> f32
    %y = math.atan %x : f32
    rocke.buffer_store %y, %r[%o, %c0] : f32, !llvm.ptr<8>)"));
  EXPECT_EQ(failure.kind, ErrorKind::Verify);
  EXPECT_EQ(failure.place.file, "kernel.mlir");
  EXPECT_EQ(failure.place.line, 10u);
  EXPECT_NE(failure.message.find("math.atan"), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find("tanh"), std::string::npos) << "what there is instead: " << failure.message;
}

TEST(CodegenErrors, AccessWidth) {
  Source source;
  Failure failure =
      source.refuse(kernel("gfx950", R"(    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> vector<8xf32>
    rocke.buffer_store %x, %r[%o, %c0] : vector<8xf32>, !llvm.ptr<8>)"));
  EXPECT_EQ(failure.kind, ErrorKind::Verify);
  EXPECT_EQ(failure.place.line, 9u);
  EXPECT_NE(failure.message.find("256 bits"), std::string::npos) << failure.message;
}

TEST(CodegenErrors, EightBitFloatsOfAnotherChip) {
  Source source;
  std::string body = R"(    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> f32
    %y = arith.truncf %x : f32 to f8E4M3FN
    rocke.buffer_store %y, %r[%o, %c0] : f8E4M3FN, !llvm.ptr<8>)";
  for (const char *arch : {"gfx950", "gfx1201"})
    EXPECT_TRUE(bool(source.compile(kernel(arch, body)))) << arch;
  for (const char *arch : {"gfx942", "gfx1100"}) {
    Failure failure = source.refuse(kernel(arch, body));
    EXPECT_EQ(failure.place.line, 10u);
    EXPECT_NE(failure.message.find(arch), std::string::npos) << failure.message;
  }
}

TEST(CodegenErrors, UnknownChipAndLevel) {
  Source source;
  EXPECT_NE(source.refuse(kernel("gfx9999", addOne)).message.find("gfx9999"), std::string::npos);
  Failure level = source.refuse(kernel("gfx950", addOne), {.opt = 7});
  EXPECT_EQ(level.kind, ErrorKind::Usage);
  EXPECT_NE(level.message.find("7"), std::string::npos);
}

TEST(CodegenErrors, TooMuchLds) {
  Source source;
  auto withLds = [](const char *arch, int bytes) {
    return kernel(arch, fmt::format(R"(    %l = rocke.lds_alloc {} align 16 : !llvm.ptr<3>
    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> f32
    rocke.lds_store %x, %l[%o + 0] align 4 : f32, !llvm.ptr<3>
    rocke.barrier
    %y = rocke.lds_load %l[%o + 4] align 4 : !llvm.ptr<3> -> f32
    rocke.buffer_store %y, %r[%o, %c0] : f32, !llvm.ptr<8>)",
                                    bytes));
  };
  for (const Target *target : allTargets()) {
    std::string arch(target->name);
    auto most = source.compile(withLds(arch.c_str(), target->lds.bytesPerGroup));
    ASSERT_TRUE(bool(most)) << arch << ": " << llvm::toString(most.takeError());
    EXPECT_EQ(most->object->kernels().front().ldsBytes, unsigned(target->lds.bytesPerGroup));
    Failure failure = source.refuse(withLds(arch.c_str(), target->lds.bytesPerGroup + 16));
    EXPECT_EQ(failure.kind, ErrorKind::Resource) << failure.message;
    EXPECT_EQ(failure.place.line, 2u);
    EXPECT_NE(failure.message.find(std::to_string(target->lds.bytesPerGroup + 16)), std::string::npos)
        << failure.message;
    EXPECT_NE(failure.message.find(std::to_string(target->lds.bytesPerGroup)), std::string::npos) << failure.message;
  }
}

TEST(CodegenErrors, RegisterBudget) {
  Source source;
  Failure failure = source.refuse(kernel("gfx1100", addOne), {.maxVgprs = 4});
  EXPECT_EQ(failure.kind, ErrorKind::Resource);
  EXPECT_NE(failure.message.find("4"), std::string::npos) << failure.message;
  EXPECT_TRUE(bool(source.compile(kernel("gfx1100", addOne), {.gate = false, .maxVgprs = 4})));
  EXPECT_TRUE(bool(source.compile(kernel("gfx1100", addOne), {.maxVgprs = 64})));
}

//===----------------------------------------------------------------------------------------------===//
// LLVM dies, the process does not
//===----------------------------------------------------------------------------------------------===//

static void expectAlive(Source &source) {
  auto compiled = source.compile(kernel("gfx1100", addOne));
  EXPECT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
}

TEST(CodegenCrash, CannotSelect) {
  Source source;
  Failure failure = source.refuse(kernel("gfx942", R"(    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> i32
    %f = llvm.mlir.constant(false) : i1
    %s = llvm.call_intrinsic "llvm.amdgcn.permlane32.swap"(%x, %x, %f, %f) : (i32, i32, i1, i1) -> !llvm.struct<(i32, i32)>
    %y = llvm.extractvalue %s[0] : !llvm.struct<(i32, i32)>
    rocke.buffer_store %y, %r[%o, %c0] : i32, !llvm.ptr<8>)"));
  EXPECT_EQ(failure.kind, ErrorKind::Compile);
  EXPECT_NE(failure.message.find("Cannot select"), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find("emit"), std::string::npos) << failure.message;
  expectAlive(source);
}

TEST(CodegenCrash, SegmentationFault) {
  Source source;
  Failure failure =
      source.refuse(kernel("gfx1100", R"(    llvm.call_intrinsic "llvm.amdgcn.s.sleep.var"(%c0) : (i32) -> ())"));
  EXPECT_EQ(failure.kind, ErrorKind::Compile);
  expectAlive(source);
}

TEST(CodegenCrash, UnknownIntrinsic) {
  Source source;
  Failure failure = source.refuse(kernel("gfx1100", R"(    llvm.call_intrinsic "llvm.amdgcn.no.such"() : () -> ())"));
  EXPECT_NE(failure.message.find("llvm.amdgcn.no.such"), std::string::npos) << failure.message;
  expectAlive(source);
}

TEST(CodegenCrash, InstructionThatTheChipHasNot) {
  Source source; // LLVM 22 selects this on gfx942 and writes bytes that gfx942 does not decode
  Failure failure = source.refuse(kernel("gfx942", R"(    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> f32
    %i = llvm.mlir.constant(0 : i32) : i32
    %f = llvm.mlir.constant(false) : i1
    %w = arith.bitcast %x : f32 to i32
    %y = llvm.call_intrinsic "llvm.amdgcn.cvt.scalef32.f32.fp8"(%w, %x, %i) : (i32, f32, i32) -> f32
    rocke.buffer_store %y, %r[%o, %c0] : f32, !llvm.ptr<8>)"));
  EXPECT_EQ(failure.kind, ErrorKind::Compile) << failure.message;
  EXPECT_NE(failure.message.find("gfx942"), std::string::npos) << failure.message;
  expectAlive(source);
}

TEST(CodegenCrash, LeavesNoTemporaryFiles) {
  auto folders = [] {
    std::error_code error;
    int count = 0;
    for (llvm::sys::fs::directory_iterator it("/dev/shm", error), end; it != end && !error; it.increment(error))
      count += it->path().find("wavewright-") != std::string::npos;
    return count;
  };
  Source source;
  int before = folders();
  expectAlive(source);
  // An undefined function gets as far as the linker.
  Failure failure = source.refuse(R"(module attributes {wavewright.arch = "gfx1100"} {
  func.func private @nowhere()
  func.func @k() attributes {rocke.kernel, rocke.block_size = 32 : i32} {
    func.call @nowhere() : () -> ()
    return
  }
})");
  EXPECT_NE(failure.message.find("nowhere"), std::string::npos) << failure.message;
  EXPECT_EQ(before, folders());
  expectAlive(source);
}
