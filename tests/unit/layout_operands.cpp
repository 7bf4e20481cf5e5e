// Matrix operands: every atom's layout covers its tile, agrees with the closed formulas of AMD's calculator, and a
// relabelled K leaves the dot product unchanged.
#include "wavewright/layout/linear_layout.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace wavewright;
using namespace wavewright::layout;

namespace {
const MatrixAtom &atomOf(llvm::StringRef gfx, std::string_view name) {
  return *llvm::cantFail(findTarget(gfx))->findAtom(name);
}

/// An operand in a wave's registers: the slot of a lane that holds each element. A duplicated element must be found
/// in each of its lanes; `copies` says how many.
struct Held {
  std::map<std::pair<int, int>, std::vector<std::pair<int, int>>> places;

  explicit Held(const LinearLayout &layout) {
    for (int slot = 0; slot < layout.input("slot")->size(); ++slot)
      for (int lane = 0; lane < layout.input("lane")->size(); ++lane) {
        Coords at = layout.apply({slot, lane});
        places[{at[0], at[1]}].push_back({slot, lane});
      }
  }
};

void expectCovers(const MatrixAtom &atom, MatrixOperand operand, int rows, int cols) {
  LinearLayout layout = operandLayout(atom, operand);
  EXPECT_TRUE(layout.isSurjective()) << atom.name;
  Held held(layout);
  EXPECT_EQ(held.places.size(), size_t(rows * cols)) << atom.name;
  size_t copies = held.places.begin()->second.size();
  for (auto &[element, places] : held.places)
    EXPECT_EQ(places.size(), copies) << atom.name;
  // Duplicates differ in lane bits only, and only where the basis says so.
  size_t zeroLaneBits =
      llvm::count_if(layout.input("lane")->bases, [](const Coords &base) { return !base[0] && !base[1]; });
  EXPECT_EQ(copies, size_t(1) << zeroLaneBits) << atom.name;
  EXPECT_EQ(layout.isInjective(), zeroLaneBits == 0) << atom.name;
}

/// What a wave computes when it feeds registers laid out as `a` and `b`, k-step by k-step, to the atom: the hardware
/// reads its own names from lanes and slots, whatever the compiler believes to be there.
std::vector<int64_t> multiply(const MatrixAtom &atom, const LinearLayout &a, const LinearLayout &b,
                              const std::vector<int> &matrixA, const std::vector<int> &matrixB, int kExtent) {
  Held hardwareA(operandLayout(atom, MatrixOperand::A)), hardwareB(operandLayout(atom, MatrixOperand::B));
  int slotsA = 1 << atom.layoutA.slots.size(), slotsB = 1 << atom.layoutB.slots.size();
  auto element = [&](const Held &hardware, const LinearLayout &tile, const std::vector<int> &matrix, int row, int k,
                     int firstSlot) {
    std::optional<int> value;
    for (auto [slot, lane] : hardware.places.at({row, k})) {
      Coords at = tile.apply({firstSlot + slot, lane});
      int held = matrix[at[0] * kExtent + at[1]];
      EXPECT_TRUE(!value || *value == held) << atom.name << ": mirrored lanes differ";
      value = held;
    }
    return *value;
  };
  std::vector<int64_t> product(atom.m * atom.n, 0);
  for (int step = 0; step < kExtent / atom.k; ++step)
    for (int k = 0; k < atom.k; ++k) {
      std::vector<int> columnB(atom.n);
      for (int n = 0; n < atom.n; ++n)
        columnB[n] = element(hardwareB, b, matrixB, n, k, step * slotsB);
      for (int m = 0; m < atom.m; ++m) {
        int valueA = element(hardwareA, a, matrixA, m, k, step * slotsA);
        for (int n = 0; n < atom.n; ++n)
          product[m * atom.n + n] += int64_t(valueA) * columnB[n];
      }
    }
  return product;
}
} // namespace

TEST(OperandLayout, CoversTheTileOfEveryAtom) {
  for (const Target *target : allTargets())
    for (const MatrixAtom &atom : target->atoms) {
      expectCovers(atom, MatrixOperand::A, atom.m, atom.k);
      expectCovers(atom, MatrixOperand::B, atom.n, atom.k);
      expectCovers(atom, MatrixOperand::C, atom.m, atom.n);
      bool mirrors = target->generation == Generation::Rdna3 || target->generation == Generation::Rdna35;
      bool lowLanesOnly = atom.name == "wmma_i32_16x16x16_iu4_w64" && !mirrors;
      EXPECT_EQ(operandLayout(atom, MatrixOperand::A).isInjective(), !mirrors && !lowLanesOnly) << atom.name;
      EXPECT_TRUE(operandLayout(atom, MatrixOperand::C).isInjective()) << atom.name;
    }
}

