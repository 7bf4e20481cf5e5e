"""Every program of programs/, on every chip against the host.

`pytest tests/differential` compiles each source at one optimisation level a chip, in turn; --long
the whole matrix of chips, levels, code object versions and, on RDNA, both wave sizes.
"""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

import pytest
import twin

import wavewright

SOURCES = sorted((twin.FOLDER / "programs").glob("*.cpp"))
LEVELS = ["O1", "O3", "O0"]
WAVE64 = ("-mwavefrontsize64", "-DWIDE")


def variants() -> list[tuple[str, str, tuple[str, ...]]]:
    plain = [(chip, level, ()) for chip, level in itertools.product(twin.CHIPS, LEVELS)]
    wide = [(chip, level, WAVE64) for chip in twin.CHIPS[2:] for level in LEVELS]
    old = [(chip, "O2", ("-mcode-object-version=5",)) for chip in twin.CHIPS]
    return plain + wide + old


def cases() -> list:
    """All sources in all variants; the quick ones are one level a chip, so that each source meets
    every level and each chip every source."""
    found = []
    for number, source in enumerate(SOURCES):
        programs = twin.programs_of(source.read_text())
        for chip, level, extra in variants():
            if not any(p.runs_on(chip, twin.wave_size(chip, extra)) for p in programs):
                continue
            turn = LEVELS[(number + twin.CHIPS.index(chip)) % len(LEVELS)]
            quick = (level == turn and not extra) or (
                extra == WAVE64
                and source.stem in ("lanes", "matrix")
                and (chip, level) == ("gfx1100", "O1")
            )
            name = "-".join([source.stem, chip, level, *(e.lstrip("-") for e in extra[:1])])
            marks = () if quick else (pytest.mark.long,)
            found.append(pytest.param(source, chip, level, extra, id=name, marks=marks))
    return found


@functools.cache
def host(source: Path) -> twin.HostLibrary:
    return twin.HostLibrary(source.read_text())


@functools.cache
def wanted(source: Path, program: twin.Program, wave: int) -> list:
    return host(source).run(program, twin.make_inputs(program), wave or 64)


@functools.cache
def known() -> dict[str, str]:
    """Programs that LLVM compiles wrongly: `source program chips levels # reason`, one a line."""
    lines = (twin.FOLDER / "known_miscompilations.txt").read_text().splitlines()
    return {line.split("#")[0].strip(): line for line in lines if line and line[0] != "#"}


def is_known(source: Path, program: str, chip: str, level: str) -> bool:
    for key in known():
        where, name, chips, levels = key.split()
        if (where, name) == (source.stem, program):
            if any(chip.startswith(c) for c in chips.split(",")) and level in levels.split(","):
                return True
    return False


@pytest.mark.parametrize("source, chip, level, extra", cases())
def test_a_chip_computes_what_the_host_computes(source, chip, level, extra):
    text = source.read_text()
    wave = twin.wave_size(chip, extra)
    device = twin.DeviceModule(text, chip, level, extra)
    wrong, ran = [], 0
    for program in twin.programs_of(text):
        if not program.runs_on(chip, wave) or is_known(source, program.name, chip, level):
            continue
        ran += 1
        program = program.for_wave(wave)
        try:
            got = device.run(program, twin.make_inputs(program))
        except wavewright.Error as error:
            wrong.append(f"{program.name}: {error}")
            continue
        wrong += twin.differences(
            program, wanted(source, program, wave if program.wave else 0), got
        )
    assert ran and not wrong, "\n".join(wrong)


def test_there_are_at_least_a_hundred_programs():
    names = [p.name for source in SOURCES for p in twin.programs_of(source.read_text())]
    assert len(names) >= 100
    for source in SOURCES:
        named = [p.name for p in twin.programs_of(source.read_text())]
        assert len(set(named)) == len(named), source
