// RUN: hk-translate --hk-to-isa %s | FileCheck %s --check-prefix=G11
// RUN: hk-translate --hk-to-isa --arch gfx942 %s | FileCheck %s --check-prefix=G9
// RUN: hk-translate --hk-to-isa --arch gfx1201 %s | FileCheck %s --check-prefix=G12

// maximumf propagates a NaN. gfx12 has an instruction for that, the others select.
// G11-LABEL: maximum:
// G11: v_max_f32
// G11: v_cmp_o_f32
// G11: v_cndmask_b32
// G9-LABEL: maximum:
// G9: v_max_f32
// G9: v_cmp_o_f32
// G9: v_cndmask_b32
// G12-LABEL: maximum:
// G12: v_maximum_f32

// G11-LABEL: rsqrt:
// G11: v_rsq_f32
// G9-LABEL: rsqrt:
// G9: v_rsq_f32

module attributes {wavewright.arch = "gfx1100"} {
  func.func @maximum(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 64 : i32} {
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %x = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> f32
    %y = rocke.buffer_load %r[%c0, %t] : !llvm.ptr<8> -> f32
    %z = arith.maximumf %x, %y : f32
    rocke.buffer_store %z, %r[%t, %c0] : f32, !llvm.ptr<8>
    return
  }
  func.func @rsqrt(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 64 : i32} {
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %x = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> f32
    %z = rocke.rsqrt %x : f32
    rocke.buffer_store %z, %r[%t, %c0] : f32, !llvm.ptr<8>
    return
  }
}
