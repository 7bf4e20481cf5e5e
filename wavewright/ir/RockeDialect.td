//===- RockeDialect.td - the lane level -----------------------------------------------------------===//
#ifndef WAVEWRIGHT_IR_ROCKE_DIALECT
#define WAVEWRIGHT_IR_ROCKE_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Rocke_Dialect : Dialect {
  let name = "rocke";
  let cppNamespace = "::wavewright::rocke";
  let summary = "What one lane does that upstream dialects do not say";
  let description = [{
    Scalars and vectors are builtin types, arithmetic is `arith` and `math`, control flow `scf`, pointers
    `!llvm.ptr<1>` (global), `!llvm.ptr<3>` (LDS) and `!llvm.ptr<8>` (buffer resource). The module names its chip in
    `wavewright.arch`; a kernel is a `func.func` with `rocke.kernel` and `rocke.block_size` (work-items).
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

class Rocke_Op<string opMnemonic, list<Trait> traits = []> : Op<Rocke_Dialect, opMnemonic, traits>;

def Rocke_DimEnum : I32EnumAttr<"Dim", "an axis of the grid or the work-group", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]> {
  let cppNamespace = "::wavewright::rocke";
}

def Rocke_Data : AnyTypeOf<[AnyFloat, AnySignlessInteger, AnyVectorOfNonZeroRank], "scalar or vector">;
def Rocke_Global : LLVM_PointerInAddressSpace<1>;
def Rocke_Lds : LLVM_PointerInAddressSpace<3>;
def Rocke_Resource : LLVM_PointerInAddressSpace<8>;

//===----------------------------------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------------------------------===//

def Rocke_BlockIdOp : Rocke_Op<"block_id", [Pure]> {
  let summary = "The work-group's coordinate in the grid";
  let arguments = (ins Rocke_DimEnum:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim attr-dict";
}
def Rocke_ThreadIdOp : Rocke_Op<"thread_id", [Pure]> {
  let summary = "The work-item's coordinate in its work-group";
  let arguments = (ins Rocke_DimEnum:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim attr-dict";
}
def Rocke_LaneIdOp : Rocke_Op<"lane_id", [Pure]> {
  let summary = "The lane's number in its wave";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def Rocke_WaveIdOp : Rocke_Op<"wave_id", [Pure]> {
  let summary = "The wave's number in a one-dimensional work-group, made uniform (an SGPR)";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def Rocke_ReadFirstLaneOp : Rocke_Op<"readfirstlane", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "The first active lane's value, uniform";
  let arguments = (ins AnyTypeOf<[I32, F32]>:$value);
  let results = (outs AnyTypeOf<[I32, F32]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------------------------------===//

def Rocke_BufferResourceOp : Rocke_Op<"buffer_resource", [Pure]> {
  let summary = "A raw buffer descriptor: `bytes` from `base`; accesses past its end load zero and store nothing";
  let description = "Word 3 is the chip's (target::MemoryFacts). `bytes` is at most 2^31 - 1 for the sentinel to be outside.";
  let arguments = (ins Rocke_Global:$base, I32:$bytes);
  let results = (outs Rocke_Resource:$result);
  let assemblyFormat = "$base `,` $bytes attr-dict `:` type($base) `->` type($result)";
}
def Rocke_BufferLoadOp : Rocke_Op<"buffer_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads 1, 2, 4, 8, 12 or 16 bytes at `offset` (a lane's) + `uniformOffset`";
  let arguments = (ins Rocke_Resource:$resource, I32:$offset, I32:$uniformOffset);
  let results = (outs Rocke_Data:$result);
  let assemblyFormat = "$resource `[` $offset `,` $uniformOffset `]` attr-dict `:` type($resource) `->` type($result)";
}
def Rocke_BufferStoreOp : Rocke_Op<"buffer_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores 1, 2, 4, 8, 12 or 16 bytes at `offset` (a lane's) + `uniformOffset`";
  let arguments = (ins Rocke_Data:$value, Rocke_Resource:$resource, I32:$offset, I32:$uniformOffset);
  let assemblyFormat = [{
    $value `,` $resource `[` $offset `,` $uniformOffset `]` attr-dict `:` type($value) `,` type($resource)
  }];
}
def Rocke_LdsAllocOp : Rocke_Op<"lds_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "`bytes` of LDS, one LLVM global each; its content is undefined";
  let arguments = (ins I64Attr:$bytes, I64Attr:$align);
  let results = (outs Rocke_Lds:$result);
  let assemblyFormat = "$bytes `align` $align attr-dict `:` type($result)";
}
def Rocke_LdsLoadOp : Rocke_Op<"lds_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads from `base` + `offset` (bytes) + `constant`; `align` bytes divide the address";
  let arguments = (ins Rocke_Lds:$base, I32:$offset, I32Attr:$constant, I32Attr:$align);
  let results = (outs Rocke_Data:$result);
  let assemblyFormat = [{
    $base `[` $offset `+` $constant `]` `align` $align attr-dict `:` type($base) `->` type($result)
  }];
}
def Rocke_LdsStoreOp : Rocke_Op<"lds_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores at `base` + `offset` (bytes) + `constant`; `align` bytes divide the address";
  let arguments = (ins Rocke_Data:$value, Rocke_Lds:$base, I32:$offset, I32Attr:$constant, I32Attr:$align);
  let assemblyFormat = [{
    $value `,` $base `[` $offset `+` $constant `]` `align` $align attr-dict `:` type($value) `,` type($base)
  }];
}
def Rocke_BarrierOp : Rocke_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Work-group fences limited to LDS around s_barrier";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------------------------------===//
// Matrix and cross-lane
//===----------------------------------------------------------------------------------------------===//

def Rocke_MmaOp : Rocke_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "One matrix instruction, named by its atom (target::MatrixAtom): a lane's operand of each";
  let description = "A and B are vectors of the atom's element type with one lane's elements; acc and result likewise.";
  let arguments = (ins StrAttr:$atom, AnyVectorOfNonZeroRank:$a, AnyVectorOfNonZeroRank:$b, AnyVectorOfNonZeroRank:$acc);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$atom $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}
def Rocke_ShuffleXorOp : Rocke_Op<"shuffle_xor", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "The value of the lane whose number differs in `mask`; all lanes must be active";
  let arguments = (ins AnyTypeOf<[I32, F32]>:$value, I32Attr:$mask);
  let results = (outs AnyTypeOf<[I32, F32]>:$result);
  let assemblyFormat = "$value `,` $mask attr-dict `:` type($value)";
  let hasVerifier = 1;
}
def Rocke_RsqrtOp : Rocke_Op<"rsqrt", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "v_rsq_f32, within 1 ulp";
  let arguments = (ins F32:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
