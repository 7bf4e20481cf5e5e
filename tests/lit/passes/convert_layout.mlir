// RUN: hk-opt %s --hk-tile-pipeline | FileCheck %s --check-prefix=TILE
// RUN: hk-opt %s --hk-tile-pipeline --hk-lower-tiles | FileCheck %s --check-prefix=LANE

// What one product makes feeds another: the accumulator's layout becomes an operand's through LDS that is the wave's
// own, so no barrier stands there. What is only loaded is loaded as the operand wants it.
// TILE: hk.load {{.*}} -> !hk.rt<16x32xbf16, #[[OPERAND:layout[0-9]*]]>
// TILE: %[[S:.*]] = hk.mma
// TILE: %[[P:.*]] = hk.cast %[[S]]
// TILE: %[[A:.*]] = hk.convert_layout %[[P]]
// TILE: hk.mma %[[A]]
// LANE: rocke.mma
// LANE: arith.truncf
// LANE: rocke.lds_store
// LANE-NOT: rocke.barrier
// LANE: rocke.lds_load
// LANE-NOT: rocke.barrier
// LANE: rocke.mma
!T = !hk.tensor<bf16, align = 16, cols = 8>
module attributes {wavewright.arch = "gfx942"} {
  func.func @twice(%q: !T, %k: !T, %v: !T, %o: !hk.tensor<f32, align = 16, cols = 4>) attributes {hk.kernel, hk.warps = 1 : i32} {
    %c0 = arith.constant 0 : i32
    %f0 = arith.constant 0.0 : f32
    %zs = hk.splat %f0 : f32 -> !hk.rt<16x16xf32>
    %zo = hk.splat %f0 : f32 -> !hk.rt<16x32xf32>
    %tq = hk.load %q[%c0, %c0, %c0, %c0] in tiles : !T -> !hk.rt<16x32xbf16>
    %tk = hk.load %k[%c0, %c0, %c0, %c0] in tiles : !T -> !hk.rt<16x32xbf16>
    %tv = hk.load %v[%c0, %c0, %c0, %c0] in tiles : !T -> !hk.rt<16x32xbf16>
    %s = hk.mma %tq, %tk trans, %zs : !hk.rt<16x32xbf16>, !hk.rt<16x32xbf16>, !hk.rt<16x16xf32>
    %p = hk.cast %s : !hk.rt<16x16xf32> -> !hk.rt<16x16xbf16>
    %r = hk.mma %p, %tv, %zo : !hk.rt<16x16xbf16>, !hk.rt<16x32xbf16>, !hk.rt<16x32xf32>
    hk.store %r, %o[%c0, %c0, %c0, %c0] in tiles : !hk.rt<16x32xf32>, !hk.tensor<f32, align = 16, cols = 4>
    return
  }
}
