"""Floating point on bit patterns, exact until the one rounding that an operation has.

Numbers are Python integers: a finite value is `sign, significand, exponent` for
(-1)**sign * significand * 2**exponent. Nothing here is taken from the emulator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

NEAREST, UP, DOWN, ZERO = range(4)  # the encoding of MODE.round


class Format(NamedTuple):
    name: str
    bits: int
    exponent_bits: int
    fraction_bits: int
    bias: int
    # "ieee"; "ones": only all ones is a NaN and there is no infinity; "minus zero": that pattern is
    # the NaN; "none": every pattern is a number.
    specials: str = "ieee"

    @property
    def sign(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def quiet(self) -> int:
        return 1 << (self.fraction_bits - 1)

    @property
    def nan(self) -> int:
        if self.specials == "ieee":
            return self.infinity | self.quiet
        return self.sign if self.specials == "minus zero" else self.sign - 1

    @property
    def largest(self) -> int:
        if self.specials == "ieee":
            return self.infinity - 1
        return self.sign - (2 if self.specials == "ones" else 1)

    @property
    def smallest_exponent(self) -> int:
        return 1 - self.bias


F64 = Format("f64", 64, 11, 52, 1023)
F32 = Format("f32", 32, 8, 23, 127)
F16 = Format("f16", 16, 5, 10, 15)
BF16 = Format("bf16", 16, 8, 7, 127)
FP8 = Format("fp8", 8, 4, 3, 7, "ones")
BF8 = Format("bf8", 8, 5, 2, 15)
FP8_FNUZ = Format("fp8_fnuz", 8, 4, 3, 8, "minus zero")
BF8_FNUZ = Format("bf8_fnuz", 8, 5, 2, 16, "minus zero")
FP6 = Format("fp6", 6, 2, 3, 1, "none")
BF6 = Format("bf6", 6, 3, 2, 3, "none")
FP4 = Format("fp4", 4, 2, 1, 1, "none")


@dataclass(frozen=True)
class Number:
    kind: str  # "finite", "inf", "nan"
    sign: int
    significand: int = 0
    exponent: int = 0

    @property
    def zero(self) -> bool:
        return self.kind == "finite" and self.significand == 0

    def units(self, exponent: int) -> int:
        """The signed value counted in units of 2**exponent, which must not exceed its own."""
        value = self.significand << (self.exponent - exponent)
        return -value if self.sign else value


@lru_cache(maxsize=1 << 16)
def decode(bits: int, form: Format) -> Number:
    bits &= form.mask
    sign = bits >> (form.bits - 1)
    magnitude = bits & (form.sign - 1)
    field, fraction = divmod(magnitude, 1 << form.fraction_bits)
    if form.specials == "ieee":
        if field == (1 << form.exponent_bits) - 1:
            return Number("nan" if fraction else "inf", sign)
    elif form.specials == "ones":
        if magnitude == form.sign - 1:
            return Number("nan", sign)
    elif form.specials == "minus zero" and bits == form.sign:
        return Number("nan", sign)
    significand = fraction + ((1 << form.fraction_bits) if field else 0)
    return Number("finite", sign, significand, max(field, 1) - form.bias - form.fraction_bits)


def is_nan(bits: int, form: Format) -> bool:
    return decode(bits, form).kind == "nan"


def is_signalling(bits: int, form: Format) -> bool:
    return is_nan(bits, form) and not bits & form.quiet


def is_subnormal(bits: int, form: Format) -> bool:
    magnitude = bits & (form.sign - 1)
    return 0 < magnitude < 1 << form.fraction_bits


def count_steps(significand: int, exponent: int, step: int) -> tuple[int, int]:
    """How often 2**step goes into the number, and 0, 1, 2, 3 for a rest of 0, <1/2, 1/2, >1/2."""
    shift = step - exponent
    if shift <= 0:
        return significand << -shift, 0
    count = significand >> shift
    rest = significand - (count << shift)
    half = 1 << (shift - 1)
    return count, 0 if not rest else 1 if rest < half else 2 if rest == half else 3


def encode(
    sign: int,
    significand: int,
    exponent: int,
    form: Format,
    rounding: int = NEAREST,
    overflow: str = "ieee",
) -> int:
    """The one rounding. `overflow`: "ieee", or "saturate" to the largest finite number."""
    top = form.sign if sign else 0
    if significand == 0:
        return top if form.specials != "minus zero" else 0
    leading = significand.bit_length() - 1 + exponent
    step = max(leading, form.smallest_exponent) - form.fraction_bits
    count, rest = count_steps(significand, exponent, step)
    up = (
        rest == 3 or (rest == 2 and count & 1)
        if rounding == NEAREST
        else bool(rest) and rounding == (DOWN if sign else UP)
    )
    count += up
    if count >> (form.fraction_bits + 1):
        count >>= 1
        step += 1
    field = step + form.fraction_bits + form.bias if count >> form.fraction_bits else 0
    bits = (field << form.fraction_bits) + (count & ((1 << form.fraction_bits) - 1))
    if bits > form.largest:
        toward_zero = rounding == ZERO or rounding == (UP if sign else DOWN)
        if (
            overflow == "saturate"
            or form.specials == "none"
            or (toward_zero and form.specials == "ieee")
        ):
            bits = form.largest
        elif form.specials == "ieee":
            bits = form.infinity
        else:
            return form.nan if form.specials == "minus zero" else top | form.nan
    if form.specials == "minus zero" and bits == 0:
        return 0
    return top | bits


def from_integer(value: int, form: Format, rounding: int = NEAREST) -> int:
    return encode(int(value < 0), abs(value), 0, form, rounding)


def from_float(value: float, form: Format, rounding: int = NEAREST) -> int:
    if math.isnan(value):
        return form.nan
    sign = int(math.copysign(1.0, value) < 0)
    if math.isinf(value):
        return (form.sign if sign else 0) | form.infinity
    mantissa, exponent = math.frexp(abs(value))
    return encode(sign, int(mantissa * (1 << 53)), exponent - 53, form, rounding)


def to_float(bits: int, form: Format) -> float:
    number = decode(bits, form)
    if number.kind == "nan":
        return math.nan
    value = math.inf if number.kind == "inf" else math.ldexp(number.significand, number.exponent)
    return -value if number.sign else value


def quieted(bits: int, form: Format) -> int:
    return bits | form.quiet


def add(a: int, b: int, form: Format, rounding: int = NEAREST) -> int:
    return fma_numbers(decode(a, form), Number("finite", 0, 1, 0), decode(b, form), form, rounding)


def multiply(a: int, b: int, form: Format, rounding: int = NEAREST) -> int:
    x, y = decode(a, form), decode(b, form)
    if x.kind == "nan" or y.kind == "nan":
        return form.nan
    sign = x.sign ^ y.sign
    if x.kind == "inf" or y.kind == "inf":
        return form.nan if x.zero or y.zero else (form.sign if sign else 0) | form.infinity
    return encode(sign, x.significand * y.significand, x.exponent + y.exponent, form, rounding)


def fma(a: int, b: int, c: int, form: Format, rounding: int = NEAREST) -> int:
    return fma_numbers(decode(a, form), decode(b, form), decode(c, form), form, rounding)


def fma_numbers(x: Number, y: Number, z: Number, form: Format, rounding: int = NEAREST) -> int:
    """x*y + z, where the three may have had formats of their own."""
    if "nan" in (x.kind, y.kind, z.kind):
        return form.nan
    sign = x.sign ^ y.sign
    if x.kind == "inf" or y.kind == "inf":
        if x.zero or y.zero or (z.kind == "inf" and z.sign != sign):
            return form.nan
        return (form.sign if sign else 0) | form.infinity
    if z.kind == "inf":
        return (form.sign if z.sign else 0) | form.infinity
    product = x.significand * y.significand
    exponent = x.exponent + y.exponent
    unit = min(exponent, z.exponent)
    total = Number("finite", sign, product, exponent).units(unit) + z.units(unit)
    if total == 0:
        if product == 0 and z.zero and sign == z.sign:
            return form.sign if sign else 0
        return form.sign if rounding == DOWN else 0
    return encode(int(total < 0), abs(total), unit, form, rounding)


def sqrt(a: int, form: Format, rounding: int = NEAREST) -> int:
    x = decode(a, form)
    if x.kind == "nan" or (x.sign and not x.zero):
        return form.nan
    if x.kind == "inf" or x.zero:
        return a
    shift = 2 * form.fraction_bits + 8
    shift += (x.exponent - shift) & 1
    scaled = x.significand << shift
    root = math.isqrt(scaled)
    sticky = int(root * root != scaled)
    return encode(0, root << 1 | sticky, (x.exponent - shift) // 2 - 1, form, rounding)


def divide(a: int, b: int, form: Format, rounding: int = NEAREST) -> int:
    x, y = decode(a, form), decode(b, form)
    if x.kind == "nan" or y.kind == "nan":
        return form.nan
    sign = x.sign ^ y.sign
    top = form.sign if sign else 0
    if x.kind == "inf":
        return form.nan if y.kind == "inf" else top | form.infinity
    if y.kind == "inf":
        return top
    if y.zero:
        return form.nan if x.zero else top | form.infinity
    shift = 2 * form.fraction_bits + 60
    quotient, rest = divmod(x.significand << shift, y.significand)
    return encode(
        sign, quotient << 1 | bool(rest), x.exponent - y.exponent - shift - 1, form, rounding
    )


def convert(bits: int, source: Format, target: Format, rounding: int = NEAREST) -> int:
    x = decode(bits, source)
    if x.kind == "nan":
        return target.nan
    if x.kind == "inf":
        return (target.sign if x.sign else 0) | target.infinity
    return encode(x.sign, x.significand, x.exponent, target, rounding)


def round_to_integer(number: Number, rounding: int = NEAREST) -> int:
    """The nearest integer of a finite number under the rounding."""
    count, rest = count_steps(number.significand, number.exponent, 0)
    if rounding == NEAREST:
        count += rest == 3 or (rest == 2 and count & 1)
    else:
        count += bool(rest) and rounding == (DOWN if number.sign else UP)
    return -count if number.sign else count


def to_integer(bits: int, form: Format, low: int, high: int, rounding: int = ZERO) -> int:
    """Saturating; a NaN is 0."""
    x = decode(bits, form)
    if x.kind == "nan":
        return 0
    if x.kind == "inf":
        return low if x.sign else high
    return min(max(round_to_integer(x, rounding), low), high)


def integral(bits: int, form: Format, rounding: int) -> int:
    """trunc, ceil, floor, rndne: a floating number that is an integer, with the sign kept."""
    x = decode(bits, form)
    if x.kind == "nan":
        return form.nan
    if x.kind == "inf" or x.exponent >= 0:
        return bits
    return encode(x.sign, abs(round_to_integer(x, rounding)), 0, form)


def compare(a: int, b: int, form: Format) -> str:
    """ "<", "=", ">" or "u" for unordered."""
    x, y = decode(a, form), decode(b, form)
    if x.kind == "nan" or y.kind == "nan":
        return "u"
    left, right = order_key(a, form), order_key(b, form)
    return "=" if left == right else "<" if left < right else ">"


def order_key(bits: int, form: Format) -> int:
    magnitude = bits & (form.sign - 1)
    return -magnitude if bits & form.sign else magnitude
