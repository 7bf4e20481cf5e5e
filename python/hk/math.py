"""Functions of one value, element by element, on tiles, vectors and scalars of floats.

16-bit floats compute in f32 and round once. A Python number gives a Python number.
"""

from __future__ import annotations

import math as _python
from collections.abc import Callable
from typing import Any

from wavewright.errors import TraceTypeError

from .place import fail
from .values import Value, element, emit, is_number, meet, operand, unary, words


def _function(name: str, operation: str, of_number: Callable[[float], float], doc: str) -> Any:
    def function(x: Any) -> Any:
        x = operand(f"hk.math.{name}", x)
        if is_number(x):
            return of_number(x)
        if not element(x).is_float:
            raise fail(
                TraceTypeError, f"hk.math.{name} takes floats, not {words(x)}: convert it with "
                ".to(hk.f32)",
            )  # fmt: skip
        return unary(operation, x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


exp = _function("exp", "math.exp", _python.exp, "e to the power of x.")
exp2 = _function("exp2", "math.exp2", lambda x: 2.0**x, "2 to the power of x.")
log = _function("log", "math.log", _python.log, "The natural logarithm.")
log2 = _function("log2", "math.log2", _python.log2, "The logarithm to base 2.")
sqrt = _function("sqrt", "math.sqrt", _python.sqrt, "The square root.")
rsqrt = _function("rsqrt", "math.rsqrt", lambda x: 1 / _python.sqrt(x), "1 / sqrt(x).")
tanh = _function("tanh", "math.tanh", _python.tanh, "The hyperbolic tangent.")
sin = _function("sin", "math.sin", _python.sin, "The sine of x in radians.")
cos = _function("cos", "math.cos", _python.cos, "The cosine of x in radians.")
erf = _function("erf", "math.erf", _python.erf, "The error function.")
floor = _function("floor", "math.floor", _python.floor, "Rounded down.")
ceil = _function("ceil", "math.ceil", _python.ceil, "Rounded up.")
rint = _function("rint", "math.roundeven", round, "Rounded to the nearest integer, ties to even.")


def abs(x: Any) -> Any:
    """The absolute value, of floats or integers."""
    x = operand("hk.math.abs", x)
    if not isinstance(x, Value):
        return -x if x < 0 else x
    return unary("math.absf" if element(x).is_float else "math.absi", x)


def copysign(magnitude: Any, sign: Any) -> Any:
    """The size of the first with the sign of the second; they broadcast."""
    if is_number(magnitude) and is_number(sign):
        return _python.copysign(magnitude, sign)
    magnitude, sign, type = meet("hk.math.copysign", magnitude, sign)
    if not element(magnitude).is_float:
        raise fail(TraceTypeError, f"hk.math.copysign takes floats, not {words(magnitude)}")
    return emit("math.copysign", (magnitude, sign), type)
