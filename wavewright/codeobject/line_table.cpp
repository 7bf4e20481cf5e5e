#include "wavewright/codeobject/line_table.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MemoryBuffer.h"

namespace wavewright::codeobject {
namespace {

namespace dwarf = llvm::dwarf;

/// Steps over one value; false for forms that line tables do not use. LLVM 22 reads some of those through a
/// compile unit, and there is none here.
bool skipForm(llvm::DataExtractor &data, llvm::DataExtractor::Cursor &at, uint64_t form) {
  switch (form) {
  case dwarf::DW_FORM_string:
    data.getCStrRef(at);
    return true;
  case dwarf::DW_FORM_line_strp:
  case dwarf::DW_FORM_strp:
  case dwarf::DW_FORM_data4:
    data.skip(at, 4);
    return true;
  case dwarf::DW_FORM_udata:
    data.getULEB128(at);
    return true;
  case dwarf::DW_FORM_data1:
    data.skip(at, 1);
    return true;
  case dwarf::DW_FORM_data2:
    data.skip(at, 2);
    return true;
  case dwarf::DW_FORM_data8:
    data.skip(at, 8);
    return true;
  case dwarf::DW_FORM_data16:
    data.skip(at, 16);
    return true;
  case dwarf::DW_FORM_block:
    data.skip(at, data.getULEB128(at));
    return true;
  default:
    return false;
  }
}

/// The directory or the file list of a version 5 header: its format, then its entries.
bool readableList(llvm::DataExtractor &data, llvm::DataExtractor::Cursor &at) {
  std::vector<uint64_t> forms;
  for (unsigned i = 0, n = data.getU8(at); at && i < n; ++i) {
    data.getULEB128(at);
    forms.push_back(data.getULEB128(at));
  }
  uint64_t entries = data.getULEB128(at);
  if (entries && forms.empty())
    return false;
  for (uint64_t i = 0; at && i < entries; ++i)
    for (uint64_t form : forms)
      if (!skipForm(data, at, form))
        return false;
  return bool(at);
}

/// Whether LLVM can be given the line program at `offset`; `next` is where the one behind it starts.
bool readableProgram(llvm::StringRef section, uint64_t offset, uint64_t &next) {
  llvm::DataExtractor data(section, true, 8);
  llvm::DataExtractor::Cursor at(offset);
  uint64_t length = data.getU32(at);
  next = at ? offset + 4 + length : section.size();
  bool readable = at && length < dwarf::DW_LENGTH_lo_reserved && next <= section.size();
  if (unsigned version = readable ? data.getU16(at) : 0; version == 5) {
    data.skip(at, 1 + 1 + 4 + 1 + 1 + 1 + 1 + 1); // sizes, header length and the parameters of special opcodes
    unsigned opcodeBase = data.getU8(at);
    data.skip(at, opcodeBase ? opcodeBase - 1 : 0);
    readable = at && readableList(data, at) && readableList(data, at);
  }
  llvm::consumeError(at.takeError());
  return readable;
}

} // namespace

LineTables::LineTables(llvm::ArrayRef<std::byte> lines, llvm::ArrayRef<std::byte> lineStrings,
                       llvm::ArrayRef<std::byte> strings) {
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> byName;
  auto add = [&](llvm::StringRef name, llvm::ArrayRef<std::byte> contents) {
    llvm::StringRef text(reinterpret_cast<const char *>(contents.data()), contents.size());
    byName[name] = llvm::MemoryBuffer::getMemBuffer(text, name, false);
  };
  add("debug_line", lines);
  add("debug_line_str", lineStrings);
  add("debug_str", strings);
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  context = llvm::DWARFContext::create(byName, 8, true, ignore, ignore);
  const llvm::DWARFObject &sections = context->getDWARFObj();
  llvm::StringRef section = sections.getLineSection().Data;
  llvm::DWARFDataExtractor data(sections, sections.getLineSection(), true, 8);
  for (uint64_t offset = 0, next = 0; offset < section.size(); offset = next) {
    if (!readableProgram(section, offset, next)) {
      if (next <= offset)
        return;
      continue;
    }
    llvm::DWARFDebugLine::LineTable table;
    uint64_t position = offset;
    if (llvm::Error error = table.parse(data, &position, *context, nullptr, ignore))
      llvm::consumeError(std::move(error));
    tables.push_back(std::move(table));
  }
}

SourcePlace LineTables::place(uint64_t address) const {
  llvm::object::SectionedAddress at{address, llvm::object::SectionedAddress::UndefSection};
  for (const llvm::DWARFDebugLine::LineTable &table : tables) {
    llvm::DILineInfo info;
    if (table.getFileLineInfoForAddress(at, false, "", llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
                                        info) &&
        info.FileName != llvm::DILineInfo::BadString && !info.FileName.empty())
      return {info.FileName, info.Line, info.Column};
  }
  return {};
}

} // namespace wavewright::codeobject
