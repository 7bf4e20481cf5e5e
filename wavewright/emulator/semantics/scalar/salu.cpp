//===- emulator/semantics/scalar/salu.cpp - integer SALU ------------------------------------------===//
//
// In an expression: a, b sources, d the result (SCC only), w the wave, m.imm the 16-bit constant of SOPK.
// gfx11 renamed what gfx9 called andn2, ff1, flbit and so on; gfx12 renamed additions.
//
//===----------------------------------------------------------------------------------------------===//
#include "wavewright/emulator/semantics/scalar/scalar.h"

namespace wavewright::emulator::scalar_semantics {

namespace {

int32_t first(uint32_t x) { return x ? std::countr_zero(x) : -1; }
int32_t first(uint64_t x) { return x ? std::countr_zero(x) : -1; }
int32_t leading(uint32_t x) { return x ? std::countl_zero(x) : -1; }
int32_t leading(uint64_t x) { return x ? std::countl_zero(x) : -1; }
/// Leading bits equal to the sign; -1 when all are.
int32_t leadingSigns(int32_t x) { return leading(uint32_t(x < 0 ? ~x : x)); }
int32_t leadingSigns(int64_t x) { return leading(uint64_t(x < 0 ? ~x : x)); }
template <class T> T reversed(T x) {
  T r = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i)
    r = T(r << 1 | (x >> i & 1));
  return r;
}
/// Fields are b[4:0] or b[5:0] the offset, b[22:16] the width.
template <class T> T field(T x, uint32_t b) {
  unsigned bits = sizeof(T) * 8, offset = b & (bits - 1), width = b >> 16 & 0x7f;
  if (width == 0)
    return 0;
  using U = std::make_unsigned_t<T>;
  if (offset + width >= bits)
    return T(x >> offset);
  return T(T(U(x) << (bits - offset - width)) >> (bits - width));
}
bool addOverflows(int32_t a, int32_t b) { return __builtin_add_overflow(a, b, &a); }
bool subOverflows(int32_t a, int32_t b) { return __builtin_sub_overflow(a, b, &a); }
uint32_t clampShift(uint64_t x) { return x > 0xffffffffull; }
template <class T> T quads(T x) {
  T r = 0;
  for (unsigned i = 0; i < sizeof(T) * 2; ++i)
    r |= T((x >> (4 * i) & 15) != 0) << i;
  return r;
}
template <class T> T wholeQuads(T x) {
  T r = 0;
  for (unsigned i = 0; i < sizeof(T) * 2; ++i)
    r |= (x >> (4 * i) & 15) ? T(15) << (4 * i) : T(0);
  return r;
}
uint64_t replicated(uint32_t x) {
  uint64_t r = 0;
  for (unsigned i = 0; i < 32; ++i)
    r |= uint64_t(x >> i & 1 ? 3 : 0) << (2 * i);
  return r;
}
uint32_t packed(uint32_t low, uint32_t high) { return (low & 0xffffu) | high << 16; }

/// D = EXEC; EXEC = F(S0, EXEC). `Result` forms put the new EXEC into D.
template <class T, auto F, bool Result> void execOp(Context &c, Wave &w, const MicroOp &m) {
  uint64_t exec = w.exec();
  typename T::value s = T::get(c, w, m, 0), old = typename T::value(exec), fresh = F(s, old);
  T::put(w, m, Result ? fresh : old);
  w.setMask(codeobject::scalar::ExecLo, fresh);
  w.scc = fresh != 0;
}
#define EXEC_OP(STEM, CHIPS, EXPRESSION)                                                                               \
  {STEM "_saveexec_b32",                                                                                               \
   chips::CHIPS,                                                                                                       \
   execOp<U32, [](uint32_t s, uint32_t e) -> uint32_t { return EXPRESSION; }, false>,                                  \
   {Type::S32, Type::None, {Type::S32}},                                                                               \
   OpClass::Scalar},                                                                                                   \
      {STEM "_saveexec_b64",                                                                                           \
       chips::CHIPS,                                                                                                   \
       execOp<U64, [](uint64_t s, uint64_t e) -> uint64_t { return EXPRESSION; }, false>,                              \
       {Type::S64, Type::None, {Type::S64}},                                                                           \
       OpClass::Scalar},                                                                                               \
      {STEM "_wrexec_b32",                                                                                             \
       chips::CHIPS,                                                                                                   \
       execOp<U32, [](uint32_t s, uint32_t e) -> uint32_t { return EXPRESSION; }, true>,                               \
       {Type::S32, Type::None, {Type::S32}},                                                                           \
       OpClass::Scalar},                                                                                               \
  {                                                                                                                    \
    STEM "_wrexec_b64", chips::CHIPS,                                                                                  \
        execOp<U64, [](uint64_t s, uint64_t e) -> uint64_t { return EXPRESSION; }, true>,                              \
        {Type::S64, Type::None, {Type::S64}}, OpClass::Scalar                                                          \
  }

/// Moves by M0: all of it, or with two offsets M0[9:0] for the source and M0[25:16] for the destination.
enum class Relative { Source, Destination, Both };
template <bool Wide, Relative Kind> void moveRelative(Context &c, Wave &w, const MicroOp &m) {
  bool scalar = m.src[0].kind == emulator::Source::Kind::Scalar;
  unsigned from = m.src[0].index, to = m.dst;
  if (Kind == Relative::Both)
    from += w.m0() & 0x3ff, to += w.m0() >> 16 & 0x3ff;
  else
    (Kind == Relative::Source ? from : to) += w.m0();
  if ((scalar && from + Wide > 105) || to + Wide > 105)
    return c.fail(w, m, "M0 leads outside of the scalar registers");
  uint64_t value = !scalar ? read64(c, w, m, 0) : Wide ? w.pair(from) : w.sgpr[from];
  if (Wide)
    w.setPair(to, value);
  else
    w.sgpr[to] = uint32_t(value);
}
/// LLVM names a destination that M0 moves as the first source on gfx9.
const char *destinationFirst(const codeobject::Instruction &i, const Target &, MicroOp &m) {
  if (i.dst.empty() && i.src.size() >= 2) {
    m.dst = m.src[0].index;
    m.src[0] = m.src[1];
  }
  return m.src[0].kind == emulator::Source::Kind::None ? "its source is missing" : nullptr;
}
#define RELATIVE(NAME, CHIPS, KIND)                                                                                    \
  {NAME "_b32",                                                                                                        \
   chips::CHIPS,                                                                                                       \
   moveRelative<false, Relative::KIND>,                                                                                \
   {Type::S32, Type::None, {Type::S32, Type::S32}},                                                                    \
   OpClass::Scalar,                                                                                                    \
   nullptr,                                                                                                            \
   destinationFirst},                                                                                                  \
  {                                                                                                                    \
    NAME "_b64", chips::CHIPS, moveRelative<true, Relative::KIND>, {Type::S64, Type::None, {Type::S64, Type::S64}},    \
        OpClass::Scalar, nullptr, destinationFirst                                                                     \
  }

#define LOGIC(STEM, CHIPS, EXPRESSION)                                                                                 \
  SOP_SCC(STEM "_b32", CHIPS, U32, U32, U32, EXPRESSION, d != 0),                                                      \
      SOP_SCC(STEM "_b64", CHIPS, U64, U64, U64, EXPRESSION, d != 0)
#define SHIFTED_ADD(N)                                                                                                 \
  SOP_SCC("s_lshl" #N "_add_u32", Any, U32, U32, U32, (a << N) + b, clampShift((uint64_t(a) << N) + b))
#define COMPARES(SUFFIX, T, K)                                                                                         \
  SOPC("s_cmp_eq_" SUFFIX, Any, T, T, a == b), SOPC("s_cmp_lg_" SUFFIX, Any, T, T, a != b),                            \
      SOPC("s_cmp_gt_" SUFFIX, Any, T, T, a > b), SOPC("s_cmp_ge_" SUFFIX, Any, T, T, a >= b),                         \
      SOPC("s_cmp_lt_" SUFFIX, Any, T, T, a < b), SOPC("s_cmp_le_" SUFFIX, Any, T, T, a <= b),                         \
      SOPC("s_cmpk_eq_" SUFFIX, Before12, T, Nothing, a == K),                                                         \
      SOPC("s_cmpk_lg_" SUFFIX, Before12, T, Nothing, a != K), SOPC("s_cmpk_gt_" SUFFIX, Before12, T, Nothing, a > K), \
      SOPC("s_cmpk_ge_" SUFFIX, Before12, T, Nothing, a >= K), SOPC("s_cmpk_lt_" SUFFIX, Before12, T, Nothing, a < K), \
      SOPC("s_cmpk_le_" SUFFIX, Before12, T, Nothing, a <= K)

constexpr Semantics table[] = {
    SOP("s_mov_b32", Any, U32, U32, Nothing, a),
    SOP("s_mov_b64", Any, U64, U64, Nothing, a),
    SOP("s_movk_i32", Any, I32, Nothing, Nothing, m.imm),
    SOP("s_cmov_b32", Any, U32, U32, Nothing, w.scc ? a : w.sgpr[m.dst]),
    SOP("s_cmov_b64", Any, U64, U64, Nothing, w.scc ? a : w.pair(m.dst)),
    SOP("s_cmovk_i32", Any, I32, Nothing, Nothing, w.scc ? int32_t(m.imm) : int32_t(w.sgpr[m.dst])),
    SOP("s_cselect_b32", Any, U32, U32, U32, w.scc ? a : b),
    SOP("s_cselect_b64", Any, U64, U64, U64, w.scc ? a : b),

    LOGIC("s_and", Any, a &b),
    LOGIC("s_or", Any, a | b),
    LOGIC("s_xor", Any, a ^ b),
    LOGIC("s_nand", Any, ~(a &b)),
    LOGIC("s_nor", Any, ~(a | b)),
    LOGIC("s_xnor", Any, ~(a ^ b)),
    LOGIC("s_andn2", Gfx9, a & ~b),
    LOGIC("s_orn2", Gfx9, a | ~b),
    LOGIC("s_and_not1", Gfx11Up, a & ~b),
    LOGIC("s_or_not1", Gfx11Up, a | ~b),
    SOP_SCC("s_not_b32", Any, U32, U32, Nothing, ~a, d != 0),
    SOP_SCC("s_not_b64", Any, U64, U64, Nothing, ~a, d != 0),
    EXEC_OP("s_and", Any, s &e),
    EXEC_OP("s_or", Any, s | e),
    EXEC_OP("s_xor", Any, s ^ e),
    EXEC_OP("s_nand", Any, ~(s &e)),
    EXEC_OP("s_nor", Any, ~(s | e)),
    EXEC_OP("s_xnor", Any, ~(s ^ e)),
    EXEC_OP("s_andn2", Gfx9, s & ~e),
    EXEC_OP("s_orn2", Gfx9, s | ~e),
    EXEC_OP("s_andn1", Gfx9, ~s &e),
    EXEC_OP("s_orn1", Gfx9, ~s | e),
    EXEC_OP("s_and_not1", Gfx11Up, s & ~e),
    EXEC_OP("s_or_not1", Gfx11Up, s | ~e),
    EXEC_OP("s_and_not0", Gfx11Up, ~s &e),
    EXEC_OP("s_or_not0", Gfx11Up, ~s | e),

    SOP_SCC("s_lshl_b32", Any, U32, U32, U32, a << (b & 31), d != 0),
    SOP_SCC("s_lshl_b64", Any, U64, U64, U32, a << (b & 63), d != 0),
    SOP_SCC("s_lshr_b32", Any, U32, U32, U32, a >> (b & 31), d != 0),
    SOP_SCC("s_lshr_b64", Any, U64, U64, U32, a >> (b & 63), d != 0),
    SOP_SCC("s_ashr_i32", Any, I32, I32, U32, a >> (b & 31), d != 0),
    SOP_SCC("s_ashr_i64", Any, I64, I64, U32, a >> (b & 63), d != 0),
    SHIFTED_ADD(1),
    SHIFTED_ADD(2),
    SHIFTED_ADD(3),
    SHIFTED_ADD(4),
    SOP("s_bfm_b32", Any, U32, U32, U32, ((1u << (a & 31)) - 1) << (b & 31)),
    SOP("s_bfm_b64", Any, U64, U32, U32, ((1ull << (a & 63)) - 1) << (b & 63)),
    SOP_SCC("s_bfe_u32", Any, U32, U32, U32, field(a, b), d != 0),
    SOP_SCC("s_bfe_i32", Any, I32, I32, U32, field(a, b), d != 0),
    SOP_SCC("s_bfe_u64", Any, U64, U64, U32, field(a, b), d != 0),
    SOP_SCC("s_bfe_i64", Any, I64, I64, U32, field(a, b), d != 0),
    SOP("s_brev_b32", Any, U32, U32, Nothing, reversed(a)),
    SOP("s_brev_b64", Any, U64, U64, Nothing, reversed(a)),
    SOP_SCC("s_bcnt0_i32_b32", Any, I32, U32, Nothing, std::popcount(~a), d != 0),
    SOP_SCC("s_bcnt1_i32_b32", Any, I32, U32, Nothing, std::popcount(a), d != 0),
    SOP_SCC("s_bcnt0_i32_b64", Any, I32, U64, Nothing, std::popcount(~a), d != 0),
    SOP_SCC("s_bcnt1_i32_b64", Any, I32, U64, Nothing, std::popcount(a), d != 0),
    SOP("s_ff0_i32_b32", Gfx9, I32, U32, Nothing, first(~a)),
    SOP("s_ff0_i32_b64", Gfx9, I32, U64, Nothing, first(~a)),
    SOP("s_ff1_i32_b32", Gfx9, I32, U32, Nothing, first(a)),
    SOP("s_ff1_i32_b64", Gfx9, I32, U64, Nothing, first(a)),
    SOP("s_ctz_i32_b32", Gfx11Up, I32, U32, Nothing, first(a)),
    SOP("s_ctz_i32_b64", Gfx11Up, I32, U64, Nothing, first(a)),
    SOP("s_flbit_i32_b32", Gfx9, I32, U32, Nothing, leading(a)),
    SOP("s_flbit_i32_b64", Gfx9, I32, U64, Nothing, leading(a)),
    SOP("s_flbit_i32", Gfx9, I32, I32, Nothing, leadingSigns(a)),
    SOP("s_flbit_i32_i64", Gfx9, I32, I64, Nothing, leadingSigns(a)),
    SOP("s_clz_i32_u32", Gfx11Up, I32, U32, Nothing, leading(a)),
    SOP("s_clz_i32_u64", Gfx11Up, I32, U64, Nothing, leading(a)),
    SOP("s_cls_i32", Gfx11Up, I32, I32, Nothing, leadingSigns(a)),
    SOP("s_cls_i32_i64", Gfx11Up, I32, I64, Nothing, leadingSigns(a)),
    SOP("s_bitset0_b32", Any, U32, U32, Nothing, w.sgpr[m.dst] & ~(1u << (a & 31))),
    SOP("s_bitset1_b32", Any, U32, U32, Nothing, w.sgpr[m.dst] | 1u << (a & 31)),
    SOP("s_bitset0_b64", Any, U64, U32, Nothing, w.pair(m.dst) & ~(1ull << (a & 63))),
    SOP("s_bitset1_b64", Any, U64, U32, Nothing, w.pair(m.dst) | 1ull << (a & 63)),
    SOPC("s_bitcmp0_b32", Any, U32, U32, !(a >> (b & 31) & 1)),
    SOPC("s_bitcmp1_b32", Any, U32, U32, a >> (b & 31) & 1),
    SOPC("s_bitcmp0_b64", Any, U64, U32, !(a >> (b & 63) & 1)),
    SOPC("s_bitcmp1_b64", Any, U64, U32, a >> (b & 63) & 1),
    SOP_SCC("s_quadmask_b32", Any, U32, U32, Nothing, quads(a), d != 0),
    SOP_SCC("s_quadmask_b64", Any, U64, U64, Nothing, quads(a), d != 0),
    SOP_SCC("s_wqm_b32", Any, U32, U32, Nothing, wholeQuads(a), d != 0),
    SOP_SCC("s_wqm_b64", Any, U64, U64, Nothing, wholeQuads(a), d != 0),
    SOP("s_bitreplicate_b64_b32", Any, U64, U32, Nothing, replicated(a)),

    SOP("s_sext_i32_i8", Any, I32, U32, Nothing, int8_t(a)),
    SOP("s_sext_i32_i16", Any, I32, U32, Nothing, int16_t(a)),
    SOP_SCC("s_abs_i32", Any, I32, I32, Nothing, a < 0 ? int32_t(0u - uint32_t(a)) : a, d != 0),
    SOP_SCC("s_absdiff_i32", Any, I32, I32, I32, int32_t(a > b ? uint32_t(a) - uint32_t(b) : uint32_t(b) - uint32_t(a)),
            d != 0),
    SOP("s_pack_ll_b32_b16", Any, U32, U32, U32, packed(a, b)),
    SOP("s_pack_lh_b32_b16", Any, U32, U32, U32, packed(a, b >> 16)),
    SOP("s_pack_hh_b32_b16", Any, U32, U32, U32, packed(a >> 16, b >> 16)),
    SOP("s_pack_hl_b32_b16", Gfx11Up, U32, U32, U32, packed(a >> 16, b)),

#define ADDITIONS(CHIPS, ADD_U, ADD_I, ADDC, SUB_U, SUB_I, SUBB, ADDK)                                                 \
  SOP_SCC(ADD_U, CHIPS, U32, U32, U32, a + b, d < a), SOP_SCC(SUB_U, CHIPS, U32, U32, U32, a - b, b > a),              \
      SOP_SCC(ADD_I, CHIPS, U32, I32, I32, uint32_t(a) + uint32_t(b), addOverflows(a, b)),                             \
      SOP_SCC(SUB_I, CHIPS, U32, I32, I32, uint32_t(a) - uint32_t(b), subOverflows(a, b)),                             \
      SOP_SCC(ADDC, CHIPS, U32, U32, U32, a + b + w.scc, uint64_t(a) + b + w.scc > 0xffffffffull),                     \
      SOP_SCC(SUBB, CHIPS, U32, U32, U32, a - b - w.scc, uint64_t(b) + w.scc > a),                                     \
      SOP_SCC(ADDK, CHIPS, U32, I32, Nothing, uint32_t(a) + uint32_t(m.imm), addOverflows(a, int32_t(m.imm)))
    ADDITIONS(Before12, "s_add_u32", "s_add_i32", "s_addc_u32", "s_sub_u32", "s_sub_i32", "s_subb_u32", "s_addk_i32"),
    ADDITIONS(Gfx12, "s_add_co_u32", "s_add_co_i32", "s_add_co_ci_u32", "s_sub_co_u32", "s_sub_co_i32",
              "s_sub_co_ci_u32", "s_addk_co_i32"),
    SOP("s_add_nc_u64", Gfx12, U64, U64, U64, a + b),
    SOP("s_sub_nc_u64", Gfx12, U64, U64, U64, a - b),
    SOP("s_add_u64", Gfx12, U64, U64, U64, a + b),
    SOP("s_sub_u64", Gfx12, U64, U64, U64, a - b),
    SOP("s_mul_u64", Gfx12, U64, U64, U64, a *b),
    SOP("s_mul_i32", Any, U32, U32, U32, a *b),
    SOP("s_mul_hi_u32", Any, U32, U32, U32, uint64_t(a) * b >> 32),
    SOP("s_mul_hi_i32", Any, I32, I32, I32, int64_t(a) * b >> 32),
    SOP("s_mulk_i32", Any, U32, U32, Nothing, a *uint32_t(m.imm)),
    SOP_SCC("s_min_i32", Any, I32, I32, I32, a < b ? a : b, a < b),
    SOP_SCC("s_max_i32", Any, I32, I32, I32, a > b ? a : b, a > b),
    SOP_SCC("s_min_u32", Any, U32, U32, U32, a < b ? a : b, a < b),
    SOP_SCC("s_max_u32", Any, U32, U32, U32, a > b ? a : b, a > b),

    COMPARES("i32", I32, int32_t(m.imm)),
    COMPARES("u32", U32, uint32_t(m.imm & 0xffff)),
    SOPC("s_cmp_eq_u64", Any, U64, U64, a == b),
    SOPC("s_cmp_lg_u64", Any, U64, U64, a != b),
    RELATIVE("s_movrels", Any, Source),
    RELATIVE("s_movreld", Any, Destination),
    {"s_movrelsd_2_b32",
     chips::Gfx11Up,
     moveRelative<false, Relative::Both>,
     {Type::S32, Type::None, {Type::S32, Type::S32}},
     OpClass::Scalar,
     nullptr,
     destinationFirst},
};

} // namespace

llvm::ArrayRef<Semantics> saluFamily() { return table; }

} // namespace wavewright::emulator::scalar_semantics
