# LLVM, MLIR and LLD come as Debian's shared libraries. lldELF is static and links against the shared
# libLLVM through its own interface; a static LLVM component beside it would put two LLVMs in one
# process, so only LLVM, MLIR, lldELF and lldCommon are ever named.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(LLD 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(wavewright_options INTERFACE)
target_include_directories(wavewright_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
target_include_directories(wavewright_options SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
# The emulator's arithmetic is IEEE, operation by operation: no contraction anywhere.
target_compile_options(wavewright_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter -ffp-contract=off -fno-strict-aliasing)
if(WAVEWRIGHT_SANITIZER)
  target_compile_options(wavewright_options INTERFACE
    -fsanitize=${WAVEWRIGHT_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(wavewright_options INTERFACE -fsanitize=${WAVEWRIGHT_SANITIZER})
endif()

if(WAVEWRIGHT_BUILD_FUZZERS)
  target_compile_options(wavewright_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  # With a precompiled header ccache needs these, and clang must not put a time into it (-fno-pch-timestamp).
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()
