"""Values of a kernel: scalars, tiles and vectors, their operators and how they meet.

A tile meets a vector along the axis that the vector lacks, and a scalar everywhere. Python numbers
and i32 scalars take the element type of what they meet. 16-bit floats compute in f32 and round to
nearest even, once an operator.
"""

from __future__ import annotations

import numbers
import reprlib
from typing import Any, NoReturn

from wavewright.errors import TraceAttributeError, TraceTypeError, TraceValueError

from .place import fail, nearest
from .trace import GROUP, Scope, Trace, attribute, current, tracing
from .types import RT, RV, DType, check_dtype, f32, i1, i32

Shaped = RT | RV


class Value:
    """A run-time value: ``ir`` in the module, ``type`` (a DType, an RT or an RV) and its scope."""

    __slots__ = ("ir", "scope", "type")
    level = GROUP

    def __init__(self, ir: Any, type: Any, scope: Scope) -> None:
        self.ir = ir
        self.type = type
        self.scope = scope

    # Python asks for a truth where it branches; a run-time value has none while tracing.
    def __bool__(self) -> NoReturn:
        raise fail(TraceTypeError, no_truth(self))

    def __iter__(self) -> NoReturn:
        raise fail(TraceTypeError, f"{words(self)} cannot be iterated over or unpacked")

    def __index__(self) -> NoReturn:
        raise fail(
            TraceTypeError,
            f"{words(self)} is known at run time only; Python's range and indices need a number "
            "known while tracing (a run-time loop is hk.range)",
        )

    def __float__(self) -> NoReturn:
        way = "hk.f32(x) converts it" if isinstance(self, Scalar) else "x.to(hk.f32) converts it"
        raise fail(
            TraceTypeError,
            f"{words(self)} is known at run time only and is no Python float: {way}, and functions "
            "of Python's math have their like in hk.math (hk.math.exp(x))",
        )

    def __getitem__(self, index: Any) -> NoReturn:
        raise fail(
            TraceTypeError,
            f"{words(self)} has no elements that a kernel can pick by index: reduce it "
            "(hk.collective), choose with hk.where over hk.iota_row and hk.iota_col, or load a "
            "smaller tile",
        )

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise fail(
            TraceTypeError,
            f"{words(self)} cannot be changed in place: values of a kernel are rebound, "
            "x = hk.where(mask, new, x)",
        )

    __int__ = __index__

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise fail(
            TraceAttributeError, f"{words(self)} has no '{name}'{nearest(name, dir(type(self)))}"
        )

    def __array_ufunc__(self, *_: Any, **__: Any) -> NoReturn:
        raise fail(TraceTypeError, f"numpy cannot compute with {words(self)}; use hk's functions")

    __hash__ = object.__hash__

    def to(self, dtype: DType) -> Any:
        """The value in another element type; floats round to nearest even, and saturate to ints."""
        return cast(self, dtype)

    def __add__(self, other: Any) -> Any:
        return binary("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return binary("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return binary("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return binary("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return binary("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return binary("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return binary("/", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return binary("//", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return binary("//", other, self)

    def __mod__(self, other: Any) -> Any:
        return binary("%", self, other)

    def __rmod__(self, other: Any) -> Any:
        return binary("%", other, self)

    def __and__(self, other: Any) -> Any:
        return binary("&", self, other)

    def __rand__(self, other: Any) -> Any:
        return binary("&", other, self)

    def __or__(self, other: Any) -> Any:
        return binary("|", self, other)

    def __ror__(self, other: Any) -> Any:
        return binary("|", other, self)

    def __xor__(self, other: Any) -> Any:
        return binary("^", self, other)

    def __rxor__(self, other: Any) -> Any:
        return binary("^", other, self)

    def __lshift__(self, other: Any) -> Any:
        return binary("<<", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return binary("<<", other, self)

    def __rshift__(self, other: Any) -> Any:
        return binary(">>", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return binary(">>", other, self)

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, int) or not 1 <= exponent <= 8:
            raise fail(
                TraceTypeError, "a power needs an exponent of 1 to 8 known while tracing; else use "
                "hk.math.exp2(y * hk.math.log2(x))",
            )  # fmt: skip
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def __lt__(self, other: Any) -> Any:
        return binary("<", self, other)

    def __le__(self, other: Any) -> Any:
        return binary("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return binary(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return binary(">=", self, other)

    def __eq__(self, other: Any) -> Any:
        return binary("==", self, other)

    def __ne__(self, other: Any) -> Any:
        return binary("!=", self, other)

    def __matmul__(self, other: Any) -> Any:
        from .ops import matmul

        return matmul(self, other)

    def __neg__(self) -> Any:
        return unary("arith.negf", self) if element(self).is_float else 0 - self

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        if element(self).is_float:
            raise fail(TraceTypeError, f"~ needs a mask or integers, not {words(self)}")
        return binary("^", self, True if element(self) is i1 else -1)

    def __abs__(self) -> Any:
        from . import math

        return math.abs(self)


class Scalar(Value):
    """One number a lane. ``level``: who shares it (the work-group, the wave, or nobody)."""

    __slots__ = ("level",)

    def __init__(self, ir: Any, type: DType, scope: Scope, level: int = GROUP) -> None:
        super().__init__(ir, type, scope)
        self.level = level

    @property
    def dtype(self) -> DType:
        return self.type

    def __repr__(self) -> str:
        return f"<hk scalar {self.type.name}>"


class Vector(Value):
    """A vector in registers, of type :class:`RV`."""

    __slots__ = ()

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def length(self) -> int:
        return self.type.length

    def __repr__(self) -> str:
        return f"<hk {self.type.words[2:]}>"


class Tile(Value):
    """A register tile, of type :class:`RT`."""

    __slots__ = ()

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
    def shape(self) -> tuple[int, int]:
        return self.type.rows, self.type.cols

    @property
    def row_vec(self) -> RV:
        """The type of a vector that has one value a column of this tile."""
        return self.type.row_vec

    @property
    def col_vec(self) -> RV:
        """The type of a vector that has one value a row of this tile."""
        return self.type.col_vec

    @property
    def T(self) -> Transposed:  # noqa: N802 - numpy's name
        """The tile with rows and columns exchanged, as an operand of ``@``."""
        return Transposed(self)

    def __repr__(self) -> str:
        return f"<hk {self.type.words[2:]}>"


class Transposed:
    """``t.T``: an operand of ``@`` only; no data moves."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    @property
    def T(self) -> Any:  # noqa: N802 - numpy's name
        return self.of

    def __matmul__(self, other: Any) -> Any:
        from .ops import matmul

        return matmul(self, other)

    def __getattr__(self, name: str) -> NoReturn:
        raise fail(TraceAttributeError, f"x.T is an operand of @ only and has no '{name}'")


def element(value: Value) -> DType:
    return value.type if isinstance(value.type, DType) else value.type.dtype


def spelling(type: Any) -> str:
    return type.spelling


def words(value: Any) -> str:
    """A value in words, for messages."""
    if isinstance(value, Scalar):
        return f"a run-time {value.type.name}" if value.type is not i1 else "a run-time condition"
    if isinstance(value, Value):
        return value.type.words
    if hasattr(value.__class__, "explain"):
        value.explain()  # a name without a value says why
    if isinstance(value, (bool, int, float)):
        return f"the number {value!r}"
    if hasattr(value, "shape") and hasattr(value, "dtype"):  # its elements say nothing
        shape = "x".join(str(extent) for extent in value.shape)
        return f"a host array ({type(value).__name__}, {shape} of {value.dtype})"
    return f"{type(value).__name__} {reprlib.repr(value)}"


def no_truth(value: Value) -> str:
    if isinstance(value, Scalar):
        if (trace := tracing()) and trace.unreadable:
            return f"a branch on {words(value)} needs its function's source: {trace.unreadable}"
        return (
            f"{words(value)} has no truth while tracing: use hk.where(condition, a, b), combine "
            "conditions with & | ~, or branch with an if statement in the body of an @hk.kernel "
            "or @hk.func"
        )
    return (
        f"a branch on {words(value)}: each element has its own truth; use hk.where(mask, a, b) "
        "(rows and columns outside a tensor load as 0 and are not stored)"
    )


def wrap(trace: Trace, ir: Any, type: Any, level: int = GROUP) -> Any:
    """A bare IR value as a value of the language, in the current scope."""
    if isinstance(type, RT):
        return Tile(ir, type, trace.scope)
    if isinstance(type, RV):
        return Vector(ir, type, trace.scope)
    return Scalar(ir, type, trace.scope, level)


def is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real)


def level_of(*values: Any) -> int:
    return max((v.level for v in values if isinstance(v, Scalar)), default=GROUP)


def emit(name: str, values: tuple[Any, ...], type: Any, attributes: Any = None) -> Any:
    trace = current()
    ir = trace.value(name, values, type.spelling, attributes)
    return wrap(trace, ir, type, level_of(*values))


def constant(number: Any, dtype: DType) -> Scalar:
    trace = current()
    if dtype.is_float:
        number = float(number)
    elif isinstance(number, float) or not float(number).is_integer():
        raise fail(
            TraceTypeError,
            f"{number!r} does not fit {dtype.name}: convert the other side first, .to(hk.f32)",
        )
    elif dtype is not i1 and not -(1 << (dtype.bits - 1)) <= number < 1 << (dtype.bits - 1):
        raise fail(TraceValueError, f"{number} does not fit {dtype.name}")
    return Scalar(trace.constant(number, dtype), dtype, trace.top)


def to_scalar(value: Any, dtype: DType) -> Any:
    """``value`` (a Python number or a scalar) as a run-time scalar of ``dtype``."""
    if is_number(value):
        if not dtype.is_float and isinstance(value, float):
            value = int(value)
        return constant(value, dtype)
    if isinstance(value, Scalar):
        return convert_scalar(value, dtype)
    if isinstance(value, Value):
        return cast(value, dtype)
    raise fail(TraceTypeError, f"hk.{dtype.name}(...) takes a number, not {words(value)}")


def convert_scalar(value: Scalar, dtype: DType) -> Scalar:
    source = value.type
    if source is dtype:
        return value
    if source is i1:
        name = "arith.uitofp" if dtype.is_float else "arith.extui"
    elif dtype is i1:
        raise fail(
            TraceTypeError, f"a condition comes from a comparison: write x != 0, not {dtype}"
        )
    elif source.is_float and dtype.is_float:
        if source.bits == dtype.bits:
            return convert_scalar(convert_scalar(value, f32), dtype)
        name = "arith.extf" if dtype.bits > source.bits else "arith.truncf"
    elif source.is_float:
        name = "arith.fptosi"
    elif dtype.is_float:
        name = "arith.sitofp"
    else:
        name = "arith.extsi" if dtype.bits > source.bits else "arith.trunci"
    return emit(name, (value,), dtype)


def cast(value: Any, dtype: Any) -> Any:
    """The value in another element type."""
    dtype = check_dtype(dtype, ".to(...)")
    if isinstance(value, Scalar):
        return convert_scalar(value, dtype)
    if not isinstance(value, Value):
        raise fail(TraceTypeError, f".to converts a tile, vector or scalar, not {words(value)}")
    if value.type.dtype is dtype:
        return value
    target = value.type.with_dtype(dtype)
    if value.type.dtype is i1:
        return emit("hk.select", (value, spread(1, target), spread(0, target)), target)
    if dtype is i1:
        raise fail(TraceTypeError, "a mask comes from a comparison: write x != 0")
    return emit("hk.cast", (value,), target)


# -- how values meet ---


def spread(value: Any, type: Any) -> Any:
    """``value`` (number, scalar, vector or tile) as a value of ``type``: splat or broadcast."""
    if is_number(value):
        value = constant(value, type if isinstance(type, DType) else type.dtype)
    if isinstance(type, DType):
        return convert_scalar(value, type)
    if isinstance(value, Scalar):
        return emit("hk.splat", (convert_scalar(value, type.dtype),), type)
    if isinstance(value, Vector) and isinstance(type, RT):
        return emit("hk.broadcast", (value,), type)
    return value


def common_dtype(op: str, values: tuple[Any, ...]) -> DType:
    """The element type in which ``values`` meet."""
    shaped = [v for v in values if isinstance(v, (Tile, Vector))]
    scalars = [v for v in values if isinstance(v, Scalar)]
    has_float = any(
        isinstance(v, numbers.Real) and not isinstance(v, numbers.Integral) for v in values
    )
    if shaped:
        dtype = shaped[0].dtype
        for other in shaped[1:]:
            if other.dtype is not dtype:
                raise fail(
                    TraceTypeError,
                    f"{dtype.name} and {other.dtype.name} in '{op}': convert one with "
                    f".to(hk.{dtype.name}) or .to(hk.{other.dtype.name})",
                )
        for scalar in scalars:
            fits = scalar.dtype is dtype or (scalar.dtype is i32 and dtype.is_float)
            if not fits:
                raise fail(
                    TraceTypeError,
                    f"{words(scalar)} and {words(shaped[0])} in '{op}': only an i32 scalar takes "
                    f"the tile's type by itself; write .to(hk.{scalar.dtype.name}) on the tile or "
                    f"hk.{dtype.name}(...) on the scalar",
                )
        return dtype
    floats = [s.dtype for s in scalars if s.dtype.is_float]
    if floats:
        for scalar in scalars:
            if scalar.dtype is not floats[0] and scalar.dtype is not i32:
                raise fail(
                    TraceTypeError,
                    f"{floats[0].name} and {scalar.dtype.name} in '{op}': convert one, as "
                    f"hk.f32(x)",
                )
        return floats[0]
    if has_float:
        return f32
    ints = [s.dtype for s in scalars]
    for dtype in ints:
        if dtype is not ints[0]:
            raise fail(
                TraceTypeError,
                f"{ints[0].name} and {dtype.name} in '{op}': convert one, as hk.i32(x)",
            )
    return ints[0] if ints else i32


def common_shape(op: str, values: tuple[Any, ...], dtype: DType) -> Any:
    """The type in which ``values`` meet, with elements of ``dtype``."""
    tiles = [v for v in values if isinstance(v, Tile)]
    vectors = [v for v in values if isinstance(v, Vector)]
    if not tiles and not vectors:
        return dtype
    if tiles:
        rows, cols = tiles[0].shape
        for tile in tiles[1:]:
            if tile.shape != (rows, cols):
                raise fail(
                    TraceTypeError,
                    f"tiles of different shapes, {rows}x{cols} and {tile.rows}x{tile.cols}, do "
                    f"not broadcast in '{op}'",
                )
    else:
        by_axis = {v.type.axis: v.length for v in vectors}
        if len(by_axis) == 1:
            lengths = {v.length for v in vectors}
            if len(lengths) > 1:
                raise fail(
                    TraceTypeError,
                    f"vectors of different lengths, {' and '.join(map(str, sorted(lengths)))}, "
                    f"do not broadcast in '{op}'",
                )
            return vectors[0].type.with_dtype(dtype)
        rows, cols = by_axis["col"], by_axis["row"]
    for vector in vectors:
        extent = rows if vector.type.axis == "col" else cols
        if vector.length != extent:
            raise fail(
                TraceTypeError,
                f"{words(vector)} and {rows}x{cols} do not broadcast in '{op}': a "
                f"{vector.type.axis} vector of {extent} is wanted",
            )
    return RT(dtype, rows, cols)


_NAMES = {  # operator -> (float operation, integer operation)
    "+": ("arith.addf", "arith.addi"),
    "-": ("arith.subf", "arith.subi"),
    "*": ("arith.mulf", "arith.muli"),
    "/": ("arith.divf", None),
    "//": (None, "arith.floordivsi"),
    "&": (None, "arith.andi"),
    "|": (None, "arith.ori"),
    "^": (None, "arith.xori"),
    "<<": (None, "arith.shli"),
    ">>": (None, "arith.shrsi"),
    "hk.maximum": ("arith.maximumf", "arith.maxsi"),
    "hk.minimum": ("arith.minimumf", "arith.minsi"),
}
# Numbers of arith's predicates: cmpf (ordered, != unordered) and cmpi (signed).
_COMPARISONS = {"==": (1, 0), "!=": (13, 1), "<": (4, 2), "<=": (5, 3), ">": (2, 4), ">=": (3, 5)}


def meet(op: str, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Both operands in the type where they meet, and that type."""
    a, b = operand(op, a), operand(op, b)
    dtype = common_dtype(op, (a, b))
    if op == "/" and dtype is i32 and isinstance(a, (Scalar, int)) and isinstance(b, (Scalar, int)):
        dtype = f32
    type = common_shape(op, (a, b), dtype)
    return spread(a, type), spread(b, type), type


def operand(op: str, value: Any) -> Any:
    if isinstance(value, Value) or is_number(value):
        return value
    if isinstance(value, Transposed):
        raise fail(TraceTypeError, f"x.T is an operand of @ only, not of '{op}'")
    if hasattr(value, "load"):
        raise fail(
            TraceTypeError,
            f"a {type(value).__name__.lower()} is no value in '{op}': load it first, "
            "x[coord].load(hk.RT(...))",
        )
    raise fail(TraceTypeError, f"{words(value)} in '{op}' is no tile, vector or scalar")


def binary(op: str, a: Any, b: Any) -> Any:
    if op == "+":  # a product adds into its accumulator
        for product, other in ((b, a), (a, b)):
            accumulate = getattr(product.__class__, "accumulate", None)
            if accumulate is not None and (sum := accumulate(product, other)) is not None:
                return sum
    power = _power_of_two(a, b) if op in ("//", "%") else None
    a, b, type = meet(op, a, b)
    dtype = element(a)
    if op in _COMPARISONS:
        return compare(op, a, b, type)
    if dtype is i1 and op not in "&|^":
        raise fail(TraceTypeError, f"'{op}' on conditions: combine them with & | ^ ~")
    if power is not None and not dtype.is_float:
        if op == "//":
            return emit("arith.shrsi", (a, spread(power, type)), type)
        return emit("arith.andi", (a, spread((1 << power) - 1, type)), type)
    if op == "%":
        return a - binary("//", a, b) * b
    if op == "//" and dtype.is_float:
        return unary("math.floor", binary("/", a, b))
    name = _NAMES[op][0 if dtype.is_float else 1]
    if name is None:
        way = "use //, or convert with .to(hk.f32)" if op == "/" else "convert with .to(hk.i32)"
        raise fail(TraceTypeError, f"'{op}' does not work on {dtype.name}: {way}")
    return emit(name, (a, b), type)


def _power_of_two(a: Any, b: Any) -> int | None:
    """log2 of a divisor known while tracing, where a shift floors as // does."""
    if isinstance(b, int) and not isinstance(b, bool):
        if b == 0 and isinstance(a, Value):
            raise fail(TraceValueError, "a division by 0")
        if b > 0 and b & (b - 1) == 0:
            return b.bit_length() - 1
    return None


def compare(op: str, a: Any, b: Any, type: Any) -> Any:
    dtype = element(a)
    if dtype is i1 and op not in ("==", "!="):
        raise fail(TraceTypeError, f"'{op}' on conditions: combine them with & | ^ ~")
    floats, ints = _COMPARISONS[op]
    name, number = ("arith.cmpf", floats) if dtype.is_float else ("arith.cmpi", ints)
    result = i1 if isinstance(type, DType) else type.with_dtype(i1)
    return emit(name, (a, b), result, {"predicate": attribute(f"{number} : i64")})


def unary(name: str, value: Any) -> Any:
    return emit(name, (value,), value.type)
