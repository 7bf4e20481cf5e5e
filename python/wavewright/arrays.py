"""Arrays of the host, whoever made them, used in place.

numpy arrays (with ml_dtypes' element types), what speaks DLPack (torch tensors, jax arrays), and
what has ``__array_interface__`` become an :class:`Array`: where the elements are, their type and
strides. Nothing is copied.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any

from wavewright import _core
from wavewright.errors import LaunchTypeError, LaunchValueError

# Names of element types as the rest of Wavewright spells them, by numpy's and ml_dtypes' names.
_NUMPY_NAMES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "bf8",
    "float8_e4m3fnuz": "fp8_fnuz",
    "float8_e5m2fnuz": "bf8_fnuz",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint64": "u64",
    "uint32": "u32",
    "uint16": "u16",
    "uint8": "u8",
    "bool": "bool",
    "complex64": "c64",
    "complex128": "c128",
}
# dlpack.h, DLDataTypeCode; codes from 7 on are the 8-bit floats of DLPack 1.1.
_DLPACK_NAMES = {
    (0, 64): "i64", (0, 32): "i32", (0, 16): "i16", (0, 8): "i8",
    (1, 64): "u64", (1, 32): "u32", (1, 16): "u16", (1, 8): "u8",
    (2, 64): "f64", (2, 32): "f32", (2, 16): "f16", (4, 16): "bf16",
    (5, 64): "c64", (5, 128): "c128", (6, 8): "bool",
    (10, 8): "fp8", (11, 8): "fp8_fnuz", (12, 8): "bf8", (13, 8): "bf8_fnuz",
}  # fmt: skip
_INTERFACE_KINDS = {"f": "f", "i": "i", "u": "u", "c": "c"}
# dlpack.h, DLDeviceType: memory that this process can read and write.
_HOST_DEVICES = {1: "CPU", 3: "CUDA host", 11: "ROCm host"}
_ROCM = 10


@dataclass(frozen=True, slots=True)
class Array:
    """Elements in memory. ``strides`` count elements; ``device`` is "cpu" or "hip:<n>"."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    itemsize: int
    read_only: bool
    device: str
    owner: Any

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def span(self) -> tuple[int, int]:
        """Lowest address and number of bytes from there that the elements touch."""
        if self.size == 0:
            return self.pointer, 0
        reach = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        low = sum(min(r, 0) for r in reach)
        high = sum(max(r, 0) for r in reach)
        return self.pointer + low * self.itemsize, (high - low + 1) * self.itemsize

    def alignment(self, most: int = 16) -> int:
        """The largest power of two up to ``most`` that divides the address and every byte stride
        but the last dimension's (of dimensions with more than one element)."""
        value = self.pointer | most
        for extent, stride in zip(self.shape[:-1], self.strides[:-1], strict=True):
            if extent > 1:
                value |= abs(stride) * self.itemsize
        return value & -value

    def argument(self, label: str = "") -> _core.HostArray | int:
        """What ``Device.launch`` takes for it: the memory, or the address on the GPU."""
        start, size = self.span()
        if self.device != "cpu":
            return start
        return _core.HostArray(start, size, label, self.read_only)


def as_array(value: Any, label: str = "array") -> Array:
    """The elements of ``value`` where they are. LaunchTypeError for what is no array."""
    if hasattr(value, "__array_interface__"):
        return _from_interface(value, label)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, label)
    raise LaunchTypeError(
        f"{label} is a {type(value).__name__}; it must be a numpy array or speak DLPack "
        "(torch tensors do)"
    )


def is_array(value: Any) -> bool:
    """Whether ``as_array`` would look at it: numpy's scalars are numbers, not arrays."""
    if hasattr(value, "__dlpack__"):
        return True
    return hasattr(value, "__array_interface__") and not _is_scalar(value)


def _is_scalar(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "tobytes") and not hasattr(value, "ctypes")


