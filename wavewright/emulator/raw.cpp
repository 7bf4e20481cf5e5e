#include "wavewright/emulator/raw.h"

#include "wavewright/codeobject/assemble.h"
#include "wavewright/emulator/address_space.h"
#include "wavewright/emulator/launch_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace wavewright::emulator {

namespace scalar = codeobject::scalar;
using codeobject::Instruction;
using codeobject::Operand;

struct RawProgram::Impl {
  const Target *target = nullptr;
  unsigned waveSize = 64;
  uint64_t address = 0;
  std::string name;
  std::shared_ptr<const codeobject::Assembled> source; ///< null for bytes
  std::vector<std::byte> code;
  std::shared_ptr<const codeobject::Program> program;
  unsigned vgprs = 1, agprs = 0; ///< registers that the instructions name

  mutable std::mutex mutex;
  std::map<std::pair<unsigned, unsigned>, std::unique_ptr<const Code>> predecoded; ///< by VGPRs and AGPRs
  bool linesKnown = false;
  std::vector<codeobject::AssembledLine> lines;

  const Code &predecodedFor(unsigned vgprs, unsigned agprs) {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<const Code> &slot = predecoded[{vgprs, agprs}];
    if (!slot) {
      codeobject::Kernel kernel;
      kernel.firstAgpr = agprs ? vgprs : 0;
      kernel.entryAddress = address;
      slot = predecode(*program, *target, waveSize, kernel, vgprs + agprs);
    }
    return *slot;
  }
};

RawProgram::RawProgram() : implementation(std::make_unique<Impl>()) {}
RawProgram::~RawProgram() = default;
const Target &RawProgram::target() const { return *impl().target; }
unsigned RawProgram::waveSize() const { return impl().waveSize; }
uint64_t RawProgram::address() const { return impl().address; }
llvm::ArrayRef<std::byte> RawProgram::code() const { return impl().code; }
const codeobject::Program &RawProgram::program() const { return *impl().program; }

SourcePlace RawProgram::place(uint64_t address) const {
  Impl &i = impl();
  if (!i.source)
    return {};
  std::lock_guard<std::mutex> lock(i.mutex);
  if (!i.linesKnown) {
    i.linesKnown = true;
    auto lines = codeobject::assembledLines(*i.target, i.waveSize, i.source->text, i.name);
    if (lines)
      i.lines = std::move(*lines);
    else
      llvm::consumeError(lines.takeError());
  }
  uint64_t offset = address - i.address;
  auto after =
      std::upper_bound(i.lines.begin(), i.lines.end(), offset,
                       [](uint64_t wanted, const codeobject::AssembledLine &line) { return wanted < line.offset; });
  if (after == i.lines.begin() || offset >= i.source->code.size())
    return {i.name};
  return {i.name, std::prev(after)->line};
}

std::string RawProgram::disassemble(uint64_t address) const {
  return codeobject::disassemble(*impl().target, impl().waveSize, impl().code, impl().address, address);
}

// Making ------------------------------------------------------------------------------------------------

