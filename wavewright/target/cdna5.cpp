//===- target/cdna5.cpp - gfx1250: MI455X --------------------------------------------------===//
//
// Compiled for, not emulated. Sources: LLVM 22.1.8 for registers, waits and what selects; the rest is second hand and
// says so. Despite its number the chip is CDNA5, and it has wave32 only.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/target/wmma.h"

#include "llvm/BinaryFormat/ELF.h"

namespace wavewright::tables {

// rocjitsu (ROCm/rocm-systems) and Triton's WMMA version 3 agree on the dense layouts: runs of 8 (16-bit) or 16
// (8-bit) consecutive k, the half-waves alternating run by run.
static constexpr OperandBases run2 = {bits<k(1)>, bits<row(1), row(2), row(4), row(8), k(2)>};
static constexpr OperandBases runs8 = {bits<k(1), k(2), k(4), k(16)>, bits<row(1), row(2), row(4), row(8), k(8)>};
static constexpr OperandBases runs16 = {bits<k(1), k(2), k(4), k(8), k(32)>,
                                        bits<row(1), row(2), row(4), row(8), k(16)>};
static constexpr OperandBases fourRuns16 = {bits<k(1), k(2), k(4), k(8), k(32), k(64)>,
                                            bits<row(1), row(2), row(4), row(8), k(16)>};
static constexpr OperandBases acc = acc16x16wave32;

// Name, intrinsic, K, types of A, B, D, registers of A (= B) and D, cycles (LLVM's scheduling model and origami),
// layouts.
// clang-format off
static constexpr std::array atoms = {
    wmma("wmma_f32_16x16x32_f16", "llvm.amdgcn.wmma.f32.16x16x32.f16", 32, F16, F16, F32, 8, 8, 8, runs8, acc),
    wmma("wmma_f16_16x16x32_f16", "llvm.amdgcn.wmma.f16.16x16x32.f16", 32, F16, F16, F16, 8, 4, 8, runs8, acc),
    wmma("wmma_f32_16x16x32_bf16", "llvm.amdgcn.wmma.f32.16x16x32.bf16", 32, BF16, BF16, F32, 8, 8, 8, runs8, acc),
    wmma("wmma_bf16_16x16x32_bf16", "llvm.amdgcn.wmma.bf16.16x16x32.bf16", 32, BF16, BF16, BF16, 8, 4, 8, runs8, acc),
    wmma("wmma_f32_16x16x4_f32", "llvm.amdgcn.wmma.f32.16x16x4.f32", 4, F32, F32, F32, 2, 8, 16, run2, acc),
    wmma("wmma_i32_16x16x64_iu8", "llvm.amdgcn.wmma.i32.16x16x64.iu8", 64, I8, I8, I32, 8, 8, 16, runs16, acc),
    wmma("wmma_f32_16x16x64_fp8_fp8", "llvm.amdgcn.wmma.f32.16x16x64.fp8.fp8", 64, FP8, FP8, F32, 8, 8, 4, runs16, acc),
    wmma("wmma_f32_16x16x64_fp8_bf8", "llvm.amdgcn.wmma.f32.16x16x64.fp8.bf8", 64, FP8, BF8, F32, 8, 8, 4, runs16, acc),
    wmma("wmma_f32_16x16x128_fp8_fp8", "llvm.amdgcn.wmma.f32.16x16x128.fp8.fp8", 128, FP8, FP8, F32, 16, 8, 8, fourRuns16, acc),
    wmma("wmma_f32_16x16x128_fp8_bf8", "llvm.amdgcn.wmma.f32.16x16x128.fp8.bf8", 128, FP8, BF8, F32, 16, 8, 8, fourRuns16, acc),
    wmma("wmma_f16_16x16x64_fp8_fp8", "llvm.amdgcn.wmma.f16.16x16x64.fp8.fp8", 64, FP8, FP8, F16, 8, 4, 4, runs16, acc),
    wmma("wmma_f16_16x16x64_fp8_bf8", "llvm.amdgcn.wmma.f16.16x16x64.fp8.bf8", 64, FP8, BF8, F16, 8, 4, 4, runs16, acc),
    wmma("wmma_f16_16x16x128_fp8_fp8", "llvm.amdgcn.wmma.f16.16x16x128.fp8.fp8", 128, FP8, FP8, F16, 16, 4, 8, fourRuns16, acc),
    wmma("wmma_f16_16x16x128_fp8_bf8", "llvm.amdgcn.wmma.f16.16x16x128.fp8.bf8", 128, FP8, BF8, F16, 16, 4, 8, fourRuns16, acc),
    wmma("wmma_f32_16x16x64_bf8_fp8", "llvm.amdgcn.wmma.f32.16x16x64.bf8.fp8", 64, BF8, FP8, F32, 8, 8, 4, runs16, acc),
    wmma("wmma_f32_16x16x64_bf8_bf8", "llvm.amdgcn.wmma.f32.16x16x64.bf8.bf8", 64, BF8, BF8, F32, 8, 8, 4, runs16, acc),
    wmma("wmma_f32_16x16x128_bf8_fp8", "llvm.amdgcn.wmma.f32.16x16x128.bf8.fp8", 128, BF8, FP8, F32, 16, 8, 8, fourRuns16, acc),
    wmma("wmma_f32_16x16x128_bf8_bf8", "llvm.amdgcn.wmma.f32.16x16x128.bf8.bf8", 128, BF8, BF8, F32, 16, 8, 8, fourRuns16, acc),
    wmma("wmma_f16_16x16x64_bf8_fp8", "llvm.amdgcn.wmma.f16.16x16x64.bf8.fp8", 64, BF8, FP8, F16, 8, 4, 4, runs16, acc),
    wmma("wmma_f16_16x16x64_bf8_bf8", "llvm.amdgcn.wmma.f16.16x16x64.bf8.bf8", 64, BF8, BF8, F16, 8, 4, 4, runs16, acc),
    wmma("wmma_f16_16x16x128_bf8_fp8", "llvm.amdgcn.wmma.f16.16x16x128.bf8.fp8", 128, BF8, FP8, F16, 16, 4, 8, fourRuns16, acc),
    wmma("wmma_f16_16x16x128_bf8_bf8", "llvm.amdgcn.wmma.f16.16x16x128.bf8.bf8", 128, BF8, BF8, F16, 16, 4, 8, fourRuns16, acc),
};
// clang-format on

// Assumed from the 64 banks that comgr-isa-metadata.def states; no measurement is public.
static constexpr LdsPhases phases[] = {
    {4, Access::Read, 64, consecutive<32, 32>},   {8, Access::Read, 64, consecutive<32, 32>},
    {12, Access::Read, 64, consecutive<32, 16>},  {16, Access::Read, 64, consecutive<32, 16>},
    {4, Access::Write, 64, consecutive<32, 32>},  {8, Access::Write, 64, consecutive<32, 32>},
    {12, Access::Write, 64, consecutive<32, 16>}, {16, Access::Write, 64, consecutive<32, 16>},
};

static constexpr WaitCounter waits[] = {
    {"loadcnt", 63, "s_wait_loadcnt", "global, buffer and scratch loads, atomics that return"},
    {"storecnt", 63, "s_wait_storecnt", "stores, atomics that return nothing, write-backs"},
    {"dscnt", 63, "s_wait_dscnt", "LDS accesses and the LDS half of flat ones"},
    {"kmcnt", 31, "s_wait_kmcnt", "scalar loads and messages (out of order)"},
    {"asynccnt", 63, "s_wait_asynccnt", "asynchronous copies between memory and LDS"},
    {"tensorcnt", 3, "s_wait_tensorcnt", "tensor copies between memory and LDS"},
    {"xcnt", 63, "s_wait_xcnt", "memory accesses whose address is not translated yet"},
};

/// Asynchronous copies of 1, 4, 8 and 16 bytes a lane, both ways.
static constexpr int directToLds[] = {1, 4, 8, 16};

constinit const Target gfx1250 = {
    .name = "gfx1250",
    .generation = Generation::Cdna5,
    .products = "Instinct MI455X",
    .waveSize = 32,
    .wave32 = true,
    .wave64 = false,
    .elfMachine = llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1250,
    .maxWorkGroupSize = 1024,
    .lds = {.bytesPerGroup = 327680, .bytesPerUnit = 327680, .granule = 2048, .banks = 64, .phases = phases},
    .registers = {.vgprsPerSimd = 1024,
                  .maxVgprsPerWave = 1024,
                  .addressableVgprs = 1024, // v256 and up through s_set_vgpr_msb
                  .vgprGranule = 16,
                  .maxAgprs = 0,
                  .sgprsAddressable = 106,
                  .sgprsPerSimd = 0,
                  .sgprGranule = 0,
                  .maxWavesPerSimd = 16,
                  .simdsPerUnit = 4},
    .waits = waits,
    // Only the low four bits of the descriptor's flags reach word 3 on this chip: the constants of gfx11 and gfx12
    // have no effect.
    .memory = {.bufferWord3 = 0,
               .directToLdsBytes = directToLds,
               .ldsTransposeLoad = true,
               .globalTransposeLoad = true},
    .atoms = atoms,
    .emulated = false,
};

} // namespace wavewright::tables
