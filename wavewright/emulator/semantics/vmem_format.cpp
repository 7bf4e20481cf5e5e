//===- emulator/semantics/vmem_format.cpp - typed buffer accesses ---------------------------------===//
//
// buffer_load_format_* take the element format from the descriptor, tbuffer_* from the instruction. An element is
// fetched whole, its components are converted to 32 bits (d16: to 16), and missing ones read (0, 0, 0, 1). Integers
// that a store's format cannot hold saturate; floats are rounded to nearest even.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/vmem.h"

#include <type_traits>

namespace wavewright::emulator::WAVEWRIGHT_SIMD {

namespace {

/// The numbers are those of gfx9's NUM_FORMAT.
enum class Number : uint8_t { Unorm = 0, Snorm = 1, Uscaled = 2, Sscaled = 3, Uint = 4, Sint = 5, Float = 7 };

/// Component widths from the least significant bit on. gfx9's DATA_FORMAT numbers them. [Vega ISA, table of data
/// formats]
struct Data {
  uint8_t components;
  uint8_t bits[4];
};
constexpr Data datas[] = {{0, {}},
                          {1, {8}},
                          {1, {16}},
                          {2, {8, 8}},
                          {1, {32}},
                          {2, {16, 16}},
                          {3, {11, 11, 10}}, // 10_11_11: named from the top
                          {3, {10, 11, 11}},
                          {4, {2, 10, 10, 10}},
                          {4, {10, 10, 10, 2}},
                          {4, {8, 8, 8, 8}},
                          {2, {32, 32}},
                          {4, {16, 16, 16, 16}},
                          {3, {32, 32, 32}},
                          {4, {32, 32, 32, 32}}};
constexpr unsigned DataCount = sizeof(datas) / sizeof(datas[0]);

/// gfx11 and gfx12 number the pairs of data and number format. [LLVM, BUF_FMT_* of gfx11]
struct Run {
  uint8_t data;
  const char *numbers; ///< of consecutive codes: u, s norm; U, S scaled; i, I unsigned and signed integer; f float
};
constexpr Run runs[] = {{0, "-"},       {1, "usUSiI"}, {2, "usUSiIf"},  {3, "usUSiI"}, {4, "iIf"},
                        {5, "usUSiIf"}, {6, "f"},      {7, "f"},        {8, "usiI"},   {9, "usUSiI"},
                        {10, "usUSiI"}, {11, "iIf"},   {12, "usUSiIf"}, {13, "iIf"},   {14, "iIf"}};

struct Format {
  const Data *data = nullptr; ///< null: none, reads 0 and drops stores
  Number number = Number::Float;
  unsigned bytes = 0;
};

Format formatOf(unsigned data, Number number) {
  Format f;
  if (data == 0 || data >= DataCount)
    return f;
  f.data = &datas[data];
  f.number = number;
  unsigned bits = 0;
  for (unsigned i = 0; i < f.data->components; ++i)
    bits += f.data->bits[i];
  f.bytes = bits / 8;
  return f;
}
Format gfx9Format(unsigned data, unsigned number) { return formatOf(data, Number(number)); }
Format gfx11Format(unsigned code) {
  for (const Run &run : runs)
    for (const char *n = run.numbers; *n; ++n)
      if (code-- == 0)
        return formatOf(run.data, *n == 'u'   ? Number::Unorm
                                  : *n == 's' ? Number::Snorm
                                  : *n == 'U' ? Number::Uscaled
                                  : *n == 'S' ? Number::Sscaled
                                  : *n == 'i' ? Number::Uint
                                  : *n == 'I' ? Number::Sint
                                              : Number::Float);
  return {};
}

bool isInteger(Number n) { return n == Number::Uint || n == Number::Sint; }

/// Floats of 10 and 11 bits have no sign: five bits of exponent, then the fraction.
float smallUnsigned(uint32_t x, unsigned bits) { return halfToFloat(x << (15 - bits)); }
uint32_t toSmallUnsigned(float x, unsigned bits) {
  if (isNan(x))
    return (1u << bits) - 1;
  if (x <= 0.0f || __builtin_signbit(x))
    return 0;
  // Rounded once, to the fraction that is left: halves have too few bits to go through.
  unsigned fraction = bits - 5;
  uint32_t word = bitsOf(x), infinity = 31u << fraction;
  int exponent = int(word >> 23) - 127;
  if (exponent > 15)
    return infinity;
  double scaled = double(x) * doubleOf(uint64_t(1023 + int(fraction) - (exponent < -14 ? -14 : exponent)) << 52);
  uint32_t units = uint32_t(__builtin_rint(scaled));
  uint32_t field = exponent < -14 ? units : units - (1u << fraction) + (uint32_t(exponent + 15) << fraction);
  return field > infinity ? infinity : field;
}

/// A component as 32 bits.
uint32_t fromComponent(uint32_t raw, unsigned bits, Number number) {
  uint32_t largest = bits == 32 ? ~0u : (1u << bits) - 1;
  int32_t value = bits == 32 ? int32_t(raw) : int32_t(raw << (32 - bits)) >> (32 - bits);
  switch (number) {
  case Number::Unorm:
    return bitsOf(float(double(raw) / double(largest)));
  case Number::Snorm: {
    float x = float(double(value) / double(largest >> 1));
    return bitsOf(x < -1.0f ? -1.0f : x);
  }
  case Number::Uscaled:
    return bitsOf(float(raw));
  case Number::Sscaled:
    return bitsOf(float(value));
  case Number::Uint:
    return raw;
  case Number::Sint:
    return uint32_t(value);
  default:
    return bits == 32 ? raw : bits == 16 ? bitsOf(halfToFloat(raw)) : bitsOf(smallUnsigned(raw, bits));
  }
}

int64_t roundBetween(double x, double low, double high) {
  return int64_t(__builtin_rint(x != x ? 0.0 : x < low ? low : x > high ? high : x));
}
uint32_t toComponent(uint32_t word, unsigned bits, Number number) {
  uint32_t largest = bits == 32 ? ~0u : (1u << bits) - 1;
  int64_t top = largest >> 1;
  double x = double(floatOf(word));
  switch (number) {
  case Number::Unorm:
    return uint32_t(roundBetween(x * largest, 0, largest));
  case Number::Snorm:
    return uint32_t(roundBetween(x * double(top), -double(top), double(top))) & largest;
  case Number::Uscaled:
    return uint32_t(roundBetween(__builtin_trunc(x), 0, largest));
  case Number::Sscaled:
    return uint32_t(roundBetween(__builtin_trunc(x), -double(top) - 1, double(top))) & largest;
  case Number::Uint:
    return word < largest ? word : largest;
  case Number::Sint: {
    int64_t value = int32_t(word);
    return uint32_t(value < -top - 1 ? -top - 1 : value > top ? top : value) & largest;
  }
  default:
    return bits == 32 ? word : bits == 16 ? floatToHalf(floatOf(word)) : toSmallUnsigned(floatOf(word), bits);
  }
}

/// What an instruction asks for; `prepare` packs it into MicroOp::imm.
struct Ask {
  bool typed, stores, half, high, lds;
  unsigned components;
  unsigned code; ///< typed: the instruction's format
};
int64_t pack(const Ask &a) {
  return a.typed | a.stores << 1 | a.half << 2 | a.high << 3 | a.components << 4 | a.lds << 7 | int64_t(a.code) << 8;
}
Ask unpack(int64_t x) {
  return {bool(x & 1),      bool(x >> 1 & 1),     bool(x >> 2 & 1), bool(x >> 3 & 1),
          bool(x >> 7 & 1), unsigned(x >> 4 & 7), unsigned(x >> 8)};
}

/// Where each of x, y, z, w comes from: 0 and 1 are constants, 4 to 7 components. Only untyped loads select.
unsigned selected(bool selects, uint32_t word3, unsigned i) { return selects ? word3 >> (3 * i) & 7 : 4 + i; }

uint32_t narrowHalf(uint32_t word, Number n) { return isInteger(n) ? word & 0xffffu : floatToHalf(floatOf(word)); }

void access(Context &c, Wave &w, const MicroOp &m) {
  uint64_t mask = w.exec();
  if (!mask)
    return;
  if (m.saddr.kind != Source::Kind::Scalar)
    return c.fail(w, m, "the buffer descriptor is not in scalar registers");
  Ask ask = unpack(m.imm);
  uint32_t word3 = w.sgpr[m.saddr.index + 3];
  bool gfx9 = c.target->isCdna();
  Format f =
      gfx9 ? (ask.typed ? gfx9Format(ask.code & 15, ask.code >> 4 & 7) : gfx9Format(word3 >> 15 & 15, word3 >> 12 & 7))
           : gfx11Format(ask.typed ? ask.code : word3 >> 12 & 63);
  BufferLanes b;
  b.inside = 0;
  // One without a format touches no memory: its loads give 0.
  if (f.data && !bufferLanes(c, w, m, f.bytes, mask, true, b))
    return;
  AccessKind kind = ask.stores ? AccessKind::Write : AccessKind::Read;
  for (uint64_t rest = ask.stores ? b.inside : mask; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    std::byte *host = nullptr;
    if (b.inside >> l & 1) {
      host = c.global(b.a.lane[l], f.bytes, kind);
      if (!host)
        return c.outside(w, m, Space::Global, kind, l, b.a.lane[l], f.bytes);
    }
    unsigned __int128 element = 0;
    if (ask.stores) {
      unsigned shift = 0;
      for (unsigned i = 0; i < f.data->components; ++i) {
        uint32_t word = 0;
        if (i < ask.components) {
          const Row *rows = w.vgpr + m.src[1].index;
          if (ask.half) {
            word = rows[i / 2].lane[l] >> (ask.high || i % 2 ? 16 : 0) & 0xffffu;
            if (!isInteger(f.number))
              word = bitsOf(halfToFloat(word));
            else if (f.number == Number::Sint)
              word = uint32_t(int32_t(int16_t(word)));
          } else {
            word = rows[i].lane[l];
          }
        }
        element |= (unsigned __int128)(toComponent(word, f.data->bits[i], f.number)) << shift;
        shift += f.data->bits[i];
      }
      __builtin_memcpy(host, &element, f.bytes);
      continue;
    }
    uint32_t words[8] = {0, isInteger(f.number) ? 1u : bitsOf(1.0f), 0, 0, 0, 0, 0, 0};
    words[7] = words[1];
    if (host) {
      __builtin_memcpy(&element, host, f.bytes);
      unsigned shift = 0;
      for (unsigned i = 0; i < f.data->components; ++i) {
        unsigned bits = f.data->bits[i];
        uint32_t raw = uint32_t(element >> shift) & (bits == 32 ? ~0u : (1u << bits) - 1);
        words[4 + i] = fromComponent(raw, bits, f.number);
        shift += bits;
      }
    } else { // outside: zeros, but the descriptor's constant 1 stays
      words[7] = 0;
    }
    if (ask.lds) {
      uint64_t address = (w.m0() & 0x3ffffu) + uint64_t(m.offset) + 4 * l;
      std::byte *to = c.shared(address, 4, AccessKind::Write);
      if (!to)
        return c.outside(w, m, Space::Lds, AccessKind::Write, l, address, 4);
      __builtin_memcpy(to, &words[selected(true, word3, 0)], 4);
      continue;
    }
    for (unsigned i = 0; i < ask.components; ++i) {
      uint32_t word = words[selected(!ask.typed, word3, i)];
      uint32_t &out = w.vgpr[m.dst + (ask.half ? i / 2 : i)].lane[l];
      if (!ask.half)
        out = word;
      else if (ask.high || i % 2)
        out = (out & 0xffffu) | narrowHalf(word, f.number) << 16;
      else
        out = (out & 0xffff0000u) | narrowHalf(word, f.number);
    }
  }
}

const char *prepareAccess(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  std::string_view name = i.name;
  Ask ask;
  ask.typed = name.starts_with("tbuffer");
  ask.stores = name.find("store") != std::string_view::npos;
  ask.half = name.find("d16") != std::string_view::npos;
  ask.lds = i.lds;
  ask.high = name.find("d16_hi") != std::string_view::npos;
  size_t last = name.rfind('_');
  ask.components = unsigned(name.size() - last - 1);
  ask.code = ask.typed ? unsigned(i.imm) : 0;
  m.imm = pack(ask);
  return nullptr;
}

constexpr Shape Address{Type::Raw, Type::None, {Type::Raw, Type::Raw, Type::Raw, Type::S32}};
#define ACCESS(NAME, CHIPS) {NAME, chips::CHIPS, access, Address, OpClass::Memory, nullptr, prepareAccess}
#define WIDTHS(PREFIX, CHIPS)                                                                                          \
  ACCESS(PREFIX "_x", CHIPS), ACCESS(PREFIX "_xy", CHIPS), ACCESS(PREFIX "_xyz", CHIPS), ACCESS(PREFIX "_xyzw", CHIPS)
#define BOTH(KIND)                                                                                                     \
  WIDTHS(KIND "_load_format", Any), WIDTHS(KIND "_store_format", Any), WIDTHS(KIND "_load_format_d16", Gfx9),          \
      WIDTHS(KIND "_store_format_d16", Gfx9), WIDTHS(KIND "_load_d16_format", Gfx11Up),                                \
      WIDTHS(KIND "_store_d16_format", Gfx11Up)

constexpr Semantics table[] = {
    BOTH("buffer"),
    BOTH("tbuffer"),
    ACCESS("buffer_load_format_d16_hi_x", Gfx9),
    ACCESS("buffer_store_format_d16_hi_x", Gfx9),
    ACCESS("buffer_load_d16_hi_format_x", Gfx11Up),
    ACCESS("buffer_store_d16_hi_format_x", Gfx11Up),
};

} // namespace
WAVEWRIGHT_FAMILY(formatFamily)

} // namespace wavewright::emulator::WAVEWRIGHT_SIMD
