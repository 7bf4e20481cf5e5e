"""Runs a memory instruction in its address form against the rules of memory.py."""

from __future__ import annotations

import random
import zlib
from functools import partial

from .device import EXEC, M0, State, attempt, run
from .memory import described, exchanged, generation, loaded, value_for
from .text import Instruction, Operand, parse

REGION = 8192
SLOT = 64  # bytes that belong to a lane


def spread(value: int, dwords: int) -> list[int]:
    return [value >> 32 * i & 0xFFFFFFFF for i in range(dwords)]


class Case:
    """Start values, and where each lane's access lies in the region."""

    def __init__(self, chip: str, wave: int, text: str, rng: random.Random) -> None:
        self.chip, self.wave, self.text, self.rng = chip, wave, text, rng
        self.inst = parse(text)
        access = described(self.inst.name)
        assert access is not None
        self.access = access
        self.space = self.inst.name.partition("_")[0]
        self.region = bytearray(rng.randbytes(REGION))
        self.vgpr: dict[int, list[int]] = {}
        self.sgpr: dict[int, int] = {}
        order = list(range(64))
        rng.shuffle(order)
        align = access.bytes if self.space == "ds" or access.type else min(access.bytes, 4)
        align = 16 if access.bytes in (12, 16) else align
        inner = [rng.randrange(0, SLOT - 2 * access.bytes + 1, align) for _ in range(64)]
        self.offsets = [SLOT * slot + i for slot, i in zip(order, inner, strict=True)]
        self.slots = order
        self.exec = rng.choice([-1, rng.getrandbits(64)]) & ((1 << wave) - 1)
        if access.type or access.kind == "exchange2":
            for lane in range(64):
                value = value_for(rng, access)
                self.poke(self.offsets[lane], value, access.bytes)

    def poke(self, offset: int, value: int, size: int) -> None:
        value &= (1 << 8 * size) - 1
        self.region[offset : offset + size] = value.to_bytes(size, "little")

    def peek(self, offset: int, size: int) -> int:
        return int.from_bytes(self.region[offset : offset + size], "little")

    def fill(self, operand: Operand, values: list[int]) -> None:
        for i in range(operand.dwords):
            self.vgpr[operand.index + i] = [v >> 32 * i & 0xFFFFFFFF for v in values]

    def register(self, operand: Operand, lane: int) -> int:
        return sum(self.vgpr[operand.index + i][lane] << 32 * i for i in range(operand.dwords))


