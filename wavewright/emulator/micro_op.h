//===- emulator/micro_op.h - a predecoded instruction, and how semantics are registered -----------===//
//
// predecode.cpp turns every codeobject::Instruction into one MicroOp: a handler and everything that it needs, so that
// running is a loop of `op.handler(context, wave, op)`.
//
// How to add instructions. A file of semantics/ defines one table and names it in semantics/families.h:
//
//   namespace wavewright::emulator::WAVEWRIGHT_SIMD {            // one namespace a SIMD level
//   static void v_thing(Context &c, Wave &w, const MicroOp &m) { ... }
//   llvm::ArrayRef<Semantics> thingFamily() {
//     static const Semantics table[] = {
//       {"v_thing_b32", chips::Gfx11Up, v_thing, {Type::B32, Type::None, {Type::B32, Type::B32}}},
//     };
//     return table;
//   }
//   }
//
// The row is found by the name that LLVM prints (Instruction::name) and the chip's generation. `shape` says how each
// operand is to be read, and the predecoder fills dst/src by it. Type::Raw leaves the operand as it is: the handler
// takes `src[i].kind`, `.index` (row of the unified file for VGPRs and AGPRs), `.constant` and `.modifiers` itself;
// matrix instructions do so. `prepare` (optional) runs after the generic part, sees the Instruction, may set
// `op.handler`, `op.payload`, `op.imm`; it returns null, or why the instruction cannot be executed (which
// becomes a LaunchError naming the instruction).
//
// Files in semantics/ are compiled once for every SIMD level with another -march and WAVEWRIGHT_SIMD; they must define
// everything inside that namespace (or `static`), and must not instantiate containers, so that no inline function
// compiled for a better processor can be picked by the linker for a lesser one. Files in semantics/scalar/ are compiled
// once, in namespace `scalar_semantics`.
//
// VALU handlers get rows: `fetch` (semantics/vector.h) applies modifiers, op_sel, SDWA, DPP, broadcast and denormal
// flushing, `commit` applies clamp, omod, halves and EXEC. A semantics line is then only the arithmetic.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "wavewright/codeobject/code_object.h"
#include "wavewright/emulator/wave.h"

#include "llvm/ADT/ArrayRef.h"

#include <string_view>

namespace wavewright::emulator {

struct Context;
struct MicroOp;
using Handler = void (*)(Context &, Wave &, const MicroOp &);

/// How an operand is read or written. Floating types flush denormals as MODE says; the B types never do, though
/// sign modifiers act on them too. 16-bit values stand in the low half of a fetched row, the high half is undefined.
enum class Type : uint8_t {
  None,
  B16,
  F16,
  BF16,
  B32,
  F32,
  B64,
  F64,
  PkB16,
  PkF16,
  PkBF16, ///< two halves of one register, op_sel and neg applied to each
  PkB32,
  PkF32, ///< two registers, op_sel picks one of them for each result
  Mix,   ///< f32, or a half of a register as f16, by op_sel_hi (v_fma_mix)
  MixBF16,
  Mask, ///< one bit a lane, in scalars
  S32,
  S64, ///< scalar, of SALU and of lane selects
  Raw,
};

/// What reads of a source have to do beyond taking the row.
enum : uint16_t {
  ModNeg = 1,
  ModAbs = 2,
  ModNegHi = 4,
  ModOpSel = 8,
  ModOpSelHi = 16,
  ModSext = 32,
  ModDpp = 64,
};

struct Source {
  enum class Kind : uint8_t { None, Vgpr, Scalar, Constant, Special };
  Kind kind = Kind::None;
  bool slow = false;  ///< fetching is more than taking the address of a row
  bool splat = false; ///< slow only in that a scalar, as it stands, is spread over the lanes
  Type type = Type::None;
  codeobject::Part part = codeobject::Part::Whole;
  uint8_t dwords = 1;
  uint16_t modifiers = 0;
  uint16_t index = 0;        ///< row (AGPRs included), scalar, or SpecialSource
  const Row *rows = nullptr; ///< Constant: one row a dword, all lanes alike
  uint64_t constant = 0;
  /// The row of dword i is at (the wave's registers & rowMask) + rowAddress[i]: no branch between registers and
  /// constants, and none for the halves that a packed f32 picks.
  uintptr_t rowMask = 0, rowAddress[2] = {};

