"""``@hk.kernel`` and ``@hk.func``: tracing, building and launching."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wavewright.errors import Place, TraceError, TraceTypeError, TraceValueError

import wavewright

from . import backend, chips, grid, launch
from .memory import TensorHandle
from .place import fail
from .rewrite import traceable
from .signature import (
    Signature,
    defining_names,
    is_function,
    place_of_function,
    signature_of,
)
from .trace import Trace, activate, attribute, ir_type, quoted, tracing
from .types import DType, TensorType
from .values import Scalar

#: What a build assumes of each tensor when no array says: base and pitches aligned to 16 bytes, and
#: columns divisible by what 16 bytes hold.
ALIGN = 16

Facts = tuple[tuple[int, int], ...]


def default_facts(signature: Signature) -> Facts:
    return tuple((ALIGN, ALIGN // p.type.dtype.bytes) for p in signature.tensors)


@dataclass
class Traced:
    """A traced kernel: ``module`` as traced, ``dump()`` after the tile passes."""

    kernel: Kernel
    arch: str
    constants: dict[str, Any]
    facts: Facts
    module: Any
    written: frozenset[str]
    spans: dict[str, int]

    @functools.cached_property
    def _dump(self) -> str:
        return backend.tile_text(self.module)

    def dump(self) -> str:
        """The hk MLIR module after the tile passes."""
        return self._dump

    def __str__(self) -> str:
        """The module as traced, before any pass."""
        return str(self.module)


class Build:
    """A compiled kernel: ``code_object`` (bytes), ``report()``, ``save(path)``, ``resources``."""

    def __init__(self, traced: Traced, compiled: Any, facts_assumed: bool) -> None:
        self.traced = traced
        self.compiled = compiled
        self.arch = traced.arch
        self._assumed = facts_assumed
        self.loaded: dict[str, Any] = {}  # by device

    @property
    def code_object(self) -> bytes:
        """The HSACO file's bytes."""
        return self.compiled.code_object

    @property
    def resources(self) -> Any:
        """Registers, LDS, spills and occupancy, read back from the code object."""
        return self.compiled.resources

    @property
    def stages(self) -> list[tuple[str, float]]:
        """(stage, milliseconds) of the compilation, in order."""
        return self.compiled.stages

    @property
    def compile_ms(self) -> float:
        """Milliseconds of the whole compilation."""
        return self.compiled.compile_ms

    @functools.cached_property
    def kernels(self) -> list[dict[str, Any]]:
        """Each kernel in the object: name, arguments, registers, LDS, spills."""
        return wavewright.inspect(self.code_object, self.traced.kernel.name)["kernels"]

    def report(self) -> str:
        """Chip, registers, LDS, spills, occupancy, code size, compile time by stage."""
        lines = [self.compiled.report().rstrip()]
        if self.traced.facts:
            source = (
                "assumed; a launch compiles for its arrays" if self._assumed else "of the arrays"
            )
            pairs = zip(self.traced.kernel.signature.tensors, self.traced.facts, strict=True)
            facts = ", ".join(
                f"{p.name}: align {align} bytes, columns a multiple of {cols}"
                for p, (align, cols) in pairs
            )
            lines.append(f"  facts ({source}): {facts}")
        return "\n".join(lines) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the code object."""
        self.compiled.save(path)


class Func:
    """``@hk.func``: a function of a kernel's values, traced where it is called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not is_function(function):
            raise fail(TraceTypeError, f"@hk.func decorates a function, not {function!r}")
        functools.update_wrapper(self, function)
        self._function = function
        self._traceable: tuple[Callable[..., Any], str] | None = None

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        trace = tracing()
        if trace is None:
            return self._function(*arguments, **keywords)
        if self._traceable is None:
            self._traceable = traceable(self._function)
        function, unreadable = self._traceable
        before, trace.unreadable = trace.unreadable, unreadable
        result = function(*arguments, **keywords)
        trace.unreadable = before
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def func(function: Callable[..., Any]) -> Func:
    """A function that kernels call: its loops and branches may run at run time."""
    return Func(function)


