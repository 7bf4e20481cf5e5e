//===- codeobject/code_object.h - what a code object says, whoever made it ------------------------===//
#pragma once

#include "wavewright/codeobject/instruction.h"
#include "wavewright/support/error.h"
#include "wavewright/target/target.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace wavewright::codeobject {

/// One entry of .args in the metadata. `offset` and `size` in bytes inside the kernarg segment.
struct KernelArgument {
  std::string name;      ///< may be empty
  std::string valueKind; ///< "global_buffer", "by_value", "hidden_block_count_x", ...
  uint32_t offset = 0;
  uint32_t size = 0;
  bool hidden() const { return valueKind.rfind("hidden_", 0) == 0; }
};

/// The 64-byte kernel descriptor (llvm/Support/AMDHSAKernelDescriptor.h), taken apart.
struct KernelDescriptor {
  uint32_t groupSegmentBytes = 0, privateSegmentBytes = 0, kernargBytes = 0;
  int64_t entryOffset = 0; ///< from the descriptor's address
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0, kernargPreload = 0;
  unsigned userSgprs() const { return (rsrc2 >> 1) & 0x1f; }
  bool wave32() const { return properties & (1u << 10); }
};

struct Kernel {
  std::string name; ///< as launched: without ".kd"
  uint64_t descriptorAddress = 0, entryAddress = 0, codeSize = 0;
  KernelDescriptor descriptor;
  std::vector<KernelArgument> arguments;
  SourcePlace place; ///< first line of the kernel, when the object has a line table
  unsigned waveSize = 64;
  unsigned maxWorkGroupSize = 1024;
  // What the compiler recorded (metadata .vgpr_count and friends) ...
  unsigned vgprs = 0, agprs = 0, sgprs = 0;
  unsigned vgprSpills = 0, sgprSpills = 0;
  unsigned ldsBytes = 0, scratchBytes = 0;
  bool dynamicStack = false;
  // ... and what the descriptor makes the hardware allocate.
  unsigned allocatedVgprs = 0; ///< unified VGPR+AGPR on gfx90a and later CDNA
  unsigned firstAgpr = 0;      ///< index of a0 in the unified file; 0 where there is none
};

/// A decoded function body: instructions in address order, basic blocks by leader.
struct Program {
  std::vector<Instruction> instructions;
  std::vector<uint32_t> blocks; ///< index of the first instruction of each basic block, ascending
  /// Index of the instruction at an address, or -1.
  int64_t indexAt(uint64_t address) const;
};

/// A loadable segment or an allocated section: what a loader copies into device memory.
struct Segment {
  uint64_t address = 0, memorySize = 0;
  llvm::ArrayRef<std::byte> bytes; ///< file contents; the rest up to memorySize is zero
  bool executable = false, writable = false;
};

struct Symbol {
  std::string name;
  uint64_t address = 0, size = 0;
  bool function = false, object = false;
};

struct Relocation {
  uint64_t address = 0;
  uint32_t type = 0;
  std::string symbol;
  uint64_t symbolAddress = 0;
  int64_t addend = 0;
};

/// Immutable, from bytes; every error is a value (ErrorKind::Usage) that names the offset and what was expected there.
class CodeObject {
public:
  static llvm::Expected<std::shared_ptr<const CodeObject>> read(llvm::ArrayRef<std::byte> bytes,
                                                                std::string name = "<memory>");
  ~CodeObject();

  const Target &target() const;
  unsigned abiVersion() const;     ///< code object version 4, 5, 6
  const std::string &name() const; ///< file name or "<memory>"
  llvm::ArrayRef<std::byte> bytes() const;
  llvm::ArrayRef<Kernel> kernels() const;
  /// The error lists the kernels that there are.
  llvm::Expected<const Kernel *> kernel(std::string_view name) const;
  llvm::ArrayRef<Segment> segments() const;
  llvm::ArrayRef<Symbol> symbols() const;
  llvm::ArrayRef<Relocation> relocations() const;
  /// The list amdhsa.printf of the metadata: "id:count:sizes...:format", or "0:0:hash,format" from HIP.
  llvm::ArrayRef<std::string> printfFormats() const;

  /// From DWARF line tables, inlined frames resolved to the innermost; empty when unknown.
  SourcePlace place(uint64_t address) const;
  /// Decodes the executable code reachable by the kernel: its own function symbol, and other function
  /// symbols of the object (device functions), in address order. Decoded once, then cached; thread-safe.
  /// An undecodable word is an Instruction with Encoding::Unknown and size 4, never an error.
  const Program &program(const Kernel &kernel) const;
  /// One line of disassembly as LLVM prints it, for messages and `inspect -d`.
  std::string disassemble(uint64_t address) const;

private:
  struct Storage;
  explicit CodeObject(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage;
};

/// Decodes a bare stream for a chip; `base` is the address of its first byte. The same decoder as program().
/// waveSize 0 means the chip's native one.
llvm::Expected<std::shared_ptr<const Program>> decode(const Target &target, unsigned waveSize,
                                                      llvm::ArrayRef<std::byte> code, uint64_t base = 0);

/// The line of disassembly at `address` in a bare stream whose first byte is at `base`; empty outside of it.
std::string disassemble(const Target &target, unsigned waveSize, llvm::ArrayRef<std::byte> code, uint64_t base,
                        uint64_t address);

} // namespace wavewright::codeobject
