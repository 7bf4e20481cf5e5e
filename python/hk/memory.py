"""Tensors in global memory and shared tiles in LDS, and what moves between them and registers."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from wavewright.errors import (
    TraceAttributeError,
    TraceError,
    TraceTypeError,
    TraceValueError,
)

from .place import fail, nearest
from .trace import LANE, WAVE, attribute, context, current
from .types import RT, RV, ST, DType, i32
from .values import Scalar, Tile, Value, Vector, constant, convert_scalar, emit, level_of, words


class Coord:
    """(batch, depth, row, col); row and column count tiles (``tiles``) or ``elements``."""

    __slots__ = ("batch", "col", "depth", "row", "unit")

    def __init__(self, batch: Any, depth: Any, row: Any, col: Any, unit: str) -> None:
        self.batch, self.depth, self.row, self.col = batch, depth, row, col
        self.unit = unit

    @property
    def parts(self) -> tuple[Any, Any, Any, Any]:
        return self.batch, self.depth, self.row, self.col

    def scalars(self) -> tuple[Scalar, ...]:
        return tuple(p if isinstance(p, Scalar) else constant(p, i32) for p in self.parts)


def _coord(what: str, unit: str, parts: tuple[Any, ...]) -> Coord:
    checked = []
    for name, part in zip(("batch", "depth", "row", "column"), parts, strict=True):
        if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            part = int(part)
        elif isinstance(part, Scalar) and not part.type.is_float and part.type.bits > 1:
            part = convert_scalar(part, i32)
            if part.level == LANE:
                raise fail(
                    TraceTypeError,
                    f"the {name} of {what} depends on the lane: a wave moves whole tiles, so all "
                    "of its lanes name the same one",
                )
        else:
            raise fail(
                TraceTypeError,
                f"the {name} of {what} is an integer or an i32 scalar, not {words(part)}",
            )
        checked.append(part)
    return Coord(*checked, unit)


def tile_coord(batch: Any = 0, depth: Any = 0, row: Any = 0, col: Any = 0) -> Coord:
    """A place in units of the tile loaded or stored. For a vector, columns count its length."""
    return _coord("hk.tile_coord", "tiles", (batch, depth, row, col))


def elem_coord(batch: Any = 0, depth: Any = 0, row: Any = 0, col: Any = 0) -> Coord:
    """A place in elements: of the tile's or vector's first one."""
    return _coord("hk.elem_coord", "elements", (batch, depth, row, col))


def _instead(tensor: str, name: str) -> str:
    if name in dir(View):
        return f": a view has it, {tensor}[hk.tile_coord(...)].{name}(...)"
    return nearest(name, dir(TensorHandle))


class TensorHandle:
    """A tensor parameter: (batch, depth, rows, cols) in global memory. ``x[coord]`` is a view."""

    __slots__ = ("dtype", "ir", "name", "scope", "spelling")

    def __init__(self, name: str, ir: Any, dtype: DType, spelling: str, scope: Any) -> None:
        self.name, self.ir, self.dtype, self.spelling, self.scope = name, ir, dtype, spelling, scope

    def _extent(self, extent: str) -> Scalar:
        trace = current()
        ir = trace.once(
            "hk.extent", [self], "i32", {"extent": attribute(f"#hk<extent {extent}>")},
            ("extent", self.name, extent),
        )  # fmt: skip
        return Scalar(ir, i32, trace.top)

    @property
    def batch(self) -> Scalar:
        """The first extent, i32."""
        return self._extent("batch")

    @property
    def depth(self) -> Scalar:
        """The second extent, i32."""
        return self._extent("depth")

    @property
    def rows(self) -> Scalar:
        """The last extent but one, i32."""
        return self._extent("rows")

    @property
    def cols(self) -> Scalar:
        """The last extent, i32."""
        return self._extent("cols")

    def __getitem__(self, coord: Any) -> View:
        if not isinstance(coord, Coord):
            raise fail(
                TraceTypeError,
                f"'{self.name}' is indexed by hk.tile_coord(batch, depth, row, col) or "
                f"hk.elem_coord(...), not by {words(coord)}",
            )
        return View(self, coord)

    def __setitem__(self, coord: Any, value: Any) -> None:
        view = self[coord]
        if not isinstance(value, View):
            view.store(value)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise fail(
            TraceAttributeError,
            f"tensor '{self.name}' has no '{name}'{_instead(self.name, name)}",
        )

    def __bool__(self) -> NoReturn:
        raise fail(TraceTypeError, f"tensor '{self.name}' has no truth")


class View:
    """A place in a tensor: what is loaded or stored there depends on the type moved."""

    __slots__ = ("coord", "tensor")

    def __init__(self, tensor: TensorHandle, coord: Coord) -> None:
        self.tensor, self.coord = tensor, coord

    def _operands(self, type: Any) -> tuple[Any, ...]:
        """The tensor and the coordinate, for moving a value of ``type``."""
        spans, name = current().spans, self.tensor.name
        spans[name] = max(spans.get(name, 1), getattr(type, "rows", 1))
        return (self.tensor, *self.coord.scalars())

    def _unit(self) -> dict[str, Any]:
        return {"unit": attribute(f"#hk<unit {self.coord.unit}>")}

    def load(self, type: Any) -> Any:
        """A value of ``type`` (RT or RV), converted on the way; 0 outside of the tensor."""
        if isinstance(type, (Tile, Vector)):
            type = type.type
        if not isinstance(type, (RT, RV)):
            raise fail(
                TraceTypeError,
                f"a view loads into hk.RT(dtype, rows, cols) or a vector type of one, not {type!r}",
            )
        return emit("hk.load", self._operands(type), type, self._unit())

    def store(self, value: Any) -> None:
        """Stores a tile or vector, converted on the way; what is outside the tensor is dropped."""
        value = self._storable(value, "stores")
        trace = current()
        trace.written.add(self.tensor.name)
        trace.effect("hk.store", (value, *self._operands(value.type)), self._unit())

    def atomic_add(self, value: Any) -> None:
        """Adds a tile or vector to what is there, element by element."""
        value = self._storable(value, "adds")
        trace = current()
        if not context().knows("hk.atomic_add"):
            raise fail(
                TraceError,
                "atomic_add: the compiler of this version has no atomic on tiles; give each "
                "work-group a row of partial sums and add them in a second kernel",
            )
        trace.written.add(self.tensor.name)
        trace.effect("hk.atomic_add", (value, *self._operands(value.type)), self._unit())

    def _storable(self, value: Any, verb: str) -> Any:
        name, dtype = self.tensor.name, self.tensor.dtype
        if not isinstance(value, (Tile, Vector)):
            raise fail(
                TraceTypeError,
                f"'{name}' {verb} tiles and vectors, not {words(value)}; "
                "hk.full(type, x) makes one of a number",
            )
        if value.dtype.is_float != dtype.is_float or value.dtype.bits == 1:
            raise fail(
                TraceTypeError,
                f"{words(value)} into '{name}', a tensor of {dtype.name}: convert it with "
                f".to(hk.{dtype.name})",
            )
        return value

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise fail(
            TraceAttributeError,
            f"a view of '{self.tensor.name}' has no '{name}'{nearest(name, dir(View))}; load it "
            "first to compute with it",
        )

    def _no(self, *_: Any) -> NoReturn:
        raise fail(
            TraceTypeError,
            f"a view of '{self.tensor.name}' is no value: load it first, "
            f"{self.tensor.name}[coord].load(hk.RT(hk.{self.tensor.dtype.name}, rows, cols))",
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __matmul__ = _no
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __bool__ = _no


class Shared:
    """A shared tile in LDS, or a window of one."""

    __slots__ = ("_origin", "_parent", "ir", "scope", "type")

    def __init__(
        self, ir: Any, type: ST, scope: Any, parent: Any = None, origin: Any = (0, 0)
    ) -> None:
        self.ir, self.type, self.scope = ir, type, scope
        self._parent = parent
        self._origin = origin

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def rows(self) -> int:
        return self.type.rows

    @property
    def cols(self) -> int:
        return self.type.cols

    @property
    def T(self) -> Any:  # noqa: N802 - numpy's name
        """The shared tile with rows and columns exchanged, as an operand of ``@``."""
        from .values import Transposed

        return Transposed(self)

    def sub(self, rows: int, cols: int, row: Any, col: Any) -> Shared:
        """The window of ``rows`` x ``cols`` whose place counts in windows of that size."""
        window = ST(self.dtype, rows, cols)
        whole = self if self._parent is None else self._parent
        if self.rows % window.rows or self.cols % window.cols:
            raise fail(
                TraceValueError,
                f"windows of {rows}x{cols} do not divide {self.type.words}",
            )
        if self._parent is not None:  # a window of a window counts from the whole tile
            row = self._origin[0] * (self.rows // window.rows) + row
            col = self._origin[1] * (self.cols // window.cols) + col
        self._inside(row, whole.rows // window.rows, "row")
        self._inside(col, whole.cols // window.cols, "column")
        place = Coord(0, 0, row, col, "tiles")
        trace = current()
        at = place.scalars()[2:]
        if level_of(*at) == LANE:
            raise fail(TraceTypeError, "the window of a shared tile cannot depend on the lane")
        spelling = f"!hk.st<{rows}x{cols}x{self.dtype.spelling}, of {whole.rows}x{whole.cols}>"
        ir = trace.value("hk.lds_sub", (whole, *at), spelling)
        return Shared(ir, window, trace.scope, whole, (row, col))

    def _inside(self, index: Any, count: int, what: str) -> None:
        if isinstance(index, Value) and not isinstance(index, Scalar):
            raise fail(TraceTypeError, f"the {what} of a window is a number, not {words(index)}")
        if not isinstance(index, Scalar) and not 0 <= index < count:
            raise fail(TraceValueError, f"window {what} {index} of {count} in {self.type.words}")

    def load(self, type: Any = None) -> Tile:
        """A register tile of the same shape; without a type, of the shared tile's own."""
        type = RT(self.dtype, self.rows, self.cols) if type is None else type
        if isinstance(type, Tile):
            type = type.type
        if not isinstance(type, RT):
            raise fail(TraceTypeError, f"a shared tile loads into an hk.RT, not {type!r}")
        if (type.rows, type.cols) != (self.rows, self.cols):
            raise fail(
                TraceTypeError,
                f"{self.type.words} loads into a tile of its own shape, not {type.rows}x"
                f"{type.cols}; take a part with .sub(rows, cols, row, col)",
            )
        return emit("hk.lds_load", (self,), type)

    def store(self, value: Any) -> None:
        """Stores a register tile of the same shape; the element type converts."""
        if not isinstance(value, Tile) or value.shape != (self.rows, self.cols):
            raise fail(
                TraceTypeError,
                f"{self.type.words} stores a tile of its own shape, not {words(value)}",
            )
        if value.dtype.is_float != self.dtype.is_float:
            raise fail(
                TraceTypeError, f"{words(value)} into {self.type.words}: convert it with .to"
            )
        current().effect("hk.lds_store", (value, self))

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise fail(
            TraceAttributeError, f"a shared tile has no '{name}'{nearest(name, dir(Shared))}"
        )

    def __bool__(self) -> NoReturn:
        raise fail(TraceTypeError, "a shared tile has no truth")