// The rules as AMD writes them, l a lane and e a slot.
TEST(OperandLayout, AgreesWithTheClosedFormulas) {
  for (const Target *target : allTargets())
    for (const MatrixAtom &atom : target->atoms) {
      bool gfx11 = target->generation == Generation::Rdna3 || target->generation == Generation::Rdna35;
      bool gfx12 = target->generation == Generation::Rdna4, wide = atom.waveSize == 64;
      int perLane = 1 << atom.layoutA.slots.size(), bits = dtypeBits(atom.a);
      LinearLayout a = operandLayout(atom, MatrixOperand::A), c = operandLayout(atom, MatrixOperand::C);
      for (int l = 0; l < atom.waveSize; ++l) {
        for (int e = 0; e < perLane; ++e) {
          int k;
          if (atom.family == MatrixFamily::Mfma)
            k = perLane * (l / atom.m) + e;
          else if (gfx11)
            k = e;
          else if (gfx12 && !wide)
            k = bits == 16 ? e % 4 + 4 * (l / 16) + 8 * (e / 4) : e + atom.k / 2 * (l / 16);
          else if (gfx12 && bits == 16)
            k = e + 4 * (l / 16 % 2) + 8 * (l / 32);
          else if (gfx12 && bits == 8)
            k = e + 4 * (l / 32) + 8 * (l / 16 % 2);
          else if (gfx12)
            k = atom.k == 32 ? e + 8 * (l / 32) + 16 * (l / 16 % 2) : e + 8 * (l / 16 % 2);
          else { // gfx1250: runs of `run` consecutive k
            int run = bits == 32 ? 2 : bits == 16 ? 8 : 16;
            k = e % run + run * (l / 16) + 2 * run * (e / run);
          }
          ASSERT_EQ(a.apply({e, l}), (Coords{l % atom.m, k})) << target->name << " " << atom.name;
        }
        for (int e = 0; e < c.input("slot")->size(); ++e) {
          int m;
          if (atom.d == DType::F64)
            m = l / 16 + 4 * e;
          else if (atom.family == MatrixFamily::Mfma)
            m = atom.m == 16 ? 4 * (l / 16) + e : e % 4 + 4 * (l / 32) + 8 * (e / 4);
          else if (gfx11)
            m = wide ? 4 * e + l / 16 : 2 * e + l / 16;
          else
            m = wide ? e + 4 * (l / 32) + 8 * (l / 16 % 2) : e + 8 * (l / 16);
          ASSERT_EQ(c.apply({e, l}), (Coords{m, l % atom.n})) << target->name << " " << atom.name;
        }
      }
    }
}

TEST(OperandTileLayout, DotProductsAreUnchanged) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> values(-100, 100);
  int simulated = 0;
  for (const Target *target : allTargets())
    for (const MatrixAtom &atom : target->atoms)
      for (int kExtent : {atom.k, 2 * atom.k, 4 * atom.k})
        for (int kWidth : {1, 2, 4, 8, 16}) {
          if (kExtent > 128)
            continue;
          std::vector<int> a(atom.m * kExtent), b(atom.n * kExtent);
          for (int &value : a)
            value = values(random);
          for (int &value : b)
            value = values(random);
          std::vector<int64_t> expected(atom.m * atom.n, 0);
          for (int m = 0; m < atom.m; ++m)
            for (int n = 0; n < atom.n; ++n)
              for (int k = 0; k < kExtent; ++k)
                expected[m * atom.n + n] += int64_t(a[m * kExtent + k]) * b[n * kExtent + k];
          LinearLayout tileA = operandTileLayout(atom, MatrixOperand::A, kExtent, kWidth);
          LinearLayout tileB = operandTileLayout(atom, MatrixOperand::B, kExtent, kWidth);
          ASSERT_TRUE(tileA.isSurjective()) << atom.name;
          ASSERT_EQ(multiply(atom, tileA, tileB, a, b, kExtent), expected)
              << target->name << " " << atom.name << ", K " << kExtent << ", width " << kWidth << ": " << tileA.str();
          ++simulated;
        }
  EXPECT_GT(simulated, 1000);
}

// The simulation above must be able to fail: A and B relabelled differently do not multiply.
TEST(OperandTileLayout, ADifferentPermutationOfBIsNoticed) {
  const MatrixAtom &atom = atomOf("gfx942", "mfma_f32_16x16x16_bf16");
  std::vector<int> a(16 * 32), b(16 * 32);
  std::mt19937 random(3);
  for (int &value : a)
    value = int(random() % 100);
  for (int &value : b)
    value = int(random() % 100);
  LinearLayout wide = operandTileLayout(atom, MatrixOperand::A, 32, 8);
  LinearLayout other = operandTileLayout(atom, MatrixOperand::B, 32, 4);
  LinearLayout same = operandTileLayout(atom, MatrixOperand::B, 32, 8);
  EXPECT_NE(multiply(atom, wide, other, a, b, 32), multiply(atom, wide, same, a, b, 32));
}

