// The laws of the algebra, on random maps.
#include "wavewright/layout/linear_layout.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace wavewright::layout;

namespace {
std::mt19937 &random() {
  static std::mt19937 generator(20261201);
  return generator;
}
int upTo(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random()); }

using Outs = std::vector<std::pair<std::string, int32_t>>;

LinearLayout randomLayout(const std::vector<std::pair<std::string, int>> &inBits, const Outs &outs) {
  std::vector<InputSpace> ins;
  for (auto &[name, bits] : inBits) {
    ins.push_back({name, {}});
    for (int bit = 0; bit < bits; ++bit) {
      Coords base;
      for (auto &[outName, size] : outs)
        base.push_back(upTo(size));
      ins.back().bases.push_back(base);
    }
  }
  return LinearLayout(outs, ins);
}

Coords randomIndex(const LinearLayout &layout) {
  Coords index;
  for (const InputSpace &space : layout.inputs())
    index.push_back(upTo(space.size()));
  return index;
}

/// Every index of a layout of at most 2^16.
template <typename Visit> void forEachIndex(const LinearLayout &layout, Visit visit) {
  Coords index(layout.inputs().size(), 0);
  while (true) {
    visit(index);
    size_t at = 0;
    while (at < index.size() && ++index[at] == layout.inputs()[at].size())
      index[at++] = 0;
    if (at == index.size())
      return;
  }
}
} // namespace

TEST(LinearLayout, ApplyIsLinear) {
  for (int round = 0; round < 200; ++round) {
    LinearLayout layout = randomLayout({{"slot", upTo(5)}, {"lane", 5}}, {{"row", 32}, {"col", 64}});
    Coords a = randomIndex(layout), b = randomIndex(layout), sum = {a[0] ^ b[0], a[1] ^ b[1]};
    Coords fa = layout.apply(a), fb = layout.apply(b);
    EXPECT_EQ(layout.apply(sum), (Coords{fa[0] ^ fb[0], fa[1] ^ fb[1]}));
  }
}

TEST(LinearLayout, ComposeAppliesOneAfterTheOther) {
  for (int round = 0; round < 200; ++round) {
    LinearLayout inner = randomLayout({{"slot", 3}, {"lane", 5}}, {{"row", 16}, {"col", 32}});
    // The outer inputs stand in the other order: names decide.
    LinearLayout outer = randomLayout({{"col", 5}, {"row", 4}}, {{"byte", 1024}});
    LinearLayout both = inner.compose(outer);
    Coords index = randomIndex(inner), middle = inner.apply(index);
    EXPECT_EQ(both.apply(index), outer.apply({middle[1], middle[0]}));
  }
}

TEST(LinearLayout, ComposeIsAssociative) {
  for (int round = 0; round < 100; ++round) {
    LinearLayout f = randomLayout({{"lane", 6}}, {{"x", 64}}), g = randomLayout({{"x", 6}}, {{"y", 128}}),
                 h = randomLayout({{"y", 7}}, {{"z", 16}, {"w", 8}});
    EXPECT_EQ(f.compose(g).compose(h), f.compose(g.compose(h)));
  }
}

TEST(LinearLayout, IdentityIsNeutral) {
  LinearLayout f = randomLayout({{"lane", 6}}, {{"x", 64}});
  EXPECT_EQ(LinearLayout::identity("lane", "lane", 64).compose(f), f);
  EXPECT_EQ(f.compose(LinearLayout::identity("x", "x", 64)), f);
}

