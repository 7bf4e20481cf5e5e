#include "wavewright/emulator/debug.h"

#include "wavewright/emulator/launch_state.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace wavewright::emulator {

namespace scalar = codeobject::scalar;
using Bank = StateItem::Bank;

uint64_t runObserved(const LaunchState &launch, Observer &observer, uint64_t group, Context &c, Wave &w,
                     uint64_t count) {
  uint64_t done = 0;
  while (done < count) {
    Site site{launch, c, w, group, w.pc++, c.waveInstructions};
    const MicroOp &m = c.code->ops[site.index];
    observer.before(site);
    if (w.state != WaveState::Running)
      break;
    ++done;
    ++c.waveInstructions;
    if (m.opClass == OpClass::Valu)
      c.laneOperations += uint64_t(__builtin_popcountll(w.pair(scalar::ExecLo) & w.laneMask));
    m.handler(c, w, m);
    observer.after(site);
    if (w.state != WaveState::Running)
      break;
  }
  return done;
}

namespace {

SourcePlace placeOf(const LaunchState &l, uint64_t address) {
  return l.given ? l.given->place(address) : l.object->place(address);
}

/// Values of one register, as numbers: one a lane, or one.
std::vector<uint64_t> valuesOf(const Site &site, const StateItem &item) {
  const Wave &w = site.wave;
  switch (item.bank) {
  case Bank::Vgpr:
  case Bank::Agpr: {
    const Row &row = w.vgpr[item.first + (item.bank == Bank::Agpr ? site.launch.kernel->firstAgpr : 0)];
    return {row.lane, row.lane + w.lanes};
  }
  case Bank::Scalar:
    return {w.sgpr[item.first]};
  case Bank::Mask:
    return {w.mask(item.first)};
  case Bank::Scc:
    return {w.scc};
  case Bank::Mode:
    return {w.mode};
  case Bank::Pc:
    return {site.context.code->ops[site.index].address};
  case Bank::Lds: {
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < item.count; ++i)
      bytes.push_back(uint64_t(site.context.lds[item.first + i]));
    return bytes;
  }
  case Bank::Scratch:
    break;
  }
  return {};
}

bool isVector(const StateItem &item) { return item.bank == Bank::Vgpr || item.bank == Bank::Agpr; }

StateValue valueOf(const Site &site, const StateItem &item) {
  StateValue v;
  v.item = item;
  v.perLane = isVector(item);
  const Wave &w = site.wave;
  if (item.bank == Bank::Lds) {
    v.bytes.assign(site.context.lds + item.first, site.context.lds + item.first + item.count);
  } else if (item.bank == Bank::Scratch) {
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      for (uint32_t i = item.first; i < item.first + item.count; ++i)
        v.bytes.push_back(std::byte(w.scratch[size_t(i / 4) * MaxLanes + lane] >> (i % 4 * 8)));
  } else {
    v.values = valuesOf(site, item);
  }
  return v;
}

/// Whether `path` ends in the parts of `wanted`.
bool sameFile(llvm::StringRef path, llvm::StringRef wanted) {
  return path.ends_with(wanted) &&
         (path.size() == wanted.size() || path[path.size() - wanted.size() - 1] == '/' || wanted.starts_with("/"));
}

} // namespace

struct Debugger::Impl {
  DebugOptions options;
  Sink sink;
  std::vector<StateItem> dump, watch;
  uint64_t events = 0, dropped = 0;

  /// By instruction: the breakpoint (from 1) that it belongs to, by line or by address.
  std::vector<uint16_t> byLine, byAddress;
  std::vector<SourcePlace> places;
  std::vector<std::string> texts;

  struct WaveRecord {
    uint16_t line = 0; ///< breakpoint on whose line the wave's last instruction was
    std::vector<std::vector<uint64_t>> watched;
  };
  std::map<std::pair<uint64_t, uint32_t>, WaveRecord> waves;
  std::map<uint64_t, std::vector<std::vector<uint64_t>>> groupLds; ///< by group: watched LDS

  bool wanted(const Site &site) const {
    if (options.wave && *options.wave != site.wave.indexInGroup)
      return false;
    if (!options.group)
      return true;
    Dim3 g = groupAt(site.launch, site.group);
    return g.x == options.group->x && g.y == options.group->y && g.z == options.group->z;
  }

