//===- tests/unit/assemble.h - one instruction, assembled and run -----------------------------------===//
//
// Assembles text with LLVM's MC layer in this process, decodes it with our decoder, and runs the micro-ops on a wave
// whose registers the test has set.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/code.h"
#include "wavewright/target/target.h"

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
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <gtest/gtest.h>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace asmtest {

using namespace wavewright;
using namespace wavewright::emulator;

/// Machine code of `text`; empty (and a test failure) when it does not assemble.
inline std::vector<std::byte> assemble(const std::string &arch, unsigned waveSize, const std::string &text) {
  static bool once = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    return true;
  }();
  (void)once;
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> info(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::string features = arch.substr(0, 4) == "gfx9" ? "" : waveSize == 64 ? "+wavefrontsize64" : "+wavefrontsize32";
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, arch, features));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> objectInfo(target->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(objectInfo.get());
  llvm::SmallString<1024> bytes;
  llvm::raw_svector_ostream os(bytes);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCAsmBackend> backend(target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(os);
  std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *info));
  std::unique_ptr<llvm::MCTargetAsmParser> own(target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*own);
  if (parser->Run(false)) {
    ADD_FAILURE() << arch << " does not assemble: " << text;
    return {};
  }
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes.str(), "text"));
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return {};
  }
  for (const llvm::object::SectionRef &section : (*object)->sections())
    if (section.isText())
      if (auto contents = section.getContents()) {
        std::vector<std::byte> code(contents->size());
        std::memcpy(code.data(), contents->data(), contents->size());
        return code;
      }
  return {};
}

/// A wave with registers, LDS and memory, to run lines on.
class Lines {
public:
  explicit Lines(std::string arch, unsigned waveSize = 0) : arch(std::move(arch)) {
    auto found = findTarget(this->arch);
    target = found ? *found : nullptr;
    size = waveSize ? waveSize : unsigned(target->waveSize);
    context.target = target;
    context.memory = &memory;
    context.options = &options;
    context.lds = reinterpret_cast<std::byte *>(lds.data());
    context.ldsBytes = uint32_t(lds.size() * 4);
    wave.vgpr = rows.data();
    wave.vgprCount = uint32_t(rows.size() - SplatRows);
    wave.lanes = size;
    wave.laneMask = size == 64 ? ~0ull : 0xffffffffull;
    wave.scratch = scratch[0].lane;
    wave.scratchBytes = uint32_t(scratch.size() * 4);
    wave.setMode(mode::KeepAll | mode::Dx10Clamp | (target->generation == Generation::Rdna4 ? 0 : mode::Ieee));
    setExec(wave.laneMask);
    context.group = std::span<Wave>(&wave, 1);
  }
  void setExec(uint64_t exec) { wave.setPair(codeobject::scalar::ExecLo, exec); }
  /// Runs the text; false when the wave failed (the reason is in context.fault).
  bool run(const std::string &text) {
    std::vector<std::byte> bytes = assemble(arch, size, text + "\ns_endpgm\n");
    if (bytes.empty())
      return false;
    auto decoded = codeobject::decode(*target, size, bytes, 0);
    if (!decoded) {
      ADD_FAILURE() << llvm::toString(decoded.takeError());
      return false;
    }
    program = *decoded;
    codeobject::Kernel kernel;
    kernel.firstAgpr = 256;
    code = predecode(*program, *target, size, kernel, wave.vgprCount);
    context.code = code.get();
    context.fault = {};
    wave.pc = 0;
    wave.state = WaveState::Running;
    while (wave.state == WaveState::Running)
      semanticsLevel().run(context, wave, 1000);
    return wave.state == WaveState::Ended;
  }
  uint32_t *v(unsigned i) { return rows[i].lane; }
  uint32_t &s(unsigned i) { return wave.sgpr[i]; }
  void fill(unsigned i, uint32_t value) { std::fill(v(i), v(i) + MaxLanes, value); }

  std::string arch;
  const Target *target = nullptr;
  unsigned size;
  AddressSpace memory;
  LaunchOptions options;
  Context context;
  Wave wave;
  std::vector<Row> rows = std::vector<Row>(512 + SplatRows), scratch = std::vector<Row>(64);
  std::vector<uint32_t> lds = std::vector<uint32_t>(16384);
  std::shared_ptr<const codeobject::Program> program;
  std::unique_ptr<Code> code;
};

} // namespace asmtest
