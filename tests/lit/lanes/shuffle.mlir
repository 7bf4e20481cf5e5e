// XOR of the lane number by the cheapest road of each chip.
// RUN: hk-translate --hk-to-isa %s | FileCheck %s --check-prefix=RDNA
// RUN: hk-translate --hk-to-isa --arch gfx1201 %s | FileCheck %s --check-prefix=RDNA
// RUN: sed "s/gfx1100/gfx942/; s/, 31 :/, 63 :/" %s | hk-translate --hk-to-isa | FileCheck %s --check-prefix=G942
// RUN: sed "s/gfx1100/gfx950/; s/, 31 :/, 63 :/" %s | hk-translate --hk-to-isa | FileCheck %s --check-prefix=G950

// RDNA-LABEL: shuffle:
// RDNA: row_xmask:2
// RDNA: row_xmask:5
// RDNA: v_permlanex16_b32 {{.*}}, 0xfedcba98
// RDNA: v_permlanex16_b32 {{.*}}, 0x1234567
// RDNA: row_xmask:13
// RDNA-NOT: ds_

// G942-LABEL: shuffle:
// G942: quad_perm:[2,3,0,1]
// G942: row_half_mirror
// G942: quad_perm:[2,3,0,1]
// G942: ds_swizzle_b32 {{.*}} offset:swizzle(SWAP,16)
// G942: ds_bpermute_b32
// G942: row_mirror
// G942: quad_perm:[2,3,0,1]

// G950-LABEL: shuffle:
// G950: v_permlane16_swap_b32
// G950: v_permlane32_swap_b32
// G950: v_permlane16_swap_b32
// G950-NOT: ds_

module attributes {wavewright.arch = "gfx1100"} {
  func.func @shuffle(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 64 : i32} {
    %c4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %o = arith.muli %t, %c4 : i32
    %x = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> i32
    %s2 = rocke.shuffle_xor %x, 2 : i32
    %s5 = rocke.shuffle_xor %s2, 5 : i32
    %s16 = rocke.shuffle_xor %s5, 16 : i32
    %s31 = rocke.shuffle_xor %s16, 31 : i32
    %f = arith.bitcast %s31 : i32 to f32
    %s13 = rocke.shuffle_xor %f, 13 : f32
    rocke.buffer_store %s13, %r[%o, %c0] : f32, !llvm.ptr<8>
    return
  }
}
