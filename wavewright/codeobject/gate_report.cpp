#include "wavewright/codeobject/gate.h"

#include <fmt/format.h>

#include <numeric>

namespace wavewright::codeobject {
namespace {

struct MixField {
  const char *key;
  const char *words;
  unsigned InstructionMix::*count;
};
const MixField mixFields[] = {{"valu", "VALU", &InstructionMix::valu},
                              {"matrix", "matrix", &InstructionMix::matrix},
                              {"salu", "SALU", &InstructionMix::salu},
                              {"smem", "SMEM", &InstructionMix::smem},
                              {"vmem_loads", "memory loads", &InstructionMix::vmemLoads},
                              {"vmem_stores", "memory stores", &InstructionMix::vmemStores},
                              {"vmem_atomics", "memory atomics", &InstructionMix::vmemAtomics},
                              {"lds_dma", "loads to LDS", &InstructionMix::ldsDma},
                              {"lds", "LDS", &InstructionMix::lds},
                              {"branches", "branches", &InstructionMix::branches},
                              {"calls", "calls", &InstructionMix::calls},
                              {"waits", "waits", &InstructionMix::waits},
                              {"barriers", "barriers", &InstructionMix::barriers},
                              {"hints", "hints", &InstructionMix::hints},
                              {"other", "other", &InstructionMix::other},
                              {"unknown", "unknown", &InstructionMix::unknown}};

std::string mixLine(const InstructionMix &mix) {
  std::string line = fmt::format("{}", mix.total);
  const char *separator = ": ";
  for (const MixField &field : mixFields)
    if (mix.*field.count) {
      line += fmt::format("{}{} {}", separator, mix.*field.count, field.words);
      separator = ", ";
    }
  return line;
}

double totalTime(llvm::ArrayRef<StageTime> stages) {
  return std::accumulate(stages.begin(), stages.end(), 0.0,
                         [](double sum, const StageTime &stage) { return sum + stage.milliseconds; });
}

} // namespace

std::string formatReport(const ResourceReport &report, llvm::ArrayRef<StageTime> stages) {
  std::string text;
  auto line = [&](std::string_view what, std::string value) { text += fmt::format("  {:<14}{}\n", what, value); };
  text += report.place ? fmt::format("{} on {} ({})\n", report.kernel, report.chip->name, report.place.str())
                       : fmt::format("{} on {}\n", report.kernel, report.chip->name);
  line("chip", fmt::format("{} ({}), waves of {}", report.chip->name, generationName(report.chip->generation),
                           report.waveSize));
  line("VGPR", fmt::format("{} (allocated {} of {})", report.vgprs, report.allocatedVgprs, report.maxVgprs));
  line("AGPR", report.chip->registers.maxAgprs ? fmt::format("{}", report.agprs) : "none on this chip");
  line("SGPR", fmt::format("{} of {}", report.sgprs, report.chip->registers.sgprsAddressable));
  line("LDS", fmt::format("{} bytes of {}", report.ldsBytes, report.chip->lds.bytesPerGroup));
  line("spills",
       fmt::format("{} VGPR, {} SGPR, {} bytes of scratch", report.vgprSpills, report.sgprSpills, report.scratchBytes));
  line("occupancy", fmt::format("{} waves a SIMD of {} with work-groups of {}, limited by {}", report.occupancy,
                                report.chip->registers.maxWavesPerSimd, report.groupSize, report.occupancyLimit));
  line("code", fmt::format("{} bytes", report.codeBytes));
  line("instructions", mixLine(report.mix));
  if (!stages.empty()) {
    line("compile time", fmt::format("{:.1f} ms", totalTime(stages)));
    for (const StageTime &stage : stages)
      text += fmt::format("    {:<24}{:>9.1f} ms\n", stage.name, stage.milliseconds);
  }
  for (const std::string &warning : report.warnings)
    text += fmt::format("  warning: {}\n", warning);
  return text;
}

llvm::json::Value reportJson(const ResourceReport &report, llvm::ArrayRef<StageTime> stages) {
  auto string = [](std::string_view text) {
    return llvm::json::Value(llvm::json::fixUTF8({text.data(), text.size()}));
  };
  llvm::json::Object mix{{"total", report.mix.total}, {"scratch", report.mix.scratch}};
  for (const MixField &field : mixFields)
    mix[field.key] = report.mix.*field.count;
  llvm::json::Array times, warnings, undecodable;
  for (const StageTime &stage : stages)
    times.push_back(llvm::json::Object{{"stage", string(stage.name)}, {"milliseconds", stage.milliseconds}});
  for (const std::string &warning : report.warnings)
    warnings.push_back(string(warning));
  for (const UndecodableWord &word : report.undecodable)
    undecodable.push_back(
        llvm::json::Object{{"address", word.address}, {"word", word.word}, {"place", string(word.place.str())}});
  return llvm::json::Object{{"chip", string(report.chip->name)},
                            {"kernel", string(report.kernel)},
                            {"place", string(report.place.str())},
                            {"wave_size", report.waveSize},
                            {"group_size", report.groupSize},
                            {"vgprs", report.vgprs},
                            {"agprs", report.agprs},
                            {"allocated_vgprs", report.allocatedVgprs},
                            {"max_vgprs", report.maxVgprs},
                            {"sgprs", report.sgprs},
                            {"vgpr_spills", report.vgprSpills},
                            {"sgpr_spills", report.sgprSpills},
                            {"scratch_bytes", report.scratchBytes},
                            {"dynamic_stack", report.dynamicStack},
                            {"lds_bytes", report.ldsBytes},
                            {"code_bytes", report.codeBytes},
                            {"occupancy", report.occupancy},
                            {"occupancy_limit", string(report.occupancyLimit)},
                            {"instructions", std::move(mix)},
                            {"undecodable", std::move(undecodable)},
                            {"compile_times", std::move(times)},
                            {"warnings", std::move(warnings)}};
}

} // namespace wavewright::codeobject
