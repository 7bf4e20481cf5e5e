//===- hip/hip_common.h - which platform this is --------------------------------------------------===//
#pragma once

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#if defined(__clang__) && defined(__HIP__)
#define __HIP_CLANG_ONLY__ 1
#endif
