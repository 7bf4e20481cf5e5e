"""From an MLIR module to a code object."""

from __future__ import annotations

import json
import os
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any

from wavewright import _core


class Build:
    """A code object and what its compilation told."""

    def __init__(self, compiled: _core.Compiled) -> None:
        self._compiled = compiled

    @cached_property
    def code_object(self) -> bytes:
        """The HSACO."""
        return self._compiled.code_object

    @cached_property
    def resources(self) -> dict[str, Any]:
        """Registers, LDS, spills, occupancy and instruction mix, as read back from the object."""
        return json.loads(self._compiled.resources_json)

    @property
    def stages(self) -> list[tuple[str, float]]:
        """(stage, milliseconds) in order."""
        return self._compiled.stages

    @property
    def compile_ms(self) -> float:
        return sum(milliseconds for _, milliseconds in self.stages)

    @property
    def dumps(self) -> dict[str, str]:
        """Text of each stage; empty unless compiled with ``keep_ir``."""
        return self._compiled.dumps

    def report(self) -> str:
        """Chip, registers, LDS, spills, occupancy and its limit, code size, compile time."""
        return self._compiled.report

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the code object: the whole file or, on an error, none."""
        path = Path(path)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.code_object)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        return path


def compile_module(module: _core.ir.Module, **options: Any) -> Build:
    """Compiles a copy of the module for its ``wavewright.arch``.

    Options: opt (0 to 3), gate, max_vgprs, min_occupancy, debug_info, source_root, keep_ir.
    """
    return Build(_core.compile(module, **options))


def compile_text(
    source: str, arch: str | None = None, name: str = "<text>", **options: Any
) -> Build:
    """Compiles MLIR text; ``arch`` overrides the module's ``wavewright.arch``."""
    context = _core.ir.Context()
    module = _core.ir.Module.parse(context, source, name)
    if arch is not None:
        chip = _core.find_chip(arch)
        module.set("wavewright.arch", context.attribute(f'"{chip}"'))
    return compile_module(module, **options)
