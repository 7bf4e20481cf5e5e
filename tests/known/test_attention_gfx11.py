"""Attention with D=128 does not fit the 256 registers of gfx1100 and gfx1151.

On gfx11 both halves of a wave hold every operand of v_wmma, so the query tile alone takes 64
registers, beside 64 of the accumulator and two fragments; the gate refuses the kernel. Reading the
query from LDS beside each product, as the keys are read, would fit.
"""

import sys
from pathlib import Path

import pytest
from wavewright.errors import ResourceError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import hk_programs as programs


@pytest.mark.parametrize("chip", ["gfx1100", "gfx1151"])
def test_attention_is_refused(chip):
    with pytest.raises(ResourceError, match="spilled") as refusal:
        programs.attention.build(arch=chip)
    assert "256 registers" in str(refusal.value)


def test_it_fits_with_a_smaller_head():
    resources = programs.attention.build(arch="gfx1100", D=64).resources
    assert resources["vgpr_spills"] == 0
