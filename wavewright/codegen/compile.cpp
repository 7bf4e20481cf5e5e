//===- codegen/compile.cpp - the way of a kernel --------------------------------------------------===//

#include "wavewright/codegen/compile.h"

#include "wavewright/codegen/stages.h"
#include "wavewright/ir/hk.h"
#include "wavewright/ir/rocke.h"
#include "wavewright/passes/passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"

#include "llvm/Transforms/Utils/Cloning.h"

#include <fmt/format.h>

#include <chrono>

namespace wavewright::codegen {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<hk::HkDialect, rocke::RockeDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::ROCDL::ROCDLDialect,
                  mlir::scf::SCFDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerROCDLDialectTranslation(registry);
}

namespace {

/// One run of the stages below, in the order of run().
class Compilation {
public:
  Compilation(mlir::ModuleOp module, const CompileOptions &options)
      : module(module), options(options), errors(module.getContext()) {}

  llvm::Expected<Compiled> run() {
    if (llvm::Error error = prepare())
      return error;
    if (llvm::Error error = stage("tiles", [&] { return rewrite("tiles", passes::buildTilePipeline); }))
      return error;
    if (llvm::Error error = stage("rocke", [&] { return rewrite("rocke", passes::buildTileLowering); }))
      return error;
    if (llvm::Error error = stage("llvm-dialect", [&] { return rewrite("llvm-dialect", passes::buildLaneLowering); }))
      return error;
    if (llvm::Error error = stage("translate", [&] { return translate(); }))
      return error;
    if (llvm::Error error = stage("optimise", [&] { return optimiseIr(); }))
      return error;
    if (llvm::Error error = makeObject())
      return error;
    if (spilledVgprs() && options.opt > 0)
      if (llvm::Error error = tryFewerRegisters())
        return error;
    if (llvm::Error error = stage("gate", [&] { return gate(); }))
      return error;
    return std::move(result);
  }

private:
  llvm::Error makeObject() {
    if (llvm::Error error = stage("emit", [&] { return emitObject(); }))
      return error;
    if (llvm::Error error = stage("link", [&] { return linkObject(); }))
      return error;
    return stage("read", [&] { return readBack(); });
  }

  llvm::Error prepare();
  llvm::Error rewrite(llvm::StringRef name, void (*build)(mlir::OpPassManager &));
  llvm::Error translate();
  llvm::Error optimiseIr();
  llvm::Error emitObject();
  llvm::Error linkObject();
  llvm::Error readBack();
  unsigned spilledVgprs() const;
  llvm::Error tryFewerRegisters();
  llvm::Error gate();

  /// What a kernel said of itself, or the options of it.
  struct KernelFacts {
    SourcePlace place;
    unsigned maxVgprs = 0; ///< 0: no limit
    int minOccupancy = 0;
  };
  llvm::Error check(const codeobject::ResourceReport &report, const KernelFacts &facts);

  /// Times a stage and keeps a crash inside it from ending the process.
  llvm::Error stage(llvm::StringRef name, llvm::function_ref<llvm::Error()> work);
  void dump(llvm::StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> print);

