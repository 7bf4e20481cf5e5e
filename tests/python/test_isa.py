"""What the final instructions must show, read with LLVM's disassembler, on every chip."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]


def example(name):
    spec = importlib.util.spec_from_file_location(
        f"example_{name}", ROOT / "examples" / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def disassemble(code_object, path):
    path.write_bytes(code_object)
    text = subprocess.run(
        ["llvm-objdump-22", "-d", "--no-show-raw-insn", path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return re.findall(r"^\s+([a-z]\w+)", text, re.MULTILINE)


MATRIX = {
    "gfx942": r"v_mfma_f32_(16x16x16|32x32x8)_bf16",
    "gfx950": r"v_mfma_f32_(16x16x32|32x32x16)_bf16",
    "gfx1100": r"v_wmma_f32_16x16x16_bf16",
    "gfx1151": r"v_wmma_f32_16x16x16_bf16",
    "gfx1201": r"v_wmma_f32_16x16x16_bf16",
}


@pytest.mark.parametrize("chip", CHIPS)
def test_gemm_uses_wide_accesses_and_the_matrix_unit(chip, tmp_path):
    build = example("gemm").make_gemm().build(arch=chip)
    names = disassemble(build.code_object, tmp_path / "gemm.hsaco")
    assert any(re.fullmatch(r"ds_(read|load)_b128", n) for n in names)
    # LDS is read in 16-byte pieces only.
    assert not any(re.match(r"ds_(read|load)_", n) and "b128" not in n for n in names)
    assert any(re.fullmatch(r"(buffer|global)_load_(dwordx4|b128)", n) for n in names)
    assert not any(
        re.match(r"(buffer|global)_load_", n) and not re.search("x4|b128", n) for n in names
    )
    assert any(re.match(MATRIX[chip], n) for n in names)
    assert not any(n.startswith("scratch_") for n in names)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", ["add", "softmax", "rmsnorm", "gemm"])
def test_nothing_spills(name, chip):
    program = example(name)
    kernel = program.make_gemm() if name == "gemm" else getattr(program, name)
    resources = kernel.build(arch=chip).resources
    assert resources["vgpr_spills"] == resources["sgpr_spills"] == resources["scratch_bytes"] == 0


HASH = """
import hashlib, importlib.util, sys
spec = importlib.util.spec_from_file_location("example_gemm", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(hashlib.sha256(module.make_gemm().build(arch=sys.argv[2]).code_object).hexdigest())
"""


@pytest.mark.parametrize("chip", CHIPS)
def test_two_builds_give_the_same_bytes(chip, tmp_path):
    source = (ROOT / "examples" / "gemm.py").read_text()
    hashes = set()
    for seed, folder in enumerate(["one", "another/deeper"]):
        place = tmp_path / folder
        place.mkdir(parents=True)
        (place / "gemm.py").write_text(source)
        done = subprocess.run(
            [sys.executable, "-c", HASH, "gemm.py", chip],
            capture_output=True,
            text=True,
            check=True,
            cwd=place,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        )
        hashes.add(done.stdout)
    assert len(hashes) == 1
