"""Programs that are compiled for a chip and for the host: compile, run on both, compare.

The sources are tests/differential/programs/*.cpp and what tests/fuzz/programs generates; twin.h
says what they may use. A program's specification, its second macro argument, reads

    inputs -> outputs ; options

    input    type[.domain][*count | #count]   an array: count values an item, or count in all
             =type                            a scalar; =16 is a struct of 16 bytes, aligned to 8
    output   type[*count | #count][~bound]    compared bit for bit (NaNs alike), or by the bound:
             ~4        at most 4 units in the last place away
             ~4:1e-6   or 1e-6
             ~given    the host's next output holds the largest error allowed to each element
    options  grid=8 block=64  (block=wave: one wave of items), lds=256 (dynamic LDS in bytes)
             wave   the result depends on the wave size
             meets  items meet: barriers, operations over lanes
             only=gfx9,gfx1201 (chips by prefix), w32, w64 (only this wave size)

Domains of floats: none (everything, with special values), "n" ([-8, 8]), "p" ((0, 64]),
"u" ([-1, 1]), "i" (integers up to 8); of integers: none (edges and random bits), "s" (below 64).
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import os
import re
import subprocess
import tempfile
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np

import wavewright

CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]
FOLDER = Path(__file__).parent / "differential"
INCLUDE = ["-I", FOLDER, "-I", FOLDER.parent / "fuzz" / "programs"]
BOTH = ["-std=c++20", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-Wno-everything"]
DEVICE = ["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib"]
HOST = ["-x", "c++", "-march=x86-64-v3", "-shared", "-fPIC"]
HOST += ["-Xclang", "-ffloat16-excess-precision=none", "-Xclang"]
HOST += ["-fbfloat16-excess-precision=none"]
TYPES = {
    **{f"u{b}": np.dtype(f"uint{b}") for b in (8, 16, 32, 64)},
    **{f"i{b}": np.dtype(f"int{b}") for b in (8, 16, 32, 64)},
    **{f"f{b}": np.dtype(f"float{b}") for b in (16, 32, 64)},
    "bf16": np.dtype(ml_dtypes.bfloat16),
}


@functools.cache
def _clang() -> str:
    return os.environ.get("WAVEWRIGHT_CLANG", "clang++-22")


@functools.cache
def _cache_folder() -> Path:
    """Objects are kept between runs, like those of ccache, which does not know HIP."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "wavewright" / "tests"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="wavewright-twin-"))


@functools.cache
def _headers() -> bytes:
    version = subprocess.run([_clang(), "--version"], capture_output=True, check=True).stdout
    return version + b"".join((FOLDER / f).read_bytes() for f in ("twin.h", "twin_host.h"))


class CompileFailure(Exception):
    """clang refused, or died; the text is what it said."""


def compile_source(
    source: str, flags: list[str], suffix: str, keep: bool = True, path: Path | None = None
) -> Path:
    """The object of a source (which stands in `path`, if given), compiled once for its flags."""
    key = hashlib.sha256(_headers() + repr(flags).encode() + source.encode()).hexdigest()[:32]
    output = _cache_folder() / f"{key}{suffix}"
    if keep and output.exists():
        os.utime(output)
        return output
    with tempfile.TemporaryDirectory(prefix="wavewright-twin-") as folder:
        text, made = path or Path(folder) / "program.cpp", Path(folder) / f"made{suffix}"
        if not path:
            text.write_text(source)
        done = subprocess.run(
            [_clang(), *flags, *INCLUDE, "-o", made, text], capture_output=True, text=True
        )
        if done.returncode:
            raise CompileFailure(done.stderr[-4000:])
        partial = output.with_suffix(f".{os.getpid()}")
        partial.write_bytes(made.read_bytes())
        partial.replace(output)
    return output


def device_flags(chip: str, level: str, extra: tuple[str, ...] = ()) -> list[str]:
    return [*DEVICE, f"--offload-arch={chip}", f"-{level}", *BOTH, *extra]


def wave_size(chip: str, extra: tuple[str, ...] = ()) -> int:
    return 64 if chip in ("gfx942", "gfx950") or "-mwavefrontsize64" in extra else 32