namespace {

/// Registers that one instruction names.
void countRegisters(const Instruction &i, unsigned &vgprs, unsigned &agprs) {
  auto count = [&](const Operand &o) {
    if (o.kind == Operand::Kind::Vgpr)
      vgprs = std::max(vgprs, unsigned(o.index) + o.dwords);
    if (o.kind == Operand::Kind::Agpr)
      agprs = std::max(agprs, unsigned(o.index) + o.dwords);
  };
  for (const Operand &o : i.dst)
    count(o);
  for (const Operand &o : i.src)
    count(o);
  for (const Operand *o : {&i.vaddr, &i.saddr, &i.soffset, &i.vdata, &i.vdata1})
    count(*o);
  if (i.halves)
    for (unsigned half = 0; half < 2; ++half)
      countRegisters(i.halves[half], vgprs, agprs);
}

/// Instructions that reach registers which no operand names.
bool indexesRegisters(std::string_view name) {
  return name.find("movrel") != std::string_view::npos || name.find("swaprel") != std::string_view::npos ||
         name.starts_with("s_set_gpr_idx");
}

constexpr unsigned roundUp(unsigned count) { return (count + 7) / 8 * 8; }

llvm::Error finish(RawProgram::Impl &i) {
  auto end = codeobject::assemble(*i.target, i.waveSize, "s_endpgm");
  if (!end)
    return end.takeError();
  auto decode = [&] { return codeobject::decode(*i.target, i.waveSize, i.code, i.address); };
  auto program = decode();
  if (!program)
    return program.takeError();
  const auto &instructions = (*program)->instructions;
  if (instructions.empty() || instructions.back().name != "s_endpgm") {
    i.code.insert(i.code.end(), (*end)->code.begin(), (*end)->code.end());
    program = decode();
    if (!program)
      return program.takeError();
  }
  i.program = std::move(*program);
  bool all = false;
  for (const Instruction &each : i.program->instructions) {
    countRegisters(each, i.vgprs, i.agprs);
    all |= indexesRegisters(each.name);
  }
  if (all) {
    i.vgprs = unsigned(i.target->registers.addressableVgprs);
    i.agprs = i.agprs ? unsigned(i.target->registers.maxAgprs) : 0;
  }
  i.vgprs = roundUp(i.vgprs);
  i.agprs = roundUp(i.agprs);
  return llvm::Error::success();
}

llvm::Error checkEmulated(const Target &target) {
  if (target.emulated)
    return llvm::Error::success();
  return fail(ErrorKind::Usage, fmt::format("{} compiles, but is not emulated", target.name));
}

llvm::Error checkAddress(uint64_t address) {
  if (address % 4 == 0)
    return llvm::Error::success();
  return fail(ErrorKind::Usage, fmt::format("code at 0x{:x}: an instruction lies at a multiple of 4", address));
}

/// The latest texts; emptied when full.
struct Cache {
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const RawProgram>> entries;
  static constexpr size_t Most = 4096;
};

} // namespace

llvm::Expected<std::shared_ptr<const RawProgram>> RawProgram::assemble(const Target &target, unsigned waveSize,
                                                                       llvm::StringRef text, uint64_t address,
                                                                       llvm::StringRef name) {
  static Cache cache;
  std::string key = fmt::format("{} {} {} {}\n{}", target.name, waveSize ? waveSize : unsigned(target.waveSize),
                                address, name.str(), text.str());
  {
    std::lock_guard<std::mutex> lock(cache.mutex);
    if (auto found = cache.entries.find(key); found != cache.entries.end())
      return found->second;
  }
  if (llvm::Error error = checkEmulated(target))
    return std::move(error);
  if (llvm::Error error = checkAddress(address))
    return std::move(error);
  auto source = codeobject::assemble(target, waveSize, text, name);
  if (!source)
    return source.takeError();
  std::shared_ptr<RawProgram> made(new RawProgram());
  Impl &i = made->impl();
  i.target = &target;
  i.waveSize = waveSize ? waveSize : unsigned(target.waveSize);
  i.address = address;
  i.name = name.str();
  i.source = *source;
  i.code = (*source)->code;
  if (llvm::Error error = finish(i))
    return std::move(error);
  std::lock_guard<std::mutex> lock(cache.mutex);
  if (cache.entries.size() >= Cache::Most)
    cache.entries.clear();
  cache.entries.emplace(std::move(key), made);
  return made;
}

