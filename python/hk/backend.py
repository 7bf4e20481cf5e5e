"""The compiled module as the language uses it: passes, compilation, devices."""

from __future__ import annotations

from typing import Any

from wavewright import _core


def tile_text(module: Any) -> str:
    """The module after the tile passes, as text; ``module`` stays as it is."""
    copy = module.clone()
    _core.run_tile_passes(copy)
    return str(copy)
