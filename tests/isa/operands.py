"""What registers hold before an instruction runs: special values of the type, or any bits."""

from __future__ import annotations

import random

from . import numbers as n
from .reference import FORMATS, bits_of


def specials(kind: str) -> list[int]:
    if kind in FORMATS or kind in ("s32", "s16"):
        form = FORMATS.get(kind, n.F32 if kind == "s32" else n.F16)
        one = form.bias << form.fraction_bits
        unit = 1 << form.fraction_bits
        half, two = one - unit, one + unit
        values = [
            0,
            1,
            (1 << form.fraction_bits) - 1,  # the largest subnormal
            1 << form.fraction_bits,
            half,
            one,
            one + 1,
            two,
            two + (unit >> 1),
            form.largest,
            form.infinity,
            form.nan,
            form.infinity | 1,  # signalling
            one + (form.fraction_bits + 1) * unit,
        ]
        return values + [v | form.sign for v in values]
    size = min(bits_of(kind), 64)
    top = 1 << (size - 1)
    values = [
        0,
        1,
        2,
        3,
        5,
        7,
        8,
        15,
        16,
        31,
        32,
        33,
        63,
        64,
        0x7F,
        0x80,
        0xFF,
        0x100,
        0x7FFF,
        0x8000,
        0xFFFF,
        0x10000,
        0x7FFFFF,
        0x800000,
        0xFFFFFF,
        top - 1,
        top,
        top + 1,
        2 * top - 2,
        2 * top - 1,
        0x5555555555555555,
        0x0C0D0B0A09080706,
    ]
    return [v & (2 * top - 1) for v in values]


def draw(rng: random.Random, kind: str, special: bool) -> int:
    size = bits_of(kind)
    if kind == "sc32":  # a scale: its exponent counts
        return rng.randint(118, 136) << 23
    if special and rng.random() < 0.8:
        return rng.choice(specials(kind))
    if kind in FORMATS and rng.random() < 0.5:
        # Moderate exponents, where roundings happen.
        form = FORMATS[kind]
        spread = 4 if size == 16 else 20
        field = form.bias + rng.randint(-spread, spread)
        return (
            rng.getrandbits(1) << (size - 1)
            | field << form.fraction_bits
            | rng.getrandbits(form.fraction_bits)
        )
    if kind in FORMATS or rng.random() < 0.6:
        return rng.getrandbits(size)
    return rng.getrandbits(rng.randint(1, size))


def register_rows(
    rng: random.Random, kind: str, dwords: int, special: bool, lanes: int = 64
) -> list[list[int]]:
    """Values of a type in every lane, spread over registers; what it does not fill is any bits."""
    rows: list[list[int]] = [[] for _ in range(dwords)]
    size = bits_of(kind)
    for _ in range(lanes):
        value = 0
        for first in range(0, 32 * dwords, size):
            value |= draw(rng, kind, special) << first
        for i in range(dwords):
            rows[i].append(value >> 32 * i & 0xFFFFFFFF)
    return rows
