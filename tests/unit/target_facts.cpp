// The chips' tables: identity, registers, occupancy ladders, LDS phases, matrix atoms against their shapes.
#include "wavewright/target/target.h"

#include "llvm/BinaryFormat/ELF.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

using namespace wavewright;

namespace {
const Target &chip(llvm::StringRef name) {
  llvm::Expected<const Target *> found = findTarget(name);
  if (!found) {
    ADD_FAILURE() << llvm::toString(found.takeError());
    std::abort();
  }
  return **found;
}

std::string refusal(llvm::StringRef name) {
  llvm::Expected<const Target *> found = findTarget(name);
  return found ? "" : takeFailure(found.takeError()).message;
}

int waves(const Target &target, int vgprs, int waveSize = 0) {
  return target.occupancy(vgprs, 16, 0, 64, waveSize).wavesPerSimd;
}
} // namespace

TEST(FindTarget, KnowsEveryChipByNameAndByElfMachine) {
  const char *names[] = {"gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201", "gfx1250"};
  ASSERT_EQ(allTargets().size(), std::size(names));
  for (auto [i, target] : llvm::enumerate(allTargets())) {
    EXPECT_EQ(target->name, names[i]);
    EXPECT_EQ(&chip(names[i]), target);
    EXPECT_EQ(findTargetByElfMachine(target->elfMachine), target);
  }
  EXPECT_EQ(findTargetByElfMachine(llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A), nullptr);
  EXPECT_EQ(chip("gfx940").name, "gfx942");
}

TEST(FindTarget, NamesTheNearestChips) {
  EXPECT_NE(refusal("gfx1200").find("nearest are gfx1201"), std::string::npos) << refusal("gfx1200");
  EXPECT_NE(refusal("GFX95").find("nearest are gfx950"), std::string::npos) << refusal("GFX95");
  EXPECT_NE(refusal("").find("gfx1250"), std::string::npos);
}

TEST(Names, OfTypesAndGenerations) {
  EXPECT_EQ(dtypeName(DType::F64), "f64");
  EXPECT_EQ(dtypeName(DType::BF16), "bf16");
  EXPECT_EQ(dtypeName(DType::XF32), "xf32");
  EXPECT_EQ(dtypeName(DType::I1), "i1");
  EXPECT_EQ(dtypeBits(DType::FP6), 6u);
  EXPECT_EQ(dtypeBits(DType::I4), 4u);
  EXPECT_EQ(dtypeBits(DType::U16), 16u);
  EXPECT_EQ(generationName(chip("gfx1151").generation), "RDNA3.5");
}

// The most registers with which a SIMD still holds so many waves; one more register must cost a wave.
TEST(Occupancy, LaddersOfVectorRegisters) {
  using Ladder = std::map<int, int>;
  const Ladder cdna = {{8, 64}, {7, 72}, {6, 80}, {5, 96}, {4, 128}, {3, 168}, {2, 256}, {1, 512}};
  const Ladder rdna32 = {{16, 96}, {12, 120}, {10, 144}, {9, 168}, {8, 192}, {7, 216}, {6, 240}, {5, 256}};
  const Ladder rdna64 = {{16, 48}, {12, 60}, {10, 72}, {9, 84},  {8, 96}, {7, 108},
                         {6, 120}, {5, 144}, {4, 192}, {3, 252}, {2, 256}};
  const Ladder cdna5 = {{16, 64}, {12, 80}, {10, 96}, {9, 112}, {8, 128}, {7, 144},
                        {6, 160}, {5, 192}, {4, 256}, {3, 336}, {2, 512}, {1, 1024}};
  struct Row {
    const char *name;
    int waveSize;
    const Ladder &ladder;
  };
  const Row rows[] = {{"gfx942", 64, cdna},    {"gfx950", 64, cdna},    {"gfx1100", 32, rdna32},
                      {"gfx1151", 32, rdna32}, {"gfx1201", 32, rdna32}, {"gfx1100", 64, rdna64},
                      {"gfx1151", 64, rdna64}, {"gfx1201", 64, rdna64}, {"gfx1250", 32, cdna5}};
  for (const Row &row : rows) {
    const Target &target = chip(row.name);
    for (auto [count, most] : row.ladder) {
      EXPECT_EQ(waves(target, most, row.waveSize), count) << row.name << " wave" << row.waveSize << ", " << most;
      // What is allocated is rounded up, so one register more is one past the rounded number.
      int granule = target.registers.vgprGranule * target.waveSize / row.waveSize;
      int next = (most + granule - 1) / granule * granule + 1;
      EXPECT_LT(waves(target, next, row.waveSize), count) << row.name << ", " << next;
    }
    // Between two steps of the ladder nothing changes, and there is always room below the largest count.
    for (int vgprs = 1; vgprs <= target.registers.maxVgprsPerWave; ++vgprs) {
      int count = waves(target, vgprs, row.waveSize);
      ASSERT_TRUE(row.ladder.count(count)) << row.name << ": " << vgprs << " gives " << count;
      EXPECT_LE(vgprs, row.ladder.at(count));
    }
  }
}

