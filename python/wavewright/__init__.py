"""Wavewright: GPU kernels for AMD cards, compiled and proved without one.

The front ends are ``hk`` (tiles) and ``rocke`` (lanes); here is what they share: devices, arrays,
compiling, and the family of errors.
"""

from wavewright.arrays import Array, as_array
from wavewright.compile import Build, compile_module, compile_text
from wavewright.device import (
    available_devices,
    chip_of,
    inspect,
    launch,
    open_device,
    resolve_device,
    targets,
)
from wavewright.errors import (
    CheckError,
    CompileError,
    Error,
    LaunchError,
    Place,
    ResourceError,
    TraceError,
    UsageError,
    VerifyError,
)

__version__ = "0.1.0"

__all__ = [
    "Array",
    "Build",
    "CheckError",
    "CompileError",
    "Error",
    "LaunchError",
    "Place",
    "ResourceError",
    "TraceError",
    "UsageError",
    "VerifyError",
    "as_array",
    "available_devices",
    "chip_of",
    "compile_module",
    "compile_text",
    "inspect",
    "launch",
    "open_device",
    "resolve_device",
    "targets",
]
