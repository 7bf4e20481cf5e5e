// RUN: hk-translate --hk-to-isa %s | FileCheck %s --check-prefixes=G11,ALL
// RUN: hk-translate --hk-to-isa --arch gfx942 %s | FileCheck %s --check-prefixes=G9,ALL
// RUN: hk-translate --hk-to-isa --arch gfx950 %s | FileCheck %s --check-prefixes=G9,ALL
// RUN: hk-translate --hk-to-isa --arch gfx1201 %s | FileCheck %s --check-prefixes=G12,ALL
// RUN: hk-translate --hk-to-isa --opt 0 %s | FileCheck %s --check-prefixes=O0

// The store is waited for before the barrier, nothing is invalidated after it, constants become offsets, and 16 aligned
// bytes are one access.
// ALL-LABEL: exchange:
// G11: ds_store_b128 v{{[0-9]+}}, v[{{[0-9:]+}}] offset:4096
// G11-NEXT: s_waitcnt lgkmcnt(0)
// G11-NEXT: s_barrier
// G11-NOT: buffer_gl0_inv
// G11: ds_load_b64 v[{{[0-9:]+}}], v{{[0-9]+}} offset:4104
// G9: ds_write_b128 v{{[0-9]+}}, v[{{[0-9:]+}}] offset:4096
// G9-NEXT: s_waitcnt lgkmcnt(0)
// G9-NEXT: s_barrier
// G9: ds_read_b64 v[{{[0-9:]+}}], v{{[0-9]+}} offset:4104
// G12: ds_store_b128 v{{[0-9]+}}, v[{{[0-9:]+}}] offset:4096
// G12: s_wait_dscnt 0x0
// G12-NEXT: s_barrier_signal -1
// G12-NEXT: s_barrier_wait -1
// G12-NOT: global_inv
// G12: ds_load_b64
// ALL: .amdhsa_group_segment_fixed_size 8192
// O0-LABEL: exchange:
// O0: s_waitcnt lgkmcnt(0)
// O0: s_barrier
// O0-NOT: buffer_gl0_inv
// O0: .amdhsa_group_segment_fixed_size 8192

module attributes {wavewright.arch = "gfx1100"} {
  func.func @exchange(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 256 : i32} {
    %c16 = arith.constant 16 : i32
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %l0 = rocke.lds_alloc 4096 align 16 : !llvm.ptr<3>
    %l1 = rocke.lds_alloc 4096 align 16 : !llvm.ptr<3>
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %o = arith.muli %t, %c16 : i32
    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> vector<16xi8>
    %h = rocke.buffer_load %r[%o, %c16] : !llvm.ptr<8> -> vector<8xbf16>
    rocke.lds_store %x, %l0[%o + 0] align 16 : vector<16xi8>, !llvm.ptr<3>
    rocke.lds_store %h, %l1[%o + 0] align 16 : vector<8xbf16>, !llvm.ptr<3>
    rocke.barrier
    %c4080 = arith.constant 4080 : i32
    %q = arith.xori %o, %c4080 : i32
    %y = rocke.lds_load %l0[%q + 0] align 16 : !llvm.ptr<3> -> vector<16xi8>
    %z = rocke.lds_load %l1[%q + 8] align 8 : !llvm.ptr<3> -> vector<4xbf16>
    rocke.buffer_store %y, %r[%o, %c0] : vector<16xi8>, !llvm.ptr<8>
    rocke.buffer_store %z, %r[%o, %c0] : vector<4xbf16>, !llvm.ptr<8>
    return
  }
}
