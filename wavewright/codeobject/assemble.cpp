#include "wavewright/codeobject/assemble.h"

#include "wavewright/codeobject/line_table.h"
#include "wavewright/codeobject/machine_facts.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

extern "C" void LLVMInitializeAMDGPUAsmParser();

namespace wavewright::codeobject {

llvm::Expected<std::string> subtargetFeatures(const Target &target, unsigned &waveSize) {
  if (!waveSize)
    waveSize = static_cast<unsigned>(target.waveSize);
  if ((waveSize != 32 || !target.wave32) && (waveSize != 64 || !target.wave64))
    return fail(ErrorKind::Usage,
                fmt::format("{} has no waves of {} lanes; use {}", target.name, waveSize, target.waveSize));
  std::string features;
  if (target.wave32 && target.wave64)
    features = waveSize == 32 ? "+wavefrontsize32" : "+wavefrontsize64";
  // From gfx11 on the hardware always names halves of registers in 16-bit operands, whatever the compiler used.
  if (!target.isCdna())
    features += features.empty() ? "+real-true16" : ",+real-true16";
  return features;
}

namespace {

using Subtarget = std::shared_ptr<const llvm::MCSubtargetInfo>;

/// A chip and a wave size as LLVM knows them; made once.
llvm::Expected<Subtarget> subtargetOf(const Target &target, unsigned &waveSize) {
  auto features = subtargetFeatures(target, waveSize);
  if (!features)
    return features.takeError();
  static std::mutex mutex;
  static std::map<std::pair<const Target *, unsigned>, Subtarget> made;
  std::lock_guard<std::mutex> lock(mutex);
  Subtarget &slot = made[{&target, waveSize}];
  if (!slot) {
    LLVMInitializeAMDGPUAsmParser();
    slot.reset(machineFacts().target->createMCSubtargetInfo(
        llvm::Triple("amdgcn-amd-amdhsa"), llvm::StringRef(target.name.data(), target.name.size()), *features));
    if (!slot)
      return fail(ErrorKind::Usage, fmt::format("LLVM does not know the chip {}", target.name));
  }
  return slot;
}

/// The first error of the assembler.
struct Complaint {
  std::string message;
  SourcePlace place;
  std::string line;

