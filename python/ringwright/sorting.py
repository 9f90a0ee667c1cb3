"""Sorting encrypted numbers: a bitonic network, many lists side by side in one vector.

    from ringwright import sorting
    ascending = sorting.sort_program(32)

Every stage compares each number with the one at a distance of 2^k in its list and keeps the smaller
or the larger of the two (Batcher, "Sorting networks and their applications", 1968): 15 stages for
32 numbers. With e half of the difference, they are x - e - abs(e) and x - e + abs(e), and abs(e) is
e times its sign. A sign of numbers that may be near to each other takes a dozen levels, so every
stage takes about two bootstrappings; tracing places them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ringwright as rw
from ringwright.errors import ParameterError

__all__ = ["sort_program", "stages"]

#: Of the sign: what it takes of a difference in every stage.
_SIGN_ERROR = 2.0**-12
#: What errors may have added to a number, or taken from a gap, on the way; a share.
_DRIFT = 2.0**-6
#: What differences are multiplied with, so that none leaves the sign's interval.
_SHARE = 1 - _DRIFT
#: No sign is off by more than the one in the clear: it is flat but for the smallest differences.
_SIGN_OFF = 2.0**-9
#: No number is off by more on the way than the one in the clear.
_OFF = 2.0**-16


def stages(length: int) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Of every stage, the distance, and by place in the list whether the larger number stays."""
    if length < 2 or length & (length - 1):
        raise ParameterError(f"lists of {length} numbers given; a power of two from 2 on allowed")
    places = np.arange(length)
    block = 2
    while block <= length:
        distance = block // 2
        while distance:
            ascending, lower = (places & block) == 0, (places & distance) == 0
            yield distance, ascending != lower
            distance //= 2
        block *= 2


def sort_program(
    length: int,
    gap: float = 2.0**-8,
    made_of: rw.ckks.Bootstrapping | None = None,
    level: int = 13,
) -> rw.Program:
    """The program that sorts every list of `length` numbers from 0 to 1, ascending.

    Lists lie one behind the other and fill the slots. Numbers of a list differ by `gap` or more:
    nearer ones come out in any order, and with values between theirs. `level`: of the input.

    Raises `ParameterError` for a length that is not a power of two, and when it is traced for
    parameters of fewer slots.
    """
    network = list(stages(length))

    @rw.program(
        inputs={"numbers": rw.ckks.Input(max=1.0, level=level)},
        bootstrap=made_of or rw.ckks.Bootstrapping(),
    )
    def ascending(numbers: rw.Vector) -> rw.Vector:
        lists = numbers.slots // length
        if not lists:
            raise ParameterError(f"lists of {length} numbers given; up to {numbers.slots} allowed")
        for distance, larger in network:
            lower = np.tile((np.arange(length) & distance) == 0, lists)
            up, down = -_SHARE * lower[:-distance], -_SHARE * ~lower[distance:]
            differences: dict[int, Any] = {0: _SHARE, distance: up, -distance: down}
            share = rw.Diagonals(differences, (numbers.slots, numbers.slots)) @ numbers
            sign = share.within(1.0).sign(gap * _SHARE**2, 1.0, _SIGN_ERROR)
            sign = sign.within(1 + 2 * _SIGN_ERROR, off=_SIGN_OFF)
            half = share * (0.5 / _SHARE)
            signed = half * (sign * np.where(larger, 1.0, -1.0))
            numbers = (numbers - half + signed).within(1 + _DRIFT, off=_OFF)
        return numbers

    return ascending
