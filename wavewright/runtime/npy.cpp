#include "wavewright/runtime/npy.h"

#include "wavewright/runtime/files.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <optional>

namespace wavewright::runtime {

namespace {

/// The dictionary literal of a header. numpy writes three keys and reads them in any order.
struct HeaderFields {
  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<uint64_t>> shape;
  bool structured = false; ///< descr is a list of fields
};

/// Reads just what numpy.lib.format can write: strings, True and False, tuples of integers, and (to refuse it) a list.
class HeaderReader {
public:
  explicit HeaderReader(llvm::StringRef text) : rest(text) {}

  bool read(HeaderFields &fields) {
    if (!take('{'))
      return false;
    while (!take('}')) {
      auto key = string();
      if (!key || !take(':') || !value(*key, fields))
        return false;
      if (!take(',') && !peek('}'))
        return false;
    }
    return rest.trim().empty();
  }

private:
  bool peek(char c) {
    rest = rest.ltrim();
    return rest.starts_with(llvm::StringRef(&c, 1));
  }
  bool take(char c) {
    if (!peek(c))
      return false;
    rest = rest.drop_front();
    return true;
  }
  std::optional<std::string> string() {
    rest = rest.ltrim();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    std::string result = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return result;
  }
  bool value(const std::string &key, HeaderFields &fields) {
    if (key == "descr") {
      if (peek('[')) {
        // Fields of a structure; balanced brackets are all that has to be understood of them.
        int depth = 0;
        size_t i = 0;
        for (; i < rest.size(); ++i) {
          depth += (rest[i] == '[') - (rest[i] == ']');
          if (depth == 0)
            break;
        }
        if (i == rest.size())
          return false;
        rest = rest.drop_front(i + 1);
        fields.structured = true;
        return true;
      }
      fields.descr = string();
      return fields.descr.has_value();
    }
    if (key == "fortran_order") {
      rest = rest.ltrim();
      if (rest.consume_front("True"))
        fields.fortranOrder = true;
      else if (rest.consume_front("False"))
        fields.fortranOrder = false;
      return fields.fortranOrder.has_value();
    }
    if (key != "shape" || !take('('))
      return false;
    std::vector<uint64_t> extents;
    while (!take(')')) {
      uint64_t extent = 0;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, extent))
        return false;
      rest.consume_front("L"); // written by Python 2
      extents.push_back(extent);
      if (!take(',') && !peek(')'))
        return false;
    }
    fields.shape = std::move(extents);
    return true;
  }

  llvm::StringRef rest;
};

} // namespace

void NpyFile::Free::operator()(void *pointer) const { std::free(pointer); }
void *NpyFile::data() { return elements.get(); }
uint64_t NpyFile::bytes() const { return elementBytes; }

llvm::Expected<std::unique_ptr<NpyFile>> NpyFile::read(const std::string &path) {
  auto content = readFile(path);
  if (!content)
    return content.takeError();
  return parse(std::move(*content), path);
}

/// Bytes of one element, or 0 for what is no little-endian number.
static uint64_t elementSize(llvm::StringRef descr) {
  uint64_t size = 0;
  if (descr.size() < 3 || !llvm::StringRef("<|=").contains(descr[0]) || descr.drop_front(2).getAsInteger(10, size))
    return 0;
  return llvm::StringRef("biufcV").contains(descr[1]) && size <= 64 ? size : 0;
}

llvm::Expected<std::unique_ptr<NpyFile>> NpyFile::parse(std::vector<char> content, const std::string &name) {
  auto refuse = [&](const std::string &message) { return fail(ErrorKind::Usage, name + ": " + message); };
  auto byte = [&](size_t i) { return size_t(uint8_t(content[i])); };

  if (content.size() < 10 || std::memcmp(content.data(), "\x93NUMPY", 6) != 0)
    return refuse("is no .npy file (it does not start with \\x93NUMPY); write it with numpy.save(path, array)");
  size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    return refuse(fmt::format("is a .npy file of version {}.{}; versions 1.0, 2.0 and 3.0 are read", major, minor));
  size_t start = major == 1 ? 10 : 12;
  if (content.size() < start)
    return refuse(fmt::format("ends inside its header, after {} bytes", content.size()));
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  if (length > content.size() - start)
    return refuse(
        fmt::format("ends inside its header: {} bytes are announced, {} are there", length, content.size() - start));

  HeaderFields fields;
  if (!HeaderReader({content.data() + start, length}).read(fields) || (!fields.descr && !fields.structured) ||
      !fields.fortranOrder || !fields.shape)
    return refuse("has a header that is no dictionary of descr, fortran_order and shape");
  if (fields.structured)
    return refuse("holds structures; a kernel takes an array of numbers, for example numpy.save(path, array['field'])");
  const std::string &descr = *fields.descr;
  if (!descr.empty() && descr[0] == '>')
    return refuse(
        fmt::format("holds big-endian elements ({0}); save numpy.asarray(array, \"<{1}\")", descr, descr.substr(1)));
  uint64_t size = elementSize(descr);
  if (size == 0)
    return refuse(fmt::format("holds elements of type \"{}\"; a kernel takes numbers", descr));
  if (*fields.fortranOrder)
    return refuse("is in Fortran order; save numpy.ascontiguousarray(array)");

  uint64_t bytes = size;
  for (uint64_t extent : *fields.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return refuse("has a shape whose bytes do not fit 64 bits");
  start += length;
  if (bytes > content.size() - start)
    return refuse(
        fmt::format("is cut short: its shape needs {} bytes of elements, {} are there", bytes, content.size() - start));

  std::unique_ptr<NpyFile> file(new NpyFile);
  file->path = name;
  file->elementType = descr;
  file->extents = std::move(*fields.shape);
  file->header.assign(content.begin(), content.begin() + start);
  file->trailer.assign(content.begin() + start + bytes, content.end());
  file->elementBytes = bytes;
  file->elements.reset(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
  if (!file->elements)
    return refuse(fmt::format("{} bytes of elements find no memory", bytes));
  std::memcpy(file->elements.get(), content.data() + start, bytes);
  return file;
}

llvm::Error NpyFile::writeBack() {
  llvm::ArrayRef<char> parts[] = {header, {static_cast<const char *>(elements.get()), size_t(elementBytes)}, trailer};
  return writeFile(path, parts);
}

} // namespace wavewright::runtime
