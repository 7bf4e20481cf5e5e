//===- layout/banks.cpp - bank conflicts of LDS accesses, and the swizzle that avoids them --------===//
#include "wavewright/layout/f2.h"
#include "wavewright/layout/linear_layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace wavewright::layout {

namespace {

/// An access as the phase tables see it: the address of each lane, linear in the lane's bits.
struct LaneAddresses {
  llvm::SmallVector<uint32_t, 6> bits; ///< byte address that each lane bit adds (by XOR)
  int bytes;                           ///< accessed at each

  explicit LaneAddresses(const LinearLayout &toByte, int bytes) : bytes(bytes) {
    std::optional<unsigned> position = toByte.output("byte");
    const InputSpace *lanes = toByte.input("lane");
    assert(position && lanes && "an address map goes from \"lane\" to \"byte\"");
    for (const Coords &base : lanes->bases)
      bits.push_back(base[*position]);
  }

  uint32_t of(unsigned lane) const {
    uint32_t address = 0;
    for (auto [bit, image] : llvm::enumerate(bits))
      if ((lane >> bit) & 1)
        address ^= image;
    return address;
  }

  /// Whether adding an offset inside the access is XORing it.
  bool aligned() const {
    return llvm::isPowerOf2_32(bytes) && llvm::all_of(bits, [&](uint32_t bit) { return bit % bytes == 0; });
  }
};

using Lanes = llvm::SmallVector<unsigned, 32>;

/// If `lanes` is a coset of a subspace, a basis of that subspace.
std::optional<llvm::SmallVector<unsigned, 5>> subspaceOf(const Lanes &lanes) {
  llvm::SmallVector<unsigned, 5> generators;
  f2::Basis basis;
  for (unsigned lane : lanes)
    if (basis.insert(lane ^ lanes.front()))
      generators.push_back(lane ^ lanes.front());
  if (lanes.size() != size_t(1) << basis.rank())
    return std::nullopt;
  return generators;
}

/// The dwords touched by a coset of lanes are a coset of a space W, and reducing a dword to its bank is linear; so
/// every bank that is hit is hit by the same number of distinct dwords, 2^(rank W - rank of W's image).
int cyclesByRank(const LaneAddresses &addresses, llvm::ArrayRef<unsigned> generators, int banks) {
  f2::Basis dwords, dwordBanks;
  auto add = [&](uint64_t dword) {
    dwords.insert(dword);
    dwordBanks.insert(dword & (banks - 1));
  };
  for (unsigned generator : generators)
    add(addresses.of(generator) / 4);
  for (int offset = 1; offset < addresses.bytes / 4; offset *= 2)
    add(offset);
  return 1 << (dwords.rank() - dwordBanks.rank());
}

int cyclesByCounting(const LaneAddresses &addresses, const Lanes &lanes, int banks) {
  std::vector<llvm::SmallSet<uint32_t, 4>> inBank(banks);
  size_t fullest = 0;
  for (unsigned lane : lanes) {
    uint32_t first = addresses.of(lane), last = first + addresses.bytes - 1;
    for (uint32_t dword = first / 4; dword <= last / 4; ++dword) {
      auto &bank = inBank[dword % banks];
      bank.insert(dword);
      fullest = std::max<size_t>(fullest, bank.size());
    }
  }
  return int(fullest);
}

const LdsPhases *findPhases(const Target &target, Access access, int bytes) {
  // The LDS moves dwords; a narrower access costs as much as one.
  int width = std::max(bytes, 4);
  auto found = llvm::find_if(target.lds.phases,
                             [&](const LdsPhases &phases) { return phases.access == access && phases.bytes == width; });
  return found == target.lds.phases.end() ? nullptr : &*found;
}
} // namespace

BankReport bankConflicts(const LinearLayout &toByte, const Target &target, Access access, int bytes) {
  const LdsPhases *table = findPhases(target, access, bytes);
  assert(table && "an LDS access is 1, 2, 4, 8, 12 or 16 bytes wide");
  LaneAddresses addresses(toByte, bytes);
  unsigned waveLanes = std::max(1u << addresses.bits.size(), unsigned(target.waveSize));

  BankReport report;
  report.proved = addresses.aligned();
  // A wave64 of a wave32 chip goes through the table twice.
  for (unsigned firstLane = 0; firstLane < waveLanes; firstLane += target.waveSize)
    for (const auto &row : table->lanes) {
      Lanes lanes;
      for (uint8_t lane : row)
        if (lane != 0xff)
          lanes.push_back(firstLane + lane);
      auto generators = subspaceOf(lanes);
      report.proved &= generators.has_value();
      report.cycles += report.proved ? cyclesByRank(addresses, *generators, table->banks)
                                     : cyclesByCounting(addresses, lanes, table->banks);
      ++report.phases;
    }
  return report;
}

