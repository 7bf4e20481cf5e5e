// Locations become line table rows: files are named relative to the source root.
// RUN: hk-translate --hk-to-hsaco --debug-info --source-root /home/user/project %s -o %t.hsaco
// RUN: llvm-objdump -d --line-numbers %t.hsaco | FileCheck %s
// RUN: hk-translate --hk-to-hsaco %s -o %t.plain && llvm-readelf -S %t.plain | FileCheck %s --check-prefix=PLAIN

// CHECK: <k>:
// CHECK: ; kernels/scale.py:17
// PLAIN-NOT: .debug

#f = loc("/home/user/project/kernels/scale.py":12:1)
#l = loc("/home/user/project/kernels/scale.py":17:5)
module attributes {wavewright.arch = "gfx1100"} {
  func.func @k(%p: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 32 : i32} {
    %c0 = arith.constant 0 : i32 loc(#l)
    %n = arith.constant 65536 : i32 loc(#l)
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8> loc(#l)
    %t = rocke.thread_id x loc(#l)
    %x = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> i32 loc(#l)
    rocke.buffer_store %x, %r[%c0, %t] : i32, !llvm.ptr<8> loc(#l)
    return loc(#l)
  } loc(#f)
}
