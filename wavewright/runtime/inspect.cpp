#include "wavewright/runtime/inspect.h"

#include "wavewright/codeobject/gate.h"
#include "wavewright/runtime/files.h"

#include "llvm/Support/FileSystem.h"

#include <fmt/format.h>

#include <map>

namespace wavewright::runtime {

using codeobject::CodeObject;
using codeobject::Instruction;
using codeobject::Kernel;
using codeobject::KernelArgument;

static llvm::Expected<std::vector<const Kernel *>> chooseKernels(const CodeObject &object, const std::string &name) {
  std::vector<const Kernel *> kernels;
  if (name.empty()) {
    for (const Kernel &kernel : object.kernels())
      kernels.push_back(&kernel);
    return kernels;
  }
  auto kernel = object.kernel(name);
  if (!kernel)
    return kernel.takeError();
  kernels.push_back(*kernel);
  return kernels;
}

/// Functions by the address that they start at, for the labels of a disassembly.
static std::map<uint64_t, llvm::StringRef> functionStarts(const CodeObject &object) {
  std::map<uint64_t, llvm::StringRef> starts;
  for (const codeobject::Symbol &symbol : object.symbols())
    if (symbol.function)
      starts[symbol.address] = symbol.name;
  return starts;
}

namespace {

/// Lines of the source files that can be read from here.
class SourceLines {
public:
  /// Without its indentation; empty where the file or the line is not there.
  llvm::StringRef text(const SourcePlace &place) {
    if (!place.line)
      return "";
    auto [entry, isNew] = files.try_emplace(place.file);
    File &file = entry->second;
    if (isNew) {
      // A damaged object may name anything, devices included.
      constexpr uint64_t most = 1 << 24;
      uint64_t size = 0;
      if (llvm::sys::fs::is_regular_file(place.file) && !llvm::sys::fs::file_size(place.file, size) && size <= most) {
        if (auto content = readFile(place.file))
          file.content = std::move(*content);
        else
          llvm::consumeError(content.takeError());
      }
      llvm::StringRef(file.content.data(), file.content.size()).split(file.lines, '\n');
    }
    return place.line <= file.lines.size() ? file.lines[place.line - 1].trim() : "";
  }

private:
  struct File {
    std::vector<char> content;
    llvm::SmallVector<llvm::StringRef> lines;
  };
  std::map<std::string, File> files;
};

} // namespace

/// Calls `visit(instruction, text, place, source, label)`; the place and its line of the source are empty while the
/// line stays the same.
template <typename Visitor>
static void visitDisassembly(const CodeObject &object, const Kernel &kernel, Visitor visit) {
  auto starts = functionStarts(object);
  SourceLines sources;
  std::string last;
  for (const Instruction &instruction : object.program(kernel).instructions) {
    auto start = starts.find(instruction.address);
    llvm::StringRef label = start == starts.end() ? llvm::StringRef() : start->second;
    SourcePlace at = object.place(instruction.address);
    std::string place = at.str();
    bool moved = place != last || !label.empty();
    visit(instruction, llvm::StringRef(object.disassemble(instruction.address)).trim().str(), moved ? place : "",
          moved ? sources.text(at) : "", label);
    last = std::move(place);
  }
}

llvm::Expected<std::string> inspectText(const CodeObject &object, const InspectOptions &options) {
  auto kernels = chooseKernels(object, options.kernel);
  if (!kernels)
    return kernels.takeError();
  std::string text = fmt::format("{}: {}, code object version {}, {} bytes, {} kernel{}\n", object.name(),
                                 object.target().name, object.abiVersion(), object.bytes().size(),
                                 object.kernels().size(), object.kernels().size() == 1 ? "" : "s");
  for (const Kernel *kernel : *kernels) {
    text += "\n" + formatReport(codeobject::resources(object, *kernel));
    text += fmt::format("  {:<14}{} bytes\n", "arguments", kernel->descriptor.kernargBytes);
    size_t index = 0;
    for (const KernelArgument &argument : kernel->arguments)
      if (!argument.hidden())
        text += fmt::format("    {:>3} {:<20} offset {:>4}, {:>3} bytes, {}\n", index++,
                            argument.name.empty() ? "-" : argument.name, argument.offset, argument.size,
                            argument.valueKind);
    if (!options.disassemble)
      continue;
    visitDisassembly(object, *kernel,
                     [&](const Instruction &instruction, const std::string &line, const std::string &place,
                         llvm::StringRef source, llvm::StringRef label) {
                       if (!label.empty())
                         text += fmt::format("\n{}:\n", label.str());
                       if (!place.empty())
                         text += fmt::format("          ; {}{}{}\n", place, source.empty() ? "" : "  ", source.str());
                       text += fmt::format("{:>8x}  {}\n", instruction.address, line);
                     });
  }
  return text;
}

static llvm::json::Value jsonString(llvm::StringRef text) { return llvm::json::fixUTF8(text); }

llvm::Expected<llvm::json::Value> inspectJson(const CodeObject &object, const InspectOptions &options) {
  auto kernels = chooseKernels(object, options.kernel);
  if (!kernels)
    return kernels.takeError();
  llvm::json::Array list;
  for (const Kernel *kernel : *kernels) {
    llvm::json::Value report = reportJson(codeobject::resources(object, *kernel));
    llvm::json::Object &entry = *report.getAsObject();
    llvm::json::Array arguments;
    for (const KernelArgument &argument : kernel->arguments)
      arguments.push_back(llvm::json::Object{{"name", jsonString(argument.name)},
                                             {"kind", jsonString(argument.valueKind)},
                                             {"offset", argument.offset},
                                             {"size", argument.size},
                                             {"hidden", argument.hidden()}});
    entry["name"] = jsonString(kernel->name);
    entry["arguments"] = std::move(arguments);
    entry["kernarg_bytes"] = kernel->descriptor.kernargBytes;
    entry["max_work_group_size"] = kernel->maxWorkGroupSize;
    if (options.disassemble) {
      llvm::json::Array lines;
      visitDisassembly(object, *kernel,
                       [&](const Instruction &instruction, const std::string &line, const std::string &place,
                           llvm::StringRef source, llvm::StringRef label) {
                         llvm::json::Object row{{"address", instruction.address}, {"text", jsonString(line)}};
                         if (!place.empty())
                           row["place"] = jsonString(place);
                         if (!source.empty())
                           row["source"] = jsonString(source);
                         if (!label.empty())
                           row["function"] = jsonString(label);
                         lines.push_back(std::move(row));
                       });
      entry["disassembly"] = std::move(lines);
    }
    list.push_back(std::move(report));
  }
  return llvm::json::Object{{"file", jsonString(object.name())},
                            {"chip", jsonString(object.target().name)},
                            {"abi", object.abiVersion()},
                            {"bytes", object.bytes().size()},
                            {"kernels", std::move(list)}};
}

} // namespace wavewright::runtime
