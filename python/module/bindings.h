//===- python/module/bindings.h - what the halves of wavewright._core share -----------------------===//
#pragma once

#include "wavewright/support/error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace wavewright::emulator {
class Observer;
}

namespace wavewright::python {

/// One MLIR context with every dialect of a compilation loaded; operations of others are refused.
struct Context {
  Context();
  mlir::MLIRContext mlir;
};

/// A module and what was built for it but hangs nowhere yet. Values, blocks and regions that Python holds share it.
struct ModuleState {
  std::shared_ptr<Context> context;
  std::vector<std::unique_ptr<mlir::Region>> detached; ///< never freed before the module: Python may hold a value
  mlir::OwningOpRef<mlir::ModuleOp> op;

  ~ModuleState();
};

/// `wavewright._core.ir.Module`.
struct Module {
  std::shared_ptr<ModuleState> state;

  mlir::ModuleOp op() const { return *state->op; }
  /// A copy to hand to passes: they erase operations that Python values name.
  Module clone() const;
};

/// The text of a module as Python sees it: aliases, no locations unless asked for.
std::string print(mlir::ModuleOp module, bool locations = false);

/// Raises a failure as the class of `wavewright.errors` that its kind names, with `message` and `place`.
[[noreturn]] void raise(const Failure &failure);
[[noreturn]] void raise(llvm::Error error, ErrorKind kind = ErrorKind::Compile);

inline void check(llvm::Error error, ErrorKind kind = ErrorKind::Compile) {
  if (error)
    raise(std::move(error), kind);
}

template <typename T> T unwrap(llvm::Expected<T> value, ErrorKind kind = ErrorKind::Compile) {
  if (!value)
    raise(value.takeError(), kind);
  return std::move(*value);
}

/// The exception object of a failure, not raised.
nanobind::object errorObject(const Failure &failure);

/// Runs `work` on a thread of its own while this one looks for signals every 10 ms: Ctrl-C sets `interrupt`, waits for
/// the launch to notice, and goes on as KeyboardInterrupt. Called with the GIL.
void runInterruptibly(std::atomic<bool> &interrupt, const std::function<void()> &work);

/// The value that `word` names; UsageError lists the words that there are.
template <typename T>
T choose(const std::string &word, const char *option, std::initializer_list<std::pair<const char *, T>> choices) {
  std::string known;
  for (auto [name, value] : choices) {
    if (word == name)
      return value;
    known += (known.empty() ? "\"" : " or \"") + std::string(name) + "\"";
  }
  raise(Failure(ErrorKind::Usage, std::string(option) + "=\"" + word + "\": choose " + known));
}

/// The debugger of a session of this thread, for one launch; made with the GIL.
struct PythonDebugger;
class DebuggedLaunch {
public:
  DebuggedLaunch();
  emulator::Observer *observer() const; ///< null where there is no session
  /// Raises what the session's callback raised while the launch ran.
  void rethrow() const;

private:
  std::shared_ptr<PythonDebugger> held;
};

/// `_core.ir`: contexts, modules, building (ir.cpp).
void bindIr(nanobind::module_ &m);
/// Devices, buffers, compiling, facts of the chips (runtime.cpp).
void bindRuntime(nanobind::module_ &m);
/// Bare instruction streams (raw.cpp).
void bindRaw(nanobind::module_ &m);
/// The debugger (debug.cpp).
void bindDebug(nanobind::module_ &m);

} // namespace wavewright::python
