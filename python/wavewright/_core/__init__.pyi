"""The compiled half of Wavewright: building IR, compiling it, devices"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

from wavewright._core import ir as ir


class HostArray:
    """
    Memory of the host that a launch uses in place; its owner must outlive the launch
    """

    def __init__(self, pointer: int, nbytes: int, label: str = '', read_only: bool = False) -> None: ...

    @property
    def pointer(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def label(self) -> str: ...

    @property
    def read_only(self) -> bool: ...

class Buffer:
    """Memory of a device, freed with its last owner"""

    @property
    def address(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def written(self) -> bool:
        """Whether the last launch stored into it"""

    def read(self) -> bytes:
        """A copy of the content"""

    def write(self, content: bytes, offset: int = 0) -> None: ...

class LoadedModule:
    """A code object on a device"""

    @property
    def kernels(self) -> list[str]: ...

    def buffer(self, name: str) -> Buffer:
        """The memory of a global variable"""

class LaunchResult:
    """What a launch did; front ends hang more on it"""

    @property
    def wave_instructions(self) -> int: ...

    @property
    def lane_operations(self) -> int:
        """one active lane of one VALU instruction each"""

    @property
    def matrix_flops(self) -> int:
        """2*M*N*K each"""

    @property
    def work_groups(self) -> int: ...

    @property
    def waves(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def written(self) -> list[int]:
        """positions of the arguments that the kernel stored into"""

    def __repr__(self) -> str: ...

class Device:
    """Where kernels run: the emulator of a chip, or a GPU"""

    @property
    def name(self) -> str: ...

    @property
    def arch(self) -> str:
        """The chip, as "gfx950\""""

    @property
    def wave_size(self) -> int: ...

    def allocate(self, nbytes: int, label: str = '') -> Buffer:
        """Zero-filled memory"""

    def load(self, code_object: bytes, name: str = '<memory>') -> LoadedModule:
        """LaunchError when the object is for another chip"""

    def launch(self, module: LoadedModule, kernel: str, grid: Sequence, block: Sequence, arguments: Sequence, *, checks: str = 'on', matrix: str = 'exact', seed: int = 0, budget: int | None = None, threads: int = 0, dynamic_lds: int = 0) -> LaunchResult:
        """
        Runs one kernel to its end: grid in work-groups, block in work-items. Ctrl-C ends it within 0.2 s
        """

    def __repr__(self) -> str: ...

def open_device(name: str) -> Device:
    """"emu:<chip>" or "hip:<number>"; UsageError lists what works here"""

def available_devices() -> list[str]: ...

class Compiled:
    """A code object and what its compilation told"""

    @property
    def code_object(self) -> bytes: ...

    @property
    def report(self) -> str: ...

    @property
    def stages(self) -> list[tuple[str, float]]:
        """(stage, milliseconds) in order"""

    @property
    def dumps(self) -> dict:
        """text of each stage, with keep_ir"""

    @property
    def resources_json(self) -> str: ...

def compile(module: ir.Module, *, opt: int = 3, gate: bool = True, max_vgprs: int | None = None, min_occupancy: int | None = None, debug_info: bool = True, source_root: str = '', keep_ir: bool = False) -> Compiled:
    """Compiles a copy of the module; the chip is its wavewright.arch"""

def run_tile_passes(module: ir.Module) -> str:
    """The text of a copy of the module after the tile passes"""

def inspect_json(code_object: bytes, name: str = '<memory>') -> str:
    """Kernels, resources and instruction mix as JSON"""

def fidelity_json(code_object: bytes, kernel: str, name: str = '<memory>') -> str:
    """The lowest grade that a kernel reaches, as JSON"""

def instructions_json(arch: str) -> str:
    """Every instruction that the chip's decoder knows, as JSON"""

def targets_json() -> str:
    """Facts of each chip as JSON"""

def find_chip(name: str) -> str:
    """The chip's own name; UsageError names the nearest chips"""

llvm_version: str = '22.1.8'

