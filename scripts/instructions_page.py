#!/usr/bin/env python3
"""Writes docs/instructions.md: opcode x chip x grade, and how much of each chip is covered.

An instruction is covered when the device executes every form of it that the decoder knows, and
tests/isa holds it against a reference.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from isa.coverage import GRAPHICS, pending_names, reference_of  # noqa: E402
from isa.instructions import CHIPS, instruction_set  # noqa: E402

PAGE = ROOT / "docs" / "instructions.md"
LETTERS = {"exact": "E", "characterised": "C", "unverified": "U"}


def mark(chip: str, entry: dict) -> str:
    if entry["class"] == GRAPHICS:
        return "no"
    executed = [f for f in entry["forms"] if "refusal" not in f]
    if not executed:
        return "no"
    text = LETTERS[entry["grade"]]
    if not entry["executes"]:
        text += " (some forms)"
    if reference_of(chip, entry) is None or pending_names(entry["name"]):
        text += " *"
    return text


def covered(chip: str, entry: dict) -> bool:
    return (
        entry["executes"]
        and reference_of(chip, entry) is not None
        and not pending_names(entry["name"])
    )


def percent(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)"


def page() -> str:
    lines = [
        "# Instructions",
        "",
        "Written by `scripts/instructions_page.py`; a test holds it up to date.",
        "",
        "The rows are what LLVM's disassembler names in a sweep of every encoding of the chip "
        "(`wavewright instructions <chip>`). E: exact, by IEEE or integer rules. C: follows a rule "
        "measured on silicon. U: unverified, the manual's text or a bound. `*`: no reference in "
        "`tests/isa` yet. no: not executed. Graphics instructions (image, ray tracing, export, "
        "global wave sync, interpolation) are not emulated and stand in no row.",
        "",
        "| chip | compute instructions | executed in every form | of these with a reference |",
        "| --- | ---: | ---: | ---: |",
    ]
    marks: dict[tuple[str, str], dict[str, str]] = {}
    for chip in CHIPS:
        compute = [e for e in instruction_set(chip) if e["class"] != GRAPHICS]
        executed = sum(e["executes"] for e in compute)
        both = sum(covered(chip, e) for e in compute)
        lines.append(
            f"| {chip} | {len(compute)} | {percent(executed, len(compute))} | "
            f"{percent(both, len(compute))} |"
        )
        for entry in compute:
            marks.setdefault((entry["class"], entry["name"]), {})[chip] = mark(chip, entry)
    for kind in sorted({k for k, _ in marks}):
        lines += ["", f"## {kind}", "", f"| instruction | {' | '.join(CHIPS)} |"]
        lines.append("| --- |" + " :-: |" * len(CHIPS))
        for (each, name), cells in sorted(marks.items()):
            if each == kind:
                lines.append(f"| `{name}` | {' | '.join(cells.get(c, '') for c in CHIPS)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    print("\n".join(line for line in PAGE.read_text().splitlines() if line.startswith("| gfx")))