def check_lds(chip: str, wave: int, text: str, rng: random.Random) -> None:
    inst = parse(text)
    access = described(inst.name)
    two = access.kind in ("load2", "store2", "exchange2")
    if two:
        text += " offset0:1 offset1:3" if access.stride < 64 else " offset0:1 offset1:2"
    else:
        text += f" offset:{16 * rng.randint(0, 3)}"
    case = Case(chip, wave, text, rng)
    inst = case.inst
    operands = list(inst.operands)
    has_result = access.kind.startswith("load") or "_rtn" in inst.name
    result = operands.pop(0) if has_result else None
    address, data = operands[0], operands[1:]
    shift = 0 if two else int(inst.modifiers["offset"])
    if two and access.stride >= 256:
        case.offsets = [4 * lane if access.bytes == 4 else 8 * lane for lane in range(64)]
    elif two:
        case.offsets = [SLOT * slot for slot in case.slots]
    case.fill(address, [(o - shift) & 0xFFFFFFFF for o in case.offsets])
    if shift:
        # Addresses are unsigned: keep them so.
        case.fill(address, [o for o in case.offsets])
        case.offsets = [o + shift for o in case.offsets]
        if access.type or access.kind == "exchange2":
            for lane in range(64):
                case.poke(case.offsets[lane], value_for(rng, access), access.bytes)
    for operand in data:
        values = [
            rng.getrandbits(32 * operand.dwords) if not access.type else value_for(rng, access)
            for _ in range(64)
        ]
        case.fill(operand, values)
    if access.operation == "cmpswap":
        compare = data[0 if access.compare_first else 1]
        case.fill(
            compare,
            [
                case.peek(o, access.bytes) if rng.random() < 0.5 else rng.getrandbits(32)
                for o in case.offsets
            ],
        )
    if result:
        case.fill(result, [rng.getrandbits(32 * result.dwords) for _ in range(64)])
    case.sgpr[M0] = 0xFFFFFFFF
    lds_before = bytes(case.region)
    after = run(
        chip,
        text,
        wave=wave,
        vgpr=case.vgpr,
        sgpr=case.sgpr,
        exec=case.exec,
        lds=lds_before,
        read=sorted(set(range(result.index, result.index + result.dwords)) if result else []),
    )
    places = [int(inst.modifiers["offset0"]), int(inst.modifiers["offset1"])] if two else [0]
    for lane in range(wave):
        active = case.exec >> lane & 1
        old_result = case.register(result, lane) if result else 0
        expected = old_result
        if active:
            expected = 0
            for i, place in enumerate(places):
                at = case.offsets[lane] + place * access.stride
                old = int.from_bytes(lds_before[at : at + access.bytes], "little")
                if access.kind == "load":
                    expected = loaded(access, lds_before[at : at + access.bytes], old_result)
                elif access.kind == "store":
                    case.poke(at, case.register(data[0], lane) >> access.shift, access.bytes)
                elif access.kind == "atomic":
                    second = case.register(data[1], lane) if len(data) > 1 else 0
                    first = case.register(data[0], lane) if data else 0
                    case.poke(at, exchanged(access, old, first, second), access.bytes)
                    expected = old
                else:
                    expected |= old << 8 * access.bytes * i
                    if access.kind != "load2":
                        case.poke(at, case.register(data[i], lane), access.bytes)
        if result:
            compare_result(case, after, result, lane, expected)
    compare_region(case, after.lds)


def compare_result(case: Case, after: State, result: Operand, lane: int, expected: int) -> None:
    got = sum(after.vgpr[result.index + i][lane] << 32 * i for i in range(result.dwords))
    assert got == expected, (
        f"{case.chip} wave{case.wave}: {case.text}: lane {lane}, "
        f"{'on' if case.exec >> lane & 1 else 'off'}: expected {expected:#x}, got {got:#x}, "
        f"address offset {case.offsets[lane]:#x}"
    )


