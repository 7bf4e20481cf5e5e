"""What the documents claim is run: their Python blocks as programs; named files exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAMS = [
    pytest.param(text, id=f"{path.name}-{i}")
    for path in DOCUMENTS
    for i, text in enumerate(BLOCK.findall(path.read_text()))
]


def test_the_readme_has_a_program():
    assert any("README" in p.id for p in PROGRAMS)


@pytest.mark.parametrize("text", PROGRAMS)
def test_program_runs(text, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(text)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_named_files_exist(path):
    for name in re.findall(
        r"`((?:wavewright|python|tests|tools|scripts|examples|docs|bench)/[\w./-]+)`",
        path.read_text(),
    ):
        assert (ROOT / name).exists(), name