class Group:
    """``hk.group(n)``: waves 0 to n-1 of the work-group acting together."""

    __slots__ = ("waves",)

    def __init__(self, waves: int) -> None:
        self.waves = waves

    def load(self, shared: Any, view: Any) -> None:
        """Copies the tile at ``view`` into ``shared``, of the same shape, without a barrier."""
        self._copy("load", shared, view)

    def store(self, view: Any, shared: Any) -> None:
        """Copies ``shared`` to ``view``; what is outside of the tensor is dropped."""
        self._copy("store", shared, view)

    def _copy(self, verb: str, shared: Any, view: Any) -> None:
        if not isinstance(shared, Shared) or not isinstance(view, View):
            order = "(shared, x[coord])" if verb == "load" else "(x[coord], shared)"
            raise fail(
                TraceTypeError,
                f"hk.group(n).{verb}{order} takes a shared tile and a view of a tensor",
            )
        if shared._parent is not None:
            raise fail(TraceTypeError, f"hk.group(n).{verb} copies a whole shared tile, no window")
        if shared.dtype is not view.tensor.dtype:
            raise fail(
                TraceTypeError,
                f"hk.group(n).{verb} copies and does not convert: {shared.type.words} and "
                f"'{view.tensor.name}' of {view.tensor.dtype.name}",
            )
        trace = current()
        if self.waves > trace.warps:
            raise fail(
                TraceValueError,
                f"a group of {self.waves} waves in a kernel of {trace.warps}; say "
                f"@hk.kernel(warps={self.waves})",
            )
        attributes = view._unit() | {"waves": attribute(f"{self.waves} : i32")}
        if verb == "store":
            trace.written.add(view.tensor.name)
        level = level_of(*view.coord.scalars())
        if level >= WAVE and self.waves > 1:
            raise fail(
                TraceTypeError,
                f"the coordinate of hk.group({self.waves}).{verb} depends on the wave: the waves "
                "of a group copy one tile together, so all of them name the same one",
            )
        trace.effect(f"hk.group_{verb}", (shared, *view._operands(shared.type)), attributes)


def group(waves: int) -> Group:
    """``waves`` waves of the work-group acting together."""
    if isinstance(waves, bool) or not isinstance(waves, int) or not 1 <= waves <= 32:
        raise fail(TraceValueError, f"hk.group takes 1 to 32 waves, not {waves!r}")
    return Group(waves)
