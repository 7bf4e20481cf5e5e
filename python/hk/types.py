"""Element types, and the types of tiles, vectors, shared tiles and tensors.

A type is a value of Python's, made while tracing: ``hk.RT(hk.bf16, 16, 64)``. Extents count
elements and are multiples of 16, a base atom's extent.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from wavewright.errors import TraceTypeError, TraceValueError

from wavewright import targets

from .place import fail

ATOM = 16


@functools.cache
def wave_register_bytes() -> int:
    """The largest register file of one wave of any chip."""
    return max(t["registers"]["maxVgprsPerWave"] * t["waveSize"] * 4 for t in targets())


class DType:
    """An element type. Calling it converts a scalar: ``hk.f32(n)``."""

    __slots__ = ("bits", "is_float", "name", "spelling")

    def __init__(self, name: str, spelling: str, bits: int, is_float: bool) -> None:
        self.name = name
        self.spelling = spelling
        self.bits = bits
        self.is_float = is_float

    @property
    def bytes(self) -> int:
        return (self.bits + 7) // 8

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy type of the same bits; bf16 comes from ml_dtypes."""
        if self.name == "bf16":
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        return np.dtype(_NUMPY[self.name])

    def __call__(self, value: Any) -> Any:
        from .values import to_scalar

        return to_scalar(value, self)

    def __repr__(self) -> str:
        return f"hk.{self.name}"

    def __reduce__(self) -> str | tuple[Any, ...]:
        return (dtype_of, (self.name,))


_NUMPY = {
    "fp16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i16": np.int16,
    "i8": np.int8, "i1": np.bool_,
}  # fmt: skip

bf16 = DType("bf16", "bf16", 16, True)
fp16 = f16 = DType("fp16", "f16", 16, True)
f32 = fp32 = DType("f32", "f32", 32, True)
i32 = DType("i32", "i32", 32, False)
i16 = DType("i16", "i16", 16, False)
i8 = DType("i8", "i8", 8, False)
#: A mask, as comparisons give it.
i1 = DType("i1", "i1", 1, False)

DTYPES = {t.name: t for t in (bf16, fp16, f32, i32, i16, i8, i1)}


def dtype_of(name: str) -> DType:
    return DTYPES[name]


def check_dtype(dtype: Any, what: str) -> DType:
    if isinstance(dtype, DType):
        return dtype
    names = ", ".join(f"hk.{n}" for n in DTYPES if n != "i1")
    raise fail(TraceTypeError, f"{what} takes a dtype ({names}), not {dtype!r}")


def check_extent(extent: Any, what: str) -> int:
    if isinstance(extent, bool) or not isinstance(extent, (int, np.integer)):
        raise fail(
            TraceTypeError,
            f"{what} is a number known while tracing, not {type(extent).__name__}",
        )
    extent = int(extent)
    if extent <= 0:
        raise fail(
            TraceValueError, f"{what} is {extent}; an extent is positive and a multiple of {ATOM}"
        )
    if extent % ATOM:
        low = max(extent // ATOM * ATOM, ATOM)
        ways = str(low) if low >= extent else f"{low} or {low + ATOM}"
        raise fail(
            TraceValueError,
            f"{what} is {extent}, which is not a multiple of 16, a base atom's extent; "
            f"take {ways} (elements outside a tensor load as 0)",
        )
    return extent


def _check_tile(tile: RT | ST, what: str) -> None:
    """Checks dtype and extents of a tile type under construction; extents become plain ints."""
    check_dtype(tile.dtype, what)
    object.__setattr__(tile, "rows", check_extent(tile.rows, f"the rows of an {what}"))
    object.__setattr__(tile, "cols", check_extent(tile.cols, f"the columns of an {what}"))


@dataclass(frozen=True)
class RV:
    """A vector in registers: one value a row (``col``) or one value a column (``row``)."""

    dtype: DType
    length: int
    axis: str
    spelling: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_dtype(self.dtype, "a vector")
        check_extent(self.length, "a vector's length")
        text = f"!hk.rv<{self.length}x{self.dtype.spelling}, {self.axis}>"
        object.__setattr__(self, "spelling", text)

    def with_dtype(self, dtype: DType) -> RV:
        return RV(dtype, self.length, self.axis)

    @property
    def words(self) -> str:
        return f"a {self.axis} vector of {self.length} {self.dtype.name}"


@dataclass(frozen=True)
class RT:
    """A register tile of one wave: ``RT(dtype, rows, cols)``."""

    dtype: DType
    rows: int
    cols: int
    spelling: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_tile(self, "hk.RT")
        size = self.rows * self.cols * self.dtype.bits // 8
        if size > wave_register_bytes():
            raise fail(
                TraceValueError,
                f"hk.RT({self.dtype.name}, {self.rows}, {self.cols}) holds {size} bytes and one "
                f"wave of any chip has at most {wave_register_bytes()} bytes of registers; take a "
                "smaller tile and a loop over hk.range",
            )
        text = f"!hk.rt<{self.rows}x{self.cols}x{self.dtype.spelling}>"
        object.__setattr__(self, "spelling", text)

    @property
    def col_vec(self) -> RV:
        """The vector that has one value a row."""
        return RV(self.dtype, self.rows, "col")

    @property
    def row_vec(self) -> RV:
        """The vector that has one value a column."""
        return RV(self.dtype, self.cols, "row")

    def with_dtype(self, dtype: DType) -> RT:
        return RT(dtype, self.rows, self.cols)

    @property
    def words(self) -> str:
        return f"a {self.rows}x{self.cols} tile of {self.dtype.name}"


@dataclass(frozen=True)
class ST:
    """A shared tile of the work-group, in LDS: ``ST(dtype, rows, cols)``."""

    dtype: DType
    rows: int
    cols: int

    def __post_init__(self) -> None:
        _check_tile(self, "hk.ST")

    @property
    def words(self) -> str:
        return f"a {self.rows}x{self.cols} shared tile of {self.dtype.name}"


@dataclass(frozen=True)
class TensorType:
    """What ``hk.Tensor[dtype]`` is: (batch, depth, rows, cols) in global memory."""

    dtype: DType

    def spelling(self, align: int, cols: int) -> str:
        return f"!hk.tensor<{self.dtype.spelling}, align = {align}, cols = {cols}>"


class Tensor:
    """The annotation of a tensor parameter: ``a: hk.Tensor[hk.bf16]``."""

    def __class_getitem__(cls, dtype: DType) -> TensorType:
        dtype = check_dtype(dtype, "hk.Tensor[...]")
        if dtype is i1:
            raise fail(TraceTypeError, "a tensor of i1 has no layout in memory; use hk.i8")
        return TensorType(dtype)
