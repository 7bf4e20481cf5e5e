//===- emulator/code.h - a kernel made of micro-ops -----------------------------------------------===//
#pragma once

#include "wavewright/emulator/context.h"

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace wavewright::emulator {

/// Micro-ops stand in the order of Program::instructions, and one more behind them stops a wave that runs off the end.
struct Code {
  const codeobject::Program *program = nullptr;
  std::vector<MicroOp> ops;
  uint32_t entry = 0;
  /// Some instruction's effect on other work-groups can depend on the order of the groups: returning, floating or
  /// exchanging atomics on global memory, or synchronisation wider than a group. Then groups run in one order.
  bool serial = false;
  const char *serialBecause = "";

  /// Registers of ops[i] are uses[useStart[i]] .. uses[useStart[i + 1]].
  std::vector<RegisterUse> uses;
  std::vector<uint32_t> useStart;

  int64_t indexAt(uint64_t elfAddress) const { return program->indexAt(elfAddress); }

  // What micro-ops point to.
  std::vector<std::unique_ptr<std::array<Row, 2>>> constantPairs; ///< low and high dword, every lane alike
  std::deque<DppTable> dppTables;
  std::deque<std::array<MicroOp, 2>> halves;
  bool hasMatrix = false; ///< instructions that take microseconds: interrupts are looked for more often
  std::deque<std::string> texts;
};

/// Never fails: what cannot be executed becomes a micro-op that says so when it is reached. `vgprs` is the size of
/// the unified register file of a wave.
std::unique_ptr<Code> predecode(const codeobject::Program &program, const Target &target, unsigned waveSize,
                                const codeobject::Kernel &kernel, unsigned vgprs);

/// Why this micro-op stops the wave instead of executing; null for one that executes.
const std::string *refusalOf(const MicroOp &op);

/// The table row of an instruction, or null.
const Semantics *findSemantics(std::string_view name, Generation generation);
/// What the arithmetic of a SIMD level brings; the host's is found by cpuid, once.
struct SemanticsLevel {
  const char *name;
  llvm::ArrayRef<Semantics> (*const *families)();
  unsigned familyCount;
  Handler dual;    ///< VOPD
  Handler indexed; ///< gfx9 register indexing around another micro-op
  /// Runs a wave until it stops or has executed `count` instructions; gives how many it did.
  uint64_t (*run)(Context &, Wave &, uint64_t count);
};
const SemanticsLevel &semanticsLevel();

} // namespace wavewright::emulator
