#include "wavewright/ir/hk.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "wavewright/ir/HkDialect.cpp.inc"
#include "wavewright/ir/HkEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "wavewright/ir/HkAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "wavewright/ir/HkTypes.cpp.inc"

#define GET_OP_CLASSES
#include "wavewright/ir/HkOps.cpp.inc"

namespace wavewright::hk {

namespace {

/// Layouts repeat on every type of a dump; aliases keep it readable.
struct HkAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, llvm::raw_ostream &os) const override {
    if (isa<LayoutAttr>(attribute)) {
      os << "layout";
      return AliasResult::FinalAlias;
    }
    if (isa<SharedLayoutAttr>(attribute)) {
      os << "shared";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }
};

} // namespace

void HkDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "wavewright/ir/HkAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "wavewright/ir/HkTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "wavewright/ir/HkOps.cpp.inc"
      >();
  addInterfaces<HkAsmInterface>();
}

//===----------------------------------------------------------------------------------------------===//
// Layout attributes
//===----------------------------------------------------------------------------------------------===//

static ParseResult parseIntegers(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

static LayoutAttr::Images unflatten(ArrayRef<int64_t> flat, unsigned rank) {
  LayoutAttr::Images images;
  for (; !flat.empty(); flat = flat.drop_front(rank))
    images.push_back(flat.take_front(rank));
  return images;
}

static SmallVector<int64_t> flatten(const LayoutAttr::Images &images) {
  SmallVector<int64_t> flat;
  for (ArrayRef<int64_t> image : images)
    llvm::append_range(flat, image);
  return flat;
}

LayoutAttr LayoutAttr::get(MLIRContext *context, ArrayRef<int64_t> block, int64_t pack, const Images &slots,
                           const Images &lanes) {
  return get(context, block, pack, ArrayRef<int64_t>(flatten(slots)), ArrayRef<int64_t>(flatten(lanes)));
}

LayoutAttr::Images LayoutAttr::slots() const { return unflatten(getFlatSlots(), rank()); }
LayoutAttr::Images LayoutAttr::lanes() const { return unflatten(getFlatLanes(), rank()); }

/// `[[a, b], [c, d]]`, every image of `rank` coordinates, read flat.
static ParseResult parseImages(AsmParser &parser, unsigned rank, SmallVectorImpl<int64_t> &flat) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    llvm::SMLoc where = parser.getCurrentLocation();
    size_t before = flat.size();
    if (parseIntegers(parser, flat))
      return failure();
    if (flat.size() - before != rank)
      return parser.emitError(where) << "an image has " << flat.size() - before << " coordinates where the block has "
                                     << rank;
    return success();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> block, slots, lanes;
  int64_t pack = 1;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("block") || parser.parseEqual() || parseIntegers(parser, block) ||
      parser.parseComma() || parser.parseKeyword("pack") || parser.parseEqual() || parser.parseInteger(pack) ||
      parser.parseComma() || parser.parseKeyword("slots") || parser.parseEqual() ||
      parseImages(parser, block.size(), slots) || parser.parseComma() || parser.parseKeyword("lanes") ||
      parser.parseEqual() || parseImages(parser, block.size(), lanes) || parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(where, parser.getContext(), ArrayRef<int64_t>(block), pack,
                                       ArrayRef<int64_t>(slots), ArrayRef<int64_t>(lanes));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  auto list = [&](ArrayRef<int64_t> values) {
    printer << '[';
    llvm::interleaveComma(values, printer);
    printer << ']';
  };
  auto lists = [&](const Images &images) {
    printer << '[';
    llvm::interleaveComma(images, printer, list);
    printer << ']';
  };
  printer << "<block = ";
  list(getBlock());
  printer << ", pack = " << getPack() << ", slots = ";
  lists(slots());
  printer << ", lanes = ";
  lists(lanes());
  printer << '>';
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> block, int64_t pack,
                                 ArrayRef<int64_t> slots, ArrayRef<int64_t> lanes) {
  if (block.empty() || block.size() > 2)
    return emitError() << "a layout's block has 1 or 2 extents, not " << block.size();
  for (int64_t extent : block)
    if (!llvm::isPowerOf2_64(extent))
      return emitError() << "block extent " << extent << " is no power of two";
  for (ArrayRef<int64_t> flat : {slots, lanes}) {
    if (flat.size() % block.size())
      return emitError() << "images do not have the block's " << block.size() << " coordinates";
    for (auto [index, coordinate] : llvm::enumerate(flat))
      if (coordinate < 0 || coordinate >= block[index % block.size()])
        return emitError() << "coordinate " << coordinate << " lies outside the block's extent "
                           << block[index % block.size()];
  }
  unsigned slotBits = slots.size() / block.size();
  if (!llvm::isPowerOf2_64(pack) || pack > (int64_t(1) << slotBits))
    return emitError() << "pack = " << pack << " does not divide the " << (1ll << slotBits) << " slots of a lane";
  return success();
}

