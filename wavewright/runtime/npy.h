//===- runtime/npy.h - arrays in numpy's file format ----------------------------------------------===//
//
// What the command line hands to a kernel. The format is stated in numpy's documentation (numpy.lib.format): a magic
// string, a version, the length of a Python dictionary literal, the literal, then the elements.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/support/error.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace wavewright::runtime {

/// One array. Versions 1, 2 and 3; numbers of any size, little endian, C order; ml_dtypes' types too, which numpy
/// writes as raw bytes ("|V2" is bfloat16).
class NpyFile {
public:
  /// The error (UsageError) names the file, what is wrong with it, and the numpy call that puts it right.
  static llvm::Expected<std::unique_ptr<NpyFile>> read(const std::string &path);
  /// The same from memory; `name` stands for the file in messages.
  static llvm::Expected<std::unique_ptr<NpyFile>> parse(std::vector<char> content, const std::string &name);

  void *data();           ///< the elements, at an address that is a multiple of 64
  uint64_t bytes() const; ///< of the elements
  const std::string &descr() const { return elementType; }
  const std::vector<uint64_t> &shape() const { return extents; }

  /// Puts the elements back into the file they came from: all of it or, when that fails, nothing. Whatever else was in
  /// the file stays, byte for byte.
  llvm::Error writeBack();

private:
  std::string path, elementType;
  std::vector<uint64_t> extents;
  std::vector<char> header, trailer;
  struct Free {
    void operator()(void *pointer) const;
  };
  std::unique_ptr<void, Free> elements;
  uint64_t elementBytes = 0;
};

} // namespace wavewright::runtime
