"""How good a decrypted picture is, and whether an answer is right.

PSNR is 10 log10(1 / MSE) in decibels on pixel values in [0, 1], from the decrypted values before
they are rounded to 8 bits. An MSE of zero would make it infinite; the MSE is clamped from below by
the square of the float64 epsilon, which caps PSNR at 313 dB.
"""

from __future__ import annotations

from math import log10

import numpy as np

_SMALLEST_MSE = float(np.finfo(np.float64).eps) ** 2


def psnr_db(mse: float) -> float:
    """Peak signal-to-noise ratio for a peak of 1; always finite."""
    return -10 * log10(max(mse, _SMALLEST_MSE))
