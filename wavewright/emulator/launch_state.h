//===- emulator/launch_state.h - what is fixed for one launch -------------------------------------===//
#pragma once

#include "wavewright/emulator/code.h"

namespace wavewright::emulator {

/// Waves that do not come from a kernel's descriptor: a bare stream with given registers (raw.cpp). `leave` sees every
/// group that has run, also one that failed.
class GivenWaves {
public:
  virtual ~GivenWaves() = default;
  virtual void enter(Wave &wave, uint64_t group, unsigned waveInGroup) const = 0;
  virtual void enterGroup(uint64_t group, std::byte *lds) const = 0;
  virtual void leave(uint64_t group, std::span<const Wave> waves, const std::byte *lds) = 0;
  virtual SourcePlace place(uint64_t address) const = 0;
  virtual std::string disassemble(uint64_t address) const = 0;
};

/// One launch, as all threads see it. Built by machine.cpp after every check has passed.
struct LaunchState {
  const Target *target = nullptr;
  const codeobject::CodeObject *object = nullptr; ///< null when the waves are given
  GivenWaves *given = nullptr;
  const codeobject::Kernel *kernel = nullptr;
  const Code *code = nullptr;
  const AddressSpace *memory = nullptr;
  LaunchConfig config;
  LaunchOptions options;
  uint64_t loadBias = 0;
  unsigned waveSize = 64, wavesPerGroup = 1, vgprs = 1;
  uint32_t ldsBytes = 0, scratchBytes = 0;
  std::vector<std::byte> kernarg;        ///< explicit and hidden arguments
  std::vector<std::byte> dispatchPacket; ///< hsa_kernel_dispatch_packet_t
  std::vector<std::byte> queue;          ///< zeros where amd_queue_t would be
  std::array<Extent, 3> launchMemory;
  std::vector<Row> itemIds;       ///< v0 of each wave of a group: work-item ids, packed
  std::vector<uint64_t> itemMask; ///< the lanes of each wave that hold a work-item
};

/// Device addresses of the launch's own memory, below every allocation.
inline constexpr uint64_t KernargAddress = 0x800000000, PacketAddress = 0x810000000, QueueAddress = 0x820000000;

// entry.cpp: emulation.md 3.1, AMDGPUUsage "Initial Kernel Execution State".
/// Fills kernarg (explicit bytes are in it already), dispatch packet, their extents, and the work-item ids.
void prepareLaunchMemory(LaunchState &launch);
/// The work-item ids of a group alone.
void spreadItems(LaunchState &launch);
/// Zero scalars, the first instruction, a running wave; its rows are zero already.
void resetWave(const LaunchState &launch, Wave &wave, unsigned waveInGroup);
/// Registers of a wave as the hardware hands it to the kernel.
void enterWave(const LaunchState &launch, Wave &wave, Dim3 group, unsigned waveInGroup);

// scheduler.cpp
/// The coordinates of a group by its number.
Dim3 groupAt(const LaunchState &launch, uint64_t flat);
/// Runs all groups; the error is the one of the first group (in group order) that failed. `statistics` counts what was
/// done either way.
llvm::Error runGroups(const LaunchState &launch, LaunchStatistics &statistics);

} // namespace wavewright::emulator
