//===- tests/unit/assemble.h - one instruction, assembled and run -----------------------------------===//
//
// Assembles text with the library's assembler, decodes it with our decoder, and runs the micro-ops on a wave whose
// registers the test has set. (emulator/raw.h runs whole work-groups; this reaches inside of a wave.)
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/assemble.h"
#include "wavewright/emulator/code.h"
#include "wavewright/target/target.h"

#include <gtest/gtest.h>

namespace asmtest {

using namespace wavewright;
using namespace wavewright::emulator;

/// Machine code of `text`; empty (and a test failure) when it does not assemble.
inline std::vector<std::byte> assemble(const std::string &arch, unsigned waveSize, const std::string &text) {
  auto target = findTarget(arch);
  if (!target) {
    ADD_FAILURE() << llvm::toString(target.takeError());
    return {};
  }
  auto assembled = codeobject::assemble(**target, waveSize, text);
  if (!assembled) {
    ADD_FAILURE() << arch << ": " << text << ": " << llvm::toString(assembled.takeError());
    return {};
  }
  return (*assembled)->code;
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