class RawProgram:
    """An instruction stream without a kernel, decoded once"""

    @staticmethod
    def assemble(chip: str, text: str, wave_size: int = 0, address: int = 139637976727552, name: str = '<asm>') -> RawProgram:
        """
        Assembles text; CompileError has the line and the column. The same text is assembled once
        """

    @staticmethod
    def from_bytes(chip: str, code: bytes, wave_size: int = 0, address: int = 139637976727552) -> RawProgram: ...

    @property
    def chip(self) -> str: ...

    @property
    def wave_size(self) -> int: ...

    @property
    def address(self) -> int:
        """Device address of the first byte"""

    @property
    def code(self) -> bytes:
        """
        The machine code, with the s_endpgm that was added where there was none
        """

    def disassemble(self) -> list[tuple[int, str, int]]:
        """
        (address, instruction, line of the text) in order; line 0 where there is none
        """

class RawResult:
    """Registers and memory of every wave after a run"""

    @property
    def groups(self) -> int: ...

    @property
    def waves(self) -> int:
        """waves of a group"""

    @property
    def lanes(self) -> int: ...

    @property
    def vgprs(self) -> int:
        """VGPRs that were simulated; AGPRs stand behind them"""

    @property
    def agprs(self) -> int: ...

    @property
    def vectors(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None, None, None), order='C')]:
        """[group][wave][register][64]"""

    @property
    def scalars(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None, None), order='C')]:
        """
        [group][wave][128]: s0 to s105, VCC at 106, TTMPs at 108, M0 at 124, EXEC at 126
        """

    @property
    def scratch(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None, None, None), order='C')]:
        """[group][wave][dword][64]"""

    @property
    def lds(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]:
        """[group][byte]"""

    @property
    def ends(self) -> list[tuple[str, int, int, int]]:
        """(state, pc, SCC, MODE) of each wave, group after group"""

    @property
    def wave_instructions(self) -> int: ...

    @property
    def lane_operations(self) -> int: ...

    @property
    def matrix_flops(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def fault(self) -> object:
        """The error that stopped the run, or None"""

def run_raw(program: RawProgram, values: Sequence[tuple[int, int, int, int, int, int]], memory: Sequence[tuple[int, int, int, bool, str]], *, groups: int = 1, waves: int = 1, block: tuple[int, int, int] | None = None, lds_bytes: int = 0, lds: int = 0, lds_content: int = 0, lds_stride: int = 0, scratch_bytes: int = 0, pc: int | None = None, checks: str = 'on', matrix: str = 'exact', budget: int = 16777216, threads: int = 1, seed: int = 0) -> RawResult:
    """
    Runs a stream with values at host addresses; wavewright.emulator is the way to call it
    """

class DebugEvent:
    """What a debugger saw; wavewright.debug.Event is the way to read it"""

    @property
    def kind(self) -> str: ...

    @property
    def kernel(self) -> str: ...

    @property
    def group(self) -> tuple[int, int, int]: ...

    @property
    def wave(self) -> int: ...

    @property
    def serial(self) -> int: ...

    @property
    def address(self) -> int: ...

    @property
    def exec(self) -> int: ...

    @property
    def instruction(self) -> str: ...

    @property
    def breakpoint(self) -> str: ...

    @property
    def place(self) -> tuple[str, int, int] | None: ...

    @property
    def values(self) -> list[tuple[str, bool, list[int], bytes]]:
        """(name, one a lane, numbers, bytes)"""

    @property
    def changes(self) -> list[tuple[str, int, list[int], list[int]]]:
        """(name, lane mask, before, now)"""

    @property
    def text(self) -> str: ...

class Debugger:
    """Breakpoints, watches and a trace; wavewright.debug.session makes one"""

    def __init__(self, breaks: Sequence[str], dump: str, watch: str, trace: bool, group: tuple[int, int, int] | None, wave: int | None, limit: int) -> None: ...

    @property
    def left_out(self) -> int: ...

def set_debugger(debugger: Debugger | None, callback: object | None) -> tuple[Debugger, object]:
    """
    Looks at the launches of this thread from now on, calling back with each event, whose False ends the launch; gives the debugger and callback before
    """
