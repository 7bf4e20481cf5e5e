//===- layout/linear_layout.cpp - the algebra -----------------------------------------------------===//
#include "wavewright/layout/linear_layout.h"

#include "wavewright/layout/f2.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <cassert>

namespace wavewright::layout {

namespace {
using Outputs = std::vector<std::pair<std::string, int32_t>>;

/// Where each dimension's bits begin in a word that holds all of them, the first dimension lowest; the last entry is
/// the number of bits.
llvm::SmallVector<unsigned, 4> bitOffsets(llvm::ArrayRef<std::pair<std::string, int32_t>> outs) {
  llvm::SmallVector<unsigned, 4> offsets = {0};
  for (const auto &[name, size] : outs)
    offsets.push_back(offsets.back() + llvm::Log2_32(size));
  return offsets;
}

uint64_t pack(const Coords &coords, llvm::ArrayRef<unsigned> offsets) {
  uint64_t word = 0;
  for (auto [coordinate, offset] : llvm::zip(coords, offsets))
    word |= uint64_t(coordinate) << offset;
  return word;
}

Coords unpack(uint64_t word, llvm::ArrayRef<unsigned> offsets) {
  Coords coords;
  for (size_t i = 0; i + 1 < offsets.size(); ++i)
    coords.push_back(int32_t((word >> offsets[i]) & llvm::maskTrailingOnes<uint64_t>(offsets[i + 1] - offsets[i])));
  return coords;
}

/// The image of every input bit, in the order of the spaces.
llvm::SmallVector<uint64_t, 16> columns(const LinearLayout &layout) {
  auto offsets = bitOffsets(layout.outputs());
  llvm::SmallVector<uint64_t, 16> result;
  for (const InputSpace &space : layout.inputs())
    for (const Coords &base : space.bases)
      result.push_back(pack(base, offsets));
  return result;
}

unsigned rank(const LinearLayout &layout) {
  f2::Basis basis;
  for (uint64_t column : columns(layout))
    basis.insert(column);
  return basis.rank();
}
} // namespace

LinearLayout::LinearLayout(Outputs outs, std::vector<InputSpace> ins) : outs(std::move(outs)), ins(std::move(ins)) {
  for (const auto &[name, size] : this->outs)
    assert(llvm::isPowerOf2_32(size) && "the size of an output must be a power of two");
  for (const InputSpace &space : this->ins)
    for (const Coords &base : space.bases) {
      assert(base.size() == this->outs.size() && "a base needs one coordinate an output");
      for (auto [coordinate, out] : llvm::zip(base, this->outs))
        assert(coordinate >= 0 && coordinate < out.second && "a base lies outside its output");
    }
  assert(bitOffsets(this->outs).back() <= 64 && columns(*this).size() <= 64 && "more than 64 bits");
}

LinearLayout LinearLayout::identity(std::string in, std::string out, int32_t size) {
  InputSpace space = {std::move(in), {}};
  for (int32_t bit = 1; bit < size; bit *= 2)
    space.bases.push_back({bit});
  return LinearLayout({{std::move(out), size}}, {std::move(space)});
}

const InputSpace *LinearLayout::input(llvm::StringRef name) const {
  auto found = llvm::find_if(ins, [&](const InputSpace &space) { return name == space.name; });
  return found == ins.end() ? nullptr : &*found;
}

std::optional<unsigned> LinearLayout::output(llvm::StringRef name) const {
  auto found = llvm::find_if(outs, [&](const auto &out) { return name == out.first; });
  return found == outs.end() ? std::nullopt : std::optional<unsigned>(found - outs.begin());
}

Coords LinearLayout::apply(llvm::ArrayRef<int32_t> index) const {
  assert(index.size() == ins.size() && "one index an input space");
  Coords image(outs.size(), 0);
  for (auto [space, value] : llvm::zip(ins, index))
    for (auto [bit, base] : llvm::enumerate(space.bases))
      if ((value >> bit) & 1)
        for (auto [sum, coordinate] : llvm::zip(image, base))
          sum ^= coordinate;
  return image;
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  // Position of each input of `outer` among our outputs.
  llvm::SmallVector<unsigned, 4> from;
  for (const InputSpace &space : outer.ins) {
    std::optional<unsigned> position = output(space.name);
    assert(position && outs[*position].second == space.size() && "outputs and the outer inputs must agree");
    from.push_back(*position);
  }
  assert(from.size() == outs.size() && "the outer layout must take every output");

  std::vector<InputSpace> composed;
  for (const InputSpace &space : ins) {
    composed.push_back({space.name, {}});
    for (const Coords &base : space.bases)
      composed.back().bases.push_back(
          outer.apply(llvm::map_to_vector(from, [&](unsigned position) { return base[position]; })));
  }
  return LinearLayout(outer.outs, std::move(composed));
}

LinearLayout LinearLayout::product(const LinearLayout &other) const {
  Outputs allOuts = outs;
  llvm::SmallVector<unsigned, 4> position, shift; // of each of the other's outputs
  for (const auto &[name, size] : other.outs) {
    std::optional<unsigned> mine = output(name);
    position.push_back(mine.value_or(allOuts.size()));
    shift.push_back(mine ? llvm::Log2_32(outs[*mine].second) : 0);
    if (mine)
      allOuts[*mine].second *= size;
    else
      allOuts.emplace_back(name, size);
  }

  std::vector<InputSpace> all = ins;
  for (InputSpace &space : all)
    for (Coords &base : space.bases)
      base.resize(allOuts.size(), 0);
  for (const InputSpace &space : other.ins) {
    auto mine = llvm::find_if(all, [&](const InputSpace &candidate) { return candidate.name == space.name; });
    InputSpace &target = mine == all.end() ? all.emplace_back(InputSpace{space.name, {}}) : *mine;
    for (const Coords &base : space.bases) {
      Coords moved(allOuts.size(), 0);
      for (size_t i = 0; i < base.size(); ++i)
        moved[position[i]] = base[i] << shift[i];
      target.bases.push_back(std::move(moved));
    }
  }
  return LinearLayout(std::move(allOuts), std::move(all));
}

LinearLayout LinearLayout::project(llvm::ArrayRef<llvm::StringRef> names) const {
  Outputs kept;
  llvm::SmallVector<unsigned, 4> positions;
  for (llvm::StringRef name : names) {
    std::optional<unsigned> position = output(name);
    assert(position && "no such output");
    positions.push_back(*position);
    kept.push_back(outs[*position]);
  }
  std::vector<InputSpace> projected;
  for (const InputSpace &space : ins) {
    projected.push_back({space.name, {}});
    for (const Coords &base : space.bases) {
      Coords image;
      for (unsigned position : positions)
        image.push_back(base[position]);
      projected.back().bases.push_back(std::move(image));
    }
  }
  return LinearLayout(std::move(kept), std::move(projected));
}

LinearLayout LinearLayout::restrict(llvm::ArrayRef<llvm::StringRef> names) const {
  std::vector<InputSpace> kept;
  for (llvm::StringRef name : names) {
    const InputSpace *space = input(name);
    assert(space && "no such input");
    kept.push_back(*space);
  }
  return LinearLayout(outs, std::move(kept));
}

std::optional<LinearLayout> LinearLayout::invert() const {
  auto outOffsets = bitOffsets(outs);
  Outputs inSizes;
  for (const InputSpace &space : ins)
    inSizes.emplace_back(space.name, space.size());
  auto inOffsets = bitOffsets(inSizes);

  // Input bits that depend on earlier ones are the free bits: they never enter a solution.
  f2::Basis basis;
  for (auto [bit, column] : llvm::enumerate(columns(*this)))
    basis.insert(column, uint64_t(1) << bit);
  if (basis.rank() != outOffsets.back())
    return std::nullopt;

  std::vector<InputSpace> inverse;
  for (size_t i = 0; i < outs.size(); ++i) {
    inverse.push_back({outs[i].first, {}});
    for (unsigned bit = outOffsets[i]; bit < outOffsets[i + 1]; ++bit) {
      uint64_t preimage = 0;
      basis.solve(uint64_t(1) << bit, preimage);
      inverse.back().bases.push_back(unpack(preimage, inOffsets));
    }
  }
  return LinearLayout(std::move(inSizes), std::move(inverse));
}

bool LinearLayout::isSurjective() const { return rank(*this) == bitOffsets(outs).back(); }
bool LinearLayout::isInjective() const { return rank(*this) == columns(*this).size(); }

bool LinearLayout::operator==(const LinearLayout &other) const {
  return outs == other.outs && llvm::equal(ins, other.ins, [](const InputSpace &a, const InputSpace &b) {
           return a.name == b.name && a.bases == b.bases;
         });
}

std::string LinearLayout::str() const {
  std::string text;
  for (const InputSpace &space : ins) {
    text += fmt::format("{}{}:", text.empty() ? "" : "; ", space.name);
    for (const Coords &base : space.bases) {
      text += " (";
      for (auto [i, coordinate] : llvm::enumerate(base))
        text += fmt::format("{}{}", i ? "," : "", coordinate);
      text += ")";
    }
  }
  text += " ->";
  for (auto [i, out] : llvm::enumerate(outs))
    text += fmt::format("{} {} {}", i ? "," : "", out.first, out.second);
  return text;
}

} // namespace wavewright::layout
