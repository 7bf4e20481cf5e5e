// The whole way of a GEMM: no register is spilled, no scratch is used, and the loop's matrix instructions are there.
// RUN: sed s/ARCH/gfx942/ %S/../passes/gemm.mlir | hk-translate --hk-to-isa | FileCheck %s --check-prefixes=ALL,MFMA
// RUN: sed s/ARCH/gfx950/ %S/../passes/gemm.mlir | hk-translate --hk-to-isa | FileCheck %s --check-prefixes=ALL,MFMA
// RUN: sed s/ARCH/gfx1100/ %S/../passes/gemm.mlir | hk-translate --hk-to-isa | FileCheck %s --check-prefixes=ALL,WMMA
// RUN: sed s/ARCH/gfx1151/ %S/../passes/gemm.mlir | hk-translate --hk-to-isa | FileCheck %s --check-prefixes=ALL,WMMA
// RUN: sed s/ARCH/gfx1201/ %S/../passes/gemm.mlir | hk-translate --hk-to-isa | FileCheck %s --check-prefixes=ALL,WMMA

// MFMA: v_mfma_f32_{{.*}}bf16
// WMMA-COUNT-32: v_wmma_f32_16x16x16_bf16
// WMMA-NOT: v_wmma
// ALL: .private_segment_fixed_size: 0
// ALL: .vgpr_spill_count: 0