class Launch(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("wave", ctypes.c_uint32),
        ("meets", ctypes.c_uint32),
        ("dynamic_bytes", ctypes.c_uint32),
    ]


@dataclasses.dataclass(frozen=True)
class Value:
    """One argument of a program."""

    type: str  # of an element; "" for the bytes of a struct
    count: int  # elements; 0 for a scalar
    domain: str = ""
    bound: str = ""
    bytes: int = 0


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    grid: tuple[int, int, int] = (8, 1, 1)
    block: tuple[int, int, int] = (64, 1, 1)
    wave: bool = False
    meets: bool = False
    dynamic_lds: int = 0
    only: tuple[str, ...] = ()
    wave_only: int = 0

    def for_wave(self, wave: int) -> Program:
        """With the group of one wave that `block=wave` asks for."""
        return self if self.block[0] else dataclasses.replace(self, block=(wave, 1, 1))

    def runs_on(self, chip: str, wave: int) -> bool:
        right = not self.only or any(chip.startswith(prefix) for prefix in self.only)
        return right and self.wave_only in (0, wave)


def _dimensions(text: str) -> tuple[int, int, int]:
    numbers = [int(n) for n in text.split("x")]
    return tuple(numbers + [1] * (3 - len(numbers)))  # type: ignore[return-value]


def parse_program(name: str, specification: str) -> Program:
    body, _, tail = specification.partition(";")
    options: dict = {}
    for word in tail.split():
        key, _, value = word.partition("=")
        if (key, value) == ("block", "wave"):
            options["block"] = (0, 1, 1)
        elif key in ("grid", "block"):
            options[key] = _dimensions(value)
        elif key in ("wave", "meets"):
            options[key] = True
        elif key == "lds":
            options["dynamic_lds"] = int(value)
        elif key == "only":
            options["only"] = tuple(value.split(","))
        elif key in ("w32", "w64"):
            options["wave_only"] = int(key[1:])
        else:
            raise ValueError(f"{name}: unknown option {word}")
    grid, block = options.get("grid", (8, 1, 1)), options.get("block", (64, 1, 1))
    items = int(np.prod(grid) * np.prod(block))

    def value(word: str) -> Value:
        if word.startswith("="):
            size = word[1:].split(".")[0]
            if size.isdigit():
                return Value("", 0, bytes=int(size))
            return Value(size, 0, word.partition(".")[2])
        found = re.fullmatch(r"(\w+)(?:\.(\w))?(?:([*#])(\d+))?(?:~(.+))?", word)
        if not found or found[1] not in TYPES:
            raise ValueError(f"{name}: cannot read {word}")
        count = int(found[4] or 1) * (1 if found[3] == "#" else items)
        return Value(found[1], count, found[2] or "", found[5] or "")

    inputs, _, outputs = body.partition("->")
    return Program(
        name, tuple(map(value, inputs.split())), tuple(map(value, outputs.split())), **options
    )


def programs_of(source: str) -> list[Program]:
    """The programs of a source, in order."""
    found = re.findall(r'^\s*PROGRAM\(\s*(\w+),\s*((?:"[^"]*"\s*)+),', source, re.MULTILINE)
    return [parse_program(name, "".join(re.findall(r'"([^"]*)"', text))) for name, text in found]


def _specials(dtype: np.dtype) -> np.ndarray:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        powers = [v for b in range(0, info.bits, 3) for v in (1 << b, (1 << b) - 1, (1 << b) + 1)]
        edges = [0, 1, 2, 3, 5, 7, 10, info.max, info.max - 1, info.min, info.min + 1, *powers]
        edges += [-v for v in edges]
        mask = (1 << info.bits) - 1
        return np.array([v & mask for v in edges], np.uint64).astype(f"uint{info.bits}").view(dtype)
    info = ml_dtypes.finfo(dtype)
    tiny, low = float(info.tiny), float(info.smallest_subnormal)
    edges = [0.0, 1.0, 0.5, 1.5, 2.0, 3.0, 65504.0, np.inf, np.nan, float(info.max), tiny, low]
    edges += [tiny - low, tiny + low, 1 + float(info.eps), 1 - float(info.eps) / 2, 2.5, 1e-3]
    edges += [2147483648.0, 4294967296.0, 9.2e18, 255.0, 0.499, 1e-30]
    with np.errstate(over="ignore"):
        return np.array(edges + [-v for v in edges]).astype(dtype)


