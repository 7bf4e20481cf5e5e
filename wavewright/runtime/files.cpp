#include "wavewright/runtime/files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavewright::runtime {

namespace fs = llvm::sys::fs;

static llvm::Error cannot(const char *what, const std::string &path, std::error_code reason) {
  return fail(ErrorKind::Usage, fmt::format("cannot {} {}: {}", what, path, reason.message()));
}

llvm::Expected<std::vector<char>> readFile(const std::string &path) {
  fs::file_status status;
  if (std::error_code error = fs::status(path, status))
    return cannot("read", path, error);
  if (fs::is_directory(status))
    return cannot("read", path, std::make_error_code(std::errc::is_a_directory));
  auto file = fs::openNativeFileForRead(path);
  if (!file)
    return cannot("read", path, llvm::errorToErrorCode(file.takeError()));

  std::vector<char> content(status.getSize());
  size_t filled = 0;
  std::error_code error;
  for (;;) {
    // One byte more than the file seemed to have, so that a pipe or a growing file is read to its end too.
    if (filled == content.size())
      content.resize(std::max<size_t>(content.size() + 1, 4096));
    auto count = fs::readNativeFile(*file, llvm::MutableArrayRef<char>(content).drop_front(filled));
    if (!count) {
      error = llvm::errorToErrorCode(count.takeError());
      break;
    }
    if (*count == 0)
      break;
    filled += *count;
    if (filled == content.size())
      content.resize(content.size() + content.size() / 2 + 1);
  }
  fs::closeFile(*file);
  if (error)
    return cannot("read", path, error);
  content.resize(filled);
  return content;
}

llvm::Error writeFile(const std::string &path, llvm::ArrayRef<llvm::ArrayRef<char>> parts) {
  llvm::SmallString<256> real;
  if (fs::real_path(path, real))
    real = path; // a new file has no real path yet

  fs::file_status status;
  bool exists = !fs::status(real, status) && fs::exists(status);
  if (exists && !fs::is_regular_file(status)) {
    if (fs::is_directory(status))
      return cannot("write", path, std::make_error_code(std::errc::is_a_directory));
    std::error_code error; // a device or a pipe takes bytes, it cannot be replaced
    llvm::raw_fd_ostream stream(real, error, fs::CD_OpenExisting);
    if (!error) {
      for (llvm::ArrayRef<char> part : parts)
        stream.write(part.data(), part.size());
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    return error ? cannot("write", path, error) : llvm::Error::success();
  }

  // A rename would go through, but a file that its owner made read-only is not to be replaced.
  if (exists && fs::access(real, fs::AccessMode::Write))
    return cannot("write", path, std::make_error_code(std::errc::permission_denied));

  auto temporary = fs::TempFile::create(real + ".%%%%%%.tmp");
  if (!temporary)
    return cannot("write", path, llvm::errorToErrorCode(temporary.takeError()));
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
    for (llvm::ArrayRef<char> part : parts)
      stream.write(part.data(), part.size());
    stream.flush();
    error = stream.error();
    stream.clear_error();
  }
  if (!error && exists)
    error = fs::setPermissions(temporary->FD, status.permissions());
  if (error) {
    llvm::consumeError(temporary->discard());
    return cannot("write", path, error);
  }
  if (llvm::Error failed = temporary->keep(real))
    return cannot("write", path, llvm::errorToErrorCode(std::move(failed)));
  return llvm::Error::success();
}

} // namespace wavewright::runtime
