//===- HkOps.td - operations on tiles -------------------------------------------------------------===//
#ifndef WAVEWRIGHT_IR_HK_OPS
#define WAVEWRIGHT_IR_HK_OPS

include "HkDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Hk_Op<string opMnemonic, list<Trait> traits = []> : Op<Hk_Dialect, opMnemonic, traits>;

//===----------------------------------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------------------------------===//

def Hk_BlockIdOp : Hk_Op<"block_id", [Pure]> {
  let summary = "The work-group's coordinate in the grid";
  let arguments = (ins Hk_DimAttr:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim attr-dict";
}

def Hk_WarpIdOp : Hk_Op<"warp_id", [Pure]> {
  let summary = "The wave's number in its work-group; uniform";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Hk_LaneIdOp : Hk_Op<"lane_id", [Pure]> {
  let summary = "The lane's number in its wave";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Hk_ExtentOp : Hk_Op<"extent", [Pure]> {
  let summary = "An extent of a tensor";
  let arguments = (ins Hk_Tensor:$tensor, Hk_ExtentAttr:$extent);
  let results = (outs I32:$result);
  let assemblyFormat = "$tensor $extent attr-dict `:` type($tensor)";
}

//===----------------------------------------------------------------------------------------------===//
// Global memory. Coordinates are (batch, depth, row, column); row and column count tiles or elements.
// What lies outside the tensor loads as zero and is not stored.
//===----------------------------------------------------------------------------------------------===//

def Hk_LoadOp : Hk_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads a tile or a vector; the element type converts on the way";
  let description = [{
    A vector is consecutive elements of the last dimension. In units of tiles, its column counts vector
    lengths and its row single rows.
  }];
  let arguments = (ins Hk_Tensor:$tensor, I32:$batch, I32:$depth, I32:$row, I32:$col, Hk_UnitAttr:$unit);
  let results = (outs Hk_AnyRegister:$result);
  let assemblyFormat = [{
    $tensor `[` $batch `,` $depth `,` $row `,` $col `]` `in` $unit attr-dict `:` type($tensor) `->` type($result)
  }];
}

def Hk_StoreOp : Hk_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores a tile or a vector; the element type converts on the way, rounding to nearest even";
  let arguments = (ins Hk_AnyRegister:$value, Hk_Tensor:$tensor, I32:$batch, I32:$depth, I32:$row, I32:$col,
                       Hk_UnitAttr:$unit);
  let assemblyFormat = [{
    $value `,` $tensor `[` $batch `,` $depth `,` $row `,` $col `]` `in` $unit attr-dict
    `:` type($value) `,` type($tensor)
  }];
}

//===----------------------------------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------------------------------===//

def Hk_LdsAllocOp : Hk_Op<"lds_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A shared tile of the work-group; its content is undefined";
  let results = (outs Hk_SharedTile:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Hk_LdsSubOp : Hk_Op<"lds_sub", [Pure]> {
  let summary = "A window of a shared tile; row and column count windows";
  let arguments = (ins Hk_SharedTile:$source, I32:$row, I32:$col);
  let results = (outs Hk_SharedTile:$result);
  let assemblyFormat = "$source `[` $row `,` $col `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Hk_LdsLoadOp : Hk_Op<"lds_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads a register tile from a shared tile of the same shape; the element type converts";
  let arguments = (ins Hk_SharedTile:$source);
  let results = (outs Hk_RegisterTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Hk_LdsStoreOp : Hk_Op<"lds_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores a register tile into a shared tile of the same shape; the element type converts";
  let arguments = (ins Hk_RegisterTile:$value, Hk_SharedTile:$target);
  let assemblyFormat = "$value `,` $target attr-dict `:` type($value) `,` type($target)";
  let hasVerifier = 1;
}

def Hk_GroupLoadOp : Hk_Op<"group_load", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "`waves` waves together copy a tile of a tensor into a shared tile; outside is zero";
  let description = [{
    Waves 0 to `waves`-1 of the work-group take part. No barrier is implied.
  }];
  let arguments = (ins Hk_SharedTile:$target, Hk_Tensor:$tensor, I32:$batch, I32:$depth, I32:$row, I32:$col,
                       Hk_UnitAttr:$unit, I32Attr:$waves);
  let assemblyFormat = [{
    $target `,` $tensor `[` $batch `,` $depth `,` $row `,` $col `]` `in` $unit `waves` $waves attr-dict
    `:` type($target) `,` type($tensor)
  }];
}

def Hk_GroupStoreOp : Hk_Op<"group_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "`waves` waves together copy a shared tile into a tensor; outside is dropped";
  let arguments = (ins Hk_SharedTile:$source, Hk_Tensor:$tensor, I32:$batch, I32:$depth, I32:$row, I32:$col,
                       Hk_UnitAttr:$unit, I32Attr:$waves);
  let assemblyFormat = [{
    $source `,` $tensor `[` $batch `,` $depth `,` $row `,` $col `]` `in` $unit `waves` $waves attr-dict
    `:` type($source) `,` type($tensor)
  }];
}

def Hk_BarrierOp : Hk_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Every wave of the work-group arrives; LDS accesses before it are done after it";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------------------------------===//
// Values. Arithmetic is arith and math, element by element.
//===----------------------------------------------------------------------------------------------===//

def Hk_SplatOp : Hk_Op<"splat", [Pure]> {
  let summary = "A tile or vector of one scalar of its element type";
  let arguments = (ins AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$value);
  let results = (outs Hk_AnyRegister:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Hk_IotaOp : Hk_Op<"iota", [Pure]> {
  let summary = "i32: each element's own row (`col`: varies down a column) or column (`row`) inside the tile";
  let description = [{
    `hk.iota col` numbers rows, as a col vector has one value a row; `hk.iota row` numbers columns.
  }];
  let arguments = (ins Hk_AxisAttr:$axis);
  let results = (outs Hk_AnyRegister:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Hk_CastOp : Hk_Op<"cast", [Pure]> {
  let summary = "Converts the element type: floats round to nearest even, floats to integers saturate toward zero";
  let arguments = (ins Hk_AnyRegister:$value);
  let results = (outs Hk_AnyRegister:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Hk_SelectOp : Hk_Op<"select", [Pure, AllTypesMatch<["onTrue", "onFalse", "result"]>]> {
  let summary = "Element by element: where the mask is set the first value, else the second";
  let arguments = (ins Hk_AnyRegister:$mask, Hk_AnyRegister:$onTrue, Hk_AnyRegister:$onFalse);
  let results = (outs Hk_AnyRegister:$result);
  let assemblyFormat = "$mask `,` $onTrue `,` $onFalse attr-dict `:` type($mask) `,` type($result)";
  let hasVerifier = 1;
}

def Hk_BroadcastOp : Hk_Op<"broadcast", [Pure]> {
  let summary = "A vector along the other axis of a tile: no data moves";
  let arguments = (ins Hk_RegisterVector:$vector);
  let results = (outs Hk_RegisterTile:$result);
  let assemblyFormat = "$vector attr-dict `:` type($vector) `->` type($result)";
  let hasVerifier = 1;
}

def Hk_ReduceOp : Hk_Op<"reduce", [Pure]> {
  let summary = "Reduces each row (to a col vector) or each column (to a row vector), in a fixed order";
  let arguments = (ins Hk_RegisterTile:$tile, Hk_ReduceAttr:$reduction);
  let results = (outs Hk_RegisterVector:$result);
  let assemblyFormat = "$reduction $tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Hk_CollectiveOp : Hk_Op<"collective", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "Reduces across waves 0 to `waves`-1 of the work-group, element by element; all of them get the result";
  let description = "Waves are taken in order 0, 1, ...; it holds barriers, so every wave must reach it.";
  let arguments = (ins Hk_AnyRegister:$value, Hk_ReduceAttr:$reduction, I32Attr:$waves);
  let results = (outs Hk_AnyRegister:$result);
  let assemblyFormat = "$reduction $value `waves` $waves attr-dict `:` type($value)";
}

def Hk_MmaOp : Hk_Op<"mma", [MemoryEffects<[MemRead]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + op(a) @ op(b)";
  let description = [{
    `a` is MxK, or KxM with `transA`; `b` is KxN, or NxK with `transB`. mma_ABt is `transB` alone. An operand may be a
    shared tile: its fragments are then loaded k-step by k-step beside the matrix instructions that use them.
    Products of 16-bit floats accumulate in f32.

    The pass that assigns layouts also names the matrix instruction (`atom`) and how a lane's K is dealt out, alike for
    both operands: `k_width` consecutive k inside blocks of `k_block`.
  }];
  let arguments = (ins Hk_MmaOperand:$a, Hk_MmaOperand:$b, Hk_RegisterTile:$acc,
                       UnitAttr:$transA, UnitAttr:$transB, OptionalAttr<StrAttr>:$atom,
                       OptionalAttr<I32Attr>:$k_block, OptionalAttr<I32Attr>:$k_width);
  let results = (outs Hk_RegisterTile:$result);
  let assemblyFormat = [{
    $a (`trans` $transA^)? `,` $b (`trans` $transB^)? `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t m(); int64_t n(); int64_t k();
  }];
}

def Hk_ConvertLayoutOp : Hk_Op<"convert_layout", [Pure]> {
  let summary = "The same tile, held by other lanes";
  let arguments = (ins Hk_AnyRegister:$value);
  let results = (outs Hk_AnyRegister:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

#endif
