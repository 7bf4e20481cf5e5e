"""One line of assembly on the device, or as many as a test needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from wavewright.errors import Error

from wavewright.emulator import run_asm


class Refused(Exception):
    """The line does not assemble, or the device does not execute it."""


@dataclass
class State:
    vgpr: dict[int, list[int]] = field(default_factory=dict)
    sgpr: list[int] = field(default_factory=list)
    scc: int = 0
    mode: int = 0
    lds: bytes = b""
    memory: bytes = b""


VCC, M0, EXEC = 106, 124, 126
BASE = 0x1240000000  # where `memory` lies


def run(
    chip: str,
    text: str,
    *,
    wave: int,
    vgpr: dict[int, list[int]] | None = None,
    sgpr: dict[int, int] | None = None,
    agpr: dict[int, list[int]] | None = None,
    exec: int = -1,
    scc: int = 0,
    mode: int | None = None,
    lds: bytes | None = None,
    memory: bytes | None = None,
    memory_base: int | None = None,
    memory_or: int = 0,
    vmemory_base: int | None = None,
    scratch: int = 0,
    read: Sequence[int] = (),
) -> State:
    """`memory_base` names the scalar pair that gets the address of `memory` (`memory_or` is or-ed
    into its high half: the stride of a descriptor), `vmemory_base` the vector pair to which it is
    added. `read` lists the vector registers wanted."""
    rows = {k: np.array(v[:wave], dtype=np.uint32) for k, v in (vgpr or {}).items()}
    scalars = {k: v for k, v in (sgpr or {}).items() if k < EXEC}
    extra: dict[str, object] = {}
    if memory is not None:
        extra["memory"] = {BASE: memory}
        if memory_base is not None:
            scalars[memory_base] = BASE & 0xFFFFFFFF
            scalars[memory_base + 1] = BASE >> 32 | memory_or
        if vmemory_base is not None:
            low, high = rows[vmemory_base], rows[vmemory_base + 1]
            address = (low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)) + np.uint64(
                BASE
            )
            rows[vmemory_base] = address.astype(np.uint32)
            rows[vmemory_base + 1] = (address >> np.uint64(32)).astype(np.uint32)
    if agpr:
        extra["agpr"] = {k: np.array(v[:wave], dtype=np.uint32) for k, v in agpr.items()}
    if lds is not None:
        extra["lds"] = lds
    if mode is not None:
        extra["mode"] = mode
    try:
        result = run_asm(
            chip,
            text,
            wave_size=wave,
            vgpr=rows,
            sgpr=scalars,
            exec=exec & ((1 << wave) - 1),
            scc=scc,
            scratch=scratch,
            **extra,
        )
    except Error as error:
        raise Refused(f"{type(error).__name__}: {error}") from None
    return State(
        {i: result.vgpr[i].tolist() for i in read},
        [int(x) for x in np.asarray(result.sgpr[0:128])],
        int(result.scc),
        int(result.mode),
        result.lds.tobytes() if lds is not None else b"",
        np.asarray(result.memory[BASE]).tobytes() if memory is not None else b"",
    )


def assembles(refused: Refused) -> bool:
    """Whether the line got as far as the device."""
    return not str(refused).startswith("CompileError")


def attempt(
    trials: Iterable[Callable[[], int | None]], refusal: Callable[[Refused], str | None]
) -> tuple[int, list[str]]:
    """Runs trials up to the first that fails: how many comparisons ran, and what was wrong.

    A trial gives the number of its comparisons, None for one. ``refusal`` words a refusal, or gives
    None where it counts as nothing.
    """
    ran = 0
    for trial in trials:
        try:
            count = trial()
        except Refused as refused:
            said = refusal(refused)
            return ran, [said] if said else []
        except AssertionError as wrong:
            return ran, [str(wrong)]
        ran += 1 if count is None else count
    return ran, []
