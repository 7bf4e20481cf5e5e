"""Where a wave and a lane are, and the barrier: ``hk.arch``."""

from __future__ import annotations

from typing import Any, NoReturn

from wavewright.errors import TraceAttributeError

from .place import fail, nearest
from .trace import GROUP, LANE, WAVE, attribute, current
from .types import i32
from .values import Scalar


def _place(what: str, name: str, attributes: dict[str, Any], key: Any, level: int) -> Scalar:
    trace = current(what)
    return Scalar(trace.once(name, [], "i32", attributes, key), i32, trace.top, level)


class _BlockIdx:
    """The work-group's coordinate in the grid."""

    def _axis(self, axis: str) -> Scalar:
        dim = attribute(f"#hk<dim {axis}>")
        return _place(
            f"hk.arch.block_idx.{axis}", "hk.block_id", {"dim": dim}, ("block", axis), GROUP
        )

    x = property(lambda self: self._axis("x"))
    y = property(lambda self: self._axis("y"))
    z = property(lambda self: self._axis("z"))

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise fail(TraceAttributeError, f"hk.arch.block_idx has x, y and z, no '{name}'")


class _Arch:
    block_idx = _BlockIdx()

    @property
    def warp_id(self) -> Scalar:
        """The wave's number in its work-group, i32."""
        return _place("hk.arch.warp_id", "hk.warp_id", {}, "warp", WAVE)

    @property
    def lane_id(self) -> Scalar:
        """The lane's number in its wave, i32."""
        return _place("hk.arch.lane_id", "hk.lane_id", {}, "lane", LANE)

    def barrier(self) -> None:
        """Every wave of the work-group arrives; LDS accesses before it are done after it."""
        trace = current("hk.arch.barrier")
        trace.meet("a barrier")
        trace.effect("hk.barrier", ())

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise fail(TraceAttributeError, f"hk.arch has no '{name}'{nearest(name, dir(_Arch))}")


arch = _Arch()
