//===- support/error.h - every failure a user can meet --------------------------------------------===//
//
// Inside the library a failure is an llvm::Error that carries a Failure: its kind, the place in the
// user's source, and a message that says what was wrong, with the numbers, and what to do. Only the
// public C++ and Python surfaces turn one into an exception.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <string_view>

namespace wavewright {

/// Which member of the exception family a failure becomes (architecture, "Errors").
enum class ErrorKind { Usage, Trace, Verify, Compile, Resource, Launch, Check };

/// "UsageError", "TraceError", ... as Python spells the class.
std::string_view errorKindName(ErrorKind kind);

/// Exit status of the command line tools: 1 failed, 2 wrong usage or input, 3 a check found something.
int exitStatus(ErrorKind kind);

/// A place in the user's source. `line` and `column` count from 1; 0 means unknown.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  explicit operator bool() const { return !file.empty(); }
  std::string str() const; ///< "file:line" or "" when unknown.
};

class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;
  Failure(ErrorKind kind, std::string message, SourcePlace place = {})
      : kind(kind), message(std::move(message)), place(std::move(place)) {}

  void log(llvm::raw_ostream &os) const override; ///< "file:line: message"
  std::error_code convertToErrorCode() const override;

  ErrorKind kind;
  std::string message;
  SourcePlace place;
};

/// The way to fail: `return fail(ErrorKind::Launch, fmt::format("...", ...), place);`
llvm::Error fail(ErrorKind kind, std::string message, SourcePlace place = {});

/// Takes an error apart; an error that is not a Failure becomes one of `kind`.
Failure takeFailure(llvm::Error error, ErrorKind kind = ErrorKind::Compile);

} // namespace wavewright
