#include "wavewright/target/products.h"

namespace wavewright {

namespace {

constexpr uint64_t GiB = 1ull << 30, MiB = 1ull << 20;

// AMD's data sheets of the named products. Units, clocks and bandwidth are those of the table of chips in AMD's CDNA 3,
// CDNA 4, RDNA 3 and RDNA 4 material; L2 is per die.
constexpr Product products[] = {
    {"gfx942", "AMD Instinct MI300X", 304, 2100, 2600, 8192, 5300, 192 * GiB, 4 * MiB, false, true},
    {"gfx950", "AMD Instinct MI355X", 256, 2400, 4000, 8192, 8000, 288 * GiB, 4 * MiB, false, true},
    {"gfx1100", "AMD Radeon RX 7900 XTX", 48, 2500, 1249, 384, 960, 24 * GiB, 6 * MiB, false, false},
    {"gfx1151", "AMD Radeon 8060S", 20, 2900, 1000, 256, 256, 64 * GiB, 2 * MiB, true, false},
    {"gfx1201", "AMD Radeon RX 9070 XT", 32, 2970, 1258, 256, 640, 16 * GiB, 8 * MiB, false, false},
};

} // namespace

const Product *findProduct(std::string_view chip) {
  for (const Product &product : products)
    if (product.chip == chip)
      return &product;
  return nullptr;
}

} // namespace wavewright
