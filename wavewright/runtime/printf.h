//===- runtime/printf.h - what kernels print ------------------------------------------------------===//
//
// A kernel compiled with -mprintf-kind=buffered, or from OpenCL C, appends one record for each call of printf to a
// buffer whose address is the hidden argument hidden_printf_buffer: two dwords (bytes used, bytes there are), then the
// records. The formats stand in the metadata, as the list amdhsa.printf. Two kinds of record exist:
//
//   HIP       dword: bit 0 stderr, bit 1 the format is in the metadata, bits 31:2 bytes of the record; then the low
//   half
//             of the format's MD5, or the format itself; then 8 bytes an argument, or a string padded to 8
//             (llvm/lib/Transforms/Utils/AMDGPUEmitPrintf.cpp)
//   OpenCL C  dword: the id in the metadata, which lists the bytes of each argument
//             (llvm/lib/Target/AMDGPU/AMDGPUPrintfRuntimeBinding.cpp)
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/machine.h"

namespace wavewright::runtime {

/// The text of the records, in their order. A record that cannot be read ends it with a line that says so.
emulator::PrintedText formatPrintf(llvm::ArrayRef<std::byte> records, llvm::ArrayRef<std::string> formats);

/// The buffer of one launch; none when the kernel does not print.
class PrintfBuffer {
public:
  /// Sets `options.printfBuffer` when the kernel has the hidden argument.
  static llvm::Expected<PrintfBuffer> create(emulator::AddressSpace &memory, const codeobject::Kernel &kernel,
                                             emulator::LaunchOptions &options);
  PrintfBuffer(PrintfBuffer &&other);
  ~PrintfBuffer();
  /// Appends to `printed`, or writes to stdout and stderr where it is null.
  void show(llvm::ArrayRef<std::string> formats, emulator::PrintedText *printed) const;

private:
  PrintfBuffer(emulator::AddressSpace *memory, uint64_t address) : memory(memory), address(address) {}
  emulator::AddressSpace *memory;
  uint64_t address; ///< 0: none
};

} // namespace wavewright::runtime
