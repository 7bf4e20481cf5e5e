//===- runtime/devices.h - what openDevice chooses from -------------------------------------------===//
#pragma once

#include "wavewright/runtime/device.h"

namespace wavewright::runtime {

/// The built-in device for a chip.
llvm::Expected<std::shared_ptr<Device>> openEmulator(llvm::StringRef chip);

/// A GPU through the HIP library, which is looked for now, at run time.
llvm::Expected<std::shared_ptr<Device>> openHip(unsigned index);

/// How many GPUs HIP offers; the error (UsageError) says what is missing.
llvm::Expected<unsigned> countHipDevices();

/// The file that serves as HIP library, or "" when none is found.
std::string hipLibraryPath();

/// LaunchError that names both chips when they differ.
llvm::Error checkChip(const codeobject::CodeObject &object, const Target &target, const std::string &device);

} // namespace wavewright::runtime
