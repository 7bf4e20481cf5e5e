//===- passes/lower_lanes.h - the parts of the lane lowering --------------------------------------===//
//
// Internal to the room. rocke ops become LLVM dialect ops one by one:
//
//   %r = rocke.buffer_load %b[%o, %u] : !llvm.ptr<8> -> vector<8xbf16>
//
// becomes a raw.ptr.buffer.load of vector<4xi32> and a bitcast. lower_lanes.cpp holds the pass; the other files
// hold the rules by subject.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/ir/rocke.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace wavewright::passes {

/// What every rule may need to know.
struct Lanes {
  const mlir::LLVMTypeConverter &types;
  mlir::RewritePatternSet &patterns;
  const Target &target;
};

void addPlaceRules(Lanes &lanes);
void addMemoryRules(Lanes &lanes);
void addMatrixRules(Lanes &lanes);
void addShuffleRules(Lanes &lanes);
void addMathRules(Lanes &lanes);
void addNumberRules(Lanes &lanes);

/// Null for a math op that the lane level has, else why it has not: said at the op before anything is lowered.
std::string refusedMath(mlir::Operation *op);

/// Registers the pass (rocke-to-llvm) for the tools; the pipeline is in pipelines.cpp.
void registerLaneLowering();

/// How one op is lowered: `fn(op, operands, builder)` gives the value that replaces it (null for an op without
/// results), or failure after an error diagnostic at the op.
template <typename Op, typename Fn> class Rule : public mlir::ConvertOpToLLVMPattern<Op> {
public:
  /// It comes before upstream's pattern for the op, where there is one.
  Rule(const mlir::LLVMTypeConverter &types, Fn fn)
      : mlir::ConvertOpToLLVMPattern<Op>(types, /*benefit=*/2), fn(std::move(fn)) {}

  mlir::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::FailureOr<mlir::Value> value = fn(op, operands, rewriter);
    if (failed(value))
      return mlir::failure();
    if (*value)
      rewriter.replaceOp(op, *value);
    else
      rewriter.eraseOp(op);
    return mlir::success();
  }

private:
  Fn fn;
};

template <typename Op, typename Fn> void addRule(Lanes &lanes, Fn fn) {
  lanes.patterns.add(std::make_unique<Rule<Op, Fn>>(lanes.types, std::move(fn)));
}

/// llvm.call_intrinsic; what is overloaded is mangled when the module is translated.
mlir::Value intrinsic(mlir::OpBuilder &b, mlir::Location loc, mlir::Type result, llvm::StringRef name,
                      mlir::ValueRange operands);
mlir::Value constant(mlir::OpBuilder &b, mlir::Location loc, unsigned bits, int64_t value);
inline mlir::Value i32(mlir::OpBuilder &b, mlir::Location loc, int64_t value) { return constant(b, loc, 32, value); }
inline mlir::Value flag(mlir::OpBuilder &b, mlir::Location loc, bool value) { return constant(b, loc, 1, value); }
/// A bitcast where the types differ.
mlir::Value recast(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type type);
/// Bits of an LLVM scalar or vector type.
unsigned bitsOf(mlir::Type type);
/// i8, i16, i32, or a vector of i32: memory accesses and cross-lane moves are typed so, because LLVM's AMDGPU target
/// dies on some element types (vectors of i8 in a buffer access). Null when the bits make none of these.
mlir::Type wordsOf(mlir::MLIRContext *context, unsigned bits);
/// The lane's number in its wave.
mlir::Value laneId(mlir::OpBuilder &b, mlir::Location loc, const Target &target);

} // namespace wavewright::passes
