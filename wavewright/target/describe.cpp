//===- target/describe.cpp - a chip's facts for people and for programs ---------------------------===//
#include "wavewright/target/describe.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wavewright {

namespace {
llvm::SmallVector<int, 2> waveSizes(const Target &target) {
  llvm::SmallVector<int, 2> sizes;
  if (target.wave32)
    sizes.push_back(32);
  if (target.wave64)
    sizes.push_back(64);
  return sizes;
}

std::string_view accessName(Access access) { return access == Access::Read ? "read" : "write"; }

std::string_view familyName(MatrixFamily family) {
  switch (family) {
  case MatrixFamily::Mfma:
    return "mfma";
  case MatrixFamily::Wmma:
    return "wmma";
  case MatrixFamily::MfmaScale:
    return "mfma_scale";
  case MatrixFamily::Smfmac:
    return "smfmac";
  case MatrixFamily::Swmmac:
    return "swmmac";
  }
  return "?";
}

std::vector<int> lanesOf(const std::array<uint8_t, 32> &phase) {
  std::vector<int> lanes;
  for (uint8_t lane : phase)
    if (lane != 0xff)
      lanes.push_back(lane);
  return lanes;
}

/// "0-3 20-23"
std::string runsOf(const std::vector<int> &lanes) {
  std::string text;
  for (size_t first = 0, next; first < lanes.size(); first = next) {
    for (next = first + 1; next < lanes.size() && lanes[next] == lanes[next - 1] + 1;)
      ++next;
    text += fmt::format("{}{}", text.empty() ? "" : " ", lanes[first]);
    if (next - first > 1)
      text += fmt::format("-{}", lanes[next - 1]);
  }
  return text;
}

std::string bytesText(int bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} bytes", bytes);
}

void describeRegisters(const Target &target, std::string &page) {
  const RegisterFacts &registers = target.registers;
  page +=
      fmt::format("  VGPRs         {} a SIMD, at most {} a wave", registers.vgprsPerSimd, registers.maxVgprsPerWave);
  if (registers.maxAgprs)
    page += fmt::format(" ({} VGPRs and {} AGPRs)", registers.addressableVgprs, registers.maxAgprs);
  page += fmt::format(", allocated by {}\n", registers.vgprGranule);
  page += fmt::format("  SGPRs         {} a wave", registers.sgprsAddressable);
  page += registers.sgprsPerSimd ? fmt::format(", {} a SIMD\n", registers.sgprsPerSimd)
                                 : std::string(", which never limit occupancy\n");
  for (int waveSize : waveSizes(target)) {
    page += fmt::format("  occupancy     wave{}: waves a SIMD by VGPRs:", waveSize);
    for (auto [waves, vgprs] : occupancyLadder(target, waveSize))
      page += fmt::format(" {}:{}", waves, vgprs);
    page += "\n";
  }
}

void describeLds(const Target &target, std::string &page) {
  const LdsFacts &lds = target.lds;
  page += fmt::format("  LDS           {} a work-group, {} shared by {} SIMDs, allocated by {} bytes, {} banks\n",
                      bytesText(lds.bytesPerGroup), bytesText(lds.bytesPerUnit), target.registers.simdsPerUnit,
                      lds.granule, lds.banks);
  for (const LdsPhases &phases : lds.phases)
    page += fmt::format("    {:<5} b{:<4}  {} phase{} over {} banks, lanes {} first\n", accessName(phases.access),
                        phases.bytes * 8, phases.lanes.size(), phases.lanes.size() == 1 ? "" : "s", phases.banks,
                        runsOf(lanesOf(phases.lanes[0])));
}

