"""The project's own device hip:0, on libwavewright_hip.so in place of ROCm's library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hip_programs import AXPY, CHIPS, hip_object, tool, wavewright

LIBRARY = Path(tool()).resolve().parents[1] / "lib" / "libwavewright_hip.so"


def environment(chip):
    return {"WAVEWRIGHT_HIP_LIBRARY": str(LIBRARY), "WAVEWRIGHT_DEVICE": f"emu:{chip}"}


@pytest.mark.parametrize("chip", CHIPS)
def test_the_command_line_runs_a_kernel_on_it(chip, tmp_path):
    a, o = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    results = []
    for device in ("hip:0", f"emu:{chip}"):
        np.save(tmp_path / "a.npy", a)
        np.save(tmp_path / "o.npy", o)
        wavewright(
            *("run", hip_object(AXPY, chip), "--grid", "2", "--block", "64", "--device", device),
            *("--arg", "a.npy", "--arg", "o.npy", "--arg", "2.5", "--arg", "100"),
            cwd=tmp_path,
            env=environment(chip),
        )
        results.append(np.load(tmp_path / "o.npy"))
    assert (results[0] == a * 2.5 + o).all() and (results[0] == results[1]).all()


def test_the_doctor_finds_it():
    out, _ = wavewright("doctor", env=environment("gfx1201"))
    assert f"{LIBRARY}, 1 GPU" in out


def test_an_object_for_another_chip_is_refused(tmp_path):
    _, err = wavewright(
        *("run", hip_object(AXPY, "gfx950"), "--device", "hip:0"),
        *("--arg", "1", "--arg", "1", "--arg", "1.0", "--arg", "1"),
        env=environment("gfx942"),
        status=2,
    )
    assert "is for gfx950, the device hip:0 is a gfx942" in err


def test_a_library_that_is_none():
    out, _ = wavewright("doctor", env={"WAVEWRIGHT_HIP_LIBRARY": "/nowhere/lib.so"})
    assert "WAVEWRIGHT_HIP_LIBRARY: /nowhere/lib.so: cannot open" in out


KERNEL = """
import ml_dtypes
import numpy as np
import hk

@hk.kernel(grid=lambda p: (hk.cdiv(p.o.cols, 64), hk.cdiv(p.o.rows, 16)))
def double(x: hk.Tensor[hk.bf16], o: hk.Tensor[hk.bf16]):
    idx = hk.tile_coord(0, 0, hk.arch.block_idx.y, hk.arch.block_idx.x)
    v = x[idx].load(hk.RT(hk.bf16, 16, 64))
    o[idx] = v + v

x = np.arange(32 * 100, dtype=np.float32).reshape(32, 100).astype(ml_dtypes.bfloat16)
o = np.zeros_like(x)
double(x, o, device="hip:0")
assert (o == x + x).all()
print("done")
"""


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_a_python_kernel_runs_on_it(chip, tmp_path):
    (tmp_path / "kernel.py").write_text(KERNEL)
    env = {**os.environ, **environment(chip)}
    done = subprocess.run(
        [sys.executable, tmp_path / "kernel.py"], env=env, capture_output=True, text=True
    )
    assert done.stdout == "done\n", done
