// RUN: hk-opt %s --hk-tile-pipeline | FileCheck %s --check-prefix=TILE
// RUN: hk-opt %s --hk-tile-pipeline --hk-lower-tiles | FileCheck %s --check-prefix=LANE

// Eight bf16 fill 16 bytes; the lanes go along the row first. Both operands and the sum share one layout.
// TILE: #[[L:.*]] = #hk.layout<block = [4, 64], pack = 8, slots = {{\[}}[0, 1], [0, 2], [0, 4]], lanes = {{\[}}[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]>
// TILE: hk.load {{.*}} !hk.rt<16x64xbf16, #[[L]]>
// TILE: hk.load {{.*}} !hk.rt<16x64xbf16, #[[L]]>
// TILE: arith.addf {{.*}} !hk.rt<16x64xbf16, #[[L]]>

// A tensor is eight arguments, and a block of 32 work-items runs it.
// LANE-LABEL: func.func @add
// LANE-SAME: %[[A:[a-z0-9]*]]: !llvm.ptr<1> {rocke.name = "a"}, %[[BATCH:[a-z0-9]*]]: i32 {rocke.name = "a.batch"}
// LANE-SAME: {rocke.name = "a.depth"}, %[[ROWS:[a-z0-9]*]]: i32 {rocke.name = "a.rows"}, %[[COLS:[a-z0-9]*]]: i32 {rocke.name = "a.cols"}
// LANE-SAME: i64 {rocke.name = "a.batch_stride"}
// LANE-SAME: i64 {rocke.name = "a.row_stride"}
// LANE-SAME: rocke.block_size = 32 : i32, rocke.kernel
// LANE-DAG: %[[OUTSIDE:.*]] = arith.constant -2147483648 : i32
// The resource begins at the tile and is empty where the batch does not exist.
// LANE: %[[HERE:.*]] = llvm.getelementptr %[[A]]
// LANE: arith.cmpi ult, {{.*}}, %[[BATCH]]
// LANE: %[[EXISTS:.*]] = arith.andi {{.*}} : i1
// LANE: %[[BYTES:.*]] = arith.select %[[EXISTS]], {{.*}} : i32
// LANE-NEXT: %[[R:.*]] = rocke.buffer_resource %[[HERE]], %[[BYTES]]
// An element outside is past the end of the resource.
// LANE: arith.cmpi ult, {{.*}}, %[[COLS]]
// LANE: arith.cmpi ult, {{.*}}, %[[ROWS]]
// LANE-NEXT: %[[OF_ROW:.*]] = arith.select {{.*}}, %[[OUTSIDE]] : i32
// LANE-NEXT: %[[OFFSET:.*]] = arith.select {{.*}}, %[[OF_ROW]], %[[OUTSIDE]] : i32
// LANE-NEXT: rocke.buffer_load %[[R]][%[[OFFSET]], {{.*}}] : <8> -> vector<8xbf16>
// LANE-COUNT-7: rocke.buffer_load {{.*}} vector<8xbf16>
// LANE-COUNT-4: arith.addf {{.*}} vector<8xbf16>
// LANE-COUNT-4: rocke.buffer_store {{.*}} vector<8xbf16>
// LANE-NOT: hk.

!T = !hk.tensor<bf16, align = 16, cols = 8>
module attributes {wavewright.arch = "gfx1100"} {
  func.func @add(%a: !T {hk.name = "a"}, %b: !T {hk.name = "b"}, %o: !T {hk.name = "o"})
      attributes {hk.kernel, hk.warps = 1 : i32} {
    %c0 = arith.constant 0 : i32
    %x = hk.block_id x
    %y = hk.block_id y
    %z = hk.block_id z
    %t = hk.load %a[%z, %c0, %y, %x] in tiles : !T -> !hk.rt<16x64xbf16>
    %u = hk.load %b[%z, %c0, %y, %x] in tiles : !T -> !hk.rt<16x64xbf16>
    %s = arith.addf %t, %u : !hk.rt<16x64xbf16>
    hk.store %s, %o[%z, %c0, %y, %x] in tiles : !hk.rt<16x64xbf16>, !T
    return
  }
}
