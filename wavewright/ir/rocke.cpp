#include "wavewright/ir/rocke.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#include "wavewright/ir/RockeDialect.cpp.inc"
#include "wavewright/ir/RockeEnums.cpp.inc"

#define GET_OP_CLASSES
#include "wavewright/ir/RockeOps.cpp.inc"

namespace wavewright::rocke {

void RockeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "wavewright/ir/RockeOps.cpp.inc"
      >();
}

FailureOr<const Target *> targetOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto arch = module ? module->getAttrOfType<StringAttr>("wavewright.arch") : StringAttr();
  if (!arch)
    return op->emitError("the module names no chip: set wavewright.arch to one, such as \"gfx1100\"");
  llvm::Expected<const Target *> target = findTarget(arch.getValue());
  if (!target)
    return op->emitError(llvm::toString(target.takeError()));
  return *target;
}

LogicalResult MmaOp::verify() {
  FailureOr<const Target *> target = targetOf(*this);
  if (failed(target))
    return failure();
  const MatrixAtom *atom = (*target)->findAtom(getAtom());
  if (!atom)
    return emitOpError() << (*target)->name << " has no atom \"" << getAtom() << "\"";
  auto check = [&](StringRef which, Type type, DType dtype, int registers) -> LogicalResult {
    auto vector = cast<VectorType>(type);
    int64_t bits = vector.getNumElements() * dtypeBits(dtype);
    if (bits != 32 * registers)
      return emitOpError() << "operand " << which << " of " << getAtom() << " holds "
                           << 32 * registers / dtypeBits(dtype) << " elements a lane, not " << vector.getNumElements();
    return success();
  };
  if (failed(check("A", getA().getType(), atom->a, atom->vgprsA)) ||
      failed(check("B", getB().getType(), atom->b, atom->vgprsB)) ||
      failed(check("C", getAcc().getType(), atom->d, atom->vgprsD)))
    return failure();
  return success();
}

LogicalResult ShuffleXorOp::verify() {
  FailureOr<const Target *> target = targetOf(*this);
  if (failed(target))
    return failure();
  int64_t mask = static_cast<int32_t>(getMask());
  if (mask <= 0 || mask >= (*target)->waveSize)
    return emitOpError() << "mask " << mask << " lies outside 1.." << (*target)->waveSize - 1;
  return success();
}

} // namespace wavewright::rocke
