// RUN: hk-opt %s --split-input-file --hk-tile-pipeline | FileCheck %s --check-prefix=TILE
// RUN: hk-opt %s --split-input-file --hk-tile-pipeline --hk-lower-tiles | FileCheck %s --check-prefix=LANE

// A row's sum: eight elements of a lane in order, then the eight lanes of the row. Every lane of the row has the
// result, so spreading it again moves nothing.
// TILE: #[[V:.*]] = #hk.layout<block = [4], pack = 1, slots = [], lanes = {{\[}}[0], [0], [0], [1], [2]]>
// TILE-LABEL: func.func @row_sum
// TILE: hk.reduce add {{.*}} -> <16xf32, col, #[[V]]>
// LANE-LABEL: func.func @row_sum
// LANE: rocke.buffer_load
// LANE: vector.extract
// LANE: arith.addf {{.*}} : f32
// LANE-DAG: %[[S:.*]] = rocke.shuffle_xor %[[SUM:.*]], 1 : f32
// LANE: %[[SUM2:.*]] = arith.addf %{{.*}}, %[[S]] : f32
// LANE-NEXT: rocke.shuffle_xor %[[SUM2]], 2 : f32
// LANE: rocke.shuffle_xor {{.*}}, 4 : f32
// LANE-NOT: rocke.shuffle_xor {{.*}}, 8
// LANE: vector.broadcast {{.*}} : f32 to vector<8xf32>
// LANE: arith.divf {{.*}} : vector<8xf32>
module attributes {wavewright.arch = "gfx1100"} {
  func.func @row_sum(%x: !hk.tensor<f32, align = 16, cols = 4>, %h: !hk.tensor<bf16, align = 16, cols = 8>) attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %t = hk.load %h[%c0, %c0, %c0, %c0] in tiles : !hk.tensor<bf16, align = 16, cols = 8> -> !hk.rt<16x64xf32>
    %s = hk.reduce add %t : !hk.rt<16x64xf32> -> !hk.rv<16xf32, col>
    %b = hk.broadcast %s : !hk.rv<16xf32, col> -> !hk.rt<16x64xf32>
    %r = arith.divf %t, %b : !hk.rt<16x64xf32>
    hk.store %r, %x[%c0, %c0, %c0, %c0] in tiles : !hk.rt<16x64xf32>, !hk.tensor<f32, align = 16, cols = 4>
    return
  }
}

// -----

// A column's maximum on a wave64: whole vectors of the two blocks first, then the lanes that differ in the row. 16-bit
// floats are compared in f32. One lane of those that hold the same value stores it.
// LANE-LABEL: func.func @col_max
// LANE: arith.extf
// LANE: arith.maximumf {{.*}} : vector<8xf32>
// LANE: rocke.shuffle_xor {{.*}}, 8 : f32
// LANE: rocke.shuffle_xor {{.*}}, 16 : f32
// LANE: rocke.shuffle_xor {{.*}}, 32 : f32
// LANE: arith.truncf {{.*}} : f32 to f16
// LANE: %[[FIRST:.*]] = arith.cmpi eq, {{.*}}, %c0_i32
// LANE: arith.andi {{.*}}, %[[FIRST]] : i1
// LANE: rocke.buffer_store {{.*}} : vector<8xf16>
// LANE-NOT: rocke.buffer_store
module attributes {wavewright.arch = "gfx942"} {
  func.func @col_max(%x: !hk.tensor<f16, align = 16, cols = 8>) attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %t = hk.load %x[%c0, %c0, %c0, %c0] in tiles : !hk.tensor<f16, align = 16, cols = 8> -> !hk.rt<16x64xf16>
    %s = hk.reduce max %t : !hk.rt<16x64xf16> -> !hk.rv<64xf16, row>
    hk.store %s, %x[%c0, %c0, %c0, %c0] in tiles : !hk.rv<64xf16, row>, !hk.tensor<f16, align = 16, cols = 8>
    return
  }
}

// -----

// Four waves' vectors meet in LDS: store, barrier, read all in order, barrier.
// LANE-LABEL: func.func @across_waves
// LANE: %[[SCRATCH:.*]] = rocke.lds_alloc 256 align 16
// LANE: rocke.lds_store {{.*}}, %[[SCRATCH]]
// LANE: rocke.barrier
// LANE-COUNT-4: rocke.lds_load %[[SCRATCH]]
// LANE: rocke.barrier
// LANE-NOT: rocke.lds_load
module attributes {wavewright.arch = "gfx950"} {
  func.func @across_waves(%x: !hk.tensor<f32, align = 16, cols = 4>) attributes {hk.kernel, hk.warps = 4 : i32} {
    %c0 = arith.constant 0 : i32
    %w = hk.warp_id
    %v = hk.load %x[%c0, %c0, %w, %c0] in tiles : !hk.tensor<f32, align = 16, cols = 4> -> !hk.rv<16xf32, row>
    %s = hk.collective add %v waves 4 : !hk.rv<16xf32, row>
    hk.store %s, %x[%c0, %c0, %w, %c0] in tiles : !hk.rv<16xf32, row>, !hk.tensor<f32, align = 16, cols = 4>
    return
  }
}
