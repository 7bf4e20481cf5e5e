#include "wavewright/codeobject/code_object.h"

#include "wavewright/codeobject/decoder.h"
#include "wavewright/codeobject/elf_image.h"
#include "wavewright/codeobject/line_table.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

namespace wavewright::codeobject {
namespace {

/// Names of the chips that there are, for messages.
std::string chipNames() {
  std::vector<std::string_view> names;
  for (const Target *target : allTargets())
    names.push_back(target->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Address ranges of code without overlaps, in ascending order.
struct Range {
  uint64_t begin, end;
};
std::vector<Range> disjoint(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  std::vector<Range> result;
  for (Range range : ranges) {
    if (!result.empty())
      range.begin = std::max(range.begin, result.back().end);
    if (range.begin < range.end)
      result.push_back(range);
  }
  return result;
}

} // namespace

struct CodeObject::Storage {
  std::string name;
  std::vector<uint64_t> words; ///< the file, aligned
  llvm::ArrayRef<std::byte> bytes;
  const Target *target = nullptr;
  unsigned abi = 0;
  std::unique_ptr<ElfImage> image;
  std::vector<Kernel> kernels;
  std::vector<std::string> printfFormats;

  mutable std::mutex mutex;                                                                 ///< of everything below
  mutable std::map<std::pair<uint64_t, unsigned>, std::unique_ptr<const Program>> programs; ///< by entry, wave size
  mutable std::map<unsigned, std::unique_ptr<Decoder>> decoders;                            ///< by wave size
  mutable std::unique_ptr<const LineTables> lines;

  llvm::Error read();
  SourcePlace place(uint64_t address) const;
  Decoder &decoder(unsigned waveSize) const;
  std::unique_ptr<const Program> decodeProgram(const Kernel &kernel) const;
  llvm::ArrayRef<uint8_t> code(uint64_t address, uint64_t most) const;
};

llvm::Error CodeObject::Storage::read() {
  image = std::make_unique<ElfImage>(bytes, name);
  if (llvm::Error error = image->read())
    return error;
  abi = image->header.e_ident[llvm::ELF::EI_ABIVERSION] + 2u;
  uint32_t machine = image->header.e_flags & llvm::ELF::EF_AMDGPU_MACH;
  target = findTargetByElfMachine(machine);
  if (!target)
    return image->error(
        offsetof(llvm::ELF::Elf64_Ehdr, e_flags),
        fmt::format("e_flags {:#x} name the chip number {:#x}, which is not supported; expected one of {}",
                    image->header.e_flags, machine, chipNames()));
  if (auto usable = Decoder::create(*target, 0); !usable)
    return usable.takeError();
  auto found = readKernels(*image, *target, printfFormats);
  if (!found)
    return found.takeError();
  kernels = std::move(*found);
  for (Kernel &kernel : kernels)
    kernel.place = place(kernel.entryAddress);
  return llvm::Error::success();
}

SourcePlace CodeObject::Storage::place(uint64_t address) const {
  if (image->debugLine.empty())
    return {};
  if (!lines)
    lines = std::make_unique<const LineTables>(image->debugLine, image->debugLineStrings, image->debugStrings);
  return lines->place(address);
}

/// Bytes of executable code from `address`, at most `most`.
llvm::ArrayRef<uint8_t> CodeObject::Storage::code(uint64_t address, uint64_t most) const {
  const Segment *segment = image->segmentAt(address);
  if (!segment || !segment->executable || address - segment->address >= segment->bytes.size())
    return {};
  llvm::ArrayRef<std::byte> rest = segment->bytes.drop_front(address - segment->address);
  rest = rest.take_front(most);
  return {reinterpret_cast<const uint8_t *>(rest.data()), rest.size()};
}

Decoder &CodeObject::Storage::decoder(unsigned waveSize) const {
  std::unique_ptr<Decoder> &slot = decoders[waveSize];
  if (!slot)
    slot = llvm::cantFail(Decoder::create(*target, waveSize)); // read() refused wave sizes that the chip lacks
  return *slot;
}

std::unique_ptr<const Program> CodeObject::Storage::decodeProgram(const Kernel &kernel) const {
  std::vector<Range> ranges = {{kernel.entryAddress, kernel.entryAddress + kernel.codeSize}};
  for (const Symbol &symbol : image->symbols) {
    bool otherKernel =
        std::any_of(kernels.begin(), kernels.end(), [&](const Kernel &k) { return k.entryAddress == symbol.address; });
    if (symbol.function && !otherKernel)
      if (llvm::ArrayRef<uint8_t> body = code(symbol.address, symbol.size); !body.empty())
        ranges.push_back({symbol.address, symbol.address + body.size()});
  }
  auto program = std::make_unique<Program>();
  for (const Range &range : disjoint(std::move(ranges)))
    decoder(kernel.waveSize).decodeAll(code(range.begin, range.end - range.begin), range.begin, program->instructions);
  findBlocks(*program);
  return program;
}

CodeObject::CodeObject(std::unique_ptr<Storage> storage) : storage(std::move(storage)) {}
CodeObject::~CodeObject() = default;

llvm::Expected<std::shared_ptr<const CodeObject>> CodeObject::read(llvm::ArrayRef<std::byte> bytes, std::string name) {
  auto storage = std::make_unique<Storage>();
  storage->name = std::move(name);
  storage->words.resize((bytes.size() + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte *>(storage->words.data()));
  storage->bytes = {reinterpret_cast<const std::byte *>(storage->words.data()), bytes.size()};
  if (llvm::Error error = storage->read())
    return error;
  return std::shared_ptr<const CodeObject>(new CodeObject(std::move(storage)));
}

const Target &CodeObject::target() const { return *storage->target; }
unsigned CodeObject::abiVersion() const { return storage->abi; }
const std::string &CodeObject::name() const { return storage->name; }
llvm::ArrayRef<std::byte> CodeObject::bytes() const { return storage->bytes; }
llvm::ArrayRef<Kernel> CodeObject::kernels() const { return storage->kernels; }
llvm::ArrayRef<Segment> CodeObject::segments() const { return storage->image->segments; }
llvm::ArrayRef<Symbol> CodeObject::symbols() const { return storage->image->symbols; }
llvm::ArrayRef<Relocation> CodeObject::relocations() const { return storage->image->relocations; }
llvm::ArrayRef<std::string> CodeObject::printfFormats() const { return storage->printfFormats; }

llvm::Expected<const Kernel *> CodeObject::kernel(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Kernel &kernel : storage->kernels) {
    if (kernel.name == name)
      return &kernel;
    names.push_back(kernel.name);
  }
  return fail(ErrorKind::Usage,
              names.empty()
                  ? fmt::format("{} has no kernel \"{}\"; it has none at all", storage->name, name)
                  : fmt::format("{} has no kernel \"{}\"; it has {}", storage->name, name, fmt::join(names, ", ")));
}

SourcePlace CodeObject::place(uint64_t address) const {
  std::lock_guard<std::mutex> lock(storage->mutex);
  return storage->place(address);
}

const Program &CodeObject::program(const Kernel &kernel) const {
  std::lock_guard<std::mutex> lock(storage->mutex);
  auto &slot = storage->programs[{kernel.entryAddress, kernel.waveSize}];
  if (!slot)
    slot = storage->decodeProgram(kernel);
  return *slot;
}

std::string CodeObject::disassemble(uint64_t address) const {
  unsigned waveSize = static_cast<unsigned>(storage->target->waveSize);
  for (const Kernel &kernel : storage->kernels)
    if (address >= kernel.entryAddress && address - kernel.entryAddress < kernel.codeSize)
      waveSize = kernel.waveSize;
  constexpr uint64_t longest = 20;
  llvm::ArrayRef<uint8_t> code = storage->code(address, longest);
  if (code.empty())
    return fmt::format("; {:#x} is not in the code of {}", address, storage->name);
  std::lock_guard<std::mutex> lock(storage->mutex);
  return storage->decoder(waveSize).disassemble(code, address);
}

} // namespace wavewright::codeobject
