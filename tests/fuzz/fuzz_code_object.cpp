// Arbitrary bytes as a code object, and as a bare stream of every chip: errors are fine, crashes are not.
#include "wavewright/codeobject/gate.h"

using namespace wavewright;
using namespace wavewright::codeobject;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::ArrayRef<std::byte> bytes(reinterpret_cast<const std::byte *>(data), size);
  if (auto object = CodeObject::read(bytes, "fuzz")) {
    for (const Kernel &kernel : (*object)->kernels()) {
      const Program &program = (*object)->program(kernel);
      for (const Instruction &inst : program.instructions)
        (*object)->disassemble(inst.address);
      (*object)->place(kernel.entryAddress);
      ResourceReport report = resources(**object, kernel);
      llvm::consumeError(checkResources(report));
      formatReport(report);
      reportJson(report);
    }
  } else {
    llvm::consumeError(object.takeError());
  }
  constexpr size_t longestStream = 256;
  for (const Target *target : allTargets())
    for (unsigned waveSize : {32u, 64u})
      if (auto program = decode(*target, waveSize, bytes.take_front(longestStream)); !program)
        llvm::consumeError(program.takeError());
  return 0;
}
