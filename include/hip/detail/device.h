//===- hip/detail/device.h - ids, barriers, fences, lanes, clocks, printf and assert --------------===//
#pragma once

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_DEVICE __attribute__((device, always_inline)) static inline

// Ids: threadIdx.x is a call of the compiler's builtin.
#define HIP_INDEX(name, X, Y, Z)                                                                                       \
  struct __hip_##name##_t {                                                                                            \
    __declspec(property(get = __get_x)) unsigned x;                                                                    \
    __declspec(property(get = __get_y)) unsigned y;                                                                    \
    __declspec(property(get = __get_z)) unsigned z;                                                                    \
    __attribute__((device, always_inline)) unsigned __get_x() const { return X; }                                      \
    __attribute__((device, always_inline)) unsigned __get_y() const { return Y; }                                      \
    __attribute__((device, always_inline)) unsigned __get_z() const { return Z; }                                      \
    __attribute__((device, always_inline)) operator dim3() const { return dim3(X, Y, Z); }                             \
  };                                                                                                                   \
  extern const __attribute__((device, weak)) __hip_##name##_t name;
HIP_DEVICE unsigned __hip_grid_groups(int axis) {
  typedef const unsigned __attribute__((address_space(4))) * Implicit;
  return (
      (Implicit)__builtin_amdgcn_implicitarg_ptr())[axis]; // hidden_block_count_x, y, z (AMDGPUUsage, code object V5)
}
HIP_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
          __builtin_amdgcn_workitem_id_z())
HIP_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
          __builtin_amdgcn_workgroup_id_z())
HIP_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
          __builtin_amdgcn_workgroup_size_z())
HIP_INDEX(gridDim, __hip_grid_groups(0), __hip_grid_groups(1), __hip_grid_groups(2))
#undef HIP_INDEX
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

/// Lanes of a wave of the chip that is compiled for; on the host, that of CDNA.
struct __hip_warp_size_t {
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__GFX9__)
  __attribute__((host, device)) constexpr operator int() const noexcept { return 32; }
#else
  __attribute__((host, device)) constexpr operator int() const noexcept { return 64; }
#endif
};
static constexpr __attribute__((device)) __hip_warp_size_t warpSize{};

#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_SYMBOL(x) x
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, sharedBytes, stream, ...)                                              \
  (kernel)<<<dim3(grid), dim3(block), sharedBytes, stream>>>(__VA_ARGS__)

// Fences and barriers --------------------------------------------------------------------------------

HIP_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
HIP_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
HIP_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

__attribute__((device, always_inline, convergent)) static inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// Adds over the work-group: every work-item gives a value and gets the sum.
__attribute__((device, convergent)) static inline int __hip_group_sum(int value) {
  __shared__ int sum;
  bool first = threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0;
  if (first)
    sum = 0;
  __syncthreads();
  if (value)
    __hip_atomic_fetch_add(&sum, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  int result = sum;
  __syncthreads();
  return result;
}
__attribute__((device, convergent)) static inline int __syncthreads_count(int predicate) {
  return __hip_group_sum(predicate != 0);
}
__attribute__((device, convergent)) static inline int __syncthreads_and(int predicate) {
  return __hip_group_sum(predicate == 0) == 0;
}
__attribute__((device, convergent)) static inline int __syncthreads_or(int predicate) {
  return __hip_group_sum(predicate != 0) != 0;
}
__attribute__((device, always_inline, convergent)) static inline void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

// Lanes ----------------------------------------------------------------------------------------------

HIP_DEVICE unsigned __lane_id() {
  unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0u);
  return warpSize == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}
HIP_DEVICE unsigned long long __lanemask_lt() { return (1ull << __lane_id()) - 1; }
HIP_DEVICE unsigned long long __lanemask_le() { return (2ull << __lane_id()) - 1; }
HIP_DEVICE unsigned long long __lanemask_eq() { return 1ull << __lane_id(); }
HIP_DEVICE unsigned long long __lanemask_gt() { return ~__lanemask_le(); }

HIP_DEVICE unsigned long long __ballot(int predicate) {
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__GFX9__)
  return __builtin_amdgcn_ballot_w32(predicate != 0);
