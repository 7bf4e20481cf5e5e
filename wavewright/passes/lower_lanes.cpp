//===- passes/lower_lanes.cpp - rocke and the upstream dialects -> the LLVM dialect ---------------===//
//
// A kernel
//
//   func.func @k(%a: !llvm.ptr<1> {rocke.name = "a"}) attributes {rocke.kernel, rocke.block_size = 256 : i32}
//
// becomes an amdgpu_kernelcc llvm.func whose attributes tell LLVM the size of the work-group. Nothing is said about
// aliasing: two tensors may be one array. Argument names stay as `rocke.name`, for the metadata.
//
//===----------------------------------------------------------------------------------------------===//

#include "wavewright/passes/lower_lanes.h"
#include "wavewright/passes/passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <fmt/format.h>

#include <utility>

using namespace mlir;

namespace wavewright::passes {

Value intrinsic(OpBuilder &b, Location loc, Type result, StringRef name, ValueRange operands) {
  TypeRange results = result ? TypeRange(result) : TypeRange();
  auto call = LLVM::CallIntrinsicOp::create(b, loc, results, b.getStringAttr(name), operands,
                                            LLVM::FastmathFlagsAttr::get(b.getContext(), LLVM::FastmathFlags::none));
  return result ? call.getResult(0) : Value();
}

Value constant(OpBuilder &b, Location loc, unsigned bits, int64_t value) {
  auto attr =
      b.getIntegerAttr(b.getIntegerType(bits), llvm::APInt(bits, value, /*isSigned=*/true, /*implicitTrunc=*/true));
  return LLVM::ConstantOp::create(b, loc, attr.getType(), attr);
}

Value recast(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : Value(LLVM::BitcastOp::create(b, loc, type, value));
}

unsigned bitsOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * vector.getElementType().getIntOrFloatBitWidth();
  return type.getIntOrFloatBitWidth();
}

Type wordsOf(MLIRContext *context, unsigned bits) {
  if (bits == 8 || bits == 16 || bits == 32)
    return IntegerType::get(context, bits);
  if (bits == 0 || bits % 32)
    return {};
  return VectorType::get(bits / 32, IntegerType::get(context, 32));
}

namespace {

/// Kernels get the calling convention and what LLVM should know of the launch.
class KernelRule : public ConvertOpToLLVMPattern<func::FuncOp> {
public:
  KernelRule(const LLVMTypeConverter &types, const Target &target)
      : ConvertOpToLLVMPattern<func::FuncOp>(types, /*benefit=*/2), target(target) {}

  LogicalResult matchAndRewrite(func::FuncOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    if (!op->hasAttr(rocke::KernelAttr))
      return failure();
    auto size = op->getAttrOfType<IntegerAttr>(rocke::BlockSizeAttr);
    if (!size || size.getInt() < 1 || size.getInt() > target.maxWorkGroupSize)
      return op.emitOpError() << "needs " << rocke::BlockSizeAttr << ", 1 to " << target.maxWorkGroupSize
                              << " work-items on " << target.name;
    if (op.getNumResults())
      return op.emitOpError("is a kernel and returns a value; write it through a pointer");

    FailureOr<LLVM::LLVMFuncOp> function = convertFuncOpToLLVMFuncOp(op, rewriter, *getTypeConverter());
    if (failed(function))
      return failure();
    SmallVector<Attribute> attributes;
    auto add = [&](StringRef key, const std::string &value) {
      attributes.push_back(rewriter.getStrArrayAttr({key, value}));
    };
    add("amdgpu-flat-work-group-size", fmt::format("{0},{0}", size.getInt()));
    add("uniform-work-group-size", "true");
    // The upper bound would be enforced by padding the registers.
    if (auto waves = op->getAttrOfType<IntegerAttr>("rocke.min_occupancy"))
      add("amdgpu-waves-per-eu", fmt::format("{}", waves.getInt()));
    function->setPassthroughAttr(rewriter.getArrayAttr(attributes));
    function->setCConv(LLVM::CConv::AMDGPU_KERNEL);
    rewriter.eraseOp(op);
    return success();
  }

private:
  const Target &target;
};

class LowerLanes : public PassWrapper<LowerLanes, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerLanes)
  StringRef getArgument() const override { return "rocke-to-llvm"; }
  StringRef getDescription() const override { return "rocke, arith, math, vector, cf and func to the LLVM dialect"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, ROCDL::ROCDLDialect, arith::ArithDialect, cf::ControlFlowDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<const Target *> chip = rocke::targetOf(module);
    if (failed(chip) || failed(checkMath(module)))
      return signalPassFailure();

    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter types(context, options);
    RewritePatternSet patterns(context);
    Lanes lanes{types, patterns, **chip};
    addPlaceRules(lanes);
    addMemoryRules(lanes);
    addMatrixRules(lanes);
    addShuffleRules(lanes);
    addMathRules(lanes);
    addNumberRules(lanes);
    patterns.add<KernelRule>(types, lanes.target);
    addUpstreamRules(types, patterns);

    // The driver says "failed to legalize" after what a rule has said of an op: once is enough.
    bool said = false;
    ScopedDiagnosticHandler once(context, [&said](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      return success(std::exchange(said, true));
    });
    LLVMConversionTarget legal(*context);
    legal.addLegalDialect<ROCDL::ROCDLDialect>();
    legal.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, legal, std::move(patterns))))
      signalPassFailure();
  }

private:
  static LogicalResult checkMath(ModuleOp module) {
    return failure(module
                       .walk([](Operation *op) {
                         std::string why = refusedMath(op);
                         if (why.empty())
                           return WalkResult::advance();
                         op->emitOpError(why);
                         return WalkResult::interrupt();
                       })
                       .wasInterrupted());
  }

  static void addUpstreamRules(LLVMTypeConverter &types, RewritePatternSet &patterns) {
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns); // only the integer ops reach it
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    index::populateIndexToLLVMConversionPatterns(types, patterns);
    ub::populateUBToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
  }
};

} // namespace

void buildLaneLowering(OpPassManager &pm) {
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(std::make_unique<LowerLanes>());
}

void registerLaneLowering() { PassRegistration<LowerLanes>(); }

} // namespace wavewright::passes
