"""The instructions of a chip, asked of the device."""

from __future__ import annotations

from functools import cache

from wavewright.device import instructions

CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]


@cache
def instruction_set(chip: str) -> list[dict]:
    return instructions(chip)
