//===- codeobject/elf_image.h - an ELF64 file read with every bound checked -----------------------===//
//
// Private to the room. Headers are copied out of the file, never pointed at, so that neither alignment nor a
// hostile size can hurt; each error names the file, the offset and what was expected there.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"

#include <optional>

namespace wavewright::codeobject {

class ElfImage {
public:
  ElfImage(llvm::ArrayRef<std::byte> bytes, llvm::StringRef name) : bytes(bytes), name(name) {}

  /// Reads the headers, segments, symbols and relocations.
  llvm::Error read();

  llvm::Error error(uint64_t offset, std::string message) const;

  /// File bytes [offset, offset+size), or the reason why there are none. `what` names them in the message.
  llvm::Expected<llvm::ArrayRef<std::byte>> fileBytes(uint64_t offset, uint64_t size, llvm::StringRef what) const;

  /// Bytes that a loader would find at an address, as far as the file holds them.
  std::optional<llvm::ArrayRef<std::byte>> loaded(uint64_t address, uint64_t size) const;
  /// The segment that holds the address, or nullptr.
  const Segment *segmentAt(uint64_t address) const;
  /// The file offset that an address is loaded from; 0 when it is not in the file.
  uint64_t fileOffset(uint64_t address) const;

  /// The descriptor of the first AMDGPU metadata note; empty when there is none. `offset` is where it starts.
  llvm::Expected<llvm::ArrayRef<std::byte>> metadataNote(uint64_t &offset) const;

  llvm::ELF::Elf64_Ehdr header = {};
  std::vector<llvm::ELF::Elf64_Phdr> programHeaders;
  std::vector<llvm::ELF::Elf64_Shdr> sections;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols; ///< by address, then name; one entry a name
  std::vector<Relocation> relocations;
  llvm::ArrayRef<std::byte> debugLine, debugLineStrings, debugStrings; ///< uncompressed sections; empty when missing

private:
  llvm::Error readHeader();
  llvm::Error readProgramHeaders();
  llvm::Error readSections();
  llvm::Error readSymbolTable(uint32_t section);
  void noteDebugSection(const llvm::ELF::Elf64_Shdr &section);
  llvm::Error readRelocations(uint32_t section);
  llvm::Expected<Symbol> symbolAt(uint32_t section, uint64_t index) const;
  template <typename T> llvm::Expected<T> record(uint64_t offset, llvm::StringRef what) const;
  llvm::Expected<std::string> stringAt(uint32_t section, uint64_t index) const;

  llvm::ArrayRef<std::byte> bytes;
  std::string name;
};

/// Reads kernels from the metadata note, or from ".kd" symbols where there is no note; and the note's printf formats.
llvm::Expected<std::vector<Kernel>> readKernels(const ElfImage &image, const Target &target,
                                                std::vector<std::string> &printfFormats);

} // namespace wavewright::codeobject
