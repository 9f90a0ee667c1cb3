"""Operations computed at once, outside a program: the maker of a server's vectors.

Every operation is a program of its own, prepared once for each type of operands and constants. It
costs what the operation costs in a program; what a program gains by being seen as a whole (one
check before anything runs, keys collected, rotations that share work) it cannot have.
"""

from __future__ import annotations

from collections.abc import Sequence

from ringwright import _ringwright as native
from ringwright.ckks import Ciphertext, EvaluationKeys
from ringwright.errors import RingwrightError
from ringwright.source_line import user_line
from ringwright.vector import Operation

__all__ = ["Eager"]


class Eager:
    """Carries operations out with a server's keys; values are ciphertexts."""

    def __init__(self, evaluator: native.Evaluator, keys: EvaluationKeys) -> None:
        self._evaluator = evaluator
        self._keys = keys
        self._prepared: dict[str, native.Prepared] = {}
        self.slots = keys.parameters.slots

    def build(self, operation: Operation, *values: Ciphertext) -> Ciphertext:
        """The operation's result. An error has the user's line in front."""
        file, line = user_line()
        builder = native.ProgramBuilder(self._keys.parameters, "eager", "", 0)
        distinct = list({id(value): value for value in values}.values())
        groups = native.error_groups(distinct)
        named = enumerate(zip(distinct, groups, strict=True))
        numbers = {id(value): _input(builder, i, value, group) for i, (value, group) in named}
        try:
            result = operation(builder, *(numbers[id(value)] for value in values))
            prepared = self._prepare(builder.finish([result]))
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

    def placed(self, value: Ciphertext, parts: Sequence[Ciphertext]) -> None:
        """Nothing: a ciphertext's noise has been said."""

    def _prepare(self, program: native.HeProgram) -> native.Prepared:
        if program.text not in self._prepared:
            self._prepared[program.text] = self._evaluator.prepare(program)
        return self._prepared[program.text]


def _input(builder: native.ProgramBuilder, index: int, value: Ciphertext, group: int | None) -> int:
    ty = (value.level, value.scale, value.max, value.rms, value.noise, value.peak)
    return builder.input(f"x{index}", *ty, group)
