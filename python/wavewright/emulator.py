"""Bare instruction streams on the built-in device: the unit test of an instruction is one line.

>>> from wavewright.emulator import run_asm
>>> run_asm("gfx1100", "v_add_f32 v0, v1, v2", vgpr={1: 1.5, 2: 2.0}).v(0, "f4")[0]
np.float32(3.5)

Registers are given by number and start as 0. A value is

* an int or a float for all lanes: an int of up to 32 bits and a float (f32) take one register, a
  larger int takes two;
* a numpy scalar or array of any element type: elements of 8 and 16 bits stand in the low bits of a
  register, 32 bits take one register, 64 bits two (the register named and the next).

An array of a VGPR has the shape ``(lanes,)``, or ``(waves, lanes)`` where ``waves=`` or ``block=``
is given, or ``(groups, [waves,] lanes)`` where ``groups=`` is given; it may be any shape that
broadcasts to that. Values of scalar registers have the same shape without the lanes. Results have
exactly these shapes. The key ``range(4, 8)`` names consecutive registers; the array then has an
axis of registers in front of the lanes: ``(..., 4, lanes)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from wavewright import _core
from wavewright.errors import CheckError, LaunchError, LaunchTypeError, LaunchValueError

__all__ = ["RawResult", "Registers", "assemble", "run_asm", "run_bytes", "run_lanes"]

_VGPR, _AGPR, _SCALAR, _SCC, _MODE, _SCRATCH = range(6)
_VCC, _TTMP, _M0, _EXEC = 106, 108, 124, 126
_NAMED = {"vcc": _VCC, "vcc_lo": _VCC, "vcc_hi": _VCC + 1, "m0": _M0, "exec": _EXEC}
_NAMED |= {"flat_scratch_lo": 102, "flat_scratch_hi": 103}
_NAMED |= {f"ttmp{i}": _TTMP + i for i in range(16)}

Value = Any
Key = int | str | range


def assemble(
    chip: str, text: str, *, wave_size: int = 0, address: int | None = None
) -> _core.RawProgram:
    """The machine code of ``text`` (``.code``) with its disassembly; an ``s_endpgm`` is added where
    the last instruction is none. ``CompileError`` carries the line and column. The same text is
    assembled once."""
    if address is None:
        return _core.RawProgram.assemble(chip, text, wave_size)
    return _core.RawProgram.assemble(chip, text, wave_size, address)


class Registers:
    """One bank of registers after a run. ``r[i]`` is register i as uint32, ``r[4:8]`` has an axis
    of registers in front of the lanes; :meth:`read` reads another type."""

    def __init__(self, bank: np.ndarray, axis: int, names: str) -> None:
        self._bank, self._axis, self._names = bank, axis, names

    def __len__(self) -> int:
        return self._bank.shape[self._axis]

    def __getitem__(self, index: int | slice | str) -> Any:
        if isinstance(index, str):
            index = _scalar_number(index)
        if not isinstance(index, slice) and not 0 <= index < len(self):
            raise IndexError(
                f"{self._names}{index}: {len(self)} registers were simulated; those that neither "
                "the code nor a value names are not"
            )
        found = self._bank[(slice(None),) * self._axis + (index,)]
        return int(found) if found.ndim == 0 else found

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def read(self, first: int, dtype: Any) -> Any:
        """The register as ``dtype``: 8 and 16 bits from its low bits, 64 from two registers."""
        dtype = np.dtype(dtype)
        low = np.asarray(self[first], dtype=np.uint32)
        if dtype.itemsize == 8:
            high = np.asarray(self[first + 1], dtype=np.uint32)
            bits = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
        elif dtype.itemsize <= 4:
            bits = low.astype(f"u{dtype.itemsize}")
        else:
            raise LaunchTypeError(f"{dtype} has {dtype.itemsize} bytes; 1, 2, 4 and 8 can be read")
        found = np.ascontiguousarray(bits).view(dtype).reshape(low.shape)
        return found[()] if found.ndim == 0 else found


class RawResult:
    """Everything after a run. Leading axes are groups and waves where the call gave them.

    ``vgpr``, ``agpr``, ``sgpr``: :class:`Registers`. ``vcc``, ``exec``: lane masks as ints (arrays
    of uint64 with leading axes). ``m0``, ``scc``, ``mode``: ints or arrays. ``lds``: uint8.
    ``memory``: by address, arrays as they were given (copies: the arrays given are not changed).
    ``scratch``: uint32, ``(..., lanes, dwords)``. ``state``: "ended", "failed", "at barrier" or
    "running" (stopped before its end), ``pc``: address of the last instruction executed.
    ``fault``: the error that stopped the run, or None.
    """

    def __init__(
        self,
        raw: _core.RawResult,
        program: _core.RawProgram,
        memory: dict[int, np.ndarray],
        grouped: bool,
        waved: bool,
    ) -> None:
        self._raw, self.program, self.memory = raw, program, memory
        self._lead = (slice(None) if grouped else 0, slice(None) if waved else 0)
        self._axes = int(grouped) + int(waved)
        self.fault: LaunchError | CheckError | None = raw.fault

    @property
    def lanes(self) -> int:
        return self._raw.lanes

    @property
    def vgpr(self) -> Registers:
        bank = self._raw.vectors[(*self._lead, slice(0, self._raw.vgprs), slice(0, self.lanes))]
        return Registers(bank, self._axes, "v")

    @property
    def agpr(self) -> Registers:
        bank = self._raw.vectors[(*self._lead, slice(self._raw.vgprs, None), slice(0, self.lanes))]
        return Registers(bank, self._axes, "a")

    @property
    def sgpr(self) -> Registers:
        return Registers(self._raw.scalars[self._lead], self._axes, "s")

    def v(self, first: int, dtype: Any = np.uint32) -> Any:
        """``vgpr.read``: lanes of a VGPR (of two for 64 bits) as a numpy type."""
        return self.vgpr.read(first, dtype)

    def a(self, first: int, dtype: Any = np.uint32) -> Any:
        return self.agpr.read(first, dtype)

    def s(self, first: int, dtype: Any = np.uint32) -> Any:
        return self.sgpr.read(first, dtype)

    def _mask(self, first: int) -> Any:
        found = self.sgpr.read(first, np.uint64 if self.lanes == 64 else np.uint32)
        return int(found) if not self._axes else found.astype(np.uint64)

    @property
    def vcc(self) -> Any:
        return self._mask(_VCC)

    @property
    def exec(self) -> Any:
        return self._mask(_EXEC)

    @property
    def m0(self) -> Any:
        return self.sgpr[_M0]

    def _end(self, index: int, dtype: Any) -> Any:
        values = np.array([end[index] for end in self._raw.ends], dtype=dtype)
        found = values.reshape(self._raw.groups, self._raw.waves)[self._lead]
        return found.item() if not self._axes else found

    @property
    def state(self) -> Any:
        return self._end(0, np.str_)

    @property
    def pc(self) -> Any:
        return self._end(1, np.uint64)

    @property
    def scc(self) -> Any:
        return self._end(2, np.uint32)

    @property
    def mode(self) -> Any:
        return self._end(3, np.uint32)

    @property
    def lds(self) -> np.ndarray:
        return self._raw.lds[self._lead[0]]

    @property
    def scratch(self) -> np.ndarray:
        rows = self._raw.scratch[(*self._lead, slice(None), slice(0, self.lanes))]
        return np.swapaxes(rows, -1, -2)

    @property
    def statistics(self) -> dict[str, int | float]:
        """wave_instructions, lane_operations (one active lane of one VALU instruction),
        matrix_flops (2*M*N*K each), seconds."""
        names = ("wave_instructions", "lane_operations", "matrix_flops", "seconds")
        return {name: getattr(self._raw, name) for name in names}

    def __repr__(self) -> str:
        return (
            f"<RawResult {self.program.chip}: {self._raw.groups} x {self._raw.waves} waves of "
            f"{self.lanes}, {self._raw.wave_instructions} instructions"
            + (f", {self.fault}>" if self.fault else ">")
        )


def _scalar_number(name: str) -> int:
    if name in _NAMED:
        return _NAMED[name]
    raise LaunchValueError(
        f'"{name}" is no scalar register; a number, or one of {", ".join(sorted(_NAMED))}'
    )


class _Values:
    """Start values as the core takes them; keeps the arrays alive."""

    def __init__(self, lead: tuple[int, ...], grouped: bool, waved: bool, lanes: int) -> None:
        self.lead, self.grouped, self.waved, self.lanes = lead, grouped, waved, lanes
        self.rows: list[tuple[int, int, int, int, int, int]] = []
        self.alive: list[np.ndarray] = []

    def add(self, bank: int, key: Key, value: Value, name: str) -> None:
        if isinstance(key, str):
            key = _scalar_number(key)
        if isinstance(key, range):
            self._add_range(bank, key, value, name)
        else:
            self._add(bank, key, *_dwords(value, name), name)

    def _add_range(self, bank: int, key: range, value: Value, name: str) -> None:
        array, dwords = _dwords(value, name)
        axis = -2 if bank in (_VGPR, _AGPR) else -1
        if array.ndim - 1 < -axis or array.shape[axis - 1] * dwords != len(key) or key.step != 1:
            raise LaunchValueError(
                f"{name}[{key}] was given elements of shape {array.shape[:-1]}; the axis of "
                f"registers ({'before the lanes' if axis == -2 else 'the last'}) must have "
                f"{len(key) // dwords or 1} elements"
            )
        for i in range(len(key) // dwords):
            index = (..., i, slice(None), slice(None)) if axis == -2 else (..., i, slice(None))
            self._add(bank, key.start + i * dwords, array[index], dwords, name)

    def _add(self, bank: int, first: int, array: np.ndarray, dwords: int, name: str) -> None:
        """``array`` has a last axis of dwords."""
        shape = self.lead if bank in (_SCALAR, _SCC, _MODE) else (*self.lead, self.lanes)
        strides = [0, 0, 0]
        if array.ndim > 1:
            try:
                array = np.broadcast_to(array, (*shape, array.shape[-1]))
            except ValueError:
                raise LaunchValueError(
                    f"{name}{first} was given elements of shape {array.shape[:-1]}, which do not "
                    f"broadcast to {shape}"
                ) from None
            steps = [step // 4 for step in array.strides[:-1]]
            if self.grouped:
                strides[0] = steps.pop(0)
            if self.waved:
                strides[1] = steps.pop(0)
            if steps:
                strides[2] = steps.pop(0)
        self.alive.append(array)
        pointer = array.__array_interface__["data"][0]
        step = array.strides[-1]
        for i in range(dwords):
            self.rows.append((bank, first + i, pointer + i * step, *strides))


def _dwords(value: Value, name: str) -> tuple[np.ndarray, int]:
    """A uint32 array with a last axis of dwords, and how many those are."""
    if type(value) is int:
        if not -(1 << 63) <= value < 1 << 64:
            raise LaunchValueError(f"{name}: {value} has more than 64 bits")
        if -(1 << 31) <= value < 1 << 32:
            return np.array([value & 0xFFFFFFFF], dtype=np.uint32), 1
        return np.array([value & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64).view(np.uint32), 2
    if type(value) is float:
        return np.array([value], dtype=np.float32).view(np.uint32), 1
    array = np.asarray(value)
    if array.dtype.kind in "OSUMm" or array.dtype.itemsize > 8:
        raise LaunchTypeError(
            f"{name} was given elements of type {array.dtype}; a register takes numbers of 8 to 64 "
            "bits"
        )
    size = array.dtype.itemsize
    if isinstance(value, list | tuple) and size == 8:
        # Lists of Python numbers are what single ones are: 32 bits each.
        if array.dtype.kind == "f":
            array = array.astype(np.float32)
        elif array.size and (array.min() < -(1 << 31) or int(array.max()) >= 1 << 32):
            raise LaunchValueError(f"{name} was given a list with numbers of more than 32 bits")
        else:
            array = array.astype(np.int64).astype(np.uint32)
        size = 4
    if size < 4:
        array = array.view(f"u{size}").astype(np.uint32)
        size = 4
    array = np.ascontiguousarray(array) if not array.flags.c_contiguous else array
    return array.reshape(*array.shape, 1).view(np.uint32), size // 4


def _mask(value: Value, lanes: int, name: str) -> np.ndarray:
    """A lane mask fills both of its registers in waves of 64."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu" or (array.size and (array < 0).any()):
        raise LaunchValueError(f"{name}={value!r}: a lane mask is an unsigned number")
    if array.size and int(array.max()) >> lanes:
        raise LaunchValueError(f"{name}=0x{int(array.max()):x}: a wave has {lanes} lanes")
    return array.astype(np.uint64 if lanes == 64 else np.uint32)


