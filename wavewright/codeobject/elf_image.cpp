#include "wavewright/codeobject/elf_image.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

namespace wavewright::codeobject {

namespace elf = llvm::ELF;

namespace {
/// More than any device has; a size above it comes from a broken or hostile file.
constexpr uint64_t largestImage = 1ull << 34;
} // namespace

llvm::Error ElfImage::error(uint64_t offset, std::string message) const {
  return fail(ErrorKind::Usage, fmt::format("{}: at offset {:#x}: {}", name, offset, message));
}

llvm::Expected<llvm::ArrayRef<std::byte>> ElfImage::fileBytes(uint64_t offset, uint64_t size,
                                                              llvm::StringRef what) const {
  if (offset > bytes.size() || size > bytes.size() - offset)
    return error(offset,
                 fmt::format("expected {} bytes of {}, the file ends at {:#x}", size, what.str(), bytes.size()));
  return bytes.slice(offset, size);
}

template <typename T> llvm::Expected<T> ElfImage::record(uint64_t offset, llvm::StringRef what) const {
  static_assert(std::is_trivially_copyable_v<T>);
  auto raw = fileBytes(offset, sizeof(T), what);
  if (!raw)
    return raw.takeError();
  T value;
  std::memcpy(&value, raw->data(), sizeof(T));
  return value;
}

llvm::Error ElfImage::read() {
  if (llvm::Error error = readHeader())
    return error;
  if (llvm::Error error = readProgramHeaders())
    return error;
  return readSections();
}

llvm::Error ElfImage::readHeader() {
  if (bytes.size() < 4 || std::memcmp(bytes.data(), elf::ElfMagic, 4) != 0)
    return error(0, "expected an ELF file (7f 45 4c 46)");
  auto read = record<elf::Elf64_Ehdr>(0, "ELF header");
  if (!read)
    return read.takeError();
  header = *read;
  if (header.e_ident[elf::EI_CLASS] != elf::ELFCLASS64)
    return error(elf::EI_CLASS, fmt::format("expected a 64-bit ELF file (2), found class {}",
                                            unsigned(header.e_ident[elf::EI_CLASS])));
  if (header.e_ident[elf::EI_DATA] != elf::ELFDATA2LSB)
    return error(elf::EI_DATA, fmt::format("expected a little-endian ELF file (1), found {}",
                                           unsigned(header.e_ident[elf::EI_DATA])));
  if (header.e_machine != elf::EM_AMDGPU)
    return error(offsetof(elf::Elf64_Ehdr, e_machine),
                 fmt::format("expected machine {} (AMDGPU), found {}", unsigned(elf::EM_AMDGPU), header.e_machine));
  if (header.e_ident[elf::EI_OSABI] != elf::ELFOSABI_AMDGPU_HSA)
    return error(elf::EI_OSABI,
                 fmt::format("expected the ABI {} (amdhsa), found {}", unsigned(elf::ELFOSABI_AMDGPU_HSA),
                             unsigned(header.e_ident[elf::EI_OSABI])));
  unsigned version = header.e_ident[elf::EI_ABIVERSION];
  if (version < elf::ELFABIVERSION_AMDGPU_HSA_V4 || version > elf::ELFABIVERSION_AMDGPU_HSA_V6)
    return error(elf::EI_ABIVERSION, fmt::format("expected code object version 4, 5 or 6 (ABI version 2, 3 or 4), "
                                                 "found ABI version {}",
                                                 version));
  if (header.e_type == elf::ET_REL)
    return error(offsetof(elf::Elf64_Ehdr, e_type),
                 "expected a linked code object, found a relocatable one; link it with ld.lld -shared");
  if (header.e_type != elf::ET_DYN)
    return error(offsetof(elf::Elf64_Ehdr, e_type),
                 fmt::format("expected a shared object (3), found type {}", header.e_type));
  return llvm::Error::success();
}

llvm::Error ElfImage::readProgramHeaders() {
  if (header.e_phnum && header.e_phentsize != sizeof(elf::Elf64_Phdr))
    return error(offsetof(elf::Elf64_Ehdr, e_phentsize), fmt::format("expected program headers of {} bytes, found {}",
                                                                     sizeof(elf::Elf64_Phdr), header.e_phentsize));
  if (header.e_phnum)
    if (auto whole = fileBytes(header.e_phoff, uint64_t(header.e_phnum) * sizeof(elf::Elf64_Phdr), "program headers");
        !whole)
      return whole.takeError();
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    uint64_t offset = header.e_phoff + i * sizeof(elf::Elf64_Phdr);
    auto read = record<elf::Elf64_Phdr>(offset, "program header");
    if (!read)
      return read.takeError();
    const elf::Elf64_Phdr &program = *read;
    programHeaders.push_back(program);
    if (program.p_type != elf::PT_LOAD || !program.p_memsz)
      continue;
    if (program.p_filesz > program.p_memsz)
      return error(offset, fmt::format("expected a segment that holds its {} file bytes, found {} bytes of memory",
                                       program.p_filesz, program.p_memsz));
    if (program.p_memsz > largestImage || program.p_vaddr > largestImage)
      return error(offset, fmt::format("expected a segment below {:#x}, found {:#x} bytes at {:#x}", largestImage,
                                       program.p_memsz, program.p_vaddr));
    auto contents = fileBytes(program.p_offset, program.p_filesz, fmt::format("segment {}", i));
    if (!contents)
      return contents.takeError();
    Segment segment;
    segment.address = program.p_vaddr;
    segment.memorySize = program.p_memsz;
    segment.bytes = *contents;
    segment.executable = program.p_flags & elf::PF_X;
    segment.writable = program.p_flags & elf::PF_W;
    for (const Segment &other : segments)
      if (segment.address < other.address + other.memorySize && other.address < segment.address + segment.memorySize)
        return error(offset, fmt::format("expected segments that do not overlap, found {:#x} inside the one at {:#x}",
                                         segment.address, other.address));
    segments.push_back(segment);
  }
  if (segments.empty())
    return error(header.e_phoff, "expected a loadable segment, found none");
  llvm::sort(segments, [](const Segment &a, const Segment &b) { return a.address < b.address; });
  return llvm::Error::success();
}

