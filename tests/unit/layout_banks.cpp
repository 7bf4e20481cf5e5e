// Bank conflicts: the proof by rank agrees with counting lane by lane, and the chosen swizzles remove them.
#include "wavewright/layout/linear_layout.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

using namespace wavewright;
using namespace wavewright::layout;

namespace {
const Target &chip(llvm::StringRef name) { return *llvm::cantFail(findTarget(name)); }

/// Straight from the rule: a phase takes as many cycles as its fullest bank has distinct dwords.
int countCycles(const LinearLayout &toByte, const Target &target, Access access, int bytes) {
  int cycles = 0;
  for (const LdsPhases &table : target.lds.phases) {
    if (table.access != access || table.bytes != bytes)
      continue;
    int lanes = toByte.input("lane")->size();
    for (int half = 0; half < std::max(lanes / target.waveSize, 1); ++half)
      for (const auto &phase : table.lanes) {
        std::map<int, std::set<int>> banks;
        for (uint8_t lane : phase)
          if (lane != 0xff) {
            int byte = toByte.apply({(lane + half * target.waveSize) % lanes})[0];
            for (int dword = byte / 4; dword < (byte + bytes) / 4; ++dword)
              banks[dword % table.banks].insert(dword);
          }
        size_t fullest = 0;
        for (auto &[bank, dwords] : banks)
          fullest = std::max(fullest, dwords.size());
        cycles += int(fullest);
      }
  }
  return cycles;
}

LinearLayout laneToByte(std::vector<Coords> bases) {
  return LinearLayout({{"byte", 65536}}, {{"lane", std::move(bases)}});
}

LinearLayout rowMajor(int rows, int cols, int elementBytes) {
  InputSpace row = {"row", {}}, col = {"col", {}};
  for (int bit = 1; bit < rows; bit *= 2)
    row.bases.push_back({bit * cols * elementBytes});
  for (int bit = 1; bit < cols; bit *= 2)
    col.bases.push_back({bit * elementBytes});
  return LinearLayout({{"byte", rows * cols * elementBytes}}, {row, col});
}

/// The same registers as a part of a tile of `rows` rows.
LinearLayout widen(const LinearLayout &registers, int rows) {
  return LinearLayout({{"row", rows}, registers.outputs()[1]}, std::vector<InputSpace>(registers.inputs()));
}

BankReport report(const LinearLayout &registers, const LinearLayout &shared, const Target &target, Access access,
                  int bytes) {
  return bankConflicts(registers.restrict({"lane"}).compose(shared), target, access, bytes);
}
} // namespace

TEST(BankConflicts, AgreeWithCountingOnRandomMaps) {
  std::mt19937 random(11);
  int proved = 0, counted = 0, conflicting = 0;
  for (int round = 0; round < 300; ++round)
    for (const Target *target : allTargets())
      for (Access access : {Access::Read, Access::Write})
        for (int bytes : {4, 8, 12, 16}) {
          // Aligned maps can be proved; those aligned to a dword only cannot.
          int unit = round % 3 == 0 || bytes == 12 ? 4 : bytes;
          std::vector<Coords> bases;
          for (int lane = 1; lane < target->waveSize; lane *= 2)
            bases.push_back({int32_t(random() % (1024 / unit)) * unit});
          LinearLayout map = laneToByte(bases);
          BankReport got = bankConflicts(map, *target, access, bytes);
          ASSERT_EQ(got.cycles, countCycles(map, *target, access, bytes))
              << target->name << " " << bytes << ": " << map.str();
          ASSERT_GE(got.conflicts(), 0);
          ++(got.proved ? proved : counted);
          conflicting += got.conflicts() > 0;
        }
  EXPECT_GT(proved, 1000);
  EXPECT_GT(counted, 1000);
  EXPECT_GT(conflicting, 1000);
}

TEST(BankConflicts, KnownPatterns) {
  const Target &rx = chip("gfx1100");
  // Consecutive dwords: one cycle. Every lane the same dword: a broadcast. A stride of 32 dwords: 32 cycles.
  EXPECT_EQ(bankConflicts(laneToByte({{4}, {8}, {16}, {32}, {64}}), rx, Access::Read, 4).cycles, 1);
  EXPECT_EQ(bankConflicts(laneToByte({{0}, {0}, {0}, {0}, {0}}), rx, Access::Read, 4).cycles, 1);
  BankReport worst = bankConflicts(laneToByte({{128}, {256}, {512}, {1024}, {2048}}), rx, Access::Read, 4);
  EXPECT_EQ(worst.cycles, 32);
  EXPECT_EQ(worst.conflicts(), 31);
  EXPECT_TRUE(worst.proved);
  // b128 of consecutive lanes: four phases of eight lanes.
  BankReport wide = bankConflicts(laneToByte({{16}, {32}, {64}, {128}, {256}}), rx, Access::Read, 16);
  EXPECT_EQ(wide.phases, 4);
  EXPECT_EQ(wide.conflicts(), 0);
}

TEST(BankConflicts, AWave64OnRdnaIsServedTwice) {
  BankReport got =
      bankConflicts(laneToByte({{16}, {32}, {64}, {128}, {256}, {512}}), chip("gfx1201"), Access::Read, 16);
  EXPECT_EQ(got.phases, 8);
  EXPECT_EQ(got.cycles, 8);
}

