//===- python/module/debug.cpp - the debugger's events in Python ----------------------------------===//
#include "bindings.h"

#include "wavewright/emulator/debug.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <thread>

namespace nb = nanobind;
using namespace nb::literals;

namespace wavewright::python {

using emulator::DebugEvent;

/// A debugger and what to call with its events.
struct PythonDebugger {
  std::unique_ptr<emulator::Debugger> debugger;
  nb::object callback = nb::none();
  std::thread::id thread; ///< whose launches it looks at
  std::exception_ptr raised;
};

namespace {

/// The debugger of the session under way; guarded by the GIL. Never destroyed: Python may be gone by then.
std::shared_ptr<PythonDebugger> &active() {
  static auto *slot = new std::shared_ptr<PythonDebugger>();
  return *slot;
}

using Extents = std::tuple<uint32_t, uint32_t, uint32_t>;

std::shared_ptr<PythonDebugger> makeDebugger(std::vector<std::string> breaks, const std::string &dump,
                                             const std::string &watch, bool trace, std::optional<Extents> group,
                                             std::optional<uint32_t> wave, uint64_t limit) {
  emulator::DebugOptions options;
  options.breakpoints = std::move(breaks);
  options.dump = unwrap(emulator::parseItems(dump), ErrorKind::Usage);
  options.watch = unwrap(emulator::parseItems(watch), ErrorKind::Usage);
  options.trace = trace;
  if (group)
    options.group = emulator::Dim3{std::get<0>(*group), std::get<1>(*group), std::get<2>(*group)};
  options.wave = wave;
  options.most = limit;
  auto made = std::make_shared<PythonDebugger>();
  made->debugger = std::make_unique<emulator::Debugger>(std::move(options), [self = made.get()](const DebugEvent &e) {
    nb::gil_scoped_acquire gil;
    try {
      return nb::cast<bool>(self->callback(nb::cast(e)));
    } catch (...) {
      self->raised = std::current_exception();
      return false;
    }
  });
  return made;
}

/// Gives back what was active before, for the end of a session inside of another.
std::pair<std::shared_ptr<PythonDebugger>, nb::object> setDebugger(std::shared_ptr<PythonDebugger> next,
                                                                   nb::object callback) {
  std::shared_ptr<PythonDebugger> before = active();
  nb::object beforeCallback = before ? before->callback : nb::none();
  if (before)
    before->callback = nb::none();
  if (next) {
    next->callback = std::move(callback);
    next->thread = std::this_thread::get_id();
  }
  active() = std::move(next);
  return {std::move(before), std::move(beforeCallback)};
}

std::vector<std::tuple<std::string, bool, std::vector<uint64_t>, nb::bytes>> valuesOf(const DebugEvent &e) {
  std::vector<std::tuple<std::string, bool, std::vector<uint64_t>, nb::bytes>> values;
  for (const emulator::StateValue &v : e.values)
    values.emplace_back(v.item.name(), v.perLane, v.values, nb::bytes(v.bytes.data(), v.bytes.size()));
  return values;
}

std::vector<std::tuple<std::string, uint64_t, std::vector<uint64_t>, std::vector<uint64_t>>>
changesOf(const DebugEvent &e) {
  std::vector<std::tuple<std::string, uint64_t, std::vector<uint64_t>, std::vector<uint64_t>>> changes;
  for (const emulator::StateChange &c : e.changes)
    changes.emplace_back(c.item.name(), c.lanes, c.before, c.now);
  return changes;
}

} // namespace

DebuggedLaunch::DebuggedLaunch() {
  if (active() && active()->thread == std::this_thread::get_id())
    held = active();
}
emulator::Observer *DebuggedLaunch::observer() const { return held ? held->debugger.get() : nullptr; }
void DebuggedLaunch::rethrow() const {
  if (held && held->raised)
    std::rethrow_exception(std::exchange(held->raised, nullptr));
}

void bindDebug(nb::module_ &m) {
  nb::class_<DebugEvent>(m, "DebugEvent", "What a debugger saw; wavewright.debug.Event is the way to read it")
      .def_prop_ro("kind",
                   [](const DebugEvent &e) {
                     static const char *const kinds[] = {"break", "watch", "trace"};
                     return kinds[unsigned(e.kind)];
                   })
      .def_ro("kernel", &DebugEvent::kernel)
      .def_prop_ro("group", [](const DebugEvent &e) { return Extents(e.group.x, e.group.y, e.group.z); })
      .def_ro("wave", &DebugEvent::wave)
      .def_ro("serial", &DebugEvent::serial)
      .def_ro("address", &DebugEvent::address)
      .def_ro("exec", &DebugEvent::exec)
      .def_ro("instruction", &DebugEvent::instruction)
      .def_ro("breakpoint", &DebugEvent::breakpoint)
      .def_prop_ro("place",
                   [](const DebugEvent &e) -> std::optional<std::tuple<std::string, unsigned, unsigned>> {
                     if (!e.place)
                       return std::nullopt;
                     return std::tuple(e.place.file, e.place.line, e.place.column);
                   })
      .def_prop_ro("values", &valuesOf, "(name, one a lane, numbers, bytes)")
      .def_prop_ro("changes", &changesOf, "(name, lane mask, before, now)")
      .def_prop_ro("text", [](const DebugEvent &e) { return emulator::formatEvent(e); });

  nb::class_<PythonDebugger>(m, "Debugger", "Breakpoints, watches and a trace; wavewright.debug.session makes one")
      .def(nb::new_(&makeDebugger), "breaks"_a, "dump"_a, "watch"_a, "trace"_a, "group"_a.none(), "wave"_a.none(),
           "limit"_a)
      .def_prop_ro("left_out", [](const PythonDebugger &self) { return self.debugger->leftOut(); });

  m.def("set_debugger", &setDebugger, "debugger"_a.none(), "callback"_a.none(),
        "Looks at the launches of this thread from now on, calling back with each event, whose False ends the launch; "
        "gives the debugger and callback before");
}

} // namespace wavewright::python
