//===- HkDialect.td - the tile level --------------------------------------------------------------===//
#ifndef WAVEWRIGHT_IR_HK_DIALECT
#define WAVEWRIGHT_IR_HK_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"

def Hk_Dialect : Dialect {
  let name = "hk";
  let cppNamespace = "::wavewright::hk";
  let summary = "Kernels over register tiles, shared tiles and tensors, in SSA form";
  let description = [{
    A tile is a value: `arith` and `math` work on tiles element by element, `scf` carries them. A kernel
    is a `func.func` with the unit attribute `hk.kernel`; `hk.warps` is the number of waves of its
    work-group. The module names its chip in `wavewright.arch`. Scalars and coordinates are `i32`.

    Layouts are optional until the pass that assigns them: a tile without one says nothing of who holds
    which element.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------------------------------===//

class Hk_Attr<string name, string attrMnemonic> : AttrDef<Hk_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Hk_LayoutAttr : Hk_Attr<"Layout", "layout"> {
  let summary = "Who holds which element of a register tile or vector";
  let description = [{
    A linear map over F2 from (slot, lane) to the coordinates inside one block; the tile is that block
    repeated over the tile's extents, in row-major order of blocks. `slots` and `lanes` list the image of
    each bit of the slot and the lane index. A lane bit whose image is zero means that both lanes hold the
    same element. `pack` slots, consecutive from slot 0, make one SSA value after lowering.

    A tile has two coordinates (row, column), a vector one.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$block,
    "int64_t":$pack,
    ArrayRefParameter<"int64_t">:$flatSlots,
    ArrayRefParameter<"int64_t">:$flatLanes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// An image of each bit; all of `block`'s rank. They are kept flat, one after another.
    using Images = ::llvm::SmallVector<::llvm::ArrayRef<int64_t>>;
    static LayoutAttr get(::mlir::MLIRContext *context, ::llvm::ArrayRef<int64_t> block, int64_t pack,
                          const Images &slots, const Images &lanes);
    unsigned rank() const { return getBlock().size(); }
    unsigned slotBits() const { return getFlatSlots().size() / rank(); }
    unsigned laneBits() const { return getFlatLanes().size() / rank(); }
    ::llvm::ArrayRef<int64_t> slot(unsigned bit) const { return getFlatSlots().slice(bit * rank(), rank()); }
    ::llvm::ArrayRef<int64_t> lane(unsigned bit) const { return getFlatLanes().slice(bit * rank(), rank()); }
    Images slots() const;
    Images lanes() const;
    int64_t slotCount() const { return int64_t(1) << slotBits(); }
  }];
}

def Hk_SharedLayoutAttr : Hk_Attr<"SharedLayout", "shared"> {
  let summary = "Where each element of a shared tile lies";
  let description = [{
    A linear map over F2 from (row, column) to the byte offset inside a panel of `panel` columns that holds
    every row; panels follow each other. `rows` and `cols` list the image in bytes of each bit of the row and
    of the column inside the panel. Only row bits 0 to 3 swizzle, so an origin at a multiple of 16 rows adds
    plainly to the address.
  }];
  let parameters = (ins
    "int64_t":$panel,
    ArrayRefParameter<"int64_t">:$rows,
    ArrayRefParameter<"int64_t">:$cols);
  let assemblyFormat = "`<` `panel` `=` $panel `,` `rows` `=` `[` $rows `]` `,` `cols` `=` `[` $cols `]` `>`";
}

class Hk_EnumAttr<string name, string enumSummary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, enumSummary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::wavewright::hk";
}
class Hk_Enum<I32EnumAttr info, string attrMnemonic> : EnumAttr<Hk_Dialect, info, attrMnemonic> {
  let assemblyFormat = "$value";
}

def Hk_UnitEnum : Hk_EnumAttr<"CoordUnit", "what a row and a column coordinate count", [
  I32EnumAttrCase<"Tiles", 0, "tiles">, I32EnumAttrCase<"Elements", 1, "elements">]>;
def Hk_UnitAttr : Hk_Enum<Hk_UnitEnum, "unit">;

def Hk_AxisEnum : Hk_EnumAttr<"Axis", "one value a row (col vector) or one value a column (row vector)", [
  I32EnumAttrCase<"Col", 0, "col">, I32EnumAttrCase<"Row", 1, "row">]>;
def Hk_AxisAttr : Hk_Enum<Hk_AxisEnum, "axis">;

def Hk_ExtentEnum : Hk_EnumAttr<"Extent", "an extent of a tensor", [
  I32EnumAttrCase<"Batch", 0, "batch">, I32EnumAttrCase<"Depth", 1, "depth">,
  I32EnumAttrCase<"Rows", 2, "rows">, I32EnumAttrCase<"Cols", 3, "cols">]>;
def Hk_ExtentAttr : Hk_Enum<Hk_ExtentEnum, "extent">;

def Hk_DimEnum : Hk_EnumAttr<"Dim", "an axis of the grid", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;
def Hk_DimAttr : Hk_Enum<Hk_DimEnum, "dim">;

def Hk_ReduceEnum : Hk_EnumAttr<"Reduction", "an associative operation", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]>;
def Hk_ReduceAttr : Hk_Enum<Hk_ReduceEnum, "reduction">;

//===----------------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------------===//

class Hk_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Hk_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

// Tiles and vectors are shaped types with value semantics, so arith and math accept them.
def Hk_ValueSemantics : NativeTypeTrait<"ValueSemantics"> {
  let cppNamespace = "::mlir";
}
class Hk_RegisterType<string name, string typeMnemonic>
    : Hk_Type<name, typeMnemonic, [ShapedTypeInterface, Hk_ValueSemantics]> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hk_RegisterTile : Hk_RegisterType<"RegisterTile", "rt"> {
  let summary = "A register tile of one wave: `!hk.rt<16x64xbf16>` or `!hk.rt<16x64xbf16, #layout>`";
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$elementType,
                        OptionalParameter<"::wavewright::hk::LayoutAttr">:$layout);
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<int64_t> getShape() const;
    bool hasRank() const { return true; }
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type element) const;
    RegisterTileType withLayout(LayoutAttr layout) const {
      return get(getContext(), getRows(), getCols(), getElementType(), layout);
    }
  }];
}

