"""What a program computes, in the clear: the counterpart of `Vector` on numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from ringwright import _ringwright as native
from ringwright.bootstrapping import Bootstrapping
from ringwright.errors import ProgramError
from ringwright.numpy_face import Matrix, NumpyFace, Series, common_length, constant
from ringwright.source_line import where

__all__ = ["PlainVector"]


class PlainVector(NumpyFace):
    """The counterpart of `Vector` in the clear; the slots are the length of what fills them."""

    def __init__(self, values: NDArray[Any], *, full: bool = True) -> None:
        self.values = values
        self.length = self.slots = len(values)
        self._full = full

    @property
    def full(self) -> bool:
        """Whether it fills all slots."""
        return self._full

    def __repr__(self) -> str:
        return f"<plain vector {self.values}>"

    def _other(self, other: Any) -> tuple[NDArray[Any], bool]:
        if isinstance(other, PlainVector):
            common_length(self.length, other.length)
            return other.values, self.full or other.full
        values = constant(other)
        if not self.full:
            common_length(self.length, len(values))
        elif self.length % len(values) == 0:
            values = np.tile(values, self.length // len(values))
        return values, self.full

    def __add__(self, other: Any) -> PlainVector:
        values, full = self._other(other)
        return PlainVector(self.values + values, full=full)

    def __neg__(self) -> PlainVector:
        return PlainVector(-self.values, full=self.full)

    def __mul__(self, other: Any) -> PlainVector:
        values, full = self._other(other)
        return PlainVector(self.values * values, full=full)

    __rmul__ = __mul__

    def _conjugated(self, steps: int) -> PlainVector:
        return PlainVector(np.conjugate(np.roll(self.values, -steps)), full=self.full)

    def masked(self) -> PlainVector:
        """Itself: there are no slots beyond."""
        return self

    def _window(self, count: int, stride: int) -> PlainVector:
        turned = [np.roll(self.values, -stride * k) for k in range(count)]
        return PlainVector(np.sum(turned, axis=0), full=self.full)

    def _linear(self, matrix: Matrix) -> PlainVector:
        full = self.full and matrix.shape[0] == self.length
        return PlainVector(matrix @ self.values, full=full)

    def _polynomial(self, series: Series) -> PlainVector:
        return PlainVector(series(self.values), full=self.full)

    def _sign(self, threshold: float, bound: float, error: float, step: bool) -> PlainVector:
        composed = self
        for terms, low, high in native.sign_polynomials(threshold, bound, error, step):
            composed = composed._polynomial(Chebyshev(terms, domain=[low, high]))
        return composed

    def _bootstrapped(self, made_of: Bootstrapping) -> PlainVector:
        period = made_of.period or self.length
        if self.length <= period:
            return self
        mean = self.values.reshape(-1, period).mean(axis=0)
        return PlainVector(np.tile(mean, self.length // period), full=self.full)

    def _bootstrapped_with(
        self, other: PlainVector, made_of: Bootstrapping
    ) -> tuple[PlainVector, PlainVector]:
        return self._bootstrapped(made_of), other._bootstrapped(made_of)

    def _bounded(self, bound: float) -> PlainVector:
        largest = float(np.abs(self.values).max())
        if largest > bound:
            raise ProgramError(f"{where()}: numbers up to {largest:.6g} said to be within {bound}")
        return self

    def _settled(self, off: float) -> PlainVector:
        return self

    def _turned(self, steps: int, length: int) -> PlainVector:
        full = self.full and length == self.length
        return PlainVector(np.roll(self.values, -steps)[:length], full=full)

    def _everywhere(self) -> PlainVector:
        return PlainVector(self.values[:1], full=False)

    def _padded(self, before: int, length: int) -> PlainVector:
        after = length - before - self.length
        return PlainVector(np.pad(self.values, (before, after)), full=self.full)

    def _inside(self, low: float, high: float) -> PlainVector:
        return self

    def _placed(self, parts: Sequence[PlainVector]) -> PlainVector:
        return self
