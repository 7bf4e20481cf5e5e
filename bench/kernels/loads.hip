// Loads and nothing else: eight in a row, then one wait. The text names the instruction, so that no compiler turns it
// into another.
typedef float float4 __attribute__((ext_vector_type(4)));
#if defined(__gfx942__) || defined(__gfx950__)
#define LDS "ds_read_b128"
#define WIDE "global_load_dwordx4"
#define NARROW "global_load_dword"
#else
#define LDS "ds_load_b128"
#define WIDE "global_load_b128"
#define NARROW "global_load_b32"
#endif
#if defined(__gfx1201__)
#define WAIT "s_wait_dscnt 0\ns_wait_loadcnt 0"
#else
#define WAIT "s_waitcnt vmcnt(0) lgkmcnt(0)"
#endif
#define EIGHT(TEXT, OUT, ADDRESS, TAIL, STEP)                                                                          \
  asm volatile(TEXT " %0, %8" TAIL " offset:0*" STEP "\n" TEXT " %1, %8" TAIL " offset:1*" STEP "\n" TEXT              \
                    " %2, %8" TAIL " offset:2*" STEP "\n" TEXT " %3, %8" TAIL " offset:3*" STEP "\n" TEXT              \
                    " %4, %8" TAIL " offset:0*" STEP "\n" TEXT " %5, %8" TAIL " offset:1*" STEP "\n" TEXT              \
                    " %6, %8" TAIL " offset:2*" STEP "\n" TEXT " %7, %8" TAIL " offset:3*" STEP "\n" WAIT              \
               : "=&v"(OUT[0]), "=&v"(OUT[1]), "=&v"(OUT[2]), "=&v"(OUT[3]), "=&v"(OUT[4]), "=&v"(OUT[5]),             \
                 "=&v"(OUT[6]), "=&v"(OUT[7])                                                                          \
               : "v"(ADDRESS)                                                                                          \
               : "memory")

extern "C" __attribute__((global)) void lds(float *out, int n) {
  __attribute__((shared)) static float4 tile[1024];
  unsigned lane = __builtin_amdgcn_workitem_id_x();
  for (unsigned i = lane; i < 1024; i += 256)
    tile[i] = float4(lane);
  __builtin_amdgcn_s_barrier();
  unsigned address = (unsigned)(unsigned long)(__attribute__((address_space(3))) float4 *)&tile[lane & 63];
  float4 x[8];
  for (int k = 0; k < n; ++k)
    EIGHT(LDS, x, address, "", "1024");
  out[__builtin_amdgcn_workgroup_id_x() * 256 + lane] = x[0][0] + x[7][3];
}

// Every wave reads the same 8 KiB again and again: the host's cache, not its memory.
extern "C" __attribute__((global)) void contiguous(float *out, const float4 *in, int n) {
  unsigned lane = __builtin_amdgcn_workitem_id_x();
  const float4 *from = in + (lane & 63);
  float4 x[8];
  for (int k = 0; k < n; ++k)
    EIGHT(WIDE, x, from, ", off", "1024");
  out[__builtin_amdgcn_workgroup_id_x() * 256 + lane] = x[0][0] + x[7][3];
}

extern "C" __attribute__((global)) void gather(float *out, const float *in, int n) {
  unsigned lane = __builtin_amdgcn_workitem_id_x();
  const float *from = in + (lane * 167u & 1023u);
  float x[8];
  for (int k = 0; k < n; ++k)
    EIGHT(NARROW, x, from, ", off", "4");
  out[__builtin_amdgcn_workgroup_id_x() * 256 + lane] = x[0] + x[7];
}

// What a launch costs when there is nothing to do.
extern "C" __attribute__((global)) void nothing() {}
