//===- codegen/link.cpp - LLD as a library --------------------------------------------------------===//
//
// lldMain takes paths and keeps global state: calls go one after another, through files in a private folder that is
// gone on every way out.
//
//===----------------------------------------------------------------------------------------------===//

#include "wavewright/codegen/stages.h"

#include "lld/Common/Driver.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

LLD_HAS_DRIVER(elf)

namespace wavewright::codegen {

/// A new folder that only this user can enter: in memory where there is such a file system.
static llvm::Expected<std::string> makeFolder() {
  llvm::SmallString<128> temporary;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, temporary);
  std::error_code error;
  for (llvm::StringRef parent : {llvm::StringRef("/dev/shm"), llvm::StringRef(temporary)}) {
    std::string name = (parent + "/wavewright-XXXXXX").str();
    if (::mkdtemp(name.data()))
      return name;
    error = std::error_code(errno, std::generic_category());
  }
  return fail(ErrorKind::Compile, fmt::format("no temporary folder could be made in /dev/shm or {} ({}): set TMPDIR to "
                                              "one that can be written",
                                              temporary.c_str(), error.message()));
}

static llvm::Error writeFile(const std::string &path, llvm::ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file.write(bytes.data(), bytes.size());
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    return fail(ErrorKind::Compile, fmt::format("{} could not be written: {}", path, error.message()));
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::byte>> link(llvm::ArrayRef<char> object) {
  static std::mutex oneAtATime;
  static bool usable = true;
  std::lock_guard guard(oneAtATime);
  if (!usable)
    return fail(ErrorKind::Compile, "an earlier crash of the linker left it unusable in this process: start a new one");

  llvm::Expected<std::string> folder = makeFolder();
  if (!folder)
    return folder.takeError();
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(*folder); });
  std::string input = *folder + "/kernel.o", output = *folder + "/kernel.hsaco";
  if (llvm::Error error = writeFile(input, object))
    return error;

  std::string said;
  llvm::raw_string_ostream stream(said);
  const char *arguments[] = {"ld.lld",      "-shared", "--no-undefined", "--threads=1", "--color-diagnostics=never",
                             input.c_str(), "-o",      output.c_str()};
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return fail(ErrorKind::Compile,
                fmt::format("the linker refused the object: {}", llvm::StringRef(said).trim().str()));

  auto file = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(ErrorKind::Compile, fmt::format("{} could not be read: {}", output, file.getError().message()));
  auto *begin = reinterpret_cast<const std::byte *>((*file)->getBufferStart());
  return std::vector<std::byte>(begin, begin + (*file)->getBufferSize());
}

} // namespace wavewright::codegen
