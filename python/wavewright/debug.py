"""Debugging by hand: breakpoints, watched registers and traces of launches on the built-in device.

>>> import wavewright.debug
>>> with wavewright.debug.session(breaks=["kernel.py:12"], dump="v0-v3,exec") as session:
...     kernel(x, o)
>>> for event in session.events:
...     print(event)

Every launch of this thread inside of the ``with`` is looked at: of ``hk`` kernels,
``wavewright.launch``, ``Device.launch`` and ``wavewright.emulator``. Such launches run on one
thread, instruction by instruction, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from wavewright import _core
from wavewright.errors import Place

__all__ = ["Change", "Event", "Session", "session"]


class Change:
    """A register that an instruction changed: ``name``, ``lanes`` (their numbers; empty for
    scalars), ``before`` and ``now`` (uint64 arrays, one element a lane, or one)."""

    __slots__ = ("before", "lanes", "name", "now")

    def __init__(self, name: str, mask: int, before: list[int], now: list[int]) -> None:
        self.name = name
        vector = len(before) > 1
        self.lanes = [lane for lane in range(len(before)) if mask >> lane & 1] if vector else []
        self.before = np.array(before, dtype=np.uint64)
        self.now = np.array(now, dtype=np.uint64)

    def __repr__(self) -> str:
        return f"<Change {self.name} {'of lanes ' + str(self.lanes) if self.lanes else ''}>"


class Event:
    """What a debugger saw, with the wave stopped at ``instruction``.

    ``kind``: "break" (``values``: the dump, before the instruction), "watch" (``changes``) or
    "trace" (``values``: what the instruction wrote). ``kernel``, ``group`` (x, y, z), ``wave``,
    ``serial`` (instructions that the launch had executed before), ``address`` (in the code
    object), ``place`` (file, line, column) or None, ``exec`` (a lane mask), ``breakpoint`` as it
    was asked for.

    ``event["v3"]``: uint32, one element a lane; ``event["s4"]``, ``event["exec"]``: an int;
    ``event["lds[0:256]"]``: uint8.
    """

    def __init__(self, raw: _core.DebugEvent) -> None:
        self._raw = raw
        self.kind: str = raw.kind
        self.kernel: str = raw.kernel
        self.group: tuple[int, int, int] = raw.group
        self.wave: int = raw.wave
        self.serial: int = raw.serial
        self.address: int = raw.address
        self.exec: int = raw.exec
        self.instruction: str = raw.instruction
        self.breakpoint: str = raw.breakpoint
        self.place = Place(*raw.place) if raw.place else None
        self.values: dict[str, Any] = {}
        for name, per_lane, numbers, content in raw.values:
            if content:
                self.values[name] = np.frombuffer(content, dtype=np.uint8)
            elif per_lane:
                self.values[name] = np.array(numbers, dtype=np.uint32)
            else:
                self.values[name] = numbers[0]
        self.changes = [Change(*change) for change in raw.changes]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __str__(self) -> str:
        return self._raw.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Event {self.kind} at {self.place or hex(self.address)}: {self.instruction}>"


class Session:
    """The events of the launches that it looked at, in order. ``left_out`` counts those that
    ``limit`` left out."""

    def __init__(self, debugger: _core.Debugger, on_event: Callable[[Event], Any] | None) -> None:
        self._debugger = debugger
        self.events: list[Event] = []
        self._on_event = on_event

    @property
    def left_out(self) -> int:
        return self._debugger.left_out

    def _take(self, raw: _core.DebugEvent) -> bool:
        event = Event(raw)
        if self._on_event is None:
            self.events.append(event)
            return True
        return self._on_event(event) is not False


@contextmanager
def session(
    breaks: Sequence[str] = (),
    *,
    dump: str = "",
    watch: str = "",
    trace: bool = False,
    group: Sequence[int] | None = None,
    wave: int | None = None,
    limit: int = 1000,
    on_event: Callable[[Event], Any] | None = None,
) -> Iterator[Session]:
    """Looks at every launch inside of the ``with``.

    * ``breaks``: "file.py:12" (the file by its last parts), "function+0x10", "function", or an
      address in the code object, "0x1a40". Each wave stops at the first instruction of each run of
      the line
    * ``dump``: what a breakpoint shows: "v0-v15,s0-s7,a0,vcc,exec,m0,scc,mode,pc,lds[0:256],
      scratch[0:16]"
    * ``watch``: registers, masks or lds[first:last] whose every change is an event
    * ``trace``: every instruction is an event, with the registers that it wrote
    * ``group``, ``wave``: only this work-group (x, y, z) and this wave of a group
    * ``limit``: events after which the rest is only counted
    * ``on_event``: called with each :class:`Event` instead of keeping it, while the wave stands
      there; False ends the launch with a LaunchError

    UsageError says which place or register a kernel does not have, and what it has.
    """
    debugger = _core.Debugger(
        list(breaks),
        dump,
        watch,
        trace,
        tuple(group) + (0,) * (3 - len(group)) if group is not None else None,
        wave,
        limit,
    )
    found = Session(debugger, on_event)
    before = _core.set_debugger(debugger, found._take)
    try:
        yield found
    finally:
        _core.set_debugger(*before)
