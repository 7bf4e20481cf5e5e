// What LLVM is told of a kernel, and what a loader reads of it.
// RUN: hk-translate --hk-to-llvmir %s | FileCheck %s --check-prefix=IR
// RUN: hk-translate --hk-to-isa %s | FileCheck %s --check-prefix=ISA
// RUN: hk-translate --hk-to-isa --arch gfx942 %s | FileCheck %s --check-prefix=WAVE64
// RUN: hk-translate --hk-to-hsaco %s -o %t.hsaco && llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=CODE

// IR: define amdgpu_kernel void @scale(ptr addrspace(1) {{.*}}%x, i32 {{.*}}%n, float {{.*}}%alpha)
// IR-NOT: noalias
// IR: "amdgpu-flat-work-group-size"="128,128"
// IR-SAME: "uniform-work-group-size"="true"

// ISA: .amdhsa_kernarg_size 16
// ISA: .amdhsa_wavefront_size32 1
// ISA: .name: x
// ISA: .value_kind: global_buffer
// ISA: .name: n
// ISA: .name: alpha
// ISA: .max_flat_workgroup_size: 128
// ISA: .uniform_work_group_size: 1
// WAVE64: .wavefront_size: 64

// CODE: <scale>:
// CODE: buffer_load_b32
// CODE: s_endpgm

module attributes {wavewright.arch = "gfx1100"} {
  func.func @scale(%x: !llvm.ptr<1> {rocke.name = "x"}, %n: i32 {rocke.name = "n"}, %alpha: f32 {rocke.name = "alpha"})
      attributes {rocke.kernel, rocke.block_size = 128 : i32} {
    %c4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : i32
    %bytes = arith.muli %n, %c4 : i32
    %r = rocke.buffer_resource %x, %bytes : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %o = arith.muli %t, %c4 : i32
    %v = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> f32
    %w = arith.mulf %v, %alpha : f32
    rocke.buffer_store %w, %r[%o, %c0] : f32, !llvm.ptr<8>
    return
  }
}
