//===- codeobject/instruction.h - one decoded instruction, in our own terms -----------------------===//
//
// LLVM's opcode and register numbers are private to a build of LLVM and stop at the decoder. What the
// gate, the lints and the emulator share is this: the name that the chip's manual prints, explicit
// operands in the manual's order, and named fields for what memory and cross-lane forms add.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace wavewright::codeobject {

/// Indices of Operand::Kind::Scalar that are not s0..s105. They are the same on every chip here, whatever
/// number the chip's encoding gives them (m0 and null trade places between gfx10 and gfx11).
namespace scalar {
inline constexpr uint16_t FlatScratchLo = 102, FlatScratchHi = 103; // gfx942/950 only
inline constexpr uint16_t VccLo = 106, VccHi = 107;
inline constexpr uint16_t Ttmp0 = 108; // .. ttmp15 = 123
inline constexpr uint16_t M0 = 124, Null = 125;
inline constexpr uint16_t ExecLo = 126, ExecHi = 127;
inline constexpr uint16_t Count = 128;
} // namespace scalar

/// Read-only sources that are no registers.
enum class SpecialSource : uint8_t {
  Scc,
  Vccz,
  Execz,
  SharedBase,
  SharedLimit,
  PrivateBase,
  PrivateLimit,
  PopsExitingWaveId,
  LdsDirect,
  FlatScratchBaseLo,
  FlatScratchBaseHi ///< gfx1250 only
};

/// Which part of a 32-bit register a 16-bit operand names (true16, op_sel, SDWA).
enum class Part : uint8_t { Whole, Low16, High16, Byte0, Byte1, Byte2, Byte3 };

struct Operand {
  enum class Kind : uint8_t { None, Vgpr, Agpr, Scalar, Special, Constant };

  Kind kind = Kind::None;
  uint8_t dwords = 1;      ///< registers covered, counted in 32-bit registers
  Part part = Part::Whole; ///< true16 half or SDWA select; packed forms use opSel/opSelHi instead
  bool neg = false;        ///< floating negate (packed forms: of the low half)
  bool abs = false;
  bool negHi = false;    ///< packed forms only: negate of the high half
  bool opSel = false;    ///< packed/mix/dot forms: the low result reads the high half
  bool opSelHi = false;  ///< packed/mix/dot forms: the high result reads the high half
  bool sext = false;     ///< SDWA sign extension
  bool literal = false;  ///< Constant that was a 32-bit literal, not an inline constant
  uint16_t index = 0;    ///< first register; a SpecialSource for Special
  uint64_t constant = 0; ///< Constant: the bit pattern in the operand's own width, ints sign-extended

  bool isRegister() const { return kind == Kind::Vgpr || kind == Kind::Agpr || kind == Kind::Scalar; }
  explicit operator bool() const { return kind != Kind::None; }
};

enum class Encoding : uint8_t {
  Unknown,
  Sop1,
  Sop2,
  Sopk,
  Sopc,
  Sopp,
  Smem,
  Vop1,
  Vop2,
  Vop3,
  Vop3p,
  Vopc,
  Vopd,
  Vinterp,
  Ds,
  Mubuf,
  Mtbuf,
  Flat,
  Global,
  Scratch,
  Mimg,
  Export,
  LdsDirect
};

/// DPP controls, decoded. `kind` Quad..Xmask are DPP16, Dpp8 is DPP8.
struct DppControl {
  enum class Kind : uint8_t {
    None,
    QuadPerm,
    RowShl,
    RowShr,
    RowRor,
    WaveShl1,
    WaveRol1,
    WaveShr1,
    WaveRor1,
    RowMirror,
    RowHalfMirror,
    RowBcast15,
    RowBcast31,
    RowShare,
    RowXmask,
    Dpp8
  };
  Kind kind = Kind::None;
  uint32_t select = 0; ///< n of shl/shr/ror/share/xmask; 2 bits a lane for QuadPerm; 3 bits a lane for Dpp8
  uint8_t rowMask = 0xf, bankMask = 0xf;
  bool boundCtrl = false; ///< an out-of-range or inactive source reads 0
  bool fetchInactive = false;
};

