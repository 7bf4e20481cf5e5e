//===- passes/lower_lanes_math.cpp - functions of one lane's value --------------------------------===//
//
// f32 functions are as accurate as LLVM's AMDGPU target makes them (1 to 2 ulp); 16-bit ones compute in f32 and round
// once. tanh, erf, sin and cos are built here, since LLVM cannot select the first two and reduces the arguments of the
// others in one multiplication.
//
//===----------------------------------------------------------------------------------------------===//

#include "wavewright/passes/lower_lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace wavewright::passes {

namespace {

/// Straight-line f32 code, for a scalar or a vector.
class Float {
public:
  Float(OpBuilder &b, Location loc, Type type) : b(b), loc(loc), type(type) {}

  Value constant(float value) {
    Attribute attr = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = SplatElementsAttr::get(vector, attr);
    return LLVM::ConstantOp::create(b, loc, type, cast<TypedAttr>(attr));
  }
  Value add(Value x, Value y) { return LLVM::FAddOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return LLVM::FSubOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return LLVM::FMulOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return LLVM::FDivOp::create(b, loc, x, y); }
  Value neg(Value x) { return LLVM::FNegOp::create(b, loc, x); }
  Value fma(Value x, Value y, Value z) { return call("llvm.fma", {x, y, z}); }
  Value abs(Value x) { return call("llvm.fabs", x); }
  Value min(Value x, Value y) { return call("llvm.minnum", {x, y}); }
  Value copysign(Value x, Value sign) { return call("llvm.copysign", {x, sign}); }
  Value less(Value x, Value y) { return LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::olt, x, y); }
  Value select(Value which, Value x, Value y) { return LLVM::SelectOp::create(b, loc, which, x, y); }
  Value call(StringRef name, ValueRange operands) { return intrinsic(b, loc, type, name, operands); }
  /// Horner's rule, highest power first.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value sum = constant(coefficients.front());
    for (float c : coefficients.drop_front())
      sum = fma(sum, x, constant(c));
    return sum;
  }

  OpBuilder &b;
  Location loc;
  Type type;
};

// Coefficients: minimax fits made for this file in 40-digit arithmetic; the errors named are those of the fit.

/// tanh: x + x^3 p(x^2) below 0.625 (4e-9 relative), 1 - 2 / (e^2|x| + 1) above, where nothing cancels any more.
Value tanh(Float &f, Value x) {
  Value size = f.abs(x), square = f.mul(x, x);
  Value p = f.polynomial(square,
                         {-5.717044954e-03f, 2.065058722e-02f, -5.374349806e-02f, 1.333149129e-01f, -3.333328393e-01f});
  Value small = f.fma(f.mul(x, square), p, x);
  Value e = f.call("llvm.exp", f.add(size, size));
  Value large = f.sub(f.constant(1), f.div(f.constant(2), f.add(e, f.constant(1))));
  // The sign last: x + x^3 p(x^2) turns -0 into +0.
  return f.copysign(f.select(f.less(size, f.constant(0.625f)), small, large), x);
}

/// erf: x p(x^2) below 1 (1e-9 relative), 1 - e^-q(|x|) above (7e-12), where q is cut off at 4: erf(4) rounds to 1.
Value erf(Float &f, Value x) {
  Value size = f.abs(x);
  Value small =
      f.mul(x, f.polynomial(f.mul(x, x), {7.889123030e-05f, -8.020842324e-04f, 5.189535456e-03f, -2.685444465e-02f,
                                          1.128360018e-01f, -3.761262714e-01f, 1.128379166e+00f}));
  Value q = f.polynomial(f.min(size, f.constant(4)),
                         {-9.572434754e-07f, 1.534084097e-05f, -8.538194491e-05f, -1.408518768e-05f, 3.129929329e-03f,
                          -2.344071408e-02f, 1.065165184e-01f, 6.345118976e-01f, 1.129075445e+00f, -1.024830911e-04f});
  Value large = f.sub(f.constant(1), f.call("llvm.exp", f.neg(q)));
  Value isSmall = f.less(size, f.constant(1));
  // A NaN fails the comparison, and min drops it: x + x keeps it.
  Value isNan = LLVM::FCmpOp::create(f.b, f.loc, LLVM::FCmpPredicate::uno, x, x);
  return f.select(isNan, f.add(x, x), f.select(isSmall, small, f.copysign(large, x)));
}

