//===- tools/hipcc.h - `wavewright hipcc` ---------------------------------------------------------===//
#pragma once

#include "wavewright/support/error.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace wavewright::tools {

/// What `wavewright hipcc --help` prints.
extern const char *const hipccHelp;

/// Compiles HIP with clang against include/hip and links with libwavewright_hip.so. Gives clang's exit status; the
/// error (UsageError) says what is missing here.
llvm::Expected<int> hipcc(llvm::ArrayRef<std::string> arguments);

} // namespace wavewright::tools
