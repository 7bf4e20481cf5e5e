"""Every instruction of every chip that has a reference, in every form that the device executes."""

from __future__ import annotations

import pytest

from .coverage import pending, reference_of, run_form
from .instructions import CHIPS, instruction_set

GROUPS = ("vector", "scalar", "memory", "matrix", "special")
# The quick run takes of these chips only what the older one of the generation has not.
SIBLINGS = {"gfx950": "gfx942", "gfx1151": "gfx1100"}


def compare(chip: str, group: str, thorough: bool) -> None:
    failures: list[str] = []
    idle: list[str] = []
    known = set()
    if not thorough and chip in SIBLINGS:
        known = {e["name"] for e in instruction_set(SIBLINGS[chip])}
    for entry in instruction_set(chip):
        if reference_of(chip, entry) != group or entry["name"] in known:
            continue
        ran = 0
        executed = [f for f in entry["forms"] if "refusal" not in f]
        for form in executed:
            count, wrong = run_form(chip, entry, form, thorough)
            ran += count + len(wrong)
            failures += [w for w in wrong if not pending(w)]
        if executed and not ran:
            idle.append(entry["name"])
    assert not failures, f"{len(failures)} differ:\n" + "\n".join(failures[:40])
    assert not idle, f"have a reference, but nothing was compared: {idle}"


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("chip", CHIPS)
def test_instructions_agree_with_their_references(chip: str, group: str) -> None:
    compare(chip, group, thorough=False)


@pytest.mark.long
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("chip", CHIPS)
def test_all_spellings_agree_with_their_references(chip: str, group: str) -> None:
    compare(chip, group, thorough=True)
