"""Matrix instructions as a whole: operand positions from AMD's matrix instruction calculator, the
arithmetic from tests/python/reference_matrix.py. Some results of each instruction are worked out.
"""

from __future__ import annotations

import random
import re
import sys
import zlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import numbers as n
from .device import attempt, run
from .reference import GENERATIONS
from .text import Instruction, parse

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import reference_matrix as rm  # noqa: E402

BITS = {
    "f64": 64,
    "f32": 32,
    "xf32": 32,
    "f16": 16,
    "bf16": 16,
    "fp8": 8,
    "bf8": 8,
    "i8": 8,
    "iu8": 8,
    "iu4": 4,
    "fp6": 6,
    "bf6": 6,
    "fp4": 4,
}
SCALE_FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")
FP6 = rm.Format(2, 3, 1, "none")
BF6 = rm.Format(3, 2, 3, "none")
FP4 = rm.Format(2, 1, 1, "none")


@dataclass(frozen=True)
class Shape:
    family: str
    result: str
    m: int
    n: int
    k: int
    blocks: int
    a: str
    b: str


def shape_of(name: str) -> Shape | None:
    found = re.fullmatch(
        r"v_(mfma|smfmac|wmma|swmmac|mfma_scale)_(f32|f16|bf16|i32|f64)_(\d+)x(\d+)x(\d+)"
        r"(?:_(\d+)b)?_(\w+)",
        name,
    )
    if not found:
        return None
    types = found[7].split("_")
    if types == ["f8f6f4"]:
        types = ["fp8"]
    if any(t not in BITS for t in types):
        return None
    m, nn, k = int(found[3]), int(found[4]), int(found[5])
    return Shape(found[1], found[2], m, nn, k, int(found[6] or 1), types[0], types[-1])


# Positions: (lane, slot) -> (row or column, k, block) -------------------------------------------


