"""What a program declares of its inputs, and whether what is given keeps to it::

@rw.program(inputs={"x": rw.ckks.Input(max=1.0, length=10)})
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from ringwright import _ringwright as native
from ringwright.errors import ParameterError
from ringwright.plain import Plain

__all__ = ["Input", "check_length", "with_length"]

Ciphertext: TypeAlias = native.Ciphertext

# Bounds are computed in double precision, here and on the way.
_ROUNDED = 1 + 2**-40


@dataclass(frozen=True, repr=False)
class Input:
    """What a program expects of one input, encrypted unless `plain`.

    `max` and `rms`: bounds on the largest and root-mean-square absolute slot value, from which
    noise and headroom are predicted (`rms=None`: as `max`). `level`: towers that are left
    (`None`: all). `scale`: `None` for the parameters' own. `noise`: standard deviation of a
    coefficient's error (`None`: that of a fresh encryption). `length`: numbers that the vector has
    (`None`: as many as there are slots); the slots after them are undefined.

    `plain`: the input is in the clear and comes as `rw.Plain` with each run; its length divides the
    slots where none is declared, and the numbers are repeated.

    What carries more is refused before anything runs (`check`).
    """

    max: float = 1.0
    rms: float | None = None
    level: int | None = None
    scale: float | None = None
    noise: float | None = None
    length: int | None = None
    plain: bool = False

    def __post_init__(self) -> None:
        for name in ("level", "length"):
            kinds = (int, np.integer)
            _check_declared(name, getattr(self, name), kinds, "an integer from 1 on", least=1)
        for name in ("max", "rms", "scale", "noise"):
            value, numbers = getattr(self, name), (int, float, np.integer, np.floating)
            _check_declared(name, value, numbers, "a finite number from 0 on")
        cannot = [name for name in ("level", "scale", "noise") if getattr(self, name) is not None]
        if self.plain and cannot:
            raise ParameterError(
                f"Input: {cannot[0]} given of a plain input; it is encoded where it is used"
            )
        if self.rms is not None and self.rms > self.max:
            raise ParameterError(f"Input: rms = {self.rms}, max = {self.max}; rms <= max allowed")

    def __repr__(self) -> str:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        given = [
            f"{name}={value!r}" for name, value in values.items() if value not in (None, False)
        ]
        return f"Input({', '.join(given)})"

    def check_plain(self, what: str, given: Plain, slots: int) -> None:
        """Raises `ParameterError` for larger numbers than were declared, or another length."""
        for name in ("max", "rms"):
            carried, allowed = getattr(given, name), getattr(self, name)
            if allowed is not None and carried > allowed * _ROUNDED:
                raise ParameterError(f"{what}: {name} = {carried:g} given; {allowed:g} declared")
        if self.length is None and slots % len(given):
            raise ParameterError(
                f"{what}: {len(given)} numbers given; a length that divides the {slots} slots "
                "allowed, or a declared one"
            )
        if self.length not in (None, len(given)):
            raise ParameterError(f"{what}: {len(given)} numbers given; {self.length} declared")

    def check(self, what: str, given: Ciphertext) -> None:
        """Raises `ParameterError` where a ciphertext carries larger values than were declared, more
        noise, or a vector of another length (a shorter one has zeros up to it).
        """
        for name in ("max", "rms", "noise"):
            carried, allowed = getattr(given, name), getattr(self, name)
            if allowed is not None and carried > allowed * _ROUNDED:
                raise ParameterError(
                    f"{what}: {name} = {carried:g} is what the ciphertext carries; {name} = "
                    f"{allowed:g} declared. Values below it carry it when they are encrypted as "
                    f"declared: client.encrypt(values, {self})"
                )
        check_length(what, given, self.length)


def check_length(what: str, given: Ciphertext, declared: int | None) -> None:
    """Raises `ParameterError` where slots would count that the ciphertext says nothing of, or
    numbers of it would not. `declared`: `None` for all slots.
    """
    length = given.parameters.slots if declared is None else declared
    carried = given.length
    if carried > length or (carried < length and not given.zeros_beyond):
        meant = f"all {length} slots" if declared is None else f"length {length}"
        raise ParameterError(
            f"{what}: the ciphertext is a vector of length {carried}; {meant} declared. "
            f"Input(length={carried}) declares it"
        )


def with_length(computed: Ciphertext, length: int) -> Ciphertext:
    """A result as a vector of its length; the slots beyond are undefined."""
    if length == computed.length:
        return computed
    return computed.with_length(length, zeros_beyond=False)


def _check_declared(
    name: str, value: Any, kinds: tuple[type, ...], allowed: str, least: int = 0
) -> None:
    if value is None and name != "max":
        return
    known = isinstance(value, kinds) and not isinstance(value, bool)
    if not known or not _is_finite(value) or value < least:
        raise ParameterError(f"Input: {name} = {value!r} given; {allowed} allowed")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False
