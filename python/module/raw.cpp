//===- python/module/raw.cpp - bare instruction streams -------------------------------------------===//
#include "bindings.h"

#include "wavewright/emulator/raw.h"
#include "wavewright/target/target.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace wavewright::python {

using emulator::RawLaunch;
using emulator::RawProgram;
using emulator::RawResult;
using emulator::RawValue;
using emulator::WaveState;

namespace {

/// Instructions up to which a stream is run on the caller's thread, where Ctrl-C has to wait for it.
constexpr uint64_t UninterruptedBudget = 1 << 24;

/// (bank, register, address of the first value, strides over groups, waves and lanes in dwords).
using Value = std::tuple<unsigned, uint32_t, uintptr_t, int64_t, int64_t, int64_t>;
/// (device address, host address, bytes, read-only, label).
using Memory = std::tuple<uint64_t, uintptr_t, uint64_t, bool, std::string>;

const Target &chipOf(const std::string &name) { return *unwrap(findTarget(name), ErrorKind::Usage); }

RawResult runRaw(const RawProgram &program, const std::vector<Value> &values, const std::vector<Memory> &memory,
                 unsigned groups, unsigned waves, std::optional<std::tuple<uint32_t, uint32_t, uint32_t>> block,
                 uint32_t ldsBytes, uintptr_t lds, uint64_t ldsContent, uint64_t ldsStride, uint32_t scratchBytes,
                 std::optional<uint64_t> pc, const std::string &checks, const std::string &matrix, uint64_t budget,
                 unsigned threads, uint64_t seed) {
  RawLaunch launch;
  launch.groups = groups;
  launch.waves = waves;
  if (block)
    launch.block = emulator::Dim3{std::get<0>(*block), std::get<1>(*block), std::get<2>(*block)};
  for (const auto &[bank, first, data, groupStride, waveStride, laneStride] : values)
    launch.values.push_back({static_cast<RawValue::Bank>(bank), first, reinterpret_cast<const uint32_t *>(data),
                             groupStride, waveStride, laneStride});
  for (const auto &[address, host, bytes, readOnly, label] : memory)
    launch.memory.push_back({address, reinterpret_cast<void *>(host), bytes, readOnly, label});
  launch.ldsBytes = ldsBytes;
  launch.lds = {reinterpret_cast<const std::byte *>(lds), size_t(ldsContent)};
  launch.ldsStride = ldsStride;
  launch.scratchBytes = scratchBytes;
  launch.pc = pc;
  launch.options.checks = choose<emulator::CheckMode>(
      checks, "checks", {{"on", emulator::CheckMode::On}, {"off", emulator::CheckMode::Off}});
  launch.options.matrix = choose<emulator::MatrixMode>(
      matrix, "matrix", {{"exact", emulator::MatrixMode::Exact}, {"fast", emulator::MatrixMode::Fast}});
  launch.options.instructionBudget = budget;
  launch.options.threads = threads;
  launch.options.seed = seed;
  DebuggedLaunch debugged;
  launch.options.observer = debugged.observer();
  std::optional<llvm::Expected<RawResult>> outcome;
  if (budget <= UninterruptedBudget) {
    nb::gil_scoped_release release;
    outcome.emplace(emulator::run(program, launch));
  } else {
    std::atomic<bool> interrupt = false;
    launch.options.interrupt = &interrupt;
    try {
      runInterruptibly(interrupt, [&] { outcome.emplace(emulator::run(program, launch)); });
    } catch (...) {
      if (outcome && !*outcome)
        llvm::consumeError(outcome->takeError());
      throw;
    }
  }
  try {
    debugged.rethrow();
  } catch (...) {
    if (!*outcome)
      llvm::consumeError(outcome->takeError());
    throw;
  }
  return unwrap(std::move(*outcome), ErrorKind::Launch);
}

template <typename T, size_t Dimensions> using Out = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>, nb::c_contig>;

/// A view of the result's own memory, which lives as long as the view.
template <typename T, size_t Dimensions>
Out<T, Dimensions> view(nb::handle self, const void *data, std::initializer_list<size_t> shape) {
  return Out<T, Dimensions>(const_cast<void *>(data), shape, self);
}

const char *stateName(WaveState state) {
  switch (state) {
  case WaveState::Running:
    return "running";
  case WaveState::AtBarrier:
    return "at barrier";
  case WaveState::Ended:
    return "ended";
  case WaveState::Failed:
    return "failed";
  }
  return "";
}

} // namespace

