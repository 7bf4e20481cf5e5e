//===- emulator/semantics/scalar/matrix_layout.cpp -------------------------------------------------===//
#include "wavewright/emulator/semantics/scalar/matrix_layout.h"

#include <algorithm>

namespace wavewright::emulator::matrix {
namespace {

/// MFMA, A and B: `extent` lanes walk along the row index, then the blocks follow, and what lanes are left split K
/// into equal runs, each held by one lane in its slots. 8-bit K=128 and K=64 shapes (f8f6f4) hand out runs of 16.
Position mfmaInput(const Geometry &g, unsigned extent, unsigned lane, unsigned slot) {
  unsigned part = lane / (extent * g.blocks), parts = 64 / (extent * g.blocks);
  Position p{lane % extent, 0, lane / extent % g.blocks};
  unsigned perLane = g.k / parts;
  if (g.inputBits == 8 && perLane == 32)
    p.second = slot % 16 + 16 * (part + parts * (slot / 16));
  else
    p.second = perLane * part + slot;
  return p;
}

/// MFMA, C and D: lanes walk along the columns. Of f32 and i32 results a lane owns four rows in a row, the next four
/// belong to the next group of lanes; of f64 one row each. Blocks that do not fill a register share it.
Position mfmaOutput(const Geometry &g, unsigned lane, unsigned slot) {
  unsigned column = lane % g.n, group = lane / g.n, groups = 64 / g.n;
  if (g.m * g.n <= 64 && g.outputBits == 64)
    return {group / g.blocks, column, group % g.blocks};
  if (g.m * g.n < 64)
    return {slot, column, group};
  unsigned perBlock = g.m * g.n / 64, inBlock = slot % perBlock;
  unsigned run = g.outputBits == 64 ? 1 : 4;
  return {inBlock % run + run * (group + groups * (inBlock / run)), column, slot / perBlock};
}

/// gfx12, A and B. Wave32 gives bit 4 of the lane to K, wave64 bits 4 and 5; 16-bit data interleaves runs of four, of a
/// sparse product's B runs of eight.
Position gfx12Input(const Geometry &g, unsigned lane, unsigned slot) {
  unsigned low = lane / 16 & 1, high = lane / 32;
  unsigned run = g.sparse ? 8 : 4;
  Position p{lane % 16, 0, 0};
  if (g.wave == 32 || g.k * g.inputBits == 64)
    p.second = g.inputBits == 16 ? slot % run + run * (low + 2 * (slot / run)) : slot + g.k / 2 * low;
  else if (g.inputBits == 16)
    p.second = slot + run * (low + 2 * high);
  else
    p.second = slot + g.k / 4 * high + g.k / 2 * low;
  return p;
}

} // namespace

unsigned lanes(const Geometry &g, Side side) {
  // A 16x16 operand of 64 bits a row fills two registers' worth of 16 lanes: half of a wave64.
  if (side != Side::D && g.family == Family::WmmaGfx12 && g.k * g.inputBits == 64)
    return 32;
  return g.wave;
}

unsigned slots(const Geometry &g, Side side) {
  if (side == Side::D)
    return g.m * g.n * g.blocks / g.wave;
  if (g.family == Family::WmmaGfx11)
    return g.k; // every 16 lanes hold the whole operand
  return (side == Side::A ? g.m : g.n) * g.k * g.blocks / lanes(g, side);
}

Position position(const Geometry &g, Side side, unsigned lane, unsigned slot) {
  switch (g.family) {
  case Family::Mfma:
    return side == Side::D ? mfmaOutput(g, lane, slot) : mfmaInput(g, side == Side::A ? g.m : g.n, lane, slot);
  case Family::WmmaGfx11:
    if (side != Side::D)
      return {lane % 16, slot, 0};
    return {g.wave / 16 * slot + lane / 16, lane % 16, 0};
  case Family::WmmaGfx12:
    if (side != Side::D)
      return gfx12Input(g, lane, slot);
    if (g.wave == 32)
      return {slot + 8 * (lane / 16), lane % 16, 0};
    return {slot + 4 * (lane / 32) + 8 * (lane / 16 & 1), lane % 16, 0};
  }
  return {};
}

std::vector<Line> lines(const Geometry &g, Side side) {
  unsigned extent = side == Side::A ? g.m : g.n, outer = side == Side::D ? g.m : g.k;
  unsigned bits = side == Side::D ? g.outputBits : g.inputBits;
  // gfx11 keeps 16-bit results one to a register; op_sel picks the half.
  unsigned pitch = side == Side::D && g.family == Family::WmmaGfx11 ? 32 : bits;
  std::vector<Line> result(size_t(outer) * g.blocks);
  std::vector<unsigned> filled(result.size(), 0);
  for (unsigned slot = 0; slot < slots(g, side); ++slot) {
    for (unsigned lane = 0; lane < lanes(g, side); ++lane) {
      Position p = position(g, side, lane, slot);
      unsigned row = side == Side::D ? p.first : p.second, along = side == Side::D ? p.second : p.first;
      if (row >= outer || along >= extent || p.block >= g.blocks)
        return {};
      Line &line = result[size_t(row) * g.blocks + p.block];
      unsigned &count = filled[size_t(row) * g.blocks + p.block];
      unsigned bit = slot * pitch;
      if (along == 0 && count == 0)
        line = {uint8_t(bit / 32), uint8_t(bit % 32), uint8_t(lane)};
      else if (along == 0 || count == extent)
        continue; // the copy that gfx11's upper lanes hold
      if (along != count || line.lane + along != lane || line.reg * 32u + line.shift != bit)
        return {};
      ++count;
    }
  }
  if (std::any_of(filled.begin(), filled.end(), [&](unsigned count) { return count != extent; }))
    return {};
  return result;
}

} // namespace wavewright::emulator::matrix
