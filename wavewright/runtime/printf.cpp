#include "wavewright/runtime/printf.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

namespace wavewright::runtime {

namespace {

using emulator::PrintedText;

constexpr uint64_t HeaderBytes = 8;

/// One conversion of a format: "%-8.3lld".
struct Conversion {
  std::string flags;
  std::optional<int> width, precision;
  bool widthGiven = false, precisionGiven = false; ///< by '*'
  unsigned vector = 1;                             ///< OpenCL C: %v4f
  std::string length;
  char letter = 0;
};

/// Reads the conversion after the '%'; false when the format ends in it.
bool parseConversion(llvm::StringRef &rest, Conversion &c) {
  while (!rest.empty() && llvm::StringRef("-+ #0").contains(rest.front())) {
    c.flags += rest.front();
    rest = rest.drop_front();
  }
  auto number = [&](std::optional<int> &value, bool &given) {
    unsigned parsed = 0;
    if (rest.consume_front("*"))
      given = true;
    else if (!rest.empty() && llvm::isDigit(rest.front()))
      value = rest.consumeInteger(10, parsed) ? 0 : int(std::min(parsed, 4096u));
  };
  number(c.width, c.widthGiven);
  if (rest.consume_front(".")) {
    c.precision = 0;
    number(c.precision, c.precisionGiven);
  }
  if (rest.consume_front("v"))
    if (rest.consumeInteger(10, c.vector) || c.vector == 0 || c.vector > 16)
      c.vector = 1;
  while (!rest.empty() && llvm::StringRef("hlLqjzt").contains(rest.front())) {
    c.length += rest.front();
    rest = rest.drop_front();
  }
  if (rest.empty())
    return false;
  c.letter = rest.front();
  rest = rest.drop_front();
  return true;
}

/// A value through snprintf, with the conversion's own flags.
template <class T> std::string print(const Conversion &c, const char *length, T value) {
  std::string format = "%" + c.flags;
  if (c.width)
    format += std::to_string(*c.width);
  if (c.precision && *c.precision >= 0)
    format += "." + std::to_string(*c.precision);
  format += length;
  format += c.letter;
  int size = std::snprintf(nullptr, 0, format.c_str(), value);
  std::string text(size_t(std::max(size, 0)), '\0');
  std::snprintf(text.data(), text.size() + 1, format.c_str(), value);
  return text;
}

/// Bytes that the length modifier gives an integer.
unsigned integerBytes(llvm::StringRef length) {
  if (length == "hh")
    return 1;
  if (length == "h")
    return 2;
  return length.empty() || length == "hl" ? 4 : 8;
}

std::string printNumber(const Conversion &c, uint64_t bits) {
  unsigned shift = 64 - 8 * integerBytes(c.length);
  switch (c.letter) {
  case 'd':
  case 'i':
    return print(c, "ll", static_cast<long long>(int64_t(bits << shift) >> shift));
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    return print(c, "ll", static_cast<unsigned long long>((bits << shift) >> shift));
  case 'c':
    return print(c, "", int(static_cast<unsigned char>(bits)));
  case 'p':
    return print(c, "", reinterpret_cast<void *>(bits));
  default: {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return print(c, "", value);
  }
  }
}

/// Arguments of one record, taken from its front.
struct Arguments {
  llvm::ArrayRef<std::byte> bytes;
  llvm::ArrayRef<unsigned> sizes; ///< OpenCL C: of each argument
  bool sized = false, complete = true;

