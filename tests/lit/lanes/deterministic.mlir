// The same bytes from another process, in another folder, from a file of another name.
// RUN: rm -rf %t && mkdir -p %t/deeper/still
// RUN: hk-translate --hk-to-hsaco %s -o %t/here.hsaco
// RUN: cp %s %t/deeper/still/copy.mlir && cd %t/deeper/still && hk-translate --hk-to-hsaco copy.mlir -o there.hsaco
// RUN: cmp %t/here.hsaco %t/deeper/still/there.hsaco

// With line tables only they differ: every allocated section is the same.
// RUN: hk-translate --hk-to-hsaco --debug-info %s -o %t/lines.hsaco
// RUN: llvm-objcopy --strip-debug %t/lines.hsaco %t/stripped.hsaco
// RUN: llvm-objdump -s -j .text -j .rodata -j .dynsym %t/here.hsaco | tail -n +3 > %t/here.txt
// RUN: llvm-objdump -s -j .text -j .rodata -j .dynsym %t/stripped.hsaco | tail -n +3 > %t/stripped.txt
// RUN: cmp %t/here.txt %t/stripped.txt

// With a source root the whole file is the same again.
// RUN: hk-translate --hk-to-hsaco --debug-info --source-root %S %s -o %t/rooted.hsaco
// RUN: cp %s %t/deeper/still/deterministic.mlir
// RUN: hk-translate --hk-to-hsaco --debug-info --source-root %t/deeper/still %t/deeper/still/deterministic.mlir -o %t/moved.hsaco
// RUN: cmp %t/rooted.hsaco %t/moved.hsaco

module attributes {wavewright.arch = "gfx950"} {
  func.func @k(%p: !llvm.ptr<1> {rocke.name = "p"}) attributes {rocke.kernel, rocke.block_size = 256 : i32} {
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %l = rocke.lds_alloc 1024 align 16 : !llvm.ptr<3>
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %x = rocke.buffer_load %r[%t, %c0] : !llvm.ptr<8> -> f32
    %y = math.exp %x : f32
    rocke.lds_store %y, %l[%c0 + 0] align 4 : f32, !llvm.ptr<3>
    rocke.barrier
    %z = rocke.lds_load %l[%c0 + 4] align 4 : !llvm.ptr<3> -> f32
    rocke.buffer_store %z, %r[%t, %c0] : f32, !llvm.ptr<8>
    return
  }
}
