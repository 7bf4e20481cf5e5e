"""Functions on tiles, vectors and scalars: creation, choice, reductions, matrix products."""

from __future__ import annotations

from typing import Any

from wavewright.errors import TraceTypeError

from .place import fail
from .trace import attribute, current
from .types import RT, RV, DType, f32, i1, i32
from .values import (
    Scalar,
    Tile,
    Transposed,
    Value,
    Vector,
    binary,
    cast,
    common_dtype,
    common_shape,
    emit,
    is_number,
    meet,
    operand,
    spread,
    words,
)


def _shape(what: str, type: Any) -> RT | RV:
    if isinstance(type, (RT, RV)):
        return type
    if isinstance(type, (Tile, Vector)):
        return type.type
    raise fail(
        TraceTypeError, f"{what} takes a tile or vector type (hk.RT, t.row_vec), not {type!r}"
    )


def zeros(type: Any) -> Any:
    """A tile or vector of zeros. ``type``: an RT, an RV, or a value whose type is taken."""
    return spread(0, _shape("hk.zeros", type))


def full(type: Any, value: Any) -> Any:
    """A tile or vector of one value: a Python number or a scalar."""
    shape = _shape("hk.full", type)
    if not isinstance(value, Scalar) and not is_number(value):
        raise fail(TraceTypeError, f"hk.full takes a number or a scalar, not {words(value)}")
    return spread(value, shape)


def iota_row(type: Any) -> Any:
    """i32: each element's own row inside the tile (or its place in a col vector)."""
    return _iota("hk.iota_row", type, "col")


def iota_col(type: Any) -> Any:
    """i32: each element's own column inside the tile (or its place in a row vector)."""
    return _iota("hk.iota_col", type, "row")


def _iota(what: str, type: Any, axis: str) -> Any:
    shape = _shape(what, type)
    if isinstance(shape, RV) and shape.axis != axis:
        raise fail(TraceTypeError, f"{what} of {shape.words}: it has no such coordinate")
    return emit("hk.iota", (), shape.with_dtype(i32), {"axis": attribute(f"#hk<axis {axis}>")})


def where(condition: Any, a: Any, b: Any) -> Any:
    """Element by element ``a`` where the condition holds, else ``b``; all three broadcast."""
    if isinstance(condition, bool):
        return a if condition else b
    condition, a, b = operand("hk.where", condition), operand("hk.where", a), operand("hk.where", b)
    if not isinstance(condition, Value) or _dtype(condition) is not i1:
        raise fail(
            TraceTypeError,
            f"hk.where takes a condition first, from a comparison, not {words(condition)}",
        )
    dtype = common_dtype("hk.where", (a, b))
    type = common_shape("hk.where", (condition, a, b), dtype)
    a, b = spread(a, type), spread(b, type)
    if isinstance(type, DType):
        return emit("arith.select", (condition, a, b), type)
    return emit("hk.select", (spread(condition, type.with_dtype(i1)), a, b), type)


def _dtype(value: Value) -> DType:
    return value.type if isinstance(value.type, DType) else value.type.dtype


