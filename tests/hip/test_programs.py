"""Real HIP programs, unchanged by the device under them: each checks itself against the host."""

from __future__ import annotations

import re

import pytest
from hip_programs import CHIPS

SELF_CHECKING = [
    "reduction",
    "scan",
    "histogram",
    "radix_sort",
    "stencil",
    "nbody",
    "fft",
    "transpose",
    "gemm",
    "philox",
]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("program", SELF_CHECKING)
def test_program_checks_itself(programs, program, chip):
    out, err = programs.run(program, chip=chip)
    assert out.rstrip().endswith(f"{program}: passed") and not err


# Float atomics, look-back and a persistent kernel: the order in which groups run could show in their bits.
@pytest.mark.parametrize("chip", ["gfx950", "gfx1201"])
@pytest.mark.parametrize("program", ["reduction", "scan"])
def test_bits_do_not_depend_on_threads(programs, program, chip):
    digests = set()
    for threads in (1, 2, 8):
        out, _ = programs.run(program, chip=chip, env={"WAVEWRIGHT_THREADS": str(threads)})
        digests.add(tuple(re.findall(r"digest ([0-9a-f]{16})", out)))
    assert len(digests) == 1 and digests.pop()