class Kernel:
    """A kernel. Calling it launches it; see :meth:`trace`, :meth:`build`, :meth:`specialize`."""

    def __init__(
        self,
        function: Any,
        names: Mapping[str, Any],
        grid: Any,
        warps: int,
        name: str | None,
        max_vgprs: int | None,
        min_occupancy: int | None,
        arch: str | None,
    ) -> None:
        if not is_function(function):
            raise fail(TraceTypeError, f"@hk.kernel decorates a function, not {function!r}")
        self.place = place_of_function(function)
        if isinstance(warps, bool) or not isinstance(warps, int) or not 1 <= warps <= 32:
            raise TraceValueError(
                f"warps is 1 to 32 waves of a work-group, not {warps!r}", self.place
            )
        for key, value in (("max_vgprs", max_vgprs), ("min_occupancy", min_occupancy)):
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < 1
            ):
                raise TraceValueError(f"{key} is a positive number, not {value!r}", self.place)
        functools.update_wrapper(self, function)
        self.name = name or function.__name__
        if self.name == "<lambda>":
            raise TraceValueError(
                "a lambda has no name for the code object: define the kernel with def", self.place
            )
        if not self.name.isidentifier():
            raise TraceValueError(f"a kernel's name is an identifier, not {name!r}", self.place)
        self.grid = grid
        self.warps = warps
        self.max_vgprs = max_vgprs
        self.min_occupancy = min_occupancy
        self.arch = chips.chip(arch) if arch is not None else None
        self.signature = signature_of(function, names)
        self._function = function
        self._traceable: tuple[Callable[..., Any], str] | None = None
        self._traces: dict[Any, Traced] = {}
        self._builds: dict[Any, Build] = {}
        self._special: dict[Any, Specialized] = {}

    # -- tracing -----------------------------------------------------------------------------------

    def trace(self, arch: str | None = None, **constants: Any) -> Traced:
        """The kernel as IR, for a chip and constants, needing no device; the same object again."""
        values = self.signature.bind_constants(self.name, constants)
        return self.traced(chips.arch_name(arch, self.arch), values, default_facts(self.signature))

    def traced(self, arch: str, constants: dict[str, Any], facts: Facts) -> Traced:
        key = (arch, constants_key(constants), facts, self.max_vgprs, self.min_occupancy)
        found = self._traces.get(key)
        if found is None:
            found = self._traces[key] = self._trace(arch, constants, facts)
        return found

    def _trace(self, arch: str, constants: dict[str, Any], facts: Facts) -> Traced:
        if self._traceable is None:
            self._traceable = traceable(self._function)
        function, unreadable = self._traceable
        ones = grid.Extents(1, 1, 1, 1)
        names = {p.name: ones if p.is_tensor else 1 for p in self.signature.positional}
        grid.check_names(self.grid, self.name, names | constants)

        trace = Trace(self.place, arch, self.warps)
        trace.unreadable = unreadable
        trace.module.set("wavewright.arch", quoted(arch))
        fact = iter(facts)
        arguments, spellings = [], []
        for parameter in self.signature.positional:
            type = parameter.type
            text = type.spelling(*next(fact)) if isinstance(type, TensorType) else type.spelling
            value = trace.block.add_argument(ir_type(text), trace.root)
            spellings.append(text)
            if isinstance(type, TensorType):
                arguments.append(TensorHandle(parameter.name, value, type.dtype, text, trace.top))
            else:
                arguments.append(Scalar(value, type, trace.top))
        with activate(trace, function.__code__):
            result = function(*arguments, **constants)
        if result is not None:
            raise TraceError(
                f"{self.name} returns a value; a kernel stores its results into tensors", self.place
            )
        self._finish(trace, spellings)
        return Traced(
            self, arch, constants, facts, trace.module, frozenset(trace.written), trace.spans
        )

    def _finish(self, trace: Trace, spellings: list[str]) -> None:
        """Makes the function around the traced body, and verifies the module."""
        trace.block.create("func.return", [], [], None, trace.root)
        trace.block.prepend(trace.first_block)
        names = ", ".join(f'{{hk.name = "{p.name}"}}' for p in self.signature.positional)
        attributes = {
            "sym_name": quoted(self.name),
            "function_type": attribute(f"({', '.join(spellings)}) -> ()"),
            "arg_attrs": attribute(f"[{names}]"),
            "hk.kernel": attribute("unit"),
            "hk.warps": attribute(f"{self.warps} : i32"),
        }
        for key in ("max_vgprs", "min_occupancy"):
            value = getattr(self, key)
            if value is not None:
                attributes[f"hk.{key}"] = attribute(f"{value} : i32")
        trace.module.body.create("func.func", [], [], attributes, trace.root, [trace.body])
        trace.module.verify()

    # -- building ----------------------------------------------------------------------------------

    def build(
        self,
        arch: str | None = None,
        opt: int = 3,
        gate: bool = True,
        debug: bool = True,
        **constants: Any,
    ) -> Build:
        """Compiles for a chip; no device is needed.

        Args:
            arch: the chip, as "gfx950"; else that of the kernel or of WAVEWRIGHT_DEVICE.
            opt: 0 to 3; 0 skips the gate.
            gate: refuse a kernel that spills or exceeds its budgets (``ResourceError``).
            debug: line tables, which change nothing but debug sections.
        """
        traced = self.trace(arch, **constants)
        return self.built(traced, opt, gate, debug, assumed=True)

    def built(
        self, traced: Traced, opt: int = 3, gate: bool = True, debug: bool = True, *, assumed: bool
    ) -> Build:
        key = (
            traced.arch, constants_key(traced.constants), traced.facts, opt, gate, debug,
            self.max_vgprs, self.min_occupancy,
        )  # fmt: skip
        found = self._builds.get(key)
        if found is None:
            compiled = backend.compile_module(
                traced.module, opt, gate, debug, os.path.dirname(self.place.file),
                self.max_vgprs, self.min_occupancy,
            )  # fmt: skip
            found = self._builds[key] = Build(traced, compiled, assumed)
        return found

    def specialize(self, **constants: Any) -> Specialized:
        """The kernel with constants bound; the same object each time."""
        values = self.signature.bind_constants(self.name, constants)
        key = constants_key(values)
        found = self._special.get(key)
        if found is None:
            found = self._special[key] = Specialized(self, values)
        return found

    def __call__(self, *arguments: Any, device: str | None = None, **keywords: Any) -> Any:
        """Launches on the device named, on WAVEWRIGHT_DEVICE, or on ``emu:gfx1100``; waits for it.

        Arrays are numpy's, or any that speak DLPack on the CPU; none is copied.
        """
        if tracing() is not None:
            raise fail(
                TraceTypeError,
                f"a kernel cannot launch another one: what {self.name} shares with this kernel "
                "goes into a function that both call, @hk.func",
            )
        return launch.launch(self, arguments, keywords, device, {})

    def launch(
        self, *arguments: Any, device: str | None = None, options: dict[str, Any], **keywords: Any
    ) -> Any:
        """As a call, with options of the device: checks, matrix, seed, budget, threads."""
        return launch.launch(self, arguments, keywords, device, options)

    def __repr__(self) -> str:
        parameters = [f"{p.name}: {_words(p.type)}" for p in self.signature.positional]
        constants = [f"{p.name}={p.default!r}" for p in self.signature.constants]
        star = ["*"] if constants else []
        return f"<hk.kernel {self.name}({', '.join(parameters + star + constants)})>"


