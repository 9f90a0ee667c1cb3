"""A matrix by its diagonals, for programs: a banded one takes little room, however wide::

    second = rw.Diagonals({-1: 1.0, 0: -2.0, 1: 1.0}, (64, 64))

    @rw.program(inputs={"x": rw.ckks.Input(length=64)})
    def curvature(x):
        return second @ x

Words and lengths are those of `scipy.sparse.diags` and `numpy.diagonal`: the diagonal of offset k
has the entries in column - row = k, from the matrix' top or left edge on. Those not given are zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringwright.errors import ProgramError
from ringwright.source_line import integer, where

__all__ = ["Diagonals"]


class Diagonals:
    """A real matrix of this shape: entries, or one number for all of them, by offset.

    It goes with encrypted vectors and arrays by `@`, on either side, and does not change.
    `ProgramError` for an offset outside 1 - rows to columns - 1, another number of entries than the
    diagonal has, numbers that are not finite, and for nothing but zeros.
    """

    ndim = 2
    __array_ufunc__ = None  # `array @ diagonals` is answered here

    def __init__(self, diagonals: Mapping[int, ArrayLike], shape: tuple[int, int]) -> None:
        # Arrays, one behind the other: what a program holds of them is known by its bytes.
        self._shape = _sides(shape)
        given = sorted((integer("offset", each), values) for each, values in diagonals.items())
        parts = [self._entries(offset, values) for offset, values in given]
        #: The offsets, ascending.
        self.offsets: NDArray[np.int64] = np.array([offset for offset, _ in given], np.int64)
        self._data: NDArray[np.float64] = np.concatenate([np.zeros(0), *parts])
        if not self._data.any():
            raise ProgramError(
                f"{where()}: diagonals of zeros given; a product with them needs no vector"
            )
        for each in (self._shape, self.offsets, self._data):
            each.setflags(write=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self._shape.tolist()
        return rows, columns

    @property
    def T(self) -> Diagonals:
        """The transpose."""
        rows, columns = self.shape
        return Diagonals({-offset: entries for offset, entries in self}, (columns, rows))

    def __iter__(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Offsets, ascending, with their entries."""
        start = 0
        for offset in self.offsets.tolist():
            length = self._length(offset)
            yield offset, self._data[start : start + length]
            start += length

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<{len(self.offsets)} diagonals of a matrix of {rows} rows and {columns} columns>"

    def toarray(self) -> NDArray[np.float64]:
        """The whole matrix."""
        matrix = np.zeros(self.shape)
        for offset, entries in self:
            rows = max(0, -offset) + np.arange(len(entries))
            matrix[rows, rows + offset] = entries
        return matrix

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, np.ndarray):
            return NotImplemented  # an encrypted vector answers
        if other.shape[:1] != self.shape[1:]:
            raise ProgramError(
                f"{where()}: {self} given with an array of shape {other.shape}; "
                f"({self.shape[1]}, ...) allowed"
            )
        product = np.zeros((self.shape[0], *other.shape[1:]), np.result_type(other, np.float64))
        for offset, entries in self:
            row, column = max(0, -offset), max(0, offset)
            read = other[column : column + len(entries)]
            product[row : row + len(entries)] += (read.T * entries).T
        return product

    def __rmatmul__(self, other: Any) -> Any:
        if not isinstance(other, np.ndarray):
            return NotImplemented
        return (self.T @ other.T).T

    def _length(self, offset: int) -> int:
        rows, columns = self.shape
        return min(rows + min(offset, 0), columns - max(offset, 0))

    def _entries(self, offset: int, values: ArrayLike) -> NDArray[np.float64]:
        rows, columns = self.shape
        offset = integer("offset", offset, 1 - rows, columns - 1)
        length = self._length(offset)
        given = np.asarray(values)
        if given.dtype.kind not in "biuf" or given.shape not in {(), (length,)}:
            raise ProgramError(
                f"{where()}: diagonal {offset} of type {given.dtype} and shape {given.shape} given "
                f"with a matrix of {rows} rows and {columns} columns; {length} real numbers, or "
                "one for all of them, allowed"
            )
        if not np.isfinite(given).all():
            raise ProgramError(
                f"{where()}: diagonal {offset} has numbers that are not finite; finite ones allowed"
            )
        return np.broadcast_to(given, (length,)).astype(np.float64)


def _sides(shape: object) -> NDArray[np.int64]:
    if not isinstance(shape, tuple) or len(shape) != 2:
        raise ProgramError(f"{where()}: shape = {shape!r} given; (rows, columns) allowed")
    return np.array([integer("a side of shape", side, 1, 1 << 31) for side in shape], np.int64)
