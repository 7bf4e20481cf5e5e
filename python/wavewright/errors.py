"""Every failure that a user can meet, as one family of exceptions.

Each carries the place in the user's own source, what was wrong with the numbers in it, and what to
do. Where a failure is also a wrong type, value, name or key, the concrete class derives from that
built-in exception too, so `except TypeError` works.
"""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A place in the user's source; line and column count from 1, 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Error(Exception):
    """Base of the family. `message` has no place in it, `str()` has."""

    def __init__(self, message: str, place: Place | tuple[str, int, int] | None = None) -> None:
        self.message = message
        self.place = Place(*place) if place is not None and place[0] else None
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message

    def __reduce__(self) -> tuple[type, tuple[str, Place | None]]:
        return type(self), (self.message, self.place)


class UsageError(Error):
    """A wrong argument, option, name or file."""


class TraceError(Error):
    """What a kernel says cannot be traced."""


class VerifyError(Error):
    """A pass refuses the program."""


class CompileError(Error):
    """LLVM refuses the program."""


class ResourceError(Error):
    """A kernel needs more registers, scratch or LDS than it may have."""


class LaunchError(Error):
    """A launch cannot start, or stops."""


class CheckError(Error):
    """A check of the emulator found something."""


class TraceTypeError(TraceError, TypeError):
    """A value of the wrong kind in a kernel."""


class TraceValueError(TraceError, ValueError):
    """A number in a kernel that cannot be."""


class TraceAttributeError(TraceError, AttributeError):
    """A name that a value of a kernel does not have."""


class TraceKeyError(TraceError, KeyError):
    """A name that is not in a table, as a chip that does not exist."""

    __str__ = Error.__str__


class LaunchTypeError(LaunchError, TypeError):
    """An argument of the wrong kind at a launch."""


class LaunchValueError(LaunchError, ValueError):
    """An argument of a launch whose shape, strides or extent cannot be."""
