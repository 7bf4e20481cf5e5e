"""A call of a kernel: arguments checked, facts taken, the right build found, launched.

Kernel arguments, in order of the parameters: a tensor is its base pointer, four i32 extents and the
i64 strides of batch, depth and row in elements; a scalar is itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from wavewright.device import chip_of
from wavewright.errors import (
    LaunchError,
    LaunchTypeError,
    LaunchValueError,
    Place,
    UsageError,
)

from . import backend, chips, grid
from .arrays import HostArray, host_array
from .place import here, nearest
from .signature import Parameter
from .types import DType, TensorType

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
        elif parameter.default is not inspect.Parameter.empty:
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
        return _float_argument(dtype, float(value))
    if isinstance(value, float) and not value.is_integer() or not isinstance(value, (int, float)):
        raise LaunchTypeError(f"{where} is {dtype.name}, not {value!r}", place)
    value = int(value)
    if not -(1 << (dtype.bits - 1)) <= value < 1 << (dtype.bits - 1):
        raise LaunchValueError(f"{where}: {value} does not fit {dtype.name}", place)
    return value


def _float_argument(dtype: DType, value: float) -> Any:
    """A 16-bit float goes as its bits, rounded here; the device makes an f32 of a number."""
    return value if dtype.bits == 32 else np.array(value).astype(dtype.numpy)[()]


def launch(
    kernel: Kernel,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    device: str | None,
    options: dict[str, Any],
) -> Any:
    """Launches and waits. The result is the launch's statistics with the ``build`` that ran, None
    where the grid is empty.

    ``options`` are those of ``Device.launch``: checks, matrix, seed, budget, threads.
    """
    place = here() or kernel.place
    values, given = _bind(kernel, arguments, keywords, place)
    constants = kernel.signature.bind_constants(kernel.name, given)
    try:
        name = chips.device_name(device, kernel.arch)
        arch = chips.chip(chip_of(name))
    except UsageError as error:
        error.place = error.place or place
        raise
    if kernel.arch is not None and kernel.arch != arch:
        raise LaunchValueError(
            f"{kernel.name} is for {kernel.arch} (its arch=), the device {name} is {arch}", place
        )

    traced = kernel.trace(arch, **given)  # with any facts: it tells which tensors are written
    shown: dict[str, Any] = {}
    items: list[tuple[Parameter, Any]] = []
    for parameter, value in zip(kernel.signature.positional, values, strict=True):
        if isinstance(parameter.type, TensorType):
            where = f"array '{parameter.name}' of {kernel.name}"
            written = parameter.name in traced.written
            rows = traced.spans.get(parameter.name, 1)
            value = host_array(value, where, parameter.type.dtype, written, rows, place)
            shown[parameter.name] = grid.Extents(*value.shape)
        else:
            value = shown[parameter.name] = _scalar(kernel, parameter, value, place)
        items.append((parameter, value))

    extents = grid.evaluate(kernel.grid, kernel.name, shown | constants, place)
    if 0 in extents:
        return None
    facts = tuple(v.facts for _, v in items if isinstance(v, HostArray))
    build = kernel.built(kernel.traced(arch, constants, facts), assumed=False)
    try:
        return backend.launch(backend.open_device(name), build, extents, items, options)
    except (LaunchError, UsageError) as error:
        error.place = error.place or place
        raise
