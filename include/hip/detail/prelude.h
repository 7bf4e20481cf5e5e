//===- hip/detail/prelude.h - what stands before every other header -------------------------------===//
//
// `wavewright hipcc` includes this first, so that the device's overloads of the math functions are there before <cmath>
// declares the host's. clang's own headers give the functions their names; detail/ocml_*.h are what they call.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#if defined(__HIP__) && defined(__cplusplus)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds_1__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __launch_bounds_2__(threads, waves)                                                                            \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define __launch_bounds_select__(one, two, name, ...) name
#define __launch_bounds__(...)                                                                                         \
  __launch_bounds_select__(__VA_ARGS__, __launch_bounds_2__, __launch_bounds_1__)(__VA_ARGS__)

#include <cmath>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

// The order counts.
// clang-format off
#include <__clang_hip_libdevice_declares.h>
#include <__clang_hip_math.h>
#include <__clang_cuda_math_forward_declares.h>
#include <__clang_hip_cmath.h>
// clang-format on

#endif
