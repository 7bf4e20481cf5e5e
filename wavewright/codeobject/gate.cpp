#include "wavewright/codeobject/gate.h"

#include "llvm/Support/Endian.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace wavewright::codeobject {
namespace {

bool startsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return name.starts_with(p); });
}

unsigned InstructionMix::*scalarClass(std::string_view name) {
  if (startsWithAny(name, {"s_branch", "s_cbranch"}))
    return &InstructionMix::branches;
  if (startsWithAny(name, {"s_swappc", "s_setpc", "s_call"}))
    return &InstructionMix::calls;
  if (startsWithAny(name, {"s_waitcnt", "s_wait_"}))
    return &InstructionMix::waits;
  if (startsWithAny(name, {"s_barrier"}))
    return &InstructionMix::barriers;
  if (startsWithAny(name, {"s_nop", "s_delay_alu", "s_clause", "s_setprio", "s_sleep", "s_inst_prefetch",
                           "s_set_inst_prefetch", "s_code_end"}))
    return &InstructionMix::hints;
  if (startsWithAny(name, {"s_endpgm", "s_sendmsg", "s_sethalt", "s_trap", "s_icache_inv", "s_ttrace", "s_wakeup"}))
    return &InstructionMix::other;
  return &InstructionMix::salu;
}

unsigned InstructionMix::*vectorMemoryClass(const Instruction &inst) {
  std::string_view name = inst.name;
  if (inst.lds)
    return &InstructionMix::ldsDma;
  if (name.find("atomic") != std::string_view::npos)
    return &InstructionMix::vmemAtomics;
  if (name.find("store") != std::string_view::npos)
    return &InstructionMix::vmemStores;
  if (name.find("load") != std::string_view::npos || inst.encoding == Encoding::Mimg)
    return &InstructionMix::vmemLoads;
  return &InstructionMix::other; // buffer_inv, global_wb, ...
}

unsigned InstructionMix::*classOf(const Instruction &inst) {
  switch (inst.encoding) {
  case Encoding::Unknown:
    return &InstructionMix::unknown;
  case Encoding::Sop1:
  case Encoding::Sop2:
  case Encoding::Sopk:
  case Encoding::Sopc:
  case Encoding::Sopp:
    return scalarClass(inst.name);
  case Encoding::Smem:
    return &InstructionMix::smem;
  case Encoding::Ds:
    return &InstructionMix::lds;
  case Encoding::Mubuf:
  case Encoding::Mtbuf:
  case Encoding::Flat:
  case Encoding::Global:
  case Encoding::Scratch:
  case Encoding::Mimg:
    return vectorMemoryClass(inst);
  case Encoding::Export:
  case Encoding::LdsDirect:
    return &InstructionMix::other;
  default:
    if (startsWithAny(inst.name, {"v_mfma", "v_smfmac", "v_wmma", "v_swmmac"}))
      return &InstructionMix::matrix;
    return inst.name == "v_nop" ? &InstructionMix::hints : &InstructionMix::valu;
  }
}

/// Whether control can run on past an instruction.
bool fallsThrough(const Instruction &inst) {
  return !startsWithAny(inst.name, {"s_branch", "s_endpgm", "s_setpc", "s_rfe"});
}

/// Words that no decoder knows in blocks that control can come to: not padding behind a function's end.
std::vector<UndecodableWord> undecodableWords(const CodeObject &object, const Kernel &kernel, const Program &program) {
  std::vector<bool> reached(program.instructions.size(), false);
  auto mark = [&](uint64_t address) {
    if (int64_t index = program.indexAt(address); index >= 0)
      reached[index] = true;
  };
  mark(kernel.entryAddress);
  for (const Symbol &symbol : object.symbols())
    if (symbol.function)
      mark(symbol.address);
  for (const Instruction &inst : program.instructions)
    if (inst.isBranch() || inst.name == "s_call_b64")
      mark(inst.target);
  std::vector<UndecodableWord> result;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction &inst = program.instructions[i];
    if (i && !reached[i]) {
      const Instruction &before = program.instructions[i - 1];
      reached[i] = reached[i - 1] && fallsThrough(before) && before.address + before.size == inst.address;
    }
    if (!reached[i] || inst.encoding != Encoding::Unknown)
      continue;
    UndecodableWord word;
    word.address = inst.address;
    word.place = object.place(inst.address);
    for (const Segment &segment : object.segments())
      if (inst.address >= segment.address && inst.address + 4 <= segment.address + segment.bytes.size())
        word.word = llvm::support::endian::read32le(segment.bytes.data() + (inst.address - segment.address));
    result.push_back(std::move(word));
  }
  return result;
}

void warn(ResourceReport &report) {
  auto add = [&](std::string text) { report.warnings.push_back(std::move(text)); };
  if (report.sgprSpills)
    add(fmt::format("{} SGPRs were spilled to VGPR lanes", report.sgprSpills));
  if (report.dynamicStack)
    add("the stack grows at run time: its size is not known here");
  if (!report.undecodable.empty()) {
    const UndecodableWord &first = report.undecodable.front();
    add(fmt::format("{} words do not decode on {}; the first is {:#010x} at {:#x}", report.undecodable.size(),
                    report.chip->name, first.word, first.address));
  }
}

std::string atPlace(const SourcePlace &place) { return place ? fmt::format(" ({})", place.str()) : ""; }

} // namespace

