//===- target/cdna4.cpp - gfx950: MI350X, MI355X -------------------------------------------===//
//
// Sources: LLVM 22.1.8 (what llc prints, selects and encodes) unless a fact names another.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/target/mfma.h"

#include "llvm/BinaryFormat/ELF.h"

namespace wavewright::tables {

// Cycles of the shapes that CDNA3 lacks: origami (ROCm/rocm-libraries), equal to four times LLVM's pass counts.
// clang-format off
static constexpr auto atoms = join(mfmaOfBoth, std::array{
    mfma("mfma_f32_16x16x32_f16", "llvm.amdgcn.mfma.f32.16x16x32.f16", 16, 32, F16, F16, F32, 4, 4, 16, rows16run8, acc16x16),
    mfma("mfma_f32_32x32x16_f16", "llvm.amdgcn.mfma.f32.32x32x16.f16", 32, 16, F16, F16, F32, 4, 16, 32, rows32run8, acc32x32),
    mfma("mfma_f32_16x16x32_bf16", "llvm.amdgcn.mfma.f32.16x16x32.bf16", 16, 32, BF16, BF16, F32, 4, 4, 16, rows16run8, acc16x16),
    mfma("mfma_f32_32x32x16_bf16", "llvm.amdgcn.mfma.f32.32x32x16.bf16", 32, 16, BF16, BF16, F32, 4, 16, 32, rows32run8, acc32x32),
    mfma("mfma_f64_16x16x4_f64", "llvm.amdgcn.mfma.f64.16x16x4f64", 16, 4, F64, F64, F64, 2, 8, 64, rows16run1, acc16x16f64),
    mfma("mfma_i32_16x16x64_i8", "llvm.amdgcn.mfma.i32.16x16x64.i8", 16, 64, I8, I8, I32, 4, 4, 16, rows16run16, acc16x16),
    mfma("mfma_i32_32x32x32_i8", "llvm.amdgcn.mfma.i32.32x32x32.i8", 32, 32, I8, I8, I32, 4, 16, 32, rows32run16, acc32x32),
});
// clang-format on

/// ds_read_b128 is served sixteen lanes at a time (HipKittens, measured on MI355X; triton-lang/triton #11365).
static constexpr auto b128ReadPhases =
    phasesOfRuns(std::array<std::array<uint8_t, 4>, 2>{{{0, 12, 20, 24}, {4, 8, 16, 28}}});

// 64 banks for 8 and 16 byte reads, 32 for all else (HipKittens measured b64, b96 and b128 reads and b64 writes on
// MI355X; rocRoller's LDSBankModel for b32 and b128 writes, whose grouping is assumed consecutive).
static constexpr LdsPhases phases[] = {
    {4, Access::Read, 32, consecutive<64, 32>},  {8, Access::Read, 64, consecutive<64, 32>},
    {12, Access::Read, 32, wideReadPhases},      {16, Access::Read, 64, b128ReadPhases},
    {4, Access::Write, 32, consecutive<64, 32>}, {8, Access::Write, 32, consecutive<64, 16>},
    {12, Access::Write, 32, consecutive<64, 8>}, {16, Access::Write, 32, consecutive<64, 8>},
};

static constexpr int directToLds[] = {1, 2, 4, 12, 16};

constinit const Target gfx950 = {
    .name = "gfx950",
    .generation = Generation::Cdna4,
    .products = "Instinct MI350X, MI355X",
    .waveSize = 64,
    .wave32 = false,
    .wave64 = true,
    .elfMachine = llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950,
    .maxWorkGroupSize = 1024,
    // The hardware allocates 1280 bytes at a time (llvm/llvm-project #208046); LLVM 22 writes the descriptor in units
    // of 2048.
    .lds = {.bytesPerGroup = 163840, .bytesPerUnit = 163840, .granule = 1280, .banks = 64, .phases = phases},
    .registers = cdnaRegisters,
    .waits = cdnaWaits,
    .memory = {.bufferWord3 = 0x00027000,
               .directToLdsBytes = directToLds,
               .ldsTransposeLoad = true,
               .globalTransposeLoad = false},
    .atoms = atoms,
    .emulated = true,
};

} // namespace wavewright::tables
