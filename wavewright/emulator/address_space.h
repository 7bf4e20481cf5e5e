//===- emulator/address_space.h - the table behind AddressSpace -----------------------------------===//
#pragma once

#include "wavewright/emulator/context.h"

#include <map>
#include <memory>

namespace wavewright::emulator {

struct AddressSpace::Impl {
  struct Allocation {
    Extent extent;
    std::string label;
    std::atomic<bool> written{false};
    bool owned = false; ///< mapped here, unmapped on release
    uint64_t mappedBytes = 0;
    ~Allocation();
  };
  /// Shared with loaded modules, which release their segments even after the address space itself has gone.
  struct Table {
    std::map<uint64_t, std::unique_ptr<Allocation>> byAddress;
    uint64_t next = FirstAddress;

    /// A range that nothing else has, with unmapped space around it.
    uint64_t reserve(uint64_t bytes, uint64_t alignment);
    Allocation &insert(uint64_t address, void *host, uint64_t bytes, std::string label, bool readOnly);
    const Allocation *find(uint64_t address) const;
  };
  /// Addresses below belong to the launch itself: kernel arguments, dispatch packet.
  static constexpr uint64_t FirstAddress = 0x1000000000, Gap = 0x10000;

  std::shared_ptr<Table> table = std::make_shared<Table>();
};

/// Zeroed host pages, or null.
std::byte *mapPages(uint64_t bytes);
void unmapPages(std::byte *host, uint64_t bytes);

} // namespace wavewright::emulator