TEST(LinearLayout, InvertIsARightInverseExactlyWhenSurjective) {
  int surjective = 0, not_ = 0;
  for (int round = 0; round < 500; ++round) {
    LinearLayout f = randomLayout({{"slot", 2 + upTo(3)}, {"lane", 2 + upTo(3)}}, {{"row", 4}, {"col", 8}});
    std::set<std::pair<int, int>> reached;
    forEachIndex(f, [&](const Coords &index) {
      Coords image = f.apply(index);
      reached.insert({image[0], image[1]});
    });
    std::optional<LinearLayout> inverse = f.invert();
    EXPECT_EQ(inverse.has_value(), reached.size() == 32u);
    EXPECT_EQ(f.isSurjective(), reached.size() == 32u);
    EXPECT_EQ(f.isInjective(), reached.size() == size_t(f.inputs()[0].size()) * f.inputs()[1].size());
    ++(inverse ? surjective : not_);
    if (!inverse)
      continue;
    for (int row = 0; row < 4; ++row)
      for (int col = 0; col < 8; ++col)
        EXPECT_EQ(f.apply(inverse->apply({row, col})), (Coords{row, col}));
    if (f.isInjective()) {
      EXPECT_EQ(inverse->invert(), f);
      forEachIndex(f, [&](const Coords &index) { EXPECT_EQ(inverse->apply(f.apply(index)), index); });
    }
  }
  EXPECT_GT(surjective, 50);
  EXPECT_GT(not_, 50);
}

TEST(LinearLayout, InvertLeavesFreeBitsZero) {
  // Lane bit 1 repeats slot bit 0 and lane bit 2 does nothing: neither may appear in a preimage.
  LinearLayout f({{"x", 4}}, {{"slot", {{1}}}, {"lane", {{2}, {1}, {0}}}});
  std::optional<LinearLayout> inverse = f.invert();
  ASSERT_TRUE(inverse);
  for (int x = 0; x < 4; ++x)
    EXPECT_EQ(inverse->apply({x}), (Coords{x & 1, x >> 1}));
}

TEST(LinearLayout, ProductPutsTheOtherIntoTheHighBits) {
  for (int round = 0; round < 200; ++round) {
    LinearLayout f = randomLayout({{"slot", 2}, {"lane", 3}}, {{"row", 8}, {"col", 4}});
    LinearLayout g = randomLayout({{"lane", 2}, {"wave", 2}}, {{"col", 8}, {"batch", 4}});
    LinearLayout both = f.product(g);
    int slot = upTo(4), laneF = upTo(8), laneG = upTo(4), wave = upTo(4);
    Coords a = f.apply({slot, laneF}), b = g.apply({laneG, wave});
    EXPECT_EQ(both.apply({slot, laneF | laneG << 3, wave}), (Coords{a[0], a[1] | b[0] << 2, b[1]}));
    EXPECT_EQ(both.outputs()[1], (std::pair<std::string, int32_t>("col", 32)));
    EXPECT_EQ(both.isInjective(), f.isInjective() && g.isInjective());
    EXPECT_EQ(both.isSurjective(), f.isSurjective() && g.isSurjective());
  }
}

TEST(LinearLayout, ProductIsAssociative) {
  for (int round = 0; round < 100; ++round) {
    LinearLayout f = randomLayout({{"slot", 1}, {"lane", 2}}, {{"row", 4}}),
                 g = randomLayout({{"lane", 2}}, {{"col", 4}}),
                 h = randomLayout({{"slot", 2}}, {{"row", 2}, {"col", 2}});
    EXPECT_EQ(f.product(g).product(h), f.product(g.product(h)));
  }
}

TEST(LinearLayout, ProjectAndRestrictForget) {
  LinearLayout f = randomLayout({{"slot", 3}, {"lane", 4}}, {{"row", 16}, {"col", 16}});
  for (int round = 0; round < 50; ++round) {
    Coords index = randomIndex(f), image = f.apply(index);
    EXPECT_EQ(f.project({"col"}).apply(index), (Coords{image[1]}));
    EXPECT_EQ(f.project({"col", "row"}).apply(index), (Coords{image[1], image[0]}));
    EXPECT_EQ(f.restrict({"lane"}).apply({index[1]}), f.apply({0, index[1]}));
  }
}

TEST(LinearLayout, Prints) {
  LinearLayout f({{"row", 16}, {"col", 64}}, {{"slot", {{0, 1}, {0, 2}}}, {"lane", {{1, 0}}}});
  EXPECT_EQ(f.str(), "slot: (0,1) (0,2); lane: (1,0) -> row 16, col 64");
  EXPECT_EQ(f.input("lane")->bases.size(), 1u);
  EXPECT_EQ(f.input("wave"), nullptr);
  EXPECT_EQ(f.output("col"), 1u);
  EXPECT_EQ(f.output("byte"), std::nullopt);
}
