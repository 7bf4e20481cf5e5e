// Two voices on where the elements of matrix operands are: the emulator's formulas and the compiler's tables.
#include "wavewright/emulator/semantics/scalar/matrix_layout.h"
#include "wavewright/target/target.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

using namespace wavewright;
using emulator::matrix::Family;
using emulator::matrix::Geometry;
using emulator::matrix::Position;
using emulator::matrix::Side;

namespace {

bool dense(const MatrixAtom &atom) { return atom.family == MatrixFamily::Mfma || atom.family == MatrixFamily::Wmma; }

Geometry geometry(const Target &target, const MatrixAtom &atom) {
  Geometry g;
  g.family = atom.family == MatrixFamily::Mfma        ? Family::Mfma
             : target.generation == Generation::Rdna4 ? Family::WmmaGfx12
                                                      : Family::WmmaGfx11;
  g.wave = unsigned(atom.waveSize);
  g.m = unsigned(atom.m);
  g.n = unsigned(atom.n);
  g.k = unsigned(atom.k);
  g.blocks = unsigned(atom.blocks);
  g.inputBits = atom.a == DType::XF32 ? 32 : dtypeBits(atom.a);
  g.outputBits = dtypeBits(atom.d);
  return g;
}

BasisPair image(const OperandBases &bases, unsigned lane, unsigned slot) {
  BasisPair at{0, 0};
  auto add = [&](const BasisPair &base) {
    at.d0 = int16_t(at.d0 ^ base.d0);
    at.d1 = int16_t(at.d1 ^ base.d1);
  };
  for (size_t bit = 0; bit < bases.slots.size(); ++bit)
    if (slot >> bit & 1)
      add(bases.slots[bit]);
  for (size_t bit = 0; bit < bases.lanes.size(); ++bit)
    if (lane >> bit & 1)
      add(bases.lanes[bit]);
  return at;
}

void compare(const Target &target, const MatrixAtom &atom, Side side, const OperandBases &bases) {
  Geometry g = geometry(target, atom);
  const char *letter = side == Side::A ? "A" : side == Side::B ? "B" : "D";
  unsigned lanes = emulator::matrix::lanes(g, side), slots = emulator::matrix::slots(g, side);
  ASSERT_EQ(slots, 1u << bases.slots.size()) << target.name << " " << atom.name << " " << letter;
  unsigned wrong = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned slot = 0; slot < slots; ++slot) {
      Position here = emulator::matrix::position(g, side, lane, slot);
      BasisPair there = image(bases, lane, slot);
      wrong += int(here.first) != there.d0 || int(here.second) != there.d1;
    }
  EXPECT_EQ(wrong, 0u) << target.name << " " << atom.name << " " << letter << ": positions that differ";
}

TEST(MatrixLayout, AgreesWithTheCompilersTables) {
  unsigned compared = 0;
  for (const Target *target : allTargets()) {
    if (!target->emulated)
      continue;
    for (const MatrixAtom &atom : target->atoms) {
      if (!dense(atom) || atom.blocks != 1)
        continue;
      compare(*target, atom, Side::A, atom.layoutA);
      compare(*target, atom, Side::B, atom.layoutB);
      compare(*target, atom, Side::D, atom.layoutD);
      ++compared;
    }
  }
  // Every chip contributes: 9 or more MFMA on each CDNA chip, 6 or more WMMA on each RDNA one.
  EXPECT_GE(compared, 40u);
}

