"""Runs one form of a vector instruction, in several spellings, against its reference."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator

from . import valu_float, valu_integer, valu_scaled, valu_small  # noqa: F401  (they fill the table)
from .device import EXEC, VCC, Refused, State, assembles, run
from .operands import register_rows
from .reference import FORMATS, Choice, Machine, Op, Packed
from .text import Instruction, Operand, parse
from .vector import Evaluation, Wave, is_dpp


def mask_text(wave: int) -> str:
    return "s40" if wave == 32 else "s[40:41]"


def spelled(inst: Instruction, operands: list[str], modifiers: str) -> str:
    return f"{inst.mnemonic} {', '.join(operands)} {modifiers}".strip()


def modifier_text(text: str, inst: Instruction) -> str:
    """What follows the operands of a spelling."""
    last = inst.operands[-1].spelled
    return text[text.rindex(last) + len(last) :].strip() if inst.operands else ""


def repaired(text: str, op: Op, wave: int) -> list[str]:
    """The sweep's words put vector registers where a form wants a mask, and three different sources
    where v_div_scale wants one twice."""
    inst = parse(text)
    names = [o.spelled for o in inst.operands]
    rest = modifier_text(text, inst)
    first_source = len(names) - len(op.src) if len(names) >= len(op.src) else len(op.dst)
    for i, kind in enumerate(op.src):
        place = first_source + i
        if kind == "mask" and place < len(names) and names[place].startswith("v["):
            names[place] = mask_text(wave)
    if inst.name.startswith("v_div_scale"):
        return [
            spelled(inst, [*names[:2], names[3], names[3], names[4]], rest),
            spelled(inst, [*names[:2], names[4], names[3], names[4]], rest),
        ]
    return [spelled(inst, names, rest)]


DPP_CONTROLS = (
    "quad_perm:[3,1,0,2] row_mask:0xf bank_mask:0xf",
    "row_shr:3 row_mask:0x5 bank_mask:0xf",
    "row_shl:1 row_mask:0xf bank_mask:0xa bound_ctrl:1",
    "row_ror:5 row_mask:0xf bank_mask:0xf",
    "row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:1",
    "row_half_mirror row_mask:0xf bank_mask:0xf",
)
DPP_GFX9 = (
    "wave_shl:1 row_mask:0xf bank_mask:0xf",
    "wave_ror:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
    "wave_rol:1 row_mask:0xf bank_mask:0xf",
    "wave_shr:1 row_mask:0xf bank_mask:0xf",
    "row_bcast:15 row_mask:0xa bank_mask:0xf",
    "row_bcast:31 row_mask:0xc bank_mask:0xf",
)
DPP_RDNA = (
    "row_share:9 row_mask:0xf bank_mask:0xf",
    "row_xmask:6 row_mask:0xf bank_mask:0xf bound_ctrl:1",
    "row_shr:2 row_mask:0xf bank_mask:0xf fi:1",
    "row_xmask:3 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1",
)
# The SDWA and DPP rules are the same for every operation: these carry all controls, others a few.
FULL_DPP = ("v_add_u32", "v_add_nc_u32", "v_mov_b32", "v_add_f32", "v_add_f16", "v_cndmask_b32")
SDWA = (
    "dst_sel:DWORD dst_unused:UNUSED_PAD {0}:WORD_1 {1}:BYTE_2",
    "dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE {0}:BYTE_3 {1}:WORD_0",
    "dst_sel:BYTE_1 dst_unused:UNUSED_SEXT {0}:DWORD {1}:BYTE_1",
    "dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE {0}:BYTE_0 {1}:BYTE_0",
    "dst_sel:WORD_0 dst_unused:UNUSED_SEXT {0}:WORD_0 {1}:WORD_1",
)


def variations(text: str, op: Op, chip: str, wave: int) -> Iterator[str]:
    """The spelling itself, then what modifiers its encoding has."""
    for base in repaired(text, op, wave):
        yield base
        inst = parse(base)
        names = [o.spelled for o in inst.operands]
        rest = modifier_text(base, inst)
        count = len(op.dst) if not implicit_destination(inst, chip) else 0
        sources = list(range(count, len(names)))
        floats = [k in FORMATS or k in ("s32", "s16") for k in op.src]
        packed = op.dst[0].startswith("pk")
        compare = inst.name.startswith("v_cmp")
        wide = any(inst.operands[i].dwords > 1 for i in sources)
        if ".l" in base:
            for i in range(len(names)):
                if names[i].endswith(".l"):
                    yield spelled(inst, [*names[:i], names[i][:-1] + "h", *names[i + 1 :]], rest)
        if "dpp8" in inst.modifiers:
            yield spelled(inst, names, "dpp8:[7,6,5,4,3,2,1,0] fi:1")
        elif is_dpp(inst):
            if any(o.dwords > 1 for o in inst.operands if o.bank == "v"):
                continue
            controls = DPP_CONTROLS + (DPP_GFX9 if chip in ("gfx942", "gfx950") else DPP_RDNA)
            if inst.name not in FULL_DPP:
                start = zlib.crc32(inst.name.encode()) % len(controls)
                controls = (controls[start], controls[(start + 3) % len(controls)])
            for control in controls:
                yield spelled(inst, names, control)
        elif inst.suffix == "sdwa":
            selections = (
                SDWA if inst.name in FULL_DPP else (SDWA[zlib.crc32(inst.name.encode()) % 5],)
            )
            for selection in selections:
                words = selection.format("src0_sel", "src1_sel").split()
                if len(sources) == 1 or op.src[1] == "mask":
                    words = words[:-1]
                if compare:
                    words = words[2:]
                if op.dst == ("b32", "mask"):
                    pass
                yield spelled(inst, names, " ".join(words))
                changed = list(names)
                for i, s in enumerate(sources[:2]):
                    if i < len(op.src) and names[s].startswith("v"):
                        kind = op.src[i]
                        if floats[i]:
                            changed[s] = ("-" if i == 0 else "|") + names[s] + ("|" if i else "")
                        elif kind[0] in "iu" and not kind.endswith("64"):
                            changed[s] = f"sext({names[s]})"
                if changed != names:
                    yield spelled(inst, changed, " ".join(words))
        elif packed and inst.suffix in ("", "e64"):
            n = len(op.src) if len(names) - 1 >= len(op.src) else len(names) - 1
            ones = ",".join("1" * n)
            swapped = ",".join("10"[i % 2] for i in range(n))
            other = ",".join("01"[i % 2] for i in range(n))
            yield spelled(inst, names, f"op_sel_hi:[{ones}]")
            yield spelled(inst, names, f"op_sel:[{swapped}] op_sel_hi:[{other}]")
            if all(floats):
                yield spelled(
                    inst,
                    names,
                    f"op_sel:[{other}] op_sel_hi:[{ones}] neg_lo:[{swapped}] neg_hi:[{other}]",
                )
            if op.dst[0][2] in "fui":
                yield spelled(inst, names, f"op_sel_hi:[{ones}] clamp")
        elif inst.suffix in ("", "e64") and "literal" not in [o.bank for o in inst.operands]:
            if any(floats):
                changed = list(names)
                for i, s in enumerate(sources):
                    if i < len(floats) and floats[i] and names[s][0] in "vs":
                        # The encoding with two results has no room for abs.
                        forms = ("-{}", "{}", "-{}") if op.dst[1:] else ("-{}", "|{}|", "-|{}|")
                        changed[s] = forms[i % 3].format(names[s])
                yield spelled(inst, changed, rest)
                if not compare and op.dst[0] in FORMATS:
                    yield spelled(inst, changed, (rest + " clamp").strip())
                    yield spelled(inst, names, (rest + " clamp").strip())
            elif op.dst[0][0] in "ui" and not compare and not wide:
                yield spelled(inst, names, (rest + " clamp").strip())


def implicit_destination(inst: Instruction, chip: str) -> bool:
    return inst.name.startswith("v_cmpx") and chip not in ("gfx942", "gfx950")


def registers_of(operand: Operand) -> range:
    return range(operand.index, operand.index + operand.dwords)


def check(
    chip: str,
    wave: int,
    text: str,
    op: Op,
    rng: random.Random,
    special: bool,
    machine: Machine | None = None,
) -> None:
    """Raises AssertionError with the lane's operands when the device and the reference differ."""
    inst = parse(text)
    machine = machine or Machine(chip, wave)
    machine.wave = wave
    sgpr = {i: rng.getrandbits(32) for i in range(VCC + 2)}
    execs = (-1, rng.getrandbits(64), rng.getrandbits(64) | rng.getrandbits(64))
    exec_mask = rng.choice(execs) & ((1 << wave) - 1)
    sgpr[EXEC], sgpr[EXEC + 1] = exec_mask & 0xFFFFFFFF, exec_mask >> 32
    vgpr: dict[int, list[int]] = {}
    before = Wave(vgpr, sgpr, machine)
    evaluation = Evaluation(inst, op, before)
    for position, operand in enumerate(evaluation.src):
        kind = op.src[position]
        if operand.bank == "v":
            shown = {"mask": "u32", "mix": "f32", "s32": "f32", "s16": "f16"}.get(kind, kind)
            rows = register_rows(rng, shown, operand.dwords, special)
            for i, index in enumerate(registers_of(operand)):
                vgpr.setdefault(index, rows[i])
    for operand in evaluation.dst:
        if operand.bank == "v":
            for index in registers_of(operand):
                vgpr.setdefault(index, [rng.getrandbits(32) for _ in range(64)])
    if evaluation.sdwa or inst.name in ("v_perm_b32",):
        for index in vgpr:
            if special:
                vgpr[index] = [rng.getrandbits(32) for _ in range(64)]
    read = sorted({r for o in evaluation.dst if o.bank == "v" for r in registers_of(o)})
    after = run(
        chip,
        text,
        wave=wave,
        vgpr=vgpr,
        sgpr=sgpr,
        exec=exec_mask,
        mode=machine.mode,
        read=read,
    )
    compare(text, op, evaluation, before, after)


