//===- emulator/raw.h - bare instruction streams --------------------------------------------------===//
//
// A stream of instructions without a kernel around it: text for the assembler, or bytes as they lie in memory. It is
// run with registers, LDS, private and global memory that the caller gives, and all of them are given back. The unit
// test of an instruction is one line of this.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/machine.h"
#include "wavewright/emulator/wave.h"

#include <optional>
#include <span>

namespace wavewright::emulator {

/// An executable stream: decoded once, predecoded once for each size of the register file. Immutable and shared;
/// thread-safe.
class RawProgram {
public:
  /// Where the code lies when nobody says.
  static constexpr uint64_t DefaultAddress = 0x7f0000000000;

  /// From text (codeobject::assemble); `waveSize` 0 is the chip's native one. An s_endpgm is added when the last
  /// instruction is none. The latest few thousand texts are kept for the process. Errors: UsageError (chip, wave
  /// size), CompileError (the assembler's message with line and column).
  static llvm::Expected<std::shared_ptr<const RawProgram>> assemble(const Target &target, unsigned waveSize,
                                                                    llvm::StringRef text,
                                                                    uint64_t address = DefaultAddress,
                                                                    llvm::StringRef name = "<asm>");
  /// From bytes whose first has the device address `address`.
  static llvm::Expected<std::shared_ptr<const RawProgram>>
  fromBytes(const Target &target, unsigned waveSize, llvm::ArrayRef<std::byte> code, uint64_t address = DefaultAddress);
  ~RawProgram();

  const Target &target() const;
  unsigned waveSize() const;
  uint64_t address() const;
  llvm::ArrayRef<std::byte> code() const; ///< with the s_endpgm
  const codeobject::Program &program() const;
  /// The line of the text that an instruction comes from; empty for bytes.
  SourcePlace place(uint64_t address) const;
  std::string disassemble(uint64_t address) const;

  struct Impl;
  Impl &impl() const { return *implementation; }

private:
  RawProgram();
  std::unique_ptr<Impl> implementation;
};

/// A start value: one register (or dword of private memory), of every lane of every wave. Strides count dwords; 0 means
/// the same value for all.
struct RawValue {
  enum class Bank : uint8_t {
    Vgpr,
    Agpr,
    Scalar, ///< codeobject::scalar numbers: s0.., vcc, ttmp, m0, exec
    Scc,
    Mode,
    Scratch, ///< `first` counts dwords of a lane's private memory
  };
  Bank bank = Bank::Vgpr;
  uint32_t first = 0;
  const uint32_t *data = nullptr;
  int64_t groupStride = 0, waveStride = 0, laneStride = 0;
};

/// Host memory at a device address, used in place.
struct RawMemory {
  uint64_t address = 0;
  void *host = nullptr;
  uint64_t bytes = 0;
  bool readOnly = false;
  std::string label;
};

/// What a stream is run with. Registers that nobody sets are 0, EXEC has every lane, MODE keeps denormals and rounds to
/// nearest, with DX10_CLAMP and (before gfx12) IEEE as compute kernels have them.
struct RawLaunch {
  unsigned groups = 1;          ///< work-groups; each has its own LDS
  unsigned waves = 1;           ///< of a group; ignored when `block` is given
  std::optional<Dim3> block;    ///< work-items of a group: sets EXEC, and v0 to the packed work-item ids
  std::vector<RawValue> values; ///< later ones win
  std::vector<RawMemory> memory;
  uint32_t ldsBytes = 0;
  std::span<const std::byte> lds; ///< content from offset 0 on, for all groups or group after group (`ldsStride`)
  uint64_t ldsStride = 0;
  uint32_t scratchBytes = 0;  ///< of a lane; a multiple of 4
  std::optional<uint64_t> pc; ///< address of the first instruction to run; default: the first of the code
  LaunchOptions options;
};

/// One wave after the run.
struct RawWave {
  WaveState state = WaveState::Ended; ///< Running: stopped by the budget, an interrupt or another wave's fault
  uint64_t pc = 0;                    ///< address of the last instruction that it executed, or of the first to come
  uint32_t scc = 0, mode = 0;
};

/// Everything after the run, whether it ended or failed.
struct RawResult {
  unsigned groups = 0, waves = 0, lanes = 0;
  unsigned vgprs = 0, agprs = 0, scratchDwords = 0;
  uint32_t ldsBytes = 0;
  std::vector<Row> vectors;      ///< [group][wave][VGPRs, then AGPRs]
  std::vector<uint32_t> scalars; ///< [group][wave][codeobject::scalar::Count]
  std::vector<RawWave> ends;     ///< [group][wave]
  std::vector<std::byte> lds;    ///< [group][ldsBytes]
  std::vector<Row> scratch;      ///< [group][wave][dword]
  LaunchStatistics statistics;
  std::optional<Failure> fault; ///< of the first group that failed; waves of later groups may not have run

  const Row &vgpr(unsigned index, unsigned wave = 0, unsigned group = 0) const {
    return vectors[(size_t(group) * waves + wave) * (vgprs + agprs) + index];
  }
  const Row &agpr(unsigned index, unsigned wave = 0, unsigned group = 0) const {
    return vgpr(vgprs + index, wave, group);
  }
  uint32_t scalar(unsigned index, unsigned wave = 0, unsigned group = 0) const {
    return scalars[(size_t(group) * waves + wave) * codeobject::scalar::Count + index];
  }
};

/// Runs a stream. Errors (LaunchError) are those of the call: registers, sizes and addresses that cannot be, with the
/// limits. What happens while it runs is in the result.
llvm::Expected<RawResult> run(const RawProgram &program, const RawLaunch &launch);

} // namespace wavewright::emulator
