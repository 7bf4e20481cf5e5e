// RUN: hk-opt %s --split-input-file --hk-tile-pipeline --hk-lower-tiles | FileCheck %s

// Base and pitch allow 16 bytes, but rows end anywhere: tiles inside take wide accesses, tiles at the edge single
// elements whose columns are checked.
// CHECK-LABEL: func.func @ragged_rows
// CHECK: scf.if
// CHECK: rocke.buffer_load {{.*}} -> vector<8xbf16>
// CHECK: } else {
// CHECK: rocke.buffer_load {{.*}} -> bf16
// CHECK-NOT: vector<8xbf16>
// CHECK: vector.from_elements
module attributes {wavewright.arch = "gfx942"} {
  func.func @ragged_rows(%a: !hk.tensor<bf16, align = 16, cols = 1>, %y: i32) attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %t = hk.load %a[%c0, %c0, %y, %c0] in tiles : !hk.tensor<bf16, align = 16, cols = 1> -> !hk.rt<16x64xbf16>
    hk.store %t, %a[%c0, %c0, %y, %c0] in tiles : !hk.rt<16x64xbf16>, !hk.tensor<bf16, align = 16, cols = 1>
    return
  }
}

// -----

// Pitches are odd: lanes hold neighbouring columns, one element each, and nothing branches.
// CHECK-LABEL: func.func @odd_pitch
// CHECK-NOT: scf.if
// CHECK-COUNT-16: rocke.buffer_load {{.*}} -> bf16
// CHECK-NOT: rocke.buffer_load
module attributes {wavewright.arch = "gfx942"} {
  func.func @odd_pitch(%a: !hk.tensor<bf16, align = 2, cols = 1>, %y: i32) attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %t = hk.load %a[%c0, %c0, %y, %c0] in tiles : !hk.tensor<bf16, align = 2, cols = 1> -> !hk.rt<16x64xbf16>
    hk.store %t, %a[%c0, %c0, %y, %c0] in tiles : !hk.rt<16x64xbf16>, !hk.tensor<bf16, align = 2, cols = 1>
    return
  }
}

// -----

// A column in elements may be anything: whether it suits the wide access is asked when running.
// CHECK-LABEL: func.func @any_column
// CHECK: arith.cmpi sle
// CHECK: %[[LOW:.*]] = arith.andi {{.*}}, %c7_i32
// CHECK: arith.cmpi eq, %[[LOW]], %c0_i32
// CHECK: scf.if
module attributes {wavewright.arch = "gfx1201"} {
  func.func @any_column(%a: !hk.tensor<f16, align = 16, cols = 8>, %x: i32) attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %t = hk.load %a[%c0, %c0, %c0, %x] in elements : !hk.tensor<f16, align = 16, cols = 8> -> !hk.rt<16x64xf16>
    hk.store %t, %a[%c0, %c0, %c0, %c0] in tiles : !hk.rt<16x64xf16>, !hk.tensor<f16, align = 16, cols = 8>
    return
  }
}

// -----

// The load converts after it, the store before it; a vector is elements of the last dimension.
// CHECK-LABEL: func.func @converts
// CHECK: rocke.buffer_load {{.*}} -> vector<8xbf16>
// CHECK: arith.extf {{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
// CHECK: rocke.buffer_store {{.*}} vector<8xf16>
module attributes {wavewright.arch = "gfx950"} {
  func.func @converts(%a: !hk.tensor<bf16, align = 16, cols = 8>, %o: !hk.tensor<f16, align = 16, cols = 8>)
      attributes {hk.kernel} {
    %c0 = arith.constant 0 : i32
    %t = hk.load %a[%c0, %c0, %c0, %c0] in tiles : !hk.tensor<bf16, align = 16, cols = 8> -> !hk.rt<16x64xf32>
    hk.store %t, %o[%c0, %c0, %c0, %c0] in tiles : !hk.rt<16x64xf32>, !hk.tensor<f16, align = 16, cols = 8>
    return
  }
}
