//===- target/rdna3.cpp - gfx1100: RX 7900; gfx1151: Strix Halo ----------------------------===//
//
// Sources: LLVM 22.1.8 (what llc prints, selects and encodes) unless a fact names another.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/target/wmma.h"

#include "llvm/BinaryFormat/ELF.h"

namespace wavewright::tables {

// A and B: a lane holds all 16 k of its row, and the lanes 16, 32 and 48 further must hold the same. C and D: the
// halves of a wave32 hold even and odd rows, the quarters of a wave64 every fourth. AMD's matrix calculator; measured
// by HipKittens on W7900D. A 16-bit C or D element fills half of a register (op_sel picks), so it too takes 8
// registers in wave32.
static constexpr OperandBases mirrored = {bits<k(1), k(2), k(4), k(8)>, bits<row(1), row(2), row(4), row(8), same>};
static constexpr OperandBases mirrored64 = {bits<k(1), k(2), k(4), k(8)>,
                                            bits<row(1), row(2), row(4), row(8), same, same>};
static constexpr OperandBases acc = {bits<row(2), row(4), row(8)>, bits<col(1), col(2), col(4), col(8), row(1)>};
static constexpr OperandBases acc64 = {bits<row(4), row(8)>, bits<col(1), col(2), col(4), col(8), row(1), row(2)>};

// Name, intrinsic, K, types of A, B, D, registers of A (= B) and D, cycles (AMD's calculator), layouts.
// clang-format off
static constexpr std::array atoms = {
    wmma("wmma_f32_16x16x16_f16", "llvm.amdgcn.wmma.f32.16x16x16.f16", 16, F16, F16, F32, 8, 8, 32, mirrored, acc),
    wmma("wmma_f16_16x16x16_f16", "llvm.amdgcn.wmma.f16.16x16x16.f16", 16, F16, F16, F16, 8, 8, 32, mirrored, acc),
    wmma("wmma_f32_16x16x16_bf16", "llvm.amdgcn.wmma.f32.16x16x16.bf16", 16, BF16, BF16, F32, 8, 8, 32, mirrored, acc),
    wmma("wmma_bf16_16x16x16_bf16", "llvm.amdgcn.wmma.bf16.16x16x16.bf16", 16, BF16, BF16, BF16, 8, 8, 32, mirrored, acc),
    wmma("wmma_i32_16x16x16_iu8", "llvm.amdgcn.wmma.i32.16x16x16.iu8", 16, I8, I8, I32, 4, 8, 32, mirrored, acc),
    wmma("wmma_i32_16x16x16_iu4", "llvm.amdgcn.wmma.i32.16x16x16.iu4", 16, I4, I4, I32, 2, 8, 16, mirrored, acc),
    wmma64("wmma_f32_16x16x16_f16_w64", "llvm.amdgcn.wmma.f32.16x16x16.f16", 16, F16, F16, F32, 8, 4, 32, mirrored64, acc64),
    wmma64("wmma_f16_16x16x16_f16_w64", "llvm.amdgcn.wmma.f16.16x16x16.f16", 16, F16, F16, F16, 8, 4, 32, mirrored64, acc64),
    wmma64("wmma_f32_16x16x16_bf16_w64", "llvm.amdgcn.wmma.f32.16x16x16.bf16", 16, BF16, BF16, F32, 8, 4, 32, mirrored64, acc64),
    wmma64("wmma_bf16_16x16x16_bf16_w64", "llvm.amdgcn.wmma.bf16.16x16x16.bf16", 16, BF16, BF16, BF16, 8, 4, 32, mirrored64, acc64),
    wmma64("wmma_i32_16x16x16_iu8_w64", "llvm.amdgcn.wmma.i32.16x16x16.iu8", 16, I8, I8, I32, 4, 4, 32, mirrored64, acc64),
    wmma64("wmma_i32_16x16x16_iu4_w64", "llvm.amdgcn.wmma.i32.16x16x16.iu4", 16, I4, I4, I32, 2, 4, 16, mirrored64, acc64),
};
// clang-format on

/// S_WAITCNT: exp[2:0], lgkm[9:4], vm[15:10].
static constexpr WaitCounter waits[] = {
    {"vmcnt", 63, "s_waitcnt", "global, buffer and scratch loads, atomics that return"},
    {"vscnt", 63, "s_waitcnt_vscnt", "stores, atomics that return nothing"},
    {"lgkmcnt", 63, "s_waitcnt", "LDS accesses and the LDS half of flat ones (in order), scalar loads (out of order)"},
    {"expcnt", 7, "s_waitcnt", "exports, LDS direct loads"},
};

/// Word 3: OOB_SELECT 3 (raw), FORMAT non-zero, since FORMAT 0 loads zeros silently (HipKittens).
static constexpr MemoryFacts memory = {
    .bufferWord3 = 0x31004000, .directToLdsBytes = {}, .ldsTransposeLoad = false, .globalTransposeLoad = false};

/// What the chips of this file differ in: name, generation, products, machine number of the ELF header.
static constexpr Target rdna3(std::string_view name, Generation generation, std::string_view products,
                              unsigned machine) {
  return {
      .name = name,
      .generation = generation,
      .products = products,
      .waveSize = 32,
      .wave32 = true,
      .wave64 = true,
      .elfMachine = machine,
      .maxWorkGroupSize = 1024,
      .lds = rdnaLds,
      .registers = rdnaRegisters,
      .waits = waits,
      .memory = memory,
      .atoms = atoms,
      .emulated = true,
  };
}

constinit const Target gfx1100 = rdna3("gfx1100", Generation::Rdna3, "Radeon RX 7900 XTX, XT, GRE; PRO W7900, W7800",
                                       llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1100);
constinit const Target gfx1151 = rdna3("gfx1151", Generation::Rdna35, "Strix Halo: Radeon 8060S, 8050S (Ryzen AI Max)",
                                       llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1151);

} // namespace wavewright::tables
