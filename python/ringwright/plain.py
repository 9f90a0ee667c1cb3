"""Numbers in the clear as an argument of a program, given with each run::

    @rw.program(inputs={"weights": rw.ckks.Input(plain=True, length=64)})
    def score(x, weights):
        return x @ weights

    server.run(score, x, rw.Plain(weights))

A program holds the numbers that its function saw when it was traced. What changes from run to run
is a `Plain`: encoded when it comes, at the level and scale where it is used, and kept by content.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringwright.errors import ParameterError, ProgramError
from ringwright.source_line import where

__all__ = ["Plain", "PlainOperand", "plain_values"]


class Plain:
    """A vector of real numbers for one run, copied. `ParameterError` for anything else."""

    def __init__(self, values: ArrayLike) -> None:
        given = np.atleast_1d(np.asarray(values))
        if given.ndim != 1 or given.size == 0:
            raise ParameterError(
                f"rw.Plain of shape {given.shape} given; a vector of at least one number allowed "
                "(a matrix belongs in the program: x @ matrix)"
            )
        if given.dtype.kind not in "biuf" or not np.isfinite(given).all():
            raise ParameterError(
                f"rw.Plain of type {given.dtype} given; finite real numbers allowed"
            )
        #: The numbers; they do not change.
        self.values: NDArray[np.float64] = given.astype(np.float64)
        self.values.setflags(write=False)

    def __repr__(self) -> str:
        return f"<plain vector of {len(self)} numbers up to {self.max:g}>"

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype)

    @property
    def max(self) -> float:
        """The largest absolute value."""
        return float(np.max(np.abs(self.values)))

    @property
    def rms(self) -> float:
        """The root mean square."""
        return float(np.sqrt(np.mean(self.values**2)))

    @property
    def repeatable(self) -> NDArray[np.float64]:
        """With zeros up to a power of two, so that slots are filled by repeating them."""
        padded = np.zeros(1 << (len(self) - 1).bit_length())
        padded[: len(self)] = self.values
        return padded


def plain_values(inputs: Sequence[Any]) -> list[NDArray[np.float64]]:
    """The plain arguments among the inputs of a run, as the native module takes them."""
    return [each.repeatable for each in inputs if isinstance(each, Plain)]


class PlainOperand:
    """A plain argument while a program is traced: its numbers are not known yet.

    It goes with encrypted vectors by `+ - * @`, on either side.
    """

    ndim = 1

    def __init__(self, maker: Any, number: int, name: str, length: int) -> None:
        self.maker = maker
        self.number = number
        self.name = name
        self.length = length

    def __repr__(self) -> str:
        return f"<plain argument {self.name} of {self.length} numbers>"

    def __len__(self) -> int:
        return self.length

    def _with(self, other: Any) -> Any:
        if not hasattr(other, "add_operand"):
            self._refuse()
        return other

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_: Any) -> Any:
        """An encrypted vector among the operands answers; nothing else can."""
        if not any(hasattr(each, "add_operand") for each in inputs):
            self._refuse()
        return NotImplemented

    def __add__(self, other: Any) -> Any:
        return self._with(other) + self

    def __mul__(self, other: Any) -> Any:
        return self._with(other) * self

    def __sub__(self, other: Any) -> Any:
        return (-self._with(other)) + self

    def __matmul__(self, other: Any) -> Any:
        return self._with(other) @ self

    __radd__, __rmul__, __rmatmul__ = __add__, __mul__, __matmul__

    def __rsub__(self, other: Any) -> Any:
        return self._with(other) - self

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ProgramError(
            f"{where()}: the numbers of the plain argument {self.name} are not known while the "
            "program is traced: + - * @ with encrypted vectors allowed; compute the rest before, "
            f"and give it as rw.Plain(...)"
        )

    __array__ = __float__ = __int__ = __bool__ = __iter__ = __getitem__ = _refuse
    __neg__ = __truediv__ = __rtruediv__ = __pow__ = __abs__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse
