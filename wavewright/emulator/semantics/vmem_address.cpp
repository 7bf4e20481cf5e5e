//===- emulator/semantics/vmem_address.cpp - where vector memory instructions point ---------------===//
#include "wavewright/emulator/semantics/vmem.h"

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

void globalAddresses(Context &c, Wave &w, const MicroOp &m, Addresses &a) {
  uint64_t offset = uint64_t(m.offset);
  if (m.saddr.kind == Source::Kind::Scalar) {
    // The 32-bit offset is zero-extended: the compiler only folds a zext into this form.
    uint64_t base = w.pair(m.saddr.index) + offset;
    const uint32_t *v = m.src[0].kind == Source::Kind::Vgpr ? w.vgpr[m.src[0].index].lane : nullptr;
    if (v)
      eachLane(w, [&](size_t l) __attribute__((always_inline)) { a.lane[l] = base + v[l]; });
    else
      eachLane(w, [&](size_t l) __attribute__((always_inline)) { a.lane[l] = base; });
    return;
  }
  const uint32_t *low = w.vgpr[m.src[0].index].lane, *high = w.vgpr[m.src[0].index + 1].lane;
  eachLane(w,
           [&](size_t l) __attribute__((always_inline)) { a.lane[l] = (uint64_t(high[l]) << 32 | low[l]) + offset; });
}

void scratchOffsets(Context &c, Wave &w, const MicroOp &m, Addresses &a) {
  uint32_t base = uint32_t(m.offset) + (m.saddr.kind == Source::Kind::Scalar ? w.sgpr[m.saddr.index] : 0);
  const uint32_t *v = m.src[0].kind == Source::Kind::Vgpr ? w.vgpr[m.src[0].index].lane : nullptr;
  for (unsigned l = 0; l < w.lanes; ++l)
    a.lane[l] = base + (v ? v[l] : 0u);
}

bool privateCopy(Context &c, Wave &w, const MicroOp &m, unsigned lane, uint64_t offset, std::byte *staged,
                 unsigned bytes, bool toPrivate) {
  AccessKind kind = toPrivate ? AccessKind::Write : AccessKind::Read;
  if (offset > w.scratchBytes || bytes > w.scratchBytes - offset) {
    c.outside(w, m, Space::Private, kind, lane, offset, bytes);
    return false;
  }
  for (unsigned done = 0; done < bytes;) {
    unsigned inDword = unsigned((offset + done) & 3), n = 4 - inDword;
    n = n < bytes - done ? n : bytes - done;
    auto *host = reinterpret_cast<std::byte *>(w.scratch + ((offset + done) / 4) * MaxLanes + lane) + inDword;
    if (toPrivate)
      __builtin_memcpy(host, staged + done, n);
    else
      __builtin_memcpy(staged + done, host, n);
    done += n;
  }
  return true;
}

namespace {

/// The parts of a buffer descriptor that matter here (chips.md 5.1 in words: base 48 bits, stride 14, records 32).
struct Descriptor {
  uint64_t base;
  uint32_t stride, records, word1, word3;
};

Descriptor readDescriptor(const Wave &w, unsigned index) {
  const uint32_t *s = w.sgpr + index;
  return {s[0] | uint64_t(s[1] & 0xffffu) << 32, s[1] >> 16 & 0x3fffu, s[2], s[1], s[3]};
}

/// A swizzled buffer interleaves `indexStride` records, an element of each beside the next. [RDNA3 ISA, 9.1.5.2]
struct Swizzle {
  uint32_t element = 0; ///< bytes; 0: the buffer is linear
  uint32_t indexStride = 0;

  uint64_t place(uint32_t record, uint32_t offset, uint32_t stride) const {
    uint64_t group = record / indexStride, inGroup = record % indexStride;
    return (group * stride + uint64_t(offset / element) * element) * indexStride + inGroup * element + offset % element;
  }
};

/// gfx9 has one bit and elements of four bytes; later chips name the size: 1 four bytes, 3 sixteen.
Swizzle readSwizzle(const Descriptor &d, bool gfx9) {
  static constexpr uint32_t elements[] = {0, 4, 8, 16};
  return {gfx9 ? (d.word1 >> 31 & 1) * 4 : elements[d.word1 >> 30 & 3], 8u << (d.word3 >> 21 & 3)};
}

} // namespace

bool bufferLanes(Context &c, Wave &w, const MicroOp &m, unsigned bytes, uint64_t mask, bool allOrNothing,
                 BufferLanes &out) {
  if (m.saddr.kind != Source::Kind::Scalar)
    return c.fail(w, m, "the buffer descriptor is not in scalar registers"), false;
  Descriptor d = readDescriptor(w, m.saddr.index);
  bool gfx9 = c.target->isCdna();
  Swizzle swizzle = readSwizzle(d, gfx9);
  bool addTid = d.word3 >> 23 & 1;
  if (addTid && gfx9)
    d.stride |= (d.word3 >> 15 & 0xf) << 14; // DATA_FORMAT gives the upper bits

  uint32_t soffset = m.src[3].kind == Source::Kind::None ? 0 : scalarOperand(c, w, m, 3);
  const uint32_t *index = nullptr, *offset = nullptr;
  if (m.idxen)
    index = w.vgpr[m.src[0].index].lane;
  if (m.offen)
    offset = w.vgpr[m.src[0].index + (m.idxen ? 1 : 0)].lane;
  unsigned select = d.word3 >> 28 & 3;
  bool formatless = !gfx9 && (d.word3 >> 12 & 0x3f) == 0; // gfx11, gfx12: FORMAT 0 reads 0 and drops stores
  out.inside = out.partly = 0;
  // Raw buffers, as compilers make them: one comparison a lane.
  if (!m.idxen && (gfx9 || select == 3) && !formatless && !swizzle.element && !addTid) {
    uint64_t origin = d.base + soffset, inside = 0;
    int64_t lastStart = int64_t(d.records) - int64_t(bytes) - int64_t(soffset);
    for (unsigned base = 0; base < w.lanes; base += 32) {
      uint32_t bits = 0;
      for (unsigned l = 0; l < 32; ++l) {
        uint32_t within = (offset ? offset[base + l] : 0) + uint32_t(m.offset);
        out.a.lane[base + l] = origin + within;
        bits |= uint32_t(int64_t(within) <= lastStart) << l;
      }
      inside |= uint64_t(bits) << base;
    }
    out.inside = inside & mask;
    if (out.inside == mask || allOrNothing || !gfx9 || bytes <= 4)
      return true;
  }
  out.inside = 0;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    uint32_t within = (offset ? offset[l] : 0) + uint32_t(m.offset);
    uint32_t record = (index ? index[l] : 0) + (addTid ? l : 0);
    if (swizzle.element) {
      if (within % swizzle.element + bytes > swizzle.element)
        return c.fail(w, m, scalar_semantics::crossesElement(bytes, within, swizzle.element), int(l)), false;
      out.a.lane[l] = d.base + soffset + swizzle.place(record, within, d.stride);
    } else {
      out.a.lane[l] = d.base + soffset + uint64_t(record) * d.stride + within;
    }
    uint64_t end = uint64_t(within) + soffset;
    bool inside;
    if (gfx9) {
      if (addTid && !m.idxen) {
        inside = true;
      } else if (m.idxen && d.stride) {
        inside = record < d.records;
      } else {
        inside = end + bytes <= d.records;
        uint64_t dwords = end >= d.records ? 0 : (d.records - end) / 4;
        if (!inside && dwords && !allOrNothing && bytes > 4) {
          out.dwordsInside[l] = uint8_t(dwords);
          out.partly |= 1ull << l;
        }
      }
    } else {
      switch (select) {
      case 0:
        inside = record < d.records && (!d.stride || uint64_t(within) + bytes <= d.stride);
        break;
      case 1:
        inside = record < d.records;
        break;
      case 2:
        inside = d.records != 0;
        break;
      default:
        inside =
            swizzle.element ? record < d.records && uint64_t(within) + bytes <= d.stride : end + bytes <= d.records;
        break;
      }
      inside = inside && !formatless;
    }
    out.inside |= uint64_t(inside) << l;
  }
  return true;
}

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
