//===- emulator/machine.cpp - the built-in device, top to bottom ----------------------------------===//
//
//   load      copy the segments of a code object into device memory, apply relocations
//   predecode instructions to micro-ops, once a kernel                      (predecode.cpp)
//   launch    check the sizes, lay out arguments and registers (entry.cpp), run the groups (scheduler.cpp)
//
// What an instruction does stands in semantics/, one file a family; how a row of a table becomes a micro-op is told in
// micro_op.h.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/machine.h"

#include "wavewright/emulator/address_space.h"
#include "wavewright/emulator/launch_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mutex>

namespace wavewright::emulator {

struct LoadedModule::Impl {
  std::shared_ptr<const codeobject::CodeObject> object;
  std::shared_ptr<AddressSpace::Impl::Table> table;
  uint64_t loadBias = 0;
  std::byte *image = nullptr;
  uint64_t imageBytes = 0, firstAddress = 0;
  std::vector<uint64_t> segments; ///< device addresses

  std::mutex mutex;
  std::map<uint64_t, std::unique_ptr<Code>> kernels; ///< by entry address

  const Code &code(const codeobject::Kernel &kernel, unsigned vgprs) {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<Code> &slot = kernels[kernel.entryAddress];
    if (!slot)
      slot = predecode(object->program(kernel), object->target(), kernel.waveSize, kernel, vgprs);
    return *slot;
  }

