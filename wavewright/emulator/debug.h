//===- emulator/debug.h - looking at a launch, instruction by instruction -------------------------===//
//
// A launch with an Observer runs in another loop (scheduler.cpp chooses it once a turn of a wave), on one thread, and
// calls the observer around every instruction. Without one nothing is asked anywhere. Checks that look at registers
// are observers too: what an instruction reads and writes is predecoded in Code::uses, what it does to memory goes
// through Context's memory functions.
//
// Debugger is the observer of a person: breakpoints with dumps, watched registers, a trace of what was executed.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/machine.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wavewright::emulator {

struct Code;
struct Context;
struct LaunchState;
struct Wave;

/// Where a wave stands. Valid during the call that gets it.
struct Site {
  const LaunchState &launch;
  Context &context;
  Wave &wave;
  uint64_t group;  ///< flat index of the work-group
  uint32_t index;  ///< of the instruction in Code::ops
  uint64_t serial; ///< instructions that the launch has executed before this one
};

class Observer {
public:
  virtual ~Observer() = default;
  /// Called once, before the first wave; an error refuses the launch.
  virtual llvm::Error begin(const LaunchState &launch) = 0;
  virtual void before(const Site &site) = 0;
  virtual void after(const Site &site) = 0;
};

/// Executes like SemanticsLevel::run, with the observer around every instruction.
uint64_t runObserved(const LaunchState &launch, Observer &observer, uint64_t group, Context &context, Wave &wave,
                     uint64_t count);

//===----------------------------------------------------------------------------------------------===//
// What to look at
//===----------------------------------------------------------------------------------------------===//

/// Some consecutive registers or bytes.
struct StateItem {
  enum class Bank : uint8_t { Vgpr, Agpr, Scalar, Mask, Scc, Mode, Pc, Lds, Scratch };
  Bank bank = Bank::Vgpr;
  uint32_t first = 0, count = 1; ///< registers; bytes of LDS and of a lane's scratch; a Mask is VCC or EXEC whole
  std::string name(uint32_t i = 0) const;
};

/// "v0-v15,s0-s7,a3,vcc,exec,m0,scc,mode,pc,ttmp9,lds[0:256],scratch[0:16]". Ranges of registers include both ends;
/// lds and scratch name the first byte and the one behind the last. Registers may have v[0:15] as their form too. The
/// error (UsageError) says which part is none and what there is.
llvm::Expected<std::vector<StateItem>> parseItems(llvm::StringRef text);

/// The value of one register, or bytes, of a wave: one number for scalars, one a lane for vectors.
struct StateValue {
  StateItem item; ///< count 1 for registers
  bool perLane = false;
  std::vector<uint64_t> values; ///< lanes; or one scalar; masks have 64 bits
  std::vector<std::byte> bytes; ///< LDS (all of the item); scratch lane after lane
};

/// A register that an instruction changed.
struct StateChange {
  StateItem item;
  uint64_t lanes = 0;                ///< the lanes whose value is another; 1 for scalars
  std::vector<uint64_t> before, now; ///< as StateValue::values
};

/// Registers one by one; ranges of bytes stay whole.
std::vector<StateItem> singleItems(const std::vector<StateItem> &items);

struct DebugEvent {
  enum class Kind : uint8_t { Break, Watch, Trace };
  Kind kind = Kind::Trace;
  std::string kernel;
  Dim3 group;
  uint32_t wave = 0;
  uint64_t serial = 0, address = 0; ///< ELF address
  uint64_t exec = 0;
  unsigned lanes = 64;
  std::string instruction;
  SourcePlace place;
  std::string breakpoint;           ///< as it was asked for
  std::vector<StateValue> values;   ///< Break: the dump, before the instruction; Trace: what it wrote
  std::vector<StateChange> changes; ///< Watch
};

struct DebugOptions {
  /// "file.py:12", "symbol+0x10", "symbol" or "0x1a40" (an address in the code object). The file matches by its last
  /// parts. A line stops a wave at the first instruction of each run of that line.
  std::vector<std::string> breakpoints;
  std::vector<StateItem> dump;  ///< shown at breakpoints
  std::vector<StateItem> watch; ///< each change is an event
  bool trace = false;           ///< each instruction is an event
  std::optional<Dim3> group;    ///< only this work-group
  std::optional<uint32_t> wave; ///< only this wave of each group
  uint64_t most = 1000;         ///< events after which the rest is only counted
};

class Debugger final : public Observer {
public:
  /// Called for each event, on the thread of the launch; false ends the launch.
  using Sink = std::function<bool(const DebugEvent &)>;
  Debugger(DebugOptions options, Sink sink);
  ~Debugger() override;

  llvm::Error begin(const LaunchState &launch) override;
  void before(const Site &site) override;
  void after(const Site &site) override;
  /// Events that `most` left out.
  uint64_t leftOut() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The event as lines of text, with a newline at the end.
std::string formatValue(const StateValue &value, unsigned lanes);
std::string formatEvent(const DebugEvent &event);

} // namespace wavewright::emulator
