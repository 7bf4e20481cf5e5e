"""`wavewright compile`: MLIR text becomes a code object that `run` executes."""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hip_programs import CHIPS, wavewright

KERNELS = Path(__file__).resolve().parents[2] / "bench" / "kernels"


def tensor(path):
    """The arguments that a matrix in a file becomes: base, four extents, three strides."""
    rows, cols = np.load(path).shape
    numbers = (1, 1, rows, cols, rows * cols, rows * cols, cols)
    return [x for value in (path, *numbers) for x in ("--arg", value)]


@pytest.mark.parametrize("chip", CHIPS)
def test_a_compiled_gemm_runs(chip, tmp_path):
    m, n, k = 128, 256, 64
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    for name, array in {"a": a, "b": b, "c": np.zeros((m, n), np.float32)}.items():
        np.save(tmp_path / f"{name}.npy", array)
    output = tmp_path / "gemm.hsaco"
    out, _ = wavewright("compile", KERNELS / "gemm.mlir", "--arch", chip, "-o", output, "--report")
    assert "gemm on " + chip in out and "optimise" in out
    arguments = [x for name in "abc" for x in tensor(tmp_path / f"{name}.npy")]
    wave = 64 if chip in ("gfx942", "gfx950") else 32
    wavewright("run", output, "--grid", f"{n // 128},{m // 128}", "--block", 4 * wave, *arguments)
    a, b = a.astype(np.float64), b.astype(np.float64)
    bound = (k + 2) * 2.0**-24 * (np.abs(a) @ np.abs(b).T) + np.spacing(np.abs(a @ b.T)) / 2
    c = np.load(tmp_path / "c.npy")
    assert (np.abs(c - a @ b.T) <= bound + 2.0**-24 * np.abs(c)).all()


def test_the_report_is_json_with_json(tmp_path):
    output = tmp_path / "add.hsaco"
    document = json.loads(
        wavewright("compile", KERNELS / "add.mlir", "--arch", "gfx950", "-o", output, "--json")[0]
    )
    assert document["bytes"] == output.stat().st_size
    assert document["resources"]["chip"] == "gfx950" and document["resources"]["vgpr_spills"] == 0
    stages = [stage["stage"] for stage in document["resources"]["compile_times"]]
    assert {"optimise", "emit", "link"} <= set(stages)


def test_two_compilations_give_the_same_bytes(tmp_path):
    paths = [tmp_path / "x" / "add.hsaco", tmp_path / "y" / "add.hsaco"]
    for path in paths:
        path.parent.mkdir()
        wavewright("compile", KERNELS / "add.mlir", "-o", path.name, cwd=path.parent)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_stages_are_dumped_and_nothing_written(tmp_path):
    dump, _ = wavewright(
        "compile", KERNELS / "add.mlir", "--arch", "gfx1201", "--dump", "isa", cwd=tmp_path
    )
    assert "s_endpgm" in dump
    _, err = wavewright("compile", KERNELS / "add.mlir", "--dump", "soup", cwd=tmp_path, status=2)
    assert "soup" in err and "isa" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "budget, words", [(("--max-vgprs", 16), "16"), (("--min-occupancy", 16), "16")]
)
def test_a_budget_that_does_not_hold_is_refused(budget, words, tmp_path):
    output = tmp_path / "gemm.hsaco"
    command = ["compile", KERNELS / "gemm.mlir", "--arch", "gfx1100", "-o", output]
    _, err = wavewright(*command, *budget, status=2)
    assert err.startswith("error: ") and "gemm" in err and words in err
    assert not output.exists()
    wavewright(*command, *budget, "--no-gate")
    assert output.exists()
