//===- hip/bundle.cpp - the code for this device in what a program holds --------------------------===//
//
// An image comes without its size: clang's registration code and hipModuleLoadData hand over an address. Each of the
// three forms (code object, offload bundle, compressed offload bundle) says itself how long it is.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/hip/state.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

namespace wavewright::hip {

namespace {

using Bytes = llvm::ArrayRef<std::byte>;

/// clang-offload-bundler's header: magic, count, then offset, size, length of the id and the id of each entry.
constexpr llvm::StringLiteral BundleMagic = "__CLANG_OFFLOAD_BUNDLE__", CompressedMagic = "CCOB", ElfMagic = "\177ELF";
constexpr uint64_t MostEntries = 4096, MostIdBytes = 4096, MostBytes = 1ull << 32;

template <class T> T read(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

/// The bytes of an ELF file, from its headers: they end with the section headers or the last section.
llvm::Expected<Bytes> elfBytes(const std::byte *image, const std::string &name) {
  namespace elf = llvm::ELF;
  auto header = read<elf::Elf64_Ehdr>(image);
  if (header.e_ident[elf::EI_CLASS] != elf::ELFCLASS64 || header.e_machine != elf::EM_AMDGPU)
    return fail(ErrorKind::Usage, fmt::format("{} is an ELF file, but no code object of an AMD GPU", name));
  uint64_t end = sizeof(header);
  auto reach = [&](uint64_t offset, uint64_t bytes) {
    if (offset < MostBytes && bytes < MostBytes)
      end = std::max(end, offset + bytes);
  };
  reach(header.e_shoff, uint64_t(header.e_shnum) * sizeof(elf::Elf64_Shdr));
  reach(header.e_phoff, uint64_t(header.e_phnum) * sizeof(elf::Elf64_Phdr));
  for (unsigned i = 0; i < header.e_phnum && header.e_phoff < MostBytes; ++i) {
    auto program = read<elf::Elf64_Phdr>(image + header.e_phoff + i * sizeof(elf::Elf64_Phdr));
    reach(program.p_offset, program.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum && header.e_shoff < MostBytes; ++i) {
    auto section = read<elf::Elf64_Shdr>(image + header.e_shoff + i * sizeof(elf::Elf64_Shdr));
    if (section.sh_type != elf::SHT_NOBITS)
      reach(section.sh_offset, section.sh_size);
  }
  return Bytes(image, end);
}

/// "gfx942:sramecc+:xnack-" taken apart.
struct TargetId {
  std::string chip;
  std::map<std::string, bool> features;
};
TargetId parseTargetId(llvm::StringRef text) {
  TargetId id;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ':');
  id.chip = parts.front().str();
  for (llvm::StringRef part : llvm::drop_begin(parts))
    if (part.ends_with("+") || part.ends_with("-"))
      id.features[part.drop_back().str()] = part.back() == '+';
  return id;
}

/// How well code for `code` suits the device: -1 not at all, else the number of features that it names.
int suits(const TargetId &code, const TargetId &device) {
  if (code.chip != device.chip)
    return -1;
  for (const auto &[feature, on] : code.features) {
    auto found = device.features.find(feature);
    if (found == device.features.end() || found->second != on)
      return -1;
  }
  return int(code.features.size());
}

llvm::Expected<Bytes> selectEntry(Bytes bundle, llvm::StringRef targetId, const std::string &name) {
  TargetId device = parseTargetId(targetId);
  uint64_t count = read<uint64_t>(bundle.data() + BundleMagic.size()), at = BundleMagic.size() + 8;
  auto damaged = [&](uint64_t offset) {
    return fail(ErrorKind::Usage, fmt::format("{}: the offload bundle is damaged at byte {}", name, offset));
  };
  if (count > MostEntries)
    return damaged(BundleMagic.size());
  std::optional<Bytes> best;
  int bestSuits = -1;
  std::vector<std::string> held;
  for (uint64_t i = 0; i < count; ++i) {
    if (at + 24 > bundle.size())
      return damaged(at);
    uint64_t offset = read<uint64_t>(bundle.data() + at), bytes = read<uint64_t>(bundle.data() + at + 8),
             length = read<uint64_t>(bundle.data() + at + 16);
    if (length > MostIdBytes || at + 24 + length > bundle.size() || bytes > bundle.size() ||
        offset > bundle.size() - bytes)
      return damaged(at);
    llvm::StringRef id(reinterpret_cast<const char *>(bundle.data() + at + 24), length);
    at += 24 + length;
    // <kind>-<triple of four or five parts>-<target id>: "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-"
    size_t gfx = id.find("gfx");
    if (!id.contains("amdgcn") || gfx == llvm::StringRef::npos)
      continue;
    llvm::StringRef code = id.drop_front(gfx);
    held.push_back(code.str());
    if (int fit = suits(parseTargetId(code), device); fit > bestSuits) {
      bestSuits = fit;
      best = bundle.slice(offset, bytes);
    }
  }
  if (best)
    return *best;
  return fail(ErrorKind::Launch,
              fmt::format("{} has no code for {}; it holds {}; compile it with --offload-arch={}, or set "
                          "WAVEWRIGHT_DEVICE to a chip that it holds",
                          name, targetId.str(), held.empty() ? "none for any GPU" : llvm::join(held, ", "),
                          device.chip));
}

/// The extent of a bundle whose size is not known: as far as its entries reach.
llvm::Expected<Bytes> bundleBytes(const std::byte *image, const std::string &name) {
  uint64_t count = read<uint64_t>(image + BundleMagic.size()), at = BundleMagic.size() + 8, end = at;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = read<uint64_t>(image + at), bytes = read<uint64_t>(image + at + 8),
             length = read<uint64_t>(image + at + 16);
    if (count > MostEntries || length > MostIdBytes || offset > MostBytes || bytes > MostBytes)
      return fail(ErrorKind::Usage, fmt::format("{}: the offload bundle is damaged at byte {}", name, at));
    at += 24 + length;
    end = std::max({end, at, offset + bytes});
  }
  return Bytes(image, end);
}

} // namespace

llvm::Expected<std::shared_ptr<const codeobject::CodeObject>> selectCode(const void *data, llvm::StringRef targetId,
                                                                         const std::string &name, size_t size) {
  auto *image = static_cast<const std::byte *>(data);
  llvm::StringRef magic(reinterpret_cast<const char *>(image), 4);
  std::unique_ptr<llvm::MemoryBuffer> decompressed;
  llvm::Expected<Bytes> bundle = Bytes();
  if (magic == ElfMagic) {
    auto bytes = size ? llvm::Expected<Bytes>(Bytes(image, size)) : elfBytes(image, name);
    if (!bytes)
      return bytes.takeError();
    return codeobject::CodeObject::read(*bytes, name);
  }
  if (magic == CompressedMagic) {
    using Compressed = llvm::object::CompressedOffloadBundle;
    constexpr size_t longestHeader = 32;
    llvm::StringRef start(reinterpret_cast<const char *>(image), longestHeader);
    auto header = Compressed::CompressedBundleHeader::tryParse(start);
    if (!header)
      return fail(ErrorKind::Usage, fmt::format("{}: {}", name, llvm::toString(header.takeError())));
    if (!header->FileSize || *header->FileSize > MostBytes)
      return fail(ErrorKind::Usage,
                  fmt::format("{}: a compressed offload bundle of version {} does not say how long it "
                              "is; compile with clang 19 or later",
                              name, header->Version));
    if (size && *header->FileSize > size)
      return fail(ErrorKind::Usage,
                  fmt::format("{}: the compressed bundle has {} bytes, the file {}", name, *header->FileSize, size));
    auto buffer = llvm::MemoryBuffer::getMemBuffer({start.data(), *header->FileSize}, name, false);
    auto plain = Compressed::decompress(*buffer);
    if (!plain)
      return fail(ErrorKind::Usage, fmt::format("{}: {}", name, llvm::toString(plain.takeError())));
    decompressed = std::move(*plain);
    bundle = Bytes(reinterpret_cast<const std::byte *>(decompressed->getBufferStart()), decompressed->getBufferSize());
    if (bundle->size() < BundleMagic.size() + 8 || !decompressed->getBuffer().starts_with(BundleMagic))
      return fail(ErrorKind::Usage, fmt::format("{}: the compressed bundle holds no offload bundle", name));
  } else if (llvm::StringRef(magic.data(), BundleMagic.size()) == BundleMagic) {
    bundle = size ? llvm::Expected<Bytes>(Bytes(image, size)) : bundleBytes(image, name);
    if (!bundle)
      return bundle.takeError();
  } else {
    return fail(ErrorKind::Usage,
                fmt::format("{} is neither a code object nor an offload bundle: it starts with the bytes {:02x}", name,
                            fmt::join(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(image), 4), " ")));
  }
  auto entry = selectEntry(*bundle, targetId, name);
  if (!entry)
    return entry.takeError();
  return codeobject::CodeObject::read(*entry, name);
}

} // namespace wavewright::hip
