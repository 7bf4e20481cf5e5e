"""Host arrays as a kernel sees them: (batch, depth, rows, cols) with strides, never copied."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from wavewright.errors import LaunchTypeError, LaunchValueError, Place

from wavewright import _core

from .types import DTYPES, DType

_BY_NUMPY = {np.dtype(t): d for t, d in (
    (np.float16, DTYPES["fp16"]), (np.float32, DTYPES["f32"]), (np.int32, DTYPES["i32"]),
    (np.int16, DTYPES["i16"]), (np.int8, DTYPES["i8"]),
)}  # fmt: skip
#: DLPack's (type code, bits): 0 signed, 2 float, 4 bfloat.
_BY_DLPACK = {
    (2, 16): DTYPES["fp16"], (2, 32): DTYPES["f32"], (4, 16): DTYPES["bf16"],
    (0, 32): DTYPES["i32"], (0, 16): DTYPES["i16"], (0, 8): DTYPES["i8"],
}  # fmt: skip
_DLPACK_CPU = 1


@dataclass(frozen=True)
class HostArray:
    """``shape`` and ``strides`` have four entries; strides count elements, 0 where the extent is
    at most 1. ``owner`` keeps the memory alive."""

    pointer: int
    dtype: DType
    shape: tuple[int, int, int, int]
    strides: tuple[int, int, int, int]
    readonly: bool
    owner: Any

    @property
    def bytes(self) -> int:
        """From the first element to the end of the last one."""
        if 0 in self.shape:
            return 0
        last = sum((e - 1) * s for e, s in zip(self.shape, self.strides, strict=True))
        return (last + 1) * self.dtype.bytes

    @property
    def facts(self) -> tuple[int, int]:
        """(align, cols): the powers of two that divide base and pitches, and the columns."""
        size = self.dtype.bytes
        align = gcd(16, self.pointer)
        for stride in self.strides[:3]:
            align = gcd(align, stride * size)
        most = 16 // size
        return align, gcd(self.shape[3], most) or most


def _raw(array: Any, where: str, place: Place) -> tuple[int, DType, Any, Any, bool, Any]:
    """Pointer, dtype, shape, strides in elements (or None), readonly, owner."""
    if isinstance(array, np.ndarray):
        dtype = _BY_NUMPY.get(array.dtype)
        if dtype is None and array.dtype.name == "bfloat16":
            dtype = DTYPES["bf16"]
        if dtype is None:
            raise LaunchTypeError(
                f"{where} is a numpy array of {array.dtype}; a kernel takes bf16 (ml_dtypes."
                "bfloat16), float16, float32, int32, int16 and int8",
                place,
            )
        pointer = array.__array_interface__["data"][0]
        size = dtype.bytes
        if any(s % size for s in array.strides):
            raise LaunchValueError(
                f"{where} has strides of {array.strides} bytes, no multiples of its element's "
                f"{size}: pass np.ascontiguousarray(x)",
                place,
            )
        strides = tuple(s // size for s in array.strides)
        return pointer, dtype, array.shape, strides, not array.flags.writeable, array
    if not hasattr(array, "__dlpack__"):
        raise LaunchTypeError(
            f"{where} is {type(array).__name__}: a tensor is a numpy array or speaks DLPack "
            "(__dlpack__)",
            place,
        )
    try:
        view = _core.ir.dlpack(array)
    except Exception as error:
        raise LaunchTypeError(
            f"{where}, {type(array).__module__}.{type(array).__name__}, gives no DLPack "
            f"view on the CPU: {error}",
            place,
        ) from error
    if view.device_type != _DLPACK_CPU:
        raise LaunchTypeError(
            f"{where} is not in host memory (DLPack device {view.device_type}): pass x.cpu()", place
        )
    dtype = _BY_DLPACK.get((view.code, view.bits))
    if dtype is None or view.lanes != 1:
        raise LaunchTypeError(
            f"{where} has elements of DLPack type ({view.code}, {view.bits} bits); a kernel takes "
            "bf16, fp16, f32, i32, i16 and i8",
            place,
        )
    return view.pointer, dtype, view.shape, view.strides, view.readonly, (view, array)


def host_array(
    array: Any, where: str, dtype: DType, written: bool, rows: int, place: Place
) -> HostArray:
    """Checks an argument of a launch and gives it four dimensions.

    ``written``: the kernel stores into it. ``rows``: of the tallest tile that it moves there.
    """
    pointer, actual, shape, strides, readonly, owner = _raw(array, where, place)
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
            "row lie beside each other; pass np.ascontiguousarray(x)",
            place,
        )
    if shape4[3] > 1 and strides4[3] == 0:
        raise LaunchValueError(
            f"{where}, of shape {tuple(shape)}, repeats one element along its rows (an inner "
            "stride of 0); pass np.ascontiguousarray(x)",
            place,
        )
    for name, stride in zip(("batch", "depth", "row"), strides4, strict=False):
        if stride < 0:
            raise LaunchValueError(
                f"{where} has a negative {name} stride of {stride} elements; pass "
                "np.ascontiguousarray(x)",
                place,
            )
    strides4 = (*strides4[:3], 1)
    _check_range(where, shape4, strides4, actual, rows, place)
    if written:
        _check_writable(where, shape4, strides4, readonly, place)
    return HostArray(pointer, actual, shape4, strides4, readonly, owner)  # type: ignore[arg-type]


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