def cdna_factor(rows: int, k: int, blocks: int, lane: int, slot: int) -> tuple[int, int, int]:
    group = k * rows * blocks // 64
    return lane % rows, group * (lane // (rows * blocks)) + slot, lane // rows % blocks


def cdna_chunked(rows: int, lane: int, slot: int) -> tuple[int, int, int]:
    """8-bit data of gfx950's long instructions: chunks of sixteen."""
    return lane % rows, 16 * (lane // rows) + slot % 16 + 16 * (64 // rows) * (slot // 16), 0


def cdna_result(s: Shape, lane: int, slot: int) -> tuple[int, int, int]:
    if s.result == "f64":
        if s.m == 4:
            return lane // 16, lane % 4, lane // 4 % 4
        return lane // 16 + 4 * slot, lane % 16, 0
    if s.m == 4:
        return slot, lane % 4, lane // 4
    if s.m == 16:
        return 4 * (lane // 16) + slot % 4, lane % 16, slot // 4
    inner = slot % 16
    return inner % 4 + 4 * (lane // 32) + 8 * (inner // 4), lane % 32, slot // 16


def rdna_factor(chip: str, s: Shape, kind: str, k: int, lane: int, slot: int, sparse_a: bool):
    """wave32."""
    if GENERATIONS[chip] == "gfx11":
        return lane % 16, slot, 0
    half = lane // 16
    if BITS[kind] == 16:
        if k == 32:  # B of the sparse instructions
            return lane % 16, slot % 8 + 8 * half + 16 * (slot // 8), 0
        return lane % 16, slot % 4 + 4 * half + 8 * (slot // 4), 0
    return lane % 16, slot + k // 2 * half, 0


def rdna_result(chip: str, lane: int, slot: int) -> tuple[int, int, int]:
    if GENERATIONS[chip] == "gfx11":
        return 2 * slot + lane // 16, lane % 16, 0
    return slot + 8 * (lane // 16), lane % 16, 0


# Data -------------------------------------------------------------------------------------------
LIMITS = {
    "f16": (5, 10),
    "bf16": (8, 7),
    "f32": (8, 23),
    "xf32": (8, 23),
    "f64": (11, 52),
    "fp8": (4, 3),
    "bf8": (5, 2),
}


def draw(rng: random.Random, kind: str, special: bool) -> int:
    if kind not in LIMITS:
        return rng.getrandbits(BITS.get(kind, 32))
    exponent, fraction = LIMITS[kind]
    size = 1 + exponent + fraction
    bias = (1 << (exponent - 1)) - 1
    if special and rng.random() < 0.15:
        return rng.getrandbits(size)
    field = bias + rng.randint(-3, 3)
    return rng.getrandbits(1) << (size - 1) | field << fraction | rng.getrandbits(fraction)


class Registers:
    """Elements packed little endian through consecutive registers."""

    def __init__(self, first: int, count: int, lanes: int) -> None:
        self.first, self.count = first, count
        self.values = [0] * lanes

    def get(self, lane: int, slot: int, bits: int) -> int:
        return self.values[lane] >> bits * slot & ((1 << bits) - 1)

    def put(self, lane: int, slot: int, bits: int, value: int) -> None:
        mask = ((1 << bits) - 1) << bits * slot
        self.values[lane] = self.values[lane] & ~mask | (value << bits * slot & mask)

    def rows(self) -> dict[int, list[int]]:
        return {
            self.first + i: [v >> 32 * i & 0xFFFFFFFF for v in self.values] + [0] * 32
            for i in range(self.count)
        }


def format_of(chip: str, kind: str) -> rm.Format:
    fnuz = chip == "gfx942"
    return {
        "f16": rm.F16,
        "bf16": rm.BF16,
        "xf32": rm.XF32,
        "f32": rm.F32,
        "fp8": rm.FP8_FNUZ if fnuz else rm.FP8,
        "bf8": rm.BF8_FNUZ if fnuz else rm.BF8,
        "fp6": FP6,
        "bf6": BF6,
        "fp4": FP4,
    }[kind]


def dot(chip: str, s: Shape, inst: Instruction, a: list[int], b: list[int], c: int) -> int:
    """One element of the result."""
    if s.result == "i32":
        bits = BITS[s.a]
        neg = inst.modifiers.get("neg_lo", [0, 0, 0])
        plain = s.a == "i8"
        return rm.integer_dot(
            a,
            b,
            c,
            bits,
            plain or bool(neg[0]),
            plain or bool(neg[1]),
            bool(inst.modifiers.get("clamp")),
        )
    if s.result == "f64":
        for x, y in zip(a, b, strict=True):
            c = n.fma(x, y, c, n.F64)
        return c
    if s.a == "f32":
        return rm.fma_chain(a, b, c)
    left, right = format_of(chip, s.a), format_of(chip, s.b)
    generation = GENERATIONS[chip]
    target = {"f32": rm.F32, "f16": rm.F16, "bf16": rm.BF16}[s.result]
    if generation == "gfx9":
        group = 16 if BITS[s.a] < 16 else 4 if s.a == "xf32" else min(8, len(a))
        return rm.cdna_dot(a, b, c, left, right, group)
    size = 2 if generation == "gfx11" else 4
    for k in range(0, len(a), size):
        x, y = a[k : k + size], b[k : k + size]
        c = (
            rm.rdna3_step(x, y, c, left, target)
            if generation == "gfx11"
            else rm.rdna4_step(x, y, c, left, right, target)
        )
    return c


def check(chip: str, text: str, rng: random.Random, special: bool) -> None:
    # Results of 32 registers would overlap C in the sweep's words.
    text = text.replace("v[8:39]", "v[96:127]")
    if "smfmac" in text:  # results of 16 would overlap B
        text = text.replace("v[8:23]", "v[96:111]")
    inst = parse(text)
    s = shape_of(inst.name)
    assert s is not None
    cdna = GENERATIONS[chip] == "gfx9"
    lanes = 64 if cdna else 32
    sparse = s.family in ("smfmac", "swmmac")
    dst, first, second, third = inst.operands[:4]
    a = Registers(first.index, first.dwords, lanes)
    b = Registers(second.index, second.dwords, lanes)
    c = Registers(dst.index if sparse else third.index, dst.dwords, lanes)
    index = Registers(third.index, third.dwords, lanes) if sparse else None
    a_bits, b_bits = BITS[s.a], BITS[s.b]
    k_a = s.k // 2 if sparse else s.k
    duplicated = GENERATIONS[chip] == "gfx11"
    positions_a: dict[tuple[int, int, int], tuple[int, int]] = {}
    positions_b: dict[tuple[int, int, int], tuple[int, int]] = {}
    long8 = cdna and s.family in ("smfmac", "mfma", "mfma_scale") and a_bits == 8
    for regs, kind, rows, k, places, side in (
        (a, s.a, s.m, k_a, positions_a, "a"),
        (b, s.b, s.n, s.k, positions_b, "b"),
    ):
        bits = BITS[kind]
        for lane in range(lanes):
            for slot in range(32 * regs.count // bits):
                if cdna and long8 and 8 * 32 == 32 * regs.count and s.blocks == 1:
                    place = cdna_chunked(rows, lane, slot)
                elif cdna:
                    place = cdna_factor(rows, k, s.blocks, lane, slot)
                else:
                    place = rdna_factor(chip, s, kind, k, lane, slot, side == "a" and sparse)
                if duplicated and place in places:
                    other = places[place]
                    regs.put(lane, slot, bits, regs.get(*other, bits))
                    continue
                assert place not in places, (text, place)
                places[place] = (lane, slot)
                regs.put(lane, slot, bits, draw(rng, kind, special))
    d_bits = {"f64": 64, "f16": 16, "bf16": 16}.get(s.result, 32)
    low_halves = d_bits == 16 and duplicated  # one element a register, in its low half
    slots = dst.dwords if low_halves or d_bits == 32 else 32 * dst.dwords // d_bits
    stride = 32 if low_halves else d_bits
    for lane in range(lanes):
        for slot in range(slots):
            value = draw(rng, {"i32": "i32"}.get(s.result, s.result), special)
            if low_halves:
                value |= rng.getrandbits(16) << 16
            c.put(lane, slot, stride, value)
    if index:
        for lane in range(lanes):
            value = 0
            for group in range(16 * index.count // 2):
                low = rng.randrange(3)
                value |= (low | rng.randrange(low + 1, 4) << 2) << 4 * group
            index.values[lane] = value & ((1 << 32 * index.count) - 1)
    vgpr = {**a.rows(), **b.rows(), **c.rows(), **(index.rows() if index else {})}
    scales = None
    if s.family == "mfma_scale":
        scales = [o.index for o in inst.operands[4:6]]
        for register in scales:
            vgpr[register] = [rng.randint(120, 134) for _ in range(64)]
    after = run(
        chip, text, wave=lanes, vgpr=vgpr, read=list(range(dst.index, dst.index + dst.dwords))
    )
    for _ in range(24):
        lane, slot = rng.randrange(lanes), rng.randrange(slots)
        row, column, block = cdna_result(s, lane, slot) if cdna else rdna_result(chip, lane, slot)
        left = [positions_a[row, k, block] for k in range(k_a)]
        xs = [a.get(*p, a_bits) for p in left]
        if sparse:
            ks = []
            for kc, (holder, e) in enumerate(left):
                ks.append(4 * (kc // 2) + (index.values[holder] >> 2 * e & 3))
        else:
            ks = list(range(s.k))
        ys = [b.get(*positions_b[column, k, block], b_bits) for k in ks]
        start = c.get(lane, slot, stride)
        if low_halves:
            start &= 0xFFFF
        if scales:
            wanted = scaled_dot(chip, s, xs, ys, start, row, column, [vgpr[r] for r in scales])
        else:
            wanted = dot(chip, s, inst, xs, ys, start)
        got = sum(after.vgpr[dst.index + i][lane] << 32 * i for i in range(dst.dwords))
        got = got >> stride * slot & ((1 << d_bits) - 1)
        if s.result != "i32":
            form = {"f64": n.F64, "f32": n.F32, "f16": n.F16, "bf16": n.BF16}[s.result]
            if cdna and n.is_nan(got, form) and n.is_nan(wanted, form):
                continue
        assert got == wanted, (
            f"{chip}: {text}: lane {lane} slot {slot} (row {row}, column {column}, block {block}): "
            f"expected {wanted:#x}, got {got:#x}; a {[hex(x) for x in xs]}, b "
            f"{[hex(y) for y in ys]}, c {start:#x}"
        )


def scaled_dot(
    chip: str, s: Shape, a: list[int], b: list[int], c: int, row: int, column: int, scales
) -> int:
    """The scales of a block of 32 are added to the exponents of its products."""
    left, right = format_of(chip, s.a), format_of(chip, s.b)
    for k in range(0, len(a), 16):
        block = k // 32
        power = scales[0][row + s.m * block] + scales[1][column + s.n * block] - 254
        xs = [rm.decode(x, left) for x in a[k : k + 16]]
        ys = [rm.decode(y, right) for y in b[k : k + 16]]
        # In units of their own, so that a power below one keeps every bit.
        moved = [
            rm.Number(
                x.units << power if power >= 0 else x.units >> -power,
                x.exponent + power,
                x.negative,
                x.nan,
                x.infinite,
            )
            for x in xs
        ]
        c = rm.cdna_group(moved, ys, c, True)
    return c


def check_form(chip: str, text: str) -> tuple[int, list[str]]:
    rng = random.Random(zlib.crc32(f"{chip} {text}".encode()))
    ran, failures = 0, []
    inst = parse(text)
    texts = [text]
    if "_iu" in inst.name:
        texts += [f"{text} neg_lo:[1,1,0]", f"{text} neg_lo:[0,1,0] clamp"]
    for spelling in texts:
        count, wrong = attempt(
            [partial(check, chip, spelling, rng, special) for special in (False, True)],
            lambda refused, spelling=spelling: f"{chip}: {spelling}: refused: {refused}",
        )
        ran += count
        failures += wrong
    return ran, failures
