"""What the waves of a work-group compute together, through LDS: ``hk.collective``.

Each holds barriers, so every wave of the work-group must reach it.
"""

from __future__ import annotations

from typing import Any

from wavewright.errors import TraceTypeError, TraceValueError

from .place import fail
from .trace import attribute, current
from .values import Tile, Vector, emit, words


def _collective(what: str, value: Any, reduction: str, warps: int | None) -> Any:
    trace = current(f"hk.collective.{what}")
    warps = trace.warps if warps is None else warps
    if not isinstance(value, (Tile, Vector)):
        raise fail(
            TraceTypeError, f"hk.collective.{what} takes a tile or a vector, not {words(value)}"
        )
    if not isinstance(warps, int) or not 1 <= warps <= trace.warps:
        raise fail(
            TraceValueError,
            f"hk.collective.{what} over {warps!r} waves in a kernel of {trace.warps}",
        )
    trace.meet(f"hk.collective.{what}")
    attributes = {
        "reduction": attribute(f"#hk<reduction {reduction}>"),
        "waves": attribute(f"{warps} : i32"),
    }
    return emit("hk.collective", (value,), value.type, attributes)


def sum(value: Any, warps: int | None = None) -> Any:
    """The sum over waves 0 to ``warps``-1, element by element; every wave gets it."""
    return _collective("sum", value, "add", warps)


def prod(value: Any, warps: int | None = None) -> Any:
    """The product over waves 0 to ``warps``-1, element by element; every wave gets it."""
    return _collective("prod", value, "mul", warps)


def max(value: Any, warps: int | None = None) -> Any:
    """The largest over waves 0 to ``warps``-1, element by element; every wave gets it."""
    return _collective("max", value, "max", warps)


def min(value: Any, warps: int | None = None) -> Any:
    """The smallest over waves 0 to ``warps``-1, element by element; every wave gets it."""
    return _collective("min", value, "min", warps)
