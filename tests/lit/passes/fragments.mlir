// RUN: hk-opt %s --split-input-file --hk-tile-pipeline | FileCheck %s --check-prefix=TILE
// RUN: hk-opt %s --split-input-file --hk-tile-pipeline --hk-lower-tiles | FileCheck %s --check-prefix=LANE

// A tile that is only a product's operand is loaded step by step beside the product.
// LANE-LABEL: func.func @from_a_tensor
// LANE-COUNT-4: rocke.buffer_load {{.*}} vector<8xf16>
// LANE: rocke.mma
// LANE-COUNT-4: rocke.buffer_load {{.*}} vector<8xf16>
// LANE: rocke.mma
// LANE-NOT: rocke.buffer_load
!T = !hk.tensor<f16, align = 16, cols = 8>
!C = !hk.tensor<f32, align = 16, cols = 4>
module attributes {wavewright.arch = "gfx1151"} {
  func.func @from_a_tensor(%a: !T, %b: !T, %c: !C) attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %f0 = arith.constant 0.0 : f32
    %zero = hk.splat %f0 : f32 -> !hk.rt<16x16xf32>
    %ta = hk.load %a[%c0, %c0, %c0, %c0] in tiles : !T -> !hk.rt<16x32xf16>
    %tb = hk.load %b[%c0, %c0, %c0, %c0] in tiles : !T -> !hk.rt<16x32xf16>
    %r = hk.mma %ta, %tb trans, %zero : !hk.rt<16x32xf16>, !hk.rt<16x32xf16>, !hk.rt<16x16xf32>
    hk.store %r, %c[%c0, %c0, %c0, %c0] in tiles : !hk.rt<16x16xf32>, !C
    return
  }
}

// -----

// What is stored between the load and the product may be what is loaded: the load stays where it stands. The same holds
// in LDS for a barrier.
// TILE-LABEL: func.func @after_a_write
// TILE: hk.lds_load
// TILE: hk.barrier
// TILE: hk.mma {{.*}} : !hk.rt<16x32xf16, {{.*}}>, !hk.rt<16x32xf16
// LANE-LABEL: func.func @after_a_write
// LANE-COUNT-4: rocke.buffer_load {{.*}} vector<8xf16>
// LANE: rocke.buffer_store
// LANE-NOT: rocke.buffer_load
// LANE: rocke.mma
!T = !hk.tensor<f16, align = 16, cols = 8>
!C = !hk.tensor<f32, align = 16, cols = 4>
module attributes {wavewright.arch = "gfx1151"} {
  func.func @after_a_write(%a: !T, %c: !C) attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %f0 = arith.constant 0.0 : f32
    %zero = hk.splat %f0 : f32 -> !hk.rt<16x16xf32>
    %s = hk.lds_alloc : !hk.st<16x32xf16>
    %tb = hk.lds_load %s : !hk.st<16x32xf16> -> !hk.rt<16x32xf16>
    %ta = hk.load %a[%c0, %c0, %c0, %c0] in tiles : !T -> !hk.rt<16x32xf16>
    hk.store %zero, %c[%c0, %c0, %c0, %c0] in tiles : !hk.rt<16x16xf32>, !C
    hk.barrier
    %r = hk.mma %ta, %tb trans, %zero : !hk.rt<16x32xf16>, !hk.rt<16x32xf16>, !hk.rt<16x16xf32>
    hk.store %r, %c[%c0, %c0, %c0, %c0] in tiles : !hk.rt<16x16xf32>, !C
    return
  }
}