//===----------------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------------===//

static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError, Type element) {
  if (element.isIntOrFloat())
    return success();
  return emitError() << "a tile holds floats or integers, not " << element;
}

static LogicalResult verifyBlock(function_ref<InFlightDiagnostic()> emitError, LayoutAttr layout,
                                 ArrayRef<int64_t> shape) {
  if (!layout)
    return success();
  if (layout.rank() != shape.size())
    return emitError() << "a layout of rank " << layout.rank() << " on a type of rank " << shape.size();
  for (auto [extent, block] : llvm::zip(shape, layout.getBlock()))
    if (extent % block)
      return emitError() << "extent " << extent << " is no multiple of the layout's block extent " << block;
  return success();
}

LogicalResult RegisterTileType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t cols,
                                       Type element, LayoutAttr layout) {
  if (rows <= 0 || cols <= 0 || rows % 16 || cols % 16)
    return emitError() << "tile extents " << rows << "x" << cols << " are not multiples of a base atom's 16";
  if (failed(verifyElement(emitError, element)))
    return failure();
  return verifyBlock(emitError, layout, {rows, cols});
}

LogicalResult RegisterVectorType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t length, Type element,
                                         Axis, LayoutAttr layout) {
  if (length <= 0 || length % 16)
    return emitError() << "vector length " << length << " is not a multiple of a base atom's 16";
  if (failed(verifyElement(emitError, element)))
    return failure();
  return verifyBlock(emitError, layout, {length});
}

LogicalResult SharedTileType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t cols,
                                     Type element, int64_t parentRows, int64_t parentCols, SharedLayoutAttr) {
  if (rows <= 0 || cols <= 0 || rows % 16 || cols % 16)
    return emitError() << "shared tile extents " << rows << "x" << cols << " are not multiples of a base atom's 16";
  if (parentRows % rows || parentCols % cols)
    return emitError() << "a window of " << rows << "x" << cols << " does not divide its tile of " << parentRows << "x"
                       << parentCols;
  return verifyElement(emitError, element);
}

LogicalResult TensorType::verify(function_ref<InFlightDiagnostic()> emitError, Type element, int64_t align,
                                 int64_t colsMultiple) {
  if (failed(verifyElement(emitError, element)))
    return failure();
  if (!llvm::isPowerOf2_64(align) || !llvm::isPowerOf2_64(colsMultiple))
    return emitError() << "align and cols are powers of two, not " << align << " and " << colsMultiple;
  return success();
}

static ParseResult parseDims(AsmParser &parser, SmallVectorImpl<int64_t> &dims, Type &element) {
  return failure(parser.parseDimensionList(dims, /*allowDynamic=*/false) || parser.parseType(element));
}

