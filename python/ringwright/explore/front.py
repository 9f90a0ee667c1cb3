"""Points that no other beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ringwright.errors import ParameterError

#: Objectives by name, and the column that each compares; less is better.
OBJECTIVES = {"time": "time_us", "area": "area_mm2", "energy": "energy_uj", "cycles": "cycles"}


def columns(objectives: Sequence[str]) -> list[str]:
    """The columns of these objectives; `ParameterError` for none, or one that there is not."""
    unknown = [name for name in objectives if name not in OBJECTIVES]
    if unknown or not objectives:
        given = ", ".join(unknown) or "none"
        raise ParameterError(f"objectives: {given} given; known are {', '.join(OBJECTIVES)}")
    return [OBJECTIVES[name] for name in objectives]


def front(rows: Sequence[dict[str, Any]], objectives: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """The rows that no other row is at least as good as everywhere and better somewhere.

    In the order of the first objective. Of rows that are alike in all objectives each stays.
    """
    chosen = columns(objectives)
    values = {id(row): tuple(row[name] for name in chosen) for row in rows}
    kept: list[dict[str, Any]] = []
    # Whoever beats a row comes before it in this order.
    for row in sorted(rows, key=lambda row: values[id(row)]):
        mine = values[id(row)]
        if not any(_beats(values[id(other)], mine) for other in kept):
            kept.append(row)
    return tuple(kept)


def _beats(other: tuple[float, ...], mine: tuple[float, ...]) -> bool:
    return other != mine and all(a <= b for a, b in zip(other, mine, strict=True))