llvm::Expected<std::shared_ptr<const RawProgram>>
RawProgram::fromBytes(const Target &target, unsigned waveSize, llvm::ArrayRef<std::byte> code, uint64_t address) {
  if (llvm::Error error = checkEmulated(target))
    return std::move(error);
  if (llvm::Error error = checkAddress(address))
    return std::move(error);
  std::shared_ptr<RawProgram> made(new RawProgram());
  Impl &i = made->impl();
  i.target = &target;
  i.waveSize = waveSize ? waveSize : unsigned(target.waveSize);
  i.address = address;
  i.name = "<bytes>";
  i.code.assign(code.begin(), code.end());
  if (i.code.size() % 4)
    return fail(ErrorKind::Usage, fmt::format("{} bytes of code; instructions have a multiple of 4", i.code.size()));
  if (llvm::Error error = finish(i))
    return std::move(error);
  return made;
}

// Running ------------------------------------------------------------------------------------------------

namespace {

/// The waves of a raw launch: where they come from, where they go.
class RawWaves final : public GivenWaves {
public:
  RawWaves(const RawProgram &program, const RawLaunch &launch, const LaunchState &state, RawResult &result)
      : program(program), launch(launch), state(state), result(result) {
    uint32_t standard = mode::KeepAll | mode::Dx10Clamp;
    if (state.target->generation != Generation::Rdna4)
      standard |= mode::Ieee;
    startMode = standard;
    first = state.code->entry;
  }

  uint32_t first; ///< index of the micro-op at which waves start

  void enter(Wave &w, uint64_t group, unsigned wave) const override {
    resetWave(state, w, wave);
    w.pc = first;
    w.setMode(startMode);
    w.setMask(scalar::ExecLo, w.laneMask);
    if (launch.block) {
      w.vgpr[0] = state.itemIds[wave];
      w.setMask(scalar::ExecLo, state.itemMask[wave]);
    }
    for (const RawValue &v : launch.values)
      put(w, v, v.data + int64_t(group) * v.groupStride + int64_t(wave) * v.waveStride);
  }

  void enterGroup(uint64_t group, std::byte *lds) const override {
    if (!launch.lds.empty())
      std::memcpy(lds, launch.lds.data() + group * launch.ldsStride,
                  launch.ldsStride ? size_t(launch.ldsStride) : launch.lds.size());
  }

  void leave(uint64_t group, std::span<const Wave> waves, const std::byte *lds) override {
    size_t registers = result.vgprs + result.agprs;
    for (const Wave &w : waves) {
      size_t at = size_t(group) * result.waves + w.indexInGroup;
      std::memcpy(&result.vectors[at * registers], w.vgpr, registers * sizeof(Row));
      std::memcpy(&result.scalars[at * scalar::Count], w.sgpr, scalar::Count * 4);
      if (result.scratchDwords)
        std::memcpy(&result.scratch[at * result.scratchDwords], w.scratch, result.scratchDwords * sizeof(Row));
      bool toCome = w.state == WaveState::Running || w.pc == 0 || w.pc > state.code->ops.size();
      // A failed jump leaves pc behind it like every other instruction that has run.
      uint32_t index = toCome ? std::min<uint32_t>(w.pc, uint32_t(state.code->ops.size() - 1)) : w.pc - 1;
      result.ends[at] = {w.state, state.code->ops[index].address, w.scc, w.mode};
    }
    if (result.ldsBytes)
      std::memcpy(&result.lds[size_t(group) * result.ldsBytes], lds, result.ldsBytes);
  }

  SourcePlace place(uint64_t address) const override { return program.place(address); }
  std::string disassemble(uint64_t address) const override { return program.disassemble(address); }

private:
  void put(Wave &w, const RawValue &v, const uint32_t *data) const {
    using Bank = RawValue::Bank;
    switch (v.bank) {
    case Bank::Vgpr:
    case Bank::Agpr: {
      Row &row = w.vgpr[v.first + (v.bank == Bank::Agpr ? result.vgprs : 0)];
      for (unsigned l = 0; l < w.lanes; ++l)
        row.lane[l] = data[int64_t(l) * v.laneStride];
      break;
    }
    case Bank::Scalar:
      w.sgpr[v.first] = *data;
      break;
    case Bank::Scc:
      w.scc = *data != 0;
      break;
    case Bank::Mode:
      w.setMode(*data);
      break;
    case Bank::Scratch:
      for (unsigned l = 0; l < w.lanes; ++l)
        w.scratch[size_t(v.first) * MaxLanes + l] = data[int64_t(l) * v.laneStride];
      break;
    }
  }

