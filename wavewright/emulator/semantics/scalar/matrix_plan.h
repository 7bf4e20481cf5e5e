//===- emulator/semantics/scalar/matrix_plan.h - a matrix instruction, predecoded ------------------===//
//
// Everything about a matrix instruction that does not depend on register contents: shape, formats, rule, and for each
// operand the lines that its elements come from, broadcasts (cbsz, abid) worked in.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/micro_op.h"
#include "wavewright/emulator/semantics/scalar/matrix_exact.h"
#include "wavewright/emulator/semantics/scalar/matrix_layout.h"

#include <string_view>

namespace wavewright::emulator::matrix {

/// Bounds of what one instruction can hold; the kernels' buffers are sized by them.
inline constexpr unsigned MaxElements = 2048;

struct Plan {
  Rule rule = Rule::FmaChain;
  Format a = Format::F32, b = Format::F32, result = Format::F32;
  unsigned m = 0, n = 0, k = 0, blocks = 1;
  bool clamp = false;
  bool absC = false, negC = false;
  bool negA = false, negB = false;               ///< f64 MFMA
  uint32_t flipA[2] = {0, 0}, flipB[2] = {0, 0}; ///< sign bits turned over in elements at bit 0, at bit 16
  unsigned registersB = 0, registersC = 0;       ///< 32-bit registers of B; of C and D
  unsigned patternB = 0;                         ///< blgp: B's lanes are read through lanesB
  /// A table, because clang 22.1.8 at -O3 for x86-64-v3 gets `x[lane % 16 + n]` wrong when it vectorises the loop.
  uint8_t lanesB[MaxLanes] = {};
  const Line *linesA = nullptr, *linesB = nullptr; ///< [k][block]
  const Line *linesD = nullptr;                    ///< [row][block]
  uint64_t flops = 0;

  /// Sparse forms: A holds k of the denseK elements of a row, two of every four; the index register says which two. Its
  /// two bits for an element of A stand in the element's own lane, at indexShift plus twice the element's slot.
  bool sparse = false;
  unsigned denseK = 0, indexShift = 0;
  /// Scaled forms: the byte of the scale register that is used; element i of a row has the scale of lane
  /// row + extent * (i / 32).
  bool scaled = false;
  unsigned scaleByteA = 0, scaleByteB = 0;
};

/// The lane that B reads instead of `lane` under a lane pattern. [CDNA3 ISA, table of BLGP]
constexpr unsigned patternLane(unsigned blgp, unsigned lane) {
  switch (blgp) {
  case 1:
    return lane % 32;
  case 2:
    return lane % 32 + 32;
  case 3:
    return (lane + 16) % 64;
  case 4:
  case 5:
  case 6:
  case 7:
    return lane % 16 + 16 * (blgp - 4);
  }
  return lane;
}

/// "v_mfma_f32_16x16x4_4b_f32" taken apart. False when the name is no matrix instruction.
struct Name {
  Family family = Family::Mfma;
  std::string_view result, a, b;
  unsigned m = 0, n = 0, k = 0, blocks = 1;
  bool sparse = false, scaled = false;
};
bool parseName(std::string_view name, Name &parsed);

/// Builds (or finds) the plan for an instruction. On failure null, and `why` says what is not supported.
const Plan *planFor(const codeobject::Instruction &instruction, const Target &target, const char *&why);

/// Semantics::prepare of every matrix instruction: leaves the plan in op.payload, B's scale in op.saddr.
const char *prepareMatrix(const codeobject::Instruction &instruction, const Target &target, MicroOp &op);

/// v_dot4_i32_i8 and its kind: op.payload says which sources are signed. `Flagged` ones take it from neg_lo. Whatever
/// neg_lo and neg_hi say, they are no sign modifiers here.
const char *prepareSignedDot(const codeobject::Instruction &instruction, const Target &target, MicroOp &op);
const char *prepareUnsignedDot(const codeobject::Instruction &instruction, const Target &target, MicroOp &op);
const char *prepareFlaggedDot(const codeobject::Instruction &instruction, const Target &target, MicroOp &op);
/// v_dot2_f16_f16, v_dot2_bf16_bf16: what VOP3's sign modifiers do to a pair is not published.
const char *preparePackedDot(const codeobject::Instruction &instruction, const Target &target, MicroOp &op);

} // namespace wavewright::emulator::matrix
