//===- emulator/address_space.cpp - the device's virtual addresses --------------------------------===//
#include "wavewright/emulator/address_space.h"

#include <fmt/format.h>

#include <sys/mman.h>

namespace wavewright::emulator {

std::byte *mapPages(uint64_t bytes) {
  void *host =
      mmap(nullptr, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return host == MAP_FAILED ? nullptr : static_cast<std::byte *>(host);
}
void unmapPages(std::byte *host, uint64_t bytes) { munmap(host, bytes ? bytes : 1); }

AddressSpace::Impl::Allocation::~Allocation() {
  if (owned)
    unmapPages(extent.host, mappedBytes);
}

uint64_t AddressSpace::Impl::Table::reserve(uint64_t bytes, uint64_t alignment) {
  uint64_t step = std::max<uint64_t>(alignment, 0x1000);
  uint64_t address = (next + step - 1) / step * step;
  next = (address + bytes + Gap + 0xfff) & ~0xfffull;
  return address;
}

AddressSpace::Impl::Allocation &AddressSpace::Impl::Table::insert(uint64_t address, void *host, uint64_t bytes,
                                                                  std::string label, bool readOnly) {
  auto allocation = std::make_unique<Allocation>();
  allocation->label = std::move(label);
  allocation->extent = {address, bytes, static_cast<std::byte *>(host), &allocation->written, readOnly};
  return *(byAddress[address] = std::move(allocation));
}

const AddressSpace::Impl::Allocation *AddressSpace::Impl::Table::find(uint64_t address) const {
  auto after = byAddress.upper_bound(address);
  if (after == byAddress.begin())
    return nullptr;
  const Allocation &candidate = *std::prev(after)->second;
  return address - candidate.extent.address < candidate.extent.bytes ? &candidate : nullptr;
}

AddressSpace::AddressSpace() : implementation(std::make_unique<Impl>()) {}
AddressSpace::~AddressSpace() = default;

llvm::Expected<uint64_t> AddressSpace::allocate(uint64_t bytes, uint64_t alignment, std::string label) {
  constexpr uint64_t most = 1ull << 46;
  if (alignment == 0 || (alignment & (alignment - 1)))
    return fail(ErrorKind::Usage, fmt::format("an alignment of {} bytes is not a power of two", alignment));
  std::byte *host = bytes > most ? nullptr : mapPages(bytes);
  if (!host)
    return fail(ErrorKind::Launch, fmt::format("the built-in device could not get {} bytes of memory{}", bytes,
                                               label.empty() ? "" : " for " + label));
  uint64_t address = impl().table->reserve(bytes, alignment);
  Impl::Allocation &a = impl().table->insert(address, host, bytes, std::move(label), false);
  a.owned = true;
  a.mappedBytes = bytes;
  return address;
}

llvm::Expected<uint64_t> AddressSpace::wrap(void *host, uint64_t bytes, std::string label, bool readOnly) {
  if (!host && bytes)
    return fail(ErrorKind::Usage, fmt::format("a null pointer cannot be wrapped as {} bytes{}", bytes,
                                              label.empty() ? "" : " for " + label));
  // The device address keeps the host's alignment up to a page, so that misaligned arrays stay so.
  uint64_t within = reinterpret_cast<uintptr_t>(host) & 0xfff;
  uint64_t address = impl().table->reserve(bytes + within, 0x1000) + within;
  impl().table->insert(address, host, bytes, std::move(label), readOnly);
  return address;
}

llvm::Error AddressSpace::wrapInPlace(void *host, uint64_t bytes, std::string label, bool readOnly) {
  uint64_t address = reinterpret_cast<uintptr_t>(host);
  auto &allocations = impl().table->byAddress;
  auto next = allocations.lower_bound(address);
  bool covered = impl().table->find(address) || (next != allocations.end() && next->first - address < bytes);
  if (!host || covered)
    return fail(ErrorKind::Launch, fmt::format("{} bytes at 0x{:x} cannot be shared with the device: there is {}",
                                               bytes, address, host ? describe(address) : "no memory at 0"));
  impl().table->insert(address, host, bytes, std::move(label), readOnly);
  return llvm::Error::success();
}

llvm::Error AddressSpace::release(uint64_t address) {
  if (impl().table->byAddress.erase(address))
    return llvm::Error::success();
  return fail(ErrorKind::Usage, fmt::format("no allocation starts at 0x{:x}: {}", address, describe(address)));
}

std::byte *AddressSpace::translate(uint64_t address, uint64_t bytes) const {
  const Impl::Allocation *a = impl().table->find(address);
  if (!a || bytes > a->extent.bytes - (address - a->extent.address))
    return nullptr;
  return a->extent.host + (address - a->extent.address);
}

std::string AddressSpace::describe(uint64_t address) const {
  auto named = [](const Impl::Allocation &a) {
    return fmt::format("{} (0x{:x}, {} bytes)", a.label.empty() ? "an allocation" : a.label, a.extent.address,
                       a.extent.bytes);
  };
  if (const Impl::Allocation *a = impl().table->find(address))
    return fmt::format("byte {} of {}{}", address - a->extent.address, named(*a),
                       a->extent.readOnly ? ", which is read-only" : "");
  const Impl::Allocation *best = nullptr;
  uint64_t distance = ~0ull;
  for (const auto &[start, a] : impl().table->byAddress) {
    uint64_t away = address < start ? start - address : address - (start + a->extent.bytes);
    if (away < distance)
      distance = away, best = a.get();
  }
  if (!best)
    return "there are no live allocations";
  return address < best->extent.address ? fmt::format("{} bytes before {}", distance, named(*best))
                                        : fmt::format("{} bytes past the end of {}", distance, named(*best));
}

bool AddressSpace::written(uint64_t address) const {
  auto found = impl().table->byAddress.find(address);
  return found != impl().table->byAddress.end() && found->second->written.load(std::memory_order_relaxed);
}

void AddressSpace::clearWritten() {
  for (auto &[start, allocation] : impl().table->byAddress)
    allocation->written.store(false, std::memory_order_relaxed);
}

} // namespace wavewright::emulator