  void take(const llvm::SMDiagnostic &d) {
    if (d.getKind() != llvm::SourceMgr::DK_Error || !message.empty())
      return;
    message = d.getMessage().str();
    if (d.getLineNo() > 0)
      place.line = unsigned(d.getLineNo());
    place.column = unsigned(d.getColumnNo() + 1);
    line = d.getLineContents().trim().str();
  }
};

/// One assembly: an ELF relocatable in `object`.
llvm::Error assembleObject(const Target &target, unsigned &waveSize, llvm::StringRef text, llvm::StringRef name,
                           bool lines, llvm::SmallVectorImpl<char> &object) {
  const MachineFacts &facts = machineFacts();
  if (!facts.problem.empty())
    return fail(ErrorKind::Usage,
                fmt::format("cannot assemble for {}: {}; Wavewright needs LLVM 22.1", target.name, facts.problem));
  auto subtarget = subtargetOf(target, waveSize);
  if (!subtarget)
    return subtarget.takeError();
  const llvm::Target &llvmTarget = *facts.target;
  llvm::Triple triple("amdgcn-amd-amdhsa");
  llvm::MCTargetOptions options;
  Complaint complaint;
  complaint.place.file = name.str();

  llvm::SourceMgr sources;
  sources.setDiagHandler([](const llvm::SMDiagnostic &d, void *to) { static_cast<Complaint *>(to)->take(d); },
                         &complaint);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  llvm::MCContext context(triple, facts.assembly.get(), facts.registers.get(), subtarget->get(), &sources, &options);
  context.setDiagnosticHandler([&](const llvm::SMDiagnostic &d, bool, const llvm::SourceMgr &,
                                   std::vector<const llvm::MDNode *> &) { complaint.take(d); });
  std::unique_ptr<llvm::MCObjectFileInfo> info(llvmTarget.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(info.get());
  if (lines) {
    context.setGenDwarfForAssembly(true);
    context.setDwarfVersion(5);
    context.setMainFileName(name);
  }
  llvm::raw_svector_ostream os(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(llvmTarget.createMCAsmBackend(**subtarget, *facts.registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(os);
  std::unique_ptr<llvm::MCStreamer> streamer(llvmTarget.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer),
      std::unique_ptr<llvm::MCCodeEmitter>(llvmTarget.createMCCodeEmitter(*facts.instructions, context)), **subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *facts.assembly));
  std::unique_ptr<llvm::MCTargetAsmParser> own(
      llvmTarget.createMCAsmParser(**subtarget, *parser, *facts.instructions, options));
  if (!own)
    return fail(ErrorKind::Usage, fmt::format("LLVM has no assembler for {}", target.name));
  parser->setTargetParser(*own);
  bool failed = parser->Run(/*NoInitialTextSection=*/false);
  if (!failed && !context.hadError() && complaint.message.empty())
    return llvm::Error::success();
  if (complaint.message.empty())
    complaint.message = "the assembler refuses this text";
  std::string message = fmt::format("{} does not assemble: {}", target.name, complaint.message);
  if (!complaint.line.empty())
    message += fmt::format(" (column {} of \"{}\")", complaint.place.column, complaint.line);
  return fail(ErrorKind::Compile, std::move(message), complaint.place);
}

/// The code of an assembled object; refuses what needs a linker.
llvm::Expected<std::vector<std::byte>> codeOf(const llvm::object::ObjectFile &object, llvm::StringRef name) {
  std::vector<std::byte> code;
  for (const llvm::object::SectionRef &section : object.sections()) {
    auto sectionName = section.getName();
    auto contents = section.getContents();
    if (!sectionName || !contents)
      return fail(ErrorKind::Compile, "the assembled object cannot be read");
    for (const llvm::object::RelocationRef &relocation : section.relocations()) {
      auto symbol = relocation.getSymbol();
      llvm::Expected<llvm::StringRef> symbolName =
          symbol == object.symbol_end() ? llvm::StringRef() : symbol->getName();
      if (!symbolName)
        return symbolName.takeError();
      return fail(ErrorKind::Compile,
                  fmt::format("the address of {} is known only to a linker; a bare stream can name labels of its own "
                              "text section",
                              symbolName->str()),
                  {name.str()});
    }
    if (*sectionName == ".text")
      code.assign(reinterpret_cast<const std::byte *>(contents->begin()),
                  reinterpret_cast<const std::byte *>(contents->end()));
    else if ((section.isText() || section.isData() || section.isBSS()) && section.getSize())
      return fail(ErrorKind::Compile,
                  fmt::format("the text fills section {}; a bare stream has only .text", sectionName->str()),
                  {name.str()});
  }
  return code;
}

/// The latest texts. Emptied when full: tests name thousands of texts, a user's session a few.
class Cache {
public:
  using Key = std::string;
  std::shared_ptr<const Assembled> find(const Key &key) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = entries.find(key);
    return found == entries.end() ? nullptr : found->second;
  }
  void add(Key key, std::shared_ptr<const Assembled> value) {
    std::lock_guard<std::mutex> lock(mutex);
    if (entries.size() >= 4096)
      entries.clear();
    entries.emplace(std::move(key), std::move(value));
  }

private:
  std::mutex mutex;
  std::unordered_map<Key, std::shared_ptr<const Assembled>> entries;
};

} // namespace

llvm::Expected<std::shared_ptr<const Assembled>> assemble(const Target &target, unsigned waveSize, llvm::StringRef text,
                                                          llvm::StringRef name) {
  static Cache cache;
  std::string key = fmt::format("{} {}\n", target.name, waveSize ? waveSize : unsigned(target.waveSize)) + text.str();
  if (auto known = cache.find(key))
    return known;
  llvm::SmallString<2048> bytes;
  if (llvm::Error error = assembleObject(target, waveSize, text, name, /*lines=*/false, bytes))
    return std::move(error);
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes.str(), name));
  if (!object)
    return object.takeError();
  auto code = codeOf(**object, name);
  if (!code)
    return code.takeError();
  auto assembled = std::make_shared<Assembled>();
  assembled->code = std::move(*code);
  assembled->text = text.str();
  cache.add(std::move(key), assembled);
  return assembled;
}

llvm::Expected<std::vector<AssembledLine>> assembledLines(const Target &target, unsigned waveSize, llvm::StringRef text,
                                                          llvm::StringRef name) {
  llvm::SmallString<4096> bytes;
  if (llvm::Error error = assembleObject(target, waveSize, text, name, /*lines=*/true, bytes))
    return std::move(error);
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes.str(), name));
  if (!object)
    return object.takeError();
  auto context = llvm::DWARFContext::create(**object); // one section, one sequence: rows go up
  std::vector<AssembledLine> lines;
  for (const auto &unit : context->compile_units())
    if (const llvm::DWARFDebugLine::LineTable *table = context->getLineTableForUnit(unit.get()))
      for (const llvm::DWARFDebugLine::Row &row : table->Rows)
        if (!row.EndSequence)
          lines.push_back({row.Address.Address, row.Line});
  return lines;
}

} // namespace wavewright::codeobject
