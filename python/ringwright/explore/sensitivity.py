"""Which parameter of a machine moves a result most: a study with one change at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ringwright.errors import ParameterError
from ringwright.explore.front import columns
from ringwright.explore.space import Value
from ringwright.explore.store import Row, Study
from ringwright.schedules import UNTUNED


@dataclass(frozen=True)
class Change:
    """Another value of a parameter, and how many times the result is then what it was.

    `skipped`: why there is none. `schedule`: how the transforms' instructions are ordered, where
    orders were looked for on one of the two machines alone; part of the change is then the
    compiler's.
    """

    value: Value
    ratio: float | None
    skipped: str | None = None
    schedule: str | None = None


@dataclass(frozen=True)
class Effect:
    """What a parameter does to one result. `is_open`: no paper prints its value."""

    parameter: str
    value: Value
    is_open: bool
    changes: tuple[Change, ...]

    @property
    def ratios(self) -> tuple[float, float]:
        """The smallest and the largest, the machine itself among them."""
        known = [1.0, *(c.ratio for c in self.changes if c.ratio is not None)]
        return min(known), max(known)

    @property
    def swing(self) -> float:
        """How far apart they are: the logarithm of their quotient."""
        low, high = self.ratios
        return math.log(high / low)


def effects(study: Study, objective: str) -> tuple[Effect, ...]:
    """The parameters of a study made one by one, the strongest first.

    `objective`: of those of `OBJECTIVES` that the machine has. Raises `ParameterError` for another
    one, and where the machine itself has no result.
    """
    base, *changed = study.rows
    if "skipped" in base:
        raise ParameterError(f"{study.about['machine']}: {base['skipped']}")
    (column,) = columns([objective], base)
    names = [name for name, _ in study.about["axes"]]
    found = [
        Effect(
            name,
            base[name],
            name in study.about["open"],
            tuple(_change(name, row, base, column) for row in _of(name, changed, base)),
        )
        for name in names
    ]
    # Of equal ones the declaration's order.
    return tuple(sorted(found, key=lambda effect: -effect.swing))


def _of(name: str, rows: Sequence[Row], base: Row) -> list[Row]:
    return [row for row in rows if row[name] != base[name]]


def _change(name: str, row: Row, base: Row, column: str) -> Change:
    if "skipped" in row:
        return Change(row[name], None, row["skipped"])
    schedule = row["schedule"]
    other = (UNTUNED in schedule) != (UNTUNED in base["schedule"])
    ratio = row[column] / base[column]
    return Change(row[name], ratio, schedule=schedule if other else None)