#else
  return __builtin_amdgcn_ballot_w64(predicate != 0);
#endif
}
HIP_DEVICE unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
HIP_DEVICE unsigned long long __activemask() { return __ballot(1); }
HIP_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
HIP_DEVICE int __all(int predicate) { return __ballot(predicate == 0) == 0; }
HIP_DEVICE unsigned long long __ballot_sync(unsigned long long mask, int predicate) {
  return __ballot(predicate) & mask;
}
HIP_DEVICE int __any_sync(unsigned long long mask, int predicate) { return (__ballot(predicate) & mask) != 0; }
HIP_DEVICE int __all_sync(unsigned long long mask, int predicate) { return (__ballot(predicate == 0) & mask) == 0; }

/// Any trivially copyable value of another lane, dword by dword.
template <class T> HIP_DEVICE T __hip_from_lane(T value, int lane) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  int in[words] = {}, out[words];
  __builtin_memcpy(in, &value, sizeof(T));
  for (unsigned i = 0; i < words; ++i)
    out[i] = __builtin_amdgcn_ds_bpermute(lane << 2, in[i]);
  T result;
  __builtin_memcpy(&result, out, sizeof(T));
  return result;
}
template <class T> HIP_DEVICE T __shfl(T value, int lane, int width = warpSize) {
  int self = __lane_id();
  return __hip_from_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}
template <class T> HIP_DEVICE T __shfl_up(T value, unsigned delta, int width = warpSize) {
  int self = __lane_id(), from = self - int(delta);
  return __hip_from_lane(value, from < (self & ~(width - 1)) ? self : from);
}
template <class T> HIP_DEVICE T __shfl_down(T value, unsigned delta, int width = warpSize) {
  int self = __lane_id(), within = self & (width - 1);
  return __hip_from_lane(value, within + int(delta) >= width ? self : self + int(delta));
}
template <class T> HIP_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {
  int self = __lane_id(), from = self ^ mask;
  return __hip_from_lane(value, from >= ((self + width) & ~(width - 1)) ? self : from);
}
template <class T> HIP_DEVICE T __shfl_sync(unsigned long long, T value, int lane, int width = warpSize) {
  return __shfl(value, lane, width);
}
template <class T> HIP_DEVICE T __shfl_up_sync(unsigned long long, T value, unsigned delta, int width = warpSize) {
  return __shfl_up(value, delta, width);
}
template <class T> HIP_DEVICE T __shfl_down_sync(unsigned long long, T value, unsigned delta, int width = warpSize) {
  return __shfl_down(value, delta, width);
}
template <class T> HIP_DEVICE T __shfl_xor_sync(unsigned long long, T value, int mask, int width = warpSize) {
  return __shfl_xor(value, mask, width);
}
template <class T> HIP_DEVICE bool __hip_same_bits(const T &a, const T &b) {
  for (unsigned i = 0; i < sizeof(T); ++i)
    if (reinterpret_cast<const unsigned char *>(&a)[i] != reinterpret_cast<const unsigned char *>(&b)[i])
      return false;
  return true;
}
/// The lanes of `mask` whose value is that of this lane.
template <class T> HIP_DEVICE unsigned long long __match_any_sync(unsigned long long mask, T value) {
  unsigned long long left = __activemask() & mask, same = 0;
  while (left) {
    int lane = __builtin_ctzll(left);
    T theirs = __hip_from_lane(value, lane);
    unsigned long long equal = __ballot(__hip_same_bits(theirs, value)) & mask;
    if (equal >> __lane_id() & 1)
      same = equal;
    left &= ~equal;
  }
  return same;
}
template <class T> HIP_DEVICE unsigned long long __match_all_sync(unsigned long long mask, T value, int *all) {
  unsigned long long same = __match_any_sync(mask, value);
  *all = same == (__activemask() & mask);
  return *all ? same : 0;
}

// Time -----------------------------------------------------------------------------------------------

HIP_DEVICE long long clock64() { return (long long)__builtin_readcyclecounter(); }
HIP_DEVICE int clock() { return int(clock64()); }
HIP_DEVICE long long wall_clock64() { return (long long)__builtin_readsteadycounter(); }
HIP_DEVICE void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(8); }

