//===- target/mfma.h - what CDNA3 and CDNA4 share -------------------------------------------------===//
//
// Operand layouts and the matrix instructions that are alike on both. Source: AMD's matrix instruction calculator
// (ROCm/amd_matrix_instruction_calculator, 2ef9189); register widths and that each instruction selects on both chips
// were checked with LLVM 22.1.8. Cycles: the same calculator and origami (ROCm/rocm-libraries), which agree.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/target/tables.h"

namespace wavewright::tables {

//===----------------------------------------------------------------------------------------------===//
// A and B of 16 or 32 rows on a wave64: the low lane bits pick the row, the next ones K; `run` consecutive k a lane.
//===----------------------------------------------------------------------------------------------===//
inline constexpr auto &lanes16k1 = bits<row(1), row(2), row(4), row(8), k(1), k(2)>;
inline constexpr auto &lanes16k2 = bits<row(1), row(2), row(4), row(8), k(2), k(4)>;
inline constexpr auto &lanes16k4 = bits<row(1), row(2), row(4), row(8), k(4), k(8)>;
inline constexpr auto &lanes16k8 = bits<row(1), row(2), row(4), row(8), k(8), k(16)>;
inline constexpr auto &lanes16k16 = bits<row(1), row(2), row(4), row(8), k(16), k(32)>;
inline constexpr auto &lanes16k32 = bits<row(1), row(2), row(4), row(8), k(32), k(64)>;
inline constexpr auto &lanes32k1 = bits<row(1), row(2), row(4), row(8), row(16), k(1)>;
inline constexpr auto &lanes32k2 = bits<row(1), row(2), row(4), row(8), row(16), k(2)>;
inline constexpr auto &lanes32k4 = bits<row(1), row(2), row(4), row(8), row(16), k(4)>;
inline constexpr auto &lanes32k8 = bits<row(1), row(2), row(4), row(8), row(16), k(8)>;
inline constexpr auto &lanes32k16 = bits<row(1), row(2), row(4), row(8), row(16), k(16)>;
inline constexpr auto &lanes32k32 = bits<row(1), row(2), row(4), row(8), row(16), k(32)>;

inline constexpr OperandBases rows16run1 = {{}, lanes16k1};
inline constexpr OperandBases rows16run2 = {bits<k(1)>, lanes16k2};
inline constexpr OperandBases rows16run4 = {bits<k(1), k(2)>, lanes16k4};
inline constexpr OperandBases rows16run8 = {bits<k(1), k(2), k(4)>, lanes16k8};
inline constexpr OperandBases rows16run16 = {bits<k(1), k(2), k(4), k(8)>, lanes16k16};
inline constexpr OperandBases rows16run32 = {bits<k(1), k(2), k(4), k(8), k(16)>, lanes16k32};
inline constexpr OperandBases rows32run1 = {{}, lanes32k1};
inline constexpr OperandBases rows32run2 = {bits<k(1)>, lanes32k2};
inline constexpr OperandBases rows32run4 = {bits<k(1), k(2)>, lanes32k4};
inline constexpr OperandBases rows32run8 = {bits<k(1), k(2), k(4)>, lanes32k8};
inline constexpr OperandBases rows32run16 = {bits<k(1), k(2), k(4), k(8)>, lanes32k16};
inline constexpr OperandBases rows32run32 = {bits<k(1), k(2), k(4), k(8), k(16)>, lanes32k32};

/// C and D of an MFMA: 32-bit elements, four consecutive rows a lane, then the next block of rows.
inline constexpr auto &accLanes16 = bits<col(1), col(2), col(4), col(8), row(4), row(8)>;
inline constexpr auto &accLanes32 = bits<col(1), col(2), col(4), col(8), col(16), row(4)>;
inline constexpr OperandBases acc16x16 = {bits<row(1), row(2)>, accLanes16};
inline constexpr OperandBases acc32x32 = {bits<row(1), row(2), row(8), row(16)>, accLanes32};
/// The f64 one differs: consecutive rows go to the high lane bits.
inline constexpr OperandBases acc16x16f64 = {bits<row(4), row(8)>,
                                             bits<col(1), col(2), col(4), col(8), row(1), row(2)>};

constexpr MatrixAtom mfma(std::string_view name, std::string_view intrinsic, int size, int k, DType a, DType b, DType d,
                          int vgprsAB, int vgprsD, int cycles, const OperandBases &layoutAB,
                          const OperandBases &layoutD) {
  return atom(MatrixFamily::Mfma, 64, name, intrinsic, size, size, k, a, b, d, vgprsAB, vgprsD, cycles, layoutAB,
              layoutD);
}

// Name, intrinsic, M = N, K, types of A, B, D, registers of A (= B) and D, cycles, layouts of A (= B) and D.
// clang-format off
inline constexpr std::array mfmaOfBoth = {
    mfma("mfma_f32_16x16x16_f16", "llvm.amdgcn.mfma.f32.16x16x16f16", 16, 16, F16, F16, F32, 2, 4, 16, rows16run4, acc16x16),
    mfma("mfma_f32_32x32x8_f16", "llvm.amdgcn.mfma.f32.32x32x8f16", 32, 8, F16, F16, F32, 2, 16, 32, rows32run4, acc32x32),
    mfma("mfma_f32_16x16x16_bf16", "llvm.amdgcn.mfma.f32.16x16x16bf16.1k", 16, 16, BF16, BF16, F32, 2, 4, 16, rows16run4, acc16x16),
    mfma("mfma_f32_32x32x8_bf16", "llvm.amdgcn.mfma.f32.32x32x8bf16.1k", 32, 8, BF16, BF16, F32, 2, 16, 32, rows32run4, acc32x32),
    mfma("mfma_f32_16x16x4_f32", "llvm.amdgcn.mfma.f32.16x16x4f32", 16, 4, F32, F32, F32, 1, 4, 32, rows16run1, acc16x16),
    mfma("mfma_f32_32x32x2_f32", "llvm.amdgcn.mfma.f32.32x32x2f32", 32, 2, F32, F32, F32, 1, 16, 64, rows32run1, acc32x32),
    mfma("mfma_i32_16x16x32_i8", "llvm.amdgcn.mfma.i32.16x16x32.i8", 16, 32, I8, I8, I32, 2, 4, 16, rows16run8, acc16x16),
    mfma("mfma_i32_32x32x16_i8", "llvm.amdgcn.mfma.i32.32x32x16.i8", 32, 16, I8, I8, I32, 2, 16, 32, rows32run8, acc32x32),
    mfma("mfma_f32_16x16x32_fp8_bf8", "llvm.amdgcn.mfma.f32.16x16x32.fp8.bf8", 16, 32, FP8, BF8, F32, 2, 4, 16, rows16run8, acc16x16),
    mfma("mfma_f32_16x16x32_fp8_fp8", "llvm.amdgcn.mfma.f32.16x16x32.fp8.fp8", 16, 32, FP8, FP8, F32, 2, 4, 16, rows16run8, acc16x16),
    mfma("mfma_f32_32x32x16_fp8_bf8", "llvm.amdgcn.mfma.f32.32x32x16.fp8.bf8", 32, 16, FP8, BF8, F32, 2, 16, 32, rows32run8, acc32x32),
    mfma("mfma_f32_32x32x16_fp8_fp8", "llvm.amdgcn.mfma.f32.32x32x16.fp8.fp8", 32, 16, FP8, FP8, F32, 2, 16, 32, rows32run8, acc32x32),
    mfma("mfma_f32_16x16x32_bf8_bf8", "llvm.amdgcn.mfma.f32.16x16x32.bf8.bf8", 16, 32, BF8, BF8, F32, 2, 4, 16, rows16run8, acc16x16),
    mfma("mfma_f32_16x16x32_bf8_fp8", "llvm.amdgcn.mfma.f32.16x16x32.bf8.fp8", 16, 32, BF8, FP8, F32, 2, 4, 16, rows16run8, acc16x16),
    mfma("mfma_f32_32x32x16_bf8_bf8", "llvm.amdgcn.mfma.f32.32x32x16.bf8.bf8", 32, 16, BF8, BF8, F32, 2, 16, 32, rows32run8, acc32x32),
    mfma("mfma_f32_32x32x16_bf8_fp8", "llvm.amdgcn.mfma.f32.32x32x16.bf8.fp8", 32, 16, BF8, FP8, F32, 2, 16, 32, rows32run8, acc32x32),
};
// clang-format on

//===----------------------------------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------------------------------===//
/// ds_read_b128 and b96 on a 32-bank LDS: eight lanes at a time, and not consecutive ones. AMD's CK-Tile documents
/// and the AMD author of triton-lang/triton #11365 agree on it.
inline constexpr auto wideReadPhases =
    phasesOfRuns(std::array<std::array<uint8_t, 2>, 4>{{{0, 20}, {4, 16}, {8, 28}, {12, 24}}});

//===----------------------------------------------------------------------------------------------===//
// Registers and waits
//===----------------------------------------------------------------------------------------------===//
/// One file of 512 for VGPRs and AGPRs; of the 800 SGPRs a wave takes at most 102 plus VCC and friends.
inline constexpr RegisterFacts cdnaRegisters = {
    .vgprsPerSimd = 512,
    .maxVgprsPerWave = 512,
    .addressableVgprs = 256,
    .vgprGranule = 8,
    .maxAgprs = 256,
    .sgprsAddressable = 102,
    .sgprsPerSimd = 800,
    .sgprGranule = 16,
    .maxWavesPerSimd = 8,
    .simdsPerUnit = 4,
};

/// S_WAITCNT of gfx942 and gfx950 as LLVM 22 encodes it: vm[3:0]+[15:14], exp[6:4], lgkm[11:8].
inline constexpr WaitCounter cdnaWaits[] = {
    {"vmcnt", 63, "s_waitcnt", "global, buffer and scratch loads and stores, atomics, copies direct to LDS"},
    {"lgkmcnt", 15, "s_waitcnt", "LDS accesses and the LDS half of flat ones (in order), scalar loads (out of order)"},
    {"expcnt", 7, "s_waitcnt", "exports"},
};

} // namespace wavewright::tables
