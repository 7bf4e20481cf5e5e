//===- runtime/arguments.h - the arguments of a launch as bytes -----------------------------------===//
//
// The metadata of a code object says where each argument lies in the kernarg segment and how large it is. Everything
// that a caller hands over is held against it here, for every device alike, before anything runs.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/runtime/device.h"

namespace wavewright::runtime {

/// The explicit arguments of a kernel, in order; hidden ones are the device's to fill.
std::vector<const codeobject::KernelArgument *> explicitArguments(const codeobject::Kernel &kernel);

/// "argument 2 (n)", or "argument 2" when the metadata has no name for it. Arguments count from 0.
std::string argumentLabel(const codeobject::Kernel &kernel, size_t index);

/// The explicit part of the kernarg segment. An object without argument metadata gets its arguments one after the
/// other, each at its natural alignment. The error (LaunchError) names the argument, the size that the kernel expects
/// and the size that was given.
llvm::Expected<std::vector<std::byte>> packArguments(const codeobject::Kernel &kernel,
                                                     std::span<const Argument> arguments);

/// Refuses (LaunchError) empty extents, a block over the kernel's or the chip's limit, and more LDS than a work-group
/// can have.
llvm::Error checkLaunch(const Target &target, const codeobject::Kernel &kernel, const LaunchConfig &config);

/// A number of `size` bytes: floats become f16, f32 or f64. The error (LaunchError) says what does not fit.
llvm::Expected<Argument> integerArgument(int64_t value, uint64_t size, const std::string &label);
llvm::Expected<Argument> floatArgument(double value, uint64_t size, const std::string &label);

/// A number as the command line spells it. Without a prefix it has `size` bytes (0: the kernel does not say, then 4)
/// and is a float when it has a point or an exponent; i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 before a colon
/// override both, and "bytes:00ff" gives raw bytes. The error is a UsageError.
llvm::Expected<Argument> parseArgument(llvm::StringRef text, uint64_t size, const std::string &label);

/// "8,4" -> {8, 4, 1}. The error is a UsageError that names `option`.
llvm::Expected<Dim3> parseExtents(llvm::StringRef text, llvm::StringRef option);

} // namespace wavewright::runtime
