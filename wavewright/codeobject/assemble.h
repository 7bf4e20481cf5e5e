//===- codeobject/assemble.h - text to machine code, with LLVM's assembler in this process ---------===//
#pragma once

#include "wavewright/codeobject/code_object.h"

namespace wavewright::codeobject {

/// What the assembler made of a text: one section of code.
struct Assembled {
  std::vector<std::byte> code;
  std::string text;
};

/// One instruction's line in the text that it was assembled from.
struct AssembledLine {
  uint64_t offset = 0; ///< of the instruction in the code
  unsigned line = 0;   ///< counted from 1
};

/// Assembles `text` for a chip; waveSize 0 is the chip's native one. From gfx11 on halves of registers can be named
/// (v0.l, v0.h) and need not be. Instructions and data directives go to the text section; other sections and symbols
/// that the text does not define are refused. An error is a CompileError with the assembler's message, the line and
/// column in the place; `name` is the file in it. The same text of the same chip is assembled once in a process (the
/// latest few thousand are kept). Thread-safe.
llvm::Expected<std::shared_ptr<const Assembled>> assemble(const Target &target, unsigned waveSize, llvm::StringRef text,
                                                          llvm::StringRef name = "<asm>");

/// The lines of a text that `assemble` took, in the order of their offsets. Assembles it once more, so this is for
/// messages and debugging.
llvm::Expected<std::vector<AssembledLine>> assembledLines(const Target &target, unsigned waveSize, llvm::StringRef text,
                                                          llvm::StringRef name = "<asm>");

/// LLVM's subtarget features for a wave size; the error names the wave sizes that the chip has. waveSize 0 becomes
/// the native one.
llvm::Expected<std::string> subtargetFeatures(const Target &target, unsigned &waveSize);

} // namespace wavewright::codeobject
