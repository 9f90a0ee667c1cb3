"""How good a decrypted picture is, and whether an answer is right.

PSNR is 10 log10(1 / MSE) in decibels on pixel values in [0, 1], from the decrypted values before
they are rounded to 8 bits. An MSE of zero would make it infinite; the MSE is clamped from below by
the square of the float64 epsilon, which caps PSNR at 313 dB.

An answer is right when it equals the plain circuit within the predicted noise: the prediction holds
within two bits, and no error may exceed six standard deviations of the widened prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10, sqrt

import numpy as np

import ringwright as rw
from ringwright.camera.video import Picture

_SMALLEST_MSE = float(np.finfo(np.float64).eps) ** 2
#: The noise prediction of a program holds within two bits.
PREDICTION = 4.0
#: A normal error exceeds this many standard deviations once in 500 million values.
SIGMAS = 6.0
#: Error of a value that is not a finite number; its square is still finite.
_NO_NUMBER = 1e140


def psnr_db(mse: float) -> float:
    """Peak signal-to-noise ratio for a peak of 1; always finite."""
    return -10 * log10(max(mse, _SMALLEST_MSE))


def slot_error(noise: float, scale: float, parameters: rw.ckks.Parameters) -> float:
    """Standard deviation of a slot's real part, from that of a coefficient.

    A slot is the value of the error polynomial at a complex root of unity: the real part of a sum
    of N coefficients of equal deviation has sqrt(N/2) times that deviation.
    """
    return noise * sqrt(parameters.n / 2) / scale


@dataclass
class Comparison:
    """Collects errors against what is expected; `correct` says whether all are allowed.

    `predicted`: standard deviation of an error.
    """

    predicted: float
    largest: float = 0.0
    values: int = 0
    _squares: float = 0.0

    def add(self, got: Picture, expected: Picture) -> float:
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
