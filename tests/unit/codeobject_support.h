//===- tests/unit/codeobject_support.h - assembling, compiling and describing for the tests -------===//
#pragma once

#include "wavewright/codeobject/code_object.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace wavewright::codeobject::test {

/// The .text of an assembled listing; empty after a failed assertion when it does not assemble.
inline std::vector<std::byte> assemble(const std::string &chip, unsigned waveSize, const std::string &text) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::string features =
      llvm::StringRef(chip).starts_with("gfx9") ? "" : fmt::format("+wavefrontsize{},+real-true16", waveSize);
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> assembly(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, chip, features));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  std::string messages;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *context) {
        *static_cast<std::string *>(context) +=
            diagnostic.getMessage().str() + "\n" + diagnostic.getLineContents().str();
      },
      &messages);
  llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> sections(target->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(sections.get());
  llvm::SmallString<0> object;
  {
    llvm::raw_svector_ostream stream(object);
    llvm::MCAsmBackend *backend = target->createMCAsmBackend(*subtarget, *registers, options);
    std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
    std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
        triple, context, std::unique_ptr<llvm::MCAsmBackend>(backend), std::move(writer),
        std::unique_ptr<llvm::MCCodeEmitter>(target->createMCCodeEmitter(*instructions, context)), *subtarget));
    std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *assembly));
    std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
        target->createMCAsmParser(*subtarget, *parser, *instructions, options));
    parser->setTargetParser(*targetParser);
    if (parser->Run(false)) {
      ADD_FAILURE() << chip << " does not assemble: " << messages;
      return {};
    }
  }
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "assembled"));
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return {};
  }
  for (const llvm::object::SectionRef &section : (*file)->sections())
    if (section.isText()) {
      llvm::StringRef code = llvm::cantFail(section.getContents());
      auto *bytes = reinterpret_cast<const std::byte *>(code.data());
      return {bytes, bytes + code.size()};
    }
  return {};
}

/// One operand in a short notation: "v3", "s2:2", "#3f800000", "-|v1|", "v2.h", "v1/sel/selhi".
inline std::string describe(const Operand &operand) {
  static constexpr const char *files[] = {"none", "v", "a", "s", "special", "#"};
  static constexpr const char *parts[] = {"", ".l", ".h", ".b0", ".b1", ".b2", ".b3"};
  std::string text = operand.kind == Operand::Kind::Constant
                         ? fmt::format("#{:x}{}", operand.constant, operand.literal ? "L" : "")
                         : fmt::format("{}{}", files[size_t(operand.kind)], operand.index);
  if (operand.dwords != 1)
    text += fmt::format(":{}", operand.dwords);
  text += parts[size_t(operand.part)];
  if (operand.abs)
    text = "|" + text + "|";
  if (operand.neg)
    text = "-" + text;
  return text + (operand.negHi ? "/neghi" : "") + (operand.opSel ? "/sel" : "") + (operand.opSelHi ? "/selhi" : "") +
         (operand.sext ? "/sext" : "");
}

