#include "wavewright/codeobject/sweep.h"
#include "wavewright/codeobject/decoder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <array>
#include <map>

namespace wavewright::codeobject {
namespace {

/// What surrounds the opcode field in one form of an encoding.
struct Variant {
  std::string_view form;
  uint32_t words[4]; ///< the first is combined with the encoding and the opcode
};

struct Family {
  uint32_t encoding;       ///< the bits that name the major encoding
  unsigned shift, opcodes; ///< place of the opcode field, and how many values belong to this encoding
  llvm::ArrayRef<Variant> variants;
};

// Registers are multiples of eight, which satisfies every alignment rule. Vector: v8 result, v24, v16, v32 sources;
// scalar: s16 result, s8 and s24 sources.
constexpr uint32_t vgpr = 256, literalCode = 255, dpp16Code = 250, dpp8Code = 233, sdwaCode = 249;
constexpr uint32_t vdst = 8, va = 24, vb = 16, vc = 32, sa = 8, sb = 24, sdst = 16;
constexpr uint32_t literal = 0x12345678;
constexpr uint32_t dpp16Word = va | 0x151u << 8 | 0xffu << 24; // row_share:1, which 64-bit moves of gfx9 have too
constexpr uint32_t dpp8Word = va | 0x53977u << 8;
constexpr uint32_t sdwaWord = va | 6u << 8 | 6u << 16 | 6u << 24, sdwaCompareWord = va | 6u << 16 | 6u << 24;

// Scalar encodings are alike on all generations.
constexpr Variant sop2[] = {{"", {sdst << 16 | sb << 8 | sa}},
                            {"literal", {sdst << 16 | sb << 8 | literalCode, literal}}};
constexpr Variant sopk[] = {
    {"", {sdst << 16 | 1, literal}}}; // for the register accesses: one bit of hwreg(HW_REG_MODE)
constexpr Variant sop1[] = {{"", {sdst << 16 | sa}}, {"literal", {sdst << 16 | literalCode, literal}}};
constexpr Variant sopc[] = {{"", {sb << 8 | sa}}, {"literal", {sb << 8 | literalCode, literal}}};
constexpr Variant sopp[] = {{"", {0}}, {"", {1}}};

constexpr Variant smem9[] = {{"imm", {1u << 17 | sdst << 6 | sa / 2, 16}},
                             {"sgpr", {sdst << 6 | sa / 2, sb}},
                             {"sgpr imm", {1u << 17 | 1u << 14 | sdst << 6 | sa / 2, sb << 25 | 16}}};
constexpr uint32_t null11 = 124;
constexpr Variant smem11[] = {{"imm", {sdst << 6 | sa / 2, null11 << 25 | 16}},
                              {"sgpr imm", {sdst << 6 | sa / 2, sb << 25 | 16}}};

constexpr Variant vop1[] = {{"e32", {vdst << 17 | vgpr | va}},
                            {"e32", {0}},
                            {"literal", {vdst << 17 | literalCode, literal}},
                            {"dpp16", {vdst << 17 | dpp16Code, dpp16Word}},
                            {"dpp8", {vdst << 17 | dpp8Code, dpp8Word}},
                            {"sdwa", {vdst << 17 | sdwaCode, sdwaWord}}};
constexpr Variant vop2[] = {{"e32", {vdst << 17 | vb << 9 | vgpr | va, literal}}, // the literal of fmaak and fmamk
                            {"literal", {vdst << 17 | vb << 9 | literalCode, literal}},
                            {"dpp16", {vdst << 17 | vb << 9 | dpp16Code, dpp16Word}},
                            {"dpp8", {vdst << 17 | vb << 9 | dpp8Code, dpp8Word}},
                            {"sdwa", {vdst << 17 | vb << 9 | sdwaCode, sdwaWord}}};
constexpr Variant vopc[] = {{"e32", {vb << 9 | vgpr | va}},
                            {"literal", {vb << 9 | literalCode, literal}},
                            {"dpp16", {vb << 9 | dpp16Code, dpp16Word}},
                            {"dpp8", {vb << 9 | dpp8Code, dpp8Word}},
                            {"sdwa", {vb << 9 | sdwaCode, sdwaCompareWord}}};

constexpr uint32_t sources(uint32_t s0, uint32_t s1, uint32_t s2) { return s2 << 18 | s1 << 9 | s0; }
constexpr uint32_t threeVectors = sources(vgpr | va, vgpr | vb, vgpr | vc);
constexpr uint32_t bothAccumulators = 3u << 27; // MFMA: A and B in AGPRs, otherwise op_sel_hi of packed operations
constexpr Variant vop3Gfx9[] = {{"e64", {vdst, threeVectors}},
                                {"e64", {vdst, sources(vgpr | va, vgpr | vb, 0)}},
                                {"e64", {vdst, sources(vgpr | va, 0, 0)}},
                                {"e64", {vdst, sources(vgpr | va, sb, 0)}},
                                {"e64", {vdst, sources(sa, sb, 0)}},
                                {"e64", {vdst, sources(0, 0, 0)}},
                                {"e64 agpr", {vdst | 1u << 15, threeVectors | bothAccumulators}},
                                {"e64 agpr", {vdst | 1u << 15, sources(vgpr | va, 0, 0)}},
                                {"e64 agpr", {vdst, sources(vgpr | va, 0, 0) | bothAccumulators}}};
constexpr uint32_t opSelHi2 = 1u << 14, opSelHi = 3u << 27; // as packed operations and gfx12's WMMA have them
constexpr Variant vop3pGfx11[] = {
    {"e64", {vdst | opSelHi2, threeVectors | opSelHi}},
    {"e64", {vdst | opSelHi2, sources(vgpr | va, vgpr | vb, 0) | opSelHi}},
    {"e64", {vdst, threeVectors}},
    {"e64 dpp16", {vdst, sources(dpp16Code, vgpr | vb, vgpr | vc), dpp16Word}},
    {"e64 dpp8", {vdst, sources(dpp8Code, vgpr | vb, vgpr | vc), dpp8Word}},
    {"e64 literal", {vdst | opSelHi2, sources(vgpr | va, vgpr | vb, literalCode) | opSelHi, literal}}};
constexpr Variant vop3Gfx11[] = {{"e64", {vdst, threeVectors}},
                                 {"e64", {vdst, sources(vgpr | va, vgpr | vb, 0)}},
                                 {"e64", {vdst, sources(vgpr | va, 0, 0)}},
                                 {"e64", {vdst, sources(vgpr | va, sb, 0)}},
                                 {"e64", {vdst, sources(vgpr | va, sb, sa)}},
                                 {"e64", {vdst, sources(sa, sb, 0)}},
                                 {"e64", {vdst, sources(0, 0, 0)}},
                                 {"e64 literal", {vdst, sources(vgpr | va, vgpr | vb, literalCode), literal}},
                                 {"e64 literal", {vdst, sources(literalCode, vgpr | vb, 0), literal}},
                                 {"e64 literal", {vdst, sources(literalCode, 0, 0), literal}},
                                 {"e64 dpp16", {vdst, sources(dpp16Code, vgpr | vb, vgpr | vc), dpp16Word}},
                                 {"e64 dpp16", {vdst, sources(dpp16Code, vgpr | vb, sa), dpp16Word}},
                                 {"e64 dpp16", {vdst, sources(dpp16Code, vgpr | vb, 0), dpp16Word}},
                                 {"e64 dpp16", {vdst, sources(dpp16Code, 0, 0), dpp16Word}},
                                 {"e64 dpp8", {vdst, sources(dpp8Code, vgpr | vb, vgpr | vc), dpp8Word}},
                                 {"e64 dpp8", {vdst, sources(dpp8Code, vgpr | vb, sa), dpp8Word}},
                                 {"e64 dpp8", {vdst, sources(dpp8Code, vgpr | vb, 0), dpp8Word}},
                                 {"e64 dpp8", {vdst, sources(dpp8Code, 0, 0), dpp8Word}}};
/// gfx950: v_mfma_ld_scale_b32 and the MFMA that it belongs to are one instruction of four words.
constexpr Variant mfmaScale[] = {{"scale", {0, sources(vgpr | 48, vgpr | 56, 0), 0xd3ad0840u, threeVectors}},
                                 {"scale", {0, sources(vgpr | 48, vgpr | 56, 0), 0xd3ae0840u, threeVectors}}};

// X writes an even register and Y an odd one; sources of the two lie in different banks.
constexpr Variant vopd[] = {
    {"vopd", {17u << 9 | vgpr | 25, uint32_t(vdst << 24) | 4u << 17 | vb << 9 | vgpr | va, literal}}};
constexpr Variant vinterp[] = {{"", {vdst, threeVectors}}};
constexpr Variant ldsDirect[] = {{"", {vdst}}};

// Fields that an LDS operation does not use must be 0, so the uses are tried one after the other.
constexpr uint32_t dsAddress = vdst, dsData = vb << 8, dsData1 = va << 16, dsResult = vc << 24;
constexpr uint32_t dsUses[] = {dsAddress | dsData | dsData1 | dsResult,
                               dsAddress | dsData | dsData1,
                               dsAddress | dsData | dsResult,
                               dsAddress | dsData,
                               dsAddress | dsResult,
                               dsAddress,
                               dsData | dsResult,
                               dsData,
                               dsResult,
                               0};
template <uint32_t gds>
constexpr auto dsVariants = [] {
  std::array<Variant, 2 * std::size(dsUses)> variants{};
  for (size_t i = 0; i < std::size(dsUses); ++i) {
    variants[i] = {"", {0, dsUses[i]}};
    variants[std::size(dsUses) + i] = gds ? Variant{"gds", {gds, dsUses[i]}} : variants[i];
  }
  return variants;
}();
constexpr auto ds9 = dsVariants<1u << 16>, ds11 = dsVariants<1u << 17>, ds12 = dsVariants<0>;

constexpr uint32_t flatWord = vc << 24 | vb << 8 | vdst;
constexpr uint32_t off9 = 0x7fu << 16, some9 = sa << 16;
constexpr Variant flat9[] = {{"flat", {0, flatWord}},
                             {"flat rtn", {1u << 16, flatWord}},
                             {"global", {2u << 14, flatWord | off9}},
                             {"global rtn", {2u << 14 | 1u << 16, flatWord | off9}},
                             {"global saddr", {2u << 14, flatWord | some9}},
                             {"global saddr rtn", {2u << 14 | 1u << 16, flatWord | some9}},
                             {"scratch off", {1u << 14, flatWord | off9}},
                             {"scratch saddr", {1u << 14, flatWord | some9}},
                             {"scratch vaddr", {1u << 14 | 1u << 13, flatWord | off9}},
                             {"scratch vaddr saddr", {1u << 14 | 1u << 13, flatWord | some9}}};
constexpr uint32_t off11 = null11 << 16, some11 = sa << 16, sve11 = 1u << 23, glc11 = 1u << 14;
constexpr Variant flat11[] = {{"flat", {0, flatWord | off11}},
                              {"flat rtn", {glc11, flatWord | off11}},
                              {"global", {2u << 16, flatWord | off11}},
                              {"global rtn", {2u << 16 | glc11, flatWord | off11}},
                              {"global saddr", {2u << 16, flatWord | some11}},
                              {"global saddr rtn", {2u << 16 | glc11, flatWord | some11}},
                              {"scratch off", {1u << 16, flatWord | off11}},
                              {"scratch saddr", {1u << 16, flatWord | some11}},
                              {"scratch vaddr", {1u << 16, flatWord | off11 | sve11}},
                              {"scratch vaddr saddr", {1u << 16, flatWord | some11 | sve11}}};
constexpr uint32_t flatData12 = vb << 23 | vc, rtn12 = 1u << 20, sve12 = 1u << 17;
constexpr Variant flat12[] = {{"flat", {null11, flatData12, vdst}},
                              {"flat rtn", {null11, flatData12 | rtn12, vdst}},
                              {"global", {2u << 24 | null11, flatData12, vdst}},
                              {"global rtn", {2u << 24 | null11, flatData12 | rtn12, vdst}},
                              {"global saddr", {2u << 24 | sa, flatData12, vdst}},
                              {"global saddr rtn", {2u << 24 | sa, flatData12 | rtn12, vdst}},
                              {"scratch off", {1u << 24 | null11, flatData12, vdst}},
                              {"scratch saddr", {1u << 24 | sa, flatData12, vdst}},
                              {"scratch vaddr", {1u << 24 | null11, flatData12 | sve12, vdst}},
                              {"scratch vaddr saddr", {1u << 24 | sa, flatData12 | sve12, vdst}}};

// Buffers: offset from an immediate, an offset register, an index register, both; returning; to LDS.
constexpr uint32_t bufferWord = sb << 24 | sa / 4 << 16 | vb << 8 | vdst;
constexpr uint32_t offen9 = 1u << 12, idxen9 = 1u << 13, sc0 = 1u << 14, lds9 = 1u << 16;
constexpr Variant mubuf9[] = {{"off", {0, bufferWord}},
                              {"offen", {offen9, bufferWord}},
                              {"idxen", {idxen9, bufferWord}},
                              {"offen idxen", {offen9 | idxen9, bufferWord}},
                              {"off rtn", {sc0, bufferWord}},
                              {"offen rtn", {sc0 | offen9, bufferWord}},
                              {"idxen rtn", {sc0 | idxen9, bufferWord}},
                              {"offen idxen rtn", {sc0 | offen9 | idxen9, bufferWord}},
                              {"off lds", {lds9, bufferWord}},
                              {"offen lds", {lds9 | offen9, bufferWord}},
                              {"idxen lds", {lds9 | idxen9, bufferWord}},
                              {"offen idxen lds", {lds9 | offen9 | idxen9, bufferWord}}};
constexpr uint32_t format9 = 7u << 23 | 4u << 19; // NUM_FORMAT float, DATA_FORMAT 32
constexpr Variant mtbuf9[] = {{"off", {format9, bufferWord}},
                              {"offen", {format9 | offen9, bufferWord}},
                              {"idxen", {format9 | idxen9, bufferWord}},
                              {"offen idxen", {format9 | offen9 | idxen9, bufferWord}}};
constexpr uint32_t offen11 = 1u << 22, idxen11 = 1u << 23;
constexpr Variant mubuf11[] = {{"off", {0, bufferWord}},
                               {"offen", {0, bufferWord | offen11}},
                               {"idxen", {0, bufferWord | idxen11}},
                               {"offen idxen", {0, bufferWord | offen11 | idxen11}},
                               {"off rtn", {glc11, bufferWord}},
                               {"offen rtn", {glc11, bufferWord | offen11}},
                               {"idxen rtn", {glc11, bufferWord | idxen11}},
                               {"offen idxen rtn", {glc11, bufferWord | offen11 | idxen11}}};
constexpr uint32_t format11 = 22u << 19; // 32 float
constexpr Variant mtbuf11[] = {{"off", {format11, bufferWord}},
                               {"offen", {format11, bufferWord | offen11}},
                               {"idxen", {format11, bufferWord | idxen11}},
                               {"offen idxen", {format11, bufferWord | offen11 | idxen11}}};
constexpr uint32_t buffer12 = 22u << 23 | sa << 9 | vb, offen12 = 1u << 30, idxen12 = 1u << 31;
constexpr Variant vbuffer12[] = {{"off", {sb, buffer12, vdst}},
                                 {"offen", {sb, buffer12 | offen12, vdst}},
                                 {"idxen", {sb, buffer12 | idxen12, vdst}},
                                 {"offen idxen", {sb, buffer12 | offen12 | idxen12, vdst}},
                                 {"off rtn", {sb, buffer12 | rtn12, vdst}},
                                 {"offen rtn", {sb, buffer12 | rtn12 | offen12, vdst}},
                                 {"idxen rtn", {sb, buffer12 | rtn12 | idxen12, vdst}},
                                 {"offen idxen rtn", {sb, buffer12 | rtn12 | offen12 | idxen12, vdst}}};

constexpr uint32_t imageWord = sb / 4 << 21 | sa / 4 << 16 | vb << 8 | vdst;
constexpr uint32_t imageWord11 = sb / 4 << 26 | sa / 4 << 16 | vb << 8 | vdst;
constexpr uint32_t noSampler = sa / 4 << 16 | vb << 8 | vdst;
constexpr Variant image9[] = {{"", {1u << 8, imageWord}}, {"", {15u << 8, imageWord}}};
constexpr Variant image11[] = {{"", {1u << 8, noSampler}},
                               {"", {15u << 8, noSampler}},
                               {"", {1u << 8, imageWord11}},
                               {"", {15u << 8, imageWord11}},
                               {"", {15u << 8 | 1u << 2, imageWord11}},
                               {"", {15u << 8 | 1, imageWord11, 0x18181818}},
                               {"", {15u << 8 | 1 | 1u << 15, imageWord11, 0x18181818}}};
constexpr Variant image12[] = {{"", {1u << 22, sa << 9 | vb, 0x18181818}},
                               {"", {15u << 22, sa << 9 | vb, 0x18181818}},
                               {"", {1u << 22, sb << 23 | sa << 9 | vb, 0x18181818}},
                               {"", {15u << 22, sb << 23 | sa << 9 | vb, 0x18181818}},
                               {"", {15u << 22 | 1, sb << 23 | sa << 9 | vb, 0x18181818}}};
constexpr Variant exportWords[] = {{"", {0xf, 0x18181818}}};

// Major encodings: ISA guides of CDNA3, CDNA4, RDNA3, RDNA3.5 and RDNA4, "Microcode formats".
constexpr Family common[] = {
    {0x80000000, 23, 96, sop2},  {0xb0000000, 23, 29, sopk}, {0xbe800000, 8, 256, sop1}, {0xbf000000, 16, 128, sopc},
    {0xbf800000, 16, 128, sopp}, {0x7e000000, 9, 256, vop1}, {0x00000000, 25, 62, vop2}, {0x7c000000, 17, 256, vopc},
};
constexpr Family gfx9[] = {
    {0xc0000000, 18, 256, smem9},   {0xd0000000, 16, 1024, vop3Gfx9}, {0xd3ac0000, 16, 1, mfmaScale},
    {0xd8000000, 17, 256, ds9},     {0xdc000000, 18, 128, flat9},     {0xe0000000, 18, 128, mubuf9},
    {0xe8000000, 15, 16, mtbuf9},   {0xf0000000, 18, 128, image9},    {0xc4000000, 4, 1, exportWords},
    {0xd4000000, 16, 4, ldsDirect},
};
constexpr Family gfx11[] = {
    {0xf4000000, 18, 256, smem11}, {0xd4000000, 16, 1024, vop3Gfx11}, {0xcc000000, 16, 128, vop3pGfx11},
    {0xc8000000, 17, 512, vopd},   {0xcd000000, 16, 128, vinterp},    {0xce000000, 20, 4, ldsDirect},
    {0xd8000000, 18, 256, ds11},   {0xdc000000, 18, 128, flat11},     {0xe0000000, 18, 256, mubuf11},
    {0xe8000000, 15, 16, mtbuf11}, {0xf0000000, 18, 256, image11},    {0xf8000000, 4, 1, exportWords},
};
constexpr Family gfx12[] = {
    {0xf4000000, 13, 64, smem11},   {0xd4000000, 16, 1024, vop3Gfx11}, {0xcc000000, 16, 128, vop3pGfx11},
    {0xc8000000, 17, 512, vopd},    {0xcd000000, 16, 128, vinterp},    {0xce000000, 20, 4, ldsDirect},
    {0xd8000000, 18, 256, ds12},    {0xec000000, 14, 128, flat12},     {0xc4000000, 14, 256, vbuffer12},
    {0xd0000000, 14, 256, image12}, {0xe4000000, 14, 256, image12},    {0xf8000000, 4, 1, exportWords},
};

class Sweeper {
public:
  Sweeper(Decoder &decoder, unsigned waveSize) : decoder(decoder), waveSize(waveSize) {}

