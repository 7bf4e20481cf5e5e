//===- passes/mma_plan.cpp ------------------------------------------------------------------------===//
#include "wavewright/passes/mma_plan.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace wavewright::passes {

using layout::MatrixOperand;

static std::optional<DType> dtypeOf(Type type) {
  return llvm::TypeSwitch<Type, std::optional<DType>>(type)
      .Case<Float64Type>([](auto) { return DType::F64; })
      .Case<Float32Type>([](auto) { return DType::F32; })
      .Case<Float16Type>([](auto) { return DType::F16; })
      .Case<BFloat16Type>([](auto) { return DType::BF16; })
      .Case<Float8E4M3FNType, Float8E4M3FNUZType>([](auto) { return DType::FP8; })
      .Case<Float8E5M2Type, Float8E5M2FNUZType>([](auto) { return DType::BF8; })
      .Case<IntegerType>([](IntegerType integer) -> std::optional<DType> {
        switch (integer.getWidth()) {
        case 8:
          return DType::I8;
        case 32:
          return DType::I32;
        default:
          return std::nullopt;
        }
      })
      .Default([](Type) { return std::nullopt; });
}

/// How many lanes share a row's K.
static int lanesAlongK(const MatrixAtom &atom) {
  return 1 << llvm::count_if(atom.layoutA.lanes, [](BasisPair image) { return image.d1 != 0; });
}

/// Both operands' K is dealt out so that a lane's consecutive k fill 16 bytes, the widest LDS access.
static MmaPlan planFor(const MatrixAtom &atom, int64_t k) {
  int width = std::max<int>(128 / dtypeBits(atom.a), 1), lanes = lanesAlongK(atom);
  int block = std::max(atom.k, width * lanes);
  while (block > atom.k && k % block)
    block /= 2;
  return {&atom, block, std::min(width, block / lanes)};
}

FailureOr<MmaPlan> chooseMmaPlan(hk::MmaOp op, const Target &target) {
  Type aType = hk::elementTypeOf(op.getA().getType()), bType = hk::elementTypeOf(op.getB().getType());
  Type accType = op.getAcc().getType().getElementType();
  std::optional<DType> a = dtypeOf(aType), b = dtypeOf(bType), d = dtypeOf(accType);

  const MatrixAtom *best = nullptr;
  bool typesMatch = false;
  for (const MatrixAtom &atom : target.atoms) {
    bool dense = atom.family == MatrixFamily::Mfma || atom.family == MatrixFamily::Wmma;
    // A 16-bit C fills half of each register on gfx11, which no list of packed vectors says.
    bool packed = atom.vgprsD * 32 * target.waveSize == atom.m * atom.n * int(dtypeBits(atom.d));
    if (!dense || !packed || atom.blocks != 1 || atom.waveSize != target.waveSize || atom.a != a || atom.b != b ||
        atom.d != d)
      continue;
    typesMatch = true;
    if (op.m() % atom.m || op.n() % atom.n || op.k() % atom.k)
      continue;
    auto work = [](const MatrixAtom &candidate) { return std::pair(candidate.m * candidate.n, candidate.k); };
    if (!best || work(atom) > work(*best))
      best = &atom;
  }
  if (best)
    return planFor(*best, op.k());
  if (typesMatch)
    return op.emitOpError() << "a product of " << op.m() << "x" << op.n() << " with K = " << op.k()
                            << " is no multiple of any matrix instruction of " << target.name << " for " << aType
                            << "; take extents that are multiples of 32";
  return op.emitOpError() << target.name << " has no matrix instruction that multiplies " << aType << " by " << bType
                          << " into " << accType
                          << "; bf16 and f16 into f32 work on every chip: cast the operands and the accumulator";
}

FailureOr<MmaPlan> mmaPlanOf(hk::MmaOp op, const Target &target) {
  if (!op.getAtom() || !op.getKBlock() || !op.getKWidth())
    return op.emitOpError("names no atom; run the pass that assigns layouts first");
  const MatrixAtom *atom = target.findAtom(*op.getAtom());
  if (!atom)
    return op.emitOpError() << target.name << " has no atom \"" << *op.getAtom() << "\"";
  return MmaPlan{atom, int(*op.getKBlock()), int(*op.getKWidth())};
}

hk::LayoutAttr operandAttr(MLIRContext *context, const MmaPlan &plan, MatrixOperand operand, bool kAlongRows) {
  layout::LinearLayout linear = layout::operandTileLayout(*plan.atom, operand, plan.kBlock, plan.kWidth);
  int64_t slots = operand == MatrixOperand::A   ? plan.atom->layoutA.slots.size()
                  : operand == MatrixOperand::B ? plan.atom->layoutB.slots.size()
                                                : plan.atom->layoutD.slots.size();
  return hk::toAttr(context, kAlongRows ? linear.project({"col", "row"}) : linear, int64_t(1) << slots);
}

bool kAlongRows(hk::MmaOp op, MatrixOperand operand) {
  switch (operand) {
  case MatrixOperand::A:
    return op.getTransA();
  case MatrixOperand::B:
    return !op.getTransB();
  case MatrixOperand::C:
    return false;
  }
  return false;
}

} // namespace wavewright::passes
