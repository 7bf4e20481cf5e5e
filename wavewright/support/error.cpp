#include "wavewright/support/error.h"

#include "llvm/Support/raw_ostream.h"

namespace wavewright {

char Failure::ID = 0;

std::string_view errorKindName(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Usage:
    return "UsageError";
  case ErrorKind::Trace:
    return "TraceError";
  case ErrorKind::Verify:
    return "VerifyError";
  case ErrorKind::Compile:
    return "CompileError";
  case ErrorKind::Resource:
    return "ResourceError";
  case ErrorKind::Launch:
    return "LaunchError";
  case ErrorKind::Check:
    return "CheckError";
  }
  return "Error";
}

int exitStatus(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Check:
    return 3;
  case ErrorKind::Launch:
    return 1;
  default:
    return 2;
  }
}

std::string SourcePlace::str() const {
  if (file.empty())
    return "";
  return line ? file + ":" + std::to_string(line) : file;
}

void Failure::log(llvm::raw_ostream &os) const {
  if (place)
    os << place.str() << ": ";
  os << message;
}

std::error_code Failure::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

llvm::Error fail(ErrorKind kind, std::string message, SourcePlace place) {
  return llvm::make_error<Failure>(kind, std::move(message), std::move(place));
}

Failure takeFailure(llvm::Error error, ErrorKind kind) {
  Failure result(kind, "");
  bool first = true;
  llvm::handleAllErrors(
      std::move(error),
      [&](Failure &failure) {
        if (first)
          result = failure;
        first = false;
      },
      [&](const llvm::ErrorInfoBase &other) {
        if (first)
          result.message = other.message();
        first = false;
      });
  return result;
}

} // namespace wavewright
