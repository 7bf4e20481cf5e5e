"""Integer and bit operations of the vector unit (ISA guides, "VALU instructions")."""

from __future__ import annotations

from .reference import Machine, define, signed

M32, M64 = 0xFFFFFFFF, (1 << 64) - 1
GFX9, GFX11, GFX12 = "gfx9", "gfx11", "gfx12"
RDNA = "gfx11 gfx12"

# Moves and bits ---------------------------------------------------------------------------------
define("v_mov_b32", "b32", "b32", lambda m, a: a)
define("v_mov_b64", "b64", "b64", lambda m, a: a)
define("v_mov_b16", "b16", "b16", lambda m, a: a)
define("v_not_b32", "b32", "b32", lambda m, a: ~a)
define("v_not_b16", "b16", "b16", lambda m, a: ~a)
define("v_bfrev_b32", "b32", "b32", lambda m, a: int(f"{a:032b}"[::-1], 2))
for size in ("b16", "b32"):
    define(f"v_and_{size}", size, f"{size} {size}", lambda m, a, b: a & b)
    define(f"v_or_{size}", size, f"{size} {size}", lambda m, a, b: a | b)
    define(f"v_xor_{size}", size, f"{size} {size}", lambda m, a, b: a ^ b)
define("v_xnor_b32", "b32", "b32 b32", lambda m, a, b: ~(a ^ b))


def first_bit(a: int, from_top: bool) -> int:
    if a == 0:
        return -1
    return 32 - a.bit_length() if from_top else (a & -a).bit_length() - 1


def first_sign_change(m: Machine, a: int) -> int:
    """Bits from the top that equal the sign; -1 when all do."""
    a = ~a & M32 if a >> 31 else a
    return 32 - a.bit_length() if a else -1


define("v_ffbh_u32 v_clz_i32_u32", "i32", "b32", lambda m, a: first_bit(a, True))
define("v_ffbl_b32 v_ctz_i32_b32", "i32", "b32", lambda m, a: first_bit(a, False))
define("v_ffbh_i32 v_cls_i32", "i32", "b32", first_sign_change)
define("v_bcnt_u32_b32", "b32", "b32 b32", lambda m, a, b: a.bit_count() + b)
define("v_bfm_b32", "b32", "b32 b32", lambda m, a, b: ((1 << (a & 31)) - 1) << (b & 31))
define("v_bfi_b32", "b32", "b32 b32 b32", lambda m, a, b, c: (a & b) | (~a & c))
define(
    "v_bfe_u32", "b32", "b32 b32 b32", lambda m, a, b, c: (a >> (b & 31)) & ((1 << (c & 31)) - 1)
)
define(
    "v_bfe_i32",
    "b32",
    "i32 b32 b32",
    lambda m, a, b, c: signed(a >> (b & 31), c & 31) if c & 31 else 0,
)
define("v_alignbit_b32", "b32", "b32 b32 b32", lambda m, a, b, c: (a << 32 | b) >> (c & 31))
define("v_alignbyte_b32", "b32", "b32 b32 b32", lambda m, a, b, c: (a << 32 | b) >> 8 * (c & 3))


def mbcnt(m: Machine, mask: int, low: bool) -> int:
    below = (1 << m.lane) - 1
    return (mask & (below & M32 if low else below >> 32)).bit_count()


define("v_mbcnt_lo_u32_b32", "b32", "b32 b32", lambda m, a, b: mbcnt(m, a, True) + b)
define("v_mbcnt_hi_u32_b32", "b32", "b32 b32", lambda m, a, b: mbcnt(m, a, False) + b)


def perm(m: Machine, a: int, b: int, select: int) -> int:
    data = a << 32 | b
    result = 0
    for i in range(4):
        s = select >> 8 * i & 0xFF
        if s >= 13:
            byte = 0xFF
        elif s == 12:
            byte = 0
        elif s >= 8:
            byte = 0xFF if data >> (16 * (s - 8) + 15) & 1 else 0
        else:
            byte = data >> 8 * s & 0xFF
        result |= byte << 8 * i
    return result


define("v_perm_b32", "b32", "b32 b32 b32", perm)


def bitop3(m: Machine, a: int, b: int, c: int) -> int:
    table = int(m.instruction.get("bitop3", 0))
    result = 0
    for i in range(8):
        if table >> i & 1:
            result |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
    return result


