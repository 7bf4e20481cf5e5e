"""The compiled module as the language uses it: passes, compilation, devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import wavewright
from wavewright import _core

from .arrays import HostArray
from .signature import Parameter

if TYPE_CHECKING:
    from .kernel import Build

open_device = wavewright.open_device


def tile_text(module: Any) -> str:
    """The module after the tile passes, as text; ``module`` stays as it is."""
    return _core.run_tile_passes(module)


def compile_module(
    module: Any,
    opt: int,
    gate: bool,
    debug: bool,
    source_root: str,
    max_vgprs: int | None,
    min_occupancy: int | None,
) -> wavewright.Build:
    """Compiles a copy of the module."""
    options = {"opt": opt, "gate": gate, "debug_info": debug, "source_root": source_root}
    for key, value in (("max_vgprs", max_vgprs), ("min_occupancy", min_occupancy)):
        if value is not None:
            options[key] = value
    return wavewright.compile_module(module, **options)


def launch(
    device: Any,
    build: Build,
    grid: tuple[int, int, int],
    items: Sequence[tuple[Parameter, Any]],
    options: dict[str, Any],
) -> Any:
    """Launches a build. A tensor's arguments: base, extents, strides of batch, depth and row."""
    arguments: list[Any] = []
    for parameter, value in items:
        if isinstance(value, HostArray):
            arguments.append(value.array.argument(parameter.name))
            arguments.extend(value.shape)
            arguments.extend(value.strides[:3])
        elif hasattr(value, "tobytes"):
            arguments.append(value.tobytes())
        else:
            arguments.append(value)
    loaded = build.loaded.get(device.name)
    if loaded is None:
        loaded = build.loaded[device.name] = device.load(build.code_object)
    kernel = build.traced.kernel
    block = (kernel.warps * device.wave_size, 1, 1)
    result = device.launch(loaded, kernel.name, grid, block, arguments, **options)
    result.build = build
    return result
