//===- hip/detail/ocml.h - the functions that clang's math headers call ---------------------------===//
#pragma once

#include "ocml_f64.h"

#include "ocml_special.h"

#include "ocml_f32.h"