enum class SdwaUnused : uint8_t { Pad, SignExtend, Preserve };

struct Instruction {
  uint64_t address = 0; ///< byte offset from the start of the code object's loaded image (ELF address)
  uint8_t size = 0;     ///< bytes: 4 to 20
  Encoding encoding = Encoding::Unknown;

  /// The mnemonic as LLVM prints it for this chip, without _e32/_e64/_dpp/_dpp8/_sdwa/_e64_dpp: "v_add_f32",
  /// "ds_load_b128". Points into storage that lives as long as the process. For VOPD it is
  /// "v_dual" and `halves` holds the two operations ("v_add_f32", not "v_dual_add_f32").
  std::string_view name;
  bool vop3 = false; ///< the 64-bit encoding was used (matters for op_sel rules)

  /// Explicit and implicit operands in the manual's order. Implicit VCC is spelled out: a v_cmp_*_e32 has
  /// dst[0] = vcc; v_add_co_ci has dst[1] = vcc and src[2] = vcc; v_cndmask_e32 has src[2] = vcc;
  /// v_div_fmas has src[3] = vcc. v_cmpx writes EXEC as dst[0]. VCC is one dword in wave32, two in wave64.
  /// A tied source is spelled once: v_fmac has src[2] equal to dst[0]; DPP's and SDWA's "old" is dst[0].
  llvm::SmallVector<Operand, 2> dst;
  llvm::SmallVector<Operand, 4> src;
  bool readsScc = false, writesScc = false;
  bool readsExec = false, writesExec = false; ///< scalar uses of EXEC; vector execution implies EXEC anyway
  /// The old value of dst[0] shows through although no source spells it: v_writelane, v_permlane16, conversions
  /// into a byte or a half, d16 loads, DPP's and SDWA's "old", s_bitset, s_cmov, s_cmovk.
  bool mergesDst = false;

  bool clamp = false;
  uint8_t omod = 0;       ///< 0 none, 1 *2, 2 *4, 3 /2
  bool dstHigh16 = false; ///< op_sel bit 3 of VOP3: the result goes to the high half
  uint8_t opSel = 0;      ///< VOP3 op_sel, raw: bits 0-2 of the sources, bit 3 of the result; parts are set from it
  DppControl dpp;
  SdwaUnused sdwaUnused = SdwaUnused::Preserve;
  Part sdwaDst = Part::Whole; ///< SDWA destination select

  int64_t imm = 0;     ///< SOPP/SOPK simm16 (sign-extended), s_waitcnt fields (raw), hwreg, ds_swizzle pattern
  uint64_t target = 0; ///< branches, s_call: the address of the target

  // Memory. Fields that a form lacks stay None/0.
  Operand vaddr;       ///< VGPR address: 32 or 64 bits; buffer: offset, index, or (index, offset) when both
  Operand saddr;       ///< SGPR base: global/scratch SADDR (2 or 1 dwords), SMEM sbase (2 or 4), buffer resource (4)
  Operand soffset;     ///< SGPR or constant offset: buffer soffset, SMEM soffset
  Operand vdata;       ///< data read by a store or atomic; loads name theirs in dst[0]
  Operand vdata1;      ///< second data of ds_write2/ds_cmpst
  int64_t offset = 0;  ///< immediate byte offset, sign-extended as the chip does (DS: unsigned, offset0 for *2)
  int64_t offset1 = 0; ///< DS *2 forms
  bool offen = false, idxen = false; ///< buffer
  bool lds = false;                  ///< the load goes to LDS (buffer_load ... lds, global_load_lds_*)
  bool gds = false;
  bool returns = false;     ///< an atomic that returns the old value in dst[0]
  uint32_t cachePolicy = 0; ///< raw cpol bits (chips.md 5.3)

  // Matrix.
  uint8_t cbsz = 0, abid = 0, blgp = 0;

  std::unique_ptr<Instruction[]> halves; ///< VOPD: X then Y; both read before either writes

  bool isBranch() const;  ///< s_branch, s_cbranch_*
  bool endsBlock() const; ///< a branch, s_endpgm, s_setpc, s_swappc, s_trap
};

} // namespace wavewright::codeobject
