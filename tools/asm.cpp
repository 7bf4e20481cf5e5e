//===- tools/asm.cpp - wavewright asm: a bare instruction stream from the command line ------------===//
#include "cli.h"

#include "wavewright/emulator/debug.h"
#include "wavewright/emulator/raw.h"
#include "wavewright/runtime/arguments.h"
#include "wavewright/runtime/files.h"
#include "wavewright/runtime/npy.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <fmt/format.h>

#include <csignal>
#include <deque>
#include <iostream>
#include <iterator>

namespace wavewright::cli {

using emulator::RawLaunch;
using emulator::RawProgram;
using emulator::RawResult;
using emulator::RawValue;
using emulator::StateItem;
using llvm::json::Array, llvm::json::Object, llvm::json::Value;
using Bank = StateItem::Bank;

namespace {

struct AsmRequest {
  std::string text, chip, bytes, block, matrix = "exact", checks = "on", dump;
  std::vector<std::string> vgpr, agpr, sgpr, memory;
  std::optional<std::string> vcc, exec, m0, scc, mode, lds;
  unsigned waves = 1, groups = 1, waveSize = 0, threads = 1;
  uint32_t ldsBytes = 0, scratchBytes = 0;
  std::optional<uint64_t> budget;
  std::string address, pc;
  DebugRequest debug;
};

/// Start values and the words that they point to.
struct Start {
  RawLaunch launch;
  std::deque<std::vector<uint32_t>> words;
  std::vector<std::unique_ptr<runtime::NpyFile>> arrays;
  std::deque<std::vector<char>> buffers;
  unsigned lanes = 64;
};

/// "1.5" or "0,1,2": one value for all lanes, or one a lane. Each takes one register, or two for 64 bits.
llvm::Error addValues(Start &start, RawValue::Bank bank, uint32_t first, llvm::StringRef text,
                      const std::string &label) {
  llvm::SmallVector<llvm::StringRef, 64> parts;
  text.split(parts, ',');
  bool vector = bank == RawValue::Bank::Vgpr || bank == RawValue::Bank::Agpr;
  if (parts.size() != 1 && (!vector || parts.size() != start.lanes))
    return fail(ErrorKind::Usage,
                fmt::format("{}: {} values; give one{}", label, parts.size(),
                            vector ? fmt::format(" for all lanes or {}, one a lane", start.lanes) : ""));
  size_t dwords = 0;
  std::vector<uint32_t> words;
  for (llvm::StringRef part : parts) {
    auto value = runtime::parseArgument(part.trim(), 4, label);
    if (!value)
      return value.takeError();
    size_t own = (value->bytes.size() + 3) / 4;
    if (own > 2 || !own || (dwords && own != dwords))
      return fail(ErrorKind::Usage, fmt::format("{}: values have 1 to 8 bytes, all of one size", label));
    dwords = own;
    value->bytes.resize(own * 4);
    for (size_t i = 0; i < own; ++i) {
      uint32_t word;
      std::memcpy(&word, value->bytes.data() + 4 * i, 4);
      words.push_back(word);
    }
  }
  start.words.push_back(std::move(words));
  for (size_t i = 0; i < dwords; ++i)
    start.launch.values.push_back(
        {bank, uint32_t(first + i), start.words.back().data() + i, 0, 0, parts.size() == 1 ? 0 : int64_t(dwords)});
  return llvm::Error::success();
}

/// "3=1.5" where 3 is a register of the bank; scalars have names too.
llvm::Error addAssignment(Start &start, RawValue::Bank bank, const char *option, llvm::StringRef text) {
  auto [key, value] = text.split('=');
  uint32_t number = 0;
  bool good = text.contains('=') && !value.empty();
  if (good && key.getAsInteger(10, number)) {
    llvm::StringRef digits = key;
    const char *prefix = bank == RawValue::Bank::Vgpr ? "v" : bank == RawValue::Bank::Agpr ? "a" : "s";
    good = digits.consume_front(prefix) && !digits.getAsInteger(10, number);
    if (!good && bank == RawValue::Bank::Scalar) {
      auto items = emulator::parseItems(key);
      good = items && items->size() == 1 && items->front().bank == Bank::Scalar && items->front().count == 1;
      if (good)
        number = items->front().first;
      if (!items)
        llvm::consumeError(items.takeError());
    }
  }
  if (!good)
    return fail(ErrorKind::Usage,
                fmt::format("{} \"{}\": write {} 3=1.5, {} 3=i32:-1 or one value a lane with commas between", option,
                            text.str(), option, option));
  return addValues(start, bank, number, value, fmt::format("{} {}", option, key.str()));
}

llvm::Error addMask(Start &start, uint16_t first, const std::string &text, const char *option) {
  uint64_t mask;
  if (llvm::StringRef(text).getAsInteger(0, mask))
    return fail(ErrorKind::Usage, fmt::format("{} \"{}\" is no lane mask; write 0xff", option, text));
  start.words.push_back({uint32_t(mask), uint32_t(mask >> 32)});
  for (unsigned i = 0; i < 2; ++i)
    start.launch.values.push_back({RawValue::Bank::Scalar, first + i, start.words.back().data() + i});
  return llvm::Error::success();
}

/// "0x1000=file.npy", "0x1000=bytes:00ff" or "0x1000=256" (zeros).
llvm::Error addMemory(Start &start, llvm::StringRef text) {
  auto [key, value] = text.split('=');
  uint64_t address, size;
  if (key.getAsInteger(0, address) || value.empty())
    return fail(ErrorKind::Usage,
                fmt::format("--memory \"{}\": write 0x1000=file.npy, 0x1000=bytes:00ff or, for zeros, "
                            "0x1000=256",
                            text.str()));
  std::string label = fmt::format("memory at 0x{:x}", address);
  if (value.ends_with(".npy")) {
    auto file = runtime::NpyFile::read(value.str());
    if (!file)
      return file.takeError();
    start.launch.memory.push_back({address, (*file)->data(), (*file)->bytes(), false, label});
    start.arrays.push_back(std::move(*file));
    return llvm::Error::success();
  }
  if (!value.getAsInteger(0, size)) {
    constexpr uint64_t most = 1ull << 32;
    if (size > most)
      return fail(ErrorKind::Usage, fmt::format("--memory \"{}\": at most {} bytes", text.str(), most));
    start.buffers.emplace_back(size);
  } else {
    auto bytes = runtime::parseArgument(value, 4, "--memory " + key.str());
    if (!bytes)
      return bytes.takeError();
    auto *first = reinterpret_cast<const char *>(bytes->bytes.data());
    start.buffers.emplace_back(first, first + bytes->bytes.size());
  }
  start.launch.memory.push_back({address, start.buffers.back().data(), start.buffers.back().size(), false, label});
  return llvm::Error::success();
}

/// The text itself, the content of a file of that name, or standard input for "-".
llvm::Expected<std::pair<std::string, std::string>> textAndName(const std::string &given) {
  if (given == "-")
    return std::pair(std::string(std::istreambuf_iterator<char>(std::cin), {}), std::string("<stdin>"));
  if (given.find_first_of(" \t\n") == std::string::npos && llvm::sys::fs::is_regular_file(given)) {
    auto content = runtime::readFile(given);
    if (!content)
      return content.takeError();
    return std::pair(std::string(content->data(), content->size()), given);
  }
  return std::pair(given, std::string("<asm>"));
}

llvm::Error readNumber(const std::string &text, const char *option, uint64_t &value) {
  if (!text.empty() && llvm::StringRef(text).getAsInteger(0, value))
    return fail(ErrorKind::Usage, fmt::format("{} \"{}\" is no number; write 0x1000", option, text));
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<const RawProgram>> makeProgram(const AsmRequest &request) {
  auto target = findTarget(request.chip);
  if (!target)
    return target.takeError();
  uint64_t address = RawProgram::DefaultAddress;
  if (llvm::Error error = readNumber(request.address, "--address", address))
    return std::move(error);
  if (request.text.empty() == request.bytes.empty())
    return fail(ErrorKind::Usage, "give instructions to assemble, or machine code with --bytes");
  if (!request.bytes.empty()) {
    std::string raw;
    if (request.bytes.size() % 2 || !llvm::tryGetFromHex(request.bytes, raw))
      return fail(ErrorKind::Usage, fmt::format("--bytes \"{}\" is no even row of hexadecimal digits", request.bytes));
    return RawProgram::fromBytes(**target, request.waveSize,
                                 {reinterpret_cast<const std::byte *>(raw.data()), raw.size()}, address);
  }
  auto text = textAndName(request.text);
  if (!text)
    return text.takeError();
  return RawProgram::assemble(**target, request.waveSize, text->first, address, text->second);
}

llvm::Error fillStart(const AsmRequest &request, Start &start) {
  using RawBank = RawValue::Bank;
  for (const std::string &text : request.vgpr)
    if (llvm::Error error = addAssignment(start, RawBank::Vgpr, "--vgpr", text))
      return error;
  for (const std::string &text : request.agpr)
    if (llvm::Error error = addAssignment(start, RawBank::Agpr, "--agpr", text))
      return error;
  for (const std::string &text : request.sgpr)
    if (llvm::Error error = addAssignment(start, RawBank::Scalar, "--sgpr", text))
      return error;
  namespace scalar = codeobject::scalar;
  for (auto [text, first, option] :
       {std::tuple(&request.vcc, scalar::VccLo, "--vcc"), std::tuple(&request.exec, scalar::ExecLo, "--exec")})
    if (*text)
      if (llvm::Error error = addMask(start, first, **text, option))
        return error;
  for (auto [text, bank, first, option] :
       {std::tuple(&request.m0, RawBank::Scalar, uint32_t(scalar::M0), "--m0"),
        std::tuple(&request.scc, RawBank::Scc, 0u, "--scc"), std::tuple(&request.mode, RawBank::Mode, 0u, "--mode")})
    if (*text)
      if (llvm::Error error = addValues(start, bank, first, **text, option))
        return error;
  for (const std::string &text : request.memory)
    if (llvm::Error error = addMemory(start, text))
      return error;
  start.launch.ldsBytes = request.ldsBytes;
  if (request.lds) {
    auto bytes = runtime::parseArgument(*request.lds, 4, "--lds");
    if (!bytes)
      return bytes.takeError();
    auto *first = reinterpret_cast<const char *>(bytes->bytes.data());
    start.buffers.emplace_back(first, first + bytes->bytes.size());
    const std::vector<char> &content = start.buffers.back();
    start.launch.lds = {reinterpret_cast<const std::byte *>(content.data()), content.size()};
    start.launch.ldsBytes = std::max<uint32_t>(request.ldsBytes, uint32_t(content.size()));
  }
  if (!request.block.empty()) {
    auto block = runtime::parseExtents(request.block, "--block");
    if (!block)
      return block.takeError();
    start.launch.block = *block;
  }
  if (!request.pc.empty()) {
    uint64_t pc = 0;
    if (llvm::Error error = readNumber(request.pc, "--pc", pc))
      return error;
    start.launch.pc = pc;
  }
  start.launch.waves = request.waves;
  start.launch.groups = request.groups;
  start.launch.scratchBytes = request.scratchBytes;
  start.launch.options.threads = request.threads;
  start.launch.options.checks = request.checks == "off" ? emulator::CheckMode::Off : emulator::CheckMode::On;
  start.launch.options.matrix = request.matrix == "fast" ? emulator::MatrixMode::Fast : emulator::MatrixMode::Exact;
  if (request.budget)
    start.launch.options.instructionBudget = *request.budget;
  start.launch.options.interrupt = &interrupted;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------------------------------===//

/// Registers of the result as the items of a dump.
llvm::Expected<emulator::StateValue> resultValue(const RawResult &r, const StateItem &item, unsigned group,
                                                 unsigned wave) {
  emulator::StateValue v;
  v.item = item;
  const emulator::RawWave &end = r.ends[size_t(group) * r.waves + wave];
  auto lanesOf = [&](const emulator::Row &row) { v.values.assign(row.lane, row.lane + r.lanes), v.perLane = true; };
  auto beyond = [&](uint64_t has, const char *what) {
    return fail(ErrorKind::Usage, fmt::format("--dump {}: there are {} {}", item.name(), has, what));
  };
  switch (item.bank) {
  case Bank::Vgpr:
    if (item.first >= r.vgprs)
      return beyond(r.vgprs, "VGPRs that the code or a value names");
    lanesOf(r.vgpr(item.first, wave, group));
    break;
  case Bank::Agpr:
    if (item.first >= r.agprs)
      return beyond(r.agprs, "AGPRs that the code or a value names");
    lanesOf(r.agpr(item.first, wave, group));
    break;
  case Bank::Scalar:
    v.values = {r.scalar(item.first, wave, group)};
    break;
  case Bank::Mask: {
    uint64_t high = r.lanes == 64 ? r.scalar(item.first + 1, wave, group) : 0;
    v.values = {high << 32 | r.scalar(item.first, wave, group)};
    break;
  }
  case Bank::Scc:
    v.values = {end.scc};
    break;
  case Bank::Mode:
    v.values = {end.mode};
    break;
  case Bank::Pc:
    v.values = {end.pc};
    break;
  case Bank::Lds:
    if (item.first + item.count > r.ldsBytes)
      return beyond(r.ldsBytes, "bytes of LDS");
    v.bytes.assign(r.lds.begin() + long(size_t(group) * r.ldsBytes + item.first),
                   r.lds.begin() + long(size_t(group) * r.ldsBytes + item.first + item.count));
    break;
  case Bank::Scratch:
    if (item.first + item.count > r.scratchDwords * 4)
      return beyond(r.scratchDwords * 4, "bytes of scratch a lane");
    for (unsigned lane = 0; lane < r.lanes; ++lane)
      for (uint32_t i = item.first; i < item.first + item.count; ++i)
        v.bytes.push_back(
            std::byte(r.scratch[(size_t(group) * r.waves + wave) * r.scratchDwords + i / 4].lane[lane] >> (i % 4 * 8)));
    break;
  }
  return v;
}

/// Without --dump: what the instructions name as results, and VCC, EXEC, SCC.
std::vector<StateItem> writtenItems(const RawProgram &program) {
  std::vector<StateItem> items;
  auto add = [&](StateItem item) {
    for (const StateItem &known : items)
      if (known.bank == item.bank && known.first == item.first)
        return;
    items.push_back(item);
  };
  auto addFrom = [&](const codeobject::Instruction &i) {
    using codeobject::Operand;
    for (const Operand &o : i.dst)
      for (unsigned n = 0; n < o.dwords; ++n) {
        uint32_t index = o.index + n;
        if (o.kind == Operand::Kind::Vgpr)
          add({Bank::Vgpr, index, 1});
        if (o.kind == Operand::Kind::Agpr)
          add({Bank::Agpr, index, 1});
        if (o.kind == Operand::Kind::Scalar && index < codeobject::scalar::VccLo)
          add({Bank::Scalar, index, 1});
      }
  };
  for (const codeobject::Instruction &i : program.program().instructions) {
    addFrom(i);
    if (i.halves)
      addFrom(i.halves[0]), addFrom(i.halves[1]);
  }
  add({Bank::Mask, codeobject::scalar::VccLo, 1});
  add({Bank::Mask, codeobject::scalar::ExecLo, 1});
  add({Bank::Scc, 0, 1});
  return items;
}

const char *stateName(emulator::WaveState state) {
  static const char *const names[] = {"running", "at barrier", "ended", "failed"};
  return names[unsigned(state)];
}

std::string hexOf(llvm::ArrayRef<std::byte> bytes) {
  return llvm::toHex({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, /*LowerCase=*/true);
}

Outcome runAsm(const AsmRequest &request, bool json) {
  auto refuse = [](llvm::Error error) { return failure(std::move(error), 2); };
  auto program = makeProgram(request);
  if (!program)
    return refuse(program.takeError());
  Start start;
  start.lanes = (*program)->waveSize();
  if (llvm::Error error = fillStart(request, start))
    return refuse(std::move(error));
  std::vector<StateItem> items;
  if (request.dump.empty()) {
    items = writtenItems(**program);
  } else {
    auto parsed = emulator::parseItems(request.dump);
    if (!parsed)
      return refuse(parsed.takeError());
    items = emulator::singleItems(*parsed);
  }
  DebugSession debugging;
  if (llvm::Error error = debugging.start(request.debug, request.debug.breakpoints.empty() ? "" : request.dump, json))
    return refuse(std::move(error));
  start.launch.options.observer = debugging.debugger.get();
  std::signal(SIGINT, [](int) { interrupted = true; });
  auto result = emulator::run(**program, start.launch);
  std::signal(SIGINT, SIG_DFL);
  debugging.finish(json);
  if (!result)
    return refuse(result.takeError());
  RawResult &r = *result;

  Array waves;
  std::string text;
  for (unsigned group = 0; group < r.groups; ++group)
    for (unsigned wave = 0; wave < r.waves; ++wave) {
      const emulator::RawWave &end = r.ends[size_t(group) * r.waves + wave];
      Object state{{"group", group}, {"wave", wave},   {"state", stateName(end.state)},
                   {"pc", end.pc},   {"scc", end.scc}, {"mode", end.mode}};
      if (r.groups * r.waves > 1)
        text += fmt::format("group {}, wave {}: {}\n", group, wave, stateName(end.state));
      for (const StateItem &item : items) {
        auto value = resultValue(r, item, group, wave);
        if (!value)
          return refuse(value.takeError());
        text += emulator::formatValue(*value, r.lanes);
        if (!value->bytes.empty())
          state[item.name()] = hexOf(value->bytes);
        else if (value->perLane)
          state[item.name()] = Array(value->values);
        else
          state[item.name()] = value->values.front();
      }
      waves.push_back(std::move(state));
    }
  for (auto &array : start.arrays)
    if (!r.fault)
      if (llvm::Error error = array->writeBack())
        return failure(std::move(error), 1);
  if (json) {
    Object document{{"chip", std::string((*program)->target().name)},
                    {"wave_size", (*program)->waveSize()},
                    {"code", hexOf((*program)->code())},
                    {"wave_instructions", r.statistics.waveInstructions},
                    {"lane_operations", r.statistics.laneOperations},
                    {"matrix_flops", r.statistics.matrixFlops},
                    {"waves", std::move(waves)}};
    if (debugging.debugger) {
      document["events"] = std::move(debugging.events);
      document["events_left_out"] = debugging.debugger->leftOut();
    }
    if (r.fault)
      document["error"] = Object{{"kind", std::string(errorKindName(r.fault->kind))},
                                 {"message", jsonString(r.fault->message)},
                                 {"file", jsonString(r.fault->place.file)},
                                 {"line", r.fault->place.line},
                                 {"status", exitStatus(r.fault->kind)}};
    print(Value(std::move(document)));
    if (r.fault)
      fmt::print(stderr, "error: {}{}\n", r.fault->place ? r.fault->place.str() + ": " : "", r.fault->message);
    return done(r.fault ? exitStatus(r.fault->kind) : 0);
  }
  print(text);
  print(fmt::format("{} instruction{}, {} lane operations\n", r.statistics.waveInstructions,
                    r.statistics.waveInstructions == 1 ? "" : "s", r.statistics.laneOperations));
  if (r.fault)
    return failure(llvm::make_error<Failure>(*r.fault));
  return done();
}

} // namespace

void addAsmCommand(CLI::App &app, std::function<Outcome()> &command, bool &json) {
  auto request = std::make_shared<AsmRequest>();
  AsmRequest &r = *request;
  CLI::App *sub = app.add_subcommand("asm", "Assemble and run bare instructions");
  sub->add_option("text", r.text, "Instructions, a file of them, or - for standard input");
  sub->add_option("--chip", r.chip, "For example gfx1100")->required();
  const char *values = "number=value: 3=1.5, 3=i32:-1, 4=f64:2 (two registers), 5=0,1,2,... (one a lane)";
  sub->add_option("--vgpr", r.vgpr, values)->allow_extra_args(false);
  sub->add_option("--agpr", r.agpr, values)->allow_extra_args(false);
  sub->add_option("--sgpr", r.sgpr, "number=value, also by name: ttmp9=1")->allow_extra_args(false);
  sub->add_option("--vcc", r.vcc, "Lane mask");
  sub->add_option("--exec", r.exec, "Lane mask; default: every lane");
  sub->add_option("--m0", r.m0, "Value of M0");
  sub->add_option("--scc", r.scc, "0 or 1");
  sub->add_option("--mode", r.mode, "The MODE register");
  sub->add_option("--lds", r.lds, "Content of LDS from offset 0 on: bytes:00ff or a number");
  sub->add_option("--lds-bytes", r.ldsBytes, "Bytes of LDS of a work-group");
  sub->add_option("--memory", r.memory, "address=file.npy (written back), address=bytes:00ff, address=size (zeros)")
      ->allow_extra_args(false);
  sub->add_option("--scratch", r.scratchBytes, "Bytes of private memory of a lane");
  sub->add_option("--waves", r.waves, "Waves of a work-group");
  sub->add_option("--block", r.block, "Work-items of a group x,y,z: sets EXEC and v0");
  sub->add_option("--groups", r.groups, "Work-groups");
  sub->add_option("--wave-size", r.waveSize, "32 or 64; default: the chip's native one");
  sub->add_option("--bytes", r.bytes, "Machine code in hexadecimal instead of text");
  sub->add_option("--address", r.address, "Device address of the code");
  sub->add_option("--pc", r.pc, "Address of the first instruction to run");
  sub->add_option("--dump", r.dump, "What to show: v0-v15,s0-s7,vcc,lds[0:256]; default: what the code writes");
  sub->add_option("--checks", r.checks)->check(CLI::IsMember({"on", "off"}));
  sub->add_option("--matrix", r.matrix)->check(CLI::IsMember({"exact", "fast"}));
  sub->add_option("--budget", r.budget, "Wave-instructions after which the run is stopped");
  sub->add_option("--threads", r.threads, "Threads that share the work-groups");
  addDebugOptions(*sub, r.debug);
  sub->callback([request, &command, &json] { command = [request, &json] { return runAsm(*request, json); }; });
}

} // namespace wavewright::cli
