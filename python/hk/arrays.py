"""Host arrays as a kernel sees them: (batch, depth, rows, cols) with strides, never copied."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

from wavewright.arrays import Array, as_array
from wavewright.errors import LaunchError, LaunchTypeError, LaunchValueError, Place

from .types import DTYPES, DType

#: Element types that a kernel takes, as `wavewright.arrays` spells them.
_BY_NAME = {dtype.spelling: dtype for dtype in DTYPES.values() if dtype.bits > 1}


@dataclass(frozen=True)
class HostArray:
    """``shape`` and ``strides`` have four entries; strides count elements, 0 where the extent is
    at most 1. ``array`` is the memory as it was given, and keeps it alive."""

    array: Array
    dtype: DType
    shape: tuple[int, int, int, int]
    strides: tuple[int, int, int, int]

    @property
    def pointer(self) -> int:
        return self.array.pointer

    @property
    def readonly(self) -> bool:
        return self.array.read_only

    @property
    def facts(self) -> tuple[int, int]:
        """(align, cols): the powers of two that divide base and pitches, and the columns."""
        size = self.dtype.bytes
        align = gcd(16, self.pointer)
        for stride in self.strides[:3]:
            align = gcd(align, stride * size)
        most = 16 // size
        return align, gcd(self.shape[3], most) or most


def _raw(value: Any, where: str, place: Place) -> tuple[Array, DType]:
    try:
        array = as_array(value, where)
    except LaunchError as error:
        error.place = error.place or place
        raise
    if array.device != "cpu":
        raise LaunchTypeError(f"{where} lies on {array.device}; pass it from the CPU", place)
    dtype = _BY_NAME.get(array.dtype)
    if dtype is None:
        names = ", ".join(_BY_NAME)
        raise LaunchTypeError(
            f"{where} is an array of {array.dtype}; a kernel takes {names}: convert it with astype",
            place,
        )
    return array, dtype


def host_array(
    value: Any, where: str, dtype: DType, written: bool, rows: int, place: Place
) -> HostArray:
    """Checks an argument of a launch and gives it four dimensions.

    ``written``: the kernel stores into it. ``rows``: of the tallest tile that it moves there.
    """
    array, actual = _raw(value, where, place)
    shape, strides = array.shape, array.strides
    if actual is not dtype:
        raise LaunchTypeError(
            f"{where} is an array of {actual.name}, the kernel takes {dtype.name}: pass "
            f"x.astype(...) or change its annotation to hk.Tensor[hk.{actual.name}]",
            place,
        )
    if not 1 <= len(shape) <= 4:
        raise LaunchTypeError(
            f"{where} has {len(shape)} dimensions; 1 to 4 are taken (batch, depth, rows, cols), "
            "missing ones are 1 on the left",
            place,
        )
    pad = 4 - len(shape)
    shape4 = (1,) * pad + tuple(int(e) for e in shape)
    strides4 = (0,) * pad + tuple(
        int(s) if e > 1 else 0 for s, e in zip(strides, shape, strict=True)
    )
    if shape4[3] > 1 and strides4[3] not in (0, 1):
        what = "negative" if strides4[3] < 0 else f"{strides4[3]} elements"
        raise LaunchValueError(
            f"{where}, of shape {tuple(shape)}, has an inner stride that is {what}: elements of a "
            f"row lie beside each other; {_contiguous(written)}",
            place,
        )
    if shape4[3] > 1 and strides4[3] == 0:
        raise LaunchValueError(
            f"{where}, of shape {tuple(shape)}, repeats one element along its rows (an inner "
            f"stride of 0); {_contiguous(written)}",
            place,
        )
    for name, stride in zip(("batch", "depth", "row"), strides4, strict=False):
        if stride < 0:
            raise LaunchValueError(
                f"{where} has a negative {name} stride of {stride} elements; "
                f"{_contiguous(written)}",
                place,
            )
    strides4 = (*strides4[:3], 1)
    _check_range(where, shape4, strides4, actual, rows, place)
    if written:
        _check_writable(where, shape4, strides4, array.read_only, place)
    return HostArray(array, actual, shape4, strides4)  # type: ignore[arg-type]


def _contiguous(written: bool) -> str:
    """The way out of strides that no kernel takes; a copy would lose what the kernel stores."""
    if written:
        return (
            "the kernel stores into it: pass a new array, as np.empty(x.shape, x.dtype), and "
            "assign that to x afterwards"
        )
    return "pass np.ascontiguousarray(x)"


def _check_range(
    where: str, shape: Any, strides: Any, dtype: DType, rows: int, place: Place
) -> None:
    if max(shape) > 0x7FFFFFFF:
        raise LaunchValueError(f"{where} has an extent over 2147483647: {shape}", place)
    span = ((min(rows, shape[2]) - 1) * strides[2] + shape[3]) * dtype.bytes
    if shape[2] and span > 0x7FFFFFFF:
        raise LaunchValueError(
            f"{where}: a tile of {rows} rows with a pitch of {strides[2]} elements spans {span} "
            "bytes, more than 2 GiB can be addressed from a tile's origin; split the columns",
            place,
        )


def _check_writable(where: str, shape: Any, strides: Any, readonly: bool, place: Place) -> None:
    if readonly:
        raise LaunchValueError(
            f"{where} is read-only and the kernel stores into it; pass a writable array", place
        )
    for name, extent, stride in zip(("batch", "depth", "row"), shape, strides, strict=False):
        if extent > 1 and stride == 0:
            raise LaunchValueError(
                f"{where} repeats its memory along {name} (a stride of 0) and the kernel stores "
                "into it; a broadcast array is read-only",
                place,
            )
