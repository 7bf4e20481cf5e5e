//===- passes/lower_lanes_numbers.cpp - conversions from and to 8-bit floats ----------------------===//
//
// gfx942 has the FNUZ encodings, gfx950 and gfx1201 the OCP ones, gfx11 none. Values beyond the range become NaN (OCP
// E4M3, FNUZ) or infinity (E5M2), as ml_dtypes converts.
//
//===----------------------------------------------------------------------------------------------===//

#include "wavewright/passes/lower_lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace wavewright::passes {

namespace {

bool isEightBitFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() == 8;
}

/// "fp8" or "bf8" as the chip's instructions name it; an error at `op` when the chip has not that encoding.
FailureOr<StringRef> encoding(Operation *op, Type type, const Target &target) {
  bool fnuz = target.generation == Generation::Cdna3;
  bool ocp = target.generation == Generation::Cdna4 || target.generation == Generation::Rdna4 ||
             target.generation == Generation::Cdna5;
  Type element = getElementTypeOrSelf(type);
  if (fnuz ? isa<Float8E4M3FNUZType>(element) : ocp && isa<Float8E4M3FNType>(element))
    return StringRef("fp8");
  if (fnuz ? isa<Float8E5M2FNUZType>(element) : ocp && isa<Float8E5M2Type>(element))
    return StringRef("bf8");
  StringRef has = fnuz ? "f8E4M3FNUZ and f8E5M2FNUZ" : ocp ? "f8E4M3FN and f8E5M2" : "no 8-bit float at all";
  return op->emitOpError() << "converts " << element << ", but " << target.name << " has " << has;
}

/// The elements of a scalar or a vector, and back.
SmallVector<Value> elementsOf(OpBuilder &b, Location loc, Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return {value};
  SmallVector<Value> elements;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    elements.push_back(LLVM::ExtractElementOp::create(b, loc, value, i32(b, loc, i)));
  return elements;
}
Value fromElements(OpBuilder &b, Location loc, ArrayRef<Value> elements, Type type) {
  if (!isa<VectorType>(type))
    return elements.front();
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(b, loc, vector, element, i32(b, loc, i));
  return vector;
}

Value extend(OpBuilder &b, Location loc, Value bytes, StringRef encoding, Type result) {
  SmallVector<Value> narrow = elementsOf(b, loc, bytes), words, wide;
  Type byte4 = VectorType::get(4, b.getI8Type());
  for (size_t i = 0; i < narrow.size(); ++i) {
    if (i % 4 == 0) {
      SmallVector<Value> four(llvm::ArrayRef(narrow).slice(i, std::min<size_t>(4, narrow.size() - i)));
      words.push_back(recast(b, loc, fromElements(b, loc, four, byte4), b.getI32Type()));
    }
    Value f32 = intrinsic(b, loc, b.getF32Type(), ("llvm.amdgcn.cvt.f32." + encoding).str(),
                          {words.back(), i32(b, loc, i % 4)});
    Type element = getElementTypeOrSelf(result); // 16 bits hold every 8-bit float exactly
    wide.push_back(element.isF32() ? f32 : Value(LLVM::FPTruncOp::create(b, loc, element, f32)));
  }
  return fromElements(b, loc, wide, result);
}

Value truncate(OpBuilder &b, Location loc, Value value, StringRef encoding, Type result) {
  SmallVector<Value> wide = elementsOf(b, loc, value), bytes;
  for (Value &element : wide) // from 16 bits f32 is exact: one rounding in all
    if (!element.getType().isF32())
      element = LLVM::FPExtOp::create(b, loc, b.getF32Type(), element);
  Type byte4 = VectorType::get(4, b.getI8Type());
  for (size_t i = 0; i < wide.size(); i += 4) {
    Value word = LLVM::PoisonOp::create(b, loc, b.getI32Type());
    for (size_t at = i; at < std::min(i + 4, wide.size()); at += 2)
      word = intrinsic(b, loc, b.getI32Type(), ("llvm.amdgcn.cvt.pk." + encoding + ".f32").str(),
                       {wide[at], at + 1 < wide.size() ? wide[at + 1] : wide[at], word, flag(b, loc, at != i)});
    for (Value byte : elementsOf(b, loc, recast(b, loc, word, byte4)))
      if (bytes.size() < wide.size())
        bytes.push_back(byte);
  }
  return fromElements(b, loc, bytes, result);
}

/// arith.extf and arith.truncf where one side is an 8-bit float; the others are upstream's.
template <typename Op, Value (*convert)(OpBuilder &, Location, Value, StringRef, Type)>
class EightBitFloat : public ConvertOpToLLVMPattern<Op> {
public:
  EightBitFloat(const LLVMTypeConverter &types, const Target &target)
      : ConvertOpToLLVMPattern<Op>(types, /*benefit=*/2), target(target) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor in, ConversionPatternRewriter &b) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (isEightBitFloat(from) == isEightBitFloat(to))
      return failure();
    FailureOr<StringRef> name = encoding(op, isEightBitFloat(from) ? from : to, target);
    if (failed(name))
      return failure();
    Type wide = getElementTypeOrSelf(isEightBitFloat(from) ? to : from);
    if (wide.getIntOrFloatBitWidth() > 32)
      return op.emitOpError() << "converts between 8-bit floats and " << wide << "; go through f32";
    b.replaceOp(op, convert(b, op.getLoc(), in.getIn(), *name, this->getTypeConverter()->convertType(to)));
    return success();
  }

private:
  const Target &target;
};

} // namespace

void addNumberRules(Lanes &lanes) {
  lanes.patterns.add<EightBitFloat<arith::ExtFOp, extend>, EightBitFloat<arith::TruncFOp, truncate>>(lanes.types,
                                                                                                     lanes.target);
}

} // namespace wavewright::passes
