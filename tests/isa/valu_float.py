"""Floating operations of the vector unit (ISA guides, "VALU instructions").

Where a manual bounds an error instead of stating a result, the function gives a `Choice`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from . import numbers as n
from .numbers import BF16, DOWN, F16, F32, F64, NEAREST, UP, ZERO
from .reference import Choice, Machine, define

FORMS = {"f16": F16, "f32": F32, "f64": F64}
ONE = {F16: 0x3C00, F32: 0x3F800000, F64: 0x3FF0000000000000}


def negated(bits: int, form: n.Format) -> int:
    return bits ^ form.sign


def is_zero(bits: int, form: n.Format) -> bool:
    return not bits & (form.sign - 1)


# Arithmetic -------------------------------------------------------------------------------------


def adder(form: n.Format) -> Callable[..., int]:
    return lambda m, a, b: n.add(a, b, form, m.round(form))


def multiplier(form: n.Format) -> Callable[..., int]:
    return lambda m, a, b: n.multiply(a, b, form, m.round(form))


def fused(form: n.Format) -> Callable[..., int]:
    return lambda m, a, b, c: n.fma(a, b, c, form, m.round(form))


for kind, form in FORMS.items():
    two, three = f"{kind} {kind}", f"{kind} {kind} {kind}"
    define(f"v_add_{kind}", kind, two, adder(form), rounds=True)
    define(
        f"v_sub_{kind}",
        kind,
        two,
        lambda m, a, b, f=form: n.add(a, negated(b, f), f, m.round(f)),
        rounds=True,
    )
    define(
        f"v_subrev_{kind}",
        kind,
        two,
        lambda m, a, b, f=form: n.add(b, negated(a, f), f, m.round(f)),
        rounds=True,
    )
    define(f"v_mul_{kind}", kind, two, multiplier(form), rounds=True)
    define(f"v_fma_{kind}", kind, three, fused(form), rounds=True)
    define(f"v_fmac_{kind}", kind, f"{two} {kind}", fused(form), rounds=True)
    define(f"v_fmaak_{kind}", kind, three, fused(form), rounds=True)
    # fmamk multiplies by its literal and adds the register.
    define(f"v_fmamk_{kind}", kind, three, fused(form), rounds=True)
for kind in ("f32", "f16"):
    form = FORMS[kind]
    define(f"v_pk_add_{kind}", f"pk{kind}", f"{kind} {kind}", adder(form), rounds=True)
    define(f"v_pk_mul_{kind}", f"pk{kind}", f"{kind} {kind}", multiplier(form), rounds=True)
    define(f"v_pk_fma_{kind}", f"pk{kind}", f"{kind} {kind} {kind}", fused(form), rounds=True)


def unfused(m: Machine, a: int, b: int, c: int) -> int:
    """v_mad rounds the product (LLVM's FMAD)."""
    return n.add(n.multiply(a, b, F16, m.round64), c, F16, m.round64)


define(
    "v_mad_f16 v_mac_f16 v_mad_legacy_f16 v_madak_f16 v_madmk_f16",
    "f16",
    "f16 f16 f16",
    unfused,
    rounds=True,
)
define("v_fma_legacy_f16", "f16", "f16 f16 f16", fused(F16), rounds=True)
define("v_fma_mix_f32 v_fma_mix_f32_bf16", "f32", "mix mix mix", fused(F32), rounds=True)


def mixed(target: n.Format):
    """The sum is rounded to f32, then converted (the manuals' f32_to_f16(fma(...)))."""
    return lambda m, a, b, c: n.convert(n.fma(a, b, c, F32, m.round32), F32, target, m.round64)


define("v_fma_mixlo_f16 v_fma_mixhi_f16", "f16", "mix mix mix", mixed(F16), rounds=True)
define("v_pk_fmac_f16", "pkf16", "f16 f16 f16", fused(F16), rounds=True)


def dx9_product(m: Machine, a: int, b: int) -> int:
    return 0 if is_zero(a, F32) or is_zero(b, F32) else n.multiply(a, b, F32, m.round32)


def dx9_fma(m: Machine, a: int, b: int, c: int):
    if is_zero(a, F32) or is_zero(b, F32):
        # Whether the addend is taken or added to +0 shows for -0 only; the manuals differ.
        return Choice((c, n.add(0, c, F32, m.round32)))
    return n.fma(a, b, c, F32, m.round32)


define("v_mul_legacy_f32 v_mul_dx9_zero_f32", "f32", "f32 f32", dx9_product, rounds=True)
define("v_fma_legacy_f32 v_fma_dx9_zero_f32", "f32", "f32 f32 f32", dx9_fma, rounds=True)
define("v_fmac_legacy_f32 v_fmac_dx9_zero_f32", "f32", "f32 f32 f32", dx9_fma, rounds=True)


def mullit(m: Machine, a: int, b: int, c: int) -> int:
    lowest = 0xFF7FFFFF
    if n.is_nan(b, F32) or n.is_nan(c, F32) or b in (lowest, 0xFF800000):
        return lowest
    if n.compare(c, 0, F32) in "<=":
        return lowest
    return dx9_product(m, a, b)


define("v_mullit_f32", "f32", "f32 f32 f32", mullit)

# Minimum and maximum ----------------------------------------------------------------------------


def less(a: int, b: int, form: n.Format) -> bool:
    """With -0 below +0."""
    if is_zero(a, form) and is_zero(b, form):
        return a > b
    return n.order_key(a, form) < n.order_key(b, form)


def extreme(m: Machine, a: int, b: int, form: n.Format, largest: bool) -> int:
    """v_min and v_max: a quiet NaN loses to a number, a signalling one wins in IEEE mode."""
    if m.generation == "gfx12":
        return extreme_number(a, b, form, largest)
    if m.ieee:
        for x in (a, b):
            if n.is_signalling(x, form):
                return n.quieted(x, form)
    if n.is_nan(a, form):
        return b
    if n.is_nan(b, form):
        return a
    return pick(a, b, form, largest)


def pick(a: int, b: int, form: n.Format, largest: bool) -> int:
    if largest:
        return a if less(b, a, form) else b
    return a if less(a, b, form) else b


def extreme_number(a: int, b: int, form: n.Format, largest: bool) -> int:
    """gfx12's v_min_num, v_max_num: minimumNumber of IEEE 754-2019."""
    if n.is_nan(a, form) and n.is_nan(b, form):
        return n.quieted(a, form)
    if n.is_nan(a, form):
        return b
    return a if n.is_nan(b, form) else pick(a, b, form, largest)


def extreme_nan(m: Machine, a: int, b: int, form: n.Format, largest: bool) -> int:
    """v_minimum, v_maximum: every NaN wins."""
    for x in (a, b):
        if n.is_signalling(x, form):
            return n.quieted(x, form)
    for x in (a, b):
        if n.is_nan(x, form):
            return x
    return pick(a, b, form, largest)


def med3(m: Machine, a: int, b: int, c: int, form: n.Format) -> int:
    if any(n.is_nan(x, form) for x in (a, b, c)):
        return extreme(m, extreme(m, a, b, form, False), c, form, False)
    top = extreme(m, extreme(m, a, b, form, True), c, form, True)
    if n.compare(top, a, form) == "=":
        return extreme(m, b, c, form, True)
    if n.compare(top, b, form) == "=":
        return extreme(m, a, c, form, True)
    return extreme(m, a, b, form, True)


for kind, form in FORMS.items():
    two, three = f"{kind} {kind}", f"{kind} {kind} {kind}"
    for word, largest in (("min", False), ("max", True)):
        define(
            f"v_{word}_{kind} v_{word}_num_{kind}",
            kind,
            two,
            lambda m, a, b, f=form, g=largest: extreme(m, a, b, f, g),
        )
        define(
            f"v_{word}imum_{kind}",
            kind,
            two,
            lambda m, a, b, f=form, g=largest: extreme_nan(m, a, b, f, g),
        )
        define(
            f"v_{word}3_{kind} v_{word}3_num_{kind}",
            kind,
            three,
            lambda m, a, b, c, f=form, g=largest: extreme(m, extreme(m, a, b, f, g), c, f, g),
        )
        define(
            f"v_{word}imum3_{kind}",
            kind,
            three,
            lambda m, a, b, c, f=form, g=largest: extreme_nan(
                m, extreme_nan(m, a, b, f, g), c, f, g
            ),
        )
        other = "max" if word == "min" else "min"
        define(
            f"v_{word}{other}_{kind} v_{word}{other}_num_{kind}",
            kind,
            three,
            lambda m, a, b, c, f=form, g=largest: extreme(m, extreme(m, a, b, f, g), c, f, not g),
        )
        define(
            f"v_{word}imum{other}imum_{kind}",
            kind,
            three,
            lambda m, a, b, c, f=form, g=largest: extreme_nan(
                m, extreme_nan(m, a, b, f, g), c, f, not g
            ),
        )
    define(
        f"v_med3_{kind} v_med3_num_{kind}",
        kind,
        three,
        lambda m, a, b, c, f=form: med3(m, a, b, c, f),
    )
for word, largest in (("min", False), ("max", True)):
    define(
        f"v_pk_{word}_f16 v_pk_{word}_num_f16",
        "pkf16",
        "f16 f16",
        lambda m, a, b, g=largest: extreme(m, a, b, F16, g),
    )
    define(
        f"v_pk_{word}imum_f16",
        "pkf16",
        "f16 f16",
        lambda m, a, b, g=largest: extreme_nan(m, a, b, F16, g),
    )
    define(
        f"v_pk_{word}imum3_f16",
        "pkf16",
        "f16 f16 f16",
        lambda m, a, b, c, g=largest: extreme_nan(m, extreme_nan(m, a, b, F16, g), c, F16, g),
    )

# Comparisons ------------------------------------------------------------------------------------
RELATIONS = {
    "f": "",
    "lt": "<",
    "eq": "=",
    "le": "<=",
    "gt": ">",
    "lg": "<>",
    "ge": ">=",
    "o": "<=>",
    "u": "u",
    "nge": "<u",
    "nlg": "=u",
    "ngt": "<=u",
    "nle": ">u",
    "neq": "<>u",
    "nlt": ">=u",
    "tru": "<=>u",
    "t": "<=>u",
}


def number_class(bits: int, form: n.Format) -> int:
    """The bit of v_cmp_class that this value has."""
    negative = bool(bits & form.sign)
    if n.is_nan(bits, form):
        return 0 if n.is_signalling(bits, form) else 1
    if n.decode(bits, form).kind == "inf":
        return 2 if negative else 9
    if is_zero(bits, form):
        return 5 if negative else 6
    if n.is_subnormal(bits, form):
        return 4 if negative else 7
    return 3 if negative else 8


for kind, form in FORMS.items():
    for relation, orders in RELATIONS.items():
        define(
            f"v_cmp_{relation}_{kind} v_cmpx_{relation}_{kind}",
            "mask",
            f"{kind} {kind}",
            lambda m, a, b, f=form, o=orders: n.compare(a, b, f) in o,
        )
    define(
        f"v_cmp_class_{kind} v_cmpx_class_{kind}",
        "mask",
        f"{kind} {'b16' if kind == 'f16' else 'b32'}",
        lambda m, a, b, f=form: b >> number_class(a, f) & 1,
    )

# Integers and fractions -------------------------------------------------------------------------
BELOW_ONE = {F16: 0x3BFF, F32: 0x3F7FFFFF, F64: 0x3FEFFFFFFFFFFFFF}


def fract(m: Machine, a: int, form: n.Format) -> int:
    """x - floor(x), below 1: LLVM replaces min(x - floor(x), 1 - ulp) by this instruction."""
    x = n.decode(a, form)
    if x.kind != "finite":
        return form.nan
    down = n.integral(a, form, DOWN)
    result = n.add(a, negated(down, form), form, m.round(form))
    return min(result, BELOW_ONE[form]) if not result & form.sign else result


def mantissa(m: Machine, a: int, form: n.Format) -> int:
    x = n.decode(a, form)
    if x.kind == "nan":
        return n.quieted(a, form)
    if x.kind == "inf" or x.zero:
        return a
    return n.encode(x.sign, x.significand, -x.significand.bit_length(), form)


def exponent(m: Machine, a: int, form: n.Format) -> int:
    x = n.decode(a, form)
    return 0 if x.kind != "finite" or x.zero else x.significand.bit_length() + x.exponent


def ldexp(m: Machine, a: int, power: int, form: n.Format) -> int:
    x = n.decode(a, form)
    if x.kind == "nan":
        return form.nan
    if x.kind == "inf" or x.zero:
        return a
    return n.encode(
        x.sign, x.significand, x.exponent + max(min(power, 5000), -5000), form, m.round(form)
    )


for kind, form in FORMS.items():
    for word, rounding in (("trunc", ZERO), ("ceil", UP), ("rndne", NEAREST), ("floor", DOWN)):
        define(
            f"v_{word}_{kind}",
            kind,
            kind,
            lambda m, a, f=form, r=rounding: n.integral(a, f, r),
        )
    define(f"v_fract_{kind}", kind, kind, lambda m, a, f=form: fract(m, a, f))
    define(f"v_frexp_mant_{kind}", kind, kind, lambda m, a, f=form: mantissa(m, a, f))
    define(
        f"v_frexp_exp_{'i16' if kind == 'f16' else 'i32'}_{kind}",
        "b16" if kind == "f16" else "b32",
        kind,
        lambda m, a, f=form: exponent(m, a, f),
    )
    define(
        f"v_ldexp_{kind}",
        kind,
        f"{kind} {'i16' if kind == 'f16' else 'i32'}",
        lambda m, a, b, f=form: ldexp(m, a, b, f),
        rounds=True,
    )

# Conversions ------------------------------------------------------------------------------------
I32, U32 = (-(1 << 31), (1 << 31) - 1), (0, (1 << 32) - 1)
I16, U16 = (-(1 << 15), (1 << 15) - 1), (0, (1 << 16) - 1)
for kind in ("f32", "f64"):
    form = FORMS[kind]
    define(f"v_cvt_i32_{kind}", "b32", kind, lambda m, a, f=form: n.to_integer(a, f, *I32))
    define(f"v_cvt_u32_{kind}", "b32", kind, lambda m, a, f=form: n.to_integer(a, f, *U32))
    for source in ("i32", "u32"):
        define(
            f"v_cvt_{kind}_{source}",
            kind,
            source,
            lambda m, a, f=form: n.from_integer(a, f, m.round(f)),
            rounds=True,
        )
define("v_cvt_i16_f16", "b16", "f16", lambda m, a: n.to_integer(a, F16, *I16))
define("v_cvt_u16_f16", "b16", "f16", lambda m, a: n.to_integer(a, F16, *U16))
for source in ("i16", "u16"):
    define(
        f"v_cvt_f16_{source}",
        "f16",
        source,
        lambda m, a: n.from_integer(a, F16, m.round64),
        rounds=True,
    )
define("v_cvt_f16_f32", "f16", "f32", lambda m, a: n.convert(a, F32, F16, m.round64), rounds=True)
define("v_cvt_f32_f16", "f32", "f16", lambda m, a: n.convert(a, F16, F32))
define("v_cvt_f32_f64", "f32", "f64", lambda m, a: n.convert(a, F64, F32, m.round64), rounds=True)
define("v_cvt_f64_f32", "f64", "f32", lambda m, a: n.convert(a, F32, F64))
define("v_cvt_f32_bf16", "f32", "b16", lambda m, a: n.convert(a, BF16, F32))
for i in range(4):
    define(
        f"v_cvt_f32_ubyte{i}",
        "f32",
        "b32",
        lambda m, a, i=i: n.from_integer(a >> 8 * i & 0xFF, F32),
    )
define(
    "v_cvt_flr_i32_f32 v_cvt_floor_i32_f32",
    "b32",
    "f32",
    lambda m, a: n.to_integer(a, F32, *I32, DOWN),
)


def nearest_up(m: Machine, a: int) -> Choice:
    """floor(x + 0.5); the manuals do not say whether the sum rounds."""
    exact = n.decode(a, F32)
    if exact.kind != "finite":
        return Choice((n.to_integer(a, F32, *I32) & 0xFFFFFFFF,))
    value = Fraction(exact.significand) * Fraction(2) ** exact.exponent
    true = math.floor((-value if exact.sign else value) + Fraction(1, 2))
    true = min(max(true, I32[0]), I32[1])
    rounded = n.to_integer(n.add(a, 0x3F000000, F32), F32, *I32, DOWN)
    return Choice((true & 0xFFFFFFFF, rounded & 0xFFFFFFFF))


define("v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32", "b32", "f32", nearest_up)
define(
    "v_cvt_off_f32_i4",
    "f32",
    "b32",
    lambda m, a: n.encode(int(a >> 3 & 1), abs((a & 15) - (16 if a & 8 else 0)), -4, F32),
)


def pack(low: int, high: int) -> int:
    return (low & 0xFFFF) | (high & 0xFFFF) << 16


define(
    "v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32",
    "2f16",
    "f32 f32",
    lambda m, a, b: pack(n.convert(a, F32, F16, ZERO), n.convert(b, F32, F16, ZERO)),
)
define(
    "v_cvt_pk_f16_f32",
    "2f16",
    "f32 f32",
    lambda m, a, b: pack(n.convert(a, F32, F16, m.round64), n.convert(b, F32, F16, m.round64)),
    rounds=True,
)
define(
    "v_cvt_pk_i16_f32",
    "b32",
    "f32 f32",
    lambda m, a, b: pack(n.to_integer(a, F32, *I16), n.to_integer(b, F32, *I16)),
)
define(
    "v_cvt_pk_u16_f32",
    "b32",
    "f32 f32",
    lambda m, a, b: pack(n.to_integer(a, F32, *U16), n.to_integer(b, F32, *U16)),
)


def normalised(bits: int, form: n.Format, signed: bool) -> tuple[int, ...]:
    """To snorm16 or unorm16: scaled, and one of the two nearest integers: no manual says which."""
    x = n.decode(bits, form)
    top = 0x7FFF if signed else 0xFFFF
    if x.kind == "nan":
        return (0,)
    low = -top if signed else 0
    if x.kind == "inf":
        return ((low if x.sign else top) & 0xFFFF,)
    scaled_up = n.Number("finite", x.sign, x.significand * top, x.exponent)
    both = (n.round_to_integer(scaled_up, r) for r in (DOWN, UP))
    return tuple(min(max(v, low), top) & 0xFFFF for v in both)


def pack_any(low: tuple[int, ...], high: tuple[int, ...]) -> Choice:
    return Choice(tuple(pack(a, b) for a in low for b in high))


define("v_cvt_norm_i16_f16", "b16", "f16", lambda m, a: Choice(normalised(a, F16, True)))
define("v_cvt_norm_u16_f16", "b16", "f16", lambda m, a: Choice(normalised(a, F16, False)))
for kind in ("f16", "f32"):
    for sign in ("i16", "u16"):
        names = f"v_cvt_pknorm_{sign}_{kind} v_cvt_pk_norm_{sign}_{kind}"
        define(
            names,
            "b32",
            f"{kind} {kind}",
            lambda m, a, b, f=FORMS[kind], s=sign == "i16": pack_any(
                normalised(a, f, s), normalised(b, f, s)
            ),
        )


def insert_byte(m: Machine, a: int, position: int, old: int) -> Choice:
    """Truncated or rounded: the manuals do not say."""
    shift = 8 * (position & 3)
    kept = old & ~(0xFF << shift)
    return Choice(tuple(kept | n.to_integer(a, F32, 0, 255, r) << shift for r in (ZERO, NEAREST)))


define("v_cvt_pk_u8_f32", "b32", "f32 b32 b32", insert_byte)

# Division ---------------------------------------------------------------------------------------


def biased(bits: int, form: n.Format) -> int:
    return bits >> form.fraction_bits & ((1 << form.exponent_bits) - 1)


def scaled(bits: int, power: int, form: n.Format) -> int:
    return ldexp(Machine("gfx942"), bits, power, form)


def div_scale(m: Machine, which: int, denominator: int, numerator: int, form: n.Format):
    """The pseudo code of the manuals; `which` is the operand to scale, as given."""
    power = 64 if form is F32 else 128
    far = 96 if form is F32 else 768
    tiny = 23 if form is F32 else 53
    scale_flag = 0
    if is_zero(denominator, form) or is_zero(numerator, form):
        return form.nan, 0
    result = which
    if biased(numerator, form) - biased(denominator, form) >= far:
        scale_flag = 1  # N/D near MAX
        if which == denominator:
            result = scaled(which, power, form)
    elif n.is_subnormal(denominator, form):
        result = scaled(which, power, form)
    elif n.is_subnormal(n.divide(ONE[form], denominator, form), form) and n.is_subnormal(
        n.divide(numerator, denominator, form), form
    ):
        # The manuals write +power here, which would make such a denominator infinite and the
        # quotient of LLVM's expansion wrong.
        scale_flag = 1
        if which == denominator:
            result = scaled(which, -power, form)
    elif n.is_subnormal(n.divide(ONE[form], denominator, form), form):
        result = scaled(which, -power, form)
    elif n.is_subnormal(n.divide(numerator, denominator, form), form):
        scale_flag = 1
        if which == numerator:
            result = scaled(which, power, form)
    elif biased(numerator, form) <= tiny:
        result = scaled(which, power, form)
    return result, scale_flag


def div_fmas(m: Machine, a: int, b: int, c: int, vcc: int, form: n.Format):
    """Undoes the scaling of v_div_scale, which is 2**64 or 2**128: up for large quotients (their
    denominator was scaled up), down for small ones."""
    if not vcc:
        return n.fma(a, b, c, form, m.round(form))
    numbers = [n.decode(x, form) for x in (a, b, c)]
    power = 64 if form is F32 else 128
    if biased(c, form) <= form.bias:
        power = -power
    if any(x.kind != "finite" for x in numbers):
        return n.fma(a, b, c, form, m.round(form))
    x, y, z = numbers
    product = n.Number(
        "finite", x.sign ^ y.sign, x.significand * y.significand, x.exponent + y.exponent
    )
    unit = min(product.exponent, z.exponent)
    total = product.units(unit) + z.units(unit)
    if total == 0:
        return n.fma(a, b, c, form, m.round(form))
    once = n.encode(int(total < 0), abs(total), unit + power, form, m.round(form))
    twice = ldexp(m, n.fma(a, b, c, form, m.round(form)), power, form)
    return Choice((once, twice))  # whether the sum is rounded before it is scaled is not stated


def div_fixup(m: Machine, quotient: int, denominator: int, numerator: int, form: n.Format):
    sign = form.sign if (denominator ^ numerator) & form.sign else 0
    if n.is_nan(numerator, form) or n.is_nan(denominator, form):
        return form.nan
    top, bottom = n.decode(numerator, form), n.decode(denominator, form)
    if (top.zero and bottom.zero) or (top.kind == "inf" and bottom.kind == "inf"):
        return form.nan
    if bottom.zero or top.kind == "inf":
        return sign | form.infinity
    if bottom.kind == "inf" or top.zero:
        return sign
    if form is not F16:
        if biased(numerator, form) - biased(denominator, form) < (-150 if form is F32 else -1075):
            return sign  # underflow
        if biased(denominator, form) == (1 << form.exponent_bits) - 1:
            return sign | form.infinity
    if n.is_nan(quotient, form):
        # A quotient that overflowed on the way; whether it stays a NaN the manuals do not agree on.
        return Choice((form.nan, sign | form.infinity))
    return sign | (quotient & (form.sign - 1))


for kind in ("f32", "f64"):
    form = FORMS[kind]
    define(
        f"v_div_scale_{kind}",
        f"{kind} mask",
        f"{kind} {kind} {kind}",
        lambda m, a, b, c, f=form: div_scale(m, a, b, c, f),
    )
    define(
        f"v_div_fmas_{kind}",
        kind,
        f"{kind} {kind} {kind} mask",
        lambda m, a, b, c, v, f=form: div_fmas(m, a, b, c, v, f),
    )
for kind, form in FORMS.items():
    define(
        f"v_div_fixup_{kind}" + (" v_div_fixup_legacy_f16" if kind == "f16" else ""),
        kind,
        f"{kind} {kind} {kind}",
        lambda m, a, b, c, f=form: div_fixup(m, a, b, c, f),
    )

# Transcendentals: bounded -----------------------------------------------------------------------


def near(value: float, form: n.Format, ulps: float) -> Choice:
    """Everything within so many units in the last place of a value known to double precision."""
    if math.isnan(value):
        return Choice((form.nan,))
    center = n.from_float(value, form)
    top, size, steps = center & form.sign, abs_bits(center, form), math.ceil(ulps)
    low, high = max(size - steps, 0), min(size + steps, form.infinity)
    if size < 1 << form.fraction_bits or low < 1 << form.fraction_bits:
        # Small results may be flushed: LLVM scales around these instructions because they are.
        low = 0
    return Choice(low=top | (high if top else low), high=top | (low if top else high))


def abs_bits(bits: int, form: n.Format) -> int:
    return bits & (form.sign - 1)


def transcendental(function: Callable[[float], float], form: n.Format, ulps: float):
    """A subnormal source may count as zero."""

    def run(m: Machine, a: int) -> Choice | tuple[Choice, ...]:
        result = near(function(n.to_float(a, form)), form, ulps)
        if n.is_subnormal(a, form):
            flushed = near(function(math.copysign(0.0, n.to_float(a, form))), form, ulps)
            return Choice((result, flushed))
        return result

    return run


def reciprocal(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else 1 / x


def root(x: float) -> float:
    return math.nan if x < 0 else math.sqrt(x)


def reciprocal_root(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    return math.nan if x < 0 or math.isnan(x) else 1 / math.sqrt(x)


def log2(x: float) -> float:
    if x == 0:
        return -math.inf
    return math.nan if x < 0 or math.isnan(x) else math.inf if math.isinf(x) else math.log2(x)


def exp2(x: float) -> float:
    if math.isnan(x):
        return math.nan
    return math.inf if x >= 1024 else 0.0 if x < -1100 else 2.0**x


FUNCTIONS = {"rcp": reciprocal, "sqrt": root, "rsq": reciprocal_root, "log": log2, "exp": exp2}
for word, function in FUNCTIONS.items():
    for kind in ("f32", "f16"):
        form = FORMS[kind]
        # One ulp is what the manuals give; 1/sqrt and log2 of gfx9 state the same.
        define(
            f"v_{word}_{kind} v_s_{word}_{kind}",
            kind,
            kind,
            transcendental(function, form, 1),
            exact=False,
        )
define("v_rcp_iflag_f32", "f32", "f32", transcendental(reciprocal, F32, 1), exact=False)
define("v_exp_legacy_f32", "f32", "f32", transcendental(exp2, F32, 1), exact=False)
define("v_log_legacy_f32", "f32", "f32", transcendental(log2, F32, 1), exact=False)
for word in ("rcp", "rsq", "sqrt"):
    define(
        f"v_{word}_f64", "f64", "f64", transcendental(FUNCTIONS[word], F64, 2.0**29), exact=False
    )


def wave_function(function: Callable[[float], float], form: n.Format):
    """Revolutions; an absolute error of the format's precision. Beyond 256 the chips differ."""

    def run(m: Machine, a: int) -> Choice:
        x = n.to_float(a, form)
        if math.isnan(x) or math.isinf(x):
            return Choice((form.nan,))
        if abs(x) > 256:
            return Choice(low=n.from_float(-1.0, form), high=n.from_float(1.0, form))
        value = function(2 * math.pi * math.fmod(x, 1.0))
        error = 2.0 ** (-20 if form is F32 else -9)
        return Choice(low=n.from_float(value - error, form), high=n.from_float(value + error, form))

    return run


for word, function in (("sin", math.sin), ("cos", math.cos)):
    for kind in ("f32", "f16"):
        define(f"v_{word}_{kind}", kind, kind, wave_function(function, FORMS[kind]), exact=False)