void describeAtoms(const Target &target, std::string &page) {
  page += fmt::format("  matrix atoms  {} (registers a lane; FLOP a clock of one SIMD)\n", target.atoms.size());
  for (const MatrixAtom &atom : target.atoms)
    page += fmt::format(
        "    {:<32} wave{}  {:>2}x{}x{:<3}  {:<4} {:<4} {:<4}  A {:<2} B {:<2} D {:<2}  {:>2} clocks {:>5}\n",
        atom.name, atom.waveSize, atom.m, atom.n, atom.k, dtypeName(atom.a), dtypeName(atom.b), dtypeName(atom.d),
        atom.vgprsA, atom.vgprsB, atom.vgprsD, atom.cycles, 2 * atom.m * atom.n * atom.k * atom.blocks / atom.cycles);
}

llvm::json::Array basesToJson(std::span<const BasisPair> pairs) {
  llvm::json::Array bases;
  for (BasisPair pair : pairs)
    bases.push_back(llvm::json::Array{pair.d0, pair.d1});
  return bases;
}

llvm::json::Object layoutToJson(const OperandBases &layout) {
  return llvm::json::Object{{"slots", basesToJson(layout.slots)}, {"lanes", basesToJson(layout.lanes)}};
}

llvm::StringRef text(std::string_view view) { return llvm::StringRef(view); }

llvm::json::Object atomToJson(const MatrixAtom &atom) {
  return llvm::json::Object{{"name", text(atom.name)},
                            {"intrinsic", text(atom.intrinsic)},
                            {"family", text(familyName(atom.family))},
                            {"waveSize", atom.waveSize},
                            {"m", atom.m},
                            {"n", atom.n},
                            {"k", atom.k},
                            {"blocks", atom.blocks},
                            {"a", text(dtypeName(atom.a))},
                            {"b", text(dtypeName(atom.b))},
                            {"d", text(dtypeName(atom.d))},
                            {"vgprsA", atom.vgprsA},
                            {"vgprsB", atom.vgprsB},
                            {"vgprsD", atom.vgprsD},
                            {"cycles", atom.cycles},
                            {"layoutA", layoutToJson(atom.layoutA)},
                            {"layoutB", layoutToJson(atom.layoutB)},
                            {"layoutD", layoutToJson(atom.layoutD)}};
}

llvm::json::Object ldsToJson(const LdsFacts &lds) {
  llvm::json::Array phases;
  for (const LdsPhases &table : lds.phases) {
    llvm::json::Array lanes;
    for (const auto &phase : table.lanes)
      lanes.push_back(llvm::json::Array(lanesOf(phase)));
    phases.push_back(llvm::json::Object{{"bytes", table.bytes},
                                        {"access", text(accessName(table.access))},
                                        {"banks", table.banks},
                                        {"lanes", std::move(lanes)}});
  }
  return llvm::json::Object{{"bytesPerGroup", lds.bytesPerGroup},
                            {"bytesPerUnit", lds.bytesPerUnit},
                            {"granule", lds.granule},
                            {"banks", lds.banks},
                            {"phases", std::move(phases)}};
}

llvm::json::Object registersToJson(const RegisterFacts &registers) {
  return llvm::json::Object{{"vgprsPerSimd", registers.vgprsPerSimd},
                            {"maxVgprsPerWave", registers.maxVgprsPerWave},
                            {"addressableVgprs", registers.addressableVgprs},
                            {"vgprGranule", registers.vgprGranule},
                            {"maxAgprs", registers.maxAgprs},
                            {"sgprsAddressable", registers.sgprsAddressable},
                            {"sgprsPerSimd", registers.sgprsPerSimd},
                            {"sgprGranule", registers.sgprGranule},
                            {"maxWavesPerSimd", registers.maxWavesPerSimd},
                            {"simdsPerUnit", registers.simdsPerUnit}};
}
} // namespace