/// sin(x + quarters pi/2). The argument is reduced by pi/2 in three parts (Cody and Waite), exact enough for |x| up to
/// about 10^5; then polynomials on [-pi/4, pi/4] (4e-9).
Value sinOrCos(Float &f, Value x, int quarters) {
  Value turns = f.call("llvm.rint", f.mul(x, f.constant(0.636619772f)));
  Value r = x;
  for (float part : {-1.57079637e+00f, 4.37113883e-08f, 1.71512451e-15f}) // their sum is -pi/2
    r = f.fma(turns, f.constant(part), r);
  Value square = f.mul(r, r);
  Value sine =
      f.fma(f.mul(r, square), f.polynomial(square, {-1.951083920e-04f, 8.332131498e-03f, -1.666665423e-01f}), r);
  Value cosine =
      f.fma(f.mul(square, square), f.polynomial(square, {2.443120502e-05f, -1.388730604e-03f, 4.166664565e-02f}),
            f.fma(square, f.constant(-0.5f), f.constant(1)));

  OpBuilder &b = f.b;
  Type words = b.getI32Type();
  auto vector = dyn_cast<VectorType>(f.type);
  if (vector)
    words = VectorType::get(vector.getShape(), words);
  auto integer = [&](int32_t value) -> Value {
    TypedAttr attr = b.getI32IntegerAttr(value);
    if (vector)
      attr = SplatElementsAttr::get(cast<VectorType>(words), Attribute(attr));
    return LLVM::ConstantOp::create(b, f.loc, words, attr);
  };
  // Of an infinity or a NaN the conversion is poison; any quadrant will do, as r is then a NaN.
  Value quadrant = LLVM::FreezeOp::create(b, f.loc, LLVM::FPToSIOp::create(b, f.loc, words, turns));
  quadrant = LLVM::AddOp::create(b, f.loc, quadrant, integer(quarters));
  auto bit = [&](int32_t mask) -> Value {
    Value masked = LLVM::AndOp::create(b, f.loc, quadrant, integer(mask));
    return LLVM::ICmpOp::create(b, f.loc, LLVM::ICmpPredicate::ne, masked, integer(0));
  };
  Value swapped = f.select(bit(1), cosine, sine);
  Value result = f.select(bit(2), f.neg(swapped), swapped);
  if (quarters)
    return result;
  // The reduction turns -0 into +0.
  Value isZero = LLVM::FCmpOp::create(b, f.loc, LLVM::FCmpPredicate::oeq, x, f.constant(0));
  return f.select(isZero, x, result);
}

Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

/// Applies `fn(Float &, operands)` in f32, with 16-bit operands extended and the result rounded once; f64 as it is.
template <typename Fn> Value inF32(OpBuilder &b, Operation *op, ValueRange operands, Fn fn) {
  Location loc = op->getLoc();
  Type type = operands.front().getType();
  bool narrow = getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 32;
  Type wide = narrow ? withElement(type, b.getF32Type()) : type;
  SmallVector<Value> values;
  for (Value value : operands)
    values.push_back(narrow ? Value(LLVM::FPExtOp::create(b, loc, wide, value)) : value);
  Float f(b, loc, wide);
  Value result = fn(f, values);
  return narrow ? Value(LLVM::FPTruncOp::create(b, loc, type, result)) : result;
}

/// An op that is one LLVM intrinsic.
template <typename Op> void direct(Lanes &lanes, StringRef name) {
  addRule<Op>(lanes, [name](Op op, auto in, OpBuilder &b) -> FailureOr<Value> {
    return inF32(b, op, in.getOperands(), [&](Float &f, ValueRange values) { return f.call(name, values); });
  });
}

