"""How many bits of a result are right, beside the same computed in plain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ringwright.errors import ParameterError

__all__ = ["Precision", "precision"]

#: An error of nothing counts as half a unit of a double's last place, relative to 1.
_EXACT_BITS = float(np.finfo(np.float64).nmant + 1)


@dataclass(frozen=True)
class Precision:
    """Right bits after the binary point: minus the binary logarithm of a slot's absolute error.

    An error below 2^-53 counts as 2^-53: decoded slots are doubles.
    """

    mean: float
    """Of all slots' bits."""
    median: float
    """Half of the slots have more."""
    worst: float
    """Of the slot that is furthest off."""
    rms: float
    """Of the root of the mean square of the errors."""

    def __str__(self) -> str:
        return (
            f"{self.mean:.1f} bits on average, {self.median:.1f} in the median, "
            f"{self.worst:.1f} in the worst slot"
        )


def precision(found: npt.ArrayLike, expected: npt.ArrayLike) -> Precision:
    """What decrypted slots are worth beside the plain result.

    `found` and `expected`: real numbers, of one shape, at least one. Raises `ParameterError` where
    shapes differ, nothing is there, or a number is not finite.
    """
    a, b = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if a.shape != b.shape or not a.size:
        raise ParameterError(
            f"found: shape {a.shape}, expected: shape {b.shape}; allowed are two equal ones, of at "
            "least one number"
        )
    for name, values in (("found", a), ("expected", b)):
        if not np.isfinite(values).all():
            raise ParameterError(f"{name}: holds a number that is not finite")
    errors = np.abs(a - b)
    bits = _bits(errors)
    return Precision(
        mean=float(bits.mean()),
        median=float(np.median(bits)),
        worst=float(bits.min()),
        rms=float(_bits(np.sqrt(np.mean(errors**2)))),
    )


def _bits(errors: npt.ArrayLike) -> npt.NDArray[np.float64]:
    bits: npt.NDArray[np.float64] = -np.log2(np.maximum(errors, 2.0**-_EXACT_BITS))
    return bits
