#include "wavewright/emulator/instruction_set.h"
#include "wavewright/emulator/code.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace wavewright::emulator {

using codeobject::Encoding;
using codeobject::SweptForm;

std::string_view className(InstructionClass c) {
  static constexpr std::string_view names[] = {"SALU", "control", "SMEM", "VALU", "matrix", "LDS", "VMEM", "graphics"};
  return names[unsigned(c)];
}

bool InstructionFacts::executes() const {
  return llvm::all_of(refusals, [](const std::string &refusal) { return refusal.empty(); });
}

namespace {

bool startsWithAny(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> prefixes) {
  return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

InstructionClass classify(llvm::StringRef name, const SweptForm &form) {
  switch (form.encoding) {
  case Encoding::Mimg:
  case Encoding::Export:
  case Encoding::LdsDirect:
  case Encoding::Vinterp:
    return InstructionClass::Graphics;
  case Encoding::Sop1:
  case Encoding::Sop2:
  case Encoding::Sopk:
  case Encoding::Sopc:
    return InstructionClass::Salu;
  case Encoding::Sopp:
    return InstructionClass::Control;
  case Encoding::Smem:
    return InstructionClass::Smem;
  case Encoding::Ds:
    // Ordered append and streamout counters of the global data share, and global wave sync.
    return startsWithAny(name, {"ds_gws_", "ds_ordered_count", "ds_bvh_", "ds_add_gs_reg", "ds_sub_gs_reg"})
               ? InstructionClass::Graphics
               : InstructionClass::Lds;
  default:
    break;
  }
  if (startsWithAny(name, {"v_interp", "image_", "exp", "lds_direct", "lds_param", "ds_direct", "ds_param"}))
    return InstructionClass::Graphics;
  if (startsWithAny(name, {"v_mfma", "v_smfmac", "v_wmma", "v_swmmac"}))
    return InstructionClass::Matrix;
  return name.starts_with("v_")   ? InstructionClass::Valu
         : name.starts_with("s_") ? InstructionClass::Salu
                                  : InstructionClass::Vmem;
}

std::string refusal(const Target &target, const SweptForm &form) {
  // Branches of the sweep go one instruction ahead.
  constexpr uint8_t nops[] = {0, 0, 0x80, 0xbf, 0, 0, 0x80, 0xbf};
  llvm::SmallVector<uint8_t, 32> bytes(form.bytes.begin(), form.bytes.end());
  bytes.append(std::begin(nops), std::end(nops));
  auto program =
      codeobject::decode(target, form.waveSize, {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()});
  if (!program)
    return llvm::toString(program.takeError());
  codeobject::Kernel kernel;
  constexpr unsigned vgprs = 512;
  kernel.firstAgpr = vgprs / 2;
  std::unique_ptr<Code> code = predecode(**program, target, form.waveSize, kernel, vgprs);
  const std::string *why = refusalOf(code->ops.front());
  return why ? *why : "";
}

} // namespace

llvm::Expected<std::vector<InstructionFacts>> instructionSet(const Target &target) {
  auto forms = codeobject::sweepEncodings(target);
  if (!forms)
    return forms.takeError();
  std::vector<InstructionFacts> facts;
  for (SweptForm &form : *forms) {
    if (facts.empty() || facts.back().name != form.name)
      facts.push_back({form.name, classify(llvm::StringRef(form.name.data(), form.name.size()), form), {}, {}});
    facts.back().refusals.push_back(refusal(target, form));
    facts.back().forms.push_back(std::move(form));
  }
  return facts;
}

} // namespace wavewright::emulator
