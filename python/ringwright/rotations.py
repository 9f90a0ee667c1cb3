"""Which rotations have keys of their own; every other is composed of these.

An evaluation key has megabytes, and a program needs one for every step by which it rotates.
`rotations="powers"` of `rw.program` makes it rotate by 1, 2, 4, ... only: log2(N/2) keys serve
every step, at a key switch for each of its bits. With `"signed powers"`, nearly twice the keys,
steps go both ways and take fewer. Steps in a list compose what they can. The fewest parts are
taken, and what rotations of one vector begin with is done once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ringwright import _ringwright as native
from ringwright.errors import ProgramError, RingwrightError
from ringwright.source_line import integer, where

__all__ = ["Checked", "Rotations", "checked_rotations", "compose_rotations"]

Rotations: TypeAlias = Literal["powers", "signed powers"] | Sequence[int]
#: As a program keeps them.
Checked: TypeAlias = str | tuple[int, ...]

_SIGNED = {"powers": False, "signed powers": True}


def checked_rotations(given: Any) -> Checked | None:
    """As it is kept; `ProgramError` at the user's line for anything else."""
    if given is None or (isinstance(given, str) and given in _SIGNED):
        return given
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise ProgramError(
            f"{where()}: rotations = {given!r} given; 'powers', 'signed powers' or a list of steps "
            "allowed"
        )
    return tuple(integer("a step of rotations", step) for step in given)


def compose_rotations(
    builder: native.ProgramBuilder, rotations: Checked | None, slots: int, at: str
) -> None:
    """Has the builder compose what follows; an error has the place in front."""
    if isinstance(rotations, str):
        builder.compose_rotations_of_powers(_SIGNED[rotations])
    elif rotations is not None:
        try:
            builder.compose_rotations([step % slots for step in rotations])
        except RingwrightError as error:
            raise type(error)(f"{at}: {error}") from None