TEST(Occupancy, SaysWhatLimits) {
  const Target &mi300 = chip("gfx942");
  EXPECT_EQ(mi300.occupancy(32, 32, 0, 256).limit, "waves");
  EXPECT_EQ(mi300.occupancy(65, 32, 0, 256).limit, "VGPRs");
  EXPECT_EQ(mi300.occupancy(513, 32, 0, 256).wavesPerSimd, 0);
  // 94 explicit SGPRs and 6 reserved ones give eight waves, 95 seven, and it never gets worse.
  EXPECT_EQ(mi300.occupancy(32, 100, 0, 256).wavesPerSimd, 8);
  EXPECT_EQ(mi300.occupancy(32, 101, 0, 256).wavesPerSimd, 7);
  EXPECT_EQ(mi300.occupancy(32, 108, 0, 256).wavesPerSimd, 7);
  EXPECT_EQ(mi300.occupancy(32, 101, 0, 256).limit, "SGPRs");
  EXPECT_EQ(chip("gfx1100").occupancy(32, 106, 0, 256).limit, "waves");
  // Groups are resident as a whole.
  EXPECT_EQ(mi300.occupancy(512, 32, 0, 1024).limit, "work-group size");
  EXPECT_EQ(mi300.occupancy(512, 32, 0, 1024).wavesPerSimd, 0);
  EXPECT_EQ(mi300.occupancy(32, 32, 0, 1025).limit, "work-group size");
}

TEST(Occupancy, OfTheLdsPool) {
  const Target &mi300 = chip("gfx942"), &mi350 = chip("gfx950"), &rx7900 = chip("gfx1100");
  auto of = [](const Target &target, int bytes, int group) { return target.occupancy(32, 32, bytes, group); };
  EXPECT_EQ(of(mi300, 65536, 256).wavesPerSimd, 1);
  EXPECT_EQ(of(mi300, 32768, 256).wavesPerSimd, 2);
  EXPECT_EQ(of(mi300, 32769, 256).wavesPerSimd, 1); // the granule
  EXPECT_EQ(of(mi300, 32769, 256).limit, "LDS");
  EXPECT_EQ(of(mi300, 65537, 256).wavesPerSimd, 0);
  // 160 KB in units of 1280 bytes: 81920 is 64 units, so two groups fit.
  EXPECT_EQ(of(mi350, 81920, 256).wavesPerSimd, 2);
  EXPECT_EQ(of(mi350, 163840, 256).wavesPerSimd, 1);
  EXPECT_EQ(of(mi350, 163841, 256).wavesPerSimd, 0);
  // Two groups of 64 KB share the 128 KB of a WGP: 16 waves on four SIMDs.
  EXPECT_EQ(of(rx7900, 65536, 256).wavesPerSimd, 4);
  EXPECT_EQ(of(rx7900, 65537, 256).wavesPerSimd, 0);
  // A group of one wave is still a wave on some SIMD.
  EXPECT_EQ(of(rx7900, 65536, 32).wavesPerSimd, 1);
}

TEST(Occupancy, OfAWaveSizeThatTheChipLacksIsZero) {
  EXPECT_EQ(chip("gfx942").occupancy(32, 32, 0, 64, 32).wavesPerSimd, 0);
  EXPECT_EQ(chip("gfx1250").occupancy(32, 32, 0, 64, 64).wavesPerSimd, 0);
}

TEST(Lds, EveryPhaseTablePartitionsTheWave) {
  for (const Target *target : allTargets()) {
    std::set<std::pair<int, Access>> seen;
    for (const LdsPhases &table : target->lds.phases) {
      EXPECT_TRUE(seen.insert({table.bytes, table.access}).second) << target->name;
      std::multiset<int> lanes;
      size_t perPhase = 0;
      for (const auto &phase : table.lanes) {
        size_t count = 0;
        for (uint8_t lane : phase)
          if (lane != 0xff) {
            lanes.insert(lane);
            ++count;
          }
        EXPECT_TRUE(perPhase == 0 || count == perPhase) << target->name;
        perPhase = count;
      }
      std::multiset<int> wave;
      for (int lane = 0; lane < target->waveSize; ++lane)
        wave.insert(lane);
      EXPECT_EQ(lanes, wave) << target->name << ", " << table.bytes << " bytes";
      // What a phase moves fits the banks, so one cycle a phase is possible.
      EXPECT_LE(perPhase * table.bytes, size_t(table.banks) * 4) << target->name << ", " << table.bytes << " bytes";
      EXPECT_LE(table.banks, target->lds.banks);
    }
    EXPECT_EQ(seen.size(), 8u) << target->name << ": 4, 8, 12 and 16 bytes, read and written";
  }
}

