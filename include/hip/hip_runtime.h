//===- hip/hip_runtime.h - HIP programs include this ----------------------------------------------===//
//
// Written for clang 22 with -nogpuinc -nogpulib: `wavewright hipcc` gives these options. docs/hip.md lists what is
// offered.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "detail/prelude.h"
#include "hip_runtime_api.h"
#include "hip_vector_types.h"

#if defined(__HIP__) && defined(__cplusplus)
#include "detail/device.h"

#include "detail/atomics.h"
#include "detail/ocml.h"
#endif