  const RawProgram &program;
  const RawLaunch &launch;
  const LaunchState &state;
  RawResult &result;
  uint32_t startMode;
};

llvm::Error launchError(std::string message) { return fail(ErrorKind::Launch, std::move(message)); }

/// Registers that exist, and how many of them a wave needs.
llvm::Error checkValues(const Target &target, const RawLaunch &launch, unsigned &vgprs, unsigned &agprs) {
  using Bank = RawValue::Bank;
  for (const RawValue &v : launch.values) {
    struct Limit {
      const char *name;
      unsigned count;
    };
    const Limit limits[] = {{"v", unsigned(target.registers.addressableVgprs)},
                            {"a", unsigned(target.registers.maxAgprs)},
                            {"scalar register ", scalar::Count},
                            {"SCC ", 1},
                            {"MODE ", 1},
                            {"scratch dword ", launch.scratchBytes / 4}};
    const Limit &limit = limits[unsigned(v.bank)];
    if (v.first >= limit.count)
      return launchError(limit.count ? fmt::format("{}{} was given a value; {} has {}0 to {}{}", limit.name, v.first,
                                                   target.name, limit.name, limit.name, limit.count - 1)
                                     : fmt::format("{}{} was given a value; there are none", limit.name, v.first));
    if (v.bank == Bank::Vgpr)
      vgprs = std::max(vgprs, roundUp(v.first + 1));
    if (v.bank == Bank::Agpr)
      agprs = std::max(agprs, roundUp(v.first + 1));
  }
  return llvm::Error::success();
}

llvm::Error checkShape(const Target &target, const RawLaunch &launch, uint64_t waves) {
  constexpr unsigned mostWaves = 1024, mostScratch = 1u << 18;
  if (!launch.groups)
    return launchError("0 work-groups have nothing to run");
  if (!waves || waves > mostWaves)
    return launchError(fmt::format("{} waves a work-group; 1 to {} can be run", waves, mostWaves));
  if (launch.block && launch.block->count() > uint64_t(target.maxWorkGroupSize))
    return launchError(fmt::format("{}x{}x{} = {} work-items a group, where {} has at most {}", launch.block->x,
                                   launch.block->y, launch.block->z, launch.block->count(), target.name,
                                   target.maxWorkGroupSize));
  if (launch.ldsBytes > uint32_t(target.lds.bytesPerGroup))
    return launchError(fmt::format("{} bytes of LDS, where a work-group of {} has at most {}", launch.ldsBytes,
                                   target.name, target.lds.bytesPerGroup));
  if (launch.scratchBytes % 4 || launch.scratchBytes > mostScratch)
    return launchError(fmt::format("{} bytes of scratch a lane; a multiple of 4 up to {} can be had",
                                   launch.scratchBytes, mostScratch));
  uint64_t content = launch.ldsStride ? launch.ldsStride : launch.lds.size();
  if (content > launch.ldsBytes || (launch.ldsStride && launch.lds.size() < launch.ldsStride * uint64_t(launch.groups)))
    return launchError(fmt::format("{} bytes of LDS content for {} work-group{} with {} bytes each", launch.lds.size(),
                                   launch.groups, launch.groups == 1 ? "" : "s", launch.ldsBytes));
  return llvm::Error::success();
}

/// Puts memory where the caller wants it; overlaps are refused.
llvm::Error map(AddressSpace &space, const RawMemory &memory) {
  if (!memory.bytes)
    return llvm::Error::success();
  std::string label = memory.label.empty() ? fmt::format("memory at 0x{:x}", memory.address) : memory.label;
  uint64_t last = memory.address + memory.bytes - 1;
  constexpr uint64_t firstAperture = uint64_t(Context::SharedAperture) << 32,
                     pastApertures = (uint64_t(Context::PrivateAperture) + 1) << 32;
  if (last < memory.address)
    return launchError(
        fmt::format("{} has {} bytes, which lead past the end of the address space", label, memory.bytes));
  if (memory.address < pastApertures && last >= firstAperture)
    return launchError(fmt::format("{} lies in [0x{:x}, 0x{:x}), where flat addresses mean LDS and private memory",
                                   label, firstAperture, pastApertures));
  for (const auto &[start, other] : space.impl().table->byAddress)
    if (memory.address < start + other->extent.bytes && start <= last)
      return launchError(fmt::format("{} and {} share addresses: 0x{:x} has {} bytes, 0x{:x} has {}", label,
                                     other->label, memory.address, memory.bytes, start, other->extent.bytes));
  space.impl().table->insert(memory.address, memory.host, memory.bytes, std::move(label), memory.readOnly);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<RawResult> run(const RawProgram &program, const RawLaunch &launch) {
  RawProgram::Impl &p = program.impl();
  const Target &target = *p.target;
  LaunchState l;
  l.waveSize = p.waveSize;
  l.config.block = launch.block.value_or(Dim3{launch.waves * p.waveSize, 1, 1});
  l.config.grid = {launch.groups, 1, 1};
  uint64_t waves = launch.block ? (launch.block->count() + p.waveSize - 1) / p.waveSize : launch.waves;
  if (llvm::Error error = checkShape(target, launch, waves))
    return std::move(error);
  unsigned vgprs = p.vgprs, agprs = p.agprs;
  if (llvm::Error error = checkValues(target, launch, vgprs, agprs))
    return std::move(error);

  AddressSpace memory;
  RawMemory own{p.address, p.code.data(), p.code.size(), true, "the code"};
  if (llvm::Error error = map(memory, own))
    return std::move(error);
  for (const RawMemory &each : launch.memory)
    if (llvm::Error error = map(memory, each))
      return std::move(error);

  codeobject::Kernel kernel;
  kernel.name = p.name;
  kernel.entryAddress = p.address;
  kernel.firstAgpr = agprs ? vgprs : 0;
  l.target = &target;
  l.kernel = &kernel;
  l.code = &p.predecodedFor(vgprs, agprs);
  l.memory = &memory;
  l.options = launch.options;
  l.wavesPerGroup = unsigned(waves);
  l.vgprs = vgprs + agprs;
  l.ldsBytes = launch.ldsBytes;
  l.scratchBytes = launch.scratchBytes;
  if (launch.block)
    spreadItems(l);

  RawResult result;
  result.groups = launch.groups;
  result.waves = l.wavesPerGroup;
  result.lanes = p.waveSize;
  result.vgprs = vgprs;
  result.agprs = agprs;
  result.scratchDwords = launch.scratchBytes / 4;
  result.ldsBytes = launch.ldsBytes;
  size_t total = size_t(result.groups) * result.waves;
  result.vectors.resize(total * l.vgprs);
  result.scalars.resize(total * scalar::Count);
  result.ends.assign(total, {WaveState::Running, launch.pc.value_or(p.address), 0, 0});
  result.lds.resize(size_t(result.groups) * result.ldsBytes);
  result.scratch.resize(total * result.scratchDwords);

  RawWaves given(program, launch, l, result);
  l.given = &given;
  if (launch.pc) {
    int64_t index = p.program->indexAt(*launch.pc);
    if (index < 0)
      return launchError(fmt::format("no instruction of the code starts at 0x{:x}; it lies at 0x{:x} to 0x{:x}",
                                     *launch.pc, p.address, p.address + p.code.size()));
    given.first = uint32_t(index);
  }
  if (llvm::Error error = runGroups(l, result.statistics))
    result.fault = takeFailure(std::move(error), ErrorKind::Launch);
  return result;
}

} // namespace wavewright::emulator
