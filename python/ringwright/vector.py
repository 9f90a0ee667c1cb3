"""Encrypted vectors.

A `Vector` records each operation with its *maker*: while a program is traced that is the trace
(`ringwright.tracing`), on a server outside a program the server itself, which computes at once
(`ringwright.eager`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2
from typing import Any, Protocol

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from ringwright import _ringwright as native
from ringwright.bootstrapping import Bootstrapping
from ringwright.ckks import Ciphertext
from ringwright.declared import with_length
from ringwright.diagonals import Diagonals
from ringwright.errors import DepthError, ProgramError
from ringwright.numpy_face import Matrix, NumpyFace, Series, common_length, constant
from ringwright.plain import PlainOperand
from ringwright.source_line import integer, where

__all__ = ["Maker", "Operation", "ScalesApart", "Vector"]

#: Adds one operation on numbered values to a program under construction.
Operation = Callable[..., int]


class ScalesApart(DepthError):
    """A sum of two scales with no level left to bring them together."""


class Maker(Protocol):
    """What carries operations out, or writes them down; values are its own."""

    slots: int

    def build(self, operation: Operation, *values: Any) -> Any:
        """The operation at the user's line; an error has that line in front."""

    def level(self, value: Any) -> int:
        """Towers of a value."""

    def scale(self, value: Any) -> float:
        """Scale of a value."""

    def maximum(self, value: Any) -> float:
        """Bound on a value's slots."""

    def renew(self, *values: Any) -> bool:
        """Gives the value with the fewest levels new ones, if that is wanted; whether it did."""

    def ready(self, *values: Any) -> None:
        """Says that values are about to be used, before their levels are compared."""

    def placed(self, value: Any, parts: Sequence[Any]) -> None:
        """Says that every slot of a value is a slot of one of the parts, or zero."""


