#include "wavewright/runtime/arguments.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavewright::runtime {

using codeobject::Kernel;
using codeobject::KernelArgument;

Argument Argument::pointer(std::shared_ptr<Buffer> buffer, uint64_t offset) {
  Argument result = value(buffer->address() + offset);
  result.keepAlive = std::move(buffer);
  return result;
}

std::vector<const KernelArgument *> explicitArguments(const Kernel &kernel) {
  std::vector<const KernelArgument *> result;
  for (const KernelArgument &argument : kernel.arguments)
    if (!argument.hidden())
      result.push_back(&argument);
  return result;
}

std::string argumentLabel(const Kernel &kernel, size_t index) {
  auto arguments = explicitArguments(kernel);
  if (index < arguments.size() && !arguments[index]->name.empty())
    return fmt::format("argument {} ({})", index, arguments[index]->name);
  return fmt::format("argument {}", index);
}

static std::string listArguments(llvm::ArrayRef<const KernelArgument *> arguments) {
  std::string result;
  for (const KernelArgument *argument : arguments) {
    if (!result.empty())
      result += ", ";
    result += fmt::format("{}{}{} bytes", argument->name, argument->name.empty() ? "" : ": ", argument->size);
  }
  return result;
}

llvm::Expected<std::vector<std::byte>> packArguments(const Kernel &kernel, std::span<const Argument> arguments) {
  auto expected = explicitArguments(kernel);
  std::vector<std::byte> packed;

  if (kernel.arguments.empty() && kernel.descriptor.kernargBytes != 0) {
    for (const Argument &argument : arguments) {
      size_t alignment = std::clamp<size_t>(std::bit_floor(argument.bytes.size()), 1, 8);
      packed.resize((packed.size() + alignment - 1) / alignment * alignment);
      packed.insert(packed.end(), argument.bytes.begin(), argument.bytes.end());
    }
    if (packed.size() > kernel.descriptor.kernargBytes)
      return fail(ErrorKind::Launch,
                  fmt::format("kernel '{}' has {} bytes of arguments (its metadata does not say which), {} were given",
                              kernel.name, kernel.descriptor.kernargBytes, packed.size()),
                  kernel.place);
    return packed;
  }

  if (arguments.size() != expected.size())
    return fail(ErrorKind::Launch,
                fmt::format("kernel '{}' takes {} argument{}{}{}{}, {} {} given", kernel.name, expected.size(),
                            expected.size() == 1 ? "" : "s", expected.empty() ? "" : " (", listArguments(expected),
                            expected.empty() ? "" : ")", arguments.size(), arguments.size() == 1 ? "was" : "were"),
                kernel.place);

  for (size_t i = 0; i < expected.size(); ++i) {
    const KernelArgument &slot = *expected[i];
    const auto &bytes = arguments[i].bytes;
    if (bytes.size() != slot.size)
      return fail(ErrorKind::Launch,
                  fmt::format("{} of kernel '{}' has {} bytes in the kernel, {} {} given", argumentLabel(kernel, i),
                              kernel.name, slot.size, bytes.size(), bytes.size() == 1 ? "was" : "were"),
                  kernel.place);
    packed.resize(std::max<size_t>(packed.size(), size_t(slot.offset) + slot.size));
    std::copy(bytes.begin(), bytes.end(), packed.begin() + slot.offset);
  }
  return packed;
}

