//===- passes/lane_builder.cpp --------------------------------------------------------------------===//
#include "wavewright/passes/lane_builder.h"

#include "wavewright/ir/rocke.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace mlir;

namespace wavewright::passes {

LaneBuilder::LaneBuilder(func::FuncOp kernel, const Target &target, int64_t waves)
    : b(kernel.getContext()), loc(kernel.getLoc()), target(target), waves(waves), kernel(kernel) {
  b.setInsertionPointToStart(&kernel.getBody().front());
}

//===----------------------------------------------------------------------------------------------===//
// Constants and arithmetic
//===----------------------------------------------------------------------------------------------===//

// Constants stand before everything else, so that whatever is put at the head of the kernel may use them.
Value LaneBuilder::integer(Type type, int64_t value) {
  Value &known = integers[{type.getAsOpaquePointer(), value}];
  if (!known) {
    OpBuilder head = OpBuilder::atBlockBegin(&kernel.getBody().front());
    known = arith::ConstantOp::create(head, kernel.getLoc(), head.getIntegerAttr(type, value));
    if (!lastAtHead)
      lastAtHead = known.getDefiningOp();
  }
  return known;
}

Value LaneBuilder::scalar(TypedAttr value) { return arith::ConstantOp::create(b, loc, value); }

Value LaneBuilder::atHead(llvm::function_ref<Value()> make) {
  i32(0); // there is a constant to stand behind
  OpBuilder::InsertionGuard guard(b);
  llvm::SaveAndRestore where(loc, Location(kernel.getLoc()));
  b.setInsertionPointAfter(lastAtHead);
  Value value = make();
  lastAtHead = &*std::prev(b.getInsertionPoint());
  return value;
}

std::optional<int64_t> LaneBuilder::constantOf(Value value) {
  llvm::APInt number;
  if (value && matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

int64_t LaneBuilder::knownDivisor(Value value) {
  constexpr int64_t most = int64_t(1) << 30;
  if (std::optional<int64_t> number = constantOf(value))
    return *number == 0 ? most : std::min(*number & -*number, most);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MulIOp>(op))
    return std::min(knownDivisor(op->getOperand(0)) * knownDivisor(op->getOperand(1)), most);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::min(knownDivisor(op->getOperand(0)), knownDivisor(op->getOperand(1)));
  if (auto mask = dyn_cast_or_null<arith::AndIOp>(op))
    return std::max(knownDivisor(mask.getLhs()), knownDivisor(mask.getRhs()));
  if (auto shift = dyn_cast_or_null<arith::ShLIOp>(op))
    if (std::optional<int64_t> by = constantOf(shift.getRhs()); by && *by >= 0 && *by < 30)
      return std::min(knownDivisor(shift.getLhs()) << *by, most);
  return 1;
}

/// The result of `op` on two constants, or null: in 32 bits it wraps as the machine does.
template <typename Fold> static Value foldConstants(LaneBuilder &builder, Value a, Value b, Fold fold) {
  std::optional<int64_t> x = LaneBuilder::constantOf(a), y = LaneBuilder::constantOf(b);
  if (!x || !y)
    return {};
  int64_t result = fold(*x, *y);
  if (a.getType().isInteger(32))
    result = static_cast<int32_t>(result);
  return builder.integer(a.getType(), result);
}

static bool is(Value value, int64_t number) { return LaneBuilder::constantOf(value) == number; }

Value LaneBuilder::add(Value x, Value y) {
  if (is(x, 0))
    return y;
  if (is(y, 0))
    return x;
  if (Value folded = foldConstants(*this, x, y, [](int64_t a, int64_t b) { return int64_t(uint64_t(a) + b); }))
    return folded;
  return arith::AddIOp::create(b, loc, x, y);
}

Value LaneBuilder::sub(Value x, Value y) {
  if (is(y, 0))
    return x;
  if (Value folded = foldConstants(*this, x, y, [](int64_t a, int64_t b) { return int64_t(uint64_t(a) - b); }))
    return folded;
  return arith::SubIOp::create(b, loc, x, y);
}

Value LaneBuilder::mul(Value x, Value y) {
  if (is(x, 1))
    return y;
  if (is(y, 1))
    return x;
  if (is(x, 0))
    return x;
  if (is(y, 0))
    return y;
  if (Value folded = foldConstants(*this, x, y, [](int64_t a, int64_t b) { return int64_t(uint64_t(a) * b); }))
    return folded;
  return arith::MulIOp::create(b, loc, x, y);
}

Value LaneBuilder::exclusiveOr(Value x, Value y) {
  if (is(x, 0))
    return y;
  if (is(y, 0))
    return x;
  if (Value folded = foldConstants(*this, x, y, [](int64_t a, int64_t b) { return a ^ b; }))
    return folded;
  return arith::XOrIOp::create(b, loc, x, y);
}

Value LaneBuilder::bitAnd(Value x, Value y) {
  if (is(x, 0))
    return x;
  if (is(y, 0))
    return y;
  if (Value folded = foldConstants(*this, x, y, [](int64_t a, int64_t b) { return a & b; }))
    return folded;
  return arith::AndIOp::create(b, loc, x, y);
}

Value LaneBuilder::shiftRight(Value x, int64_t by) {
  if (by == 0)
    return x;
  if (std::optional<int64_t> number = constantOf(x))
    return i32(static_cast<uint32_t>(*number) >> by);
  return arith::ShRUIOp::create(b, loc, x, i32(by));
}

Value LaneBuilder::divide(Value x, int64_t by) {
  if (by == 1)
    return x;
  if (llvm::isPowerOf2_64(by))
    return shiftRight(x, llvm::Log2_64(by));
  if (std::optional<int64_t> number = constantOf(x))
    return i32(static_cast<uint32_t>(*number) / by);
  return arith::DivUIOp::create(b, loc, x, i32(by));
}

Value LaneBuilder::remainder(Value x, int64_t by) {
  if (std::optional<int64_t> number = constantOf(x))
    return i32(static_cast<uint32_t>(*number) % by);
  if (llvm::isPowerOf2_64(by))
    return knownDivisor(x) % by ? bitAnd(x, i32(by - 1)) : i32(0);
  return arith::RemUIOp::create(b, loc, x, i32(by));
}

Value LaneBuilder::below(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y); }

Value LaneBuilder::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}

