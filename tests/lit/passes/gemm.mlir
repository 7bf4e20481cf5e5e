// RUN: sed s/ARCH/gfx942/ %s | hk-opt --hk-tile-pipeline | FileCheck %s --check-prefix=G942
// RUN: sed s/ARCH/gfx950/ %s | hk-opt --hk-tile-pipeline | FileCheck %s --check-prefix=G950
// RUN: sed s/ARCH/gfx1100/ %s | hk-opt --hk-tile-pipeline | FileCheck %s --check-prefix=G11
// RUN: sed s/ARCH/gfx1201/ %s | hk-opt --hk-tile-pipeline | FileCheck %s --check-prefix=G12
// RUN: sed s/ARCH/gfx1100/ %s | hk-opt --hk-tile-pipeline --hk-lower-tiles | FileCheck %s --check-prefix=LANE11
// RUN: sed s/ARCH/gfx942/ %s | hk-opt --hk-tile-pipeline --hk-lower-tiles | FileCheck %s --check-prefix=LANE942

// Fragments are loaded beside the matrix instruction: hk.mma takes the windows. On gfx942 a lane's 8 consecutive k feed
// two steps of the instruction with K = 8.
// G942: hk.lds_sub
// G942: hk.mma {{.*}} {atom = "mfma_f32_32x32x8_bf16", k_block = 16 : i32, k_width = 8 : i32} : !hk.st<64x32xbf16, of 128x32, {{.*}}>
// G950: hk.mma {{.*}} {atom = "mfma_f32_32x32x16_bf16", k_block = 16 : i32, k_width = 8 : i32} : !hk.st
// G11: hk.mma {{.*}} {atom = "wmma_f32_16x16x16_bf16", k_block = 16 : i32
// G12: hk.mma {{.*}} {atom = "wmma_f32_16x16x16_bf16", k_block = 16 : i32, k_width = 8 : i32}

// The accumulators go round the loop as one value an atom.
// LANE11: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>,
// Four waves bring 128x32 in by 16-byte accesses, four a lane and operand, before anything is stored.
// LANE11-COUNT-4: rocke.buffer_load {{.*}} -> vector<8xbf16>
// LANE11-COUNT-4: rocke.lds_store {{.*}} align 16 : vector<8xbf16>
// LANE11-COUNT-4: rocke.buffer_load {{.*}} -> vector<8xbf16>
// LANE11-COUNT-4: rocke.lds_store {{.*}} align 16 : vector<8xbf16>
// LANE11: rocke.barrier
// A lane's fragment is 16 k: two accesses. The products of a step follow its fragments.
// LANE11: rocke.lds_load {{.*}} align 16 : <3> -> vector<8xbf16>
// LANE11: vector.shuffle {{.*}} vector<8xbf16>, vector<8xbf16>
// LANE11-COUNT-16: rocke.mma "wmma_f32_16x16x16_bf16" {{.*}} vector<16xbf16>, vector<16xbf16>, vector<8xf32>
// LANE11: rocke.lds_load
// LANE11-COUNT-16: rocke.mma "wmma_f32_16x16x16_bf16"
// LANE11: rocke.barrier
// LANE11: scf.yield

// One access of 16 bytes is two steps' fragments.
// LANE942-COUNT-3: rocke.lds_load {{.*}} align 16 : <3> -> vector<8xbf16>
// LANE942-COUNT-2: rocke.mma "mfma_f32_32x32x8_bf16" {{.*}} : vector<4xbf16>, vector<4xbf16>, vector<16xf32>
// LANE942-NEXT: rocke.lds_load
// LANE942-COUNT-6: rocke.mma
// LANE942-COUNT-3: rocke.lds_load
// LANE942-COUNT-2: rocke.mma
// LANE942-NEXT: rocke.lds_load
// LANE942-COUNT-6: rocke.mma
// LANE942-NOT: rocke.lds_load

!T = !hk.tensor<bf16, align = 16, cols = 8>
!C = !hk.tensor<f32, align = 16, cols = 4>
!S = !hk.st<128x32xbf16>
!W = !hk.st<64x32xbf16, of 128x32>
module attributes {wavewright.arch = "ARCH"} {
  func.func @gemm(%a: !T {hk.name = "a"}, %b: !T {hk.name = "b"}, %c: !C {hk.name = "c"})
      attributes {hk.kernel, hk.warps = 4 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant 0.0 : f32
    %x = hk.block_id x
    %y = hk.block_id y
    %z = hk.block_id z
    %wave = hk.warp_id
    %wm = arith.floordivsi %wave, %c2 : i32
    %wn = arith.remsi %wave, %c2 : i32
    %sa = hk.lds_alloc : !S
    %sb = hk.lds_alloc : !S
    %none = hk.splat %zero : f32 -> !hk.rt<64x64xf32>
    %cols = hk.extent %a cols : !T
    %n = arith.ceildivsi %cols, %c32 : i32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %none) -> (!hk.rt<64x64xf32>) : i32 {
      hk.group_load %sa, %a[%z, %c0, %y, %k] in tiles waves 4 : !S, !T
      hk.group_load %sb, %b[%z, %c0, %x, %k] in tiles waves 4 : !S, !T
      hk.barrier
      %wa = hk.lds_sub %sa[%wm, %c0] : !S -> !W
      %wb = hk.lds_sub %sb[%wn, %c0] : !S -> !W
      %ra = hk.lds_load %wa : !W -> !hk.rt<64x32xbf16>
      %rb = hk.lds_load %wb : !W -> !hk.rt<64x32xbf16>
      %next = hk.mma %ra, %rb trans, %acc : !hk.rt<64x32xbf16>, !hk.rt<64x32xbf16>, !hk.rt<64x64xf32>
      hk.barrier
      scf.yield %next : !hk.rt<64x64xf32>
    }
    %y2 = arith.muli %y, %c2 : i32
    %row = arith.addi %y2, %wm : i32
    %x2 = arith.muli %x, %c2 : i32
    %col = arith.addi %x2, %wn : i32
    hk.store %sum, %c[%z, %c0, %row, %col] in tiles : !hk.rt<64x64xf32>, !C
    return
  }
}
