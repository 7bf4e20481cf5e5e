"""Scalar operations (ISA guides, "SALU instructions"): results, and SCC."""

from __future__ import annotations

from collections.abc import Callable

from . import numbers as n
from .numbers import DOWN, F16, F32, UP, ZERO
from .reference import Machine, signed
from .valu_float import RELATIONS as FLOAT_RELATIONS
from .valu_float import extreme, extreme_nan

M32, M64 = 0xFFFFFFFF, (1 << 64) - 1

# name -> (dwords of the result, dwords of the sources, function). The function gets the machine
# (scc, exec, the old result as .instruction["old"]) and unsigned sources; it gives the result and
# SCC, None leaving SCC.
SALU: dict[str, tuple[int, tuple[int, ...], Callable[..., tuple[int | None, int | None]]]] = {}
Result = tuple[int | None, int | None]


def define(names: str, dst: int, src: tuple[int, ...], function: Callable[..., Result]) -> None:
    for name in names.split():
        SALU[name] = (dst, src, function)


def nonzero(function: Callable[..., int], dwords: int) -> Callable[..., Result]:
    """SCC = result is not 0."""
    mask = M32 if dwords == 1 else M64

    def run(m: Machine, *sources: int) -> Result:
        value = function(*sources) & mask
        return value, int(value != 0)

    return run


def plain(function: Callable[..., int]) -> Callable[..., Result]:
    return lambda m, *sources: (function(*sources), None)


