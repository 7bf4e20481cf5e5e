// Every width of access, and element types on which LLVM's own legalisation dies.
// RUN: hk-translate --hk-to-isa %s | FileCheck %s --check-prefixes=RDNA
// RUN: hk-translate --hk-to-isa --arch gfx942 %s | FileCheck %s --check-prefixes=CDNA
// RUN: hk-translate --hk-to-isa --arch gfx1201 %s | FileCheck %s --check-prefixes=RDNA

// Word 3 of the descriptor is the chip's.
// RDNA-LABEL: widths:
// RDNA-DAG: 0x31004000
// RDNA-DAG: buffer_load_{{[du]}}8
// RDNA-DAG: buffer_load_{{[du]}}16
// RDNA-DAG: buffer_load_b32
// RDNA-DAG: buffer_load_b64
// RDNA-DAG: buffer_load_b96
// RDNA-DAG: buffer_load_b128
// RDNA-DAG: buffer_store_b8
// RDNA-DAG: buffer_store_b16
// RDNA-DAG: buffer_store_b96
// RDNA-DAG: buffer_store_b128
// CDNA-LABEL: widths:
// CDNA-DAG: 0x27000
// CDNA-DAG: buffer_load_ubyte
// CDNA-DAG: buffer_load_ushort
// CDNA-DAG: buffer_load_dwordx3
// CDNA-DAG: buffer_load_dwordx4

// A uniform offset goes to an SGPR.
// RDNA-LABEL: uniform:
// RDNA: buffer_load_b32 v{{[0-9]+}}, v{{[0-9]+}}, s[{{[0-9:]+}}], s{{[0-9]+}} offen

module attributes {wavewright.arch = "gfx1100"} {
  func.func @widths(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {rocke.kernel, rocke.block_size = 64 : i32} {
    %c0 = arith.constant 0 : i32
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %s = rocke.buffer_resource %q, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %c16 = arith.constant 16 : i32
    %o = arith.muli %t, %c16 : i32
    %a = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> i8
    %b = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> bf16
    %c = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> vector<4xi8>
    %d = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> vector<4xf16>
    %e = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> vector<12xi8>
    %f = rocke.buffer_load %r[%o, %c0] : !llvm.ptr<8> -> vector<8xbf16>
    rocke.buffer_store %a, %s[%o, %c0] : i8, !llvm.ptr<8>
    rocke.buffer_store %b, %s[%o, %c0] : bf16, !llvm.ptr<8>
    rocke.buffer_store %c, %s[%o, %c0] : vector<4xi8>, !llvm.ptr<8>
    rocke.buffer_store %d, %s[%o, %c0] : vector<4xf16>, !llvm.ptr<8>
    rocke.buffer_store %e, %s[%o, %c0] : vector<12xi8>, !llvm.ptr<8>
    rocke.buffer_store %f, %s[%o, %c0] : vector<8xbf16>, !llvm.ptr<8>
    return
  }
  func.func @uniform(%p: !llvm.ptr<1>, %u: i32) attributes {rocke.kernel, rocke.block_size = 64 : i32} {
    %n = arith.constant 65536 : i32
    %r = rocke.buffer_resource %p, %n : !llvm.ptr<1> -> !llvm.ptr<8>
    %t = rocke.thread_id x
    %v = rocke.buffer_load %r[%t, %u] : !llvm.ptr<8> -> i32
    rocke.buffer_store %v, %r[%t, %u] : i32, !llvm.ptr<8>
    return
  }
}
