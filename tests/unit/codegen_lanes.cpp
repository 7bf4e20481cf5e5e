// Every matrix atom of every chip, every exchange, every function: each compiles and becomes the instructions meant.

#include "codegen_support.h"

using namespace wavewright;
using namespace wavewright::codegen;

static std::string elementType(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "f64";
  case DType::F32:
  case DType::XF32:
    return "f32";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::FP8:
  case DType::BF8:
  case DType::I8:
    return "i8";
  case DType::I4:
    return "i4";
  default:
    return "i32";
  }
}

/// Loads a vector of `registers` 32-bit registers, 16 bytes at a time, and gives it the elements of `dtype`.
static std::string loadOperand(const std::string &name, DType dtype, int registers) {
  std::string body = fmt::format("    %{}0 = llvm.mlir.poison : vector<{}xi32>\n", name, registers);
  for (int i = 0; i < registers; ++i)
    body += fmt::format("    %{0}o{1} = arith.constant {2} : i32\n"
                        "    %{0}w{1} = rocke.buffer_load %r[%o, %{0}o{1}] : !llvm.ptr<8> -> i32\n"
                        "    %{0}{3} = vector.insert %{0}w{1}, %{0}{1} [{1}] : i32 into vector<{4}xi32>\n",
                        name, i, 4 * i, i + 1, registers);
  return body + fmt::format("    %{0} = vector.bitcast %{0}{1} : vector<{1}xi32> to vector<{2}x{3}>\n", name, registers,
                            32 * registers / dtypeBits(dtype), elementType(dtype));
}

static std::string mmaKernel(const Target &target, const MatrixAtom &atom) {
  auto type = [](DType dtype, int registers) {
    return fmt::format("vector<{}x{}>", 32 * registers / dtypeBits(dtype), elementType(dtype));
  };
  std::string acc = type(atom.d, atom.vgprsD);
  std::string body = loadOperand("ma", atom.a, atom.vgprsA) + loadOperand("mb", atom.b, atom.vgprsB) +
                     loadOperand("mc", atom.d, atom.vgprsD);
  body += fmt::format("    %d = rocke.mma \"{}\" %ma, %mb, %mc : {}, {}, {}\n", atom.name, type(atom.a, atom.vgprsA),
                      type(atom.b, atom.vgprsB), acc);
  body += fmt::format("    %w = vector.bitcast %d : {} to vector<{}xi32>\n", acc, atom.vgprsD);
  for (int i = 0; i < atom.vgprsD; ++i)
    body += fmt::format("    %d{0} = vector.extract %w[{0}] : i32 from vector<{1}xi32>\n"
                        "    rocke.buffer_store %d{0}, %r[%o, %mco{0}] : i32, !llvm.ptr<8>\n",
                        i, atom.vgprsD);
  return kernel(std::string(target.name), body);
}

TEST(CodegenLanes, EveryAtomIsOneMatrixInstruction) {
  Source source;
  int atoms = 0;
  for (const Target *target : allTargets())
    for (const MatrixAtom &atom : target->atoms) {
      std::string what = fmt::format("{} on {}", atom.name, target->name);
      if (atom.waveSize != target->waveSize) {
        Failure failure = source.refuse(mmaKernel(*target, atom));
        EXPECT_NE(failure.message.find(fmt::format("wave{}", atom.waveSize)), std::string::npos)
            << what << failure.message;
        continue;
      }
      if (atom.family != MatrixFamily::Mfma && atom.family != MatrixFamily::Wmma)
        continue;
      auto compiled = source.compile(mmaKernel(*target, atom));
      ASSERT_TRUE(bool(compiled)) << what << ": " << llvm::toString(compiled.takeError());
      EXPECT_EQ(compiled->resources.mix.matrix, 1u) << what;
      EXPECT_EQ(compiled->resources.scratchBytes, 0u) << what;
      ++atoms;
    }
  EXPECT_GT(atoms, 60);
}

