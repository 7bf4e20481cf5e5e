"""Shared tiles in LDS: ``hk.lds``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavewright.errors import TraceTypeError, TraceValueError

from .control import RunTimeIterable
from .control import range as _range
from .memory import Group, Shared, View
from .place import fail
from .trace import Trace, current
from .types import ST


def _one(trace: Trace, type: ST) -> Shared:
    """A shared tile, made at the kernel's beginning; tracing a body again takes the same ones."""
    if trace.shared_used < len(trace.shared):
        known, ir = trace.shared[trace.shared_used]
        if known == type:
            trace.shared_used += 1
            return Shared(ir, type, trace.top)
    spelling = f"!hk.st<{type.rows}x{type.cols}x{type.dtype.spelling}>"
    key = ("lds", trace.shared_used, spelling)
    ir = trace.once("hk.lds_alloc", [], spelling, {}, key)
    del trace.shared[trace.shared_used :]
    trace.shared.append((type, ir))
    trace.shared_used += 1
    return Shared(ir, type, trace.top)


def alloc(type: Any, count: int | None = None) -> Any:
    """A shared tile of the work-group, or with ``count`` a tuple of that many.

    Its content is undefined. All of a kernel's fit the chip's LDS (65536 bytes, 163840 on gfx950).
    """
    if not isinstance(type, ST):
        raise fail(TraceTypeError, f"hk.lds.alloc takes an hk.ST(dtype, rows, cols), not {type!r}")
    trace = current("hk.lds.alloc")
    if count is None:
        return _one(trace, type)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise fail(TraceValueError, f"hk.lds.alloc takes a count of 1 or more, not {count!r}")
    return tuple(_one(trace, type) for _ in range(count))


class _Pipeline(RunTimeIterable):
    words = "hk.lds.pipeline"

    def __init__(self, steps: Any, loads: Callable[[Any], Any], tiles: Any) -> None:
        self.range = _range(steps)
        self.loads = loads
        self.tiles = [alloc(tile) for tile in tiles]

    def bounds(self) -> tuple[Any, Any, Any]:
        return self.range.bounds()

    def item(self, index: Any) -> Any:
        from .arch import arch

        views = self.loads(index)
        if not isinstance(views, tuple) or len(views) != len(self.tiles):
            raise fail(
                TraceTypeError,
                f"the loads of a pipeline give a tuple of {len(self.tiles)} views, one a "
                "shared tile",
            )
        trace = current()
        arch.barrier()  # the step before has read what is overwritten now
        for shared, view in zip(self.tiles, views, strict=True):
            if not isinstance(view, View):
                raise fail(TraceTypeError, "the loads of a pipeline are views, x[coord]")
            Group(trace.warps).load(shared, view)
        arch.barrier()
        return tuple(self.tiles) if len(self.tiles) > 1 else self.tiles[0]


def pipeline(steps: Any, loads: Callable[[Any], Any], tiles: Any, stages: int = 2) -> Any:
    """``for sa, sb in hk.lds.pipeline(n, loads, (ST, ST), stages=2)``: a loop over filled tiles.

    Args:
        steps: how often, an integer or an i32 scalar.
        loads: from the step's number to a tuple of views, one a shared tile.
        tiles: the types of the shared tiles that all waves fill together before each step.
        stages: how many steps may be in flight; the results do not depend on it.
    """
    if isinstance(tiles, ST):
        tiles = (tiles,)
    if isinstance(stages, bool) or not isinstance(stages, int) or not 1 <= stages <= 8:
        raise fail(TraceValueError, f"a pipeline has 1 to 8 stages, not {stages!r}")
    return _Pipeline(steps, loads, tiles)
