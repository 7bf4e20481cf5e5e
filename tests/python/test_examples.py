"""Each example, run as a script on each chip, checks itself and exits with 0."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]


def run(example, device):
    return subprocess.run(
        [sys.executable, ROOT / "examples" / f"{example}.py"],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "WAVEWRIGHT_DEVICE": device},
    )


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("example", ["add", "softmax", "rmsnorm", "gemm"])
def test_example(example, chip):
    done = run(example, f"emu:{chip}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "within bound" in done.stdout and "ABOVE" not in done.stdout
    assert chip in done.stdout


def test_a_wrong_device_is_named():
    done = run("add", "emu:gfx123")
    assert done.returncode != 0
    assert "gfx123" in done.stderr and "gfx1100" in done.stderr
