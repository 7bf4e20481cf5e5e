//===- target/products.h - the product that a chip is sold as, as a runtime reports it ------------===//
//
// Counts and rates of one product of each chip; what every product of the chip shares stands in target.h.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/target/target.h"

namespace wavewright {

struct Product {
  std::string_view chip, name;
  int units;    ///< CUs, on RDNA WGPs: what HIP calls a multiprocessor
  int clockMhz; ///< boost
  int memoryClockMhz, memoryBusBits;
  int memoryGbPerSecond;
  uint64_t memoryBytes;
  uint64_t l2Bytes; ///< of one die
  bool integrated;  ///< shares the host's memory
  bool sramEcc;     ///< whose target ids carry sramecc and xnack
};

/// Null for a chip that has no product here.
const Product *findProduct(std::string_view chip);

} // namespace wavewright
