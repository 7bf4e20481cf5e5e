//===- hip/math_functions.h - the math functions come with hip_runtime.h --------------------------===//
#pragma once

#include "hip_runtime.h"
