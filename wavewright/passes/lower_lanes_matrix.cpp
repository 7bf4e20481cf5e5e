//===- passes/lower_lanes_matrix.cpp - one matrix instruction -------------------------------------===//
//
// LLVM's intrinsics of one family differ in operand types and in the flags between the operands. This page knows both;
// every atom of every chip was compiled with them (tests/lit/lanes/mma.mlir).
//
//===----------------------------------------------------------------------------------------------===//

#include "wavewright/passes/lower_lanes.h"

using namespace mlir;

namespace wavewright::passes {

/// The type in which `atom`'s intrinsic takes one lane's elements of type `dtype`.
static Type operandType(OpBuilder &b, const Target &target, const MatrixAtom &atom, DType dtype, int registers) {
  auto many = [](Type element, int64_t count) -> Type {
    return count == 1 ? element : Type(VectorType::get(count, element));
  };
  int64_t bits = 32 * registers, elements = bits / dtypeBits(dtype);
  switch (dtype) {
  case DType::F64:
    return many(b.getF64Type(), elements);
  case DType::F32:
  case DType::XF32:
    return many(b.getF32Type(), elements);
  case DType::F16:
    return many(b.getF16Type(), elements);
  case DType::BF16: {
    bool asIntegers = atom.intrinsic.ends_with(".1k") ||
                      (atom.family == MatrixFamily::Wmma && target.generation != Generation::Cdna5);
    return many(asIntegers ? Type(b.getI16Type()) : Type(b.getBF16Type()), elements);
  }
  case DType::I32:
    return many(b.getI32Type(), elements);
  default: // 8 bits and less; an MFMA takes two registers as one i64
    if (atom.family == MatrixFamily::Mfma && bits == 64)
      return b.getI64Type();
    return many(b.getI32Type(), registers);
  }
}

static SmallVector<Value> flags(OpBuilder &b, Location loc, const Target &target, const MatrixAtom &atom, Value x,
                                Value y, Value acc) {
  if (atom.family == MatrixFamily::Mfma) { // no broadcast, no permutation
    Value none = i32(b, loc, 0);
    return {x, y, acc, none, none, none};
  }
  Value no = flag(b, loc, false);
  bool integer = atom.d == DType::I32; // signed A and B, no saturation
  Value isSigned = flag(b, loc, true);
  if (target.generation == Generation::Cdna5) { // C is taken as it is, no operand is cached for reuse
    if (integer)
      return {isSigned, x, isSigned, y, acc, no, no, no};
    Value plain = constant(b, loc, 16, 0);
    if (dtypeBits(atom.a) == 8)
      return {x, y, plain, acc, no, no};
    return {no, x, no, y, plain, acc, no, no};
  }
  if (integer)
    return {isSigned, x, isSigned, y, acc, no};
  if (dtypeBits(atom.d) == 16) // gfx11: the low half of each register
    return {x, y, acc, no};
  return {x, y, acc};
}

void addMatrixRules(Lanes &lanes) {
  const Target &target = lanes.target;
  const LLVMTypeConverter &types = lanes.types;
  addRule<rocke::MmaOp>(lanes, [&](rocke::MmaOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    Location loc = op.getLoc();
    const MatrixAtom &atom = *target.findAtom(op.getAtom()); // the verifier found it
    if (atom.waveSize != target.waveSize)
      return op.emitOpError() << op.getAtom() << " is an instruction of a wave" << atom.waveSize << "; kernels for "
                              << target.name << " run as wave" << target.waveSize;
    if (atom.family != MatrixFamily::Mfma && atom.family != MatrixFamily::Wmma)
      return op.emitOpError() << op.getAtom() << " takes scales or sparsity indices besides A, B and C";
    Value x = recast(b, loc, in.getA(), operandType(b, target, atom, atom.a, atom.vgprsA));
    Value y = recast(b, loc, in.getB(), operandType(b, target, atom, atom.b, atom.vgprsB));
    Type accType = operandType(b, target, atom, atom.d, atom.vgprsD);
    Value acc = recast(b, loc, in.getAcc(), accType);
    Value result = intrinsic(b, loc, accType, atom.intrinsic, flags(b, loc, target, atom, x, y, acc));
    return recast(b, loc, result, types.convertType(op.getType()));
  });
}

} // namespace wavewright::passes
