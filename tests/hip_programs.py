"""HIP kernels compiled at test time with clang, and the command line tool, for several tests."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]

PRELUDE = r"""
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define KERNEL extern "C" __global__ void
typedef unsigned long long u64;
#define TID ((int)__builtin_amdgcn_workitem_id_x())
#define BID ((int)__builtin_amdgcn_workgroup_id_x())
#define INDEX (BID * (int)__builtin_amdgcn_workgroup_size_x() + TID)
"""

AXPY = r"""
KERNEL axpy(const float *a, float *o, float s, int n) {
  int i = INDEX;
  if (i < n) o[i] = a[i] * s + o[i];
}
"""

FOREVER = r"""
KERNEL forever(volatile int *p) { while (*p == 0) {} }
"""


@functools.cache
def _directory() -> Path:
    return Path(tempfile.mkdtemp(prefix="wavewright-hip-"))


@functools.cache
def hip_object(source: str, chip: str, *flags: str) -> Path:
    """The code object of a HIP source, compiled once in a test run."""
    name = f"k{abs(hash((source, chip, flags))):x}"
    text, output = _directory() / f"{name}.hip", _directory() / f"{name}.hsaco"
    text.write_text(PRELUDE + source)
    subprocess.run(
        ["clang++-22", "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output"]
        + [f"--offload-arch={chip}", "-nogpuinc", "-nogpulib", "-O3", "-g", *flags]
        + ["-o", output, text],
        check=True,
    )
    return output


@functools.cache
def tool() -> str:
    """The `wavewright` binary: WAVEWRIGHT_TOOL, beside this Python, or on PATH."""
    beside = Path(sys.executable).parent / "wavewright"
    found = os.environ.get("WAVEWRIGHT_TOOL") or (
        str(beside) if beside.exists() else shutil.which("wavewright")
    )
    if not found:
        pytest.fail("the wavewright tool is not built, or not on PATH of this environment")
    return found


def wavewright(*arguments, status=0, env=None, cwd=None, timeout=120):
    """Runs the tool, checks its exit status, and gives (stdout, stderr)."""
    done = subprocess.run(
        [tool(), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        timeout=timeout,
    )
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr
