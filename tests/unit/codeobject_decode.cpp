// Assembles through LLVM's MC and checks every field of what the decoder makes of it. One row a form.
#include "codeobject_support.h"

using namespace wavewright;
using namespace wavewright::codeobject;
using namespace wavewright::codeobject::test;

namespace {

struct Row {
  const char *assembly;
  const char *expected; ///< notation of codeobject_support.h
};

void check(const char *chip, unsigned waveSize, std::initializer_list<Row> rows) {
  const Target *target = llvm::cantFail(findTarget(chip));
  for (const Row &row : rows) {
    std::vector<std::byte> code = assemble(chip, waveSize, std::string(row.assembly) + "\n");
    auto program = decode(*target, waveSize, code, 0x1000);
    ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
    ASSERT_EQ((*program)->instructions.size(), 1u) << row.assembly;
    const Instruction &inst = (*program)->instructions[0];
    EXPECT_EQ(describe(inst), row.expected) << chip << ": " << row.assembly;
    EXPECT_EQ(inst.size, code.size());
  }
}

TEST(Decode, VectorOfGfx9) {
  check("gfx942", 64,
        {{"v_add_f32 v1, v2, v3", "v_add_f32 dst=v1 src=v2,v3"},
         {"v_add_f32_e64 v1, -v2, |s3| clamp mul:2", "v_add_f32 dst=v1 src=-v2,|s3| clamp omod=1"},
         {"v_add_f32 v1, 1.0, v3", "v_add_f32 dst=v1 src=#3f800000,v3"},
         {"v_add_f32 v1, 0x12345678, v3", "v_add_f32 dst=v1 src=#12345678L,v3"},
         {"v_add_f64 v[0:1], v[2:3], 1.0", "v_add_f64 dst=v0:2 src=v2:2,#3ff0000000000000:2"},
         {"v_cmp_lt_f32 vcc, v1, v2", "v_cmp_lt_f32 dst=s106:2 src=v1,v2"},
         {"v_cmpx_lt_u32 vcc, v1, v2", "v_cmpx_lt_u32 dst=s126:2,s106:2 src=v1,v2 wexec"},
         {"v_cmpx_lt_u32_e64 s[10:11], v1, v2", "v_cmpx_lt_u32 dst=s126:2,s10:2 src=v1,v2 wexec"},
         {"v_cndmask_b32 v1, v2, v3, vcc", "v_cndmask_b32 dst=v1 src=v2,v3,s106:2"},
         {"v_addc_co_u32 v1, vcc, v2, v3, vcc", "v_addc_co_u32 dst=v1,s106:2 src=v2,v3,s106:2"},
         {"v_addc_co_u32_e64 v1, s[2:3], v2, v3, s[4:5]", "v_addc_co_u32 dst=v1,s2:2 src=v2,v3,s4:2"},
         {"v_div_scale_f32 v1, vcc, v2, v3, v4", "v_div_scale_f32 dst=v1,s106:2 src=v2,v3,v4"},
         {"v_div_fmas_f32 v1, v2, -v3, v4", "v_div_fmas_f32 dst=v1 src=v2,-v3,v4,s106:2"},
         {"v_mad_u64_u32 v[0:1], s[2:3], v2, v3, v[4:5]", "v_mad_u64_u32 dst=v0:2,s2:2 src=v2,v3,v4:2"},
         {"v_readlane_b32 s1, v2, s3", "v_readlane_b32 dst=s1 src=v2,s3"},
         {"v_writelane_b32 v1, s2, m0", "v_writelane_b32 dst=v1 src=s2,s124 merges"},
         {"v_swap_b32 v1, v2", "v_swap_b32 dst=v1,v2 src=v2,v1"},
         {"v_fmac_f32 v1, v2, v3", "v_fmac_f32 dst=v1 src=v2,v3,v1"},
         {"v_fmac_f32_e64 v1, -v2, v3", "v_fmac_f32 dst=v1 src=-v2,v3,v1"},
         {"v_fmaak_f32 v1, v2, v3, 0x41200000", "v_fmaak_f32 dst=v1 src=v2,v3,#41200000L"},
         {"v_fmamk_f32 v1, v2, 0x41200000, v3", "v_fmamk_f32 dst=v1 src=v2,#41200000L,v3"},
         {"v_mov_b32_dpp v1, v2 row_shl:3 row_mask:0x3 bank_mask:0xf bound_ctrl:0",
          "v_mov_b32 dst=v1 src=v2 merges dpp=2:3:3:f bc"},
         {"v_add_f32_dpp v1, -v2, |v3| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
          "v_add_f32 dst=v1 src=-v2,|v3| merges dpp=1:b1:f:f"},
         {"v_add_f32_sdwa v1, v2, -v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:WORD_0",
          "v_add_f32 dst=v1 src=v2.b1,-v3.l merges sdwaDst=2"},
         {"v_add_u32_sdwa v1, sext(v2), v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD",
          "v_add_u32 dst=v1 src=v2.h/sext,v3 unused=0"},
         {"v_cmp_eq_u32_sdwa s[2:3], v2, v3 src0_sel:BYTE_1 src1_sel:DWORD", "v_cmp_eq_u32 dst=s2:2 src=v2.b1,v3"},
         {"v_cvt_f32_fp8_sdwa v1, v2 src0_sel:BYTE_2", "v_cvt_f32_fp8 dst=v1 src=v2.b2"},
         {"v_cvt_pk_fp8_f32 v1, v2, v3 op_sel:[0,0,1]", "v_cvt_pk_fp8_f32 dst=v1.h src=v2,v3 high merges"},
         {"v_cvt_sr_fp8_f32 v1, v2, v3 op_sel:[0,0,1,1]", "v_cvt_sr_fp8_f32 dst=v1.b3 src=v2,v3 merges"},
         {"v_fma_f16 v1, v2, v3, v4 op_sel:[1,0,0,1]", "v_fma_f16 dst=v1.h src=v2.h,v3,v4 high"},
         {"v_pk_fma_f16 v1, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[1,0,0] neg_hi:[0,1,0]",
          "v_pk_fma_f16 dst=v1 src=-v2/sel,v3/neghi/selhi,v4/selhi"},
         {"v_pk_fma_f32 v[0:1], v[2:3], s[4:5], v[6:7] op_sel_hi:[1,0,1]",
          "v_pk_fma_f32 dst=v0:2 src=v2:2/selhi,s4:2,v6:2/selhi"},
         {"v_pk_add_f16 v1, v2, 1.0", "v_pk_add_f16 dst=v1 src=v2/selhi,#3c00/selhi"},
         {"v_fma_mix_f32 v1, -v2, |v3|, v4 op_sel:[1,0,0] op_sel_hi:[1,1,0]",
          "v_fma_mix_f32 dst=v1 src=-v2/sel/selhi,|v3|/selhi,v4"},
         {"v_fma_mixhi_f16 v1, v2, v3, v4", "v_fma_mixhi_f16 dst=v1.h src=v2,v3,v4 high merges"},
         {"v_dot2c_f32_f16 v1, v2, v3", "v_dot2c_f32_f16 dst=v1 src=v2,v3,v1"},
         {"v_accvgpr_read_b32 v1, a2", "v_accvgpr_read_b32 dst=v1 src=a2"},
         {"v_mov_b32 v1, src_shared_base", "v_mov_b32 dst=v1 src=special3"},
         {"v_mbcnt_lo_u32_b32 v1, -1, 0", "v_mbcnt_lo_u32_b32 dst=v1 src=#ffffffff,#0"},
         {"v_pack_b32_f16 v1, v2, v3 op_sel:[1,0,0]", "v_pack_b32_f16 dst=v1 src=v2.h,v3"}});
}

TEST(Decode, VectorOfGfx11) {
  check("gfx1100", 32,
        {{"v_add_f16 v1.h, v2.l, v3.h", "v_add_f16 dst=v1.h src=v2.l,v3.h high"},
         {"v_fma_f16 v1.h, v2.l, v3.h, v200.l", "v_fma_f16 dst=v1.h src=v2.l,v3.h,v200.l high"},
         {"v_mov_b16 v1.h, 0", "v_mov_b16 dst=v1.h src=#0 high"},
         {"v_fmac_f16 v1.h, v2.l, v3.h", "v_fmac_f16 dst=v1.h src=v2.l,v3.h,v1.h high"},
         {"v_fmac_f16_e64_dpp v1.h, v2.l, v3.l row_shl:1", "v_fmac_f16 dst=v1.h src=v2.l,v3.l,v1.h high dpp=2:1:f:f"},
         {"v_add_f64 v[0:1], v[2:3], 0x40080001", "v_add_f64 dst=v0:2 src=v2:2,#4008000100000000L:2"},
         {"v_cmp_lt_f32 vcc_lo, v1, v2", "v_cmp_lt_f32 dst=s106 src=v1,v2"},
         {"v_cmpx_lt_f32 v1, v2", "v_cmpx_lt_f32 dst=s126 src=v1,v2 wexec"},
         {"v_cndmask_b32 v1, v2, v3, s3", "v_cndmask_b32 dst=v1 src=v2,v3,s3"},
         {"v_add_co_ci_u32 v1, vcc_lo, v2, v3, vcc_lo", "v_add_co_ci_u32 dst=v1,s106 src=v2,v3,s106"},
         {"v_mad_u64_u32 v[0:1], null, v2, v3, v[4:5]", "v_mad_u64_u32 dst=v0:2,s125 src=v2,v3,v4:2"},
         {"v_perm_b32 v0, v1, v2, 0x5040100", "v_perm_b32 dst=v0 src=v1,v2,#5040100L"},
         {"v_mov_b32_dpp v1, v2 row_xmask:3 row_mask:0xf bank_mask:0xf fi:1",
          "v_mov_b32 dst=v1 src=v2 merges dpp=14:3:f:f fi"},
         {"v_add_f32_dpp v1, v2, v3 dpp8:[7,6,5,4,3,2,1,0] fi:1",
          "v_add_f32 dst=v1 src=v2,v3 merges dpp=15:53977:f:f fi"},
         {"v_add_f32_e64_dpp v1, v2, -v3 clamp mul:2 row_share:3 row_mask:0xf bank_mask:0xf bound_ctrl:1",
          "v_add_f32 dst=v1 src=v2,-v3 clamp omod=1 merges dpp=13:3:f:f bc"},
         {"v_permlane16_b32 v1, v2, s3, s4 op_sel:[1,1]", "v_permlane16_b32 dst=v1 src=v2,s3,s4 merges bc fi"},
         {"v_permlane64_b32 v1, v2", "v_permlane64_b32 dst=v1 src=v2"},
         {"lds_direct_load v1 wait_vdst:3", "lds_direct_load dst=v1 imm=3"}});
  check("gfx1100", 64,
        {{"v_cmp_lt_f32 vcc, v1, v2", "v_cmp_lt_f32 dst=s106:2 src=v1,v2"},
         {"v_cndmask_b32 v1, v2, v3, vcc", "v_cndmask_b32 dst=v1 src=v2,v3,s106:2"}});
}

TEST(Decode, DualIssue) {
  check("gfx1100", 32,
        {{"v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, s4, v5",
          "v_dual {v_add_f32 dst=v0 src=v1,v2 | v_mul_f32 dst=v3 src=s4,v5}"},
         {"v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 0x1234",
          "v_dual {v_fmac_f32 dst=v0 src=v1,v2,v0 | v_mov_b32 dst=v3 src=#1234L}"},
         {"v_dual_cndmask_b32 v0, v1, v2 :: v_dual_add_nc_u32 v3, v4, v5",
          "v_dual {v_cndmask_b32 dst=v0 src=v1,v2,s106 | v_add_nc_u32 dst=v3 src=v4,v5}"},
         {"v_dual_fmaak_f32 v0, v1, v2, 0xaf12 :: v_dual_fmamk_f32 v3, v4, 0xaf12, v5",
          "v_dual {v_fmaak_f32 dst=v0 src=v1,v2,#af12L | v_fmamk_f32 dst=v3 src=v4,#af12L,v5}"},
         {"v_dual_dot2acc_f32_f16 v0, v1, v2 :: v_dual_lshlrev_b32 v3, 4, v5",
          "v_dual {v_dot2acc_f32_f16 dst=v0 src=v1,v2,v0 | v_lshlrev_b32 dst=v3 src=#4,v5}"}});
  check("gfx1201", 32,
        {{"v_dual_max_num_f32 v0, v1, v2 :: v_dual_sub_f32 v3, v4, v5",
          "v_dual {v_max_num_f32 dst=v0 src=v1,v2 | v_sub_f32 dst=v3 src=v4,v5}"}});
}

TEST(Decode, Matrix) {
  check("gfx942", 64,
        {{"v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1 abid:2 blgp:3",
          "v_mfma_f32_16x16x16_f16 dst=v0:4 src=v4:2,v6:2,v0:4 cbsz=1 abid=2 blgp=3"},
         {"v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], a[6:7], 1.0",
          "v_mfma_f32_16x16x16_f16 dst=a0:4 src=v4:2,a6:2,#3f800000:4"},
         {"v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] neg:[1,0,0]",
          "v_mfma_f64_16x16x4_f64 dst=v0:8 src=v8:2,v10:2,v0:8 blgp=1"},
         {"v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10 cbsz:1 abid:2",
          "v_smfmac_f32_16x16x32_f16 dst=v0:4 src=v4:2,v6:4,v0:4,v10 cbsz=1 abid=2"}});
  check("gfx950", 64,
        {{"v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[12:17], v[0:3] cbsz:4 blgp:2",
          "v_mfma_f32_16x16x128_f8f6f4 dst=v0:4 src=v4:4,v12:6,v0:4 cbsz=4 blgp=2"},
         {"v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], 1.0",
          "v_mfma_f64_16x16x4_f64 dst=v0:8 src=v8:2,v10:2,#3ff0000000000000:8"},
         {"v_permlane32_swap_b32 v0, v1", "v_permlane32_swap_b32 dst=v0,v1 src=v0,v1"},
         {"v_cvt_scalef32_f32_fp8 v0, v2, v3 op_sel:[0,1]", "v_cvt_scalef32_f32_fp8 dst=v0 src=v2.b2,v3"},
         {"v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, v3 op_sel:[0,0,1,1]",
          "v_cvt_scalef32_pk_fp4_f32 dst=v0.b3 src=v1,v2,v3 merges"},
         {"v_bitop3_b32 v0, v1, v2, v3 bitop3:0x6c", "v_bitop3_b32 dst=v0 src=v1,v2,v3 imm=108"}});
  check("gfx1100", 32,
        {{"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], 1.0",
          "v_wmma_f32_16x16x16_f16 dst=v0:8 src=v8:8,v16:8,#3f800000:8"},
         {"v_wmma_f16_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] op_sel:[0,0,1]",
          "v_wmma_f16_16x16x16_f16 dst=v0:8 src=v8:8/selhi,v16:8/selhi,v0:8/sel/selhi"},
         {"v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], v[0:7] neg_lo:[1,0,0] clamp",
          "v_wmma_i32_16x16x16_iu8 dst=v0:8 src=-v8:4,v12:4,v0:8 clamp"}});
  check("gfx1201", 32,
        {{"v_wmma_f32_16x16x16_bf16 v[0:7], v[8:11], v[12:15], -2.0",
          "v_wmma_f32_16x16x16_bf16 dst=v0:8 src=v8:4,v12:4,#c0000000:8"},
         {"v_wmma_bf16_16x16x16_bf16 v[0:3], v[4:7], v[8:11], 1.0",
          "v_wmma_bf16_16x16x16_bf16 dst=v0:4 src=v4:4,v8:4,#3f80:4"},
         {"v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[12:19], v20 index_key:1",
          "v_swmmac_f32_16x16x32_f16 dst=v0:8 src=v8:4,v12:8,v0:8,v20 imm=1"},
         {"v_cvt_f32_fp8_e64 v0, v1 byte_sel:2", "v_cvt_f32_fp8 dst=v0 src=v1.b2"}});
}

TEST(Decode, ScaleOperandsOfMfma) {
  std::vector<std::byte> code = assemble("gfx950", 64,
                                         "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3], v20, "
                                         "v21 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1\n");
  auto program = llvm::cantFail(decode(*llvm::cantFail(findTarget("gfx950")), 64, code));
  ASSERT_EQ(program->instructions.size(), 1u);
  const Instruction &inst = program->instructions[0];
  EXPECT_EQ(inst.size, 16u);
  ASSERT_EQ(inst.src.size(), 5u);
  EXPECT_EQ(describe(inst.src[3]), "v20/sel");
  EXPECT_EQ(describe(inst.src[4]), "v21/selhi");
  EXPECT_EQ(inst.cbsz, 1);
}

TEST(Decode, Scalar) {
  check("gfx942", 64,
        {{"s_mov_b64 exec, s[2:3]", "s_mov_b64 dst=s126:2 src=s2:2 wexec"},
         {"s_mov_b64 s[0:1], 0x80000000", "s_mov_b64 dst=s0:2 src=#80000000L:2"},
         {"s_and_saveexec_b64 s[0:1], vcc", "s_and_saveexec_b64 dst=s0:2 src=s106:2 wscc rexec wexec"},
         {"s_addc_u32 s0, s1, 64", "s_addc_u32 dst=s0 src=s1,#40 rscc wscc"},
         {"s_cmpk_gt_u32 s0, 0xffff", "s_cmpk_gt_u32 src=s0 imm=65535 wscc"},
         {"s_cmpk_gt_i32 s0, -1", "s_cmpk_gt_i32 src=s0 imm=-1 wscc"},
         {"s_movk_i32 s0, -5", "s_movk_i32 dst=s0 imm=-5"},
         {"s_addk_i32 s0, -5", "s_addk_i32 dst=s0 src=s0 imm=-5 wscc"},
         {"s_cmovk_i32 s0, 7", "s_cmovk_i32 dst=s0 imm=7 merges rscc"},
         {"s_bitset0_b32 s0, s1", "s_bitset0_b32 dst=s0 src=s1 merges"},
         {"s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)", "s_getreg_b32 dst=s0 imm=6145"},
         {"s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s2", "s_setreg_b32 src=s2 imm=6145"},
         {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0xf0", "s_setreg_imm32_b32 src=#f0L imm=6145"},
         {"s_waitcnt lgkmcnt(0)", "s_waitcnt imm=49279"},
         {"s_branch 65535", "s_branch imm=-1 target=4096"},
         {"s_cbranch_scc0 3", "s_cbranch_scc0 imm=3 target=4112 rscc"},
         {"s_cbranch_vccnz 3", "s_cbranch_vccnz src=s106:2 imm=3 target=4112"},
         {"s_swappc_b64 s[30:31], s[0:1]", "s_swappc_b64 dst=s30:2 src=s0:2"}});
  check("gfx1100", 32,
        {{"s_mov_b32 s0, null", "s_mov_b32 dst=s0 src=s125"},
         {"s_mov_b32 m0, ttmp3", "s_mov_b32 dst=s124 src=s111"},
         {"s_mov_b64 s[0:1], src_shared_base", "s_mov_b64 dst=s0:2 src=special3:2"},
         {"s_mov_b32 s0, lit(1)", "s_mov_b32 dst=s0 src=#1L"},
         {"s_waitcnt vmcnt(0)", "s_waitcnt imm=1015"},
         {"s_waitcnt_vscnt null, 0x3", "s_waitcnt_vscnt src=s125 imm=3"}});
  check("gfx1201", 32,
        {{"s_barrier_signal -1", "s_barrier_signal imm=-1"},
         {"s_barrier_signal m0", "s_barrier_signal src=s124"},
         {"s_barrier_wait -1", "s_barrier_wait imm=-1"},
         {"s_wait_loadcnt_dscnt 0x103", "s_wait_loadcnt_dscnt imm=259"},
         {"s_fmaak_f32 s0, s1, s2, 0x1234", "s_fmaak_f32 dst=s0 src=s1,s2,#1234L"},
         {"s_fmac_f32 s0, s1, s2", "s_fmac_f32 dst=s0 src=s1,s2,s0"},
         {"s_and_b32 s0, ttmp7, 0xffff", "s_and_b32 dst=s0 src=s115,#ffffL wscc"}});
}

TEST(Decode, MemoryOfGfx9) {
  check(
      "gfx942", 64,
      {{"s_load_dwordx2 s[4:5], s[2:3], s8 offset:-4", "s_load_dwordx2 dst=s4:2 saddr=s2:2 soffset=s8 offset=-4"},
       {"s_buffer_load_dword s0, s[4:7], 0x10", "s_buffer_load_dword dst=s0 saddr=s4:4 offset=16"},
       {"ds_read2_b32 v[0:1], v2 offset0:1 offset1:3", "ds_read2_b32 dst=v0:2 vaddr=v2 offset=1 offset1=3"},
       {"ds_write2_b32 v1, v2, v3 offset0:1 offset1:2", "ds_write2_b32 vaddr=v1 vdata=v2 vdata1=v3 offset=1 offset1=2"},
       {"ds_add_rtn_u32 v0, v1, v2 offset:4", "ds_add_rtn_u32 dst=v0 vaddr=v1 vdata=v2 offset=4 returns"},
       {"ds_cmpst_b32 v1, v2, v3", "ds_cmpst_b32 vaddr=v1 vdata=v2 vdata1=v3"},
       {"ds_swizzle_b32 v1, v2 offset:swizzle(BROADCAST,8,4)", "ds_swizzle_b32 dst=v1 vaddr=v2 offset=152 imm=152"},
       {"ds_bpermute_b32 v0, v1, v2 offset:4", "ds_bpermute_b32 dst=v0 vaddr=v1 vdata=v2 offset=4"},
       {"ds_read_u16_d16_hi v0, v1", "ds_read_u16_d16_hi dst=v0 vaddr=v1 merges"},
       {"global_load_dword v1, v[2:3], off offset:-16", "global_load_dword dst=v1 vaddr=v2:2 offset=-16"},
       {"global_load_dwordx4 v[4:7], v1, s[2:3] offset:16 sc0 nt",
        "global_load_dwordx4 dst=v4:4 vaddr=v1 saddr=s2:2 offset=16 cpol=3"},
       {"global_load_short_d16_hi v1, v[2:3], off", "global_load_short_d16_hi dst=v1 vaddr=v2:2 merges"},
       {"global_store_dwordx4 v1, v[4:7], s[2:3]", "global_store_dwordx4 vaddr=v1 saddr=s2:2 vdata=v4:4"},
       {"global_atomic_add v3, v[0:1], v2, off sc0", "global_atomic_add dst=v3 vaddr=v0:2 vdata=v2 returns cpol=1"},
       {"global_load_lds_dword v1, s[2:3]", "global_load_lds_dword vaddr=v1 saddr=s2:2 lds"},
       {"flat_load_dword v1, v[2:3] offset:4095", "flat_load_dword dst=v1 vaddr=v2:2 offset=4095"},
       {"scratch_load_dword v1, v2, s3 offset:-4", "scratch_load_dword dst=v1 vaddr=v2 saddr=s3 offset=-4"},
       {"scratch_store_dword off, v1, off offset:4", "scratch_store_dword vdata=v1 offset=4"},
       {"scratch_store_dwordx4 v9, v[4:7], s3", "scratch_store_dwordx4 vaddr=v9 saddr=s3 vdata=v4:4"},
       {"buffer_load_dword v1, v[2:3], s[4:7], m0 idxen offen",
        "buffer_load_dword dst=v1 vaddr=v2:2 saddr=s4:4 soffset=s124 offen idxen"},
       {"buffer_load_dword v1, v2, s[4:7], 0 offen", "buffer_load_dword dst=v1 vaddr=v2 saddr=s4:4 soffset=#0 offen"},
       {"buffer_load_dword v2, s[4:7], s8 offen lds", "buffer_load_dword vaddr=v2 saddr=s4:4 soffset=s8 offen lds"},
       {"buffer_store_dword v1, v2, s[4:7], 0 offen sc1",
        "buffer_store_dword vaddr=v2 saddr=s4:4 soffset=#0 vdata=v1 offen cpol=16"},
       {"buffer_atomic_add v1, v2, s[4:7], 0 offen sc0",
        "buffer_atomic_add dst=v1 vaddr=v2 saddr=s4:4 soffset=#0 vdata=v1 offen returns cpol=1"},
       {"buffer_inv sc0 sc1", "buffer_inv cpol=17"}});
}

TEST(Decode, MemoryOfRdna) {
  check("gfx1100", 32,
        {{"ds_load_2addr_b32 v[0:1], v2 offset0:1 offset1:2", "ds_load_2addr_b32 dst=v0:2 vaddr=v2 offset=1 offset1=2"},
         {"global_load_b128 v[0:3], v4, s[2:3] offset:-16 glc slc dlc",
          "global_load_b128 dst=v0:4 vaddr=v4 saddr=s2:2 offset=-16 cpol=7"},
         {"flat_load_b32 v0, v[2:3] offset:4095", "flat_load_b32 dst=v0 vaddr=v2:2 offset=4095"},
         {"scratch_load_b32 v0, off, s3 offset:-4", "scratch_load_b32 dst=v0 saddr=s3 offset=-4"},
         {"buffer_store_b32 v0, off, s[4:7], null", "buffer_store_b32 saddr=s4:4 soffset=s125 vdata=v0"},
         {"s_load_b32 s0, s[2:3], null", "s_load_b32 dst=s0 saddr=s2:2 soffset=s125"}});
  check("gfx1201", 32,
        {{"global_load_b32 v0, v1, s[2:3] offset:-4 th:TH_LOAD_NT scope:SCOPE_DEV",
          "global_load_b32 dst=v0 vaddr=v1 saddr=s2:2 offset=-4 cpol=17"},
         {"flat_load_b32 v0, v[2:3] offset:-4", "flat_load_b32 dst=v0 vaddr=v2:2 offset=-4"},
         {"global_inv scope:SCOPE_SE", "global_inv cpol=8"},
         {"global_load_tr_b128 v[0:3], v[4:5], off", "global_load_tr_b128 dst=v0:4 vaddr=v4:2"},
         {"s_load_b32 s0, s[2:3], s4 offset:-0x10", "s_load_b32 dst=s0 saddr=s2:2 soffset=s4 offset=-16"}});
}

TEST(Decode, UnknownWordsAreFourBytes) {
  const Target &target = *llvm::cantFail(findTarget("gfx942"));
  uint32_t words[] = {0xbf800003, 0xffffffff, 0xbf810000}; // s_nop 3, nothing, s_endpgm
  auto program = llvm::cantFail(decode(target, 64, llvm::ArrayRef(reinterpret_cast<const std::byte *>(words), 11)));
  ASSERT_EQ(program->instructions.size(), 3u);
  EXPECT_EQ(program->instructions[0].name, "s_nop");
  EXPECT_EQ(program->instructions[1].encoding, Encoding::Unknown);
  EXPECT_EQ(program->instructions[1].size, 4u);
  EXPECT_EQ(program->instructions[2].encoding, Encoding::Unknown); // cut off after three bytes
  EXPECT_EQ(program->instructions[2].size, 3u);
}

TEST(Decode, WordsThatLlvmCannotTake) {
  // A literal where gfx9's 64-bit encodings have none, and a reserved SDWA selection, end LLVM 22's process.
  const Target &target = *llvm::cantFail(findTarget("gfx942"));
  for (uint64_t word : {0x00020501d04100ffull, 0x000204ffd1010001ull, 0xff010203e0500000ull, 0x0007fe440acdb0f9ull}) {
    auto program = llvm::cantFail(decode(target, 64, llvm::ArrayRef(reinterpret_cast<const std::byte *>(&word), 8)));
    EXPECT_EQ(program->instructions[0].encoding, Encoding::Unknown) << std::hex << word;
  }
  // An f8f6f4 matrix instruction whose B is a scalar.
  uint64_t matrix = 0x8d30db9ed3ae00d8ull;
  auto program = llvm::cantFail(decode(*llvm::cantFail(findTarget("gfx950")), 64,
                                       llvm::ArrayRef(reinterpret_cast<const std::byte *>(&matrix), 8)));
  EXPECT_EQ(program->instructions[0].encoding, Encoding::Unknown);
  // Barrier operations of gfx12 with a literal as barrier id make it fault.
  const Target &gfx12 = *llvm::cantFail(findTarget("gfx1201"));
  for (uint64_t opcode = 0x4e; opcode <= 0x52; ++opcode) {
    uint64_t word = 0x12345678ull << 32 | 0xbe9000ff | opcode << 8;
    auto program = llvm::cantFail(decode(gfx12, 32, llvm::ArrayRef(reinterpret_cast<const std::byte *>(&word), 8)));
    EXPECT_EQ(program->instructions[0].encoding, Encoding::Unknown) << std::hex << word;
  }
}

/// LLVM 22's disassembler faults on these; the literal must come out as it is.
TEST(Decode, SixteenBitMultiplyAddsWithALiteralOf255) {
  check("gfx1100", 32,
        {{"v_fmaak_f16 v0.l, v1.l, v2.l, 0xff", "v_fmaak_f16 dst=v0.l src=v1.l,v2.l,#ffL"},
         {"v_fmamk_f16 v0.l, v1.l, 0xff, v2.l", "v_fmamk_f16 dst=v0.l src=v1.l,#ffL,v2.l"}});
  check("gfx942", 64,
        {{"v_madak_f16 v0, v1, v2, 0xff", "v_madak_f16 dst=v0 src=v1,v2,#ffL"},
         {"v_madmk_f16 v0, v1, 0xff, v2", "v_madmk_f16 dst=v0 src=v1,#ffL,v2"},
         {"v_madak_f16 v0, v1, v2, 0x1ff", "v_madak_f16 dst=v0 src=v1,v2,#1ffL"}});
}

TEST(Decode, RefusesWaveSizesThatTheChipLacks) {
  auto program = decode(*llvm::cantFail(findTarget("gfx942")), 32, {});
  ASSERT_FALSE(bool(program));
  EXPECT_EQ(llvm::toString(program.takeError()), "gfx942 has no waves of 32 lanes; use 64");
}

TEST(Decode, BlocksStartAtTargetsAndAfterBranches) {
  std::vector<std::byte> code = assemble("gfx1100", 32,
                                         "s_mov_b32 s0, 0\nL:\ns_add_u32 s0, s0, 1\n"
                                         "s_cmp_lt_u32 s0, 9\ns_cbranch_scc1 L\ns_endpgm\n");
  auto program = llvm::cantFail(decode(*llvm::cantFail(findTarget("gfx1100")), 32, code, 0x2000));
  EXPECT_EQ(program->blocks, (std::vector<uint32_t>{0, 1, 4}));
  EXPECT_EQ(program->instructions[3].target, 0x2004u);
  EXPECT_EQ(program->indexAt(0x2004), 1);
  EXPECT_EQ(program->indexAt(0x2006), -1);
}

} // namespace
