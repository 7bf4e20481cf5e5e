"""Which chip a trace, a build or a launch is for."""

from __future__ import annotations

from wavewright.device import chip_of, resolve_device
from wavewright.errors import Error, TraceKeyError

from wavewright import _core

from .place import fail

DEFAULT_DEVICE = "emu:gfx1100"
_known: dict[str, str] = {}


def chip(name: str) -> str:
    """The chip's own name ("gfx940" is gfx942); ``TraceKeyError`` names the nearest ones."""
    if not isinstance(name, str):
        raise fail(TraceKeyError, f"arch is a chip's name, as 'gfx950', not {name!r}")
    found = _known.get(name)
    if found is None:
        try:
            found = _known[name] = _core.find_chip(name)
        except Error as error:
            raise fail(TraceKeyError, error.message) from None
    return found


def device_name(device: str | None = None, kernel_arch: str | None = None) -> str:
    """The argument, WAVEWRIGHT_DEVICE, the emulator of the kernel's own chip, or the default."""
    default = f"emu:{kernel_arch}" if kernel_arch is not None else DEFAULT_DEVICE
    return resolve_device(device=device, default=default)


def arch_name(arch: str | None, kernel_arch: str | None = None) -> str:
    """The chip: the argument, the kernel's own, that of the device, in this order."""
    if arch is not None:
        return chip(arch)
    if kernel_arch is not None:
        return chip(kernel_arch)
    return chip(chip_of(device_name()))