llvm::Error ElfImage::readSections() {
  if (header.e_shnum && header.e_shentsize != sizeof(elf::Elf64_Shdr))
    return error(offsetof(elf::Elf64_Ehdr, e_shentsize), fmt::format("expected section headers of {} bytes, found {}",
                                                                     sizeof(elf::Elf64_Shdr), header.e_shentsize));
  if (header.e_shnum)
    if (auto whole = fileBytes(header.e_shoff, uint64_t(header.e_shnum) * sizeof(elf::Elf64_Shdr), "section headers");
        !whole)
      return whole.takeError();
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    auto read = record<elf::Elf64_Shdr>(header.e_shoff + i * sizeof(elf::Elf64_Shdr), "section header");
    if (!read)
      return read.takeError();
    sections.push_back(*read);
  }
  for (uint32_t i = 0; i < sections.size(); ++i) {
    llvm::Error problem = llvm::Error::success();
    if (sections[i].sh_type == elf::SHT_SYMTAB || sections[i].sh_type == elf::SHT_DYNSYM)
      problem = readSymbolTable(i);
    else if (sections[i].sh_type == elf::SHT_RELA && (sections[i].sh_flags & elf::SHF_ALLOC))
      problem = readRelocations(i);
    if (problem)
      return problem;
    noteDebugSection(sections[i]);
  }
  llvm::sort(symbols, [](const Symbol &a, const Symbol &b) {
    return std::tie(a.name, a.address) < std::tie(b.name, b.address);
  });
  symbols.erase(llvm::unique(symbols, [](const Symbol &a, const Symbol &b) { return a.name == b.name; }),
                symbols.end());
  llvm::sort(symbols, [](const Symbol &a, const Symbol &b) {
    return std::tie(a.address, a.name) < std::tie(b.address, b.name);
  });
  return llvm::Error::success();
}