class Vector(NumpyFace):
    """An encrypted vector: inside a program while it is traced, or of `Server.vector`.

    Operators as numpy's: `+ - * / **` and `@` between vectors of one length, with numbers and with
    numpy arrays; a vector of one number goes with every length. A product of encrypted vectors
    relinearises and rescales, one with numbers rescales: one level each. A vector that fills all
    slots also takes arrays whose length divides the slots; they are repeated.
    """

    def __init__(self, maker: Maker, value: Any, length: int, *, uniform: bool = False) -> None:
        self._maker = maker
        self._value = value
        self.slots = maker.slots
        self.length = length
        #: One number that stands in every slot.
        self._uniform = uniform

    @property
    def level(self) -> int:
        """Towers that are left, at least 1."""
        return self._maker.level(self._value)

    @property
    def scale(self) -> float:
        """Factor between slot values and the encrypted integers."""
        return self._maker.scale(self._value)

    @property
    def ciphertext(self) -> Ciphertext:
        """The ciphertext of a server's vector; a vector that is being traced has none."""
        if isinstance(self._value, native.Ciphertext):
            return with_length(self._value, self.length)
        raise ProgramError(
            f"{where()}: a program has no ciphertexts while it is traced: return the vector"
        )

    @property
    def full(self) -> bool:
        """Whether it fills all slots."""
        return self.length == self.slots

    def __repr__(self) -> str:
        return f"<encrypted vector of {self.length} numbers at level {self.level}>"

    def __add__(self, other: Any) -> Vector:
        if isinstance(other, Vector):
            a, b = self._matched(other)
            first, second = _aligned(a, b)
            return a._combined(b, lambda builder, x, y: builder.add(x, y), first, second)
        if isinstance(other, PlainOperand):
            return self.add_operand(other)
        if isinstance(other, (int, float)) and other == 0:  # where sum([x, y]) begins
            return self
        fitted, values = self._fitted(constant(other))
        return fitted._made(lambda builder, x: builder.add_constant(x, values))

    def __sub__(self, other: Any) -> Vector:
        if isinstance(other, PlainOperand):
            return -((-self) + other)
        if not isinstance(other, Vector):
            return super().__sub__(other)
        a, b = self._matched(other)
        first, second = _aligned(a, b)
        return a._combined(b, lambda builder, x, y: builder.sub(x, y), first, second)

    def __neg__(self) -> Vector:
        return self._made(lambda builder, x: builder.neg(x))

    def __mul__(self, other: Any) -> Vector:
        if isinstance(other, Vector):
            a, b = self._matched(other)
            return a._combined(
                b, lambda builder, x, y: builder.mul_rescale(x, y), a._value, b._value
            )
        if isinstance(other, PlainOperand):
            fitted = self._fitted_to(other)
            return fitted._made(lambda builder, x: builder.mul_plain_rescale(x, other.number))
        fitted, values = self._fitted(constant(other))
        return fitted._made(lambda builder, x: builder.mul_constant_rescale(x, values))

    __rmul__ = __mul__

    def add_operand(self, plain: PlainOperand) -> Vector:
        """The sum with a plain argument."""
        fitted = self._fitted_to(plain)
        return fitted._made(lambda builder, x: builder.add_plain(x, plain.number))

    def _fitted_to(self, plain: PlainOperand) -> Vector:
        """The vector as it goes with a plain argument."""
        if plain.maker is not self._maker:
            raise ProgramError(f"{where()}: a plain argument of another program is used here")
        if plain.length == 1 or (self.full and self.slots % plain.length == 0):
            return self
        length = common_length(self.length, plain.length)
        if self.length == length:
            return self
        return Vector(self._maker, self._spread(length)._value, length)

    def _conjugated(self, steps: int) -> Vector:
        return self._made(lambda builder, x: builder.rotate_conjugate(x, steps))

    def masked(self) -> Vector:
        """Zero in the slots beyond the length; one level where there are any."""
        if self.full:
            return self
        ones = np.zeros(self.slots)
        ones[: self.length] = 1
        masked = self._maker.build(
            lambda builder, x: builder.mul_constant_rescale(x, ones), self._value
        )
        return Vector(self._maker, masked, self.length)

    def _window(self, count: int, stride: int) -> Vector:
        return self._made(lambda builder, x: builder.sum(x, count, stride))

    def _linear(self, matrix: Matrix) -> Vector:
        value = self._maker.build(_product_with(matrix), self._value)
        return Vector(self._maker, value, matrix.shape[0])

    def _polynomial(self, series: Series) -> Vector:
        if isinstance(series, Chebyshev):
            low, high = (float(bound) for bound in series.domain)
            terms = np.asarray(series.coef, np.float64)
            return self._made(lambda builder, x: builder.chebyshev(x, terms, low, high))
        powers = np.asarray(series.convert(domain=[-1, 1]).coef, np.float64)
        return self._made(lambda builder, x: builder.polynomial(x, powers))

    def _sign(self, threshold: float, bound: float, error: float, step: bool) -> Vector:
        return self._made(lambda builder, x: builder.sign(x, threshold, bound, error, step))

    def _bootstrapped(self, made_of: Bootstrapping) -> Vector:
        return self._made(lambda builder, x: builder.bootstrap(x, made_of))

    def _bootstrapped_with(self, other: Vector, made_of: Bootstrapping) -> tuple[Vector, Vector]:
        a, b = self._matched(other)
        first, second = _aligned(a, b)
        # The half costs nothing here, and a level behind.
        half = a._combined(b, lambda builder, x, y: builder.half_complex(x, y), first, second)
        half = half._bootstrapped(made_of)
        conjugate = half.conjugate()
        imaginary = conjugate - half
        return half + conjugate, imaginary._made(lambda builder, x: builder.mul_i(x))

    def _bounded(self, bound: float) -> Vector:
        return self._made(lambda builder, x: builder.bounded(x, bound))

    def _settled(self, off: float) -> Vector:
        return self._made(lambda builder, x: builder.settled(x, off))

    def _turned(self, steps: int, length: int) -> Vector:
        steps %= self.slots
        value = self._value
        if steps:
            value = self._maker.build(lambda builder, x: builder.rotate(x, steps), value)
        return Vector(self._maker, value, length)

    def _everywhere(self) -> Vector:
        return Vector(self._maker, self._value, 1, uniform=True)

    def _padded(self, before: int, length: int) -> Vector:
        if length > self.slots:
            raise ProgramError(
                f"{where()}: {length} numbers joined; up to the {self.slots} slots allowed"
            )
        return self.masked()._turned(-before, length)

    def _spread(self, length: int) -> Vector:
        """One number into `length` slots: a level unless it stands everywhere already."""
        if self._uniform:
            return self

        # One of the two is zero in every slot.
        def joined(builder: native.ProgramBuilder, x: int, y: int) -> int:
            return builder.bounded(builder.add(x, y), builder.maximum(x))

        spread, block = self.masked(), 1
        while block < length:
            moved = spread._turned(-block, 1)
            value = self._maker.build(joined, spread._value, moved._value)
            spread, block = Vector(self._maker, value, 1), 2 * block
        return spread._placed([self])

    def _inside(self, low: float, high: float) -> Vector:
        largest = self._maker.maximum(self._value)
        if self.full or low <= -largest <= largest <= high:
            return self
        cleared = self.masked()
        if low <= 0 <= high:
            return cleared
        middle = np.full(self.slots, (low + high) / 2)
        middle[: self.length] = 0
        return cleared._made(lambda builder, x: builder.add_constant(x, middle))

    def _placed(self, parts: Sequence[Vector]) -> Vector:
        self._maker.placed(self._value, [part._value for part in parts])
        return self

    def _matched(self, other: Vector) -> tuple[Vector, Vector]:
        """Both of one length, that of the first being the result's."""
        if other._maker is not self._maker:
            raise ProgramError(f"{where()}: a vector of another program or server is used here")
        length = common_length(self.length, other.length)
        a = self if self.length == length else self._spread(length)
        b = other if other.length == length else other._spread(length)
        return Vector(a._maker, a._value, length, uniform=a._uniform), b

    def _fitted(self, values: NDArray[np.float64]) -> tuple[Vector, NDArray[np.float64]]:
        """The vector and the numbers as they go together."""
        if len(values) == 1 or self.full:
            return self, values
        length = common_length(self.length, len(values))
        vector = (
            Vector(self._maker, self._spread(length)._value, length) if (self.length == 1) else self
        )
        integer("the length of an array", length, 1, self.slots)
        padded = np.zeros(1 << (length - 1).bit_length())
        padded[:length] = values
        return vector, padded

    def _made(self, operation: Operation) -> Vector:
        value = self._maker.build(operation, self._value)
        return Vector(self._maker, value, self.length, uniform=self._uniform)

    def _combined(self, other: Vector, operation: Operation, *values: Any) -> Vector:
        uniform = self._uniform and other._uniform
        value = self._maker.build(operation, *values)
        return Vector(self._maker, value, self.length, uniform=uniform)


