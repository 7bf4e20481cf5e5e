//===- emulator/grades.h - how far an instruction's result can be trusted -------------------------===//
//
// The one table of grades: the page of instructions and a run's fidelity report read it.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/micro_op.h"

#include <string_view>

namespace wavewright::emulator {

/// From best to worst.
enum class Grade : uint8_t {
  Exact,         ///< defined by IEEE or integer rules, or moves bits; payloads of NaNs apart
  Characterised, ///< follows a rule that was measured on silicon, named as the source
  Unverified     ///< the manual's text, a bound, or a rule of another chip
};
std::string_view gradeName(Grade grade);

struct GradeOf {
  Grade grade = Grade::Unverified;
  std::string_view source; ///< what the grade rests on
};
/// By the name that LLVM prints for the chip, as in Instruction::name.
GradeOf gradeOf(std::string_view name, Generation generation);

} // namespace wavewright::emulator