template <typename Op, typename Fn> void built(Lanes &lanes, Fn fn) {
  addRule<Op>(lanes, [fn](Op op, auto in, OpBuilder &b) -> FailureOr<Value> {
    return inF32(b, op, in.getOperands(), [&](Float &f, ValueRange values) { return fn(f, values.front()); });
  });
}

/// Only bits move: no detour through f32.
template <typename Op> void bitwise(Lanes &lanes, StringRef name) {
  addRule<Op>(lanes, [name](Op op, auto in, OpBuilder &b) -> FailureOr<Value> {
    return intrinsic(b, op.getLoc(), in.getOperands().front().getType(), name, in.getOperands());
  });
}

} // namespace

void addMathRules(Lanes &lanes) {
  bitwise<math::AbsFOp>(lanes, "llvm.fabs");
  bitwise<math::CopySignOp>(lanes, "llvm.copysign");
  direct<math::CeilOp>(lanes, "llvm.ceil");
  direct<math::FloorOp>(lanes, "llvm.floor");
  direct<math::TruncOp>(lanes, "llvm.trunc");
  direct<math::RoundOp>(lanes, "llvm.round");
  direct<math::RoundEvenOp>(lanes, "llvm.roundeven");
  direct<math::FmaOp>(lanes, "llvm.fma");
  direct<math::SqrtOp>(lanes, "llvm.sqrt");
  direct<math::ExpOp>(lanes, "llvm.exp");
  direct<math::Exp2Op>(lanes, "llvm.exp2");
  direct<math::LogOp>(lanes, "llvm.log");
  direct<math::Log2Op>(lanes, "llvm.log2");
  direct<math::Log10Op>(lanes, "llvm.log10");
  built<math::RsqrtOp>(lanes, [](Float &f, Value x) { return f.div(f.constant(1), f.call("llvm.sqrt", x)); });
  built<math::TanhOp>(lanes, tanh);
  built<math::ErfOp>(lanes, erf);
  built<math::SinOp>(lanes, [](Float &f, Value x) { return sinOrCos(f, x, 0); });
  built<math::CosOp>(lanes, [](Float &f, Value x) { return sinOrCos(f, x, 1); });

  addRule<math::AbsIOp>(lanes, [](math::AbsIOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    Value x = in.getOperand();
    return intrinsic(b, op.getLoc(), x.getType(), "llvm.abs", {x, flag(b, op.getLoc(), false)});
  });
  addRule<rocke::RsqrtOp>(lanes, [](rocke::RsqrtOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    return intrinsic(b, op.getLoc(), b.getF32Type(), "llvm.amdgcn.rsq", in.getValue());
  });
}

std::string refusedMath(Operation *op) {
  if (!isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return "";
  bool anyWidth = isa<math::AbsFOp, math::CopySignOp, math::CeilOp, math::FloorOp, math::TruncOp, math::RoundOp,
                      math::RoundEvenOp, math::FmaOp, math::SqrtOp, math::AbsIOp, math::CountLeadingZerosOp,
                      math::CountTrailingZerosOp, math::CtPopOp>(op);
  bool f32Only = isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op, math::RsqrtOp, math::TanhOp,
                     math::ErfOp, math::SinOp, math::CosOp>(op);
  if (!anyWidth && !f32Only)
    return "has no lowering; there are abs, copysign, ceil, floor, trunc, round, roundeven, fma, sqrt, rsqrt, exp, "
           "exp2, "
           "log, log2, log10, tanh, erf, sin and cos";
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (auto type = dyn_cast<FloatType>(element); type && type.getWidth() < 16)
    return "does not compute in 8 bits and less: convert the operand to f32";
  if (f32Only && !element.isF32() && !element.isF16() && !element.isBF16())
    return "exists for f32, f16 and bf16 only: AMD's chips have no f64 form and LLVM builds none";
  return "";
}

} // namespace wavewright::passes