def compare(text: str, op: Op, evaluation: Evaluation, before: Wave, after: State) -> None:
    wave = before.machine.wave
    masks = [0] * len(op.dst)
    for lane in range(wave):
        if not evaluation.writes(lane):
            for operand in evaluation.dst:
                if operand.bank == "v":
                    for r in registers_of(operand):
                        assert after.vgpr[r][lane] == before.vgpr[r][lane], (
                            f"{text}: lane {lane} is off, but v{r} changed"
                        )
            continue
        results = evaluation.lane_results(lane)
        for i, (operand, value) in enumerate(zip(evaluation.dst, results, strict=True)):
            if op.dst[i] == "mask":
                masks[i] |= int(value) << lane
                continue
            got = sum(after.vgpr[r][lane] << 32 * k for k, r in enumerate(registers_of(operand)))
            assert evaluation.accepts(lane, value, got), message(
                text, evaluation, lane, value, got, op.dst[i]
            )
    for i, operand in enumerate(evaluation.dst):
        if op.dst[i] != "mask":
            continue
        got = after.sgpr[operand.index]
        if wave == 64:
            got |= after.sgpr[operand.index + 1] << 32
        wrong = got ^ masks[i]
        assert not wrong, message(
            text, evaluation, (wrong & -wrong).bit_length() - 1, masks[i], got, "mask"
        )
        if evaluation.inst.name.startswith("v_cmpx"):
            assert after.sgpr[EXEC] == masks[i] & 0xFFFFFFFF


