//===- passes/lower_lanes_memory.cpp - buffers, LDS, barriers -------------------------------------===//

#include "wavewright/passes/lower_lanes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace wavewright::passes {

/// The type in which `data` crosses memory; an error at `op` when no single access moves that many bytes.
static FailureOr<Type> accessType(Operation *op, Type data, llvm::ArrayRef<unsigned> sizes) {
  unsigned bits = bitsOf(data);
  Type words = wordsOf(op->getContext(), bits);
  if (!words || (!sizes.empty() && !llvm::is_contained(sizes, bits / 8)))
    return op->emitOpError() << "moves " << bits << " bits a lane; one access moves "
                             << (sizes.empty() ? "1, 2 or a multiple of 4 bytes" : "1, 2, 4, 8, 12 or 16 bytes");
  return words;
}

static constexpr unsigned bufferSizes[] = {1, 2, 4, 8, 12, 16};

static Value ldsAddress(OpBuilder &b, Location loc, Value base, Value offset, int64_t constant) {
  auto step = [&](LLVM::GEPArg by) { base = LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base, by); };
  step(offset);
  if (constant)
    step(static_cast<int32_t>(constant));
  return base;
}

/// One global an allocation, named after its kernel and its number there: the name is part of the symbol table.
static Value allocateLds(rocke::LdsAllocOp op, OpBuilder &b, Type pointer) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  auto module = op->getParentOfType<ModuleOp>();
  std::string prefix = fmt::format("{}.lds", std::string_view(kernel.getName()));
  unsigned number = 0;
  for (LLVM::GlobalOp global : module.getOps<LLVM::GlobalOp>())
    number += global.getSymName().starts_with(prefix);

  OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
  if (number) // after those that are there, so that their order is the order of allocation
    for (LLVM::GlobalOp global : module.getOps<LLVM::GlobalOp>())
      if (global.getSymName().starts_with(prefix))
        atModule.setInsertionPointAfter(global);
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), op.getBytes());
  auto global = LLVM::GlobalOp::create(atModule, op.getLoc(), bytes, /*isConstant=*/false, LLVM::Linkage::Internal,
                                       fmt::format("{}{}", prefix, number), /*value=*/Attribute(), op.getAlign(),
                                       /*addrSpace=*/3);
  return LLVM::AddressOfOp::create(b, op.getLoc(), pointer, global.getSymName());
}

/// Release, s_barrier, acquire. The tag limits both fences to LDS: without it LLVM invalidates the L0 cache after the
/// barrier on RDNA, and waits for global stores before it.
static void barrier(OpBuilder &b, Location loc) {
  auto tag = LLVM::MMRATagAttr::get(b.getContext(), "amdgpu-synchronize-as", "local");
  auto fence = [&](LLVM::AtomicOrdering ordering) {
    LLVM::FenceOp::create(b, loc, ordering, "workgroup")->setDiscardableAttr("llvm.mmra", tag);
  };
  fence(LLVM::AtomicOrdering::release);
  ROCDL::SBarrierOp::create(b, loc);
  fence(LLVM::AtomicOrdering::acquire);
}

void addMemoryRules(Lanes &lanes) {
  const LLVMTypeConverter &types = lanes.types;
  uint32_t word3 = lanes.target.memory.bufferWord3;

  addRule<rocke::BufferResourceOp>(lanes, [=](rocke::BufferResourceOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    Location loc = op.getLoc();
    Value bytes = LLVM::ZExtOp::create(b, loc, b.getI64Type(), in.getBytes());
    return intrinsic(b, loc, op.getType(), "llvm.amdgcn.make.buffer.rsrc",
                     {in.getBase(), constant(b, loc, 16, 0), bytes, i32(b, loc, word3)});
  });
  addRule<rocke::BufferLoadOp>(lanes, [&types](rocke::BufferLoadOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    Location loc = op.getLoc();
    Type data = types.convertType(op.getType());
    FailureOr<Type> words = accessType(op, data, bufferSizes);
    if (failed(words))
      return failure();
    Value loaded = intrinsic(b, loc, *words, "llvm.amdgcn.raw.ptr.buffer.load",
                             {in.getResource(), in.getOffset(), in.getUniformOffset(), i32(b, loc, 0)});
    return recast(b, loc, loaded, data);
  });
  addRule<rocke::BufferStoreOp>(lanes, [](rocke::BufferStoreOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    Location loc = op.getLoc();
    FailureOr<Type> words = accessType(op, in.getValue().getType(), bufferSizes);
    if (failed(words))
      return failure();
    intrinsic(b, loc, Type(), "llvm.amdgcn.raw.ptr.buffer.store",
              {recast(b, loc, in.getValue(), *words), in.getResource(), in.getOffset(), in.getUniformOffset(),
               i32(b, loc, 0)});
    return Value();
  });

  addRule<rocke::LdsAllocOp>(lanes, [](rocke::LdsAllocOp op, auto, OpBuilder &b) -> FailureOr<Value> {
    return allocateLds(op, b, op.getType());
  });
  addRule<rocke::LdsLoadOp>(lanes, [&types](rocke::LdsLoadOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    Location loc = op.getLoc();
    Type data = types.convertType(op.getType());
    FailureOr<Type> words = accessType(op, data, {});
    if (failed(words))
      return failure();
    Value address = ldsAddress(b, loc, in.getBase(), in.getOffset(), op.getConstant());
    return recast(b, loc, LLVM::LoadOp::create(b, loc, *words, address, op.getAlign()), data);
  });
  addRule<rocke::LdsStoreOp>(lanes, [](rocke::LdsStoreOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    Location loc = op.getLoc();
    FailureOr<Type> words = accessType(op, in.getValue().getType(), {});
    if (failed(words))
      return failure();
    Value address = ldsAddress(b, loc, in.getBase(), in.getOffset(), op.getConstant());
    LLVM::StoreOp::create(b, loc, recast(b, loc, in.getValue(), *words), address, op.getAlign());
    return Value();
  });
  addRule<rocke::BarrierOp>(lanes, [](rocke::BarrierOp op, auto, OpBuilder &b) -> FailureOr<Value> {
    barrier(b, op.getLoc());
    return Value();
  });
}

} // namespace wavewright::passes