TEST(CodegenLanes, EveryExchange) {
  Source source;
  for (const Target *target : allTargets()) {
    std::string body = "    %x0 = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> i32\n";
    for (int mask = 1; mask < target->waveSize; ++mask)
      body += fmt::format("    %x{} = rocke.shuffle_xor %x{}, {} : i32\n", mask, mask - 1, mask);
    body += fmt::format("    rocke.buffer_store %x{}, %r[%o, %c0] : i32, !llvm.ptr<8>\n", target->waveSize - 1);
    auto compiled = source.compile(kernel(std::string(target->name), body));
    ASSERT_TRUE(bool(compiled)) << target->name << ": " << llvm::toString(compiled.takeError());
    // Only gfx942 needs the LDS crossbar: 16 swizzles and 32 permutes.
    EXPECT_EQ(compiled->resources.mix.lds, target->generation == Generation::Cdna3 ? 48u : 0u) << target->name;
  }
}

TEST(CodegenLanes, EveryFunctionOfEveryWidth) {
  Source source;
  const char *unary[] = {"absf", "ceil", "floor", "trunc", "round", "roundeven", "sqrt", "rsqrt", "exp",
                         "exp2", "log",  "log2",  "log10", "tanh",  "erf",       "sin",  "cos"};
  for (const Target *target : allTargets())
    for (const char *type : {"f32", "f16", "bf16", "vector<4xf32>", "vector<8xbf16>", "vector<2xf16>"}) {
      std::string body = fmt::format("    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> {}\n", type),
                  last = "%x";
      for (const char *name : unary) {
        body += fmt::format("    %{0} = math.{0} {1} : {2}\n", name, last, type);
        last = fmt::format("%{}", name);
      }
      body += fmt::format("    %f = math.fma {0}, %x, %exp : {1}\n    %s = math.copysign %f, %x : {1}\n"
                          "    %hi = arith.maximumf %s, %x : {1}\n    %lo = arith.minimumf %hi, %exp : {1}\n"
                          "    rocke.buffer_store %lo, %r[%o, %c0] : {1}, !llvm.ptr<8>\n",
                          last, type);
      for (int opt : {0, 3}) {
        auto compiled = source.compile(kernel(std::string(target->name), body), {.opt = opt, .debugInfo = false});
        ASSERT_TRUE(bool(compiled)) << target->name << " " << type << " O" << opt << ": "
                                    << llvm::toString(compiled.takeError());
      }
    }
}

TEST(CodegenLanes, MoreLiveValuesThanRegistersAreRefused) {
  // All 320 values are summed up before the first is stored.
  std::string body, sum = "%x0";
  for (int i = 0; i < 80; ++i)
    body += fmt::format("    %a{0} = arith.constant {1} : i32\n"
                        "    %x{0} = rocke.buffer_load %r[%o, %a{0}] : !llvm.ptr<8> -> vector<4xf32>\n",
                        i, 1024 * i);
  for (int i = 1; i < 80; ++i) {
    body += fmt::format("    %s{0} = arith.addf {1}, %x{0} : vector<4xf32>\n", i, sum);
    sum = fmt::format("%s{}", i);
  }
  for (int i = 0; i < 80; ++i)
    body += fmt::format("    %z{0} = arith.mulf %x{0}, {1} : vector<4xf32>\n"
                        "    rocke.buffer_store %z{0}, %r[%o, %a{0}] : vector<4xf32>, !llvm.ptr<8>\n",
                        i, sum);
  Source source;
  Failure failure = source.refuse(kernel("gfx1100", body));
  EXPECT_EQ(failure.kind, ErrorKind::Resource);
  EXPECT_EQ(failure.place.line, 2u);
  EXPECT_NE(failure.message.find("spill"), std::string::npos) << failure.message;
  auto ungated = source.compile(kernel("gfx1100", body), {.gate = false});
  ASSERT_TRUE(bool(ungated)) << llvm::toString(ungated.takeError());
  EXPECT_GT(ungated->resources.vgprSpills, 0u);
  auto wider = source.compile(kernel("gfx950", body)); // 512 registers hold them
  ASSERT_TRUE(bool(wider)) << llvm::toString(wider.takeError());
  EXPECT_EQ(wider->resources.vgprSpills, 0u);
}
