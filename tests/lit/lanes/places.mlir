// RUN: hk-translate --hk-to-isa %s | FileCheck %s --check-prefix=WAVE32
// RUN: hk-translate --hk-to-isa --arch gfx950 %s | FileCheck %s --check-prefix=WAVE64
// RUN: hk-translate --hk-to-llvmir %s | FileCheck %s --check-prefix=IR

// The wave's number is uniform, the lane's needs one instruction for each half of a wave; y and z of an item are zero.
// WAVE32: v_readfirstlane_b32
// WAVE32: v_mbcnt_lo_u32_b32
// WAVE32-NOT: v_mbcnt_hi
// WAVE32: s_lshr_b32 s{{[0-9]+}}, s{{[0-9]+}}, 5
// WAVE64: s_lshr_b32 s{{[0-9]+}}, s{{[0-9]+}}, 6
// WAVE64: v_mbcnt_hi_u32_b32
// IR: range(i32 0, 256) i32 @llvm.amdgcn.workitem.id.x()
// IR-NOT: workitem.id.y

module attributes {wavewright.arch = "gfx1100"} {
  func.func @places(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 256 : i32} {
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %bx = rocke.block_id x
    %by = rocke.block_id y
    %tx = rocke.thread_id x
    %ty = rocke.thread_id y
    %w = rocke.wave_id
    %l = rocke.lane_id
    %v = vector.from_elements %bx, %by, %w, %l : vector<4xi32>
    %c16 = arith.constant 16 : i32
    %o0 = arith.muli %tx, %c16 : i32
    %o = arith.addi %o0, %ty : i32
    rocke.buffer_store %v, %r[%o, %c0] : vector<4xi32>, !llvm.ptr<8>
    return
  }
}
