"""Programs over encrypted vectors: a Python function, traced once into the `he` dialect::

    @rw.program
    def motion(now, before):
        d = now - before
        return (d * d).sum(256)

A traced function sees values of class `Vector`. Operators: `+ - *` between vectors, with numbers
and with numpy vectors, unary `-`, `rotate(k)` (also `<< k`, `>> k`), `sum(count, stride=...)`,
`conjugate()`. A product relinearises and rescales, which costs one level; levels are aligned where
operands differ. Every operation remembers the user's file and line, for `explain()`, errors and
timelines.

The function runs once per parameters and input types, so a Python `if` or `for` is decided while
tracing: it may depend on numbers, never on encrypted values. Calling a program inside another one
inlines it; `plain(...)` computes the same in the clear.
"""

from __future__ import annotations

import inspect
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringwright import _ringwright as native
from ringwright.ckks import Ciphertext, Input, Parameters
from ringwright.errors import ParameterError, ProgramError, RingwrightError

__all__ = ["Explanation", "PlainVector", "Program", "Vector", "program"]

Traceable = Callable[..., Any]
Self = TypeVar("Self", bound="_Rotating")


class Program:
    """A traceable function; made by the decorator `program`."""

    def __init__(
        self, function: Traceable, inputs: Mapping[str, Input] | None = None, name: str = ""
    ) -> None:
        if not inspect.isfunction(function):
            raise ProgramError(f"{function!r} given; a program is made of a Python function")
        self.function = function
        self.name = name or function.__name__
        self.__doc__ = function.__doc__
        self.input_names = _input_names(function, self.name)
        given = dict(inputs or {})
        self.inputs = tuple(given.pop(name, Input()) for name in self.input_names)
        if given:
            raise ProgramError(
                f"{self.name}: inputs {sorted(given)} given; its inputs are "
                f"{list(self.input_names)}"
            )
        self._traced: dict[tuple[Parameters, tuple[_Type, ...]], native.HeProgram] = {}

    def __repr__(self) -> str:
        return f"<program {self.name}({', '.join(self.input_names)})>"

    def __call__(self, *vectors: Any) -> Any:
        """Inlines the program where another one is traced."""
        return self.function(*vectors)

    def trace(
        self, parameters: Parameters, inputs: Sequence[Input | Ciphertext] | None = None
    ) -> native.HeProgram:
        """The `he` program under these parameters; cached.

        `inputs`: what each encrypted input is, declared or by example; the default is what the
        decorator was given.
        Raises `DepthError` where the parameters do not carry it (the message names the smallest
        N that does), `ParameterError` where values could outgrow the modulus, `ProgramError` for
        anything else, with the user's file and line.
        """
        given = self.inputs if inputs is None else inputs
        if len(given) != len(self.inputs):
            raise ProgramError(
                f"{self.name}: {len(given)} inputs given; "
                f"{len(self.inputs)} expected ({', '.join(self.input_names)})"
            )
        types = tuple(_Type.of(each, parameters) for each in given)
        if (parameters, types) not in self._traced:
            self._traced[parameters, types] = self._trace(parameters, types)
        return self._traced[parameters, types]

    def _trace(self, parameters: Parameters, types: tuple[_Type, ...]) -> native.HeProgram:
        code = self.function.__code__
        file = os.path.basename(code.co_filename)
        builder = native.ProgramBuilder(parameters, self.name, file, code.co_firstlineno)
        trace = _Trace(builder, parameters.slots)
        named = zip(self.input_names, types, strict=True)
        vectors = [trace.input(name, given) for name, given in named]
        results = _results(self.function(*vectors), Vector, self.name)
        return builder.finish([trace.number(vector) for vector in results])

    def explain(self, parameters: Parameters) -> Explanation:
        """Level, scale, noise, keys and source line of every operation."""
        traced = self.trace(parameters)
        return Explanation(self.name, tuple(traced.explain()), traced.text, traced.table())

    def plain(self, *vectors: ArrayLike) -> Any:
        """The same computation in the clear, on numpy arrays of one common length (the slots).

        Returns an array, or a tuple where the program returns one.
        """
        arrays = [np.asarray(vector, dtype=np.float64) for vector in vectors]
        if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
            shapes = [array.shape for array in arrays]
            raise ParameterError(
                f"{self.name}: shapes {shapes} given; vectors of one length allowed"
            )
        results = self.function(*[PlainVector(array) for array in arrays])
        values = tuple(result.values for result in _results(results, PlainVector, self.name))
        return values if isinstance(results, (tuple, list)) else values[0]


@overload
def program(function: Traceable, /) -> Program: ...
@overload
def program(
    *, inputs: Mapping[str, Input] | None = None, name: str = ""
) -> Callable[[Traceable], Program]: ...
def program(
    function: Traceable | None = None,
    /,
    *,
    inputs: Mapping[str, Input] | None = None,
    name: str = "",
) -> Program | Callable[[Traceable], Program]:
    """Makes a program of a function whose parameters are encrypted vectors.

    `inputs`: magnitudes by parameter name, for the noise prediction; default `Input()`:
    values up to 1. `name`: default the function's. ::

        @rw.program(inputs={"now": rw.ckks.Input(max=1.0, rms=0.5)})
    """
    if function is not None:
        return Program(function)
    return lambda traced: Program(traced, inputs, name)


