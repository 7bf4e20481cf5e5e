"""gfx950's conversions with a scale, and stochastic rounding.

The scale is the exponent of an f32. Overflow of fp8 and bf8 saturates or not by MODE's FP16_OVFL,
whose effect here the manual does not spell out: both are taken. fp6, bf6, fp4 saturate.
"""

from __future__ import annotations

from collections.abc import Callable

from . import numbers as n
from .numbers import BF6, BF16, F16, F32, FP4, FP6
from .reference import Choice, Machine, Packed, define
from .valu_small import small

WIDE = {"f32": F32, "f16": F16, "bf16": BF16}
ANY: tuple[int, ...] = ()


def narrow(m: Machine, name: str) -> n.Format:
    return {"fp6": FP6, "bf6": BF6, "fp4": FP4}.get(name) or small(m, name)


def every_nan(form: n.Format) -> tuple[int, ...]:
    if form.bits > 8:
        return ANY  # checked as bits only where it is a number
    found = tuple(b for b in range(1 << form.bits) if n.is_nan(b, form))
    return found or ANY


def power_of(scale: int) -> int:
    return (scale >> 23 & 0xFF) - 127


def widened(bits: int, source: n.Format, target: n.Format, power: int) -> tuple[int, ...]:
    x = n.decode(bits, source)
    if x.kind == "nan":
        return ANY
    if x.kind == "inf":
        return ((target.sign if x.sign else 0) | target.infinity,)
    return (n.encode(x.sign, x.significand, x.exponent + power, target),)


def narrowed(
    bits: int, source: n.Format, target: n.Format, power: int, both: bool = False
) -> tuple[int, ...]:
    """`both`: either neighbour, for stochastic rounding."""
    x = n.decode(bits, source)
    if x.kind == "nan":
        return every_nan(target)
    top = target.sign if x.sign else 0
    if x.kind == "inf":
        limit = (top | target.infinity,) if target.specials == "ieee" else every_nan(target)
        return (top | target.largest, *limit)
    directions = (n.ZERO, n.DOWN if x.sign else n.UP) if both else (n.NEAREST,)
    result: list[int] = []
    for rounding in directions:
        for overflow in ("saturate", "ieee"):
            value = n.encode(x.sign, x.significand, x.exponent - power, target, rounding, overflow)
            result.append(value)
            if n.is_nan(value, target):
                result += every_nan(target)
    return tuple(result)


def elements(value: int, bits: int, count: int) -> list[int]:
    return [value >> bits * i & ((1 << bits) - 1) for i in range(count)]


def widen_all(source: str, target: str, count: int) -> Callable[..., Packed]:
    def run(m: Machine, a: int, scale: int) -> Packed:
        form, wide = narrow(m, source), WIDE[target]
        return Packed(
            wide.bits,
            tuple(widened(x, form, wide, power_of(scale)) for x in elements(a, form.bits, count)),
        )

    return run


def narrow_all(source: str, target: str, count: int, both: bool = False) -> Callable[..., Packed]:
    """Sources: the elements in one operand, then with `both` random bits, then the scale."""

    def run(m: Machine, a: int, *rest: int) -> Packed:
        form, wide = narrow(m, target), WIDE[source]
        return Packed(
            form.bits,
            tuple(
                narrowed(x, wide, form, power_of(rest[-1]), both)
                for x in elements(a, wide.bits, count)
            ),
        )

    return run


def narrow_two(source: str, target: str) -> Callable[..., Packed]:
    """Two operands of one element each."""
    inner = narrow_all(source, target, 2)
    return lambda m, a, b, scale: inner(m, a | b << WIDE[source].bits, scale)


