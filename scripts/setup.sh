#!/usr/bin/env bash
# Brings a Debian 12 or 13 machine to where the project builds, tests and runs: apt packages, .venv, build.
# Does only what is missing. Without root it prints the packages to ask for and stops with status 2.
#
#   scripts/setup.sh            packages, .venv, build, tools on PATH of .venv
#   scripts/setup.sh --deps     packages and .venv only
#
# WAVEWRIGHT_WITH_TORCH=1 also installs the CPU build of PyTorch for the tests that compare with it.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools clang-22 clang-tools-22 lld-22 liblld-22-dev
  libclang-rt-22-dev cmake ninja-build make git ccache python3
  libfmt-dev nlohmann-json3-dev libcli11-dev libgtest-dev libbenchmark-dev libzstd-dev zlib1g-dev libxml2-dev
)

python=${PYTHON:-python3}
usable_python() {
  "$python" - <<'EOF' 2>/dev/null
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(0 if sys.version_info >= (3, 11) and os.path.exists(header) else 1)
EOF
}
usable_python || packages+=(python3-venv python3-dev)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
  if [ "$(id -u)" -ne 0 ]; then
    echo "setup: these Debian packages are missing; ask for them, then run the command again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 2
  fi
  echo "setup: installing ${#missing[@]} Debian packages"
  log=$(mktemp)
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive \
         apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup: apt-get failed; the log is $log" >&2
    exit 1
  fi
  rm -f "$log"
fi
usable_python || { echo "setup: $python is older than 3.11 or lacks venv and headers; set PYTHON" >&2; exit 2; }

wanted=$(cat requirements.txt; echo "torch=${WAVEWRIGHT_WITH_TORCH:-0}"; "$python" --version)
if [ ! -x .venv/bin/python ] || [ "$(cat .venv/wavewright-requirements 2>/dev/null)" != "$wanted" ]; then
  echo "setup: making .venv"
  [ -x .venv/bin/python ] || "$python" -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
  if [ "${WAVEWRIGHT_WITH_TORCH:-0}" = 1 ]; then
    .venv/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
  fi
  printf '%s' "$wanted" >.venv/wavewright-requirements
fi
# The front ends are imported from the source tree.
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
printf '%s\n' "$PWD/python" >"$site/wavewright.pth"
[ "${1:-}" = --deps ] && exit 0

preset=${WAVEWRIGHT_PRESET:-release}
if [ ! -f "build/$preset/build.ninja" ]; then
  echo "setup: configuring build/$preset"
  cmake --preset "$preset" -DPython_EXECUTABLE="$PWD/.venv/bin/python" >"build-configure.log" 2>&1 ||
    { tail -n 30 build-configure.log >&2; exit 1; }
  rm -f build-configure.log
fi
ninja -C "build/$preset" --quiet || ninja -C "build/$preset"
for tool in wavewright hk-opt hk-translate; do
  ln -sf "$PWD/build/$preset/tools/$tool" ".venv/bin/$tool"
done
