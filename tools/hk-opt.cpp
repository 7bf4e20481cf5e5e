//===- tools/hk-opt.cpp - mlir-opt with the hk and rocke dialects and their passes ----------------===//

#include "wavewright/ir/hk.h"
#include "wavewright/ir/rocke.h"
#include "wavewright/passes/passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<wavewright::hk::HkDialect, wavewright::rocke::RockeDialect>();
  mlir::registerAllPasses();
  wavewright::passes::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "hk-opt: the hk and rocke dialects\n", registry));
}
