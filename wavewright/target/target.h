//===- target/target.h - facts of a chip, as data -------------------------------------------------===//
//
// Every fact of a chip that the compiler, the gate, the reports and the lints use stands here once, one
// file a generation (cdna3.cpp, cdna4.cpp, rdna3.cpp, rdna4.cpp, cdna5.cpp), each with its source. The emulator states
// matrix operand positions and wait rules a second time, from the manuals; a unit test compares the two.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/support/error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace wavewright {

enum class Generation : uint8_t { Cdna3, Cdna4, Rdna3, Rdna35, Rdna4, Cdna5 };
std::string_view generationName(Generation generation); ///< "CDNA3"

/// Element types as the atoms and the front ends name them.
enum class DType : uint8_t { F64, F32, F16, BF16, FP8, BF8, FP6, BF6, FP4, XF32, I32, I16, I8, I4, U32, U16, U8, I1 };
std::string_view dtypeName(DType dtype); ///< "bf16"
unsigned dtypeBits(DType dtype);

/// A linear map over F2 as its basis images: up to 8 slot bits and 6 lane bits, each image a coordinate pair.
/// See layout::LinearLayout for the algebra; facts keep only the numbers.
struct BasisPair {
  int16_t d0, d1;
};
struct OperandBases {
  std::span<const BasisPair> slots; ///< slot bit i (elements of the packed operand, little endian through VGPRs)
  std::span<const BasisPair> lanes; ///< lane bit i; (0,0) means that lanes differing in it hold the same element
};

enum class MatrixFamily : uint8_t { Mfma, Wmma, MfmaScale, Smfmac, Swmmac };

/// One dense or sparse matrix instruction of a chip. A is (m,k), B is (n,k), C and D are (m,n).
struct MatrixAtom {
  std::string_view name;      ///< our name: "mfma_f32_16x16x16_bf16"
  std::string_view intrinsic; ///< "llvm.amdgcn.mfma.f32.16x16x16bf16.1k"; LLVM mangles what is overloaded
  MatrixFamily family;
  int waveSize;
  int m, n, k, blocks;
  DType a, b, d;
  int vgprsA, vgprsB, vgprsD; ///< 32-bit registers a lane
  int cycles;                 ///< clocks that one SIMD's matrix unit is occupied (chips.md 6.4)
  OperandBases layoutA, layoutB, layoutD;
};

enum class Access : uint8_t { Read, Write };

/// Which lanes of a wave an LDS access serves together; conflicts arise only inside a phase.
struct LdsPhases {
  int bytes; ///< 4, 8, 12, 16 a lane
  Access access;
  int banks;
  std::span<const std::array<uint8_t, 32>> lanes; ///< one row a phase; unused entries are 0xff
};

struct LdsFacts {
  int bytesPerGroup; ///< the most that one work-group may have
  int bytesPerUnit;  ///< pool shared by the groups of one CU (CDNA) or WGP (RDNA)
  int granule;       ///< allocation granule in bytes, as the hardware allocates
  int banks;         ///< of 4 bytes
  std::span<const LdsPhases> phases;
};

struct RegisterFacts {
  int vgprsPerSimd;     ///< for the native wave size
  int maxVgprsPerWave;  ///< VGPR + AGPR where the file is unified
  int addressableVgprs; ///< architectural VGPRs of one wave
  int vgprGranule;      ///< allocation granule
  int maxAgprs;         ///< 0 where there are none
  int sgprsAddressable;
  int sgprsPerSimd, sgprGranule; ///< 0 where SGPRs do not limit occupancy
  int maxWavesPerSimd;
  int simdsPerUnit; ///< SIMDs that share the LDS pool
};

struct WaitCounter {
  std::string_view name; ///< "vmcnt", "lgkmcnt", "loadcnt", ...
  int max;
  std::string_view instruction; ///< "s_waitcnt", "s_wait_loadcnt", ...
  std::string_view counts;      ///< in words, for `wavewright targets`
};

struct MemoryFacts {
  uint32_t bufferWord3; ///< of a raw buffer descriptor
  std::span<const int> directToLdsBytes;
  bool ldsTransposeLoad, globalTransposeLoad;
};

struct Occupancy {
  int wavesPerSimd;
  std::string_view limit; ///< "VGPRs", "SGPRs", "LDS", "waves", "work-group size"
};

struct Target {
  std::string_view name; ///< "gfx950"
  Generation generation;
  std::string_view products;
  int waveSize;        ///< lanes of the native wave
  bool wave32, wave64; ///< which wave sizes exist
  uint32_t elfMachine; ///< EF_AMDGPU_MACH value in e_flags
  int maxWorkGroupSize;
  LdsFacts lds;
  RegisterFacts registers;
  std::span<const WaitCounter> waits;
  MemoryFacts memory;
  std::span<const MatrixAtom> atoms;
  bool emulated; ///< the built-in device has it

  bool isCdna() const { return generation == Generation::Cdna3 || generation == Generation::Cdna4; }
  bool isRdna() const {
    return generation == Generation::Rdna3 || generation == Generation::Rdna35 || generation == Generation::Rdna4;
  }

  /// Waves a SIMD for a kernel: `vgprs` counts VGPR plus AGPR as allocated (unified: align(v,4)+a),
  /// `sgprs` includes VCC and what else is reserved (the metadata's .sgpr_count), `ldsBytes` is a work-group's,
  /// `groupSize` its work-items. waveSize 0 means native. Zero waves: it does not fit, and `limit` says why. Groups
  /// that a unit holds at once: wavesPerSimd * simdsPerUnit / waves of the group, rounded down.
  Occupancy occupancy(int vgprs, int sgprs, int ldsBytes, int groupSize, int waveSize = 0) const;
  const MatrixAtom *findAtom(std::string_view name) const;
};

/// The error names the nearest chips. "gfx940" is gfx942.
llvm::Expected<const Target *> findTarget(llvm::StringRef gfx);
const Target *findTargetByElfMachine(uint32_t mach);
llvm::ArrayRef<const Target *> allTargets(); ///< gfx942 gfx950 gfx1100 gfx1151 gfx1201 gfx1250

} // namespace wavewright
