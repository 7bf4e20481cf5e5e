//===- emulator/scheduler.cpp - work-groups over threads, waves within a group --------------------===//
//
// The waves of a group share one thread and take turns in a fixed order, so a group's result does not depend on the
// host. Groups run in parallel when nothing in the program can tell; otherwise one thread runs them in one order, and a
// group that takes long gives way to the next so that those that wait for each other make progress.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/debug.h"
#include "wavewright/emulator/launch_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

namespace wavewright::emulator {

Dim3 groupAt(const LaunchState &l, uint64_t flat) {
  const Dim3 &grid = l.config.grid;
  return {uint32_t(flat % grid.x), uint32_t(flat / grid.x % grid.y), uint32_t(flat / grid.x / grid.y)};
}

namespace {

/// Instructions that a wave runs before its siblings get a turn, and a group before other groups do.
constexpr uint64_t WaveTurn = 1 << 14, GroupTurn = 1 << 18;
/// Groups under way at once in serial order: more than any chip here keeps resident.
constexpr size_t MostResident = 4096;

/// Nearest even and no flushing, whatever the host program has set for itself (threads inherit it).
struct PlainFloatingPoint {
  fenv_t saved;
  PlainFloatingPoint() {
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
  }
  ~PlainFloatingPoint() { fesetenv(&saved); }
};

/// What threads share.
struct Shared {
  const LaunchState &launch;
  std::atomic<uint64_t> budget;
  std::atomic<uint64_t> nextGroup{0};
  std::atomic<uint64_t> failedGroup{~0ull};
  std::atomic<bool> stopped{false}; ///< interrupt or budget: everyone stops at once
  std::mutex mutex;
  llvm::Error error = llvm::Error::success();

  explicit Shared(const LaunchState &launch) : launch(launch), budget(launch.options.instructionBudget) {}

  /// Keeps the error of the lowest group.
  void fail(uint64_t group, llvm::Error e) {
    std::lock_guard<std::mutex> lock(mutex);
    if (group < failedGroup.load()) {
      llvm::consumeError(std::move(error));
      error = std::move(e);
      failedGroup = group;
    } else {
      llvm::consumeError(std::move(e));
    }
  }
};

/// Registers, LDS and private memory of one group; reused for the next.
class Group {
public:
  explicit Group(const LaunchState &l)
      : launch(l), waves(l.wavesPerGroup), registers(size_t(l.wavesPerGroup) * (l.vgprs + SplatRows)),
        lds((l.ldsBytes + 15) / 16 * 16 + 16), scratch(size_t(l.wavesPerGroup) * rowsOfScratch()) {}

  void start(uint64_t flatIndex) {
    flat = flatIndex;
    std::fill(registers.begin(), registers.end(), Row());
    std::fill(scratch.begin(), scratch.end(), Row());
    std::fill(lds.begin(), lds.end(), std::byte(0));
    for (unsigned i = 0; i < waves.size(); ++i) {
      Wave &w = waves[i];
      w.vgpr = registers.data() + size_t(i) * (launch.vgprs + SplatRows);
      w.vgprCount = launch.vgprs;
      w.scratch = scratch.empty() ? nullptr : scratch[size_t(i) * rowsOfScratch()].lane;
      w.scratchBytes = launch.scratchBytes;
      if (launch.given)
        launch.given->enter(w, flat, i);
      else
        enterWave(launch, w, groupAt(launch, flat), i);
    }
    if (launch.given)
      launch.given->enterGroup(flat, lds.data());
  }

  void attach(Context &c) {
    c.group = waves;
    c.lds = lds.data();
    c.ldsBytes = launch.ldsBytes;
  }

  enum class Outcome { Finished, TurnOver, Failed, Stopped };

  /// Lets the waves take turns until all have ended or the group's turn is over.
  Outcome run(Context &c, Shared &shared, uint64_t turn) {
    Outcome outcome = takeTurns(c, shared, turn);
    if (launch.given && outcome != Outcome::TurnOver)
      launch.given->leave(flat, waves, lds.data());
    return outcome;
  }

