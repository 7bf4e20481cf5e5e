#include "wavewright/emulator/grades.h"

#include "llvm/ADT/StringRef.h"

namespace wavewright::emulator {
namespace {

constexpr std::string_view integers = "integer rules", ieee = "IEEE 754", moves = "moves bits",
                           manual = "the manual's text", bound = "within the manual's error bound",
                           mi300 = "MMA-Sim, checked on MI300", dots11 = "rocm-systems#12056, gfx1151",
                           dots12 = "rocm-systems#12056, gfx1201", otherChip = "the rule of gfx942",
                           noOp = "no effect on results",
                           order = "integer rules; the order of concurrent atomics is the device's",
                           clock = "the device's own clock or ids";

struct GradeRow {
  llvm::StringRef pattern; ///< of the whole name; * stands for anything
  ChipSet chips;
  GradeOf grade;
};

// The first row that fits counts, so exceptions stand before their rule.
constexpr GradeRow rows[] = {
    // Matrix and dot products.
    {"v_mfma_i32_*", chips::Any, {Grade::Exact, integers}},
    {"v_smfmac_i32_*", chips::Any, {Grade::Exact, integers}},
    {"v_mfma_*", chips::Gfx942, {Grade::Characterised, mi300}},
    {"v_mfma_*", chips::Gfx950, {Grade::Unverified, otherChip}},
    {"v_smfmac_*", chips::Gfx9, {Grade::Unverified, "the rule of the dense instruction"}},
    {"v_wmma_i32_*", chips::Any, {Grade::Exact, integers}},
    {"v_swmmac_i32_*", chips::Any, {Grade::Exact, integers}},
    {"v_wmma_*", chips::Gfx11, {Grade::Characterised, dots11}},
    {"v_wmma_*_fp8*", chips::Gfx12, {Grade::Unverified, "the rule of 16-bit WMMA, eight bits wide"}},
    {"v_wmma_*_bf8*", chips::Gfx12, {Grade::Unverified, "the rule of 16-bit WMMA, eight bits wide"}},
    {"v_wmma_*", chips::Gfx12, {Grade::Characterised, dots12}},
    {"v_swmmac_*", chips::Gfx12, {Grade::Unverified, "the rule of the dense instruction"}},
    {"v_dot*_i32_*", chips::Any, {Grade::Exact, integers}},
    {"v_dot*_u32_*", chips::Any, {Grade::Exact, integers}},
    {"v_dot4_f32_*", chips::Any, {Grade::Unverified, manual}},
    {"v_dot2*", chips::Gfx11, {Grade::Characterised, dots11}},
    {"v_dot2*", chips::Gfx12, {Grade::Characterised, dots12}},
    {"v_dot2*", chips::Gfx9, {Grade::Unverified, manual}},

    // Bounded by the manuals, not defined to the bit.
    {"v_exp_*", chips::Any, {Grade::Unverified, bound}},
    {"v_log_*", chips::Any, {Grade::Unverified, bound}},
    {"v_rcp_*", chips::Any, {Grade::Unverified, bound}},
    {"v_rsq_*", chips::Any, {Grade::Unverified, bound}},
    {"v_sqrt_*", chips::Any, {Grade::Unverified, bound}},
    {"v_sin_*", chips::Any, {Grade::Unverified, bound}},
    {"v_cos_*", chips::Any, {Grade::Unverified, bound}},
    {"v_s_*", chips::Any, {Grade::Unverified, bound}},

    // The manuals leave rounding or saturation open.
    {"v_cvt_sr_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_scalef32_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_rpi_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_nearest_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_norm_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_pknorm_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_pk_norm_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_pk_u8_f32", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_pkaccum_u8_f32", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_pk_fp8_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cvt_pk_bf8_*", chips::Any, {Grade::Unverified, manual}},
    {"v_cube*", chips::Any, {Grade::Unverified, manual}},
    {"v_trig_preop_f64", chips::Any, {Grade::Unverified, manual}},
    {"v_div_scale_*", chips::Any, {Grade::Unverified, manual}},
    {"v_screen_partition_4se_b32", chips::Any, {Grade::Unverified, manual}},

    // What a program can see of the machine itself.
    {"s_memtime", chips::Any, {Grade::Unverified, clock}},
    {"s_memrealtime", chips::Any, {Grade::Unverified, clock}},
    {"s_getreg_b32", chips::Any, {Grade::Unverified, clock}},
    {"s_sendmsg_rtn_*", chips::Any, {Grade::Unverified, clock}},
    {"s_get_waveid_in_workgroup", chips::Any, {Grade::Unverified, clock}},
    {"s_trap", chips::Any, {Grade::Unverified, manual}},

    // Everything else is defined to the bit.
    {"s_nop", chips::Any, {Grade::Exact, noOp}},
    {"s_wait*", chips::Any, {Grade::Exact, noOp}},
    {"s_*", chips::Any, {Grade::Exact, integers}},
    {"*_atomic_*_f*", chips::Any, {Grade::Exact, ieee}},
    {"*_atomic_*", chips::Any, {Grade::Exact, order}},
    {"ds_*_f*", chips::Any, {Grade::Exact, ieee}},
    {"ds_*", chips::Any, {Grade::Exact, integers}},
    {"buffer_*", chips::Any, {Grade::Exact, moves}},
    {"tbuffer_*", chips::Any, {Grade::Unverified, manual}},
    {"flat_*", chips::Any, {Grade::Exact, moves}},
    {"global_*", chips::Any, {Grade::Exact, moves}},
    {"scratch_*", chips::Any, {Grade::Exact, moves}},
    {"v_*_f16", chips::Any, {Grade::Exact, ieee}},
    {"v_*_f32", chips::Any, {Grade::Exact, ieee}},
    {"v_*_f64", chips::Any, {Grade::Exact, ieee}},
    {"v_*_bf16", chips::Any, {Grade::Exact, ieee}},
    {"v_cvt_*", chips::Any, {Grade::Exact, ieee}},
    {"v_*", chips::Any, {Grade::Exact, integers}},
};

/// Patterns are short and hold few stars.
bool matches(llvm::StringRef pattern, llvm::StringRef name) {
  size_t star = pattern.find('*');
  if (star == llvm::StringRef::npos)
    return pattern == name;
  if (!name.consume_front(pattern.take_front(star)))
    return false;
  pattern = pattern.drop_front(star + 1);
  for (size_t skipped = 0; skipped <= name.size(); ++skipped)
    if (matches(pattern, name.drop_front(skipped)))
      return true;
  return false;
}

} // namespace

std::string_view gradeName(Grade grade) {
  static constexpr std::string_view names[] = {"exact", "characterised", "unverified"};
  return names[unsigned(grade)];
}

GradeOf gradeOf(std::string_view name, Generation generation) {
  for (const GradeRow &row : rows)
    if (row.chips & chips::of(generation) && matches(row.pattern, llvm::StringRef(name.data(), name.size())))
      return row.grade;
  return {Grade::Unverified, "no rule is known"};
}

} // namespace wavewright::emulator
