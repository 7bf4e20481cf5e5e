// Sparse and scaled matrix instructions from their text. Operand positions are spelled out here once more, as the
// images of slot and lane bits (AMD's matrix instruction calculator; for the f8f6f4 forms Composable Kernel's register
// tables), and the values are small, so that every sum is exact whatever the rounding.
#include "assemble.h"

#include "wavewright/emulator/semantics/scalar/matrix_plan.h"

#include <bit>
#include <cmath>
#include <random>

using namespace asmtest;

namespace {

using Bits = std::vector<unsigned>;

/// Where an operand's elements lie: the value that each bit of the slot number, and each bit of the lane number above
/// those of the row, adds to k.
struct Side {
  const char *type;
  Bits slot, lane;
};
struct Case {
  std::vector<std::string> chips;
  unsigned wave, m, k;
  const char *name, *d;
  Side a, b;
  unsigned sets = 1; ///< how many index sets one register holds
  const char *options = "";
};

unsigned widthOf(const std::string &type) {
  return type == "f16" || type == "bf16"                        ? 16
         : type == "fp6" || type == "bf6"                       ? 6
         : type == "fp4" || type == "iu4" || type == "u4"       ? 4
         : type == "fp8" || type == "bf8" || type.back() == '8' ? 8
                                                                : 32;
}

/// The code of -2, -1, 0, 1 or 2.
uint32_t encode(const std::string &type, bool fnuz, int value) {
  struct Row {
    const char *type;
    uint32_t one, two, sign;
  };
  const Row rows[] = {{"f16", 0x3c00, 0x4000, 0x8000},
                      {"bf16", 0x3f80, 0x4000, 0x8000},
                      {"fp8", fnuz ? 0x40u : 0x38u, fnuz ? 0x48u : 0x40u, 0x80},
                      {"bf8", fnuz ? 0x40u : 0x3cu, fnuz ? 0x44u : 0x40u, 0x80},
                      {"fp6", 0x08, 0x10, 0x20},
                      {"bf6", 0x0c, 0x10, 0x20},
                      {"fp4", 0x2, 0x4, 0x8}};
  for (const Row &row : rows)
    if (type == row.type)
      return (value == 0 ? 0 : std::abs(value) == 1 ? row.one : row.two) | (value < 0 ? row.sign : 0);
  return uint32_t(value) & (widthOf(type) == 4 ? 0xfu : 0xffu);
}

unsigned image(const Bits &bits, unsigned x) {
  unsigned sum = 0;
  for (unsigned i = 0; i < bits.size(); ++i)
    sum += x >> i & 1 ? bits[i] : 0;
  return sum;
}

class Machine : public Lines {
public:
  Machine(const std::string &chip, const Case &k) : Lines(chip, k.wave), k(k), g(7) {
    fnuz = chip == "gfx942";
    for (Row &row : rows)
      for (uint32_t &x : row.lane)
        x = uint32_t(g());
  }

