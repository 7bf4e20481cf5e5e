// One matrix instruction each; unit_codegen compiles every atom of every chip.
// RUN: split-file %s %t
// RUN: hk-translate --hk-to-isa %t/mfma.mlir | FileCheck %s --check-prefix=MFMA
// RUN: hk-translate --hk-to-isa %t/wmma.mlir | FileCheck %s --check-prefix=WMMA
// RUN: hk-translate --hk-to-llvmir %t/wmma.mlir | FileCheck %s --check-prefix=WMMA-IR

// MFMA: v_mfma_f32_16x16x16_bf16
// WMMA: v_wmma_f32_16x16x16_bf16
// WMMA: v_wmma_i32_16x16x16_iu8 {{.*}} neg_lo:[1,1,0]
// WMMA-IR: @llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v16i16

//--- mfma.mlir
module attributes {wavewright.arch = "gfx942"} {
  func.func @k(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 64 : i32} {
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %a = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> vector<4xbf16>
    %z = arith.constant dense<0.0> : vector<4xf32>
    %d = rocke.mma "mfma_f32_16x16x16_bf16" %a, %a, %z : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
    rocke.buffer_store %d, %r[%t, %c0] : vector<4xf32>, !llvm.ptr<8>
    return
  }
}
//--- wmma.mlir
module attributes {wavewright.arch = "gfx1100"} {
  func.func @k(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 32 : i32} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %lo = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> vector<8xbf16>
    %hi = rocke.buffer_load %r[%t, %c16] : !llvm.ptr<8> -> vector<8xbf16>
    %a = vector.shuffle %lo, %hi [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xbf16>, vector<8xbf16>
    %z = arith.constant dense<0.0> : vector<8xf32>
    %d = rocke.mma "wmma_f32_16x16x16_bf16" %a, %a, %z : vector<16xbf16>, vector<16xbf16>, vector<8xf32>
    %d0 = vector.extract_strided_slice %d {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    rocke.buffer_store %d0, %r[%t, %c0] : vector<4xf32>, !llvm.ptr<8>
    %i = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> vector<16xi8>
    %zi = arith.constant dense<0> : vector<8xi32>
    %e = rocke.mma "wmma_i32_16x16x16_iu8" %i, %i, %zi : vector<16xi8>, vector<16xi8>, vector<8xi32>
    %e0 = vector.extract_strided_slice %e {offsets = [0], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
    rocke.buffer_store %e0, %r[%t, %c16] : vector<4xi32>, !llvm.ptr<8>
    return
  }
}
