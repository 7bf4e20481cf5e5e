//===- codeobject/line_table.h - source places from .debug_line alone -----------------------------===//
//
// Private to the room. The tree of .debug_info is left alone: LLVM's reader of it does not survive every damaged
// file, and line programs already name the innermost of inlined frames.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/support/error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace wavewright::codeobject {

class LineTables {
public:
  /// The sections .debug_line, .debug_line_str and .debug_str, which outlive this; what cannot be read is left out.
  LineTables(llvm::ArrayRef<std::byte> lines, llvm::ArrayRef<std::byte> lineStrings, llvm::ArrayRef<std::byte> strings);
  SourcePlace place(uint64_t address) const;

private:
  std::unique_ptr<llvm::DWARFContext> context;
  std::vector<llvm::DWARFDebugLine::LineTable> tables;
};

} // namespace wavewright::codeobject
