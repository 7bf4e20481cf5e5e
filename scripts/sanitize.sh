#!/usr/bin/env bash
# scripts/sanitize.sh asan|ubsan|tsan: builds one sanitizer lane and runs the unit tests of the rooms that read
# untrusted input or run threads. asan also runs each fuzzer for WAVEWRIGHT_FUZZ_SECONDS (60).
set -euo pipefail
cd "$(dirname "$0")/.."
lane=$1
build=build/$lane
rooms=(support target codeobject layout emulator)
[ -f "$build/build.ninja" ] || cmake --preset "$lane" -DPython_EXECUTABLE="$PWD/.venv/bin/python" >/dev/null
targets=()
for room in "${rooms[@]}"; do
  compgen -G "tests/unit/${room}_*.cpp" >/dev/null && targets+=("unit_$room")
done
[ "$lane" = asan ] && targets+=(fuzzers)
printf '\n== %s: %s\n' "$lane" "${targets[*]}"
ninja -C "$build" --quiet "${targets[@]}"
# LLVM's own global tables are never freed, and its allocators in headers mark memory that the library then uses.
export ASAN_OPTIONS=detect_leaks=0:allow_user_poisoning=0
for target in "${targets[@]}"; do
  [ "$target" = fuzzers ] || "$build/tests/$target" --gtest_brief=1
done
if [ "$lane" = asan ]; then
  for fuzzer in "$build"/tests/fuzz/fuzz_*; do
    [ -x "$fuzzer" ] && [ -f "$fuzzer" ] || continue
    name=$(basename "$fuzzer")
    corpus=$(mktemp -d)
    tests/fuzz/make_seeds.sh "$name" "$corpus"
    echo "$name: ${WAVEWRIGHT_FUZZ_SECONDS:-60} s"
    "$fuzzer" -max_total_time="${WAVEWRIGHT_FUZZ_SECONDS:-60}" -rss_limit_mb=4096 "$corpus" 2>&1 | tail -n 2
    rm -rf "$corpus"
  done
fi
