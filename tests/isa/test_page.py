"""docs/instructions.md says what is so, and covers what it must."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from .coverage import GRAPHICS
from .instructions import CHIPS, instruction_set

ROOT = Path(__file__).resolve().parents[2]


def generator():
    path = ROOT / "scripts" / "instructions_page.py"
    spec = importlib.util.spec_from_file_location("instructions_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date() -> None:
    module = generator()
    assert module.PAGE.read_text() == module.page(), "run scripts/instructions_page.py"


@pytest.mark.parametrize("chip", CHIPS)
def test_every_form_decodes_to_its_name(chip: str) -> None:
    for entry in instruction_set(chip):
        for form in entry["forms"]:
            shown = form["text"].split()[0].replace("v_dual_", "v_")
            assert shown.startswith(entry["name"]) or form["form"].startswith("vopd"), form


def test_compute_is_told_from_graphics() -> None:
    kinds = {e["name"]: e["class"] for e in instruction_set("gfx1100")}
    assert kinds["v_add_f32"] == "VALU"
    assert kinds["ds_load_b32"] == "LDS"
    assert kinds["v_wmma_f32_16x16x16_f16"] == "matrix"
    assert kinds["global_load_b32"] == "VMEM"
    assert kinds["s_load_b32"] == "SMEM"
    for name in ("image_load", "ds_gws_barrier", "v_interp_p10_f32", "lds_direct_load"):
        assert kinds[name] == GRAPHICS