/// Remembers what the line tables need. They are an extra: a section that cannot be had is no error.
void ElfImage::noteDebugSection(const elf::Elf64_Shdr &section) {
  if (section.sh_type == elf::SHT_NOBITS || (section.sh_flags & elf::SHF_COMPRESSED))
    return;
  auto named = stringAt(header.e_shstrndx, section.sh_name);
  if (!named)
    return llvm::consumeError(named.takeError());
  llvm::ArrayRef<std::byte> *kept = *named == ".debug_line"       ? &debugLine
                                    : *named == ".debug_line_str" ? &debugLineStrings
                                    : *named == ".debug_str"      ? &debugStrings
                                                                  : nullptr;
  if (!kept)
    return;
  auto contents = fileBytes(section.sh_offset, section.sh_size, *named);
  if (!contents)
    return llvm::consumeError(contents.takeError());
  *kept = *contents;
}

llvm::Expected<std::string> ElfImage::stringAt(uint32_t section, uint64_t index) const {
  if (section >= sections.size())
    return error(header.e_shoff,
                 fmt::format("expected a string table in section {}, there are {} sections", section, sections.size()));
  const elf::Elf64_Shdr &table = sections[section];
  if (table.sh_type != elf::SHT_STRTAB)
    return error(table.sh_offset, fmt::format("expected section {} to be a string table (3), found type {}", section,
                                              unsigned(table.sh_type)));
  auto contents = fileBytes(table.sh_offset, table.sh_size, "string table");
  if (!contents)
    return contents.takeError();
  llvm::StringRef text(reinterpret_cast<const char *>(contents->data()), contents->size());
  if (index >= text.size())
    return error(table.sh_offset,
                 fmt::format("expected a string at index {:#x}, the table has {:#x} bytes", index, text.size()));
  size_t end = text.find('\0', index);
  if (end == llvm::StringRef::npos)
    return error(table.sh_offset + index, "expected a string that ends inside its table");
  return text.slice(index, end).str();
}

llvm::Expected<Symbol> ElfImage::symbolAt(uint32_t section, uint64_t index) const {
  const elf::Elf64_Shdr &table = sections[section];
  uint64_t count = table.sh_size / sizeof(elf::Elf64_Sym);
  if (index >= count)
    return error(table.sh_offset, fmt::format("expected a symbol with the index {}, there are {}", index, count));
  auto raw = record<elf::Elf64_Sym>(table.sh_offset + index * sizeof(elf::Elf64_Sym), "symbol");
  if (!raw)
    return raw.takeError();
  auto text = stringAt(table.sh_link, raw->st_name);
  if (!text)
    return text.takeError();
  Symbol symbol;
  symbol.name = std::move(*text);
  symbol.address = raw->st_value;
  symbol.size = raw->st_size;
  symbol.function = raw->getType() == elf::STT_FUNC;
  symbol.object = raw->getType() == elf::STT_OBJECT || raw->getType() == elf::STT_AMDGPU_HSA_KERNEL;
  if (raw->st_shndx == elf::SHN_UNDEF)
    symbol.function = symbol.object = false;
  return symbol;
}

llvm::Error ElfImage::readSymbolTable(uint32_t section) {
  const elf::Elf64_Shdr &table = sections[section];
  if (auto contents = fileBytes(table.sh_offset, table.sh_size, "symbol table"); !contents)
    return contents.takeError();
  for (uint64_t i = 1, count = table.sh_size / sizeof(elf::Elf64_Sym); i < count; ++i) {
    auto symbol = symbolAt(section, i);
    if (!symbol)
      return symbol.takeError();
    if (symbol->name.empty() || (!symbol->function && !symbol->object))
      continue;
    if (!segmentAt(symbol->address))
      return error(
          table.sh_offset + i * sizeof(elf::Elf64_Sym),
          fmt::format("expected the symbol {} inside a segment, found address {:#x}", symbol->name, symbol->address));
    symbols.push_back(std::move(*symbol));
  }
  return llvm::Error::success();
}