class Specialized:
    """A kernel with constants bound."""

    def __init__(self, kernel: Kernel, constants: dict[str, Any]) -> None:
        self.kernel = kernel
        self.constants = constants

    def trace(self, arch: str | None = None) -> Traced:
        return self.kernel.trace(arch, **self.constants)

    def build(self, arch: str | None = None, **options: Any) -> Build:
        return self.kernel.build(arch, **options, **self.constants)

    def __call__(self, *arguments: Any, device: str | None = None, **keywords: Any) -> Any:
        return self.kernel(*arguments, device=device, **self.constants, **keywords)


def _words(type: Any) -> str:
    return repr(type) if isinstance(type, DType) else f"hk.Tensor[{type.dtype!r}]"


def constants_key(constants: Mapping[str, Any]) -> tuple[Any, ...]:
    """1, 1.0 and True are different constants."""
    return tuple((type(v), v) for v in constants.values())


def kernel(
    fn: Any = None,
    *,
    grid: Any = (1, 1, 1),
    warps: int = 1,
    name: str | None = None,
    max_vgprs: int | None = None,
    min_occupancy: int | None = None,
    arch: str | None = None,
) -> Any:
    """Makes a kernel of a function.

    Args:
        grid: the launch's extent in work-groups, (x, y, z): a tuple, or a function of ``p``, which
            has the extents of each tensor (``p.a.rows``), the scalars and the constants.
        warps: waves of a work-group.
        name: the kernel's name in the code object; else the function's.
        max_vgprs: the most registers (VGPR plus AGPR) that one wave may be given.
        min_occupancy: the fewest waves a SIMD that must fit.
        arch: the only chip that it is for; else any.
    """
    names = dict(defining_names())

    def decorate(function: Any) -> Kernel:
        return Kernel(function, names, grid, warps, name, max_vgprs, min_occupancy, arch)

    return decorate if fn is None else decorate(fn)


__all__ = ["Build", "Func", "Kernel", "Place", "Specialized", "Traced", "func", "kernel"]
