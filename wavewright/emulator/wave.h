//===- emulator/wave.h - the state of one wave ----------------------------------------------------===//
//
// Vector registers are stored lane by lane within a register, so that an instruction is a plain loop over a row.
// AGPRs are the upper part of the same file (a0 is row Kernel::firstAgpr); the micro-op holds the row already.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/instruction.h"

#include <cstdint>
#include <cstring>

namespace wavewright::emulator {

inline constexpr unsigned MaxLanes = 64;

/// One 32-bit vector register of a wave. Wave32 uses the first half.
struct alignas(64) Row {
  uint32_t lane[MaxLanes];
};

/// Rows behind the registers of a wave that hold scalars, spread over the lanes, for the vector instructions that read
/// them: one for each source of an instruction and each dword of it.
inline constexpr unsigned SplatRows = 8;

/// Writes to `null` land behind the addressable scalars, where nothing reads.
inline constexpr uint16_t DiscardedScalar = codeobject::scalar::Count;

/// Wave::rounding inside of an instruction for which the host's rounding was changed.
inline constexpr uint8_t RoundingEntered = 2;

enum class WaveState : uint8_t { Running, AtBarrier, Ended, Failed };

/// MODE, in the layout that s_getreg shows on every chip here (bits 3:0 round, 7:4 denormals).
namespace mode {
inline constexpr uint32_t RoundMask = 0xf;
inline constexpr uint32_t KeepInF32 = 1u << 4, KeepOutF32 = 1u << 5;
inline constexpr uint32_t KeepInF16F64 = 1u << 6, KeepOutF16F64 = 1u << 7;
inline constexpr uint32_t KeepAll = 0xf0;
inline constexpr uint32_t Dx10Clamp = 1u << 8, Ieee = 1u << 9;
inline constexpr uint32_t Fp16Overflow = 1u << 23; ///< f16 and fp8 overflow gives the largest finite number
/// Rounding fields: bits 1:0 for f32 results, 3:2 for f16 and f64 ones.
enum Round : uint32_t { NearestEven, TowardPlus, TowardMinus, TowardZero };
} // namespace mode

/// A named barrier of gfx12: it completes, and starts anew, when as many have signalled as are members.
struct NamedBarrier {
  uint16_t members = 0, signals = 0;
  uint32_t completed = 0; ///< how often
};
inline constexpr unsigned NamedBarriers = 32;

struct Wave {
  Row *vgpr = nullptr; ///< the unified vector register file, and SplatRows more
  uint32_t vgprCount = 0;
  uint32_t lanes = 64;       ///< 32 or 64
  uint64_t laneMask = ~0ull; ///< one bit for each lane that the wave size has

  /// s0..s105, vcc, ttmp, m0, null, exec (codeobject::scalar), and room for what goes to null.
  alignas(64) uint32_t sgpr[codeobject::scalar::Count + 16] = {};
  uint32_t scc = 0;
  uint32_t mode = mode::KeepAll;
  uint32_t pc = 0; ///< index of the next micro-op
  WaveState state = WaveState::Running;
  bool flushes = false; ///< MODE asks for some denormals to be flushed: sources and results take the slow road
  /// MODE asks for more than rounding to nearest even: what rounds takes the slow road (vector.h). `RoundingEntered`
  /// while the host rounds as MODE says.
  uint8_t rounding = 0;
  uint32_t indexInGroup = 0;

  uint32_t *scratch = nullptr; ///< private memory, dwords of the lanes side by side: [dword][64]
  uint32_t scratchBytes = 0;   ///< of one lane

  uint32_t barrierSignals = 0;           ///< barriers at which this wave has arrived
  uint32_t barrierWaits = 0;             ///< barriers for which it has waited, or waits now
  NamedBarrier named[NamedBarriers + 1]; ///< the group's, in its first wave; number 0 stays unused
  uint8_t joined = 0;                    ///< the named barrier that this wave belongs to
  bool waitsNamed = false;               ///< AtBarrier means that one
  uint32_t namedWaits = 0;               ///< completions of it for which this wave has waited, or waits now
  uint64_t ticks = 0; ///< what its clock shows; moves when it is read, so that every run sees the same

  uint32_t splat[SplatRows] = {}; ///< what the rows behind the registers hold in every lane

  /// The mask of `exec`, spread over lanes (0 or ~0), and the EXEC for which it was spread.
  Row spread;
  uint64_t spreadOf = 0;
  bool spreadValid = false;

  uint64_t pair(unsigned index) const { return uint64_t(sgpr[index + 1]) << 32 | sgpr[index]; }
  void setPair(unsigned index, uint64_t value) {
    sgpr[index] = uint32_t(value);
    sgpr[index + 1] = uint32_t(value >> 32);
  }
  /// A lane mask held in scalars: one dword in wave32, two in wave64.
  uint64_t mask(unsigned index) const { return lanes == 32 ? sgpr[index] : pair(index); }
  void setMask(unsigned index, uint64_t value) {
    sgpr[index] = uint32_t(value);
    if (lanes == 64)
      sgpr[index + 1] = uint32_t(value >> 32);
  }
  uint64_t exec() const { return mask(codeobject::scalar::ExecLo); }
  /// EXEC has every lane of the wave (in wave32 its high half counts for nothing).
  bool allActive() const { return (pair(codeobject::scalar::ExecLo) | ~laneMask) == ~0ull; }
  uint64_t vcc() const { return mask(codeobject::scalar::VccLo); }
  uint32_t m0() const { return sgpr[codeobject::scalar::M0]; }
  void setMode(uint32_t value) {
    mode = value;
    flushes = (value & mode::KeepAll) != mode::KeepAll;
    rounding = (value & (mode::RoundMask | mode::Fp16Overflow)) != 0;
  }
};

} // namespace wavewright::emulator