@dataclass(frozen=True)
class Explanation:
    """What `Program.explain` found: `rows`, inputs first; the program's `text`; a printed `table`.

    A row has `line`, `value`, `op`, `level`, `scale_bits`, `noise_bits`, `precision_bits`,
    `room_bits` and `keys`.
    """

    name: str
    rows: tuple[native.ExplainRow, ...]
    text: str
    table: str

    def __str__(self) -> str:
        return self.table


class _Rotating(ABC):
    """What an encrypted vector and its counterpart in the clear share: sums by rotations."""

    slots: int

    @abstractmethod
    def rotate(self: Self, steps: int) -> Self: ...

    @abstractmethod
    def __add__(self: Self, other: Any) -> Self: ...

    def __lshift__(self: Self, steps: int) -> Self:
        return self.rotate(steps)

    def __rshift__(self: Self, steps: int) -> Self:
        return self.rotate(-steps)

    def sum(self: Self, count: int | None = None, *, stride: int = 1) -> Self:
        """Slot i becomes the sum of the slots i, i + stride, ..., `count` of them, cyclically.

        `sum(256)`: 256 consecutive slots. `sum(stride=16)`: every 16th slot, so that slot i
        holds the total of all slots congruent to i modulo 16. `sum()`: all slots.
        Costs about log2(count) rotations, and no level.
        """
        stride = _integer("stride", stride, 1, self.slots)
        count = self.slots // stride if count is None else count
        count = _integer("count", count, 1, self.slots)
        total: Self | None = None
        done, power, block = 0, self, 1
        while True:
            if count & block:
                part = power.rotate(done * stride)
                total = part if total is None else total + part
                done += block
            if done == count and total is not None:
                return total
            power = power + power.rotate(block * stride)
            block *= 2


class Vector(_Rotating):
    """An encrypted vector while a program is traced; made by the tracer only."""

    # numpy arrays leave `array * vector` to this class.
    __array_ufunc__ = None

    def __init__(self, trace: _Trace, number: int) -> None:
        self._trace = trace
        self._number = number
        self.slots = trace.slots

    @property
    def level(self) -> int:
        """Towers that are left, at least 1."""
        return self._trace.builder.level(self._number)

    @property
    def scale(self) -> float:
        """Factor between slot values and the encrypted integers."""
        return self._trace.builder.scale(self._number)

    def __repr__(self) -> str:
        return f"<encrypted vector %{self._number} at level {self.level}>"

    def __add__(self, other: Any) -> Vector:
        trace, a = self._trace, self._number
        if isinstance(other, Vector):
            a, b = trace.aligned(self, other)
            return trace.build(lambda builder: builder.add(a, b))
        values = _constant(other)
        return trace.build(lambda builder: builder.add_constant(a, values))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Vector:
        trace, a = self._trace, self._number
        if isinstance(other, Vector):
            a, b = trace.aligned(self, other)
            return trace.build(lambda builder: builder.sub(a, b))
        values = -_constant(other)
        return trace.build(lambda builder: builder.add_constant(a, values))

    def __rsub__(self, other: Any) -> Vector:
        return (-self).__add__(other)

    def __neg__(self) -> Vector:
        number = self._number
        return self._trace.build(lambda builder: builder.neg(number))

    def __mul__(self, other: Any) -> Vector:
        trace, a = self._trace, self._number
        if isinstance(other, Vector):
            b = trace.number(other)
            return trace.build(lambda builder: builder.mul_rescale(a, b))
        values = _constant(other)
        return trace.build(lambda builder: builder.mul_constant_rescale(a, values))

    __rmul__ = __mul__

    def rotate(self, steps: int) -> Vector:
        """Slot i becomes slot i + steps, cyclically; a negative number rotates to the right."""
        number, turn = self._number, _integer("steps", steps) % self.slots
        return self._trace.build(lambda builder: builder.rotate(number, turn))

    def conjugate(self) -> Vector:
        """The complex conjugate of every slot."""
        number = self._number
        return self._trace.build(lambda builder: builder.conjugate(number))

    def __bool__(self) -> bool:
        raise ProgramError(
            f"{_where()}: an encrypted vector is neither true nor false: "
            "a program cannot branch on encrypted values"
        )