define("v_bitop3_b32", "b32", "b32 b32 b32", bitop3)
define("v_bitop3_b16", "b16", "b16 b16 b16", bitop3)

# Shifts -----------------------------------------------------------------------------------------
define("v_lshlrev_b32", "b32", "b32 b32", lambda m, a, b: b << (a & 31))
define("v_lshrrev_b32", "b32", "b32 b32", lambda m, a, b: b >> (a & 31))
define("v_ashrrev_i32", "b32", "b32 i32", lambda m, a, b: b >> (a & 31))
define("v_lshlrev_b64", "b64", "b32 b64", lambda m, a, b: b << (a & 63))
define("v_lshrrev_b64", "b64", "b32 b64", lambda m, a, b: b >> (a & 63))
define("v_ashrrev_i64", "b64", "b32 i64", lambda m, a, b: b >> (a & 63))
define("v_lshlrev_b16", "b16", "b16 b16", lambda m, a, b: b << (a & 15))
define("v_lshrrev_b16", "b16", "b16 b16", lambda m, a, b: b >> (a & 15))
define("v_ashrrev_i16", "b16", "b16 i16", lambda m, a, b: b >> (a & 15))

# Additions --------------------------------------------------------------------------------------
define("v_add_u32 v_add_nc_u32", "u32", "u32 u32", lambda m, a, b: a + b)
define("v_sub_u32 v_sub_nc_u32", "u32", "u32 u32", lambda m, a, b: a - b)
define("v_subrev_u32 v_subrev_nc_u32", "u32", "u32 u32", lambda m, a, b: b - a)
define("v_add_i32 v_add_nc_i32", "i32", "i32 i32", lambda m, a, b: a + b)
define("v_sub_i32 v_sub_nc_i32", "i32", "i32 i32", lambda m, a, b: a - b)
define("v_add_u16 v_add_nc_u16", "u16", "u16 u16", lambda m, a, b: a + b)
define("v_sub_u16 v_sub_nc_u16", "u16", "u16 u16", lambda m, a, b: a - b)
define("v_subrev_u16", "u16", "u16 u16", lambda m, a, b: b - a)
define("v_add_i16 v_add_nc_i16", "i16", "i16 i16", lambda m, a, b: a + b)
define("v_sub_i16 v_sub_nc_i16", "i16", "i16 i16", lambda m, a, b: a - b)
define("v_add_co_u32", "u32 mask", "u32 u32", lambda m, a, b: (a + b, (a + b) >> 32))
define("v_sub_co_u32", "u32 mask", "u32 u32", lambda m, a, b: (a - b, a < b))
define("v_subrev_co_u32", "u32 mask", "u32 u32", lambda m, a, b: (b - a, b < a))
define(
    "v_addc_co_u32 v_add_co_ci_u32",
    "u32 mask",
    "u32 u32 mask",
    lambda m, a, b, c: (a + b + c, (a + b + c) >> 32),
)
define(
    "v_subb_co_u32 v_sub_co_ci_u32",
    "u32 mask",
    "u32 u32 mask",
    lambda m, a, b, c: (a - b - c, a < b + c),
)
define(
    "v_subbrev_co_u32 v_subrev_co_ci_u32",
    "u32 mask",
    "u32 u32 mask",
    lambda m, a, b, c: (b - a - c, b < a + c),
)
define("v_add3_u32", "u32", "u32 u32 u32", lambda m, a, b, c: a + b + c)
define("v_add_lshl_u32", "b32", "b32 b32 b32", lambda m, a, b, c: (a + b) << (c & 31))
define("v_lshl_add_u32", "b32", "b32 b32 b32", lambda m, a, b, c: (a << (b & 31)) + c)
define("v_lshl_or_b32", "b32", "b32 b32 b32", lambda m, a, b, c: (a << (b & 31)) | c)
define("v_and_or_b32", "b32", "b32 b32 b32", lambda m, a, b, c: (a & b) | c)
define("v_or3_b32", "b32", "b32 b32 b32", lambda m, a, b, c: a | b | c)
define("v_xor3_b32", "b32", "b32 b32 b32", lambda m, a, b, c: a ^ b ^ c)
define("v_xad_u32", "b32", "b32 b32 b32", lambda m, a, b, c: (a ^ b) + c)
define("v_lshl_add_u64", "b64", "b64 b32 b64", lambda m, a, b, c: (a << (b & 7)) + c)

