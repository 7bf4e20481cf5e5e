"""The assembler's spelling of one instruction, taken apart."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

SUFFIX = re.compile(r"_(e64_dpp8|e64_dpp|dpp8|dpp|sdwa|e64|e32)$")
SPECIAL = {
    "vcc": (106, 2),
    "vcc_lo": (106, 1),
    "vcc_hi": (107, 1),
    "exec": (126, 2),
    "exec_lo": (126, 1),
    "exec_hi": (127, 1),
    "m0": (124, 1),
    "null": (125, 1),
}


@dataclass
class Operand:
    bank: str  # "v", "a", "s", "literal", "scc", "off"
    index: int = 0
    dwords: int = 1
    half: str = ""  # "l", "h"
    negative: bool = False
    absolute: bool = False
    sext: bool = False
    value: int | float = 0
    spelled: str = ""


@dataclass
class Instruction:
    mnemonic: str
    name: str
    suffix: str
    operands: list[Operand]
    modifiers: dict[str, object] = field(default_factory=dict)


def operand(text: str) -> Operand:
    spelled = text = text.strip()
    negative = absolute = sext = False
    if text.startswith("sext(") and text.endswith(")"):
        sext, text = True, text[5:-1]
    if text.startswith("-") and not re.match(r"-[\d.]", text):
        negative, text = True, text[1:]
    if text.startswith("neg("):
        negative, text = True, text[4:-1]
    if text.startswith("|") and text.endswith("|"):
        absolute, text = True, text[1:-1]
    half = ""
    if re.search(r"^[va]\d+\.[lh]$", text):
        half, text = text[-1], text[:-2]
    found = re.fullmatch(r"(v|a|s|ttmp)(?:(\d+)|\[(\d+)(?::(\d+))?\])", text)
    common = dict(half=half, negative=negative, absolute=absolute, sext=sext, spelled=spelled)
    if found:
        first = int(found[2] or found[3])
        last = int(found[4] or first)
        bank, first = ("s", first + 108) if found[1] == "ttmp" else (found[1], first)
        return Operand(bank, first, last - int(found[2] or found[3]) + 1, **common)
    if text in SPECIAL:
        index, dwords = SPECIAL[text]
        return Operand("s", index, dwords, **common)
    if re.fullmatch(r"-?\d+", text):
        return Operand("literal", value=int(text), **common)
    if re.fullmatch(r"-?0x[0-9a-f]+", text):
        return Operand("literal", value=int(text, 16), **common)
    if re.fullmatch(r"-?\d+\.\d+", text):
        return Operand("literal", value=float(text), **common)
    return Operand(text, **common)


def float_bits(value: float, size: int) -> int:
    code = {16: "e", 32: "f", 64: "d"}[size]
    return int.from_bytes(struct.pack("<" + code, value), "little")


def parse(text: str) -> Instruction:
    text = text.strip()
    mnemonic, _, rest = text.partition(" ")
    found = SUFFIX.search(mnemonic)
    suffix = found[1] if found else ""
    name = mnemonic[: found.start()] if found else mnemonic
    # Operands are separated by commas outside of brackets; what follows the last one are modifiers.
    parts, depth, current = [], 0, ""
    for c in rest:
        depth += c in "[("
        depth -= c in "])"
        if c == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += c
    words = current.split()
    modifiers: dict[str, object] = {}
    if words:
        parts.append(words[0])
        words = words[1:]
    elif current.strip():
        parts.append(current)
    for word in words:
        key, _, value = word.partition(":")
        if value.startswith("["):
            parts_of = value[1:-1].split(",")
            numeric = all(re.fullmatch(r"-?(0x)?[0-9a-fA-F]+", x) for x in parts_of)
            modifiers[key] = [int(x, 0) for x in parts_of] if numeric else value
        elif value:
            modifiers[key] = int(value, 0) if re.fullmatch(r"-?(0x)?[0-9a-fA-F]+", value) else value
        else:
            modifiers[key] = True
    return Instruction(mnemonic, name, suffix, [operand(p) for p in parts if p.strip()], modifiers)