  ~Impl() {
    if (table)
      for (uint64_t address : segments)
        table->byAddress.erase(address);
    if (image)
      unmapPages(image, imageBytes);
  }
};

LoadedModule::LoadedModule() : implementation(std::make_unique<Impl>()) {}
LoadedModule::~LoadedModule() = default;
const codeobject::CodeObject &LoadedModule::object() const { return *impl().object; }

// Load -----------------------------------------------------------------------------------------------

namespace {

/// ELF relocation types of AMDGPU that a loaded code object can carry (AMDGPUUsage, "Relocation Records").
enum RelocationType : uint32_t { None = 0, Absolute64 = 3, Absolute32 = 6, Relative64 = 13 };

llvm::Error relocate(const LoadedModule::Impl &m) {
  for (const codeobject::Relocation &r : m.object->relocations()) {
    unsigned bytes = r.type == Absolute32 ? 4 : 8;
    uint64_t at = r.address - m.firstAddress, value;
    if (at > m.imageBytes || bytes > m.imageBytes - at)
      return fail(ErrorKind::Usage,
                  fmt::format("{}: a relocation at 0x{:x} lies outside of the segments", m.object->name(), r.address));
    switch (r.type) {
    case None:
      continue;
    case Absolute64:
    case Absolute32:
      if (!r.symbol.empty() && !r.symbolAddress)
        return fail(ErrorKind::Launch, fmt::format("{}: the symbol {} is not defined in this code object; link the "
                                                   "code that defines it",
                                                   m.object->name(), r.symbol));
      value = m.loadBias + r.symbolAddress + uint64_t(r.addend);
      break;
    case Relative64:
      value = m.loadBias + uint64_t(r.addend);
      break;
    default:
      return fail(ErrorKind::Usage, fmt::format("{}: relocation type {} at 0x{:x} is none that a loaded code object "
                                                "can have",
                                                m.object->name(), r.type, r.address));
    }
    std::memcpy(m.image + at, &value, bytes);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::shared_ptr<LoadedModule>> LoadedModule::load(AddressSpace &memory,
                                                                 std::shared_ptr<const codeobject::CodeObject> object) {
  if (!object->target().emulated)
    return fail(ErrorKind::Launch,
                fmt::format("{}: the built-in device does not have {}", object->name(), object->target().name));
  uint64_t first = ~0ull, last = 0;
  for (const codeobject::Segment &s : object->segments()) {
    first = std::min(first, s.address);
    last = std::max(last, s.address + s.memorySize);
  }
  if (first > last)
    first = last = 0;
  constexpr uint64_t page = 0x1000, most = 1ull << 32;
  first &= ~(page - 1);
  std::byte *image = last - first > most ? nullptr : mapPages(last - first);
  if (!image)
    return fail(ErrorKind::Launch,
                fmt::format("{}: its segments need {} bytes of device memory, which could not be had", object->name(),
                            last - first));

  std::shared_ptr<LoadedModule> module(new LoadedModule());
  Impl &m = module->impl();
  m.object = std::move(object);
  m.table = memory.impl().table;
  m.image = image;
  m.imageBytes = last - first;
  m.firstAddress = first;
  m.loadBias = m.table->reserve(m.imageBytes, page) - first;
  for (const codeobject::Segment &s : m.object->segments()) {
    if (!s.memorySize)
      continue;
    std::memcpy(image + (s.address - first), s.bytes.data(), std::min<uint64_t>(s.bytes.size(), s.memorySize));
    m.table->insert(m.loadBias + s.address, image + (s.address - first), s.memorySize,
                    fmt::format("{} of {}",
                                s.executable ? "code"
                                : s.writable ? "global variables"
                                             : "constants",
                                m.object->name()),
                    !s.writable);
    m.segments.push_back(m.loadBias + s.address);
  }
  if (llvm::Error error = relocate(m))
    return std::move(error);
  return module;
}

llvm::Expected<uint64_t> LoadedModule::global(std::string_view name, uint64_t *bytes) const {
  std::vector<std::string_view> known;
  for (const codeobject::Symbol &s : impl().object->symbols()) {
    if (!s.object || s.name.ends_with(".kd"))
      continue;
    if (s.name == name) {
      if (bytes)
        *bytes = s.size;
      return impl().loadBias + s.address;
    }
    known.push_back(s.name);
  }
  return fail(ErrorKind::Launch, known.empty() ? fmt::format("{} has no global variable {}: it has none at all",
                                                             impl().object->name(), name)
                                               : fmt::format("{} has no global variable {}; it has {}",
                                                             impl().object->name(), name, fmt::join(known, ", ")));
}

// Launch ---------------------------------------------------------------------------------------------

namespace {

llvm::Error launchError(const codeobject::Kernel &kernel, std::string message) {
  return fail(ErrorKind::Launch, fmt::format("kernel {}: {}", kernel.name, message), kernel.place);
}

llvm::Error checkSizes(const Target &target, const codeobject::Kernel &kernel, const LaunchConfig &config,
                       std::span<const std::byte> kernarg) {
  const Dim3 &grid = config.grid, &block = config.block;
  if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
    return launchError(kernel, fmt::format("a grid of {}x{}x{} work-groups of {}x{}x{} work-items has nothing to run; "
                                           "every extent is at least 1",
                                           grid.x, grid.y, grid.z, block.x, block.y, block.z));
  // The dispatch packet counts work-items in 32 bits along each dimension (HSA 1.2, hsa_kernel_dispatch_packet_t).
  const std::pair<uint32_t, uint32_t> extents[] = {{grid.x, block.x}, {grid.y, block.y}, {grid.z, block.z}};
  for (auto [groups, items] : extents)
    if (uint64_t(groups) * items > ~0u)
      return launchError(kernel, fmt::format("{} work-groups of {} work-items along one dimension are {} work-items, "
                                             "where a launch has at most {}; split the grid",
                                             groups, items, uint64_t(groups) * items, ~0u));
  uint64_t most =
      std::min<uint64_t>(kernel.maxWorkGroupSize ? kernel.maxWorkGroupSize : 1024, uint64_t(target.maxWorkGroupSize));
  if (block.count() > most || block.x > 1024 || block.y > 1024 || block.z > 1024)
    return launchError(
        kernel, fmt::format("{}x{}x{} = {} work-items a group, where {}", block.x, block.y, block.z, block.count(),
                            kernel.maxWorkGroupSize && kernel.maxWorkGroupSize < unsigned(target.maxWorkGroupSize)
                                ? fmt::format("the kernel was compiled for at most {}", most)
                                : fmt::format("{} has at most {}", target.name, most)));
  uint64_t lds = uint64_t(kernel.descriptor.groupSegmentBytes) + config.dynamicLdsBytes;
  if (lds > uint64_t(target.lds.bytesPerGroup))
    return launchError(kernel, fmt::format("{} bytes of LDS ({} of the kernel, {} dynamic), where a work-group of {} "
                                           "has at most {}",
                                           lds, kernel.descriptor.groupSegmentBytes, config.dynamicLdsBytes,
                                           target.name, target.lds.bytesPerGroup));
  uint64_t explicitBytes = 0;
  for (const codeobject::KernelArgument &a : kernel.arguments)
    if (!a.hidden())
      explicitBytes = std::max<uint64_t>(explicitBytes, uint64_t(a.offset) + a.size);
  uint64_t segment = std::max<uint64_t>(kernel.descriptor.kernargBytes, explicitBytes);
  if (kernarg.size() < explicitBytes || kernarg.size() > segment)
    return launchError(kernel, fmt::format("{} bytes of arguments were given; the kernel takes {} (its whole segment "
                                           "is {} bytes)",
                                           kernarg.size(), explicitBytes, segment));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<LaunchStatistics> launch(LoadedModule &module, AddressSpace &memory, const codeobject::Kernel &kernel,
                                        const LaunchConfig &config, std::span<const std::byte> kernarg,
                                        const LaunchOptions &options) {
  LoadedModule::Impl &m = module.impl();
  const Target &target = m.object->target();
  if (llvm::Error error = checkSizes(target, kernel, config, kernarg))
    return std::move(error);

  LaunchState l;
  l.target = &target;
  l.object = m.object.get();
  l.kernel = &kernel;
  l.memory = &memory;
  l.config = config;
  l.options = options;
  l.loadBias = m.loadBias;
  l.waveSize = kernel.waveSize;
  l.wavesPerGroup = unsigned((config.block.count() + l.waveSize - 1) / l.waveSize);
  l.vgprs = std::max({1u, kernel.allocatedVgprs, kernel.vgprs, kernel.firstAgpr + kernel.agprs});
  l.code = &m.code(kernel, l.vgprs);
  l.ldsBytes = kernel.descriptor.groupSegmentBytes + config.dynamicLdsBytes;
  // Recursion and indirect calls have no bound that the compiler knows; they get 16 KiB a lane.
  l.scratchBytes = (kernel.descriptor.privateSegmentBytes + (kernel.dynamicStack ? 16384u : 0u) + 3u) & ~3u;

  // Scalar loads fetch whole blocks: the segment is padded to one.
  size_t segment = std::max<size_t>(kernel.descriptor.kernargBytes, kernarg.size());
  l.kernarg.assign((segment + 63) / 64 * 64 + 64, std::byte(0));
  std::copy(kernarg.begin(), kernarg.end(), l.kernarg.begin());
  prepareLaunchMemory(l);
  LaunchStatistics statistics;
  if (llvm::Error error = runGroups(l, statistics))
    return std::move(error);
  return statistics;
}

} // namespace wavewright::emulator