def make_input(value: Value, random: np.random.Generator) -> object:
    """An array, a scalar or the bytes of a struct."""
    if value.bytes:
        return random.integers(0, 256, value.bytes, np.uint8).tobytes()
    dtype, count = TYPES[value.type], value.count or 1
    size = dtype.itemsize
    noise = random.integers(0, 256, count * size, np.uint8).view(f"uint{size * 8}")
    if dtype.kind in "iu":
        made = noise.view(dtype)
        if value.domain == "s":
            made = (noise % np.array(64, noise.dtype)).view(dtype)
        else:
            specials = _specials(dtype)
            where = random.random(count) < 0.4
            made = np.where(where, specials[random.integers(0, len(specials), count)], made)
    elif value.domain:
        real = {
            "n": lambda: random.uniform(-8, 8, count),
            "p": lambda: random.uniform(0, 64, count) + 2.0**-10,
            "u": lambda: random.uniform(-1, 1, count),
            "i": lambda: random.integers(-8, 9, count).astype(float),
        }[value.domain]()
        made = real.astype(dtype)
    else:
        specials = _specials(dtype)
        with np.errstate(over="ignore"):
            plain = (random.standard_normal(count) * 2.0 ** random.integers(-8, 8, count)).astype(
                dtype
            )
        pick = random.random(count)
        made = np.where(pick < 0.4, plain, noise.view(dtype))
        made = np.where(pick > 0.75, specials[random.integers(0, len(specials), count)], made)
        # A signalling NaN may be quieted by a mere copy on the host.
        made = np.where(np.isnan(made), np.array(np.nan, dtype), made)
    return made.astype(dtype)[0] if not value.count else np.ascontiguousarray(made, dtype)


def make_inputs(program: Program, seed: int = 0) -> list:
    random = np.random.default_rng([zlib.crc32(program.name.encode()), seed])
    return [make_input(value, random) for value in program.inputs]


def zero_outputs(program: Program) -> list[np.ndarray]:
    return [np.zeros(value.count, TYPES[value.type]) for value in program.outputs]


@functools.cache
def _header_folder() -> Path:
    """Copies of the headers that nobody touches: a precompiled one knows their paths and times."""
    key = hashlib.sha256(_headers()).hexdigest()[:32]
    folder = _cache_folder() / f"headers-{key}"
    folder.mkdir(exist_ok=True)
    for name in ("twin.h", "twin_host.h"):
        if not (folder / name).exists():
            partial = folder / f"{name}.{os.getpid()}"
            partial.write_bytes((FOLDER / name).read_bytes())
            partial.replace(folder / name)
    return folder


@functools.cache
def _host_header(level: str) -> Path:
    """twin.h and what it includes, precompiled: it takes longer to read than a few programs."""
    flags = [*(f for f in HOST if f != "-shared"), f"-{level}", *BOTH, "-Xclang"]
    flags[flags.index("c++")] = "c++-header"
    header = _header_folder() / "twin.h"
    return compile_source(str(header), [*flags, "-fno-pch-timestamp"], ".pch", path=header)


