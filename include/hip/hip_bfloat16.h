//===- hip/hip_bfloat16.h - the older name of hip_bf16.h ------------------------------------------===//
#pragma once

#include "hip_bf16.h"
