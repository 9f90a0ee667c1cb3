"""The user's line: which one asked for an operation, and what an error about it says."""

from __future__ import annotations

import os
import sys

import numpy as np

from ringwright.errors import ProgramError

__all__ = ["integer", "real", "user_line", "where"]

_FACE = os.path.dirname(os.path.abspath(__file__))
_NUMPY = os.path.dirname(np.__file__)


def where() -> str:
    """The user's file and line, for an error."""
    return ":".join(map(str, user_line()))


def user_line() -> tuple[str, int]:
    """File name and line of the innermost frame outside numpy and the modules of this folder.

    The packages below it (the camera) count as users.
    """
    frame = sys._getframe(1)
    while _is_ours(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return os.path.basename(frame.f_code.co_filename), frame.f_lineno


def _is_ours(file: str) -> bool:
    return os.path.dirname(file) == _FACE or file.startswith(_NUMPY + os.sep)


def integer(name: str, value: object, low: int | None = None, high: int | None = None) -> int:
    """The value, if an integer within the range; else `ProgramError` at the user's line."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        number = int(value)
        if (low is None or low <= number) and (high is None or number <= high):
            return number
    allowed = "an integer"
    if low is not None:
        allowed += f" from {low}" + (f" to {high}" if high is not None else " on")
    raise ProgramError(f"{where()}: {name} = {value!r} given; {allowed} allowed")


def real(name: str, value: object) -> float:
    """The value, if a real number; else `ProgramError` at the user's line."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return float(value)
    raise ProgramError(f"{where()}: {name} = {value!r} given; a real number allowed")
