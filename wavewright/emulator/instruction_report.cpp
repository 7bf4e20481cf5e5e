#include "wavewright/emulator/instruction_report.h"

#include "wavewright/emulator/grades.h"
#include "wavewright/emulator/instruction_set.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <map>

namespace wavewright::emulator {

using llvm::json::Array, llvm::json::Object;

namespace {

llvm::StringRef text(std::string_view view) { return {view.data(), view.size()}; }

} // namespace

llvm::Expected<Object> instructionsToJson(const Target &target) {
  auto facts = instructionSet(target);
  if (!facts)
    return facts.takeError();
  Array instructions;
  for (const InstructionFacts &each : *facts) {
    GradeOf grade = gradeOf(each.name, target.generation);
    Array forms;
    for (size_t i = 0; i < each.forms.size(); ++i) {
      const codeobject::SweptForm &form = each.forms[i];
      Object entry{{"form", text(form.form)},
                   {"wave", form.waveSize},
                   {"bytes", llvm::toHex(form.bytes, /*LowerCase=*/true)},
                   {"text", form.text}};
      if (!each.refusals[i].empty())
        entry["refusal"] = each.refusals[i];
      forms.push_back(std::move(entry));
    }
    instructions.push_back(Object{{"name", text(each.name)},
                                  {"class", text(className(each.instructionClass))},
                                  {"grade", text(gradeName(grade.grade))},
                                  {"source", text(grade.source)},
                                  {"executes", each.executes()},
                                  {"forms", std::move(forms)}});
  }
  return Object{{"chip", text(target.name)}, {"instructions", std::move(instructions)}};
}

llvm::Expected<std::string> describeInstructions(const Target &target, bool all) {
  auto facts = instructionSet(target);
  if (!facts)
    return facts.takeError();
  struct Count {
    unsigned known = 0, executed = 0;
  };
  std::map<InstructionClass, Count> counts;
  std::string list;
  for (const InstructionFacts &each : *facts) {
    Count &count = counts[each.instructionClass];
    ++count.known;
    count.executed += each.executes();
    bool graphics = each.instructionClass == InstructionClass::Graphics;
    if (!all && (graphics || each.executes()))
      continue;
    list += fmt::format("  {:<40} {:<9} {:<13}", each.name, className(each.instructionClass),
                        gradeName(gradeOf(each.name, target.generation).grade));
    for (size_t i = 0; i < each.forms.size(); ++i)
      if (!each.refusals[i].empty())
        list += fmt::format(" [{}]", each.forms[i].form.empty() ? "not executed" : each.forms[i].form);
    list += '\n';
  }
  std::string out = fmt::format("{}\n", target.name);
  Count compute;
  for (auto [which, count] : counts) {
    out += fmt::format("  {:<9} {:>4} of {:>4}\n", className(which), count.executed, count.known);
    if (which != InstructionClass::Graphics)
      compute.known += count.known, compute.executed += count.executed;
  }
  out += fmt::format("  compute   {:>4} of {:>4} ({:.1f} %)\n", compute.executed, compute.known,
                     compute.known ? 100.0 * compute.executed / compute.known : 0.0);
  if (!list.empty())
    out += (all ? "instructions, forms not executed in brackets:\n" : "not executed in these forms:\n") + list;
  return out;
}

} // namespace wavewright::emulator