# Products ---------------------------------------------------------------------------------------
define("v_mul_lo_u32", "b32", "u32 u32", lambda m, a, b: a * b)
define("v_mul_hi_u32", "b32", "u32 u32", lambda m, a, b: a * b >> 32)
define("v_mul_hi_i32", "b32", "i32 i32", lambda m, a, b: a * b >> 32)
define("v_mul_i32_i24", "i32", "i24 i24", lambda m, a, b: a * b)
define("v_mul_hi_i32_i24", "b32", "i24 i24", lambda m, a, b: a * b >> 32)
define("v_mul_u32_u24", "u32", "u24 u24", lambda m, a, b: a * b)
define("v_mul_hi_u32_u24", "b32", "u24 u24", lambda m, a, b: a * b >> 32)
define("v_mad_u32_u24", "u32", "u24 u24 u32", lambda m, a, b, c: a * b + c)
define("v_mad_i32_i24", "i32", "i24 i24 i32", lambda m, a, b, c: a * b + c)
define("v_mad_u32_u16", "u32", "u16 u16 u32", lambda m, a, b, c: a * b + c)
define("v_mad_i32_i16", "i32", "i16 i16 i32", lambda m, a, b, c: a * b + c)
define("v_mad_u16 v_mad_legacy_u16", "u16", "u16 u16 u16", lambda m, a, b, c: a * b + c)
define("v_mad_i16 v_mad_legacy_i16", "i16", "i16 i16 i16", lambda m, a, b, c: a * b + c)
define("v_mul_lo_u16", "u16", "u16 u16", lambda m, a, b: a * b)
define(
    "v_mad_u64_u32 v_mad_co_u64_u32",
    "u64 mask",
    "u32 u32 u64",
    lambda m, a, b, c: (a * b + c, (a * b + c) >> 64 & 1),
)
define(
    "v_mad_i64_i32 v_mad_co_i64_i32",
    "i64 mask",
    "i32 i32 i64",
    lambda m, a, b, c: (a * b + c, (a * b + c) >> 64 & 1),
)

# Orders -----------------------------------------------------------------------------------------
for kind in ("u32", "i32", "u16", "i16"):
    define(f"v_min_{kind}", kind, f"{kind} {kind}", lambda m, a, b: min(a, b))
    define(f"v_max_{kind}", kind, f"{kind} {kind}", lambda m, a, b: max(a, b))
    three = f"{kind} {kind} {kind}"
    define(f"v_min3_{kind}", kind, three, lambda m, a, b, c: min(a, b, c))
    define(f"v_max3_{kind}", kind, three, lambda m, a, b, c: max(a, b, c))
    define(f"v_med3_{kind}", kind, three, lambda m, a, b, c: sorted((a, b, c))[1])
    define(f"v_minmax_{kind}", kind, three, lambda m, a, b, c: max(min(a, b), c))
    define(f"v_maxmin_{kind}", kind, three, lambda m, a, b, c: min(max(a, b), c))

RELATIONS = {
    "f": lambda a, b: False,
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "t": lambda a, b: True,
}
for relation, holds in RELATIONS.items():
    for kind in ("u16", "i16", "u32", "i32", "u64", "i64"):
        define(
            f"v_cmp_{relation}_{kind} v_cmpx_{relation}_{kind}",
            "mask",
            f"{kind} {kind}",
            lambda m, a, b, holds=holds: holds(a, b),
        )

define("v_cndmask_b32", "b32", "s32 s32 mask", lambda m, a, b, c: b if c else a)
define("v_cndmask_b16", "b16", "s16 s16 mask", lambda m, a, b, c: b if c else a)

# Sums of absolute differences -------------------------------------------------------------------


def byte(value: int, i: int) -> int:
    return value >> 8 * i & 0xFF


def sad8(a: int, b: int, masked: bool = False) -> int:
    return sum(abs(byte(a, i) - byte(b, i)) for i in range(4) if not masked or byte(b, i))


def quad_sad(a: int, b: int, c: int, bits: int, masked: bool, clamp: bool) -> int:
    result = 0
    for i in range(4):
        total = sad8(a >> 8 * i & M32, b, masked) + (c >> bits * i & ((1 << bits) - 1))
        if clamp:
            total = min(total, (1 << bits) - 1)
        result |= (total & ((1 << bits) - 1)) << bits * i
    return result


