"""Matrix arithmetic of AMD's chips, stated a second time.

Written from the published characterisations (MMA-Sim for CDNA3; ROCm/rocm-systems issue 12056 for
gfx11 and gfx12), not from the emulator's source. Every finite number is a Python integer: factors
in units of 2**-150, products and sums in units of 2**-300, so nothing here rounds by accident.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

FACTOR_UNIT = -150
UNIT = -300

QUIET_NAN = 0x7FC00000  # CDNA: assumed, nobody has published its NaN
FACTOR_NAN = 0xFFC00A3D
INVALID_NAN = 0xFFC00000


class Format(NamedTuple):
    exponent_bits: int
    fraction_bits: int
    bias: int
    specials: str  # "ieee", "all ones" (one NaN magnitude, no infinity), "minus zero" (one NaN)

    @property
    def sign(self) -> int:
        return 1 << (self.exponent_bits + self.fraction_bits)

    @property
    def smallest(self) -> int:
        """The exponent of subnormals and of the smallest normal numbers."""
        return 1 - self.bias


F32 = Format(8, 23, 127, "ieee")
XF32 = Format(8, 10, 127, "ieee")
F16 = Format(5, 10, 15, "ieee")
BF16 = Format(8, 7, 127, "ieee")
FP8 = Format(4, 3, 7, "all ones")
BF8 = Format(5, 2, 15, "ieee")
FP8_FNUZ = Format(4, 3, 8, "minus zero")
BF8_FNUZ = Format(5, 2, 16, "minus zero")


@dataclass(frozen=True)
class Number:
    """`units` carries the sign of what is not zero; `negative` that of zeros too."""

    units: int
    exponent: int
    negative: bool
    nan: bool = False
    infinite: bool = False


def decode(bits: int, form: Format, unit: int = FACTOR_UNIT) -> Number:
    negative = bool(bits & form.sign)
    magnitude = bits & (form.sign - 1)
    field, fraction = divmod(magnitude, 1 << form.fraction_bits)
    top = (1 << form.exponent_bits) - 1
    if form.specials == "minus zero":
        if bits & (2 * form.sign - 1) == form.sign:
            return Number(0, 0, True, nan=True)
    elif form.specials == "all ones":
        if magnitude == form.sign - 1:
            return Number(0, 0, negative, nan=True)
    elif field == top:
        return Number(0, 0, negative, nan=fraction != 0, infinite=fraction == 0)
    exponent = max(field, 1) - form.bias
    significand = fraction + (1 << form.fraction_bits if field else 0)
    units = significand << (exponent - form.fraction_bits - unit)
    return Number(-units if negative else units, exponent, negative)


def leading(units: int) -> int:
    """Exponent of the leading bit of a number in units of 2**UNIT; far below everything for 0."""
    return abs(units).bit_length() - 1 + UNIT if units else -(10**6)


def cut(units: int, grid: int) -> int:
    """Toward zero, to multiples of 2**grid."""
    step = 1 << max(grid - UNIT, 0)
    return (abs(units) // step) * step * (1 if units >= 0 else -1)


def floor(units: int, grid: int) -> int:
    step = 1 << max(grid - UNIT, 0)
    return (units // step) * step


def nearest(units: int, form: Format) -> int:
    """The bits of the nearest number, ties to even, subnormals kept, sign of what is not zero."""
    if units == 0:
        return 0
    sign = form.sign if units < 0 else 0
    exponent = max(leading(units), form.smallest)
    step = 1 << (exponent - form.fraction_bits - UNIT)
    count, rest = divmod(abs(units), step)
    if 2 * rest > step or (2 * rest == step and count % 2):
        count += 1
    if count == 2 << form.fraction_bits:
        count, exponent = count // 2, exponent + 1
    if exponent > form.bias:
        return sign | ((1 << form.exponent_bits) - 1) << form.fraction_bits
    field = exponent + form.bias if count >> form.fraction_bits else 0
    return sign | field << form.fraction_bits | count & ((1 << form.fraction_bits) - 1)


def infinity(negative: bool) -> int:
    return 0xFF800000 if negative else 0x7F800000


# CDNA -----------------------------------------------------------------------------------------


def cdna_products(a: list[Number], b: list[Number]) -> tuple[int, int]:
    """Sum of products cut to 24 bits below the largest exponent, and that exponent."""
    exponents = [
        x.exponent + y.exponent if x.units and y.units else -126 for x, y in zip(a, b, strict=True)
    ]
    top = max(exponents)
    return sum(cut(x.units * y.units, top - 24) for x, y in zip(a, b, strict=True)), top


def cdna_group(a: list[Number], b: list[Number], c_bits: int, byte_formats: bool) -> int:
    c = decode(c_bits, F32, UNIT)
    nan = c.nan
    infinities = {c.negative} if c.infinite else set()
    overflows = set()
    for x, y in zip(a, b, strict=True):
        sign = x.negative != y.negative
        if x.nan or y.nan:
            nan = True
        elif x.infinite or y.infinite:
            if (not x.infinite and x.units == 0) or (not y.infinite and y.units == 0):
                nan = True
            infinities.add(sign)
        elif abs(x.units * y.units) >= 1 << (128 - UNIT):
            overflows.add(sign)
    if nan or len(infinities) == 2:
        return QUIET_NAN
    if infinities:
        return infinity(infinities.pop())
    if overflows:
        return QUIET_NAN if len(overflows) == 2 else infinity(overflows.pop())

    if byte_formats:
        even, even_top = cdna_products(a[0::2], b[0::2])
        odd, odd_top = cdna_products(a[1::2], b[1::2])
        top = max(even_top, odd_top)
        total = floor(even, top - 24) + floor(odd, top - 24)
    else:
        total, top = cdna_products(a, b)
    c_exponent = c.exponent if c.units else -126
    grid = max(top, c_exponent)
    total = floor(total, grid - 31)
    if not byte_formats or c_exponent >= grid - 25:
        total += floor(c.units, grid - 24)
    return nearest(total, F32)


def cdna_dot(a: list[int], b: list[int], c: int, fa: Format, fb: Format, group: int) -> int:
    if fa is XF32:
        a, b = [x >> 13 for x in a], [x >> 13 for x in b]
    for k in range(0, len(a), group):
        c = cdna_group(
            [decode(x, fa) for x in a[k : k + group]],
            [decode(x, fb) for x in b[k : k + group]],
            c,
            fa.sign == 0x80,
        )
    return c


def fma_chain(a: list[int], b: list[int], c: int) -> int:
    for x_bits, y_bits in zip(a, b, strict=True):
        x, y, z = decode(x_bits, F32), decode(y_bits, F32), decode(c, F32, UNIT)
        sign = x.negative != y.negative
        x_zero = not x.infinite and x.units == 0
        y_zero = not y.infinite and y.units == 0
        infinite = x.infinite or y.infinite
        if x.nan or y.nan or z.nan or (infinite and (x_zero or y_zero)):
            c = QUIET_NAN
        elif infinite:
            c = QUIET_NAN if z.infinite and z.negative != sign else infinity(sign)
        elif not z.infinite:
            total = x.units * y.units + z.units
            if total == 0:  # IEEE: -0 only when product and addend are both negative
                both = sign and z.negative if x_zero or y_zero else False
                c = 0x80000000 if both and z.units == 0 else 0
            else:
                c = nearest(total, F32)
    return c


# RDNA -----------------------------------------------------------------------------------------


def widened(bits: int, form: Format) -> int:
    if form is F32:
        return bits
    if form is BF16:
        return bits << 16
    number = decode(bits, F16, UNIT)
    sign = 0x80000000 if number.negative else 0
    if number.nan or number.infinite:
        return sign | 0x7F800000 | (bits & 0x3FF) << 13
    return sign | nearest(abs(number.units), F32)


def rdna_special(a: list[Number], b: list[Number], c_bits: int, invalid_nan: int) -> int | None:
    pairs = list(zip(a, b, strict=True))
    if any(x.nan or y.nan for x, y in pairs):
        return FACTOR_NAN
    infinities = set()
    for x, y in pairs:
        if x.infinite or y.infinite:
            if (not x.infinite and x.units == 0) or (not y.infinite and y.units == 0):
                return invalid_nan
            infinities.add(x.negative != y.negative)
    c = decode(c_bits, F32, UNIT)
    if len(infinities) == 2:
        return invalid_nan
    if c.nan:
        return c_bits | 0x00400000
    if c.infinite:
        infinities.add(c.negative)
    if len(infinities) == 2:
        return invalid_nan
    return infinity(infinities.pop()) if infinities else None


def narrowed_special(bits: int, form: Format) -> int:
    if form is F32:
        return bits
    if form is BF16:
        return 0xFFFD if bits == FACTOR_NAN else bits >> 16
    return 0xFE3D if bits == FACTOR_NAN else bits >> 16 & 0x8000 | 0x7C00 | bits >> 13 & 0x3FF


def rdna_result(units: int, form: Format, flush: bool) -> int:
    """Rounds once; what becomes nothing is +0; packed bf16 cuts the f32 off."""
    if form is F16:
        bits = nearest(units, F16)
        return 0 if bits == 0x8000 else bits
    if flush:
        # The significand is rounded as if there were no smallest exponent, then small results go.
        wide = Format(11, 23, 1023, "ieee")
        if units and abs(units) < 1 << (-126 - UNIT):
            scaled = nearest(units << 200, wide)
            exponent = (scaled >> 23 & 0x7FF) - 1023 - 200
            bits = 0 if exponent < -126 else (0x80800000 if units < 0 else 0x00800000)
        else:
            bits = nearest(units, F32)
    else:
        bits = nearest(units, F32)
        bits = 0 if bits == 0x80000000 else bits
    return bits >> 16 if form is BF16 else bits


def rdna3_step(a: list[int], b: list[int], c_bits: int, form: Format, result: Format) -> int:
    def factor(bits: int) -> Number:
        number = decode(bits, form)
        subnormal = form is BF16 and bits & 0x7F80 == 0
        return Number(0, number.exponent, number.negative) if subnormal else number

    c_bits = widened(c_bits, result)
    left, right = [factor(x) for x in a], [factor(x) for x in b]
    special = rdna_special(left, right, c_bits, INVALID_NAN)
    if special is not None:
        return narrowed_special(special, result)
    c = decode(c_bits, F32, UNIT)
    c_units = c.units if c_bits & 0x7F800000 else 0
    products = [x.units * y.units for x, y in zip(left, right, strict=True)]
    if not c_units and not any(products):
        return 0
    c_leading = leading(c_units)
    if result is F16:
        c_leading = max(c_leading, -14)
    grid = max([c_leading, *map(leading, products)]) - 26
    for x, y, p in zip(left, right, products, strict=True):
        if p:
            grid = max(grid, x.exponent + y.exponent - 24)
    # The three magnitudes, counted on the grid; those against C's sign are complemented.
    step = 1 << (grid - UNIT)
    count = abs(c_units) // step
    for x, y, p in zip(left, right, products, strict=True):
        magnitude = abs(p) // step
        opposed = (x.negative != y.negative) != c.negative
        count += -magnitude - 1 if opposed else magnitude
    return rdna_result((-count if c.negative else count) * step, result, flush=True)


def rdna4_step(
    a: list[int], b: list[int], c_bits: int, fa: Format, fb: Format, result: Format
) -> int:
    byte_formats = fa.sign == 0x80
    c_bits = widened(c_bits, result)
    left, right = [decode(x, fa) for x in a], [decode(x, fb) for x in b]
    invalid = FACTOR_NAN if byte_formats else INVALID_NAN
    special = rdna_special(left, right, c_bits, invalid)
    if special is not None:
        return narrowed_special(special, result)
    c = decode(c_bits, F32, UNIT)
    lowest = -14 if result is F16 else -126
    grid = max(lowest, leading(c.units)) - 26
    group = len(a) if byte_formats else 2
    sums = []
    for first in range(0, len(a), group):
        pairs = [
            (x, y)
            for x, y in zip(left[first : first + group], right[first : first + group], strict=True)
            if x.units and y.units
        ]
        if pairs:
            own = max(x.exponent + y.exponent for x, y in pairs) - 24
            sums.append(sum(floor(x.units * y.units, own) for x, y in pairs))
            grid = max(grid, own)
    total = floor(c.units, grid)
    if grid > lowest and cut(c.units, grid) == 0:
        total = 0
    total += sum(floor(s, grid) for s in sums)
    return rdna_result(total, result, flush=False)


# Integers -------------------------------------------------------------------------------------


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def integer_dot(
    a: list[int], b: list[int], c: int, bits: int, signed_a: bool, signed_b: bool, clamp: bool
) -> int:
    mask = (1 << bits) - 1
    total = signed(c, 32)
    for x, y in zip(a, b, strict=True):
        left = signed(x, bits) if signed_a else x & mask
        right = signed(y, bits) if signed_b else y & mask
        total += left * right
    if clamp:
        total = min(max(total, -(1 << 31)), (1 << 31) - 1)
    return total & 0xFFFFFFFF
