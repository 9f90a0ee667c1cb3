"""Points that no other beats."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ringwright.errors import ParameterError
from ringwright.silicon import AREA, BLOCKS, Cost

#: Objectives by name, and the column that each compares; less is better.
OBJECTIVES = {
    **{"time": "time_us", "area": AREA, "energy": "energy_uj", "cycles": "cycles"},
    **{name: name for name in BLOCKS},
}
#: Of those that designs have, what they are compared by where nobody says.
_USUAL = ("time", "area", "energy", "lut", "dsp", "bram36", "uram")


def columns_of(cost: Cost) -> list[str]:
    """The columns that the designs of a machine have, of those that can be compared or limited."""
    silicon = (AREA, "energy_uj", "leakage_mw")
    return ["time_us", "cycles", "clock_ghz", *(silicon if cost.has_area else BLOCKS)]


def usual(columns: Collection[str]) -> list[str]:
    """What designs with these columns are compared by."""
    return [name for name in _USUAL if OBJECTIVES[name] in columns]


def columns(objectives: Sequence[str], there: Collection[str] | None = None) -> list[str]:
    """The columns of these objectives; `ParameterError` for none, or one that there is not.

    `there`: those that designs have; without, all that any machine's have.
    """
    known = [name for name, column in OBJECTIVES.items() if there is None or column in there]
    unknown = [name for name in objectives if name not in known]
    if unknown or not objectives:
        given = ", ".join(unknown) or "none"
        raise ParameterError(f"objectives: {given} given; known are {', '.join(known)}")
    return [OBJECTIVES[name] for name in objectives]


def front(rows: Sequence[dict[str, Any]], objectives: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """The rows that no other row is at least as good as everywhere and better somewhere.

    In the order of the first objective. Of rows that are alike in all objectives each stays.
    """
    chosen = columns(objectives, rows[0] if rows else None)
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