// printf and assert ----------------------------------------------------------------------------------

/// What clang's expansion of printf (-mprintf-kind=buffered) calls: room for one record in the buffer of the hidden
/// argument hidden_printf_buffer, or null. wavewright/runtime/printf.h tells the layout.
extern "C" __attribute__((device, weak, noinline)) void *__printf_alloc(unsigned bytes) {
  constexpr int PrintfBufferOffset = 72; // hidden arguments of code object V5 and later (AMDGPUUsage)
  typedef unsigned __attribute__((address_space(1))) * Words;
  typedef Words const __attribute__((address_space(4))) * Implicit;
  Words buffer = *(Implicit)((const char __attribute__((address_space(4))) *)__builtin_amdgcn_implicitarg_ptr() +
                             PrintfBufferOffset);
  if (!buffer)
    return nullptr;
  unsigned size = buffer[1], used = __hip_atomic_load(buffer, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  do {
    if (used > size || bytes > size - used)
      return nullptr;
  } while (!__hip_atomic_compare_exchange_weak(buffer, &used, used + bytes, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT));
  return (void *)(buffer + 2) == nullptr ? nullptr
                                         : (void *)((char __attribute__((address_space(1))) *)(buffer + 2) + used);
}
extern "C" __attribute__((device)) int printf(const char *format, ...);

/// In a function of its own: LLVM 22 does not finish selecting the blocks of a function for gfx1100 that stand behind
/// one that traps.
extern "C" __attribute__((device, weak, noinline, noreturn)) void __hip_trap() { __builtin_trap(); }
extern "C" __attribute__((device, weak, noinline, noreturn)) void
__assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  printf("%s:%u: %s: Device-side assertion `%s' failed.\n", file, line, function, expression);
  __hip_trap();
}
extern "C" __attribute__((device, weak, noinline, noreturn)) void abort() { __hip_trap(); }

// Integers -------------------------------------------------------------------------------------------

HIP_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
HIP_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HIP_DEVICE int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
HIP_DEVICE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
HIP_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
HIP_DEVICE int __ffs(unsigned x) { return __builtin_ffs(int(x)); }
HIP_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
HIP_DEVICE int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
HIP_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HIP_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
HIP_DEVICE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
HIP_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
HIP_DEVICE int __mulhi(int a, int b) { return int(((long long)a * b) >> 32); }
HIP_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return unsigned(((unsigned long long)a * b) >> 32); }
HIP_DEVICE long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
HIP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
HIP_DEVICE int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
HIP_DEVICE int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
HIP_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b) >> 1); }
HIP_DEVICE unsigned __urhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b + 1) >> 1); }
HIP_DEVICE unsigned __sad(int a, int b, unsigned c) { return c + unsigned(a > b ? (unsigned)a - b : (unsigned)b - a); }
HIP_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
/// Byte i of the result is byte (selector >> 4i) & 7 of the eight bytes of low and high.
HIP_DEVICE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  unsigned long long bytes = (unsigned long long)high << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= unsigned(bytes >> ((selector >> 4 * i & 7) * 8) & 0xff) << 8 * i;
  return result;
}
HIP_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return __builtin_elementwise_fshl(high, low, shift & 31);
}
HIP_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return __builtin_elementwise_fshr(high, low, shift & 31);
}
HIP_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
HIP_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
HIP_DEVICE unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  return width == 0 ? 0 : (x >> (offset & 31)) & (width >= 32 ? ~0u : (1u << width) - 1);
}
HIP_DEVICE unsigned __bitinsert_u32(unsigned to, unsigned from, unsigned offset, unsigned width) {
  unsigned mask = (width >= 32 ? ~0u : (1u << width) - 1) << (offset & 31);
  return (to & ~mask) | ((from << (offset & 31)) & mask);
}

#define HIP_BITCAST(name, From, To)                                                                                    \
  HIP_DEVICE To name(From x) { return __builtin_bit_cast(To, x); }
