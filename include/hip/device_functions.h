//===- hip/device_functions.h - the device functions come with hip_runtime.h --------------------------===//
#pragma once

#include "hip_runtime.h"
