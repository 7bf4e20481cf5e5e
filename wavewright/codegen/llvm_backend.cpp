//===- codegen/llvm_backend.cpp - LLVM's optimiser and code generator -----------------------------===//

#include "wavewright/codegen/stages.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"

#include <fmt/format.h>

#include <mutex>

namespace wavewright::codegen {

using MachineKey = std::pair<const Target *, int>;
static thread_local std::map<MachineKey, std::unique_ptr<llvm::TargetMachine>> machines;

static const llvm::Target *amdgpu(std::string &problem) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser(); // for inline assembly
  });
  return llvm::TargetRegistry::lookupTarget(llvm::Triple("amdgcn-amd-amdhsa"), problem);
}

llvm::Expected<llvm::TargetMachine *> machineFor(const Target &target, int opt) {
  std::unique_ptr<llvm::TargetMachine> &machine = machines[{&target, opt}];
  if (machine)
    return machine.get();
  std::string problem;
  const llvm::Target *factory = amdgpu(problem);
  if (!factory)
    return fail(ErrorKind::Compile, "this LLVM has no AMDGPU target: " + problem);
  static constexpr llvm::CodeGenOptLevel levels[] = {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
                                                     llvm::CodeGenOptLevel::Default, llvm::CodeGenOptLevel::Aggressive};
  machine.reset(factory->createTargetMachine(llvm::Triple("amdgcn-amd-amdhsa"), target.name, /*Features=*/"", {},
                                             llvm::Reloc::PIC_, std::nullopt, levels[opt]));
  return machine.get();
}

void forgetMachines() {
  for (auto &[key, machine] : machines)
    machine.release(); // a crash may have left it half way through something: not even destroyed
  machines.clear();
}

llvm::Error optimise(llvm::Module &module, llvm::TargetMachine &machine, int opt) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine); // registers the machine's callbacks
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  static const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                                   llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::ModulePassManager passes =
      opt == 0 ? builder.buildO0DefaultPipeline(levels[0]) : builder.buildPerModuleDefaultPipeline(levels[opt]);
  // At level 0 nothing else finds out that a kernel needs no hidden arguments.
  if (opt == 0)
    if (llvm::Error error = builder.parsePassPipeline(passes, "amdgpu-attributor"))
      return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

llvm::Expected<Bytes> emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type) {
  Bytes bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return fail(ErrorKind::Compile, "LLVM's AMDGPU target emits no such file");
  passes.run(module);
  return bytes;
}

} // namespace wavewright::codegen
