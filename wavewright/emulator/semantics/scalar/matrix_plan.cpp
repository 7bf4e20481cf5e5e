//===- emulator/semantics/scalar/matrix_plan.cpp ---------------------------------------------------===//
#include "wavewright/emulator/semantics/scalar/matrix_plan.h"

#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace wavewright::emulator::matrix {
namespace {

/// "a_b_c" from the left, one field at a time.
std::string_view nextField(std::string_view &rest) {
  size_t end = rest.find('_');
  std::string_view field = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return field;
}

bool number(std::string_view text, unsigned &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool shape(std::string_view text, Name &name) {
  size_t first = text.find('x'), second = text.find('x', first + 1);
  return first != std::string_view::npos && second != std::string_view::npos && number(text.substr(0, first), name.m) &&
         number(text.substr(first + 1, second - first - 1), name.n) && number(text.substr(second + 1), name.k);
}

std::optional<Format> inputFormat(std::string_view text, Generation generation, bool isSigned) {
  bool fnuz = generation == Generation::Cdna3;
  if (text == "f64")
    return Format::F64;
  if (text == "f32")
    return Format::F32;
  if (text == "xf32")
    return Format::Xf32;
  if (text == "f16")
    return Format::F16;
  if (text == "bf16")
    return Format::Bf16;
  if (text == "fp8")
    return fnuz ? Format::Fp8Fnuz : Format::Fp8;
  if (text == "bf8")
    return fnuz ? Format::Bf8Fnuz : Format::Bf8;
  if (text == "i8")
    return Format::I8;
  if (text == "iu8")
    return isSigned ? Format::I8 : Format::U8;
  if (text == "iu4")
    return isSigned ? Format::I4 : Format::U4;
  return std::nullopt;
}

std::optional<Format> resultFormat(std::string_view text) {
  if (text == "f64")
    return Format::F64;
  if (text == "f32")
    return Format::F32;
  if (text == "f16")
    return Format::F16;
  if (text == "bf16")
    return Format::Bf16;
  if (text == "i32")
    return Format::I32;
  return std::nullopt;
}

/// A plan and the lines that it points into.
struct Storage {
  Plan plan;
  std::vector<Line> a, b, d;
};

/// cbsz and abid: of every 2^cbsz neighbouring blocks of A, all read block `abid`. [AMD matrix instruction calculator]
void broadcastA(std::vector<Line> &lines, unsigned blocks, unsigned cbsz, unsigned abid) {
  unsigned group = 1u << cbsz;
  if (group > blocks)
    return;
  for (size_t at = 0; at < lines.size(); at += blocks) {
    std::vector<Line> of(lines.begin() + at, lines.begin() + at + blocks);
    for (unsigned block = 0; block < blocks; ++block)
      lines[at + block] = of[(block & ~(group - 1)) + abid % group];
  }
}

struct Key {
  std::string name;
  Generation generation;
  unsigned wave;
  uint32_t modifiers;
  auto operator<=>(const Key &) const = default;
};

} // namespace

bool parseName(std::string_view text, Name &name) {
  std::string_view rest = text;
  if (nextField(rest) != "v")
    return false;
  std::string_view family = nextField(rest);
  name.sparse = family == "smfmac" || family == "swmmac";
  if (!name.sparse && family != "mfma" && family != "wmma")
    return false;
  name.family = family == "mfma" || family == "smfmac" ? Family::Mfma : Family::WmmaGfx11;
  name.result = nextField(rest);
  name.scaled = name.result == "scale";
  if (name.scaled)
    name.result = nextField(rest);
  if (!shape(nextField(rest), name))
    return false;
  name.a = nextField(rest);
  if (name.a.size() > 1 && name.a.back() == 'b' && number(name.a.substr(0, name.a.size() - 1), name.blocks))
    name.a = nextField(rest);
  name.b = rest.empty() ? name.a : nextField(rest);
  return !name.a.empty() && rest.empty();
}

/// Element formats of f8f6f4, as cbsz (of A) and blgp (of B) number them. [CDNA4 ISA, V_MFMA_F32_16X16X128_F8F6F4]
static std::optional<Format> chosenFormat(unsigned code) {
  static constexpr Format formats[] = {Format::Fp8, Format::Bf8, Format::Fp6, Format::Bf6, Format::Fp4};
  return code < std::size(formats) ? std::optional(formats[code]) : std::nullopt;
}

/// Where the index bits of a sparse form start: of an index register that holds several sets, cbsz = 0 lets abid pick
/// one, on gfx12 index_key does. [AMD matrix instruction calculator]
static unsigned indexStart(const codeobject::Instruction &instruction, bool cdna, unsigned bitsPerSet) {
  unsigned sets = 32 / std::min(bitsPerSet, 32u);
  unsigned set = cdna ? (instruction.cbsz ? 0u : instruction.abid) : unsigned(instruction.imm);
  return bitsPerSet * (set % sets);
}

const Plan *planFor(const codeobject::Instruction &instruction, const Target &target, const char *&why) {
  Name name;
  if (!parseName(instruction.name, name) || instruction.src.size() < 3 || instruction.dst.empty()) {
    why = "it is not one of the matrix instructions that the emulator has";
    return nullptr;
  }
  const codeobject::Operand &sa = instruction.src[0], &sb = instruction.src[1], &sc = instruction.src[2];
  bool free = name.a == "f8f6f4";
  std::optional<Format> a = free ? chosenFormat(instruction.cbsz) : inputFormat(name.a, target.generation, sa.neg);
  std::optional<Format> b = free ? chosenFormat(instruction.blgp) : inputFormat(name.b, target.generation, sb.neg);
  std::optional<Format> result = resultFormat(name.result);
  if (!a || !b || !result) {
    why = "the emulator lacks one of its element types";
    return nullptr;
  }

  bool cdna = target.isCdna();
  Geometry g;
  g.family = cdna ? Family::Mfma : target.generation == Generation::Rdna4 ? Family::WmmaGfx12 : Family::WmmaGfx11;
  g.m = name.m;
  g.n = name.n;
  g.k = name.k;
  g.blocks = name.blocks;
  g.inputBits = formatBits(*a);
  g.outputBits = formatBits(*result);
  // The wave size shows in the registers of D: 256 elements over 32 or 64 lanes, on gfx11 one to a register.
  unsigned perRegister = g.family == Family::WmmaGfx12 ? 32 / g.outputBits : 1;
  g.wave = cdna || instruction.dst[0].dwords * 64u * perRegister == g.m * g.n ? 64 : 32;

  bool integer = *result == Format::I32, isDouble = *a == Format::F64;
  Plan plan;
  plan.a = *a;
  plan.b = *b;
  plan.result = *result;
  plan.m = g.m;
  plan.n = g.n;
  plan.k = name.sparse ? g.k / 2 : g.k;
  plan.denseK = g.k;
  plan.blocks = g.blocks;
  plan.sparse = name.sparse;
  plan.scaled = name.scaled;
  plan.flops = 2ull * g.m * g.n * g.k * g.blocks;
  plan.registersC = instruction.dst[0].dwords;
  plan.clamp = instruction.clamp;
  Geometry ga = g, gb = g;
  ga.k = plan.k;
  gb.inputBits = formatBits(*b);
  gb.sparse = name.sparse;
  plan.registersB = gb.n * gb.k * gb.blocks * gb.inputBits / (32 * lanes(gb, Side::B));
  bool patterns = cdna && !isDouble && !free && !name.sparse;
  plan.patternB = patterns ? instruction.blgp : 0;
  if (name.sparse)
    plan.indexShift = indexStart(instruction, cdna, 2 * slots(ga, Side::A));
  if (name.scaled && instruction.src.size() >= 5) {
    auto byte = [](const codeobject::Operand &o) { return unsigned(o.opSel) | unsigned(o.opSelHi) << 1; };
    plan.scaleByteA = byte(instruction.src[3]);
    plan.scaleByteB = byte(instruction.src[4]);
  }
  plan.rule = integer                         ? Rule::Integer
              : cdna                          ? (isDouble || *a == Format::F32 ? Rule::FmaChain : Rule::CdnaFused)
              : g.family == Family::WmmaGfx12 ? Rule::Rdna4
                                              : Rule::Rdna3;
  bool highHalf = false;
  if (isDouble) { // blgp holds neg bits
    plan.negA = instruction.blgp & 1 || sa.neg;
    plan.negB = instruction.blgp & 2 || sb.neg;
    plan.negC = instruction.blgp & 4 || sc.neg;
  } else if (!cdna && !integer) {
    plan.negC = sc.neg;
    plan.absC = sc.negHi; // neg_hi of C is its absolute value
    if (g.inputBits == 16) {
      plan.flipA[0] = sa.neg ? 0x8000 : 0;
      plan.flipA[1] = sa.negHi ? 0x8000 : 0;
      plan.flipB[0] = sb.neg ? 0x8000 : 0;
      plan.flipB[1] = sb.negHi ? 0x8000 : 0;
    }
    highHalf = g.family == Family::WmmaGfx11 && g.outputBits == 16 && sc.opSel;
  }

  unsigned cbsz = patterns ? instruction.cbsz : 0;
  uint32_t modifiers = instruction.cbsz | instruction.abid << 3 | instruction.blgp << 7 | plan.clamp << 10 |
                       plan.absC << 11 | plan.negC << 12 | plan.negA << 13 | plan.negB << 14 | sa.neg << 15 |
                       sa.negHi << 16 | sb.neg << 17 | sb.negHi << 18 | highHalf << 19 | plan.indexShift << 20 |
                       plan.scaleByteA << 25 | plan.scaleByteB << 27;

  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<Storage>> plans;
  std::lock_guard lock(mutex);
  std::unique_ptr<Storage> &slot = plans[Key{std::string(instruction.name), target.generation, g.wave, modifiers}];
  if (slot)
    return &slot->plan;

  auto made = std::make_unique<Storage>();
  made->plan = plan;
  made->a = lines(ga, Side::A);
  made->b = lines(gb, Side::B);
  made->d = lines(g, Side::D);
  bool fits = plan.m * plan.n * plan.blocks <= MaxElements && plan.m * plan.k * plan.blocks <= MaxElements &&
              plan.n * plan.denseK * plan.blocks <= MaxElements;
  if (made->a.empty() || made->b.empty() || made->d.empty() || !fits) {
    why = "the emulator has no operand layout for its shape";
    plans.erase(Key{std::string(instruction.name), target.generation, g.wave, modifiers});
    return nullptr;
  }
  if (cbsz)
    broadcastA(made->a, g.blocks, cbsz, instruction.abid);
  for (unsigned lane = 0; lane < MaxLanes; ++lane)
    made->plan.lanesB[lane] = uint8_t(patternLane(plan.patternB, lane));
  if (highHalf)
    for (Line &line : made->d)
      line.shift = 16;
  made->plan.linesA = made->a.data();
  made->plan.linesB = made->b.data();
  made->plan.linesD = made->d.data();
  slot = std::move(made);
  return &slot->plan;
}

const char *prepareMatrix(const codeobject::Instruction &instruction, const Target &target, MicroOp &op) {
  const char *why = nullptr;
  const Plan *plan = planFor(instruction, target, why);
  if (!plan)
    return why;
  op.payload = uint64_t(reinterpret_cast<uintptr_t>(plan));
  if (plan->scaled) {
    if (instruction.src.size() < 5)
      return "its scales could not be told apart";
    const codeobject::Operand &scale = instruction.src[4];
    op.saddr.index = scale.index;
    op.saddr.constant = scale.constant;
    op.saddr.kind = scale.kind == codeobject::Operand::Kind::Vgpr     ? Source::Kind::Vgpr
                    : scale.kind == codeobject::Operand::Kind::Scalar ? Source::Kind::Scalar
                                                                      : Source::Kind::Constant;
  }
  return nullptr;
}

namespace {
const char *integerDot(MicroOp &op, bool signedA, bool signedB) {
  op.payload = uint64_t(signedA) | uint64_t(signedB) << 1;
  for (Source &source : op.src)
    source.modifiers &= ModDpp;
  return nullptr;
}
} // namespace

const char *prepareSignedDot(const codeobject::Instruction &, const Target &, MicroOp &op) {
  return integerDot(op, true, true);
}
const char *prepareUnsignedDot(const codeobject::Instruction &, const Target &, MicroOp &op) {
  return integerDot(op, false, false);
}
const char *prepareFlaggedDot(const codeobject::Instruction &instruction, const Target &, MicroOp &op) {
  return integerDot(op, instruction.src[0].neg, instruction.src[1].neg);
}
const char *preparePackedDot(const codeobject::Instruction &instruction, const Target &, MicroOp &) {
  for (unsigned i = 0; i < 2; ++i)
    if (instruction.src[i].neg || instruction.src[i].abs || instruction.src[i].negHi)
      return "the effect of sign modifiers on its packed sources is not known";
  return nullptr;
}

} // namespace wavewright::emulator::matrix