  const SourcePlace &place(const Site &site) {
    if (site.index >= places.size())
      return places.emplace_back();
    return places[site.index];
  }
  const std::string &text(const Site &site) {
    static const std::string none;
    if (site.index >= texts.size())
      return none;
    std::string &text = texts[site.index];
    if (text.empty()) {
      uint64_t address = site.context.code->ops[site.index].address;
      text = llvm::StringRef(site.launch.given ? site.launch.given->disassemble(address)
                                               : site.launch.object->disassemble(address))
                 .trim()
                 .str();
    }
    return text;
  }

  DebugEvent event(const Site &site, DebugEvent::Kind kind) {
    DebugEvent e;
    e.kind = kind;
    e.kernel = site.launch.kernel->name;
    e.group = groupAt(site.launch, site.group);
    e.wave = site.wave.indexInGroup;
    e.serial = site.serial;
    e.address = site.context.code->ops[site.index].address;
    e.exec = site.wave.exec() & site.wave.laneMask;
    e.lanes = site.wave.lanes;
    e.instruction = text(site);
    e.place = place(site);
    return e;
  }

  bool room() {
    if (events < options.most)
      return true;
    ++dropped;
    return false;
  }
  void tell(const Site &site, const DebugEvent &e) {
    ++events;
    if (!sink(e) && site.wave.state != WaveState::Failed)
      site.context.fail(site.wave, site.context.code->ops[site.index], "the launch was stopped by its debugger");
  }

  llvm::Error check(const LaunchState &l, const std::vector<StateItem> &items) const;
  llvm::Error resolve(const LaunchState &l, const std::string &text, uint16_t number);
  llvm::Error resolveLine(const LaunchState &l, llvm::StringRef file, unsigned line, const std::string &text,
                          uint16_t number);
  void watchNow(const Site &site, std::vector<StateChange> &changes);
  std::vector<StateItem> written(const Site &site) const;
};

/// Items that the launch has.
llvm::Error Debugger::Impl::check(const LaunchState &l, const std::vector<StateItem> &items) const {
  unsigned firstAgpr = l.kernel->firstAgpr;
  for (const StateItem &item : items) {
    uint64_t limit = ~0ull;
    std::string what;
    if (item.bank == Bank::Vgpr)
      limit = firstAgpr ? firstAgpr : l.vgprs, what = fmt::format("{} VGPRs", limit);
    else if (item.bank == Bank::Agpr)
      limit = firstAgpr ? l.vgprs - firstAgpr : 0, what = fmt::format("{} AGPRs", limit);
    else if (item.bank == Bank::Lds)
      limit = l.ldsBytes, what = fmt::format("{} bytes of LDS", limit);
    else if (item.bank == Bank::Scratch)
      limit = l.scratchBytes, what = fmt::format("{} bytes of scratch a lane", limit);
    if (uint64_t(item.first) + item.count > limit)
      return fail(ErrorKind::Usage, fmt::format("kernel {} has no {}: it has {}", l.kernel->name,
                                                item.name(isVector(item) ? item.count - 1 : 0), what));
  }
  return llvm::Error::success();
}

llvm::Error Debugger::Impl::resolveLine(const LaunchState &l, llvm::StringRef file, unsigned line,
                                        const std::string &text, uint16_t number) {
  std::set<std::string> filesSeen;
  std::set<unsigned> lines;
  bool found = false;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i])
      continue;
    filesSeen.insert(places[i].file);
    if (!sameFile(places[i].file, file))
      continue;
    lines.insert(places[i].line);
    if (places[i].line == line) {
      byLine[i] = number;
      found = true;
    }
  }
  if (found)
    return llvm::Error::success();
  if (filesSeen.empty())
    return fail(ErrorKind::Usage,
                fmt::format("break at {}: the code of kernel {} has no line table; compile it with debug info, or name "
                            "an address as {}+0x0",
                            text, l.kernel->name, l.kernel->name));
  std::string list;
  if (lines.empty()) {
    for (const std::string &each : filesSeen)
      list += (list.empty() ? "" : ", ") + each;
    return fail(ErrorKind::Usage,
                fmt::format("break at {}: no instruction of kernel {} comes from such a file; its files are {}", text,
                            l.kernel->name, list));
  }
  std::vector<unsigned> near(lines.begin(), lines.end());
  std::sort(near.begin(), near.end(), [&](unsigned a, unsigned b) {
    unsigned da = a > line ? a - line : line - a, db = b > line ? b - line : line - b;
    return da != db ? da < db : a < b;
  });
  near.resize(std::min<size_t>(near.size(), 5));
  std::sort(near.begin(), near.end());
  for (unsigned each : near)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", each);
  return fail(ErrorKind::Usage,
              fmt::format("break at {}: no instruction of kernel {} comes from this line; the nearest "
                          "lines with code are {}",
                          text, l.kernel->name, list));
}

