// Eight chains of fused multiply-adds that depend on nothing but themselves: the vector unit and nothing else.
extern "C" __attribute__((global)) void valu(float *out, int n) {
  int lane = __builtin_amdgcn_workitem_id_x();
  float a = 1.0f + lane * 0x1p-20f, b = 0x1p-10f;
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = i + lane;
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      x[i] = __builtin_fmaf(x[i], a, b);
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += x[i];
  out[__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + lane] = sum;
}
