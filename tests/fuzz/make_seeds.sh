#!/usr/bin/env bash
# Makes the seed corpus of fuzz_code_object: one small code object a chip, with and without debug information.
# usage: make_seeds.sh DIRECTORY
set -euo pipefail
directory=${1:?a directory for the seeds}
mkdir -p "$directory"
source=$(mktemp --suffix=.hip)
trap 'rm -f "$source"' EXIT
cat > "$source" <<'HIP'
extern "C" __attribute__((global)) void k(float *p, int n) {
  for (int i = 0; i < n; i++) p[i] = p[i] * 2 + 1;
}
HIP
for chip in gfx942 gfx950 gfx1100 gfx1151 gfx1201; do
  for debug in -g0 -g; do
    clang++-22 -x hip --offload-arch=$chip --cuda-device-only -nogpulib -nogpuinc --no-gpu-bundle-output \
      -O2 $debug "$source" -o "$directory/$chip$debug.co"
  done
done