class HostLibrary:
    """The programs of a source on the host."""

    def __init__(self, source: str, level: str = "O1", keep: bool = True):
        header = _host_header(level)
        flags = [*HOST, f"-{level}", *BOTH, "-include-pch", str(header)]
        # Before the tree's own copies, so that `#pragma once` knows them again.
        flags += ["-I", str(_header_folder())]
        path = compile_source(source, flags, ".so", keep)
        self.library = ctypes.CDLL(str(path))
        if not keep:
            path.unlink()

    def run(self, program: Program, inputs: list, wave: int) -> list[np.ndarray]:
        # Arrays are copied: a program may change what it is given.
        inputs = [v.copy() if isinstance(v, np.ndarray) and v.ndim else v for v in inputs]
        outputs, kernarg = zero_outputs(program), bytearray()
        for value in [*inputs, *outputs]:
            if isinstance(value, np.ndarray) and value.ndim:
                data, align = value.ctypes.data.to_bytes(8, "little"), 8
            else:
                data = value if isinstance(value, bytes) else value.tobytes()
                align = min(len(data), 8)
            kernarg += bytes(-len(kernarg) % align) + data
        launch = Launch(
            program.grid, program.block, wave, program.meets or program.wave, program.dynamic_lds
        )
        function = self.library[f"host_{program.name}"]
        function((ctypes.c_char * len(kernarg)).from_buffer(kernarg), ctypes.byref(launch))
        return outputs


class DeviceModule:
    """The programs of a source on an emulated chip."""

    def __init__(
        self, source: str, chip: str, level: str, extra: tuple[str, ...] = (), keep: bool = True
    ):
        path = compile_source(source, device_flags(chip, level, extra), ".hsaco", keep)
        self.device = wavewright.open_device(f"emu:{chip}")
        self.module = self.device.load(path.read_bytes())
        if not keep:
            path.unlink()

    def run(self, program: Program, inputs: list, **options) -> list[np.ndarray]:
        outputs = zero_outputs(program)
        inputs = [v.copy() if isinstance(v, np.ndarray) and v.ndim else v for v in inputs]
        arguments = []
        for value in [*inputs, *outputs]:
            if isinstance(value, np.ndarray) and value.ndim:
                arguments.append(wavewright.as_array(value).argument())
            else:
                arguments.append(value if isinstance(value, bytes) else value.tobytes())
        if program.dynamic_lds:
            options["dynamic_lds"] = program.dynamic_lds
        self.device.launch(
            self.module, program.name, program.grid, program.block, arguments, **options
        )
        return outputs


def _ordered(array: np.ndarray) -> np.ndarray:
    """Integers in the order of the numbers: their distances are units in the last place."""
    bits = array.view(f"int{array.dtype.itemsize * 8}").astype(np.int64)
    sign = (
        -(1 << (array.dtype.itemsize * 8 - 1))
        if array.dtype.itemsize < 8
        else np.iinfo(np.int64).min
    )
    return np.where(bits < 0, sign - bits, bits)


def differences(program: Program, want: list[np.ndarray], got: list[np.ndarray]) -> list[str]:
    """What differs: one line an output, naming the first place."""
    lines = []
    skip = False
    for index, (value, w, g) in enumerate(zip(program.outputs, want, got, strict=True)):
        if skip:
            skip = False
            continue
        if w.dtype.kind in "iu":
            bad = w != g
        else:
            nans = np.isnan(w) & np.isnan(g)
            equal = (w.view(f"u{w.itemsize}") == g.view(f"u{g.itemsize}")) | nans
            if not value.bound:
                bad = ~equal
            elif value.bound == "given":
                skip = True
                wide_w, wide_g = w.astype(np.float64), g.astype(np.float64)
                with np.errstate(invalid="ignore"):
                    bad = ~(equal | (abs(wide_w - wide_g) <= want[index + 1]))
            else:
                ulps, _, absolute = value.bound.partition(":")
                with np.errstate(invalid="ignore", over="ignore"):
                    near = abs(_ordered(w) - _ordered(g)) <= int(ulps)
                    if absolute:
                        error = abs(w.astype(np.float64) - g.astype(np.float64))
                        near |= error <= float(absolute)
                bad = ~(equal | (near & ~np.isnan(w) & ~np.isnan(g)))
        if bad.any():
            at = int(np.argmax(bad))
            per = len(w) // (int(np.prod(program.grid) * np.prod(program.block)) or 1) or 1
            lines.append(
                f"{program.name}: output {index} differs in {int(bad.sum())} of {len(w)} elements,"
                f" first at {at} (item {at // per}, value {at % per}):"
                f" host {w[at]!r} ({w[at].tobytes()[::-1].hex()}),"
                f" device {g[at]!r} ({g[at].tobytes()[::-1].hex()})"
            )
    return lines
