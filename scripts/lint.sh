#!/usr/bin/env bash
# Formatting and lint of what git tracks; --staged looks at the staged files only, --tidy adds clang-tidy.
set -euo pipefail
cd "$(dirname "$0")/.."
list() { if [ "${1:-}" = --staged ]; then git diff --cached --name-only --diff-filter=ACM; else git ls-files; fi; }
mode=${1:-}
cpp=$(list "$mode" | grep -E '\.(h|cpp)$' || true)
py=$(list "$mode" | grep -E '\.py$' || true)
status=0
if [ -n "$cpp" ]; then
  xargs clang-format-22 --dry-run --Werror <<<"$cpp" || status=1
fi
if [ -n "$py" ]; then
  xargs .venv/bin/python -m ruff check --force-exclude <<<"$py" || status=1
fi
if [ "$mode" = --tidy ]; then
  grep -E '\.cpp$' <<<"$cpp" | grep '^wavewright/' |
    xargs -P 2 -n 4 clang-tidy-22 -p build/release --quiet --warnings-as-errors='bugprone-use-after-move' || status=1
fi
exit $status