TEST(OperandTileLayout, KnownCases) {
  auto tile = [](llvm::StringRef gfx, std::string_view atom, int kExtent, int kWidth) {
    return operandTileLayout(atomOf(gfx, atom), MatrixOperand::A, kExtent, kWidth).str();
  };
  // One b128 read feeds two MFMA.
  EXPECT_EQ(tile("gfx942", "mfma_f32_16x16x16_bf16", 32, 8),
            "slot: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,16) -> row 16, col 32");
  EXPECT_EQ(tile("gfx942", "mfma_f32_16x16x16_bf16", 64, 8),
            "slot: (0,1) (0,2) (0,4) (0,32); lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,16) -> row 16, col 64");
  EXPECT_EQ(tile("gfx942", "mfma_f32_16x16x16_bf16", 16, 8), // clamped: 16 k over four lanes
            "slot: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8) -> row 16, col 16");
  // The calculator's names of k become contiguous.
  EXPECT_EQ(tile("gfx1201", "wmma_f32_16x16x16_bf16", 16, 8),
            "slot: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> row 16, col 16");
  EXPECT_EQ(tile("gfx1201", "wmma_f32_16x16x16_bf16", 16, 4),
            "slot: (0,1) (0,2) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> row 16, col 16");
  // gfx11 holds 16 k a lane whatever is asked for.
  EXPECT_EQ(tile("gfx1100", "wmma_f32_16x16x16_f16", 32, 8),
            "slot: (0,1) (0,2) (0,4) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> row 16, col 32");
}

TEST(OperandTileLayout, HoldsTheWidthThatWasAskedFor) {
  for (const Target *target : allTargets())
    for (const MatrixAtom &atom : target->atoms)
      for (int kExtent = atom.k; kExtent <= 4 * atom.k; kExtent *= 2)
        for (int kWidth : {1, 4, 8, 16}) {
          LinearLayout layout = operandTileLayout(atom, MatrixOperand::A, kExtent, kWidth);
          int possible = std::min(kWidth, layout.input("slot")->size());
          EXPECT_GE(consecutiveElements(layout, "col"), possible) << atom.name;
        }
}

TEST(OperandTileLayout, OfTheAccumulatorIsTheAtoms) {
  const MatrixAtom &atom = atomOf("gfx950", "mfma_f32_32x32x16_bf16");
  EXPECT_EQ(operandTileLayout(atom, MatrixOperand::C, 64, 8), operandLayout(atom, MatrixOperand::C));
}

TEST(ConsecutiveElements, NeedsEverythingElseToMoveByWholeVectors) {
  LinearLayout straight({{"row", 4}, {"col", 16}}, {{"slot", {{0, 1}, {0, 2}, {2, 0}}}, {"lane", {{0, 4}, {1, 0}}}});
  EXPECT_EQ(consecutiveElements(straight, "col"), 4);
  EXPECT_EQ(consecutiveElements(straight, "row"), 1);
  // Lane bit 0 turns the vector round: only pairs stay consecutive.
  LinearLayout reversed({{"row", 4}, {"col", 16}}, {{"slot", {{0, 1}, {0, 2}}}, {"lane", {{0, 6}, {1, 0}}}});
  EXPECT_EQ(consecutiveElements(reversed, "col"), 2);
  LinearLayout swapped({{"row", 4}, {"col", 16}}, {{"slot", {{0, 2}, {0, 1}}}, {"lane", {}}});
  EXPECT_EQ(consecutiveElements(swapped, "col"), 1);
  EXPECT_EQ(consecutiveElements(straight, "depth"), 1);
}

TEST(BlockedLayout, VectorsFirstThenColumnsThenRows) {
  EXPECT_EQ(blockedLayout(16, 64, 8, 32).str(), "slot: (0,1) (0,2) (0,4) (4,0) (8,0); "
                                                "lane: (0,8) (0,16) (0,32) (1,0) (2,0) -> row 16, col 64");
  // A block smaller than the wave's reach leaves lanes that repeat others.
  EXPECT_EQ(blockedLayout(2, 16, 8, 8).str(), "slot: (0,1) (0,2) (0,4); lane: (0,8) (1,0) (0,0) -> row 2, col 16");
  EXPECT_EQ(blockedLayout(1, 4, 8, 4).str(), "slot: (0,1) (0,2); lane: (0,0) (0,0) -> row 1, col 4");
  for (int rows : {1, 16, 128})
    for (int cols : {1, 8, 128})
      for (int vector : {1, 4, 8})
        for (int waveSize : {32, 64}) {
          LinearLayout layout = blockedLayout(rows, cols, vector, waveSize);
          EXPECT_TRUE(layout.isSurjective());
          EXPECT_EQ(layout.isInjective(), rows * cols >= waveSize * std::min(vector, cols));
          EXPECT_GE(consecutiveElements(layout, "col"), std::min(vector, cols));
        }
}