def _aligned(a: Vector, b: Vector) -> tuple[Any, Any]:
    """Both operands of a sum at one scale.

    A product's scale differs a little from the default (its prime is not the scale), so a sum
    with what has not been multiplied as often, or by numbers instead, needs this. The operand with
    more levels is brought to the other's scale; it takes one of the levels that the sum drops
    anyway. Where levels are equal both lose one.
    """
    a._maker.ready(a._value, b._value)
    if a.scale == b.scale:
        return a._value, b._value
    if a.level < b.level:
        return a._value, _matched_scale(b, a)
    if a.level == b.level == 1:
        if a._maker.renew(a._value, b._value):
            return _aligned(a, b)
        raise ScalesApart(
            f"{where()}: a sum at scales 2^{log2(a.scale):.6f} and 2^{log2(b.scale):.6f} given; to "
            "bring them together takes one more level"
        )
    if a.level == b.level:
        b = b._made(lambda builder, x: builder.drop_level(x, a.level - 1))
    return _matched_scale(a, b), b._value


def _matched_scale(high: Vector, low: Vector) -> Any:
    return high._maker.build(
        lambda builder, x, y: builder.match_scale(x, y), high._value, low._value
    )


def _product_with(matrix: Matrix) -> Operation:
    if isinstance(matrix, Diagonals):
        rows, columns = matrix.shape
        diagonals = dict(matrix)
        return lambda builder, x: builder.linear_of_diagonals(x, rows, columns, diagonals)
    entries = np.ascontiguousarray(matrix)
    return lambda builder, x: builder.linear(x, entries)
