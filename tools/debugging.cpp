//===- tools/debugging.cpp - breakpoints, watches and traces of `run` and `asm` -------------------===//
#include "cli.h"

#include "wavewright/runtime/arguments.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace wavewright::cli {

using emulator::DebugEvent;
using llvm::json::Array, llvm::json::Object, llvm::json::Value;

void addDebugOptions(CLI::App &app, DebugRequest &r) {
  app.add_option("--break", r.breakpoints,
                 "Stop at file:line, function+0x10 or an address of the code object as 0x1a40, show --dump, go on")
      ->allow_extra_args(false);
  app.add_option("--watch", r.watch, "Report each change of v12,s3,vcc,lds[0:64]");
  app.add_flag("--trace-instr", r.trace, "Report each instruction and the registers that it wrote");
  app.add_option("--in-group", r.group, "Only this work-group x,y,z of breaks, watches and traces");
  app.add_option("--in-wave", r.wave, "Only this wave of a work-group");
  app.add_option("--max-events", r.most, "Reports after which the rest is only counted");
}

llvm::Error DebugSession::start(const DebugRequest &request, const std::string &dump, bool json) {
  bool wanted = !request.breakpoints.empty() || !request.watch.empty() || request.trace;
  if (!wanted) {
    if (!dump.empty())
      return fail(ErrorKind::Usage, "--dump says what breakpoints show; name one with --break file:line");
    return llvm::Error::success();
  }
  emulator::DebugOptions options;
  options.breakpoints = request.breakpoints;
  options.trace = request.trace;
  options.most = request.most;
  options.wave = request.wave;
  for (auto [text, items] : {std::pair(&dump, &options.dump), std::pair(&request.watch, &options.watch)}) {
    auto parsed = emulator::parseItems(*text);
    if (!parsed)
      return parsed.takeError();
    *items = std::move(*parsed);
  }
  if (!request.group.empty()) {
    llvm::SmallVector<llvm::StringRef, 3> parts;
    llvm::StringRef(request.group).split(parts, ',');
    uint32_t id[3] = {};
    bool good = parts.size() <= 3;
    for (size_t i = 0; good && i < parts.size(); ++i)
      good = !parts[i].trim().getAsInteger(10, id[i]);
    if (!good)
      return fail(
          ErrorKind::Usage,
          fmt::format("--in-group \"{}\": write one to three numbers from 0, for example 1,0,0", request.group));
    options.group = emulator::Dim3{id[0], id[1], id[2]};
  }
  debugger = std::make_unique<emulator::Debugger>(std::move(options), [this, json](const DebugEvent &event) {
    if (json)
      events.push_back(eventJson(event));
    else
      print(emulator::formatEvent(event));
    return true;
  });
  return llvm::Error::success();
}

void DebugSession::finish(bool json) {
  if (debugger && !json && debugger->leftOut())
    print(fmt::format("{} more events were left out; --max-events shows more\n", debugger->leftOut()));
}

static std::string hexOf(llvm::ArrayRef<std::byte> bytes) {
  return llvm::toHex({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, /*LowerCase=*/true);
}

Value eventJson(const DebugEvent &e) {
  static const char *const kinds[] = {"break", "watch", "trace"};
  Object object{{"event", kinds[unsigned(e.kind)]},
                {"group", Array{e.group.x, e.group.y, e.group.z}},
                {"wave", e.wave},
                {"serial", e.serial},
                {"address", e.address},
                {"exec", e.exec},
                {"instruction", jsonString(e.instruction)}};
  if (e.place) {
    object["file"] = jsonString(e.place.file);
    object["line"] = e.place.line;
  }
  if (e.kind == DebugEvent::Kind::Break)
    object["breakpoint"] = jsonString(e.breakpoint);
  Object values;
  for (const emulator::StateValue &v : e.values) {
    if (!v.bytes.empty())
      values[v.item.name()] = hexOf(v.bytes);
    else if (v.perLane)
      values[v.item.name()] = Array(v.values);
    else
      values[v.item.name()] = v.values.front();
  }
  if (e.kind != DebugEvent::Kind::Watch)
    object["values"] = std::move(values);
  Array changes;
  for (const emulator::StateChange &c : e.changes)
    changes.push_back(
        Object{{"name", c.item.name()}, {"lanes", c.lanes}, {"before", Array(c.before)}, {"now", Array(c.now)}});
  if (e.kind == DebugEvent::Kind::Watch)
    object["changes"] = std::move(changes);
  return object;
}

} // namespace wavewright::cli
