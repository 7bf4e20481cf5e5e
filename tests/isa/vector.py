"""What one vector instruction does to a wave, by the references and the rules that all share:
operand modifiers, DPP, SDWA, op_sel, clamp, output modifiers, EXEC.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import numbers as n
from .device import EXEC, VCC
from .reference import FORMATS, Choice, Machine, Op, Packed, bits_of, flush, signed
from .text import Instruction, Operand, float_bits

SDWA_PLACES = {
    "BYTE_0": (0, 8),
    "BYTE_1": (8, 8),
    "BYTE_2": (16, 8),
    "BYTE_3": (24, 8),
    "WORD_0": (0, 16),
    "WORD_1": (16, 16),
    "DWORD": (0, 32),
}
ONE = {n.F16: 0x3C00, n.F32: 0x3F800000, n.F64: 0x3FF0000000000000}

# gfx9 instructions with a 16-bit result that leave the other half: those that have op_sel.
KEEPS_HALF_GFX9 = (
    "v_fma_f16 v_mad_f16 v_mad_u16 v_mad_i16 v_div_fixup_f16 v_add_i16 v_sub_i16 v_fma_mixlo_f16 "
    "v_fma_mixhi_f16 v_bitop3_b16 v_min3_f16 v_max3_f16 v_med3_f16 v_min3_i16 v_max3_i16 "
    "v_med3_i16 v_min3_u16 v_max3_u16 v_med3_u16 v_ashr_pk_i8_i32 v_ashr_pk_u8_i32 "
    "v_minimum3_f16 v_maximum3_f16 v_cvt_pk_fp8_f32 v_cvt_pk_bf8_f32 v_cvt_sr_f16_f32 "
    "v_cvt_sr_bf16_f32"
).split()


@dataclass
class Wave:
    vgpr: dict[int, list[int]]
    sgpr: dict[int, int]
    machine: Machine

    @property
    def exec(self) -> int:
        return self.mask(EXEC)

    def mask(self, index: int) -> int:
        low = self.sgpr.get(index, 0)
        return low if self.machine.wave == 32 else low | self.sgpr.get(index + 1, 0) << 32


DPP_WORDS = set(
    "quad_perm row_shl row_shr row_ror row_mirror row_half_mirror wave_shl wave_rol wave_shr "
    "wave_ror row_bcast row_newbcast row_share row_xmask dpp8".split()
)


def is_dpp(inst: Instruction) -> bool:
    """Compares are printed without the suffix."""
    return bool(DPP_WORDS & set(inst.modifiers))


def dpp_source(inst: Instruction, lane: int, wave: int) -> int | None:
    """The lane that DPP reads, or None when there is none."""
    row, place = lane & ~15, lane & 15
    for key, value in inst.modifiers.items():
        if key == "quad_perm":
            return (lane & ~3) + value[lane & 3]
        if key == "row_shl":
            return lane + value if place + value < 16 else None
        if key == "row_shr":
            return lane - value if place >= value else None
        if key == "row_ror":
            return row + ((place - value) & 15)
        if key == "row_mirror":
            return lane ^ 15
        if key == "row_half_mirror":
            return lane ^ 7
        if key == "wave_shl":
            return lane + 1 if lane + 1 < wave else None
        if key == "wave_rol":
            return (lane + 1) % wave
        if key == "wave_shr":
            return lane - 1 if lane else None
        if key == "wave_ror":
            return (lane - 1) % wave
        if key == "row_bcast":
            if value == 15:
                return row - 1 if lane >= 16 else None
            return 31 if lane >= 32 else None
        if key in ("row_newbcast", "row_share"):
            return row + value
        if key == "row_xmask":
            return lane ^ value
        if key == "dpp8":
            return (lane & ~7) + value[lane & 7]
    return lane


class Evaluation:
    """One instruction on one wave; the destinations come first in `inst.operands`."""

    def __init__(self, inst: Instruction, op: Op, before: Wave) -> None:
        self.inst, self.op, self.before = inst, op, before
        machine = before.machine
        machine.instruction = inst.modifiers
        self.dpp = is_dpp(inst)
        self.sdwa = inst.suffix == "sdwa"
        self.packed = op.dst[0].startswith("pk")
        operands = list(inst.operands)
        implicit_exec = inst.name.startswith("v_cmpx") and machine.generation != "gfx9"
        implicit = Operand("s", EXEC, 1 if machine.wave == 32 else 2) if implicit_exec else None
        self.dst = [implicit] if implicit else operands[: len(op.dst)]
        self.src = operands if implicit else operands[len(op.dst) :]
        # The accumulator is not spelled; v_div_fmas and halves of dual instructions read VCC.
        if len(self.src) < len(op.src):
            if inst.name.startswith(("v_div_fmas", "v_cndmask")):
                self.src.append(Operand("s", VCC))
            else:
                self.src.append(self.dst[0])
        assert len(self.src) == len(op.src), (inst, op)

    # Sources ------------------------------------------------------------------------------------
    def register(self, operand: Operand, lane: int) -> int:
        rows = self.before.vgpr if operand.bank == "v" else self.before.sgpr
        value = 0
        for i in range(operand.dwords):
            row = rows.get(operand.index + i, 0)
            value |= (row[lane] if operand.bank == "v" else row) << 32 * i
        return value

    def literal(self, operand: Operand, kind: str) -> int:
        size = bits_of(kind)
        if isinstance(operand.value, float):
            return float_bits(operand.value, size if size in (16, 32, 64) else 32)
        spelled_hex = "0x" in operand.spelled
        if kind == "f64" and spelled_hex:
            return (operand.value & 0xFFFFFFFF) << 32
        return operand.value & ((1 << max(size, 32)) - 1)

    def raw(self, position: int, kind: str, lane: int, half: int) -> int:
        """Bits before the modifiers; `half` counts the results of a packed operation."""
        operand = self.src[position]
        size = bits_of(kind)
        if kind == "mask":
            return self.before.mask(operand.index) >> lane & 1
        modifiers = self.inst.modifiers
        if operand.bank == "literal" and kind != "mix":
            value = self.literal(operand, kind)
            if self.packed and size == 16 and not isinstance(operand.value, float):
                chosen = modifiers.get("op_sel" if half == 0 else "op_sel_hi", [half] * 3)
                value >>= 16 * chosen[position]
            return value & ((1 << size) - 1)
        value = self.register(operand, lane)
        if kind == "b8" and not self.sdwa:
            # The byte that a conversion takes: byte_sel, or the two low bits of op_sel.
            chosen = modifiers.get("op_sel", [0, 0])
            return value >> 8 * int(modifiers.get("byte_sel", chosen[0] + 2 * chosen[1])) & 0xFF
        if self.sdwa and position < 2:
            first, width = SDWA_PLACES[str(modifiers.get(f"src{position}_sel", "DWORD"))]
            value = value >> first & ((1 << width) - 1)
            if operand.sext:
                value = signed(value, width) & 0xFFFFFFFF
            return value & ((1 << size) - 1)
        if kind == "mix":
            if not modifiers.get("op_sel_hi", [0] * 3)[position]:
                return value & 0xFFFFFFFF
            value = value >> 16 * modifiers.get("op_sel", [0] * 3)[position] & 0xFFFF
            return n.convert(value, n.BF16 if "bf16" in self.inst.name else n.F16, n.F32)
        if self.packed:
            chosen = (
                modifiers.get("op_sel", [0] * 3)
                if half == 0
                else modifiers.get("op_sel_hi", [1] * 3)
            )
            value >>= size * chosen[position]
        elif operand.half == "h":
            value >>= 16
        elif size == 16 and not operand.half and position < len(modifiers.get("op_sel", [])):
            value >>= 16 * modifiers["op_sel"][position]
        return value & ((1 << size) - 1)

    def source(self, position: int, lane: int, half: int) -> int:
        kind = self.op.src[position]
        bits = self.raw(position, kind, lane, half)
        operand = self.src[position]
        size = bits_of(kind) if kind != "mask" else 1
        sign = 1 << (size - 1)
        if kind[0] in "fs" or kind == "mix":
            if operand.absolute:
                bits &= ~sign
            if operand.negative:
                bits ^= sign
            neg = self.inst.modifiers.get("neg_lo" if half == 0 else "neg_hi", [0] * 3)
            if self.packed and neg[position]:
                bits ^= sign
        if kind in FORMATS and not self.before.machine.denormals(FORMATS[kind]) & 1:
            bits = flush(bits, FORMATS[kind])
        if kind[0] == "i":
            return signed(bits, size)
        return bits

    # Results ------------------------------------------------------------------------------------
    def finish(self, value: object, kind: str) -> object:
        """Clamp, output modifier, flush, wrap."""
        if isinstance(value, Packed):
            return value
        if isinstance(value, Choice):
            if value.values:
                return Choice(tuple(self.finish(v, kind) for v in value.values))
            return Choice(low=self.finish(value.low, kind), high=self.finish(value.high, kind))
        value = int(value)
        size = bits_of(kind)
        clamp = bool(self.inst.modifiers.get("clamp"))
        if kind in FORMATS:
            form = FORMATS[kind]
            machine = self.before.machine
            if not machine.denormals(form) & 2:
                value = flush(value, form)
            modified = "mul" in self.inst.modifiers or "div" in self.inst.modifiers
            if modified and machine.output_modifiers(form):
                factor = {2: 1, 4: 2}.get(self.inst.modifiers.get("mul"), -1)
                x = n.decode(value, form)
                if x.kind == "finite":
                    value = n.encode(x.sign, x.significand, x.exponent + factor, form)
                    value = flush(value, form)
                    value = 0 if value == form.sign else value
            if clamp:
                value = clamped(value, form, machine)
            return value & form.mask
        if clamp and kind[0] == "u":
            return min(max(value, 0), (1 << size) - 1)
        if clamp and kind[0] == "i":
            value = min(max(value, -(1 << (size - 1))), (1 << (size - 1)) - 1)
        return value & ((1 << size) - 1)

    def lane_results(self, lane: int) -> list[object]:
        """One value a destination."""
        source_lane = lane
        if self.dpp:
            found = dpp_source(self.inst, lane, self.before.machine.wave)
            source_lane = found if found is not None else -1
        machine = self.before.machine
        machine.lane = lane
        kinds = [k.removeprefix("pk") for k in self.op.dst]
        halves = 2 if self.packed else 1
        packed: list[object] = []
        results: list[object] = []
        for half in range(halves):
            arguments = []
            for position in range(len(self.op.src)):
                if self.dpp and position == 0:
                    if source_lane < 0 or (
                        not self.before.exec >> source_lane & 1 and not self.fetches_inactive
                    ):
                        arguments.append(self.zero_source(position))
                        continue
                    arguments.append(self.source(position, source_lane, half))
                else:
                    arguments.append(self.source(position, lane, half))
            given = self.op.function(machine, *arguments)
            results = list(given) if isinstance(given, tuple) else [given]
            results = [self.finish(v, k) for v, k in zip(results, kinds, strict=True)]
            packed.append(results[0])
        if self.packed:
            size = bits_of(kinds[0])
            return [int(packed[0]) | int(packed[1]) << size]
        return results

    def zero_source(self, position: int) -> int:
        """bound_ctrl reads 0, on which sign modifiers act."""
        kind, operand = self.op.src[position], self.src[position]
        if operand.negative and (kind[0] in "fs" or kind.startswith("bf")):
            return 1 << (bits_of(kind) - 1)
        return 0

    @property
    def fetches_inactive(self) -> bool:
        return bool(self.inst.modifiers.get("fi"))

    def writes(self, lane: int) -> bool:
        if not self.before.exec >> lane & 1:
            return False
        if not self.dpp:
            return True
        modifiers = self.inst.modifiers
        if "dpp8" not in modifiers:
            if not int(modifiers.get("row_mask", 0xF)) >> (lane // 16 % 4) & 1:
                return False
            if not int(modifiers.get("bank_mask", 0xF)) >> (lane % 16 // 4) & 1:
                return False
        if modifiers.get("bound_ctrl") or "dpp8" in modifiers:
            return True
        found = dpp_source(self.inst, lane, self.before.machine.wave)
        if found is None:
            return False
        return bool(self.before.exec >> found & 1) or self.fetches_inactive

    def place(self, result: int, old: int) -> int:
        """The whole destination register, of which the result may be a part."""
        dst, kind = self.dst[0], self.op.dst[0]
        size = bits_of(kind.removeprefix("pk")) * (2 if self.packed else 1)
        if self.sdwa:
            first, width = SDWA_PLACES[str(self.inst.modifiers.get("dst_sel", "DWORD"))]
            unused = self.inst.modifiers.get("dst_unused", "UNUSED_PRESERVE")
            part = result & ((1 << width) - 1)
            if unused == "UNUSED_PRESERVE":
                return (old & ~(((1 << width) - 1) << first) | part << first) & 0xFFFFFFFF
            if unused == "UNUSED_SEXT":
                return signed(part, width) << first & 0xFFFFFFFF
            return part << first
        if size == 8:
            shift = 8 * int(self.inst.modifiers.get("byte_sel", 0))
            return old & ~(0xFF << shift) & 0xFFFFFFFF | (result & 0xFF) << shift
        if size != 16:
            return result
        high = dst.half == "h" or self.inst.name == "v_fma_mixhi_f16"
        op_sel = self.inst.modifiers.get("op_sel", [])
        if len(op_sel) > len(self.inst.operands) - 1:
            high = bool(op_sel[-1])
        if high:
            return old & 0xFFFF | result << 16
        keeps = self.inst.name in KEEPS_HALF_GFX9 or self.inst.name.startswith("v_cvt_scalef32")
        if self.before.machine.generation == "gfx9" and not keeps:
            return result
        return old & 0xFFFF0000 | result

    def accepts(self, lane: int, value: object, got: int) -> bool:
        """Whether the register may hold `got` where the operation gives `value`."""
        kind = self.op.dst[0]
        old = self.register(self.dst[0], lane)
        if self.packed:
            size = bits_of(kind.removeprefix("pk"))
            mask = (1 << size) - 1
            return all(
                agrees(got >> size * h & mask, int(value) >> size * h & mask, kind[2:])
                for h in (0, 1)
            )
        if not isinstance(value, Choice | Packed) and self.place(int(value), old) == got:
            return True
        if self.sdwa and "dst_sel" in self.inst.modifiers and kind in FORMATS:
            # A part of a NaN is any bits.
            width = SDWA_PLACES[str(self.inst.modifiers["dst_sel"])][1]
            nan = not isinstance(value, Choice | Packed) and n.is_nan(int(value), FORMATS[kind])
            if nan and width < bits_of(kind):
                return True
            if nan and self.inst.modifiers.get("dst_unused") == "UNUSED_SEXT" and width <= 16:
                first = SDWA_PLACES[str(self.inst.modifiers["dst_sel"])][0]
                return n.is_nan(got >> first, FORMATS[kind])
        size = bits_of(kind)
        parts = [got & ((1 << size) - 1)]
        if size < 32:
            parts += [got >> shift & ((1 << size) - 1) for shift in (8, 16, 24)]
        return any(self.place(p, old) == got and agrees(p, value, kind) for p in parts)


def clamped(bits: int, form: n.Format, machine: Machine) -> int:
    """Into [0, 1]; a NaN becomes 0 with DX10_CLAMP, which is set here and fixed on gfx12."""
    if n.is_nan(bits, form) or bits & form.sign:
        return 0
    return min(bits, ONE[form])


def agrees(got: int, expected: object, kind: str) -> bool:
    """NaNs are one value: nobody has published which payload comes out."""
    if isinstance(expected, Packed):
        return expected.holds(got)
    if kind in ("2f16", "2bf16", "2f32") and not isinstance(expected, Choice):
        size = bits_of(kind) // 2
        mask = (1 << size) - 1
        return all(agrees(got >> s & mask, int(expected) >> s & mask, kind[1:]) for s in (0, size))
    form = FORMATS.get(kind)
    if isinstance(expected, Choice):
        if expected.values:
            return any(agrees(got, each, kind) for each in expected.values)
        if n.is_nan(got, form):
            return False
        low, high = n.order_key(expected.low, form), n.order_key(expected.high, form)
        return low <= n.order_key(got, form) <= high
    if got == expected:
        return True
    if form:
        return n.is_nan(got, form) and n.is_nan(int(expected), form)
    return False
