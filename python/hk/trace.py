"""A kernel on its way into MLIR: the module being built and the place that each operation gets."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

from wavewright.errors import Place, TraceError, TraceTypeError

from wavewright import _core

from .place import fail, line_and_column, user_frames
from .types import DType

ir = _core.ir

#: How alike a scalar is: among all waves of a work-group, among the lanes of a wave, or not at all.
GROUP, WAVE, LANE = 0, 1, 2

_context: Any = None
_types: dict[str, Any] = {}
_attributes: dict[str, Any] = {}
_locations: dict[tuple[int, ...], tuple[Any, Any]] = {}
_active = threading.local()


def context() -> Any:
    """The one MLIR context of this process."""
    global _context
    if _context is None:
        _context = ir.Context()
    return _context


def ir_type(spelling: str) -> Any:
    found = _types.get(spelling)
    if found is None:
        found = _types[spelling] = context().type(spelling)
    return found


def attribute(spelling: str) -> Any:
    found = _attributes.get(spelling)
    if found is None:
        found = _attributes[spelling] = context().attribute(spelling)
    return found


def quoted(text: str) -> Any:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return attribute(f'"{escaped}"')


class Scope:
    """Where values live: the kernel, or the body of a loop or branch being traced."""

    __slots__ = ("closed", "parent", "words")

    def __init__(self, words: str, parent: Scope | None = None) -> None:
        self.closed = False
        self.words = words
        self.parent = parent


class Trace:
    """The state of one trace. ``divergence`` says how alike the way to the current place is."""

    def __init__(self, root: Place, arch: str, warps: int) -> None:
        self.arch = arch
        self.warps = warps
        self.root = context().location(root.file, root.line, root.column)
        self.module = ir.Module.create(context(), self.root)
        self.body = ir.Region(self.module)
        self.preamble = ir.Region(self.module)
        self.first_block = self.preamble.block
        self.block = self.body.block
        self.top = self.scope = Scope("the kernel")
        self.divergence: tuple[int, str] = (GROUP, "")
        self.unreadable = ""  # why the function being traced is not rewritten
        self.written: set[str] = set()
        self.spans: dict[str, int] = {}  # rows of the tallest tile moved, a tensor
        self.shared: list[tuple[Any, Any]] = []
        self.shared_used = 0
        self._cache: dict[Any, Any] = {}
        self._code: Any = None

    # -- places ------------------------------------------------------------------------------------

    def location(self) -> Any:
        """The user's line and column, with the calls that lead there from the kernel's body."""
        key: list[int] = []
        frames = []
        for frame in user_frames(2):
            key += (id(frame.f_code), frame.f_lasti)
            frames.append(frame)
            if frame.f_code is self._code:
                break
        else:
            frames = frames[:1]
            key = key[:2]
        if not frames:
            return self.root
        found = _locations.get(tuple(key))
        if found is None:
            place: Any = None
            for frame in reversed(frames):
                code = frame.f_code
                line, column = line_and_column(code, frame.f_lasti, frame.f_lineno)
                place = context().location(code.co_filename, line, column, place)
            # The codes are kept with the location, so no other code gets their ids.
            found = _locations[tuple(key)] = (place, [frame.f_code for frame in frames])
        return found[0]

    # -- operations --------------------------------------------------------------------------------

    def operands(self, values: Sequence[Any]) -> list[Any]:
        for value in values:
            if value.scope.closed:
                raise fail(
                    TraceError,
                    f"a value made inside {value.scope.words} is used outside of it; give it a "
                    "name before the loop or branch and rebind that name inside",
                )
        return [value.ir for value in values]

    def value(
        self,
        name: str,
        values: Sequence[Any],
        spelling: str,
        attributes: dict[str, Any] | None = None,
    ) -> Any:
        """Appends an operation of one result and gives the bare IR value."""
        return self.block.value(
            name, self.operands(values), ir_type(spelling), attributes, self.location()
        )

    def effect(
        self, name: str, values: Sequence[Any], attributes: dict[str, Any] | None = None
    ) -> None:
        """Appends an operation without results."""
        self.block.create(name, self.operands(values), [], attributes, self.location())

    def once(
        self, name: str, values: Sequence[Any], spelling: str, attributes: dict[str, Any], key: Any
    ) -> Any:
        """A value that is the same everywhere: made once, at the kernel's beginning."""
        found = self._cache.get(key)
        if found is None:
            operands = [value.ir for value in values]
            found = self._cache[key] = self.first_block.value(
                name, operands, ir_type(spelling), attributes, self.location()
            )
        return found

    def constant(self, number: float | int, dtype: DType) -> Any:
        key = (repr(number), dtype.name)
        found = self._cache.get(key)
        if found is None:
            spelled = attribute(f"{_literal(number, dtype)} : {dtype.spelling}")
            found = self._cache[key] = self.first_block.value(
                "arith.constant", [], ir_type(dtype.spelling), {"value": spelled}, self.location()
            )
        return found

    def meet(self, what: str) -> None:
        """Refuses work of the whole work-group where not every wave comes by equally often."""
        level, words = self.divergence
        if level > GROUP:
            raise fail(
                TraceError,
                f"{what} under {words}, which the waves of a work-group do not share: "
                f"they would wait for each other forever; move it out",
            )


_SPECIAL = {  # bits of infinity, minus infinity and the quiet NaN
    "f32": ("0x7F800000", "0xFF800000", "0x7FC00000"),
    "f16": ("0x7C00", "0xFC00", "0x7E00"),
    "bf16": ("0x7F80", "0xFF80", "0x7FC0"),
}


def _literal(number: float | int, dtype: DType) -> str:
    if not dtype.is_float:
        return str(int(number))
    value = float(number)
    if not math.isfinite(value):
        infinity, minus, nan = _SPECIAL[dtype.spelling]
        return nan if math.isnan(value) else infinity if value > 0 else minus
    digits, _, exponent = repr(value).partition("e")
    if "." not in digits:
        digits += ".0"
    return f"{digits}e{exponent}" if exponent else digits


def current(what: str = "this") -> Trace:
    """The trace under way; ``TraceError`` outside of a kernel."""
    trace = getattr(_active, "trace", None)
    if trace is None:
        raise fail(
            TraceTypeError,
            f"{what} works inside a kernel while it is traced; call it from a function that "
            "@hk.kernel decorates",
        )
    return trace


def tracing() -> Trace | None:
    return getattr(_active, "trace", None)


class activate:
    """``with activate(trace, code):`` makes it the current one; ``code`` is the kernel's body."""

    def __init__(self, trace: Trace, code: Any) -> None:
        self.trace = trace
        trace._code = code

    def __enter__(self) -> Trace:
        self.before = tracing()
        _active.trace = self.trace
        return self.trace

    def __exit__(self, *_: Any) -> None:
        _active.trace = self.before
