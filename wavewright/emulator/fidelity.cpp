#include "wavewright/emulator/fidelity.h"

#include <fmt/format.h>

#include <map>

namespace wavewright::emulator {

using codeobject::Instruction;
using codeobject::Program;

namespace {

bool jumpsThroughRegister(const Instruction &inst) {
  return inst.name == "s_setpc_b64" || inst.name == "s_swappc_b64" || inst.name == "s_add_pc_i64";
}

/// Marks what `entry` reaches; false when some jump goes to an address that only a register knows.
bool markReachable(const Program &program, uint64_t entry, std::vector<bool> &reached) {
  std::vector<int64_t> work{program.indexAt(entry)};
  while (!work.empty()) {
    int64_t index = work.back();
    work.pop_back();
    for (; index >= 0 && size_t(index) < program.instructions.size() && !reached[index]; ++index) {
      reached[index] = true;
      const Instruction &inst = program.instructions[index];
      if (jumpsThroughRegister(inst))
        return false;
      if (inst.isBranch() || inst.name == "s_call_b64")
        work.push_back(program.indexAt(inst.target));
      if (inst.name == "s_branch" || inst.name == "s_endpgm")
        break;
    }
  }
  return true;
}

} // namespace

Fidelity fidelityOf(const Program &program, uint64_t entry, Generation generation) {
  std::vector<bool> reached(program.instructions.size());
  if (!markReachable(program, entry, reached))
    reached.assign(reached.size(), true);

  Fidelity result;
  std::map<std::string_view, FidelityCause> causes;
  auto take = [&](const Instruction &inst, uint64_t address) {
    if (inst.name.empty())
      return;
    GradeOf grade = gradeOf(inst.name, generation);
    if (grade.grade == Grade::Exact || grade.grade < result.lowest)
      return;
    if (grade.grade > result.lowest)
      causes.clear();
    result.lowest = grade.grade;
    FidelityCause &cause = causes[inst.name];
    if (!cause.count++)
      cause = {inst.name, grade.source, 1, address};
  };
  for (size_t i = 0; i < reached.size(); ++i) {
    const Instruction &inst = program.instructions[i];
    if (!reached[i])
      continue;
    if (inst.halves)
      for (unsigned half = 0; half < 2; ++half)
        take(inst.halves[half], inst.address);
    else
      take(inst, inst.address);
  }
  for (const auto &[name, cause] : causes)
    result.causes.push_back(cause);
  return result;
}

std::string describeFidelity(const codeobject::CodeObject &object, const codeobject::Kernel &kernel) {
  Fidelity fidelity = fidelityOf(object.program(kernel), kernel.entryAddress, object.target().generation);
  std::string text =
      fmt::format("fidelity of {} on {}: {}\n", kernel.name, object.target().name, gradeName(fidelity.lowest));
  for (const FidelityCause &cause : fidelity.causes) {
    SourcePlace place = object.place(cause.address);
    std::string where = place ? place.str() : fmt::format("0x{:x}", cause.address);
    text += fmt::format("  {} x{}, first at {}: {}\n", cause.name, cause.count, where, cause.source);
  }
  return text;
}

llvm::json::Object fidelityToJson(const codeobject::CodeObject &object, const codeobject::Kernel &kernel) {
  Fidelity fidelity = fidelityOf(object.program(kernel), kernel.entryAddress, object.target().generation);
  auto text = [](std::string_view view) { return llvm::StringRef(view.data(), view.size()); };
  llvm::json::Array causes;
  for (const FidelityCause &cause : fidelity.causes)
    causes.push_back(llvm::json::Object{{"instruction", text(cause.name)},
                                        {"count", cause.count},
                                        {"address", cause.address},
                                        {"place", llvm::json::fixUTF8(object.place(cause.address).str())},
                                        {"source", text(cause.source)}});
  return llvm::json::Object{{"grade", text(gradeName(fidelity.lowest))}, {"causes", std::move(causes)}};
}

} // namespace wavewright::emulator