def Hk_RegisterVector : Hk_RegisterType<"RegisterVector", "rv"> {
  let summary = "A vector in registers: `!hk.rv<16xf32, col>` has one value a row, `row` one a column";
  let parameters = (ins "int64_t":$length, "::mlir::Type":$elementType, "::wavewright::hk::Axis":$axis,
                        OptionalParameter<"::wavewright::hk::LayoutAttr">:$layout);
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<int64_t> getShape() const;
    bool hasRank() const { return true; }
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type element) const;
    RegisterVectorType withLayout(LayoutAttr layout) const {
      return get(getContext(), getLength(), getElementType(), getAxis(), layout);
    }
  }];
}

def Hk_SharedTile : Hk_Type<"SharedTile", "st"> {
  let summary = "A tile in LDS, or a window of one: `!hk.st<64x32xbf16, of 128x32, #shared>`";
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$elementType,
                        "int64_t":$parentRows, "int64_t":$parentCols,
                        OptionalParameter<"::wavewright::hk::SharedLayoutAttr">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isWindow() const { return getRows() != getParentRows() || getCols() != getParentCols(); }
    SharedTileType withLayout(SharedLayoutAttr layout) const {
      return get(getContext(), getRows(), getCols(), getElementType(), getParentRows(), getParentCols(), layout);
    }
  }];
}

def Hk_Tensor : Hk_Type<"Tensor", "tensor"> {
  let summary = "A 4-D view of global memory: `!hk.tensor<bf16, align = 16, cols = 8>`";
  let description = [{
    (batch, depth, rows, cols) with element strides; the innermost stride is 1. What the compiler may rely on
    travels in the type: `align` bytes divide the base address and every stride taken in bytes, and `cols`
    divides the number of columns, so a vector of that many elements never straddles the end of a row.
  }];
  let parameters = (ins "::mlir::Type":$elementType, "int64_t":$align, "int64_t":$colsMultiple);
  let assemblyFormat = "`<` $elementType `,` `align` `=` $align `,` `cols` `=` $colsMultiple `>`";
  let genVerifyDecl = 1;
}

def Hk_AnyRegister : AnyTypeOf<[Hk_RegisterTile, Hk_RegisterVector], "register tile or vector">;
def Hk_MmaOperand : AnyTypeOf<[Hk_RegisterTile, Hk_SharedTile], "register or shared tile">;

#endif
