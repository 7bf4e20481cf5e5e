//===- layout/operands.cpp - register layouts of matrix operands and of memory accesses -----------===//
#include "wavewright/layout/linear_layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace wavewright::layout {

namespace {
const OperandBases &basesOf(const MatrixAtom &atom, MatrixOperand operand) {
  switch (operand) {
  case MatrixOperand::A:
    return atom.layoutA;
  case MatrixOperand::B:
    return atom.layoutB;
  case MatrixOperand::C:
    break;
  }
  return atom.layoutD;
}

std::vector<Coords> imagesOf(std::span<const BasisPair> pairs) {
  std::vector<Coords> images;
  for (BasisPair pair : pairs)
    images.push_back({pair.d0, pair.d1});
  return images;
}

/// How many k a lane holds consecutively in its first slots, as a number of bits.
unsigned ownRunBits(const OperandBases &bases) {
  unsigned bits = 0;
  while (bits < bases.slots.size() && bases.slots[bits].d0 == 0 && bases.slots[bits].d1 == 1 << bits)
    ++bits;
  return bits;
}

/// The K bits of the atom, by log2, that pick a lane.
llvm::SmallVector<unsigned, 4> laneKBits(const OperandBases &bases) {
  llvm::SmallVector<unsigned, 4> bits;
  for (BasisPair image : bases.lanes)
    if (image.d1) {
      assert(image.d0 == 0 && llvm::isPowerOf2_32(image.d1) && "a lane bit of an operand is a row or a K bit");
      bits.push_back(llvm::Log2_32(image.d1));
    }
  llvm::sort(bits);
  return bits;
}
} // namespace

LinearLayout operandLayout(const MatrixAtom &atom, MatrixOperand operand) {
  assert(atom.blocks == 1 && "atoms of several blocks have no two-dimensional layout");
  const OperandBases &bases = basesOf(atom, operand);
  int rows = operand == MatrixOperand::B ? atom.n : atom.m;
  int cols = operand == MatrixOperand::C ? atom.n : atom.k;
  return LinearLayout({{"row", rows}, {"col", cols}},
                      {{"slot", imagesOf(bases.slots)}, {"lane", imagesOf(bases.lanes)}});
}

// The hardware multiplies what A and B hold under the same name k of the atom, and sums over all names and k-steps.
// Any bijection from (k-step, k of the atom) to the tile's K is as good as any other, as long as A and B use the same
// one. So it is made once, from A's layout, as a relabelling of K bits, and applied to whichever operand is asked for.
LinearLayout operandTileLayout(const MatrixAtom &atom, MatrixOperand operand, int kExtent, int kWidth) {
  if (operand == MatrixOperand::C)
    return operandLayout(atom, operand);
  assert(llvm::isPowerOf2_32(kExtent) && kExtent >= atom.k && "a tile's K is a power of two multiple of the atom's");
  assert(llvm::isPowerOf2_32(kWidth) && "a width is a power of two");

  llvm::SmallVector<unsigned, 4> laneBits = laneKBits(atom.layoutA);
  unsigned slotBits = atom.layoutA.slots.size(), kBits = llvm::Log2_32(atom.k), tileBits = llvm::Log2_32(kExtent);
  assert(slotBits + laneBits.size() == kBits && "A holds nothing but K in its slots");
  unsigned width = std::clamp(llvm::Log2_32(kWidth), ownRunBits(atom.layoutA), unsigned(tileBits - laneBits.size()));

  // The tile's K bits from low to high: `width` slot bits, the lane bits, the slot bits that are left.
  auto tileBitOfSlot = [&](unsigned slot) -> int32_t { return 1 << (slot < width ? slot : slot + laneBits.size()); };
  llvm::SmallVector<int32_t, 8> relabelled(kBits); // by K bit of the atom
  for (auto [slot, image] : llvm::enumerate(atom.layoutA.slots))
    relabelled[llvm::Log2_32(image.d1)] = tileBitOfSlot(slot);
  for (auto [i, bit] : llvm::enumerate(laneBits))
    relabelled[bit] = 1 << (width + i);

  const OperandBases &bases = basesOf(atom, operand);
  auto relabel = [&](std::span<const BasisPair> pairs) {
    std::vector<Coords> images = imagesOf(pairs);
    for (Coords &image : images)
      if (image[1])
        image[1] = relabelled[llvm::Log2_32(image[1])];
    return images;
  };
  std::vector<Coords> slots = relabel(bases.slots);
  for (unsigned step = 0; step < tileBits - kBits; ++step)
    slots.push_back({0, tileBitOfSlot(slotBits + step)});
  return LinearLayout({{"row", operand == MatrixOperand::A ? atom.m : atom.n}, {"col", kExtent}},
                      {{"slot", std::move(slots)}, {"lane", relabel(bases.lanes)}});
}

int consecutiveElements(const LinearLayout &registers, llvm::StringRef dim) {
  std::optional<unsigned> position = registers.output(dim);
  const InputSpace *slots = registers.input("slot");
  if (!position || !slots)
    return 1;

  auto extends = [&](unsigned bit) {
    const Coords &base = slots->bases[bit];
    for (size_t i = 0; i < base.size(); ++i)
      if (base[i] != (i == *position ? 1 << bit : 0))
        return false;
    return true;
  };
  unsigned run = 0;
  while (run < slots->bases.size() && extends(run))
    ++run;

  // What else moves along the dimension must move by whole vectors.
  for (const InputSpace &space : registers.inputs())
    for (auto [bit, base] : llvm::enumerate(space.bases))
      if (base[*position] && !(&space == slots && bit < run))
        run = std::min<unsigned>(run, llvm::countr_zero(uint32_t(base[*position])));
  return 1 << run;
}

LinearLayout blockedLayout(int rows, int cols, int vector, int waveSize) {
  assert(llvm::isPowerOf2_32(rows) && llvm::isPowerOf2_32(cols) && llvm::isPowerOf2_32(vector) &&
         llvm::isPowerOf2_32(waveSize) && "extents are powers of two");
  // The block's bits, columns first; a bit taken from here is used up.
  int col = 1, row = 1;
  auto takeBit = [&]() -> std::optional<Coords> {
    if (col < cols) {
      col *= 2;
      return Coords{0, col / 2};
    }
    if (row < rows) {
      row *= 2;
      return Coords{row / 2, 0};
    }
    return std::nullopt;
  };

  InputSpace slots = {"slot", {}}, lanes = {"lane", {}};
  for (int width = 1; width < std::min(vector, cols); width *= 2)
    slots.bases.push_back(*takeBit());
  for (int lane = 1; lane < waveSize; lane *= 2)
    lanes.bases.push_back(takeBit().value_or(Coords{0, 0}));
  while (std::optional<Coords> rest = takeBit())
    slots.bases.push_back(*rest);
  return LinearLayout({{"row", rows}, {"col", cols}}, {std::move(slots), std::move(lanes)});
}

} // namespace wavewright::layout
