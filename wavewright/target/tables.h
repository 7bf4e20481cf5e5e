//===- target/tables.h - how the chip tables are spelled ------------------------------------------===//
//
// Internal to the room: the vocabulary in which cdna3.cpp ... cdna5.cpp state their facts.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/target/target.h"

namespace wavewright::tables {

using enum DType;

/// Images of index bits, low bit first: row(4) is "this bit adds 4 to the row". For A the row is m, for B it is n,
/// for C and D `row` is m and `col` is n.
constexpr BasisPair row(int16_t bit) { return {bit, 0}; }
constexpr BasisPair k(int16_t bit) { return {0, bit}; }
constexpr BasisPair col(int16_t bit) { return {0, bit}; }
constexpr BasisPair same = {0, 0}; ///< lanes that differ in this bit hold (and must hold) equal data

template <BasisPair... Images> inline constexpr std::array<BasisPair, sizeof...(Images)> bits{Images...};

/// One line of an atom table whose A and B are laid out alike.
constexpr MatrixAtom atom(MatrixFamily family, int waveSize, std::string_view name, std::string_view intrinsic, int m,
                          int n, int k, DType a, DType b, DType d, int vgprsAB, int vgprsD, int cycles,
                          const OperandBases &layoutAB, const OperandBases &layoutD) {
  return {name, intrinsic, family,  waveSize, m,      n,      k,        1,        a,
          b,    d,         vgprsAB, vgprsAB,  vgprsD, cycles, layoutAB, layoutAB, layoutD};
}

template <size_t... Sizes> constexpr auto join(const std::array<MatrixAtom, Sizes> &...tables) {
  std::array<MatrixAtom, (Sizes + ...)> all{};
  size_t at = 0;
  auto append = [&](const auto &table) {
    for (const MatrixAtom &entry : table)
      all[at++] = entry;
  };
  (append(tables), ...);
  return all;
}

//===----------------------------------------------------------------------------------------------===//
// LDS phases
//===----------------------------------------------------------------------------------------------===//
using Phase = std::array<uint8_t, 32>;

/// The phases of a wave that is served `size` consecutive lanes at a time.
template <int WaveSize, int Size> constexpr std::array<Phase, WaveSize / Size> contiguousPhases() {
  std::array<Phase, WaveSize / Size> phases{};
  for (int phase = 0; phase < WaveSize / Size; ++phase)
    for (int i = 0; i < 32; ++i)
      phases[phase][i] = i < Size ? uint8_t(phase * Size + i) : uint8_t(0xff);
  return phases;
}
template <int WaveSize, int Size> inline constexpr auto consecutive = contiguousPhases<WaveSize, Size>();

/// Phases given for lanes 0-31, then the same for lanes 32-63; each phase is made of runs of four lanes.
template <size_t Runs, size_t Count>
constexpr std::array<Phase, 2 * Count> phasesOfRuns(const std::array<std::array<uint8_t, Runs>, Count> &firstLanes) {
  std::array<Phase, 2 * Count> phases{};
  for (size_t phase = 0; phase < 2 * Count; ++phase) {
    phases[phase].fill(0xff);
    for (size_t i = 0; i < 4 * Runs; ++i)
      phases[phase][i] = uint8_t(firstLanes[phase % Count][i / 4] + i % 4 + (phase < Count ? 0 : 32));
  }
  return phases;
}

//===----------------------------------------------------------------------------------------------===//
// The rows, one a chip, defined in the generation's file
//===----------------------------------------------------------------------------------------------===//
extern const Target gfx942, gfx950, gfx1100, gfx1151, gfx1201, gfx1250;

} // namespace wavewright::tables