void bindRaw(nb::module_ &m) {
  nb::class_<RawProgram>(m, "RawProgram", "An instruction stream without a kernel, decoded once")
      .def_static(
          "assemble",
          [](const std::string &chip, const std::string &text, unsigned waveSize, uint64_t address,
             const std::string &name) {
            const Target &target = chipOf(chip);
            return std::const_pointer_cast<RawProgram>(unwrap(
                [&] {
                  nb::gil_scoped_release release;
                  return RawProgram::assemble(target, waveSize, text, address, name);
                }(),
                ErrorKind::Compile));
          },
          "chip"_a, "text"_a, "wave_size"_a = 0, "address"_a = RawProgram::DefaultAddress, "name"_a = "<asm>",
          "Assembles text; CompileError has the line and the column. The same text is assembled once")
      .def_static(
          "from_bytes",
          [](const std::string &chip, const nb::bytes &code, unsigned waveSize, uint64_t address) {
            return std::const_pointer_cast<RawProgram>(
                unwrap(RawProgram::fromBytes(chipOf(chip), waveSize,
                                             {static_cast<const std::byte *>(code.data()), code.size()}, address),
                       ErrorKind::Usage));
          },
          "chip"_a, "code"_a, "wave_size"_a = 0, "address"_a = RawProgram::DefaultAddress)
      .def_prop_ro("chip", [](const RawProgram &self) { return std::string(self.target().name); })
      .def_prop_ro("wave_size", &RawProgram::waveSize)
      .def_prop_ro("address", &RawProgram::address, "Device address of the first byte")
      .def_prop_ro(
          "code", [](const RawProgram &self) { return nb::bytes(self.code().data(), self.code().size()); },
          "The machine code, with the s_endpgm that was added where there was none")
      .def(
          "disassemble",
          [](const RawProgram &self) {
            std::vector<std::tuple<uint64_t, std::string, unsigned>> lines;
            for (const codeobject::Instruction &i : self.program().instructions)
              lines.emplace_back(i.address, self.disassemble(i.address), self.place(i.address).line);
            return lines;
          },
          "(address, instruction, line of the text) in order; line 0 where there is none");

  nb::class_<RawResult>(m, "RawResult", "Registers and memory of every wave after a run")
      .def_ro("groups", &RawResult::groups)
      .def_ro("waves", &RawResult::waves, "waves of a group")
      .def_ro("lanes", &RawResult::lanes)
      .def_ro("vgprs", &RawResult::vgprs, "VGPRs that were simulated; AGPRs stand behind them")
      .def_ro("agprs", &RawResult::agprs)
      .def_prop_ro(
          "vectors",
          [](nb::handle_t<RawResult> self) {
            const RawResult &r = *nb::inst_ptr<RawResult>(self);
            return view<uint32_t, 4>(self, r.vectors.data(),
                                     {r.groups, r.waves, size_t(r.vgprs) + r.agprs, emulator::MaxLanes});
          },
          "[group][wave][register][64]")
      .def_prop_ro(
          "scalars",
          [](nb::handle_t<RawResult> self) {
            const RawResult &r = *nb::inst_ptr<RawResult>(self);
            return view<uint32_t, 3>(self, r.scalars.data(), {r.groups, r.waves, codeobject::scalar::Count});
          },
          "[group][wave][128]: s0 to s105, VCC at 106, TTMPs at 108, M0 at 124, EXEC at 126")
      .def_prop_ro(
          "scratch",
          [](nb::handle_t<RawResult> self) {
            const RawResult &r = *nb::inst_ptr<RawResult>(self);
            return view<uint32_t, 4>(self, r.scratch.data(), {r.groups, r.waves, r.scratchDwords, emulator::MaxLanes});
          },
          "[group][wave][dword][64]")
      .def_prop_ro(
          "lds",
          [](nb::handle_t<RawResult> self) {
            const RawResult &r = *nb::inst_ptr<RawResult>(self);
            return view<uint8_t, 2>(self, r.lds.data(), {r.groups, r.ldsBytes});
          },
          "[group][byte]")
      .def_prop_ro(
          "ends",
          [](const RawResult &self) {
            std::vector<std::tuple<std::string, uint64_t, uint32_t, uint32_t>> ends;
            for (const emulator::RawWave &wave : self.ends)
              ends.emplace_back(stateName(wave.state), wave.pc, wave.scc, wave.mode);
            return ends;
          },
          "(state, pc, SCC, MODE) of each wave, group after group")
      .def_prop_ro("wave_instructions", [](const RawResult &self) { return self.statistics.waveInstructions; })
      .def_prop_ro("lane_operations", [](const RawResult &self) { return self.statistics.laneOperations; })
      .def_prop_ro("matrix_flops", [](const RawResult &self) { return self.statistics.matrixFlops; })
      .def_prop_ro("seconds", [](const RawResult &self) { return self.statistics.seconds; })
      .def_prop_ro(
          "fault", [](const RawResult &self) { return self.fault ? errorObject(*self.fault) : nb::none(); },
          "The error that stopped the run, or None");

  m.def("run_raw", &runRaw, "program"_a, "values"_a, "memory"_a, nb::kw_only(), "groups"_a = 1, "waves"_a = 1,
        "block"_a.none() = nb::none(), "lds_bytes"_a = 0, "lds"_a = 0, "lds_content"_a = 0, "lds_stride"_a = 0,
        "scratch_bytes"_a = 0, "pc"_a.none() = nb::none(), "checks"_a = "on", "matrix"_a = "exact",
        "budget"_a = UninterruptedBudget, "threads"_a = 1, "seed"_a = 0,
        "Runs a stream with values at host addresses; wavewright.emulator is the way to call it");
}

} // namespace wavewright::python
