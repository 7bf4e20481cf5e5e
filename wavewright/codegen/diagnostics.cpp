//===- codegen/diagnostics.cpp --------------------------------------------------------------------===//

#include "wavewright/codegen/diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <fmt/format.h>

#include <csignal>

namespace wavewright::codegen {

SourcePlace placeOf(mlir::Location location) {
  if (auto at = mlir::dyn_cast<mlir::FileLineColRange>(location))
    return {at.getFilename().str(), at.getStartLine(), at.getStartColumn()};
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(location))
    return placeOf(named.getChildLoc());
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location)) {
    SourcePlace callee = placeOf(call.getCallee());
    return callee ? callee : placeOf(call.getCaller());
  }
  if (auto opaque = mlir::dyn_cast<mlir::OpaqueLoc>(location))
    return placeOf(opaque.getFallbackLocation());
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (SourcePlace place = placeOf(part))
        return place;
  return {};
}

//===----------------------------------------------------------------------------------------------===//
// MLIR
//===----------------------------------------------------------------------------------------------===//

MlirErrors::MlirErrors(mlir::MLIRContext *context)
    : context(context), printedOperations(context->shouldPrintOpOnDiagnostic()),
      handler(context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::failure(); // remarks and warnings go on to whoever listens
        std::string message = diagnostic.str();
        for (mlir::Diagnostic &note : diagnostic.getNotes()) {
          std::string place = placeOf(note.getLocation()).str();
          message += fmt::format("; {}{}{}", place, place.empty() ? "" : ": ", note.str());
        }
        std::lock_guard guard(lock);
        failures.emplace_back(ErrorKind::Verify, message, placeOf(diagnostic.getLocation()));
        return mlir::success();
      }) {
  context->printOpOnDiagnostic(false); // the user's line says more than our operation
}

MlirErrors::~MlirErrors() { context->printOpOnDiagnostic(printedOperations); }

llvm::Error MlirErrors::take(ErrorKind kind, std::string otherwise) {
  std::lock_guard guard(lock);
  if (failures.empty())
    return fail(kind, std::move(otherwise));
  Failure first = std::move(failures.front());
  failures.clear();
  return fail(kind, std::move(first.message), std::move(first.place));
}

//===----------------------------------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------------------------------===//

/// "local memory (70000) exceeds limit (65536)" with what to do about it.
static std::string resourceMessage(const llvm::DiagnosticInfoResourceLimit &limit) {
  bool lds = llvm::StringRef(limit.getResourceName()) == "local memory";
  return fmt::format("{} uses {} bytes of {}; a work-group has at most {}: {}", limit.getFunction().getName().str(),
                     limit.getResourceSize(), lds ? "LDS" : limit.getResourceName(), limit.getResourceLimit(),
                     lds ? "make the shared tiles smaller, or have fewer of them (stages, count)"
                         : "make the register tiles smaller");
}

LlvmErrors::LlvmErrors(llvm::LLVMContext &context, const KernelPlaces &places) : context(context), places(places) {
  auto listen = [](const llvm::DiagnosticInfo *info, void *self) {
    if (info->getSeverity() == llvm::DS_Error)
      static_cast<LlvmErrors *>(self)->add(*info);
  };
  context.setDiagnosticHandlerCallBack(listen, this);
}

LlvmErrors::~LlvmErrors() { context.setDiagnosticHandlerCallBack(nullptr, nullptr); }

void LlvmErrors::add(const llvm::DiagnosticInfo &info) {
  if (info.getKind() == llvm::DK_ResourceLimit) {
    auto &limit = static_cast<const llvm::DiagnosticInfoResourceLimit &>(info);
    auto place = places.find(limit.getFunction().getName());
    failures.emplace_back(ErrorKind::Resource, resourceMessage(limit),
                          place == places.end() ? SourcePlace() : place->second);
    return;
  }
  std::string message = "LLVM: ";
  llvm::raw_string_ostream stream(message);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info.print(printer);
  failures.emplace_back(ErrorKind::Compile, std::move(message));
}

llvm::Error LlvmErrors::take() {
  if (failures.empty())
    return llvm::Error::success();
  Failure first = std::move(failures.front());
  failures.clear();
  return fail(first.kind, std::move(first.message), std::move(first.place));
}

//===----------------------------------------------------------------------------------------------===//
// Crashes
//===----------------------------------------------------------------------------------------------===//

static thread_local std::string lastWords;

/// LLVM's fatal errors ("Cannot select: ...") abort or exit. On a guarded thread they leave the context instead;
/// elsewhere they end the process as they always do.
static void onFatalError(void *, const char *reason, bool) {
  if (llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent()) {
    lastWords = reason;
    context->HandleExit(70);
  }
  llvm::errs() << "LLVM ERROR: " << reason << "\n";
}

static void armOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(onFatalError);
  });
}

llvm::Error guarded(llvm::StringRef stage, llvm::function_ref<llvm::Error()> work) {
  armOnce();
  lastWords.clear();
  llvm::Error result = llvm::Error::success();
  llvm::CrashRecoveryContext context;
  bool survived = context.RunSafely([&] {
    llvm::Error inner = work();
    llvm::consumeError(std::move(result));
    result = std::move(inner);
  });
  if (survived)
    return result;
  llvm::consumeError(std::move(result));
  std::string why = !lastWords.empty()                 ? lastWords
                    : context.RetCode == 128 + SIGSEGV ? "it crashed (segmentation fault)"
                                                       : fmt::format("it ended with code {}", context.RetCode);
  return fail(ErrorKind::Compile, fmt::format("LLVM failed in stage {}: {}", std::string_view(stage), why));
}

} // namespace wavewright::codegen