  bool isRow() const { return !slow || splat; }
  bool isPackedWide() const { return type == Type::PkF32 || type == Type::PkB32; }
  /// Which register of the operand dword i of a fetched value comes from.
  unsigned registerOf(unsigned i) const { return isPackedWide() ? (modifiers & (i ? ModOpSelHi : ModOpSel)) != 0 : i; }
  /// Works out rowMask and rowAddress; to be called again when kind, index, rows or modifiers were changed.
  /// `splatRow`: where a scalar is spread, see SplatRows.
  void place(unsigned splatRow) {
    rowMask = kind == Kind::Constant ? 0 : ~uintptr_t(0);
    uintptr_t first = kind == Kind::Constant ? reinterpret_cast<uintptr_t>(rows) : index * sizeof(Row);
    for (unsigned i = 0; i < 2; ++i)
      rowAddress[i] = splat ? (splatRow + i) * sizeof(Row) : first + registerOf(i) * sizeof(Row);
  }
};

struct Shape {
  Type dst = Type::None, dst1 = Type::None;
  Type src[4] = {};
};

/// DPP of one instruction, spread over lanes.
struct DppTable {
  uint8_t from[MaxLanes]; ///< source lane
  uint64_t inRange = 0;   ///< lanes whose source lane exists
  uint64_t enabled = 0;   ///< by row and bank mask
  bool boundCtrl = false, fetchInactive = false;
};

enum class OpClass : uint8_t { Scalar, Valu, Matrix, Lds, Memory, Control };

struct MicroOp {
  Handler handler = nullptr;
  OpClass opClass = OpClass::Scalar;
  bool direct = false; ///< the result row is the destination row when all lanes are active
  bool plain = false;  ///< direct, and every source is a row as it stands or a scalar
  uint8_t splats = 0;  ///< bit i: source i is a scalar to be spread
  bool clamp = false;
  uint8_t omod = 0;
  bool dstHigh = false;       ///< a 16-bit result goes to the high half
  bool zeroOtherHalf = false; ///< gfx9: a 16-bit result clears the other half
  bool sdwa = false;
  codeobject::Part sdwaDst = codeobject::Part::Whole;
  codeobject::SdwaUnused sdwaUnused = codeobject::SdwaUnused::Preserve;
  Type dstType = Type::None;
  uint8_t dstDwords = 1;
  bool dstScalar = false;          ///< dst is a scalar (or null) instead of a row
  uint16_t dst = 0;                ///< row or scalar
  uint16_t dst1 = DiscardedScalar; ///< second destination: always scalars
  Source src[4];

  // Memory forms use src as: 0 vaddr, 1 vdata, 2 vdata1, 3 soffset; the scalar base stands here.
  Source saddr;
  int64_t offset = 0; ///< immediate byte offset; DS *2 forms: bytes, scaled
  int64_t offset1 = 0;
  bool offen = false, idxen = false, lds = false, returns = false;

  int64_t imm = 0;
  uint32_t target = 0;  ///< branches: index of the target micro-op
  uint64_t payload = 0; ///< `prepare`'s own
  const DppTable *dpp = nullptr;
  const MicroOp *halves = nullptr; ///< VOPD: X, Y
  const codeobject::Instruction *instruction = nullptr;
  uint64_t address = 0; ///< ELF address; add Context::loadBias for the device address
};

/// Registers that an instruction touches, for checks that run around handlers. Kept beside the micro-ops
/// (Code::uses), never read by the interpreter loop.
struct RegisterUse {
  enum class Bank : uint8_t { Vector, Scalar, Scc };
  Bank bank = Bank::Vector;
  bool write = false;
  uint8_t count = 1;
  uint16_t first = 0;
};

/// Sets of generations.
using ChipSet = uint8_t;
namespace chips {
constexpr ChipSet of(Generation g) { return ChipSet(1u << unsigned(g)); }
inline constexpr ChipSet Gfx942 = of(Generation::Cdna3), Gfx950 = of(Generation::Cdna4);
inline constexpr ChipSet Gfx9 = Gfx942 | Gfx950;
inline constexpr ChipSet Gfx11 = of(Generation::Rdna3) | of(Generation::Rdna35);
inline constexpr ChipSet Gfx12 = of(Generation::Rdna4);
inline constexpr ChipSet Gfx11Up = Gfx11 | Gfx12;
inline constexpr ChipSet Before12 = Gfx9 | Gfx11;
inline constexpr ChipSet Any = Gfx9 | Gfx11Up;
} // namespace chips

using Prepare = const char *(*)(const codeobject::Instruction &, const Target &, MicroOp &);

struct Semantics {
  std::string_view name;
  ChipSet chips = chips::Any;
  Handler handler = nullptr;
  Shape shape;
  OpClass opClass = OpClass::Valu;
  Handler saturating = nullptr; ///< integer forms with clamp; null where clamp means a floating result in [0, 1]
  Prepare prepare = nullptr;
};

} // namespace wavewright::emulator
