//===- tools/cli.h - what the commands of the command line share ----------------------------------===//
#pragma once

#include "wavewright/emulator/debug.h"
#include "wavewright/support/error.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <CLI/CLI.hpp>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wavewright::cli {

/// What a command gives back: a failure, and the exit status it has here when that is not its kind's own.
struct Outcome {
  llvm::Error error = llvm::Error::success();
  std::optional<int> status;
};

inline Outcome failure(llvm::Error error, std::optional<int> status = std::nullopt) {
  return {std::move(error), status};
}
inline Outcome done(int status = 0) { return {llvm::Error::success(), status}; }

inline void print(const std::string &text) { std::fwrite(text.data(), 1, text.size(), stdout); }
inline void print(const llvm::json::Value &json) { print(llvm::formatv("{0:2}\n", json).str()); }
inline llvm::json::Value jsonString(llvm::StringRef text) { return llvm::json::fixUTF8(text); }

/// What `run` can look at while it runs.
struct DebugRequest {
  std::vector<std::string> breakpoints;
  std::string watch, group;
  bool trace = false;
  std::optional<uint32_t> wave;
  uint64_t most = 1000;
};
void addDebugOptions(CLI::App &app, DebugRequest &request);

/// The debugger of one launch. Events are printed as they come, or kept for the JSON document.
struct DebugSession {
  std::unique_ptr<emulator::Debugger> debugger; ///< null: nothing to look at
  llvm::json::Array events;
  llvm::Error start(const DebugRequest &request, const std::string &dump, bool json);
  void finish(bool json); ///< says in text how many events were left out
};
llvm::json::Value eventJson(const emulator::DebugEvent &event);

/// Set by Ctrl-C while a launch runs.
extern std::atomic<bool> interrupted;

/// `wavewright asm` (asm.cpp). The command is run through `command` after parsing.
void addAsmCommand(CLI::App &app, std::function<Outcome()> &command, bool &json);

} // namespace wavewright::cli
