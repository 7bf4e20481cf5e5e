//===- codegen/stages.h - from the LLVM dialect to machine code, step by step ---------------------===//
//
// Internal to the room; compile.cpp strings these together.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codegen/compile.h"
#include "wavewright/codegen/diagnostics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace wavewright::codegen {

/// LLVM's machine for a chip and an optimisation level: made once a thread, since making one takes longer than a small
/// compilation. forgetMachines() drops the thread's, after a crash.
llvm::Expected<llvm::TargetMachine *> machineFor(const Target &target, int opt);
void forgetMachines();

/// Gives every function of a module in the LLVM dialect a scope, so that its locations become line table rows. Files
/// under `sourceRoot` are named relative to it.
llvm::Error addDebugScopes(mlir::ModuleOp module, llvm::StringRef sourceRoot, MlirErrors &errors);

/// The LLVM module: triple and data layout of the machine, names of arguments, nothing that depends on the process. A
/// call of an intrinsic that this LLVM does not know is refused here: later it would be an undefined symbol.
llvm::Expected<std::unique_ptr<llvm::Module>> toLlvmIr(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                       llvm::TargetMachine &machine, MlirErrors &errors);

/// LLVM's pipeline for the level, with the target machine's own passes in it.
llvm::Error optimise(llvm::Module &module, llvm::TargetMachine &machine, int opt);

using Bytes = llvm::SmallVector<char, 0>;

/// The relocatable object, or the assembly text. Changes the module.
llvm::Expected<Bytes> emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type);

/// The shared object that a loader takes.
llvm::Expected<std::vector<std::byte>> link(llvm::ArrayRef<char> object);

} // namespace wavewright::codegen
