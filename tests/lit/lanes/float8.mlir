// RUN: hk-translate --hk-to-isa %s | FileCheck %s
// RUN: hk-translate --hk-to-isa --arch gfx1201 %s | FileCheck %s

// Four values are two instructions each way, whatever shape carries them.
// CHECK-LABEL: convert:
// CHECK-COUNT-2: v_cvt_pk_fp8_f32
// CHECK-NOT: v_cvt_pk_fp8_f32
// CHECK-LABEL: widen:
// CHECK: v_cvt_{{(pk_)?}}f32_bf8

module attributes {wavewright.arch = "gfx950"} {
  func.func @convert(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 64 : i32} {
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %x = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> vector<4xf32>
    %y = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
    rocke.buffer_store %y, %r[%t, %c0] : vector<4xf8E4M3FN>, !llvm.ptr<8>
    return
  }
  func.func @widen(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 64 : i32} {
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %x = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> f8E5M2
    %y = arith.extf %x : f8E5M2 to f32
    rocke.buffer_store %y, %r[%t, %c0] : f32, !llvm.ptr<8>
    return
  }
}
