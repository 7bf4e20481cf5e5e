"""The grid of a launch: a function of the actual extents, scalars and constants.

``grid=lambda p: (hk.cdiv(p.o.cols, 64), hk.cdiv(p.o.rows, 16), p.o.batch)``
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np
from wavewright.errors import (
    LaunchTypeError,
    LaunchValueError,
    Place,
    TraceAttributeError,
    TraceError,
)

from .place import fail, nearest


class Extents(NamedTuple):
    """A tensor as the grid sees it."""

    batch: int
    depth: int
    rows: int
    cols: int

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise fail(
            TraceAttributeError,
            f"a tensor in the grid has batch, depth, rows and cols, no '{name}'",
        )


class Parameters:
    """``p`` of the grid's function: extents of tensors, scalars and constants by name."""

    def __init__(self, kernel: str, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)
        self.__dict__["_kernel"] = kernel

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise fail(
            TraceAttributeError,
            f"the grid of {self._kernel} names '{name}', which is not a parameter"
            f"{nearest(name, self.__dict__)}",
        )


def check_names(grid: Any, kernel: str, values: Mapping[str, Any]) -> None:
    """Evaluates the grid once, for the names in it; numbers count at the launch only."""
    if callable(grid):
        try:
            grid(Parameters(kernel, values))
        except TraceError:
            raise
        except Exception:  # arithmetic on extents of 1 says nothing about a launch
            return


def evaluate(
    grid: Any, kernel: str, values: Mapping[str, Any], place: Place
) -> tuple[int, int, int]:
    """The grid in work-groups, (x, y, z)."""
    extents = grid(Parameters(kernel, values)) if callable(grid) else grid
    if not isinstance(extents, (tuple, list)):
        extents = (extents,)
    if not 1 <= len(extents) <= 3:
        raise LaunchTypeError(
            f"the grid of {kernel} has {len(extents)} extents; 1 to 3 are wanted, (x, y, z)", place
        )
    result = []
    for extent in extents:
        if isinstance(extent, bool) or not isinstance(extent, (int, np.integer)):
            raise LaunchTypeError(
                f"the grid of {kernel} is {tuple(extents)!r}: extents are integers, use hk.cdiv "
                "or //",
                place,
            )
        if extent < 0:
            raise LaunchValueError(f"the grid of {kernel} is {tuple(extents)}: negative", place)
        result.append(int(extent))
    return (*result, *(1,) * (3 - len(result)))  # type: ignore[return-value]