  mlir::ModuleOp module;
  const CompileOptions &options;
  MlirErrors errors;
  const Target *target = nullptr;
  llvm::TargetMachine *machine = nullptr;
  KernelPlaces places;
  std::map<std::string, KernelFacts> kernels;
  // In this order: the module must go before its context.
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> ir;
  Bytes object;
  Compiled result;
};

llvm::Error Compilation::stage(llvm::StringRef name, llvm::function_ref<llvm::Error()> work) {
  auto start = std::chrono::steady_clock::now();
  bool finished = false;
  llvm::Error error = guarded(name, [&] {
    llvm::Error inner = work();
    finished = true;
    return inner;
  });
  if (!finished) { // a crash: whatever LLVM was working on is left where it is
    (void)ir.release();
    (void)context.release();
    forgetMachines();
  }
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  auto known = llvm::find_if(result.stages, [&](const codeobject::StageTime &s) { return s.name == name; });
  if (known != result.stages.end())
    known->milliseconds += took.count(); // a second try
  else
    result.stages.push_back({name.str(), took.count()});
  return error;
}

void Compilation::dump(llvm::StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (!options.keepIr)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(stream);
  result.dumps.push_back({name.str(), std::move(text)});
}

llvm::Error Compilation::prepare() {
  if (options.opt < 0 || options.opt > 3)
    return fail(ErrorKind::Usage, fmt::format("opt is {}; the levels are 0 to 3", options.opt));
  mlir::FailureOr<const Target *> chip = rocke::targetOf(module);
  if (mlir::failed(chip))
    return errors.take(ErrorKind::Usage, "the module names no chip");
  target = *chip;
  dump("hk", [&](llvm::raw_ostream &os) { module.print(os); });

  module.walk([&](mlir::func::FuncOp function) {
    SourcePlace place = placeOf(function.getLoc());
    places.emplace(function.getSymName().str(), place);
    bool tiles = function->hasAttr(hk::KernelAttr);
    if (!tiles && !function->hasAttr(rocke::KernelAttr))
      return;
    // An option outdoes what the kernel says of itself.
    auto limit = [&](std::optional<int> option, llvm::StringRef name) -> int {
      if (option)
        function->setAttr(name, mlir::Builder(module.getContext()).getI32IntegerAttr(*option));
      auto said = function->getAttrOfType<mlir::IntegerAttr>(name);
      return said ? said.getInt() : 0;
    };
    KernelFacts &facts = kernels[function.getSymName().str()];
    facts.place = place;
    facts.maxVgprs = limit(options.maxVgprs, tiles ? hk::MaxVgprsAttr : "rocke.max_vgprs");
    facts.minOccupancy = limit(options.minOccupancy, tiles ? hk::MinOccupancyAttr : "rocke.min_occupancy");
  });
  if (kernels.empty())
    return fail(ErrorKind::Usage, fmt::format("the module has no kernel: none of its functions has {} or {}",
                                              std::string_view(hk::KernelAttr), std::string_view(rocke::KernelAttr)));
  return llvm::Error::success();
}

llvm::Error runPipeline(mlir::ModuleOp module, llvm::StringRef name, void (*build)(mlir::OpPassManager &),
                        MlirErrors &errors) {
  mlir::PassManager pm(module.getContext(), mlir::ModuleOp::getOperationName());
  build(pm);
  if (mlir::failed(mlir::verify(module)) || mlir::failed(pm.run(module)))
    return errors.take(ErrorKind::Verify,
                       fmt::format("stage {} refused the module without saying why", std::string_view(name)));
  return llvm::Error::success();
}

llvm::Error Compilation::rewrite(llvm::StringRef name, void (*build)(mlir::OpPassManager &)) {
  if (llvm::Error error = runPipeline(module, name, build, errors))
    return error;
  dump(name, [&](llvm::raw_ostream &os) { module.print(os); });
  return llvm::Error::success();
}

llvm::Error Compilation::translate() {
  llvm::Expected<llvm::TargetMachine *> made = machineFor(*target, options.opt);
  if (!made)
    return made.takeError();
  machine = *made;
  if (options.debugInfo)
    if (llvm::Error error = addDebugScopes(module, options.sourceRoot, errors))
      return error;
  llvm::Expected<std::unique_ptr<llvm::Module>> translated = toLlvmIr(module, *context, *machine, errors);
  if (!translated)
    return translated.takeError();
  ir = std::move(*translated);
  return llvm::Error::success();
}

llvm::Error Compilation::optimiseIr() {
  LlvmErrors said(*context, places);
  if (llvm::Error error = optimise(*ir, *machine, options.opt))
    return error;
  dump("llvm", [&](llvm::raw_ostream &os) { ir->print(os, nullptr); });
  return said.take();
}

llvm::Error Compilation::emitObject() {
  LlvmErrors said(*context, places);
  auto make = [&](llvm::CodeGenFileType type) {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*ir); // the code generator changes what it is given
    return emit(*copy, *machine, type);
  };
  if (options.keepIr) {
    llvm::Expected<Bytes> text = make(llvm::CodeGenFileType::AssemblyFile);
    if (!text)
      return text.takeError();
    llvm::erase_if(result.dumps, [](const StageText &dump) { return dump.stage == "isa"; });
    dump("isa", [&](llvm::raw_ostream &os) { os << llvm::StringRef(text->data(), text->size()); });
  }
  llvm::Expected<Bytes> made = make(llvm::CodeGenFileType::ObjectFile);
  if (!made)
    return made.takeError();
  object = std::move(*made);
  return said.take();
}

