//===- emulator/semantics/vmem.h - global, flat, scratch and buffer accesses ----------------------===//
//
// An action (load two dwords, store a byte, ...) is written once, on lanes with host addresses; the four ways of
// naming memory lead to it. Private memory keeps the dwords of lanes side by side, so lanes there are staged.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/memory.h"

namespace wavewright::emulator::scalar_semantics {
/// The message for an access that does not lie in one element of a swizzled buffer.
std::string crossesElement(unsigned bytes, uint32_t offset, uint32_t element);
} // namespace wavewright::emulator::scalar_semantics

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

/// Lane addresses of a global or flat access.
void globalAddresses(Context &c, Wave &w, const MicroOp &m, Addresses &a);
/// Private offsets of a scratch access.
void scratchOffsets(Context &c, Wave &w, const MicroOp &m, Addresses &a);

/// A buffer access resolved against its descriptor.
struct BufferLanes {
  Addresses a;
  uint64_t inside = 0; ///< lanes that are wholly inside
  uint64_t partly = 0; ///< gfx9: lanes of which only the first dwords are inside
  uint8_t dwordsInside[MaxLanes];
};
/// False: the access is none that the descriptor allows; reported.
bool bufferLanes(Context &c, Wave &w, const MicroOp &m, unsigned bytes, uint64_t mask, bool allOrNothing,
                 BufferLanes &out);

/// Copies a lane's bytes out of or into private memory. False: outside, reported.
bool privateCopy(Context &c, Wave &w, const MicroOp &m, unsigned lane, uint64_t offset, std::byte *staged,
                 unsigned bytes, bool toPrivate);

/// Staged lanes: 16 bytes each.
struct alignas(64) Staging {
  std::byte bytes[MaxLanes * 16];
};
WAVEWRIGHT_INLINE Place stagedPlace(Staging &s, Addresses &a) {
  for (unsigned l = 0; l < MaxLanes; ++l)
    a.lane[l] = 16 * l;
  return Place{s.bytes, 0, false};
}

enum class FlatKind : uint8_t { Global, Shared, Private };
WAVEWRIGHT_INLINE FlatKind flatKind(uint64_t address) {
  uint32_t high = uint32_t(address >> 32);
  return high == Context::SharedAperture    ? FlatKind::Shared
         : high == Context::PrivateAperture ? FlatKind::Private
                                            : FlatKind::Global;
}
/// Lanes of a flat access by where they lead.
WAVEWRIGHT_INLINE void splitFlat(const Addresses &a, uint64_t mask, uint64_t &shared, uint64_t &priv) {
  shared = priv = 0;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    shared |= uint64_t(flatKind(a.lane[l]) == FlatKind::Shared) << l;
    priv |= uint64_t(flatKind(a.lane[l]) == FlatKind::Private) << l;
  }
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
