//===- hip/driver_types.h - plain types of the runtime interface ----------------------------------===//
#pragma once

#include "hip_runtime_api.h"