def _content(value: Value, name: str) -> np.ndarray:
    if isinstance(value, bytes | bytearray | memoryview):
        return np.frombuffer(value, dtype=np.uint8)
    array = np.asarray(value)
    if array.dtype.kind in "OUMm":
        raise LaunchTypeError(f"{name} was given elements of type {array.dtype}; pass numbers")
    return array


def _run(
    program: _core.RawProgram,
    *,
    vgpr: Mapping[int | range, Value] | None = None,
    agpr: Mapping[int | range, Value] | None = None,
    sgpr: Mapping[Key, Value] | None = None,
    vcc: Value | None = None,
    m0: Value | None = None,
    scc: Value | None = None,
    exec: Value | None = None,
    mode: Value | None = None,
    lds: int | Value | None = None,
    lds_bytes: int | None = None,
    memory: Mapping[int, Value] | None = None,
    scratch: int | Value = 0,
    waves: int | None = None,
    block: Sequence[int] | None = None,
    groups: int | None = None,
    pc: int | None = None,
    checks: str = "on",
    matrix: str = "exact",
    budget: int = 1 << 24,
    threads: int = 1,
    seed: int = 0,
    check: bool = True,
) -> RawResult:
    lanes = program.wave_size
    waved = waves is not None or block is not None
    extents = None
    if block is not None:
        if waves is not None:
            raise LaunchValueError("waves= and block= both say how many waves there are; give one")
        extents = tuple(block) + (1,) * (3 - len(block))
        if len(extents) > 3 or any(n < 1 for n in extents):
            raise LaunchValueError(f"block={tuple(block)}: 1 to 3 extents of at least 1")
        count = -(-extents[0] * extents[1] * extents[2] // lanes)
    else:
        count = 1 if waves is None else waves
    for name, number in (("groups", groups), ("waves", waves)):
        if number is not None and not 1 <= number < 1 << 32:
            raise LaunchValueError(f"{name}={number}: at least 1")
    lead = () if groups is None else (groups,)
    lead += (count,) if waved else ()
    values = _Values(lead, groups is not None, waved, lanes)
    for bank, name, given in ((_VGPR, "v", vgpr), (_AGPR, "a", agpr), (_SCALAR, "s", sgpr)):
        for key, value in (given or {}).items():
            values.add(bank, key, value, name)
    for bank, number, name, value in (
        (_SCALAR, _VCC, "vcc", vcc),
        (_SCALAR, _M0, "m0", m0),
        (_SCALAR, _EXEC, "exec", exec),
        (_SCC, 0, "scc", scc),
        (_MODE, 0, "mode", mode),
    ):
        if value is not None:
            if name in ("vcc", "exec"):
                value = _mask(value, lanes, name)
            values.add(bank, number, value, name)

    options: dict[str, Any] = {}
    if lds is not None and not isinstance(lds, int):
        content = np.ascontiguousarray(_content(lds, "lds"))
        by_group = groups is not None and content.ndim > 1
        if by_group and content.shape[0] != groups:
            raise LaunchValueError(f"lds of shape {content.shape} for {groups} groups")
        size = content.nbytes // (groups if by_group else 1)
        options |= {"lds": content.__array_interface__["data"][0], "lds_content": content.nbytes}
        options |= {"lds_stride": size if by_group else 0}
        lds_bytes = size if lds_bytes is None else lds_bytes
    elif lds is not None:
        lds_bytes = lds
    if not isinstance(scratch, int):
        content = _content(scratch, "scratch")
        if content.dtype.itemsize != 4 or content.ndim < 2:
            raise LaunchValueError(
                f"scratch of shape {content.shape}, {content.dtype}: give 32-bit elements of shape "
                "(lanes, dwords), or the number of bytes of a lane"
            )
        for i in range(content.shape[-1]):
            values.add(_SCRATCH, i, content[..., i], "scratch dword ")
        scratch = 4 * content.shape[-1]

    copies: dict[int, np.ndarray] = {}
    described = []
    for address, value in (memory or {}).items():
        copy = np.array(_content(value, f"memory[0x{address:x}]"), order="C")
        copies[address] = copy
        pointer = copy.__array_interface__["data"][0]
        described.append((address, pointer, copy.nbytes, False, f"memory[0x{address:x}]"))

    raw = _core.run_raw(
        program,
        values.rows,
        described,
        groups=1 if groups is None else groups,
        waves=count,
        block=extents,
        lds_bytes=lds_bytes or 0,
        scratch_bytes=scratch,
        pc=pc,
        checks=checks,
        matrix=matrix,
        budget=budget,
        threads=threads,
        seed=seed,
        **options,
    )
    result = RawResult(raw, program, copies, groups is not None, waved)
    if check and result.fault is not None:
        result.fault.result = result
        raise result.fault
    return result


def run_asm(chip: str, text: str, *, wave_size: int = 0, **state: Any) -> RawResult:
    """Assembles ``text`` for a chip and executes it.

    Start state (the module's text says what a value can be; what is not given is 0):

    * ``vgpr``, ``agpr``, ``sgpr``: values by register number; ``sgpr`` also by name ("ttmp9")
    * ``vcc``, ``exec`` (default: all lanes), ``m0``, ``scc``, ``mode`` (default: round to nearest,
      keep denormals, DX10_CLAMP, and IEEE before gfx12)
    * ``lds``: content, or a size in bytes; ``lds_bytes``: its size where that is more than the
      content. With ``groups=``, content with more than one axis is one row a group
    * ``memory``: arrays or bytes by device address; the arrays are copied
    * ``scratch``: bytes of private memory of a lane, or 32-bit content ``(..., lanes, dwords)``
    * ``waves``: waves of a work-group, or ``block=(x, y, z)`` work-items: then v0 is the packed
      work-item id and EXEC has the lanes with one; barriers work
    * ``groups``: work-groups, each with its own LDS, all seeing ``memory``; ``threads`` share them
    * ``wave_size``: 32 or 64; default: the chip's native one. ``pc``: address of the first
      instruction to execute
    * ``matrix``, ``checks``, ``seed`` as in launches; ``budget``: wave-instructions after which the
      run stops (default 2**24; only with more can Ctrl-C stop it sooner)

    Raises CompileError (line and column of the text), LaunchError (values that do not fit, unknown
    instructions, budget) and CheckError (access outside of ``memory``); a fault of the run carries
    the state in ``.result``, and ``check=False`` gives the result with ``.fault`` instead.
    """
    return _run(_core.RawProgram.assemble(chip, text, wave_size), **state)


def run_bytes(
    chip: str,
    code: bytes | np.ndarray,
    address: int | None = None,
    *,
    wave_size: int = 0,
    **state: Any,
) -> RawResult:
    """Executes machine code whose first byte lies at device address ``address`` (any multiple of
    4). The code can be read there, not written. Everything else as in :func:`run_asm`."""
    if not isinstance(code, bytes):
        code = np.ascontiguousarray(code).tobytes()
    if address is None:
        return _run(_core.RawProgram.from_bytes(chip, code, wave_size), **state)
    return _run(_core.RawProgram.from_bytes(chip, code, wave_size, address), **state)


class LaneResult:
    """What :func:`run_lanes` gives: one row for each row of the inputs."""

    def __init__(self, result: RawResult, rows: int) -> None:
        self.result, self.rows = result, rows

    def v(self, first: int, dtype: Any = np.uint32) -> np.ndarray:
        """Rows of a VGPR (of two for 64 bits) as a numpy type."""
        return self.result.v(first, dtype).reshape(-1)[: self.rows]

    def mask(self, first: int | str = "vcc") -> np.ndarray:
        """Rows of a lane mask in scalar registers, as bools."""
        number = _scalar_number(first) if isinstance(first, str) else first
        words = self.result._mask(number)
        lanes = np.arange(self.result.lanes, dtype=np.uint64)
        return ((words[:, None] >> lanes & np.uint64(1)) != 0).reshape(-1)[: self.rows]


def run_lanes(
    chip: str, text: str, vgpr: Mapping[int, Value], *, wave_size: int = 0, **state: Any
) -> LaneResult:
    """Many rows of inputs through the same instructions in one call: row i of each array goes to
    lane ``i % wave size`` of wave ``i // wave size``. Arrays have one axis and the same length;
    other values are for all rows. ``state`` is that of :func:`run_asm` without ``waves``,
    ``block``, ``groups``, ``exec``. The last wave's other lanes are inactive.
    """
    program = _core.RawProgram.assemble(chip, text, wave_size)
    lanes = program.wave_size
    arrays = {k: np.asarray(v) for k, v in vgpr.items()}
    rows = {len(a) for a in arrays.values() if a.ndim == 1}
    if len(rows) != 1 or any(a.ndim > 1 for a in arrays.values()):
        shapes = {k: a.shape for k, a in arrays.items()}
        raise LaunchValueError(f"run_lanes takes arrays of one axis and one length, not {shapes}")
    count = rows.pop()
    if not count:
        raise LaunchValueError("run_lanes was given arrays without elements")
    groups = -(-count // lanes)
    padded: dict[int, Value] = {}
    for key, array in arrays.items():
        if array.ndim == 0:
            padded[key] = vgpr[key]
            continue
        if count % lanes:
            array = np.concatenate([array, np.zeros(groups * lanes - count, array.dtype)])
        padded[key] = array.reshape(groups, lanes)
    mask = np.full(groups, (1 << lanes) - 1, dtype=np.uint64)
    if count % lanes:
        mask[-1] = (1 << count % lanes) - 1
    return LaneResult(_run(program, vgpr=padded, groups=groups, exec=mask, **state), count)