TEST(BankConflicts, NarrowAccessesCostADword) {
  // Two lanes share each dword of a row of 16-bit elements.
  EXPECT_EQ(bankConflicts(laneToByte({{2}, {4}, {8}, {16}, {32}}), chip("gfx1100"), Access::Write, 2).cycles, 1);
  EXPECT_EQ(bankConflicts(laneToByte({{2}, {128}, {256}, {512}, {1024}}), chip("gfx1100"), Access::Write, 2).cycles,
            16);
}

TEST(BankConflicts, WideReadsOfCdnaFollowItsOwnPhases) {
  // Lanes 0-3 and 20-23 are served together, so lanes that are 20 apart must not collide; lanes 4 apart may.
  LinearLayout map = laneToByte({{16}, {32}, {0x400}, {0x800}, {64 ^ 0x400}, {0x1000}});
  EXPECT_EQ(bankConflicts(map, chip("gfx942"), Access::Read, 16).conflicts(), 0);
  EXPECT_GT(bankConflicts(map, chip("gfx1100"), Access::Read, 16).conflicts(), 0);
}

// A 128 x 32 tile of bf16, rows of 64 bytes, read by the matrix operand and written by rows.
TEST(ChooseSwizzle, RemovesTheConflictsOfA64ByteRow) {
  const Target &rx = chip("gfx1100");
  LinearLayout load = operandTileLayout(*rx.findAtom("wmma_f32_16x16x16_bf16"), MatrixOperand::A, 32, 8);
  LinearLayout store = blockedLayout(8, 32, 8, 32);
  EXPECT_GT(report(widen(load, 128), rowMajor(128, 32, 2), rx, Access::Read, 16).conflicts(), 0);
  LinearLayout shared = chooseSwizzle(store, load, rx, 128, 32, 2, 16);
  EXPECT_TRUE(shared.isInjective());
  BankReport read = report(widen(load, 128), shared, rx, Access::Read, 16);
  EXPECT_EQ(read.conflicts(), 0);
  EXPECT_TRUE(read.proved);
  EXPECT_EQ(report(widen(store, 128), shared, rx, Access::Write, 16).conflicts(), 0);
}

TEST(ChooseSwizzle, LeavesAloneWhatHasNoConflicts) {
  const Target &rx = chip("gfx1100");
  LinearLayout rows = blockedLayout(16, 128, 8, 32);
  EXPECT_EQ(chooseSwizzle(rows, rows, rx, 128, 128, 2, 16), rowMajor(128, 128, 2));
}

TEST(ChooseSwizzle, OriginsOfSixteenRowsAddPlainly) {
  for (const Target *target : allTargets())
    for (int cols : {16, 32, 64, 128}) {
      LinearLayout load = blockedLayout(target->waveSize, cols, cols, target->waveSize); // a row a lane: much conflict
      LinearLayout shared =
          chooseSwizzle(blockedLayout(16, cols, 8, target->waveSize), load, *target, 128, cols, 2, 16);
      for (int row = 0; row < 16; ++row)
        for (int col = 0; col < cols; ++col)
          for (int origin = 0; origin < 128; origin += 16)
            ASSERT_EQ(shared.apply({origin + row, col})[0], origin * cols * 2 + shared.apply({row, col})[0]);
      // Vectors of 16 bytes stay whole.
      for (int col = 0; col < cols; ++col)
        ASSERT_EQ(shared.apply({5, col})[0] % 16, col * 2 % 16);
    }
}

// Every 16 and 32-bit atom of every chip, tiles of 128 rows: reads of the operand and writes by rows have no conflicts.
TEST(ChooseSwizzle, OperandReadsAreFreeOfConflicts) {
  int proved = 0;
  for (const Target *target : allTargets())
    for (const MatrixAtom &atom : target->atoms) {
      int elementBytes = dtypeBits(atom.a) / 8;
      if (atom.waveSize != target->waveSize || (elementBytes != 2 && elementBytes != 4))
        continue;
      for (MatrixOperand operand : {MatrixOperand::A, MatrixOperand::B})
        for (int cols : {16, 32, 64, 128}) {
          if (cols < atom.k)
            continue;
          int vector = 16 / elementBytes, rows = 128;
          LinearLayout load = operandTileLayout(atom, operand, cols, vector);
          LinearLayout store =
              blockedLayout(std::max(16, target->waveSize * vector / cols), cols, vector, target->waveSize);
          LinearLayout shared = chooseSwizzle(store, load, *target, rows, cols, elementBytes, 16);
          int readBytes = std::min(16, consecutiveElements(load, "col") * elementBytes);
          BankReport read = report(widen(load, rows), shared, *target, Access::Read, readBytes);
          BankReport write = report(widen(store, rows), shared, *target, Access::Write, 16);
          std::string where = std::string(target->name) + " " + std::string(atom.name) + ", K " + std::to_string(cols);
          EXPECT_EQ(write.conflicts(), 0) << where;
          // Sixteen lanes read 8 bytes each of sixteen rows of 32 bytes: granules of 16 bytes cannot spread them over
          // all banks, and finer ones would break the 16-byte writes.
          bool narrowRows = target->name == "gfx942" && cols * elementBytes == 32 && readBytes == 8;
          EXPECT_EQ(read.conflicts(), narrowRows ? 4 : 0) << where;
          EXPECT_EQ(read.cycles,
                    countCycles(widen(load, rows).restrict({"lane"}).compose(shared), *target, Access::Read, readBytes))
              << where;
          proved += read.proved;
        }
    }
  EXPECT_GT(proved, 200);
}