llvm::Error Debugger::Impl::resolve(const LaunchState &l, const std::string &text, uint16_t number) {
  llvm::StringRef rest(text);
  auto [file, lineText] = rest.rsplit(':');
  unsigned line;
  if (!file.empty() && file.size() < rest.size() && !lineText.getAsInteger(10, line))
    return resolveLine(l, file, line, text, number);

  uint64_t address = 0, offset = 0;
  if (rest.getAsInteger(0, address)) {
    auto [symbol, offsetText] = rest.rsplit('+');
    if (symbol.size() == rest.size())
      symbol = rest;
    else if (offsetText.getAsInteger(0, offset))
      return fail(ErrorKind::Usage,
                  fmt::format("break at {}: \"{}\" is no offset; write {}+0x10", text, offsetText.str(), symbol.str()));
    std::string known;
    bool found = symbol == l.kernel->name;
    address = l.kernel->entryAddress;
    if (!found && l.object)
      for (const codeobject::Symbol &s : l.object->symbols()) {
        if (!s.function)
          continue;
        known += (known.empty() ? "" : ", ") + s.name;
        if (s.name == symbol)
          found = true, address = s.address;
      }
    if (!found)
      return fail(ErrorKind::Usage,
                  fmt::format("break at {}: there is no function {}; there are {}. Places are file:line, "
                              "function+offset or an address as 0x1a40",
                              text, symbol.str(), known.empty() ? l.kernel->name : known));
    address += offset;
  }
  int64_t index = l.code->indexAt(address);
  if (index < 0) {
    const auto &instructions = l.code->program->instructions;
    auto after = std::upper_bound(instructions.begin(), instructions.end(), address,
                                  [](uint64_t a, const codeobject::Instruction &i) { return a < i.address; });
    std::string near = after == instructions.begin()
                           ? fmt::format("the code starts at 0x{:x}", instructions.front().address)
                           : fmt::format("the one before starts at 0x{:x}", std::prev(after)->address);
    return fail(ErrorKind::Usage, fmt::format("break at {}: no instruction starts at 0x{:x}; {}", text, address, near));
  }
  byAddress[size_t(index)] = number;
  return llvm::Error::success();
}

void Debugger::Impl::watchNow(const Site &site, std::vector<StateChange> &changes) {
  WaveRecord &record = waves[{site.group, site.wave.indexInGroup}];
  auto &lds = groupLds[site.group];
  record.watched.resize(watch.size());
  lds.resize(watch.size());
  for (size_t i = 0; i < watch.size(); ++i) {
    const StateItem &item = watch[i];
    // LDS belongs to the group: what another wave has changed is that wave's event.
    std::vector<uint64_t> &old = item.bank == Bank::Lds ? lds[i] : record.watched[i];
    std::vector<uint64_t> now = valuesOf(site, item);
    if (!old.empty() && old != now) {
      StateChange change;
      change.item = item;
      if (item.bank == Bank::Lds) {
        auto [a, b] = std::mismatch(old.begin(), old.end(), now.begin());
        auto [ra, rb] = std::mismatch(old.rbegin(), old.rend(), now.rbegin());
        size_t first = size_t(a - old.begin()) & ~size_t(3), last = size_t(ra.base() - old.begin());
        change.item.first = item.first + uint32_t(first);
        change.item.count = uint32_t(last - first);
        change.before.assign(old.begin() + long(first), old.begin() + long(last));
        change.now.assign(now.begin() + long(first), now.begin() + long(last));
      } else {
        for (size_t lane = 0; lane < now.size(); ++lane)
          change.lanes |= uint64_t(old[lane] != now[lane]) << lane;
        change.before = old;
        change.now = now;
      }
      changes.push_back(std::move(change));
    }
    old = std::move(now);
  }
}

