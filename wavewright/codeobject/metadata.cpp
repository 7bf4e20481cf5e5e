#include "wavewright/codeobject/elf_image.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavewright::codeobject {
namespace {

namespace msgpack = llvm::msgpack;
namespace hsa = llvm::amdhsa;

/// A MessagePack value. LLVM's own Document is not used: it ends the process on map keys that are no scalars.
struct Node {
  enum class Kind : uint8_t { Other, Integer, Boolean, String, Array, Map } kind = Kind::Other;
  uint64_t integer = 0;
  std::string string;
  std::vector<std::string> keys; ///< Map: one an element; entries whose key is no string are dropped
  std::vector<Node> elements;    ///< Array or Map

  const Node *find(llvm::StringRef key) const {
    for (size_t i = 0; i < keys.size(); ++i)
      if (key == keys[i])
        return &elements[i];
    return nullptr;
  }
};

class MetadataReader {
public:
  MetadataReader(const ElfImage &image, llvm::ArrayRef<std::byte> note, uint64_t offset)
      : image(image), offset(offset),
        reader(llvm::StringRef(reinterpret_cast<const char *>(note.data()), note.size())) {}

  llvm::Expected<Node> value(unsigned depth = 0) {
    if (depth > maxDepth)
      return image.error(offset, fmt::format("expected metadata nested at most {} deep", maxDepth));
    msgpack::Object object;
    llvm::Expected<bool> more = reader.read(object);
    if (!more)
      return image.error(offset, "expected MessagePack metadata: " + llvm::toString(more.takeError()));
    if (!*more)
      return image.error(offset, "expected more metadata, the note ends in the middle of a value");
    Node node;
    switch (object.Kind) {
    case msgpack::Type::Int:
      node.kind = Node::Kind::Integer;
      node.integer = static_cast<uint64_t>(object.Int);
      return node;
    case msgpack::Type::UInt:
      node.kind = Node::Kind::Integer;
      node.integer = object.UInt;
      return node;
    case msgpack::Type::Boolean:
      node.kind = Node::Kind::Boolean;
      node.integer = object.Bool;
      return node;
    case msgpack::Type::String:
      node.kind = Node::Kind::String;
      node.string = object.Raw.str();
      return node;
    case msgpack::Type::Array:
      node.kind = Node::Kind::Array;
      for (size_t i = 0, n = object.Length; i < n; ++i) {
        auto element = value(depth + 1);
        if (!element)
          return element.takeError();
        node.elements.push_back(std::move(*element));
      }
      return node;
    case msgpack::Type::Map:
      node.kind = Node::Kind::Map;
      for (size_t i = 0, n = object.Length; i < n; ++i) {
        auto key = value(depth + 1);
        if (!key)
          return key.takeError();
        auto mapped = value(depth + 1);
        if (!mapped)
          return mapped.takeError();
        if (key->kind != Node::Kind::String)
          continue;
        node.keys.push_back(std::move(key->string));
        node.elements.push_back(std::move(*mapped));
      }
      return node;
    default:
      return node;
    }
  }

  /// The entry `key` of a map, as an unsigned number of at most 32 bits; `fallback` when it is missing.
  llvm::Expected<unsigned> number(const Node &map, llvm::StringRef key, unsigned fallback) const {
    const Node *found = map.find(key);
    if (!found)
      return fallback;
    if (found->kind != Node::Kind::Integer || found->integer > UINT32_MAX)
      return image.error(offset, fmt::format("expected a 32-bit number as {} of a kernel", key.str()));
    return static_cast<unsigned>(found->integer);
  }

