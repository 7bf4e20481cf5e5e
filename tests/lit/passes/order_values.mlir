// RUN: hk-opt %s --order-values | FileCheck %s

// Operation after operation becomes element after element; the load in the middle stays where it is.
// CHECK-LABEL: func.func @chain
// CHECK:         %[[A0:.*]] = arith.mulf %arg0
// CHECK-NEXT:    arith.addf %[[A0]]
// CHECK-NEXT:    %[[A1:.*]] = arith.mulf %arg1
// CHECK-NEXT:    arith.addf %[[A1]]
// CHECK-NEXT:    rocke.lds_load
// CHECK-NEXT:    arith.subf
module attributes {wavewright.arch = "gfx1100"} {
  func.func @chain(%a: f32, %b: f32, %p: !llvm.ptr<3>, %o: i32) -> (f32, f32, f32) {
    %0 = arith.mulf %a, %a : f32
    %1 = arith.mulf %b, %b : f32
    %2 = arith.addf %0, %a : f32
    %3 = arith.addf %1, %b : f32
    %l = rocke.lds_load %p[%o + 0] align 4 : !llvm.ptr<3> -> f32
    %4 = arith.subf %l, %2 : f32
    return %2, %3, %4 : f32, f32, f32
  }
}