/// Registers that the instruction writes, as Code::uses has them; EXEC where it is written without being named.
std::vector<StateItem> Debugger::Impl::written(const Site &site) const {
  std::vector<StateItem> items;
  const Code &code = *site.context.code;
  if (site.index + 1 >= code.useStart.size())
    return items;
  unsigned firstAgpr = site.launch.kernel->firstAgpr;
  bool exec = false;
  for (uint32_t u = code.useStart[site.index]; u < code.useStart[site.index + 1]; ++u) {
    const RegisterUse &use = code.uses[u];
    if (!use.write)
      continue;
    for (unsigned i = 0; i < use.count; ++i) {
      uint32_t number = use.first + i;
      if (use.bank == RegisterUse::Bank::Scc)
        items.push_back({Bank::Scc, 0, 1});
      else if (use.bank == RegisterUse::Bank::Scalar && (number == scalar::VccLo || number == scalar::ExecLo))
        items.push_back({Bank::Mask, number, 1}), exec |= number == scalar::ExecLo;
      else if (use.bank == RegisterUse::Bank::Scalar && number != scalar::VccHi && number != scalar::ExecHi)
        items.push_back({Bank::Scalar, number, 1});
      else if (use.bank == RegisterUse::Bank::Vector && firstAgpr && number >= firstAgpr)
        items.push_back({Bank::Agpr, number - firstAgpr, 1});
      else if (use.bank == RegisterUse::Bank::Vector)
        items.push_back({Bank::Vgpr, number, 1});
    }
  }
  const codeobject::Instruction *i = code.ops[site.index].instruction;
  if (i && i->writesExec && !exec)
    items.push_back({Bank::Mask, scalar::ExecLo, 1});
  return items;
}

Debugger::Debugger(DebugOptions options, Sink sink) : impl(std::make_unique<Impl>()) {
  impl->options = std::move(options);
  impl->sink = std::move(sink);
  impl->dump = singleItems(impl->options.dump);
  impl->watch = singleItems(impl->options.watch);
}
Debugger::~Debugger() = default;
uint64_t Debugger::leftOut() const { return impl->dropped; }

llvm::Error Debugger::begin(const LaunchState &l) {
  Impl &d = *impl;
  d.waves.clear();
  d.groupLds.clear();
  const auto &instructions = l.code->program->instructions;
  d.places.clear();
  for (const codeobject::Instruction &i : instructions)
    d.places.push_back(placeOf(l, i.address));
  d.texts.assign(instructions.size(), "");
  d.byLine.assign(instructions.size() + 1, 0);
  d.byAddress.assign(instructions.size() + 1, 0);
  for (const std::vector<StateItem> *items : {&d.options.dump, &d.options.watch})
    if (llvm::Error error = d.check(l, *items))
      return error;
  for (const StateItem &item : d.watch)
    if (item.bank == Bank::Scratch)
      return fail(ErrorKind::Usage, "scratch cannot be watched; registers, masks and lds[first:last] can");
  for (size_t i = 0; i < d.options.breakpoints.size(); ++i)
    if (llvm::Error error = d.resolve(l, d.options.breakpoints[i], uint16_t(i + 1)))
      return error;
  return llvm::Error::success();
}

void Debugger::before(const Site &site) {
  Impl &d = *impl;
  if (!d.wanted(site))
    return;
  if (!d.watch.empty()) {
    std::vector<StateChange> none; // takes the first values of a wave
    d.watchNow(site, none);
  }
  if (d.options.breakpoints.empty())
    return;
  uint16_t line = d.byLine[site.index], stop = d.byAddress[site.index];
  uint16_t &last = d.waves[{site.group, site.wave.indexInGroup}].line;
  if (!stop && line && line != last)
    stop = line;
  last = line;
  if (!stop || !d.room())
    return;
  DebugEvent e = d.event(site, DebugEvent::Kind::Break);
  e.breakpoint = d.options.breakpoints[stop - 1];
  for (const StateItem &item : d.dump)
    e.values.push_back(valueOf(site, item));
  d.tell(site, e);
}

void Debugger::after(const Site &site) {
  Impl &d = *impl;
  if (!d.wanted(site))
    return;
  if (!d.watch.empty()) {
    std::vector<StateChange> changes;
    d.watchNow(site, changes);
    if (!changes.empty() && d.room()) {
      DebugEvent e = d.event(site, DebugEvent::Kind::Watch);
      e.changes = std::move(changes);
      d.tell(site, e);
    }
  }
  if (d.options.trace && d.room()) {
    DebugEvent e = d.event(site, DebugEvent::Kind::Trace);
    if (site.wave.state != WaveState::Failed)
      for (const StateItem &item : d.written(site))
        e.values.push_back(valueOf(site, item));
    d.tell(site, e);
  }
  if (site.wave.state == WaveState::Ended)
    d.waves.erase({site.group, site.wave.indexInGroup});
}

} // namespace wavewright::emulator