llvm::Error checkLaunch(const Target &target, const Kernel &kernel, const LaunchConfig &config) {
  auto refuse = [&](std::string message) { return fail(ErrorKind::Launch, std::move(message), kernel.place); };
  const Dim3 &grid = config.grid, &block = config.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return refuse(fmt::format("the grid of kernel '{}' is {}x{}x{} work-groups; every extent must be at least 1",
                              kernel.name, grid.x, grid.y, grid.z));
  if (block.x == 0 || block.y == 0 || block.z == 0)
    return refuse(fmt::format("the block of kernel '{}' is {}x{}x{} work-items; every extent must be at least 1",
                              kernel.name, block.x, block.y, block.z));

  uint64_t limit = target.maxWorkGroupSize;
  if (kernel.maxWorkGroupSize != 0)
    limit = std::min<uint64_t>(limit, kernel.maxWorkGroupSize);
  // Extent by extent first: the product of three 32-bit extents may not fit 64 bits.
  if (block.x > limit || block.y > limit || block.z > limit || block.count() > limit)
    return refuse(fmt::format("a block of {}x{}x{} work-items is more than the {} that kernel '{}' was compiled for",
                              block.x, block.y, block.z, limit, kernel.name));

  uint64_t lds = uint64_t(kernel.descriptor.groupSegmentBytes) + config.dynamicLdsBytes;
  if (lds > uint64_t(target.lds.bytesPerGroup))
    return refuse(fmt::format(
        "kernel '{}' needs {} bytes of LDS ({} of its own, {} dynamic), a work-group of {} has {}", kernel.name, lds,
        kernel.descriptor.groupSegmentBytes, config.dynamicLdsBytes, target.name, target.lds.bytesPerGroup));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------------------------------===//

/// The low `size` bytes of a little-endian number.
static Argument lowBytes(uint64_t bits, uint64_t size) {
  Argument result = Argument::value(bits);
  result.bytes.resize(size);
  return result;
}

llvm::Expected<Argument> integerArgument(int64_t value, uint64_t size, const std::string &label) {
  if (size != 1 && size != 2 && size != 4 && size != 8)
    return fail(ErrorKind::Launch, fmt::format("{} has {} bytes; a number has 1, 2, 4 or 8", label, size));
  if (size < 8) {
    int64_t lowest = -(int64_t(1) << (size * 8 - 1)), highest = (int64_t(1) << (size * 8)) - 1;
    if (value < lowest || value > highest)
      return fail(ErrorKind::Launch, fmt::format("{} does not fit the {} bytes of {}", value, size, label));
  }
  return lowBytes(uint64_t(value), size);
}

static const llvm::fltSemantics *floatOfSize(uint64_t size) {
  switch (size) {
  case 2:
    return &llvm::APFloat::IEEEhalf();
  case 4:
    return &llvm::APFloat::IEEEsingle();
  case 8:
    return &llvm::APFloat::IEEEdouble();
  default:
    return nullptr;
  }
}

llvm::Expected<Argument> floatArgument(double value, uint64_t size, const std::string &label) {
  const llvm::fltSemantics *semantics = floatOfSize(size);
  if (!semantics)
    return fail(ErrorKind::Launch, fmt::format("{} has {} bytes; a float has 2, 4 or 8", label, size));
  llvm::APFloat number(value);
  bool lost = false;
  number.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  return lowBytes(number.bitcastToAPInt().getZExtValue(), size);
}

namespace {
struct NumberType {
  llvm::StringLiteral name;
  uint64_t size;
  bool isSigned;
  const llvm::fltSemantics *(*semantics)(); ///< null for integers
};
} // namespace

static const NumberType numberTypes[] = {
    {"i8", 1, true, nullptr},
    {"i16", 2, true, nullptr},
    {"i32", 4, true, nullptr},
    {"i64", 8, true, nullptr},
    {"u8", 1, false, nullptr},
    {"u16", 2, false, nullptr},
    {"u32", 4, false, nullptr},
    {"u64", 8, false, nullptr},
    {"f16", 2, true, [] { return &llvm::APFloat::IEEEhalf(); }},
    {"bf16", 2, true, [] { return &llvm::APFloat::BFloat(); }},
    {"f32", 4, true, [] { return &llvm::APFloat::IEEEsingle(); }},
    {"f64", 8, true, [] { return &llvm::APFloat::IEEEdouble(); }},
};

static llvm::Expected<Argument> parseFloat(llvm::StringRef text, const llvm::fltSemantics &semantics, uint64_t size,
                                           const std::string &label) {
  llvm::APFloat number(semantics);
  auto status = number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  bool good = bool(status);
  if (!status)
    llvm::consumeError(status.takeError());
  // APFloat takes an exponent without digits for 0.
  bool cutShort = text.empty() || llvm::StringRef("eEpP+-").contains(text.back());
  if (!good || cutShort)
    return fail(ErrorKind::Usage, fmt::format("{}: \"{}\" is no number", label, text.str()));
  return lowBytes(number.bitcastToAPInt().getZExtValue(), size);
}

/// `isSigned` and `isUnsigned` say which ranges the number may come from; both for one without a prefix.
static llvm::Expected<Argument> parseInteger(llvm::StringRef text, uint64_t size, bool isSigned, bool isUnsigned,
                                             const std::string &label) {
  llvm::StringRef digits = text;
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  unsigned radix = digits.consume_front_insensitive("0x") ? 16 : 10;
  uint64_t magnitude = 0;
  if (digits.empty() || digits.getAsInteger(radix, magnitude)) {
    if (!digits.empty() &&
        llvm::all_of(digits, [&](char c) { return radix == 16 ? llvm::isHexDigit(c) : llvm::isDigit(c); }))
      return fail(ErrorKind::Usage, fmt::format("{}: {} does not fit 64 bits", label, text.str()));
    return fail(ErrorKind::Usage, fmt::format("{}: \"{}\" is no number", label, text.str()));
  }
  uint64_t half = uint64_t(1) << (size * 8 - 1);
  uint64_t highest = isUnsigned ? half - 1 + half : half - 1;
  if (negative ? magnitude > (isSigned ? half : 0) : magnitude > highest)
    return fail(ErrorKind::Usage,
                fmt::format("{}: {} does not fit {}{} byte{}", label, text.str(),
                            isSigned && isUnsigned ? "" : (isSigned ? "a signed number of " : "an unsigned number of "),
                            size, size == 1 ? "" : "s"));
  return lowBytes(negative ? 0 - magnitude : magnitude, size);
}

/// A float by its looks: a point, an exponent, or a name. Hexadecimal digits hold no exponent.
static bool looksLikeFloat(llvm::StringRef text) {
  llvm::StringRef digits = text;
  if (!digits.consume_front("-"))
    digits.consume_front("+");
  if (digits.equals_insensitive("inf") || digits.equals_insensitive("nan"))
    return true;
  if (digits.starts_with_insensitive("0x"))
    return digits.find_first_of(".pP") != llvm::StringRef::npos;
  return digits.find_first_of(".eE") != llvm::StringRef::npos && !digits.empty() &&
         (llvm::isDigit(digits.front()) || digits.front() == '.');
}

llvm::Expected<Argument> parseArgument(llvm::StringRef text, uint64_t size, const std::string &label) {
  auto [prefix, rest] = text.split(':');
  if (text.contains(':')) {
    if (prefix == "bytes") {
      std::string raw;
      if (rest.size() % 2 || !llvm::tryGetFromHex(rest, raw))
        return fail(ErrorKind::Usage,
                    fmt::format("{}: \"{}\" is no even row of hexadecimal digits", label, rest.str()));
      Argument result;
      auto *first = reinterpret_cast<const std::byte *>(raw.data());
      result.bytes.assign(first, first + raw.size());
      return result;
    }
    for (const NumberType &type : numberTypes)
      if (prefix == type.name) {
        if (type.semantics)
          return parseFloat(rest, *type.semantics(), type.size, label);
        return parseInteger(rest, type.size, type.isSigned, !type.isSigned, label);
      }
    return fail(ErrorKind::Usage,
                fmt::format("{}: \"{}\" has no prefix that is known; there are i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 "
                            "f32 f64 and bytes",
                            label, text.str()));
  }

  if (size == 0)
    size = 4;
  if (size != 1 && size != 2 && size != 4 && size != 8)
    return fail(ErrorKind::Usage,
                fmt::format("{} has {} bytes in the kernel, which no number has; give bytes:<hex>", label, size));
  if (!looksLikeFloat(text))
    return parseInteger(text, size, true, true, label);
  const llvm::fltSemantics *semantics = floatOfSize(size);
  if (!semantics)
    return fail(ErrorKind::Usage, fmt::format("{} has {} byte in the kernel, {} is a float", label, size, text.str()));
  return parseFloat(text, *semantics, size, label);
}

llvm::Expected<Dim3> parseExtents(llvm::StringRef text, llvm::StringRef option) {
  llvm::SmallVector<llvm::StringRef, 3> parts;
  text.split(parts, ',');
  uint32_t extents[3] = {1, 1, 1};
  bool good = parts.size() <= 3;
  for (size_t i = 0; good && i < parts.size(); ++i)
    good = !parts[i].trim().getAsInteger(10, extents[i]) && extents[i] != 0;
  if (!good)
    return fail(ErrorKind::Usage, fmt::format("{} \"{}\": one to three numbers from 1 to 4294967295 with commas "
                                              "between, for example {} 8,4",
                                              option.str(), text.str(), option.str()));
  return Dim3{extents[0], extents[1], extents[2]};
}

} // namespace wavewright::runtime
