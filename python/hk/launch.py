"""A call of a kernel: arguments checked, facts taken, the right build found, launched.

Kernel arguments, in order of the parameters: a tensor is its base pointer, four i32 extents and the
i64 strides of batch, depth and row in elements; a scalar is itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from wavewright.errors import LaunchTypeError, LaunchValueError, Place

from . import backend, chips, grid
from .arrays import HostArray, host_array
from .place import here, nearest
from .signature import Parameter
from .types import DType

if TYPE_CHECKING:
    from .kernel import Kernel


def _bind(
    kernel: Kernel, arguments: tuple[Any, ...], keywords: Mapping[str, Any], place: Place
) -> tuple[list[Any], dict[str, Any]]:
    """The positional parameters' values in order, and the constants given."""
    parameters = kernel.signature.positional
    named = {p.name for p in parameters}
    constants = {k: v for k, v in keywords.items() if k not in named}
    known = {p.name for p in kernel.signature.constants}
    for name in constants:
        if name not in known:
            raise LaunchTypeError(
                f"{kernel.name} has no parameter '{name}'{nearest(name, known | named)}", place
            )
    values = list(arguments[: len(parameters)])
    if len(arguments) > len(parameters):
        raise LaunchTypeError(_count(kernel, len(arguments)), place)
    for parameter in parameters[len(values) :]:
        if parameter.name in keywords:
            values.append(keywords[parameter.name])
        elif parameter.default is not Parameter.__dataclass_fields__["default"].default:
            values.append(parameter.default)
        else:
            raise LaunchTypeError(_count(kernel, len(values)), place)
    for parameter in parameters[: len(arguments)]:
        if parameter.name in keywords:
            raise LaunchTypeError(
                f"{kernel.name} is given '{parameter.name}' twice, by place and by name", place
            )
    return values, constants


def _count(kernel: Kernel, given: int) -> str:
    parameters = kernel.signature.positional
    names = ", ".join(p.name for p in parameters)
    arrays = len(kernel.signature.tensors)
    scalars = len(parameters) - arrays
    what = f"{arrays} arrays" + (f" and {scalars} scalars" if scalars else "")
    return f"{kernel.name} takes {what} ({names}), {given} arguments were given"


def _scalar(kernel: Kernel, parameter: Parameter, value: Any, place: Place) -> Any:
    dtype = parameter.type
    assert isinstance(dtype, DType)
    where = f"scalar '{parameter.name}' of {kernel.name}"
    if hasattr(value, "item") and getattr(value, "size", 1) == 1 and not isinstance(value, type):
        value = value.item()
    if dtype.is_float:
        if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)):
            raise LaunchTypeError(f"{where} is {dtype.name}, not {type(value).__name__}", place)
        return float(value)
    if isinstance(value, float) and not value.is_integer() or not isinstance(value, (int, float)):
        raise LaunchTypeError(f"{where} is {dtype.name}, not {value!r}", place)
    value = int(value)
    if not -(1 << (dtype.bits - 1)) <= value < 1 << (dtype.bits - 1):
        raise LaunchValueError(f"{where}: {value} does not fit {dtype.name}", place)
    return value


def launch(
    kernel: Kernel, arguments: tuple[Any, ...], keywords: dict[str, Any], device: str | None
) -> Any:
    """Launches and waits. The result is the launch's statistics, None where the grid is empty."""
    place = here() or kernel.place
    values, given = _bind(kernel, arguments, keywords, place)
    constants = kernel.signature.bind_constants(kernel.name, given)
    opened = backend.open_device(chips.device_name(device))
    arch = chips.chip(opened.arch)
    if kernel.arch is not None and kernel.arch != arch:
        raise LaunchValueError(
            f"{kernel.name} is for {kernel.arch} (its arch=), the device {opened.name} is {arch}",
            place,
        )

    # What the kernel writes is known from any trace of these constants.
    traced = kernel.trace(arch, **given)
    by_name: dict[str, Any] = {}
    items: list[tuple[Parameter, Any]] = []
    for parameter, value in zip(kernel.signature.positional, values, strict=True):
        if parameter.is_tensor:
            where = f"array '{parameter.name}' of {kernel.name}"
            value = host_array(
                value, where, parameter.type.dtype, parameter.name in traced.written,
                traced.spans.get(parameter.name, 1), place,
            )  # fmt: skip
            by_name[parameter.name] = grid.Extents(*value.shape)
        else:
            value = _scalar(kernel, parameter, value, place)
            by_name[parameter.name] = value
        items.append((parameter, value))

    extents = grid.evaluate(kernel.grid, kernel.name, by_name | constants, place)
    if 0 in extents:
        return None
    facts = tuple(v.facts for _, v in items if isinstance(v, HostArray))
    build = kernel.built(kernel.traced(arch, constants, facts), assumed=False)
    return backend.launch(opened, build, kernel, extents, items, traced.written)


def as_bits(dtype: DType, value: Any) -> bytes:
    """A scalar argument's bytes."""
    if dtype.is_float and math.isnan(value):
        return np.array(value, dtype.numpy).tobytes()
    return np.array(value).astype(dtype.numpy).tobytes()