Type RegisterTileType::parse(AsmParser &parser) {
  SmallVector<int64_t> dims;
  Type element;
  LayoutAttr layout;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parseDims(parser, dims, element))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
    return {};
  if (parser.parseGreater())
    return {};
  if (dims.size() != 2) {
    parser.emitError(where, "a register tile has two extents, not ") << dims.size();
    return {};
  }
  return parser.getChecked<RegisterTileType>(where, parser.getContext(), dims[0], dims[1], element, layout);
}

void RegisterTileType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getCols() << 'x' << getElementType();
  if (getLayout())
    printer << ", " << getLayout();
  printer << '>';
}

Type RegisterVectorType::parse(AsmParser &parser) {
  SmallVector<int64_t> dims;
  Type element;
  LayoutAttr layout;
  StringRef axisName;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parseDims(parser, dims, element) || parser.parseComma() || parser.parseKeyword(&axisName))
    return {};
  std::optional<Axis> axis = symbolizeAxis(axisName);
  if (!axis || dims.size() != 1) {
    parser.emitError(where, "a register vector is <LENGTHxTYPE, col|row>");
    return {};
  }
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RegisterVectorType>(where, parser.getContext(), dims[0], element, *axis, layout);
}

void RegisterVectorType::print(AsmPrinter &printer) const {
  printer << '<' << getLength() << 'x' << getElementType() << ", " << stringifyAxis(getAxis());
  if (getLayout())
    printer << ", " << getLayout();
  printer << '>';
}

Type SharedTileType::parse(AsmParser &parser) {
  SmallVector<int64_t> dims, parent;
  Type element;
  SharedLayoutAttr layout;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parseDims(parser, dims, element))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("of"))) {
      if (parser.parseDimensionList(parent, /*allowDynamic=*/false, /*withTrailingX=*/false))
        return {};
    } else if (parser.parseAttribute(layout)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  if (parent.empty())
    parent = dims;
  if (dims.size() != 2 || parent.size() != 2) {
    parser.emitError(where, "a shared tile has two extents");
    return {};
  }
  return parser.getChecked<SharedTileType>(where, parser.getContext(), dims[0], dims[1], element, parent[0], parent[1],
                                           layout);
}

void SharedTileType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getCols() << 'x' << getElementType();
  if (isWindow())
    printer << ", of " << getParentRows() << 'x' << getParentCols();
  if (getLayout())
    printer << ", " << getLayout();
  printer << '>';
}

// The storage keeps extents one by one; ShapedType wants an array, so it is read off the key's own memory.
ArrayRef<int64_t> RegisterTileType::getShape() const {
  static_assert(sizeof(getImpl()->rows) == sizeof(int64_t));
  return ArrayRef<int64_t>(&getImpl()->rows, 2);
}
ShapedType RegisterTileType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type element) const {
  ArrayRef<int64_t> extents = shape.value_or(getShape());
  return RegisterTileType::get(getContext(), extents[0], extents[1], element, getLayout());
}

ArrayRef<int64_t> RegisterVectorType::getShape() const { return ArrayRef<int64_t>(&getImpl()->length, 1); }
ShapedType RegisterVectorType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type element) const {
  return RegisterVectorType::get(getContext(), shape.value_or(getShape())[0], element, getAxis(), getLayout());
}

//===----------------------------------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------------------------------===//

static bool sameShape(Type a, Type b) {
  if (auto tile = dyn_cast<RegisterTileType>(a)) {
    auto other = dyn_cast<RegisterTileType>(b);
    return other && tile.getRows() == other.getRows() && tile.getCols() == other.getCols();
  }
  auto vector = cast<RegisterVectorType>(a);
  auto other = dyn_cast<RegisterVectorType>(b);
  return other && vector.getLength() == other.getLength() && vector.getAxis() == other.getAxis();
}

static LogicalResult verifySameTile(Operation *op, int64_t rows, int64_t cols, SharedTileType shared) {
  if (rows == shared.getRows() && cols == shared.getCols())
    return success();
  return op->emitOpError() << "register tile " << rows << "x" << cols << " against shared tile " << shared.getRows()
                           << "x" << shared.getCols();
}