Value LaneBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value LaneBuilder::widen(Value value, bool isSigned) {
  if (std::optional<int64_t> number = constantOf(value))
    return i64(isSigned ? *number : int64_t(static_cast<uint32_t>(*number)));
  if (isSigned)
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
}

//===----------------------------------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------------------------------===//

Value LaneBuilder::laneId() {
  if (!lane)
    lane = atHead([&] { return rocke::LaneIdOp::create(b, loc, b.getI32Type()).getResult(); });
  return lane;
}

Value LaneBuilder::waveId() {
  if (waves == 1)
    return i32(0);
  if (!wave)
    wave = atHead([&] { return rocke::WaveIdOp::create(b, loc, b.getI32Type()).getResult(); });
  return wave;
}

// Bits that move together by one distance are moved by one shift.
Value LaneBuilder::mapBits(Value value, ArrayRef<int64_t> images) {
  Value result = i32(0);
  int64_t taken = 0;
  for (size_t first = 0; first < images.size();) {
    size_t end = first + 1;
    if (images[first] == 0) {
      first = end;
      continue;
    }
    bool single = llvm::isPowerOf2_64(images[first]);
    while (single && end < images.size() && images[end] == images[first] << (end - first))
      ++end;

    Value field = bitAnd(shiftRight(value, first), i32((int64_t(1) << (end - first)) - 1));
    Value moved = mul(field, i32(images[first]));
    int64_t bits = 0;
    for (size_t bit = first; bit < end; ++bit)
      bits |= images[bit];
    result = bits & taken ? exclusiveOr(result, moved) : add(result, moved);
    taken |= bits;
    first = end;
  }
  return result;
}

Value LaneBuilder::mapLane(ArrayRef<int64_t> images) {
  Value lanes = laneId();
  Value &known = laneImages[images.vec()];
  if (!known)
    known = atHead([&] { return mapBits(lanes, images); });
  return known;
}

Value LaneBuilder::firstOfDuplicates(int64_t duplicates) {
  if (!duplicates)
    return {};
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bitAnd(laneId(), i32(duplicates)), i32(0));
}

//===----------------------------------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------------------------------===//