  void run(llvm::ArrayRef<Family> families) {
    for (const Family &family : families)
      for (uint32_t opcode = 0; opcode < family.opcodes; ++opcode)
        for (const Variant &variant : family.variants)
          tryWords(family.encoding | opcode << family.shift, variant);
  }

  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, SweptForm> found;

private:
  void tryWords(uint32_t first, const Variant &variant) {
    uint8_t bytes[sizeof variant.words];
    for (unsigned i = 0; i < 4; ++i)
      llvm::support::endian::write32le(bytes + 4 * i, (i ? 0 : first) | variant.words[i]);
    Instruction inst = decoder.decode(bytes, 0);
    if (inst.name.empty())
      return;
    llvm::ArrayRef<uint8_t> used = llvm::ArrayRef(bytes).take_front(inst.size);
    if (inst.halves) {
      keep(inst.halves[0].name, "vopd x", inst.encoding, used);
      keep(inst.halves[1].name, "vopd y", inst.encoding, used);
      return;
    }
    // A variant whose bits mean nothing here gives the plain form again.
    bool takesDpp = inst.dpp.kind != DppControl::Kind::None;
    if (variant.form.ends_with("dpp16") != takesDpp && variant.form.ends_with("dpp8") != takesDpp)
      return;
    if (variant.form.ends_with("lds") && !inst.lds)
      return;
    if (variant.form.ends_with("rtn") && !inst.returns)
      return;
    if (variant.form.ends_with("agpr") && !namesAgpr(inst))
      return;
    // The global data share is the same set of operations a second time; only its own operations count.
    if (variant.form == "gds" && found.count({inst.name, ""}))
      return;
    keep(inst.name, variant.form, inst.encoding, used);
  }

