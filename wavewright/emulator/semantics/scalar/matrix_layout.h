//===- emulator/semantics/scalar/matrix_layout.h - which lane and slot hold which element ----------===//
//
// The emulator's own statement of operand positions, from AMD's manuals and matrix instruction calculator. It is
// deliberately not derived from wavewright/target or wavewright/layout, which the compiler uses: each is the other's
// check (tests/unit/emulator_matrix_layout.cpp).
//
// A slot is the n-th element of a lane's packed operand, counted little-endian through its registers.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace wavewright::emulator::matrix {

enum class Family : uint8_t { Mfma, WmmaGfx11, WmmaGfx12 };
enum class Side : uint8_t { A, B, D };

/// What decides the positions of one operand of a matrix instruction. Of a sparse one, A holds k / 2 elements a row:
/// its geometry has that k, B's the whole.
struct Geometry {
  Family family = Family::Mfma;
  unsigned wave = 64;
  unsigned m = 0, n = 0, k = 0, blocks = 1;
  unsigned inputBits = 16;  ///< of one element of A and B
  unsigned outputBits = 32; ///< of one element of C and D
  bool sparse = false;      ///< of B: SWMMAC hands out longer runs of K than WMMA
};

/// A: (row of A, k). B: (column of B, k). C and D: (row, column).
struct Position {
  unsigned first = 0, second = 0, block = 0;
};

unsigned slots(const Geometry &g, Side side);
/// Lanes that hold data; the others' registers are not read (gfx12 wave64 with 32 bits in all).
unsigned lanes(const Geometry &g, Side side);
Position position(const Geometry &g, Side side, unsigned lane, unsigned slot);

/// A run of consecutive lanes of one register that holds consecutive rows of A (columns of B, columns of D).
struct Line {
  uint8_t reg = 0;   ///< relative to the operand's first register
  uint8_t shift = 0; ///< bit of the register where the element starts
  uint8_t lane = 0;  ///< of the run's first element
};
/// A and B: one line a (k, block), k outermost. D: one line a (row, block), row outermost. Empty when an element is
/// missing or a run is broken, which no instruction here has.
std::vector<Line> lines(const Geometry &g, Side side);

} // namespace wavewright::emulator::matrix