std::vector<std::pair<int, int>> occupancyLadder(const Target &target, int waveSize) {
  std::vector<std::pair<int, int>> ladder;
  for (int vgprs = target.registers.maxVgprsPerWave; vgprs > 0; --vgprs) {
    int waves = target.occupancy(vgprs, 0, 0, waveSize, waveSize).wavesPerSimd;
    if (ladder.empty() || waves > ladder.back().first)
      ladder.emplace_back(waves, vgprs);
  }
  std::reverse(ladder.begin(), ladder.end());
  return ladder;
}

std::string describeTarget(const Target &target) {
  std::string page = fmt::format("{}  {}  {}\n", target.name, generationName(target.generation), target.products);
  page += fmt::format("  device        {}\n",
                      target.emulated ? fmt::format("emu:{}", target.name) : std::string("compiled for, not emulated"));
  page += fmt::format("  wave          {} lanes", fmt::join(waveSizes(target), " or "));
  page += fmt::format(", {} waves a SIMD, {} work-items a work-group\n", target.registers.maxWavesPerSimd,
                      target.maxWorkGroupSize);
  page += fmt::format("  ELF machine   0x{:03x}\n", target.elfMachine);
  describeRegisters(target, page);
  describeLds(target, page);

  page += "  waits\n";
  for (const WaitCounter &wait : target.waits)
    page += fmt::format("    {:<9} to {:>2}  {:<17} {}\n", wait.name, wait.max, wait.instruction, wait.counts);

  const MemoryFacts &memory = target.memory;
  page += fmt::format("  buffers       word 3 of a raw descriptor is 0x{:08x}\n", memory.bufferWord3);
  page += memory.directToLdsBytes.empty()
              ? std::string("  to LDS        no direct copies\n")
              : fmt::format("  to LDS        {} bytes a lane, directly\n", fmt::join(memory.directToLdsBytes, ", "));
  page +=
      fmt::format("  transposing   {}\n", memory.ldsTransposeLoad && memory.globalTransposeLoad ? "LDS and global loads"
                                          : memory.ldsTransposeLoad                             ? "LDS loads"
                                          : memory.globalTransposeLoad                          ? "global loads"
                                                                                                : "no loads");
  describeAtoms(target, page);
  return page;
}

llvm::json::Value targetToJson(const Target &target) {
  llvm::json::Array waits, atoms;
  for (const WaitCounter &wait : target.waits)
    waits.push_back(llvm::json::Object{{"name", text(wait.name)},
                                       {"max", wait.max},
                                       {"instruction", text(wait.instruction)},
                                       {"counts", text(wait.counts)}});
  for (const MatrixAtom &atom : target.atoms)
    atoms.push_back(atomToJson(atom));
  llvm::json::Object occupancy;
  for (int waveSize : waveSizes(target)) {
    llvm::json::Array ladder;
    for (auto [waves, vgprs] : occupancyLadder(target, waveSize))
      ladder.push_back(llvm::json::Object{{"wavesPerSimd", waves}, {"vgprs", vgprs}});
    occupancy[fmt::format("wave{}", waveSize)] = std::move(ladder);
  }
  return llvm::json::Object{
      {"name", text(target.name)},
      {"generation", text(generationName(target.generation))},
      {"products", text(target.products)},
      {"waveSize", target.waveSize},
      {"waveSizes", llvm::json::Array(waveSizes(target))},
      {"elfMachine", target.elfMachine},
      {"maxWorkGroupSize", target.maxWorkGroupSize},
      {"emulated", target.emulated},
      {"registers", registersToJson(target.registers)},
      {"occupancy", std::move(occupancy)},
      {"lds", ldsToJson(target.lds)},
      {"waits", std::move(waits)},
      {"memory", llvm::json::Object{{"bufferWord3", target.memory.bufferWord3},
                                    {"directToLdsBytes", llvm::json::Array(target.memory.directToLdsBytes)},
                                    {"ldsTransposeLoad", target.memory.ldsTransposeLoad},
                                    {"globalTransposeLoad", target.memory.globalTransposeLoad}}},
      {"atoms", std::move(atoms)}};
}

} // namespace wavewright