def message(
    text: str, evaluation: Evaluation, lane: int, expected: object, got: int, kind: str
) -> str:
    sources = []
    for position, operand in enumerate(evaluation.src):
        if operand.bank == "literal":
            continue
        name = op_kind = evaluation.op.src[position]
        if op_kind == "mask":
            sources.append(
                f"{operand.spelled or 'vcc'} bit {evaluation.raw(position, 'mask', lane, 0)}"
            )
            continue
        sources.append(f"{operand.spelled}={evaluation.register(operand, lane):#x} ({name})")
    if isinstance(expected, Packed):
        shown = str(expected)
    elif isinstance(expected, Choice):
        if expected.values:
            shown = " or ".join(
                str(v if isinstance(v, Choice | Packed) else hex(v)) for v in expected.values
            )
        else:
            shown = f"{expected.low:#x} to {expected.high:#x}"
    else:
        shown = hex(int(expected))
    return (
        f"{evaluation.before.machine.chip}: {text}: lane {lane}: {', '.join(sources)}: "
        f"expected {shown}, got {got:#x} ({kind})"
    )


def check_form(
    chip: str, wave: int, text: str, op: Op, thorough: bool = False
) -> tuple[int, list[str]]:
    """Comparisons made, and what differed. A quick run takes the spelling itself and one other."""
    rng = random.Random(zlib.crc32(f"{chip} {text}".encode()))
    ran, failures = 0, []
    spellings = list(variations(text, op, chip, wave))
    plan = [(s, special) for s in spellings for special in (True, False)]
    if not thorough:
        plan = [(spellings[0], True), (rng.choice(spellings), False)]
    for spelling, special in plan:
        try:
            check(chip, wave, spelling, op, rng, special)
            ran += 1
        except Refused as refused:
            if assembles(refused):
                failures.append(f"{chip}: {spelling}: refused: {refused}")
        except AssertionError as wrong:
            failures.append(str(wrong))
    return ran, failures