def _from_interface(value: Any, label: str) -> Array:
    interface = value.__array_interface__
    typestr = interface["typestr"]
    if not typestr[2:].isdigit():
        raise LaunchTypeError(
            f"{label} holds Python objects ({typestr}), not numbers; pass an array of a number type"
        )
    itemsize = int(typestr[2:])
    if typestr[0] == ">" and itemsize > 1:
        raise LaunchTypeError(
            f"{label} is big endian ({typestr}); pass x.astype(x.dtype.newbyteorder('<'))"
        )
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        name = _NUMPY_NAMES.get(dtype.name)
    else:
        kind = _INTERFACE_KINDS.get(typestr[1])
        name = f"{kind}{8 * itemsize}" if kind else None
    if name is None:
        raise LaunchTypeError(
            f"{label} has elements of type {dtype if dtype is not None else typestr}, "
            "which no kernel takes; convert them with astype"
        )
    if hasattr(value, "mask") and hasattr(value, "filled"):
        raise LaunchTypeError(f"{label} has a mask; pass x.filled(...)")
    pointer, read_only = interface["data"]
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        counts = _row_major(shape)
    else:
        for stride in strides:
            if stride % itemsize:
                raise LaunchValueError(
                    f"{label} has a stride of {stride} bytes between elements of {itemsize}; pass "
                    "numpy.ascontiguousarray(x)"
                )
        counts = tuple(stride // itemsize for stride in strides)
    return Array(pointer, shape, counts, name, itemsize, bool(read_only), "cpu", value)


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * max(shape[i + 1], 1)
    return tuple(strides)


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


_READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_is = ctypes.pythonapi.PyCapsule_IsValid
_capsule_is.restype = ctypes.c_int
_capsule_is.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _export(value: Any, label: str) -> Any:
    try:
        try:
            return value.__dlpack__(max_version=(1, 0))
        except TypeError:  # a producer from before DLPack 1.0
            return value.__dlpack__()
    except (BufferError, RuntimeError, ValueError) as error:
        hint = "; pass it .detach()ed" if getattr(value, "requires_grad", False) else ""
        raise LaunchTypeError(f"{label} does not give its memory: {error}{hint}") from error


def _from_dlpack(value: Any, label: str) -> Array:
    # The capsule keeps its name, so its own destructor gives the memory back: it is the owner.
    capsule = _export(value, label)
    read_only = False
    if _capsule_is(capsule, b"dltensor_versioned"):
        versioned = _DLManagedTensorVersioned.from_address(
            _capsule_pointer(capsule, b"dltensor_versioned")
        )
        if versioned.major != 1:
            raise LaunchTypeError(f"{label} speaks DLPack {versioned.major}, not 1")
        read_only = bool(versioned.flags & _READ_ONLY)
        tensor = versioned.tensor
    elif _capsule_is(capsule, b"dltensor"):
        tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    else:
        raise LaunchTypeError(f"{label}.__dlpack__() gives no DLPack capsule")

    if tensor.device_type in _HOST_DEVICES:
        device = "cpu"
    elif tensor.device_type == _ROCM:
        device = f"hip:{tensor.device_id}"
    else:
        raise LaunchTypeError(
            f"{label} lies on a device of DLPack type {tensor.device_type}; "
            "pass an array on the CPU"
        )
    name = _DLPACK_NAMES.get((tensor.code, tensor.bits))
    if name is None or tensor.lanes != 1:
        raise LaunchTypeError(
            f"{label} has elements of DLPack type ({tensor.code}, {tensor.bits} bits, "
            f"{tensor.lanes} lanes), which no kernel takes"
        )
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if tensor.strides:
        strides = tuple(tensor.strides[i] for i in range(tensor.ndim))
    else:
        strides = _row_major(shape)
    pointer = (tensor.data or 0) + tensor.byte_offset
    return Array(
        pointer, shape, strides, name, tensor.bits // 8, read_only, device, (value, capsule)
    )
