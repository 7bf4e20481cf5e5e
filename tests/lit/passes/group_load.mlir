// RUN: hk-opt %s --split-input-file --hk-tile-pipeline --hk-lower-tiles | FileCheck %s

// 48x64 bf16 are twelve blocks of 4x64 on a wave32: with eight waves one turn each, and a second for waves 0 to 3.
// CHECK-LABEL: func.func @partial_turn
// CHECK: rocke.buffer_load
// CHECK: rocke.lds_store
// CHECK: %[[LAST:.*]] = arith.cmpi ult, %{{.*}}, %c4_i32 : i32
// CHECK-NEXT: scf.if %[[LAST]] {
// CHECK: rocke.buffer_load
// CHECK: rocke.lds_store
// CHECK: }
// CHECK-NOT: rocke.buffer_load
!T = !hk.tensor<bf16, align = 16, cols = 8>
module attributes {wavewright.arch = "gfx1151"} {
  func.func @partial_turn(%a: !T) attributes {hk.kernel, hk.warps = 8 : i32} {
    %c0 = arith.constant 0 : i32
    %s = hk.lds_alloc : !hk.st<48x64xbf16>
    hk.group_load %s, %a[%c0, %c0, %c0, %c0] in tiles waves 8 : !hk.st<48x64xbf16>, !T
    return
  }
}

// -----

// Only the first two waves take part; narrow facts still make one wide LDS access.
// CHECK-LABEL: func.func @two_of_four
// CHECK: %[[PART:.*]] = arith.cmpi ult, %{{.*}}, %c2_i32 : i32
// CHECK-NEXT: scf.if %[[PART]] {
// CHECK-COUNT-16: rocke.buffer_load {{.*}} -> f16
// CHECK-COUNT-2: rocke.lds_store {{.*}} align 16 : vector<8xf16>
// CHECK-NOT: rocke.lds_store
module attributes {wavewright.arch = "gfx942"} {
  func.func @two_of_four(%a: !hk.tensor<f16, align = 2, cols = 1>) attributes {hk.kernel, hk.warps = 4 : i32} {
    %c0 = arith.constant 0 : i32
    %s = hk.lds_alloc : !hk.st<64x32xf16>
    hk.group_load %s, %a[%c0, %c0, %c0, %c0] in tiles waves 2 : !hk.st<64x32xf16>, !hk.tensor<f16, align = 2, cols = 1>
    return
  }
}