/// An instruction in a short notation; only what is set appears.
inline std::string describe(const Instruction &inst) {
  std::string text(inst.name);
  auto list = [&](const char *name, const auto &operands) {
    for (size_t i = 0; i < operands.size(); ++i)
      text += (i ? "," : fmt::format(" {}=", name)) + describe(operands[i]);
  };
  auto field = [&](const char *name, auto value) {
    if (value)
      text += fmt::format(" {}={}", name, value);
  };
  auto flag = [&](const char *name, bool value) {
    if (value)
      text += fmt::format(" {}", name);
  };
  auto operand = [&](const char *name, const Operand &value) {
    if (value)
      text += fmt::format(" {}={}", name, describe(value));
  };
  if (inst.encoding == Encoding::Unknown)
    return "unknown";
  list("dst", inst.dst);
  list("src", inst.src);
  operand("vaddr", inst.vaddr);
  operand("saddr", inst.saddr);
  operand("soffset", inst.soffset);
  operand("vdata", inst.vdata);
  operand("vdata1", inst.vdata1);
  field("offset", inst.offset);
  field("offset1", inst.offset1);
  field("imm", inst.imm);
  field("target", inst.target);
  flag("clamp", inst.clamp);
  field("omod", unsigned(inst.omod));
  flag("high", inst.dstHigh16);
  flag("merges", inst.mergesDst);
  if (inst.dpp.kind != DppControl::Kind::None)
    text += fmt::format(" dpp={}:{:x}:{:x}:{:x}", unsigned(inst.dpp.kind), inst.dpp.select, inst.dpp.rowMask,
                        inst.dpp.bankMask);
  flag("bc", inst.dpp.boundCtrl);
  flag("fi", inst.dpp.fetchInactive);
  field("sdwaDst", unsigned(inst.sdwaDst));
  if (inst.sdwaUnused != SdwaUnused::Preserve)
    text += fmt::format(" unused={}", unsigned(inst.sdwaUnused));
  flag("offen", inst.offen);
  flag("idxen", inst.idxen);
  flag("lds", inst.lds);
  flag("returns", inst.returns);
  field("cpol", inst.cachePolicy);
  field("cbsz", unsigned(inst.cbsz));
  field("abid", unsigned(inst.abid));
  field("blgp", unsigned(inst.blgp));
  flag("rscc", inst.readsScc);
  flag("wscc", inst.writesScc);
  flag("rexec", inst.readsExec);
  flag("wexec", inst.writesExec);
  if (inst.halves)
    text += " {" + describe(inst.halves[0]) + " | " + describe(inst.halves[1]) + "}";
  return text;
}

/// A directory that goes away with the test.
class TemporaryDirectory {
public:
  TemporaryDirectory() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("wavewright-codeobject", path)); }
  ~TemporaryDirectory() { llvm::sys::fs::remove_directories(path); }
  std::string file(const std::string &name) const { return (path + "/" + name).str(); }

private:
  llvm::SmallString<128> path;
};

/// Compiles HIP source for a chip with the system's clang; an empty vector after a failed assertion.
inline std::vector<std::byte> compileHip(const std::string &source, const std::string &chip,
                                         std::vector<std::string> options) {
  TemporaryDirectory directory;
  std::string input = directory.file("kernel.hip"), output = directory.file("kernel.co");
  {
    std::error_code error;
    llvm::raw_fd_ostream file(input, error);
    file << "#define __global__ __attribute__((global))\n#define __device__ __attribute__((device))\n"
            "#define __shared__ __attribute__((shared))\n#line 1 \"kernel.hip\"\n"
         << source;
  }
  auto clang = llvm::sys::findProgramByName("clang++-22");
  if (!clang) {
    ADD_FAILURE() << "clang++-22 is needed to make the tests' code objects";
    return {};
  }
  std::string arch = "--offload-arch=" + chip;
  std::vector<llvm::StringRef> arguments = {
      *clang, "-x", "hip", arch, "--cuda-device-only", "-nogpulib", "-nogpuinc", "--no-gpu-bundle-output",
      input,  "-o", output};
  arguments.insert(arguments.end(), options.begin(), options.end());
  std::string message;
  if (llvm::sys::ExecuteAndWait(*clang, arguments, std::nullopt, {}, 120, 0, &message)) {
    ADD_FAILURE() << chip << " does not compile: " << message;
    return {};
  }
  auto made = llvm::MemoryBuffer::getFile(output);
  if (!made) {
    ADD_FAILURE() << made.getError().message();
    return {};
  }
  auto *bytes = reinterpret_cast<const std::byte *>((*made)->getBufferStart());
  return {bytes, bytes + (*made)->getBufferSize()};
}

/// Two kernels, a device function and a global: small, with branches, LDS, a call and a transcendental.
inline constexpr const char *sampleSource = R"(
__device__ __attribute__((noinline)) float helper(float *p, int i) {
  float s = 0;
  for (int k = 0; k < i; k++) s += p[k] * p[k + 1];
  return s;
}
__device__ float table[16] = {1, 2, 3};
extern "C" __global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] = a * x[i] + y[i] + table[i & 15] / x[i];
}
extern "C" __global__ void reverse(float *y, int n) {
  __shared__ float s[256];
  int t = __builtin_amdgcn_workitem_id_x();
  s[t] = y[t];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  y[t] = s[255 - t] + helper(y, n);
}
)";

inline constexpr const char *chips[] = {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};

} // namespace wavewright::codeobject::test
