//===- codeobject/gate.h - what a finished kernel costs, and whether that is allowed --------------===//
//
// The gate reads the code object back, whoever made it: registers, spills, LDS, occupancy, and whether every
// instruction decodes on the chip. Nothing here trusts what the compiler meant to do.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace wavewright::codeobject {

/// Instructions of a kernel's program by what executes them. A VOPD pair is one VALU instruction.
struct InstructionMix {
  unsigned valu = 0; ///< without matrix instructions
  unsigned salu = 0; ///< without branches, waits and hints
  unsigned smem = 0;
  unsigned vmemLoads = 0, vmemStores = 0, vmemAtomics = 0; ///< flat, global, scratch, buffer, image
  unsigned ldsDma = 0;                                     ///< loads from memory straight to LDS
  unsigned scratch = 0; ///< of the vector memory instructions, those on the scratch segment
  unsigned lds = 0;     ///< ds_*
  unsigned matrix = 0;  ///< MFMA, SMFMAC, WMMA, SWMMAC
  unsigned branches = 0, calls = 0;
  unsigned waits = 0; ///< s_waitcnt*, s_wait_*
  unsigned barriers = 0;
  unsigned hints = 0; ///< s_nop, s_delay_alu, s_clause, s_setprio, s_sleep, v_nop, ...
  unsigned other = 0; ///< cache control, messages, exports, s_endpgm
  unsigned unknown = 0;
  unsigned total = 0;
};
InstructionMix instructionMix(const Program &program);

/// An instruction that the chip does not have, where the kernel can reach it.
struct UndecodableWord {
  uint64_t address = 0;
  uint32_t word = 0;
  SourcePlace place;
};

struct ResourceReport {
  const Target *chip = nullptr;
  std::string kernel;
  SourcePlace place;
  unsigned waveSize = 64;
  int groupSize = 0;  ///< work-items that the occupancy is for
  unsigned vgprs = 0; ///< architectural
  unsigned agprs = 0;
  unsigned allocatedVgprs = 0; ///< VGPR plus AGPR as the hardware allocates them
  unsigned maxVgprs = 0;       ///< the most that one wave can have of allocatedVgprs
  unsigned sgprs = 0;          ///< with VCC and what the chip reserves
  unsigned vgprSpills = 0, sgprSpills = 0;
  unsigned scratchBytes = 0; ///< a work-item
  bool dynamicStack = false;
  unsigned ldsBytes = 0; ///< a work-group, without dynamic LDS
  uint64_t codeBytes = 0;
  int occupancy = 0;          ///< waves a SIMD
  std::string occupancyLimit; ///< "VGPRs", "SGPRs", "LDS", "waves", "work-group size"
  InstructionMix mix;
  std::vector<UndecodableWord> undecodable;
  std::vector<std::string> warnings;
};

/// `groupSize` 0 means the largest that the kernel allows.
ResourceReport resources(const CodeObject &object, const Kernel &kernel, int groupSize = 0);

/// What the user allows; 0 means no limit of that kind.
struct Budgets {
  unsigned maxVgprs = 0;     ///< VGPR plus AGPR of one wave as allocated
  int minOccupancy = 0;      ///< waves a SIMD
  bool allowScratch = false; ///< accept scratch memory and VGPR spills
};

/// ResourceError with everything that does not fit: the kernel, the numbers and what to reduce.
/// Scratch and VGPR spills are refused; SGPRs that were spilled to VGPR lanes are only a warning of the report.
llvm::Error checkResources(const ResourceReport &report, const Budgets &budgets = {});

struct StageTime {
  std::string name;
  double milliseconds = 0;
};

/// A page of text. Stages may be empty.
std::string formatReport(const ResourceReport &report, llvm::ArrayRef<StageTime> stages = {});
llvm::json::Value reportJson(const ResourceReport &report, llvm::ArrayRef<StageTime> stages = {});

} // namespace wavewright::codeobject
