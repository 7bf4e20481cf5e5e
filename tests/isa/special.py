"""Instructions that do not fit the tables: moves between lanes and register files."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable
from functools import partial

from . import numbers as n
from .device import M0, VCC, Refused, State, assembles, attempt, run
from .memory import described, exchanged, value_for
from .reference import GENERATIONS

Check = Callable[[str, int, str, random.Random], None]
CHECKS: list[tuple[re.Pattern[str], Check]] = []


def checks(pattern: str) -> Callable[[Check], Check]:
    def keep(function: Check) -> Check:
        CHECKS.append((re.compile(pattern), function))
        return function

    return keep


def find(name: str) -> Check | None:
    for pattern, function in CHECKS:
        if pattern.fullmatch(name):
            return function
    return None


def rows(rng: random.Random, *indices: int) -> dict[int, list[int]]:
    return {i: [rng.getrandbits(32) for _ in range(64)] for i in indices}


def random_exec(rng: random.Random, wave: int) -> int:
    return rng.choice([-1, rng.getrandbits(64), rng.getrandbits(64)]) & ((1 << wave) - 1)


def expect(where: str, got: object, wanted: object) -> None:
    if got != wanted:
        if isinstance(got, list) and isinstance(wanted, list):
            lane = next(i for i in range(len(got)) if got[i] != wanted[i])
            raise AssertionError(
                f"{where}: lane {lane}: expected {wanted[lane]:#x}, got {got[lane]:#x}"
            )
        raise AssertionError(f"{where}: expected {wanted}, got {got}")


@checks("v_readfirstlane_b32")
def readfirstlane(chip: str, wave: int, text: str, rng: random.Random) -> None:
    vgpr = rows(rng, 24)
    for mask in (random_exec(rng, wave), 1 << rng.randrange(wave), 0):
        after = run(chip, "v_readfirstlane_b32 s8, v24", wave=wave, vgpr=vgpr, exec=mask)
        lane = (mask & -mask).bit_length() - 1 if mask else 0
        expect(f"{chip}: v_readfirstlane_b32 exec {mask:#x}", after.sgpr[8], vgpr[24][lane])


@checks("v_readlane_b32|v_writelane_b32")
def lane_access(chip: str, wave: int, text: str, rng: random.Random) -> None:
    vgpr = rows(rng, 24, 8)
    lane = rng.choice([rng.randrange(wave), rng.getrandbits(32)])
    mask = random_exec(rng, wave)
    where = f"{chip} wave{wave}: lane {lane:#x}"
    # M0 holds the lane: gfx9 allows one other scalar.
    sgpr = {9: rng.getrandbits(32), M0: lane, 10: lane}
    after = run(chip, "v_readlane_b32 s8, v24, s10", wave=wave, vgpr=vgpr, sgpr=sgpr, exec=mask)
    expect(where + ": v_readlane_b32", after.sgpr[8], vgpr[24][lane % wave])
    after = run(
        chip, "v_writelane_b32 v8, s9, m0", wave=wave, vgpr=vgpr, sgpr=sgpr, exec=mask, read=[8]
    )
    wanted = vgpr[8][:wave]
    wanted[lane % wave] = sgpr[9]
    expect(where + ": v_writelane_b32", after.vgpr[8], wanted)


@checks("v_swap_b32|v_swap_b16")
def swap(chip: str, wave: int, text: str, rng: random.Random) -> None:
    vgpr = rows(rng, 8, 24)
    mask = random_exec(rng, wave)
    half = text.split()[0].startswith("v_swap_b16")
    line = "v_swap_b16 v8.l, v24.h" if half else "v_swap_b32 v8, v24"
    after = run(chip, line, wave=wave, vgpr=vgpr, exec=mask, read=[8, 24])
    first, second = [], []
    for lane in range(wave):
        a, b = vgpr[8][lane], vgpr[24][lane]
        if mask >> lane & 1:
            if half:
                a, b = a & 0xFFFF0000 | b >> 16, b & 0xFFFF | (a & 0xFFFF) << 16
            else:
                a, b = b, a
        first.append(a)
        second.append(b)
    expect(f"{chip}: {line}", after.vgpr[8], first)
    expect(f"{chip}: {line}, second", after.vgpr[24], second)


@checks("v_permlane(x?)16_b32")
def permlane16(chip: str, wave: int, text: str, rng: random.Random) -> None:
    cross = "permlanex16" in text
    vgpr = rows(rng, 8, 24)
    sgpr = {12: rng.getrandbits(32), 13: rng.getrandbits(32)}
    select = sgpr[12] | sgpr[13] << 32
    mask = random_exec(rng, wave)
    for op_sel in ("[0,0]", "[1,0]", "[0,1]", "[1,1]"):
        name = "v_permlanex16_b32" if cross else "v_permlane16_b32"
        line = f"{name} v8, v24, s12, s13 op_sel:{op_sel}"
        after = run(chip, line, wave=wave, vgpr=vgpr, sgpr=sgpr, exec=mask, read=[8])
        fetch, bound = op_sel[1] == "1", op_sel[3] == "1"
        wanted = []
        for lane in range(wave):
            source = (lane & ~15) + (select >> 4 * (lane & 15) & 15)
            wanted.append(
                permuted(lane, source ^ 16 if cross else source, vgpr, mask, fetch, bound)
            )
        expect(f"{chip} wave{wave}: {line} exec {mask:#x}", after.vgpr[8], wanted)


def permuted(
    lane: int, source: int, vgpr: dict[int, list[int]], mask: int, fetch: bool, bound: bool
) -> int:
    """fi reads inactive lanes; without it they give 0 under bound_ctrl, else nothing happens."""
    if not mask >> lane & 1:
        return vgpr[8][lane]
    if mask >> source & 1 or fetch:
        return vgpr[24][source]
    return 0 if bound else vgpr[8][lane]


@checks("v_permlane(x?)16_var_b32")
def permlane16_var(chip: str, wave: int, text: str, rng: random.Random) -> None:
    cross = "permlanex16" in text
    vgpr = rows(rng, 8, 24, 16)
    mask = random_exec(rng, wave)
    line = f"v_permlane{'x' if cross else ''}16_var_b32 v8, v24, v16 op_sel:[1,0]"
    after = run(chip, line, wave=wave, vgpr=vgpr, exec=mask, read=[8])
    wanted = []
    for lane in range(wave):
        source = (lane & ~15) + (vgpr[16][lane] & 15)
        wanted.append(permuted(lane, source ^ 16 if cross else source, vgpr, mask, True, False))
    expect(f"{chip} wave{wave}: {line} exec {mask:#x}", after.vgpr[8], wanted)


@checks("v_permlane64_b32")
def permlane64(chip: str, wave: int, text: str, rng: random.Random) -> None:
    vgpr = rows(rng, 8, 24)
    mask = random_exec(rng, 64)
    after = run(chip, "v_permlane64_b32 v8, v24", wave=64, vgpr=vgpr, exec=mask, read=[8])
    wanted = [vgpr[24][k ^ 32] if mask >> k & 1 else vgpr[8][k] for k in range(64)]
    expect(f"{chip}: v_permlane64_b32 exec {mask:#x}", after.vgpr[8], wanted)


@checks("v_permlane(16|32)_swap_b32")
def permlane_swap(chip: str, wave: int, text: str, rng: random.Random) -> None:
    size = 16 if "16" in text.split()[0] else 32
    vgpr = rows(rng, 8, 24)
    after = run(chip, f"v_permlane{size}_swap_b32 v8, v24", wave=64, vgpr=vgpr, read=[8, 24])
    first, second = list(vgpr[8]), list(vgpr[24])
    for lane in range(64):
        if lane & size:  # odd rows of the first trade places with even rows of the second
            first[lane], second[lane - size] = vgpr[24][lane - size], vgpr[8][lane]
    expect(f"{chip}: v_permlane{size}_swap_b32", after.vgpr[8], first)
    expect(f"{chip}: v_permlane{size}_swap_b32, second", after.vgpr[24], second)


@checks("v_accvgpr_(read|write|mov)_b32")
def accvgpr(chip: str, wave: int, text: str, rng: random.Random) -> None:
    vgpr, agpr = rows(rng, 8, 24), rows(rng, 8, 24)
    mask = random_exec(rng, 64)
    lines = "v_accvgpr_write_b32 a8, v24\nv_accvgpr_mov_b32 a10, a24\n"
    # What was written is read back with every lane on.
    read = "s_mov_b64 exec, -1\nv_accvgpr_read_b32 v30, a8\nv_accvgpr_read_b32 v31, a10"
    agpr |= rows(rng, 10)
    after = run(chip, lines + read, wave=64, vgpr=vgpr, agpr=agpr, exec=mask, read=[30, 31])
    on = [mask >> k & 1 for k in range(64)]
    expect(
        f"{chip}: v_accvgpr_write_b32",
        after.vgpr[30],
        [vgpr[24][k] if on[k] else agpr[8][k] for k in range(64)],
    )
    expect(
        f"{chip}: v_accvgpr_mov_b32",
        after.vgpr[31],
        [agpr[24][k] if on[k] else agpr[10][k] for k in range(64)],
    )


@checks("v_movrels_b32|v_movreld_b32|v_movrelsd_b32|v_movrelsd_2_b32|v_swaprel_b32")
def movrel(chip: str, wave: int, text: str, rng: random.Random) -> None:
    vgpr = rows(rng, *range(8, 40))
    mask = random_exec(rng, wave)
    name = re.sub(r"_(e32|e64|dpp8|dpp)$", "", text.split()[0].removesuffix("_e64"))
    name = name.removesuffix("_e32")
    steps = (rng.randrange(8), rng.randrange(8))
    m0 = steps[0] | steps[1] << 16 if "_2" in name or "swaprel" in name else steps[0]
    source_step = steps[0]
    target_step = steps[1] if "_2" in name or "swaprel" in name else steps[0]
    source = 24 + (0 if "movreld_" in name else source_step)
    target = 8 + (0 if "movrels_" in name else target_step)
    after = run(
        chip,
        f"{name} v8, v24",
        wave=wave,
        vgpr=vgpr,
        sgpr={M0: m0},
        exec=mask,
        read=list(range(8, 40)),
    )
    where = f"{chip} wave{wave}: {name} m0 {m0:#x} exec {mask:#x}"
    for index in range(8, 40):
        wanted = vgpr[index][:wave]
        for lane in range(wave):
            if mask >> lane & 1:
                if index == target:
                    wanted[lane] = vgpr[source][lane]
                if index == source and "swaprel" in name:
                    wanted[lane] = vgpr[target][lane]
        expect(f"{where}: v{index}", after.vgpr[index], wanted)


@checks("s_movrels_b(32|64)|s_movreld_b(32|64)|s_movrelsd_2_b32")
def scalar_movrel(chip: str, wave: int, text: str, rng: random.Random) -> None:
    name = text.split()[0]
    wide = name.endswith("b64")
    sgpr = {i: rng.getrandbits(32) for i in range(8, 60)}
    steps = (2 * rng.randrange(4), 2 * rng.randrange(4))
    two = "_2_" in name
    sgpr[M0] = steps[0] | steps[1] << 16 if two else steps[0]
    source = 24 + (steps[0] if "movrels" in name else 0)
    target = 8 + (steps[1] if two else steps[0] if "movreld" in name else 0)
    line = f"{name} s[8:9], s[24:25]" if wide else f"{name} s8, s24"
    after = run(chip, line, wave=wave, sgpr=sgpr)
    wanted = dict(sgpr)
    for i in range(2 if wide else 1):
        wanted[target + i] = sgpr[source + i]
    for i in range(8, 60):
        expect(f"{chip}: {line} m0 {sgpr[M0]:#x}: s{i}", after.sgpr[i], wanted[i])


def lds_lines(chip: str, line: str, **state: object) -> State:
    return run(chip, line, **state)


@checks("ds_(b?)permute_b32|ds_bpermute_fi_b32")
def ds_permute(chip: str, wave: int, text: str, rng: random.Random) -> None:
    name = text.split()[0]
    vgpr = rows(rng, 8, 16, 32)
    offset = 4 * rng.randrange(8)
    mask = random_exec(rng, wave)
    if name == "ds_permute_b32":
        # Distinct targets: which of several writers wins is not defined.
        targets = list(range(64))
        rng.shuffle(targets)
        targets = (
            [t % wave for t in targets]
            if wave == 64
            else sorted(range(64), key=lambda i: rng.random() if i < 32 else 2)
        )
        vgpr[8] = [4 * t for t in targets]
        offset = 0
    line = f"{name} v32, v8, v16 offset:{offset}"
    after = run(chip, line, wave=wave, vgpr=vgpr, exec=mask, lds=bytes(64), read=[32])
    where = f"{chip} wave{wave}: {line} exec {mask:#x}"
    wanted = vgpr[32][:wave]
    if name == "ds_permute_b32":
        given = {vgpr[8][k] // 4 % wave: vgpr[16][k] for k in range(wave) if mask >> k & 1}
        for lane in range(wave):
            if mask >> lane & 1:
                wanted[lane] = given.get(lane, 0)
    else:
        for lane in range(wave):
            if mask >> lane & 1:
                source = ((vgpr[8][lane] + offset) & 0xFFFFFFFF) // 4 % wave
                fetched = mask >> source & 1 or name.endswith("fi_b32")
                wanted[lane] = vgpr[16][source] if fetched else 0
    expect(where, after.vgpr[32], wanted)


@checks("ds_swizzle_b32")
def ds_swizzle(chip: str, wave: int, text: str, rng: random.Random) -> None:
    vgpr = rows(rng, 8, 32)
    mask = random_exec(rng, wave)
    patterns = [rng.getrandbits(15), 0x8000 | rng.getrandbits(8), 0xC000 | rng.getrandbits(5) << 5]
    for pattern in patterns:
        line = f"ds_swizzle_b32 v32, v8 offset:{pattern:#x}"
        after = run(chip, line, wave=wave, vgpr=vgpr, exec=mask, lds=bytes(64), read=[32])
        wanted = vgpr[32][:wave]
        for lane in range(wave):
            if mask >> lane & 1:
                base, k = lane & ~31, lane & 31
                if pattern & 0xC000 == 0xC000:
                    # Rotate inside 32 lanes; bits 4:0 keep their places (mask).
                    step = pattern >> 5 & 31
                    step = -step if pattern >> 10 & 1 else step
                    keep = pattern & 31
                    k = k & keep | (k + step) & ~keep & 31
                elif pattern & 0x8000:
                    k = k & ~3 | pattern >> 2 * (k & 3) & 3
                else:
                    k = (k & pattern & 31 | pattern >> 5 & 31) ^ (pattern >> 10 & 31)
                source = base + k
                wanted[lane] = vgpr[8][source] if mask >> source & 1 else 0
        expect(f"{chip} wave{wave}: {line} exec {mask:#x}", after.vgpr[32], wanted)


@checks("ds_(append|consume)")
def ds_append(chip: str, wave: int, text: str, rng: random.Random) -> None:
    name = text.split()[0]
    vgpr = rows(rng, 32)
    mask = random_exec(rng, wave) or 1
    start = rng.getrandbits(16) + 1000
    lds = bytearray(64)
    lds[20:24] = start.to_bytes(4, "little")
    # The address is M0 (its high half on gfx9 is where the base stands) plus the offset.
    sgpr = {M0: 16 if GENERATIONS[chip] != "gfx9" else 16}
    after = run(
        chip,
        f"{name} v32 offset:4",
        wave=wave,
        vgpr=vgpr,
        sgpr=sgpr,
        exec=mask,
        lds=bytes(lds),
        read=[32],
    )
    step = mask.bit_count() * (1 if name == "ds_append" else -1)
    where = f"{chip} wave{wave}: {name} exec {mask:#x}"
    expect(
        where,
        after.vgpr[32],
        [start if mask >> k & 1 else vgpr[32][k] for k in range(wave)],
    )
    expect(where, int.from_bytes(after.lds[20:24], "little"), start + step)


@checks("ds_(read|load|write|store)_addtid_b32")
def ds_addtid(chip: str, wave: int, text: str, rng: random.Random) -> None:
    name = text.split()[0]
    vgpr = rows(rng, 8, 32, 16)
    mask = random_exec(rng, wave)
    lds = rng.randbytes(512)
    is_load = "read" in name or "load" in name
    register = re.search(r"v(\d+)", text)
    index = int(register[1]) if register else 8
    line = f"{name} v{index} offset:8"
    after = run(chip, line, wave=wave, vgpr=vgpr, sgpr={M0: 16}, exec=mask, lds=lds, read=[index])
    wanted_lds, wanted = bytearray(lds), vgpr[index][:wave]
    for lane in range(wave):
        if mask >> lane & 1:
            at = 16 + 8 + 4 * lane
            if is_load:
                wanted[lane] = int.from_bytes(lds[at : at + 4], "little")
            else:
                wanted_lds[at : at + 4] = vgpr[index][lane].to_bytes(4, "little")
    expect(f"{chip}: {line}", after.vgpr[index], wanted)
    expect(f"{chip}: {line}: LDS", after.lds, bytes(wanted_lds))


@checks("ds_read_b64_tr_b(16|8)")
def ds_transpose(chip: str, wave: int, text: str, rng: random.Random) -> None:
    """Destination lane and element name the source lane and element (chips.md 5.2)."""
    bits = int(re.search(r"tr_b(\d+)", text)[1])
    vgpr = rows(rng, 32, 33)
    lds = rng.randbytes(1024)
    slots = list(range(64))
    rng.shuffle(slots)
    vgpr[8] = [8 * s for s in slots]
    after = run(
        chip, f"ds_read_b64_tr_b{bits} v[32:33], v8", wave=64, vgpr=vgpr, lds=lds, read=[32, 33]
    )
    size = bits // 8
    low, high = [], []
    for lane in range(64):
        data = b""
        for i in range(8 // size):
            if bits == 16:
                source, element = (lane & ~15) + (lane >> 2 & 3) + 4 * i, lane & 3
            else:
                source, element = (lane & ~15) + (lane >> 3 & 1) + 2 * i, lane & 7
            at = vgpr[8][source] + size * element
            data += lds[at : at + size]
        low.append(int.from_bytes(data[:4], "little"))
        high.append(int.from_bytes(data[4:], "little"))
    expect(f"{chip}: ds_read_b64_tr_b{bits}", after.vgpr[32], low)
    expect(f"{chip}: ds_read_b64_tr_b{bits}, high", after.vgpr[33], high)


@checks("global_load_tr_b128")
def global_transpose(chip: str, wave: int, text: str, rng: random.Random) -> None:
    if wave != 32:
        return
    memory = rng.randbytes(32 * 16)
    slots = list(range(64))
    rng.shuffle(slots)
    vgpr = rows(rng, 32, 33, 34, 35)
    vgpr[8] = [16 * (s % 32) for s in slots]
    line = "global_load_tr_b128 v[32:35], v8, s[8:9]"
    after = run(chip, line, wave=32, vgpr=vgpr, memory=memory, memory_base=8, read=[32, 33, 34, 35])
    for register in range(4):
        wanted = []
        for lane in range(32):
            group, h = lane & ~7, lane & 7
            parts = []
            for j in (2 * register, 2 * register + 1):
                at = vgpr[8][group + j] + 2 * h
                parts.append(int.from_bytes(memory[at : at + 2], "little"))
            wanted.append(parts[0] | parts[1] << 16)
        expect(f"{chip}: {line}: register {register}", after.vgpr[32 + register], wanted)


@checks("(global_load_lds|buffer_load)_(dword|ubyte|sbyte|ushort|sshort|dwordx3|dwordx4)")
def direct_to_lds(chip: str, wave: int, text: str, rng: random.Random) -> None:
    if "lds" not in text:
        return
    kind = re.search(r"load_(?:lds_)?(\w+)", text)[1].split()[0].removesuffix("_lds")
    size = {"dword": 4, "ubyte": 1, "sbyte": 1, "ushort": 2, "sshort": 2}.get(kind)
    size = size or int(kind[-1]) * 4
    stored = max(size, 4)
    offsets = list(range(64))
    rng.shuffle(offsets)
    memory, lds = rng.randbytes(64 * 16 + 64), rng.randbytes(64 * 16 + 256)
    vgpr = {8: [16 * o for o in offsets], 9: [0] * 64}
    mask = random_exec(rng, 64)
    sgpr = {M0: 64, 10: 64 * 16 + 64, 11: 0x00027000, 24: 0}
    if text.startswith("buffer"):
        line = f"buffer_load_{kind} v8, s[8:11], s24 offen offset:8 lds"
    else:
        line = f"global_load_lds_{kind} v8, s[8:9] offset:8"
    after = run(
        chip, line, wave=64, vgpr=vgpr, sgpr=sgpr, exec=mask, memory=memory, memory_base=8, lds=lds
    )
    wanted = bytearray(lds)
    for lane in range(64):
        if mask >> lane & 1:
            at = vgpr[8][lane] + 8
            value = int.from_bytes(memory[at : at + size], "little", signed=kind[0] == "s")
            to = 64 + 8 + stored * lane
            wanted[to : to + stored] = (value & ((1 << 8 * stored) - 1)).to_bytes(stored, "little")
    got = after.lds
    for at in range(len(wanted)):
        if got[at] != wanted[at]:
            raise AssertionError(
                f"{chip}: {line}: LDS byte {at}: {wanted[at]:#x}, got {got[at]:#x}"
            )


@checks("s_(buffer_)?load_\\w+")
def scalar_load(chip: str, wave: int, text: str, rng: random.Random) -> None:
    """Every address form; sub-dword loads extend."""
    name, operands = text.split(" ", 1)
    kind = re.search(r"load_(\w+)", name)[1]
    size = {"u8": 1, "i8": 1, "u16": 2, "i16": 2}.get(kind)
    if size is None:
        digits = re.search(r"(\d+)$", kind)
        size = (int(digits[1]) // 8 if kind[0] == "b" else 4 * int(digits[1])) if digits else 4
    memory = rng.randbytes(256)
    start = 16 * rng.randrange(4) if size >= 4 else rng.randrange(32)
    sgpr = {i: rng.getrandbits(32) for i in range(16, 32)}
    sgpr[24] = start
    line = text
    at = 0x10 if re.search(r"0x10|offset:0x10", text) else 0
    if re.search(r"s24", operands):
        at += start
    if "buffer" in name:
        sgpr[10], sgpr[11] = 256, 0x00027000 if GENERATIONS[chip] == "gfx9" else 0x31004000
    after = run(chip, line, wave=wave, sgpr=sgpr, memory=memory, memory_base=8)
    first = int(re.match(r"s\[?(\d+)", operands)[1])
    value = int.from_bytes(memory[at : at + size], "little", signed=kind[0] == "i")
    for i in range(max(1, size // 4)):
        expect(
            f"{chip}: {line}: dword {i}",
            after.sgpr[first + i],
            value >> 32 * i & 0xFFFFFFFF,
        )


@checks("s_(buffer_|scratch_)?store_dword(x2|x4)?|s_scratch_load_dword(x2|x4)?")
def scalar_store(chip: str, wave: int, text: str, rng: random.Random) -> None:
    name, operands = text.split(" ", 1)
    count = int(name[-1]) if name[-1].isdigit() else 1
    memory = rng.randbytes(512)
    start = 64
    sgpr = {i: rng.getrandbits(32) for i in range(16, 24)}
    sgpr[24] = start
    # The offset register of the scratch forms counts dwords' worth of bytes 64 times: stay at one.
    at = (0x10 if "0x10" in text else 0) + (start if "s24" in operands else 0)
    if "scratch" in name:
        at = (0x10 if "0x10" in text else 0) + (64 * start if "s24" in operands else 0)
        memory = rng.randbytes(64 * start + 512)
    if "buffer" in name:
        sgpr[10], sgpr[11] = 512, 0x00027000
    after = run(chip, text, wave=wave, sgpr=sgpr, memory=memory, memory_base=8)
    if "load" in name:
        for i in range(count):
            value = int.from_bytes(memory[at + 4 * i : at + 4 * i + 4], "little")
            expect(f"{chip}: {text}: s{16 + i}", after.sgpr[16 + i], value)
        return
    data = b"".join(sgpr[16 + i].to_bytes(4, "little") for i in range(count))
    expect(f"{chip}: {text}", after.memory[at : at + 4 * count], data)
    expect(f"{chip}: {text}: before", after.memory[:at], memory[:at])
    expect(f"{chip}: {text}: behind", after.memory[at + 4 * count :], memory[at + 4 * count :])


@checks("s_(buffer_)?atomic_\\w+")
def scalar_atomic(chip: str, wave: int, text: str, rng: random.Random) -> None:
    name, operands = text.split(" ", 1)
    access = described("global_" + name.removeprefix("s_").removeprefix("buffer_"))
    size = access.bytes
    memory = bytearray(rng.randbytes(256))
    at = (0x10 if "0x10" in text else 0) + (64 if "s24" in operands else 0)
    old, data = value_for(rng, access), value_for(rng, access)
    other = old if rng.random() < 0.5 else value_for(rng, access)
    memory[at : at + size] = old.to_bytes(size, "little")
    sgpr = {24: 64}
    given = data | other << 8 * size
    for i in range(4):
        sgpr[16 + i] = given >> 32 * i & 0xFFFFFFFF
    if "buffer" in name:
        sgpr[10], sgpr[11] = 256, 0x00027000
    for line, returns in ((text, False), (f"{text} glc", True)):
        after = run(chip, line, wave=wave, sgpr=sgpr, memory=bytes(memory), memory_base=8)
        wanted = bytearray(memory)
        wanted[at : at + size] = exchanged(access, old, data, other).to_bytes(size, "little")
        expect(f"{chip}: {line}: old {old:#x} data {data:#x}", after.memory, bytes(wanted))
        for i in range(size // 4):
            kept = (old if returns else given) >> 32 * i & 0xFFFFFFFF
            expect(f"{chip}: {line}: s{16 + i}", after.sgpr[16 + i], kept)


@checks("s_dcache_discard(_x2)?")
def discard(chip: str, wave: int, text: str, rng: random.Random) -> None:
    run(chip, text, wave=wave, sgpr={24: 0}, memory=bytes(256), memory_base=8)


@checks("s_memtime|s_memrealtime")
def clock(chip: str, wave: int, text: str, rng: random.Random) -> None:
    """Time does not run backwards."""
    name = text.split()[0]
    lines = f"{name} s[16:17]\ns_nop 0\n{name} s[18:19]"
    after = run(chip, lines, wave=wave)
    first, second = (after.sgpr[i] | after.sgpr[i + 1] << 32 for i in (16, 18))
    if second < first:
        raise AssertionError(f"{chip}: {name}: {first} then {second}")


@checks("s_barrier_(signal|signal_isfirst|wait)")
def split_barrier(chip: str, wave: int, text: str, rng: random.Random) -> None:
    lines = "s_barrier_signal -1\ns_barrier_wait -1\ns_mov_b32 s9, 1"
    after = run(chip, lines, wave=wave)
    expect(f"{chip}: {lines}", after.sgpr[9], 1)
    lines = "s_barrier_signal_isfirst -1\ns_barrier_wait -1\ns_cselect_b32 s9, 5, 6"
    after = run(chip, lines, wave=wave)
    expect(f"{chip}: {lines}", after.sgpr[9], 5)


@checks("t?buffer_(load|store)_(d16_)?(hi_)?format_(d16_)?(hi_)?(x|xy|xyz|xyzw)")
def formatted(chip: str, wave: int, text: str, rng: random.Random) -> None:
    """The 32-bit float format: x is the data; a load fills the rest with 0, 0, 1."""
    name = text.split()[0]
    gfx9 = GENERATIONS[chip] == "gfx9"
    count = len(name.rsplit("_", 1)[1])
    halves, high = "d16" in name, "_hi" in name
    dwords = (count + 1) // 2 if halves else count
    typed = name.startswith("t")
    register = "v16" if dwords == 1 else f"v[16:{15 + dwords}]"
    form = ""
    if typed:
        form = (
            " format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]"
            if gfx9
            else " format:[BUF_FMT_32_FLOAT]"
        )
    line = f"{name} {register}, v8, s[8:11], s24{form} offen offset:4"
    # DST_SEL x, y, z, w; the format stands in the descriptor for untyped instructions.
    word3 = 0xFAC | (7 << 12 | 4 << 15 if gfx9 else 22 << 12 | 3 << 28)
    slots = list(range(64))
    rng.shuffle(slots)
    mask = random_exec(rng, wave)
    numbers = [n.from_float(rng.choice([0.5, -1.25, 3.0, 96.0, -0.0078125]), n.F32) for _ in slots]
    memory = bytearray(rng.randbytes(64 * 8 + 16))
    vgpr = rows(rng, *range(16, 20))
    vgpr[8] = [8 * s for s in slots]
    if "load" in name:
        for lane in range(64):
            at = vgpr[8][lane] + 4
            memory[at : at + 4] = numbers[lane].to_bytes(4, "little")
    else:
        for lane in range(64):
            value = n.convert(numbers[lane], n.F32, n.F16) if halves else numbers[lane]
            vgpr[16][lane] = (
                (
                    value << 16 | vgpr[16][lane] & 0xFFFF
                    if high
                    else value | vgpr[16][lane] & ~0xFFFF
                )
                if halves
                else value
            ) & 0xFFFFFFFF
    after = run(
        chip,
        line,
        wave=wave,
        vgpr=vgpr,
        sgpr={10: len(memory), 11: word3, 24: 0},
        exec=mask,
        memory=bytes(memory),
        memory_base=8,
        read=list(range(16, 16 + dwords)),
    )
    wanted = bytearray(memory)
    for lane in range(wave):
        if not mask >> lane & 1:
            continue
        at = vgpr[8][lane] + 4
        if "store" in name:
            wanted[at : at + 4] = numbers[lane].to_bytes(4, "little")
            continue
        parts = [numbers[lane], 0, 0, 0x3F800000][:count]
        if halves:
            parts = [n.convert(p, n.F32, n.F16) for p in parts]
            if high:
                values = [vgpr[16][lane] & 0xFFFF | parts[0] << 16]
            else:
                padded = parts + [None] * (len(parts) % 2)
                values = [
                    low | ((up << 16) if up is not None else vgpr[16 + i][lane] & 0xFFFF0000)
                    for i, (low, up) in enumerate(zip(padded[::2], padded[1::2], strict=True))
                ]
        else:
            values = parts
        for i, value in enumerate(values):
            got = after.vgpr[16 + i][lane]
            same = got == value or (
                halves
                and count % 2
                and i == dwords - 1
                and not high
                and got & 0xFFFF == value & 0xFFFF
            )
            if not same:
                raise AssertionError(
                    f"{chip}: {line}: lane {lane} v{16 + i}: expected {value:#x}, got {got:#x}"
                )
    expect(f"{chip}: {line}: memory", after.memory, bytes(wanted))


@checks("global_(load|store)_addtid_b32")
def global_addtid(chip: str, wave: int, text: str, rng: random.Random) -> None:
    load = "load" in text.split()[0]
    memory = rng.randbytes(512)
    vgpr = rows(rng, 32)
    mask = random_exec(rng, wave)
    line = f"{text.split()[0]} v32, s[8:9] offset:8"
    after = run(
        chip, line, wave=wave, vgpr=vgpr, exec=mask, memory=memory, memory_base=8, read=[32]
    )
    wanted, registers = bytearray(memory), vgpr[32][:wave]
    for lane in range(wave):
        if mask >> lane & 1:
            at = 8 + 4 * lane
            if load:
                registers[lane] = int.from_bytes(memory[at : at + 4], "little")
            else:
                wanted[at : at + 4] = vgpr[32][lane].to_bytes(4, "little")
    expect(f"{chip}: {line}", after.vgpr[32], registers)
    expect(f"{chip}: {line}: memory", after.memory, bytes(wanted))


@checks(
    "v_nop|s_nop|s_waitcnt.*|s_wait_.*|s_sleep|s_sleep_var|s_setprio|s_clause|s_delay_alu|"
    "s_icache_inv|s_code_end|s_inst_prefetch|s_set_inst_prefetch_distance|s_dcache_(inv|wb).*|"
    "s_gl1_inv|buffer_(inv|wbl2|gl0_inv|gl1_inv)|global_(inv|wb|wbinv)|s_incperflevel|"
    "s_decperflevel|s_ttracedata.*|s_prefetch.*|s_buffer_prefetch.*|s_round_mode|s_denorm_mode|"
    "s_wakeup|s_sethalt|s_setkill|s_version|s_singleuse_vdst|s_setprio_inc_wg|ds_nop|v_pipeflush|"
    "v_clrexcp|s_sendmsg|s_barrier|s_endpgm|s_endpgm_saved|s_set_gpr_idx_off|s_nop"
)
def quiet(chip: str, wave: int, text: str, rng: random.Random) -> None:
    """Nothing but the program counter, waits and MODE change."""
    if re.match(r"s_waitcnt_\w+ s16", text):  # the sweep's register; the assembler takes null only
        text = text.replace("s16", "null")
    vgpr, sgpr = rows(rng, 8, 16, 24), {i: rng.getrandbits(32) for i in range(8, 32)}
    memory = bytes(256)
    after = run(
        chip, text, wave=wave, vgpr=vgpr, sgpr=sgpr, memory=memory, memory_base=8, read=[8, 16, 24]
    )
    for index in (8, 16, 24):
        expect(f"{chip}: {text}: v{index}", after.vgpr[index], vgpr[index][:wave])
    for index in range(10, 32):
        expect(f"{chip}: {text}: s{index}", after.sgpr[index], sgpr[index])
    if text.startswith("s_round_mode"):
        expect(text, after.mode & 0xF, int(text.split()[1], 0) & 0xF)
    if text.startswith("s_denorm_mode"):
        expect(text, after.mode >> 4 & 0xF, int(text.split()[1], 0) & 0xF)


@checks(
    "s_branch|s_cbranch_(scc0|scc1|vccz|vccnz|execz|execnz)|s_call_b64|s_getpc_b64|"
    "s_setpc_b64|s_swappc_b64"
)
def branches(chip: str, wave: int, text: str, rng: random.Random) -> None:
    """One of two moves is jumped over."""
    name = text.split()[0]
    for flag in (0, 1):
        vcc = flag * rng.getrandbits(31)
        mask = flag * ((1 << wave) - 1)
        sgpr = {VCC: vcc, VCC + 1: 0}
        taken = {
            "s_cbranch_scc0": not flag,
            "s_cbranch_scc1": bool(flag),
            "s_cbranch_vccz": vcc == 0,
            "s_cbranch_vccnz": vcc != 0,
            "s_cbranch_execz": mask == 0,
            "s_cbranch_execnz": mask != 0,
        }.get(name, True)
        if name in ("s_getpc_b64", "s_setpc_b64", "s_swappc_b64"):
            # From behind s_getpc: s_add 4, s_addc 4, the jump 4, the move jumped over 4.
            jump = (
                "s_setpc_b64 s[20:21]"
                if name == "s_setpc_b64"
                else ("s_swappc_b64 s[22:23], s[20:21]")
            )
            lines = [
                "s_getpc_b64 s[20:21]",
                "s_add_u32 s20, s20, 16",
                "s_addc_u32 s21, s21, 0",
                jump,
                "s_mov_b32 s8, 1",
                "s_mov_b32 s9, 1",
            ]
        elif name == "s_call_b64":
            lines = ["s_call_b64 s[20:21], over", "s_mov_b32 s8, 1", "over:", "s_mov_b32 s9, 1"]
        else:
            lines = [f"{name} over", "s_mov_b32 s8, 1", "over:", "s_mov_b32 s9, 1"]
        after = run(chip, "\n".join(lines), wave=wave, sgpr=sgpr, exec=mask, scc=flag)
        where = f"{chip}: {name} flag {flag}"
        expect(where, after.sgpr[8], 0 if taken else 1)
        expect(where, after.sgpr[9], 1)


@checks("s_(getreg_b32|setreg_b32|setreg_imm32_b32)")
def mode_register(chip: str, wave: int, text: str, rng: random.Random) -> None:
    """Through the denormal fields, which every handler honours."""
    value = rng.getrandbits(2)
    after = run(
        chip,
        f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), {value}\n"
        "s_getreg_b32 s8, hwreg(HW_REG_MODE, 4, 2)\n"
        "s_setreg_b32 hwreg(HW_REG_MODE, 6, 2), s9\n"
        "s_getreg_b32 s10, hwreg(HW_REG_MODE, 6, 2)",
        wave=wave,
        sgpr={9: 2},
        mode=0xF0,
    )
    expect(f"{chip}: mode", (after.sgpr[8], after.sgpr[10]), (value, 2))
    expect(f"{chip}: mode", after.mode & 0xFF, value << 4 | 2 << 6)


@checks("s_set_gpr_idx_(on|idx|mode)")
def register_index(chip: str, wave: int, text: str, rng: random.Random) -> None:
    vgpr = rows(rng, *range(8, 40))
    step = rng.randrange(8)
    for mode, source, target in (("SRC0", 24 + step, 8), ("DST", 24, 8 + step)):
        after = run(
            chip,
            f"s_set_gpr_idx_on s10, gpr_idx({mode})\nv_mov_b32 v8, v24\ns_set_gpr_idx_off",
            wave=wave,
            vgpr=vgpr,
            sgpr={10: step},
            read=[target],
        )
        expect(f"{chip}: gpr_idx {mode} {step}", after.vgpr[target], vgpr[source][:wave])


@checks("v_dot2(c|acc)?_(f32|f16|bf16)_(f16|bf16)")
def dot2_bounded(chip: str, wave: int, text: str, rng: random.Random) -> None:
    """Within one unit of the largest term; test_matrix holds gfx11 and gfx12 to the bit."""
    name = re.sub(r"_(e64_dpp8|e64_dpp|dpp8|dpp|e64|e32)$", "", text.split()[0])
    if "dpp" in text or "row_" in text:
        return
    form = n.BF16 if name.endswith("bf16") else n.F16
    target = n.F32 if "_f32_" in name else form
    moderate = [
        (form.bias + rng.randint(-3, 3)) << form.fraction_bits
        | rng.getrandbits(form.fraction_bits)
        | rng.getrandbits(1) << 15
        for _ in range(256)
    ]
    vgpr = {
        24: [moderate[k] | moderate[k + 64] << 16 for k in range(64)],
        16: [moderate[k + 128] | moderate[k + 192] << 16 for k in range(64)],
    }
    start = [n.from_float(rng.uniform(-4, 4), target) for _ in range(64)]
    accumulates = "dot2c_" in name or "dot2acc" in name
    vgpr[8 if accumulates else 32] = start
    if accumulates:
        line = f"{name} v8, v24, v16"
    elif target is n.F32:
        line = f"{name} v8, v24, v16, v32"
    else:
        line = f"{name} v8.l, v24, v16, v32.l"
    after = run(chip, line, wave=wave, vgpr=vgpr, read=[8])
    for lane in range(wave):
        pairs = [
            (n.to_float(vgpr[24][lane] >> s & 0xFFFF, form), n.to_float(vgpr[16][lane] >> s, form))
            for s in (0, 16)
        ]
        terms = [a * b for a, b in pairs] + [n.to_float(start[lane], target)]
        got = n.to_float(after.vgpr[8][lane], target)
        bound = max(abs(t) for t in terms) * 2.0 ** -(target.fraction_bits - 1)
        if abs(got - sum(terms)) > bound:
            raise AssertionError(f"{chip}: {line}: lane {lane}: {got} for {sum(terms)}")


def check_form(
    chip: str, wave: int, name: str, text: str, rounds: int = 2
) -> tuple[int, list[str]]:
    check = find(name)
    assert check is not None
    rng = random.Random(zlib.crc32(f"{chip} {wave} {text}".encode()))

    def refusal(refused: Refused) -> str:
        what = "refused" if assembles(refused) else "does not assemble"
        return f"{chip}: {text}: {what}: {refused}"

    return attempt([partial(check, chip, wave, text, rng)] * rounds, refusal)
