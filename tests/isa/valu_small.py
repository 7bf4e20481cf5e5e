"""8-bit floats, dot products and the rest of the vector unit's table."""

from __future__ import annotations

from collections.abc import Callable

from . import numbers as n
from .numbers import BF8, BF8_FNUZ, BF16, F16, F32, FP8, FP8_FNUZ
from .reference import Choice, Machine, Packed, define, signed

M32 = 0xFFFFFFFF


def small(m: Machine, name: str) -> n.Format:
    """FNUZ on gfx942, OCP elsewhere."""
    fnuz = m.chip == "gfx942"
    if name == "fp8":
        return FP8_FNUZ if fnuz else FP8
    return BF8_FNUZ if fnuz else BF8


def to_small(bits: int, source: n.Format, form: n.Format, rounding: int = n.NEAREST) -> int:
    """Beyond the largest number: infinity where the format has one, NaN where it has not (MODE's
    FP16_OVFL, which saturates, is off)."""
    x = n.decode(bits, source)
    top = form.sign if x.sign else 0
    if x.kind == "nan":
        return form.nan
    if x.kind == "inf":
        return top | form.infinity if form.specials == "ieee" else form.nan
    return n.encode(x.sign, x.significand, x.exponent, form, rounding)


def nans(form: n.Format) -> tuple[int, ...]:
    return tuple(b for b in range(256) if n.is_nan(b, form))


def one_small(m: Machine, bits: int, name: str) -> tuple[int, ...]:
    """Every pattern of a NaN is one value."""
    value = to_small(bits, F32, small(m, name))
    return nans(small(m, name)) if n.is_nan(value, small(m, name)) else (value,)


for name in ("fp8", "bf8"):
    define(
        f"v_cvt_f32_{name}",
        "f32",
        "b8",
        lambda m, a, k=name: n.convert(a & 0xFF, small(m, k), F32),
    )
    define(
        f"v_cvt_pk_f32_{name}",
        "2f32",
        "b16",
        lambda m, a, k=name: (
            n.convert(a & 0xFF, small(m, k), F32) | n.convert(a >> 8 & 0xFF, small(m, k), F32) << 32
        ),
    )
    define(
        f"v_cvt_pk_{name}_f32",
        "b16",
        "f32 f32",
        lambda m, a, b, k=name: Packed(8, (one_small(m, a, k), one_small(m, b, k))),
    )
    define(
        f"v_cvt_sr_{name}_f32",
        f"{name}8",
        "f32 b32",
        lambda m, a, b, k=name: neighbours(a, F32, small(m, k)),
        exact=False,
    )


def neighbours(bits: int, source: n.Format, form: n.Format) -> Choice:
    """Stochastic rounding gives one of the two nearest numbers; which bits decide nobody states."""
    if n.is_nan(bits, source):
        return Choice(nans(form))
    down = to_small(bits, source, form, n.ZERO)
    up = to_small(bits, source, form, n.DOWN if bits & source.sign else n.UP)
    both = (down, up)
    return Choice(both + nans(form) if any(n.is_nan(b, form) for b in both) else both)


# Dot products -----------------------------------------------------------------------------------


def fields(value: int, bits: int, is_signed: bool) -> list[int]:
    parts = [value >> first & ((1 << bits) - 1) for first in range(0, 32, bits)]
    return [signed(p, bits) for p in parts] if is_signed else parts


def dot(bits: int, left: bool, right: bool) -> Callable[..., int]:
    return lambda m, a, b, c: (
        c + sum(x * y for x, y in zip(fields(a, bits, left), fields(b, bits, right), strict=True))
    )


for count, bits in ((2, 16), (4, 8), (8, 4)):
    define(f"v_dot{count}_i32_i{bits}", "i32", "b32 b32 i32", dot(bits, True, True))
    define(f"v_dot{count}_u32_u{bits}", "u32", "b32 b32 u32", dot(bits, False, False))
    define(f"v_dot{count}c_i32_i{bits}", "i32", "b32 b32 i32", dot(bits, True, True))


def mixed_sign_dot(bits: int) -> Callable[..., int]:
    def run(m: Machine, a: int, b: int, c: int) -> int:
        neg = m.instruction.get("neg_lo", [0, 0, 0])
        return dot(bits, bool(neg[0]), bool(neg[1]))(m, a, b, c)

    return run


define("v_dot4_i32_iu8", "i32", "b32 b32 i32", mixed_sign_dot(8))
define("v_dot8_i32_iu4", "i32", "b32 b32 i32", mixed_sign_dot(4))

# Two-element moves ------------------------------------------------------------------------------


def pk_mov(m: Machine, a: int, b: int) -> int:
    chosen = m.instruction.get("op_sel", [0, 0])
    low = a >> 32 * chosen[0] & M32
    return low | (b >> 32 * chosen[1] & M32) << 32


define("v_pk_mov_b32", "b64", "b64 b64", pk_mov)

# Cube maps: the face that a direction hits ------------------------------------------------------


def cube(m: Machine, x: int, y: int, z: int) -> tuple[int, int]:
    """(axis, whether negative); the largest magnitude wins, z before y before x."""
    sizes = [n.order_key(v & 0x7FFFFFFF, F32) for v in (x, y, z)]
    if sizes[2] >= sizes[0] and sizes[2] >= sizes[1]:
        return 2, bool(z & 0x80000000) and z != 0x80000000
    if sizes[1] >= sizes[0]:
        return 1, bool(y & 0x80000000) and y != 0x80000000
    return 0, bool(x & 0x80000000) and x != 0x80000000


def opposite(a: int) -> int:
    return a ^ 0x80000000


def cube_result(which: str) -> Callable[..., object]:
    def run(m: Machine, x: int, y: int, z: int) -> object:
        if any(n.is_nan(v, F32) for v in (x, y, z)):
            return Packed(32, ((),))  # anything: the manuals say nothing
        axis, negative = cube(m, x, y, z)
        if which == "id":
            return n.from_integer(2 * axis + negative, F32)
        if which == "ma":
            return n.multiply(0x40000000, (x, y, z)[axis], F32)
        if which == "sc":
            return (
                (z if negative else opposite(z))
                if axis == 0
                else x
                if axis == 1
                else (opposite(x) if negative else x)
            )
        return opposite(y) if axis != 1 else (opposite(z) if negative else z)

    return run


for which in ("id", "sc", "tc", "ma"):
    define(f"v_cube{which}_f32", "f32", "f32 f32 f32", cube_result(which), exact=False)

# 2/pi, for range reduction ----------------------------------------------------------------------


def inverse_tangent(k: int, bits: int) -> int:
    """atan(1/k) * 2**bits."""
    term = (1 << bits) // k
    total, sign, odd = 0, 1, 1
    while term:
        total += sign * (term // odd)
        term //= k * k
        sign, odd = -sign, odd + 2
    return total


BITS = 1400
PI = 4 * (4 * inverse_tangent(5, BITS) - inverse_tangent(239, BITS))
TWO_OVER_PI = ((2 << 2 * BITS) // PI) >> (BITS - 1201)  # 1201 bits behind the point


def trig_preop(m: Machine, a: int, segment: int) -> int:
    field = a >> 52 & 0x7FF
    shift = 53 * (segment & 31)
    if field > 1077:
        shift += field - 1077
    bits = (TWO_OVER_PI << shift >> 1148) & ((1 << 53) - 1) if shift < 1300 else 0
    power = -53 - shift + (128 if field >= 1968 else 0)
    return n.encode(0, bits, power, n.F64)


define("v_trig_preop_f64", "f64", "f64 b32", trig_preop, exact=False)
_ = (BF16, F16)
