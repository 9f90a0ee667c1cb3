"""What an encrypted vector and its counterpart in the clear share: what numpy users expect.

A vector has a *length*. One that fills all slots turns cyclically; a slice or an input of a
declared length is shorter, and the slots beyond its length are undefined: nothing reads them, and a
decryption shows whatever was left there. So `x[a:b]` costs one rotation and no level. `masked()`
clears the slots beyond (a level), and is applied by itself only where they would be read: to spread
one number over many slots, and to join vectors.

Tried and dropped: keeping the slots beyond at zero (every slice would cost a level, and a sum of n
slots by rotations never reads beyond n anyway).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import NDArray

from ringwright.bootstrapping import Bootstrapping
from ringwright.diagonals import Diagonals
from ringwright.errors import ProgramError
from ringwright.numpy_calls import NumpyCalls
from ringwright.plain import PlainOperand
from ringwright.source_line import integer, real, where

__all__ = ["MOST_DEGREE", "NumpyFace", "constant"]

Self = TypeVar("Self", bound="NumpyFace")
Series: TypeAlias = Polynomial | Chebyshev
Matrix: TypeAlias = NDArray[np.float64] | Diagonals

#: Of the interpolation of a function.
MOST_DEGREE = 4095
#: Half of what a sign may be off: a step is as long as half a sign.
_STEP_ERROR = 0.25


class NumpyFace(NumpyCalls, ABC):
    """Operators, slices and numpy's functions, from a few operations that a vector must have."""

    #: Slots that the parameters have; in the clear, of a vector that fills them.
    slots: int
    #: Numbers that the vector has.
    length: int

    # What a vector must have.

    @property
    @abstractmethod
    def full(self) -> bool:
        """Whether the vector fills all slots, so that it turns cyclically."""

    @abstractmethod
    def _turned(self: Self, steps: int, length: int) -> Self:
        """Slot i becomes slot i + steps; `length` of them count."""

    @abstractmethod
    def _everywhere(self: Self) -> Self:
        """A full vector with one value in all slots, as a number."""

    @abstractmethod
    def masked(self: Self) -> Self:
        """Zero in the slots beyond the length; one multiplication where there are any."""

    @abstractmethod
    def _padded(self: Self, before: int, length: int) -> Self:
        """`before` zeros, then the vector, then zeros."""

    @abstractmethod
    def _window(self: Self, count: int, stride: int) -> Self:
        """Slot i becomes the sum of `count` slots from there on, `stride` apart, cyclically."""

    @abstractmethod
    def _linear(self: Self, matrix: Matrix) -> Self:
        """The product with a matrix that has as many columns as the vector has numbers."""

    @abstractmethod
    def _polynomial(self: Self, series: Series) -> Self:
        """The polynomial of every slot."""

    @abstractmethod
    def _sign(self: Self, threshold: float, bound: float, error: float, step: bool) -> Self:
        """The sign of every slot, or its step from 0 to 1."""

    @abstractmethod
    def _bootstrapped(self: Self, made_of: Bootstrapping) -> Self:
        """The same numbers with new levels."""

    @abstractmethod
    def _bootstrapped_with(self: Self, other: Self, made_of: Bootstrapping) -> tuple[Self, Self]:
        """Two real vectors with new levels."""

    @abstractmethod
    def _bounded(self: Self, bound: float) -> Self:
        """Itself, said to be no larger."""

    @abstractmethod
    def _settled(self: Self, off: float) -> Self:
        """Itself, said to be off by no more."""

    @abstractmethod
    def _inside(self: Self, low: float, high: float) -> Self:
        """The slots beyond the length within an interval; a level where they may not be."""

    @abstractmethod
    def _placed(self: Self, parts: Sequence[Self]) -> Self:
        """Itself, every slot of which is a slot of one of the parts, or zero."""

    @abstractmethod
    def _conjugated(self: Self, steps: int) -> Self:
        """The complex conjugate of slot i + steps in slot i, cyclically."""

    @abstractmethod
    def __add__(self: Self, other: Any) -> Self: ...

    @abstractmethod
    def __neg__(self: Self) -> Self: ...

    @abstractmethod
    def __mul__(self: Self, other: Any) -> Self: ...

    @abstractmethod
    def __rmul__(self: Self, other: Any) -> Self: ...

    # Slices and turns.

    def __len__(self) -> int:
        return self.length

    @property
    def shape(self) -> tuple[int]:
        """The length, as numpy has it."""
        return (self.length,)

    @property
    def size(self) -> int:
        """The length."""
        return self.length

    @property
    def ndim(self) -> int:
        """1."""
        return 1

    def conj(self: Self) -> Self:
        """The complex conjugate of every slot, by numpy's shorter name."""
        return self.conjugate()

    def __getitem__(self: Self, key: int | slice) -> Self:
        """`x[a:b]`, `x[k:]`, `x[-3:]` as numpy's, `x[i]` a vector of one; steps of 1 only."""
        if not isinstance(key, slice):
            at = integer("index", key, -self.length, self.length - 1) % self.length
            return self._cut(at, at + 1)
        start, stop, step = self._indices(key)
        if step != 1 or stop <= start:
            raise ProgramError(
                f"{where()}: the slice [{_text(key)}] of {self.length} numbers given; slices with "
                "step 1 and at least one number allowed"
            )
        return self._cut(start, stop)

    def _indices(self, key: slice) -> tuple[int, int, int]:
        try:
            return key.indices(self.length)
        except (TypeError, ValueError) as error:
            raise ProgramError(f"{where()}: the slice [{_text(key)}] given: {error}") from None

    def _cut(self: Self, start: int, stop: int) -> Self:
        return self if stop - start == self.length else self._turned(start, stop - start)

    def rotate(self: Self, steps: int) -> Self:
        """Slot i becomes slot i + steps, cyclically; a negative number rotates to the right.

        For vectors that fill all slots; `np.roll` rolls shorter ones within their length.
        """
        steps = integer("steps", steps)
        self._require_full("rotate")
        return self._turned(steps % self.slots, self.length)

    def conjugate(self: Self, steps: int = 0) -> Self:
        """The complex conjugate of every slot; of slot i + steps in slot i.

        With steps it is one operation, whose key is neither the rotation's nor the conjugation's.
        For vectors that fill all slots, as `rotate`; without steps for any.
        """
        steps = integer("steps", steps)
        if steps:
            self._require_full("conjugate")
        return self._conjugated(steps % self.slots)

    def __lshift__(self: Self, steps: int) -> Self:
        return self.rotate(steps)

    def __rshift__(self: Self, steps: int) -> Self:
        return self.rotate(-steps)

    def _rolled(self: Self, shift: int) -> Self:
        """Slot i becomes slot i - shift, within the length; a level where that is short."""
        shift = integer("shift", shift) % self.length
        if self.full or not shift:
            return self.rotate(-shift) if shift else self
        return NumpyFace._joined([self[-shift:], self[:-shift]])

    @staticmethod
    def _joined(vectors: Sequence[Self]) -> Self:
        """One behind the other; each is masked."""
        length, before = sum(len(each) for each in vectors), 0
        joined: Self | None = None
        for each in vectors:
            part = each._padded(before, length)
            joined = part if joined is None else joined + part
            before += len(each)
        assert joined is not None, "the list is not empty"
        return joined._placed(vectors)

    def _require_full(self, operation: str) -> None:
        if not self.full:
            raise ProgramError(
                f"{where()}: {operation} turns all slots, and this vector has a length of "
                f"{self.length}: slices, sum(), np.roll and np.concatenate allowed"
            )

    # Sums and products.

    def sum(self: Self, count: int | None = None, *, stride: int = 1) -> Self:
        """`sum()`: the total, a vector of one number that goes with every length, as in numpy.

        For vectors that fill all slots also: slot i becomes the sum of the slots i, i + stride,
        ..., `count` of them, cyclically. `sum(256)`: 256 consecutive slots. `sum(stride=16)`: every
        16th slot, so that slot i holds the total of all slots congruent to i modulo 16.
        Costs about log2(count) rotations, and no level.
        """
        if count is None and stride == 1:
            total = self._window(self.length, 1)
            return total._everywhere() if self.full else total._turned(0, 1)
        self._require_full("sum(count, stride=...)")
        stride = integer("stride", stride, 1, self.slots)
        count = self.slots // stride if count is None else count
        return self._window(integer("count", count, 1, self.slots), stride)

    def mean(self: Self) -> Self:
        """The total divided by the length: one level."""
        return self.sum() * (1 / self.length)

    def dot(self: Self, other: Any) -> Self:
        """The sum of the products with a vector, encrypted or not, of the same length; also `@`.

        With a matrix of numbers, as in numpy: `x @ m`, and `m @ x`; also by its `Diagonals`. One
        level either way. With one number it is the product, which `@` refuses.
        """
        product: Self = self * other if self._is_scaled_by(other) else self @ other
        return product

    def _dotted_by(self: Self, other: Any) -> Self:
        return self * other if self._is_scaled_by(other) else self.__rmatmul__(other)

    def _is_scaled_by(self, other: Any) -> bool:
        """Whether one of both is a number to numpy: encrypted, a vector of length 1."""
        if isinstance(other, NumpyFace):
            return self.length != other.length and 1 in {self.length, other.length}
        return np.ndim(other) == 0

    def __matmul__(self: Self, other: Any) -> Self:
        if not isinstance(other, NumpyFace) and np.ndim(other) > 1:
            return self._linear(_matrix(other, self.length, by_row=False).T)
        return self._summed_with(other)

    def __rmatmul__(self: Self, other: Any) -> Self:
        if np.ndim(other) > 1:
            return self._linear(_matrix(other, self.length, by_row=True))
        return self._summed_with(other)

    def _summed_with(self: Self, other: Any) -> Self:
        known = isinstance(other, (NumpyFace, PlainOperand))
        given = other.length if known else len(constant(other))
        if given != self.length:
            raise ProgramError(
                f"{where()}: @ of vectors of lengths {self.length} and {given} given; equal "
                "lengths allowed, and * for a number"
            )
        products: Self = self * other
        return products.sum()

    def __pow__(self: Self, exponent: Any) -> Self:
        """By squarings and products: as few levels as there can be, log2(exponent) rounded up."""
        known: dict[int, Self] = {1: self}

        def power(k: int) -> Self:
            if k not in known:
                half, other = power((k + 1) // 2), power(k // 2)
                known[k] = half * other
            return known[k]

        if isinstance(exponent, float) and exponent.is_integer():
            exponent = int(exponent)
        return power(integer("exponent", exponent, 1))

    def apply(
        self: Self,
        function: Callable[[Any], Any] | Series,
        degree: int | None = None,
        interval: tuple[float, float] | None = None,
    ) -> Self:
        """A function of every slot, as a polynomial: log2(degree + 1) levels, rounded up.

        A function of numbers becomes its Chebyshev interpolation on the interval. Or a
        polynomial of numpy's: `np.polynomial.Polynomial([1, 0, 2])`, or `np.polynomial.Chebyshev`,
        whose domain is its interval. **The interval is the caller's word**: one number outside it
        spoils the result in all slots. Slots beyond the length are brought inside, at a level,
        where the vector's bound does not say that they are.
        """
        series = _series(function, degree, interval)
        inside = self._inside(*series.domain) if isinstance(series, Chebyshev) else self
        return inside._polynomial(series)

    def sign(self: Self, threshold: float, bound: float = 1.0, error: float = 0.01) -> Self:
        """-1 or 1, off by `error` at most where threshold <= abs(x) <= bound; nearer to 0 anything
        between. A composition of polynomials of least depth; its levels grow with the logarithms
        of bound / threshold and 1 / error. `bound` is the caller's word, as `apply`'s interval. The
        bound on a result's error is promised of numbers beyond the threshold only.
        """
        return self._signed(threshold, bound, real("error", error), step=False)

    def step(self: Self, threshold: float, bound: float = 1.0, error: float = 0.01) -> Self:
        """As `sign`, from 0 to 1: a comparison `x > y` is `(x - y).step(...)`."""
        if real("error", error) > _STEP_ERROR:
            raise ProgramError(f"{where()}: error = {error} given; up to {_STEP_ERROR} allowed")
        return self._signed(threshold, bound, 2 * real("error", error), step=True)

    def bootstrap(self: Self, made_of: Bootstrapping | None = None) -> Self:
        """The same numbers, with the levels that a bootstrapping leaves of the parameters'.

        Whatever is left of the vector's own levels is dropped. The error that the method itself has
        is part of the result's bound; a vector with the same number in every slot comes near to it.
        Raises `ParameterError` where the parameters have too few levels, for a number outside its
        range, and for values too large for the first prime; `SecurityError` for a sparse secret
        that the tables have no row for; `ProgramError` for a period of a vector that does not fill
        the slots.
        """
        return self._bootstrapped(self._repeats(made_of))

    def bootstrap_with(
        self: Self, other: Self, made_of: Bootstrapping | None = None
    ) -> tuple[Self, Self]:
        """Both vectors with new levels, for little more than the time of one.

        They are real: one goes as the real part, the other as the imaginary part. Raises as
        `bootstrap`.
        """
        return self._bootstrapped_with(other, self._repeats(made_of))

    def _repeats(self, made_of: Bootstrapping | None) -> Bootstrapping:
        """What a bootstrapping is made of, checked against the vector."""
        made_of = made_of or Bootstrapping()
        if made_of.period is not None:
            self._require_full("bootstrap by a period")
        return made_of

    def within(self: Self, bound: float, off: float | None = None) -> Self:
        """The same vector, none of whose numbers is larger in size than `bound`.

        With `off` none is wrong by more than that either, whatever its operations seem to make of
        errors: an iteration that converges forgets them. Both are **the caller's word**, of what a
        program knows and its operations do not show; noise, room and `error_bound` follow from it.
        In the clear (`Program.plain`) the bound is checked.
        """
        bounded = self._bounded(real("bound", bound))
        return bounded if off is None else bounded._settled(real("off", off))

    def _signed(self: Self, threshold: float, bound: float, error: float, step: bool) -> Self:
        threshold, bound = real("threshold", threshold), real("bound", bound)
        return self._inside(-bound, bound)._sign(threshold, bound, error, step)

    def __truediv__(self: Self, other: Any) -> Self:
        if isinstance(other, NumpyFace):
            self._no_division(other)
        divisor = constant(other)
        if not divisor.all():
            raise ProgramError(f"{where()}: division by zero")
        return self * (1 / divisor)

    def __sub__(self: Self, other: Any) -> Self:
        difference: Self = self + (-other if isinstance(other, NumpyFace) else -constant(other))
        return difference

    def __rsub__(self: Self, other: Any) -> Self:
        difference: Self = (-self) + other
        return difference

    def __radd__(self: Self, other: Any) -> Self:
        total: Self = self + other
        return total

    def __pos__(self: Self) -> Self:
        return self


def constant(values: Any) -> NDArray[np.float64]:
    """Numbers as an array of one dimension; `ProgramError` at the user's line for anything else."""
    whole = isinstance(values, int)  # of any size; numpy's have 64 bits
    given = np.atleast_1d(np.asarray(float(values) if whole else values))
    if given.dtype.kind not in "biuf" or given.ndim != 1 or given.size == 0:
        raise ProgramError(
            f"{where()}: a constant of type {given.dtype} and shape "
            f"{given.shape} given; real numbers and one-dimensional arrays of them allowed"
        )
    return given.astype(np.float64)


def _matrix(values: Any, length: int, *, by_row: bool) -> Matrix:
    if isinstance(values, Diagonals):
        return _of_length(values, length, by_row=by_row)
    given = np.asarray(values)
    wanted = given.shape[1 if by_row else 0] if given.ndim == 2 else None
    if given.dtype.kind not in "biuf" or wanted != length or given.size == 0:
        allowed = f"(n, {length})" if by_row else f"({length}, n)"
        raise ProgramError(
            f"{where()}: a matrix of type {given.dtype} and shape {given.shape} given with a "
            f"vector of {length}; real numbers of shape {allowed} allowed"
        )
    if not given.any():
        raise ProgramError(f"{where()}: a matrix of zeros given; a product with it needs no vector")
    return given.astype(np.float64)


def _of_length(matrix: Diagonals, length: int, *, by_row: bool) -> Diagonals:
    if matrix.shape[1 if by_row else 0] == length:
        return matrix
    raise ProgramError(
        f"{where()}: {matrix} given with a vector of {length}; "
        f"{length} {'columns' if by_row else 'rows'} allowed"
    )


def common_length(a: int, b: int) -> int:
    """The length of an operation on two vectors: equal, or one of them 1, as in numpy."""
    if a != b and 1 not in {a, b}:
        raise ProgramError(
            f"{where()}: vectors of lengths {a} and {b} given; equal lengths or one of 1 allowed"
        )
    return max(a, b)


def _series(
    function: Callable[[Any], Any] | Series,
    degree: int | None,
    interval: tuple[float, float] | None,
) -> Series:
    if isinstance(function, (Polynomial, Chebyshev)):
        if degree is not None or interval is not None:
            raise ProgramError(f"{where()}: a polynomial brings its degree and interval itself")
        return _real_series(function)
    if not callable(function):
        raise ProgramError(
            f"{where()}: {function!r} given; a function, np.polynomial.Polynomial or "
            "np.polynomial.Chebyshev allowed"
        )
    if degree is None or interval is None:
        raise ProgramError(
            f"{where()}: a function without degree and interval given; apply(f, degree=7, "
            "interval=(-1, 1)), np.polynomial.Polynomial or np.polynomial.Chebyshev allowed"
        )
    line, degree = where(), integer("degree", degree, 1, MOST_DEGREE)

    def at(point: np.float64) -> float:
        with np.errstate(all="ignore"):  # what is not finite is refused
            value = np.asarray(function(point))
        if value.shape or value.dtype.kind not in "biuf" or not np.isfinite(value):
            raise ProgramError(
                f"{line}: the function is {value} at {point:g}; one finite real number allowed, on "
                f"the whole interval {interval}"
            )
        return float(value)

    series: Series = Chebyshev.interpolate(
        lambda points: np.array([at(point) for point in points]),
        degree,
        domain=_interval(interval),
    )
    return series


def _real_series(series: Series) -> Series:
    """As a series over its domain alone: the window it is mapped to is the default one."""
    if np.asarray(series.coef).dtype.kind not in "biuf":
        raise ProgramError(
            f"{where()}: coefficients of type {np.asarray(series.coef).dtype} given; real numbers "
            "allowed"
        )
    if list(series.window) == [-1, 1]:
        return series
    mapped: Series = series.convert(domain=series.domain, window=[-1, 1])
    return mapped


def _interval(given: Any) -> list[float]:
    try:
        low, high = given
    except (TypeError, ValueError):
        raise ProgramError(f"{where()}: interval {given!r} given; two numbers allowed") from None
    low, high = real("the interval's low end", low), real("the interval's high end", high)
    if low < high and np.isfinite([low, high]).all():
        return [low, high]
    raise ProgramError(
        f"{where()}: interval {given!r} given; finite numbers, the lower first, allowed"
    )


def _text(key: slice) -> str:
    bounds = ["" if bound is None else repr(bound) for bound in (key.start, key.stop)]
    return ":".join(bounds if key.step is None else [*bounds, repr(key.step)])
