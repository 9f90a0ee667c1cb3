"""One tracing run of a program: the native builder and what its inputs are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import TypeVar

from ringwright import _ringwright as native
from ringwright.bootstrapping import Wanted, shapes
from ringwright.ckks import Ciphertext, Input, Parameters
from ringwright.errors import DepthError, ParameterError, ProgramError, RingwrightError
from ringwright.plain import Plain, PlainOperand
from ringwright.rotations import Checked
from ringwright.source_line import user_line, where
from ringwright.vector import Operation, Vector

__all__ = ["Trace", "Type"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Type:
    """What is known of an input; nothing left open.

    `group`: inputs of one number may have errors in common; `None`: this one's are its own.
    `plain`: the input comes in the clear; level, scale, noise and peak are 0.
    """

    level: int
    scale: float
    max: float
    rms: float
    noise: float
    peak: float
    length: int
    group: int | None = None
    plain: bool = False

    @classmethod
    def of_all(
        cls,
        given: Sequence[Input | Ciphertext | Plain],
        declared: Sequence[Input],
        parameters: Parameters,
    ) -> tuple[Type, ...]:
        """Of all inputs of a program. A declared one stands for a ciphertext of its own."""
        examples = [each for each in given if isinstance(each, Ciphertext)]
        groups = iter(native.error_groups(examples))
        pairs = zip(given, declared, strict=True)
        types = [cls.of(each, wanted, parameters) for each, wanted in pairs]
        return tuple(
            replace(ty, group=next(groups)) if isinstance(each, Ciphertext) else ty
            for ty, each in zip(types, given, strict=True)
        )

    @classmethod
    def of(cls, given: Input | Ciphertext | Plain, declared: Input, parameters: Parameters) -> Type:
        """Of a declaration, or by example; a ciphertext has the length that was declared."""
        if isinstance(given, Plain):
            given = declared if declared.plain else _declared_by(given)
        length = declared.length if isinstance(given, Ciphertext) else given.length
        length = parameters.slots if length is None else length
        if not 1 <= length <= parameters.slots:
            raise ParameterError(
                f"an input of length {length} given; 1 to {parameters.slots} slots allowed"
            )
        if isinstance(given, Ciphertext):
            ratings = (given.max, given.rms, given.noise, given.peak)
            return cls(given.level, given.scale, *ratings, length)
        if given.plain:
            rms = given.max if given.rms is None else given.rms
            return cls(0, 0.0, given.max, rms, 0.0, 0.0, length, plain=True)
        scale = parameters.scale if given.scale is None else given.scale
        fresh = parameters.fresh_noise_at(scale, given.max)
        noise = fresh if given.noise is None else given.noise
        return cls(
            parameters.levels if given.level is None else given.level,
            scale,
            given.max,
            given.max if given.rms is None else given.rms,
            noise,
            noise,
            length,
        )


def _declared_by(given: Plain) -> Input:
    """What stands for numbers that nothing was declared of: powers of two that bound them."""
    maximum, rms = _bound(given.max), _bound(given.rms)
    return Input(max=maximum, rms=rms, length=len(given), plain=True)


def _bound(value: float) -> float:
    return float(2.0 ** ceil(log2(value))) if value else 0.0


class Trace:
    """The maker of a program's vectors: values are the builder's numbers."""

    def __init__(
        self,
        builder: native.ProgramBuilder,
        parameters: Parameters,
        rotations: Checked | None = None,
        bootstrap: Wanted = None,
        renew_at: int = 0,
    ) -> None:
        self.builder = builder
        self.parameters = parameters
        self.slots = parameters.slots
        #: The rotations that have keys; `None`: each of its own.
        self.rotations = rotations
        #: Of what a bootstrapping may be made where levels are used up; none: there is none.
        self._bootstrap = shapes(bootstrap)
        #: Operands of so many towers or fewer are bootstrapped before they are used.
        self._renew_at = renew_at
        #: By a value that had too few levels, the same one with new ones.
        self._renewed: dict[int, int] = {}
        #: Values that have new levels, all of them.
        self._fresh: set[int] = set()

    def build(self, operation: Operation, *values: int) -> int:
        """Adds an operation at the user's line; an error gets that line in front.

        Where levels are used up, the operand with the fewest gets new ones, for whatever comes
        after as well, if the program is said to bootstrap.
        """
        self.ready(*values)
        while True:
            newest = [self._newest(value) for value in values]
            try:
                return self._at_line(lambda: operation(self.builder, *newest))  # noqa: B023 - at once
            except DepthError:
                if self.renew(*values):
                    continue
                if not self._bootstrap:
                    raise
                left = max(map(self.builder.level, newest)) - 1
                raise DepthError(
                    f"{where()}: an operation that takes more levels at once than the {left} that "
                    "a bootstrapping leaves"
                ) from None

    def renew(self, *values: int) -> bool:
        """Bootstraps the value with the fewest levels; whether it has more then."""
        if not self._bootstrap:
            return False
        lowest = min(map(self._newest, values), key=self.builder.level)
        if lowest in self._fresh:
            return False
        fresh = self._bootstrapped(lowest)
        self._renewed[lowest] = fresh
        self._fresh.add(fresh)
        return self.builder.level(fresh) > self.builder.level(lowest)

    def _bootstrapped(self, value: int) -> int:
        """By the first shape that the parameters carry; where none is, the first one's refusal."""
        refused: ParameterError | None = None
        for shape in self._bootstrap:
            try:
                return self._at_line(lambda: self.builder.bootstrap(value, shape))  # noqa: B023
            except ParameterError as error:
                refused = refused or error
        raise refused or ProgramError("no bootstrapping")

    def _newest(self, value: int) -> int:
        while value in self._renewed:
            value = self._renewed[value]
        return value

    def call(
        self, program: native.HeProgram, vectors: Sequence[Vector], lengths: Sequence[int]
    ) -> tuple[Vector, ...]:
        """What a program returns for these vectors, one operation at the user's line."""
        numbers = [self.number(vector) for vector in vectors]
        values = self._at_line(lambda: self.builder.call(program, numbers))
        pairs = zip(values, lengths, strict=True)
        return tuple(Vector(self, value, length) for value, length in pairs)

    def called_type(self, vector: Vector, declared: Input | None) -> Type:
        """What a program that is called is traced for: few types, so that many calls share them.

        Level, scale and length are the vector's. Values are as large as was declared, or up to the
        next power of two, and so is the noise; errors may have something in common. What they are
        in a call is known there.
        """
        number = self.number(vector)
        known = declared or Input(max=_bound(self.maximum(number)))
        level = vector.level if known.level is None else known.level
        noise, peak = map(_bound, self.builder.noise(number))
        rms = known.max if known.rms is None else known.rms
        return Type(level, vector.scale, known.max, rms, noise, peak, vector.length, group=0)

    def _at_line(self, add: Callable[[], _T]) -> _T:
        file, line = user_line()
        self.builder.at(file, line)
        try:
            return add()
        except RingwrightError as error:
            raise type(error)(f"{file}:{line}: {error}") from None

    def ready(self, *values: int) -> None:
        """Bootstraps those of values that are about to be used which have few levels."""
        for value in values:
            if self.level(value) <= self._renew_at:
                self.renew(value)

    def level(self, value: int) -> int:
        """Towers of a value."""
        return self.builder.level(self._newest(value))

    def scale(self, value: int) -> float:
        """Scale of a value."""
        return self.builder.scale(self._newest(value))

    def maximum(self, value: int) -> float:
        """Bound on a value's slots."""
        return self.builder.maximum(self._newest(value))

    def placed(self, value: int, parts: Sequence[int]) -> None:
        """Declares that every slot of a value is a slot of one of the parts, or zero."""
        self.builder.placed(self._newest(value), parts)

    def input(self, name: str, ty: Type) -> Vector | PlainOperand:
        """One parameter of the program."""
        if ty.plain:
            plain = self.builder.plain(name, ty.max, ty.rms)
            return PlainOperand(self, plain, name, ty.length)
        ratings = (ty.max, ty.rms, ty.noise, ty.peak)
        number = self.builder.input(name, ty.level, ty.scale, *ratings, ty.group)
        return Vector(self, number, ty.length)

    def number(self, vector: Vector) -> int:
        """The number of a returned vector."""
        if vector._maker is not self:
            raise ProgramError(f"{where()}: a vector of another program is used here")
        number: int = vector._value
        return self._newest(number)