define("v_sad_u8", "u32", "b32 b32 u32", lambda m, a, b, c: sad8(a, b) + c)
define("v_msad_u8", "u32", "b32 b32 u32", lambda m, a, b, c: sad8(a, b, True) + c)
define("v_sad_hi_u8", "u32", "b32 b32 u32", lambda m, a, b, c: (sad8(a, b) << 16) + c)
define(
    "v_sad_u16",
    "u32",
    "b32 b32 u32",
    lambda m, a, b, c: abs((a & 0xFFFF) - (b & 0xFFFF)) + abs((a >> 16) - (b >> 16)) + c,
)
define("v_sad_u32", "u32", "u32 u32 u32", lambda m, a, b, c: abs(a - b) + c)


def clamps(m: Machine) -> bool:
    return bool(m.instruction.get("clamp"))


define(
    "v_qsad_pk_u16_u8",
    "b64",
    "b64 b32 b64",
    lambda m, a, b, c: quad_sad(a, b, c, 16, False, clamps(m)),
)
define(
    "v_mqsad_pk_u16_u8",
    "b64",
    "b64 b32 b64",
    lambda m, a, b, c: quad_sad(a, b, c, 16, True, clamps(m)),
)
define(
    "v_mqsad_u32_u8",
    "b128",
    "b64 b32 b128",
    lambda m, a, b, c: quad_sad(a, b, c, 32, True, clamps(m)),
)
define(
    "v_lerp_u8",
    "b32",
    "b32 b32 b32",
    lambda m, a, b, c: sum(
        ((byte(a, i) + byte(b, i) + (byte(c, i) & 1)) >> 1) << 8 * i for i in range(4)
    ),
)


def saturate(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)


define(
    "v_sat_pk_u8_i16",
    "b16",
    "b32",
    lambda m, a: saturate(signed(a, 16), 0, 255) | saturate(signed(a >> 16, 16), 0, 255) << 8,
)
define(
    "v_ashr_pk_i8_i32",
    "b16",
    "i32 i32 b32",
    lambda m, a, b, c: (
        (saturate(a >> (c & 31), -128, 127) & 0xFF)
        | (saturate(b >> (c & 31), -128, 127) & 0xFF) << 8
    ),
)
define(
    "v_ashr_pk_u8_i32",
    "b16",
    "i32 i32 b32",
    lambda m, a, b, c: saturate(a >> (c & 31), 0, 255) | saturate(b >> (c & 31), 0, 255) << 8,
)
define(
    "v_cvt_pk_u16_u32",
    "b32",
    "u32 u32",
    lambda m, a, b: min(a, 0xFFFF) | min(b, 0xFFFF) << 16,
)
define(
    "v_cvt_pk_i16_i32",
    "b32",
    "i32 i32",
    lambda m, a, b: (
        (saturate(a, -0x8000, 0x7FFF) & 0xFFFF) | (saturate(b, -0x8000, 0x7FFF) & 0xFFFF) << 16
    ),
)
define("v_cvt_i32_i16", "b32", "i16", lambda m, a: a)
define("v_cvt_u32_u16", "b32", "u16", lambda m, a: a)
define("v_pack_b32_f16", "b32", "f16 f16", lambda m, a, b: a | b << 16)


def prng(m: Machine, a: int) -> int:
    return (a << 1) ^ (0xC5 if a >> 31 else 0)


define("v_prng_b32", "b32", "b32", prng)

# Packed -----------------------------------------------------------------------------------------
for kind in ("u16", "i16"):
    pair, triple = f"{kind} {kind}", f"{kind} {kind} {kind}"
    define(f"v_pk_add_{kind}", f"pk{kind}", pair, lambda m, a, b: a + b)
    define(f"v_pk_sub_{kind}", f"pk{kind}", pair, lambda m, a, b: a - b)
    define(f"v_pk_min_{kind}", f"pk{kind}", pair, lambda m, a, b: min(a, b))
    define(f"v_pk_max_{kind}", f"pk{kind}", pair, lambda m, a, b: max(a, b))
    define(f"v_pk_mad_{kind}", f"pk{kind}", triple, lambda m, a, b, c: a * b + c)
define("v_pk_mul_lo_u16", "pku16", "u16 u16", lambda m, a, b: a * b)
define("v_pk_lshlrev_b16", "pkb16", "u16 u16", lambda m, a, b: b << (a & 15))
define("v_pk_lshrrev_b16", "pkb16", "u16 u16", lambda m, a, b: b >> (a & 15))
define("v_pk_ashrrev_i16", "pkb16", "u16 i16", lambda m, a, b: b >> (a & 15))
