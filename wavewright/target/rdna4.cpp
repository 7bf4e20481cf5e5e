//===- target/rdna4.cpp - gfx1201: RX 9070, PRO R9700 --------------------------------------===//
//
// Sources: LLVM 22.1.8 (what llc prints, selects and encodes) unless a fact names another.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/target/wmma.h"

#include "llvm/BinaryFormat/ELF.h"

namespace wavewright::tables {

// AMD's matrix calculator. For 16-bit A and B it deals k out in runs of four: slots hold k 0-3 and 8-11, the other
// half-wave 4-7 and 12-15. Others name eight consecutive k a lane, which is the same dot product with K relabelled;
// the calculator's naming keeps the hardware's rounding steps at k 0-3, 4-7, 8-11, 12-15.
static constexpr OperandBases runs4 = {bits<k(1), k(2), k(8)>, bits<row(1), row(2), row(4), row(8), k(4)>};
static constexpr OperandBases run8 = {bits<k(1), k(2), k(4)>, bits<row(1), row(2), row(4), row(8), k(8)>};
static constexpr OperandBases run16 = {bits<k(1), k(2), k(4), k(8)>, bits<row(1), row(2), row(4), row(8), k(16)>};
static constexpr OperandBases acc = acc16x16wave32;

// Wave64, by element width of A and B.
static constexpr OperandBases half64 = {bits<k(1), k(2)>, bits<row(1), row(2), row(4), row(8), k(4), k(8)>};
static constexpr OperandBases byte64 = {bits<k(1), k(2)>, bits<row(1), row(2), row(4), row(8), k(8), k(4)>};
static constexpr OperandBases nibble64 = {bits<k(1), k(2), k(4)>, bits<row(1), row(2), row(4), row(8), k(16), k(8)>};
static constexpr OperandBases acc64 = {bits<row(1), row(2)>, bits<col(1), col(2), col(4), col(8), row(8), row(4)>};
/// iu4 with K = 16 reads lanes 0-31 only; what lanes 32-63 hold does not matter.
static constexpr OperandBases lowLanes64 = {bits<k(1), k(2), k(4)>, bits<row(1), row(2), row(4), row(8), k(8), same>};

// Name, intrinsic, K, types of A, B, D, registers of A (= B) and D, cycles (AMD's calculator), layouts.
// clang-format off
static constexpr std::array atoms = {
    wmma("wmma_f32_16x16x16_f16", "llvm.amdgcn.wmma.f32.16x16x16.f16", 16, F16, F16, F32, 4, 8, 16, runs4, acc),
    wmma("wmma_f16_16x16x16_f16", "llvm.amdgcn.wmma.f16.16x16x16.f16", 16, F16, F16, F16, 4, 4, 16, runs4, acc),
    wmma("wmma_f32_16x16x16_bf16", "llvm.amdgcn.wmma.f32.16x16x16.bf16", 16, BF16, BF16, F32, 4, 8, 16, runs4, acc),
    wmma("wmma_bf16_16x16x16_bf16", "llvm.amdgcn.wmma.bf16.16x16x16.bf16", 16, BF16, BF16, BF16, 4, 4, 16, runs4, acc),
    wmma("wmma_i32_16x16x16_iu8", "llvm.amdgcn.wmma.i32.16x16x16.iu8", 16, I8, I8, I32, 2, 8, 8, run8, acc),
    wmma("wmma_i32_16x16x16_iu4", "llvm.amdgcn.wmma.i32.16x16x16.iu4", 16, I4, I4, I32, 1, 8, 8, run8, acc),
    wmma("wmma_i32_16x16x32_iu4", "llvm.amdgcn.wmma.i32.16x16x32.iu4", 32, I4, I4, I32, 2, 8, 8, run16, acc),
    wmma("wmma_f32_16x16x16_fp8_fp8", "llvm.amdgcn.wmma.f32.16x16x16.fp8.fp8", 16, FP8, FP8, F32, 2, 8, 8, run8, acc),
    wmma("wmma_f32_16x16x16_fp8_bf8", "llvm.amdgcn.wmma.f32.16x16x16.fp8.bf8", 16, FP8, BF8, F32, 2, 8, 8, run8, acc),
    wmma("wmma_f32_16x16x16_bf8_fp8", "llvm.amdgcn.wmma.f32.16x16x16.bf8.fp8", 16, BF8, FP8, F32, 2, 8, 8, run8, acc),
    wmma("wmma_f32_16x16x16_bf8_bf8", "llvm.amdgcn.wmma.f32.16x16x16.bf8.bf8", 16, BF8, BF8, F32, 2, 8, 8, run8, acc),
    wmma64("wmma_f32_16x16x16_f16_w64", "llvm.amdgcn.wmma.f32.16x16x16.f16", 16, F16, F16, F32, 2, 4, 16, half64, acc64),
    wmma64("wmma_f16_16x16x16_f16_w64", "llvm.amdgcn.wmma.f16.16x16x16.f16", 16, F16, F16, F16, 2, 2, 16, half64, acc64),
    wmma64("wmma_f32_16x16x16_bf16_w64", "llvm.amdgcn.wmma.f32.16x16x16.bf16", 16, BF16, BF16, F32, 2, 4, 16, half64, acc64),
    wmma64("wmma_bf16_16x16x16_bf16_w64", "llvm.amdgcn.wmma.bf16.16x16x16.bf16", 16, BF16, BF16, BF16, 2, 2, 16, half64, acc64),
    wmma64("wmma_i32_16x16x16_iu8_w64", "llvm.amdgcn.wmma.i32.16x16x16.iu8", 16, I8, I8, I32, 1, 4, 8, byte64, acc64),
    wmma64("wmma_i32_16x16x16_iu4_w64", "llvm.amdgcn.wmma.i32.16x16x16.iu4", 16, I4, I4, I32, 1, 4, 8, lowLanes64, acc64),
    wmma64("wmma_i32_16x16x32_iu4_w64", "llvm.amdgcn.wmma.i32.16x16x32.iu4", 32, I4, I4, I32, 1, 4, 8, nibble64, acc64),
    wmma64("wmma_f32_16x16x16_fp8_fp8_w64", "llvm.amdgcn.wmma.f32.16x16x16.fp8.fp8", 16, FP8, FP8, F32, 1, 4, 8, byte64, acc64),
    wmma64("wmma_f32_16x16x16_fp8_bf8_w64", "llvm.amdgcn.wmma.f32.16x16x16.fp8.bf8", 16, FP8, BF8, F32, 1, 4, 8, byte64, acc64),
    wmma64("wmma_f32_16x16x16_bf8_fp8_w64", "llvm.amdgcn.wmma.f32.16x16x16.bf8.fp8", 16, BF8, FP8, F32, 1, 4, 8, byte64, acc64),
    wmma64("wmma_f32_16x16x16_bf8_bf8_w64", "llvm.amdgcn.wmma.f32.16x16x16.bf8.bf8", 16, BF8, BF8, F32, 1, 4, 8, byte64, acc64),
};
// clang-format on

static constexpr WaitCounter waits[] = {
    {"loadcnt", 63, "s_wait_loadcnt", "global, buffer and scratch loads, atomics that return"},
    {"storecnt", 63, "s_wait_storecnt", "stores, atomics that return nothing, write-backs"},
    {"dscnt", 63, "s_wait_dscnt", "LDS accesses and the LDS half of flat ones"},
    {"kmcnt", 31, "s_wait_kmcnt", "scalar loads and messages (out of order)"},
    {"samplecnt", 63, "s_wait_samplecnt", "image sampling"},
    {"bvhcnt", 7, "s_wait_bvhcnt", "ray tracing"},
    {"expcnt", 7, "s_wait_expcnt", "exports"},
};

constinit const Target gfx1201 = {
    .name = "gfx1201",
    .generation = Generation::Rdna4,
    .products = "Radeon RX 9070, 9070 XT, 9070 GRE; AI PRO R9700",
    .waveSize = 32,
    .wave32 = true,
    .wave64 = true,
    .elfMachine = llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1201,
    .maxWorkGroupSize = 1024,
    .lds = rdnaLds,
    .registers = rdnaRegisters,
    .waits = waits,
    .memory = {.bufferWord3 = 0x31004000, // as on gfx11
               .directToLdsBytes = {},
               .ldsTransposeLoad = false,
               .globalTransposeLoad = true},
    .atoms = atoms,
    .emulated = true,
};

} // namespace wavewright::tables