/// Shapes that the compiler's tables leave out (blocks) are held by the property that every element has one place.
TEST(MatrixLayout, EveryElementHasOnePlace) {
  auto g = [](Family family, unsigned wave, unsigned m, unsigned k, unsigned blocks, unsigned in, unsigned out) {
    return Geometry{family, wave, m, m, k, blocks, in, out};
  };
  const Geometry all[] = {
      g(Family::Mfma, 64, 32, 1, 2, 32, 32),       g(Family::Mfma, 64, 16, 1, 4, 32, 32),
      g(Family::Mfma, 64, 4, 1, 16, 32, 32),       g(Family::Mfma, 64, 32, 2, 1, 32, 32),
      g(Family::Mfma, 64, 16, 4, 1, 32, 32),       g(Family::Mfma, 64, 32, 4, 2, 16, 32),
      g(Family::Mfma, 64, 16, 4, 4, 16, 32),       g(Family::Mfma, 64, 4, 4, 16, 16, 32),
      g(Family::Mfma, 64, 32, 8, 1, 16, 32),       g(Family::Mfma, 64, 16, 16, 1, 16, 32),
      g(Family::Mfma, 64, 32, 16, 1, 16, 32),      g(Family::Mfma, 64, 16, 32, 1, 16, 32),
      g(Family::Mfma, 64, 16, 8, 1, 32, 32),       g(Family::Mfma, 64, 32, 4, 1, 32, 32),
      g(Family::Mfma, 64, 16, 32, 1, 8, 32),       g(Family::Mfma, 64, 32, 16, 1, 8, 32),
      g(Family::Mfma, 64, 32, 4, 2, 8, 32),        g(Family::Mfma, 64, 16, 4, 4, 8, 32),
      g(Family::Mfma, 64, 4, 4, 16, 8, 32),        g(Family::Mfma, 64, 16, 64, 1, 8, 32),
      g(Family::Mfma, 64, 32, 32, 1, 8, 32),       g(Family::Mfma, 64, 16, 4, 1, 64, 64),
      g(Family::Mfma, 64, 4, 4, 4, 64, 64),        g(Family::WmmaGfx11, 32, 16, 16, 1, 16, 32),
      g(Family::WmmaGfx11, 64, 16, 16, 1, 16, 32), g(Family::WmmaGfx11, 32, 16, 16, 1, 8, 32),
      g(Family::WmmaGfx11, 64, 16, 16, 1, 4, 32),  g(Family::WmmaGfx12, 32, 16, 16, 1, 16, 32),
      g(Family::WmmaGfx12, 64, 16, 16, 1, 16, 16), g(Family::WmmaGfx12, 32, 16, 16, 1, 8, 32),
      g(Family::WmmaGfx12, 64, 16, 16, 1, 8, 32),  g(Family::WmmaGfx12, 32, 16, 16, 1, 4, 32),
      g(Family::WmmaGfx12, 64, 16, 16, 1, 4, 32),  g(Family::WmmaGfx12, 32, 16, 32, 1, 4, 32),
      g(Family::WmmaGfx12, 64, 16, 32, 1, 4, 32),
  };
  for (const Geometry &geometry : all) {
    for (Side side : {Side::A, Side::B, Side::D}) {
      SCOPED_TRACE(std::to_string(geometry.m) + "x" + std::to_string(geometry.k) + " blocks " +
                   std::to_string(geometry.blocks) + " bits " + std::to_string(geometry.inputBits) + " wave " +
                   std::to_string(geometry.wave) + " side " + std::to_string(int(side)));
      unsigned depth = side == Side::D ? geometry.n : geometry.k;
      std::set<std::tuple<unsigned, unsigned, unsigned>> seen;
      unsigned places = 0;
      for (unsigned lane = 0; lane < emulator::matrix::lanes(geometry, side); ++lane)
        for (unsigned slot = 0; slot < emulator::matrix::slots(geometry, side); ++slot, ++places) {
          Position p = emulator::matrix::position(geometry, side, lane, slot);
          EXPECT_LT(p.first, geometry.m);
          EXPECT_LT(p.second, depth);
          EXPECT_LT(p.block, geometry.blocks);
          seen.insert({p.first, p.second, p.block});
        }
      unsigned copies = geometry.family == Family::WmmaGfx11 && side != Side::D ? geometry.wave / 16 : 1;
      EXPECT_EQ(seen.size(), size_t(geometry.m) * depth * geometry.blocks);
      EXPECT_EQ(places, seen.size() * copies);
      EXPECT_FALSE(emulator::matrix::lines(geometry, side).empty());
    }
  }
}

} // namespace