InstructionMix instructionMix(const Program &program) {
  InstructionMix mix;
  for (const Instruction &inst : program.instructions) {
    ++(mix.*classOf(inst));
    ++mix.total;
    if (inst.encoding == Encoding::Scratch)
      ++mix.scratch;
  }
  return mix;
}

ResourceReport resources(const CodeObject &object, const Kernel &kernel, int groupSize) {
  const Target &target = object.target();
  const Program &program = object.program(kernel);
  ResourceReport report;
  report.chip = &target;
  report.kernel = kernel.name;
  report.place = kernel.place;
  report.waveSize = kernel.waveSize;
  report.groupSize = groupSize > 0 ? groupSize : static_cast<int>(kernel.maxWorkGroupSize);
  report.agprs = kernel.agprs;
  // On CDNA the metadata counts both files together: align(v, 4) + a.
  report.vgprs =
      target.isCdna() && kernel.agprs && kernel.vgprs > kernel.agprs ? kernel.vgprs - kernel.agprs : kernel.vgprs;
  report.allocatedVgprs = kernel.allocatedVgprs;
  report.maxVgprs = static_cast<unsigned>(target.registers.maxVgprsPerWave);
  report.sgprs = kernel.sgprs;
  report.vgprSpills = kernel.vgprSpills;
  report.sgprSpills = kernel.sgprSpills;
  report.scratchBytes = std::max(kernel.scratchBytes, kernel.descriptor.privateSegmentBytes);
  report.dynamicStack = kernel.dynamicStack;
  report.ldsBytes = std::max(kernel.ldsBytes, kernel.descriptor.groupSegmentBytes);
  report.codeBytes = kernel.codeSize;
  Occupancy occupancy = target.occupancy(static_cast<int>(report.allocatedVgprs), static_cast<int>(report.sgprs),
                                         static_cast<int>(std::min<unsigned>(report.ldsBytes, INT32_MAX)),
                                         report.groupSize, static_cast<int>(report.waveSize));
  report.occupancy = occupancy.wavesPerSimd;
  report.occupancyLimit = occupancy.limit;
  report.mix = instructionMix(program);
  report.undecodable = undecodableWords(object, kernel, program);
  warn(report);
  return report;
}

llvm::Error checkResources(const ResourceReport &report, const Budgets &budgets) {
  std::vector<std::string> problems;
  auto problem = [&](std::string text) { problems.push_back(std::move(text)); };
  if (!report.undecodable.empty()) {
    const UndecodableWord &first = report.undecodable.front();
    problem(fmt::format("{} instructions do not exist on {} (the first is the word {:#010x} at {:#x}{}): use another "
                        "chip or another operation",
                        report.undecodable.size(), report.chip->name, first.word, first.address, atPlace(first.place)));
  }
  if (report.vgprSpills && !budgets.allowScratch)
    problem(
        fmt::format("{} VGPRs were spilled to {} bytes of scratch memory a work-item ({} of {} registers in use): use "
                    "smaller or fewer live tiles, a smaller tile of the accumulator, or more waves a work-group",
                    report.vgprSpills, report.scratchBytes, report.allocatedVgprs, report.maxVgprs));
  else if (report.scratchBytes && !budgets.allowScratch)
    problem(fmt::format("{} bytes of scratch memory a work-item ({} of {} registers in use): index arrays with "
                        "constants, or make the live tiles smaller",
                        report.scratchBytes, report.allocatedVgprs, report.maxVgprs));
  else if (report.dynamicStack && !budgets.allowScratch)
    problem("its stack grows at run time: remove recursion and calls that are not inlined");
  if (budgets.maxVgprs && report.allocatedVgprs > budgets.maxVgprs)
    problem(
        fmt::format("{} registers are allocated ({} VGPRs and {} AGPRs), max_vgprs is {}: use a smaller tile or fewer "
                    "live tiles",
                    report.allocatedVgprs, report.vgprs, report.agprs, budgets.maxVgprs));
  if (report.ldsBytes > static_cast<unsigned>(report.chip->lds.bytesPerGroup))
    problem(fmt::format("{} bytes of LDS, {} has {} for a work-group: use smaller shared tiles or fewer buffers",
                        report.ldsBytes, report.chip->name, report.chip->lds.bytesPerGroup));
  int wanted = std::max(1, budgets.minOccupancy);
  if (report.occupancy < wanted) {
    std::string_view advice = report.occupancyLimit == "LDS"               ? "use smaller shared tiles or fewer buffers"
                              : report.occupancyLimit == "work-group size" ? "launch smaller work-groups"
                              : report.occupancyLimit == "VGPRs"           ? "use smaller or fewer live tiles"
                                                                           : "ask for less";
    problem(fmt::format("{} waves a SIMD fit with work-groups of {}, at least {} are wanted; the limit is {} ({} "
                        "registers of {}, {} bytes of LDS of {}): {}",
                        report.occupancy, report.groupSize, wanted, report.occupancyLimit, report.allocatedVgprs,
                        report.chip->registers.vgprsPerSimd, report.ldsBytes, report.chip->lds.bytesPerUnit, advice));
  }
  if (problems.empty())
    return llvm::Error::success();
  return fail(
      ErrorKind::Resource,
      fmt::format("the kernel {} does not fit on {}: {}", report.kernel, report.chip->name, fmt::join(problems, "; ")),
      report.place);
}

} // namespace wavewright::codeobject