HIP_BITCAST(__float_as_int, float, int)
HIP_BITCAST(__float_as_uint, float, unsigned)
HIP_BITCAST(__int_as_float, int, float)
HIP_BITCAST(__uint_as_float, unsigned, float)
HIP_BITCAST(__double_as_longlong, double, long long)
HIP_BITCAST(__longlong_as_double, long long, double)
#undef HIP_BITCAST
HIP_DEVICE int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
HIP_DEVICE int __double2loint(double x) { return int(__double_as_longlong(x)); }
HIP_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)high << 32 | unsigned(low));
}

// Conversions: rn nearest even, rz to zero, rd down, ru up; they saturate, and NaN gives 0.
#define HIP_TO_INTEGER(From, from, To, to)                                                                             \
  HIP_DEVICE To __##from##2##to##_rn(From x) { return __hip_saturate<To>(__builtin_elementwise_roundeven(x)); }        \
  HIP_DEVICE To __##from##2##to##_rz(From x) { return __hip_saturate<To>(__builtin_elementwise_trunc(x)); }            \
  HIP_DEVICE To __##from##2##to##_rd(From x) { return __hip_saturate<To>(__builtin_elementwise_floor(x)); }            \
  HIP_DEVICE To __##from##2##to##_ru(From x) { return __hip_saturate<To>(__builtin_elementwise_ceil(x)); }
template <class To, class From> HIP_DEVICE To __hip_saturate(From x) {
  constexpr bool isSigned = To(-1) < To(0);
  constexpr int bits = int(sizeof(To)) * 8 - isSigned;
  const From end = From(1ull << (bits - 1)) * 2;
  if (x != x)
    return 0;
  if (x >= end)
    return isSigned ? To(~(1ull << bits) & (~0ull >> (63 - bits))) : To(~0ull);
  if (x < (isSigned ? -end : From(0)))
    return isSigned ? To(1ull << bits) : To(0);
  return To(x);
}
HIP_TO_INTEGER(float, float, int, int)
HIP_TO_INTEGER(float, float, unsigned, uint)
HIP_TO_INTEGER(float, float, long long, ll)
HIP_TO_INTEGER(float, float, unsigned long long, ull)
HIP_TO_INTEGER(double, double, int, int)
HIP_TO_INTEGER(double, double, unsigned, uint)
HIP_TO_INTEGER(double, double, long long, ll)
HIP_TO_INTEGER(double, double, unsigned long long, ull)
#undef HIP_TO_INTEGER
HIP_DEVICE float __int2float_rn(int x) { return float(x); }
HIP_DEVICE float __uint2float_rn(unsigned x) { return float(x); }
HIP_DEVICE float __ll2float_rn(long long x) { return float(x); }
HIP_DEVICE float __ull2float_rn(unsigned long long x) { return float(x); }
HIP_DEVICE double __int2double_rn(int x) { return double(x); }
HIP_DEVICE double __uint2double_rn(unsigned x) { return double(x); }
HIP_DEVICE double __ll2double_rn(long long x) { return double(x); }
HIP_DEVICE double __ull2double_rn(unsigned long long x) { return double(x); }
HIP_DEVICE float __double2float_rn(double x) { return float(x); }

// Memory and strings.
extern "C" {
__attribute__((device)) inline void *memcpy(void *to, const void *from, __SIZE_TYPE__ bytes) {
  return __builtin_memcpy(to, from, bytes);
}
__attribute__((device)) inline void *memmove(void *to, const void *from, __SIZE_TYPE__ bytes) {
  return __builtin_memmove(to, from, bytes);
}
__attribute__((device)) inline void *memset(void *to, int value, __SIZE_TYPE__ bytes) {
  return __builtin_memset(to, value, bytes);
}
__attribute__((device)) inline int memcmp(const void *a, const void *b, __SIZE_TYPE__ bytes) {
  auto *x = static_cast<const unsigned char *>(a), *y = static_cast<const unsigned char *>(b);
  for (__SIZE_TYPE__ i = 0; i < bytes; ++i)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}
__attribute__((device)) inline __SIZE_TYPE__ strlen(const char *text) {
  __SIZE_TYPE__ length = 0;
  while (text[length])
    ++length;
  return length;
}
}

// Read-only loads are loads.
template <class T> HIP_DEVICE T __ldg(const T *pointer) { return *pointer; }

#endif
