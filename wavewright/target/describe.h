//===- target/describe.h - a chip's facts for people and for programs -----------------------------===//
#pragma once

#include "wavewright/target/target.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <utility>
#include <vector>

namespace wavewright {

/// Waves a SIMD and the most VGPRs (VGPR plus AGPR where the file is unified) with which they still fit, most waves
/// first; only counts that occur.
std::vector<std::pair<int, int>> occupancyLadder(const Target &target, int waveSize);

/// A page of a chip's facts: what `wavewright targets` prints.
std::string describeTarget(const Target &target);

/// The same facts and the operand layouts as JSON; keys are the names of the fields of Target.
llvm::json::Value targetToJson(const Target &target);

} // namespace wavewright
