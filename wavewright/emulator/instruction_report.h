//===- emulator/instruction_report.h - the set of instructions, to print ---------------------------===//
#pragma once

#include "wavewright/target/target.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace wavewright::emulator {

/// Every instruction that the chip's decoder knows: class, grade, forms, and which of them the device executes.
llvm::Expected<llvm::json::Object> instructionsToJson(const Target &target);

/// The same for people: counts by class, then what is not executed (all: every instruction).
llvm::Expected<std::string> describeInstructions(const Target &target, bool all);

} // namespace wavewright::emulator
