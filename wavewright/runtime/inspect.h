//===- runtime/inspect.h - a code object for people and for programs ------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace wavewright::runtime {

struct InspectOptions {
  std::string kernel;       ///< only this one; "" means all
  bool disassemble = false; ///< every instruction, with the source lines that they come from
};

/// What `wavewright inspect` prints: resources, instruction mix and arguments of each kernel. The error (UsageError)
/// lists the kernels that there are.
llvm::Expected<std::string> inspectText(const codeobject::CodeObject &object, const InspectOptions &options = {});

/// The same as JSON: {"file", "chip", "abi", "kernels": [the resource report, "arguments", ...]}.
llvm::Expected<llvm::json::Value> inspectJson(const codeobject::CodeObject &object, const InspectOptions &options = {});

} // namespace wavewright::runtime