  static bool namesAgpr(const Instruction &inst) {
    auto isAgpr = [](const Operand &operand) { return operand.kind == Operand::Kind::Agpr; };
    return llvm::any_of(inst.dst, isAgpr) || llvm::any_of(inst.src, isAgpr);
  }

  void keep(std::string_view name, std::string_view form, Encoding encoding, llvm::ArrayRef<uint8_t> bytes) {
    auto [place, isNew] = found.try_emplace({name, form});
    if (isNew)
      place->second = {name,
                       form,
                       encoding,
                       waveSize,
                       llvm::SmallVector<uint8_t, 20>(bytes.begin(), bytes.end()),
                       decoder.disassemble(bytes, 0)};
  }

  Decoder &decoder;
  unsigned waveSize;
};

} // namespace

llvm::Expected<std::vector<SweptForm>> sweepEncodings(const Target &target) {
  std::map<Sweeper::Key, SweptForm> found;
  for (unsigned waveSize : {unsigned(target.waveSize), target.waveSize == 32 ? 64u : 32u}) {
    if (waveSize == 32 ? !target.wave32 : !target.wave64)
      continue;
    auto decoder = Decoder::create(target, waveSize);
    if (!decoder)
      return decoder.takeError();
    Sweeper sweeper(**decoder, waveSize);
    sweeper.run(common);
    sweeper.run(target.isCdna()                          ? llvm::ArrayRef<Family>(gfx9)
                : target.generation == Generation::Rdna4 ? llvm::ArrayRef<Family>(gfx12)
                                                         : llvm::ArrayRef<Family>(gfx11));
    found.merge(sweeper.found);
  }
  std::vector<SweptForm> forms;
  for (auto &[key, form] : found)
    forms.push_back(std::move(form));
  return forms;
}

} // namespace wavewright::codeobject