def maximum(a: Any, b: Any) -> Any:
    """The larger one, element by element; a NaN in either gives NaN, as numpy's."""
    return max(a, b) if is_number(a) and is_number(b) else binary("hk.maximum", a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller one, element by element; a NaN in either gives NaN, as numpy's."""
    return min(a, b) if is_number(a) and is_number(b) else binary("hk.minimum", a, b)


def cdiv(a: Any, b: Any) -> Any:
    """``a / b`` rounded up, of integers known while tracing, at launch or at run time."""
    if not isinstance(a, Value) and not isinstance(b, Value):
        return -(-a // b)
    if isinstance(b, int) and b > 0 and b & (b - 1) == 0:
        return -(-a // b)
    a, b, type = meet("hk.cdiv", a, b)
    if _dtype(a).is_float:
        raise fail(TraceTypeError, f"hk.cdiv takes integers, not {words(a)}")
    return emit("arith.ceildivsi", (a, b), type)


# -- reductions ---


def _reduce(what: str, tile: Any, reduction: str, axis: str) -> Any:
    if not isinstance(tile, Tile):
        raise fail(TraceTypeError, f"hk.{what} takes a tile, not {words(tile)}")
    if tile.dtype is i1:
        tile = cast(tile, i32)
    result = tile.col_vec if axis == "row" else tile.row_vec
    return emit(
        "hk.reduce", (tile,), result, {"reduction": attribute(f"#hk<reduction {reduction}>")}
    )


def row_sum(tile: Any) -> Any:
    """The sum of each row: a col vector."""
    return _reduce("row_sum", tile, "add", "row")


def row_max(tile: Any) -> Any:
    """The largest of each row: a col vector."""
    return _reduce("row_max", tile, "max", "row")


def row_min(tile: Any) -> Any:
    """The smallest of each row: a col vector."""
    return _reduce("row_min", tile, "min", "row")


def row_prod(tile: Any) -> Any:
    """The product of each row: a col vector."""
    return _reduce("row_prod", tile, "mul", "row")


def col_sum(tile: Any) -> Any:
    """The sum of each column: a row vector."""
    return _reduce("col_sum", tile, "add", "col")


def col_max(tile: Any) -> Any:
    """The largest of each column: a row vector."""
    return _reduce("col_max", tile, "max", "col")


def col_min(tile: Any) -> Any:
    """The smallest of each column: a row vector."""
    return _reduce("col_min", tile, "min", "col")


def col_prod(tile: Any) -> Any:
    """The product of each column: a row vector."""
    return _reduce("col_prod", tile, "mul", "col")


# -- matrix products ---


def _extents(value: Any, what: str) -> tuple[int, int]:
    from .memory import Shared

    if isinstance(value, (Tile, Shared)):
        return value.rows, value.cols
    raise fail(TraceTypeError, f"{what} takes register or shared tiles, not {words(value)}")


def _mma(what: str, a: Any, b: Any, acc: Any, trans_a: bool, trans_b: bool) -> Any:
    (ar, ac), (br, bc) = _extents(a, what), _extents(b, what)
    m, k = (ac, ar) if trans_a else (ar, ac)
    n, kb = (br, bc) if trans_b else (bc, br)
    if a.dtype is not b.dtype:
        raise fail(
            TraceTypeError,
            f"{what} of {a.dtype.name} and {b.dtype.name}: both operands have one type; convert "
            f"one with .to(hk.{a.dtype.name})",
        )
    if a.dtype.bits != 16 or not a.dtype.is_float:
        raise fail(
            TraceTypeError,
            f"{what} of {a.dtype.name}: matrix instructions take bf16 or fp16 here and add in "
            "f32; convert the operands with .to(hk.bf16)",
        )
    if k != kb:
        raise fail(
            TraceTypeError,
            f"{what}: the inner extents differ, {k} of {m}x{k} and {kb} of {kb}x{n}",
        )
    acc = zeros(RT(f32, m, n)) if acc is None else acc
    if not isinstance(acc, Tile) or acc.shape != (m, n) or acc.dtype is not f32:
        raise fail(
            TraceTypeError,
            f"{what} of {m}x{k} and {k}x{n} adds into a {m}x{n} tile of f32, not {words(acc)}",
        )
    attributes = {}
    if trans_a:
        attributes["transA"] = attribute("unit")
    if trans_b:
        attributes["transB"] = attribute("unit")
    return emit("hk.mma", (a, b, acc), acc.type, attributes)


def mma_AB(a: Any, b: Any, acc: Any = None) -> Any:  # noqa: N802 - the field's name
    """``acc + a @ b``: a is (M, K), b is (K, N), acc an f32 tile (M, N), zeros when left out."""
    return _mma("hk.mma_AB", a, b, acc, False, False)


def mma_ABt(a: Any, b: Any, acc: Any = None) -> Any:  # noqa: N802
    """``acc + a @ b.T``: a is (M, K), b is (N, K), acc an f32 tile (M, N)."""
    return _mma("hk.mma_ABt", a, b, acc, False, True)


def mma_AtB(a: Any, b: Any, acc: Any = None) -> Any:  # noqa: N802
    """``acc + a.T @ b``: a is (K, M), b is (K, N), acc an f32 tile (M, N)."""
    return _mma("hk.mma_AtB", a, b, acc, True, False)


def mma_AtBt(a: Any, b: Any, acc: Any = None) -> Any:  # noqa: N802
    """``acc + a.T @ b.T``: a is (K, M), b is (N, K), acc an f32 tile (M, N)."""
    return _mma("hk.mma_AtBt", a, b, acc, True, True)


class Product(Tile):
    """``a @ b`` before it is known what it adds to: ``acc + a @ b`` is one multiply-accumulate."""

    __slots__ = ("_arguments", "_tile")

    def __init__(self, arguments: tuple[Any, ...], type: RT) -> None:
        self._arguments = arguments
        self._tile: Any = None
        self.type = type

    def _make(self) -> Tile:
        if self._tile is None:
            a, b, trans_a, trans_b = self._arguments
            self._tile = _mma("@", a, b, None, trans_a, trans_b)
        return self._tile

    ir = property(lambda self: self._make().ir)
    scope = property(lambda self: self._make().scope)

    def accumulate(self, acc: Any) -> Any:
        if self._tile is not None or not isinstance(acc, Tile) or acc.type != self.type:
            return None
        a, b, trans_a, trans_b = self._arguments
        return _mma("@", a, b, acc, trans_a, trans_b)


def matmul(a: Any, b: Any) -> Any:
    """``a @ b``, where either side may be ``x.T``."""
    trans_a, trans_b = isinstance(a, Transposed), isinstance(b, Transposed)
    a, b = a.of if trans_a else a, b.of if trans_b else b
    (ar, ac), (br, bc) = _extents(a, "@"), _extents(b, "@")
    current("@")
    type = RT(f32, ac if trans_a else ar, br if trans_b else bc)
    return Product((a, b, trans_a, trans_b), type)