  llvm::Expected<std::string> text(const Node &map, llvm::StringRef key) const {
    const Node *found = map.find(key);
    if (!found)
      return std::string();
    if (found->kind != Node::Kind::String)
      return image.error(offset, fmt::format("expected a string as {}", key.str()));
    return found->string;
  }

private:
  static constexpr unsigned maxDepth = 16;
  const ElfImage &image;
  uint64_t offset;
  msgpack::Reader reader;
};

struct NumberField {
  llvm::StringRef key;
  unsigned Kernel::*field;
};
constexpr unsigned defaultWorkGroup = 1024;
const NumberField numberFields[] = {{".vgpr_count", &Kernel::vgprs},
                                    {".agpr_count", &Kernel::agprs},
                                    {".sgpr_count", &Kernel::sgprs},
                                    {".vgpr_spill_count", &Kernel::vgprSpills},
                                    {".sgpr_spill_count", &Kernel::sgprSpills},
                                    {".group_segment_fixed_size", &Kernel::ldsBytes},
                                    {".private_segment_fixed_size", &Kernel::scratchBytes},
                                    {".max_flat_workgroup_size", &Kernel::maxWorkGroupSize}};

llvm::Error readArguments(const MetadataReader &reader, const ElfImage &image, uint64_t offset, const Node &list,
                          Kernel &kernel) {
  if (list.kind != Node::Kind::Array)
    return image.error(offset, fmt::format("expected a list as .args of {}", kernel.name));
  for (const Node &entry : list.elements) {
    if (entry.kind != Node::Kind::Map)
      return image.error(offset, fmt::format("expected a map as an argument of {}", kernel.name));
    KernelArgument argument;
    auto name = reader.text(entry, ".name");
    if (!name)
      return name.takeError();
    argument.name = *name;
    auto kind = reader.text(entry, ".value_kind");
    if (!kind)
      return kind.takeError();
    argument.valueKind = *kind;
    auto position = reader.number(entry, ".offset", 0);
    if (!position)
      return position.takeError();
    argument.offset = *position;
    auto size = reader.number(entry, ".size", 0);
    if (!size)
      return size.takeError();
    argument.size = *size;
    kernel.arguments.push_back(std::move(argument));
  }
  return llvm::Error::success();
}

KernelDescriptor readDescriptor(llvm::ArrayRef<std::byte> raw) {
  auto at = [&](unsigned offset) { return reinterpret_cast<const char *>(raw.data()) + offset; };
  namespace endian = llvm::support::endian;
  KernelDescriptor d;
  d.groupSegmentBytes = endian::read32le(at(hsa::GROUP_SEGMENT_FIXED_SIZE_OFFSET));
  d.privateSegmentBytes = endian::read32le(at(hsa::PRIVATE_SEGMENT_FIXED_SIZE_OFFSET));
  d.kernargBytes = endian::read32le(at(hsa::KERNARG_SIZE_OFFSET));
  d.entryOffset = static_cast<int64_t>(endian::read64le(at(hsa::KERNEL_CODE_ENTRY_BYTE_OFFSET_OFFSET)));
  d.rsrc3 = endian::read32le(at(hsa::COMPUTE_PGM_RSRC3_OFFSET));
  d.rsrc1 = endian::read32le(at(hsa::COMPUTE_PGM_RSRC1_OFFSET));
  d.rsrc2 = endian::read32le(at(hsa::COMPUTE_PGM_RSRC2_OFFSET));
  d.properties = endian::read16le(at(hsa::KERNEL_CODE_PROPERTIES_OFFSET));
  d.kernargPreload = endian::read16le(at(hsa::KERNARG_PRELOAD_OFFSET));
  return d;
}

/// VGPRs that the descriptor makes the hardware allocate. The field counts granules of 8 (4 in wave64 on RDNA, 16 on
/// gfx1250); the hardware then rounds to its own granule (chips.md 2, and GRANULATED_WORKITEM_VGPR_COUNT).
unsigned allocatedVgprs(const Target &target, const Kernel &kernel) {
  unsigned field = kernel.descriptor.rsrc1 & 0x3f;
  bool halved = target.isRdna() && kernel.waveSize == 64;
  unsigned encoded = target.generation == Generation::Cdna5 ? 16 : halved ? 4 : 8;
  unsigned granule = std::max(1, target.registers.vgprGranule / (halved ? 2 : 1));
  return static_cast<unsigned>(llvm::alignTo((field + 1) * encoded, granule));
}

/// Finds the descriptor of `kernel`, its entry and how far its code goes.
llvm::Error locate(const ElfImage &image, const Target &target, llvm::StringRef symbolName, Kernel &kernel) {
  auto symbol = llvm::find_if(image.symbols, [&](const Symbol &s) { return s.name == symbolName; });
  if (symbol == image.symbols.end())
    return image.error(image.header.e_shoff, fmt::format("expected the symbol {} of the kernel {}, it is missing",
                                                         symbolName.str(), kernel.name));
  kernel.descriptorAddress = symbol->address;
  auto raw = image.loaded(symbol->address, sizeof(hsa::kernel_descriptor_t));
  if (!raw)
    return image.error(image.fileOffset(symbol->address),
                       fmt::format("expected the {}-byte descriptor of {} at address {:#x}",
                                   sizeof(hsa::kernel_descriptor_t), kernel.name, symbol->address));
  kernel.descriptor = readDescriptor(*raw);
  kernel.waveSize = kernel.descriptor.wave32() ? 32 : 64;
  uint64_t offset = image.fileOffset(symbol->address);
  if (kernel.waveSize == 32 ? !target.wave32 : !target.wave64)
    return image.error(offset + hsa::KERNEL_CODE_PROPERTIES_OFFSET,
                       fmt::format("expected waves of {} lanes on {}, the descriptor of {} asks for {}",
                                   target.waveSize, target.name, kernel.name, kernel.waveSize));
  kernel.entryAddress = symbol->address + static_cast<uint64_t>(kernel.descriptor.entryOffset);
  const Segment *segment = image.segmentAt(kernel.entryAddress);
  if (!segment || !segment->executable || kernel.entryAddress % 4 ||
      kernel.entryAddress - segment->address >= segment->bytes.size())
    return image.error(offset + hsa::KERNEL_CODE_ENTRY_BYTE_OFFSET_OFFSET,
                       fmt::format("expected the entry of {} in executable code, found address {:#x}", kernel.name,
                                   kernel.entryAddress));
  uint64_t end = segment->address + segment->bytes.size();
  uint64_t limit = end;
  for (const Symbol &s : image.symbols) {
    if (s.function && s.address == kernel.entryAddress && s.size) {
      if (s.size > end - s.address)
        return image.error(offset, fmt::format("expected the {} bytes of {} inside their segment", s.size, s.name));
      kernel.codeSize = s.size;
    }
    if (s.function && s.address > kernel.entryAddress)
      limit = std::min(limit, s.address);
  }
  if (!kernel.codeSize)
    kernel.codeSize = limit - kernel.entryAddress;
  kernel.allocatedVgprs = allocatedVgprs(target, kernel);
  if (target.isCdna()) {
    unsigned first = ((kernel.descriptor.rsrc3 & 0x3f) + 1) * 4; // ACCUM_OFFSET
    kernel.firstAgpr = first < kernel.allocatedVgprs ? first : 0;
  }
  return llvm::Error::success();
}

llvm::Expected<Kernel> readKernel(const MetadataReader &reader, const ElfImage &image, const Target &target,
                                  uint64_t offset, const Node &entry) {
  if (entry.kind != Node::Kind::Map)
    return image.error(offset, "expected a map as an element of amdhsa.kernels");
  Kernel kernel;
  kernel.maxWorkGroupSize = defaultWorkGroup;
  auto name = reader.text(entry, ".name");
  if (!name)
    return name.takeError();
  auto symbol = reader.text(entry, ".symbol");
  if (!symbol)
    return symbol.takeError();
  if (symbol->empty())
    return image.error(offset, fmt::format("expected the .symbol of the kernel {}", *name));
  llvm::StringRef launched = *symbol;
  launched.consume_back(".kd");
  kernel.name = launched.str();
  for (const NumberField &field : numberFields) {
    auto number = reader.number(entry, field.key, kernel.*field.field);
    if (!number)
      return number.takeError();
    kernel.*field.field = *number;
  }
  if (const Node *dynamic = entry.find(".uses_dynamic_stack"))
    kernel.dynamicStack = dynamic->integer;
  if (const Node *arguments = entry.find(".args"))
    if (llvm::Error error = readArguments(reader, image, offset, *arguments, kernel))
      return error;
  if (llvm::Error error = locate(image, target, *symbol, kernel))
    return error;
  for (const KernelArgument &argument : kernel.arguments)
    if (uint64_t(argument.offset) + argument.size > kernel.descriptor.kernargBytes)
      return image.error(offset, fmt::format("expected the argument {} of {} inside the {} bytes of its kernarg "
                                             "segment, found {} bytes at {}",
                                             argument.name, kernel.name, kernel.descriptor.kernargBytes, argument.size,
                                             argument.offset));
  return kernel;
}

/// What the symbols and descriptors alone tell: no arguments, and register counts as allocated.
llvm::Expected<std::vector<Kernel>> kernelsWithoutMetadata(const ElfImage &image, const Target &target) {
  std::vector<Kernel> kernels;
  for (const Symbol &symbol : image.symbols) {
    llvm::StringRef name = symbol.name;
    if (!symbol.object || !name.consume_back(".kd"))
      continue;
    Kernel kernel;
    kernel.name = name.str();
    if (llvm::Error error = locate(image, target, symbol.name, kernel))
      return error;
    kernel.vgprs = kernel.allocatedVgprs;
    kernel.ldsBytes = kernel.descriptor.groupSegmentBytes;
    kernel.scratchBytes = kernel.descriptor.privateSegmentBytes;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

} // namespace

llvm::Expected<std::vector<Kernel>> readKernels(const ElfImage &image, const Target &target,
                                                std::vector<std::string> &printfFormats) {
  uint64_t offset = 0;
  auto note = image.metadataNote(offset);
  if (!note)
    return note.takeError();
  if (note->empty())
    return kernelsWithoutMetadata(image, target);
  MetadataReader reader(image, *note, offset);
  auto root = reader.value();
  if (!root)
    return root.takeError();
  if (const Node *formats = root->find("amdhsa.printf"))
    for (const Node &format : formats->elements)
      printfFormats.push_back(format.string);
  const Node *list = root->find("amdhsa.kernels");
  std::vector<Kernel> kernels;
  if (!list)
    return kernels;
  if (list->kind != Node::Kind::Array)
    return image.error(offset, "expected a list as amdhsa.kernels");
  for (const Node &entry : list->elements) {
    auto kernel = readKernel(reader, image, target, offset, entry);
    if (!kernel)
      return kernel.takeError();
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

} // namespace wavewright::codeobject
