"""Runs a scalar instruction against its reference."""

from __future__ import annotations

import random
import zlib
from functools import partial

from . import numbers as n
from .device import EXEC, VCC, Refused, assembles, attempt, run
from .operands import specials
from .reference import Machine, signed
from .salu import SALU, SAVEEXEC, WREXEC, result_format
from .text import parse

M32 = 0xFFFFFFFF


def known(name: str) -> bool:
    stem = name.split("_saveexec")[0].split("_wrexec")[0].removeprefix("s_")
    return (
        name in SALU
        or ("_saveexec_" in name and stem in SAVEEXEC)
        or ("_wrexec_" in name and stem in WREXEC)
        or sopk(name) is not None
    )


def sopk(name: str) -> tuple[str, bool] | None:
    """The operation that takes a 16-bit immediate, and whether that is signed."""
    if name.startswith("s_cmpk_"):
        return name.replace("s_cmpk_", "s_cmp_"), name.endswith("i32")
    named = {
        "s_movk_i32": "s_mov_b32",
        "s_cmovk_i32": "s_cmov_b32",
        "s_addk_i32": "s_add_i32",
        "s_addk_co_i32": "s_add_i32",
        "s_mulk_i32": "s_mul_i32",
    }
    return (named[name], True) if name in named else None


def draw(rng: random.Random, name: str, dwords: int) -> int:
    if "f32" in name or "f16" in name:
        kind = "f16" if name.endswith("f16") and not name.startswith("s_cvt_pk") else "f32"
        if rng.random() < 0.7:
            return rng.choice(specials(kind))
        return rng.getrandbits(16 if kind == "f16" else 32)
    size = 32 * dwords
    if rng.random() < 0.6:
        return rng.choice(specials(f"u{size}"))
    return rng.getrandbits(rng.randint(1, size))


def read(sgpr: dict[int, int], index: int, dwords: int) -> int:
    return sum(sgpr[index + i] << 32 * i for i in range(dwords))


def check(chip: str, wave: int, text: str, rng: random.Random) -> None:
    inst = parse(text)
    name = inst.name
    immediate = sopk(name)
    sgpr = {i: rng.getrandbits(32) for i in range(VCC + 2)}
    exec_mask = rng.choice([(1 << wave) - 1, rng.getrandbits(wave), rng.getrandbits(wave)])
    scc = rng.getrandbits(1)
    machine = Machine(chip, wave, exec=exec_mask, scc=scc)
    operands = inst.operands
    if immediate:
        value = rng.choice([0, 1, 0x7FFF, 0x8000, 0xFFFF, rng.getrandbits(16)])
        text = f"{inst.mnemonic} {operands[0].spelled}, {value:#x}"
        extended = (signed(value, 16) if immediate[1] else value) & M32
    for operand in operands:
        if operand.bank == "s" and operand.index < VCC:
            drawn = draw(rng, name, operand.dwords)
            for i in range(operand.dwords):
                sgpr[operand.index + i] = drawn >> 32 * i & M32
    after = run(chip, text, wave=wave, sgpr=sgpr, exec=exec_mask, scc=scc, mode=machine.mode)

    where = f"{chip} wave{wave}: {text}: scc {scc} exec {exec_mask:#x}"
    if "_saveexec_" in name or "_wrexec_" in name:
        stem, table = (
            (name.split("_saveexec")[0], SAVEEXEC)
            if "_saveexec_" in name
            else (name.split("_wrexec")[0], WREXEC)
        )
        size = 32 if name.endswith("b32") else 64
        mask = (1 << size) - 1
        old = exec_mask if size >= wave else exec_mask & mask
        source = (
            read(sgpr, operands[1].index, operands[1].dwords)
            if operands[1].bank == "s"
            else operands[1].value & mask
        )
        new = table[stem.removeprefix("s_")](source, old) & mask & ((1 << wave) - 1)
        got_exec = read(after.sgpr, EXEC, size // 32)
        assert got_exec == new, f"{where}: source {source:#x}: exec {new:#x}, got {got_exec:#x}"
        got = read(after.sgpr, operands[0].index, operands[0].dwords)
        kept = new if "_wrexec_" in name else old
        got &= (1 << wave) - 1  # what a wave of 32 keeps above is nobody's business
        assert got == kept, f"{where}: result {kept:#x}, got {got:#x}"
        if size == wave:
            assert after.scc == int(new != 0), f"{where}: scc"
        return

    dst_dwords, widths, function = SALU[immediate[0] if immediate else name]
    machine.instruction = {}
    if dst_dwords:
        machine.instruction["old"] = read(sgpr, operands[0].index, dst_dwords)
    if immediate:
        first = read(sgpr, operands[0].index, 1)
        sources = [extended] if len(widths) == 1 else [first, extended]
    else:
        sources = []
        for operand, width in zip(operands[1 if dst_dwords else 0 :], widths, strict=True):
            if operand.bank == "s":
                sources.append(read(sgpr, operand.index, width))
            else:
                value = operand.value
                if isinstance(value, float):
                    value = n.from_float(value, n.F32)
                # A literal of a 64-bit bit operation is zero-extended.
                sources.append(value & ((1 << 32 * width) - 1))
    value, flag = function(machine, *sources)
    shown = ", ".join(f"{s:#x}" for s in sources)
    if dst_dwords:
        got = read(after.sgpr, operands[0].index, dst_dwords)
        if value is None:
            value = int(machine.instruction["old"])
        value &= (1 << 32 * dst_dwords) - 1
        form = result_format(name)
        both_nan = form and n.is_nan(got, form) and n.is_nan(value, form)
        packed_nan = name == "s_cvt_pk_rtz_f16_f32" and all(
            (got >> s & 0xFFFF) == (value >> s & 0xFFFF)
            or (n.is_nan(got >> s, n.F16) and n.is_nan(value >> s, n.F16))
            for s in (0, 16)
        )
        assert got == value or both_nan or packed_nan, (
            f"{where}: {shown}: expected {value:#x}, got {got:#x}"
        )
    else:
        for i in range(VCC):
            assert after.sgpr[i] == sgpr[i], f"{where}: s{i} changed"
    wanted = scc if flag is None else flag
    assert after.scc == wanted, f"{where}: {shown}: expected scc {wanted}, got {after.scc}"


def check_form(chip: str, wave: int, text: str, rounds: int = 6) -> tuple[int, list[str]]:
    rng = random.Random(zlib.crc32(f"{chip} {wave} {text}".encode()))

    def refusal(refused: Refused) -> str | None:
        return f"{chip}: {text}: refused: {refused}" if assembles(refused) else None

    return attempt([partial(check, chip, wave, text, rng)] * rounds, refusal)