  int small() { return int(g() % 5) - 2; }
  void element(unsigned base, unsigned lane, unsigned slot, unsigned width, uint32_t code) {
    for (unsigned bit = 0; bit < width; ++bit) {
      unsigned at = slot * width + bit;
      uint32_t &word = v(base + at / 32)[lane];
      word = (word & ~(1u << at % 32)) | (code >> bit & 1) << at % 32;
    }
  }
  /// Fills a side; values[row * count + k].
  std::vector<int> fillSide(const Side &side, unsigned base, unsigned rowsOf, unsigned count) {
    std::vector<int> values(rowsOf * count);
    for (int &x : values)
      x = std::string(side.type) == "u4" ? std::abs(small()) : small();
    unsigned lanes = rowsOf << side.lane.size();
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned slot = 0; slot < 1u << side.slot.size(); ++slot) {
        unsigned at = image(side.slot, slot) + image(side.lane, lane / rowsOf);
        element(base, lane, slot, widthOf(side.type), encode(side.type, fnuz, values[lane % rowsOf * count + at]));
      }
    return values;
  }
  /// Register, lane and half of an element of C and D.
  void place(unsigned row, unsigned column, unsigned &reg, unsigned &lane) const {
    for (lane = column; lane < size; lane += k.m)
      for (reg = 0; reg < k.m * k.m / size; ++reg) {
        unsigned group = lane / k.m;
        unsigned at = k.a.type && size == 64 && chip12() ? reg + 4 * (lane / 32) + 8 * (lane / 16 & 1)
                      : chip12()                         ? reg + 8 * group
                                                         : reg % 4 + 4 * group + (k.m == 32 ? 8 : 16) * (reg / 4);
        if (at == row)
          return;
      }
  }
  bool chip12() const { return arch == "gfx1201"; }
  bool half() const { return std::string(k.d) == "f16" || std::string(k.d) == "bf16"; }
  void putC(unsigned base, unsigned row, unsigned column, int value) {
    unsigned reg = 0, lane = 0;
    place(row, column, reg, lane);
    if (half())
      element(base, lane, reg, 16, encode(k.d, false, value));
    else
      v(base + reg)[lane] = std::string(k.d) == "i32" ? uint32_t(value) : std::bit_cast<uint32_t>(float(value));
  }
  double getD(unsigned base, unsigned row, unsigned column) {
    unsigned reg = 0, lane = 0;
    place(row, column, reg, lane);
    if (!half())
      return std::string(k.d) == "i32" ? double(int32_t(v(base + reg)[lane]))
                                       : double(std::bit_cast<float>(v(base + reg)[lane]));
    uint32_t word = v(base + reg / 2)[lane] >> (16 * (reg % 2)) & 0xffff;
    return std::string(k.d) == "f16" ? double(std::bit_cast<_Float16>(uint16_t(word)))
                                     : double(std::bit_cast<float>(word << 16));
  }

  const Case &k;
  std::mt19937 g;
  bool fnuz;
};