TEST(Lds, PhasesOfWideReads) {
  auto firstPhase = [](const Target &target, int bytes) {
    std::set<int> lanes;
    for (const LdsPhases &table : target.lds.phases)
      if (table.bytes == bytes && table.access == Access::Read)
        for (uint8_t lane : table.lanes[0])
          if (lane != 0xff)
            lanes.insert(lane);
    return lanes;
  };
  EXPECT_EQ(firstPhase(chip("gfx942"), 16), (std::set<int>{0, 1, 2, 3, 20, 21, 22, 23}));
  EXPECT_EQ(firstPhase(chip("gfx950"), 16),
            (std::set<int>{0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27}));
  EXPECT_EQ(firstPhase(chip("gfx1201"), 16), (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Atoms, NamesAreUniqueAndFound) {
  for (const Target *target : allTargets()) {
    std::set<std::string_view> names;
    for (const MatrixAtom &atom : target->atoms) {
      EXPECT_TRUE(names.insert(atom.name).second) << target->name << ": " << atom.name;
      EXPECT_EQ(target->findAtom(atom.name), &atom);
      EXPECT_TRUE(llvm::StringRef(atom.intrinsic).starts_with("llvm.amdgcn.")) << atom.name;
      EXPECT_EQ(atom.name.ends_with("_w64"), atom.waveSize != target->waveSize) << atom.name;
    }
    EXPECT_EQ(target->findAtom("mfma_f32_7x7x7_f16"), nullptr);
  }
  EXPECT_NE(chip("gfx942").findAtom("mfma_f32_16x16x16_bf16"), nullptr);
  EXPECT_NE(chip("gfx942").findAtom("mfma_f32_32x32x8_bf16"), nullptr);
  EXPECT_NE(chip("gfx950").findAtom("mfma_f32_16x16x32_bf16"), nullptr);
  EXPECT_NE(chip("gfx950").findAtom("mfma_f32_32x32x16_f16"), nullptr);
  EXPECT_NE(chip("gfx1100").findAtom("wmma_f32_16x16x16_f16"), nullptr);
  EXPECT_NE(chip("gfx1201").findAtom("wmma_f32_16x16x16_f16_w64"), nullptr);
  EXPECT_EQ(chip("gfx950").findAtom("mfma_f32_16x16x8_xf32"), nullptr);
}

// Registers that an operand takes follow from its shape: elements a lane, in bits, in whole registers.
TEST(Atoms, RegisterWidthsFollowFromTheLayouts) {
  for (const Target *target : allTargets())
    for (const MatrixAtom &atom : target->atoms) {
      auto registers = [](const OperandBases &bases, DType type) {
        return int((dtypeBits(type) << bases.slots.size()) + 31) / 32;
      };
      EXPECT_EQ(atom.vgprsA, registers(atom.layoutA, atom.a)) << atom.name;
      EXPECT_EQ(atom.vgprsB, registers(atom.layoutB, atom.b)) << atom.name;
      // gfx11 keeps a 16-bit C or D element in half of a register.
      bool halfUsed = (target->generation == Generation::Rdna3 || target->generation == Generation::Rdna35) &&
                      dtypeBits(atom.d) == 16;
      EXPECT_EQ(atom.vgprsD, registers(atom.layoutD, halfUsed ? DType::I32 : atom.d)) << atom.name;
      EXPECT_EQ(1 << atom.layoutA.lanes.size(), atom.waveSize) << atom.name;
      EXPECT_EQ(1 << atom.layoutD.lanes.size(), atom.waveSize) << atom.name;
      EXPECT_GT(atom.cycles, 0) << atom.name;
    }
}

// The peak that the data sheets print: 2 M N K / cycles for each matrix unit of a CU or WGP, times units and clock.
TEST(Atoms, CyclesReproduceThePublishedPeaks) {
  auto teraflops = [](const char *gfx, const char *name, int units, double gigahertz) {
    const MatrixAtom *atom = chip(gfx).findAtom(name);
    return 2.0 * atom->m * atom->n * atom->k / atom->cycles * units * gigahertz / 1000;
  };
  EXPECT_NEAR(teraflops("gfx942", "mfma_f32_32x32x8_bf16", 304 * 4, 2.1), 1307, 1);
  EXPECT_NEAR(teraflops("gfx942", "mfma_f32_16x16x32_fp8_fp8", 304 * 4, 2.1), 2615, 1);
  EXPECT_NEAR(teraflops("gfx942", "mfma_f64_16x16x4_f64", 304 * 4, 2.1), 163.4, 0.1);
  EXPECT_NEAR(teraflops("gfx950", "mfma_f32_16x16x32_f16", 256 * 4, 2.4), 2517, 1);
  EXPECT_NEAR(teraflops("gfx950", "mfma_f64_16x16x4_f64", 256 * 4, 2.4), 78.6, 0.1);
  EXPECT_NEAR(teraflops("gfx1100", "wmma_f32_16x16x16_f16", 96 * 2, 2.5), 123, 1);
  EXPECT_NEAR(teraflops("gfx1201", "wmma_f32_16x16x16_bf16", 64 * 2, 2.97), 195, 1);
  EXPECT_NEAR(teraflops("gfx1201", "wmma_f32_16x16x16_fp8_fp8", 64 * 2, 2.97), 389, 1);
}
