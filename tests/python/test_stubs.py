"""The type stubs of the compiled module are tested output: they say what the module has.

`python -m nanobind.stubgen -m wavewright._core -r -O DIRECTORY` writes them again.
"""

import subprocess
import sys
from pathlib import Path

import pytest

STUBS = Path(__file__).resolve().parents[2] / "python" / "wavewright" / "_core"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stubs")
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "wavewright._core", "-r"]
    subprocess.run([*command, "-O", folder], check=True)
    return folder / "_core"


@pytest.mark.parametrize("name", ["__init__.pyi", "ir.pyi"])
def test_stub_is_what_the_module_says(fresh, name):
    assert (STUBS / name).read_text() == (fresh / name).read_text()


def test_no_stub_is_missing(fresh):
    assert {p.name for p in STUBS.glob("*.pyi")} == {p.name for p in fresh.glob("*.pyi")}
