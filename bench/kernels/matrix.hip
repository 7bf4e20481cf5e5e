// Four independent accumulators of the chip's bf16 matrix instruction: the matrix unit and nothing else.
typedef __bf16 bf4 __attribute__((ext_vector_type(4)));
typedef __bf16 bf8 __attribute__((ext_vector_type(8)));
typedef short short4 __attribute__((ext_vector_type(4)));
typedef short short8 __attribute__((ext_vector_type(8)));
typedef short short16 __attribute__((ext_vector_type(16)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float8 __attribute__((ext_vector_type(8)));

#if defined(__gfx942__)
using Input = short4;
using Sum = float4;
#define MATRIX(a, b, c) __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0)
#elif defined(__gfx950__)
using Input = bf8;
using Sum = float4;
#define MATRIX(a, b, c) __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, c, 0, 0, 0)
#elif defined(__gfx1201__)
using Input = short8;
using Sum = float8;
#define MATRIX(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c)
#else
using Input = short16;
using Sum = float8;
#define MATRIX(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c)
#endif

extern "C" __attribute__((global)) void matrix(float *out, int n) {
  int lane = __builtin_amdgcn_workitem_id_x();
  unsigned bits[sizeof(Input) / 4];
  // Small numbers of both signs, two in a register; lanes of both halves hold the same on gfx11.
  for (unsigned i = 0; i < sizeof(bits) / 4; ++i)
    bits[i] = 0x3d003c80u ^ ((lane & 15) * 0x01000100u & 0x00ff00ffu) ^ (i & 1 ? 0x80000000u : 0u);
  Input a, b;
  __builtin_memcpy(&a, bits, sizeof(a));
  for (unsigned i = 0; i < sizeof(bits) / 4; ++i)
    bits[i] ^= 0x00010004u;
  __builtin_memcpy(&b, bits, sizeof(b));
  Sum sums[4] = {};
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sums[i] = MATRIX(a, b, sums[i]);
  float total = 0;
  for (int i = 0; i < 4; ++i)
    for (unsigned j = 0; j < sizeof(Sum) / 4; ++j)
      total += sums[i][j];
  out[__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + lane] = total;
}
