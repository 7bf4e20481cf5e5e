"""Dual instructions (VOPD): two operations of the vector table, both read before either writes."""

from __future__ import annotations

import random
import zlib
from functools import partial

from .device import EXEC, VCC, Refused, assembles, attempt, run
from .operands import register_rows
from .reference import Machine, find
from .text import parse
from .valu import message, registers_of
from .vector import Evaluation, Wave


def check_form(chip: str, wave: int, text: str, rounds: int = 1) -> tuple[int, list[str]]:
    rng = random.Random(zlib.crc32(f"{chip} {text}".encode()))

    def refusal(refused: Refused) -> str | None:  # else the sweep's registers share a bank
        return f"{chip}: {text}: refused: {refused}" if assembles(refused) else None

    trials = (partial(check, chip, wave, text, rng, s) for s in (True, False) * rounds)
    return attempt(trials, refusal)


def check(chip: str, wave: int, text: str, rng: random.Random, special: bool) -> int:
    machine = Machine(chip, wave)
    exec_mask = rng.choice([-1, rng.getrandbits(64)]) & ((1 << wave) - 1)
    sgpr = {VCC: rng.getrandbits(32), VCC + 1: 0, EXEC: exec_mask, EXEC + 1: 0}
    before = Wave({}, sgpr, machine)
    halves = []
    for part in text.split("::"):
        inst = parse(part.strip().replace("v_dual_", "v_", 1))
        op = find(inst.name, chip)
        for operand in inst.operands:
            if operand.bank == "v":
                kind = op.src[0] if op and op.src[0] not in ("s32",) else "f32"
                rows = register_rows(rng, kind, operand.dwords, special)
                for i, index in enumerate(registers_of(operand)):
                    before.vgpr.setdefault(index, rows[i])
        if op:
            halves.append(Evaluation(inst, op, before))
    read = [h.dst[0].index for h in halves]
    after = run(
        chip,
        text,
        wave=wave,
        vgpr=before.vgpr,
        sgpr=sgpr,
        exec=exec_mask,
        mode=machine.mode,
        read=read,
    )
    for half in halves:
        index = half.dst[0].index
        for lane in range(wave):
            got = after.vgpr[index][lane]
            if not exec_mask >> lane & 1:
                assert got == before.vgpr[index][lane], f"{text}: lane {lane} is off"
                continue
            machine.instruction = half.inst.modifiers
            value = half.lane_results(lane)[0]
            assert half.accepts(lane, value, got), message(text, half, lane, value, got, "f32")
    return len(halves)