llvm::Error ElfImage::readRelocations(uint32_t section) {
  const elf::Elf64_Shdr &table = sections[section];
  if (auto contents = fileBytes(table.sh_offset, table.sh_size, "relocations"); !contents)
    return contents.takeError();
  for (uint64_t i = 0, count = table.sh_size / sizeof(elf::Elf64_Rela); i < count; ++i) {
    uint64_t offset = table.sh_offset + i * sizeof(elf::Elf64_Rela);
    auto raw = record<elf::Elf64_Rela>(offset, "relocation");
    if (!raw)
      return raw.takeError();
    Relocation relocation;
    relocation.address = raw->r_offset;
    relocation.type = static_cast<uint32_t>(raw->r_info);
    relocation.addend = raw->r_addend;
    if (!segmentAt(relocation.address))
      return error(offset,
                   fmt::format("expected a relocation inside a segment, found address {:#x}", relocation.address));
    if (uint32_t index = static_cast<uint32_t>(raw->r_info >> 32)) {
      if (table.sh_link >= sections.size())
        return error(offset, fmt::format("expected a symbol table in section {}, there are {} sections",
                                         unsigned(table.sh_link), sections.size()));
      auto symbol = symbolAt(table.sh_link, index);
      if (!symbol)
        return symbol.takeError();
      relocation.symbol = std::move(symbol->name);
      relocation.symbolAddress = symbol->address;
    }
    relocations.push_back(std::move(relocation));
  }
  return llvm::Error::success();
}

const Segment *ElfImage::segmentAt(uint64_t address) const {
  for (const Segment &segment : segments)
    if (address >= segment.address && address - segment.address < segment.memorySize)
      return &segment;
  return nullptr;
}

std::optional<llvm::ArrayRef<std::byte>> ElfImage::loaded(uint64_t address, uint64_t size) const {
  const Segment *segment = segmentAt(address);
  if (!segment)
    return std::nullopt;
  uint64_t offset = address - segment->address;
  if (offset > segment->bytes.size() || size > segment->bytes.size() - offset)
    return std::nullopt;
  return segment->bytes.slice(offset, size);
}

uint64_t ElfImage::fileOffset(uint64_t address) const {
  const Segment *segment = segmentAt(address);
  if (!segment || segment->bytes.empty() || address - segment->address >= segment->bytes.size())
    return 0;
  return static_cast<uint64_t>(segment->bytes.data() - bytes.data()) + (address - segment->address);
}

llvm::Expected<llvm::ArrayRef<std::byte>> ElfImage::metadataNote(uint64_t &offset) const {
  for (const elf::Elf64_Phdr &program : programHeaders) {
    if (program.p_type != elf::PT_NOTE)
      continue;
    auto area = fileBytes(program.p_offset, program.p_filesz, "notes");
    if (!area)
      return area.takeError();
    uint64_t position = 0;
    auto aligned = [](uint64_t size) { return (size + 3) & ~uint64_t(3); };
    while (position + sizeof(elf::Elf64_Nhdr) <= area->size()) {
      auto note = record<elf::Elf64_Nhdr>(program.p_offset + position, "note header");
      if (!note)
        return note.takeError();
      uint64_t nameAt = program.p_offset + position + sizeof(elf::Elf64_Nhdr);
      uint64_t descAt = nameAt + aligned(note->n_namesz);
      position += sizeof(elf::Elf64_Nhdr) + aligned(note->n_namesz) + aligned(note->n_descsz);
      auto noteName = fileBytes(nameAt, note->n_namesz, "note name");
      if (!noteName)
        return noteName.takeError();
      auto desc = fileBytes(descAt, note->n_descsz, "note contents");
      if (!desc)
        return desc.takeError();
      if (note->n_type == elf::NT_AMDGPU_METADATA && noteName->size() == 7 &&
          std::memcmp(noteName->data(), "AMDGPU", 7) == 0) {
        offset = descAt;
        return *desc;
      }
    }
  }
  return llvm::ArrayRef<std::byte>();
}

} // namespace wavewright::codeobject
