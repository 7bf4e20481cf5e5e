#!/usr/bin/env bash
# Everything: the short tests, every long test, the sanitizers, the fuzzers.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
scripts/test.sh --long || status=1
for lane in asan ubsan tsan; do
  scripts/sanitize.sh "$lane" || status=1
done
exit $status