class PlainVector(_Rotating):
    """The counterpart of `Vector` in the clear."""

    __array_ufunc__ = None

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values
        self.slots = len(values)

    def _other(self, other: Any) -> NDArray[Any]:
        if isinstance(other, PlainVector):
            return other.values
        constant = _constant(other)
        return np.tile(constant, self.slots // len(constant))

    def __add__(self, other: Any) -> PlainVector:
        return PlainVector(self.values + self._other(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> PlainVector:
        return PlainVector(self.values - self._other(other))

    def __rsub__(self, other: Any) -> PlainVector:
        return (-self).__add__(other)

    def __neg__(self) -> PlainVector:
        return PlainVector(-self.values)

    def __mul__(self, other: Any) -> PlainVector:
        return PlainVector(self.values * self._other(other))

    __rmul__ = __mul__

    def rotate(self, steps: int) -> PlainVector:
        """Slot i becomes slot i + steps, cyclically."""
        return PlainVector(np.roll(self.values, -_integer("steps", steps)))

    def conjugate(self) -> PlainVector:
        """The complex conjugate of every slot."""
        return PlainVector(np.conjugate(self.values))


@dataclass(frozen=True)
class _Type:
    """What is known of an encrypted input; nothing left open."""

    level: int
    scale: float
    max: float
    rms: float
    noise: float

    @classmethod
    def of(cls, given: Input | Ciphertext, parameters: Parameters) -> _Type:
        if isinstance(given, Ciphertext):
            return cls(given.level, given.scale, given.max, given.rms, given.noise)
        return cls(
            parameters.levels if given.level is None else given.level,
            parameters.scale if given.scale is None else given.scale,
            given.max,
            given.max if given.rms is None else given.rms,
            parameters.fresh_noise if given.noise is None else given.noise,
        )


class _Trace:
    """One tracing run: the native builder and the user's line at each operation."""

    def __init__(self, builder: native.ProgramBuilder, slots: int) -> None:
        self.builder = builder
        self.slots = slots

    def build(self, operation: Callable[[native.ProgramBuilder], int]) -> Vector:
        """Adds an operation at the user's line; an error gets that line in front."""
        file, line = _user_line()
        self.builder.at(file, line)
        try:
            return Vector(self, operation(self.builder))
        except RingwrightError as error:
            raise type(error)(f"{file}:{line}: {error}") from None

    def input(self, name: str, ty: _Type) -> Vector:
        """One encrypted parameter of the program."""
        number = self.builder.input(name, ty.level, ty.scale, ty.max, ty.rms, ty.noise)
        return Vector(self, number)

    def aligned(self, a: Vector, b: Vector) -> tuple[int, int]:
        """Both operands of a sum, the one with more levels brought to the other's scale.

        A product's scale differs a little from the default (its prime is not the scale), so a sum
        with what has not been multiplied as often needs this; it takes one of the levels that
        the sum drops anyway.
        """
        first, second = self.number(a), self.number(b)
        if a.level == b.level or a.scale == b.scale:
            return first, second
        if a.level > b.level:
            return self.build(lambda builder: builder.match_scale(first, second))._number, second
        return first, self.build(lambda builder: builder.match_scale(second, first))._number

    def number(self, vector: Vector) -> int:
        if vector._trace is not self:
            raise ProgramError(f"{_where()}: a vector of another program's trace is used here")
        return vector._number


def _constant(values: Any) -> NDArray[np.float64]:
    given = np.atleast_1d(np.asarray(values))
    if given.dtype.kind not in "biuf" or given.ndim != 1 or given.size == 0:
        raise ProgramError(
            f"{_where()}: a constant of type {given.dtype} and shape "
            f"{given.shape} given; real numbers and one-dimensional arrays of them allowed"
        )
    return given.astype(np.float64)


def _integer(name: str, value: object, low: int | None = None, high: int | None = None) -> int:
    if isinstance(value, (int, np.integer)):
        number = int(value)
        if (low is None or low <= number) and (high is None or number <= high):
            return number
    allowed = "an integer" if low is None else f"an integer from {low} to {high}"
    raise ProgramError(f"{_where()}: {name} = {value!r} given; {allowed} allowed")


def _results(returned: Any, kind: type[Any], name: str) -> list[Any]:
    results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if results and all(isinstance(result, kind) for result in results):
        return results
    given = ", ".join(type(result).__name__ for result in results) or "nothing"
    raise ProgramError(f"{name} returns {given}; one encrypted vector or a tuple of them allowed")


def _input_names(function: Traceable, name: str) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for parameter in parameters:
        if parameter.kind not in positional or parameter.default is not inspect.Parameter.empty:
            raise ProgramError(
                f"{name}: parameter {str(parameter)!r} given; "
                "a program's parameters are encrypted vectors, positional and without defaults"
            )
    if not parameters:
        raise ProgramError(f"{name}: no parameters given; at least one encrypted vector needed")
    return tuple(parameter.name for parameter in parameters)


def _where() -> str:
    """The user's file and line, for an error."""
    return ":".join(map(str, _user_line()))


def _user_line() -> tuple[str, int]:
    """File name and line of the innermost frame outside this module."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__:
        assert frame.f_back is not None, "this module is never the outermost frame"
        frame = frame.f_back
    return os.path.basename(frame.f_code.co_filename), frame.f_lineno
