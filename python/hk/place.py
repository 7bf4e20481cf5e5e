"""Where the user is: the frames of a kernel's own source, and errors that name them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from types import CodeType, FrameType

from wavewright.errors import Error, Place

_HERE = os.path.dirname(os.path.abspath(__file__))
#: Files of the language itself; a frame in any other file is the user's.
_OWN = frozenset(os.path.join(_HERE, name) for name in os.listdir(_HERE) if name.endswith(".py"))
_positions: dict[int, tuple[CodeType, list[tuple[int, int]]]] = {}


def user_frames(depth: int = 1) -> Iterator[FrameType]:
    """The user's frames, innermost first."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        # The constructor of a dataclass has no file: its globals say whose it is.
        file = frame.f_code.co_filename
        if file not in _OWN and not (
            file == "<string>" and frame.f_globals.get("__name__") == "hk.types"
        ):
            yield frame
        frame = frame.f_back


def line_and_column(code: CodeType, instruction: int, line: int) -> tuple[int, int]:
    """Line and column (from 1) of an instruction of ``code``; its offset counts bytes."""
    known = _positions.get(id(code))
    if known is None:
        table = [(start or 0, (column or 0) + 1) for start, _, column, _ in code.co_positions()]
        known = _positions[id(code)] = (code, table)
    position = known[1][instruction // 2] if instruction >= 0 else (0, 0)
    return position if position[0] else (line, 0)


def place_of(frame: FrameType) -> Place:
    line, column = line_and_column(frame.f_code, frame.f_lasti, frame.f_lineno)
    return Place(frame.f_code.co_filename, line, column)


def here() -> Place | None:
    """The place of the user's innermost frame."""
    for frame in user_frames(2):
        return place_of(frame)
    return None


def fail(error: type[Error], message: str, place: Place | None = None) -> Error:
    """The exception to raise: ``raise fail(TraceTypeError, "...")``."""
    return error(message, place or here())


def nearest(name: str, names: Iterable[str]) -> str:
    """``"; did you mean 'rows'?"``, or the names there are, or nothing."""
    names = [n for n in names if not n.startswith("_")]
    close = get_close_matches(name, names, 1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; there are {', '.join(sorted(names))}" if names else ""