std::string range(char bank, unsigned first, unsigned count) {
  std::string s(1, bank);
  return count == 1 ? s + std::to_string(first)
                    : s + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

constexpr unsigned A = 0, B = 16, Index = 40, D = 64;
const std::vector<std::string> gfx9 = {"gfx942", "gfx950"}, gfx950 = {"gfx950"}, gfx12 = {"gfx1201"};

unsigned registers(const Side &side) { return std::max<unsigned>(1, (widthOf(side.type) << side.slot.size()) / 32); }

void runSparse(const Case &k, const std::string &chip, unsigned set, MatrixMode mode) {
  Machine l(chip, k);
  l.options.matrix = mode;
  SCOPED_TRACE(chip + " wave" + std::to_string(k.wave) + " " + k.name + " set " + std::to_string(set));
  unsigned compressed = k.k / 2, slots = 1u << k.a.slot.size();
  std::vector<int> a = l.fillSide(k.a, A, k.m, compressed), b = l.fillSide(k.b, B, k.m, k.k), c(k.m * k.m);
  // Two different positions of each four, the lower one first.
  std::vector<unsigned> dense(k.m * compressed);
  for (unsigned row = 0; row < k.m; ++row)
    for (unsigned pair = 0; pair < compressed; pair += 2) {
      unsigned first = unsigned(l.g() % 3), second = first + 1 + unsigned(l.g() % (3 - first));
      dense[row * compressed + pair] = 2 * pair + first;
      dense[row * compressed + pair + 1] = 2 * pair + second;
    }
  for (unsigned lane = 0; lane < k.m << k.a.lane.size(); ++lane)
    for (unsigned slot = 0; slot < slots; ++slot) {
      unsigned at = image(k.a.slot, slot) + image(k.a.lane, lane / k.m);
      l.element(Index, lane, set * slots + slot, 2, dense[lane % k.m * compressed + at] % 4);
    }
  for (unsigned row = 0; row < k.m; ++row)
    for (unsigned column = 0; column < k.m; ++column)
      l.putC(D, row, column, c[row * k.m + column] = l.small());
  unsigned dwords = k.m * k.m / l.size / (l.half() ? 2 : 1);
  std::string text = std::string(k.name) + " " + range('v', D, dwords) + ", " + range('v', A, registers(k.a)) + ", " +
                     range('v', B, registers(k.b)) + ", v" + std::to_string(Index);
  if (set)
    text += (l.chip12() ? " index_key:" : " abid:") + std::to_string(set);
  text += std::string(" ") + k.options;
  l.setExec(0x10); // EXEC has no say
  ASSERT_TRUE(l.run(text)) << text << ": " << l.context.fault.message;
  EXPECT_EQ(l.context.matrixFlops, 2ull * k.m * k.m * k.k);
  for (unsigned row = 0; row < k.m; ++row)
    for (unsigned column = 0; column < k.m; ++column) {
      int sum = c[row * k.m + column];
      for (unsigned i = 0; i < compressed; ++i)
        sum += a[row * compressed + i] * b[column * k.k + dense[row * compressed + i]];
      ASSERT_EQ(l.getD(D, row, column), double(sum)) << text << ": row " << row << " column " << column;
    }
}

const Case sparse[] = {
    {gfx9, 64, 16, 32, "v_smfmac_f32_16x16x32_f16", "f32", {"f16", {1, 2}, {4, 8}}, {"f16", {1, 2, 4}, {8, 16}}, 4},
    {gfx9, 64, 16, 32, "v_smfmac_f32_16x16x32_bf16", "f32", {"bf16", {1, 2}, {4, 8}}, {"bf16", {1, 2, 4}, {8, 16}}, 4},
    {gfx9, 64, 32, 16, "v_smfmac_f32_32x32x16_f16", "f32", {"f16", {1, 2}, {4}}, {"f16", {1, 2, 4}, {8}}, 4},
    {gfx9, 64, 32, 16, "v_smfmac_f32_32x32x16_bf16", "f32", {"bf16", {1, 2}, {4}}, {"bf16", {1, 2, 4}, {8}}, 4},
    {gfx9,
     64,
     16,
     64,
     "v_smfmac_i32_16x16x64_i8",
     "i32",
     {"i8", {1, 2, 4}, {8, 16}},
     {"i8", {1, 2, 4, 8}, {16, 32}},
     2},
    {gfx9, 64, 32, 32, "v_smfmac_i32_32x32x32_i8", "i32", {"i8", {1, 2, 4}, {8}}, {"i8", {1, 2, 4, 8}, {16}}, 2},
    {gfx9,
     64,
     16,
     64,
     "v_smfmac_f32_16x16x64_fp8_fp8",
     "f32",
     {"fp8", {1, 2, 4}, {8, 16}},
     {"fp8", {1, 2, 4, 8}, {16, 32}},
     2},
    {gfx9,
     64,
     16,
     64,
     "v_smfmac_f32_16x16x64_fp8_bf8",
     "f32",
     {"fp8", {1, 2, 4}, {8, 16}},
     {"bf8", {1, 2, 4, 8}, {16, 32}},
     2},
    {gfx9,
     64,
     16,
     64,
     "v_smfmac_f32_16x16x64_bf8_fp8",
     "f32",
     {"bf8", {1, 2, 4}, {8, 16}},
     {"fp8", {1, 2, 4, 8}, {16, 32}},
     2},
    {gfx9,
     64,
     16,
     64,
     "v_smfmac_f32_16x16x64_bf8_bf8",
     "f32",
     {"bf8", {1, 2, 4}, {8, 16}},
     {"bf8", {1, 2, 4, 8}, {16, 32}},
     2},
    {gfx9, 64, 32, 32, "v_smfmac_f32_32x32x32_fp8_fp8", "f32", {"fp8", {1, 2, 4}, {8}}, {"fp8", {1, 2, 4, 8}, {16}}, 2},
    {gfx9, 64, 32, 32, "v_smfmac_f32_32x32x32_fp8_bf8", "f32", {"fp8", {1, 2, 4}, {8}}, {"bf8", {1, 2, 4, 8}, {16}}, 2},
    {gfx9, 64, 32, 32, "v_smfmac_f32_32x32x32_bf8_fp8", "f32", {"bf8", {1, 2, 4}, {8}}, {"fp8", {1, 2, 4, 8}, {16}}, 2},
    {gfx9, 64, 32, 32, "v_smfmac_f32_32x32x32_bf8_bf8", "f32", {"bf8", {1, 2, 4}, {8}}, {"bf8", {1, 2, 4, 8}, {16}}, 2},
    {gfx950,
     64,
     16,
     64,
     "v_smfmac_f32_16x16x64_f16",
     "f32",
     {"f16", {1, 2, 4}, {8, 16}},
     {"f16", {1, 2, 4, 8}, {16, 32}},
     2},
    {gfx950,
     64,
     16,
     64,
     "v_smfmac_f32_16x16x64_bf16",
     "f32",
     {"bf16", {1, 2, 4}, {8, 16}},
     {"bf16", {1, 2, 4, 8}, {16, 32}},
     2},
    {gfx950, 64, 32, 32, "v_smfmac_f32_32x32x32_f16", "f32", {"f16", {1, 2, 4}, {8}}, {"f16", {1, 2, 4, 8}, {16}}, 2},
    {gfx950,
     64,
     32,
     32,
     "v_smfmac_f32_32x32x32_bf16",
     "f32",
     {"bf16", {1, 2, 4}, {8}},
     {"bf16", {1, 2, 4, 8}, {16}},
     2},
    {gfx950,
     64,
     16,
     128,
     "v_smfmac_i32_16x16x128_i8",
     "i32",
     {"i8", {1, 2, 4, 8}, {16, 32}},
     {"i8", {1, 2, 4, 8, 64}, {16, 32}}},
    {gfx950, 64, 32, 64, "v_smfmac_i32_32x32x64_i8", "i32", {"i8", {1, 2, 4, 8}, {16}}, {"i8", {1, 2, 4, 8, 32}, {16}}},
    {gfx950,
     64,
     16,
     128,
     "v_smfmac_f32_16x16x128_fp8_fp8",
     "f32",
     {"fp8", {1, 2, 4, 8}, {16, 32}},
     {"fp8", {1, 2, 4, 8, 64}, {16, 32}}},
    {gfx950,
     64,
     16,
     128,
     "v_smfmac_f32_16x16x128_fp8_bf8",
     "f32",
     {"fp8", {1, 2, 4, 8}, {16, 32}},
     {"bf8", {1, 2, 4, 8, 64}, {16, 32}}},
    {gfx950,
     64,
     16,
     128,
     "v_smfmac_f32_16x16x128_bf8_fp8",
     "f32",
     {"bf8", {1, 2, 4, 8}, {16, 32}},
     {"fp8", {1, 2, 4, 8, 64}, {16, 32}}},
    {gfx950,
     64,
     16,
     128,
     "v_smfmac_f32_16x16x128_bf8_bf8",
     "f32",
     {"bf8", {1, 2, 4, 8}, {16, 32}},
     {"bf8", {1, 2, 4, 8, 64}, {16, 32}}},
    {gfx950,
     64,
     32,
     64,
     "v_smfmac_f32_32x32x64_fp8_fp8",
     "f32",
     {"fp8", {1, 2, 4, 8}, {16}},
     {"fp8", {1, 2, 4, 8, 32}, {16}}},
    {gfx950,
     64,
     32,
     64,
     "v_smfmac_f32_32x32x64_fp8_bf8",
     "f32",
     {"fp8", {1, 2, 4, 8}, {16}},
     {"bf8", {1, 2, 4, 8, 32}, {16}}},
    {gfx950,
     64,
     32,
     64,
     "v_smfmac_f32_32x32x64_bf8_fp8",
     "f32",
     {"bf8", {1, 2, 4, 8}, {16}},
     {"fp8", {1, 2, 4, 8, 32}, {16}}},
    {gfx950,
     64,
     32,
     64,
     "v_smfmac_f32_32x32x64_bf8_bf8",
     "f32",
     {"bf8", {1, 2, 4, 8}, {16}},
     {"bf8", {1, 2, 4, 8, 32}, {16}}},
    {gfx12, 32, 16, 32, "v_swmmac_f32_16x16x32_f16", "f32", {"f16", {1, 2, 8}, {4}}, {"f16", {1, 2, 4, 16}, {8}}, 2},
    {gfx12, 32, 16, 32, "v_swmmac_f32_16x16x32_bf16", "f32", {"bf16", {1, 2, 8}, {4}}, {"bf16", {1, 2, 4, 16}, {8}}, 2},
    {gfx12, 32, 16, 32, "v_swmmac_f16_16x16x32_f16", "f16", {"f16", {1, 2, 8}, {4}}, {"f16", {1, 2, 4, 16}, {8}}, 2},
    {gfx12,
     32,
     16,
     32,
     "v_swmmac_bf16_16x16x32_bf16",
     "bf16",
     {"bf16", {1, 2, 8}, {4}},
     {"bf16", {1, 2, 4, 16}, {8}},
     2},
    {gfx12,
     32,
     16,
     32,
     "v_swmmac_i32_16x16x32_iu8",
     "i32",
     {"i8", {1, 2, 4}, {8}},
     {"i8", {1, 2, 4, 8}, {16}},
     2,
     "neg_lo:[1,1,0]"},
    {gfx12,
     32,
     16,
     32,
     "v_swmmac_i32_16x16x32_iu4",
     "i32",
     {"iu4", {1, 2, 4}, {8}},
     {"u4", {1, 2, 4, 8}, {16}},
     2,
     "neg_lo:[1,0,0]"},
    {gfx12,
     32,
     16,
     64,
     "v_swmmac_i32_16x16x64_iu4",
     "i32",
     {"u4", {1, 2, 4, 8}, {16}},
     {"iu4", {1, 2, 4, 8, 16}, {32}},
     1,
     "neg_lo:[0,1,0]"},
    {gfx12,
     32,
     16,
     32,
     "v_swmmac_f32_16x16x32_fp8_fp8",
     "f32",
     {"fp8", {1, 2, 4}, {8}},
     {"fp8", {1, 2, 4, 8}, {16}},
     2},
    {gfx12,
     32,
     16,
     32,
     "v_swmmac_f32_16x16x32_fp8_bf8",
     "f32",
     {"fp8", {1, 2, 4}, {8}},
     {"bf8", {1, 2, 4, 8}, {16}},
     2},
    {gfx12,
     32,
     16,
     32,
     "v_swmmac_f32_16x16x32_bf8_fp8",
     "f32",
     {"bf8", {1, 2, 4}, {8}},
     {"fp8", {1, 2, 4, 8}, {16}},
     2},
    {gfx12,
     32,
     16,
     32,
     "v_swmmac_f32_16x16x32_bf8_bf8",
     "f32",
     {"bf8", {1, 2, 4}, {8}},
     {"bf8", {1, 2, 4, 8}, {16}},
     2},
    {gfx12, 64, 16, 32, "v_swmmac_f32_16x16x32_f16", "f32", {"f16", {1, 2}, {4, 8}}, {"f16", {1, 2, 4}, {8, 16}}, 4},
    {gfx12, 64, 16, 32, "v_swmmac_f32_16x16x32_bf16", "f32", {"bf16", {1, 2}, {4, 8}}, {"bf16", {1, 2, 4}, {8, 16}}, 4},
    {gfx12, 64, 16, 32, "v_swmmac_f16_16x16x32_f16", "f16", {"f16", {1, 2}, {4, 8}}, {"f16", {1, 2, 4}, {8, 16}}, 4},
    {gfx12,
     64,
     16,
     32,
     "v_swmmac_bf16_16x16x32_bf16",
     "bf16",
     {"bf16", {1, 2}, {4, 8}},
     {"bf16", {1, 2, 4}, {8, 16}},
     4},
    {gfx12,
     64,
     16,
     32,
     "v_swmmac_i32_16x16x32_iu8",
     "i32",
     {"i8", {1, 2}, {8, 4}},
     {"i8", {1, 2, 4}, {16, 8}},
     4,
     "neg_lo:[1,1,0]"},
    {gfx12,
     64,
     16,
     32,
     "v_swmmac_i32_16x16x32_iu4",
     "i32",
     {"iu4", {1, 2, 4}, {8}},
     {"u4", {1, 2, 4}, {16, 8}},
     2,
     "neg_lo:[1,0,0]"},
    {gfx12,
     64,
     16,
     64,
     "v_swmmac_i32_16x16x64_iu4",
     "i32",
     {"iu4", {1, 2, 4}, {16, 8}},
     {"u4", {1, 2, 4, 8}, {32, 16}},
     2,
     "neg_lo:[1,0,0]"},
    {gfx12,
     64,
     16,
     32,
     "v_swmmac_f32_16x16x32_fp8_bf8",
     "f32",
     {"fp8", {1, 2}, {8, 4}},
     {"bf8", {1, 2, 4}, {16, 8}},
     4},
    {gfx12,
     64,
     16,
     32,
     "v_swmmac_f32_16x16x32_fp8_fp8",
     "f32",
     {"fp8", {1, 2}, {8, 4}},
     {"fp8", {1, 2, 4}, {16, 8}},
     4},
    {gfx12,
     64,
     16,
     32,
     "v_swmmac_f32_16x16x32_bf8_bf8",
     "f32",
     {"bf8", {1, 2}, {8, 4}},
     {"bf8", {1, 2, 4}, {16, 8}},
     4},
    {gfx12,
     64,
     16,
     32,
     "v_swmmac_f32_16x16x32_bf8_fp8",
     "f32",
     {"bf8", {1, 2}, {8, 4}},
     {"fp8", {1, 2, 4}, {16, 8}},
     4},
};

TEST(MatrixSparse, EveryFormFindsItsElements) {
  for (const Case &k : sparse)
    for (const std::string &chip : k.chips)
      for (MatrixMode mode : {MatrixMode::Exact, MatrixMode::Fast})
        for (unsigned set = 0; set < k.sets; ++set)
          runSparse(k, chip, set, mode);
}

TEST(MatrixSparse, RoundsLikeTheDenseFormWithItsElements) {
  // The index picks 0 and 1 of every four, so the dense instruction of half the K sees the same products.
  std::mt19937 g(3);
  for (int round = 0; round < 20; ++round) {
    Lines l("gfx942");
    for (unsigned r = 0; r < 128; ++r)
      for (unsigned lane = 0; lane < 64; ++lane)
        l.v(r)[lane] = uint32_t(g()) & 0xbfffbfff;
    l.fill(8, 0x44444444);
    for (unsigned r = 0; r < 4; ++r) {
      for (unsigned lane = 0; lane < 64; ++lane)
        l.v(64 + r)[lane] = l.v(80 + r)[lane] = std::bit_cast<uint32_t>(float(int(g() % 2000)) / 7);
    }
    // B of the dense form: k = 4 * (lane / 16) + e from the sparse B's 4 * (k / 2) + k % 2.
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned e = 0; e < 4; ++e) {
        unsigned k = 4 * (lane / 16) + e, from = 4 * (k / 2) + k % 2;
        uint32_t word = l.v(4 + from % 8 / 2)[lane % 16 + 16 * (from / 8)] >> (16 * (from % 2)) & 0xffff;
        uint32_t &out = l.v(16 + e / 2)[lane];
        out = e % 2 ? (out & 0xffff) | word << 16 : (out & 0xffff0000) | word;
      }
    ASSERT_TRUE(l.run("v_smfmac_f32_16x16x32_f16 v[64:67], v[2:3], v[4:7], v8\n"
                      "v_mfma_f32_16x16x16_f16 v[80:83], v[2:3], v[16:17], v[80:83]"));
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned lane = 0; lane < 64; ++lane)
        ASSERT_EQ(l.v(64 + r)[lane], l.v(80 + r)[lane]);
  }
}

