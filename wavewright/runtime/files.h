//===- runtime/files.h - whole files in, whole files out ------------------------------------------===//
#pragma once

#include "wavewright/support/error.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace wavewright::runtime {

/// The error (UsageError) names the file and the system's reason.
llvm::Expected<std::vector<char>> readFile(const std::string &path);

/// The parts one after the other. The file appears whole under its name or, on any error, keeps what it was; a symbolic
/// link keeps pointing where it did.
llvm::Error writeFile(const std::string &path, llvm::ArrayRef<llvm::ArrayRef<char>> parts);

} // namespace wavewright::runtime
