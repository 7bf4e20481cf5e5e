//===- target/cdna3.cpp - gfx942: MI300A, MI300X, MI325X -----------------------------------===//
//
// Sources: LLVM 22.1.8 (what llc prints, selects and encodes) unless a fact names another.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/target/mfma.h"

#include "llvm/BinaryFormat/ELF.h"

namespace wavewright::tables {

// xf32 exists on this chip only; f64 takes half the cycles of gfx950 (AMD's matrix calculator, origami).
// clang-format off
static constexpr auto atoms = join(mfmaOfBoth, std::array{
    mfma("mfma_f32_16x16x8_xf32", "llvm.amdgcn.mfma.f32.16x16x8.xf32", 16, 8, XF32, XF32, F32, 2, 4, 16, rows16run2, acc16x16),
    mfma("mfma_f32_32x32x4_xf32", "llvm.amdgcn.mfma.f32.32x32x4.xf32", 32, 4, XF32, XF32, F32, 2, 16, 32, rows32run2, acc32x32),
    mfma("mfma_f64_16x16x4_f64", "llvm.amdgcn.mfma.f64.16x16x4f64", 16, 4, F64, F64, F64, 2, 8, 32, rows16run1, acc16x16f64),
});
// clang-format on

// b128: AMD's CK-Tile documents, triton-lang/triton #11365. b64: four phases (triton #9662), their grouping assumed
// consecutive. b96 is taken to behave like b128. b32 reads and all narrow writes: half a wave at a time, from AMD's
// optimisation guides; not measured.
static constexpr LdsPhases phases[] = {
    {4, Access::Read, 32, consecutive<64, 32>},  {8, Access::Read, 32, consecutive<64, 16>},
    {12, Access::Read, 32, wideReadPhases},      {16, Access::Read, 32, wideReadPhases},
    {4, Access::Write, 32, consecutive<64, 32>}, {8, Access::Write, 32, consecutive<64, 16>},
    {12, Access::Write, 32, consecutive<64, 8>}, {16, Access::Write, 32, consecutive<64, 8>},
};

static constexpr int directToLds[] = {1, 2, 4};

constinit const Target gfx942 = {
    .name = "gfx942",
    .generation = Generation::Cdna3,
    .products = "Instinct MI300A, MI300X, MI325X",
    .waveSize = 64,
    .wave32 = false,
    .wave64 = true,
    .elfMachine = llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942,
    .maxWorkGroupSize = 1024,
    .lds = {.bytesPerGroup = 65536, .bytesPerUnit = 65536, .granule = 512, .banks = 32, .phases = phases},
    .registers = cdnaRegisters,
    .waits = cdnaWaits,
    // Word 3: NUM_FORMAT float, DATA_FORMAT 32; any non-zero DATA_FORMAT works for raw accesses.
    .memory = {.bufferWord3 = 0x00027000,
               .directToLdsBytes = directToLds,
               .ldsTransposeLoad = false,
               .globalTransposeLoad = false},
    .atoms = atoms,
    .emulated = true,
};

} // namespace wavewright::tables