def compare_region(case: Case, got: bytes) -> None:
    if got == bytes(case.region):
        return
    at = next(i for i in range(REGION) if got[i] != case.region[i])
    lane = next((k for k in range(64) if case.offsets[k] // SLOT == at // SLOT), -1)
    start = at & ~7
    raise AssertionError(
        f"{case.chip} wave{case.wave}: {case.text}: memory at {at:#x} (lane {lane}): expected "
        f"{bytes(case.region[start : start + 16]).hex()}, got {got[start : start + 16].hex()}"
    )


def with_offset(text: str, imm: int) -> str:
    """The offset stands in front of the cache bits."""
    for word in (" sc0", " sc1", " glc", " th:"):
        if word in text:
            return text.replace(word, f" offset:{imm}{word}", 1)
    return f"{text} offset:{imm}"


def check_global(chip: str, wave: int, text: str, form: str, rng: random.Random) -> None:
    """flat_, global_ and buffer_ in every address form."""
    first = parse(text)
    imm = rng.choice([0, 8, 16, 64] if described(first.name).type else [0, 4, 16, 64])
    if first.name.startswith("global") and rng.random() < 0.4:
        imm = -16
    text = with_offset(text, imm)
    case = Case(chip, wave, text, rng)
    inst, access = case.inst, case.access
    operands = list(inst.operands)
    buffer = case.space == "buffer"
    returns = (
        access.kind == "load"
        or inst.modifiers.get("sc0")
        or inst.modifiers.get("glc")
        or inst.modifiers.get("th") == "TH_ATOMIC_RETURN"
        or "rtn" in form
    )
    if buffer:
        data = result = operands.pop(0)
    elif returns:
        result = operands.pop(0)
        data = None if access.kind == "load" else operands[1]
    else:
        result, data = None, operands[1]
    address = operands[0]
    if access.kind != "load":
        result = result if returns else None
    else:
        data = None
    common = False  # all lanes at one address
    memory_base, vmemory_base = 8, None
    soffset = 0
    if buffer:
        soffset = 16
        case.sgpr[24] = soffset
        case.sgpr[10] = REGION
        case.sgpr[11] = 0x00027000 if generation(chip) == "gfx9" else 0x31004000
        both = "idxen" in form and "offen" in form
        fixed = imm + soffset
        if both:
            case.sgpr[-9] = 128 << 16
            index = [slot // 2 for slot in case.slots]
            inner = [
                SLOT * (slot % 2) + o % SLOT
                for slot, o in zip(case.slots, case.offsets, strict=True)
            ]
            case.vgpr[address.index] = index
            case.vgpr[address.index + 1] = inner
            case.offsets = [128 * i + o + fixed for i, o in zip(index, inner, strict=True)]
        elif "idxen" in form:
            case.sgpr[-9] = SLOT << 16
            case.vgpr[address.index] = list(case.slots)
            case.offsets = [SLOT * slot + fixed for slot in case.slots]
        elif "offen" in form:
            case.vgpr[address.index] = list(case.offsets)
            case.offsets = [o + fixed for o in case.offsets]
        else:
            common = True
            case.offsets = [fixed] * 64
        if both or "idxen" in form:
            stride = case.sgpr.pop(-9)
            case.sgpr[-9] = stride
            if generation(chip) == "gfx9":
                case.sgpr[10] = 64
    elif "saddr" in form:
        case.vgpr[address.index] = [o + 32 for o in case.offsets]
        case.offsets = [o + 32 + imm for o in case.offsets]
    else:
        vmemory_base, memory_base = address.index, 40
        case.vgpr[address.index] = [o + 32 for o in case.offsets]
        case.vgpr[address.index + 1] = [0] * 64
        case.offsets = [o + 32 + imm for o in case.offsets]
    if common and access.kind != "load":
        case.exec = 1 << rng.randrange(wave)
    if access.type:
        for lane in range(64):
            case.poke(case.offsets[lane], value_for(rng, access), access.bytes)
    count = max(1, access.bytes // 4)
    if data is not None:
        values = []
        for lane in range(64):
            value = value_for(rng, access) if access.type else rng.getrandbits(32 * data.dwords)
            if access.operation == "cmpswap":
                # Data stands in front of what is compared.
                old = case.peek(case.offsets[lane], access.bytes)
                other = old if rng.random() < 0.5 else rng.getrandbits(8 * access.bytes)
                value |= other << 8 * access.bytes
            values.append(value)
        case.fill(data, values)
    if result is not None and result is not data:
        case.fill(result, [rng.getrandbits(32 * result.dwords) for _ in range(64)])
    stride_word = case.sgpr.pop(-9, 0)
    before = bytes(case.region)
    after = run(
        chip,
        text,
        wave=wave,
        vgpr=case.vgpr,
        sgpr=case.sgpr,
        exec=case.exec,
        memory=before,
        memory_base=memory_base,
        memory_or=stride_word,
        vmemory_base=vmemory_base,
        read=list(range(result.index, result.index + result.dwords)) if result else [],
    )
    for lane in range(wave):
        active = case.exec >> lane & 1
        at = case.offsets[lane]
        old_result = case.register(result, lane) if result else 0
        expected = old_result
        if active:
            old = int.from_bytes(before[at : at + access.bytes], "little")
            if access.kind == "load":
                expected = loaded(access, before[at : at + access.bytes], old_result)
            elif access.kind == "store":
                case.poke(at, case.register(data, lane) >> access.shift, access.bytes)
            else:
                given = case.register(data, lane)
                mask = (1 << 8 * access.bytes) - 1
                new = exchanged(access, old, given & mask, given >> 8 * access.bytes)
                case.poke(at, new, access.bytes)
                expected = old
                if result is data and access.operation == "cmpswap":
                    # Only the first half of the pair receives the old value.
                    expected |= old_result & ~mask
        if result:
            compare_result(case, after, result, lane, expected)
    compare_region(case, after.memory)
    del count


def check_scratch(chip: str, wave: int, text: str, form: str, rng: random.Random) -> None:
    """A pattern is stored dword by dword first, and read back after a store."""
    imm = rng.choice([0, 4, 16])
    text += f" offset:{imm}"
    case = Case(chip, wave, text, rng)
    inst, access = case.inst, case.access
    align = 16 if access.bytes >= 12 else 4
    lane_part = [rng.randrange(0, 64, align) if "vaddr" in form else 0 for _ in range(64)]
    scalar_part = 32 if "saddr" in form else 0
    case.sgpr[8] = scalar_part
    image = [bytearray(rng.randbytes(160)) for _ in range(64)]
    setup, reading = [], []
    for i in range(40):
        case.vgpr[100 + i] = [
            int.from_bytes(image[lane][4 * i : 4 * i + 4], "little") for lane in range(64)
        ]
        store = "scratch_store_dword" if generation(chip) == "gfx9" else "scratch_store_b32"
        load = "scratch_load_dword" if generation(chip) == "gfx9" else "scratch_load_b32"
        setup.append(f"{store} off, v{100 + i}, off offset:{4 * i}")
        reading.append(f"{load} v{150 + i}, off, off offset:{4 * i}")
    operands = list(inst.operands)
    if access.kind == "load":
        result, address, data = operands[0], operands[1], None
        case.fill(result, [rng.getrandbits(32 * result.dwords) for _ in range(64)])
    else:
        address, data, result = operands[0], operands[1], None
        case.fill(data, [rng.getrandbits(32 * data.dwords) for _ in range(64)])
    if address.bank == "v":
        case.fill(address, lane_part)
    mask = hex(case.exec)
    if wave == 64:
        case.sgpr[40], case.sgpr[41] = case.exec & 0xFFFFFFFF, case.exec >> 32
        masked = ["s_mov_b64 exec, s[40:41]", text, "s_mov_b64 exec, -1"]
    else:
        case.sgpr[40] = case.exec
        masked = ["s_mov_b32 exec_lo, s40", text, "s_mov_b32 exec_lo, -1"]
    read = [150 + i for i in range(40)]
    if result:
        read += range(result.index, result.index + result.dwords)
    after = run(
        chip,
        "\n".join(setup + masked + reading),
        wave=wave,
        vgpr=case.vgpr,
        sgpr=case.sgpr,
        scratch=256,
        read=read,
    )
    for lane in range(wave):
        at = imm + scalar_part + lane_part[lane]
        old_result = case.register(result, lane) if result else 0
        expected = old_result
        if case.exec >> lane & 1:
            if access.kind == "load":
                expected = loaded(access, bytes(image[lane][at : at + access.bytes]), old_result)
            else:
                value = case.register(data, lane) >> access.shift & ((1 << 8 * access.bytes) - 1)
                image[lane][at : at + access.bytes] = value.to_bytes(access.bytes, "little")
        if result:
            compare_result(case, after, result, lane, expected)
        got = b"".join(after.vgpr[150 + i][lane].to_bytes(4, "little") for i in range(40))
        assert got == bytes(image[lane]), (
            f"{chip} wave{wave}: {text}: exec {mask}: lane {lane}: private memory differs"
        )


def check_form(
    chip: str, wave: int, text: str, form: str, rounds: int = 2
) -> tuple[int, list[str]]:
    rng = random.Random(zlib.crc32(f"{chip} {wave} {text} {form}".encode()))
    space = text.partition("_")[0]
    if space == "ds":
        trial = partial(check_lds, chip, wave, text, rng)
    elif space == "scratch":
        trial = partial(check_scratch, chip, wave, text, form, rng)
    else:
        trial = partial(check_global, chip, wave, text, form, rng)
    return attempt([trial] * rounds, lambda refused: f"{chip}: {text}: refused: {refused}")


def instruction(text: str) -> Instruction:
    return parse(text)


_ = EXEC