Value LaneBuilder::element(Value pack, int64_t position) {
  if (!isa<VectorType>(pack.getType()))
    return pack;
  if (auto made = pack.getDefiningOp<vector::FromElementsOp>())
    return made.getElements()[position];
  return vector::ExtractOp::create(b, loc, pack, ArrayRef<int64_t>{position});
}

Value LaneBuilder::packOf(ArrayRef<Value> elements) {
  auto type = VectorType::get({int64_t(elements.size())}, elements.front().getType());
  if (elements.size() > 1 && llvm::all_equal(elements))
    return vector::BroadcastOp::create(b, loc, type, elements.front());
  return vector::FromElementsOp::create(b, loc, type, elements);
}

static int64_t widthOf(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

Values LaneBuilder::repack(ArrayRef<Value> parts, int64_t to, bool toScalars) {
  int64_t from = widthOf(parts.front());
  bool fromScalars = !isa<VectorType>(parts.front().getType());
  if (from == to && fromScalars == toScalars)
    return Values(parts);

  Values result;
  if (to == 1 || from == 1) {
    Values elements;
    for (Value part : parts)
      for (int64_t i = 0; i < from; ++i)
        elements.push_back(element(part, i));
    if (toScalars)
      return elements;
    for (ArrayRef<Value> rest = elements; !rest.empty(); rest = rest.drop_front(to))
      result.push_back(packOf(rest.take_front(to)));
    return result;
  }
  if (from > to) {
    for (Value part : parts)
      for (int64_t first = 0; first < from; first += to)
        result.push_back(
            vector::ShuffleOp::create(b, loc, part, part, llvm::to_vector(llvm::seq<int64_t>(first, first + to))));
    return result;
  }
  // Neighbours are joined until they are wide enough.
  result.assign(parts.begin(), parts.end());
  for (; from < to; from *= 2) {
    Values joined;
    for (size_t i = 0; i + 1 < result.size(); i += 2)
      joined.push_back(vector::ShuffleOp::create(b, loc, result[i], result[i + 1],
                                                 llvm::to_vector(llvm::seq<int64_t>(0, 2 * from))));
    result = std::move(joined);
  }
  return result;
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Value LaneBuilder::convert(Value value, Type to) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == to)
    return value;
  Type type = withElement(value.getType(), to);
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();

  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    if (fromBits == toBits) // f16 and bf16: neither holds the other
      return convert(convert(value, b.getF32Type()), to);
    if (fromBits < toBits)
      return arith::ExtFOp::create(b, loc, type, value);
    return arith::TruncFOp::create(b, loc, type, value);
  }
  if (isa<FloatType>(from)) {
    if (toBits == 1) // a mask is "not zero", as numpy has it
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value,
                                   arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(value.getType()))));
    Value wide = fromBits < 32 ? convert(value, b.getF32Type()) : value;
    return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr("llvm.fptosi.sat"), ValueRange{wide})
        .getResult(0);
  }
  if (isa<FloatType>(to)) {
    Type middle = toBits < 32 && fromBits > 8 ? Type(b.getF32Type()) : to;
    Type middleType = withElement(value.getType(), middle);
    Value number = fromBits == 1 ? arith::UIToFPOp::create(b, loc, middleType, value).getResult()
                                 : arith::SIToFPOp::create(b, loc, middleType, value).getResult();
    return convert(number, to);
  }
  if (toBits == 1)
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, value,
        arith::ConstantOp::create(b, loc, llvm::cast<TypedAttr>(b.getZeroAttr(value.getType()))));
  if (fromBits == 1)
    return arith::ExtUIOp::create(b, loc, type, value);
  if (fromBits < toBits)
    return arith::ExtSIOp::create(b, loc, type, value);
  return arith::TruncIOp::create(b, loc, type, value);
}

Values LaneBuilder::convert(ArrayRef<Value> values, Type element) {
  return llvm::map_to_vector(values, [&](Value value) { return convert(value, element); });
}

Value LaneBuilder::allocateLds(int64_t bytes) {
  allocations.push_back(atHead([&] {
    return rocke::LdsAllocOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), bytes, 16).getResult();
  }));
  return allocations.back();
}

int64_t LaneBuilder::ldsBytes() const {
  int64_t bytes = 0;
  for (Value allocation : allocations)
    bytes += allocation.getDefiningOp<rocke::LdsAllocOp>().getBytes();
  return bytes;
}

} // namespace wavewright::passes