for kind in ("fp8", "bf8"):
    for wide in ("f32", "f16"):
        define(
            f"v_cvt_scalef32_{wide}_{kind}",
            f"b{wide[1:]}",
            "b8 sc32",
            widen_all(kind, wide, 1),
            exact=False,
        )
    for wide in ("f32", "f16", "bf16"):
        size = 2 * WIDE[wide].bits
        define(
            f"v_cvt_scalef32_pk_{wide}_{kind}",
            f"b{size}",
            "b16 sc32",
            widen_all(kind, wide, 2),
            exact=False,
        )
    define(
        f"v_cvt_scalef32_pk_{kind}_f32", "b16", "f32 f32 sc32", narrow_two("f32", kind), exact=False
    )
    for wide in ("f16", "bf16"):
        define(
            f"v_cvt_scalef32_pk_{kind}_{wide}",
            "b16",
            "b32 sc32",
            narrow_all(wide, kind, 2),
            exact=False,
        )
    for wide in ("f32", "f16", "bf16"):
        source = "f32" if wide == "f32" else "b16"
        define(
            f"v_cvt_scalef32_sr_{kind}_{wide}",
            "b8",
            f"{source} b32 sc32",
            narrow_all(wide, kind, 1, True),
            exact=False,
        )
for wide in ("f32", "f16", "bf16"):
    size = 2 * WIDE[wide].bits
    define(
        f"v_cvt_scalef32_pk_{wide}_fp4",
        f"b{size}",
        "b8 sc32",
        widen_all("fp4", wide, 2),
        exact=False,
    )
    if wide == "f32":
        define(
            "v_cvt_scalef32_pk_fp4_f32", "b8", "f32 f32 sc32", narrow_two("f32", "fp4"), exact=False
        )
    else:
        define(
            f"v_cvt_scalef32_pk_fp4_{wide}",
            "b8",
            "b32 sc32",
            narrow_all(wide, "fp4", 2),
            exact=False,
        )
    define(
        f"v_cvt_scalef32_sr_pk_fp4_{wide}",
        "b8",
        f"b{size} b32 sc32",
        narrow_all(wide, "fp4", 2, True),
        exact=False,
    )
    for kind in ("fp6", "bf6"):
        total = 32 * WIDE[wide].bits
        define(
            f"v_cvt_scalef32_pk32_{wide}_{kind}",
            f"b{total}",
            "b192 sc32",
            widen_all(kind, wide, 32),
            exact=False,
        )
        define(
            f"v_cvt_scalef32_pk32_{kind}_{wide}",
            "b192",
            f"b{total} sc32",
            narrow_all(wide, kind, 32),
            exact=False,
        )
        define(
            f"v_cvt_scalef32_sr_pk32_{kind}_{wide}",
            "b192",
            f"b{total} b32 sc32",
            narrow_all(wide, kind, 32, True),
            exact=False,
        )


def two_sixteens(kind: str) -> Callable[..., Choice]:
    """One operand after the other, or in turns: the manual's text allows both readings."""
    inner = narrow_all("f32", kind, 32)

    def run(m: Machine, a: int, b: int, scale: int) -> Choice:
        first, second = elements(a, 32, 16), elements(b, 32, 16)
        turns = [x for pair in zip(first, second, strict=True) for x in pair]

        def joined(values: list[int]) -> int:
            return sum(v << 32 * i for i, v in enumerate(values))

        return Choice((inner(m, joined(first + second), scale), inner(m, joined(turns), scale)))

    return run


for kind in ("fp6", "bf6"):
    define(
        f"v_cvt_scalef32_2xpk16_{kind}_f32",
        "b192",
        "b512 b512 sc32",
        two_sixteens(kind),
        exact=False,
    )


def either(target: n.Format) -> Callable[..., Choice]:
    """v_cvt_sr_f16_f32 and v_cvt_sr_bf16_f32: one of the two neighbours."""

    def run(m: Machine, a: int, random: int) -> Choice:
        if n.is_nan(a, F32):
            return Choice((target.nan,))
        return Choice(
            tuple(n.convert(a, F32, target, r) for r in (n.ZERO, n.DOWN, n.UP, n.NEAREST))
        )

    return run


define("v_cvt_sr_f16_f32", "f16", "f32 b32", either(F16), exact=False)
define("v_cvt_sr_bf16_f32", "bf16", "f32 b32", either(BF16), exact=False)
define(
    "v_cvt_pk_bf16_f32",
    "2bf16",
    "f32 f32",
    lambda m, a, b: n.convert(a, F32, BF16) | n.convert(b, F32, BF16) << 16,
)