  uint64_t index() const { return flat; }

private:
  Outcome takeTurns(Context &c, Shared &shared, uint64_t turn) {
    attach(c);
    const SemanticsLevel &level = semanticsLevel();
    Observer *observer = launch.options.observer;
    uint64_t slice = launch.code->hasMatrix ? 64 : 512;
    while (true) {
      bool ran = false, alive = false;
      for (Wave &w : waves) {
        for (uint64_t wave = 0; w.state == WaveState::Running && wave < WaveTurn;) {
          uint64_t allowed = takeBudget(c, shared, slice);
          if (!allowed)
            return Outcome::Stopped;
          uint64_t done = observer ? runObserved(launch, *observer, flat, c, w, allowed) : level.run(c, w, allowed);
          unspent += allowed - done;
          wave += done;
          turn -= std::min(turn, done);
          ran = true;
        }
        if (w.state == WaveState::Failed)
          return Outcome::Failed;
        alive |= w.state != WaveState::Ended;
      }
      if (!alive)
        return Outcome::Finished;
      bool released = releaseBarriers();
      if (!ran && !released)
        return stuck(c);
      if (!turn)
        return Outcome::TurnOver;
    }
  }

  size_t rowsOfScratch() const { return (launch.scratchBytes + 3) / 4; }

  /// Instructions that may be run now; 0 when the launch is to stop. The shared counter is touched rarely.
  uint64_t takeBudget(Context &c, Shared &shared, uint64_t slice) {
    if (shared.stopped.load(std::memory_order_relaxed))
      return 0;
    if (launch.options.interrupt && launch.options.interrupt->load(std::memory_order_relaxed)) {
      shared.stopped = true;
      shared.fail(0, wavewright::fail(ErrorKind::Launch,
                                      fmt::format("kernel {}: the launch was interrupted", launch.kernel->name)));
      return 0;
    }
    if (unspent < slice) {
      constexpr uint64_t portion = 1 << 20;
      uint64_t left = shared.budget.load(), want;
      do
        want = std::min(left, portion);
      while (want && !shared.budget.compare_exchange_weak(left, left - want));
      unspent += want;
    }
    uint64_t allowed = std::min(unspent, slice);
    if (!allowed) {
      shared.stopped = true;
      shared.fail(0, wavewright::fail(
                         ErrorKind::Launch,
                         fmt::format("kernel {}: the launch has used up its budget of {} wave-instructions; a kernel "
                                     "that needs more gets it with the launch option budget (--budget)",
                                     launch.kernel->name, launch.options.instructionBudget)));
      return 0;
    }
    unspent -= allowed;
    return allowed;
  }

  bool releaseBarriers() {
    bool released = false;
    for (Wave &w : waves) {
      if (w.state != WaveState::AtBarrier)
        continue;
      bool all = w.waitsNamed ? waves[0].named[w.joined].completed >= w.namedWaits
                              : std::all_of(waves.begin(), waves.end(), [&](const Wave &other) {
                                  return other.state == WaveState::Ended || other.barrierSignals >= w.barrierWaits;
                                });
      if (all) {
        w.state = WaveState::Running;
        w.waitsNamed = false;
        released = true;
      }
    }
    return released;
  }

  Outcome stuck(Context &c) {
    for (Wave &w : waves)
      if (w.state == WaveState::AtBarrier) {
        c.fail(w, launch.code->ops[w.pc - 1],
               w.waitsNamed
                   ? fmt::format("wave {} waits at the named barrier {}, at which {} of {} members have signalled",
                                 w.indexInGroup, w.joined, waves[0].named[w.joined].signals,
                                 waves[0].named[w.joined].members)
                   : fmt::format("wave {} waits at barrier {} for waves that never arrive", w.indexInGroup,
                                 w.barrierWaits));
        break;
      }
    return Outcome::Failed;
  }

