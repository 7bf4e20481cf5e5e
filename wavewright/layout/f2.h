//===- layout/f2.h - vectors over F2 --------------------------------------------------------------===//
//
// A vector is the bits of a 64-bit word; adding is XOR.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

#include <cstdint>

namespace wavewright::layout::f2 {

/// A basis grown one vector at a time. Each kept vector remembers which of the inserted ones it is the sum of.
class Basis {
public:
  /// True when `vector` was independent of those before; `tag` names it in the sums that solve() returns.
  bool insert(uint64_t vector, uint64_t tag = 0) {
    reduce(vector, tag);
    if (!vector)
      return false;
    rows.push_back({vector, tag});
    return true;
  }

  unsigned rank() const { return rows.size(); }

  /// The tags of the inserted vectors whose sum is `vector`; false when it is outside the span.
  bool solve(uint64_t vector, uint64_t &tags) const {
    tags = 0;
    reduce(vector, tags);
    return vector == 0;
  }

private:
  struct Row {
    uint64_t vector, tag;
  };

  /// Every row's lowest set bit is clear in all rows after it, so one pass suffices.
  void reduce(uint64_t &vector, uint64_t &tag) const {
    for (const Row &row : rows)
      if (vector & (row.vector & -row.vector)) {
        vector ^= row.vector;
        tag ^= row.tag;
      }
  }

  llvm::SmallVector<Row, 16> rows;
};

} // namespace wavewright::layout::f2
