//===- emulator/machine.h - the built-in device ---------------------------------------------------===//
//
// Loads any code object of an emulated chip and executes its instructions. This header is what the runtime and the
// tools see; how an instruction is executed is in semantics/, one file a family.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wavewright::emulator {

/// The device's virtual addresses. Live allocations lie at deterministic addresses with unmapped gaps between them;
/// a wrapped host array keeps the alignment that its host address had (up to 4 KiB). Thread-safe for look-ups
/// while a launch runs; allocate, wrap and free only between launches.
class AddressSpace {
public:
  AddressSpace();
  ~AddressSpace();
  /// Zero-filled memory owned by the device. The error (LaunchError) names the size that could not be had.
  llvm::Expected<uint64_t> allocate(uint64_t bytes, uint64_t alignment = 256, std::string label = "");
  /// Host memory, used in place. `label` names the array in messages ("argument 0 (a)").
  llvm::Expected<uint64_t> wrap(void *host, uint64_t bytes, std::string label = "", bool readOnly = false);
  /// Host memory under its own address: the device's pointer and the host's are one number. The error (LaunchError)
  /// names the allocation that is there already.
  llvm::Error wrapInPlace(void *host, uint64_t bytes, std::string label = "", bool readOnly = false);
  llvm::Error release(uint64_t address);
  /// Host pointer of [address, address+bytes), or nullptr when any byte is outside one live allocation.
  std::byte *translate(uint64_t address, uint64_t bytes) const;
  /// The allocation that holds the address or lies nearest, in words, for messages.
  std::string describe(uint64_t address) const;
  /// Whether a launch since the last `clearWritten` stored into the allocation that starts at `address`.
  bool written(uint64_t address) const;
  void clearWritten();

  struct Impl;
  Impl &impl() const { return *implementation; }

private:
  std::unique_ptr<Impl> implementation;
};

enum class MatrixMode : uint8_t { Exact, Fast };
enum class CheckMode : uint8_t { On, Off };

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

struct LaunchConfig {
  Dim3 grid;  ///< work-groups
  Dim3 block; ///< work-items of a group
  uint32_t dynamicLdsBytes = 0;
};

/// What a kernel printed. `assertion` is the text of assertions that failed in it.
struct PrintedText {
  std::string out, assertion;
};

class Observer;

struct LaunchOptions {
  CheckMode checks = CheckMode::On; ///< Off: an access outside is a LaunchError instead of a CheckError
  MatrixMode matrix = MatrixMode::Exact;
  uint64_t seed = 0;
  uint64_t instructionBudget = 1ull << 36;      ///< wave-instructions of the whole launch
  unsigned threads = 0;                         ///< 0: as many as the host has
  uint64_t printfBuffer = 0;                    ///< device address for the hidden argument of that name
  uint64_t printfBytes = 1 << 20;               ///< how much a launch may print; the device makes such a buffer
  PrintedText *printed = nullptr;               ///< gets what the kernel prints; null: stdout and stderr, at the end
  const std::atomic<bool> *interrupt = nullptr; ///< polled at least every millisecond; true ends with a LaunchError
  Observer *observer = nullptr; ///< debug.h: sees every instruction; the launch then runs on one thread, in order
};

/// What a launch did. `laneOperations`: one active lane of one VALU instruction. `matrixFlops`: 2*M*N*K each.
struct LaunchStatistics {
  uint64_t waveInstructions = 0, laneOperations = 0, matrixFlops = 0;
  uint64_t workGroups = 0, waves = 0;
  double seconds = 0;
};

/// A code object in device memory: segments copied, relocations applied, kernels predecoded into micro-ops at
/// first use.
class LoadedModule {
public:
  static llvm::Expected<std::shared_ptr<LoadedModule>> load(AddressSpace &memory,
                                                            std::shared_ptr<const codeobject::CodeObject> object);
  ~LoadedModule();
  const codeobject::CodeObject &object() const;
  /// Device address of a global variable; the error lists those that there are.
  llvm::Expected<uint64_t> global(std::string_view name, uint64_t *bytes = nullptr) const;
  struct Impl;
  Impl &impl() const { return *implementation; }

private:
  LoadedModule();
  std::unique_ptr<Impl> implementation;
};

/// Runs one kernel to its end. `kernarg` holds the explicit arguments as the metadata lays them out; hidden arguments
/// are filled here. Errors: LaunchError (unknown instruction with name, address and source line; budget; interrupt;
/// wrong sizes, with the limits), CheckError (access outside: kernel, source line, lane, address, nearest allocation).
/// Result bits do not depend on the number of threads.
llvm::Expected<LaunchStatistics> launch(LoadedModule &module, AddressSpace &memory, const codeobject::Kernel &kernel,
                                        const LaunchConfig &config, std::span<const std::byte> kernarg,
                                        const LaunchOptions &options = {});

} // namespace wavewright::emulator