unsigned Compilation::spilledVgprs() const {
  unsigned sum = 0;
  for (const codeobject::Kernel &kernel : result.object->kernels())
    sum += kernel.vgprSpills;
  return sum;
}

/// Where the usual order of instructions needs more registers than there are, LLVM's scheduler that minimises them may
/// not: with it a wave's 64x64 f32 tile through GELU on gfx1100 went from 168 spilled registers to none. It is slower
/// code where nothing spills, and now and then spills more; then the first object stands.
llvm::Error Compilation::tryFewerRegisters() {
  for (const codeobject::Kernel &kernel : result.object->kernels())
    if (kernel.vgprSpills)
      ir->getFunction(kernel.name)->addFnAttr("amdgpu-sched-strategy", "iterative-minreg");
  unsigned before = spilledVgprs();
  std::vector<std::byte> bytes = result.bytes;
  std::vector<StageText> dumps = result.dumps;
  std::shared_ptr<const codeobject::CodeObject> first = result.object;
  if (llvm::Error error = makeObject())
    return error;
  if (spilledVgprs() < before)
    return llvm::Error::success();
  result.bytes = std::move(bytes);
  result.dumps = std::move(dumps);
  result.object = std::move(first);
  return llvm::Error::success();
}

llvm::Error Compilation::linkObject() {
  llvm::Expected<std::vector<std::byte>> linked = link(object);
  if (!linked)
    return linked.takeError();
  result.bytes = std::move(*linked);
  return llvm::Error::success();
}

llvm::Error Compilation::readBack() {
  auto read = codeobject::CodeObject::read(result.bytes);
  if (!read)
    return read.takeError();
  result.object = std::move(*read);
  return llvm::Error::success();
}

llvm::Error Compilation::gate() {
  for (const codeobject::Kernel &kernel : result.object->kernels()) {
    codeobject::ResourceReport report = codeobject::resources(*result.object, kernel);
    const KernelFacts &facts = kernels[kernel.name];
    if (facts.place)
      report.place = facts.place;
    if (options.gate && options.opt > 0)
      if (llvm::Error error = check(report, facts))
        return error;
    if (!result.report.empty())
      result.report += "\n";
    result.report += codeobject::formatReport(report, result.stages);
    if (result.resources.kernel.empty())
      result.resources = std::move(report);
  }
  if (options.opt == 0)
    result.report += "\nCompiled at level 0: registers and spills were not checked.\n";
  return llvm::Error::success();
}

llvm::Error Compilation::check(const codeobject::ResourceReport &report, const KernelFacts &facts) {
  if (!report.undecodable.empty()) {
    const codeobject::UndecodableWord &first = report.undecodable.front();
    return fail(ErrorKind::Compile,
                fmt::format("LLVM wrote {} instructions that {} does not have; the first is {:#010x} in {} at {:#x}",
                            report.undecodable.size(), target->name, first.word, report.kernel, first.address),
                first.place ? first.place : report.place);
  }
  return codeobject::checkResources(report, {.maxVgprs = facts.maxVgprs, .minOccupancy = facts.minOccupancy});
}

} // namespace

llvm::Expected<Compiled> compile(mlir::ModuleOp module, const CompileOptions &options) {
  return Compilation(module, options).run();
}

llvm::Error runTilePasses(mlir::ModuleOp module) {
  MlirErrors errors(module.getContext());
  return guarded("tiles", [&] { return runPipeline(module, "tiles", passes::buildTilePipeline, errors); });
}

} // namespace wavewright::codegen