namespace {

/// Granule bits [granuleBit, granuleBit + count) of a row are XORed with row bits [rowBit, rowBit + count).
struct Swizzle {
  unsigned rowBit = 0, granuleBit = 0, count = 0;
};
constexpr int granuleBytes = 16;
/// Rows 0..15: a tile's origin is a multiple of 16 rows, so it never meets the XOR.
constexpr unsigned swizzledRowBits = 4;

LinearLayout sharedLayout(int rows, int cols, int elementBytes, Swizzle swizzle) {
  InputSpace row = {"row", {}}, col = {"col", {}};
  int rowBytes = cols * elementBytes;
  for (unsigned bit = 0; bit < llvm::Log2_32(rows); ++bit) {
    int32_t byte = rowBytes << bit;
    if (bit >= swizzle.rowBit && bit < swizzle.rowBit + swizzle.count)
      byte ^= granuleBytes << (swizzle.granuleBit + bit - swizzle.rowBit);
    row.bases.push_back({byte});
  }
  for (int bit = 1; bit < cols; bit *= 2)
    col.bases.push_back({bit * elementBytes});
  return LinearLayout({{"byte", rows * rowBytes}}, {std::move(row), std::move(col)});
}

/// `registers` as a part of a larger tile: the same images in outputs of the tile's size.
LinearLayout within(const LinearLayout &registers, int rows, int cols) {
  std::vector<std::pair<std::string, int32_t>> outs(registers.outputs());
  for (auto &[name, size] : outs)
    size = name == "row" ? rows : cols;
  return LinearLayout(std::move(outs), std::vector<InputSpace>(registers.inputs()));
}

/// Cycles of moving all of a wave's slots. The accesses differ in the slot bits above the vector, which add the same
/// to every lane's address and so only permute banks: one stands for all.
int accessCycles(const LinearLayout &registers, const LinearLayout &shared, const Target &target, Access access,
                 int elementBytes, int vectorBytes) {
  int elements = std::min(consecutiveElements(registers, "col"), std::max(vectorBytes / elementBytes, 1));
  int accesses = std::max(registers.input("slot")->size() / elements, 1);
  LinearLayout toByte = registers.restrict({"lane"}).compose(shared);
  return accesses * bankConflicts(toByte, target, access, elements * elementBytes).cycles;
}
} // namespace

LinearLayout chooseSwizzle(const LinearLayout &store, const LinearLayout &load, const Target &target, int rows,
                           int cols, int elementBytes, int vectorBytes) {
  assert(llvm::isPowerOf2_32(rows) && llvm::isPowerOf2_32(cols) && llvm::isPowerOf2_32(elementBytes) &&
         llvm::isPowerOf2_32(vectorBytes) && vectorBytes <= 16 &&
         "a shared tile has extents of powers of two and accesses of at most 16 bytes");
  LinearLayout stored = within(store, rows, cols), loaded = within(load, rows, cols);
  auto cost = [&](Swizzle swizzle) {
    LinearLayout shared = sharedLayout(rows, cols, elementBytes, swizzle);
    return accessCycles(stored, shared, target, Access::Write, elementBytes, vectorBytes) +
           accessCycles(loaded, shared, target, Access::Read, elementBytes, vectorBytes);
  };

  unsigned granuleBits = llvm::Log2_32(std::max(cols * elementBytes / granuleBytes, 1));
  unsigned rowBits = std::min(llvm::Log2_32(rows), swizzledRowBits);
  Swizzle best;
  int bestCost = cost(best);
  for (unsigned count = 1; count <= std::min(granuleBits, rowBits); ++count)
    for (unsigned granuleBit = 0; granuleBit + count <= granuleBits; ++granuleBit)
      for (unsigned rowBit = 0; rowBit + count <= rowBits; ++rowBit) {
        Swizzle candidate = {rowBit, granuleBit, count};
        if (int candidateCost = cost(candidate); candidateCost < bestCost) {
          best = candidate;
          bestCost = candidateCost;
        }
      }
  return sharedLayout(rows, cols, elementBytes, best);
}

} // namespace wavewright::layout
