//===- tools/hipcc.cpp - clang with the options that HIP programs need here -----------------------===//
#include "hipcc.h"

#include "wavewright/target/target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

namespace wavewright::tools {

const char *const hipccHelp =
    "wavewright hipcc [clang's options] file...\n\n"
    "Compiles HIP programs with clang++-22, without ROCm, and links them with the built-in device's HIP library:\n\n"
    "  wavewright hipcc prog.cpp -o prog && WAVEWRIGHT_DEVICE=emu:gfx942 ./prog\n\n"
    "  --offload-arch=<chip>  which chips (may be repeated); default: that of WAVEWRIGHT_DEVICE, else all five\n"
    "  --genco                only the code object: one chip's own, or a bundle of several\n"
    "  -O<n>                  default: -O3\n\n"
    "Every other option goes to clang. Sources (.hip .cpp .cc .cxx .cu) are HIP.\n";

namespace {

namespace path = llvm::sys::path;

bool isSource(llvm::StringRef argument) {
  return llvm::StringSwitch<bool>(path::extension(argument))
      .Cases({".hip", ".cpp", ".cc", ".cxx", ".cu"}, true)
      .Default(false);
}

/// Options whose value is the next argument.
bool takesValue(llvm::StringRef option) {
  static constexpr llvm::StringLiteral options[] = {"-o",
                                                    "-I",
                                                    "-D",
                                                    "-U",
                                                    "-L",
                                                    "-l",
                                                    "-include",
                                                    "-isystem",
                                                    "-iquote",
                                                    "-idirafter",
                                                    "-x",
                                                    "-MF",
                                                    "-MT",
                                                    "-MQ",
                                                    "-Xlinker",
                                                    "-Xclang",
                                                    "-mllvm",
                                                    "-T",
                                                    "-target",
                                                    "-Xarch_host",
                                                    "-Xarch_device",
                                                    "-Xoffload-linker"};
  return llvm::is_contained(options, option);
}

std::string join(llvm::StringRef folder, llvm::Twine rest) {
  llvm::SmallString<256> joined(folder);
  path::append(joined, rest);
  path::remove_dots(joined, true);
  return std::string(joined);
}

} // namespace

llvm::Expected<int> hipcc(llvm::ArrayRef<std::string> arguments) {
  auto clang = llvm::sys::findProgramByName("clang++-22");
  if (!clang)
    return fail(ErrorKind::Usage, "clang++-22 is not on PATH; install the package clang-22");
  llvm::SmallString<256> self, compiler;
  llvm::sys::fs::real_path("/proc/self/exe", self);
  llvm::sys::fs::real_path(*clang, compiler);
  // <root>/bin/wavewright or <build>/tools/wavewright, beside lib and include.
  std::string root = join(path::parent_path(path::parent_path(self)), "");
  std::string library = join(root, "lib/libwavewright_hip.so"), headers = join(root, "include");
  std::string wrappers = join(path::parent_path(path::parent_path(compiler)), "lib/clang/22/include/cuda_wrappers");
  for (const std::string &needed : {library, headers + "/hip/hip_runtime.h", wrappers})
    if (!llvm::sys::fs::exists(needed))
      return fail(ErrorKind::Usage,
                  fmt::format("{} is missing; build or install wavewright and clang-22 as a whole", needed));

  std::vector<std::string> given, chips;
  llvm::StringRef language = "none"; // of the inputs that follow
  bool links = true, genco = false, optimised = false, sources = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (argument == "--genco") {
      genco = true;
      links = false;
    } else if (argument.starts_with("--offload-arch=")) {
      for (llvm::StringRef chip : llvm::split(argument.split('=').second, ','))
        chips.push_back(chip.str());
    } else if (takesValue(argument) && i + 1 < arguments.size()) {
      given.push_back(argument.str());
      given.push_back(arguments[++i]);
    } else if (!argument.starts_with("-") && isSource(argument)) {
      sources = true;
      if (language != "hip")
        given.insert(given.end(), {"-x", "hip"});
      language = "hip";
      given.push_back(argument.str());
    } else {
      links &= !llvm::is_contained({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}, argument);
      optimised |= argument.starts_with("-O");
      if (!argument.starts_with("-") && language == "hip") {
        given.insert(given.end(), {"-x", "none"});
        language = "none";
      }
      given.push_back(argument.str());
    }
  }
  if (chips.empty()) {
    llvm::StringRef device = std::getenv("WAVEWRIGHT_DEVICE") ? std::getenv("WAVEWRIGHT_DEVICE") : "";
    if (device.consume_front("emu:"))
      chips.push_back(device.str());
    else
      for (const Target *target : allTargets())
        if (target->emulated)
          chips.push_back(std::string(target->name));
  }
  for (const std::string &chip : chips)
    if (auto target = findTarget(llvm::StringRef(chip).split(':').first); !target)
      return target.takeError();

  std::vector<std::string> command{*clang};
  if (sources) {
    for (const std::string &chip : chips)
      command.push_back("--offload-arch=" + chip);
    // No ROCm: neither its headers nor its device libraries; ours stand in for both.
    command.insert(command.end(), {"-nogpuinc", "-nogpulib", "-mprintf-kind=buffered", "-isystem", headers, "-isystem",
                                   wrappers, "-include", "hip/detail/prelude.h"});
    if (!optimised)
      command.push_back("-O3");
    if (genco)
      command.insert(command.end(),
                     {"--offload-device-only", chips.size() > 1 ? "--gpu-bundle-output" : "--no-gpu-bundle-output"});
  }
  command.insert(command.end(), given.begin(), given.end());
  if (links && language == "hip")
    command.insert(command.end(), {"-x", "none"});
  if (links)
    command.insert(command.end(), {"--hip-link", "-no-hip-rt", library, "-Wl,-rpath," + join(root, "lib")});

  std::vector<llvm::StringRef> words(command.begin(), command.end());
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*clang, words, std::nullopt, {}, 0, 0, &message);
  if (status < 0)
    return fail(ErrorKind::Usage, fmt::format("{} could not be run: {}", *clang, message));
  return status;
}

} // namespace wavewright::tools
