#!/usr/bin/env bash
# Makes the seed corpus of a fuzzer.
#   fuzz_code_object: one small code object a chip, with and without debug information
#   fuzz_ir: the modules of the lit tests
# usage: make_seeds.sh FUZZER DIRECTORY
set -euo pipefail
fuzzer=${1:?the fuzzer} directory=${2:?a directory for the seeds}
cd "$(dirname "$0")/../.."
mkdir -p "$directory"
case $fuzzer in
fuzz_code_object)
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
  ;;
fuzz_ir)
  for file in tests/lit/*/*.mlir; do
    csplit --quiet --elide-empty-files --suppress-matched --prefix="$directory/$(basename "$file" .mlir)-" \
      "$file" '/^\/\/ -----/' '{*}'
  done
  ;;
*)
  echo "make_seeds.sh: no seeds for $fuzzer" >&2
  exit 1
  ;;
esac
