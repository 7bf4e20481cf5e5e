//===- emulator/semantics/memory.h - many lanes at one memory -------------------------------------===//
//
// An access goes: lane addresses -> `locate` (bounds, one allocation for all lanes where that is so) -> rows. Lanes
// with consecutive addresses are copied as one block.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/emulator/semantics/vector.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

struct alignas(64) Addresses {
  uint64_t lane[MaxLanes];
};

/// Where the lanes of an access lie on the host.
struct Place {
  std::byte *host = nullptr; ///< host address of device address `base`; null: each lane must be asked for by itself
  uint64_t base = 0;
  bool block = false; ///< all lanes of the wave are active and lie side by side in lane order

  std::byte *at(uint64_t address) const { return host + (address - base); }
};

/// Resolves the active lanes. False: reported, the wave has stopped.
bool locate(Context &c, Wave &w, const MicroOp &m, Space space, AccessKind kind, const Addresses &a, uint64_t mask,
            unsigned bytes, Place &place);

/// The host address of one lane that `locate` has seen to be inside.
WAVEWRIGHT_INLINE std::byte *laneHost(Context &c, const Place &p, uint64_t address, unsigned bytes, AccessKind kind) {
  return p.host ? p.at(address) : c.global(address, bytes, kind);
}

/// `dwords` registers from `row` on, of the lanes in `mask`.
void loadDwords(Context &c, Wave &w, const Place &p, const Addresses &a, uint64_t mask, unsigned row, unsigned dwords);
void storeDwords(Context &c, Wave &w, const Place &p, const Addresses &a, uint64_t mask, const uint32_t *const *rows,
                 unsigned dwords);

/// Loads below a dword: how the value enters the register.
enum class Narrow : uint8_t { U8, I8, U16, I16, LowU8, LowI8, Low16, HighU8, HighI8, High16 };
constexpr unsigned narrowBytes(Narrow n) {
  return n == Narrow::U16 || n == Narrow::I16 || n == Narrow::Low16 || n == Narrow::High16 ? 2 : 1;
}
WAVEWRIGHT_INLINE uint32_t enterNarrow(Narrow n, uint32_t value, uint32_t old) {
  switch (n) {
  case Narrow::U8:
  case Narrow::U16:
    return value;
  case Narrow::I8:
    return uint32_t(int32_t(int8_t(value)));
  case Narrow::I16:
    return uint32_t(int32_t(int16_t(value)));
  case Narrow::LowU8:
  case Narrow::Low16:
    return (old & 0xffff0000u) | value;
  case Narrow::LowI8:
    return (old & 0xffff0000u) | uint16_t(int16_t(int8_t(value)));
  case Narrow::HighU8:
  case Narrow::High16:
    return (old & 0xffffu) | value << 16;
  case Narrow::HighI8:
    return (old & 0xffffu) | uint32_t(uint16_t(int16_t(int8_t(value)))) << 16;
  }
  return value;
}
WAVEWRIGHT_INLINE uint32_t readNarrow(const std::byte *p, unsigned bytes) {
  uint32_t value = 0;
  __builtin_memcpy(&value, p, bytes == 1 ? 1 : 2);
  return bytes == 1 ? value & 0xffu : value & 0xffffu;
}

/// Loads and stores below a dword, of the lanes in `mask`.
template <Narrow N>
WAVEWRIGHT_INLINE void loadNarrowLanes(Context &c, Wave &w, const Place &p, const Addresses &a, uint64_t mask,
                                       uint32_t *out) {
  constexpr unsigned bytes = narrowBytes(N);
  if (p.host && mask == w.laneMask) {
    for (unsigned l = 0; l < w.lanes; ++l)
      out[l] = enterNarrow(N, readNarrow(p.at(a.lane[l]), bytes), out[l]);
    return;
  }
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    out[l] = enterNarrow(N, readNarrow(laneHost(c, p, a.lane[l], bytes, AccessKind::Read), bytes), out[l]);
  }
}
template <unsigned Bytes, bool High>
WAVEWRIGHT_INLINE void storeNarrowLanes(Context &c, Wave &w, const Place &p, const Addresses &a, uint64_t mask,
                                        const uint32_t *data) {
  if (p.host && mask == w.laneMask) {
    for (unsigned l = 0; l < w.lanes; ++l) {
      uint32_t value = data[l] >> (High ? 16 : 0);
      __builtin_memcpy(p.at(a.lane[l]), &value, Bytes);
    }
    return;
  }
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    uint32_t value = data[l] >> (High ? 16 : 0);
    __builtin_memcpy(laneHost(c, p, a.lane[l], Bytes, AccessKind::Write), &value, Bytes);
  }
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
