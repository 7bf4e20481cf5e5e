"""What a reference is: a name, how each operand is read, and a function of one lane.

Operand types: u8..u64 and i8..i64 are Python integers of that signedness, u24/i24 the low 24 bits;
f16, bf16, f32, f64 are bit patterns, after neg and abs and after the flush of denormals that MODE
asks for; b16, b32, b64 are bit patterns that have neither; `mask` is one bit of a lane mask; `old`
is what the destination held. A result of an integer type may exceed it: clamp saturates, everything
else wraps. A function may give `Choice`, when the manuals leave the last bits open.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from . import numbers as n

FORMATS = {"f16": n.F16, "bf16": n.BF16, "f32": n.F32, "f64": n.F64}
GENERATIONS = {
    "gfx942": "gfx9",
    "gfx950": "gfx9",
    "gfx1100": "gfx11",
    "gfx1151": "gfx11",
    "gfx1201": "gfx12",
}


@dataclass
class Machine:
    """What an operation sees besides its operands."""

    chip: str
    wave: int = 64
    round32: int = n.NEAREST
    round64: int = n.NEAREST  # of f16 too
    denormals32: int = 3  # bit 0: sources keep them, bit 1: results do
    denormals64: int = 3
    ieee: bool = True
    lane: int = 0
    exec: int = -1
    scc: int = 0
    instruction: dict[str, object] = field(default_factory=dict)

    @property
    def generation(self) -> str:
        return GENERATIONS[self.chip]

    def round(self, form: n.Format) -> int:
        return self.round32 if form is n.F32 else self.round64

    def denormals(self, form: n.Format) -> int:
        return self.denormals32 if form is n.F32 else self.denormals64

    @property
    def mode(self) -> int:
        bits = self.round32 | self.round64 << 2 | self.denormals32 << 4 | self.denormals64 << 6
        return bits | 1 << 8 | (int(self.ieee) << 9 if self.generation != "gfx12" else 0)

    def output_modifiers(self, form: n.Format) -> bool:
        """They act only with IEEE mode off and denormal results flushed."""
        ieee = self.ieee and self.generation != "gfx12"
        return not ieee and not self.denormals(form) & 2


@dataclass(frozen=True)
class Choice:
    """Any of these, or for floats anything between two of them."""

    values: tuple[object, ...] = ()
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Packed:
    """Several small elements, each one of some values; no values: any."""

    bits: int
    elements: tuple[tuple[int, ...], ...]

    def holds(self, got: int) -> bool:
        mask = (1 << self.bits) - 1
        return all(
            not values or (got >> self.bits * i & mask) in values
            for i, values in enumerate(self.elements)
        )


@dataclass(frozen=True)
class Op:
    dst: tuple[str, ...]
    src: tuple[str, ...]
    function: Callable[..., object]
    chips: tuple[str, ...] = ()
    rounds: bool = False  # honours the rounding mode
    exact: bool = True

    def on(self, chip: str) -> bool:
        return not self.chips or chip in self.chips or GENERATIONS[chip] in self.chips


OPS: dict[str, list[Op]] = {}


def expand(names: str) -> list[str]:
    """Names with {a,b} alternatives."""
    result = []
    for name in re.split(r"\s+(?![^{]*\})", names.strip()):
        found = re.search(r"\{([^{}]*)\}", name)
        if not found:
            result.append(name)
            continue
        for part in found[1].split(","):
            result += expand(name[: found.start()] + part.strip() + name[found.end() :])
    return result


def define(
    names: str,
    dst: str,
    src: str,
    function: Callable[..., object],
    chips: str = "",
    rounds: bool = False,
    exact: bool = True,
) -> None:
    for name in expand(names):
        OPS.setdefault(name, []).append(
            Op(
                tuple(dst.split()),
                tuple(src.split()),
                function,
                tuple(chips.split()),
                rounds,
                exact,
            )
        )


def find(name: str, chip: str) -> Op | None:
    for op in OPS.get(name, []):
        if op.on(chip):
            return op
    return None


def bits_of(kind: str) -> int:
    if kind == "mask":
        return 1
    named = {
        "mix": 32,
        "sc32": 32,
        "2f16": 32,
        "2bf16": 32,
        "2f32": 64,
        "2fp816": 16,
        "2bf816": 16,
        "fp88": 8,
        "bf88": 8,
    }
    return named.get(kind) or int(re.sub(r"\D", "", kind))


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def flush(bits: int, form: n.Format) -> int:
    return bits & form.sign if n.is_subnormal(bits, form) else bits
