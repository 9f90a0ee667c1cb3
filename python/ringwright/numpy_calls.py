"""What numpy asks of an encrypted vector, and what cannot be done with one.

numpy hands its functions and operators over by `__array_ufunc__` and `__array_function__`; those
that make sense become the vector's own, every other is refused by name. What Python would do
silently and wrongly (compare, iterate, convert) is refused too, at the user's line.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ringwright.errors import ProgramError
from ringwright.source_line import where

__all__ = ["NumpyCalls"]


class NumpyCalls:
    """The protocols, for a class that has the operators."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in _UFUNCS:
            called = "" if method == "__call__" else f".{method}"
            self._no_function(f"np.{ufunc.__name__}{called}")
        if isinstance(inputs[0], NumpyCalls):
            return _UFUNCS[ufunc](*inputs)
        given, vector = inputs
        reflected = _REFLECTED.get(ufunc)
        if reflected is None:
            self._no_function(f"np.{ufunc.__name__} of a number by a vector")
        return reflected(vector, given)

    def __array_function__(
        self, function: Any, types: Any, arguments: Sequence[Any], options: dict[str, Any]
    ) -> Any:
        if function not in _FUNCTIONS or options:
            self._no_function(f"np.{function.__name__}")
        if function is np.dot and not isinstance(arguments[0], NumpyCalls):
            return arguments[1]._dotted_by(arguments[0])
        return _FUNCTIONS[function](*arguments)

    def __array__(self, *arguments: Any, **options: Any) -> NoReturn:
        self._no_function("np.asarray")

    # What is refused, with its line.

    def _no_function(self, name: str) -> NoReturn:
        allowed = sorted({f"np.{each.__name__}" for each in (*_UFUNCS, *_FUNCTIONS)})
        raise ProgramError(
            f"{where()}: {name} given with an encrypted vector; allowed, without options: "
            f"{', '.join(allowed)}; other functions as polynomials"
        )

    def _no_division(self, other: object) -> NoReturn:
        raise ProgramError(
            f"{where()}: a division by an encrypted vector given; division by numbers that are not "
            "encrypted allowed"
        )

    __rtruediv__ = _no_division

    def _no_comparison(self, other: object) -> NoReturn:
        raise ProgramError(
            f"{where()}: a comparison of encrypted values given; its result would be encrypted: "
            "(x - y).step(threshold) allowed, or return x - y and let the key holder compare"
        )

    __lt__ = __le__ = __gt__ = __ge__ = _no_comparison
    __eq__ = __ne__ = _no_comparison
    __hash__ = object.__hash__

    def _no_operator(self, *others: object) -> NoReturn:
        raise ProgramError(
            f"{where()}: an operation given that encrypted vectors do not have; allowed: + - * @ "
            "with vectors and numbers, / by numbers, ** integers; other functions as polynomials: "
            "x.apply(np.abs, degree=15, interval=(-1, 1)), x.sign(threshold)"
        )

    __abs__ = __round__ = __invert__ = _no_operator
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _no_operator
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __rpow__ = _no_operator

    def _no_number(self) -> NoReturn:
        raise ProgramError(
            f"{where()}: an encrypted vector is not a number that is known here: return it and let "
            "the key holder decrypt it"
        )

    __float__ = __int__ = __complex__ = __index__ = _no_number

    def __bool__(self) -> bool:
        raise ProgramError(
            f"{where()}: an encrypted vector is neither true nor false: "
            "a program cannot branch on encrypted values"
        )

    def __iter__(self) -> NoReturn:
        raise ProgramError(
            f"{where()}: an encrypted vector is not taken apart slot by slot: "
            "sum() and slices of it allowed"
        )

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise ProgramError(
            f"{where()}: encrypted vectors do not change: np.concatenate makes new ones"
        )


def _joined(vectors: Sequence[Any]) -> Any:
    if not vectors or not all(isinstance(each, NumpyCalls) for each in vectors):
        given = ", ".join(type(each).__name__ for each in vectors) or "nothing"
        raise ProgramError(
            f"{where()}: np.concatenate of {given} given; a list of encrypted vectors allowed"
        )
    return vectors[0]._joined(vectors)


#: Functions of numpy that work on encrypted vectors; every other one is refused by name.
_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.power: operator.pow,
    np.square: lambda x: x * x,
    np.conjugate: lambda x: x.conjugate(),
    np.matmul: operator.matmul,
}
_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: lambda x: x.sum(),
    np.mean: lambda x: x.mean(),
    np.dot: lambda x, other: x.dot(other),
    np.diff: lambda x: x[1:] - x[:-1],
    np.roll: lambda x, shift: x._rolled(shift),
    np.concatenate: _joined,
    np.size: len,
    np.ndim: lambda x: 1,
    np.shape: lambda x: (len(x),),
}
#: Those that take an array first and the vector second.
_REFLECTED: dict[Any, Callable[[Any, Any], Any]] = {
    np.add: operator.add,
    np.subtract: lambda vector, given: vector.__rsub__(given),
    np.multiply: operator.mul,
    np.true_divide: lambda vector, given: vector._no_division(given),
    np.matmul: lambda vector, given: vector.__rmatmul__(given),
}
