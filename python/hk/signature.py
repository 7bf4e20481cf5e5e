"""The parameters of a kernel: tensors, run-time scalars, and constants known while tracing."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wavewright.errors import Place, TraceError, TraceTypeError, TraceValueError

from .place import fail, nearest
from .types import DType, Tensor, TensorType, f32, i1, i32

#: Arguments of `trace`, `build` and a launch; a kernel's own may not have these names.
RESERVED = ("arch", "device", "opt", "gate", "debug")


@dataclass(frozen=True)
class Parameter:
    """``type`` is a TensorType, a DType (a run-time scalar) or None (a constant)."""

    name: str
    type: TensorType | DType | None
    default: Any = inspect.Parameter.empty

    @property
    def is_tensor(self) -> bool:
        return isinstance(self.type, TensorType)


@dataclass(frozen=True)
class Signature:
    positional: tuple[Parameter, ...]
    constants: tuple[Parameter, ...]

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.positional if p.is_tensor)

    def bind_constants(self, kernel: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every constant with its value; ``TraceTypeError`` for one that does not exist."""
        values = {p.name: p.default for p in self.constants}
        for name, value in given.items():
            if name not in values:
                raise fail(
                    TraceTypeError,
                    f"{kernel} has no constant '{name}'{nearest(name, values)}",
                )
            try:
                hash(value)
            except TypeError:
                raise fail(
                    TraceTypeError,
                    f"constant '{name}' is {value!r}: a constant is hashable, as it selects the "
                    "compiled kernel",
                ) from None
            values[name] = value
        return values


def place_of_function(function: types.FunctionType) -> Place:
    code = function.__code__
    return Place(code.co_filename, code.co_firstlineno)


def signature_of(function: types.FunctionType, names: Mapping[str, Any]) -> Signature:
    """Reads the parameters; ``names`` are those of the function that defines the kernel."""
    place = place_of_function(function)
    positional, constants = [], []
    for parameter in inspect.signature(function).parameters.values():
        name = parameter.name
        if name in RESERVED:
            raise TraceValueError(
                f"parameter '{name}' of {function.__name__}: the name belongs to trace, build and "
                "launch; choose another",
                place,
            )
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise TraceTypeError(
                f"{stars}{name} of {function.__name__}: a kernel names each of its parameters",
                place,
            )
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.default is parameter.empty:
                raise TraceTypeError(
                    f"constant '{name}' of {function.__name__} needs a default: keyword-only "
                    "parameters are constants known while tracing",
                    place,
                )
            constants.append(Parameter(name, None, parameter.default))
            continue
        annotation = _evaluate(function, name, parameter.annotation, names, place)
        positional.append(
            Parameter(name, _type(function, name, annotation, place), parameter.default)
        )
    return Signature(tuple(positional), tuple(constants))


def _evaluate(
    function: types.FunctionType, name: str, annotation: Any, names: Mapping[str, Any], place: Place
) -> Any:
    if not isinstance(annotation, str):
        return annotation
    local = dict(names)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for free, cell in cells:
        try:
            local[free] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    try:
        return eval(annotation, function.__globals__, local)
    except TraceError:
        raise
    except Exception as error:
        raise TraceTypeError(
            f"the annotation '{annotation}' of '{name}' does not evaluate: {error}", place
        ) from error


def _type(function: types.FunctionType, name: str, annotation: Any, place: Place) -> Any:
    if isinstance(annotation, TensorType):
        return annotation
    if isinstance(annotation, DType) and annotation is not i1:
        return annotation
    if annotation is float:
        return f32
    if annotation is int:
        return i32
    given = "has no annotation" if annotation is inspect.Parameter.empty else f"is {annotation!r}"
    hint = "hk.Tensor[hk.bf16]" if annotation is Tensor else "hk.Tensor[dtype]"
    raise TraceTypeError(
        f"parameter '{name}' of {function.__name__} {given}: write {name}: {hint} for a tensor, "
        f"{name}: hk.f32 or hk.i32 for a run-time scalar, or make it a constant behind *",
        place,
    )


def is_function(function: Any) -> bool:
    return isinstance(function, types.FunctionType)


def defining_names(depth: int = 2) -> Mapping[str, Any]:
    """The local names where a kernel is defined, for annotations that are strings."""
    import sys

    frame = sys._getframe(depth)
    return frame.f_locals


Grid = Callable[[Any], Any]
