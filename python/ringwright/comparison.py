"""Whether a decrypted answer is right: it equals the plain circuit within the predicted noise.

The prediction holds within two bits, and no error may exceed six standard deviations of the widened
prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: The noise prediction of a program holds within two bits.
PREDICTION = 4.0
#: A normal error exceeds this many standard deviations once in 500 million values.
SIGMAS = 6.0
#: Error of a value that is not a finite number; its square is still finite.
_NO_NUMBER = 1e140


@dataclass
class Comparison:
    """Collects errors against what is expected; `correct` says whether all are allowed.

    `predicted`: standard deviation of an error.
    """

    predicted: float
    largest: float = 0.0
    values: int = 0
    _squares: float = 0.0

    def add(self, got: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
        """Compares one result; returns its mean square error."""
        error = np.nan_to_num(np.abs(got - expected), nan=_NO_NUMBER, posinf=_NO_NUMBER)
        self.largest = max(self.largest, float(error.max()))
        self.values += error.size
        squares = float(np.sum(np.square(error)))
        self._squares += squares
        return squares / error.size

    @property
    def mse(self) -> float:
        """Mean square error over everything compared."""
        return self._squares / max(1, self.values)

    @property
    def allowed(self) -> float:
        """The largest error that counts as noise."""
        return PREDICTION * SIGMAS * self.predicted

    @property
    def correct(self) -> bool:
        """Whether every error is small enough to be noise."""
        return self.largest <= self.allowed
