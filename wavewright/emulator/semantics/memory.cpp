//===- emulator/semantics/memory.cpp - many lanes at one memory -----------------------------------===//
#include "wavewright/emulator/semantics/memory.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

bool locate(Context &c, Wave &w, const MicroOp &m, Space space, AccessKind kind, const Addresses &a, uint64_t mask,
            unsigned bytes, Place &place) {
  // The first lane's allocation usually holds all lanes; then one comparison a lane is enough.
  uint64_t first = a.lane[__builtin_ctzll(mask)];
  uint64_t extentBytes = c.ldsBytes;
  place.base = 0;
  if (space == Space::Lds) {
    place.host = c.shared(first, bytes, kind) ? c.lds : nullptr;
  } else {
    bool inside = c.global(first, bytes, kind) != nullptr;
    place.base = c.last.address;
    place.host = inside ? c.last.host : nullptr;
    extentBytes = c.last.bytes;
  }
  place.block = false;
  if (place.host) {
    uint64_t limit = extentBytes - bytes, outside = 0, apart = 0;
    if (mask == w.laneMask) {
      WAVEWRIGHT_LANES
      for (unsigned l = 0; l < w.lanes; ++l) {
        uint64_t within = a.lane[l] - place.base;
        outside |= within | (limit - within);
        apart |= a.lane[l] ^ (first + l * bytes);
      }
      place.block = apart == 0;
    } else {
      for (uint64_t rest = mask; rest; rest &= rest - 1) {
        uint64_t within = a.lane[__builtin_ctzll(rest)] - place.base;
        outside |= within | (limit - within);
      }
    }
    if (!(outside >> 63))
      return true;
  }
  // Lanes in several allocations: each is asked for by itself. Or outside: the first such lane is reported.
  place.host = space == Space::Lds ? c.lds : nullptr;
  place.block = false;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    std::byte *host = space == Space::Lds ? c.shared(a.lane[l], bytes, kind) : c.global(a.lane[l], bytes, kind);
    if (!host) {
      c.outside(w, m, space, kind, l, a.lane[l], bytes);
      return false;
    }
  }
  return true;
}

namespace {

using Vector4 = uint32_t __attribute__((ext_vector_type(4), aligned(4)));

/// Four lanes of four dwords each, turned from lane order to register order and back.
WAVEWRIGHT_INLINE void transpose(Vector4 &a, Vector4 &b, Vector4 &c, Vector4 &d) {
  Vector4 ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  Vector4 cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

template <class T> WAVEWRIGHT_INLINE T read(const std::byte *p) {
  T value;
  __builtin_memcpy(&value, p, sizeof(T));
  return value;
}
template <class T> WAVEWRIGHT_INLINE void write(std::byte *p, T value) { __builtin_memcpy(p, &value, sizeof(T)); }

void loadFull4(Wave &w, const Place &p, const Addresses &a, uint32_t *const *out) {
  for (unsigned l = 0; l < w.lanes; l += 4) {
    Vector4 v0 = read<Vector4>(p.at(a.lane[l])), v1 = read<Vector4>(p.at(a.lane[l + 1]));
    Vector4 v2 = read<Vector4>(p.at(a.lane[l + 2])), v3 = read<Vector4>(p.at(a.lane[l + 3]));
    transpose(v0, v1, v2, v3);
    __builtin_memcpy(out[0] + l, &v0, 16);
    __builtin_memcpy(out[1] + l, &v1, 16);
    __builtin_memcpy(out[2] + l, &v2, 16);
    __builtin_memcpy(out[3] + l, &v3, 16);
  }
}
void storeFull4(Wave &w, const Place &p, const Addresses &a, const uint32_t *const *in) {
  for (unsigned l = 0; l < w.lanes; l += 4) {
    Vector4 v0, v1, v2, v3;
    __builtin_memcpy(&v0, in[0] + l, 16);
    __builtin_memcpy(&v1, in[1] + l, 16);
    __builtin_memcpy(&v2, in[2] + l, 16);
    __builtin_memcpy(&v3, in[3] + l, 16);
    transpose(v0, v1, v2, v3);
    write(p.at(a.lane[l]), v0);
    write(p.at(a.lane[l + 1]), v1);
    write(p.at(a.lane[l + 2]), v2);
    write(p.at(a.lane[l + 3]), v3);
  }
}

} // namespace

void loadDwords(Context &c, Wave &w, const Place &p, const Addresses &a, uint64_t mask, unsigned row, unsigned dwords) {
  uint32_t *out[16];
  for (unsigned d = 0; d < dwords; ++d)
    out[d] = w.vgpr[row + d].lane;
  if (p.host && mask == w.laneMask) {
    if (dwords == 1 && p.block)
      __builtin_memcpy(out[0], p.at(a.lane[0]), w.lanes * 4);
    else if (dwords == 4)
      loadFull4(w, p, a, out);
    else if (dwords == 2)
      for (unsigned l = 0; l < w.lanes; ++l) {
        uint64_t v = read<uint64_t>(p.at(a.lane[l]));
        out[0][l] = uint32_t(v);
        out[1][l] = uint32_t(v >> 32);
      }
    else
      for (unsigned l = 0; l < w.lanes; ++l)
        for (unsigned d = 0; d < dwords; ++d)
          out[d][l] = read<uint32_t>(p.at(a.lane[l]) + 4 * d);
    return;
  }
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    const std::byte *host = laneHost(c, p, a.lane[l], 4 * dwords, AccessKind::Read);
    for (unsigned d = 0; d < dwords; ++d)
      out[d][l] = read<uint32_t>(host + 4 * d);
  }
}

void storeDwords(Context &c, Wave &w, const Place &p, const Addresses &a, uint64_t mask, const uint32_t *const *in,
                 unsigned dwords) {
  if (p.host && mask == w.laneMask) {
    if (dwords == 1 && p.block)
      __builtin_memcpy(p.at(a.lane[0]), in[0], w.lanes * 4);
    else if (dwords == 4)
      storeFull4(w, p, a, in);
    else
      for (unsigned l = 0; l < w.lanes; ++l)
        for (unsigned d = 0; d < dwords; ++d)
          write(p.at(a.lane[l]) + 4 * d, in[d][l]);
    return;
  }
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    std::byte *host = laneHost(c, p, a.lane[l], 4 * dwords, AccessKind::Write);
    for (unsigned d = 0; d < dwords; ++d)
      write(host + 4 * d, in[d][l]);
  }
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
