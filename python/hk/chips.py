"""Which chip a trace, a build or a launch is for."""

from __future__ import annotations

import os

from wavewright.errors import Error, TraceKeyError

from wavewright import _core

from .place import fail

DEFAULT_DEVICE = "emu:gfx1100"
_known: dict[str, str] = {}


def chip(name: str) -> str:
    """The chip's own name ("gfx940" is gfx942); ``TraceKeyError`` names the nearest ones."""
    found = _known.get(name)
    if found is None:
        if not isinstance(name, str):
            raise fail(TraceKeyError, f"arch is a chip's name, as 'gfx950', not {name!r}")
        try:
            found = _known[name] = _core.ir.chip(name)
        except Error as error:
            raise fail(TraceKeyError, error.message) from None
    return found


def device_name(device: str | None = None) -> str:
    """The argument, WAVEWRIGHT_DEVICE, or the front end's default."""
    return device or os.environ.get("WAVEWRIGHT_DEVICE") or DEFAULT_DEVICE


def arch_name(arch: str | None, kernel_arch: str | None = None) -> str:
    """The chip: the argument, the kernel's own, that of the device, in this order."""
    if arch is not None:
        return chip(arch)
    if kernel_arch is not None:
        return chip(kernel_arch)
    device = device_name()
    if device.startswith("emu:"):
        return chip(device[4:])
    from .backend import open_device

    return chip(open_device(device).arch)