// f8f6f4 -----------------------------------------------------------------------------------------------
struct Type {
  const char *name;
  unsigned code;
};
const Type types[] = {{"fp8", 0}, {"bf8", 1}, {"fp6", 2}, {"bf6", 3}, {"fp4", 4}};

Side side(const Type &type, unsigned m) {
  bool bytes = type.code < 2;
  if (m == 16)
    return bytes ? Side{type.name, {1, 2, 4, 8, 64}, {16, 32}} : Side{type.name, {1, 2, 4, 8, 16}, {32, 64}};
  return bytes ? Side{type.name, {1, 2, 4, 8, 32}, {16}} : Side{type.name, {1, 2, 4, 8, 16}, {32}};
}

void runScaled(unsigned m, const Type &ta, const Type &tb, MatrixMode mode, bool scaled, unsigned byteA,
               unsigned byteB) {
  unsigned count = m == 16 ? 128 : 64;
  std::string shape = m == 16 ? "16x16x128" : "32x32x64";
  Case k{gfx950, 64, m, count, "", "f32", side(ta, m), side(tb, m)};
  Machine l("gfx950", k);
  l.options.matrix = mode;
  std::vector<int> a = l.fillSide(k.a, A, m, count), b = l.fillSide(k.b, B, m, count), c(m * m);
  for (unsigned r : {Index, Index + 1})
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned byte = 0; byte < 4; ++byte)
        l.element(r, lane, byte, 8, 124 + uint32_t(l.g() % 6));
  auto scale = [&](unsigned r, unsigned byte, unsigned row, unsigned at) {
    return scaled ? std::ldexp(1.0, int(l.v(r)[row + m * (at / 32)] >> (8 * byte) & 0xff) - 127) : 1.0;
  };
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < m; ++column)
      l.putC(D, row, column, c[row * m + column] = l.small());
  auto pick = [](unsigned x, unsigned y) { return "[" + std::to_string(x) + "," + std::to_string(y) + ",0]"; };
  auto width = [](unsigned code) { return code < 2 ? 8u : code < 4 ? 6u : 4u; };
  std::string text = std::string("v_mfma_") + (scaled ? "scale_" : "") + "f32_" + shape + "_f8f6f4 " +
                     range('v', D, m * m / 64) + ", " + range('v', A, width(ta.code)) + ", " +
                     range('v', B, width(tb.code)) + ", " + range('v', D, m * m / 64);
  if (scaled)
    text += ", v40, v41 op_sel:" + pick(byteA & 1, byteB & 1) + " op_sel_hi:" + pick(byteA >> 1, byteB >> 1);
  text += " cbsz:" + std::to_string(ta.code) + " blgp:" + std::to_string(tb.code);
  ASSERT_TRUE(l.run(text)) << text << ": " << l.context.fault.message;
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < m; ++column) {
      double sum = c[row * m + column];
      for (unsigned i = 0; i < count; ++i)
        sum += a[row * count + i] * b[column * count + i] * scale(Index, byteA, row, i) *
               scale(Index + 1, byteB, column, i);
      ASSERT_EQ(l.getD(D, row, column), sum) << text << ": row " << row << " column " << column;
    }
}