LOGIC: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b,
    "and_not1": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "or_not1": lambda a, b: a | ~b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
}
for dwords, bits in ((1, 32), (2, 64)):
    for word, function in LOGIC.items():
        define(f"s_{word}_b{bits}", dwords, (dwords, dwords), nonzero(function, dwords))
    define(f"s_not_b{bits}", dwords, (dwords,), nonzero(lambda a: ~a, dwords))
    define(f"s_mov_b{bits}", dwords, (dwords,), plain(lambda a: a))
    define(
        f"s_lshl_b{bits}",
        dwords,
        (dwords, 1),
        nonzero(lambda a, b, k=bits: a << (b & (k - 1)), dwords),
    )
    define(
        f"s_lshr_b{bits}",
        dwords,
        (dwords, 1),
        nonzero(lambda a, b, k=bits: a >> (b & (k - 1)), dwords),
    )
    define(
        f"s_ashr_i{bits}",
        dwords,
        (dwords, 1),
        nonzero(lambda a, b, k=bits: signed(a, k) >> (b & (k - 1)), dwords),
    )
    define(
        f"s_bfe_u{bits}",
        dwords,
        (dwords, 1),
        nonzero(
            lambda a, b, k=bits: a >> (b & (k - 1)) & ((1 << min(b >> 16 & 0x7F, k)) - 1), dwords
        ),
    )

    def bfe_signed(a: int, b: int, k: int = bits) -> int:
        width = min(b >> 16 & 0x7F, k)
        # Bits above the source do not exist: an arithmetic shift supplies them.
        return signed(signed(a, k) >> (b & (k - 1)), width) if width else 0

    define(f"s_bfe_i{bits}", dwords, (dwords, 1), nonzero(bfe_signed, dwords))
    define(
        f"s_bfm_b{bits}",
        dwords,
        (1, 1),
        plain(lambda a, b, k=bits: ((1 << (a & (k - 1))) - 1) << (b & (k - 1))),
    )
    define(
        f"s_cselect_b{bits}",
        dwords,
        (dwords, dwords),
        lambda m, a, b: (a if m.scc else b, None),
    )
    define(f"s_cmov_b{bits}", dwords, (dwords,), lambda m, a: (a if m.scc else None, None))
    define(
        f"s_brev_b{bits}",
        dwords,
        (dwords,),
        plain(lambda a, k=bits: int(f"{a:0{k}b}"[::-1], 2)),
    )
    define(
        f"s_wqm_b{bits}",
        dwords,
        (dwords,),
        nonzero(lambda a, k=bits: sum(0xF << i for i in range(0, k, 4) if a >> i & 0xF), dwords),
    )
    define(
        f"s_quadmask_b{bits}",
        dwords,
        (dwords,),
        nonzero(lambda a, k=bits: sum(1 << i // 4 for i in range(0, k, 4) if a >> i & 0xF), dwords),
    )
    define(
        f"s_bcnt1_i32_b{bits}",
        1,
        (dwords,),
        nonzero(lambda a: a.bit_count(), 1),
    )
    define(
        f"s_bcnt0_i32_b{bits}",
        1,
        (dwords,),
        nonzero(lambda a, k=bits: k - a.bit_count(), 1),
    )
    define(
        f"s_ff1_i32_b{bits} s_ctz_i32_b{bits}",
        1,
        (dwords,),
        plain(lambda a: (a & -a).bit_length() - 1),
    )
    define(
        f"s_ff0_i32_b{bits}",
        1,
        (dwords,),
        plain(lambda a, k=bits: (~a & (a + 1) & ((1 << k) - 1)).bit_length() - 1),
    )
    define(
        f"s_flbit_i32_b{bits} s_clz_i32_u{bits}",
        1,
        (dwords,),
        plain(lambda a, k=bits: k - a.bit_length() if a else -1),
    )

    def sign_run(a: int, k: int = bits) -> int:
        a = ~a & ((1 << k) - 1) if a >> (k - 1) else a
        return k - a.bit_length() if a else -1

    define(
        "s_flbit_i32 s_cls_i32" if dwords == 1 else "s_flbit_i32_i64 s_cls_i32_i64",
        1,
        (dwords,),
        plain(sign_run),
    )
    for value in (0, 1):

        def bitset(m: Machine, a: int, v: int = value, k: int = bits) -> Result:
            bit = 1 << (a & (k - 1))
            old = int(m.instruction["old"])
            return (old | bit if v else old & ~bit), None

        define(f"s_bitset{value}_b{bits}", dwords, (1,), bitset)
        define(
            f"s_bitcmp{value}_b{bits}",
            0,
            (dwords, 1),
            lambda m, a, b, v=value, k=bits: (None, int((a >> (b & (k - 1)) & 1) == v)),
        )
    define(
        "s_bitreplicate_b64_b32",
        2,
        (1,),
        plain(lambda a: sum((a >> i & 1) * (3 << 2 * i) for i in range(32))),
    )


def carry(function: Callable[[int, int, int], int]) -> Callable[..., Result]:
    """Unsigned: SCC is the carry or borrow."""

    def run(m: Machine, a: int, b: int) -> Result:
        total = function(a, b, m.scc)
        return total, int(not 0 <= total <= M32)

    return run


def overflow(function: Callable[[int, int], int]) -> Callable[..., Result]:
    """Signed: SCC is the overflow."""

    def run(m: Machine, a: int, b: int) -> Result:
        total = function(signed(a, 32), signed(b, 32))
        return total, int(not -(1 << 31) <= total < 1 << 31)

    return run


define("s_add_u32 s_add_co_u32", 1, (1, 1), carry(lambda a, b, c: a + b))
define("s_sub_u32 s_sub_co_u32", 1, (1, 1), carry(lambda a, b, c: a - b))
define("s_addc_u32 s_add_co_ci_u32", 1, (1, 1), carry(lambda a, b, c: a + b + c))
define("s_subb_u32 s_sub_co_ci_u32", 1, (1, 1), carry(lambda a, b, c: a - b - c))
define("s_add_i32 s_add_co_i32", 1, (1, 1), overflow(lambda a, b: a + b))
define("s_sub_i32 s_sub_co_i32", 1, (1, 1), overflow(lambda a, b: a - b))
define("s_add_u64 s_add_nc_u64", 2, (2, 2), plain(lambda a, b: a + b))
define("s_sub_u64 s_sub_nc_u64", 2, (2, 2), plain(lambda a, b: a - b))
define("s_mul_u64", 2, (2, 2), plain(lambda a, b: a * b))
define("s_mul_i32", 1, (1, 1), plain(lambda a, b: a * b))
define("s_mul_hi_u32", 1, (1, 1), plain(lambda a, b: a * b >> 32))
define("s_mul_hi_i32", 1, (1, 1), plain(lambda a, b: signed(a, 32) * signed(b, 32) >> 32))
for shift in (1, 2, 3, 4):
    define(
        f"s_lshl{shift}_add_u32",
        1,
        (1, 1),
        lambda m, a, b, k=shift: ((a << k) + b, int((a << k) + b > M32)),
    )
for kind in ("i32", "u32"):

    def order(m: Machine, a: int, b: int, largest: bool, is_signed: bool) -> Result:
        x, y = (signed(a, 32), signed(b, 32)) if is_signed else (a, b)
        return (a, 1) if (x > y if largest else x < y) else (b, 0)

    for word in ("min", "max"):
        define(
            f"s_{word}_{kind}",
            1,
            (1, 1),
            lambda m, a, b, w=word, k=kind: order(m, a, b, w == "max", k == "i32"),
        )
define("s_abs_i32", 1, (1,), nonzero(lambda a: abs(signed(a, 32)), 1))
define("s_absdiff_i32", 1, (1, 1), nonzero(lambda a, b: abs(signed(a, 32) - signed(b, 32)), 1))
define("s_sext_i32_i8", 1, (1,), plain(lambda a: signed(a, 8)))
define("s_sext_i32_i16", 1, (1,), plain(lambda a: signed(a, 16)))
define("s_pack_ll_b32_b16", 1, (1, 1), plain(lambda a, b: a & 0xFFFF | (b & 0xFFFF) << 16))
define("s_pack_lh_b32_b16", 1, (1, 1), plain(lambda a, b: a & 0xFFFF | b >> 16 << 16))
define("s_pack_hh_b32_b16", 1, (1, 1), plain(lambda a, b: a >> 16 | b >> 16 << 16))
define("s_pack_hl_b32_b16", 1, (1, 1), plain(lambda a, b: a >> 16 | (b & 0xFFFF) << 16))

RELATIONS = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}
for relation, holds in RELATIONS.items():
    define(f"s_cmp_{relation}_u32", 0, (1, 1), lambda m, a, b, h=holds: (None, int(h(a, b))))
    define(
        f"s_cmp_{relation}_i32",
        0,
        (1, 1),
        lambda m, a, b, h=holds: (None, int(h(signed(a, 32), signed(b, 32)))),
    )
    define(f"s_cmp_{relation}_u64", 0, (2, 2), lambda m, a, b, h=holds: (None, int(h(a, b))))

# Lane masks: the old EXEC goes to the result, the new one follows the operation.
SAVEEXEC: dict[str, Callable[[int, int], int]] = {
    "and": lambda s, e: s & e,
    "or": lambda s, e: s | e,
    "xor": lambda s, e: s ^ e,
    "andn2": lambda s, e: s & ~e,
    "and_not1": lambda s, e: s & ~e,
    "orn2": lambda s, e: s | ~e,
    "or_not1": lambda s, e: s | ~e,
    "nand": lambda s, e: ~(s & e),
    "nor": lambda s, e: ~(s | e),
    "xnor": lambda s, e: ~(s ^ e),
    "andn1": lambda s, e: ~s & e,
    "and_not0": lambda s, e: ~s & e,
    "orn1": lambda s, e: ~s | e,
    "or_not0": lambda s, e: ~s | e,
}
WREXEC = {
    "andn1": SAVEEXEC["andn1"],
    "and_not0": SAVEEXEC["andn1"],
    "andn2": SAVEEXEC["andn2"],
    "and_not1": SAVEEXEC["andn2"],
}

# Floating scalars (gfx11.5, gfx12) --------------------------------------------------------------
FloatOp = Callable[..., Result]
for kind, form in (("f32", F32), ("f16", F16)):

    def value(function: Callable[..., int]) -> FloatOp:
        return lambda m, *s: (function(m, *s), None)

    def narrow(function: Callable[..., int], form: n.Format = form) -> FloatOp:
        """The low bits of the sources; a 16-bit result clears the rest."""
        return lambda m, *s: (function(m, *(x & form.mask for x in s)), None)

    define(f"s_add_{kind}", 1, (1, 1), narrow(lambda m, a, b, f=form: n.add(a, b, f)))
    define(f"s_sub_{kind}", 1, (1, 1), narrow(lambda m, a, b, f=form: n.add(a, b ^ f.sign, f)))
    define(f"s_mul_{kind}", 1, (1, 1), narrow(lambda m, a, b, f=form: n.multiply(a, b, f)))
    for word, largest in (("min", False), ("max", True)):
        define(
            f"s_{word}_{kind} s_{word}_num_{kind}",
            1,
            (1, 1),
            narrow(lambda m, a, b, f=form, g=largest: extreme(m, a, b, f, g)),
        )
        define(
            f"s_{word}imum_{kind}",
            1,
            (1, 1),
            narrow(lambda m, a, b, f=form, g=largest: extreme_nan(m, a, b, f, g)),
        )
    define(
        f"s_fmac_{kind}",
        1,
        (1, 1),
        lambda m, a, b, f=form: (
            n.fma(a & f.mask, b & f.mask, int(m.instruction["old"]) & f.mask, f),
            None,
        ),
    )
    define(
        f"s_fmaak_{kind} s_fmamk_{kind}",
        1,
        (1, 1, 1),
        narrow(lambda m, a, b, c, f=form: n.fma(a, b, c, f)),
    )
    for word, rounding in (("trunc", ZERO), ("ceil", UP), ("floor", DOWN), ("rndne", n.NEAREST)):
        define(
            f"s_{word}_{kind}",
            1,
            (1,),
            narrow(lambda m, a, f=form, r=rounding: n.integral(a, f, r)),
        )
    for relation, orders in FLOAT_RELATIONS.items():
        if relation in ("f", "t", "tru"):
            continue  # constants: vector compares only
        define(
            f"s_cmp_{relation}_{kind}",
            0,
            (1, 1),
            lambda m, a, b, f=form, o=orders: (
                None,
                int(n.compare(a & f.mask, b & f.mask, f) in o),
            ),
        )
define("s_cvt_f32_i32", 1, (1,), plain(lambda a: n.from_integer(signed(a, 32), F32)))
define("s_cvt_f32_u32", 1, (1,), plain(lambda a: n.from_integer(a, F32)))
define("s_cvt_i32_f32", 1, (1,), plain(lambda a: n.to_integer(a, F32, -(1 << 31), (1 << 31) - 1)))
define("s_cvt_u32_f32", 1, (1,), plain(lambda a: n.to_integer(a, F32, 0, M32)))
define("s_cvt_f16_f32", 1, (1,), plain(lambda a: n.convert(a, F32, F16)))
define("s_cvt_f32_f16", 1, (1,), plain(lambda a: n.convert(a & 0xFFFF, F16, F32)))
define("s_cvt_hi_f32_f16", 1, (1,), plain(lambda a: n.convert(a >> 16, F16, F32)))
define(
    "s_cvt_pk_rtz_f16_f32",
    1,
    (1, 1),
    plain(lambda a, b: n.convert(a, F32, F16, ZERO) | n.convert(b, F32, F16, ZERO) << 16),
)


def result_format(name: str) -> n.Format | None:
    """The format by which NaNs of a result are recognised."""
    if name.startswith("s_cmp") or name.endswith(("i32_f32", "u32_f32", "f16_f32")):
        return None if not name == "s_cvt_f16_f32" else F16
    if name.endswith("_f16") and not name.startswith("s_cvt"):
        return F16
    return F32 if "_f32" in name else None