  const LaunchState &launch;
  uint64_t flat = 0, unspent = 0;
  std::vector<Wave> waves;
  std::vector<Row> registers;
  std::vector<std::byte> lds;
  std::vector<Row> scratch;
};

/// The user's sentence about what stopped a wave.
llvm::Error describeFault(const LaunchState &l, const Context &c, uint64_t group) {
  Dim3 g = groupAt(l, group);
  const Fault &f = c.fault;
  uint64_t address = f.op ? f.op->address : 0;
  SourcePlace place = l.given ? l.given->place(address) : l.object->place(address);
  std::string who = fmt::format("work-group ({}, {}, {}), wave {}", g.x, g.y, g.z, f.wave);
  if (f.lane >= 0)
    who += fmt::format(", lane {}", f.lane);
  return fail(f.kind,
              fmt::format("kernel {}: {}; {}, at 0x{:x}: {}", l.kernel->name, f.message, who, address,
                          l.given ? l.given->disassemble(address) : l.object->disassemble(address)),
              place);
}

Context makeContext(const LaunchState &l) {
  Context c;
  c.target = l.target;
  c.code = l.code;
  c.memory = l.memory;
  c.options = &l.options;
  c.loadBias = l.loadBias;
  c.launchMemory = l.launchMemory;
  return c;
}

void addStatistics(LaunchStatistics &total, const Context &c) {
  total.waveInstructions += c.waveInstructions;
  total.laneOperations += c.laneOperations;
  total.matrixFlops += c.matrixFlops;
}

/// One thread's share: groups in increasing order until none is left or a lower one has failed.
void work(Shared &shared, LaunchStatistics &statistics) {
  const LaunchState &l = shared.launch;
  PlainFloatingPoint environment;
  auto context = std::make_unique<Context>(makeContext(l));
  Group group(l);
  uint64_t count = l.config.grid.count();
  for (uint64_t flat; (flat = shared.nextGroup.fetch_add(1)) < count && flat < shared.failedGroup.load();) {
    group.start(flat);
    Group::Outcome outcome;
    while ((outcome = group.run(*context, shared, GroupTurn)) == Group::Outcome::TurnOver) {
    }
    if (outcome == Group::Outcome::Failed)
      shared.fail(flat, describeFault(l, *context, flat));
    if (outcome != Group::Outcome::Finished)
      break;
  }
  std::lock_guard<std::mutex> lock(shared.mutex);
  addStatistics(statistics, *context);
}

/// All groups on one thread, in order (a permutation by the seed); those under way take turns.
void workInOrder(Shared &shared, LaunchStatistics &statistics) {
  const LaunchState &l = shared.launch;
  PlainFloatingPoint environment;
  auto context = std::make_unique<Context>(makeContext(l));
  std::vector<uint64_t> order;
  uint64_t count = l.config.grid.count(), next = 0;
  if (l.options.seed) {
    order.resize(count);
    for (uint64_t i = 0; i < count; ++i)
      order[i] = i;
    std::mt19937_64 random(l.options.seed);
    for (uint64_t i = count; i > 1; --i)
      std::swap(order[i - 1], order[random() % i]);
  }
  std::vector<std::unique_ptr<Group>> resident, idle;
  size_t turn = 0;
  while (next < count || !resident.empty()) {
    // A new group starts when all that are under way have had a turn.
    if (turn >= resident.size() && next < count && resident.size() < MostResident) {
      if (idle.empty())
        idle.push_back(std::make_unique<Group>(l));
      resident.push_back(std::move(idle.back()));
      idle.pop_back();
      resident.back()->start(order.empty() ? next : order[next]);
      ++next;
      turn = resident.size() - 1;
    } else if (turn >= resident.size()) {
      turn = 0;
    }
    Group &group = *resident[turn];
    switch (group.run(*context, shared, GroupTurn)) {
    case Group::Outcome::TurnOver:
      ++turn;
      break;
    case Group::Outcome::Finished:
      idle.push_back(std::move(resident[turn]));
      resident.erase(resident.begin() + long(turn));
      break;
    case Group::Outcome::Failed:
      shared.fail(group.index(), describeFault(l, *context, group.index()));
      [[fallthrough]];
    case Group::Outcome::Stopped:
      addStatistics(statistics, *context);
      return;
    }
  }
  addStatistics(statistics, *context);
}

} // namespace

llvm::Error runGroups(const LaunchState &l, LaunchStatistics &statistics) {
  auto began = std::chrono::steady_clock::now();
  Shared shared(l);
  uint64_t groups = l.config.grid.count();
  unsigned threads = l.options.threads ? l.options.threads : std::max(1u, std::thread::hardware_concurrency());
  threads = unsigned(std::min<uint64_t>(threads, groups));
  if (Observer *observer = l.options.observer) {
    threads = 1;
    if (llvm::Error error = observer->begin(l))
      return error;
  }
  if (l.code->serial) {
    workInOrder(shared, statistics);
  } else if (threads <= 1) {
    work(shared, statistics);
  } else {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i)
      workers.emplace_back([&] { work(shared, statistics); });
    for (std::thread &worker : workers)
      worker.join();
  }
  statistics.workGroups = groups;
  statistics.waves = groups * l.wavesPerGroup;
  statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return std::move(shared.error);
}

} // namespace wavewright::emulator
