"""Memory instructions: what a lane reads, writes or exchanges at one address."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from . import numbers as n
from .reference import GENERATIONS, signed

# Suffix of a load -> bytes, sign extension, half of the register that d16 forms fill.
WIDTHS: dict[str, tuple[int, bool, str]] = {
    "ubyte": (1, False, ""),
    "sbyte": (1, True, ""),
    "ushort": (2, False, ""),
    "sshort": (2, True, ""),
    "ubyte_d16": (1, False, "l"),
    "ubyte_d16_hi": (1, False, "h"),
    "sbyte_d16": (1, True, "l"),
    "sbyte_d16_hi": (1, True, "h"),
    "short_d16": (2, False, "l"),
    "short_d16_hi": (2, False, "h"),
    "u8": (1, False, ""),
    "i8": (1, True, ""),
    "u16": (2, False, ""),
    "i16": (2, True, ""),
    "d16_u8": (1, False, "l"),
    "d16_hi_u8": (1, False, "h"),
    "d16_i8": (1, True, "l"),
    "d16_hi_i8": (1, True, "h"),
    "d16_b16": (2, False, "l"),
    "d16_hi_b16": (2, False, "h"),
    "u8_d16": (1, False, "l"),
    "u8_d16_hi": (1, False, "h"),
    "i8_d16": (1, True, "l"),
    "i8_d16_hi": (1, True, "h"),
    "u16_d16": (2, False, "l"),
    "u16_d16_hi": (2, False, "h"),
}
for count, word in enumerate(("dword", "dwordx2", "dwordx3", "dwordx4"), 1):
    WIDTHS[word] = WIDTHS[f"b{32 * count}"] = (4 * count, False, "")
# Suffix of a store -> bytes, first bit of the source.
STORES: dict[str, tuple[int, int]] = {
    "byte": (1, 0),
    "short": (2, 0),
    "byte_d16_hi": (1, 16),
    "short_d16_hi": (2, 16),
    "b8": (1, 0),
    "b16": (2, 0),
    "d16_hi_b8": (1, 16),
    "d16_hi_b16": (2, 16),
    "b8_d16_hi": (1, 16),
    "b16_d16_hi": (2, 16),
}
for count, word in enumerate(("dword", "dwordx2", "dwordx3", "dwordx4"), 1):
    STORES[word] = STORES[f"b{32 * count}"] = (4 * count, 0)


@dataclass(frozen=True)
class Access:
    kind: str  # "load", "store", "atomic", "two"
    bytes: int
    extend: bool = False
    half: str = ""
    shift: int = 0
    operation: str = ""
    type: str = ""
    stride: int = 0  # of *2 forms: what an offset counts
    compare_first: bool = False


def described(name: str) -> Access | None:
    """None for what this module has no rule for."""
    space, _, rest = name.partition("_")
    found = re.fullmatch(r"(load|read)_(\w+)", rest)
    if found and found[2] in WIDTHS:
        size, extend, half = WIDTHS[found[2]]
        return Access("load", size, extend, half)
    found = re.fullmatch(r"(store|write)_(\w+)", rest)
    if found and found[2] in STORES:
        size, shift = STORES[found[2]]
        return Access("store", size, shift=shift)
    if space == "ds":
        found = re.fullmatch(r"(?:read2|load_2addr)(st64|_stride64)?_b(32|64)", rest)
        if found:
            size = int(found[2]) // 8
            return Access("load2", size, stride=size * (64 if found[1] else 1))
        found = re.fullmatch(r"(?:write2|store_2addr)(st64|_stride64)?_b(32|64)", rest)
        if found:
            size = int(found[2]) // 8
            return Access("store2", size, stride=size * (64 if found[1] else 1))
        found = re.fullmatch(r"(?:wrxchg2|storexchg_2addr)(st64|_stride64)?_rtn_b(32|64)", rest)
        if found:
            size = int(found[2]) // 8
            return Access("exchange2", size, stride=size * (64 if found[1] else 1))
        found = re.fullmatch(r"(\w+?)(_rtn)?_([biuf]\d+|f16|bf16)", rest)
        if found:
            operation, kind = found[1], found[3]
            operation = {
                "wrxchg": "swap",
                "storexchg": "swap",
                "cmpst": "cmpswap",
                "cmpstore": "cmpswap",
            }.get(operation, operation)
            if operation in ATOMICS:
                size = 4 if kind in ("f16", "bf16") else int(kind[1:]) // 8
                return Access(
                    "atomic", size, operation=operation, type=kind, compare_first="cmpst_" in rest
                )
        return None
    found = re.fullmatch(r"atomic_(\w+?)(?:_(x2|[biuf]\d+|bf16))?", rest)
    if found:
        operation, suffix = found[1], found[2] or ""
        if operation in ("smin", "smax", "umin", "umax"):
            kind = ("i" if operation[0] == "s" else "u") + ("64" if suffix == "x2" else "32")
            operation = operation[1:]
        elif suffix in ("", "x2"):
            kind = "u64" if suffix else "u32"
        else:
            kind = suffix
        if operation in ATOMICS:
            size = 4 if kind in ("f16", "bf16") else int(kind[1:]) // 8
            return Access("atomic", size, operation=operation, type=kind)
    return None


FORMS = {"f32": n.F32, "f64": n.F64, "f16": n.F16, "bf16": n.BF16}


def float_order(old: int, data: int, form: n.Format, largest: bool) -> int:
    old_key, data_key = n.order_key(old, form), n.order_key(data, form)
    return data if (data_key > old_key if largest else data_key < old_key) else old


def packed_add(old: int, data: int, form: n.Format) -> int:
    halves = (n.add(old >> s & 0xFFFF, data >> s & 0xFFFF, form) for s in (0, 16))
    low, high = halves
    return low | high << 16


def integer(value: int, kind: str) -> int:
    return signed(value, int(kind[1:])) if kind[0] == "i" else value


def extreme(largest: bool):
    def run(old: int, data: int, compare: int, kind: str) -> int:
        if kind in FORMS:
            return float_order(old, data, FORMS[kind], largest)
        pick = max if largest else min
        return pick(old, data, key=lambda v: integer(v, kind))

    return run


# (old, data, compare, type) -> new
ATOMICS = {
    "swap": lambda o, d, c, k: d,
    "cmpswap": lambda o, d, c, k: d if o == c else o,
    "add": lambda o, d, c, k: n.add(o, d, FORMS[k]) if k in FORMS else o + d,
    "pk_add": lambda o, d, c, k: packed_add(o, d, FORMS[k]),
    "sub": lambda o, d, c, k: o - d,
    "rsub": lambda o, d, c, k: d - o,
    "csub": lambda o, d, c, k: max(o - d, 0),
    "sub_clamp": lambda o, d, c, k: max(o - d, 0),
    "cond_sub": lambda o, d, c, k: o - d if o >= d else o,
    "min": extreme(False),
    "max": extreme(True),
    "min_num": extreme(False),
    "max_num": extreme(True),
    "and": lambda o, d, c, k: o & d,
    "or": lambda o, d, c, k: o | d,
    "xor": lambda o, d, c, k: o ^ d,
    "inc": lambda o, d, c, k: 0 if o >= d else o + 1,
    "dec": lambda o, d, c, k: d if o == 0 or o > d else o - 1,
    # First data: the mask or the subtrahend; second: what is or-ed in, or the bound of the wrap.
    "mskor": lambda o, d, c, k: (o & ~d) | c,
    "wrap": lambda o, d, c, k: o - d if o >= d else o + c,
    "condxchg32": lambda o, d, c, k: sum(
        (d if d >> 32 * h >> 31 & 1 else o) & 0x7FFFFFFF << 32 * h
        if d >> 32 * h >> 31 & 1
        else o & 0xFFFFFFFF << 32 * h
        for h in (0, 1)
    ),
}


def exchanged(access: Access, old: int, first: int, second: int) -> int:
    """The new content of memory; `second` is the other data operand, if there is one."""
    data, compare = first, second
    if access.operation == "cmpswap" and access.compare_first:
        data, compare = second, first
    return ATOMICS[access.operation](old, data, compare, access.type) & (
        (1 << 8 * access.bytes) - 1
    )


def value_for(rng: random.Random, access: Access) -> int:
    """Numbers without NaNs and subnormals, whose treatment by atomic units varies."""
    if access.type in FORMS:
        form = FORMS[access.type]

        def one() -> int:
            return (
                rng.getrandbits(1) << (form.bits - 1)
                | (form.bias + rng.randint(-6, 6)) << form.fraction_bits
                | rng.getrandbits(form.fraction_bits)
            )

        return one() | one() << 16 if form.bits == 16 else one()
    return rng.choice(
        [rng.getrandbits(8 * access.bytes), rng.getrandbits(8), 0, (1 << 8 * access.bytes) - 1]
    )


def loaded(access: Access, data: bytes, old: int) -> int:
    """The registers after a load of these bytes."""
    value = int.from_bytes(data, "little")
    if access.extend:
        value = signed(value, 8 * access.bytes)
    if access.half:
        value &= 0xFFFF
        return old & 0xFFFF0000 | value if access.half == "l" else old & 0xFFFF | value << 16
    return value & ((1 << 32 * max(1, access.bytes // 4)) - 1)


def generation(chip: str) -> str:
    return GENERATIONS[chip]