  uint64_t take(unsigned size) {
    uint64_t value = 0;
    if (size > bytes.size())
      complete = false;
    std::memcpy(&value, bytes.data(), std::min<size_t>({size, bytes.size(), sizeof(value)}));
    bytes = bytes.drop_front(std::min<size_t>(size, bytes.size()));
    return value;
  }
  unsigned nextSize() {
    if (!sized)
      return 8;
    if (sizes.empty()) {
      complete = false;
      return 0;
    }
    unsigned size = sizes.front();
    sizes = sizes.drop_front();
    return size;
  }
  std::string string() {
    unsigned listed = sized ? nextSize() : unsigned(bytes.size());
    llvm::StringRef all(reinterpret_cast<const char *>(bytes.data()), std::min<size_t>(listed, bytes.size()));
    llvm::StringRef text = all.take_until([](char ch) { return ch == 0; });
    take(sized ? listed : unsigned(llvm::alignTo(text.size() + 1, 8)));
    return text.str();
  }
};

/// A float of `size` bytes as the bits of a double.
uint64_t widen(uint64_t bits, unsigned size) {
  double value;
  if (size == 8)
    return bits;
  if (size == 2) {
    uint16_t half = uint16_t(bits);
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    value = exponent == 31 ? (mantissa ? NAN : INFINITY)
            : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                           : std::ldexp(mantissa, -24);
    if (half >> 15)
      value = -value;
  } else {
    uint32_t low = uint32_t(bits);
    float single;
    std::memcpy(&single, &low, sizeof(single));
    value = single;
  }
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

std::string formatRecord(llvm::StringRef format, Arguments &arguments) {
  std::string text;
  while (!format.empty()) {
    auto [plain, rest] = format.split('%');
    text += plain;
    if (plain.size() == format.size())
      break;
    format = rest;
    if (format.consume_front("%")) {
      text += '%';
      continue;
    }
    Conversion c;
    if (!parseConversion(format, c))
      break;
    if (c.widthGiven) {
      c.width = int(arguments.take(arguments.nextSize()));
      if (*c.width < 0) {
        c.flags += '-';
        c.width = -*c.width;
      }
    }
    if (c.precisionGiven)
      c.precision = int(arguments.take(arguments.nextSize()));
    bool isFloat = llvm::StringRef("aAeEfFgG").contains(c.letter);
    if (c.letter == 's') {
      text += print(c, "", arguments.string().c_str());
    } else if (isFloat || llvm::StringRef("diuoxXcp").contains(c.letter)) {
      unsigned size = arguments.nextSize(), each = size / c.vector;
      // Vectors of three elements are stored as four.
      unsigned stored = c.vector == 3 ? 4 : c.vector;
      if (c.vector > 1)
        each = size / stored;
      for (unsigned i = 0; i < stored; ++i) {
        uint64_t bits = arguments.take(each);
        if (i >= c.vector)
          continue;
        text += (i ? "," : "") + printNumber(c, isFloat ? widen(bits, each) : bits);
      }
    } else {
      text += fmt::format("%{}", c.letter);
    }
  }
  return text;
}

/// The metadata escapes what its own syntax uses ("\\72" is a colon).
std::string unescape(llvm::StringRef text) {
  static const std::pair<char, char> escapes[] = {{'a', '\a'}, {'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'},
                                                  {'t', '\t'}, {'v', '\v'}, {'"', '"'},  {'\\', '\\'}};
  std::string result;
  while (!text.empty()) {
    if (text.consume_front("\\72")) {
      result += ':';
      continue;
    }
    if (text.front() == '\\' && text.size() > 1) {
      bool known = false;
      for (auto [name, value] : escapes)
        if (text[1] == name) {
          result += value;
          known = true;
        }
      if (known) {
        text = text.drop_front(2);
        continue;
      }
    }
    result += text.front();
    text = text.drop_front();
  }
  return result;
}

struct Format {
  bool hip = false;
  uint64_t key = 0; ///< hash or id
  std::vector<unsigned> sizes;
  std::string text;
};

std::vector<Format> parseFormats(llvm::ArrayRef<std::string> lines) {
  std::vector<Format> formats;
  for (llvm::StringRef line : lines) {
    Format format;
    unsigned id = 0, count = 0;
    if (line.consumeInteger(10, id) || !line.consume_front(":") || line.consumeInteger(10, count) ||
        !line.consume_front(":"))
      continue;
    if (id == 0) {
      auto [hash, text] = line.split(',');
      format.hip = true;
      if (hash.getAsInteger(16, format.key))
        continue;
      format.text = text.str();
    } else {
      format.key = id;
      for (unsigned size = 0; count && !line.consumeInteger(10, size) && line.consume_front(":"); --count)
        format.sizes.push_back(size);
      format.text = unescape(line);
    }
    formats.push_back(std::move(format));
  }
  return formats;
}

const Format *find(llvm::ArrayRef<Format> formats, bool hip, uint64_t key) {
  for (const Format &format : formats)
    if (format.hip == hip && format.key == key)
      return &format;
  return nullptr;
}

/// The format of include/hip's assert.
constexpr llvm::StringLiteral AssertionMark = ": Device-side assertion `";

} // namespace

PrintedText formatPrintf(llvm::ArrayRef<std::byte> records, llvm::ArrayRef<std::string> lines) {
  PrintedText printed;
  std::vector<Format> formats = parseFormats(lines);
  bool openCl = llvm::any_of(formats, [](const Format &format) { return !format.hip; });
  auto unreadable = [&](const char *why) {
    printed.out += fmt::format("[the kernel's printf buffer cannot be read further: {}]\n", why);
    return printed;
  };
  while (records.size() >= 4) {
    uint32_t control;
    std::memcpy(&control, records.data(), 4);
    if (openCl) {
      const Format *format = find(formats, false, control);
      if (!format)
        return unreadable("a record has an id that is not in the metadata");
      uint64_t bytes = 4;
      for (unsigned size : format->sizes)
        bytes += size;
      Arguments arguments{records.drop_front(4), format->sizes, true};
      printed.out += formatRecord(format->text, arguments);
      if (!arguments.complete || bytes > records.size())
        return unreadable("a record is cut off");
      records = records.drop_front(bytes);
      continue;
    }
    uint64_t bytes = control >> 2;
    if (bytes < 4 || bytes > records.size())
      return unreadable("a record is longer than the buffer");
    Arguments arguments{records.slice(4, bytes - 4), {}};
    records = records.drop_front(bytes);
    std::string text;
    if (control & 2) {
      const Format *format = find(formats, true, arguments.take(8));
      if (!format)
        return unreadable("a record has a format that is not in the metadata");
      text = format->text;
    } else {
      text = arguments.string();
    }
    bool assertion = llvm::StringRef(text).contains(AssertionMark);
    std::string line = formatRecord(text, arguments);
    if (!arguments.complete)
      return unreadable("a record has fewer arguments than its format");
    (assertion ? printed.assertion : printed.out) += line;
  }
  return printed;
}

llvm::Expected<PrintfBuffer> PrintfBuffer::create(emulator::AddressSpace &memory, const codeobject::Kernel &kernel,
                                                  emulator::LaunchOptions &options) {
  bool prints = llvm::any_of(kernel.arguments, [](const auto &a) { return a.valueKind == "hidden_printf_buffer"; });
  if (!prints || options.printfBuffer)
    return PrintfBuffer(&memory, 0);
  uint64_t records = std::clamp<uint64_t>(options.printfBytes, 64, uint64_t(UINT32_MAX) - HeaderBytes);
  auto address = memory.allocate(HeaderBytes + records, 256, "the printf buffer of " + kernel.name);
  if (!address)
    return address.takeError();
  uint32_t size = uint32_t(records);
  std::memcpy(memory.translate(*address, HeaderBytes) + 4, &size, sizeof(size));
  options.printfBuffer = *address;
  return PrintfBuffer(&memory, *address);
}

PrintfBuffer::PrintfBuffer(PrintfBuffer &&other) : memory(other.memory), address(other.address) { other.address = 0; }

PrintfBuffer::~PrintfBuffer() {
  if (address)
    llvm::consumeError(memory->release(address));
}

void PrintfBuffer::show(llvm::ArrayRef<std::string> formats, PrintedText *printed) const {
  if (!address)
    return;
  const std::byte *header = memory->translate(address, HeaderBytes);
  uint32_t used, size;
  std::memcpy(&used, header, sizeof(used));
  std::memcpy(&size, header + 4, sizeof(size));
  used = std::min(used, size);
  if (!used || !memory->translate(address, HeaderBytes + used))
    return;
  PrintedText text = formatPrintf({header + HeaderBytes, used}, formats);
  if (printed) {
    printed->out += text.out;
    printed->assertion += text.assertion;
    return;
  }
  std::fwrite(text.out.data(), 1, text.out.size(), stdout);
  std::fflush(stdout);
  std::fwrite(text.assertion.data(), 1, text.assertion.size(), stderr);
}

} // namespace wavewright::runtime
