//===- layout/linear_layout.h - who holds which element -------------------------------------------===//
//
// A layout is a linear map over F2. Its input is a list of named index spaces (slot, lane, wave, ...), its
// output a list of named coordinates (row, col, byte, ...); every space is a power of two. The image of an
// index is the XOR of the images of its set bits, so composing, inverting and counting bank conflicts are
// matrix algebra, and freedom from conflicts is proved, not sampled.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/target/target.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wavewright::layout {

/// Coordinates, one number an output (or input) dimension, in the layout's own order.
using Coords = llvm::SmallVector<int32_t, 3>;

/// One input space: its name and the image of each of its bits, low bit first.
struct InputSpace {
  std::string name;
  std::vector<Coords> bases;
  int size() const { return 1 << bases.size(); }
};

class LinearLayout {
public:
  /// `outs` names the output dimensions and gives their sizes (powers of two).
  LinearLayout(std::vector<std::pair<std::string, int32_t>> outs, std::vector<InputSpace> ins);
  static LinearLayout identity(std::string in, std::string out, int32_t size);

  llvm::ArrayRef<InputSpace> inputs() const { return ins; }
  llvm::ArrayRef<std::pair<std::string, int32_t>> outputs() const { return outs; }
  const InputSpace *input(llvm::StringRef name) const;
  std::optional<unsigned> output(llvm::StringRef name) const;

  /// The image of one index per input space.
  Coords apply(llvm::ArrayRef<int32_t> index) const;
  /// The map `x -> outer(this(x))`; this layout's outputs must be outer's inputs, by name and size.
  LinearLayout compose(const LinearLayout &outer) const;
  /// Direct product: spaces of the same name are concatenated, `other` in the high bits; likewise outputs.
  LinearLayout product(const LinearLayout &other) const;
  /// Keeps only some outputs, in the order given (projection); others are forgotten.
  LinearLayout project(llvm::ArrayRef<llvm::StringRef> outputs) const;
  /// Keeps only some input spaces, in the order given (the others are held at 0).
  LinearLayout restrict(llvm::ArrayRef<llvm::StringRef> inputs) const;
  /// A right inverse (coordinates -> a preimage with all free bits 0); nothing if not surjective.
  std::optional<LinearLayout> invert() const;

  bool isSurjective() const;
  bool isInjective() const;
  bool operator==(const LinearLayout &other) const;
  std::string str() const; ///< "slot: (0,1) (0,2); lane: (1,0) ... -> row 16, col 64"

private:
  std::vector<std::pair<std::string, int32_t>> outs;
  std::vector<InputSpace> ins;
};

enum class MatrixOperand : uint8_t { A, B, C };

/// The only place that the compiler's matrix lane maps come from: spaces "slot" and "lane"; outputs ("row","col") =
/// (m,k) for A, (n,k) for B, (m,n) for C. `atom.blocks` must be 1.
LinearLayout operandLayout(const MatrixAtom &atom, MatrixOperand operand);

/// The operand layout for a tile's K of `kExtent` (a power of two multiple of atom.k) in which a lane's consecutive
/// slots are `kWidth` consecutive k: the K bits are relabelled, the same for A and B, so dot products are unchanged.
/// One b128 read then feeds several k-steps (gfx942 bf16: kWidth 8, two 16x16x16 steps). Slots are ordered so that
/// each run of the atom's own slot count is one atom operand, k-step by k-step.
LinearLayout operandTileLayout(const MatrixAtom &atom, MatrixOperand operand, int kExtent, int kWidth);

/// Work of one LDS access by a wave: `cycles` = sum over phases of the fullest bank; `conflicts` = cycles - phases.
struct BankReport {
  int phases = 0;
  int cycles = 0;
  int conflicts() const { return cycles - phases; }
  bool proved = false; ///< true when shown by rank over F2; false when counted lane by lane
};

/// `toByte` maps "lane" (and nothing else that varies) to the "byte" output: the LDS address of a lane's access of
/// `bytes` (4, 8, 12, 16; 1 and 2 cost a dword). Equal addresses broadcast. A wave64 of a wave32 chip is served twice.
BankReport bankConflicts(const LinearLayout &toByte, const Target &target, Access access, int bytes);

/// The shared-memory map (row, col) -> byte of a tile of `rows` x `cols` elements of `elementBytes`, both powers of
/// two, that costs least for both register layouts ("slot","lane" -> row, col), each access `vectorBytes` wide.
/// XORs 16-byte granules of a row with row bits 0..3 only, so an origin that is a multiple of 16 rows adds plainly.
/// The register layouts may be smaller than the tile (a wave's share); an access is narrower than `vectorBytes` (a
/// power of two, at most 16) where a lane does not hold as many consecutive columns.
LinearLayout chooseSwizzle(const LinearLayout &store, const LinearLayout &load, const Target &target, int rows,
                           int cols, int elementBytes, int vectorBytes);

/// Elements that a lane holds consecutively along `dim` from slot 0 upwards: the widest vector access, a power of two.
int consecutiveElements(const LinearLayout &registers, llvm::StringRef dim);

/// Register layout for memory access of a rows x cols block by one wave: `vector` consecutive columns a lane, lanes
/// along the columns first, then the rows; all powers of two, rows*cols >= waveSize*vector or lanes duplicate.
LinearLayout blockedLayout(int rows, int cols, int vector, int waveSize);

} // namespace wavewright::layout
