//===- passes/lower_lanes_shuffle.cpp - exchanges between lanes -----------------------------------===//
//
// XOR of the lane number with a constant, by the cheapest road of each chip. DPP moves are free where the next
// instruction takes them in; permlane swaps are one VALU instruction; ds_swizzle and ds_bpermute go through the LDS
// crossbar and need a wait.
//
//===----------------------------------------------------------------------------------------------===//

#include "wavewright/passes/lower_lanes.h"

using namespace mlir;

namespace wavewright::passes {

namespace {

// DPP controls as V_MOV_B32_DPP encodes them (LLVM's SIDefines.h, enum DppCtrl).
constexpr int rowRor8 = 0x128, rowMirror = 0x140, rowHalfMirror = 0x141, rowXmask = 0x160;
constexpr int quadXor(int mask) { // quad_perm: two bits a lane of the quad
  int control = 0;
  for (int lane = 0; lane < 4; ++lane)
    control |= (lane ^ mask) << (2 * lane);
  return control;
}

class Shuffler {
public:
  Shuffler(OpBuilder &b, Location loc, const Target &target) : b(b), loc(loc), target(target) {}

  Value exchange(Value value, int mask) {
    return target.isCdna() ? exchangeCdna(value, mask) : exchangeRdna(value, mask);
  }

private:
  Value call(StringRef name, ValueRange operands) { return intrinsic(b, loc, b.getI32Type(), name, operands); }

  Value dpp(Value value, int control) {
    Value none = LLVM::PoisonOp::create(b, loc, b.getI32Type());
    Value all = i32(b, loc, 0xf);
    return call("llvm.amdgcn.update.dpp", {none, value, i32(b, loc, control), all, all, flag(b, loc, true)});
  }

  /// The other row of the pair, by a nibble of source lane for each lane of the row.
  Value otherRow(Value value, int mask) {
    uint32_t select[2] = {};
    for (int lane = 0; lane < 16; ++lane)
      select[lane / 8] |= uint32_t(lane ^ mask) << (4 * (lane % 8));
    return call("llvm.amdgcn.permlanex16", {value, value, i32(b, loc, int32_t(select[0])),
                                            i32(b, loc, int32_t(select[1])), flag(b, loc, false), flag(b, loc, false)});
  }

  Value exchangeRdna(Value value, int mask) {
    return mask < 16 ? dpp(value, rowXmask | mask) : otherRow(value, mask & 15);
  }

  /// Both rows (or halves) side by side; each lane takes the one that it has not. `upper` marks the lanes of the odd
  /// rows, or of the upper half.
  Value swap(Value value, StringRef name, uint64_t upper) {
    Type word = b.getI32Type();
    auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {word, word});
    Value both = intrinsic(b, loc, pair, name, {value, value, flag(b, loc, false), flag(b, loc, false)});
    Value low = LLVM::ExtractValueOp::create(b, loc, both, 0), high = LLVM::ExtractValueOp::create(b, loc, both, 1);
    Value isUpper = intrinsic(b, loc, b.getI1Type(), "llvm.amdgcn.inverse.ballot",
                              constant(b, loc, 64, static_cast<int64_t>(upper)));
    return LLVM::SelectOp::create(b, loc, isUpper, low, high);
  }

  Value exchangeCdna(Value value, int mask) {
    bool swaps = target.generation == Generation::Cdna4; // has v_permlane16_swap and v_permlane32_swap
    if (!swaps && mask >= 32) {
      Value from = LLVM::XOrOp::create(b, loc, laneId(b, loc, target), i32(b, loc, mask));
      return call("llvm.amdgcn.ds.bpermute", {LLVM::ShlOp::create(b, loc, from, i32(b, loc, 2)), value});
    }
    if (!swaps && mask >= 16) // bit mode: and 31, or 0, xor mask
      return call("llvm.amdgcn.ds.swizzle", {value, i32(b, loc, 0x1f | mask << 10)});
    if (mask & 32)
      value = swap(value, "llvm.amdgcn.permlane32.swap", 0xffffffff00000000);
    if (mask & 16)
      value = swap(value, "llvm.amdgcn.permlane16.swap", 0xffff0000ffff0000);
    mask &= 15;
    if (mask >= 12) {
      value = dpp(value, rowMirror);
      mask ^= 15;
    } else if (mask >= 8) { // a rotation by half a row is XOR 8
      value = dpp(value, rowRor8);
      mask ^= 8;
    } else if (mask >= 4) {
      value = dpp(value, rowHalfMirror);
      mask ^= 7;
    }
    return mask ? dpp(value, quadXor(mask)) : value;
  }

  OpBuilder &b;
  Location loc;
  const Target &target;
};

} // namespace

void addShuffleRules(Lanes &lanes) {
  const Target &target = lanes.target;
  addRule<rocke::ShuffleXorOp>(lanes, [&target](rocke::ShuffleXorOp op, auto in, OpBuilder &b) -> FailureOr<Value> {
    Location loc = op.getLoc();
    Value word = recast(b, loc, in.getValue(), b.getI32Type());
    Value moved = Shuffler(b, loc, target).exchange(word, static_cast<int32_t>(op.getMask()));
    return recast(b, loc, moved, in.getValue().getType());
  });
}

} // namespace wavewright::passes
