//===- bench/machine_line.h - what a number was measured with -------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <fmt/format.h>

#include <string>
#include <thread>

namespace bench {

/// "command: ..." and "machine: ..." for the head of a table.
inline std::string machineLine(int argc, char **argv) {
  std::string command;
  for (int i = 0; i < argc; ++i)
    command += (i ? " " : "") + std::string(argv[i]);
  std::string model = llvm::sys::getHostCPUName().str();
  if (auto file = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo")) {
    llvm::StringRef text = (*file)->getBuffer();
    size_t at = text.find("model name");
    if (at != llvm::StringRef::npos)
      model = text.substr(at).split('\n').first.split(':').second.trim().str() + " (" + model + ")";
  }
  return fmt::format("command: {}\nmachine: {}, {} thread{}, LLVM {}, build {}\n", command, model,
                     std::thread::hardware_concurrency(), std::thread::hardware_concurrency() == 1 ? "" : "s",
                     LLVM_VERSION_STRING, WAVEWRIGHT_BUILD_TYPE);
}

} // namespace bench
