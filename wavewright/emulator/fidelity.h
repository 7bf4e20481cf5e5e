//===- emulator/fidelity.h - how far a kernel's results can be trusted ----------------------------===//
//
// A kernel is as good as the least certain instruction that it can reach.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/grades.h"

#include "wavewright/codeobject/code_object.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace wavewright::emulator {

/// An instruction of the lowest grade met, and where it first stands.
struct FidelityCause {
  std::string_view name;
  std::string_view source; ///< what its grade rests on
  unsigned count = 0;      ///< times that it stands in the reachable code
  uint64_t address = 0;    ///< ELF address of the first
};

struct Fidelity {
  Grade lowest = Grade::Exact;
  std::vector<FidelityCause> causes; ///< sorted by name; empty when everything is exact
};

/// Over the instructions that the entry reaches through branches; code that is reached through a register (calls,
/// jump tables) is all that the object has.
Fidelity fidelityOf(const codeobject::Program &program, uint64_t entry, Generation generation);

/// One line for the grade, one for each cause with its place, as `wavewright run --fidelity` prints it.
std::string describeFidelity(const codeobject::CodeObject &object, const codeobject::Kernel &kernel);

/// {"grade", "causes": [{"instruction", "count", "address", "place", "source"}]}.
llvm::json::Object fidelityToJson(const codeobject::CodeObject &object, const codeobject::Kernel &kernel);

} // namespace wavewright::emulator
