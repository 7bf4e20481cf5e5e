//===- target/wmma.h - what RDNA3, RDNA4 and CDNA5 share -----------------------------------===//
//
// Spelling of WMMA rows, register files and LDS phases of the wave32 chips. Sources: LLVM 22.1.8 unless a fact names
// another.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/target/tables.h"

namespace wavewright::tables {

constexpr MatrixAtom wmma(std::string_view name, std::string_view intrinsic, int k, DType a, DType b, DType d,
                          int vgprsAB, int vgprsD, int cycles, const OperandBases &layoutAB,
                          const OperandBases &layoutD) {
  return atom(MatrixFamily::Wmma, 32, name, intrinsic, 16, 16, k, a, b, d, vgprsAB, vgprsD, cycles, layoutAB, layoutD);
}
/// Of a wave64; its cycles are the wave32 value, no source states them.
constexpr MatrixAtom wmma64(std::string_view name, std::string_view intrinsic, int k, DType a, DType b, DType d,
                            int vgprsAB, int vgprsD, int cycles, const OperandBases &layoutAB,
                            const OperandBases &layoutD) {
  return atom(MatrixFamily::Wmma, 64, name, intrinsic, 16, 16, k, a, b, d, vgprsAB, vgprsD, cycles, layoutAB, layoutD);
}

/// C and D of a wave32 on gfx12: eight consecutive rows a lane. 16-bit elements are packed two rows a register.
inline constexpr OperandBases acc16x16wave32 = {bits<row(1), row(2), row(4)>,
                                                bits<col(1), col(2), col(4), col(8), row(8)>};

/// RDNA has the 1.5x file on all three chips (LLVM feature allocate1_5xvgprs), SGPRs never limit, and four SIMDs of a
/// WGP share the LDS.
inline constexpr RegisterFacts rdnaRegisters = {
    .vgprsPerSimd = 1536,
    .maxVgprsPerWave = 256,
    .addressableVgprs = 256,
    .vgprGranule = 24,
    .maxAgprs = 0,
    .sgprsAddressable = 106,
    .sgprsPerSimd = 0,
    .sgprGranule = 0,
    .maxWavesPerSimd = 16,
    .simdsPerUnit = 4,
};

/// b128 reads eight consecutive lanes at a time on gfx12 (triton-lang/triton #11365). gfx11: tensilelite's rule that
/// a row stride of an odd multiple of the access width is free of conflicts (ROCm/rocm-libraries #10891, measured)
/// gives the counts; the order of lanes, b96 and the writes are assumed alike.
inline constexpr LdsPhases rdnaPhases[] = {
    {4, Access::Read, 32, consecutive<32, 32>},  {8, Access::Read, 32, consecutive<32, 16>},
    {12, Access::Read, 32, consecutive<32, 8>},  {16, Access::Read, 32, consecutive<32, 8>},
    {4, Access::Write, 32, consecutive<32, 32>}, {8, Access::Write, 32, consecutive<32, 16>},
    {12, Access::Write, 32, consecutive<32, 8>}, {16, Access::Write, 32, consecutive<32, 8>},
};

/// 128 KB for the groups of a WGP, 64 KB for one group; the hardware allocates 1024 bytes at a time (tensilelite,
/// ROCm/rocm-libraries), although the kernel descriptor counts in 512.
inline constexpr LdsFacts rdnaLds = {
    .bytesPerGroup = 65536, .bytesPerUnit = 131072, .granule = 1024, .banks = 32, .phases = rdnaPhases};

} // namespace wavewright::tables
