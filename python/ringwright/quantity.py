"""Numbers with their units as people write them: a few digits, a unit that suits, no exponent."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

__all__ = ["BYTES", "JOULES", "SECONDS", "scaled", "significant"]

#: Units and what one of them is, the smallest first: of femtoseconds, bytes, joules.
Units = Sequence[tuple[str, float]]
SECONDS: Units = [("fs", 1), ("ps", 1e3), ("ns", 1e6), ("us", 1e9), ("ms", 1e12), ("s", 1e15)]
BYTES: Units = [("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)]
JOULES: Units = [("nJ", 1e-9), ("uJ", 1e-6), ("mJ", 1e-3), ("J", 1)]


def significant(value: float, digits: int = 3) -> str:
    """So many significant digits, written out: `"1,880"`, `"0.0123"`."""
    return format(Decimal(f"{value:.{digits}g}"), ",f")


def scaled(value: float, units: Units, digits: int = 3) -> tuple[str, str]:
    """Number and unit; the first unit in which fewer than 1,000 are left after rounding."""
    for unit, one in units:
        if abs(float(f"{value / one:.{digits}g}")) < 1000 or unit == units[-1][0]:
            return significant(value / one, digits), unit
    raise ValueError("no units given")