TEST(MatrixScaled, EveryPairOfFormats) {
  for (unsigned m : {16u, 32u})
    for (const Type &a : types)
      for (const Type &b : types) {
        runScaled(m, a, b, MatrixMode::Exact, false, 0, 0);
        runScaled(m, a, b, MatrixMode::Exact, true, a.code % 4, (a.code + b.code) % 4);
        runScaled(m, a, b, MatrixMode::Fast, true, b.code % 4, 3);
      }
}

TEST(MatrixScaled, ScalesReachBothEnds) {
  // Ones times ones, 128 of them: the sum is 2^7 times the scales.
  auto run = [](uint32_t scaleA, uint32_t scaleB, uint32_t c) {
    Lines l("gfx950");
    for (unsigned r = 0; r < 32; ++r)
      l.fill(r, 0x22222222); // fp4 ones
    l.fill(40, scaleA), l.fill(41, scaleB);
    for (unsigned r = 64; r < 68; ++r)
      l.fill(r, c);
    EXPECT_TRUE(l.run("v_mfma_scale_f32_16x16x128_f8f6f4 v[64:67], v[0:3], v[4:7], v[64:67], v40, v41 "
                      "op_sel_hi:[0,0,0] cbsz:4 blgp:4"))
        << l.context.fault.message;
    return l.v(66)[17];
  };
  auto bits = [](double x) { return std::bit_cast<uint32_t>(float(x)); };
  EXPECT_EQ(run(127, 127, 0), bits(128));
  EXPECT_EQ(run(0, 105, 0), bits(std::ldexp(1.0, 7 - 127 - 22))); // a subnormal result
  EXPECT_EQ(run(0, 0, bits(3)), bits(3));                         // far below C
  EXPECT_EQ(run(254, 128, 0), 0x7f800000u);                       // one product beyond f32
  EXPECT_EQ(run(240, 127, 0), bits(std::ldexp(1.0, 120)));
  EXPECT_EQ(run(255, 127, 0), 0x7fc00000u); // E8M0's NaN
  EXPECT_EQ(run(127, 255, bits(1)), 0x7fc00000u);
}

} // namespace
