// o = a * s + b, sixteen bytes a lane: two loads and a store for four multiply-adds.
typedef float float4 __attribute__((ext_vector_type(4)));
extern "C" __attribute__((global)) void memory(float4 *out, const float4 *a, const float4 *b, float s, int n, int stride) {
  int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  for (; i < n; i += stride)
    out[i] = a[i] * s + b[i];
}
