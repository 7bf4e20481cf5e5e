//===- emulator/context.h - what a running work-group sees besides its waves ----------------------===//
//
// The memory functions are the only way from a handler to LDS, private and global memory: an observer of accesses is
// put here and nowhere else.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/machine.h"
#include "wavewright/emulator/micro_op.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace wavewright::emulator {

struct Code;

enum class Space : uint8_t { Global, Lds, Private };
enum class AccessKind : uint8_t { Read, Write, Atomic };

/// One live allocation as the memory functions see it.
struct Extent {
  uint64_t address = 0, bytes = 0;
  std::byte *host = nullptr;
  std::atomic<bool> *written = nullptr;
  bool readOnly = false;
};

struct Fault {
  bool set = false;
  ErrorKind kind = ErrorKind::Launch;
  std::string message; ///< without the place of the instruction
  const MicroOp *op = nullptr;
  uint32_t wave = 0;
  int lane = -1;
};

struct Context {
  const Target *target = nullptr;
  const Code *code = nullptr;
  const AddressSpace *memory = nullptr;
  const LaunchOptions *options = nullptr;
  uint64_t loadBias = 0;

  std::span<const Extent> launchMemory; ///< kernel arguments and dispatch packet
  std::span<Wave> group;                ///< the waves of the running work-group

  std::byte *lds = nullptr;
  uint32_t ldsBytes = 0;
  /// High halves of the addresses by which flat instructions reach LDS and private memory.
  static constexpr uint32_t SharedAperture = 0x00010000, PrivateAperture = 0x00020000;

  // Statistics of the thread; summed at the end.
  uint64_t laneOperations = 0, matrixFlops = 0, waveInstructions = 0;

  Fault fault;
  Extent last; ///< the allocation of the last access

  // Rows for sources that are not registers as they stand, and for results on their way to `commit`.
  Row sources[4][2];
  Row results[4];

  /// Host pointer of [address, address + bytes) in global memory, or null when that is not inside one live allocation;
  /// nothing is reported. On success the caller accesses exactly those bytes.
  std::byte *global(uint64_t address, uint64_t bytes, AccessKind kind);
  /// The same for the group's LDS.
  std::byte *shared(uint64_t address, uint64_t bytes, AccessKind kind) {
    return bytes <= ldsBytes && address <= ldsBytes - bytes ? lds + address : nullptr;
  }
  /// Reports an access outside of memory and stops the wave.
  void outside(Wave &wave, const MicroOp &op, Space space, AccessKind kind, unsigned lane, uint64_t address,
               uint64_t bytes);
  /// Stops the wave with a LaunchError; the message needs neither the kernel nor the instruction.
  void fail(Wave &wave, const MicroOp &op, std::string message, int lane = -1);

  /// Runs the handler of `op` again while the host rounds as MODE asks for results of the given type; for instructions
  /// that found Wave::rounding set.
  void withRounding(Wave &wave, const MicroOp &op, Type result);

  /// The value of a source that is no register: SCC, EXECZ, apertures, ...
  uint64_t special(const Wave &wave, const MicroOp &op, codeobject::SpecialSource which) const;
};

} // namespace wavewright::emulator
