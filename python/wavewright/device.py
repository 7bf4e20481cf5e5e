"""Devices: the built-in emulator of a chip ("emu:gfx950") or a GPU through HIP ("hip:0")."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from wavewright import _core
from wavewright.arrays import Array, as_array, is_array
from wavewright.errors import LaunchTypeError, UsageError

_devices: dict[str, _core.Device] = {}
_lock = threading.Lock()


def available_devices() -> list[str]:
    """Names that :func:`open_device` takes here."""
    return _core.available_devices()


def open_device(name: str) -> _core.Device:
    """The device of this name, opened once in a process. UsageError lists what works here."""
    with _lock:
        device = _devices.get(name)
        if device is None:
            device = _devices[name] = _core.open_device(name)
        return device


def resolve_device(
    arch: str | None = None,
    device: str | None = None,
    arrays: Iterable[Array] = (),
    default: str = "emu:gfx950",
) -> str:
    """The name of the device that counts, in this order: a chip given as argument, the ``device=``,
    the device that the arrays lie on, ``WAVEWRIGHT_DEVICE`` (read now), the front end's default."""
    if device is not None:
        if not isinstance(device, str) or not device:
            raise UsageError(
                f"device is a name, as 'emu:gfx950' or 'hip:0', not {device!r}; "
                f"here are: {', '.join(available_devices())}"
            )
        if arch is not None and device.startswith("emu:"):
            named = device.removeprefix("emu:")
            if _core.find_chip(arch) != _core.find_chip(named):
                raise UsageError(f'arch="{arch}" and device="{device}" are two chips; give one')
        return device
    if arch is not None:
        return f"emu:{_core.find_chip(arch)}"
    places = {array.device for array in arrays} - {"cpu"}
    if len(places) > 1:
        raise LaunchTypeError(f"the arrays lie on several devices: {', '.join(sorted(places))}")
    if places:
        return places.pop()
    return os.environ.get("WAVEWRIGHT_DEVICE") or default


def chip_of(device: str) -> str:
    """The chip of a device name; a GPU is opened to ask it."""
    kind, _, chip = device.partition(":")
    return _core.find_chip(chip) if kind == "emu" else open_device(device).arch


def targets() -> list[dict[str, Any]]:
    """The facts of each chip."""
    return json.loads(_core.targets_json())


def inspect(code_object: bytes, name: str = "<memory>") -> dict[str, Any]:
    """Kernels, resources, arguments and instruction mix of any code object."""
    return json.loads(_core.inspect_json(code_object, name))


def fidelity(code_object: bytes, kernel: str, name: str = "<memory>") -> dict[str, Any]:
    """How far the results of a kernel can be trusted: ``grade`` is the lowest of an instruction
    that the kernel reaches ("exact": IEEE or integer rules; "characterised": a rule measured on
    silicon; "unverified"), ``causes`` lists those instructions with what their grade rests on."""
    return json.loads(_core.fidelity_json(code_object, kernel, name))


def instructions(arch: str) -> list[dict[str, Any]]:
    """Every instruction that the chip's decoder knows: name, class, grade, and the forms with
    their machine words; a form that the device does not execute has a ``refusal``."""
    return json.loads(_core.instructions_json(arch))["instructions"]


def launch(
    code_object: bytes,
    kernel: str | None = None,
    grid: Sequence[int] = (1,),
    block: Sequence[int] = (1,),
    arguments: Sequence[Any] = (),
    *,
    device: str | None = None,
    **options: Any,
) -> _core.LaunchResult:
    """Runs a kernel of any code object once.

    ``grid`` counts work-groups, ``block`` work-items. An argument is an array (used in place), an
    int or a float (of the size that the kernel's metadata gives), a numpy scalar (of its own size),
    a ``Buffer`` or bytes. Without a kernel's name the object has one kernel; without a device the
    object's own chip is emulated. ``options`` are those of ``Device.launch``: checks, matrix, seed,
    budget, threads, dynamic_lds.
    """
    described = inspect(code_object) if kernel is None or device is None else None
    if kernel is None:
        names = [k["name"] for k in described["kernels"]]
        if len(names) != 1:
            raise UsageError(f"the object has {len(names)} kernels, name one: {', '.join(names)}")
        kernel = names[0]
    opened = open_device(device if device is not None else f"emu:{described['chip']}")
    values: list[Any] = []
    alive = []
    for index, value in enumerate(arguments):
        if is_array(value):
            array = as_array(value, f"argument {index}")
            alive.append(array)
            values.append(array.argument())
        elif hasattr(value, "tobytes"):
            values.append(value.tobytes())
        else:
            values.append(value)
    return opened.launch(opened.load(code_object), kernel, grid, block, values, **options)
