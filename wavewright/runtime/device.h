//===- runtime/device.h - a device is a device ----------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"
#include "wavewright/emulator/machine.h"

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace wavewright::runtime {

using emulator::CheckMode;
using emulator::Dim3;
using emulator::LaunchConfig;
using emulator::LaunchOptions;
using emulator::LaunchStatistics;
using emulator::MatrixMode;

/// Device memory. Freed with its last owner; a wrapped host array must outlive it.
class Buffer {
public:
  virtual ~Buffer() = default;
  virtual uint64_t address() const = 0;
  virtual uint64_t bytes() const = 0;
  /// Copies; for a wrapped array on the emulator both are no work.
  virtual llvm::Error read(void *host, uint64_t offset, uint64_t bytes) const = 0;
  virtual llvm::Error write(const void *host, uint64_t offset, uint64_t bytes) = 0;
  /// Whether the last launches stored into it (emulator only; true elsewhere).
  virtual bool written() const = 0;
  /// The memory itself where it lies in this process, else null.
  virtual std::byte *hostPointer() const { return nullptr; }
};

/// A kernel argument as bytes: pointers are device addresses; `bytes` must have the size the metadata gives.
struct Argument {
  std::vector<std::byte> bytes;
  std::shared_ptr<Buffer> keepAlive;
  static Argument pointer(std::shared_ptr<Buffer> buffer, uint64_t offset = 0);
  template <typename T> static Argument value(T value) {
    Argument result;
    result.bytes.resize(sizeof(T));
    __builtin_memcpy(result.bytes.data(), &value, sizeof(T));
    return result;
  }
};

class Function {
public:
  virtual ~Function() = default;
  virtual const codeobject::Kernel &kernel() const = 0;
};

class Module {
public:
  virtual ~Module() = default;
  virtual llvm::Expected<std::shared_ptr<Function>> function(std::string_view name) = 0;
  /// A view of a global variable.
  virtual llvm::Expected<std::shared_ptr<Buffer>> global(std::string_view name) = 0;
};

/// One interface for "emu:gfx950" and "hip:0"; no caller asks which it is.
class Device {
public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  virtual const Target &target() const = 0;
  virtual llvm::Expected<std::shared_ptr<Buffer>> allocate(uint64_t bytes, std::string label = "") = 0;
  virtual llvm::Expected<std::shared_ptr<Buffer>> wrap(void *host, uint64_t bytes, std::string label = "",
                                                       bool readOnly = false) = 0;
  /// Host memory at one address for host and device. The error (LaunchError) names what is at that address already, or
  /// says that the device cannot do this.
  virtual llvm::Expected<std::shared_ptr<Buffer>> wrapInPlace(void *host, uint64_t bytes, std::string label = "",
                                                              bool readOnly = false);
  /// The error (LaunchError) says when the object is for another chip, and names both.
  virtual llvm::Expected<std::shared_ptr<Module>> load(std::shared_ptr<const codeobject::CodeObject> object) = 0;
  virtual llvm::Expected<LaunchStatistics> launch(Function &function, const LaunchConfig &config,
                                                  std::span<const Argument> arguments,
                                                  const LaunchOptions &options = {}) = 0;
};

/// "emu:<chip>" or "hip:<n>". The error lists the names that work here.
llvm::Expected<std::shared_ptr<Device>> openDevice(llvm::StringRef name);
std::vector<std::string> availableDevices();

} // namespace wavewright::runtime
