#!/usr/bin/env bash
# The tests of `make test`: unit tests, lit, pytest. Set-up is done already. Arguments go to pytest.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${WAVEWRIGHT_BUILD:-build/release}
status=0
step() { printf '\n== %s\n' "$1"; shift; "$@" || status=1; }
step "unit tests" ctest --test-dir "$build" --output-on-failure -j 2
step "lit" .venv/bin/lit -q "$build/tests/lit"
step "pytest" .venv/bin/python -m pytest "$@"
exit $status