LogicalResult LdsSubOp::verify() {
  SharedTileType from = getSource().getType(), to = getResult().getType();
  if (from.isWindow())
    return emitOpError("a window of a window; take it from the whole tile");
  if (to.getParentRows() != from.getRows() || to.getParentCols() != from.getCols() ||
      to.getElementType() != from.getElementType())
    return emitOpError() << "the window " << to << " is not one of " << from;
  return success();
}

LogicalResult LdsLoadOp::verify() {
  return verifySameTile(*this, getResult().getType().getRows(), getResult().getType().getCols(), getSource().getType());
}

LogicalResult LdsStoreOp::verify() {
  return verifySameTile(*this, getValue().getType().getRows(), getValue().getType().getCols(), getTarget().getType());
}

LogicalResult SplatOp::verify() {
  if (elementTypeOf(getResult().getType()) != getValue().getType())
    return emitOpError() << "a scalar of " << getValue().getType() << " in " << getResult().getType();
  return success();
}

LogicalResult IotaOp::verify() {
  if (!elementTypeOf(getResult().getType()).isInteger(32))
    return emitOpError() << "numbers are i32, not " << elementTypeOf(getResult().getType());
  return success();
}

LogicalResult CastOp::verify() {
  if (!sameShape(getValue().getType(), getResult().getType()))
    return emitOpError() << "shapes differ: " << getValue().getType() << " and " << getResult().getType();
  return success();
}

LogicalResult SelectOp::verify() {
  if (!sameShape(getMask().getType(), getResult().getType()) || !elementTypeOf(getMask().getType()).isInteger(1))
    return emitOpError() << "a mask of i1 and the values' shape is wanted, not " << getMask().getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  RegisterVectorType vector = getVector().getType();
  RegisterTileType tile = getResult().getType();
  int64_t extent = vector.getAxis() == Axis::Col ? tile.getRows() : tile.getCols();
  if (vector.getLength() != extent || vector.getElementType() != tile.getElementType())
    return emitOpError() << vector << " does not spread over " << tile;
  return success();
}

LogicalResult ReduceOp::verify() {
  RegisterVectorType vector = getResult().getType();
  RegisterTileType tile = getTile().getType();
  int64_t extent = vector.getAxis() == Axis::Col ? tile.getRows() : tile.getCols();
  if (vector.getLength() != extent || vector.getElementType() != tile.getElementType())
    return emitOpError() << tile << " does not reduce to " << vector;
  return success();
}

static std::pair<int64_t, int64_t> extentsOf(Type type) {
  if (auto tile = dyn_cast<RegisterTileType>(type))
    return {tile.getRows(), tile.getCols()};
  auto shared = cast<SharedTileType>(type);
  return {shared.getRows(), shared.getCols()};
}

int64_t MmaOp::m() { return getResult().getType().getRows(); }
int64_t MmaOp::n() { return getResult().getType().getCols(); }
int64_t MmaOp::k() {
  auto [rows, cols] = extentsOf(getA().getType());
  return getTransA() ? rows : cols;
}

LogicalResult MmaOp::verify() {
  auto [aRows, aCols] = extentsOf(getA().getType());
  auto [bRows, bCols] = extentsOf(getB().getType());
  int64_t am = getTransA() ? aCols : aRows, ak = getTransA() ? aRows : aCols;
  int64_t bk = getTransB() ? bCols : bRows, bn = getTransB() ? bRows : bCols;
  if (am != m() || bn != n() || ak != bk)
    return emitOpError() << "(" << am << "x" << ak << ") @ (" << bk << "x" << bn << ") does not fit " << m() << "x"
                         << n();
  return success();
}

//===----------------------------------------------------------------------------------------------===//
// Between attributes and the algebra
//===----------------------------------------------------------------------------------------------===//

