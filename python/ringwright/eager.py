"""Operations computed at once, outside a program: the maker of a server's vectors.

Every operation is a program of its own, prepared once for each type of operands and constants. It
costs what the operation costs in a program; what a program gains by being seen as a whole (one
check before anything runs, keys collected, rotations that share work) it cannot have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ringwright import _ringwright as native
from ringwright.ckks import Ciphertext, EvaluationKeys
from ringwright.errors import RingwrightError
from ringwright.rotations import Rotations, checked_rotations, compose_rotations
from ringwright.source_line import user_line
from ringwright.vector import Operation

__all__ = ["Eager"]


#: What is known of an input: level, scale, largest value, root mean square, noise, peak, group.
_Known: TypeAlias = tuple[int, float, float, float, float, float, int | None]


class Eager:
    """Carries operations out with a server's keys; values are ciphertexts."""

    def __init__(
        self,
        evaluator: native.Evaluator,
        keys: EvaluationKeys,
        rotations: Rotations | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._keys = keys
        #: By the program's text and what is known of its inputs.
        self._prepared: dict[tuple[str, tuple[_Known, ...]], native.Prepared] = {}
        self._rotations = checked_rotations(rotations)
        self.slots = keys.parameters.slots

    def build(self, operation: Operation, *values: Ciphertext) -> Ciphertext:
        """The operation's result. An error has the user's line in front."""
        file, line = user_line()
        builder = native.ProgramBuilder(self._keys.parameters, "eager", "", 0)
        compose_rotations(builder, self._rotations, self.slots, f"{file}:{line}")
        distinct = list({id(value): value for value in values}.values())
        groups = native.error_groups(distinct)
        known = tuple(map(_known, distinct, groups))
        inputs = [builder.input(f"x{index}", *each) for index, each in enumerate(known)]
        numbers = {id(value): number for value, number in zip(distinct, inputs, strict=True)}
        try:
            result = operation(builder, *(numbers[id(value)] for value in values))
            prepared = self._prepare(builder.finish([result]), known)
            (made,) = prepared.run(distinct, self._keys)
        except RingwrightError as error:
            raise type(error)(f"{file}:{line}: {error}") from None
        return made

    def level(self, value: Ciphertext) -> int:
        """Towers of a ciphertext."""
        return value.level

    def scale(self, value: Ciphertext) -> float:
        """Scale of a ciphertext."""
        return value.scale

    def maximum(self, value: Ciphertext) -> float:
        """Bound on a ciphertext's slots."""
        return value.max

    def renew(self, *_: Ciphertext) -> bool:
        """Nothing: a server's vectors are bootstrapped where that is asked for."""
        return False

    def ready(self, *_: Ciphertext) -> None:
        """Nothing, as `renew`."""

    def placed(self, value: Ciphertext, parts: Sequence[Ciphertext]) -> None:
        """Nothing: a ciphertext's noise has been said."""

    def _prepare(self, program: native.HeProgram, known: tuple[_Known, ...]) -> native.Prepared:
        key = (program.text, known)
        if key not in self._prepared:
            self._prepared[key] = self._evaluator.prepare(program, self._keys)
        return self._prepared[key]


def _known(value: Ciphertext, group: int | None) -> _Known:
    return value.level, value.scale, value.max, value.rms, value.noise, value.peak, group