LayoutAttr layoutOf(Type type) {
  if (auto tile = dyn_cast<RegisterTileType>(type))
    return tile.getLayout();
  if (auto vector = dyn_cast<RegisterVectorType>(type))
    return vector.getLayout();
  return {};
}

Type withLayout(Type type, LayoutAttr layout) {
  if (auto tile = dyn_cast<RegisterTileType>(type))
    return tile.withLayout(layout);
  return cast<RegisterVectorType>(type).withLayout(layout);
}

Type elementTypeOf(Type type) {
  return TypeSwitch<Type, Type>(type)
      .Case<RegisterTileType, RegisterVectorType, SharedTileType, TensorType>(
          [](auto shaped) { return shaped.getElementType(); })
      .Default([](Type other) { return other; });
}

static SmallVector<int64_t> flatBases(const layout::LinearLayout &layout, StringRef space) {
  SmallVector<int64_t> flat;
  if (const layout::InputSpace *input = layout.input(space))
    for (const layout::Coords &image : input->bases)
      llvm::append_range(flat, image);
  return flat;
}

LayoutAttr toAttr(MLIRContext *context, const layout::LinearLayout &layout, int64_t pack) {
  SmallVector<int64_t> block;
  for (const auto &out : layout.outputs())
    block.push_back(out.second);
  return LayoutAttr::get(context, block, pack, ArrayRef<int64_t>(flatBases(layout, "slot")),
                         ArrayRef<int64_t>(flatBases(layout, "lane")));
}

static std::vector<layout::Coords> toBases(const LayoutAttr::Images &images) {
  std::vector<layout::Coords> result;
  for (ArrayRef<int64_t> image : images)
    result.emplace_back(image.begin(), image.end());
  return result;
}

layout::LinearLayout toLinear(LayoutAttr layout) {
  std::vector<std::pair<std::string, int32_t>> outs;
  if (layout.rank() == 1)
    outs = {{"index", layout.getBlock()[0]}};
  else
    outs = {{"row", layout.getBlock()[0]}, {"col", layout.getBlock()[1]}};
  return layout::LinearLayout(std::move(outs), {{"slot", toBases(layout.slots())}, {"lane", toBases(layout.lanes())}});
}

SharedLayoutAttr toSharedAttr(MLIRContext *context, const layout::LinearLayout &layout) {
  auto images = [&](StringRef space) {
    SmallVector<int64_t> result;
    for (const layout::Coords &image : layout.input(space)->bases)
      result.push_back(image[0]);
    return result;
  };
  return SharedLayoutAttr::get(context, layout.input("col")->size(), images("row"), images("col"));
}

layout::LinearLayout toLinear(SharedLayoutAttr layout) {
  int64_t extent = 1;
  auto bases = [&](ArrayRef<int64_t> images) {
    std::vector<layout::Coords> result;
    for (int64_t image : images) {
      result.push_back({static_cast<int32_t>(image)});
      while (extent <= image)
        extent *= 2;
    }
    return result;
  };
  std::vector<layout::Coords> rows = bases(layout.getRows()), cols = bases(layout.getCols());
  return layout::LinearLayout({{"byte", static_cast<int32_t>(extent)}}, {{"row", rows}, {"col", cols}});
}

LayoutAttr vectorLayout(LayoutAttr tile, Axis axis) {
  unsigned kept = axis == Axis::Col ? 0 : 1;
  SmallVector<int64_t> slots, lanes;
  for (ArrayRef<int64_t> image : tile.slots())
    if (image[kept])
      slots.push_back(image[kept]);
  for (ArrayRef<int64_t> image : tile.lanes())
    lanes.push_back(image[kept]);
  return LayoutAttr::get(tile.getContext(), {tile.getBlock()[kept]}, 1, ArrayRef<int64_t>(slots),
                         ArrayRef<int64_t>(lanes));
}

} // namespace wavewright::hk
